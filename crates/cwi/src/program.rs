//! A program: its source positions, types, variables and functions, in that order of
//! dependence; nothing refers forward.

use crate::code::{BlockId, Body, CheckId, Expr, ExprKind, FuncId, LocId, VarId};
use crate::target::Target;
use crate::types::{Type, TypeId, Types};
use cwolf_base::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};

cwolf_base::index! {
    /// A source file's name.
    FileId
}

/// A source position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Loc {
    /// The file.
    pub file: FileId,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0 if not known.
    pub column: u32,
}

/// All source positions that the code refers to.
#[derive(Clone, Debug, Default)]
pub struct Locations {
    files: IndexVec<FileId, String>,
    locs: IndexVec<LocId, Loc>,
    file_ids: FxHashMap<String, FileId>,
    loc_ids: FxHashMap<Loc, LocId>,
}

/// The folder that the models of the library seem to lie in: a name that no file has.
const LIBRARY: &str = "<library>/";

impl Locations {
    /// What a file of the library's models is called.
    pub fn library_file(name: &str) -> String {
        format!("{LIBRARY}{name}")
    }
    /// The id of a file's name, new or known.
    pub fn file(&mut self, name: &str) -> FileId {
        if let Some(&id) = self.file_ids.get(name) {
            return id;
        }
        let id = self.files.push(name.to_owned());
        self.file_ids.insert(name.to_owned(), id);
        id
    }
    /// The id of a position, new or known.
    pub fn intern(&mut self, loc: Loc) -> LocId {
        *self
            .loc_ids
            .entry(loc)
            .or_insert_with(|| self.locs.push(loc))
    }
    /// The name of `file`.
    pub fn file_name(&self, file: FileId) -> &str {
        &self.files[file]
    }
    /// Whether a position is in one of the library's models.
    pub fn is_library(&self, loc: LocId) -> bool {
        self.files[self.locs[loc].file].starts_with(LIBRARY)
    }
    /// All file names.
    pub fn files(&self) -> &IndexVec<FileId, String> {
        &self.files
    }
    /// All positions.
    pub fn locs(&self) -> &IndexVec<LocId, Loc> {
        &self.locs
    }
    /// `file:line` of a position.
    pub fn describe(&self, loc: LocId) -> String {
        let loc = self.locs[loc];
        format!("{}:{}", self.files[loc.file], loc.line)
    }
}

impl std::ops::Index<LocId> for Locations {
    type Output = Loc;
    fn index(&self, id: LocId) -> &Loc {
        &self.locs[id]
    }
}

/// Who else may mean the same thing by the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Linkage {
    /// Every file of the program.
    External,
    /// This file only (`static`).
    Internal,
}

/// What a variable is and how long it lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VarKind {
    /// Declared outside functions.
    Global,
    /// A `static` inside a function.
    StaticLocal(FuncId),
    /// A string literal or other unnamed constant object.
    Literal,
    /// A parameter.
    Param(FuncId),
    /// Declared inside a function.
    Local(FuncId),
    /// Made by the compiler, inside a function.
    Temp(FuncId),
}

impl VarKind {
    /// The function it belongs to, if any.
    pub fn function(self) -> Option<FuncId> {
        match self {
            VarKind::Global | VarKind::Literal => None,
            VarKind::StaticLocal(f) | VarKind::Param(f) | VarKind::Local(f) | VarKind::Temp(f) => {
                Some(f)
            }
        }
    }
    /// Whether it lives in a frame, not for the whole run.
    pub fn is_automatic(self) -> bool {
        matches!(
            self,
            VarKind::Param(_) | VarKind::Local(_) | VarKind::Temp(_)
        )
    }
}

/// How far a global variable or function is defined here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Definition {
    /// Declared only (`extern int x;`, `int f(void);`).
    Declared,
    /// Defined without an initialiser (`int x;` outside functions): merges with others.
    Tentative,
    /// Defined, but gives way to another definition.
    Weak,
    /// Defined.
    Defined,
}

/// A variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Var {
    /// Its name in C, or a made-up one.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// What it is.
    pub kind: VarKind,
    /// Who else sees it.
    pub linkage: Linkage,
    /// Whether it is defined here.
    pub definition: Definition,
    /// Declared `volatile`.
    pub volatile: bool,
    /// Declared `const`.
    pub constant: bool,
    /// Only declared, and that weakly: unless something defines it, its address is null.
    pub weak: bool,
    /// One for each thread.
    pub thread_local: bool,
    /// Alignment in bytes, at least the type's.
    pub align: u64,
    /// Bytes beyond the type's size, for an initialised flexible array member.
    pub extra: u64,
    /// Its first contents, in rising order of offset; what is not listed is zero. Automatic
    /// variables have none.
    pub init: Vec<InitItem>,
    /// Another name for the variable so named, which this file defines. Linking resolves it.
    pub alias: Option<String>,
    /// Where it is declared.
    pub loc: LocId,
}

