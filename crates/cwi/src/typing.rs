//! The type that follows from an expression's operands. The verifier holds expressions to it;
//! the text form and the file leave it out.

use crate::code::{Base, ExprKind, RESULT, RegId, Step};
use crate::program::Program;
use crate::types::{FloatTy, Type, TypeId, Types};
use cwolf_base::IndexVec;

/// A type that follows, perhaps not yet in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Natural {
    /// One in the table.
    Id(TypeId),
    /// One that the table has only if the program uses it.
    New(Type),
}

impl Natural {
    /// Its id, if the table has it.
    pub fn lookup(&self, types: &Types) -> Option<TypeId> {
        match self {
            Natural::Id(id) => Some(*id),
            Natural::New(ty) => types.lookup(ty),
        }
    }
    /// Its id, new or known.
    pub fn intern(self, types: &mut Types) -> TypeId {
        match self {
            Natural::Id(id) => id,
            Natural::New(ty) => types.intern(ty),
        }
    }
}

/// The type of an expression of the form `kind` whose operands are well typed; none where it
/// does not follow (conversions, unknown values, the result of a call). Constants count as
/// `int` and `double`.
pub fn natural(
    program: &Program,
    regs: &IndexVec<RegId, TypeId>,
    kind: &ExprKind,
) -> Option<Natural> {
    Some(match kind {
        ExprKind::Int(_) => Natural::Id(Types::INT),
        ExprKind::Float(_) => Natural::New(Type::Float(FloatTy::F64)),
        ExprKind::Zero | ExprKind::Choose | ExprKind::Cast(_) => return None,
        ExprKind::Reg(RESULT) => return None,
        ExprKind::Reg(reg) => Natural::Id(*regs.get(*reg)?),
        ExprKind::Load { place, .. } => Natural::Id(place.ty),
        ExprKind::AddrOf(place) => Natural::New(Type::Pointer(place.ty)),
        ExprKind::FuncAddr(f) => Natural::New(Type::Pointer(program.funcs.get(*f)?.ty)),
        ExprKind::VarArgs => Natural::New(Type::Pointer(Types::VOID)),
        ExprKind::Unary(crate::UnOp::Not, _) => Natural::Id(Types::INT),
        ExprKind::Unary(_, e) => Natural::Id(e.ty),
        ExprKind::Binary(op, ..) if op.is_test() => Natural::Id(Types::INT),
        ExprKind::Binary(_, left, _) => Natural::Id(left.ty),
        ExprKind::PtrAdd { ptr, .. } => Natural::Id(ptr.ty),
        ExprKind::Memory(..) | ExprKind::Fits(_) => Natural::Id(Types::INT),
        ExprKind::PtrDiff { .. } => Natural::New(Type::Int(program.target().word(true))),
    })
}

/// The type at the start of a place.
pub fn base_type(program: &Program, base: &Base) -> Result<TypeId, String> {
    match base {
        Base::Var(var) => match program.vars.get(*var) {
            Some(var) => Ok(var.ty),
            None => Err(format!("there is no variable number {}", var.0)),
        },
        Base::Deref(ptr) => match program.types.pointee(ptr.ty) {
            Some(to) => Ok(to),
            None => Err(format!(
                "`{}` is dereferenced, which is not a pointer",
                program.types.name(ptr.ty)
            )),
        },
    }
}

/// The type one step inward from `ty`, and whether it is a bit-field.
pub fn step_type(types: &Types, ty: TypeId, step: &Step) -> Result<(TypeId, bool), String> {
    match (step, &types[ty]) {
        (Step::Field(n), Type::Record(record)) => {
            match types.records[*record].fields.get(*n as usize) {
                Some(field) => Ok((field.ty, field.bit_field)),
                None => Err(format!("`{}` has no field number {n}", types.name(ty))),
            }
        }
        (Step::Index(_), Type::Array { elem, .. }) => Ok((*elem, false)),
        (Step::Field(_), _) => Err(format!("`{}` has no fields", types.name(ty))),
        (Step::Index(_), _) => Err(format!("`{}` is not an array", types.name(ty))),
    }
}

/// The type that the place at `base` then `path` has, and whether it is a bit-field.
pub fn place_type(program: &Program, base: &Base, path: &[Step]) -> Result<(TypeId, bool), String> {
    let mut found = (base_type(program, base)?, false);
    for step in path {
        found = step_type(&program.types, found.0, step)?;
    }
    Ok(found)
}
