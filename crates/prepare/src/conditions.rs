//! What evaluating an expression or touching a place demands, as conditions. All of a statement's
//! operands are evaluated, except the right side of `&&` and `||` where the left side decides: what that
//! demands counts only if the left side lets it.

use cwolf_cwi::{
    Base, BinOp, CheckKind, Expr, ExprKind, IntTy, MemoryTest, Place, Program, Step, Type, TypeId,
    Types, UnOp, VarKind,
};

/// Something that must hold.
#[derive(Clone, Debug)]
pub(crate) struct Demand {
    pub(crate) kind: CheckKind,
    pub(crate) text: &'static str,
    pub(crate) cond: Expr,
}

/// Which kinds are wanted.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub(crate) kinds: Vec<CheckKind>,
}

impl Wanted {
    pub(crate) fn has(&self, kind: CheckKind) -> bool {
        self.kinds.contains(&kind)
    }
}

/// How a place is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touch {
    Read,
    Write,
}

/// Collects demands in the order of evaluation.
pub(crate) struct Collector<'p> {
    pub(crate) program: &'p mut Program,
    pub(crate) wanted: &'p Wanted,
    /// What must be the case for the demands of the current operand to count.
    guards: Vec<Expr>,
    pub(crate) found: Vec<Demand>,
}

