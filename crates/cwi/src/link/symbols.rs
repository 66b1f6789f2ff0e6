//! Which of several declarations of a name counts, and the functions and variables that result.

use super::{LinkError, LinkWarning, Maps, alias, rewrite};
use crate::code::{FuncId, VarId};
use crate::program::{
    Definition, Function, InitItem, InitValue, Linkage, Program, Refusal, Var, VarKind,
};
use crate::types::{FuncTy, Type, TypeId, Types};
use cwolf_base::IndexVec;
use rustc_hash::FxHashMap;

/// A function or variable of one part.
#[derive(Clone, Copy)]
enum Id {
    Func(FuncId),
    Var(VarId),
}

/// All declarations of one name, in order.
#[derive(Default)]
struct Symbol {
    all: Vec<(usize, Id)>,
    /// Which of them counts.
    winner: usize,
}

struct Linker<'a> {
    parts: &'a [Program],
    maps: &'a mut [Maps],
    whole: &'a mut Program,
    /// For each part, the variables that are other names, and what they name.
    aliases: Vec<FxHashMap<VarId, VarId>>,
    symbols: Vec<Symbol>,
    ids: FxHashMap<String, usize>,
    warnings: Vec<LinkWarning>,
    errors: Vec<LinkError>,
}

/// Merges functions and variables of all parts into `whole`.
pub(super) fn merge(
    parts: &mut [Program],
    maps: &mut [Maps],
    whole: &mut Program,
) -> Result<Vec<LinkWarning>, Vec<LinkError>> {
    let aliases = parts.iter_mut().map(alias::variables).collect();
    let mut linker = Linker {
        aliases,
        parts,
        maps,
        whole,
        symbols: Vec::new(),
        ids: FxHashMap::default(),
        warnings: Vec::new(),
        errors: Vec::new(),
    };
    linker.collect();
    linker.choose();
    if !linker.errors.is_empty() {
        return Err(linker.errors);
    }
    linker.number();
    linker.vars();
    linker.funcs();
    let warnings = linker.warnings;
    for (part, map) in parts.iter_mut().zip(&*maps) {
        rewrite::bodies(part, map, whole);
    }
    Ok(warnings)
}

