//! The connection between two processes, as timely reads and writes it.
//!
//! Timely ends a thread with a panic when a connection breaks, and waits for ever when the other
//! side hangs. So its bytes travel in frames: an empty one every second says that a process
//! lives, one at the end says that it is done, and one before a process gives up says because of
//! whom. Whoever sees a connection end otherwise, or hears nothing for a while, knows which
//! process was lost. The thread that timely waits in is then left to wait: the run is over.

use std::io::{self, BufReader, ErrorKind, IoSlice, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use timely::communication::allocator::zero_copy::stream::Stream;

/// How often a process shows that it lives.
const BEAT: Duration = Duration::from_secs(1);
/// A process that shows nothing for so long is lost.
const SILENCE: Duration = Duration::from_secs(10);
/// How long a last word may take.
const FAREWELL: Duration = Duration::from_secs(1);

/// How much of small frames is read at once.
const BUFFER: usize = 1 << 13;

/// What is said of a process whose connection ends.
pub(crate) const ENDED: &str = "ended before the work was done";

/// In the place of a length.
const END: u32 = u32::MAX;
const GOODBYE: u32 = u32::MAX - 1;

/// A process that a run cannot go on without.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("process {process} ({host}) {reason}")]
pub struct Lost {
    /// Its number.
    pub process: usize,
    /// Its address.
    pub host: String,
    /// What happened to it.
    pub reason: String,
}

/// Whether all processes are there.
#[derive(Debug)]
pub(crate) struct Watch {
    pub hosts: Vec<String>,
    pub me: usize,
    lost: OnceLock<Lost>,
    over: AtomicBool,
}

impl Watch {
    pub fn new(hosts: Vec<String>, me: usize) -> Watch {
        Watch {
            hosts,
            me,
            lost: OnceLock::new(),
            over: AtomicBool::new(false),
        }
    }
    /// Ends the run because of a process; the first one counts.
    pub fn lose(&self, process: usize, reason: impl Into<String>) -> &Lost {
        self.lost.get_or_init(|| Lost {
            process,
            host: self.hosts.get(process).cloned().unwrap_or_default(),
            reason: reason.into(),
        })
    }
    pub fn lost(&self) -> Option<&Lost> {
        self.lost.get()
    }
}

/// One side of a connection; clones share it.
#[derive(Debug)]
pub(crate) struct Link {
    peer: usize,
    /// Buffered, so that a small frame and its length are read at once.
    reader: BufReader<TcpStream>,
    writer: Arc<Mutex<TcpStream>>,
    watch: Arc<Watch>,
    /// Bytes of the current frame still to be read.
    left: usize,
    ended: bool,
}

impl Link {
    /// Takes over a connection to process `peer`, and lets it know from now on that we live.
    pub fn new(socket: TcpStream, peer: usize, watch: Arc<Watch>) -> io::Result<Link> {
        socket.set_nodelay(true)?;
        socket.set_read_timeout(Some(SILENCE))?;
        let writer = Arc::new(Mutex::new(socket.try_clone()?));
        let beats = Beats {
            writer: Arc::clone(&writer),
            watch: Arc::clone(&watch),
        };
        let name = format!("beats-{peer}");
        std::thread::Builder::new()
            .name(name)
            .spawn(move || beats.run())?;
        Ok(Link {
            peer,
            reader: BufReader::with_capacity(BUFFER, socket),
            writer,
            watch,
            left: 0,
            ended: false,
        })
    }
    /// Another handle for a last word.
    pub fn writer(&self) -> Arc<Mutex<TcpStream>> {
        Arc::clone(&self.writer)
    }
    /// The run is over for this thread: timely must not see why.
    fn give_up(&self, process: usize, reason: &str) -> ! {
        self.watch.lose(process, reason);
        loop {
            std::thread::park();
        }
    }
    fn broken(&self, error: &io::Error) -> ! {
        let reason = match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => {
                format!("has been silent for {} s", SILENCE.as_secs())
            }
            ErrorKind::UnexpectedEof
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::BrokenPipe => ENDED.to_owned(),
            _ => format!("cannot be reached any more: {error}"),
        };
        self.give_up(self.peer, &reason)
    }
    fn read_all(&mut self, bytes: &mut [u8]) {
        if let Err(error) = self.reader.read_exact(bytes) {
            self.broken(&error);
        }
    }
    fn read_number(&mut self) -> u32 {
        let mut bytes = [0; 4];
        self.read_all(&mut bytes);
        u32::from_le_bytes(bytes)
    }
}

