//! glibc behaves as the rows say. A program calls functions of the table with memory that ends
//! where a row says that it may end: after it is a page that nobody can touch. It finds reads and
//! writes beyond what a row allows, results outside of its range, and changes of `errno` that it
//! does not have.

use cwolf_known::{
    Amount, CType, Contents, Effect, FormatArgs, FormatKind, IntKind, Model, Origin, Outcome, Path,
    Range, Requirement, Row, Subject, Table, table,
};
use std::fmt::Write as _;
use std::process::{Command, Stdio};

const PRELUDE: &str = include_str!("behaviour.c");

/// Calls that wait, that change what the test itself needs, or whose numbers have names.
const LEFT_OUT: [&str; 22] = [
    // Their argument may be a constant that is no address (`FE_DFL_ENV`), so their rows require nothing of it.
    "fesetenv",
    "feupdateenv",
    "fesetmode",
    "sleep",
    "usleep",
    "pause",
    "nanosleep",
    "clock_nanosleep",
    "thrd_sleep",
    "sigsuspend",
    "sigwait",
    "sigwaitinfo",
    "sigtimedwait",
    "select",
    "pselect",
    "brk",
    "sbrk",
    "mallopt",
    "getpass",
    "nl_langinfo",
    "signalfd",
    "regexec",
];

/// The name of the type that a parameter points to.
fn named(row: &Row, param: usize) -> Option<&str> {
    match row.prototype.params.get(param)?.ty.pointee()? {
        CType::Named(name) => Some(name),
        _ => None,
    }
}

/// How the test gets something that is open.
fn resource(row: &Row, param: usize) -> Option<&'static str> {
    Some(match named(row, param)? {
        "FILE" => "stream()",
        "DIR" => "(char *)opendir(\".\")",
        "regex_t" => "pattern()",
        _ => return None,
    })
}

/// Whether a call needs nothing but memory, numbers and files of its own, and stays within the
/// process.
fn is_callable(row: &Row) -> bool {
    let data = |ty: &CType| !matches!(ty, CType::Named(_) | CType::List | CType::Function);
    let streams = |n: &usize| named(row, *n) == Some("FILE");
    let stream = (0..row.prototype.params.len()).any(|n| streams(&n));
    let fine = |effect: &Effect| match effect {
        Effect::Output => stream,
        Effect::Closes(n) => resource(row, *n).is_some(),
        Effect::Writes { at, .. } => at.path == Path::Itself,
        Effect::Copies { .. } | Effect::Errno | Effect::State(_) | Effect::Sets { .. } => true,
        Effect::Channel(..)
        | Effect::Draws(_)
        | Effect::Connects
        | Effect::Opens
        | Effect::Shuts(_) => true,
        Effect::Formatted(format) => matches!(format.args, FormatArgs::From(_)),
        _ => false,
    };
    let simple = |requirement: &Requirement| match requirement {
        Requirement::Readable { at, .. } | Requirement::Text { at, .. } => at.path == Path::Itself,
        Requirement::Handle(at) => at.itself().is_some_and(|n| resource(row, n).is_some()),
        Requirement::Format(format) => {
            matches!(format.kind, FormatKind::Printf | FormatKind::Time)
        }
        Requirement::NotNull(_)
        | Requirement::NotNullUnlessEmpty(..)
        | Requirement::Writable { .. }
        | Requirement::Apart(..)
        | Requirement::Within { .. } => true,
        _ => false,
    };
    let hidden = !matches!(row.origin, Origin::Gnu | Origin::Compiler);
    // A locale is a pointer without a size.
    let sized = row.prototype.params.iter().enumerate().all(|(n, p)| {
        let size = p.ty.pointee().is_none_or(|ty| *ty != CType::Void);
        data(&p.ty)
            && (size
                || row
                    .requires_of(n)
                    .any(|r| !matches!(r, Requirement::NotNull(_))))
    });
    // Names of hosts are looked up in the network.
    let asks_network = row.name.starts_with("gethostby") || row.name == "gethostid";
    let unnamed = row.prototype.variadic && row.formatted().is_none();
    // Some of the compiler's functions take nothing but constants.
    let constants = ["alloca", "_address", "object_size", "_nans"];
    let constant = constants.iter().any(|c| row.name.contains(c));
    !hidden
        && !asks_network
        && !unnamed
        && !constant
        && sized
        && row.control.is_empty()
        && row.effects.iter().all(fine)
        && row.requires.iter().all(simple)
        && !LEFT_OUT.contains(&row.name.as_str())
}

