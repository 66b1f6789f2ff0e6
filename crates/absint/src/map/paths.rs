//! From lines of an abstraction map to cells: a name with fields, a wildcard, a type. What a line
//! says by name counts before what one says of a type, and that before a wildcard; of two lines
//! with wildcards, or two about types, the later counts.

use super::abstraction::{Cell, MAX_CELLS, TypeCell};
use super::lex::Result;
use super::names::{Names, is_wild, matches};
use crate::domain::{Kind, Shape, Universe};
use cwolf_base::{Diagnostic, Span};
use cwolf_cwi::{Program, RecordId, Type, TypeId, Types, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// A variable's name with the fields after it.
pub(super) struct Path {
    pub names: Vec<(String, Span)>,
    pub span: Span,
    /// It starts with `struct` or `union`.
    pub is_type: bool,
    /// The line says `split`.
    pub split: bool,
}

impl Path {
    pub fn is_wild(&self) -> bool {
        self.names.iter().any(|(name, _)| is_wild(name))
    }
}

/// How much a line counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Wildcard,
    Type,
    Name,
}

/// Part of a variable, as a line says it: from a bit on, this long.
struct Line {
    rank: Rank,
    var: VarId,
    /// Where the cells start that are kept; all of the same type.
    starts: Vec<u64>,
    ty: TypeId,
    kind: Kind,
    /// Its values are taken apart.
    split: bool,
    /// The bits that the line is about.
    from: u64,
    to: u64,
}

/// What all lines so far ask for.
pub(super) struct Cells<'p, 'u> {
    program: &'p Program,
    universe: &'u Universe,
    lines: Vec<Line>,
    types: Vec<TypeCell>,
    /// Where variables and fields were declared by name.
    declared: FxHashMap<(VarId, u64, TypeId), Span>,
    span: Span,
}

/// What is kept of variables and types, and which pointers are not kept.
pub(super) struct Kept {
    pub cells: Vec<Cell>,
    pub types: Vec<TypeCell>,
    pub dropped: FxHashSet<(VarId, u64)>,
    pub split: FxHashSet<(VarId, u64)>,
}

/// A part of a type: where it starts in it, perhaps many times, and its type.
type Part = (Vec<u64>, TypeId);

