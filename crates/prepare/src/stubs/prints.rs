//! How much a format makes, and where that goes.

use super::maker::Maker;
use crate::checks::Bound;
use cwolf_cwi::{BinOp, CheckKind, Expr, MemoryTest, Place, StmtKind, TypeId};
use cwolf_known::{Amount, Effect, Outcome, Requirement};

impl Maker<'_, '_> {
    /// How many bytes a format makes with the final zero, and that they fit; none if nothing is
    /// written to memory.
    pub(super) fn prints(&mut self, bound: Option<&Bound>, kinds: &[CheckKind]) -> Option<Expr> {
        let target = self.row.requires.iter().find_map(|r| match r {
            Requirement::Writable { at, bytes } if bytes.mentions_print() => {
                Some((at.itself()?, bytes.clone()))
            }
            _ => None,
        });
        let allocates = self.row.effects.iter().any(|e| match e {
            Effect::Sets { value, .. } => value.iter().any(|outcome| {
                matches!(outcome, Outcome::Fresh { bytes: Some(bytes), .. } if bytes.mentions_print())
            }),
            _ => false,
        });
        let length = bound.and_then(|b| b.length);
        if target.is_none() && !allocates && length.is_none() {
            return None;
        }
        let word = self.word();
        let one = Expr::int(word, 1);
        let count = match length {
            Some(var) => {
                let length = Expr::load(Place::var(word, var));
                self.keep(Expr::binary(BinOp::Add, length, one))
            }
            None => self.some_of(word, one, bound.and_then(|b| b.most)),
        };
        let Some((to, bytes)) = target else {
            return Some(count);
        };
        let to = self.given.args.get(to)?.clone();
        let written = self.written(word, &count, &bytes);
        if kinds.contains(&CheckKind::Bounds) {
            let cond = Expr::memory(MemoryTest::Inside, vec![to.clone(), written.clone()]);
            let text = "the output fits in its buffer";
            self.assert(CheckKind::Bounds, text, cond);
        }
        let size = Some(written.clone());
        let ptr = to.clone();
        self.push(StmtKind::Havoc { ptr, size });
        // What was cut off ends with a zero, too.
        self.when(super::maker::is_not_zero(&written), |maker| {
            maker.end_text(to, written.clone());
        });
        Some(count)
    }

    /// Any number of bytes, at least one and at most one more than `most`.
    fn some_of(&mut self, word: TypeId, one: Expr, most: Option<u64>) -> Expr {
        let count = self.choose(word);
        let some = Expr::binary(BinOp::Ge, count.clone(), one);
        // No call prints more than an `int` can tell.
        let most = most.unwrap_or(i32::MAX as u64 - 1).saturating_add(1);
        let few = Expr::binary(BinOp::Le, count.clone(), Expr::int(word, most.into()));
        self.assume(Expr::binary(BinOp::And, some, few));
        count
    }

    /// How much of `count` bytes that are printed is written: at most what the call has room for.
    fn written(&mut self, word: TypeId, count: &Expr, bytes: &Amount) -> Expr {
        let room = match bytes {
            Amount::Min(a, b) if b.mentions_print() => self.amount(a),
            Amount::Min(a, b) if a.mentions_print() => self.amount(b),
            _ => return count.clone(),
        };
        let Some(room) = room else {
            return count.clone();
        };
        // The smaller of the two, by assumptions: expressions have no choice of their own.
        let written = self.choose(word);
        let is = |op: BinOp, limit: &Expr| Expr::binary(op, written.clone(), limit.clone());
        let both = Expr::binary(BinOp::And, is(BinOp::Le, count), is(BinOp::Le, &room));
        let one = Expr::binary(BinOp::Or, is(BinOp::Eq, count), is(BinOp::Eq, &room));
        self.assume(Expr::binary(BinOp::And, both, one));
        written
    }
}
