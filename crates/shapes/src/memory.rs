//! Reading and writing places.

use crate::graph::{Cell, End, Graph, Kind, ObjId, Object, Ptr, Val};
use crate::segment::shifted;
use crate::world::{Res, Stop, World, give_up};
use cwolf_cwi::{Base, InitValue, IntTy, Place, Step, Type, TypeId, VarId, value};
use cwolf_numeric::{Num, arith};
use std::rc::Rc;

/// A graph at a point of the program.
#[derive(Clone)]
pub(crate) struct At<'w, 'p> {
    pub(crate) world: &'w World<'p>,
    pub(crate) g: Graph,
}

/// So many places of an array are looked at one by one.
const FEW: i64 = 16;
/// An object with more cells than this is not followed.
const CELLS: usize = 600;

/// A piece of an object: from one of these bits on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    pub(crate) obj: ObjId,
    pub(crate) at: (i64, i64),
}

impl Piece {
    fn exact(&self) -> Option<i64> {
        (self.at.0 == self.at.1).then_some(self.at.0)
    }
}

impl At<'_, '_> {
    /// The integer type that a type computes in, if numbers of it are followed.
    pub(crate) fn int(&self, ty: TypeId) -> Option<IntTy> {
        value::int_type(&self.world.program.types, ty).filter(|t| t.bits <= 64)
    }

    /// Bits that a value of a type takes in memory.
    pub(crate) fn bits(&self, ty: TypeId) -> i64 {
        match self.world.program.types[ty] {
            Type::Int(int) => int.bits.into(),
            _ => (self.world.program.types.size_of(ty) * 8) as i64,
        }
    }

    /// Any value of a type.
    pub(crate) fn unknown(&mut self, ty: TypeId) -> Val {
        match self.int(ty) {
            Some(int) => self.g.name(arith::whole(int)),
            None => Val::Any,
        }
    }

    /// A value as one of a type that it was stored as, or is taken for.
    pub(crate) fn as_type(&mut self, val: Val, ty: TypeId) -> Val {
        let Some(int) = self.int(ty) else {
            return Val::Any;
        };
        match val {
            Val::Const(v) => Val::Const(value::wrap(int, v)),
            Val::Sym(s) => {
                let num = self.g.syms[&s].clone();
                match num.is_in(&arith::whole(int)) {
                    true => val,
                    false => self.g.name(arith::convert(int, &num)),
                }
            }
            Val::In(num) => self.g.name(arith::convert(int, &num)),
            Val::Ptr(_) | Val::Func(_) if i64::from(int.bits) == self.world.word => val,
            Val::Ptr(_) | Val::Func(_) | Val::Any => self.unknown(ty),
        }
    }

    /// The object of a variable.
    pub(crate) fn variable(&mut self, var: VarId) -> Res<ObjId> {
        let decl = &self.world.program.vars[var];
        if decl.kind.is_automatic() {
            if let Some(id) = self.g.frame().vars.get(&var) {
                return Ok(*id);
            }
            let id = self.g.add(self.world.local(var));
            self.g.frame_mut().vars.insert(var, id);
            return Ok(id);
        }
        if let Some(id) = self.g.globals.get(&var) {
            return Ok(*id);
        }
        if decl.thread_local || decl.alias.is_some() {
            return give_up("a variable of one thread, or with two names");
        }
        let id = self.g.add(self.world.local(var));
        self.g.globals.insert(var, id);
        self.initialise(var, id)?;
        Ok(id)
    }

    /// A variable of the whole run gets its first contents.
    fn initialise(&mut self, var: VarId, id: ObjId) -> Res<()> {
        let decl = &self.world.program.vars[var];
        if decl.init.len() > CELLS {
            self.g.object_mut(id).zero = false;
            return Ok(());
        }
        for item in &decl.init {
            let at = item.bit_offset as i64;
            let bits = self.bits(item.ty);
            let val = match &item.value {
                InitValue::Int(v) => Val::Const(*v),
                InitValue::Float(_) => Val::Any,
                InitValue::Addr(other, by) => {
                    let other = *other;
                    Val::Ptr(Ptr::to(self.variable(other)?, *by))
                }
                InitValue::Func(f) => Val::Func(*f),
                InitValue::Bytes(bytes) => {
                    let object = self.g.object_mut(id);
                    if bytes.len() > CELLS {
                        object.forget(at, at + bits);
                        continue;
                    }
                    for (n, byte) in bytes.iter().enumerate() {
                        // As `char`, which is signed.
                        let val = Val::Const(i128::from(*byte as i8));
                        object.set(at + 8 * n as i64, 8, val);
                    }
                    continue;
                }
            };
            self.g.object_mut(id).set(at, bits, val);
        }
        Ok(())
    }

