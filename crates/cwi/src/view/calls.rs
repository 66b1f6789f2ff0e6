//! The call graph as a picture.

use crate::graph::CallGraph;
use crate::program::Program;
use crate::text::Names;
use cwolf_base::view::{Colour, Digraph, Edge, Line, Node, Shape};
use rustc_hash::FxHashMap;

/// Who calls whom: `main` blue, functions in circles of calls yellow, refused ones red, those
/// without a body grey; the label says so too. Calls through pointers are dashed; `?` is code
/// that is not shown.
pub fn call_graph(program: &Program) -> Digraph {
    let calls = CallGraph::new(program);
    let names = Names::new(program);
    let main = program.function("main");
    let mut graph = Digraph::new("call graph");
    for (id, func) in program.funcs.enumerate() {
        let shape = match func.body.is_some() {
            true => Shape::Round,
            false => Shape::Ellipse,
        };
        let colour = if func.refused.is_some() {
            Colour::Red
        } else if func.body.is_none() {
            Colour::Grey
        } else if Some(id) == main {
            Colour::Blue
        } else if calls.is_recursive(id) {
            Colour::Yellow
        } else {
            Colour::Plain
        };
        // The text form quotes its own keywords; a picture has none.
        let name = names.func(id).trim_matches('"');
        let mark = if func.refused.is_some() {
            " (refused)"
        } else if func.body.is_none() {
            " (no body)"
        } else if calls.is_recursive(id) {
            " (recursive)"
        } else {
            ""
        };
        let label = format!("{name}{mark}");
        graph.node(Node::new(name, label).shape(shape).colour(colour));
    }
    let mut unknown = None;
    // A call by name says more than one through a pointer to the same function.
    let mut edges: Vec<(u32, u32)> = Vec::new();
    let mut direct: FxHashMap<(u32, u32), bool> = FxHashMap::default();
    for call in calls.calls() {
        let mut targets: Vec<u32> = call.targets.iter().map(|f| f.0).collect();
        if call.unknown {
            let node = || {
                graph.node(
                    Node::new("?", "?")
                        .shape(Shape::Ellipse)
                        .colour(Colour::Grey),
                )
            };
            targets.push(*unknown.get_or_insert_with(node));
        }
        for to in targets {
            let edge = (call.caller.0, to);
            let known = direct.entry(edge).or_insert_with(|| {
                edges.push(edge);
                false
            });
            *known |= call.direct;
        }
    }
    for edge in edges {
        let (line, label) = match direct[&edge] {
            true => (Line::Solid, ""),
            false => (Line::Dashed, "pointer"),
        };
        graph.edge(Edge::new(edge.0, edge.1, label).line(line));
    }
    graph
}