/// One call of a function.
struct Call<'r> {
    row: &'r Row,
    round: usize,
}

impl Call<'_> {
    /// An amount in C, of the type `wide_int`. None if it depends on what is not there.
    fn amount(&self, amount: &Amount) -> Option<String> {
        let binary = |a: &Amount, sign: &str, b: &Amount| {
            Some(format!("({} {sign} {})", self.amount(a)?, self.amount(b)?))
        };
        Some(match amount {
            Amount::Const(_) | Amount::Limit(_) | Amount::SizeOf(_) => {
                format!("(wide_int){}", literal(amount.value(Model::Lp64)?))
            }
            Amount::Arg(Subject { param, path }) => match path {
                Path::Itself => format!("(wide_int)a{param}"),
                Path::Behind => {
                    let to = self.row.prototype.params[*param].ty.pointee()?;
                    format!("(wide_int)*({} *)a{param}", int_name(to)?)
                }
                Path::Member(_) => return None,
            },
            Amount::Pointee(param) => {
                let to = self.row.prototype.params[*param].ty.pointee()?;
                format!("(wide_int){}", to.size(Model::Lp64)?)
            }
            Amount::Strlen(at) => format!("(wide_int)length{}", at.itself()?),
            Amount::Wcslen(at) => format!("(wide_int)length{}", at.itself()?),
            Amount::Strnlen(at, most) | Amount::Wcsnlen(at, most) => {
                let length = format!("(wide_int)length{}", at.itself()?);
                format!("least({length}, {})", self.amount(most)?)
            }
            // See the format that is used.
            Amount::Printed => "(wide_int)9".into(),
            Amount::Result => "(wide_int)r".into(),
            Amount::Input => return None,
            Amount::Add(a, b) => return binary(a, "+", b),
            Amount::Sub(a, b) => return binary(a, "-", b),
            Amount::Mul(a, b) => return binary(a, "*", b),
            Amount::Min(a, b) => format!("least({}, {})", self.amount(a)?, self.amount(b)?),
            Amount::Max(a, b) => format!("most({}, {})", self.amount(a)?, self.amount(b)?),
        })
    }

    /// A number for an argument: small, so that sizes are, and in range where there is one.
    fn number(&self, param: usize) -> i128 {
        const NUMBERS: [i128; 8] = [5, 0, 65, 3, 1, 7, 2, 33];
        let bound = |a: &Option<Amount>| a.as_ref().and_then(|a| a.value(Model::Lp64));
        let allowed = |n: i128| {
            let inside = |range: &Range| {
                bound(&range.low).is_none_or(|low| low <= n)
                    && bound(&range.high).is_none_or(|high| n <= high)
            };
            self.row.requires_of(param).all(|r| match r {
                Requirement::Within { ranges, .. } => ranges.iter().any(inside),
                _ => true,
            })
        };
        let first = self.round * 3 + param;
        let wishes = (0..NUMBERS.len()).map(|n| NUMBERS[(first + n) % NUMBERS.len()]);
        wishes.into_iter().find(|n| allowed(*n)).unwrap_or(1)
    }

    /// Declares the argument `a0`, `a1` … and the length of the string in it.
    fn argument(&self, param: usize) -> Option<String> {
        let declared = &self.row.prototype.params[param];
        match &declared.ty {
            CType::Pointer { to, .. } => self.memory(param, to),
            CType::Float | CType::Double | CType::LongDouble => {
                let value = ["0.5", "2.0", "-3.25", "0.0"][(self.round + param) % 4];
                Some(format!("long double a{param} = {value};"))
            }
            _ => Some(format!("long long a{param} = {};", self.number(param))),
        }
    }

    fn memory(&self, param: usize, to: &CType) -> Option<String> {
        if self.row.nullable(param) && self.round % 3 == 2 {
            return Some(format!("char *a{param} = 0; long length{param} = 0;"));
        }
        let handle = |r: &Requirement| matches!(r, Requirement::Handle(_));
        if let Some(resource) = resource(self.row, param)
            && self.row.requires_of(param).any(handle)
        {
            return Some(format!("char *a{param} = {resource};"));
        }
        let (mut sizes, mut text, mut read) = (vec!["(wide_int)0".to_owned()], None, false);
        for requirement in self.row.requires_of(param) {
            match requirement {
                Requirement::Readable { bytes, .. } => {
                    sizes.push(self.amount(bytes)?);
                    read = true;
                }
                Requirement::Writable { bytes, .. } => sizes.push(self.amount(bytes)?),
                Requirement::Text {
                    wide, within, end, ..
                } => {
                    let most = match within {
                        Some(most) => self.amount(most)?,
                        None => "(wide_int)-1".into(),
                    };
                    let end = end.map_or("0".into(), |n| format!("a{n}"));
                    text = Some((if *wide { 4 } else { 1 }, most, end));
                }
                Requirement::Format(format) => {
                    let text = match format.kind {
                        FormatKind::Time => "%Y-%m",
                        _ => "ab%dcd",
                    };
                    return Some(format!("char *a{param} = words(\"{text}\");"));
                }
                _ => {}
            }
        }
        let all = sizes.into_iter().reduce(|a, b| format!("most({a}, {b})"))?;
        let mut out = match text {
            Some((width, most, end)) => {
                let round = self.round * 2 + param;
                format!(
                    "long length{param}; \
                     char *a{param} = string({round}, {width}, {most}, {end}, &length{param});"
                )
            }
            None => format!("char *a{param} = room({all}, {}); ", u8::from(read)),
        };
        if let (true, Some(int)) = (read, int_name(to)) {
            let _ = write!(
                out,
                "if ({all} >= (wide_int)sizeof({int})) *({int} *)a{param} = 8;"
            );
        }
        if text_grows(self.row, param) {
            let _ = write!(out, "a{param} = grown(a{param}, length{param}, {all});");
        }
        Some(out)
    }

    /// What may be different behind the argument after the call, in bytes.
    fn written(&self, param: usize) -> Option<String> {
        let mut most = vec!["(wide_int)0".to_owned()];
        for effect in &self.row.effects {
            match effect {
                Effect::Writes { at, bytes, .. } | Effect::Copies { to: at, bytes, .. }
                    if at.param == param =>
                {
                    most.push(self.amount(bytes)?);
                }
                _ => {}
            }
        }
        most.into_iter().reduce(|a, b| format!("most({a}, {b})"))
    }

    /// Whether the result is one that the row allows, in C. None if it says nothing.
    fn result(&self) -> Option<String> {
        let mut ways = Vec::new();
        if self.row.may_fail {
            ways.push("r == 0".into());
        }
        for outcome in &self.row.result {
            ways.push(match outcome {
                Outcome::Any | Outcome::Function | Outcome::Kept => return None,
                Outcome::Null => "r == 0".into(),
                Outcome::Range(Range { low, high }) => {
                    let bound = |a: &Option<Amount>, sign: &str| match a {
                        Some(a) => Some(format!("(wide_int)r {sign} {}", self.amount(a)?)),
                        None => Some("1".into()),
                    };
                    format!("({} && {})", bound(low, ">=")?, bound(high, "<=")?)
                }
                Outcome::Into(at) => {
                    let param = at.itself()?;
                    format!("inside((char *)r, a{param})")
                }
                Outcome::Fresh { bytes, contents } => {
                    let bytes = match bytes {
                        Some(bytes) => self.amount(bytes)?,
                        None => "(wide_int)0".into(),
                    };
                    let text = u8::from(*contents == Contents::Text);
                    let zero = u8::from(*contents == Contents::Zero);
                    format!("on_heap((char *)r, {bytes}, {text}, {zero})")
                }
                Outcome::Static { text: true, .. } | Outcome::Text => {
                    "(r != 0 && strlen((char *)r) < 4096)".into()
                }
                _ => "r != 0".into(),
            });
        }
        (!ways.is_empty()).then(|| ways.join(" || "))
    }

    /// A function that makes the call and says what is wrong.
    fn code(&self) -> Option<String> {
        let params = self.row.prototype.params.len();
        let name = &self.row.name;
        let mut out = String::new();
        let _ = writeln!(out, "static void test_{name}_{}(void) {{", self.round);
        let pointer = |n: usize| self.row.prototype.params[n].ty.pointee().is_some();
        let mut waiting = Vec::new();
        for n in 0..params {
            let mut code = self.argument(n)?;
            if pointer(n) {
                let _ = write!(code, " wide_int written{n} = {};", self.written(n)?);
            }
            waiting.push((n, code));
        }
        // Sizes are made of other arguments, which come first.
        while !waiting.is_empty() {
            let ready = waiting.iter().position(|(n, code)| {
                let others = waiting.iter().filter(|(m, _)| m != n);
                others.clone().all(|(m, _)| !mentions(code, *m))
            });
            let (_, code) = waiting.remove(ready?);
            let _ = writeln!(out, "  {code}");
        }
        let mut args: Vec<String> = (0..params)
            .map(|n| match self.row.prototype.params[n].ty {
                CType::Pointer { .. } => format!("(void *)a{n}"),
                _ => format!("a{n}"),
            })
            .collect();
        if self.row.prototype.variadic {
            args.push("12345".into());
        }
        let call = format!("{name}({})", args.join(", "));
        let _ = writeln!(out, "  remember(); errno = 77;");
        let _ = match &self.row.prototype.ret {
            CType::Void | CType::Named(_) => writeln!(out, "  {call};"),
            _ => writeln!(out, "  __typeof__({call}) r = {call};"),
        };
        if !self.row.sets_errno() {
            let _ = writeln!(out, "  check(errno == 77, \"errno changed\");");
        }
        for n in (0..params).filter(|n| pointer(*n)) {
            let _ = writeln!(out, "  unchanged(a{n}, written{n});");
        }
        if let Some(condition) = self.result() {
            // A NaN, which no comparison holds of, is always possible.
            let _ = writeln!(
                out,
                "  check(r != r || ({condition}), \"the result is out of range\");"
            );
        }
        let _ = writeln!(out, "}}");
        Some(out)
    }
}

