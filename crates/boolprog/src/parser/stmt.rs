//! Statements and blocks.

use super::{Parse, Parser};
use crate::lexer::Token;
use crate::{Builder, Expr, Source, StmtId, StmtKind, Var, names, print};
use cwolf_base::{Diagnostic, Span};

/// What the left side of an assignment turned out to be.
struct Left {
    vars: Vec<Option<Var>>,
    ignored: Option<Span>,
}

impl<'a> Parser<'a> {
    fn at_end(&self, ends: &[&str]) -> bool {
        ends.iter().any(|end| match *end {
            "}" => self.at("}"),
            word => self.at_word(word),
        })
    }
    /// Statements up to one of `ends`, which is consumed and returned.
    pub(super) fn block(
        &mut self,
        builder: &mut Builder,
        ends: &[&'static str],
    ) -> Parse<&'static str> {
        loop {
            if let Some(end) = ends.iter().find(|end| self.at_end(&[end])) {
                self.bump();
                return Ok(end);
            }
            if self.token == Token::End || self.messages.errors() >= self.limit {
                return Err(self.expected(&format!("`{}`", ends[0])));
            }
            let (before, open) = (self.span, builder.depth());
            if self.stmt(builder).is_err() {
                while builder.depth() > open {
                    builder.end();
                }
                self.recover_stmt();
                if self.span == before {
                    self.bump();
                }
            }
        }
    }
    /// Skips past the next `;`, or to what ends a block.
    fn recover_stmt(&mut self) {
        loop {
            if self.token == Token::End || self.at("}") || self.eat(";") {
                return;
            }
            if self.at_any_word(&["end", "fi", "od", "else", "elsif"]) {
                return;
            }
            self.bump();
        }
    }

    fn stmt(&mut self, builder: &mut Builder) -> Parse<()> {
        let start = self.span;
        if self.at_word("bool") || self.at_word("decl") {
            self.bump();
            return self.local_decl(builder);
        }
        if self.eat_word("enforce") {
            let condition = self.expr()?;
            builder.enforce(condition);
            return self.semicolon();
        }
        if self.at_word("if") {
            return self.nested(|p| p.if_stmt(builder));
        }
        if self.at_word("while") {
            return self.nested(|p| p.while_stmt(builder));
        }
        if let Some(kind) = self.simple(builder)? {
            let id = builder.stmt(kind);
            self.mark(id, start.to(self.last));
            self.semicolon()?;
            self.attach(builder, id);
        }
        Ok(())
    }
    /// The end of a statement; the last statement of a block of the old dialect may do without.
    fn semicolon(&mut self) -> Parse<()> {
        if self.at_any_word(&["end", "fi", "od", "else", "elsif"]) {
            return Ok(());
        }
        self.expect(";")
    }
    /// Attaches the comment behind the token just read to `id`.
    fn attach(&mut self, builder: &mut Builder, id: StmtId) {
        if let Some(source) = self.comment() {
            builder.source(id, source);
        }
    }
    fn comment(&self) -> Option<Source> {
        print::read_comment(self.lexer.trailing_comment(self.last)?)
    }
    fn local_decl(&mut self, builder: &mut Builder) -> Parse<()> {
        loop {
            let (name, span) = self.name("a variable")?;
            let id = builder.local(name);
            self.declare_local(name, id, span);
            if !self.eat(",") {
                return self.semicolon();
            }
        }
    }

