//! Code made from rows: what the library opens and allocates lives and ends in runs, too.

use cwolf_cfront::{Options as Language, compile_text};
use cwolf_interp::{List, Machine, Options, Outcome};
use cwolf_prepare::property::Selection;
use cwolf_prepare::{Arguments, Extern, Prepare, prepare};

const HEAD: &str = "typedef struct _IO_FILE FILE; typedef unsigned long size_t;
    struct tm { int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst; long tm_gmtoff; const char *tm_zone; };
    extern FILE *stdin, *stderr; FILE *fopen(const char *, const char *); int fclose(FILE *); int fgetc(FILE *); int fputs(const char *, FILE *);
    long getline(char **, size_t *, FILE *); void free(void *); void *malloc(size_t); char *getenv(const char *);
    int scanf(const char *, ...); struct tm *getdate(const char *); long read(int, void *, size_t);\n";

/// How a run with these choices ends, the rest being zero: the text of the check that fails.
fn end(body: &str, choices: &[i128]) -> Result<(), String> {
    let text = format!("{HEAD}int main(void) {{ {body} return 0; }}");
    let compiled = compile_text("t.c", text.as_bytes(), &Language::default());
    let program = compiled
        .program
        .unwrap_or_else(|| panic!("{:?}\n{text}", compiled.diagnostics));
    let how = Prepare {
        selection: Selection::default(),
        rules: Vec::new(),
        entry: "main".into(),
        externs: Extern::Havoc,
        malloc_may_fail: false,
        arguments: Arguments::default(),
        language: Language::default(),
    };
    let subject = prepare(program, how).unwrap_or_else(|error| panic!("{error}"));
    let options = Options {
        oracle: Box::new(List::new(choices.iter().copied())),
        zero_memory: true,
        ..Options::default()
    };
    let entry = subject.program.funcs[subject.entry].name.clone();
    match Machine::new(&subject.program, options).run(&entry) {
        Outcome::Exit(_) => Ok(()),
        Outcome::Error(error) => Err(error.message),
        other => panic!("{other:?}\n{text}"),
    }
}

#[test]
fn streams_are_opened_and_closed() {
    // The first outcome of `fopen` is a stream.
    assert_eq!(
        end("FILE *f = fopen(\"a\", \"r\"); fclose(f);", &[]),
        Ok(())
    );
    let twice = "FILE *f = fopen(\"a\", \"r\"); fclose(f); fclose(f);";
    assert!(end(twice, &[]).unwrap_err().contains("closed before"));
    let used = "FILE *f = fopen(\"a\", \"r\"); fclose(f); fgetc(f);";
    assert!(end(used, &[]).unwrap_err().contains("closed before"));
    assert!(end("FILE *f = fopen(\"a\", \"r\"); free(f);", &[]).is_err());
    assert!(end("fclose(malloc(300));", &[]).is_err());
    assert!(end("FILE *f = fopen(\"a\", \"r\"); fclose(f);", &[1]).is_err());
}

#[test]
fn standard_streams_are_open_at_the_start() {
    assert_eq!(end("fputs(\"a\", stderr); fclose(stdin);", &[]), Ok(()));
    assert!(end("fclose(stdin); fclose(stdin);", &[]).is_err());
}

#[test]
fn buffers_of_the_library_are_freed_once() {
    let line = "char *p = 0; size_t n = 0; getline(&p, &n, stdin); free(p);";
    assert_eq!(end(line, &[]), Ok(()));
    assert!(end(&format!("{line} free(p);"), &[]).is_err());
    assert!(end("free(getenv(\"A\"));", &[]).is_err());
    // A line that is too long for the buffer: there is one, it has 201 characters.
    let own = "char b[4] = {0}; char *p = b; size_t n = 4; getline(&p, &n, stdin);";
    assert!(end(own, &[0, 200, 1]).is_err());
}
