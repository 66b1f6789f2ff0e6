//! Room for deep recursion.

/// Terms are walked by recursion in places. Only the pages that are touched take memory, but where
/// the address space is limited, there may be room for a smaller stack only.
const STACKS: [usize; 3] = [256 << 20, 64 << 20, 16 << 20];
/// There must be room for so many of them.
const ROOM: usize = 16;

/// Runs `work` with room for deep recursion.
pub fn with_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let builder = |size| std::thread::Builder::new().stack_size(size);
        // Several take turns, and others want a gigabyte at a time.
        let room = |size: &usize| builder(size.saturating_mul(ROOM)).spawn(|| ());
        let fits = |size: &usize| room(size).is_ok_and(|t| t.join().is_ok());
        let size = STACKS.into_iter().find(fits).or(STACKS.last().copied());
        let started = size.map(|size| builder(size).spawn_scoped(scope, work));
        match started {
            Some(Ok(thread)) => match thread.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            },
            // As any allocation that fails.
            _ => std::process::abort(),
        }
    })
}
