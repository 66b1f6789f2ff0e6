//! Which steps of a program are errors.

use cwolf_cwi::CheckKind;

/// Which undefined steps are errors: those that an `Assert` of the program demands not to happen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Checks {
    /// A failed `assert` (`__assert_fail`, `__VERIFIER_assert`).
    pub assertions: bool,
    /// An access outside the object that a pointer points into, or an index outside its array.
    pub bounds: bool,
    /// An access through a null, dangling, freed or made-up pointer; a bad `free`.
    pub pointer: bool,
    /// Integer division by zero.
    pub division: bool,
    /// Signed arithmetic that leaves its type.
    pub overflow: bool,
    /// A shift by a negative amount or by the width or more.
    pub shift: bool,
    /// A decision on a value that was never written.
    pub uninitialised: bool,
    /// Allocated memory that is not freed, or that nothing leads to.
    pub leaks: bool,
    /// A run goes on after a step that C does not define and that is not checked: it reads or computes
    /// any value, and writes nothing that is known. If not set, such a run ends silently.
    pub follow_undefined: bool,
}

impl Checks {
    /// Whether it matters which objects are alive.
    pub(crate) fn follows_lives(&self) -> bool {
        self.pointer || self.follow_undefined || self.leaks
    }
    /// The kinds that are checked.
    pub fn kinds(&self) -> Vec<CheckKind> {
        let all = [
            (self.assertions, CheckKind::Assertion),
            (self.bounds, CheckKind::Bounds),
            (self.pointer, CheckKind::Pointer),
            (self.division, CheckKind::DivisionByZero),
            (self.overflow, CheckKind::Overflow),
            (self.shift, CheckKind::Shift),
            (self.uninitialised, CheckKind::Uninitialised),
        ];
        let on = all.into_iter().filter(|(on, _)| *on);
        on.map(|(_, kind)| kind).collect()
    }
}
