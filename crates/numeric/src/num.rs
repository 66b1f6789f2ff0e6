//! A set of integers as a product of four descriptions, each of which says what the others cannot:
//! an interval, a congruence, the bits that are known, and a few values that are all there is or
//! that are left out.

/// So many values are listed one by one.
pub(crate) const FEW: usize = 8;
/// So many values are left out one by one.
const LEFT_OUT: usize = 4;

/// What is said about single values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Few {
    /// Nothing.
    Any,
    /// No others, in rising order.
    In(Vec<i128>),
    /// Not these, in rising order.
    Not(Vec<i128>),
}

/// A set of integers from -2^63 to 2^64 - 1, never empty. Always reduced: its parts agree with each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Num {
    pub(crate) lo: i128,
    pub(crate) hi: i128,
    /// Values are `rem` plus multiples of this; 0 for one value.
    pub(crate) step: i128,
    pub(crate) rem: i128,
    /// Bits that are 0, and that are 1, in all values as words of 64 bits.
    pub(crate) zeros: u64,
    pub(crate) ones: u64,
    pub(crate) few: Few,
}

pub(crate) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1)
}

impl Num {
    /// One value.
    pub fn constant(v: i128) -> Num {
        let word = v as u64;
        Num {
            lo: v,
            hi: v,
            step: 0,
            rem: v,
            zeros: !word,
            ones: word,
            few: Few::Any,
        }
    }

    /// All values from `lo` to `hi`, which is not less.
    pub fn range(lo: i128, hi: i128) -> Num {
        debug_assert!(lo <= hi);
        let raw = Num::raw(lo, hi);
        raw.reduced().expect("not empty")
    }

    /// An interval alone, to be reduced.
    pub(crate) fn raw(lo: i128, hi: i128) -> Num {
        Num {
            lo,
            hi,
            step: 1,
            rem: 0,
            zeros: 0,
            ones: 0,
            few: Few::Any,
        }
    }

    /// Exactly these values; none if there are none.
    pub(crate) fn of(mut values: Vec<i128>) -> Option<Num> {
        values.sort_unstable();
        values.dedup();
        let (&lo, &hi) = (values.first()?, values.last()?);
        if lo == hi {
            return Some(Num::constant(lo));
        }
        let step = values.iter().fold(0, |g, v| gcd(g, v - lo));
        let zeros = values.iter().fold(u64::MAX, |z, v| z & !(*v as u64));
        let ones = values.iter().fold(u64::MAX, |o, v| o & *v as u64);
        let few = match values.len() <= FEW {
            true => Few::In(values),
            false => Few::Any,
        };
        let num = Num {
            lo,
            hi,
            step,
            rem: lo.rem_euclid(step),
            zeros,
            ones,
            few,
        };
        num.reduced()
    }

    /// The value, if there is only one.
    pub fn as_constant(&self) -> Option<i128> {
        (self.lo == self.hi).then_some(self.lo)
    }

    /// The least and the greatest value.
    pub fn bounds(&self) -> (i128, i128) {
        (self.lo, self.hi)
    }

    /// Values are a number plus multiples of a step, which is 0 if there is only one value.
    pub fn congruence(&self) -> (i128, i128) {
        (self.step, self.rem)
    }

    /// Bits that are 0, and that are 1, in all values as words of 64 bits.
    pub fn known_bits(&self) -> (u64, u64) {
        (self.zeros, self.ones)
    }

    /// The values, if they are few.
    pub fn values(&self) -> Option<Vec<i128>> {
        match &self.few {
            _ if self.lo == self.hi => Some(vec![self.lo]),
            Few::In(values) => Some(values.clone()),
            _ => None,
        }
    }

    /// Values between the bounds that are left out.
    pub fn left_out(&self) -> &[i128] {
        match &self.few {
            Few::Not(values) => values,
            _ => &[],
        }
    }

    /// Whether a value is in the set.
    pub fn contains(&self, v: i128) -> bool {
        let word = v as u64;
        self.lo <= v
            && v <= self.hi
            && self.is_congruent(v)
            && word & self.zeros == 0
            && word & self.ones == self.ones
            && match &self.few {
                Few::Any => true,
                Few::In(values) => values.contains(&v),
                Few::Not(values) => !values.contains(&v),
            }
    }

    fn is_congruent(&self, v: i128) -> bool {
        match self.step {
            0 => v == self.rem,
            step => (v - self.rem) % step == 0,
        }
    }

