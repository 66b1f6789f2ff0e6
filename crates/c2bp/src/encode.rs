//! From expressions to terms: the value of an expression in a state, over symbols for what the
//! state holds. States are the one before a statement (or a region of statements) and those after
//! each of its writes; [`crate::wp`] keeps the writes.

use crate::options::Arith;
use crate::place::{Class, Location, Region};
use crate::wp::Write;
use cwolf_cwi::graph::{Object, PointsTo};
use cwolf_cwi::{
    Base, BinOp, BlockId, Definition, Expr, ExprKind, FuncId, IntTy, Place, Program, Step, Type,
    TypeId, UnOp, VarId,
};
use cwolf_encode::operators;
use cwolf_logic::{Sort, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// The width that unbounded integers have as bit-vectors; what [`crate::small_model`] finds for
/// the linear terms of a question must fit.
pub(crate) const INTEGER_WIDTH: u16 = 64;
/// Integers stay below 2 to this, so that no sum of a question overflows.
pub(crate) const INTEGER_BITS: u16 = 52;

/// The width of pointers where they are only copied, compared for equality and followed to fields:
/// then it only matters how many different ones there can be.
pub(crate) const NARROW: u16 = 16;
/// The largest record whose fields narrow pointers lead to.
const NARROW_RECORD: u64 = 512;

/// Makes terms for one function. The same location in the state before is always the same term.
pub struct Encoder<'p> {
    pub(crate) program: &'p Program,
    pub(crate) points_to: &'p PointsTo,
    pub(crate) func: FuncId,
    /// The block whose statements are looked at, which matters for the result of a call.
    pub(crate) block: BlockId,
    pub(crate) arith: Arith,
    /// Pointers are [`NARROW`].
    pub(crate) narrow: bool,
    /// The terms.
    pub terms: Terms,
    /// Facts about symbols, in the order of their discovery.
    pub(crate) axioms: Vec<Term>,
    /// Writes since the state before, oldest first.
    pub(crate) writes: Vec<Write>,
    taken: &'p FxHashSet<VarId>,
    known: FxHashSet<Term>,
    /// Addresses of variables and functions with sizes.
    addresses: FxHashMap<Term, u64>,
    pub(crate) arrays: FxHashSet<Term>,
    havocs: u32,
}

/// The variables that pointers may point to.
pub(crate) fn address_taken(program: &Program) -> FxHashSet<VarId> {
    let mut taken = program.address_taken();
    for (id, var) in program.vars.enumerate() {
        for item in &var.init {
            if let cwolf_cwi::InitValue::Addr(v, _) = item.value {
                taken.insert(v);
            }
        }
        // Code that the program does not show may know it.
        if var.definition == Definition::Declared {
            taken.insert(id);
        }
    }
    taken
}

/// Whether pointers can be narrow in a function: no arithmetic on them, no order, no conversion
/// to or from numbers, no parts of arrays behind them, no records copied.
pub(crate) fn can_be_narrow<'e>(
    program: &Program,
    taken: &FxHashSet<VarId>,
    func: FuncId,
    conditions: impl Iterator<Item = &'e Expr>,
) -> bool {
    let types = &program.types;
    let pointer = |ty: TypeId| matches!(types[ty], Type::Pointer(_));
    let small = types.records.iter().all(|r| r.size <= NARROW_RECORD);
    let mut fine = small;
    let indexed = |place: &Place| {
        let memory = match place.base {
            Base::Var(v) => taken.contains(&v),
            Base::Deref(_) => true,
        };
        memory && place.path.iter().any(|s| matches!(s, Step::Index(_)))
    };
    let mut look = |e: &Expr| {
        e.walk(&mut |e| {
            fine &= match &e.kind {
                ExprKind::Int(n) => !pointer(e.ty) || (0..16).contains(n),
                ExprKind::PtrAdd { .. } | ExprKind::PtrDiff { .. } | ExprKind::VarArgs => false,
                ExprKind::Cast(a) => pointer(e.ty) == pointer(a.ty),
                ExprKind::Load { place, .. } => !indexed(place),
                ExprKind::AddrOf(place) => place.path.is_empty(),
                ExprKind::Binary(op, a, _) => {
                    matches!(op, BinOp::Eq | BinOp::Ne | BinOp::And | BinOp::Or) || !pointer(a.ty)
                }
                _ => true,
            };
        });
    };
    for block in program.funcs[func]
        .body
        .iter()
        .flat_map(|b| b.blocks.iter())
    {
        block.for_each_expr(&mut look);
    }
    conditions.for_each(&mut look);
    for block in program.funcs[func]
        .body
        .iter()
        .flat_map(|b| b.blocks.iter())
    {
        for stmt in &block.stmts {
            if let cwolf_cwi::StmtKind::Assign(place, _) = &stmt.kind {
                fine &= types.is_scalar(place.ty) && !indexed(place);
            }
        }
    }
    fine
}