/// Whether code is about an argument.
fn mentions(code: &str, param: usize) -> bool {
    let names = [format!("a{param}"), format!("length{param}")];
    let mut words = code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.any(|word| names.iter().any(|name| word == name))
}

/// Whether a string is also written to, behind its end.
fn text_grows(row: &Row, param: usize) -> bool {
    let mut of = row.requires_of(param);
    let text = of.any(|r| matches!(r, Requirement::Text { .. }));
    let mut of = row.requires_of(param);
    text && of.any(|r| matches!(r, Requirement::Writable { .. }))
}

fn literal(n: i128) -> String {
    match u64::try_from(n) {
        Ok(n) => format!("{n}ull"),
        Err(_) if n == i128::from(i64::MIN) => "(-9223372036854775807ll - 1)".into(),
        Err(_) => format!("({n}ll)"),
    }
}

fn int_name(ty: &CType) -> Option<&'static str> {
    let CType::Int(kind, _) = ty else {
        return None;
    };
    Some(match kind {
        IntKind::Short | IntKind::Ushort => "short",
        IntKind::Int => "int",
        IntKind::Uint => "unsigned",
        IntKind::Long => "long",
        IntKind::Ulong => "unsigned long",
        IntKind::LongLong | IntKind::UlongLong => "long long",
        _ => return None,
    })
}