/// One piece of a static variable's first contents.
#[derive(Clone, Debug, PartialEq)]
pub struct InitItem {
    /// Where, in bits from the start of the variable.
    pub bit_offset: u64,
    /// The type of the piece; for `Bytes` an array.
    pub ty: TypeId,
    /// What.
    pub value: InitValue,
}

/// A constant known at link time.
#[derive(Clone, Debug, PartialEq)]
pub enum InitValue {
    /// An integer, boolean or pointer in the canonical form of its type.
    Int(i128),
    /// A floating number's encoding.
    Float(u128),
    /// Characters, for arrays of `char`.
    Bytes(Vec<u8>),
    /// The address of a variable plus some bytes.
    Addr(VarId, i64),
    /// The address of a function.
    Func(FuncId),
}

/// Why a function has no code here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The construct that is not supported, as a plain sentence.
    pub reason: String,
    /// Where it stands.
    pub loc: LocId,
}

/// A function.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its type, a `Func`.
    pub ty: TypeId,
    /// Who else sees it.
    pub linkage: Linkage,
    /// Whether it is defined here. A refused function is still `Defined`.
    pub definition: Definition,
    /// Parameters, if it has a body.
    pub params: Vec<VarId>,
    /// Automatic variables other than parameters.
    pub locals: Vec<VarId>,
    /// Its code, unless it is only declared or was refused.
    pub body: Option<Body>,
    /// Set when the definition uses something unsupported; then there is no body.
    pub refused: Option<Refusal>,
    /// Never returns.
    pub noreturn: bool,
    /// Only declared, and that weakly: unless something defines it, its address is null.
    pub weak: bool,
    /// Another name for the function so named.
    pub alias: Option<String>,
    /// Where its code comes from.
    pub origin: Origin,
    /// Where it is declared.
    pub loc: LocId,
}

/// When a function runs that no call shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// Before `main` starts.
    Constructor,
    /// After `main` returns or `exit` is called.
    Destructor,
}

impl Phase {
    /// As gcc's attribute is called.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Constructor => "constructor",
            Phase::Destructor => "destructor",
        }
    }
}

/// A function that runs by itself, before or after `main`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Startup {
    /// The function; it takes no arguments that mean anything.
    pub func: FuncId,
    /// When it runs.
    pub phase: Phase,
    /// Constructors run from the lowest to the highest, destructors the other way round.
    pub priority: u16,
}

impl Startup {
    /// The priority of a function that names none.
    pub const LAST: u16 = u16::MAX;

    /// Its place, and a sentence for who starts at `main` and leaves it out.
    pub fn left_out(&self, program: &Program) -> (LocId, String) {
        let function = &program.funcs[self.func];
        let text = format!("the {} `{}` is not run", self.phase.name(), function.name);
        (function.loc, text)
    }
}

/// What can go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CheckKind {
    /// An `assert` fails.
    Assertion,
    /// An error function is called, an error label reached.
    UnreachCall,
    /// An access outside its array or object.
    Bounds,
    /// An invalid pointer is used.
    Pointer,
    /// An integer is divided by zero.
    DivisionByZero,
    /// Signed arithmetic leaves its type.
    Overflow,
    /// A shift by a negative amount, or by the width or more.
    Shift,
    /// Something depends on memory that was never written.
    Uninitialised,
    /// A rule that was woven in is broken.
    Rule,
    /// Arithmetic on finite floating-point numbers gives an infinity.
    FloatOverflow,
    /// Arithmetic on floating-point numbers gives a NaN.
    Nan,
    /// A floating-point number is divided by zero.
    FloatDivision,
    /// A floating-point number is converted to an integer type that does not have it.
    FloatCast,
    /// Nothing leads to allocated memory any more, and nobody freed it.
    Leak,
    /// The program ends, and allocated memory was not freed.
    Cleanup,
}

