//! The built-in functions behind the intrinsics of `<emmintrin.h>` and `<xmmintrin.h>` that gcc's headers
//! do not write as vector code themselves, as plain arithmetic on elements.

use super::super::Cx;
use super::super::ctype::{CTy, CTypes, FloatKind, IntKind, QType};
use super::super::fold::{Operand, mk};
use super::super::whole::Use;
use crate::ast;
use crate::hir::{Expr, ExprKind};
use cwolf_base::Span;
use cwolf_cwi::{BinOp, Types, UnOp};

const MANY: Use = Use {
    many: true,
    later: true,
};

/// A vector of 16 bytes, by the letters that names of instructions use.
fn lanes(letter: &str, signed: bool) -> Option<(IntKind, u64)> {
    let (kind, len) = match letter {
        "b" => (IntKind::SChar, 16),
        "w" => (IntKind::Short, 8),
        "d" => (IntKind::Int, 4),
        "q" => (IntKind::LongLong, 2),
        _ => return None,
    };
    Some((kind.with_sign(signed), len))
}

impl Cx<'_> {
    /// `__builtin_ia32_…`
    pub(super) fn sse_builtin(
        &mut self,
        name: &str,
        args: &[ast::Expr],
        span: Span,
    ) -> Option<Operand> {
        let name = name.strip_prefix("ia32_")?;
        if matches!(name, "lfence" | "mfence" | "sfence" | "pause") {
            return Some(self.sequence_void(Vec::new(), span));
        }
        let sse = Sse { name, span };
        let scalar = super::sse_scalar::scalar(name);
        let known = scalar.is_some() || self.sse_known(&sse);
        if !known || self.func.is_none() {
            return None;
        }
        let mut operands = Vec::new();
        for arg in args {
            let operand = self.expr(arg);
            let operand = self.rvalue(operand);
            if operand.is_error() {
                return Some(operand);
            }
            operands.push(operand);
        }
        if let Some(scalar) = scalar {
            return self.sse_scalar(name, scalar, &operands, span);
        }
        self.sse_integer(&sse, &operands)
            .or_else(|| self.sse_shift(&sse, &operands))
            .or_else(|| self.sse_shuffle(&sse, &operands))
            .or_else(|| self.sse_float(&sse, &operands))
    }
    /// Whether one of the functions below knows it; arguments must not be looked at otherwise.
    fn sse_known(&self, sse: &Sse<'_>) -> bool {
        let stems = [
            "padds",
            "paddus",
            "psubs",
            "psubus",
            "pavg",
            "pmax",
            "pmin",
            "pmulh",
            "pmaddwd",
            "pmuludq128",
            "psadbw128",
            "packs",
            "packus",
            "pmovmskb128",
            "movmsk",
            "punpck",
            "pshufd",
            "pshuflw",
            "pshufhw",
            "psll",
            "psrl",
            "psra",
            "pandn128",
            "unpck",
            "shufp",
            "minp",
            "maxp",
            "cmp",
            "and",
            "or",
            "xor",
            "vec_ext_",
        ];
        let plain = !sse.name.contains("ss") || sse.name.starts_with("pack");
        let mmx = sse.name.starts_with('p')
            && !sse.name.ends_with("128")
            && !sse.name.starts_with("pshuf");
        plain && !mmx && !sse.name.ends_with("sd") && stems.iter().any(|s| sse.name.starts_with(s))
    }
    fn lane_type(&mut self, kind: IntKind, len: u64) -> CTy {
        self.vector_of(CTypes::int_id(kind), len)
    }
    /// The elements of a vector, read as integers of some kind.
    fn lanes_of(
        &mut self,
        operand: &Operand,
        kind: IntKind,
        len: u64,
        body: &mut Vec<crate::hir::Stmt>,
    ) -> Vec<Expr> {
        let ty = self.lane_type(kind, len);
        let value = self.vector_cast(operand.clone(), QType::plain(ty), operand.e.span);
        self.parts(value, MANY, body)
    }
    /// A number within the range of a kind of integer: the nearest one.
    fn saturate(&mut self, e: Expr, kind: IntKind) -> Expr {
        let int = kind.int_ty(self.types.target);
        let (span, wide) = (e.span, e.ty);
        let most = self.int_expr(wide, cwolf_cwi::value::max(int), span);
        let least = self.int_expr(wide, cwolf_cwi::value::min(int), span);
        let above = self.binary(BinOp::Gt, e.clone(), most.clone());
        let below = self.binary(BinOp::Lt, e.clone(), least.clone());
        let inner = self.cond(below, least, e);
        let inside = self.cond(above, most, inner);
        let id = self.cwi(CTypes::int_id(kind));
        self.cast(inside, id)
    }
    fn sse_integer(&mut self, sse: &Sse<'_>, args: &[Operand]) -> Option<Operand> {
        let span = sse.span;
        let stem = sse.name.strip_suffix("128").unwrap_or(sse.name);
        let mut body = Vec::new();
        let int = Types::INT;
        let wide = |cx: &Self, e: &Expr| cx.cast(e.clone(), int);
        if let ("movmskps" | "movmskpd" | "pmovmskb", [a]) = (stem, args) {
            let (kind, len) = match stem {
                "movmskps" => (IntKind::Int, 4),
                "movmskpd" => (IntKind::LongLong, 2),
                _ => (IntKind::SChar, 16),
            };
            let parts = self.lanes_of(a, kind, len, &mut body);
            let mut bits = self.int_expr(int, 0, span);
            for (n, part) in parts.into_iter().enumerate() {
                let zero = self.zero(part.ty, span);
                let sign = self.binary(BinOp::Lt, part, zero);
                let at = self.int_expr(int, n as i128, span);
                let sign = self.binary(BinOp::Shl, sign, at);
                bits = self.binary(BinOp::BitOr, bits, sign);
            }
            let value = Operand::value(bits, QType::plain(CTypes::INT));
            return Some(self.after(body, value, span));
        }
        let [a, b] = args else { return None };
        let pairs = |cx: &mut Self, kind, len, body: &mut Vec<_>| {
            let x = cx.lanes_of(a, kind, len, body);
            let y = cx.lanes_of(b, kind, len, body);
            x.into_iter().zip(y).collect::<Vec<_>>()
        };
        let (kind, len, parts): (IntKind, u64, Vec<Expr>) = match stem {
            "pmaddwd" => {
                let all = pairs(self, IntKind::Short, 8, &mut body);
                let product = |cx: &Self, (x, y): &(Expr, Expr)| {
                    // Unsigned, since only the sum of two least ones leaves the type.
                    let p = cx.binary(BinOp::Mul, wide(cx, x), wide(cx, y));
                    cx.cast(p, Types::INT)
                };
                let unsigned = self.program.types.int(32, false);
                let sums = all.chunks(2).map(|two| {
                    let p = self.cast(product(self, &two[0]), unsigned);
                    let q = self.cast(product(self, &two[1]), unsigned);
                    self.cast(self.binary(BinOp::Add, p, q), int)
                });
                (IntKind::Int, 4, sums.collect())
            }
            "pmuludq" => {
                let all = pairs(self, IntKind::UInt, 4, &mut body);
                let long = self.program.types.int(64, false);
                let id = self.cwi(CTypes::int_id(IntKind::LongLong));
                let products = all.chunks(2).map(|two| {
                    let (x, y) = (
                        self.cast(two[0].0.clone(), long),
                        self.cast(two[0].1.clone(), long),
                    );
                    self.cast(self.binary(BinOp::Mul, x, y), id)
                });
                (IntKind::LongLong, 2, products.collect())
            }
            "psadbw" => {
                let all = pairs(self, IntKind::UChar, 16, &mut body);
                let id = self.cwi(CTypes::int_id(IntKind::LongLong));
                let mut sums = Vec::new();
                for half in all.chunks(8) {
                    let mut sum = self.int_expr(int, 0, span);
                    for (x, y) in half {
                        let (x, y) = (wide(self, x), wide(self, y));
                        let less = self.binary(BinOp::Lt, x.clone(), y.clone());
                        let up = self.binary(BinOp::Sub, y.clone(), x.clone());
                        let down = self.binary(BinOp::Sub, x, y);
                        let apart = self.cond(less, up, down);
                        sum = self.binary(BinOp::Add, sum, apart);
                    }
                    sums.push(self.cast(sum, id));
                }
                (IntKind::LongLong, 2, sums)
            }
            "packsswb" | "packuswb" | "packssdw" => {
                let (from, len, to) = match stem {
                    "packsswb" => (IntKind::Short, 8, IntKind::SChar),
                    "packuswb" => (IntKind::Short, 8, IntKind::UChar),
                    _ => (IntKind::Int, 4, IntKind::Short),
                };
                let mut all = self.lanes_of(a, from, len, &mut body);
                all.extend(self.lanes_of(b, from, len, &mut body));
                let all = all.into_iter().map(|e| {
                    let e = wide(self, &e);
                    self.saturate(e, to)
                });
                let all: Vec<_> = all.collect();
                (to, len * 2, all)
            }
            _ => {
                let (letter, rest) = (&stem[stem.len() - 1..], &stem[..stem.len() - 1]);
                let (op, unsigned) = match rest {
                    "padds" | "psubs" | "pmulh" => (rest, false),
                    "paddus" | "psubus" | "pavg" | "pmaxu" | "pminu" => (rest, true),
                    "pmaxs" | "pmins" => (rest, false),
                    "pmulhu" => (rest, true),
                    _ => return None,
                };
                let (kind, len) = lanes(letter, !unsigned)?;
                let all = pairs(self, kind, len, &mut body);
                let id = self.cwi(CTypes::int_id(kind));
                let mut parts = Vec::new();
                for (x, y) in all {
                    let (x, y) = (wide(self, &x), wide(self, &y));
                    parts.push(match op {
                        "padds" | "paddus" => {
                            let sum = self.binary(BinOp::Add, x, y);
                            self.saturate(sum, kind)
                        }
                        "psubs" | "psubus" => {
                            let rest = self.binary(BinOp::Sub, x, y);
                            self.saturate(rest, kind)
                        }
                        "pavg" => {
                            let one = self.int_expr(int, 1, span);
                            let sum = self.binary(BinOp::Add, x, y);
                            let sum = self.binary(BinOp::Add, sum, one.clone());
                            let half = self.binary(BinOp::Shr, sum, one);
                            self.cast(half, id)
                        }
                        "pmulh" | "pmulhu" => {
                            let unsigned = self.program.types.int(32, false);
                            let by = self.int_expr(int, 16, span);
                            let high = match op {
                                "pmulh" => {
                                    let p = self.binary(BinOp::Mul, x, y);
                                    self.binary(BinOp::Shr, p, by)
                                }
                                _ => {
                                    let (x, y) = (self.cast(x, unsigned), self.cast(y, unsigned));
                                    let p = self.binary(BinOp::Mul, x, y);
                                    self.binary(BinOp::Shr, p, by)
                                }
                            };
                            self.cast(high, id)
                        }
                        _ => {
                            let op = if op.starts_with("pmax") {
                                BinOp::Gt
                            } else {
                                BinOp::Lt
                            };
                            let first = self.binary(op, x.clone(), y.clone());
                            let chosen = self.cond(first, x, y);
                            self.cast(chosen, id)
                        }
                    });
                }
                (kind, len, parts)
            }
        };
        let signed = self.lane_type(kind.with_sign(true), len);
        let ty = self.lane_type(kind, len);
        let value = self.whole(ty, parts, span);
        let value = self.make_vector(value, signed);
        Some(self.after(body, value, span))
    }
    /// Shifts of all elements by one amount; what is shifted out completely is zero, or the sign.
    fn sse_shift(&mut self, sse: &Sse<'_>, args: &[Operand]) -> Option<Operand> {
        let span = sse.span;
        let stem = sse.name.strip_suffix("128")?;
        let [a, by] = args else { return None };
        let mut body = Vec::new();
        if stem == "pslldqi" || stem == "psrldqi" {
            let Some(super::Const::Int(bits)) = self.constant(&by.e) else {
                return None;
            };
            let bytes = (bits / 8).clamp(0, 16) as usize;
            let parts = self.lanes_of(a, IntKind::SChar, 16, &mut body);
            let zero = self.zero(parts[0].ty, span);
            let part = |n: usize| match stem == "pslldqi" {
                true => n.checked_sub(bytes).map(|n| &parts[n]),
                false => parts.get(n + bytes),
            };
            let moved = (0..16).map(|n| part(n).unwrap_or(&zero).clone()).collect();
            let ty = self.lane_type(IntKind::SChar, 16);
            let value = self.whole(ty, moved, span);
            let long = self.lane_type(IntKind::LongLong, 2);
            let value = self.make_vector(value, long);
            return Some(self.after(body, value, span));
        }
        let (op, rest) = match stem.get(..4)? {
            "psll" => (BinOp::Shl, &stem[4..]),
            "psrl" | "psra" => (BinOp::Shr, &stem[4..]),
            _ => return None,
        };
        let arithmetic = stem.starts_with("psra");
        let (letter, immediate) = match rest.strip_suffix('i') {
            Some(letter) => (letter, true),
            None => (rest, false),
        };
        let (kind, len) = lanes(letter, arithmetic)?;
        let bits = i128::from(kind.int_ty(self.types.target).bits);
        let parts = self.lanes_of(a, kind, len, &mut body);
        let long = QType::plain(CTypes::int_id(IntKind::ULongLong));
        let by = match immediate {
            // Any int; what is not a small number is a large one.
            true => {
                let unsigned = self.convert(by.clone(), QType::plain(CTypes::UINT));
                self.convert(unsigned, long).e
            }
            false => self
                .lanes_of(by, IntKind::ULongLong, 2, &mut body)
                .swap_remove(0),
        };
        let by = self.part(by, MANY, &mut body);
        let id = self.cwi(CTypes::int_id(kind));
        let wide = match bits > 32 {
            true => id,
            false => self.program.types.int(32, arithmetic),
        };
        let most = self.int_expr(by.ty, bits - 1, span);
        let over = self.binary(BinOp::Gt, by.clone(), most.clone());
        // What the operator is given is in its range, whatever was asked for.
        let amount = self.cond(over.clone(), most, by);
        let amount = self.cast(amount, Types::INT);
        let amount = self.part(amount, MANY, &mut body);
        let mut moved = Vec::new();
        for part in parts {
            let part = self.cast(part, wide);
            let shifted = self.binary(op, part, amount.clone());
            let shifted = self.cast(shifted, id);
            let zero = self.zero(id, span);
            moved.push(match arithmetic {
                true => shifted,
                false => self.cond(over.clone(), zero, shifted),
            });
        }
        let ty = self.lane_type(kind, len);
        let value = self.whole(ty, moved, span);
        let signed = self.lane_type(kind.with_sign(true), len);
        let value = self.make_vector(value, signed);
        Some(self.after(body, value, span))
    }
    /// Elements in another order.
    fn sse_shuffle(&mut self, sse: &Sse<'_>, args: &[Operand]) -> Option<Operand> {
        let span = sse.span;
        let control = match args.last().map(|a| self.constant(&a.e)) {
            Some(Some(super::Const::Int(v))) => Some(v as usize),
            _ => None,
        };
        let ty = args.first()?.ty.ty;
        let (_, len) = self.types.as_vector(ty)?;
        let n = len as usize;
        if sse.name.starts_with("vec_ext_") {
            let mut body = Vec::new();
            let mut parts = self.parts(args[0].clone(), MANY, &mut body);
            let (elem, _) = self.types.as_vector(ty)?;
            let part = parts.swap_remove(control? & (n - 1));
            let value = Operand::value(part, QType::plain(elem));
            return Some(self.after(body, value, span));
        }
        let order: Vec<usize> = match sse.name {
            "pshufd" => (0..4)
                .map(|i| control.map(|c| c >> (2 * i) & 3))
                .collect::<Option<_>>()?,
            "pshuflw" | "pshufhw" => {
                let c = control?;
                let high = sse.name == "pshufhw";
                let at = |i: usize| match (i < 4) != high {
                    true => (c >> (2 * (i & 3)) & 3) + (i & 4),
                    false => i,
                };
                (0..8).map(at).collect()
            }
            "shufps" => {
                let c = control?;
                (0..4)
                    .map(|i| (c >> (2 * i) & 3) + if i > 1 { 4 } else { 0 })
                    .collect()
            }
            "shufpd" => {
                let c = control?;
                vec![c & 1, 2 + (c >> 1 & 1)]
            }
            name => {
                let stem = name.strip_prefix('p').unwrap_or(name);
                let half = match stem.get(..6)? {
                    "unpckl" => 0,
                    "unpckh" => n / 2,
                    _ => return None,
                };
                (0..n)
                    .map(|i| half + i / 2 + if i % 2 == 1 { n } else { 0 })
                    .collect()
            }
        };
        let mut body = Vec::new();
        let mut elements = self.parts(args[0].clone(), MANY, &mut body);
        if let Some(second) = args.get(1).filter(|o| self.is_vector(o.ty)) {
            let second = self.make_vector(second.clone(), ty);
            elements.extend(self.parts(second, MANY, &mut body));
        }
        let parts = order
            .iter()
            .map(|&i| elements.get(i).cloned())
            .collect::<Option<_>>()?;
        let value = self.whole(ty, parts, span);
        Some(self.after(body, value, span))
    }
    /// Floating elements: the lesser, the greater, masks, and bits as bits.
    pub(super) fn sse_float(&mut self, sse: &Sse<'_>, args: &[Operand]) -> Option<Operand> {
        let span = sse.span;
        let [a, b] = args else { return None };
        if sse.name == "pandn128" {
            let all = self.vector_unary(ast::UnaryOp::BitNot, a.clone(), span);
            return Some(self.vector_binary(BinOp::BitAnd, all, b.clone(), span));
        }
        let (stem, float) = match (sse.name.strip_suffix("ps"), sse.name.strip_suffix("pd")) {
            (Some(stem), _) => (stem, FloatKind::Float),
            (_, Some(stem)) => (stem, FloatKind::Double),
            _ => return None,
        };
        let (elem, len) = match float {
            FloatKind::Float => (CTypes::float_id(float), 4),
            _ => (CTypes::float_id(float), 2),
        };
        let ty = self.vector_of(elem, len);
        let mask = self.mask_type(elem, len);
        let both = (a.clone(), b.clone());
        if let Some(op) = match stem {
            "min" => Some(BinOp::Lt),
            "max" => Some(BinOp::Gt),
            _ => None,
        } {
            // Of two NaNs or zeros it is the second.
            return Some(self.zip(both, true, ty, span, |cx, x, y| {
                let first = cx.binary(op, x.clone(), y.clone());
                cx.cond(first, x, y)
            }));
        }
        let bits = |cx: &mut Self, o: &Operand| cx.make_vector(o.clone(), mask);
        if let Some(op) = match stem {
            "and" | "andn" => Some(BinOp::BitAnd),
            "or" => Some(BinOp::BitOr),
            "xor" => Some(BinOp::BitXor),
            _ => None,
        } {
            let (mut x, y) = (bits(self, a), bits(self, b));
            if stem == "andn" {
                x = self.vector_unary(ast::UnaryOp::BitNot, x, span);
            }
            let value = self.vector_binary(op, x, y, span);
            return Some(self.make_vector(value, ty));
        }
        let test = stem.strip_prefix("cmp")?;
        let (test, negated) = match test {
            "neq" => ("eq", true),
            "unord" => ("ord", true),
            _ => match test.strip_prefix('n') {
                Some(test) => (test, true),
                None => (test, false),
            },
        };
        let op = match test {
            "eq" => Some(BinOp::Eq),
            "lt" => Some(BinOp::Lt),
            "le" => Some(BinOp::Le),
            "gt" => Some(BinOp::Gt),
            "ge" => Some(BinOp::Ge),
            "ord" => None,
            _ => return None,
        };
        let (truth, _) = self.types.as_vector(mask)?;
        let id = self.cwi(truth);
        let value = self.zip(both, true, mask, span, |cx, x, y| {
            let test = match op {
                Some(op) => cx.binary(op, x, y),
                None => {
                    let (p, q) = (
                        cx.binary(BinOp::Eq, x.clone(), x),
                        cx.binary(BinOp::Eq, y.clone(), y),
                    );
                    cx.logical(true, p, q)
                }
            };
            let test = match negated {
                true => cx.unary(UnOp::Not, test),
                false => test,
            };
            let one = mk(id, ExprKind::Cast(Box::new(test)), span);
            cx.unary(UnOp::Neg, one)
        });
        Some(self.make_vector(value, ty))
    }
}

/// One of them, where it is called.
pub(super) struct Sse<'a> {
    pub(super) name: &'a str,
    pub(super) span: Span,
}
