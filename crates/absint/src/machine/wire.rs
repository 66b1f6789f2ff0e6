//! States as bytes that mean the same in every process.
//!
//! A state's key is a number of one process's tables. As bytes it is its location, the frames
//! from the innermost on, and the values of all slots, without a length in front: the program
//! says how many there are. Most slots are one byte; a run of ⊤ is one as well. Equal states
//! are equal bytes, and the other way round.

use super::tables::{Full, Tables, mix};
use super::{Code, PENDING, State};
use crate::domain::wire::{SMALL, TAGS, put, take, take_byte};
use crate::explore::Ownership;
use rustc_hash::FxHashMap;

/// The longest run of ⊤ that is one byte.
const RUN: u8 = TAGS - SMALL - 1;
/// A longer run, with its length.
const LONG_RUN: u8 = TAGS - 1;

/// Why bytes are not a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// The tables must grow first.
    Full,
    /// They never were one of this program.
    Garbled,
}

impl From<Full> for Refused {
    fn from(_: Full) -> Refused {
        Refused::Full
    }
}

/// Writes and reads states of one set of tables, and keeps how values are written.
#[derive(Debug, Default)]
pub(crate) struct Wire {
    /// The bytes of values, by number, end to end, and where each ends.
    bytes: Vec<u8>,
    ends: Vec<u32>,
    /// The numbers of small integers, if they are known.
    small: Vec<u32>,
    slots: Vec<u32>,
    frames: Vec<(u32, u32)>,
    /// Hashes of values, by number, and of frames.
    hashes: Vec<u64>,
    frame_hashes: FxHashMap<Frames, u64>,
}

/// The callers of a state, its local environment and how many slots this has: without them, all
/// local environments of nothing but ⊤ would be the same.
type Frames = (u32, u32, u32);

fn frames(code: &Code<'_>, tables: &Tables, state: State) -> Frames {
    let location = match state.location {
        PENDING.. => tables.pended(state.location - PENDING).1,
        location => location,
    };
    (state.caller, state.local, code.frame_len(location))
}

/// So many hashes of frames are kept.
const MAX_FRAMES: usize = 1 << 16;

/// A hash that is the same in every process.
fn hash(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(bytes.len() as u64, |hash, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        mix(hash.rotate_left(7) ^ u64::from_le_bytes(word))
    })
}

