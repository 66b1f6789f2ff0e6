//! Answers that were given before, under a hash of all that they depend on. An entry that cannot be read, or that is not
//! about this key, counts as absent; entries appear whole or not at all, so that several scans may share a folder.

use crate::answer::Answer;
use cwolf_report::sha256;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A folder of answers.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// The cache in this folder, which is made when something is kept.
    pub fn new(folder: &Path) -> Cache {
        Cache {
            folder: folder.join("scan"),
        }
    }
    /// The key of a question: version, code and options.
    pub fn key(parts: &[&str]) -> String {
        let mut text = String::from(cwolf_report::VERSION);
        for part in parts {
            text += &format!("\0{}\0{part}", part.len());
        }
        sha256(text.as_bytes())
    }
    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(&key[..2]).join(format!("{key}.json"))
    }
    /// The answer under a key.
    pub fn get(&self, key: &str) -> Option<Answer> {
        let text = std::fs::read_to_string(self.path(key)).ok()?;
        let (sum, body) = text.split_once('\n')?;
        if sum != sha256(body.as_bytes()) {
            return None;
        }
        let value: Value = serde_json::from_str(body).ok()?;
        (value["key"] == key).then(|| Answer::read(&value["answer"]))?
    }
    /// Keeps an answer; a folder that cannot be written keeps none.
    pub fn put(&self, key: &str, answer: &Answer) {
        let path = self.path(key);
        let body = json!({ "key": key, "answer": answer.json() }).to_string();
        let text = format!("{}\n{body}", sha256(body.as_bytes()));
        let folder = path.parent().unwrap_or(&self.folder);
        let unique = format!(
            "{key}.{}.{:?}.tmp",
            std::process::id(),
            std::thread::current().id()
        );
        let temporary = folder.join(unique);
        let written = std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&temporary, text))
            .and_then(|()| std::fs::rename(&temporary, &path));
        if written.is_err() {
            let _ = std::fs::remove_file(&temporary);
        }
    }
}

/// The usual folder: `CWOLF_CACHE`, else that of the user's caches.
pub fn usual_folder() -> Option<PathBuf> {
    let set = |name: &str| {
        std::env::var_os(name)
            .filter(|v| !v.is_empty())
            .map(PathBuf::from)
    };
    set("CWOLF_CACHE")
        .or_else(|| set("XDG_CACHE_HOME").map(|f| f.join("cwolf")))
        .or_else(|| set("HOME").map(|f| f.join(".cache/cwolf")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_whole_and_their_own() {
        let folder = std::env::temp_dir().join(format!("cwolf-cache-{}", std::process::id()));
        let cache = Cache::new(&folder);
        let answer = Answer::unknown("time");
        let (one, two) = (Cache::key(&["a", "b"]), Cache::key(&["ab", ""]));
        assert_ne!(one, two);
        assert_eq!(cache.get(&one), None);
        cache.put(&one, &answer);
        assert_eq!(cache.get(&one), Some(answer.clone()));
        // A damaged entry, and one that was moved, are ignored.
        let path = cache.path(&one);
        let text = std::fs::read_to_string(&path).expect("an entry");
        std::fs::create_dir_all(cache.path(&two).parent().expect("a folder")).expect("made");
        std::fs::write(cache.path(&two), &text).expect("written");
        assert_eq!(cache.get(&two), None);
        std::fs::write(&path, text.replace("time", "tame")).expect("written");
        assert_eq!(cache.get(&one), None);
        std::fs::write(&path, &text[..text.len() / 2]).expect("written");
        assert_eq!(cache.get(&one), None);
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
