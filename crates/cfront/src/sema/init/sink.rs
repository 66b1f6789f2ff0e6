//! Where the pieces of an initialiser are collected: in order, a later piece replacing what it
//! covers. As long as pieces come in rising order nothing is searched.

use super::super::ctype::CTy;
use crate::hir::{Expr, PathStep};
use cwolf_base::Span;
use cwolf_cwi::{RecordId, TypeId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
pub(super) enum Content {
    Value(Expr),
    /// A string that fills an array of `len` elements.
    Text {
        units: Vec<u32>,
        elem: CTy,
        len: u64,
    },
}

#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub offset: u64,
    pub bits: u64,
    pub path: Vec<PathStep>,
    pub ty: TypeId,
    pub content: Content,
    pub span: Span,
    pub dead: bool,
}

/// Where pieces are collected.
#[derive(Default)]
pub(super) struct Sink {
    /// For an object that lives for the whole run.
    pub constant: bool,
    pub entries: Vec<Entry>,
    pub path: Vec<PathStep>,
    /// One past the last bit that a piece covers.
    pub end: u64,
    /// Live entries by offset, once a piece came out of order.
    pub index: Option<BTreeMap<u64, usize>>,
    pub overridden: bool,
    /// The member that each union (by offset and type) holds so far.
    pub unions: FxHashMap<(u64, RecordId), u32>,
}

impl Sink {
    pub fn push(&mut self, offset: u64, bits: u64, ty: TypeId, content: Content, span: Span) {
        self.clear(offset, offset + bits);
        let number = self.entries.len();
        if bits > 0
            && let Some(index) = &mut self.index
        {
            index.insert(offset, number);
        }
        self.end = self.end.max(offset + bits);
        self.entries.push(Entry {
            offset,
            bits,
            path: if self.constant {
                Vec::new()
            } else {
                self.path.clone()
            },
            ty,
            content,
            span,
            dead: false,
        });
    }
    /// Forgets what was said about the bits `from..to`.
    pub fn clear(&mut self, from: u64, to: u64) {
        if from >= self.end || from == to {
            return;
        }
        self.overridden = true;
        let entries = &mut self.entries;
        let index = self.index.get_or_insert_with(|| {
            let live = entries.iter().enumerate().filter(|(_, e)| e.bits > 0);
            live.map(|(n, e)| (e.offset, n)).collect()
        });
        let inside: Vec<(u64, usize)> = index.range(from..to).map(|(o, n)| (*o, *n)).collect();
        for (offset, number) in inside {
            let entry = &mut entries[number];
            if entry.offset + entry.bits <= to {
                entry.dead = true;
                index.remove(&offset);
            } else {
                self.explode(number);
                return self.clear(from, to);
            }
        }
        let before = self
            .index
            .as_ref()
            .and_then(|i| i.range(..from).next_back());
        if let Some((_, &number)) = before
            && self.entries[number].offset + self.entries[number].bits > from
        {
            self.explode(number);
            self.clear(from, to);
        }
    }
    /// A piece that is replaced in part: a string becomes its characters; a record value is
    /// written whole first.
    fn explode(&mut self, number: usize) {
        let entry = self.entries[number].clone();
        let index = self.index.as_mut().expect("made by clear");
        index.remove(&entry.offset);
        let Content::Text { units, len, .. } = &entry.content else {
            return;
        };
        if !self.constant {
            return;
        }
        self.entries[number].dead = true;
        let unit_bits = entry.bits / (*len).max(1);
        for (n, &unit) in units.iter().enumerate() {
            let offset = entry.offset + n as u64 * unit_bits;
            let mut one = entry.clone();
            one.offset = offset;
            one.bits = unit_bits;
            one.content = match &entry.content {
                Content::Text { elem, .. } => Content::Text {
                    units: vec![unit],
                    elem: *elem,
                    len: 1,
                },
                Content::Value(e) => Content::Value(e.clone()),
            };
            index.insert(offset, self.entries.len());
            self.entries.push(one);
        }
    }
}
