//! Calls.

use super::Cx;
use super::conv::Why;
use super::ctype::{CFunc, CTypes, QType};
use super::fold::{Operand, mk};
use super::scope::EntityKind;
use crate::ast;
use crate::hir::{Expr, ExprKind};
use cwolf_base::{Diagnostic, Span, Symbol};

impl Cx<'_> {
    /// `callee(args)`
    pub(super) fn call(&mut self, callee: &ast::Expr, args: &[ast::Expr], span: Span) -> Operand {
        if let ast::ExprKind::Name(name) = callee.kind
            && self.scopes.lookup(name).is_none()
        {
            let text = self.session.names.shared(name);
            if let Some(result) = self.builtin_call(&text, args, span) {
                return result;
            }
            if self.func.is_some() || self.unevaluated > 0 {
                self.declare_implicitly(name, callee.span);
            }
        }
        if let ast::ExprKind::Name(name) = callee.kind
            && let Some(entity) = self.scopes.lookup(name)
            && let EntityKind::Nested(id) = self.entities[entity].kind
        {
            return self.nested_call(id, args, span);
        }
        let callee = self.expr(callee);
        let args = args.iter().map(|a| self.expr(a)).collect();
        self.call_value(callee, args, span)
    }
    /// A call of a function or function pointer with analysed arguments.
    pub(super) fn call_value(
        &mut self,
        callee: Operand,
        args: Vec<Operand>,
        span: Span,
    ) -> Operand {
        let callee = self.rvalue(callee);
        if callee.is_error() {
            // Unsupported arguments still refuse the function.
            for arg in args {
                self.rvalue(arg);
            }
            return Operand::error(span);
        }
        let func = self
            .types
            .pointee(callee.ty.ty)
            .and_then(|to| self.types.as_func(to.ty));
        let Some(func) = func else {
            let shown = self.show(callee.ty);
            self.error(span, format!("only functions can be called, not {shown}"));
            return Operand::error(span);
        };
        if let Some(what) = self.types.unsupported(func.ret.ty) {
            self.unsupported(span, what);
            return Operand::error(span);
        }
        let ret = func.ret.unqualified();
        if !self.types.is_void(ret.ty) && !self.types.is_complete(ret.ty) {
            let shown = self.show(ret);
            self.error(
                span,
                format!("the function returns the incomplete type {shown}"),
            );
            return Operand::error(span);
        }
        let args = self.arguments(&func, args, &callee.e, span);
        let (halt, noreturn) = match callee.e.kind {
            ExprKind::FuncAddr(id) => {
                let f = &self.program.funcs[id];
                (f.name == "__cwolf_halt", f.noreturn)
            }
            _ => (false, false),
        };
        let id = self.cwi(ret.ty);
        if halt && args.len() == 1 {
            let status = args.into_iter().next().expect("there is one");
            let kind = ExprKind::Halt(Box::new(status));
            return Operand::value(
                mk(cwolf_cwi::Types::VOID, kind, span),
                QType::plain(CTypes::VOID),
            );
        }
        let kind = ExprKind::Call {
            callee: Box::new(callee.e),
            args,
            noreturn,
        };
        Operand::value(mk(id, kind, span), ret)
    }
    fn arguments(
        &mut self,
        func: &CFunc,
        args: Vec<Operand>,
        callee: &Expr,
        span: Span,
    ) -> Vec<Expr> {
        if func.prototype {
            let (given, wanted) = (args.len(), func.params.len());
            let too_few = given < wanted;
            if too_few || (given > wanted && !func.variadic) {
                self.wrong_count(callee, given, wanted, span);
            }
        }
        let mut out = Vec::with_capacity(args.len());
        for (n, arg) in args.into_iter().enumerate() {
            match func.params.get(n) {
                Some(&ty) if func.prototype => {
                    out.push(self.assign_convert(arg, ty, Why::Argument(n + 1)));
                }
                _ => {
                    let span = arg.e.span;
                    let arg = self.default_promote(arg);
                    if self.types.is_void(arg.ty.ty) {
                        self.error(span, "this has no value to pass ('void')");
                    }
                    out.push(arg.e);
                }
            }
        }
        out
    }
    fn wrong_count(&mut self, callee: &Expr, given: usize, wanted: usize, span: Span) {
        let few = if given < wanted { "few" } else { "many" };
        let mut d = Diagnostic::error(
            span,
            format!("too {few} arguments: {wanted} expected, {given} given"),
        );
        if let ExprKind::FuncAddr(id) = callee.kind {
            let name = self.program.funcs[id].name.clone();
            let symbol = self.session.names.lookup(&name);
            let declared = symbol.and_then(|s| self.linked.get(&s)).copied();
            if let Some(declared) = declared {
                d = d.related(
                    self.entities[declared].span,
                    format!("'{name}' is declared here"),
                );
            }
        }
        self.error_with(d);
    }
    /// A call of a function that the compiler knows by name, declared or not.
    pub(super) fn call_known(
        &mut self,
        name: &str,
        ty: super::ctype::CTy,
        noreturn: bool,
        args: Vec<Operand>,
        span: Span,
    ) -> Operand {
        // `double fabs(double x) { return __builtin_fabs(x); }`: the compiler's own, not this one again.
        let own = |f: &super::func::FnState| self.program.funcs[f.id].name == name;
        let decorated = match self.func.as_ref().is_some_and(own) {
            true => &format!("__builtin_{name}"),
            false => name,
        };
        let symbol: Symbol = self.session.names.intern(decorated);
        let known = self.linked.get(&symbol).copied();
        let known = known.filter(|id| matches!(self.entities[*id].kind, EntityKind::Function(_)));
        let id = known.unwrap_or_else(|| self.add_known(symbol, ty, noreturn, span));
        let ty = self.entities[id].ty;
        let func = self.use_function(id);
        let pointer = self.pointer_to(ty);
        let pointer = self.cwi(pointer.ty);
        let callee = Operand::value(mk(pointer, ExprKind::FuncAddr(func), span), ty);
        self.call_value(callee, args, span)
    }
    fn add_known(
        &mut self,
        name: Symbol,
        ty: super::ctype::CTy,
        noreturn: bool,
        span: Span,
    ) -> super::scope::EntityId {
        let id = self.entities.push(super::scope::Entity {
            name,
            ty: QType::plain(ty),
            span,
            kind: EntityKind::Function(super::scope::FunctionInfo {
                func: None,
                linkage: cwolf_cwi::Linkage::External,
                defined: false,
                inline_only: false,
                noreturn,
                weak: false,
                constructor: None,
                destructor: None,
                alias: None,
                label: None,
                implicit: true,
            }),
        });
        self.linked.insert(name, id);
        id
    }
}
