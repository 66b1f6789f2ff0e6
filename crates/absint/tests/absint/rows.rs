//! Every row of the table of known functions, asked of the abstract machine: what a call writes
//! through an argument is unknown afterwards.

use cwolf_absint::domain::Universe;
use cwolf_absint::explore::{Search, explore};
use cwolf_absint::machine::{Machine, Options};
use cwolf_absint::map::{Text, parse_abstraction, parse_labels};
use cwolf_base::{Budget, SourceMap};
use cwolf_cwi::graph::Analysed;
use cwolf_known::{Format, FormatArgs, Row};

/// A program in which argument `n` points to `x`, which is 1 before; nothing is known of the others.
fn text(row: &Row, n: usize) -> String {
    let mut count = row.prototype.params.len();
    // Something for a format to store to.
    if row.formatted().is_some() {
        count = count.max(n + 1);
    }
    let arg = |m: usize| match m == n {
        true => "&x".to_owned(),
        false => "v".to_owned(),
    };
    let args: Vec<String> = (0..count).map(arg).collect();
    format!(
        "extern void *{0}(); void seen(void); long __VERIFIER_nondet_long(void); int x = 1;\n\
         int main(void) {{ long v = __VERIFIER_nondet_long(); {0}({1}); if (x != 1) seen(); return 0; }}",
        row.name,
        args.join(", ")
    )
}

/// Whether the model of the program has the step `seen`; none if the compiler does the call itself.
fn seen(row: &Row, n: usize) -> Option<bool> {
    let options = cwolf_cfront::Options::default();
    let compiled = cwolf_cfront::compile_text("row.c", text(row, n).as_bytes(), &options);
    let program = Analysed::from(compiled.program?);
    let called = program.function(&row.name)?;
    if program.funcs[called].body.is_some() {
        return None;
    }
    let universe = Universe::default();
    let mut sources = SourceMap::default();
    let map = |text| Text { name: "map", text };
    let mut no_files = |_: &str| Err(String::new());
    let abstraction = parse_abstraction(
        &program,
        &universe,
        &mut sources,
        map("var x : int;"),
        &mut no_files,
    );
    let abstraction = abstraction.expect("a correct map");
    let labels = parse_labels(&program, &mut sources, map("call(seen) => seen;"));
    let labels = labels.expect("a correct map");
    let options = Options::default();
    let mut machine = Machine::new(&program, &universe, &abstraction, &labels, options);
    let entry = program.function("main").expect("there is a main");
    let budget = Budget::unlimited().max_steps(1000);
    let model = explore(&mut machine, entry, &Search::default(), &budget);
    let name = |label| model.lts.labels().name(label);
    Some(model.lts.iter().any(|(_, label, _)| name(label) == "seen"))
}

#[test]
fn what_rows_write_is_unknown_afterwards() {
    let (mut asked, mut wrong) = (0, Vec::new());
    for row in cwolf_known::table()
        .rows()
        .filter(|r| !r.name.ends_with('*'))
    {
        // After these nothing follows; what a mark is made of, no program may look at.
        if row.ends().is_some() || row.jumps().is_some() || row.marks().is_some() {
            continue;
        }
        let mut written = row.writes_args();
        if let Some(Format {
            args: FormatArgs::From(first),
            ..
        }) = row.formatted()
        {
            written.push(first);
        }
        for n in written {
            match seen(row, n) {
                Some(true) => asked += 1,
                Some(false) => wrong.push(format!("{} writes argument {n}", row.name)),
                None => {}
            }
        }
    }
    assert!(asked > 300, "only {asked} writes were asked about");
    assert!(
        wrong.is_empty(),
        "{} of them:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
