//! The types of C that prototypes are written in. Names of typedefs and records, with their
//! sizes, come from `library/known/types.txt`.

use crate::amount::Model;
use crate::error::{Parsed, TableError};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

const TEXT: &str = include_str!("../../../library/known/types.txt");

/// A type of C, as far as calls need it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CType {
    /// `void`
    Void,
    /// `_Bool`
    Bool,
    /// An integer type, in LP64 and in ILP32.
    Int(IntKind, IntKind),
    /// `float`
    Float,
    /// `double`
    Double,
    /// `long double`
    LongDouble,
    /// A pointer to data.
    Pointer {
        /// To what.
        to: Box<CType>,
        /// Whether that is `const`.
        constant: bool,
    },
    /// A pointer to a function.
    Function,
    /// `va_list`, as a parameter.
    List,
    /// A structure, union or other type, by its name.
    Named(String),
}

/// The integer types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum IntKind {
    Char,
    Schar,
    Uchar,
    Short,
    Ushort,
    Int,
    Uint,
    Long,
    Ulong,
    LongLong,
    UlongLong,
}

impl IntKind {
    /// Bytes in a value.
    pub fn size(self, model: Model) -> u64 {
        match self {
            IntKind::Char | IntKind::Schar | IntKind::Uchar => 1,
            IntKind::Short | IntKind::Ushort => 2,
            IntKind::Int | IntKind::Uint => model.int(),
            IntKind::Long | IntKind::Ulong => model.long(),
            _ => 8,
        }
    }

    /// Whether values may be negative; plain `char` is signed.
    pub fn signed(self) -> bool {
        !matches!(
            self,
            IntKind::Uchar | IntKind::Ushort | IntKind::Uint | IntKind::Ulong | IntKind::UlongLong
        )
    }
}

impl CType {
    /// Bytes in a value, if the type is complete.
    pub fn size(&self, model: Model) -> Option<u64> {
        Some(match (self, model) {
            (CType::Void, _) => return None,
            (CType::Bool, _) => 1,
            (CType::Int(lp64, ilp32), _) => match model.word() {
                8 => lp64.size(model),
                _ => ilp32.size(model),
            },
            (CType::Float, _) => 4,
            (CType::Double, Model::Other16) => 4,
            (CType::Double, _) => 8,
            (CType::LongDouble, Model::Lp64) => 16,
            (CType::LongDouble, Model::Ilp32) => 12,
            (CType::LongDouble, _) => return None,
            (CType::Pointer { .. } | CType::Function | CType::List, _) => model.word(),
            (CType::Named(name), _) => return size_of(name, model),
        })
    }

    /// What a pointer to data points to.
    pub fn pointee(&self) -> Option<&CType> {
        match self {
            CType::Pointer { to, .. } => Some(to),
            _ => None,
        }
    }
}

/// The size of the type that is so called in C, if it is known.
pub fn size_of(name: &str, model: Model) -> Option<u64> {
    if let Some(ty) = basic(name) {
        return ty.size(model);
    }
    match names().get(name)? {
        Name::Is(ty) => ty.size(model),
        Name::Array(lp64, ilp32) | Name::Record(lp64, ilp32) => match model {
            Model::Lp64 => Some(*lp64),
            Model::Ilp32 => Some(*ilp32),
            Model::Other64 | Model::Other32 | Model::Other16 => None,
        },
        Name::Opaque => None,
    }
}

/// All names that have a size, for tests that hold them equal to the compiler's.
pub fn sized_names() -> Vec<&'static str> {
    let mut list: Vec<_> = names()
        .keys()
        .copied()
        .filter(|name| size_of(name, Model::Lp64).is_some())
        .collect();
    list.sort_unstable();
    list
}

/// What a name of the table of types stands for.
enum Name {
    /// Another type.
    Is(CType),
    /// An array of so many bytes: a pointer, where it is a parameter.
    Array(u64, u64),
    /// A record of so many bytes.
    Record(u64, u64),
    /// Only pointers to it are ever seen.
    Opaque,
}

fn names() -> &'static FxHashMap<&'static str, Name> {
    static NAMES: OnceLock<FxHashMap<&'static str, Name>> = OnceLock::new();
    NAMES.get_or_init(|| read(TEXT).expect("a test reads the table of types"))
}

