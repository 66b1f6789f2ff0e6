//! A rule as a C file: state variables as static variables, each handler as a function. The C
//! front end checks and compiles it.

use super::{ABORT, Handler, Rule, ctype};
use cwolf_cfront::{Compilation, Options, Preprocessor, compile_text};
use cwolf_cwi::{Program, Type, TypeId, Types};
use rustc_hash::FxHashSet;
use std::fmt::Write;
use thiserror::Error;

/// What is wrong with a rule's C.
#[derive(Debug, Error)]
pub enum RuleError {
    /// The C front end found mistakes; the compilation has the messages.
    #[error("the rule `{0}` has errors")]
    Compile(String, Box<Compilation>),
    /// The preprocessor found mistakes.
    #[error("the rule `{0}`: {1}")]
    Preprocess(String, String),
    /// A handler asks for what the function does not have.
    #[error("{file}:{line}: `{function}` has no {what}; {hint}")]
    Missing {
        /// The rule's file.
        file: String,
        /// The handler's line.
        line: u32,
        /// The function.
        function: String,
        /// What is missing.
        what: String,
        /// What to do.
        hint: String,
    },
    /// A structure cannot be written down in C so that it has the same layout.
    #[error(
        "the rule `{rule}` cannot use `struct {tag}`, whose layout C declarations do not give; declare it in the rule"
    )]
    Layout {
        /// The rule.
        rule: String,
        /// The structure's tag.
        tag: String,
    },
    /// The woven parts do not fit together.
    #[error("the rules cannot be linked with the program: {0}")]
    Link(String),
}

/// A function that is watched: its types as handlers see them.
pub(super) struct Watched {
    pub params: Vec<TypeId>,
    pub ret: TypeId,
}

/// The name of the function that a handler becomes.
pub(super) fn handler_name(rule: usize, handler: usize) -> String {
    format!("__slic_{rule}_{handler}")
}

/// Compiles the handlers of `rule` for which `watched` says the function; the rest is left out.
pub(super) fn compile(
    number: usize,
    rule: &Rule,
    watched: &[Option<Watched>],
    program: &Program,
    options: &Options,
) -> Result<Program, RuleError> {
    let types = &program.types;
    let mut roots = Vec::new();
    let mut functions = String::new();
    for (n, (handler, watched)) in rule.handlers.iter().zip(watched).enumerate() {
        let Some(watched) = watched else { continue };
        let signature = signature(rule, handler, watched, types, &mut roots)?;
        let name = handler_name(number, n);
        let _ = writeln!(
            functions,
            "# 1 \"<rule {}>\"\nvoid {name}({signature})\n# {} \"{}\"\n{}",
            rule.name,
            handler.body.line,
            escaped(&rule.file),
            handler.body.text
        );
    }
    let inside = |chunks: &[super::Chunk], out: &mut String| {
        for chunk in chunks {
            let _ = writeln!(
                out,
                "# {} \"{}\"\n{}",
                chunk.line,
                escaped(&rule.file),
                chunk.text
            );
        }
    };
    let mut own = String::new();
    inside(&rule.prelude, &mut own);
    // The rule's own declarations win over the program's.
    let known = tags(&own);
    let includes = rule.prelude.iter().any(|c| c.text.starts_with("#"));
    let needed = match rule
        .handlers
        .iter()
        .any(|h| h.body.text.contains("->") || h.body.text.contains('.'))
    {
        true => roots,
        false => Vec::new(),
    };
    let (records, defined) = ctype::define_records(types, &needed, &known);
    let mut text = format!("# 1 \"<rule {}>\"\nvoid {ABORT}(void);\n", rule.name);
    let mut state = String::new();
    inside(&rule.state, &mut state);
    let state = make_static(&state);
    text += &own;
    let _ = write!(
        text,
        "# 1 \"<rule {}>\"\n{records}{state}{functions}",
        rule.name
    );
    let bytes = match includes {
        true => preprocess(rule, &text)?,
        false => text.into_bytes(),
    };
    let compilation = compile_text(&rule.file, &bytes, options);
    let Some(compiled) = &compilation.program else {
        return Err(RuleError::Compile(rule.name.clone(), Box::new(compilation)));
    };
    for id in defined {
        let tag = ctype::tag(types, id);
        let found = compiled.types.records.iter().find(|r| r.name == tag);
        let shape = |r: &cwolf_cwi::Record| {
            let offsets: Vec<u64> = r.fields.iter().map(|f| f.bit_offset).collect();
            (r.size, offsets)
        };
        if found.is_some_and(|r| shape(r) != shape(&types.records[id])) {
            let rule = rule.name.clone();
            return Err(RuleError::Layout { rule, tag });
        }
    }
    Ok(compilation.program.expect("it was there just now"))
}

