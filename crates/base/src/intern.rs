//! Interned strings: equal text, equal number.

use rustc_hash::FxHashMap;
use std::rc::Rc;

crate::index! {
    /// An interned string; meaningful only together with the [`Interner`] that made it.
    Symbol
}

/// Gives each distinct string one [`Symbol`].
#[derive(Clone, Debug, Default)]
pub struct Interner {
    strings: Vec<Rc<str>>,
    symbols: FxHashMap<Rc<str>, Symbol>,
}

impl Interner {
    /// The symbol of `text`, new or known.
    pub fn intern(&mut self, text: &str) -> Symbol {
        if let Some(&symbol) = self.symbols.get(text) {
            return symbol;
        }
        let symbol = <Symbol as crate::Idx>::new(self.strings.len());
        let shared: Rc<str> = text.into();
        self.strings.push(shared.clone());
        self.symbols.insert(shared, symbol);
        symbol
    }
    /// The symbol of `text`, if it was interned before.
    pub fn lookup(&self, text: &str) -> Option<Symbol> {
        self.symbols.get(text).copied()
    }
    /// The text of `symbol`.
    pub fn text(&self, symbol: Symbol) -> &str {
        &self.strings[symbol.0 as usize]
    }
    /// The text of `symbol`, shared, so that the interner stays free to grow meanwhile.
    pub fn shared(&self, symbol: Symbol) -> Rc<str> {
        self.strings[symbol.0 as usize].clone()
    }
}
