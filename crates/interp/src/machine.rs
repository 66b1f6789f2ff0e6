//! The machine: its parts, its options, and the loop that turns events into calls, returns,
//! errors and the end of the run.

use crate::census::Census;
use crate::code::{Code, Expects, Slow, Source};
use crate::compile::scalar;
use crate::error::{ErrorKind, Fault, Outcome, Stop};
use crate::exec::Event;
use crate::libc::{Library, Native};
use crate::memory::{Fill, Kind, Memory, ObjId, State};
use crate::oracle::{OUTSIDE, OUTSIDE_SIZE, Oracle, Zeros};
use crate::slow;
use crate::trace::{Tracer, View};
use cwolf_base::Budget;
use cwolf_cwi::value::Value;
use cwolf_cwi::{BlockId, FuncId, Phase, Program, Type, TypeId, Types, Unreachable, VarId};
use std::io::{Read, Write};
use std::rc::Rc;

/// How to run a program.
pub struct Options<'o> {
    /// Chooses values that the program leaves open.
    pub oracle: Box<dyn Oracle + 'o>,
    /// When to give up.
    pub budget: Budget,
    /// The program's arguments, its own name first.
    pub args: Vec<Vec<u8>>,
    /// The environment, as `NAME=value`.
    pub env: Vec<Vec<u8>>,
    /// What the program reads.
    pub stdin: Box<dyn Read + 'o>,
    /// What the program writes.
    pub stdout: Box<dyn Write + 'o>,
    /// What the program writes about errors.
    pub stderr: Box<dyn Write + 'o>,
    /// Whether the program may open, change and remove files.
    pub files: bool,
    /// Calls that may be under way at once.
    pub max_frames: usize,
    /// Bytes of memory that the program may use at once.
    pub max_memory: u64,
    /// Whether memory that was never written counts as zero instead of indeterminate.
    pub zero_memory: bool,
    /// Whether a comparison of pointers ends the run with an error if its result rests on where objects lie, which C
    /// leaves open.
    pub unspecified_stops: bool,
    /// Whether each allocation asks the oracle if it fails: 0 says that it does not.
    pub malloc_may_fail: bool,
    /// Whether standard input comes from the oracle, byte by byte, instead of `stdin`: 0 ends it,
    /// any other number is the byte of its low eight bits.
    pub open_input: bool,
    /// Seconds since 1970 that the program sees; none for the real clock.
    pub now: Option<i64>,
    /// Called before each statement.
    pub tracer: Option<Box<dyn Tracer + 'o>>,
}

impl Default for Options<'_> {
    /// Zeros for open values, no input, no output, no files, no tracer.
    fn default() -> Self {
        Options {
            oracle: Box::new(Zeros),
            budget: Budget::unlimited(),
            args: vec![b"program".to_vec()],
            env: Vec::new(),
            stdin: Box::new(std::io::empty()),
            stdout: Box::new(std::io::sink()),
            stderr: Box::new(std::io::sink()),
            files: false,
            max_frames: 200_000,
            max_memory: 2 << 30,
            zero_memory: false,
            unspecified_stops: false,
            malloc_may_fail: false,
            open_input: false,
            now: None,
            tracer: None,
        }
    }
}

/// A function that is being run.
pub(crate) struct Frame {
    pub code: Rc<Code>,
    pub pc: u32,
    pub base: u32,
    /// What the caller expects; none if a native function made the call.
    pub expects: Option<Expects>,
    /// Whether slots may hold indeterminate values.
    pub careful: bool,
    /// The object of unnamed arguments.
    pub varargs: Option<ObjId>,
    /// What `alloca` returned.
    pub allocas: Vec<ObjId>,
    /// Tells this frame from others that were at the same depth.
    pub serial: u64,
}

/// What a function turned out to be.
#[derive(Clone)]
pub(crate) enum Resolved {
    Code(Rc<Code>),
    Native(Native),
}

/// The value that a call returned.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Returned {
    pub low: u64,
    pub high: u64,
    pub tainted: bool,
}

