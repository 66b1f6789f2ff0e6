//! From the files on the command line to CWI programs: compiled, read or parsed, then linked.

pub mod foreign;

use crate::args::{COptions, Inputs};
use crate::exit::Reported;
use crate::render::Console;
use anyhow::{Context, Result, bail};
use cwolf_base::{Severity, SourceMap};
use cwolf_cfront::{Names, Options, Preprocessor, compile_text, read_compile_commands};
use cwolf_cwi::link::{self, LinkError, LinkWarning};
use cwolf_cwi::{FuncId, Origin, Program, Target, file, text};
use cwolf_prepare::Ready;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// One C or CWI file and how to read it.
struct Unit {
    path: PathBuf,
    preprocessor: Preprocessor,
    options: Options,
}

/// The programs of all inputs, in order, with the file each came from.
pub fn load(inputs: &Inputs, console: &Console) -> Result<Vec<(PathBuf, Program)>> {
    let mut programs = Vec::new();
    let mut failed = None;
    for (path, result) in load_each(inputs, console)? {
        match result {
            Ok(program) => programs.push((path, program)),
            Err(error) if error.is::<Reported>() => failed = Some(error),
            Err(error) => {
                console.error(&format!("{error:#}"));
                failed = Some(Reported.into());
            }
        }
    }
    failed.map_or(Ok(programs), Err)
}

/// What comes of each input by itself.
pub fn load_each(inputs: &Inputs, console: &Console) -> Result<Vec<(PathBuf, Result<Program>)>> {
    let units = units(inputs)?;
    // gcc is silent about them, and then the header is missing.
    for folder in inputs
        .c
        .include_dirs
        .iter()
        .filter(|f| !Path::new(f).exists())
    {
        console.warning(&format!("there is no folder {folder}, which -I names"));
    }
    let phase = console.phase("reading");
    let progress = console.progress("compiling", units.len() as u64);
    let results: Mutex<Vec<Option<Result<Program>>>> =
        Mutex::new(units.iter().map(|_| None).collect());
    let next = AtomicUsize::new(0);
    let workers = std::thread::available_parallelism()
        .map_or(1, |n| n.get())
        .min(units.len());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(unit) = units.get(index) else { break };
                    let result = load_unit(unit, console);
                    results.lock().expect("no worker panicked")[index] = Some(result);
                    progress.inc(1);
                }
            });
        }
    });
    progress.finish_and_clear();
    let files: Vec<_> = units.iter().map(|u| u.path.display().to_string()).collect();
    phase.done(&files.join(", "));
    let results = results.into_inner().expect("no worker panicked");
    let results = results
        .into_iter()
        .map(|r| r.expect("every unit was loaded"));
    let paths = units.into_iter().map(|unit| unit.path);
    Ok(paths.zip(results).collect())
}

/// What a program of these files is called: its first argument.
pub fn program_name(inputs: &Inputs) -> Vec<u8> {
    let first = inputs.files.first().map(|file| file.with_extension(""));
    first.unwrap_or_default().into_os_string().into_vec()
}

/// What names mean in the C files among the inputs. A file that cannot be read (again) has none.
pub fn names(inputs: &Inputs, wanted: &[String]) -> Vec<Names> {
    let is_c = |unit: &Unit| {
        let extension = unit.path.extension().and_then(|e| e.to_str());
        unit.path.as_os_str() != "-" && !matches!(extension, Some("cwi" | "cwt"))
    };
    let units = units(inputs).unwrap_or_default();
    let read = |mut unit: Unit| {
        // Leaves the definitions of macros in the text.
        unit.preprocessor.args.push("-dD".into());
        let source = unit.preprocessor.run(&unit.path).ok()?;
        Some(cwolf_cfront::names(&source.text, &unit.options, wanted))
    };
    units.into_iter().filter(is_c).filter_map(read).collect()
}

