//! A picture of the states that are shown, laid out by the project's own layout.

use cwolf_base::view::{Colour, Digraph, Edge, Format, Line, Node, Shape};
use cwolf_lts::{Lts, State, TAU};
use std::collections::HashSet;

/// More states than this are no picture any more.
pub const MOST: usize = 300;

/// The same for a picture that is made once, and looked at elsewhere.
pub const MOST_IN_A_PICTURE: usize = 1000;

/// Draws a whole system.
pub fn picture(name: &str, lts: &Lts) -> String {
    let all: Vec<State> = (0..lts.states() as State).collect();
    draw(name, lts, &all, None, &[])
}

/// Draws `states`: the current one, and the way that is played, stand out.
pub fn draw(
    name: &str,
    lts: &Lts,
    states: &[State],
    current: Option<State>,
    way: &[State],
) -> String {
    let mut graph = Digraph::new(name);
    let mut place = std::collections::HashMap::new();
    let shown: HashSet<State> = states.iter().copied().collect();
    for &state in states {
        let hidden = lts.from(state).filter(|(_, t)| !shown.contains(t)).count();
        let note = lts.notes().and_then(|n| n.get(state));
        let first = note.map_or("", |n| n.text.lines().next().unwrap_or(""));
        let more = match hidden {
            0 => String::new(),
            n => format!("  +{n}"),
        };
        let mut label = format!("{state}{more}");
        if !first.is_empty() {
            label += &format!("\n{}", shortened(first));
        }
        let ends = lts.from(state).len() == 0;
        let shape = if ends { Shape::Double } else { Shape::Round };
        let shape = if ends && !first.is_empty() {
            Shape::Box
        } else {
            shape
        };
        let colour = match () {
            () if current == Some(state) => Colour::Yellow,
            () if state == lts.initial() => Colour::Blue,
            () if way.contains(&state) => Colour::Red,
            () if ends => Colour::Green,
            () => Colour::Plain,
        };
        let node = Node::new(state.to_string(), label);
        let number = graph.node(node.shape(shape).colour(colour));
        place.insert(state, number);
    }
    for &state in states {
        // Several labels between the same states share a line.
        let mut between: std::collections::BTreeMap<State, Vec<u32>> = Default::default();
        for (label, target) in lts.from(state).filter(|(_, t)| place.contains_key(t)) {
            between.entry(target).or_default().push(label);
        }
        for (target, labels) in between {
            let silent = labels == [TAU];
            let names: Vec<String> = labels
                .iter()
                .filter(|&&l| l != TAU || labels.len() > 1)
                .map(|&l| shortened(lts.labels().name(l)))
                .collect();
            let shown = names.len().min(4);
            let mut label = names[..shown].join("\n");
            if names.len() > shown {
                label += &format!("\n+{}", names.len() - shown);
            }
            let edge = Edge::new(place[&state], place[&target], label);
            let played = way.windows(2).any(|w| w == [state, target]);
            let line = if silent { Line::Dashed } else { Line::Solid };
            graph.edge(match played {
                true => edge.line(Line::Bold).colour(Colour::Red),
                false => edge.line(line),
            });
        }
    }
    graph.render(Format::Svg)
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(36) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
