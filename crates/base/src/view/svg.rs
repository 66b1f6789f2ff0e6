//! Draws a graph as SVG, with a layout of our own.

use super::layout::{Input, InputEdge, Layout, Route, layout};
use super::{Colour, Digraph, Edge, Line, Node, Shape};
use std::fmt::Write;

const FONT: f64 = 12.0;
/// Monospace fonts advance by 0.6 em.
const ADVANCE: f64 = 0.6 * FONT;
const LINE: f64 = 16.0;
const SMALL: f64 = 11.0;
const SMALL_ADVANCE: f64 = 0.6 * SMALL;
const SMALL_LINE: f64 = 14.0;
/// Longer lines are cut; the whole text is shown when the pointer rests on it.
const MAX_LINE: usize = 90;
const MAX_LINES: usize = 40;
const ARROW: f64 = 7.0;

/// The lines of a label as drawn, and whether something was cut.
fn lines(label: &str) -> (Vec<String>, bool) {
    let mut cut = false;
    let mut lines: Vec<String> = Vec::new();
    for line in label.lines() {
        if lines.len() == MAX_LINES {
            lines.push("\u{2026}".into());
            cut = true;
            break;
        }
        let line: String = line
            .chars()
            .map(|c| if c == '\t' { ' ' } else { c })
            .collect();
        if line.chars().count() > MAX_LINE {
            cut = true;
            let start: String = line.chars().take(MAX_LINE - 1).collect();
            lines.push(start + "\u{2026}");
        } else {
            lines.push(line);
        }
    }
    if lines.is_empty() {
        lines.push(String::new());
    }
    (lines, cut)
}

fn extent(lines: &[String], advance: f64, line: f64) -> (f64, f64) {
    let longest = lines.iter().map(|l| l.chars().count()).max().unwrap_or(0);
    (longest as f64 * advance, lines.len() as f64 * line)
}

fn node_size(node: &Node, lines: &[String]) -> (f64, f64) {
    let (width, height) = extent(lines, ADVANCE, LINE);
    match node.shape {
        Shape::Plain => (width + 8.0, height + 4.0),
        Shape::Box | Shape::Round => ((width + 20.0).max(30.0), height + 12.0),
        // The text's rectangle inside an ellipse: more of both.
        Shape::Ellipse => (width * 1.25 + 24.0, height * 1.3 + 8.0),
        Shape::Double => (width * 1.25 + 32.0, height * 1.3 + 16.0),
    }
}

fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\n' => out.push('\n'),
            // XML has no control characters, nor these two.
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Fill and outline.
fn colours(colour: Colour) -> (&'static str, &'static str) {
    match colour {
        Colour::Plain => ("#ffffff", "#64748b"),
        Colour::Blue => ("#e0ecff", "#3b6fd4"),
        Colour::Green => ("#e1f5e5", "#2f8f4e"),
        Colour::Red => ("#fde5e4", "#cc4440"),
        Colour::Yellow => ("#fff6d6", "#b98900"),
        Colour::Grey => ("#f1f3f5", "#94a3b8"),
    }
}

fn edge_colour(colour: Colour) -> &'static str {
    match colour {
        Colour::Plain => "#475569",
        other => colours(other).1,
    }
}

pub(super) fn svg(graph: &Digraph) -> String {
    let texts: Vec<(Vec<String>, bool)> = graph.nodes.iter().map(|n| lines(&n.label)).collect();
    let labels: Vec<Vec<String>> = graph.edges.iter().map(|e| lines(&e.label).0).collect();
    let label_size = |n: usize| {
        let (width, height) = extent(&labels[n], SMALL_ADVANCE, SMALL_LINE);
        (width + 8.0, height + 2.0)
    };
    let sizes: Vec<(f64, f64)> = graph
        .nodes
        .iter()
        .zip(&texts)
        .map(|(n, t)| node_size(n, &t.0))
        .collect();
    let mut right = vec![0.0; graph.nodes.len()];
    let mut edges = Vec::new();
    for (n, edge) in graph.edges.iter().enumerate() {
        let label = (!edge.label.is_empty()).then(|| label_size(n));
        if edge.from == edge.to {
            right[edge.from as usize] += LOOP + label.map_or(0.0, |l| l.0);
        }
        edges.push(InputEdge {
            from: edge.from as usize,
            to: edge.to as usize,
            label,
        });
    }
    let input = Input {
        sizes,
        right,
        edges,
    };
    let layout = layout(&input);
    let mut out = header(graph, &layout);
    let mut loops = vec![0.0; graph.nodes.len()];
    for (n, edge) in graph.edges.iter().enumerate() {
        match &layout.edges[n] {
            Some(route) => draw_edge(&mut out, graph, edge, &labels[n], route, &input, &layout),
            None => {
                let node = edge.from as usize;
                draw_loop(
                    &mut out,
                    &graph.nodes[node],
                    edge,
                    &labels[n],
                    layout.nodes[node],
                    input.sizes[node],
                    &mut loops[node],
                );
            }
        }
    }
    for (n, node) in graph.nodes.iter().enumerate() {
        draw_node(&mut out, node, &texts[n], layout.nodes[n], input.sizes[n]);
    }
    out + "</svg>\n"
}

