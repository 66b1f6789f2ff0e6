//! Everything that is written besides the text: other forms of the report, witnesses, harness,
//! bundle.

use crate::args::{Verify, VerifyOutputs};
use crate::inputs;
use crate::output;
use crate::render::Console;
use anyhow::{Context, Result};
use cwolf_base::Budget;
use cwolf_cfront::Outline;
use cwolf_prepare::Subject;
use cwolf_report::{
    Input, Place, Report, Source, Told, Trace, graphml, html, junit, sarif, sha256, yaml,
};
use cwolf_validate::{loop_keyword, sees};
use cwolf_verify::portfolio::{Answer, Decision};
use cwolf_verify::summary::place_of_head;
use cwolf_verify::{bundle, harness, portfolio};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Adds what only the command knows: the files and the time.
pub fn complete(report: &mut Report, subject: &Subject, answer: &Answer, files: &[PathBuf]) {
    let mut outlines = Vec::new();
    for path in files {
        let bytes = std::fs::read(path).unwrap_or_default();
        outlines.push(cwolf_validate::Source {
            name: path.display().to_string(),
            outline: Outline::new(&bytes),
        });
        report.inputs.push(Input {
            path: path.display().to_string(),
            hash: sha256(&bytes),
        });
    }
    place_invariants(report, subject, answer, &outlines);
    let others = report
        .properties
        .iter_mut()
        .filter_map(|p| p.trace.as_mut());
    for trace in report.trace.iter_mut().chain(others) {
        place_returns(trace, &outlines);
    }
    let others = report.properties.iter().filter_map(|p| p.trace.as_ref());
    let steps = report.trace.iter().chain(others).flat_map(|t| &t.steps);
    let places = steps
        .map(|s| &s.place)
        .chain(report.invariants.iter().map(|i| &i.place))
        .chain(report.properties.iter().map(|p| &p.place));
    let mut names: Vec<&str> = Vec::new();
    for place in places {
        if !names.contains(&place.file.as_str()) {
            names.push(&place.file);
        }
    }
    let read = |name: &&str| {
        let bytes = std::fs::read(name).ok()?;
        Some(Source {
            name: (*name).into(),
            text: String::from_utf8_lossy(&bytes).into_owned(),
        })
    };
    report.sources = names.iter().filter_map(read).collect();
    report.created = now();
}

/// Finds the keywords of the loops that invariants belong to.
fn place_invariants(
    report: &mut Report,
    subject: &Subject,
    answer: &Answer,
    sources: &[cwolf_validate::Source],
) {
    let Decision::Safe { invariants } = &answer.decision else {
        return;
    };
    let program = &subject.program;
    for told in &mut report.invariants {
        let own = |i: &&cwolf_engines::Invariant| {
            let same = place_of_head(program, i.func, i.block);
            i.text == told.condition && same.as_ref() == Some(&told.place)
        };
        let Some(found) = invariants.iter().find(own) else {
            continue;
        };
        let at = loop_keyword(program, sources, found.func, found.block);
        let Some(at) = at else { continue };
        told.told = match sees(program, sources, found.func, &at, &told.condition) {
            true => Told::Loop(Place {
                file: at.file,
                line: at.line,
                column: at.column.unwrap_or(0),
            }),
            false => Told::Nowhere,
        };
    }
}

/// Finds the parentheses that close the calls that values came from: there witnesses say what is returned.
fn place_returns(trace: &mut Trace, sources: &[cwolf_validate::Source]) {
    for returned in &mut trace.returned {
        let Some(source) = sources.iter().find(|s| s.name == returned.place.file) else {
            continue;
        };
        let at = (returned.place.line, returned.place.column);
        if let Some(call) = source.outline.calls.iter().find(|c| c.at == at) {
            (returned.place.line, returned.place.column) = call.close;
            returned.closes = true;
        }
    }
}

/// The time in UTC; `SOURCE_DATE_EPOCH` fixes it, for reproducible files.
fn now() -> String {
    let fixed = std::env::var("SOURCE_DATE_EPOCH").ok();
    let fixed = fixed.and_then(|text| text.parse().ok());
    let seconds: u64 = fixed.unwrap_or_else(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        now.map_or(0, |d| d.as_secs())
    });
    let (days, rest) = (seconds / 86400, seconds % 86400);
    // Days since 1 March of year 0, in eras of 400 years: the leap day comes last in a year.
    let z = days + 719_468;
    let (era, day_of_era) = (z / 146_097, z % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, carry) = match month < 10 {
        true => (month + 3, 0),
        false => (month - 9, 1),
    };
    let year = year_of_era + era * 400 + carry;
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Where a rendering goes, if it is asked for.
type Wanted<'a, T> = (&'a Option<PathBuf>, fn(&Report) -> T);

