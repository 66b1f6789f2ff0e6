//! Supersteps on timely's channels: workers send each other bytes, and go on when all have
//! arrived.
//!
//! A step is over when every worker has said that this was all. Timely's own way to know that,
//! counting all messages at all workers, takes several rounds of messages a step; so no dataflow
//! is built, and its channels are used as they are. They keep the order of what one worker sends
//! another. A worker may work on what arrives before the step is over ([`Crew::poll`]).

use crate::link::{Lost, Watch};
use std::collections::VecDeque;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;
use timely::bytes::arc::Bytes;
use timely::communication::{Bytesable, Pull, Push};
use timely::worker::Worker;

/// Bytes for one worker are sent when there are so many.
const BLOCK: usize = 1 << 16;
/// How long a worker waits before it looks whether all processes are still there.
const NAP: Duration = Duration::from_millis(20);

/// Bytes on their way.
struct Block {
    from: u32,
    /// In which step.
    step: u64,
    /// Whether the sender has nothing more to say in this step.
    last: bool,
    bytes: Vec<u8>,
}

/// What goes before the bytes of a block.
const HEAD: usize = 16;

impl Bytesable for Block {
    fn from_bytes(bytes: Bytes) -> Block {
        let word = |at: usize| {
            let word = bytes.get(at..at + 8).and_then(|w| w.try_into().ok());
            word.map_or(0, u64::from_le_bytes)
        };
        let (from, step) = (word(0), word(8));
        Block {
            from: (from >> 1) as u32,
            step,
            last: from & 1 != 0,
            bytes: bytes.get(HEAD..).unwrap_or_default().to_vec(),
        }
    }
    fn length_in_bytes(&self) -> usize {
        HEAD + self.bytes.len()
    }
    fn into_bytes<W: Write>(&self, writer: &mut W) {
        let from = u64::from(self.from) << 1 | u64::from(self.last);
        let written = writer
            .write_all(&from.to_le_bytes())
            .and_then(|()| writer.write_all(&self.step.to_le_bytes()))
            .and_then(|()| writer.write_all(&self.bytes));
        written.expect("there is room for so many bytes");
    }
}

/// Why a worker stops.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the run ended")]
pub(crate) struct Stopped;

impl From<&Lost> for Stopped {
    fn from(_: &Lost) -> Stopped {
        Stopped
    }
}

/// One worker's way to all others.
pub(crate) struct Crew<'w> {
    worker: &'w mut Worker,
    pushers: Vec<Box<dyn Push<Block>>>,
    puller: Box<dyn Pull<Block>>,
    /// What has arrived and was not handed over.
    inbox: VecDeque<Block>,
    step: u64,
    /// How many workers have said all in this step.
    done: usize,
    out: Vec<Vec<u8>>,
    pub watch: Arc<Watch>,
    /// How much went to other workers.
    pub traffic: Traffic,
}

/// What was sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// How many supersteps there were.
    pub steps: u64,
    /// How many blocks went to other workers.
    pub blocks: u64,
    /// How many bytes they had.
    pub bytes: u64,
}

