use super::*;
use crate::builder::Builder;
use proptest::prelude::*;

fn text(format: Format, lts: &Lts) -> String {
    let mut out = Vec::new();
    write(format, lts, &mut out).expect("memory takes everything");
    String::from_utf8(out).expect("formats are text")
}

/// Reads `input` and writes it as `.aut`, or gives the message.
fn check(format: Format, input: &str, expect: &str) {
    let found = match read_bytes("x", input.as_bytes(), format) {
        Ok(lts) => {
            assert_eq!(lts.verify(), Ok(()));
            text(Format::Aut, &lts)
        }
        Err(e) => e.to_string(),
    };
    assert_eq!(found, expect, "for {input:?}");
}

#[test]
fn aut_labels_in_all_spellings() {
    check(
        Format::Aut,
        "des (1, 6, 3)\n(0, i, 1)\n(0,\"tau\",2)\n(1, PUT !1, 0)\r\n(1,\"say \"hi\", you\",2)\n\n (2 , \"a\" , 0 )\n(2,tau,2)",
        "des (1,6,3)\n(0,\"tau\",1)\n(0,\"tau\",2)\n(1,\"PUT !1\",0)\n(1,\"say \"hi\", you\",2)\n(2,\"tau\",2)\n(2,\"a\",0)\n",
    );
}

#[test]
fn aut_mistakes_have_a_place() {
    for (input, expect) in [
        (
            "",
            "x:1:1: the file is empty: expected `des (start, transitions, states)`",
        ),
        (
            "garbage",
            "x:1:1: expected the header `des (start, transitions, states)`",
        ),
        ("des (0,1", "x:1:9: expected `,`"),
        (
            "des (2,0,2)",
            "x:1:7: the start state 2 is not below the number of states, 2",
        ),
        (
            "des (0,0,0)",
            "x:1:7: the start state 0 is not below the number of states, 0",
        ),
        (
            "des (0,2,2)\n(0,a,1)\n",
            "x:2:1: the header says 2 transitions, but there are 1",
        ),
        (
            "des (0,1,2)\n(0,a,1)\n(0,b,1)\n",
            "x:3:1: the header says 1 transitions, but there are more",
        ),
        (
            "des (0,1,2)\n(0,a, 2)\n",
            "x:2:7: state 2 is out of range: the header says 2 states",
        ),
        (
            "des (0,1,2)\n(0,a)\n",
            "x:2:4: expected `, target)` after the label",
        ),
        ("des (0,1,2)\n(0,,1)\n", "x:2:4: expected a label, found ``"),
        (
            "des (0,1,2)\n(0,\"a,1)\n",
            "x:2:4: expected a label, found `\\\"a`",
        ),
        (
            "des (0,1,2)\n(0,a,1) x\n",
            "x:2:9: expected the end of the line",
        ),
        (
            "des (0,99999999999999999999999,2)",
            "x:1:7: more than 4294967294 states or transitions are not supported",
        ),
        (
            "des (0,0,4000000000)",
            "x:1:1: the header says 4000000000 states, too many for 0 transitions",
        ),
        (
            "des (0,4000000000,9)",
            "x:1:1: the header says 4000000000 transitions, but there are 0",
        ),
    ] {
        check(Format::Aut, input, expect);
    }
    let bad = read_bytes("x", b"des (0,1,1)\n(0,\"\xff\",0)", Format::Aut).unwrap_err();
    assert_eq!((bad.line, bad.column), (2, 4));
}

#[test]
fn aut_refuses_to_write_what_would_be_misread() {
    for name in ["i", "a\nb"] {
        let mut builder = Builder::new();
        builder.transition(0, name, 0);
        let error = write(Format::Aut, &builder.finish(0), &mut Vec::new()).unwrap_err();
        assert!(error.to_string().contains("cannot be written"), "{error}");
    }
}

#[test]
fn aut_spells_tau_as_asked() {
    let mut builder = Builder::new();
    builder.transition(0, "tau", 0);
    let mut out = Vec::new();
    write_aut(&builder.finish(0), TauSpelling::I, &mut out).unwrap();
    assert_eq!(out, b"des (0,1,1)\n(0,i,0)\n");
}

/// Thesis, Figure 4.12.
#[test]
fn cwb_reads_the_figure() {
    let figure = "proc main= Aut(\nstart=0,\n1:\u{2018}b{1}X{2}\u{2018}a{2}\u{2018}eof{3,7}\n0:t{5}\n3:accept{2}\n4:accept{2}\n\
        5:`b{1}`a{8}`X{2}`eof{4,6}\n6:accept{2}\n7:accept{2}\n8:`b{1}`a{8}`X{2}`eof{4,6}\n)\n";
    let lts = read_bytes("fsm.ccs", figure.as_bytes(), Format::Cwb).unwrap();
    assert_eq!((lts.states(), lts.transitions()), (9, 20));
    assert_eq!(lts.tau_targets(0), [5]);
    let eof = lts.labels().lookup("`eof").unwrap();
    assert_eq!(lts.targets_by(1, eof), [3, 7]);
}

