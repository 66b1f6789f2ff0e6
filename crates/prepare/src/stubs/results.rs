//! What a call returns: any of what its row allows.

use super::changes::range_is_result;
use super::maker::{Maker, is_not_zero, is_zero};
use cwolf_cwi::{
    BinOp, BlockId, Branch, Case, Expr, ExprKind, IntTy, MemoryTest, Type, TypeId, Types, UnOp,
};
use cwolf_known::{Amount, End, Outcome, Range};

/// Whether a call that returns something has succeeded.
enum Success {
    Yes,
    No,
    /// If the condition holds.
    If(Expr),
}

impl Maker<'_, '_> {
    /// The end of the body: a choice among what may be returned.
    pub(super) fn result(&mut self, ret: TypeId, count: Option<Expr>) {
        if self.row.ends().is_some_and(|e| e != End::Undefined)
            || self.program.funcs[self.func].noreturn
        {
            let status = Expr::int(Types::INT, 1);
            return self.seal(Branch::Halt(status));
        }
        if matches!(self.program.types[ret], Type::Void) {
            self.may_set_errno();
            self.sets(true);
            return self.seal(Branch::Return(None));
        }
        if !self.program.types.is_scalar(ret) {
            let value = self.choose(ret);
            return self.seal(Branch::Return(Some(value)));
        }
        if let Some(count) = count {
            let less = Expr::binary(BinOp::Sub, count.clone(), Expr::int(count.ty, 1));
            let value = self.keep(Expr::cast(ret, less));
            self.given.result = Some(value.clone());
            self.may_set_errno();
            self.sets(true);
            return self.seal(Branch::Return(Some(value)));
        }
        self.shuts(ret);
        let outcomes: Vec<Option<Outcome>> = match self.row.result.as_slice() {
            [] => vec![None],
            list => {
                let possible = |o: &&Outcome| **o != Outcome::Kept || self.may_be_kept();
                let list: Vec<_> = list.iter().filter(possible).cloned().map(Some).collect();
                match list.is_empty() {
                    true => vec![None],
                    false => list,
                }
            }
        };
        if let [one] = outcomes.as_slice() {
            return self.returns(ret, one.as_ref());
        }
        let on = self.choose(Types::INT);
        let switch = self.blocks.len();
        let default = BlockId(switch as u32 + 1);
        let cases = Vec::new();
        self.seal(Branch::Switch { on, cases, default });
        let mut targets = Vec::new();
        for outcome in &outcomes {
            targets.push(self.here());
            self.returns(ret, outcome.as_ref());
        }
        let numbered = targets.into_iter().enumerate().skip(1);
        if let Branch::Switch { cases, .. } = &mut self.blocks[switch].branch {
            cases.extend(numbered.map(|(n, target)| Case {
                lo: n as i128,
                hi: n as i128,
                target,
            }));
        }
    }

    /// Whether the program has a function of the same header that keeps pointers.
    fn may_be_kept(&self) -> bool {
        self.program.funcs.iter().any(|f| {
            let row = cwolf_known::lookup(&f.name);
            row.is_some_and(|row| row.file == self.row.file && row.keeps_pointers())
        })
    }

    /// Returns one of what is possible.
    fn returns(&mut self, ret: TypeId, outcome: Option<&Outcome>) {
        self.instead_of_argument(outcome);
        let settled = self.settled.len();
        let value = self.outcome(ret, outcome);
        let value = self.keep(value);
        let value = self.opened(value);
        self.given.result = Some(value.clone());
        match self.success(outcome, &value) {
            Success::Yes => {
                self.sets(true);
                self.may_set_errno();
            }
            Success::No => {
                self.sets(false);
                self.set_errno();
            }
            Success::If(cond) => {
                self.sets(false);
                self.may_set_errno();
                let failed = Expr::unary(UnOp::Not, cond.clone());
                self.when(failed, Self::set_errno);
                self.when(cond, |maker| maker.sets(true));
            }
        }
        self.settled.truncate(settled);
        self.given.result = None;
        self.seal(Branch::Return(Some(value)));
    }

