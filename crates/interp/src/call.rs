//! Calls and returns: resolving what is called, passing arguments, unnamed arguments, calls
//! made by native functions.

use crate::code::{Arg, Code, Expects, Scalar, Site, Target};
use crate::compile::{self, scalar};
use crate::error::{ErrorKind, Fault, Stop};
use crate::libc::{self, Call, Ret};
use crate::machine::{Frame, Machine, Resolved, Returned};
use crate::memory::{Fill, Kind, ObjId, State};
use crate::slow::{convert, read_scalar, store_scalar, write_scalar};
use cwolf_cwi::value::Value;
use cwolf_cwi::{Definition, FuncId, Origin, Type, TypeId};
use std::rc::Rc;

/// Native functions may call functions that call native functions, and so on, this deep.
const MAX_NESTING: u32 = 100;

impl<'p> Machine<'p> {
    /// The code of a function: compiled, native, or an error that names it.
    pub(crate) fn resolve(&mut self, func: FuncId) -> Result<Resolved, Stop> {
        if let Some(found) = &self.resolved[func.0 as usize] {
            return Ok(found.clone());
        }
        let found = self.find_code(func)?;
        self.resolved[func.0 as usize] = Some(found.clone());
        Ok(found)
    }

    fn find_code(&mut self, func: FuncId) -> Result<Resolved, Stop> {
        let function = &self.program.funcs[func];
        // The real function is known better than by what stands for it.
        if function.origin == Origin::Approximation
            && let Some(native) = libc::find(&function.name)
        {
            return Ok(Resolved::Native(native));
        }
        if function.body.is_some() {
            let cx = compile::Context {
                program: self.program,
                memory: &self.memory,
                globals: &self.globals,
                functions: &self.functions,
                trace: self.options.tracer.is_some(),
                unspecified_stops: self.options.unspecified_stops,
            };
            let code = compile::compile(&cx, func).map_err(|why| {
                let name = &function.name;
                Fault::Other(ErrorKind::Unsupported, format!("{name} cannot run: {why}"))
            })?;
            return Ok(Resolved::Code(Rc::new(code)));
        }
        let mut names = vec![function.name.as_str()];
        names.extend(function.alias.as_deref());
        for name in names.iter().rev() {
            let mut others = self.program.funcs.enumerate();
            if let Some((other, _)) =
                others.find(|(id, f)| *id != func && f.name == *name && f.body.is_some())
            {
                return self.resolve(other);
            }
        }
        // An inline version of a header gives way to the library's own.
        let own = function.refused.is_none() || function.definition != Definition::Defined;
        if own {
            for name in names.iter().rev() {
                if let Some(native) = libc::find(name) {
                    return Ok(Resolved::Native(native));
                }
            }
        }
        if let Some(refusal) = &function.refused {
            let message = format!("{} is not supported: {}", function.name, refusal.reason);
            return Err(Fault::Other(ErrorKind::Unsupported, message).into());
        }
        let message = match function.origin {
            Origin::Assembly => "inline assembly that may change memory cannot be run".to_owned(),
            _ => format!("the function {} has no body", function.name),
        };
        Err(Fault::Other(ErrorKind::MissingFunction, message).into())
    }

    /// Makes the call `site` of the current frame.
    pub(crate) fn call_site(&mut self, index: u32) -> Result<(), Stop> {
        let frame = self.frames.last().expect("a frame");
        let code = frame.code.clone();
        let site = &code.sites[index as usize];
        let base = frame.base + site.base;
        let careful = frame.careful;
        let func = match site.target {
            Target::Direct(func) => func,
            Target::Indirect(slot) => {
                if self.is_tainted(slot) {
                    return Err(Fault::Uninit("the address of a function").into());
                }
                self.called(self.slot(slot))?
            }
        };
        match self.resolve(func)? {
            Resolved::Code(callee) if site.exact => {
                let tainted = careful && self.any_tainted(base, &callee.params);
                self.push_frame(callee, base, Some(site.expects), tainted, None)
            }
            Resolved::Code(callee) => self.call_converting(callee, base, site, careful),
            Resolved::Native(native) => self.call_native(native, func, base, site, careful),
        }
    }

    /// The function at an address.
    pub(crate) fn called(&self, addr: u64) -> Result<FuncId, Fault> {
        self.memory.function_at(addr).ok_or_else(|| match addr {
            0 => Fault::Other(
                ErrorKind::NullDereference,
                "a call through a null pointer".into(),
            ),
            _ => Fault::Other(
                ErrorKind::NotFunction,
                format!("a call through {addr:#x}, which is not a function's address"),
            ),
        })
    }