    /// A statement without blocks; a label alone gives none.
    fn simple(&mut self, builder: &mut Builder) -> Parse<Option<StmtKind>> {
        if self.eat_word("skip") {
            return Ok(Some(StmtKind::Skip));
        }
        if self.eat_word("assume") {
            return Ok(Some(StmtKind::Assume(self.expr()?)));
        }
        if self.eat_word("assert") {
            return Ok(Some(StmtKind::Assert(self.expr()?)));
        }
        if self.eat_word("goto") {
            let mut labels = Vec::new();
            loop {
                let (name, _) = self.name("a label")?;
                labels.push(builder.label_id(name));
                if !self.eat(",") {
                    return Ok(Some(StmtKind::Goto(labels)));
                }
            }
        }
        if self.eat_word("return") {
            let none = self.at(";") || self.at_any_word(&["end", "fi", "od", "else", "elsif"]);
            let values = if none { Vec::new() } else { self.exprs()? };
            return Ok(Some(StmtKind::Return(values)));
        }
        if self.eat_word("dead") {
            return self.dead().map(Some);
        }
        self.assignment(builder)
    }
    /// `dead x, y`: nobody will read these, so any value will do.
    fn dead(&mut self) -> Parse<StmtKind> {
        let mut targets = Vec::new();
        loop {
            let (name, span) = self.name("a variable")?;
            targets.push(self.var(name, span)?);
            if !self.eat(",") {
                break;
            }
        }
        let values = vec![Expr::Unknown; targets.len()];
        Ok(StmtKind::Assign {
            targets,
            values,
            constrain: None,
        })
    }
    fn exprs(&mut self) -> Parse<Vec<Expr>> {
        let mut list = vec![self.expr()?];
        while self.eat(",") {
            list.push(self.expr()?);
        }
        Ok(list)
    }
    /// A label, a call, or an assignment of values or of the results of a call.
    fn assignment(&mut self, builder: &mut Builder) -> Parse<Option<StmtKind>> {
        if self.at_any_word(&[
            "start_thread",
            "end_thread",
            "atomic_begin",
            "atomic_end",
            "sync",
        ]) {
            let message = Diagnostic::error(self.span, "threads are not supported");
            return Err(self.error(message.hint("only sequential boolean programs can be read")));
        }
        self.eat_word("call");
        if self.at_name() {
            let (name, span) = self.name("a statement")?;
            if self.eat(":") {
                if builder.is_placed(name) {
                    self.duplicate("label", name, span);
                }
                builder.label(name);
                return Ok(None);
            }
            if self.at("(") {
                return self.call(Vec::new(), name, span).map(Some);
            }
            let first = self.var(name, span)?;
            return self.assign_rest(vec![Some(first)]).map(Some);
        }
        if self.eat_word("_") {
            return self.assign_rest(vec![None]).map(Some);
        }
        Err(self.expected("a statement"))
    }
    fn assign_rest(&mut self, vars: Vec<Option<Var>>) -> Parse<StmtKind> {
        let mut left = Left {
            ignored: vars[0].is_none().then_some(self.last),
            vars,
        };
        while self.eat(",") {
            if self.eat_word("_") {
                left.ignored = Some(self.last);
                left.vars.push(None);
                continue;
            }
            let (name, span) = self.name("a variable")?;
            left.vars.push(Some(self.var(name, span)?));
        }
        if !self.eat(":=") && !self.eat("=") {
            return Err(self.expected("`=`"));
        }
        self.eat_word("call");
        // A name in front of a parenthesis is a procedure; anything else starts an expression.
        if self.at_name() {
            let (name, span) = self.name("a value")?;
            if self.at("(") {
                return self.call(left.vars, name, span);
            }
            self.reread(span);
        }
        if let Some(span) = left.ignored {
            let message = "only the result of a call can be ignored";
            return Err(self.error(Diagnostic::error(span, message)));
        }
        let values = self.exprs()?;
        let constrain = match self.eat_word("constrain") {
            true => Some(self.expr()?),
            false => None,
        };
        Ok(StmtKind::Assign {
            targets: left.vars.into_iter().flatten().collect(),
            values,
            constrain,
        })
    }
    /// Steps back to the token that starts at `span`.
    fn reread(&mut self, span: Span) {
        self.lexer.seek(span.lo);
        self.bump();
    }
    fn call(&mut self, results: Vec<Option<Var>>, name: &str, span: Span) -> Parse<StmtKind> {
        self.expect("(")?;
        let args = if self.at(")") {
            Vec::new()
        } else {
            self.exprs()?
        };
        self.expect(")")?;
        let callees = &mut self.callees;
        let callee = *self
            .callee_ids
            .entry(names::key(name))
            .or_insert_with(|| callees.push((name.into(), span)));
        Ok(StmtKind::Call {
            results,
            callee,
            args,
        })
    }

    fn if_stmt(&mut self, builder: &mut Builder) -> Parse<()> {
        let start = self.span;
        self.bump();
        let condition = self.expr()?;
        let id = builder.begin_if(condition);
        self.mark(id, start.to(self.last));
        if self.eat_word("then") {
            self.attach(builder, id);
            let end = self.block(builder, &["fi", "else", "elsif"])?;
            match end {
                "else" => {
                    builder.begin_else();
                    self.block(builder, &["fi"])?;
                }
                "elsif" => {
                    // `elsif` is an `if` in the other branch, and its `fi` closes both.
                    builder.begin_else();
                    self.reread(self.last);
                    return self.elsif(builder);
                }
                _ => {}
            }
            builder.end();
            self.eat(";");
            return Ok(());
        }
        if !self.eat("{") {
            return Err(self.expected("`{` or `then`"));
        }
        self.attach(builder, id);
        self.block(builder, &["}"])?;
        if self.eat_word("else") {
            builder.begin_else();
            if self.at_word("if") {
                self.nested(|p| p.if_stmt(builder))?;
            } else {
                self.expect("{")?;
                self.block(builder, &["}"])?;
            }
        }
        builder.end();
        Ok(())
    }
    /// The rest of an `if` from `elsif` on; closes the enclosing `if` too.
    fn elsif(&mut self, builder: &mut Builder) -> Parse<()> {
        self.nested(|p| p.if_stmt(builder))?;
        builder.end();
        Ok(())
    }
    fn while_stmt(&mut self, builder: &mut Builder) -> Parse<()> {
        let start = self.span;
        self.bump();
        let condition = self.expr()?;
        let id = builder.begin_while(condition);
        self.mark(id, start.to(self.last));
        let end = if self.eat_word("do") { "od" } else { "}" };
        if end == "}" && !self.eat("{") {
            return Err(self.expected("`{` or `do`"));
        }
        self.attach(builder, id);
        self.block(builder, &[end])?;
        builder.end();
        if end == "od" {
            self.eat(";");
        }
        Ok(())
    }
}
