//! `run.sh`: compiles each file as the user compiles it, links the harness to it, runs the program
//! and says whether it fails as promised.

use super::{Task, allocations, entry, place, wrapped};
use crate::concrete::{Choice, Failure, Run, is_own};
use crate::names::verdict_name;
use cwolf_cwi::value::Value;
use cwolf_cwi::{Branch, Callee, Definition, Expr, ExprKind, Linkage, StmtKind};
use cwolf_prepare::Subject;
use cwolf_prepare::checks::{NO_RETURN, PROMISE, TYPE_OF_ARGUMENT, TYPE_OF_CALL};
use cwolf_prepare::property::Kind;
use std::fmt::Write;

/// How one file is compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unit {
    /// The file.
    pub path: String,
    /// Flags of the compiler.
    pub flags: Vec<String>,
    /// Where the compiler runs, unless where cwolf runs.
    pub directory: Option<String>,
}

/// What the script is and how it ends.
const HEAD: &str = include_str!("head.sh");
/// How a file is compiled.
const BUILD: &str = include_str!("build.sh");
/// How the program is linked and run, and what came of it.
const LINK: &str = include_str!("link.sh");

/// The script.
pub(super) fn script(task: &Task<'_>, failure: &Failure) -> String {
    let subject = task.subject;
    let (file, line) = place(subject, failure);
    let promise = format!("{} at {file}:{line}", verdict_name(subject, failure));
    let mut out = HEAD.to_owned();
    let _ = writeln!(
        out,
        "# To repeat the run without gcc: {}",
        task.repeat.replace('\n', " ")
    );
    if let Some(reason) = impossible(task, failure) {
        let _ = writeln!(out, "say {} 5", quoted(&reason));
        return out;
    }
    let kind = failure.kind;
    let base = file.rsplit('/').next().unwrap_or(&file);
    let at = format!("{}:{line}([^0-9]|$)", base.replace('.', "\\."));
    let (what, found) = match kind {
        Kind::Assertion => (
            "Assertion|assertion|Unexpected error|cwolf: .* with a false condition is called",
            match native_assertion(subject, failure) {
                true => at,
                false => String::new(),
            },
        ),
        Kind::UnreachCall if demand(task, failure) == PROMISE => ("runtime error:", at),
        Kind::UnreachCall => (
            "cwolf: (.* is called|the label ERROR is reached)",
            String::new(),
        ),
        _ => ("runtime error:|AddressSanitizer", at),
    };
    let target = subject.program.types.target();
    let (compiler, machine) = target.compiler.split_first().expect("a command");
    let machine = quoted(&machine.join(" "));
    let main = entry::needs_caller(subject).then(|| "main".to_owned());
    let allocators = allocations::names(&subject.program, task.run);
    let allocators = allocators.into_iter().map(str::to_owned);
    let wrap = main.into_iter().chain(wrapped(subject)).chain(allocators);
    let wrap: Vec<String> = wrap.map(|name| format!("-Wl,--wrap={name}")).collect();
    let wrap = quoted(&wrap.join(" "));
    let _ = writeln!(out, "folder={}", quoted(&task.folder));
    let _ = writeln!(out, "cd \"${{FOLDER:-$folder}}\" || exit 2");
    let _ = writeln!(out, "folder=$(pwd)\ncc=${{CC:-{compiler}}}");
    let _ = writeln!(out, "promise={}", quoted(&promise));
    let _ = writeln!(out, "what={}\nwhere={}", quoted(what), quoted(&found));
    let memory = matches!(kind, Kind::Pointer | Kind::Bounds);
    let _ = writeln!(out, "misused={}", if memory { "yes" } else { "" });
    // 128 and the number of SIGFPE, by which the processor also stops a quotient that overflows.
    let division = matches!(kind, Kind::DivisionByZero | Kind::Overflow);
    let _ = writeln!(out, "signal={}", if division { "136" } else { "" });
    let _ = writeln!(out, "machine={machine}\nwrap={wrap}");
    let _ = writeln!(out, "sanitise={}", quoted(sanitisers(kind)));
    // Where only quotients are looked at, all else wraps in the run.
    let wraps = kind != Kind::Overflow || !subject.selection.has(Kind::Overflow);
    out += &common(wraps);
    let _ = writeln!(out, "symbols={}", quoted(&symbols(subject)));
    let _ = writeln!(out, "label={}", label(subject, failure, line));
    let _ = writeln!(out, "file={}", quoted(base));
    let _ = writeln!(
        out,
        "unset={}",
        quoted(&unshown(subject, task.run, failure))
    );
    out += BUILD;
    for unit in task.units {
        let folder = match &unit.directory {
            Some(directory) => quoted(directory),
            None => "\"$folder\"".into(),
        };
        let mut words: Vec<String> = unit.flags.iter().map(|f| quoted(portable(f))).collect();
        words.push(quoted(&unit.path));
        let _ = writeln!(out, "unit {folder} {}", words.join(" "));
    }
    out + LINK
}

