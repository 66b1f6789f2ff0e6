//! Puts the parts of a program together, by C's rules.
//!
//! - A name with external linkage means one thing everywhere. Of several, a definition wins
//!   over a tentative one, that over a weak one, that over a declaration; two definitions are
//!   an error, as is a name used for a function and a variable. Static names, literals and
//!   automatic variables stay apart.
//! - Tentative definitions merge into the largest. `extern int a[]` agrees with `int a[10]`,
//!   `int f()` with `int f(int)`; other differences are warned of, and uses keep the type they
//!   were compiled with (through a converted address).
//! - Records with the same tag and shape are one, looking through pointers to each other; an
//!   incomplete record is completed by the only complete one of its tag. Which one is the only
//!   one can depend on the parts at hand: this alone makes linking in steps differ from linking
//!   at once.
//! - An alias of a function gets the body of the function it names in its file, and its address;
//!   an alias of a variable becomes that variable.
//! - A reference is weak only if all of them are; [`weak::settle`] makes those null that
//!   nothing defines, once no further part can come.
//!
//! The result can be linked again, and grouping does not matter.

mod alias;
mod records;
mod rewrite;
mod symbols;
#[cfg(test)]
mod tests;
pub mod weak;

use crate::code::{FuncId, LocId, VarId};
use crate::program::{Check, FileId, Loc, Note, Program, Startup};
use crate::target::Target;
use crate::types::TypeId;
use cwolf_base::IndexVec;
use rustc_hash::FxHashMap;

/// The outcome of linking.
#[derive(Clone, Debug)]
pub struct Linked {
    /// The whole.
    pub program: Program,
    /// What the user should look at.
    pub warnings: Vec<LinkWarning>,
}

/// Two places that disagree, though not so that linking fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` {difference}: {first} and {second}")]
pub struct LinkWarning {
    /// What they name.
    pub name: String,
    /// How they disagree.
    pub difference: String,
    /// `file:line` of the one that counts.
    pub first: String,
    /// `file:line` of the other.
    pub second: String,
}

/// What to do about two definitions.
fn advice(name: &str) -> &'static str {
    match name {
        "main" => {
            "name the files of one program, or let `cwolf scan` find out which files belong together"
        }
        _ => "make one of them static or extern",
    }
}

/// Why linking fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// There are no parts.
    #[error("there is nothing to link; name at least one file")]
    Nothing,
    /// Parts for different machines.
    #[error("part {part} is compiled for {found:?}, the first for {wanted:?}; compile all for one")]
    Targets {
        /// Which part, from 1.
        part: usize,
        /// Its machine.
        found: Target,
        /// The machine of the first.
        wanted: Target,
    },
    /// Two definitions of one name.
    #[error(
        "`{name}` is defined at {first} and again at {second}; {}",
        advice(name)
    )]
    Duplicate {
        /// The name.
        name: String,
        /// `file:line` of the first.
        first: String,
        /// `file:line` of the second.
        second: String,
    },
    /// One name for a function and a variable.
    #[error(
        "`{name}` is a function at {function} and a variable at {variable}; rename one of them"
    )]
    Kinds {
        /// The name.
        name: String,
        /// `file:line` of the function.
        function: String,
        /// `file:line` of the variable.
        variable: String,
    },
}

/// What the ids of one part have become.
struct Maps {
    files: IndexVec<FileId, FileId>,
    locs: IndexVec<LocId, LocId>,
    types: IndexVec<TypeId, TypeId>,
    /// The type each function was declared with, in the whole's numbers.
    func_types: IndexVec<FuncId, TypeId>,
    funcs: IndexVec<FuncId, FuncId>,
    /// Whether each function counts, or gave way to another.
    counts: IndexVec<FuncId, bool>,
    /// The number of the part's first check in the whole.
    first_check: u32,
    /// None for variables of functions that gave way.
    vars: IndexVec<VarId, Option<VarId>>,
}

/// Links `parts`, each of which passes [`crate::verify()`], as does the result.
pub fn link(mut parts: Vec<Program>) -> Result<Linked, Vec<LinkError>> {
    let Some(wanted) = parts.first().map(Program::target) else {
        return Err(vec![LinkError::Nothing]);
    };
    let wrong = parts
        .iter()
        .enumerate()
        .filter(|(_, p)| p.target() != wanted);
    let wrong: Vec<_> = wrong
        .map(|(n, p)| LinkError::Targets {
            part: n + 1,
            found: p.target(),
            wanted,
        })
        .collect();
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let declared: Vec<_> = parts
        .iter()
        .map(|p| p.funcs.iter().map(|f| f.ty).collect())
        .collect();
    let aliases: Vec<_> = parts.iter_mut().map(alias::resolve).collect();
    let mut whole = Program::new(wanted);
    let mut maps = records::merge(&parts, declared, &mut whole);
    merge_positions(&parts, &mut maps, &mut whole);
    merge_checks(&parts, &mut maps, &mut whole);
    let warnings = symbols::merge(&mut parts, &mut maps, &mut whole)?;
    let mut same = FxHashMap::default();
    for (list, map) in aliases.into_iter().zip(&maps) {
        let counts = list.into_iter().filter(|(alias, _)| map.counts[*alias]);
        same.extend(counts.map(|(alias, target)| (map.funcs[alias], map.funcs[target])));
    }
    alias::share_addresses(&mut whole, &same);
    for (part, map) in parts.into_iter().zip(&maps) {
        for startup in part.startup {
            let func = map.funcs[startup.func];
            whole.startup.push(Startup { func, ..startup });
        }
        for note in part.notes {
            let loc = map.locs[note.loc];
            whole.notes.push(Note {
                loc,
                text: note.text,
            });
        }
    }
    Ok(Linked {
        program: whole,
        warnings,
    })
}

/// Checks of functions that gave way stay in the table: nothing asserts them.
fn merge_checks(parts: &[Program], maps: &mut [Maps], whole: &mut Program) {
    for (part, map) in parts.iter().zip(maps) {
        map.first_check = whole.checks.len() as u32;
        for check in part.checks.iter() {
            whole.checks.push(Check {
                loc: map.locs[check.loc],
                ..check.clone()
            });
        }
    }
}

fn merge_positions(parts: &[Program], maps: &mut [Maps], whole: &mut Program) {
    for (part, map) in parts.iter().zip(maps) {
        let locations = &part.locations;
        let names = locations.files().iter();
        map.files = names.map(|name| whole.locations.file(name)).collect();
        let locs = locations.locs().iter();
        let moved = |loc: &Loc| {
            whole.locations.intern(Loc {
                file: map.files[loc.file],
                ..*loc
            })
        };
        map.locs = locs.map(moved).collect();
    }
}
