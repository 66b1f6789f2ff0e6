//! The calls of one function that have to do with jumps, as plain code.

use super::reach::Role;
use super::{Pass, is_result, zero};
use cwolf_cwi::graph::ended_at;
use cwolf_cwi::{
    BinOp, Block, BlockId, Body, Branch, Case, Expr, FuncId, LocId, Place, Stmt, StmtKind, Type,
    TypeId, Types, Unreachable, VarId, VarKind,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Rewrites a function. The second result is the block where it is left by a jump, if it may be.
pub(super) fn function(
    pass: &mut Pass<'_, '_>,
    func: FuncId,
    body: Body,
) -> (Body, Option<BlockId>) {
    let roles = pass.reach.roles(func).to_vec();
    if roles.is_empty() {
        return (body, None);
    }
    let marks = pass.reach.marks(func);
    let ended: Vec<Vec<VarId>> = marks.iter().map(|mark| ended_at(&body, *mark)).collect();
    let loc = pass.program.funcs[func].loc;
    let mut rewriter = Rewriter {
        pass,
        func,
        body,
        loc,
        marks,
        results: FxHashMap::default(),
        own: None,
    };
    rewriter.carry_results(&roles);
    rewriter.own_number();
    let leaves = roles.iter().any(|(_, role)| *role != Role::Marks);
    let left = leaves.then(|| rewriter.landing(&ended));
    for (block, role) in roles {
        match (role, left) {
            (Role::Marks, _) => rewriter.mark(block),
            (Role::Jumps, Some((landing, _))) => rewriter.jump(block, landing),
            (Role::Passes, Some((landing, _))) => rewriter.pass_on(block, landing),
            _ => {}
        }
    }
    if leaves {
        rewriter.pass.program.funcs[func].noreturn = false;
    }
    rewriter.take_numbers();
    (rewriter.body, left.map(|(_, leave)| leave))
}

struct Rewriter<'w, 'p, 'r> {
    pass: &'w mut Pass<'p, 'r>,
    func: FuncId,
    body: Body,
    loc: LocId,
    /// The calls of `setjmp`, in the order of their numbers.
    marks: Vec<BlockId>,
    /// Where blocks find the result of the call before them.
    results: FxHashMap<BlockId, VarId>,
    /// The first number of this call of the function, if that is taken at run time.
    own: Option<VarId>,
}