impl<'p> Collector<'p> {
    pub(crate) fn new(program: &'p mut Program, wanted: &'p Wanted) -> Collector<'p> {
        Collector {
            program,
            wanted,
            guards: Vec::new(),
            found: Vec::new(),
        }
    }

    fn types(&self) -> &Types {
        &self.program.types
    }

    pub(crate) fn demand(&mut self, kind: CheckKind, text: &'static str, cond: Expr) {
        if self.wanted.has(kind) {
            self.insist(kind, text, cond);
        }
    }

    /// Demands something, whether its kind is wanted or not.
    fn insist(&mut self, kind: CheckKind, text: &'static str, cond: Expr) {
        if cond.as_int().is_some_and(|n| n != 0) {
            return;
        }
        // `!guard || cond`, for the innermost guard last.
        let guarded = |cond: Expr, guard: &Expr| {
            let not = Expr::unary(UnOp::Not, guard.clone());
            Expr::binary(BinOp::Or, not, cond)
        };
        let cond = self.guards.iter().rev().fold(cond, guarded);
        self.found.push(Demand { kind, text, cond });
    }

    /// Collects demands that count only where a condition holds.
    pub(crate) fn where_holds(&mut self, cond: Expr, collect: impl FnOnce(&mut Self)) {
        self.guards.push(cond);
        collect(self);
        self.guards.pop();
    }

    /// What evaluating `e` demands.
    pub(crate) fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Binary(op, a, b) if op.is_logical() => {
                self.expr(a);
                let decides = match op {
                    BinOp::And => (**a).clone(),
                    _ => Expr::unary(UnOp::Not, (**a).clone()),
                };
                self.guards.push(decides);
                self.expr(b);
                self.guards.pop();
            }
            ExprKind::Load { place, .. } => self.place(place, Touch::Read),
            ExprKind::AddrOf(place) => place.for_each_operand(&mut |e| self.expr(e)),
            // These only ask.
            ExprKind::Memory(..) | ExprKind::Fits(_) => {}
            // `p - n`: C subtracts from the pointer, and no number is negated.
            ExprKind::PtrAdd { .. } => e.for_each_operand(&mut |e| match &e.kind {
                ExprKind::Unary(UnOp::Neg, subtracted) => self.expr(subtracted),
                _ => self.expr(e),
            }),
            _ => {
                e.for_each_operand(&mut |e| self.expr(e));
                self.operator(e);
            }
        }
    }

    fn operator(&mut self, e: &Expr) {
        self.float_operator(e);
        let Some(ty) = self.types().as_int(e.ty) else {
            return;
        };
        match &e.kind {
            ExprKind::Unary(UnOp::Neg, _) if ty.signed => self.fits(e),
            ExprKind::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul, ..) if ty.signed => self.fits(e),
            ExprKind::Binary(BinOp::Div | BinOp::Rem, _, divisor) => {
                let zero = Expr::int(divisor.ty, 0);
                let cond = match divisor.as_int() {
                    Some(n) => Expr::int(Types::INT, (n != 0).into()),
                    None => Expr::binary(BinOp::Ne, (**divisor).clone(), zero),
                };
                self.demand(CheckKind::DivisionByZero, "the divisor is not zero", cond);
                if ty.signed && divisor.as_int().is_none_or(|n| n == -1) {
                    self.quotient(e);
                }
            }
            ExprKind::Binary(op @ (BinOp::Shl | BinOp::Shr), _, amount) => {
                let cond = self.in_width(ty, amount);
                let text = "the shift amount is below the width";
                self.demand(CheckKind::Shift, text, cond);
                if *op == BinOp::Shl && ty.signed {
                    self.fits(e);
                }
            }
            _ => {}
        }
    }

    /// Demands that a quotient or remainder fits. `INT_MIN / -1` does not wrap like other arithmetic: the
    /// processor stops the program there as it does at a zero divisor, so whoever asks about one asks about both.
    fn quotient(&mut self, e: &Expr) {
        let stops = [CheckKind::Overflow, CheckKind::DivisionByZero];
        if stops.into_iter().any(|kind| self.wanted.has(kind)) {
            let cond = Expr::fits(e.clone());
            self.insist(CheckKind::Overflow, "the quotient fits in its type", cond);
        }
    }

    fn fits(&mut self, e: &Expr) {
        if self.wanted.has(CheckKind::Overflow) {
            let cond = Expr::fits(e.clone());
            self.demand(CheckKind::Overflow, "the result fits in its type", cond);
        }
    }

    /// `0 <= amount < width`, as one comparison of unsigned numbers.
    fn in_width(&mut self, ty: IntTy, amount: &Expr) -> Expr {
        let width = i128::from(ty.bits);
        if let Some(n) = amount.as_int() {
            return Expr::int(Types::INT, (0..width).contains(&n).into());
        }
        let bits = self.types().as_int(amount.ty).map_or(1, |t| t.bits);
        if bits < 127 && width >= 1 << bits {
            return Expr::int(Types::INT, 1);
        }
        let unsigned = self.program.types.int(bits, false);
        let amount = Expr::cast(unsigned, amount.clone());
        Expr::binary(BinOp::Lt, amount, Expr::int(unsigned, width))
    }

    /// What touching a place demands; its operands first.
    pub(crate) fn place(&mut self, place: &Place, touch: Touch) {
        place.for_each_operand(&mut |e| self.expr(e));
        let counted = self.indices(place);
        if let (Base::Var(v), Touch::Write) = (&place.base, touch) {
            let var = &self.program.vars[*v];
            // Automatic ones begin with an assignment; other constants are there from the start.
            let constant = var.constant && !var.kind.is_automatic();
            if constant || var.kind == VarKind::Literal {
                let cond = Expr::int(Types::INT, 0);
                let text = "the memory written is not read-only";
                self.demand(CheckKind::Pointer, text, cond);
            }
        }
        match &place.base {
            Base::Var(_) if counted => {}
            Base::Var(_) => self.inside(place),
            Base::Deref(ptr) => {
                let live = Expr::memory(MemoryTest::Live, vec![(**ptr).clone()]);
                self.demand(CheckKind::Pointer, "the pointer is valid", live);
                if touch == Touch::Write {
                    let mutable = Expr::memory(MemoryTest::Mutable, vec![(**ptr).clone()]);
                    let text = "the memory written is not read-only";
                    self.demand(CheckKind::Pointer, text, mutable);
                }
                self.inside(place);
            }
        }
    }

    /// Demands that each index is one of its array. Whether that is enough for the place to lie in
    /// the variable that it starts at: arrays without a length, and arrays of one element at the end
    /// of a structure that a pointer leads to, stand for any length.
    fn indices(&mut self, place: &Place) -> bool {
        let mut ty = match &place.base {
            Base::Var(v) => self.program.vars[*v].ty,
            Base::Deref(p) => self.types().pointee(p.ty).unwrap_or(Types::VOID),
        };
        let mut counted = true;
        let mut last = matches!(place.base, Base::Deref(_));
        for step in &place.path {
            match (step, self.types()[ty].clone()) {
                (Step::Field(n), Type::Record(record)) => {
                    let fields = &self.types().records[record].fields;
                    last &= *n as usize + 1 == fields.len();
                    ty = fields[*n as usize].ty;
                }
                (Step::Index(index), Type::Array { elem, len }) => {
                    if len == 0 || (last && len == 1) {
                        counted = false;
                    } else {
                        self.index(index, len);
                    }
                    last = false;
                    ty = elem;
                }
                _ => counted = false,
            }
        }
        counted
    }

    fn index(&mut self, index: &Expr, len: u64) {
        let text = "the index stays inside its array";
        if let Some(n) = index.as_int() {
            let inside = (0..i128::from(len)).contains(&n);
            let cond = Expr::int(Types::INT, inside.into());
            self.demand(CheckKind::Bounds, text, cond);
            return;
        }
        let word = self.word();
        let unsigned = Expr::cast(word, index.clone());
        let cond = Expr::binary(BinOp::Lt, unsigned, Expr::int(word, len.into()));
        self.demand(CheckKind::Bounds, text, cond);
    }

    /// Demands that all bytes of a place lie inside the object that it starts in.
    fn inside(&mut self, place: &Place) {
        if !self.wanted.has(CheckKind::Bounds) {
            return;
        }
        let word = self.word();
        let (address, size) = self.extent(place);
        let cond = Expr::memory(
            MemoryTest::Inside,
            vec![address, Expr::int(word, size.into())],
        );
        let text = "the access stays inside its object";
        self.demand(CheckKind::Bounds, text, cond);
    }

    /// The address of a place and how many bytes it takes. A bit-field has no address of its own:
    /// the bytes that hold it have.
    fn extent(&mut self, place: &Place) -> (Expr, u64) {
        let (mut outer, mut shift) = (place.clone(), None);
        if let Some((Step::Field(n), path)) = place.path.split_last().filter(|(s, _)| is_field(s)) {
            let parent = self.parent_type(place, path.len());
            if let Type::Record(record) = self.types()[parent] {
                let field = &self.types().records[record].fields[*n as usize];
                if field.bit_field {
                    shift = Some((field.bit_offset, u64::from(self.bits(field.ty))));
                    outer.path.pop();
                    outer.ty = parent;
                }
            }
        }
        let pointer = self.program.types.pointer(outer.ty);
        let size = self.types().size_of(outer.ty);
        let address = match (&outer.base, outer.path.is_empty()) {
            (Base::Deref(ptr), true) => (**ptr).clone(),
            _ => Expr {
                ty: pointer,
                kind: ExprKind::AddrOf(outer),
            },
        };
        let Some((offset, bits)) = shift else {
            return (address, size);
        };
        let bytes = self.program.types.pointer(Types::CHAR);
        let signed = self.program.target().word(true);
        let signed = self.program.types.int(signed.bits, true);
        let moved = Expr {
            ty: bytes,
            kind: ExprKind::PtrAdd {
                ptr: Box::new(Expr::cast(bytes, address)),
                index: Box::new(Expr::int(signed, i128::from(offset / 8))),
                scale: 1,
            },
        };
        (moved, (offset % 8 + bits).div_ceil(8))
    }

    fn bits(&self, ty: TypeId) -> u16 {
        self.types().as_int(ty).map_or(1, |t| t.bits)
    }

    /// The type of a place after the first steps of its path.
    fn parent_type(&self, place: &Place, steps: usize) -> TypeId {
        let found = cwolf_cwi::typing::place_type(self.program, &place.base, &place.path[..steps]);
        found.map_or(Types::VOID, |(ty, _)| ty)
    }

    pub(crate) fn word(&mut self) -> TypeId {
        let word = self.program.target().word(false);
        self.program.types.int(word.bits, false)
    }
}

fn is_field(step: &Step) -> bool {
    matches!(step, Step::Field(_))
}
