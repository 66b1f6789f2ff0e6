//! The models of libc that ship with the tool, in C, for engines that have none of their own.

use crate::compile::compile_text;
use crate::session::Options;
use cwolf_cwi::{Definition, InitValue, Linkage, Locations, Origin, Program};
use cwolf_known::Row;
use rustc_hash::FxHashSet;

/// A file of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Model {
    /// Its name.
    pub name: &'static str,
    /// Its text, which needs no preprocessor.
    pub text: &'static str,
    /// In a file about one of the floating types: its name and the end of the names of its functions.
    pub real: Option<(&'static str, &'static str)>,
    /// The functions that it defines for others.
    pub functions: &'static [&'static str],
}

/// All files of models.
pub const MODELS: [Model; 17] = [
    Model {
        name: "string.c",
        text: include_str!("../../../library/string.c"),
        real: None,
        functions: &[
            "memcpy",
            "mempcpy",
            "memmove",
            "memccpy",
            "memset",
            "memcmp",
            "memchr",
            "memrchr",
            "rawmemchr",
            "memmem",
            "strlen",
            "strnlen",
            "stpcpy",
            "strcpy",
            "stpncpy",
            "strncpy",
            "strlcpy",
            "strcat",
            "strncat",
            "strlcat",
            "strcmp",
            "strncmp",
            "strcoll",
            "strxfrm",
            "strcasecmp",
            "strncasecmp",
            "strchrnul",
            "strchr",
            "strrchr",
            "index",
            "rindex",
            "strspn",
            "strcspn",
            "strpbrk",
            "strstr",
            "strcasestr",
            "strtok_r",
            "strtok",
            "strsep",
            "strndup",
            "strdup",
            "bcmp",
            "bcopy",
            "bzero",
        ],
    },
    Model {
        name: "ctype.c",
        text: include_str!("../../../library/ctype.c"),
        real: None,
        functions: &[
            "isupper",
            "islower",
            "isalpha",
            "isdigit",
            "isalnum",
            "isxdigit",
            "isblank",
            "isspace",
            "iscntrl",
            "isprint",
            "isgraph",
            "ispunct",
            "isascii",
            "toascii",
            "tolower",
            "toupper",
            "__ctype_b_loc",
            "__ctype_tolower_loc",
            "__ctype_toupper_loc",
        ],
    },
    Model {
        name: "stdlib.c",
        text: include_str!("../../../library/stdlib.c"),
        real: None,
        functions: &[
            "abs",
            "labs",
            "llabs",
            "div",
            "ldiv",
            "lldiv",
            "__errno_location",
            "strtol",
            "strtoll",
            "strtoul",
            "strtoull",
            "__isoc23_strtol",
            "__isoc23_strtoll",
            "__isoc23_strtoul",
            "__isoc23_strtoull",
            "atoi",
            "atol",
            "atoll",
            "bsearch",
            "qsort",
            "srandom",
            "random",
            "srand",
            "rand",
            "rand_r",
            "calloc",
        ],
    },
    Model {
        name: "exit.c",
        text: include_str!("../../../library/exit.c"),
        real: None,
        functions: &[
            "atexit",
            "on_exit",
            "at_quick_exit",
            "exit",
            "quick_exit",
            "_Exit",
            "_exit",
        ],
    },
    Model {
        name: "wchar.c",
        text: include_str!("../../../library/wchar.c"),
        real: None,
        functions: &[
            "wcslen",
            "wcsnlen",
            "wcpcpy",
            "wcscpy",
            "wcpncpy",
            "wcsncpy",
            "wcscat",
            "wcsncat",
            "wcscmp",
            "wcsncmp",
            "wcschrnul",
            "wcschr",
            "wcsrchr",
            "wcsspn",
            "wcscspn",
            "wcspbrk",
            "wcsstr",
            "wcstok",
            "wmemcpy",
            "wmempcpy",
            "wmemmove",
            "wmemset",
            "wmemcmp",
            "wmemchr",
            "wcsdup",
        ],
    },
    Model {
        name: "posix.c",
        text: include_str!("../../../library/posix.c"),
        real: None,
        functions: &[
            "htons",
            "ntohs",
            "htonl",
            "ntohl",
            "swab",
            "sigemptyset",
            "sigfillset",
            "sigaddset",
            "sigdelset",
            "sigismember",
            "lfind",
            "insque",
            "remque",
            "imaxabs",
            "difftime",
        ],
    },
    Model {
        name: "builtins.c",
        text: include_str!("../../../library/builtins.c"),
        real: None,
        functions: &[
            "__builtin_popcount",
            "__builtin_parity",
            "__builtin_ctz",
            "__builtin_clz",
            "__builtin_clrsb",
            "__builtin_ffs",
            "ffs",
            "__builtin_popcountl",
            "__builtin_parityl",
            "__builtin_ctzl",
            "__builtin_clzl",
            "__builtin_clrsbl",
            "__builtin_ffsl",
            "ffsl",
            "__builtin_popcountll",
            "__builtin_parityll",
            "__builtin_ctzll",
            "__builtin_clzll",
            "__builtin_clrsbll",
            "__builtin_ffsll",
            "ffsll",
            "__builtin_bswap16",
            "__builtin_bswap32",
            "__builtin_bswap64",
        ],
    },
    Model {
        name: "math.c",
        text: include_str!("../../../library/math.c"),
        real: Some(("double", "")),
        functions: &[
            "fabs",
            "copysign",
            "floor",
            "ceil",
            "trunc",
            "round",
            "roundeven",
            "rint",
            "nearbyint",
            "fma",
            "sqrt",
            "fmod",
            "remainder",
            "drem",
            "fmax",
            "fmin",
            "modf",
        ],
    },
    Model {
        name: "mathf.c",
        text: include_str!("../../../library/math.c"),
        real: Some(("float", "f")),
        functions: &[
            "fabsf",
            "copysignf",
            "floorf",
            "ceilf",
            "truncf",
            "roundf",
            "roundevenf",
            "rintf",
            "nearbyintf",
            "fmaf",
            "sqrtf",
            "fmodf",
            "remainderf",
            "dremf",
            "fmaxf",
            "fminf",
            "modff",
        ],
    },
    Model {
        name: "mathl.c",
        text: include_str!("../../../library/math.c"),
        real: Some(("long double", "l")),
        functions: &[
            "fabsl",
            "copysignl",
            "floorl",
            "ceill",
            "truncl",
            "roundl",
            "roundevenl",
            "rintl",
            "nearbyintl",
            "fmal",
            "sqrtl",
            "fmodl",
            "remainderl",
            "dreml",
            "fmaxl",
            "fminl",
            "modfl",
        ],
    },
    Model {
        name: "complex.c",
        text: include_str!("../../../library/complex.c"),
        real: Some(("double", "")),
        functions: &["creal", "cimag", "conj", "cproj", "cabs", "carg"],
    },
    Model {
        name: "complexf.c",
        text: include_str!("../../../library/complex.c"),
        real: Some(("float", "f")),
        functions: &["crealf", "cimagf", "conjf", "cprojf", "cabsf", "cargf"],
    },
    Model {
        name: "complexl.c",
        text: include_str!("../../../library/complex.c"),
        real: Some(("long double", "l")),
        functions: &["creall", "cimagl", "conjl", "cprojl", "cabsl", "cargl"],
    },
    Model {
        name: "complex-arithmetic-s.c",
        text: include_str!("../../../library/complex-arithmetic.c"),
        real: Some(("float", "s")),
        functions: &["__mulsc3", "__divsc3"],
    },
    Model {
        name: "complex-arithmetic-d.c",
        text: include_str!("../../../library/complex-arithmetic.c"),
        real: Some(("double", "d")),
        functions: &["__muldc3", "__divdc3"],
    },
    Model {
        name: "complex-arithmetic-x.c",
        text: include_str!("../../../library/complex-arithmetic.c"),
        real: Some(("long double", "x")),
        functions: &["__mulxc3", "__divxc3"],
    },
    Model {
        name: "complex-arithmetic-t.c",
        text: include_str!("../../../library/complex-arithmetic.c"),
        real: Some(("_Float128", "t")),
        functions: &["__multc3", "__divtc3"],
    },
];

