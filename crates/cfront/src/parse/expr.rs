//! Expressions with operators, from the comma down to the cast.

use super::{Parsed, Parser, ident_of};
use crate::ast::{Expr, ExprKind, UnaryOp};
use crate::lex::TokenKind::{self, *};
use crate::lex::Tokens;
use crate::session::Session;
use cwolf_base::Span;
use cwolf_cwi::BinOp;

impl Parser {
    /// Any expression, commas included.
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.nested(|p| {
            let mut left = p.assignment_here()?;
            while p.eat(Comma) {
                let right = p.assignment_here()?;
                p.link()?;
                let span = left.span.to(right.span);
                let kind = ExprKind::Comma(Box::new(left), Box::new(right));
                left = Expr { kind, span };
            }
            Ok(left)
        })
    }

    /// An expression without a comma outside parentheses.
    pub(super) fn assignment(&mut self) -> Parsed<Expr> {
        self.nested(Parser::assignment_here)
    }

    fn assignment_here(&mut self) -> Parsed<Expr> {
        let left = self.conditional_here()?;
        let Some(op) = assign_op(self.kind()) else {
            return Ok(left);
        };
        self.bump();
        let right = self.assignment()?;
        let span = left.span.to(right.span);
        let kind = ExprKind::Assign(op, Box::new(left), Box::new(right));
        Ok(Expr { kind, span })
    }

    /// An expression without assignment, as constants are.
    pub(super) fn conditional(&mut self) -> Parsed<Expr> {
        self.nested(Parser::conditional_here)
    }

    /// Reads `a ? b : c ? d : e` in a loop, so that long tables written this way do not recurse.
    fn conditional_here(&mut self) -> Parsed<Expr> {
        let first = self.binary(1)?;
        if self.kind() != Question {
            return Ok(first);
        }
        self.chain(|p| {
            let mut arms = Vec::new();
            let mut last = first;
            while p.eat(Question) {
                let middle = match p.kind() {
                    Colon => None,
                    _ => Some(Box::new(p.expr()?)),
                };
                p.expect(Colon)?;
                arms.push((last, middle));
                p.link()?;
                last = p.binary(1)?;
            }
            while let Some((condition, middle)) = arms.pop() {
                let span = condition.span.to(last.span);
                let kind = ExprKind::Conditional(Box::new(condition), middle, Box::new(last));
                last = Expr { kind, span };
            }
            Ok(last)
        })
    }

    /// Operators that bind at least as tightly as `least`, by precedence climbing.
    fn binary(&mut self, least: u8) -> Parsed<Expr> {
        self.chain(|p| {
            let mut left = p.cast()?;
            while let Some((op, precedence)) = binary_op(p.kind()) {
                if precedence < least {
                    break;
                }
                p.bump();
                // All of C's binary operators group to the left.
                let right = p.binary(precedence + 1)?;
                p.link()?;
                let span = left.span.to(right.span);
                let kind = ExprKind::Binary(op, Box::new(left), Box::new(right));
                left = Expr { kind, span };
            }
            Ok(left)
        })
    }

    /// An expression that is a whole text and binds at least as tightly as a cast, read with the
    /// typedefs of the file before it; messages are dropped.
    pub fn operand(&mut self, session: &mut Session, tokens: Tokens) -> Option<Expr> {
        (self.tokens, self.at, self.height) = (tokens, 0, 0);
        std::mem::swap(&mut self.session, session);
        let kept = std::mem::take(&mut self.session.diagnostics);
        let found = self.cast().ok().filter(|_| self.kind() == Eof);
        self.session.diagnostics = kept;
        std::mem::swap(&mut self.session, session);
        found
    }
    /// A cast, or what it may apply to.
    fn cast(&mut self) -> Parsed<Expr> {
        if self.kind() != LParen || !self.at_type(1) {
            return self.unary();
        }
        let start = self.at;
        let ty = Box::new(self.parenthesized_type()?);
        if self.kind() == LBrace {
            return self.compound_literal(start, ty);
        }
        let operand = self.nested(Parser::cast)?;
        let span = self.tokens.list[start].span().to(operand.span);
        let kind = ExprKind::Cast(ty, Box::new(operand));
        Ok(Expr { kind, span })
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let start = self.at;
        let op = match self.kind() {
            Amp => UnaryOp::AddrOf,
            Star => UnaryOp::Deref,
            Plus => UnaryOp::Plus,
            Minus => UnaryOp::Neg,
            Tilde => UnaryOp::BitNot,
            Bang => UnaryOp::Not,
            KwReal => UnaryOp::Real,
            KwImag => UnaryOp::Imag,
            KwExtension => UnaryOp::Extension,
            PlusPlus | MinusMinus => {
                let increment = self.bump().kind == PlusPlus;
                let operand = Box::new(self.nested(Parser::unary)?);
                let kind = ExprKind::IncDec {
                    operand,
                    increment,
                    prefix: true,
                };
                return Ok(self.expr_from(start, kind));
            }
            AndAnd if self.ahead_kind(1) == Ident => {
                self.bump();
                let label = ident_of(self.bump());
                return Ok(self.expr_from(start, ExprKind::LabelAddr(label)));
            }
            KwSizeof | KwAlignof => return self.size_or_align(),
            _ => return self.postfix(),
        };
        self.bump();
        let operand = self.nested(Parser::cast)?;
        let kind = ExprKind::Unary(op, Box::new(operand));
        Ok(self.expr_from(start, kind))
    }

    /// `sizeof` and `_Alignof` of a type or an expression.
    fn size_or_align(&mut self) -> Parsed<Expr> {
        let start = self.at;
        let sizeof = self.bump().kind == KwSizeof;
        let kind = if self.kind() == LParen && self.at_type(1) {
            let open = self.at;
            let ty = Box::new(self.parenthesized_type()?);
            // `sizeof (T){1}` is the size of a compound literal.
            if self.kind() == LBrace {
                let operand = Box::new(self.compound_literal(open, ty)?);
                of_expr(sizeof, operand)
            } else if sizeof {
                ExprKind::SizeofType(ty)
            } else {
                ExprKind::AlignofType(ty)
            }
        } else {
            of_expr(sizeof, Box::new(self.nested(Parser::unary)?))
        };
        Ok(self.expr_from(start, kind))
    }

    /// `kind` with the span from the token at index `start` to here.
    pub(super) fn expr_from(&self, start: usize, kind: ExprKind) -> Expr {
        let span: Span = self.span_from(start);
        Expr { kind, span }
    }
}