fn signature(
    rule: &Rule,
    handler: &Handler,
    watched: &Watched,
    types: &Types,
    roots: &mut Vec<TypeId>,
) -> Result<String, RuleError> {
    let missing = |what: String, hint: &str| RuleError::Missing {
        file: rule.file.clone(),
        line: handler.body.line,
        function: handler.function.clone(),
        what,
        hint: hint.into(),
    };
    let mut list = Vec::new();
    for n in &handler.params {
        let Some(&ty) = watched.params.get(*n as usize - 1) else {
            let hint = format!("parameters it has: {}", watched.params.len());
            return Err(missing(format!("parameter {n}"), &hint));
        };
        if types.is_aggregate(ty) {
            let hint = "parameters that are structures are not supported in rules";
            return Err(missing(format!("scalar parameter {n}"), hint));
        }
        roots.push(ty);
        list.push(ctype::declare(types, ty, &format!("__slic_{n}")));
    }
    if handler.result {
        if matches!(types[watched.ret], Type::Void) || types.is_aggregate(watched.ret) {
            let hint = "`$return` needs a function that returns a number or pointer";
            return Err(missing("scalar result".into(), hint));
        }
        roots.push(watched.ret);
        list.push(ctype::declare(types, watched.ret, "__slic_return"));
    }
    if list.is_empty() {
        list.push("void".into());
    }
    Ok(list.join(", "))
}

/// State variables belong to the rule alone.
fn make_static(text: &str) -> String {
    let mut out = String::new();
    let mut depth = 0i32;
    let mut fresh = true;
    for line in text.lines() {
        if line.starts_with("# ") {
            out += line;
            out.push('\n');
            continue;
        }
        for c in line.chars() {
            if fresh && !c.is_whitespace() && c != ';' && depth == 0 {
                // A comment is no declaration.
                out += "static ";
                fresh = false;
            }
            match c {
                '{' | '(' | '[' => depth += 1,
                '}' | ')' | ']' => depth -= 1,
                ';' if depth == 0 => fresh = true,
                _ => {}
            }
            out.push(c);
        }
        out.push('\n');
    }
    out
}

/// The tags that a text mentions.
fn tags(text: &str) -> FxHashSet<String> {
    let mut found = FxHashSet::default();
    let words: Vec<&str> = text
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|w| !w.is_empty())
        .collect();
    for pair in words.windows(2) {
        if matches!(pair[0], "struct" | "union") {
            found.insert(pair[1].to_owned());
        }
    }
    found
}

fn escaped(name: &str) -> String {
    name.replace('\\', "\\\\").replace('"', "\\\"")
}

/// Runs the system's preprocessor over the text, with the rule's folder for headers.
fn preprocess(rule: &Rule, text: &str) -> Result<Vec<u8>, RuleError> {
    let failed = |why: String| RuleError::Preprocess(rule.name.clone(), why);
    let file = std::env::temp_dir().join(format!("cwolf-{}-{}.c", std::process::id(), rule.name));
    std::fs::write(&file, text).map_err(|e| failed(e.to_string()))?;
    let folder = std::path::Path::new(&rule.file).parent();
    let folder = folder.filter(|f| !f.as_os_str().is_empty());
    let args = folder.map(|f| format!("-I{}", f.display()));
    let result = Preprocessor::new(args.into_iter().collect()).run(&file);
    let _ = std::fs::remove_file(&file);
    Ok(result.map_err(|e| failed(e.to_string()))?.text)
}