/// Writes what was asked for.
pub fn write(
    report: &Report,
    subject: &Subject,
    answer: &Answer,
    args: &Verify,
    console: &Console,
) -> Result<()> {
    let wanted = &args.outputs;
    let forms: [Wanted<'_, String>; 3] = [
        (&wanted.sarif, sarif),
        (&wanted.junit, junit),
        (&wanted.html, html),
    ];
    for (path, form) in forms {
        if let Some(path) = path {
            output::write_file(path, form(report).as_bytes())?;
        }
    }
    let witnesses: [Wanted<'_, Option<String>>; 2] =
        [(&wanted.witness, yaml), (&wanted.graphml, graphml)];
    for (path, form) in witnesses {
        let Some(path) = path else { continue };
        match form(report) {
            Some(text) => output::write_file(path, text.as_bytes())?,
            None => remove_old(path, console),
        }
    }
    if let Some(path) = &wanted.predicates_out {
        output::write_file(path, predicates(report).as_bytes())?;
    }
    if let Some(folder) = &wanted.harness {
        match &answer.decision {
            Decision::Unsafe(run) => {
                let here = std::env::current_dir().unwrap_or_default();
                let task = harness::Task {
                    subject,
                    run,
                    units: &inputs::builds(&args.inputs)?,
                    folder: here.display().to_string(),
                    repeat: report
                        .trace
                        .as_ref()
                        .and_then(|t| t.repeat.clone())
                        .unwrap_or_default(),
                };
                write_folder(folder, &harness::harness(&task))?;
            }
            _ => console.warning("there is no failing run, so there is no harness"),
        }
    }
    if let (Some(unconfirmed), Decision::Unknown(_)) =
        (answer.unconfirmed.first(), &answer.decision)
    {
        let files = bundle::bundle(subject, unconfirmed);
        write_folder(&wanted.bundle, &files)?;
        let folder = wanted.bundle.display();
        console.warning(&match &unconfirmed.doubt {
            Some(doubt) => format!(
                "{} found a failure that the interpreter does not confirm, so it may not be real \
                 ({doubt}); what is known of it is in {folder}",
                unconfirmed.engine
            ),
            None => format!(
                "{} found a failure that does not replay: this is a bug in cwolf; please send us {folder}",
                unconfirmed.engine
            ),
        });
    }
    Ok(())
}

/// There is no verdict: removes witnesses of earlier runs.
pub fn remove_witnesses(wanted: &VerifyOutputs, console: &Console) {
    for path in [&wanted.witness, &wanted.graphml].into_iter().flatten() {
        remove_old(path, console);
    }
}

/// A witness of an earlier run must not be taken for one of this run.
fn remove_old(path: &Path, console: &Console) {
    if std::fs::remove_file(path).is_ok() {
        console.warning(&format!(
            "there is no verdict, so the old witness {} was removed",
            path.display()
        ));
    }
}

fn write_folder(folder: &Path, files: &[(&'static str, Vec<u8>)]) -> Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    for (name, bytes) in files {
        let path = folder.join(name);
        output::write_file(&path, bytes)?;
        if name.ends_with(".sh") {
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            std::fs::set_permissions(&path, mode)
                .with_context(|| format!("cannot make {} executable", path.display()))?;
        }
    }
    Ok(())
}

/// The predicates of a report as a file of predicates: each function with those that are tracked in it.
fn predicates(report: &Report) -> String {
    let mut by_function: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for predicate in &report.predicates {
        let list = by_function.entry(&predicate.function).or_default();
        if !list.contains(&predicate.condition.as_str()) {
            list.push(&predicate.condition);
        }
    }
    let section = |(function, list): (&str, Vec<&str>)| {
        format!("{function} {{\n  {}\n}}\n", list.join(",\n  "))
    };
    by_function.into_iter().map(section).collect()
}

/// Writes the transition system, if the program has one.
pub(super) fn write_aiger(
    path: &Path,
    subject: &Subject,
    budget: &Budget,
    console: &Console,
) -> Result<()> {
    let system = match cwolf_engines::aiger::system(&portfolio::task(subject), budget) {
        Ok(system) => system,
        Err(why) => {
            console.warning(&format!("no transition system is written: {why}"));
            remove_old(path, console);
            return Ok(());
        }
    };
    let comment = format!(
        "The output `wrong` is 1 in a step in which {} goes wrong.\nWritten by cwolf {}.",
        subject.entry_name,
        env!("CARGO_PKG_VERSION")
    );
    let text = path.extension().is_some_and(|e| e == "aag");
    let bytes = match text {
        true => system.ascii(&comment),
        false => system.binary(&comment),
    };
    output::write_file(path, &bytes)?;
    let [inputs, latches, _, gates] = system.size();
    console.detail(&format!(
        "{}: {inputs} inputs, {latches} latches, {gates} gates",
        path.display()
    ));
    Ok(())
}
