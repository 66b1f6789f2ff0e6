//! Whether an abstract state covers concrete values: what the soundness tests ask.

use super::layout::{Point, bits_of, int_ty};
use super::{Code, Machine, State};
use crate::domain::{Address, Target};
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
        let made = |var: &VarId| code.program.heap.owns(*var);
        for var in code.program.vars.ids().filter(|var| !made(var)) {
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
    /// Whether the state's pointers cover those of a run, and what they lead to on the heap. `memory` looks at the run.
    pub fn covers_pointers(&self, state: State, memory: &dyn Memory) -> Result<(), String> {
        let Point::Code { func, .. } = self.point(state.location) else {
            return Ok(());
        };
        let env = self.open(state, func);
        let code = &self.code;
        let context = code.context(func, cwolf_cwi::Body::ENTRY);
        let made = |var: &VarId| code.program.heap.owns(*var);
        for var in code.program.vars.ids().filter(|var| !made(var)) {
            for slot in context.slots(var).filter(|s| context.is_pointer(s.cell.ty)) {
                let cell = &slot.cell;
                let place = code.cell_place(cell.var, cell.bit_offset, cell.ty);
                let Some(value::Value::Int(addr)) = place.and_then(|p| memory.load(&p)) else {
                    continue;
                };
                let addr = addr as u64;
                let Some(list) = code.universe.addresses(env.get(slot.home)) else {
                    continue;
                };
                if !list.iter().any(|a| code.leads(*a, addr, memory)) {
                    let name = code.cell_name(var, cell.bit_offset, func);
                    return Err(format!("{name} is {addr:#x}, not one of {list:?}"));
                }
                let [only] = list[..] else { continue };
                let (Target::Object(object), Some(offset)) = (only.target(), only.offset()) else {
                    continue;
                };
                let object = VarId(object);
                if !made(&object) || code.program.heap.summaries.contains(&object) {
                    continue;
                }
                let start = addr.wrapping_sub(offset as u64);
                for slot in context.slots(object) {
                    let at = start.wrapping_add(slot.cell.bit_offset / 8);
                    let int = int_ty(code.program, slot.cell.ty);
                    let plain = matches!(code.program.types[slot.cell.ty], Type::Int(_))
                        && slot.bits.is_multiple_of(8);
                    let Some(n) = memory.read(at, slot.bits / 8).filter(|_| plain) else {
                        continue;
                    };
                    let n = value::wrap(int, n.into());
                    if !code.universe.contains(int, env.get(slot.home), n) {
                        let name = code.cell_name(object, slot.cell.bit_offset, func);
                        return Err(format!("{name} is {n}"));
                    }
                }
            }
        }
        Ok(())
    }
}

/// A look at the memory of a run.
pub trait Memory {
    /// What a place holds.
    fn load(&self, place: &Place) -> Option<value::Value>;
    /// Where a variable is.
    fn address(&self, var: VarId) -> Option<u64>;
    /// A number of so many bytes at an address.
    fn read(&self, addr: u64, bytes: u64) -> Option<u64>;
}

impl Code<'_> {
    /// Whether an address of the machine may be one of a run.
    fn leads(&self, address: Address, addr: u64, memory: &dyn Memory) -> bool {
        match address.target() {
            Target::Absolute => address.offset().is_none_or(|o| o as u64 == addr),
            Target::Function(_) | Target::Freed => addr != 0,
            Target::Object(var) if self.program.heap.owns(VarId(var)) => addr != 0,
            Target::Object(var) => memory.address(VarId(var)).is_some_and(|start| {
                let size = self.program.types.size_of(self.program.vars[VarId(var)].ty);
                match address.offset() {
                    Some(offset) => start.wrapping_add(offset as u64) == addr,
                    None => (start..=start + size).contains(&addr),
                }
            }),
        }
    }

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
