//! Allocation: the heap, `alloca` and the builtins around it.

use super::{Call, ENOMEM, Native, Ret};
use crate::error::Stop;
use crate::memory::{Fill, Kind, State};

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "malloc" | "__libc_malloc" => malloc,
        "__VERIFIER_nondet_memory" => |call| {
            let (addr, size) = (call.ptr(0)?, call.size(1)?);
            call.m.memory.writable(addr, size)?;
            call.m.choose_bytes(addr, size)?;
            Ok(Ret::Void)
        },
        // It ends the program instead of failing.
        "xmalloc" => |call| {
            let size = call.size(0)?;
            allocate(call, size, 16, Fill::Unwritten)
        },
        "calloc" => calloc,
        "realloc" => realloc,
        "reallocarray" => reallocarray,
        "free" | "cfree" => free,
        "aligned_alloc" | "memalign" => aligned_alloc,
        "valloc" => |call| {
            let size = call.size(0)?;
            request(call, size, 4096, Fill::Unwritten)
        },
        "pvalloc" => |call| {
            let size = call.size(0)?.max(1).next_multiple_of(4096);
            request(call, size, 4096, Fill::Unwritten)
        },
        "posix_memalign" => posix_memalign,
        "malloc_usable_size" => malloc_usable_size,
        "alloca" | "__builtin_alloca" | "__builtin_alloca_with_align" => alloca,
        "__builtin_stack_save" => stack_save,
        "__builtin_stack_restore" => stack_restore,
        _ => return None,
    })
}

/// Memory, unless the system has none left.
fn request(call: &mut Call<'_, '_>, size: u64, align: u64, fill: Fill) -> Result<Ret, Stop> {
    if call.m.allocation_fails()? {
        return Ok(Ret::Int(0));
    }
    allocate(call, size, align, fill)
}

fn allocate(call: &mut Call<'_, '_>, size: u64, align: u64, fill: Fill) -> Result<Ret, Stop> {
    // No object may be larger than half the address space; the library refuses by itself.
    if size > call.m.mask / 2 {
        call.m.set_errno(ENOMEM)?;
        return Ok(Ret::Int(0));
    }
    let here = call.m.here();
    let align = align.max(16);
    let id = call.m.memory.alloc(size, align, Kind::Heap, fill, here)?;
    call.m.count_in(id);
    Ok(Ret::Int(call.m.memory.address(id).into()))
}

fn malloc(call: &mut Call<'_, '_>) -> Result<Ret, Stop> {
    let size = call.size(0)?;
    request(call, size, 16, Fill::Unwritten)
}

fn calloc(call: &mut Call<'_, '_>) -> Result<Ret, Stop> {
    let size = product(call, 0, 1)?;
    request(call, size, 16, Fill::Zero)
}

fn realloc(call: &mut Call<'_, '_>) -> Result<Ret, Stop> {
    let size = call.size(1)?;
    resize(call, size)
}

fn reallocarray(call: &mut Call<'_, '_>) -> Result<Ret, Stop> {
    let size = product(call, 1, 2)?;
    resize(call, size)
}

/// The product of two sizes; more than any object has if it does not fit.
fn product(call: &Call<'_, '_>, a: usize, b: usize) -> Result<u64, Stop> {
    let size = call.size(a)?.saturating_mul(call.size(b)?);
    Ok(if size > call.m.mask { u64::MAX } else { size })
}

fn resize(call: &mut Call<'_, '_>, size: u64) -> Result<Ret, Stop> {
    let old = call.ptr(0)?;
    if old == 0 {
        return request(call, size, 16, Fill::Unwritten);
    }
    let id = call.m.memory.heap_block(old)?;
    let here = call.m.here();
    if size == 0 {
        // As glibc does: it frees.
        call.m.memory.release(id, State::Freed, here);
        return Ok(Ret::Int(0));
    }
    let new = request(call, size, 16, Fill::Unwritten)?;
    if let Ret::Int(addr) = new
        && addr != 0
    {
        let keep = size.min(call.m.memory.info[id as usize].size);
        call.m.memory.copy(addr as u64, old, keep)?;
        call.m.memory.release(id, State::Freed, here);
    }
    Ok(new)
}

fn free(call: &mut Call<'_, '_>) -> Result<Ret, Stop> {
    let addr = call.ptr(0)?;
    if addr != 0 {
        let id = call.m.memory.heap_block(addr)?;
        let here = call.m.here();
        call.m.memory.release(id, State::Freed, here);
    }
    Ok(Ret::Void)
}

fn aligned_alloc(call: &mut Call<'_, '_>) -> Result<Ret, Stop> {
    let (align, size) = (call.size(0)?, call.size(1)?);
    if !align.is_power_of_two() || align > 1 << 24 {
        call.m.set_errno(22)?;
        return Ok(Ret::Int(0));
    }
    request(call, size, align, Fill::Unwritten)
}

fn posix_memalign(call: &mut Call<'_, '_>) -> Result<Ret, Stop> {
    let (to, align, size) = (call.ptr(0)?, call.size(1)?, call.size(2)?);
    if !align.is_power_of_two() || align < call.word() || align > 1 << 24 {
        return Ok(Ret::Int(22));
    }
    match request(call, size, align, Fill::Unwritten)? {
        Ret::Int(addr) if addr != 0 => {
            call.store_ptr(to, addr as u64)?;
            Ok(Ret::Int(0))
        }
        _ => Ok(Ret::Int(ENOMEM.into())),
    }
}

fn malloc_usable_size(call: &mut Call<'_, '_>) -> Result<Ret, Stop> {
    let addr = call.ptr(0)?;
    if addr == 0 {
        return Ok(Ret::Int(0));
    }
    let id = call.m.memory.heap_block(addr)?;
    Ok(Ret::Int(call.m.memory.info[id as usize].size.into()))
}

fn alloca(call: &mut Call<'_, '_>) -> Result<Ret, Stop> {
    let size = call.size(0)?;
    // The second argument of the aligned form counts bits.
    let align = match call.args.get(1) {
        Some(_) => (call.size(1)? / 8).clamp(16, 1 << 20),
        None => 16,
    };
    let here = call.m.here();
    let fill = Fill::Unwritten;
    let id = call.m.memory.alloc(size, align, Kind::Alloca, fill, here)?;
    if let Some(frame) = call.m.frames.last_mut() {
        frame.allocas.push(id);
    }
    Ok(Ret::Int(call.m.memory.address(id).into()))
}

/// The mark is how many allocations the frame has; it is no object's address.
fn stack_save(call: &mut Call<'_, '_>) -> Result<Ret, Stop> {
    let count = call.m.frames.last().map_or(0, |f| f.allocas.len());
    Ok(Ret::Int(count as i128 + 1))
}

fn stack_restore(call: &mut Call<'_, '_>) -> Result<Ret, Stop> {
    let count = call.ptr(0)?.saturating_sub(1) as usize;
    let here = call.m.here();
    while let Some(frame) = call.m.frames.last_mut()
        && frame.allocas.len() > count
        && let Some(id) = frame.allocas.pop()
    {
        call.m.memory.release(id, State::ScopeEnded, here);
    }
    Ok(Ret::Void)
}
