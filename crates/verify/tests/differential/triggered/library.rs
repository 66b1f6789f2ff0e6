//! Faults that are a wrong argument of a library function: too small a buffer, too large a count, no
//! terminator, null, memory that overlaps, a jump to a call that has returned.

use super::pointers::choose;
use super::program::Fault;
use crate::writer::Random;

/// A name, the start of `main`, and a call with `{bad#safe}` words in it.
pub const CALLS: [(&str, &str, &str); 28] = [
    (
        "strcpy-room",
        "char b[4]; b[0] = 0;",
        "strcpy(b, {\"four\"#\"two\"});",
    ),
    (
        "strcat-room",
        "char b[6] = \"abc\";",
        "strcat(b, {\"def\"#\"de\"});",
    ),
    ("strncpy-count", "char b[4];", "strncpy(b, \"a\", {5#4});"),
    (
        "sprintf-room",
        "char b[4];",
        "sprintf(b, \"%d\", {1234#123});",
    ),
    (
        "sprintf-room-text",
        "char b[5]; const char *s = \"wxyz\";",
        "sprintf(b, {\"<%s>\"#\"%s\"}, s);",
    ),
    (
        "sprintf-room-open",
        "char b[3];",
        "sprintf(b, \"%u\", n % 90u + {910u#10u});",
    ),
    (
        "snprintf-size",
        "char b[4];",
        "snprintf(b, {8#4}, \"%s\", \"abcdefgh\");",
    ),
    (
        "memset-count",
        "int b[3];",
        "memset(b, 0, {sizeof b + 1#sizeof b});",
    ),
    (
        "memset-open-count",
        "char b[8];",
        "memset(b, 1, {9#8} - (n & 0));",
    ),
    (
        "memcpy-count-to",
        "char a[9] = \"x\", b[8];",
        "memcpy(b, a, {9#8});",
    ),
    (
        "memcpy-count-from",
        "char a[8] = \"x\", b[9];",
        "memcpy(b, a, {9#8});",
    ),
    (
        "memcpy-negative",
        "char a[8] = \"x\", b[8]; int k = {-1#1};",
        "memcpy(b, a, (size_t)k);",
    ),
    (
        "memcpy-overlap",
        "char b[8] = \"abcdefg\";",
        "{memcpy#memmove}(b, b + 2, 4);",
    ),
    (
        "memcmp-count",
        "char a[4] = \"abc\", b[8] = \"abc\";",
        "sink += memcmp(a, b, {8#4}) == 0;",
    ),
    (
        "strlen-unterminated",
        "char b[3] = {'a', 'b', 'c'}; b[2] = {'d'#0};",
        "sink += (unsigned)strlen(b);",
    ),
    (
        "puts-unterminated",
        "char *b = malloc(2); b[0] = 'a'; b[1] = {'b'#0};",
        "puts(b);",
    ),
    (
        "strdup-unterminated",
        "char b[2] = {'a', 'b'}; b[1] = {'b'#0};",
        "free(strdup(b));",
    ),
    (
        "printf-precision",
        "char b[2] = {'a', 'b'};",
        "printf({\"%.3s\"#\"%.2s\"}, b);",
    ),
    (
        "sscanf-text",
        "char b[4];",
        "sscanf({\"abcd e\"#\"abc e\"}, \"%s\", b);",
    ),
    ("read-count", "char b[4];", "read(0, b, {5#4});"),
    ("write-count", "char b[4] = \"abc\";", "write(1, b, {5#4});"),
    (
        "writev-count",
        "char b[4] = \"abc\"; struct iovec v[1] = {{b, {5#4}}};",
        "writev(1, v, 1);",
    ),
    (
        "allocator-by-pointer",
        "char *(*make)(unsigned) = allocate; char *a = allocate(9), *b = allocate(8), *c = make({2#4}); a[8] = b[7] = 1;",
        "c[3] = 1;",
    ),
    ("gmtime-null", "long t = 5;", "sink += gmtime({0#&t}) != 0;"),
    (
        "getenv-null",
        "char *name = {0#\"HOME\"};",
        "sink += getenv(name) != 0;",
    ),
    (
        "qsort-count",
        "int a[3] = {3, 1, 2};",
        "qsort(a, {4#3}, sizeof *a, order);",
    ),
    (
        "free-inside",
        "char *h = malloc(4), *q = h + {1#0};",
        "free(q);",
    ),
    (
        "free-local",
        "int x = 3, *h = malloc(4); h = {&x#h}; sink += (unsigned)x;",
        "free(h);",
    ),
];

const PIECES: &str = "struct iovec { void *base; size_t length; }; extern long writev(int, const struct iovec *, int);";
const ALLOCATE: &str = "static char *allocate(unsigned size) { return malloc(size); }";
const ORDER: &str =
    "static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }";

/// The fault of a call; some memory is static or on the heap instead.
pub fn fault(kind: usize, random: &mut Random) -> Fault {
    let (name, start, call) = CALLS[kind];
    // Arrays that need no initialiser may also be static.
    let still = random.one_in(3) && start.starts_with("char b[") && !start.contains('=');
    let start = match still {
        true => format!("static {start}"),
        false => start.to_owned(),
    };
    let words = |text: &str| [false, true].map(|safe| choose(text, safe));
    Fault {
        name: format!("{name}/{}", if still { "static" } else { "local" }),
        start: words(&start),
        act: words(call),
        ..Fault::default()
    }
    .top(match name {
        "qsort-count" => ORDER,
        "writev-count" => PIECES,
        "allocator-by-pointer" => ALLOCATE,
        _ => "",
    })
}