    fn any_tainted(&self, base: u32, args: &[Arg]) -> bool {
        let slots = args
            .last()
            .map_or(0, |a| a.at + a.scalar.map_or(1, Scalar::slots));
        self.taint[base as usize..(base + slots) as usize].contains(&true)
    }

    fn push_frame(
        &mut self,
        code: Rc<Code>,
        base: u32,
        expects: Option<Expects>,
        careful: bool,
        varargs: Option<ObjId>,
    ) -> Result<(), Stop> {
        if self.frames.len() >= self.options.max_frames {
            let message = format!("more than {} calls inside each other", self.frames.len());
            return Err(Fault::Other(ErrorKind::StackOverflow, message).into());
        }
        let end = base as usize + code.slots as usize;
        if end > self.stack.len() {
            if end >= u32::MAX as usize / 2 {
                let message = "the call stack is too large".into();
                return Err(Fault::Other(ErrorKind::StackOverflow, message).into());
            }
            self.stack.resize(end * 2, 0);
            self.taint.resize(end * 2, false);
        }
        for object in &code.objects {
            self.stack[base as usize + object.slot as usize] = 0;
        }
        if self.census.asked {
            let after = code.params.last();
            let after = after.map_or(0, |a| a.at + a.scalar.map_or(1, Scalar::slots));
            self.stack[base as usize + after as usize..end].fill(0);
        }
        if careful {
            let after = code.params.last();
            let after = after.map_or(0, |a| a.at + a.scalar.map_or(1, Scalar::slots));
            self.taint[base as usize + after as usize..end].fill(false);
        }
        self.serial += 1;
        self.frames.push(Frame {
            code,
            pc: 0,
            base,
            expects,
            careful,
            varargs,
            allocas: Vec::new(),
            serial: self.serial,
        });
        Ok(())
    }

    /// A call whose arguments may not be what the callee takes.
    fn call_converting(
        &mut self,
        callee: Rc<Code>,
        base: u32,
        site: &Site,
        careful: bool,
    ) -> Result<(), Stop> {
        let function = &self.program.funcs[callee.func];
        let variadic = matches!(&self.program.types[function.ty], Type::Func(f) if f.variadic);
        let named = callee.params.len();
        let mut given = Vec::with_capacity(site.args.len());
        for arg in &site.args {
            let low = self.stack[(base + arg.at) as usize];
            let wide = arg.scalar.is_some_and(Scalar::is_wide);
            let value = match arg.scalar {
                Some(ty) => read_scalar(&self.stack[base as usize..], arg.at, ty),
                None => Value::Int(low.into()),
            };
            let taint = &self.taint[(base + arg.at) as usize..];
            let tainted = careful && (taint[0] || (wide && taint[1]));
            given.push((value, arg.ty, tainted));
        }
        let varargs = match variadic && given.len() >= named {
            true => Some(self.make_varargs(callee.func, &given[named..])?),
            false => None,
        };
        self.pass(&callee, base, &given)?;
        let tainted = self.any_tainted(base, &callee.params);
        self.push_frame(callee, base, Some(site.expects), tainted, varargs)
    }

    /// Puts arguments where the callee expects them; those that are not given are indeterminate.
    fn pass(
        &mut self,
        callee: &Code,
        base: u32,
        given: &[(Value, TypeId, bool)],
    ) -> Result<(), Stop> {
        let room = base as usize + callee.slots as usize;
        if room > self.stack.len() {
            self.stack.resize(room * 2, 0);
            self.taint.resize(room * 2, false);
        }
        for (n, param) in callee.params.iter().enumerate() {
            let at = base as usize + param.at as usize;
            let Some((value, ty, tainted)) = given.get(n).copied() else {
                if param.scalar.is_none() {
                    return Err(self.mismatch(callee.func, n));
                }
                self.stack[at..at + 2].fill(0);
                self.taint[at..at + 2].fill(true);
                continue;
            };
            let from = scalar(&self.program.types, ty);
            let value = match (from, param.scalar) {
                (Some(from), Some(to)) if from == to => value,
                (Some(from @ Scalar::Int(_)), Some(to @ Scalar::Int(_)))
                | (Some(from @ Scalar::Float(_)), Some(to @ Scalar::Float(_))) => {
                    convert(from, to, false, value)
                }
                (None, None) if ty == param.ty => value,
                _ => return Err(self.mismatch(callee.func, n)),
            };
            self.taint[at] = tainted;
            match param.scalar {
                Some(ty) => {
                    write_scalar(&mut self.stack[base as usize..], param.at, ty, value);
                    if ty.is_wide() {
                        self.taint[at + 1] = tainted;
                    }
                }
                None => {
                    if let Value::Int(addr) = value {
                        self.stack[at] = addr as u64;
                    }
                }
            }
        }
        Ok(())
    }

