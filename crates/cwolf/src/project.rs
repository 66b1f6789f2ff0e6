//! The project file `cwolf.toml`: what would otherwise be typed each time.
//!
//! A section has the name of a command, a key the name of one of its options; `inputs` are its
//! files. It is turned into arguments that stand before the user's own, so that the command
//! line wins, and everything that is checked on the command line is checked here, too.

use crate::args::Cli;
use crate::near::nearest;
use clap::{Arg, Command, CommandFactory};
use std::any::TypeId;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// The name of the file, in the folder that cwolf is started in or one above it.
pub const NAME: &str = "cwolf.toml";

/// What a project file says for one command.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// Options, as arguments.
    pub options: Vec<OsString>,
    /// Files, for when the command line has none.
    pub inputs: Vec<OsString>,
}

/// Reads the section of the command that `arguments` (with the program's name) name, if there
/// is a project file.
pub fn section(folder: &Path, arguments: &[OsString]) -> Result<Option<(usize, Section)>, String> {
    if std::env::var_os(IGNORE).is_some() {
        return Ok(None);
    }
    let Some((above, text)) = find(folder) else {
        return Ok(None);
    };
    let mut root = Cli::command();
    // Options of all commands are theirs only after this.
    root.build();
    let Some((at, names)) = command(arguments, &root) else {
        return Ok(None);
    };
    let file: Table = text
        .parse()
        .map_err(|e: toml::de::Error| format!("{NAME}: {e}"))?;
    let (mut known, mut content) = (&root, &file);
    for (n, name) in names.iter().enumerate() {
        if let Some(unknown) = content.keys().find(|k| known.find_subcommand(k).is_none()) {
            let of = names[..n].join(" ");
            return Err(format!(
                "{NAME}: there is no command `{}`{}",
                format!("{of} {unknown}").trim(),
                similar(unknown, known.get_subcommands().map(|c| c.get_name()))
            ));
        }
        let dotted = names[..=n].join(".");
        content = match content.get(name) {
            None => return Ok(None),
            Some(Value::Table(inner)) => inner,
            Some(_) => return Err(format!("{NAME}: `{dotted}` must be a section: [{dotted}]")),
        };
        known = known.find_subcommand(name).expect("a command of this name");
    }
    let dotted = names.join(".");
    let mut reader = Reader {
        above: &above,
        command: known,
        section: Section::default(),
    };
    let mut content = content.clone();
    let of_functions = match has_functions(known) {
        true => content.remove(FUNCTION),
        false => None,
    };
    reader.read(&dotted, &content)?;
    if let Some(of_functions) = of_functions {
        let dotted = format!("{dotted}.{FUNCTION}");
        let functions = tables(&dotted, &of_functions)?;
        let entry = entry(&arguments[at + 1..], &content);
        // After the options of all functions, so that these win.
        for (name, table) in functions.into_iter().filter(|(name, _)| *name == entry) {
            reader.read(&format!("{dotted}.{name}"), table)?;
        }
    }
    Ok(Some((at, reader.section)))
}

/// The key for what holds for single functions: `[verify.function.parse]`.
pub const FUNCTION: &str = "function";

/// Where this variable is set, no project file is read.
pub const IGNORE: &str = "CWOLF_NO_PROJECT";

/// Whether the section of a command may have settings for single functions.
pub fn has_functions(command: &Command) -> bool {
    command.get_name() == "verify"
}

/// What the project file says to `cwolf verify` about each function, as arguments.
pub fn of_functions(folder: &Path) -> Result<BTreeMap<String, Vec<OsString>>, String> {
    let mut found = BTreeMap::new();
    let Some((above, text)) = find(folder) else {
        return Ok(found);
    };
    let file: Table = text.parse().map_err(|e| format!("{NAME}: {e}"))?;
    let mut root = Cli::command();
    root.build();
    let command = root.find_subcommand("verify").expect("a command");
    let section = file.get("verify").and_then(Value::as_table);
    let Some(functions) = section.and_then(|s| s.get(FUNCTION)) else {
        return Ok(found);
    };
    let dotted = format!("verify.{FUNCTION}");
    for (name, table) in tables(&dotted, functions)? {
        let mut reader = Reader {
            above: &above,
            command,
            section: Section::default(),
        };
        reader.read(&format!("{dotted}.{name}"), table)?;
        found.insert(name.to_owned(), reader.section.options);
    }
    Ok(found)
}