impl Read for Link {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.left == 0 {
            if self.ended {
                return Ok(0);
            }
            match self.read_number() {
                END => self.ended = true,
                GOODBYE => {
                    let process = self.read_number() as usize;
                    let len = self.read_number().min(1 << 16) as usize;
                    let mut reason = vec![0; len];
                    self.read_all(&mut reason);
                    let reason = String::from_utf8_lossy(&reason).into_owned();
                    self.give_up(process, &reason);
                }
                len => self.left = len as usize,
            }
        }
        let most = buffer.len().min(self.left);
        match self.reader.read(&mut buffer[..most]) {
            Ok(0) => self.broken(&ErrorKind::UnexpectedEof.into()),
            Ok(n) => {
                self.left -= n;
                Ok(n)
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => Err(error),
            Err(error) => self.broken(&error),
        }
    }
}

fn lock(writer: &Mutex<TcpStream>) -> std::sync::MutexGuard<'_, TcpStream> {
    writer.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes a length and so many bytes, at once if they are few.
fn write_frame(socket: &mut TcpStream, bytes: &[u8]) -> io::Result<()> {
    let len = (bytes.len() as u32).to_le_bytes();
    let all = [IoSlice::new(&len), IoSlice::new(bytes)];
    let done = loop {
        match socket.write_vectored(&all) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            done => break done?,
        }
    };
    socket.write_all(len.get(done..).unwrap_or_default())?;
    socket.write_all(&bytes[done.saturating_sub(len.len())..])
}

impl Write for Link {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let bytes = &bytes[..bytes.len().min(1 << 24)];
        let mut socket = lock(&self.writer);
        let sent = write_frame(&mut socket, bytes);
        drop(socket);
        match sent {
            Ok(()) => Ok(bytes.len()),
            Err(error) => {
                // Who reads from this connection may still find a last word in it.
                let end = Instant::now() + FAREWELL;
                while self.watch.lost().is_none() && Instant::now() < end {
                    std::thread::sleep(Duration::from_millis(5));
                }
                self.broken(&error)
            }
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for Link {
    fn try_clone(&self) -> io::Result<Link> {
        Ok(Link {
            peer: self.peer,
            reader: BufReader::with_capacity(BUFFER, self.reader.get_ref().try_clone()?),
            writer: Arc::clone(&self.writer),
            watch: Arc::clone(&self.watch),
            left: self.left,
            ended: self.ended,
        })
    }
    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.reader.get_ref().set_nonblocking(nonblocking)
    }
    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.watch.over.store(true, Ordering::Relaxed);
        let mut socket = lock(&self.writer);
        // Who has all it needs may be gone already.
        let _ = socket.write_all(&END.to_le_bytes());
        let _ = socket.shutdown(how);
        Ok(())
    }
}

/// Shows every second that this process lives.
struct Beats {
    writer: Arc<Mutex<TcpStream>>,
    watch: Arc<Watch>,
}

impl Beats {
    fn run(self) {
        loop {
            std::thread::sleep(BEAT);
            if self.watch.over.load(Ordering::Relaxed) || self.watch.lost().is_some() {
                return;
            }
            // A writer at work shows it as well. What fails here fails for the reader too.
            if let Ok(mut socket) = self.writer.try_lock()
                && (self.watch.over.load(Ordering::Relaxed)
                    || socket.write_all(&0u32.to_le_bytes()).is_err())
            {
                return;
            }
        }
    }
}

/// What is said at the end, and because of whom.
pub(crate) fn last_word(lost: &Lost) -> Vec<u8> {
    let mut frame = Vec::from(GOODBYE.to_le_bytes());
    frame.extend((lost.process as u32).to_le_bytes());
    frame.extend((lost.reason.len() as u32).to_le_bytes());
    frame.extend(lost.reason.as_bytes());
    frame
}

/// The process and the reason in a last word, if the bytes begin with one.
pub(crate) fn read_last_word(bytes: &[u8]) -> Option<(usize, String)> {
    let word = |at: usize| {
        let word = bytes.get(at..at + 4)?.try_into().ok()?;
        Some(u32::from_le_bytes(word))
    };
    let (process, len) = (word(4)? as usize, word(8)? as usize);
    let reason = bytes.get(12..)?;
    let reason = &reason[..len.min(reason.len())];
    let reason = String::from_utf8_lossy(reason).into_owned();
    (word(0)? == GOODBYE).then_some((process, reason))
}

/// Tells the others whose fault the end is, as far as they listen.
pub(crate) fn farewell(writers: &[Arc<Mutex<TcpStream>>], lost: &Lost) {
    let frame = last_word(lost);
    let end = Instant::now() + FAREWELL;
    for writer in writers {
        loop {
            if let Ok(mut socket) = writer.try_lock() {
                let _ = socket.set_write_timeout(Some(FAREWELL));
                let _ = socket.write_all(&frame);
                break;
            }
            if Instant::now() >= end {
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
