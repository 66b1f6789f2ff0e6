//! The boolean program of an abstraction: a procedure for each procedure, a label for each point, a
//! step for each move, with its relation as a constraint.

use super::abstraction::{Abstraction, Part, Predicates, Relation};
use super::blocks::{Blocks, Move};
use cwolf_base::{Budget, Exhausted};
use cwolf_boolprog::{Builder, Expr, LocalId, ProcId, Program, Source, StmtId, StmtKind, Var};
use cwolf_cwi::{FuncId, LocId};
use cwolf_encode::Point;
use cwolf_logic::{Cube, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// A boolean program, and which statement stands for which move.
pub(super) struct Boolean {
    pub(super) program: Program,
    pub(super) start: ProcId,
    pub(super) moves: FxHashMap<(ProcId, StmtId), Move>,
    /// The moves that are in it.
    pub(super) used: Vec<Move>,
    /// The points, the statements that stand for them, and the variables of their predicates.
    pub(super) places: Vec<Place>,
}

/// A point in the boolean program.
pub(super) struct Place {
    pub(super) point: Point,
    pub(super) proc: ProcId,
    pub(super) stmt: StmtId,
    pub(super) vars: Vec<(Var, Term)>,
}

/// Names of predicates that a user gave.
pub(super) type Names = FxHashMap<Term, String>;

/// Makes the boolean program.
pub(super) fn write(
    blocks: &mut Blocks<'_>,
    predicates: &Predicates,
    abstraction: &mut Abstraction,
    names: &Names,
    budget: &Budget,
) -> Result<Boolean, Exhausted> {
    let funcs: Vec<FuncId> = blocks.funcs().into_iter().collect();
    let procs: FxHashMap<FuncId, ProcId> = funcs
        .iter()
        .enumerate()
        .map(|(n, f)| (*f, ProcId(n as u32)))
        .collect();
    let mut result = Boolean {
        program: Program::default(),
        start: ProcId(funcs.len() as u32),
        moves: FxHashMap::default(),
        used: blocks.moves(),
        places: Vec::new(),
    };
    let mut relations: FxHashMap<Move, Relation> = FxHashMap::default();
    for m in result.used.clone() {
        let relation = abstraction.relation(blocks, predicates, m, budget)?;
        relations.insert(m, relation);
    }
    let mut taken: FxHashSet<String> = FxHashSet::default();
    for func in &funcs {
        let mut name = blocks.encoder.program().funcs[*func].name.clone();
        while !taken.insert(name.clone()) {
            name.push('_');
        }
        let mut writer = Writer::new(blocks, predicates, names, *func, &name);
        writer.procedure(&relations, &procs, budget)?;
        let id = ProcId(result.program.procs.len() as u32);
        result.places.append(&mut writer.places(id));
        let (proc, marks) = writer.finish();
        result.program.procs.push(proc);
        let marks = marks.into_iter().map(|(s, m)| ((id, s), m));
        result.moves.extend(marks);
    }
    let entry = blocks.entry;
    let mut start = Builder::new(&free("start", &taken), 0);
    let list = predicates.at(Point::Entry(entry)).to_vec();
    let values = list.into_iter().map(|t| {
        let t = blocks.at_start(t);
        match blocks.encoder.terms.as_bool(t) {
            Some(value) => Expr::Const(value),
            None => Expr::Unknown,
        }
    });
    let values: Vec<Expr> = values.collect();
    start.call(Vec::new(), procs[&entry], values);
    result.program.procs.push(start.finish());
    Ok(result)
}

fn free(name: &str, taken: &FxHashSet<String>) -> String {
    let mut name = name.to_owned();
    while taken.contains(&name) {
        name.push('_');
    }
    name
}

struct Writer<'a, 'p> {
    blocks: &'a mut Blocks<'p>,
    predicates: &'a Predicates,
    names: &'a Names,
    func: FuncId,
    builder: Builder,
    vars: FxHashMap<Term, LocalId>,
    taken: FxHashSet<String>,
    spare: FxHashMap<String, LocalId>,
    marks: Vec<(StmtId, Move)>,
    starts: Vec<(Point, StmtId)>,
}

impl<'a, 'p> Writer<'a, 'p> {
    fn new(
        blocks: &'a mut Blocks<'p>,
        predicates: &'a Predicates,
        names: &'a Names,
        func: FuncId,
        name: &str,
    ) -> Writer<'a, 'p> {
        let results = predicates.at(Point::Exit(func)).len();
        let mut writer = Writer {
            blocks,
            predicates,
            names,
            func,
            builder: Builder::new(name, results),
            vars: FxHashMap::default(),
            taken: FxHashSet::default(),
            spare: FxHashMap::default(),
            marks: Vec::new(),
            starts: Vec::new(),
        };
        for t in predicates.at(Point::Entry(func)) {
            let name = writer.name(*t);
            let id = writer.builder.param(&name);
            writer.vars.insert(*t, id);
        }
        let points: Vec<Point> = writer.points();
        for point in points {
            for t in predicates.at(point) {
                if !writer.vars.contains_key(t) {
                    let name = writer.name(*t);
                    let id = writer.builder.local(&name);
                    writer.vars.insert(*t, id);
                }
            }
        }
        writer
    }

    fn points(&self) -> Vec<Point> {
        let all = self.blocks.starts.keys().copied();
        all.filter(|p| p.func() == self.func).collect()
    }

    fn name(&mut self, t: Term) -> String {
        let mut name = match self.names.get(&t) {
            Some(name) => name.clone(),
            None => self.blocks.text(t),
        };
        if name.len() > 120 {
            name = format!("p{}", self.vars.len());
        }
        let plain = name.clone();
        let mut n = 1;
        while !self.taken.insert(name.clone()) {
            n += 1;
            name = format!("{plain} #{n}");
        }
        name
    }

    /// A variable that stands for no predicate.
    fn spare(&mut self, kind: &str, n: usize) -> Var {
        let name = format!("{kind}{n}");
        let (builder, taken) = (&mut self.builder, &mut self.taken);
        let id = self.spare.entry(name.clone()).or_insert_with(|| {
            let mut own = name;
            while !taken.insert(own.clone()) {
                own.push('_');
            }
            builder.local(&own)
        });
        Var::Local(*id)
    }

    fn label(&self, point: Point) -> String {
        match point {
            Point::Entry(_) => "entry".into(),
            Point::Head(_, b) => format!("L{}", b.0),
            Point::Call(_, b) => format!("call{}", b.0),
            Point::Exit(_) => "exit".into(),
        }
    }

    fn procedure(
        &mut self,
        relations: &FxHashMap<Move, Relation>,
        procs: &FxHashMap<FuncId, ProcId>,
        budget: &Budget,
    ) -> Result<(), Exhausted> {
        for point in self.points() {
            budget.check(0)?;
            let label = self.label(point);
            let starts = self.blocks.starts[&point].clone();
            let possible = |m: &Move| relations.get(m).is_some_and(|r| r.possible);
            let mut first = Vec::new();
            for b in &starts {
                let mut ways = vec![Move::Wrong(*b, false)];
                match self.blocks.blocks[*b].callee {
                    Some(_) => ways.push(Move::Enter(*b)),
                    None => ways.extend(self.takes(*b)),
                }
                first.extend(ways.into_iter().filter(possible));
            }
            let next = StmtId(self.builder.proc().stmts.len() as u32);
            self.starts.push((point, next));
            self.choice(Some(&label), &label, &first);
            for (n, m) in first.iter().enumerate() {
                self.way(&label, n, first.len());
                self.step(*m, &relations[m]);
                let Move::Enter(b) = *m else {
                    continue;
                };
                let callee = self.blocks.blocks[b].callee.expect("a call");
                self.call(b, callee, procs[&callee]);
                let mut after = vec![Move::Wrong(b, true)];
                after.extend(self.takes(b));
                after.retain(possible);
                let inner = format!("{label}_{n}_back");
                self.choice(None, &inner, &after);
                for (k, m) in after.iter().enumerate() {
                    self.way(&inner, k, after.len());
                    self.step(*m, &relations[m]);
                }
            }
        }
        Ok(())
    }

    fn takes(&self, block: usize) -> Vec<Move> {
        let ends = self.blocks.blocks[block].region.ends.len();
        (0..ends).map(|e| Move::Take(block, e)).collect()
    }

    /// A choice between several ways on.
    fn choice(&mut self, here: Option<&str>, label: &str, ways: &[Move]) {
        if let Some(here) = here {
            self.builder.label(here);
        }
        match ways.len() {
            0 => {
                self.builder.assume(Expr::FALSE);
            }
            // The label stands before the only way.
            1 => {}
            count => {
                let names: Vec<String> = (0..count).map(|n| format!("{label}_{n}")).collect();
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                self.builder.goto(&names);
            }
        }
    }

    fn way(&mut self, label: &str, n: usize, count: usize) {
        if count > 1 {
            self.builder.label(&format!("{label}_{n}"));
        }
    }

    fn source(&self, m: Move) -> Option<Source> {
        let block = &self.blocks.blocks[m.block()];
        let loc: LocId = block.region.steps.first()?.1;
        let locations = &self.blocks.encoder.program().locations;
        let at = locations[loc];
        Some(Source::new("", Some(at.line)).in_file(locations.file_name(at.file)))
    }

    /// The statements of a move, from the relation to where it leads.
    fn step(&mut self, m: Move, relation: &Relation) {
        let from = self.blocks.blocks[m.block()].from;
        let (own, inputs) = Abstraction::inputs(self.blocks, self.predicates, m);
        let mut now = Vec::new();
        for n in 0..inputs.len() {
            now.push(match n.checked_sub(own) {
                None => Var::Local(self.vars[&self.predicates.at(from)[n]]),
                Some(n) => self.spare("r", n),
            });
        }
        let to = self.blocks.target(m);
        let mut next = Vec::new();
        if let Some(point) = to {
            for (n, t) in self.predicates.at(point).iter().enumerate() {
                next.push(match (m, point) {
                    (Move::Enter(_), _) => self.spare("a", n),
                    (_, Point::Exit(_)) => self.spare("e", n),
                    _ => Var::Local(self.vars[t]),
                });
            }
        }
        let statement = assignment(relation, &now, &next, self.forgotten(m, from, &next));
        let id = self.builder.stmt(statement);
        if let Some(source) = self.source(m) {
            self.builder.source(id, source);
        }
        if !matches!(m, Move::Enter(_)) {
            self.marks.push((id, m));
        }
        match (m, to) {
            (Move::Wrong(..), _) => {
                self.builder.assert(Expr::FALSE);
                self.builder.assume(Expr::FALSE);
            }
            (Move::Take(..), Some(Point::Exit(_))) => {
                let values = next.into_iter().map(Expr::Var).collect();
                self.builder.ret(values);
            }
            (Move::Take(..), Some(point)) => {
                let label = self.label(point);
                self.builder.goto(&[&label]);
            }
            _ => {}
        }
    }

    /// Predicates that nobody asks for where a move leads.
    fn forgotten(&self, m: Move, from: Point, next: &[Var]) -> Vec<Var> {
        if !matches!(m, Move::Take(..)) {
            return Vec::new();
        }
        let all = self.predicates.at(from).iter();
        let mut vars: Vec<Var> = all.map(|t| Var::Local(self.vars[t])).collect();
        vars.retain(|v| !next.contains(v));
        vars
    }

    fn call(&mut self, block: usize, callee: FuncId, proc: ProcId) {
        let args = self.predicates.at(Point::Entry(callee)).len();
        let args = (0..args).map(|n| Expr::Var(self.spare("a", n))).collect();
        let results = self.predicates.at(Point::Exit(callee)).len();
        let results = (0..results).map(|n| Some(self.spare("r", n))).collect();
        let id = self.builder.call(results, proc, args);
        self.marks.push((id, Move::Enter(block)));
    }

    fn places(&self, proc: ProcId) -> Vec<Place> {
        let place = |(point, stmt): &(Point, StmtId)| {
            let list = self.predicates.at(*point).iter();
            Place {
                point: *point,
                proc,
                stmt: *stmt,
                vars: list.map(|t| (Var::Local(self.vars[t]), *t)).collect(),
            }
        };
        self.starts.iter().map(place).collect()
    }

    fn finish(self) -> (cwolf_boolprog::Proc, Vec<(StmtId, Move)>) {
        (self.builder.finish(), self.marks)
    }
}

/// A relation as one statement.
fn assignment(relation: &Relation, now: &[Var], next: &[Var], forgotten: Vec<Var>) -> StmtKind {
    let mut values: Vec<Expr> = vec![Expr::Unknown; next.len()];
    for (out, value) in &relation.fixed {
        values[*out] = Expr::Const(*value);
    }
    for (out, input, same) in &relation.copies {
        let value = Expr::Var(now[*input]);
        values[*out] = if *same { value } else { Expr::negate(value) };
    }
    let literal = |n: usize, v: bool| {
        let var = match now.get(n) {
            Some(var) => Expr::Var(*var),
            None => Expr::Next(next[n - now.len()]),
        };
        if v { var } else { Expr::negate(var) }
    };
    let sum = |cubes: &[Cube]| {
        let product = |c: &Cube| Expr::and(c.iter().map(|(n, v)| literal(*n, *v)));
        Expr::or(cubes.iter().map(product))
    };
    let mut constraints = Vec::new();
    for part in &relation.parts {
        match part {
            Part::Rows(cubes) => constraints.push(sum(cubes)),
            Part::Never(cubes) => constraints.push(Expr::negate(sum(cubes))),
            Part::Choose(out, yes, no) => {
                let (yes, no) = (sum(yes), sum(no));
                values[*out] = match (&yes, &no) {
                    (Expr::Const(false), Expr::Const(false)) => Expr::Unknown,
                    (Expr::Const(true), _) => Expr::TRUE,
                    (_, Expr::Const(true)) => Expr::FALSE,
                    _ => Expr::choose(yes, no),
                };
            }
        }
    }
    let constraint = Expr::and(constraints);
    let mut targets = next.to_vec();
    // What stays as it is needs no assignment.
    let kept = |n: usize| values[n] == Expr::Var(targets[n]);
    let stays: Vec<bool> = (0..targets.len()).map(kept).collect();
    let mut keep = stays.iter().map(|s| !*s);
    targets.retain(|_| keep.next().expect("one for each"));
    let mut keep = stays.iter().map(|s| !*s);
    values.retain(|_| keep.next().expect("one for each"));
    values.extend(forgotten.iter().map(|_| Expr::Unknown));
    targets.extend(forgotten);
    if targets.is_empty() {
        return match constraint {
            Expr::Const(true) => StmtKind::Skip,
            other => StmtKind::Assume(other),
        };
    }
    let constrain = Some(constraint).filter(|c| *c != Expr::TRUE);
    StmtKind::Assign {
        targets,
        values,
        constrain,
    }
}
