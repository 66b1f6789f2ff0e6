use crate::View;
use cwolf_lts::{Builder, Format, Lts, read_bytes};
use serde_json::Value;

fn small() -> Lts {
    let text = b"des (0,5,4)\n(0,tau,1)\n(1,\"a\",2)\n(1,\"b\",3)\n(2,\"a\",2)\n(2,\"c d\",3)\n";
    read_bytes("x.aut", text, Format::Aut).expect("a correct file")
}

fn json(view: &mut View, address: &str) -> Value {
    let answer = view.answer(address);
    assert_eq!(answer.status, 200, "{address}");
    serde_json::from_slice(&answer.body).expect("JSON")
}

#[test]
fn a_state_knows_its_neighbours() {
    let mut view = View::new("x", small());
    let state = json(&mut view, "state?system=model&id=2");
    assert_eq!(state["out_count"], 2);
    assert_eq!(state["in_count"], 2);
    assert_eq!(state["out"][1]["label"], "c d");
}

#[test]
fn ways_are_shortest() {
    let mut view = View::new("x", small());
    let way = json(&mut view, "way?system=model&to=3");
    assert_eq!(way["steps"].as_array().map(Vec::len), Some(2));
    let way = json(&mut view, "way?system=model&label=c%20d");
    assert_eq!(way["steps"][2]["label"], "c d");
    assert!(json(&mut view, "way?system=model&label=z").is_null());
}

#[test]
fn reductions_are_systems_too() {
    let mut view = View::new("x", small());
    let info = json(&mut view, "reduce?to=weak");
    assert_eq!(info["systems"][1]["name"], "weak");
    assert_eq!(info["systems"][1]["states"], 3);
    assert_eq!(view.answer("reduce?to=none").status, 400);
    assert_eq!(view.answer("state?system=weak&id=2").status, 200);
}

#[test]
fn a_picture_has_the_states_that_are_shown() {
    let mut view = View::new("x", small());
    let answer = view.answer("draw?system=model&states=0,1,99&current=1");
    let svg = String::from_utf8(answer.body).expect("text");
    assert!(svg.contains("data-node=\"1\"") && !svg.contains("data-node=\"2\""));
    assert!(svg.contains("1  +2"), "two steps are hidden");
}

#[test]
fn nonsense_is_refused() {
    let mut view = View::new("x", small());
    for address in [
        "state",
        "state?system=model&id=4",
        "state?system=model&id=-1",
        "nothing?system=model",
        "../secret",
        "draw?system=%ff",
        "state?system=model&id=99999999999999",
    ] {
        assert!(view.answer(address).status >= 400, "{address}");
    }
}

#[test]
fn a_large_system_is_walked_in_without_being_sent() {
    let states = 300_000u32;
    let mut builder = Builder::new();
    for s in 0..states {
        builder.transition(s, "next", (s + 1) % states);
    }
    let mut view = View::new("ring", builder.finish(0));
    let state = view.answer("state?system=model&id=150000");
    assert!(state.body.len() < 1000);
    let way = json(&mut view, "way?system=model&to=1000");
    assert_eq!(way["steps"].as_array().map(Vec::len), Some(1000));
}