/// Runs one program once.
pub struct Machine<'p> {
    pub(crate) program: &'p Program,
    pub(crate) memory: Memory,
    pub(crate) stack: Vec<u64>,
    pub(crate) taint: Vec<bool>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) resolved: Vec<Option<Resolved>>,
    pub(crate) globals: Vec<ObjId>,
    pub(crate) functions: Vec<u64>,
    pub(crate) mask: u64,
    /// Statements left before the budget is looked at, and how many were granted.
    pub(crate) fuel: i64,
    granted: i64,
    steps: u64,
    /// The tracer is not called before this statement, which is when so much fuel is left.
    pub(crate) asleep_until: u64,
    pub(crate) alarm: i64,
    pub(crate) serial: u64,
    /// How many native functions are waiting for calls that they made.
    pub(crate) nesting: u32,
    /// The last scalar that was returned to a native function.
    pub(crate) returned: Returned,
    /// The last aggregate that was returned, with its shadow.
    pub(crate) result_bytes: Vec<u8>,
    pub(crate) result_shadow: Option<Vec<bool>>,
    pub(crate) library: Library,
    /// For questions about all allocated objects.
    pub(crate) census: Census,
    /// What is still to run when the program ends, in order.
    destructors: Vec<FuncId>,
    /// Whether the tracer settles what memory holds that the program leaves open.
    pub(crate) settles: bool,
    /// Addresses that code outside the program was given.
    pub(crate) given: Vec<u64>,
    pub(crate) options: Options<'p>,
}

/// What the memory outside the program is called.
pub(crate) const OUTSIDE_NAME: &str = "memory outside the program";

/// Statements between two looks at the budget.
const GRANT: i64 = 1 << 16;