    fn mismatch(&self, func: FuncId, n: usize) -> Stop {
        let name = &self.program.funcs[func].name;
        let message = format!(
            "argument {} of {name} is missing or has a wrong type",
            n + 1
        );
        Fault::Other(ErrorKind::BadCall, message).into()
    }

    /// Lays unnamed arguments out one after the other, each at a multiple of a pointer's size.
    fn make_varargs(
        &mut self,
        func: FuncId,
        args: &[(Value, TypeId, bool)],
    ) -> Result<ObjId, Stop> {
        let types = &self.program.types;
        let word = types.target().pointer_size();
        let sizes = args.iter().map(|(_, ty, _)| types.size_of(*ty));
        let total = sizes.map(|size| size.next_multiple_of(word)).sum();
        let kind = Kind::VarArgs(func);
        let id = self.memory.alloc(total, 16, kind, Fill::Zero, None)?;
        let mut at = self.memory.address(id);
        for (value, ty, tainted) in args {
            let size = types.size_of(*ty);
            match (scalar(types, *ty), value) {
                (Some(_), value) => {
                    self.store_value(at, *ty, None, *value)?;
                    if *tainted {
                        self.memory.forget(at, size)?;
                    }
                }
                (None, Value::Int(from)) => self.memory.copy(at, *from as u64, size)?,
                (None, Value::Float(_)) => {}
            }
            at += size.next_multiple_of(word);
        }
        Ok(id)
    }

    /// Ends the current frame.
    pub(crate) fn leave(&mut self, value: Returned) {
        let frame = self.frames.pop().expect("a frame");
        let ret = frame.code.ret;
        let expects = frame.expects;
        self.end_frame(frame);
        let Some(expects) = expects else {
            self.returned = value;
            return;
        };
        let Some(want) = expects.scalar else {
            return;
        };
        let caller = self.frames.last().expect("the caller");
        let at = (caller.base + caller.code.result) as usize;
        self.stack[at] = value.low;
        self.stack[at + 1] = value.high;
        let mut tainted = value.tainted;
        if ret != expects.ret {
            // The caller believes in another type: integers are converted, the rest is not used.
            match scalar(&self.program.types, ret) {
                Some(have) if matches!((have, want), (Scalar::Int(_), Scalar::Int(_))) => {
                    let value = read_scalar(&self.stack[at..], 0, have);
                    let value = convert(have, want, false, value);
                    write_scalar(&mut self.stack[at..], 0, want, value);
                }
                Some(have) if have == want => {}
                _ => tainted = true,
            }
        }
        self.note_result(at, tainted, expects.used);
    }

    /// Records whether register 0 of the current frame is indeterminate.
    fn note_result(&mut self, at: usize, tainted: bool, used: bool) {
        if tainted && used {
            self.become_careful();
        }
        if self.frames.last().is_some_and(|f| f.careful) {
            self.taint[at] = tainted;
            self.taint[at + 1] = tainted;
        }
    }

    /// Ends the life of everything that a frame owns.
    pub(crate) fn end_frame(&mut self, frame: Frame) {
        if frame.code.objects.is_empty() && frame.allocas.is_empty() && frame.varargs.is_none() {
            return;
        }
        let died = Some(self.program.funcs[frame.code.func].loc);
        for object in &frame.code.objects {
            let addr = self.stack[(frame.base + object.slot) as usize];
            if addr != 0
                && let Some(id) = self.memory.object_at(addr)
            {
                self.memory.release(id, State::ScopeEnded, died);
            }
        }
        for id in frame.allocas.into_iter().chain(frame.varargs) {
            self.memory.release(id, State::ScopeEnded, died);
        }
    }

