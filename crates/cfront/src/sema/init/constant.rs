//! Initialisers of objects that live for the whole run: every piece is a constant.

use super::super::Cx;
use super::super::ctype::CTy;
use super::super::fold::{Const, Operand};
use super::super::whole::Use;
use super::Slot;
use super::sink::{Content, Entry, Sink};
use crate::hir::{Expr, ExprKind};
use cwolf_cwi::{Definition, InitItem, InitValue, Type, TypeId, VarId};

impl Cx<'_> {
    pub(super) fn init_item(&mut self, entry: Entry, items: &mut Vec<InitItem>) {
        let mut e = match entry.content {
            Content::Value(e) => e,
            Content::Text { units, elem, len } => {
                if len == 1 && units.first().is_none_or(|u| *u == 0) {
                    return;
                }
                self.string_items(&units, elem, len, entry.offset, items);
                return;
            }
        };
        self.read_constants(&mut e);
        let value = match self.constant(&e) {
            Some(Const::Int(0) | Const::Float(0)) => return,
            Some(Const::Int(v)) => InitValue::Int(v),
            Some(Const::Float(v)) => InitValue::Float(v),
            Some(Const::Addr(var, at)) if self.holds_address(entry.ty) => InitValue::Addr(var, at),
            Some(Const::Func(func)) if self.holds_address(entry.ty) => InitValue::Func(func),
            _ => {
                if self.copy_constant(&e, entry.offset, items) {
                    return;
                }
                // Errors have been reported when the expression was read.
                if !matches!(e.kind, ExprKind::Choose) {
                    self.error(
                        entry.span,
                        "the initialiser of a static object must be a constant",
                    );
                }
                return;
            }
        };
        items.push(InitItem {
            bit_offset: entry.offset,
            ty: entry.ty,
            value,
        });
    }
    /// As in gcc, a `const` number that is already initialised is a constant itself; so is a compound literal.
    fn read_constants(&self, e: &mut Expr) {
        match &mut e.kind {
            ExprKind::Cast(a) | ExprKind::Unary(_, a) => self.read_constants(a),
            ExprKind::Binary(_, a, b) | ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                self.read_constants(a);
                self.read_constants(b);
            }
            ExprKind::Cond(c, a, b) => {
                for e in [c, a, b] {
                    self.read_constants(e);
                }
            }
            ExprKind::Load(place, false) => {
                if let Some(Const::Addr(var, at)) = self.place_address(place)
                    && let Some(kind) = self.constant_in(var, at, e.ty)
                {
                    e.kind = kind;
                }
            }
            _ => {}
        }
    }
    fn constant_in(&self, var: VarId, at: i64, ty: TypeId) -> Option<ExprKind> {
        let info = &self.program.vars[var];
        let fixed = info.constant && !info.volatile && !info.weak;
        let known = fixed || info.name.starts_with("compound#");
        let here = info.definition == Definition::Defined && !info.kind.is_automatic();
        let types = &self.program.types;
        let number = matches!(types[ty], Type::Int(_) | Type::Float(_));
        if !known || !here || !number {
            return None;
        }
        let start = u64::try_from(at).ok()? * 8;
        let end = start + types.size_of(ty) * 8;
        if end > types.size_of(info.ty) * 8 {
            return None;
        }
        let overlaps = |item: &&InitItem| {
            item.bit_offset < end && start < item.bit_offset + types.size_of(item.ty) * 8
        };
        let mut items = info.init.iter().filter(overlaps);
        match (items.next(), &types[ty]) {
            (None, Type::Int(_)) => Some(ExprKind::Int(0)),
            (None, _) => Some(ExprKind::Float(0)),
            (Some(item), _) if item.bit_offset == start && item.ty == ty => match item.value {
                InitValue::Int(v) => Some(ExprKind::Int(v)),
                InitValue::Float(v) => Some(ExprKind::Float(v)),
                _ => None,
            },
            _ => None,
        }
    }
    fn holds_address(&self, ty: TypeId) -> bool {
        let types = &self.program.types;
        types.is_scalar(ty) && types.size_of(ty) == types.target().pointer_size()
    }
    /// A record initialised with a file-scope compound literal: its contents are copied.
    fn copy_constant(&mut self, e: &Expr, offset: u64, items: &mut Vec<InitItem>) -> bool {
        let ExprKind::Load(place, false) = &e.kind else {
            return false;
        };
        let ExprKind::Var(var) = place.kind else {
            return false;
        };
        let info = &self.program.vars[var];
        if !info.name.starts_with("compound#") || info.kind.is_automatic() {
            return false;
        }
        items.extend(info.init.iter().map(|item| InitItem {
            bit_offset: item.bit_offset + offset,
            ..item.clone()
        }));
        true
    }
    /// The parts of a complex number or vector, each a constant by itself.
    pub(super) fn put_parts(&mut self, slot: Slot, value: Expr, part: CTy, sink: &mut Sink) {
        let span = value.span;
        let id = self.cwi(part);
        let bits = self.program.types.size_of(id) * 8;
        let mut before = Vec::new();
        let value = Operand::value(value, slot.ty.unqualified());
        let value = self.parts(value, Use::ONCE, &mut before);
        if !before.is_empty() {
            self.error(
                span,
                "the initialiser of a static object must be a constant",
            );
            return;
        }
        let mut offset = slot.offset;
        for part in value {
            sink.push(offset, bits, id, Content::Value(part), span);
            offset += bits;
        }
    }
}
