//! Comparing systems whose labels may be patterns. Nobody knows which of its actions a pattern
//! stands for, but it is the same wherever it is written the same way. So systems that are
//! equivalent by the names of their labels are equivalent. If they are not, but would be once
//! all labels that may mean the same action had one name, nothing is known. If they are not even
//! then, they differ whatever the patterns stand for: giving actions other names makes equivalent
//! systems out of equivalent ones.

use crate::builder::Builder;
use crate::labels::{Label, TAU};
use crate::lts::Lts;
use crate::pattern::Pattern;
use std::collections::BTreeSet;

/// Past this many members a pattern is not written out.
const MAX_MEMBERS: usize = 4096;

/// Two systems that have different labels for what may be the same action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// The systems, with one name for all that may be one action.
    pub merged: (Lts, Lts),
    /// Two such labels.
    pub labels: (String, String),
}

/// The labels that occur on transitions.
fn used(lts: &Lts) -> BTreeSet<&str> {
    let mut seen = vec![false; lts.labels().len()];
    lts.iter().for_each(|(_, a, _)| seen[a as usize] = true);
    let labels = 1..lts.labels().len() as Label;
    let used = labels.filter(|l| seen[*l as usize]);
    used.map(|l| lts.labels().name(l)).collect()
}

fn has_patterns(lts: &Lts) -> bool {
    !lts.labels().patterns().is_empty()
}

impl Overlap {
    /// Nothing if labels with different names mean different actions.
    pub fn of(a: &Lts, b: &Lts) -> Option<Overlap> {
        if !has_patterns(a) && !has_patterns(b) {
            return None;
        }
        let names: Vec<&str> = used(a).union(&used(b)).copied().collect();
        let meant: Vec<Pattern> = names.iter().map(|n| Pattern::parse(n)).collect();
        let mut group: Vec<usize> = (0..names.len()).collect();
        let mut pair = None;
        for x in (0..names.len()).filter(|x| meant[*x].has_holes()) {
            for y in (0..names.len()).filter(|y| *y != x && meant[x].overlaps(&meant[*y])) {
                pair.get_or_insert((x, y));
                let (from, to) = (group[x].max(group[y]), group[x].min(group[y]));
                group
                    .iter_mut()
                    .filter(|g| **g == from)
                    .for_each(|g| *g = to);
            }
        }
        let (x, y) = pair?;
        // A label that means all that its group does says it best.
        let named = |g: usize| {
            let members = || (0..names.len()).filter(|n| group[*n] == g);
            let widest = members().find(|n| members().all(|m| meant[*n].includes(&meant[m])));
            let any = members().find(|n| meant[*n].has_holes());
            names[widest.or(any).unwrap_or(g)]
        };
        let rename = |name: &str| match names.binary_search(&name) {
            Ok(n) => named(group[n]).to_owned(),
            Err(_) => name.to_owned(),
        };
        Some(Overlap {
            merged: (renamed(a, rename), renamed(b, rename)),
            labels: (names[x].to_owned(), names[y].to_owned()),
        })
    }
}

/// The same system with each pattern as a mere name: it overlaps nothing any more.
pub fn by_name(lts: &Lts) -> Lts {
    renamed(lts, |name| crate::pattern::literal(name).into_owned())
}

fn renamed(lts: &Lts, rename: impl Fn(&str) -> String) -> Lts {
    let mut builder = Builder::new();
    let labels: Vec<Label> = (lts.labels().names().enumerate())
        .map(|(n, name)| match n as Label {
            TAU => TAU,
            _ => builder.label(&rename(name)),
        })
        .collect();
    for (s, a, t) in lts.iter() {
        builder.add(s, labels[a as usize], t);
    }
    builder.ensure_states(lts.states());
    builder.finish(lts.initial())
}

/// `a` with a step for each action of a pattern that `b` does not have, but has all the actions
/// of. Whatever the pattern stands for, `a` cannot do more.
pub fn written_out(a: &Lts, b: &Lts) -> Lts {
    let known = used(b);
    let members = |name: &str| {
        let members = Pattern::parse(name).members(MAX_MEMBERS)?;
        let labels: Vec<String> = members
            .iter()
            .map(|text| crate::pattern::literal(text).into_owned())
            .collect();
        let all = !known.contains(name) && labels.iter().all(|l| known.contains(&**l));
        all.then_some(labels)
    };
    let mut builder = Builder::new();
    let labels: Vec<Vec<Label>> = (lts_names(a))
        .map(|(label, name)| {
            let list = match a.labels().patterns().contains(&label) {
                true => members(name),
                false => None,
            };
            match list {
                Some(list) => list.iter().map(|l| builder.label(l)).collect(),
                None => vec![builder.label(name)],
            }
        })
        .collect();
    for (s, l, t) in a.iter() {
        labels[l as usize]
            .iter()
            .for_each(|l| builder.add(s, *l, t));
    }
    builder.ensure_states(a.states());
    builder.finish(a.initial())
}

fn lts_names(lts: &Lts) -> impl Iterator<Item = (Label, &str)> {
    (0..).zip(lts.labels().names())
}
