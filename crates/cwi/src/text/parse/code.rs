//! Reads initialisers, blocks, statements and branches.

use super::{Global, Parsed, Parser, Pending};
use crate::code::{
    Block, BlockId, Body, Branch, Callee, Case, CheckId, Expr, ExprKind, FuncId, RESULT, RegId,
    Stmt, StmtKind, VarId,
};
use crate::program::{InitItem, InitValue};
use crate::text::expr::UNREACHABLE;
use crate::text::lex::Tok;
use crate::types::{Type, TypeId, Types};
use cwolf_base::{Diagnostic, IndexVec};

impl Parser {
    /// Last pass: initialisers and code.
    pub(super) fn code(&mut self) {
        for (var, at) in std::mem::take(&mut self.inits) {
            self.at = at;
            match self.init() {
                Ok(items) => self.program.vars[var].init = items,
                Err(problem) => self.problems.push(*problem),
            }
        }
        for pending in std::mem::take(&mut self.bodies) {
            if self.problems.len() >= 20 {
                return;
            }
            match self.body(pending) {
                Ok((func, body)) => self.program.funcs[func].body = Some(body),
                Err(problem) => self.problems.push(*problem),
            }
        }
    }

    fn init(&mut self) -> Parsed<Vec<InitItem>> {
        self.expect("{")?;
        let mut items = Vec::new();
        while !self.eat("}") {
            let bit_offset = self.number()?;
            self.expect(":")?;
            let ty = self.ty()?;
            let value = self.init_value(ty)?;
            items.push(InitItem {
                bit_offset,
                ty,
                value,
            });
        }
        Ok(items)
    }

    fn init_value(&mut self, ty: TypeId) -> Parsed<InitValue> {
        if let Tok::Quoted(bytes) = self.peek() {
            let bytes = bytes.to_vec();
            self.advance();
            return Ok(InitValue::Bytes(bytes));
        }
        if !self.eat("&") {
            return Ok(match self.constant(Some(ty))?.kind {
                ExprKind::Float(bits) => InitValue::Float(bits),
                ExprKind::Int(v) => InitValue::Int(v),
                _ => return self.wanted("a constant"),
            });
        }
        let span = self.span();
        let name = self.name()?;
        match self.globals.get(&name).copied() {
            Some(Global::Func(f)) => Ok(InitValue::Func(f)),
            Some(Global::Var(v)) => {
                let sign = match self.peek() {
                    Tok::Punct("+") => 1,
                    Tok::Punct("-") => -1,
                    _ => return Ok(InitValue::Addr(v, 0)),
                };
                self.advance();
                let span = self.span();
                let n = i128::from(self.number()?) * sign;
                match i64::try_from(n) {
                    Ok(n) => Ok(InitValue::Addr(v, n)),
                    Err(_) => Err(Box::new(Diagnostic::error(
                        span,
                        "this number is too large",
                    ))),
                }
            }
            None => Err(Box::new(Diagnostic::error(
                span,
                "nothing of this name is declared",
            ))),
        }
    }

    fn body(&mut self, pending: Pending) -> Parsed<(FuncId, Body)> {
        self.at = pending.at;
        self.locals = pending.locals;
        self.regs = pending.regs;
        let func = pending.func;
        let mut blocks: IndexVec<BlockId, Block> = IndexVec::new();
        while !self.eat("}") {
            let id = blocks.next_id();
            if self.block_name()? != id {
                self.at -= 1;
                return self.wanted(&format!("`block_{}`", id.0));
            }
            self.expect(":")?;
            let mut stmts = Vec::new();
            let branch = loop {
                let start = self.at;
                let branch = self.branch(func)?;
                let stmt = if branch.is_none() {
                    Some(self.stmt()?)
                } else {
                    None
                };
                let loc = self.position()?;
                let span = self.span_from(start);
                self.spans.insert((func.0, id.0, stmts.len() as u32), span);
                match (branch, stmt) {
                    (Some(branch), _) => break (branch, loc),
                    (None, Some(kind)) => stmts.push(Stmt { loc, kind }),
                    (None, None) => unreachable!("one of them was read"),
                }
            };
            blocks.push(Block {
                stmts,
                loc: branch.1,
                branch: branch.0,
            });
        }
        let regs = std::mem::take(&mut self.regs);
        Ok((func, Body { regs, blocks }))
    }

    fn block_name(&mut self) -> Parsed<BlockId> {
        let number = match self.peek() {
            Tok::Word(w) => w.strip_prefix("block_").and_then(|n| n.parse().ok()),
            _ => None,
        };
        match number {
            Some(n) => {
                self.advance();
                Ok(BlockId(n))
            }
            None => self.wanted("a block"),
        }
    }

    fn goto(&mut self) -> Parsed<BlockId> {
        self.keyword("goto")?;
        self.block_name()
    }

