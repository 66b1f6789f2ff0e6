//! Abstraction maps: which parts of which variables are kept, and how precisely.

use super::Text;
use super::lex::{Cursor, Result, Token};
use super::names::Names;
use super::shape::shape;
use crate::domain::{Kind, Shape, Universe};
use cwolf_base::{Diagnostic, Diagnostics, SourceMap, Span};
use cwolf_cwi::{FileId, FuncId, Program, Type, TypeId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most cells that a map may ask for.
pub const MAX_CELLS: usize = 1 << 16;
/// How many files may be drawn in by `lib`.
const MAX_LIBRARIES: usize = 256;

/// A scalar part of a variable that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The variable.
    pub var: VarId,
    /// Where in it, in bits.
    pub bit_offset: u64,
    /// Its scalar type.
    pub ty: TypeId,
    /// What is kept of it.
    pub kind: Kind,
}

/// Which states of a function are one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Variance {
    /// Only equal ones (thesis, Figure 3.4).
    #[default]
    Poly,
    /// All with the same call stack and location (Figure 3.5).
    Stack,
    /// All with the same location, whoever called.
    Location,
}

/// What an abstraction map says, about one program.
#[derive(Clone, Debug, Default)]
pub struct Abstraction {
    /// All cells, in the order of the map.
    pub cells: Vec<Cell>,
    /// What is kept of the values that functions return.
    pub returns: FxHashMap<FuncId, Kind>,
    /// Which states are one, where a function says so.
    pub variances: FxHashMap<FuncId, Variance>,
    /// The pointers that are not kept: by variable and offset in bits.
    pub dropped: FxHashSet<(VarId, u64)>,
}

/// Reads an abstraction map and looks its names up in `program`. `load` reads the files that
/// `lib` names, or says why it cannot.
pub fn parse_abstraction(
    program: &Program,
    universe: &Universe,
    sources: &mut SourceMap,
    text: Text<'_>,
    load: &mut dyn FnMut(&str) -> std::result::Result<String, String>,
) -> std::result::Result<Abstraction, Diagnostics> {
    let mut reader = Reader {
        names: Names { program },
        universe,
        load,
        result: Abstraction::default(),
        types: FxHashMap::default(),
        declared: FxHashMap::default(),
        returns: FxHashMap::default(),
        libraries: Vec::new(),
        errors: Diagnostics::default(),
    };
    reader.map(sources, text);
    if reader.errors.has_errors() {
        return Err(reader.errors);
    }
    Ok(reader.result)
}

struct Reader<'r, 'p> {
    names: Names<'p>,
    universe: &'r Universe,
    load: &'r mut dyn FnMut(&str) -> std::result::Result<String, String>,
    result: Abstraction,
    types: FxHashMap<String, (Shape, Span)>,
    declared: FxHashMap<(VarId, Vec<u32>), Span>,
    returns: FxHashMap<FuncId, Span>,
    libraries: Vec<String>,
    errors: Diagnostics,
}

/// A variable's name with the fields after it.
struct Path {
    names: Vec<(String, Span)>,
    span: Span,
}

