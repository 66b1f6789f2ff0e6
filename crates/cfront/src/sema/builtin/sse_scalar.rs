//! The built-in functions behind the intrinsics of SSE and SSE2 that work on the first element alone
//! (`_mm_add_ss`), that compare it, that convert, and square roots.

use super::super::Cx;
use super::super::ctype::{CTy, CTypes, FloatKind, IntKind, QType};
use super::super::fold::Operand;
use super::super::whole::Use;
use super::sse::Sse;
use crate::hir::{Expr, Stmt};
use cwolf_base::Span;
use cwolf_cwi::{BinOp, Types, value};

const MANY: Use = Use {
    many: true,
    later: true,
};

/// What a function of this file does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    /// An operator on the first elements; the others are those of the first operand.
    First(BinOp),
    /// What the function of the same name for whole vectors does, on the first elements.
    FirstOf,
    /// The square root of each element, or of the first.
    Root { all: bool },
    /// A test of the first elements, as an `int`.
    Test(BinOp),
    /// The first element as an integer, or all of them: cut off, or rounded as the mode says.
    ToInt { cut: bool, to: IntKind, len: u64 },
    /// An integer as the first element.
    FromInt,
    /// The first element in the other format.
    Resized,
    /// Elements converted to another kind, the lowest ones first, zeros where there are none.
    Converted,
    /// Elements of two vectors of floats put together.
    Picked(&'static [usize]),
}

/// What a name stands for, and whether its first operand has floats (or doubles).
pub(super) fn scalar(name: &str) -> Option<(Scalar, FloatKind)> {
    let (float, double) = (FloatKind::Float, FloatKind::Double);
    let test = |word: &str| {
        Some(match word {
            "eq" => BinOp::Eq,
            "lt" => BinOp::Lt,
            "le" => BinOp::Le,
            "gt" => BinOp::Gt,
            "ge" => BinOp::Ge,
            "neq" => BinOp::Ne,
            _ => return None,
        })
    };
    if let Some(word) = name.strip_prefix("ucomi").or(name.strip_prefix("comi")) {
        return Some(match word.strip_prefix("sd") {
            Some(word) => (Scalar::Test(test(word)?), double),
            None => (Scalar::Test(test(word)?), float),
        });
    }
    let int = |cut, to, len| Scalar::ToInt { cut, to, len };
    let (int32, int64) = (IntKind::Int, IntKind::LongLong);
    let whole = match name {
        "sqrtps" => (Scalar::Root { all: true }, float),
        "sqrtpd" => (Scalar::Root { all: true }, double),
        "cvtss2si" => (int(false, int32, 1), float),
        "cvtss2si64" => (int(false, int64, 1), float),
        "cvttss2si" => (int(true, int32, 1), float),
        "cvttss2si64" => (int(true, int64, 1), float),
        "cvtsd2si" => (int(false, int32, 1), double),
        "cvtsd2si64" => (int(false, int64, 1), double),
        "cvttsd2si" => (int(true, int32, 1), double),
        "cvttsd2si64" => (int(true, int64, 1), double),
        "cvtps2dq" => (int(false, int32, 4), float),
        "cvttps2dq" => (int(true, int32, 4), float),
        "cvtpd2dq" => (int(false, int32, 2), double),
        "cvttpd2dq" => (int(true, int32, 2), double),
        "cvtsi2ss" | "cvtsi642ss" => (Scalar::FromInt, float),
        "cvtsi2sd" | "cvtsi642sd" => (Scalar::FromInt, double),
        "cvtss2sd" => (Scalar::Resized, double),
        "cvtsd2ss" => (Scalar::Resized, float),
        "cvtdq2ps" | "cvtpd2ps" => (Scalar::Converted, float),
        "cvtdq2pd" | "cvtps2pd" => (Scalar::Converted, double),
        "movss" => (Scalar::Picked(&[4, 1, 2, 3]), float),
        "movsd" => (Scalar::Picked(&[2, 1]), double),
        "movhlps" => (Scalar::Picked(&[6, 7, 2, 3]), float),
        "movlhps" => (Scalar::Picked(&[0, 1, 4, 5]), float),
        _ => {
            let (stem, kind) = match (name.strip_suffix("ss"), name.strip_suffix("sd")) {
                (Some(stem), _) => (stem, float),
                (_, Some(stem)) => (stem, double),
                _ => return None,
            };
            let what = match stem {
                "add" => Scalar::First(BinOp::Add),
                "sub" => Scalar::First(BinOp::Sub),
                "mul" => Scalar::First(BinOp::Mul),
                "div" => Scalar::First(BinOp::Div),
                "sqrt" => Scalar::Root { all: false },
                "min" | "max" => Scalar::FirstOf,
                _ if stem.starts_with("cmp") => Scalar::FirstOf,
                _ => return None,
            };
            (what, kind)
        }
    };
    Some(whole)
}

