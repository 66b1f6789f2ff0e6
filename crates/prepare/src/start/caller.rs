//! What anybody may pass to an entry function: any numbers; for a pointer null, one object of its own, or what
//! another pointer or a variable of the program offers. One object is the least that a valid pointer leads to: whoever stays inside
//! of it stays inside of every larger one, unless it relates pointers into one array ([`into_one_array`]). Variables that the program changes hold anything, since other functions may have run before.

use super::Maker;
use super::requires::{Count, Requirement};
use crate::mentioned::variables_in;
use crate::subject::Assumption;
use crate::unknown::{LARGE, fitting, function_outside};
use crate::variable::assign_unknown;
use cwolf_cwi::graph::CallGraph;
use cwolf_cwi::{
    BinOp, BlockId, Branch, Expr, ExprKind, FuncId, Origin, Place, Program, Step, Stmt, StmtKind,
    Type, TypeId, Types, VarId, VarKind,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// How deep structures lead to structures of their own; pointers below lead to memory outside the program.
pub(super) const DEPTH: usize = 2;
/// Most objects that are made for one parameter or variable.
pub(super) const OBJECTS: usize = 6;
/// Most ways to pass one pointer.
pub(super) const WAYS: usize = 6;
/// Most elements that a pointer leads to, if a parameter says how many.
const MOST: i128 = 1 << 20;

/// A way to pass a pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Alternative {
    /// To an object that nothing else leads to.
    Own,
    /// Null.
    Null,
    /// To the object of the parameter with this number.
    Argument(usize),
    /// To a variable of the program, or into it.
    Variable(VarId),
    /// To a function outside the program.
    Outside,
}

/// How a parameter was passed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// What it leads to or is: a local of the start function.
    pub object: Option<VarId>,
    /// The local that says which way was chosen (modulo their number).
    pub which: Option<VarId>,
    /// The ways; none for a number.
    pub ways: Vec<Alternative>,
}

/// An object that pointers may lead to.
struct Made {
    parameter: usize,
    place: Place,
    name: String,
}

/// What was required, sorted by the pointer that it is about.
#[derive(Default)]
struct Required {
    not_null: FxHashSet<String>,
    elements: FxHashMap<String, Count>,
    texts: FxHashSet<String>,
    apart: FxHashSet<String>,
}

impl Required {
    fn new(list: &[Requirement]) -> Required {
        let mut required = Required::default();
        for requirement in list {
            match requirement {
                Requirement::NotNull(name) => drop(required.not_null.insert(name.clone())),
                // Nobody needs a pointer to no elements.
                Requirement::Elements(name, count @ Count::Parameter(..)) => {
                    required.elements.insert(name.clone(), count.clone());
                }
                Requirement::Elements(name, count) => {
                    required.not_null.insert(name.clone());
                    if *count != Count::Number(1) {
                        required.elements.insert(name.clone(), count.clone());
                    }
                }
                Requirement::Text(name) => {
                    required.not_null.insert(name.clone());
                    required.texts.insert(name.clone());
                }
                Requirement::Apart(names) => required.apart.extend(names.iter().cloned()),
                Requirement::Condition(_) => {}
            }
        }
        required
    }
}

