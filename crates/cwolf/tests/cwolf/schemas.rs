//! What `--json` writes is as `docs/report.schema.json` says, for every command; and
//! `docs/cwolf.schema.json`, the schema of the project file, is what the command line says now
//! (`CWOLF_BLESS=1` writes it).

use crate::CWOLF;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Command lines (for a shell, in a copy of `examples/`) and their exit codes, in order.
const COMMANDS: [(&str, i32); 56] = [
    ("nosuch x.c", 1),
    ("compile examples/fsm/fsm.c", 0),
    ("compile missing.c", 2),
    ("compile wrong.c", 2),
    ("compile refused.c", 0),
    ("link fsm.cwi -o p.cwi", 0),
    ("dump fsm.cwi", 0),
    ("dump fsm.cwi -o fsm.cwt", 0),
    ("flow fsm.cwi", 0),
    ("calls fsm.cwi -o calls.svg", 0),
    ("run examples/bugs/use_after_free.c", 10),
    ("run status.c -- two words", 3),
    ("run status.c --max-steps 2", 5),
    ("run assumes.c", 0),
    (
        "verify examples/rules/lock_bad.c --spec examples/rules/lock.aut",
        10,
    ),
    (
        "verify examples/rules/lock_good.c --spec examples/rules/lock.aut",
        0,
    ),
    ("verify examples/bugs/use_after_free.c --timeout 0s", 5),
    ("harness main status.c", 0),
    ("doctor", 0),
    ("scan --no-cache examples/bugs/use_after_free.c", 10),
    ("scan --no-cache --timeout 0s assumes.c", 5),
    ("validate assumes.c empty.yml", 0),
    ("validate wide.c empty.yml", 10),
    ("validate assumes.c preds", 2),
    (
        "model examples/fsm/fsm.c -a examples/fsm/fsm.am -l examples/fsm/fsm.lm -o fsm.json",
        0,
    ),
    (
        "model examples/fsm/fsm.c -a examples/fsm/fsm.am --extern=pure",
        0,
    ),
    ("model examples/fsm/fsm.c --max-states 3", 5),
    ("model examples/fsm/fsm.c --format none", 0),
    ("lts reduce -e weak fsm.json -o small.aut", 0),
    ("lts reduce fsm.json", 0),
    ("lts convert fsm.json -o fsm.html", 0),
    ("lts compose small.aut examples/rules/lock.aut", 0),
    ("lts compare -e weak fsm.json small.aut", 0),
    ("lts compare -e may examples/rules/lock.aut small.aut", 10),
    ("lts compare fsm.json examples/rules/lock.aut", 10),
    ("lts info small.aut", 0),
    ("check fsm.json '[[eof]] <<accept>> tt'", 0),
    ("check fsm.json 'AG [[a]] EF <accept> tt'", 10),
    ("check small.aut --livelock", 0),
    ("check small.aut 'AG ('", 2),
    (
        "conform examples/door/door.c -a examples/door/door.am -l examples/door/door.lm examples/door/door.csv",
        10,
    ),
    (
        "conform fsm.json fsm.json --set 'event *' --set 'start s'",
        0,
    ),
    ("conform fsm.json preds", 2),
    ("abstract status.c -p preds", 0),
    ("invariants status.c -p preds", 0),
    ("invariants status.c -p preds --annotate", 0),
    (
        "invariants status.c -p preds --label L --implies 'argc > 0'",
        10,
    ),
    ("bebop ok.bp", 0),
    ("bebop bad.bp", 10),
    ("bebop bad.bp --export smv", 0),
    (
        "monitor --model examples/rules/lock.aut --strace empty.log",
        0,
    ),
    (
        "monitor --model small.aut --strace examples/monitor/bad.log",
        10,
    ),
    ("workbench -c 'load fsm.json' -c nonsense", 2),
    ("view small.aut --timeout 500ms", 0),
    ("completions bash", 0),
    ("man", 0),
];

