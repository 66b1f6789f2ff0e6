//! Layouts against those of `cwi`, and the tables of objects and cells.

use super::*;
use crate::options::Mode;
use cwolf_cwi::graph::Analysed;
use cwolf_cwi::{RecordKind, Type, Types};

const TEXT: &str = "struct in { char a; int b : 3, c : 9; long d; };\
    struct out { short s; struct in x[3]; int *p; double f; _Bool t; char tail[5]; };\
    struct bits { unsigned a : 1, b : 31; unsigned char c : 5, d : 3; int e; };\
    int i; char c[3]; struct out o; struct bits b; struct in many[50]; long grid[20][30];\
    long double wide; int main(void) { return 0; }";

fn program() -> Analysed {
    let options = cwolf_cfront::Options::default();
    let compiled = cwolf_cfront::compile_text("t.c", TEXT.as_bytes(), &options);
    compiled.program.expect("a program").into()
}

fn tables(program: &Analysed, mode: Mode) -> Objects<'_> {
    let options = Options {
        checks: crate::Checks::default(),
        error_functions: Vec::new(),
        mode,
        proved: Default::default(),
    };
    Objects::new(program, options)
}

/// All scalars of a type: where they start, and their bits.
fn scalars(types: &Types, ty: TypeId, bit: u64, out: &mut Vec<(u64, u16, Repr)>) {
    if let Some((bits, repr)) = scalar(types, ty) {
        out.push((bit, bits, repr));
        return;
    }
    match &types[ty] {
        Type::Array { elem, len } => {
            for n in 0..*len {
                scalars(types, *elem, bit + n * types.size_of(*elem) * 8, out);
            }
        }
        Type::Record(r) => {
            assert_eq!(types.records[*r].kind, RecordKind::Struct);
            for field in &types.records[*r].fields {
                scalars(types, field.ty, bit + field.bit_offset, out);
            }
        }
        _ => {}
    }
}

#[test]
fn every_scalar_has_its_cell() {
    let program = program();
    let mut tables = tables(&program, Mode::Cuts);
    for (v, var) in program.vars.enumerate() {
        let object = tables.object(ObjectKind::Global(v));
        tables.lay_out(object, None);
        let mut all = Vec::new();
        scalars(&program.types, var.ty, 0, &mut all);
        let mut seen = BTreeSet::new();
        for (bit, bits, repr) in all {
            let found = tables.exact(object, bit, bits, repr);
            let (n, index) = found.unwrap_or_else(|| panic!("{} at {bit}", var.name));
            assert!(
                seen.insert((n, index)),
                "{} at {bit}: a cell twice",
                var.name
            );
            for inside in bit..bit + u64::from(bits) {
                let at = tables.covering(object, inside);
                assert_eq!(at, Some((n, index, bit, bits)), "{} at {inside}", var.name);
            }
            let (leaf, cell) = tables.leaf(object, n);
            assert_eq!((leaf.bits, leaf.repr), (bits, repr));
            assert_eq!(tables.cell_sort(cell), leaf.sort());
            assert_eq!(tables.cell_var(cell).map(|(v, _)| v), Some(v));
        }
        let end = program.types.size_of(var.ty) * 8;
        assert_eq!(
            tables.covering(object, end),
            None,
            "{} has an end",
            var.name
        );
    }
}

#[test]
fn objects_and_calls_are_told_apart_by_their_kinds() {
    let program = program();
    let mut tables = tables(&program, Mode::Unroll);
    let main = program.function("main").expect("main");
    let outer = tables.context(None, main);
    let inner = tables.context(Some((outer, BlockId(0))), main);
    assert_ne!(outer, inner);
    assert_eq!(tables.context(None, main), outer);
    assert_eq!(tables.contexts[inner.index()].recursion, 1);
    let first = tables.heap(outer, BlockId(0), 1, Some(8));
    let second = tables.heap(outer, BlockId(0), 2, Some(8));
    assert_ne!(first, second);
    let site = cwolf_cwi::graph::Object::Heap(main, BlockId(0));
    assert_eq!(tables.instances(&[site]), [first, second]);
    assert_eq!(tables.objects[first.index()].size, Some(8));
    // An object whose size turns out to differ gets a cell for it, and is to be encoded again.
    let before = tables.revision();
    assert_eq!(tables.heap(outer, BlockId(0), 1, Some(9)), first);
    assert_eq!(tables.objects[first.index()].size, None);
    assert!(tables.objects[first.index()].size_cell.is_some());
    assert!(tables.revision() > before);
}
