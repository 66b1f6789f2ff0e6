//! Maps proposed by the tool (thesis, 7.1.3): partitions by the constants that variables are
//! compared with, ⊤ for the rest; and a label for each function without a body that is called.

use cwolf_cwi::graph::Analysed;
use cwolf_cwi::{
    Base, BinOp, Branch, Expr, ExprKind, FuncId, Place, Program, Step, StmtKind, Type, UnOp, VarId,
    VarKind, value,
};
use std::collections::{BTreeMap, BTreeSet};

/// A partition with more break points than this is no help to anyone.
const MAX_POINTS: usize = 32;

/// File, function (empty outside functions), and path of a variable.
type Name = (String, String, String);

/// Proposes an abstraction map for what can be reached from `entry`.
pub fn suggest_abstraction(program: &Analysed, entry: FuncId) -> String {
    let mut finder = Finder {
        program,
        points: BTreeMap::new(),
    };
    for func in program.calls().reachable(&[entry]) {
        let Some(body) = &program.funcs[func].body else {
            continue;
        };
        for block in body.blocks.iter() {
            for stmt in &block.stmts {
                if let StmtKind::Assign(_, e) | StmtKind::SetReg(_, e) = &stmt.kind {
                    finder.comparisons(e);
                }
            }
            match &block.branch {
                Branch::If { cond, .. } => {
                    finder.comparisons(cond);
                    finder.truth(cond);
                }
                Branch::Switch { on, cases, .. } => {
                    for case in cases {
                        finder.add(on, &[case.lo, case.hi.saturating_add(1)]);
                    }
                }
                Branch::Call { args, .. } => args.iter().for_each(|e| finder.comparisons(e)),
                Branch::Return(Some(e)) => finder.comparisons(e),
                _ => {}
            }
        }
    }
    finder.print()
}

struct Finder<'p> {
    program: &'p Program,
    points: BTreeMap<Name, BTreeSet<i128>>,
}

fn strip(e: &Expr) -> &Expr {
    let mut e = e;
    while let ExprKind::Cast(inner) = &e.kind {
        e = inner;
    }
    e
}

