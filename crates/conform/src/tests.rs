//! Random machines against tables of them, and bad tables.

use crate::{Comparison, Status, Table, Verdict, compare, html, json, text};
use cwolf_base::{Budget, SourceMap};
use cwolf_lts::{Builder, Format, Lts, read_bytes};
use proptest::prelude::*;
use std::collections::{BTreeSet, VecDeque};

/// A cell: actions and next state; several if the machine may choose.
type Outcomes = Vec<(Vec<u8>, usize)>;

/// `cells[state][event]`; no outcome means that the event does not happen there.
#[derive(Clone, Debug)]
struct Drawn {
    cells: Vec<Vec<Outcomes>>,
}

const ACTIONS: [&str; 3] = ["ack", "nak", "reset"];

impl Drawn {
    fn reached(&self) -> BTreeSet<usize> {
        let mut reached = BTreeSet::from([0]);
        let mut open = VecDeque::from([0]);
        while let Some(state) = open.pop_front() {
            for (_, next) in self.cells[state].iter().flatten() {
                if reached.insert(*next) {
                    open.push_back(*next);
                }
            }
        }
        reached
    }
    /// The machine as a system. Silent steps lie between all others. With `watched`, states are only named when
    /// they change, in the middle of the actions.
    fn system(&self, watched: bool) -> Lts {
        let mut builder = Builder::new();
        let hubs = self.cells.len() as u32;
        let mut fresh = 2 * hubs;
        for (state, cells) in self.cells.iter().enumerate() {
            // A hub is reached by naming its state, from the node before it.
            let (hub, before) = (state as u32, hubs + state as u32);
            builder.transition(before, &format!("state=S{state}"), hub);
            builder.note(hub, &format!("at m.c:{}", state + 1));
            for (event, outcomes) in cells.iter().enumerate() {
                for (actions, next) in outcomes {
                    let mut at = fresh;
                    fresh += 1;
                    builder.transition(hub, &format!("event E{event}"), at);
                    let mut step = |label: &str| {
                        builder.transition(at, label, fresh);
                        at = fresh;
                        fresh += 1;
                    };
                    if watched && *next != state {
                        step("state=S0");
                        step(&format!("state=S{next}"));
                    }
                    for action in actions {
                        step("tau");
                        step(ACTIONS[usize::from(*action)]);
                    }
                    let end = if watched {
                        *next as u32
                    } else {
                        hubs + *next as u32
                    };
                    builder.transition(at, "tau", end);
                }
            }
        }
        builder.finish(if watched { 0 } else { hubs })
    }
    fn table(&self, comma: bool, start: bool) -> String {
        let separator = if comma { ',' } else { '\t' };
        let mut text = String::from("# A comment, with \"quotes\".\n#! alternatives all\n");
        if start {
            text += "#! start S0\n";
        }
        text += &format!("event{separator}state{separator}next{separator}actions\n");
        for (state, cells) in self.cells.iter().enumerate() {
            for (event, outcomes) in cells.iter().enumerate() {
                let mut row = |actions: &str, next: &str| {
                    let fields = [&format!("E{event}"), &format!("S{state}"), next, actions];
                    let quote = |f: &str| match comma {
                        true if f.contains(' ') => format!("\"{f}\""),
                        _ => f.to_owned(),
                    };
                    let fields: Vec<String> = fields.iter().map(|f| quote(f)).collect();
                    text += &fields.join(&separator.to_string());
                    text += "\n";
                };
                if outcomes.is_empty() {
                    row("-", "-");
                }
                for (actions, next) in outcomes {
                    let actions: Vec<&str> =
                        actions.iter().map(|a| ACTIONS[usize::from(*a)]).collect();
                    let next = if *next == state {
                        String::new()
                    } else {
                        format!("S{next}")
                    };
                    row(&actions.join(" "), &next);
                }
            }
        }
        text
    }
}

fn machine() -> impl Strategy<Value = Drawn> {
    (1..5usize, 1..4usize).prop_flat_map(|(states, events)| {
        let outcome = (prop::collection::vec(0..3u8, 0..4), 0..states);
        let outcomes = prop::collection::btree_set(outcome, 0..3);
        let outcomes = outcomes.prop_map(|set| set.into_iter().collect::<Outcomes>());
        let row = prop::collection::vec(outcomes, events);
        prop::collection::vec(row, states).prop_map(|cells| Drawn { cells })
    })
}

