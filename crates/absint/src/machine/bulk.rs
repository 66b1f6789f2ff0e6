//! Writes of many bytes at once: `memset`, `memcpy`, the assignment of a struct. Where place and length are
//! known this is one strong update of each cell in it; where not, cells may also stay as they are.

use super::assign::Written;
use super::eval::{At, Context, object_bits};
use super::layout::Slot;
use super::scratch::Scratch;
use crate::domain::{Target, Value};
use cwolf_cwi::{Type, VarId, value};

/// What is written.
pub(crate) enum Bytes<'b> {
    /// The same byte everywhere.
    Fill(u8),
    /// What is at one of these places.
    Copy(&'b [At]),
    /// Nobody knows.
    Unknown,
}

/// How many bits are written: so many for certain, and at most so many if there is a bound.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub least: i128,
    pub most: Option<i128>,
}

impl Extent {
    pub fn exactly(bits: i128) -> Extent {
        Extent {
            least: bits,
            most: Some(bits),
        }
    }
    /// Whether it is known how many.
    pub fn is_exact(self) -> bool {
        self.most == Some(self.least)
    }
}

impl Context<'_> {
    /// Writes bytes to one of several places; false if there is none that can be written.
    pub fn write_bytes(
        &self,
        env: &mut Scratch,
        list: &[At],
        extent: Extent,
        bytes: &Bytes<'_>,
        written: &mut Written,
    ) -> bool {
        if extent.most == Some(0) {
            return true;
        }
        let least = u64::try_from(extent.least).unwrap_or(0);
        let list = self.accessed(list, least);
        let mut updates: Vec<(&Slot, Value)> = Vec::new();
        for at in &list {
            let Target::Object(var) = at.target else {
                continue;
            };
            let var = VarId(var);
            let Some(from) = at.bits.map(i128::from) else {
                self.look_at(env, var);
                written.push((var, i128::MIN, i128::MAX));
                updates.extend(self.slots(var).map(|slot| (slot, Value::Top)));
                continue;
            };
            let end = object_bits(self.program, var).unwrap_or(i128::MAX);
            let to = extent.most.map_or(end, |most| from.saturating_add(most));
            written.push((var, from, to));
            for slot in self.slots(var).filter(|s| s.overlaps(from, to)) {
                let start = i128::from(slot.cell.bit_offset);
                let (inside, stop) = (start - from, start + i128::from(slot.bits));
                let new = match inside >= 0 && stop <= to {
                    true => self.hold(slot, self.bytes_at(env, slot, inside, bytes)),
                    false => Value::Top,
                };
                let one = list.len() == 1 && !self.program.heap.summaries.contains(&var);
                let surely = one && inside >= 0 && stop <= from + extent.least;
                let new = match surely {
                    true => new,
                    false => self.join_kept(slot, env.get(slot.home), new),
                };
                updates.push((slot, new));
            }
        }
        // Only now: source and target may overlap, and so may several targets.
        for (n, (slot, new)) in updates.iter().enumerate() {
            let before = updates[..n]
                .iter()
                .any(|(other, _)| other.home == slot.home);
            let new = match before {
                true => self.join_kept(slot, env.get(slot.home), *new),
                false => *new,
            };
            env.set(slot.home, new);
        }
        !list.is_empty()
    }
    /// What a slot holds that starts so many bits after the start of what is written.
    fn bytes_at(&self, env: &Scratch, slot: &Slot, inside: i128, bytes: &Bytes<'_>) -> Value {
        match bytes {
            Bytes::Unknown => Value::Top,
            Bytes::Fill(0) => self.zero(slot.cell.ty),
            Bytes::Fill(byte) => match self.program.types[slot.cell.ty] {
                Type::Int(int) if int.bits <= 64 => {
                    let (start, bits) = (slot.cell.bit_offset % 8, int.bits.into());
                    let all = self.program.target().bits(&[*byte; 9], start, bits);
                    Value::Int(value::wrap(int, all as i128) as u64)
                }
                _ => Value::Top,
            },
            Bytes::Copy(list) => {
                let by = i64::try_from(inside).ok();
                let moved = |at: &At| At {
                    bits: at.bits.zip(by).and_then(|(b, by)| b.checked_add(by)),
                    ..*at
                };
                let list: Vec<At> = list.iter().map(moved).collect();
                match self.read_at(env, &list, slot.cell.ty) {
                    // Padding, or what C does not define.
                    Value::Bottom => Value::Top,
                    v => v,
                }
            }
        }
    }
}
