//! What never changes during an analysis, and why a step stops.

use crate::Options;
use crate::graph::{End, ObjId, SymId};
use crate::live::LiveVars;
use cwolf_base::Exhausted;
use cwolf_cwi::graph::{Analysed, Cfg, LiveRegisters};
use cwolf_cwi::{BlockId, ExprKind, FuncId, MemoryTest, VarId};
use cwolf_known::Row;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;

/// What is known of a function's code.
pub(crate) struct Code {
    pub(crate) cfg: Cfg,
    /// Heads of loops.
    pub(crate) heads: FxHashSet<BlockId>,
    pub(crate) registers: LiveRegisters,
    pub(crate) vars: LiveVars,
}

pub(crate) struct World<'p> {
    pub(crate) program: &'p Analysed,
    pub(crate) options: &'p Options,
    /// Variables whose addresses are taken.
    pub(crate) taken: FxHashSet<VarId>,
    pub(crate) rows: FxHashMap<FuncId, &'static Row>,
    /// Whether anybody asks which objects can be reached.
    pub(crate) census: bool,
    /// Bits of an address.
    pub(crate) word: i64,
    codes: RefCell<FxHashMap<FuncId, Rc<Code>>>,
}

impl<'p> World<'p> {
    pub(crate) fn new(program: &'p Analysed, options: &'p Options) -> World<'p> {
        let mut rows = FxHashMap::default();
        for (id, function) in program.funcs.enumerate() {
            if let Some(row) = cwolf_known::lookup(&function.name) {
                rows.insert(id, row);
            }
        }
        let mut census = false;
        for body in program.funcs.iter().filter_map(|f| f.body.as_ref()) {
            body.for_each_expr(&mut |e| {
                e.walk(&mut |e| {
                    let asks = |t: &MemoryTest| t.is_census();
                    census |= matches!(&e.kind, ExprKind::Memory(test, _) if asks(test));
                });
            });
        }
        World {
            program,
            options,
            taken: program.address_taken(),
            rows,
            census,
            word: program.target().pointer_bits().into(),
            codes: RefCell::default(),
        }
    }

    pub(crate) fn code(&self, func: FuncId) -> Rc<Code> {
        if let Some(code) = self.codes.borrow().get(&func) {
            return code.clone();
        }
        let body = self.program.funcs[func].body.as_ref();
        let body = body.expect("only functions with code are followed");
        let cfg = Cfg::new(body);
        let heads = cfg.retreating_edges().into_iter().map(|(_, to)| to);
        let code = Rc::new(Code {
            heads: heads.collect(),
            registers: LiveRegisters::new(body),
            vars: LiveVars::new(self.program, func, body, &self.taken),
            cfg,
        });
        self.codes.borrow_mut().insert(func, code.clone());
        code
    }
}

/// Why a step has no result.
#[derive(Clone, Debug)]
pub(crate) enum Stop {
    /// The cases of a segment have to be looked at one by one.
    Split(ObjId, End),
    /// The values of a number have to be looked at one by one.
    Each(SymId),
    /// No run goes on.
    Ends,
    /// This is not followed.
    GiveUp(String),
    /// Something ran out.
    Exhausted(Exhausted),
}

pub(crate) type Res<T> = Result<T, Stop>;

pub(crate) fn give_up<T>(why: &str) -> Res<T> {
    Err(Stop::GiveUp(why.to_owned()))
}
