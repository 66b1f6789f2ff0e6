//! `cwolf model --hosts`: the model of a program by several processes.

use super::model::{self, Explored, Source, Wanted};
use super::models::{self, Form};
use crate::args::{Distributed, Model, Tau};
use crate::exit::{DONE, Exit, UNKNOWN, Unfinished};
use crate::render::Console;
use anyhow::{Context, Result, bail};
use cwolf_absint::explore::Search;
use cwolf_absint::machine::Unfollowed;
use cwolf_base::Budget;
use cwolf_cluster::{
    Bisimulation, Checkpoints, Hosts, Job, Output, Summary, digest, parse_hosts, run as work,
};
use cwolf_cwi::{Locations, file};
use cwolf_lts::{Equivalence, PARTS_SUFFIX, Pass, TauSpelling};
use serde_json::json;
use std::time::{Duration, Instant};

/// How many states a worker expands between two agreements with the others.
const ROUND: u64 = 1 << 15;

/// As many have numbers.
const MOST_WORKERS: usize = 1 << 16;

pub fn run(
    args: &Model,
    source: Source,
    search: Search,
    wanted: Wanted,
    budget: &Budget,
    console: &Console,
) -> Result<Exit> {
    // Threads of a run that fails outlive it, until the program ends.
    let source: &'static Source = Box::leak(Box::new(source));
    let machine = source.machine(model::options(args));
    if !machine.is_polyvariant() {
        bail!(
            "several processes build only models in which equal states and no others are merged (--variance=poly)"
        );
    }
    let hosts = hosts(args)?;
    let digest = job_digest(args, source)?;
    let checkpoints = checkpoints(&args.distributed, digest)?;
    if hosts.addresses.len().saturating_mul(hosts.workers) > MOST_WORKERS {
        bail!("more than {MOST_WORKERS} workers: give fewer --jobs");
    }
    let count = wanted.form == Form::None && wanted.passes.is_empty();
    let (reduce, done) = match wanted.passes.first() {
        Some(Pass::Minimise(Equivalence::Strong)) => (Some(Bisimulation::Strong), 1),
        Some(Pass::Minimise(Equivalence::Branching)) => (Some(Bisimulation::Branching), 1),
        _ => (None, 0),
    };
    let mut job = Job {
        entry: source.entry,
        on_the_fly: search.on_the_fly,
        apart: false,
        detail: search.detail,
        reduce,
        round: ROUND,
        output: match (&args.output, count) {
            (Some(path), _) if are_parts_wanted(args)? => {
                let tau = match args.tau {
                    Tau::I => TauSpelling::I,
                    Tau::Tau => TauSpelling::Tau,
                };
                Output::Parts(path.clone(), tau)
            }
            (_, true) => Output::Count,
            (_, false) => Output::Model,
        },
        checkpoints,
        digest,
    };
    job.digest = together_digest(&job);
    let started = Instant::now();
    let summary = work(machine, &hosts, job, budget);
    let mut summary = summary.map_err(|lost| Unfinished(lost.to_string()))?;
    let took = started.elapsed();
    if args.distributed.resume {
        match summary.resumed {
            Some(states) => console.note(&format!("continued from {states} states")),
            None => console.note("no complete checkpoint was found: starting from the beginning"),
        }
    }
    let Some(model) = summary.model.take() else {
        let locations = &source.program.locations;
        return tell(args, &summary, took, &wanted, &hosts, locations, console);
    };
    let explored = Explored {
        model,
        notes: std::mem::take(&mut summary.notes),
        found: summary.explored as usize,
        done: wanted.passes[..done].to_vec(),
        uncovered: uncovered(source),
    };
    traffic(&summary, console);
    model::finish(
        args,
        explored,
        wanted,
        took,
        &source.program,
        budget,
        console,
    )
}

/// Whether each worker is to write its part of the model.
pub fn are_parts_wanted(args: &Model) -> Result<bool> {
    let suffix = args.output.as_ref().and_then(|p| p.extension());
    if args.format.is_some() || suffix.is_none_or(|s| s != PARTS_SUFFIX) {
        return Ok(false);
    }
    if !args.distributed.is_wanted() {
        bail!("only several processes write parts: see --hosts, or `cwolf cluster run`");
    }
    if args.peep || args.bisim || args.branching_bisim || args.weak_bisim || args.trace {
        bail!(
            "parts are written as they are; reduce them with `cwolf lts reduce`, or write one file"
        );
    }
    Ok(true)
}

