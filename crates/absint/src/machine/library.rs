//! The C library: what its functions write, as the table of known functions says, and what is kept
//! in their models in C.

use super::Code;
use super::assign::Written;
use super::bulk::{Bytes, Extent};
use super::calls::Call;
use super::eval::At;
use super::layout::{int_ty, scalars};
use super::scratch::Scratch;
use crate::domain::{Kind, Value};
use crate::map::Cell;
use cwolf_base::Idx;
use cwolf_cwi::graph::CallGraph;
use cwolf_cwi::{
    Definition, Expr, ExprKind, FuncId, Origin, Program, StmtKind, Type, Var, VarId, VarKind,
};
use cwolf_known::format::{self, Piece};
use cwolf_known::{Amount, Effect, End, FormatArgs, Outcome, Primitive, Row, When};
use rustc_hash::FxHashSet;

/// What a call of the C library did.
pub(super) struct Done {
    pub written: Written,
    /// Whether all of that was surely written.
    pub certain: bool,
    /// What it returns.
    pub result: Value,
}

/// A part of memory that a call may write: behind which argument, and how many bytes at most.
type Reach<'r> = (usize, Option<&'r Amount>);

/// What a call writes; none if it may write elsewhere, keep a pointer or call back.
fn written<'r>(
    row: &'r Row,
    args: &[Expr],
    text: impl Fn(&Expr) -> Option<String>,
) -> Option<Vec<Reach<'r>>> {
    if !row.accepts(args.len()) || !row.writes_only_args() {
        return None;
    }
    let mut list: Vec<Reach<'r>> = Vec::new();
    for param in row.writes_args() {
        let mut amounts = (row.effects.iter()).filter_map(|effect| match effect {
            Effect::Writes { at, bytes, .. } if at.param == param => Some(Some(bytes)),
            Effect::Copies { to, bytes, .. } if to.param == param => Some(Some(bytes)),
            Effect::Havocs(at, bytes) if *at == param => Some(bytes.as_ref()),
            // Its own object, of which the row says how large it is.
            Effect::Sets { .. } => None,
            _ => None,
        });
        let first = amounts.next().flatten();
        list.push((param, first.filter(|_| amounts.next().is_none())));
    }
    if let Some(format) = row.formatted() {
        let stored = match format.args {
            // All that follow, whatever the format says.
            FormatArgs::From(first) if row.scans().is_some() => first..args.len(),
            FormatArgs::From(_) if !stores(&text(args.get(format.param)?)?) => 0..0,
            _ => return None,
        };
        list.extend(stored.map(|n| (n, None)));
    }
    Some(list)
}

/// The arguments through which a call may write, whatever its format says; none if it may write
/// elsewhere.
pub(super) fn may_write(program: &Program, func: FuncId, arguments: usize) -> Option<Vec<usize>> {
    let row = program.known(func).filter(|row| row.accepts(arguments))?;
    if !row.writes_only_args() {
        return None;
    }
    let mut list = row.writes_args();
    match row.formatted().map(|f| f.args) {
        Some(FormatArgs::From(first)) => list.extend(first..arguments),
        Some(FormatArgs::List(_)) => return None,
        Some(FormatArgs::None) | None => {}
    }
    Some(list)
}

/// Whether the machine looks at what the arguments of a call point to.
pub(super) fn looks_at_memory(program: &Program, func: FuncId) -> bool {
    fn measures(amount: &Amount) -> bool {
        match amount {
            Amount::Strlen(_) => true,
            Amount::Add(a, b)
            | Amount::Sub(a, b)
            | Amount::Mul(a, b)
            | Amount::Min(a, b)
            | Amount::Max(a, b) => measures(a) || measures(b),
            _ => false,
        }
    }
    let effect = |effect: &Effect| match effect {
        Effect::Copies { .. } => true,
        Effect::Writes { bytes, .. } => measures(bytes),
        _ => false,
    };
    let result = |outcome: &Outcome| match outcome {
        Outcome::Range(range) => [&range.low, &range.high]
            .into_iter()
            .flatten()
            .any(measures),
        _ => false,
    };
    program.known(func).is_some_and(|row| {
        super::concrete::is_function_of_arguments(row)
            || row.effects.iter().any(effect)
            || row.result.iter().any(result)
    })
}

/// Whether a format of `printf` has a conversion that writes, or is none.
fn stores(format: &str) -> bool {
    let stores = |piece: &Piece| matches!(piece, Piece::Conversion(c) if c.letter == 'n');
    format::printf(format.as_bytes()).map_or(true, |pieces| pieces.iter().any(stores))
}

