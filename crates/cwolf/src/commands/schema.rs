//! `cwolf schema`: the JSON schema of the project file, made from the one definition of the
//! command line, and that of what `--json` writes.

use crate::args::Cli;
use crate::project::{FUNCTION, has_functions};
use clap::builder::ValueParser;
use clap::{Arg, ArgAction, Command, CommandFactory};
use serde_json::{Map, Value, json};
use std::any::TypeId;

/// The schema of what `--json` writes.
pub const REPORT: &str = include_str!("../../../../docs/report.schema.json");

/// The schema of `cwolf.toml`.
pub fn project() -> String {
    let mut root = Cli::command();
    root.build();
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "cwolf.toml, the project file of cwolf",
    });
    let sections = sections(&root);
    schema["type"] = "object".into();
    schema["properties"] = sections.into();
    schema["additionalProperties"] = false.into();
    format!("{schema:#}\n")
}

/// A property for each command.
fn sections(command: &Command) -> Map<String, Value> {
    let inner = command.get_subcommands().filter(|c| c.get_name() != "help");
    inner
        .map(|c| (c.get_name().to_owned(), section(c)))
        .collect()
}

/// A section for each function, with the keys of its command.
fn functions(command: &Command) -> Value {
    json!({
        "description": "Options for single functions that --entry names",
        "type": "object",
        "additionalProperties": { "$ref": format!("#/properties/{}", command.get_name()) },
    })
}

fn section(command: &Command) -> Value {
    let mut keys = sections(command);
    if command.get_positionals().next().is_some() {
        keys.insert("inputs".into(), inputs(command));
    }
    if has_functions(command) {
        keys.insert(FUNCTION.into(), functions(command));
    }
    for option in command.get_opts().chain(flags(command)) {
        let shown =
            !option.is_hide_set() && !["help", "version"].contains(&option.get_id().as_str());
        if let Some(long) = option.get_long().filter(|_| shown) {
            keys.insert(long.to_owned(), key(option));
        }
    }
    json!({
        "description": command.get_about().map(|a| a.to_string()),
        "type": "object",
        "properties": keys,
        "additionalProperties": false,
    })
}

fn flags(command: &Command) -> impl Iterator<Item = &Arg> {
    let flag = |a: &&Arg| matches!(a.get_action(), ArgAction::SetTrue);
    command.get_arguments().filter(flag)
}

fn inputs(command: &Command) -> Value {
    let help = command.get_positionals().next().and_then(Arg::get_help);
    json!({
        "description": help.map(|h| h.to_string()),
        "type": ["string", "array"],
        "items": { "type": "string" },
    })
}

fn key(option: &Arg) -> Value {
    let one = match option.get_action() {
        ArgAction::SetTrue => json!({ "type": "boolean" }),
        _ => value(option),
    };
    let mut schema = match option.get_action() {
        ArgAction::Append => json!({ "anyOf": [one, { "type": "array", "items": one }] }),
        _ => one,
    };
    schema["description"] = option.get_help().map(|h| h.to_string()).into();
    if let [default] = option.get_default_values()
        && !matches!(option.get_action(), ArgAction::SetTrue)
    {
        let text = default.to_string_lossy();
        schema["default"] = match text.parse::<u64>() {
            Ok(number) => number.into(),
            Err(_) => text.into(),
        };
    }
    schema
}

/// What may stand behind an option: one of few words, a number, or a text.
fn value(option: &Arg) -> Value {
    let words = option.get_possible_values();
    if !words.is_empty() {
        let words: Vec<&str> = words.iter().map(|w| w.get_name()).collect();
        return json!({ "enum": words });
    }
    let name = option.get_value_names().and_then(|names| names.first());
    match name.map_or("", |n| n.as_str()) {
        // `10s` and `4G`, or bare numbers.
        "TIME" | "SIZE" => json!({ "type": ["string", "integer"] }),
        _ if is_number(option.get_value_parser()) => json!({ "type": "integer" }),
        _ => json!({ "type": "string" }),
    }
}

fn is_number(parser: &ValueParser) -> bool {
    let numbers = [
        TypeId::of::<u16>(),
        TypeId::of::<u32>(),
        TypeId::of::<u64>(),
        TypeId::of::<usize>(),
        TypeId::of::<i128>(),
        TypeId::of::<std::num::NonZeroUsize>(),
    ];
    numbers.iter().any(|n| parser.type_id() == *n)
}
