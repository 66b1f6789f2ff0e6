//! The main loop. It runs one frame until something happens that needs the whole machine: a
//! call, a return, an error, the end of the fuel. There are two copies of it: the fast one,
//! for frames in which every slot holds a real value, and the careful one, which also tracks
//! which slots hold indeterminate values. A frame becomes careful when it first reads memory
//! that was never written.

use crate::code::*;
use crate::error::Fault;
use crate::machine::Machine;
use crate::memory::Memory;
use crate::slow::{SlowEnd, run_slow};
use crate::taint;
use cwolf_cwi::value::word::narrow;
use cwolf_cwi::value::{Value, float};
use cwolf_cwi::{BinOp, FloatTy, Unreachable};

/// Why the loop stopped.
#[derive(Debug)]
pub(crate) enum Event {
    Call(u32),
    Return(Slot),
    ReturnWide(Slot),
    ReturnNone,
    ReturnBytes(Slot, u32),
    ReturnResult,
    Fault(Fault),
    /// A fast frame read something unusual: an error, or memory that was never written.
    Miss {
        addr: u64,
        size: u64,
    },
    /// A frame object is needed for the first time.
    Ensure(u32),
    /// A rare instruction that needs the whole machine.
    Slow(u32),
    Taint(Slot, bool),
    Trace(u32, u32),
    Halt(Slot),
    Unreachable(Unreachable),
    Fuel,
}

