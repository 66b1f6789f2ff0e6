//! Octagons (Miné 2006): bounds of sums and differences of two variables. For each variable `x` there
//! are two nodes, for `x` and for `-x`; an entry bounds the difference of two nodes. All bounds are
//! of integers, and are kept tight.

/// No bound.
pub(crate) const INF: i128 = i128::MAX >> 3;
/// Bounds beyond this are none.
const FAR: i128 = 1 << 100;

/// A variable with a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signed {
    /// Its number.
    pub var: usize,
    /// Whether it is negated.
    pub negative: bool,
}

impl Signed {
    /// The variable itself.
    pub fn plus(var: usize) -> Signed {
        Signed {
            var,
            negative: false,
        }
    }
    /// The negated variable.
    pub fn minus(var: usize) -> Signed {
        Signed {
            var,
            negative: true,
        }
    }
    fn node(self) -> usize {
        2 * self.var + usize::from(self.negative)
    }
}

/// An octagon over a fixed number of variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Octagon {
    nodes: usize,
    /// `m[i * nodes + j]` bounds node `j` minus node `i`.
    m: Vec<i128>,
    /// Whether every bound that follows from others is there.
    closed: bool,
}

fn plus(a: i128, b: i128) -> i128 {
    match a >= INF || b >= INF {
        true => INF,
        false => a + b,
    }
}

fn clamp(bound: i128) -> i128 {
    if bound >= FAR { INF } else { bound.max(-FAR) }
}

impl Octagon {
    /// Everything.
    pub fn top(vars: usize) -> Octagon {
        let nodes = 2 * vars;
        let mut m = vec![INF; nodes * nodes];
        for i in 0..nodes {
            m[i * nodes + i] = 0;
        }
        Octagon {
            nodes,
            m,
            closed: true,
        }
    }

    /// Whether nothing is bounded.
    pub fn is_top(&self) -> bool {
        let n = self.nodes;
        (0..n).all(|i| (0..n).all(|j| i == j || self.m[i * n + j] >= INF))
    }

    /// Whether it says more than these bounds of its variables, each with its least and greatest value.
    pub fn says_more(&self, bounds: &[Option<(i128, i128)>]) -> bool {
        let n = self.nodes;
        let most = |node: usize| match bounds[node / 2] {
            Some((lo, hi)) => clamp(if node & 1 == 0 { hi } else { -lo }),
            None => INF,
        };
        (0..n).any(|i| {
            let from = most(i ^ 1);
            (0..n).any(|j| i != j && self.m[i * n + j] < plus(most(j), from))
        })
    }

    fn at(&self, i: usize, j: usize) -> i128 {
        self.m[i * self.nodes + j]
    }

    fn lower_to(&mut self, i: usize, j: usize, bound: i128) {
        let bound = clamp(bound);
        for (i, j) in [(i, j), (j ^ 1, i ^ 1)] {
            let entry = &mut self.m[i * self.nodes + j];
            if bound < *entry {
                *entry = bound;
                self.closed = false;
            }
        }
    }

    /// `a + b` is at most `bound`; for two times the same, twice that is.
    pub fn limit(&mut self, a: Signed, b: Signed, bound: i128) {
        // a - (-b) <= bound
        let opposite = b.node() ^ 1;
        self.lower_to(opposite, a.node(), bound);
    }

    /// `a` is at most `bound`.
    pub fn limit_one(&mut self, a: Signed, bound: i128) {
        if bound.unsigned_abs() < FAR as u128 {
            self.limit(a, a, 2 * bound);
        }
    }

    /// Adds what follows; false if nothing satisfies the bounds.
    pub fn close(&mut self) -> bool {
        if self.closed {
            return true;
        }
        let n = self.nodes;
        for k in 0..n {
            for i in 0..n {
                let ik = self.m[i * n + k];
                if ik >= INF {
                    continue;
                }
                for j in 0..n {
                    let by = plus(ik, self.m[k * n + j]);
                    if by < self.m[i * n + j] {
                        self.m[i * n + j] = by.max(-FAR);
                    }
                }
            }
        }
        for i in 0..n {
            let twice = self.m[(i ^ 1) * n + i];
            if twice < INF {
                self.m[(i ^ 1) * n + i] = 2 * twice.div_euclid(2);
            }
        }
        for i in 0..n {
            for j in 0..n {
                // node j - node i <= (2 node j - 2 node i) / 2
                let (up, down) = (self.m[(j ^ 1) * n + j], self.m[i * n + (i ^ 1)]);
                if up < INF && down < INF {
                    let by = up.div_euclid(2) + down.div_euclid(2);
                    if by < self.m[i * n + j] {
                        self.m[i * n + j] = by;
                    }
                }
            }
        }
        for i in 0..n {
            if self.m[i * n + i] < 0 {
                return false;
            }
        }
        // An odd contradiction of the two bounds of one variable.
        for i in 0..n {
            if plus(self.m[(i ^ 1) * n + i], self.m[i * n + (i ^ 1)]) < 0 {
                return false;
            }
        }
        self.closed = true;
        true
    }

