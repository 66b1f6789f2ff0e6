//! What tells a finding from others, also after edits elsewhere: no line numbers, but file, function, kind and what must hold, and
//! which of several that agree in these it is.

use crate::classify::Row;
use cwolf_report::sha256;
use rustc_hash::FxHashMap;

/// Gives every finding its fingerprint. File names count from `root` on, if they lie there.
pub fn fingerprints(rows: &mut [Row], root: &str) {
    let mut seen: FxHashMap<String, usize> = FxHashMap::default();
    for finding in rows.iter_mut().flat_map(|row| &mut row.findings) {
        let file = finding.place.file.as_str();
        let file = file.strip_prefix(root).unwrap_or(file);
        let file = file.trim_start_matches('/');
        let text = format!(
            "{file}\0{}\0{}\0{}",
            finding.function, finding.kind, finding.text
        );
        let count = seen.entry(text.clone()).or_default();
        finding.fingerprint = sha256(format!("{text}\0{count}").as_bytes())[..32].to_owned();
        *count += 1;
    }
}
