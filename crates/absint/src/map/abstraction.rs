//! Abstraction maps: which parts of which variables are kept, and how precisely.

use super::Text;
use super::constants::{NoVocabulary, Vocabulary};
use super::expression::{Reader as Expressions, Subject};
use super::externs::Outside;
use super::lex::{Cursor, Result, Token};
use super::names::{Names, is_wild};
use super::paths::{Cells, Path};
use super::shape::{WORDS, shape};
use crate::domain::{Kind, Shape, Universe};
use cwolf_base::{Diagnostic, Diagnostics, SourceMap, Span};
use cwolf_cwi::{FileId, FuncId, Program, RecordId, TypeId, VarId, VarKind};
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

/// A scalar part of every object of a type that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeCell {
    /// The struct or union.
    pub record: RecordId,
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
    /// All cells of variables, in the order of the map.
    pub cells: Vec<Cell>,
    /// What is kept of every object of a type. The variables of the type are among `cells`;
    /// whoever makes objects when the program runs asks here.
    pub types: Vec<TypeCell>,
    /// What is kept of the values that functions return.
    pub returns: FxHashMap<FuncId, Kind>,
    /// Which states are one, where a function says so.
    pub variances: FxHashMap<FuncId, Variance>,
    /// The pointers that are not kept: by variable and offset in bits.
    pub dropped: FxHashSet<(VarId, u64)>,
    /// What functions without a body do.
    pub outside: FxHashMap<FuncId, Outside>,
    /// Cells whose values are taken apart, one class of the domain at a time: by variable and offset in bits.
    pub split: FxHashSet<(VarId, u64)>,
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
    parse_abstraction_with(program, universe, sources, text, load, &NoVocabulary)
}

/// The same with names that only the C files know.
pub fn parse_abstraction_with(
    program: &Program,
    universe: &Universe,
    sources: &mut SourceMap,
    text: Text<'_>,
    load: &mut dyn FnMut(&str) -> std::result::Result<String, String>,
    vocabulary: &dyn Vocabulary,
) -> std::result::Result<Abstraction, Diagnostics> {
    let mut reader = Reader {
        names: Names { program },
        universe,
        load,
        vocabulary,
        result: Abstraction::default(),
        types: FxHashMap::default(),
        cells: Cells::new(program, universe),
        functions: FxHashMap::default(),
        returns: FxHashMap::default(),
        outside: FxHashMap::default(),
        heap: None,
        libraries: Vec::new(),
        errors: Diagnostics::default(),
    };
    reader.map(sources, text);
    reader.finish()
}

/// The functions that a line is about, and whether it names them by a wildcard.
struct About {
    funcs: Vec<FuncId>,
    wild: bool,
}

struct Reader<'r, 'p> {
    names: Names<'p>,
    universe: &'r Universe,
    load: &'r mut dyn FnMut(&str) -> std::result::Result<String, String>,
    vocabulary: &'r dyn Vocabulary,
    result: Abstraction,
    types: FxHashMap<String, (Shape, Span)>,
    cells: Cells<'p, 'r>,
    /// Where functions were declared by name.
    functions: FxHashMap<FuncId, Span>,
    /// Whether what a function returns was said by a wildcard.
    returns: FxHashMap<FuncId, (Kind, bool)>,
    outside: FxHashMap<FuncId, Span>,
    /// Where `heap` was said.
    heap: Option<Span>,
    libraries: Vec<String>,
    errors: Diagnostics,
}