/// The sections of single functions.
fn tables<'v>(dotted: &str, functions: &'v Value) -> Result<Vec<(&'v str, &'v Table)>, String> {
    let wrong = || format!("{NAME}: write a section for each function: [{dotted}.NAME]");
    let functions = functions.as_table().ok_or_else(wrong)?;
    let mut found = Vec::new();
    for (name, table) in functions {
        found.push((name.as_str(), table.as_table().ok_or_else(wrong)?));
    }
    Ok(found)
}

/// The function that a command starts at: the last `--entry` counts.
fn entry(arguments: &[OsString], section: &Table) -> String {
    let mut found = section
        .get("entry")
        .and_then(Value::as_str)
        .map(str::to_owned);
    let mut words = arguments.iter().filter_map(|word| word.to_str());
    while let Some(word) = words.next() {
        if word == "--" {
            break;
        }
        if let Some(name) = word.strip_prefix("--entry=") {
            found = Some(name.to_owned());
        } else if word == "--entry" {
            found = words.next().map(str::to_owned);
        }
    }
    found.unwrap_or_else(|| "main".into())
}

/// Turns sections into arguments of one command.
struct Reader<'r> {
    above: &'r Path,
    command: &'r Command,
    section: Section,
}

impl Reader<'_> {
    /// Adds what a section says; `dotted` is its name.
    fn read(&mut self, dotted: &str, content: &Table) -> Result<(), String> {
        for (key, value) in content {
            self.key(&format!("{NAME}: [{dotted}] {key}"), key, value)?;
        }
        Ok(())
    }

    fn key(&mut self, place: &str, key: &str, value: &Value) -> Result<(), String> {
        let (known, above, section) = (self.command, self.above, &mut self.section);
        if key == "inputs" {
            let files = words(value).ok_or(format!("{place}: expected a list of files"))?;
            section.inputs = files.into_iter().map(|f| from(above, f)).collect();
            return Ok(());
        }
        let option = known.get_arguments().find(|a| a.get_long() == Some(key));
        let Some(option) = option else {
            let options = known.get_arguments().filter_map(|a| a.get_long());
            let near = similar(key, options);
            return Err(format!("{place}: the command has no option --{key}{near}"));
        };
        match value {
            Value::Boolean(true) => section.options.push(format!("--{key}").into()),
            Value::Boolean(false) => {}
            value => {
                let wrong = format!("{place}: expected a text, a number, true, or a list");
                for word in words(value).ok_or(wrong)? {
                    let word = match is_path(option) {
                        true => from(above, word),
                        false => word,
                    };
                    let mut argument = OsString::from(format!("--{key}="));
                    argument.push(word);
                    section.options.push(argument);
                }
            }
        }
        Ok(())
    }
}

/// The nearest project file: how to get to its folder from `folder`, and its text.
fn find(folder: &Path) -> Option<(PathBuf, String)> {
    let mut above = PathBuf::new();
    let whole = std::fs::canonicalize(folder).ok()?;
    for ancestor in whole.ancestors() {
        if let Ok(text) = std::fs::read_to_string(ancestor.join(NAME)) {
            return Some((above, text));
        }
        // A repository is a project of its own.
        if ancestor.join(".git").exists() {
            return None;
        }
        above.push("..");
    }
    None
}

/// A path that counts from the folder of the project file.
fn from(above: &Path, word: OsString) -> OsString {
    match Path::new(&word).is_absolute() || above.as_os_str().is_empty() || word == "-" {
        true => word,
        false => above.join(word).into_os_string(),
    }
}

/// Whether the value of an option is a path.
fn is_path(option: &Arg) -> bool {
    let typed = option.get_value_parser().type_id() == TypeId::of::<PathBuf>();
    let mut names = option.get_value_names().unwrap_or_default().iter();
    typed || names.any(|name| name.as_str() == "DIR")
}

/// The command (with that of a family such as `lts`), and where its last word stands.
fn command(arguments: &[OsString], root: &Command) -> Option<(usize, Vec<String>)> {
    let mut known = root;
    let mut names = Vec::new();
    let mut words = arguments.iter().enumerate().skip(1);
    while let Some((at, word)) = words.next() {
        let word = word.to_str()?;
        if word.starts_with('-') {
            // The value of an option that stands before the command is no command.
            let option = root.get_opts().find(|o| {
                let long = o.get_long().map(|l| format!("--{l}"));
                long.as_deref() == Some(word)
            });
            if option.is_some() {
                words.next();
            }
            continue;
        }
        known = known.find_subcommand(word)?;
        names.push(known.get_name().to_owned());
        if !known.has_subcommands() {
            return Some((at, names));
        }
    }
    None
}

