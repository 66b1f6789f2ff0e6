//! Contracts as code.

use super::terms::{Scope, Target, conditions, local, target};
use super::{Clause, Contract};
use crate::start::Requirement;
use crate::variable::assign_unknown;
use cwolf_cwi::{
    Block, Body, Branch, Check, CheckKind, Expr, ExprKind, FuncId, LocId, Place, Program, Stmt,
    StmtKind, Type, TypeId, Types, VarId,
};

/// Puts contracts into the functions that they belong to; the functions called `replace` get the contract instead of their code.
/// What is returned says which clauses are not followed, and why.
pub fn weave(program: &mut Program, contracts: &[Contract], replace: &[String]) -> Vec<String> {
    let mut notes = Vec::new();
    for contract in contracts {
        let Some(func) = program.function(&contract.function) else {
            continue;
        };
        if program.funcs[func].body.is_none() {
            continue;
        }
        let mut weaver = Weaver::new(program, func);
        for clause in &contract.clauses {
            weaver.clause(clause);
        }
        notes.extend(match replace.contains(&contract.function) {
            true => weaver.replace(),
            false => weaver.check(),
        });
    }
    notes
}

struct Weaver<'p> {
    program: &'p mut Program,
    func: FuncId,
    loc: LocId,
    scope: Scope,
    ret: TypeId,
    requires: Vec<(String, Vec<Expr>)>,
    ensures: Vec<(String, Vec<Expr>)>,
    assigns: Option<Vec<Target>>,
    notes: Vec<String>,
}

