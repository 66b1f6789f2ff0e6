//! Domains against the concrete operators, models against runs.

mod exhaustion;
mod floats;
mod rows;
mod soundness;
mod wide;

/// How many random cases a test tries: a fifth of those of a campaign (`CWOLF_PROGRAMS` is set).
fn cases(campaign: u32) -> u32 {
    match std::env::var_os("CWOLF_PROGRAMS") {
        Some(_) => campaign,
        None => campaign / 5,
    }
}
