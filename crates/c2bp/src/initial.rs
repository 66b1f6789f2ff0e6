//! What predicates are worth when the program starts: static initialisers are assignments that
//! come before `main`.

use crate::predicate::vars;
use crate::procedure::{Context, Procedure};
use crate::simplify;
use cwolf_base::Exhausted;
use cwolf_boolprog::Expr as BExpr;
use cwolf_cwi::graph::Object;
use cwolf_cwi::{
    Definition, Expr, ExprKind, FuncId, InitItem, InitValue, Place, Program, RecordKind, Step,
    StmtKind, Type, TypeId, VarId,
};
use std::collections::BTreeSet;

/// Variables with more initialised parts count as unknown.
const MOST_PARTS: usize = 256;

/// Whether control comes to `func` when the program starts, and never again: statics have their
/// first values there, unless constructors have changed them. Any other function that an exploration starts in may find any state.
pub(crate) fn is_start(context: &Context, func: FuncId) -> bool {
    context.program.function("main") == Some(func)
        && context.program.startup.is_empty()
        && context.calls.callers(func).is_empty()
        && !context.points_to.has_escaped(Object::Func(func))
}

/// What is known of the predicates in scope at the start of the program.
pub(crate) fn values(p: &mut Procedure) -> Result<BExpr, Exhausted> {
    let program = p.context.program;
    p.encoder.restart();
    for var in statics(program, p.scope.iter().map(|s| &s.condition)) {
        for stmt in initialisation(program, var) {
            p.encoder.step(&stmt);
        }
    }
    let mut known = Vec::new();
    for scoped in p.scope.clone() {
        let goal = p.encoder.weakest(&scoped.condition);
        if goal == scoped.term {
            // It does not speak of statics.
            continue;
        }
        let otherwise = p.encoder.terms.not(goal);
        let holds = BExpr::Var(scoped.var);
        for (goal, literal) in [(goal, holds.clone()), (otherwise, BExpr::negate(holds))] {
            let always = p.prover.strengthen(&mut p.encoder, &[], goal)?;
            if simplify::dnf(&always, &[]) == BExpr::TRUE {
                known.push(literal);
            }
        }
    }
    p.encoder.restart();
    Ok(BExpr::and(known))
}

/// The statics that conditions can reach through named variables and initial pointers.
fn statics<'e>(program: &Program, conditions: impl Iterator<Item = &'e Expr>) -> BTreeSet<VarId> {
    let mut work: Vec<VarId> = conditions.flat_map(vars).collect();
    let mut found = BTreeSet::new();
    while let Some(var) = work.pop() {
        let data = &program.vars[var];
        let settled = !matches!(data.definition, Definition::Declared | Definition::Weak);
        if data.kind.is_automatic() || data.volatile || !settled || !found.insert(var) {
            continue;
        }
        work.extend(data.init.iter().filter_map(|item| match item.value {
            InitValue::Addr(to, _) => Some(to),
            _ => None,
        }));
    }
    found
}

/// Statements that give a static its first value.
fn initialisation(program: &Program, var: VarId) -> Vec<StmtKind> {
    let data = &program.vars[var];
    let zero = Expr {
        ty: data.ty,
        kind: ExprKind::Zero,
    };
    let mut stmts = vec![StmtKind::Assign(Place::var(data.ty, var), zero)];
    for item in &data.init {
        match parts(program, var, item) {
            Some(more) if stmts.len() + more.len() <= MOST_PARTS => stmts.extend(more),
            _ => return vec![StmtKind::Live(var)],
        }
    }
    stmts
}

/// One initialiser as assignments, if it is a constant for one part of the variable.
fn parts(program: &Program, var: VarId, item: &InitItem) -> Option<Vec<StmtKind>> {
    let types = &program.types;
    let whole = program.vars[var].ty;
    let place = |bit: u64, ty: TypeId| {
        let mut place = Place::var(whole, var);
        descend(program, &mut place, bit, ty)?;
        Some(place)
    };
    let kind = match &item.value {
        InitValue::Int(n) => ExprKind::Int(*n),
        InitValue::Float(bits) => ExprKind::Float(*bits),
        InitValue::Func(f) => ExprKind::FuncAddr(*f),
        InitValue::Addr(to, 0) => ExprKind::AddrOf(Place::var(program.vars[*to].ty, *to)),
        InitValue::Addr(..) => return None,
        InitValue::Bytes(bytes) => {
            let Type::Array { elem, .. } = types[item.ty] else {
                return None;
            };
            let byte = |(n, value): (usize, &u8)| {
                let place = place(item.bit_offset + n as u64 * 8, elem)?;
                let signed = matches!(types[elem], Type::Int(int) if int.signed);
                let value = match signed {
                    true => i128::from(*value as i8),
                    false => i128::from(*value),
                };
                Some(StmtKind::Assign(place, Expr::int(elem, value)))
            };
            return bytes
                .iter()
                .take(MOST_PARTS + 1)
                .enumerate()
                .map(byte)
                .collect();
        }
    };
    let place = place(item.bit_offset, item.ty)?;
    let value = Expr { ty: item.ty, kind };
    Some(vec![StmtKind::Assign(place, value)])
}

/// Extends a place to the part of type `ty` that starts at a bit of it; none if that is in a union
/// or not a part at all.
fn descend(program: &Program, place: &mut Place, bit: u64, ty: TypeId) -> Option<()> {
    let types = &program.types;
    let mut rest = bit;
    while rest > 0 || place.ty != ty {
        match &types[place.ty] {
            Type::Record(r) if types.records[*r].kind != RecordKind::Union => {
                let fields = &types.records[*r].fields;
                let holds = |f: usize| {
                    let end = match fields[f].bit_field {
                        true => fields[f].bit_offset + 1,
                        false => fields[f].bit_offset + types.size_of(fields[f].ty) * 8,
                    };
                    (fields[f].bit_offset..end).contains(&rest)
                };
                let n = (0..fields.len()).find(|f| holds(*f))?;
                rest -= fields[n].bit_offset;
                place.ty = fields[n].ty;
                place.path.push(Step::Field(n as u32));
            }
            Type::Array { elem, .. } => {
                let size = types.size_of(*elem).max(1) * 8;
                let index = Expr::int(cwolf_cwi::Types::INT, i128::from(rest / size));
                rest %= size;
                place.ty = *elem;
                place.path.push(Step::Index(index));
            }
            _ => return None,
        }
    }
    Some(())
}