#[test]
fn cwb_mistakes_have_a_place() {
    for (input, expect) in [
        (
            "Aut(start=0, 0:a{1}) nil",
            "x:1:22: expected the end of the text, found `nil` (only one automaton can be read as a transition system)",
        ),
        ("proc p = nil", "x:1:10: expected `Aut`, found `nil`"),
        (
            "Aut(\nstart=0,\n0:a{}",
            "x:3:5: expected a target state, a number, found `}`",
        ),
        (
            "Aut(start=0,0:t{1}",
            "x:1:19: expected a state or `)`, a number, found the end of the text",
        ),
        (
            "Aut(start=0,0:a{4000000000})",
            "x:1:17: there are too few transitions for a state 4000000000",
        ),
        (
            "Aut(start=9999999999,)",
            "x:1:11: the number `9999999999` is too large",
        ),
    ] {
        check(Format::Cwb, input, expect);
    }
}

#[test]
fn fsm_reads_state_parameters_as_notes() {
    let input = "b(2) Bool \"F\" \"T\"\nn(3) Nat \"0\" \"1\" \"2\"\n---\n0 0\n1 2\n---\n1 2 \"a(1)\"\n2 1 \"tau\"\n";
    let lts = read_bytes("x", input.as_bytes(), Format::Fsm).unwrap();
    assert_eq!((lts.states(), lts.transitions()), (2, 2));
    assert_eq!(lts.notes().unwrap().get(1).unwrap().text, "b=T, n=2");
    assert_eq!(lts.tau_targets(1), [0]);
}

#[test]
fn fsm_mistakes_have_a_place() {
    for (input, expect) in [
        (
            "---\n",
            "x:1:1: expected parameters, states and transitions, separated by `---`",
        ),
        ("---\n---\n", "x:2:1: there are no states"),
        ("b(2 Bool\n---\n---\n", "x:1:5: expected `)`, found `Bool`"),
        (
            "b(2) Bool \"F\n---\n---\n",
            "x:1:11: this string does not end",
        ),
        (
            "---\n\n---\n1 2 \"a\"\n",
            "x:4:3: state 2 is out of range: there are 1 states",
        ),
        (
            "---\n\n---\n1 1\n",
            "x:4:4: expected a label, found the end of the text",
        ),
        (
            "---\n\n---\n1 1 a b\n",
            "x:4:7: expected the end of the line, found `b`",
        ),
        (
            "b(1) Bool \"F\"\n---\n1\n---\n",
            "x:3:1: `b` has no value 1",
        ),
    ] {
        check(Format::Fsm, input, expect);
    }
}

#[test]
fn json_mistakes_have_a_place() {
    let deep = format!("{{\"x\":{}", "[".repeat(100_000));
    for (input, expect) in [
        ("[]", "x:1:1: expected `{`, found `[]`"),
        ("{}", "x:1:3: the field `states` is missing"),
        (
            "{\"states\":0}",
            "x:1:11: the start state 0 is not below the number of states, 0",
        ),
        (
            "{\"states\":4000000000}",
            "x:1:11: too many states for these transitions",
        ),
        (
            "{\"states\":1,\n\"transitions\":[[0,0,1]]}",
            "x:2:16: state 1 is out of range: there are 1 states",
        ),
        (
            "{\"states\":1,\n\"transitions\":[[0,1,0]]}",
            "x:2:16: there is no label 1",
        ),
        (
            "{\"labels\":[\"a\"]}",
            "x:1:12: label 0, and only that, is `tau`",
        ),
        (
            "{\"states\":1,\"notes\":[\"a\",null]}",
            "x:1:32: there are more notes than states",
        ),
        (&deep, "x:1:263: this is nested too deeply"),
        (
            "{\"a\":\"\\ud800x\"}",
            "x:1:7: this escape is not a character",
        ),
    ] {
        check(Format::Json, input, expect);
    }
    check(
        Format::Json,
        "{\"other\":{\"a\":[1,true,\"x\"]},\"states\":1}",
        "des (0,0,1)\n",
    );
}

#[test]
fn dot_mistakes_have_a_place() {
    for (input, expect) in [
        ("graph {}", "x:1:1: expected `digraph`, found `graph`"),
        (
            "digraph { 0 -> 1; }",
            "x:1:20: no `start -> …` marks the start state",
        ),
        (
            "digraph {\n a -> 1; }",
            "x:2:2: the node `a` is not a number",
        ),
        (
            "digraph { start -> 4000000000; }",
            "x:1:20: the node 4000000000 is too large for this graph",
        ),
        (
            "digraph { start -> 0; 0 -> 1 [label=\"a\"",
            "x:1:40: expected an attribute, found the end of the text",
        ),
    ] {
        check(Format::Dot, input, expect);
    }
}

