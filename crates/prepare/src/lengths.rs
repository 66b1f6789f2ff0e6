//! How many characters a format makes of its arguments, as an expression: exact where it has only
//! conversions of integers, single characters and texts that are known.

use crate::requirements::model;
use crate::texts::{Content, Texts};
use cwolf_cwi::value::{max, min, wrap};
use cwolf_cwi::{BinOp, Expr, ExprKind, Program, TypeId};
use cwolf_known::CType;
use cwolf_known::format::{Argument, Conversion, Count, Piece};

/// What the lengths of a call's conversions depend on.
pub(crate) struct Lengths<'a> {
    pub(crate) program: &'a mut Program,
    pub(crate) texts: &'a Texts,
    /// The arguments after the format.
    pub(crate) args: &'a [Expr],
}

impl Lengths<'_> {
    /// The length of everything, if each part has one.
    pub(crate) fn all(&mut self, pieces: &[Piece]) -> Option<Expr> {
        let word = self.word();
        let mut total = 0;
        let mut sum: Option<Expr> = None;
        for piece in pieces {
            let length = match piece {
                Piece::Literal(n) => Expr::int(word, *n as i128),
                Piece::Space => return None,
                Piece::Conversion(conversion) => self.conversion(conversion)?,
            };
            match (length.as_int(), sum) {
                (Some(n), before) => {
                    total += n;
                    sum = before;
                }
                (None, Some(before)) => sum = Some(Expr::binary(BinOp::Add, before, length)),
                (None, None) => sum = Some(length),
            }
        }
        let total = Expr::int(word, total);
        Some(match sum {
            Some(sum) => Expr::binary(BinOp::Add, sum, total),
            None => total,
        })
    }

    fn word(&mut self) -> TypeId {
        let bits = self.program.target().word(false).bits;
        self.program.types.int(bits, false)
    }

    fn conversion(&mut self, of: &Conversion) -> Option<Expr> {
        let length = self.unpadded(of)?;
        let width = match of.width {
            Count::None => return Some(length),
            Count::Number(n) => i128::from(n),
            Count::Argument(_) => return None,
        };
        let word = length.ty;
        if let Some(n) = length.as_int() {
            return Some(Expr::int(word, n.max(width)));
        }
        // The larger of the two.
        let width = Expr::int(word, width);
        let longer = Expr::binary(BinOp::Gt, length.clone(), width.clone());
        let more = Expr::binary(BinOp::Sub, length, width.clone());
        let more = Expr::binary(BinOp::Mul, Expr::cast(word, longer), more);
        Some(Expr::binary(BinOp::Add, width, more))
    }

    fn unpadded(&mut self, of: &Conversion) -> Option<Expr> {
        let word = self.word();
        let (n, argument) = of.argument.as_ref()?;
        match (argument, of.letter) {
            (Argument::Store(_), _) => Some(Expr::int(word, 0)),
            (Argument::Text { wide: false }, 's') => {
                let length = self.text(*n)?;
                match of.precision {
                    Count::None => Some(Expr::int(word, length)),
                    Count::Number(most) => Some(Expr::int(word, length.min(most.into()))),
                    Count::Argument(_) => None,
                }
            }
            _ if of.longer || of.precision != Count::None => None,
            (Argument::Value(CType::Int(..)), 'c') => Some(Expr::int(word, 1)),
            (Argument::Value(ty @ CType::Int(..)), letter) => {
                let (signed, base) = match letter {
                    'd' | 'i' => (true, 10),
                    'u' => (false, 10),
                    'x' | 'X' => (false, 16),
                    'o' => (false, 8),
                    _ => return None,
                };
                let bits = u16::try_from(ty.size(model(self.program))? * 8).ok()?;
                self.digits(*n, bits, signed, base)
            }
            _ => None,
        }
    }

    /// The length of a text that is known.
    fn text(&self, n: usize) -> Option<i128> {
        let found = self.texts.of(self.program, self.args.get(n)?)?;
        match found.as_slice() {
            [one] if !one.translated => match &one.content {
                Content::Narrow(text) => Some(text.len() as i128),
                Content::Wide(_) => None,
            },
            _ => None,
        }
    }

    /// How many digits an argument has as a number of so many bits, and a sign if it is negative: one, and one more
    /// for each power of the base that it is not below.
    fn digits(&mut self, n: usize, bits: u16, signed: bool, base: i128) -> Option<Expr> {
        let arg = self.args.get(n)?;
        self.program.types.as_int(arg.ty)?;
        // To evaluate it twice must give the same.
        let mut open = false;
        arg.walk(&mut |e| {
            open |= matches!(
                e.kind,
                ExprKind::Choose | ExprKind::Load { volatile: true, .. }
            )
        });
        if open {
            return None;
        }
        let word = self.word();
        let ty = self.program.types.int(bits, signed);
        let int = self.program.types.as_int(ty)?;
        let value = Expr::cast(ty, arg.clone());
        let known = self.known(arg).map(|n| wrap(int, n));
        let mut powers = Vec::new();
        let mut power = base;
        while power <= max(int) || -power >= min(int) {
            powers.push(power);
            power *= base;
        }
        let above = powers.iter().filter(|p| **p <= max(int));
        let above = above.map(|p| (BinOp::Ge, *p));
        let below = powers.iter().filter(|p| signed && -**p >= min(int));
        let below = below.map(|p| (BinOp::Le, -p));
        let sign = signed.then_some((BinOp::Lt, 0));
        let mut sum = Expr::int(word, 1);
        let mut count = 1;
        for (op, limit) in above.chain(below).chain(sign) {
            if let Some(n) = known {
                count += i128::from(match op {
                    BinOp::Ge => n >= limit,
                    BinOp::Le => n <= limit,
                    _ => n < limit,
                });
                continue;
            }
            let more = Expr::binary(op, value.clone(), Expr::int(ty, limit));
            sum = Expr::binary(BinOp::Add, sum, Expr::cast(word, more));
        }
        Some(match known {
            Some(_) => Expr::int(word, count),
            None => sum,
        })
    }

    /// The value of a constant.
    fn known(&self, e: &Expr) -> Option<i128> {
        match &e.kind {
            ExprKind::Cast(inner) => {
                let int = self.program.types.as_int(e.ty)?;
                self.program.types.as_int(inner.ty)?;
                Some(wrap(int, self.known(inner)?))
            }
            _ => e.as_int(),
        }
    }
}
