//! Reduces a file and prints the sizes: `reduce FILE PASS`. For measuring.

use cwolf_base::Budget;
use cwolf_lts::{Pass, read_path, reduce};
use std::io::Write;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(file), Some(name)) = (args.next(), args.next()) else {
        return Err("usage: reduce FILE PASS".into());
    };
    let pass = Pass::from_name(&name).ok_or("no such pass")?;
    let start = Instant::now();
    let lts = read_path(file.as_ref(), None)?;
    let read = start.elapsed();
    let small = reduce(&lts, pass, &Budget::unlimited())
        .map_err(|e| e.to_string())?
        .lts;
    let (read, total) = (read.as_secs_f32(), start.elapsed().as_secs_f32());
    let mut out = std::io::stdout();
    write!(out, "{}/{} -> ", lts.states(), lts.transitions())?;
    writeln!(
        out,
        "{}/{} ({read:.2} s, {total:.2} s)",
        small.states(),
        small.transitions()
    )?;
    Ok(())
}
