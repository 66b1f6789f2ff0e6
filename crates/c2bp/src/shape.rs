//! From blocks to nested `if` and `while`. Each block is written once; whatever does not nest
//! becomes a `goto`.

use cwolf_base::{Idx, IndexVec, dominators, reverse_postorder};
use cwolf_boolprog::{Builder, Expr, Source, StmtId, StmtKind};
use cwolf_cwi::BlockId;
use rustc_hash::FxHashSet;

/// Deeper blocks are reached by `goto`.
const DEEPEST: usize = 40;

/// A boolean statement that was made of a piece of a block.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub kind: StmtKind,
    pub source: Option<Source>,
    /// The C labels in front of it.
    pub labels: Vec<String>,
    /// The statement of the block that it starts at, if one starts here.
    pub point: Option<usize>,
}

/// A block of boolean statements.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub items: Vec<Item>,
    pub exit: Exit,
    pub source: Option<Source>,
    /// The C labels in front of the branch.
    pub labels: Vec<String>,
    /// The number of the branch as a statement.
    pub point: usize,
}

/// How a block ends.
#[derive(Clone, Debug)]
pub(crate) enum Exit {
    Goto(BlockId),
    Arms(Vec<Arm>),
    Return(Vec<Expr>),
    /// Control does not go on.
    Stop,
}

/// One way on.
#[derive(Clone, Debug)]
pub(crate) struct Arm {
    pub assume: Expr,
    pub items: Vec<Item>,
    /// None if control ends here.
    pub target: Option<BlockId>,
}

/// Writes blocks into a procedure, starting at block 0. Calls `placed` with each point and the
/// statement that stands for it.
pub(crate) fn write(
    code: &[Code],
    builder: &mut Builder,
    placed: &mut dyn FnMut(BlockId, usize, StmtId),
) {
    let graph = Graph::new(code);
    // Which blocks are reached by `goto` is known after a first round.
    let mut first = Writer::new(code, &graph, FxHashSet::default());
    let mut scratch = builder.clone();
    first.all(&mut scratch, &mut |_, _, _| {});
    let mut second = Writer::new(code, &graph, first.wanted);
    second.all(builder, placed);
}

struct Writer<'a> {
    code: &'a [Code],
    graph: &'a Graph,
    /// Blocks that need a label.
    targets: FxHashSet<usize>,
    wanted: FxHashSet<usize>,
    done: Vec<bool>,
    later: Vec<usize>,
    arms: u32,
}

impl<'a> Writer<'a> {
    fn new(code: &'a [Code], graph: &'a Graph, targets: FxHashSet<usize>) -> Writer<'a> {
        Writer {
            code,
            graph,
            targets,
            wanted: FxHashSet::default(),
            done: vec![false; code.len()],
            later: Vec::new(),
            arms: 0,
        }
    }
    fn all(&mut self, b: &mut Builder, placed: &mut dyn FnMut(BlockId, usize, StmtId)) {
        self.block(b, 0, None, placed);
        while let Some(block) = self.later.pop() {
            if !self.done[block] {
                self.block(b, block, None, placed);
            }
        }
    }
    fn label(block: usize) -> String {
        format!("B{block}")
    }
    fn goto(&mut self, b: &mut Builder, block: usize) {
        self.wanted.insert(block);
        if !self.done[block] {
            self.later.push(block);
        }
        b.goto(&[&Self::label(block)]);
    }
    fn items(
        &self,
        b: &mut Builder,
        block: usize,
        items: &[Item],
        placed: &mut dyn FnMut(BlockId, usize, StmtId),
    ) {
        for item in items {
            item.labels.iter().for_each(|l| {
                b.label(l);
            });
            let id = b.stmt(item.kind.clone());
            if let Some(source) = &item.source {
                b.source(id, source.clone());
            }
            if let Some(point) = item.point {
                placed(BlockId(block as u32), point, id);
            }
        }
    }
    /// Writes `block` and what follows it, up to `follow`, to which control falls through.
    fn block(
        &mut self,
        b: &mut Builder,
        mut block: usize,
        follow: Option<usize>,
        placed: &mut dyn FnMut(BlockId, usize, StmtId),
    ) {
        loop {
            if Some(block) == follow {
                return;
            }
            if self.done[block] {
                self.goto(b, block);
                return;
            }
            self.done[block] = true;
            let code = &self.code[block];
            if self.targets.contains(&block) {
                b.label(&Self::label(block));
            }
            self.items(b, block, &code.items, placed);
            code.labels.iter().for_each(|l| {
                b.label(l);
            });
            let at = BlockId(block as u32);
            match &code.exit {
                Exit::Goto(next) => block = next.0 as usize,
                Exit::Return(values) => {
                    let id = b.ret(values.clone());
                    self.finish(b, code, id);
                    placed(at, code.point, id);
                    return;
                }
                Exit::Stop => {
                    let id = b.assume(Expr::FALSE);
                    self.finish(b, code, id);
                    placed(at, code.point, id);
                    return;
                }
                Exit::Arms(arms) => {
                    if let Some((inside, outside)) = self.graph.is_while(self.code, block, arms) {
                        let id = b.begin_while(Expr::Unknown);
                        self.finish(b, code, id);
                        placed(at, code.point, id);
                        self.arm(b, block, &arms[inside], Some(block), placed);
                        b.end();
                        let arm = &arms[outside];
                        self.assume(b, arm);
                        self.items(b, block, &arm.items, placed);
                        match arm.target {
                            Some(target) => block = target.0 as usize,
                            None => return,
                        }
                        continue;
                    }
                    let join = self.graph.join[block];
                    let deep = b.depth() >= DEEPEST;
                    if arms.len() == 2 && !deep {
                        let id = b.begin_if(Expr::Unknown);
                        self.finish(b, code, id);
                        placed(at, code.point, id);
                        self.arm(b, block, &arms[0], join, placed);
                        b.begin_else();
                        self.arm(b, block, &arms[1], join, placed);
                        b.end();
                    } else {
                        let first = self.arms;
                        self.arms += arms.len() as u32;
                        let names: Vec<String> = (0..arms.len())
                            .map(|n| format!("A{}", first + n as u32))
                            .collect();
                        let refs: Vec<&str> = names.iter().map(|n| &**n).collect();
                        let id = b.goto(&refs);
                        self.finish(b, code, id);
                        placed(at, code.point, id);
                        for (name, arm) in names.iter().zip(arms) {
                            b.label(name);
                            self.assume(b, arm);
                            self.items(b, block, &arm.items, placed);
                            match arm.target {
                                Some(target) => self.goto(b, target.0 as usize),
                                None => {
                                    b.assume(Expr::FALSE);
                                }
                            }
                        }
                        match join {
                            Some(join) if !self.done[join] => {
                                block = join;
                                continue;
                            }
                            _ => return,
                        }
                    }
                    match join {
                        Some(join) => block = join,
                        None => return,
                    }
                }
            }
        }
    }
    fn finish(&self, b: &mut Builder, code: &Code, id: StmtId) {
        if let Some(source) = &code.source {
            b.source(id, source.clone());
        }
    }
    fn assume(&self, b: &mut Builder, arm: &Arm) {
        if arm.assume != Expr::TRUE {
            b.assume(arm.assume.clone());
        }
    }
    fn arm(
        &mut self,
        b: &mut Builder,
        block: usize,
        arm: &Arm,
        follow: Option<usize>,
        placed: &mut dyn FnMut(BlockId, usize, StmtId),
    ) {
        self.assume(b, arm);
        self.items(b, block, &arm.items, placed);
        match arm.target {
            Some(target) => self.block(b, target.0 as usize, follow, placed),
            None => {
                b.assume(Expr::FALSE);
            }
        }
    }
}

