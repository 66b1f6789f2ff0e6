//! Layout against gcc: random records, their sizes, alignments, offsets and bit positions.

use super::{analyse_for, gcc};
use cwolf_cwi::Target;
use proptest::prelude::*;
use std::fmt::Write;

const SCALARS: [&str; 14] = [
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "_Bool",
    "float",
    "double",
    "long double",
];
/// Types of bit-fields with their widths on both targets.
const BIT_TYPES: [(&str, u32); 9] = [
    ("signed char", 8),
    ("unsigned char", 8),
    ("short", 16),
    ("unsigned", 32),
    ("int", 32),
    ("long", 32),
    ("unsigned long long", 64),
    ("_Bool", 1),
    ("enum e", 32),
];

#[derive(Clone, Debug)]
enum Shape {
    Scalar(usize),
    Array(usize, u32),
    Bits(usize, u32, bool),
    Nested(usize),
}

#[derive(Clone, Debug)]
struct MemberSpec {
    shape: Shape,
    align: Option<u32>,
    packed: bool,
    value: i32,
}

#[derive(Clone, Debug)]
struct RecordSpec {
    union: bool,
    packed: bool,
    align: Option<u32>,
    pack: Option<u32>,
    members: Vec<MemberSpec>,
}

fn rare<T: std::fmt::Debug + Clone>(
    inner: impl Strategy<Value = T>,
) -> impl Strategy<Value = Option<T>> {
    (0..6u32, inner).prop_map(|(n, v)| (n == 0).then_some(v))
}

fn member() -> impl Strategy<Value = MemberSpec> {
    let shape = prop_oneof![
        4 => (0..SCALARS.len()).prop_map(Shape::Scalar),
        1 => (0..SCALARS.len(), 0..4u32).prop_map(|(t, n)| Shape::Array(t, n)),
        5 => (0..BIT_TYPES.len(), any::<u32>(), 0..6u32)
            .prop_map(|(t, w, n)| Shape::Bits(t, w, n > 0)),
        1 => (0..8usize).prop_map(Shape::Nested),
    ];
    (shape, rare(0..5u32), rare(Just(())), any::<i32>()).prop_map(
        |(shape, align, packed, value)| MemberSpec {
            shape,
            align,
            packed: packed.is_some(),
            value,
        },
    )
}

fn record() -> impl Strategy<Value = RecordSpec> {
    (
        0..5u32,
        rare(Just(())),
        rare(0..6u32),
        rare(0..4u32),
        prop::collection::vec(member(), 1..8),
    )
        .prop_map(|(kind, packed, align, pack, members)| RecordSpec {
            union: kind == 0,
            packed: packed.is_some(),
            align,
            pack,
            members,
        })
}

/// A scalar type; a `long double` that nobody can compute with is left out.
fn scalar(target: Target, t: usize) -> &'static str {
    match (SCALARS[t], target.long_double) {
        ("long double", None) => "double",
        (ty, _) => ty,
    }
}

/// Writes a record called `s<number>`; says which members can be initialised, and how.
fn write_record(target: Target, out: &mut String, number: usize, spec: &RecordSpec) -> String {
    if let Some(pack) = spec.pack {
        writeln!(out, "#pragma pack(push, {})", 1 << pack).expect("to a string");
    }
    let mut values = String::new();
    let kind = if spec.union { "union" } else { "struct" };
    write!(out, "typedef {kind} s{number} {{ ").expect("to a string");
    for (n, member) in spec.members.iter().enumerate() {
        let mut attrs = String::new();
        if let Some(align) = member.align {
            write!(attrs, " __attribute__((aligned({})))", 1 << align).expect("to a string");
        }
        if member.packed {
            attrs.push_str(" __attribute__((packed))");
        }
        let mut value = member.value.to_string();
        match member.shape {
            Shape::Scalar(t) => write!(out, "{} m{n}{attrs}; ", scalar(target, t)),
            Shape::Array(t, len) => {
                value = if len == 0 {
                    "{}".into()
                } else {
                    format!("{{ {value} }}")
                };
                write!(out, "{} m{n}[{len}]{attrs}; ", scalar(target, t))
            }
            Shape::Bits(t, width, named) => {
                let (ty, bits) = BIT_TYPES[t];
                if named {
                    write!(out, "{ty} m{n} : {}{attrs}; ", width % bits + 1)
                } else {
                    value.clear();
                    write!(out, "{ty} : {}; ", width % (bits + 1))
                }
            }
            Shape::Nested(back) if number > 0 => {
                value = "{ }".into();
                write!(out, "s{} m{n}{attrs}; ", number - 1 - back % number)
            }
            Shape::Nested(_) => write!(out, "void *m{n}{attrs}; "),
        }
        .expect("to a string");
        if !value.is_empty() && (!spec.union || values.is_empty()) {
            write!(values, ".m{n} = {value}, ").expect("to a string");
        }
    }
    let mut attrs = String::new();
    if spec.packed {
        attrs.push_str(" __attribute__((packed))");
    }
    if let Some(align) = spec.align {
        write!(attrs, " __attribute__((aligned({})))", 1 << align).expect("to a string");
    }
    writeln!(out, "}}{attrs} s{number};").expect("to a string");
    if spec.pack.is_some() {
        out.push_str("#pragma pack(pop)\n");
    }
    values
}

/// Checks sizes, alignments and offsets by assertions, and the bits by an image.
fn check_records(target: Target, specs: &[RecordSpec]) {
    let mut text = String::from("enum e { A, B = 7 };\n");
    let mut values = Vec::new();
    for (number, spec) in specs.iter().enumerate() {
        values.push(write_record(target, &mut text, number, spec));
    }
    let outcome = analyse_for(target, &text);
    assert_eq!(outcome.errors, Vec::<String>::new(), "in {text}");
    let mut asserts = text.clone();
    for record in outcome.program.types.records.iter() {
        let name = &record.name;
        if !name.starts_with('s') {
            continue;
        }
        writeln!(
            asserts,
            "_Static_assert(sizeof({name}) == {} && _Alignof({name}) == {}, \"{name}\");",
            record.size, record.align
        )
        .expect("to a string");
        for field in record.fields.iter().filter(|f| !f.bit_field) {
            writeln!(
                asserts,
                "_Static_assert(__builtin_offsetof({name}, {0}) * 8 == {1}, \"{name}.{0}\");",
                field.name, field.bit_offset
            )
            .expect("to a string");
        }
    }
    gcc::accepts(target, &asserts);
    text.push_str("struct { unsigned char first; ");
    for number in 0..specs.len() {
        write!(text, "s{number} o{number}; ").expect("to a string");
    }
    text.push_str("} all = { 1, ");
    for value in &values {
        write!(text, "{{ {value}}}, ").expect("to a string");
    }
    text.push_str("};\n");
    gcc::same_image(target, &text);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn records_lie_where_gcc_puts_them(specs in prop::collection::vec(record(), 12)) {
        check_records(Target::X86_64, &specs);
    }

    #[test]
    fn records_lie_where_gcc_puts_them_on_i386(specs in prop::collection::vec(record(), 12)) {
        check_records(Target::I386, &specs);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, ..ProptestConfig::default() })]

    #[test]
    fn records_lie_where_cross_compilers_put_them(specs in prop::collection::vec(record(), 12)) {
        let others = Target::ALL.into_iter().filter(|t| !t.is_x86);
        for target in others.filter(|t| gcc::installed(*t)) {
            check_records(target, &specs);
        }
    }
}
