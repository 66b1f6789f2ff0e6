//! The shipped table: it reads, and its rows say what the library does.

use cwolf_known::{
    Amount, Contents, Effect, End, Failure, FormatArgs, FormatKind, Model, Outcome, Requirement,
    Row, Subject, Table, When, check, lookup, table,
};

fn row(name: &str) -> &'static Row {
    lookup(name).unwrap_or_else(|| panic!("{name} has no row"))
}

#[test]
fn the_table_reads() {
    if let Err(error) = check() {
        panic!("library/known/{error}");
    }
    assert!(table().rows().count() > 1000);
}

#[test]
fn functions_that_never_return_say_how() {
    for row in table().rows() {
        let says = row.ends().is_some();
        assert_eq!(row.prototype.noreturn, says, "{}", row.name);
    }
}

#[test]
fn only_what_is_not_constant_is_written() {
    for row in table().rows() {
        for effect in &row.effects {
            let Effect::Writes { at, .. } = effect else {
                continue;
            };
            if let Some(param) = at.itself() {
                assert!(row.prototype.is_mutable_pointer(param), "{}", row.name);
            }
        }
    }
}

#[test]
fn strings() {
    let strcpy = row("strcpy");
    assert_eq!(strcpy.writes_args(), [0]);
    assert_eq!(strcpy.returns_args(), [0]);
    assert!(strcpy.requires.contains(&Requirement::NotNull(1)));
    assert!(strcpy.requires.contains(&Requirement::Apart(0, 1)));
    let length = Amount::Strlen(Subject::param(1));
    let bytes = Amount::Add(Box::new(length), Box::new(Amount::Const(1)));
    assert!(strcpy.effects.contains(&Effect::Copies {
        to: Subject::param(0),
        from: Subject::param(1),
        bytes,
    }));
    assert!(row("strlen").is_pure());
    assert!(row("memset").moves_no_pointers() && !row("memcpy").moves_no_pointers());
    assert!(row("strtok").keeps_pointers() && row("strtok").nullable(0));
}

#[test]
fn memory() {
    let (size, contents) = row("calloc").allocates().expect("a new object");
    assert!(matches!(size, Some(Amount::Mul(..))));
    assert_eq!(contents, Contents::Zero);
    assert!(row("malloc").may_fail);
    assert_eq!(row("free").frees(), [0]);
    assert!(row("free").nullable(0));
    assert_eq!(row("realloc").frees(), [0]);
    assert_eq!(row("realloc").returns_args(), [0]);
    assert!(row("alloca").allocates_on_stack().is_some());
    assert_eq!(row("fclose").closes(), [0]);
}

#[test]
fn formats() {
    let format = row("snprintf").formatted().expect("a format");
    assert_eq!((format.param, format.kind), (2, FormatKind::Printf));
    assert_eq!(format.args, FormatArgs::From(3));
    let format = row("__isoc99_sscanf").scans().expect("a format");
    assert_eq!(format.args, FormatArgs::From(2));
    let format = row("__vsnprintf_chk").formatted().expect("a format");
    assert_eq!(format.args, FormatArgs::List(5));
    assert!(row("printf").is_quiet() && row("printf").is_defined());
    assert!(row("scanf").changes_memory() && row("scanf").is_open());
}

#[test]
fn checked_forms_are_the_plain_ones_with_more_arguments() {
    let checked = row("__memcpy_chk");
    assert_eq!(checked.base.as_deref(), Some("memcpy"));
    let plain = row("memcpy");
    let arguments = checked.arguments_of(plain);
    assert_eq!(arguments, [Some(0), Some(1), Some(2)]);
    assert_eq!(checked.effects, plain.effects);
    let sprintf = row("__builtin___sprintf_chk");
    let arguments = sprintf.arguments_of(row("sprintf"));
    assert_eq!(arguments, [Some(0), Some(3)]);
    for row in table().rows().filter(|r| r.name.ends_with("_chk")) {
        if let Some(base) = row.base.as_deref().and_then(lookup) {
            let variadic = |row: &Row| row.prototype.variadic;
            let lost = row.arguments_of(base).contains(&None);
            assert!(!lost, "{} lacks an argument of {}", row.name, base.name);
            assert!(!variadic(row) || variadic(base), "{}", row.name);
        }
    }
}