    /// The address of a place as a value, and how many bits the place lies further on.
    pub(crate) fn address(&mut self, place: &Place) -> Res<(Val, (i64, i64))> {
        let program = self.world.program;
        let (base, mut ty) = match &place.base {
            Base::Var(v) => {
                let obj = self.variable(*v)?;
                (Val::Ptr(Ptr::to(obj, 0)), program.vars[*v].ty)
            }
            Base::Deref(e) => {
                let ty = program.types.pointee(e.ty);
                let Some(ty) = ty else {
                    return give_up("a dereference of no pointer");
                };
                (self.eval(e)?, ty)
            }
        };
        let mut at = (0i64, 0i64);
        for step in &place.path {
            match (step, &program.types[ty]) {
                (Step::Field(n), Type::Record(record)) => {
                    let field = &program.types.records[*record].fields[*n as usize];
                    at.0 += field.bit_offset as i64;
                    at.1 += field.bit_offset as i64;
                    ty = field.ty;
                }
                (Step::Index(e), Type::Array { elem, .. }) => {
                    let elem = *elem;
                    let size = (program.types.size_of(elem) * 8) as i64;
                    let val = self.eval(e)?;
                    let (lo, hi) = match self.g.num(&val) {
                        Some(num) => num.bounds(),
                        None => (i128::MIN, i128::MAX),
                    };
                    if let Val::Sym(s) = val
                        && hi - lo < FEW.into()
                    {
                        return Err(Stop::Each(s));
                    }
                    // What comes after the array may belong to it: only the object's end counts.
                    let near = |v: i128| v.clamp(-(1 << 34), 1 << 34) as i64;
                    if near(lo) as i128 != lo || near(hi) as i128 != hi {
                        return give_up("an index of which nothing is known");
                    }
                    at.0 = at.0.saturating_add(near(lo).saturating_mul(size));
                    at.1 = at.1.saturating_add(near(hi).saturating_mul(size));
                    ty = elem;
                }
                _ => return give_up("a place that is not understood"),
            }
        }
        Ok((base, at))
    }

    /// The memory of so many bits at a place.
    fn piece(&mut self, place: &Place, bits: i64) -> Res<Piece> {
        let (base, at) = self.address(place)?;
        self.piece_at(&base, at, bits)
    }

    /// The memory of so many bits that lie a number of bits behind an address.
    pub(crate) fn piece_at(&mut self, base: &Val, at: (i64, i64), bits: i64) -> Res<Piece> {
        let p = match base {
            Val::Ptr(p) => *p,
            Val::Const(_) | Val::Func(_) => return self.undefined("an access to no object"),
            _ => return give_up("an access through a pointer of which nothing is known"),
        };
        let object = self.g.object(p.obj);
        if object.seg.is_some() {
            return Err(Stop::Split(p.obj, p.end));
        }
        if !object.valid {
            return self.undefined("an access to an object that is gone");
        }
        let mut piece = Piece {
            obj: p.obj,
            at: (p.at.0 * 8 + at.0, p.at.1 * 8 + at.1),
        };
        let (least, most) = object.size.bounds();
        let inside = |size: i128| size * 8 - i128::from(bits);
        if piece.at.0 < 0 || i128::from(piece.at.1) > inside(least) {
            // Runs that leave the object end, if anything.
            let last = inside(most).min(i64::MAX.into());
            if piece.at.1 < 0 || i128::from(piece.at.0) > last {
                return self.undefined("an access outside its object");
            }
            if self.world.options.follow_undefined {
                return give_up("an access that may lie outside its object");
            }
            piece.at = (piece.at.0.max(0), piece.at.1.min(last as i64));
        }
        Ok(piece)
    }

