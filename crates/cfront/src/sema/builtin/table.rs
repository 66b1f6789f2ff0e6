//! The library functions that gcc knows, with their prototypes: one letter for each type, the
//! result first. `v` void, `p` `void *`, `q` `const void *`, `s` `char *`, `c` `const char *`,
//! `i`/`u` int, `l`/`m` long, `L`/`M` long long, `z` size_t, `d`/`f`/`D` double, float, long
//! double, `x`/`y`/`X` the same complex, `I` `int *`, `E` `double *`, `a` va_list, `.` more arguments, `!` never returns.
//!
//! The table of known functions cannot stand in for it: it knows ten times as many functions, and gcc
//! declares only these when a program does not. Any other is `int f()` then, whatever its row says. A
//! test holds the prototypes equal to those of the rows.

use std::borrow::Cow;

const LIBRARY: &[(&str, &str)] = &[
    ("_Exit", "!vi"),
    ("__assert_fail", "!vccuc"),
    ("_exit", "!vi"),
    ("abort", "!v"),
    ("abs", "ii"),
    ("aligned_alloc", "pzz"),
    ("alloca", "pz"),
    ("atoi", "ic"),
    ("atol", "lc"),
    ("bcmp", "iqqz"),
    ("bcopy", "vqpz"),
    ("bzero", "vpz"),
    ("calloc", "pzz"),
    ("execl", "icc."),
    ("execlp", "icc."),
    ("exit", "!vi"),
    ("ffs", "ii"),
    ("ffsl", "il"),
    ("ffsll", "iL"),
    ("fork", "i"),
    ("fprintf", "ipc."),
    ("fputc", "iip"),
    ("fputs", "icp"),
    ("free", "vp"),
    ("fscanf", "ipc."),
    ("fwrite", "zqzzp"),
    ("getchar", "i"),
    ("index", "sci"),
    ("isalnum", "ii"),
    ("isalpha", "ii"),
    ("isascii", "ii"),
    ("isblank", "ii"),
    ("iscntrl", "ii"),
    ("isdigit", "ii"),
    ("isgraph", "ii"),
    ("islower", "ii"),
    ("isprint", "ii"),
    ("ispunct", "ii"),
    ("isspace", "ii"),
    ("isupper", "ii"),
    ("isxdigit", "ii"),
    ("labs", "ll"),
    ("llabs", "LL"),
    ("malloc", "pz"),
    ("memchr", "pqiz"),
    ("memcmp", "iqqz"),
    ("memcpy", "ppqz"),
    ("memmove", "ppqz"),
    ("mempcpy", "ppqz"),
    ("memset", "ppiz"),
    ("posix_memalign", "ipzz"),
    ("printf", "ic."),
    ("putchar", "ii"),
    ("puts", "ic"),
    ("realloc", "ppz"),
    ("rindex", "sci"),
    ("scanf", "ic."),
    ("snprintf", "iszc."),
    ("sprintf", "isc."),
    ("sscanf", "icc."),
    ("stpcpy", "ssc"),
    ("stpncpy", "sscz"),
    ("strcasecmp", "icc"),
    ("strcat", "ssc"),
    ("strchr", "sci"),
    ("strcmp", "icc"),
    ("strcpy", "ssc"),
    ("strcspn", "zcc"),
    ("strdup", "sc"),
    ("strlen", "zc"),
    ("strncasecmp", "iccz"),
    ("strncat", "sscz"),
    ("strncmp", "iccz"),
    ("strncpy", "sscz"),
    ("strndup", "scz"),
    ("strnlen", "zcz"),
    ("strpbrk", "scc"),
    ("strrchr", "sci"),
    ("strspn", "zcc"),
    ("strstr", "scc"),
    ("toascii", "ii"),
    ("tolower", "ii"),
    ("toupper", "ii"),
    ("vfprintf", "ipca"),
    ("vfscanf", "ipca"),
    ("vprintf", "ica"),
    ("vscanf", "ica"),
    ("vsnprintf", "iszca"),
    ("vsprintf", "isca"),
    ("vsscanf", "icca"),
];

