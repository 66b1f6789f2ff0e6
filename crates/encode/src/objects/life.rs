//! Which lives of objects the encoding has to follow.

use crate::lives::Lives;
use crate::objects::{ContextId, ObjId, ObjectKind, Objects};
use cwolf_base::Idx;
use cwolf_cwi::graph::{Analysed, Object};
use cwolf_cwi::{BlockId, FuncId, Program, StmtKind, VarId};
use cwolf_known::Row;
use std::sync::Arc;

/// What is known of each function of a program.
pub(crate) struct Rows(Vec<Option<&'static Row>>);

impl Rows {
    pub(crate) fn new(program: &Program) -> Rows {
        let row = |f: &cwolf_cwi::Function| cwolf_known::lookup(&f.name);
        Rows(program.funcs.iter().map(row).collect())
    }
}

impl Objects<'_> {
    /// What the lives of objects in the program are like.
    pub(crate) fn lives(&mut self) -> Arc<Lives> {
        if let Some(known) = &self.lives {
            return known.clone();
        }
        let make = |p: &Analysed| Lives::new(p, p.points_to(), p.calls());
        let lives = self.analyses.analysis(make);
        self.lives = Some(lives.clone());
        lives
    }

    /// Whether the call at the end of a block may go to a function, as the call graph says.
    pub(crate) fn expects_call(&self, func: FuncId, block: BlockId, callee: FuncId) -> bool {
        let calls = self.analyses.calls();
        let call = calls.calls_in(func).iter().find(|c| c.block == block);
        call.is_none_or(|call| call.targets.contains(&callee))
    }

    /// What is known of a function, by name.
    pub(crate) fn row(&self, func: FuncId) -> Option<&'static Row> {
        self.rows.0[func.index()]
    }

    /// Whether the ends of lives of local variables are followed here. Procedures by themselves
    /// are encoded only where no pointer outlives its object.
    pub(crate) fn follows_lives(&self) -> bool {
        self.options.checks.follows_lives() && self.options.mode.procedures().is_none()
    }

    /// Whether a local variable has a cell that says whether it lives.
    pub(crate) fn may_be_dead(&mut self, v: VarId) -> bool {
        self.follows_lives() && self.lives().is_taken(v)
    }

    /// The points-to analysis' name of an object, if it may end.
    fn analysed(&self, object: ObjId) -> Option<Object> {
        match self.objects[object.index()].kind {
            ObjectKind::Local(_, v) => Some(Object::Var(v)),
            ObjectKind::Heap(context, block, _) => {
                Some(Object::Heap(self.contexts[context.index()].func, block))
            }
            _ => None,
        }
    }

    /// Whether an object that stands for several may have been one that has ended.
    pub(crate) fn may_have_ended(&mut self, object: ObjId) -> bool {
        let Some(name) = self.analysed(object) else {
            return false;
        };
        let lives = self.lives();
        match self.objects[object.index()].on_stack {
            true => lives.may_outlive_block(name),
            false => lives.may_be_freed(name),
        }
    }

    /// Whether an object, once there, is where it is for the rest of the run.
    pub(crate) fn stays(&mut self, object: ObjId) -> bool {
        let info = &self.objects[object.index()];
        match info.kind {
            ObjectKind::Global(_) | ObjectKind::Func(_) => true,
            ObjectKind::Heap(..) if info.summary || info.on_stack => false,
            ObjectKind::Heap(..) if self.older.contains_key(&object) => false,
            ObjectKind::Heap(..) => !self.may_have_ended(object),
            _ => false,
        }
    }

    /// Whether an object is not there from the start on, so that it may lie where another one was.
    pub(crate) fn begins(&self, object: ObjId) -> bool {
        use ObjectKind::{Heap, Local, Outside, VarArgs};
        let kind = self.objects[object.index()].kind;
        matches!(kind, Heap(..) | Local(..) | VarArgs(_) | Outside)
    }

    /// Whether code outside the program may ever know where an allocated object is.
    pub(crate) fn may_be_given(&self, object: ObjId) -> bool {
        let name = self.analysed(object);
        name.is_some_and(|name| self.points_to().escaped().contains(&name))
    }

    /// Whether an object is one that may be freed.
    pub(crate) fn is_heap(&self, object: ObjId) -> bool {
        let info = &self.objects[object.index()];
        matches!(info.kind, ObjectKind::Heap(..) | ObjectKind::Outside) && !info.on_stack
    }

    /// Whether a local variable stands for several.
    pub(crate) fn is_several(&self, context: ContextId, v: VarId) -> bool {
        let func = self.contexts[context.index()].func;
        let procedures = self.options.mode.procedures();
        procedures.is_some_and(|p| p.is_several(func, v))
    }

    /// A local variable whose address may be kept where it outlives the variable.
    pub fn may_dangle(&mut self) -> Option<VarId> {
        let early = ends_early(self.program);
        self.lives().outlived(&early)
    }
}

/// Local variables that end before the calls that they belong to.
fn ends_early(program: &Program) -> rustc_hash::FxHashSet<VarId> {
    let mut found = rustc_hash::FxHashSet::default();
    let bodies = program.funcs.iter().filter_map(|f| f.body.as_ref());
    for stmt in bodies.flat_map(|b| b.blocks.iter()).flat_map(|b| &b.stmts) {
        if let StmtKind::Live(v) | StmtKind::Dead(v) = stmt.kind {
            found.insert(v);
        }
    }
    found
}
