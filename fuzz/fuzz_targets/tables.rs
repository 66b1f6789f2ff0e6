//! Any text as a state/event table: no panic, and what is taken for a table can be held against a small system; the
//! comparison can be written in every form.
#![no_main]

use cwolf_base::{Budget, SourceMap};
use cwolf_conform::{Table, compare, html, json, text};
use cwolf_lts::{Format, read_bytes};
use libfuzzer_sys::fuzz_target;

const SYSTEM: &[u8] = b"des (0,7,6)
(0,\"state=A\",1)
(1,\"event e\",2)
(2,\"x\",3)
(2,\"x\",2)
(3,\"state=B\",4)
(4,\"event f\",0)
(4,\"event e\",5)
";

fuzz_target!(|bytes: &[u8]| {
    let content = String::from_utf8_lossy(bytes);
    let system = read_bytes("x.aut", SYSTEM, Format::Aut).expect("a system");
    for name in ["t.csv", "t.tsv", "t"] {
        match Table::read(name, &content, &mut SourceMap::default()) {
            Ok(table) => {
                let comparison = compare(&system, false, &table, &Budget::unlimited()).expect("no limit");
                let counted = json(&comparison)["cells"].as_array().map_or(0, Vec::len);
                assert_eq!(counted, comparison.cells.len());
                assert!(text(&comparison, true).len() < html(&comparison, name).len());
            }
            Err(wrong) => assert!(wrong.has_errors()),
        }
    }
});
