//! A seccomp profile in the form that OCI run-times read: what the model never does is denied.

use crate::calls::CallMap;
use cwolf_lts::{Lts, TAU};
use serde_json::json;
use std::collections::BTreeSet;

const ARCHITECTURE: &str = match cfg!(target_arch = "aarch64") {
    true => "SCMP_ARCH_AARCH64",
    false => "SCMP_ARCH_X86_64",
};

/// The JSON text of a profile that allows just the calls of the model and those that the map
/// ignores; `known` are the names that the system has, others are left out and returned.
pub fn seccomp_profile(
    lts: &Lts,
    map: &CallMap,
    known: impl Fn(&str) -> bool,
) -> (String, Vec<String>) {
    let used: BTreeSet<u32> = lts
        .iter()
        .map(|(_, l, _)| l)
        .filter(|&l| l != TAU)
        .collect();
    let mut names: BTreeSet<&str> = map.ignore.iter().map(String::as_str).collect();
    let mut unknown = Vec::new();
    for label in used {
        let label = lts.labels().name(label);
        let calls: Vec<&str> = map.calls_of(label);
        let real: Vec<&str> = calls.into_iter().filter(|c| known(c)).collect();
        if real.is_empty() {
            unknown.push(label.to_owned());
        }
        names.extend(real);
    }
    names.extend(map.begin.as_deref());
    let profile = json!({
        "defaultAction": "SCMP_ACT_ERRNO",
        "defaultErrnoRet": 1,
        // Of the machine that knows the names.
        "architectures": [ARCHITECTURE],
        "syscalls": [{ "names": names, "action": "SCMP_ACT_ALLOW" }]
    });
    let text = serde_json::to_string_pretty(&profile).expect("plain data");
    (text + "\n", unknown)
}