#[test]
fn viewers_formats_are_written() {
    let mut builder = Builder::new();
    builder.transition(0, "tau", 1);
    builder.transition(1, "say \"x\"", 0);
    builder.note(1, "main.c:2");
    let lts = builder.finish(0);
    let vcg = text(Format::Vcg, &lts);
    assert!(
        vcg.contains("node: { title: \"1\" label: \"1\\nmain.c:2\" info1"),
        "{vcg}"
    );
    assert!(vcg.contains("label: \"say \\\"x\\\"\""), "{vcg}");
    let davinci = text(Format::DaVinci, &lts);
    let balance = davinci.matches(['(', '[']).count() - davinci.matches([')', ']']).count();
    assert_eq!(balance, 0, "{davinci}");
    assert!(davinci.contains("r(\"s1\")"), "{davinci}");
}

#[test]
fn vcg_mistakes_have_a_place() {
    for (input, expect) in [
        ("", "x:1:1: expected `graph`, found the end of the text"),
        (
            "graph: { node: { label: \"a\" } }",
            "x:1:10: this node has no title",
        ),
        (
            "graph: {\nnode: { title: \"a\" } }",
            "x:2:16: the title `a` is not the number of a state",
        ),
        (
            "graph: { node: { title: \"4000000000\" } }",
            "x:1:25: the title `4000000000` is not the number of a state",
        ),
        (
            "graph: { edge: { sourcename: \"0\" } }",
            "x:1:10: this edge has no sourcename or no targetname",
        ),
        (
            "graph: { node: { title: 0 } }",
            "x:1:30: no node has `borderwidth: 3`, which marks the start state",
        ),
        (
            "graph: { colorentry 1: { node: {",
            "x:1:21: expected `:`, found `1:`",
        ),
    ] {
        check(Format::Vcg, input, expect);
    }
    check(
        Format::Vcg,
        "// by hand\ngraph: { title: x  classes: { a: \"}\" }\n node: { borderwidth: 3 title: 0 }\n edge: { sourcename: 0 targetname: 0 } }",
        "des (0,1,1)\n(0,\"\",0)\n",
    );
}

#[test]
fn davinci_mistakes_have_a_place() {
    for (input, expect) in [
        ("", "x:1:1: expected `[`, found the end of the text"),
        (
            "[]",
            "x:1:3: no node has the shape circle, which marks the start state",
        ),
        (
            "[\nl(\"x\",n(\"\",[],[]))]",
            "x:2:1: `x` is not the name of a state, such as s0",
        ),
        (
            "[l(\"s0\",n(\"\",[],[l(\"e\",e(\"\",[],r(\"s4000000000\")))]))]",
            "x:1:34: `s4000000000` is not the name of a state, such as s0",
        ),
        (
            "[l(\"s0\",n(\"\",[a(\"OTHERS\",\"x\")],[]))]",
            "x:1:26: expected a number of states",
        ),
    ] {
        check(Format::DaVinci, input, expect);
    }
}

