//! Every misuse of the C library is an error of the right kind, and its correct twin is none.

use cwolf_cfront::{Options as Language, Preprocessor, compile_text};
use cwolf_cwi::{Program, Target};
use cwolf_interp::{ErrorKind, List, Machine, Options, Outcome};
use std::fmt::Write;

const HEADERS: &str = r#"
#define _GNU_SOURCE
#include <alloca.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <locale.h>
#include <math.h>
#include <search.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <wchar.h>
char *gets(char *);
#include <arpa/inet.h>
static int by_int(const void *a, const void *b) { return *(int *)a - *(int *)b; }
static char bad[4] = {1, 2, 3, 4};
static FILE *failed(void) { return fopen("/nonexistent/file", "r"); }
static FILE *closed(void) { FILE *f = tmpfile(); fclose(f); return f; }
static char *freed(void) { char *p = malloc(4); strcpy(p, "abc"); free(p); return p; }
static jmp_buf old;
static void leave(void) { if (setjmp(old)) abort(); }
static int through(const char *f, ...) {
    char b[100];
    __builtin_va_list list;
    __builtin_va_start(list, f);
    return vsnprintf(b, 100, f, list);
}
"#;

/// Statements, and how they end.
fn rows() -> Vec<(&'static str, Option<ErrorKind>)> {
    use ErrorKind::*;
    let bad = |kind: ErrorKind, list: &'static [&'static str]| {
        list.iter().map(move |row| (*row, Some(kind)))
    };
    let fine = |list: &'static [&'static str]| list.iter().map(|row| (*row, None));
    let null = bad(
        NullDereference,
        &[
            "getenv(NULL);",
            "gmtime(NULL);",
            "struct tm t; localtime_r(NULL, &t);",
            "time_t t = 0; localtime_r(&t, NULL);",
            "mktime(NULL);",
            "asctime(NULL);",
            "ctime(NULL);",
            "char b[30]; strftime(b, 30, \"%d\", NULL);",
            "struct tm t; strptime(NULL, \"%d\", &t);",
            "puts(NULL);",
            "fputs(NULL, stdout);",
            "atoi(NULL);",
            "strtol(NULL, NULL, 10);",
            "strtod(NULL, NULL);",
            "qsort(NULL, 3, 4, by_int);",
            "int a[2] = {2, 1}; qsort(a, 2, 4, NULL);",
            "int k = 1; bsearch(&k, NULL, 3, 4, by_int);",
            "fopen(NULL, \"r\");",
            "fopen(\"x\", NULL);",
            "fclose(NULL);",
            "fgetc(failed());",
            "fprintf(failed(), \"x\");",
            "char b[4]; fgets(b, 4, failed());",
            "char b[4]; fread(b, 1, 4, failed());",
            "fputc('x', NULL);",
            "feof(NULL);",
            "fseek(NULL, 0, 0);",
            "setvbuf(NULL, NULL, _IONBF, 0);",
            "getline(NULL, NULL, stdin);",
            "printf(NULL);",
            "printf(\"%n\", (int *)NULL);",
            "snprintf(NULL, 4, \"abc\");",
            "sprintf(NULL, \"abc\");",
            "asprintf(NULL, \"abc\");",
            "sscanf(\"1\", \"%d\", (int *)NULL);",
            "sscanf(NULL, \"%d\", (int *)NULL);",
            "strlen(NULL);",
            "strcpy(NULL, \"a\");",
            "strcmp(\"a\", NULL);",
            "strdup(NULL);",
            "strtok(NULL, \" \");",
            "strsep(NULL, \" \");",
            "memset(NULL, 0, 1);",
            "memcpy(NULL, \"a\", 1);",
            "wcslen(NULL);",
            "frexp(1.0, NULL);",
            "modf(1.5, NULL);",
            "setenv(NULL, \"a\", 1);",
            "unsetenv(NULL);",
            "sigaction(SIGINT, (void *)8, NULL);",
            "nanosleep(NULL, NULL);",
            "clock_gettime(0, NULL);",
            "stat(\"x\", NULL);",
            "stat(NULL, NULL);",
            "open(NULL, 0);",
            "access(NULL, 0);",
            "read(0, NULL, 1);",
            "inet_pton(AF_INET, \"1.2.3.4\", NULL);",
            "getopt(2, NULL, \"a\");",
            "srand48_r(1, NULL);",
            "perror((char *)4);",
        ],
    );
    let bounds = bad(
        OutOfBounds,
        &[
            "char b[4]; sprintf(b, \"%d\", 12345);",
            "char b[4]; snprintf(b, 100, \"hello\");",
            "char b[4]; fgets(b, 100, stdin);",
            "char b[4]; fread(b, 1, 100, stdin);",
            "char b[4]; fread(b, (size_t)-1, 2, stdin);",
            "char b[4]; read(0, b, 100);",
            "char b[4]; recv(0, b, 100, 0);",
            "char b[4] = \"\"; write(1, b, 100);",
            "char b[4] = \"\"; send(0, b, 100, 0);",
            "char b[4] = \"\"; fwrite(b, 1, 100, stdout);",
            "char b[4]; sscanf(\"toolong\", \"%s\", b);",
            "char b[4]; sscanf(\"toolong\", \"%4s\", b);",
            "char b[4]; sscanf(\"toolong\", \"%[a-z]\", b);",
            "short s; sscanf(\"1\", \"%d\", &s);",
            "puts(bad);",
            "printf(\"%s\", bad);",
            "printf(\"%.5s\", bad);",
            "strlen(bad);",
            "strdup(bad);",
            "atoi(bad);",
            "fopen(bad, \"r\");",
            "getenv(bad);",
            "char b[2]; strcpy(b, \"abc\");",
            "char b[4] = \"ab\"; strcat(b, \"cd\");",
            "char b[4]; strncpy(b, \"abcdefgh\", 8);",
            "char b[4] = \"ab\"; strncat(b, \"cdef\", 2);",
            "char b[4]; memset(b, 0, 5);",
            "char b[4]; memcpy(b, \"abcdef\", 5);",
            "char b[8]; memcpy(b, \"abc\", 5);",
            "char b[3] = {1, 2, 3}; memchr(b, 9, 5);",
            "char b[3] = {1, 2, 3}; memcmp(b, \"\\1\\2\\3\\4\", 4);",
            "char b[2]; printf(\"abc%n\", (int *)b);",
            "char b[4]; asctime_r(gmtime(&(time_t){0}), b);",
            "char b[4]; ctime_r(&(time_t){0}, b);",
            "char b[4]; strftime(b, 20, \"%Y-%m-%d\", gmtime(&(time_t){0}));",
            "char b[4]; getcwd(b, 100);",
            "wchar_t b[2]; wcscpy(b, L\"abc\");",
            "int a[2] = {2, 1}; qsort(a, 3, 4, by_int);",
            "int k = 1, a[2] = {1, 2}; bsearch(&k, a, 3, 4, by_int);",
            "int k = 1, a[2] = {1, 2}; size_t n = 3; lfind(&k, a, &n, 4, by_int);",
            "isalpha(1000);",
            "(toupper)(-200);",
            "char *p = malloc(3); strcpy(p, \"abc\");",
            "struct timespec t[1]; clock_gettime(0, (void *)((char *)t + 8));",
        ],
    );
    let others = bad(
        UseAfterFree,
        &[
            "printf(\"%s\", freed());",
            "puts(freed());",
            "strlen(freed());",
            "char b[4]; memcpy(b, freed(), 4);",
            "memset(freed(), 0, 4);",
            "read(0, freed(), 4);",
            "char *p = malloc(4), *q = realloc(p, 8); p[0] = 1;",
        ],
    )
    .chain(bad(
        DoubleFree,
        &[
            "free(freed());",
            "realloc(freed(), 8);",
            "char *p = malloc(4), *q = realloc(p, 8); free(p);",
            "char *p = malloc(4); realloc(p, 0); free(p);",
        ],
    ))
    .chain(bad(
        BadFree,
        &[
            "int x; free(&x);",
            "static int x; free(&x);",
            "char *p = malloc(4); free(p + 1);",
            "char *s = \"abc\"; free(s);",
            "free(by_int);",
            "char *p = alloca(4); free(p);",
            "char b[4]; realloc(b, 8);",
        ],
    ))
    .chain(bad(
        BadStream,
        &[
            "fclose(closed());",
            "fputs(\"x\", closed());",
            "fgetc(closed());",
            "fprintf(closed(), \"x\");",
            "char b[2]; fread(b, 1, 2, closed());",
            "FILE *f = malloc(sizeof *f); fputs(\"x\", f);",
            "fclose(stdin); getchar(); fgetc(stdin);",
        ],
    ))
    .chain(bad(
        Overlap,
        &[
            "char b[10] = \"abcdefg\"; memcpy(b, b + 1, 4);",
            "char b[10] = \"abcdefg\"; memcpy(b, b, 4);",
            "char b[10] = \"abcdefg\"; mempcpy(b + 3, b, 4);",
            "char b[20] = \"abcdefg\"; strcpy(b + 1, b);",
            "char b[20] = \"abcdefg\"; strcat(b, b);",
            "char b[20] = \"abcdefg\"; strncpy(b, b + 2, 4);",
            "char b[20] = \"abcdefg\"; sprintf(b, \"%s!\", b);",
            "char b[20] = \"abcdefg\"; snprintf(b, 20, \"%s!\", b + 1);",
            "char b[20] = \"%d\"; sprintf(b, b, 1);",
            "char b[20] = \"abcdefg\"; sscanf(b, \"%s\", b + 1);",
            "wchar_t b[9] = L\"abc\"; wcscpy(b + 1, b);",
            "wchar_t b[9] = L\"abc\"; wmemcpy(b + 1, b, 3);",
        ],
    ))
    .chain(bad(
        BadFormat,
        &[
            "printf(\"%d %d\\n\", 1);",
            "printf(\"%s\\n\");",
            "printf(\"%n\");",
            "printf(\"%s\\n\", 5);",
            "printf(\"%2$d\\n\", 1);",
            "printf(\"%1$d %d\\n\", 1, 2);",
            "printf(\"%*d\\n\", 1);",
            "printf(\"%\");",
            "printf(\"%y\");",
            "through(\"%d %d\", 1);",
            "int x; sscanf(\"1 2\", \"%d %d\", &x);",
        ],
    ))
    .chain(bad(
        BadCall,
        &[
            "printf(\"%d\\n\", 1.0);",
            "printf(\"%f\\n\", 1);",
            "printf(\"%ld\\n\", 1);",
            "printf(\"%Lf\\n\", 1.0);",
            "printf(\"%f\\n\", \"abc\");",
        ],
    ))
    .chain(bad(
        ReadOnlyWrite,
        &[
            "char *s = \"abc\"; s[0] = 'x';",
            "char *s = \"abc\"; memcpy(s, \"x\", 1);",
            "char *s = \"abc\"; strcpy(s, \"x\");",
            "char *s = \"abc\"; read(0, s, 1);",
            "char *s = \"a b\"; strtok(s, \" \");",
            "char *s = \"a b\"; sprintf(s, \"x\");",
            "static const int c = 3; *(int *)&c = 4;",
            "const int c = 3; int *p = (int *)&c; *p = 4;",
            "const int c = 3; memset((void *)&c, 0, 4);",
            "const char c[4] = \"abc\"; char *p = (char *)c; p[0] = 1;",
            "const char c[4] = \"abc\"; strcpy((char *)c, \"x\");",
            "const struct { int a, b; } c = {1, 2}; int *p = (int *)&c.b; *p = 5;",
            "for (int i = 0; i < 2; i++) { const int c = i; int *p = (int *)&c; if (i) *p = 4; }",
            "static const struct { int a; char b[4]; } c = {1, \"x\"}; memset((void *)&c, 0, 1);",
        ],
    ))
    .chain(bad(
        BadJump,
        &[
            "leave(); longjmp(old, 1);",
            "static jmp_buf b; longjmp(b, 1);",
        ],
    ))
    .chain(bad(
        Unsupported,
        &[
            "char b[5000]; realpath(\".\", b);",
            "getcontext((void *)bad);",
        ],
    ))
    .chain(bad(DivisionByZero, &["div(1, 0);", "lldiv(1, 0);"]))
    .chain(bad(
        Uninitialised,
        &[
            "char b[4]; puts(b);",
            "char b[4]; write(1, b, 4); strlen(b);",
            "jmp_buf b; longjmp(b, 1);",
        ],
    ));
    let safe = fine(&[
        "char b[4]; sprintf(b, \"%d\", 123); printf(\"%s\", b);",
        "char b[4]; snprintf(b, 4, \"hello\"); strlen(b);",
        "snprintf(NULL, 0, \"abc\");",
        "char b[4]; fgets(b, 4, stdin);",
        "char b[4]; sscanf(\"toolong\", \"%3s\", b); strlen(b);",
        "printf(\"%.4s\", bad);",
        "strnlen(bad, 4);",
        "char b[10] = \"abcdefg\"; memmove(b, b + 1, 4);",
        "char b[10] = \"abcdefg\"; memcpy(b, b + 4, 4);",
        "memcpy(bad, bad, 0);",
        "char *p = malloc(4); p = realloc(p, 8); free(p); free(NULL);",
        "FILE *f = tmpfile(); fputs(\"x\", f); fclose(f);",
        "char s[] = \"abc\"; s[0] = 'x';",
        "const int c = 3; const int *p = &c; if (*p != 3) abort();",
        "for (int i = 0; i < 2; i++) { const int c = i; const int *p = &c; if (*p != i) abort(); }",
        "const volatile int c = 3; if (c != 3) abort();",
        "if (setjmp(old)) return 0; longjmp(old, 1);",
        "sigjmp_buf b; int n = sigsetjmp(b, 1); if (n < 3) siglongjmp(b, n + 1); if (n != 3) abort();",
        "printf(\"%2$d %1$s %3$p\\n\", \"x\", 2, (void *)bad);",
        "printf(\"%s\", (char *)NULL);",
        "isalpha(EOF); isalpha(255); (toupper)(-1);",
        "fflush(NULL); perror(NULL); time(NULL);",
        "char *p = 0; size_t n = 0; getline(&p, &n, stdin); free(p);",
    ]);
    null.chain(bounds).chain(others).chain(safe).collect()
}

