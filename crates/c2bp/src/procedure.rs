//! One procedure: its predicates, its prover, and the blocks that they make.

use crate::block;
use crate::cubes::{Cube, Prover, Strengthened};
use crate::effects::Effects;
use crate::encode::{Encoder, can_be_narrow};
use crate::initial;
use crate::options::{Arith, Layout, Options, Stats};
use crate::predicate::has_floats;
use crate::region::named;
use crate::shape::{self, Item};
use crate::signature::Signature;
use crate::simplify;
use cwolf_base::Exhausted;
use cwolf_boolprog::{
    Builder, Expr as BExpr, GlobalId, Proc, ProcId, Source, StmtId, StmtKind, Var,
};
use cwolf_cwi::graph::{CallGraph, PointsTo};
use cwolf_cwi::{BlockId, Expr, FuncId, LocId, Predicate, Program, VarId};
use cwolf_logic::Term;
use rustc_hash::{FxHashMap, FxHashSet};

/// What all procedures share.
pub(crate) struct Context<'a> {
    pub program: &'a Program,
    pub predicates: &'a [Predicate],
    pub points_to: &'a PointsTo,
    pub calls: &'a CallGraph,
    pub effects: &'a Effects,
    pub options: &'a Options,
    /// By function.
    pub signatures: Vec<Signature>,
    pub procs: Vec<Option<ProcId>>,
    pub globals: FxHashMap<usize, GlobalId>,
    /// The names of boolean variables, by predicate.
    pub names: Vec<String>,
    /// The C labels in front of statements.
    pub labels: FxHashMap<(FuncId, BlockId, usize), Vec<String>>,
}

/// A predicate in scope.
#[derive(Clone)]
pub(crate) struct Scoped {
    /// Its number, unless it is a returned one.
    pub number: Option<usize>,
    pub condition: Expr,
    pub var: Var,
    pub term: Term,
}

/// The work on one procedure.
pub(crate) struct Procedure<'a> {
    pub context: &'a Context<'a>,
    pub func: FuncId,
    pub encoder: Encoder<'a>,
    pub prover: Prover<'a>,
    /// The predicates in scope, in the order of the predicate file.
    pub scope: Vec<Scoped>,
    /// What calls returned, valid at the current statement.
    pub returned: Vec<Scoped>,
    /// What the call just before updated, as far as the paper's layout must not use it for the rest
    /// of the call (section 4.5.3 updates all from what the call left alone).
    pub updated: Vec<Var>,
    pub builder: Builder,
    /// Contradictory cubes over `scope`.
    contradictions: Vec<Cube>,
    temporaries: FxHashMap<String, Var>,
    named: FxHashSet<VarId>,
}

