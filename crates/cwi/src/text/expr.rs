//! Prints expressions, places, statements and branches.

use super::print::Printer;
use crate::code::{
    Base, BinOp, Branch, Callee, Case, Expr, ExprKind, FuncId, Place, RESULT, RegId, Step, Stmt,
    StmtKind, UnOp, Unreachable,
};
use crate::types::{FloatTy, Type, TypeId, Types};
use crate::typing::{natural, step_type};
use crate::value::float;
use cwolf_base::IndexVec;

/// How tightly an operator binds; from 1 for `||`.
pub(super) fn precedence(op: BinOp) -> u8 {
    use BinOp::*;
    match op {
        Or => 1,
        And => 2,
        BitOr => 3,
        BitXor => 4,
        BitAnd => 5,
        Eq | Ne => 6,
        Lt | Le | Gt | Ge => 7,
        Shl | Shr => 8,
        Add | Sub => 9,
        Mul | Div | Rem => 10,
    }
}
const ADDITIVE: u8 = 9;
const UNARY: u8 = 11;
const POSTFIX: u8 = 12;

/// The keyword of each reason that control does not come to a place.
pub(super) const UNREACHABLE: [(&str, Unreachable); 4] = [
    ("promised", Unreachable::Promised),
    ("trap", Unreachable::Trap),
    ("badgoto", Unreachable::BadGoto),
    ("returned", Unreachable::Returned),
];