impl CheckKind {
    /// All of them; the binary file numbers them in this order.
    pub const ALL: [CheckKind; 15] = {
        use CheckKind::*;
        [
            Assertion,
            UnreachCall,
            Bounds,
            Pointer,
            DivisionByZero,
            Overflow,
            Shift,
            Uninitialised,
            Rule,
            FloatOverflow,
            Nan,
            FloatDivision,
            FloatCast,
            Leak,
            Cleanup,
        ]
    };
    /// The name in verdicts, on the command line and in the text form.
    pub fn name(self) -> &'static str {
        match self {
            CheckKind::Assertion => "assertion",
            CheckKind::UnreachCall => "unreach-call",
            CheckKind::Bounds => "bounds",
            CheckKind::Pointer => "pointer",
            CheckKind::DivisionByZero => "division-by-zero",
            CheckKind::Overflow => "overflow",
            CheckKind::Shift => "shift",
            CheckKind::Uninitialised => "uninitialised",
            CheckKind::Rule => "slic",
            CheckKind::FloatOverflow => "float-overflow",
            CheckKind::Nan => "nan",
            CheckKind::FloatDivision => "float-division",
            CheckKind::FloatCast => "float-cast",
            CheckKind::Leak => "leak",
            CheckKind::Cleanup => "memcleanup",
        }
    }
}

/// One thing that can fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What kind of thing.
    pub kind: CheckKind,
    /// Where.
    pub loc: LocId,
    /// What must hold, in plain words or as C.
    pub text: String,
}

/// Where a function's code comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// The user wrote it.
    #[default]
    Program,
    /// A model in C of a function of the library, exact but for choices that the real one has too.
    Model,
    /// Made for a function that nobody knows, or whose result is open: runs choose what it does.
    Stub,
    /// Made from what is known of a function that the interpreter runs itself: it may do more
    /// than the real one.
    Approximation,
    /// Woven in from a rule.
    Rule,
    /// Made to join parts: it starts the program, or wraps a function that a rule watches.
    Glue,
    /// Stands for inline assembly, of which only the compiler's part is known.
    Assembly,
}

impl Origin {
    /// All of them; the binary file numbers them in this order.
    pub const ALL: [Origin; 7] = [
        Origin::Program,
        Origin::Model,
        Origin::Stub,
        Origin::Approximation,
        Origin::Rule,
        Origin::Glue,
        Origin::Assembly,
    ];
    /// Its name in the text form.
    pub fn name(self) -> &'static str {
        match self {
            Origin::Program => "program",
            Origin::Model => "model",
            Origin::Stub => "stub",
            Origin::Approximation => "approximation",
            Origin::Rule => "rule",
            Origin::Glue => "glue",
            Origin::Assembly => "assembly",
        }
    }
}

/// Something the user should know about the translation: it is true of the model, not of C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Where.
    pub loc: LocId,
    /// What, as a plain sentence.
    pub text: String,
}

/// Variables that stand for what the program allocates, for engines that keep objects one by one.
#[derive(Clone, Debug, Default)]
pub struct Heap {
    /// What each call of an allocating function makes.
    pub sites: FxHashMap<(FuncId, BlockId), Site>,
    /// All variables that stand for objects; the value says whether their size is known.
    pub objects: FxHashMap<VarId, bool>,
    /// Those that stand for any number of objects.
    pub summaries: FxHashSet<VarId>,
    /// All variables that engines count objects in.
    pub counters: FxHashSet<VarId>,
}

/// A call of an allocating function.
#[derive(Clone, Debug)]
pub struct Site {
    /// The variable that says on whose behalf it is called: which of the groups.
    pub context: Option<VarId>,
    /// The objects, by context.
    pub groups: Vec<Group>,
}

/// The objects that one call makes on behalf of one caller.
#[derive(Clone, Debug)]
pub struct Group {
    /// The newest ones, the newest first.
    pub newest: Vec<VarId>,
    /// All others.
    pub rest: VarId,
    /// How many of the newest there are.
    pub used: VarId,
    /// Whether there may be others.
    pub more: VarId,
}

impl Heap {
    /// All variables that stand for what a call makes.
    pub fn made_by(&self, func: FuncId, block: BlockId) -> impl Iterator<Item = VarId> + '_ {
        let groups = self
            .sites
            .get(&(func, block))
            .into_iter()
            .flat_map(|s| &s.groups);
        groups.flat_map(|group| group.newest.iter().copied().chain([group.rest]))
    }
    /// Whether a variable was made for objects or their numbers.
    pub fn owns(&self, var: VarId) -> bool {
        self.objects.contains_key(&var) || self.counters.contains(&var)
    }
}

