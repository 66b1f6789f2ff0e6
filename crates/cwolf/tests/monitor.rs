//! The monitor on a real server: its model is made from its source, normal use is accepted, and
//! a build that does one thing more is caught.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const CWOLF: &str = env!("CARGO_BIN_EXE_cwolf");

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples/monitor")
        .join(name)
}

fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn must(command: &mut Command) {
    let out = command.output().expect("it starts");
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{command:?}: {said}");
}

/// Builds the server, runs it under the monitor with two clients, and gives the monitor's
/// status and words.
fn serve(name: &str, define: Option<&str>, more: &[&str]) -> (Option<i32>, String) {
    let (model, server) = (scratch(&format!("{name}.aut")), scratch(name));
    must(
        Command::new(CWOLF)
            .args(["-q", "model", "--weak-bisim", "-l"])
            .arg(example("server.lm"))
            .arg(example("server.c"))
            .arg("-o")
            .arg(&model),
    );
    let gcc = &mut Command::new("gcc");
    must(
        gcc.args(define)
            .arg("-o")
            .arg(&server)
            .arg(example("server.c")),
    );
    let mut monitor = Command::new(CWOLF)
        .args(["-q", "monitor", "--model"])
        .arg(&model)
        .arg("--map")
        .arg(example("server.toml"))
        .args(more)
        .arg("--")
        .arg(&server)
        .arg("2")
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut out = BufReader::new(monitor.stdout.take().expect("piped"));
    let mut port = String::new();
    out.read_line(&mut port).expect("the server's port");
    let port: u16 = port.trim().parse().expect("a number");
    for _ in 0..2 {
        let Ok(mut client) = TcpStream::connect(("127.0.0.1", port)) else {
            break;
        };
        let limit = Some(Duration::from_secs(20));
        client.set_read_timeout(limit).expect("a time limit");
        client.write_all(b"!hello").expect("sent");
        let mut echo = [0; 64];
        // A server that was ended answers nothing.
        let _ = client.read(&mut echo);
    }
    let mut said = String::new();
    out.read_to_string(&mut said).expect("text");
    (monitor.wait().expect("it ends").code(), said)
}

#[test]
fn normal_use_is_accepted() {
    let (status, said) = serve("server", None, &[]);
    assert_eq!((status, said.as_str()), (Some(0), "accepted: 16 calls\n"));
}

#[test]
fn an_extra_call_is_caught() {
    let (status, said) = serve("server-open", Some("-DBACKDOOR"), &[]);
    assert_eq!(status, Some(10), "{said}");
    assert!(said.contains("does not allow openat"), "{said}");
    assert!(said.contains("allowed there: close, write"), "{said}");
}

#[test]
fn the_process_is_ended_before_the_call() {
    let (status, said) = serve("server-killed", Some("-DBACKDOOR"), &["--kill"]);
    assert_eq!(status, Some(10), "{said}");
    assert!(said.contains("does not allow openat"), "{said}");
}
