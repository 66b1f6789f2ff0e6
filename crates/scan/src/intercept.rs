//! What a build compiles: scripts with the names of compilers note each call and go on to the real one. A folder of
//! them stands first in `PATH`.

use serde_json::{Value, json};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Names that builds call C compilers by.
const COMPILERS: [&str; 8] = [
    "cc",
    "gcc",
    "clang",
    "c99",
    "c11",
    "x86_64-linux-gnu-gcc",
    "i686-linux-gnu-gcc",
    "tcc",
];

/// A folder of scripts, and where they note calls.
#[derive(Clone, Debug)]
pub struct Interceptor {
    folder: PathBuf,
}

impl Interceptor {
    /// Makes the scripts for the compilers that `path` (as in `PATH`) has, and for `cc` (the variable `CC`), if it names another.
    pub fn new(folder: &Path, path: &str, cc: Option<&str>) -> io::Result<Interceptor> {
        std::fs::create_dir_all(folder.join("bin"))?;
        std::fs::create_dir_all(folder.join("calls"))?;
        let own = cc.and_then(|cc| cc.split_whitespace().next());
        let own = own.filter(|cc| !cc.contains('/'));
        for name in COMPILERS.into_iter().chain(own) {
            let mut places = path.split(':').map(|dir| Path::new(dir).join(name));
            let Some(real) = places.find(|p| p.is_file()) else {
                continue;
            };
            let script = script(&real, &folder.join("calls"));
            let to = folder.join("bin").join(name);
            std::fs::write(&to, script)?;
            std::fs::set_permissions(&to, PermissionsExt::from_mode(0o755))?;
        }
        Ok(Interceptor {
            folder: folder.to_owned(),
        })
    }
    /// What `PATH` must be for the build.
    pub fn path(&self, path: &str) -> String {
        format!("{}:{path}", self.folder.join("bin").display())
    }
    /// The calls that were noted, as a `compile_commands.json`: one entry for each C file, the last call counts.
    pub fn commands(&self) -> io::Result<String> {
        let mut entries: Vec<(PathBuf, Value)> = Vec::new();
        let mut notes: Vec<PathBuf> = Vec::new();
        for entry in std::fs::read_dir(self.folder.join("calls"))? {
            notes.push(entry?.path());
        }
        notes.sort();
        for note in notes {
            let text = std::fs::read(&note)?;
            let words = text
                .split(|b| *b == 0)
                .map(|w| String::from_utf8_lossy(w).into_owned());
            let mut words: Vec<String> = words.collect();
            words.pop();
            let [directory, arguments @ ..] = words.as_slice() else {
                continue;
            };
            // To preprocess or to say a version is not to compile.
            if arguments
                .iter()
                .any(|a| a == "-E" || a == "-M" || a == "-MM")
            {
                continue;
            }
            for file in arguments.iter().skip(1).filter(|a| is_source(a)) {
                let path = Path::new(directory).join(file);
                let entry = json!({ "directory": directory, "file": file, "arguments": arguments });
                entries.retain(|(other, _)| *other != path);
                if path.is_file() {
                    entries.push((path, entry));
                }
            }
        }
        let list: Vec<Value> = entries.into_iter().map(|(_, entry)| entry).collect();
        Ok(format!("{:#}\n", Value::from(list)))
    }
}

fn is_source(argument: &str) -> bool {
    argument.ends_with(".c") && !argument.starts_with('-') && !argument.contains("conftest")
}

/// Notes the folder and the words of a call, then does it.
fn script(real: &Path, calls: &Path) -> String {
    let quoted = |p: &Path| format!("'{}'", p.display().to_string().replace('\'', "'\\''"));
    let (real, calls) = (quoted(real), quoted(calls));
    format!(
        "#!/bin/sh\nnote=$(date +%s%N)-$$\nprintf '%s\\0' \"$PWD\" {real} \"$@\" > {calls}/\"$note\" 2>/dev/null\nexec {real} \"$@\"\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn calls_of_the_compiler_are_noted() {
        let folder = std::env::temp_dir().join(format!("cwolf-intercept-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let path = std::env::var("PATH").expect("a PATH");
        let build = Interceptor::new(&folder, &path, None).expect("scripts");
        let source = folder.join("a b.c");
        std::fs::write(&source, "int x;\n").expect("written");
        let status = Command::new("sh")
            .args([
                "-c",
                "cc -DX='1 2' -c 'a b.c' -o a.o && cc -E 'a b.c' >/dev/null",
            ])
            .current_dir(&folder)
            .env("PATH", build.path(&path))
            .status()
            .expect("sh");
        assert!(status.success());
        let commands: Value =
            serde_json::from_str(&build.commands().expect("notes")).expect("JSON");
        let list = commands.as_array().expect("a list");
        assert_eq!(list.len(), 1, "{commands:#}");
        assert_eq!(list[0]["file"], "a b.c");
        assert_eq!(list[0]["arguments"][1], "-DX=1 2");
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
