//! Terms as text: as C writes them, and as SMT-LIB does.

use crate::float::FloatOp;
use crate::term::{BinOp, Node, Sort, Term, Terms, UnOp, signed};
use std::fmt::Write;

/// Deeper terms are cut off in C's form, which is for people.
const DEPTH: u32 = 40;

impl Terms {
    /// `t` as a C expression; `name` says how a constant is called.
    pub fn to_c(&self, t: Term, name: &dyn Fn(Term) -> String) -> String {
        self.to_c_with(t, false, name)
    }

    /// The same; numbers in equations are signed if `sign` says so.
    pub fn to_c_with(&self, t: Term, sign: bool, name: &dyn Fn(Term) -> String) -> String {
        let mut out = String::new();
        self.c(t, name, &mut out, DEPTH, sign);
        out
    }

    fn c(&self, t: Term, name: &dyn Fn(Term) -> String, out: &mut String, depth: u32, sign: bool) {
        if depth == 0 {
            out.push('…');
            return;
        }
        let sub = |a: Term, out: &mut String, sign: bool| self.c(a, name, out, depth - 1, sign);
        let binary = |a: Term, op: &str, b: Term, out: &mut String, sign: bool| {
            out.push('(');
            sub(a, out, sign);
            let _ = write!(out, " {op} ");
            sub(b, out, sign);
            out.push(')');
        };
        match self.node(t) {
            Node::Bool(b) => out.push_str(if b { "1" } else { "0" }),
            Node::Bv { width, value } => {
                // Numbers that look negative are meant so: C compares them as converted.
                let number = signed(width, value);
                let _ = match sign || number >= -4096 && width >= 32 {
                    true => write!(out, "{number}"),
                    false => write!(out, "{value}"),
                };
            }
            Node::Const(_) => out.push_str(&name(t)),
            Node::Un(UnOp::Not, a) => match self.node(a) {
                Node::Bin(BinOp::Eq, x, y) => binary(x, "!=", y, out, sign),
                Node::Bin(BinOp::Slt, x, y) => binary(y, "<=", x, out, true),
                Node::Bin(BinOp::Ult, x, y) => {
                    self.unsigned(y, "<=", x, name, out, depth);
                }
                Node::Bin(BinOp::And, x, y) => {
                    out.push('(');
                    self.negated(x, name, out, depth, sign);
                    out.push_str(" || ");
                    self.negated(y, name, out, depth, sign);
                    out.push(')');
                }
                _ => {
                    out.push('!');
                    sub(a, out, sign);
                }
            },
            Node::Un(UnOp::BvNot, a) => {
                out.push('~');
                sub(a, out, sign);
            }
            Node::Un(UnOp::Neg, a) => {
                out.push_str("(-");
                sub(a, out, sign);
                out.push(')');
            }
            Node::Bin(BinOp::Ult, a, b) => self.unsigned(a, "<", b, name, out, depth),
            Node::Bin(BinOp::Slt, a, b) => binary(a, "<", b, out, true),
            Node::Bin(BinOp::Add, a, b) => match self.node(b) {
                Node::Un(UnOp::Neg, b) => binary(a, "-", b, out, sign),
                _ => binary(a, "+", b, out, true),
            },
            Node::Bin(BinOp::Select, a, b) => {
                sub(a, out, sign);
                out.push('[');
                sub(b, out, sign);
                out.push(']');
            }
            Node::Bin(BinOp::Concat, a, b) => {
                let _ = write!(out, "(");
                sub(a, out, sign);
                let _ = write!(out, " << {} | ", self.width(b));
                sub(b, out, sign);
                out.push(')');
            }
            Node::Bin(op, a, b) => binary(a, c_symbol(op), b, out, sign),
            Node::Ite(c, a, b) => {
                out.push('(');
                sub(c, out, sign);
                out.push_str(" ? ");
                sub(a, out, sign);
                out.push_str(" : ");
                sub(b, out, sign);
                out.push(')');
            }
            Node::Extract { hi, lo, of } => {
                let len = hi - lo + 1;
                out.push('(');
                sub(of, out, sign);
                if lo > 0 {
                    let _ = write!(out, " >> {lo}");
                }
                let _ = write!(out, " & {:#x})", crate::term::mask(len));
            }
            Node::Extend { of, .. } => sub(of, out, sign),
            Node::Float(op, args) => {
                let operands = &args[usize::from(op.has_mode())..op.arity()];
                let integer = matches!(op, FloatOp::FromSigned(_) | FloatOp::FromUnsigned(_));
                let (name, between) = match op.is_infix() {
                    true => ("", format!(" {} ", op.symbol())),
                    false => (op.symbol(), ", ".into()),
                };
                let _ = write!(out, "{name}(");
                for (n, a) in operands.iter().enumerate() {
                    out.push_str(if n > 0 { &between } else { "" });
                    match self.as_bv(*a).filter(|_| !integer) {
                        Some(bits) => out.push_str(&cwolf_float::display(op.format(), bits)),
                        None => sub(*a, out, sign),
                    }
                }
                out.push(')');
            }
            Node::Store(a, i, v) => {
                sub(a, out, sign);
                out.push_str(" with [");
                sub(i, out, sign);
                out.push_str("] = ");
                sub(v, out, sign);
            }
            Node::ConstArray { of, .. } => {
                out.push_str("{all ");
                sub(of, out, sign);
                out.push('}');
            }
        }
    }

