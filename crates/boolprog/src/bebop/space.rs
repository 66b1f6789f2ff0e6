//! The decision diagrams: which variables there are, and the operations that BEBOP needs.
//!
//! Every global has three diagram variables (its value at the entry of the procedure, now, and
//! next), every slot for locals four (the fourth holds results on their way to the caller). They
//! stand next to each other, so that "unchanged" stays small. Capacity is fixed: running out is an
//! error that the caller answers by starting again with more.

use super::order::{self, Item, Order};
use crate::rails::{Algebra, Rails, rails};
use crate::trace::State;
use crate::{Expr, LocalId, ProcId, Program, Var};
use cwolf_base::{Idx, IndexVec};
use oxidd::bcdd::{BCDDFunction, BCDDManagerRef, new_manager};
use oxidd::util::{AllocResult, OptBool};
use oxidd::{
    BooleanFunction, BooleanFunctionQuant, BooleanOperator, FunctionSubst, Manager, ManagerRef,
    Subst, VarNo,
};
use std::sync::OnceLock;
use std::time::Duration;

pub(crate) type Bdd = BCDDFunction;
pub(crate) type Renaming = Subst<Bdd>;

/// Which of the diagram variables of a global or local.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Copy {
    /// At the entry of the current procedure.
    Entry,
    /// At the current point.
    Now,
    /// After the current step; also holds arguments on their way into a callee.
    Next,
}

pub(crate) struct Space {
    manager: BCDDManagerRef,
    capacity: usize,
    globals: Vec<[VarNo; 3]>,
    slots: Vec<[VarNo; 4]>,
    slot_of: IndexVec<ProcId, Vec<usize>>,
    /// The positive literal of each variable.
    literals: Vec<Bdd>,
    pub(crate) yes: Bdd,
    pub(crate) no: Bdd,
    /// The largest number of nodes seen.
    pub(crate) peak: usize,
}

/// The manager starts a thread with a large stack, a gigabyte unless the environment says otherwise, and
/// some smaller ones, and panics where the address space has no room for them.
fn stacks() -> usize {
    let said = std::env::var("OXIDD_STACK_SIZE");
    let large = said.ok().and_then(|text| text.parse().ok());
    large.unwrap_or(1 << 30) + (64 << 20)
}
/// Threads of diagrams that were dropped may take so many looks to end.
const LOOKS: u32 = 40;

/// Whether this process may not have as much address space as there is.
fn is_limited() -> bool {
    static LIMITED: OnceLock<bool> = OnceLock::new();
    *LIMITED.get_or_init(|| {
        let limits = std::fs::read_to_string("/proc/self/limits");
        limits.is_ok_and(|text| {
            let mut values = text
                .lines()
                .filter_map(|l| l.strip_prefix("Max address space"));
            values.any(|v| v.split_whitespace().next() != Some("unlimited"))
        })
    })
}