    fn call_native(
        &mut self,
        native: libc::Native,
        func: FuncId,
        base: u32,
        site: &Site,
        careful: bool,
    ) -> Result<(), Stop> {
        let mut args = Vec::with_capacity(site.args.len());
        for arg in &site.args {
            if careful && self.taint[(base + arg.at) as usize] {
                let name = &self.program.funcs[func].name;
                return Err(Stop::Error(
                    self.explain(Fault::Uninit("an argument"), Some(name)),
                ));
            }
            let value = match arg.scalar {
                Some(ty) => read_scalar(&self.stack[base as usize..], arg.at, ty),
                None => Value::Int(self.stack[(base + arg.at) as usize].into()),
            };
            args.push((value, arg.ty));
        }
        let depth = self.frames.len();
        let name: &'p str = &self.program.funcs[func].name;
        let mut call = Call {
            m: self,
            args: &args,
            ret: site.expects.ret,
            name,
        };
        let value = match native(&mut call) {
            Ok(value) => value,
            Err(Stop::Fault(fault)) => return Err(Stop::Error(self.explain(fault, Some(name)))),
            Err(stop) => return Err(stop),
        };
        let value = match value {
            Ret::Jumped => return Ok(()),
            Ret::Void => return Ok(()),
            Ret::Bytes(bytes) => {
                self.result_bytes = bytes;
                self.result_shadow = None;
                return Ok(());
            }
            Ret::Int(v) => Value::Int(v),
            Ret::Float(ty, bits) => Value::Float(match site.expects.scalar {
                Some(Scalar::Float(to)) => cwolf_cwi::value::float::convert(ty, to, bits),
                _ => bits,
            }),
        };
        debug_assert!(self.frames.len() == depth, "a native call leaves no frame");
        let Some(want) = site.expects.scalar else {
            return Ok(());
        };
        let value = match (value, want) {
            (Value::Int(v), Scalar::Int(ty)) => Value::Int(cwolf_cwi::value::wrap(ty, v)),
            (Value::Float(_), Scalar::Float(_)) => value,
            // Called as if it returned something else: what arrives is not its result.
            (Value::Float(_), Scalar::Int(_)) => Value::Int(0),
            (Value::Int(_), Scalar::Float(_)) => Value::Float(0),
        };
        let frame = self.frames.last().expect("the caller");
        let at = (frame.base + frame.code.result) as usize;
        write_scalar(&mut self.stack[at..], 0, want, value);
        self.note_result(at, false, false);
        Ok(())
    }

    /// Calls a function from native code and waits for its result.
    pub(crate) fn call(&mut self, func: FuncId, args: &[(Value, TypeId)]) -> Result<Value, Stop> {
        if self.nesting >= MAX_NESTING {
            let message = "library functions and callbacks are nested too deeply".into();
            return Err(Fault::Other(ErrorKind::StackOverflow, message).into());
        }
        let code = match self.resolve(func)? {
            Resolved::Code(code) => code,
            Resolved::Native(native) => {
                let name: &'p str = &self.program.funcs[func].name;
                let ret = match &self.program.types[self.program.funcs[func].ty] {
                    Type::Func(ty) => ty.ret,
                    _ => cwolf_cwi::Types::INT,
                };
                let mut call = Call {
                    m: self,
                    args,
                    ret,
                    name,
                };
                return Ok(match native(&mut call)? {
                    Ret::Int(v) => Value::Int(v),
                    Ret::Float(_, bits) => Value::Float(bits),
                    _ => Value::Int(0),
                });
            }
        };
        let top = self.frames.last();
        let base = top.map_or(0, |f| f.base + f.code.slots);
        let given: Vec<_> = args.iter().map(|(v, ty)| (*v, *ty, false)).collect();
        let function = &self.program.funcs[func];
        let ty = match &self.program.types[function.ty] {
            Type::Func(ty) => Some(ty),
            _ => None,
        };
        let named = code.params.len();
        let varargs = match ty.is_some_and(|t| t.variadic) && given.len() >= named {
            true => Some(self.make_varargs(func, &given[named..])?),
            false => None,
        };
        self.pass(&code, base, &given)?;
        let floor = self.frames.len();
        let tainted = self.any_tainted(base, &code.params);
        self.push_frame(code, base, None, tainted, varargs)?;
        self.nesting += 1;
        let end = self.run_until(floor);
        self.nesting -= 1;
        end?;
        let returned = self.returned;
        let ret = ty.and_then(|t| scalar(&self.program.types, t.ret));
        let Some(ret) = ret else {
            return Ok(Value::Int(0));
        };
        if returned.tainted && floor > 0 {
            return Err(Fault::Uninit("the result of a callback").into());
        }
        Ok(read_scalar(&[returned.low, returned.high], 0, ret))
    }

    /// Calls the function at an address from native code.
    pub(crate) fn call_address(
        &mut self,
        addr: u64,
        args: &[(Value, TypeId)],
    ) -> Result<Value, Stop> {
        let func = self.called(addr)?;
        self.call(func, args)
    }

    /// Stores a scalar of a type at an address; `bits` is a bit-field's offset in its byte.
    pub(crate) fn store_value(
        &mut self,
        addr: u64,
        ty: TypeId,
        bits: Option<u8>,
        value: Value,
    ) -> Result<(), Fault> {
        let layout = compile::layout(&self.program.types, ty, bits);
        store_scalar(&mut self.memory, &layout, addr, value)
    }
}
