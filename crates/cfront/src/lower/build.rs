//! The code under construction: blocks that are filled one after the other, registers, and a
//! journal of what the statements so far have changed.

use super::effects::Effect;
use cwolf_base::IndexVec;
use cwolf_cwi::{Block, BlockId, Branch, LocId, RESULT, RegId, Stmt, StmtKind, TypeId, Types};

/// A block that may still grow.
#[derive(Debug)]
pub(super) struct Draft {
    stmts: Vec<Stmt>,
    end: Option<(LocId, Branch)>,
    /// Whether some branch leads here.
    reached: bool,
}

/// A moment in the construction: code that belongs there can still be put in later.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    block: BlockId,
    stmt: usize,
    /// How long the journal was.
    pub journal: usize,
}

/// The blocks of one function while they are made.
#[derive(Debug)]
pub(super) struct Builder {
    drafts: IndexVec<BlockId, Draft>,
    /// Blocks in the order in which they were begun, which is that of the source.
    order: Vec<BlockId>,
    current: BlockId,
    regs: IndexVec<RegId, TypeId>,
    /// What has been changed, in the order of emission.
    pub journal: Vec<Effect>,
}

impl Default for Builder {
    fn default() -> Builder {
        let mut regs = IndexVec::new();
        let result = regs.push(Types::VOID);
        debug_assert_eq!(result, RESULT);
        Builder {
            drafts: IndexVec::new(),
            order: Vec::new(),
            current: BlockId(0),
            regs,
            journal: Vec::new(),
        }
    }
}

impl Builder {
    /// A block to jump to; its code comes later.
    pub fn new_block(&mut self) -> BlockId {
        self.drafts.push(Draft {
            stmts: Vec::new(),
            end: None,
            reached: self.drafts.is_empty(),
        })
    }
    /// What follows goes into `block`.
    pub fn start(&mut self, block: BlockId) {
        debug_assert!(
            self.order.is_empty() || self.drafts[self.current].end.is_some(),
            "the block before is ended"
        );
        self.order.push(block);
        self.current = block;
    }
    /// What follows can be reached only by a jump to a label in it.
    pub fn start_dead(&mut self) {
        let block = self.new_block();
        self.start(block);
    }
    /// Ends the current block; another one must be started next.
    pub fn end(&mut self, loc: LocId, branch: Branch) {
        branch.for_each_successor(|b| self.drafts[b].reached = true);
        let end = &mut self.drafts[self.current].end;
        debug_assert!(end.is_none(), "a block ends once");
        *end = Some((loc, branch));
    }
    /// Ends the current block with a jump.
    pub fn goto(&mut self, loc: LocId, target: BlockId) {
        self.end(loc, Branch::Goto(target));
    }
    /// Jumps to `block` and goes on there.
    pub fn fall_into(&mut self, loc: LocId, block: BlockId) {
        self.goto(loc, block);
        self.start(block);
    }
    /// Leaves the current block open, to be gone on with by [`Builder::resume`].
    pub fn suspend(&mut self) -> BlockId {
        let open = self.current;
        let block = self.new_block();
        self.order.push(block);
        self.current = block;
        open
    }
    /// The block that grows.
    pub fn current(&self) -> BlockId {
        self.current
    }
    /// Goes on with a block that was left open. The current block must be ended.
    pub fn resume(&mut self, block: BlockId) {
        self.current = block;
    }
    /// Whether no branch so far leads to the current block.
    pub fn is_dead(&self) -> bool {
        !self.drafts[self.current].reached
    }
    /// A fresh register.
    pub fn new_reg(&mut self, ty: TypeId) -> RegId {
        self.regs.push(ty)
    }
    /// Appends a statement to the current block.
    pub fn emit(&mut self, loc: LocId, kind: StmtKind) {
        self.journal.extend(Effect::of(&kind));
        self.drafts[self.current].stmts.push(Stmt { loc, kind });
    }
    /// The current moment.
    pub fn mark(&self) -> Mark {
        Mark {
            block: self.current,
            stmt: self.drafts[self.current].stmts.len(),
            journal: self.journal.len(),
        }
    }
    /// Puts a statement in at an earlier moment. Several at one moment are put in last first.
    pub fn emit_at(&mut self, mark: Mark, loc: LocId, kind: StmtKind) {
        let stmts = &mut self.drafts[mark.block].stmts;
        stmts.insert(mark.stmt, Stmt { loc, kind });
    }
    /// The finished blocks, the order in which they were begun, and the registers' types.
    pub fn finish(
        self,
    ) -> (
        IndexVec<BlockId, Block>,
        Vec<BlockId>,
        IndexVec<RegId, TypeId>,
    ) {
        let done = |draft: Draft| {
            let (loc, branch) = draft.end.expect("every block was ended");
            Block {
                stmts: draft.stmts,
                loc,
                branch,
            }
        };
        let blocks = self.drafts.into_vec().into_iter().map(done).collect();
        (blocks, self.order, self.regs)
    }
}
