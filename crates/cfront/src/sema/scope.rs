//! Scopes: which name means what, where. Each name knows its present meaning directly; leaving a
//! scope undoes what it bound, so that looking up never walks.

use super::ctype::{EnumId, QType};
use cwolf_base::{Span, Symbol};
use cwolf_cwi::{FuncId, Linkage, RecordId, VarId};

cwolf_base::index! {
    /// Something that an ordinary identifier can mean.
    EntityId
}

/// What an ordinary identifier means.
#[derive(Clone, Debug)]
pub(crate) struct Entity {
    pub name: Symbol,
    pub ty: QType,
    pub span: Span,
    pub kind: EntityKind,
}

/// The kinds of meaning.
#[derive(Clone, Debug)]
pub(crate) enum EntityKind {
    Typedef,
    EnumConst(i128),
    /// A variable with linkage; it enters the program when it is defined or used.
    Object(Object),
    Function(FunctionInfo),
    /// GNU C's nested function.
    Nested(super::nested::NestedId),
    /// A parameter of a prototype: it has no storage.
    Unbound,
    /// A local, parameter or static local.
    Local(VarId),
    /// A variable-length array: the pointer that stands for it.
    Vla(VarId),
}

/// A variable with linkage.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub var: Option<VarId>,
    pub linkage: Linkage,
    pub defined: bool,
    pub tentative: bool,
    pub thread_local: bool,
    pub weak: bool,
    /// The variable of this file that it is another name of.
    pub alias: Option<String>,
    pub align: Option<u64>,
    /// The linker's name, if it is another.
    pub label: Option<String>,
}

/// A function, as declarations describe it.
#[derive(Clone, Debug)]
pub(crate) struct FunctionInfo {
    pub func: Option<FuncId>,
    pub linkage: Linkage,
    pub defined: bool,
    /// The definition so far is one that gives way (C99 `inline`, GNU `extern inline`).
    pub inline_only: bool,
    pub noreturn: bool,
    pub weak: bool,
    /// The priority, if it runs before `main`.
    pub constructor: Option<u16>,
    /// The priority, if it runs after `main`.
    pub destructor: Option<u16>,
    pub alias: Option<String>,
    pub label: Option<String>,
    /// Declared by being called.
    pub implicit: bool,
}

/// What a tag means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    Record(RecordId),
    Enum(EnumId),
}

#[derive(Debug)]
enum Undo {
    Name(Symbol, Option<(EntityId, u32)>),
    Tag(Symbol, Option<(Tag, u32)>),
}

/// The two name spaces that nest: ordinary identifiers and tags.
#[derive(Debug, Default)]
pub(crate) struct Scopes {
    names: Vec<Option<(EntityId, u32)>>,
    tags: Vec<Option<(Tag, u32)>>,
    undo: Vec<Undo>,
    marks: Vec<usize>,
}

impl Scopes {
    /// How many scopes are open; 0 is the file.
    pub fn depth(&self) -> u32 {
        self.marks.len() as u32
    }
    pub fn push(&mut self) {
        self.marks.push(self.undo.len());
    }
    pub fn pop(&mut self) {
        let mark = self.marks.pop().expect("a scope is open");
        for undo in self.undo.drain(mark..).rev() {
            match undo {
                Undo::Name(name, old) => self.names[name.0 as usize] = old,
                Undo::Tag(name, old) => self.tags[name.0 as usize] = old,
            }
        }
    }
    pub fn lookup(&self, name: Symbol) -> Option<EntityId> {
        self.entry(name).map(|(id, _)| id)
    }
    /// The meaning of `name` in the innermost scope alone.
    pub fn lookup_here(&self, name: Symbol) -> Option<EntityId> {
        let depth = self.depth();
        self.entry(name).filter(|e| e.1 == depth).map(|e| e.0)
    }
    fn entry(&self, name: Symbol) -> Option<(EntityId, u32)> {
        self.names.get(name.0 as usize).copied().flatten()
    }
    pub fn bind(&mut self, name: Symbol, id: EntityId) {
        let depth = self.depth();
        let slot = slot(&mut self.names, name);
        let old = slot.replace((id, depth));
        if depth > 0 {
            self.undo.push(Undo::Name(name, old));
        }
    }
    /// Binds a name at file scope while inner scopes are open.
    pub fn bind_file(&mut self, name: Symbol, id: EntityId) {
        let shadowed = self.undo.iter_mut().find_map(|undo| match undo {
            Undo::Name(n, old) if *n == name => Some(old),
            _ => None,
        });
        match shadowed {
            Some(old) => *old = Some((id, 0)),
            None => *slot(&mut self.names, name) = Some((id, 0)),
        }
    }
    pub fn tag(&self, name: Symbol) -> Option<Tag> {
        let entry = self.tags.get(name.0 as usize).copied().flatten();
        entry.map(|(tag, _)| tag)
    }
    pub fn tag_here(&self, name: Symbol) -> Option<Tag> {
        let depth = self.depth();
        let entry = self.tags.get(name.0 as usize).copied().flatten();
        entry.filter(|e| e.1 == depth).map(|e| e.0)
    }
    pub fn bind_tag(&mut self, name: Symbol, tag: Tag) {
        let depth = self.depth();
        let slot = slot(&mut self.tags, name);
        let old = slot.replace((tag, depth));
        if depth > 0 {
            self.undo.push(Undo::Tag(name, old));
        }
    }
    /// Every name that has a meaning now, for spelling hints.
    pub fn visible(&self) -> impl Iterator<Item = (Symbol, EntityId)> + '_ {
        let all = self.names.iter().enumerate();
        all.filter_map(|(n, e)| e.map(|(id, _)| (Symbol(n as u32), id)))
    }
}

fn slot<T>(list: &mut Vec<Option<T>>, name: Symbol) -> &mut Option<T> {
    let at = name.0 as usize;
    if list.len() <= at {
        list.resize_with(at + 1, || None);
    }
    &mut list[at]
}

/// The name nearest to `wrong` among `names`, if one is near enough to be meant.
pub(crate) fn nearest<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = match wrong.len() {
        0..=2 => 0,
        3..=5 => 1,
        _ => 2,
    };
    names
        .filter(|n| n.len().abs_diff(wrong.len()) <= limit && *n != wrong)
        .map(|n| (distance(wrong.as_bytes(), n.as_bytes()), n))
        .filter(|(d, _)| *d <= limit)
        .min()
        .map(|(_, n)| n)
}

/// Edit distance with transpositions.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let same = usize::from(a[i - 1] != b[j - 1]);
            let mut best = (last[j - 1] + same).min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaving_a_scope_restores_the_outer_meaning() {
        let mut scopes = Scopes::default();
        let x = Symbol(3);
        scopes.bind(x, EntityId(1));
        scopes.push();
        assert_eq!(scopes.lookup_here(x), None);
        scopes.bind(x, EntityId(2));
        assert_eq!(scopes.lookup_here(x), Some(EntityId(2)));
        scopes.pop();
        assert_eq!(scopes.lookup(x), Some(EntityId(1)));
    }

    #[test]
    fn near_spellings_are_found() {
        let names = ["count", "mount", "printf"];
        assert_eq!(nearest("pritnf", names.into_iter()), Some("printf"));
        assert_eq!(nearest("coumt", names.into_iter()), Some("count"));
        assert_eq!(nearest("zebra", names.into_iter()), None);
    }
}
