//! What an access tells about the pointer that it goes through: a run that goes on after it was given an address inside of an
//! object, so null, freed objects and what lies outside are none of them any more.

use super::eval::{Context, object_bits};
use super::layout::bits_of;
use super::scratch::Scratch;
use crate::domain::{Address, Target};
use cwolf_cwi::{Base, Expr, ExprKind, Place, VarId};

/// An unknown offset becomes each one that it may be, if these are so few.
const FEW_OFFSETS: i128 = 8;

impl Context<'_> {
    /// Learns from all accesses of an expression that is evaluated; false if one of them ends the run.
    pub fn accessing(&self, env: &mut Scratch, e: &Expr) -> bool {
        match &e.kind {
            // Whether the right side is evaluated depends on the left one.
            ExprKind::Binary(op, left, _) if op.is_logical() => self.accessing(env, left),
            ExprKind::Load { place, .. } => self.accessing_place(env, place),
            ExprKind::AddrOf(place) => self.operands(env, place),
            _ => {
                let mut goes_on = true;
                e.for_each_operand(&mut |e| goes_on = goes_on && self.accessing(env, e));
                goes_on
            }
        }
    }
    /// The same for a place that is read or written.
    pub fn accessing_place(&self, env: &mut Scratch, place: &Place) -> bool {
        if !self.operands(env, place) {
            return false;
        }
        match &place.base {
            // Of a member that the path leads to it is not asked where it lies.
            Base::Deref(pointer) if place.path.is_empty() && !self.follow_undefined => {
                self.goes_through(env, pointer, bits_of(self.program, place.ty))
            }
            _ => true,
        }
    }
    fn operands(&self, env: &mut Scratch, place: &Place) -> bool {
        let mut goes_on = true;
        place.for_each_operand(&mut |e| goes_on = goes_on && self.accessing(env, e));
        goes_on
    }
    /// So many bits are accessed through a pointer.
    fn goes_through(&self, env: &mut Scratch, pointer: &Expr, size: u64) -> bool {
        let Some(all) = self.universe.addresses(self.eval(env, pointer)) else {
            return true;
        };
        let inside: Vec<Address> = (all.iter())
            .flat_map(|at| self.inside(*at, i128::from(size)))
            .collect();
        if inside == all {
            return true;
        }
        self.learns(env, pointer, self.universe.address_set(inside))
    }
    /// The addresses that one may be if so many bits are accessed there.
    fn inside(&self, at: Address, size: i128) -> Vec<Address> {
        let var = match at.target() {
            Target::Object(var) => VarId(var),
            Target::Function(_) | Target::Freed => return Vec::new(),
            Target::Absolute if at.offset() == Some(0) => return Vec::new(),
            Target::Absolute => return vec![at],
        };
        let Some(last) = object_bits(self.program, var).map(|total| (total - size).div_euclid(8))
        else {
            return vec![at];
        };
        match at.offset().map(i128::from) {
            Some(offset) => match (0..=last).contains(&offset) {
                true => vec![at],
                false => Vec::new(),
            },
            None if last < FEW_OFFSETS => (0..=last)
                .map(|n| Address::new(at.target(), Some(n as i64)))
                .collect(),
            None => vec![at],
        }
    }
}
