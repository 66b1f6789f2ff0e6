//! Bodies. A type that follows from operands ([`natural`]) is not written.

use super::FileError;
use super::bytes::{Reader, Writer, place_in};
use crate::code::{
    Base, BinOp, Block, BlockId, Body, Branch, Callee, Case, CheckId, Expr, ExprKind, FuncId,
    MemoryTest, Place, RegId, Step, Stmt, StmtKind, UnOp, Unreachable,
};
use crate::program::Program;
use crate::types::{TypeId, Types};
use crate::typing::{natural, place_type};
use crate::verify::MAX_EXPR_DEPTH;
use cwolf_base::IndexVec;

type Read<T> = Result<T, FileError>;
type Regs = IndexVec<RegId, TypeId>;

const UNARY: [UnOp; 3] = [UnOp::Neg, UnOp::BitNot, UnOp::Not];
const UNREACHABLE: [Unreachable; 4] = [
    Unreachable::Promised,
    Unreachable::Trap,
    Unreachable::BadGoto,
    Unreachable::Returned,
];

/// Set in the tag of an expression whose type is written.
const TYPED: u8 = 0x80;
/// The tag of the first binary operator; unary ones come before.
const FIRST_BINARY: u8 = 32;
const FIRST_UNARY: u8 = 28;
/// The tag of the first question about memory.
const FIRST_TEST: u8 = 64;

impl Writer {
    pub fn body(&mut self, program: &Program, body: &Body) {
        let mut code = CodeWriter {
            program,
            regs: &body.regs,
            to: self,
        };
        code.body(body);
    }
}

struct CodeWriter<'a> {
    program: &'a Program,
    regs: &'a Regs,
    to: &'a mut Writer,
}

