//! Who calls whom.

use super::points_to::{Object, PointsTo};
use crate::code::{BlockId, Branch, Callee, ExprKind, FuncId};
use crate::program::Program;
use crate::types::{FuncTy, Type, TypeId, Types};
use cwolf_base::{Idx, IndexVec, strong_components};

/// A call in the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The function that calls.
    pub caller: FuncId,
    /// The block that ends in the call.
    pub block: BlockId,
    /// The functions it may call, in rising order.
    pub targets: Vec<FuncId>,
    /// Those of them that take other arguments, or return something else, than this call expects. C leaves that
    /// undefined, and machines do it.
    pub misfits: Vec<FuncId>,
    /// Whether it calls by name.
    pub direct: bool,
    /// Whether code that the program does not show may be called too.
    pub unknown: bool,
}

/// The call graph of a program.
#[derive(Clone, Debug)]
pub struct CallGraph {
    calls: Vec<Call>,
    callees: IndexVec<FuncId, Vec<FuncId>>,
    callers: IndexVec<FuncId, Vec<FuncId>>,
    component: IndexVec<FuncId, u32>,
    recursive: IndexVec<FuncId, bool>,
}

impl CallGraph {
    /// The call graph, with calls through pointers resolved by a points-to analysis.
    pub fn new(program: &Program) -> CallGraph {
        CallGraph::with(program, &PointsTo::new(program))
    }

    /// The call graph, given what pointers may point to.
    pub fn with(program: &Program, points_to: &PointsTo) -> CallGraph {
        let mut calls = Vec::new();
        let mut callees: IndexVec<FuncId, Vec<FuncId>> =
            program.funcs.ids().map(|_| Vec::new()).collect();
        for (caller, func) in program.funcs.enumerate() {
            let Some(body) = &func.body else {
                continue;
            };
            for (block, code) in body.blocks.enumerate() {
                let Branch::Call {
                    callee, args, ret, ..
                } = &code.branch
                else {
                    continue;
                };
                let direct = match callee {
                    Callee::Direct(f) => Some(*f),
                    // A call with a type of its own is still by name.
                    Callee::Indirect(e) => match e.kind {
                        ExprKind::FuncAddr(f) => Some(f),
                        _ => None,
                    },
                };
                let (mut targets, unknown) = match direct {
                    Some(f) => (vec![f], false),
                    None => points_to.callees(caller, block, callee),
                };
                let mut misfits = Vec::new();
                if let (None, Callee::Indirect(pointer)) = (direct, callee) {
                    let args: Vec<TypeId> = args.iter().map(|a| a.ty).collect();
                    let fits = |f: &FuncId| may_take(program, program.funcs[*f].ty, &args, *ret);
                    misfits = targets.iter().copied().filter(|f| !fits(f)).collect();
                    // Of functions that only code which is not shown may have put there, those that do not fit are
                    // not expected.
                    let known = points_to.expr(caller, block, pointer);
                    misfits.retain(|f| known.contains(&Object::Func(*f)));
                    targets.retain(|f| fits(f) || misfits.contains(f));
                }
                callees[caller].extend(&targets);
                let direct = direct.is_some();
                calls.push(Call {
                    caller,
                    block,
                    targets,
                    misfits,
                    direct,
                    unknown,
                });
            }
        }
        let mut callers: IndexVec<FuncId, Vec<FuncId>> =
            program.funcs.ids().map(|_| Vec::new()).collect();
        for id in program.funcs.ids() {
            callees[id].sort_unstable();
            callees[id].dedup();
            for to in &callees[id] {
                callers[*to].push(id);
            }
        }
        let numbers: Vec<Vec<u32>> = callees
            .iter()
            .map(|l| l.iter().map(|f| f.0).collect())
            .collect();
        let component = strong_components(numbers.len(), |n| &numbers[n]);
        let mut sizes = vec![0u32; component.len()];
        component.iter().for_each(|c| sizes[*c as usize] += 1);
        let in_circle =
            |f: FuncId| sizes[component[f.index()] as usize] > 1 || callees[f].contains(&f);
        CallGraph {
            recursive: program.funcs.ids().map(in_circle).collect(),
            component: component.into(),
            calls,
            callees,
            callers,
        }
    }
    /// All calls, by caller and block.
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }
    /// The calls in a function, by block.
    pub fn calls_in(&self, func: FuncId) -> &[Call] {
        let lo = self.calls.partition_point(|c| c.caller < func);
        let hi = self.calls.partition_point(|c| c.caller <= func);
        &self.calls[lo..hi]
    }
    /// The functions that `func` may call, in rising order.
    pub fn callees(&self, func: FuncId) -> &[FuncId] {
        &self.callees[func]
    }
    /// The functions that may call `func`, in rising order.
    pub fn callers(&self, func: FuncId) -> &[FuncId] {
        &self.callers[func]
    }
    /// Whether `func` may be called again before it returns.
    pub fn is_recursive(&self, func: FuncId) -> bool {
        self.recursive[func]
    }
    /// The group of functions that call each other in circles; callees have smaller numbers.
    pub fn component(&self, func: FuncId) -> u32 {
        self.component[func]
    }
    /// The functions that `roots` may lead to, themselves included, in rising order.
    pub fn reachable(&self, roots: &[FuncId]) -> Vec<FuncId> {
        let mut seen = vec![false; self.callees.len()];
        let mut work = roots.to_vec();
        while let Some(f) = work.pop() {
            if !std::mem::replace(&mut seen[f.index()], true) {
                work.extend(&self.callees[f]);
            }
        }
        self.callees.ids().filter(|f| seen[f.index()]).collect()
    }
}

/// Whether a call with these arguments and result can work on a function of type `ty`: the
/// count fits and every value has the shape that the function expects.
fn may_take(program: &Program, ty: TypeId, args: &[TypeId], ret: TypeId) -> bool {
    let types = &program.types;
    let Type::Func(FuncTy {
        ret: own,
        params,
        variadic,
    }) = &types[ty]
    else {
        return false;
    };
    let old_style = params.is_empty() && *variadic;
    let count = args.len() == params.len() || args.len() > params.len() && *variadic;
    let shapes = params
        .iter()
        .zip(args)
        .all(|(p, a)| same_shape(types, *p, *a));
    // A result that nobody uses may have any type, so `void` fits all.
    let result = ret == Types::VOID || *own == Types::VOID || same_shape(types, *own, ret);
    result && (old_style || count && shapes)
}

/// Whether a value of one type can be taken for one of the other: same size, same registers.
fn same_shape(types: &Types, a: TypeId, b: TypeId) -> bool {
    let float = |t: TypeId| matches!(types[t], Type::Float(_));
    let size = types.size_of(a) == types.size_of(b);
    float(a) == float(b) && types.is_scalar(a) == types.is_scalar(b) && size
}