/// A whole program or a part of one.
#[derive(Clone, Debug)]
pub struct Program {
    /// Source positions.
    pub locations: Locations,
    /// Types, laid out for a target.
    pub types: Types,
    /// All variables.
    pub vars: IndexVec<VarId, Var>,
    /// All functions.
    pub funcs: IndexVec<FuncId, Function>,
    /// Functions that run before or after `main`, in the order of their definitions.
    pub startup: Vec<Startup>,
    /// What can fail: each `Assert` in the code names one of these.
    pub checks: IndexVec<CheckId, Check>,
    /// What the user should know.
    pub notes: Vec<Note>,
    /// The variables that stand for allocated objects, if a pass has made some. Files do not have it.
    pub heap: Heap,
}

impl Program {
    /// Whether two string literals may lie in the same place: one is the end of the other (C11 6.4.5).
    pub fn literals_share(&self, a: VarId, b: VarId) -> bool {
        let bytes = |id: VarId| {
            let var = &self.vars[id];
            let literal = a != b && var.kind == VarKind::Literal;
            literal.then(|| match var.init.first().map(|item| &item.value) {
                Some(InitValue::Bytes(bytes)) => {
                    let end = bytes.iter().rposition(|b| *b != 0);
                    &bytes[..end.map_or(0, |last| last + 1)]
                }
                _ => &[],
            })
        };
        match (bytes(a), bytes(b)) {
            (Some(a), Some(b)) => a.ends_with(b) || b.ends_with(a),
            _ => false,
        }
    }
    /// The variables whose addresses the code takes.
    pub fn address_taken(&self) -> FxHashSet<VarId> {
        let mut taken = FxHashSet::default();
        let mut look = |e: &Expr| {
            if let ExprKind::AddrOf(place) = &e.kind {
                taken.extend(place.root());
            }
        };
        for body in self.funcs.iter().filter_map(|f| f.body.as_ref()) {
            body.for_each_expr(&mut |e| e.walk(&mut look));
        }
        taken
    }
    /// An empty program.
    pub fn new(target: Target) -> Program {
        Program {
            locations: Locations::default(),
            types: Types::new(target),
            vars: IndexVec::new(),
            funcs: IndexVec::new(),
            startup: Vec::new(),
            checks: IndexVec::new(),
            notes: Vec::new(),
            heap: Heap::default(),
        }
    }
    /// The machine it is laid out for.
    pub fn target(&self) -> Target {
        self.types.target()
    }
    /// The functions that run in `phase`, in gcc's order: by priority, then by definition;
    /// destructors are in the opposite order to constructors.
    pub fn runs_in(&self, phase: Phase) -> Vec<FuncId> {
        let mut list: Vec<&Startup> = self.startup.iter().filter(|s| s.phase == phase).collect();
        // Stable, so that the order of definitions decides between equals.
        list.sort_by_key(|s| s.priority);
        if phase == Phase::Destructor {
            list.reverse();
        }
        list.into_iter().map(|s| s.func).collect()
    }
    /// The function that defines a name, if the program declares it more than once.
    pub fn defined(&self, func: FuncId) -> FuncId {
        let function = &self.funcs[func];
        if function.body.is_some() {
            return func;
        }
        let name = function.alias.as_deref().unwrap_or(&function.name);
        let mut others = self.funcs.enumerate();
        let other = others.find(|(_, f)| f.name == name && f.body.is_some());
        other.map_or(func, |(id, _)| id)
    }
    /// The function called `name`, preferring one that others can see.
    pub fn function(&self, name: &str) -> Option<FuncId> {
        let named = |&(_, f): &(FuncId, &Function)| f.name == name;
        let found = self.funcs.enumerate().filter(named);
        found.min_by_key(|(_, f)| f.linkage).map(|(id, _)| id)
    }
    /// What is known of a function of the library; none if the program defines one of this name itself, or declares it with other
    /// parameters and so means another.
    pub fn known(&self, func: FuncId) -> Option<&'static cwolf_known::Row> {
        let function = &self.funcs[func];
        let made = matches!(
            function.origin,
            Origin::Model | Origin::Approximation | Origin::Stub
        );
        if function.body.is_some() && !made {
            return None;
        }
        let row = cwolf_known::lookup(&function.name)?;
        let fits = match &self.types[function.ty] {
            Type::Func(ty) if !ty.variadic => row.accepts(ty.params.len()),
            _ => true,
        };
        fits.then_some(row)
    }
}
