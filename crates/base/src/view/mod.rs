//! Labelled directed graphs as people look at them (thesis 4.4, `LabeledDigraph`), and their
//! renderings. It knows nothing about what the nodes are: control flow, calls, automata.
//!
//! ```
//! use cwolf_base::view::{Digraph, Edge, Format, Node};
//! let mut graph = Digraph::new("greeting");
//! let a = graph.node(Node::new("a", "hello"));
//! let b = graph.node(Node::new("b", "world"));
//! graph.edge(Edge::new(a, b, "big"));
//! assert!(graph.render(Format::Text).contains("--big--> b"));
//! assert!(graph.render(Format::Svg).starts_with("<svg"));
//! ```

mod focus;
mod formats;
mod layout;
mod svg;
#[cfg(test)]
mod tests;

pub use focus::Direction;

/// The outline of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Shape {
    /// A rectangle.
    #[default]
    Box,
    /// A rectangle with round corners.
    Round,
    /// An ellipse.
    Ellipse,
    /// A double ellipse, as for accepting states.
    Double,
    /// Nothing but the text.
    Plain,
}

/// A colour by its meaning; each rendering has its own shades.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Colour {
    /// Nothing special.
    #[default]
    Plain,
    /// A start, an entry.
    Blue,
    /// A good end.
    Green,
    /// An error.
    Red,
    /// Something to look at.
    Yellow,
    /// Something in the background.
    Grey,
}

/// How an edge is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Line {
    /// A plain line.
    #[default]
    Solid,
    /// Dashes.
    Dashed,
    /// Dots.
    Dotted,
    /// A thick line.
    Bold,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// A short name that other renderings refer to it by; need not be unique.
    pub name: String,
    /// The text in it, of one or more lines.
    pub label: String,
    /// Its outline.
    pub shape: Shape,
    /// Its colour.
    pub colour: Colour,
}

impl Node {
    /// A plain box.
    pub fn new(name: impl Into<String>, label: impl Into<String>) -> Node {
        Node {
            name: name.into(),
            label: label.into(),
            shape: Shape::Box,
            colour: Colour::Plain,
        }
    }
    /// The same node with another outline.
    pub fn shape(mut self, shape: Shape) -> Node {
        self.shape = shape;
        self
    }
    /// The same node in another colour.
    pub fn colour(mut self, colour: Colour) -> Node {
        self.colour = colour;
        self
    }
}

/// An edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The number of the node it leaves.
    pub from: u32,
    /// The number of the node it enters.
    pub to: u32,
    /// The text beside it; may be empty.
    pub label: String,
    /// How it is drawn.
    pub line: Line,
    /// Its colour.
    pub colour: Colour,
}

impl Edge {
    /// A plain edge.
    pub fn new(from: u32, to: u32, label: impl Into<String>) -> Edge {
        Edge {
            from,
            to,
            label: label.into(),
            line: Line::Solid,
            colour: Colour::Plain,
        }
    }
    /// The same edge drawn with another line.
    pub fn line(mut self, line: Line) -> Edge {
        self.line = line;
        self
    }
    /// The same edge in another colour.
    pub fn colour(mut self, colour: Colour) -> Edge {
        self.colour = colour;
        self
    }
}

/// A labelled directed graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Digraph {
    /// What it shows.
    pub title: String,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
}

/// The renderings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Plain text.
    Text,
    /// Graphviz.
    Dot,
    /// The term format of daVinci (now uDraw(Graph)).
    DaVinci,
    /// VCG, which aiSee reads too.
    Vcg,
    /// JSON.
    Json,
    /// A picture, laid out here.
    Svg,
}

impl Format {
    /// All of them.
    pub const ALL: [Format; 6] = [
        Format::Text,
        Format::Dot,
        Format::DaVinci,
        Format::Vcg,
        Format::Json,
        Format::Svg,
    ];
    /// Its name, as a user types it.
    pub fn name(self) -> &'static str {
        match self {
            Format::Text => "text",
            Format::Dot => "dot",
            Format::DaVinci => "davinci",
            Format::Vcg => "vcg",
            Format::Json => "json",
            Format::Svg => "svg",
        }
    }
    /// The format that a user calls `name`.
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|f| f.name() == name)
    }
}

impl Digraph {
    /// A graph without nodes.
    pub fn new(title: impl Into<String>) -> Digraph {
        Digraph {
            title: title.into(),
            ..Digraph::default()
        }
    }
    /// Adds a node and returns its number.
    pub fn node(&mut self, node: Node) -> u32 {
        self.nodes.push(node);
        u32::try_from(self.nodes.len() - 1).expect("fewer than 2^32 nodes")
    }
    /// Adds an edge.
    ///
    /// # Panics
    /// When one of its ends is not a node of this graph.
    pub fn edge(&mut self, edge: Edge) {
        let known = |n: u32| (n as usize) < self.nodes.len();
        assert!(
            known(edge.from) && known(edge.to),
            "an edge joins two nodes"
        );
        self.edges.push(edge);
    }
    /// All nodes, by number.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }
    /// All edges.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }
    /// The graph as text in `format`.
    pub fn render(&self, format: Format) -> String {
        match format {
            Format::Text => formats::text(self),
            Format::Dot => formats::dot(self),
            Format::DaVinci => formats::davinci(self),
            Format::Vcg => formats::vcg(self),
            Format::Json => formats::json(self),
            Format::Svg => svg::svg(self),
        }
    }
}