    /// A function that fills a buffer or makes one (`realpath`) makes it if it was given none.
    fn instead_of_argument(&mut self, outcome: Option<&Outcome>) {
        let argument = |outcome: &Outcome| match outcome {
            Outcome::Range(range) => match range.single() {
                Some(Amount::Arg(at)) => at.itself().filter(|n| self.row.nullable(*n)),
                _ => None,
            },
            _ => None,
        };
        let Some(n) = self.row.result.iter().find_map(argument) else {
            return;
        };
        let Some(arg) = self.given.args.get(n).cloned() else {
            return;
        };
        match outcome {
            Some(Outcome::Fresh { .. } | Outcome::Static { .. }) => self.assume(is_zero(&arg)),
            Some(one) if argument(one) == Some(n) => self.assume(is_not_zero(&arg)),
            _ => {}
        }
    }

    /// The library says that it failed by null, by a negative number, or, if it returns the number
    /// of an error, by another number than zero.
    fn success(&self, outcome: Option<&Outcome>, value: &Expr) -> Success {
        let model = crate::requirements::model(self.program);
        let constant = |amount: &Option<Amount>| amount.as_ref().and_then(|a| a.value(model));
        let zero = self.row.result.iter().any(|o| match o {
            Outcome::Range(range) => range.single().and_then(|a| a.value(model)) == Some(0),
            _ => false,
        });
        match outcome {
            // A floating-point number says nothing of the kind.
            _ if matches!(self.program.types[value.ty], Type::Float(_)) => Success::Yes,
            Some(Outcome::Null) => Success::No,
            Some(Outcome::Range(range)) => match (constant(&range.low), constant(&range.high)) {
                (Some(0), Some(0)) => Success::Yes,
                (_, Some(high)) if high < 0 => Success::No,
                (Some(low), _) if low > 0 && zero => Success::No,
                (Some(-1), _) => {
                    let none = Expr::int(value.ty, 0);
                    Success::If(Expr::binary(BinOp::Ge, value.clone(), none))
                }
                // It may be a number of an error, or what the function is for.
                (Some(0), Some(_)) => Success::No,
                _ => Success::Yes,
            },
            _ => Success::Yes,
        }
    }

    /// Something that may be returned, or stored.
    pub(super) fn outcome(&mut self, ty: TypeId, outcome: Option<&Outcome>) -> Expr {
        let pointer = self.is_pointer(ty);
        match outcome {
            Some(Outcome::Null) => Expr::int(ty, 0),
            Some(Outcome::Range(range)) => self.range(ty, range),
            Some(Outcome::Into(at)) => match self.given.pointer(self.program, at) {
                Some(p) if pointer => self.into(ty, p),
                _ => self.choose(ty),
            },
            Some(Outcome::Fresh { bytes, contents }) if pointer => {
                let bytes = bytes.as_ref().and_then(|b| self.printed_or(b));
                self.fresh(ty, bytes, *contents)
            }
            Some(Outcome::Handle) if pointer => self.handle(ty),
            Some(Outcome::Mapped { bytes, flags }) if pointer => self.mapped(ty, bytes, *flags),
            Some(Outcome::Held(param)) if pointer => match self.given.args.get(*param).cloned() {
                Some(handle) => self.held(ty, handle),
                None => self.choose(ty),
            },
            Some(Outcome::Text) if pointer => self.text(ty),
            Some(Outcome::Static { bytes, text }) if pointer => {
                let model = crate::requirements::model(self.program);
                let bytes = bytes.as_ref().and_then(|b| b.value(model));
                match bytes.and_then(|n| u64::try_from(n).ok()) {
                    Some(bytes) => self.library_object(ty, bytes, *text),
                    None => self.text(ty),
                }
            }
            Some(
                Outcome::Fresh { .. }
                | Outcome::Static { .. }
                | Outcome::Mapped { .. }
                | Outcome::Held(_)
                | Outcome::Text
                | Outcome::Nonempty
                | Outcome::Handle
                | Outcome::Errno
                | Outcome::Stack(_),
            ) => {
                let value = self.choose(ty);
                self.assume(is_not_zero(&value));
                if pointer {
                    let live = Expr::memory(MemoryTest::Live, vec![value.clone()]);
                    self.assume(live);
                }
                value
            }
            Some(Outcome::Any | Outcome::Kept | Outcome::Function) | None => self.choose(ty),
        }
    }

    /// A size in bytes; what a format makes is one more than the result.
    fn printed_or(&mut self, bytes: &Amount) -> Option<Expr> {
        if !bytes.mentions_print() {
            return self.amount(bytes);
        }
        let word = self.word();
        let length = Expr::cast(word, self.given.result.clone()?);
        Some(Expr::binary(BinOp::Add, length, Expr::int(word, 1)))
    }

