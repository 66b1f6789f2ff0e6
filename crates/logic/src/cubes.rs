//! Cubes over given predicates that imply a goal: C2BP's F_V. Cubes are tried in rising length;
//! [`search`] is the one search, [`cubes`] answers its questions by a [`Solver`].

use crate::solver::{Answer, Lit, Solver};
use crate::term::Terms;
use cwolf_base::{Budget, Exhausted};

/// A conjunction of literals over predicates: each with its number in the list of predicates and
/// whether it holds, in rising order.
pub type Cube = Vec<(usize, bool)>;

/// Where the search for cubes ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CubeLimits {
    /// The longest cubes that are tried; a smaller limit gives a weaker (still sound) result.
    pub length: usize,
    /// At most so many cubes.
    pub count: usize,
    /// Cubes that contain one that implies the goal are left out.
    pub prime: bool,
    /// Cubes that exclude the goal are looked for, since none that contains one implies it.
    pub dead_ends: bool,
}

impl Default for CubeLimits {
    fn default() -> CubeLimits {
        CubeLimits {
            length: usize::MAX,
            count: usize::MAX,
            prime: true,
            dead_ends: false,
        }
    }
}

/// What a search asks of cubes.
pub trait CubeOracle {
    /// Whether every state in the cube has the goal.
    ///
    /// # Errors
    /// When the budget ran out.
    fn implies(&mut self, cube: &[(usize, bool)]) -> Result<bool, Exhausted>;
    /// Whether some state in the cube has the goal.
    ///
    /// # Errors
    /// When the budget ran out.
    fn meets(&mut self, cube: &[(usize, bool)]) -> Result<bool, Exhausted>;
    /// Called for each cube that is looked at.
    fn looks_at(&mut self, _cube: &[(usize, bool)]) {}
}

/// The cubes of `literals`, which are in rising order, that some state is in and that imply the
/// oracle's goal.
///
/// # Errors
/// When the budget ran out.
pub fn search(
    oracle: &mut dyn CubeOracle,
    literals: &[(usize, bool)],
    limits: CubeLimits,
) -> Result<Vec<Cube>, Exhausted> {
    let mut found: Vec<Cube> = Vec::new();
    // Cubes that no state with the goal is in.
    let mut dead: Vec<Cube> = Vec::new();
    // Cubes that do not imply the goal yet, from which longer ones grow.
    let mut open: Vec<Cube> = vec![Vec::new()];
    if oracle.implies(&[])? {
        return match oracle.meets(&[])? {
            true => Ok(vec![Vec::new()]),
            false => Ok(Vec::new()),
        };
    }
    let longest = limits.length.min(literals.len());
    for length in 1..=longest {
        let mut next = Vec::new();
        for cube in &open {
            let after = cube.last().map_or(0, |(n, _)| n + 1);
            for &literal in literals.iter().filter(|(n, _)| *n >= after) {
                let mut longer = cube.clone();
                longer.push(literal);
                if limits.prime && found.iter().any(|f| includes(&longer, f))
                    || dead.iter().any(|f| includes(&longer, f))
                {
                    continue;
                }
                oracle.looks_at(&longer);
                if oracle.implies(&longer)? {
                    match oracle.meets(&longer)? {
                        true => found.push(longer.clone()),
                        false => dead.push(longer.clone()),
                    }
                    if found.len() >= limits.count {
                        return Ok(found);
                    }
                    if limits.prime {
                        continue;
                    }
                } else if limits.dead_ends && length < longest && !oracle.meets(&longer)? {
                    // It implies the negation, and so does all that contains it.
                    dead.push(longer);
                    continue;
                }
                next.push(longer);
            }
        }
        open = next;
    }
    Ok(found)
}

/// All prime cubes over `predicates` that are consistent and imply `goal`, under `context`
/// (assumed throughout). Their disjunction is the weakest combination of the predicates that
/// implies the goal. Cubes that the context refutes are left out.
///
/// Each question that says no gives a model; what is true there can never be a cube, and kills
/// all candidates inside it without another question.
///
/// # Errors
/// When the budget ran out.
pub fn cubes(
    solver: &mut dyn Solver,
    terms: &Terms,
    context: &[Lit],
    predicates: &[Lit],
    goal: Lit,
    limits: CubeLimits,
    budget: &Budget,
) -> Result<Vec<Cube>, Exhausted> {
    let mut questions = Questions {
        solver,
        terms,
        context,
        predicates,
        goal,
        budget,
        refuted: Vec::new(),
    };
    if !questions.consistent(&[])? {
        return Ok(Vec::new());
    }
    if questions.implies(&[])? {
        return Ok(vec![Vec::new()]);
    }
    let mut literals = Vec::new();
    for n in 0..predicates.len() {
        let sides = [
            questions.consistent(&[(n, true)])?,
            questions.consistent(&[(n, false)])?,
        ];
        // A predicate that is constant under the context cannot help.
        if sides == [true, true] {
            literals.extend([(n, true), (n, false)]);
        }
    }
    search(&mut questions, &literals, limits)
}

struct Questions<'a> {
    solver: &'a mut dyn Solver,
    terms: &'a Terms,
    context: &'a [Lit],
    predicates: &'a [Lit],
    goal: Lit,
    budget: &'a Budget,
    /// Valuations that satisfy the context but not the goal.
    refuted: Vec<Vec<bool>>,
}

