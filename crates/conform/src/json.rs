//! The comparison as plain data.

use crate::cell::{Alternative, Found};
use crate::compare::{Cell, Comparison, Status, Verdict};
use serde_json::{Value, json};

/// The comparison for other programs, and for the page.
pub fn json(comparison: &Comparison) -> Value {
    let count = |status| comparison.count(status);
    json!({
        "verdict": match comparison.verdict() {
            Verdict::Conforms => "conforms",
            Verdict::Differs => "differs",
            Verdict::Unknown => "unknown",
        },
        "states": comparison.states,
        "events": comparison.events,
        "counts": {
            "same": count(Status::Same),
            "different": count(Status::Different),
            "unreached": count(Status::Unreached),
            "unknown": count(Status::Unknown),
        },
        "cells": comparison.cells.iter().map(cell).collect::<Value>(),
    })
}

fn cell(cell: &Cell) -> Value {
    let entry = cell.entry.as_ref();
    let show = |list: &[Alternative]| -> Value {
        list.iter().map(|a| alternative(a, &cell.state)).collect()
    };
    json!({
        "state": cell.state,
        "event": cell.event,
        "status": cell.status.name(),
        "reason": cell.reason,
        "line": entry.map(|e| e.line).filter(|l| *l > 0),
        "notes": entry.map_or(&[][..], |e| &e.notes),
        "table": entry.map(|e| show(&e.alternatives)),
        "model": cell.found.iter().map(found).collect::<Value>(),
        "missing": show(&cell.missing),
    })
}

fn alternative(alternative: &Alternative, state: &str) -> Value {
    json!({
        "actions": alternative.actions,
        "next": alternative.next_from(state),
    })
}

fn found(found: &Found) -> Value {
    let step = |step: &crate::Step| {
        let place = step.place.as_ref();
        json!({
            "file": place.map(|p| &p.0),
            "line": place.map(|p| p.1),
            "label": step.label,
            "code": step.code,
        })
    };
    json!({
        "actions": found.actions,
        "next": found.next,
        "cut": found.cut,
        "allowed": found.allowed,
        "before": found.before,
        "steps": found.steps.iter().map(step).collect::<Value>(),
    })
}