    /// The same set with each description as tight as the others make it; none if it is empty.
    pub(crate) fn reduced(mut self) -> Option<Num> {
        for _ in 0..3 {
            if let Few::In(values) = &self.few {
                let all = Num {
                    few: Few::Any,
                    ..self.clone()
                };
                let left: Vec<i128> = values
                    .iter()
                    .copied()
                    .filter(|v| all.contains(*v))
                    .collect();
                let (&lo, &hi) = (left.first()?, left.last()?);
                if lo == hi {
                    return Some(Num::constant(lo));
                }
                self.lo = lo;
                self.hi = hi;
                self.step = left.iter().fold(0, |g, v| gcd(g, v - lo));
                self.rem = lo.rem_euclid(self.step);
                self.zeros = left.iter().fold(u64::MAX, |z, v| z & !(*v as u64));
                self.ones = left.iter().fold(u64::MAX, |o, v| o & *v as u64);
                self.few = Few::In(left);
                return Some(self);
            }
            let before = (self.lo, self.hi, self.step, self.zeros, self.ones);
            self.tighten()?;
            if self.lo == self.hi {
                return self.contains(self.lo).then(|| Num::constant(self.lo));
            }
            if before == (self.lo, self.hi, self.step, self.zeros, self.ones) {
                break;
            }
        }
        self.list();
        match &self.few {
            Few::In(_) => self.reduced(),
            _ => Some(self),
        }
    }

    /// One round of what the descriptions say about each other.
    fn tighten(&mut self) -> Option<()> {
        if self.zeros & self.ones != 0 {
            return None;
        }
        // Within one sign, words are in the order of values.
        if self.lo >= 0 {
            self.lo = self.lo.max(i128::from(self.ones));
            self.hi = self.hi.min(i128::from(!self.zeros));
        } else if self.hi < 0 {
            self.lo = self.lo.max(i128::from((self.ones | 1 << 63) as i64));
            self.hi = self.hi.min(i128::from(!self.zeros as i64));
        }
        if self.lo > self.hi {
            return None;
        }
        if self.lo >= 0 || self.hi < 0 {
            let (lo, hi) = (self.lo as u64, self.hi as u64);
            let prefix = match (lo ^ hi).leading_zeros() {
                0 => 0,
                n => u64::MAX << (64 - n),
            };
            self.ones |= lo & prefix;
            self.zeros |= !lo & prefix;
        }
        let low = (self.zeros | self.ones).trailing_ones().min(62);
        if low > 0 {
            let modulus = 1i128 << low;
            self.meet_congruence(modulus, i128::from(self.ones) & (modulus - 1))?;
        }
        if self.step == 0 {
            self.lo = self.lo.max(self.rem);
            self.hi = self.hi.min(self.rem);
        } else {
            let twos = self.step.trailing_zeros().min(63);
            let mask = (1u64 << twos) - 1;
            self.ones |= self.rem as u64 & mask;
            self.zeros |= !(self.rem as u64) & mask;
            self.lo += (self.rem - self.lo).rem_euclid(self.step);
            self.hi -= (self.hi - self.rem).rem_euclid(self.step);
            if let Few::Not(values) = &mut self.few {
                while values.contains(&self.lo) {
                    self.lo += self.step;
                }
                while values.contains(&self.hi) {
                    self.hi -= self.step;
                }
                let (lo, hi) = (self.lo, self.hi);
                values.retain(|v| lo < *v && *v < hi);
                if values.is_empty() {
                    self.few = Few::Any;
                }
            }
        }
        (self.lo <= self.hi && self.zeros & self.ones == 0).then_some(())
    }

    /// Lists the values if they are few.
    fn list(&mut self) {
        if self.step <= 0 || (self.hi - self.lo) / self.step >= 2 * FEW as i128 {
            return;
        }
        let mut values = Vec::new();
        let mut v = self.lo;
        while v <= self.hi {
            if self.contains(v) {
                values.push(v);
            }
            v += self.step;
        }
        if values.len() <= FEW {
            self.few = Few::In(values);
        }
    }

    /// Only values that are also `rem` plus multiples of `step`.
    fn meet_congruence(&mut self, step: i128, rem: i128) -> Option<()> {
        if self.step == 0 {
            let same = if step == 0 {
                rem == self.rem
            } else {
                (self.rem - rem) % step == 0
            };
            return same.then_some(());
        }
        if step == 0 {
            let fits = self.is_congruent(rem);
            (self.step, self.rem) = (0, rem);
            return fits.then_some(());
        }
        let common = gcd(self.step, step);
        if (self.rem - rem) % common != 0 {
            return None;
        }
        if self.step % step == 0 {
            return Some(());
        }
        if step % self.step == 0 {
            (self.step, self.rem) = (step, rem.rem_euclid(step));
            return Some(());
        }
        // The Chinese remainder theorem, where numbers stay small.
        let both = (self.step / common).saturating_mul(step);
        if both > 1 << 40 || self.step > 1 << 40 || step > 1 << 40 {
            return Some(());
        }
        let mut v = self.rem;
        for _ in 0..step / common {
            if (v - rem) % step == 0 {
                (self.step, self.rem) = (both, v.rem_euclid(both));
                return Some(());
            }
            v += self.step;
            if step / common > 4096 {
                return Some(());
            }
        }
        None
    }