/// The file that defines the function `name`.
pub fn model_for(name: &str) -> Option<&'static Model> {
    MODELS.iter().find(|m| m.functions.contains(&name))
}

/// Compiles the models of all functions that `programs` lack and the caller `wants`, and of
/// those that these lack in turn. The results are to be linked with `programs`; their
/// definitions are weak, so that the programs' own functions of the same names win.
pub fn resolve(
    programs: &[&Program],
    options: &Options,
    wants: impl Fn(&str) -> bool,
) -> Vec<Program> {
    let mut parts: Vec<Program> = Vec::new();
    let mut taken = FxHashSet::default();
    let mut next: usize = 0;
    loop {
        let looked_at = next.checked_sub(programs.len());
        let part = looked_at.map_or_else(|| programs[next], |n| &parts[n]);
        let missing: Vec<_> = missing(part)
            .filter(|name| wants(name))
            .filter_map(model_for)
            .filter(|model| taken.insert(model.name))
            .collect();
        parts.extend(missing.into_iter().map(|model| compile(model, options)));
        next += 1;
        if next == programs.len() + parts.len() {
            return parts;
        }
    }
}

/// The functions that `program` uses but does not define.
fn missing(program: &Program) -> impl Iterator<Item = &str> {
    let functions = program.funcs.iter();
    functions
        .filter(|f| f.definition == Definition::Declared && f.linkage == Linkage::External)
        .map(|f| &*f.name)
}