    /// The greatest value of `a + b`, if there is one. The octagon is closed.
    pub fn most(&self, a: Signed, b: Signed) -> Option<i128> {
        let bound = self.at(b.node() ^ 1, a.node());
        (bound < INF).then_some(bound)
    }

    /// The bounds of a variable. The octagon is closed.
    pub fn bounds(&self, var: usize) -> (Option<i128>, Option<i128>) {
        let hi = self.most(Signed::plus(var), Signed::plus(var));
        let lo = self.most(Signed::minus(var), Signed::minus(var));
        (lo.map(|b| -b.div_euclid(2)), hi.map(|b| b.div_euclid(2)))
    }

    /// The variable may have any value. The octagon is closed, and stays so.
    pub fn forget(&mut self, var: usize) {
        let n = self.nodes;
        for x in [2 * var, 2 * var + 1] {
            for j in 0..n {
                if j != x {
                    self.m[x * n + j] = INF;
                    self.m[j * n + x] = INF;
                }
            }
        }
    }

    /// `var` becomes `from + by`. The octagon is closed.
    pub fn assign(&mut self, var: usize, from: Signed, by: i128) {
        if by.unsigned_abs() >= 1 << 90 {
            return self.forget(var);
        }
        if from.var != var {
            self.forget(var);
            self.limit(Signed::plus(var), negated(from), by);
            self.limit(Signed::minus(var), from, -by);
            return;
        }
        let n = self.nodes;
        let (p, q) = (2 * var, 2 * var + 1);
        if from.negative {
            for j in 0..n {
                self.m.swap(p * n + j, q * n + j);
            }
            for j in 0..n {
                self.m.swap(j * n + p, j * n + q);
            }
        }
        for j in 0..n {
            if j == p || j == q {
                continue;
            }
            for (at, by) in [
                (j * n + p, by),
                (p * n + j, -by),
                (j * n + q, -by),
                (q * n + j, by),
            ] {
                if self.m[at] < INF {
                    self.m[at] = clamp(self.m[at] + by);
                }
            }
        }
        // q to p bounds 2 x.
        for (at, by) in [(q * n + p, 2 * by), (p * n + q, -2 * by)] {
            if self.m[at] < INF {
                self.m[at] = clamp(self.m[at] + by);
            }
        }
    }

    /// Whatever is in one of two closed octagons.
    pub fn join(&self, other: &Octagon) -> Octagon {
        let m = self
            .m
            .iter()
            .zip(&other.m)
            .map(|(a, b)| *a.max(b))
            .collect();
        Octagon {
            nodes: self.nodes,
            m,
            closed: self.closed && other.closed,
        }
    }

    /// Bounds that do not hold in `other`, which is closed, are dropped. The result is not closed, or
    /// it would not end.
    pub fn widen(&self, other: &Octagon) -> Octagon {
        let keep = |(a, b): (&i128, &i128)| if b <= a { *a } else { INF };
        let m = self.m.iter().zip(&other.m).map(keep).collect();
        Octagon {
            nodes: self.nodes,
            m,
            closed: false,
        }
    }

    /// Whether every point of this closed octagon is in the other.
    pub fn is_in(&self, other: &Octagon) -> bool {
        self.m.iter().zip(&other.m).all(|(a, b)| a <= b)
    }

    /// Whether a point, one value for each variable, is in it.
    #[cfg(test)]
    pub fn contains(&self, point: &[i128]) -> bool {
        let value = |node: usize| match node % 2 {
            0 => point[node / 2],
            _ => -point[node / 2],
        };
        let n = self.nodes;
        (0..n).all(|i| {
            (0..n).all(|j| {
                let bound = self.m[i * n + j];
                bound >= INF || value(j) - value(i) <= bound
            })
        })
    }
}

fn negated(a: Signed) -> Signed {
    Signed {
        negative: !a.negative,
        ..a
    }
}
