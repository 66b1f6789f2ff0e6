//! Which names are typedefs right here. C cannot be parsed without knowing, and nothing else
//! about names matters to the parser.

use cwolf_base::Symbol;

/// A scoped set of typedef names. Only changes are kept, so a scope without typedefs and without
/// names that hide typedefs costs nothing.
#[derive(Debug, Default)]
pub(super) struct Typedefs {
    /// By the symbol's number: whether it names a type now.
    is_type: Vec<bool>,
    /// What each change replaced, newest last.
    undo: Vec<(Symbol, bool)>,
    /// For each open scope, how many changes were there before it.
    scopes: Vec<usize>,
}

impl Typedefs {
    pub fn contains(&self, name: Symbol) -> bool {
        self.is_type.get(name.0 as usize).copied().unwrap_or(false)
    }
    /// From here to the end of the scope, `name` is a type or (hiding any type) is not.
    pub fn declare(&mut self, name: Symbol, is_type: bool) {
        if self.contains(name) == is_type {
            return;
        }
        let at = name.0 as usize;
        if self.is_type.len() <= at {
            self.is_type.resize(at + 1, false);
        }
        self.is_type[at] = is_type;
        if !self.scopes.is_empty() {
            self.undo.push((name, !is_type));
        }
    }
    pub fn open(&mut self) {
        self.scopes.push(self.undo.len());
    }
    /// How many scopes are open, the file's not counted.
    pub fn depth(&self) -> usize {
        self.scopes.len()
    }
    /// Closes scopes until only `depth` are open.
    pub fn close_to(&mut self, depth: usize) {
        while self.scopes.len() > depth {
            let keep = self.scopes.pop().expect("more scopes than zero");
            while self.undo.len() > keep {
                let (name, was) = self.undo.pop().expect("more changes than kept");
                self.is_type[name.0 as usize] = was;
            }
        }
    }
}