impl Questions<'_> {
    fn killed(&self, cube: &[(usize, bool)]) -> bool {
        let inside = |valuation: &Vec<bool>| cube.iter().all(|(n, v)| valuation[*n] == *v);
        self.refuted.iter().any(inside)
    }

    fn assumptions(&self, cube: &[(usize, bool)]) -> Vec<Lit> {
        let lit = |(n, v): &(usize, bool)| match v {
            true => self.predicates[*n],
            false => !self.predicates[*n],
        };
        let context = self.context.iter().copied();
        context.chain(cube.iter().map(lit)).collect()
    }

    fn consistent(&mut self, cube: &[(usize, bool)]) -> Result<bool, Exhausted> {
        if self.killed(cube) {
            return Ok(true);
        }
        let assumptions = self.assumptions(cube);
        let answer = self.solver.check(self.terms, &assumptions, self.budget)?;
        Ok(answer != Answer::Unsat)
    }
}

impl CubeOracle for Questions<'_> {
    fn implies(&mut self, cube: &[(usize, bool)]) -> Result<bool, Exhausted> {
        if self.killed(cube) {
            return Ok(false);
        }
        let mut assumptions = self.assumptions(cube);
        assumptions.push(!self.goal);
        match self.solver.check(self.terms, &assumptions, self.budget)? {
            Answer::Unsat => Ok(true),
            Answer::Unknown => Ok(false),
            Answer::Sat => {
                let valuation = self.predicates.iter().map(|l| self.solver.value(*l));
                self.refuted.push(valuation.collect());
                Ok(false)
            }
        }
    }
    fn meets(&mut self, cube: &[(usize, bool)]) -> Result<bool, Exhausted> {
        let mut assumptions = self.assumptions(cube);
        assumptions.push(self.goal);
        let answer = self.solver.check(self.terms, &assumptions, self.budget)?;
        Ok(answer != Answer::Unsat)
    }
}

/// Whether a cube has all literals of another.
pub fn includes(long: &[(usize, bool)], short: &[(usize, bool)]) -> bool {
    short.iter().all(|l| long.contains(l))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BitBlaster, Sort};

    /// The example of C2BP, section 4.1: over `x < 5` and `x == 2`, the cubes that imply `x < 4`.
    #[test]
    fn strongest_cubes_of_the_paper() {
        let mut terms = Terms::new();
        let mut solver = BitBlaster::new();
        let x = terms.constant("x", Sort::Bv(32));
        let [two, four, five] = [2, 4, 5].map(|n| terms.bv(32, n));
        let predicates = [terms.slt(x, five), terms.eq(x, two)];
        let predicates = predicates.map(|p| solver.literal(&terms, p));
        let goal = terms.slt(x, four);
        let goal = solver.literal(&terms, goal);
        let limits = CubeLimits::default();
        let free = Budget::unlimited();
        let found = cubes(&mut solver, &terms, &[], &predicates, goal, limits, &free);
        assert_eq!(found, Ok(vec![vec![(1, true)]]));
    }

    /// Against all cubes, tried one by one, for random boolean functions of four predicates.
    #[test]
    fn prime_cubes_of_every_kind_of_function() {
        let mut state = 7u64;
        for _ in 0..40 {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            let table = (state >> 40) as u16;
            let mut terms = Terms::new();
            let mut solver = BitBlaster::new();
            let p: Vec<_> = (0..4)
                .map(|n| terms.constant(&format!("p{n}"), Sort::Bool))
                .collect();
            let rows = (0..16)
                .filter(|r| table >> r & 1 == 1)
                .collect::<Vec<u16>>();
            let mut goal = Terms::FALSE;
            for row in rows {
                let mut all = Terms::TRUE;
                for (n, p) in p.iter().enumerate() {
                    let literal = if row >> n & 1 == 1 { *p } else { terms.not(*p) };
                    all = terms.and(all, literal);
                }
                goal = terms.or(goal, all);
            }
            let goal = solver.literal(&terms, goal);
            let lits: Vec<_> = p.iter().map(|p| solver.literal(&terms, *p)).collect();
            let free = Budget::unlimited();
            let limits = CubeLimits::default();
            let mut found =
                cubes(&mut solver, &terms, &[], &lits, goal, limits, &free).expect("no limit");
            found.sort();
            assert_eq!(found, primes(table), "{table:016b}");
        }
    }

    fn primes(table: u16) -> Vec<Cube> {
        let mut implicants: Vec<Cube> = Vec::new();
        for code in 0..81u32 {
            let digit = |n: u32| code / 3u32.pow(n) % 3;
            let cube: Cube = (0..4)
                .filter(|n| digit(*n) < 2)
                .map(|n| (n as usize, digit(n) == 1))
                .collect();
            let rows = (0..16u16).filter(|r| cube.iter().all(|(n, v)| (r >> n & 1 == 1) == *v));
            if rows.into_iter().all(|r| table >> r & 1 == 1) {
                implicants.push(cube);
            }
        }
        let prime = |c: &&Cube| !implicants.iter().any(|d| d != *c && includes(c, d));
        let mut found: Vec<Cube> = implicants.iter().filter(prime).cloned().collect();
        found.sort();
        found
    }
}
