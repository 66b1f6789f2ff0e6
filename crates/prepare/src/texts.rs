//! Texts that an expression may point to, where that can be told without running anything: literals,
//! constant arrays, and variables that are only ever set to such.

use cwolf_cwi::{
    Base, Body, Expr, ExprKind, InitValue, Place, Program, RESULT, RegId, StmtKind, Type, VarId,
    VarKind,
};
use rustc_hash::FxHashMap;

/// Variables and registers of a function that only ever hold the addresses of texts, and which.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    known: FxHashMap<Holder, Vec<Expr>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Holder {
    Var(VarId),
    Reg(RegId),
}

impl Texts {
    pub(crate) fn new(program: &Program, body: &Body) -> Texts {
        let mut set: FxHashMap<Holder, Option<Vec<Expr>>> = FxHashMap::default();
        let stmts = body.blocks.iter().flat_map(|b| &b.stmts);
        for stmt in stmts {
            let (holder, value, whole) = match &stmt.kind {
                StmtKind::Assign(place, value) => match place.base {
                    Base::Var(var) => (Holder::Var(var), value, place.path.is_empty()),
                    Base::Deref(_) => continue,
                },
                StmtKind::SetReg(reg, value) => (Holder::Reg(*reg), value, true),
                _ => continue,
            };
            let known = set.entry(holder).or_insert_with(|| Some(Vec::new()));
            match literal(program, value).filter(|_| whole) {
                Some(_) => {
                    if let Some(list) = known.as_mut().filter(|list| !list.contains(value)) {
                        list.push(value.clone());
                    }
                }
                None => *known = None,
            }
        }
        // Whoever knows the address may set it to something else.
        body.for_each_expr(&mut |e| {
            e.walk(&mut |e| {
                if let ExprKind::AddrOf(place) = &e.kind
                    && let Some(var) = place.root()
                {
                    set.insert(Holder::Var(var), None);
                }
            });
        });
        let own = |holder: &Holder| match holder {
            Holder::Var(var) => {
                matches!(
                    program.vars[*var].kind,
                    VarKind::Local(_) | VarKind::Temp(_)
                )
            }
            Holder::Reg(reg) => *reg != RESULT,
        };
        let known = set.into_iter().filter(|(holder, _)| own(holder));
        let known = known.filter_map(|(holder, list)| Some((holder, list?)));
        Texts {
            known: known.collect(),
        }
    }

    /// The texts that an expression may point to, each with its address if there are several; none if that
    /// cannot be told.
    pub(crate) fn of(&self, program: &Program, e: &Expr) -> Option<Vec<(Option<Expr>, Vec<u8>)>> {
        if let Some(text) = literal(program, e) {
            return Some(vec![(None, text)]);
        }
        let holder = match &e.kind {
            ExprKind::Cast(inner) => return self.of(program, inner),
            ExprKind::Load { place, .. } => Holder::Var(place.as_var()?),
            ExprKind::Reg(reg) => Holder::Reg(*reg),
            _ => return None,
        };
        let list = self.known.get(&holder)?;
        let one = list.len() == 1;
        let text = |e: &Expr| Some((Some(e.clone()).filter(|_| !one), literal(program, e)?));
        list.iter().map(text).collect()
    }
}

/// The bytes of a text, without the final zero, if an expression is the address of one that nobody can
/// change, or the value of a constant pointer to one.
pub(crate) fn literal(program: &Program, e: &Expr) -> Option<Vec<u8>> {
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
fn text_at(program: &Program, place: &Place) -> Option<Vec<u8>> {
    let start = |step: &cwolf_cwi::Step| match step {
        cwolf_cwi::Step::Index(index) => index.as_int() == Some(0),
        cwolf_cwi::Step::Field(_) => false,
    };
    let var = place.root().filter(|_| place.path.iter().all(start))?;
    contents(program, var)
}

/// What a literal or a constant array of characters holds.
fn contents(program: &Program, var: VarId) -> Option<Vec<u8>> {
    let var = &program.vars[var];
    let constant = var.constant && !var.kind.is_automatic() && !var.volatile;
    let array = matches!(program.types[var.ty], Type::Array { .. });
    if var.kind != VarKind::Literal && !(constant && array) {
        return None;
    }
    match var.init.as_slice() {
        [] => Some(Vec::new()),
        [item] => match &item.value {
            InitValue::Bytes(bytes) if item.bit_offset == 0 => {
                let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
                Some(bytes[..end].to_vec())
            }
            _ => None,
        },
        _ => None,
    }
}
