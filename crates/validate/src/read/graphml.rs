//! Witnesses in GraphML, version 1.0: automata. Of a violation automaton one way is taken, the shortest
//! from its entry to a violation; edges on it that only name lines say nothing that must be passed.

use super::ReadError;
use super::xml::{Element, parse};
use crate::witness::{At, Claim, Invariant, Metadata, Passing, Segment, Waypoint, Where, Witness};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// What the `data` elements of an element say.
struct Facts<'e> {
    of: &'e Element,
    defaults: &'e FxHashMap<(&'e str, &'e str), &'e str>,
}

impl<'e> Facts<'e> {
    fn get(&self, key: &str) -> Option<&'e str> {
        let mut all = self.of.named("data");
        let found = all.find(|d| d.attribute("key") == Some(key));
        let found = found.map(|d| d.text.trim());
        let default = || self.defaults.get(&(&*self.of.name, key)).copied();
        found.or_else(default).filter(|text| !text.is_empty())
    }
    fn is(&self, key: &str) -> bool {
        self.get(key) == Some("true")
    }
    fn number(&self, key: &str) -> Result<Option<u32>, ReadError> {
        let number = self.get(key).map(str::parse).transpose();
        number.map_err(|_| ReadError::new(self.of.line, format!("`{key}` is not a number")))
    }
}

/// Reads a witness.
pub(super) fn read(text: &str) -> Result<Witness, ReadError> {
    let document = parse(text)?;
    if document.name != "graphml" {
        return Err(ReadError::new(document.line, "expected <graphml> here"));
    }
    let mut defaults = FxHashMap::default();
    for key in document.named("key") {
        let default = key.named("default").next();
        if let (Some(id), Some(of), Some(default)) =
            (key.attribute("id"), key.attribute("for"), default)
        {
            defaults.insert((of, id), default.text.trim());
        }
    }
    let Some(graph) = document.named("graph").next() else {
        return Err(ReadError::new(document.line, "there is no <graph>"));
    };
    let about = Facts {
        of: graph,
        defaults: &defaults,
    };
    let file = about.get("programfile").unwrap_or("").to_owned();
    let metadata = Metadata {
        format: "1.0".into(),
        producer: about.get("producer").unwrap_or("").to_owned(),
        inputs: vec![(file.clone(), about.get("programhash").map(str::to_owned))],
        specification: about.get("specification").map(str::to_owned),
        data_model: about.get("architecture").map(|a| match a {
            "32bit" => "ILP32".into(),
            "64bit" => "LP64".into(),
            other => other.to_owned(),
        }),
    };
    let automaton = Automaton::new(graph, &defaults, file)?;
    let claim = match about.get("witness-type") {
        Some("correctness_witness") => Claim::Correct(automaton.invariants()?),
        Some("violation_witness") => Claim::Violation(automaton.way()?),
        _ => {
            let what = "`witness-type` is neither correctness_witness nor violation_witness";
            return Err(ReadError::new(graph.line, what));
        }
    };
    Ok(Witness {
        metadata,
        claim,
        unread: Vec::new(),
    })
}

struct Automaton<'e> {
    nodes: Vec<Facts<'e>>,
    /// From, to, and what is said.
    edges: Vec<(usize, usize, Facts<'e>)>,
    file: String,
    line: u32,
}