fn against(lts: &Lts, name: &str, text: &str) -> Comparison {
    let table = Table::read(name, text, &mut SourceMap::default()).expect("a correct table");
    compare(lts, false, &table, &Budget::unlimited()).expect("no limit")
}

proptest! {
    /// Every cell that is reached agrees, and only others are not.
    #[test]
    fn a_machine_conforms_to_its_table(drawn in machine(), watched: bool, comma: bool) {
        let lts = drawn.system(watched);
        let name = if comma { "t.csv" } else { "t.tsv" };
        let comparison = against(&lts, name, &drawn.table(comma, watched));
        let reached = drawn.reached();
        for cell in &comparison.cells {
            let state: usize = cell.state[1..].parse().expect("a number");
            let empty = cell.entry.as_ref().is_some_and(|e| e.alternatives.is_empty());
            let expected = match reached.contains(&state) || empty {
                true => Status::Same,
                false => Status::Unreached,
            };
            prop_assert_eq!(cell.status, expected, "{:?} {}", cell, text(&comparison, true));
        }
        let whole = comparison.count(Status::Unreached) == 0;
        prop_assert_eq!(comparison.verdict() == Verdict::Conforms, whole);
        prop_assert!(html(&comparison, "t").contains("</html>"));
    }

    /// A system that is held against itself conforms, whatever it is.
    #[test]
    fn a_machine_conforms_to_itself(drawn in machine(), watched: bool) {
        let lts = drawn.system(watched);
        let budget = Budget::unlimited();
        let table = Table::of_system(&lts, false, Default::default(), &budget).expect("no limit");
        let comparison = compare(&lts, false, &table, &budget).expect("no limit");
        prop_assert_eq!(comparison.verdict(), Verdict::Conforms, "{}", text(&comparison, true));
    }

    /// A machine that differs from the table in one cell differs there and nowhere else; the run that shows it
    /// ends as the machine's cell says.
    #[test]
    fn a_mutated_cell_is_found(drawn in machine(), watched: bool, pick: prop::sample::Index, how in 0..4) {
        let reached = drawn.reached();
        let cells: Vec<(usize, usize)> = reached
            .iter()
            .flat_map(|&s| (0..drawn.cells[s].len()).map(move |e| (s, e)))
            .filter(|&(s, e)| !drawn.cells[s][e].is_empty())
            .collect();
        prop_assume!(!cells.is_empty());
        let (state, event) = cells[pick.index(cells.len())];
        // The table is changed, not the machine: then no other cell is reached in another way.
        let mut changed = drawn.clone();
        let cell = &mut changed.cells[state][event];
        match how {
            0 => cell[0].0.push(2),
            1 => cell[0].1 = drawn.cells.len(),
            2 => cell.push((vec![0, 0, 0, 0, 0], 0)),
            _ => cell.clear(),
        }
        // Two alternatives must not become one.
        let set: BTreeSet<_> = cell.iter().cloned().collect();
        prop_assume!(set.len() == cell.len());
        let lts = drawn.system(watched);
        let text = changed.table(false, watched) + "#! impossible absent\n";
        let comparison = against(&lts, "t.tsv", &text);
        let different: Vec<_> = comparison
            .cells
            .iter()
            .filter(|c| c.status == Status::Different)
            .map(|c| (c.state.clone(), c.event.clone()))
            .collect();
        prop_assert_eq!(different, vec![(format!("S{state}"), format!("E{event}"))]);
        let cell = comparison.cell(&format!("S{state}"), &format!("E{event}")).expect("there is one");
        for found in cell.found.iter().filter(|f| !f.allowed) {
            let labels = found.steps.iter().filter_map(|s| s.label.as_deref());
            let actions: Vec<&str> = labels.filter(|l| ACTIONS.contains(l)).collect();
            prop_assert_eq!(&actions, &found.actions);
            prop_assert_eq!(&found.steps[0].place, &Some(("m.c".to_owned(), state as u32 + 1)));
        }
        prop_assert_eq!(&json(&comparison)["verdict"], "differs");
    }

    /// No text makes the reader panic.
    #[test]
    fn any_text_is_read_or_refused(text in "(\\PC|[,\t\n\"#!*-]|state|event|next|actions|order ){0,60}") {
        for name in ["t.csv", "t.tsv", "t"] {
            let read = Table::read(name, &text, &mut SourceMap::default());
            prop_assert!(read.is_ok() || read.is_err_and(|wrong| wrong.has_errors()));
        }
    }
}

