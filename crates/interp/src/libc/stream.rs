//! Streams: the standard three and opened files, each an opaque object in memory.

use crate::error::{ErrorKind, Fault};
use crate::machine::{Machine, Options};
use crate::memory::{Fill, Kind};
use rustc_hash::FxHashMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};

enum Backend {
    Input,
    Output,
    Error,
    File(File),
    Closed,
}

/// An open stream.
pub(crate) struct Stream {
    backend: Backend,
    addr: u64,
    input: Vec<u8>,
    at: usize,
    output: Vec<u8>,
    unread: Vec<u8>,
    pub eof: bool,
    pub error: bool,
    readable: bool,
    writable: bool,
}

/// All streams; the number of a stream is also its descriptor.
pub(crate) struct Streams {
    list: Vec<Stream>,
    by_addr: FxHashMap<u64, usize>,
}

/// Bytes that are written at once.
const BUFFER: usize = 1 << 13;

impl Default for Streams {
    fn default() -> Streams {
        let list = [Backend::Input, Backend::Output, Backend::Error];
        Streams {
            list: list
                .into_iter()
                .enumerate()
                .map(|(n, backend)| Stream::new(backend, n == 0, n != 0))
                .collect(),
            by_addr: FxHashMap::default(),
        }
    }
}

impl Stream {
    fn new(backend: Backend, readable: bool, writable: bool) -> Stream {
        Stream {
            backend,
            addr: 0,
            input: Vec::new(),
            at: 0,
            output: Vec::new(),
            unread: Vec::new(),
            eof: false,
            error: false,
            readable,
            writable,
        }
    }
    fn flush(&mut self, options: &mut Options<'_>) {
        let out: &mut dyn Write = match &mut self.backend {
            Backend::Output => &mut options.stdout,
            Backend::Error => &mut options.stderr,
            Backend::File(file) => file,
            Backend::Input | Backend::Closed => return,
        };
        let written = out.write_all(&self.output).and_then(|()| out.flush());
        self.error |= written.is_err();
        self.output.clear();
    }
    fn fill(&mut self, options: &mut Options<'_>) -> bool {
        let mut buffer = [0; 4096];
        let read = match &mut self.backend {
            Backend::Input => options.stdin.read(&mut buffer),
            Backend::File(file) => file.read(&mut buffer),
            _ => Ok(0),
        };
        self.error |= read.is_err();
        self.input.clear();
        self.at = 0;
        self.input.extend_from_slice(&buffer[..read.unwrap_or(0)]);
        !self.input.is_empty()
    }
    fn read(&mut self, options: &mut Options<'_>) -> Option<u8> {
        if let Some(byte) = self.unread.pop() {
            return Some(byte);
        }
        if !self.readable {
            self.error = true;
            return None;
        }
        if self.at >= self.input.len() {
            self.flush(options);
            if self.eof || !self.fill(options) {
                self.eof = true;
                return None;
            }
        }
        self.at += 1;
        Some(self.input[self.at - 1])
    }
    /// Where the next byte will be read or written.
    fn position(&mut self) -> Option<u64> {
        let Backend::File(file) = &mut self.backend else {
            return None;
        };
        let at = file.stream_position().ok()? + self.output.len() as u64;
        let ahead = (self.input.len() - self.at + self.unread.len()) as u64;
        at.checked_sub(ahead)
    }
}

impl Streams {
    pub fn flush_all(&mut self, options: &mut Options<'_>) {
        for stream in &mut self.list {
            stream.flush(options);
        }
    }
    /// The stream with a file descriptor.
    pub fn by_descriptor(&self, number: i32) -> Option<usize> {
        let n = usize::try_from(number).ok()?;
        let open = |s: &Stream| !matches!(s.backend, Backend::Closed);
        self.list.get(n).is_some_and(open).then_some(n)
    }
    pub fn get(&mut self, n: usize) -> &mut Stream {
        &mut self.list[n]
    }
}

