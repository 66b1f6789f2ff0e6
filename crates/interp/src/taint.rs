//! What the careful loop does before each instruction: an indeterminate operand makes the
//! result indeterminate; an indeterminate condition or address is an error.

use crate::code::{Code, FitsOp, Instr, Scalar, Slot, Slow, Source, with_operators};
use crate::error::Fault;
use crate::memory::Memory;
use cwolf_cwi::IntTy;

const CONDITION: Fault = Fault::Uninit("a condition");
const ADDRESS: Fault = Fault::Uninit("an address");

struct Taints<'a> {
    t: &'a mut [bool],
}

impl Taints<'_> {
    fn get(&self, slot: Slot) -> bool {
        self.t[slot as usize]
    }
    fn set(&mut self, slot: Slot, tainted: bool) {
        self.t[slot as usize] = tainted;
    }
    fn get_scalar(&self, slot: Slot, ty: Scalar) -> bool {
        self.get(slot) || (ty.is_wide() && self.get(slot + 1))
    }
    fn set_scalar(&mut self, slot: Slot, ty: Scalar, tainted: bool) {
        self.set(slot, tainted);
        if ty.is_wide() {
            self.set(slot + 1, tainted);
        }
    }
    fn address(&self, slot: Slot) -> Result<(), Fault> {
        if self.get(slot) { Err(ADDRESS) } else { Ok(()) }
    }
    fn decide(&self, slot: Slot) -> Result<(), Fault> {
        if self.get(slot) {
            Err(CONDITION)
        } else {
            Ok(())
        }
    }
}

/// Passes taint on. The result is a range to forget after the instruction has stored there.
pub(crate) fn before(
    instr: Instr,
    code: &Code,
    f: &[u64],
    taints: &mut [bool],
    memory: &Memory,
    mask: u64,
) -> Result<Option<(u64, u64)>, Fault> {
    let mut t = Taints { t: taints };
    let at = |a: Slot, offset: i64| f[a as usize].wrapping_add(offset as u64) & mask;
    // A load that fails is reported by the instruction itself.
    let unwritten = |addr, size| !memory.all_written(addr, size).unwrap_or(true);
    macro_rules! flow {
        ([$($slots:ident $constant:ident $op:ident $ty:ident;)*] [$($bslots:ident $bconstant:ident $bop:ident $bty:ident;)*]) => {
            match instr {
                $(Instr::$slots { dst, a, b } => t.set(dst, t.get(a) || t.get(b)),
                Instr::$constant { dst, a, .. } => t.set(dst, t.get(a)),)*
                $(Instr::$bslots { a, b, .. } => {
                    t.decide(a)?;
                    t.decide(b)?;
                }
                Instr::$bconstant { a, .. } => t.decide(a)?,)*
                Instr::Const { dst, .. } => t.set(dst, false),
                Instr::Mov { dst, a }
                | Instr::Ext8S { dst, a }
                | Instr::Ext8U { dst, a }
                | Instr::Ext16S { dst, a }
                | Instr::Ext16U { dst, a }
                | Instr::Ext32S { dst, a }
                | Instr::Ext32U { dst, a }
                | Instr::Neg { dst, a, .. }
                | Instr::BitNot { dst, a, .. }
                | Instr::Not { dst, a }
                | Instr::Truth { dst, a }
                | Instr::LeaC { dst, a, .. } => t.set(dst, t.get(a)),
                // `&&` and `||` look at their second operand only if the first leaves it open.
                Instr::LogAnd { dst, a, b } => {
                    t.set(dst, t.get(a) || (f[a as usize] != 0 && t.get(b)));
                }
                Instr::LogOr { dst, a, b } => {
                    t.set(dst, t.get(a) || (f[a as usize] == 0 && t.get(b)));
                }
                Instr::Float64 { dst, a, b, .. } | Instr::Lea { dst, a, b, .. } => {
                    t.set(dst, t.get(a) || t.get(b));
                }
                Instr::Load8S { dst, a, offset } | Instr::Load8U { dst, a, offset } => {
                    t.address(a)?;
                    t.set(dst, unwritten(at(a, offset.into()), 1));
                }
                Instr::Load16S { dst, a, offset } | Instr::Load16U { dst, a, offset } => {
                    t.address(a)?;
                    t.set(dst, unwritten(at(a, offset.into()), 2));
                }
                Instr::Load32S { dst, a, offset } | Instr::Load32U { dst, a, offset } => {
                    t.address(a)?;
                    t.set(dst, unwritten(at(a, offset.into()), 4));
                }
                Instr::Load64 { dst, a, offset } => {
                    t.address(a)?;
                    t.set(dst, unwritten(at(a, offset.into()), 8));
                }
                Instr::Store8 { src, a, offset } => return stored(&t, src, a, at(a, offset.into()), 1),
                Instr::Store16 { src, a, offset } => return stored(&t, src, a, at(a, offset.into()), 2),
                Instr::Store32 { src, a, offset } => return stored(&t, src, a, at(a, offset.into()), 4),
                Instr::Store64 { src, a, offset } => return stored(&t, src, a, at(a, offset.into()), 8),
                Instr::Get8S { dst, object, offset } | Instr::Get8U { dst, object, offset } => {
                    t.set(dst, unwritten(memory.address(object) + u64::from(offset), 1));
                }
                Instr::Get16S { dst, object, offset } | Instr::Get16U { dst, object, offset } => {
                    t.set(dst, unwritten(memory.address(object) + u64::from(offset), 2));
                }
                Instr::Get32S { dst, object, offset } | Instr::Get32U { dst, object, offset } => {
                    t.set(dst, unwritten(memory.address(object) + u64::from(offset), 4));
                }
                Instr::Get64 { dst, object, offset } => {
                    t.set(dst, unwritten(memory.address(object) + u64::from(offset), 8));
                }
                Instr::Put8 { src, object, offset } => return put(&t, memory, src, object, offset, 1),
                Instr::Put16 { src, object, offset } => return put(&t, memory, src, object, offset, 2),
                Instr::Put32 { src, object, offset } => return put(&t, memory, src, object, offset, 4),
                Instr::Put64 { src, object, offset } => return put(&t, memory, src, object, offset, 8),
                Instr::Ensure { slot, .. } => t.set(slot, false),
                Instr::Slow { index } => return slow(&code.slow[index as usize], &mut t, &at, memory),
                Instr::BrTrue { a, .. }
                | Instr::BrFalse { a, .. }
                | Instr::Halt { a } => t.decide(a)?,
                Instr::Switch { a, table, .. } => {
                    t.decide(a)?;
                    if code.switches[table as usize].ty.bits > 64 {
                        t.decide(a + 1)?;
                    }
                }
                Instr::ReturnBytes { a, .. } => t.address(a)?,
                // The machine itself looks at these.
                Instr::Taint { .. }
                | Instr::Jump { .. }
                | Instr::Call { .. }
                | Instr::Return { .. }
                | Instr::ReturnNone { .. }
                | Instr::ReturnWide { .. }
                | Instr::ReturnResult { .. }
                | Instr::Unreachable { .. }
                | Instr::Trace { .. } => {}
            }
        };
    }
    with_operators!(flow);
    Ok(None)
}