impl<'p> Machine<'p> {
    /// A machine ready to run `program`.
    pub fn new(program: &'p Program, options: Options<'p>) -> Machine<'p> {
        let target = program.target();
        Machine {
            program,
            memory: Memory::new(target, options.max_memory, options.zero_memory),
            stack: vec![0; 1 << 12],
            taint: vec![false; 1 << 12],
            frames: Vec::new(),
            resolved: vec![None; program.funcs.len()],
            globals: Vec::new(),
            functions: Vec::new(),
            mask: target.most_address(),
            fuel: 0,
            granted: 0,
            steps: 0,
            asleep_until: 0,
            alarm: i64::MAX,
            serial: 0,
            nesting: 0,
            returned: Returned::default(),
            result_bytes: Vec::new(),
            result_shadow: None,
            library: Library::default(),
            census: Census::new(program),
            destructors: Vec::new(),
            given: Vec::new(),
            settles: options.tracer.as_ref().is_some_and(|t| t.settles()),
            options,
        }
    }

    /// Runs the function called `entry`, which gets as many of argument count, arguments and
    /// environment as it has parameters.
    pub fn run(&mut self, entry: &str) -> Outcome {
        let end = self.run_entry(entry);
        self.library.flush_all(&mut self.options);
        match end {
            Ok(status) | Err(Stop::Exit(status)) => Outcome::Exit(status),
            Err(Stop::Error(error)) => Outcome::Error(error),
            Err(Stop::Fault(fault)) => Outcome::Error(self.explain(fault, None)),
            Err(Stop::AssumeFailed) => Outcome::AssumeFailed,
            Err(Stop::Budget(why)) => Outcome::Budget(why),
            Err(Stop::Unwind { .. }) => Outcome::Error(self.explain(
                Fault::Other(ErrorKind::BadJump, "longjmp left the program".into()),
                None,
            )),
        }
    }

    /// How many statements were run.
    pub fn steps(&self) -> u64 {
        self.steps + (self.granted - self.fuel).max(0) as u64
    }

    /// The program that it runs.
    pub fn program(&self) -> &'p Program {
        self.program
    }

    fn run_entry(&mut self, entry: &str) -> Result<i32, Stop> {
        let func = self.program.function(entry).ok_or_else(|| {
            Fault::Other(
                ErrorKind::MissingFunction,
                format!("the program has no function {entry}"),
            )
        })?;
        self.start()?;
        self.refuel()?;
        self.destructors = self.program.runs_in(Phase::Destructor);
        for constructor in self.program.runs_in(Phase::Constructor) {
            let args = self.entry_arguments(constructor)?;
            self.call(constructor, &args)?;
        }
        let args = self.entry_arguments(func)?;
        let status = self.call(func, &args)?;
        let status = match status {
            Value::Int(v) => v as i32,
            Value::Float(_) => 0,
        };
        self.exit(status)
    }

    /// Runs what `atexit` registered, then the destructors, then ends.
    pub(crate) fn exit(&mut self, status: i32) -> Result<i32, Stop> {
        while let Some((func, arg)) = self.library.at_exit.pop() {
            let int = Types::INT;
            let mut args = vec![(Value::Int(status.into()), int)];
            match arg {
                Some(arg) => args.push((Value::Int(arg.into()), self.pointer_type())),
                None => args.clear(),
            }
            self.call_address(func, &args)?;
        }
        // Each runs once, even if one of them exits.
        while !self.destructors.is_empty() {
            let destructor = self.destructors.remove(0);
            let args = self.entry_arguments(destructor)?;
            self.call(destructor, &args)?;
        }
        Err(Stop::Exit(status & 0xff))
    }

    /// Some pointer type.
    pub(crate) fn pointer_type(&self) -> TypeId {
        let mut types = self.program.types.enumerate();
        let pointer = types.find(|(_, t)| matches!(t, Type::Pointer(_)));
        pointer.map_or(Types::INT, |(id, _)| id)
    }

    /// Looks at the budget and grants more statements.
    pub(crate) fn refuel(&mut self) -> Result<(), Stop> {
        self.steps += (self.granted - self.fuel) as u64;
        self.granted = 0;
        self.fuel = 0;
        let steps = self.steps;
        self.options.budget.check(steps).map_err(Stop::Budget)?;
        let left = self.options.budget.steps().map_or(u64::MAX, |n| n - steps);
        self.granted = GRANT.min(i64::try_from(left).unwrap_or(i64::MAX));
        self.fuel = self.granted;
        self.set_alarm();
        self.relax();
        Ok(())
    }

    /// Finds out how much fuel is left when the tracer is to be called again.
    pub(crate) fn set_alarm(&mut self) {
        let away = self.asleep_until.saturating_sub(self.steps);
        self.alarm = match away {
            0 => i64::MAX,
            _ => i64::try_from(away).map_or(-1, |away| self.granted - away),
        };
    }

    /// Lets a careful frame run fast again if nothing in it is indeterminate any more.
    fn relax(&mut self) {
        if let Some(frame) = self.frames.last_mut()
            && frame.careful
        {
            let base = frame.base as usize;
            let slots = &self.taint[base..base + frame.code.persistent as usize];
            frame.careful = slots.contains(&true);
        }
    }

    /// Runs until only `floor` frames are left.
    pub(crate) fn run_until(&mut self, floor: usize) -> Result<(), Stop> {
        let nesting = self.nesting;
        while self.frames.len() > floor {
            let careful = self.frames.last().expect("a frame").careful;
            let event = match careful {
                true => self.step::<true>(),
                false => self.step::<false>(),
            };
            match self.handle(event) {
                Ok(()) => {}
                Err(Stop::Fault(fault)) => return Err(Stop::Error(self.explain(fault, None))),
                Err(Stop::Unwind { nesting: to }) if to == nesting => {}
                Err(stop) => return Err(stop),
            }
            if self.fuel < 0 {
                self.refuel()?;
            }
        }
        Ok(())
    }

    fn handle(&mut self, event: Event) -> Result<(), Stop> {
        match event {
            Event::Call(site) => self.call_site(site),
            Event::Return(slot) => {
                let low = self.slot(slot);
                let tainted = self.is_tainted(slot);
                self.leave(Returned {
                    low,
                    high: 0,
                    tainted,
                });
                Ok(())
            }
            Event::ReturnWide(slot) => {
                let (low, high) = (self.slot(slot), self.slot(slot + 1));
                let tainted = self.is_tainted(slot) || self.is_tainted(slot + 1);
                self.leave(Returned { low, high, tainted });
                Ok(())
            }
            Event::ReturnNone => {
                self.result_bytes.clear();
                self.leave(Returned {
                    tainted: true,
                    ..Returned::default()
                });
                Ok(())
            }
            Event::ReturnBytes(slot, size) => {
                let addr = self.slot(slot);
                self.keep_bytes(addr, size.into())?;
                self.leave(Returned::default());
                Ok(())
            }
            Event::ReturnResult => {
                self.leave(Returned::default());
                Ok(())
            }
            Event::Fault(fault) => Err(Stop::Fault(fault)),
            Event::Miss { addr, size } => {
                self.memory.locate(addr, size)?;
                self.become_careful();
                self.frames.last_mut().expect("a frame").pc -= 1;
                Ok(())
            }
            Event::Ensure(object) => self.make_frame_object(object),
            Event::Slow(index) => self.run_machine_slow(index),
            Event::Taint(slot, wide) => {
                let tainted = !self.options.zero_memory;
                if tainted {
                    self.become_careful();
                }
                let base = self.frames.last().expect("a frame").base;
                for at in slot..=slot + u32::from(wide) {
                    self.stack[(base + at) as usize] = 0;
                    if tainted {
                        self.taint[(base + at) as usize] = true;
                    }
                }
                Ok(())
            }
            Event::Trace(block, index) => {
                self.trace(block, index);
                Ok(())
            }
            Event::Halt(slot) => {
                let status = self.slot(slot) as i32;
                self.exit(status).map(|_| ())
            }
            Event::Unreachable(why) => Err(Stop::Fault(unreachable_fault(why))),
            Event::Fuel => Ok(()),
        }
    }

    /// A slot of the current frame.
    pub(crate) fn slot(&self, slot: u32) -> u64 {
        self.stack[(self.frames.last().expect("a frame").base + slot) as usize]
    }

    pub(crate) fn is_tainted(&self, slot: u32) -> bool {
        let frame = self.frames.last().expect("a frame");
        frame.careful && self.taint[(frame.base + slot) as usize]
    }

    /// From now on the current frame tracks indeterminate slots; so far there are none.
    pub(crate) fn become_careful(&mut self) {
        let frame = self.frames.last_mut().expect("a frame");
        if !frame.careful {
            frame.careful = true;
            let base = frame.base as usize;
            self.taint[base..base + frame.code.slots as usize].fill(false);
        }
    }

    /// Keeps the bytes of an aggregate that is returned.
    fn keep_bytes(&mut self, addr: u64, size: u64) -> Result<(), Fault> {
        self.result_bytes.clear();
        self.result_shadow = None;
        if size > 0 {
            self.result_bytes
                .extend_from_slice(self.memory.bytes(addr, size)?);
            let (id, offset) = self.memory.locate(addr, size)?;
            self.result_shadow = self.memory.take_shadow(id, offset, size);
        }
        Ok(())
    }

    fn make_frame_object(&mut self, object: u32) -> Result<(), Stop> {
        let frame = self.frames.last().expect("a frame");
        let wanted = frame.code.objects[object as usize];
        let kind = match wanted.var {
            Some(var) => Kind::Var(var),
            None => Kind::Temp(frame.code.func),
        };
        let base = frame.base;
        let born = wanted.var.map(|var| self.program.vars[var].loc);
        let id = self
            .memory
            .alloc(wanted.size, wanted.align, kind, Fill::Unwritten, born)?;
        let constant = wanted.var.is_some_and(|v| self.program.vars[v].constant);
        self.memory.info[id as usize].constant = constant;
        self.stack[(base + wanted.slot) as usize] = self.memory.address(id);
        Ok(())
    }

    /// Rare instructions that need the whole machine.
    fn run_machine_slow(&mut self, index: u32) -> Result<(), Stop> {
        let frame = self.frames.last().expect("a frame");
        let code = frame.code.clone();
        let base = frame.base as usize;
        match code.slow[index as usize] {
            Slow::Choose { dst, ty, .. } => {
                let value = self.choose(ty)?;
                let kind = scalar(&self.program.types, ty).expect("a scalar");
                slow::write_scalar(&mut self.stack[base..], dst, kind, value);
            }
            Slow::VarArgs { dst } => {
                let address = frame.varargs.map_or(0, |id| self.memory.address(id));
                self.stack[base + dst as usize] = address;
            }
            Slow::Copy {
                to,
                offset,
                from,
                size,
                ty,
            } => {
                let addr = self.slot(to).wrapping_add(offset as u64) & self.mask;
                match from {
                    Source::Result => self.put_result(addr, size)?,
                    Source::Unknown => self.choose_aggregate(addr, ty)?,
                    Source::Memory(..) | Source::Zero => {
                        unreachable!("done by the main loop")
                    }
                }
            }
            Slow::End { slot } => {
                let addr = std::mem::take(&mut self.stack[base + slot as usize]);
                let here = self.here();
                if addr != 0
                    && let Some(id) = self.memory.object_at(addr)
                {
                    self.memory.release(id, State::ScopeEnded, here);
                }
            }
            Slow::Assert { check, at, .. } => return Err(Stop::Fault(Fault::Check(check, at))),
            Slow::Census { test, check, at } => {
                let at = (BlockId(at.0), at.1 as usize);
                let again = self.asked_again(at);
                if let Some(object) = self.uncounted(test, at, again) {
                    return Err(Stop::Fault(Fault::Left { check, object }));
                }
            }
            Slow::Assume { .. } => return Err(Stop::AssumeFailed),
            Slow::Havoc { ptr, size } => {
                let addr = self.slot(ptr);
                let size = size.map(|slot| self.slot(slot));
                self.havoc(addr, size)?;
            }
            Slow::HavocKnown => self.havoc_known()?,
            _ => unreachable!("done by the main loop"),
        }
        Ok(())
    }

    /// Stores the aggregate that the last call returned.
    fn put_result(&mut self, addr: u64, size: u64) -> Result<(), Fault> {
        if self.result_bytes.len() as u64 != size {
            let message = "the called function did not return the structure that is used";
            return Err(Fault::Other(ErrorKind::BadCall, message.into()));
        }
        if size > 0 {
            self.memory.store(addr, &self.result_bytes)?;
            let (id, offset) = self.memory.locate(addr, size)?;
            let shadow = self.result_shadow.clone();
            self.memory.put_shadow(id, offset, size, shadow);
        }
        Ok(())
    }

    /// A value that the oracle chooses. Pointers to outside the program lead to memory there.
    pub(crate) fn choose(&mut self, ty: TypeId) -> Result<Value, Fault> {
        let types = &self.program.types;
        let mut oracle = std::mem::replace(&mut self.options.oracle, Box::new(Zeros));
        let value = oracle.choose_at(&View::new(self), ty);
        self.options.oracle = oracle;
        let pointer = types.pointee(ty).is_some();
        let outside = i128::from(OUTSIDE)..i128::from(OUTSIDE + OUTSIDE_SIZE);
        match value {
            Value::Int(v) if pointer && outside.contains(&v) => {
                let base = self.outside()?;
                Ok(Value::Int(v - i128::from(OUTSIDE) + i128::from(base)))
            }
            _ => Ok(value),
        }
    }

    /// The memory outside the program: zero, or open if somebody settles what is.
    pub(crate) fn outside(&mut self) -> Result<u64, Fault> {
        let fill = if self.settles {
            Fill::Unwritten
        } else {
            Fill::Zero
        };
        self.library_memory(OUTSIDE_NAME, OUTSIDE_SIZE, fill)
    }

    /// The same, if anybody asked for it.
    pub(crate) fn outside_base(&self) -> Option<u64> {
        self.library.objects.get(OUTSIDE_NAME).copied()
    }

    /// Gives each scalar of an aggregate any value.
    pub(crate) fn choose_aggregate(&mut self, addr: u64, ty: TypeId) -> Result<(), Fault> {
        let program = self.program;
        let types = &program.types;
        match &types[ty] {
            Type::Array { elem, len } => {
                for n in 0..*len {
                    self.choose_aggregate(addr + n * types.size_of(*elem), *elem)?;
                }
            }
            Type::Record(record) => {
                for field in &types.records[*record].fields {
                    let at = addr + field.bit_offset / 8;
                    if field.bit_field {
                        let value = self.choose(field.ty)?;
                        let bits = Some((field.bit_offset % 8) as u8);
                        self.store_value(at, field.ty, bits, value)?;
                    } else {
                        self.choose_aggregate(at, field.ty)?;
                    }
                }
            }
            _ if types.is_scalar(ty) => {
                let value = self.choose(ty)?;
                self.store_value(addr, ty, None, value)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// The object of a variable that lives for the whole run.
    pub(crate) fn global(&self, var: VarId) -> ObjId {
        self.globals[var.0 as usize]
    }

    /// The address of a function.
    pub(crate) fn function_address(&self, func: FuncId) -> u64 {
        self.functions[func.0 as usize]
    }
}

fn unreachable_fault(why: Unreachable) -> Fault {
    let (kind, message) = match why {
        Unreachable::Promised => (
            ErrorKind::Unreachable,
            "control reached a place that the program calls unreachable",
        ),
        Unreachable::Trap => (ErrorKind::Abort, "the program ran into a trap"),
        Unreachable::BadGoto => (
            ErrorKind::Unreachable,
            "a computed goto with a value that is not a label's address",
        ),
        Unreachable::Returned => (
            ErrorKind::Unreachable,
            "a function declared noreturn returned",
        ),
    };
    Fault::Other(kind, message.into())
}
