//! Renderings that other programs lay out.

use super::{Colour, Digraph, Edge, Line, Shape};
use std::fmt::Write;

/// The edges that leave each node, in order.
fn outgoing(graph: &Digraph) -> Vec<Vec<&Edge>> {
    let mut out = vec![Vec::new(); graph.nodes.len()];
    for edge in &graph.edges {
        out[edge.from as usize].push(edge);
    }
    out
}

pub(super) fn text(graph: &Digraph) -> String {
    let mut out = String::new();
    for (node, edges) in graph.nodes.iter().zip(outgoing(graph)) {
        let mut lines = node.label.lines();
        // The first line of a label often is the name with more.
        let first = lines.next().unwrap_or("");
        if first.starts_with(&node.name) {
            let _ = writeln!(out, "{first}");
        } else {
            let _ = writeln!(out, "{}: {first}", node.name);
        }
        lines.for_each(|line| {
            let _ = writeln!(out, "  {line}");
        });
        for edge in edges {
            let to = &graph.nodes[edge.to as usize].name;
            let _ = match &*edge.label {
                "" => writeln!(out, "  --> {to}"),
                label => writeln!(out, "  --{}--> {to}", label.replace('\n', " ")),
            };
        }
        out.push('\n');
    }
    out
}

/// `text` in quotes for dot, daVinci and VCG; `newline` is what stands for a line break.
fn quoted(text: &str, newline: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out += newline,
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out + "\""
}

/// Fill colours: X11 names, which all three know.
fn fill(colour: Colour) -> &'static str {
    match colour {
        Colour::Plain => "white",
        Colour::Blue => "lightblue",
        Colour::Green => "lightgreen",
        Colour::Red => "lightcoral",
        Colour::Yellow => "lightyellow",
        Colour::Grey => "lightgrey",
    }
}
fn stroke(colour: Colour) -> &'static str {
    match colour {
        Colour::Plain => "black",
        Colour::Blue => "blue",
        Colour::Green => "darkgreen",
        Colour::Red => "red",
        Colour::Yellow => "orange",
        Colour::Grey => "grey",
    }
}

pub(super) fn dot(graph: &Digraph) -> String {
    let mut out = format!("digraph {} {{\n", quoted(&graph.title, " "));
    out +=
        "  node [shape=box, fontname=\"monospace\", fontsize=10, style=filled, fillcolor=white];\n";
    out += "  edge [fontname=\"monospace\", fontsize=9];\n";
    for (n, node) in graph.nodes.iter().enumerate() {
        // \l ends a line that is set to the left.
        let left = node.label.contains('\n');
        let label = match left {
            true => quoted(&format!("{}\n", node.label.trim_end()), "\\l"),
            false => quoted(&node.label, "\\n"),
        };
        let shape = match node.shape {
            Shape::Box => "",
            Shape::Round => ", style=\"filled,rounded\"",
            Shape::Ellipse => ", shape=ellipse",
            Shape::Double => ", shape=ellipse, peripheries=2",
            Shape::Plain => ", shape=plaintext",
        };
        let colour = match node.colour {
            Colour::Plain => String::new(),
            colour => format!(", fillcolor={}", fill(colour)),
        };
        let _ = writeln!(out, "  n{n} [label={label}{shape}{colour}];");
    }
    for edge in &graph.edges {
        let mut attributes = Vec::new();
        if !edge.label.is_empty() {
            attributes.push(format!("label={}", quoted(&edge.label, "\\n")));
        }
        match edge.line {
            Line::Solid => {}
            Line::Dashed => attributes.push("style=dashed".into()),
            Line::Dotted => attributes.push("style=dotted".into()),
            Line::Bold => attributes.push("style=bold".into()),
        }
        if edge.colour != Colour::Plain {
            attributes.push(format!("color={}", stroke(edge.colour)));
        }
        let attributes = match attributes.is_empty() {
            true => String::new(),
            false => format!(" [{}]", attributes.join(", ")),
        };
        let _ = writeln!(out, "  n{} -> n{}{attributes};", edge.from, edge.to);
    }
    out + "}\n"
}

