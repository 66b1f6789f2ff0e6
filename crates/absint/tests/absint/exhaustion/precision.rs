//! How often a result is the best possible one, and the table of it in docs/domains.md.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

const BEGIN: &str = "<!-- precision: written by the test, do not edit -->";
const END: &str = "<!-- end of precision -->";

/// Counts of results by row and column of a table.
#[derive(Default)]
pub struct Counts {
    cells: BTreeMap<(usize, usize), (u64, u64)>,
}

impl Counts {
    pub fn add(&mut self, row: usize, column: usize, best: bool) {
        let cell = self.cells.entry((row, column)).or_default();
        cell.0 += u64::from(best);
        cell.1 += 1;
    }
    pub fn merge(&mut self, other: &Counts) {
        for (key, (best, all)) in &other.cells {
            let cell = self.cells.entry(*key).or_default();
            cell.0 += best;
            cell.1 += all;
        }
    }
    /// As a table; percentages are rounded down, so that 100 means always.
    pub fn table(&self, title: &str, rows: &[&str], columns: &[&str]) -> String {
        let mut text = format!("| {title} |");
        for column in columns {
            write!(text, " {column} |").expect("a string");
        }
        text += "\n|";
        text += &" --- |".repeat(columns.len() + 1);
        for (r, row) in rows.iter().enumerate() {
            let row = row.replace('|', "\\|");
            write!(text, "\n| `{row}` |").expect("a string");
            for c in 0..columns.len() {
                match self.cells.get(&(r, c)) {
                    Some((best, all)) if best == all => text += " 100 |",
                    Some((best, all)) => {
                        let hundredths = best * 10_000 / all;
                        write!(text, " {}.{:02} |", hundredths / 100, hundredths % 100)
                            .expect("a string");
                    }
                    None => text += " – |",
                }
            }
        }
        text + "\n"
    }
}

/// Compares the measured tables with the recorded ones, or records them.
pub fn check(measured: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/domains.md");
    let page = std::fs::read_to_string(&path).expect("docs/domains.md");
    let (before, rest) = page.split_once(BEGIN).expect("a place for the table");
    let (recorded, after) = rest.split_once(END).expect("an end of the table");
    if std::env::var_os("CWOLF_BLESS").is_some() {
        let page = format!("{before}{BEGIN}\n\n{measured}\n{END}{after}");
        std::fs::write(&path, page).expect("docs/domains.md can be written");
        return;
    }
    let lines = |text: &str| -> Vec<Vec<String>> {
        let rows = text.lines().filter(|l| l.starts_with('|'));
        rows.map(|l| l.split(" | ").map(|c| c.replace(['|', ' '], "")).collect())
            .collect()
    };
    let (old, new) = (lines(recorded), lines(measured));
    // Of fewer widths, the first tables.
    assert!(
        old.len() >= new.len(),
        "other rows; record with CWOLF_BLESS=1"
    );
    for (old, new) in old.iter().zip(&new) {
        let row = &new[0];
        assert_eq!(&old[0], row, "other rows; record with CWOLF_BLESS=1");
        assert_eq!(
            old.len(),
            new.len(),
            "other columns; record with CWOLF_BLESS=1"
        );
        for (column, (old, new)) in old.iter().zip(new).enumerate() {
            if let (Ok(before), Ok(now)) = (old.parse::<f64>(), new.parse::<f64>()) {
                assert!(
                    now >= before,
                    "row {row}, column {column}: fell from {before}% to {now}%"
                );
            }
        }
    }
}
