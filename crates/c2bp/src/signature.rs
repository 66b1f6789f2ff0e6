//! What callers know of a procedure (section 4.5.2).

use crate::effects::Effects;
use crate::predicate::{dereferenced, vars};
use cwolf_cwi::{Branch, ExprKind, FuncId, Predicate, Program, StmtKind, VarId, VarKind};
use rustc_hash::FxHashSet;

/// The signature of a procedure; predicates are numbers in the list of all predicates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signature {
    /// The return variable, if every return gives the same variable.
    pub result: Option<VarId>,
    /// E_f: predicates over what the caller knows at the call.
    pub formals: Vec<usize>,
    /// E_r: predicates that the procedure returns.
    pub returns: Vec<usize>,
    /// The predicates local to the procedure that are no formals.
    pub locals: Vec<usize>,
}

impl Signature {
    /// The signature of `func` under `predicates`.
    pub fn new(
        program: &Program,
        predicates: &[Predicate],
        effects: &Effects,
        func: FuncId,
    ) -> Signature {
        let result = return_variable(program, func);
        let function = &program.funcs[func];
        let formals: FxHashSet<VarId> = function.params.iter().copied().collect();
        let is_local = |v: &VarId| match program.vars[*v].kind {
            VarKind::Local(_) | VarKind::Temp(_) => true,
            VarKind::Param(f) => f != func,
            _ => false,
        };
        let is_global = |v: &VarId| !program.vars[*v].kind.is_automatic();
        // Footnote 4: a formal that may not hold its first value at the end means something
        // else to the caller.
        let steady = |v: &VarId| !formals.contains(v) || !effects.is_changed(*v);
        let mut signature = Signature {
            result,
            ..Signature::default()
        };
        for (n, predicate) in predicates.iter().enumerate() {
            if predicate.scope != Some(func) {
                continue;
            }
            let mentioned = vars(&predicate.condition);
            let formal = !mentioned.iter().any(is_local);
            match formal {
                true => signature.formals.push(n),
                false => signature.locals.push(n),
            }
            let about_result = result.is_some_and(|r| {
                mentioned.contains(&r) && mentioned.iter().all(|v| *v == r || !is_local(v))
            });
            let drefs = dereferenced(&predicate.condition);
            let about_state = formal
                && (mentioned.iter().any(is_global) || drefs.iter().any(|v| formals.contains(v)));
            // The return variable may be a formal: what it holds at the end is the result.
            let others_steady = mentioned
                .iter()
                .all(|v| (about_result && Some(*v) == result) || steady(v));
            if (about_result || about_state) && others_steady {
                signature.returns.push(n);
            }
        }
        // As the paper writes them: first what goes in and comes out again.
        let returns = &signature.returns;
        signature.formals.sort_by_key(|n| !returns.contains(n));
        signature
    }
}

/// The variable that every return gives, if there is one.
fn return_variable(program: &Program, func: FuncId) -> Option<VarId> {
    let body = program.funcs[func].body.as_ref()?;
    let mut found = None;
    for block in body.blocks.iter() {
        let Branch::Return(Some(value)) = &block.branch else {
            continue;
        };
        let var = match &value.kind {
            ExprKind::Load { place, .. } => place.as_var()?,
            _ => return None,
        };
        if !program.vars[var].kind.is_automatic() || found.is_some_and(|f| f != var) {
            return None;
        }
        found = Some(var);
    }
    found
}

/// The automatic variables that a function assigns, by name.
pub(crate) fn assigned(program: &Program, func: FuncId) -> FxHashSet<VarId> {
    let mut found = FxHashSet::default();
    let blocks = program.funcs[func]
        .body
        .iter()
        .flat_map(|b| b.blocks.iter());
    for stmt in blocks.flat_map(|b| &b.stmts) {
        match &stmt.kind {
            StmtKind::Assign(place, _) => found.extend(place.root()),
            StmtKind::Live(v) | StmtKind::Dead(v) => {
                found.insert(*v);
            }
            _ => {}
        }
    }
    found
}
