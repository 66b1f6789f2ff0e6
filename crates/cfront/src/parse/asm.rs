//! Inline assembly.

use super::{Parsed, Parser};
use crate::ast::{Asm, AsmOperand};
use crate::lex::TokenKind::*;

impl Parser {
    /// `asm volatile goto ("template" : outputs : inputs : clobbers : labels);`
    pub(super) fn asm_statement(&mut self) -> Parsed<Asm> {
        self.bump();
        let mut asm = Asm {
            outputs: Vec::new(),
            inputs: Vec::new(),
            clobbers: Vec::new(),
            labels: Vec::new(),
            template: String::new(),
            volatile: false,
        };
        loop {
            match self.kind() {
                KwVolatile => asm.volatile = true,
                KwInline | KwGoto | KwConst => {}
                _ => break,
            }
            self.bump();
        }
        let open = self.expect(LParen)?;
        asm.template = self.plain_string()?;
        if self.eat(Colon) {
            asm.outputs = self.asm_operands()?;
        }
        if self.eat(Colon) {
            asm.inputs = self.asm_operands()?;
        }
        if self.eat(Colon) && self.kind() == Str {
            loop {
                asm.clobbers.push(self.plain_string()?);
                if !self.eat(Comma) {
                    break;
                }
            }
        }
        if self.eat(Colon) && self.kind() == Ident {
            loop {
                asm.labels.push(self.ident()?);
                if !self.eat(Comma) {
                    break;
                }
            }
        }
        self.expect_close(RParen, open)?;
        self.expect_semi()?;
        Ok(asm)
    }

    /// `[name] "constraint" (expression), …`, perhaps nothing.
    fn asm_operands(&mut self) -> Parsed<Vec<AsmOperand>> {
        let mut operands = Vec::new();
        if matches!(self.kind(), Colon | RParen) {
            return Ok(operands);
        }
        loop {
            let mut name = None;
            if self.kind() == LBracket {
                let open = self.bump();
                name = Some(self.ident()?);
                self.expect_close(RBracket, open)?;
            }
            let constraint = self.plain_string()?;
            let open = self.expect(LParen)?;
            let value = self.expr()?;
            self.expect_close(RParen, open)?;
            operands.push(AsmOperand {
                name,
                constraint,
                value,
            });
            if !self.eat(Comma) {
                return Ok(operands);
            }
        }
    }
}
