use super::*;
use crate::domain::Universe;
use cwolf_base::Diagnostics;
use cwolf_cwi::{Program, text};

const PROGRAM: &str = r#"cwi 2
target x86_64

type struct pair size 8 align 4 {
  state: i32 at 0
  other: i32 at 32
}
global p: struct pair @"a.c":1:1
global row: [3 x i32] @2:1
function main: fn() i32 @5:5
  local state: i32 @6:8
{
block_0:
  state = 0 @6:8
  call sys_read() -> block_1 @7:10
block_1:
  return (0) @9:3
}
function sys_read: fn() i32 declared @3:3
"#;

fn program() -> Program {
    text::parse(PROGRAM).expect("the program is correct")
}

fn messages(errors: &Diagnostics) -> String {
    let mut out = String::new();
    for d in errors.iter() {
        out += &d.message;
        for (_, m) in &d.related {
            out += &format!(" / {m}");
        }
        if let Some(hint) = &d.hint {
            out += &format!(" / {hint}");
        }
        out += "\n";
    }
    out
}

fn abstraction(map: &str) -> Result<Vec<String>, String> {
    let (program, universe) = (program(), Universe::default());
    let mut sources = SourceMap::default();
    let text = Text {
        name: "x.am",
        text: map,
    };
    let mut load = |name: &str| match name {
        "more.am" => Ok("lib \"more.am\"; type two = set(2);".to_owned()),
        _ => Err("no such file".to_owned()),
    };
    let found = parse_abstraction(&program, &universe, &mut sources, text, &mut load);
    let found = found.map_err(|e| messages(&e))?;
    let cell = |c: &Cell| {
        let name = &program.vars[c.var].name;
        format!("{name}+{} {}", c.bit_offset, universe.display_kind(c.kind))
    };
    Ok(found.cells.iter().map(cell).collect())
}

#[track_caller]
fn check(map: &str, expect: &[&str]) {
    assert_eq!(
        abstraction(map).as_deref(),
        Ok(&expect.iter().map(|s| s.to_string()).collect::<Vec<_>>()[..])
    );
}

#[track_caller]
fn check_error(map: &str, expect: &str) {
    assert_eq!(abstraction(map), Err(expect.to_owned()));
}

#[test]
fn maps_of_the_thesis() {
    check(
        "file \"a.c\" { // comment\n fun main () : top { var state : part(~2, 0, 1); } /* x */ }",
        &["state+0 part(-2,0,1)"],
    );
    check(
        "lib \"more.am\"; type small = mod(4); file \"a.c\" { var row : small array; var p.other : two; }",
        &[
            "row+0 mod(4)",
            "row+32 mod(4)",
            "row+64 mod(4)",
            "p+32 set(2)",
        ],
    );
    check("var row : top;", &[]);
}

#[test]
fn mistakes_in_abstraction_maps() {
    check_error(
        "file \"b.c\" { }",
        "the program has no file `b.c` / did you mean `a.c`?\n",
    );
    check_error(
        "file \"a.c\" { fun main() { var sate : int; } }",
        "the function `main` has no variable `sate` / did you mean `state`?\n",
    );
    check_error(
        "fun mian() { var x : int; } var q : int;",
        "the program has no function `mian` / did you mean `main`?\nthe program has no variable `q` / did you mean `p`?\n",
    );
    check_error(
        "var row : int array; var row : top;",
        "variable `row` is declared twice / first declared here\n",
    );
    check_error(
        "var p : int;",
        "`int` cannot abstract `p`, which is of type struct pair / abstract its fields, one by one: `var x.field : …;`\n",
    );
    check_error(
        "var p.sate : int;",
        "`struct pair` has no field `sate` / did you mean `state`?\n",
    );
    check_error(
        "var row : mod(0) array;",
        "the divisor must be at least 1\n",
    );
    check_error(
        "var row : itn array;",
        "there is no abstraction `itn` / did you mean `int`?\n",
    );
    check_error("var row int;", "expected `:`, found `int`\n");
    check_error(
        "lib \"x.am\";",
        "cannot read the abstraction map `x.am`: no such file\n",
    );
    check_error("/* open", "this comment does not end\n");
    check_error("file \"a.c", "this text has no closing quote\n");
}

