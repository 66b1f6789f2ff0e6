//! Weak topological orders (Bourdoncle 1993): blocks in an order in which every circle has a head,
//! and all of a loop comes before what follows it.

use cwolf_base::{Idx, IndexVec};
use cwolf_cwi::graph::Cfg;
use cwolf_cwi::{BlockId, Body};
use rustc_hash::FxHashSet;

/// The order of a function's blocks.
pub(crate) struct Order {
    /// The place of each block; none if control never comes there.
    pub(crate) rank: IndexVec<BlockId, Option<u32>>,
    /// Blocks where bounds are widened.
    pub(crate) heads: FxHashSet<BlockId>,
    /// Blocks in a circle.
    pub(crate) looping: FxHashSet<BlockId>,
}

const DONE: u32 = u32::MAX;

struct Builder<'c> {
    cfg: &'c Cfg,
    number: Vec<u32>,
    next: u32,
    stack: Vec<BlockId>,
    heads: FxHashSet<BlockId>,
    looping: FxHashSet<BlockId>,
}

impl Order {
    pub(crate) fn new(body: &Body) -> Order {
        let cfg = Cfg::new(body);
        let mut builder = Builder {
            cfg: &cfg,
            number: vec![0; body.blocks.len()],
            next: 0,
            stack: Vec::new(),
            heads: FxHashSet::default(),
            looping: FxHashSet::default(),
        };
        let mut reversed = Vec::new();
        builder.visit(Body::ENTRY, &mut reversed);
        let mut rank: IndexVec<BlockId, Option<u32>> = body.blocks.ids().map(|_| None).collect();
        for (n, block) in reversed.iter().rev().enumerate() {
            rank[*block] = Some(n as u32);
        }
        Order {
            rank,
            heads: builder.heads,
            looping: builder.looping,
        }
    }
}

impl Builder<'_> {
    /// Adds what is reached from a block to a list that runs from the last to the first.
    fn visit(&mut self, block: BlockId, out: &mut Vec<BlockId>) -> u32 {
        self.stack.push(block);
        self.next += 1;
        let own = self.next;
        self.number[block.index()] = own;
        let mut head = own;
        let mut circle = false;
        let cfg = self.cfg;
        for &to in cfg.successors(block) {
            let least = match self.number[to.index()] {
                0 => self.visit(to, out),
                n => n,
            };
            if least <= head {
                head = least;
                circle = true;
            }
        }
        if head != own {
            return head;
        }
        self.number[block.index()] = DONE;
        let mut element = self.stack.pop().expect("pushed above");
        if circle {
            self.looping.insert(block);
            while element != block {
                self.number[element.index()] = 0;
                self.looping.insert(element);
                element = self.stack.pop().expect("the head is below");
            }
            self.heads.insert(block);
            let mut inside = Vec::new();
            for &to in cfg.successors(block) {
                if self.number[to.index()] == 0 {
                    self.visit(to, &mut inside);
                }
            }
            out.extend(inside);
        }
        out.push(block);
        head
    }
}
