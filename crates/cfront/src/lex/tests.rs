use super::*;
use crate::session::Options;
use cwolf_base::Diagnostic;

fn lex_text(text: &str) -> (Session, Tokens) {
    let mut session = Session {
        options: Options::default(),
        ..Session::default()
    };
    let tokens = lex(&mut session, "test.i", text.into());
    (session, tokens)
}

fn shown(text: &str) -> String {
    let (session, tokens) = lex_text(text);
    let messages: Vec<_> = session.diagnostics.iter().map(|d| &d.message).collect();
    assert!(messages.is_empty(), "{text}: {messages:?}");
    let words: Vec<_> = tokens.list.iter().map(|t| tokens.text(*t)).collect();
    words.join(" ").trim_end().to_owned()
}

#[track_caller]
fn check(text: &str, expect: &str) {
    assert_eq!(shown(text), expect, "{text}");
}

fn name_at(text: &str, n: usize) -> String {
    let (session, tokens) = lex_text(text);
    session.names.text(tokens.list[n].name).to_owned()
}

#[test]
fn a_token_is_small() {
    assert_eq!(size_of::<Token>(), 16);
}

#[test]
fn punctuators_are_read_greedily() {
    check("a+++++b", "a ++ ++ + b");
    check("a>>=b...c->d", "a >>= b ... c -> d");
    check("x = .5.a..b . .5", "x = .5.a..b . .5");
    check("a<:1:>=<%%>", "a <: 1 :> = <% %>");
    check("1.e+5-x", "1.e+5 - x");
    check("0xe+1", "0xe+1");
}

#[test]
fn blanks_and_comments() {
    check("a/* x\n */b// c\r\n\tc\x0c\x0bd\0e", "a b c d e");
    check("a /**/ b /***/ c //", "a b c");
    check("a // b \\\n c\nd", "a d");
    check("\u{feff}int x;", "int x ;");
}

#[test]
fn lines_are_joined() {
    check("in\\\nt x \\\n;", "int x ;");
    check("\"a\\\nb\" c\\  \nd", "\"ab\" cd");
    let (session, tokens) = lex_text("a\\\nb\\\r\nc\nd");
    let line = |n: usize| session.sources.position(tokens.list[n].lo).line;
    assert_eq!((line(0), line(1)), (1, 4));
}

#[test]
fn names() {
    assert_eq!(name_at("a$b", 0), "a$b");
    assert_eq!(name_at("é", 0), "é");
    assert_eq!(name_at("caf\\u00e9 x", 0), "café");
    assert_eq!(name_at("x\\U0001F600", 0), "x😀");
    check("L u8 U u8x Lx", "L u8 U u8x Lx");
    check(
        "L'a' u8\"b\" U\"c\" u'd' R\"e\"",
        "L'a' u8\"b\" U\"c\" u'd' R \"e\"",
    );
    check(r#""a\"b" 'c\'d' '\\'"#, r#""a\"b" 'c\'d' '\\'"#);
}

#[test]
fn line_markers_move_positions() {
    let text = "# 1 \"a.c\"\nint a;\n  #  1 \"dir/b.h\" 1 3 4\nint b;\n#line 10\nint c;\n\
                # 1 \"c.h\" 1\nint d;\n# 12 \"dir/b.h\" 2 3\nint e;\n# 7 \"a.c\" 2\n\nint f;\n\
                #line 5 \"q\\\"uote.c\"\nint g;";
    let (session, tokens) = lex_text(text);
    assert!(session.diagnostics.is_empty());
    let at = |name: &str| {
        let symbol = session.names.lookup(name);
        let token = tokens.list.iter().find(|t| Some(t.name) == symbol);
        token.expect("in the text").lo
    };
    let place = |name: &str| {
        let at = session.sources.position(at(name));
        format!("{}:{}", at.file, at.line)
    };
    assert_eq!(place("a"), "a.c:1");
    assert_eq!(place("b"), "dir/b.h:1");
    assert_eq!(place("c"), "dir/b.h:10");
    assert_eq!(place("d"), "c.h:1");
    assert_eq!(place("e"), "dir/b.h:12");
    assert_eq!(place("f"), "a.c:8");
    assert_eq!(place("g"), "q\"uote.c:5");
    let system = |name: &str| session.sources.is_system(at(name));
    assert!(system("b") && system("c") && system("e"));
    assert!(!system("a") && !system("d") && !system("f"));
    let stack = |name: &str| session.sources.include_stack(at(name));
    assert_eq!(stack("d"), [("dir/b.h".into(), 11), ("a.c".into(), 2)]);
    assert_eq!(stack("e"), [("a.c".into(), 2)]);
    assert_eq!(stack("f"), []);
}

#[test]
fn other_directives() {
    check(
        "#ident \"x\"\n#pragma once\n#\n#define X /* a\n b */ int x;\n",
        "int x ;",
    );
}

#[test]
fn mistakes() {
    let check = |text: &str, expect: &[&str]| {
        let (session, _) = lex_text(text);
        let show = |d: &Diagnostic| {
            let at = session.sources.position(d.span.expect("a place").lo);
            format!("{}:{}: {}", at.line, at.column, d.message)
        };
        let messages: Vec<_> = session.diagnostics.iter().map(show).collect();
        assert_eq!(messages, expect, "{text}");
    };
    check("a\n/* b", &["2:1: unterminated comment"]);
    check("\"abc\nd", &["1:1: unterminated string"]);
    check("L'a", &["1:1: unterminated character constant"]);
    check("\"a\\", &["1:1: unterminated string"]);
    check(
        "a @ `",
        &[
            "1:3: stray `@` in the program",
            "1:5: stray ``` in the program",
        ],
    );
    check("a # b", &["1:3: stray `#` in the program"]);
    check("\\q", &["1:1: stray `\\\\` in the program"]);
    check(
        "#include <a.h>",
        &["1:1: `#include` in text that should be preprocessed"],
    );
    check(
        "# 99999999999 \"a\"",
        &["1:1: bad line number in a line marker"],
    );
}

#[test]
fn mistakes_have_an_end() {
    let (session, tokens) = lex_text(&"@".repeat(100_000));
    assert_eq!(session.diagnostics.len(), 20);
    assert_eq!(tokens.list.len(), 100_001);
}