/// A suggestion for a word that is nearly one of `known`.
fn similar<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> String {
    match nearest(word, known) {
        Some(near) => format!("; is `{near}` meant?"),
        None => String::new(),
    }
}

fn words(value: &Value) -> Option<Vec<OsString>> {
    Some(match value {
        Value::String(text) => vec![text.into()],
        Value::Integer(number) => vec![number.to_string().into()],
        Value::Array(list) => {
            let each: Option<Vec<Vec<OsString>>> = list.iter().map(words).collect();
            each?.concat()
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, line: &str) -> Result<Option<(usize, Section)>, String> {
        let folder = std::env::temp_dir().join(format!(
            "cwolf-project-{}-{}",
            std::process::id(),
            text.len()
        ));
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join(NAME), text).expect("a file");
        let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let read = section(&folder, &arguments);
        std::fs::remove_dir_all(&folder).expect("removed");
        read
    }

    #[test]
    fn a_section_becomes_arguments() {
        let text = "[model]\ninputs = [\"a.c\", \"b.c\"]\nlabels = \"x.lm\"\npeep = true\nmax-states = 7\n";
        let (at, section) = read(text, "cwolf -q model").unwrap().unwrap();
        assert_eq!(at, 2);
        assert_eq!(section.inputs, ["a.c", "b.c"]);
        let options = ["--labels=x.lm", "--max-states=7", "--peep"];
        assert_eq!(section.options, options);
        assert_eq!(read(text, "cwolf run x.c"), Ok(None));
        let text = "[lts.reduce]\nequivalence = \"weak\"\njson = \"out.json\"\n";
        let (at, section) = read(text, "cwolf --json model lts reduce m.aut")
            .unwrap()
            .unwrap();
        assert_eq!(at, 4);
        assert_eq!(section.options, ["--equivalence=weak", "--json=out.json"]);
        assert_eq!(read(text, "cwolf lts info m.aut"), Ok(None));
    }

    #[test]
    fn a_function_has_settings_of_its_own() {
        let text = "[verify]\ntimeout = '9s'\n[verify.function.parse]\ntimeout = '60s'\nrequires = ['n > 0']\n[verify.function.main]\nmax-args = 2\n";
        let options = |line: &str| read(text, line).unwrap().unwrap().1.options;
        let of_parse = ["--timeout=9s", "--requires=n > 0", "--timeout=60s"];
        assert_eq!(options("cwolf verify --entry parse a.c"), of_parse);
        assert_eq!(options("cwolf verify --entry=parse a.c"), of_parse);
        let of_main = ["--timeout=9s", "--max-args=2"];
        assert_eq!(options("cwolf verify a.c"), of_main);
        assert_eq!(options("cwolf verify --entry other a.c"), ["--timeout=9s"]);
    }

    #[test]
    fn a_folder_above_counts() {
        let top = std::env::temp_dir().join(format!("cwolf-above-{}", std::process::id()));
        let inner = top.join("src/net");
        std::fs::create_dir_all(&inner).expect("folders");
        let text = "[verify]\ninputs = [\"a.c\", \"/b.c\"]\nspec = \"r.slic\"\ninclude-dir = \"inc\"\ntimeout = \"9s\"\n";
        std::fs::write(top.join(NAME), text).expect("a file");
        let arguments: Vec<OsString> = ["cwolf", "verify"].map(OsString::from).to_vec();
        let (_, section) = section(&inner, &arguments).unwrap().unwrap();
        assert_eq!(section.inputs, ["../../a.c", "/b.c"]);
        let options = [
            "--include-dir=../../inc",
            "--spec=../../r.slic",
            "--timeout=9s",
        ];
        assert_eq!(section.options, options);
        std::fs::remove_dir_all(&top).expect("removed");
    }

    #[test]
    fn mistakes_are_told() {
        for (text, part) in [
            ("[modle]\n", "no command `modle`; is `model` meant?"),
            (
                "[model]\nlabel = 1\n",
                "no option --label; is `labels` meant?",
            ),
            ("[model]\ninputs = 1.5\n", "a list of files"),
            ("model = 3\n", "must be a section"),
            (
                "[verify.function]\nmain = 3\n",
                "a section for each function: [verify.function.NAME]",
            ),
            (
                "[verify.function.main]\nrequire = 'n > 0'\n",
                "[verify.function.main] require: the command has no option --require; is `requires`",
            ),
            ("[model\n", "cwolf.toml"),
        ] {
            let command = match text.contains("verify") {
                true => "cwolf verify",
                false => "cwolf model",
            };
            let error = read(text, command).expect_err(text);
            assert!(error.contains(part), "{error}");
        }
    }
}