impl<'a> Procedure<'a> {
    pub fn new(context: &'a Context<'a>, func: FuncId) -> Procedure<'a> {
        let program = context.program;
        let signature = &context.signatures[func.0 as usize];
        let name = &program.funcs[func].name;
        let mut builder = Builder::new(name, signature.returns.len());
        let conditions = context.predicates.iter().map(|p| &p.condition);
        let taken = &context.effects.taken;
        let narrow =
            context.options.arith == Arith::Bits && can_be_narrow(program, taken, func, conditions);
        let mut encoder = Encoder::new(
            program,
            context.points_to,
            &context.effects.taken,
            func,
            context.options.arith,
            narrow,
        );
        let mut vars: FxHashMap<usize, Var> = FxHashMap::default();
        for &n in &signature.formals {
            vars.insert(n, Var::Local(builder.param(&context.names[n])));
        }
        for &n in &signature.locals {
            vars.insert(n, Var::Local(builder.local(&context.names[n])));
        }
        for (&n, &global) in &context.globals {
            vars.insert(n, Var::Global(global));
        }
        let mut scope = Vec::new();
        for (n, predicate) in context.predicates.iter().enumerate() {
            if let Some(&var) = vars.get(&n) {
                let condition = predicate.condition.clone();
                let term = encoder.now(&condition);
                scope.push(Scoped {
                    number: Some(n),
                    condition,
                    var,
                    term,
                });
            }
        }
        let named = named(scope.iter().map(|s| &s.condition));
        Procedure {
            context,
            func,
            encoder,
            prover: Prover::new(context.options),
            scope,
            returned: Vec::new(),
            updated: Vec::new(),
            builder,
            contradictions: Vec::new(),
            temporaries: FxHashMap::default(),
            named,
        }
    }
    /// The boolean procedure; `placed` hears where each statement went.
    pub fn finish(
        mut self,
        placed: &mut dyn FnMut(BlockId, usize, StmtId),
    ) -> Result<(Proc, Stats), Exhausted> {
        let terms: Vec<Term> = self.scope.iter().map(|s| s.term).collect();
        let vars: Vec<Var> = self.scope.iter().map(|s| s.var).collect();
        let all = terms.len();
        self.contradictions = self
            .prover
            .contradictions(&self.encoder, &terms, all, &[])?;
        let code = block::all(&mut self)?;
        if !self.contradictions.is_empty() {
            self.builder
                .enforce(simplify::enforced(&self.contradictions, &vars));
        }
        if initial::is_start(self.context, self.func) {
            let known = initial::values(&mut self)?;
            if known != BExpr::TRUE {
                let id = self.builder.assume(known);
                self.builder.source(id, Source::new("initial values", None));
            }
        }
        shape::write(&code, &mut self.builder, placed);
        Ok((self.builder.finish(), self.prover.stats))
    }
    /// Whether a variable has no predicate and no pointer to it.
    pub fn is_hidden(&self, var: VarId) -> bool {
        self.context.program.vars[var].kind.is_automatic()
            && !self.named.contains(&var)
            && !self.encoder.is_taken(var)
    }
    /// A local of the boolean procedure that stands for no predicate.
    pub fn temporary(&mut self, name: &str) -> Var {
        if let Some(var) = self.temporaries.get(name) {
            return *var;
        }
        let var = Var::Local(self.builder.local(name));
        self.temporaries.insert(name.into(), var);
        var
    }
    /// Whether nothing may stand in cubes, so that statements mean nothing here and conditions
    /// nothing but that there are two ways on. Most of a large program is like this.
    pub fn is_blind(&self) -> bool {
        self.scope.is_empty() && self.returned.is_empty()
    }
    /// What may stand in cubes: the predicates that `keep` holds for, and what calls returned.
    pub fn available(&self, keep: &dyn Fn(&Scoped) -> bool) -> (Vec<Term>, Vec<Var>) {
        let scope = self.scope.iter().filter(|s| keep(s));
        let all = self.returned.iter().chain(scope);
        all.map(|s| (s.term, s.var)).unzip()
    }
    /// An assumption that what calls returned does not contradict the predicates that `keep` holds
    /// for: `enforce` cannot say it, because it holds until the next change only. Without it what a
    /// formula says in such a state, which is no state of the C program, would depend on how it was
    /// found.
    ///
    /// If all but the predicates in `changed` did agree before, one changed predicate cannot contradict
    /// them now, since its new value was made from them; but two can contradict each other.
    pub fn agreement(
        &mut self,
        keep: &dyn Fn(&Scoped) -> bool,
        changed: Option<&[Var]>,
    ) -> Result<Option<Item>, Exhausted> {
        if self.returned.is_empty() || changed.is_some_and(|c| c.len() < 2) {
            return Ok(None);
        }
        let (terms, vars) = self.available(keep);
        let needed = self.returned.len();
        let mut known = Vec::new();
        for cube in &self.contradictions {
            let place = |(n, value): &(usize, bool)| {
                let var = self.scope[*n].var;
                let at = vars.iter().position(|v| *v == var)?;
                Some((at, *value))
            };
            known.extend(cube.iter().map(place).collect::<Option<Cube>>());
        }
        let mut found = self
            .prover
            .contradictions(&self.encoder, &terms, needed, &known)?;
        if let Some(changed) = changed {
            let is_new = |(n, _): &&(usize, bool)| changed.contains(&vars[*n]);
            found.retain(|cube| cube.iter().filter(is_new).count() >= 2);
        }
        let assume = StmtKind::Assume(simplify::enforced(&found, &vars));
        Ok((!found.is_empty()).then(|| self.item(assume, None)))
    }
    /// The paper's `choose(F(goal), F(!goal))`.
    pub fn choose(
        &mut self,
        goal: Term,
        available: &(Vec<Term>, Vec<Var>),
    ) -> Result<BExpr, Exhausted> {
        let (terms, vars) = available;
        let positive = self.prover.strengthen(&mut self.encoder, terms, goal)?;
        let otherwise = self.encoder.terms.not(goal);
        let negative = self
            .prover
            .strengthen(&mut self.encoder, terms, otherwise)?;
        let (positive, negative) = (
            simplify::dnf(&positive, vars),
            simplify::dnf(&negative, vars),
        );
        Ok(match self.context.options.layout {
            Layout::Plain => simplify::choose(positive, negative),
            Layout::Paper => BExpr::choose(positive, negative),
        })
    }
    /// The paper's G_V(condition).
    pub fn weaken(&mut self, condition: Term) -> Result<BExpr, Exhausted> {
        let (terms, vars) = self.available(&|_| true);
        let otherwise = self.encoder.terms.not(condition);
        let refuting = self
            .prover
            .strengthen(&mut self.encoder, &terms, otherwise)?;
        if refuting == Strengthened::FALSE {
            return Ok(BExpr::TRUE);
        }
        Ok(simplify::negated(&refuting, &vars))
    }
    /// An item for a statement of the C program.
    pub fn item(&self, kind: StmtKind, source: Option<Source>) -> Item {
        Item {
            kind,
            source,
            labels: Vec::new(),
            point: None,
        }
    }
    /// What a statement stands for: its text, if the source is at hand, and its place.
    pub fn source(&self, loc: LocId, whole_line: bool) -> Option<Source> {
        let locations = &self.context.program.locations;
        let position = locations[loc];
        let file = locations.file_name(position.file);
        let lines = self.context.options.sources.iter();
        let lines = lines
            .filter(|(name, _)| name == file)
            .map(|(_, l)| l)
            .next();
        let line = lines.and_then(|l| l.get(position.line as usize - 1));
        let text = line.map_or("", |l| excerpt(l, position.column, whole_line));
        Some(Source::new(text, Some(position.line)).in_file(file))
    }
}

/// The statement that starts at a column of a line, or the line.
fn excerpt(line: &str, column: u32, whole: bool) -> &str {
    let single = line.matches(';').count() < 2;
    let start = column.saturating_sub(1) as usize;
    if whole || single || !line.is_char_boundary(start) {
        return line.trim();
    }
    let rest = line.get(start..).unwrap_or(line);
    rest.find(';').map_or(rest, |end| &rest[..=end]).trim()
}

/// The name of the boolean variable of a predicate. A comparison of floating-point numbers is put
/// in parentheses, since its negation is not the opposite comparison.
pub(crate) fn variable_name(program: &Program, predicate: &Predicate) -> String {
    match has_floats(program, &predicate.condition) {
        true => format!("({})", predicate.text),
        false => predicate.text.clone(),
    }
}
