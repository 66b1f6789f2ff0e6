//! Chooses the order of the variables: those that statements relate stand close together. This is
//! the FORCE heuristic (Aloul, Markov, Sakallah): each variable moves to the middle of the
//! statements it occurs in, until nothing moves.

use crate::{Expr, LocalId, ProcId, Program, StmtKind, Var};
use cwolf_base::{Idx, IndexVec};

/// Rounds of moving; more hardly changes anything.
const ROUNDS: usize = 20;

/// Which variables share decision-diagram variables, and in which order they stand.
pub(crate) struct Order {
    /// The slot of each local. Only one procedure's locals are in scope at a time, so that the
    /// locals of different procedures share slots.
    pub(crate) slots: IndexVec<ProcId, Vec<usize>>,
    /// Globals (by number) and slots, first to last.
    pub(crate) sequence: Vec<Item>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    Global(usize),
    Slot(usize),
}

pub(crate) fn choose(program: &Program) -> Order {
    let mut bases: IndexVec<ProcId, usize> = IndexVec::new();
    let mut count = program.globals.len();
    for proc in program.procs.iter() {
        bases.push(count);
        count += proc.locals.len();
    }
    let position = force(program, &bases, count);
    let mut slot_count = 0;
    for proc in program.procs.iter() {
        slot_count = slot_count.max(proc.locals.len()).max(proc.results);
    }
    let mut sums = vec![(0.0, 0u32); slot_count];
    let mut slots: IndexVec<ProcId, Vec<usize>> = IndexVec::new();
    for (id, proc) in program.procs.enumerate() {
        let place = |l: &LocalId| position[bases[id] + l.index()];
        let mut locals: Vec<LocalId> = proc.locals.ids().collect();
        locals.sort_by(|a, b| place(a).total_cmp(&place(b)));
        let mut mine = vec![0; locals.len()];
        for (slot, local) in locals.iter().enumerate() {
            mine[local.index()] = slot;
            sums[slot].0 += place(local);
            sums[slot].1 += 1;
        }
        slots.push(mine);
    }
    let middle = |slot: usize| match sums[slot] {
        (_, 0) => f64::MAX,
        (sum, n) => sum / f64::from(n),
    };
    let globals = (0..program.globals.len()).map(|g| (position[g], Item::Global(g)));
    let all_slots = (0..slot_count).map(|s| (middle(s), Item::Slot(s)));
    let mut sequence: Vec<(f64, Item)> = globals.chain(all_slots).collect();
    sequence.sort_by(|a, b| a.0.total_cmp(&b.0));
    Order {
        slots,
        sequence: sequence.into_iter().map(|(_, item)| item).collect(),
    }
}

fn force(program: &Program, bases: &IndexVec<ProcId, usize>, count: usize) -> Vec<f64> {
    let edges = related(program, bases);
    let mut position: Vec<f64> = (0..count).map(|n| n as f64).collect();
    for _ in 0..ROUNDS {
        let mut sums = vec![(0.0, 0u32); count];
        for edge in &edges {
            let middle = edge.iter().map(|&v| position[v]).sum::<f64>() / edge.len() as f64;
            for &v in edge {
                sums[v].0 += middle;
                sums[v].1 += 1;
            }
        }
        let wish = |v: usize| match sums[v] {
            (_, 0) => position[v],
            (sum, n) => sum / f64::from(n),
        };
        let mut order: Vec<(f64, usize)> = (0..count).map(|v| (wish(v), v)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut moved = false;
        for (n, (_, v)) in order.into_iter().enumerate() {
            moved |= position[v] != n as f64;
            position[v] = n as f64;
        }
        if !moved {
            break;
        }
    }
    position
}

/// Sets of two or more variables that one expression or assignment relates.
fn related(program: &Program, bases: &IndexVec<ProcId, usize>) -> Vec<Vec<usize>> {
    let mut edges = Vec::new();
    for (id, proc) in program.procs.enumerate() {
        let number = |v: Var| match v {
            Var::Global(g) => g.index(),
            Var::Local(l) => bases[id] + l.index(),
        };
        let mut add = |expr: &Expr, extra: Option<usize>| {
            let mut edge: Vec<usize> = extra.into_iter().collect();
            expr.walk(&mut |e| {
                if let Expr::Var(v) | Expr::Next(v) = e {
                    edge.push(number(*v));
                }
            });
            edge.sort_unstable();
            edge.dedup();
            if edge.len() > 1 {
                edges.push(edge);
            }
        };
        if let Some(expr) = &proc.enforce {
            add(expr, None);
        }
        for stmt in proc.stmts.iter() {
            match &stmt.kind {
                StmtKind::Assign {
                    targets,
                    values,
                    constrain,
                } => {
                    for (&target, value) in targets.iter().zip(values) {
                        add(value, Some(number(target)));
                    }
                    if let Some(expr) = constrain {
                        add(expr, None);
                    }
                }
                StmtKind::Call { callee, args, .. } => {
                    for (n, arg) in args.iter().enumerate() {
                        add(arg, Some(bases[*callee] + n));
                    }
                }
                kind => kind.exprs().iter().for_each(|e| add(e, None)),
            }
        }
    }
    edges
}
