//! A label with a value that is not known may be an action of the formula, or not. Then more is kept of what the value is made of.

use crate::tracked::{Level, Tracked, domain};
use crate::{Question, Seeker};
use cwolf_absint::map::{Part, Rule};
use cwolf_absint::slice::{CellKey, value_cells};
use cwolf_workbench::Doubt;
use std::collections::BTreeSet;

impl Seeker<'_> {
    /// Keeps more of what decides whether a label is an action, if there is more: first as uses suggest, with the numbers of the action told
    /// apart, then every value by itself; each time from the label backwards.
    pub(crate) fn sharpen(&mut self, doubt: &Doubt, tell: &mut dyn FnMut(&str)) -> bool {
        let rules = showing(self.question, doubt);
        let texts = rules.iter().flat_map(|(_, texts)| texts);
        // The numbers that the values of the action are.
        let numbers: BTreeSet<i128> = texts.filter_map(|t| t.parse().ok()).collect();
        let rules: Vec<&Rule> = rules.iter().map(|r| r.0).collect();
        let layers = value_cells(self.question.program, &rules);
        let known = self.tracked.len();
        for level in [Level::Suggested, Level::Exact] {
            for layer in &layers {
                let mut finer = self.tracked.clone();
                if self.keep(&mut finer, layer, level, &numbers) {
                    self.tracked = finer;
                    self.unbounded = level == Level::Exact;
                    let added = self.tracked.names(&mut self.proposals, known);
                    tell(&format!(
                        "  `{}` may be `{}` or not; kept from now on: {added}",
                        doubt.label, doubt.action
                    ));
                    return true;
                }
            }
        }
        false
    }
    fn keep(
        &mut self,
        finer: &mut Tracked,
        cells: &BTreeSet<CellKey>,
        level: Level,
        numbers: &BTreeSet<i128>,
    ) -> bool {
        let mut changed = false;
        for cell in cells {
            let named = self.question.can_keep(&self.proposals, cell);
            if named && domain(&mut self.proposals, cell, Level::Exact).is_some() {
                changed |= finer.keep(cell, level);
                for number in numbers {
                    changed |= level == Level::Suggested && finer.tell_apart(cell, *number);
                }
            }
        }
        changed
    }
}

/// The rules whose label the action may be, each with the texts of its values; all with values, if none fits as it is written.
fn showing<'q>(question: &'q Question<'_>, doubt: &Doubt) -> Vec<(&'q Rule, Vec<String>)> {
    let fitting: Vec<_> = valued(question)
        .filter_map(|r| Some((r, texts(r, &doubt.action)?)))
        .collect();
    match fitting.is_empty() {
        true => valued(question).map(|r| (r, Vec::new())).collect(),
        false => fitting,
    }
}

fn valued<'q>(question: &'q Question<'_>) -> impl Iterator<Item = &'q Rule> {
    let rules = question.labels.rules.iter();
    rules.filter(|r| r.label.iter().any(|p| matches!(p, Part::Value(_))))
}

/// All that the values in labels are made of.
pub(crate) fn in_labels(question: &Question<'_>) -> BTreeSet<CellKey> {
    let rules: Vec<&Rule> = valued(question).collect();
    let layers = value_cells(question.program, &rules);
    layers.into_iter().flatten().collect()
}

/// What stands for the values of a rule in a label, if it is one of the rule's labels.
pub(crate) fn texts(rule: &Rule, label: &str) -> Option<Vec<String>> {
    let mut rest = label.trim_start_matches('`');
    let mut found = Vec::new();
    for (n, part) in rule.label.iter().enumerate() {
        match part {
            Part::Text(text) => {
                let text = match n {
                    0 => text.trim_start_matches('`'),
                    _ => text,
                };
                rest = rest.strip_prefix(text)?;
            }
            Part::Value(_) => {
                let end = match rule.label.get(n + 1) {
                    Some(Part::Text(text)) => rest.find(text.as_str())?,
                    _ => rest.len(),
                };
                found.push(rest[..end].to_owned());
                rest = &rest[end..];
            }
        }
    }
    rest.is_empty().then_some(found)
}
