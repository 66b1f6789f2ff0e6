//! Maps proposed by the tool (thesis, 7.1.3): what decides which labelled event comes next is kept,
//! in a domain that fits how it is used; and a label for each function without a body that is
//! called.

use super::{LabelMap, Text, parse_labels};
use crate::machine::shows_events;
use crate::slice::{CellKey, Fields, Leaf, Slice, Uses, is_kept};
use cwolf_base::SourceMap;
use cwolf_cwi::graph::Analysed;
use cwolf_cwi::{FuncId, Type, TypeId, VarId, VarKind};
use cwolf_known::Row;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Arrays with more elements are not kept.
pub(super) const LONGEST: u64 = 64;

/// What is said about a cell in a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The domain, as a map spells it.
    pub domain: String,
    /// How many values it takes, if only these are stored.
    pub values: Option<usize>,
    /// Whether only constants are stored in it, so that it is likely a state which the author of the program has in mind.
    pub fixed: bool,
    /// Whether its values are taken apart, one class of the domain at a time.
    pub split: bool,
    /// The reason for it.
    pub why: String,
}

/// What a map calls a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spelling {
    /// The file.
    pub file: String,
    /// The function; empty for a variable outside functions.
    pub function: String,
    /// The variable with its fields.
    pub name: String,
    /// Whether it is a parameter.
    pub parameter: bool,
    /// Whether the map says something of each element.
    pub array: bool,
}

/// A domain for whatever matters to the events of a program.
pub struct Proposals<'p> {
    program: &'p Analysed,
    uses: Uses<'p>,
}

impl<'p> Proposals<'p> {
    /// For the events of a label map; without rules, those that the program shows itself, else calls of functions without a body.
    pub fn new(program: &'p Analysed, entry: FuncId, labels: &LabelMap) -> Proposals<'p> {
        let own;
        let labels = match labels.rules.is_empty() && !shows_events(program) {
            true => {
                own = extern_calls(program, entry);
                &own
            }
            false => labels,
        };
        let slice = Slice::new(program, entry, labels, Fields::ByType);
        Proposals {
            program,
            uses: Uses::new(program, slice),
        }
    }
    /// All cells that matter.
    pub fn relevant(&self) -> Vec<CellKey> {
        let slice = &self.uses.slice;
        let mut cells: Vec<CellKey> = slice
            .relevant
            .iter()
            .filter_map(|leaf| match slice.leaves.get(leaf) {
                // Constants are read from the program.
                Leaf::Cell(var, _) if self.program.vars[*var].constant => None,
                Leaf::Cell(var, path) => Some((*var, path.clone())),
                _ => None,
            })
            .collect();
        cells.sort();
        cells
    }
    /// The type of a cell.
    pub fn ty(&mut self, (var, path): &CellKey) -> Option<TypeId> {
        self.uses.slice.leaves.cell_type(*var, path)
    }
    /// What a type stands for.
    pub fn kind(&self, ty: TypeId) -> &'p Type {
        &self.program.types[ty]
    }
    /// Whether a cell lies in an object that the program allocates.
    pub fn is_allocated(&self, key: &CellKey) -> bool {
        self.program.heap.objects.contains_key(&key.0)
    }
    /// The domain that fits how a cell is used; none if keeping it does not help.
    pub fn choice(&mut self, key: &CellKey) -> Option<Choice> {
        self.choose(key, true)
    }
    /// A coarser one, which only tells apart what the cell is compared with.
    pub fn coarser(&mut self, key: &CellKey) -> Option<Choice> {
        let fine = self.choice(key)?.domain;
        self.choose(key, false).filter(|c| c.domain != fine)
    }
    fn choose(&mut self, key: &CellKey, rows: bool) -> Option<Choice> {
        let ty = self.ty(key)?;
        let leaf = Leaf::Cell(key.0, key.1.clone());
        let leaf = self.uses.slice.leaves.intern(leaf);
        self.uses.choose(leaf, ty, rows)
    }
    /// Whether values are copied from one of two cells to the other, or the two are compared: they take the same values.
    pub fn are_alike(&mut self, a: &CellKey, b: &CellKey) -> bool {
        let leaf = |cell: &CellKey| Leaf::Cell(cell.0, cell.1.clone());
        let (a, b) = (leaf(a), leaf(b));
        let leaves = &mut self.uses.slice.leaves;
        let (a, b) = (leaves.intern(a), leaves.intern(b));
        self.uses.are_alike(a, b)
    }
    /// All pointers that a machine may keep.
    pub fn pointers(&mut self) -> Vec<CellKey> {
        let mut found = Vec::new();
        for var in self.program.vars.ids() {
            if !is_kept(self.program, var) || self.program.vars[var].constant {
                continue;
            }
            for leaf in self.uses.slice.leaves.variable(var) {
                if let Leaf::Cell(var, path) = self.uses.slice.leaves.get(leaf) {
                    found.push((*var, path.clone()));
                }
            }
        }
        found.retain(|cell| {
            let ty = self.ty(cell);
            ty.is_some_and(|ty| matches!(self.program.types[ty], Type::Pointer(_)))
        });
        found
    }
    /// Where in which variables the values of a cell are, in bits: what is said of an allocated object holds for all of its type.
    pub fn places(&self, (var, path): &CellKey) -> Vec<(VarId, u64)> {
        let Some((starts, _)) = super::keep::starts(self.program, *var, path) else {
            return Vec::new();
        };
        let vars = super::keep::alike(self.program, *var).into_iter();
        vars.flat_map(|v| starts.iter().map(move |bit| (v, *bit)))
            .collect()
    }
    /// Whether a machine can keep a cell, named or not.
    pub fn is_kept(&self, (var, path): &CellKey) -> bool {
        is_kept(self.program, *var) && super::keep::starts(self.program, *var, path).is_some()
    }
    /// What a map calls a cell; none if it cannot name it.
    pub fn spelling(&self, (var, path): &CellKey) -> Option<Spelling> {
        let program = self.program;
        let v = &program.vars[*var];
        if !is_kept(program, *var) || !is_alone(program, *var) {
            return None;
        }
        // What the compiler made has no name. The machine keeps all of it.
        if v.name.contains('#') && !program.heap.owns(*var) {
            return None;
        }
        let (name, array) = spelled(program, *var, path)?;
        if program.heap.owns(*var) {
            // What is allocated has no name but that of its type.
            let name = typed(program, *var, path)?;
            return Some(Spelling {
                file: String::new(),
                function: String::new(),
                name,
                parameter: false,
                array,
            });
        }
        // After `#line`, a function and its variables may be in different files; maps look for the function.
        let loc = match v.kind.function() {
            Some(f) => program.funcs[f].loc,
            None => v.loc,
        };
        let file = program.locations.file_name(program.locations[loc].file);
        if program.locations.is_library(loc) || file.contains(['"', '\n']) {
            return None;
        }
        Some(Spelling {
            file: file.to_owned(),
            function: match v.kind.function() {
                Some(f) => program.funcs[f].name.clone(),
                None => String::new(),
            },
            name,
            parameter: matches!(v.kind, VarKind::Param(_)),
            array,
        })
    }
}

