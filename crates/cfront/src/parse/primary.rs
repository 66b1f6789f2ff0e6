//! Primary and postfix expressions.

use super::{Parsed, Parser};
use crate::ast::{CharKind, Designator, Expr, ExprKind, TypeName};
use crate::lex::TokenKind::*;
use crate::lex::literal::{self, Decoded};
use crate::lex::number::{self, Number as Value};

impl Parser {
    /// A primary expression with `[…]`, `(…)`, `.`, `->`, `++` and `--` after it.
    pub(super) fn postfix(&mut self) -> Parsed<Expr> {
        self.chain(|p| {
            let start = p.at;
            let primary = p.primary()?;
            p.suffixes(start, primary)
        })
    }

    fn suffixes(&mut self, start: usize, mut base: Expr) -> Parsed<Expr> {
        loop {
            let token = self.token();
            let kind = match token.kind {
                LBracket => {
                    self.bump();
                    let index = self.expr()?;
                    self.expect_close(RBracket, token)?;
                    ExprKind::Index(Box::new(base), Box::new(index))
                }
                LParen => {
                    self.bump();
                    let args = self.call_args()?;
                    self.expect_close(RParen, token)?;
                    ExprKind::Call(Box::new(base), args)
                }
                Dot | Arrow => {
                    self.bump();
                    let name = self.ident()?;
                    ExprKind::Member {
                        base: Box::new(base),
                        name,
                        arrow: token.kind == Arrow,
                    }
                }
                PlusPlus | MinusMinus => {
                    self.bump();
                    ExprKind::IncDec {
                        operand: Box::new(base),
                        increment: token.kind == PlusPlus,
                        prefix: false,
                    }
                }
                _ => return Ok(base),
            };
            self.link()?;
            base = self.expr_from(start, kind);
        }
    }

    fn call_args(&mut self) -> Parsed<Vec<Expr>> {
        let mut args = Vec::new();
        if self.kind() == RParen {
            return Ok(args);
        }
        loop {
            args.push(self.assignment()?);
            if !self.eat(Comma) {
                return Ok(args);
            }
        }
    }

    /// `(type){ … }` with what follows it; the type was read, `start` is the index of its `(`.
    pub(super) fn compound_literal(&mut self, start: usize, ty: Box<TypeName>) -> Parsed<Expr> {
        self.chain(|p| {
            let init = Box::new(p.nested(Parser::initializer_list)?);
            let literal = p.expr_from(start, ExprKind::CompoundLiteral(ty, init));
            p.suffixes(start, literal)
        })
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let start = self.at;
        let token = self.token();
        let kind = match token.kind {
            Ident => {
                self.bump();
                ExprKind::Name(token.name)
            }
            Number => {
                self.bump();
                match number::parse(self.tokens.text(token)) {
                    Ok(Value::Int(int)) => ExprKind::Int(int),
                    Ok(Value::Float {
                        text,
                        suffix,
                        imaginary,
                    }) => ExprKind::Float {
                        text,
                        suffix,
                        imaginary,
                    },
                    Err(message) => return Err(self.error(token.span(), message)),
                }
            }
            Char => self.char_constant(),
            Str => {
                let (units, kind) = self.string()?;
                ExprKind::Str(units, kind)
            }
            LParen => return self.parenthesized(),
            KwFuncName => {
                self.bump();
                ExprKind::FuncName
            }
            KwTrue | KwFalse => {
                self.bump();
                ExprKind::Bool(token.kind == KwTrue)
            }
            KwNullptr => {
                self.bump();
                ExprKind::Nullptr
            }
            KwGeneric => self.generic()?,
            KwOffsetof => self.offsetof()?,
            KwVaArg => {
                self.bump();
                let open = self.expect(LParen)?;
                let list = self.assignment()?;
                self.expect(Comma)?;
                let ty = self.type_name()?;
                self.expect_close(RParen, open)?;
                ExprKind::VaArg(Box::new(list), Box::new(ty))
            }
            KwTypesCompatible => {
                self.bump();
                let open = self.expect(LParen)?;
                let a = self.type_name()?;
                self.expect(Comma)?;
                let b = self.type_name()?;
                self.expect_close(RParen, open)?;
                ExprKind::TypesCompatible(Box::new(a), Box::new(b))
            }
            KwChooseExpr => {
                self.bump();
                let open = self.expect(LParen)?;
                let condition = self.assignment()?;
                self.expect(Comma)?;
                let yes = self.assignment()?;
                self.expect(Comma)?;
                let no = self.assignment()?;
                self.expect_close(RParen, open)?;
                ExprKind::ChooseExpr(Box::new(condition), Box::new(yes), Box::new(no))
            }
            KwConvertVector => {
                self.bump();
                let open = self.expect(LParen)?;
                let value = self.assignment()?;
                self.expect(Comma)?;
                let ty = self.type_name()?;
                self.expect_close(RParen, open)?;
                ExprKind::ConvertVector(Box::new(value), Box::new(ty))
            }
            _ => return Err(self.expected("an expression")),
        };
        Ok(self.expr_from(start, kind))
    }

