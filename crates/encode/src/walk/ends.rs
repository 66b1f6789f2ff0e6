//! The ends of blocks of procedures, and what procedures return.

use crate::cursor::Content;
use crate::objects::{CellKind, ContextId, Repr, cell_width, scalar};
use crate::region::End;
use crate::walk::procedures::Point;
use crate::walk::{Encoder, Item};
use cwolf_cwi::graph::Object;
use cwolf_cwi::{BlockId, Branch, FuncId, Type, TypeId};
use cwolf_logic::{Sort, Term};

impl Encoder<'_> {
    /// The end of a block, merged with another end at the same point.
    pub(crate) fn end_at(&mut self, to: Point, mut item: Item) {
        let context = item.frames[0].context;
        if let Point::Head(_, block) | Point::Call(_, block) = to {
            self.keep_result(context, block, &mut item);
        }
        let result = match to {
            Point::Exit(f) => self.returned(f, item.result.take()),
            _ => None,
        };
        let known = self.out.ends.iter().position(|e| e.to == to);
        let Some(n) = known else {
            self.out.ends.push(End {
                to,
                guard: item.guard,
                state: item.state,
                result,
            });
            return;
        };
        let other = self.out.ends.remove(n);
        let as_result = |t: Option<Term>| t.map(|t| (Content::Scalar(t), cwolf_cwi::Types::INT));
        let old = Item {
            frames: item.frames.clone(),
            guard: other.guard,
            state: other.state,
            result: as_result(other.result),
        };
        item.result = as_result(result);
        let merged = self.merge(old, item);
        let result = match merged.result {
            Some((Content::Scalar(t), _)) => Some(t),
            _ => None,
        };
        self.out.ends.push(End {
            to,
            guard: merged.guard,
            state: merged.state,
            result,
        });
    }

    /// A result that is not used up when a block ends goes into a cell.
    fn keep_result(&mut self, context: ContextId, block: BlockId, item: &mut Item) {
        let Some((content, ty)) = item.result.take() else {
            return;
        };
        let (Content::Scalar(t), Some((bits, repr))) = (content, scalar(&self.program.types, ty))
        else {
            self.lose();
            return;
        };
        let t = self.memory_form(ty, t);
        let known = self.apart().pending.get(&(context, block)).copied();
        let cell = match known {
            Some((other, cell)) if other == ty => cell,
            Some(_) => {
                self.lose();
                return;
            }
            None => {
                let sort = Sort::Bv(cell_width(repr, bits));
                let cell = self.cell(CellKind::Result(context, block), sort, repr);
                let modular = self.modular.as_mut().expect("procedures by themselves");
                modular.pending.insert((context, block), (ty, cell));
                // Blocks that start there have to be encoded with it.
                self.changes += 1;
                cell
            }
        };
        item.state.set(cell, t);
    }

    fn lose(&mut self) {
        let modular = self.modular.as_mut().expect("procedures by themselves");
        modular.lost = true;
    }

    /// What a procedure returns, as its callers see it.
    fn returned(&mut self, func: FuncId, result: Option<(Content, TypeId)>) -> Option<Term> {
        let declared = self.return_type(func);
        let scalar = scalar(&self.program.types, declared).is_some();
        match result {
            Some((Content::Scalar(t), ty)) if ty == declared => Some(self.memory_form(ty, t)),
            _ => {
                if scalar || !matches!(self.program.types[declared], Type::Void) {
                    self.lose();
                }
                None
            }
        }
    }

    pub(super) fn return_type(&self, func: FuncId) -> TypeId {
        match &self.program.types[self.program.funcs[func].ty] {
            Type::Func(f) => f.ret,
            _ => cwolf_cwi::Types::VOID,
        }
    }

    /// The constant that stands for what a procedure returns, if that is a scalar.
    pub fn result_of(&mut self, func: FuncId) -> Option<Term> {
        let declared = self.return_type(func);
        let (bits, repr) = scalar(&self.program.types, declared)?;
        if let Some(&t) = self.apart().results.get(&func) {
            return Some(t);
        }
        let name = format!("{}()#{}", self.program.funcs[func].name, func.0);
        let t = self.terms.constant(&name, Sort::Bv(cell_width(repr, bits)));
        if repr == Repr::Pointer {
            let domain = self.returned_objects(func);
            let mut domain = self.instances(&domain);
            domain.push(crate::objects::ObjId::NULL);
            self.domains.insert(t, domain);
        }
        let modular = self.modular.as_mut().expect("procedures by themselves");
        modular.results.insert(func, t);
        Some(t)
    }

    fn returned_objects(&mut self, func: FuncId) -> Vec<Object> {
        let points_to = self.points_to();
        let declared = self.return_type(func);
        let mut found = Vec::new();
        let blocks = self.program.funcs[func].body.iter();
        for (id, block) in blocks.flat_map(|b| b.blocks.enumerate()) {
            if let Branch::Return(value) = &block.branch {
                match value {
                    Some(e) if e.ty == declared => found.extend(points_to.expr(func, id, e)),
                    // What is returned is lost.
                    _ => found.push(Object::Outside),
                }
            }
        }
        found
    }
}
