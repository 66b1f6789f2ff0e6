//! What is done with a pointer `p` to `N` characters (a string) or numbers.

use crate::writer::Random;

/// What goes wrong with the pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Every access.
    Any,
    /// Every access, but the system and glibc take null in some calls.
    Null,
    /// Every access, and freeing it too.
    Heap,
    /// Only writing.
    Write,
    /// Only the last element.
    Whole,
}

/// A use: a name, text for the top of the file, a statement.
pub struct Use {
    pub name: &'static str,
    pub top: String,
    pub act: String,
}

/// Whether a use reads or writes the last element, and whether it needs a string.
struct Row {
    name: &'static str,
    writes: bool,
    /// Whether it touches every element.
    whole: bool,
    /// For characters, for numbers.
    types: (bool, bool),
    act: &'static str,
}

const fn row(
    name: &'static str,
    writes: bool,
    whole: bool,
    types: (bool, bool),
    act: &'static str,
) -> Row {
    Row {
        name,
        writes,
        whole,
        types,
        act,
    }
}

const BOTH: (bool, bool) = (true, true);
const TEXT: (bool, bool) = (true, false);
const INTS: (bool, bool) = (false, true);

const ROWS: [Row; 40] = [
    row("read", false, false, BOTH, "sink += (unsigned)p[0];"),
    row(
        "read-last",
        false,
        true,
        BOTH,
        "sink += (unsigned)p[N - 1];",
    ),
    row("read-by-call", false, true, BOTH, "sink += look(p);"),
    row(
        "read-in-loop",
        false,
        true,
        BOTH,
        "for (int k = 0; k < N; k++) sink += (unsigned)p[k];",
    ),
    row("condition", false, true, BOTH, "if (p[N - 1] == 7) sink++;"),
    row("write", true, false, BOTH, "p[0] = 66;"),
    row("write-last", true, true, BOTH, "p[N - 1] = 0;"),
    row("write-by-call", true, true, BOTH, "change(p);"),
    row("increment", true, false, BOTH, "p[0]++;"),
    row(
        "write-through-copy",
        true,
        true,
        BOTH,
        "void *v = p; SINKT *c = v; c[N - 1] = 1;",
    ),
    row("memset", true, true, BOTH, "memset(p, 0, N * sizeof *p);"),
    row(
        "memcpy-from",
        false,
        true,
        BOTH,
        "SINKT b[N]; memcpy(b, p, sizeof b); sink += (unsigned)b[0];",
    ),
    row(
        "memcpy-to",
        true,
        true,
        BOTH,
        "SINKT b[N] = {1}; memcpy(p, b, sizeof b);",
    ),
    row(
        "memmove-to",
        true,
        true,
        BOTH,
        "SINKT b[N] = {1}; memmove(p, b, sizeof b);",
    ),
    row(
        "memcmp",
        false,
        true,
        BOTH,
        "SINKT b[N] = {0}; memcpy(b, p, sizeof b); sink += memcmp(p, b, sizeof b) == 0;",
    ),
    row(
        "struct-copy",
        false,
        true,
        BOTH,
        "struct whole { SINKT a[N]; } w = *(struct whole *)p; sink += (unsigned)w.a[0];",
    ),
    row(
        "struct-write",
        true,
        true,
        BOTH,
        "struct whole { SINKT a[N]; } w = {{1}}; *(struct whole *)p = w;",
    ),
    row(
        "printf-number",
        false,
        true,
        BOTH,
        "printf(\"%d\", p[N - 1]);",
    ),
    row(
        "write-out",
        false,
        true,
        BOTH,
        "write(1, p, N * sizeof *p);",
    ),
    row("read-in", true, true, BOTH, "read(0, p, N * sizeof *p);"),
    row("qsort", true, true, INTS, "qsort(p, N, sizeof *p, order);"),
    row("sscanf", true, false, INTS, "sscanf(\"12\", \"%d\", p);"),
    row(
        "exchange",
        true,
        true,
        INTS,
        "int t = p[0]; p[0] = p[N - 1]; p[N - 1] = t;",
    ),
    row("strlen", false, true, TEXT, "sink += (unsigned)strlen(p);"),
    row(
        "strcmp",
        false,
        false,
        TEXT,
        "sink += strcmp(p, \"A\") != 0;",
    ),
    row("strchr", false, true, TEXT, "sink += strchr(p, 'z') == 0;"),
    row(
        "strcpy-from",
        false,
        true,
        TEXT,
        "char b[N]; strcpy(b, p); sink += (unsigned)b[0];",
    ),
    row("strcpy-to", true, false, TEXT, "strcpy(p, \"a\");"),
    row("strncpy-to", true, true, TEXT, "strncpy(p, \"a\", N);"),
    row(
        "strcat-from",
        false,
        true,
        TEXT,
        "char b[16] = \"x\"; strcat(b, p); sink += (unsigned)b[1];",
    ),
    row(
        "strdup",
        false,
        true,
        TEXT,
        "char *d = strdup(p); sink += d != 0; free(d);",
    ),
    row("puts", false, true, TEXT, "puts(p);"),
    row("printf-string", false, true, TEXT, "printf(\"%s\", p);"),
    row(
        "snprintf-from",
        false,
        true,
        TEXT,
        "char b[16]; snprintf(b, sizeof b, \"%s\", p); sink += (unsigned)b[0];",
    ),
    row("sprintf-to", true, false, TEXT, "sprintf(p, \"%d\", 7);"),
    row(
        "snprintf-to",
        true,
        false,
        TEXT,
        "snprintf(p, 2, \"%s\", \"ab\");",
    ),
    row("atoi", false, false, TEXT, "sink += (unsigned)atoi(p);"),
    row(
        "strtol",
        false,
        false,
        TEXT,
        "sink += (unsigned)strtol(p, 0, 10);",
    ),
    row("getenv", false, false, TEXT, "sink += getenv(p) != 0;"),
    row(
        "memchr",
        false,
        true,
        TEXT,
        "sink += memchr(p, 'z', N) == 0;",
    ),
];

