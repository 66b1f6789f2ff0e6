//! The models of libc behave as libc does: each `library/*.c` is run with the system's library
//! and, as CWI, with the models.

use crate::common::{by_cwi, by_gcc, cases, compile};
use cwolf_cfront::Options;
use cwolf_cfront::library::resolve;
use cwolf_cwi::{Definition, link::link};

#[test]
fn models_behave_as_libc() {
    let files = cases("library");
    assert!(!files.is_empty());
    for file in files {
        let program = compile(&file);
        let mut parts = resolve(&[&program], &Options::default(), |_| true);
        parts.push(program);
        let linked = link(parts).expect("the models link");
        let open: Vec<_> = linked
            .program
            .funcs
            .iter()
            .filter(|f| f.definition == Definition::Declared)
            .map(|f| f.name.as_str())
            .collect();
        let native = ["malloc", "free", "printf"];
        assert!(open.iter().all(|f| native.contains(f)), "{open:?}");
        let found = by_cwi(&linked.program);
        assert_eq!(found, by_gcc(&file), "{}", file.display());
    }
}
