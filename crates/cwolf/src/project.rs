//! The project file `cwolf.toml`: what would otherwise be typed each time.
//!
//! A section has the name of a command, a key the name of one of its options; `inputs` are its
//! files. It is turned into arguments that stand before the user's own, so that the command
//! line wins, and everything that is checked on the command line is checked here, too.

use crate::args::Cli;
use clap::CommandFactory;
use std::ffi::OsString;
use std::path::Path;
use toml::{Table, Value};

/// The name of the file, in the folder that cwolf is started in.
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
    let path = folder.join(NAME);
    let Ok(text) = std::fs::read_to_string(&path) else {
        return Ok(None);
    };
    let Some((at, command)) = command(arguments) else {
        return Ok(None);
    };
    let file: Table = text
        .parse()
        .map_err(|e: toml::de::Error| format!("{NAME}: {e}"))?;
    let known = Cli::command();
    if let Some(unknown) = file.keys().find(|k| known.find_subcommand(k).is_none()) {
        return Err(format!("{NAME}: there is no command `{unknown}`"));
    }
    let Some(content) = file.get(&command) else {
        return Ok(None);
    };
    let Value::Table(content) = content else {
        return Err(format!(
            "{NAME}: `{command}` must be a section: [{command}]"
        ));
    };
    let known = known.find_subcommand(&command).expect("found above");
    let mut section = Section::default();
    for (key, value) in content {
        let place = format!("{NAME}: [{command}] {key}");
        if key == "inputs" {
            section.inputs = words(value).ok_or(format!("{place}: expected a list of files"))?;
            continue;
        }
        let option = known.get_arguments().find(|a| a.get_long() == Some(key));
        if option.is_none() {
            return Err(format!("{place}: the command has no option --{key}"));
        }
        match value {
            Value::Boolean(true) => section.options.push(format!("--{key}").into()),
            Value::Boolean(false) => {}
            value => {
                let wrong = format!("{place}: expected a text, a number, true, or a list");
                for word in words(value).ok_or(wrong)? {
                    let mut option = OsString::from(format!("--{key}="));
                    option.push(word);
                    section.options.push(option);
                }
            }
        }
    }
    Ok(Some((at, section)))
}

/// The first word that is no option: the command, and where it stands.
fn command(arguments: &[OsString]) -> Option<(usize, String)> {
    let words = arguments.iter().enumerate().skip(1);
    let mut plain = words.filter_map(|(at, w)| Some((at, w.to_str()?)));
    let (at, word) = plain.find(|(_, w)| !w.starts_with('-'))?;
    Some((at, word.to_owned()))
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
    }

    #[test]
    fn mistakes_are_told() {
        for (text, part) in [
            ("[modle]\n", "no command `modle`"),
            ("[model]\nlabel = 1\n", "no option --label"),
            ("[model]\ninputs = 1.5\n", "a list of files"),
            ("model = 3\n", "must be a section"),
            ("[model\n", "cwolf.toml"),
        ] {
            let error = read(text, "cwolf model").expect_err(text);
            assert!(error.contains(part), "{error}");
        }
    }
}
