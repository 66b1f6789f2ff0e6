//! Conditions over the variables of a program, as users write them and engines track them.

use crate::code::{Expr, FuncId};

/// A condition over the variables of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Predicate {
    /// What the user wrote, on one line.
    pub text: String,
    /// The condition: any scalar, which holds unless it is zero or null. Both sides of `&&` and
    /// `||` may be anything.
    pub condition: Expr,
    /// The function it belongs to; none for a global one.
    pub scope: Option<FuncId>,
}
