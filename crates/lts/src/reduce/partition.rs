//! A partition of states into blocks that can only be split: the members of a block lie side
//! by side in one array, the marked ones first.

use crate::lts::State;

pub(crate) struct Partition {
    /// All states, block by block.
    pub(crate) members: Vec<State>,
    /// Where in `members` a state is.
    place: Vec<u32>,
    /// The block of each state.
    pub(crate) block_of: Vec<u32>,
    pub(crate) blocks: Vec<Block>,
}

#[derive(Clone, Copy)]
pub(crate) struct Block {
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// `start..marked` are the marked members.
    pub(crate) marked: u32,
}

impl Block {
    pub(crate) fn len(self) -> usize {
        (self.end - self.start) as usize
    }
    pub(crate) fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
    pub(crate) fn marked_range(self) -> std::ops::Range<usize> {
        self.start as usize..self.marked as usize
    }
}

impl Partition {
    /// One block of `states` states.
    pub(crate) fn new(states: usize) -> Partition {
        Partition {
            members: (0..states as State).collect(),
            place: (0..states as u32).collect(),
            block_of: vec![0; states],
            blocks: vec![Block {
                start: 0,
                end: states as u32,
                marked: 0,
            }],
        }
    }
    /// State `s` in block `class[s]`, each below `classes`.
    pub(crate) fn from_classes(class: Vec<u32>, classes: usize) -> Partition {
        let mut ends = vec![0u32; classes];
        for &c in &class {
            ends[c as usize] += 1;
        }
        let mut sum = 0;
        let mut blocks = Vec::with_capacity(classes);
        for slot in &mut ends {
            let start = sum;
            sum += *slot;
            *slot = sum;
            blocks.push(Block {
                start,
                end: sum,
                marked: start,
            });
        }
        let mut members = vec![0; class.len()];
        let mut place = vec![0; class.len()];
        for (s, &c) in class.iter().enumerate().rev() {
            let slot = &mut ends[c as usize];
            *slot -= 1;
            members[*slot as usize] = s as State;
            place[s] = *slot;
        }
        Partition {
            members,
            place,
            block_of: class,
            blocks,
        }
    }
    pub(crate) fn block(&self, state: State) -> u32 {
        self.block_of[state as usize]
    }
    pub(crate) fn members(&self, block: u32) -> &[State] {
        &self.members[self.blocks[block as usize].range()]
    }
    /// Marks `state`; whether it is the first mark in its block.
    pub(crate) fn mark(&mut self, state: State) -> bool {
        let block = &mut self.blocks[self.block_of[state as usize] as usize];
        let from = self.place[state as usize];
        let to = block.marked;
        if from < to {
            return false;
        }
        block.marked += 1;
        let first = to == block.start;
        let other = self.members[to as usize];
        self.members.swap(from as usize, to as usize);
        self.place[other as usize] = from;
        self.place[state as usize] = to;
        first
    }
    /// Separates the marked members of `block` from the others and clears the marks; the
    /// smaller part becomes a new block, whose number is returned.
    pub(crate) fn split(&mut self, block: u32) -> Option<u32> {
        let Block { start, end, marked } = self.blocks[block as usize];
        self.blocks[block as usize].marked = start;
        if marked == start || marked == end {
            return None;
        }
        let marked_is_smaller = marked - start <= end - marked;
        let (stays, moves) = match marked_is_smaller {
            true => ((marked, end), (start, marked)),
            false => ((start, marked), (marked, end)),
        };
        let old = &mut self.blocks[block as usize];
        (old.start, old.end, old.marked) = (stays.0, stays.1, stays.0);
        Some(self.cut(moves.0, moves.1))
    }
    /// Divides `block` and clears its marks: `order` are its marked members, those that belong
    /// together side by side, as `same` tells of neighbours; the unmarked members belong
    /// together, and with the last of `order` if `rest_joins`. The largest part stays, the
    /// others become new blocks, whose numbers are returned.
    pub(crate) fn divide(
        &mut self,
        block: u32,
        order: &[State],
        same: impl Fn(State, State) -> bool,
        rest_joins: bool,
    ) -> std::ops::Range<u32> {
        let Block { start, end, marked } = self.blocks[block as usize];
        for (&s, at) in order.iter().zip(start..) {
            self.members[at as usize] = s;
            self.place[s as usize] = at;
        }
        let mut parts: Vec<(u32, u32)> = Vec::new();
        let mut from = start;
        for (pair, at) in order.windows(2).zip(start + 1..) {
            if !same(pair[0], pair[1]) {
                parts.push((from, at));
                from = at;
            }
        }
        if marked < end && !rest_joins {
            parts.push((from, marked));
            from = marked;
        }
        parts.push((from, end));
        let largest = (0..parts.len())
            .rev()
            .max_by_key(|&i| parts[i].1 - parts[i].0);
        let stays = parts.swap_remove(largest.expect("there are parts"));
        let old = &mut self.blocks[block as usize];
        (old.start, old.end, old.marked) = (stays.0, stays.1, stays.0);
        let first_new = self.blocks.len() as u32;
        for (start, end) in parts {
            self.cut(start, end);
        }
        first_new..self.blocks.len() as u32
    }
    /// Makes `start..end` of `members` a new block; the old one was shortened before.
    fn cut(&mut self, start: u32, end: u32) -> u32 {
        let new = self.blocks.len() as u32;
        self.blocks.push(Block {
            start,
            end,
            marked: start,
        });
        for &s in &self.members[start as usize..end as usize] {
            self.block_of[s as usize] = new;
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitting_moves_the_smaller_part() {
        let mut partition = Partition::new(5);
        assert!(partition.mark(3));
        assert!(!partition.mark(1));
        assert!(!partition.mark(3));
        assert_eq!(partition.split(0), Some(1));
        assert_eq!(partition.block_of, [0, 1, 0, 1, 0]);
        for s in [0, 2, 4] {
            partition.mark(s);
        }
        assert_eq!(partition.split(0), None);
        let same = Partition::from_classes(vec![0, 1, 0, 1, 0], 2);
        assert_eq!(same.members(1), [1, 3]);
    }

    #[test]
    fn dividing_keeps_the_largest_part() {
        let divide = |rest_joins| {
            let mut partition = Partition::new(6);
            for s in [5, 1, 3] {
                partition.mark(s);
            }
            // 1 and 5 belong together.
            let new = partition.divide(0, &[3, 1, 5], |s, t| s + 4 == t, rest_joins);
            (new, partition.block_of)
        };
        assert_eq!(divide(false), (1..3, vec![0, 2, 0, 1, 0, 2]));
        assert_eq!(divide(true), (1..2, vec![0, 0, 0, 1, 0, 0]));
    }
}
