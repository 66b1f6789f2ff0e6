//! `random_r` and its kin: glibc's generators whose state lies in the program's own memory.

use super::{Call, Native, Ret};
use crate::error::Stop;

type Result<T> = std::result::Result<T, Stop>;
type C<'a, 'c, 'p> = &'a mut Call<'c, 'p>;

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "random_r" => |c| {
            let (data, to) = (c.ptr(0)?, c.ptr(1)?);
            let value = next(c, data)?;
            c.store(to, 4, value.into())?;
            Ok(Ret::Int(0))
        },
        "srandom_r" => |c| {
            let (value, data) = (c.int(0)? as u32, c.ptr(1)?);
            seed(c, data, value)?;
            Ok(Ret::Int(0))
        },
        "initstate_r" => |c| {
            let (value, state) = (c.int(0)? as u32, c.ptr(1)?);
            let (len, data) = (c.size(2)?, c.ptr(3)?);
            let done = start(c, data, value, state, len)?;
            Ok(Ret::Int(if done { 0 } else { -1 }))
        },
        "setstate_r" => |c| {
            let (state, data) = (c.ptr(0)?, c.ptr(1)?);
            let done = switch(c, data, state)?;
            Ok(Ret::Int(if done { 0 } else { -1 }))
        },
        "initstate" => initstate,
        "setstate" => setstate,
        "drand48_r" | "lrand48_r" | "mrand48_r" => |c| own48(c),
        "erand48_r" | "nrand48_r" | "jrand48_r" => |c| given48(c),
        "srand48_r" => srand48,
        "seed48_r" => seed48,
        "lcong48_r" => lcong48,
        _ => return None,
    })
}

/// Degree and separation of the polynomial of each type, by the bytes of state it needs.
const KINDS: [(u64, u64, u64); 5] = [
    (8, 0, 0),
    (32, 7, 3),
    (64, 15, 1),
    (128, 31, 3),
    (256, 63, 1),
];

/// Where the fields of a `struct random_data` are.
struct Fields {
    front: u64,
    rear: u64,
    state: u64,
    kind: u64,
    degree: u64,
    separation: u64,
    end: u64,
}

fn fields(call: &Call<'_, '_>, data: u64) -> Fields {
    let word = call.word();
    let ints = data.wrapping_add(3 * word);
    Fields {
        front: data,
        rear: data.wrapping_add(word),
        state: data.wrapping_add(2 * word),
        kind: ints,
        degree: ints.wrapping_add(4),
        separation: ints.wrapping_add(8),
        end: ints.wrapping_add(12).next_multiple_of(word),
    }
}

const EINVAL: i32 = 22;

/// 16807 * word % (2^31 - 1) without overflow, as glibc does it.
pub(super) fn scramble(word: i32) -> i32 {
    let (high, low) = (word / 127_773, word % 127_773);
    let next = 16807i32
        .wrapping_mul(low)
        .wrapping_sub(2836i32.wrapping_mul(high));
    if next < 0 {
        next.wrapping_add(2_147_483_647)
    } else {
        next
    }
}

fn seed(call: C<'_, '_, '_>, data: u64, value: u32) -> Result<()> {
    let at = fields(call, data);
    let state = call.load_ptr(at.state)?;
    let degree = call.load(at.degree, 4, true)? as u64;
    let separation = call.load(at.separation, 4, true)? as u64;
    let mut word = value.max(1) as i32;
    call.store(state, 4, word.into())?;
    if degree == 0 {
        return Ok(());
    }
    for n in 1..degree {
        word = scramble(word);
        call.store(state + 4 * n, 4, word.into())?;
    }
    call.store_ptr(at.front, state + 4 * separation)?;
    call.store_ptr(at.rear, state)?;
    for _ in 0..10 * degree {
        next(call, data)?;
    }
    Ok(())
}

fn next(call: C<'_, '_, '_>, data: u64) -> Result<i32> {
    let at = fields(call, data);
    let state = call.load_ptr(at.state)?;
    if call.load(at.kind, 4, true)? == 0 {
        let word = call.load(state, 4, false)? as u32;
        let word = word.wrapping_mul(1_103_515_245).wrapping_add(12345) & 0x7fff_ffff;
        call.store(state, 4, word.into())?;
        return Ok(word as i32);
    }
    let (front, rear) = (call.load_ptr(at.front)?, call.load_ptr(at.rear)?);
    let end = call.load_ptr(at.end)?;
    let sum = (call.load(front, 4, false)? + call.load(rear, 4, false)?) as u32;
    call.store(front, 4, sum.into())?;
    let after = |p: u64| if p + 4 >= end { state } else { p + 4 };
    call.store_ptr(at.front, after(front))?;
    call.store_ptr(at.rear, after(rear))?;
    Ok((sum >> 1) as i32)
}