fn read(text: &'static str) -> Result<FxHashMap<&'static str, Name>, TableError> {
    let mut names = FxHashMap::default();
    for (n, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let error = |message: String| TableError {
            file: "types",
            line: n + 1,
            message,
        };
        let (name, meaning) =
            (line.split_once('=')).ok_or_else(|| error("expected `name = meaning`".into()))?;
        let meaning = entry(meaning.trim()).map_err(error)?;
        if names.insert(name.trim(), meaning).is_some() {
            return Err(error(format!("`{}` is here twice", name.trim())));
        }
    }
    Ok(names)
}

fn entry(meaning: &str) -> Parsed<Name> {
    let (kind, rest) = meaning.split_once(' ').unwrap_or((meaning, ""));
    let sizes = || -> Parsed<(u64, u64)> {
        let (lp64, ilp32) = rest.split_once('/').unwrap_or((rest, rest));
        let number = |s: &str| s.trim().parse().map_err(|_| format!("`{s}` is not a size"));
        Ok((number(lp64)?, number(ilp32)?))
    };
    Ok(match kind {
        "opaque" => Name::Opaque,
        "function" => Name::Is(CType::Function),
        "list" => Name::Is(CType::List),
        "record" => sizes().map(|(a, b)| Name::Record(a, b))?,
        "array" => sizes().map(|(a, b)| Name::Array(a, b))?,
        "pointer" => Name::Is(CType::Pointer {
            to: Box::new(CType::Void),
            constant: false,
        }),
        _ => {
            let (lp64, ilp32) = meaning.split_once('/').unwrap_or((meaning, meaning));
            let int = |name: &str| match basic(name.trim()) {
                Some(CType::Int(kind, _)) => Ok(kind),
                _ => Err(format!("`{}` is not an integer type of C", name.trim())),
            };
            Name::Is(CType::Int(int(lp64)?, int(ilp32)?))
        }
    })
}

/// The types that C itself names.
fn basic(name: &str) -> Option<CType> {
    let int = match name {
        "void" => return Some(CType::Void),
        "_Bool" => return Some(CType::Bool),
        "float" => return Some(CType::Float),
        "double" => return Some(CType::Double),
        "long double" => return Some(CType::LongDouble),
        "char" => IntKind::Char,
        "signed char" => IntKind::Schar,
        "unsigned char" => IntKind::Uchar,
        "short" => IntKind::Short,
        "unsigned short" => IntKind::Ushort,
        "int" => IntKind::Int,
        "unsigned" | "unsigned int" => IntKind::Uint,
        "long" => IntKind::Long,
        "unsigned long" => IntKind::Ulong,
        "long long" => IntKind::LongLong,
        "unsigned long long" => IntKind::UlongLong,
        _ => return None,
    };
    Some(CType::Int(int, int))
}

/// The type that is so called, where a parameter has it: an array is a pointer.
pub(crate) fn named(name: &str) -> Parsed<CType> {
    if let Some(ty) = basic(name) {
        return Ok(ty);
    }
    let pointer = || CType::Pointer {
        to: Box::new(CType::Named(name.to_owned())),
        constant: false,
    };
    match names().get(name) {
        Some(Name::Is(ty)) => Ok(ty.clone()),
        Some(Name::Array(..)) => Ok(pointer()),
        Some(Name::Record(..) | Name::Opaque) => Ok(CType::Named(name.to_owned())),
        None => Err(format!(
            "the type `{name}` is unknown: add a line to library/known/types.txt"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_types_reads() {
        let names = read(TEXT).expect("no mistakes");
        assert!(names.contains_key("size_t"));
        assert!(read("size_t = unsigned long\nsize_t = int").is_err());
        assert!(read("size_t = length").is_err());
        assert!(read("struct tm").is_err());
    }

    #[test]
    fn sizes_depend_on_the_model() {
        assert_eq!(size_of("size_t", Model::Lp64), Some(8));
        assert_eq!(size_of("size_t", Model::Ilp32), Some(4));
        assert_eq!(size_of("struct tm", Model::Ilp32), Some(44));
        assert_eq!(size_of("FILE", Model::Lp64), None);
        assert_eq!(size_of("nothing", Model::Lp64), None);
    }
}
