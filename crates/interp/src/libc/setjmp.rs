//! `setjmp` and `longjmp`. The buffer holds only a number; the machine keeps the rest.

use super::{Call, Native, Ret};
use crate::code::Home;
use crate::error::{ErrorKind, Stop};
use crate::machine::Machine;
use crate::memory::State;
use cwolf_cwi::graph::ended_at;
use rustc_hash::FxHashMap;

/// Saved places, by the number in their buffer.
#[derive(Default)]
pub(crate) struct Jumps {
    saved: FxHashMap<u32, Jump>,
    next: u32,
}

struct Jump {
    /// The frame: its depth, and its serial number to tell it from a later one there.
    depth: usize,
    serial: u64,
    pc: u32,
    nesting: u32,
    /// How many objects the frame has on the stack.
    allocas: usize,
}

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "setjmp" | "_setjmp" | "__setjmp" | "sigsetjmp" | "__sigsetjmp" | "_sigsetjmp" => setjmp,
        "longjmp" | "_longjmp" | "__longjmp" | "siglongjmp" | "__longjmp_chk" => longjmp,
        // gcc's own buffer has five words.
        "__builtin_setjmp" | "__cwolf_way_back" => setjmp,
        "__builtin_longjmp" => longjmp,
        _ => return None,
    })
}

fn setjmp(call: &mut Call<'_, '_>) -> Result<Ret, Stop> {
    let buffer = call.ptr(0)?;
    let machine = &mut *call.m;
    let depth = machine.frames.len();
    let frame = machine.frames.last().expect("called from a frame");
    let jump = Jump {
        depth,
        serial: frame.serial,
        pc: frame.pc,
        nesting: machine.nesting,
        allocas: frame.allocas.len(),
    };
    let jumps = &mut machine.library.jumps;
    if jumps.saved.len() >= 1024 {
        // Forget what can only be an error by now.
        let frames = &machine.frames;
        jumps.saved.retain(|_, j| {
            frames
                .get(j.depth - 1)
                .is_some_and(|f| f.serial == j.serial)
        });
    }
    // The same place saved again needs no second entry.
    let old = jumps
        .saved
        .iter()
        .find(|(_, j)| (j.serial, j.pc, j.nesting) == (jump.serial, jump.pc, jump.nesting));
    let number = match old {
        Some((number, _)) => *number,
        None => {
            jumps.next += 1;
            jumps.next
        }
    };
    jumps.saved.insert(number, jump);
    call.store(buffer, 4, number.into())?;
    Ok(Ret::Int(0))
}

fn longjmp(call: &mut Call<'_, '_>) -> Result<Ret, Stop> {
    let buffer = call.ptr(0)?;
    let value = match call.int32(1)? {
        0 => 1,
        value => value,
    };
    let number = call.load(buffer, 4, false)? as u32;
    let machine = &mut *call.m;
    let Some(jump) = machine.library.jumps.saved.get(&number) else {
        return Err(call.fail(ErrorKind::BadJump, "the buffer was never set by setjmp"));
    };
    let alive = machine.frames.get(jump.depth - 1);
    if alive.is_none_or(|f| f.serial != jump.serial) {
        let message = "the function that called setjmp has returned";
        return Err(call.fail(ErrorKind::BadJump, message));
    }
    let (depth, pc, nesting) = (jump.depth, jump.pc, jump.nesting);
    let allocas = jump.allocas;
    while machine.frames.len() > depth {
        let frame = machine.frames.pop().expect("counted");
        machine.end_frame(frame);
    }
    end_blocks(machine, pc, allocas);
    let frame = machine.frames.last_mut().expect("alive");
    frame.pc = pc;
    let at = (frame.base + frame.code.result) as usize;
    machine.stack[at] = i64::from(value) as u64;
    machine.stack[at + 1] = i64::from(value >> 31) as u64;
    if frame.careful {
        machine.taint[at] = false;
        machine.taint[at + 1] = false;
    }
    if machine.nesting == nesting {
        Ok(Ret::Jumped)
    } else {
        Err(Stop::Unwind { nesting })
    }
}

/// Ends what lives in the blocks of the innermost call that a jump back to `pc` leaves.
fn end_blocks(machine: &mut Machine<'_>, pc: u32, allocas: usize) {
    let here = machine.here();
    let frame = machine.frames.last_mut().expect("alive");
    let mut ended = frame.allocas.split_off(allocas.min(frame.allocas.len()));
    let (code, base) = (frame.code.clone(), frame.base as usize);
    let body = machine.program.funcs[code.func].body.as_ref();
    let mark = code.block_of((pc as usize).saturating_sub(1));
    let left = body.zip(mark).map(|(body, mark)| ended_at(body, mark));
    for var in left.unwrap_or_default() {
        let Some(Home::Frame(object)) = code.homes.get(&var) else {
            continue;
        };
        let slot = base + code.objects[*object as usize].slot as usize;
        let addr = std::mem::take(&mut machine.stack[slot]);
        ended.extend(machine.memory.object_at(addr).filter(|_| addr != 0));
    }
    for id in ended {
        machine.memory.release(id, State::ScopeEnded, here);
    }
}
