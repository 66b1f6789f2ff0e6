//! The files of a project, compiled, and the programs that they make.

use crate::args::{Inputs, Scan};
use crate::inputs;
use crate::output;
use crate::render::Console;
use anyhow::{Context, Result, bail};
use cwolf_cwi::{Program, file, link};
use cwolf_prepare::contract::contracts;
use cwolf_scan::intercept::Interceptor;
use cwolf_scan::{Archive, Work, functions, pull};
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is scanned.
pub struct Project {
    /// The questions.
    pub work: Work,
    /// The linked programs, as files.
    pub programs: Vec<PathBuf>,
    /// The C files of each, as a command line names them.
    pub sources: Vec<String>,
    /// The names of programs with a `main`.
    pub targets: Vec<String>,
    /// The C files.
    pub files: Vec<PathBuf>,
    /// Files that could not be read.
    pub left_out: Vec<(String, String)>,
}

impl Project {
    /// Compiles all files, and links one program around each.
    pub fn load(
        args: &Scan,
        build: Option<&Path>,
        folder: &Path,
        console: &Console,
    ) -> Result<Project> {
        let inputs = inputs_of(args, build)?;
        let mut seen = HashSet::new();
        let mut left_out = Vec::new();
        let mut parts: Vec<(PathBuf, Program)> = Vec::new();
        for (path, program) in inputs::load_each(&inputs, console)? {
            // A file that is compiled twice, as for a shared library, counts once.
            if !seen.insert(path.clone()) {
                continue;
            }
            match program {
                Ok(program) => parts.push((path, program)),
                Err(error) => left_out.push((path.display().to_string(), format!("{error:#}"))),
            }
        }
        if parts.is_empty() {
            let why: Vec<&str> = left_out.iter().map(|(_, why)| why.as_str()).collect();
            bail!("no C file could be read: {}", why.join("; "));
        }
        let files: Vec<PathBuf> = parts.iter().map(|(path, _)| path.clone()).collect();
        let archive = Archive::new(parts.iter().map(|(_, p)| p));
        let mains = archive.mains();
        let stem = |n: usize| {
            files[n]
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned()
        };
        for name in &args.target {
            if !mains.iter().any(|n| stem(*n) == *name) {
                let known: Vec<String> = mains.iter().map(|n| stem(*n)).collect();
                bail!(
                    "there is no program `{name}`; there are: {}",
                    known.join(", ")
                );
            }
        }
        let chosen: Vec<usize> = match args.target.is_empty() {
            true => (0..files.len()).collect(),
            false => {
                let wanted = mains.iter().filter(|n| args.target.contains(&stem(**n)));
                let all: BTreeSet<usize> = wanted.flat_map(|n| pull(&archive, *n)).collect();
                all.into_iter().collect()
            }
        };
        let mut project = Project {
            work: Work::default(),
            programs: Vec::new(),
            sources: Vec::new(),
            targets: Vec::new(),
            files: files.clone(),
            left_out,
        };
        let names: Vec<String> = files.iter().map(|p| p.display().to_string()).collect();
        let mut known = HashSet::new();
        for n in chosen {
            let members = pull(&archive, n);
            let program = together(&parts, &members);
            let others: Vec<&str> = names
                .iter()
                .map(String::as_str)
                .filter(|o| *o != names[n])
                .collect();
            let written = contracts(&program, |file| {
                let bytes = std::fs::read(file).ok()?;
                Some(String::from_utf8_lossy(&bytes).into_owned())
            });
            let written: Vec<_> = written.iter().map(|c| (&c.function, &c.clauses)).collect();
            let found = functions(&program, &names[n], &others, &format!("{written:?}"));
            let main = found.iter().find(|f| f.name == "main").cloned();
            let at = project.programs.len();
            let wanted = |name: &String| args.function.is_empty() || args.function.contains(name);
            for function in found {
                let new = known.insert((function.place.file.clone(), function.name.clone()));
                if new && function.name != "main" && wanted(&function.name) {
                    project.work.functions.push((at, function));
                }
            }
            if let Some(main) = main.filter(|_| mains.contains(&n)) {
                project.targets.push(stem(n));
                if wanted(&main.name) {
                    project.work.mains.push((at, stem(n), main));
                }
            }
            let path = folder.join(format!("program{at}.cwi"));
            output::write_file(&path, &file::write(&program))?;
            project.programs.push(path);
            let sources = members.iter().map(|m| names[*m].as_str());
            project.sources.push(sources.collect::<Vec<_>>().join(" "));
        }
        if let Some(name) = args.function.iter().find(|name| {
            let mut all = project.work.functions.iter();
            let main = name.as_str() == "main" && !project.work.mains.is_empty();
            !main && !all.any(|(_, f)| f.name == **name)
        }) {
            bail!("there is no function `{name}` in these files");
        }
        Ok(project)
    }
    /// The names of all files that functions are in.
    pub fn texts(&self) -> BTreeSet<String> {
        let functions = self.work.functions.iter().map(|(_, f)| f);
        let mains = self.work.mains.iter().map(|(_, _, f)| f);
        functions
            .chain(mains)
            .map(|f| f.place.file.clone())
            .collect()
    }
}