    /// What both sets have; none if that is nothing.
    pub fn meet(&self, other: &Num) -> Option<Num> {
        let mut all = self.clone();
        all.lo = all.lo.max(other.lo);
        all.hi = all.hi.min(other.hi);
        all.zeros |= other.zeros;
        all.ones |= other.ones;
        all.meet_congruence(other.step, other.rem)?;
        all.few = match (&self.few, &other.few) {
            (Few::In(values), _) => Few::In(values.clone()),
            (_, Few::In(values)) => Few::In(values.clone()),
            (Few::Not(a), Few::Not(b)) => {
                let mut all: Vec<i128> = a.iter().chain(b).copied().collect();
                all.sort_unstable();
                all.dedup();
                all.truncate(LEFT_OUT);
                Few::Not(all)
            }
            (Few::Not(a), Few::Any) | (Few::Any, Few::Not(a)) => Few::Not(a.clone()),
            (Few::Any, Few::Any) => Few::Any,
        };
        if let (Few::In(values), Few::Not(_) | Few::In(_)) = (&all.few, &other.few) {
            let both = values.iter().copied().filter(|v| other.contains(*v));
            all.few = Few::In(both.collect());
        }
        if let (Few::In(values), Few::Not(_)) = (&all.few, &self.few) {
            let both = values.iter().copied().filter(|v| self.contains(*v));
            all.few = Few::In(both.collect());
        }
        all.reduced()
    }

    /// A set that has all of both.
    pub fn join(&self, other: &Num) -> Num {
        if self == other {
            return self.clone();
        }
        if let (Some(mut a), Some(b)) = (self.values(), other.values()) {
            a.extend(b);
            return Num::of(a).expect("not empty");
        }
        let step = gcd(gcd(self.step, other.step), self.rem - other.rem);
        let mut left_out: Vec<i128> = self
            .left_out()
            .iter()
            .chain(other.left_out())
            .copied()
            .collect();
        // What lies between two sets is in neither.
        let (low, high) = if self.hi < other.hi {
            (self, other)
        } else {
            (other, self)
        };
        for v in [low.hi + 1, high.lo - 1, 0] {
            if low.lo < v && v < high.hi {
                left_out.push(v);
            }
        }
        left_out.retain(|v| !self.contains(*v) && !other.contains(*v));
        left_out.sort_unstable();
        left_out.dedup();
        left_out.truncate(LEFT_OUT);
        let all = Num {
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
            step,
            rem: if step == 0 {
                self.rem
            } else {
                self.rem.rem_euclid(step)
            },
            zeros: self.zeros & other.zeros,
            ones: self.ones & other.ones,
            few: match left_out.is_empty() {
                true => Few::Any,
                false => Few::Not(left_out),
            },
        };
        all.reduced().expect("not empty")
    }

    /// The set without a value; none if nothing is left.
    pub fn without(&self, v: i128) -> Option<Num> {
        if !self.contains(v) {
            return Some(self.clone());
        }
        let mut rest = self.clone();
        match &mut rest.few {
            Few::In(values) => values.retain(|x| *x != v),
            Few::Not(values) if values.len() < LEFT_OUT || v == self.lo || v == self.hi => {
                values.push(v);
                values.sort_unstable();
            }
            Few::Not(_) => {}
            few @ Few::Any if self.lo == self.hi => *few = Few::In(Vec::new()),
            few @ Few::Any => *few = Few::Not(vec![v]),
        }
        rest.reduced()
    }

    /// Whether all values are in `other`.
    pub fn is_in(&self, other: &Num) -> bool {
        if self == other {
            return true;
        }
        if let Some(values) = self.values() {
            return values.iter().all(|v| other.contains(*v));
        }
        let congruent = match other.step {
            0 => false,
            step => self.step % step == 0 && (self.rem - other.rem) % step == 0,
        };
        congruent
            && other.lo <= self.lo
            && self.hi <= other.hi
            && other.zeros & !self.zeros == 0
            && other.ones & !self.ones == 0
            && match &other.few {
                Few::Any => true,
                Few::In(_) => false,
                Few::Not(values) => values.iter().all(|v| !self.contains(*v)),
            }
    }

    /// A set that has all of both and is reached after few such steps: a bound that moves goes on
    /// to the next of `steps` (in rising order), then to that of `room`.
    pub fn widen(&self, other: &Num, steps: &[i128], room: (i128, i128)) -> Num {
        let mut all = self.join(other);
        if all == *self || all.values().is_some() {
            return all;
        }
        if all.lo < self.lo {
            let below = steps.partition_point(|s| *s <= all.lo);
            all.lo = below
                .checked_sub(1)
                .map_or(room.0, |n| steps[n])
                .max(room.0);
        }
        if all.hi > self.hi {
            let above = steps.partition_point(|s| *s < all.hi);
            all.hi = steps.get(above).copied().unwrap_or(room.1).min(room.1);
        }
        if all.lo < self.lo || all.hi > self.hi {
            // Bits above the lowest mostly say what the old bounds said.
            let mask = (1 << low_known(all.zeros | all.ones)) - 1;
            all.zeros &= mask;
            all.ones &= mask;
        }
        all.few = Few::Any;
        all.reduced().expect("not empty")
    }
}

/// How many of the lowest bits are set, at most 62.
fn low_known(bits: u64) -> u32 {
    bits.trailing_ones().min(62)
}