impl<'p> Encoder<'p> {
    pub(crate) fn new(
        program: &'p Program,
        points_to: &'p PointsTo,
        taken: &'p FxHashSet<VarId>,
        func: FuncId,
        arith: Arith,
        narrow: bool,
    ) -> Encoder<'p> {
        Encoder {
            program,
            points_to,
            func,
            block: BlockId(0),
            arith,
            narrow,
            terms: Terms::new(),
            axioms: Vec::new(),
            writes: Vec::new(),
            taken,
            known: FxHashSet::default(),
            addresses: FxHashMap::default(),
            arrays: FxHashSet::default(),
            havocs: 0,
        }
    }
    /// The width of an address or of an index.
    pub(crate) fn word(&self) -> u16 {
        match self.arith {
            Arith::Bits if self.narrow => NARROW,
            Arith::Bits => self.program.target().pointer_bits(),
            Arith::Integers => INTEGER_WIDTH,
        }
    }
    /// The width of a scalar of this type.
    pub(crate) fn width(&self, ty: TypeId) -> u16 {
        match &self.program.types[ty] {
            Type::Float(f) => f.bits(),
            _ if self.arith == Arith::Integers => INTEGER_WIDTH,
            Type::Bool => 8,
            Type::Int(int) => int.bits,
            _ => self.word(),
        }
    }
    fn is_float(&self, ty: TypeId) -> bool {
        matches!(self.program.types[ty], Type::Float(_))
    }
    fn is_signed(&self, ty: TypeId) -> bool {
        matches!(
            self.program.types[ty],
            Type::Int(IntTy { signed: true, .. })
        )
    }
    fn number(&mut self, width: u16, value: i128) -> Term {
        self.terms.bv(width, value as u128)
    }
    /// A symbol for any value of a type.
    pub(crate) fn unknown(&mut self, ty: TypeId) -> Term {
        self.havocs += 1;
        let name = format!("any#{}", self.havocs);
        let width = self.width(ty);
        let symbol = self.terms.constant(&name, Sort::Bv(width));
        self.typed(symbol, ty);
        symbol
    }
    /// Adds what the type says about a symbol.
    fn typed(&mut self, symbol: Term, ty: TypeId) {
        if !self.known.insert(symbol) {
            return;
        }
        let width = self.terms.width(symbol);
        let natural = match self.program.types[ty] {
            Type::Float(_) => return,
            Type::Bool => {
                let two = self.number(width, 2);
                let fact = self.terms.ult(symbol, two);
                self.axioms.push(fact);
                return;
            }
            Type::Int(int) => !int.signed,
            _ => true,
        };
        if self.arith == Arith::Integers {
            let most = self.number(width, 1 << INTEGER_BITS);
            let least = match natural {
                true => self.number(width, 0),
                false => self.terms.neg(most),
            };
            let (a, b) = (self.terms.sle(least, symbol), self.terms.sle(symbol, most));
            self.axioms.extend([a, b]);
        }
    }
    /// The address of something that has one of its own.
    fn own_address(&mut self, name: &str, size: u64) -> Term {
        let width = self.word();
        let symbol = self.terms.constant(name, Sort::Bv(width));
        if self.addresses.contains_key(&symbol) {
            return symbol;
        }
        // Not null, not wrapping around, and apart from all others.
        if self.narrow {
            let zero = self.number(width, 0);
            let mut others: Vec<Term> = self.addresses.keys().copied().collect();
            others.sort_unstable();
            for other in others.into_iter().chain([zero]) {
                let fact = self.terms.ne(symbol, other);
                self.axioms.push(fact);
            }
            self.addresses.insert(symbol, size);
            self.known.insert(symbol);
            return symbol;
        }
        let least = self.number(width, 1);
        let most = self.number(width, 1 << (width.min(52) - 2));
        let (a, b) = (self.terms.sle(least, symbol), self.terms.sle(symbol, most));
        self.axioms.extend([a, b]);
        let mut others: Vec<(Term, u64)> = self.addresses.iter().map(|(t, s)| (*t, *s)).collect();
        others.sort_unstable();
        for (other, length) in others {
            let end = self.number(width, size.max(1).into());
            let end = self.terms.add(symbol, end);
            let before = self.terms.sle(end, other);
            let end = self.number(width, length.max(1).into());
            let end = self.terms.add(other, end);
            let after = self.terms.sle(end, symbol);
            let fact = self.terms.or(before, after);
            self.axioms.push(fact);
        }
        self.addresses.insert(symbol, size);
        self.known.insert(symbol);
        symbol
    }
    /// Whether `symbol` is the address of a variable or function.
    pub(crate) fn is_address(&self, symbol: Term) -> bool {
        self.addresses.contains_key(&symbol)
    }
    pub(crate) fn is_taken(&self, var: VarId) -> bool {
        self.taken.contains(&var)
    }
    /// How a place of this type is stored, if its last step is `field`.
    fn class(&self, ty: TypeId, field: Option<(cwolf_cwi::RecordId, u32)>) -> Class {
        let types = &self.program.types;
        if let Some((r, f)) = field
            && types.records[r].fields[f as usize].bit_field
        {
            return Class::Bits(r, f);
        }
        let size = types.size_of(ty);
        match types[ty] {
            Type::Float(_) => Class::Float(size),
            _ if types.is_scalar(ty) => Class::Word(size),
            _ => Class::Whole(size),
        }
    }
    /// The location of a place in the state after the first `at` writes.
    pub(crate) fn locate(&mut self, place: &Place, at: usize) -> Location {
        let types = &self.program.types;
        let (region, mut address, mut ty, objects) = match &place.base {
            Base::Var(v) => {
                let var = &self.program.vars[*v];
                let (ty, size) = (var.ty, types.size_of(var.ty) + var.extra);
                match self.is_taken(*v) {
                    true => {
                        let address = self.own_address(&format!("&{}", v.0), size);
                        (Region::Memory, address, ty, vec![Object::Var(*v)])
                    }
                    false => {
                        let zero = self.number(self.word(), 0);
                        (Region::Var(*v), zero, ty, Vec::new())
                    }
                }
            }
            Base::Deref(pointer) => {
                let ty = types.pointee(pointer.ty).unwrap_or(place.ty);
                let objects = self.points_to.expr(self.func, self.block, pointer);
                let address = self.value(pointer, at);
                let address = self.resize(self.word(), false, address);
                (Region::Memory, address, ty, objects)
            }
        };
        let mut field = None;
        let mut last = None;
        let mut in_union = false;
        let mut prefixes = vec![(ty, address)];
        for step in &place.path {
            match (step, &self.program.types[ty]) {
                (Step::Field(n), Type::Record(r)) => {
                    let r = *r;
                    let record = &self.program.types.records[r];
                    in_union |= record.kind == cwolf_cwi::RecordKind::Union;
                    let f = &record.fields[*n as usize];
                    let offset = i128::from(f.bit_offset / 8);
                    ty = f.ty;
                    let offset = self.number(self.word(), offset);
                    address = self.terms.add(address, offset);
                    field = Some((r, *n));
                    last = field;
                }
                (Step::Index(i), Type::Array { elem, .. }) => {
                    let elem = *elem;
                    let size = self.program.types.size_of(elem);
                    let signed = self.is_signed(i.ty);
                    let index = self.value(i, at);
                    let index = self.resize(self.word(), signed, index);
                    let size = self.number(self.word(), size.into());
                    let offset = self.terms.mul(index, size);
                    address = self.terms.add(address, offset);
                    ty = elem;
                    last = None;
                }
                _ => {}
            }
            prefixes.push((ty, address));
        }
        prefixes.pop();
        // By field and address of the record: sums of addresses are hard on the solver.
        let record = match (region, last) {
            (Region::Memory, Some(_)) if !in_union => prefixes.last().map(|(_, start)| *start),
            _ => None,
        };
        Location {
            region,
            address,
            ty: place.ty,
            class: self.class(place.ty, last),
            objects,
            field,
            in_union,
            record,
            prefixes,
        }
    }
    /// The location of a register.
    pub(crate) fn register(&mut self, reg: cwolf_cwi::RegId, ty: TypeId) -> Location {
        Location {
            region: Region::Reg(reg),
            address: self.number(self.word(), 0),
            ty,
            class: self.class(ty, None),
            objects: Vec::new(),
            field: None,
            in_union: false,
            record: None,
            prefixes: Vec::new(),
        }
    }
    /// What a location holds in the state before all writes.
    pub(crate) fn initial(&mut self, location: &Location) -> Term {
        let (width, class) = (self.width(location.ty), location.class.name());
        let index = location.record.unwrap_or(location.address);
        let constant = self.terms.as_bv(index);
        if location.region == Region::Memory && constant.is_some_and(|a| a < 4096) {
            // What a null pointer points to has no value.
            return self.unknown(location.ty);
        }
        let name = match location.region {
            Region::Memory => match (location.record, location.field) {
                (Some(_), Some((r, f))) => format!("fld{}.{f}:{class}", r.0),
                _ => format!("mem{class}"),
            },
            Region::Var(v) => format!("v{}:{class}", v.0),
            Region::Reg(r) => format!("r{}:{class}", r.0),
        };
        // Elements of an array need not be known by number; nothing else needs an array.
        let array = match location.region {
            Region::Memory => true,
            Region::Var(v) => self.has_array(self.program.vars[v].ty),
            Region::Reg(_) => false,
        };
        let symbol = match (array, constant) {
            (false, Some(offset)) => {
                let name = format!("{name}@{offset}.{width}");
                self.terms.constant(&name, Sort::Bv(width))
            }
            _ => {
                let sort = Sort::Array {
                    index: self.word(),
                    elem: width,
                };
                let array = self.terms.constant(&format!("{name}.{width}"), sort);
                self.arrays.insert(array);
                self.terms.select(array, index)
            }
        };
        self.typed(symbol, location.ty);
        symbol
    }
    fn has_array(&self, ty: TypeId) -> bool {
        let types = &self.program.types;
        match &types[ty] {
            Type::Array { .. } => true,
            Type::Record(r) => types.records[*r]
                .fields
                .iter()
                .any(|f| self.has_array(f.ty)),
            _ => false,
        }
    }
    fn resize(&mut self, width: u16, signed: bool, term: Term) -> Term {
        match self.arith {
            Arith::Bits => self.terms.resize(width, signed, term),
            Arith::Integers => term,
        }
    }
    /// An application of an operator that is not interpreted.
    fn opaque(&mut self, name: &str, ty: TypeId, operands: &[Term]) -> Term {
        let width = self.width(ty);
        let numbers: Vec<String> = operands.iter().map(|t| t.0.to_string()).collect();
        let widths: u16 = operands.iter().map(|t| self.terms.width(*t)).sum();
        let result = if widths <= 128 && !operands.is_empty() {
            // A table, so that equal operands give equal results.
            let mut index = operands[0];
            for &more in &operands[1..] {
                index = self.terms.concat(index, more);
            }
            let sort = Sort::Array {
                index: widths,
                elem: width,
            };
            let table = self
                .terms
                .constant(&format!("op {name}.{widths}.{width}"), sort);
            self.arrays.insert(table);
            self.terms.select(table, index)
        } else {
            let name = format!("op {name}({}).{width}", numbers.join(","));
            self.terms.constant(&name, Sort::Bv(width))
        };
        self.typed(result, ty);
        result
    }
    /// The value of a scalar expression in the state after the first `at` writes.
    pub(crate) fn value(&mut self, e: &Expr, at: usize) -> Term {
        let width = self.width(e.ty);
        match &e.kind {
            ExprKind::Int(n) => self.number(width, *n),
            ExprKind::Float(bits) => self.terms.bv(width, *bits),
            ExprKind::Zero => self.number(width, 0),
            ExprKind::Choose | ExprKind::Load { volatile: true, .. } => self.unknown(e.ty),
            ExprKind::Memory(..) | ExprKind::Fits(_) => self.unknown(e.ty),
            ExprKind::Reg(reg) => {
                let location = self.register(*reg, e.ty);
                self.read(&location, at)
            }
            ExprKind::Load { place, .. } => {
                let location = self.locate(place, at);
                self.read(&location, at)
            }
            ExprKind::AddrOf(place) => self.address(place, at),
            ExprKind::FuncAddr(f) => self.own_address(&format!("&f{}", f.0), 1),
            ExprKind::VarArgs => self.own_address("&...", 1 << 16),
            ExprKind::Unary(UnOp::Not, _) => self.truth_value(e, at),
            ExprKind::Binary(op, ..) if op.is_test() => self.truth_value(e, at),
            ExprKind::Unary(op, a) => {
                let x = self.value(a, at);
                self.unary(*op, e.ty, x)
            }
            ExprKind::Binary(op, a, b) => {
                let (x, y) = (self.value(a, at), self.value(b, at));
                self.binary(*op, e.ty, a.ty, x, y)
            }
            ExprKind::Cast(a) => {
                let x = self.value(a, at);
                self.convert(e.ty, a, x, at)
            }
            ExprKind::PtrAdd { ptr, index, scale } => {
                let (p, i) = (self.value(ptr, at), self.value(index, at));
                let bytes = operators::bytes_of_steps(&mut self.terms, width, i, *scale);
                self.terms.add(p, bytes)
            }
            ExprKind::PtrDiff { left, right, scale } => {
                let (x, y) = (self.value(left, at), self.value(right, at));
                let bytes = self.terms.sub(x, y);
                if *scale == 1 {
                    return self.resize(width, true, bytes);
                }
                match self.arith {
                    Arith::Bits => {
                        let steps = operators::steps_of_bytes(&mut self.terms, bytes, *scale);
                        self.resize(width, true, steps)
                    }
                    // Pointers into one array are whole steps apart.
                    Arith::Integers => {
                        let steps = self.opaque(&format!("steps{scale}"), e.ty, &[bytes]);
                        let scale = self.number(width, i128::from(*scale));
                        let product = self.terms.mul(steps, scale);
                        let fact = self.terms.eq(product, bytes);
                        if self.known.insert(fact) {
                            self.axioms.push(fact);
                        }
                        steps
                    }
                }
            }
        }
    }
    fn address(&mut self, place: &Place, at: usize) -> Term {
        if let Base::Var(v) = place.base
            && !self.is_taken(v)
        {
            // Only a predicate takes its address, and no pointer holds it.
            let var = &self.program.vars[v];
            let size = self.program.types.size_of(var.ty) + var.extra;
            let start = self.own_address(&format!("&{}", v.0), size);
            let offset = self.locate(place, at).address;
            return self.terms.add(start, offset);
        }
        self.locate(place, at).address
    }
    fn truth_value(&mut self, e: &Expr, at: usize) -> Term {
        let width = self.width(e.ty);
        let truth = self.truth(e, at);
        self.terms.from_bool(width, truth)
    }
    fn unary(&mut self, op: UnOp, ty: TypeId, x: Term) -> Term {
        match op {
            _ if self.is_float(ty) => self.opaque("fneg", ty, &[x]),
            _ if self.arith == Arith::Bits => operators::unary(&mut self.terms, op, x),
            UnOp::Neg => self.terms.neg(x),
            // In two's complement ~x is -x - 1, whatever the width.
            _ => {
                let negated = self.terms.neg(x);
                let one = self.number(self.terms.width(x), 1);
                self.terms.sub(negated, one)
            }
        }
    }
    fn binary(&mut self, op: BinOp, ty: TypeId, left: TypeId, x: Term, y: Term) -> Term {
        match self.arith {
            _ if self.is_float(left) => self.opaque(&format!("f{}", op.symbol()), ty, &[x, y]),
            Arith::Integers => self.linear(op, ty, x, y),
            Arith::Bits => {
                let int = IntTy::new(self.terms.width(x), self.is_signed(left));
                operators::binary(&mut self.terms, op, int, x, y)
            }
        }
    }
    /// An operator on unbounded integers.
    fn linear(&mut self, op: BinOp, ty: TypeId, x: Term, y: Term) -> Term {
        let constant = |t: Term| self.terms.as_signed(t);
        let small = |n: i128| n.unsigned_abs() <= 1 << 32;
        match (op, constant(x), constant(y)) {
            (BinOp::Add, ..) => self.terms.add(x, y),
            (BinOp::Sub, ..) => self.terms.sub(x, y),
            (BinOp::Mul, Some(n), _) | (BinOp::Mul, _, Some(n)) if small(n) => self.terms.mul(x, y),
            (BinOp::Shl, _, Some(n)) if (0..32).contains(&n) => {
                let factor = self.number(self.terms.width(x), 1 << n);
                self.terms.mul(x, factor)
            }
            _ => self.opaque(op.symbol(), ty, &[x, y]),
        }
    }
    fn convert(&mut self, to: TypeId, from: &Expr, x: Term, at: usize) -> Term {
        let width = self.width(to);
        if matches!(self.program.types[to], Type::Bool) {
            let truth = self.truth(from, at);
            return self.terms.from_bool(width, truth);
        }
        match (self.is_float(from.ty), self.is_float(to)) {
            (false, false) => {
                let signed = self.is_signed(from.ty);
                self.resize(width, signed, x)
            }
            _ => {
                let name = format!("convert {} {}", from.ty.0, to.0);
                self.opaque(&name, to, &[x])
            }
        }
    }
    /// Whether a scalar expression is not zero or null, as a boolean term.
    pub(crate) fn truth(&mut self, e: &Expr, at: usize) -> Term {
        match &e.kind {
            ExprKind::Unary(UnOp::Not, a) => {
                let inner = self.truth(a, at);
                self.terms.not(inner)
            }
            ExprKind::Binary(BinOp::And, a, b) => {
                let (x, y) = (self.truth(a, at), self.truth(b, at));
                self.terms.and(x, y)
            }
            ExprKind::Binary(BinOp::Or, a, b) => {
                let (x, y) = (self.truth(a, at), self.truth(b, at));
                self.terms.or(x, y)
            }
            ExprKind::Binary(op, a, b) if op.is_comparison() => {
                let (x, y) = (self.value(a, at), self.value(b, at));
                self.compare(*op, a.ty, x, y)
            }
            // `(x < y) != 0` and conversions of it.
            ExprKind::Cast(a) if !self.is_float(e.ty) && !self.is_float(a.ty) => {
                let narrows = self.width(e.ty) < self.width(a.ty);
                match narrows && !matches!(self.program.types[e.ty], Type::Bool) {
                    false => self.truth(a, at),
                    true => {
                        let x = self.value(e, at);
                        self.terms.nonzero(x)
                    }
                }
            }
            _ => {
                let x = self.value(e, at);
                match self.is_float(e.ty) {
                    // A zero may have a sign.
                    true => {
                        let answer = self.opaque("nonzero", cwolf_cwi::Types::BOOL, &[x]);
                        self.terms.nonzero(answer)
                    }
                    false => self.terms.nonzero(x),
                }
            }
        }
    }
    fn compare(&mut self, op: BinOp, ty: TypeId, x: Term, y: Term) -> Term {
        if self.is_float(ty) {
            let name = format!("f{}", op.symbol());
            let answer = self.opaque(&name, cwolf_cwi::Types::BOOL, &[x, y]);
            return self.terms.nonzero(answer);
        }
        let signed = self.is_signed(ty) || self.arith == Arith::Integers;
        operators::compare(&mut self.terms, op, signed, x, y).expect("a comparison")
    }
}
