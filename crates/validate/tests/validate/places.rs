//! Invariants and waypoints stand where the text says.

use super::*;
use Verdict::{Confirmed, Refused, Unknown};

fn loops(text: &str, invariants: &[(u32, u32, &str)], wanted: Verdict) -> Validation {
    let list = invariants.iter();
    let list = list.map(|(l, c, text)| invariant(Where::LoopHead, *l, Some(*c), text));
    let text = format!("{HEADER}{text}");
    expect(&text, Claim::Correct(list.collect()), wanted)
}

const COUNT: &str = "int main(void) {
  unsigned n = __VERIFIER_nondet_int();
  unsigned i = 0, k = 0;
  for (unsigned j = 0; j < n; j++) {
    i += 1; k += 2;
    if (k == 4000000000u) break;
  }
  if (k != 2 * i) reach_error();
  return 0;
}
";

#[test]
fn an_inductive_invariant_proves_an_endless_loop() {
    loops(COUNT, &[(5, 3, "k == 2 * i")], Confirmed);
    // What a `for` declares is seen at its head.
    loops(COUNT, &[(5, 3, "k == 2 * i && j == i")], Confirmed);
    loops(COUNT, &[(5, 3, "k == 2 * i"), (5, 3, "j >= 0")], Confirmed);
    loops(COUNT, &[(5, 3, "k == 2 * i + 1")], Refused);
    loops(COUNT, &[(5, 3, "k == 2 * i && j < 1")], Refused);
    // True, but it proves nothing.
    loops(COUNT, &[(5, 3, "k % 2 == 0")], Unknown);
    // No C, no loop, no such variable.
    loops(COUNT, &[(5, 3, "k == ")], Refused);
    loops(COUNT, &[(6, 5, "k == 2 * i")], Refused);
    loops(COUNT, &[(5, 3, "m == 2 * i")], Refused);
}

/// A loop that begins with a loop has the same head in the compiled program, but not in the text.
#[test]
fn loops_with_one_head() {
    let text = "int main(void) {
  int i = 0, s = 0;
  while (1) {
    while (i < 5) {
      i++;
    }
    s++;
    i = 0;
    if (s > 3) break;
  }
  if (i > 5) reach_error();
  return 0;
}
";
    // In the inner loop `i` counts; at the outer one it is zero.
    loops(text, &[(4, 3, "i == 0")], Confirmed);
    loops(text, &[(5, 5, "i == 0")], Refused);
    loops(
        text,
        &[(5, 5, "i >= 0 && i <= 5"), (4, 3, "i == 0 && s <= 3")],
        Confirmed,
    );
    loops(text, &[(4, 3, "s <= 2")], Refused);
}

#[test]
fn names_mean_what_they_mean_at_the_place() {
    let text = "int main(void) {
  int i = 7;
  { int i = 1; i++; }
  for (int i = 0; i < 3; i++) { }
  while (i < 9) i++;
  if (i != 9) reach_error();
  return 0;
}
";
    loops(text, &[(5, 3, "i >= 0 && i <= 3")], Confirmed);
    loops(text, &[(6, 3, "i >= 7 && i <= 9")], Confirmed);
    loops(text, &[(5, 3, "i >= 7")], Refused);
    loops(text, &[(6, 3, "i <= 3")], Refused);
}