impl Machine<'_> {
    /// The address of a standard stream's object.
    pub(crate) fn standard_stream(&mut self, n: usize) -> Result<u64, Fault> {
        self.stream_object(n)
    }

    fn stream_object(&mut self, n: usize) -> Result<u64, Fault> {
        if self.library.streams.list[n].addr == 0 {
            let kind = Kind::Library("a FILE");
            let id = self.memory.alloc(216, 16, kind, Fill::Zero, None)?;
            let addr = self.memory.address(id);
            self.library.streams.list[n].addr = addr;
            self.library.streams.by_addr.insert(addr, n);
        }
        Ok(self.library.streams.list[n].addr)
    }

    /// The stream whose object is at `addr`.
    pub(crate) fn stream_at(&self, addr: u64) -> Result<usize, Fault> {
        if addr == 0 {
            return Err(Fault::Read { addr: 0, size: 1 });
        }
        match self.library.streams.by_addr.get(&addr) {
            Some(n) if !matches!(self.library.streams.list[*n].backend, Backend::Closed) => Ok(*n),
            _ => Err(Fault::Other(
                ErrorKind::BadCall,
                format!("{addr:#x} is not an open stream"),
            )),
        }
    }

    pub(crate) fn write_stream(&mut self, n: usize, bytes: &[u8]) -> bool {
        let stream = &mut self.library.streams.list[n];
        if !stream.writable {
            stream.error = true;
            return false;
        }
        if stream.at < stream.input.len() || !stream.unread.is_empty() {
            // Reading went ahead of the program; writing starts where the program is.
            if let (Some(at), Backend::File(file)) = (stream.position(), &mut stream.backend) {
                stream.error |= file.seek(SeekFrom::Start(at)).is_err();
            }
            stream.input.clear();
            stream.unread.clear();
            stream.at = 0;
        }
        stream.output.extend_from_slice(bytes);
        if stream.output.len() >= BUFFER || matches!(stream.backend, Backend::Error) {
            stream.flush(&mut self.options);
        }
        true
    }

    pub(crate) fn read_stream(&mut self, n: usize) -> Option<u8> {
        self.library.streams.list[n].read(&mut self.options)
    }

    pub(crate) fn unread_stream(&mut self, n: usize, byte: u8) {
        let stream = &mut self.library.streams.list[n];
        stream.unread.push(byte);
        stream.eof = false;
    }

    pub(crate) fn flush_stream(&mut self, n: usize) {
        self.library.streams.list[n].flush(&mut self.options);
    }

    /// Opens a file; the error is an `errno`.
    pub(crate) fn open_file(&mut self, path: &[u8], mode: &[u8]) -> Result<usize, i32> {
        if !self.options.files {
            return Err(13);
        }
        let path = String::from_utf8_lossy(path).into_owned();
        let plus = mode.contains(&b'+');
        let mut how = std::fs::OpenOptions::new();
        let (readable, writable) = match mode.first() {
            Some(b'r') => (true, plus),
            Some(b'w') => (plus, true),
            Some(b'a') => (plus, true),
            _ => return Err(22),
        };
        how.read(readable).write(writable);
        match mode[0] {
            b'w' if mode.contains(&b'x') => how.create_new(true),
            b'w' => how.create(true).truncate(true),
            b'a' => how.append(true).create(true),
            _ => &mut how,
        };
        let file = how.open(path).map_err(|e| e.raw_os_error().unwrap_or(2))?;
        if file.metadata().is_ok_and(|m| m.is_dir()) && writable {
            return Err(21);
        }
        Ok(self.add_file(file, readable, writable))
    }

    pub(crate) fn add_file(&mut self, file: File, readable: bool, writable: bool) -> usize {
        let stream = Stream::new(Backend::File(file), readable, writable);
        self.library.streams.list.push(stream);
        self.library.streams.list.len() - 1
    }

    /// The address of an opened stream's object.
    pub(crate) fn open_stream(&mut self, n: usize) -> Result<u64, Fault> {
        self.stream_object(n)
    }

    pub(crate) fn close_stream(&mut self, n: usize) -> bool {
        let stream = &mut self.library.streams.list[n];
        stream.flush(&mut self.options);
        stream.backend = Backend::Closed;
        !stream.error
    }

    /// Moves to a position: whence 0 start, 1 here, 2 end.
    pub(crate) fn seek_stream(&mut self, n: usize, offset: i64, whence: i32) -> bool {
        let stream = &mut self.library.streams.list[n];
        stream.flush(&mut self.options);
        let here = stream.position();
        let Backend::File(file) = &mut stream.backend else {
            return false;
        };
        let to = match whence {
            0 => u64::try_from(offset).ok().map(SeekFrom::Start),
            1 => here
                .and_then(|at| at.checked_add_signed(offset))
                .map(SeekFrom::Start),
            2 => Some(SeekFrom::End(offset)),
            _ => None,
        };
        let Some(to) = to else {
            return false;
        };
        let moved = file.seek(to).is_ok();
        if moved {
            stream.input.clear();
            stream.unread.clear();
            stream.at = 0;
            stream.eof = false;
        }
        moved
    }

    pub(crate) fn tell_stream(&mut self, n: usize) -> Option<u64> {
        self.library.streams.list[n].position()
    }
}