const FILES: [(&str, &str); 10] = [
    ("wrong.c", "int main(void) { return x; }\n"),
    (
        "refused.c",
        "_Complex double f(_Complex double x) { return x * x; }\nint main(void) { return 0; }\n",
    ),
    (
        "status.c",
        "#include <stdio.h>\nint main(int argc, char **argv)\n{\nL:  printf(\"%d\\n\", argc);\n    return argc > 1 ? 3 : 0;\n}\n",
    ),
    (
        "assumes.c",
        "void __VERIFIER_assume(int);\nint main(void) { __VERIFIER_assume(0); return 1; }\n",
    ),
    ("preds", "main { argc > 1 }\n"),
    (
        "empty.yml",
        "- entry_type: invariant_set\n  metadata: {format_version: '2.0'}\n  content: []\n",
    ),
    (
        "wide.c",
        "#include <assert.h>\nint __VERIFIER_nondet_int(void);\nint main(void) { assert(__VERIFIER_nondet_int() != 5); }\n",
    ),
    ("ok.bp", "void main() { bool a; a = true; assert(a); }\n"),
    ("bad.bp", "void main() { bool a; assert(a); }\n"),
    ("empty.log", ""),
];

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a scratch folder");
    folder
}

/// A schema. The keywords that the schemas here use are known, any other is an error: it would
/// hold nobody to anything.
struct Schema(Value);

impl Schema {
    fn read(path: &Path) -> Schema {
        let text = fs::read_to_string(path).expect("a schema");
        Schema(serde_json::from_str(&text).expect("JSON"))
    }
    fn check(&self, value: &Value) -> Result<(), String> {
        self.fits(&self.0, value)
            .map_err(|error| format!("{error} in {value:#}"))
    }
    fn fits(&self, schema: &Value, value: &Value) -> Result<(), String> {
        let schema = schema.as_object().expect("a schema is an object");
        for (keyword, rule) in schema {
            let wrong = || Err(format!("{keyword} {rule} does not fit {value}"));
            let all = |list: &Value| list.as_array().expect("a list").clone();
            let fit = |schemas: &Value| {
                let schemas = all(schemas);
                let fitting = schemas.iter().filter(|s| self.fits(s, value).is_ok());
                fitting.count()
            };
            match keyword.as_str() {
                "$schema" | "$id" | "$defs" | "definitions" | "title" | "description"
                | "default" => {}
                // Formats are remarks unless one asks for more.
                "format" => {}
                "pattern" => {
                    let pattern = rule.as_str().and_then(|r| regex::Regex::new(r).ok());
                    let pattern = pattern.expect("a pattern");
                    if value.as_str().is_some_and(|text| !pattern.is_match(text)) {
                        return wrong();
                    }
                }
                "uniqueItems" => {
                    let list = value.as_array().map_or(&[][..], Vec::as_slice);
                    if *rule == true && (1..list.len()).any(|n| list[..n].contains(&list[n])) {
                        return wrong();
                    }
                }
                "$ref" => {
                    let path = rule.as_str().and_then(|r| r.strip_prefix('#'));
                    let target = path.and_then(|p| self.0.pointer(p));
                    self.fits(target.expect("it leads somewhere"), value)?;
                }
                "type" => {
                    let types = rule.as_array().cloned().unwrap_or(vec![rule.clone()]);
                    if !types.iter().any(|t| is_a(value, t)) {
                        return wrong();
                    }
                }
                "const" if value != rule => return wrong(),
                "enum" if !all(rule).contains(value) => return wrong(),
                "const" | "enum" => {}
                "minimum" if value.is_number() && value.as_f64() < rule.as_f64() => return wrong(),
                "minItems" if value.is_array() && length(value) < rule.as_u64() => return wrong(),
                "maxItems" if length(value) > rule.as_u64() => return wrong(),
                "maximum" if value.is_number() && value.as_f64() > rule.as_f64() => return wrong(),
                "minimum" | "maximum" | "minItems" | "maxItems" => {}
                "required" => {
                    let name = |n: &Value| n.as_str().expect("a name").to_owned();
                    if value.is_object() && all(rule).iter().any(|n| value.get(name(n)).is_none()) {
                        return wrong();
                    }
                }
                "properties" => {
                    for (name, inner) in value.as_object().into_iter().flatten() {
                        if let Some(rule) = rule.get(name) {
                            self.fits(rule, inner)?;
                        }
                    }
                }
                "additionalProperties" => {
                    let known = schema.get("properties");
                    let known = |name: &String| known.is_some_and(|p| p.get(name).is_some());
                    let others = value.as_object().into_iter().flatten();
                    for (_, inner) in others.filter(|(name, _)| !known(name)) {
                        match rule {
                            Value::Bool(true) => {}
                            Value::Bool(false) => return wrong(),
                            rule => self.fits(rule, inner)?,
                        }
                    }
                }
                "items" => {
                    for item in value.as_array().into_iter().flatten() {
                        self.fits(rule, item)?;
                    }
                }
                "anyOf" if fit(rule) == 0 => return wrong(),
                "oneOf" if fit(rule) != 1 => return wrong(),
                "anyOf" | "oneOf" => {}
                "allOf" => {
                    for part in all(rule) {
                        self.fits(&part, value)?;
                    }
                }
                "if" if self.fits(rule, value).is_ok() => self.fits(&schema["then"], value)?,
                "if" | "then" => {}
                _ => panic!("the keyword {keyword} is not known here"),
            }
        }
        Ok(())
    }
}

