use super::*;
use crate::testing::random_program;
use proptest::prelude::*;

const SAMPLE: &str = r#"cwi 2
target x86_64

type struct list size 24 align 8 {
  next: *struct list at 0
  flag: u3 bit at 64
  data: [3 x i32] at 96
}

type struct FILE incomplete align 1

global stdin: *struct FILE declared @"fsm.c":1:1
static "odd name": [3 x i8] in main = { 0: [3 x i8] "ab\x00" } @2:1
global table: [2 x *fn(i32, ...) i32] const = {
  0: *fn(i32, ...) i32 &main
  64: *fn(i32, ...) i32 0
} @"fsm.h":3:5

function _IO_getc: fn(*struct FILE) i32 declared @4:5

function main: fn(i32, ...) i32 @"fsm.c":5:5
  param argc: i32 @5:10
  local state: i32 @6:7
  local state.1: u64 @7:7
  local p: *struct list @8:7
  local f: f64 @9:7
  reg r#1: i32
{
block_0:
  state = 0 @10:3
  state.1 = 18446744073709551615:u64 @10:4
  p->data[2] = i32(p->flag) + (*p).data[i64(state)] @10:5
  f = -1.5 + -(f) @10:6
  r#1 = volatile *(&state + -1:i64) @10:7
  p = (*struct list)(&table[1] +{3} 2:i64) @10:8
  live state @10:9
  goto block_1 @11:3
block_1:
  call _IO_getc(stdin) -> block_2 @12:9
block_2:
  r#1 = r#0 @12:9
  if (r#1 == 10 || r#1 < 0) then goto block_3 else goto block_4 @13:5
block_3:
  return (0) @14:7
block_4:
  switch (state)
    case -1: goto block_3
    case 1..3: goto block_1
    default: goto block_5 @15:5
block_5:
  call (table[0])(1, f, zero:struct list) @16:5
}
note "the \"text\"" @17:1
"#;

fn parsed(text: &str) -> crate::Program {
    parse(text).unwrap_or_else(|d| panic!("{d:#?}"))
}

#[test]
fn sample_reads() {
    let p = parsed(SAMPLE);
    let printed = print(&p);
    let again = parsed(&printed);
    assert!(equal(&p, &again));
    assert_eq!(print(&again), printed);
    // Apart from what one may write in two ways, the text is what was read.
    let line = "  p->data[2] = i32(p->flag) + p->data[i64(state)] @10:5\n";
    assert!(printed.contains(line), "{printed}");
    assert!(
        printed.contains("\n    case 1..3: goto block_1\n"),
        "{printed}"
    );
}

#[test]
fn blocks_print_as_in_the_thesis() {
    let p = parsed(SAMPLE);
    let main = p.function("main").expect("main is there");
    assert_eq!(
        print_block(&p, main, crate::BlockId(2)),
        "block_2:\n  r#1 = r#0\n  if (r#1 == 10 || r#1 < 0) then goto block_3 else goto block_4\n"
    );
}

/// Replaces `from` in the sample by `to`; the first diagnostic is `wanted`, at the text `at`.
#[track_caller]
fn check_error(from: &str, to: &str, wanted: &str, at: &str) {
    assert!(SAMPLE.contains(from));
    let text = SAMPLE.replacen(from, to, 1);
    let found = parse(&text).expect_err("an error");
    let first = &found[0];
    let span = first.span.expect("a place");
    assert!(first.message.contains(wanted), "{first:?}");
    assert_eq!(&text[span.lo as usize..span.hi as usize], at, "{first:?}");
}

#[test]
fn errors_point_at_the_text() {
    check_error("cwi 2", "cwi 9", "version", "9");
    check_error(
        "goto block_1 @11",
        "goto block_77 @11",
        "there is no block_77",
        "goto block_77 @11:3",
    );
    check_error("state = 0", "stat = 0", "nothing of this name", "stat");
    check_error(
        "state = 0",
        "state = 0:i8",
        "has type `i8`",
        "state = 0:i8 @10:3",
    );
    check_error("p->flag", "p->flog", "no field of this name", "flog");
    check_error(
        "fn(*struct FILE)",
        "fn(*struct FILO)",
        "no type of this name",
        "FILO",
    );
    check_error(
        "live state",
        "live",
        "a name is expected here, not `@`",
        "@",
    );
    check_error(
        "type struct FILE incomplete",
        "type struct FILE",
        "`size` is expected",
        "align",
    );
    check_error("state.1: u64", "state: u64", "declared twice", "state");
    check_error(
        "0: *fn(i32, ...) i32 &main",
        "0: *fn(i32, ...) i32 &mane",
        "nothing of this name",
        "mane",
    );
    check_error("\"ab\\x00\"", "\"ab", "does not end", "\"ab } @2:1");
}

#[test]
fn deep_texts_are_refused() {
    for (open, close) in [
        ("(", ")"),
        ("-", ""),
        ("*", ""),
        ("i32(", ")"),
        ("", " + 1"),
        ("!-", ""),
        ("*(", ")"),
    ] {
        let deep = format!("{}state{}", open.repeat(100_000), close.repeat(100_000));
        let text = SAMPLE.replacen("state = 0", &format!("state = {deep}"), 1);
        let found = parse(&text).expect_err("an error");
        assert!(
            found[0].message.contains("too deeply"),
            "{:?}",
            found[0].message
        );
    }
    let stars = "*".repeat(100_000);
    let text = SAMPLE.replacen("state: i32", &format!("state: {stars}i32"), 1);
    assert!(
        parse(&text).expect_err("an error")[0]
            .message
            .contains("too deeply")
    );
}

proptest! {
    #[test]
    fn printed_programs_read_back(seed: u64, size in 0usize..16) {
        let p = random_program(seed, size);
        let text = print(&p);
        match parse(&text) {
            Ok(again) => {
                prop_assert!(equal(&p, &again), "{}\n---\n{}", text, print(&again));
                prop_assert_eq!(print(&again), text);
            }
            Err(found) => {
                let d = &found[0];
                let span = d.span.expect("a place");
                let line = text[..span.lo as usize].rfind('\n').unwrap_or(0);
                let end = (span.hi as usize + 40).min(text.len());
                prop_assert!(false, "{:?}\n{}", d, String::from_utf8_lossy(&text.as_bytes()[line..end]));
            }
        }
    }

    /// Damaged texts are errors or programs, never panics.
    #[test]
    fn damaged_texts_do_not_panic(seed: u64, at: prop::sample::Index, cut in 1usize..8, with in "[a-z0-9(){}:#@.*&\"\\\\ -]{0,3}") {
        let mut text = print(&random_program(seed, 4));
        if text.is_ascii() {
            let lo = at.index(text.len());
            let hi = (lo + cut).min(text.len());
            text.replace_range(lo..hi, &with);
            let _ = parse(&text);
        }
    }

    #[test]
    fn any_text_is_safe(text in "(cwi 2 target x86_64 )?[ -~\n]{0,80}") {
        let _ = parse(&text);
    }
}