impl<'w> Crew<'w> {
    pub fn new(worker: &'w mut Worker, watch: Arc<Watch>) -> Crew<'w> {
        let channel = worker.new_identifier();
        let (pushers, puller) = worker.allocate(channel, [channel].into());
        let out = vec![Vec::new(); pushers.len()];
        Crew {
            worker,
            pushers,
            puller,
            inbox: VecDeque::new(),
            step: 0,
            done: 0,
            out,
            watch,
            traffic: Traffic::default(),
        }
    }
    pub fn index(&self) -> usize {
        self.worker.index()
    }
    pub fn peers(&self) -> usize {
        self.out.len()
    }
    /// Where to append what a worker is to get; say so afterwards with [`Crew::sent`].
    pub fn to(&mut self, worker: usize) -> &mut Vec<u8> {
        &mut self.out[worker]
    }
    /// Sends what was appended, if it is worth it. Records do not fall apart: a block ends where
    /// this is called.
    pub fn sent(&mut self, worker: usize) {
        if self.out[worker].len() >= BLOCK {
            self.send(worker, false);
        }
    }
    fn send(&mut self, to: usize, last: bool) {
        let bytes = std::mem::take(&mut self.out[to]);
        let from = self.index();
        let block = Block {
            from: from as u32,
            step: self.step,
            last,
            bytes,
        };
        if to == from {
            self.inbox.push_back(block);
        } else {
            self.traffic.blocks += 1;
            self.traffic.bytes += block.length_in_bytes() as u64;
            self.pushers[to].send(block);
        }
    }
    /// Whether the run goes on.
    pub fn check(&self) -> Result<(), Stopped> {
        match self.watch.lost() {
            Some(_) => Err(Stopped),
            None => Ok(()),
        }
    }
    /// Ends the run for all, because of this process.
    pub fn fail(&self, reason: impl Into<String>) -> Stopped {
        self.watch.lose(self.watch.me, reason);
        Stopped
    }
    /// Hands over what has arrived so far in this step, with who sent it.
    pub fn poll(
        &mut self,
        mut each: impl FnMut(usize, &[u8]) -> Result<(), Stopped>,
    ) -> Result<(), Stopped> {
        self.check()?;
        self.worker.step();
        self.hand_over(&mut each)
    }
    fn hand_over(
        &mut self,
        each: &mut impl FnMut(usize, &[u8]) -> Result<(), Stopped>,
    ) -> Result<(), Stopped> {
        while let Some(block) = self.puller.pull().take() {
            self.inbox.push_back(block);
        }
        // Others may be one step further.
        for _ in 0..self.inbox.len() {
            let Some(block) = self.inbox.pop_front() else {
                break;
            };
            if block.step == self.step {
                self.done += usize::from(block.last);
                each(block.from as usize, &block.bytes)?;
            } else {
                self.inbox.push_back(block);
            }
        }
        Ok(())
    }
    /// Sends all there is, and hands over everything until all workers have come here.
    pub fn finish(
        &mut self,
        mut each: impl FnMut(usize, &[u8]) -> Result<(), Stopped>,
    ) -> Result<(), Stopped> {
        (0..self.peers()).for_each(|to| self.send(to, true));
        // Off they go.
        self.worker.step();
        self.hand_over(&mut each)?;
        while self.done < self.peers() {
            self.check()?;
            self.worker.step_or_park(Some(NAP));
            self.hand_over(&mut each)?;
        }
        self.step += 1;
        self.done = 0;
        self.traffic.steps += 1;
        Ok(())
    }
    /// The same, with all bytes of each sender end to end.
    pub fn gather(&mut self) -> Result<Vec<Vec<u8>>, Stopped> {
        let mut all = vec![Vec::new(); self.peers()];
        self.finish(|from, bytes| {
            all[from].extend_from_slice(bytes);
            Ok(())
        })?;
        Ok(all)
    }
    /// Tells all workers some numbers, and gets theirs.
    pub fn agree<const N: usize>(&mut self, mine: [u64; N]) -> Result<Vec<[u64; N]>, Stopped> {
        for to in 0..self.peers() {
            let out = self.to(to);
            mine.iter().for_each(|n| out.extend(n.to_le_bytes()));
        }
        let all = self.gather()?;
        let numbers = |bytes: &Vec<u8>| {
            let mut words = bytes.chunks_exact(8);
            std::array::from_fn(|_| {
                let word = words.next().and_then(|w| w.try_into().ok());
                word.map_or(0, u64::from_le_bytes)
            })
        };
        Ok(all.iter().map(numbers).collect())
    }
    /// The sums of what all workers have.
    pub fn sum<const N: usize>(&mut self, mine: [u64; N]) -> Result<[u64; N], Stopped> {
        let all = self.agree(mine)?;
        Ok(std::array::from_fn(|n| all.iter().map(|own| own[n]).sum()))
    }
}