impl Linker<'_> {
    fn func(&self, part: usize, id: FuncId) -> &Function {
        &self.parts[part].funcs[id]
    }
    fn var(&self, part: usize, id: VarId) -> &Var {
        &self.parts[part].vars[id]
    }
    fn place(&self, (part, id): (usize, Id)) -> String {
        let loc = match id {
            Id::Func(f) => self.func(part, f).loc,
            Id::Var(v) => self.var(part, v).loc,
        };
        self.parts[part].locations.describe(loc)
    }
    fn definition(&self, (part, id): (usize, Id)) -> Definition {
        match id {
            Id::Func(f) => self.func(part, f).definition,
            Id::Var(v) => self.var(part, v).definition,
        }
    }
    fn ty(&self, (part, id): (usize, Id)) -> TypeId {
        match id {
            Id::Func(f) => self.maps[part].func_types[f],
            Id::Var(v) => self.maps[part].types[self.var(part, v).ty],
        }
    }

    fn add(&mut self, name: &str, part: usize, id: Id) {
        let next = self.symbols.len();
        let n = *self.ids.entry(name.to_owned()).or_insert(next);
        if n == next {
            self.symbols.push(Symbol::default());
        }
        self.symbols[n].all.push((part, id));
    }

    /// Finds all names that several parts may share.
    fn collect(&mut self) {
        for (n, part) in self.parts.iter().enumerate() {
            for (id, func) in part.funcs.enumerate() {
                if func.linkage == Linkage::External {
                    self.add(&func.name, n, Id::Func(id));
                }
            }
            for (id, var) in part.vars.enumerate() {
                if is_shared(var) {
                    self.add(&var.name, n, Id::Var(id));
                }
            }
        }
    }

    fn choose(&mut self) {
        let mut names: Vec<(&String, &usize)> = self.ids.iter().collect();
        names.sort_by_key(|n| n.1);
        let names: Vec<String> = names.into_iter().map(|n| n.0.clone()).collect();
        for (n, name) in names.iter().enumerate() {
            let all = std::mem::take(&mut self.symbols[n].all);
            self.check(name, &all);
            self.symbols[n].winner = self.winner(&all);
            let winner = all[self.symbols[n].winner];
            for other in &all {
                self.compare(name, winner, *other);
            }
            self.symbols[n].all = all;
        }
    }

    /// Reports what cannot be merged at all.
    fn check(&mut self, name: &str, all: &[(usize, Id)]) {
        let func = all.iter().find(|a| matches!(a.1, Id::Func(_)));
        let var = all.iter().find(|a| matches!(a.1, Id::Var(_)));
        if let (Some(func), Some(var)) = (func, var) {
            self.errors.push(LinkError::Kinds {
                name: name.to_owned(),
                function: self.place(*func),
                variable: self.place(*var),
            });
        }
        let defined = all
            .iter()
            .filter(|a| self.definition(**a) == Definition::Defined);
        let defined: Vec<_> = defined.copied().collect();
        for second in defined.iter().skip(1) {
            self.errors.push(LinkError::Duplicate {
                name: name.to_owned(),
                first: self.place(defined[0]),
                second: self.place(*second),
            });
        }
    }

    /// The declaration that counts.
    fn winner(&self, all: &[(usize, Id)]) -> usize {
        let types = &self.whole.types;
        let rank = |a: (usize, Id)| match self.definition(a) {
            Definition::Defined => 3,
            Definition::Tentative => 2,
            Definition::Weak => 1,
            Definition::Declared => 0,
        };
        let best = all.iter().map(|a| rank(*a)).max().unwrap_or(0);
        let detail = |a: (usize, Id)| match &types[self.ty(a)] {
            // Any of several weak or full definitions is as good as the first.
            _ if best % 2 == 1 => 0,
            Type::Func(ty) => u64::from(!is_old_style(ty)),
            _ => types.size_of(self.ty(a)),
        };
        let candidates = (0..all.len()).filter(|n| rank(all[*n]) == best);
        // The first of the best.
        candidates
            .max_by_key(|n| (detail(all[*n]), std::cmp::Reverse(*n)))
            .expect("a name has a declaration")
    }

    fn compare(&mut self, name: &str, winner: (usize, Id), other: (usize, Id)) {
        let (a, b) = (self.ty(winner), self.ty(other));
        let thread = |(part, id): (usize, Id)| match id {
            Id::Var(v) => self.var(part, v).thread_local,
            Id::Func(_) => false,
        };
        // An object of type void is a place of which only the address is known.
        let place = matches!(self.whole.types[b], Type::Void);
        let difference = if !place && !compatible(&self.whole.types, a, b) {
            let (a, b) = (self.whole.types.name(a), self.whole.types.name(b));
            format!("has type `{a}` and type `{b}`")
        } else if thread(winner) != thread(other) {
            "is local to a thread and is not".to_owned()
        } else {
            return;
        };
        self.warnings.push(LinkWarning {
            name: name.to_owned(),
            difference,
            first: self.place(winner),
            second: self.place(other),
        });
    }

    fn symbol(&self, name: &str) -> &Symbol {
        &self.symbols[self.ids[name]]
    }

    /// The variable that a variable of a part stands for: the one that counts of its name, and
    /// what that one is an alias of.
    fn meant(&self, part: usize, id: VarId) -> (usize, VarId) {
        let mut now = (part, id);
        // Aliases of different files may name each other in a circle.
        for _ in 0..=self.symbols.len() {
            let var = self.var(now.0, now.1);
            if is_shared(var) {
                let symbol = self.symbol(&var.name);
                if let (part, Id::Var(winner)) = symbol.all[symbol.winner] {
                    now = (part, winner);
                }
            }
            match self.aliases[now.0].get(&now.1) {
                Some(target) => now.1 = *target,
                None => break,
            }
        }
        now
    }

    /// Numbers what remains, in the order of first appearance.
    fn number(&mut self) {
        let mut funcs: FxHashMap<&str, FuncId> = FxHashMap::default();
        let mut vars: FxHashMap<(usize, VarId), VarId> = FxHashMap::default();
        let (mut next_func, mut next_var) = (0, 0);
        for (n, part) in self.parts.iter().enumerate() {
            let mut counts: IndexVec<FuncId, bool> = IndexVec::new();
            let mut map: IndexVec<FuncId, FuncId> = IndexVec::new();
            for (id, func) in part.funcs.enumerate() {
                let shared = func.linkage == Linkage::External;
                counts.push(
                    !shared || {
                        let symbol = self.symbol(&func.name);
                        let (part, winner) = symbol.all[symbol.winner];
                        part == n && matches!(winner, Id::Func(w) if w == id)
                    },
                );
                let mut fresh = || {
                    next_func += 1;
                    FuncId(next_func - 1)
                };
                map.push(if shared {
                    *funcs.entry(&func.name).or_insert_with(fresh)
                } else {
                    fresh()
                });
            }
            let mut var_map: IndexVec<VarId, Option<VarId>> = IndexVec::new();
            for (id, var) in part.vars.enumerate() {
                let fresh = || {
                    next_var += 1;
                    VarId(next_var - 1)
                };
                let owner = var.kind.function().filter(|_| var.kind.is_automatic());
                var_map.push(if owner.is_some_and(|f| !counts[f]) {
                    None
                } else {
                    Some(*vars.entry(self.meant(n, id)).or_insert_with(fresh))
                });
            }
            self.maps[n].funcs = map;
            self.maps[n].counts = counts;
            self.maps[n].vars = var_map;
        }
    }

    fn vars(&mut self) {
        for (n, part) in self.parts.iter().enumerate() {
            for id in part.vars.ids() {
                let Some(new) = self.maps[n].vars[id] else {
                    continue;
                };
                // A shared variable is made when it first appears.
                if new != self.whole.vars.next_id() {
                    continue;
                }
                let (owner, id) = self.meant(n, id);
                let var = self.var(owner, id);
                let made = if is_shared(var) {
                    self.shared_var(&var.name)
                } else {
                    self.moved_var(owner, var)
                };
                self.whole.vars.push(made);
            }
        }
    }

    fn shared_var(&self, name: &str) -> Var {
        let symbol = self.symbol(name);
        let all = symbol.all.iter().filter_map(|(part, id)| match id {
            Id::Var(v) => Some(self.var(*part, *v)),
            Id::Func(_) => None,
        });
        let align = all.clone().map(|v| v.align).max().unwrap_or(1);
        let volatile = all.clone().any(|v| v.volatile);
        let (part, Id::Var(winner)) = symbol.all[symbol.winner] else {
            unreachable!("a name is not of both kinds")
        };
        let var = self.moved_var(part, self.var(part, winner));
        // One plain reference is enough to ask for a definition.
        let weak = var.weak && all.clone().all(|v| v.weak);
        Var {
            align,
            volatile,
            weak,
            ..var
        }
    }

    fn moved_var(&self, part: usize, var: &Var) -> Var {
        let map = &self.maps[part];
        let kind = match var.kind {
            VarKind::StaticLocal(f) => VarKind::StaticLocal(map.funcs[f]),
            VarKind::Param(f) => VarKind::Param(map.funcs[f]),
            VarKind::Local(f) => VarKind::Local(map.funcs[f]),
            VarKind::Temp(f) => VarKind::Temp(map.funcs[f]),
            kind @ (VarKind::Global | VarKind::Literal) => kind,
        };
        let init = var.init.iter().map(|item| InitItem {
            bit_offset: item.bit_offset,
            ty: map.types[item.ty],
            value: match &item.value {
                InitValue::Addr(v, n) => {
                    InitValue::Addr(map.vars[*v].expect("no automatic variable"), *n)
                }
                InitValue::Func(f) => InitValue::Func(map.funcs[*f]),
                constant => constant.clone(),
            },
        });
        Var {
            name: var.name.clone(),
            ty: map.types[var.ty],
            kind,
            init: init.collect(),
            alias: None,
            loc: map.locs[var.loc],
            ..*var
        }
    }

    fn funcs(&mut self) {
        for (n, part) in self.parts.iter().enumerate() {
            for (id, func) in part.funcs.enumerate() {
                if self.maps[n].funcs[id] != self.whole.funcs.next_id() {
                    continue;
                }
                let made = if func.linkage == Linkage::External {
                    let symbol = self.symbol(&func.name);
                    let all = symbol.all.iter().filter_map(|(part, id)| match id {
                        Id::Func(f) => Some(self.func(*part, *f)),
                        Id::Var(_) => None,
                    });
                    let noreturn = all.clone().any(|f| f.noreturn);
                    let weak = all.clone().all(|f| f.weak);
                    let (part, Id::Func(winner)) = symbol.all[symbol.winner] else {
                        unreachable!("a name is not of both kinds")
                    };
                    let func = self.moved_func(part, self.func(part, winner));
                    Function {
                        noreturn,
                        weak,
                        ..func
                    }
                } else {
                    self.moved_func(n, func)
                };
                self.whole.funcs.push(made);
            }
        }
    }

    /// The function without its code, which is moved when all types are known.
    fn moved_func(&self, part: usize, func: &Function) -> Function {
        let map = &self.maps[part];
        let moved = |list: &[VarId]| -> Vec<VarId> {
            let own = |v: &VarId| map.vars[*v].expect("its function stays");
            list.iter().map(own).collect()
        };
        Function {
            name: func.name.clone(),
            ty: map.types[func.ty],
            linkage: func.linkage,
            definition: func.definition,
            params: moved(&func.params),
            locals: moved(&func.locals),
            body: None,
            refused: func.refused.as_ref().map(|r| Refusal {
                reason: r.reason.clone(),
                loc: map.locs[r.loc],
            }),
            noreturn: func.noreturn,
            weak: func.weak,
            alias: func.alias.clone(),
            origin: func.origin,
            loc: map.locs[func.loc],
        }
    }
}

