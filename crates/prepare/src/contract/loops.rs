//! What a function's text says of its loops: `/*@ loop invariant …; */` before one, or `__CPROVER_loop_invariant(…)` behind its head.

use super::text::{clauses_of, closed, position_of, without_comments};
use cwolf_cfront::Outline;
use cwolf_cwi::graph::Cfg;
use cwolf_cwi::{BlockId, FuncId, Program, VarId, VarKind};
use rustc_hash::FxHashMap;

/// A place in a text: line and column, both from 1.
pub(super) type Position = (u32, u32);

/// What is said of one loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopContract {
    /// Where its keyword stands.
    pub at: Position,
    /// What holds whenever control comes to its head.
    pub invariants: Vec<String>,
    /// First words of clauses that are not followed.
    pub others: Vec<String>,
}

/// What is said of loops between two lines.
pub(super) fn loops_in(text: &str, outline: &Outline, from: u32, to: u32) -> Vec<LoopContract> {
    let mut found: Vec<LoopContract> = Vec::new();
    let mut say = |at: Position, invariant: Option<String>, other: Option<String>| {
        let n = match found.iter().position(|l| l.at == at) {
            Some(n) => n,
            None => {
                found.push(LoopContract {
                    at,
                    invariants: Vec::new(),
                    others: Vec::new(),
                });
                found.len() - 1
            }
        };
        found[n].invariants.extend(invariant);
        found[n].others.extend(other);
    };
    let inside = |at: Position| from <= at.0 && at.0 < to;
    for (end, annotation) in annotations(text) {
        if !annotation.contains("loop ") || !inside(position_of(text, end)) {
            continue;
        }
        // The loop is what comes next, but for further comments.
        let gap = text[end..].len() - behind_comments(&text[end..]).len();
        let at = position_of(text, end + gap);
        if !outline.loops.iter().any(|l| l.from == at) {
            continue;
        }
        for clause in clauses_of(&without_comments(&annotation)) {
            let Some(rest) = clause.trim().strip_prefix("loop ") else {
                continue;
            };
            match rest.trim().strip_prefix("invariant ") {
                Some(condition) => say(at, Some(condition.trim().to_owned()), None),
                None => {
                    let word = rest.split_whitespace().next().unwrap_or_default();
                    say(at, None, Some(format!("loop {word}")));
                }
            }
        }
    }
    let word = "__CPROVER_loop_invariant";
    for (at, _) in text.match_indices(word) {
        let place = position_of(text, at);
        let behind = text[at + word.len()..].trim_start();
        let inner = outline.loops.iter().rfind(|l| l.contains(place));
        if let (true, Some(inner), Some((condition, _))) = (
            inside(place),
            inner,
            behind.strip_prefix('(').and_then(closed),
        ) {
            say(inner.from, Some(condition.trim().to_owned()), None);
        }
    }
    found
}

/// Every annotation with the place behind it.
fn annotations(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("/*@") {
        if let Some(end) = text[at..].find("*/") {
            let lines = text[at + 3..at + end].lines();
            let plain = lines.map(|l| l.trim_start().trim_start_matches(['@', '*']));
            found.push((at + end + 2, plain.collect::<Vec<_>>().join("\n")));
        }
    }
    let (mut at, mut group) = (0, String::new());
    for line in text.split_inclusive('\n').chain([""]) {
        match line.trim_start().strip_prefix("//@") {
            Some(inside) => group += inside,
            None if !group.is_empty() => found.push((at, std::mem::take(&mut group))),
            None => {}
        }
        at += line.len();
    }
    found
}

/// What stands behind white space and comments.
fn behind_comments(text: &str) -> &str {
    let mut rest = text.trim_start();
    loop {
        let end = if rest.starts_with("/*") {
            rest.find("*/").map(|e| e + 2)
        } else if rest.starts_with("//") {
            rest.find('\n')
        } else {
            return rest;
        };
        rest = end.map_or("", |end| &rest[end..]).trim_start();
    }
}

/// The block where a loop of the text begins, and the variables that cannot be meant there.
pub(super) fn head(
    program: &Program,
    func: FuncId,
    outline: &Outline,
    at: Position,
) -> Option<(BlockId, Vec<VarId>)> {
    let body = program.funcs[func].body.as_ref()?;
    let file = program.locations[program.funcs[func].loc].file;
    let place = |loc| {
        let loc = program.locations[loc];
        (loc.file == file).then_some((loc.line, loc.column))
    };
    let natural = Cfg::new(body).loops();
    let mut heads = natural.iter().filter(|l| {
        let places = l.blocks.iter().flat_map(|b| {
            let block = &body.blocks[*b];
            let stmts = block.stmts.iter().map(|s| s.loc);
            stmts.chain([block.loc]).filter_map(place)
        });
        let places: Vec<Position> = places.collect();
        outline.loop_around(&places).is_some_and(|l| l.from == at)
    });
    let found = heads.next()?.header;
    // Two loops of the code for one of the text: it is not clear which is meant.
    if heads.next().is_some() {
        return None;
    }
    let mut hidden = Vec::new();
    let mut best: FxHashMap<&str, (Position, VarId)> = FxHashMap::default();
    for (id, var) in program.vars.enumerate() {
        if var.kind.function() != Some(func) || matches!(var.kind, VarKind::Param(_)) {
            continue;
        }
        let Some(declared) = place(var.loc) else {
            continue;
        };
        // What the contract itself brought in is declared where the function is.
        let Some(scope) = outline.scope_of(declared) else {
            continue;
        };
        let known = scope.contains(at) && (declared <= at || scope.from == at);
        if !known {
            hidden.push(id);
            continue;
        }
        match best.get(&*var.name) {
            Some((other, _)) if *other > scope.from => hidden.push(id),
            _ => {
                if let Some((_, other)) = best.insert(&var.name, (scope.from, id)) {
                    hidden.push(other);
                }
            }
        }
    }
    Some((found, hidden))
}