impl Maker<'_> {
    /// Arguments that anybody may pass who keeps `requirements`, and how each came about.
    pub(super) fn any_arguments(
        &mut self,
        entry: FuncId,
        params: &[TypeId],
        requirements: &[Requirement],
        assumptions: &mut Vec<Assumption>,
    ) -> (Vec<Expr>, Vec<Passed>) {
        let function = &self.program.funcs[entry];
        let name = |n: usize| match function.params.get(n) {
            Some(var) => self.program.vars[*var].name.clone(),
            None => format!("argument{}", n + 1),
        };
        let names: Vec<String> = (0..params.len()).map(name).collect();
        let required = Required::new(requirements);
        let globals = self.globals(entry, &required);
        let mut args: Vec<Option<Expr>> = vec![None; params.len()];
        let mut passed: Vec<Passed> = vec![Passed::default(); params.len()];
        // Numbers first: they say how many elements pointers lead to.
        for (n, ty) in params.iter().enumerate() {
            if self.program.types.pointee(*ty).is_none() {
                let var = self.local(&names[n], *ty);
                let place = Place::var(*ty, var);
                self.choose(place.clone());
                let mut made = Vec::new();
                self.inside(n, &names[n], place.clone(), DEPTH, &mut made);
                passed[n].object = Some(var);
                args[n] = Some(Expr::load(place));
            }
        }
        let mut made: Vec<Made> = Vec::new();
        for (n, ty) in params.iter().enumerate() {
            let Some(to) = self.program.types.pointee(*ty) else {
                continue;
            };
            let count = required.elements.get(&names[n]);
            let count = count.map(|count| (count, elements(count, &names, &args)));
            let (arg, how) = match count {
                Some((_, None)) | None if !required.texts.contains(&names[n]) => {
                    let pointer = Pointer {
                        parameter: n,
                        name: &names[n],
                        ty: *ty,
                        to,
                    };
                    self.pointer(&pointer, &required, &globals, &mut made)
                }
                count => {
                    let count = count.and_then(|(_, count)| count);
                    let null = !required.not_null.contains(&names[n]);
                    let buffer = Buffer {
                        name: &names[n],
                        ty: *ty,
                        to,
                        null,
                    };
                    let own = self.buffer(&buffer, count, assumptions);
                    (own, Passed::default())
                }
            };
            args[n] = Some(arg);
            passed[n] = how;
        }
        let args: Vec<Expr> = args.into_iter().flatten().collect();
        self.conditions(entry, requirements, &args);
        self.tell(entry, &names, params, &required, assumptions);
        (args, passed)
    }

    /// What the verdict takes for granted of the caller.
    fn tell(
        &self,
        entry: FuncId,
        names: &[String],
        params: &[TypeId],
        required: &Required,
        assumptions: &mut Vec<Assumption>,
    ) {
        let function = &self.program.funcs[entry].name;
        for (name, ty) in names.iter().zip(params) {
            let Some(to) = self.program.types.pointee(*ty) else {
                continue;
            };
            let null = match required.not_null.contains(name) {
                true => "",
                false => "null, or ",
            };
            let what = match &self.program.types[to] {
                Type::Func(_) => "a function outside the program".to_owned(),
                _ if self.handles.contains_key(&to) => {
                    "an open handle that the library made".to_owned()
                }
                _ if !self.is_object(to) => "memory outside the program".to_owned(),
                _ if required.texts.contains(name) => "a text that ends with a zero".to_owned(),
                _ if required.elements.contains_key(name) => {
                    "the elements that are required".into()
                }
                _ => "one object of its type".to_owned(),
            };
            assumptions.push(Assumption::of(format!(
                "{function} is called with `{name}`: {null}a pointer to {what}"
            )));
        }
    }

    fn choose(&mut self, place: Place) {
        self.stmts.push(assign_unknown(place, self.loc));
    }

    /// Whether something of this type can be made.
    fn is_object(&self, ty: TypeId) -> bool {
        let types = &self.program.types;
        // An object that the program made is no open stream, and no caller takes it for one.
        let complete = match types[ty] {
            Type::Record(record) => types.records[record].complete,
            Type::Void | Type::Func(_) => false,
            _ => true,
        };
        complete && types.size_of(ty) > 0 && !self.handles.contains_key(&ty)
    }

    /// A pointer parameter to one object, with all ways to pass it.
    fn pointer(
        &mut self,
        what: &Pointer<'_>,
        required: &Required,
        globals: &[VarId],
        made: &mut Vec<Made>,
    ) -> (Expr, Passed) {
        let n = what.parameter;
        let mut ways: Vec<(Alternative, Expr)> = Vec::new();
        let mut object = None;
        if matches!(self.program.types[what.to], Type::Func(_)) {
            let outside = self.function_outside(what.name, what.to);
            ways.push((Alternative::Outside, Expr::cast(what.ty, outside)));
        } else if self.handles.contains_key(&what.to) {
            let not_null = required.not_null.contains(what.name);
            let apart = |name: &str| required.apart.contains(name);
            return self.handle_parameter((n, what.name, what.ty), not_null, apart);
        } else if self.is_object(what.to) {
            let var = self.local(&format!("{}_object", what.name), what.to);
            object = Some(var);
            let place = Place::var(what.to, var);
            self.choose(place.clone());
            self.inside(n, what.name, place.clone(), DEPTH, made);
            ways.push((Alternative::Own, self.pointer_to(place.clone(), what.ty)));
            if !required.apart.contains(what.name) {
                ways.extend(self.others(what, required, globals, made));
            }
            made.push(Made {
                parameter: n,
                place,
                name: what.name.to_owned(),
            });
        } else {
            let var = self.local(what.name, what.ty);
            let place = Place::var(what.ty, var);
            self.choose(place.clone());
            let passed = Passed {
                object: Some(var),
                ..Passed::default()
            };
            if required.not_null.contains(what.name) {
                self.assume(Expr::load(place.clone()));
            }
            return (Expr::load(place), passed);
        }
        if !required.not_null.contains(what.name) {
            ways.insert(1, (Alternative::Null, Expr::int(what.ty, 0)));
        }
        let place = self.local(what.name, what.ty);
        let place = Place::var(what.ty, place);
        let which = self.one_of(place.clone(), ways.iter().map(|(_, e)| e.clone()).collect());
        let passed = Passed {
            object,
            which,
            ways: ways.into_iter().map(|(way, _)| way).collect(),
        };
        (Expr::load(place), passed)
    }

    /// Objects of earlier parameters and variables that a pointer fits.
    fn others(
        &mut self,
        what: &Pointer<'_>,
        required: &Required,
        globals: &[VarId],
        made: &[Made],
    ) -> Vec<(Alternative, Expr)> {
        let mut found = Vec::new();
        for other in made {
            let own = other.parameter != what.parameter && !required.apart.contains(&other.name);
            let place = fitting(self.program, other.place.clone(), what.to);
            if let (true, Some(place)) = (own, place) {
                let way = Alternative::Argument(other.parameter);
                found.push((way, self.pointer_to(place, what.ty)));
            }
        }
        for var in globals {
            let ty = self.program.vars[*var].ty;
            if let Some(place) = fitting(self.program, Place::var(ty, *var), what.to) {
                found.push((Alternative::Variable(*var), self.pointer_to(place, what.ty)));
            }
        }
        found.truncate(WAYS);
        found
    }

    /// The address of a place as a pointer of this type.
    fn pointer_to(&mut self, place: Place, ty: TypeId) -> Expr {
        let own = self.program.types.pointer(place.ty);
        let kind = ExprKind::AddrOf(place);
        Expr::cast(ty, Expr { ty: own, kind })
    }

    /// Assigns one of the values, whichever is chosen; the first if the choice is zero.
    pub(super) fn one_of(&mut self, place: Place, values: Vec<Expr>) -> Option<VarId> {
        let mut values = values.into_iter();
        let first = values.next()?;
        self.assign(place.clone(), first);
        let others = values.len();
        if others == 0 {
            return None;
        }
        let byte = self.program.types.int(8, false);
        let which = self.local("which", byte);
        self.choose(Place::var(byte, which));
        let chosen = Expr::load(Place::var(byte, which));
        let chosen = Expr::binary(BinOp::Rem, chosen, Expr::int(byte, others as i128 + 1));
        for (n, value) in values.enumerate() {
            let number = Expr::int(byte, n as i128 + 1);
            let here = Expr::binary(BinOp::Eq, chosen.clone(), number);
            self.when(here, place.clone(), value);
        }
        Some(which)
    }

    /// Pointers inside an object: structures lead to structures of their own, to each other, or nowhere, functions to
    /// code outside. Other pointers are as they were chosen: null, or to memory outside the program.
    fn inside(
        &mut self,
        parameter: usize,
        name: &str,
        place: Place,
        depth: usize,
        made: &mut Vec<Made>,
    ) {
        if depth == 0 {
            return;
        }
        for part in pointer_parts(self.program, place.clone()) {
            let Some(to) = self.program.types.pointee(part.ty) else {
                continue;
            };
            let null = Expr::int(part.ty, 0);
            if matches!(self.program.types[to], Type::Func(_)) {
                let outside = self.function_outside(name, to);
                let outside = Expr::cast(part.ty, outside);
                self.one_of(part, vec![outside, null]);
                continue;
            }
            if self.handles.contains_key(&to) {
                let handle = self.open_handle(name, part.ty, to);
                self.one_of(part, vec![handle, null]);
                continue;
            }
            let own = made.iter().filter(|m| m.parameter == parameter).count();
            if self.program.types.as_record(to).is_none() || !self.is_object(to) || own >= OBJECTS {
                continue;
            }
            let var = self.local(&format!("{name}_object{}", own + 1), to);
            let object = Place::var(to, var);
            self.choose(object.clone());
            self.inside(parameter, name, object.clone(), depth - 1, made);
            let mut values = vec![self.pointer_to(object.clone(), part.ty), null];
            if place.ty == to {
                values.push(self.pointer_to(place.clone(), part.ty));
            }
            self.one_of(part, values);
            made.push(Made {
                parameter,
                place: object,
                name: name.to_owned(),
            });
        }
    }

    /// A function that nobody knows, of this type.
    fn function_outside(&mut self, name: &str, ty: TypeId) -> Expr {
        let func = function_outside(self.program, name, ty, self.loc);
        Expr {
            ty: self.program.types.pointer(ty),
            kind: ExprKind::FuncAddr(func),
        }
    }

    /// Memory for the elements that are required, or for a text.
    fn buffer(
        &mut self,
        what: &Buffer<'_>,
        count: Option<Expr>,
        assumptions: &mut Vec<Assumption>,
    ) -> Expr {
        let Buffer { name, ty, to, null } = *what;
        let word = self.program.target().word(false);
        let word = self.program.types.intern(Type::Int(word));
        let text = count.is_none();
        let count = match count {
            Some(count) => self.at_least_none(name, count),
            None => {
                let length = self.local(&format!("{name}_length"), word);
                self.choose(Place::var(word, length));
                let length = Expr::load(Place::var(word, length));
                Expr::binary(BinOp::Add, length, Expr::int(word, 1))
            }
        };
        let count = Expr::cast(word, count);
        let most = Expr::int(word, MOST);
        self.assume(Expr::binary(BinOp::Le, count.clone(), most));
        if text {
            self.assume(Expr::binary(BinOp::Gt, count.clone(), Expr::int(word, 0)));
        }
        assumptions.push(Assumption::of(format!(
            "`{name}` points to at most {MOST} elements"
        )));
        let scale = self.program.types.size_of(to).max(1);
        let size = Expr::binary(BinOp::Mul, count.clone(), Expr::int(word, scale.into()));
        let memory = self.allocated(size);
        let pointer = self.local(&format!("{name}_buffer"), ty);
        let place = Place::var(ty, pointer);
        self.assign(place.clone(), Expr::cast(ty, memory));
        let pointer = Expr::load(place.clone());
        if text {
            let signed = self.program.target().word(true);
            let signed = self.program.types.intern(Type::Int(signed));
            let last = Expr::binary(BinOp::Sub, count.clone(), Expr::int(word, 1));
            let end = Expr {
                ty,
                kind: ExprKind::PtrAdd {
                    ptr: Box::new(pointer.clone()),
                    index: Box::new(Expr::cast(signed, last)),
                    scale,
                },
            };
            self.assign(Place::deref(to, end), Expr::int(to, 0));
        } else if null {
            let flag = self.local(&format!("{name}_null"), Types::INT);
            self.choose(Place::var(Types::INT, flag));
            let none = Expr::binary(BinOp::Eq, count, Expr::int(word, 0));
            let flag = Expr::load(Place::var(Types::INT, flag));
            self.when(
                Expr::binary(BinOp::And, none, flag),
                place,
                Expr::int(ty, 0),
            );
        }
        pointer
    }

    /// A count that is zero instead of negative.
    fn at_least_none(&mut self, name: &str, count: Expr) -> Expr {
        let signed = self
            .program
            .types
            .as_int(count.ty)
            .is_some_and(|t| t.signed);
        if !signed || count.as_int().is_some() {
            return count;
        }
        let ty = count.ty;
        let var = self.local(&format!("{name}_count"), ty);
        let place = Place::var(ty, var);
        self.assign(place.clone(), count);
        let zero = Expr::int(ty, 0);
        let negative = Expr::binary(BinOp::Lt, Expr::load(place.clone()), zero.clone());
        self.when(negative, place.clone(), zero);
        Expr::load(place)
    }

    /// `if (condition) place = value;`
    fn when(&mut self, condition: Expr, place: Place, value: Expr) {
        let here = self.here();
        self.end_block(Branch::If {
            cond: condition,
            then: BlockId(here.0 + 1),
            els: BlockId(here.0 + 2),
        });
        self.assign(place, value);
        self.end_block(Branch::Goto(BlockId(here.0 + 2)));
    }

    fn assume(&mut self, condition: Expr) {
        self.stmts.push(Stmt {
            loc: self.loc,
            kind: StmtKind::Assume(condition),
        });
    }

    /// Assumes conditions in C, with what is passed for the parameters. Those that do not read were refused before.
    fn conditions(&mut self, entry: FuncId, requirements: &[Requirement], args: &[Expr]) {
        let own = self.program.funcs[entry].params.clone();
        for requirement in requirements {
            let Requirement::Condition(text) = requirement else {
                continue;
            };
            let Some(mut condition) = read_condition(self.program, entry, text) else {
                continue;
            };
            condition.walk_mut(&mut |e| {
                if let ExprKind::Load { place, .. } = &e.kind
                    && let Some(var) = place.as_var()
                    && let Some(n) = own.iter().position(|p| *p == var)
                {
                    *e = args[n].clone();
                }
            });
            self.assume(condition);
        }
    }

    /// Gives variables that the program changes any contents; those of them that pointers may lead to.
    fn globals(&mut self, entry: FuncId, required: &Required) -> Vec<VarId> {
        let vars = changed(self.program, &CallGraph::new(self.program), entry);
        for (n, var) in vars.iter().enumerate() {
            let (ty, name) = (
                self.program.vars[*var].ty,
                self.program.vars[*var].name.clone(),
            );
            let place = Place::var(ty, *var);
            if self.program.types.size_of(ty) > LARGE {
                let void = self.program.types.pointer(Types::VOID);
                let ptr = self.pointer_to(place, void);
                self.stmts.push(Stmt {
                    loc: self.loc,
                    kind: StmtKind::Havoc { ptr, size: None },
                });
                continue;
            }
            self.choose(place.clone());
            let mut made = Vec::new();
            let number = usize::MAX - n;
            let whole = pointer_parts(self.program, place.clone());
            self.inside(number, &name, place.clone(), DEPTH, &mut made);
            if required.not_null.contains(&name) && whole.len() == 1 {
                self.assume(Expr::load(place));
            }
        }
        vars
    }
}

