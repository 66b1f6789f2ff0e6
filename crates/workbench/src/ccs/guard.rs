//! Every name must be bound, and no process may come back to itself before it acts: such a
//! process (`P = P + a.nil`) would have no first step to compute.

use super::environment::Environment;
use super::term::{NameId, Term, TermId};
use cwolf_base::{Diagnostic, Span, strong_components};

/// Checks everything that a process can reach; `uses` are the names in the process itself.
pub(crate) fn check(env: &Environment, uses: &[(NameId, Span)]) -> Result<(), Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let mut seen = vec![false; env.definitions.len()];
    let mut work: Vec<(NameId, Span)> = uses.to_vec();
    let mut reached = Vec::new();
    while let Some((name, span)) = work.pop() {
        if std::mem::replace(&mut seen[name as usize], true) {
            continue;
        }
        match &env.definitions[name as usize] {
            Some(definition) => {
                reached.push(name);
                work.extend(definition.uses.iter().copied());
            }
            None => {
                let text = &env.name_texts[name as usize];
                errors.push(Diagnostic::error(
                    span,
                    format!("there is no process `{text}`"),
                ));
            }
        }
    }
    let mut edges: Vec<Vec<u32>> = vec![Vec::new(); env.definitions.len()];
    for &name in &reached {
        let definition = env.definitions[name as usize]
            .as_ref()
            .expect("it is bound");
        edges[name as usize] = unguarded(env, definition.body);
    }
    let component = strong_components(edges.len(), |n| &edges[n]);
    let place = |name: &NameId| env.definitions[*name as usize].as_ref().map(|d| d.span);
    reached.sort_unstable_by_key(place);
    let mut reported = Vec::new();
    for &name in &reached {
        let class = component[name as usize];
        let is_loop = edges[name as usize]
            .iter()
            .any(|&other| component[other as usize] == class);
        if is_loop && !reported.contains(&class) {
            reported.push(class);
            let text = &env.name_texts[name as usize];
            let span = env.definitions[name as usize]
                .as_ref()
                .map_or(Span::default(), |d| d.span);
            let message = format!("the process `{text}` comes back to itself before any action");
            errors.push(
                Diagnostic::error(span, message).hint("put an action before it, such as `t.`"),
            );
        }
    }
    errors.sort_by_key(|e| e.span);
    match errors.is_empty() {
        true => Ok(()),
        false => Err(errors),
    }
}

/// The names in `term` that stand before any action.
fn unguarded(env: &Environment, term: TermId) -> Vec<NameId> {
    let mut names = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    let mut work = vec![term];
    while let Some(term) = work.pop() {
        if !seen.insert(term) {
            continue;
        }
        match env.terms.get(term) {
            Term::Nil | Term::Prefix(..) | Term::Automaton(..) => {}
            Term::Sum(parts) => work.extend(parts.iter()),
            Term::Par(a, b) => work.extend([*a, *b]),
            Term::Restrict(a, _) | Term::Relabel(a, _) => work.push(*a),
            Term::Name(name) => names.push(*name),
        }
    }
    names
}
