//! Every pointer that a run holds points to what the points-to analysis says, with every precision.

use crate::generate::{Shape, case};
use cwolf_base::Budget;
use cwolf_cfront::{Options as COptions, compile_text};
use cwolf_cwi::graph::{Object, PointsTo, Precision};
use cwolf_cwi::value::Value;
use cwolf_cwi::{Base, Expr, ExprKind, Program, StmtKind, Type};
use cwolf_interp::{At, Machine, Random, Tracer, View};
use std::cell::Cell;
use std::rc::Rc;

struct Watch<'p> {
    program: &'p Program,
    analyses: &'p [PointsTo],
    text: &'p str,
    checked: Rc<Cell<u64>>,
}

impl Tracer for Watch<'_> {
    /// Looks at the pointers that the next statement follows or copies: those have a value.
    fn step(&mut self, at: At, view: &View<'_, '_>) {
        let body = self.program.funcs[at.func].body.as_ref().expect("it runs");
        let Some(stmt) = body.blocks[at.block].stmts.get(at.index) else {
            return;
        };
        let mut roots: Vec<&Expr> = Vec::new();
        match &stmt.kind {
            StmtKind::Assign(place, e) => {
                if let Base::Deref(pointer) = &place.base {
                    self.check(at, view, pointer);
                }
                place.for_each_operand(&mut |e| roots.push(e));
                roots.push(e);
            }
            other => other.for_each_expr(&mut |e| roots.push(e)),
        }
        for root in roots {
            if matches!(self.program.types[root.ty], Type::Pointer(_)) {
                self.check(at, view, root);
            }
            root.walk(&mut |e| {
                if let ExprKind::Load { place, .. } = &e.kind
                    && let Base::Deref(pointer) = &place.base
                {
                    self.check(at, view, pointer);
                }
            });
        }
    }
}

impl Watch<'_> {
    fn check(&self, at: At, view: &View<'_, '_>, pointer: &Expr) {
        let Some(Value::Int(address)) = view.eval(pointer) else {
            return;
        };
        let Some(object) = self.object_at(view, at, address as u64) else {
            return;
        };
        for analysis in self.analyses {
            let set = analysis.expr(at.func, at.block, pointer);
            let covered = set.contains(&object)
                || (set.contains(&Object::Outside) && analysis.escaped().contains(&object));
            let text = self.text;
            assert!(
                covered,
                "{pointer:?} points to {object:?}, not in {set:?}\n{text}"
            );
            self.checked.set(self.checked.get() + 1);
        }
    }
    fn object_at(&self, view: &View<'_, '_>, at: At, address: u64) -> Option<Object> {
        for (id, var) in self.program.vars.enumerate() {
            if var.kind.is_automatic() && var.kind.function() != Some(at.func) {
                continue;
            }
            let size = self.program.types.size_of(var.ty);
            if let Some(start) = view.address(id)
                && (start..start + size).contains(&address)
            {
                return Some(Object::Var(id));
            }
        }
        None
    }
}

#[test]
fn pointers_of_runs_are_in_the_sets() {
    let more: u64 = std::env::var("CWOLF_CAMPAIGN")
        .ok()
        .and_then(|t| t.parse().ok())
        .unwrap_or(1);
    let checked = Rc::new(Cell::new(0));
    for n in 0..24 * more {
        let shape = Shape {
            linear: n % 3 == 0,
            functions: 1 + (n % 3) as usize,
            statements: 4 + (n % 4) as usize,
        };
        let case = case(n.wrapping_mul(0x2545_f491), shape);
        let compiled = compile_text("t.c", case.program.as_bytes(), &COptions::default());
        let program = compiled.program.expect("valid C");
        let analyses = [Precision::Inclusion, Precision::Fields, Precision::OneLevel]
            .map(|p| PointsTo::with(&program, p));
        let watch = Watch {
            program: &program,
            analyses: &analyses,
            text: &case.program,
            checked: checked.clone(),
        };
        let options = cwolf_interp::Options {
            oracle: Box::new(Random::new(n)),
            budget: Budget::unlimited().max_steps(2000),
            tracer: Some(Box::new(watch)),
            ..cwolf_interp::Options::default()
        };
        let _ = Machine::new(&program, options).run("main");
    }
    if more > 1 {
        eprint_count(checked.get());
    }
    assert!(
        checked.get() > 1000,
        "only {} pointers checked",
        checked.get()
    );
}

#[allow(clippy::print_stderr, reason = "a campaign says how much it did")]
fn eprint_count(count: u64) {
    eprintln!("{count} pointers checked");
}
