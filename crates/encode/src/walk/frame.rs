//! Where control is in each call in progress.

use crate::cursor::{Content, Cursor};
use crate::objects::ContextId;
use crate::region::Cut;
use crate::walk::{Encoder, Item, Walk};
use cwolf_base::Idx;
use cwolf_cwi::{BlockId, TypeId};
use cwolf_logic::{Term, Terms};

/// Where control is in one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) context: ContextId,
    pub(crate) block: BlockId,
    /// How often each loop around the block has gone round.
    pub(super) rounds: Vec<u32>,
    /// How often with an open condition.
    pub(super) open: Vec<u32>,
    /// The guard at the head of each loop, this round.
    pub(super) guards: Vec<Term>,
    /// Whether the last jump back depended on an open condition.
    pub(super) opened: bool,
}

impl Frame {
    /// Whether the block may be reached again in this call.
    pub(crate) fn is_in_loop(&self) -> bool {
        !self.rounds.is_empty()
    }
}

impl Encoder<'_> {
    /// The calls in progress at a cut.
    pub(crate) fn frames_of(&mut self, cut: Cut) -> Vec<Frame> {
        let mut frames = Vec::new();
        let mut at = Some((cut.context, cut.block));
        while let Some((context, block)) = at {
            let info = &self.contexts[context.index()];
            let (func, caller) = (info.func, info.caller);
            let depth = self.flow(func).loops[block.index()].len();
            frames.push(Frame {
                context,
                block,
                rounds: vec![0; depth],
                open: vec![0; depth],
                guards: vec![Terms::TRUE; depth],
                opened: false,
            });
            at = caller;
        }
        frames.reverse();
        frames
    }

    /// The place of a state in the order of the walk.
    pub(super) fn key(&mut self, frames: &[Frame]) -> Vec<u32> {
        let mut key = Vec::new();
        for frame in frames {
            let func = self.contexts[frame.context.index()].func;
            let flow = self.flow(func);
            let heads = &flow.loops[frame.block.index()];
            for (head, round) in heads.iter().zip(&frame.rounds) {
                key.push(flow.rank[head.index()]);
                key.push(*round);
            }
            key.push(flow.rank[frame.block.index()]);
            // Callees in the order of their contexts.
            key.push(frame.context.0);
        }
        key
    }

    /// Goes on at a block of the same call.
    pub(super) fn go(
        &mut self,
        walk: &mut Walk,
        frames: &[Frame],
        cur: &Cursor,
        guard: Term,
        to: BlockId,
    ) {
        self.go_with(walk, frames, cur, guard, to, None);
    }

    pub(crate) fn go_with(
        &mut self,
        walk: &mut Walk,
        frames: &[Frame],
        cur: &Cursor,
        guard: Term,
        to: BlockId,
        result: Option<(Content, TypeId)>,
    ) {
        if guard == Terms::FALSE {
            return;
        }
        let mut frames = frames.to_vec();
        let frame = frames.last_mut().expect("a call in progress");
        let func = self.contexts[frame.context.index()].func;
        let flow = self.flow(func);
        let old = &flow.loops[frame.block.index()];
        let new = &flow.loops[to.index()];
        let common = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        let again = old.contains(&to);
        frame.rounds.truncate(common);
        frame.open.truncate(common);
        frame.guards.truncate(common);
        frame.rounds.resize(new.len(), 0);
        frame.open.resize(new.len(), 0);
        frame.guards.resize(new.len(), guard);
        if again {
            *frame.rounds.last_mut().expect("a loop") += 1;
            // A round counts only if the way here was not the only one.
            let start = frame.guards.last_mut().expect("a loop");
            frame.opened = *start != guard;
            if frame.opened {
                *frame.open.last_mut().expect("a loop") += 1;
            }
            *start = guard;
        }
        frame.block = to;
        let item = Item {
            frames,
            guard,
            state: cur.state.clone(),
            result,
        };
        self.wait(walk, item);
    }
}
