//! Contracts as code.

use super::formula::{Emitter, Formula, formulas, may_be_assumed};
use super::loops::head;
use super::terms::{Scope, Target, local, target};
use super::{Clause, Contract, LoopContract};
use crate::start::Requirement;
use crate::variable::assign_unknown;
use cwolf_cfront::Outline;
use cwolf_cwi::{
    Block, BlockId, Body, Branch, Expr, ExprKind, FuncId, LocId, Place, Program, Stmt, StmtKind,
    Type, TypeId, Types, VarId,
};

/// Puts contracts into the functions that they belong to; the functions called `replace` get the contract instead of their code.
pub fn weave(program: &mut Program, contracts: &[Contract], replace: &[String]) -> Woven {
    let mut woven = Woven::default();
    for contract in contracts {
        let Some(func) = program.function(&contract.function) else {
            continue;
        };
        if program.funcs[func].body.is_none() {
            continue;
        }
        let mut weaver = Weaver::new(program, func);
        for clause in &contract.clauses {
            weaver.clause(clause, &contract.outline);
        }
        let one = match replace.contains(&contract.function) {
            true => weaver.replace(),
            false => weaver.check(),
        };
        woven.notes.extend(one.notes);
        woven.unchecked.extend(one.unchecked);
    }
    woven
}

/// What contracts say beyond what became code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Woven {
    /// Clauses that are not followed, with the reason, where an answer counts without them.
    pub notes: Vec<String>,
    /// Clauses that should hold and that nothing checks: the function, and what it says.
    pub unchecked: Vec<(String, String)>,
}

