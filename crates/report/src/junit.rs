//! The report as JUnit XML, the form in which build servers read test results: a test case for
//! each property.

use crate::escape::xml;
use crate::text::step_line;
use crate::{Report, Status, Verdict};
use std::fmt::Write;

/// The report as a JUnit document.
pub fn junit(report: &Report) -> String {
    let count = |status| {
        let of = report.properties.iter().filter(|p| p.status == status);
        of.count()
    };
    // Without any property the verdict itself is the one test.
    let alone = report.properties.is_empty();
    let (tests, failures, skipped) = match alone {
        true => (1, 0, usize::from(report.verdict != Verdict::True)),
        false => (
            report.properties.len(),
            count(Status::Fails),
            report.properties.len() - count(Status::Fails) - count(Status::Holds),
        ),
    };
    let seconds = report.statistics.iter().find(|(name, ..)| name == "time");
    let seconds = seconds.map_or(0.0, |(_, value, _)| *value);
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let counts = format!(
        "tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\" time=\"{seconds:.3}\""
    );
    let _ = writeln!(out, "<testsuites name=\"cwolf verify\" {counts}>");
    let name = report.inputs.first().map_or("program", |i| &i.path);
    let _ = writeln!(
        out,
        "  <testsuite name=\"{}\" {counts} timestamp=\"{}\">",
        xml(name),
        xml(report.created.trim_end_matches('Z'))
    );
    let reason = match &report.verdict {
        Verdict::Unknown(reason) => reason.as_str(),
        _ => "not decided: another property fails first",
    };
    if alone {
        let _ = writeln!(
            out,
            "    <testcase name=\"verdict\" classname=\"{}\">",
            xml(name)
        );
        if skipped == 1 {
            let _ = writeln!(out, "      <skipped message=\"{}\"/>", xml(reason));
        }
        out += "    </testcase>\n";
    }
    for property in &report.properties {
        let _ = write!(
            out,
            "    <testcase name=\"{}: {} at {}\" classname=\"{}\" file=\"{}\" line=\"{}\"",
            xml(&property.kind),
            xml(&property.text),
            xml(&property.place.to_string()),
            xml(&property.function),
            xml(&property.place.file),
            property.place.line
        );
        match property.status {
            Status::Holds => out += "/>\n",
            Status::Unreachable | Status::AfterFailure | Status::Undecided => {
                let why = match (property.status, &property.reason) {
                    (_, Some(why)) => why,
                    (Status::Unreachable, None) => "unreachable: no run reaches it",
                    (_, None) => reason,
                };
                let _ = writeln!(
                    out,
                    ">\n      <skipped message=\"{}\"/>\n    </testcase>",
                    xml(why)
                );
            }
            Status::Fails => {
                let trace = property.trace.as_ref().or(report.trace.as_ref());
                let message = trace.map_or("", |t| &t.message);
                let steps = trace.map_or(&[][..], |t| &t.steps);
                let steps: Vec<_> = steps.iter().map(step_line).collect();
                let _ = writeln!(
                    out,
                    ">\n      <failure type=\"{}\" message=\"{}\">{}</failure>\n    </testcase>",
                    xml(&property.kind),
                    xml(message),
                    xml(&steps.join("\n"))
                );
            }
        }
    }
    out + "  </testsuite>\n</testsuites>\n"
}
