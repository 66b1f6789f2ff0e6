use super::*;

fn place(line: u32) -> Place {
    Place {
        file: "dir/a <b>.c".into(),
        line,
        column: 3,
    }
}

fn step(line: u32, event: Event, changes: &[(&str, &str)]) -> Step {
    let change = |(name, value): &(&str, &str)| Change {
        name: (*name).into(),
        value: (*value).into(),
        plain: true,
    };
    Step {
        place: place(line),
        function: "main".into(),
        depth: 1,
        event,
        changes: changes.iter().map(change).collect(),
    }
}

fn failing() -> Report {
    let property = |kind: &str, line, status| Property {
        kind: kind.into(),
        place: place(line),
        function: "main".into(),
        text: "x < 10 && \"y\"".into(),
        status,
        reason: None,
        trace: None,
    };
    Report {
        verdict: Verdict::False("assertion".into()),
        inputs: vec![Input {
            path: "dir/a <b>.c".into(),
            hash: sha256(b"int main"),
        }],
        specification: "CHECK( init(main()), LTL(G assert) )".into(),
        properties: vec![
            property("bounds", 4, Status::Holds),
            property("assertion", 7, Status::Fails),
            property("assertion", 8, Status::Undecided),
        ],
        assumptions: vec![Assumption {
            text: "f has no body".into(),
            place: None,
        }],
        trace: Some(Trace {
            steps: vec![
                step(
                    3,
                    Event::Choose("nondet()".into(), "12".into()),
                    &[("x", "12")],
                ),
                step(5, Event::Branch(true), &[]),
                step(7, Event::Fail, &[]),
            ],
            message: "the assertion x < 10 is false".into(),
            choices: vec!["12".into()],
            returned: Vec::new(),
            arguments: None,
            repeat: None,
            ..Trace::default()
        }),
        engine: "bmc".into(),
        discharged: Some((3, 4)),
        statistics: vec![("time".into(), 0.25, "s".into())],
        sources: vec![Source {
            name: "dir/a <b>.c".into(),
            text: "int main() { return \"</script>\"; }\n{{data}}\n".into(),
        }],
        ..Report::default()
    }
}

#[test]
fn the_verdict_is_the_last_line() {
    let words = text(&failing());
    assert!(words.ends_with("VERDICT: false(assertion)\n"));
    assert_eq!(words.matches("VERDICT:").count(), 1);
    assert!(words.contains("checked: 3 properties, 1 holds, 1 fails, 1 undecided\n"));
    assert!(words.contains("dir/a <b>.c:3: main: nondet() returned 12, x = 12\n"));
    let reason = "two\nlines".to_owned();
    let unknown = Report {
        verdict: Verdict::Unknown(reason),
        ..Report::default()
    };
    assert_eq!(text(&unknown), "VERDICT: unknown (two lines)\n");
}

/// A report with every status, and a second failure.
fn several() -> Report {
    let mut report = failing();
    report.properties[1].trace = report.trace.clone();
    let mut other = report.properties[1].clone();
    other.place = place(9);
    other.trace = Some(Trace {
        steps: vec![step(9, Event::Fail, &[])],
        message: "the assertion z is false".into(),
        choices: vec!["13".into()],
        returned: Vec::new(),
        ..Trace::default()
    });
    let row = |status, reason: Option<&str>| Property {
        status,
        reason: reason.map(str::to_owned),
        ..report.properties[0].clone()
    };
    let after = "fails only after an earlier failure";
    let more = [
        row(Status::Unreachable, None),
        row(Status::AfterFailure, Some(after)),
        row(Status::Undecided, Some("there was no time")),
    ];
    report.properties.push(other);
    report.properties.extend(more);
    report.warnings.push(Assumption {
        text: "nothing after line 4 is ever run".into(),
        place: Some(place(4)),
    });
    report
}

