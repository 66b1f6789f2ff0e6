//! `lts-peer EQUIVALENCE FILE.aut OUT.aut`: what `cwolf lts reduce` does, by merc_reduction.
//! Internal steps are spelled `tau`.

use merc_lts::{read_mcrl2_aut, write_mcrl2_aut};
use merc_reduction::{Equivalence, reduce_lts};
use merc_utilities::Timing;
use std::fs::File;
use std::io::{BufReader, BufWriter};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [equivalence, input, output] = &arguments[..] else {
        panic!("usage: lts-peer EQUIVALENCE FILE.aut OUT.aut");
    };
    let equivalence = match equivalence.as_str() {
        "strong" => Equivalence::StrongBisim,
        "branching" => Equivalence::BranchingBisim,
        "divergence-branching" => Equivalence::BranchingBisimDivergencePreserving,
        "weak" => Equivalence::WeakBisimSigref,
        other => panic!("no equivalence {other}"),
    };
    let file = File::open(input).expect("the input can be opened");
    let lts = read_mcrl2_aut(BufReader::new(file)).expect("the input can be read");
    let small = reduce_lts(lts, equivalence, true, &Timing::new());
    let file = File::create(output).expect("the output can be made");
    write_mcrl2_aut(&mut BufWriter::new(file), &small).expect("the output can be written");
}
