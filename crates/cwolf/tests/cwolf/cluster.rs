//! Several processes of the real program: one model, one that is lost, and going on from a
//! checkpoint. Nothing here depends on how fast the machine is.

use crate::CWOLF;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("cwolf-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        Folder(folder)
    }
    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn explore_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/explore")
}

/// `cwolf model` of the sliding-window protocol, at a size of 47,873 states.
fn model(more: &[&str]) -> Command {
    let mut command = Command::new(CWOLF);
    command
        .current_dir(explore_folder())
        .args(["model", "window.c", "-a", "window.am", "--jobs=1"])
        .args(["-DSEQ=4", "-DWINDOW=2", "-DSLOTS=2"])
        .args(more)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Writes a list of loopback addresses that nobody uses.
fn hosts(folder: &Folder, count: usize) -> Vec<String> {
    let list = cwolf_cluster::free_addresses(count).expect("free ports");
    fs::write(folder.file("hosts"), list.join("\n")).expect("a file");
    list
}

fn start(folder: &Folder, process: usize, more: &[&str]) -> Child {
    let list = folder.file("hosts");
    let list = list.to_str().expect("a plain path");
    let number = process.to_string();
    let mut all = vec!["--hosts", list, "--process", &number];
    all.extend(["--connect-timeout", "60s"]);
    all.extend(more);
    model(&all).spawn().expect("a process")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn end(child: Child) -> Output {
    child.wait_with_output().expect("an end")
}

/// The checkpoints in a folder, oldest first.
fn checkpoints(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut list: Vec<PathBuf> = entries.map(|e| e.path()).collect();
    list.sort();
    list
}

fn whole(folder: &Folder) -> Vec<u8> {
    let alone = folder.file("alone.aut");
    let output = model(&["-o", alone.to_str().expect("plain")]).output();
    assert!(output.expect("it runs").status.success());
    fs::read(alone).expect("a model")
}

#[test]
fn a_run_that_lost_a_process_goes_on_from_a_checkpoint() {
    let folder = Folder::new("resume");
    let wanted = whole(&folder);
    let saved = folder.file("saved");
    let out = folder.file("together.aut");
    let common = [
        "--checkpoint",
        saved.to_str().expect("plain"),
        "--checkpoint-every=0s",
        "-o",
        out.to_str().expect("plain"),
    ];
    let list = hosts(&folder, 3);
    let mut all: Vec<Child> = (0..3).map(|p| start(&folder, p, &common)).collect();
    // After every round, of many, there is one; a second means that the first is whole.
    while checkpoints(&saved).len() < 2 {
        let ended = all[0].try_wait().expect("a state");
        assert_eq!(ended, None, "it must not be over so soon");
        std::thread::sleep(Duration::from_millis(2));
    }
    all[1].kill().expect("it runs");
    let outputs: Vec<Output> = all.into_iter().map(end).collect();
    for process in [0, 2] {
        assert_eq!(outputs[process].status.code(), Some(5));
        let text = said(&outputs[process]);
        let named = format!("process 1 ({})", list[1]);
        assert!(text.contains(&named), "process {process} said: {text}");
    }
    assert!(!out.exists());
    let left = checkpoints(&saved);
    assert!(left.len() >= 2, "{left:?}");

    // A run from the start would mix its checkpoints with these.
    let mixed = model(&common).output().expect("it runs");
    assert_eq!(mixed.status.code(), Some(2), "{}", said(&mixed));

    // The newest checkpoint is damaged: the one before it counts.
    let newest = left.last().expect("a checkpoint").join("worker-0");
    if let Ok(bytes) = fs::read(&newest) {
        fs::write(&newest, &bytes[..bytes.len() - 5]).expect("a file");
    }
    hosts(&folder, 3);
    let mut again = common.to_vec();
    again.push("--resume");
    let all: Vec<Child> = (0..3).map(|p| start(&folder, p, &again)).collect();
    let outputs: Vec<Output> = all.into_iter().map(end).collect();
    for output in &outputs {
        assert!(output.status.success(), "{}", said(output));
        assert!(said(output).contains("continued from "), "{}", said(output));
    }
    assert!(fs::read(&out).expect("a model") == wanted);

    // With other numbers of processes these checkpoints mean nothing.
    let alone = model(&again).output().expect("it runs");
    assert_eq!(alone.status.code(), Some(5), "{}", said(&alone));
    assert!(
        said(&alone).contains("numbers of processes"),
        "{}",
        said(&alone)
    );
}

#[test]
fn a_process_that_never_comes_is_named() {
    let folder = Folder::new("never");
    let list = hosts(&folder, 3);
    let more = ["--format=none", "--connect-timeout", "1s"];
    let all = [start(&folder, 0, &more), start(&folder, 2, &more)];
    for output in all.map(end) {
        assert_eq!(output.status.code(), Some(5));
        let named = format!("process 1 ({}) did not appear in time", list[1]);
        assert!(said(&output).contains(&named), "{}", said(&output));
    }
}

/// The first one is gone again before the second has seen it: the others wait for the second.
#[test]
fn a_process_that_goes_early_is_named() {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    let folder = Folder::new("early");
    let list = hosts(&folder, 3);
    let first = TcpListener::bind(&list[0]).expect("a free port");
    let last = start(&folder, 2, &["--format=none"]);
    let (mut socket, _) = first.accept().expect("it calls");
    let mut hello = [0; 36];
    socket.read_exact(&mut hello).expect("a greeting");
    // The same work, but process 0.
    hello[8] = 0;
    socket.write_all(&hello).expect("an answer");
    // It has come to the second, which does not answer.
    let second = TcpListener::bind(&list[1]).expect("a free port");
    let waiting: (TcpStream, _) = second.accept().expect("it calls");
    drop((socket, first));
    let output = end(last);
    drop(waiting);
    assert_eq!(output.status.code(), Some(5), "{}", said(&output));
    let named = format!("process 0 ({}) ended before", list[0]);
    assert!(said(&output).contains(&named), "{}", said(&output));
}

#[test]
fn processes_with_different_work_do_not_begin() {
    let folder = Folder::new("misfit");
    hosts(&folder, 2);
    let all = [
        start(&folder, 0, &["--format=none"]),
        start(&folder, 1, &["--format=none", "--on-the-fly"]),
    ];
    for output in all.map(end) {
        assert_eq!(output.status.code(), Some(5));
        assert!(
            said(&output).contains("works on another program"),
            "{}",
            said(&output)
        );
    }
}

#[test]
fn processes_that_want_different_results_do_not_begin() {
    let cases: [[&[&str]; 2]; 4] = [
        [&["-o", "x.aut"], &["-o", "x.parts"]],
        [&["-o", "x.aut"], &["--format=none"]],
        [
            &["-o", "x.aut", "--bisim"],
            &["-o", "x.aut", "--bisim", "--peep"],
        ],
        [&["--format=none", "--checkpoint=saved"], &["--format=none"]],
    ];
    for (n, options) in cases.into_iter().enumerate() {
        let folder = Folder::new(&format!("results-{n}"));
        hosts(&folder, 2);
        let all = [start(&folder, 0, options[0]), start(&folder, 1, options[1])];
        for output in all.map(end) {
            assert_eq!(output.status.code(), Some(5), "{}", said(&output));
            assert!(
                said(&output).contains("works on another program"),
                "{}",
                said(&output)
            );
        }
    }
}

/// Two runs may have saved after as many states, but not the same ones: what one worker saved in
/// the first and another in the second gave a wrong model.
#[test]
fn checkpoints_of_two_runs_are_not_mixed() {
    let folder = Folder::new("two-runs");
    let wanted = whole(&folder);
    let out = folder.file("together.aut");
    let run = |saved: &Path, more: &[&str]| {
        hosts(&folder, 2);
        let (saved, out) = (saved.to_str().expect("plain"), out.to_str().expect("plain"));
        let mut options = vec!["--checkpoint", saved, "--checkpoint-every=0s", "-o", out];
        options.extend(more);
        let all: Vec<Child> = (0..2).map(|p| start(&folder, p, &options)).collect();
        let outputs: Vec<Output> = all.into_iter().map(end).collect();
        outputs.into_iter().for_each(|output| {
            assert!(output.status.success(), "{}", said(&output));
            if !more.is_empty() {
                assert!(
                    said(&output).contains("starting from the beginning"),
                    "{}",
                    said(&output)
                );
            }
        });
    };
    let [first, second] = ["first", "second"].map(|name| folder.file(name));
    run(&first, &[]);
    run(&second, &[]);
    // The last one is made when all states are known.
    let newest = |saved: &Path| checkpoints(saved).pop().expect("a checkpoint");
    let (from, to) = (newest(&second), newest(&first));
    assert_eq!(from.file_name(), to.file_name());
    for old in checkpoints(&first) {
        if old != to {
            fs::remove_dir_all(old).expect("removable");
        }
    }
    fs::copy(from.join("worker-1"), to.join("worker-1")).expect("a file");
    run(&first, &["--resume"]);
    assert!(fs::read(&out).expect("a model") == wanted);
}

/// Processes say much before they begin, and nobody but the first is listened to at once.
#[test]
fn processes_that_say_much_do_not_stop() {
    let folder = Folder::new("much");
    let warnings: String = (0..3000)
        .map(|n| format!("#warning \"{n} {}\"\n", "x".repeat(60)))
        .collect();
    let source = folder.file("x.c");
    fs::write(&source, warnings + "int main(void) { return 0; }\n").expect("a file");
    let run = Command::new(CWOLF)
        .args(["cluster", "run", "-n", "2", "--", "model"])
        .arg(&source)
        .args(["--format=none", "--connect-timeout=30s"])
        .output()
        .expect("it runs");
    assert!(run.status.success(), "{}", said(&run));
}

/// What a stranger sends is not answered and does no harm.
#[test]
fn strangers_do_no_harm() {
    use std::io::{Read, Write};
    let folder = Folder::new("stranger");
    let list = hosts(&folder, 2);
    let first = start(&folder, 0, &["--format=none"]);
    let mut stranger = loop {
        match std::net::TcpStream::connect(&list[0]) {
            Ok(socket) => break socket,
            Err(_) => std::thread::sleep(Duration::from_millis(10)),
        }
    };
    stranger.write_all(&[b'x'; 100]).expect("a connection");
    let mut answer = Vec::new();
    let _ = stranger.read_to_end(&mut answer);
    assert!(answer.is_empty());
    let second = start(&folder, 1, &["--format=none"]);
    for output in [end(first), end(second)] {
        assert!(output.status.success(), "{}", said(&output));
    }
}

#[test]
fn parts_are_one_system() {
    let folder = Folder::new("parts");
    let wanted = whole(&folder);
    let parts = folder.file("model.parts");
    let run = Command::new(CWOLF)
        .current_dir(explore_folder())
        .args(["cluster", "run", "-n", "3", "--", "model", "window.c"])
        .args([
            "-a",
            "window.am",
            "--jobs=2",
            "-DSEQ=4",
            "-DWINDOW=2",
            "-DSLOTS=2",
            "-o",
        ])
        .arg(&parts)
        .output()
        .expect("it runs");
    assert!(run.status.success(), "{}", said(&run));
    assert!(folder.file("model.parts.5").exists());
    let joined = folder.file("joined.aut");
    let convert = Command::new(CWOLF)
        .args(["lts", "convert"])
        .arg(&parts)
        .arg("-o")
        .arg(&joined)
        .output()
        .expect("it runs");
    assert!(convert.status.success(), "{}", said(&convert));
    assert!(fs::read(joined).expect("a model") == wanted);
}