/// A file of models as CWI. It is compiled for the caller's target, by the rules that it is
/// written for.
fn compile(model: &Model, options: &Options) -> Program {
    let options = Options {
        target: options.target,
        ..Options::default()
    };
    let name = Locations::library_file(model.name);
    let text = match model.real {
        Some((ty, end)) => {
            let text = model
                .text
                .replace("_Complex real", &format!("_Complex {ty}"));
            format!("typedef {ty} real; {}", text.replace('$', end))
        }
        None => model.text.to_owned(),
    };
    let big = options.target.is_big();
    let text = text.replace("HIGHEST_FIRST", if big { "1" } else { "0" });
    let compilation = compile_text(&name, text.as_bytes(), &options);
    let mut program = compilation.program.expect("the library compiles");
    if big && model.name == "ctype.c" {
        swap_classes(&mut program);
    }
    for function in program.funcs.iter_mut() {
        if function.body.is_some() {
            function.origin = Origin::Model;
        }
        // The interpreter's own library sets its `errno`: there is only one.
        let row = cwolf_known::lookup(&function.name);
        if function.body.is_some() && row.is_some_and(Row::is_errno) {
            function.origin = Origin::Approximation;
        }
        if function.linkage == Linkage::External && function.definition == Definition::Defined {
            function.definition = Definition::Weak;
        }
    }
    program
}

/// The classes of characters, of 16 bits each, have the same bytes on all machines.
fn swap_classes(program: &mut Program) {
    let class = program.types.int(16, false);
    let items = program.vars.iter_mut().flat_map(|v| &mut v.init);
    for item in items.filter(|item| item.ty == class) {
        if let InitValue::Int(n) = &mut item.value {
            *n = (*n as u16).swap_bytes().into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cwolf_cwi::Target;

    #[test]
    fn every_model_defines_what_it_says() {
        for target in Target::ALL.into_iter().filter(|t| t.long_double.is_some()) {
            let options = Options {
                target,
                ..Options::default()
            };
            for model in &MODELS {
                let program = compile(model, &options);
                let functions = program.funcs.iter();
                let mut defined: Vec<_> = functions
                    .filter(|f| f.definition == Definition::Weak)
                    .map(|f| f.name.as_str())
                    .collect();
                let mut listed = model.functions.to_vec();
                defined.sort_unstable();
                listed.sort_unstable();
                assert_eq!(defined, listed, "{}", model.name);
                assert!(program.funcs.iter().all(|f| f.refused.is_none()));
            }
        }
    }

    #[test]
    fn missing_functions_are_found_through_each_other() {
        let text = "typedef typeof(sizeof 0) size; char *strdup(const char *); \
                    int isalpha(int); int main() { return isalpha(*strdup(\"a\")); }";
        let options = Options::default();
        let program = compile_text("a.c", text.as_bytes(), &options).program;
        let program = program.expect("no errors");
        assert_eq!(resolve(&[&program], &options, |_| true).len(), 2);
        assert_eq!(resolve(&[&program], &options, |n| n != "isalpha").len(), 1);
        assert_eq!(resolve(&[&program], &options, |_| false).len(), 0);
    }
}
