//! Streams: the standard three, opened files and files in memory, each an opaque object.

use crate::error::{ErrorKind, Fault};
use crate::machine::{Machine, Options};
use crate::memory::{Fill, Kind, State};
use cwolf_cwi::Types;
use cwolf_cwi::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fs::File;
use std::io::{Cursor, Read, Seek, SeekFrom, Write};

enum Backend {
    Input,
    Output,
    Error,
    File(File),
    /// A file that only this run sees.
    Memory(Cursor<Vec<u8>>),
    /// Somebody else's: what is written is gone.
    Elsewhere,
    Closed,
}

impl Backend {
    /// The parts of it that a position makes sense for.
    fn seek(&mut self, to: SeekFrom) -> Option<u64> {
        match self {
            Backend::File(file) => file.seek(to).ok(),
            Backend::Memory(bytes) => bytes.seek(to).ok(),
            _ => None,
        }
    }
}

/// Where the contents of a stream in memory are shown to the program.
#[derive(Clone, Copy)]
pub(crate) enum Mirror {
    /// `open_memstream`: heap memory whose address and size the program reads from its variables.
    Grows { pointer: u64, size: u64, block: u64 },
    /// `fmemopen`: the program's own buffer.
    Buffer { addr: u64, size: u64 },
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
    mirror: Option<Mirror>,
}

/// All streams; the number of a stream is also its descriptor.
pub(crate) struct Streams {
    list: Vec<Stream>,
    by_addr: FxHashMap<u64, usize>,
    /// Stands for all streams that are not opened here.
    elsewhere: Option<usize>,
    /// Where closed streams were.
    closed: FxHashSet<u64>,
}

/// What the object of a stream is called.
pub(crate) const STREAM: &str = "a FILE";

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
            elsewhere: None,
            closed: FxHashSet::default(),
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
            mirror: None,
        }
    }
    fn flush(&mut self, options: &mut Options<'_>) {
        let out: &mut dyn Write = match &mut self.backend {
            Backend::Output => &mut options.stdout,
            Backend::Error => &mut options.stderr,
            Backend::File(file) => file,
            Backend::Memory(bytes) => bytes,
            Backend::Elsewhere => return self.output.clear(),
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
            Backend::Memory(bytes) => bytes.read(&mut buffer),
            _ => Ok(0),
        };
        self.error |= read.is_err();
        self.input.clear();
        self.at = 0;
        self.input.extend_from_slice(&buffer[..read.unwrap_or(0)]);
        !self.input.is_empty()
    }
    fn read(&mut self, options: &mut Options<'_>, types: &Types) -> Option<u8> {
        if let Some(byte) = self.unread.pop() {
            return Some(byte);
        }
        if !self.readable {
            self.error = true;
            return None;
        }
        if self.eof {
            return None;
        }
        if options.open_input && matches!(self.backend, Backend::Input) {
            return self.choose(options, types);
        }
        if self.at >= self.input.len() {
            self.flush(options);
            if !self.fill(options) {
                self.eof = true;
                return None;
            }
        }
        self.at += 1;
        Some(self.input[self.at - 1])
    }
    /// The next byte of an open input: 0 ends it, any other number is the byte of its low bits.
    fn choose(&mut self, options: &mut Options<'_>, types: &Types) -> Option<u8> {
        match options.oracle.choose(types, Types::INT) {
            Value::Int(0) | Value::Float(_) => {
                self.eof = true;
                None
            }
            Value::Int(byte) => Some(byte as u8),
        }
    }
    /// Where the next byte will be read or written.
    fn position(&mut self) -> Option<u64> {
        let at = self.backend.seek(SeekFrom::Current(0))? + self.output.len() as u64;
        let ahead = (self.input.len() - self.at + self.unread.len()) as u64;
        at.checked_sub(ahead)
    }
    fn drop_input(&mut self) {
        self.input.clear();
        self.unread.clear();
        self.at = 0;
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
    /// What the system knows of an opened file.
    pub fn metadata(&self, n: usize) -> Option<std::fs::Metadata> {
        match &self.list[n].backend {
            Backend::File(file) => file.metadata().ok(),
            _ => None,
        }
    }
    /// How many bytes wait to be written.
    pub fn pending(&self, n: usize) -> usize {
        self.list[n].output.len()
    }
    /// Adds a stream under the lowest number that is free, as the system does.
    fn add(&mut self, stream: Stream) -> usize {
        let free = |s: &Stream| matches!(s.backend, Backend::Closed) && s.addr == 0;
        match self.list.iter().position(free) {
            Some(n) => {
                self.list[n] = stream;
                n
            }
            None => {
                self.list.push(stream);
                self.list.len() - 1
            }
        }
    }
}

