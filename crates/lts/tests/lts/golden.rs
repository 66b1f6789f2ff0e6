//! Sizes that two independent tools agree on, for the files in the folder that the environment
//! variable `CWOLF_LTS_DATA` names. The files are too large for the repository.

use cwolf_base::Budget;
use cwolf_lts::{Equivalence, Equivalence::*, read_path, reduce};
use std::path::Path;

type Sizes<'a> = &'a [(Equivalence, usize, usize)];

const GOLDEN: &[(&str, Sizes<'_>)] = &[
    (
        "c5",
        &[
            (Strong, 17532, 20214),
            (Branching, 1108, 1599),
            (DivergenceBranching, 1527, 2421),
            (Weak, 1106, 1595),
            (WeakTrace, 192, 406),
        ],
    ),
    (
        "c6",
        &[
            (Strong, 233870, 266731),
            (Branching, 9740, 13612),
            (DivergenceBranching, 14277, 22265),
            (Weak, 9635, 13449),
            (WeakTrace, 2282, 4785),
        ],
    ),
    (
        "vasy_0_1",
        &[(Strong, 9, 20), (Branching, 9, 20), (Weak, 9, 20)],
    ),
    (
        "cwi_1_2",
        &[(Strong, 1132, 1432), (Branching, 67, 115), (Weak, 67, 115)],
    ),
    (
        "vasy_1_4",
        &[(Strong, 28, 59), (Branching, 4, 5), (Weak, 4, 5)],
    ),
    (
        "cwi_3_14",
        &[(Strong, 62, 61), (Branching, 2, 1), (Weak, 2, 1)],
    ),
    (
        "vasy_5_9",
        &[(Strong, 145, 284), (Branching, 112, 213), (Weak, 112, 213)],
    ),
    (
        "vasy_25_25",
        &[
            (Strong, 25217, 25216),
            (Branching, 25217, 25216),
            (DivergenceBranching, 25217, 25216),
            (Weak, 25217, 25216),
            (WeakTrace, 25217, 25216),
        ],
    ),
    (
        "vasy_8_24",
        &[(Strong, 416, 1193), (Branching, 170, 506), (Weak, 169, 503)],
    ),
];

#[test]
#[allow(clippy::print_stderr)]
fn sizes_are_golden() {
    let Some(folder) = std::env::var_os("CWOLF_LTS_DATA") else {
        eprintln!("skipped: CWOLF_LTS_DATA names no folder");
        return;
    };
    for (name, sizes) in GOLDEN {
        let path = Path::new(&folder).join(format!("{name}.aut.xz"));
        let lts = read_path(&path, None).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(lts.verify(), Ok(()), "{name}");
        for &(equivalence, states, transitions) in *sizes {
            let small = reduce(&lts, equivalence, &Budget::unlimited())
                .expect("no limit")
                .lts;
            let found = (small.states(), small.transitions());
            assert_eq!(
                found,
                (states, transitions),
                "{name}, {}",
                equivalence.name()
            );
            assert_eq!(small.verify(), Ok(()), "{name}, {}", equivalence.name());
        }
    }
}
