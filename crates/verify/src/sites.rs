//! The checks of a program: what a verdict is about.

use crate::concrete::is_inner;
use crate::names::{place_of, shown_function};
use cwolf_cwi::{Branch, Callee, CheckId, Expr, FuncId, Origin, Program, StmtKind};
use cwolf_engines::Failure;
use cwolf_prepare::property::Kind;
use cwolf_prepare::{BY_POINTER, Subject, addressed};
use cwolf_report::{Place, Property, Status};
use rustc_hash::{FxHashMap, FxHashSet};

/// A line of the report, and the checks that it stands for: those of one kind on one source line
/// that say the same.
#[derive(Clone, Debug)]
pub struct Site {
    /// The line.
    pub property: Property,
    /// The checks.
    pub checks: Vec<CheckId>,
}

/// All properties of the user's code that can be reached, in the order of their places.
pub fn sites(subject: &Subject) -> Vec<Site> {
    let program = &subject.program;
    let mut list: Vec<Site> = Vec::new();
    let mut known = FxHashMap::default();
    for func in program.calls().reachable(&[subject.entry]) {
        if is_inner(program, func) && program.funcs[func].origin != Origin::Rule {
            continue;
        }
        let own = asserted(program, func).into_iter();
        let own = own.map(|check| (property(subject, func, check), vec![check]));
        for (property, checks) in own.chain(library_calls(subject, func)) {
            let key = (
                property.kind.clone(),
                property.place.file.clone(),
                property.place.line,
                property.text.clone(),
            );
            let at = *known.entry(key).or_insert_with(|| {
                list.push(Site {
                    property,
                    checks: Vec::new(),
                });
                list.len() - 1
            });
            list[at].checks.extend(checks);
        }
    }
    list.sort_by(|a, b| a.property.place.cmp(&b.property.place));
    list
}

/// Where the user sees a failure: at the row of its check, which for the library is at the call.
pub(crate) fn shown_place(subject: &Subject, failure: &Failure) -> String {
    let program = &subject.program;
    let of = |site: &Site| failure.check.is_some_and(|c| site.checks.contains(&c));
    let rows: Vec<Place> = sites(subject)
        .into_iter()
        .filter(of)
        .map(|site| site.property.place)
        .collect();
    // Of several calls of one function, the last on the way.
    let ways = failure.path.iter().rev().map(|loc| place_of(program, *loc));
    let line = |a: &Place, b: &Place| a.file == b.file && a.line == b.line;
    let last = ways.into_iter().find(|w| rows.iter().any(|r| line(r, w)));
    match last.or_else(|| rows.first().cloned()) {
        Some(place) => place.to_string(),
        None => program.locations.describe(failure.loc),
    }
}

/// Calls of functions of the library in a user's function, whose models check what they are given.
fn library_calls(subject: &Subject, func: FuncId) -> Vec<(Property, Vec<CheckId>)> {
    let program = &subject.program;
    let blocks = program.funcs[func]
        .body
        .iter()
        .flat_map(|b| b.blocks.iter());
    let called = blocks.flat_map(|block| {
        let Branch::Call { callee, .. } = &block.branch else {
            return Vec::new();
        };
        let property = |callee: FuncId| {
            let checks = library_checks(program, callee);
            let kind = program.checks[*checks.first()?].kind;
            let name = program.funcs[callee].name.trim_end_matches(BY_POINTER);
            let property = Property {
                kind: kind.name().into(),
                place: place_of(program, block.loc),
                function: shown_function(program, func),
                text: format!("the arguments of {name} are valid"),
                status: Status::Undecided,
                reason: None,
                trace: None,
            };
            Some((property, checks))
        };
        let callees = match callee {
            Callee::Direct(callee) => vec![*callee],
            Callee::Indirect(e) => through_pointer(program, e),
        };
        callees.into_iter().filter_map(property).collect()
    });
    called.collect()
}

/// Functions of the library that a call through a pointer may mean: of its type, and with an address
/// that is taken.
fn through_pointer(program: &Program, pointer: &Expr) -> Vec<FuncId> {
    let ty = program.types.pointee(pointer.ty);
    let alike = |f: &FuncId| Some(program.funcs[*f].ty) == ty && is_inner(program, *f);
    let mut list: Vec<FuncId> = addressed(program).into_iter().filter(alike).collect();
    list.sort_unstable();
    list
}

/// The checks in a function of the library and in those of the library that it calls.
fn library_checks(program: &Program, callee: FuncId) -> Vec<CheckId> {
    let library = |func: FuncId| {
        let origin = program.funcs[func].origin;
        origin != Origin::Program && origin != Origin::Rule
    };
    let mut seen = FxHashSet::default();
    let mut work = vec![callee];
    let mut checks = Vec::new();
    while let Some(func) = work.pop() {
        if !library(func) || !seen.insert(func) {
            continue;
        }
        checks.extend(asserted(program, func));
        let body = program.funcs[func].body.iter();
        let blocks = body.flat_map(|b| b.blocks.iter());
        work.extend(blocks.filter_map(|block| match block.branch {
            Branch::Call {
                callee: Callee::Direct(callee),
                ..
            } => Some(callee),
            _ => None,
        }));
    }
    checks
}

fn property(subject: &Subject, func: FuncId, id: CheckId) -> Property {
    let program = &subject.program;
    let check = &program.checks[id];
    let kind = match (check.kind, subject.rule_at(program, check.loc)) {
        (Kind::Rule, Some((rule, _))) => format!("slic:{}", rule.name),
        (kind, _) => kind.name().into(),
    };
    Property {
        kind,
        place: place_of(program, check.loc),
        function: shown_function(program, func),
        text: check.text.clone(),
        status: Status::Undecided,
        reason: None,
        trace: None,
    }
}

/// The checks that a function asserts.
pub fn asserted(program: &Program, func: FuncId) -> Vec<CheckId> {
    let body = program.funcs[func].body.iter();
    let stmts = body.flat_map(|b| b.blocks.iter()).flat_map(|b| &b.stmts);
    let check = stmts.filter_map(|s| match s.kind {
        StmtKind::Assert { check, .. } => Some(check),
        _ => None,
    });
    check.collect()
}

/// Whether no function that could ever run asserts anything or calls an error function: then there
/// is nothing to prove.
pub fn cannot_fail(subject: &Subject) -> bool {
    let program = &subject.program;
    // Code outside the program may call every function whose address it could know.
    let mut roots = vec![subject.entry];
    roots.extend(addressed(program));
    let reached = program.calls().reachable(&roots);
    let fatal = |func: &FuncId| {
        subject.error_functions.contains(func) || !asserted(program, *func).is_empty()
    };
    !subject.selection.has(Kind::Uninitialised) && !reached.iter().any(fatal)
}