impl Code<'_> {
    /// Does what a function of the C library does; none if it is none that is known.
    pub(super) fn library_call(
        &self,
        call: &Call<'_>,
        target: FuncId,
        env: &mut Scratch,
    ) -> Option<Done> {
        // Variables that others define may be the library's.
        let declared = |v: &Var| v.definition == Definition::Declared;
        let seen = || self.program.vars.iter().any(declared);
        let row = self.program.known(target);
        let row = row.filter(|row| !(row.changes_variables() && seen()))?;
        let reaches = written(row, call.args, |e| self.text(e))?;
        let ret = match &self.program.types[self.program.funcs[target].ty] {
            Type::Func(ty) => ty.ret,
            _ => return None,
        };
        if self.partial && looks_at_memory(self.program, target) {
            self.look_behind(call, row, env);
        }
        let result = self.returned(call, row, ret, env);
        if let Some(done) = self.block_call(call, row, result, env) {
            return Some(done);
        }
        if let Some(done) = self.run_library(call, row, target, env) {
            return Some(done);
        }
        let mut written = Written::new();
        for (arg, bytes) in reaches {
            if let Some(pointer) = call.args.get(arg) {
                let most = bytes
                    .and_then(|a| self.amount(call, row, a, env))
                    .map(|a| a.1);
                self.write_behind(call, pointer, most, env, &mut written);
            }
        }
        Some(Done {
            written,
            certain: false,
            result,
        })
    }
    /// Reads all that a function of the library may read behind its arguments.
    fn look_behind(&self, call: &Call<'_>, row: &Row, env: &Scratch) {
        let context = self.context(call.func, call.block);
        // Of what copies it is known where it reads, and how much.
        let copied = match row.effects.as_slice() {
            [Effect::Copies { to, from, bytes }] if to.itself().is_some() => {
                from.itself().map(|from| (from, bytes))
            }
            _ => None,
        };
        let most = copied.and_then(|(_, bytes)| self.amount(call, row, bytes, env));
        let most = most.map(|(_, most)| most.saturating_mul(8));
        for (n, e) in call.args.iter().enumerate() {
            if copied.is_some_and(|(from, _)| from != n) {
                continue;
            }
            match self.universe.addresses(context.eval(env, e)) {
                Some(list) => {
                    let list: Vec<At> = list.into_iter().map(At::from).collect();
                    context.look_at_bits(env, &list, most);
                }
                None => {
                    for var in context.may_point_to(e) {
                        context.look_at(env, var);
                    }
                }
            }
        }
    }
    /// `memset` and all that copies.
    fn block_call(
        &self,
        call: &Call<'_>,
        row: &Row,
        result: Value,
        env: &mut Scratch,
    ) -> Option<Done> {
        let context = self.context(call.func, call.block);
        let (to, amount, from) = match (row.primitive(), row.effects.as_slice()) {
            (Some(Primitive::Fill), [Effect::Writes { at, bytes, .. }]) => (at, bytes, None),
            (_, [Effect::Copies { to, from, bytes }]) => (to, bytes, Some(from.itself()?)),
            _ => return None,
        };
        let (least, most) = self
            .amount(call, row, amount, env)
            .unwrap_or((0, i128::MAX));
        let extent = Extent {
            least: least.max(0).saturating_mul(8),
            most: (most < i128::from(u32::MAX)).then(|| most.max(0) * 8),
        };
        let places = |n: usize| -> Option<Vec<At>> {
            let list = self
                .universe
                .addresses(context.eval(env, call.args.get(n)?))?;
            Some(list.into_iter().map(At::from).collect())
        };
        let targets = places(to.itself()?)?;
        let sources;
        let bytes = match from {
            Some(from) => match places(from) {
                Some(list) => {
                    sources = list;
                    Bytes::Copy(&sources)
                }
                None => Bytes::Unknown,
            },
            None => {
                // The byte to fill with is the argument that no fact mentions.
                let byte = call.args.get(1)?;
                let ty = int_ty(self.program, byte.ty);
                match self.universe.exact(ty, context.eval(env, byte)) {
                    Some(byte) => Bytes::Fill(byte as u8),
                    None => Bytes::Unknown,
                }
            }
        };
        let certain = extent.is_exact() && extent.least > 0 && targets.len() == 1;
        let mut written = Written::new();
        let done = context.write_bytes(env, &targets, extent, &bytes, &mut written);
        let result = if done { result } else { Value::Bottom };
        Some(Done {
            written,
            certain,
            result,
        })
    }
    /// What becomes ⊤ where a function of the library writes through a pointer, at most so many bytes.
    fn write_behind(
        &self,
        call: &Call<'_>,
        pointer: &Expr,
        most: Option<i128>,
        env: &mut Scratch,
        written: &mut Written,
    ) {
        let context = self.context(call.func, call.block);
        let extent = Extent {
            least: 0,
            most: most
                .filter(|n| (0..i128::from(u32::MAX)).contains(n))
                .map(|n| n * 8),
        };
        if let Some(list) = self.universe.addresses(context.eval(env, pointer)) {
            let list: Vec<At> = list.into_iter().map(At::from).collect();
            context.write_bytes(env, &list, extent, &Bytes::Unknown, written);
            return;
        }
        for var in context.may_point_to(pointer) {
            context.look_at(env, var);
            context.forget(env, var, (i128::MIN, i128::MAX), written);
        }
    }
}

