//! What a session knows by name: processes, sets of actions, propositions.

use super::term::{NameId, Term, TermId, Terms};
use super::{guard, network, parse};
use crate::formula::Formulas;
use crate::parser::plain_input;
use cwolf_base::{Budget, Diagnostic, Exhausted, SourceMap, Span};
use cwolf_lts::{Builder, Label, Labels, Lts, TAU, TAU_NAME};
use rustc_hash::FxHashMap;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(crate) struct Definition {
    pub(crate) body: TermId,
    pub(crate) span: Span,
    /// Where the body names other processes.
    pub(crate) uses: Vec<(NameId, Span)>,
}

/// A transition system inside a process; `labels` are its labels' numbers in the environment.
#[derive(Clone, Debug)]
pub(crate) struct Automaton {
    pub(crate) lts: Lts,
    pub(crate) labels: Vec<Label>,
}

/// Processes, sets and propositions by name.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    pub(crate) labels: Labels,
    pub(crate) terms: Terms,
    pub(crate) names: FxHashMap<String, NameId>,
    pub(crate) name_texts: Vec<String>,
    pub(crate) definitions: Vec<Option<Definition>>,
    pub(crate) sets: FxHashMap<String, Vec<String>>,
    pub(crate) restrictions: Vec<Vec<Label>>,
    pub(crate) renamings: Vec<Vec<(Label, Label)>>,
    pub(crate) automata: Vec<Arc<Automaton>>,
    pub(crate) formulas: Formulas,
    pub(crate) order: Vec<(Loaded, String)>,
}

/// The kinds of things that have names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Loaded {
    /// A process.
    Process,
    /// A set of actions.
    Set,
    /// A proposition.
    Proposition,
}

/// Why a process has no transition system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompileError {
    /// It is not well-formed.
    Bad(Vec<Diagnostic>),
    /// It was too large.
    Exhausted(Exhausted),
    /// It depends on which of its actions a pattern stands for, and why.
    Unknown(String),
}

impl From<Exhausted> for CompileError {
    fn from(reason: Exhausted) -> CompileError {
        CompileError::Exhausted(reason)
    }
}

impl From<Diagnostic> for CompileError {
    fn from(diagnostic: Diagnostic) -> CompileError {
        CompileError::Bad(vec![diagnostic])
    }
}

impl Environment {
    /// Adds the definitions of a text that `sources` knows as starting at `start`; a second
    /// definition of a name replaces the first. Nothing is added if there is a mistake. Returns
    /// what was defined, in the text's order.
    pub fn load(&mut self, text: &str, start: u32) -> Result<Vec<(Loaded, String)>, Diagnostic> {
        let mut next = self.clone();
        let names = parse::file(&mut next, text, start)?;
        for entry in &names {
            if !next.order.contains(entry) {
                next.order.push(entry.clone());
            }
        }
        *self = next;
        Ok(names)
    }
    /// Adds a text under a name for messages, as [`Environment::load`] does.
    pub fn load_text(
        &mut self,
        sources: &mut SourceMap,
        name: &str,
        text: &str,
    ) -> Result<Vec<(Loaded, String)>, Diagnostic> {
        let start = sources.add(name, text.into());
        self.load(text, start)
    }
    /// Gives a transition system a name, as a process. The thesis' mark of an input (a
    /// backquote) is dropped from its labels.
    pub fn bind(&mut self, name: &str, lts: Lts) {
        let term = self.automaton(lts);
        self.define(name, term, Span::default(), Vec::new());
        let entry = (Loaded::Process, name.to_owned());
        if !self.order.contains(&entry) {
            self.order.push(entry);
        }
    }
    pub(crate) fn automaton(&mut self, lts: Lts) -> TermId {
        let names: Vec<&str> = lts.labels().names().collect();
        let labels = names
            .iter()
            .map(|n| self.labels.intern(plain_input(n)))
            .collect();
        let initial = lts.initial();
        self.automata.push(Arc::new(Automaton { lts, labels }));
        let number = self.automata.len() as u32 - 1;
        self.terms.intern(Term::Automaton(number, initial))
    }
    pub(crate) fn name(&mut self, text: &str) -> NameId {
        if let Some(&id) = self.names.get(text) {
            return id;
        }
        let id = self.name_texts.len() as NameId;
        self.names.insert(text.to_owned(), id);
        self.name_texts.push(text.to_owned());
        self.definitions.push(None);
        id
    }
    pub(crate) fn define(
        &mut self,
        name: &str,
        body: TermId,
        span: Span,
        uses: Vec<(NameId, Span)>,
    ) {
        let id = self.name(name);
        self.definitions[id as usize] = Some(Definition { body, span, uses });
    }
    /// Everything that has a name, in the order of definition.
    pub fn names(&self) -> impl Iterator<Item = (Loaded, &str)> {
        self.order.iter().map(|(kind, name)| (*kind, name.as_str()))
    }
    /// Whether there is a process of this name.
    pub fn has_process(&self, name: &str) -> bool {
        let id = self.names.get(name);
        id.is_some_and(|&id| self.definitions[id as usize].is_some())
    }
    /// The text that defines a name, if it came from a text.
    pub fn definition_span(&self, kind: Loaded, name: &str) -> Option<Span> {
        match kind {
            Loaded::Process => {
                let id = *self.names.get(name)?;
                let definition = self.definitions[id as usize].as_ref()?;
                Some(definition.span).filter(|s| !s.is_empty())
            }
            Loaded::Proposition => self.formulas.definition_span(name),
            Loaded::Set => None,
        }
    }
    /// The actions of a set, by name.
    pub fn set(&self, name: &str) -> Option<&[String]> {
        self.sets.get(name).map(Vec::as_slice)
    }
    /// The transition system of a process: a name, or any expression of CCS. `start` is where
    /// the text lies in the source map.
    pub fn compile(
        &mut self,
        text: &str,
        start: u32,
        budget: &Budget,
    ) -> Result<Lts, CompileError> {
        let (root, uses) = parse::expression(self, text, start)?;
        guard::check(self, &uses).map_err(CompileError::Bad)?;
        Ok(network::explore(self, root, budget)?)
    }
}

/// The same system with inputs named as in CCS: without the backquote of the thesis.
pub fn with_plain_inputs(lts: &Lts) -> Lts {
    if !lts.labels().names().any(|n| n.starts_with('`')) {
        return lts.clone();
    }
    let mut builder = Builder::new();
    let labels: Vec<Label> = lts
        .labels()
        .names()
        .map(|n| builder.label(plain_input(n)))
        .collect();
    debug_assert_eq!(
        (labels[TAU as usize], lts.labels().name(TAU)),
        (TAU, TAU_NAME)
    );
    for (s, a, t) in lts.iter() {
        builder.add(s, labels[a as usize], t);
    }
    builder.ensure_states(lts.states());
    builder
        .finish(lts.initial())
        .with_notes(lts.notes().cloned())
}