impl Finder<'_> {
    /// Every comparison with a constant in an expression.
    fn comparisons(&mut self, e: &Expr) {
        let mut found: Vec<(Expr, Vec<i128>)> = Vec::new();
        e.walk(&mut |e| match &e.kind {
            ExprKind::Binary(op, a, b) if op.is_comparison() => {
                if let Some(n) = strip(b).as_int() {
                    found.push(((**a).clone(), points(*op, n)));
                } else if let Some(n) = strip(a).as_int() {
                    found.push(((**b).clone(), points(crate::domain::mirror(*op), n)));
                }
            }
            ExprKind::Binary(op, a, b) if op.is_logical() => {
                found.push(((**a).clone(), vec![0, 1]));
                found.push(((**b).clone(), vec![0, 1]));
            }
            ExprKind::Unary(UnOp::Not, a) => found.push(((**a).clone(), vec![0, 1])),
            _ => {}
        });
        for (e, points) in found {
            self.add(&e, &points);
        }
    }
    fn truth(&mut self, e: &Expr) {
        self.add(e, &[0, 1]);
    }
    fn add(&mut self, e: &Expr, points: &[i128]) {
        let ExprKind::Load { place, .. } = &strip(e).kind else {
            return;
        };
        let Some(ty) = self.program.types.as_int(place.ty).filter(|t| t.bits <= 64) else {
            return;
        };
        let Some(name) = self.name(place) else { return };
        // A break point at the type's low end separates nothing.
        let inside = |n: &&i128| **n > value::min(ty) && **n <= value::max(ty);
        let own = self.points.entry(name).or_default();
        own.extend(points.iter().filter(inside));
    }
    /// What a map calls the place; none if it cannot name it.
    fn name(&self, place: &Place) -> Option<Name> {
        let Base::Var(id) = place.base else {
            return None;
        };
        let program = self.program;
        let var = &program.vars[id];
        if matches!(var.kind, VarKind::Temp(_) | VarKind::Literal) || !self.alone(id) {
            return None;
        }
        let file = program.locations.file_name(program.locations[var.loc].file);
        if file.starts_with("<library>") || file.contains(['"', '\n']) {
            return None;
        }
        let function = match var.kind.function() {
            Some(f) => program.funcs[f].name.clone(),
            None => String::new(),
        };
        let mut path = var.name.clone();
        let mut ty = var.ty;
        for step in &place.path {
            match (step, &program.types[ty]) {
                (Step::Field(n), Type::Record(record)) => {
                    let field = &program.types.records[*record].fields[*n as usize];
                    if !field.name.is_empty() {
                        path = format!("{path}.{}", field.name);
                    }
                    ty = field.ty;
                }
                // Elements share the abstraction of their array.
                (Step::Index(_), Type::Array { elem, len: 1.. }) => ty = *elem,
                _ => return None,
            }
        }
        Some((file.to_owned(), function, path))
    }
    /// Whether no variable of another type has the same name in the same scope.
    fn alone(&self, id: VarId) -> bool {
        let var = &self.program.vars[id];
        let scope = |k: VarKind| (k.function(), k == VarKind::Global);
        let same = |v: &&cwolf_cwi::Var| v.name == var.name && scope(v.kind) == scope(var.kind);
        let mut all = self.program.vars.iter().filter(same);
        all.all(|v| v.ty == var.ty)
    }
    fn print(&self) -> String {
        let mut text = String::from(
            "// Proposed by cwolf from the constants that variables are compared with.\n\
             // What is not mentioned is top. Edit it as you like.\n",
        );
        let mut files: BTreeMap<&str, BTreeMap<&str, Vec<String>>> = BTreeMap::new();
        for ((file, function, path), points) in &self.points {
            if points.is_empty() || points.len() > MAX_POINTS {
                continue;
            }
            let list: Vec<String> = points.iter().map(i128::to_string).collect();
            let array = if self.is_array(function, path) {
                " array"
            } else {
                ""
            };
            let line = format!("var {path} : part({}){array};", list.join(","));
            let scopes = files.entry(file).or_default();
            scopes.entry(function).or_default().push(line);
        }
        for (file, scopes) in files {
            text += &format!("file \"{file}\" {{\n");
            for (function, lines) in scopes {
                if function.is_empty() {
                    lines.iter().for_each(|l| text += &format!("    {l}\n"));
                    continue;
                }
                text += &format!("    fun {function} () {{\n");
                lines.iter().for_each(|l| text += &format!("        {l}\n"));
                text += "    }\n";
            }
            text += "}\n";
        }
        text
    }
    /// Whether the last name of a path is an array.
    fn is_array(&self, function: &str, path: &str) -> bool {
        let program = self.program;
        let mut names = path.split('.');
        let first = names.next().unwrap_or_default();
        let owner = |k: VarKind| k.function().map_or("", |f| &*program.funcs[f].name);
        let mut vars = program.vars.iter();
        let Some(var) = vars.find(|v| v.name == first && owner(v.kind) == function) else {
            return false;
        };
        let names_in = super::names::Names { program };
        let mut ty = var.ty;
        for name in names {
            while let Type::Array { elem, .. } = program.types[ty] {
                ty = elem;
            }
            let Ok(numbers) = names_in.field(ty, name, cwolf_base::Span::default()) else {
                return false;
            };
            for n in numbers {
                let Some(record) = program.types.as_record(ty) else {
                    return false;
                };
                ty = program.types.records[record].fields[n as usize].ty;
            }
        }
        matches!(program.types[ty], Type::Array { .. })
    }
}

/// The break points that keep `x op n` exact.
fn points(op: BinOp, n: i128) -> Vec<i128> {
    match op {
        BinOp::Lt | BinOp::Ge => vec![n],
        BinOp::Le | BinOp::Gt => vec![n.saturating_add(1)],
        _ => vec![n, n.saturating_add(1)],
    }
}

/// Proposes a label map: each function without a body that can be called from `entry`.
pub fn suggest_labels(program: &Analysed, entry: FuncId) -> String {
    let mut text = String::from(
        "// Proposed by cwolf: calls of functions without a body. Edit it as you like.\n",
    );
    for func in program.calls().reachable(&[entry]) {
        let function = &program.funcs[func];
        if function.body.is_none() && function.name != cwolf_lts::TAU_NAME {
            text += &format!("call({0}) => {0};\n", function.name);
        }
    }
    text
}
