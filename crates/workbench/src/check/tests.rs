//! The checker against slow oracles: fixpoints by iteration, and two ways to CTL.

use super::{Answer, Evidence, Run, Step, check, play, runs};
use crate::ccs::Environment;
use crate::check::plan::Plan;
use crate::formula::{FormulaId, Formulas, Node};
use cwolf_base::{Budget, SourceMap};
use cwolf_lts::{Builder, Equivalence, Lts, Reading, State, reduce};
use proptest::prelude::*;
use rustc_hash::FxHashMap;

/// Where a formula of the mu-calculus holds, straight from the definition.
fn naive(
    lts: &Lts,
    formulas: &Formulas,
    formula: FormulaId,
    values: &mut FxHashMap<u32, Vec<bool>>,
) -> Vec<bool> {
    let n = lts.states();
    let mut of = |f: FormulaId| naive(lts, formulas, f, values);
    match formulas.node(formula) {
        Node::True => vec![true; n],
        Node::False => vec![false; n],
        Node::Not(f) => of(*f).iter().map(|v| !v).collect(),
        Node::And(f, g) => of(*f).iter().zip(of(*g)).map(|(a, b)| *a && b).collect(),
        Node::Or(f, g) => of(*f).iter().zip(of(*g)).map(|(a, b)| *a || b).collect(),
        Node::Diamond(actions, f) => {
            let inner = of(*f);
            let fits =
                |(a, t): (u32, State)| actions.contains(lts.labels().name(a)) && inner[t as usize];
            (0..n as State).map(|s| lts.from(s).any(fits)).collect()
        }
        Node::Box(actions, f) => {
            let inner = of(*f);
            let fits =
                |(a, t): (u32, State)| !actions.contains(lts.labels().name(a)) || inner[t as usize];
            (0..n as State).map(|s| lts.from(s).all(fits)).collect()
        }
        Node::Var(var) => values[var].clone(),
        Node::Fix { least, var, inner } => {
            let mut value = vec![!least; n];
            loop {
                values.insert(*var, value.clone());
                let next = naive(lts, formulas, *inner, values);
                if next == value {
                    return value;
                }
                value = next;
            }
        }
        other => panic!("not of the mu-calculus: {other:?}"),
    }
}

fn parse(env: &mut Environment, text: &str) -> FormulaId {
    env.formula(text, 0)
        .unwrap_or_else(|d| panic!("{text}: {}", d.message))
}

fn system(transitions: &[(u32, u8, u32)]) -> Lts {
    let mut builder = Builder::new();
    for &(s, a, t) in transitions {
        builder.transition(s, ["tau", "a", "b"][a as usize % 3], t);
    }
    builder.finish(0)
}

fn systems() -> impl Strategy<Value = Lts> {
    prop::collection::vec((0..6u32, 0..3u8, 0..6u32), 0..18).prop_map(|list| system(&list))
}

/// Closed formulas: `depth` variables are bound, and stand under no negation.
fn formulas(weak: bool) -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("tt".to_owned()),
        Just("ff".to_owned()),
        Just("V0".to_owned()),
        Just("V1".to_owned()),
        Just("V2".to_owned())
    ];
    let inner = leaf.prop_recursive(6, 24, 2, move |inner| {
        let modal: &[&str] = match weak {
            true => &[
                "<<a>>", "[[a]]", "<<b>>", "[[b]]", "<<eps>>", "[[-a]]", "<<->>",
            ],
            false => &[
                "<a>", "[a]", "<->", "[-]", "<-a>", "[-a,b]", "<t>", "<<a>>", "[[t]]",
            ],
        };
        prop_oneof![
            (prop::sample::select(modal), inner.clone()).prop_map(|(m, f)| format!("{m}{f}")),
            (inner.clone(), inner.clone()).prop_map(|(f, g)| format!("({f} /\\ {g})")),
            (inner.clone(), inner.clone()).prop_map(|(f, g)| format!("({f} \\/ {g})")),
            ("(min|max)", 0..3, inner.clone())
                .prop_map(|(fix, v, f)| format!("({fix} V{v} = {f})")),
        ]
    });
    (inner, any::<bool>()).prop_map(|(f, negated)| {
        let not = if negated { "not " } else { "" };
        format!("{not}(max V0 = min V1 = max V2 = {f})")
    })
}

