//! Graphs by hand: a segment and its cases, and which of them stand for which.

use crate::entail::entails;
use crate::fold::{Level, Templates, fold};
use crate::graph::{End, Frame, Graph, Kind, ObjId, Object, Ptr, Segment, Val};
use cwolf_cwi::{BlockId, FuncId, VarId};
use cwolf_numeric::Num;
use std::collections::BTreeMap;
use std::rc::Rc;

const WORD: i64 = 64;

/// A graph with variables that lead to nothing yet.
fn graph(vars: u32) -> Graph {
    let mut g = Graph {
        word: WORD,
        ..Graph::default()
    };
    let mut map = BTreeMap::new();
    for n in 0..vars {
        let var = VarId(n);
        let id = g.add(Object::new(Kind::Var(var), Num::constant(8), false));
        map.insert(var, id);
    }
    g.frames.push(Frame {
        func: FuncId(0),
        block: BlockId(0),
        vars: map,
        regs: BTreeMap::new(),
        stack: Vec::new(),
    });
    g
}

fn set_var(g: &mut Graph, var: u32, val: Val) {
    let id = g.frames[0].vars[&VarId(var)];
    g.object_mut(id).set(0, WORD, val);
}

/// A node of a list: its links at bits 0 and 64, a number at bit 128.
fn node(g: &mut Graph, data: i128) -> ObjId {
    let id = g.add(Object::new(Kind::Heap, Num::constant(24), false));
    g.object_mut(id).set(128, 32, Val::Const(data));
    id
}

fn to(id: ObjId) -> Val {
    Val::Ptr(Ptr::to(id, 0))
}

/// Variable 0 leads to a list of nodes with these numbers, variable 1 to its last node.
fn list(data: &[i128], double: bool) -> Graph {
    let mut g = graph(2);
    let ids: Vec<ObjId> = data.iter().map(|d| node(&mut g, *d)).collect();
    for (n, id) in ids.iter().enumerate() {
        let next = ids.get(n + 1).map_or(Val::Const(0), |n| to(*n));
        g.object_mut(*id).set(0, WORD, next);
        if double {
            let prev = n.checked_sub(1).map_or(Val::Const(0), |n| to(ids[n]));
            g.object_mut(*id).set(64, WORD, prev);
        }
    }
    set_var(&mut g, 0, ids.first().map_or(Val::Const(0), |n| to(*n)));
    set_var(&mut g, 1, ids.last().map_or(Val::Const(0), |n| to(*n)));
    g
}

/// Variable 0 leads to a run of nodes that ends with null; if it is doubly linked, variable 1 to its last node.
fn run(min: u8, double: bool, data: Val) -> (Graph, ObjId) {
    let mut g = graph(2);
    let id = node(&mut g, 0);
    let object = g.object_mut(id);
    object.seg = Some(Segment {
        next: 0,
        prev: double.then_some(64),
        head: 0,
        min,
    });
    object.set(0, WORD, Val::Const(0));
    object.set(128, 32, data);
    if double {
        object.set(64, WORD, Val::Const(0));
        let end = End::Last;
        let last = Ptr {
            end,
            ..Ptr::to(id, 0)
        };
        set_var(&mut g, 1, Val::Ptr(last));
    }
    set_var(&mut g, 0, to(id));
    (g, id)
}

#[test]
fn a_segment_stands_for_its_cases() {
    for double in [false, true] {
        for min in 0..=2 {
            let any = Val::In(Rc::new(Num::range(0, 9)));
            let (g, id) = run(min, double, any);
            let ends: &[End] = if double {
                &[End::First, End::Last]
            } else {
                &[End::First]
            };
            for end in ends {
                let cases = g.clone().split(id, *end);
                assert_eq!(cases.len(), if min == 0 { 2 } else { 1 });
                for case in &cases {
                    assert!(entails(case, &g), "{double} {min} {end:?}\n{case:?}\n{g:?}");
                }
            }
        }
    }
}