impl Printer<'_> {
    fn regs(&self, func: Option<FuncId>) -> Option<&IndexVec<RegId, TypeId>> {
        let body = self.program.funcs.get(func?)?.body.as_ref()?;
        Some(&body.regs)
    }

    /// An expression of `func`'s code (of no function's, if it has no registers).
    pub fn expr(&self, func: Option<FuncId>, expr: &Expr) -> String {
        let mut out = String::new();
        self.put_expr(&mut out, func, expr, 0);
        out
    }
    /// A place in `func`'s code.
    pub fn place(&self, func: Option<FuncId>, place: &Place) -> String {
        let mut out = String::new();
        self.put_place(&mut out, func, place, 0);
        out
    }

    /// The right side of an assignment to something of type `ty`, from which the type of
    /// register 0 follows.
    fn put_whole(&self, out: &mut String, func: Option<FuncId>, expr: &Expr, ty: TypeId) {
        if expr.kind == ExprKind::Reg(RESULT) && expr.ty == ty {
            *out += "r#0";
        } else {
            self.put_expr(out, func, expr, 0);
        }
    }

    /// Prints `expr` where operators looser than `outer` need parentheses.
    fn put_expr(&self, out: &mut String, func: Option<FuncId>, expr: &Expr, outer: u8) {
        let none = IndexVec::new();
        let regs = self.regs(func).unwrap_or(&none);
        let types = &self.program.types;
        let follows = match &expr.kind {
            ExprKind::Cast(_) => true,
            kind => {
                natural(self.program, regs, kind).and_then(|t| t.lookup(types)) == Some(expr.ty)
            }
        };
        let own = self.own_precedence(expr);
        let paren = own < outer || !follows && own < POSTFIX;
        if paren {
            out.push('(');
        }
        self.put_kind(out, func, expr);
        if paren {
            out.push(')');
        }
        if !follows {
            out.push(':');
            *out += &self.ty(expr.ty);
        }
    }

    fn own_precedence(&self, expr: &Expr) -> u8 {
        match &expr.kind {
            ExprKind::Binary(op, ..) => precedence(*op),
            ExprKind::PtrAdd { .. } | ExprKind::PtrDiff { .. } => ADDITIVE,
            ExprKind::Unary(..) | ExprKind::AddrOf(_) | ExprKind::FuncAddr(_) => UNARY,
            ExprKind::Load { volatile: true, .. } => UNARY,
            ExprKind::Load { place, .. } => place_precedence(place),
            _ => POSTFIX,
        }
    }

    fn put_kind(&self, out: &mut String, func: Option<FuncId>, expr: &Expr) {
        let types = &self.program.types;
        match &expr.kind {
            ExprKind::Int(v) => *out += &self.int(expr.ty, *v),
            ExprKind::Float(bits) => match types[expr.ty] {
                Type::Float(ty) => *out += &float_text(ty, *bits),
                _ => *out += &format!("bits({bits:#x})"),
            },
            ExprKind::Zero => *out += "zero",
            ExprKind::Choose => *out += "choose",
            ExprKind::Reg(reg) => *out += &format!("r#{}", reg.0),
            ExprKind::Load { place, volatile } => {
                if *volatile {
                    *out += "volatile ";
                }
                self.put_place(out, func, place, if *volatile { UNARY } else { 0 });
            }
            ExprKind::AddrOf(place) => {
                out.push('&');
                self.put_place(out, func, place, UNARY);
            }
            ExprKind::FuncAddr(f) => {
                out.push('&');
                *out += self.names.func(*f);
            }
            ExprKind::VarArgs => *out += "varargs",
            ExprKind::Unary(op, e) => {
                *out += op.symbol();
                // `-10` is a constant.
                let constant = matches!(e.kind, ExprKind::Int(_) | ExprKind::Float(_));
                let outer = if *op == UnOp::Neg && constant {
                    POSTFIX + 1
                } else {
                    UNARY
                };
                if outer > POSTFIX {
                    out.push('(');
                    self.put_expr(out, func, e, 0);
                    out.push(')');
                } else {
                    self.put_expr(out, func, e, outer);
                }
            }
            ExprKind::Binary(op, left, right) => {
                let own = precedence(*op);
                self.put_expr(out, func, left, own);
                *out += &format!(" {} ", op.symbol());
                self.put_expr(out, func, right, own + 1);
            }
            ExprKind::Cast(e) => {
                let name = self.ty(expr.ty);
                if matches!(types[expr.ty], Type::Int(_) | Type::Bool | Type::Float(_)) {
                    *out += &name;
                } else {
                    *out += &format!("({name})");
                }
                out.push('(');
                self.put_expr(out, func, e, 0);
                out.push(')');
            }
            ExprKind::PtrAdd { ptr, index, scale } => {
                self.put_pointers(out, func, '+', ptr, index, *scale);
            }
            ExprKind::PtrDiff { left, right, scale } => {
                self.put_pointers(out, func, '-', left, right, *scale);
            }
            ExprKind::Memory(test, args) => {
                *out += test.name();
                out.push('(');
                for (n, arg) in args.iter().enumerate() {
                    *out += if n == 0 { "" } else { ", " };
                    self.put_expr(out, func, arg, 0);
                }
                out.push(')');
            }
            ExprKind::Fits(e) => {
                *out += "fits(";
                self.put_expr(out, func, e, 0);
                out.push(')');
            }
        }
    }

    fn put_pointers(
        &self,
        out: &mut String,
        func: Option<FuncId>,
        op: char,
        left: &Expr,
        right: &Expr,
        scale: u64,
    ) {
        let types = &self.program.types;
        self.put_expr(out, func, left, ADDITIVE);
        let element = types.pointee(left.ty).map(|to| types.size_of(to));
        if element == Some(scale) {
            *out += &format!(" {op} ");
        } else {
            *out += &format!(" {op}{{{scale}}} ");
        }
        self.put_expr(out, func, right, ADDITIVE + 1);
    }

    fn put_place(&self, out: &mut String, func: Option<FuncId>, place: &Place, outer: u8) {
        let types = &self.program.types;
        let mut ty = crate::typing::base_type(self.program, &place.base).unwrap_or(Types::VOID);
        let mut arrow = false;
        match &place.base {
            Base::Var(var) => *out += self.names.var(*var),
            Base::Deref(ptr) => match place.path.first() {
                None => {
                    let paren = UNARY < outer;
                    *out += if paren { "(*" } else { "*" };
                    self.put_expr(out, func, ptr, UNARY);
                    *out += if paren { ")" } else { "" };
                }
                Some(Step::Field(_)) => {
                    self.put_expr(out, func, ptr, POSTFIX);
                    arrow = true;
                }
                Some(Step::Index(_)) => {
                    *out += "(*";
                    self.put_expr(out, func, ptr, UNARY);
                    *out += ")";
                }
            },
        }
        for step in &place.path {
            match step {
                Step::Field(n) => {
                    *out += if arrow { "->" } else { "." };
                    *out += &self.field(ty, *n);
                }
                Step::Index(index) => {
                    out.push('[');
                    // The type of an index always follows.
                    match index.as_int() {
                        Some(v) => *out += &self.int(index.ty, v),
                        None => self.put_expr(out, func, index, 0),
                    }
                    out.push(']');
                }
            }
            arrow = false;
            ty = step_type(types, ty, step).map_or(Types::VOID, |t| t.0);
        }
    }

    /// A field's name, or its number if the name is shared or missing.
    fn field(&self, ty: TypeId, n: u32) -> String {
        let types = &self.program.types;
        let fields = types.as_record(ty).map(|r| &types.records[r].fields);
        let field = fields.and_then(|f| f.get(n as usize));
        let clash =
            |name: &str| fields.is_some_and(|f| f.iter().filter(|f| f.name == name).count() > 1);
        match field {
            Some(f) if !f.name.is_empty() && !clash(&f.name) => super::spell(&f.name),
            _ => format!("#{n}"),
        }
    }

    /// An integer constant of type `ty`, without the type.
    pub(super) fn int(&self, ty: TypeId, v: i128) -> String {
        // The largest unsigned numbers look negative.
        match self.program.types.as_int(ty) {
            Some(int) if !int.signed => format!("{}", v as u128),
            _ => v.to_string(),
        }
    }

    /// The values of a case of a switch on type `ty`: `3` or `3..5`.
    pub fn case(&self, ty: TypeId, case: &Case) -> String {
        match case.lo == case.hi {
            true => self.int(ty, case.lo),
            false => format!("{}..{}", self.int(ty, case.lo), self.int(ty, case.hi)),
        }
    }

    /// A statement of `func`, without its position.
    pub fn stmt(&self, func: FuncId, stmt: &Stmt) -> String {
        let at = Some(func);
        let mut out = String::new();
        match &stmt.kind {
            StmtKind::Assign(place, right) => {
                self.put_place(&mut out, at, place, 0);
                out += " = ";
                self.put_whole(&mut out, at, right, place.ty);
            }
            StmtKind::SetReg(reg, right) => {
                out += &format!("r#{} = ", reg.0);
                let ty = self.regs(at).and_then(|r| r.get(*reg)).copied();
                self.put_whole(&mut out, at, right, ty.unwrap_or(Types::VOID));
            }
            StmtKind::Live(var) => out += &format!("live {}", self.names.var(*var)),
            StmtKind::Dead(var) => out += &format!("dead {}", self.names.var(*var)),
            StmtKind::Assert { check, cond } => {
                out += &format!("assert #{} ({})", check.0, self.expr(at, cond));
            }
            StmtKind::Assume(e) => out += &format!("assume ({})", self.expr(at, e)),
            StmtKind::Havoc { ptr, size } => {
                out += &format!("havoc ({}", self.expr(at, ptr));
                if let Some(size) = size {
                    out += &format!(", {}", self.expr(at, size));
                }
                out += ")";
            }
        }
        out
    }

    /// A branch of `func`, one line a case, without its position.
    pub fn branch(&self, func: FuncId, branch: &Branch) -> String {
        let at = Some(func);
        let expr = |e: &Expr| self.expr(at, e);
        match branch {
            Branch::Goto(to) => format!("goto block_{}", to.0),
            Branch::If { cond, then, els } => format!(
                "if ({}) then goto block_{} else goto block_{}",
                expr(cond),
                then.0,
                els.0
            ),
            Branch::Switch { on, cases, default } => {
                let mut out = format!("switch ({})", expr(on));
                for case in cases {
                    let values = self.case(on.ty, case);
                    out += &format!("\n  case {values}: goto block_{}", case.target.0);
                }
                out + &format!("\n  default: goto block_{}", default.0)
            }
            Branch::Call {
                callee, args, next, ..
            } => {
                let callee = match callee {
                    Callee::Direct(f) => self.names.func(*f).to_owned(),
                    Callee::Indirect(e) => format!("({})", expr(e)),
                };
                let args: Vec<_> = args.iter().map(expr).collect();
                let next = next.map_or(String::new(), |b| format!(" -> block_{}", b.0));
                format!("call {callee}({}){next}", args.join(", "))
            }
            Branch::Return(None) => "return".into(),
            Branch::Return(Some(e)) => {
                let mut out = String::from("return (");
                let ty = self.program.funcs.get(func).map(|f| f.ty);
                let ret = match ty.map(|ty| &self.program.types[ty]) {
                    Some(Type::Func(ty)) => ty.ret,
                    _ => Types::VOID,
                };
                self.put_whole(&mut out, at, e, ret);
                out + ")"
            }
            Branch::Halt(e) => format!("halt ({})", expr(e)),
            Branch::Unreachable(why) => {
                let word = UNREACHABLE.iter().find(|u| u.1 == *why);
                format!("unreachable {}", word.expect("all reasons have a word").0)
            }
        }
    }
}

fn place_precedence(place: &Place) -> u8 {
    match (&place.base, place.path.is_empty()) {
        (Base::Deref(_), true) => UNARY,
        _ => POSTFIX,
    }
}

/// A float in decimal if that reads back to the same bits, else the bits.
pub(super) fn float_text(ty: FloatTy, bits: u128) -> String {
    // Decimal forms of the wide types' far ends take long to compute and nobody reads them.
    let rough = float::to_f64(ty, bits).abs();
    if !rough.is_finite() || rough < 1e-300 && !float::is_zero(ty, bits) {
        return format!("bits({bits:#x})");
    }
    let mut text = float::display(ty, bits);
    if !text.contains(['.', 'e', 'E']) {
        text += ".0";
    }
    let digits = text.strip_prefix('-').unwrap_or(&text);
    let plain = digits.len() <= MAX_FLOAT && digits.starts_with(|c: char| c.is_ascii_digit());
    if plain && float::parse(ty, &text) == Some(bits) {
        text
    } else {
        format!("bits({bits:#x})")
    }
}

/// Longer decimal numbers are neither written nor read.
pub(super) const MAX_FLOAT: usize = 60;
