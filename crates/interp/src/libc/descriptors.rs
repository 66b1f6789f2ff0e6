//! Which descriptors are open, for programs whose files come from outside: see `stubs::descriptors` in `prepare`.

use super::{Call, Native, Ret};
use crate::error::Stop;
use std::collections::BTreeSet;

/// What the program did to descriptors. Of others nothing is known but that the first three are open.
#[derive(Debug)]
pub(crate) struct Descriptors {
    open: BTreeSet<i32>,
    shut: BTreeSet<i32>,
}

impl Default for Descriptors {
    fn default() -> Descriptors {
        Descriptors {
            open: (0..3).collect(),
            shut: BTreeSet::new(),
        }
    }
}

impl Descriptors {
    /// A descriptor that is not open: the wanted one, or the lowest.
    fn open(&mut self, wanted: i32) -> i32 {
        let is_free = |n: &i32| !self.open.contains(n);
        let lowest = || (0..i32::MAX).find(is_free);
        let given = Some(wanted).filter(is_free).or_else(lowest);
        let given = given.unwrap_or(wanted);
        self.open.insert(given);
        self.shut.remove(&given);
        given
    }

    /// Whether a descriptor may have been open, which it is no more.
    fn shut(&mut self, descriptor: i32) -> bool {
        self.open.remove(&descriptor);
        descriptor >= 0 && self.shut.insert(descriptor)
    }
}

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "__cwolf_descriptor" => open,
        "__cwolf_shut" => shut,
        _ => return None,
    })
}

fn open(call: &mut Call<'_, '_>) -> Result<Ret, Stop> {
    let wanted = call.int32(0)?;
    Ok(Ret::Int(call.m.library.descriptors.open(wanted).into()))
}

fn shut(call: &mut Call<'_, '_>) -> Result<Ret, Stop> {
    let descriptor = call.int32(0)?;
    Ok(Ret::Int(call.m.library.descriptors.shut(descriptor).into()))
}
