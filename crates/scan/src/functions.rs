//! The functions of a program that are worth asking about, and who calls them.

use cwolf_base::IndexVec;
use cwolf_cwi::graph::CallGraph;
use cwolf_cwi::text::Printer;
use cwolf_cwi::{ExprKind, FuncId, InitValue, Linkage, LocId, Origin, Program, StmtKind, VarId};
use cwolf_report::{Place, sha256};
use rustc_hash::FxHashSet;

/// A function of the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Where it is defined.
    pub place: Place,
    /// Whether other files, or code that gets its address, may call it.
    pub exported: bool,
    /// The functions that call it, as far as this program shows.
    pub callers: Vec<String>,
    /// A hash of all code that its checks depend on.
    pub hash: String,
    /// What its caller may have to keep, strongest first ([`crate::candidates`]).
    pub candidates: Vec<String>,
    /// Whether code outside the project may call it by its name.
    pub public: bool,
    /// What it reads that may have an invariant which nobody wrote down ([`crate::opaque`]).
    pub opaque: Vec<String>,
}

/// The functions with code that `file` defines, or a header of the project that it includes; callees before their callers. `others`
/// are the other C files, `contracts` what the sources say besides code.
pub fn functions(program: &Program, file: &str, others: &[&str], contracts: &str) -> Vec<Function> {
    let graph = CallGraph::new(program);
    let addressed = addressed(program);
    let digests = Digests::new(program);
    let mut found: Vec<(u32, FuncId)> = Vec::new();
    for (id, function) in program.funcs.enumerate() {
        let own = function.origin == Origin::Program && function.body.is_some();
        let from = program
            .locations
            .file_name(program.locations[function.loc].file);
        let header = function.linkage == Linkage::Internal
            && !others.contains(&from)
            && !from.starts_with("/usr/")
            && !from.starts_with('<');
        if own && (from == file || header) {
            found.push((graph.component(id), id));
        }
    }
    // Strong components are numbered from the leaves of the call graph.
    found.sort_unstable();
    found
        .into_iter()
        .map(|(_, id)| {
            let function = &program.funcs[id];
            let loc = program.locations[function.loc];
            let callers = graph.callers(id).iter().filter(|c| **c != id);
            let callers = callers.map(|c| program.funcs[*c].name.clone()).collect();
            Function {
                name: function.name.clone(),
                place: Place {
                    file: program.locations.file_name(loc.file).to_owned(),
                    line: loc.line,
                    column: loc.column,
                },
                exported: function.linkage == Linkage::External || addressed.contains(&id),
                callers,
                hash: digests.hash(program, &graph, id, contracts),
                candidates: candidates(program, &graph, id),
                public: function.linkage == Linkage::External,
                opaque: crate::infer::opaque(program, &graph, id),
            }
        })
        .collect()
}

/// What callers may have to keep, strongest first: about the parameters themselves, then about what they lead to.
fn candidates(program: &Program, graph: &CallGraph, func: FuncId) -> Vec<String> {
    let mut found = crate::infer::candidates(program, func);
    for clause in crate::inside::inner_candidates(program, graph, func) {
        // An element of an array says nothing of the others.
        let counted = |c: &String| c.starts_with("\\valid(") && clause.starts_with('*');
        if !found.contains(&clause) && !found.iter().any(counted) {
            found.push(clause);
        }
    }
    found
}

fn addressed(program: &Program) -> FxHashSet<FuncId> {
    let mut found = FxHashSet::default();
    for body in program.funcs.iter().filter_map(|f| f.body.as_ref()) {
        body.for_each_expr(&mut |e| {
            e.walk(&mut |e| {
                if let ExprKind::FuncAddr(func) = e.kind {
                    found.insert(func);
                }
            });
        });
    }
    for item in program.vars.iter().flat_map(|v| &v.init) {
        if let InitValue::Func(func) = item.value {
            found.insert(func);
        }
    }
    found
}

/// What hashes of functions are made of, computed once a program.
struct Digests {
    /// Of everything but code: types, variables, declarations.
    rest: String,
    /// Of each function's code. Places are part of it: a report speaks of them.
    code: IndexVec<FuncId, String>,
    /// Variables of the whole run that each function assigns.
    assigns: IndexVec<FuncId, Vec<VarId>>,
    address_taken: Vec<VarId>,
}

