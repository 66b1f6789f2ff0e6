//! Which system call is which label of the model: a small TOML file.

use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// Why a map cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadMap(String);

/// What a call means that the model never speaks of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unlisted {
    /// It is not allowed.
    #[default]
    Error,
    /// It is not looked at.
    Ignore,
}

/// From system calls to labels. A call that is not mentioned is the label of its own name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallMap {
    /// Calls before the first one of this name are not looked at: the loader's and libc's own.
    pub begin: Option<String>,
    /// Calls that are never looked at.
    #[serde(default)]
    pub ignore: BTreeSet<String>,
    /// What to do with calls whose label the model does not have.
    #[serde(default)]
    pub unlisted: Unlisted,
    /// The labels of calls whose name in the model is another.
    #[serde(default)]
    pub calls: BTreeMap<String, String>,
}

impl CallMap {
    /// Reads the TOML text of a map.
    pub fn read(text: &str) -> Result<CallMap, BadMap> {
        let map: CallMap = toml::from_str(text).map_err(|e| BadMap(e.to_string()))?;
        if let Some(both) = map.ignore.iter().find(|c| map.calls.contains_key(*c)) {
            return Err(BadMap(format!(
                "'{both}' has a label under [calls] and is ignored too; take it out of one"
            )));
        }
        Ok(map)
    }
    /// The label of a call; none if it is not looked at.
    pub fn label<'a>(&'a self, call: &'a str) -> Option<&'a str> {
        if self.ignore.contains(call) {
            return None;
        }
        Some(self.calls.get(call).map_or(call, String::as_str))
    }
    /// The calls that a label stands for.
    pub fn calls_of<'a>(&'a self, label: &'a str) -> Vec<&'a str> {
        // A pattern means every action that it may stand for.
        let meant = cwolf_lts::Pattern::parse(label);
        let means = |l: &str| meant.overlaps(&cwolf_lts::Pattern::parse(l));
        let mut named: Vec<&str> = self
            .calls
            .iter()
            .filter(|(_, l)| means(l))
            .map(|(c, _)| c.as_str())
            .collect();
        let renamed = self.calls.contains_key(label);
        if !renamed && !self.ignore.contains(label) {
            named.push(label);
        }
        named
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_has_its_own_name_unless_the_map_renames_or_ignores_it() {
        let map = CallMap::read("ignore = [\"brk\"]\n[calls]\nopenat = \"open\"\n").unwrap();
        assert_eq!(map.label("openat"), Some("open"));
        assert_eq!(map.label("read"), Some("read"));
        assert_eq!(map.label("brk"), None);
        assert_eq!(map.calls_of("open"), ["openat", "open"]);
        assert_eq!(map.calls_of("openat"), [""; 0]);
    }

    #[test]
    fn wrong_maps_are_refused() {
        assert!(CallMap::read("begn = \"x\"").is_err());
        assert!(CallMap::read("ignore = [\"a\"]\n[calls]\na = \"b\"").is_err());
        assert!(CallMap::read("unlisted = \"maybe\"").is_err());
    }
}
