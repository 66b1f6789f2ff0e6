//! `cwolf monitor`: follow a running program, or the log of one, on a model.

use super::models;
use crate::args::Monitor;
use crate::exit::{DONE, Exit, VIOLATED};
use crate::progress;
use crate::render::Console;
use anyhow::{Context, Result, bail};
use cwolf_base::Budget;
use cwolf_lts::Lts;
use cwolf_monitor::{
    Answer, Call, CallMap, Ended, Follower, Violation, become_traced, is_call, read_log,
    seccomp_profile, trace,
};
use serde_json::json;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

pub fn run(args: &Monitor, console: &Console) -> Result<Exit> {
    if args.traced {
        return Err(become_traced(&args.command)).context(shown(&args.command));
    }
    let lts = models::load(&args.model, args.from, &Budget::unlimited(), console)?;
    let map = match &args.map {
        Some(path) => read_map(path)?,
        None => CallMap::default(),
    };
    if let Some(path) = &args.seccomp {
        write_profile(path, &lts, &map, console)?;
    }
    match (&args.strace, args.command.is_empty()) {
        (Some(log), _) => follow_log(log, &lts, &map, console),
        (None, false) if console.is_inline(None) => {
            bail!("the command has standard output to itself; give --json a file")
        }
        (None, false) => follow_command(args, &lts, &map, console),
        (None, true) if args.seccomp.is_some() => {
            console.result(json!({ "accepted": null, "calls": 0, "violation": null }));
            Ok(DONE)
        }
        (None, true) => bail!("nothing to follow: give a command after --, or --strace FILE"),
    }
}

fn read_map(path: &Path) -> Result<CallMap> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    CallMap::read(&text).with_context(|| path.display().to_string())
}

fn write_profile(path: &Path, lts: &Lts, map: &CallMap, console: &Console) -> Result<()> {
    let (profile, unknown) = seccomp_profile(lts, map, is_call);
    if !unknown.is_empty() {
        console.warning(&format!(
            "no system call is named {}; give it one in the map, under [calls]",
            unknown.join(", ")
        ));
    }
    let path = (path != Path::new("-")).then_some(path);
    console.print(path, profile.as_bytes())
}

fn follow_log(path: &Path, lts: &Lts, map: &CallMap, console: &Console) -> Result<Exit> {
    let name = path.display();
    let text = match path == Path::new("-") {
        true => std::io::read_to_string(std::io::stdin()).context("cannot read standard input")?,
        false => {
            let bytes = std::fs::read(path).with_context(|| format!("cannot read {name}"))?;
            String::from_utf8_lossy(&bytes).into_owned()
        }
    };
    let log = read_log(&text).with_context(|| name.to_string())?;
    let mut follower = Follower::new(lts, map);
    for (number, event) in log.events.iter().enumerate() {
        if let Err(violation) = follower.call(event.process, &event.call) {
            let time = event.time.as_ref().map(|t| format!(" at {t}"));
            let place = format!("{name}:{}:{} ", event.line, time.unwrap_or_default());
            return tell(&place, &violation, console);
        }
        for &child in log.children_of(number) {
            follower.born(child, event.process);
        }
    }
    accepted(&follower, map, console)
}

fn follow_command(args: &Monitor, lts: &Lts, map: &CallMap, console: &Console) -> Result<Exit> {
    let own = std::env::current_exe().context("cannot find this program")?;
    let mut starter = Command::new(own);
    starter.args(["monitor", "--model", "-", "--traced", "--"]);
    starter.args(&args.command);
    // Ctrl-C is for the command; the second one ends both.
    progress::on_interrupt(Arc::default());
    let mut follower = Follower::new(lts, map);
    let mut found: Option<(Violation, std::time::Duration)> = None;
    let ended = trace(starter, |call| match call {
        Call::Call {
            process,
            name,
            time,
        } if found.is_none() => match follower.call(process, &name) {
            Ok(()) => Answer::Go,
            Err(violation) => {
                found = Some((violation, time));
                match args.kill {
                    true => Answer::Kill,
                    false => Answer::Release,
                }
            }
        },
        Call::Call { .. } => Answer::Go,
        Call::Born { child, parent } => {
            follower.born(child, parent);
            Answer::Go
        }
        Call::Gone(process) => {
            follower.ended(process);
            Answer::Go
        }
    })
    .context(shown(&args.command))?;
    match ended {
        Ended::Status(0) => {}
        Ended::Status(status) => console.note(&format!("the command ended with status {status}")),
        Ended::Signal(signal) => console.note(&format!("the command was ended by signal {signal}")),
    }
    match found {
        Some((violation, time)) => {
            let place = format!("after {:.6} s: ", time.as_secs_f64());
            tell(&place, &violation, console)
        }
        None => accepted(&follower, map, console),
    }
}

fn tell(place: &str, violation: &Violation, console: &Console) -> Result<Exit> {
    let Violation { process, call, .. } = violation;
    let who = match process {
        0 => String::new(),
        process => format!(" of process {process}"),
    };
    let label = match violation.label == *call {
        true => String::new(),
        false => format!(" (label {})", violation.label),
    };
    let allowed = match violation.expected.is_empty() {
        true => "nothing".to_owned(),
        false => violation.expected.join(", "),
    };
    let mut text = format!(
        "{place}the model does not allow {call}{label}{who}, after {} calls\nallowed there: {allowed}\n",
        violation.after
    );
    for place in &violation.places {
        text += &format!("the model is at {place}\n");
    }
    console.print(None, text.as_bytes())?;
    console.result(json!({
        "accepted": false,
        "calls": violation.after,
        "violation": {
            "place": place.trim().trim_end_matches(':'),
            "process": process,
            "call": call,
            "label": violation.label,
            "allowed": violation.expected,
            "states": violation.places,
        },
    }));
    Ok(VIOLATED)
}

fn accepted(follower: &Follower<'_>, map: &CallMap, console: &Console) -> Result<Exit> {
    if let Some(begin) = &map.begin
        && follower.followed() == 0
    {
        bail!("'{begin}', where the map begins, was never called: nothing was checked");
    }
    let calls = follower.followed();
    console.print(None, format!("accepted: {calls} calls\n").as_bytes())?;
    console.result(json!({ "accepted": true, "calls": calls, "violation": null }));
    Ok(DONE)
}

fn shown(command: &[std::ffi::OsString]) -> String {
    let words: Vec<_> = command.iter().map(|w| w.to_string_lossy()).collect();
    words.join(" ")
}
