//! What the page asks and what it gets: plain data, no network here.

use crate::draw::{MOST, draw};
use crate::query::Query;
use crate::source;
use crate::system::{Run, System};
use cwolf_base::Budget;
use cwolf_lts::{Equivalence, Lts, State, reduce};
use serde_json::{Value, json};
use std::time::Duration;

/// Lists on the page are no longer than this.
const LISTED: usize = 200;
/// A reduction that takes longer is given up.
const PATIENCE: Duration = Duration::from_secs(60);

/// The answer to a request.
pub struct Answer {
    /// The status of HTTP.
    pub status: u16,
    /// The type of the content.
    pub kind: &'static str,
    /// The content.
    pub body: Vec<u8>,
    /// What a browser may load for it.
    pub policy: &'static str,
}

/// Nothing but what this server has.
const PAGE_POLICY: &str =
    "default-src 'self'; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'";

impl Answer {
    /// A page that has everything in itself, scripts too, and loads nothing; nothing else is
    /// found beside it.
    pub fn alone(address: &str, page: &str) -> Answer {
        match address {
            "" => Answer {
                policy: "default-src 'none'; script-src 'unsafe-inline'; \
                         style-src 'unsafe-inline'; frame-ancestors 'none'",
                ..file("text/html; charset=utf-8", page)
            },
            _ => Answer::nothing(),
        }
    }
    /// There is no such thing.
    pub fn nothing() -> Answer {
        Answer {
            status: 404,
            ..file("text/plain", "there is nothing here\n")
        }
    }
}

/// A system, its reductions as far as they were asked for, and a run to play.
pub struct View {
    name: String,
    systems: Vec<System>,
    run: Option<Run>,
}

/// The reductions that the page offers, by their names there.
const REDUCTIONS: [(&str, Equivalence); 4] = [
    ("strong", Equivalence::Strong),
    ("branching", Equivalence::Branching),
    ("weak", Equivalence::Weak),
    ("weak-trace", Equivalence::WeakTrace),
];

impl View {
    /// A view of a system.
    pub fn new(name: &str, lts: Lts) -> View {
        View {
            name: name.to_owned(),
            systems: vec![System::new("model", lts)],
            run: None,
        }
    }
    /// The same view with a run of the system to play, as its states after the start.
    pub fn with_run(mut self, states: &[State]) -> View {
        let lts = &self.systems[0].lts;
        let mut at = lts.initial();
        let mut steps = Vec::new();
        for &next in states {
            let Some((label, _)) = lts.from(at).find(|&(_, t)| t == next) else {
                break;
            };
            steps.push((label, next));
            at = next;
        }
        let start = lts.initial();
        self.run = Some(Run { start, steps });
        self
    }
    /// Answers a request, named by what follows the token in its address.
    pub fn answer(&mut self, address: &str) -> Answer {
        let query = Query::new(address);
        match query.path.as_str() {
            "" => file("text/html; charset=utf-8", include_str!("page/page.html")),
            "page.js" => file(
                "text/javascript; charset=utf-8",
                include_str!("page/page.js"),
            ),
            "shared.js" => file(
                "text/javascript; charset=utf-8",
                include_str!("page/shared.js"),
            ),
            "page.css" => file("text/css; charset=utf-8", include_str!("page/page.css")),
            "icon.svg" => file("image/svg+xml", include_str!("page/icon.svg")),
            "info" => data(self.info()),
            "reduce" => self.reduce(&query),
            path => match self.system(&query) {
                Some(system) => about(system, path, &query),
                None => wrong("there is no such system"),
            },
        }
    }

    fn info(&self) -> Value {
        let systems: Vec<Value> = self.systems.iter().map(summary).collect();
        let reductions: Vec<&str> = REDUCTIONS.iter().map(|(name, _)| *name).collect();
        json!({
            "name": self.name,
            "systems": systems,
            "reductions": reductions,
            "most": MOST,
            "run": self.run.as_ref().map(|way| run_data(&self.systems[0], way)),
        })
    }
    fn system(&self, query: &Query) -> Option<&System> {
        let name = query.text("system");
        self.systems.iter().find(|s| s.name == name)
    }
    fn reduce(&mut self, query: &Query) -> Answer {
        let to = query.text("to");
        let Some(&(name, equivalence)) = REDUCTIONS.iter().find(|(name, _)| *name == to) else {
            return wrong("there is no such reduction");
        };
        if !self.systems.iter().any(|s| s.name == name) {
            let budget = Budget::unlimited().timeout(PATIENCE);
            match reduce(&self.systems[0].lts, equivalence, &budget) {
                Ok(small) => self.systems.push(System::new(name, small.lts)),
                Err(reason) => return wrong(&format!("not reduced: {reason}")),
            }
        }
        data(self.info())
    }
}