/// Three fixpoints around steps that lead back to any of them: here the order of priorities
/// decides.
fn alternating() -> impl Strategy<Value = String> {
    let step = (
        prop::sample::select(vec!["<a>", "[a]", "<->", "[-]", "<b>", "<t>"]),
        0..3,
    )
        .prop_map(|(modality, var)| format!("{modality}V{var}"));
    let more = prop::collection::vec((any::<bool>(), step.clone()), 1..4);
    let fixes = prop::collection::vec("(min|max)", 3);
    (fixes, step, more).prop_map(|(fixes, first, more)| {
        let mut body = first;
        for (is_and, step) in more {
            let operator = if is_and { "/\\" } else { "\\/" };
            body = format!("({step} {operator} {body})");
        }
        format!(
            "{} V0 = {} V1 = {} V2 = {body}",
            fixes[0], fixes[1], fixes[2]
        )
    })
}

/// Formulas about runs in which internal steps can be left out, or put in.
fn stuttering() -> impl Strategy<Value = String> {
    let atom = prop::sample::select(vec![
        "F {a}",
        "G not {b}",
        "(not {a}) U {b}",
        "G ({a} -> F {b})",
        "G F {a}",
        "(not {b}) W {a}",
    ]);
    (any::<bool>(), any::<bool>(), atom).prop_map(|(exists, negated, path)| {
        let not = if negated { "not " } else { "" };
        format!("{not}{} ({path})", if exists { "E" } else { "A" })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn games_agree_with_iteration(
        lts in systems(),
        text in prop_oneof![formulas(false), alternating()],
    ) {
        let mut env = Environment::default();
        let formula = parse(&mut env, &text);
        let expected = naive(&lts, env.formulas(), formula, &mut FxHashMap::default());
        let budget = Budget::unlimited();
        let plan = Plan::new(&lts, env.formulas(), formula, Reading::Surely, &budget).expect("no limit");
        let got = play::states(&lts, &plan, &budget).expect("no limit");
        prop_assert_eq!(&got, &expected, "{}", text);
        let verdict = check(&lts, env.formulas(), formula, &budget).expect("no limit");
        prop_assert_eq!(verdict.answer == Answer::Holds, expected[lts.initial() as usize]);
    }

    #[test]
    fn weak_formulas_do_not_see_a_weak_reduction(lts in systems(), text in formulas(true)) {
        let mut env = Environment::default();
        let formula = parse(&mut env, &text);
        let budget = Budget::unlimited();
        let small = reduce(&lts, Equivalence::Weak, &budget).expect("no limit").lts;
        let before = check(&lts, env.formulas(), formula, &budget).expect("no limit").answer;
        let after = check(&small, env.formulas(), formula, &budget).expect("no limit").answer;
        prop_assert_eq!(before, after, "{}", text);
    }

    #[test]
    fn strong_formulas_do_not_see_a_strong_reduction(lts in systems(), text in formulas(false)) {
        let mut env = Environment::default();
        let formula = parse(&mut env, &text);
        let budget = Budget::unlimited();
        let small = reduce(&lts, Equivalence::Strong, &budget).expect("no limit").lts;
        let before = check(&lts, env.formulas(), formula, &budget).expect("no limit").answer;
        let after = check(&small, env.formulas(), formula, &budget).expect("no limit").answer;
        prop_assert_eq!(before, after, "{}", text);
    }

    /// What divergence-preserving branching bisimulation keeps: CTL* without next, where
    /// internal steps make no difference.
    #[test]
    fn stuttering_formulas_do_not_see_a_branching_reduction(
        lts in systems(),
        first in stuttering(),
        second in stuttering(),
    ) {
        let text = format!("A G ({first} \\/ {second}) \\/ E F ({first} /\\ {second})");
        let mut env = Environment::default();
        let formula = parse(&mut env, &text);
        let budget = Budget::unlimited();
        let small = reduce(&lts, Equivalence::DivergenceBranching, &budget).expect("no limit").lts;
        let before = check(&lts, env.formulas(), formula, &budget).expect("no limit").answer;
        let after = check(&small, env.formulas(), formula, &budget).expect("no limit").answer;
        prop_assert_eq!(before, after, "{}", text);
    }

    /// What branching bisimulation keeps: internal steps, and then a visible one.
    #[test]
    fn until_formulas_do_not_see_a_branching_reduction(
        lts in systems(),
        actions in prop::collection::vec(0..2usize, 3),
    ) {
        let until = |before: &str, n: usize, after: &str| {
            let action = ["a", "b"][actions[n]];
            format!("(min X{n} = {before} /\\ (<t>X{n} \\/ <{action}>{after}))")
        };
        let inner = until("tt", 0, "tt");
        let text = until(&format!("not {inner}"), 1, &until("tt", 2, &format!("not {inner}")));
        let mut env = Environment::default();
        let formula = parse(&mut env, &text);
        let budget = Budget::unlimited();
        let small = reduce(&lts, Equivalence::Branching, &budget).expect("no limit").lts;
        let before = check(&lts, env.formulas(), formula, &budget).expect("no limit").answer;
        let after = check(&small, env.formulas(), formula, &budget).expect("no limit").answer;
        prop_assert_eq!(before, after, "{}", text);
    }

    /// CTL by fixpoints and by automata, which share nothing but the parser.
    #[test]
    fn ctl_both_ways(
        lts in systems(),
        p in prop::sample::select(vec!["<a>tt", "[b]ff", "<t>tt", "tt", "ff", "<-><b>tt"]),
        q in prop::sample::select(vec!["<b>tt", "[-]ff", "[a]<b>tt", "ff", "tt"]),
        shape in prop::sample::select(vec!["X", "F", "G", "U", "W", "R"]),
        exists in any::<bool>(),
    ) {
        let path = match shape {
            "U" | "W" | "R" => format!("({p} {shape} {q})"),
            _ => format!("{shape} {q}"),
        };
        let mut env = Environment::default();
        let quick = parse(&mut env, &format!("{} {path}", if exists { "E" } else { "A" }));
        // A conjunct about the next action keeps the path formula from becoming a fixpoint.
        let slow = match exists {
            true => format!("E ({path} /\\ ({{a}} \\/ not {{a}}))"),
            false => format!("A ({path} /\\ ({{a}} \\/ not {{a}}))"),
        };
        let slow = parse(&mut env, &slow);
        let budget = Budget::unlimited();
        let Node::Quantified { exists, path } = *env.formulas().node(slow) else {
            panic!("it became a fixpoint")
        };
        let by_runs = runs::states(&lts, env.formulas(), exists, path, Reading::Surely, &budget).expect("no limit");
        let plan = Plan::new(&lts, env.formulas(), quick, Reading::Surely, &budget).expect("no limit");
        let by_fixpoint = play::states(&lts, &plan, &budget).expect("no limit");
        prop_assert_eq!(by_runs, by_fixpoint);
    }

    /// A run given as evidence is a run of the system.
    #[test]
    fn evidence_is_a_run(
        lts in systems(),
        text in prop::sample::select(vec![
            "G F {a}", "F G {b}", "G ({a} -> F {b})", "X {a}", "{a} U {b}", "F [-]ff",
            "G not {b}", "E (G F {a} /\\ G F {b})", "AG <->tt", "EF <b>tt", "E F X X {t}",
        ]),
    ) {
        let mut env = Environment::default();
        let formula = parse(&mut env, text);
        let verdict = check(&lts, env.formulas(), formula, &Budget::unlimited()).expect("no limit");
        if let Evidence::Run(run) = verdict.evidence {
            let mut states = vec![run.start];
            for step in &run.steps {
                let label = lts.labels().lookup(&step.label).expect("a label of the system");
                let from = *states.last().expect("it starts somewhere");
                prop_assert!(lts.targets_by(from, label).contains(&step.state));
                states.push(step.state);
            }
            if let Some(at) = run.repeats_from {
prop_assert_eq!(states.get(at), states.last());
            }
        }
    }
}

/// Where a formula about runs holds on one run, position by position, from the definition.
fn on_run(lts: &Lts, formulas: &Formulas, formula: FormulaId, run: &Run) -> Vec<bool> {
    let mut states = vec![run.start];
    states.extend(run.steps.iter().map(|s| s.state));
    // An infinite run comes back to the state where it repeats; a finite one stays at its end.
    let n = match run.repeats_from {
        Some(_) => run.steps.len(),
        None => run.steps.len() + 1,
    };
    let next = |at: usize| match at + 1 < n {
        true => at + 1,
        false => run.repeats_from.unwrap_or(at),
    };
    let of = |f: FormulaId| on_run(lts, formulas, f, run);
    let iterate = |start: bool, step: &dyn Fn(usize, bool) -> bool| {
        let mut value = vec![start; n];
        loop {
            let new: Vec<bool> = (0..n).map(|at| step(at, value[next(at)])).collect();
            if new == value {
                return value;
            }
            value = new;
        }
    };
    if !formulas.is_path(formula) {
        let everywhere = naive(lts, formulas, formula, &mut FxHashMap::default());
        return (0..n).map(|at| everywhere[states[at] as usize]).collect();
    }
    match formulas.node(formula) {
        Node::Not(f) => of(*f).iter().map(|v| !v).collect(),
        Node::And(f, g) => of(*f).iter().zip(of(*g)).map(|(a, b)| *a && b).collect(),
        Node::Or(f, g) => of(*f).iter().zip(of(*g)).map(|(a, b)| *a || b).collect(),
        Node::Action(actions) => (0..n)
            .map(|at| {
                run.steps
                    .get(at)
                    .is_some_and(|s| actions.contains(&s.label))
            })
            .collect(),
        Node::Next(f) => {
            let inner = of(*f);
            (0..n)
                .map(|at| at < run.steps.len() && inner[next(at)])
                .collect()
        }
        Node::Until(f, g) => {
            let (f, g) = (of(*f), of(*g));
            iterate(false, &|at, later| g[at] || (f[at] && later))
        }
        Node::Release(f, g) => {
            let (f, g) = (of(*f), of(*g));
            iterate(true, &|at, later| g[at] && (f[at] || later))
        }
        other => panic!("not about runs: {other:?}"),
    }
}

/// Some maximal run, chosen by `choices`: it stops at a deadlock, or goes round when a state
/// comes back after the choices are used up.
fn some_run(lts: &Lts, choices: &[usize]) -> Run {
    let mut run = Run {
        start: lts.initial(),
        steps: Vec::new(),
        repeats_from: None,
    };
    let mut visited = vec![run.start];
    for n in 0.. {
        let at = *visited.last().expect("it starts somewhere");
        let count = lts.from(at).len();
        if count == 0 {
            return run;
        }
        let choice = choices.get(n).map_or(0, |c| c % count);
        let (label, state) = lts.from(at).nth(choice).expect("a step");
        run.steps.push(Step {
            label: lts.labels().name(label).to_owned(),
            state,
        });
        if n >= choices.len()
            && let Some(before) = visited.iter().position(|&s| s == state)
        {
            run.repeats_from = Some(before);
            return run;
        }
        visited.push(state);
    }
    unreachable!("a finite system comes back")
}

fn paths() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "{a}", "{b}", "{-a}", "{t}", "<a>tt", "[-]ff", "tt", "ff",
    ]);
    leaf.prop_map(str::to_owned)
        .prop_recursive(4, 10, 2, |inner| {
            prop_oneof![
                (
                    prop::sample::select(vec!["X", "F", "G", "not"]),
                    inner.clone()
                )
                    .prop_map(|(o, f)| format!("{o} {f}")),
                (
                    inner.clone(),
                    prop::sample::select(vec!["U", "W", "R", "/\\", "\\/", "->"]),
                    inner
                )
                    .prop_map(|(f, o, g)| format!("({f} {o} {g})")),
            ]
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    /// A run that shows something shows it by the definition; and no run of the system
    /// contradicts the answer.
    #[test]
    fn linear_time_agrees_with_runs(
        lts in systems(),
        text in paths(),
        exists in any::<bool>(),
        choices in prop::collection::vec(0..6usize, 0..8),
    ) {
        let mut env = Environment::default();
        // The conjunct keeps the formula about runs.
        let path = format!("({text} /\\ ({{a}} \\/ not {{a}}))");
        let formula = parse(&mut env, &format!("{} {path}", if exists { "E" } else { "A" }));
        let Node::Quantified { path, .. } = *env.formulas().node(formula) else {
            panic!("it became a fixpoint")
        };
        let verdict = check(&lts, env.formulas(), formula, &Budget::unlimited()).expect("no limit");
        match &verdict.evidence {
            Evidence::Run(run) => {
                prop_assert_eq!(verdict.answer == Answer::Holds, exists);
                prop_assert_eq!(on_run(&lts, env.formulas(), path, run)[0], exists, "{}", text);
            }
            Evidence::AllRuns => {
                let run = some_run(&lts, &choices);
                prop_assert_eq!(on_run(&lts, env.formulas(), path, &run)[0], !exists, "{} {:?}", text, run);
            }
            other => prop_assert!(false, "{:?}", other),
        }
    }
}

fn holds(lts: &Lts, text: &str) -> bool {
    let mut env = Environment::default();
    let formula = parse(&mut env, text);
    check(lts, env.formulas(), formula, &Budget::unlimited())
        .expect("no limit")
        .answer
        == Answer::Holds
}

#[test]
fn nested_fixpoints_alternate() {
    // a and b for ever in turn; and b once, then a for ever.
    let both = system(&[(0, 1, 1), (1, 2, 0)]);
    let once = system(&[(0, 2, 1), (1, 1, 1)]);
    let again = "max X = min Y = <b>X \\/ <->Y";
    assert!(holds(&both, again) && !holds(&once, again));
    let at_last = "min X = max Y = <-b>Y \\/ <->X";
    assert!(!holds(&both, at_last) && holds(&once, at_last));
}

#[test]
fn linear_time_knows_ends() {
    // a b, then nothing.
    let line = system(&[(0, 1, 1), (1, 2, 2)]);
    assert!(holds(&line, "{a} /\\ X {b}"));
    assert!(!holds(&line, "X X X tt"));
    assert!(holds(&line, "F [-]ff"));
    assert!(holds(&line, "G ({a} -> F {b})"));
    assert!(!holds(&line, "G F {a}"));
    // a for ever, or b and stop.
    let choice = system(&[(0, 1, 0), (0, 2, 1)]);
    assert!(!holds(&choice, "F {b}"));
    assert!(holds(&choice, "E G {a}"));
    assert!(holds(&choice, "A (F {b} \\/ G {a})"));
    assert!(holds(&choice, "AG (E F {b} \\/ [-]ff)"));
}

#[test]
fn mistakes_have_places() {
    let mistake = |text: &str| {
        let mut sources = SourceMap::default();
        let start = sources.add("<formula>", text.into());
        let error = Environment::default()
            .formula(text, start)
            .expect_err("there is a mistake");
        let at = sources.position(error.span.expect("it has a place").lo);
        format!("{} {}", at.column, error.message)
    };
    assert_eq!(
        mistake("min X = <a>Y"),
        "12 there is no variable or proposition `Y`"
    );
    assert_eq!(
        mistake("max X = not <a>X"),
        "16 the variable `X` stands under an odd number of negations"
    );
    assert_eq!(
        mistake("max Z = Z -> tt"),
        "9 the variable `Z` stands under an odd number of negations"
    );
    assert_eq!(
        mistake("<a>{b}"),
        "4 a formula about runs needs `A` or `E` here"
    );
    assert_eq!(mistake("<a tt"), "4 expected `>`, found `tt`");
    assert!(mistake(&"<a>".repeat(100_000)).contains("levels deep"));
    assert!(mistake("max Z = E (G F {a} /\\ Z)").contains("formula about runs"));
    let mut env = Environment::default();
    parse(&mut env, "max X = not <a> not X");
    parse(&mut env, &format!("{}tt", "tt /\\ ".repeat(50_000)));
}

/// Systems whose labels may be patterns.
fn patterned() -> impl Strategy<Value = Lts> {
    let names = [
        "tau",
        "a 1",
        "a 2",
        "b",
        "a {1,2}",
        "a {2..9}",
        "{?}",
        "a {?}",
        "'a {1..3}",
    ];
    let list = prop::collection::vec((0..4u32, 0..names.len(), 0..4u32), 0..8);
    list.prop_map(move |list| {
        let mut builder = Builder::new();
        for (s, a, t) in list {
            builder.transition(s, names[a], t);
        }
        builder.finish(0)
    })
}

/// A system that a patterned one may stand for: each pattern becomes some of its actions.
fn instance(lts: &Lts, choices: &[u8]) -> Lts {
    let actions = ["a 1", "a 2", "a 3", "a x", "b", "c", "'a 1", "'a 3"];
    let mut builder = Builder::new();
    builder.ensure_states(lts.states());
    for (n, (s, a, t)) in lts.iter().enumerate() {
        let name = lts.labels().name(a);
        if !cwolf_lts::is_pattern(name) {
            builder.transition(s, name, t);
            continue;
        }
        let pattern = cwolf_lts::Pattern::parse(name);
        let all: Vec<&str> = actions
            .into_iter()
            .filter(|x| pattern.contains(x))
            .collect();
        let chosen = choices[n % choices.len()];
        let mut some: Vec<&str> = (all.iter().enumerate())
            .filter(|(n, _)| chosen >> n & 1 == 1)
            .map(|(_, x)| *x)
            .collect();
        if some.is_empty() {
            some.push(all[chosen as usize % all.len()]);
        }
        some.iter().for_each(|x| builder.transition(s, x, t));
    }
    builder.finish(lts.initial())
}

fn about_patterns() -> impl Strategy<Value = String> {
    let actions = prop::sample::select(vec![
        "\"a 1\"",
        "\"a 2\"",
        "\"a {1..2}\"",
        "\"a {?}\"",
        "b",
        "-\"a 1\"",
        "-b",
        "-",
        "t",
        "\"'a 1\", b",
        "-\"a {2..3}\"",
    ]);
    let leaf = prop::sample::select(vec!["tt".to_owned(), "ff".to_owned()]);
    leaf.prop_recursive(3, 12, 2, move |inner| {
        let pair = (inner.clone(), inner.clone());
        prop_oneof![
            (actions.clone(), inner.clone()).prop_map(|(a, f)| format!("<{a}>({f})")),
            (actions.clone(), inner.clone()).prop_map(|(a, f)| format!("[{a}]({f})")),
            (actions.clone(), inner.clone()).prop_map(|(a, f)| format!("<<{a}>>({f})")),
            inner.clone().prop_map(|f| format!("not ({f})")),
            pair.clone().prop_map(|(f, g)| format!("(({f}) /\\ ({g}))")),
            pair.prop_map(|(f, g)| format!("(({f}) \\/ ({g}))")),
            inner.clone().prop_map(|f| format!("AG ({f})")),
            inner.clone().prop_map(|f| format!("EF ({f})")),
            (actions.clone(), actions.clone())
                .prop_map(|(a, b)| format!("A (G ({{{a}}} -> F {{{b}}}))")),
            (actions.clone(), inner.clone())
                .prop_map(|(a, f)| format!("E (F ({{{a}}} /\\ ({f})))")),
            (actions.clone(), inner).prop_map(|(a, f)| format!("A ((not {{{a}}}) U ({f}))")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    /// Whatever patterns stand for, a known answer is right.
    #[test]
    fn answers_hold_for_every_instance(
        lts in patterned(),
        text in about_patterns(),
        choices in prop::collection::vec(prop::collection::vec(any::<u8>(), 8), 6),
    ) {
        let mut env = Environment::default();
        let formula = parse(&mut env, &text);
        let budget = Budget::unlimited();
        let answer = check(&lts, env.formulas(), formula, &budget).expect("no limit").answer;
        for choices in choices {
            let one = instance(&lts, &choices);
            let real = check(&one, env.formulas(), formula, &budget).expect("no limit").answer;
            prop_assert!(real.is_known());
            if answer.is_known() {
                prop_assert_eq!(&answer, &real, "{} on {:?}", text, one);
            }
        }
    }

    /// Where nothing is in doubt there is an answer.
    #[test]
    fn patterns_as_names_are_decided(lts in patterned(), text in about_patterns()) {
        let lts = cwolf_lts::by_name(&lts);
        let mut env = Environment::default();
        let formula = parse(&mut env, &text);
        let verdict = check(&lts, env.formulas(), formula, &Budget::unlimited()).expect("no limit");
        prop_assert!(verdict.answer.is_known());
    }
}

#[test]
fn what_patterns_leave_open_is_unknown() {
    let mut builder = Builder::new();
    builder.transition(0, "out {0..9}", 0);
    let lts = builder.finish(0);
    let ask = |text: &str| {
        let mut env = Environment::default();
        let formula = parse(&mut env, text);
        check(&lts, env.formulas(), formula, &Budget::unlimited())
            .expect("no limit")
            .answer
    };
    assert!(!ask("G not {\"out 1\"}").is_known());
    assert!(!ask("<\"out 1\">tt").is_known());
    assert_eq!(ask("G not {\"out 10\"}"), Answer::Holds);
    assert_eq!(ask("G {\"out {?}\"}"), Answer::Holds);
    assert_eq!(ask("<\"out {-5..20}\">tt"), Answer::Holds);
    assert_eq!(ask("F {in}"), Answer::Fails);
}

/// Formulas with quantifiers inside of others, all of them about all runs or, negated, about some.
fn nested() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec!["{a}", "{b}", "(not {a})", "[b]ff", "[a]tt", "tt"]);
    let inner = leaf.prop_map(str::to_owned);
    let inner = inner.prop_recursive(4, 12, 2, |inner| {
        prop_oneof![
            (
                prop::sample::select(vec!["AG", "A F", "A X", "A G", "G", "F", "X"]),
                inner.clone()
            )
                .prop_map(|(op, f)| format!("({op} {f})")),
            (
                inner.clone(),
                prop::sample::select(vec!["/\\", "\\/", "W", "U"]),
                inner
            )
                .prop_map(|(f, op, g)| format!("({f} {op} {g})")),
        ]
    });
    (any::<bool>(), inner).prop_map(|(negated, f)| match negated {
        true => format!("not A {f}"),
        false => format!("A {f}"),
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    /// What a formula about all runs says of single ones follows from it; one about some run follows from it.
    #[test]
    fn formulas_about_single_runs_go_with_those_about_all(lts in systems(), text in nested()) {
        let mut env = Environment::default();
        let start = SourceMap::default().add("<formula>", text.clone().into());
        let Ok(formula) = env.formula(&text, start) else {
            return Ok(());
        };
        let Some(runs) = env.about_runs(formula) else {
            return Ok(());
        };
        let holds = |f| {
            let verdict = check(&lts, env.formulas(), f, &Budget::unlimited()).expect("unlimited");
            matches!(verdict.answer, Answer::Holds)
        };
        match env.formulas().speaks(formula) {
            crate::Speaks::OfAllRuns => prop_assert!(!holds(formula) || holds(runs), "{text}"),
            _ => prop_assert!(!holds(runs) || holds(formula), "{text}"),
        }
    }
}