#[test]
fn pointers_arrays_and_floats() {
    let text = "struct s { int n; struct s *next; };
int main(void) {
  int a[4] = {0, 0, 0, 0};
  struct s x = {0, 0}, *p = &x;
  double d = 0.5;
  unsigned char n = __VERIFIER_nondet_int();
  for (int i = 0; i < n; i++) {
    a[i % 4] = 1;
    p->n = 3;
    d = d < 8 ? d + 0.25 : 0.5;
  }
  if (p == 0 || a[2] > 1) reach_error();
  return 0;
}
";
    let all = "p == &x && (p == NULL || p->n == 0 || p->n == 3)";
    let arrays = "a[2] >= 0 && a[2] <= 1";
    loops(text, &[(8, 3, all), (8, 3, arrays)], Confirmed);
    loops(text, &[(8, 3, "p->n == 0")], Refused);
    loops(text, &[(8, 3, "a[3] == 0")], Refused);
    loops(text, &[(8, 3, "d < 8.0")], Refused);
    loops(text, &[(8, 3, "x.next->n == 0")], Refused);
    loops(
        text,
        &[
            (8, 3, "x.next == 0 || x.next->n == 0"),
            (8, 3, all),
            (8, 3, arrays),
        ],
        Confirmed,
    );
}

#[test]
fn statements_and_calls() {
    let text = format!(
        "{HEADER}int twice(int x) {{
  return x + x;
}}
int main(void) {{
  int a = __VERIFIER_nondet_int();
  if (a < 0 || a > 9) return 0;
  int b = twice(a);
  if (b == 8)
    reach_error();
  return 0;
}}
"
    );
    let fact = |line, text: &str| vec![invariant(Where::Statement, line, None, text)];
    expect(&text, Claim::Correct(fact(3, "x >= 0")), Refused);
    let way = |segments: Vec<Segment>| {
        let target = follow(10, Passing::Target);
        Claim::Violation(segments.into_iter().chain([target]).collect())
    };
    let confirmed = |segments| expect(&text, way(segments), Confirmed);
    let refused = |segments| expect(&text, way(segments), Refused);
    confirmed(vec![]);
    confirmed(vec![follow(7, Passing::Assumption("a == 4".into()))]);
    refused(vec![follow(7, Passing::Assumption("a == 5".into()))]);
    confirmed(vec![follow(3, Passing::Assumption("x == 4".into()))]);
    refused(vec![follow(3, Passing::Assumption("x == 3".into()))]);
    confirmed(vec![follow(9, Passing::Branch(true))]);
    refused(vec![follow(9, Passing::Branch(false))]);
    confirmed(vec![
        follow(7, Passing::Branch(false)),
        follow(9, Passing::Branch(true)),
    ]);
    refused(vec![
        follow(9, Passing::Branch(true)),
        follow(7, Passing::Branch(false)),
    ]);
    confirmed(vec![follow(
        8,
        Passing::Return(Some("\\result == 8".into())),
    )]);
    refused(vec![follow(
        8,
        Passing::Return(Some("\\result == 6".into())),
    )]);
    confirmed(vec![follow(
        6,
        Passing::Return(Some("\\result == 4".into())),
    )]);
    confirmed(vec![follow(8, Passing::Enter)]);
    refused(vec![follow(8, Passing::Enter), follow(8, Passing::Enter)]);
    refused(vec![follow(1000, Passing::Branch(true))]);
    // The target must be what fails, and where.
    for line in [8, 11, 2] {
        let claim = Claim::Violation(vec![follow(line, Passing::Target)]);
        expect(&text, claim, Refused);
    }
    let mut segments = vec![follow(10, Passing::Target)];
    segments[0].avoid = vec![follow(7, Passing::Assumption("a == 4".into())).follow];
    expect(&text, Claim::Violation(segments.clone()), Refused);
    segments[0].avoid = vec![follow(7, Passing::Assumption("a == 5".into())).follow];
    expect(&text, Claim::Violation(segments), Confirmed);
}

#[test]
fn a_program_without_loops_needs_no_invariant() {
    let text = format!(
        "{HEADER}int main(void) {{ int a = __VERIFIER_nondet_int(); if (a * 0) reach_error(); }}"
    );
    expect(&text, Claim::Correct(Vec::new()), Confirmed);
    let text = format!(
        "{HEADER}int main(void) {{ int a = __VERIFIER_nondet_int(); if (a == 77777) reach_error(); }}"
    );
    expect(&text, Claim::Correct(Vec::new()), Refused);
}
