//! Arguments come to lie in parameters; who is called.

use crate::cursor::{Content, Cursor};
use crate::evaluate::Evaluator;
use crate::memory::State;
use crate::objects::{ContextId, Leaf, ObjId, ObjectKind, leaves};
use crate::region::Why;
use cwolf_base::Idx;
use cwolf_cwi::{Expr, FuncId, TypeId, VarId};
use cwolf_logic::{Term, Terms};
use rustc_hash::FxHashMap;

impl Evaluator<'_> {
    /// The parameters of the function that runs start at.
    pub(crate) fn entry_arguments(&mut self, context: ContextId, state: &mut State) {
        let func = self.contexts[context.index()].func;
        let params = self.program.funcs[func].params.clone();
        for param in params {
            let object = self.object(ObjectKind::Local(context, param));
            self.lay_out(object, None);
            let layout = self.objects[object.index()]
                .layout
                .as_ref()
                .expect("laid out")
                .clone();
            for (leaf, cell) in layout.leaves.iter().zip(&layout.cells) {
                if leaf.array.is_none() {
                    let any = self.any(leaf.bits, leaf.repr, &[ObjId::OUTSIDE]);
                    state.set(*cell, any);
                }
            }
        }
    }

    /// The memory in which the parameters of a call hold their arguments.
    pub(crate) fn pass(
        &mut self,
        here: &mut Cursor,
        context: ContextId,
        params: &[VarId],
        args: &[Expr],
        values: &[Content],
    ) -> State {
        let mut stores = Vec::new();
        for (n, param) in params.iter().enumerate() {
            let ty = self.program.vars[*param].ty;
            let value = match (values.get(n), args.get(n)) {
                (Some(v), Some(e)) => self.convert_argument(here, v.clone(), e.ty, ty, e),
                _ => match self.program.types.is_scalar(ty) {
                    true => Content::Scalar(self.any_value(ty)),
                    false => Content::Parts(Vec::new()),
                },
            };
            stores.push((*param, ty, value));
        }
        let mut inner = Cursor {
            context,
            ..here.clone()
        };
        for (param, ty, value) in stores {
            let object = self.object(ObjectKind::Local(context, param));
            if let Some(cell) = self.objects[object.index()].valid_cell {
                inner.state.set(cell, Terms::TRUE);
            }
            let place = cwolf_cwi::Place::var(ty, param);
            self.write(&mut inner, &place, value);
        }
        here.guard = inner.guard;
        inner.state
    }

    /// Lays the unnamed arguments of a call out.
    pub(crate) fn pass_unnamed(
        &mut self,
        cur: &mut Cursor,
        context: ContextId,
        args: &[Expr],
        values: &[Content],
    ) {
        let word = self.program.types.target().pointer_size();
        let object: ObjId = self.object(ObjectKind::VarArgs(context));
        let (mut all, mut contents) = (Vec::new(), Vec::new());
        let mut at = 0;
        for (arg, value) in args.iter().zip(values) {
            let mut parts = leaves(&self.program.types, arg.ty).unwrap_or_default();
            contents.extend(self.contents_of(arg.ty, value, &parts));
            for part in &mut parts {
                part.bit += at * 8;
            }
            all.extend(parts);
            at += self.program.types.size_of(arg.ty).next_multiple_of(word);
        }
        if self.objects[object.index()].layout.is_none() {
            self.objects[object.index()].size = Some(at);
            self.set_layout(object, Some(all));
        }
        let cells = self.objects[object.index()]
            .layout
            .as_ref()
            .expect("laid out")
            .cells
            .clone();
        for (content, cell) in contents.into_iter().zip(cells) {
            cur.state.set(cell, content);
        }
    }

    /// What the parts of a value hold in memory; anything, where nothing is known of it.
    fn contents_of(&mut self, ty: TypeId, value: &Content, parts: &[Leaf]) -> Vec<Term> {
        let known: FxHashMap<u64, Term> = match value {
            Content::Scalar(t) => [(0, self.memory_form(ty, *t))].into_iter().collect(),
            Content::Parts(parts) => parts.iter().map(|(bit, _, _, t)| (*bit, *t)).collect(),
        };
        let mut contents = Vec::with_capacity(parts.len());
        for part in parts {
            let content = known.get(&part.bit).copied();
            contents.push(content.unwrap_or_else(|| self.undefined(part.sort(), part.repr)));
        }
        contents
    }

    /// The functions that a call through a pointer may go to, and when.
    pub(crate) fn called(&mut self, cur: &mut Cursor, e: &Expr) -> Vec<(Term, FuncId)> {
        let p = self.eval(cur, e);
        let zero = self.terms.bv(crate::objects::OFFSET_BITS, 0);
        let targets = self.targets(p, zero);
        let mut found = Vec::new();
        let mut valid = Terms::FALSE;
        for target in targets {
            match self.objects[target.object.index()].kind {
                ObjectKind::Func(f) => {
                    valid = self.terms.or(valid, target.guard);
                    found.push((target.guard, f));
                }
                ObjectKind::Outside => {
                    // Code that the program does not show.
                    let guard = self.terms.and(cur.guard, target.guard);
                    let why = Why::Unsupported("a call through a pointer from outside".into());
                    self.out.incomplete.push((guard, why));
                }
                _ => {}
            }
        }
        self.only_or_give_up(cur, valid, "a call through an invalid pointer");
        found
    }
}
