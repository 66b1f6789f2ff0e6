//! The abstract machine (thesis, 3.9 and 4.5): a state in, its labelled successors out.
//!
//! A state is four numbers: a location, the caller's frame, the local and the global
//! environment. Each step runs from a state's location to the next branch, or to the first
//! statement that is seen. Every successor of every concrete state that an abstract state covers
//! is covered by one of its successors.

mod assign;
mod assume;
mod calls;
mod describe;
mod eval;
mod labels;
mod layout;
mod liveness;
mod step;
mod tables;

pub(crate) use tables::Interned;

use crate::domain::{Kind, Universe, Value};
use crate::map::{Abstraction, LabelMap};
use cwolf_base::Idx;
use cwolf_cwi::graph::{CallGraph, PointsTo};
use cwolf_cwi::{
    BlockId, Expr, FuncId, InitValue, LocId, Place, Program, Step, Type, TypeId, VarId, value,
};
use eval::{Context, Scratch};
use layout::{Layout, Point, Points, bits_of, int_ty};
use liveness::Liveness;
use rustc_hash::{FxHashMap, FxHashSet};
use tables::Environments;

/// An abstract state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    location: u32,
    caller: u32,
    local: u32,
    global: u32,
}

/// A labelled step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Successor {
    /// What is seen; none for an internal step.
    pub label: Option<String>,
    /// Where it leads.
    pub state: State,
}

/// What a call of a function without a body does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extern {
    /// It returns anything, and may write what its arguments lead to.
    #[default]
    Havoc,
    /// It returns anything and writes nothing (the thesis' dummy function).
    Pure,
}

/// How the machine runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Calls of functions without a body.
    pub externs: Extern,
    /// Keep dead variables in states.
    pub keep_dead: bool,
}

/// Locations from here on are steps with labels still to show.
const PENDING: u32 = 1 << 31;

/// The machine of one program under one abstraction.
pub struct Machine<'p> {
    program: &'p Program,
    universe: &'p Universe,
    labels: &'p LabelMap,
    returns: &'p FxHashMap<FuncId, Kind>,
    options: Options,
    points_to: PointsTo,
    calls: CallGraph,
    layout: Layout,
    points: Points,
    liveness: FxHashMap<FuncId, Liveness>,
    envs: Environments,
    frames: Interned<Frame>,
    pending: Interned<(Vec<String>, u32)>,
    notes: Notes,
}

/// A suspended caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Frame {
    /// The block that made the call, as a point.
    call: u32,
    caller: u32,
    local: u32,
}

/// Things that the user should know, each once.
#[derive(Debug, Default)]
struct Notes {
    list: Vec<(LocId, String)>,
    seen: FxHashSet<(LocId, String)>,
}

impl Notes {
    fn add(&mut self, loc: LocId, text: String) {
        if self.seen.insert((loc, text.clone())) {
            self.list.push((loc, text));
        }
    }
}

