//! What a known function requires of its arguments, as conditions over them.

use crate::conditions::Collector;
use crate::places::Given;
use crate::stubs::handle_start;
use cwolf_cwi::{
    BinOp, CheckKind, Expr, ExprKind, InitValue, MemoryTest, Place, Program, Types, UnOp, VarKind,
};
use cwolf_known::{Amount, Effect, Model, Path, Range, Requirement, Row, Subject};

/// Demands what `row` requires of a call with these arguments. Whether that is all: some of it would have to
/// be counted in memory, as the length of a string.
pub(crate) fn demand_all(collector: &mut Collector<'_>, row: &Row, args: &[Expr]) -> bool {
    let given = &Given::new(collector.program, args);
    let mut call = Call {
        collector,
        row,
        given,
        complete: true,
    };
    for requirement in &row.requires {
        call.requirement(requirement);
    }
    call.complete
}

/// Demands that handles are open, of a call of a function whose model in C does not ask.
pub(crate) fn demand_handles(collector: &mut Collector<'_>, row: &Row, args: &[Expr]) {
    let given = &Given::new(collector.program, args);
    let mut call = Call {
        collector,
        row,
        given,
        complete: true,
    };
    let handle = |r: &&Requirement| matches!(r, Requirement::Handle(_));
    for requirement in row.requires.iter().filter(handle) {
        call.requirement(requirement);
    }
}

/// The data model that the table speaks of.
pub(crate) fn model(program: &Program) -> Model {
    let target = program.target();
    Model::of(target.pointer_bits, target.is_x86)
}

/// An amount as an unsigned word, if that can be said without counting in memory.
pub(crate) fn amount(
    program: &mut Program,
    row: &Row,
    given: &Given,
    amount_of: &Amount,
) -> Option<Expr> {
    let model = model(program);
    let bits = program.target().word(false).bits;
    let word = program.types.int(bits, false);
    if let Some(n) = amount_of.value(model) {
        return u64::try_from(n).ok().map(|n| Expr::int(word, n.into()));
    }
    let mut both = |op: BinOp, a: &Amount, b: &Amount| {
        let a = amount(program, row, given, a)?;
        let b = amount(program, row, given, b)?;
        Some(Expr::binary(op, a, b))
    };
    match amount_of {
        Amount::Arg(subject) => {
            let arg = given.value(program, subject)?;
            let int = program.types.as_int(arg.ty)?;
            let wide = match int.signed {
                true => Expr::cast(program.types.int(bits, true), arg),
                false => arg,
            };
            Some(Expr::cast(word, wide))
        }
        Amount::Pointee(param) => {
            let ty = row.prototype.params.get(*param)?.ty.pointee()?;
            let size = ty.size(model)?;
            Some(Expr::int(word, size.into()))
        }
        Amount::Add(a, b) => both(BinOp::Add, a, b),
        Amount::Sub(a, b) => both(BinOp::Sub, a, b),
        Amount::Mul(a, b) => both(BinOp::Mul, a, b),
        _ => None,
    }
}

struct Call<'c, 'p, 'r> {
    collector: &'c mut Collector<'p>,
    row: &'r Row,
    given: &'r Given,
    /// Whether all could be said so far.
    complete: bool,
}

