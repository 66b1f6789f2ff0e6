//! From parts to one model, at worker 0, and to the files of the parts.

use crate::bytes::{Reader, put, put_text};
use crate::communicator::{Communicator, Stopped};
use crate::explore::Part;
use crate::rows::{Cursor, Rows};
use cwolf_absint::explore::{MAX_NOTES, Model};
use cwolf_absint::machine::Machine;
use cwolf_lts::{Builder, Label, TAU_NAME, TauSpelling, aut_label};
use rustc_hash::FxHashSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::{PoisonError, RwLock};

/// So many states go to worker 0 at a time.
const CHUNK: u64 = 1 << 16;

/// A state's transitions on their way, and what is said about it.
#[derive(Default)]
struct Row {
    edges: Vec<(Label, u64)>,
    halted: bool,
    note: Option<(String, u32)>,
}

/// The rows of one worker, in the order of states, with the labels of the model.
pub(crate) struct Outgoing<'r> {
    pub rows: &'r Rows,
    /// The model's number of each of this worker's labels.
    pub labels: &'r [Label],
}

/// What is known of single states beside their transitions, in the order of states: its number,
/// whether the program has ended there, what it is in words and for how many others it stands.
pub(crate) type Told = (u64, bool, Option<(String, u32)>);

/// Builds the whole system at worker 0.
pub(crate) fn system(
    communicator: &mut Communicator<'_>,
    states: u64,
    names: &[String],
    outgoing: &Outgoing<'_>,
    mut told: impl Iterator<Item = Told>,
) -> Result<Option<(cwolf_lts::Lts, Vec<u32>)>, Stopped> {
    let mut builder = Builder::new();
    let mut halted = Vec::new();
    if communicator.index() == 0 {
        names.iter().for_each(|name| {
            builder.label(name);
        });
        builder.ensure_states(states as usize);
    }
    let mut cursor = Cursor::default();
    let mut edges = Vec::new();
    let damaged = |communicator: &Communicator<'_>| communicator.fail("has damaged rows");
    let mut next = cursor
        .next(outgoing.rows, &mut edges)
        .ok_or_else(|| damaged(communicator))?;
    let mut next_told = told.next();
    for from in (0..states).step_by(CHUNK as usize) {
        let to = states.min(from + CHUNK);
        while let Some(state) = next.filter(|s| *s < to) {
            let out = communicator.to(0);
            put(out, 2 * (state - from));
            put(out, edges.len() as u64);
            for (label, target) in &edges {
                put(out, u64::from(outgoing.labels[*label as usize]));
                put(out, *target);
            }
            communicator.sent(0);
            next = cursor
                .next(outgoing.rows, &mut edges)
                .ok_or_else(|| damaged(communicator))?;
        }
        while let Some((state, ended, note)) = next_told.take_if(|t| t.0 < to) {
            let out = communicator.to(0);
            put(out, 2 * (state - from) + 1);
            put(out, u64::from(ended) | u64::from(note.is_some()) << 1);
            if let Some((text, others)) = note {
                put(out, u64::from(others));
                put_text(out, &text);
            }
            communicator.sent(0);
            next_told = told.next();
        }
        let mut rows: Vec<Row> = Vec::new();
        if communicator.index() == 0 {
            rows.resize_with((to - from) as usize, Row::default);
        }
        communicator.finish(|_, bytes| {
            read(bytes, &mut rows);
            Ok(())
        })?;
        for (state, row) in (from..).zip(rows) {
            for (label, target) in row.edges {
                builder.add(state as u32, label, target as u32);
            }
            if row.halted {
                halted.push(state as u32);
            }
            if let Some((text, others)) = row.note {
                builder.note_merged(state as u32, &text, others);
            }
        }
    }
    Ok((communicator.index() == 0).then(|| (builder.finish(0), halted)))
}