    fn negated(
        &self,
        t: Term,
        name: &dyn Fn(Term) -> String,
        out: &mut String,
        depth: u32,
        sign: bool,
    ) {
        match self.node(t) {
            Node::Un(UnOp::Not, a) => self.c(a, name, out, depth - 1, sign),
            Node::Bin(BinOp::Eq, x, y) => {
                out.push('(');
                self.c(x, name, out, depth - 1, sign);
                out.push_str(" != ");
                self.c(y, name, out, depth - 1, sign);
                out.push(')');
            }
            Node::Bin(BinOp::Slt, x, y) => {
                out.push('(');
                self.c(y, name, out, depth - 1, true);
                out.push_str(" <= ");
                self.c(x, name, out, depth - 1, true);
                out.push(')');
            }
            Node::Bin(BinOp::Ult, x, y) => self.unsigned(y, "<=", x, name, out, depth),
            _ => {
                out.push('!');
                self.c(t, name, out, depth - 1, sign);
            }
        }
    }

    /// C compares as unsigned only when told to.
    fn unsigned(
        &self,
        a: Term,
        op: &str,
        b: Term,
        name: &dyn Fn(Term) -> String,
        out: &mut String,
        depth: u32,
    ) {
        let cast = match self.width(a) {
            0..=32 => "(unsigned int)",
            33..=64 => "(unsigned long long)",
            _ => "(unsigned __int128)",
        };
        out.push('(');
        out.push_str(cast);
        self.c(a, name, out, depth - 1, false);
        let _ = write!(out, " {op} {cast}");
        self.c(b, name, out, depth - 1, false);
        out.push(')');
    }

    /// `t` in SMT-LIB, shared parts written out in full.
    pub fn to_smt(&self, t: Term) -> String {
        let mut out = String::new();
        self.smt(t, &mut out);
        out
    }

    fn smt(&self, t: Term, out: &mut String) {
        let list = |head: String, args: &[Term], out: &mut String| {
            let _ = write!(out, "({head}");
            for a in args {
                out.push(' ');
                self.smt(*a, out);
            }
            out.push(')');
        };
        match self.node(t) {
            Node::Bool(b) => out.push_str(if b { "true" } else { "false" }),
            Node::Bv { width, value } => {
                let _ = write!(out, "(_ bv{value} {width})");
            }
            Node::Const(_) => {
                let _ = write!(out, "|{}|", self.name(t).unwrap_or(""));
            }
            Node::Un(op, a) => {
                let head = match op {
                    UnOp::Not => "not",
                    UnOp::BvNot => "bvnot",
                    UnOp::Neg => "bvneg",
                };
                list(head.into(), &[a], out);
            }
            Node::Bin(op, a, b) => list(smt_symbol(op).into(), &[a, b], out),
            Node::Ite(c, a, b) => list("ite".into(), &[c, a, b], out),
            Node::Extract { hi, lo, of } => list(format!("(_ extract {hi} {lo})"), &[of], out),
            Node::Extend { signed, width, of } => {
                let by = width - self.width(of);
                let kind = if signed { "sign" } else { "zero" };
                list(format!("(_ {kind}_extend {by})"), &[of], out);
            }
            // As a function of its own: SMT-LIB's floats are of another sort, with one NaN.
            Node::Float(op, args) => {
                list(
                    format!("|{} {op:?}|", op.symbol()),
                    &args[..op.arity()],
                    out,
                );
            }
            Node::Store(a, i, v) => list("store".into(), &[a, i, v], out),
            Node::ConstArray { of, .. } => {
                list(format!("(as const {})", smt_sort(self.sort(t))), &[of], out);
            }
        }
    }
}

fn smt_sort(sort: Sort) -> String {
    match sort {
        Sort::Bool => "Bool".into(),
        Sort::Bv(width) => format!("(_ BitVec {width})"),
        Sort::Array { index, elem } => {
            format!("(Array (_ BitVec {index}) (_ BitVec {elem}))")
        }
    }
}

fn c_symbol(op: BinOp) -> &'static str {
    match op {
        BinOp::And => "&&",
        BinOp::Eq => "==",
        BinOp::Ult | BinOp::Slt => "<",
        BinOp::Add => "+",
        BinOp::Mul => "*",
        BinOp::Udiv | BinOp::Sdiv => "/",
        BinOp::Urem | BinOp::Srem => "%",
        BinOp::BvAnd => "&",
        BinOp::BvOr => "|",
        BinOp::BvXor => "^",
        BinOp::Shl => "<<",
        BinOp::Lshr | BinOp::Ashr => ">>",
        BinOp::Concat => "##",
        BinOp::Select => "[]",
    }
}

fn smt_symbol(op: BinOp) -> &'static str {
    match op {
        BinOp::And => "and",
        BinOp::Eq => "=",
        BinOp::Ult => "bvult",
        BinOp::Slt => "bvslt",
        BinOp::Add => "bvadd",
        BinOp::Mul => "bvmul",
        BinOp::Udiv => "bvudiv",
        BinOp::Urem => "bvurem",
        BinOp::Sdiv => "bvsdiv",
        BinOp::Srem => "bvsrem",
        BinOp::BvAnd => "bvand",
        BinOp::BvOr => "bvor",
        BinOp::BvXor => "bvxor",
        BinOp::Shl => "bvshl",
        BinOp::Lshr => "bvlshr",
        BinOp::Ashr => "bvashr",
        BinOp::Concat => "concat",
        BinOp::Select => "select",
    }
}