impl Call<'_, '_, '_> {
    /// The pointer that a requirement is about. Where the program's types have none there, nothing can be said.
    fn pointer(&mut self, at: &Subject) -> Option<Expr> {
        let found = self.given.pointer(self.collector.program, at);
        self.complete &= found.is_some();
        found
    }

    fn amount(&mut self, bytes: &Amount) -> Option<Expr> {
        amount(self.collector.program, self.row, self.given, bytes)
    }

    /// Where a handle would lead if it were a stream: that is what can be asked about.
    fn as_stream(&mut self, handle: Expr, kind: usize) -> Expr {
        if kind == 0 {
            return handle;
        }
        let program = &mut *self.collector.program;
        let bytes = program.types.pointer(Types::CHAR);
        let bits = program.target().word(true).bits;
        let signed = program.types.int(bits, true);
        let way = i128::from(handle_start(0)) - i128::from(handle_start(kind));
        Expr {
            ty: bytes,
            kind: ExprKind::PtrAdd {
                ptr: Box::new(Expr::cast(bytes, handle)),
                index: Box::new(Expr::int(signed, way)),
                scale: 1,
            },
        }
    }

    fn requirement(&mut self, requirement: &Requirement) {
        match requirement {
            Requirement::NotNull(param) => {
                if let Some(p) = self.pointer(&Subject::param(*param)) {
                    let cond = not_null(&p);
                    let text = "the argument is not null";
                    self.collector.demand(CheckKind::Pointer, text, cond);
                }
            }
            Requirement::NotNullUnlessEmpty(param, bytes) => {
                if let Some(p) = self.pointer(&Subject::param(*param)) {
                    let cond = match self.is_nothing(bytes) {
                        Some(nothing) => Expr::binary(BinOp::Or, nothing, not_null(&p)),
                        None => not_null(&p),
                    };
                    let text = "the argument is not null";
                    self.collector.demand(CheckKind::Pointer, text, cond);
                }
            }
            Requirement::Handle(at) => {
                if let Some(p) = self.pointer(at) {
                    let open = match self.row.is_made_by_library(at.param) {
                        true => {
                            let kind = self.row.handle_kind(at.param);
                            let start = self.as_stream(p.clone(), kind);
                            Expr::memory(MemoryTest::Open, vec![start])
                        }
                        false => not_null(&p),
                    };
                    let cond = self.unless_null(at, &p, open);
                    let text = "the handle is open";
                    self.collector.demand(CheckKind::Pointer, text, cond);
                }
            }
            Requirement::Readable { at, bytes } => self.extent(at, bytes, false),
            Requirement::Writable { at, bytes } => self.extent(at, bytes, true),
            Requirement::Text {
                at,
                wide: false,
                within: None,
                end: None,
            } => self.text(at),
            Requirement::Text {
                at,
                wide,
                within,
                end,
            } => self.elements(at, *wide, within.as_ref(), end.is_some()),
            Requirement::Texts(at) => {
                if let Some(p) = self.pointer(at) {
                    self.live(at, &p, None);
                }
                // That the list ends is not.
                self.complete = false;
            }
            // Where an earlier call left off is the library's own affair.
            Requirement::IfNull(..) => self.complete = false,
            Requirement::Within { at, ranges } => self.within(at, ranges),
            Requirement::Heap(at) => {
                if let Some(p) = self.pointer(at) {
                    let cond = Expr::memory(MemoryTest::Freeable, vec![p]);
                    let text = "the freed memory was allocated and not freed before";
                    self.collector.demand(CheckKind::Pointer, text, cond);
                }
            }
            Requirement::Function(param) => {
                let at = Subject::param(*param);
                if let Some(p) = self.pointer(&at) {
                    let cond = Expr::memory(MemoryTest::Callable, vec![p.clone()]);
                    let cond = self.unless_null(&at, &p, cond);
                    let text = "the function pointer is valid";
                    self.collector.demand(CheckKind::Pointer, text, cond);
                }
            }
            Requirement::Apart(to, from) => self.apart(*to, *from),
            // Formats are looked at where the call stands; the rest is not about memory.
            _ => {}
        }
    }

    /// What is said of a pointer that may be null counts only if it is not; so does what is said
    /// of one that lies behind an argument.
    fn unless_null(&self, at: &Subject, p: &Expr, cond: Expr) -> Expr {
        let n = at.param;
        let empty = |r: &Requirement| matches!(r, Requirement::NotNullUnlessEmpty(p, _) if *p == n);
        let behind = at.path != Path::Itself;
        match behind || self.row.nullable(n) || self.row.requires.iter().any(empty) {
            true => Expr::binary(BinOp::Or, Expr::unary(UnOp::Not, p.clone()), cond),
            false => cond,
        }
    }

    /// The pointer leads to a live object, unless nothing is done with it.
    fn live(&mut self, at: &Subject, p: &Expr, count: Option<&Expr>) {
        let live = Expr::memory(MemoryTest::Live, vec![p.clone()]);
        let cond = unless_zero(count, live);
        let cond = self.unless_null(at, p, cond);
        self.collector
            .demand(CheckKind::Pointer, "the pointer is valid", cond);
    }

    fn extent(&mut self, at: &Subject, bytes: &Amount, written: bool) {
        let Some(p) = self.pointer(at) else {
            return;
        };
        let count = self.amount(bytes);
        self.live(at, &p, count.as_ref());
        if written {
            let mutable = Expr::memory(MemoryTest::Mutable, vec![p.clone()]);
            let cond = unless_zero(count.as_ref(), mutable);
            let cond = self.unless_null(at, &p, cond);
            let text = "the memory written is not read-only";
            self.collector.demand(CheckKind::Pointer, text, cond);
        }
        // What is printed is looked at where the format is.
        if bytes.mentions_print() {
            return;
        }
        if bytes.mentions_input() {
            let text = "the input fits in its buffer, however long it is";
            let cond = Expr::int(Types::INT, 0);
            return self.collector.demand(CheckKind::Bounds, text, cond);
        }
        match self.inside(&p, bytes) {
            Some(inside) => {
                let cond = self.unless_null(at, &p, inside);
                let text = "the access stays inside its object";
                self.collector.demand(CheckKind::Bounds, text, cond);
            }
            None => self.complete &= self.is_within_text(at, bytes),
        }
    }

    /// So many bytes lie inside the object that a pointer leads to.
    fn inside(&mut self, p: &Expr, bytes: &Amount) -> Option<Expr> {
        let mut both = |op: BinOp, a: &Amount, b: &Amount| {
            Some(Expr::binary(op, self.inside(p, a)?, self.inside(p, b)?))
        };
        match bytes {
            Amount::Min(a, b) => both(BinOp::Or, a, b),
            Amount::Max(a, b) => both(BinOp::And, a, b),
            _ => {
                let count = self.amount(bytes)?;
                Some(Expr::memory(MemoryTest::Inside, vec![p.clone(), count]))
            }
        }
    }

    /// Whether the bytes are those of a string at the same place, which the row requires too.
    fn is_within_text(&self, at: &Subject, bytes: &Amount) -> bool {
        let text =
            |r: &Requirement| matches!(r, Requirement::Text { at: a, within: None, .. } if a == at);
        let counted = match bytes {
            Amount::Strlen(of) => of == at,
            Amount::Mul(of, _) => matches!(&**of, Amount::Wcslen(of) if of == at),
            _ => false,
        };
        counted && self.row.requires.iter().any(text)
    }

    /// The count is zero, if that can be said.
    fn is_nothing(&mut self, bytes: &Amount) -> Option<Expr> {
        match bytes {
            Amount::Min(a, b) => match (self.is_nothing(a), self.is_nothing(b)) {
                (Some(a), Some(b)) => Some(Expr::binary(BinOp::Or, a, b)),
                (one, other) => one.or(other),
            },
            _ => {
                let count = self.amount(bytes)?;
                Some(Expr::binary(
                    BinOp::Eq,
                    count.clone(),
                    Expr::int(count.ty, 0),
                ))
            }
        }
    }

    /// A string that ends with a byte or element, or has so many.
    fn elements(&mut self, at: &Subject, wide: bool, within: Option<&Amount>, other_end: bool) {
        let Some(p) = self.pointer(at) else {
            return;
        };
        let count = within.and_then(|n| self.amount(n));
        self.live(at, &p, count.as_ref());
        let room = within.map(|n| match wide {
            true => Amount::Mul(Box::new(n.clone()), Box::new(Amount::Const(4))),
            false => n.clone(),
        });
        let room = room.and_then(|room| self.inside(&p, &room));
        let test = match wide {
            true => MemoryTest::WideText,
            false => MemoryTest::Text,
        };
        let ends = (!other_end).then(|| Expr::memory(test, vec![p.clone()]));
        let cond = match (ends, room) {
            (Some(ends), Some(room)) => Expr::binary(BinOp::Or, ends, room),
            (Some(ends), None) if within.is_none() => ends,
            // More than the function asks for; the real one decides.
            (Some(one), None) | (None, Some(one)) if self.row.is_defined() => one,
            _ => return self.complete = false,
        };
        let cond = self.unless_null(at, &p, cond);
        let text = "the string ends inside its object";
        self.collector.demand(CheckKind::Bounds, text, cond);
    }

    /// The value is in one of the ranges.
    fn within(&mut self, at: &Subject, ranges: &[Range]) {
        let value = self.given.value(self.collector.program, at);
        let Some((value, int)) = value.and_then(|v| {
            let int = self.collector.program.types.as_int(v.ty)?;
            Some((v, int))
        }) else {
            return;
        };
        let model = model(self.collector.program);
        let (min, max) = (cwolf_cwi::value::min(int), cwolf_cwi::value::max(int));
        let (mut cond, mut left_out) = (Expr::int(Types::INT, 0), vec![(min, max)]);
        for range in ranges {
            let bound = |a: &Option<Amount>, open: i128| match a {
                Some(a) => a.value(model),
                None => Some(open),
            };
            let (Some(low), Some(high)) = (bound(&range.low, min), bound(&range.high, max)) else {
                return self.complete = false;
            };
            let (low, high) = (low.max(min), high.min(max));
            let limit =
                |op: BinOp, n: i128| Expr::binary(op, value.clone(), Expr::int(value.ty, n));
            let here = match (low == min, high == max) {
                (true, true) => return,
                (true, false) => limit(BinOp::Le, high),
                (false, true) => limit(BinOp::Ge, low),
                (false, false) => {
                    Expr::binary(BinOp::And, limit(BinOp::Ge, low), limit(BinOp::Le, high))
                }
            };
            cond = match cond.as_int() {
                Some(0) => here,
                _ => Expr::binary(BinOp::Or, cond, here),
            };
            let rest = left_out
                .iter()
                .flat_map(|(a, b)| [(*a, low - 1), (high + 1, *b)]);
            left_out = rest.filter(|(a, b)| a <= b).collect();
        }
        // What kind of mistake it is shows in the values that are left out.
        let kind = match left_out.as_slice() {
            [(0, 0)] => CheckKind::DivisionByZero,
            [(a, b)] if int.signed && *a == min && *b == min => CheckKind::Overflow,
            _ => CheckKind::Bounds,
        };
        let text = "the argument is one that the function is defined for";
        self.collector.demand(kind, text, cond);
    }

    fn text(&mut self, at: &Subject) {
        let Some(p) = self.pointer(at) else {
            return;
        };
        if is_text(self.collector.program, &p) {
            return;
        }
        self.live(at, &p, None);
        let text = Expr::memory(MemoryTest::Text, vec![p.clone()]);
        let cond = self.unless_null(at, &p, text);
        let text = "the string ends inside its object";
        self.collector.demand(CheckKind::Bounds, text, cond);
    }

    fn apart(&mut self, to: usize, from: usize) {
        let copied = self.row.effects.iter().find_map(|e| match e {
            Effect::Copies {
                to: t,
                from: f,
                bytes,
            } if t.itself() == Some(to) && f.itself() == Some(from) => Some(bytes),
            _ => None,
        });
        let pointers = (
            self.pointer(&Subject::param(to)),
            self.pointer(&Subject::param(from)),
        );
        let (Some(bytes), (Some(p), Some(q))) = (copied, pointers) else {
            return;
        };
        if let Some(count) = self.amount(bytes) {
            let cond = Expr::memory(MemoryTest::Apart, vec![p, q, count]);
            let text = "source and target do not overlap";
            self.collector.demand(CheckKind::Pointer, text, cond);
        }
    }
}

fn not_null(p: &Expr) -> Expr {
    Expr::binary(BinOp::Ne, p.clone(), Expr::int(p.ty, 0))
}

fn unless_zero(count: Option<&Expr>, cond: Expr) -> Expr {
    match count {
        None => cond,
        Some(n) if n.as_int().is_some_and(|n| n != 0) => cond,
        Some(n) => {
            let none = Expr::binary(BinOp::Eq, n.clone(), Expr::int(n.ty, 0));
            Expr::binary(BinOp::Or, none, cond)
        }
    }
}

/// Whether a pointer is the start of a string literal or other constant text.
pub(crate) fn is_text(program: &Program, e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Cast(inner) => is_text(program, inner),
        ExprKind::AddrOf(Place { base, .. }) => {
            let cwolf_cwi::Base::Var(var) = base else {
                return false;
            };
            let var = &program.vars[*var];
            let zero = |bytes: &[u8]| bytes.contains(&0);
            var.kind == VarKind::Literal
                && var.init.iter().all(|item| match &item.value {
                    InitValue::Bytes(bytes) => {
                        zero(bytes) || (bytes.len() as u64) < program.types.size_of(var.ty)
                    }
                    _ => false,
                })
        }
        _ => false,
    }
}