/// Writes rows as a part of a system (see [`cwolf_lts::write_index`]), which appears whole or not
/// at all.
pub(crate) fn write_part(
    path: &Path,
    rows: &Rows,
    names: &[String],
    labels: &[Label],
    tau: TauSpelling,
) -> std::io::Result<()> {
    let all = std::iter::once(TAU_NAME).chain(names.iter().map(String::as_str));
    let spelled = (0..).zip(all).map(|(n, name)| aut_label(n, name, tau));
    let spelled: Vec<String> = spelled.collect::<std::io::Result<_>>()?;
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".tmp");
    let written = write_rows(File::create(&temporary)?, rows, labels, &spelled);
    let done = written.and_then(|()| std::fs::rename(&temporary, path));
    done.inspect_err(|_| {
        let _ = std::fs::remove_file(&temporary);
    })
}

fn write_rows(
    file: File,
    rows: &Rows,
    labels: &[Label],
    spelled: &[String],
) -> std::io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, file);
    let mut cursor = Cursor::default();
    let mut edges = Vec::new();
    let damaged = || std::io::Error::new(std::io::ErrorKind::InvalidData, "damaged rows");
    while let Some(state) = cursor.next(rows, &mut edges).ok_or_else(damaged)? {
        for (label, _) in &mut edges {
            *label = labels[*label as usize];
        }
        edges.sort_unstable();
        for (label, target) in &edges {
            writeln!(out, "({state},{},{target})", spelled[*label as usize])?;
        }
    }
    out.flush()
}

fn read(bytes: &[u8], rows: &mut [Row]) {
    let mut reader = Reader::new(bytes);
    while !reader.is_empty() {
        let head = reader.number();
        let Some(row) = rows.get_mut((head / 2) as usize) else {
            return;
        };
        if head.is_multiple_of(2) {
            let count = reader.number();
            let edge = |_| (reader.number() as Label, reader.number());
            row.edges = (0..count).map(edge).collect();
        } else {
            let flags = reader.number();
            row.halted = flags & 1 != 0;
            if flags & 2 != 0 {
                let others = reader.number() as u32;
                row.note = Some((reader.text().to_owned(), others));
            }
        }
    }
}

/// What there is to tell about the states of a part, or about `only` these, in the order of
/// their numbers.
pub(crate) fn told<'t>(
    part: &'t mut Part,
    machine: &'t RwLock<Machine<'static>>,
    detail: Option<u32>,
    only: Option<&FxHashSet<u64>>,
) -> impl Iterator<Item = Told> + use<'t> {
    let count = part.states.len() as u32;
    let mut order: Vec<(u64, u32)> = (0..count)
        .filter_map(|s| Some((part.numbers.get(s)?, s)))
        .filter(|(number, _)| only.is_none_or(|only| only.contains(number)))
        .collect();
    order.sort_unstable();
    let mut bytes = Vec::new();
    order.into_iter().map(move |(number, state)| {
        let mut machine = machine.write().unwrap_or_else(PoisonError::into_inner);
        let halted = part.states.is_halted(&machine, state);
        let note = detail.map(|detail| {
            bytes.clear();
            part.states.put(&machine, state, &mut bytes);
            let told = machine.describe_bytes(&bytes, detail);
            (told.map(|t| t.0).unwrap_or_default(), 0)
        });
        (number, halted, note)
    })
}

/// How much is written about each of so many states.
pub(crate) fn detail_for(detail: Option<u32>, states: u64) -> Option<u32> {
    match states <= MAX_NOTES as u64 {
        true => detail,
        false => detail.map(|_| 0),
    }
}

/// A model with what the explorer of one machine knows about it.
pub(crate) fn model(
    (lts, halted): (cwolf_lts::Lts, Vec<u32>),
    part: &Part,
    detail: (Option<u32>, Option<u32>),
    nodes: u64,
) -> Model {
    Model {
        lts,
        states: Vec::new(),
        halted,
        partial: part.partial,
        found: None,
        undescribed: detail.0 < detail.1,
        environment_nodes: nodes as usize,
    }
}
