//! Programs behave as they do when gcc compiles them: each `run/*.c` is run both ways, and
//! output and exit status are compared. The programs need no header.

use crate::common::{by_cwi, by_gcc, cases, compile};

#[test]
fn programs_behave_as_with_gcc() {
    let files = cases("run");
    assert!(!files.is_empty());
    for file in files {
        let found = by_cwi(&compile(&file));
        assert_eq!(found, by_gcc(&file), "{}", file.display());
    }
}
