//! What may stand in a hole of a pattern: anything, or a set of integers.

use std::fmt;

/// Integers from `lo` to `hi` in steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// The first; `i128::MIN` if there is none.
    pub lo: i128,
    /// The last; `i128::MAX` if there is none.
    pub hi: i128,
    /// The distance of neighbours, at least 1.
    pub step: i128,
}

/// The texts that a hole stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Values {
    /// Any text that is not empty.
    Any,
    /// Decimal numbers, by spans in rising order.
    Numbers(Vec<Span>),
}

impl Span {
    fn one(n: i128) -> Span {
        Span {
            lo: n,
            hi: n,
            step: 1,
        }
    }
    /// A span that is not empty, with its last member as `hi`.
    fn new(lo: i128, hi: i128, step: i128) -> Option<Span> {
        if lo > hi || step < 1 {
            return None;
        }
        let is_open = lo == i128::MIN || hi == i128::MAX;
        if step > 1 && (is_open || hi.checked_sub(lo).is_none()) {
            return None;
        }
        let hi = if step > 1 { hi - (hi - lo) % step } else { hi };
        let step = if lo == hi { 1 } else { step };
        Some(Span { lo, hi, step })
    }
    fn contains(self, n: i128) -> bool {
        // A step above 1 has both ends, so the difference fits.
        self.lo <= n && n <= self.hi && (self.step == 1 || (n - self.lo) % self.step == 0)
    }
    /// How many members there are, if that fits.
    fn len(self) -> Option<u128> {
        let width = self.hi.checked_sub(self.lo)?;
        u128::try_from(width / self.step).ok()?.checked_add(1)
    }
    fn overlaps(self, other: Span) -> bool {
        let (lo, hi) = (self.lo.max(other.lo), self.hi.min(other.hi));
        if lo > hi {
            return false;
        }
        match (self.step, other.step) {
            (1, 1) => true,
            (1, _) => other.next(lo).is_some_and(|n| n <= hi),
            (_, 1) => self.next(lo).is_some_and(|n| n <= hi),
            (a, b) => {
                // The members of the sparser one repeat modulo the other's step.
                let (sparse, dense, period) = if a >= b {
                    (self, other, b)
                } else {
                    (other, self, a)
                };
                let Some(mut n) = sparse.next(lo) else {
                    return false;
                };
                for _ in 0..period.min(1 << 16) {
                    if n > hi {
                        return false;
                    }
                    if dense.contains(n) {
                        return true;
                    }
                    let Some(next) = n.checked_add(sparse.step) else {
                        return false;
                    };
                    n = next;
                }
                // All remainders were tried, or too many are left to try: then they may.
                period > 1 << 16
            }
        }
    }
    /// The first member from `n` on; `n` is not below the span.
    fn next(self, n: i128) -> Option<i128> {
        match (n - self.lo) % self.step {
            0 => Some(n),
            rest => n.checked_add(self.step - rest),
        }
    }
    fn includes(self, part: Span) -> bool {
        if part.lo == part.hi {
            return self.contains(part.lo);
        }
        self.lo <= part.lo
            && part.hi <= self.hi
            && part.step % self.step == 0
            && self.contains(part.lo)
    }
}

