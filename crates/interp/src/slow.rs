//! The rare instructions: wide types, bit-fields, conversions with floats, aggregates.

use crate::code::{FitsOp, Layout, Scalar, Slot, Slow, Source};
use crate::error::{ErrorKind, Fault};
use crate::memory::Memory;
use cwolf_cwi::value::{self, Value, float};
use cwolf_cwi::{BinOp, IntTy, UnOp};

/// Why a rare instruction did not finish.
pub(crate) enum SlowEnd {
    /// It needs the whole machine.
    Machine,
    Fault(Fault),
    /// A fast frame met memory that was never written, or an error.
    Miss {
        addr: u64,
        size: u64,
    },
}

impl From<Fault> for SlowEnd {
    fn from(fault: Fault) -> SlowEnd {
        SlowEnd::Fault(fault)
    }
}

/// The integer in a slot (or two), in canonical form.
#[inline]
pub(crate) fn read_int(f: &[u64], slot: Slot, ty: IntTy) -> i128 {
    let word = f[slot as usize];
    if ty.bits > 64 {
        return (u128::from(word) | (u128::from(f[slot as usize + 1]) << 64)) as i128;
    }
    if ty.signed {
        i128::from(word as i64)
    } else {
        i128::from(word)
    }
}

/// The scalar in a slot (or two).
pub(crate) fn read_scalar(f: &[u64], slot: Slot, ty: Scalar) -> Value {
    match ty {
        Scalar::Int(int) => Value::Int(read_int(f, slot, int)),
        Scalar::Float(_) => {
            let low = u128::from(f[slot as usize]);
            Value::Float(match ty.is_wide() {
                true => low | (u128::from(f[slot as usize + 1]) << 64),
                false => low,
            })
        }
    }
}

/// Puts a scalar into a slot (or two).
pub(crate) fn write_scalar(f: &mut [u64], slot: Slot, ty: Scalar, value: Value) {
    let bits = match value {
        Value::Int(v) => v as u128,
        Value::Float(bits) => bits,
    };
    f[slot as usize] = bits as u64;
    if ty.is_wide() {
        f[slot as usize + 1] = (bits >> 64) as u64;
    }
}

/// `value` of type `from`, converted; `boolean` asks only whether it is not zero.
pub(crate) fn convert(from: Scalar, to: Scalar, boolean: bool, value: Value) -> Value {
    if boolean {
        return Value::Int(i128::from(is_true(from, value)));
    }
    match (from, to, value) {
        (Scalar::Int(_), Scalar::Int(t), Value::Int(v)) => Value::Int(value::wrap(t, v)),
        (Scalar::Int(i), Scalar::Float(t), Value::Int(v)) => Value::Float(float::from_int(t, i, v)),
        (Scalar::Float(g), Scalar::Int(t), Value::Float(v)) => Value::Int(float::to_int(g, t, v)),
        (Scalar::Float(g), Scalar::Float(t), Value::Float(v)) => {
            Value::Float(float::convert(g, t, v))
        }
        _ => unreachable!("a value of its type"),
    }
}

fn is_true(ty: Scalar, value: Value) -> bool {
    match (ty, value) {
        (Scalar::Float(f), Value::Float(bits)) => !float::is_zero(f, bits),
        (_, Value::Int(v)) => v != 0,
        (_, Value::Float(bits)) => bits != 0,
    }
}

/// Bits below a number that does not fill its bytes: where the highest byte comes first, it starts with
/// its first byte.
fn padding(layout: &Layout) -> u32 {
    match layout.scalar {
        Scalar::Int(ty) if layout.machine.is_big() && !layout.boolean => {
            u32::from(layout.bytes) * 8 - u32::from(ty.bits)
        }
        _ => 0,
    }
}

/// The scalar that some bytes in memory encode.
pub(crate) fn decode(layout: &Layout, bytes: &[u8]) -> Value {
    let word = match (layout.bit_field, layout.scalar) {
        (true, Scalar::Int(ty)) => {
            let (start, width) = (layout.shift.into(), ty.bits.into());
            layout.machine.bits(bytes, start, width)
        }
        _ => layout.machine.number(bytes) >> padding(layout),
    };
    match layout.scalar {
        Scalar::Int(ty) => Value::Int(value::wrap(ty, word as i128)),
        Scalar::Float(_) => Value::Float(word),
    }
}

