//! How things are spelled: a plain word, a quoted string if the name is no word or means
//! something in the grammar, and `.1`, `.2` … where several share a name.

use crate::code::{FuncId, VarId};
use crate::program::Program;
use crate::types::RecordId;
use cwolf_base::{Idx, IndexVec};
use rustc_hash::FxHashMap;

/// Words with a meaning of their own; a name like one of them is quoted.
pub(super) const KEYWORDS: [&str; 76] = [
    "cwi",
    "target",
    "type",
    "struct",
    "union",
    "size",
    "align",
    "global",
    "static",
    "literal",
    "function",
    "note",
    "param",
    "local",
    "temp",
    "reg",
    "in",
    "internal",
    "external",
    "declared",
    "tentative",
    "weak",
    "volatile",
    "const",
    "thread",
    "extra",
    "noreturn",
    "alias",
    "refused",
    "weakref",
    "constructor",
    "destructor",
    "priority",
    "void",
    "bool",
    "fn",
    "zero",
    "choose",
    "varargs",
    "bits",
    "goto",
    "if",
    "then",
    "else",
    "switch",
    "case",
    "default",
    "call",
    "return",
    "halt",
    "unreachable",
    "promised",
    "trap",
    "badgoto",
    "returned",
    "live",
    "dead",
    "assert",
    "assume",
    "havoc",
    "check",
    "origin",
    "inside",
    "mutable",
    "freeable",
    "callable",
    "apart",
    "text",
    "fits",
    "f16",
    "f32",
    "f64",
    "f80",
    "f128",
    "incomplete",
    "bit",
];

/// Whether a name can be written without quotes.
pub(super) fn is_plain(name: &str) -> bool {
    let mut chars = name.chars();
    let start = chars
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    let word = start && chars.all(|c| c.is_ascii_alphanumeric() || c == '_');
    let numbered = |prefix: &str| {
        let digits = name.strip_prefix(prefix);
        digits.is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()))
    };
    word && !KEYWORDS.contains(&name)
        && !numbered("i")
        && !numbered("u")
        && !numbered("block_")
        && name != "r"
}

/// `name` as the text form writes it.
pub fn spell(name: &str) -> String {
    if is_plain(name) {
        name.to_owned()
    } else {
        quote(name)
    }
}

/// `text` in quotes, with escapes where needed.
pub(super) fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out += "\\n",
            c if c.is_control() && c.is_ascii() => out += &format!("\\x{:02x}", c as u32),
            c => out.push(c),
        }
    }
    out + "\""
}

/// `bytes` in quotes; everything but plain ASCII is escaped.
pub(super) fn quote_bytes(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for &b in bytes {
        match b {
            b'"' | b'\\' => out.extend(['\\', b as char]),
            b'\n' => out += "\\n",
            b' '..=b'~' => out.push(b as char),
            b => out += &format!("\\x{b:02x}"),
        }
    }
    out + "\""
}

/// The spelling of everything in a program that has a name.
#[derive(Clone, Debug)]
pub struct Names {
    vars: IndexVec<VarId, String>,
    funcs: IndexVec<FuncId, String>,
    records: IndexVec<RecordId, String>,
}

/// Hands out spellings that were not used before.
#[derive(Default)]
struct Unique<'a> {
    next: FxHashMap<&'a str, u32>,
}

impl<'a> Unique<'a> {
    fn number(&mut self, name: &'a str, taken: Option<&Unique<'a>>) -> u32 {
        let first = taken.and_then(|t| t.next.get(name)).copied().unwrap_or(0);
        let next = self.next.entry(name).or_insert(first);
        let number = *next;
        *next += 1;
        number
    }
    fn spell(&mut self, name: &'a str, taken: Option<&Unique<'a>>) -> String {
        match self.number(name, taken) {
            0 => spell(name),
            n => format!("{}.{n}", spell(name)),
        }
    }
}

impl Names {
    /// Spells all names of `program`. Functions and variables that live for the whole run are
    /// unique among each other, automatic variables in their function and against those.
    pub fn new(program: &Program) -> Names {
        let records = program.types.records.iter();
        let mut tags = Unique::default();
        let records = records.map(|r| tags.spell(&r.name, None)).collect();
        let mut globals = Unique::default();
        let funcs = program.funcs.iter();
        let funcs = funcs.map(|f| globals.spell(&f.name, None)).collect();
        let mut vars: Vec<String> = vec![String::new(); program.vars.len()];
        for (id, var) in program.vars.enumerate() {
            if !var.kind.is_automatic() {
                vars[id.index()] = globals.spell(&var.name, None);
            }
        }
        for func in program.funcs.iter() {
            let mut locals = Unique::default();
            for id in func.params.iter().chain(&func.locals) {
                let name = &program.vars[*id].name;
                vars[id.index()] = locals.spell(name, Some(&globals));
            }
        }
        Names {
            vars: vars.into(),
            funcs,
            records,
        }
    }
    /// The spelling of a variable.
    pub fn var(&self, id: VarId) -> &str {
        &self.vars[id]
    }
    /// The spelling of a function.
    pub fn func(&self, id: FuncId) -> &str {
        &self.funcs[id]
    }
    /// The spelling of a record, without `struct` or `union`.
    pub fn record(&self, id: RecordId) -> &str {
        &self.records[id]
    }
}