impl Machine<'_> {
    /// Runs the current frame until something happens.
    pub(crate) fn step<const CAREFUL: bool>(&mut self) -> Event {
        let frame = self.frames.last().expect("a frame");
        let code = frame.code.clone();
        let instrs = &code.instrs[..];
        let base = frame.base as usize;
        let mut pc = frame.pc as usize;
        let f = &mut self.stack[base..base + code.slots as usize];
        let mut none = [];
        let taints = if CAREFUL {
            &mut self.taint[base..base + code.slots as usize]
        } else {
            &mut none[..]
        };
        let memory = &mut self.memory;
        let mask = self.mask;
        let mut fuel = self.fuel;
        let alarm = self.alarm;
        // A store of an indeterminate value: what to forget after it.
        let mut forget: Option<(u64, u64)> = None;

        macro_rules! charge {
            ($cost:expr) => {
                fuel -= i64::from($cost);
                if fuel < 0 {
                    break Event::Fuel;
                }
            };
        }
        macro_rules! load {
            ($dst:expr, $a:expr, $offset:expr, $unsigned:ty, $as:ty) => {{
                const N: usize = size_of::<$unsigned>();
                let addr = f[$a as usize].wrapping_add($offset as i64 as u64) & mask;
                let bytes = match memory.read::<N>(addr) {
                    Some(bytes) => bytes,
                    None => match missed::<CAREFUL, N>(memory, addr) {
                        Ok(bytes) => bytes,
                        Err(event) => break event,
                    },
                };
                f[$dst as usize] = <$as>::from_le_bytes(bytes) as i64 as u64;
            }};
        }
        macro_rules! store {
            ($src:expr, $a:expr, $offset:expr, $unsigned:ty) => {{
                const N: usize = size_of::<$unsigned>();
                let addr = f[$a as usize].wrapping_add($offset as i64 as u64) & mask;
                let data = (f[$src as usize] as $unsigned).to_le_bytes();
                if !memory.write::<N>(addr, data) {
                    break Event::Fault(Fault::Write {
                        addr,
                        size: N as u64,
                    });
                }
            }};
        }
        macro_rules! get {
            ($dst:expr, $object:expr, $offset:expr, $unsigned:ty, $as:ty) => {{
                const N: usize = size_of::<$unsigned>();
                let bytes = match memory.read_at::<N>($object, u64::from($offset)) {
                    Some(bytes) => bytes,
                    None => {
                        let addr = memory.address($object) + u64::from($offset);
                        match missed::<CAREFUL, N>(memory, addr) {
                            Ok(bytes) => bytes,
                            Err(event) => break event,
                        }
                    }
                };
                f[$dst as usize] = <$as>::from_le_bytes(bytes) as i64 as u64;
            }};
        }
        macro_rules! put {
            ($src:expr, $object:expr, $offset:expr, $unsigned:ty) => {{
                const N: usize = size_of::<$unsigned>();
                let data = (f[$src as usize] as $unsigned).to_le_bytes();
                if !memory.write_at::<N>($object, u64::from($offset), data) {
                    let addr = memory.address($object) + u64::from($offset);
                    break Event::Fault(Fault::Write {
                        addr,
                        size: N as u64,
                    });
                }
            }};
        }
        macro_rules! extend {
            ($dst:expr, $a:expr, $bits:expr, $signed:expr) => {
                f[$dst as usize] =
                    narrow::wrap(cwolf_cwi::IntTy::new($bits, $signed), f[$a as usize])
            };
        }

        macro_rules! run {
            ([$($slots:ident $constant:ident $op:ident $ty:ident;)*] [$($bslots:ident $bconstant:ident $bop:ident $bty:ident;)*]) => {
                loop {
                    let instr = instrs[pc];
                    pc += 1;
                    if CAREFUL {
                        match taint::before(instr, &code, f, taints, memory, mask) {
                            Ok(after) => forget = after,
                            Err(fault) => break Event::Fault(fault),
                        }
                    }
                    match instr {
                        $(Instr::$slots { dst, a, b } => {
                            match narrow::binary(BinOp::$op, $ty, f[a as usize], f[b as usize]) {
                                Ok(word) => f[dst as usize] = word,
                                Err(trap) => break Event::Fault(trap.into()),
                            }
                        }
                        Instr::$constant { dst, a, c } => {
                            match narrow::binary(BinOp::$op, $ty, f[a as usize], c as i64 as u64) {
                                Ok(word) => f[dst as usize] = word,
                                Err(trap) => break Event::Fault(trap.into()),
                            }
                        })*
                        $(Instr::$bslots { a, b, to, cost } => {
                            if narrow::binary(BinOp::$bop, $bty, f[a as usize], f[b as usize]) == Ok(1) {
                                pc = to as usize;
                            }
                            charge!(cost);
                        }
                        Instr::$bconstant { a, c, to, cost } => {
                            if narrow::binary(BinOp::$bop, $bty, f[a as usize], c as i64 as u64) == Ok(1) {
                                pc = to as usize;
                            }
                            charge!(cost);
                        })*
                        Instr::Const { dst, value } => f[dst as usize] = value,
                        Instr::Mov { dst, a } => f[dst as usize] = f[a as usize],
                        Instr::Ext8S { dst, a } => extend!(dst, a, 8, true),
                        Instr::Ext8U { dst, a } => extend!(dst, a, 8, false),
                        Instr::Ext16S { dst, a } => extend!(dst, a, 16, true),
                        Instr::Ext16U { dst, a } => extend!(dst, a, 16, false),
                        Instr::Ext32S { dst, a } => extend!(dst, a, 32, true),
                        Instr::Ext32U { dst, a } => extend!(dst, a, 32, false),
                        Instr::Neg { dst, a, ty } => {
                            f[dst as usize] = narrow::unary(cwolf_cwi::UnOp::Neg, ty, f[a as usize]);
                        }
                        Instr::BitNot { dst, a, ty } => {
                            f[dst as usize] = narrow::unary(cwolf_cwi::UnOp::BitNot, ty, f[a as usize]);
                        }
                        Instr::Not { dst, a } => f[dst as usize] = u64::from(f[a as usize] == 0),
                        Instr::Truth { dst, a } => f[dst as usize] = u64::from(f[a as usize] != 0),
                        Instr::LogAnd { dst, a, b } => {
                            f[dst as usize] = u64::from(f[a as usize] != 0 && f[b as usize] != 0);
                        }
                        Instr::LogOr { dst, a, b } => {
                            f[dst as usize] = u64::from(f[a as usize] != 0 || f[b as usize] != 0);
                        }
                        Instr::Float64 { op, dst, a, b } => {
                            f[dst as usize] = float64(op, f[a as usize], f[b as usize]);
                        }
                        Instr::Lea { dst, a, b, scale } => {
                            let bytes = f[b as usize].wrapping_mul(scale.into());
                            f[dst as usize] = f[a as usize].wrapping_add(bytes) & mask;
                        }
                        Instr::LeaC { dst, a, offset } => {
                            f[dst as usize] = f[a as usize].wrapping_add(offset as i64 as u64) & mask;
                        }
                        Instr::Load8S { dst, a, offset } => load!(dst, a, offset, u8, i8),
                        Instr::Load8U { dst, a, offset } => load!(dst, a, offset, u8, u8),
                        Instr::Load16S { dst, a, offset } => load!(dst, a, offset, u16, i16),
                        Instr::Load16U { dst, a, offset } => load!(dst, a, offset, u16, u16),
                        Instr::Load32S { dst, a, offset } => load!(dst, a, offset, u32, i32),
                        Instr::Load32U { dst, a, offset } => load!(dst, a, offset, u32, u32),
                        Instr::Load64 { dst, a, offset } => load!(dst, a, offset, u64, u64),
                        Instr::Store8 { src, a, offset } => store!(src, a, offset, u8),
                        Instr::Store16 { src, a, offset } => store!(src, a, offset, u16),
                        Instr::Store32 { src, a, offset } => store!(src, a, offset, u32),
                        Instr::Store64 { src, a, offset } => store!(src, a, offset, u64),
                        Instr::Get8S { dst, object, offset } => get!(dst, object, offset, u8, i8),
                        Instr::Get8U { dst, object, offset } => get!(dst, object, offset, u8, u8),
                        Instr::Get16S { dst, object, offset } => get!(dst, object, offset, u16, i16),
                        Instr::Get16U { dst, object, offset } => get!(dst, object, offset, u16, u16),
                        Instr::Get32S { dst, object, offset } => get!(dst, object, offset, u32, i32),
                        Instr::Get32U { dst, object, offset } => get!(dst, object, offset, u32, u32),
                        Instr::Get64 { dst, object, offset } => get!(dst, object, offset, u64, u64),
                        Instr::Put8 { src, object, offset } => put!(src, object, offset, u8),
                        Instr::Put16 { src, object, offset } => put!(src, object, offset, u16),
                        Instr::Put32 { src, object, offset } => put!(src, object, offset, u32),
                        Instr::Put64 { src, object, offset } => put!(src, object, offset, u64),
                        Instr::Ensure { slot, object } => {
                            if f[slot as usize] == 0 {
                                break Event::Ensure(object);
                            }
                        }
                        Instr::Slow { index } => {
                            match run_slow::<CAREFUL>(&code.slow[index as usize], f, memory, mask) {
                                Ok(()) => {}
                                Err(SlowEnd::Machine) => break Event::Slow(index),
                                Err(SlowEnd::Fault(fault)) => break Event::Fault(fault),
                                Err(SlowEnd::Miss { addr, size }) => break Event::Miss { addr, size },
                            }
                        }
                        Instr::Taint { slot, wide } => break Event::Taint(slot, wide),
                        Instr::Jump { to, cost } => {
                            pc = to as usize;
                            charge!(cost);
                        }
                        Instr::BrTrue { a, to, cost } => {
                            if f[a as usize] != 0 {
                                pc = to as usize;
                            }
                            charge!(cost);
                        }
                        Instr::BrFalse { a, to, cost } => {
                            if f[a as usize] == 0 {
                                pc = to as usize;
                            }
                            charge!(cost);
                        }
                        Instr::Switch { a, table, cost } => {
                            let table = &code.switches[table as usize];
                            pc = table.target(crate::slow::read_int(f, a, table.ty)) as usize;
                            charge!(cost);
                        }
                        Instr::Call { site, cost } => {
                            fuel -= i64::from(cost);
                            break Event::Call(site);
                        }
                        Instr::Return { a, cost } => {
                            fuel -= i64::from(cost);
                            break Event::Return(a);
                        }
                        Instr::ReturnWide { a, cost } => {
                            fuel -= i64::from(cost);
                            break Event::ReturnWide(a);
                        }
                        Instr::ReturnNone { cost } => {
                            fuel -= i64::from(cost);
                            break Event::ReturnNone;
                        }
                        Instr::ReturnBytes { a, size, cost } => {
                            fuel -= i64::from(cost);
                            break Event::ReturnBytes(a, size);
                        }
                        Instr::ReturnResult { cost } => {
                            fuel -= i64::from(cost);
                            break Event::ReturnResult;
                        }
                        Instr::Halt { a } => break Event::Halt(a),
                        Instr::Unreachable { why } => break Event::Unreachable(why),
                        Instr::Trace { block, index } => {
                            if fuel <= alarm {
                                break Event::Trace(block, index);
                            }
                        }
                    }
                    if CAREFUL && let Some((addr, size)) = forget.take() {
                        if let Err(fault) = memory.forget(addr, size) {
                            break Event::Fault(fault);
                        }
                    }
                }
            };
        }
        let event = with_operators!(run);
        self.fuel = fuel;
        self.frames.last_mut().expect("a frame").pc = pc as u32;
        event
    }
}

