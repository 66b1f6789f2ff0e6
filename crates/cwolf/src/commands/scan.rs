//! `cwolf scan`: a project, function by function.

mod asker;
mod project;

use crate::args::{FailOn, Scan};
use crate::exit::{DONE, Exit, UNKNOWN, VIOLATED};
use crate::output;
use crate::render::Console;
use anyhow::{Context, Result, bail};
use asker::Asker;
use cwolf_base::Budget;
use cwolf_scan::cache::{Cache, usual_folder};
use cwolf_scan::{Class, Suppressions, baseline, classify, fingerprints, render};
use project::Project;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

pub fn run(args: &Scan, console: &Console) -> Result<Exit> {
    let folder = Temporary::new()?;
    let build = match args.build.is_empty() {
        true => None,
        false => Some(project::build(&args.build, &folder.0, console)?),
    };
    loop {
        let (exit, files) = once(args, build.as_deref(), &folder.0, console)?;
        if !args.watch {
            return Ok(exit);
        }
        console.note("waiting for a file to change; Ctrl-C ends");
        if !wait_for_change(&files, console) {
            return Ok(exit);
        }
    }
}

/// One scan; the files that it read.
fn once(
    args: &Scan,
    build: Option<&Path>,
    folder: &Path,
    console: &Console,
) -> Result<(Exit, Vec<PathBuf>)> {
    let started = Instant::now();
    let budget = args.limits.budget(console);
    let project = Project::load(args, build, folder, console)?;
    if project.work.functions.is_empty() && project.work.mains.is_empty() {
        bail!("there are no functions to check; name C files, a folder or a compile_commands.json");
    }
    let asker = Asker::new(args, &project, folder, cache(args), &budget, console)?;
    let jobs = args.jobs.map_or_else(processors, usize::from);
    let outcome = cwolf_scan::run(&project.work, jobs, &asker);
    asker.finish();
    let mut scan = cwolf_scan::Scan {
        targets: project.targets.clone(),
        rows: classify(&outcome.told, &outcome.programs),
        left_out: project.left_out.clone(),
        partial: outcome.partial,
        seconds: (started.elapsed().as_secs_f64() * 1000.0).round() / 1000.0,
    };
    let root = std::env::current_dir().unwrap_or_default();
    let root = root.display().to_string();
    fingerprints(&mut scan.rows, &root);
    let mut comments = Suppressions::default();
    for name in project.texts() {
        let text = std::fs::read(&name).unwrap_or_default();
        comments.add(&name, &String::from_utf8_lossy(&text));
    }
    comments.mark(&mut scan.rows);
    if let Some(path) = &args.baseline {
        let shown = path.display();
        let text = std::fs::read_to_string(path).with_context(|| {
            format!("cannot read the baseline {shown}; --write-baseline {shown} makes one")
        })?;
        let known = baseline::read(&text).with_context(|| shown.to_string())?;
        baseline::mark(&mut scan, &known);
    }
    write(args, &scan, &root)?;
    let text = below(&root, &render::text(&scan, console.is_verbose()));
    console.print(None, text.as_bytes())?;
    console.result(render::json(&scan));
    Ok((exit(args, &scan), project.files))
}

fn write(args: &Scan, scan: &cwolf_scan::Scan, root: &str) -> Result<()> {
    let outputs = &args.outputs;
    if let Some(path) = &args.write_baseline {
        output::write_file(path, baseline::write(scan).as_bytes())?;
    }
    if let Some(path) = &outputs.html {
        output::write_file(path, below(root, &render::html(scan)).as_bytes())?;
    }
    if let Some(path) = &outputs.sarif {
        output::write_file(path, render::sarif(scan, root).as_bytes())?;
    }
    if let Some(path) = &outputs.junit {
        output::write_file(path, render::junit(scan).as_bytes())?;
    }
    Ok(())
}

/// The text with paths from the current folder: a database of compile commands names files by their whole path.
fn below(root: &str, text: &str) -> String {
    text.replace(&format!("{root}/"), "")
}

/// Ten for new findings that count; else five if time was over.
fn exit(args: &Scan, scan: &cwolf_scan::Scan) -> Exit {
    let findings = scan.rows.iter().flat_map(|row| &row.findings);
    let mut new = findings.filter(|f| !f.suppressed && !f.known);
    let least = match args.fail_on {
        FailOn::Real => Class::Real,
        FailOn::Likely => Class::Likely,
        FailOn::Conditional => Class::Conditional,
    };
    let counts = new.any(|f| f.class >= least);
    match (counts, scan.partial) {
        (true, _) => VIOLATED,
        (false, true) => UNKNOWN,
        (false, false) => DONE,
    }
}

fn cache(args: &Scan) -> Option<Cache> {
    if args.no_cache {
        return None;
    }
    let folder = args.cache.clone().or_else(usual_folder)?;
    Some(Cache::new(&folder))
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Waits until a file is written, made or removed; false if the user has had enough.
fn wait_for_change(files: &[PathBuf], console: &Console) -> bool {
    let budget = console.watch(Budget::unlimited());
    let times = || -> Vec<Option<SystemTime>> {
        let time = |p: &PathBuf| std::fs::metadata(p).and_then(|m| m.modified()).ok();
        files.iter().map(time).collect()
    };
    let before = times();
    loop {
        std::thread::sleep(Duration::from_millis(300));
        if budget.check(0).is_err() {
            return false;
        }
        if times() != before {
            return true;
        }
    }
}

/// A folder that goes away with its contents.
struct Temporary(PathBuf);

impl Temporary {
    fn new() -> Result<Temporary> {
        let name = format!("cwolf-scan-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        Ok(Temporary(folder))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
