//! All valuations of chosen literals that a formula admits, and cubes that cover them.

use crate::cubes::Cube;
use crate::solver::{Answer, Lit, Solver};
use crate::term::Terms;
use cwolf_base::{Budget, Exhausted};
use rustc_hash::FxHashSet;

/// Calls `visit` with each valuation of `literals` that is possible under `context`, once; stops
/// early when `visit` says no. The solver forgets the blocking clauses afterwards.
///
/// # Errors
/// When the budget ran out.
pub fn enumerate(
    solver: &mut dyn Solver,
    terms: &Terms,
    context: &[Lit],
    literals: &[Lit],
    budget: &Budget,
    visit: &mut dyn FnMut(Vec<bool>) -> bool,
) -> Result<(), Exhausted> {
    let active = solver.fresh();
    let mut assumptions = context.to_vec();
    assumptions.push(active);
    while solver.check(terms, &assumptions, budget)? == Answer::Sat {
        let row: Vec<bool> = literals.iter().map(|l| solver.value(*l)).collect();
        let differ = |(l, v): (&Lit, &bool)| if *v { !*l } else { *l };
        let mut block: Vec<Lit> = literals.iter().zip(&row).map(differ).collect();
        block.push(!active);
        solver.clause(&block);
        if !visit(row) {
            break;
        }
    }
    solver.clause(&[!active]);
    Ok(())
}

/// A cube of more members is not enlarged further.
const MEMBERS: usize = 256;

/// All valuations of `literals` that are possible under `context`, in rising order; none if there
/// are more than `limit`. Each one that is found is enlarged to a cube of possible valuations,
/// and the whole cube is blocked at once.
///
/// # Errors
/// When the budget ran out.
pub fn project(
    solver: &mut dyn Solver,
    terms: &Terms,
    context: &[Lit],
    literals: &[Lit],
    limit: usize,
    budget: &Budget,
) -> Result<Option<Vec<Vec<bool>>>, Exhausted> {
    let active = solver.fresh();
    let mut assumptions = context.to_vec();
    assumptions.push(active);
    let side = |n: usize, v: bool| if v { literals[n] } else { !literals[n] };
    let mut known: FxHashSet<Vec<bool>> = FxHashSet::default();
    let mut refuted: Vec<Cube> = Vec::new();
    while known.len() <= limit && solver.check(terms, &assumptions, budget)? == Answer::Sat {
        let row: Vec<bool> = literals.iter().map(|l| solver.value(*l)).collect();
        let mut cube: Cube = row.iter().copied().enumerate().collect();
        let mut members = vec![row];
        for n in 0..literals.len() {
            if members.len() * 2 > MEMBERS {
                break;
            }
            let mut others = members.clone();
            others.iter_mut().for_each(|m| m[n] = !m[n]);
            let mut all = true;
            for other in &others {
                if known.contains(other) {
                    continue;
                }
                if refuted
                    .iter()
                    .any(|c| c.iter().all(|(n, v)| other[*n] == *v))
                {
                    all = false;
                    break;
                }
                let own: Vec<Lit> = other.iter().enumerate().map(|(n, v)| side(n, *v)).collect();
                let mut asked = context.to_vec();
                asked.extend(&own);
                if solver.check(terms, &asked, budget)? == Answer::Unsat {
                    let failed = |(n, v): (usize, &bool)| (n, *v);
                    let core = other.iter().enumerate().map(failed);
                    refuted.push(core.filter(|(n, v)| solver.failed(side(*n, *v))).collect());
                    all = false;
                    break;
                }
                known.insert(other.clone());
            }
            if all {
                members.extend(others);
                cube.retain(|(at, _)| *at != n);
            }
        }
        known.extend(members);
        let mut block: Vec<Lit> = cube.iter().map(|(n, v)| side(*n, !*v)).collect();
        block.push(!active);
        solver.clause(&block);
    }
    solver.clause(&[!active]);
    if known.len() > limit {
        return Ok(None);
    }
    let mut rows: Vec<Vec<bool>> = known.into_iter().collect();
    rows.sort_unstable();
    Ok(Some(rows))
}

