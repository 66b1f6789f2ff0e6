//! Unnamed arguments of `printf` and its kin: given directly, or in the area that a `va_list`
//! points into.

use super::Call;
use crate::error::{ErrorKind, Fault};
use cwolf_cwi::value::{self, Value, float};
use cwolf_cwi::{FloatTy, IntTy, Target, Type};

/// Where the next unnamed argument comes from.
pub(super) enum VarArgs {
    /// The call's arguments from this number on.
    Direct(usize),
    /// This address.
    Area(u64),
}

impl VarArgs {
    /// The arguments of a `va_list` argument. With 64 bits it is the address of a record whose
    /// second word points into the area; with 32 bits it is that pointer itself.
    pub fn from_list(call: &Call<'_, '_>, n: usize) -> Result<VarArgs, Fault> {
        let list = call.ptr(n)?;
        Ok(VarArgs::Area(match call.m.program.target() {
            Target::Lp64 => call.load_ptr(list + 8)?,
            Target::Ilp32 => list,
        }))
    }

    fn take(&mut self, call: &Call<'_, '_>, size: u64) -> Result<Option<Vec<u8>>, Fault> {
        match self {
            VarArgs::Direct(_) => Ok(None),
            VarArgs::Area(addr) => {
                let bytes = match call.m.memory.written_bytes(*addr, size) {
                    Ok(bytes) => bytes.to_vec(),
                    Err(Fault::Read { .. }) => return Err(too_few()),
                    Err(fault) => return Err(fault),
                };
                *addr += size.next_multiple_of(call.word());
                Ok(Some(bytes))
            }
        }
    }

    fn direct(&mut self, call: &Call<'_, '_>) -> Result<(Value, Option<FloatTy>), Fault> {
        let VarArgs::Direct(n) = self else {
            return Err(too_few());
        };
        let (value, ty) = call.args.get(*n).ok_or_else(too_few)?;
        *n += 1;
        Ok(match call.m.program.types[*ty] {
            Type::Float(f) => (*value, Some(f)),
            _ => (*value, None),
        })
    }

    /// The next argument as an integer of type `ty`.
    pub fn int(&mut self, call: &Call<'_, '_>, ty: IntTy) -> Result<i128, Fault> {
        // Narrow types arrive promoted to `int`.
        let size = ty.size().max(4);
        if let Some(bytes) = self.take(call, size)? {
            let mut word = [0; 16];
            word[..bytes.len()].copy_from_slice(&bytes);
            return Ok(value::wrap(ty, i128::from_le_bytes(word)));
        }
        match self.direct(call)? {
            (Value::Int(v), _) => Ok(value::wrap(ty, v)),
            _ => Err(wrong("an integer")),
        }
    }

    /// The next argument as a pointer.
    pub fn ptr(&mut self, call: &Call<'_, '_>) -> Result<u64, Fault> {
        let ty = call.m.program.target().word(false);
        Ok(self.int(call, ty)? as u64)
    }

    /// The next argument as a float: a double, or a `long double`.
    pub fn float(&mut self, call: &Call<'_, '_>, long: bool) -> Result<(FloatTy, u128), Fault> {
        let ty = if long { FloatTy::F80 } else { FloatTy::F64 };
        let size = match (long, call.m.program.target()) {
            (false, _) => 8,
            (true, Target::Lp64) => 16,
            (true, Target::Ilp32) => 12,
        };
        if let VarArgs::Area(addr) = self {
            let used = float::encoded_size(ty) as u64;
            let at = *addr;
            *addr += size;
            let bytes = call.m.memory.written_bytes(at, used).map_err(|f| match f {
                Fault::Read { .. } => too_few(),
                other => other,
            })?;
            let mut word = [0; 16];
            word[..bytes.len()].copy_from_slice(bytes);
            return Ok((ty, u128::from_le_bytes(word)));
        }
        match self.direct(call)? {
            (Value::Float(bits), Some(from)) => Ok((ty, float::convert(from, ty, bits))),
            _ => Err(wrong("a floating-point number")),
        }
    }
}

fn too_few() -> Fault {
    Fault::Other(
        ErrorKind::BadCall,
        "the format asks for more arguments than there are".into(),
    )
}

fn wrong(what: &str) -> Fault {
    Fault::Other(
        ErrorKind::BadCall,
        format!("the format asks for {what}, the argument is something else"),
    )
}
