use super::*;
use crate::witness::{Claim, Passing, Where};

const HEADER: &str = "  metadata:
    format_version: \"2.0\"
    producer: {name: 'a tool', version: 1}   # flow style
    task:
      input_files:
      - \"a.c\"
      input_file_hashes: {\"a.c\": \"00ff\"}
      specification: |
        CHECK( init(main()), LTL(G ! call(reach_error())) )
      data_model: LP64
      language: C
";

fn invariants(content: &str) -> Result<Witness, ReadError> {
    read(format!("- entry_type: invariant_set\n{HEADER}  content:{content}").as_bytes())
}

#[test]
fn invariants_in_all_styles() {
    let witness = invariants(
        "
  - invariant:
      type: loop_invariant
      location:
        file_name: a.c
        line: 7
        column: 3
        function: main
      value: \"x >= 0 && s[1] != '\\\"'\"
      format: c_expression
  - {invariant: {type: location_invariant, location: {file_name: 'a.c', line: 9},
      value: x == 'it''s', format: c_expression}}
  - invariant:
      type: loop_transition_invariant
      location: {file_name: a.c, line: 7}
      value: \\at(x, AnyPrev) > x
      format: ext_c_expression
",
    )
    .expect("a witness");
    let Claim::Correct(found) = &witness.claim else {
        panic!("{witness:?}")
    };
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].condition, "x >= 0 && s[1] != '\"'");
    assert_eq!((found[0].at.line, found[0].at.column), (7, Some(3)));
    assert_eq!(
        (found[1].place, found[1].at.column),
        (Where::Statement, None)
    );
    assert_eq!(
        witness.unread,
        ["invariants of type `loop_transition_invariant`"]
    );
    assert_eq!(
        witness.metadata.inputs,
        [("a.c".into(), Some("00ff".into()))]
    );
    let specification = witness.metadata.specification.expect("it is given");
    assert_eq!(
        specification.trim(),
        "CHECK( init(main()), LTL(G ! call(reach_error())) )"
    );
}

#[test]
fn empty_sets() {
    for content in [" []\n", "\n", " ~\n"] {
        let witness = invariants(content).expect("a witness");
        assert_eq!(witness.claim, Claim::Correct(Vec::new()));
    }
}

#[test]
fn segments() {
    let text = format!(
        "- entry_type: violation_sequence\n{HEADER}  content:
    - segment:
      - waypoint:
          type: branching
          action: avoid
          location: {{file_name: a.c, line: 3}}
          constraint: {{value: false}}
      - waypoint:
          type: function_return
          action: follow
          location: {{file_name: a.c, line: 4, column: 35}}
          constraint: {{value: '\\result == 5', format: ext_c_expression}}
    - segment:
      - waypoint: {{type: target, action: follow, location: {{file_name: a.c, line: 9}}}}
"
    );
    let witness = read(text.as_bytes()).expect("a witness");
    let Claim::Violation(segments) = witness.claim else {
        panic!("no violation")
    };
    assert_eq!(segments[0].avoid[0].passing, Passing::Branch(false));
    let returned = Passing::Return(Some("\\result == 5".into()));
    assert_eq!(segments[0].follow.passing, returned);
    assert_eq!(segments[1].follow.passing, Passing::Target);
}

#[test]
fn graphml() {
    let text = r#"<?xml version="1.0"?>
<graphml xmlns="x"><key id="entry" for="node"><default>false</default></key>
<graph edgedefault="directed">
  <data key="witness-type">violation_witness</data><data key="architecture">32bit</data>
  <data key="programfile">a.c</data>
  <node id="A"><data key="entry">true</data></node><node id="S"><data key="sink">true</data></node>
  <node id="B"/><node id="C"><data key="violation">true</data></node>
  <edge source="A" target="S"><data key="startline">1</data></edge>
  <edge source="A" target="B"><data key="startline">4</data><data key="assumption">x == 1; y &lt; 2;</data></edge>
  <edge source="B" target="C"><data key="startline">9</data><data key="control">condition-true</data></edge>
</graph></graphml>"#;
    let witness = read(text.as_bytes()).expect("a witness");
    assert_eq!(witness.metadata.data_model.as_deref(), Some("ILP32"));
    let Claim::Violation(segments) = witness.claim else {
        panic!("no violation")
    };
    assert_eq!(segments.len(), 2);
    assert_eq!(
        segments[0].follow.passing,
        Passing::After("(x == 1) && (y < 2)".into())
    );
    assert_eq!(segments[1].follow.at.line, 9);
}

#[test]
fn mistakes_are_told_with_their_lines() {
    for (text, line, words) in [
        ("", 1, "empty"),
        ("- entry_type: violation_sequence\n", 1, "content"),
        ("- a: 1\n  a: 2\n", 2, "twice"),
        ("- entry_type: \"x\n", 1, "not end"),
        ("- entry_type: [x\n", 1, "not end"),
        ("- entry_type: other\n", 1, "no witness"),
        ("a: b\n c: d\n", 1, "list"),
        ("- \tx: 1\n", 1, ""),
        ("<graphml>", 1, "not end"),
        ("<graphml>\n</graph>", 2, "ends <graphml>"),
        ("<graphml><graph/></graphml>", 1, "witness-type"),
        ("<a>&nothing;</a>", 1, "entity"),
    ] {
        let error = read(text.as_bytes()).expect_err(text);
        assert_eq!(error.line, line, "{text:?}: {error}");
        assert!(error.what.contains(words), "{text:?}: {error}");
    }
}

/// Every file cut short or with a byte changed is read or refused, and nothing else.
#[test]
fn broken_files_do_no_harm() {
    let whole = format!("- entry_type: invariant_set\n{HEADER}  content: []\n");
    for n in 0..whole.len() {
        let _ = read(&whole.as_bytes()[..n]);
        for byte in *b"\0:-\"'[{#\n |\xff" {
            let mut changed = whole.clone().into_bytes();
            changed[n] = byte;
            let _ = read(&changed);
        }
    }
}