/// Whether other parts may mean this variable by its name.
fn is_shared(var: &Var) -> bool {
    var.kind == VarKind::Global && var.linkage == Linkage::External
}

fn is_old_style(ty: &FuncTy) -> bool {
    ty.params.is_empty() && ty.variadic
}

/// Whether C lets two declarations of these types name the same thing.
fn compatible(types: &Types, a: TypeId, b: TypeId) -> bool {
    if a == b {
        return true;
    }
    match (&types[a], &types[b]) {
        (Type::Pointer(a), Type::Pointer(b)) => compatible(types, *a, *b),
        (Type::Array { elem: a, len: n }, Type::Array { elem: b, len: m }) => {
            (n == m || *n == 0 || *m == 0) && compatible(types, *a, *b)
        }
        (Type::Record(a), Type::Record(b)) => {
            let (a, b) = (&types.records[*a], &types.records[*b]);
            (a.kind, &a.name) == (b.kind, &b.name) && !(a.complete && b.complete)
        }
        (Type::Func(a), Type::Func(b)) => {
            let same = |(a, b): (&TypeId, &TypeId)| compatible(types, *a, *b);
            let params = is_old_style(a)
                || is_old_style(b)
                || a.variadic == b.variadic
                    && a.params.len() == b.params.len()
                    && a.params.iter().zip(&b.params).all(same);
            params && compatible(types, a.ret, b.ret)
        }
        _ => false,
    }
}
