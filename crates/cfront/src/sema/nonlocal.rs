//! GNU C's jumps out of nested functions. A label that `__label__` declares and a nested function jumps to
//! has a buffer in its function; the way back is marked where the label is declared, and again after each
//! nested function of that block, so that arrays of variable length that were declared by then stay. Marking
//! and jumping are what `setjmp` and `longjmp` do, but no local loses its value.

use super::Cx;
use super::ctype::{CTypes, Len, QType};
use crate::ast::Ident;
use crate::hir::{self, Expr, LabelId, StmtKind};
use cwolf_base::{Span, Symbol};
use cwolf_cwi::VarKind;
use rustc_hash::FxHashMap;

/// The words of gcc's own buffers.
const WORDS: u64 = 5;

impl Cx<'_> {
    /// The type of a buffer.
    fn buffer_type(&mut self) -> QType {
        let word = self.pointer_to(QType::plain(CTypes::VOID));
        QType::plain(self.types.array(word, Len::Known(WORDS)))
    }
    /// `goto label` where the label is one of a function around the current one: a call that does not return.
    pub(super) fn outer_goto(&mut self, name: Ident, span: Span) -> Option<Expr> {
        let has = |scopes: &[FxHashMap<Symbol, LabelId>]| {
            let mut scopes = scopes.iter().rev();
            scopes.find_map(|s| s.get(&name.name).copied())
        };
        if has(&self.func.as_ref()?.label_scopes).is_some() {
            return None;
        }
        // The first scope has the labels that nothing declares: only their own function sees them.
        let found = self.outer.iter().enumerate().rev();
        let mut found = found.filter_map(|(n, f)| Some((n, has(&f.label_scopes[1..])?)));
        let (owner, label) = found.next()?;
        let ty = self.buffer_type();
        let info = &mut self.outer[owner].labels[label.0 as usize];
        info.used.get_or_insert(name.span);
        let buffer = match info.buffer {
            Some(buffer) => buffer,
            None => {
                let function = self.outer[owner].id;
                let text = format!("goto#{}", self.text(name.name));
                let id = self.cwi(ty.ty);
                let var = self.new_var(text, id, VarKind::Local(function), span);
                self.outer[owner].labels[label.0 as usize].buffer = Some(var);
                var
            }
        };
        let place = self.variable(buffer, ty, span);
        let start = self.buffer_start(place);
        let one = self.int_operand(1, span);
        let jump = self.call_proto("__builtin_longjmp", "!vpi", vec![start, one], span);
        Some(jump.e)
    }
    fn buffer_start(&mut self, place: Expr) -> super::fold::Operand {
        let void = self.pointer_to(QType::plain(CTypes::VOID));
        let word = self.pointer_to(void);
        let word = self.cwi(word.ty);
        let to = self.cwi(void.ty);
        let address = self.addr_of(place, word);
        super::fold::Operand::value(self.cast(address, to), void)
    }
    /// In a block that has declared labels: marks the ways back to those that nested functions jump to.
    pub(super) fn ways_back(
        &mut self,
        names: &FxHashMap<Symbol, LabelId>,
        places: &[usize],
        out: &mut Vec<hir::Stmt>,
    ) {
        let mut labels: Vec<LabelId> = names.values().copied().collect();
        labels.sort_unstable_by_key(|l| l.0);
        let mut marks = Vec::new();
        for label in labels {
            let info = &self.state().labels[label.0 as usize];
            let (Some(buffer), Some(span)) = (info.buffer, info.used) else {
                continue;
            };
            let ty = self.buffer_type();
            let place = self.variable(buffer, ty, span);
            let start = self.buffer_start(place);
            let mark = self.call_proto("__cwolf_way_back", "ip", vec![start], span);
            let stmt = |kind| hir::Stmt { kind, span };
            marks.push(stmt(StmtKind::If {
                cond: mark.e,
                then: Box::new(stmt(StmtKind::Goto(label))),
                els: None,
            }));
        }
        for at in places.iter().rev() {
            out.splice(*at..*at, marks.iter().cloned());
        }
    }
}
