//! Checkpoints: what a worker has, on disk, between two steps of the exploration.
//!
//! All workers save after the same step, each into a file of its own in a folder that is named
//! after the number of states that were expanded. A file ends with its length and a checksum. Whoever continues
//! takes the newest that every worker has whole; the one before stays until the next is
//! whole everywhere. A run may come to the same number as one that was lost while it saved, with
//! other states: so a file also says which run it is of, and only files of the same run fit.

use crate::bytes::{Reader, hash, put, put_text};
use crate::communicator::{Communicator, Stopped};
use crate::edges::Edges;
use crate::explore::Part;
use cwolf_absint::machine::Machine;
use cwolf_base::Idx;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const MAGIC: &[u8; 16] = b"cwolf part v4\n\0\0";
const PREFIX: &str = "at-";
/// How many bytes at the beginning say which run it is.
const RUN: usize = 8;
/// How much is hashed at once.
const CHUNK: usize = 1 << 16;

/// Where checkpoints go, and when.
#[derive(Clone, Debug)]
pub struct Checkpoints {
    /// The folder.
    pub folder: PathBuf,
    /// How long after the last one.
    pub every: Duration,
    /// Whether to continue from the last one.
    pub resume: bool,
    /// What is worked on: checkpoints of something else are refused.
    pub job: u128,
}

/// The last checkpoint of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Saved {
    when: Instant,
    round: Option<u64>,
    /// Tells this run from others of the same job.
    run: u64,
}

impl Saved {
    pub fn now(round: Option<u64>, run: u64) -> Saved {
        Saved {
            when: Instant::now(),
            round,
            run,
        }
    }
    pub fn is_due(&self, every: Duration) -> bool {
        self.when.elapsed() >= every
    }
}

impl Checkpoints {
    /// Whether the folder has checkpoints already.
    pub fn exist(&self) -> bool {
        !self.rounds().is_empty()
    }
    /// The rounds that there are folders of, newest first.
    fn rounds(&self) -> Vec<u64> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let names = entries.filter_map(|e| e.file_name().into_string().ok());
        let mut list: Vec<u64> = names
            .filter_map(|n| n.strip_prefix(PREFIX)?.parse().ok())
            .collect();
        list.sort_unstable_by(|a, b| b.cmp(a));
        list
    }
    fn file(&self, round: u64, worker: usize) -> PathBuf {
        let folder = self.folder.join(format!("{PREFIX}{round:012}"));
        folder.join(format!("worker-{worker}"))
    }
    /// Continues from the last checkpoint that all workers have; tells which.
    pub(crate) fn resume(
        &self,
        communicator: &mut Communicator<'_>,
        machine: &Machine<'_>,
        part: &mut Part,
    ) -> Result<Option<u64>, Stopped> {
        if !self.resume {
            return Ok(None);
        }
        let me = communicator.index();
        let whole = |round: u64| Some((round, whole_of(&self.file(round, me)).ok()??));
        let mine: Vec<(u64, u64)> = self.rounds().into_iter().filter_map(whole).collect();
        for worker in 0..communicator.peers() {
            for (round, run) in &mine {
                put(communicator.to(worker), *round);
                put(communicator.to(worker), *run);
            }
        }
        let theirs = communicator.gather()?;
        let has = |bytes: &Vec<u8>, wanted: (u64, u64)| {
            let mut reader = Reader::new(bytes);
            let next = || (!reader.is_empty()).then(|| (reader.number(), reader.number()));
            std::iter::from_fn(next).any(|n| n == wanted)
        };
        let common = mine.into_iter().find(|n| theirs.iter().all(|t| has(t, *n)));
        let common = common.map(|(round, _)| round);
        if let Some(round) = common {
            let path = self.file(round, me);
            let place = (communicator.peers(), me);
            let read =
                read_whole(&path).and_then(|bytes| restore(&bytes, self.job, place, machine, part));
            if let Err(error) = read {
                let path = path.display();
                return Err(communicator.fail(format!("cannot continue from {path}: {error}")));
            }
        }
        Ok(common)
    }
    /// Saves what this worker has, waits for the others, and drops what is older than the
    /// checkpoint before.
    pub(crate) fn save(
        &self,
        communicator: &mut Communicator<'_>,
        machine: &Machine<'_>,
        part: &mut Part,
        (round, before): (u64, Saved),
    ) -> Result<Saved, Stopped> {
        let path = self.file(round, communicator.index());
        if let Err(error) = self.write(&path, before.run, communicator, machine, part) {
            let path = path.display();
            return Err(communicator.fail(format!("cannot write the checkpoint {path}: {error}")));
        }
        communicator.agree([])?;
        for old in self.rounds().into_iter().filter(|n| *n != round) {
            if before.round != Some(old) {
                let file = self.file(old, communicator.index());
                let _ = fs::remove_file(&file);
                // The last one out takes the folder away.
                let _ = file.parent().map(fs::remove_dir);
            }
        }
        Ok(Saved::now(Some(round), before.run))
    }
    fn write(
        &self,
        path: &Path,
        run: u64,
        communicator: &Communicator<'_>,
        machine: &Machine<'_>,
        part: &mut Part,
    ) -> io::Result<()> {
        let folder = path.parent().expect("a file in a folder");
        fs::create_dir_all(folder)?;
        let temporary = path.with_extension("tmp");
        let mut out = Summed::new(BufWriter::new(File::create(&temporary)?));
        let mut head = Vec::from(run.to_le_bytes());
        head.extend(self.job.to_le_bytes());
        put(&mut head, communicator.peers() as u64);
        put(&mut head, communicator.index() as u64);
        put(&mut head, part.known);
        put(&mut head, part.expander.labels.len() as u64);
        for name in part.expander.labels.names() {
            put_text(&mut head, name);
        }
        let notes = part.expander.notes();
        put(&mut head, notes.len() as u64);
        for (loc, text) in notes {
            put(&mut head, loc.index() as u64);
            put_text(&mut head, &text);
        }
        put(&mut head, part.states.len() as u64);
        out.add(&head)?;
        let mut bytes = Vec::new();
        for state in 0..part.states.len() as u32 {
            bytes.clear();
            part.states.put(machine, state, &mut bytes);
            out.add(&bytes)?;
        }
        bytes.clear();
        put(&mut bytes, part.edges.away.len() as u64);
        for state in &part.edges.away {
            put(&mut bytes, u64::from(*state));
        }
        put(&mut bytes, part.edges.pieces().len() as u64);
        out.add(&bytes)?;
        for piece in part.edges.pieces() {
            bytes.clear();
            put(&mut bytes, piece.len() as u64);
            out.add(&bytes)?;
            out.add(piece)?;
        }
        let file = out.finish()?.into_inner()?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    }
}

