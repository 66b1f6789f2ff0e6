//! Any bytes as a witness, in YAML or GraphML: no panic, and what is wrong is told with a line of the file.
#![no_main]

use cwolf_validate::read;
use libfuzzer_sys::fuzz_target;

const YAML: &[u8] = b"- entry_type: invariant_set\n  metadata: {format_version: '2.0'}\n  content:\n";
const GRAPHML: &[u8] = b"<graphml><graph><data key=\"witness-type\">violation_witness</data>";

fuzz_target!(|bytes: &[u8]| {
    for start in [&b""[..], YAML, GRAPHML] {
        let whole = [start, bytes].concat();
        if let Err(wrong) = read(&whole) {
            let lines = whole.split(|b| *b == b'\n').count() as u32;
            assert!(wrong.line >= 1 && wrong.line <= lines.max(1), "{wrong}");
        }
    }
});