/// A pointer to memory of a required size.
struct Buffer<'p> {
    name: &'p str,
    ty: TypeId,
    to: TypeId,
    /// Whether it may be null if it leads to nothing.
    null: bool,
}

/// A pointer parameter.
struct Pointer<'p> {
    parameter: usize,
    name: &'p str,
    ty: TypeId,
    to: TypeId,
}

/// How many elements are required, over what the other parameters are.
fn elements(count: &Count, names: &[String], args: &[Option<Expr>]) -> Option<Expr> {
    match count {
        Count::Number(n) => Some(Expr::int(Types::INT, i128::from(*n))),
        Count::Parameter(name, more) => {
            let at = names.iter().position(|n| n == name)?;
            let value = args[at].clone()?;
            let more = Expr::int(value.ty, i128::from(*more));
            Some(Expr::binary(BinOp::Add, value, more))
        }
    }
}

/// A condition in C, in the scope of a function.
pub(crate) fn read_condition(program: &mut Program, func: FuncId, text: &str) -> Option<Expr> {
    let file = format!("{} {{ {text} }}", program.funcs[func].name);
    let read = cwolf_cfront::read_predicates(program, "requires", file.as_bytes(), |_| Vec::new());
    let mut found = read.predicates.into_iter();
    match (found.next(), found.next()) {
        (Some(one), None) if !read.diagnostics.has_errors() => Some(one.condition),
        _ => None,
    }
}

