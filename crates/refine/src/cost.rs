//! What it costs to keep a cell: about how many values it takes in states.

use crate::tracked::Tracked;
use cwolf_absint::map::Proposals;
use cwolf_absint::slice::CellKey;
use cwolf_cwi::graph::{Analysed, Object};

/// A cell with more values than this is kept only if nothing else helps.
pub(crate) const FEW: usize = 8;
/// What is asked of nobody.
const MANY: usize = 1 << 10;

/// About how many values a cell takes in the domain that fits its uses. A copy of what is kept adds little.
pub(crate) fn cost(
    program: &Analysed,
    proposals: &mut Proposals<'_>,
    tracked: &Tracked,
    cell: &CellKey,
) -> usize {
    if tracked.cells().any(|kept| proposals.are_alike(kept, cell)) {
        return 1;
    }
    let Some(choice) = proposals.choice(cell) else {
        return MANY;
    };
    let arguments = |word: &str| {
        let inner = choice.domain.strip_prefix(word)?.strip_suffix(')')?;
        Some(inner.split(',').map(str::to_owned).collect::<Vec<_>>())
    };
    if let Some(points) = arguments("part(") {
        return points.len() + 1;
    }
    if let Some(modulus) = arguments("mod(") {
        let modulus = modulus.first().and_then(|n| n.parse().ok());
        return modulus.unwrap_or(MANY);
    }
    match choice.domain.as_str() {
        "bool" => 2,
        "pointer" => targets(program, cell),
        "int" => choice.values.unwrap_or(MANY),
        _ => MANY,
    }
}

/// The places that a pointer may lead to, and null.
fn targets(program: &Analysed, (var, _): &CellKey) -> usize {
    let found = program.points_to().contents(Object::Var(*var));
    let places = found.into_iter().map(|object| match object {
        Object::Var(to) => {
            let size = program.types.size_of(program.vars[to].ty);
            usize::try_from(size).map_or(MANY, |n| n.saturating_add(1))
        }
        Object::Func(_) => 1,
        _ => MANY,
    });
    places.fold(1, usize::saturating_add)
}