fn of_expr(sizeof: bool, operand: Box<Expr>) -> ExprKind {
    match sizeof {
        true => ExprKind::SizeofExpr(operand),
        false => ExprKind::AlignofExpr(operand),
    }
}

fn binary_op(kind: TokenKind) -> Option<(BinOp, u8)> {
    Some(match kind {
        OrOr => (BinOp::Or, 1),
        AndAnd => (BinOp::And, 2),
        Pipe => (BinOp::BitOr, 3),
        Caret => (BinOp::BitXor, 4),
        Amp => (BinOp::BitAnd, 5),
        EqEq => (BinOp::Eq, 6),
        Ne => (BinOp::Ne, 6),
        Lt => (BinOp::Lt, 7),
        Gt => (BinOp::Gt, 7),
        Le => (BinOp::Le, 7),
        Ge => (BinOp::Ge, 7),
        Shl => (BinOp::Shl, 8),
        Shr => (BinOp::Shr, 8),
        Plus => (BinOp::Add, 9),
        Minus => (BinOp::Sub, 9),
        Star => (BinOp::Mul, 10),
        Slash => (BinOp::Div, 10),
        Percent => (BinOp::Rem, 10),
        _ => return None,
    })
}

fn assign_op(kind: TokenKind) -> Option<Option<BinOp>> {
    Some(match kind {
        Assign => None,
        PlusAssign => Some(BinOp::Add),
        MinusAssign => Some(BinOp::Sub),
        StarAssign => Some(BinOp::Mul),
        SlashAssign => Some(BinOp::Div),
        PercentAssign => Some(BinOp::Rem),
        AmpAssign => Some(BinOp::BitAnd),
        PipeAssign => Some(BinOp::BitOr),
        CaretAssign => Some(BinOp::BitXor),
        ShlAssign => Some(BinOp::Shl),
        ShrAssign => Some(BinOp::Shr),
        _ => return None,
    })
}