/// The pointers in a place that are not elements of long arrays.
pub(super) fn pointer_parts(program: &mut Program, place: Place) -> Vec<Place> {
    const ELEMENTS: u64 = 4;
    let word = program.target().word(true);
    let word = program.types.intern(Type::Int(word));
    let mut found = Vec::new();
    let mut work = vec![place];
    while let Some(place) = work.pop() {
        let parts: Vec<(Step, TypeId)> = match &program.types[place.ty] {
            Type::Pointer(_) => {
                found.push(place);
                continue;
            }
            Type::Array { elem, len } if *len <= ELEMENTS => {
                let step = |n: u64| Step::Index(Expr::int(word, n.into()));
                (0..*len).map(|n| (step(n), *elem)).collect()
            }
            Type::Record(record) => {
                let record = &program.types.records[*record];
                let fields = (0..).zip(&record.fields);
                // Members of a union share their place: they stay as they were chosen.
                match record.kind {
                    cwolf_cwi::RecordKind::Union => Vec::new(),
                    cwolf_cwi::RecordKind::Struct => {
                        fields.map(|(n, f)| (Step::Field(n), f.ty)).collect()
                    }
                }
            }
            _ => Vec::new(),
        };
        for (step, ty) in parts.into_iter().rev() {
            let mut part = place.clone();
            part.path.push(step);
            part.ty = ty;
            work.push(part);
        }
    }
    found
}