impl Values {
    /// The integers of these spans (first, last, step); none if there are no members or a step
    /// goes with an open end.
    pub fn numbers(spans: impl IntoIterator<Item = (i128, i128, i128)>) -> Option<Values> {
        let spans = spans
            .into_iter()
            .map(|(lo, hi, step)| Span::new(lo, hi, step));
        let mut spans: Vec<Span> = spans.collect::<Option<_>>()?;
        spans.sort_unstable_by_key(|s| (s.lo, s.hi, s.step));
        spans.dedup();
        // Neighbours become one.
        let mut joined: Vec<Span> = Vec::with_capacity(spans.len());
        for span in spans {
            match joined.last_mut() {
                Some(last)
                    if last.step == 1
                        && span.step == 1
                        && (last.hi == i128::MAX || span.lo <= last.hi + 1) =>
                {
                    last.hi = last.hi.max(span.hi);
                }
                _ => joined.push(span),
            }
        }
        (!joined.is_empty()).then_some(Values::Numbers(joined))
    }
    /// The number, if there is just one.
    pub fn single(&self) -> Option<i128> {
        match self {
            Values::Numbers(spans) => match spans[..] {
                [Span { lo, hi, .. }] if lo == hi => Some(lo),
                _ => None,
            },
            Values::Any => None,
        }
    }
    /// Whether this text may stand there.
    pub fn contains(&self, text: &str) -> bool {
        match self {
            Values::Any => !text.is_empty(),
            Values::Numbers(spans) => {
                integer(text).is_some_and(|n| spans.iter().any(|s| s.contains(n)))
            }
        }
    }
    /// Whether some text may stand in both.
    pub fn overlaps(&self, other: &Values) -> bool {
        match (self, other) {
            (Values::Numbers(a), Values::Numbers(b)) => {
                a.iter().any(|x| b.iter().any(|y| x.overlaps(*y)))
            }
            _ => true,
        }
    }
    /// Whether every text of `part` may stand here. For spans with steps it may say no where a
    /// union of several would do.
    pub fn includes(&self, part: &Values) -> bool {
        match (self, part) {
            (Values::Any, _) => true,
            (_, Values::Any) => false,
            (Values::Numbers(all), Values::Numbers(some)) => {
                (some.iter()).all(|s| all.iter().any(|a| a.includes(*s)))
            }
        }
    }
    /// All members in rising order, if there are at most `limit`.
    pub fn members(&self, limit: usize) -> Option<Vec<i128>> {
        let Values::Numbers(spans) = self else {
            return None;
        };
        let mut list = Vec::new();
        for span in spans {
            let count = usize::try_from(span.len()?).ok()?;
            if count > limit {
                return None;
            }
            list.extend((0..count).map(|n| span.lo + n as i128 * span.step));
        }
        list.sort_unstable();
        list.dedup();
        (list.len() <= limit).then_some(list)
    }
    /// What stands between the braces of a hole. A single number is no hole.
    pub(super) fn parse(text: &str) -> Option<Values> {
        if text == "?" {
            return Some(Values::Any);
        }
        if !text.contains("..") && !text.contains(',') {
            return None;
        }
        let span = |item: &str| match item.split_once("..") {
            None => integer(item).map(Span::one).map(|s| (s.lo, s.hi, s.step)),
            Some((lo, rest)) => {
                let (hi, step) = match rest.split_once('/') {
                    Some((hi, step)) => (hi, integer(step)?),
                    None => (rest, 1),
                };
                let end = |text: &str, open| match text {
                    "" => Some(open),
                    text => integer(text).filter(|n| *n != i128::MIN && *n != i128::MAX),
                };
                Some((end(lo, i128::MIN)?, end(hi, i128::MAX)?, step))
            }
        };
        let spans: Option<Vec<_>> = text.split(',').map(span).collect();
        Values::numbers(spans?)
    }
}

/// The number that a text is, written the usual way.
pub(super) fn integer(text: &str) -> Option<i128> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = !digits.is_empty()
        && digits.bytes().all(|b| b.is_ascii_digit())
        && (digits == "0" || !digits.starts_with('0'))
        && text != "-0";
    if plain { text.parse().ok() } else { None }
}

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Values::Numbers(spans) = self else {
            return write!(f, "{{?}}");
        };
        write!(f, "{{")?;
        for (n, span) in spans.iter().enumerate() {
            if n > 0 {
                write!(f, ",")?;
            }
            if span.lo > i128::MIN {
                write!(f, "{}", span.lo)?;
            }
            if span.lo < span.hi {
                write!(f, "..")?;
                if span.hi < i128::MAX {
                    write!(f, "{}", span.hi)?;
                }
                if span.step > 1 {
                    write!(f, "/{}", span.step)?;
                }
            }
        }
        write!(f, "}}")
    }
}
