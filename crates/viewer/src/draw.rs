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
        let said = note.map_or_else(Vec::new, |n| said(n.text));
        let more = match hidden {
            0 => String::new(),
            n => format!("  +{n}"),
        };
        let mut label = format!("{state}{more}");
        for line in &said {
            label += &format!("\n{}", shortened(line));
        }
        let ends = lts.from(state).len() == 0;
        let shape = if ends { Shape::Double } else { Shape::Round };
        let shape = if ends && !said.is_empty() {
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

/// What a picture says of a state: where in the source it is, and the first values that are no addresses; or the first line of its note.
fn said(note: &str) -> Vec<String> {
    const VALUES: usize = 3;
    let place = note.lines().find_map(|l| l.strip_prefix("at "));
    let Some(place) = place.and_then(|p| p.split(" (+").next()) else {
        return note.lines().next().map(str::to_owned).into_iter().collect();
    };
    let value = |line: &str| {
        let (name, value) = line.split_once(" -> ")?;
        // Counters and registers that nobody wrote, and addresses.
        if name.contains('#') || value.starts_with(['&', '{']) && value.contains('&') {
            return None;
        }
        // Of an allocated object the field says most.
        let name = match name.contains('@') {
            true => name.rsplit('.').next().unwrap_or(name),
            false => name,
        };
        Some(format!("{name} = {value}"))
    };
    let values = note.lines().filter_map(value).take(VALUES);
    std::iter::once(place.to_owned()).chain(values).collect()
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(36) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::said;

    #[test]
    fn a_state_is_its_place_and_its_values() {
        let note = "Stack: step:block_6 main:block_4\nc -> &main@39[0]\nmain@39[0].state -> 1\nmain@39#used -> 1\nx -> 2\nat a.c:17 (+7)";
        assert_eq!(said(note), ["a.c:17", "state = 1", "x = 2"]);
        assert_eq!(said("Halted\nr#0 -> 0"), ["Halted"]);
        assert!(said("").is_empty());
    }
}