/// Variables that live as long as the program, that code of the program changes or gives away, and that the entry function or
/// whom it calls mentions.
pub fn changed(program: &Program, graph: &CallGraph, entry: FuncId) -> Vec<VarId> {
    let reached: FxHashSet<FuncId> = graph.reachable(&[entry]).into_iter().collect();
    let mut written: FxHashSet<VarId> = program.address_taken();
    let mut seen: FxHashSet<VarId> = FxHashSet::default();
    for (id, function) in program.funcs.enumerate() {
        let Some(body) = &function.body else { continue };
        if function.origin != Origin::Program {
            continue;
        }
        for stmt in body.blocks.iter().flat_map(|b| &b.stmts) {
            if let StmtKind::Assign(place, _) = &stmt.kind {
                written.extend(place.root());
            }
        }
        if reached.contains(&id) {
            seen.extend(variables_in(body));
        }
    }
    let mut found: Vec<VarId> = seen.intersection(&written).copied().collect();
    found.retain(|id| lasting(program, *id, true));
    found.sort_unstable();
    found
}

/// Variables that no file defines, and that the entry function or whom it calls mentions: nobody knows what they hold.
pub fn undefined(program: &Program, graph: &CallGraph, entry: FuncId) -> Vec<VarId> {
    let reached = graph.reachable(&[entry]).into_iter();
    let functions = reached.map(|id| &program.funcs[id]);
    let own = functions.filter(|function| function.origin == Origin::Program);
    let bodies = own.filter_map(|function| function.body.as_ref());
    let mut found: Vec<VarId> = bodies.flat_map(variables_in).collect();
    found.retain(|id| lasting(program, *id, false));
    found.sort_unstable();
    found.dedup();
    found
}

