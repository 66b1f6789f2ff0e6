//! Unnamed arguments of `printf` and its kin: given directly, or in the area that a `va_list`
//! points into.

use super::Call;
use crate::error::{ErrorKind, Fault};
use cwolf_cwi::value::{self, Value, float};
use cwolf_cwi::{FloatTy, IntTy, Type, VaList};

/// Where the next unnamed argument comes from.
pub(super) enum VarArgs {
    /// The call's arguments from this number on.
    Direct(usize),
    /// This address.
    Area(u64),
}

/// The type that a format expects of an argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ArgType {
    Int(IntTy),
    Pointer,
    /// A `double`, or a `long double`.
    Float(bool),
}

impl ArgType {
    /// Whether two conversions may take the same argument as these types.
    pub fn same_place(self, other: ArgType, word: u64) -> bool {
        let size = |ty: ArgType| match ty {
            ArgType::Int(int) => Some(int.size().max(4)),
            ArgType::Pointer => Some(word),
            ArgType::Float(_) => None,
        };
        match (size(self), size(other)) {
            (None, None) => self == other,
            (a, b) => a == b,
        }
    }
}

/// An argument as the format expects it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Given {
    Int(i128),
    Float(FloatTy, u128),
}

impl Given {
    pub fn int(self) -> i128 {
        match self {
            Given::Int(value) => value,
            Given::Float(..) => 0,
        }
    }
    pub fn float(self) -> (FloatTy, u128) {
        match self {
            Given::Float(ty, bits) => (ty, bits),
            Given::Int(_) => (FloatTy::F64, 0),
        }
    }
}

impl VarArgs {
    /// The arguments of a `va_list` argument. It is a pointer into the area, or the address of a
    /// record that has one: its second word on x86-64, its first on AArch64.
    pub fn from_list(call: &Call<'_, '_>, n: usize) -> Result<VarArgs, Fault> {
        let list = call.ptr(n)?;
        Ok(VarArgs::Area(match call.m.program.target().va_list {
            VaList::X86 => call.load_ptr(list.wrapping_add(8))?,
            VaList::Aarch64 => call.load_ptr(list)?,
            VaList::Pointer => list,
        }))
    }

    /// The next argument; one whose type nobody says takes the place of an `int`.
    pub fn take(&mut self, call: &Call<'_, '_>, ty: Option<ArgType>) -> Result<Given, Fault> {
        match ty.unwrap_or(ArgType::Int(IntTy::INT)) {
            ArgType::Int(int) => Ok(Given::Int(self.int(call, int)?)),
            ArgType::Pointer => Ok(Given::Int(self.ptr(call)?.into())),
            ArgType::Float(long) => {
                let (ty, bits) = self.float(call, long)?;
                Ok(Given::Float(ty, bits))
            }
        }
    }

    /// The next bytes of the area.
    fn area(&mut self, call: &Call<'_, '_>, size: u64, used: u64) -> Result<Option<u128>, Fault> {
        let VarArgs::Area(addr) = self else {
            return Ok(None);
        };
        let at = *addr;
        *addr += size.next_multiple_of(call.word());
        let bytes = match call.m.memory.written_bytes(at, used) {
            Ok(bytes) => bytes,
            Err(Fault::Read { .. }) => return Err(too_few()),
            Err(fault) => return Err(fault),
        };
        Ok(Some(call.m.program.target().number(bytes)))
    }

