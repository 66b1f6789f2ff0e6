//! What the map keeps so far.

use cwolf_absint::map::{Choice, Map, Proposals};
use cwolf_absint::slice::CellKey;
use cwolf_cwi::Type;
use std::collections::{BTreeMap, BTreeSet};

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
    /// Numbers that a partition of a cell tells apart from all others, beside those that its uses suggest.
    numbers: BTreeMap<CellKey, BTreeSet<i128>>,
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
    /// All that are kept.
    pub(crate) fn cells(&self) -> impl Iterator<Item = &CellKey> {
        self.cells.keys()
    }
    /// How many are kept with every value by itself.
    pub(crate) fn exact(&self) -> usize {
        let levels = self.cells.values().map(|(_, level)| level);
        levels.filter(|l| **l == Level::Exact).count()
    }
    /// Tells a number of a cell apart from all others; whether that is new.
    pub fn tell_apart(&mut self, cell: &CellKey, number: i128) -> bool {
        (self.numbers.entry(cell.clone()).or_default()).insert(number)
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
                let choice = self.domain(proposals, cell, *level)?;
                Some((cell, choice.domain, choice.split))
            })
            .collect()
    }
    /// The map.
    pub fn print(&self, proposals: &mut Proposals<'_>) -> String {
        let mut map = Map::default();
        for (cell, (_, level)) in &self.cells {
            if let Some(spelling) = proposals.spelling(cell)
                && let Some(choice) = self.domain(proposals, cell, *level)
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
                let domain = self.domain(proposals, cell, *level);
                let domain = domain.map_or("?".into(), |c| c.domain);
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
    /// The domain of a cell, with the numbers that it tells apart.
    fn domain(
        &self,
        proposals: &mut Proposals<'_>,
        cell: &CellKey,
        level: Level,
    ) -> Option<Choice> {
        let numbers = self.numbers.get(cell).filter(|_| level != Level::Exact);
        let found = match numbers {
            Some(numbers) => with_numbers(proposals, cell, numbers),
            None => None,
        };
        let found = found.or_else(|| domain(proposals, cell, level))?;
        let split = level == Level::Split && has_classes(&found);
        Some(Choice { split, ..found })
    }
}

/// Whether a domain has classes that values can be taken apart by.
pub(crate) fn has_classes(choice: &Choice) -> bool {
    let words = ["part", "mod", "bool"];
    words.iter().any(|w| choice.domain.starts_with(w))
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
            values: None,
            fixed: false,
            split: false,
            why: String::new(),
        })
    };
    match (kind, level) {
        (Type::Pointer(_), _) => exact("pointer"),
        (Type::Float(_), _) => exact("float"),
        (Type::Int(_) | Type::Bool, Level::Suggested | Level::Split) => {
            proposals.choice(cell).or_else(|| exact("int"))
        }
        // Several objects are one in states, each with a value of its own.
        (Type::Int(_) | Type::Bool, Level::Exact) if proposals.is_allocated(cell) => {
            exact("set(8)")
        }
        (Type::Int(_) | Type::Bool, Level::Exact) => exact("int"),
        _ => None,
    }
}

/// The partition that tells some numbers apart, beside those that the uses of a cell suggest; none if it is no number, or its values
/// are told apart anyway.
fn with_numbers(
    proposals: &mut Proposals<'_>,
    cell: &CellKey,
    numbers: &BTreeSet<i128>,
) -> Option<Choice> {
    let ty = proposals.ty(cell)?;
    let Type::Int(int) = *proposals.kind(ty) else {
        return None;
    };
    let suggested = proposals.choice(cell).map(|c| c.domain);
    let mut points: BTreeSet<i128> = match suggested.as_deref() {
        None => BTreeSet::new(),
        Some("bool") => BTreeSet::from([0, 1]),
        Some(domain) => {
            let list = domain.strip_prefix("part(")?.strip_suffix(')')?;
            list.split(',').filter_map(|n| n.parse().ok()).collect()
        }
    };
    points.extend(numbers.iter().flat_map(|n| [*n, *n + 1]));
    // The least number of the type begins a class in any case.
    let (least, most) = match (int.signed, int.bits) {
        (_, 65..) => return None,
        (true, bits) => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        (false, bits) => (0, (1i128 << bits) - 1),
    };
    points.retain(|n| *n > least && *n <= most);
    let list: Vec<String> = points.iter().map(i128::to_string).collect();
    (!list.is_empty()).then(|| Choice {
        domain: format!("part({})", list.join(",")),
        values: None,
        fixed: false,
        split: false,
        why: "tells the values of labels apart".to_owned(),
    })
}