/// The files as one program; the first alone, if they do not fit together.
fn together(parts: &[(PathBuf, Program)], chosen: &[usize]) -> Program {
    let all = chosen.iter().map(|n| parts[*n].1.clone()).collect();
    match link::link(all) {
        Ok(linked) => linked.program,
        Err(_) => parts[chosen[0]].1.clone(),
    }
}

/// What the paths stand for: a folder is its compile_commands.json, or all C files below it.
fn inputs_of(args: &Scan, build: Option<&Path>) -> Result<Inputs> {
    let mut c = args.c.clone();
    let mut files = Vec::new();
    let here = [PathBuf::from(".")];
    let paths: &[PathBuf] = match (build, args.paths.is_empty()) {
        (Some(_), true) => &[],
        (None, true) => &here,
        _ => &args.paths,
    };
    files.extend(build.map(Path::to_owned));
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let names = ["compile_commands.json", "build/compile_commands.json"];
        let database = names
            .iter()
            .map(|name| path.join(name))
            .find(|p| p.is_file());
        if let Some(database) = database {
            files.push(database);
            continue;
        }
        let before = files.len();
        collect(path, &mut files)?;
        if files.len() == before {
            bail!(
                "{} has no C files and no compile_commands.json; `cwolf scan -- make` finds out what a build compiles",
                path.display()
            );
        }
        let include = path.join("include");
        for dir in [path.clone(), include].into_iter().filter(|d| d.is_dir()) {
            c.include_dirs.push(dir.display().to_string());
        }
    }
    Ok(Inputs { files, c })
}

/// All C files below a folder, in order, but for hidden folders.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let shown = folder.display();
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {shown}"))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        let hidden = path
            .file_name()
            .is_some_and(|n| n.to_string_lossy().starts_with('.'));
        if path.is_dir() && !hidden && !path.is_symlink() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "c") {
            // Without the dot that stands for this folder, as people write it.
            let plain = path.strip_prefix("./").map_or(path.clone(), Path::to_owned);
            files.push(plain);
        }
    }
    Ok(())
}

/// Runs the build and finds out what it compiles.
pub fn build(command: &[String], folder: &Path, console: &Console) -> Result<PathBuf> {
    let path = std::env::var("PATH").unwrap_or_default();
    let cc = std::env::var("CC").ok();
    let interceptor = Interceptor::new(&folder.join("build"), &path, cc.as_deref())
        .context("cannot make scripts that stand for the compiler")?;
    let phase = console.phase("building");
    let output = Command::new(&command[0])
        .args(&command[1..])
        .env("PATH", interceptor.path(&path))
        .output()
        .with_context(|| format!("cannot run {}", command[0]))?;
    phase.done(&command.join(" "));
    if !output.status.success() {
        console.passed_on(&String::from_utf8_lossy(&output.stderr));
        console.warning(&format!(
            "{} failed; what it compiled before is scanned",
            command.join(" ")
        ));
    }
    let commands = interceptor
        .commands()
        .context("cannot read what the build compiled")?;
    if commands.trim() == "[]" {
        bail!(
            "{} compiled no C file; if everything is up to date, clean first (make clean), and let it call cc, gcc or clang by name",
            command.join(" ")
        );
    }
    let path = folder.join("compile_commands.json");
    output::write_file(&path, commands.as_bytes())?;
    Ok(path)
}