impl<'p> Machine<'p> {
    /// The machine of `program` under a map.
    pub fn new(
        program: &'p Program,
        universe: &'p Universe,
        abstraction: &'p Abstraction,
        labels: &'p LabelMap,
        options: Options,
    ) -> Machine<'p> {
        let points_to = PointsTo::new(program);
        let calls = CallGraph::with(program, &points_to);
        let layout = Layout::new(program, &calls, abstraction, labels);
        let mut frames = Interned::default();
        // Frame 0 is no caller.
        frames.insert(Frame {
            call: Points::HALTED,
            caller: 0,
            local: 0,
        });
        Machine {
            program,
            universe,
            labels,
            returns: &abstraction.returns,
            options,
            points_to,
            calls,
            points: Points::new(program),
            layout,
            liveness: FxHashMap::default(),
            envs: Environments::default(),
            frames,
            pending: Interned::default(),
            notes: Notes::default(),
        }
    }
    fn context(&self, func: FuncId, block: BlockId) -> Context<'_> {
        Context {
            program: self.program,
            universe: self.universe,
            layout: &self.layout,
            points_to: &self.points_to,
            func,
            block,
        }
    }
    /// The state in which `entry`, a function with a body, is about to start.
    pub fn initial(&mut self, entry: FuncId) -> State {
        let context = self.context(entry, cwolf_cwi::Body::ENTRY);
        let mut global = Vec::new();
        for cell in &self.layout.globals {
            let automatic = self.program.vars[cell.var].kind.is_automatic();
            let v = match automatic {
                true => Value::Top,
                false => self.first_value(&context, cell.var, cell.bit_offset, cell.ty),
            };
            global.push(context.keep(cell.ty, cell.kind, v));
        }
        for func in self.calls.reachable(&[entry]) {
            if self.calls.is_recursive(func) {
                let f = &self.program.funcs[func];
                let text = format!(
                    "`{}` is recursive: the model is finite only if the abstraction makes it so",
                    f.name
                );
                self.notes.add(f.loc, text);
            }
        }
        State {
            location: self.points.entry(entry),
            caller: 0,
            local: 0,
            global: self.envs.intern(&global),
        }
    }
    /// What a static variable holds at first.
    fn first_value(&self, context: &Context<'_>, var: VarId, offset: u64, ty: TypeId) -> Value {
        let bits = bits_of(self.program, ty);
        for item in &self.program.vars[var].init {
            let size = match self.program.types.as_int(item.ty) {
                Some(int) => u64::from(int.bits),
                None => self.program.types.size_of(item.ty).saturating_mul(8),
            };
            let end = item.bit_offset.saturating_add(size);
            if end <= offset || offset + bits <= item.bit_offset {
                continue;
            }
            let exact = item.bit_offset == offset && size == bits;
            let same = exact && item.ty == ty;
            return match &item.value {
                InitValue::Int(n) if same && context.is_pointer(ty) => {
                    self.universe.address_set([crate::domain::Address::new(
                        crate::domain::Target::Absolute,
                        Some(*n as i64),
                    )])
                }
                InitValue::Int(n) if same && int_ty(self.program, ty).bits <= 64 => {
                    Value::Int(*n as u64)
                }
                InitValue::Float(bits) if same => match self.program.types[ty] {
                    Type::Float(float) => self.universe.float_constant(float, *bits),
                    _ => Value::Top,
                },
                InitValue::Addr(target, bytes) if exact && context.is_pointer(ty) => {
                    let target = crate::domain::Target::Object(target.0);
                    let address = crate::domain::Address::new(target, Some(*bytes));
                    self.universe.address_set([address])
                }
                InitValue::Func(f) if exact && context.is_pointer(ty) => {
                    let target = crate::domain::Target::Function(f.0);
                    let address = crate::domain::Address::new(target, Some(0));
                    self.universe.address_set([address])
                }
                InitValue::Bytes(bytes) if bits == 8 && offset.is_multiple_of(8) => {
                    let at = (offset - item.bit_offset) / 8;
                    match (self.program.types.as_int(ty), bytes.get(at as usize)) {
                        (Some(int), Some(b)) => Value::Int(value::wrap(int, (*b).into()) as u64),
                        (Some(_), None) => Value::Int(0),
                        _ => Value::Top,
                    }
                }
                _ => Value::Top,
            };
        }
        context.zero(ty)
    }
    /// What the user should know about the model so far: calls of code that is not shown, and
    /// the like, each with its place.
    pub fn notes(&self) -> &[(LocId, String)] {
        &self.notes.list
    }
    /// How many environment nodes there are; a measure of memory.
    pub fn environment_nodes(&self) -> usize {
        self.envs.nodes()
    }
    /// Whether the program has ended in this state.
    pub fn is_halted(&self, state: State) -> bool {
        state.location == Points::HALTED
    }
    fn point(&self, location: u32) -> Point {
        match location {
            PENDING.. => self.point(self.pending.get(location - PENDING).1),
            location => self.points.get(location),
        }
    }
    /// The function and block that a state stands at the start of, if it does.
    pub fn block_start(&self, state: State) -> Option<(FuncId, BlockId)> {
        match self
            .points
            .get((state.location < PENDING).then_some(state.location)?)
        {
            Point::Code {
                func,
                block,
                index: 0,
            } => Some((func, block)),
            _ => None,
        }
    }
    /// How many calls are under way.
    pub fn depth(&self, state: State) -> usize {
        let mut depth = 1;
        let mut caller = state.caller;
        while caller != 0 {
            depth += 1;
            caller = self.frames.get(caller).caller;
        }
        depth
    }
    fn open(&self, state: State, func: FuncId) -> Scratch {
        let mut scratch = Scratch {
            local: self.layout.empty_frame(func),
            global: vec![Value::Top; self.layout.globals.len()],
        };
        self.envs.load(state.local, &mut scratch.local);
        self.envs.load(state.global, &mut scratch.global);
        scratch
    }
    /// Whether the state's environment covers concrete values; `known` gives what a scalar place
    /// holds, if it holds something. Pointers are not looked at.
    pub fn covers(
        &self,
        state: State,
        known: &dyn Fn(&Place) -> Option<value::Value>,
    ) -> Result<(), String> {
        let Point::Code { func, .. } = self.point(state.location) else {
            return Ok(());
        };
        let env = self.open(state, func);
        let context = self.context(func, cwolf_cwi::Body::ENTRY);
        for var in self.program.vars.ids() {
            for slot in context.slots(var) {
                let Some(place) =
                    self.cell_place(slot.cell.var, slot.cell.bit_offset, slot.cell.ty)
                else {
                    continue;
                };
                let held = env.get(slot.home);
                let fits = match (known(&place), &self.program.types[slot.cell.ty]) {
                    (None, _) | (_, Type::Pointer(_)) => true,
                    (Some(value::Value::Int(n)), _) => {
                        let int = int_ty(self.program, slot.cell.ty);
                        self.universe.contains(int, held, n)
                    }
                    (Some(value::Value::Float(bits)), Type::Float(ty)) => {
                        self.universe.has_float(*ty, held, bits)
                    }
                    _ => true,
                };
                if !fits {
                    let name = self.cell_name(var, slot.cell.bit_offset, func);
                    return Err(format!("{name} is {:?}", known(&place)));
                }
            }
        }
        Ok(())
    }
    /// The place of a scalar of type `ty` at an offset of a variable.
    fn cell_place(&self, var: VarId, offset: u64, ty: TypeId) -> Option<Place> {
        let types = &self.program.types;
        let mut place = Place::var(self.program.vars[var].ty, var);
        let mut rest = offset;
        while place.ty != ty || rest != 0 {
            match &types[place.ty] {
                Type::Array { elem, .. } => {
                    let size = types.size_of(*elem).checked_mul(8).filter(|s| *s > 0)?;
                    let word = types.lookup(&Type::Int(types.target().word(true)))?;
                    let index = Expr::int(word, i128::from(rest / size));
                    place.path.push(Step::Index(index));
                    rest %= size;
                    place.ty = *elem;
                }
                Type::Record(record) => {
                    let fields = types.records[*record].fields.iter().enumerate();
                    let mut fitting = fields.filter(|(_, f)| {
                        let size = bits_of(self.program, f.ty);
                        f.bit_offset <= rest && rest < f.bit_offset.saturating_add(size)
                    });
                    let (n, field) = fitting.next()?;
                    place.path.push(Step::Field(n as u32));
                    rest -= field.bit_offset;
                    place.ty = field.ty;
                }
                _ => return None,
            }
        }
        Some(place)
    }
    /// What tells states apart when there is one for each call stack and location.
    pub fn place_of(&self, state: State) -> (u32, u32) {
        (state.location, state.caller)
    }
    /// A state that covers both of two at the same place. With `widen`, what differs becomes ⊤,
    /// so that a chain of such states is finite.
    pub fn merge(&mut self, a: State, b: State, widen: bool) -> State {
        debug_assert_eq!(self.place_of(a), self.place_of(b), "states at one place");
        let (x, y, joined) = match self.point(a.location) {
            Point::Halted => {
                let (mut x, mut y) = ([Value::Top], [Value::Top]);
                self.envs.load(a.local, &mut x);
                self.envs.load(b.local, &mut y);
                let joined = self
                    .universe
                    .join(cwolf_cwi::IntTy::INT, Kind::Free, x[0], y[0]);
                let scratch = |v: Value| Scratch {
                    local: vec![v],
                    global: Vec::new(),
                };
                (scratch(x[0]), scratch(y[0]), scratch(joined))
            }
            Point::Code { func, .. } | Point::Outside(func) => {
                let (x, y) = (self.open(a, func), self.open(b, func));
                let joined = self.context(func, cwolf_cwi::Body::ENTRY).join_envs(&x, &y);
                (x, y, joined)
            }
        };
        let mut joined = joined;
        if widen {
            let lists = [
                (&mut joined.local, &x.local, &y.local),
                (&mut joined.global, &x.global, &y.global),
            ];
            for (joined, x, y) in lists {
                for (n, v) in joined.iter_mut().enumerate() {
                    if x[n] != y[n] {
                        *v = Value::Top;
                    }
                }
            }
        }
        State {
            local: self.envs.intern(&joined.local),
            global: self.envs.intern(&joined.global),
            ..a
        }
    }
    fn live(&mut self, func: FuncId) -> &Liveness {
        let (program, layout, labels) = (self.program, &self.layout, self.labels);
        self.liveness
            .entry(func)
            .or_insert_with(|| Liveness::new(program, layout, labels, func))
    }
    /// The local environment of `func` as it is kept before statement `index` of a block.
    fn seal_local(
        &mut self,
        func: FuncId,
        block: BlockId,
        index: u32,
        mut local: Vec<Value>,
    ) -> u32 {
        let regs = self.layout.regs[func] as usize;
        for (n, cell) in self.layout.locals[func].iter().enumerate() {
            if cell.kind == Kind::Top {
                local[regs + n] = Value::Top;
            }
        }
        if !self.options.keep_dead {
            let live = self.live(func).at(block, index);
            for (v, live) in local.iter_mut().zip(live) {
                if !live {
                    *v = Value::Top;
                }
            }
        }
        self.envs.intern(&local)
    }
    fn seal_global(&mut self, mut global: Vec<Value>) -> u32 {
        for (v, cell) in global.iter_mut().zip(&self.layout.globals) {
            if cell.kind == Kind::Top {
                *v = Value::Top;
            }
        }
        self.envs.intern(&global)
    }
    /// The name of a block as the thesis writes it, with its function.
    fn block_name(&self, func: FuncId, block: BlockId) -> String {
        format!("{}:block_{}", self.program.funcs[func].name, block.index())
    }
}