fn wrong(text: &str) -> Vec<String> {
    let mut sources = SourceMap::default();
    let wrong = Table::read("t.csv", text, &mut sources).expect_err("a wrong table");
    let show = |d: &cwolf_base::Diagnostic| {
        let place = sources.position(d.span.expect("a place").lo);
        format!("{}:{}: {}", place.line, place.column, d.message)
    };
    wrong.iter().map(show).collect()
}

#[test]
fn what_is_wrong_has_a_place() {
    let good = "state,event,actions,next\n";
    assert_eq!(wrong(""), ["1:1: the table has no rows"]);
    assert_eq!(wrong(good), ["1:1: the table has no cells"]);
    assert_eq!(
        wrong("state,event\na,b\n"),
        ["1:1: the header lacks the column `next`"]
    );
    assert_eq!(
        wrong("state,event,next,colour\n"),
        ["1:18: there is no column `colour`"]
    );
    assert_eq!(
        wrong("state,state,event,next\n"),
        ["1:7: there are two columns `state`"]
    );
    assert_eq!(
        wrong(&format!("{good}a,,,b\n")),
        ["2:1: this row names no event"]
    );
    assert_eq!(
        wrong(&format!("{good}a,e,-,b\n")),
        ["2:5: the actions are `-`, but the next state is `b`"]
    );
    assert_eq!(
        wrong(&format!("{good}a,e,x,-\n")),
        ["2:7: the next state is `-`, but the actions are `x`"]
    );
    assert_eq!(
        wrong(&format!("{good}a,e,x,b\na,e,-,-\n")),
        ["3:1: this row contradicts line 2: `e` in `a`"]
    );
    assert_eq!(
        wrong(&format!("{good}a,e,x,b\n\na,e,x,b\n")),
        ["4:1: this row repeats line 2: `e` in `a`"]
    );
    assert_eq!(
        wrong(&format!("{good}a,e,x,b,more\n")),
        ["2:9: this row has more fields than the header"]
    );
    assert_eq!(
        wrong(&format!("{good}a,e\n")),
        ["2:1: this row has no field for `next` and `actions`"]
    );
    assert_eq!(
        wrong(&format!("{good}a,e,x\n")),
        ["2:1: this row has no field for `next`"]
    );
    assert_eq!(
        wrong(&format!("{good}a,\"e,x,b\n")),
        ["2:3: this quoted field has no end"]
    );
    assert_eq!(
        wrong(&format!("{good}a,\"e\"x,y,b\n")),
        ["2:6: there is text behind a quoted field"]
    );
    assert_eq!(
        wrong(&format!("#! colour red\n{good}a,e,,b\n")),
        ["1:4: there is no setting `colour`"]
    );
    assert_eq!(
        wrong(&format!("#! order\n{good}a,e,,b\n")),
        ["1:4: the setting `order` has no value"]
    );
    assert_eq!(
        wrong(&format!("#! order loose\n{good}a,e,,b\n")),
        ["1:4: `order` cannot be `loose`"]
    );
    assert_eq!(
        wrong(&format!("#! state *=*\n{good}a,e,,b\n")),
        ["1:4: the pattern `*=*` has more than one `*`"]
    );
}

fn aut(transitions: &[(u32, &str, u32)]) -> Lts {
    let mut builder = Builder::new();
    for (from, label, to) in transitions {
        builder.transition(*from, label, *to);
    }
    builder.finish(0)
}