fn header(graph: &Digraph, layout: &Layout) -> String {
    let (width, height) = (layout.width.ceil(), layout.height.ceil());
    let family = "ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,'Liberation Mono',monospace";
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"{family}\" font-size=\"{FONT}\">\n\
         <title>{}</title>\n\
         <style>text{{white-space:pre;fill:#1e293b}}.h{{font-weight:bold}}.l{{font-size:{SMALL}px;fill:#334155}}\
         .e{{fill:none;stroke-width:1.2}}</style>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
        escape(&graph.title)
    )
}

fn draw_node(
    out: &mut String,
    node: &Node,
    (lines, cut): &(Vec<String>, bool),
    (x, y): (f64, f64),
    (width, height): (f64, f64),
) {
    let (fill, stroke) = colours(node.colour);
    let paint = format!("fill=\"{fill}\" stroke=\"{stroke}\"");
    let (left, top) = (x - width / 2.0, y - height / 2.0);
    let _ = write!(out, "<g data-node=\"{}\">", escape(&node.name));
    if *cut {
        let _ = write!(out, "<title>{}</title>", escape(&node.label));
    }
    let ellipse = |out: &mut String, inset: f64| {
        let (rx, ry) = (width / 2.0 - inset, height / 2.0 - inset);
        let _ = write!(
            out,
            "<ellipse cx=\"{x:.1}\" cy=\"{y:.1}\" rx=\"{rx:.1}\" ry=\"{ry:.1}\" {paint}/>"
        );
    };
    match node.shape {
        Shape::Plain => {}
        Shape::Box | Shape::Round => {
            let radius = if node.shape == Shape::Round {
                10.0
            } else {
                3.0
            };
            let _ = write!(
                out,
                "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"{radius}\" {paint}/>"
            );
        }
        Shape::Ellipse => ellipse(out, 0.0),
        Shape::Double => {
            ellipse(out, 0.0);
            ellipse(out, 4.0);
        }
    }
    let (text_width, text_height) = extent(lines, ADVANCE, LINE);
    let many = lines.len() > 1;
    for (n, line) in lines.iter().enumerate().filter(|(_, l)| !l.is_empty()) {
        let base = y - text_height / 2.0 + n as f64 * LINE + 0.76 * LINE;
        let class = if n == 0 && many { " class=\"h\"" } else { "" };
        let (at, anchor) = match many {
            true => (x - text_width / 2.0, ""),
            false => (x, " text-anchor=\"middle\""),
        };
        let _ = write!(
            out,
            "<text x=\"{at:.1}\" y=\"{base:.1}\"{anchor}{class} xml:space=\"preserve\">{}</text>",
            escape(line)
        );
    }
    out.push_str("</g>\n");
}

fn stroke(edge: &Edge) -> String {
    let dash = match edge.line {
        Line::Solid => "",
        Line::Dashed => " stroke-dasharray=\"6 4\"",
        Line::Dotted => " stroke-dasharray=\"1.5 3\"",
        Line::Bold => " style=\"stroke-width:2.4\"",
    };
    format!("stroke=\"{}\"{dash}", edge_colour(edge.colour))
}

/// How far the outline of a node is from its centre, straight down or up at `dx` to the side.
fn reach(node: &Node, (width, height): (f64, f64), dx: f64) -> f64 {
    match node.shape {
        Shape::Ellipse | Shape::Double => {
            let part = (2.0 * dx / width).clamp(-1.0, 1.0);
            height / 2.0 * (1.0 - part * part).sqrt()
        }
        _ => height / 2.0,
    }
}