/// What a program is made of, for `--json`.
pub fn describe(program: &Program) -> Value {
    let place = |loc| program.locations.describe(loc);
    let refused = program.funcs.iter().filter_map(|f| {
        let refusal = f.refused.as_ref()?;
        Some(json!({ "function": f.name, "place": place(refusal.loc), "reason": refusal.reason }))
    });
    let notes = program.notes.iter();
    let notes = notes.map(|n| json!({ "place": place(n.loc), "text": n.text }));
    json!({
        "functions": program.funcs.iter().filter(|f| f.body.is_some()).count(),
        "variables": program.vars.len(),
        "statements": statements(program),
        "refused": refused.collect::<Value>(),
        "notes": notes.collect::<Value>(),
    })
}

fn statements(program: &Program) -> usize {
    let bodies = program.funcs.iter().filter_map(|f| f.body.as_ref());
    let blocks = bodies.flat_map(|b| b.blocks.iter());
    blocks.map(|b| b.stmts.len()).sum()
}

/// The function that a program starts at.
pub fn entry(program: &Program, name: &str) -> Result<FuncId> {
    let found = program.function(name);
    match found.filter(|f| program.funcs[*f].body.is_some()) {
        Some(entry) => Ok(entry),
        None => bail!("{}", no_entry(program, name, found)),
    }
}

/// Why a program cannot start at a function, and where it could start.
fn no_entry(program: &Program, name: &str, found: Option<FuncId>) -> String {
    let defined = program.funcs.iter().any(|f| f.body.is_some());
    if found.is_some_and(|f| program.funcs[f].refused.is_some()) {
        return format!(
            "`{name}` was left out (see the warning above), so the program cannot start there"
        );
    }
    match defined {
        true => format!(
            "no function `{name}`; choose where to start with --entry: {}",
            functions(program)
        ),
        false => format!("no function `{name}`: the program defines no function"),
    }
}

/// The functions that a program defines, as a list to choose from.
pub fn functions(program: &Program) -> String {
    let defined = program.funcs.iter().filter(|f| f.body.is_some());
    // Inline functions of system headers are nobody's choice.
    let names: Vec<&str> = defined
        .map(|f| f.name.as_str())
        .filter(|n| !n.starts_with("__"))
        .collect();
    match names.len() {
        0 => "none".to_owned(),
        n if n > 20 => format!("{}, … ({n} in all)", names[..20].join(", ")),
        _ => names.join(", "),
    }
}

/// All inputs as one program.
pub fn load_linked(inputs: &Inputs, console: &Console) -> Result<Program> {
    let parts = load(inputs, console)?;
    let mut seen = HashSet::new();
    if let Some((twice, _)) = parts.iter().find(|(path, _)| !seen.insert(path)) {
        bail!("{} is given twice; name each file once", twice.display());
    }
    if let Some(((first, a), (other, b))) = mixed_targets(&parts) {
        bail!(
            "{} is compiled for {a} and {} for {b}; compile all files for one target",
            first.display(),
            other.display(),
        );
    }
    let parts = parts.into_iter().map(|(_, program)| program).collect();
    let linked = told(link::link(parts), console)?;
    warn(&linked.warnings, console);
    tell_size(&linked.program, console);
    Ok(linked.program)
}

type Compiled<'a> = (&'a Path, &'static str);

/// Two files that do not fit together, with the machine each is compiled for.
fn mixed_targets(parts: &[(PathBuf, Program)]) -> Option<(Compiled<'_>, Compiled<'_>)> {
    fn describe((path, program): &(PathBuf, Program)) -> Compiled<'_> {
        (path, program.target().name)
    }
    let first = parts.first()?;
    let other = parts.iter().find(|(_, p)| p.target() != first.1.target())?;
    Some((describe(first), describe(other)))
}

/// A program that was made ready, unless its parts do not fit together, which the user is told.
pub fn ready(made: Result<Ready, Vec<LinkError>>, console: &Console) -> Result<Ready> {
    let ready = told(made, console)?;
    warn(&ready.warnings, console);
    if ready
        .program
        .funcs
        .iter()
        .any(|f| f.origin == Origin::Model)
    {
        tell_size(&ready.program, console);
    }
    Ok(ready)
}