#[test]
fn what_counts_more() {
    check("var * : int;", &["p+0 int", "p+32 int", "state+0 int"]);
    check(
        "var p.state : bool; var * : int;",
        &["p+0 bool", "p+32 int", "state+0 int"],
    );
    check(
        "var * : int; var p.other : top;",
        &["p+0 int", "state+0 int"],
    );
    check("var pair.state : set(2);", &["p+0 set(2)"]);
    check(
        "var struct pair.* : int; var * : bool;",
        &["p+0 int", "p+32 int", "state+0 bool"],
    );
    check(
        "var * : int; var s* : bool; var * : top array;",
        &["p+0 int", "p+32 int", "state+0 bool"],
    );
    check("fun * () { var st* : int; }", &["state+0 int"]);
    check(
        "fun m* (); var row : int array; var * : bool array;",
        &["row+0 int", "row+32 int", "row+64 int"],
    );
    check("extern sys_read returns {1..3} writes nothing;", &[]);
    check_error(
        "var pear.state : int;",
        "the program has no variable, struct or union `pear` / did you mean `pair`?\n",
    );
    check_error(
        "var struct pear.state : int;",
        "the program has no struct or union `pear` / did you mean `pair`?\n",
    );
    check_error(
        "extern sys_read writes *1; extern main returns 2;",
        "`sys_read` has no parameters\n`main` has a body: the model follows it / such a line is for functions that the program only declares\n",
    );
}

fn labels(map: &str) -> Result<String, String> {
    let program = program();
    let mut sources = SourceMap::default();
    let text = Text {
        name: "x.lm",
        text: map,
    };
    let found = parse_labels(&program.into(), &mut sources, text).map_err(|e| messages(&e))?;
    Ok(found
        .rules
        .iter()
        .map(|r| format!("{:?} {} => {:?}\n", r.event, r.when.is_some(), r.label))
        .collect())
}

#[test]
fn label_maps() {
    let found = labels(
        "exit == 0 => accept; call(sys_*) when main:state > 0 => `r; exec \"a.c\":9 => end;\n\
         watch(p.state == 1 || !(row_ok == 2)) => z;",
    );
    assert_eq!(found, Err("the program has no variable `row_ok`\n".into()));
    let found = labels("exit == 0 => accept; call(sys_*) when main:state > 0 => `r;").unwrap();
    assert_eq!(
        found,
        "Exit(Some((Eq, 0))) false => [Text(\"accept\")]\n\
         Call([FuncId(1)]) true => [Text(\"`\"), Text(\"r\")]\n"
    );
    let found = labels("write(p.other) => \"o={p.other}!\"; watch(state < 'a') => s;").unwrap();
    assert!(
        found.starts_with("Write(Seen { fixed: [Spot { var: VarId(0), from: 32, to: 64 }], "),
        "{found}"
    );
    assert!(found.contains("Value("), "{found}");
    assert!(found.contains("Int(97)"), "{found}");
}

#[test]
fn mistakes_in_label_maps() {
    let check = |map: &str, expect: &str| assert_eq!(labels(map), Err(expect.to_owned()));
    check(
        "wach(state == 1) => x;",
        "there is no event `wach` / did you mean `watch`?\n",
    );
    check(
        "call(sys_raed) => x; return(mian) => y;",
        "the program has no function `sys_raed` / did you mean `sys_read`?\nthe program has no function `mian` / did you mean `main`?\n",
    );
    check(
        "exit == 0 => tau;",
        "this name is reserved for steps that are not seen\n",
    );
    check("exec \"a.c\":400 => x;", "no code stands at this line\n");
    check("watch(state == 1) x;", "expected `=>`, found `x`\n");
    check(
        "watch(row == 1) => x;",
        "a condition is about numbers, this is of type [3 x i32]\n",
    );
    let deep = format!("watch({}state) => x;", "(".repeat(100_000));
    check(
        &deep,
        "this condition nests too deep / several rules may have the same label\n",
    );
}

proptest::proptest! {
    /// No text makes a parser panic or run for ever.
    #[test]
    fn any_text_is_read_or_refused(words in proptest::collection::vec(
        proptest::sample::select(&["file", "\"a.c\"", "{", "}", "var", "row", ":", "int", "array", ";",
            "fun", "main", "(", ")", "part", "1", ",", "watch", "state", "==", "=>", "`", "a", "&&",
            "!", "when", "exit", "\"", "/*", "'", "é", "-", "p", ".", "{x", "*", "?", "->", "[", "]",
            "$1", "$return", "call", "return", "struct", "pair", "extern", "returns", "writes", "calls",
            "nothing", "..", "sys_read", "+", "/", "\"{p.state}\""][..]), 0..40)) {
        let map = words.join(" ");
        let _ = abstraction(&map);
        let _ = labels(&map);
    }
}