    /// C does not say what happens.
    pub(crate) fn undefined<T>(&self, what: &str) -> Res<T> {
        match self.world.options.follow_undefined {
            true => give_up(what),
            false => Err(Stop::Ends),
        }
    }

    /// What a scalar place holds.
    pub(crate) fn load(&mut self, place: &Place) -> Res<Val> {
        let bits = self.bits(place.ty);
        let piece = self.piece(place, bits)?;
        self.load_piece(piece, bits, place.ty)
    }

    pub(crate) fn load_piece(&mut self, piece: Piece, bits: i64, ty: TypeId) -> Res<Val> {
        let Some(at) = piece.exact() else {
            return Ok(self.load_any(piece, bits, ty));
        };
        let Some(val) = self.g.object(piece.obj).get(at, bits) else {
            return Ok(self.unknown(ty));
        };
        let named = self.as_type(val.clone(), ty);
        // From now on it has a name.
        if matches!(val, Val::In(_)) {
            self.g.object_mut(piece.obj).set(at, bits, named.clone());
        }
        Ok(named)
    }

    /// What one of several places holds: only numbers are joined.
    fn load_any(&mut self, piece: Piece, bits: i64, ty: TypeId) -> Val {
        let object = self.g.object(piece.obj);
        let Some(int) = self.int(ty) else {
            return Val::Any;
        };
        let mut all: Option<Num> = None;
        let mut covered = 0;
        for (at, cell) in object.cells.range(..piece.at.1 + bits) {
            if at + cell.bits <= piece.at.0 {
                continue;
            }
            covered += cell.bits;
            let num = self.g.num(&cell.val).filter(|_| cell.bits == bits);
            let zero = cell.val == Val::Const(0);
            let num = if zero { Some(Num::constant(0)) } else { num };
            let Some(num) = num else {
                return self.unknown(ty);
            };
            // Parts of two cells may lie side by side.
            if !zero && (at - piece.at.0) % bits != 0 {
                return self.unknown(ty);
            }
            let num = arith::convert(int, &num);
            all = Some(all.map_or(num.clone(), |a| a.join(&num)));
        }
        // Steps are not followed, so that an access may lie across cells.
        if bits > 8 && all.as_ref().is_some_and(|n| n.as_constant() != Some(0)) {
            return self.unknown(ty);
        }
        if covered < piece.at.1 + bits - piece.at.0 {
            if !object.zero {
                return self.unknown(ty);
            }
            let zero = Num::constant(0);
            all = Some(all.map_or(zero.clone(), |a| a.join(&zero)));
        }
        match all {
            Some(num) => self.g.name(num),
            None => self.unknown(ty),
        }
    }

    /// A scalar place gets a value.
    pub(crate) fn store(&mut self, place: &Place, val: Val) -> Res<()> {
        let bits = self.bits(place.ty);
        let piece = self.piece(place, bits)?;
        self.store_piece(piece, bits, val)
    }

    pub(crate) fn store_piece(&mut self, piece: Piece, bits: i64, val: Val) -> Res<()> {
        let object = self.g.object_mut(piece.obj);
        match piece.exact() {
            Some(at) => object.set(at, bits, val),
            None => object.forget(piece.at.0, piece.at.1 + bits),
        }
        match object.cells.len() > CELLS {
            true => give_up("an object with too many parts"),
            false => Ok(()),
        }
    }

    /// So many bytes from an address on get any contents, or zeros.
    pub(crate) fn overwrite(&mut self, to: &Val, size: &Num, zero: bool) -> Res<()> {
        let (least, most) = size.bounds();
        if most == 0 {
            return Ok(());
        }
        let bits = |bytes: i128| i64::try_from(bytes).ok().and_then(|b| b.checked_mul(8));
        let least_bits = bits(least).unwrap_or(0).max(8);
        let piece = self.piece_at(to, (0, 0), if least == 0 { 8 } else { least_bits })?;
        let room = self.g.object(piece.obj).size.bounds().1;
        let end = match bits(most).and_then(|b| piece.at.1.checked_add(b)) {
            Some(end) => i128::from(end).min(room * 8),
            None => room * 8,
        };
        // No address leads further into an object than this.
        let end = end.min(1 << 60) as i64;
        let object = self.g.object_mut(piece.obj);
        match (piece.exact(), zero && least == most) {
            (Some(at), true) => object.clear(at, end),
            _ => object.forget(piece.at.0, end),
        }
        Ok(())
    }

