//! The monitor on a real server: its model is made from its source, normal use is accepted, and
//! a build that does one thing more is caught.

use crate::CWOLF;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

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

/// Builds a program and follows it on a model; the monitor's status and words.
fn follow(name: &str, source: &str, model: &str, map: &str) -> (Option<i32>, String) {
    let file = |suffix: &str| scratch(&format!("{name}{suffix}"));
    std::fs::write(file(".c"), source).expect("a file");
    std::fs::write(file(".aut"), model).expect("a file");
    std::fs::write(file(".toml"), map).expect("a file");
    let gcc = &mut Command::new("gcc");
    must(gcc.args(["-pthread", "-o"]).arg(file("")).arg(file(".c")));
    let out = Command::new(CWOLF)
        .args(["-q", "monitor", "--model"])
        .arg(file(".aut"))
        .arg("--map")
        .arg(file(".toml"))
        .arg("--")
        .arg(file(""))
        .arg(file(".out"))
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&out.stdout) + String::from_utf8_lossy(&out.stderr);
    (out.status.code(), said.into_owned())
}

const PIPE_READ_CLOSE: &str = "des (0,3,4)\n(0,\"pipe2\",1)\n(1,\"read\",2)\n(2,\"close\",3)\n";
const FROM_PIPE: &str = "begin = \"pipe2\"\nunlisted = \"ignore\"\n";

#[test]
fn a_call_that_a_signal_interrupts_is_made_once() {
    // With a handler after which the kernel goes on by itself, and without one.
    let source = "
        #define _GNU_SOURCE
        #include <fcntl.h>
        #include <signal.h>
        #include <unistd.h>
        static void handle(int signal) { (void)signal; }
        int main(void) {
            struct sigaction action = { .sa_handler = handle, .sa_flags = SA_RESTART };
            int ends[2];
            char byte;
            sigaction(SIGALRM, &action, 0);
            pipe2(ends, O_CLOEXEC);
            if (fork() == 0) {
                usleep(200000); kill(getppid(), SIGALRM);
                usleep(200000); kill(getppid(), SIGWINCH);
                usleep(200000); kill(getppid(), SIGSTOP); kill(getppid(), SIGCONT);
                usleep(200000); _exit(0);
            }
            close(ends[1]);
            read(ends[0], &byte, 1);
            close(ends[0]);
        }";
    // The end that the child keeps is closed first.
    let model = "des (0,4,5)\n(0,\"pipe2\",1)\n(1,\"close\",2)\n(2,\"read\",3)\n(3,\"close\",4)\n";
    let (status, said) = follow("interrupted", source, model, FROM_PIPE);
    assert_eq!((status, said.as_str()), (Some(0), "accepted: 4 calls\n"));
}

#[test]
fn real_time_signals_are_passed_on() {
    let source = "
        #define _GNU_SOURCE
        #include <fcntl.h>
        #include <pthread.h>
        #include <signal.h>
        #include <unistd.h>
        static int ends[2], got;
        static void handle(int signal) { got = signal; }
        static void *wait_long(void *p) { for (;;) pause(); return p; }
        int main(void) {
            char byte;
            pthread_t thread;
            signal(SIGRTMIN, handle);
            raise(SIGRTMIN);
            pthread_create(&thread, 0, wait_long, 0);
            pthread_cancel(thread); /* by one of them, too */
            pthread_join(thread, 0);
            pipe2(ends, O_CLOEXEC);
            close(ends[1]);
            if (got != SIGRTMIN) return 1;
            read(ends[0], &byte, 1);
            raise(SIGRTMIN + 1); /* ends it */
        }";
    let model = "des (0,3,4)\n(0,\"pipe2\",1)\n(1,\"close\",2)\n(2,\"read\",3)\n";
    let (status, said) = follow("real-time", source, model, FROM_PIPE);
    assert_eq!((status, said.as_str()), (Some(0), "accepted: 3 calls\n"));
}

