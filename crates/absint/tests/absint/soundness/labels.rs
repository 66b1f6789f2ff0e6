//! What a label map shows of a concrete run, worked out from the run alone.

use cwolf_absint::machine::with_object;
use cwolf_absint::map::{
    Event, LabelMap, Member, Part, Rule, Seen, Spot, accessed, is_own, objects_in,
};
use cwolf_cwi::value::{Value, is_true};
use cwolf_cwi::{
    Base, BinOp, Block, Branch, Callee, Expr, ExprKind, FuncId, LocId, Place, Program, RecordId,
    StmtKind, Type, VarId,
};
use cwolf_interp::{At, View};
use cwolf_known::Primitive;

/// A label that the model must show, or may if the run does not tell.
#[derive(Clone, Debug)]
pub struct Expected {
    text: Vec<Piece>,
    pub optional: bool,
}

#[derive(Clone, Debug)]
enum Piece {
    Text(String),
    /// Something that stands for this value.
    Value(Option<i128>),
}

impl Expected {
    /// Whether a label of the model is this one, or a pattern that means it.
    pub fn fits(&self, label: &str) -> bool {
        let label = cwolf_lts::Pattern::parse(label);
        let any = |v: &Option<i128>| v.is_none();
        let unknown = (self.text.iter()).any(|p| matches!(p, Piece::Value(v) if any(v)));
        let pieces = self.text.iter().map(|piece| match piece {
            Piece::Text(text) => cwolf_lts::Piece::Text(text.clone()),
            Piece::Value(Some(n)) => cwolf_lts::Piece::Text(n.to_string()),
            Piece::Value(None) => cwolf_lts::Piece::Hole(cwolf_lts::Values::Any),
        });
        let own = cwolf_lts::Pattern::new(pieces);
        match unknown {
            true => label.overlaps(&own),
            false => label.contains(own.text().expect("no holes")),
        }
    }
}

/// Where something is: a variable without an address, or bits of memory.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Area {
    Slot(VarId),
    Memory(u128, u128),
}

fn overlap(a: Area, b: Area) -> bool {
    match (a, b) {
        (Area::Slot(a), Area::Slot(b)) => a == b,
        (Area::Memory(a, b), Area::Memory(c, d)) => a < d && c < b,
        _ => false,
    }
}

/// What has begun and shows its labels when its effect is there.
enum Begun {
    Nothing,
    Assign {
        area: Option<Area>,
        objects: Vec<ObjectAt>,
        place: Place,
        from: LocId,
    },
    SetReg {
        from: LocId,
    },
    Branch {
        at: At,
    },
}

/// An object of a type that is touched, and its bits.
struct ObjectAt {
    record: RecordId,
    at: u64,
    from: u128,
    to: u128,
    /// Whether the model surely takes it for one, too: it may know an allocated object as bytes.
    sure: bool,
}

/// What a call of the library touches, if that is known, and whether it writes it.
type Touched = (Option<Area>, bool);

/// Follows a run and collects what is seen.
pub struct Labeller<'p> {
    program: &'p Program,
    rules: &'p LabelMap,
    begun: Begun,
    /// What was seen and not yet taken.
    pub seen: Vec<Expected>,
    /// Frames under way, by the block that called.
    calls: Vec<At>,
    /// Whether the guard of each exit rule held at the last branch, with its label.
    guards: Vec<(Option<bool>, Expected)>,
    /// The status with which the last branch may end the program.
    status: Option<i128>,
    /// What a call would show, by who is called.
    pending_calls: Vec<(Vec<FuncId>, Option<bool>, Expected)>,
    /// Nothing can be said about labels any more.
    pub lost: bool,
    /// The function of the library that is being called, and what it writes.
    library: Option<(FuncId, Vec<Touched>)>,
}