fn stored(
    t: &Taints<'_>,
    src: Slot,
    a: Slot,
    addr: u64,
    size: u64,
) -> Result<Option<(u64, u64)>, Fault> {
    t.address(a)?;
    Ok(t.get(src).then_some((addr, size)))
}

fn put(
    t: &Taints<'_>,
    memory: &Memory,
    src: Slot,
    object: u32,
    offset: u32,
    size: u64,
) -> Result<Option<(u64, u64)>, Fault> {
    let addr = memory.address(object) + u64::from(offset);
    Ok(t.get(src).then_some((addr, size)))
}

fn slow(
    slow: &Slow,
    t: &mut Taints<'_>,
    at: &dyn Fn(Slot, i64) -> u64,
    memory: &Memory,
) -> Result<Option<(u64, u64)>, Fault> {
    match *slow {
        Slow::Binary {
            op,
            ty,
            amount,
            dst,
            a,
            b,
        } => {
            let right = if op.is_shift() { amount } else { ty };
            let tainted = t.get_scalar(a, ty) || t.get_scalar(b, right);
            let wide = ty.is_wide() && !op.is_test();
            t.set(dst, tainted);
            if wide {
                t.set(dst + 1, tainted);
            }
        }
        Slow::Unary { op, ty, dst, a } => {
            let tainted = t.get_scalar(a, ty);
            t.set(dst, tainted);
            if ty.is_wide() && op != cwolf_cwi::UnOp::Not {
                t.set(dst + 1, tainted);
            }
        }
        Slow::Cast {
            from, to, dst, a, ..
        } => {
            let tainted = t.get_scalar(a, from);
            t.set_scalar(dst, to, tainted);
        }
        Slow::MovWide { dst, a } => {
            let tainted = t.get(a) || t.get(a + 1);
            t.set(dst, tainted);
            t.set(dst + 1, tainted);
        }
        Slow::Load {
            layout,
            dst,
            a,
            offset,
        } => {
            t.address(a)?;
            let written = memory.all_written(at(a, offset), layout.bytes.into());
            t.set_scalar(dst, layout.scalar, !written.unwrap_or(true));
        }
        Slow::Store {
            layout,
            src,
            a,
            offset,
        } => {
            t.address(a)?;
            // The shadow knows bytes, not bits: a bit-field must not taint its neighbours.
            if t.get_scalar(src, layout.scalar) && !layout.bit_field {
                return Ok(Some((at(a, offset), layout.bytes.into())));
            }
        }
        Slow::Lea { dst, a, b, .. } => t.set(dst, t.get(a) || b.is_some_and(|b| t.get(b))),
        Slow::PtrDiff { dst, a, b, .. } => t.set(dst, t.get(a) || t.get(b)),
        Slow::Copy { to, from, .. } => {
            t.address(to)?;
            if let Source::Memory(slot, _) = from {
                t.address(slot)?;
            }
        }
        Slow::Choose { dst, wide, .. } => {
            t.set(dst, false);
            if wide {
                t.set(dst + 1, false);
            }
        }
        Slow::VarArgs { dst } => t.set(dst, false),
        // No step after it says that a number was indeterminate: sums of such numbers are one, too.
        Slow::Fits {
            op,
            ty,
            amount,
            dst,
            a,
            b,
        } => {
            let whole = |slot: Slot, ty: IntTy| t.get(slot) || ty.bits > 64 && t.get(slot + 1);
            let right = matches!(op, FitsOp::Binary(_)) && whole(b, amount);
            let tainted = whole(a, ty) || right;
            t.set(dst, tainted);
        }
        // What depends on an indeterminate pointer is for the step itself to say.
        Slow::Memory { dst, .. } => t.set(dst, false),
        Slow::Assert { a, .. } | Slow::Assume { a } => t.decide(a)?,
        Slow::Demand { .. }
        | Slow::Census { .. }
        | Slow::Comparable { .. }
        | Slow::Forget { .. }
        | Slow::Seal { .. }
        | Slow::End { .. }
        | Slow::Havoc { .. }
        | Slow::HavocKnown => {}
    }
    Ok(None)
}