impl Reader<'_, '_> {
    fn map(&mut self, sources: &mut SourceMap, text: Text<'_>) {
        let start = text.register(sources);
        let done = Cursor::new(text.text, start, true).and_then(|mut cursor| {
            while cursor.token != Token::End {
                self.top(sources, &mut cursor)?;
            }
            Ok(())
        });
        if let Err(error) = done {
            self.errors.push(*error);
        }
    }
    fn finish(mut self) -> std::result::Result<Abstraction, Diagnostics> {
        let kept = self.cells.finish();
        match kept {
            Ok(kept) => {
                self.result.cells = kept.cells;
                self.result.types = kept.types;
                self.result.dropped = kept.dropped;
                self.result.split = kept.split;
            }
            Err(error) => self.errors.push(*error),
        }
        if self.errors.has_errors() {
            return Err(self.errors);
        }
        let returns = self.returns.into_iter();
        self.result.returns = returns.map(|(f, (kind, _))| (f, kind)).collect();
        Ok(self.result)
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
            let found = self.shape(cursor)?;
            cursor.expect(";")?;
            if WORDS.contains(&name.as_str()) {
                let message = format!("`{name}` is an abstraction already");
                self.errors
                    .push(Diagnostic::error(span, message).hint("take another name"));
            } else if let Some((_, first)) = self.types.get(&name) {
                self.repeated(format!("type `{name}`"), span, *first);
            }
            self.types.insert(name, (found, span));
            Ok(())
        } else if cursor.eat_name("heap")? {
            let word = cursor.last;
            super::heap::line(cursor)?;
            if let Some(first) = self.heap.replace(word) {
                self.repeated("how many objects are told apart".to_owned(), word, first);
            }
            Ok(())
        } else if ["var", "fun", "extern"].iter().any(|w| cursor.at_name(w)) {
            self.object(cursor, None)
        } else {
            Err(cursor.unexpected("`file`, `fun`, `var`, `extern`, `type`, `heap` or `lib`"))
        }
    }
    fn shape(&self, cursor: &mut Cursor<'_>) -> Result<Shape> {
        shape(cursor, self.universe, &self.types, &self.expressions())
    }
    fn expressions(&self) -> Expressions<'_> {
        Expressions {
            program: self.names.program,
            vocabulary: self.vocabulary,
            subject: Subject::Other,
            analysed: None,
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
    fn check<T>(&mut self, find: impl FnOnce(&mut Self) -> Result<T>) -> Option<T> {
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
            self.check(|r| r.outer(&path, &found, files));
            return Ok(());
        }
        if cursor.eat_name("extern")? {
            return self.outside(cursor);
        }
        if !cursor.eat_name("fun")? {
            return Err(cursor.unexpected("`var`, `fun` or `extern`"));
        }
        self.function(cursor, files)
    }
    /// `extern f returns … writes …;`
    fn outside(&mut self, cursor: &mut Cursor<'_>) -> Result<()> {
        let (func, span, found) = super::externs::line(cursor, &self.expressions())?;
        let Some(func) = func else {
            self.errors.push(*found.expect_err("no function, no line"));
            return Ok(());
        };
        if let Some(first) = self.outside.insert(func, span) {
            let name = &self.names.program.funcs[func].name;
            self.repeated(format!("what `{name}` does"), span, first);
        }
        match found {
            Ok(found) => drop(self.result.outside.insert(func, found)),
            Err(error) => self.errors.push(*error),
        }
        Ok(())
    }
    /// A variable outside functions; a name with a wildcard also means local variables, and a
    /// name that only a type has means every object of it.
    fn outer(&mut self, path: &Path, found: &Shape, files: Option<&[FileId]>) -> Result<()> {
        let (name, span) = &path.names[0];
        if path.is_type {
            let records = self.records(name, *span)?;
            return self.cells.of_types(&records, path, found);
        }
        if path.is_wild() {
            let vars = match is_wild(name) {
                true => self.names.variables_anywhere(name, files),
                false => self.names.variables(name, None, files, *span)?,
            };
            return self.cells.wild(vars, path, found);
        }
        match self.names.variables(name, None, files, *span) {
            Ok(vars) => self.cells.exact(vars, path, found),
            Err(_) if path.names.len() > 1 => match self.records(name, *span) {
                Ok(records) => self.cells.of_types(&records, path, found),
                Err(_) => {
                    let program = self.names.program;
                    let message = format!("the program has no variable, struct or union `{name}`");
                    let globals = program.vars.iter().filter(|v| v.kind == VarKind::Global);
                    let tags = program.types.records.iter().map(|r| &*r.name);
                    let known = globals.map(|v| &*v.name).chain(tags);
                    Err(super::names::unknown(*span, message, name, known))
                }
            },
            Err(error) => Err(error),
        }
    }
    /// The structs and unions that a name means.
    fn records(&self, name: &str, span: Span) -> Result<Vec<RecordId>> {
        let found = self.names.records(name);
        if !found.is_empty() {
            return Ok(found);
        }
        let known = self.vocabulary.record(name);
        let found = known
            .map(|tag| self.names.records(&tag))
            .unwrap_or_default();
        match found.is_empty() {
            false => Ok(found),
            true => {
                let message = format!("the program has no struct or union `{name}`");
                let tags = self.names.program.types.records.iter().map(|r| &*r.name);
                Err(super::names::unknown(span, message, name, tags))
            }
        }
    }
    fn function(&mut self, cursor: &mut Cursor<'_>, files: Option<&[FileId]>) -> Result<()> {
        let (name, span) = cursor.name("the name of a function")?;
        let wild = is_wild(&name);
        let found = self.check(|r| r.names.functions(&name, files, span));
        let about = found.map(|mut funcs| {
            if !wild {
                funcs.truncate(1);
            }
            About { funcs, wild }
        });
        cursor.expect("(")?;
        while cursor.at_name("var") {
            self.local(cursor, about.as_ref())?;
            cursor.eat(",")?;
        }
        cursor.expect(")")?;
        if cursor.eat(":")? {
            let found = self.shape(cursor)?;
            for f in about.iter().flat_map(|a| &a.funcs) {
                let old = self.returns.get(f);
                if !wild || old.is_none_or(|(_, by_wildcard)| *by_wildcard) {
                    self.returns.insert(*f, (found.kind(), wild));
                }
            }
        }
        if let Some(About { funcs, wild: false }) = &about
            && let Some(first) = self.functions.insert(funcs[0], span)
        {
            self.repeated(format!("function `{name}`"), span, first);
        }
        if cursor.eat(";")? {
            return Ok(());
        }
        cursor.expect("{")?;
        while !cursor.at("}") {
            if cursor.eat_name("variance")? {
                self.variance(cursor, about.as_ref())?;
                continue;
            }
            if !cursor.at_name("var") {
                return Err(cursor.unexpected("`var`, `variance` or `}`"));
            }
            self.local(cursor, about.as_ref())?;
        }
        cursor.expect("}")
    }
    /// `variance location;`
    fn variance(&mut self, cursor: &mut Cursor<'_>, about: Option<&About>) -> Result<()> {
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
        let Some(about) = about else { return Ok(()) };
        for f in &about.funcs {
            // A line of the function's own says it better.
            if about.wild && self.functions.contains_key(f) {
                continue;
            }
            let before = self.result.variances.insert(*f, found);
            if !about.wild && before.is_some_and(|b| b != found) && self.said_twice(*f) {
                let message = "this function has another variance already";
                return Err(Diagnostic::error(span, message).into());
            }
        }
        Ok(())
    }
    fn said_twice(&self, f: FuncId) -> bool {
        self.functions.contains_key(&f)
    }
    fn local(&mut self, cursor: &mut Cursor<'_>, about: Option<&About>) -> Result<()> {
        let (path, found) = self.variable(cursor)?;
        // After an unknown function its variables would all be unknown too.
        let Some(about) = about else { return Ok(()) };
        let (name, span) = &path.names[0];
        let wild = about.wild || path.is_wild();
        let mut vars = Vec::new();
        let mut missing = None;
        for func in &about.funcs {
            match self.names.variables(name, Some(*func), None, *span) {
                Ok(list) => vars.extend(list),
                Err(error) => missing = Some(error),
            }
        }
        match missing {
            // One of several functions may lack the variable, but not all of them.
            Some(error) if vars.is_empty() && !is_wild(name) => self.errors.push(*error),
            _ => {
                self.check(|r| match wild {
                    true => r.cells.wild(vars, &path, &found),
                    false => r.cells.exact(vars, &path, &found),
                });
            }
        }
        Ok(())
    }
    fn variable(&mut self, cursor: &mut Cursor<'_>) -> Result<(Path, Shape)> {
        cursor.bump()?;
        let is_type = cursor.eat_name("struct")? || cursor.eat_name("union")?;
        let mut names = vec![cursor.name("the name of a variable")?];
        while cursor.eat(".")? {
            names.push(cursor.name("the name of a field")?);
        }
        let span = names[0].1.to(cursor.last);
        cursor.expect(":")?;
        let found = self.shape(cursor)?;
        let split = cursor.eat_name("split")?;
        if split && !can_split(&found) {
            let message = "only single values in `part`, `mod` or `bool` can be split";
            return Err(Diagnostic::error(cursor.last, message).into());
        }
        if !cursor.eat(";")? && !cursor.at(")") && !cursor.at(",") {
            return Err(cursor.unexpected("`;`"));
        }
        if is_type && names.len() == 1 {
            let message = "say which field of the type: `var struct s.field : …;`";
            return Err(Diagnostic::error(span, message).into());
        }
        let path = Path {
            names,
            span,
            is_type,
            split,
        };
        Ok((path, found))
    }
}

/// Whether a domain has classes that the values of a cell can be taken apart by.
fn can_split(found: &Shape) -> bool {
    matches!(
        found,
        Shape::Scalar(Kind::Part(_) | Kind::Mod(_) | Kind::Bool)
    )
}
