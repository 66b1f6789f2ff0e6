//! Which files belong together, as a linker takes members of an archive: a file brings in those that define what it
//! mentions and nobody defines yet. So each program of a project gets its own `main`, and alternatives for one name do not clash.

use cwolf_cwi::{Definition, Linkage, Program};
use rustc_hash::{FxHashMap, FxHashSet};

/// The names that files define and need.
#[derive(Clone, Debug, Default)]
pub struct Archive {
    defines: Vec<Vec<String>>,
    needs: Vec<Vec<String>>,
    by_name: FxHashMap<String, usize>,
}

impl Archive {
    /// The files, in order: where several define a name, the first counts.
    pub fn new<'p>(files: impl IntoIterator<Item = &'p Program>) -> Archive {
        let mut archive = Archive::default();
        for (n, program) in files.into_iter().enumerate() {
            let (mut defines, mut needs) = (Vec::new(), Vec::new());
            let functions = program
                .funcs
                .iter()
                .filter(|f| f.linkage == Linkage::External);
            let functions = functions.map(|f| (&f.name, f.definition));
            let variables = program
                .vars
                .iter()
                .filter(|v| v.linkage == Linkage::External && v.kind == cwolf_cwi::VarKind::Global);
            let variables = variables.map(|v| (&v.name, v.definition));
            for (name, definition) in functions.chain(variables) {
                match definition {
                    Definition::Declared => needs.push(name.clone()),
                    _ => defines.push(name.clone()),
                }
            }
            for name in &defines {
                archive.by_name.entry(name.clone()).or_insert(n);
            }
            archive.defines.push(defines);
            archive.needs.push(needs);
        }
        archive
    }
    /// Whether a file defines this name.
    pub fn defines(&self, file: usize, name: &str) -> bool {
        self.defines[file].iter().any(|n| n == name)
    }
    /// The files that define `main`.
    pub fn mains(&self) -> Vec<usize> {
        let all = 0..self.defines.len();
        all.filter(|file| self.defines(*file, "main")).collect()
    }
}

/// The files of the program that starts with `first`, itself first. No other `main` comes in, and no second definition of a name.
pub fn pull(archive: &Archive, first: usize) -> Vec<usize> {
    let mut chosen = vec![first];
    let mut defined: FxHashSet<&str> = archive.defines[first].iter().map(String::as_str).collect();
    let mut at = 0;
    while let Some(file) = chosen.get(at) {
        at += 1;
        for name in &archive.needs[*file] {
            let Some(other) = archive.by_name.get(name).copied() else {
                continue;
            };
            let names = &archive.defines[other];
            let clashes = names
                .iter()
                .any(|n| defined.contains(n.as_str()) || n == "main");
            if !defined.contains(name.as_str()) && !chosen.contains(&other) && !clashes {
                defined.extend(names.iter().map(String::as_str));
                chosen.push(other);
            }
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use cwolf_cfront::{Options, compile_text};

    fn programs(texts: &[&str]) -> Vec<Program> {
        let compile = |t: &&str| compile_text("t.c", t.as_bytes(), &Options::default()).program;
        texts
            .iter()
            .map(|t| compile(t).expect("it compiles"))
            .collect()
    }

    #[test]
    fn each_main_gets_what_it_needs() {
        let files = programs(&[
            "int one(void); int main(void) { return one(); }",
            "int two(void); int main(void) { return two(); }",
            "int two(void); int one(void) { return two(); }",
            "int two(void) { return 2; }",
            "int two(void) { return 3; }",
        ]);
        let archive = Archive::new(&files);
        assert_eq!(archive.mains(), [0, 1]);
        assert_eq!(pull(&archive, 0), [0, 2, 3]);
        assert_eq!(pull(&archive, 1), [1, 3]);
        assert_eq!(pull(&archive, 4), [4]);
    }
}