/// What was demanded where the run fails.
fn demand<'t>(task: &Task<'t>, failure: &Failure) -> &'t str {
    let checks = &task.subject.program.checks;
    failure.check.map_or("", |check| &checks[check].text)
}

/// Why gcc's program cannot show the failure.
fn impossible(task: &Task<'_>, failure: &Failure) -> Option<String> {
    let c = |unit: &Unit| {
        let suffix = unit.path.rsplit('.').next();
        unit.path != "-" && !matches!(suffix, Some("cwi" | "cwt"))
    };
    if let Some(unit) = task.units.iter().find(|u| !c(u)) {
        return Some(format!("gcc cannot compile {}: it is no C file", unit.path));
    }
    let demanded = condition(task.subject, failure);
    let constant = demanded.is_some_and(is_constant);
    match failure.kind {
        Kind::Rule => Some(format!(
            "{} is not part of the C program, so gcc cannot show this failure",
            verdict_name(task.subject, failure)
        )),
        Kind::Uninitialised => Some(
            "gcc has no check for uninitialised values; build the program with harness.c by \
             clang -fsanitize=memory, or use valgrind"
                .into(),
        ),
        Kind::FloatOverflow | Kind::Nan => Some(
            "gcc has no check for infinities and NaNs; the top of run.sh says how to repeat the run".into(),
        ),
        _ if [NO_RETURN, TYPE_OF_CALL, TYPE_OF_ARGUMENT].contains(&demand(task, failure)) => Some(
            "gcc has no check for this; its warnings name the place (-Wall), and the top \
             of run.sh says how to repeat the run"
                .into(),
        ),
        Kind::Overflow | Kind::Shift if constant => Some(
            "gcc computes constants when it compiles the program; its warnings name the place".into(),
        ),
        Kind::Leak | Kind::Cleanup => Some(
            "gcc has no check for memory that is lost; build the program with harness.c by \
             gcc -fsanitize=address, which looks at the end, or use valgrind"
                .into(),
        ),
        _ => None,
    }
}

/// What must be true where the run fails.
fn condition<'s>(subject: &'s Subject, failure: &Failure) -> Option<&'s Expr> {
    let body = subject.program.funcs[failure.user.0].body.as_ref()?;
    let mut stmts = body.blocks.iter().flat_map(|b| &b.stmts);
    stmts.find_map(|s| match &s.kind {
        StmtKind::Assert { check, cond } if Some(*check) == failure.check => Some(cond),
        _ => None,
    })
}

/// Whether an expression is the same in every run.
fn is_constant(e: &Expr) -> bool {
    let mut open = false;
    e.walk(&mut |e| {
        open |= matches!(
            e.kind,
            ExprKind::Choose | ExprKind::Reg(_) | ExprKind::Load { .. } | ExprKind::VarArgs
        );
    });
    !open
}

/// Whether the message of a failed assertion comes from the system and names the line: `assert` calls a function
/// of the system where its condition is false; the word of verification has a condition of its own.
fn native_assertion(subject: &Subject, failure: &Failure) -> bool {
    condition(subject, failure).is_none_or(|cond| cond.as_int().is_some())
}

