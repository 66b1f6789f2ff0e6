//! `qsort`, comparing in the order that glibc does (a merge sort), and searches in arrays.

use super::{Call, Native, Ret};
use crate::error::Stop;
use crate::memory::{Fill, Kind, State};
use cwolf_cwi::value::Value;

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "qsort" => |c| qsort(c, false),
        "qsort_r" => |c| qsort(c, true),
        "bsearch" => bsearch,
        "lfind" => |c| lfind(c, false),
        "lsearch" => |c| lfind(c, true),
        _ => return None,
    })
}

struct Compare {
    func: u64,
    extra: Option<u64>,
}

impl Compare {
    fn run(&self, call: &mut Call<'_, '_>, a: u64, b: u64) -> Result<i128, Stop> {
        let mut args = vec![call.pointer_arg(a), call.pointer_arg(b)];
        if let Some(extra) = self.extra {
            args.push(call.pointer_arg(extra));
        }
        match call.m.call_address(self.func, &args)? {
            Value::Int(v) => Ok(v),
            Value::Float(_) => Ok(0),
        }
    }
}

/// Elements larger than this are sorted through pointers.
const DIRECT: u64 = 32;

fn qsort(call: &mut Call<'_, '_>, extra: bool) -> Result<Ret, Stop> {
    let (base, count, size) = (call.ptr(0)?, call.size(1)?, call.size(2)?);
    let compare = Compare {
        func: call.ptr(3)?,
        extra: match extra {
            true => Some(call.ptr(4)?),
            false => None,
        },
    };
    let total = count.saturating_mul(size);
    call.m.memory.writable(base, total)?;
    if count < 2 || size == 0 {
        return Ok(Ret::Void);
    }
    let kind = Kind::Library("the space of qsort");
    let fill = Fill::Unwritten;
    let temp = call.m.memory.alloc(total, 16, kind, fill, None)?;
    let space = call.m.memory.address(temp);
    let sorted = if size > DIRECT {
        let mut list: Vec<u64> = (0..count).map(|n| base + n * size).collect();
        sort_pointers(call, &compare, &mut list).and_then(|()| {
            call.m.memory.copy(space, base, total)?;
            for (n, from) in list.iter().enumerate() {
                let to = base + n as u64 * size;
                call.m.memory.copy(to, space + (from - base), size)?;
            }
            Ok(())
        })
    } else {
        sort_direct(call, &compare, base, count, size, space)
    };
    // On a jump out of the comparison the space must still go.
    call.m.memory.release(temp, State::Freed, None);
    sorted.map(|()| Ret::Void)
}

fn sort_direct(
    call: &mut Call<'_, '_>,
    compare: &Compare,
    base: u64,
    count: u64,
    size: u64,
    space: u64,
) -> Result<(), Stop> {
    if count <= 1 {
        return Ok(());
    }
    let half = count / 2;
    let (mut a, mut b) = (base, base + half * size);
    let (mut left, mut right) = (half, count - half);
    sort_direct(call, compare, a, left, size, space)?;
    sort_direct(call, compare, b, right, size, space)?;
    let mut to = space;
    while left > 0 && right > 0 {
        if compare.run(call, a, b)? <= 0 {
            call.m.memory.copy(to, a, size)?;
            a += size;
            left -= 1;
        } else {
            call.m.memory.copy(to, b, size)?;
            b += size;
            right -= 1;
        }
        to += size;
    }
    // What is left of the second half is in place already.
    call.m.memory.copy(to, a, left * size)?;
    call.m.memory.copy(base, space, (count - right) * size)?;
    Ok(())
}

fn sort_pointers(call: &mut Call<'_, '_>, compare: &Compare, list: &mut [u64]) -> Result<(), Stop> {
    if list.len() <= 1 {
        return Ok(());
    }
    let half = list.len() / 2;
    let (first, second) = list.split_at_mut(half);
    sort_pointers(call, compare, first)?;
    sort_pointers(call, compare, second)?;
    let mut merged = Vec::with_capacity(first.len() + second.len());
    let (mut a, mut b) = (0, 0);
    while a < first.len() && b < second.len() {
        if compare.run(call, first[a], second[b])? <= 0 {
            merged.push(first[a]);
            a += 1;
        } else {
            merged.push(second[b]);
            b += 1;
        }
    }
    merged.extend_from_slice(&first[a..]);
    merged.extend_from_slice(&second[b..]);
    list.copy_from_slice(&merged);
    Ok(())
}

fn bsearch(call: &mut Call<'_, '_>) -> Result<Ret, Stop> {
    let (key, base) = (call.ptr(0)?, call.ptr(1)?);
    let (count, size) = (call.size(2)?, call.size(3)?);
    let compare = Compare {
        func: call.ptr(4)?,
        extra: None,
    };
    call.m.memory.readable(base, count.saturating_mul(size))?;
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        let at = base.wrapping_add(middle.wrapping_mul(size));
        match compare.run(call, key, at)? {
            ..0 => high = middle,
            0 => return Ok(Ret::Int(at.into())),
            _ => low = middle + 1,
        }
    }
    Ok(Ret::Int(0))
}

/// Linear search; `lsearch` adds what it does not find.
fn lfind(call: &mut Call<'_, '_>, adds: bool) -> Result<Ret, Stop> {
    let (key, base, counter) = (call.ptr(0)?, call.ptr(1)?, call.ptr(2)?);
    let count = call.load_ptr(counter)?;
    let size = call.size(3)?;
    let compare = Compare {
        func: call.ptr(4)?,
        extra: None,
    };
    let total = count.saturating_mul(size);
    call.m.memory.readable(base, total)?;
    for n in 0..count {
        let at = base.wrapping_add(n.wrapping_mul(size));
        if compare.run(call, key, at)? == 0 {
            return Ok(Ret::Int(at.into()));
        }
    }
    if !adds {
        return Ok(Ret::Int(0));
    }
    let end = base.wrapping_add(total);
    call.m.memory.copy_apart(end, key, size)?;
    call.store_ptr(counter, count + 1)?;
    Ok(Ret::Int(end.into()))
}