impl Weaver<'_> {
    fn new(program: &mut Program, func: FuncId) -> Weaver<'_> {
        let ret = match &program.types[program.funcs[func].ty] {
            Type::Func(ty) => ty.ret,
            _ => Types::VOID,
        };
        let scalar = program.types.is_scalar(ret);
        let result = scalar.then(|| local(program, func, "__cwolf_result", ret));
        let loc = program.funcs[func].loc;
        Weaver {
            program,
            func,
            loc,
            scope: Scope {
                result,
                ..Scope::default()
            },
            ret,
            requires: Vec::new(),
            ensures: Vec::new(),
            assigns: None,
            notes: Vec::new(),
        }
    }

    fn note(&mut self, what: &str, why: &str) {
        let name = &self.program.funcs[self.func].name;
        self.notes.push(format!(
            "the contract of {name}: `{what}` is not followed: {why}"
        ));
    }

    fn clause(&mut self, clause: &Clause) {
        match clause {
            Clause::Requires(text) => {
                // What callers of the entry function cannot be made to keep is not asserted either.
                if let Err(error) = Requirement::parse(text) {
                    return self.note(&format!("requires {text}"), &error.why);
                }
                let mut scope = Scope::default();
                match conditions(self.program, self.func, text, &mut scope) {
                    Ok(list) if scope.old.is_empty() => self.requires.push((text.clone(), list)),
                    Ok(_) => self.note(text, "\\old has no meaning in requires"),
                    Err(why) => self.note(&format!("requires {text}"), &why),
                }
            }
            Clause::Ensures(text) => {
                match conditions(self.program, self.func, text, &mut self.scope) {
                    Ok(list) => self.ensures.push((text.clone(), list)),
                    Err(why) => self.note(&format!("ensures {text}"), &why),
                }
            }
            Clause::Assigns(list) => {
                let mut targets = Vec::new();
                for text in list {
                    match target(self.program, self.func, text) {
                        Ok(target) => targets.push(target),
                        Err(why) => return self.note(&format!("assigns {text}"), &why),
                    }
                }
                self.assigns.get_or_insert_default().extend(targets);
            }
            Clause::Other(word) => self.note(word, "it is not supported"),
        }
    }

    fn stmt(&self, kind: StmtKind) -> Stmt {
        Stmt {
            loc: self.loc,
            kind,
        }
    }

    fn asserted(&mut self, word: &str, clauses: &[(String, Vec<Expr>)]) -> Vec<Stmt> {
        let mut out = Vec::new();
        for (text, list) in clauses {
            for condition in list {
                let check = self.program.checks.push(Check {
                    kind: CheckKind::Assertion,
                    loc: self.loc,
                    text: format!("{word} {text}"),
                });
                let cond = condition.clone();
                out.push(self.stmt(StmtKind::Assert { check, cond }));
            }
        }
        out
    }

    /// Parameters in `ensures` are what was passed, whatever the code did to them since.
    fn passed(&mut self) -> Vec<(VarId, VarId)> {
        let params = self.program.funcs[self.func].params.clone();
        let mut mentioned: Vec<VarId> = Vec::new();
        for condition in self.ensures.iter().flat_map(|(_, list)| list) {
            condition.walk(&mut |e| {
                if let ExprKind::Load { place, .. } | ExprKind::AddrOf(place) = &e.kind
                    && let Some(var) = place.root()
                    && params.contains(&var)
                    && !mentioned.contains(&var)
                {
                    mentioned.push(var);
                }
            });
        }
        let kept = mentioned.into_iter().map(|param| {
            let ty = self.program.vars[param].ty;
            let name = format!("__cwolf_passed_{}", self.program.vars[param].name);
            (param, local(self.program, self.func, &name, ty))
        });
        let kept: Vec<(VarId, VarId)> = kept.collect();
        let renamed = |e: &mut Expr| {
            if let ExprKind::Load { place, .. } | ExprKind::AddrOf(place) = &mut e.kind
                && let Some(var) = place.root()
                && let Some((_, other)) = kept.iter().find(|(param, _)| *param == var)
            {
                place.base = cwolf_cwi::Base::Var(*other);
            }
        };
        for condition in self.ensures.iter_mut().flat_map(|(_, list)| list) {
            condition.walk_mut(&mut { renamed });
        }
        kept
    }

    /// What is remembered when the function begins.
    fn remembered(&mut self) -> Vec<Stmt> {
        let mut out = Vec::new();
        for (param, copy) in self.passed() {
            let ty = self.program.vars[param].ty;
            let value = Expr::load(Place::var(ty, param));
            out.push(self.stmt(StmtKind::Assign(Place::var(ty, copy), value)));
        }
        for (var, value) in std::mem::take(&mut self.scope.old) {
            let place = Place::var(self.program.vars[var].ty, var);
            out.push(self.stmt(StmtKind::Assign(place, value)));
        }
        out
    }

    /// Asserts the contract where the function begins and returns.
    fn check(mut self) -> Vec<String> {
        let requires = std::mem::take(&mut self.requires);
        let mut first = self.asserted("requires", &requires);
        first.extend(self.remembered());
        let ensures = std::mem::take(&mut self.ensures);
        let mut body = self.program.funcs[self.func]
            .body
            .take()
            .expect("it was there");
        let blocks: Vec<_> = body.blocks.ids().collect();
        for id in blocks {
            let Branch::Return(value) = body.blocks[id].branch.clone() else {
                continue;
            };
            let loc = body.blocks[id].loc;
            if let (Some(value), Some(result)) = (value, self.scope.result) {
                let place = Place::var(self.ret, result);
                let kind = StmtKind::Assign(place.clone(), value);
                body.blocks[id].stmts.push(Stmt { loc, kind });
                body.blocks[id].branch = Branch::Return(Some(Expr::load(place)));
            }
            let last = self.asserted("ensures", &ensures);
            body.blocks[id].stmts.extend(last);
        }
        let entry = body.blocks.ids().next().expect("a body has a block");
        let old = std::mem::take(&mut body.blocks[entry].stmts);
        // A loop that starts at the first block must not come by the beginning again.
        let moved = body.blocks.push(Block {
            stmts: old,
            loc: body.blocks[entry].loc,
            branch: body.blocks[entry].branch.clone(),
        });
        for block in body.blocks.iter_mut() {
            block.branch.for_each_successor_mut(|to| {
                if *to == entry {
                    *to = moved;
                }
            });
        }
        body.blocks[entry].stmts = first;
        body.blocks[entry].branch = Branch::Goto(moved);
        self.program.funcs[self.func].body = Some(body);
        self.notes
    }

    /// The contract instead of the code.
    fn replace(mut self) -> Vec<String> {
        let Some(assigns) = self.assigns.take() else {
            let why =
                "without `assigns` nobody knows what the function changes, so its code is used";
            self.note("--replace-calls", why);
            return self.check();
        };
        let requires = std::mem::take(&mut self.requires);
        let mut stmts = self.asserted("requires", &requires);
        stmts.extend(self.remembered());
        for target in assigns {
            stmts.push(match target {
                Target::Place(place) => assign_unknown(place, self.loc),
                Target::Bytes(ptr, size) => {
                    let size = Some(size);
                    self.stmt(StmtKind::Havoc { ptr, size })
                }
            });
        }
        let value = match self.scope.result {
            Some(result) => {
                let place = Place::var(self.ret, result);
                stmts.push(assign_unknown(place.clone(), self.loc));
                Some(Expr::load(place))
            }
            None if self.ret == Types::VOID => None,
            None => {
                let result = local(self.program, self.func, "__cwolf_record", self.ret);
                let place = Place::var(self.ret, result);
                stmts.push(assign_unknown(place.clone(), self.loc));
                Some(Expr::load(place))
            }
        };
        for condition in std::mem::take(&mut self.ensures)
            .into_iter()
            .flat_map(|(_, list)| list)
        {
            stmts.push(self.stmt(StmtKind::Assume(condition)));
        }
        let block = Block {
            stmts,
            loc: self.loc,
            branch: Branch::Return(value),
        };
        self.program.funcs[self.func].body = Some(Body::new(vec![block]));
        self.notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::contracts;
    use cwolf_cfront::{Options, compile_text};

    fn woven(text: &str, replace: &[&str]) -> (Program, Vec<String>) {
        let compiled = compile_text("t.c", text.as_bytes(), &Options::default());
        let mut program = compiled.program.expect("it compiles");
        let found = contracts(&program, |_| Some(text.to_owned()));
        let replace: Vec<String> = replace.iter().map(ToString::to_string).collect();
        let notes = weave(&mut program, &found, &replace);
        let wrong = cwolf_cwi::verify::verify(&program);
        assert!(wrong.is_empty(), "{wrong:?}");
        (program, notes)
    }

    fn checks(program: &Program) -> Vec<&str> {
        program.checks.iter().map(|c| c.text.as_str()).collect()
    }

    #[test]
    fn contracts_become_asserts() {
        let text = "int g;\n/*@ requires 0 <= n < 9;\n    ensures \\result == \\old(g) + n && g == 1;\n    assigns g; */\nint f(int n) { int k = g; n = n + k; g = 1; return n; }\n";
        let (program, notes) = woven(text, &[]);
        let expected = [
            "requires 0 <= n < 9",
            "requires 0 <= n < 9",
            "ensures \\result == \\old(g) + n && g == 1",
            "ensures \\result == \\old(g) + n && g == 1",
        ];
        assert_eq!(checks(&program), expected);
        assert!(notes.is_empty(), "{notes:?}");
        let (replaced, _) = woven(text, &["f"]);
        assert_eq!(checks(&replaced), expected[..2]);
        let f = replaced.function("f").expect("f");
        let body = replaced.funcs[f].body.as_ref().expect("a body");
        let assumes = body.blocks.iter().flat_map(|b| &b.stmts);
        let assumes = assumes.filter(|s| matches!(s.kind, StmtKind::Assume(_)));
        assert_eq!(assumes.count(), 2);
    }

    #[test]
    fn what_is_not_followed_is_said() {
        let text = "/*@ requires \\valid(p); ensures \\fresh(p, 3); terminates 1; */\nint f(int *p) { return *p; }\n";
        let (program, notes) = woven(text, &["f"]);
        assert_eq!(notes.len(), 3, "{notes:?}");
        assert!(notes[2].contains("assigns"), "{notes:?}");
        assert_eq!(checks(&program), ["requires \\valid(p)"]);
    }
}