#[test]
fn runs_count_their_nodes() {
    for double in [false, true] {
        for min in 0..=2 {
            let (g, _) = run(min, double, Val::Const(1));
            for n in 0..5 {
                let mut l = list(&vec![1; n], double);
                if !double {
                    l.frames[0].vars.remove(&VarId(1));
                }
                assert_eq!(entails(&l, &g), n >= usize::from(min), "{double} {min} {n}");
                assert!(!entails(&g, &l) || (n == 0 && min > 2));
            }
            let mut wrong = list(&[1, 1, 2, 1], double);
            wrong.frames[0].vars.remove(&VarId(1));
            assert!(!entails(&wrong, &g));
        }
    }
}

#[test]
fn every_node_has_its_own_number() {
    // All nodes of a run hold the same unknown number, or each its own.
    let (mut same, id) = run(0, false, Val::Const(0));
    let named = same.name(Num::range(0, 9));
    same.object_mut(id).set(128, 32, named);
    let (own, _) = run(0, false, Val::In(Rc::new(Num::range(0, 9))));
    let single = |data: &[i128]| {
        let mut g = list(data, false);
        g.frames[0].vars.remove(&VarId(1));
        g
    };
    assert!(entails(&same, &own));
    assert!(!entails(&own, &same));
    assert!(entails(&single(&[3, 3, 3]), &same));
    assert!(!entails(&single(&[3, 4, 3]), &same));
    assert!(entails(&single(&[3, 4, 3]), &own));
    assert!(!entails(&single(&[3, 10, 3]), &own));
}

#[test]
fn broken_links_are_seen() {
    let (g, _) = run(1, true, Val::Const(1));
    let mut l = list(&[1, 1, 1], true);
    assert!(entails(&l, &g));
    // The second node leads back to itself.
    let ids: Vec<ObjId> = l.allocated().collect();
    l.object_mut(ids[1]).set(64, WORD, to(ids[1]));
    assert!(!entails(&l, &g));
    // The last node is not where the variable leads.
    let mut l = list(&[1, 1, 1], true);
    let ids: Vec<ObjId> = l.allocated().collect();
    set_var(&mut l, 1, to(ids[1]));
    assert!(!entails(&l, &g));
    // An object that nothing leads to is not described.
    let mut l = list(&[1, 1, 1], true);
    node(&mut l, 1);
    assert!(!entails(&l, &g));
    // A node that was freed is none.
    let mut l = list(&[1, 1, 1], true);
    let ids: Vec<ObjId> = l.allocated().collect();
    l.end(ids[1]);
    assert!(!entails(&l, &g));
}

#[test]
fn folding_keeps_what_variables_lead_to() {
    for double in [false, true] {
        let mut g = list(&[1, 1, 1, 1, 1], double);
        let before = g.clone();
        fold(&mut g, Level::Alike, &[], &mut Templates::new());
        assert_eq!(g.allocated().count(), 3, "{g:?}");
        assert!(entails(&before, &g) && !entails(&g, &before));
        // Other numbers stay apart, unless nothing does.
        let mut g = list(&[1, 1, 2, 1, 1], double);
        fold(&mut g, Level::Alike, &[], &mut Templates::new());
        assert_eq!(g.allocated().count(), 5);
    }
}

#[test]
fn freed_memory_may_come_again() {
    let mut g = graph(2);
    let old = node(&mut g, 1);
    let met = node(&mut g, 1);
    set_var(&mut g, 0, to(old));
    set_var(&mut g, 1, to(met));
    g.end(old);
    let later = node(&mut g, 1);
    assert!(g.met(old, met) && !g.met(old, later));
    let mut other = g.clone();
    set_var(&mut other, 1, to(later));
    g.collect();
    other.collect();
    (g.lost, other.lost) = (false, false);
    // Only where the two met are their addresses known to differ.
    assert!(entails(&g, &other));
    assert!(!entails(&other, &g));
}