fn draw_edge(
    out: &mut String,
    graph: &Digraph,
    edge: &Edge,
    label: &[String],
    route: &Route,
    input: &Input,
    layout: &Layout,
) {
    let (upper, lower) = match route.reversed {
        true => (edge.to as usize, edge.from as usize),
        false => (edge.from as usize, edge.to as usize),
    };
    let points = &route.points;
    let last = points.len() - 1;
    let start = {
        let (cx, cy) = layout.nodes[upper];
        cy + reach(&graph.nodes[upper], input.sizes[upper], points[0].0 - cx)
    };
    let end = {
        let (cx, cy) = layout.nodes[lower];
        cy - reach(&graph.nodes[lower], input.sizes[lower], points[last].0 - cx)
    };
    // The line stops where the arrow head starts.
    let (from, to) = match route.reversed {
        true => (start + ARROW, end),
        false => (start, end - ARROW),
    };
    let mut path = format!("M{:.1} {from:.1}", points[0].0);
    for n in 1..points.len() {
        let ((x0, _, bottom), (x1, top, below)) = (points[n - 1], points[n]);
        let bottom = bottom.max(if n == 1 { from } else { bottom });
        let top = if n == last { top.min(to) } else { top };
        if (x0 - x1).abs() < 0.5 {
            let _ = write!(path, "L{x1:.1} {top:.1}");
        } else {
            let bend = (top - bottom) * 0.5;
            let _ = write!(
                path,
                "L{x0:.1} {bottom:.1}C{x0:.1} {:.1} {x1:.1} {:.1} {x1:.1} {top:.1}",
                bottom + bend,
                top - bend
            );
        }
        let _ = write!(path, "L{x1:.1} {:.1}", if n == last { to } else { below });
    }
    let _ = writeln!(out, "<path class=\"e\" d=\"{path}\" {}/>", stroke(edge));
    let colour = edge_colour(edge.colour);
    let (tip_x, tip_y, back) = match route.reversed {
        true => (points[0].0, start, start + ARROW + 1.0),
        false => (points[last].0, end, end - ARROW - 1.0),
    };
    let _ = writeln!(
        out,
        "<path d=\"M{tip_x:.1} {tip_y:.1}L{:.1} {back:.1}L{:.1} {back:.1}Z\" fill=\"{colour}\"/>",
        tip_x - 4.0,
        tip_x + 4.0
    );
    if !edge.label.is_empty() {
        // An edge that is drawn straight has no place of its own for the label.
        let near = (points[0].0, points[0].2 + SMALL_LINE);
        draw_label(out, label, route.label.unwrap_or(near));
    }
}

fn draw_label(out: &mut String, lines: &[String], (x, y): (f64, f64)) {
    let (width, height) = extent(lines, SMALL_ADVANCE, SMALL_LINE);
    let _ = write!(
        out,
        "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"#ffffff\"/>",
        x - width / 2.0 - 2.0,
        y - height / 2.0,
        width + 4.0,
        height
    );
    for (n, line) in lines.iter().enumerate() {
        let base = y - height / 2.0 + n as f64 * SMALL_LINE + 0.76 * SMALL_LINE;
        let _ = writeln!(
            out,
            "<text class=\"l\" x=\"{x:.1}\" y=\"{base:.1}\" text-anchor=\"middle\" xml:space=\"preserve\">{}</text>",
            escape(line)
        );
    }
}

/// The room of a loop without its label.
const LOOP: f64 = 30.0;

/// A loop at the right side of its node, outside of those drawn before.
fn draw_loop(
    out: &mut String,
    node: &Node,
    edge: &Edge,
    label: &[String],
    (x, y): (f64, f64),
    (width, height): (f64, f64),
    used: &mut f64,
) {
    let side = x + width / 2.0;
    let half = (height * 0.25).clamp(4.0, 10.0);
    // The curve comes three quarters of the way to its control points.
    let far = side + (*used + 0.7 * LOOP) / 0.75;
    let swell = 8.0 + *used / 4.0;
    let (top, bottom) = (y - half, y + half);
    // Above and below its middle an ellipse is narrower.
    let edge_at = match node.shape {
        Shape::Ellipse | Shape::Double => {
            let part = (2.0 * half / height).min(1.0);
            x + width / 2.0 * (1.0 - part * part).sqrt()
        }
        _ => side,
    };
    let tip = edge_at + 0.5;
    let _ = writeln!(
        out,
        "<path class=\"e\" d=\"M{edge_at:.1} {top:.1}C{far:.1} {:.1} {far:.1} {:.1} {:.1} {bottom:.1}\" {}/>",
        top - swell,
        bottom + swell,
        tip + ARROW,
        stroke(edge)
    );
    let _ = writeln!(
        out,
        "<path d=\"M{tip:.1} {bottom:.1}L{:.1} {:.1}L{:.1} {:.1}Z\" fill=\"{}\"/>",
        tip + ARROW + 1.0,
        bottom - 2.0,
        tip + ARROW - 1.0,
        bottom + 6.0,
        edge_colour(edge.colour)
    );
    let (text, _) = extent(label, SMALL_ADVANCE, SMALL_LINE);
    if !edge.label.is_empty() {
        draw_label(
            out,
            label,
            (side + *used + LOOP * 0.8 + text / 2.0 + 2.0, y),
        );
    }
    *used += LOOP + text;
}
