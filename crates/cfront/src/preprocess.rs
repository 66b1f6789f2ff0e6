//! From a file to text that the lexer reads: runs the system's preprocessor, which knows its
//! own headers better than anyone.

mod commands;
mod flags;
mod json;
mod text;

use cwolf_cwi::Target;
use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use thiserror::Error;

pub use commands::{CommandsError, CompileCommand, read_compile_commands};
pub use flags::{preprocessor_flags, split_command, standard_flag};
pub(crate) use text::{decode, raw_byte};

/// Source text larger than this is refused: no C file is, and its tokens would fill the memory.
const MAX_BYTES: u64 = 1 << 28;

/// How to preprocess.
#[derive(Clone, Debug, Default)]
pub struct Preprocessor {
    /// The command, such as `gcc` or `ccache clang`; if `None`, `$CC`, `gcc`, `clang` or `cc`,
    /// whichever comes first. For another machine, its cross compilers.
    pub cc: Option<String>,
    /// The machine whose headers and macros are asked for.
    pub target: Target,
    /// Flags for it: `-I`, `-D`, `-std=`, `-m32`, ….
    pub args: Vec<String>,
    /// The directory to run it in, against which relative paths among the flags are read.
    pub directory: Option<PathBuf>,
}

/// A preprocessed file.
#[derive(Clone, Debug)]
pub struct Preprocessed {
    /// The name of the file as it was given.
    pub name: String,
    /// Its text, as the preprocessor wrote it: mostly UTF-8, but not always.
    pub text: Vec<u8>,
    /// What the preprocessor said although it succeeded.
    pub warnings: String,
}

/// What to do about what the preprocessor said.
fn advice(stderr: &str) -> &'static str {
    if lacks_cpp_header(stderr) {
        return "help: this is a header of C++, and cwolf reads C only";
    }
    // gcc and clang, in English.
    match stderr.contains(": No such file or directory") || stderr.contains("file not found") {
        true => {
            "help: say where headers are with -I DIR, or name a compile_commands.json; `cwolf scan -- make` finds out what a build uses"
        }
        false => "",
    }
}

/// Whether a header is missing that has no suffix: all of C++'s own are called like that, and none of C's.
fn lacks_cpp_header(stderr: &str) -> bool {
    let missing = stderr.lines().filter_map(|line| {
        let name = line.split("fatal error: ").nth(1)?;
        let gcc = name.strip_suffix(": No such file or directory");
        gcc.or_else(|| name.strip_prefix('\'')?.strip_suffix("' file not found"))
    });
    let mut missing = missing.peekable();
    missing.peek().is_some() && missing.all(|name| !name.contains(['.', '/']))
}

/// Why there is no preprocessed text.
#[derive(Debug, Error)]
pub enum PreprocessError {
    /// There is no C compiler to preprocess with.
    #[error(
        "no C preprocessor found (tried {tried}); install {install}, set CC, or give a preprocessed `.i` file"
    )]
    NoPreprocessor {
        /// The commands that were tried.
        tried: String,
        /// What would be one.
        install: String,
    },
    /// The preprocessor found mistakes.
    #[error("`{command}` could not preprocess {name}:\n{stderr}{}", advice(stderr))]
    Failed {
        /// The command that was run.
        command: String,
        /// The file.
        name: String,
        /// What it said.
        stderr: String,
    },
    /// A file or process could not be read.
    #[error("cannot read {name}: {source}")]
    Io {
        /// The file.
        name: String,
        /// Why.
        source: io::Error,
    },
    /// The text is too large.
    #[error("{name} has more than {} MiB of text", MAX_BYTES >> 20)]
    TooLarge {
        /// The file.
        name: String,
    },
}

/// What one run of the preprocessor gave.
struct Run {
    success: bool,
    stdout: Vec<u8>,
    stderr: String,
}

impl Preprocessor {
    /// A preprocessor with these flags.
    pub fn new(args: Vec<String>) -> Preprocessor {
        Preprocessor {
            args,
            ..Preprocessor::default()
        }
    }