/// The scalar at an address.
fn load<const CAREFUL: bool>(
    memory: &Memory,
    layout: &Layout,
    addr: u64,
) -> Result<Value, SlowEnd> {
    let size = u64::from(layout.bytes);
    if CAREFUL {
        return Ok(decode(layout, memory.bytes(addr, size)?));
    }
    match memory.written_bytes(addr, size) {
        Ok(bytes) => Ok(decode(layout, bytes)),
        Err(_) => Err(SlowEnd::Miss { addr, size }),
    }
}

/// Stores a scalar at an address.
pub(crate) fn store_scalar(
    memory: &mut Memory,
    layout: &Layout,
    addr: u64,
    value: Value,
) -> Result<(), Fault> {
    let bits = match value {
        Value::Int(v) => v as u128,
        Value::Float(bits) => bits,
    };
    let size = usize::from(layout.bytes);
    let (true, Scalar::Int(ty)) = (layout.bit_field, layout.scalar) else {
        let bytes = layout.machine.bytes(bits << padding(layout), size);
        return memory.store(addr, &bytes);
    };
    memory.locate_mut(addr, size as u64)?;
    let mut bytes = memory.bytes(addr, size as u64)?.to_vec();
    let (start, width) = (layout.shift.into(), ty.bits.into());
    layout.machine.put_bits(&mut bytes, start, width, bits);
    memory.store(addr, &bytes)
}

fn binary(
    op: BinOp,
    ty: Scalar,
    amount: Scalar,
    f: &[u64],
    a: Slot,
    b: Slot,
) -> Result<Value, Fault> {
    let right = if op.is_shift() { amount } else { ty };
    match (read_scalar(f, a, ty), read_scalar(f, b, right), ty) {
        (Value::Int(x), Value::Int(y), Scalar::Int(ty)) => {
            // A wide unsigned amount past the middle looks negative; it is out of range too.
            Ok(Value::Int(value::int_binary(op, ty, x, y)?))
        }
        (Value::Float(x), Value::Float(y), Scalar::Float(ty)) => Ok(float::binary(op, ty, x, y)),
        _ => unreachable!("operands of one type"),
    }
}

fn unary(op: UnOp, ty: Scalar, value: Value) -> Value {
    match (ty, value, op) {
        (Scalar::Int(ty), Value::Int(v), _) => Value::Int(value::int_unary(op, ty, v)),
        (Scalar::Float(ty), Value::Float(v), UnOp::Neg) => Value::Float(float::neg(ty, v)),
        (ty, value, _) => Value::Int(i128::from(!is_true(ty, value))),
    }
}

/// The type of a result: tests are `int`.
fn result_type(op: BinOp, ty: Scalar) -> Scalar {
    if op.is_test() {
        Scalar::Int(crate::code::I32)
    } else {
        ty
    }
}