    /// The next argument of the call, and its type.
    fn direct<'c>(&mut self, call: &'c Call<'_, '_>) -> Result<(Value, &'c Type), Fault> {
        let VarArgs::Direct(n) = self else {
            return Err(too_few());
        };
        let (value, ty) = call.args.get(*n).ok_or_else(too_few)?;
        *n += 1;
        Ok((*value, &call.m.program.types[*ty]))
    }

    /// The next argument as an integer of type `ty`.
    pub fn int(&mut self, call: &Call<'_, '_>, ty: IntTy) -> Result<i128, Fault> {
        // Narrow types arrive promoted to `int`.
        let size = ty.size().max(call.word().min(4));
        if let Some(word) = self.area(call, size, size)? {
            return Ok(value::wrap(ty, word as i128));
        }
        let word = call.word();
        match self.direct(call)? {
            (Value::Int(v), from) if fits(from, size, word) => Ok(value::wrap(ty, v)),
            (_, from) => {
                let message = format!("the format asks for {}", int_name(size, word));
                Err(mistyped(ErrorKind::BadCall, &message, from))
            }
        }
    }

    /// The next argument as a pointer.
    pub fn ptr(&mut self, call: &Call<'_, '_>) -> Result<u64, Fault> {
        let word = call.word();
        if let Some(addr) = self.area(call, word, word)? {
            return Ok(addr as u64);
        }
        match self.direct(call)? {
            (Value::Int(v), from) if fits(from, word, word) => Ok(v as u64 & call.m.mask),
            // The constant 0 is how some programs write a null pointer.
            (Value::Int(0), Type::Int(_)) => Ok(0),
            (_, from) => {
                let asks = "the format asks for a pointer";
                Err(mistyped(ErrorKind::BadFormat, asks, from))
            }
        }
    }

    /// The pointer that is argument `n`, where all are pointers; takes nothing.
    pub fn nth_ptr(&self, call: &Call<'_, '_>, n: usize) -> Result<u64, Fault> {
        let mut there = match self {
            VarArgs::Direct(first) => VarArgs::Direct(first + n),
            VarArgs::Area(addr) => VarArgs::Area(addr + n as u64 * call.word()),
        };
        there.ptr(call)
    }

    /// The next argument as a float: a double, or a `long double`.
    pub fn float(&mut self, call: &Call<'_, '_>, long: bool) -> Result<(FloatTy, u128), Fault> {
        let target = call.m.program.target();
        let ty = match (long, target.long_double) {
            (false, _) => target.double,
            (true, Some(ty)) => ty,
            (true, None) => return Err(too_few()),
        };
        let size = target.float(ty).0;
        let used = float::encoded_size(ty) as u64;
        if let Some(bits) = self.area(call, size, used)? {
            return Ok((ty, bits));
        }
        match self.direct(call)? {
            (Value::Float(bits), Type::Float(from))
                if *from == ty || !long && *from == FloatTy::F32 =>
            {
                Ok((ty, float::convert(*from, ty, bits)))
            }
            (_, from) => {
                let name = if long { "long double" } else { "double" };
                let message = format!("the format asks for a {name}");
                Err(mistyped(ErrorKind::BadCall, &message, from))
            }
        }
    }
}

/// Whether an argument of type `from` can be read as an integer or a pointer of `size` bytes: it
/// takes as many words, and none of the bytes that are read is missing.
fn fits(from: &Type, size: u64, word: u64) -> bool {
    let has = match from {
        Type::Int(int) => int.size(),
        Type::Bool => 1,
        Type::Pointer(_) => return size <= word,
        _ => return false,
    };
    let has = has.max(word.min(4));
    has >= size && has.div_ceil(word) == size.div_ceil(word)
}

fn int_name(size: u64, word: u64) -> &'static str {
    match size {
        2 => "an int",
        4 if word == 2 => "a long",
        4 => "an int",
        n if n == word => "a long",
        _ => "a long long",
    }
}

fn too_few() -> Fault {
    Fault::Other(
        ErrorKind::BadFormat,
        "the format asks for more arguments than there are".into(),
    )
}

fn mistyped(kind: ErrorKind, asks: &str, from: &Type) -> Fault {
    let found = match from {
        Type::Int(int) => match int.size() {
            8 => "a long".to_owned(),
            16 => "a 128-bit integer".to_owned(),
            _ => "an int".to_owned(),
        },
        Type::Float(FloatTy::F80) => "a long double".to_owned(),
        Type::Float(_) => "a double".to_owned(),
        Type::Pointer(_) => "a pointer".to_owned(),
        _ => "something else".to_owned(),
    };
    Fault::Other(kind, format!("{asks}, the argument is {found}"))
}
