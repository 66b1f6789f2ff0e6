//! States that are written and merged at random, against plain numbers.

use super::*;
use crate::objects::{OFFSET_BITS, ObjectKind, Objects, Repr};
use crate::options::{Mode, Options};
use crate::pointers::Target;
use cwolf_cwi::VarId;
use cwolf_cwi::graph::Analysed;
use cwolf_logic::{Model, Sort, Terms};

const TEXT: &str = "int a, b, c; long d; char e[40]; int main(void) { return 0; }";

fn program() -> Analysed {
    let options = cwolf_cfront::Options::default();
    let compiled = cwolf_cfront::compile_text("t.c", TEXT.as_bytes(), &options);
    compiled.program.expect("a program").into()
}

fn memory(program: &Analysed) -> Memory<'_> {
    let options = Options {
        checks: crate::Checks::default(),
        error_functions: Vec::new(),
        mode: Mode::Cuts,
        proved: Default::default(),
    };
    Memory::new(Pointers::new(Objects::new(program, options)))
}

struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 9) % n
    }
}

/// Paths part and meet again; in the end each cell holds what the taken path wrote.
#[test]
fn merged_states_hold_what_the_taken_path_wrote() {
    let program = program();
    for seed in 0..200 {
        let mut r = Numbers(seed * 2 + 1);
        let mut memory = memory(&program);
        let mut model = Model::default();
        let vars: Vec<_> = program.vars.ids().collect();
        let cells: Vec<CellId> = vars
            .iter()
            .filter_map(|v| memory.var_cell(None, *v))
            .collect();
        assert_eq!(cells.len(), 4);
        let mut expected: Vec<u128> = vec![0; cells.len()];
        let mut now = (Terms::TRUE, State::default());
        for step in 0..6 {
            let holds = r.below(2) == 0;
            let c = memory.terms.constant(&format!("c{step}"), Sort::Bool);
            model.set(c, holds.into());
            let not = memory.terms.not(c);
            let mut sides = Vec::new();
            for (side, test) in [(true, c), (false, not)] {
                let mut state = now.1.clone();
                let guard = memory.terms.and(now.0, test);
                for _ in 0..r.below(3) {
                    let n = r.below(cells.len() as u64) as usize;
                    let value = u128::from(r.below(1000));
                    let width = memory.cell_sort(cells[n]);
                    let Sort::Bv(width) = width else {
                        panic!("a scalar")
                    };
                    let t = memory.terms.bv(width, value);
                    state.set(cells[n], t);
                    if side == holds {
                        expected[n] = value;
                    }
                }
                sides.push((guard, state));
            }
            let (a, b) = (&sides[0], &sides[1]);
            let (guard, chosen, state) = memory.merge_states((a.0, &a.1), (b.0, &b.1));
            assert_eq!(model.bool(&memory.terms, chosen), holds);
            assert!(model.bool(&memory.terms, guard));
            now = (guard, state);
        }
        for (cell, value) in cells.iter().zip(&expected) {
            let t = memory.content(&now.1, *cell);
            assert_eq!(model.bv(&memory.terms, t), *value, "seed {seed}");
        }
        assert_eq!(now.0, Terms::TRUE, "paths that meet leave no condition");
    }
}

/// Bytes at variable places of a long array.
#[test]
fn stores_and_loads_at_variable_places() {
    let program = program();
    for seed in 0..200 {
        let mut r = Numbers(seed * 2 + 11);
        let mut memory = memory(&program);
        let mut model = Model::default();
        let v = program.vars.enumerate().find(|(_, v)| v.name == "e");
        let object = memory.object(ObjectKind::Global(v.expect("e").0));
        let mut bytes = [0u128; 40];
        let mut state = State::default();
        for step in 0..8 {
            let (at, value) = (r.below(40), r.below(256));
            let offset = memory
                .terms
                .constant(&format!("i{step}"), Sort::Bv(OFFSET_BITS));
            model.set(offset, at.into());
            let guarded = r.below(3) == 0;
            let guard = memory.terms.constant(&format!("g{step}"), Sort::Bool);
            let taken = r.below(2) == 0;
            model.set(guard, taken.into());
            let mut targets = vec![Target {
                guard,
                object,
                offset,
            }];
            if guarded {
                // Somewhere else, unless the guard holds.
                let other = memory.object(ObjectKind::Global(VarId(0)));
                let elsewhere = memory.terms.not(guard);
                let offset = memory.terms.bv(OFFSET_BITS, 1);
                targets.push(Target {
                    guard: elsewhere,
                    object: other,
                    offset,
                });
            }
            let address = Address {
                targets,
                bit: 0,
                hint: None,
                defined: Terms::TRUE,
            };
            let t = memory.terms.bv(8, value.into());
            memory.store(&mut state, &address, 8, Repr::Int, t);
            if !guarded || taken {
                bytes[at as usize] = value.into();
            }
        }
        for (n, byte) in bytes.iter().enumerate() {
            let found = memory.load_at(&state, object, n as u64 * 8, 8, Repr::Int);
            assert_eq!(
                model.bv(&memory.terms, found),
                *byte,
                "seed {seed}, byte {n}"
            );
        }
    }
}
