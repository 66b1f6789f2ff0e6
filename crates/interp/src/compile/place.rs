//! Places: where they are, loading from them and storing to them.

use super::{Compiler, Refused, Val, layout};
use crate::code::{Home, Instr, Layout, Scalar, Slot, Slow, Source};
use crate::memory::ObjId;
use cwolf_cwi::{Base, Expr, ExprKind, Place, RESULT, Step, Type, TypeId};

/// Where a place is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Addr {
    /// A variable in a slot.
    Slot(Slot),
    /// In an object that lives for the whole run.
    Object(ObjId, i64),
    /// At the address in a slot plus some bytes.
    Memory(Slot, i64),
}

/// A place with its bit offset, if it is a bit-field.
pub(super) struct Located {
    pub addr: Addr,
    pub bits: Option<u8>,
}

impl Compiler<'_> {
    pub(super) fn layout(&self, ty: TypeId, bits: Option<u8>) -> Layout {
        layout(self.types, ty, bits)
    }

    /// The slot of a frame object's address, after making sure that it exists.
    pub(super) fn ensure(&mut self, object: u32) -> Slot {
        let slot = self.objects[object as usize].slot;
        if self.ensured.insert(object) {
            self.emit(Instr::Ensure { slot, object });
        }
        slot
    }

    pub(super) fn locate(&mut self, place: &Place) -> Result<Located, Refused> {
        let (mut addr, mut ty) = match &place.base {
            Base::Var(var) => {
                let declared = self.cx.program.vars.get(*var).ok_or("no such variable")?;
                let addr = match self.homes.get(var) {
                    Some(Home::Slot(slot)) => Addr::Slot(*slot),
                    Some(Home::Frame(object)) => Addr::Memory(self.ensure(*object), 0),
                    None if declared.kind.is_automatic() => {
                        return Err(format!("{} belongs to another function", declared.name));
                    }
                    None => Addr::Object(self.cx.globals[var.0 as usize], 0),
                };
                (addr, Some(declared.ty))
            }
            Base::Deref(pointer) => {
                let slot = self.operand(pointer)?;
                (Addr::Memory(slot, 0), self.types.pointee(pointer.ty))
            }
        };
        if place.path.is_empty() {
            return Ok(Located { addr, bits: None });
        }
        let mut bits = None;
        for step in &place.path {
            let here = ty.ok_or("a step into nothing")?;
            match (step, &self.types[here]) {
                (Step::Field(n), Type::Record(record)) => {
                    let fields = &self.types.records[*record].fields;
                    let field = fields.get(*n as usize).ok_or("no such field")?;
                    addr = shifted(addr, (field.bit_offset / 8) as i64)?;
                    bits = field.bit_field.then_some((field.bit_offset % 8) as u8);
                    ty = Some(field.ty);
                }
                (Step::Index(index), Type::Array { elem, .. }) => {
                    addr = self.indexed(addr, index, self.types.size_of(*elem))?;
                    ty = Some(*elem);
                }
                _ => return Err("a step into something that is not an aggregate".into()),
            }
        }
        Ok(Located { addr, bits })
    }

    fn indexed(&mut self, addr: Addr, index: &Expr, size: u64) -> Result<Addr, Refused> {
        if let Some(n) = index.as_int()
            && let Some(bytes) = i64::try_from(n)
                .ok()
                .and_then(|n| n.checked_mul(i64::try_from(size).ok()?))
            && i32::try_from(bytes).is_ok()
        {
            return shifted(addr, bytes);
        }
        let b = self.operand(index)?;
        let (a, offset) = self.as_memory(addr)?;
        let dst = self.take(1);
        self.lea(dst, a, b, size);
        Ok(Addr::Memory(dst, offset))
    }

    pub(super) fn lea(&mut self, dst: Slot, a: Slot, b: Slot, scale: u64) {
        match u16::try_from(scale) {
            Ok(scale) => self.emit(Instr::Lea { dst, a, b, scale }),
            Err(_) => self.emit_slow(Slow::Lea {
                dst,
                a,
                b: Some(b),
                scale,
                offset: 0,
            }),
        }
    }

    /// The address as a slot and an offset.
    pub(super) fn as_memory(&mut self, addr: Addr) -> Result<(Slot, i64), Refused> {
        match addr {
            Addr::Memory(slot, offset) => Ok((slot, offset)),
            Addr::Object(id, offset) => {
                let value = self.cx.memory.address(id).wrapping_add(offset as u64) & self.mask;
                Ok((self.force(Val::Const(value)), 0))
            }
            Addr::Slot(_) => Err("the address of a variable that has none".into()),
        }
    }

    /// The address as a value.
    pub(super) fn address_value(&mut self, addr: Addr) -> Result<Val, Refused> {
        match addr {
            Addr::Object(id, offset) => Ok(Val::Const(
                self.cx.memory.address(id).wrapping_add(offset as u64) & self.mask,
            )),
            Addr::Memory(slot, 0) => Ok(Val::Slot(slot)),
            Addr::Memory(slot, offset) => {
                let dst = self.take(1);
                self.add_offset(dst, slot, offset);
                Ok(Val::Slot(dst))
            }
            Addr::Slot(_) => Err("the address of a variable that has none".into()),
        }
    }

    pub(super) fn add_offset(&mut self, dst: Slot, a: Slot, offset: i64) {
        match i32::try_from(offset) {
            Ok(offset) => self.emit(Instr::LeaC { dst, a, offset }),
            Err(_) => self.emit_slow(Slow::Lea {
                dst,
                a,
                b: None,
                scale: 0,
                offset,
            }),
        }
    }

    /// Loads a scalar place into `dst`, or gives the slot where it already is.
    pub(super) fn load(&mut self, place: &Place, dst: Option<Slot>) -> Result<Val, Refused> {
        let located = self.locate(place)?;
        if let Addr::Slot(slot) = located.addr {
            return Ok(Val::Slot(slot));
        }
        let mut layout = self.layout(place.ty, located.bits);
        let dst = dst.unwrap_or_else(|| self.take(layout.scalar.slots()));
        if layout.boolean && !layout.bit_field {
            // One bit of a whole byte: load the byte, keep the bit.
            layout.boolean = false;
            layout.scalar = Scalar::Int(cwolf_cwi::IntTy::new(8, false));
            self.load_from(layout, located.addr, dst)?;
            let a = dst;
            self.emit(Instr::AndWC { dst, a, c: 1 });
            return Ok(Val::Slot(dst));
        }
        self.load_from(layout, located.addr, dst)?;
        Ok(Val::Slot(dst))
    }

    fn load_from(&mut self, layout: Layout, addr: Addr, dst: Slot) -> Result<(), Refused> {
        if let (Addr::Object(object, at), Some(bits)) = (addr, plain(&layout))
            && let Ok(offset) = u32::try_from(at)
        {
            self.emit(match bits {
                (1, true) => Instr::Get8S {
                    dst,
                    object,
                    offset,
                },
                (1, false) => Instr::Get8U {
                    dst,
                    object,
                    offset,
                },
                (2, true) => Instr::Get16S {
                    dst,
                    object,
                    offset,
                },
                (2, false) => Instr::Get16U {
                    dst,
                    object,
                    offset,
                },
                (4, true) => Instr::Get32S {
                    dst,
                    object,
                    offset,
                },
                (4, false) => Instr::Get32U {
                    dst,
                    object,
                    offset,
                },
                _ => Instr::Get64 {
                    dst,
                    object,
                    offset,
                },
            });
            return Ok(());
        }
        let (a, at) = self.as_memory(addr)?;
        match (plain(&layout), i32::try_from(at)) {
            (Some(bits), Ok(offset)) => self.emit(match bits {
                (1, true) => Instr::Load8S { dst, a, offset },
                (1, false) => Instr::Load8U { dst, a, offset },
                (2, true) => Instr::Load16S { dst, a, offset },
                (2, false) => Instr::Load16U { dst, a, offset },
                (4, true) => Instr::Load32S { dst, a, offset },
                (4, false) => Instr::Load32U { dst, a, offset },
                _ => Instr::Load64 { dst, a, offset },
            }),
            _ => self.emit_slow(Slow::Load {
                layout,
                dst,
                a,
                offset: at,
            }),
        }
        Ok(())
    }

    /// Stores the scalar in slot `src`.
    pub(super) fn store(&mut self, layout: Layout, src: Slot, addr: Addr) {
        // A boolean is stored as a plain byte: its canonical form is 0 or 1.
        let mut as_byte = layout;
        as_byte.boolean = false;
        let plain = if layout.boolean && !layout.bit_field {
            Some((1, false))
        } else {
            plain(&as_byte)
        };
        if let (Addr::Object(object, at), Some((bytes, _))) = (addr, plain)
            && let Ok(offset) = u32::try_from(at)
        {
            self.emit(match bytes {
                1 => Instr::Put8 {
                    src,
                    object,
                    offset,
                },
                2 => Instr::Put16 {
                    src,
                    object,
                    offset,
                },
                4 => Instr::Put32 {
                    src,
                    object,
                    offset,
                },
                _ => Instr::Put64 {
                    src,
                    object,
                    offset,
                },
            });
            return;
        }
        let Ok((a, at)) = self.as_memory(addr) else {
            return;
        };
        match (plain, i32::try_from(at)) {
            (Some((bytes, _)), Ok(offset)) => self.emit(match bytes {
                1 => Instr::Store8 { src, a, offset },
                2 => Instr::Store16 { src, a, offset },
                4 => Instr::Store32 { src, a, offset },
                _ => Instr::Store64 { src, a, offset },
            }),
            _ => self.emit_slow(Slow::Store {
                layout,
                src,
                a,
                offset: at,
            }),
        }
    }

    pub(super) fn assign(&mut self, place: &Place, value: &Expr) -> Result<(), Refused> {
        if self.types.is_scalar(place.ty) {
            if let Some(Home::Slot(slot)) = place.as_var().and_then(|v| self.homes.get(&v)) {
                return self.expr_into(value, *slot);
            }
            let src = self.operand(value)?;
            let located = self.locate(place)?;
            let layout = self.layout(place.ty, located.bits);
            self.store(layout, src, located.addr);
            return Ok(());
        }
        let from = self.aggregate(value)?;
        let located = self.locate(place)?;
        let (to, offset) = self.as_memory(located.addr)?;
        self.emit_slow(Slow::Copy {
            to,
            offset,
            from,
            size: self.types.size_of(place.ty),
            ty: place.ty,
        });
        Ok(())
    }

    /// Where an aggregate expression's bytes are.
    pub(super) fn aggregate(&mut self, value: &Expr) -> Result<Source, Refused> {
        Ok(match &value.kind {
            ExprKind::Load { place, .. } => {
                let located = self.locate(place)?;
                let (slot, offset) = self.as_memory(located.addr)?;
                Source::Memory(slot, offset)
            }
            ExprKind::Reg(reg) if *reg == RESULT => Source::Result,
            ExprKind::Zero => Source::Zero,
            ExprKind::Choose => Source::Unknown,
            ExprKind::Cast(inner) => self.aggregate(inner)?,
            _ => return Err("an aggregate that is not a place".into()),
        })
    }
}

fn shifted(addr: Addr, bytes: i64) -> Result<Addr, Refused> {
    let too_far = "an offset that is too large";
    Ok(match addr {
        Addr::Object(id, offset) => Addr::Object(id, offset.checked_add(bytes).ok_or(too_far)?),
        Addr::Memory(slot, offset) => Addr::Memory(slot, offset.checked_add(bytes).ok_or(too_far)?),
        Addr::Slot(_) => return Err("a step into a scalar".into()),
    })
}

/// Bytes and signedness of a scalar that the fast instructions can load.
fn plain(layout: &Layout) -> Option<(u8, bool)> {
    if layout.bit_field || layout.boolean {
        return None;
    }
    // The fast instructions have the lowest byte first.
    if layout.machine.is_big() && layout.bytes > 1 {
        return None;
    }
    match layout.scalar {
        Scalar::Int(ty) if matches!(ty.bits, 8 | 16 | 32 | 64) => Some((layout.bytes, ty.signed)),
        Scalar::Float(_) if matches!(layout.bytes, 4 | 8) => Some((layout.bytes, false)),
        _ => None,
    }
}