    fn stmt(&mut self) -> Parsed<StmtKind> {
        if self.eat_word("live") {
            return Ok(StmtKind::Live(self.automatic()?));
        }
        if self.eat_word("dead") {
            return Ok(StmtKind::Dead(self.automatic()?));
        }
        if self.eat_word("assert") {
            self.expect("#")?;
            let check = CheckId(self.number32()?);
            let cond = self.parenthesised()?;
            return Ok(StmtKind::Assert { check, cond });
        }
        if self.eat_word("assume") {
            return Ok(StmtKind::Assume(self.parenthesised()?));
        }
        if self.eat_word("havoc") {
            self.expect("(")?;
            let ptr = self.expr()?;
            let size = match self.eat(",") {
                true => Some(self.expr()?),
                false => None,
            };
            self.expect(")")?;
            return Ok(StmtKind::Havoc { ptr, size });
        }
        if let (Tok::Reg(n), Tok::Punct("=")) = (self.peek().clone(), self.peek_at(1)) {
            let reg = RegId(n);
            let Some(ty) = self.regs.get(reg).copied() else {
                return self.error("this register is not declared");
            };
            self.advance();
            self.advance();
            return Ok(StmtKind::SetReg(reg, self.whole(ty)?));
        }
        let start = self.at;
        let left = self.unary()?.expr;
        let ExprKind::Load {
            place,
            volatile: false,
        } = left.kind
        else {
            let span = self.span_from(start);
            return Err(Box::new(Diagnostic::error(
                span,
                "this is not a place to assign to",
            )));
        };
        self.expect("=")?;
        let right = self.whole(place.ty)?;
        Ok(StmtKind::Assign(place, right))
    }

    fn automatic(&mut self) -> Parsed<VarId> {
        let span = self.span();
        let name = self.name()?;
        let message = "no automatic variable of this name is declared";
        let error = || Box::new(Diagnostic::error(span, message));
        self.locals.get(&name).copied().ok_or_else(error)
    }

    /// The right side of an assignment to something of type `ty`.
    fn whole(&mut self, ty: TypeId) -> Parsed<Expr> {
        if self.peek() == &Tok::Reg(RESULT.0) && self.peek_at(1) != &Tok::Punct(":") {
            // Only if it is really the whole: `r#0 + 1` needs the type written.
            let whole = matches!(self.peek_at(1), Tok::Punct("@" | ")"));
            if whole {
                self.advance();
                return Ok(Expr::reg(ty, RESULT));
            }
        }
        self.expr()
    }

    fn parenthesised(&mut self) -> Parsed<Expr> {
        self.expect("(")?;
        let e = self.expr()?;
        self.expect(")")?;
        Ok(e)
    }

    /// The branch here, if one starts here.
    fn branch(&mut self, func: FuncId) -> Parsed<Option<Branch>> {
        if self.is_word("goto") {
            return Ok(Some(Branch::Goto(self.goto()?)));
        }
        Ok(Some(if self.eat_word("if") {
            let cond = self.parenthesised()?;
            self.keyword("then")?;
            let then = self.goto()?;
            self.keyword("else")?;
            let els = self.goto()?;
            Branch::If { cond, then, els }
        } else if self.eat_word("switch") {
            self.switch()?
        } else if self.eat_word("call") {
            self.call()?
        } else if self.eat_word("return") {
            if !self.eat("(") {
                return Ok(Some(Branch::Return(None)));
            }
            let ret = match &self.program.types[self.program.funcs[func].ty] {
                Type::Func(ty) => ty.ret,
                _ => Types::VOID,
            };
            let value = self.whole(ret)?;
            self.expect(")")?;
            Branch::Return(Some(value))
        } else if self.eat_word("halt") {
            Branch::Halt(self.parenthesised()?)
        } else if self.eat_word("unreachable") {
            let why = UNREACHABLE.iter().find(|u| self.is_word(u.0));
            let Some(why) = why else {
                return self.wanted("`promised`, `trap`, `badgoto` or `returned`");
            };
            self.advance();
            Branch::Unreachable(why.1)
        } else {
            return Ok(None);
        }))
    }

    fn switch(&mut self) -> Parsed<Branch> {
        let on = self.parenthesised()?;
        let mut cases = Vec::new();
        while self.eat_word("case") {
            let lo = self.int(on.ty)?;
            let hi = if self.eat("..") { self.int(on.ty)? } else { lo };
            self.expect(":")?;
            let target = self.goto()?;
            cases.push(Case { lo, hi, target });
        }
        self.keyword("default")?;
        self.expect(":")?;
        let default = self.goto()?;
        Ok(Branch::Switch { on, cases, default })
    }

    fn call(&mut self) -> Parsed<Branch> {
        let span = self.span();
        let (callee, ty) = if self.peek() == &Tok::Punct("(") {
            let e = self.parenthesised()?;
            let ty = self.program.types.pointee(e.ty);
            (Callee::Indirect(e), ty)
        } else {
            let name = self.name()?;
            match self.globals.get(&name) {
                Some(Global::Func(f)) => (Callee::Direct(*f), Some(self.program.funcs[*f].ty)),
                _ => {
                    let error = Diagnostic::error(span, "no function of this name is declared");
                    return Err(Box::new(
                        error.hint("put a function pointer in parentheses"),
                    ));
                }
            }
        };
        let ret = match ty.map(|ty| &self.program.types[ty]) {
            Some(Type::Func(ty)) => ty.ret,
            _ => return Err(Box::new(Diagnostic::error(span, "this is not a function"))),
        };
        self.expect("(")?;
        let mut args = Vec::new();
        if !self.eat(")") {
            args.push(self.expr()?);
            while self.eat(",") {
                args.push(self.expr()?);
            }
            self.expect(")")?;
        }
        let next = if self.eat("->") {
            Some(self.block_name()?)
        } else {
            None
        };
        Ok(Branch::Call {
            callee,
            args,
            ret,
            next,
        })
    }
}
