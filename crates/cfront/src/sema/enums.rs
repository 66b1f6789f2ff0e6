//! Enumerations: the type that gcc gives to each, and to each of its constants.

use super::Cx;
use super::ctype::{CKind, CTy, CTypes, EnumInfo, IntKind, QType};
use super::scope::{Entity, EntityId, EntityKind, Tag};
use crate::ast::{EnumSpec, Enumerator};
use cwolf_base::{Diagnostic, Span};
use cwolf_cwi::{IntTy, value};

/// Bits that `value` needs in a type of the given signedness.
fn bits_needed(value: i128, signed: bool) -> u16 {
    let magnitude = if value < 0 { !value } else { value };
    (128 - magnitude.leading_zeros()) as u16 + u16::from(signed)
}

fn fits(ty: IntTy, v: i128) -> bool {
    value::wrap(ty, v) == v
}

impl Cx<'_> {
    /// `enum tag`, or `enum tag { … }`.
    pub(super) fn enum_spec(&mut self, spec: &EnumSpec, span: Span, alone: bool) -> CTy {
        let defines = spec.enumerators.is_some();
        let fixed = spec.underlying.as_ref().map(|ty| {
            let ty = self.type_name(ty);
            if self.types.is_integer(ty.ty) {
                self.types.strip_enum(ty.ty)
            } else {
                self.error(span, "an enumeration's type must be an integer type");
                CTypes::INT
            }
        });
        let known = spec.tag.and_then(|tag| {
            if defines || (alone && fixed.is_some()) {
                self.scopes.tag_here(tag.name)
            } else {
                self.scopes.tag(tag.name)
            }
        });
        let id = match (known, spec.tag) {
            (Some(Tag::Enum(id)), Some(tag)) => {
                if defines && self.types.enums[id].complete && fixed.is_none() {
                    let text = format!("redefinition of 'enum {}'", self.text(tag.name));
                    let before = self.types.enums[id].span;
                    let d = Diagnostic::error(tag.span, text).related(before, "first defined here");
                    self.error_with(d);
                }
                id
            }
            (Some(Tag::Record(_)), Some(tag)) => {
                let text = format!(
                    "'{}' was declared as another kind of tag",
                    self.text(tag.name)
                );
                self.error(tag.span, text);
                return CTypes::ERROR;
            }
            _ => {
                let id = self.types.enums.push(EnumInfo {
                    tag: spec.tag.map(|t| t.name),
                    underlying: fixed.unwrap_or(CTypes::UINT),
                    complete: fixed.is_some(),
                    span: spec.tag.map_or(span, |t| t.span),
                });
                if let Some(tag) = spec.tag {
                    self.scopes.bind_tag(tag.name, Tag::Enum(id));
                }
                id
            }
        };
        let ty = self.types.intern(CKind::Enum(id));
        if let Some(list) = &spec.enumerators {
            let packed = self.attributes(&[&spec.attributes]).packed;
            let constants = self.enumerators(list, fixed);
            if fixed.is_none() {
                let underlying = self.enum_type(&constants, packed);
                let info = &mut self.types.enums[id];
                info.underlying = underlying;
            }
            self.types.enums[id].complete = true;
            for (constant, value) in constants {
                // gcc keeps `int` for every constant that fits.
                if fixed.is_some() || !fits(IntKind::Int.int_ty(self.types.target), value) {
                    self.entities[constant].ty = QType::plain(ty);
                }
            }
        }
        ty
    }
    fn enumerators(&mut self, list: &[Enumerator], fixed: Option<CTy>) -> Vec<(EntityId, i128)> {
        let mut next = 0i128;
        let mut constants = Vec::with_capacity(list.len());
        for enumerator in list {
            if let Some(e) = &enumerator.value
                && let Some((v, _)) = self.int_constant(e, "an enumerator's value")
            {
                next = v;
            }
            let widest = [
                IntKind::Int,
                IntKind::UInt,
                IntKind::LongLong,
                IntKind::ULongLong,
            ]
            .into_iter()
            .find(|k| fits(k.int_ty(self.types.target), next));
            let ty = match (fixed, widest) {
                (Some(ty), _) => {
                    if self.types.int_ty(ty).is_some_and(|t| !fits(t, next)) {
                        let message = "the enumerator does not fit the enumeration's type";
                        self.error(enumerator.name.span, message);
                        next = 0;
                    }
                    ty
                }
                (None, Some(kind)) => CTypes::int_id(kind),
                (None, None) => {
                    self.error(enumerator.name.span, "the enumerator fits no integer type");
                    next = 0;
                    CTypes::INT
                }
            };
            let entity = Entity {
                name: enumerator.name.name,
                ty: QType::plain(ty),
                span: enumerator.name.span,
                kind: EntityKind::EnumConst(next),
            };
            constants.push((self.bind_new(entity), next));
            next += 1;
        }
        constants
    }
    /// The smallest type that gcc chooses for these values.
    fn enum_type(&self, constants: &[(EntityId, i128)], packed: bool) -> CTy {
        let min = constants.iter().map(|c| c.1).min().unwrap_or(0);
        let max = constants.iter().map(|c| c.1).max().unwrap_or(0);
        let signed = min < 0;
        let bits = bits_needed(min, signed)
            .max(bits_needed(max, signed))
            .max(1);
        if packed || bits > self.types.target.int_bits {
            self.types.int_of_bits(bits, signed)
        } else if signed {
            CTypes::INT
        } else {
            CTypes::UINT
        }
    }
}