    /// The preprocessed text of the file at `path`; `-` is standard input. A `.i` file is read as
    /// it is.
    pub fn run(&self, path: &Path) -> Result<Preprocessed, PreprocessError> {
        let name = path.display().to_string();
        if path.extension() == Some(OsStr::new("i")) {
            return Ok(Preprocessed {
                text: self.read(path, &name)?,
                name,
                warnings: String::new(),
            });
        }
        let candidates = self.candidates();
        for cc in &candidates {
            let Some(run) = self.attempt(cc, path, &name, &[])? else {
                continue;
            };
            let run = match run {
                // Standard input is gone after the first attempt.
                run if !run.success && name != "-" && self.lacks_headers(&run) => {
                    self.with_32_bit_stubs(cc, path, &name)?.unwrap_or(run)
                }
                run => run,
            };
            if !run.success {
                return Err(PreprocessError::Failed {
                    command: cc.join(" "),
                    name,
                    stderr: run.stderr,
                });
            }
            return Ok(Preprocessed {
                text: run.stdout,
                name,
                warnings: run.stderr,
            });
        }
        let names: Vec<_> = candidates.iter().map(|cc| cc.join(" ")).collect();
        Err(PreprocessError::NoPreprocessor {
            tried: names.join(", "),
            install: match self.target.is_x86 {
                true => "gcc".into(),
                false => format!("gcc for {} or clang", self.target.triple),
            },
        })
    }

    fn read(&self, path: &Path, name: &str) -> Result<Vec<u8>, PreprocessError> {
        let io = |source| PreprocessError::Io {
            name: name.to_owned(),
            source,
        };
        let path = match &self.directory {
            Some(directory) => directory.join(path),
            None => path.to_owned(),
        };
        let file = std::fs::File::open(path).map_err(io)?;
        let mut bytes = Vec::new();
        file.take(MAX_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(io)?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(PreprocessError::TooLarge {
                name: name.to_owned(),
            });
        }
        Ok(bytes)
    }

    /// The commands to try, each split into words. A command that the user named is the only one.
    fn candidates(&self) -> Vec<Vec<String>> {
        let named = self.cc.clone().or_else(|| std::env::var("CC").ok());
        let named = named.map(|cc| split_command(&cc));
        match named.filter(|words| !words.is_empty()) {
            // `$CC` may well be the compiler for this machine, whose macros would be wrong.
            Some(words) if self.target.is_x86 || words[0].contains(self.target.name) => vec![words],
            _ if !self.target.is_x86 => {
                let words = self.target.compiler.iter().copied().map(String::from);
                let clang = ["clang".into(), format!("--target={}", self.target.triple)];
                vec![words.collect(), clang.into()]
            }
            _ => ["gcc", "clang", "cc"].map(|cc| vec![cc.into()]).into(),
        }
    }

    /// Runs one command; `None` if it does not exist.
    fn attempt(
        &self,
        cc: &[String],
        path: &Path,
        name: &str,
        more: &[&OsStr],
    ) -> Result<Option<Run>, PreprocessError> {
        let mut command = Command::new(&cc[0]);
        command
            .args(&cc[1..])
            .arg("-E")
            .args(self.args.iter().map(|arg| flags::portable(arg)))
            .args(more)
            // A path that starts with `-` is no flag, and any ending is C.
            .args(["-x", "c"])
            .arg(match path.as_os_str().as_encoded_bytes() {
                b"-" => path.to_owned(),
                [b'-', ..] => Path::new(".").join(path),
                _ => path.to_owned(),
            })
            .env("LC_ALL", "C")
            .stdin(if name == "-" {
                Stdio::inherit()
            } else {
                Stdio::null()
            })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        let io = |source| PreprocessError::Io {
            name: name.to_owned(),
            source,
        };
        let mut child = match command.spawn() {
            Ok(child) => child,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(io(error)),
        };
        // Both pipes must be emptied at once, or the child may wait for us for ever.
        let mut stderr = child.stderr.take().expect("stderr is piped");
        let errors = std::thread::spawn(move || {
            let mut text = Vec::new();
            // What could be read is all there is to show.
            let _ = stderr.by_ref().take(1 << 20).read_to_end(&mut text);
            let _ = io::copy(&mut stderr, &mut io::sink());
            String::from_utf8_lossy(&text).into_owned()
        });
        let mut bytes = Vec::new();
        let stdout = child.stdout.take().expect("stdout is piped");
        let read = stdout.take(MAX_BYTES + 1).read_to_end(&mut bytes);
        let too_large = bytes.len() as u64 > MAX_BYTES;
        if too_large {
            // It may have ended by itself meanwhile.
            let _ = child.kill();
        }
        let status = child.wait().map_err(io)?;
        let stderr = errors.join().unwrap_or_default();
        read.map_err(io)?;
        if too_large {
            return Err(PreprocessError::TooLarge {
                name: name.to_owned(),
            });
        }
        Ok(Some(Run {
            success: status.success(),
            stdout: bytes,
            stderr,
        }))
    }

