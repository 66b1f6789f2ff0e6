//! Tests that run a preprocessor; without one on the machine they only check the message.

use super::*;

/// A directory for one test, gone when dropped.
struct Dir(PathBuf);

impl Dir {
    fn new(test: &str) -> Dir {
        let name = format!("cwolf-test-{}-{test}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a temporary directory");
        Dir(path)
    }
    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).expect("a temporary file");
        path
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn run(preprocessor: &Preprocessor, path: &Path) -> Option<Result<Preprocessed, PreprocessError>> {
    match preprocessor.run(path) {
        Err(PreprocessError::NoPreprocessor { .. }) => None,
        other => Some(other),
    }
}

#[test]
fn macros_and_flags_are_used() {
    let dir = Dir::new("flags");
    dir.file("h.h", b"int from_header = VALUE;\n");
    let path = dir.file("a.c", b"#include \"h.h\"\n");
    let preprocessor = Preprocessor {
        args: vec!["-DVALUE=42".into(), "-std=c23".into()],
        directory: Some(dir.0.clone()),
        ..Preprocessor::default()
    };
    for path in [path.as_path(), Path::new("a.c")] {
        let Some(result) = run(&preprocessor, path) else {
            return;
        };
        let text = decode(&result.expect("no mistakes").text);
        assert!(text.contains("int from_header = 42;"), "{text}");
    }
}

#[test]
fn mistakes_are_passed_on() {
    let dir = Dir::new("mistakes");
    let path = dir.file("a.c", b"#error nothing works\n");
    match run(&Preprocessor::default(), &path) {
        None => {}
        Some(Err(error @ PreprocessError::Failed { .. })) => {
            assert!(error.to_string().contains("nothing works"), "{error}");
        }
        Some(other) => panic!("{other:?}"),
    }
}

#[test]
fn a_missing_preprocessor_is_told_with_a_hint() {
    let preprocessor = Preprocessor {
        cc: Some("no-such-compiler-anywhere -q".into()),
        ..Preprocessor::default()
    };
    let error = preprocessor.run(Path::new("a.c")).expect_err("no compiler");
    assert_eq!(
        error.to_string(),
        "no C preprocessor found (tried no-such-compiler-anywhere -q); \
         install gcc, set CC, or give a preprocessed `.i` file"
    );
}

#[test]
fn preprocessed_files_are_read_as_they_are() {
    let dir = Dir::new("preprocessed");
    let path = dir.file("a.i", b"char *s = \"\xe9\"; // X\n#define X\n");
    let nobody = Preprocessor {
        cc: Some("no-such-compiler-anywhere".into()),
        ..Preprocessor::default()
    };
    let text = nobody.run(&path).expect("only read").text;
    assert_eq!(text, b"char *s = \"\xe9\"; // X\n#define X\n");
    let missing = nobody.run(Path::new("no/such/file.i"));
    assert!(matches!(missing, Err(PreprocessError::Io { .. })));
}

#[test]
fn bytes_survive_the_preprocessor() {
    let dir = Dir::new("bytes");
    let path = dir.file("a.c", b"/* \xe4 */ char *s = \"\xe9\";\n");
    if let Some(result) = run(&Preprocessor::default(), &path) {
        let text = result.expect("Latin-1 is fine").text;
        assert!(text.contains(&0xe9), "{text:?}");
    }
}

/// A system with only 64-bit headers is played by a script that wants the stand-in.
#[cfg(unix)]
#[test]
fn missing_32_bit_headers_are_replaced() {
    use std::os::unix::fs::PermissionsExt;
    let dir = Dir::new("stubs");
    let path = dir.file("a.c", b"");
    let script = "#!/bin/sh
for word; do
  case \"$word\" in
    *cwolf-stubs*) test -f \"$word/gnu/stubs-32.h\" && echo 'int found;' && exit 0;;
  esac
done
echo 'fatal error: gnu/stubs-32.h: No such file or directory' >&2
exit 1
";
    let cc = dir.file("cc", script.as_bytes());
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&cc, executable).expect("our own file");
    let with = |args: &[&str]| Preprocessor {
        cc: Some(format!("/bin/sh '{}'", cc.display())),
        args: args.iter().map(|&a| a.into()).collect(),
        ..Preprocessor::default()
    };
    let result = with(&["-m32"]).run(&path).expect("the second attempt");
    assert_eq!(result.text, b"int found;\n");
    let other = with(&[]).run(&path);
    assert!(matches!(other, Err(PreprocessError::Failed { .. })));
}