impl CodeWriter<'_> {
    fn body(&mut self, body: &Body) {
        self.to.size(body.regs.len().saturating_sub(1));
        for reg in body.regs.iter().skip(1) {
            self.to.number(reg.0);
        }
        self.to.size(body.blocks.len());
        for (id, block) in body.blocks.enumerate() {
            self.to.size(block.stmts.len());
            for stmt in &block.stmts {
                self.stmt(stmt);
            }
            self.to.loc(block.loc);
            self.branch(id, &block.branch);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign(place, right) => {
                self.to.byte(0);
                self.place(place);
                self.expr(right);
            }
            StmtKind::SetReg(reg, right) => {
                self.to.byte(1);
                self.to.number(reg.0);
                self.expr(right);
            }
            StmtKind::Live(var) => {
                self.to.byte(2);
                self.to.var(*var);
            }
            StmtKind::Dead(var) => {
                self.to.byte(3);
                self.to.var(*var);
            }
            StmtKind::Assert { check, cond } => {
                self.to.byte(4);
                self.to.number(check.0);
                self.expr(cond);
            }
            StmtKind::Assume(e) => {
                self.to.byte(5);
                self.expr(e);
            }
            StmtKind::Havoc { ptr, size } => {
                self.to.byte(6 + u8::from(size.is_some()));
                self.expr(ptr);
                size.iter().for_each(|e| self.expr(e));
            }
        }
        self.to.loc(stmt.loc);
    }

    /// Most jumps are short.
    fn target(&mut self, from: BlockId, to: BlockId) {
        self.to.signed(i128::from(to.0) - i128::from(from.0));
    }

    fn branch(&mut self, own: BlockId, branch: &Branch) {
        match branch {
            Branch::Goto(to) => {
                self.to.byte(0);
                self.target(own, *to);
            }
            Branch::If { cond, then, els } => {
                self.to.byte(1);
                self.expr(cond);
                self.target(own, *then);
                self.target(own, *els);
            }
            Branch::Switch { on, cases, default } => {
                self.to.byte(2);
                self.expr(on);
                self.to.size(cases.len());
                for case in cases {
                    self.to.signed(case.lo);
                    self.to.number(case.hi.wrapping_sub(case.lo) as u128);
                    self.target(own, case.target);
                }
                self.target(own, *default);
            }
            Branch::Call {
                callee,
                args,
                ret,
                next,
            } => {
                let direct = matches!(callee, Callee::Direct(_));
                self.to
                    .byte(3 + u8::from(direct) + 2 * u8::from(next.is_some()));
                match callee {
                    Callee::Direct(f) => self.to.number(f.0),
                    Callee::Indirect(e) => self.expr(e),
                }
                self.to.size(args.len());
                for arg in args {
                    self.expr(arg);
                }
                self.to.number(ret.0);
                if let Some(next) = next {
                    self.target(own, *next);
                }
            }
            Branch::Return(None) => self.to.byte(7),
            Branch::Return(Some(e)) => {
                self.to.byte(8);
                self.expr(e);
            }
            Branch::Halt(e) => {
                self.to.byte(9);
                self.expr(e);
            }
            Branch::Unreachable(why) => self.to.byte(10 + place_in(&UNREACHABLE, why)),
        }
    }

    fn place(&mut self, place: &Place) {
        let path = place.path.len() as u64;
        match &place.base {
            Base::Var(var) => {
                self.to.number(path << 1);
                self.to.var(*var);
            }
            Base::Deref(ptr) => {
                self.to.number(path << 1 | 1);
                self.expr(ptr);
            }
        }
        for step in &place.path {
            match step {
                Step::Field(n) => self.to.number(u64::from(*n) + 1),
                Step::Index(index) => {
                    self.to.byte(0);
                    self.expr(index);
                }
            }
        }
    }

    fn expr(&mut self, expr: &Expr) {
        let types = &self.program.types;
        let known = natural(self.program, self.regs, &expr.kind);
        let known = known.and_then(|n| n.lookup(types)) == Some(expr.ty);
        let tag = match &expr.kind {
            ExprKind::Int(_) => 0,
            ExprKind::Float(_) => 1,
            ExprKind::Zero => 2,
            ExprKind::Choose => 3,
            ExprKind::Reg(_) => 4,
            ExprKind::Load {
                volatile: false, ..
            } => 5,
            ExprKind::Load { volatile: true, .. } => 6,
            ExprKind::AddrOf(_) => 7,
            ExprKind::FuncAddr(_) => 8,
            ExprKind::VarArgs => 9,
            ExprKind::Cast(_) => 10,
            ExprKind::PtrAdd { .. } => 11,
            ExprKind::PtrDiff { .. } => 12,
            ExprKind::Fits(_) => 13,
            ExprKind::Memory(test, _) => FIRST_TEST + place_in(&MemoryTest::ALL, test),
            ExprKind::Unary(op, _) => FIRST_UNARY + place_in(&UNARY, op),
            ExprKind::Binary(op, ..) => FIRST_BINARY + place_in(&BinOp::ALL, op),
        };
        self.to.byte(if known { tag } else { tag | TYPED });
        if !known {
            self.to.number(expr.ty.0);
        }
        match &expr.kind {
            ExprKind::Int(v) => self.to.signed(*v),
            ExprKind::Float(bits) => self.to.number(*bits),
            ExprKind::Zero | ExprKind::Choose | ExprKind::VarArgs => {}
            ExprKind::Reg(reg) => self.to.number(reg.0),
            ExprKind::Load { place, .. } | ExprKind::AddrOf(place) => self.place(place),
            ExprKind::FuncAddr(f) => self.to.number(f.0),
            ExprKind::Unary(_, e) | ExprKind::Cast(e) | ExprKind::Fits(e) => self.expr(e),
            ExprKind::Memory(_, args) => {
                self.to.size(args.len());
                args.iter().for_each(|e| self.expr(e));
            }
            ExprKind::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::PtrAdd {
                ptr: a,
                index: b,
                scale,
            }
            | ExprKind::PtrDiff {
                left: a,
                right: b,
                scale,
            } => {
                self.expr(a);
                self.expr(b);
                self.to.number(*scale);
            }
        }
    }
}