impl<'p, 'u> Cells<'p, 'u> {
    pub fn new(program: &'p Program, universe: &'u Universe) -> Cells<'p, 'u> {
        Cells {
            program,
            universe,
            lines: Vec::new(),
            types: Vec::new(),
            declared: FxHashMap::default(),
            span: Span::default(),
        }
    }
    /// A line about variables by name.
    pub fn exact(&mut self, vars: Vec<VarId>, path: &Path, found: &Shape) -> Result<()> {
        for var in vars {
            let ty = self.program.vars[var].ty;
            let (starts, ty) = self.field(ty, path)?;
            if !found.fits(&self.program.types, ty) {
                return Err(self.misfit(found, var, ty, path));
            }
            let key = (var, starts.first().copied().unwrap_or(0), ty);
            if let Some(first) = self.declared.insert(key, path.span) {
                let name = self.name(var, path);
                let message = format!("variable `{name}` is declared twice");
                return Err(Diagnostic::error(path.span, message)
                    .related(first, "first declared here")
                    .into());
            }
            self.add(Rank::Name, var, (starts, ty), found.kind(), path)?;
        }
        Ok(())
    }
    /// A line with wildcards: whatever it fits, in these variables. Arrays are meant if it says so.
    pub fn wild(&mut self, vars: Vec<VarId>, path: &Path, found: &Shape) -> Result<()> {
        let mut hits = 0;
        for var in vars {
            for part in self.matching(self.program.vars[var].ty, &path.names[1..], found)? {
                hits += 1;
                self.add(Rank::Wildcard, var, part, found.kind(), path)?;
            }
        }
        match hits {
            0 => {
                let message = format!(
                    "no variable or field that this matches can be abstracted by `{}`",
                    self.universe.display_shape(found)
                );
                Err(Diagnostic::error(path.span, message).into())
            }
            _ => Ok(()),
        }
    }
    /// A line about every object of a type.
    pub fn of_types(&mut self, records: &[RecordId], path: &Path, found: &Shape) -> Result<()> {
        for record in records {
            let Some(ty) = self.program.types.lookup(&Type::Record(*record)) else {
                continue;
            };
            let parts = match path.is_wild() {
                true => self.matching(ty, &path.names[1..], found)?,
                false => {
                    let (starts, ty) = self.field(ty, path)?;
                    if !found.fits(&self.program.types, ty) {
                        let name = self.program.types.name(ty);
                        let message = format!(
                            "`{}` cannot abstract this field, which is of type {name}",
                            self.universe.display_shape(found)
                        );
                        return Err(Diagnostic::error(path.span, message).into());
                    }
                    vec![(starts, ty)]
                }
            };
            for part in parts {
                let (starts, ty) = self.flat(part, path.span)?;
                let kind = found.kind();
                for start in &starts {
                    let old =
                        |c: &TypeCell| (c.record, c.bit_offset, c.ty) == (*record, *start, ty);
                    self.types.retain(|c| !old(c));
                    self.types.push(TypeCell {
                        record: *record,
                        bit_offset: *start,
                        ty,
                        kind,
                    });
                }
                for var in self.program.vars.ids() {
                    let inside = self.objects(self.program.vars[var].ty, *record, path.span)?;
                    let all: Vec<u64> = inside
                        .iter()
                        .flat_map(|at| starts.iter().map(move |s| at.saturating_add(*s)))
                        .collect();
                    if !all.is_empty() {
                        self.add(Rank::Type, var, (all, ty), kind, path)?;
                    }
                }
            }
        }
        Ok(())
    }
    /// What is kept in the end.
    pub fn finish(&mut self) -> Result<Kept> {
        let mut best: FxHashMap<(VarId, u64, TypeId), (Rank, usize)> = FxHashMap::default();
        for (n, line) in self.lines.iter().enumerate() {
            for start in &line.starts {
                let place = best
                    .entry((line.var, *start, line.ty))
                    .or_insert((line.rank, n));
                if line.rank >= place.0 {
                    *place = (line.rank, n);
                }
            }
        }
        let hidden = |n: usize, start: u64| {
            let line = &self.lines[n];
            self.lines.iter().any(|other| {
                other.kind == Kind::Top
                    && other.var == line.var
                    && (other.from..other.to).contains(&start)
                    && other.rank > line.rank
            })
        };
        let mut cells = Vec::new();
        let mut dropped = FxHashSet::default();
        let mut split = FxHashSet::default();
        for (n, line) in self.lines.iter().enumerate() {
            for start in &line.starts {
                let wins = best[&(line.var, *start, line.ty)].1 == n;
                let is_pointer = matches!(self.program.types[line.ty], Type::Pointer(_));
                if wins && line.kind == Kind::Top && is_pointer {
                    dropped.insert((line.var, *start));
                }
                if wins && line.kind != Kind::Top && !hidden(n, *start) {
                    if line.split {
                        split.insert((line.var, *start));
                    }
                    cells.push(Cell {
                        var: line.var,
                        bit_offset: *start,
                        ty: line.ty,
                        kind: line.kind,
                    });
                }
            }
            if cells.len() > MAX_CELLS {
                return Err(too_many(self.span));
            }
        }
        let types = self.types.iter().filter(|c| c.kind != Kind::Top);
        Ok(Kept {
            cells,
            types: types.copied().collect(),
            dropped,
            split,
        })
    }
    fn add(&mut self, rank: Rank, var: VarId, part: Part, kind: Kind, path: &Path) -> Result<()> {
        let span = path.span;
        let from = part.0.first().copied().unwrap_or(0);
        let size = self.program.types.size_of(part.1).saturating_mul(8);
        let to = part.0.last().map_or(0, |s| s.saturating_add(size));
        // What is dropped takes no room, however large it is.
        let (starts, ty) = match (kind, self.flat(part, span)) {
            (_, Ok(flat)) => flat,
            (Kind::Top, Err(_)) => (Vec::new(), Types::INT),
            (_, Err(error)) => return Err(error),
        };
        let all: usize = self.lines.iter().map(|l| l.starts.len()).sum();
        if kind != Kind::Top && all + starts.len() > 4 * MAX_CELLS {
            return Err(too_many(span));
        }
        self.span = span;
        self.lines.push(Line {
            rank,
            var,
            starts,
            ty,
            kind,
            split: path.split,
            from,
            to,
        });
        Ok(())
    }
    /// The field that a path names, of each element if there are arrays on the way.
    fn field(&self, ty: TypeId, path: &Path) -> Result<Part> {
        let types = &self.program.types;
        let names = Names {
            program: self.program,
        };
        let (mut starts, mut ty) = (vec![0u64], ty);
        for (name, span) in &path.names[1..] {
            while let Type::Array { elem, len } = types[ty] {
                starts = elements(types, elem, len, &starts, *span)?;
                ty = elem;
            }
            for n in names.field(ty, name, *span)? {
                let record = types.as_record(ty).expect("it has fields");
                let field = &types.records[record].fields[n as usize];
                starts.iter_mut().for_each(|s| *s += field.bit_offset);
                ty = field.ty;
            }
        }
        Ok((starts, ty))
    }
    /// All parts of a type that the fields of a path match and the abstraction fits: the type
    /// itself and, if no more fields are said, those inside it.
    fn matching(&self, ty: TypeId, fields: &[(String, Span)], found: &Shape) -> Result<Vec<Part>> {
        let types = &self.program.types;
        let mut parts = Vec::new();
        let mut todo = vec![(vec![0u64], ty, fields, 0)];
        while let Some((starts, ty, fields, depth)) = todo.pop() {
            match types[ty] {
                Type::Record(record) if depth < 32 => {
                    for field in types.records[record].fields.iter().rev() {
                        let rest = match fields {
                            [] => fields,
                            _ if field.name.is_empty() => fields,
                            [(name, _), rest @ ..] if matches(name, &field.name) => rest,
                            _ => continue,
                        };
                        let moved = starts.iter().map(|s| s + field.bit_offset).collect();
                        todo.push((moved, field.ty, rest, depth + 1));
                    }
                }
                // A field of an array of records is that field of each element.
                Type::Array { elem, len } if !fields.is_empty() => {
                    if types.as_record(elem).is_some()
                        && let Ok(all) = elements(types, elem, len, &starts, fields[0].1)
                    {
                        todo.push((all, elem, fields, depth + 1));
                    }
                }
                _ if fields.is_empty() && found.fits(types, ty) => {
                    let is_array = matches!(types[ty], Type::Array { .. });
                    if is_array == (found.depth() > 0) {
                        parts.push((starts, ty));
                    }
                }
                _ => {}
            }
        }
        Ok(parts)
    }
    /// Where objects of a record lie in a type.
    fn objects(&self, ty: TypeId, record: RecordId, span: Span) -> Result<Vec<u64>> {
        let types = &self.program.types;
        let mut found = Vec::new();
        let mut todo = vec![(vec![0u64], ty, 0)];
        while let Some((starts, ty, depth)) = todo.pop() {
            match types[ty] {
                Type::Record(own) if own == record => found.extend(starts),
                Type::Record(own) if depth < 32 => {
                    for field in &types.records[own].fields {
                        if types.is_aggregate(field.ty) {
                            let moved = starts.iter().map(|s| s + field.bit_offset).collect();
                            todo.push((moved, field.ty, depth + 1));
                        }
                    }
                }
                Type::Array { elem, len } if types.is_aggregate(elem) => {
                    let inside = self.objects(elem, record, span)?;
                    if !inside.is_empty() {
                        let all = elements(types, elem, len, &starts, span)?;
                        todo.push((all, elem, depth + 1));
                    }
                }
                _ => {}
            }
        }
        found.sort_unstable();
        Ok(found)
    }
    /// The scalars of an array of any dimensions.
    fn flat(&self, (mut starts, mut ty): Part, span: Span) -> Result<Part> {
        let types = &self.program.types;
        while let Type::Array { elem, len } = types[ty] {
            starts = elements(types, elem, len, &starts, span)?;
            ty = elem;
        }
        Ok((starts, ty))
    }
    fn name(&self, var: VarId, path: &Path) -> String {
        let names = Names {
            program: self.program,
        };
        let mut name = names.describe(var);
        for (field, _) in &path.names[1..] {
            name = format!("{name}.{field}");
        }
        name
    }
    fn misfit(&self, found: &Shape, var: VarId, ty: TypeId, path: &Path) -> Box<Diagnostic> {
        let types = &self.program.types;
        let message = format!(
            "`{}` cannot abstract `{}`, which is of type {}",
            self.universe.display_shape(found),
            self.name(var, path),
            types.name(ty)
        );
        let hint = match types[ty] {
            Type::Array { len: 0, .. } => "the length of the array is not known",
            Type::Array { .. } => "write `array` after the abstraction of the elements",
            Type::Record(_) => "abstract its fields, one by one: `var x.field : …;`",
            Type::Pointer(_) => "pointers are abstracted by `pointer`, `free` or `top`",
            Type::Float(_) => "floating numbers are abstracted by `minmax`, `free` or `top`",
            _ => "integers are abstracted by `int`, `part(…)`, `mod(…)` and so on",
        };
        Diagnostic::error(path.span, message).hint(hint).into()
    }
}

fn too_many(span: Span) -> Box<Diagnostic> {
    let message = format!("the map asks for more than {MAX_CELLS} values in one state");
    let hint = "what the map leaves out, or abstracts by `top`, takes no room";
    Diagnostic::error(span, message).hint(hint).into()
}

/// The starts of all elements of arrays that start at `starts`.
fn elements(types: &Types, elem: TypeId, len: u64, starts: &[u64], span: Span) -> Result<Vec<u64>> {
    if starts.len() as u128 * u128::from(len) > MAX_CELLS as u128 {
        return Err(too_many(span));
    }
    let size = types.size_of(elem).saturating_mul(8);
    let each = |start: &u64| {
        let start = *start;
        (0..len).map(move |n| start.saturating_add(n.saturating_mul(size)))
    };
    Ok(starts.iter().flat_map(each).collect())
}
