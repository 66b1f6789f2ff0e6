//! From a fault to an error that a person understands: what, where, in which calls, and what
//! happened to the memory before.

use crate::error::{ErrorKind, Fault, RunError, StackEntry};
use crate::machine::Machine;
use crate::memory::{Kind, ObjId, State};
use crate::touch::{Touch, touch};
use cwolf_cwi::{BlockId, CheckId, CheckKind, LocId, MemoryTest};

/// Calls shown of a deep stack.
const SHOWN: usize = 64;

fn reads(bytes: u64) -> Touch {
    Touch {
        write: false,
        size: Some(bytes),
    }
}

impl Machine<'_> {
    /// The error that a fault is, at the current place; `native` names the library function
    /// that it happened in.
    pub(crate) fn explain(&self, fault: Fault, native: Option<&str>) -> Box<RunError> {
        let mut related = Vec::new();
        let mut check = None;
        let (kind, mut message) = match fault {
            Fault::Check(id, (block, index)) => {
                check = Some(id);
                let message = self.why_broken(id, BlockId(block), index as usize);
                (ErrorKind::Check, message)
            }
            Fault::Demand {
                check: id,
                test,
                args,
                at,
            } => {
                check = Some(id);
                let message = self.broken(test, args, (id, at), &mut related);
                let mut near = args.iter().filter_map(|addr| self.near(*addr));
                let kind = match near.any(|place| self.is_elsewhere(place)) {
                    true => ErrorKind::Undefined,
                    false => ErrorKind::Check,
                };
                (kind, message)
            }
            Fault::Left { check: id, object } => {
                check = Some(id);
                (ErrorKind::Check, self.left(id, object, &mut related))
            }
            Fault::Read { addr, size } => self.bad_access(addr, reads(size), &mut related),
            Fault::Write { addr, size } => {
                let touch = Touch {
                    write: true,
                    size: Some(size),
                };
                self.bad_access(addr, touch, &mut related)
            }
            Fault::Free { addr } => self.bad_free(addr, &mut related),
            Fault::Unterminated { addr } => self.unterminated(addr, &mut related),
            Fault::Uninit(what) => (
                ErrorKind::Uninitialised,
                format!("{what} depends on memory that was never written"),
            ),
            Fault::Other(kind, message) => (kind, message),
        };
        if let Some(name) = native {
            message = format!("{name}: {message}");
        }
        let stack = self.calls();
        Box::new(RunError {
            kind,
            loc: stack.first().map(|entry| entry.loc),
            message,
            stack,
            check,
            related,
        })
    }

    /// Why a question about memory is answered with no, as the access that follows would say it.
    fn broken(
        &self,
        test: MemoryTest,
        [p, q, _]: [u64; 3],
        (check, (block, index)): (CheckId, (u32, u32)),
        related: &mut Vec<(LocId, String)>,
    ) -> String {
        let touch = || {
            let frame = self.frames.last()?;
            let body = self.program.funcs[frame.code.func].body.as_ref()?;
            let block = body.blocks.get(BlockId(block))?;
            touch(self.program, block, index as usize)
        };
        match test {
            MemoryTest::Live | MemoryTest::Inside | MemoryTest::Mutable => {
                let unknown = Touch {
                    write: false,
                    size: None,
                };
                let mut touch = touch().unwrap_or(unknown);
                if test == MemoryTest::Inside {
                    touch.size = Some(q);
                }
                self.bad_access(p, touch, related).1
            }
            MemoryTest::Freeable => self.bad_free(p, related).1,
            MemoryTest::Open => self.bad_handle(p, related),
            MemoryTest::Callable
            | MemoryTest::Apart
            | MemoryTest::Text
            | MemoryTest::WideText
            | MemoryTest::Tracked
            | MemoryTest::Kept
            | MemoryTest::Cleaned => {
                let text = &self.program.checks[check].text;
                format!("violated: {text}")
            }
        }
    }

    /// What is wrong about an allocated object that is left.
    fn left(&self, check: CheckId, id: ObjId, related: &mut Vec<(LocId, String)>) -> String {
        let info = &self.memory.info[id as usize];
        related.extend(info.born.map(|loc| (loc, "allocated here".into())));
        let bytes = if info.size == 1 { "byte" } else { "bytes" };
        let what = format!("{} allocated {bytes}", info.size);
        match self.program.checks[check].kind {
            CheckKind::Cleanup => format!("{what} are not freed when the program ends"),
            _ => format!("nothing leads to {what} any more, and they are not freed"),
        }
    }

    /// The calls under way, innermost first.
    pub(crate) fn calls(&self) -> Vec<StackEntry> {
        let frames = self.frames.iter().rev().take(SHOWN);
        let entry = |frame: &crate::machine::Frame| {
            let at = (frame.pc as usize).saturating_sub(1);
            StackEntry {
                func: frame.code.func,
                loc: frame.code.locs[at.min(frame.code.locs.len() - 1)],
            }
        };
        frames.map(entry).collect()
    }

    /// Where the program is.
    pub(crate) fn here(&self) -> Option<LocId> {
        let frame = self.frames.last()?;
        let at = (frame.pc as usize).saturating_sub(1);
        frame.code.locs.get(at).copied()
    }

    fn bad_access(
        &self,
        addr: u64,
        Touch { write, size }: Touch,
        related: &mut Vec<(LocId, String)>,
    ) -> (ErrorKind, String) {
        let doing = if write { "writing" } else { "reading" };
        let (doing, of) = match size {
            Some(1) => (format!("{doing} 1 byte"), " of"),
            Some(size) => (format!("{doing} {size} bytes"), " of"),
            None => (doing.to_string(), ""),
        };
        let size = size.unwrap_or(1);
        if addr < 4096 {
            return (
                ErrorKind::NullDereference,
                format!("{doing} through a null pointer (address {addr:#x})"),
            );
        }
        let Some((id, offset)) = self.near(addr) else {
            let message = format!("{doing} at {addr:#x}, where no object is");
            return (ErrorKind::InvalidPointer, message);
        };
        let info = &self.memory.info[id as usize];
        let what = self.name(id);
        let born = match info.kind {
            Kind::Heap => "allocated here",
            _ => "declared here",
        };
        related.extend(info.born.map(|loc| (loc, format!("{what} is {born}"))));
        let kind = match (info.state, info.kind) {
            (State::Freed, _) => {
                related.extend(info.died.map(|loc| (loc, "freed here".into())));
                return (
                    ErrorKind::UseAfterFree,
                    format!("{doing}{of} {what}, which was freed"),
                );
            }
            (State::ScopeEnded, _) => {
                return (
                    ErrorKind::UseAfterScope,
                    format!("{doing}{of} {what}, whose lifetime has ended"),
                );
            }
            (_, Kind::Func(_)) => {
                return (ErrorKind::NotData, format!("{doing}{of} {what}"));
            }
            (_, Kind::Extern(_)) if self.is_elsewhere((id, offset)) => {
                return (
                    ErrorKind::Undefined,
                    format!("{doing}{of} {what}, which is declared, but defined in no file"),
                );
            }
            _ => ErrorKind::OutOfBounds,
        };
        if let Kind::Extern(_) = info.kind {
            let message = format!("{doing} at offset {offset} of {what}, which is outside of it");
            return (kind, message);
        }
        let fits = offset >= 0 && offset as u64 + size <= info.size;
        if write && fits {
            let message = format!("{doing} to {what}, which is constant");
            return (ErrorKind::ReadOnlyWrite, message);
        }
        let size = info.size;
        let unit = if size == 1 { "byte" } else { "bytes" };
        let message = format!("{doing} at offset {offset} of {what}, which has {size} {unit}");
        (kind, message)
    }

    fn unterminated(&self, addr: u64, related: &mut Vec<(LocId, String)>) -> (ErrorKind, String) {
        let Some((id, offset)) = self.near(addr) else {
            return self.bad_access(addr, reads(1), related);
        };
        let info = &self.memory.info[id as usize];
        let what = self.name(id);
        related.extend(
            info.born
                .map(|loc| (loc, format!("{what} is declared here"))),
        );
        let size = info.size;
        let message = format!(
            "the string at offset {offset} of {what} has no final zero within its {size} bytes"
        );
        (ErrorKind::OutOfBounds, message)
    }

    /// Whether an address leads into a variable that no file defines, so that nobody knows what is there. An
    /// array without a length may be any length.
    fn is_elsewhere(&self, (id, offset): (ObjId, i64)) -> bool {
        let Kind::Extern(var) = self.memory.info[id as usize].kind else {
            return false;
        };
        let size = self.program.types.size_of(self.program.vars[var].ty);
        offset >= 0 && (size == 0 || (offset as u64) < size)
    }

    /// The object that an address lies in or near, and its offset there.
    fn near(&self, addr: u64) -> Option<(ObjId, i64)> {
        if let Some(id) = self.memory.object_at(addr) {
            let offset = addr - self.memory.address(id);
            let past = offset.saturating_sub(self.memory.info[id as usize].size);
            // In the gap between two objects the nearer one is meant.
            if let Some(after) = self.memory.object_at(addr.wrapping_add(past))
                && after != id
            {
                let offset = addr.wrapping_sub(self.memory.address(after)) as i64;
                return Some((after, offset));
            }
            return Some((id, offset as i64));
        }
        for back in [16, 256, 4096, 65536] {
            let Some(id) = self.memory.object_at(addr.wrapping_add(back)) else {
                continue;
            };
            let offset = addr.wrapping_sub(self.memory.address(id)) as i64;
            if (-65536..0).contains(&offset) {
                return Some((id, offset));
            }
        }
        None
    }

    fn bad_free(&self, addr: u64, related: &mut Vec<(LocId, String)>) -> (ErrorKind, String) {
        let Some((id, offset)) = self.near(addr) else {
            let message = format!("freeing {addr:#x}, where no object is");
            return (ErrorKind::BadFree, message);
        };
        let info = &self.memory.info[id as usize];
        let what = self.name(id);
        if info.kind == Kind::Heap && info.state == State::Freed {
            related.extend(info.born.map(|loc| (loc, "allocated here".into())));
            related.extend(info.died.map(|loc| (loc, "freed here".into())));
            return (
                ErrorKind::DoubleFree,
                format!("freeing {what}, which was freed before"),
            );
        }
        let message = match (info.kind, offset) {
            (Kind::Heap, _) => format!("freeing a pointer to offset {offset} of {what}"),
            _ => format!("freeing {what}, which was not allocated on the heap"),
        };
        (ErrorKind::BadFree, message)
    }

    /// Why something is no open handle.
    fn bad_handle(&self, addr: u64, related: &mut Vec<(LocId, String)>) -> String {
        if addr < 4096 {
            return format!("the handle is a null pointer (address {addr:#x})");
        }
        let Some((id, _)) = self.near(addr) else {
            return format!("{addr:#x}, where no object is, is used as a handle");
        };
        let info = &self.memory.info[id as usize];
        if info.kind == Kind::Heap && info.state == State::Freed {
            related.extend(info.born.map(|loc| (loc, "opened here".into())));
            related.extend(info.died.map(|loc| (loc, "closed here".into())));
            return "the handle was closed before".into();
        }
        let what = self.name(id);
        format!("a pointer to {what} is used as a handle, which nothing opened")
    }

    /// What a person calls an object.
    pub(crate) fn name(&self, id: ObjId) -> String {
        let program = self.program;
        match self.memory.info[id as usize].kind {
            Kind::Var(var) | Kind::Extern(var) => {
                let var = &program.vars[var];
                match var.kind {
                    cwolf_cwi::VarKind::Literal => "a literal".into(),
                    _ => var.name.clone(),
                }
            }
            Kind::Heap => "heap memory".into(),
            Kind::Alloca => "memory from alloca".into(),
            Kind::VarArgs(func) => {
                format!("the unnamed arguments of {}", program.funcs[func].name)
            }
            Kind::Temp(func) => format!("a temporary of {}", program.funcs[func].name),
            Kind::Func(func) => format!("the function {}", program.funcs[func].name),
            Kind::Library(what) => what.into(),
        }
    }
}
