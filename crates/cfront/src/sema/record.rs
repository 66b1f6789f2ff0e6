//! Structs and unions: tags, members, layout.

use super::Cx;
use super::attr::Attrs;
use super::ctype::{CField, CKind, CTy, CTypes, Len, QType, RecordInfo};
use super::scope::Tag;
use crate::ast::{self, FieldDeclarator, Member, RecordSpec, Specifiers, TypeSpecKind};
use cwolf_base::{Diagnostic, Span, Symbol};
use cwolf_cwi::layout::{self, RecordAttrs};
use cwolf_cwi::{Field, Record, RecordId, RecordKind, VaList};
use rustc_hash::FxHashMap;

/// A member with what its layout needs.
pub(super) struct Placed {
    pub(super) field: CField,
    pub(super) member: layout::Member,
    pub(super) span: Span,
}

impl Cx<'_> {
    /// A new, incomplete record.
    fn new_record(&mut self, tag: Option<Symbol>, union: bool, span: Span) -> RecordId {
        let plain = match tag {
            Some(tag) => self.text(tag).to_owned(),
            None => format!("anon#{}", self.types.records.len()),
        };
        let mut name = plain.clone();
        let mut copies = 1;
        while !self.record_names.insert(name.clone()) {
            copies += 1;
            name = format!("{plain}#{copies}");
        }
        let id = self.program.types.records.push(Record {
            name,
            kind: if union {
                RecordKind::Union
            } else {
                RecordKind::Struct
            },
            fields: Vec::new(),
            size: 0,
            align: 1,
            complete: false,
        });
        let same = self.types.records.push(RecordInfo {
            tag,
            union,
            fields: Vec::new(),
            members: FxHashMap::default(),
            complete: false,
            transparent: false,
            flexible: false,
            unsupported: None,
            runtime: None,
            foreign: None,
            span,
        });
        debug_assert_eq!(id, same, "the two tables grow together");
        id
    }
    /// A record without members that stands for a type this tool does not model.
    pub(super) fn opaque_record(&mut self, size: u64) -> RecordId {
        let tag = self.session.names.intern("unsupported#");
        let id = self.new_record(Some(tag), false, Span::default());
        let record = &mut self.program.types.records[id];
        record.size = size;
        record.align = if size.is_power_of_two() {
            size.min(16)
        } else {
            1
        };
        record.complete = true;
        self.types.records[id].complete = true;
        id
    }
    fn record_type(&mut self, id: RecordId) -> CTy {
        self.types.intern(CKind::Record(id))
    }
    /// `struct tag`, `struct tag { … }` or the same with `union`.
    pub(super) fn record_spec(&mut self, spec: &RecordSpec, span: Span, alone: bool) -> CTy {
        let defines = spec.members.is_some();
        let known = spec.tag.and_then(|tag| {
            if defines || alone {
                self.scopes.tag_here(tag.name)
            } else {
                self.scopes.tag(tag.name)
            }
        });
        let id = match (known, spec.tag) {
            (Some(Tag::Record(id)), Some(tag)) => {
                let info = &self.types.records[id];
                let before = info.span;
                if info.union != spec.union {
                    let text = format!(
                        "'{}' was declared as another kind of tag",
                        self.text(tag.name)
                    );
                    let d = Diagnostic::error(tag.span, text).related(before, "declared here");
                    self.error_with(d);
                    return CTypes::ERROR;
                }
                if defines && info.complete {
                    let text = format!("redefinition of '{}'", self.text(tag.name));
                    let d = Diagnostic::error(tag.span, text).related(before, "first defined here");
                    self.error_with(d);
                    self.new_record(Some(tag.name), spec.union, span)
                } else {
                    id
                }
            }
            (Some(Tag::Enum(_)), Some(tag)) => {
                let text = format!(
                    "'{}' was declared as another kind of tag",
                    self.text(tag.name)
                );
                self.error(tag.span, text);
                return CTypes::ERROR;
            }
            _ => {
                let tag_span = spec.tag.map_or(span, |t| t.span);
                let id = self.new_record(spec.tag.map(|t| t.name), spec.union, tag_span);
                if let Some(tag) = spec.tag {
                    self.scopes.bind_tag(tag.name, Tag::Record(id));
                }
                id
            }
        };
        let attrs = self.attributes(&[&spec.attributes]);
        if let Some(members) = &spec.members {
            self.types.records[id].span = spec.tag.map_or(span, |t| t.span);
            self.define_record(id, members, &attrs, spec.pack, span);
        }
        if let Some(what) = attrs.strange_record {
            let info = &mut self.types.records[id];
            info.foreign = Some(what);
            info.unsupported.get_or_insert(what);
        }
        if attrs.transparent_union && spec.union {
            self.types.records[id].transparent = true;
        }
        self.record_type(id)
    }
    fn define_record(
        &mut self,
        id: RecordId,
        members: &[Member],
        attrs: &Attrs,
        pack: Option<u64>,
        span: Span,
    ) {
        let mut placed = Vec::new();
        for member in members {
            match member {
                Member::StaticAssert(assert) => self.static_assert(assert),
                Member::Fields {
                    specs,
                    fields,
                    span,
                } => self.member(specs, fields, *span, &mut placed),
            }
        }
        if self.types.records[id].complete {
            self.error(span, "a record cannot be defined inside itself");
            return;
        }
        let attrs = RecordAttrs {
            packed: attrs.packed,
            align: attrs.aligned,
            pack,
        };
        self.complete_record(id, placed, attrs, span);
    }
    fn complete_record(
        &mut self,
        id: RecordId,
        placed: Vec<Placed>,
        attrs: RecordAttrs,
        span: Span,
    ) {
        let mut placed = placed;
        if placed.iter().any(|p| self.types.is_vla(p.field.ty.ty)) {
            if self.has_runtime_layout(id, &placed) {
                self.complete_runtime(id, placed, attrs, span);
                return;
            }
            self.no_runtime_layout(&mut placed, span);
        }
        let kind = self.program.types.records[id].kind;
        let members: Vec<layout::Member> = placed.iter().map(|p| p.member).collect();
        let limit = self.max_object_size();
        let found =
            layout::layout(self.types.target, kind, &members, attrs).filter(|l| l.size <= limit);
        let layout = found.unwrap_or_else(|| {
            self.error(span, "the record is larger than any object can be");
            layout::Layout {
                size: 0,
                align: 1,
                offsets: vec![0; members.len()],
            }
        });
        let mut fields = Vec::new();
        let mut c_fields = Vec::new();
        let mut names: FxHashMap<Symbol, Vec<u32>> = FxHashMap::default();
        let mut unsupported = None;
        let mut flexible = false;
        let last = placed.len().saturating_sub(1);
        for (n, (p, &bit_offset)) in placed.into_iter().zip(&layout.offsets).enumerate() {
            let index = c_fields.len() as u32;
            let declared = p.field.ty.ty;
            unsupported = unsupported.or(self.types.unsupported(declared));
            flexible = self.check_flexible(kind, declared, n, last, p.span);
            match p.field.name {
                Some(name) => {
                    if names.insert(name, vec![index]).is_some() {
                        let message = format!("duplicate member '{}'", self.text(name));
                        self.error(p.span, message);
                    }
                }
                // Unnamed bit-fields only take space.
                None if p.field.bits.is_some() => continue,
                None => {
                    if let Some(inner) = self.types.as_record(declared) {
                        let inner = self.types.records[inner].members.clone();
                        for (name, path) in inner {
                            let mut whole = vec![index];
                            whole.extend(path);
                            if names.insert(name, whole).is_some() {
                                let message = format!("duplicate member '{}'", self.text(name));
                                self.error(p.span, message);
                            }
                        }
                    }
                }
            }
            let ty = match (p.field.bits, self.types.int_ty(declared)) {
                // Of a truth value, too: where it is written, it has been converted to one.
                (Some(width), Some(int)) => self.program.types.int(width, int.signed),
                _ => self.cwi(declared),
            };
            let name = p.field.name.map_or("", |n| self.session.names.text(n));
            fields.push(Field {
                name: name.to_owned(),
                ty,
                bit_offset,
                bit_field: p.field.bits.is_some(),
            });
            let align = layout::plain_align(&p.member, attrs);
            c_fields.push(CField {
                align: p.field.bits.is_none().then_some(align),
                ..p.field
            });
        }
        let record = &mut self.program.types.records[id];
        record.fields = fields;
        record.size = layout.size;
        record.align = layout.align;
        record.complete = true;
        let info = &mut self.types.records[id];
        info.fields = c_fields;
        info.members = names;
        info.unsupported = unsupported;
        info.flexible = flexible;
        info.complete = true;
    }
    /// Whether a member is a flexible array; it must be the last, and not the only, one.
    fn check_flexible(
        &mut self,
        kind: RecordKind,
        ty: CTy,
        number: usize,
        last: usize,
        span: Span,
    ) -> bool {
        let Some((_, Len::Unknown)) = self.types.as_array(ty) else {
            return false;
        };
        if kind == RecordKind::Struct && number != last {
            self.error(span, "a flexible array must be the last member");
        }
        true
    }
    fn member(
        &mut self,
        specs: &Specifiers,
        fields: &[FieldDeclarator],
        span: Span,
        placed: &mut Vec<Placed>,
    ) {
        let base = self.specifiers(specs, fields.is_empty());
        if fields.is_empty() {
            let untagged = matches!(
                specs.ty.as_ref().map(|t| &t.kind),
                Some(TypeSpecKind::Record(r)) if r.tag.is_none()
            );
            match self.types.as_record(base.ty.ty) {
                Some(_) if untagged => {
                    let align = base.attrs.aligned.max(base.align);
                    self.place(None, base.ty, None, align, base.attrs.packed, span, placed);
                }
                _ => self.warn(span, "this declares no member"),
            }
            return;
        }
        for field in fields {
            let mut attrs = self.attributes(&[&field.attributes]);
            let (name, mut ty) = match &field.declarator {
                Some(d) => {
                    let own = self.attributes(&[&d.attributes]);
                    attrs.packed |= own.packed;
                    attrs.aligned = attrs.aligned.max(own.aligned);
                    (d.name.map(|n| n.name), self.declarator(base.ty, d))
                }
                None => (None, base.ty),
            };
            ty = self.apply_mode(ty, &attrs, field.span);
            let packed = attrs.packed || base.attrs.packed;
            let align = attrs.aligned.max(base.attrs.aligned).max(base.align);
            let width = match &field.width {
                Some(width) => match self.bit_width(ty, width, name) {
                    Some(width) => Some(width),
                    None => continue,
                },
                None => None,
            };
            self.place(name, ty, width, align, packed, field.span, placed);
        }
    }
    #[allow(clippy::too_many_arguments)]
    fn place(
        &mut self,
        name: Option<Symbol>,
        ty: QType,
        width: Option<u16>,
        explicit_align: Option<u64>,
        packed: bool,
        span: Span,
        placed: &mut Vec<Placed>,
    ) {
        let flexible = matches!(self.types.as_array(ty.ty), Some((_, Len::Unknown)));
        if self.types.is_func(ty.ty) {
            self.error(span, "a member cannot be a function");
            return;
        } else if !flexible && !self.types.is_complete(ty.ty) {
            let shown = self.show(ty);
            self.error(span, format!("the member has the incomplete type {shown}"));
            return;
        }
        let size = if flexible {
            0
        } else {
            self.size_of(ty.ty).unwrap_or(0)
        };
        let align = self.align_of(ty);
        placed.push(Placed {
            field: CField {
                name,
                ty,
                bits: width,
                align: None,
            },
            member: layout::Member {
                size,
                align,
                explicit_align,
                packed,
                width: width.map(u64::from),
                named: name.is_some(),
            },
            span,
        });
    }
    fn bit_width(&mut self, ty: QType, width: &ast::Expr, name: Option<Symbol>) -> Option<u16> {
        let (value, _) = self.int_constant(width, "the width of a bit-field")?;
        let Some(int) = self.types.int_ty(ty.ty) else {
            if !self.types.is_error(ty.ty) {
                self.error(width.span, "a bit-field must have an integer type");
            }
            return None;
        };
        if value < 0 {
            self.error(width.span, "the width of a bit-field cannot be negative");
            return None;
        }
        if value > i128::from(int.bits) {
            self.error(width.span, "the bit-field is wider than its type");
            return None;
        }
        if value == 0 && name.is_some() {
            self.error(width.span, "a bit-field of width 0 cannot have a name");
            return None;
        }
        Some(value as u16)
    }
    /// Size in bytes that no object may pass.
    pub(super) fn max_object_size(&self) -> u64 {
        u64::MAX >> (65 - self.types.target.pointer_bits())
    }
    /// The record behind a complex type: field 0 is the real part, field 1 the imaginary one.
    pub(super) fn complex_record(&mut self, part: CTy) -> RecordId {
        let part = QType::plain(part);
        let name = format!("_Complex {}", self.types.name(part, &self.session.names));
        self.built_in_record(&name, &[("real", part), ("imag", part)], None)
    }
    /// The record behind a vector type: its one field is the array of elements.
    pub(super) fn vector_record(&mut self, elem: CTy, len: u64) -> RecordId {
        let elem = QType::plain(elem);
        let name = format!(
            "vector {len} {}",
            self.types.name(elem, &self.session.names)
        );
        let array = QType::plain(self.types.array(elem, Len::Known(len)));
        let size = self.size_of(array.ty).unwrap_or(1);
        self.built_in_record(&name, &[("elements", array)], Some(size))
    }
    /// The record of a nested function's chain, which gets its members when it is known what it uses.
    pub(super) fn frame_record(&mut self, function: &str) -> RecordId {
        let tag = self.session.names.intern(&format!("frame#{function}"));
        self.new_record(Some(tag), false, Span::default())
    }
    pub(super) fn complete_frame(&mut self, id: RecordId, members: &[(String, QType)]) {
        let mut placed = Vec::new();
        for (number, (name, ty)) in members.iter().enumerate() {
            // Blocks may have variables of the same name.
            let name = self.session.names.intern(&format!("{name}#{number}"));
            // Of variable length or not, a member is a pointer.
            let size = self.types.target.pointer_size();
            placed.push(Placed {
                field: CField {
                    name: Some(name),
                    ty: *ty,
                    bits: None,
                    align: None,
                },
                member: layout::Member {
                    size,
                    align: size,
                    explicit_align: None,
                    packed: false,
                    width: None,
                    named: true,
                },
                span: Span::default(),
            });
        }
        self.complete_record(id, placed, RecordAttrs::default(), Span::default());
    }
    /// A record that no declaration names.
    fn built_in_record(
        &mut self,
        name: &str,
        members: &[(&str, QType)],
        align: Option<u64>,
    ) -> RecordId {
        let tag = self.session.names.intern(name);
        let span = Span::default();
        let id = self.new_record(Some(tag), false, span);
        let mut placed = Vec::new();
        for &(name, ty) in members {
            let name = self.session.names.intern(name);
            self.place(Some(name), ty, None, None, false, span, &mut placed);
        }
        let attrs = RecordAttrs {
            align,
            ..RecordAttrs::default()
        };
        self.complete_record(id, placed, attrs, span);
        id
    }
    /// The record behind x86-64's `va_list`.
    pub(super) fn va_list_record(&mut self) -> CTy {
        let area = self.pointer_to(QType::plain(CTypes::VOID));
        let (int, uint) = (QType::plain(CTypes::INT), QType::plain(CTypes::UINT));
        let members = match self.types.target.va_list {
            VaList::Aarch64 => vec![
                ("__stack", area),
                ("__gr_top", area),
                ("__vr_top", area),
                ("__gr_offs", int),
                ("__vr_offs", int),
            ],
            _ => vec![
                ("gp_offset", uint),
                ("fp_offset", uint),
                ("overflow_arg_area", area),
                ("reg_save_area", area),
            ],
        };
        let id = self.built_in_record("__va_list_tag", &members, None);
        self.record_type(id)
    }
}