impl<'e> Automaton<'e> {
    fn new(
        graph: &'e Element,
        defaults: &'e FxHashMap<(&'e str, &'e str), &'e str>,
        file: String,
    ) -> Result<Automaton<'e>, ReadError> {
        let mut names = FxHashMap::default();
        let mut nodes = Vec::new();
        for node in graph.named("node") {
            let name = node.attribute("id");
            let Some(name) = name else {
                return Err(ReadError::new(node.line, "a node without `id`"));
            };
            names.insert(name, nodes.len());
            nodes.push(Facts { of: node, defaults });
        }
        let mut edges = Vec::new();
        for edge in graph.named("edge") {
            let end = |which| {
                let name = edge.attribute(which);
                let found = name.and_then(|name| names.get(name)).copied();
                let missing = || ReadError::new(edge.line, format!("`{which}` is not a node"));
                found.ok_or_else(missing)
            };
            edges.push((end("source")?, end("target")?, Facts { of: edge, defaults }));
        }
        Ok(Automaton {
            nodes,
            edges,
            file,
            line: graph.line,
        })
    }

    /// A place that an edge speaks of.
    fn at(&self, edge: &Facts<'_>, line: u32, scope: Option<&str>) -> At {
        let file = edge.get("originfile").unwrap_or(&self.file);
        At {
            file: file.to_owned(),
            line,
            column: None,
            function: scope.map(str::to_owned),
        }
    }

    /// The invariants of nodes, each where the edges into it lead.
    fn invariants(&self) -> Result<Vec<Invariant>, ReadError> {
        let mut found = Vec::new();
        for (n, node) in self.nodes.iter().enumerate() {
            let Some(condition) = node.get("invariant") else {
                continue;
            };
            let scope = node.get("invariant.scope");
            let mut placed = false;
            for (_, to, edge) in &self.edges {
                let line = match edge.number("startline")? {
                    Some(line) if *to == n => line,
                    _ => continue,
                };
                let invariant = Invariant {
                    at: self.at(edge, line, scope),
                    place: match edge.is("enterLoopHead") {
                        true => Where::LoopHead,
                        false => Where::Either,
                    },
                    condition: condition.to_owned(),
                    line: node.of.line,
                };
                placed = true;
                if !found.contains(&invariant) {
                    found.push(invariant);
                }
            }
            if !placed && condition != "true" && condition != "1" {
                let what = "no edge says in which line this invariant holds";
                return Err(ReadError::new(node.of.line, what));
            }
        }
        Ok(found)
    }

    /// The way to a violation.
    fn way(&self) -> Result<Vec<Segment>, ReadError> {
        let entry = self.nodes.iter().position(|n| n.is("entry"));
        let Some(entry) = entry else {
            return Err(ReadError::new(self.line, "no node is the entry"));
        };
        let mut came: Vec<Option<usize>> = vec![None; self.nodes.len()];
        let mut seen = vec![false; self.nodes.len()];
        seen[entry] = true;
        let mut outgoing: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for (n, (from, ..)) in self.edges.iter().enumerate() {
            outgoing[*from].push(n);
        }
        let mut due = VecDeque::from([entry]);
        let mut end = None;
        while let Some(node) = due.pop_front() {
            if self.nodes[node].is("violation") {
                end = Some(node);
                break;
            }
            for &n in &outgoing[node] {
                let to = self.edges[n].1;
                if !seen[to] && !self.nodes[to].is("sink") {
                    seen[to] = true;
                    came[to] = Some(n);
                    due.push_back(to);
                }
            }
        }
        let Some(mut node) = end else {
            return Err(ReadError::new(
                self.line,
                "no violation can be reached from the entry",
            ));
        };
        let mut way = Vec::new();
        while let Some(edge) = came[node] {
            way.push(edge);
            node = self.edges[edge].0;
        }
        way.reverse();
        let mut segments = Vec::new();
        let Some((last, before)) = way.split_last() else {
            return Err(ReadError::new(self.line, "the entry is the violation"));
        };
        let follow = |at, passing, line| Segment {
            avoid: Vec::new(),
            follow: Waypoint { at, passing, line },
        };
        for n in before {
            let edge = &self.edges[*n].2;
            let Some(line) = edge.number("startline")? else {
                continue;
            };
            let scope = edge.get("assumption.scope");
            let written = edge.of.line;
            let control = match edge.get("control") {
                Some("condition-true") => Some(true),
                Some("condition-false") => Some(false),
                _ => None,
            };
            if let Some(control) = control {
                let at = self.at(edge, line, None);
                segments.push(follow(at, Passing::Branch(control), written));
            }
            if let Some(assumption) = edge.get("assumption") {
                let at = self.at(edge, line, scope);
                let parts = assumption
                    .split(';')
                    .map(str::trim)
                    .filter(|p| !p.is_empty());
                let parts: Vec<String> = parts.map(|p| format!("({p})")).collect();
                let result = edge.get("assumption.resultfunction").is_some();
                let joined = parts.join(" && ");
                let passing = match result || joined.contains("\\result") {
                    true => Passing::Return(Some(joined)),
                    false => Passing::After(joined),
                };
                segments.push(follow(at, passing, written));
            }
        }
        let edge = &self.edges[*last].2;
        let line = edge.number("startline")?.unwrap_or(0);
        segments.push(follow(
            self.at(edge, line, None),
            Passing::Target,
            edge.of.line,
        ));
        Ok(segments)
    }
}
