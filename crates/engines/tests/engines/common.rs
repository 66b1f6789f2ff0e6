//! Programs for tests, given or random.

use cwolf_cwi::Program;

/// The program, or what is wrong with it.
pub fn compile(text: &str) -> Result<Program, String> {
    let options = cwolf_cfront::Options::default();
    let compiled = cwolf_cfront::compile_text("t.c", text.as_bytes(), &options);
    let wrong = || format!("{:?}\n{text}", compiled.diagnostics);
    compiled.program.ok_or_else(wrong)
}

/// Random choices that follow from a seed.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }
    pub fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len() as u64) as usize]
    }
}

/// How many seeds are tried, and from which on: `CWOLF_CASES` and `CWOLF_SEED`, if they are set.
pub fn seeds(count: u64, first: u64) -> std::ops::Range<u64> {
    let number = |name: &str, default: u64| {
        let value = std::env::var(name).ok();
        value.and_then(|n| n.parse().ok()).unwrap_or(default)
    };
    let first = number("CWOLF_SEED", first);
    first..first + number("CWOLF_CASES", count)
}