/// One program in which each row is a function of its own.
fn compile(rows: &[(&str, Option<ErrorKind>)], target: Target) -> Program {
    let mut text = HEADERS.to_owned();
    for (n, (body, _)) in rows.iter().enumerate() {
        writeln!(text, "int row{n}(void) {{ {body} return 0; }}").expect("text");
    }
    text.push_str("int main(void) { return 0; }\n");
    let thread = std::thread::current().id();
    let name = format!("cwolf-misuse-{}-{thread:?}.c", std::process::id());
    let path = std::env::temp_dir().join(name);
    std::fs::write(&path, &text).expect("written");
    let preprocessed = Preprocessor::new(Vec::new()).run(&path);
    std::fs::remove_file(&path).expect("it was there");
    let language = Language {
        target,
        ..Language::default()
    };
    let compiled = compile_text(
        "misuse.c",
        &preprocessed.expect("preprocessed").text,
        &language,
    );
    let messages: Vec<_> = compiled.diagnostics.iter().map(|d| &d.message).collect();
    compiled.program.unwrap_or_else(|| panic!("{messages:?}"))
}

#[test]
fn misuse_is_an_error() {
    let rows = rows();
    let program = compile(&rows, Target::X86_64);
    let mut wrong = String::new();
    for (n, (body, expected)) in rows.iter().enumerate() {
        let options = Options {
            files: true,
            ..Options::default()
        };
        let outcome = Machine::new(&program, options).run(&format!("row{n}"));
        let found = match &outcome {
            Outcome::Error(error) => Some(error.kind),
            _ => None,
        };
        if found != *expected {
            let text = match &outcome {
                Outcome::Error(error) => error.message.clone(),
                other => format!("{other:?}"),
            };
            writeln!(wrong, "{body}\n    expected {expected:?}, found {text}").expect("text");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Runs a row with an oracle; gives how it ended.
fn ends(body: &str, oracle: impl cwolf_interp::Oracle + 'static) -> Outcome {
    let program = compile(&[(body, None)], Target::X86_64);
    let options = Options {
        oracle: Box::new(oracle),
        malloc_may_fail: true,
        open_input: true,
        ..Options::default()
    };
    Machine::new(&program, options).run("row0")
}

fn kind(outcome: &Outcome) -> Option<ErrorKind> {
    match outcome {
        Outcome::Error(error) => Some(error.kind),
        _ => None,
    }
}

#[test]
fn allocations_fail_when_the_oracle_says_so() {
    let null = Some(ErrorKind::NullDereference);
    let first = || List::new([1]);
    let rows = [
        "char *p = malloc(4); p[0] = 1;",
        "int *p = calloc(4, 4); p[1] = 1;",
        "char *p = strdup(\"abc\"); p[0] = 1;",
        "char *p = strndup(\"abc\", 2); p[0] = 1;",
        "char *p = NULL; asprintf(&p, \"abc\"); p[0] = 1;",
        "char *p = aligned_alloc(64, 64); p[0] = 1;",
        "char *p = reallocarray(NULL, 4, 4); p[0] = 1;",
        "void *root = NULL; int k = 1; int *n = *(int **)tsearch(&k, &root, by_int); *n = 2;",
    ];
    for row in rows {
        assert_eq!(kind(&ends(row, first())), null, "{row}");
        assert_eq!(ends(row, List::new([])), Outcome::Exit(0), "{row}");
    }
    // What fails leaves the old memory, sets errno, and tells so.
    let rows = [
        "char *p = malloc(4); p[0] = 7; char *q = realloc(p, 8);\
         if (q || errno != ENOMEM || p[0] != 7) abort(); free(p);",
        "char *p = malloc(1); char *q = NULL; if (asprintf(&q, \"abc\") != -1) abort();",
        "char *p = malloc(1); void *q = NULL; if (posix_memalign(&q, 64, 8) != ENOMEM || q) abort();",
    ];
    for row in rows {
        assert_eq!(ends(row, List::new([0, 1])), Outcome::Exit(0), "{row}");
    }
}

#[test]
fn input_comes_from_the_oracle_when_it_is_open() {
    let row = "char b[4]; scanf(\"%s\", b);";
    assert_eq!(ends(row, List::new([97, 98, 0])), Outcome::Exit(0));
    let long = List::new([97, 98, 99, 100, 0]);
    assert_eq!(kind(&ends(row, long)), Some(ErrorKind::OutOfBounds));
    let row = "char b[4]; gets(b);";
    let long = List::new([97; 9]);
    assert_eq!(kind(&ends(row, long)), Some(ErrorKind::OutOfBounds));
    let row = "if (getchar() != 0 || getchar() != 65 || getchar() != EOF) abort();";
    assert_eq!(ends(row, List::new([256, 65])), Outcome::Exit(0));
}