impl<'p> Labeller<'p> {
    pub fn new(program: &'p Program, rules: &'p LabelMap) -> Labeller<'p> {
        Labeller {
            program,
            rules,
            begun: Begun::Nothing,
            seen: Vec::new(),
            calls: Vec::new(),
            guards: Vec::new(),
            status: None,
            pending_calls: Vec::new(),
            lost: false,
            library: None,
        }
    }
    fn block(&self, at: At) -> &'p Block {
        let body = self.program.funcs[at.func].body.as_ref();
        &body.expect("it runs").blocks[at.block]
    }
    /// The run is at `at`: what was begun is done now.
    pub fn finish(&mut self, at: At, view: &View<'_, '_>) {
        let code = self.block(at);
        let here = code.stmts.get(at.index).map_or(code.loc, |s| s.loc);
        match std::mem::replace(&mut self.begun, Begun::Nothing) {
            Begun::Nothing => {}
            Begun::SetReg { from } => self.arrive(view, from, here),
            Begun::Assign {
                area,
                objects,
                place,
                from,
            } => {
                // A local may come to memory by its first write.
                let area = match area {
                    Some(Area::Slot(_)) => self.area(view, &place),
                    found => found,
                };
                self.written_perhaps(view, area, (true, objects));
                self.arrive(view, from, here);
            }
            Begun::Branch { at: before } => self.branched(view, before, at, here),
        }
    }
    /// The next thing begins.
    pub fn begin(&mut self, at: At, view: &View<'_, '_>) {
        let code = self.block(at);
        match code.stmts.get(at.index) {
            Some(stmt) => match &stmt.kind {
                StmtKind::Live(_)
                | StmtKind::Dead(_)
                | StmtKind::Assert { .. }
                | StmtKind::Assume(_)
                | StmtKind::Havoc { .. } => self.begun = Begun::SetReg { from: stmt.loc },
                StmtKind::SetReg(_, e) => {
                    self.read(view, &[e]);
                    self.begun = Begun::SetReg { from: stmt.loc };
                }
                StmtKind::Assign(place, e) => {
                    let mut operands = vec![e];
                    place.for_each_operand(&mut |e| operands.push(e));
                    self.read(view, &operands);
                    self.begun = Begun::Assign {
                        area: self.area(view, place),
                        objects: self.by_path(view, place),
                        place: place.clone(),
                        from: stmt.loc,
                    };
                }
            },
            None => {
                let mut operands = Vec::new();
                match &code.branch {
                    Branch::If { cond: e, .. }
                    | Branch::Switch { on: e, .. }
                    | Branch::Return(Some(e))
                    | Branch::Halt(e) => operands.push(e),
                    Branch::Call { callee, args, .. } => {
                        operands.extend(args);
                        if let Callee::Indirect(e) = callee {
                            operands.push(e);
                        }
                    }
                    _ => {}
                }
                self.read(view, &operands);
                match &code.branch {
                    Branch::Return(_) => self.fire(
                        view,
                        |event| matches!(event, Event::Return(f) if f.contains(&at.func)),
                    ),
                    Branch::Call {
                        callee: Callee::Direct(f),
                        ..
                    } if self.program.funcs[*f].body.is_none() => {
                        self.fire(view, |e| matches!(e, Event::Call(l) if l.contains(f)));
                        let Branch::Call { args, .. } = &code.branch else {
                            unreachable!("it is a call")
                        };
                        self.library = Some((*f, self.library_writes(view, *f, args)));
                    }
                    // Who is called is seen at the next step; the guards are read now.
                    Branch::Call { .. } => self.begin_call(view),
                    _ => {}
                }
                self.begun = Begun::Branch { at };
                self.guards = self.exit_guards(view);
                let status = match &code.branch {
                    Branch::Return(Some(e)) | Branch::Halt(e) => view.eval(e),
                    Branch::Call { args, .. } => args.first().and_then(|e| view.eval(e)),
                    _ => None,
                };
                self.status = match status {
                    Some(Value::Int(n)) => Some(n),
                    _ => None,
                };
            }
        }
    }
    /// What a function of the C library writes, and whether it surely does.
    fn library_writes(
        &self,
        view: &View<'_, '_>,
        f: FuncId,
        args: &[Expr],
    ) -> Vec<(Option<Area>, bool)> {
        let row = cwolf_known::lookup(&self.program.funcs[f].name);
        let Some(row) = row.filter(|row| row.accepts(args.len())) else {
            return Vec::new();
        };
        let number = |n: usize| match view.eval(args.get(n)?)? {
            Value::Int(n) => Some(n as u64),
            Value::Float(_) => None,
        };
        let mut params = row.writes_args();
        if let Some(format) = row.formatted()
            && let cwolf_known::FormatArgs::From(first) = format.args
        {
            params.extend(first..args.len());
        }
        let mut areas = Vec::new();
        for param in params {
            let Some(start) = number(param).filter(|n| *n != 0) else {
                continue;
            };
            let exact = match row.primitive() {
                Some(Primitive::Fill | Primitive::Copy | Primitive::Move) => number(2),
                _ => None,
            };
            let object = view.object(start).map(|(from, size)| from + size);
            let end = exact.map(|n| start + n).or(object);
            let area = end.map(|end| Area::Memory(u128::from(start) * 8, u128::from(end) * 8));
            if exact != Some(0) {
                areas.push((area.or(Some(Area::Memory(0, 0))), exact.is_some()));
            }
        }
        areas
    }
    /// A new run starts.
    pub fn reset(&mut self) {
        *self = Labeller::new(self.program, self.rules);
    }
    /// The run ended. Rules compare what the program passed on, not the byte that is left of
    /// it for a shell.
    pub fn ended(&mut self) {
        let Some(status) = self.status else {
            self.lost = true;
            return;
        };
        let mut certain = true;
        let exits = self.rules.rules.iter();
        let exits = exits.filter_map(|r| match &r.event {
            Event::Exit(test) => Some(test),
            _ => None,
        });
        for (test, (guard, label)) in exits.zip(std::mem::take(&mut self.guards)) {
            let holds = test.as_ref().is_none_or(|(op, n)| compare(*op, status, *n));
            if !holds || guard == Some(false) {
                continue;
            }
            let optional = guard.is_none() || !certain;
            self.seen.push(Expected { optional, ..label });
            if guard == Some(true) {
                return;
            }
            certain = false;
        }
    }
    fn exit_guards(&self, view: &View<'_, '_>) -> Vec<(Option<bool>, Expected)> {
        let exits = self.rules.rules.iter();
        let exits = exits.filter(|r| matches!(r.event, Event::Exit(_)));
        exits
            .map(|r| (self.holds(view, r.when.as_ref()), self.label(view, r)))
            .collect()
    }
    fn begin_call(&mut self, view: &View<'_, '_>) {
        self.pending_calls.clear();
        for rule in &self.rules.rules {
            if let Event::Call(funcs) = &rule.event {
                let holds = self.holds(view, rule.when.as_ref());
                let label = self.label(view, rule);
                self.pending_calls.push((funcs.clone(), holds, label));
            }
        }
    }
    fn branched(&mut self, view: &View<'_, '_>, before: At, at: At, here: LocId) {
        let code = self.block(before);
        match &code.branch {
            // A jump leaves frames without a return.
            Branch::Call { .. } if at.depth < before.depth => {
                self.calls.retain(|call| call.depth < at.depth);
                self.library = None;
                self.arrive(view, code.loc, here);
            }
            Branch::Call { .. } if at.depth > before.depth => {
                self.calls.push(before);
                for (funcs, holds, label) in std::mem::take(&mut self.pending_calls) {
                    if funcs.contains(&at.func) && holds != Some(false) {
                        let optional = holds.is_none();
                        self.seen.push(Expected { optional, ..label });
                    }
                }
                for param in &self.program.funcs[at.func].params {
                    let place = Place::var(self.program.vars[*param].ty, *param);
                    self.written(view, self.area(view, &place));
                }
                self.arrive(view, code.loc, here);
            }
            Branch::Call { .. } if self.library.is_some() => {
                let (f, areas) = self.library.take().expect("it is there");
                for (area, certain) in areas {
                    self.written_perhaps(view, area, (certain, Vec::new()));
                }
                // Known functions have no step of their own to return from.
                if !self.program.funcs[f].name.starts_with("__VERIFIER_assume") {
                    self.fire(view, |e| matches!(e, Event::Return(l) if l.contains(&f)));
                }
                self.arrive(view, code.loc, here);
            }
            Branch::Return(_) => {
                let Some(call) = self.calls.pop() else {
                    return;
                };
                self.arrive(view, self.block(call).loc, here);
            }
            _ => self.arrive(view, code.loc, here),
        }
    }
    fn arrive(&mut self, view: &View<'_, '_>, from: LocId, to: LocId) {
        let (before, after) = (self.program.locations[from], self.program.locations[to]);
        if (before.file, before.line) == (after.file, after.line) {
            return;
        }
        self.fire(view, |event| {
            matches!(event, Event::Exec(files, line)
                if files.contains(&after.file) && *line == after.line)
        });
    }
    fn fire(&mut self, view: &View<'_, '_>, happens: impl Fn(&Event) -> bool) {
        for rule in self.rules.rules.iter().filter(|r| happens(&r.event)) {
            let holds = self.holds(view, rule.when.as_ref());
            if holds != Some(false) {
                let optional = holds.is_none();
                let label = self.label(view, rule);
                self.seen.push(Expected { optional, ..label });
            }
        }
    }
    fn read(&mut self, view: &View<'_, '_>, operands: &[&Expr]) {
        let mut areas = Vec::new();
        for e in operands {
            self.reads(view, e, &mut areas);
        }
        let mut objects = Vec::new();
        for e in operands {
            let mut places = Vec::new();
            e.walk(&mut |e| {
                if let ExprKind::Load { place, .. } = &e.kind {
                    places.push(place);
                }
            });
            for place in places {
                // Only what was read, as far as that is known.
                if self.area(view, place).is_some_and(|a| areas.contains(&a)) {
                    objects.extend(self.by_path(view, place));
                }
            }
        }
        for area in &areas {
            objects.extend(self.by_layout(view, *area));
        }
        let rules = self.about(&objects);
        let hit = |seen: &Seen| {
            if !seen.members.is_empty() {
                return true;
            }
            let spots = self.spots(view, seen).into_iter();
            let mut hits = spots.flat_map(|s| areas.iter().map(move |a| overlap(*a, s)));
            hits.any(|hit| hit)
        };
        let mut found = Vec::new();
        for (rule, sure) in &rules {
            if let Event::Read(spots) = &rule.event
                && hit(spots)
            {
                let holds = self.holds(view, rule.when.as_ref());
                if holds != Some(false) {
                    let optional = holds.is_none() || !sure;
                    let label = self.label(view, rule);
                    found.push(Expected { optional, ..label });
                }
            }
        }
        self.seen.extend(found);
    }
    /// The areas that an expression reads here.
    fn reads(&mut self, view: &View<'_, '_>, e: &Expr, areas: &mut Vec<Area>) {
        match &e.kind {
            ExprKind::Binary(op @ (BinOp::And | BinOp::Or), left, right) => {
                self.reads(view, left, areas);
                let types = &self.program.types;
                match view.eval(left).map(|v| is_true(types, left.ty, v)) {
                    Some(truth) if truth == (*op == BinOp::Or) => {}
                    Some(_) => self.reads(view, right, areas),
                    None => self.lost = true,
                }
                return;
            }
            ExprKind::Load { place, .. } => match self.area(view, place) {
                Some(area) => areas.push(area),
                None => self.lost = true,
            },
            _ => {}
        }
        e.for_each_operand(&mut |e| self.reads(view, e, areas));
    }
    fn written(&mut self, view: &View<'_, '_>, area: Option<Area>) {
        self.written_perhaps(view, area, (true, Vec::new()));
    }
    fn written_perhaps(
        &mut self,
        view: &View<'_, '_>,
        area: Option<Area>,
        (certain, mut objects): (bool, Vec<ObjectAt>),
    ) {
        let Some(area) = area else {
            self.lost = true;
            return;
        };
        objects.extend(self.by_layout(view, area));
        let rules = self.about(&objects);
        let hit = |seen: &Seen| {
            let mut spots = self.spots(view, seen).into_iter();
            match seen.members.is_empty() {
                true => spots.any(|s| overlap(area, s)),
                false => true,
            }
        };
        let mut found = Vec::new();
        for (rule, sure) in &rules {
            if let Event::Write(spots) = &rule.event
                && hit(spots)
            {
                let holds = self.holds(view, rule.when.as_ref());
                if holds != Some(false) {
                    let optional = holds.is_none() || !certain || !sure;
                    let label = self.label(view, rule);
                    found.push(Expected { optional, ..label });
                }
            }
        }
        let mut certain = certain;
        for (rule, certainly) in &rules {
            if let Event::Watch(spots, condition) = &rule.event
                && hit(spots)
            {
                let both = [condition.as_ref(), rule.when.as_ref()];
                let both = both.map(|c| self.holds(view, c));
                if both.contains(&Some(false)) {
                    continue;
                }
                let sure = both == [Some(true); 2] && *certainly;
                let label = self.label(view, rule);
                let optional = !sure || !certain;
                found.push(Expected { optional, ..label });
                if sure {
                    break;
                }
                certain = false;
            }
        }
        self.seen.extend(found);
    }
    /// The rules, those about types with the object that is touched; without those that are about no object at hand.
    fn about(&self, objects: &[ObjectAt]) -> Vec<(Rule, bool)> {
        let mut found = Vec::new();
        for rule in &self.rules.rules {
            let members: &[Member] = match &rule.event {
                Event::Read(seen) | Event::Write(seen) | Event::Watch(seen, _) => &seen.members,
                _ => &[],
            };
            if members.is_empty() {
                found.push((rule.clone(), true));
                continue;
            }
            let hit = |o: &&ObjectAt| {
                let inside = |m: &Member| {
                    m.record == o.record && u128::from(m.from) < o.to && o.from < u128::from(m.to)
                };
                members.iter().any(inside)
            };
            let sure = objects.iter().filter(hit).find(|o| o.sure);
            if let Some(object) = sure.or(objects.iter().find(hit)) {
                let types = &self.program.types;
                let ty = types.lookup(&Type::Record(object.record));
                let ty = ty.and_then(|ty| types.lookup(&Type::Pointer(ty)));
                let address = Expr::int(ty.expect("a rule has it"), object.at.into());
                found.push((with_object(rule, &address), object.sure));
            }
        }
        found
    }
    /// The types that rules are about.
    fn records(&self) -> Vec<RecordId> {
        let seen = self.rules.rules.iter().filter_map(|r| match &r.event {
            Event::Read(seen) | Event::Write(seen) | Event::Watch(seen, _) => Some(seen),
            _ => None,
        });
        seen.flat_map(|s| s.members.iter().map(|m| m.record))
            .collect()
    }
    /// The objects that an access is to by its path.
    fn by_path(&mut self, view: &View<'_, '_>, place: &Place) -> Vec<ObjectAt> {
        let mut found = Vec::new();
        for record in self.records() {
            if let Base::Deref(_) = place.base
                && let Some((object, from, to)) = accessed(self.program, place, record)
            {
                match view.locate(&object) {
                    Some((at, _)) => found.push(ObjectAt {
                        record,
                        at,
                        from: from.into(),
                        to: to.into(),
                        sure: true,
                    }),
                    None => self.lost = true,
                }
            }
        }
        found
    }
    /// The objects in an area, by the types of variables. All that these programs allocate are nodes.
    fn by_layout(&self, view: &View<'_, '_>, area: Area) -> Vec<ObjectAt> {
        let Area::Memory(from, to) = area else {
            return Vec::new();
        };
        let types = &self.program.types;
        let mut found = Vec::new();
        for record in self.records() {
            let ty = types.lookup(&Type::Record(record)).expect("a rule has it");
            let size = u128::from(types.size_of(ty)) * 8;
            let mut add = |at: u128, sure: bool| {
                if at < to && from < at + size {
                    found.push(ObjectAt {
                        record,
                        at: (at / 8) as u64,
                        from: from.saturating_sub(at),
                        to: (to - at).min(size),
                        sure,
                    });
                }
            };
            let first = (from / 8) as u64;
            match (view.variable_at(first), view.object(first)) {
                (Some((var, offset)), _) if is_own(&self.program.vars[var]) => {
                    let start = u128::from(first - offset) * 8;
                    let ty = self.program.vars[var].ty;
                    let list = objects_in(types, ty, record).unwrap_or_default();
                    list.into_iter()
                        .for_each(|at| add(start + u128::from(at), true));
                }
                (None, Some((start, _))) if types.records[record].name == "node" => {
                    add(u128::from(start) * 8, false);
                }
                _ => {}
            }
        }
        found
    }
    fn holds(&self, view: &View<'_, '_>, condition: Option<&Expr>) -> Option<bool> {
        let Some(e) = condition else {
            return Some(true);
        };
        Some(is_true(&self.program.types, e.ty, view.eval(e)?))
    }
    fn label(&self, view: &View<'_, '_>, rule: &Rule) -> Expected {
        let piece = |part: &Part| match part {
            Part::Text(text) => Piece::Text(text.clone()),
            Part::Value(e) => Piece::Value(match view.eval(e) {
                Some(Value::Int(n)) => Some(n),
                _ => None,
            }),
        };
        Expected {
            text: rule.label.iter().map(piece).collect(),
            optional: false,
        }
    }
    fn area(&self, view: &View<'_, '_>, place: &Place) -> Option<Area> {
        if let Base::Var(var) = place.base
            && view.address(var).is_none()
        {
            return Some(Area::Slot(var));
        }
        let (addr, bits) = view.locate(place)?;
        let from = u128::from(addr) * 8 + u128::from(bits.unwrap_or(0));
        let size = match self.program.types.as_int(place.ty) {
            Some(int) => u128::from(int.bits),
            None => u128::from(self.program.types.size_of(place.ty)) * 8,
        };
        Some(Area::Memory(from, from + size))
    }
    fn spots(&self, view: &View<'_, '_>, seen: &Seen) -> Vec<Area> {
        let fixed = seen.fixed.iter().filter_map(|s| self.spot(view, s));
        let through = seen.through.iter().filter_map(|p| self.area(view, p));
        fixed.chain(through).collect()
    }
    fn spot(&self, view: &View<'_, '_>, spot: &Spot) -> Option<Area> {
        match view.address(spot.var) {
            Some(addr) => {
                let base = u128::from(addr) * 8;
                Some(Area::Memory(
                    base + u128::from(spot.from),
                    base + u128::from(spot.to),
                ))
            }
            None => Some(Area::Slot(spot.var)),
        }
    }
}

fn compare(op: BinOp, a: i128, b: i128) -> bool {
    match op {
        BinOp::Eq => a == b,
        BinOp::Ne => a != b,
        BinOp::Lt => a < b,
        BinOp::Le => a <= b,
        BinOp::Gt => a > b,
        BinOp::Ge => a >= b,
        _ => unreachable!("exit takes comparisons"),
    }
}