/// What gcc watches: only what was promised, so that nothing else stops the program before.
fn sanitisers(kind: Kind) -> &'static str {
    match kind {
        Kind::Bounds | Kind::Pointer => {
            "-fsanitize=address,null,bounds-strict,object-size,nonnull-attribute -fno-sanitize-recover=all"
        }
        Kind::DivisionByZero => "-fsanitize=integer-divide-by-zero -fno-sanitize-recover=all",
        Kind::Overflow => {
            "-fsanitize=signed-integer-overflow,integer-divide-by-zero -fno-sanitize-recover=all"
        }
        Kind::Shift => "-fsanitize=shift-exponent -fno-sanitize-recover=all",
        // Calls of error functions are seen without it.
        Kind::UnreachCall => "-fsanitize=unreachable -fno-sanitize-recover=all",
        Kind::FloatDivision => "-fsanitize=float-divide-by-zero -fno-sanitize-recover=all",
        Kind::FloatCast => "-fsanitize=float-cast-overflow -fno-sanitize-recover=all",
        _ => "",
    }
}

/// Flags for every file. Signed overflow wraps in the run, unless it is what fails; memory that
/// was never written is zero, if the compiler can do that.
fn common(wraps: bool) -> String {
    let wrapv = if wraps { "-fwrapv " } else { "" };
    format!(
        "common=\"{wrapv}-fkeep-static-functions -fno-inline $sanitise\"\n\
         zero=-ftrivial-auto-var-init=zero\n\
         $cc $zero -E -x c /dev/null > /dev/null 2>&1 && common=\"$common $zero\"\n"
    )
}

/// Lines for the assembler: functions that the harness replaces are weak, and the entry function
/// can be called from outside its file.
fn symbols(subject: &Subject) -> String {
    let program = &subject.program;
    let mut out = String::new();
    for func in &subject.error_functions {
        let function = &program.funcs[*func];
        if !super::is_made(function) {
            let _ = write!(out, "\\t.weak {}\\n", function.name);
        }
    }
    let entry = program.function(&subject.entry_name);
    let entry = entry.map(|f| &program.funcs[f]);
    let hidden = entry
        .is_some_and(|f| f.linkage == Linkage::Internal || f.definition != Definition::Defined);
    if hidden && subject.entry_name != "main" {
        let _ = write!(out, "\\t.globl {}\\n", subject.entry_name);
    }
    out
}

/// The line of a label `ERROR` that may be what fails.
fn label(subject: &Subject, failure: &Failure, line: u32) -> String {
    let called = failure.message.starts_with("__VERIFIER_error ");
    let may = failure.kind == Kind::UnreachCall && subject.selection.error_labels && called;
    match may {
        true => line.to_string(),
        false => String::new(),
    }
}

/// Why gcc's program may go another way than the run.
fn unset(subject: &Subject, run: &Run) -> &'static str {
    let set = |c: &&Choice| !matches!(c.value, Value::Int(0) | Value::Float(0));
    let unseen = |c: &&Choice| c.from.is_some_and(|func| is_own(subject, func));
    match run.choices.iter().any(|c| set(&c) && unseen(&c)) {
        true => {
            "the run rests on values of uninitialised or volatile variables, which gcc's program does not have"
        }
        false => "",
    }
}

/// Why gcc's program may end in another way than it should.
fn unshown(subject: &Subject, run: &Run, failure: &Failure) -> String {
    let unset = unset(subject, run);
    let memory = matches!(failure.kind, Kind::Bounds | Kind::Pointer);
    match library_call(subject, failure).filter(|_| memory && unset.is_empty()) {
        Some(name) => format!("gcc's sanitizers may not watch what {name} does; valgrind may"),
        None if failure.kind == Kind::Pointer && unset.is_empty() => {
            "gcc's sanitizers do not see every use of memory that is constant, or whose lifetime has ended".into()
        }
        None => unset.into(),
    }
}

/// The function of the library whose call fails.
fn library_call<'s>(subject: &'s Subject, failure: &Failure) -> Option<&'s str> {
    let program = &subject.program;
    let (func, loc) = failure.user;
    let mut blocks = program.funcs[func].body.as_ref()?.blocks.iter();
    blocks.find_map(|block| match &block.branch {
        Branch::Call {
            callee: Callee::Direct(callee),
            ..
        } if block.loc == loc => {
            program.known(*callee)?;
            Some(program.funcs[*callee].name.as_str())
        }
        _ => None,
    })
}

/// Older compilers know C23 only by its working name.
fn portable(flag: &str) -> &str {
    match flag {
        "-std=c23" => "-std=c2x",
        "-std=gnu23" => "-std=gnu2x",
        other => other,
    }
}

/// A word as the shell reads it.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./+,:@%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}
