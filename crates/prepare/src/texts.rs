//! Texts that an expression may point to, where that can be told without running anything: literals,
//! constant arrays, variables that are only ever set to such, and translations of such.

use crate::stubs::known_row;
use cwolf_cwi::{
    Base, BlockId, Body, Branch, Callee, Expr, ExprKind, InitValue, Place, Program, RESULT, RegId,
    StmtKind, Type, VarId, VarKind,
};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// Variables and registers of a function that only ever hold the addresses of texts, and which.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    known: FxHashMap<Holder, Held>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Holder {
    Var(VarId),
    Reg(RegId),
}

#[derive(Clone, Debug, PartialEq)]
enum Held {
    /// One of these.
    Texts(Vec<Expr>),
    /// One of these, or its translation (`gettext`).
    Translated(Vec<Expr>),
    /// Something else.
    Other,
}

/// A text that an expression may point to.
pub(crate) struct Text {
    /// Its address, if there are several.
    pub at: Option<Expr>,
    /// What it says.
    pub content: Content,
    /// Whether a translation may stand in its place.
    pub translated: bool,
}

/// What a text says, without the final zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// Characters.
    Narrow(Vec<u8>),
    /// Characters of type `wchar_t`: those of ASCII, and a question mark for each of the others.
    Wide(Vec<u8>),
}

impl Texts {
    pub(crate) fn new(program: &Program, body: &Body) -> Texts {
        let translations = translations(program, body);
        let mut set: FxHashMap<Holder, Held> = FxHashMap::default();
        for (id, block) in body.blocks.enumerate() {
            for stmt in &block.stmts {
                let (holder, value, whole) = match &stmt.kind {
                    StmtKind::Assign(place, value) => match place.base {
                        Base::Var(var) => (Holder::Var(var), value, place.path.is_empty()),
                        Base::Deref(_) => continue,
                    },
                    StmtKind::SetReg(reg, value) => (Holder::Reg(*reg), value, true),
                    _ => continue,
                };
                let result = value.kind == ExprKind::Reg(RESULT);
                let held = match translations.get(&id).filter(|_| result) {
                    _ if !whole => Held::Other,
                    Some(list) => Held::Translated(list.clone()),
                    None if literal(program, value).is_some() => Held::Texts(vec![value.clone()]),
                    None => Held::Other,
                };
                match set.entry(holder) {
                    Entry::Vacant(entry) => {
                        entry.insert(held);
                    }
                    Entry::Occupied(mut entry) => entry.get_mut().join(held),
                }
            }
        }
        // Whoever knows the address may set it to something else.
        body.for_each_expr(&mut |e| {
            e.walk(&mut |e| {
                if let ExprKind::AddrOf(place) = &e.kind
                    && let Some(var) = place.root()
                {
                    set.insert(Holder::Var(var), Held::Other);
                }
            });
        });
        set.retain(|holder, _| match holder {
            Holder::Var(var) => {
                matches!(
                    program.vars[*var].kind,
                    VarKind::Local(_) | VarKind::Temp(_)
                )
            }
            Holder::Reg(reg) => *reg != RESULT,
        });
        Texts { known: set }
    }

    /// The texts that an expression may point to; none if that cannot be told.
    pub(crate) fn of(&self, program: &Program, e: &Expr) -> Option<Vec<Text>> {
        let text = |e: &Expr, at: bool, translated: bool| {
            Some(Text {
                at: at.then(|| e.clone()),
                content: literal(program, e)?,
                translated,
            })
        };
        if let Some(text) = text(e, false, false) {
            return Some(vec![text]);
        }
        let holder = match &e.kind {
            ExprKind::Cast(inner) => return self.of(program, inner),
            ExprKind::Load { place, .. } => Holder::Var(place.as_var()?),
            ExprKind::Reg(reg) => Holder::Reg(*reg),
            _ => return None,
        };
        match self.known.get(&holder)? {
            Held::Texts(list) => {
                let several = list.len() > 1;
                list.iter().map(|e| text(e, several, false)).collect()
            }
            Held::Translated(list) => list.iter().map(|e| text(e, false, true)).collect(),
            Held::Other => None,
        }
    }
}

