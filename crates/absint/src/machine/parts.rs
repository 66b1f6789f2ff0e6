//! A state as a list of what it consists of, through all frames under way.

use super::layout::Point;
use super::{ANY_CALLER, Machine, PENDING, State};
use crate::domain::Value;
use crate::map::Cell;
use cwolf_cwi::{FuncId, VarId};
use rustc_hash::FxHashMap;

/// A part of a state. Frames are counted from the innermost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    /// Where a frame is.
    Place { frame: u32, location: u32 },
    /// A register.
    Register { frame: u32, number: u32 },
    /// A scalar of a variable.
    Cell { frame: u32, var: VarId, bit: u64 },
}

/// Frames further out are taken as one.
const DEEPEST: u32 = 64;

impl Machine<'_> {
    /// Tells all parts of a state with their values.
    pub(crate) fn parts_of(&self, state: State, visit: &mut dyn FnMut(Part, Value)) {
        let place = |frame, location| Part::Place { frame, location };
        visit(place(0, state.location), Value::Top);
        if let Point::Code { func, .. } | Point::Outside(func) = self.point(state.location) {
            self.frame_parts(0, func, state.local, visit);
        }
        let (mut frame, mut caller) = (1, state.caller);
        while caller != 0 {
            if frame == DEEPEST {
                visit(place(frame, caller), Value::Top);
                break;
            }
            let (call, next, local) = self.tables.parts(caller);
            visit(place(frame, call), Value::Top);
            if call < ANY_CALLER.min(PENDING)
                && let Point::Code { func, .. } = self.point(call)
            {
                self.frame_parts(frame, func, local, visit);
            }
            (frame, caller) = (frame + 1, next);
        }
        let globals = &self.code.layout.globals;
        let values = self.tables.load(state.global, globals.len());
        for (cell, value) in globals.iter().zip(values) {
            visit(part(0, cell), value);
        }
    }
    /// How often the same function is under way at most.
    pub(crate) fn repetition(&self, state: State) -> usize {
        let mut count: FxHashMap<FuncId, usize> = FxHashMap::default();
        self.parts_of(state, &mut |part, _| {
            if let Part::Place { location, .. } = part
                && location < ANY_CALLER
                && let Point::Code { func, .. } = self.point(location)
            {
                *count.entry(func).or_default() += 1;
            }
        });
        count.into_values().max().unwrap_or(0)
    }
    fn frame_parts(
        &self,
        frame: u32,
        func: FuncId,
        local: u32,
        visit: &mut dyn FnMut(Part, Value),
    ) {
        let layout = &self.code.layout;
        let values = self.tables.load(local, layout.frame_size(func));
        let regs = layout.regs[func];
        for (number, value) in (0..regs).zip(&values) {
            visit(Part::Register { frame, number }, *value);
        }
        let cells = layout.locals[func].iter().zip(&values[regs as usize..]);
        for (cell, value) in cells {
            visit(part(frame, cell), *value);
        }
    }
}

fn part(frame: u32, cell: &Cell) -> Part {
    Part::Cell {
        frame,
        var: cell.var,
        bit: cell.bit_offset,
    }
}
