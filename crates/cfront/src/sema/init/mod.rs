//! Initialisers: braces, elided braces, designators, strings. The list is walked once with a
//! cursor, as C17 6.7.9 describes; what comes out is a flat list of pieces with their offsets,
//! where a later piece has replaced an earlier one at the same place.

mod constant;
mod sink;

use super::Cx;
use super::conv::Why;
use super::ctype::{CKind, CTy, Len, QType};
use super::fold::{Operand, is_pure, mk};
use crate::ast::{self, CharKind, Designator, Initializer};
use crate::hir::{ExprKind, LocalInit, PathStep, Piece};
use cwolf_base::Span;
use cwolf_cwi::{RecordId, Type, TypeId, VarId};

use sink::{Content, Entry, Sink};

/// More pieces than this, from ranges like `[0 ... 99999999]`, are refused.
const MAX_PIECES: u64 = 1 << 24;

/// The items of one pair of braces, and how far they are used up.
struct Cursor<'a> {
    items: &'a [ast::InitItem],
    at: usize,
    /// The designators of the item have been followed already.
    bare: bool,
    /// The item's expression, if it has been analysed already.
    pending: Option<Operand>,
}

impl<'a> Cursor<'a> {
    fn new(items: &'a [ast::InitItem]) -> Cursor<'a> {
        Cursor {
            items,
            at: 0,
            bare: false,
            pending: None,
        }
    }
    fn item(&self) -> Option<&'a ast::InitItem> {
        self.items.get(self.at)
    }
    /// The item's designators, unless they have been followed.
    fn designators(&self) -> &'a [Designator] {
        match self.item() {
            Some(item) if !self.bare => &item.designators,
            _ => &[],
        }
    }
    fn advance(&mut self) {
        self.at += 1;
        self.bare = false;
        self.pending = None;
    }
}

/// An object (or part of one) that is to be initialised.
#[derive(Clone, Copy)]
struct Slot {
    ty: QType,
    /// In bits from the start of the whole.
    offset: u64,
    /// The type and width of a bit-field.
    field: Option<(TypeId, u16)>,
}

fn strip(e: &ast::Expr) -> &ast::Expr {
    match &e.kind {
        ast::ExprKind::Paren(inner) => strip(inner),
        ast::ExprKind::Unary(ast::UnaryOp::Extension, inner) => strip(inner),
        _ => e,
    }
}

/// A piece that [`Cx::share`] keeps, read again.
fn read_shared(mut entry: Entry) -> Entry {
    if let Content::Value(e) = &mut entry.content
        && let ExprKind::Assign { place, .. } = &e.kind
    {
        *e = mk(e.ty, ExprKind::Load(place.clone(), false), e.span);
    }
    entry
}

fn as_string(e: &ast::Expr) -> Option<(&[u32], CharKind)> {
    match &strip(e).kind {
        ast::ExprKind::Str(units, kind) => Some((units, *kind)),
        _ => None,
    }
}

pub(super) fn init_span(init: &Initializer) -> Span {
    match init {
        Initializer::Expr(e) => e.span,
        Initializer::List { span, .. } => *span,
    }
}