impl Held {
    /// What is held if either is.
    fn join(&mut self, other: Held) {
        match (&mut *self, other) {
            (Held::Texts(own), Held::Texts(more)) => {
                for e in more {
                    if !own.contains(&e) {
                        own.push(e);
                    }
                }
            }
            // Which of them a translation is of cannot be told by its address.
            (own, other) if *own != other => *self = Held::Other,
            _ => {}
        }
    }
}

/// The literals whose translation is the result at the start of a block.
fn translations(program: &Program, body: &Body) -> FxHashMap<BlockId, Vec<Expr>> {
    let mut found: FxHashMap<BlockId, Option<Vec<Expr>>> = FxHashMap::default();
    for block in body.blocks.iter() {
        let original = match &block.branch {
            Branch::Call {
                callee: Callee::Direct(func),
                args,
                ..
            } => known_row(program, *func).and_then(|row| {
                let list = row.translates();
                let texts = list.iter().map(|n| args.get(*n).cloned());
                let texts = texts.collect::<Option<Vec<Expr>>>()?;
                let fixed = texts.iter().all(|e| literal(program, e).is_some());
                (fixed && !texts.is_empty()).then_some(texts)
            }),
            _ => None,
        };
        // A block that control comes to in several ways starts with several results.
        block.branch.for_each_successor(|next| {
            let other = found.contains_key(&next);
            found.insert(next, original.clone().filter(|_| !other));
        });
    }
    let known = found.into_iter();
    known.filter_map(|(id, list)| Some((id, list?))).collect()
}

/// What a text says, if an expression is the address of one that nobody can
/// change, or the value of a constant pointer to one.
pub(crate) fn literal(program: &Program, e: &Expr) -> Option<Content> {
    match &e.kind {
        ExprKind::AddrOf(place) => text_at(program, place),
        ExprKind::Cast(inner) => literal(program, inner),
        ExprKind::Load { place, .. } => {
            let var = &program.vars[place.as_var()?];
            let fixed = var.constant && !var.kind.is_automatic() && !var.volatile;
            match var.init.as_slice() {
                [item] if fixed && item.bit_offset == 0 => match item.value {
                    InitValue::Addr(to, 0) => contents(program, to),
                    _ => None,
                },
                _ => None,
            }
        }
        _ => None,
    }
}

/// The text at the start of a place.
fn text_at(program: &Program, place: &Place) -> Option<Content> {
    let start = |step: &cwolf_cwi::Step| match step {
        cwolf_cwi::Step::Index(index) => index.as_int() == Some(0),
        cwolf_cwi::Step::Field(_) => false,
    };
    let var = place.root().filter(|_| place.path.iter().all(start))?;
    contents(program, var)
}

/// What a literal or a constant array of characters holds.
fn contents(program: &Program, var: VarId) -> Option<Content> {
    let var = &program.vars[var];
    let constant = var.constant && !var.kind.is_automatic() && !var.volatile;
    let Type::Array { elem, .. } = program.types[var.ty] else {
        return None;
    };
    if var.kind != VarKind::Literal && !constant {
        return None;
    }
    if program.types.size_of(elem) == 1 {
        return match var.init.as_slice() {
            [] => Some(Content::Narrow(Vec::new())),
            [item] => match &item.value {
                InitValue::Bytes(bytes) if item.bit_offset == 0 => {
                    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
                    Some(Content::Narrow(bytes[..end].to_vec()))
                }
                _ => None,
            },
            _ => None,
        };
    }
    let element = program.types.as_int(elem).filter(|int| int.bits == 32)?;
    let mut units = Vec::new();
    for item in &var.init {
        let InitValue::Int(unit) = item.value else {
            return None;
        };
        // What is not said is zero, and ends the text.
        if item.bit_offset != units.len() as u64 * u64::from(element.bits) || unit == 0 {
            break;
        }
        let ascii = u8::try_from(unit).ok().filter(u8::is_ascii);
        units.push(ascii.unwrap_or(b'?'));
    }
    Some(Content::Wide(units))
}
