//! Pseudo-random numbers, with the very sequences of glibc.

use super::{Call, Native, Ret};
use crate::error::Stop;

/// The states of `rand`, and of `drand48`.
pub(crate) struct Generators {
    table: [i32; 31],
    front: usize,
    state48: u64,
    /// Factor and addend of `drand48`.
    step48: (u64, u64),
    /// Where the generator of `random` is, once the program handles its state.
    pub(super) memory: Option<u64>,
}

impl Default for Generators {
    fn default() -> Generators {
        let mut generators = Generators {
            table: [0; 31],
            front: 3,
            state48: 0,
            step48: (0x5_deec_e66d, 0xb),
            memory: None,
        };
        generators.seed(1);
        generators
    }
}

impl Generators {
    fn seed(&mut self, seed: u32) {
        let mut word = if seed == 0 { 1 } else { seed as i32 };
        self.table[0] = word;
        for entry in &mut self.table[1..] {
            word = super::random::scramble(word);
            *entry = word;
        }
        self.front = 3;
        for _ in 0..310 {
            self.next();
        }
    }
    /// The table and the place of its rear.
    pub(super) fn table(&self) -> ([i32; 31], u64) {
        (self.table, (self.front as u64 + 28) % 31)
    }
    /// The additive feedback generator of degree 31.
    fn next(&mut self) -> i32 {
        let rear = (self.front + 28) % 31;
        let sum = self.table[self.front].wrapping_add(self.table[rear]);
        self.table[self.front] = sum;
        self.front = (self.front + 1) % 31;
        ((sum as u32) >> 1) as i32
    }
}

fn step48((factor, addend): (u64, u64), state: u64) -> u64 {
    state.wrapping_mul(factor).wrapping_add(addend) & ((1 << 48) - 1)
}

fn to_double(state: u64) -> f64 {
    state as f64 / (1u64 << 48) as f64
}

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "rand" | "random" => |c| match super::random::own_next(c)? {
            Some(number) => Ok(Ret::Int(number.into())),
            None => Ok(Ret::Int(c.m.library.random.next().into())),
        },
        "srand" | "srandom" => |c| {
            let seed = c.int(0)? as u32;
            super::random::own_seed(c, seed)?;
            c.m.library.random.seed(seed);
            Ok(Ret::Void)
        },
        "rand_r" => rand_r,
        "drand48" => |c| Ok(to_double(own48(c)).into()),
        "lrand48" => |c| Ok(Ret::Int((own48(c) >> 17).into())),
        "mrand48" => |c| Ok(Ret::Int(i128::from((own48(c) >> 16) as u32 as i32))),
        "erand48" => |c| Ok(to_double(given48(c)?).into()),
        "nrand48" => |c| Ok(Ret::Int((given48(c)? >> 17).into())),
        "jrand48" => |c| Ok(Ret::Int(i128::from((given48(c)? >> 16) as u32 as i32))),
        "srand48" => |c| {
            let seed = c.int(0)? as u32;
            c.m.library.random.state48 = (u64::from(seed) << 16) | 0x330e;
            c.m.library.random.step48 = (0x5_deec_e66d, 0xb);
            Ok(Ret::Void)
        },
        "seed48" => seed48,
        "lcong48" => |c| {
            let from = c.ptr(0)?;
            let number = c.load(from, 6, false)? as u64;
            let factor = c.load(from.wrapping_add(6), 6, false)? as u64;
            let addend = c.load(from.wrapping_add(12), 2, false)? as u64;
            c.m.library.random.state48 = number;
            c.m.library.random.step48 = (factor, addend);
            Ok(Ret::Void)
        },
        _ => return None,
    })
}

fn own48(call: &mut Call<'_, '_>) -> u64 {
    let random = &mut call.m.library.random;
    random.state48 = step48(random.step48, random.state48);
    random.state48
}

fn seed48(call: &mut Call<'_, '_>) -> Result<Ret, Stop> {
    let new = call.load(call.ptr(0)?, 6, false)? as u64;
    let old = std::mem::replace(&mut call.m.library.random.state48, new);
    call.m.library.random.step48 = (0x5_deec_e66d, 0xb);
    let addr = call.m.library_object("the result of seed48", 6)?;
    call.store(addr, 6, old.into())?;
    Ok(Ret::Int(addr.into()))
}

fn given48(call: &mut Call<'_, '_>) -> Result<u64, Stop> {
    let addr = call.ptr(0)?;
    let step = call.m.library.random.step48;
    let state = step48(step, call.load(addr, 6, false)? as u64);
    call.store(addr, 6, state.into())?;
    Ok(state)
}

fn rand_r(call: &mut Call<'_, '_>) -> Result<Ret, Stop> {
    let addr = call.ptr(0)?;
    let mut next = call.load(addr, 4, false)? as u32;
    let mut result = 0;
    for (n, modulus) in [2048, 1024, 1024].into_iter().enumerate() {
        next = next.wrapping_mul(1_103_515_245).wrapping_add(12345);
        if n > 0 {
            result <<= 10;
        }
        result ^= (next / 65536) % modulus;
    }
    call.store(addr, 4, next.into())?;
    Ok(Ret::Int(result.into()))
}
