//! The threads that explore together. They stay for the whole search: a step of it may take less
//! time than starting a thread, or than waking one.

use rayon_core::{ThreadPool, ThreadPoolBuilder};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// So long a thread without work looks out for the next before it goes to sleep. Woken threads
/// may have to wait for a processor, even if there is one without work.
const PATIENCE: Duration = Duration::from_millis(1);

/// The first thread, which is the one that asks, and others that help it.
pub(crate) struct Threads {
    others: Option<ThreadPool>,
    jobs: usize,
    /// How often there was work.
    calls: Arc<AtomicUsize>,
}

impl Threads {
    /// So many threads in all; one, if the system gives no more.
    pub fn new(jobs: usize) -> Threads {
        let pool = || ThreadPoolBuilder::new().num_threads(jobs - 1).build();
        let others = (jobs > 1).then(pool).and_then(Result::ok);
        Threads {
            jobs: if others.is_some() { jobs } else { 1 },
            others,
            calls: Arc::default(),
        }
    }
    pub fn jobs(&self) -> usize {
        self.jobs
    }
    /// Does all pieces of work, the first of them on this thread.
    pub fn work<P: Send>(&self, pieces: impl IntoIterator<Item = P>, work: impl Fn(P) + Sync) {
        let work = &work;
        let mut pieces = pieces.into_iter();
        let first = pieces.next();
        let Some(others) = &self.others else {
            return first.into_iter().chain(pieces).for_each(work);
        };
        let call = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        others.in_place_scope(|scope| {
            for piece in pieces {
                let calls = self.calls.clone();
                scope.spawn(move |_| {
                    work(piece);
                    rayon_core::spawn(move || look_out(&calls, call));
                });
            }
            first.into_iter().for_each(work);
        });
    }
}

/// Waits for the next call, though not for long.
fn look_out(calls: &AtomicUsize, call: usize) {
    let start = Instant::now();
    while calls.load(Ordering::Relaxed) == call && start.elapsed() < PATIENCE {
        std::thread::yield_now();
    }
}
