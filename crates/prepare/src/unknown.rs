//! What a function may do that nobody knows: it has no body, and the table has no row for it.
//!
//! It knows the variables with external linkage, what it is given, what it was given before, and all
//! that can be reached from there. It may change all of that, and return any of it, or a pointer to
//! memory of its own. That it calls functions of the program is what [`calls_back`] is about.

mod maker;

pub(crate) use maker::{Given, Maker, fitting, function_outside};
use maker::{function_parts, function_types_behind, functions_of};

use crate::given::{holds_pointer, numbers, pointers};
use crate::mentioned::variables;
use crate::numbers::Numbers;
use crate::subject::Extern;
use crate::variable::assign_unknown;
use cwolf_cwi::graph::{Object, PointsTo};
use cwolf_cwi::{
    Definition, Expr, FuncId, Linkage, LocId, Origin, Place, Program, StmtKind, Type, TypeId, Var,
    VarId, VarKind,
};

/// Larger variables are not chosen scalar by scalar: what they hold is settled where it is read.
pub(crate) const LARGE: u64 = 256;

/// Variables that code outside knows by name, as far as the program's own code has to do with them.
/// Those of the C library are its own.
pub(crate) fn visible(program: &Program) -> Vec<VarId> {
    let mentioned = variables(program, |function| function.origin == Origin::Program);
    // A pointer that only code outside reads leads to what the program reads.
    let leads = |id: &VarId| holds_pointer(program, program.vars[*id].ty);
    let mut vars = known_by_name(program);
    vars.retain(|id| leads(id) || mentioned.contains(id));
    vars
}

/// All variables that code outside knows by name.
pub(crate) fn known_by_name(program: &Program) -> Vec<VarId> {
    let known = |id: &VarId| {
        let var = &program.vars[*id];
        let library = var.definition == Definition::Declared && cwolf_interp::provides(&var.name);
        let named = var.kind == VarKind::Global && var.linkage == Linkage::External;
        let sized = program.types.size_of(var.ty) > 0;
        named && sized && !library
    };
    program.vars.ids().filter(known).collect()
}

/// The body of a function that does anything it may.
/// `known`: where it finds addresses in numbers.
pub(crate) fn stub(
    program: &mut Program,
    func: FuncId,
    externs: Extern,
    visible: &[VarId],
    known: &Numbers,
    given: &Given,
) {
    let Type::Func(ty) = program.types[program.funcs[func].ty].clone() else {
        return;
    };
    let loc = program.funcs[func].loc;
    let name = program.funcs[func].name.clone();
    let param = |(n, ty): (usize, &TypeId), program: &mut Program| {
        let kind = VarKind::Param(func);
        program.add_variable(format!("argument{}", n + 1), *ty, kind, loc)
    };
    let params = ty.params.iter().enumerate();
    let params: Vec<VarId> = params.map(|p| param(p, program)).collect();
    let args: Vec<Expr> = params
        .iter()
        .map(|v| Expr::load(Place::var(program.vars[*v].ty, *v)))
        .collect();
    let mut maker = Maker::new(program, func, given);
    if externs == Extern::Havoc {
        for var in visible {
            // What a number leads to is known before the number is overwritten.
            if known.vars.contains(var) {
                maker.forget(Place::var(maker.program.vars[*var].ty, *var));
            }
            maker.write(*var);
        }
        maker.set_errno();
    }
    if matches!(externs, Extern::Havoc | Extern::Arguments) {
        for (n, arg) in args.iter().enumerate() {
            let mut leads = pointers(maker.program, arg);
            if known.args.contains(&(func, n)) {
                leads.extend(numbers(maker.program, arg));
            }
            for ptr in leads {
                maker.push(StmtKind::Havoc { ptr, size: None });
            }
        }
    }
    if externs == Extern::Havoc {
        let null = Expr::int(maker.void(), 0);
        let (ptr, size) = (null, None);
        maker.push(StmtKind::Havoc { ptr, size });
        // Last: what a function was given before may be all of these.
        for var in visible {
            maker.functions_in(*var);
        }
        for arg in &args {
            maker.functions_behind(arg, &name);
        }
    }
    let mut value = None;
    if !matches!(maker.program.types[ty.ret], Type::Void) {
        let result = maker.local("result", ty.ret);
        maker.push(assign_unknown(result.clone(), loc).kind);
        if externs == Extern::Havoc {
            maker.result(&result, &args, visible, &name);
        }
        value = Some(Expr::load(result));
    }
    maker.finish(value);
    let function = &mut program.funcs[func];
    function.params = params;
    function.definition = Definition::Defined;
    if function.origin != Origin::Assembly {
        function.origin = Origin::Stub;
    }
}

