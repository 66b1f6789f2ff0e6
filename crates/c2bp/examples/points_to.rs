//! Seconds that each points-to analysis takes on a program, given as preprocessed C files, and how
//! large the sets get: `cargo run --release -p cwolf-c2bp --example points_to -- FILE.i…`

use cwolf_cfront::{Options, compile_text};
use cwolf_cwi::graph::{PointsTo, Precision};
use cwolf_cwi::link::link;
use std::time::Instant;

#[allow(
    clippy::print_stdout,
    reason = "a program that measures says what it measured"
)]
fn main() {
    let compile = |path: String| {
        let text = std::fs::read(&path).expect("a file that can be read");
        let compiled = compile_text(&path, &text, &Options::default());
        compiled.program.expect("a file without errors")
    };
    let parts = std::env::args().skip(1).map(compile).collect();
    let program = link(parts).expect("files that fit together").program;
    for precision in [Precision::OneLevel, Precision::Inclusion, Precision::Fields] {
        let start = Instant::now();
        let found = PointsTo::with(&program, precision);
        let seconds = start.elapsed().as_secs_f64();
        let sizes = program.vars.ids().map(|v| found.var(v).len());
        let (mut count, mut total) = (0, 0);
        for size in sizes.filter(|size| *size > 0) {
            (count, total) = (count + 1, total + size);
        }
        let each = total as f64 / f64::from(count.max(1));
        println!(
            "{precision:?}: {seconds:.2} s, {count} variables hold pointers, to {each:.1} objects each"
        );
    }
}
