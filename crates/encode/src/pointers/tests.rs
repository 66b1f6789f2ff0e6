//! Pointers that are chosen among many, against the object and offset that a model chooses.

use super::*;
use crate::objects::ObjectKind;
use crate::options::{Mode, Options};
use cwolf_cwi::graph::Analysed;
use cwolf_logic::{Model, Sort};

struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 9) % n
    }
}

/// A term and the object and offset that it has in the model.
type Known = (Term, ObjId, u64);

struct Bench<'p> {
    pointers: Pointers<'p>,
    model: Model,
    numbers: Numbers,
    made: u64,
}

impl<'p> Bench<'p> {
    fn new(program: &'p Analysed, seed: u64) -> Bench<'p> {
        let options = Options {
            checks: crate::Checks {
                pointer: true,
                ..crate::Checks::default()
            },
            error_functions: Vec::new(),
            mode: Mode::Cuts,
            proved: Default::default(),
        };
        Bench {
            pointers: Pointers::new(Objects::new(program, options)),
            model: Model::default(),
            numbers: Numbers(seed * 2 + 1),
            made: 0,
        }
    }
    fn symbol(&mut self, sort: Sort, value: u128) -> Term {
        self.made += 1;
        let name = format!("x{}", self.made);
        let t = self.pointers.terms.constant(&name, sort);
        self.model.set(t, value);
        t
    }
    fn value(&self, t: Term) -> u128 {
        self.model.bv(&self.pointers.terms, t)
    }
    /// A pointer into one of the objects, chosen in several steps.
    fn pointer(&mut self, objects: &[ObjId], depth: u32) -> Known {
        if depth == 0 || self.numbers.below(5) == 0 {
            let object = objects[self.numbers.below(objects.len() as u64) as usize];
            let offset = self.numbers.below(40);
            let t = match self.numbers.below(3) {
                0 => self.pointers.terms.bv(OFFSET_BITS, offset.into()),
                _ => self.symbol(Sort::Bv(OFFSET_BITS), offset.into()),
            };
            return match self.numbers.below(3) {
                0 => {
                    let whole = u128::from(object.0) << OFFSET_BITS | u128::from(offset);
                    let p = self.symbol(Sort::Bv(POINTER_BITS), whole);
                    self.pointers.domains.insert(p, objects.to_vec());
                    (p, object, offset)
                }
                _ => (self.pointers.pointer(object, t), object, offset),
            };
        }
        let (a, b) = (
            self.pointer(objects, depth - 1),
            self.pointer(objects, depth - 1),
        );
        let left = self.numbers.below(2) == 0;
        let c = self.symbol(Sort::Bool, left.into());
        let p = self.pointers.terms.ite(c, a.0, b.0);
        let (_, object, offset) = if left { a } else { b };
        if self.numbers.below(3) == 0 {
            let way = self.numbers.below(9);
            let t = self.symbol(Sort::Bv(OFFSET_BITS), way.into());
            return (self.pointers.moved(p, t), object, offset + way);
        }
        (p, object, offset)
    }
}

fn program() -> Analysed {
    let text = "int a, b[4]; struct { int x; char y; } c; char d[64]; int main(void) { return 0; }";
    let options = cwolf_cfront::Options::default();
    let compiled = cwolf_cfront::compile_text("t.c", text.as_bytes(), &options);
    compiled.program.expect("a program").into()
}

fn objects(bench: &mut Bench<'_>) -> Vec<ObjId> {
    let vars: Vec<_> = bench.pointers.program.vars.ids().collect();
    let object = |v| bench.pointers.object(ObjectKind::Global(v));
    vars.into_iter().map(object).collect()
}

#[test]
fn chosen_pointers_lead_where_the_model_says() {
    let program = program();
    for seed in 0..300 {
        let mut bench = Bench::new(&program, seed);
        let all = objects(&mut bench);
        let (p, object, offset) = bench.pointer(&all, 4);
        let (number, at) = bench.pointers.split(p);
        assert_eq!(bench.value(number), object.0.into());
        assert_eq!(bench.value(at), offset.into());
        assert!(bench.pointers.objects_of(p).contains(&object));
        let inside = bench.pointers.offset_in(p, object);
        assert_eq!(bench.value(inside), offset.into());
        let way = bench.pointers.terms.bv(OFFSET_BITS, 3);
        let targets = bench.pointers.targets(p, way);
        let taken: Vec<&Target> = targets
            .iter()
            .filter(|t| bench.value(t.guard) == 1)
            .collect();
        assert_eq!(taken.len(), 1, "one target is taken");
        assert_eq!(taken[0].object, object);
        assert_eq!(bench.value(taken[0].offset), u128::from(offset + 3));
        let given = bench.pointers.given(&[p]);
        assert_eq!(bench.value(given), 1);
    }
}

#[test]
fn numbers_lead_back_to_the_pointers_that_they_were_made_of() {
    let program = program();
    for seed in 0..200 {
        let mut bench = Bench::new(&program, seed + 5000);
        let all = objects(&mut bench);
        let (p, object, offset) = bench.pointer(&all, 3);
        let number = bench.pointers.address(p);
        // Objects lie apart.
        let bases: Vec<(Term, ObjId)> =
            bench.pointers.bases.iter().map(|(t, o)| (*t, *o)).collect();
        for (t, o) in bases {
            bench.model.set(t, 0x10000 * u128::from(o.0));
        }
        let expected = 0x10000 * u128::from(object.0) + u128::from(offset);
        assert_eq!(bench.value(number), expected);
        let null = bench.pointers.null();
        let zero = bench.pointers.address(null);
        assert_eq!(bench.pointers.terms.as_bv(zero), Some(0));
        let names: Vec<_> = bench.pointers.program.vars.ids().collect();
        let names: Vec<_> = names.into_iter().map(Object::Var).collect();
        let back = bench.pointers.pointer_at(number, &names, &[]);
        assert!(bench.pointers.objects_of(back).contains(&object));
        let constants = bench.pointers.terms.constants(&[back]);
        let vague = constants.iter().any(|c| {
            bench
                .pointers
                .terms
                .name(*c)
                .is_some_and(|n| n.starts_with("made"))
        });
        if !vague {
            let whole = u128::from(object.0) << OFFSET_BITS | u128::from(offset);
            assert_eq!(bench.value(back), whole);
        }
    }
}

#[test]
fn distances_are_in_steps() {
    let program = program();
    for seed in 0..200 {
        let mut bench = Bench::new(&program, seed + 9000);
        let all = objects(&mut bench);
        let (p, o, x) = bench.pointer(&all[..1], 3);
        let (q, _, y) = bench.pointer(&[o], 3);
        let way = bench.pointers.distance(p, q, 4);
        let expected = (x as i64 - y as i64) / 4;
        assert_eq!(bench.value(way) as i64, expected, "{x} - {y}");
        assert_eq!(bench.pointers.vague(p, q, true), Terms::FALSE);
    }
}

#[test]
fn redirected_pointers_dangle_only_if_they_led_there() {
    let program = program();
    for seed in 0..200 {
        let mut bench = Bench::new(&program, seed + 700);
        let all = objects(&mut bench);
        let (p, object, offset) = bench.pointer(&all, 4);
        let gone = all[seed as usize % all.len()];
        let new = bench.pointers.redirected(p, &mut Redirect::new(gone, None));
        let expected = if object == gone {
            ObjId::DANGLING
        } else {
            object
        };
        let (number, at) = bench.pointers.split(new);
        assert_eq!(bench.value(number), expected.0.into());
        assert_eq!(bench.value(at), offset.into());
        assert!(!bench.pointers.objects_of(new).is_empty());
    }
}