/// What does not crash on null in practice, though C does not allow it.
const TAKE_NULL: [&str; 4] = ["printf-string", "snprintf-from", "write-out", "read-in"];

/// A use that goes wrong with such a pointer.
pub fn pick(access: Access, text: bool, count: usize, random: &mut Random) -> Use {
    let ty = if text { "char" } else { "int" };
    let fits = |row: &&Row| {
        let types = if text { row.types.0 } else { row.types.1 };
        types
            && match access {
                Access::Any | Access::Heap => true,
                Access::Null => !TAKE_NULL.contains(&row.name),
                Access::Write => row.writes,
                Access::Whole => row.whole,
            }
    };
    let free = row("free", true, true, BOTH, "free(p);");
    let rows: Vec<&Row> = ROWS.iter().filter(fits).collect();
    let row = match access == Access::Heap && random.one_in(3) {
        true => &free,
        false => rows[random.below(rows.len())],
    };
    let plain = |text: &str| {
        text.replace("SINKT", ty)
            .replace("N - 1", &(count - 1).to_string())
    };
    let helpers = [
        ("look", format!("static unsigned look({ty} *q) {{ return (unsigned)q[{}]; }}\n", count - 1)),
        ("change", format!("static void change({ty} *q) {{ q[{}] = 0; }}\n", count - 1)),
        (
            "order",
            "static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }\n".into(),
        ),
    ];
    let act = plain(row.act);
    // The other `N`s stand alone between brackets, parentheses and spaces.
    let act = act.replace("[N]", &format!("[{count}]"));
    let act = act
        .replace("N)", &format!("{count})"))
        .replace("N *", &format!("{count} *"));
    let act = act
        .replace("N,", &format!("{count},"))
        .replace("N;", &format!("{count};"));
    Use {
        name: row.name,
        top: helpers
            .into_iter()
            .filter(|(name, _)| act.contains(name))
            .map(|(_, text)| text)
            .collect(),
        act,
    }
}