/// The rules of [`suggest_labels`].
fn extern_calls(program: &Analysed, entry: FuncId) -> LabelMap {
    let text = suggest_labels(program, entry);
    let text = Text {
        name: "<proposed>",
        text: &text,
    };
    parse_labels(program, &mut SourceMap::default(), text).unwrap_or_default()
}

/// What a map calls a field of every object of a variable's type.
fn typed(program: &Analysed, var: VarId, path: &[u32]) -> Option<String> {
    let types = &program.types;
    let mut ty = program.vars[var].ty;
    while let Type::Array { elem, .. } = types[ty] {
        ty = elem;
    }
    let record = &types.records[types.as_record(ty)?];
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let plain = !record.name.is_empty() && record.name.chars().all(word);
    let kind = match record.kind {
        cwolf_cwi::RecordKind::Struct => "struct",
        cwolf_cwi::RecordKind::Union => return None,
    };
    let mut name = format!("{kind} {}", record.name);
    for n in path {
        while let Type::Array { elem, .. } = types[ty] {
            ty = elem;
        }
        let field = &types.records[types.as_record(ty)?].fields[*n as usize];
        if !field.name.is_empty() {
            name = format!("{name}.{}", field.name);
        }
        ty = field.ty;
    }
    (plain && !path.is_empty()).then_some(name)
}

/// What a map calls a scalar of a variable, and whether it is an array; none if it cannot name it.
fn spelled(program: &Analysed, var: VarId, path: &[u32]) -> Option<(String, bool)> {
    let types = &program.types;
    let mut name = program.vars[var].name.clone();
    let mut ty = program.vars[var].ty;
    let mut count = 1u64;
    let mut path = path.iter();
    let mut array = false;
    loop {
        match &types[ty] {
            Type::Array { elem, len } => {
                count = count.saturating_mul(*len);
                ty = *elem;
                array = true;
            }
            Type::Record(record) => {
                let field = &types.records[*record].fields[*path.next()? as usize];
                if !field.name.is_empty() {
                    name = format!("{name}.{}", field.name);
                }
                ty = field.ty;
                array = false;
            }
            _ => break,
        }
    }
    (count > 0 && count <= LONGEST).then_some((name, array))
}

