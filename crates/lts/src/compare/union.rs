//! Two systems side by side.

use crate::builder::Builder;
use crate::labels::Label;
use crate::lts::{Lts, State};

/// Both systems in one, the states of `b` after those of `a`; also where each starts. The
/// union's own start state is that of `a`.
pub(crate) fn union(a: &Lts, b: &Lts) -> (Lts, State, State) {
    let mut labels = (*a.labels).clone();
    let same: Vec<Label> = b.labels().names().map(|name| labels.intern(name)).collect();
    let shift = a.states() as State;
    let mut builder = Builder::with_labels(labels);
    builder.reserve(a.transitions() + b.transitions());
    a.iter().for_each(|(s, l, t)| builder.add(s, l, t));
    for (s, l, t) in b.iter() {
        builder.add(s + shift, same[l as usize], t + shift);
    }
    builder.ensure_states(a.states() + b.states());
    (
        builder.finish(a.initial()),
        a.initial(),
        b.initial() + shift,
    )
}