impl Reader<'_, '_> {
    fn map(&mut self, sources: &mut SourceMap, text: Text<'_>) {
        let start = text.register(sources);
        let done = Cursor::new(text.text, start, false).and_then(|mut cursor| {
            while cursor.token != Token::End {
                self.top(sources, &mut cursor)?;
            }
            Ok(())
        });
        if let Err(error) = done {
            self.errors.push(*error);
        }
    }
    fn top(&mut self, sources: &mut SourceMap, cursor: &mut Cursor<'_>) -> Result<()> {
        if cursor.eat_name("file")? {
            let (name, span) = cursor.text("the name of a C file")?;
            let files = self.check(|r| r.names.files(&name, span));
            cursor.expect("{")?;
            while !cursor.at("}") {
                self.object(cursor, files.as_deref())?;
            }
            cursor.expect("}")
        } else if cursor.eat_name("lib")? {
            let (name, span) = cursor.text("the name of an abstraction map")?;
            cursor.expect(";")?;
            self.library(sources, name, span);
            Ok(())
        } else if cursor.eat_name("type")? {
            let (name, span) = cursor.name("a name for the abstraction")?;
            cursor.expect("=")?;
            let found = shape(cursor, self.universe, &self.types)?;
            cursor.expect(";")?;
            if let Some((_, first)) = self.types.get(&name) {
                self.repeated(format!("type `{name}`"), span, *first);
            }
            self.types.insert(name, (found, span));
            Ok(())
        } else if cursor.eat_name("heap")? {
            super::heap::line(cursor)
        } else if cursor.at_name("var") || cursor.at_name("fun") {
            self.object(cursor, None)
        } else {
            Err(cursor.unexpected("`file`, `fun`, `var`, `type`, `heap` or `lib`"))
        }
    }
    fn library(&mut self, sources: &mut SourceMap, name: String, span: Span) {
        // A map drawn in twice, or by itself, says nothing new.
        if self.libraries.contains(&name) || self.libraries.len() >= MAX_LIBRARIES {
            return;
        }
        self.libraries.push(name.clone());
        match (self.load)(&name) {
            Ok(text) => self.map(
                sources,
                Text {
                    name: &name,
                    text: &text,
                },
            ),
            Err(why) => {
                let message = format!("cannot read the abstraction map `{name}`: {why}");
                self.errors.push(Diagnostic::error(span, message));
            }
        }
    }
    /// Keeps an error and goes on: the next declaration may have another.
    fn check<T>(&mut self, find: impl FnOnce(&Self) -> Result<T>) -> Option<T> {
        match find(self) {
            Ok(found) => Some(found),
            Err(error) => {
                self.errors.push(*error);
                None
            }
        }
    }
    fn repeated(&mut self, what: String, span: Span, first: Span) {
        let message = format!("{what} is declared twice");
        let error = Diagnostic::error(span, message).related(first, "first declared here");
        self.errors.push(error);
    }
    fn object(&mut self, cursor: &mut Cursor<'_>, files: Option<&[FileId]>) -> Result<()> {
        if cursor.at_name("var") {
            let (path, found) = self.variable(cursor)?;
            let vars = self.check(|r| {
                let (name, span) = &path.names[0];
                r.names.variables(name, None, files, *span)
            });
            self.declare(vars, &path, &found);
            return Ok(());
        }
        if !cursor.eat_name("fun")? {
            return Err(cursor.unexpected("`var` or `fun`"));
        }
        let (name, span) = cursor.name("the name of a function")?;
        let funcs = self.check(|r| r.names.functions(&name, files, span));
        let func = funcs.map(|f| f[0]);
        cursor.expect("(")?;
        while cursor.at_name("var") {
            self.local(cursor, func)?;
            cursor.eat(",")?;
        }
        cursor.expect(")")?;
        if cursor.eat(":")? {
            let found = shape(cursor, self.universe, &self.types)?;
            if let Some(f) = func {
                self.result.returns.insert(f, found.kind());
            }
        }
        if let Some(f) = func
            && let Some(first) = self.returns.insert(f, span)
        {
            self.repeated(format!("function `{name}`"), span, first);
        }
        cursor.expect("{")?;
        while !cursor.at("}") {
            if cursor.eat_name("variance")? {
                self.variance(cursor, func)?;
                continue;
            }
            if !cursor.at_name("var") {
                return Err(cursor.unexpected("`var`, `variance` or `}`"));
            }
            self.local(cursor, func)?;
        }
        cursor.expect("}")
    }
    /// `variance location;`
    fn variance(&mut self, cursor: &mut Cursor<'_>, func: Option<FuncId>) -> Result<()> {
        let (word, span) = cursor.name("`poly`, `stack` or `location`")?;
        let found = match word.as_str() {
            "poly" => Variance::Poly,
            "stack" => Variance::Stack,
            "location" => Variance::Location,
            _ => {
                let message = format!("there is no variance `{word}`");
                let known = ["poly", "stack", "location"];
                return Err(super::names::unknown(span, message, &word, known));
            }
        };
        cursor.expect(";")?;
        if let Some(f) = func
            && let Some(before) = self.result.variances.insert(f, found)
            && before != found
        {
            let message = "the variance of this function was said before, differently";
            return Err(Diagnostic::error(span, message).into());
        }
        Ok(())
    }
    fn local(&mut self, cursor: &mut Cursor<'_>, func: Option<FuncId>) -> Result<()> {
        let (path, found) = self.variable(cursor)?;
        // After an unknown function its variables would all be unknown too.
        if let Some(func) = func {
            let (name, span) = &path.names[0];
            let vars = self.check(|r| r.names.variables(name, Some(func), None, *span));
            self.declare(vars, &path, &found);
        }
        Ok(())
    }
    fn variable(&mut self, cursor: &mut Cursor<'_>) -> Result<(Path, Shape)> {
        cursor.bump()?;
        let mut names = vec![cursor.name("the name of a variable")?];
        while cursor.eat(".")? {
            names.push(cursor.name("the name of a field")?);
        }
        let span = names[0].1.to(cursor.last);
        cursor.expect(":")?;
        let found = shape(cursor, self.universe, &self.types)?;
        if !cursor.eat(";")? && !cursor.at(")") && !cursor.at(",") {
            return Err(cursor.unexpected("`;`"));
        }
        Ok((Path { names, span }, found))
    }
    fn declare(&mut self, vars: Option<Vec<VarId>>, path: &Path, found: &Shape) {
        for var in vars.into_iter().flatten() {
            if let Err(error) = self.declare_one(var, path, found) {
                self.errors.push(*error);
                return;
            }
        }
    }
    fn declare_one(&mut self, var: VarId, path: &Path, found: &Shape) -> Result<()> {
        let mut numbers = Vec::new();
        let program = self.names.program;
        let mut starts = vec![0u64];
        let mut ty = program.vars[var].ty;
        for (name, span) in &path.names[1..] {
            // A field of an array of records is that field of each element.
            while let Type::Array { elem, len } = program.types[ty] {
                starts = elements(&program.types, elem, len, &starts, *span)?;
                ty = elem;
            }
            for n in self.names.field(ty, name, *span)? {
                let record = program.types.as_record(ty).expect("it has fields");
                let field = &program.types.records[record].fields[n as usize];
                starts.iter_mut().for_each(|s| *s += field.bit_offset);
                ty = field.ty;
                numbers.push(n);
            }
        }
        let what = || {
            let mut name = self.names.describe(var);
            for (field, _) in &path.names[1..] {
                name = format!("{name}.{field}");
            }
            name
        };
        if !found.fits(&program.types, ty) {
            let message = format!(
                "`{}` cannot abstract `{}`, which is of type {}",
                self.universe.display_shape(found),
                what(),
                program.types.name(ty)
            );
            let hint = match program.types[ty] {
                Type::Array { len: 0, .. } => "the length of the array is not known",
                Type::Array { .. } => "write `array` after the abstraction of the elements",
                Type::Record(_) => "abstract its fields, one by one: `var x.field : …;`",
                Type::Pointer(_) => "pointers are abstracted by `pointer`, `free` or `top`",
                Type::Float(_) => "floating numbers are abstracted by `minmax`, `free` or `top`",
                _ => "integers are abstracted by `int`, `part(…)`, `mod(…)` and so on",
            };
            return Err(Diagnostic::error(path.span, message).hint(hint).into());
        }
        let key = (var, numbers);
        if let Some(first) = self.declared.get(&key) {
            let (name, first) = (what(), *first);
            self.repeated(format!("variable `{name}`"), path.span, first);
            return Ok(());
        }
        self.declared.insert(key, path.span);
        let dropped = found.kind() == Kind::Top;
        if dropped && !matches!(program.types[innermost(program, ty)], Type::Pointer(_)) {
            return Ok(());
        }
        while let Type::Array { elem, len } = program.types[ty] {
            starts = elements(&program.types, elem, len, &starts, path.span)?;
            ty = elem;
        }
        if self.result.cells.len() + starts.len() > MAX_CELLS {
            return Err(too_many(path.span));
        }
        if dropped {
            let list = starts.iter().map(|start| (var, *start));
            self.result.dropped.extend(list);
            return Ok(());
        }
        self.result.cells.extend(starts.iter().map(|start| Cell {
            var,
            bit_offset: *start,
            ty,
            kind: found.kind(),
        }));
        Ok(())
    }
}

/// What the elements of an array are, however many dimensions it has.
fn innermost(program: &Program, mut ty: TypeId) -> TypeId {
    while let Type::Array { elem, .. } = program.types[ty] {
        ty = elem;
    }
    ty
}

fn too_many(span: Span) -> Box<Diagnostic> {
    let message = format!("the map asks for more than {MAX_CELLS} values in one state");
    let hint = "what the map leaves out, or abstracts by `top`, takes no room";
    Diagnostic::error(span, message).hint(hint).into()
}

/// The starts of all elements of arrays that start at `starts`.
fn elements(
    types: &cwolf_cwi::Types,
    elem: TypeId,
    len: u64,
    starts: &[u64],
    span: Span,
) -> Result<Vec<u64>> {
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
