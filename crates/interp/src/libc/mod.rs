//! The C library in Rust, one file for each header. A native function gets its arguments as
//! typed values and reaches the program's memory with every check; it may call back into the
//! program.

mod alloc;
mod ctype;
mod descriptors;
mod err;
mod files;
mod getopt;
mod inet;
mod locale;
mod match_name;
mod math;
mod messages;
mod misc;
mod multibyte;
mod printf;
mod rand;
mod random;
mod scanf;
mod search;
mod setjmp;
mod sort;
mod stdio;
mod stdlib;
mod stream;
mod strftime;
mod string;
mod strings;
mod strptime;
mod time;
mod unistd;
mod varargs;
mod verifier;
mod wchar;

use crate::error::{ErrorKind, Fault, Stop};
use crate::machine::Machine;
use crate::memory::{Fill, Kind};
use cwolf_cwi::value::{Value, float};
use cwolf_cwi::{FloatTy, Type, TypeId};
use rustc_hash::FxHashMap;
pub(crate) use stream::{STREAM, Streams};

/// A native function.
pub(crate) type Native = fn(&mut Call<'_, '_>) -> Result<Ret, Stop>;

/// What a native function returns.
#[derive(Debug)]
pub(crate) enum Ret {
    Void,
    /// Converted to the type that the caller expects.
    Int(i128),
    Float(FloatTy, u128),
    /// An aggregate.
    Bytes(Vec<u8>),
    /// Control is elsewhere now.
    Jumped,
}

impl From<f64> for Ret {
    fn from(value: f64) -> Ret {
        Ret::Float(FloatTy::F64, value.to_bits().into())
    }
}

/// The `errno` of a failed allocation.
pub(crate) const ENOMEM: i32 = 12;

/// What the library remembers between calls.
#[derive(Default)]
pub(crate) struct Library {
    /// Functions to call at the end, with their argument for `on_exit`.
    pub at_exit: Vec<(u64, Option<u64>)>,
    /// Address of the environment.
    pub environment: u64,
    /// Addresses of objects that the library owns, by name.
    pub(crate) objects: FxHashMap<&'static str, u64>,
    /// Addresses of constant texts.
    texts: FxHashMap<Vec<u8>, u64>,
    pub streams: Streams,
    random: rand::Generators,
    jumps: setjmp::Jumps,
    /// Where `strtok` goes on.
    strtok: u64,
    /// What `signal` registered.
    signals: FxHashMap<i128, u64>,
    /// What `at_quick_exit` registered.
    at_quick_exit: Vec<u64>,
    getopt: getopt::State,
    descriptors: descriptors::Descriptors,
    search: search::Tables,
    /// `optind` for a program that does not look at it.
    optind: i32,
}

impl Library {
    /// Writes everything that is buffered.
    pub fn flush_all(&mut self, options: &mut crate::machine::Options<'_>) {
        self.streams.flush_all(options);
    }
}

/// A call of a native function.
pub(crate) struct Call<'c, 'p> {
    pub m: &'c mut Machine<'p>,
    pub args: &'c [(Value, TypeId)],
    /// The type of the result that the caller expects.
    pub ret: TypeId,
    pub name: &'c str,
}

/// Whether the interpreter itself implements the function of this name.
pub fn is_native(name: &str) -> bool {
    find(name).is_some()
}

/// Whether the library defines a function or variable of this name.
pub fn provides(name: &str) -> bool {
    is_native(name) || provides_variable(name)
}

/// The native function of a name.
pub(crate) fn find(name: &str) -> Option<Native> {
    let tables: [fn(&str) -> Option<Native>; 26] = [
        verifier::find,
        descriptors::find,
        alloc::find,
        string::find,
        strings::find,
        stdio::find,
        printf::find,
        scanf::find,
        stdlib::find,
        sort::find,
        rand::find,
        ctype::find,
        setjmp::find,
        time::find,
        unistd::find,
        wchar::find,
        misc::find,
        err::find,
        files::find,
        getopt::find,
        inet::find,
        locale::find,
        match_name::find,
        random::find,
        multibyte::find,
        search::find,
    ];
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    for candidate in [name, plain] {
        for table in tables {
            if let Some(native) = table(candidate) {
                return Some(native);
            }
        }
    }
    math::find(plain)
}

/// Whether the library defines a variable of this name.
pub(crate) fn provides_variable(name: &str) -> bool {
    matches!(
        name,
        "stdin"
            | "stdout"
            | "stderr"
            | "environ"
            | "__environ"
            | "optarg"
            | "optind"
            | "opterr"
            | "optopt"
            | "signgam"
            | "timezone"
            | "daylight"
            | "program_invocation_name"
            | "program_invocation_short_name"
            | "__progname"
            | "__progname_full"
            | "tzname"
            | "error_message_count"
            | "error_one_per_line"
            | "error_print_progname"
    )
}