impl Digests {
    fn new(program: &Program) -> Digests {
        let printer = Printer::new(program);
        let mut code = IndexVec::new();
        let mut assigns = IndexVec::new();
        for (id, function) in program.funcs.enumerate() {
            let mut text = format!("{:?}", (function.definition, &function.refused));
            let mut written: Vec<VarId> = Vec::new();
            let place = |loc: LocId| {
                let loc = program.locations[loc];
                let file = program.locations.file_name(loc.file);
                format!("{file}:{}:{} ", loc.line, loc.column)
            };
            for var in function.params.iter().chain(&function.locals) {
                let ty = printer.ty(program.vars[*var].ty);
                text += &format!("{} {ty};", printer.names().var(*var));
            }
            for block in function.body.iter().flat_map(|b| b.blocks.iter()) {
                for stmt in &block.stmts {
                    text += &place(stmt.loc);
                    text += &printer.stmt(id, stmt);
                    text.push('\n');
                    if let StmtKind::Assign(place, _) = &stmt.kind
                        && let Some(var) = place.root()
                        && !program.vars[var].kind.is_automatic()
                    {
                        written.push(var);
                    }
                }
                text += &place(block.loc);
                text += &printer.branch(id, &block.branch);
                text.push('\n');
            }
            code.push(sha256(text.as_bytes()));
            assigns.push(written);
        }
        let mut rest = program.clone();
        for function in rest.funcs.iter_mut() {
            function.body = None;
            function.locals.clear();
            function.params.clear();
            function.definition = cwolf_cwi::Definition::Declared;
            function.refused = None;
        }
        Digests {
            rest: sha256(cwolf_cwi::text::print(&rest).as_bytes()),
            code,
            assigns,
            address_taken: program.address_taken().into_iter().collect(),
        }
    }

    /// A hash of the code that a function can reach, of all types and variables, and of which variables other code changes.
    fn hash(&self, program: &Program, graph: &CallGraph, func: FuncId, contracts: &str) -> String {
        let reached: FxHashSet<FuncId> = graph.reachable(&[func]).into_iter().collect();
        let mut text = self.rest.clone() + contracts;
        let mut changed: Vec<VarId> = self.address_taken.clone();
        for id in program.funcs.ids() {
            match reached.contains(&id) {
                true => text += &format!("{}:{};", program.funcs[id].name, self.code[id]),
                false => changed.extend(&self.assigns[id]),
            }
        }
        changed.sort_unstable();
        changed.dedup();
        let names = changed.iter().map(|v| program.vars[*v].name.as_str());
        text += &names.collect::<Vec<_>>().join(",");
        sha256(text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cwolf_cfront::{Options, compile_text};

    fn of(text: &str) -> Vec<Function> {
        let compiled = compile_text("t.c", text.as_bytes(), &Options::default());
        functions(&compiled.program.expect("it compiles"), "t.c", &[], "")
    }

    #[test]
    fn callees_come_first() {
        let text = "static int leaf(int n) { return n; } int top(int n) { return leaf(n); }
            static int given(void) { return 1; } int (*table)(void) = given;";
        let found = of(text);
        let at = |name: &str| found.iter().position(|f| f.name == name).expect("there");
        assert!(at("leaf") < at("top"));
        assert!(!found[at("leaf")].exported && found[at("given")].exported);
        assert_eq!(found[at("leaf")].callers, ["top"]);
    }

    #[test]
    fn the_hash_follows_what_is_reached() {
        let text = "int g; int a(void) { return g; }\nint b(void) { return a(); }\nint c(void) { return 1; }\n";
        let hashes = |text: &str| -> Vec<String> {
            let mut all = of(text);
            all.sort_by(|x, y| x.name.cmp(&y.name));
            all.into_iter().map(|f| f.hash).collect()
        };
        let before = hashes(text);
        let other = hashes(&text.replace("return 1", "return 2"));
        assert_eq!(before[..2], other[..2]);
        assert_ne!(before[2], other[2]);
        let called = hashes(&text.replace("return g", "return -g"));
        assert!(before[0] != called[0] && before[1] != called[1] && before[2] == called[2]);
        // That somebody changes g matters to whoever reads it.
        let written = hashes(&text.replace("return 1", "g = 1; return 1"));
        assert_ne!(before[0], written[0]);
    }
}