impl Machine<'_> {
    /// The address of a stream's object.
    pub(crate) fn stream_object(&mut self, n: usize) -> Result<u64, Fault> {
        if self.library.streams.list[n].addr == 0 {
            let kind = Kind::Library(STREAM);
            let id = self.memory.alloc(216, 16, kind, Fill::Zero, None)?;
            let addr = self.memory.address(id);
            let streams = &mut self.library.streams;
            streams.list[n].addr = addr;
            streams.by_addr.insert(addr, n);
            streams.closed.remove(&addr);
        }
        Ok(self.library.streams.list[n].addr)
    }

    /// The stream whose object is at `addr`.
    pub(crate) fn stream_at(&mut self, addr: u64) -> Result<usize, Fault> {
        // A program that was closed for a verifier opens its streams itself.
        if !self.library.streams.by_addr.contains_key(&addr) && self.memory.is_handle(addr) {
            let streams = &mut self.library.streams;
            let stream = || Stream::new(Backend::Elsewhere, true, true);
            let n = streams.elsewhere.unwrap_or_else(|| streams.add(stream()));
            streams.elsewhere = Some(n);
            return Ok(n);
        }
        let streams = &self.library.streams;
        if let Some(n) = streams.by_addr.get(&addr) {
            return match streams.list[*n].backend {
                // The descriptor under it was closed: C's stream is still there.
                Backend::Closed => Err(bad_stream("the descriptor of the stream was closed")),
                _ => Ok(*n),
            };
        }
        if addr < 4096 {
            let message = "the stream is a null pointer".into();
            return Err(Fault::Other(ErrorKind::NullDereference, message));
        }
        if streams.closed.contains(&addr) {
            return Err(bad_stream("the stream was closed before"));
        }
        // What is no valid pointer at all is told as such.
        self.memory.readable(addr, 1)?;
        Err(bad_stream("the pointer is not an open stream"))
    }

    pub(crate) fn write_stream(&mut self, n: usize, bytes: &[u8]) -> bool {
        let stream = &mut self.library.streams.list[n];
        if !stream.writable {
            stream.error = true;
            return false;
        }
        if stream.at < stream.input.len() || !stream.unread.is_empty() {
            // Reading went ahead of the program; writing starts where the program is.
            if let Some(at) = stream.position() {
                stream.error |= stream.backend.seek(SeekFrom::Start(at)).is_none();
            }
            stream.drop_input();
        }
        stream.output.extend_from_slice(bytes);
        if stream.output.len() >= BUFFER || matches!(stream.backend, Backend::Error) {
            stream.flush(&mut self.options);
        }
        true
    }

    pub(crate) fn read_stream(&mut self, n: usize) -> Option<u8> {
        let types = &self.program.types;
        self.library.streams.list[n].read(&mut self.options, types)
    }

    pub(crate) fn unread_stream(&mut self, n: usize, byte: u8) {
        let stream = &mut self.library.streams.list[n];
        stream.unread.push(byte);
        stream.eof = false;
    }

    pub(crate) fn flush_stream(&mut self, n: usize) -> Result<(), Fault> {
        self.library.streams.list[n].flush(&mut self.options);
        self.show_mirror(n)
    }

    /// Writes out all streams.
    pub(crate) fn flush_streams(&mut self) -> Result<(), Fault> {
        (0..self.library.streams.list.len()).try_for_each(|n| self.flush_stream(n))
    }

    /// Opens a file; the error is an `errno`.
    pub(crate) fn open_file(&mut self, path: &[u8], mode: &[u8]) -> Result<usize, i32> {
        let plus = mode.contains(&b'+');
        let mut how = std::fs::OpenOptions::new();
        let (readable, writable) = match mode.first() {
            Some(b'r') => (true, plus),
            Some(b'w') => (plus, true),
            Some(b'a') => (plus, true),
            _ => return Err(22),
        };
        if !self.options.files {
            return Err(13);
        }
        how.read(readable).write(writable);
        match mode[0] {
            b'w' if mode.contains(&b'x') => how.create_new(true),
            b'w' => how.create(true).truncate(true),
            b'a' => how.append(true).create(true),
            _ => &mut how,
        };
        self.open_as(path, &how, readable, writable)
    }

    /// Opens a file in a given way.
    pub(crate) fn open_as(
        &mut self,
        path: &[u8],
        how: &std::fs::OpenOptions,
        readable: bool,
        writable: bool,
    ) -> Result<usize, i32> {
        let path: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(path);
        let file = how.open(path).map_err(|e| e.raw_os_error().unwrap_or(2))?;
        if file.metadata().is_ok_and(|m| m.is_dir()) && writable {
            return Err(21);
        }
        let stream = Stream::new(Backend::File(file), readable, writable);
        Ok(self.library.streams.add(stream))
    }

    /// A file in memory, open for what is said.
    pub(crate) fn add_memory(
        &mut self,
        contents: Vec<u8>,
        (readable, writable): (bool, bool),
        mirror: Option<Mirror>,
    ) -> usize {
        let backend = Backend::Memory(Cursor::new(contents));
        let mut stream = Stream::new(backend, readable, writable);
        stream.mirror = mirror;
        self.library.streams.add(stream)
    }

    /// Closes a descriptor; a `FILE` on it stays.
    pub(crate) fn close_stream(&mut self, n: usize) -> Result<bool, Fault> {
        self.flush_stream(n)?;
        let stream = &mut self.library.streams.list[n];
        stream.backend = Backend::Closed;
        stream.drop_input();
        Ok(!stream.error)
    }

    /// Ends the life of the `FILE` of a closed stream.
    pub(crate) fn end_stream(&mut self, n: usize) {
        let streams = &mut self.library.streams;
        let addr = std::mem::take(&mut streams.list[n].addr);
        if addr == 0 {
            return;
        }
        streams.by_addr.remove(&addr);
        streams.closed.insert(addr);
        if let Some(id) = self.memory.object_at(addr) {
            let here = self.here();
            self.memory.release(id, State::Freed, here);
        }
    }

    /// Gives the stream `n` what the stream `from` has, which goes.
    pub(crate) fn replace_stream(&mut self, n: usize, from: usize) {
        let streams = &mut self.library.streams;
        let addr = streams.list[n].addr;
        streams.list.swap(n, from);
        streams.list[n].addr = addr;
        streams.list[from].addr = 0;
        streams.list[from].backend = Backend::Closed;
    }

    /// Moves to a position: whence 0 start, 1 here, 2 end.
    pub(crate) fn seek_stream(
        &mut self,
        n: usize,
        offset: i64,
        whence: i32,
    ) -> Result<bool, Fault> {
        self.flush_stream(n)?;
        let stream = &mut self.library.streams.list[n];
        let here = stream.position();
        let to = match whence {
            0 => u64::try_from(offset).ok().map(SeekFrom::Start),
            1 => here
                .and_then(|at| at.checked_add_signed(offset))
                .map(SeekFrom::Start),
            2 => Some(SeekFrom::End(offset)),
            _ => None,
        };
        let moved = to.is_some_and(|to| stream.backend.seek(to).is_some());
        if moved {
            stream.drop_input();
            stream.eof = false;
        }
        Ok(moved)
    }

    pub(crate) fn tell_stream(&mut self, n: usize) -> Option<u64> {
        self.library.streams.list[n].position()
    }

    /// Shows the program what a stream in memory holds.
    fn show_mirror(&mut self, n: usize) -> Result<(), Fault> {
        let stream = &mut self.library.streams.list[n];
        let (Some(mirror), Backend::Memory(bytes)) = (stream.mirror, &stream.backend) else {
            return Ok(());
        };
        let mut text = bytes.get_ref().clone();
        let word = self.program.target().pointer_size() as usize;
        match mirror {
            Mirror::Grows {
                pointer,
                size,
                block,
            } => {
                let len = text.len() as u64;
                text.push(0);
                let here = self.here();
                let fill = Fill::Unwritten;
                let id = self.memory.alloc(len + 1, 16, Kind::Heap, fill, here)?;
                let new = self.memory.address(id);
                self.memory.store(new, &text)?;
                if block != 0 {
                    let old = self.memory.heap_block(block)?;
                    self.memory.release(old, State::Freed, here);
                }
                let target = self.program.target();
                self.memory
                    .store(pointer, &target.bytes(new.into(), word))?;
                self.memory.store(size, &target.bytes(len as u128, word))?;
                self.library.streams.list[n].mirror = Some(Mirror::Grows {
                    pointer,
                    size,
                    block: new,
                });
            }
            Mirror::Buffer { addr, size } => {
                if (text.len() as u64) < size {
                    text.push(0);
                }
                text.truncate(size as usize);
                self.memory.store(addr, &text)?;
            }
        }
        Ok(())
    }
}

fn bad_stream(message: &str) -> Fault {
    Fault::Other(ErrorKind::BadStream, message.into())
}