struct Weaver<'p> {
    program: &'p mut Program,
    func: FuncId,
    loc: LocId,
    scope: Scope,
    ret: TypeId,
    requires: Vec<(String, Vec<Formula>)>,
    ensures: Vec<(String, Vec<Formula>)>,
    loops: Vec<(BlockId, String, Vec<Formula>)>,
    assigns: Option<Vec<Target>>,
    woven: Woven,
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
            loops: Vec::new(),
            assigns: None,
            woven: Woven::default(),
        }
    }

    fn note(&mut self, what: &str, why: &str) {
        let name = &self.program.funcs[self.func].name;
        self.woven.notes.push(format!(
            "the contract of {name}: `{what}` is not followed: {why}"
        ));
    }

    /// A clause that nothing checks: a proof without it would say too much.
    fn unchecked(&mut self, what: &str, why: &str) {
        let name = self.program.funcs[self.func].name.clone();
        let what = format!("`{what}` in the contract of {name} ({why})");
        self.woven.unchecked.push((name, what));
    }

    fn clause(&mut self, clause: &Clause, outline: &Outline) {
        match clause {
            Clause::Requires(text) => {
                // What callers of the entry function cannot be made to keep is not asserted either.
                if let Err(error) = Requirement::parse(text) {
                    return self.unchecked(&format!("requires {text}"), &error.why);
                }
                let result = self.scope.result.take();
                let before = self.scope.old.len();
                let found = formulas(self.program, self.func, text, &mut self.scope);
                self.scope.result = result;
                match found {
                    Ok(list) if self.scope.old.len() == before => {
                        self.requires.push((text.clone(), list));
                    }
                    Ok(_) => self.unchecked(text, "\\old has no meaning in requires"),
                    Err(why) => self.unchecked(&format!("requires {text}"), &why),
                }
            }
            Clause::Ensures(text) => {
                match formulas(self.program, self.func, text, &mut self.scope) {
                    Ok(list) => self.ensures.push((text.clone(), list)),
                    Err(why) => self.unchecked(&format!("ensures {text}"), &why),
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
            Clause::Loop(one) => {
                for word in &one.others {
                    self.note(word, "it is not supported");
                }
                self.about_loop(one, outline);
            }
            Clause::Other(word) => self.note(word, "it is not supported"),
        }
    }

    fn about_loop(&mut self, one: &LoopContract, outline: &Outline) {
        let Some((head, hidden)) = head(self.program, self.func, outline, one.at) else {
            for text in &one.invariants {
                let why = "the loop was not found in the compiled program";
                self.unchecked(&format!("loop invariant {text}"), why);
            }
            return;
        };
        // A name means what is in scope at the loop.
        let names = hidden.iter().map(|var| {
            let name = &mut self.program.vars[*var].name;
            (*var, std::mem::take(name))
        });
        let names: Vec<(VarId, String)> = names.collect();
        let result = self.scope.result.take();
        for text in &one.invariants {
            let before = self.scope.old.len();
            match formulas(self.program, self.func, text, &mut self.scope) {
                Ok(list) if self.scope.old.len() == before => {
                    self.loops.push((head, text.clone(), list));
                }
                Ok(_) => self.unchecked(text, "\\old has no meaning in a loop invariant"),
                Err(why) => self.unchecked(&format!("loop invariant {text}"), &why),
            }
        }
        self.scope.result = result;
        for (var, name) in names {
            self.program.vars[var].name = name;
        }
    }

    fn stmt(&self, kind: StmtKind) -> Stmt {
        Stmt {
            loc: self.loc,
            kind,
        }
    }

    /// Parameters in `ensures` are what was passed, whatever the code did to them since.
    fn passed(&mut self) -> Vec<(VarId, VarId)> {
        let params = self.program.funcs[self.func].params.clone();
        let mut mentioned: Vec<VarId> = Vec::new();
        for formula in self.ensures.iter_mut().flat_map(|(_, list)| list) {
            formula.for_each_expr_mut(&mut |condition| {
                condition.walk(&mut |e| {
                    if let ExprKind::Load { place, .. } | ExprKind::AddrOf(place) = &e.kind
                        && let Some(var) = place.root()
                        && params.contains(&var)
                        && !mentioned.contains(&var)
                    {
                        mentioned.push(var);
                    }
                });
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
        for formula in self.ensures.iter_mut().flat_map(|(_, list)| list) {
            formula.for_each_expr_mut(&mut |condition| condition.walk_mut(&mut { renamed }));
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

    /// The numbers that quantifiers speak of, then what is required, then what is remembered.
    fn begin(&mut self, body: &mut Body, at: BlockId) -> BlockId {
        let requires = std::mem::take(&mut self.requires);
        let remembered = self.remembered();
        let any = self.scope.any.clone();
        let mut emitter = Emitter {
            program: self.program,
            body,
            loc: self.loc,
        };
        emitter.choose(at, &any);
        let mut end = at;
        for (text, list) in &requires {
            end = emitter.assert(end, &format!("requires {text}"), list);
        }
        body.blocks[end].stmts.extend(remembered);
        end
    }

    /// Asserts the contract where the function begins and returns, and what is said of loops where they begin.
    fn check(mut self) -> Woven {
        let mut body = self.program.funcs[self.func]
            .body
            .take()
            .expect("it was there");
        let entry = Body::ENTRY;
        let moved = moved_to(&mut body, entry);
        // A loop that starts at the first block must not come by the beginning again.
        for block in body.blocks.iter_mut() {
            block.branch.for_each_successor_mut(|to| {
                if *to == entry {
                    *to = moved;
                }
            });
        }
        let returns: Vec<BlockId> = body.blocks.ids().filter(|id| *id != entry).collect();
        let end = self.begin(&mut body, entry);
        body.blocks[end].branch = Branch::Goto(moved);
        let ensures = std::mem::take(&mut self.ensures);
        for id in returns {
            let Branch::Return(value) = body.blocks[id].branch.clone() else {
                continue;
            };
            let loc = body.blocks[id].loc;
            let mut value = value;
            if let (Some(given), Some(result)) = (&value, self.scope.result) {
                let place = Place::var(self.ret, result);
                let kind = StmtKind::Assign(place.clone(), given.clone());
                body.blocks[id].stmts.push(Stmt { loc, kind });
                value = Some(Expr::load(place));
            }
            let mut emitter = Emitter {
                program: self.program,
                body: &mut body,
                loc: self.loc,
            };
            let mut end = id;
            for (text, list) in &ensures {
                end = emitter.assert(end, &format!("ensures {text}"), list);
            }
            body.blocks[end].branch = Branch::Return(value);
        }
        for (head, text, list) in std::mem::take(&mut self.loops) {
            // What was the first block is where its statements are now.
            let head = if head == entry { moved } else { head };
            let rest = moved_to(&mut body, head);
            let loc = body.blocks[head].loc;
            let mut emitter = Emitter {
                program: self.program,
                body: &mut body,
                loc,
            };
            let end = emitter.assert(head, &format!("loop invariant {text}"), &list);
            body.blocks[end].branch = Branch::Goto(rest);
        }
        self.program.funcs[self.func].body = Some(body);
        self.woven
    }

    /// The contract instead of the code.
    fn replace(mut self) -> Woven {
        let Some(assigns) = self.assigns.take() else {
            let why =
                "without `assigns` it is unknown what the function changes, so its code is used";
            self.note("--replace-calls", why);
            return self.check();
        };
        let first = Block {
            stmts: Vec::new(),
            loc: self.loc,
            branch: Branch::Return(None),
        };
        let mut body = Body::new(vec![first]);
        let at = self.begin(&mut body, Body::ENTRY);
        let mut stmts = Vec::new();
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
        body.blocks[at].stmts.extend(stmts);
        let mut end = at;
        for (text, list) in std::mem::take(&mut self.ensures) {
            if !may_be_assumed(&list) {
                let why = "callers cannot be given what holds for all numbers of a range";
                self.note(&format!("ensures {text}"), why);
                continue;
            }
            let mut emitter = Emitter {
                program: self.program,
                body: &mut body,
                loc: self.loc,
            };
            end = emitter.assume(end, &list);
        }
        body.blocks[end].branch = Branch::Return(value);
        self.program.funcs[self.func].body = Some(body);
        // What the code would have to keep is checked where the function is checked.
        self.woven
            .unchecked
            .retain(|(_, what)| what.starts_with("`requires"));
        self.woven
    }
}

/// Moves the statements and the branch of a block to a new one, which is left to be reached.
fn moved_to(body: &mut Body, from: BlockId) -> BlockId {
    let stmts = std::mem::take(&mut body.blocks[from].stmts);
    let block = Block {
        stmts,
        loc: body.blocks[from].loc,
        branch: body.blocks[from].branch.clone(),
    };
    body.blocks.push(block)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::contracts;
    use cwolf_cfront::{Options, compile_text};

    fn woven(text: &str, replace: &[&str]) -> (Program, Woven) {
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
        assert_eq!(notes, Woven::default());
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
        let (program, woven) = woven(text, &["f"]);
        assert_eq!(woven.notes.len(), 2, "{woven:?}");
        assert!(woven.notes[1].contains("assigns"), "{woven:?}");
        // SOUND: nobody may say that the contract holds.
        assert_eq!(woven.unchecked.len(), 1, "{woven:?}");
        assert_eq!(checks(&program), ["requires \\valid(p)"]);
    }

    #[test]
    fn loops_and_quantifiers_become_asserts() {
        let text = "/*@ requires n > 0;\n    ensures \\forall integer i; 0 <= i < n ==> \\result >= a[i];\n    ensures \\exists integer i; 0 <= i < n && \\result == a[i]; */\nint f(int *a, int n)\n{\n  int m = a[0];\n  /*@ loop invariant 1 <= i <= n;\n      loop invariant \\forall integer j; 0 <= j < i ==> m >= a[j];\n      loop variant n - i; */\n  for (int i = 1; i < n; i++)\n    if (a[i] > m) m = a[i];\n  for (int i = 0; i < n; i++) m++;\n  return m;\n}\n";
        let (program, woven) = woven(text, &[]);
        assert!(woven.unchecked.is_empty(), "{woven:?}");
        assert_eq!(woven.notes.len(), 1, "{woven:?}");
        let said = checks(&program);
        let count = |word: &str| said.iter().filter(|t| t.starts_with(word)).count();
        assert_eq!(
            (count("requires"), count("ensures"), count("loop")),
            (1, 2, 3),
            "{said:?}"
        );
    }
}
