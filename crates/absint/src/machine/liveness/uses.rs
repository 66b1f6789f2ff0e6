//! What a use keeps alive (faint variables: Giegerich, Möncke, Wilhelm 1981). A value that is only
//! copied into what is dead, only says which of several unknown cells is read or written, or only
//! decides a branch that decides nothing, does not tell states apart.

use super::{Analysis, Live, bits, put};
use crate::domain::Kind;
use crate::machine::layout::{Home, Slot};
use crate::machine::{library, operands};
use crate::map::{Event, LabelMap, accessed};
use cwolf_base::Idx;
use cwolf_cwi::graph::Object;
use cwolf_cwi::{
    Base, BinOp, BlockId, Body, Callee, Expr, ExprKind, FuncId, Place, Program, RESULT, RecordId,
    RegId, Step, Type, TypeId, VarId,
};
use cwolf_known::{Primitive, Row};
use rustc_hash::FxHashSet;

/// What the label map looks at.
#[derive(Debug, Default)]
pub(super) struct Shown {
    /// Variables whose reads or writes are events.
    vars: FxHashSet<VarId>,
    /// Whether events look through pointers, and so perhaps at any variable.
    anything: bool,
    /// Types of which all objects are looked at, also in memory that no variable stands for.
    records: FxHashSet<RecordId>,
    /// Functions whose arguments, or whose result, are in a label or a condition.
    operands: FxHashSet<FuncId>,
}

impl Shown {
    pub fn new(labels: &LabelMap) -> Shown {
        let mut shown = Shown::default();
        for rule in &labels.rules {
            match &rule.event {
                Event::Read(seen) | Event::Write(seen) | Event::Watch(seen, _) => {
                    shown.vars.extend(seen.fixed.iter().map(|s| s.var));
                    shown.anything |= !seen.through.is_empty();
                    shown.records.extend(seen.members.iter().map(|m| m.record));
                }
                Event::Call(funcs) | Event::Return(funcs) if operands::mentions_operands(rule) => {
                    shown.operands.extend(funcs);
                }
                _ => {}
            }
        }
        shown
    }
    fn has(&self, var: VarId) -> bool {
        self.anything || self.vars.contains(&var)
    }
}

/// What is done with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// Nothing.
    Nothing,
    /// It says which way a branch goes that decides nothing. What a map names is still kept for that: without it both
    /// ways would be followed.
    Branches,
    /// It may make a step undefined, which ends the run: a divisor, an index, a pointer that is followed. A pointer
    /// that is kept by default is not worth a state for each of its values for that.
    MayStop,
    /// It decides what is kept or seen.
    Decides,
}

impl Use {
    pub fn when(decides: bool) -> Use {
        match decides {
            true => Use::Decides,
            false => Use::Nothing,
        }
    }
}

/// Where an expression is.
pub(super) type At = (FuncId, BlockId);

fn is_pointer(program: &Program, ty: TypeId) -> bool {
    matches!(program.types[ty], Type::Pointer(_))
}