/// daVinci draws no text at edges, so a labelled edge goes through a node that is only text.
pub(super) fn davinci(graph: &Digraph) -> String {
    let mut number = 0;
    let mut nodes = Vec::new();
    for (n, (node, edges)) in graph.nodes.iter().zip(outgoing(graph)).enumerate() {
        let mut attributes = vec![format!("a(\"OBJECT\",{})", quoted(&node.label, "\\n"))];
        let shape = match node.shape {
            Shape::Box => None,
            Shape::Round | Shape::Ellipse => Some("ellipse"),
            Shape::Double => Some("ellipse\"),a(\"BORDER\",\"double"),
            Shape::Plain => Some("text"),
        };
        attributes.extend(shape.map(|s| format!("a(\"_GO\",\"{s}\")")));
        if node.colour != Colour::Plain {
            attributes.push(format!("a(\"COLOR\",\"{}\")", fill(node.colour)));
        }
        let mut children = Vec::new();
        for edge in edges {
            number += 1;
            let pattern = match edge.line {
                Line::Solid => "",
                Line::Dashed => "a(\"EDGEPATTERN\",\"dashed\")",
                Line::Dotted => "a(\"EDGEPATTERN\",\"dotted\")",
                Line::Bold => "a(\"EDGEPATTERN\",\"thick\")",
            };
            let to = format!("r(\"n{}\")", edge.to);
            children.push(match &*edge.label {
                "" => format!("l(\"e{number}\",e(\"\",[{pattern}],{to}))"),
                label => format!(
                    "l(\"e{number}a\",e(\"\",[{}],l(\"t{number}\",n(\"\",[a(\"OBJECT\",{}),a(\"_GO\",\"text\")],\
                     [l(\"e{number}b\",e(\"\",[{pattern}],{to}))]))))",
                    match pattern.is_empty() {
                        true => "a(\"_DIR\",\"none\")".to_owned(),
                        false => format!("a(\"_DIR\",\"none\"),{pattern}"),
                    },
                    quoted(label, "\\n"),
                ),
            });
        }
        nodes.push(format!(
            "l(\"n{n}\",n(\"\",[{}],[{}]))",
            attributes.join(","),
            children.join(",")
        ));
    }
    format!("[{}]\n", nodes.join(",\n"))
}

pub(super) fn vcg(graph: &Digraph) -> String {
    let mut out = format!("graph: {{\n  title: {}\n", quoted(&graph.title, " "));
    for (n, node) in graph.nodes.iter().enumerate() {
        let shape = match node.shape {
            Shape::Box | Shape::Round => "box",
            Shape::Ellipse => "ellipse",
            Shape::Double => "ellipse borderwidth: 4",
            Shape::Plain => "box borderwidth: 0",
        };
        let label = quoted(&node.label, "\\n");
        let colour = match node.colour {
            Colour::Grey => " color: lightgrey",
            Colour::Blue => " color: lightblue",
            Colour::Green => " color: lightgreen",
            Colour::Red => " color: lightred",
            Colour::Yellow => " color: lightyellow",
            Colour::Plain => "",
        };
        let _ = writeln!(
            out,
            "  node: {{ title: \"n{n}\" label: {label} textmode: left_justify shape: {shape}{colour} }}"
        );
    }
    for edge in &graph.edges {
        let label = match &*edge.label {
            "" => String::new(),
            label => format!(" label: {}", quoted(label, "\\n")),
        };
        let line = match edge.line {
            Line::Solid => "",
            Line::Dashed => " linestyle: dashed",
            Line::Dotted => " linestyle: dotted",
            Line::Bold => " thickness: 4",
        };
        let _ = writeln!(
            out,
            "  edge: {{ sourcename: \"n{}\" targetname: \"n{}\"{label}{line} }}",
            edge.from, edge.to
        );
    }
    out + "}\n"
}

/// `text` as a JSON string.
pub(super) fn json_string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out += "\\n",
            c if c.is_control() => {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
            c => out.push(c),
        }
    }
    out + "\""
}

pub(super) fn json(graph: &Digraph) -> String {
    let lower = |name: String| json_string(&name.to_lowercase());
    let nodes = graph.nodes.iter().map(|n| {
        format!(
            "    {{\"name\": {}, \"label\": {}, \"shape\": {}, \"colour\": {}}}",
            json_string(&n.name),
            json_string(&n.label),
            lower(format!("{:?}", n.shape)),
            lower(format!("{:?}", n.colour)),
        )
    });
    let edges = graph.edges.iter().map(|e| {
        format!(
            "    {{\"from\": {}, \"to\": {}, \"label\": {}, \"line\": {}, \"colour\": {}}}",
            e.from,
            e.to,
            json_string(&e.label),
            lower(format!("{:?}", e.line)),
            lower(format!("{:?}", e.colour)),
        )
    });
    let (nodes, edges): (Vec<_>, Vec<_>) = (nodes.collect(), edges.collect());
    let list = |items: Vec<String>| match items.is_empty() {
        true => "[]".to_owned(),
        false => format!("[\n{}\n  ]", items.join(",\n")),
    };
    format!(
        "{{\n  \"title\": {},\n  \"nodes\": {},\n  \"edges\": {}\n}}\n",
        json_string(&graph.title),
        list(nodes),
        list(edges)
    )
}
