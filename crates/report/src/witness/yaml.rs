//! Witnesses of format version 2.0: a violation sequence or a set of loop invariants.

use super::{told, uuid, waypoints};
use crate::escape::yaml_string as quote;
use crate::{Place, Report, VERSION, Verdict};
use std::fmt::Write;

/// The witness of a true or false verdict; none for an unknown one.
pub fn yaml(report: &Report) -> Option<String> {
    let mut out = String::new();
    match &report.verdict {
        Verdict::True => {
            header(report, "invariant_set", &mut out);
            let told: Vec<_> = told(report).collect();
            match told.is_empty() {
                true => out += "  content: []\n",
                false => out += "  content:\n",
            }
            for (invariant, place, is_loop) in told {
                let kind = match is_loop {
                    true => "loop_invariant",
                    false => "location_invariant",
                };
                let _ = writeln!(out, "    - invariant:\n        type: {}", quote(kind));
                location(place, &invariant.function, 8, &mut out);
                let _ = writeln!(out, "        value: {}", quote(&invariant.condition));
                out += "        format: \"c_expression\"\n";
            }
        }
        Verdict::False(_) => {
            let trace = report.trace.as_ref()?;
            let end = trace.steps.last()?;
            header(report, "violation_sequence", &mut out);
            out += "  content:\n";
            let returned: Vec<_> = trace.returned.iter().filter(|r| r.closes).collect();
            for value in &returned {
                segment("function_return", &value.place, &value.function, &mut out);
                let condition = format!("\\result == {}", value.value);
                constraint(&condition, "ext_c_expression", &mut out);
            }
            // Without the text, what variables hold.
            let assumed = match returned.is_empty() {
                true => waypoints(trace),
                false => Vec::new(),
            };
            for point in assumed {
                segment("assumption", point.place, point.function, &mut out);
                constraint(&point.condition, "c_expression", &mut out);
            }
            segment("target", &end.place, &end.function, &mut out);
        }
        Verdict::Unknown(_) => return None,
    }
    Some(out)
}

fn header(report: &Report, kind: &str, out: &mut String) {
    let _ = writeln!(out, "- entry_type: {}", quote(kind));
    out.push_str("  metadata:\n    format_version: \"2.0\"\n");
    let _ = writeln!(out, "    uuid: {}", quote(&uuid(report)));
    let _ = writeln!(out, "    creation_time: {}", quote(&report.created));
    let _ = writeln!(
        out,
        "    producer:\n      name: \"cwolf\"\n      version: {}",
        quote(VERSION)
    );
    out.push_str("    task:\n      input_files:\n");
    for input in &report.inputs {
        let _ = writeln!(out, "        - {}", quote(&input.path));
    }
    out.push_str("      input_file_hashes:\n");
    for input in &report.inputs {
        let _ = writeln!(
            out,
            "        {}: {}",
            quote(&input.path),
            quote(&input.hash)
        );
    }
    let _ = writeln!(out, "      specification: {}", quote(&report.specification));
    let _ = writeln!(out, "      data_model: {}", quote(&report.data_model));
    out.push_str("      language: \"C\"\n");
}

fn segment(kind: &str, place: &Place, function: &str, out: &mut String) {
    out.push_str("    - segment:\n        - waypoint:\n");
    let _ = writeln!(out, "            type: {}", quote(kind));
    out.push_str("            action: \"follow\"\n");
    location(place, function, 12, out);
}

fn constraint(condition: &str, format: &str, out: &mut String) {
    out.push_str("            constraint:\n");
    let _ = writeln!(out, "              value: {}", quote(condition));
    let _ = writeln!(out, "              format: {}", quote(format));
}

fn location(place: &Place, function: &str, indent: usize, out: &mut String) {
    let pad = " ".repeat(indent);
    let _ = writeln!(out, "{pad}location:");
    let _ = writeln!(out, "{pad}  file_name: {}", quote(&place.file));
    let _ = writeln!(out, "{pad}  line: {}", place.line);
    if place.column > 0 {
        let _ = writeln!(out, "{pad}  column: {}", place.column);
    }
    let _ = writeln!(out, "{pad}  function: {}", quote(function));
}