    /// A pointer somewhere from `p` on, inside the same object.
    fn into(&mut self, ty: TypeId, p: Expr) -> Expr {
        let word = self.word();
        let by = self.choose(word);
        let inside = Expr::memory(MemoryTest::Inside, vec![p.clone(), by.clone()]);
        self.assume(inside);
        let moved = self.moved(p, by);
        Expr::cast(ty, moved)
    }

    fn range(&mut self, ty: TypeId, range: &Range) -> Expr {
        if range_is_result(range)
            && let Some(result) = self.given.result.clone()
        {
            return Expr::cast(ty, result);
        }
        let model = crate::requirements::model(self.program);
        if self.is_pointer(ty) {
            let single = range.single();
            if let Some(n) = single.and_then(|a| a.value(model)) {
                let bits = self.program.target().word(true).bits;
                let signed = self.program.types.int(bits, true);
                return Expr::cast(ty, Expr::int(signed, n));
            }
            return match single.and_then(|a| self.address(a)) {
                Some(p) => Expr::cast(ty, p),
                None => self.choose(ty),
            };
        }
        // An argument itself (`dup2`).
        if let Some(Amount::Arg(at)) = range.single()
            && let Some(arg) = at.itself().and_then(|n| self.given.args.get(n))
        {
            return Expr::cast(ty, arg.clone());
        }
        let value = self.choose(ty);
        if let Type::Float(f) = self.program.types[ty] {
            let bounds = [(BinOp::Lt, &range.low), (BinOp::Gt, &range.high)];
            for (outside, bound) in bounds {
                let Some(n) = bound.as_ref().and_then(|b| b.value(model)) else {
                    continue;
                };
                let wide = IntTy::new(128, true);
                let bits = cwolf_cwi::value::float::from_int(f, wide, n);
                let kind = ExprKind::Float(bits);
                let limit = Expr { ty, kind };
                // A NaN is not outside: what is not a number is always possible.
                let cond = Expr::binary(outside, value.clone(), limit);
                self.assume(Expr::unary(UnOp::Not, cond));
            }
            return value;
        }
        if cwolf_cwi::value::int_type(&self.program.types, ty).is_none() {
            return value;
        }
        let bounds = [(BinOp::Ge, &range.low), (BinOp::Le, &range.high)];
        for (op, bound) in bounds {
            let Some(bound) = bound else { continue };
            let cond = match bound.value(model) {
                Some(n) => {
                    let limit = self.constant(ty, n);
                    limit.map(|limit| Expr::binary(op, value.clone(), limit))
                }
                None if op == BinOp::Le => self.at_most(&value, bound),
                None => None,
            };
            if let Some(cond) = cond {
                self.assume(cond);
            }
        }
        value
    }

    /// A pointer that is moved by some bytes.
    fn address(&mut self, amount: &Amount) -> Option<Expr> {
        match amount {
            Amount::Arg(at) => self.given.pointer(self.program, at),
            Amount::Add(start, by) => {
                let by = self.amount(by)?;
                let start = self.address(start)?;
                Some(self.moved(start, by))
            }
            _ => None,
        }
    }

    fn constant(&self, ty: TypeId, n: i128) -> Option<Expr> {
        let int = cwolf_cwi::value::int_type(&self.program.types, ty)?;
        let fits = cwolf_cwi::value::min(int) <= n && n <= cwolf_cwi::value::max(int);
        fits.then(|| Expr::int(ty, n))
    }

    /// `value <= bound` for a bound that is no negative number; a negative value says that the call
    /// failed.
    fn at_most(&mut self, value: &Expr, bound: &Amount) -> Option<Expr> {
        // Either bound of a smaller one is a bound.
        if let Amount::Min(a, b) = bound {
            return match (self.at_most(value, a), self.at_most(value, b)) {
                (Some(a), Some(b)) => Some(Expr::binary(BinOp::And, a, b)),
                (one, other) => one.or(other),
            };
        }
        let limit = self.amount(bound)?;
        let signed = self.program.types.as_int(value.ty)?.signed;
        let below = Expr::binary(BinOp::Le, Expr::cast(limit.ty, value.clone()), limit);
        if !signed {
            return Some(below);
        }
        let none = Expr::int(value.ty, 0);
        let failed = Expr::binary(BinOp::Lt, value.clone(), none);
        Some(Expr::binary(BinOp::Or, failed, below))
    }
}
