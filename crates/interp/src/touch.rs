//! Which access a question about memory stands before, so that a broken rule is told as the access that it is about.

use cwolf_cwi::{Base, Block, Expr, ExprKind, MemoryTest, Place, Program, StmtKind};

/// What the access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Touch {
    pub write: bool,
    /// Its bytes, if they are known.
    pub size: Option<u64>,
}

/// The access that statement `index` of a block, an `Assert` about memory, asks about.
pub(crate) fn touch(program: &Program, block: &Block, index: usize) -> Option<Touch> {
    let (test, p) = asked(block, index)?;
    // Writes ask whether the pointer is valid, whether what it leads to is constant, and whether all of it is inside.
    let writes = match test {
        MemoryTest::Live => {
            let next = asked(block, index + 1);
            next.is_some_and(|(test, q)| test == MemoryTest::Mutable && p == q)
        }
        MemoryTest::Inside => {
            let before = index.checked_sub(1).and_then(|n| asked(block, n));
            before.is_some_and(|(test, _)| test == MemoryTest::Mutable)
        }
        _ => test == MemoryTest::Mutable,
    };
    let mut size = None;
    let mut look = |place: &Place| {
        if matches!(&place.base, Base::Deref(q) if **q == *p) {
            size.get_or_insert(program.types.size_of(place.ty));
        }
    };
    let mut rest = block.stmts.iter().skip(index).map(|s| &s.kind);
    let step = rest.find(|s| !matches!(s, StmtKind::Assert { .. }));
    if let (Some(StmtKind::Assign(place, _)), true) = (step, writes) {
        look(place);
    } else {
        let mut reads = |e: &Expr| {
            e.walk(&mut |e| {
                if let ExprKind::Load { place, .. } = &e.kind {
                    look(place);
                }
            });
        };
        match step {
            Some(step) => step.for_each_expr(&mut reads),
            None => block.branch.for_each_expr(&mut reads),
        }
    }
    Some(Touch {
        write: writes,
        size,
    })
}

/// The question that a statement asserts, and the pointer that it is about.
fn asked(block: &Block, index: usize) -> Option<(MemoryTest, &Expr)> {
    let StmtKind::Assert { cond, .. } = &block.stmts.get(index)?.kind else {
        return None;
    };
    let ExprKind::Memory(test, args) = &cond.kind else {
        return None;
    };
    Some((*test, args.first()?))
}