/// Mathematics on `double`; `d` changes for the variants that end in `f` or `l`.
const MATH: &[(&str, &str)] = &[
    ("acos", "dd"),
    ("acosh", "dd"),
    ("asin", "dd"),
    ("asinh", "dd"),
    ("atan", "dd"),
    ("atan2", "ddd"),
    ("atanh", "dd"),
    ("cabs", "dx"),
    ("carg", "dx"),
    ("cbrt", "dd"),
    ("ceil", "dd"),
    ("cexp", "xx"),
    ("cimag", "dx"),
    ("conj", "xx"),
    ("copysign", "ddd"),
    ("cos", "dd"),
    ("cosh", "dd"),
    ("cpow", "xxx"),
    ("cproj", "xx"),
    ("creal", "dx"),
    ("csqrt", "xx"),
    ("drem", "ddd"),
    ("erf", "dd"),
    ("erfc", "dd"),
    ("exp", "dd"),
    ("exp10", "dd"),
    ("exp2", "dd"),
    ("expm1", "dd"),
    ("fabs", "dd"),
    ("fdim", "ddd"),
    ("floor", "dd"),
    ("fma", "dddd"),
    ("fmax", "ddd"),
    ("fmin", "ddd"),
    ("fmod", "ddd"),
    ("frexp", "ddI"),
    ("gamma", "dd"),
    ("hypot", "ddd"),
    ("ilogb", "id"),
    ("ldexp", "ddi"),
    ("lgamma", "dd"),
    ("llrint", "Ld"),
    ("llround", "Ld"),
    ("log", "dd"),
    ("log10", "dd"),
    ("log1p", "dd"),
    ("log2", "dd"),
    ("logb", "dd"),
    ("lrint", "ld"),
    ("lround", "ld"),
    ("modf", "ddp"),
    ("nearbyint", "dd"),
    ("nextafter", "ddd"),
    ("nexttoward", "ddD"),
    ("pow", "ddd"),
    ("remainder", "ddd"),
    ("remquo", "dddI"),
    ("rint", "dd"),
    ("round", "dd"),
    ("scalbln", "ddl"),
    ("scalbn", "ddi"),
    ("significand", "dd"),
    ("sin", "dd"),
    ("sinh", "dd"),
    ("sqrt", "dd"),
    ("tan", "dd"),
    ("tanh", "dd"),
    ("tgamma", "dd"),
    ("trunc", "dd"),
];

fn find(table: &[(&'static str, &'static str)], name: &str) -> Option<&'static str> {
    let at = table.binary_search_by(|(n, _)| (*n).cmp(name)).ok()?;
    Some(table[at].1)
}

/// The prototype of the library function `name`.
pub(super) fn prototype(name: &str) -> Option<Cow<'static, str>> {
    if let Some(code) = find(LIBRARY, name).or_else(|| find(MATH, name)) {
        return Some(code.into());
    }
    let (letter, base) = match name.as_bytes().last()? {
        b'f' => ("f", &name[..name.len() - 1]),
        b'l' => ("D", &name[..name.len() - 1]),
        _ => return None,
    };
    let complex = if letter == "f" { "y" } else { "X" };
    find(MATH, base).map(|code| code.replace('d', letter).replace('x', complex).into())
}

/// The plain function behind a checking one (`__memcpy_chk`), and the arguments to drop.
pub(super) fn checked(name: &str) -> Option<(&str, &'static [usize])> {
    let plain = name.strip_prefix("__")?.strip_suffix("_chk")?;
    let drop: &[usize] = match plain {
        "memcpy" | "memmove" | "mempcpy" | "memset" | "strncpy" | "stpncpy" | "strncat" => &[3],
        "strcpy" | "stpcpy" | "strcat" => &[2],
        "sprintf" | "vsprintf" => &[1, 2],
        "snprintf" | "vsnprintf" => &[2, 3],
        "printf" | "vprintf" => &[0],
        "fprintf" | "vfprintf" => &[1],
        _ => return None,
    };
    Some((plain, drop))
}

