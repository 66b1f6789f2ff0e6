//! Draws a program in text form: `draw file.cwi.txt flow|calls format > picture`.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use cwolf_base::view::Format;
use cwolf_cwi::{text, view};

fn main() {
    let mut args = std::env::args().skip(1);
    let mut next = || args.next().unwrap_or_default();
    let (file, what, format) = (next(), next(), next());
    let source = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{file}: {e}"));
    let program = match text::parse(&source) {
        Ok(program) => program,
        Err(problems) => {
            for problem in problems {
                eprintln!("{file}: {}", problem.message);
            }
            std::process::exit(2);
        }
    };
    let graph = match &*what {
        "calls" => view::call_graph(&program),
        _ => view::flow_graph(&program, None),
    };
    let format = Format::from_name(&format).unwrap_or(Format::Svg);
    print!("{}", graph.render(format));
}