/// Adds the functions without a body that such functions return, or put where others find them.
pub(crate) fn add_returned(
    program: &mut Program,
    missing: &mut Vec<FuncId>,
    visible: &[VarId],
    given: &Given,
) {
    if missing.is_empty() {
        return;
    }
    for var in visible {
        let Var { name, ty, loc, .. } = program.vars[*var].clone();
        for (_, to) in function_parts(program, &Place::var(ty, *var)) {
            add_function(program, missing, (&name, to, loc), given);
        }
    }
    let mut next = 0;
    while let Some(func) = missing.get(next).copied() {
        next += 1;
        let function = &program.funcs[func];
        let (name, loc) = (function.name.clone(), function.loc);
        let Type::Func(ty) = program.types[function.ty].clone() else {
            continue;
        };
        let mut found: Vec<TypeId> = program.types.pointee(ty.ret).into_iter().collect();
        for param in ty.params {
            found.extend(function_types_behind(program, param));
        }
        for to in found {
            add_function(program, missing, (&name, to, loc), given);
        }
    }
}

/// The functions of a type that a pointer may lead to that code outside makes.
fn add_function(
    program: &mut Program,
    missing: &mut Vec<FuncId>,
    (name, ty, loc): (&str, TypeId, LocId),
    given: &Given,
) {
    if !given.called.contains(&ty) {
        return;
    }
    let outside = function_outside(program, name, ty, loc);
    let others = functions_of(program, given, ty).into_iter();
    let absent = others.filter(|f| program.funcs[*f].body.is_none());
    for func in absent.chain([outside]) {
        if !missing.contains(&func) {
            missing.push(func);
        }
    }
}

/// Functions of the program that code outside may call, since it knows their address, and the first of
/// the unknown functions that may get to know each.
pub(crate) fn calls_back(program: &Program, unknown: &[FuncId]) -> Vec<(FuncId, FuncId)> {
    let points_to = PointsTo::new(program);
    let own = |f: FuncId| {
        let function = &program.funcs[f];
        function.body.is_some() && function.origin == Origin::Program
    };
    let mut found: Vec<(FuncId, FuncId)> = Vec::new();
    for func in unknown {
        let Some(body) = &program.funcs[*func].body else {
            continue;
        };
        for (id, block) in body.blocks.enumerate() {
            for stmt in &block.stmts {
                let StmtKind::Havoc { ptr, size: None } = &stmt.kind else {
                    continue;
                };
                for object in points_to.changed_outside(*func, id, ptr) {
                    if let Object::Func(f) = object
                        && own(f)
                        && found.iter().all(|(_, back)| *back != f)
                    {
                        found.push((*func, f));
                    }
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use cwolf_cfront::{Options, compile_text};
    use cwolf_cwi::Types;

    fn compiled(text: &str) -> Program {
        let compiled = compile_text("t.c", text.as_bytes(), &Options::default());
        compiled.program.expect("it compiles")
    }

    fn names(program: &Program, vars: &[VarId]) -> Vec<String> {
        let name = |v: &VarId| program.vars[*v].name.clone();
        vars.iter().map(name).collect()
    }

    #[test]
    fn other_files_know_variables_with_external_linkage() {
        let program = compiled(
            "int a, unused; static int b; extern int c; const int d = 1; int *e = &a;
            int main(void) { static int f; int g = a + b + c + d + f; return g + *e; }",
        );
        let mut found = names(&program, &visible(&program));
        found.sort_unstable();
        assert_eq!(found, ["a", "c", "d", "e"]);
    }

    #[test]
    fn a_pointer_fits_parts_of_its_type() {
        let mut program = compiled(
            "struct s { char c[3]; struct { short h; unsigned u; } in[2]; float f; } s;
            int main(void) { return s.c[0]; }",
        );
        let var = visible(&program)[0];
        let double = Type::Float(cwolf_cwi::FloatTy::F64);
        let double = program.types.intern(double);
        let fits = |to: TypeId| fitting(&program, Place::var(program.vars[var].ty, var), to);
        assert_eq!(fits(Types::INT).expect("the unsigned").path.len(), 3);
        assert!(fits(Types::CHAR).expect("bytes fit all").path.is_empty());
        assert!(fits(double).is_none());
    }

    #[test]
    fn functions_are_given_in_structures_and_variables() {
        let text = "struct h { int k; void (*run)(void); }; static void a(void) {} static void b(void) {}
            static void c(void) {} void (*table[1])(void) = {b}; void give(struct h *); void poke(void);
            int main(void) { struct h h = {1, a}; void (*mine)(void) = c; mine(); give(&h); poke(); return table[0] == 0; }";
        let mut program = compiled(text);
        let visible = visible(&program);
        let unknown: Vec<FuncId> = ["give", "poke"]
            .iter()
            .filter_map(|name| program.function(name))
            .collect();
        for func in &unknown {
            stub(
                &mut program,
                *func,
                Extern::Havoc,
                &visible,
                &Numbers::default(),
                &Given::default(),
            );
        }
        let mut backs: Vec<&str> = calls_back(&program, &unknown)
            .iter()
            .map(|(_, back)| program.funcs[*back].name.as_str())
            .collect();
        backs.sort_unstable();
        assert_eq!(backs, ["a", "b"]);
    }
}
