//! The texts of labels with values in them. Where a value is one of few, there is a label for
//! each, and the environment knows it after that; where it is one of many, the label is a
//! pattern (see `cwolf_lts::Pattern`), so that nobody takes it for an action.

use super::eval::Context;
use super::labels::Outcome;
use super::layout::int_ty;
use super::scratch::Scratch;
use crate::domain::{Address, Classes, Kind, Target, Value};
use crate::map::{Part, Rule};
use cwolf_cwi::{Base, Expr, ExprKind, FuncId, Type, VarId};
use cwolf_lts::{Pattern, Piece, Values};

impl Context<'_> {
    /// The label of a rule, once for each of the values in it.
    pub fn label(&self, rule: &Rule, env: &Scratch, before: &[String], out: &mut Vec<Outcome>) {
        let limit = self.label_values.max(1) as usize;
        let mut list: Vec<(Scratch, Vec<Piece>)> = vec![(env.clone(), Vec::new())];
        for part in &rule.label {
            match part {
                Part::Text(text) => {
                    let text = Piece::Text(text.clone());
                    list.iter_mut().for_each(|(_, l)| l.push(text.clone()));
                }
                Part::Value(e) => {
                    let room = (limit / list.len()).max(1);
                    let mut next = Vec::new();
                    for (env, pieces) in list {
                        for (env, piece) in self.pieces(&env, e, room) {
                            let mut pieces = pieces.clone();
                            pieces.push(piece);
                            next.push((env, pieces));
                        }
                    }
                    list = next;
                }
            }
        }
        for (env, pieces) in list {
            let mut labels = before.to_vec();
            labels.push(Pattern::new(pieces).to_string());
            out.push((env, labels));
        }
    }
    /// The environment split by the values of an expression, into at most `room` texts where
    /// possible, and by the classes of a partition in any case.
    fn pieces(&self, env: &Scratch, e: &Expr, room: usize) -> Vec<(Scratch, Piece)> {
        let unknown = || vec![(env.clone(), Piece::Hole(Values::Any))];
        if self.may_be_unreadable(env, e) {
            return unknown();
        }
        let v = self.eval(env, e);
        let found: Vec<(Value, Piece)> = match self.program.types[e.ty] {
            Type::Float(_) => match v {
                Value::Float { lo, hi, nan: false } if lo == hi => {
                    let text = format!("{:?}", f64::from_bits(lo));
                    vec![(v, Piece::Text(text))]
                }
                _ => return unknown(),
            },
            Type::Pointer(_) => match self.universe.addresses(v) {
                Some(list) if list.len() <= room => (list.into_iter())
                    .map(|a| (self.universe.address_set([a]), self.address(a)))
                    .collect(),
                _ => return unknown(),
            },
            _ if int_ty(self.program, e.ty).bits > 64 => return unknown(),
            _ => self.numbers(e, v, room),
        };
        let keep = |(v, piece): (Value, Piece)| Some((self.narrow(env, e, v)?, piece));
        let split: Vec<_> = found.into_iter().filter_map(keep).collect();
        match split.is_empty() {
            true => unknown(),
            false => split,
        }
    }
    fn address(&self, a: Address) -> Piece {
        let name = match a.target() {
            Target::Object(n) => &self.program.vars[VarId(n)].name,
            Target::Function(n) => &self.program.funcs[FuncId(n)].name,
            Target::Absolute if a.offset() == Some(0) => return Piece::Text("null".into()),
            Target::Absolute | Target::Freed => return Piece::Hole(Values::Any),
        };
        match a.offset() {
            Some(0) => Piece::Text(format!("&{name}")),
            Some(n) => Piece::Text(format!("&{name}{n:+}")),
            None => Piece::Hole(Values::Any),
        }
    }
    fn numbers(&self, e: &Expr, v: Value, room: usize) -> Vec<(Value, Piece)> {
        let (u, ty) = (self.universe, int_ty(self.program, e.ty));
        let v = match (v, self.kind(e)) {
            // An unknown value of a partition is all its classes.
            (Value::Top, Some(kind)) => u.top(ty, kind),
            (v, _) => v,
        };
        let members = |v: Value, room: usize| {
            let mut list = u.members(ty, v, room as u128)?;
            list.sort_unstable();
            let each = |n: i128| (Value::Int(n as u64), Piece::Text(n.to_string()));
            Some(list.into_iter().map(each).collect::<Vec<_>>())
        };
        if let Some(all) = members(v, room) {
            return all;
        }
        let classes: Vec<Value> = match v {
            Value::Mask { classes, bits } => (0..64)
                .filter(|n| bits >> n & 1 == 1)
                .map(|n| Value::Mask {
                    classes,
                    bits: 1 << n,
                })
                .collect(),
            v => vec![v],
        };
        // A class with few members may still be told by each of them.
        let each = room / classes.len().max(1);
        let class = |v: Value| match members(v, each) {
            Some(all)
                if matches!(
                    v,
                    Value::Mask {
                        classes: Classes::Part(_) | Classes::Bool,
                        ..
                    }
                ) =>
            {
                all
            }
            _ => vec![(v, Piece::Hole(self.spans(e, v)))],
        };
        classes.into_iter().flat_map(class).collect()
    }
    /// The pattern of a set of numbers.
    fn spans(&self, e: &Expr, v: Value) -> Values {
        let ty = int_ty(self.program, e.ty);
        if self.universe.is_top(ty, v) {
            return Values::Any;
        }
        let pieces = self.universe.gamma(ty, v);
        let spans = pieces.iter().map(|p| (p.lo, p.hi, p.step.max(1)));
        Values::numbers(spans).unwrap_or(Values::Any)
    }
    /// What the map keeps of the variable that an expression reads.
    fn kind(&self, e: &Expr) -> Option<Kind> {
        let ExprKind::Load { place, .. } = &e.kind else {
            return None;
        };
        let Base::Var(var) = place.base else {
            return None;
        };
        let (offset, _) = super::liveness::bits(self.program, place)?;
        let mut slots = self.slots(var);
        let slot =
            slots.find(|s| i128::from(s.cell.bit_offset) == offset && s.cell.ty == place.ty)?;
        Some(slot.cell.kind)
    }
}