/// Reads what a worker saved, one of so many and with this number.
fn restore(
    bytes: &[u8],
    wanted: u128,
    (peers, me): (usize, usize),
    machine: &Machine<'_>,
    part: &mut Part,
) -> io::Result<()> {
    let damaged = || io::Error::new(io::ErrorKind::InvalidData, "it is damaged");
    let (_, rest) = bytes.split_first_chunk::<RUN>().ok_or_else(damaged)?;
    let (job, rest) = rest.split_first_chunk().ok_or_else(damaged)?;
    let mut reader = Reader::new(rest);
    let place = [reader.number(), reader.number()];
    if u128::from_le_bytes(*job) != wanted || place != [peers as u64, me as u64] {
        let message = "it is of another program, or with other maps, options, version or \
                           numbers of processes and workers";
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    part.known = reader.number();
    for _ in 0..reader.count().ok_or_else(damaged)? {
        part.expander.labels.intern(reader.text());
    }
    for _ in 0..reader.count().ok_or_else(damaged)? {
        let loc = machine.place(reader.number()).ok_or_else(damaged)?;
        part.expander.note(loc, reader.text().to_owned());
    }
    for n in 0..reader.count().ok_or_else(damaged)? {
        let key = part.states.take(machine, &mut reader.rest);
        let mut new = false;
        part.states
            .insert(&[key.map_err(|_| damaged())?], |_, state| {
                new = u64::from(state) == n;
            });
        if !new {
            return Err(damaged());
        }
    }
    let away = (0..reader.count().ok_or_else(damaged)?)
        .map(|_| reader.number() as u32)
        .collect();
    let pieces = (0..reader.count().ok_or_else(damaged)?)
        .map(|_| reader.bytes().to_vec())
        .collect();
    let sizes = (part.states.len(), peers, part.expander.labels.len());
    part.edges = Edges::from_pieces(pieces, away, sizes).ok_or_else(damaged)?;
    match reader.bad || !reader.is_empty() {
        true => Err(damaged()),
        false => Ok(()),
    }
}

/// Whether bytes are what worker 0 of so many may have saved of this job, without the sum that
/// shows damage: for looking for bytes that do harm.
#[doc(hidden)]
pub fn can_restore(machine: &Machine<'_>, job: u128, peers: usize, bytes: &[u8]) -> bool {
    let mut part = Part::new(false);
    restore(bytes, job, (peers, 0), machine, &mut part).is_ok()
}

/// Writes bytes between a magic word and their length and checksum.
struct Summed<W> {
    out: W,
    chunk: Vec<u8>,
    len: u64,
    sum: u64,
}

fn sum(before: u64, chunk: &[u8]) -> u64 {
    hash(&[before.to_le_bytes(), hash(chunk).to_le_bytes()].concat())
}

impl<W: Write> Summed<W> {
    fn new(out: W) -> Summed<W> {
        Summed {
            out,
            chunk: Vec::new(),
            len: 0,
            sum: 0,
        }
    }
    fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.len == 0 && self.chunk.is_empty() {
            self.out.write_all(MAGIC)?;
        }
        self.chunk.extend_from_slice(bytes);
        while self.chunk.len() >= CHUNK {
            let rest = self.chunk.split_off(CHUNK);
            let chunk = std::mem::replace(&mut self.chunk, rest);
            self.put(&chunk)?;
        }
        Ok(())
    }
    fn put(&mut self, chunk: &[u8]) -> io::Result<()> {
        self.sum = sum(self.sum, chunk);
        self.len += chunk.len() as u64;
        self.out.write_all(chunk)
    }
    fn finish(mut self) -> io::Result<W> {
        let last = std::mem::take(&mut self.chunk);
        self.put(&last)?;
        self.out.write_all(&self.len.to_le_bytes())?;
        self.out.write_all(&self.sum.to_le_bytes())?;
        self.out.flush()?;
        Ok(self.out)
    }
}

