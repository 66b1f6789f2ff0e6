//! Supersteps on timely dataflow: workers send each other bytes, and go on when all have
//! arrived.
//!
//! There is one dataflow with one exchange channel; its timestamps are the supersteps. A worker
//! may work on what arrives before the step is over ([`Communicator::poll`]).

use crate::link::{Lost, Watch};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use timely::container::CapacityContainerBuilder;
use timely::dataflow::channels::pact::Exchange;
use timely::dataflow::operators::Probe;
use timely::dataflow::operators::generic::Operator;
use timely::dataflow::{InputHandle, ProbeHandle};
use timely::worker::Worker;

/// Bytes for one worker are sent when there are so many.
const BLOCK: usize = 1 << 16;
/// How long a worker waits before it looks whether all processes are still there.
const NAP: Duration = Duration::from_millis(20);

/// Bytes on their way.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Block {
    to: u32,
    from: u32,
    /// Counts the blocks between two workers.
    turn: u32,
    #[serde(with = "serde_bytes")]
    bytes: Vec<u8>,
}

type Input = InputHandle<u64, CapacityContainerBuilder<Vec<Block>>>;
type Inbox = Rc<RefCell<VecDeque<(u64, Block)>>>;

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
pub(crate) struct Communicator<'w> {
    worker: &'w mut Worker,
    input: Input,
    probe: ProbeHandle<u64>,
    inbox: Inbox,
    step: u64,
    out: Vec<Vec<u8>>,
    sent: Vec<u32>,
    received: Vec<u32>,
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

impl<'w> Communicator<'w> {
    pub fn new(worker: &'w mut Worker, watch: Arc<Watch>) -> Communicator<'w> {
        let mut input: Input = InputHandle::new();
        let inbox = Inbox::default();
        let into = Rc::clone(&inbox);
        let probe = worker.dataflow::<u64, _, _>(|scope| {
            let route = Exchange::new(|block: &Block| u64::from(block.to));
            let stream = input.to_stream(scope);
            let stream = stream.unary::<CapacityContainerBuilder<Vec<Block>>, _, _, _>(
                route,
                "arrive",
                move |_, _| {
                    move |input, _| {
                        input.for_each_time(|time, data| {
                            let time = *time.time();
                            let mut into = into.borrow_mut();
                            data.for_each(|list| into.extend(list.drain(..).map(|b| (time, b))));
                        });
                    }
                },
            );
            stream.probe().0
        });
        let peers = worker.peers();
        Communicator {
            worker,
            input,
            probe,
            inbox,
            step: 0,
            out: vec![Vec::new(); peers],
            sent: vec![0; peers],
            received: vec![0; peers],
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
    /// Where to append what a worker is to get; say so afterwards with [`Communicator::sent`].
    pub fn to(&mut self, worker: usize) -> &mut Vec<u8> {
        &mut self.out[worker]
    }
    /// Sends what was appended, if it is worth it. Records do not fall apart: a block ends where
    /// this is called.
    pub fn sent(&mut self, worker: usize) {
        if self.out[worker].len() >= BLOCK {
            self.send(worker);
        }
    }
    fn send(&mut self, to: usize) {
        let bytes = std::mem::take(&mut self.out[to]);
        if bytes.is_empty() {
            return;
        }
        let from = self.index();
        if to != from {
            self.traffic.blocks += 1;
            self.traffic.bytes += bytes.len() as u64;
        }
        let block = Block {
            to: to as u32,
            from: from as u32,
            turn: self.sent[to],
            bytes,
        };
        self.sent[to] += 1;
        if to == from {
            self.inbox.borrow_mut().push_back((self.step, block));
        } else {
            self.input.send(block);
            self.input.flush();
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
        // Others may be one step further.
        let mut early = Vec::new();
        loop {
            let next = self.inbox.borrow_mut().pop_front();
            match next {
                None => break,
                Some((step, block)) if step == self.step => {
                    let from = block.from as usize;
                    let turn = self.received[from];
                    assert_eq!(block.turn, turn, "blocks of a worker come in order");
                    self.received[from] += 1;
                    each(from, &block.bytes)?;
                }
                Some(later) => early.push(later),
            }
        }
        self.inbox.borrow_mut().extend(early);
        Ok(())
    }
    /// Sends all there is, and hands over everything until all workers have come here.
    pub fn finish(
        &mut self,
        mut each: impl FnMut(usize, &[u8]) -> Result<(), Stopped>,
    ) -> Result<(), Stopped> {
        (0..self.peers()).for_each(|to| self.send(to));
        let next = self.step + 1;
        self.input.advance_to(next);
        self.hand_over(&mut each)?;
        while self.probe.less_than(&next) {
            self.check()?;
            self.worker.step_or_park(Some(NAP));
            self.hand_over(&mut each)?;
        }
        self.hand_over(&mut each)?;
        self.step = next;
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
