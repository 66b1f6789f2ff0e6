//! How to encode.

use crate::check::Checks;
use crate::walk::Procedures;
use cwolf_cwi::{CheckId, FuncId};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// How to encode.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which steps are errors.
    pub checks: Checks,
    /// Functions whose call is an error.
    pub error_functions: Vec<FuncId>,
    /// How far an encoding goes.
    pub mode: Mode,
    /// Checks that somebody has proved: they make no obligations.
    pub proved: Arc<FxHashSet<CheckId>>,
}

/// How far an encoding goes.
#[derive(Clone, Debug)]
pub enum Mode {
    /// Through loops and recursion as far as asked, each allocation an object of its own.
    Unroll,
    /// To the heads of loops.
    Cuts,
    /// To the heads of loops and to calls of procedures, each of which is encoded by itself.
    Procedures(Procedures),
}

impl Mode {
    /// Whether loops are followed.
    pub(crate) fn unrolls(&self) -> bool {
        matches!(self, Mode::Unroll)
    }
    /// The functions that are encoded by themselves.
    pub(crate) fn procedures(&self) -> Option<&Procedures> {
        match self {
            Mode::Procedures(procedures) => Some(procedures),
            Mode::Unroll | Mode::Cuts => None,
        }
    }
}