/// Whether a variable of the program itself lives as long as it, can change, and has a definition or not.
fn lasting(program: &Program, id: VarId, defined: bool) -> bool {
    let var = &program.vars[id];
    let lasts = matches!(var.kind, VarKind::Global | VarKind::StaticLocal(_));
    let library = cwolf_interp::provides(&var.name);
    let sized = program.types.size_of(var.ty) > 0;
    let is_defined = var.definition != cwolf_cwi::Definition::Declared;
    lasts && sized && !var.constant && !library && is_defined == defined
}

/// What is wrong with requirements on the callers of a function.
pub(crate) fn wrong_requirement(
    program: &mut Program,
    entry: FuncId,
    requirements: &[Requirement],
) -> Option<String> {
    let function = &program.funcs[entry];
    let shown = function.name.clone();
    let params = function
        .params
        .iter()
        .map(|p| program.vars[*p].name.clone());
    let params: Vec<String> = params.collect();
    let lasting = |kind| matches!(kind, VarKind::Global | VarKind::StaticLocal(_));
    for requirement in requirements {
        let (named, counted) = match requirement {
            Requirement::Condition(text) => {
                if read_condition(program, entry, text).is_none() {
                    return Some(format!(
                        "`{text}` is not a condition in C over the parameters of {shown} ({}) and global variables",
                        match params.is_empty() {
                            true => "it has none".to_owned(),
                            false => params.join(", "),
                        }
                    ));
                }
                continue;
            }
            Requirement::Apart(names) => (names.clone(), None),
            Requirement::Elements(name, Count::Parameter(count, _)) => {
                (vec![name.clone()], Some(count))
            }
            Requirement::NotNull(name)
            | Requirement::Text(name)
            | Requirement::Elements(name, _) => (vec![name.clone()], None),
        };
        for name in &named {
            let global = |v: &cwolf_cwi::Var| v.name == *name && lasting(v.kind);
            if !params.contains(name) && !program.vars.iter().any(global) {
                return Some(format!(
                    "`{requirement}` mentions `{name}`, which is neither a parameter of {shown} nor a variable of the program"
                ));
            }
        }
        if let Some(count) = counted.filter(|count| !params.contains(count)) {
            return Some(format!(
                "`{requirement}` counts by `{count}`, which is not a parameter of {shown}"
            ));
        }
    }
    None
}