/// Where the blocks of a function meet again.
struct Graph {
    /// The nearest block that every way out of a block passes.
    join: Vec<Option<usize>>,
    /// For each block, the blocks of the loop that it is the head of.
    loops: Vec<Option<FxHashSet<usize>>>,
}

fn successors(code: &Code) -> Vec<BlockId> {
    match &code.exit {
        Exit::Goto(b) => vec![*b],
        Exit::Arms(arms) => arms.iter().filter_map(|a| a.target).collect(),
        Exit::Return(_) | Exit::Stop => Vec::new(),
    }
}

type Edges = IndexVec<BlockId, Vec<BlockId>>;

fn reversed(edges: &Edges) -> Edges {
    let mut result: Edges = edges.iter().map(|_| Vec::new()).collect();
    for (from, list) in edges.enumerate() {
        list.iter().for_each(|to| result[*to].push(from));
    }
    result
}

impl Graph {
    fn new(code: &[Code]) -> Graph {
        let count = code.len();
        let succ: Edges = code.iter().map(successors).collect();
        let pred = reversed(&succ);
        let forward = dominators(&reverse_postorder(BlockId(0), &succ), &pred);
        // Backwards from an end that blocks without successor lead to. Ways that end early do not
        // count: control meets again where the others do.
        let returns = |n: &usize| matches!(code[*n].exit, Exit::Return(_));
        let last = (0..count).rev().find(returns);
        let mut extended = succ.clone();
        let end = extended.push(Vec::new());
        for (id, list) in succ.enumerate() {
            if list.is_empty() && last.is_none_or(|l| l == id.index()) {
                extended[id].push(end);
            }
        }
        let back = reversed(&extended);
        let backward = dominators(&reverse_postorder(end, &back), &extended);
        let join = succ
            .ids()
            .map(|n| backward[n].filter(|j| *j != end && *j != n));
        let join = join.map(|j| j.map(Idx::index)).collect();
        let dominates = |a: BlockId, mut b: BlockId| loop {
            if a == b {
                return true;
            }
            match forward[b] {
                Some(up) if up != b => b = up,
                _ => return false,
            }
        };
        let mut loops: Vec<Option<FxHashSet<usize>>> = vec![None; count];
        for (n, list) in succ.enumerate() {
            for &head in list {
                if forward[n].is_none() || !dominates(head, n) {
                    continue;
                }
                let body = &mut loops[head.index()];
                let body = body.get_or_insert_with(|| FxHashSet::from_iter([head.index()]));
                let mut work = vec![n];
                while let Some(m) = work.pop() {
                    if body.insert(m.index()) {
                        work.extend(&pred[m]);
                    }
                }
            }
        }
        Graph { join, loops }
    }
    /// The arm into the loop and the arm out of it, if `block` is nothing but the head of one.
    fn is_while(&self, code: &[Code], block: usize, arms: &[Arm]) -> Option<(usize, usize)> {
        let body = self.loops[block].as_ref()?;
        if !code[block].items.is_empty() || arms.len() != 2 {
            return None;
        }
        let inside = |n: usize| {
            arms[n]
                .target
                .is_some_and(|t| body.contains(&(t.0 as usize)))
        };
        match (inside(0), inside(1)) {
            (true, false) => Some((0, 1)),
            (false, true) => Some((1, 0)),
            _ => None,
        }
    }
}
