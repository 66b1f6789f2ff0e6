//! Statements.

use super::Cx;
use super::conv::Why;
use super::ctype::{CTypes, QType};
use super::fold::{Operand, is_number, mk};
use super::func::LabelInfo;
use crate::ast::{self, BlockItem, ForInit, Ident};
use crate::hir::{self, ExprKind, LabelId, StmtKind};
use cwolf_base::{Diagnostic, Span};
use cwolf_cwi::{IntTy, Types, value};
use rustc_hash::FxHashMap;

/// A `switch` around the current statement.
#[derive(Debug)]
pub(crate) struct SwitchState {
    ty: IntTy,
    cases: Vec<(i128, i128, Span)>,
    default: Option<Span>,
}

impl Cx<'_> {
    pub(super) fn state(&mut self) -> &mut super::func::FnState {
        self.sema
            .func
            .as_mut()
            .expect("statements are in functions")
    }
    fn push_stmt(&self, out: &mut Vec<hir::Stmt>, kind: StmtKind, span: Span) {
        out.push(hir::Stmt { kind, span });
    }
    /// The items of a block, in the scope that is open.
    pub(super) fn block_items(&mut self, items: &[BlockItem], out: &mut Vec<hir::Stmt>) {
        let mut local_labels = false;
        let mut ways_back = Vec::new();
        for item in items {
            if local_labels && matches!(item, BlockItem::NestedFunction(_)) {
                self.block_item(item, out);
                ways_back.push(out.len());
                continue;
            }
            if let BlockItem::LocalLabels(names) = item {
                ways_back.push(out.len());
                if !local_labels {
                    self.state().label_scopes.push(FxHashMap::default());
                    local_labels = true;
                }
                for name in names {
                    let id = self.new_label(*name);
                    let scopes = &mut self.state().label_scopes;
                    let innermost = scopes.last_mut().expect("pushed above");
                    innermost.insert(name.name, id);
                }
                continue;
            }
            self.block_item(item, out);
        }
        if local_labels {
            let names = self.state().label_scopes.pop().unwrap_or_default();
            self.ways_back(&names, &ways_back, out);
        }
    }
    fn block_item(&mut self, item: &BlockItem, out: &mut Vec<hir::Stmt>) {
        match item {
            BlockItem::Declaration(decl) => {
                let stmts = self.declaration(decl);
                out.extend(stmts);
            }
            BlockItem::StaticAssert(assert) => self.static_assert(assert),
            BlockItem::LocalLabels(_) => {}
            BlockItem::NestedFunction(def) => self.nested_function(def),
            BlockItem::Stmt(stmt) => self.stmt(stmt, out),
        }
    }
    fn block(&mut self, block: &ast::Block) -> Vec<hir::Stmt> {
        self.scopes.push();
        let mut out = Vec::with_capacity(block.items.len());
        self.block_items(&block.items, &mut out);
        self.scopes.pop();
        out
    }
    /// A statement that another one holds; it is a scope of its own.
    fn sub_stmt(&mut self, stmt: &ast::Stmt) -> Box<hir::Stmt> {
        self.scopes.push();
        let mut out = Vec::new();
        self.stmt(stmt, &mut out);
        self.scopes.pop();
        Box::new(match out.len() {
            1 => out.pop().expect("there is one"),
            _ => hir::Stmt {
                kind: StmtKind::Block(out),
                span: stmt.span,
            },
        })
    }
    fn loop_body(&mut self, body: &ast::Stmt) -> Box<hir::Stmt> {
        self.state().loops += 1;
        self.state().breakable += 1;
        let body = self.sub_stmt(body);
        self.state().loops -= 1;
        self.state().breakable -= 1;
        body
    }
    fn stmt(&mut self, stmt: &ast::Stmt, out: &mut Vec<hir::Stmt>) {
        use ast::StmtKind as K;
        let span = stmt.span;
        match &stmt.kind {
            K::Empty => {}
            K::Expr(e) => {
                let e = self.expr_for_effect(e);
                if !is_number(&e) {
                    self.push_stmt(out, StmtKind::Expr(e), span);
                }
            }
            K::Block(block) => {
                let body = self.block(block);
                self.push_stmt(out, StmtKind::Block(body), span);
            }
            K::If { cond, then, els } => {
                self.scopes.push();
                let cond = self.condition(cond);
                let then = self.sub_stmt(then);
                let els = els.as_ref().map(|s| self.sub_stmt(s));
                self.scopes.pop();
                self.push_stmt(out, StmtKind::If { cond, then, els }, span);
            }
            K::While { cond, body } => {
                self.scopes.push();
                let cond = self.condition(cond);
                let body = self.loop_body(body);
                self.scopes.pop();
                self.push_stmt(out, StmtKind::While { cond, body }, span);
            }
            K::DoWhile { body, cond } => {
                self.scopes.push();
                let body = self.loop_body(body);
                let cond = self.condition(cond);
                self.scopes.pop();
                self.push_stmt(out, StmtKind::DoWhile { body, cond }, span);
            }
            K::For {
                init,
                cond,
                step,
                body,
            } => {
                let kind = self.for_stmt(init, cond.as_ref(), step.as_ref(), body);
                self.push_stmt(out, kind, span);
            }
            K::Switch { on, body } => {
                self.scopes.push();
                let kind = self.switch(on, body);
                self.scopes.pop();
                self.push_stmt(out, kind, span);
            }
            K::Case { lo, hi, body } => {
                if let Some(kind) = self.case(lo, hi.as_ref(), span) {
                    self.push_stmt(out, kind, span);
                }
                self.stmt(body, out);
            }
            K::Default(body) => {
                if self.default_case(span) {
                    self.push_stmt(out, StmtKind::Default, span);
                }
                self.stmt(body, out);
            }
            K::Label { name, body } => {
                if let Some(label) = self.define_label(*name) {
                    self.push_stmt(out, StmtKind::Label(label), span);
                }
                if self.session.options.error_labels && self.text(name.name) == "ERROR" {
                    let call = self.error_call(name.span);
                    self.push_stmt(out, StmtKind::Expr(call.e), name.span);
                }
                if matches!(body.kind, K::Empty) {
                    self.push_stmt(out, StmtKind::Empty, span);
                }
                self.stmt(body, out);
            }
            K::Goto(name) => {
                if let Some(jump) = self.outer_goto(*name, span) {
                    self.push_stmt(out, StmtKind::Expr(jump), span);
                    return;
                }
                let label = self.use_label(*name);
                self.push_stmt(out, StmtKind::Goto(label), span);
            }
            K::ComputedGoto(e) => {
                let operand = self.expr(e);
                let to = self.pointer_to(QType::plain(CTypes::VOID));
                let e = self.assign_convert(operand, to, Why::Assign);
                self.push_stmt(out, StmtKind::ComputedGoto(e), span);
            }
            K::Break => {
                if self.state().breakable == 0 {
                    self.error(span, "'break' is outside of a loop or switch");
                }
                self.push_stmt(out, StmtKind::Break, span);
            }
            K::Continue => {
                if self.state().loops == 0 {
                    self.error(span, "'continue' is outside of a loop");
                }
                self.push_stmt(out, StmtKind::Continue, span);
            }
            K::Return(value) => self.return_stmt(value.as_ref(), span, out),
            K::Asm(asm) => self.asm(asm, span, out),
        }
    }
    fn for_stmt(
        &mut self,
        init: &ForInit,
        cond: Option<&ast::Expr>,
        step: Option<&ast::Expr>,
        body: &ast::Stmt,
    ) -> StmtKind {
        self.scopes.push();
        let init = match init {
            ForInit::None => Vec::new(),
            ForInit::Expr(e) => {
                let e = self.expr_for_effect(e);
                let span = e.span;
                vec![hir::Stmt {
                    kind: StmtKind::Expr(e),
                    span,
                }]
            }
            ForInit::Declaration(decl) => self.declaration(decl),
        };
        let cond = cond.map(|e| self.condition(e));
        let step = step.map(|e| self.expr_for_effect(e));
        let body = self.loop_body(body);
        self.scopes.pop();
        StmtKind::For {
            init,
            cond,
            step,
            body,
        }
    }
    fn switch(&mut self, on: &ast::Expr, body: &ast::Stmt) -> StmtKind {
        let span = on.span;
        let operand = self.expr(on);
        let mut operand = self.promote(operand);
        if !self.types.is_integer(operand.ty.ty) {
            if !operand.is_error() {
                let shown = self.show(operand.ty);
                self.error(span, format!("'switch' needs an integer, not {shown}"));
            }
            operand = self.int_operand(0, span);
        }
        let ty = self.types.int_ty(operand.ty.ty).unwrap_or(IntTy::INT);
        let state = self.state();
        state.switches.push(SwitchState {
            ty,
            cases: Vec::new(),
            default: None,
        });
        state.breakable += 1;
        let body = self.sub_stmt(body);
        let state = self.state();
        state.breakable -= 1;
        let done = state.switches.pop().expect("pushed above");
        self.check_cases(done);
        StmtKind::Switch {
            on: operand.e,
            body,
        }
    }
    fn check_cases(&mut self, switch: SwitchState) {
        let mut cases = switch.cases;
        // Unsigned 128-bit values past the middle look negative; their order does not matter
        // for finding equal ones.
        cases.sort_by_key(|c| (c.0, c.2.lo));
        let mut widest: Option<(i128, Span)> = None;
        for (lo, hi, span) in cases {
            if let Some((end, before)) = widest
                && lo <= end
            {
                let d = Diagnostic::error(span, "this value has a case already")
                    .related(before, "here");
                self.error_with(d);
            }
            if widest.is_none_or(|(end, _)| hi > end) {
                widest = Some((hi, span));
            }
        }
    }
    fn case(&mut self, lo: &ast::Expr, hi: Option<&ast::Expr>, span: Span) -> Option<StmtKind> {
        let first = self.int_constant(lo, "a case");
        let last = match hi {
            Some(hi) => self.int_constant(hi, "a case"),
            None => first,
        };
        let Some(switch) = self.state().switches.last_mut() else {
            self.error(span, "'case' is outside of a switch");
            return None;
        };
        let ty = switch.ty;
        let (lo, hi) = (value::wrap(ty, first?.0), value::wrap(ty, last?.0));
        if lo > hi {
            self.warn(span, "this range is empty");
            return None;
        }
        switch.cases.push((lo, hi, span));
        Some(StmtKind::Case { lo, hi })
    }
    fn default_case(&mut self, span: Span) -> bool {
        let Some(switch) = self.state().switches.last_mut() else {
            self.error(span, "'default' is outside of a switch");
            return false;
        };
        if let Some(before) = switch.default.replace(span) {
            let d = Diagnostic::error(span, "a switch has only one 'default'")
                .related(before, "first one here");
            self.error_with(d);
            return false;
        }
        true
    }
    fn new_label(&mut self, name: Ident) -> LabelId {
        let depth = self.scopes.depth();
        let labels = &mut self.state().labels;
        labels.push(LabelInfo {
            name: name.name,
            defined: None,
            used: None,
            buffer: None,
            depth,
            inner: false,
        });
        LabelId(labels.len() as u32 - 1)
    }
    fn label(&mut self, name: Ident) -> LabelId {
        let scopes = &self.state().label_scopes;
        if let Some(id) = scopes.iter().rev().find_map(|s| s.get(&name.name)) {
            return *id;
        }
        let id = self.new_label(name);
        self.state().label_scopes[0].insert(name.name, id);
        id
    }
    pub(super) fn use_label(&mut self, name: Ident) -> LabelId {
        let id = self.label(name);
        let info = &mut self.state().labels[id.0 as usize];
        info.used.get_or_insert(name.span);
        id
    }
    fn define_label(&mut self, name: Ident) -> Option<LabelId> {
        let id = self.label(name);
        let depth = self.scopes.depth();
        let info = &mut self.state().labels[id.0 as usize];
        info.inner = depth > info.depth;
        if let Some(before) = info.defined {
            let text = format!("the label '{}' is defined twice", self.text(name.name));
            let d = Diagnostic::error(name.span, text).related(before, "first defined here");
            self.error_with(d);
            return None;
        }
        info.defined = Some(name.span);
        Some(id)
    }
    /// At the end of a function: every label that is used must be defined.
    pub(super) fn check_labels(&mut self) {
        let labels = self.state().labels.clone();
        for label in labels {
            if let (Some(used), None) = (label.used, label.defined) {
                let message = format!(
                    "the label '{}' is used but not defined",
                    self.text(label.name)
                );
                self.error(used, message);
            }
        }
    }
    /// `&&label`
    pub(super) fn label_address(&mut self, name: Ident, span: Span) -> Operand {
        if self.func.is_none() {
            self.error(span, "labels exist in functions only");
            return Operand::error(span);
        }
        let id = self.use_label(name);
        let taken = &mut self.state().address_taken;
        if !taken.contains(&id) {
            taken.push(id);
        }
        let ty = self.pointer_to(QType::plain(CTypes::VOID));
        let type_id = self.cwi(ty.ty);
        Operand::value(mk(type_id, ExprKind::LabelAddr(id), span), ty)
    }
    fn return_stmt(&mut self, value: Option<&ast::Expr>, span: Span, out: &mut Vec<hir::Stmt>) {
        let ret = self.state().ret;
        let is_void = self.types.is_void(ret.ty);
        let value = match value {
            None if is_void => None,
            None => {
                self.warn(
                    span,
                    "'return' without a value in a function that returns one",
                );
                let id = self.cwi(ret.ty);
                Some(mk(id, ExprKind::Choose, span))
            }
            Some(e) if is_void => {
                let operand = self.expr(e);
                if !self.types.is_void(operand.ty.ty) && !operand.is_error() {
                    self.warn(
                        e.span,
                        "'return' with a value in a function that returns none",
                    );
                }
                let e = self.for_effect(operand);
                if !is_number(&e) {
                    self.push_stmt(out, StmtKind::Expr(e), span);
                }
                None
            }
            Some(e) => {
                let operand = self.expr(e);
                Some(self.assign_convert(operand, ret, Why::Return))
            }
        };
        self.push_stmt(out, StmtKind::Return(value), span);
    }
    /// `({ … })`
    pub(super) fn stmt_expr(&mut self, block: &ast::Block, span: Span) -> Operand {
        if self.func.is_none() {
            self.error(span, "a statement expression is allowed in functions only");
            return Operand::error(span);
        }
        self.scopes.push();
        let mut body = Vec::new();
        let mut result = None;
        let (last, before) = match block.items.split_last() {
            Some((BlockItem::Stmt(stmt), before)) => (value_stmt(stmt), before),
            _ => (None, &block.items[..]),
        };
        match last {
            Some((labels, e)) => {
                let local = before
                    .iter()
                    .any(|i| matches!(i, BlockItem::LocalLabels(_)));
                if local {
                    // The value may use the labels; keep their scope open for it.
                    self.state().label_scopes.push(FxHashMap::default());
                }
                for item in before {
                    if let BlockItem::LocalLabels(names) = item {
                        for name in names {
                            let id = self.new_label(*name);
                            let scopes = &mut self.state().label_scopes;
                            scopes
                                .last_mut()
                                .expect("pushed above")
                                .insert(name.name, id);
                        }
                    }
                    self.block_item(item, &mut body);
                }
                for label in labels {
                    if let Some(id) = self.define_label(label) {
                        self.push_stmt(&mut body, StmtKind::Label(id), label.span);
                    }
                }
                let operand = self.expr(e);
                let operand = self.rvalue(operand);
                let operand = self.drop_excess(operand);
                if local {
                    let names = self.state().label_scopes.pop().unwrap_or_default();
                    self.ways_back(&names, &[0], &mut body);
                }
                result = Some(operand);
            }
            None => self.block_items(&block.items, &mut body),
        }
        self.scopes.pop();
        let (ty, value) = match result {
            Some(operand) if operand.is_error() => return operand,
            Some(operand) if self.types.is_void(operand.ty.ty) => {
                let span = operand.e.span;
                self.push_stmt(&mut body, StmtKind::Expr(operand.e), span);
                (QType::plain(CTypes::VOID), None)
            }
            Some(operand) => (operand.ty, Some(Box::new(operand.e))),
            None => (QType::plain(CTypes::VOID), None),
        };
        let id = value.as_ref().map_or(Types::VOID, |e| e.ty);
        Operand::value(mk(id, ExprKind::StmtExpr { body, value }, span), ty)
    }
}

/// The expression of an expression statement, with the labels before it.
fn value_stmt(stmt: &ast::Stmt) -> Option<(Vec<Ident>, &ast::Expr)> {
    let mut labels = Vec::new();
    let mut stmt = stmt;
    loop {
        match &stmt.kind {
            ast::StmtKind::Expr(e) => return Some((labels, e)),
            ast::StmtKind::Label { name, body } => {
                labels.push(*name);
                stmt = body;
            }
            _ => return None,
        }
    }
}