fn is_a(value: &Value, kind: &Value) -> bool {
    match kind.as_str().expect("the name of a type") {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("the type {other} is not known here"),
    }
}

fn length(value: &Value) -> Option<u64> {
    value.as_array().map(|list| list.len() as u64)
}

fn cwolf(folder: &Path, line: &str) -> (i32, String) {
    let output = Command::new("sh")
        .args(["-c", &format!("exec {CWOLF} -q {line}")])
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .env_remove("CC")
        .output()
        .expect("cwolf runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    (output.status.code().unwrap_or(-1), text)
}

#[test]
fn every_answer_is_as_the_schema_says() {
    let schema = Schema::read(&top().join("docs/report.schema.json"));
    let folder = scratch("schemas");
    for (name, text) in FILES {
        fs::write(folder.join(name), text).expect("a file");
    }
    std::os::unix::fs::symlink(top().join("examples"), folder.join("examples")).expect("a link");
    let mut seen = Vec::new();
    let mut wrong = String::new();
    for (line, exit) in COMMANDS {
        // The address of a page is on standard output in any case.
        let ways = if line.starts_with("view") { 1 } else { 2 };
        for to in ["out.json", "-"].into_iter().take(ways) {
            let (code, stdout) = cwolf(&folder, &format!("--json {to} {line}"));
            let text = match to {
                "-" => stdout,
                file => fs::read_to_string(folder.join(file)).unwrap_or_default(),
            };
            let Ok(document) = serde_json::from_str::<Value>(&text) else {
                wrong += &format!("{line} (to {to}): no JSON: {text}\n");
                continue;
            };
            if let Err(error) = schema.check(&document) {
                wrong += &format!("{line} (to {to}): {error}\n{document:#}\n");
            }
            if code != exit || document["exit"] != exit {
                wrong += &format!("{line} (to {to}): exit {code}, not {exit}: {document:#}\n");
            }
            let failed = document["result"].is_null();
            if failed && document["messages"].as_array().is_none_or(Vec::is_empty) {
                wrong += &format!("{line} (to {to}): neither a result nor a message\n");
            }
            seen.push(document["command"].as_str().unwrap_or_default().to_owned());
        }
        let _ = fs::remove_file(folder.join("out.json"));
    }
    assert!(wrong.is_empty(), "{wrong}");
    // No command of the schema is left out here.
    let text = fs::read_to_string(top().join("docs/report.schema.json")).expect("read above");
    let text: Value = serde_json::from_str(&text).expect("JSON");
    let commands = text["properties"]["command"]["enum"].as_array();
    for command in commands.expect("a list").iter().filter_map(Value::as_str) {
        let elsewhere = ["schema", "install-links"].contains(&command);
        assert!(elsewhere || seen.iter().any(|s| s == command), "{command}");
    }
}

#[test]
fn the_schema_refuses_what_is_wrong() {
    let schema = Schema::read(&top().join("docs/report.schema.json"));
    let folder = scratch("schemas-wrong");
    let (_, text) = cwolf(&folder, "--json - completions bash");
    let good: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(schema.check(&good), Ok(()));
    for (member, value) in [
        ("schema", json!(2)),
        ("command", json!("lts")),
        ("exit", json!("0")),
        ("result", json!({ "output": null })),
        (
            "messages",
            json!([{ "severity": "worse", "text": "", "place": null, "hint": null }]),
        ),
    ] {
        let mut bad = good.clone();
        bad[member] = value;
        assert!(schema.check(&bad).is_err(), "{member}");
    }
}

#[test]
fn the_schema_of_the_project_file_is_current() {
    let path = top().join("docs/cwolf.schema.json");
    let (_, now) = cwolf(&top(), "schema project");
    if std::env::var_os("CWOLF_BLESS").is_some() {
        fs::write(&path, &now).expect("written");
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    let advice = "CWOLF_BLESS=1 cargo test -p cwolf schemas writes it";
    assert!(committed == now, "docs/cwolf.schema.json is old: {advice}");
    let schema = Schema::read(&path);
    for (text, fits) in [
        (
            "[model]\ninputs = [\"a.c\"]\nmax-states = 7\npeep = true\ntimeout = \"2m\"\n",
            true,
        ),
        (
            "[verify]\ninputs = \"a.c\"\nproperty = [\"bounds\"]\njson = \"out.json\"\n",
            true,
        ),
        ("[lts.reduce]\nequivalence = \"weak\"\n", true),
        ("[modle]\n", false),
        ("[model]\nlabel = \"x.lm\"\n", false),
        ("[model]\npeep = 1\n", false),
        ("[model]\nformat = \"word\"\n", false),
    ] {
        let table: toml::Table = text.parse().expect("TOML");
        let value = serde_json::to_value(table).expect("JSON");
        assert_eq!(schema.check(&value).is_ok(), fits, "{text}");
    }
}

/// `.ci/run` gets the schema that OASIS publishes; it is not ours to keep.
#[test]
#[allow(clippy::print_stderr)]
fn sarif_is_as_its_published_schema_says() {
    let Some(path) = std::env::var_os("CWOLF_SARIF_SCHEMA") else {
        eprintln!("skipped: CWOLF_SARIF_SCHEMA does not name the schema of SARIF 2.1.0");
        return;
    };
    let schema = Schema::read(Path::new(&path));
    let folder = scratch("sarif");
    let examples = top().join("examples");
    let (rules, bugs) = (examples.join("rules"), examples.join("bugs"));
    let (rules, bugs) = (rules.display(), bugs.display());
    for (program, exit) in [
        (format!("{rules}/lock_bad.c --spec {rules}/lock.aut"), 10),
        (format!("{rules}/lock_good.c --spec {rules}/lock.aut"), 0),
        (format!("{bugs}/use_after_free.c --timeout 0s"), 5),
    ] {
        let (code, _) = cwolf(&folder, &format!("verify {program} --sarif out.sarif"));
        assert_eq!(code, exit, "{program}");
        let text = fs::read_to_string(folder.join("out.sarif")).expect("a report");
        let mut document: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(schema.check(&document), Ok(()), "{program}");
        document["runs"][0]["results"][0]["level"] = json!("worst");
        assert!(schema.check(&document).is_err(), "{program}");
    }
}
