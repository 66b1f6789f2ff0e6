//! Environments opened up to be worked on, which remember what was looked at and what was
//! written.
//!
//! A step depends only on the slots that it read, and changes only those that it wrote. The
//! worker remembers steps by them (see [`super::worker`]), so every access goes through here.

use super::layout::Home;
use crate::domain::Value;
use std::cell::Cell;
use std::rc::Rc;

/// Which slots of an environment a step has read so far, whichever way it took.
#[derive(Debug)]
pub(crate) struct Watch {
    seen: Vec<Cell<u64>>,
    /// Slots that are ⊤ in every state at this location.
    top: Rc<[bool]>,
}

/// One environment under work.
#[derive(Clone, Debug)]
pub(crate) struct Tracked {
    values: Vec<Value>,
    written: Vec<u64>,
    /// None for an environment that did not exist before the step.
    watch: Option<Rc<Watch>>,
}

fn bit(n: usize) -> (usize, u64) {
    (n / 64, 1 << (n % 64))
}

impl Tracked {
    /// The environment of a state, in which the slots that `top` names are known to be ⊤.
    pub fn open(values: Vec<Value>, top: Rc<[bool]>) -> Tracked {
        let words = values.len().div_ceil(64);
        Tracked {
            written: vec![0; words],
            watch: Some(Rc::new(Watch {
                seen: vec![Cell::new(0); words],
                top,
            })),
            values,
        }
    }
    /// A new environment in which nothing is known.
    pub fn fresh(len: usize) -> Tracked {
        Tracked {
            values: vec![Value::Top; len],
            written: vec![0; len.div_ceil(64)],
            watch: None,
        }
    }
    pub fn len(&self) -> usize {
        self.values.len()
    }
    pub fn is_written(&self, n: usize) -> bool {
        let (word, bit) = bit(n);
        self.written[word] & bit != 0
    }
    fn mark_read(&self, n: usize) {
        if let Some(watch) = &self.watch {
            let (word, bit) = bit(n);
            watch.seen[word].set(watch.seen[word].get() | bit);
        }
    }
    pub fn get(&self, n: usize) -> Value {
        if !self.is_written(n) {
            self.mark_read(n);
        }
        self.values[n]
    }
    /// All values, for looking at: no step may depend on them.
    pub fn values(&self) -> &[Value] {
        &self.values
    }
    pub fn set(&mut self, n: usize, value: Value) {
        let (word, bit) = bit(n);
        self.written[word] |= bit;
        self.values[n] = value;
    }
    /// Everything becomes ⊤.
    pub fn fill_top(&mut self) {
        for n in 0..self.values.len() {
            self.set(n, Value::Top);
        }
    }
    /// The slot becomes ⊤, without reading it; nothing to do if it is so in every state here.
    pub fn drop_slot(&mut self, n: usize) {
        let known = self.watch.as_ref().is_none_or(|w| w.top[n]);
        if self.is_written(n) || !known {
            self.set(n, Value::Top);
        }
    }
    /// The union with another environment that came from the same one; `join` is asked where
    /// they differ.
    pub fn join(&mut self, other: &Tracked, join: impl Fn(usize, Value, Value) -> Value) {
        for n in 0..self.values.len() {
            let (here, there) = (self.is_written(n), other.is_written(n));
            if !here && !there {
                continue;
            }
            if !here || !there {
                self.mark_read(n);
            }
            let (a, b) = (self.values[n], other.values[n]);
            self.set(n, if a == b { a } else { join(n, a, b) });
        }
    }
    /// The slots that the step has read, whichever way it took.
    pub fn reads(&self) -> impl Iterator<Item = u32> + '_ {
        let seen = self.watch.iter().flat_map(|w| w.seen.iter().enumerate());
        seen.flat_map(|(word, bits)| ones(word, bits.get()))
    }
    /// What was written: slots and their values.
    pub fn writes(&self) -> impl Iterator<Item = (u32, Value)> + '_ {
        let words = self.written.iter().enumerate();
        words
            .flat_map(|(word, bits)| ones(word, *bits))
            .map(|n| (n, self.values[n as usize]))
    }
}

fn ones(word: usize, mut bits: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        (bits != 0).then(|| {
            let n = bits.trailing_zeros();
            bits &= bits - 1;
            word as u32 * 64 + n
        })
    })
}

/// A local and the global environment, opened up to be worked on.
#[derive(Clone, Debug)]
pub(crate) struct Scratch {
    pub local: Tracked,
    pub global: Tracked,
}

impl Scratch {
    pub fn get(&self, home: Home) -> Value {
        match home {
            Home::Global(n) => self.global.get(n as usize),
            Home::Local(n) => self.local.get(n as usize),
        }
    }
    pub fn set(&mut self, home: Home, value: Value) {
        match home {
            Home::Global(n) => self.global.set(n as usize, value),
            Home::Local(n) => self.local.set(n as usize, value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open() -> Tracked {
        Tracked::open(vec![Value::Int(7); 70], vec![false; 70].into())
    }

    #[test]
    fn reads_are_seen_through_clones_and_writes_hide_them() {
        let env = open();
        let mut other = env.clone();
        other.set(3, Value::Int(1));
        assert_eq!(other.get(3), Value::Int(1));
        assert_eq!(other.get(69), Value::Int(7));
        assert_eq!(env.reads().collect::<Vec<_>>(), [69]);
        assert_eq!(other.writes().collect::<Vec<_>>(), [(3, Value::Int(1))]);
    }

    #[test]
    fn a_join_reads_what_only_one_side_wrote() {
        let mut env = open();
        let mut other = env.clone();
        other.set(3, Value::Int(1));
        env.set(4, Value::Int(2));
        other.set(4, Value::Int(2));
        env.join(&other, |_, _, _| Value::Top);
        assert_eq!(env.reads().collect::<Vec<_>>(), [3]);
        let writes: Vec<_> = env.writes().collect();
        assert_eq!(writes, [(3, Value::Top), (4, Value::Int(2))]);
    }
}