impl Wire {
    /// Appends a state.
    pub fn put(&mut self, code: &Code<'_>, tables: &Tables, key: u64, out: &mut Vec<u8>) {
        let state = tables.unpack(key);
        let location = match state.location {
            PENDING.. => {
                let (sequence, location) = tables.pended(state.location - PENDING);
                let labels = tables.texts(sequence);
                put(out, (labels.len() as u64) << 1 | 1);
                for label in labels {
                    put(out, label.len() as u64);
                    out.extend(label.as_bytes());
                }
                put(out, u64::from(location));
                location
            }
            location => {
                put(out, u64::from(location) << 1);
                location
            }
        };
        let frames = (state.caller, state.local, code.frame_len(location));
        self.put_frames(code, tables, frames, out);
        let globals = code.layout.globals.len() as u32;
        self.put_slots(code, tables, state.global, globals, out);
    }
    /// Appends the callers and the local environment.
    fn put_frames(
        &mut self,
        code: &Code<'_>,
        tables: &Tables,
        (mut caller, local, len): Frames,
        out: &mut Vec<u8>,
    ) {
        let mut frames = std::mem::take(&mut self.frames);
        frames.clear();
        while caller != 0 {
            let (call, next, local) = tables.parts(caller);
            frames.push((call, local));
            caller = next;
        }
        put(out, frames.len() as u64);
        for (call, local) in &frames {
            put(out, u64::from(*call));
            self.put_slots(code, tables, *local, code.frame_len(*call), out);
        }
        self.frames = frames;
        self.put_slots(code, tables, local, len, out);
    }
    /// Whether two states have the same home because all is equal that it may depend on.
    pub fn stays(
        code: &Code<'_>,
        tables: &Tables,
        ownership: &Ownership,
        from: u64,
        to: u64,
    ) -> bool {
        let (from, to) = (tables.unpack(from), tables.unpack(to));
        let globals = code.layout.globals.len() as u32;
        let frames = |state| frames(code, tables, state);
        tables.agree((from.global, to.global), 0, globals, &ownership.slots)
            && (!ownership.frames || frames(from) == frames(to))
    }
    /// The home of a state.
    pub fn home(
        &mut self,
        code: &Code<'_>,
        tables: &Tables,
        ownership: &Ownership,
        key: u64,
    ) -> u64 {
        let mut home = 0;
        let state = tables.unpack(key);
        if ownership.frames {
            let frames = frames(code, tables, state);
            home = match self.frame_hashes.get(&frames) {
                Some(hash) => *hash,
                None => {
                    let mut bytes = Vec::new();
                    self.put_frames(code, tables, frames, &mut bytes);
                    if self.frame_hashes.len() >= MAX_FRAMES {
                        self.frame_hashes.clear();
                    }
                    *self.frame_hashes.entry(frames).or_insert(hash(&bytes))
                }
            };
        }
        let mut slots = std::mem::take(&mut self.slots);
        slots.clear();
        let globals = code.layout.globals.len() as u32;
        tables.pick(state.global, 0, globals, &ownership.slots, &mut slots);
        for number in &slots {
            self.learn(code, tables, *number);
            home = mix(home.rotate_left(7) ^ self.hashes[*number as usize]);
        }
        self.slots = slots;
        home
    }
    /// Keeps how a value is written, and all before it.
    fn learn(&mut self, code: &Code<'_>, tables: &Tables, number: u32) {
        while self.ends.len() <= number as usize {
            let value = tables.value(self.ends.len() as u32);
            let start = self.bytes.len();
            code.universe.put(value, &mut self.bytes);
            self.ends.push(self.bytes.len() as u32);
            self.hashes.push(hash(&self.bytes[start..]));
        }
    }
    fn put_slots(
        &mut self,
        code: &Code<'_>,
        tables: &Tables,
        id: u32,
        len: u32,
        out: &mut Vec<u8>,
    ) {
        let mut run = 0;
        let end_run = |run: &mut u32, out: &mut Vec<u8>| {
            match *run {
                0 => {}
                1..=0xff if *run <= u32::from(RUN) => out.push(SMALL + *run as u8 - 1),
                _ => {
                    out.push(LONG_RUN);
                    put(out, u64::from(*run));
                }
            }
            *run = 0;
        };
        tables.walk(id, len, &mut |number, count| {
            if number == 0 {
                run += count;
                return;
            }
            end_run(&mut run, out);
            self.learn(code, tables, number);
            let start = self.ends[number as usize - 1] as usize;
            match &self.bytes[start..self.ends[number as usize] as usize] {
                [byte] => out.push(*byte),
                bytes => out.extend_from_slice(bytes),
            }
        });
        end_run(&mut run, out);
    }
    /// Takes a state off the front.
    pub fn take(
        &mut self,
        code: &Code<'_>,
        tables: &Tables,
        bytes: &mut &[u8],
    ) -> Result<u64, Refused> {
        let number = |bytes: &mut &[u8]| take(bytes).ok_or(Refused::Garbled);
        let known = |point: u64| match point < code.frame_lens.len() as u64 {
            true => Ok(point as u32),
            false => Err(Refused::Garbled),
        };
        let first = number(bytes)?;
        let (location, point) = match first & 1 {
            0 => {
                let point = known(first >> 1)?;
                (point, point)
            }
            _ => {
                let mut labels = Vec::new();
                for _ in 0..first >> 1 {
                    let len = number(bytes)?;
                    let (text, rest) = usize::try_from(len)
                        .ok()
                        .and_then(|len| bytes.split_at_checked(len))
                        .ok_or(Refused::Garbled)?;
                    let text = std::str::from_utf8(text).map_err(|_| Refused::Garbled)?;
                    labels.push(text.to_owned());
                    *bytes = rest;
                }
                let point = known(number(bytes)?)?;
                let sequence = tables.sequence(&labels);
                (PENDING + tables.pend(sequence, point), point)
            }
        };
        let mut frames = std::mem::take(&mut self.frames);
        frames.clear();
        for _ in 0..number(bytes)? {
            let call = known(number(bytes)?)?;
            let local = self.take_slots(code, tables, code.frame_len(call), bytes)?;
            frames.push((call, local));
        }
        let mut caller = 0;
        for (call, local) in frames.iter().rev() {
            caller = tables.control(*call, caller, *local)?;
        }
        self.frames = frames;
        let local = self.take_slots(code, tables, code.frame_len(point), bytes)?;
        let globals = code.layout.globals.len() as u32;
        let global = self.take_slots(code, tables, globals, bytes)?;
        Ok(tables.pack(State {
            location,
            caller,
            local,
            global,
        })?)
    }
    fn take_slots(
        &mut self,
        code: &Code<'_>,
        tables: &Tables,
        len: u32,
        bytes: &mut &[u8],
    ) -> Result<u32, Refused> {
        self.slots.clear();
        if self.small.is_empty() {
            self.small = vec![0; usize::from(SMALL)];
        }
        while self.slots.len() < len as usize {
            let first = *bytes.first().ok_or(Refused::Garbled)?;
            let room = len as usize - self.slots.len();
            let run = match first {
                SMALL..LONG_RUN => {
                    *bytes = &bytes[1..];
                    usize::from(first - SMALL) + 1
                }
                LONG_RUN => {
                    take_byte(bytes);
                    let run = take(bytes).ok_or(Refused::Garbled)?;
                    usize::try_from(run).map_err(|_| Refused::Garbled)?
                }
                _ => 0,
            };
            if run > room {
                return Err(Refused::Garbled);
            }
            if run > 0 {
                self.slots.resize(self.slots.len() + run, 0);
                continue;
            }
            let known = self.small.get(usize::from(first)).copied().unwrap_or(0);
            if known != 0 {
                *bytes = &bytes[1..];
                self.slots.push(known);
                continue;
            }
            let value = code.universe.take(bytes).ok_or(Refused::Garbled)?;
            let number = tables.number(value);
            if let Some(slot) = self.small.get_mut(usize::from(first)) {
                *slot = number;
            }
            self.slots.push(number);
        }
        Ok(tables.tree(&self.slots)?)
    }
}