#[test]
fn a_budget_ends_reading() {
    let budget = Budget::unlimited().timeout(std::time::Duration::ZERO);
    for format in Format::ALL {
        let error = read("x", &b"des (0,0,1)"[..], format, &budget).unwrap_err();
        assert_eq!(error.exhausted, Some(cwolf_base::Exhausted::Time));
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// `printf 'des (0,1,2)\n(0,"a",1)\n' | xz`
const XZ: &[u8] = &[
    0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00, 0x00, 0x04, 0xE6, 0xD6, 0xB4, 0x46, 0x02, 0x00, 0x21, 0x01,
    0x16, 0x00, 0x00, 0x00, 0x74, 0x2F, 0xE5, 0xA3, 0x01, 0x00, 0x15, 0x64, 0x65, 0x73, 0x20, 0x28,
    0x30, 0x2C, 0x31, 0x2C, 0x32, 0x29, 0x0A, 0x28, 0x30, 0x2C, 0x22, 0x61, 0x22, 0x2C, 0x31, 0x29,
    0x0A, 0x00, 0x00, 0x00, 0xDE, 0x4B, 0x5A, 0xDA, 0xD4, 0x58, 0x85, 0x84, 0x00, 0x01, 0x2E, 0x16,
    0x56, 0x09, 0x55, 0xDF, 0x1F, 0xB6, 0xF3, 0x7D, 0x01, 0x00, 0x00, 0x00, 0x00, 0x04, 0x59, 0x5A,
];

#[test]
fn compressed_inputs_are_recognised() {
    let plain = b"des (0,1,2)\n(0,\"a\",1)\n";
    let expect = read_bytes("x", plain, Format::Aut).unwrap();
    assert_eq!(
        read_bytes("x", &gzip(plain), Format::Aut).as_ref(),
        Ok(&expect)
    );
    assert_eq!(read_bytes("x", XZ, Format::Aut).as_ref(), Ok(&expect));
    for bytes in [gzip(plain), XZ.to_vec()] {
        for len in 2..bytes.len() {
            // A cut may leave all the data and lose only the checksum: still a mistake.
            let cut = read_bytes("x", &bytes[..len], Format::Aut);
            assert!(cut.is_err(), "{len} of {} bytes", bytes.len());
        }
        for n in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[n] ^= 0x55;
            let _ = read_bytes("x", &flipped, Format::Aut);
        }
    }
}

#[test]
fn formats_by_name_and_suffix() {
    for format in Format::ALL {
        assert_eq!(Format::from_name(format.name()), Some(format));
        let path = format!("a.b/c.d.{}.xz", format.name());
        assert_eq!(Format::from_path(Path::new(&path)), Some(format));
    }
    assert_eq!(Format::from_path(Path::new("aut")), None);
    let error = read_path(Path::new("/no/such/file.aut"), None).unwrap_err();
    assert!(error.to_string().contains("cannot open it"), "{error}");
}

prop_compose! {
    fn systems()(
        edges in prop::collection::vec((0u32..6, 0usize..9, 0u32..6), 0..20),
        notes in prop::collection::vec(prop::option::of(("[a-z\"\\\\ é\n]{1,5}", 0u32..3)), 0..6),
        initial in 0u32..6,
    ) -> Lts {
        let names = [
            "tau", "a", "`b", "'c", "t", "x(1), \"é\\", "out {0..9}", "`in {?}", "{'1,2} {..5}",
        ];
        let mut builder = Builder::new();
        for (s, a, t) in edges {
            builder.transition(s, names[a], t);
        }
        for (s, note) in notes.iter().enumerate() {
            if let Some((text, others)) = note {
                builder.note_merged(s as u32, text, *others);
            }
        }
        builder.finish(initial)
    }
}

/// What must survive writing and reading: the number of states, the start, the transitions
/// sorted by label text, the notes.
type Meaning = (usize, u32, Vec<(u32, String, u32)>, Vec<Option<String>>);

fn meaning(lts: &Lts) -> Meaning {
    let name = |a| lts.labels().name(a).to_owned();
    let mut all: Vec<_> = lts.iter().map(|(s, a, t)| (s, name(a), t)).collect();
    all.sort();
    let note = |s| lts.notes().and_then(|n| n.get(s)).map(|n| n.to_string());
    let notes = (0..lts.states() as u32).map(note).collect();
    (lts.states(), lts.initial(), all, notes)
}

proptest! {
    #[test]
    fn writing_then_reading_gives_the_same(lts in systems()) {
        prop_assert_eq!(lts.verify(), Ok(()));
        for format in Format::ALL {
            let written = text(format, &lts);
            let read = read_bytes("x", written.as_bytes(), format);
            let read = read.unwrap_or_else(|e| panic!("{e} in\n{written}"));
            prop_assert_eq!(read.verify(), Ok(()));
            let mut expect = meaning(&lts);
            match format {
                Format::Aut => expect.3.iter_mut().for_each(|n| *n = None),
                Format::Fsm => swap(&mut expect, lts.initial()),
                Format::Cwb => {
                    // Trailing states that nothing mentions are lost.
                    expect.0 = read.states();
                    expect.3 = vec![None; read.states()];
                }
                _ => {}
            }
            prop_assert_eq!(meaning(&read), expect, "{}", written);
        }
    }

    #[test]
    fn no_input_panics(
        bytes in prop::collection::vec(any::<u8>(), 0..60),
        text in "[a-z0-9(){}\\[\\],:=\"\\\\;>\n -]{0,60}",
        head in 0usize..7,
    ) {
        let heads = ["", "des (0,2,3)\n(0,", "Aut(start=0,\n0:", "digraph { start -> 0;", "{\"states\":2,\"transitions\":[[",
            "graph: { node: { title: \"0\" borderwidth: 3 } edge: { ", "[l(\"s0\",n(\"state\",[a(\"_GO\",\"circle\")],["];
        for format in Format::ALL {
            let _ = read_bytes("x", &bytes, format);
            let _ = read_bytes("x", format!("{}{text}", heads[head]).as_bytes(), format);
        }
    }
}

/// State 0 and `with` change places.
fn swap(of: &mut Meaning, with: u32) {
    let place = |s: u32| match s {
        0 => with,
        s if s == with => 0,
        s => s,
    };
    for (s, _, t) in &mut of.2 {
        (*s, *t) = (place(*s), place(*t));
    }
    of.2.sort();
    of.3.swap(0, with as usize);
    of.1 = 0;
}