/// Which run a file is of, if it is there from its first to its last byte, as it was written.
fn whole_of(path: &Path) -> io::Result<Option<u64>> {
    let mut file = File::open(path)?;
    let len = file.metadata()?.len();
    let Some(inside) = len.checked_sub(MAGIC.len() as u64 + 16) else {
        return Ok(None);
    };
    let mut magic = [0; MAGIC.len()];
    file.read_exact(&mut magic)?;
    let mut seen = 0;
    let mut left = inside;
    let mut chunk = vec![0; CHUNK];
    let mut run = None;
    loop {
        let size = left.min(CHUNK as u64) as usize;
        // The last chunk may be empty, and is the only one that is not full.
        file.read_exact(&mut chunk[..size])?;
        seen = sum(seen, &chunk[..size]);
        run = run.or_else(|| chunk[..size].first_chunk::<RUN>().copied());
        left -= size as u64;
        if size < CHUNK {
            break;
        }
    }
    let mut end = [0; 16];
    file.read_exact(&mut end)?;
    let wanted = [inside.to_le_bytes(), seen.to_le_bytes()].concat();
    let good = magic == *MAGIC && end[..] == wanted;
    Ok(run.filter(|_| good).map(u64::from_le_bytes))
}

/// What lies between the magic word and the length.
fn read_whole(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = fs::read(path)?;
    bytes.truncate(bytes.len() - 16);
    bytes.drain(..MAGIC.len());
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_seen() {
        let folder = std::env::temp_dir().join(format!("cwolf-summed-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("file");
        for len in [RUN, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK] {
            let bytes: Vec<u8> = (0..len).map(|n| (n * 31 % 251) as u8).collect();
            let mut out = Summed::new(Vec::new());
            bytes.chunks(1000).for_each(|c| out.add(c).expect("memory"));
            let whole = out.finish().expect("memory");
            fs::write(&path, &whole).expect("a file");
            let run = bytes.first_chunk().copied().map(u64::from_le_bytes);
            assert_eq!(whole_of(&path).expect("readable"), run, "{len}");
            assert_eq!(read_whole(&path).expect("readable"), bytes);
            for cut in [1, 16, whole.len() / 2] {
                fs::write(&path, &whole[..whole.len() - cut]).expect("a file");
                let found = whole_of(&path).ok().flatten();
                assert_eq!(found, None, "{len} cut by {cut}");
            }
            let mut flipped = whole.clone();
            flipped[MAGIC.len() + len / 2] ^= 4;
            fs::write(&path, &flipped).expect("a file");
            assert_eq!(whole_of(&path).expect("readable"), None, "{len} flipped");
        }
        fs::remove_dir_all(&folder).expect("removable");
    }
}