impl Machine<'_> {
    /// Gives the library's variables their values.
    pub(crate) fn library_start(&mut self) -> Result<(), Stop> {
        let program = self.program;
        let env = self.options.env.clone();
        self.library.environment = self.string_list(&env)?;
        self.library.optind = 1;
        for (id, var) in program.vars.enumerate() {
            if var.definition != cwolf_cwi::Definition::Declared
                || !matches!(self.memory.info[self.global(id) as usize].kind, Kind::Var(v) if v == id)
            {
                continue;
            }
            let addr = self.memory.address(self.global(id));
            let value = match var.name.as_str() {
                "stdin" => self.stream_object(0)?,
                "stdout" => self.stream_object(1)?,
                "stderr" => self.stream_object(2)?,
                "environ" | "__environ" => self.library.environment,
                "optind" | "opterr" => 1,
                "optopt" => b'?'.into(),
                "program_invocation_name" | "__progname_full" => self.program_name(false)?,
                "program_invocation_short_name" | "__progname" => self.program_name(true)?,
                _ => continue,
            };
            self.store_value(addr, var.ty, None, Value::Int(value.into()))?;
        }
        Ok(())
    }

    /// The name of the program as a string, with or without its directories.
    fn program_name(&mut self, short: bool) -> Result<u64, Fault> {
        let mut name = self.options.args.first().cloned().unwrap_or_default();
        if short && let Some(slash) = name.iter().rposition(|b| *b == b'/') {
            name.drain(..=slash);
        }
        let kind = Kind::Library("the name of the program");
        let size = name.len() as u64 + 1;
        let id = self.memory.alloc(size, 1, kind, Fill::Zero, None)?;
        let addr = self.memory.address(id);
        self.memory.store(addr, &name)?;
        Ok(addr)
    }

    /// The address of an object that the library owns, made at its first use.
    pub(crate) fn library_object(&mut self, name: &'static str, size: u64) -> Result<u64, Fault> {
        self.library_memory(name, size, Fill::Zero)
    }

    /// The same, with other first contents.
    pub(crate) fn library_memory(
        &mut self,
        name: &'static str,
        size: u64,
        fill: Fill,
    ) -> Result<u64, Fault> {
        if let Some(addr) = self.library.objects.get(name) {
            return Ok(*addr);
        }
        let kind = Kind::Library(name);
        let id = self.memory.alloc(size, 16, kind, fill, None)?;
        let addr = self.memory.address(id);
        self.library.objects.insert(name, addr);
        Ok(addr)
    }

    /// Asks whether an allocation fails; if so, `errno` says why.
    pub(crate) fn allocation_fails(&mut self) -> Result<bool, Fault> {
        if !self.options.malloc_may_fail {
            return Ok(false);
        }
        let fails = self.choose(cwolf_cwi::Types::BOOL)? != Value::Int(0);
        if fails {
            self.set_errno(ENOMEM)?;
        }
        Ok(fails)
    }

    /// Sets `errno`.
    pub(crate) fn set_errno(&mut self, number: i32) -> Result<(), Fault> {
        let addr = self.library_object("errno", 4)?;
        let bytes = self.program.target().bytes(number as u128, 4);
        self.memory.store(addr, &bytes)
    }
}