/// The end of a run, and a loop that nothing leads out of, are no way to stay in a state.
#[test]
fn ends_and_loops_are_not_the_same_state() {
    let table = "state,event,actions,next\nA,stop,,\nA,hang,,\nA,ok,,\n";
    let lts = aut(&[
        (0, "state=A", 1),
        (1, "event ok", 0),
        (1, "event stop", 2),
        (1, "event hang", 3),
        (3, "tau", 4),
        (4, "tau", 3),
    ]);
    let comparison = against(&lts, "t.csv", table);
    let found = |event: &str| {
        let cell = comparison.cell("A", event).expect("a cell");
        (cell.status, cell.found[0].next.clone())
    };
    assert_eq!(found("ok"), (Status::Same, "A".to_owned()));
    assert_eq!(found("stop"), (Status::Different, "(end)".to_owned()));
    assert_eq!(found("hang"), (Status::Different, "(loop)".to_owned()));
    let told = against(
        &lts,
        "t.csv",
        "state,event,actions,next\nA,stop,,(end)\nA,hang,,*\nA,ok,*,\n",
    );
    assert_eq!(told.verdict(), Verdict::Conforms, "{}", text(&told, false));
}

/// Without an end to its actions a cell differs from every finite one, and says so.
#[test]
fn endless_actions_differ() {
    let lts = aut(&[
        (0, "state=A", 1),
        (1, "event e", 2),
        (2, "ping", 2),
        (2, "tau", 0),
    ]);
    let comparison = against(&lts, "t.csv", "state,event,actions,next\nA,e,ping,\n");
    let cell = comparison.cell("A", "e").expect("a cell");
    assert_eq!(cell.status, Status::Different);
    assert!(cell.found.iter().any(|f| f.show().ends_with("ping … -> A")));
    let free = against(&lts, "t.csv", "state,event,actions,next\nA,e,*,A\n");
    assert_eq!(free.verdict(), Verdict::Conforms);
    // Of two systems that both go on for ever nothing is known.
    let table =
        Table::of_system(&lts, false, Default::default(), &Budget::unlimited()).expect("no limit");
    let same = compare(&lts, false, &table, &Budget::unlimited()).expect("no limit");
    assert_eq!(same.verdict(), Verdict::Unknown);
}

#[test]
fn wildcards_orders_and_names() {
    let lts = aut(&[
        (0, "s 1", 1),
        (1, "in reset", 2),
        (2, "b", 3),
        (3, "a", 0),
        (1, "in go", 4),
        (4, "debug x", 5),
        (5, "s 2", 6),
        (6, "in reset", 2),
    ]);
    let head = "#! state s 1 => one\n#! state s * => s*\n#! event in *\n#! ignore debug *\nstate,event,actions,next\n";
    let rows = "one,go,,s2\n*,reset,a b,one\n";
    let strict = against(&lts, "t.csv", &format!("{head}{rows}"));
    assert_eq!(strict.count(Status::Different), 2);
    let free = against(&lts, "t.csv", &format!("#! order free\n{head}{rows}"));
    assert_eq!(free.verdict(), Verdict::Conforms, "{}", text(&free, false));
    // `go` is never raised in s2; the row for every event asks for nothing where nothing happens.
    let other = against(&lts, "t.csv", &format!("{head}one,go,,s2\n*,*,*,*\n"));
    assert_eq!(other.count(Status::Different), 0);
    assert_eq!(other.count(Status::Unreached), 1);
    let lost = against(
        &lts,
        "t.csv",
        &format!("{head}one,go,debug x,s2\n*,*,*,*\n"),
    );
    let cell = lost.cell("one", "go").expect("a cell");
    assert_eq!(
        (cell.status, cell.found[0].show()),
        (Status::Different, "-> s2".to_owned())
    );
}

/// What was not explored is not taken for an end, nor for something that never happens.
#[test]
fn a_partial_system_is_unknown() {
    let lts = read_bytes(
        "t.aut",
        b"des (0,3,4)\n(0,\"state=A\",1)\n(1,\"event e\",2)\n(1,\"event f\",3)\n",
        Format::Aut,
    );
    let lts = lts.expect("a system");
    let table = "#! unreached different\nstate,event,actions,next\nA,e,,B\nA,g,,B\n";
    let table = Table::read("t.csv", table, &mut SourceMap::default()).expect("a table");
    let comparison = compare(&lts, true, &table, &Budget::unlimited()).expect("no limit");
    assert_eq!(
        comparison.verdict(),
        Verdict::Unknown,
        "{}",
        text(&comparison, false)
    );
    let whole = compare(&lts, false, &table, &Budget::unlimited()).expect("no limit");
    assert_eq!(whole.count(Status::Different), 3);
}