fn headers(rows: &[&Row]) -> String {
    let mut text = String::new();
    for header in rows.iter().flat_map(|row| &row.headers) {
        if !text.contains(header) {
            let _ = writeln!(
                text,
                "#if __has_include({header})\n#include {header}\n#endif"
            );
        }
    }
    text
}

/// How often a function is called, with other arguments.
const ROUNDS: usize = 4;

/// The program, and how many functions it calls.
fn program(rows: &[&Row]) -> (String, usize) {
    let mut text = format!("#define _GNU_SOURCE 1\n{}{PRELUDE}", headers(rows));
    let (mut list, mut functions) = (String::new(), 0);
    for row in rows.iter().copied().filter(|row| is_callable(row)) {
        let calls = (0..ROUNDS).map(|round| Call { row, round });
        let code: Vec<String> = calls.filter_map(|call| call.code()).collect();
        if code.len() < ROUNDS {
            continue;
        }
        functions += 1;
        let _ = writeln!(text, "#undef {}", row.name);
        for (round, code) in code.iter().enumerate() {
            text.push_str(code);
            let _ = writeln!(list, "  {{\"{0}\", test_{0}_{round}}},", row.name);
        }
    }
    let _ = writeln!(text, "static const struct test tests[] = {{\n{list}}};");
    let _ = writeln!(
        text,
        "int main(void) {{ return run(tests, sizeof tests / sizeof *tests); }}"
    );
    (text, functions)
}