impl<'p> Call<'_, 'p> {
    fn missing(&self, n: usize) -> Fault {
        let message = format!("argument {} is missing or has a wrong type", n + 1);
        Fault::Other(ErrorKind::BadCall, message)
    }
    /// An integer or pointer argument.
    pub fn int(&self, n: usize) -> Result<i128, Fault> {
        match self.args.get(n) {
            Some((Value::Int(v), _)) => Ok(*v),
            _ => Err(self.missing(n)),
        }
    }
    /// A pointer argument.
    pub fn ptr(&self, n: usize) -> Result<u64, Fault> {
        Ok(self.int(n)? as u64 & self.m.mask)
    }
    /// A size argument.
    pub fn size(&self, n: usize) -> Result<u64, Fault> {
        self.ptr(n)
    }
    /// A C `int` argument.
    pub fn int32(&self, n: usize) -> Result<i32, Fault> {
        Ok(self.int(n)? as i32)
    }
    /// A floating argument's type and encoding.
    pub fn float(&self, n: usize) -> Result<(FloatTy, u128), Fault> {
        match self.args.get(n) {
            Some((Value::Float(bits), ty)) => match self.m.program.types[*ty] {
                Type::Float(f) => Ok((f, *bits)),
                _ => Err(self.missing(n)),
            },
            // Declared without a prototype, an integer may arrive.
            Some((Value::Int(v), _)) => Ok((FloatTy::F64, u128::from((*v as f64).to_bits()))),
            None => Err(self.missing(n)),
        }
    }
    /// A floating argument as a double.
    pub fn f64(&self, n: usize) -> Result<f64, Fault> {
        let (ty, bits) = self.float(n)?;
        Ok(float::to_f64(ty, bits))
    }
    /// The format of `long double`; where that is a pair of doubles, no program can have one.
    pub fn long_double(&self) -> FloatTy {
        self.m.program.target().long_double.unwrap_or(FloatTy::F128)
    }
    /// Bytes in a pointer and in a `long`.
    pub fn word(&self) -> u64 {
        self.m.program.target().pointer_size()
    }
    /// The text of a C string.
    pub fn string(&self, addr: u64) -> Result<Vec<u8>, Fault> {
        self.m.memory.c_string(addr).map(<[u8]>::to_vec)
    }
    /// Reads an integer of `size` bytes.
    pub fn load(&self, addr: u64, size: u64, signed: bool) -> Result<i128, Fault> {
        let bytes = self.m.memory.written_bytes(addr, size)?;
        let word = self.m.program.target().number(bytes);
        let ty = cwolf_cwi::IntTy::new(size as u16 * 8, signed);
        Ok(cwolf_cwi::value::wrap(ty, word as i128))
    }
    /// Reads a pointer.
    pub fn load_ptr(&self, addr: u64) -> Result<u64, Fault> {
        Ok(self.load(addr, self.word(), false)? as u64)
    }
    /// Writes an integer of `size` bytes.
    pub fn store(&mut self, addr: u64, size: u64, value: i128) -> Result<(), Fault> {
        let bytes = self.bytes(value as u128, size as usize);
        self.m.memory.store(addr, &bytes)
    }
    /// The bytes of a number as they lie in memory.
    pub fn bytes(&self, number: u128, size: usize) -> Vec<u8> {
        self.m.program.target().bytes(number, size)
    }
    /// Writes a pointer.
    pub fn store_ptr(&mut self, addr: u64, value: u64) -> Result<(), Fault> {
        self.store(addr, self.word(), value.into())
    }
    /// Writes a string with its final zero.
    pub fn store_string(&mut self, addr: u64, text: &[u8]) -> Result<(), Fault> {
        let mut text = text.to_vec();
        text.push(0);
        self.m.memory.store(addr, &text)
    }
    /// New heap memory; 0 if the allocation fails.
    pub fn heap(&mut self, size: u64, fill: Fill) -> Result<u64, Fault> {
        if self.m.allocation_fails()? {
            return Ok(0);
        }
        let here = self.m.here();
        let id = self.m.memory.alloc(size, 16, Kind::Heap, fill, here)?;
        self.m.count_in(id);
        Ok(self.m.memory.address(id))
    }
    /// A string on the heap; 0 if the allocation fails.
    pub fn heap_string(&mut self, text: &[u8]) -> Result<u64, Fault> {
        let addr = self.heap(text.len() as u64 + 1, Fill::Unwritten)?;
        if addr != 0 {
            self.store_string(addr, text)?;
        }
        Ok(addr)
    }
    /// A constant string of the library.
    pub fn constant(&mut self, text: &str) -> Result<Ret, Fault> {
        if let Some(addr) = self.m.library.texts.get(text.as_bytes()) {
            return Ok(Ret::Int((*addr).into()));
        }
        let kind = Kind::Library("a text of the library");
        let size = text.len() as u64 + 1;
        let id = self.m.memory.alloc(size, 1, kind, Fill::Zero, None)?;
        let addr = self.m.memory.address(id);
        self.store_string(addr, text.as_bytes())?;
        self.m.memory.objects[id as usize].readonly = true;
        self.m.library.texts.insert(text.as_bytes().to_vec(), addr);
        Ok(Ret::Int(addr.into()))
    }
    /// A string in an object of the library, overwritten by the next call.
    pub fn static_string(
        &mut self,
        name: &'static str,
        size: u64,
        text: &[u8],
    ) -> Result<Ret, Fault> {
        let addr = self.m.library_object(name, size)?;
        let text = &text[..text.len().min(size as usize - 1)];
        self.store_string(addr, text)?;
        Ok(Ret::Int(addr.into()))
    }
    /// An error of this call.
    pub fn fail(&self, kind: ErrorKind, message: impl Into<String>) -> Stop {
        Fault::Other(kind, message.into()).into()
    }
    /// The types that callbacks get: pointers and `int`.
    pub fn pointer_arg(&self, addr: u64) -> (Value, TypeId) {
        (Value::Int(addr.into()), self.m.pointer_type())
    }
}