fn told<T>(linked: Result<T, Vec<LinkError>>, console: &Console) -> Result<T> {
    linked.map_err(|errors| {
        for error in &errors {
            console.error(&error.to_string());
        }
        Reported.into()
    })
}

fn warn(warnings: &[LinkWarning], console: &Console) {
    for warning in warnings {
        console.warning(&warning.to_string());
    }
}

fn tell_size(program: &Program, console: &Console) {
    let functions = program.funcs.iter().filter(|f| f.body.is_some()).count();
    console.detail(&format!(
        "the program: {functions} functions, {} statements",
        statements(program)
    ));
}

/// The files that are read: those of a compile_commands.json instead of itself.
pub fn sources(inputs: &Inputs) -> Result<Vec<PathBuf>> {
    Ok(units(inputs)?.into_iter().map(|u| u.path).collect())
}

/// How a compiler builds each of the files.
pub fn builds(inputs: &Inputs) -> Result<Vec<cwolf_verify::harness::Unit>> {
    let build = |unit: Unit| cwolf_verify::harness::Unit {
        path: unit.path.display().to_string(),
        flags: unit.preprocessor.args,
        directory: unit.preprocessor.directory.map(|d| d.display().to_string()),
    };
    Ok(units(inputs)?.into_iter().map(build).collect())
}

fn units(inputs: &Inputs) -> Result<Vec<Unit>> {
    let mut units = Vec::new();
    for path in &inputs.files {
        if path
            .file_name()
            .is_some_and(|n| n == "compile_commands.json")
        {
            units.extend(from_compile_commands(path, &inputs.c)?);
        } else {
            let options = language(&inputs.c)?;
            let preprocessor = Preprocessor {
                target: options.target,
                ..Preprocessor::new(flags(&inputs.c))
            };
            units.push(Unit {
                path: path.clone(),
                preprocessor,
                options,
            });
        }
    }
    Ok(units)
}

fn from_compile_commands(path: &Path, c: &COptions) -> Result<Vec<Unit>> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {shown}"))?;
    let commands = read_compile_commands(&text).with_context(|| shown.to_string())?;
    let mut units = Vec::new();
    for command in commands {
        let mut options = language(c)?;
        let mut args = command.flags();
        for flag in &args {
            options.apply_flag(flag);
        }
        args.extend(flags(c));
        let directory = Some(command.directory.clone());
        let preprocessor = Preprocessor {
            args,
            directory,
            target: options.target,
            ..Preprocessor::default()
        };
        units.push(Unit {
            path: command.path(),
            preprocessor,
            options,
        });
    }
    Ok(units)
}

/// What the command line says about the language.
pub fn language(c: &COptions) -> Result<Options> {
    let mut options = Options::default();
    if !options.apply_flag(&format!("-std={}", c.std)) {
        bail!(
            "unknown C standard `{}`: use c89, c99, c11, c17, c23 or gnu89 to gnu23",
            c.std
        );
    }
    options.error_labels = c.error_labels;
    options.target = match &c.target {
        Some(triple) => target(triple)?,
        None if c.ilp32 => Target::I386,
        None => Target::X86_64,
    };
    Ok(options)
}

/// The target that a triple means.
fn target(triple: &str) -> Result<Target> {
    let Some(target) = Target::of_triple(triple) else {
        let known = Target::ALL.map(|t| t.name).join(", ");
        bail!("unknown target `{triple}`: use a triple of {known}");
    };
    Ok(target)
}

/// What the command line says to the preprocessor.
fn flags(c: &COptions) -> Vec<String> {
    let mut flags = Vec::new();
    let lists = [
        ("-I", &c.include_dirs),
        ("-D", &c.defines),
        ("-U", &c.undefines),
        ("-include", &c.include),
    ];
    let more = [("-isystem", &c.isystem), ("-iquote", &c.iquote)];
    for (flag, values) in lists.into_iter().chain(more) {
        for value in values {
            flags.extend([flag.to_owned(), value.clone()]);
        }
    }
    if c.nostdinc {
        flags.push("-nostdinc".into());
    }
    flags.push(format!("-std={}", c.std));
    // Only x86's compilers know these; another target has a compiler of its own.
    if c.target.is_none() {
        flags.push(if c.ilp32 { "-m32" } else { "-m64" }.into());
    }
    flags
}

