//! Weak references that nothing defines are null, as gcc's linker makes them.

use crate::code::{Base, Branch, Callee, Expr, ExprKind, FuncId, Place, StmtKind, VarId};
use crate::program::{Definition, InitValue, Program};
use crate::types::TypeId;
use crate::value;
use rustc_hash::FxHashMap;

/// What is absent, with the types of the null pointers that stand for it.
#[derive(Default)]
struct Absent {
    funcs: FxHashMap<FuncId, TypeId>,
    vars: FxHashMap<VarId, TypeId>,
}

/// Makes the address of each weak reference null, unless the program defines it or it is
/// `provided` (by the C library, say). To be called when no further part can come.
pub fn settle(program: &mut Program, provided: &dyn Fn(&str) -> bool) {
    let absent = Absent::find(program, provided);
    if absent.funcs.is_empty() && absent.vars.is_empty() {
        return;
    }
    for function in program.funcs.iter_mut() {
        for block in function.body.iter_mut().flat_map(|b| b.blocks.iter_mut()) {
            for stmt in &mut block.stmts {
                if let StmtKind::Assign(place, _) = &mut stmt.kind {
                    absent.in_base(place);
                }
                stmt.kind.for_each_expr_mut(&mut |e| absent.in_expr(e));
            }
            absent.in_branch(&mut block.branch);
        }
    }
    let types = &program.types;
    for item in program.vars.iter_mut().flat_map(|v| &mut v.init) {
        let offset = match item.value {
            InitValue::Func(f) if absent.funcs.contains_key(&f) => 0,
            InitValue::Addr(v, offset) if absent.vars.contains_key(&v) => offset,
            _ => continue,
        };
        let int = value::int_type(types, item.ty);
        let address = int.map_or(0, |int| value::wrap(int, offset.into()));
        item.value = InitValue::Int(address);
    }
}

impl Absent {
    fn find(program: &mut Program, provided: &dyn Fn(&str) -> bool) -> Absent {
        let mut absent = Absent::default();
        let missing = |weak: bool, definition: Definition, name: &str| {
            weak && definition == Definition::Declared && !provided(name)
        };
        for (id, func) in program.funcs.enumerate() {
            if missing(func.weak, func.definition, &func.name) {
                absent.funcs.insert(id, program.types.pointer(func.ty));
            }
        }
        for (id, var) in program.vars.enumerate() {
            if missing(var.weak, var.definition, &var.name) {
                absent.vars.insert(id, program.types.pointer(var.ty));
            }
        }
        absent
    }

    fn in_base(&self, place: &mut Place) {
        if let Base::Var(var) = place.base
            && let Some(pointer) = self.vars.get(&var)
        {
            place.base = Base::Deref(Box::new(Expr::int(*pointer, 0)));
        }
    }

    fn in_expr(&self, e: &mut Expr) {
        match &mut e.kind {
            ExprKind::FuncAddr(func) if self.funcs.contains_key(func) => {
                e.kind = ExprKind::Int(0);
            }
            ExprKind::Load { place, .. } | ExprKind::AddrOf(place) => self.in_base(place),
            _ => {}
        }
        e.for_each_operand_mut(&mut |e| self.in_expr(e));
    }

    /// A call of what is absent is a call through a null pointer.
    fn in_branch(&self, branch: &mut Branch) {
        if let Branch::Call { callee, .. } = branch
            && let Callee::Direct(func) = *callee
            && let Some(pointer) = self.funcs.get(&func)
        {
            *callee = Callee::Indirect(Expr::int(*pointer, 0));
        }
        branch.for_each_expr_mut(&mut |e| self.in_expr(e));
    }
}
