//! Reads everything but code and initialisers.

use super::{Global, Name, Parsed, Parser, Pending};
use crate::code::{FuncId, RegId, VarId};
use crate::program::{
    Check, CheckKind, Definition, Function, Linkage, Note, Origin, Phase, Refusal, Startup, Var,
    VarKind,
};
use crate::text::lex::Tok;
use crate::types::{Field, Record, RecordKind, Types};
use cwolf_base::{Diagnostic, Idx, IndexVec, Span};
use rustc_hash::FxHashMap;

impl Parser {
    /// First pass: the names of records and functions.
    pub(super) fn declare(&mut self) -> Parsed<()> {
        if !self.at_item() {
            return self.wanted("an item (`type`, `global`, `function`, …)");
        }
        if self.eat_word("type") {
            let kind = self.record_kind()?;
            let span = self.span();
            let name = self.name()?;
            let id = self.program.types.records.push(Record {
                name: name.0.clone(),
                kind,
                fields: Vec::new(),
                size: 0,
                align: 1,
                complete: false,
            });
            if self.records.insert(name, id).is_some() {
                return Err(twice(span));
            }
        } else if self.eat_word("function") {
            let span = self.span();
            let name = self.name()?;
            let loc = Idx::new(0);
            let id = self.program.funcs.push(Function {
                definition: Definition::Defined,
                ..Function::declared(name.0.clone(), Types::VOID, loc)
            });
            self.spans.insert((id.0, u32::MAX, u32::MAX), span);
            if self.globals.insert(name, Global::Func(id)).is_some() {
                return Err(twice(span));
            }
        } else {
            self.advance();
        }
        self.skip_item();
        Ok(())
    }

    fn record_kind(&mut self) -> Parsed<RecordKind> {
        if self.eat_word("union") {
            return Ok(RecordKind::Union);
        }
        self.keyword("struct")?;
        Ok(RecordKind::Struct)
    }

    /// Second pass: one item.
    pub(super) fn item(&mut self) -> Parsed<()> {
        if self.eat_word("type") {
            self.record()
        } else if self.eat_word("function") {
            self.function()
        } else if self.eat_word("constructor") {
            self.startup(Phase::Constructor)
        } else if self.eat_word("destructor") {
            self.startup(Phase::Destructor)
        } else if self.eat_word("check") {
            let kind = CheckKind::ALL.iter().find(|k| self.is_quoted(k.name()));
            let Some(kind) = kind.copied() else {
                return self.wanted("a kind of check in quotes, such as \"bounds\"");
            };
            self.advance();
            let text = self.string()?;
            let loc = self.position()?;
            self.program.checks.push(Check { kind, loc, text });
            Ok(())
        } else if self.eat_word("note") {
            let text = self.string()?;
            let loc = self.position()?;
            self.program.notes.push(Note { loc, text });
            Ok(())
        } else {
            let kind = if self.eat_word("global") {
                VarKind::Global
            } else if self.eat_word("literal") {
                VarKind::Literal
            } else {
                self.keyword("static")?;
                VarKind::StaticLocal(FuncId(0))
            };
            let span = self.span();
            let (name, id) = self.var(kind)?;
            match self.globals.insert(name, Global::Var(id)) {
                Some(_) => Err(twice(span)),
                None => Ok(()),
            }
        }
    }

    fn startup(&mut self, phase: Phase) -> Parsed<()> {
        let func = self.function_name()?;
        self.keyword("priority")?;
        let span = self.span();
        let priority = u16::try_from(self.number()?);
        let priority = priority
            .map_err(|_| Box::new(Diagnostic::error(span, "this number does not fit here")))?;
        self.program.startup.push(Startup {
            func,
            phase,
            priority,
        });
        Ok(())
    }

    fn record(&mut self) -> Parsed<()> {
        self.record_kind()?;
        let name = self.name()?;
        let id = *self.records.get(&name).expect("the first pass declared it");
        if self.eat_word("incomplete") {
            self.keyword("align")?;
            self.program.types.records[id].align = self.number()?;
            return Ok(());
        }
        self.keyword("size")?;
        let size = self.number()?;
        self.keyword("align")?;
        let align = self.number()?;
        self.expect("{")?;
        let mut fields = Vec::new();
        while !self.eat("}") {
            let (name, _) = self.name()?;
            self.expect(":")?;
            let ty = self.ty()?;
            let bit_field = self.eat_word("bit");
            self.keyword("at")?;
            let bit_offset = self.number()?;
            fields.push(Field {
                name,
                ty,
                bit_offset,
                bit_field,
            });
        }
        let record = &mut self.program.types.records[id];
        (record.fields, record.size, record.align) = (fields, size, align);
        record.complete = true;
        Ok(())
    }