fn load_unit(unit: &Unit, console: &Console) -> Result<Program> {
    match unit.path.extension().and_then(|e| e.to_str()) {
        Some("cwi") => {
            let bytes = read(&unit.path)?;
            file::read(&bytes).with_context(|| unit.path.display().to_string())
        }
        Some("cwt") => parse_text(&unit.path, console),
        _ => compile(unit, console),
    }
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| foreign::unreadable(path))
}

fn parse_text(path: &Path, console: &Console) -> Result<Program> {
    let bytes = read(path)?;
    let content: std::sync::Arc<str> = String::from_utf8_lossy(&bytes).into();
    let mut sources = SourceMap::default();
    let start = sources.add(&path.display().to_string(), content.clone());
    text::parse_at(&content, start).map_err(|diagnostics| {
        console.diagnostics(&sources, diagnostics.iter());
        Reported.into()
    })
}

/// CBMC's words for contracts are no C: what they say is read from the text ([`cwolf_prepare::contract`]).
fn contract_words(path: &Path) -> Vec<String> {
    let words = [
        "requires",
        "ensures",
        "assigns",
        "frees",
        "loop_invariant",
        "decreases",
    ];
    let text = match path.as_os_str() == "-" {
        true => Vec::new(),
        false => std::fs::read(path).unwrap_or_default(),
    };
    let text = String::from_utf8_lossy(&text);
    let words = words.iter().map(|word| format!("__CPROVER_{word}"));
    let used = words.filter(|word| text.contains(word.as_str()));
    used.map(|word| format!("-D{word}(...)=")).collect()
}

fn compile(unit: &Unit, console: &Console) -> Result<Program> {
    if unit.path.as_os_str() != "-" {
        let found = std::fs::metadata(&unit.path);
        let found = found.with_context(|| foreign::unreadable(&unit.path))?;
        let shown = unit.path.display();
        if found.is_dir() {
            match unit.path.join("compile_commands.json").exists() {
                true => bail!("{shown} is a folder; give {shown}/compile_commands.json"),
                false => bail!("{shown} is a folder; give C or CWI files, such as {shown}/*.c"),
            }
        }
        let ends = unit.path.extension().and_then(|e| e.to_str());
        if let Some(ends @ ("cpp" | "cc" | "cxx" | "hpp" | "C")) = ends {
            bail!("{shown} is C++ (.{ends}), and cwolf reads C only; rename it to .c if it is C");
        }
        if let Some(why) = foreign::not_c(&unit.path)? {
            bail!("{shown} is {why}");
        }
        if cwolf_lts::Format::from_path(&unit.path).is_some() {
            bail!(
                "{shown} is a transition system by its name, not a program; `cwolf lts`, `check` \
                 and `view` take it"
            );
        }
    }
    let mut preprocessor = unit.preprocessor.clone();
    preprocessor.args.extend(contract_words(&unit.path));
    let source = preprocessor.run(&unit.path)?;
    if !source.warnings.is_empty() {
        console.passed_on(&source.warnings);
    }
    let result = compile_text(&source.name, &source.text, &unit.options);
    console.diagnostics(&result.sources, result.diagnostics.iter());
    let errors = result
        .diagnostics
        .iter()
        .filter(|d| d.severity == Severity::Error)
        .count();
    match result.program {
        Some(program) => Ok(program),
        None => {
            let plural = if errors == 1 { "error" } else { "errors" };
            let text = std::fs::read(&unit.path).unwrap_or_default();
            let help = match foreign::looks_like_cpp(&text) {
                true => "\nhelp: this looks like C++, and cwolf reads C only",
                false => "",
            };
            console.error(&format!(
                "{}: {errors} {plural}, no output{help}",
                source.name
            ));
            Err(Reported.into())
        }
    }
}