/// Writes into a state which type it has and where its rear is, for `setstate`.
fn sign_off(call: C<'_, '_, '_>, data: u64) -> Result<()> {
    let at = fields(call, data);
    let state = call.load_ptr(at.state)?;
    if state == 0 {
        return Ok(());
    }
    let kind = call.load(at.kind, 4, true)?;
    let word = match kind {
        0 => 0,
        _ => i128::from((call.load_ptr(at.rear)? - state) / 4) * 5 + kind,
    };
    Ok(call.store(state - 4, 4, word)?)
}

fn set_kind(call: C<'_, '_, '_>, data: u64, state: u64, kind: usize) -> Result<()> {
    let at = fields(call, data);
    let (_, degree, separation) = KINDS[kind];
    call.store(at.kind, 4, kind as i128)?;
    call.store(at.degree, 4, degree.into())?;
    call.store(at.separation, 4, separation.into())?;
    call.store_ptr(at.state, state)?;
    Ok(call.store_ptr(at.end, state + 4 * degree)?)
}

fn start(call: C<'_, '_, '_>, data: u64, value: u32, buffer: u64, len: u64) -> Result<bool> {
    sign_off(call, data)?;
    let Some(kind) = KINDS.iter().rposition(|(size, ..)| len >= *size) else {
        call.m.set_errno(EINVAL)?;
        return Ok(false);
    };
    set_kind(call, data, buffer + 4, kind)?;
    seed(call, data, value)?;
    sign_off(call, data)?;
    Ok(true)
}

fn switch(call: C<'_, '_, '_>, data: u64, buffer: u64) -> Result<bool> {
    sign_off(call, data)?;
    let word = call.load(buffer, 4, true)?;
    let (kind, rear) = (word.rem_euclid(5) as usize, word.div_euclid(5) as u64);
    let (_, degree, separation) = KINDS[kind];
    set_kind(call, data, buffer + 4, kind)?;
    if kind != 0 {
        let at = fields(call, data);
        let place = |n: u64| buffer + 4 + 4 * (n % degree);
        call.store_ptr(at.rear, place(rear))?;
        call.store_ptr(at.front, place(rear + separation))?;
    }
    Ok(true)
}

/// The generator of `random` in memory, once a program handles its state.
fn own_data(call: C<'_, '_, '_>) -> Result<u64> {
    let size = 6 * call.word();
    let data = call.m.library_object("the generator of random", size)?;
    if call.m.library.random.memory.is_none() {
        let buffer = call.m.library_object("the state of random", 128)?;
        let (table, rear) = call.m.library.random.table();
        set_kind(call, data, buffer + 4, 3)?;
        for (n, word) in table.into_iter().enumerate() {
            call.store(buffer + 4 + 4 * n as u64, 4, word.into())?;
        }
        let at = fields(call, data);
        call.store_ptr(at.rear, buffer + 4 + 4 * rear)?;
        call.store_ptr(at.front, buffer + 4 + 4 * ((rear + 3) % 31))?;
        call.m.library.random.memory = Some(data);
    }
    Ok(data)
}

/// The next number of `random`, if its state is in memory.
pub(super) fn own_next(call: C<'_, '_, '_>) -> Result<Option<i32>> {
    match call.m.library.random.memory {
        Some(data) => Ok(Some(next(call, data)?)),
        None => Ok(None),
    }
}

/// Seeds `random`, if its state is in memory.
pub(super) fn own_seed(call: C<'_, '_, '_>, value: u32) -> Result<()> {
    match call.m.library.random.memory {
        Some(data) => seed(call, data, value),
        None => Ok(()),
    }
}

fn initstate(call: C<'_, '_, '_>) -> Result<Ret> {
    let (value, buffer, len) = (call.int(0)? as u32, call.ptr(1)?, call.size(2)?);
    let data = own_data(call)?;
    let state = fields(call, data).state;
    let old = call.load_ptr(state)? - 4;
    let done = start(call, data, value, buffer, len)?;
    Ok(Ret::Int(if done { old.into() } else { 0 }))
}