    /// The cells of a piece of memory, each with its distance from the start, and whether the rest is zero.
    pub(crate) fn copy_out(&self, obj: ObjId, from: i64, to: i64) -> Copied {
        let object = self.g.object(obj);
        let mut cells: Vec<(i64, Cell)> = Vec::new();
        for at in object.overlapping(from, to).into_iter().rev() {
            let cell = &object.cells[&at];
            if at >= from && at + cell.bits <= to {
                cells.push((at - from, cell.clone()));
                continue;
            }
            let (lo, hi) = (at.max(from), (at + cell.bits).min(to));
            let val = match cell.val {
                Val::Const(0) => Val::Const(0),
                _ => Val::Any,
            };
            cells.push((lo - from, Cell { bits: hi - lo, val }));
        }
        Copied {
            cells,
            zero: object.zero,
            bits: to - from,
        }
    }

    /// Memory gets such cells.
    pub(crate) fn copy_in(&mut self, obj: ObjId, from: i64, copied: Copied) {
        let object = self.g.object_mut(obj);
        match copied.zero {
            true => object.clear(from, from + copied.bits),
            false => object.forget(from, from + copied.bits),
        }
        for (at, cell) in copied.cells {
            object.set(from + at, cell.bits, cell.val);
        }
    }

    /// The piece of an aggregate place, which has to be known exactly.
    pub(crate) fn whole_piece(&mut self, place: &Place) -> Res<(ObjId, i64, i64)> {
        let bits = (self.world.program.types.size_of(place.ty) * 8) as i64;
        let piece = self.piece(place, bits)?;
        match piece.exact() {
            Some(at) => Ok((piece.obj, at, at + bits)),
            None => give_up("one of several structures is copied"),
        }
    }

    /// An address so many bytes further on.
    pub(crate) fn shift(&mut self, val: &Val, by: (i64, i64), ty: TypeId) -> Val {
        match shifted(val, by, self.world.word) {
            Val::Any => self.unknown(ty),
            other => other,
        }
    }

    /// Whether an address surely lies inside its object, so that it is that of no other.
    pub(crate) fn is_inside(&self, p: &Ptr) -> bool {
        let object = self.g.object(p.obj);
        p.at.0 >= 0 && i128::from(p.at.1) < object.least_size()
    }

    /// Stops at a segment that may be empty: its addresses may be those of others.
    pub(crate) fn settled(&self, p: &Ptr) -> Res<()> {
        match self.g.object(p.obj).seg {
            Some(seg) if seg.min == 0 => Err(Stop::Split(p.obj, p.end)),
            _ => Ok(()),
        }
    }
}

/// Contents on their way.
pub(crate) struct Copied {
    cells: Vec<(i64, Cell)>,
    zero: bool,
    bits: i64,
}

impl World<'_> {
    /// The object of a variable whose life begins.
    pub(crate) fn local(&self, var: VarId) -> Object {
        let decl = &self.program.vars[var];
        let size = self.program.types.size_of(decl.ty) + decl.extra;
        let zero = !decl.kind.is_automatic();
        let mut object = Object::new(Kind::Var(var), Num::constant(size.into()), zero);
        object.size = Rc::new(Num::constant(size.into()));
        object
    }
}

impl Graph {
    /// The life of an object ends.
    pub(crate) fn end(&mut self, id: ObjId) {
        let now = self.count;
        let object = self.object_mut(id);
        object.valid = false;
        object.ended = now;
        object.cells.clear();
        object.zero = false;
    }
}

/// Whether two addresses are of the same node, whatever a segment's length.
pub(crate) fn same_node(p: &Ptr, q: &Ptr, g: &Graph) -> Res<bool> {
    if p.obj != q.obj {
        return Ok(false);
    }
    match p.end == q.end {
        true => Ok(true),
        // One node may be the first and the last.
        false => {
            let _ = g;
            Err(Stop::Split(p.obj, End::First))
        }
    }
}
