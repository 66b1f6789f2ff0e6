//! What floating-point operators demand. All are plain comparisons: no engine needs to know about them.

use crate::conditions::Collector;
use cwolf_cwi::value::float;
use cwolf_cwi::{
    BinOp, CheckKind, Expr, ExprKind, FloatTy, IntTy, RESULT, Type, TypeId, Types, UnOp,
};

impl Collector<'_> {
    fn float_type(&self, ty: TypeId) -> Option<FloatTy> {
        match self.program.types[ty] {
            Type::Float(f) => Some(f),
            _ => None,
        }
    }

    /// What the uppermost operator of `e` demands if it is one on floating-point numbers.
    pub(crate) fn float_operator(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div), a, b)
                if self.float_type(e.ty).is_some() =>
            {
                if *op == BinOp::Div {
                    let text = "the floating-point divisor is not zero";
                    self.demand(CheckKind::FloatDivision, text, is_not_zero(b));
                }
                if self.wanted.has(CheckKind::FloatOverflow) {
                    self.stays_finite(e, *op, a, b);
                }
                if self.wanted.has(CheckKind::Nan) {
                    let cond = any(vec![is_number(e), is_nan(a), is_nan(b)]);
                    self.demand(CheckKind::Nan, "the result is a number", cond);
                }
            }
            ExprKind::Cast(a) => match (self.float_type(a.ty), &self.program.types[e.ty]) {
                (Some(_), Type::Float(_)) => self.narrowed(e, a),
                (Some(f), Type::Int(to)) => {
                    let to = *to;
                    let cond = fits(f, to, a);
                    let text = "the number fits in the integer type";
                    self.demand(CheckKind::FloatCast, text, cond);
                }
                _ => {}
            },
            _ => {}
        }
    }

    /// An operation on finite numbers, not by zero, gives a finite one.
    fn stays_finite(&mut self, e: &Expr, op: BinOp, a: &Expr, b: &Expr) {
        let mut cases = vec![self.is_finite(e), is_nan(e)];
        for operand in [a, b] {
            let finite = self.is_finite(operand);
            cases.push(Expr::unary(UnOp::Not, finite));
        }
        if op == BinOp::Div {
            cases.push(Expr::unary(UnOp::Not, is_not_zero(b)));
        }
        self.demand(CheckKind::FloatOverflow, "the result is finite", any(cases));
    }

    /// What a function of `<math.h>` gives: of finite numbers a finite one, of numbers a number.
    pub(crate) fn float_result(&mut self, result: &Expr, args: &[Expr]) {
        let floats = || args.iter().filter(|a| is_float(&self.program.types, a.ty));
        let mut finite = vec![self.is_finite(result), is_nan(result)];
        finite.extend(floats().map(|a| Expr::unary(UnOp::Not, self.is_finite(a))));
        let mut number = vec![is_number(result)];
        number.extend(floats().map(is_nan));
        self.demand(
            CheckKind::FloatOverflow,
            "the result is finite",
            any(finite),
        );
        self.demand(CheckKind::Nan, "the result is a number", any(number));
    }

    /// A finite number is finite in a narrower type as well.
    fn narrowed(&mut self, e: &Expr, a: &Expr) {
        if !self.wanted.has(CheckKind::FloatOverflow) || e.ty == a.ty {
            return;
        }
        let finite = self.is_finite(a);
        let cases = vec![self.is_finite(e), Expr::unary(UnOp::Not, finite)];
        self.demand(CheckKind::FloatOverflow, "the result is finite", any(cases));
    }

    /// Between the largest numbers of its type; a NaN is not.
    fn is_finite(&self, e: &Expr) -> Expr {
        let f = self.float_type(e.ty).expect("a floating type");
        let largest = f.format().largest();
        let most = constant(e.ty, largest);
        let least = constant(e.ty, float::neg(f, largest));
        let below = Expr::binary(BinOp::Le, e.clone(), most);
        let above = Expr::binary(BinOp::Ge, e.clone(), least);
        Expr::binary(BinOp::And, above, below)
    }
}

fn is_float(types: &Types, ty: TypeId) -> bool {
    matches!(types[ty], Type::Float(_))
}

/// Whether a call is of a function of `<math.h>` or one like it: numbers in, a floating-point number out.
pub(crate) fn computes(types: &Types, args: &[Expr], ret: TypeId) -> bool {
    let number = |a: &Expr| matches!(types[a.ty], Type::Float(_) | Type::Int(_));
    let stays = |a: &Expr| {
        let mut stays = true;
        a.walk(&mut |e| stays &= e.kind != ExprKind::Reg(RESULT));
        stays
    };
    is_float(types, ret) && !args.is_empty() && args.iter().all(|a| number(a) && stays(a))
}

fn constant(ty: TypeId, bits: u128) -> Expr {
    let kind = ExprKind::Float(bits);
    Expr { ty, kind }
}

fn any(cases: Vec<Expr>) -> Expr {
    let mut cases = cases.into_iter();
    let first = cases.next().unwrap_or_else(|| Expr::int(Types::INT, 0));
    cases.fold(first, |all, one| Expr::binary(BinOp::Or, all, one))
}

fn is_not_zero(e: &Expr) -> Expr {
    Expr::binary(BinOp::Ne, e.clone(), constant(e.ty, 0))
}

fn is_number(e: &Expr) -> Expr {
    Expr::binary(BinOp::Eq, e.clone(), e.clone())
}

fn is_nan(e: &Expr) -> Expr {
    Expr::binary(BinOp::Ne, e.clone(), e.clone())
}

/// Whether a number without its fraction is an integer of a type.
fn fits(f: FloatTy, to: IntTy, a: &Expr) -> Expr {
    let range = float::int_range(f, to);
    let op = if range.open { BinOp::Gt } else { BinOp::Ge };
    let above = Expr::binary(op, a.clone(), constant(a.ty, range.low));
    let below = Expr::binary(BinOp::Lt, a.clone(), constant(a.ty, range.high));
    Expr::binary(BinOp::And, above, below)
}