    /// `(e)` or `({ … })`.
    fn parenthesized(&mut self) -> Parsed<Expr> {
        let start = self.at;
        let open = self.bump();
        let kind = if self.kind() == LBrace {
            let block = self.nested(Parser::block)?;
            ExprKind::StmtExpr(Box::new(block))
        } else {
            ExprKind::Paren(Box::new(self.expr()?))
        };
        self.expect_close(RParen, open)?;
        Ok(self.expr_from(start, kind))
    }

    fn char_constant(&mut self) -> ExprKind {
        let token = self.bump();
        let text = self.tokens.text(token);
        let empty = literal::is_empty(text);
        let signed = self.session.options.target.char_signed;
        let (value, kind, problems) = literal::char_value(text, signed);
        if empty {
            self.error(token.span(), "a character constant without a character");
        }
        for problem in problems {
            self.session.warn(token.span(), problem);
        }
        ExprKind::Char(value, kind)
    }

    /// Adjacent strings as one. If one of them has a prefix, all have it.
    pub(super) fn string(&mut self) -> Parsed<(Vec<u32>, CharKind)> {
        let start = self.at;
        if self.kind() != Str {
            return Err(self.expected("a string"));
        }
        let mut kind = CharKind::Plain;
        while self.kind() == Str {
            let token = self.bump();
            match literal::kind_of(self.tokens.text(token)) {
                CharKind::Plain => {}
                other if kind == CharKind::Plain || kind == other => kind = other,
                _ => {
                    let message = "adjacent strings with different prefixes";
                    return Err(self.error(token.span(), message));
                }
            }
        }
        let mut decoded = Decoded {
            units: Vec::new(),
            problems: Vec::new(),
        };
        for at in start..self.at {
            let token = self.tokens.list[at];
            literal::decode(self.tokens.text(token), kind, &mut decoded);
            for problem in decoded.problems.drain(..) {
                self.session.warn(token.span(), problem);
            }
        }
        Ok((decoded.units, kind))
    }

    /// A string as text, for messages and assembly.
    pub(super) fn plain_string(&mut self) -> Parsed<String> {
        let (units, kind) = self.string()?;
        Ok(match kind {
            CharKind::Plain | CharKind::Utf8 => {
                let bytes: Vec<u8> = units.iter().map(|&u| u as u8).collect();
                String::from_utf8_lossy(&bytes).into_owned()
            }
            CharKind::Utf16 => {
                let units: Vec<u16> = units.iter().map(|&u| u as u16).collect();
                String::from_utf16_lossy(&units)
            }
            CharKind::Utf32 | CharKind::Wide => units
                .iter()
                .map(|&u| char::from_u32(u).unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect(),
        })
    }

    /// `_Generic(e, type: a, default: b)`
    fn generic(&mut self) -> Parsed<ExprKind> {
        self.bump();
        let open = self.expect(LParen)?;
        let control = Box::new(self.assignment()?);
        let mut associations = Vec::new();
        while self.eat(Comma) {
            let ty = match self.eat(KwDefault) {
                true => None,
                false => Some(self.type_name()?),
            };
            self.expect(Colon)?;
            associations.push((ty, self.assignment()?));
        }
        self.expect_close(RParen, open)?;
        Ok(ExprKind::Generic {
            control,
            associations,
        })
    }

    /// `__builtin_offsetof(type, a.b[2])`
    fn offsetof(&mut self) -> Parsed<ExprKind> {
        self.bump();
        let open = self.expect(LParen)?;
        let ty = Box::new(self.type_name()?);
        self.expect(Comma)?;
        let mut path = vec![Designator::Field(self.ident()?)];
        loop {
            let token = self.token();
            match token.kind {
                Dot => {
                    self.bump();
                    path.push(Designator::Field(self.ident()?));
                }
                LBracket => {
                    self.bump();
                    path.push(Designator::Index(self.expr()?));
                    self.expect_close(RBracket, token)?;
                }
                _ => break,
            }
        }
        self.expect_close(RParen, open)?;
        Ok(ExprKind::Offsetof(ty, path))
    }
}
