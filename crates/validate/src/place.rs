//! From places in the text to points of the compiled program.

use crate::witness::At;
use cwolf_cfront::{Outline, Position, Stretch};
use cwolf_cwi::graph::Cfg;
use cwolf_cwi::{BlockId, Body, Branch, FileId, FuncId, LocId, Origin, Program};
use rustc_hash::FxHashSet;

/// A point of the program: before a statement of a block (or its branch), or on edges to a block.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Spot {
    pub func: FuncId,
    pub block: BlockId,
    pub index: usize,
    /// Only when control comes from one of these blocks; `index` is 0 then.
    pub from: Option<Vec<BlockId>>,
}

/// A call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CallSite {
    pub func: FuncId,
    pub block: BlockId,
}

/// The text of a file of the program.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its name, as the program's positions have it.
    pub name: String,
    /// What stands where.
    pub outline: Outline,
}

/// Where the loop begins in the text whose head is a block: its keyword. None if it has none.
pub fn loop_keyword(
    program: &Program,
    sources: &[Source],
    func: FuncId,
    head: BlockId,
) -> Option<At> {
    let places = Places { program, sources };
    let file = program.locations[program.funcs[func].loc].file;
    let name = program.locations.file_name(file);
    let source = sources.iter().find(|s| s.name == name)?;
    let cfg = Cfg::new(places.body(func));
    let ways = cfg
        .back_edges()
        .into_iter()
        .filter(|(_, header)| *header == head);
    // Of loops with one head, the innermost: control comes there most often.
    let around = ways.filter_map(|(latch, header)| {
        let all = natural_loop(&cfg, latch, header).into_iter();
        let all = all.flat_map(|b| places.stands(func, b));
        let all: Vec<Position> = all.filter(|(f, _)| *f == file).map(|(_, p)| p).collect();
        source.outline.loop_around(&all)
    });
    let text = around.max_by_key(|l| (l.from, std::cmp::Reverse(l.to)))?;
    Some(At {
        file: name.to_owned(),
        line: text.from.0,
        column: Some(text.from.1),
        function: Some(program.funcs[func].name.clone()),
    })
}

/// Whether the names in a condition are not those of variables that the place does not see.
pub fn sees(program: &Program, sources: &[Source], func: FuncId, at: &At, condition: &str) -> bool {
    let places = Places { program, sources };
    let hidden = places.hidden(func, &places.in_loop(at));
    let words = condition.split(|c: char| !c.is_alphanumeric() && c != '_');
    let words: FxHashSet<&str> = words.collect();
    hidden
        .iter()
        .all(|v| !words.contains(&*program.vars[*v].name))
}

/// A program with the outlines of its files.
pub(crate) struct Places<'a> {
    pub program: &'a Program,
    pub sources: &'a [Source],
}