fn about(system: &System, path: &str, query: &Query) -> Answer {
    let lts = &system.lts;
    let exists = |state: &State| (*state as usize) < lts.states();
    match path {
        "draw" => {
            let mut states = query.numbers("states");
            states.retain(exists);
            let current = query.number("current");
            states.truncate(MOST);
            let svg = draw(&system.name, lts, &states, current, &query.numbers("way"));
            Answer {
                status: 200,
                kind: "image/svg+xml; charset=utf-8",
                body: svg.into_bytes(),
                policy: PAGE_POLICY,
            }
        }
        "state" => match query.number("id").filter(exists) {
            Some(state) => data(state_data(system, state)),
            None => wrong("there is no such state"),
        },
        "way" => {
            let to = query.number("to");
            let label = query.text("label");
            let way = match to {
                Some(to) => system.shortest_run(|s| s == to, |_| false),
                None => system.shortest_run(|_| false, |l| lts.labels().name(l) == label),
            };
            data(way.map_or(Value::Null, |way| run_data(system, &way)))
        }
        "search" => data(search(system, query.text("text"))),
        _ => Answer {
            status: 404,
            ..wrong("there is nothing here")
        },
    }
}

fn summary(system: &System) -> Value {
    let lts = &system.lts;
    json!({
        "name": system.name,
        "states": lts.states(),
        "transitions": lts.transitions(),
        "initial": lts.initial(),
    })
}

fn state_data(system: &System, state: State) -> Value {
    let lts = &system.lts;
    let name = |label| lts.labels().name(label);
    let out: Vec<Value> = lts
        .from(state)
        .take(LISTED)
        .map(|(label, to)| json!({ "label": name(label), "state": to }))
        .collect();
    let into: Vec<Value> = system
        .into(state)
        .take(LISTED)
        .map(|(from, label)| json!({ "label": name(label), "state": from }))
        .collect();
    json!({
        "id": state,
        "note": lts.notes().and_then(|n| n.get(state)).map(|n| n.to_string()),
        "source": source::excerpt(lts, state),
        "out": out,
        "out_count": lts.from(state).len(),
        "in": into,
        "in_count": system.into(state).len(),
    })
}

fn run_data(system: &System, way: &Run) -> Value {
    let name = |label| system.lts.labels().name(label);
    let steps: Vec<Value> = way
        .steps
        .iter()
        .map(|&(label, state)| json!({ "label": name(label), "state": state }))
        .collect();
    json!({ "start": way.start, "steps": steps })
}

/// States by number, by their notes, and labels by name.
fn search(system: &System, text: &str) -> Value {
    let lts = &system.lts;
    let names = (0..lts.labels().len() as u32).map(|l| lts.labels().name(l));
    let labels: Vec<&str> = names.filter(|n| n.contains(text)).take(20).collect();
    let mut states: Vec<State> = Vec::new();
    states.extend(
        text.parse()
            .ok()
            .filter(|s: &State| (*s as usize) < lts.states()),
    );
    if let Some(notes) = lts.notes().filter(|_| !text.is_empty()) {
        let all = 0..lts.states() as State;
        let fits = |s: &State| notes.get(*s).is_some_and(|n| n.text.contains(text));
        states.extend(all.filter(fits).take(50));
    }
    let states: Vec<Value> = states
        .into_iter()
        .map(|s| {
            let note = lts.notes().and_then(|n| n.get(s));
            json!({ "state": s, "note": note.map(|n| n.to_string()) })
        })
        .collect();
    json!({ "labels": labels, "states": states })
}

fn file(kind: &'static str, text: &str) -> Answer {
    Answer {
        status: 200,
        kind,
        body: text.as_bytes().to_vec(),
        policy: PAGE_POLICY,
    }
}

fn data(value: Value) -> Answer {
    file("application/json", &value.to_string())
}

fn wrong(text: &str) -> Answer {
    Answer {
        status: 400,
        ..data(json!({ "error": text }))
    }
}
