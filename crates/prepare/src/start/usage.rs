//! What `main` looks at of its arguments. A program that reads only `argv[1]` behaves the same
//! however many arguments follow, and one that reads only `argv[1][0]` however long they are:
//! then a few short arguments stand for all.

use cwolf_cwi::{
    Base, BinOp, Branch, Callee, CheckKind, Expr, ExprKind, FuncId, Function, Place, Program,
    StmtKind, UnOp, VarId,
};

/// Constant indices above this count as any.
const MOST: i128 = 63;

/// Which elements of a list are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// None.
    Nothing,
    /// Those up to this one, by constant indices.
    UpTo(u64),
    /// Perhaps all.
    Any,
}

/// What is read of a list of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Elements of the list.
    pub list: Reach,
    /// Characters of a text.
    pub text: Reach,
}

impl Usage {
    pub(super) const NOTHING: Usage = Usage {
        list: Reach::Nothing,
        text: Reach::Nothing,
    };
    const ANY: Usage = Usage {
        list: Reach::Any,
        text: Reach::Any,
    };
    /// What one or the other reads.
    pub(super) fn join(self, other: Usage) -> Usage {
        Usage {
            list: self.list.max(other.list),
            text: self.text.max(other.text),
        }
    }
}

/// What the function that starts a program reads of its parameter number `n`, a list of texts.
/// `entry` is the function itself, or the wrapper of a rule around `inner`.
pub fn of(program: &Program, entry: FuncId, inner: FuncId, n: usize) -> Usage {
    let function = &program.funcs[inner];
    if entry != inner && handlers_read(&program.funcs[entry], inner, n) {
        return Usage::ANY;
    }
    let (Some(body), Some(var)) = (&function.body, function.params.get(n)) else {
        return Usage::ANY;
    };
    let mut reader = Reader {
        var: *var,
        found: Usage::NOTHING,
    };
    for block in body.blocks.iter() {
        let test = match &block.branch {
            Branch::If { cond, .. } => Some(cond),
            _ => None,
        };
        let mut read = |e: &Expr| match test.is_some_and(|t| std::ptr::eq(t, e)) {
            true => reader.test(e),
            false => reader.value(e),
        };
        let stmts = block
            .stmts
            .iter()
            .filter(|s| !is_inserted(program, &s.kind));
        stmts.for_each(|s| s.kind.for_each_expr(&mut read));
        block.branch.for_each_expr(&mut read);
    }
    reader.found
}

/// Whether a statement only checks what the next one does.
fn is_inserted(program: &Program, stmt: &StmtKind) -> bool {
    matches!(stmt, StmtKind::Assert { check, .. }
        if program.checks[*check].kind != CheckKind::Assertion)
}

/// Whether the wrapper of a rule hands the parameter to anybody but the function itself.
fn handlers_read(wrapper: &Function, inner: FuncId, n: usize) -> bool {
    let (Some(body), Some(var)) = (&wrapper.body, wrapper.params.get(n)) else {
        return true;
    };
    body.blocks.iter().any(|block| {
        let hands_on = matches!(&block.branch,
            Branch::Call { callee: Callee::Direct(f), .. } if *f == inner);
        let mut mentioned = false;
        block.for_each_expr(&mut |e| {
            e.walk(&mut |e| {
                if let ExprKind::Load { place, .. } | ExprKind::AddrOf(place) = &e.kind {
                    mentioned |= place.root() == Some(*var);
                }
            });
        });
        mentioned && !hands_on
    })
}

struct Reader {
    var: VarId,
    found: Usage,
}

fn without_casts(mut e: &Expr) -> &Expr {
    while let ExprKind::Cast(inner) = &e.kind {
        e = inner;
    }
    e
}

/// A pointer and a constant number of elements after it.
fn constant_offset(e: &Expr) -> Option<(&Expr, u64)> {
    match &e.kind {
        ExprKind::PtrAdd { ptr, index, scale } if *scale > 0 => {
            let index = index.as_int().filter(|n| (0..=MOST).contains(n))?;
            Some((ptr, index as u64))
        }
        _ => Some((e, 0)),
    }
}

impl Reader {
    /// The list itself, as a value.
    fn is_list(&self, e: &Expr) -> bool {
        matches!(&e.kind, ExprKind::Load { place, .. } if place.as_var() == Some(self.var))
    }

    /// The number of the list's element that a place is.
    fn element(&self, place: &Place) -> Option<u64> {
        let Base::Deref(pointer) = &place.base else {
            return None;
        };
        let (list, n) = constant_offset(pointer)?;
        (place.path.is_empty() && self.is_list(list)).then_some(n)
    }

    /// The number of the text that an expression is.
    fn text(&self, e: &Expr) -> Option<u64> {
        match &e.kind {
            ExprKind::Load { place, .. } => self.element(place),
            _ => None,
        }
    }

    fn read(&mut self, element: u64, text: Reach) {
        self.found.list = self.found.list.max(Reach::UpTo(element));
        self.found.text = self.found.text.max(text);
    }

    /// A value that is only compared with zero.
    fn test(&mut self, e: &Expr) {
        match self.text(without_casts(e)) {
            Some(n) => self.read(n, Reach::Nothing),
            None => self.value(e),
        }
    }

    fn value(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Unary(UnOp::Not, operand) => return self.test(operand),
            ExprKind::Binary(BinOp::Eq | BinOp::Ne, a, b) => {
                let null = |e: &Expr| without_casts(e).as_int() == Some(0);
                match (null(a), null(b)) {
                    (true, _) => return self.test(b),
                    (_, true) => return self.test(a),
                    _ => {}
                }
            }
            ExprKind::Binary(op, a, b) if op.is_logical() => {
                self.test(a);
                return self.test(b);
            }
            ExprKind::Load { place, .. } => {
                // `argv[1][0]`
                if let Base::Deref(pointer) = &place.base
                    && let Some((text, character)) = constant_offset(pointer)
                    && let Some(n) = self.text(text)
                    && place.path.is_empty()
                {
                    return self.read(n, Reach::UpTo(character));
                }
                if let Some(n) = self.element(place) {
                    return self.read(n, Reach::Any);
                }
                if place.root() == Some(self.var) {
                    self.found = Usage::ANY;
                }
            }
            ExprKind::AddrOf(place)
                if place.root() == Some(self.var) || self.element(place).is_some() =>
            {
                self.found = Usage::ANY;
            }
            _ => {}
        }
        e.for_each_operand(&mut |e| self.value(e));
    }
}
