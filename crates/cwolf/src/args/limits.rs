//! When to give up: the limits that every long command takes.

use super::duration;
use crate::render::Console;
use clap::Args;
use cwolf_base::Budget;

/// When to give up (exit 5).
#[derive(Debug, Args)]
pub struct Limits {
    /// Stop after this time, such as 500ms, 10s, 2m (exit 5)
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub timeout: Option<std::time::Duration>,
    /// Stop when the process holds this much memory, such as 500M or 4G (exit 5)
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub max_memory: Option<u64>,
}

impl Limits {
    /// The same as a budget that starts now, shows a live line when the work takes long, and
    /// ends at Ctrl-C.
    pub fn budget(&self, console: &Console) -> Budget {
        console.watch(self.unwatched())
    }
    /// As [`Limits::budget`], with a memory limit in any case: running out of what the system
    /// allows would end the process instead of the search.
    pub fn careful_budget(&self, console: &Console) -> Budget {
        let budget = self.unwatched();
        let budget = match (self.max_memory, allowed_memory()) {
            (None, Some(allowed)) => budget.max_memory(allowed),
            _ => budget,
        };
        console.watch(budget)
    }
    /// The limits alone, for a program that has the terminal to itself.
    pub fn unwatched(&self) -> Budget {
        let mut budget = Budget::unlimited();
        if let Some(limit) = self.timeout {
            budget = budget.timeout(limit);
        }
        if let Some(limit) = self.max_memory {
            budget = budget.max_memory(limit);
        }
        budget
    }
}

/// What the process may safely hold: tables double when they grow, so less than half of the
/// address space that it may use beside stacks and code, and most of the memory that there is.
fn allowed_memory() -> Option<u64> {
    const OVERHEAD: u64 = 320 << 20;
    let space = address_space().map(|bytes| bytes.saturating_sub(OVERHEAD) / 100 * 45);
    let machine = std::fs::read_to_string("/proc/meminfo").ok();
    let machine = machine.and_then(|text| {
        let line = text.lines().find(|l| l.starts_with("MemTotal"))?;
        let number = line.split_whitespace().nth(1)?;
        number.parse::<u64>().ok().map(|kib| kib * 1024)
    });
    let group = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let group = group.and_then(|text| text.trim().parse::<u64>().ok());
    let most = |bytes: u64| bytes / 10 * 7;
    [space, machine.map(most), group.map(most)]
        .into_iter()
        .flatten()
        .min()
}

/// The address space that the process may use, if that is limited (`ulimit -v`).
pub fn address_space() -> Option<u64> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits
        .lines()
        .find(|l| l.starts_with("Max address space"))?;
    line.split_whitespace().nth(3)?.parse().ok()
}

/// A size as people write it: `500M`, `4G`, `64KiB`; a bare number is bytes.
fn bytes(text: &str) -> Result<u64, String> {
    let split = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let number: f64 = number
        .parse()
        .map_err(|_| format!("'{text}' is not a size; write for example 500M or 4G"))?;
    let shift = match unit.to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        "T" | "TB" | "TIB" => 40,
        _ => return Err(format!("'{unit}' is not a unit of size; use K, M, G or T")),
    };
    Ok((number * (1u64 << shift) as f64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        assert_eq!(bytes("512"), Ok(512));
        assert_eq!(bytes("1.5K"), Ok(1536));
        assert_eq!(bytes("4GiB"), Ok(4 << 30));
        assert!(bytes("many").is_err());
        assert!(bytes("4X").is_err());
    }
}
