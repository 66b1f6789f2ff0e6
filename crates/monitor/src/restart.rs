//! Calls that a signal interrupts and the kernel makes again by itself: the program made one.

use rustc_hash::FxHashMap;

/// For each process, its interrupted calls that may be made again; the last one first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Restarts {
    cut: FxHashMap<i32, Vec<String>>,
}

impl Restarts {
    /// Whether a call that begins only goes on with an interrupted one. By name, as a log has
    /// nothing better: an interrupted call did nothing, so no call is overlooked.
    pub fn goes_on(&mut self, process: i32, call: &str) -> bool {
        let list = self.cut.entry(process).or_default();
        // The kernel's own: goes on with whatever was interrupted, for the time that is left.
        let own = call == "restart_syscall";
        let again = own || list.last().is_some_and(|last| last == call);
        if again {
            list.pop();
        }
        again
    }
    /// A call was interrupted: the kernel makes it again unless a handler says otherwise.
    pub fn interrupted(&mut self, process: i32, call: &str) {
        let list = self.cut.entry(process).or_default();
        list.push(call.to_owned());
        // Handlers may be left by a jump.
        if list.len() > 32 {
            list.remove(0);
        }
    }
    /// A handler is done, and the call that it interrupted fails: the program knows of it.
    pub fn failed(&mut self, process: i32) {
        self.cut.entry(process).or_default().pop();
    }
    /// A process is gone, or a new one has its number.
    pub fn forget(&mut self, process: i32) {
        self.cut.remove(&process);
    }
}