/// The end of a process that does not get the model, or when nobody wants it.
fn tell(
    args: &Model,
    summary: &Summary,
    took: Duration,
    wanted: &Wanted,
    hosts: &Hosts,
    locations: &Locations,
    console: &Console,
) -> Result<Exit> {
    let partial = summary.partial.map(models::limit);
    if let Some(reason) = &partial {
        console.error(&format!(
            "the model is only partial: {reason}, after {} states",
            summary.explored
        ));
    }
    for (loc, text) in &summary.notes {
        console.warning(&format!("{}: {text}", locations.describe(*loc)));
    }
    traffic(summary, console);
    console.result(json!({
        "states": summary.explored,
        "transitions": summary.transitions,
        "output": args.output.as_ref().map(|p| p.display().to_string()),
        "system": null,
        "partial": partial,
        "explored": summary.explored,
        "environment_nodes": summary.nodes,
        "seconds": took.as_secs_f64(),
        "unsound": wanted.unsound,
    }));
    if hosts.process == 0 {
        console.passed_on(&format!(
            "{} states, {} transitions, {} environment nodes\n",
            summary.explored, summary.transitions, summary.nodes
        ));
    }
    if args.stats {
        console.passed_on(&model::stats(summary.explored as usize, took));
    }
    Ok(if partial.is_some() { UNKNOWN } else { DONE })
}

fn traffic(summary: &Summary, console: &Console) {
    if let Some(times) = summary.excess {
        console.note(&format!(
            "the shares are unequal: the largest is {times:.1} times the mean, \
             as the variables by which states are divided have stopped changing"
        ));
    }
    let traffic = summary.traffic;
    console.detail(&format!(
        "{} supersteps, {} messages of {} bytes between workers",
        traffic.steps, traffic.blocks, traffic.bytes
    ));
}

fn hosts(args: &Model) -> Result<Hosts> {
    let distributed = &args.distributed;
    let addresses = match &distributed.hosts {
        // Alone, for the sake of checkpoints.
        None => vec!["this machine".to_owned()],
        Some(path) => {
            let text = model::read(path)?;
            parse_hosts(&text).with_context(|| path.display().to_string())?
        }
    };
    let process = distributed.process.unwrap_or(0);
    if process >= addresses.len() {
        bail!(
            "there is no process {process}: the list of hosts has {}, numbered from 0",
            addresses.len()
        );
    }
    Ok(Hosts {
        addresses,
        process,
        workers: args.jobs(),
        patience: distributed.connect_timeout,
    })
}

fn checkpoints(distributed: &Distributed, job: u128) -> Result<Option<Checkpoints>> {
    let Some(folder) = &distributed.checkpoint else {
        return Ok(None);
    };
    let checkpoints = Checkpoints {
        folder: folder.clone(),
        every: distributed.checkpoint_every,
        resume: distributed.resume,
        job,
    };
    if checkpoints.exist() && !distributed.resume {
        bail!(
            "{} has checkpoints already: continue from them with --resume, or choose another folder",
            folder.display()
        );
    }
    Ok(Some(checkpoints))
}

/// What all processes must agree on: what they work on, and what they do with it and when.
fn together_digest(job: &Job) -> u128 {
    let output = match &job.output {
        Output::Count => "count".to_owned(),
        Output::Model => "model".to_owned(),
        // Folders may be called otherwise elsewhere.
        Output::Parts(_, tau) => format!("parts {tau:?}"),
    };
    let resume = job.checkpoints.as_ref().map(|c| c.resume);
    let how = format!("{:?}", (job.reduce, job.detail, output, resume));
    digest([&job.digest.to_le_bytes()[..], how.as_bytes()].into_iter())
}

/// What a model depends on: the program, its maps and the options that matter.
fn job_digest(args: &Model, source: &Source) -> Result<u128> {
    let mut parts = vec![file::write(&source.program)];
    for path in [
        &args.abstraction,
        &args.auto,
        &args.labels,
        &args.suggest_labels,
    ] {
        parts.push(match path {
            Some(path) => model::read(path)?.into_bytes(),
            None => Vec::new(),
        });
    }
    let passes = (args.bisim, args.branching_bisim);
    let options = (
        env!("CARGO_PKG_VERSION"),
        &args.entry,
        model::options(args),
        args.on_the_fly,
        passes,
        args.max_states,
    );
    parts.push(format!("{options:?}").into_bytes());
    Ok(digest(parts.iter().map(Vec::as_slice)))
}

/// What the model lacks. Which calls other processes made is not known here, so it is taken that functions may have been called.
fn uncovered(source: &Source) -> Vec<String> {
    let unfollowed = Unfollowed {
        callbacks: true,
        ..Unfollowed::default()
    };
    let subject = (&source.program, source.entry);
    let mut found = source.uncovered.clone();
    found.extend(model::unseen(unfollowed, subject, &source.labels));
    found
}
