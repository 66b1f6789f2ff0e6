//! The program as procedures of blocks: what happens between two points where a procedure is cut,
//! as terms, and how terms about one point are carried to another.

use crate::task::Task;
use cwolf_base::{Budget, Exhausted};
use cwolf_cwi::{FuncId, Type};
use cwolf_encode::{Bounds, CellId, Copy, Encoder, Mode, Options, Point, Procedures, Region, Why};
use cwolf_logic::{Sort, Substitution, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

/// A block: from a point to the next ones.
pub(super) struct Block {
    pub(super) from: Point,
    pub(super) region: Region,
    /// The procedure that it starts by calling.
    pub(super) callee: Option<FuncId>,
    /// When it goes wrong before the call (or at all, without one), and after it.
    pub(super) bad: [Term; 2],
    /// What holds of the pointers that it starts with.
    pub(super) given: Term,
}

/// What happens from one point to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Move {
    /// The block starts by calling a procedure.
    Enter(usize),
    /// Control leaves the block this way; after the call, if it starts with one.
    Take(usize, usize),
    /// It goes wrong, before or after its call.
    Wrong(usize, bool),
}

impl Move {
    pub(super) fn block(self) -> usize {
        match self {
            Move::Enter(b) | Move::Take(b, _) | Move::Wrong(b, _) => b,
        }
    }
}

/// Procedures and their blocks.
pub(super) struct Blocks<'p> {
    pub(super) encoder: Encoder<'p>,
    pub(super) entry: FuncId,
    pub(super) blocks: Vec<Block>,
    /// The blocks that start at each point.
    pub(super) starts: BTreeMap<Point, Vec<usize>>,
    recursive: FxHashSet<FuncId>,
    /// The cells that each procedure may change, its own included.
    written: BTreeMap<FuncId, FxHashSet<CellId>>,
    carried: FxHashMap<(Move, Term), Term>,
    returned: FxHashMap<(usize, Term), Term>,
    constants: FxHashMap<usize, Rc<Vec<Term>>>,
}

const BOUNDS: Bounds = Bounds {
    rounds: 0,
    known_rounds: 0,
    blocks: u64::MAX,
    terms: crate::bmc::TERMS,
};

/// Why a program is not taken on.
pub(super) enum Refused {
    /// Something ran out.
    Exhausted(Exhausted),
    /// In words.
    Unsupported(String),
}

impl From<Exhausted> for Refused {
    fn from(why: Exhausted) -> Refused {
        Refused::Exhausted(why)
    }
}

