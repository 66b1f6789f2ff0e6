//! The threads that explore together. They stay for the whole search: a step of it may take less
//! time than starting a thread.

use rayon_core::{ThreadPool, ThreadPoolBuilder};

/// The first thread, which is the one that asks, and others that help it.
pub(crate) struct Crew {
    others: Option<ThreadPool>,
    jobs: usize,
}

impl Crew {
    /// So many threads in all; one, if the system gives no more.
    pub fn new(jobs: usize) -> Crew {
        let others = match jobs {
            0 | 1 => None,
            _ => ThreadPoolBuilder::new().num_threads(jobs - 1).build().ok(),
        };
        Crew {
            jobs: if others.is_some() { jobs } else { 1 },
            others,
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
        match &self.others {
            Some(others) => others.in_place_scope(|scope| {
                for piece in pieces {
                    scope.spawn(move |_| work(piece));
                }
                first.into_iter().for_each(work);
            }),
            None => first.into_iter().chain(pieces).for_each(work),
        }
    }
}
