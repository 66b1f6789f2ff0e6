//! Which records of all parts are one, and the types over them.

use super::Maps;
use crate::program::Program;
use crate::target::Target;
use crate::types::{Field, FuncTy, Record, RecordId, RecordKind, Type, TypeId, Types};
use cwolf_base::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};

/// A record of one of the parts.
struct Item<'a> {
    part: usize,
    record: &'a Record,
}

/// Merges records and types of all parts into `whole`.
pub(super) fn merge(
    parts: &[Program],
    declared: Vec<Vec<TypeId>>,
    whole: &mut Program,
) -> Vec<Maps> {
    let items: Vec<Item> = parts
        .iter()
        .enumerate()
        .flat_map(|(part, p)| {
            p.types
                .records
                .iter()
                .map(move |record| Item { part, record })
        })
        .collect();
    let mut starts = vec![0];
    for part in parts {
        starts.push(starts[starts.len() - 1] + part.types.records.len());
    }
    let classes = classify(parts, &items, &starts);

    // Classes are numbered by first appearance; a complete record speaks for its class.
    let mut speakers: IndexVec<RecordId, usize> = IndexVec::new();
    for (n, item) in items.iter().enumerate() {
        let class = RecordId(classes[n]);
        if class == speakers.next_id() {
            speakers.push(n);
        } else if item.record.complete && !items[speakers[class]].record.complete {
            speakers[class] = n;
        }
    }
    for n in speakers.iter() {
        let record = items[*n].record;
        let fields = Vec::new();
        whole.types.records.push(Record {
            fields,
            ..record.clone()
        });
    }
    let mut maps = Vec::new();
    for ((n, part), declared) in parts.iter().enumerate().zip(declared) {
        let records: IndexVec<RecordId, RecordId> = (starts[n]..starts[n + 1])
            .map(|r| RecordId(classes[r]))
            .collect();
        let types = map_types(part, &records, &mut whole.types);
        maps.push(Maps {
            files: IndexVec::new(),
            locs: IndexVec::new(),
            func_types: declared.iter().map(|ty| types[*ty]).collect(),
            types,
            funcs: IndexVec::new(),
            counts: IndexVec::new(),
            first_check: 0,
            vars: IndexVec::new(),
        });
    }
    for (id, n) in speakers.enumerate() {
        let item = &items[*n];
        let types = &maps[item.part].types;
        let fields = item.record.fields.iter();
        let moved = fields.map(|f| Field {
            ty: types[f.ty],
            ..f.clone()
        });
        whole.types.records[id].fields = moved.collect();
    }
    maps
}

/// The types of `part` in `whole`, given what its records have become.
fn map_types(
    part: &Program,
    records: &IndexVec<RecordId, RecordId>,
    whole: &mut Types,
) -> IndexVec<TypeId, TypeId> {
    let mut map: IndexVec<TypeId, TypeId> = IndexVec::new();
    for (_, ty) in part.types.enumerate() {
        // A type refers only to types before it.
        let moved = match ty {
            Type::Pointer(to) => Type::Pointer(map[*to]),
            Type::Array { elem, len } => Type::Array {
                elem: map[*elem],
                len: *len,
            },
            Type::Record(id) => Type::Record(records[*id]),
            Type::Func(func) => Type::Func(FuncTy {
                ret: map[func.ret],
                params: func.params.iter().map(|p| map[*p]).collect(),
                variadic: func.variadic,
            }),
            simple => simple.clone(),
        };
        map.push(whole.intern(moved));
    }
    map
}

/// The class of each record, numbered by first appearance: those of a class are one.
fn classify(parts: &[Program], items: &[Item], starts: &[usize]) -> Vec<u32> {
    // For an incomplete record, the complete one it stands for.
    let mut stands_for: Vec<usize> = (0..items.len()).collect();
    loop {
        let classes = refine(parts, items, starts, &stands_for);
        let mut complete: FxHashMap<(RecordKind, &str), FxHashSet<u32>> = FxHashMap::default();
        let mut first: FxHashMap<(RecordKind, &str), usize> = FxHashMap::default();
        for (n, item) in items.iter().enumerate().filter(|(_, i)| i.record.complete) {
            let tag = (item.record.kind, item.record.name.as_str());
            complete.entry(tag).or_default().insert(classes[n]);
            first.entry(tag).or_insert(n);
        }
        let mut changed = false;
        for (n, item) in items.iter().enumerate().filter(|(_, i)| !i.record.complete) {
            let tag = (item.record.kind, item.record.name.as_str());
            let only = complete.get(&tag).is_some_and(|c| c.len() == 1);
            if only && stands_for[n] == n {
                stands_for[n] = first[&tag];
                changed = true;
            }
        }
        // Completing one record can make others alike, and so complete more; never fewer.
        if !changed {
            return classes;
        }
    }
}

/// The coarsest partition in which records of a class look alike, down to the classes of the
/// records they mention: they are split until they do.
fn refine(parts: &[Program], items: &[Item], starts: &[usize], stands_for: &[usize]) -> Vec<u32> {
    let mut classes = number(items.len(), stands_for, |n| {
        let r = items[n].record;
        let fields: Vec<_> = r
            .fields
            .iter()
            .map(|f| (&f.name, f.bit_offset, f.bit_field))
            .collect();
        // An incomplete record has nothing but its name to tell it by.
        let name = if r.complete { None } else { Some(&r.name) };
        (r.kind, r.tag(), name, r.size, r.align, fields)
    });
    loop {
        let mut table = Types::new(Target::X86_64);
        let mut maps = Vec::new();
        for (n, part) in parts.iter().enumerate() {
            let records = (starts[n]..starts[n + 1])
                .map(|r| RecordId(classes[r]))
                .collect();
            maps.push(map_types(part, &records, &mut table));
        }
        let finer = number(items.len(), stands_for, |n| {
            let item = &items[n];
            let types = item.record.fields.iter().map(|f| maps[item.part][f.ty]);
            (classes[n], types.collect::<Vec<_>>())
        });
        // Numbered without gaps, so the largest number says how many there are.
        if finer.iter().max() == classes.iter().max() {
            return finer;
        }
        classes = finer;
    }
}

/// Numbers records by the first appearance of their key.
fn number<K: std::hash::Hash + Eq>(
    len: usize,
    stands_for: &[usize],
    key: impl Fn(usize) -> K,
) -> Vec<u32> {
    let mut ids: FxHashMap<K, u32> = FxHashMap::default();
    (0..len)
        .map(|n| {
            let next = ids.len() as u32;
            *ids.entry(key(stands_for[n])).or_insert(next)
        })
        .collect()
}