impl Analysis<'_> {
    /// Whether a use keeps a slot alive.
    fn reaches(&self, use_: Use, slot: &Slot) -> bool {
        match use_ {
            Use::Decides => true,
            Use::MayStop => slot.named || !is_pointer(self.program, slot.cell.ty),
            Use::Branches => slot.named,
            Use::Nothing => false,
        }
    }
    /// The variables that a pointer may lead to.
    fn behind(&self, (func, block): At, pointer: &Expr) -> Vec<VarId> {
        let mut objects = self.points_to.expr(func, block, pointer);
        if objects.contains(&Object::Outside) {
            objects.extend(self.points_to.escaped());
        }
        let vars = objects.into_iter();
        vars.flat_map(|object| object.variables(self.program))
            .collect()
    }
    fn is_shown(&self, vars: &[VarId]) -> bool {
        vars.iter().any(|v| self.shown.has(*v))
    }
    /// Whether an access to a place is an event, which may be in one of these variables.
    fn is_shown_at(&self, place: &Place, vars: &[VarId]) -> bool {
        let records = &self.shown.records;
        self.is_shown(vars)
            || matches!(place.base, Base::Deref(_))
                && (records.iter()).any(|r| accessed(self.program, place, *r).is_some())
    }
    /// Whether some of the variables have cells that are kept.
    fn are_kept(&self, vars: &[VarId]) -> bool {
        let mut slots = vars.iter().flat_map(|v| &self.layout.vars[*v]);
        slots.any(|s| s.cell.kind != Kind::Top)
    }
    fn is_live(&self, live: &Live, slot: &Slot) -> bool {
        let (set, n) = match slot.home {
            Home::Local(n) => (&live.local, n),
            Home::Global(n) => (&live.global, n),
        };
        set[n as usize / 64] >> (n % 64) & 1 == 1
    }
    fn register_is_live(&self, live: &Live, n: usize) -> bool {
        live.local
            .get(n / 64)
            .is_some_and(|word| word >> (n % 64) & 1 == 1)
    }
    /// An expression is evaluated.
    pub(super) fn uses(&self, at: At, live: &mut Live, e: &Expr, use_: Use) {
        match &e.kind {
            ExprKind::Reg(reg) => {
                let wanted = match use_ {
                    Use::Decides => true,
                    Use::MayStop => !is_pointer(self.program, e.ty),
                    Use::Branches | Use::Nothing => false,
                };
                if wanted && reg.index() < self.layout.frame_size(at.0) {
                    put(&mut live.local, reg.index() as u32, true);
                    self.may_stop(at, use_);
                }
            }
            ExprKind::Load { place, .. } => {
                let range = bits(self.program, place);
                let found = match &place.base {
                    Base::Var(var) => vec![*var],
                    Base::Deref(pointer) => self.behind(at, pointer),
                };
                found
                    .iter()
                    .for_each(|var| self.read(at, live, (*var, range), use_));
                let constant = |v: &VarId| self.layout.constants.contains(v);
                let known = self.are_kept(&found) || found.iter().any(constant);
                let place_use = match (use_, range) {
                    _ if self.is_shown_at(place, &found) => {
                        self.matters(at);
                        Use::Decides
                    }
                    // Where it is read matters if something is known of what is there.
                    (Use::Decides, _) if known => Use::Decides,
                    (Use::Branches, Some(_)) => Use::Branches,
                    (_, None) => Use::MayStop,
                    _ => Use::Nothing,
                };
                place.for_each_operand(&mut |e| self.uses(at, live, e, place_use));
            }
            ExprKind::Binary(BinOp::Div | BinOp::Rem | BinOp::Shl | BinOp::Shr, ..)
                if use_ == Use::Nothing =>
            {
                e.for_each_operand(&mut |e| self.uses(at, live, e, Use::MayStop));
            }
            _ => e.for_each_operand(&mut |e| self.uses(at, live, e, use_)),
        }
    }
    /// A part of a variable is read.
    fn read(
        &self,
        at: At,
        live: &mut Live,
        (var, range): (VarId, Option<(i128, i128)>),
        use_: Use,
    ) {
        for slot in &self.layout.vars[var] {
            let inside = range.is_none_or(|(from, to)| slot.overlaps(from, to));
            if inside && self.reaches(use_, slot) {
                live.put(slot.home, true);
                self.may_stop(at, use_);
            }
        }
    }
    /// Whether a run that may stop in a block comes there is seen.
    fn may_stop(&self, at: At, use_: Use) {
        if use_ == Use::MayStop {
            self.matters(at);
        }
    }
    /// All that a pointer leads to is read.
    fn reads_behind(&self, at: At, live: &mut Live, pointer: &Expr, use_: Use) {
        for var in self.behind(at, pointer) {
            self.read(at, live, (var, None), use_);
        }
    }
    /// `place = e`. The value and the place matter if something that is written is read again, or is seen.
    pub(super) fn assigned(&self, at: At, live: &mut Live, place: &Place, e: &Expr) {
        let range = bits(self.program, place);
        let found = match &place.base {
            Base::Var(var) => vec![*var],
            Base::Deref(pointer) => self.behind(at, pointer),
        };
        let hit = |s: &&Slot| range.is_none_or(|(from, to)| s.overlaps(from, to));
        let mut written = (found.iter().flat_map(|v| &self.layout.vars[*v])).filter(hit);
        let decides = self.is_shown_at(place, &found) || written.any(|s| self.is_live(live, s));
        if decides {
            self.matters(at);
        }
        self.kill(live, place);
        self.uses(at, live, e, Use::when(decides));
        let place_use = match (decides, range) {
            (true, _) => Use::Decides,
            (false, None) => Use::MayStop,
            (false, Some(_)) => Use::Nothing,
        };
        place.for_each_operand(&mut |e| self.uses(at, live, e, place_use));
    }
    /// A register gets a value.
    pub(super) fn set(&self, at: At, live: &mut Live, reg: RegId, e: &Expr) {
        let decides = self.register_is_live(live, reg.index());
        if decides {
            self.matters(at);
        }
        put(&mut live.local, reg.index() as u32, false);
        self.uses(at, live, e, Use::when(decides));
    }
    /// What a call reads. `live` is what is live in the callees and after them, and `result` whether the
    /// result is.
    pub(super) fn called(
        &self,
        at: At,
        live: &mut Live,
        (callee, args): (&Callee, &[Expr]),
        result: bool,
    ) {
        if let Callee::Indirect(e) = callee {
            self.uses(at, live, e, Use::Decides);
        }
        let (targets, _) = self.points_to.callees(at.0, at.1, callee);
        let mut decides = vec![false; args.len()];
        let mut behind = None;
        for target in &targets {
            if self.shown.operands.contains(target) {
                decides.fill(true);
            }
            let function = &self.program.funcs[*target];
            if function.body.is_some() {
                for (n, param) in function.params.iter().enumerate().take(args.len()) {
                    decides[n] |= self.parameter_matters(*target, *param);
                }
                continue;
            }
            let matters = self.outside_matters(at, *target, args, result);
            if matters {
                decides.fill(true);
            }
            if library::looks_at_memory(self.program, *target) {
                *behind.get_or_insert(false) |= matters;
            }
        }
        // On whose behalf an object is made decides which it is.
        let site = self.program.heap.sites.get(&at).filter(|_| result);
        if let Some(context) = site.and_then(|site| site.context) {
            self.read(at, live, (context, None), Use::Decides);
        }
        if result || decides.contains(&true) || self.changes_named(at, &targets, args, live) {
            self.matters(at);
        }
        for (e, decides) in args.iter().zip(decides) {
            self.uses(at, live, e, Use::when(decides));
        }
        if behind == Some(true) {
            args.iter()
                .for_each(|e| self.reads_behind(at, live, e, Use::Decides));
        }
    }
    /// Whether a call of functions that nobody knows may change what the map names and is read again.
    fn changes_named(&self, at: At, targets: &[FuncId], args: &[Expr], live: &Live) -> bool {
        let unknown = |f: &FuncId| {
            let absent = self.program.funcs[*f].body.is_none();
            absent && library::may_write(self.program, *f, args.len()).is_none()
        };
        if !targets.is_empty() && !targets.iter().any(unknown) {
            return false;
        }
        let reached = args
            .iter()
            .flat_map(|e| self.points_to.reachable(at.0, at.1, e));
        let mut slots = reached
            .chain(self.points_to.escaped())
            .flat_map(|o| o.variables(self.program))
            .flat_map(|v| &self.layout.vars[v]);
        slots.any(|s| s.named && self.is_live(live, s))
    }
    fn parameter_matters(&self, func: FuncId, param: VarId) -> bool {
        let inside = &self.entries[func][Body::ENTRY];
        let mut slots = self.layout.vars[param].iter();
        self.shown.has(param) || slots.any(|s| self.is_live(inside, s))
    }
    /// Whether arguments of a function without a body decide something that is kept or seen.
    fn outside_matters(&self, at: At, func: FuncId, args: &[Expr], result: bool) -> bool {
        let written = |e: &Expr| {
            let found = self.behind(at, e);
            self.are_kept(&found) || self.is_shown(&found)
        };
        if self.declared.contains(&func) {
            return args.iter().any(written);
        }
        let Some(row) = self.program.known(func) else {
            // What it may write does not depend on where its arguments lead in this state.
            return false;
        };
        let jumps = row.marks().is_some() || row.jumps().is_some();
        if decides(row) || jumps {
            return true;
        }
        let ends = matches!(row.primitive(), Some(Primitive::Free | Primitive::Resize));
        // Which object is gone is asked at every access.
        if self.layout.checked && ends {
            return true;
        }
        if row.primitive() == Some(Primitive::Free) {
            return args.iter().any(written);
        }
        match library::may_write(self.program, func, args.len()) {
            Some(list) => result || list.iter().filter_map(|n| args.get(*n)).any(written),
            // It may write whatever code outside knows, but for what it allocates.
            None => result && row.allocates().is_some(),
        }
    }
    /// `return e`.
    pub(super) fn returned(&self, at: At, live: &mut Live, e: &Expr) {
        let decides = self.results.contains(&at.0) || self.shown.operands.contains(&at.0);
        if decides {
            self.matters(at);
        }
        self.uses(at, live, e, Use::when(decides));
    }
    /// Whether the result of a call is read after it.
    pub(super) fn result_is_live(&self, live: &Live) -> bool {
        self.register_is_live(live, RESULT.index())
    }
}

/// Whether a function decides by its arguments how the run goes on.
fn decides(row: &Row) -> bool {
    row.is_event() || row.assumes().is_some() || row.ends().is_some()
}

/// The indices of a place that a map's event looks at through pointers.
pub(super) fn for_each_load(place: &Place, visit: &mut dyn FnMut(&Place)) {
    let mut look = |e: &Expr| {
        e.walk(&mut |e| {
            if let ExprKind::Load { place, .. } = &e.kind {
                visit(place);
            }
        });
    };
    match &place.base {
        Base::Var(_) => {}
        Base::Deref(e) => look(e),
    }
    for step in &place.path {
        if let Step::Index(e) = step {
            look(e);
        }
    }
}
