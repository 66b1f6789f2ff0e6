//! The control-flow graph as a picture.

use crate::code::{BlockId, Branch, Callee, FuncId};
use crate::graph::{CallGraph, Cfg};
use crate::program::Program;
use crate::text::Printer;
use cwolf_base::Idx;
use cwolf_base::view::{Colour, Digraph, Edge, Line, Node, Shape};
use rustc_hash::FxHashMap;

/// The control flow of some functions, or of all that have a body: blocks with their code, a
/// start with the function's name, each call as a node of its own, and the end.
pub fn flow_graph(program: &Program, only: Option<&[FuncId]>) -> Digraph {
    let printer = Printer::new(program);
    let alone = matches!(only, Some([_]));
    let title = match only {
        Some([f]) => format!("control flow of {}", program.funcs[*f].name),
        _ => "control flow".to_owned(),
    };
    let mut drawing = Drawing {
        graph: Digraph::new(title),
        calls: CallGraph::new(program),
        printer,
        program,
    };
    let chosen = program
        .funcs
        .ids()
        .filter(|f| only.is_none_or(|only| only.contains(f)));
    for f in chosen.filter(|f| program.funcs[*f].body.is_some()) {
        drawing.function(f, alone);
    }
    drawing.graph
}

struct Drawing<'a> {
    graph: Digraph,
    calls: CallGraph,
    printer: Printer<'a>,
    program: &'a Program,
}

impl Drawing<'_> {
    fn function(&mut self, func: FuncId, alone: bool) {
        let body = self.program.funcs[func]
            .body
            .as_ref()
            .expect("chosen for its body");
        let cfg = Cfg::new(body);
        let name = self.printer.names().func(func).trim_matches('"').to_owned();
        let round = |name: &str, colour| Node::new(name, name).shape(Shape::Ellipse).colour(colour);
        let start = self.graph.node(round(&name, Colour::Blue));
        let mut blocks = Vec::new();
        for id in body.blocks.ids() {
            // Figure 4.6 names blocks without their function; several need it.
            let node_name = match alone {
                true => format!("block_{}", id.0),
                false => format!("{name}/block_{}", id.0),
            };
            let label = self.printer.block(func, id);
            let colour = match cfg.is_reachable(id) {
                true => Colour::Plain,
                false => Colour::Grey,
            };
            let node = Node::new(node_name, label.trim_end()).colour(colour);
            blocks.push(self.graph.node(node));
        }
        self.graph.edge(Edge::new(start, blocks[0], ""));
        // `main` returns to nobody: the program ends.
        let is_main = name == "main";
        let mut ends: FxHashMap<&str, u32> = FxHashMap::default();
        for (id, block) in body.blocks.enumerate() {
            let from = blocks[id.index()];
            let mut end = |graph: &mut Digraph, word: &'static str| {
                *ends
                    .entry(word)
                    .or_insert_with(|| graph.node(round(word, Colour::Green)))
            };
            match &block.branch {
                Branch::Return(_) => {
                    let to = end(&mut self.graph, if is_main { "halt" } else { "return" });
                    self.graph.edge(Edge::new(from, to, ""));
                }
                Branch::Halt(_) => {
                    let to = end(&mut self.graph, "halt");
                    self.graph.edge(Edge::new(from, to, ""));
                }
                Branch::Unreachable(_) => {}
                Branch::Call { callee, next, .. } => {
                    let callee = self.callee(func, id, callee);
                    let to = self.graph.node(round(&callee, Colour::Yellow));
                    self.graph.edge(Edge::new(from, to, "call"));
                    if let Some(next) = next {
                        self.graph
                            .edge(Edge::new(to, blocks[next.index()], "return"));
                    }
                }
                branch => {
                    for (to, label) in self.ways(branch) {
                        let colour = match &*label {
                            "true" => Colour::Green,
                            "false" => Colour::Red,
                            _ => Colour::Plain,
                        };
                        let edge = Edge::new(from, blocks[to.index()], label).colour(colour);
                        self.graph.edge(edge.line(line(&cfg, id, to)));
                    }
                }
            }
        }
    }

    /// What a call's node says: the function, or all it may be.
    fn callee(&self, func: FuncId, block: BlockId, callee: &Callee) -> String {
        let names = self.printer.names();
        if let Callee::Direct(f) = callee {
            return names.func(*f).to_owned();
        }
        let calls = self.calls.calls_in(func);
        let call = calls.binary_search_by_key(&block, |c| c.block);
        let call = &calls[call.expect("the call graph has every call")];
        let mut words: Vec<&str> = call
            .targets
            .iter()
            .take(4)
            .map(|f| names.func(*f))
            .collect();
        if call.targets.len() > 4 || call.unknown || words.is_empty() {
            words.push("?");
        }
        words.join(" | ")
    }

    /// Where a branch goes and when; cases with the same target are one way.
    fn ways(&self, branch: &Branch) -> Vec<(BlockId, String)> {
        match branch {
            Branch::If { then, els, .. } => vec![(*then, "true".into()), (*els, "false".into())],
            Branch::Switch { on, cases, default } => {
                let mut ways: Vec<(BlockId, String)> = Vec::new();
                for case in cases {
                    let value = self.printer.case(on.ty, case);
                    match ways.iter_mut().find(|w| w.0 == case.target) {
                        Some(way) => way.1 += &format!(", {value}"),
                        None => ways.push((case.target, value)),
                    }
                }
                ways.push((*default, "default".into()));
                ways
            }
            other => other
                .successors()
                .into_iter()
                .map(|b| (b, String::new()))
                .collect(),
        }
    }
}

/// Edges back to a loop's head are dashed.
fn line(cfg: &Cfg, from: BlockId, to: BlockId) -> Line {
    match cfg.dominates(to, from) {
        true => Line::Dashed,
        false => Line::Solid,
    }
}