/// The C model of `exit`, if functions may be registered to run in it.
pub(super) fn exit(program: &Program, calls: &CallGraph) -> Option<FuncId> {
    let model = |does: &dyn Fn(&Row) -> bool| {
        let mut models = program
            .funcs
            .enumerate()
            .filter(|(_, f)| f.origin == Origin::Model);
        let found = models.find(|(id, _)| program.known(*id).is_some_and(does));
        found.map(|(id, _)| id)
    };
    let at_exit = |row: &Row| {
        row.calls_later()
            .iter()
            .any(|(_, when)| *when == When::Exit)
    };
    let registers = !calls.callers(model(&at_exit)?).is_empty();
    model(&|row| row.ends() == Some(End::Exit)).filter(|_| registers)
}

/// What that model must know: the status, and the functions that were registered.
pub(super) fn registered(program: &Program, calls: &CallGraph) -> Vec<Cell> {
    let Some(exit) = exit(program, calls) else {
        return Vec::new();
    };
    let file = program.locations[program.funcs[exit].loc].file;
    let mut cells = Vec::new();
    for (var, v) in program.vars.enumerate() {
        if program.locations[v.loc].file != file {
            continue;
        }
        let mut parts = Vec::new();
        scalars(program, v.ty, 0, &mut parts);
        cells.extend(parts.into_iter().map(|(bit_offset, ty)| Cell {
            var,
            bit_offset,
            ty,
            kind: match program.types[ty] {
                Type::Pointer(_) => Kind::Pointer,
                _ => Kind::Free,
            },
        }));
    }
    cells
}

/// In the C models of library functions, the pointers that only hand on what the caller gave: so
/// `memcpy` writes where this call says, and not where any call does. They never move, so no
/// model becomes endless by them.
pub(super) fn handed_on(program: &Program, exposed: &FxHashSet<VarId>) -> Vec<Cell> {
    let mut kept: FxHashSet<VarId> = (program.vars.enumerate())
        .filter(|(id, v)| {
            matches!(v.kind, VarKind::Param(_) | VarKind::Local(_))
                && matches!(program.types[v.ty], Type::Pointer(_))
                && program.locations.is_library(v.loc)
                && !exposed.contains(id)
        })
        .map(|(id, _)| id)
        .collect();
    loop {
        let before = kept.len();
        for stmt in (program.funcs.iter())
            .filter_map(|f| f.body.as_ref())
            .flat_map(|b| b.blocks.iter())
            .flat_map(|b| &b.stmts)
        {
            if let StmtKind::Assign(place, e) = &stmt.kind
                && let Some(var) = place.root()
                && !source(e).is_some_and(|from| kept.contains(&from))
            {
                kept.remove(&var);
            }
        }
        if kept.len() == before {
            break;
        }
    }
    let mut kept: Vec<VarId> = kept.into_iter().collect();
    kept.sort_unstable_by_key(|v| v.index());
    let cell = |var: VarId| Cell {
        var,
        bit_offset: 0,
        ty: program.vars[var].ty,
        kind: Kind::Pointer,
    };
    kept.into_iter().map(cell).collect()
}

/// The variable that an expression is a copy of.
fn source(e: &Expr) -> Option<VarId> {
    match &e.kind {
        ExprKind::Cast(inner) => source(inner),
        ExprKind::Load { place, .. } if place.path.is_empty() => place.root(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::stores;

    #[test]
    fn formats_that_write_are_found() {
        for format in [
            "%n",
            "%d%hhn",
            "100%% %n",
            "%5$ln",
            "%*.3f and %-8ln",
            "%%%n",
        ] {
            assert!(stores(format), "{format}");
        }
        // What is no format may write too.
        for format in ["%", "%y"] {
            assert!(stores(format), "{format}");
        }
        for format in ["", "none", "%d\n", "100%%n", "%s: %5.2f"] {
            assert!(!stores(format), "{format}");
        }
    }
}