impl Cx<'_> {
    /// A local variable's initialiser; the type comes back with its array size known.
    pub(super) fn local_init(&mut self, ty: QType, init: &Initializer) -> (QType, LocalInit) {
        let mut sink = Sink::default();
        let ty = self.collect(ty, init, &mut sink);
        let simple = sink.entries.len() == 1 && sink.entries[0].path.is_empty();
        if simple && matches!(sink.entries[0].content, Content::Value(_)) {
            let entry = sink.entries.pop().expect("there is one");
            if let Content::Value(e) = entry.content {
                return (ty, LocalInit::Value(e));
            }
        }
        let covered: u64 = sink.entries.iter().map(|e| e.bits).sum();
        let zero = sink.overridden || covered < self.leaf_bits(ty.ty);
        let mut pieces = Vec::with_capacity(sink.entries.len());
        let whole = self.cwi(ty.ty);
        for entry in sink.entries.into_iter().filter(|e| !e.dead) {
            if self.in_flexible_array(whole, &entry.path) {
                self.error(
                    entry.span,
                    "a flexible array can be initialised only in a static object",
                );
                continue;
            }
            let value = match entry.content {
                Content::Value(e) => e,
                Content::Text { units, elem, len } => {
                    let var = self.string_var(&units, elem, len, entry.span);
                    let place = self.var_place(var, entry.ty, entry.span);
                    mk(entry.ty, ExprKind::Load(Box::new(place), false), entry.span)
                }
            };
            pieces.push(Piece {
                path: entry.path,
                ty: entry.ty,
                value,
            });
        }
        (ty, LocalInit::Pieces { zero, pieces })
    }
    /// Whether the steps from an object of type `ty` lead into an array without length.
    fn in_flexible_array(&self, mut ty: TypeId, path: &[PathStep]) -> bool {
        let types = &self.program.types;
        let mut empty = false;
        for step in path {
            ty = match (&types[ty], step) {
                (Type::Record(record), PathStep::Field(field)) => {
                    types.records[*record].fields[*field as usize].ty
                }
                (Type::Array { elem, .. }, PathStep::Index(_)) => *elem,
                _ => return empty,
            };
            empty |= matches!(types[ty], Type::Array { len: 0, .. });
        }
        empty
    }
    /// The initialiser of an object that lives for the whole run, put into `var`.
    pub(super) fn static_init(&mut self, ty: QType, init: &Initializer, var: VarId) -> QType {
        let mut sink = Sink {
            constant: true,
            ..Sink::default()
        };
        let ty = self.collect(ty, init, &mut sink);
        let size = self.size_of(ty.ty).unwrap_or(0);
        let extra = sink.end.div_ceil(8).saturating_sub(size);
        let mut entries = sink.entries;
        if sink.index.is_some() {
            entries.retain(|e| !e.dead);
            entries.sort_by_key(|e| e.offset);
        }
        let mut items = Vec::with_capacity(entries.len());
        for entry in entries {
            self.init_item(entry, &mut items);
        }
        let id = self.cwi(ty.ty);
        let info = &mut self.program.vars[var];
        info.ty = id;
        info.init = items;
        info.extra = extra;
        ty
    }
    /// Bits that an initialiser must set for nothing to be left over.
    fn leaf_bits(&mut self, ty: CTy) -> u64 {
        match *self.types.kind(ty) {
            CKind::Array {
                elem,
                len: Len::Known(n),
            } => self.leaf_bits(elem.ty).saturating_mul(n),
            CKind::Record(id) if !self.types.records[id].union => {
                let fields: Vec<_> = self.types.records[id]
                    .fields
                    .iter()
                    .map(|f| (f.ty.ty, f.bits))
                    .collect();
                let bits = |(ty, width): (CTy, Option<u16>)| match width {
                    Some(width) => u64::from(width),
                    None => self.leaf_bits(ty),
                };
                fields.into_iter().map(bits).fold(0, u64::saturating_add)
            }
            _ => self.size_of(ty).unwrap_or(0).saturating_mul(8),
        }
    }
    /// Collects the pieces of a whole object.
    fn collect(&mut self, ty: QType, init: &Initializer, sink: &mut Sink) -> QType {
        if self.types.is_error(ty.ty) {
            if let Initializer::Expr(e) = init {
                self.expr(e);
            }
            return ty;
        }
        let slot = Slot {
            ty,
            offset: 0,
            field: None,
        };
        let count = self.whole_object(slot, init, sink);
        match self.types.as_array(ty.ty) {
            Some((elem, Len::Unknown)) => QType {
                ty: self.types.array(elem, Len::Known(count)),
                ..ty
            },
            _ => ty,
        }
    }
    /// An initialiser that belongs to one object as a whole; says how many elements an array
    /// needs.
    fn whole_object(&mut self, slot: Slot, init: &Initializer, sink: &mut Sink) -> u64 {
        match init {
            Initializer::List { items, span } => self.list(slot, items, *span, sink),
            Initializer::Expr(e) => {
                let is_array = self.types.as_array(slot.ty.ty).is_some();
                if let Some(count) = self.string_init(slot, e, sink) {
                    return count;
                }
                if (is_array || sink.constant)
                    && let Some(count) = self.literal_init(slot, e, sink)
                {
                    return count;
                }
                let operand = self.expr(e);
                if is_array {
                    if !operand.is_error() {
                        self.error(e.span, "an array needs a list in braces as its initialiser");
                    }
                    return 1;
                }
                self.put(slot, operand, sink);
                0
            }
        }
    }
    /// A compound literal as the initialiser of an object of its own type.
    fn literal_init(&mut self, slot: Slot, e: &ast::Expr, sink: &mut Sink) -> Option<u64> {
        let ast::ExprKind::CompoundLiteral(ty, init) = &strip(e).kind else {
            return None;
        };
        let aggregate = self.types.as_record(slot.ty.ty).is_some()
            || self.types.as_array(slot.ty.ty).is_some()
            || self.is_vector(slot.ty);
        if !aggregate {
            return None;
        }
        let (ty, _) = self.type_with_effects(ty);
        if !self.types.compatible(ty.ty, slot.ty.ty) {
            return None;
        }
        let slot_known = Slot { ty, ..slot };
        let count = self.whole_object(slot_known, init, sink);
        Some(match self.types.as_array(ty.ty) {
            Some((_, Len::Known(n))) => n,
            _ => count,
        })
    }
    /// A string as the initialiser of an array of characters.
    fn string_init(&mut self, slot: Slot, e: &ast::Expr, sink: &mut Sink) -> Option<u64> {
        let (elem, len) = self.types.as_array(slot.ty.ty)?;
        let (units, kind) = as_string(e)?;
        let int = self.types.int_ty(elem.ty).filter(|t| t.bits >= 8)?;
        let own = self
            .types
            .int_ty(self.string_elem(kind))
            .expect("characters are integers");
        if int.bits != own.bits {
            return None;
        }
        let needed = units.len() as u64 + 1;
        let len = match len {
            Len::Known(n) => n,
            _ => needed,
        };
        // The final zero may be left out.
        if needed > len + 1 {
            self.warn(e.span, "the string is longer than the array");
        }
        if len > 0 {
            let array = self.types.array(elem.unqualified(), Len::Known(len));
            let ty = self.cwi(array);
            let content = Content::Text {
                units: units[..units.len().min(len as usize)].to_vec(),
                elem: elem.ty,
                len,
            };
            sink.push(slot.offset, len * u64::from(int.bits), ty, content, e.span);
        }
        Some(len)
    }
    /// `{ items }` for one object.
    fn list(&mut self, slot: Slot, items: &[ast::InitItem], span: Span, sink: &mut Sink) -> u64 {
        let ty = slot.ty.ty;
        if let Some(size) = self.size_of(ty)
            && slot.field.is_none()
        {
            sink.clear(slot.offset, slot.offset + size * 8);
        }
        let aggregate = self.types.as_array(ty).is_some()
            || self.types.as_record(ty).is_some()
            || self.types.as_vector(ty).is_some();
        if !aggregate {
            return self.scalar_list(slot, items, span, sink);
        }
        if let [item] = items
            && item.designators.is_empty()
            && let Initializer::Expr(e) = &item.init
            && let Some(count) = self.string_init(slot, e, sink)
        {
            return count;
        }
        let mut cursor = Cursor::new(items);
        let count = self.fill(slot, &mut cursor, &[], true, sink);
        debug_assert!(cursor.item().is_none(), "every item is used or skipped");
        count
    }
    fn scalar_list(
        &mut self,
        slot: Slot,
        items: &[ast::InitItem],
        span: Span,
        sink: &mut Sink,
    ) -> u64 {
        let Some(first) = items.first() else {
            let id = self.cwi(slot.ty.ty);
            let zero = Operand::value(self.zero(id, span), slot.ty.unqualified());
            self.put(slot, zero, sink);
            return 0;
        };
        if !first.designators.is_empty() {
            self.error(span, "a designator needs an array, struct or union");
        }
        if items.len() > 1 {
            self.warn(
                init_span(&items[1].init),
                "excess elements in the initialiser",
            );
        }
        self.whole_object(slot, &first.init, sink)
    }
    /// Fills an aggregate from the cursor. `designators` says where to start. Inside elided
    /// braces (`top` is false) it stops when the aggregate is full or at the next designator.
    fn fill(
        &mut self,
        slot: Slot,
        cursor: &mut Cursor<'_>,
        designators: &[Designator],
        top: bool,
        sink: &mut Sink,
    ) -> u64 {
        match *self.types.kind(slot.ty.ty) {
            CKind::Array { elem, len } => {
                self.fill_array(slot, elem, len, cursor, designators, top, sink)
            }
            CKind::Vector { elem, len } => {
                let (elem, len) = (QType::plain(elem), Len::Known(len));
                sink.path.push(PathStep::Field(0));
                self.fill_array(slot, elem, len, cursor, designators, top, sink);
                sink.path.pop();
                0
            }
            CKind::Record(record) => {
                self.fill_record(slot, record, cursor, designators, top, sink);
                0
            }
            _ => {
                let span = cursor
                    .item()
                    .map_or(Span::default(), |i| init_span(&i.init));
                self.error(span, "a designator needs an array, struct or union");
                cursor.advance();
                0
            }
        }
    }
    #[allow(clippy::too_many_arguments)]
    fn fill_array(
        &mut self,
        slot: Slot,
        elem: QType,
        len: Len,
        cursor: &mut Cursor<'_>,
        designators: &[Designator],
        top: bool,
        sink: &mut Sink,
    ) -> u64 {
        let step = self.size_of(elem.ty).unwrap_or(0) * 8;
        let limit = match len {
            Len::Known(n) => n,
            _ => u64::MAX / step.max(1) / 2,
        };
        let (mut at, mut count) = (0u64, 0u64);
        let mut designators = designators;
        loop {
            if !designators.is_empty() {
                cursor.bare = true;
                let Some((lo, hi)) = self.element_range(&designators[0], limit, cursor) else {
                    cursor.advance();
                    designators = &[];
                    continue;
                };
                let start = sink.entries.len();
                let part = Slot {
                    ty: elem,
                    offset: slot.offset + lo * step,
                    field: None,
                };
                sink.path.push(PathStep::Index(lo));
                self.designated(part, cursor, &designators[1..], sink);
                sink.path.pop();
                self.replicate(start, lo, hi, step, sink);
                designators = &[];
                at = hi + 1;
                count = count.max(at);
                continue;
            }
            let Some(item) = cursor.item() else {
                break;
            };
            let own = cursor.designators();
            if !own.is_empty() {
                if !top {
                    break;
                }
                designators = own;
                continue;
            }
            if at >= limit {
                if !top {
                    break;
                }
                self.warn(init_span(&item.init), "excess elements in the initialiser");
                self.skip_rest(cursor);
                continue;
            }
            let part = Slot {
                ty: elem,
                offset: slot.offset + at * step,
                field: None,
            };
            let before = cursor.at;
            sink.path.push(PathStep::Index(at));
            self.next(part, cursor, sink);
            sink.path.pop();
            at += 1;
            count = count.max(at);
            // Elements that can hold nothing would never use the items up.
            if cursor.at == before {
                at = limit;
            }
        }
        count
    }
    /// Skips items without designators; they are too many.
    fn skip_rest(&mut self, cursor: &mut Cursor<'_>) {
        cursor.advance();
        while cursor.item().is_some() && cursor.designators().is_empty() {
            cursor.advance();
        }
    }
    fn element_range(
        &mut self,
        designator: &Designator,
        limit: u64,
        cursor: &Cursor<'_>,
    ) -> Option<(u64, u64)> {
        let (lo, hi, span) = match designator {
            Designator::Index(e) => {
                let (v, _) = self.int_constant(e, "an array index")?;
                (v, v, e.span)
            }
            Designator::Range(a, b) => {
                let (lo, _) = self.int_constant(a, "an array index")?;
                let (hi, _) = self.int_constant(b, "an array index")?;
                (lo, hi, a.span.to(b.span))
            }
            Designator::Field(name) => {
                self.error(name.span, "a member designator does not fit an array");
                return None;
            }
        };
        debug_assert!(cursor.bare, "the item is being designated");
        if lo < 0 || hi < lo || hi >= i128::from(limit) {
            self.error(span, "the index lies outside the array");
            return None;
        }
        Some((lo as u64, hi as u64))
    }
    /// Repeats the pieces of element `lo`, those from `start` on, for every element up to `hi`.
    fn replicate(&mut self, start: usize, lo: u64, hi: u64, step: u64, sink: &mut Sink) {
        let pieces: Vec<Entry> = sink.entries[start..]
            .iter()
            .filter(|e| !e.dead)
            .cloned()
            .collect();
        if pieces.is_empty() || hi == lo {
            return;
        }
        if (hi - lo).saturating_mul(pieces.len() as u64) > MAX_PIECES {
            let what = "an initialiser of more than 16 million pieces";
            self.error(pieces[0].span, format!("not supported: {what}"));
            return;
        }
        let depth = sink.path.len();
        let pieces = if sink.constant {
            pieces
        } else {
            // The value is computed once.
            for entry in sink.entries[start..].iter_mut().filter(|e| !e.dead) {
                self.share(entry);
            }
            let live = sink.entries[start..].iter().filter(|e| !e.dead);
            live.cloned().map(read_shared).collect()
        };
        for number in lo + 1..=hi {
            for piece in &pieces {
                let mut copy = piece.clone();
                copy.offset += (number - lo) * step;
                if let Some(at) = copy.path.get_mut(depth) {
                    *at = PathStep::Index(number);
                }
                sink.clear(copy.offset, copy.offset + copy.bits);
                sink.end = sink.end.max(copy.offset + copy.bits);
                if copy.bits > 0
                    && let Some(index) = &mut sink.index
                {
                    index.insert(copy.offset, sink.entries.len());
                }
                sink.entries.push(copy);
            }
        }
    }
    /// Keeps a value with effects in a hidden variable, for elements that follow.
    fn share(&mut self, entry: &mut Entry) {
        if let Content::Value(e) = &mut entry.content
            && !is_pure(e)
            && self.func.is_some()
        {
            let span = e.span;
            let temp = self.new_temp(e.ty, span);
            let place = self.var_place(temp, e.ty, span);
            let value = std::mem::replace(e, mk(e.ty, ExprKind::Choose, span));
            *e = self.assign_expr(place, value, false);
        }
    }
    fn fill_record(
        &mut self,
        slot: Slot,
        record: RecordId,
        cursor: &mut Cursor<'_>,
        designators: &[Designator],
        top: bool,
        sink: &mut Sink,
    ) {
        let union = self.types.records[record].union;
        let fields = self.types.records[record].fields.len();
        let limit = if union { fields.min(1) } else { fields };
        let mut at = 0usize;
        let mut designators = designators;
        loop {
            if !designators.is_empty() {
                cursor.bare = true;
                let Some(number) = self.member_number(record, slot.ty, &designators[0]) else {
                    cursor.advance();
                    designators = &[];
                    continue;
                };
                let part = self.field_slot(slot, record, number, union, sink);
                let anonymous = self.types.records[record].fields[number as usize]
                    .name
                    .is_none();
                let rest = if anonymous {
                    designators
                } else {
                    &designators[1..]
                };
                sink.path.push(PathStep::Field(number));
                self.designated(part, cursor, rest, sink);
                sink.path.pop();
                designators = &[];
                at = if union { limit } else { number as usize + 1 };
                continue;
            }
            let Some(item) = cursor.item() else {
                break;
            };
            let own = cursor.designators();
            if !own.is_empty() {
                if !top {
                    break;
                }
                designators = own;
                continue;
            }
            if at >= limit {
                if !top {
                    break;
                }
                self.warn(init_span(&item.init), "excess elements in the initialiser");
                self.skip_rest(cursor);
                continue;
            }
            let part = self.field_slot(slot, record, at as u32, union, sink);
            sink.path.push(PathStep::Field(at as u32));
            self.next(part, cursor, sink);
            sink.path.pop();
            at += 1;
        }
    }
    fn field_slot(
        &mut self,
        slot: Slot,
        record: RecordId,
        number: u32,
        union: bool,
        sink: &mut Sink,
    ) -> Slot {
        // Another member of a union forgets the one before.
        if union && sink.unions.insert((slot.offset, record), number) != Some(number) {
            let size = self.program.types.records[record].size;
            sink.clear(slot.offset, slot.offset + size * 8);
        }
        let field = &self.types.records[record].fields[number as usize];
        let layout = &self.program.types.records[record].fields[number as usize];
        Slot {
            ty: field.ty,
            offset: slot.offset + layout.bit_offset,
            field: field.bits.map(|bits| (layout.ty, bits)),
        }
    }
    fn member_number(
        &mut self,
        record: RecordId,
        ty: QType,
        designator: &Designator,
    ) -> Option<u32> {
        match designator {
            Designator::Field(name) => match self.types.records[record].members.get(&name.name) {
                Some(path) => Some(path[0]),
                None => {
                    let shown = self.show(ty);
                    let message = format!("{shown} has no member '{}'", self.text(name.name));
                    self.error(name.span, message);
                    None
                }
            },
            Designator::Index(e) | Designator::Range(e, _) => {
                self.error(e.span, "an index designator needs an array");
                None
            }
        }
    }
    fn designated(
        &mut self,
        slot: Slot,
        cursor: &mut Cursor<'_>,
        rest: &[Designator],
        sink: &mut Sink,
    ) {
        if rest.is_empty() {
            self.next(slot, cursor, sink);
        } else {
            self.fill(slot, cursor, rest, false, sink);
        }
    }
    /// Initialises one object from the next item, or from several if its braces are left out.
    fn next(&mut self, slot: Slot, cursor: &mut Cursor<'_>, sink: &mut Sink) {
        let Some(item) = cursor.item() else {
            return;
        };
        let e = match &item.init {
            Initializer::List { items, span } => {
                cursor.advance();
                self.list(slot, items, *span, sink);
                return;
            }
            Initializer::Expr(e) => e,
        };
        if self.types.as_array(slot.ty.ty).is_some() {
            if cursor.pending.is_none() && self.string_init(slot, e, sink).is_some() {
                cursor.advance();
            } else {
                self.fill(slot, cursor, &[], false, sink);
            }
            return;
        }
        if self.types.as_record(slot.ty.ty).is_some() || self.is_vector(slot.ty) {
            if sink.constant
                && cursor.pending.is_none()
                && self.literal_init(slot, e, sink).is_some()
            {
                cursor.advance();
                return;
            }
            // A string is never a record; what it initialises is found further in.
            if as_string(e).is_none() {
                let operand = match cursor.pending.take() {
                    Some(operand) => operand,
                    None => self.expr(e),
                };
                if operand.ty.ty == slot.ty.ty
                    || operand.is_error()
                    || self.vectors_agree(operand.ty.ty, slot.ty.ty)
                {
                    cursor.advance();
                    self.put(slot, operand, sink);
                    return;
                }
                cursor.pending = Some(operand);
            }
            self.fill(slot, cursor, &[], false, sink);
            return;
        }
        let operand = match cursor.pending.take() {
            Some(operand) => operand,
            None => self.expr(e),
        };
        cursor.advance();
        self.put(slot, operand, sink);
    }
    /// One value for one scalar or record.
    fn put(&mut self, slot: Slot, operand: Operand, sink: &mut Sink) {
        let span = operand.e.span;
        let value = self.assign_convert(operand, slot.ty, Why::Init);
        if sink.constant
            && let Some((part, _)) = self.parts_of(slot.ty.ty)
        {
            self.put_parts(slot, value, part, sink);
            return;
        }
        let (ty, bits) = match slot.field {
            Some((ty, width)) => (ty, u64::from(width)),
            None => {
                let ty = self.cwi(slot.ty.ty);
                (ty, self.program.types.size_of(ty) * 8)
            }
        };
        let value = self.cast(value, ty);
        sink.push(slot.offset, bits, ty, Content::Value(value), span);
    }
}