/// Waits for room for the manager's threads.
fn wait_for_room() -> AllocResult<()> {
    if !is_limited() {
        return Ok(());
    }
    for _ in 0..LOOKS {
        let probe = std::thread::Builder::new()
            .stack_size(stacks())
            .spawn(|| ());
        if probe.is_ok_and(|thread| thread.join().is_ok()) {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Err(oxidd::util::OutOfMemory)
}

impl Space {
    /// How many diagram variables `program` needs.
    pub(crate) fn variables(program: &Program) -> usize {
        let wide = |p: &crate::Proc| p.locals.len().max(p.results);
        program.globals.len() * 3 + 4 * program.procs.iter().map(wide).max().unwrap_or(0)
    }
    /// Diagrams for `program` with room for `capacity` nodes.
    pub(crate) fn new(program: &Program, capacity: usize) -> AllocResult<Space> {
        let Order { slots, sequence } = order::choose(program);
        wait_for_room()?;
        let manager = new_manager(capacity, (capacity / 2).next_power_of_two(), 1);
        let mut space_globals = vec![[0; 3]; program.globals.len()];
        let mut space_slots = vec![[0; 4]; sequence.len() - program.globals.len()];
        let mut next = 0;
        for item in sequence {
            match item {
                Item::Global(g) => {
                    space_globals[g] = [next, next + 1, next + 2];
                    next += 3;
                }
                Item::Slot(s) => {
                    space_slots[s] = [next, next + 1, next + 2, next + 3];
                    next += 4;
                }
            }
        }
        let (literals, yes, no) = manager.with_manager_exclusive(|m| {
            m.add_vars(next);
            let literals: AllocResult<Vec<Bdd>> = (0..next).map(|v| Bdd::var(m, v)).collect();
            literals.map(|l| (l, Bdd::t(m), Bdd::f(m)))
        })?;
        Ok(Space {
            manager,
            capacity,
            globals: space_globals,
            slots: space_slots,
            slot_of: slots,
            literals,
            yes,
            no,
            peak: 0,
        })
    }
    /// Makes room when room gets scarce; fails when there is none to make.
    pub(crate) fn tidy(&mut self) -> AllocResult<()> {
        self.peak = self.peak.max(self.used());
        match self.make_room() {
            Some(left) if left > self.capacity / 2 => Err(oxidd::util::OutOfMemory),
            _ => Ok(()),
        }
    }
    fn used(&self) -> usize {
        self.manager
            .with_manager_shared(|m| m.approx_num_inner_nodes())
    }
    /// Collects garbage where most of the room is taken, and returns how many nodes are left. The
    /// manager's own collector runs beside us and may come too late: whoever works in a loop calls
    /// this, so that an answer does not depend on the moment.
    pub(crate) fn make_room(&self) -> Option<usize> {
        let crowded = self.used() >= self.capacity / 10 * 6;
        crowded.then(|| {
            self.manager.with_manager_shared(|m| {
                m.gc();
                m.num_inner_nodes()
            })
        })
    }

    pub(crate) fn global(&self, id: usize, copy: Copy) -> VarNo {
        self.globals[id][copy as usize]
    }
    pub(crate) fn local(&self, proc: ProcId, id: LocalId, copy: Copy) -> VarNo {
        self.slots[self.slot_of[proc][id.index()]][copy as usize]
    }
    pub(crate) fn var(&self, proc: ProcId, var: Var, copy: Copy) -> VarNo {
        match var {
            Var::Global(id) => self.global(id.index(), copy),
            Var::Local(id) => self.local(proc, id, copy),
        }
    }
    /// The variable of the `n`th result.
    pub(crate) fn result(&self, n: usize) -> VarNo {
        self.slots[n][3]
    }
    pub(crate) fn all_globals(&self, copy: Copy) -> impl Iterator<Item = VarNo> + '_ {
        self.globals.iter().map(move |g| g[copy as usize])
    }
    pub(crate) fn literal(&self, var: VarNo) -> &Bdd {
        &self.literals[var as usize]
    }
    /// The literal of `var` that says its value is `value`.
    pub(crate) fn is(&self, var: VarNo, value: bool) -> AllocResult<Bdd> {
        if value {
            Ok(self.literal(var).clone())
        } else {
            self.literal(var).not()
        }
    }
    /// The conjunction of literals. Made from the last variable to the first, which takes no time.
    pub(crate) fn cube(
        &self,
        literals: impl IntoIterator<Item = (VarNo, bool)>,
    ) -> AllocResult<Bdd> {
        let mut list: Vec<(VarNo, bool)> = literals.into_iter().collect();
        list.sort_unstable_by_key(|l| std::cmp::Reverse(l.0));
        let mut cube = self.yes.clone();
        for (var, value) in list {
            cube = self.is(var, value)?.and(&cube)?;
        }
        Ok(cube)
    }
    /// A set of variables, to quantify.
    pub(crate) fn set(&self, vars: impl IntoIterator<Item = VarNo>) -> AllocResult<Bdd> {
        self.cube(vars.into_iter().map(|v| (v, true)))
    }
    /// Renames, all at once.
    pub(crate) fn renaming(&self, pairs: impl IntoIterator<Item = (VarNo, VarNo)>) -> Renaming {
        let (from, to): (Vec<VarNo>, Vec<VarNo>) = pairs.into_iter().unzip();
        let to = to.into_iter().map(|v| self.literal(v).clone()).collect();
        Subst::new(from, to)
    }
    /// A total valuation in `set`, which must not be empty.
    pub(crate) fn pick(&self, set: &Bdd) -> Vec<bool> {
        let cube = set.pick_cube(|_, _, _| false).expect("a non-empty set");
        // The cube is indexed by variable number.
        cube.into_iter().map(|v| v == OptBool::True).collect()
    }
    /// Where `expr`, read in `proc`, may have which value.
    pub(crate) fn rails(
        &self,
        proc: ProcId,
        expr: &Expr,
        after: Option<&State>,
    ) -> AllocResult<Rails<Bdd>> {
        rails(
            &mut Diagrams {
                space: self,
                proc,
                after,
            },
            expr,
        )
    }
    /// Where `expr`, read in `proc`, may be `value`.
    pub(crate) fn may_be(&self, proc: ProcId, expr: &Expr, value: bool) -> AllocResult<Bdd> {
        let mut diagrams = Diagrams {
            space: self,
            proc,
            after: None,
        };
        rails(&mut diagrams, expr)?.may_be(&mut diagrams, value)
    }
    /// Where `rails` allow `value`.
    pub(crate) fn allows(&self, rails: &Rails<Bdd>, value: bool) -> AllocResult<Bdd> {
        let proc = ProcId(0);
        rails.may_be(
            &mut Diagrams {
                space: self,
                proc,
                after: None,
            },
            value,
        )
    }
}

/// Conjunction and quantification in one pass.
pub(crate) fn and_exists(a: &Bdd, b: &Bdd, vars: &Bdd) -> AllocResult<Bdd> {
    a.apply_exists(BooleanOperator::And, b, vars)
}

pub(crate) fn rename(set: &Bdd, renaming: &Renaming) -> AllocResult<Bdd> {
    set.substitute(renaming)
}

/// Evaluates expressions to decision diagrams. New values are variables, or known.
struct Diagrams<'a> {
    space: &'a Space,
    proc: ProcId,
    after: Option<&'a State>,
}

impl Algebra for Diagrams<'_> {
    type Value = Bdd;
    type Error = oxidd::util::OutOfMemory;
    fn constant(&mut self, value: bool) -> Bdd {
        let Space { yes, no, .. } = self.space;
        if value { yes.clone() } else { no.clone() }
    }
    fn var(&mut self, var: Var) -> AllocResult<Bdd> {
        let var = self.space.var(self.proc, var, Copy::Now);
        Ok(self.space.literal(var).clone())
    }
    fn next(&mut self, var: Var) -> AllocResult<Bdd> {
        if let Some(after) = self.after {
            return Ok(self.constant(after.get(var)));
        }
        let var = self.space.var(self.proc, var, Copy::Next);
        Ok(self.space.literal(var).clone())
    }
    fn not(&mut self, a: &Bdd) -> AllocResult<Bdd> {
        a.not()
    }
    fn and(&mut self, a: &Bdd, b: &Bdd) -> AllocResult<Bdd> {
        a.and(b)
    }
    fn or(&mut self, a: &Bdd, b: &Bdd) -> AllocResult<Bdd> {
        a.or(b)
    }
    fn equal(&mut self, a: &Bdd, b: &Bdd) -> AllocResult<Bdd> {
        a.equiv(b)
    }
}
