//! Functions that engines do themselves: allocating, freeing, filling, copying.

use crate::graph::{Kind, Object, Ptr, Val};
use crate::memory::At;
use crate::world::{Res, Stop, give_up};
use cwolf_cwi::{BinOp, Expr, TypeId};
use cwolf_known::Primitive;
use cwolf_numeric::{Num, arith};

/// States with what was returned in each.
pub(crate) type Results<'w, 'p> = Vec<(At<'w, 'p>, Option<Val>)>;

impl<'w, 'p> At<'w, 'p> {
    pub(crate) fn primitive(
        &mut self,
        primitive: Primitive,
        args: &[Expr],
        ret: TypeId,
    ) -> Res<Results<'w, 'p>> {
        let one = |at: &At<'w, 'p>, val: Option<Val>| Ok(vec![(at.clone(), val)]);
        match primitive {
            Primitive::Allocate | Primitive::AllocateZeroed => {
                let Some((size, large)) = self.amount(args)? else {
                    return give_up("an unknown number of bytes is allocated");
                };
                let mut all = Vec::new();
                if large {
                    all.push((self.clone(), Some(Val::Const(0))));
                }
                if let Some(size) = size {
                    let zero = primitive == Primitive::AllocateZeroed;
                    let mut at = self.clone();
                    let id = at.g.add(Object::new(Kind::Heap, size, zero));
                    let p = Val::Ptr(Ptr::to(id, 0));
                    all.push((at, Some(p)));
                }
                Ok(all)
            }
            Primitive::AllocateOnStack => {
                let Some((Some(size), false)) = self.amount(&args[..1])? else {
                    return give_up("an unknown number of bytes is allocated on the stack");
                };
                let id = self.g.add(Object::new(Kind::Stack, size, false));
                self.g.frame_mut().stack.push(id);
                one(self, Some(Val::Ptr(Ptr::to(id, 0))))
            }
            Primitive::SaveStack => {
                let depth = self.g.frame().stack.len();
                one(self, Some(Val::Const(depth as i128)))
            }
            Primitive::RestoreStack => {
                let Val::Const(depth) = self.eval(&args[0])? else {
                    return give_up("the stack is set back to an unknown place");
                };
                let depth = (depth as usize).min(self.g.frame().stack.len());
                for id in self.g.frame_mut().stack.split_off(depth) {
                    self.g.end(id);
                }
                one(self, None)
            }
            Primitive::Free => {
                let p = self.eval(&args[0])?;
                self.release(&p)?;
                one(self, None)
            }
            Primitive::Resize => self.resize(args),
            Primitive::Fill => {
                let to = self.eval(&args[0])?;
                let byte = self.eval(&args[1])?;
                let Some(size) = self.number(&args[2])? else {
                    return give_up("an unknown number of bytes is written");
                };
                self.overwrite(&to, &size, byte == Val::Const(0))?;
                one(self, Some(to))
            }
            Primitive::Copy | Primitive::Move => {
                let (to, from) = (self.eval(&args[0])?, self.eval(&args[1])?);
                let Some(size) = self.number(&args[2])? else {
                    return give_up("an unknown number of bytes is copied");
                };
                self.copy(&to, &from, &size)?;
                one(self, Some(to))
            }
            Primitive::Float(_) => {
                let val = self.unknown(ret);
                one(self, Some(val))
            }
        }
    }

    /// How many bytes are asked for: those that there may be, and whether it may be too many for any object.
    fn amount(&mut self, args: &[Expr]) -> Res<Option<(Option<Num>, bool)>> {
        let word = self.world.program.target().word(false);
        let limit = 1i128 << (word.bits - 1);
        let mut all = Num::constant(1);
        let mut large = false;
        for arg in args {
            let Some(num) = self.number(arg)? else {
                return Ok(None);
            };
            large |= arith::binary_fits(BinOp::Mul, word, &all, &num) != Some(true);
            match arith::binary(BinOp::Mul, word, &all, &num).num {
                Some(product) => all = product,
                None => return Ok(None),
            }
        }
        large |= all.bounds().1 >= limit;
        Ok(Some((all.meet(&Num::range(0, limit - 1)), large)))
    }

    /// An allocated object ends.
    fn release(&mut self, p: &Val) -> Res<()> {
        let p = match p {
            Val::Const(0) => return Ok(()),
            Val::Ptr(p) => *p,
            Val::Const(_) | Val::Func(_) => {
                return self.undefined("what is freed is not an object");
            }
            _ => return give_up("an unknown pointer is freed"),
        };
        let object = self.g.object(p.obj);
        if object.seg.is_some() {
            return Err(Stop::Split(p.obj, p.end));
        }
        if object.kind != Kind::Heap || !object.valid || p.exact() != Some(0) {
            return self.undefined("what is freed was not allocated");
        }
        self.g.end(p.obj);
        Ok(())
    }

    fn resize(&mut self, args: &[Expr]) -> Res<Results<'w, 'p>> {
        let p = self.eval(&args[0])?;
        if p == Val::Const(0) {
            return self.primitive(Primitive::Allocate, &args[1..2], args[0].ty);
        }
        let old = match &p {
            Val::Ptr(p) => *p,
            _ => return give_up("an unknown pointer is given another size"),
        };
        let object = self.g.object(old.obj);
        if object.seg.is_some() {
            return Err(Stop::Split(old.obj, old.end));
        }
        let fresh = object.kind == Kind::Heap && object.valid && old.exact() == Some(0);
        if !fresh {
            return self.undefined("what gets another size was not allocated");
        }
        let Some((size, large)) = self.amount(&args[1..2])? else {
            return give_up("an unknown number of bytes is allocated");
        };
        let mut all = Vec::new();
        if large {
            all.push((self.clone(), Some(Val::Const(0))));
        }
        let Some(size) = size else {
            return Ok(all);
        };
        if size.contains(0) {
            let mut at = self.clone();
            at.g.end(old.obj);
            all.push((at, Some(Val::Const(0))));
        }
        if let Some(size) = size.without(0) {
            let mut at = self.clone();
            let mut new = Object::new(Kind::Heap, size, false);
            let kept = at.g.object(old.obj).least_size().min(new.least_size());
            let kept = i64::try_from(kept).unwrap_or(0).min(1 << 30) * 8;
            let copied = at.copy_out(old.obj, 0, kept);
            new.valid = true;
            let id = at.g.add(new);
            at.copy_in(id, 0, copied);
            at.g.end(old.obj);
            all.push((at, Some(Val::Ptr(Ptr::to(id, 0)))));
        }
        Ok(all)
    }

    fn copy(&mut self, to: &Val, from: &Val, size: &Num) -> Res<()> {
        if size.bounds().1 == 0 {
            return Ok(());
        }
        let Some(bytes) = size.as_constant().and_then(|s| i64::try_from(s).ok()) else {
            return self.overwrite(to, size, false);
        };
        if bytes > 1 << 30 {
            return self.overwrite(to, size, false);
        }
        let source = self.piece_at(from, (0, 0), bytes * 8)?;
        let target = self.piece_at(to, (0, 0), bytes * 8)?;
        let (Some(source_at), Some(target_at)) = (exact(source.at), exact(target.at)) else {
            return self.overwrite(to, size, false);
        };
        let copied = self.copy_out(source.obj, source_at, source_at + bytes * 8);
        self.copy_in(target.obj, target_at, copied);
        Ok(())
    }
}

fn exact(at: (i64, i64)) -> Option<i64> {
    (at.0 == at.1).then_some(at.0)
}
