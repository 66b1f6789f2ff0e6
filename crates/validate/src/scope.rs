//! Conditions in C, typed where they stand.

use crate::place::Places;
use crate::witness::At;
use cwolf_cfront::{Names, read_predicates};
use cwolf_cwi::{Expr, FuncId, Program};
use rustc_hash::FxHashMap;

/// Finds what names mean that the compiled program has lost: typedefs, enumerators, macros.
pub type LookUp<'a> = &'a (dyn Fn(&[String]) -> Vec<Names> + Sync);

/// Why a condition is not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// It is no C expression in its scope.
    NoC(String),
    /// It is C that is not supported here.
    Unsupported(String),
}

/// Conditions of one program.
pub(crate) struct Conditions<'a> {
    look_up: LookUp<'a>,
    known: FxHashMap<(FuncId, Vec<u32>, String), Result<Expr, Wrong>>,
}

impl<'a> Conditions<'a> {
    pub fn new(look_up: LookUp<'a>) -> Conditions<'a> {
        Conditions {
            look_up,
            known: FxHashMap::default(),
        }
    }

    /// A condition at a place of a function. The program's table of types may grow.
    pub fn read(
        &mut self,
        program: &mut Program,
        places: &Places<'_>,
        func: FuncId,
        at: &At,
        text: &str,
    ) -> Result<Expr, Wrong> {
        let hidden = places.hidden(func, at);
        let mut sorted: Vec<u32> = hidden.iter().map(|v| v.0).collect();
        sorted.sort_unstable();
        let key = (func, sorted, text.to_owned());
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let found = self.parse(program, func, &key.1, text);
        self.known.insert(key, found.clone());
        found
    }

    fn parse(
        &self,
        program: &mut Program,
        func: FuncId,
        hidden: &[u32],
        text: &str,
    ) -> Result<Expr, Wrong> {
        if text.contains("\\at") || text.contains("\\old") {
            return Err(Wrong::Unsupported(
                "values of earlier states are not supported".into(),
            ));
        }
        let mut names: Vec<(u32, String)> = Vec::new();
        for &var in hidden {
            let name = &mut program.vars[cwolf_cwi::VarId(var)].name;
            names.push((var, std::mem::take(name)));
        }
        let function = program.funcs[func].name.clone();
        let list = format!("{function} {{ ({text}) }}");
        let look_up = self.look_up;
        let file = read_predicates(program, "witness", list.as_bytes(), |n| look_up(n));
        for (var, name) in names {
            program.vars[cwolf_cwi::VarId(var)].name = name;
        }
        let error = file
            .diagnostics
            .iter()
            .find(|d| d.severity == cwolf_base::Severity::Error);
        let mut found = file.predicates.into_iter();
        match (error, found.next(), found.next()) {
            (None, Some(one), None) if one.scope == Some(func) => Ok(one.condition),
            (Some(error), ..) => {
                let what = error.message.clone();
                let supported = !what.contains("must not")
                    && !what.contains("not supported")
                    && !what.contains("a predicate cannot")
                    && !what.contains("volatile");
                Err(match supported {
                    true => Wrong::NoC(what),
                    false => Wrong::Unsupported(what.replace("a predicate", "a condition")),
                })
            }
            _ => Err(Wrong::NoC("expected one C expression".into())),
        }
    }
}
