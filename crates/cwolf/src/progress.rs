//! A live line on standard error while a command works, and Ctrl-C.

use crate::log;
use cwolf_base::{Budget, resident_bytes};
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

/// How long a command works silently.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often the line changes.
const EVERY: Duration = Duration::from_millis(200);

/// Lets a line on standard error (if `live`) and the log follow what `budget` is told.
pub fn watch(budget: Budget, live: bool) -> Budget {
    let started = Instant::now();
    let limit = budget.time_left();
    let bar = OnceLock::new();
    budget.watched(EVERY, move |line| {
        log::write(&format!("{line}{}", around(started, limit)));
        if !live || started.elapsed() < PATIENCE {
            return;
        }
        let bar: &ProgressBar = bar.get_or_init(|| {
            let style = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}");
            let bar = ProgressBar::new_spinner();
            bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
        });
        bar.set_message(format!("{line}{}", around(started, limit)));
        bar.tick();
    })
}

/// What is worth knowing beside the counts: memory, and the time that is left.
fn around(started: Instant, limit: Option<Duration>) -> String {
    let memory = resident_bytes().map_or(String::new(), |b| format!(", {} MB", b >> 20));
    let left = limit.map_or(String::new(), |limit| {
        let left = limit.saturating_sub(started.elapsed());
        format!(", {} s left", left.as_secs())
    });
    memory + &left
}

/// Sets the newest flag at the first Ctrl-C (a clean end with what is there) and ends the
/// process at the second.
pub fn on_interrupt(flag: Arc<AtomicBool>) {
    static CURRENT: Mutex<Option<Arc<AtomicBool>>> = Mutex::new(None);
    static INSTALLED: OnceLock<()> = OnceLock::new();
    *CURRENT
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner) = Some(flag);
    INSTALLED.get_or_init(|| {
        // A system without signals has no Ctrl-C to handle: nothing is lost.
        let _ = ctrlc::set_handler(|| {
            let current = CURRENT
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            let first = current
                .as_ref()
                .is_some_and(|flag| !flag.swap(true, Ordering::Relaxed));
            if !first {
                std::process::exit(130);
            }
        });
    });
}
