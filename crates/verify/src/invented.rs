//! Failures that rest on results that nobody knows: of a function whose arguments define what it
//! returns and writes, and that the interpreter cannot run. Its stub does any of what the table allows, of
//! which the real function does one.
//!
//! So it is with what an open function makes and its row does not describe: lists of lists, whose pointers a stub
//! would make up. There the result itself may be chosen, and what it leads to may not.
//!
//! And so it is with open results that the program settled itself ([`settled`]).
//!
//! A failing run is believed if nothing that it decided, and no address that it used, may come from such
//! a function: then it fails whatever the function does.

use crate::concrete::{CallLog, End, Run, Visited, Visits};
use crate::replay::retrace;
use crate::rounded::changed_by;
use crate::settled::{made_by_hand, settled};
use cwolf_base::Budget;
use cwolf_cwi::graph::{Object, PointsTo};
use cwolf_cwi::{
    Base, Block, BlockId, Branch, Callee, Expr, ExprKind, FileId, FuncId, LocId, Origin, Place,
    Program, RESULT, RegId, Stmt, StmtKind,
};
use cwolf_known::{Effect, Outcome, Row};
use cwolf_prepare::{Subject, known_row};
use rustc_hash::FxHashSet;

/// Why a failing run need not be one of the program.
pub(crate) fn rests_on(subject: &Subject, run: &Run, budget: &Budget) -> Option<String> {
    if !matches!(run.end, End::Fails(_)) {
        return None;
    }
    let chose = run.choices.iter().filter_map(|c| c.from);
    let wrote = run.effects.iter().map(|call| call.func);
    let doubted = |f: &&FuncId| subject.invented.contains(f) || subject.vague.contains(f);
    let mut all: Vec<FuncId> = chose.chain(wrote).collect();
    all.sort_unstable();
    all.dedup();
    let mut called: Vec<FuncId> = all.iter().filter(doubted).copied().collect();
    let open = |f: &FuncId| known_row(&subject.program, *f).is_some_and(Row::is_open);
    let asked = all.iter().any(open);
    let assembly = assembly(subject);
    let rounds = |row: &Row| row.changes_rounding();
    let mut stubs = subject.stubs.iter();
    let rounded = stubs.any(|f| {
        let name = &subject.program.funcs[*f].name;
        cwolf_known::lookup(name).is_some_and(rounds)
    });
    if called.is_empty() && !asked && assembly.is_empty() && !rounded {
        return None;
    }
    let visits = Visits::default();
    visits.borrow_mut().calls = asked.then(|| CallLog::of(&subject.program));
    let again = retrace(subject, run, &visits, budget);
    if rounded && let Some(name) = changed_by(&subject.program, &visits.borrow()) {
        return Some(format!(
            "the failure rests on how numbers are rounded after {name}"
        ));
    }
    let calls = visits.borrow_mut().calls.take().unwrap_or_default();
    if let Some(name) = made_by_hand(&subject.program, &calls.done) {
        return Some(format!(
            "the failure rests on what {name} does, which is not known exactly"
        ));
    }
    let settled = settled(&subject.program, &calls.done, &again.choices);
    called.extend(&settled);
    let invented: Vec<FuncId> = subject.invented.iter().copied().chain(settled).collect();
    let points_to = subject.program.points_to();
    let taint = Taint::new(&subject.program, points_to, &called, &invented, &assembly);
    if !taint.decides(&visits.borrow()) {
        return None;
    }
    let is_code = |f: &&FuncId| subject.program.funcs[**f].origin == Origin::Assembly;
    let known = called.iter().filter(|f| !is_code(f));
    let names = known.map(|f| subject.program.funcs[*f].name.as_str());
    let mut names: Vec<&str> = names.collect();
    let code = !assembly.is_empty() || called.iter().any(|f| is_code(&f));
    names.extend(code.then_some("inline assembly"));
    let names = names.join(", ");
    Some(format!(
        "the failure rests on what {names} does, which is not known exactly"
    ))
}

/// Where a statement stands in the source.
type Spot = (FileId, u32, u32);

fn spot(program: &Program, loc: LocId) -> Spot {
    let at = &program.locations[loc];
    (at.file, at.line, at.column)
}

/// Where inline assembly puts something out, which is chosen though the processor knows it. SV-COMP
/// takes it for open.
fn assembly(subject: &Subject) -> FxHashSet<Spot> {
    let program = &subject.program;
    match subject.selection.follow_undefined {
        true => program.notes.iter().map(|n| spot(program, n.loc)).collect(),
        false => FxHashSet::default(),
    }
}

