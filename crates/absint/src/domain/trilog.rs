//! Trilog (B3): the truth values that a test may have.

/// A set of truth values: none, true, false, or maybe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Trilog(u8);

impl Trilog {
    /// No outcome at all: an operand has no value.
    pub const NONE: Trilog = Trilog(0);
    /// Certainly false.
    pub const FALSE: Trilog = Trilog(1);
    /// Certainly true.
    pub const TRUE: Trilog = Trilog(2);
    /// Either.
    pub const MAYBE: Trilog = Trilog(3);

    /// The outcomes that are possible.
    pub const fn new(may_be_true: bool, may_be_false: bool) -> Trilog {
        Trilog((may_be_true as u8) << 1 | may_be_false as u8)
    }
    /// Whether it may be true.
    pub const fn may_be_true(self) -> bool {
        self.0 & 2 != 0
    }
    /// Whether it may be false.
    pub const fn may_be_false(self) -> bool {
        self.0 & 1 != 0
    }
    /// The other way round (3.14).
    #[must_use]
    pub const fn negate(self) -> Trilog {
        Trilog::new(self.may_be_false(), self.may_be_true())
    }
    /// Both hold (3.15).
    #[must_use]
    pub const fn and(self, other: Trilog) -> Trilog {
        if self.0 == 0 || other.0 == 0 {
            return Trilog::NONE;
        }
        Trilog::new(
            self.may_be_true() && other.may_be_true(),
            self.may_be_false() || other.may_be_false(),
        )
    }
    /// One holds (3.15).
    #[must_use]
    pub const fn or(self, other: Trilog) -> Trilog {
        self.negate().and(other.negate()).negate()
    }
    /// What either may be.
    #[must_use]
    pub const fn join(self, other: Trilog) -> Trilog {
        Trilog(self.0 | other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_are_those_of_the_members() {
        let all = [Trilog::NONE, Trilog::FALSE, Trilog::TRUE, Trilog::MAYBE];
        let members = |t: Trilog| {
            let known = [(true, t.may_be_true()), (false, t.may_be_false())];
            known.into_iter().filter(|m| m.1).map(|m| m.0)
        };
        for a in all {
            for b in all {
                let (mut and, mut or) = (Trilog::NONE, Trilog::NONE);
                for x in members(a) {
                    for y in members(b) {
                        and = and.join(Trilog::new(x && y, !(x && y)));
                        or = or.join(Trilog::new(x || y, !(x || y)));
                    }
                }
                assert_eq!((a.and(b), a.or(b)), (and, or), "{a:?} {b:?}");
            }
        }
    }
}