#[test]
#[cfg(target_arch = "x86_64")]
fn a_call_of_32_bits_is_not_taken_for_another() {
    // Number 3 is read there, and close here.
    let source = "
        #define _GNU_SOURCE
        #include <fcntl.h>
        #include <unistd.h>
        int main(void) {
            int ends[2], result;
            char byte;
            pipe2(ends, O_CLOEXEC | O_NONBLOCK);
            read(ends[0], &byte, 1);
            __asm__ volatile(\"int $0x80\" : \"=a\"(result) : \"a\"(3), \"b\"(ends[0]), \"c\"(0), \"d\"(0));
            pipe2(ends, 0);
        }";
    let map = "begin = \"pipe2\"\n";
    let (status, said) = follow("int80", source, PIPE_READ_CLOSE, map);
    assert_eq!(status, Some(10), "{said}");
    assert!(said.contains("does not allow call_3 "), "{said}");
}

#[test]
fn a_released_child_lives_on() {
    let source = "
        #define _GNU_SOURCE
        #include <fcntl.h>
        #include <stdlib.h>
        #include <unistd.h>
        int main(int count, char **words) {
            int ends[2];
            (void)count;
            pipe2(ends, O_CLOEXEC);
            if (fork() == 0) { sleep(1); exit(open(words[1], O_CREAT | O_WRONLY, 0600) < 0); }
            usleep(300000);
            getuid(); /* not in the model; the child sleeps meanwhile */
        }";
    let map = "begin = \"pipe2\"
        ignore = [\"clone\", \"set_robust_list\", \"nanosleep\", \"clock_nanosleep\"]\n";
    let made = scratch("released.out");
    let _ = std::fs::remove_file(&made);
    let (status, said) = follow("released", source, PIPE_READ_CLOSE, map);
    assert_eq!(status, Some(10), "{said}");
    assert!(said.contains("does not allow getuid"), "{said}");
    let mut tries = (0..200).map(|_| std::thread::sleep(Duration::from_millis(50)));
    assert!(tries.any(|()| made.exists()), "the child was ended");
}

#[test]
fn a_thread_that_becomes_another_program_keeps_its_place() {
    let source = "
        #define _GNU_SOURCE
        #include <fcntl.h>
        #include <pthread.h>
        #include <string.h>
        #include <unistd.h>
        static char *own;
        static void *become(void *p) {
            getgid();
            execl(own, own, \"again\", (char *)0);
            return p;
        }
        int main(int count, char **words) {
            int ends[2];
            pthread_t thread;
            (void)count;
            own = words[0];
            if (strcmp(words[1], \"again\") == 0) return getuid() == 77777;
            pipe2(ends, O_NONBLOCK);
            pthread_create(&thread, 0, become, 0);
            for (;;) pause();
        }";
    let model = "des (0,3,4)\n(0,\"pipe2\",1)\n(1,\"getgid\",2)\n(2,\"getuid\",3)\n";
    let (status, said) = follow("thread-exec", source, model, FROM_PIPE);
    assert_eq!((status, said.as_str()), (Some(0), "accepted: 3 calls\n"));
}

#[test]
fn the_command_gets_ctrl_c_and_the_answer_still_comes() {
    use std::os::unix::process::CommandExt;
    let name = scratch("ctrl-c.aut");
    std::fs::write(&name, "des (0,0,1)\n").expect("a file");
    let map = scratch("ctrl-c.toml");
    std::fs::write(&map, "unlisted = \"ignore\"\n").expect("a file");
    let mut monitor = Command::new(CWOLF)
        .args(["monitor", "--model"])
        .arg(&name)
        .arg("--map")
        .arg(&map)
        .args(["--", "sh", "-c"])
        .arg("trap 'echo bye; exit 3' INT; echo up; while :; do sleep 0.1; done")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .expect("it starts");
    let mut out = BufReader::new(monitor.stdout.take().expect("piped"));
    let mut line = String::new();
    out.read_line(&mut line).expect("a line");
    must(Command::new("kill").args(["-INT", "--", &format!("-{}", monitor.id())]));
    out.read_to_string(&mut line).expect("text");
    assert_eq!(line, "up\nbye\naccepted: 0 calls\n");
    let mut said = String::new();
    let mut errors = monitor.stderr.take().expect("piped");
    errors.read_to_string(&mut said).expect("text");
    assert_eq!(monitor.wait().expect("it ends").code(), Some(0));
    assert!(said.contains("ended with status 3"), "{said}");
}