/// What may come from some functions or from inline assembly, whatever the order of statements.
struct Taint<'p> {
    program: &'p Program,
    points_to: &'p PointsTo,
    from: &'p [FuncId],
    /// Those of which not even the result is open.
    invented: &'p [FuncId],
    assembly: &'p FxHashSet<Spot>,
    objects: FxHashSet<Object>,
    regs: FxHashSet<(FuncId, RegId)>,
    /// Blocks that a result of such a kind arrives at.
    results: FxHashSet<(FuncId, BlockId)>,
    /// Functions that return such a value.
    returns: FxHashSet<FuncId>,
}

type At = (FuncId, BlockId);

impl<'p> Taint<'p> {
    fn new(
        program: &'p Program,
        points_to: &'p PointsTo,
        from: &'p [FuncId],
        invented: &'p [FuncId],
        assembly: &'p FxHashSet<Spot>,
    ) -> Taint<'p> {
        let results = from.iter().filter(|f| invented.contains(f));
        let mut taint = Taint {
            program,
            points_to,
            from,
            invented,
            assembly,
            objects: FxHashSet::default(),
            regs: FxHashSet::default(),
            results: FxHashSet::default(),
            returns: results.copied().collect(),
        };
        loop {
            let before = taint.size();
            taint.round();
            if taint.size() == before {
                return taint;
            }
        }
    }

    fn size(&self) -> usize {
        self.objects.len() + self.regs.len() + self.results.len() + self.returns.len()
    }

    fn blocks(&self) -> impl Iterator<Item = (At, &'p Block)> + use<'p> {
        let funcs = self.program.funcs.enumerate();
        funcs.flat_map(|(func, f)| {
            let blocks = f.body.iter().flat_map(|b| b.blocks.enumerate());
            blocks.map(move |(id, block)| ((func, id), block))
        })
    }

    fn round(&mut self) {
        for (at, block) in self.blocks() {
            for stmt in &block.stmts {
                match &stmt.kind {
                    StmtKind::Assign(place, value)
                        if self.is_tainted(at, value) || self.is_put_out(at, stmt, value) =>
                    {
                        self.objects.extend(self.lies_in(at, place));
                    }
                    StmtKind::SetReg(reg, value)
                        if self.is_tainted(at, value) || self.is_put_out(at, stmt, value) =>
                    {
                        self.regs.insert((at.0, *reg));
                    }
                    StmtKind::Havoc { ptr, .. }
                        if self.from.contains(&at.0) && !self.hands_out(at.0) =>
                    {
                        let changed = self.points_to.changed_outside(at.0, at.1, ptr);
                        self.objects.extend(changed);
                    }
                    _ => {}
                }
            }
            // What such a function allocates holds what nobody knows.
            if self.hands_out(at.0) && matches!(block.branch, Branch::Call { .. }) {
                self.objects.insert(Object::Heap(at.0, at.1));
            }
            match &block.branch {
                Branch::Return(Some(value)) if self.is_tainted(at, value) => {
                    self.returns.insert(at.0);
                }
                Branch::Call {
                    callee, args, next, ..
                } => self.call(at, callee, args, *next),
                _ => {}
            }
        }
    }

    /// Whether such a function chooses this, or inline assembly puts it out.
    fn is_put_out(&self, at: At, stmt: &Stmt, value: &Expr) -> bool {
        let mut chosen = false;
        value.walk(&mut |e| chosen |= e.kind == ExprKind::Choose);
        let assembly = || self.assembly.contains(&spot(self.program, stmt.loc));
        chosen && (self.invented.contains(&at.0) || assembly())
    }

    fn call(&mut self, at: At, callee: &Callee, args: &[Expr], next: Option<BlockId>) {
        let (callees, _) = self.points_to.callees(at.0, at.1, callee);
        for callee in callees {
            if let (true, Some(next)) = (self.returns.contains(&callee), next) {
                self.results.insert((at.0, next));
            }
            if self.hands_out(callee) {
                continue;
            }
            if self.from.contains(&callee) {
                // It may write all that it is given.
                for arg in args {
                    self.objects
                        .extend(self.points_to.reachable(at.0, at.1, arg));
                }
                continue;
            }
            let params = self.program.funcs[callee].params.iter();
            for (param, arg) in params.zip(args) {
                if self.is_tainted(at, arg) {
                    self.objects.insert(Object::Var(*param));
                }
            }
            let unnamed = args.iter().skip(self.program.funcs[callee].params.len());
            if unnamed.into_iter().any(|arg| self.is_tainted(at, arg)) {
                self.objects.insert(Object::VarArgs(callee));
            }
        }
    }

    /// Whether such a function stores a handle: that is one, and only what lies behind it is not known.
    fn hands_out(&self, func: FuncId) -> bool {
        let row = cwolf_known::lookup(&self.program.funcs[func].name);
        let effects = row.into_iter().flat_map(|row| &row.effects);
        let handle = |effect: &Effect| match effect {
            Effect::Sets { value, .. } => value.contains(&Outcome::Handle),
            _ => false,
        };
        self.from.contains(&func) && effects.into_iter().any(handle)
    }

    /// What a place may lie in.
    fn lies_in(&self, at: At, place: &Place) -> Vec<Object> {
        match &place.base {
            Base::Var(var) => vec![Object::Var(*var)],
            Base::Deref(p) => {
                let mut found = self.points_to.expr(at.0, at.1, p);
                if found.contains(&Object::Outside) {
                    found.extend(self.points_to.escaped());
                }
                found
            }
        }
    }

    fn is_tainted(&self, at: At, e: &Expr) -> bool {
        let mut found = false;
        e.walk(&mut |e| {
            found |= match &e.kind {
                ExprKind::Reg(RESULT) => self.results.contains(&at),
                ExprKind::Reg(reg) => self.regs.contains(&(at.0, *reg)),
                ExprKind::Load { place, .. } => {
                    let objects = self.lies_in(at, place);
                    objects.iter().any(|o| self.objects.contains(o))
                }
                _ => false,
            };
        });
        found
    }

    /// Whether an expression uses a tainted address.
    fn follows_tainted(&self, at: At, e: &Expr) -> bool {
        let mut found = false;
        e.walk(&mut |e| {
            if let ExprKind::Load { place, .. } = &e.kind {
                found |= self.place_tainted(at, place);
            }
        });
        found
    }

    /// Whether where a place lies is tainted.
    fn place_tainted(&self, at: At, place: &Place) -> bool {
        let mut found = false;
        place.for_each_operand(&mut |e| found |= self.is_tainted(at, e));
        found
    }

    /// Whether a step that was made decides by what is tainted, or uses such an address.
    fn decides(&self, visited: &Visited) -> bool {
        self.blocks().any(|(at, block)| {
            let made = |n: usize| visited.contains(&(at.0, at.1, n));
            let stmts = block.stmts.iter().enumerate();
            // Inside of such a function, only what it requires of its arguments counts.
            if self.from.contains(&at.0) {
                let open = |stmt: &Stmt| match &stmt.kind {
                    StmtKind::Assert { cond, .. } => self.is_tainted(at, cond),
                    _ => false,
                };
                return stmts.filter(|(n, _)| made(*n)).any(|(_, stmt)| open(stmt));
            }
            let stmt = stmts.filter(|(n, _)| made(*n)).any(|(_, stmt)| {
                let mut follows = false;
                stmt.kind
                    .for_each_expr(&mut |e| follows |= self.follows_tainted(at, e));
                follows
                    || match &stmt.kind {
                        StmtKind::Assert { cond, .. } | StmtKind::Assume(cond) => {
                            self.is_tainted(at, cond)
                        }
                        StmtKind::Assign(place, _) => self.place_tainted(at, place),
                        StmtKind::Havoc { ptr, size } => {
                            self.is_tainted(at, ptr)
                                || size.as_ref().is_some_and(|e| self.is_tainted(at, e))
                        }
                        _ => false,
                    }
            });
            stmt || (made(block.stmts.len()) && self.branches(at, &block.branch))
        })
    }

    fn branches(&self, at: At, branch: &Branch) -> bool {
        let mut follows = false;
        branch.for_each_expr(&mut |e| follows |= self.follows_tainted(at, e));
        follows
            || match branch {
                Branch::If { cond: e, .. }
                | Branch::Switch { on: e, .. }
                | Branch::Call {
                    callee: Callee::Indirect(e),
                    ..
                } => self.is_tainted(at, e),
                // What a known function does with what it is given is up to it.
                Branch::Call { callee, args, .. } => {
                    let (callees, _) = self.points_to.callees(at.0, at.1, callee);
                    let native = |f: &FuncId| self.program.funcs[*f].body.is_none();
                    callees.iter().any(native) && args.iter().any(|e| self.is_tainted(at, e))
                }
                _ => false,
            }
    }
}
