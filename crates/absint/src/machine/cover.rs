//! Whether an abstract state covers concrete values: what the soundness tests ask.

use super::layout::{Point, bits_of, int_ty};
use super::{Code, Machine, State};
use cwolf_cwi::{Expr, Place, Step, Type, TypeId, VarId, value};

impl Machine<'_> {
    /// How many calls are under way, as far as the state knows.
    pub fn depth(&self, state: State) -> usize {
        let mut depth = 1;
        let mut caller = state.caller;
        while caller != 0 {
            depth += 1;
            caller = self.tables.parts(caller).1;
        }
        depth
    }
    /// Whether the state's environment covers concrete values; `known` gives what a scalar place
    /// holds, if it holds something. Pointers are not looked at.
    pub fn covers(
        &self,
        state: State,
        known: &dyn Fn(&Place) -> Option<value::Value>,
    ) -> Result<(), String> {
        let Point::Code { func, .. } = self.point(state.location) else {
            return Ok(());
        };
        let env = self.open(state, func);
        let code = &self.code;
        let context = code.context(func, cwolf_cwi::Body::ENTRY);
        for var in code.program.vars.ids() {
            for slot in context.slots(var) {
                let Some(place) =
                    code.cell_place(slot.cell.var, slot.cell.bit_offset, slot.cell.ty)
                else {
                    continue;
                };
                let held = env.get(slot.home);
                let fits = match (known(&place), &code.program.types[slot.cell.ty]) {
                    (None, _) | (_, Type::Pointer(_)) => true,
                    (Some(value::Value::Int(n)), _) => {
                        let int = int_ty(code.program, slot.cell.ty);
                        code.universe.contains(int, held, n)
                    }
                    (Some(value::Value::Float(bits)), Type::Float(ty)) => {
                        code.universe.has_float(*ty, held, bits)
                    }
                    _ => true,
                };
                if !fits {
                    let name = code.cell_name(var, slot.cell.bit_offset, func);
                    return Err(format!("{name} is {:?}", known(&place)));
                }
            }
        }
        Ok(())
    }
}

impl Code<'_> {
    /// The place of a scalar of type `ty` at an offset of a variable.
    fn cell_place(&self, var: VarId, offset: u64, ty: TypeId) -> Option<Place> {
        let types = &self.program.types;
        let mut place = Place::var(self.program.vars[var].ty, var);
        let mut rest = offset;
        while place.ty != ty || rest != 0 {
            match &types[place.ty] {
                Type::Array { elem, .. } => {
                    let size = types.size_of(*elem).checked_mul(8).filter(|s| *s > 0)?;
                    let word = types.lookup(&Type::Int(types.target().word(true)))?;
                    let index = Expr::int(word, i128::from(rest / size));
                    place.path.push(Step::Index(index));
                    rest %= size;
                    place.ty = *elem;
                }
                Type::Record(record) => {
                    let fields = types.records[*record].fields.iter().enumerate();
                    let mut fitting = fields.filter(|(_, f)| {
                        let size = bits_of(self.program, f.ty);
                        f.bit_offset <= rest && rest < f.bit_offset.saturating_add(size)
                    });
                    let (n, field) = fitting.next()?;
                    place.path.push(Step::Field(n as u32));
                    rest -= field.bit_offset;
                    place.ty = field.ty;
                }
                _ => return None,
            }
        }
        Some(place)
    }
}