/// What is wrong with rows, and how many were tried.
fn mistakes(name: &str, rows: &[&Row]) -> (String, usize) {
    let (text, functions) = program(rows);
    let folder = std::env::temp_dir().join(format!("cwolf-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the program");
    let (source, binary) = (folder.join("calls.c"), folder.join("calls"));
    std::fs::write(&source, text).expect("the program is written");
    let built = Command::new("gcc")
        .args(["-std=gnu11", "-w", "-O0", "-fno-builtin", "-o"])
        .args([&binary, &source])
        .args(["-lm", "-lcrypt"])
        .output()
        .expect("gcc runs");
    let errors = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{errors}");
    let ran = Command::new(&binary)
        .current_dir(&folder)
        .stdin(Stdio::null())
        .output()
        .expect("the program runs");
    let _ = std::fs::remove_dir_all(&folder);
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert_eq!(ran.status.success(), said.is_empty(), "{said}");
    (said, functions)
}

#[test]
fn glibc_behaves_as_the_rows_say() {
    if !super::glibc::installed() {
        return;
    }
    let (said, functions) = mistakes("known", &table().rows().collect::<Vec<_>>());
    assert!(said.is_empty(), "{said}");
    assert!(functions > 860, "only {functions} functions can be called");
}

#[test]
fn wrong_rows_are_noticed() {
    if !super::glibc::installed() {
        return;
    }
    let wrong = "@gnu <string.h> <unistd.h> <stdlib.h>\n\
        char *strcpy(char *to, const char *from) ; string(from), writes(to, 1), returns(to)\n\
        size_t strlen(const char *s) ; string(s), returns(strlen(s) + 1)\n\
        int strcmp(const char *left, const char *right) ; string(left), reads(right, 0)\n\
        void *memset(void *to, int c, size_t n) ; reads(to, n), returns(to)\n\
        int access(const char *path, int mode) ; string(path), returns(0 or -1), open\n\
        char *strdup(const char *s) ; string(s), returns(fresh_text(strlen(s))), errno\n\
        size_t strnlen(const char *s, size_t n) ; string(s, n), returns(strnlen(s, n))\n";
    let table = Table::parse(&[("wrong", wrong)]).expect("a table");
    let (said, functions) = mistakes("wrong", &table.rows().collect::<Vec<_>>());
    assert_eq!(functions, 7);
    let expected = [
        "strcpy: signal 11",
        "strlen: the result is out of range",
        "strcmp: signal 11",
        "memset: more was written than the row says",
        "access: errno changed",
        "strdup: the result is out of range",
    ];
    for line in expected {
        assert!(said.contains(line), "{line} is missing in\n{said}");
    }
    assert!(!said.contains("strnlen"), "{said}");
}