    /// A variable after the word that says its kind.
    fn var(&mut self, kind: VarKind) -> Parsed<(Name, VarId)> {
        let span = self.span();
        let name = self.name()?;
        let id = if self.eat("#") {
            VarId(self.number32()?)
        } else {
            VarId(self.vars.last().map_or(0, |v| v.0.0.saturating_add(1)))
        };
        self.expect(":")?;
        let ty = self.ty()?;
        let mut var = Var::plain(name.0.clone(), ty, kind, 0, Idx::new(0));
        if kind == VarKind::Global {
            var.linkage = Linkage::External;
        }
        let mut align = None;
        loop {
            if self.eat_word("in") {
                var.kind = VarKind::StaticLocal(self.function_name()?);
            } else if self.eat_word("volatile") {
                var.volatile = true;
            } else if self.eat_word("const") {
                var.constant = true;
            } else if self.eat_word("thread") {
                var.thread_local = true;
            } else if self.eat_word("weakref") {
                var.weak = true;
            } else if self.eat_word("alias") {
                var.alias = Some(self.string()?);
            } else if self.eat_word("align") {
                align = Some(self.number()?);
            } else if self.eat_word("extra") {
                var.extra = self.number()?;
            } else if !self.linkage(&mut var.linkage, &mut var.definition) {
                break;
            }
        }
        // Records may still be incomplete here: the default comes when all are known.
        var.align = align.unwrap_or(0);
        if self.eat("=") {
            self.inits.push((id, self.at));
            while !self.eat("}") {
                if self.peek() == &Tok::End {
                    return self.wanted("`}`");
                }
                self.advance();
            }
        }
        var.loc = self.position()?;
        self.vars.push((id, var, span));
        Ok((name, id))
    }

    fn linkage(&mut self, linkage: &mut Linkage, definition: &mut Definition) -> bool {
        if self.eat_word("internal") {
            *linkage = Linkage::Internal;
        } else if self.eat_word("external") {
            *linkage = Linkage::External;
        } else if self.eat_word("declared") {
            *definition = Definition::Declared;
        } else if self.eat_word("tentative") {
            *definition = Definition::Tentative;
        } else if self.eat_word("weak") {
            *definition = Definition::Weak;
        } else {
            return false;
        }
        true
    }

    fn function_name(&mut self) -> Parsed<FuncId> {
        let span = self.span();
        let name = self.name()?;
        match self.globals.get(&name) {
            Some(Global::Func(id)) => Ok(*id),
            _ => Err(Box::new(Diagnostic::error(
                span,
                "no function of this name is declared",
            ))),
        }
    }

    fn function(&mut self) -> Parsed<()> {
        let id = self.function_name()?;
        self.expect(":")?;
        let mut func = self.program.funcs[id].clone();
        func.ty = self.ty()?;
        loop {
            if self.eat_word("noreturn") {
                func.noreturn = true;
            } else if self.eat_word("weakref") {
                func.weak = true;
            } else if self.eat_word("alias") {
                func.alias = Some(self.string()?);
            } else if self.eat_word("origin") {
                let origin = Origin::ALL.iter().find(|o| self.is_quoted(o.name()));
                let Some(origin) = origin.copied() else {
                    return self.wanted("an origin in quotes, such as \"model\"");
                };
                self.advance();
                func.origin = origin;
            } else if !self.linkage(&mut func.linkage, &mut func.definition) {
                break;
            }
        }
        func.loc = self.position()?;
        if self.eat_word("refused") {
            let reason = self.string()?;
            let loc = self.position()?;
            func.refused = Some(Refusal { reason, loc });
        }
        let mut locals = FxHashMap::default();
        let mut regs: IndexVec<RegId, _> = IndexVec::from(vec![Types::VOID]);
        loop {
            let kind = if self.eat_word("param") {
                VarKind::Param(id)
            } else if self.eat_word("local") {
                VarKind::Local(id)
            } else if self.eat_word("temp") {
                VarKind::Temp(id)
            } else if self.eat_word("reg") {
                if self.peek() != &Tok::Reg(regs.next_id().0) {
                    return self.wanted(&format!("`r#{}`", regs.next_id().0));
                }
                self.advance();
                self.expect(":")?;
                regs.push(self.ty()?);
                continue;
            } else {
                break;
            };
            let span = self.span();
            let (name, var) = self.var(kind)?;
            if locals.insert(name, var).is_some() {
                return Err(twice(span));
            }
            match kind {
                VarKind::Param(_) => func.params.push(var),
                _ => func.locals.push(var),
            }
        }
        self.program.funcs[id] = func;
        if self.eat("{") {
            self.bodies.push(Pending {
                func: id,
                at: self.at,
                locals,
                regs,
            });
            self.skip_item();
        }
        Ok(())
    }

    /// Puts the variables in the order of their numbers.
    pub(super) fn number_vars(&mut self) {
        let mut vars = std::mem::take(&mut self.vars);
        vars.sort_by_key(|v| v.0);
        for (id, mut var, span) in vars {
            if self.program.vars.next_id() != id {
                let message = format!(
                    "the variable number {} is given twice or leaves a gap",
                    id.0
                );
                self.problems.push(Diagnostic::error(span, message));
                return;
            }
            // A type that is too large has no alignment; the verifier says so.
            if var.align == 0 {
                var.align = self.program.types.align_of(var.ty);
            }
            self.program.vars.push(var);
        }
    }
}

fn twice(span: Span) -> Box<Diagnostic> {
    let error = Diagnostic::error(span, "this name is declared twice");
    Box::new(error.hint("number the second one as in `name.1`"))
}