/// Runs a rare instruction on a frame's slots.
pub(crate) fn run_slow<const CAREFUL: bool>(
    slow: &Slow,
    f: &mut [u64],
    memory: &mut Memory,
    mask: u64,
) -> Result<(), SlowEnd> {
    let at = |f: &[u64], a: Slot, offset: i64| f[a as usize].wrapping_add(offset as u64) & mask;
    match *slow {
        Slow::Binary {
            op,
            ty,
            amount,
            dst,
            a,
            b,
        } => {
            let value = binary(op, ty, amount, f, a, b)?;
            write_scalar(f, dst, result_type(op, ty), value);
        }
        Slow::Unary { op, ty, dst, a } => {
            let value = unary(op, ty, read_scalar(f, a, ty));
            let to = if op == UnOp::Not {
                Scalar::Int(crate::code::I32)
            } else {
                ty
            };
            write_scalar(f, dst, to, value);
        }
        Slow::Cast {
            from,
            to,
            boolean,
            dst,
            a,
        } => {
            let value = convert(from, to, boolean, read_scalar(f, a, from));
            write_scalar(f, dst, to, value);
        }
        Slow::MovWide { dst, a } => {
            let (low, high) = (f[a as usize], f[a as usize + 1]);
            f[dst as usize] = low;
            f[dst as usize + 1] = high;
        }
        Slow::Load {
            ref layout,
            dst,
            a,
            offset,
        } => {
            let value = load::<CAREFUL>(memory, layout, at(f, a, offset))?;
            write_scalar(f, dst, layout.scalar, value);
        }
        Slow::Store {
            ref layout,
            src,
            a,
            offset,
        } => {
            let value = read_scalar(f, src, layout.scalar);
            store_scalar(memory, layout, at(f, a, offset), value)?;
        }
        Slow::Lea {
            dst,
            a,
            b,
            scale,
            offset,
        } => {
            let index = b.map_or(0, |b| f[b as usize]);
            let base = at(f, a, offset);
            f[dst as usize] = base.wrapping_add(index.wrapping_mul(scale)) & mask;
        }
        Slow::PtrDiff {
            dst,
            a,
            b,
            scale,
            ty,
        } => {
            let distance = f[a as usize].wrapping_sub(f[b as usize]);
            // The distance is signed and as wide as a pointer.
            let distance = if mask == u64::MAX {
                distance as i64
            } else {
                i64::from(distance as u32 as i32)
            };
            let steps = i128::from(distance) / i128::from(scale);
            f[dst as usize] = value::wrap(ty, steps) as u64;
        }
        Slow::Copy {
            to,
            offset,
            from: Source::Memory(slot, start),
            size,
            ..
        } => memory.copy(at(f, to, offset), at(f, slot, start), size)?,
        Slow::Copy {
            to,
            offset,
            from: Source::Zero,
            size,
            ..
        } => memory.fill(at(f, to, offset), 0, size)?,
        Slow::Forget { slot } => {
            let addr = f[slot as usize];
            if addr != 0 {
                let (id, _) = memory
                    .locate(addr, 0)
                    .or_else(|f| match memory.object_at(addr) {
                        Some(id) => Ok((id, 0)),
                        None => Err(f),
                    })?;
                let size = memory.info[id as usize].size;
                memory.clear_written(id, 0, size);
            }
        }
        Slow::Seal { slot, on } => {
            if let Some(id) = memory.object_at(f[slot as usize]) {
                memory.objects[id as usize].readonly = on;
            }
        }
        Slow::Fits {
            op,
            ty,
            amount,
            dst,
            a,
            b,
        } => {
            let left = read_int(f, a, ty);
            let fits = match op {
                FitsOp::Unary(op) => value::unary_fits(op, ty, left),
                FitsOp::Binary(op) => value::binary_fits(op, ty, left, read_int(f, b, amount)),
            };
            f[dst as usize] = u64::from(fits);
        }
        Slow::Comparable { a, b } => {
            if !memory.comparable(f[a as usize], f[b as usize]) {
                let message = "whether these pointers are equal rests on where objects lie";
                return Err(Fault::Other(ErrorKind::Unspecified, message.into()).into());
            }
        }
        Slow::Memory { test, dst, args } => {
            let answer = memory.answer(test, args.map(|slot| f[slot as usize]));
            f[dst as usize] = u64::from(answer);
        }
        Slow::Demand {
            test,
            args,
            check,
            at,
        } => {
            let args = args.map(|slot| f[slot as usize]);
            if !memory.answer(test, args) {
                return Err(Fault::Demand {
                    check,
                    test,
                    args,
                    at,
                }
                .into());
            }
        }
        Slow::Assert { a, .. } | Slow::Assume { a } if f[a as usize] != 0 => {}
        Slow::Assert { .. }
        | Slow::Assume { .. }
        | Slow::Havoc { .. }
        | Slow::HavocKnown
        | Slow::Census { .. }
        | Slow::End { .. } => {
            return Err(SlowEnd::Machine);
        }
        Slow::Copy { .. } | Slow::Choose { .. } | Slow::VarArgs { .. } => {
            return Err(SlowEnd::Machine);
        }
    }
    Ok(())
}