/// Whether no variable of another type has the same name in the same scope.
fn is_alone(program: &Analysed, id: VarId) -> bool {
    let var = &program.vars[id];
    let scope = |k: VarKind| (k.function(), k == VarKind::Global);
    let same = |v: &&cwolf_cwi::Var| v.name == var.name && scope(v.kind) == scope(var.kind);
    let mut all = program.vars.iter().filter(same);
    all.all(|v| v.ty == var.ty)
}

/// A map under construction: what is said of cells, by file and function.
#[derive(Clone, Debug, Default)]
pub struct Map {
    files: BTreeMap<String, BTreeMap<String, Vec<(Spelling, Choice)>>>,
    merged: BTreeSet<(String, String)>,
}

impl Map {
    /// Says something of a cell, unless something was said before.
    pub fn add(&mut self, spelling: Spelling, choice: Choice) {
        let lines = self.files.entry(spelling.file.clone()).or_default();
        let lines = lines.entry(spelling.function.clone()).or_default();
        if !lines.iter().any(|(s, _)| s.name == spelling.name) {
            lines.push((spelling, choice));
        }
    }
    /// Takes all states at the same place of a function as one (`variance location`).
    pub fn merge(&mut self, program: &Analysed, func: FuncId) {
        let function = &program.funcs[func];
        let file = program.locations[function.loc].file;
        let file = program.locations.file_name(file).to_owned();
        let name = function.name.clone();
        let lines = self.files.entry(file.clone()).or_default();
        lines.entry(name.clone()).or_default();
        self.merged.insert((file, name));
    }
    /// The text of the map; `what` is in it.
    pub fn print(&self, what: &str) -> String {
        let mut text = format!(
            "// Proposed by cwolf: {what}.\n\
             // Numbers that are not mentioned are top, pointers are kept where they can matter. Edit it as you like.\n"
        );
        let said = |(s, c): &(Spelling, Choice)| {
            let array = if s.array { " array" } else { "" };
            // The elements of an array would multiply.
            let split = if c.split && !s.array { " split" } else { "" };
            format!("var {} : {}{array}{split}", s.name, c.domain)
        };
        let line = |entry: &(Spelling, Choice)| match entry.1.why.as_str() {
            "" => format!("{};", said(entry)),
            why => format!("{};    // {why}", said(entry)),
        };
        for (file, functions) in &self.files {
            // Types belong to no file.
            if file.is_empty() {
                let lines = functions.values().flatten();
                lines.for_each(|l| text += &format!("{}\n", line(l)));
                continue;
            }
            let _ = writeln!(text, "file \"{file}\" {{");
            for (function, lines) in functions {
                if function.is_empty() {
                    lines
                        .iter()
                        .for_each(|l| text += &format!("    {}\n", line(l)));
                    continue;
                }
                let params: Vec<String> =
                    lines.iter().filter(|l| l.0.parameter).map(said).collect();
                let _ = write!(text, "    fun {function} ({}) {{", params.join(", "));
                let mut own: Vec<String> =
                    lines.iter().filter(|l| !l.0.parameter).map(line).collect();
                if self.merged.contains(&(file.clone(), function.clone())) {
                    own.insert(0, "variance location;    // it calls itself".to_owned());
                }
                match own.is_empty() {
                    true => text += " }\n",
                    false => {
                        text += "\n";
                        own.iter().for_each(|l| text += &format!("        {l}\n"));
                        text += "    }\n";
                    }
                }
            }
            text += "}\n";
        }
        text
    }
}

/// Proposes a label map: calls of the functions that nobody knows anything about, as those are the program's world; if there are none, of
/// what asks or tells the world by the C library. Other functions without a body are in it as comments.
pub fn suggest_labels(program: &Analysed, entry: FuncId) -> String {
    let called = program.calls().reachable(&[entry]).into_iter();
    let called = called.map(|f| (f, &program.funcs[f]));
    let called = called.filter(|(_, f)| f.body.is_none() && f.name != cwolf_lts::TAU_NAME);
    let rows: Vec<_> = called
        .map(|(id, f)| (&f.name[..], program.known(id)))
        .collect();
    let unknown = rows.iter().any(|(_, row)| row.is_none());
    let shown = |row: Option<&Row>| match row {
        None => true,
        Some(row) => !unknown && !row.chooses() && (row.is_output() || row.is_open()),
    };
    let mut text = String::from(
        "// Proposed by cwolf: calls of functions without a body. Edit it as you like.\n",
    );
    for wanted in [true, false] {
        for (name, _) in rows.iter().filter(|(_, row)| shown(*row) == wanted) {
            let comment = if wanted { "" } else { "// " };
            let _ = writeln!(text, "{comment}call({name}) => {name};");
        }
    }
    text
}