impl Places<'_> {
    /// The file that a place is in.
    fn file(&self, at: &At) -> Option<(FileId, &Outline)> {
        let base = |name: &str| name.rsplit('/').next().unwrap_or(name).to_owned();
        let found = self.sources.iter().find(|s| s.name == at.file);
        let found = found.or_else(|| {
            self.sources
                .iter()
                .find(|s| base(&s.name) == base(&at.file))
        });
        let one = || Some(&self.sources[0]).filter(|_| at.file.is_empty());
        let source = found.or_else(|| if self.sources.is_empty() { None } else { one() })?;
        let mut files = self.program.locations.files().enumerate();
        let (file, _) = files.find(|(_, name)| **name == source.name)?;
        Some((file, &source.outline))
    }

    fn position(&self, loc: LocId) -> (FileId, Position) {
        let loc = self.program.locations[loc];
        (loc.file, (loc.line, loc.column))
    }

    /// The function that a place is in: the last one that begins before it.
    pub fn function(&self, at: &At) -> Result<FuncId, String> {
        let Some((file, _)) = self.file(at) else {
            return Err(format!("the program has no file {}", at.file));
        };
        let here = (at.line, at.column.unwrap_or(u32::MAX));
        let own = self.program.funcs.enumerate().filter(|(_, f)| {
            let (of, begins) = self.position(f.loc);
            f.origin == Origin::Program && f.body.is_some() && of == file && begins <= here
        });
        let found = own.max_by_key(|(_, f)| self.position(f.loc).1);
        match (found, &at.function) {
            (Some((id, f)), Some(name)) if f.name != *name => {
                // A rule's wrapper has the name, and the function another one.
                match f.name.contains(&**name) {
                    true => Ok(id),
                    false => Err(format!("{at} is not in the function `{name}`")),
                }
            }
            (Some((id, _)), _) => Ok(id),
            (None, _) => Err(format!("{at} is in no function")),
        }
    }

    fn body(&self, func: FuncId) -> &Body {
        self.program.funcs[func]
            .body
            .as_ref()
            .expect("a function with code")
    }

    /// Where the parts of a block stand.
    fn stands(&self, func: FuncId, block: BlockId) -> Vec<(FileId, Position)> {
        let block = &self.body(func).blocks[block];
        let locs = block.stmts.iter().map(|s| s.loc).chain([block.loc]);
        locs.map(|loc| self.position(loc)).collect()
    }

    /// Where each point of a block stands, its branch last; a branch that only goes on stands nowhere.
    fn points(&self, func: FuncId, block: BlockId) -> Vec<(FileId, Position)> {
        let block = &self.body(func).blocks[block];
        let goes_on = matches!(block.branch, Branch::Goto(_));
        let last = (!goes_on).then_some(block.loc);
        let locs = block.stmts.iter().map(|s| s.loc).chain(last);
        locs.map(|loc| self.position(loc)).collect()
    }

    /// The variables of a function that a place does not see, or that others hide there.
    pub fn hidden(&self, func: FuncId, at: &At) -> FxHashSet<cwolf_cwi::VarId> {
        let mut hidden = FxHashSet::default();
        let Some((file, outline)) = self.file(at) else {
            return hidden;
        };
        let here = (at.line, at.column.unwrap_or(u32::MAX));
        // By name: the declaration in the innermost scope that reaches the place.
        let mut best: rustc_hash::FxHashMap<&str, (Position, cwolf_cwi::VarId)> =
            Default::default();
        for (id, var) in self.program.vars.enumerate() {
            if var.kind.function() != Some(func) {
                continue;
            }
            let (of, declared) = self.position(var.loc);
            let parameter = matches!(var.kind, cwolf_cwi::VarKind::Param(_));
            let scope = outline.scope_of(declared).filter(|_| !parameter);
            // Without a column, the whole line counts.
            let reaches = |s: Stretch| match at.column {
                Some(column) => s.contains((at.line, column)),
                None => s.from.0 <= at.line && at.line <= s.to.0,
            };
            let before = declared <= here && scope.is_none_or(reaches);
            let seen = of != file || parameter || before;
            if !seen {
                hidden.insert(id);
                continue;
            }
            let from = scope.map_or((0, 0), |s| s.from);
            match best.get(&*var.name) {
                Some((other, _)) if *other > from => {
                    hidden.insert(id);
                }
                Some((_, other)) => {
                    hidden.insert(*other);
                    best.insert(&var.name, (from, id));
                }
                None => {
                    best.insert(&var.name, (from, id));
                }
            }
        }
        hidden
    }

    /// A place in a loop whose keyword stands at a place, where its invariants see what they may: also what a `for`
    /// declares.
    pub fn in_loop(&self, at: &At) -> At {
        let decision = self.file(at).and_then(|(_, outline)| {
            let begins = |d: &&cwolf_cfront::Decision| match at.column {
                Some(column) => d.keyword == (at.line, column),
                None => d.keyword.0 == at.line,
            };
            let is_for =
                |d: &&cwolf_cfront::Decision| outline.scopes.iter().any(|s| s.from == d.keyword);
            outline.decisions.iter().filter(begins).find(is_for)
        });
        match decision {
            Some(decision) => At {
                line: decision.condition.to.0,
                column: Some(decision.condition.to.1),
                ..at.clone()
            },
            None => at.clone(),
        }
    }

    /// The head of the loop whose keyword stands at a place; none if no loop begins there.
    pub fn loop_head(&self, at: &At) -> Result<Option<Vec<Spot>>, String> {
        let func = self.function(at)?;
        let Some((file, outline)) = self.file(at) else {
            return Ok(None);
        };
        let begins = |l: &&Stretch| match at.column {
            Some(column) => l.from == (at.line, column),
            None => l.from.0 == at.line,
        };
        let exact = outline.loops.iter().find(begins);
        // Some tools say where the condition or the body begins.
        let near = || {
            let column = at.column?;
            let around = outline
                .loops
                .iter()
                .filter(|l| l.contains((at.line, column)));
            around
                .max_by_key(|l| l.from)
                .filter(|l| l.from.0 == at.line)
        };
        let Some(text) = exact.copied().or_else(|| near().copied()) else {
            return Ok(None);
        };
        let cfg = Cfg::new(self.body(func));
        // Each way back belongs to the innermost loop of the text that has all of it.
        let mut ways: Vec<(BlockId, BlockId, Option<Stretch>)> = Vec::new();
        for (latch, header) in cfg.back_edges() {
            let blocks = natural_loop(&cfg, latch, header);
            let all = blocks.iter().flat_map(|b| self.stands(func, *b));
            let all: Vec<Position> = all.filter(|(f, _)| *f == file).map(|(_, p)| p).collect();
            ways.push((latch, header, outline.loop_around(&all)));
        }
        let own = ways.iter().filter(|(.., l)| *l == Some(text));
        let mut heads: Vec<BlockId> = own.map(|(_, header, _)| *header).collect();
        heads.sort_unstable();
        heads.dedup();
        if heads.is_empty() {
            // It never goes round.
            return self.entries(func, file, text).map(Some);
        }
        let mut spots = Vec::new();
        for header in heads {
            // A loop whose first statement is a loop has the same head.
            let inner = ways.iter().filter(|(_, h, l)| {
                *h == header && l.is_some_and(|l| l != text && text.contains(l.from))
            });
            let inner: Vec<BlockId> = inner.map(|(latch, ..)| *latch).collect();
            let from = (!inner.is_empty()).then(|| {
                let others = cfg.predecessors(header).iter();
                others.copied().filter(|p| !inner.contains(p)).collect()
            });
            spots.push(Spot {
                func,
                block: header,
                index: 0,
                from,
            });
        }
        Ok(Some(spots))
    }

    /// Where control comes into a stretch of text.
    fn entries(&self, func: FuncId, file: FileId, text: Stretch) -> Result<Vec<Spot>, String> {
        self.crossings(func, |at| at.0 == file && text.contains(at.1))
    }

    /// Where control comes into the points for which `inside` holds.
    fn crossings(
        &self,
        func: FuncId,
        inside: impl Fn((FileId, Position)) -> bool,
    ) -> Result<Vec<Spot>, String> {
        let cfg = Cfg::new(self.body(func));
        let mut found = Vec::new();
        for &block in cfg.reverse_postorder() {
            let points: Vec<bool> = self.points(func, block).into_iter().map(&inside).collect();
            for index in 0..points.len() {
                if !points[index] {
                    continue;
                }
                if index > 0 {
                    if !points[index - 1] {
                        found.push(Spot {
                            func,
                            block,
                            index,
                            from: None,
                        });
                    }
                    continue;
                }
                let last = |p: &BlockId| self.points(func, *p).last().copied().is_some_and(&inside);
                let before = cfg.predecessors(block).iter().copied();
                let (within, outside): (Vec<BlockId>, Vec<BlockId>) = before.partition(last);
                if block == Body::ENTRY && !within.is_empty() {
                    return Err("the loop begins with the function".into());
                }
                if within.is_empty() {
                    found.push(Spot {
                        func,
                        block,
                        index,
                        from: None,
                    });
                } else if !outside.is_empty() {
                    found.push(Spot {
                        func,
                        block,
                        index,
                        from: Some(outside),
                    });
                }
            }
        }
        Ok(found)
    }

    /// The points before the statement at a place.
    pub fn statement(&self, at: &At) -> Result<Vec<Spot>, String> {
        let func = self.function(at)?;
        let (file, text) = self.stretch(at)?;
        self.entries(func, file, text)
    }

    /// The statement at a place.
    pub fn stretch(&self, at: &At) -> Result<(FileId, Stretch), String> {
        let Some((file, outline)) = self.file(at) else {
            return Err(format!("the program has no file {}", at.file));
        };
        let found = match at.column {
            Some(column) => {
                let here = (at.line, column);
                let exact = outline.statements.iter().filter(|s| s.from == here);
                let exact = exact.max_by_key(|s| s.to).copied();
                let around = || {
                    // In the head of a statement that has others in it, only the part there is meant.
                    let part = Stretch {
                        from: here,
                        to: here,
                    };
                    let inner = outline.statement_at(here)?;
                    let inside = |o: &Stretch| inner.from < o.from && o.to <= inner.to;
                    let compound = outline.statements.iter().any(inside);
                    Some(if compound { part } else { inner })
                };
                exact.or_else(around)
            }
            None => outline.statement_from((at.line, 0)),
        };
        let whole = Stretch {
            from: (at.line, 0),
            to: (at.line, u32::MAX),
        };
        let found = found.or_else(|| outline.statement_at((at.line, 1)).map(|_| whole));
        found
            .map(|s| (file, s))
            .ok_or_else(|| format!("{at}: there is no statement"))
    }

    /// The points after each step of what stands in a line.
    pub fn after(&self, at: &At) -> Result<Vec<Spot>, String> {
        let func = self.function(at)?;
        let Some((file, _)) = self.file(at) else {
            return Err(format!("the program has no file {}", at.file));
        };
        let there = |p: (FileId, Position)| p.0 == file && p.1.0 == at.line;
        let cfg = Cfg::new(self.body(func));
        let mut found = Vec::new();
        for &block in cfg.reverse_postorder() {
            let points: Vec<bool> = self.points(func, block).into_iter().map(there).collect();
            for index in 1..points.len() {
                if points[index - 1] {
                    found.push(Spot {
                        func,
                        block,
                        index,
                        from: None,
                    });
                }
            }
            let last = |p: &BlockId| self.points(func, *p).last().copied().is_some_and(there);
            let before = cfg.predecessors(block).iter().copied();
            let (within, outside): (Vec<BlockId>, Vec<BlockId>) = before.partition(last);
            if !within.is_empty() {
                let from = (!outside.is_empty() || block == Body::ENTRY).then_some(within);
                found.push(Spot {
                    func,
                    block,
                    index: 0,
                    from,
                });
            }
        }
        Ok(found)
    }

    /// The edges that a decision takes when its condition holds, or when it does not.
    pub fn branches(&self, at: &At, holds: bool) -> Result<Vec<Spot>, String> {
        let func = self.function(at)?;
        let mut found = Vec::new();
        for (block, branch) in self.decisions(func, at)? {
            if let Branch::If { then, els, .. } = branch
                && then != els
            {
                let to = if holds { *then } else { *els };
                found.push(Spot {
                    func,
                    block: to,
                    index: 0,
                    from: Some(vec![block]),
                });
            }
        }
        self.leaving(found, at)
    }

    /// The edges of a switch for a value, or for those without a case.
    pub fn cases(&self, at: &At, value: Option<i128>) -> Result<Vec<Spot>, String> {
        let func = self.function(at)?;
        let mut found = Vec::new();
        for (block, branch) in self.decisions(func, at)? {
            if let Branch::Switch { cases, default, .. } = branch {
                let hit = |c: &&cwolf_cwi::Case| value.is_some_and(|v| c.lo <= v && v <= c.hi);
                let to = cases.iter().find(hit).map_or(*default, |c| c.target);
                found.push(Spot {
                    func,
                    block: to,
                    index: 0,
                    from: Some(vec![block]),
                });
            }
        }
        Ok(found)
    }

    /// Parts of a condition decide on other parts: only edges that leave it count.
    fn leaving(&self, found: Vec<Spot>, at: &At) -> Result<Vec<Spot>, String> {
        let func = self.function(at)?;
        let inner: FxHashSet<BlockId> = self.decisions(func, at)?.iter().map(|d| d.0).collect();
        let (file, text) = self.condition(at)?;
        let stays = |spot: &Spot| {
            let points = self.points(func, spot.block);
            inner.contains(&spot.block) && points.iter().all(|p| p.0 == file && text.contains(p.1))
        };
        Ok(found.into_iter().filter(|spot| !stays(spot)).collect())
    }

    fn condition(&self, at: &At) -> Result<(FileId, Stretch), String> {
        let Some((file, outline)) = self.file(at) else {
            return Err(format!("the program has no file {}", at.file));
        };
        let begins = |d: &&cwolf_cfront::Decision| match at.column {
            Some(column) => d.keyword == (at.line, column),
            None => d.keyword.0 == at.line,
        };
        let found = outline
            .decisions
            .iter()
            .filter(begins)
            .min_by_key(|d| d.keyword);
        let found = found.map(|d| (file, d.condition));
        found.ok_or_else(|| format!("{at}: nothing is decided there"))
    }

    fn decisions(&self, func: FuncId, at: &At) -> Result<Vec<(BlockId, &Branch)>, String> {
        let (file, text) = self.condition(at)?;
        let blocks = self.body(func).blocks.enumerate();
        let there = blocks.filter(|(_, block)| {
            let (of, position) = self.position(block.loc);
            of == file && text.contains(position)
        });
        Ok(there.map(|(id, block)| (id, &block.branch)).collect())
    }

    /// The calls whose closing parenthesis stands at a place; without a column, all in the line.
    pub fn calls(&self, at: &At) -> Result<Vec<CallSite>, String> {
        let func = self.function(at)?;
        let Some((file, outline)) = self.file(at) else {
            return Err(format!("the program has no file {}", at.file));
        };
        let there = outline.calls.iter().filter(|c| match at.column {
            Some(column) => c.close == (at.line, column),
            None => c.close.0 == at.line,
        });
        let there: Vec<Position> = there.map(|c| c.at).collect();
        let blocks = self.body(func).blocks.enumerate();
        let found = blocks.filter(|(_, block)| {
            let (of, position) = self.position(block.loc);
            matches!(block.branch, Branch::Call { .. }) && of == file && there.contains(&position)
        });
        Ok(found.map(|(block, _)| CallSite { func, block }).collect())
    }

    /// The error function that a place is in.
    pub fn error_function(&self, at: &At, errors: &[FuncId]) -> Option<FuncId> {
        let (file, _) = self.file(at)?;
        let here = (at.line, at.column.unwrap_or(u32::MAX));
        let before = self.program.funcs.enumerate().filter(|(_, f)| {
            let (of, begins) = self.position(f.loc);
            of == file && begins <= here
        });
        let (last, _) = before.max_by_key(|(_, f)| self.position(f.loc).1)?;
        errors.contains(&last).then_some(last)
    }

    /// Whether a place of the program is in the statement at a place of the text.
    pub fn is_at(&self, loc: LocId, at: &At) -> bool {
        let (file, position) = self.position(loc);
        let line = || self.file(at).is_some_and(|(f, _)| f == file) && position.0 == at.line;
        match self.stretch(at) {
            Ok((of, text)) if at.column.is_some() => of == file && text.contains(position),
            _ => line(),
        }
    }
}

/// The blocks from which control comes back to a header by one way.
fn natural_loop(cfg: &Cfg, latch: BlockId, header: BlockId) -> FxHashSet<BlockId> {
    let mut inside = FxHashSet::default();
    inside.insert(header);
    let mut work = vec![latch];
    while let Some(block) = work.pop() {
        if inside.insert(block) {
            let before = cfg.predecessors(block).iter();
            work.extend(before.filter(|p| cfg.is_reachable(**p)));
        }
    }
    inside
}