#[test]
fn control() {
    assert_eq!(row("abort").ends(), Some(End::Abort));
    assert_eq!(row("exit").ends(), Some(End::Exit));
    assert_eq!(row("_exit").ends(), Some(End::ExitNow));
    assert_eq!(row("__builtin_unreachable").ends(), Some(End::Undefined));
    assert!(row("error").accepts(3) && row("error").accepts(5));
    assert!(!row("error").accepts(0) && !row("read").accepts(2));
    assert_eq!(row("error").ends(), None);
    assert_eq!(row("error").may_end(), Some(End::Exit));
    assert_eq!(row("execv").may_end(), Some(End::Exec));
    assert_eq!(row("setjmp").marks(), Some(0));
    assert_eq!(row("longjmp").jumps(), Some(0));
    assert!(row("fork").returns_twice() && row("fork").starts_something());
    assert_eq!(row("qsort").calls(), [3]);
    assert_eq!(row("atexit").calls_later(), [(0, When::Exit)]);
    assert_eq!(row("pthread_create").calls_later(), [(2, When::Thread)]);
    assert!(row("sigaction").starts_something());
}

#[test]
fn words_of_verification() {
    assert_eq!(row("__VERIFIER_assume").assumes(), Some(0));
    assert_eq!(row("__ESBMC_assume").assumes(), Some(0));
    assert_eq!(row("__CPROVER_assert").asserts(), Some(0));
    assert_eq!(row("__CPROVER_assert").assertion_text(), Some(1));
    assert_eq!(row("reach_error").fails(), Some(Failure::Error));
    for name in [
        "assert",
        "__assert_fail",
        "__assert_rtn",
        "__assert_perror_fail",
    ] {
        assert!(row(name).is_assertion(), "{name}");
    }
    assert!(row("__VERIFIER_nondet_int").chooses());
    assert!(row("__VERIFIER_nondet_something_new").chooses());
    assert!(row("__VERIFIER_nondet_memory").changes_memory());
}

#[test]
fn results() {
    let read = row("read");
    assert!(read.is_open() && read.sets_errno());
    let Outcome::Range(range) = &read.result[0] else {
        panic!("a range");
    };
    assert_eq!(range.low, Some(Amount::Const(-1)));
    let Outcome::Range(range) = &row("time").result[0] else {
        panic!("a range");
    };
    let most = range.high.as_ref().and_then(|a| a.value(Model::Lp64));
    assert!(most > Some(i128::from(i32::MAX)));
    assert!(row("getenv").is_open() && row("getenv").result.contains(&Outcome::Null));
    assert!(!row("gmtime").is_open());
    assert_eq!(row("__builtin_strlen").name, "strlen");
    assert_eq!(row("__exp_finite").name, "exp");
    assert_eq!(
        row("sinl").prototype.text,
        "long double sinl(long double x)"
    );
}

#[test]
fn mistakes_are_named_with_their_place() {
    let error = |text: &'static str| {
        let error = Table::parse(&[("a", text)]).expect_err("a mistake");
        error.to_string()
    };
    let cases = [
        (
            "int f(int n) ; reads(n, 1)",
            "a.txt:1: the parameter `n` is not a pointer",
        ),
        (
            "# comment\n\nint f(char *p) ; string(q)",
            "a.txt:3: there is no parameter `q`",
        ),
        ("int f(char *p) ; strange(p)", "there is no fact `strange`"),
        ("int f(void *p) ; reads(p)", "say how many bytes"),
        (
            "int f(void)\nint f(void)",
            "a.txt:2: `f` is in the table twice",
        ),
        (
            "int f(void)\nalias f = f",
            "a.txt:2: `f` is in the table twice",
        ),
        (
            "int f(void) ; as g\nint g(void) ; as f",
            "a.txt:1: rows take over",
        ),
        ("alias g = f", "there is no row `f`"),
        ("int f(void) ; as g", "there is no row `g`"),
        ("int f(void) ; returns(null)", "cannot return Null"),
        ("int f(int n) ; returns(0..n", "expected `)`"),
        (
            "int f(void) ; returns(nothing)",
            "`nothing` is neither a parameter",
        ),
        (
            "int f(char *s) ; format(s, printf)",
            "a format needs more arguments",
        ),
        ("@elsewhere\nint f(void)", "expected @gnu"),
        ("int f(int n) ; ends(soon)", "`soon` is none of"),
    ];
    for (text, message) in cases {
        let found = error(text);
        assert!(found.contains(message), "{text}: {found}");
    }
}
