//! What the map keeps so far.

use cwolf_absint::map::{Choice, Map, Proposals};
use cwolf_absint::slice::CellKey;
use cwolf_cwi::Type;
use std::collections::BTreeMap;

/// How exactly a cell is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// As its uses suggest: a partition at the constants that it is compared with, and so on.
    Suggested,
    /// Every value by itself.
    Exact,
    /// As its uses suggest, with values that are not known taken apart, one class at a time.
    Split,
}

/// The cells that a map keeps, in the order in which they were found.
#[derive(Clone, Debug, Default)]
pub struct Tracked {
    cells: BTreeMap<CellKey, (usize, Level)>,
    count: usize,
}

impl Tracked {
    /// All that may decide which event comes next, in domains that fit.
    pub(crate) fn relevant(proposals: &mut Proposals<'_>) -> Tracked {
        let mut all = Tracked::default();
        for cell in proposals.relevant() {
            if proposals.is_kept(&cell) && proposals.choice(&cell).is_some() {
                all.keep(&cell, Level::Suggested);
            }
        }
        all
    }
    /// How many there are.
    pub fn len(&self) -> usize {
        self.cells.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }
    /// How exactly a cell is kept, if it is.
    pub fn level(&self, cell: &CellKey) -> Option<Level> {
        self.cells.get(cell).map(|(_, level)| *level)
    }
    /// Keeps a cell at least so exactly; whether that is new.
    pub fn keep(&mut self, cell: &CellKey, level: Level) -> bool {
        match self.cells.get_mut(cell) {
            Some((_, old)) if *old >= level => false,
            Some((_, old)) => {
                *old = level;
                true
            }
            None => {
                self.cells.insert(cell.clone(), (self.count, level));
                self.count += 1;
                true
            }
        }
    }
    /// The same with these, too.
    pub(crate) fn with<'c>(
        &self,
        cells: impl IntoIterator<Item = &'c (CellKey, Level)>,
    ) -> Tracked {
        let mut all = self.clone();
        for (cell, level) in cells {
            all.keep(cell, *level);
        }
        all
    }
    /// The cells, each with the domain that it is kept in, and whether its values are taken apart.
    pub(crate) fn domains(&self, proposals: &mut Proposals<'_>) -> Vec<(&CellKey, String, bool)> {
        let cells = self.cells.iter();
        cells
            .filter_map(|(cell, (_, level))| {
                let choice = domain(proposals, cell, *level)?;
                Some((cell, choice.domain, *level == Level::Split))
            })
            .collect()
    }
    /// The map.
    pub fn print(&self, proposals: &mut Proposals<'_>) -> String {
        let mut map = Map::default();
        for (cell, (_, level)) in &self.cells {
            if let Some(spelling) = proposals.spelling(cell)
                && let Some(choice) = domain(proposals, cell, *level)
            {
                map.add(spelling, choice);
            }
        }
        map.print("what the formula needs")
    }
    /// The names of the cells after the first `known` that were found.
    pub fn names(&self, proposals: &mut Proposals<'_>, known: usize) -> String {
        let mut names: Vec<(usize, String)> = Vec::new();
        for (cell, (number, level)) in &self.cells {
            if (*number >= known || *level == Level::Exact)
                && let Some(s) = proposals.spelling(cell)
            {
                let domain = domain(proposals, cell, *level).map_or("?".into(), |c| c.domain);
                let scope = match s.function.as_str() {
                    "" => String::new(),
                    f => format!("{f}:"),
                };
                names.push((*number, format!("{scope}{} ({domain})", s.name)));
            }
        }
        names.sort();
        let names: Vec<String> = names.into_iter().map(|n| n.1).collect();
        names.join(", ")
    }
}

/// The domain of a cell; none if there is none of that level.
pub(crate) fn domain(
    proposals: &mut Proposals<'_>,
    cell: &CellKey,
    level: Level,
) -> Option<Choice> {
    let ty = proposals.ty(cell)?;
    let kind = proposals.kind(ty);
    let exact = |domain: &str| {
        Some(Choice {
            domain: domain.to_owned(),
            why: String::new(),
        })
    };
    match (kind, level) {
        (Type::Pointer(_), _) => exact("pointer"),
        (Type::Float(_), _) => exact("float"),
        (Type::Int(_) | Type::Bool, Level::Suggested | Level::Split) => {
            proposals.choice(cell).or_else(|| exact("int"))
        }
        (Type::Int(_) | Type::Bool, Level::Exact) => exact("int"),
        _ => None,
    }
}