#[test]
fn every_status_is_in_every_form() {
    let report = several();
    let words = text(&report);
    assert!(words.contains(
        "checked: 7 properties, 1 holds, 2 fail, 1 unreachable, 1 matters only after a failure, 2 undecided\n"
    ));
    assert!(words.contains(": fails only after an earlier failure\n"));
    assert_eq!(words.matches("undecided: there was no time\n").count(), 1);
    assert!(words.contains(":9: error: the assertion z is false\nchosen values: 13\n"));
    assert!(words.contains(":4: warning: nothing after line 4"));
    assert_eq!(words.matches("failing run:").count(), 1);
    assert_eq!(verbose_text(&report).matches("failing run:").count(), 2);

    let value = json(&report);
    assert_eq!(value["properties"][3]["trace"]["choices"][0], "13");
    assert_eq!(value["properties"][5]["status"], "after-failure");
    assert_eq!(value["properties"][6]["reason"], "there was no time");
    assert_eq!(value["warnings"][0]["place"]["line"], 4);

    let log: serde_json::Value = serde_json::from_str(&sarif(&report)).expect("JSON");
    let results = &log["runs"][0]["results"];
    let kinds: Vec<&str> = (0..7).filter_map(|n| results[n]["kind"].as_str()).collect();
    let not = "notApplicable";
    assert_eq!(kinds, ["pass", "fail", "open", "fail", not, not, "open"]);
    let steps = &results[3]["codeFlows"][0]["threadFlows"][0]["locations"];
    assert_eq!(steps.as_array().map(Vec::len), Some(1));
    assert_eq!(results[3]["message"]["text"], "the assertion z is false");

    let document = junit(&report);
    assert!(document.contains("tests=\"7\" failures=\"2\" errors=\"0\" skipped=\"4\""));
    assert!(document.contains("message=\"the assertion z is false\""));
    assert_eq!(document.matches("<skipped ").count(), 4);
}

#[test]
fn sarif_has_what_its_schema_requires() {
    let log: serde_json::Value = serde_json::from_str(&sarif(&failing())).expect("JSON");
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    assert_eq!(run["tool"]["driver"]["name"], "cwolf");
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
    let kinds: Vec<&str> = (0..3)
        .filter_map(|n| run["results"][n]["kind"].as_str())
        .collect();
    assert_eq!(kinds, ["pass", "fail", "open"]);
    let fails = &run["results"][1];
    assert_eq!(fails["ruleId"], "assertion");
    assert_eq!(run["tool"]["driver"]["rules"][0]["id"], "assertion");
    assert_eq!(fails["ruleIndex"], 0);
    let place = &fails["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "dir/a%20%3Cb%3E.c");
    let steps = &fails["codeFlows"][0]["threadFlows"][0]["locations"];
    assert_eq!(steps.as_array().map(Vec::len), Some(3));
}

#[test]
fn junit_counts_what_it_lists() {
    let document = junit(&failing());
    assert!(document.contains("tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\""));
    assert_eq!(document.matches("<testcase ").count(), 3);
    assert_eq!(document.matches("<failure ").count(), 1);
    assert_eq!(document.matches("<skipped ").count(), 1);
    assert!(document.contains("a &lt;b&gt;.c"));
    let none = junit(&Report::default());
    assert_eq!(none.matches("<testcase ").count(), 1);
}

#[test]
fn a_page_survives_hostile_sources() {
    let page = html(&failing());
    assert_eq!(page.matches("</script>").count(), 1);
    assert!(page.contains("<title>dir/a &lt;b&gt;.c: cwolf verify</title>"));
    // The hole's name in the program's text is left as it is.
    assert!(page.contains("{{data}}"));
}

#[test]
fn witnesses_follow_the_verdict() {
    let failing = failing();
    let witness = yaml(&failing).expect("a violation");
    assert!(witness.starts_with("- entry_type: \"violation_sequence\"\n"));
    assert!(witness.contains("value: \"(x == 12)\""));
    assert_eq!(witness.matches("type: \"target\"").count(), 1);
    // The value has arrived at the next step.
    let assumption = witness.find("type: \"assumption\"").expect("one");
    assert!(witness[assumption..].contains("line: 5"));
    let graph = graphml(&failing).expect("a violation");
    assert_eq!(graph.matches("<edge ").count(), 3);
    assert_eq!(graph.matches("key=\"violation\">true").count(), 1);
    assert_eq!(graph.matches("key=\"assumption\">(x == 12);").count(), 1);

    let proved = Report {
        verdict: Verdict::True,
        invariants: vec![Invariant {
            place: place(2),
            function: "main".into(),
            condition: "i <= 10".into(),
            told: Told::Loop(place(1)),
        }],
        ..failing.clone()
    };
    let witness = yaml(&proved).expect("a proof");
    assert!(witness.contains("type: \"loop_invariant\""));
    assert!(witness.contains("line: 1\n"));
    let graph = graphml(&proved).expect("a proof");
    assert!(graph.contains("key=\"invariant\">i &lt;= 10"));

    let unknown = Report {
        verdict: Verdict::Unknown("time".into()),
        ..failing
    };
    assert!(yaml(&unknown).is_none() && graphml(&unknown).is_none());
}

#[test]
fn equal_reports_give_equal_bytes() {
    assert_eq!(yaml(&failing()), yaml(&failing()));
    assert_eq!(html(&failing()), html(&failing()));
}