/// What a bit builtin says about a constant of `bits` bits; none where gcc leaves it open.
pub(super) fn fold_bits(name: &str, v: u64, bits: u32) -> Option<i128> {
    let short = name.strip_prefix("__builtin_")?;
    let unused = 64 - bits;
    Some(match short.trim_end_matches('l') {
        "bswap16" => i128::from((v as u16).swap_bytes()),
        "bswap32" => i128::from((v as u32).swap_bytes()),
        "bswap64" => i128::from(v.swap_bytes()),
        "popcount" => i128::from(v.count_ones()),
        "parity" => i128::from(v.count_ones() & 1),
        "ffs" if v == 0 => 0,
        "ffs" => i128::from(v.trailing_zeros() + 1),
        "clz" if v != 0 => i128::from(v.leading_zeros() - unused),
        "ctz" if v != 0 => i128::from(v.trailing_zeros()),
        "clrsb" => {
            let signed = ((v << unused) as i64) >> unused;
            let same = if signed < 0 { !signed } else { signed };
            i128::from(same.leading_zeros() - unused) - 1
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cwolf_known::{CType, IntKind};

    #[test]
    fn tables_are_sorted_for_searching() {
        for table in [LIBRARY, MATH] {
            assert!(table.windows(2).all(|w| w[0].0 < w[1].0));
        }
    }

    /// The letter for a type; where the table has no letter of its own, that of the nearest.
    fn letter(ty: &CType) -> char {
        match ty {
            CType::Void => 'v',
            CType::Float => 'f',
            CType::Double => 'd',
            CType::LongDouble => 'D',
            CType::Named(name) if name == "_Complex double" => 'x',
            CType::List => 'a',
            CType::Int(IntKind::Uint, _) => 'u',
            CType::Int(IntKind::Long, _) => 'l',
            CType::Int(IntKind::Ulong, IntKind::Uint) => 'z',
            CType::Int(IntKind::LongLong, _) => 'L',
            CType::Pointer { to, constant } => match (&**to, constant) {
                (CType::Int(IntKind::Char, _), true) => 'c',
                (CType::Int(IntKind::Char, _), false) => 's',
                (CType::Int(IntKind::Int, _), false) => 'I',
                (CType::Void, true) => 'q',
                _ => 'p',
            },
            _ => 'i',
        }
    }

    #[test]
    fn every_function_is_in_the_table_of_known_functions() {
        for (name, code) in LIBRARY.iter().chain(MATH) {
            let row = cwolf_known::lookup(name).unwrap_or_else(|| panic!("{name} has no row"));
            let f = &row.prototype;
            let mut expected = String::from(if f.noreturn { "!" } else { "" });
            expected.push(letter(&f.ret));
            expected.extend(f.params.iter().map(|p| letter(&p.ty)));
            if f.variadic {
                expected.push('.');
            }
            assert_eq!(*code, expected, "{name}");
        }
    }

    #[test]
    fn checked_forms_drop_what_the_plain_one_lacks() {
        for row in cwolf_known::table().rows() {
            let Some((plain, drop)) = checked(&row.name) else {
                continue;
            };
            let base = cwolf_known::lookup(plain).expect("the plain function is known");
            let kept = row.arguments_of(base);
            let extra: Vec<usize> = (0..row.prototype.params.len())
                .filter(|n| !kept.contains(&Some(*n)))
                .collect();
            assert_eq!(drop, extra, "{}", row.name);
        }
    }

    #[test]
    fn variants_change_the_type() {
        assert_eq!(prototype("sqrtf").as_deref(), Some("ff"));
        assert_eq!(prototype("ldexpl").as_deref(), Some("DDi"));
        assert_eq!(prototype("memcpy").as_deref(), Some("ppqz"));
        assert_eq!(prototype("nothing"), None);
    }

    #[test]
    fn bits_fold() {
        assert_eq!(fold_bits("__builtin_clz", 1, 32), Some(31));
        assert_eq!(fold_bits("__builtin_clzll", 1, 64), Some(63));
        assert_eq!(fold_bits("__builtin_ctz", 0, 32), None);
        assert_eq!(fold_bits("__builtin_clrsb", 0xffff_ffff, 32), Some(31));
        assert_eq!(fold_bits("__builtin_bswap16", 0x1234, 16), Some(0x3412));
    }
}
