//! The places where a program can fail: what a verdict is about.

use crate::concrete::is_inner;
use crate::names::{place_of, shown_function};
use crate::property::Kind;
use crate::subject::Subject;
use cwolf_cwi::graph::CallGraph;
use cwolf_cwi::{
    Base, BinOp, Branch, Callee, Expr, ExprKind, FuncId, InitValue, LocId, Place, Program, Step,
    StmtKind, Type, UnOp, VarId, VarKind,
};
use cwolf_report::{Property, Status};
use rustc_hash::FxHashSet;

/// Functions that a failed assertion calls.
const ASSERTIONS: [&str; 4] = [
    "__assert_fail",
    "__assert",
    "__assert_rtn",
    "__VERIFIER_assert",
];

/// All properties of the kinds that are checked, in the order of the functions, each line once.
pub fn sites(subject: &Subject) -> Vec<Property> {
    let program = &subject.program;
    let mut finder = Finder {
        subject,
        program,
        func: subject.entry,
        seen: FxHashSet::default(),
        list: Vec::new(),
    };
    let reached = CallGraph::new(program).reachable(&[subject.entry]);
    for func in reached {
        let handler = program.funcs[func].name.starts_with("__slic_");
        let stub = subject.stubs.contains(&func) || program.funcs[func].name.starts_with("__cwolf");
        if stub || (is_inner(program, func) && !handler) {
            continue;
        }
        finder.func = func;
        finder.function();
    }
    finder.list.sort_by(|a, b| a.place.cmp(&b.place));
    finder.list
}

/// Whether no function that could ever run calls an error function: then there is nothing to
/// prove. Only for properties that are about such calls.
pub fn cannot_fail(subject: &Subject) -> bool {
    let calls_only = subject
        .selection
        .kinds()
        .iter()
        .all(|k| matches!(k, Kind::Assertion | Kind::UnreachCall | Kind::Rule));
    let program = &subject.program;
    let fatal = |func: FuncId| {
        let name = program.funcs[func].name.as_str();
        let assertion = subject.selection.has(Kind::Assertion) && ASSERTIONS.contains(&name);
        subject.error_functions.contains(&func) || assertion
    };
    // Code outside the program may call every function whose address it could know.
    let mut roots = vec![subject.entry];
    for function in program.funcs.iter() {
        let Some(body) = &function.body else { continue };
        body.for_each_expr(&mut |e| {
            e.walk(&mut |e| {
                if let ExprKind::FuncAddr(func) = e.kind {
                    roots.push(func);
                }
            });
        });
    }
    for item in program.vars.iter().flat_map(|v| &v.init) {
        if let InitValue::Func(func) = item.value {
            roots.push(func);
        }
    }
    let reached = CallGraph::new(program).reachable(&roots);
    calls_only && !reached.into_iter().any(fatal)
}

struct Finder<'s> {
    subject: &'s Subject,
    program: &'s Program,
    func: FuncId,
    seen: FxHashSet<(Kind, String, u32, String)>,
    list: Vec<Property>,
}

