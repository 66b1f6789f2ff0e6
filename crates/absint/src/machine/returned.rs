//! What a function of the C library returns, as its row says, and the amounts in rows.

use super::Code;
use super::calls::Call;
use super::scratch::Scratch;
use crate::domain::{Address, Kind, Value};
use cwolf_cwi::{Type, TypeId, value};
use cwolf_known::{Amount, Model, Outcome, Row};

impl Code<'_> {
    fn model(&self) -> Model {
        let target = self.program.types.target();
        Model::of(target.pointer_bits, target.is_x86)
    }
    /// The least and the greatest value of an amount before a call, if they are known.
    pub(super) fn amount(
        &self,
        call: &Call<'_>,
        row: &Row,
        amount: &Amount,
        env: &Scratch,
    ) -> Option<(i128, i128)> {
        let of = |amount: &Amount| self.amount(call, row, amount, env);
        let both = |a: &Amount, b: &Amount| of(a).zip(of(b));
        Some(match amount {
            Amount::Const(n) => (*n, *n),
            Amount::Limit(limit) => {
                let n = limit.value(self.model());
                (n, n)
            }
            Amount::Arg(subject) => {
                let e = call.args.get(subject.itself()?)?;
                let Type::Int(ty) = self.program.types[e.ty] else {
                    return None;
                };
                let v = self.context(call.func, call.block).eval(env, e);
                match (ty.bits, v) {
                    (0..=64, Value::Address(_) | Value::Addresses(_)) => return None,
                    (0..=64, v) => self.universe.bounds(ty, v)?,
                    _ => return None,
                }
            }
            Amount::Pointee(param) => {
                let ty = &row.prototype.params.get(*param)?.ty;
                let size = ty.pointee()?.size(self.model())?;
                (size.into(), size.into())
            }
            Amount::SizeOf(name) => {
                let size = cwolf_known::size_of(name, self.model())?;
                (size.into(), size.into())
            }
            Amount::Strlen(subject) => {
                let length = self.length(call, subject.itself()?, env)?;
                (length, length)
            }
            Amount::Add(a, b) => {
                let ((a, b), (c, d)) = both(a, b)?;
                (a.checked_add(c)?, b.checked_add(d)?)
            }
            Amount::Sub(a, b) => {
                let ((a, b), (c, d)) = both(a, b)?;
                (a.checked_sub(d)?, b.checked_sub(c)?)
            }
            Amount::Mul(a, b) => {
                let ((a, b), (c, d)) = both(a, b)?;
                let plain = a >= 0 && c >= 0;
                return plain.then(|| Some((a.checked_mul(c)?, b.checked_mul(d)?)))?;
            }
            Amount::Min(a, b) => match (of(a), of(b)) {
                (Some((a, b)), Some((c, d))) => (a.min(c), b.min(d)),
                // What is known of one side bounds the result from above.
                (Some((_, b)), None) | (None, Some((_, b))) => (0, b),
                (None, None) => return None,
            },
            Amount::Max(a, b) => {
                let ((a, b), (c, d)) = both(a, b)?;
                (a.max(c), b.max(d))
            }
            _ => return None,
        })
    }
    /// The length of a string that is known.
    fn length(&self, call: &Call<'_>, arg: usize, env: &Scratch) -> Option<i128> {
        let context = self.context(call.func, call.block);
        let value = context.eval(env, call.args.get(arg)?);
        let [only] = self.universe.addresses(value)?[..] else {
            return None;
        };
        let bytes = context.bytes_of(env, only.target())?;
        let rest = bytes.get(usize::try_from(only.offset()?).ok()?..)?;
        for (n, byte) in rest.iter().enumerate() {
            if (*byte)? == 0 {
                return Some(n as i128);
            }
        }
        None
    }
    /// What a call may return, as its row says.
    pub(super) fn returned(&self, call: &Call<'_>, row: &Row, ret: TypeId, env: &Scratch) -> Value {
        let context = self.context(call.func, call.block);
        let pointer = context.is_pointer(ret);
        let int = match self.program.types[ret] {
            Type::Int(int) if int.bits <= 64 => Some(int),
            Type::Pointer(_) => None,
            _ => return Value::Top,
        };
        let anywhere = |arg: usize| -> Option<Value> {
            let value = context.eval(env, call.args.get(arg)?);
            let list = self.universe.addresses(value)?.into_iter();
            Some(self.universe.address_set(list.map(|a| match a {
                Address::NULL => a,
                a => Address::new(a.target(), None),
            })))
        };
        let one = |outcome: &Outcome| -> Option<Value> {
            match outcome {
                Outcome::Null if pointer => Some(self.universe.null()),
                Outcome::Into(subject) if pointer => anywhere(subject.itself()?),
                Outcome::Range(range) if pointer => match (&range.low, &range.high) {
                    (Some(Amount::Arg(a)), Some(Amount::Arg(b))) if a == b => {
                        let e = call.args.get(a.itself()?)?;
                        context.is_pointer(e.ty).then(|| context.eval(env, e))
                    }
                    _ => None,
                },
                Outcome::Range(range) => {
                    let int = int?;
                    let bound = |amount: &Option<Amount>| match amount {
                        Some(amount) => self.amount(call, row, amount, env).map(Some),
                        None => Some(None),
                    };
                    let (low, high) = (bound(&range.low), bound(&range.high));
                    let low = low.flatten().map_or(value::min(int), |b| b.0);
                    let high = high.flatten().map_or(value::max(int), |b| b.1);
                    Some(
                        self.universe
                            .between(int, Value::Top, low, high, Kind::Free),
                    )
                }
                _ => None,
            }
        };
        let mut all = Value::Bottom;
        for outcome in &row.result {
            match one(outcome) {
                Some(v) => all = context.join(ret, all, v),
                None => return Value::Top,
            }
        }
        match all {
            Value::Bottom => Value::Top,
            v => context.keep(ret, Kind::Free, v),
        }
    }
}
