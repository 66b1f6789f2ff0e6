//! Calls: each ends a block, and its result is fetched from register 0 in the next one.

use super::Lower;
use crate::hir::{self, ExprKind as H};
use crate::lower::effects::Effect;
use cwolf_base::Span;
use cwolf_cwi::{Branch, Callee, Expr, ExprKind, FuncId, LocId, RESULT, Type, TypeId, Types};

impl<'a> Lower<'a> {
    /// A call. The result means something only if it is `used`.
    pub(super) fn call(
        &mut self,
        e: &'a hir::Expr,
        callee: &'a hir::Expr,
        args: &'a [hir::Expr],
        noreturn: bool,
        used: bool,
    ) -> Expr {
        let mut operands = Vec::with_capacity(args.len() + 1);
        let direct = match callee.kind {
            H::FuncAddr(id) => Some(id),
            _ => {
                let pointer = self.value(callee);
                operands.push((self.code.mark(), pointer));
                None
            }
        };
        for arg in args {
            let value = self.value(arg);
            operands.push((self.code.mark(), value));
        }
        self.settle_all(e.span, &mut operands);
        let mut operands = operands.into_iter().map(|(_, value)| value);
        let callee = match direct {
            Some(id) => Callee::Direct(id),
            None => Callee::Indirect(operands.next().expect("the callee comes first")),
        };
        let args = operands.collect();
        let loc = self.loc(e.span);
        self.call_ready(loc, callee, args, e.ty, noreturn);
        if used && e.ty != Types::VOID {
            self.result(loc, e.ty, noreturn)
        } else {
            Expr::int(Types::INT, 0)
        }
    }
    fn result(&mut self, loc: LocId, ty: TypeId, noreturn: bool) -> Expr {
        if noreturn {
            return self.unknown(loc, ty);
        }
        self.keep(loc, Expr::reg(ty, RESULT))
    }
    /// Ends the block with a call of operands that are ready.
    fn call_ready(
        &mut self,
        loc: LocId,
        callee: Callee,
        args: Vec<Expr>,
        ret: TypeId,
        noreturn: bool,
    ) {
        let after = self.code.new_block();
        let next = (!noreturn).then_some(after);
        self.code.journal.push(Effect::Call);
        self.code.end(
            loc,
            Branch::Call {
                callee,
                args,
                ret,
                next,
            },
        );
        self.code.start(after);
    }
    /// `size` fresh bytes that live until the enclosing block ends, as a `ty`.
    pub(super) fn allocate(&mut self, loc: LocId, ty: TypeId, size: Expr) -> Expr {
        let word = self.program.target().word(false);
        let word = self.program.types.intern(Type::Int(word));
        let pointer = self.program.types.pointer(Types::VOID);
        let id = self.runtime("__builtin_alloca", vec![word], pointer);
        let size = Expr::cast(word, size);
        self.call_ready(loc, Callee::Direct(id), vec![size], pointer, false);
        let bytes = self.keep(loc, Expr::reg(pointer, RESULT));
        Expr::cast(ty, bytes)
    }
    /// Where the stack ends now, to be given to [`Lower::restore_stack`].
    pub(super) fn save_stack(&mut self, loc: LocId) -> Expr {
        let pointer = self.program.types.pointer(Types::VOID);
        let id = self.runtime("__builtin_stack_save", Vec::new(), pointer);
        self.call_ready(loc, Callee::Direct(id), Vec::new(), pointer, false);
        self.keep(loc, Expr::reg(pointer, RESULT))
    }
    /// Frees what was allocated since `saved`.
    pub(super) fn restore_stack(&mut self, span: Span, saved: Expr) {
        debug_assert!(matches!(saved.kind, ExprKind::Reg(_)));
        let loc = self.loc(span);
        let id: FuncId = self.runtime("__builtin_stack_restore", vec![saved.ty], Types::VOID);
        self.call_ready(loc, Callee::Direct(id), vec![saved], Types::VOID, false);
    }
}