impl Cx<'_> {
    pub(super) fn sse_scalar(
        &mut self,
        name: &str,
        (what, kind): (Scalar, FloatKind),
        args: &[Operand],
        span: Span,
    ) -> Option<Operand> {
        let mut body = Vec::new();
        let elem = CTypes::float_id(kind);
        let len = if kind == FloatKind::Float { 4 } else { 2 };
        let ty = self.vector_of(elem, len);
        let mut all = Vec::new();
        for arg in args {
            all.push(match self.is_vector(arg.ty) {
                true => self.parts(arg.clone(), MANY, &mut body),
                false => vec![self.part(arg.e.clone(), MANY, &mut body)],
            });
        }
        let mut parts = all.first()?.clone();
        let id = self.cwi(elem);
        let value = match what {
            Scalar::First(op) => {
                parts[0] = self.binary(op, parts[0].clone(), all.get(1)?.first()?.clone());
                self.whole(ty, parts, span)
            }
            Scalar::FirstOf => {
                let packed = name[..name.len() - 2].to_owned()
                    + if kind == FloatKind::Float { "ps" } else { "pd" };
                let sse = Sse {
                    name: &packed,
                    span,
                };
                let both = [
                    self.whole(ty, parts.clone(), span),
                    self.whole(ty, all.get(1)?.clone(), span),
                ];
                let result = self.sse_float(&sse, &both)?;
                let mut first = self.parts(result, MANY, &mut body);
                parts[0] = first.swap_remove(0);
                self.whole(ty, parts, span)
            }
            Scalar::Root { all } => {
                let count = if all { parts.len() } else { 1 };
                for part in &mut parts[..count] {
                    let root = self.sse_call("__cwolf_sqrt", kind, part.clone(), span);
                    *part = self.part(root, MANY, &mut body);
                }
                self.whole(ty, parts, span)
            }
            Scalar::Test(op) => {
                let test = self.binary(op, parts[0].clone(), all.get(1)?.first()?.clone());
                self.int_truth(test)
            }
            Scalar::ToInt { cut, to, len } => {
                let mut numbers = Vec::new();
                for part in parts.into_iter().take(len as usize) {
                    numbers.push(self.sse_to_int(part, kind, cut, to, &mut body, span));
                }
                if len == 1 {
                    let number = numbers.swap_remove(0);
                    Operand::value(number, QType::plain(CTypes::int_id(to)))
                } else {
                    self.padded(CTypes::int_id(to), 4, numbers, span)
                }
            }
            Scalar::FromInt | Scalar::Resized => {
                parts[0] = self.cast(all.get(1)?.first()?.clone(), id);
                self.whole(ty, parts, span)
            }
            Scalar::Converted => {
                let parts = parts.into_iter().take(len as usize);
                let parts = parts.map(|p| self.cast(p, id)).collect();
                self.padded(elem, len, parts, span)
            }
            Scalar::Picked(order) => {
                parts.extend(all.get(1)?.iter().cloned());
                let picked = order.iter().map(|&n| parts[n].clone()).collect();
                self.whole(ty, picked, span)
            }
        };
        Some(self.after(body, value, span))
    }
    /// A vector of elements, the last ones zero if there are too few.
    fn padded(&mut self, elem: CTy, len: u64, mut parts: Vec<Expr>, span: Span) -> Operand {
        let id = self.cwi(elem);
        while parts.len() < len as usize {
            parts.push(self.zero(id, span));
        }
        let ty = self.vector_of(elem, len);
        self.whole(ty, parts, span)
    }
    /// A call of an exact function, which leaves `errno` alone.
    fn sse_call(&mut self, name: &str, kind: FloatKind, arg: Expr, span: Span) -> Expr {
        let elem = QType::plain(CTypes::float_id(kind));
        let (name, proto) = match kind {
            FloatKind::Float => (format!("{name}f"), "ff"),
            _ => (name.to_owned(), "dd"),
        };
        self.call_proto(&name, proto, vec![Operand::value(arg, elem)], span)
            .e
    }
    /// A number as an integer; the least one for what does not fit, as the machine has it.
    fn sse_to_int(
        &mut self,
        part: Expr,
        kind: FloatKind,
        cut: bool,
        to: IntKind,
        body: &mut Vec<Stmt>,
        span: Span,
    ) -> Expr {
        let int = to.int_ty(self.types.target);
        let id = self.cwi(CTypes::int_id(to));
        let round = if cut { "__cwolf_trunc" } else { "__cwolf_rint" };
        let whole = self.sse_call(round, kind, part, span);
        let whole = self.part(whole, MANY, body);
        let float = self.cwi(CTypes::float_id(kind));
        let least = self.int_expr(id, value::min(int), span);
        // The least integer is a number of each format, and so is what comes after the largest.
        let from = self.cast(least.clone(), float);
        let wide = self.program.types.int(int.bits, false);
        let beyond = self.int_expr(wide, -value::min(int), span);
        let beyond = self.cast(beyond, float);
        let above = self.binary(BinOp::Ge, whole.clone(), from);
        let below = self.binary(BinOp::Lt, whole.clone(), beyond);
        let fits = self.logical(true, above, below);
        let number = self.cast(whole, id);
        debug_assert_eq!(fits.ty, Types::INT);
        self.cond(fits, number, least)
    }
}
