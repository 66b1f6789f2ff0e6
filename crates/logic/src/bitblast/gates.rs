//! Gates with structural hashing, and the small circuits made of them.

use super::{BitBlaster, TRUE};

/// The bits of a number, lowest first.
pub(super) fn constant(width: usize, value: u128) -> Vec<i32> {
    let bit = |n: usize| {
        if n < 128 && value >> n & 1 == 1 {
            TRUE
        } else {
            -TRUE
        }
    };
    (0..width).map(bit).collect()
}

/// The number that constant bits stand for.
pub(super) fn as_number(bits: &[i32]) -> Option<u128> {
    let all = bits.len() <= 128 && bits.iter().all(|l| l.abs() == TRUE);
    let ones = bits.iter().enumerate().filter(|(_, l)| **l == TRUE);
    all.then(|| ones.fold(0, |n, (at, _)| n | 1 << at))
}

impl BitBlaster {
    pub(super) fn and(&mut self, a: i32, b: i32) -> i32 {
        if a == -TRUE || b == -TRUE || a == -b {
            return -TRUE;
        }
        if a == TRUE || a == b {
            return b;
        }
        if b == TRUE {
            return a;
        }
        let key = (a.min(b), a.max(b));
        if let Some(&out) = self.ands.get(&key) {
            return out;
        }
        let out = self.sat.fresh();
        self.sat.clause(&[-out, a]);
        self.sat.clause(&[-out, b]);
        self.sat.clause(&[out, -a, -b]);
        self.ands.insert(key, out);
        out
    }

    pub(super) fn or(&mut self, a: i32, b: i32) -> i32 {
        -self.and(-a, -b)
    }

    pub(super) fn xor(&mut self, a: i32, b: i32) -> i32 {
        if a.abs() == TRUE {
            return if a == TRUE { -b } else { b };
        }
        if b.abs() == TRUE {
            return if b == TRUE { -a } else { a };
        }
        if a.abs() == b.abs() {
            return if a == b { -TRUE } else { TRUE };
        }
        // Negations move to the output.
        let sign = if (a < 0) == (b < 0) { 1 } else { -1 };
        let (a, b) = (a.abs(), b.abs());
        let key = (a.min(b), a.max(b));
        if let Some(&out) = self.xors.get(&key) {
            return sign * out;
        }
        let out = self.sat.fresh();
        self.sat.clause(&[-out, a, b]);
        self.sat.clause(&[-out, -a, -b]);
        self.sat.clause(&[out, -a, b]);
        self.sat.clause(&[out, a, -b]);
        self.xors.insert(key, out);
        sign * out
    }

    /// `c ? a : b`
    pub(super) fn mux(&mut self, c: i32, a: i32, b: i32) -> i32 {
        if c == TRUE || a == b {
            return a;
        }
        if c == -TRUE {
            return b;
        }
        if c < 0 {
            return self.mux(-c, b, a);
        }
        if a == TRUE || a == c {
            return self.or(c, b);
        }
        if a == -TRUE || a == -c {
            return self.and(-c, b);
        }
        if b == TRUE || b == -c {
            return self.or(-c, a);
        }
        if b == -TRUE || b == c {
            return self.and(c, a);
        }
        if a == -b {
            return -self.xor(c, a);
        }
        let key = (c, a, b);
        if let Some(&out) = self.muxes.get(&key) {
            return out;
        }
        let out = self.sat.fresh();
        self.sat.clause(&[-c, -a, out]);
        self.sat.clause(&[-c, a, -out]);
        self.sat.clause(&[c, -b, out]);
        self.sat.clause(&[c, b, -out]);
        self.sat.clause(&[-a, -b, out]);
        self.sat.clause(&[a, b, -out]);
        self.muxes.insert(key, out);
        out
    }

    /// Whether two of the three are true.
    pub(super) fn majority(&mut self, a: i32, b: i32, c: i32) -> i32 {
        let mut key = [a, b, c];
        key.sort_unstable_by_key(|l| l.abs());
        let [a, b, c] = key;
        if a.abs() == TRUE {
            return if a == TRUE {
                self.or(b, c)
            } else {
                self.and(b, c)
            };
        }
        if a == b || b == c {
            return b;
        }
        if a == -b {
            return c;
        }
        if b == -c {
            return a;
        }
        if let Some(&out) = self.majorities.get(&(a, b, c)) {
            return out;
        }
        let out = self.sat.fresh();
        for (x, y) in [(a, b), (a, c), (b, c)] {
            self.sat.clause(&[-x, -y, out]);
            self.sat.clause(&[x, y, -out]);
        }
        self.majorities.insert((a, b, c), out);
        out
    }

    pub(super) fn choose(&mut self, c: i32, a: &[i32], b: &[i32]) -> Vec<i32> {
        a.iter().zip(b).map(|(x, y)| self.mux(c, *x, *y)).collect()
    }

    /// Whether all are true.
    pub(super) fn all(&mut self, lits: &[i32]) -> i32 {
        let mut list: Vec<i32> = lits.iter().copied().filter(|l| *l != TRUE).collect();
        list.sort_unstable();
        list.dedup();
        if list.contains(&-TRUE)
            || list
                .iter()
                .any(|l| *l < 0 && list.binary_search(&-l).is_ok())
        {
            return -TRUE;
        }
        match list.as_slice() {
            [] => return TRUE,
            [one] => return *one,
            [a, b] => return self.and(*a, *b),
            _ => {}
        }
        if let Some(&out) = self.alls.get(&list) {
            return out;
        }
        let out = self.sat.fresh();
        for lit in &list {
            self.sat.clause(&[-out, *lit]);
        }
        let mut back: Vec<i32> = list.iter().map(|l| -l).collect();
        back.push(out);
        self.sat.clause(&back);
        self.alls.insert(list, out);
        out
    }

    pub(super) fn equal(&mut self, a: &[i32], b: &[i32]) -> i32 {
        let same: Vec<i32> = a.iter().zip(b).map(|(x, y)| -self.xor(*x, *y)).collect();
        self.all(&same)
    }

    /// Unsigned `a < b`.
    pub(super) fn less(&mut self, a: &[i32], b: &[i32]) -> i32 {
        let step =
            |this: &mut BitBlaster, below, (x, y): (&i32, &i32)| this.majority(-*x, *y, below);
        a.iter()
            .zip(b)
            .fold(-TRUE, |below, bits| step(self, below, bits))
    }
}
