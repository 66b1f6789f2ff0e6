//! Random valid programs, for property tests here and in other crates (feature `testing`).
//! The same seed and size give the same program.

mod code;
mod tables;

use crate::code::{FuncId, LocId, VarId};
use crate::program::{Loc, Program};
use crate::target::Target;
use crate::types::TypeId;

/// A small pseudo-random generator (splitmix64).
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The generator for a seed.
    pub fn new(seed: u64) -> Rng {
        Rng(seed)
    }
    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.number() % n as u64) as usize
    }
    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
    /// One of the items; none if there are none.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> Option<T> {
        (!items.is_empty()).then(|| items[self.below(items.len())])
    }
}

/// A program of about `size` items of each kind, which passes [`crate::verify()`].
pub fn random_program(seed: u64, size: usize) -> Program {
    let mut rng = Rng::new(seed);
    let target = match rng.one_in(2) {
        true => Target::ALL[rng.below(Target::ALL.len())],
        false => Target::X86_64,
    };
    let mut generator = Generator {
        program: Program::new(target),
        rng,
        size,
        types: Vec::new(),
        func_types: Vec::new(),
        globals: Vec::new(),
        funcs: Vec::new(),
    };
    generator.tables();
    generator.code();
    generator.notes();
    generator.program
}

struct Generator {
    program: Program,
    rng: Rng,
    size: usize,
    /// Complete object types to choose from.
    types: Vec<TypeId>,
    func_types: Vec<TypeId>,
    /// Variables that are not automatic.
    globals: Vec<VarId>,
    funcs: Vec<FuncId>,
}

impl Generator {
    fn loc(&mut self) -> LocId {
        let names = ["main.c", "list.h", "odd \"name\".c"];
        let name = names[if self.rng.one_in(8) {
            self.rng.below(3)
        } else {
            0
        }];
        let file = self.program.locations.file(name);
        let loc = Loc {
            file,
            line: 1 + self.rng.below(200) as u32,
            column: self.rng.below(80) as u32,
        };
        self.program.locations.intern(loc)
    }

    fn name(&mut self) -> String {
        let odd = [
            "",
            "i32",
            "if",
            "block_3",
            "x.1",
            "a b",
            "$tmp",
            "quote\"\\",
            "\u{e9}t\u{e9}",
            "\u{1}",
            "1st",
            "goto",
            "zero",
            "\n",
            "r#1",
            "fn",
            "x",
            "@",
        ];
        let plain = [
            "i", "n", "list", "next", "count", "main", "buffer", "p", "state",
        ];
        if self.rng.one_in(4) {
            odd[self.rng.below(odd.len())].into()
        } else {
            plain[self.rng.below(plain.len())].into()
        }
    }

    fn text(&mut self) -> String {
        let words = [
            "inline assembly",
            "is \"ignored\"",
            "\u{2192}",
            "line\nbreak",
        ];
        let count = self.rng.below(3);
        let parts: Vec<_> = (0..count)
            .map(|_| words[self.rng.below(words.len())])
            .collect();
        parts.join(" ")
    }

    fn notes(&mut self) {
        for _ in 0..self.rng.below(3) {
            let (loc, text) = (self.loc(), self.text());
            self.program.notes.push(crate::Note { loc, text });
        }
    }
}