impl<'p> Blocks<'p> {
    /// The procedures that the entry leads to; or `roots` as well, with nothing entered in
    /// place.
    pub(super) fn new(
        task: &Task<'p>,
        roots: &[FuncId],
        basic: bool,
        budget: &Budget,
    ) -> Result<Blocks<'p>, Refused> {
        let program = task.program;
        let (points_to, calls) = (program.points_to(), program.calls());
        for param in &program.funcs[task.entry].params {
            if matches!(
                program.types[program.vars[*param].ty],
                Type::Pointer(_) | Type::Record(_)
            ) {
                let text = "the first function's parameters are not only numbers";
                return Err(Refused::Unsupported(text.into()));
            }
        }
        let each = !roots.is_empty();
        let procedures = Procedures::new(program, points_to, calls, task.entry, basic, each);
        let options = Options {
            checks: task.checks,
            error_functions: task.error_functions.clone(),
            mode: Mode::Procedures(procedures),
            // Other functions may be called from elsewhere.
            proved: match roots.is_empty() {
                true => crate::numeric::proved(task),
                false => Default::default(),
            },
        };
        let mut encoder = Encoder::new(program, options);
        if task.checks.pointer
            && let Some(v) = encoder.may_dangle()
        {
            let name = &program.vars[v].name;
            return Err(Refused::Unsupported(format!(
                "the address of {name} may outlive it"
            )));
        }
        let blocks = loop {
            let revision = encoder.revision();
            let mut blocks = all(&mut encoder, task.entry, roots, budget)?;
            settle(&mut encoder, &mut blocks, budget)?;
            // Whatever a pointer is at the end of a block, the constant for it must admit.
            for end in blocks.iter().flat_map(|b| &b.region.ends) {
                for (cell, t) in end.state.cells() {
                    if encoder.is_pointer(cell) {
                        encoder.arrives(cell, t);
                    }
                }
            }
            if encoder.revision() == revision {
                break blocks;
            }
            // Objects that were found later may be what earlier pointers point to.
            encoder.forget_domains();
            encoder.forget_copies();
        };
        let mut written: BTreeMap<FuncId, FxHashSet<CellId>> = BTreeMap::new();
        for block in &blocks {
            let own = written.entry(block.from.func()).or_default();
            let ends = block.region.ends.iter();
            own.extend(ends.flat_map(|e| e.state.cells().map(|(c, _)| c)));
        }
        let mut starts: BTreeMap<Point, Vec<usize>> = BTreeMap::new();
        for (n, block) in blocks.iter().enumerate() {
            starts.entry(block.from).or_default().push(n);
        }
        let recursive = program.funcs.ids().filter(|f| calls.is_recursive(*f));
        Ok(Blocks {
            encoder,
            entry: task.entry,
            blocks,
            starts,
            recursive: recursive.collect(),
            written,
            carried: FxHashMap::default(),
            returned: FxHashMap::default(),
            constants: FxHashMap::default(),
        })
    }

    /// The procedures, in rising order.
    pub(super) fn funcs(&self) -> BTreeSet<FuncId> {
        self.starts.keys().map(|p| p.func()).collect()
    }

    /// Everything that can happen.
    pub(super) fn moves(&self) -> Vec<Move> {
        let mut found = Vec::new();
        for (n, block) in self.blocks.iter().enumerate() {
            found.push(Move::Wrong(n, false));
            if block.region.entered.is_some() {
                found.push(Move::Enter(n));
                found.push(Move::Wrong(n, true));
            }
            found.extend((0..block.region.ends.len()).map(|e| Move::Take(n, e)));
        }
        found.retain(|m| self.guard(*m) != Terms::FALSE);
        found
    }

    /// Whether a move is made after its block's call.
    pub(super) fn follows_call(&self, m: Move) -> bool {
        let called = self.blocks[m.block()].callee.is_some();
        called && matches!(m, Move::Take(..) | Move::Wrong(_, true))
    }

    /// The point that a move starts from: after a call, the exit of the callee.
    pub(super) fn origin(&self, m: Move) -> Point {
        let block = &self.blocks[m.block()];
        match block.callee {
            Some(callee) if self.follows_call(m) => Point::Exit(callee),
            _ => block.from,
        }
    }

    /// The point that a move leads to.
    pub(super) fn target(&self, m: Move) -> Option<Point> {
        let block = &self.blocks[m.block()];
        match m {
            Move::Enter(_) => block.callee.map(Point::Entry),
            Move::Take(_, end) => Some(block.region.ends[end].to),
            Move::Wrong(..) => None,
        }
    }

    /// When a move is made, about the start of its block (and what its call changed).
    pub(super) fn guard(&self, m: Move) -> Term {
        let block = &self.blocks[m.block()];
        match m {
            Move::Enter(_) => block
                .region
                .entered
                .as_ref()
                .map_or(Terms::FALSE, |e| e.guard),
            Move::Take(_, end) => block.region.ends[end].guard,
            Move::Wrong(_, after) => block.bad[usize::from(after)],
        }
    }

    /// `t`, about the point that a move leads to, as a term about the start of its block.
    pub(super) fn carry(&mut self, m: Move, t: Term) -> Term {
        if let Some(&known) = self.carried.get(&(m, t)) {
            return known;
        }
        let mut substitution = Substitution::default();
        for constant in self.encoder.terms.constants(&[t]) {
            let value = self.carried_constant(m, constant);
            substitution.insert(constant, value);
        }
        let result = substitution.apply(&mut self.encoder.terms, t);
        self.carried.insert((m, t), result);
        result
    }

    fn carried_constant(&mut self, m: Move, constant: Term) -> Term {
        let block = &self.blocks[m.block()];
        match m {
            Move::Enter(_) => {
                let entered = block.region.entered.as_ref().expect("a call");
                let cell = self.encoder.cell_of(constant);
                let passed = entered.params.iter().find(|(c, _)| Some(*c) == cell);
                passed.map_or(constant, |(_, t)| *t)
            }
            Move::Take(_, end) => {
                let end = &block.region.ends[end];
                if let Some(cell) = self.encoder.cell_of(constant) {
                    return end.state.get(cell).unwrap_or(constant);
                }
                match self.encoder.copied(constant) {
                    // Still the same, or never anything else.
                    Some((cell, Copy::Old))
                        if matches!(block.from, Point::Entry(_))
                            || !self.written[&block.from.func()].contains(&cell) =>
                    {
                        self.encoder.constant_of(cell)
                    }
                    _ => match end.to {
                        Point::Exit(f) if self.encoder.result_of(f) == Some(constant) => {
                            let result = self.blocks[m.block()].region.ends[match m {
                                Move::Take(_, e) => e,
                                _ => 0,
                            }]
                            .result;
                            let sort = self.encoder.terms.sort(constant);
                            result.unwrap_or_else(|| self.encoder.terms.fresh("lost", sort))
                        }
                        _ => constant,
                    },
                }
            }
            Move::Wrong(..) => constant,
        }
    }

    /// Whether a procedure may read a pointer of its own before it sets it.
    fn reads_unset_pointer(&mut self) -> bool {
        let entered = self.blocks.iter().filter_map(|b| b.region.entered.as_ref());
        let params: BTreeSet<CellId> = entered
            .flat_map(|e| e.params.iter().map(|(cell, _)| *cell))
            .collect();
        for n in 0..self.blocks.len() {
            let Point::Entry(func) = self.blocks[n].from else {
                continue;
            };
            for &constant in self.constants(n).iter() {
                if let Some(cell) = self.encoder.cell_of(constant)
                    && self.encoder.is_pointer(cell)
                    && self.encoder.owner(cell) == Some(func)
                    && !params.contains(&cell)
                {
                    return true;
                }
            }
        }
        false
    }

    /// Whether all that pointers can be when a point is reached is among what their constants stand
    /// for there. The points-to analysis knows nothing of pointers that are never set.
    pub(super) fn pointers_fit(&mut self, budget: &Budget) -> Result<bool, Exhausted> {
        if self.reads_unset_pointer() {
            return Ok(false);
        }
        let cells: Vec<CellId> = self.encoder.cells().collect();
        let mut constants = Vec::new();
        for cell in cells {
            if self.encoder.is_pointer(cell) && self.encoder.is_read(cell) {
                constants.push(self.encoder.constant_of(cell));
            }
        }
        for func in self.funcs() {
            constants.extend(self.encoder.result_of(func));
        }
        for m in self.moves() {
            budget.check(0)?;
            for &constant in &constants {
                let value = self.carried_constant(m, constant);
                if !self.encoder.admits(constant, value) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// `t`, about the exit of the procedure that a block calls, as a term about the start of the
    /// block and what the call changed.
    pub(super) fn give_back(&mut self, block: usize, t: Term) -> Term {
        if let Some(&known) = self.returned.get(&(block, t)) {
            return known;
        }
        let callee = self.blocks[block].callee.expect("a call");
        let changes = self.encoder.changes(callee);
        let mut substitution = Substitution::default();
        for constant in self.encoder.terms.constants(&[t]) {
            let value = if let Some((cell, Copy::Old)) = self.encoder.copied(constant) {
                let entered = self.blocks[block].region.entered.as_ref().expect("a call");
                let passed = entered.params.iter().find(|(c, _)| *c == cell);
                match passed.map(|(_, t)| *t) {
                    Some(t) => t,
                    None => self.encoder.constant_of(cell),
                }
            } else {
                match self.encoder.cell_of(constant) {
                    Some(cell) if changes.contains(&cell) => {
                        self.encoder.copy_of(cell, Copy::After)
                    }
                    _ => constant,
                }
            };
            substitution.insert(constant, value);
        }
        let result = substitution.apply(&mut self.encoder.terms, t);
        self.returned.insert((block, t), result);
        result
    }

    /// Whether a procedure sees what a cell holds: what outlives calls, and what pointers into
    /// calls in progress may lead to.
    pub(super) fn is_shared(&self, func: FuncId, cell: CellId) -> bool {
        match self.encoder.owner(cell) {
            None => true,
            Some(other) => {
                let one = other != func && !self.recursive.contains(&other);
                one && self.encoder.is_taken(cell)
            }
        }
    }

    /// Whether a condition can be a predicate at a point.
    pub(super) fn fits(&mut self, point: Point, t: Term) -> bool {
        if t == Terms::TRUE || t == Terms::FALSE {
            return false;
        }
        let func = point.func();
        let constants = self.encoder.terms.constants(&[t]);
        constants.into_iter().all(|c| {
            if let Some(cell) = self.encoder.cell_of(c) {
                return self.is_shared(func, cell)
                    || match point {
                        Point::Entry(_) => {
                            self.encoder.owner(cell) == Some(func) && self.encoder.is_param(cell)
                        }
                        Point::Head(..) | Point::Call(..) => self.encoder.owner(cell) == Some(func),
                        Point::Exit(_) => false,
                    };
            }
            match (self.encoder.copied(c), point) {
                (_, Point::Entry(_)) => false,
                (Some((cell, Copy::Old)), _) => {
                    self.is_shared(func, cell)
                        || (self.encoder.owner(cell) == Some(func) && self.encoder.is_param(cell))
                }
                (Some((_, Copy::After)), _) => false,
                (None, Point::Exit(f)) => self.encoder.result_of(f) == Some(c),
                (None, _) => false,
            }
        })
    }

    /// What a cell holds when the program starts.
    pub(super) fn first(&mut self, cell: CellId) -> Term {
        match self.encoder.is_param(cell) {
            true => {
                let sort = self.encoder.cell_sort(cell);
                let name = format!("argument#{}", cell.0);
                self.encoder.terms.constant(&name, sort)
            }
            false => self.encoder.first_value(cell),
        }
    }

    /// `t`, about the entry of the first procedure, when the program starts.
    pub(super) fn at_start(&mut self, t: Term) -> Term {
        let mut substitution = Substitution::default();
        for constant in self.encoder.terms.constants(&[t]) {
            if let Some(cell) = self.encoder.cell_of(constant) {
                let value = self.first(cell);
                substitution.insert(constant, value);
            }
        }
        substitution.apply(&mut self.encoder.terms, t)
    }

    /// A condition as C writes it, as far as that goes.
    pub(super) fn text(&self, t: Term) -> String {
        let name = |c: Term| {
            if let Some(cell) = self.encoder.cell_of(c) {
                return self.encoder.cell_name(cell);
            }
            match self.encoder.copied(c) {
                Some((cell, _)) => format!("old({})", self.encoder.cell_name(cell)),
                None => {
                    let name = self.encoder.terms.name(c).unwrap_or("?");
                    name.split('#').next().unwrap_or("?").to_owned()
                }
            }
        };
        let text = self.encoder.terms.to_c(t, &name);
        let text = text.replace(['{', '}'], "");
        match text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) {
            Some(inner) if !inner.contains(['(', ')']) => inner.to_owned(),
            _ => text,
        }
    }

    /// The constants that a block's terms speak of.
    pub(super) fn constants(&mut self, block: usize) -> Rc<Vec<Term>> {
        if let Some(known) = self.constants.get(&block) {
            return known.clone();
        }
        let region = &self.blocks[block].region;
        let mut roots = roots(region, self.blocks[block].bad);
        roots.push(self.blocks[block].given);
        roots.extend(region.asked.iter().flat_map(|a| [a.guard, a.term]));
        roots.extend(region.steps.iter().map(|s| s.0));
        let all = Rc::new(self.encoder.terms.constants(&roots));
        self.constants.insert(block, all.clone());
        all
    }

    /// Why something could not be encoded, if a block has such parts.
    pub(super) fn unsupported(&self, block: usize) -> Option<String> {
        let mut all = self.blocks[block].region.incomplete.iter();
        all.find_map(|(_, why)| match why {
            Why::Unsupported(text) => Some(text.clone()),
            Why::Unwinding | Why::Bounded => None,
        })
    }

    /// Numbers that the conditions of a procedure speak of.
    pub(super) fn numbers(&self, func: FuncId) -> Vec<Term> {
        let mut roots = Vec::new();
        for block in self.blocks.iter().filter(|b| b.from.func() == func) {
            roots.extend(block.bad);
            roots.extend(block.region.ends.iter().map(|e| e.guard));
        }
        let constants = self.encoder.terms.constants(&roots);
        let number = |c: &Term| {
            matches!(self.encoder.terms.sort(*c), Sort::Bv(w) if w > 1)
                && self
                    .encoder
                    .cell_of(*c)
                    .is_some_and(|cell| !self.encoder.is_pointer(cell))
        };
        constants.into_iter().filter(number).collect()
    }
}

/// The blocks of everything that the entry leads to.
fn all(
    encoder: &mut Encoder<'_>,
    entry: FuncId,
    roots: &[FuncId],
    budget: &Budget,
) -> Result<Vec<Block>, Exhausted> {
    let mut blocks = Vec::new();
    let mut seen: FxHashSet<Point> = FxHashSet::default();
    let mut due = VecDeque::new();
    for root in std::iter::once(&entry).chain(roots) {
        if seen.insert(Point::Entry(*root)) {
            due.push_back(Point::Entry(*root));
        }
    }
    while let Some(point) = due.pop_front() {
        budget.tell(|| format!("encoding: {} blocks", blocks.len()));
        let mut callees: Vec<Option<FuncId>> = vec![None];
        if let Point::Call(..) = point {
            callees.extend(encoder.callees(point).into_iter().map(Some));
        }
        for callee in callees {
            let block = encode(encoder, point, callee, budget)?;
            let entered = block.callee.map(Point::Entry);
            let ends = block.region.ends.iter().map(|e| e.to);
            let next: Vec<Point> = ends.chain(entered).collect();
            for to in next {
                if !matches!(to, Point::Exit(_)) && seen.insert(to) {
                    due.push_back(to);
                }
            }
            blocks.push(block);
        }
    }
    Ok(blocks)
}

fn encode(
    encoder: &mut Encoder<'_>,
    from: Point,
    callee: Option<FuncId>,
    budget: &Budget,
) -> Result<Block, Exhausted> {
    let region = encoder.block(from, callee, BOUNDS, budget)?;
    let split = match &region.entered {
        Some(e) => (e.obligations, e.incomplete),
        None => (region.obligations.len(), region.incomplete.len()),
    };
    let fails = |range: &[cwolf_encode::Obligation]| -> Vec<Term> {
        range.iter().map(|o| o.fails).collect()
    };
    let open = |range: &[(Term, Why)]| -> Vec<Term> { range.iter().map(|i| i.0).collect() };
    let mut before = fails(&region.obligations[..split.0]);
    before.extend(open(&region.incomplete[..split.1]));
    let mut after = fails(&region.obligations[split.0..]);
    after.extend(open(&region.incomplete[split.1..]));
    let bad = [encoder.terms.or_all(before), encoder.terms.or_all(after)];
    let roots = roots(&region, bad);
    let given = encoder.given(&roots);
    let callee = region.entered.as_ref().map(|e| e.callee);
    Ok(Block {
        from,
        region,
        callee,
        bad,
        given,
    })
}

/// The terms that say what a block does.
fn roots(region: &Region, bad: [Term; 2]) -> Vec<Term> {
    let mut roots = bad.to_vec();
    for end in &region.ends {
        roots.push(end.guard);
        roots.extend(end.result);
        roots.extend(end.state.cells().map(|(_, t)| t));
    }
    if let Some(entered) = &region.entered {
        roots.push(entered.guard);
        roots.extend(entered.params.iter().map(|(_, t)| *t));
    }
    roots
}

/// Finds what calls may change, and encodes calls again until they know.
fn settle(
    encoder: &mut Encoder<'_>,
    blocks: &mut [Block],
    budget: &Budget,
) -> Result<(), Exhausted> {
    let mut fresh: BTreeSet<FuncId> = blocks.iter().map(|b| b.from.func()).collect();
    loop {
        let mut changed: BTreeMap<FuncId, BTreeSet<CellId>> = BTreeMap::new();
        for block in blocks.iter().filter(|b| fresh.contains(&b.from.func())) {
            let func = block.from.func();
            let own = changed.entry(func).or_default();
            for end in &block.region.ends {
                let cells = end.state.cells().map(|(c, _)| c);
                own.extend(cells.filter(|c| encoder.owner(*c) != Some(func)));
            }
        }
        let mut grown = BTreeSet::new();
        for (func, cells) in changed {
            if encoder.set_changes(func, cells) {
                grown.insert(func);
            }
        }
        if grown.is_empty() {
            return Ok(());
        }
        fresh.clear();
        for block in blocks.iter_mut() {
            if block.callee.is_some_and(|c| grown.contains(&c)) {
                *block = encode(encoder, block.from, block.callee, budget)?;
                fresh.insert(block.from.func());
            }
        }
    }
}