impl Rewriter<'_, '_, '_> {
    fn temp(&mut self, name: &str, ty: TypeId) -> VarId {
        let kind = VarKind::Temp(self.func);
        let var = self.pass.program.add_variable(name, ty, kind, self.loc);
        self.pass.program.funcs[self.func].locals.push(var);
        var
    }

    fn block(&mut self, kinds: Vec<StmtKind>, loc: LocId, branch: Branch) -> BlockId {
        let stmts = kinds.into_iter().map(|kind| Stmt { loc, kind }).collect();
        self.body.blocks.push(Block { stmts, loc, branch })
    }

    /// A result is only there right after its call. Where more code comes between, or control comes
    /// from elsewhere, a variable carries it.
    fn carry_results(&mut self, roles: &[(BlockId, Role)]) {
        for (block, _) in roles {
            if let Branch::Call {
                next: Some(next),
                ret,
                ..
            } = self.body.blocks[*block].branch
            {
                self.carry_to(next, ret);
            }
        }
        let special: FxHashSet<BlockId> = roles.iter().map(|(block, _)| *block).collect();
        for id in self.body.blocks.ids() {
            let loc = self.body.blocks[id].loc;
            if let Branch::Call {
                next: Some(next), ..
            } = self.body.blocks[id].branch
                && let Some(var) = self.results.get(&next).copied()
                && !special.contains(&id)
            {
                let kept = self.keep_result(var);
                let between = self.block(vec![kept], loc, Branch::Goto(next));
                self.body.blocks[id]
                    .branch
                    .for_each_successor_mut(|b| *b = between);
            }
        }
    }

    fn carry_to(&mut self, next: BlockId, ret: TypeId) {
        let block = &self.body.blocks[next];
        let mut read = false;
        block.for_each_expr(&mut |e| e.walk(&mut |e| read |= is_result(e)));
        if !read || self.results.contains_key(&next) {
            return;
        }
        let var = self.temp("result", ret);
        self.results.insert(next, var);
        let from = Expr::load(Place::var(ret, var));
        let block = &mut self.body.blocks[next];
        let mut replace = |e: &mut Expr| {
            e.walk_mut(&mut |e| {
                if is_result(e) {
                    e.clone_from(&from);
                }
            });
        };
        for stmt in &mut block.stmts {
            stmt.kind.for_each_expr_mut(&mut replace);
        }
        block.branch.for_each_expr_mut(&mut replace);
    }

    fn keep_result(&self, var: VarId) -> StmtKind {
        let ty = self.pass.program.vars[var].ty;
        self.pass.set(var, Expr::reg(ty, cwolf_cwi::RESULT))
    }

    fn own_number(&mut self) {
        if !self.marks.is_empty() && !self.pass.numbers.contains_key(&self.func) {
            let wide = self.pass.words.wide;
            self.own = Some(self.temp("setjmp$own", wide));
        }
    }

    /// The number of the so-many-th `setjmp` in this call.
    fn number(&self, n: usize) -> Expr {
        let wide = self.pass.words.wide;
        let n = n as i128;
        match (self.own, self.pass.numbers.get(&self.func)) {
            (None, Some(first)) => Expr::int(wide, first + n),
            (Some(own), _) if n == 0 => self.pass.load(own),
            (Some(own), _) => Expr::binary(BinOp::Add, self.pass.load(own), Expr::int(wide, n)),
            (None, None) => unreachable!("a function with marks has numbers"),
        }
    }

    /// Takes numbers where the function is entered, and only there.
    fn take_numbers(&mut self) {
        let Some(own) = self.own else {
            return;
        };
        let wide = self.pass.words.wide;
        let next = self.pass.words.next;
        let count = Expr::int(wide, self.marks.len() as i128);
        let more = Expr::binary(BinOp::Add, self.pass.load(next), count);
        let kinds = vec![
            self.pass.set(own, self.pass.load(next)),
            self.pass.set(next, more),
        ];
        let first = self.body.blocks[Body::ENTRY].clone();
        let moved = self.body.blocks.push(first);
        for block in self.body.blocks.iter_mut() {
            block.branch.for_each_successor_mut(|b| {
                if *b == Body::ENTRY {
                    *b = moved;
                }
            });
        }
        let loc = self.loc;
        let stmts = kinds.into_iter().map(|kind| Stmt { loc, kind }).collect();
        self.body.blocks[Body::ENTRY] = Block {
            stmts,
            loc,
            branch: Branch::Goto(moved),
        };
    }

    /// Where a jump that is under way comes to in this function, and where it leaves it.
    fn landing(&mut self, ended: &[Vec<VarId>]) -> (BlockId, BlockId) {
        let ret = match &self.pass.program.types[self.pass.program.funcs[self.func].ty] {
            Type::Func(ty) => ty.ret,
            _ => Types::VOID,
        };
        let value = zero(&self.pass.program.types, ret);
        let leave = self.block(Vec::new(), self.loc, Branch::Return(value));
        let mut at = leave;
        for n in (0..self.marks.len()).rev() {
            let mark = self.marks[n];
            let loc = self.body.blocks[mark].loc;
            let mut kinds: Vec<StmtKind> = ended[n].iter().map(|v| StmtKind::Dead(*v)).collect();
            let Branch::Call {
                next: Some(next), ..
            } = self.body.blocks[mark].branch
            else {
                continue;
            };
            let words = &self.pass.words;
            if let Some(var) = self.results.get(&next) {
                let value = self.pass.load(words.value);
                let ty = self.pass.program.vars[*var].ty;
                kinds.push(self.pass.set(*var, Expr::cast(ty, value)));
            }
            kinds.push(self.pass.set(words.jumping, Expr::int(Types::INT, 0)));
            let target = self.pass.load(words.target);
            let cond = Expr::binary(BinOp::Eq, target, self.number(n));
            let then = self.block(kinds, loc, Branch::Goto(next));
            let els = at;
            at = self.block(Vec::new(), loc, unless(cond, then, els));
        }
        (at, leave)
    }

    /// `setjmp`: its number goes into the buffer, the result is zero.
    fn mark(&mut self, block: BlockId) {
        let n = self.marks.iter().position(|b| *b == block).expect("a mark");
        let Some((buffer, _, next)) = self.call(block) else {
            return;
        };
        let place = self.pass.number_in(&buffer);
        let number = Expr::cast(place.ty, self.number(n));
        let mut kinds = vec![StmtKind::Assign(place, number)];
        if let Some(var) = next.and_then(|next| self.results.get(&next)) {
            let ty = self.pass.program.vars[*var].ty;
            kinds.push(self.pass.set(*var, Expr::int(ty, 0)));
        }
        let loc = self.body.blocks[block].loc;
        let code = &mut self.body.blocks[block];
        code.stmts
            .extend(kinds.into_iter().map(|kind| Stmt { loc, kind }));
        code.branch = match next {
            Some(next) => Branch::Goto(next),
            None => Branch::Unreachable(Unreachable::Returned),
        };
    }

    /// `longjmp`, by name.
    fn jump(&mut self, block: BlockId, landing: BlockId) {
        let Some((buffer, value, _)) = self.call(block) else {
            return;
        };
        let loc = self.body.blocks[block].loc;
        let stmts = self.pass.launch(&buffer, value.as_ref(), loc);
        let code = &mut self.body.blocks[block];
        code.stmts.extend(stmts);
        code.branch = Branch::Goto(landing);
    }

    /// The buffer and the value of a call, and where it goes on.
    fn call(&self, block: BlockId) -> Option<(Expr, Option<Expr>, Option<BlockId>)> {
        let Branch::Call {
            callee, args, next, ..
        } = &self.body.blocks[block].branch
        else {
            return None;
        };
        let func = crate::checks::target(callee)?;
        let (buffer, value) = self.pass.reach.arguments(self.pass.program, func, args)?;
        Some((buffer.clone(), value.cloned(), *next))
    }

    /// A call that a jump may come out of.
    fn pass_on(&mut self, block: BlockId, landing: BlockId) {
        let loc = self.body.blocks[block].loc;
        let Branch::Call { next, .. } = self.body.blocks[block].branch else {
            return;
        };
        let carried = next.and_then(|next| self.results.get(&next).copied());
        let kinds = carried
            .map(|var| self.keep_result(var))
            .into_iter()
            .collect();
        let els = match next {
            Some(next) => next,
            None => {
                let branch = Branch::Unreachable(Unreachable::Returned);
                self.block(Vec::new(), loc, branch)
            }
        };
        let cond = self.pass.load(self.pass.words.jumping);
        let branch = unless(cond, landing, els);
        let between = self.block(kinds, loc, branch);
        if let Branch::Call { next, .. } = &mut self.body.blocks[block].branch {
            *next = Some(between);
        }
    }
}

/// Goes on at `els` if `on` is zero, else at `then`. A switch, since this is no condition that the
/// user's code has.
fn unless(on: Expr, then: BlockId, els: BlockId) -> Branch {
    let case = Case {
        lo: 0,
        hi: 0,
        target: els,
    };
    Branch::Switch {
        on,
        cases: vec![case],
        default: then,
    }
}