/// Cubes that cover exactly the given valuations: each is enlarged as far as the others allow,
/// and one that the chosen ones cover is left out (SATABS, 3.4.3).
pub fn cover(rows: &[Vec<bool>]) -> Vec<Cube> {
    let all: FxHashSet<&Vec<bool>> = rows.iter().collect();
    let mut covered: FxHashSet<Vec<bool>> = FxHashSet::default();
    let mut found = Vec::new();
    for row in rows {
        if covered.contains(row) {
            continue;
        }
        let mut members = vec![row.clone()];
        let mut cube: Cube = row.iter().copied().enumerate().collect();
        for n in 0..row.len() {
            let mut others = members.clone();
            others.iter_mut().for_each(|m| m[n] = !m[n]);
            if others.iter().all(|m| all.contains(m)) {
                members.extend(others);
                cube.retain(|(at, _)| *at != n);
            }
        }
        covered.extend(members);
        found.push(cube);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BitBlaster, Sort, Term};

    fn rows(terms: &Terms, bits: &[Term]) -> Vec<Vec<bool>> {
        let mut solver = BitBlaster::new();
        let literals: Vec<Lit> = bits.iter().map(|t| solver.literal(terms, *t)).collect();
        let mut found = Vec::new();
        let free = Budget::unlimited();
        let mut keep = |row: Vec<bool>| {
            found.push(row);
            true
        };
        enumerate(&mut solver, terms, &[], &literals, &free, &mut keep).expect("no limit");
        found.sort();
        let projected = project(&mut solver, terms, &[], &literals, 100, &free);
        assert_eq!(projected, Ok(Some(found.clone())));
        found
    }

    fn table(text: &str) -> Vec<Vec<bool>> {
        let row = |r: &str| r.chars().map(|c| c == '1').collect();
        let mut rows: Vec<Vec<bool>> = text.split(' ').map(row).collect();
        rows.sort();
        rows
    }

    /// SATABS, 3.3.1: the block `d = e; e++` over `d & 1` and `e & 1`, columns as printed there.
    #[test]
    fn the_first_table_has_four_rows() {
        let mut terms = Terms::new();
        let [d, e] = ["d", "e"].map(|n| terms.constant(n, Sort::Bv(32)));
        let one = terms.bv(32, 1);
        let next = terms.add(e, one);
        let mut odd = |t| {
            let low = terms.bvand(t, one);
            terms.nonzero(low)
        };
        let bits = [odd(d), odd(e), odd(e), odd(next)];
        assert_eq!(rows(&terms, &bits), table("0001 1001 0110 1110"));
    }

    /// The same block over `e >= 0` and `e <= 100`: six rows, in four cubes (3.4.3).
    #[test]
    fn the_second_table_has_six_rows_in_four_cubes() {
        let mut terms = Terms::new();
        let e = terms.constant("e", Sort::Bv(32));
        let [zero, one, hundred] = [0, 1, 100].map(|n| terms.bv(32, n));
        let next = terms.add(e, one);
        let bits = [
            terms.sle(zero, e),
            terms.sle(e, hundred),
            terms.sle(zero, next),
            terms.sle(next, hundred),
        ];
        let rows = rows(&terms, &bits);
        assert_eq!(rows, table("0101 0111 1001 1010 1110 1111"));
        let cubes = cover(&rows);
        assert_eq!(cubes.len(), 4);
        let holds = |cube: &Cube, n: u32| cube.iter().all(|(at, v)| (n >> (3 - at) & 1 == 1) == *v);
        for n in 0..16 {
            let row: Vec<bool> = (0..4).map(|at| n >> (3 - at) & 1 == 1).collect();
            assert_eq!(cubes.iter().any(|c| holds(c, n)), rows.contains(&row));
        }
    }
}