/// `a op b` on doubles; the common operators are inlined.
#[inline(always)]
fn float64(op: BinOp, a: u64, b: u64) -> u64 {
    let run = |op| match float::binary(op, FloatTy::F64, a.into(), b.into()) {
        Value::Int(test) => test as u64,
        Value::Float(bits) => bits as u64,
    };
    match op {
        BinOp::Add => run(BinOp::Add),
        BinOp::Sub => run(BinOp::Sub),
        BinOp::Mul => run(BinOp::Mul),
        BinOp::Div => run(BinOp::Div),
        op => run(op),
    }
}

/// A load that the fast path could not do.
#[cold]
fn missed<const CAREFUL: bool, const N: usize>(
    memory: &Memory,
    addr: u64,
) -> Result<[u8; N], Event> {
    let size = N as u64;
    if !CAREFUL {
        return Err(Event::Miss { addr, size });
    }
    match memory.bytes(addr, size) {
        Ok(bytes) => Ok(bytes.try_into().expect("as many as asked for")),
        Err(fault) => Err(Event::Fault(fault)),
    }
}

impl SwitchTable {
    /// Where a value leads.
    #[inline]
    pub fn target(&self, value: i128) -> u32 {
        if self.ranges.is_empty() {
            let at = value.wrapping_sub(self.lo);
            let found = usize::try_from(at).ok().and_then(|n| self.dense.get(n));
            return found.copied().unwrap_or(self.default);
        }
        let after = self.ranges.partition_point(|(lo, _, _)| *lo <= value);
        match after.checked_sub(1).map(|n| self.ranges[n]) {
            Some((_, hi, to)) if value <= hi => to,
            _ => self.default,
        }
    }
}