    /// Whether a 32-bit run failed because the system has only 64-bit headers.
    fn lacks_headers(&self, run: &Run) -> bool {
        let missing = run.stderr.contains("No such file or directory")
            || run.stderr.contains("file not found");
        let theirs = ["gnu/stubs-32.h", "bits/", "sys/", "asm/", "gnu/"];
        self.args.iter().any(|arg| arg == "-m32")
            && missing
            && theirs.iter().any(|header| run.stderr.contains(header))
    }

    /// Preprocesses for 32 bits with the 64-bit system's headers. They serve both: sizes come
    /// from the compiler's own macros, which `-m32` sets. Two things are in the way: Debian's
    /// directory of 64-bit headers is not searched, so it is added at the end, and glibc's
    /// `gnu/stubs-32.h` is absent, so an empty one stands in (it would only list functions that
    /// do nothing).
    fn with_32_bit_stubs(
        &self,
        cc: &[String],
        path: &Path,
        name: &str,
    ) -> Result<Option<Run>, PreprocessError> {
        let io = |source| PreprocessError::Io {
            name: name.to_owned(),
            source,
        };
        let stubs = Stubs::create().map_err(io)?;
        let mut more = vec![OsStr::new("-idirafter"), stubs.path.as_os_str()];
        let multiarch = multiarch_directory(cc);
        if let Some(directory) = &multiarch {
            more.extend([OsStr::new("-idirafter"), directory.as_os_str()]);
        }
        self.attempt(cc, path, name, &more)
    }
}

/// Where Debian keeps the headers of the machine's own architecture.
fn multiarch_directory(cc: &[String]) -> Option<PathBuf> {
    let output = Command::new(&cc[0])
        .args(&cc[1..])
        .args(["-m64", "-print-multiarch"])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let triple = String::from_utf8(output.stdout).ok()?;
    let triple = triple.trim();
    let directory = Path::new("/usr/include").join(triple);
    (!triple.is_empty() && directory.is_dir()).then_some(directory)
}

/// A directory with an empty `gnu/stubs-32.h`, gone when dropped.
struct Stubs {
    path: PathBuf,
}

impl Stubs {
    fn create() -> io::Result<Stubs> {
        let base = std::env::temp_dir();
        let process = std::process::id();
        for n in 0..1000 {
            let path = base.join(format!("cwolf-stubs-{process}-{n}"));
            // Fails if it exists, so nobody else's directory is used.
            match std::fs::create_dir(&path) {
                Ok(()) => {
                    let stubs = Stubs { path };
                    let gnu = stubs.path.join("gnu");
                    std::fs::create_dir(&gnu)?;
                    std::fs::write(gnu.join("stubs-32.h"), "")?;
                    return Ok(stubs);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

impl Drop for Stubs {
    fn drop(&mut self) {
        // A directory left behind in the temporary directory does no harm.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

#[cfg(test)]
mod tests;