/// Says so, if callers may pass pointers to different elements of one array, and the program compares or subtracts pointers: one
/// object for each does not cover that.
pub(super) fn into_one_array(
    program: &Program,
    entry: FuncId,
    params: &[TypeId],
    requirements: &[Requirement],
) -> Option<String> {
    let apart = Required::new(requirements).apart;
    let own = program.funcs[entry].params.iter();
    let names = own.map(|p| program.vars[*p].name.as_str());
    let pointed = params.iter().zip(names).filter_map(|(ty, name)| {
        let to = program.types.pointee(*ty)?;
        let data = !matches!(program.types[to], Type::Func(_));
        (data && !apart.contains(name)).then_some(to)
    });
    let pointed: Vec<TypeId> = pointed.collect();
    let byte = |ty: TypeId| program.types.size_of(ty) <= 1;
    let fit = |a: TypeId, b: TypeId| a == b || byte(a) || byte(b);
    let pairs = (0..pointed.len()).flat_map(|n| (0..n).map(move |m| (n, m)));
    let mut pairs = pairs.map(|(n, m)| (pointed[n], pointed[m]));
    if !pairs.any(|(a, b)| fit(a, b)) || !relates_pointers(program, entry) {
        return None;
    }
    let name = &program.funcs[entry].name;
    Some(format!(
        "calls of {name} with pointers to different elements of one array (exclude them with --requires '\\separated(…)')"
    ))
}

/// Whether code that a function reaches compares two pointers, or subtracts them.
fn relates_pointers(program: &Program, entry: FuncId) -> bool {
    let mut found = false;
    for func in CallGraph::new(program).reachable(&[entry]) {
        let function = &program.funcs[func];
        let Some(body) = function
            .body
            .as_ref()
            .filter(|_| function.origin == Origin::Program)
        else {
            continue;
        };
        body.for_each_expr(&mut |e| {
            e.walk(&mut |e| {
                found |= match &e.kind {
                    ExprKind::PtrDiff { .. } => true,
                    // As numbers they may be compared anywhere.
                    ExprKind::Cast(from) => {
                        let number = program.types.as_int(e.ty).is_some_and(|t| t.bits > 1);
                        number && program.types.pointee(from.ty).is_some()
                    }
                    ExprKind::Binary(op, a, b) if op.is_comparison() => {
                        let pointer = |e: &Expr| program.types.pointee(e.ty).is_some();
                        pointer(a) && !a.is_null() && !b.is_null()
                    }
                    _ => false,
                };
            });
        });
    }
    found
}