fn setstate(call: C<'_, '_, '_>) -> Result<Ret> {
    let buffer = call.ptr(0)?;
    let data = own_data(call)?;
    let state = fields(call, data).state;
    let old = call.load_ptr(state)? - 4;
    let done = switch(call, data, buffer)?;
    Ok(Ret::Int(if done { old.into() } else { 0 }))
}

const FACTOR: u64 = 0x5_deec_e66d;
const ADDEND: u64 = 0xb;

/// Offsets in a `struct drand48_data`: the number, the one before, addend, mark, factor.
const OLD: u64 = 6;
const ADD: u64 = 12;
const MARK: u64 = 14;
const MUL: u64 = 16;

/// One step of the 48-bit generator: the number is at `at`, the constants are in `data`.
fn step48(call: C<'_, '_, '_>, at: u64, data: u64) -> Result<u64> {
    if call.load(data.wrapping_add(MARK), 2, false)? == 0 {
        constants48(call, data)?;
    }
    let factor = call.load(data + MUL, 8, false)? as u64;
    let addend = call.load(data + ADD, 2, false)? as u64;
    let number = call.load(at, 6, false)? as u64;
    let number = number.wrapping_mul(factor).wrapping_add(addend) & ((1 << 48) - 1);
    call.store(at, 6, number.into())?;
    Ok(number)
}

fn constants48(call: C<'_, '_, '_>, data: u64) -> Result<()> {
    call.store(data.wrapping_add(MUL), 8, FACTOR.into())?;
    call.store(data.wrapping_add(ADD), 2, ADDEND.into())?;
    Ok(call.store(data.wrapping_add(MARK), 2, 1)?)
}

/// Stores the result as the name says: a double, a non-negative or any 32-bit number.
fn result48(call: C<'_, '_, '_>, to: u64, number: u64) -> Result<Ret> {
    match call.name.as_bytes().first() {
        Some(b'd' | b'e') => {
            let value = number as f64 / (1u64 << 48) as f64;
            call.store(to, 8, value.to_bits().into())?;
        }
        first => {
            let size = call.word();
            let value = match first {
                Some(b'l' | b'n') => i128::from(number >> 17),
                _ => i128::from((number >> 16) as u32 as i32),
            };
            call.store(to, size, value)?;
        }
    }
    Ok(Ret::Int(0))
}

fn own48(call: C<'_, '_, '_>) -> Result<Ret> {
    let (data, to) = (call.ptr(0)?, call.ptr(1)?);
    let number = step48(call, data, data)?;
    result48(call, to, number)
}

fn given48(call: C<'_, '_, '_>) -> Result<Ret> {
    let (at, data, to) = (call.ptr(0)?, call.ptr(1)?, call.ptr(2)?);
    let number = step48(call, at, data)?;
    result48(call, to, number)
}

fn srand48(call: C<'_, '_, '_>) -> Result<Ret> {
    let (value, data) = (call.int(0)? as u32, call.ptr(1)?);
    call.store(data, 6, (i128::from(value) << 16) | 0x330e)?;
    constants48(call, data)?;
    Ok(Ret::Int(0))
}

fn seed48(call: C<'_, '_, '_>) -> Result<Ret> {
    let (from, data) = (call.ptr(0)?, call.ptr(1)?);
    let old = call.load(data, 6, false)?;
    call.store(data.wrapping_add(OLD), 6, old)?;
    let new = call.load(from, 6, false)?;
    call.store(data, 6, new)?;
    constants48(call, data)?;
    Ok(Ret::Int(0))
}

fn lcong48(call: C<'_, '_, '_>) -> Result<Ret> {
    let (from, data) = (call.ptr(0)?, call.ptr(1)?);
    let number = call.load(from, 6, false)?;
    let factor = call.load(from.wrapping_add(6), 6, false)?;
    let addend = call.load(from.wrapping_add(12), 2, false)?;
    call.store(data, 6, number)?;
    call.store(data.wrapping_add(MUL), 8, factor)?;
    call.store(data.wrapping_add(ADD), 2, addend)?;
    call.store(data.wrapping_add(MARK), 2, 1)?;
    Ok(Ret::Int(0))
}