impl Finder<'_> {
    fn add(&mut self, kind: Kind, loc: LocId, text: impl Into<String>) {
        if !self.subject.selection.has(kind) {
            return;
        }
        let (place, text) = (place_of(self.program, loc), text.into());
        let key = (kind, place.file.clone(), place.line, text.clone());
        if !self.seen.insert(key) {
            return;
        }
        let name = match (kind, self.subject.rule_at(self.program, loc)) {
            (Kind::Rule, Some((rule, _))) => format!("slic:{}", rule.name),
            _ => kind.name().into(),
        };
        self.list.push(Property {
            kind: name,
            place,
            function: shown_function(self.program, self.func),
            text,
            status: Status::Undecided,
        });
    }

    fn function(&mut self) {
        let Some(body) = &self.program.funcs[self.func].body else {
            return;
        };
        for block in body.blocks.iter() {
            for stmt in &block.stmts {
                match &stmt.kind {
                    StmtKind::Assign(place, value) => {
                        self.access(place, stmt.loc);
                        self.expr(value, stmt.loc);
                    }
                    other => other.for_each_expr(&mut |e| self.expr(e, stmt.loc)),
                }
            }
            let loc = block.loc;
            match &block.branch {
                Branch::If { cond, .. } => self.expr(cond, loc),
                Branch::Switch { on, .. } => self.expr(on, loc),
                Branch::Call { callee, args, .. } => {
                    self.call(callee, args, loc);
                    args.iter().for_each(|a| self.expr(a, loc));
                }
                Branch::Return(Some(e)) | Branch::Halt(e) => self.expr(e, loc),
                Branch::Goto(_) | Branch::Return(None) | Branch::Unreachable(_) => {}
            }
        }
    }

    fn call(&mut self, callee: &Callee, args: &[Expr], loc: LocId) {
        let func = match callee {
            Callee::Direct(func) => *func,
            Callee::Indirect(e) => match e.kind {
                ExprKind::FuncAddr(func) => func,
                _ => {
                    self.expr(e, loc);
                    self.add(Kind::Pointer, loc, "the function pointer is valid");
                    return;
                }
            },
        };
        let name = self.program.funcs[func].name.as_str();
        if self.subject.error_functions.contains(&func) {
            match self.subject.rule_at(self.program, loc) {
                Some((_, message)) => self.add(Kind::Rule, loc, format!("never: {message}")),
                None => self.add(Kind::UnreachCall, loc, format!("{name} is not called")),
            }
        } else if ASSERTIONS.contains(&name) {
            let at = if name == "__assert_rtn" { 3 } else { 0 };
            let text = args.get(at).and_then(|e| self.literal(e));
            self.add(Kind::Assertion, loc, text.unwrap_or("assertion".into()));
        } else if matches!(name, "free" | "realloc") {
            self.add(
                Kind::Pointer,
                loc,
                format!("the argument of {name} is valid"),
            );
        }
    }

    /// The text of a string literal.
    fn literal(&self, e: &Expr) -> Option<String> {
        let var: VarId = match &e.kind {
            ExprKind::AddrOf(place) => place.root()?,
            ExprKind::Cast(inner) => return self.literal(inner),
            _ => return None,
        };
        let var = &self.program.vars[var];
        let first = var.init.first().filter(|_| var.kind == VarKind::Literal)?;
        match &first.value {
            InitValue::Bytes(bytes) => {
                let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
                Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
            }
            _ => None,
        }
    }

    fn expr(&mut self, e: &Expr, loc: LocId) {
        let mut found: Vec<(Kind, &'static str)> = Vec::new();
        let mut places: Vec<&Place> = Vec::new();
        let types = &self.program.types;
        e.walk(&mut |e| {
            let signed = types.as_int(e.ty).is_some_and(|ty| ty.signed);
            match &e.kind {
                ExprKind::Load { place, .. } => places.push(place),
                ExprKind::Binary(BinOp::Div | BinOp::Rem, _, b) => {
                    let float = matches!(types[e.ty], Type::Float(_));
                    if !float && b.as_int().is_none_or(|v| v == 0) {
                        found.push((Kind::DivisionByZero, "the divisor is not zero"));
                    }
                    if signed && b.as_int().is_none_or(|v| v == -1) {
                        found.push((Kind::Overflow, "the quotient fits in its type"));
                    }
                }
                ExprKind::Binary(BinOp::Shl | BinOp::Shr, _, b) if b.as_int().is_none() => {
                    found.push((Kind::Shift, "the shift amount is below the width"));
                }
                ExprKind::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul, ..)
                | ExprKind::Unary(UnOp::Neg, _)
                    if signed =>
                {
                    found.push((Kind::Overflow, "the result fits in its type"));
                }
                _ => {}
            }
        });
        for place in places {
            self.place(place, loc);
        }
        for (kind, text) in found {
            self.add(kind, loc, text);
        }
    }

    /// A place that is written: its operands are expressions of their own.
    fn access(&mut self, place: &Place, loc: LocId) {
        place.for_each_operand(&mut |e| self.expr(e, loc));
        self.place(place, loc);
    }

    fn place(&mut self, place: &Place, loc: LocId) {
        if let Base::Deref(_) = place.base {
            self.add(Kind::Pointer, loc, "the pointer is valid");
            self.add(Kind::Bounds, loc, "the access stays inside its object");
        }
        let index = place
            .path
            .iter()
            .any(|step| matches!(step, Step::Index(e) if e.as_int().is_none()));
        if index {
            self.add(Kind::Bounds, loc, "the index stays inside its array");
        }
    }
}