impl Reader<'_> {
    pub fn body(&mut self, program: &Program) -> Read<Body> {
        let mut regs = IndexVec::from(vec![Types::VOID]);
        for _ in 0..self.count()? {
            regs.push(self.type_id(&program.types)?);
        }
        let mut blocks = IndexVec::new();
        for n in 0..self.count()? {
            let mut code = CodeReader {
                program,
                regs: &regs,
                from: &mut *self,
            };
            blocks.push(code.block(n as i128)?);
        }
        Ok(Body { regs, blocks })
    }
}

struct CodeReader<'a, 'r, 'f> {
    program: &'a Program,
    regs: &'a Regs,
    from: &'r mut Reader<'f>,
}

impl CodeReader<'_, '_, '_> {
    fn block(&mut self, own: i128) -> Read<Block> {
        let mut stmts = Vec::new();
        for _ in 0..self.from.count()? {
            stmts.push(self.stmt()?);
        }
        let loc = self.from.loc()?;
        let branch = self.branch(own)?;
        Ok(Block { stmts, loc, branch })
    }

    fn stmt(&mut self) -> Read<Stmt> {
        let kind = match self.from.byte()? {
            0 => {
                let place = self.place(0)?;
                StmtKind::Assign(place, self.expr(0)?)
            }
            1 => {
                let reg = RegId(self.from.small()?);
                StmtKind::SetReg(reg, self.expr(0)?)
            }
            2 => StmtKind::Live(self.from.var()?),
            3 => StmtKind::Dead(self.from.var()?),
            4 => StmtKind::Assert {
                check: CheckId(self.from.small()?),
                cond: self.expr(0)?,
            },
            5 => StmtKind::Assume(self.expr(0)?),
            tag @ (6 | 7) => StmtKind::Havoc {
                ptr: self.expr(0)?,
                size: match tag {
                    7 => Some(self.expr(0)?),
                    _ => None,
                },
            },
            _ => return Err(self.from.malformed("a kind of statement is not known")),
        };
        Ok(Stmt {
            loc: self.from.loc()?,
            kind,
        })
    }

    fn target(&mut self, own: i128) -> Read<BlockId> {
        let to = self.from.signed()?.checked_add(own);
        let to = to.and_then(|n| u32::try_from(n).ok());
        let to = to.ok_or_else(|| self.from.malformed("a block is out of range"))?;
        Ok(BlockId(to))
    }

    fn branch(&mut self, own: i128) -> Read<Branch> {
        Ok(match self.from.byte()? {
            0 => Branch::Goto(self.target(own)?),
            1 => {
                let cond = self.expr(0)?;
                let (then, els) = (self.target(own)?, self.target(own)?);
                Branch::If { cond, then, els }
            }
            2 => {
                let on = self.expr(0)?;
                let mut cases = Vec::new();
                for _ in 0..self.from.count()? {
                    let lo = self.from.signed()?;
                    let hi = lo.wrapping_add(self.from.number()? as i128);
                    cases.push(Case {
                        lo,
                        hi,
                        target: self.target(own)?,
                    });
                }
                Branch::Switch {
                    on,
                    cases,
                    default: self.target(own)?,
                }
            }
            tag @ 3..=6 => {
                let callee = match (tag - 3) & 1 {
                    1 => Callee::Direct(FuncId(self.from.small()?)),
                    _ => Callee::Indirect(self.expr(0)?),
                };
                let mut args = Vec::new();
                for _ in 0..self.from.count()? {
                    args.push(self.expr(0)?);
                }
                let ret = self.from.type_id(&self.program.types)?;
                let next = match (tag - 3) & 2 {
                    0 => None,
                    _ => Some(self.target(own)?),
                };
                Branch::Call {
                    callee,
                    args,
                    ret,
                    next,
                }
            }
            7 => Branch::Return(None),
            8 => Branch::Return(Some(self.expr(0)?)),
            9 => Branch::Halt(self.expr(0)?),
            tag @ 10..=13 => Branch::Unreachable(UNREACHABLE[usize::from(tag - 10)]),
            _ => return Err(self.from.malformed("a kind of branch is not known")),
        })
    }

    fn place(&mut self, depth: u32) -> Read<Place> {
        let start: u64 = self.from.small()?;
        let base = match start & 1 {
            0 => Base::Var(self.from.var()?),
            _ => Base::Deref(Box::new(self.expr(depth + 1)?)),
        };
        let mut path = Vec::new();
        for _ in 0..start >> 1 {
            path.push(match self.from.small::<u64>()? {
                0 => Step::Index(self.expr(depth + 1)?),
                n => match u32::try_from(n - 1) {
                    Ok(n) => Step::Field(n),
                    Err(_) => return Err(self.from.malformed("a field is out of range")),
                },
            });
        }
        let place = place_type(self.program, &base, &path);
        let (ty, _) = place.map_err(|what| self.from.malformed(what))?;
        Ok(Place { ty, base, path })
    }

    fn expr(&mut self, depth: u32) -> Read<Expr> {
        if depth >= MAX_EXPR_DEPTH {
            return Err(self.from.malformed("an expression is nested too deeply"));
        }
        let tag = self.from.byte()?;
        let written = match tag & TYPED {
            0 => None,
            _ => Some(self.from.type_id(&self.program.types)?),
        };
        let kind = self.kind(tag & !TYPED, depth + 1)?;
        let follows = || natural(self.program, self.regs, &kind)?.lookup(&self.program.types);
        match written.or_else(follows) {
            Some(ty) => Ok(Expr { ty, kind }),
            None => Err(self.from.malformed("the type of an expression is missing")),
        }
    }

    fn boxed(&mut self, depth: u32) -> Read<Box<Expr>> {
        Ok(Box::new(self.expr(depth)?))
    }

    fn kind(&mut self, tag: u8, depth: u32) -> Read<ExprKind> {
        Ok(match tag {
            0 => ExprKind::Int(self.from.signed()?),
            1 => ExprKind::Float(self.from.number()?),
            2 => ExprKind::Zero,
            3 => ExprKind::Choose,
            4 => ExprKind::Reg(RegId(self.from.small()?)),
            5 | 6 => ExprKind::Load {
                place: self.place(depth)?,
                volatile: tag == 6,
            },
            7 => ExprKind::AddrOf(self.place(depth)?),
            8 => ExprKind::FuncAddr(FuncId(self.from.small()?)),
            9 => ExprKind::VarArgs,
            10 => ExprKind::Cast(self.boxed(depth)?),
            11 => ExprKind::PtrAdd {
                ptr: self.boxed(depth)?,
                index: self.boxed(depth)?,
                scale: self.from.small()?,
            },
            12 => ExprKind::PtrDiff {
                left: self.boxed(depth)?,
                right: self.boxed(depth)?,
                scale: self.from.small()?,
            },
            13 => ExprKind::Fits(self.boxed(depth)?),
            _ => {
                let test = tag.checked_sub(FIRST_TEST).map(usize::from);
                if let Some(test) = test.and_then(|n| MemoryTest::ALL.get(n)) {
                    let mut args = Vec::new();
                    for _ in 0..self.from.count()? {
                        args.push(self.expr(depth)?);
                    }
                    return Ok(ExprKind::Memory(*test, args));
                }
                let unary = tag.checked_sub(FIRST_UNARY).map(usize::from);
                let binary = tag.checked_sub(FIRST_BINARY).map(usize::from);
                if let Some(op) = unary.and_then(|n| UNARY.get(n)) {
                    ExprKind::Unary(*op, self.boxed(depth)?)
                } else if let Some(op) = binary.and_then(|n| BinOp::ALL.get(n)) {
                    ExprKind::Binary(*op, self.boxed(depth)?, self.boxed(depth)?)
                } else {
                    return Err(self.from.malformed("a kind of expression is not known"));
                }
            }
        })
    }
}
