//! A start function without parameters: it makes arguments for the entry function, any that
//! the assumptions it lists allow.

use super::close::{assign_unknown, variable};
use cwolf_cwi::{
    BinOp, Block, BlockId, Body, Branch, Callee, Definition, Expr, ExprKind, FuncId, FuncTy,
    Function, Linkage, LocId, Place, Program, Step, Stmt, StmtKind, Type, TypeId, Types, VarId,
    VarKind,
};
use cwolf_report::Assumption;

/// The name of the start function.
pub(crate) const START: &str = "__cwolf_start";

/// Arguments of `main` that can be read, and how many characters (and a zero) each has.
const ARGUMENTS: u64 = 3;
const CHARACTERS: u64 = 7;

/// A function without parameters that calls `entry`; `entry` itself if it has none.
pub(super) fn start(
    program: &mut Program,
    entry: FuncId,
    assumptions: &mut Vec<Assumption>,
    uncovered: &mut Vec<String>,
) -> FuncId {
    let function = &program.funcs[entry];
    if function.params.is_empty() {
        return entry;
    }
    let (name, loc) = (function.name.clone(), function.loc);
    // A rule's wrapper only passes the arguments on.
    let shown = name.trim_end_matches(crate::slic::SUFFIX).to_owned();
    let inner = program.function(&shown).unwrap_or(entry);
    let inner = &program.funcs[inner];
    let lists = inner.params.get(1..).unwrap_or_default();
    let reads_texts = lists.iter().any(|p| mentions(inner, *p));
    let params: Vec<TypeId> = function
        .params
        .iter()
        .map(|p| program.vars[*p].ty)
        .collect();
    let ret = match &program.types[function.ty] {
        Type::Func(ty) => ty.ret,
        _ => Types::INT,
    };
    let ty = program.types.intern(Type::Func(FuncTy {
        ret: Types::VOID,
        params: Vec::new(),
        variadic: false,
    }));
    let start = program.funcs.push(Function {
        name: START.into(),
        ty,
        linkage: Linkage::Internal,
        definition: Definition::Defined,
        params: Vec::new(),
        locals: Vec::new(),
        body: None,
        refused: None,
        noreturn: false,
        weak: false,
        alias: None,
        origin: cwolf_cwi::Origin::Glue,
        loc,
    });
    let mut maker = Maker {
        program,
        start,
        loc,
        stmts: Vec::new(),
        locals: Vec::new(),
    };
    let args = match shown == "main" && maker.is_main(&params) {
        true => {
            if reads_texts {
                uncovered.push(format!(
                    "more than {ARGUMENTS} arguments of main, or longer ones than {CHARACTERS} characters"
                ));
            }
            maker.main_arguments(&params, assumptions)
        }
        false => maker.arguments(&shown, &params, assumptions),
    };
    let Maker { stmts, locals, .. } = maker;
    let mut body = Body::default();
    body.regs.push(Types::VOID);
    body.blocks.push(Block {
        stmts,
        loc,
        branch: Branch::Call {
            callee: Callee::Direct(entry),
            args,
            ret,
            next: Some(BlockId(1)),
        },
    });
    body.blocks.push(Block {
        stmts: Vec::new(),
        loc,
        branch: Branch::Return(None),
    });
    program.funcs[start].locals = locals;
    program.funcs[start].body = Some(body);
    start
}

/// Whether the code of a function speaks of a variable.
fn mentions(function: &Function, var: VarId) -> bool {
    let mut found = false;
    if let Some(body) = &function.body {
        body.for_each_expr(&mut |e| {
            e.walk(&mut |e| {
                if let ExprKind::Load { place, .. } | ExprKind::AddrOf(place) = &e.kind {
                    found |= place.root() == Some(var);
                }
            });
        });
    }
    found
}

struct Maker<'p> {
    program: &'p mut Program,
    start: FuncId,
    loc: LocId,
    stmts: Vec<Stmt>,
    locals: Vec<VarId>,
}

impl Maker<'_> {
    fn local(&mut self, name: &str, ty: TypeId) -> VarId {
        let kind = VarKind::Local(self.start);
        let var = variable(self.program, name.into(), ty, kind, self.loc);
        self.locals.push(var);
        var
    }

    fn assign(&mut self, place: Place, value: Expr) {
        self.stmts.push(Stmt {
            loc: self.loc,
            kind: StmtKind::Assign(place, value),
        });
    }

    /// `int main(int, char **)`, with or without the environment.
    fn is_main(&self, params: &[TypeId]) -> bool {
        let types = &self.program.types;
        let list = |ty: TypeId| {
            let inner = types.pointee(ty).and_then(|p| types.pointee(p));
            inner.is_some_and(|p| p == Types::CHAR)
        };
        match params {
            [count] => *count == Types::INT,
            [count, rest @ ..] => *count == Types::INT && rest.iter().all(|p| list(*p)),
            [] => false,
        }
    }

    /// A count and as many texts; a null pointer ends the list.
    fn main_arguments(
        &mut self,
        params: &[TypeId],
        assumptions: &mut Vec<Assumption>,
    ) -> Vec<Expr> {
        assumptions.push(Assumption {
            text: format!(
                "main gets any number of arguments, but only the first {ARGUMENTS} can be read, and they have at most {CHARACTERS} characters"
            ),
            place: None,
        });
        let int = |v: i128| Expr::int(Types::INT, v);
        let any = self.local("any", Types::INT);
        let any_place = Place::var(Types::INT, any);
        self.stmts.push(assign_unknown(any_place.clone(), self.loc));
        let count = Expr::binary(BinOp::BitAnd, Expr::load(any_place), int(i32::MAX.into()));
        let argc = self.local("argc", Types::INT);
        self.assign(Place::var(Types::INT, argc), count);
        let argc = Expr::load(Place::var(Types::INT, argc));
        let mut args = vec![argc.clone()];
        if params.len() > 1 {
            let list = self.argument_list(&argc);
            args.push(Expr::cast(params[1], list));
        }
        for ty in &params[2.min(params.len())..] {
            let empty = self.empty_list();
            args.push(Expr::cast(*ty, empty));
        }
        args
    }

    /// Texts with any contents; those past the count are null.
    fn argument_list(&mut self, argc: &Expr) -> Expr {
        let text = self.program.types.array(Types::CHAR, CHARACTERS + 1);
        let pointer = self.program.types.pointer(Types::CHAR);
        let list_ty = self.program.types.array(pointer, ARGUMENTS + 1);
        let word = self.program.target().word(true);
        let word = self.program.types.int(word.bits, true);
        let list = self.local("argv", list_ty);
        let element = |ty: TypeId, var: VarId, n: u64| Place {
            ty,
            base: cwolf_cwi::Base::Var(var),
            path: vec![Step::Index(Expr::int(word, n.into()))],
        };
        for n in 0..ARGUMENTS {
            let var = self.local(&format!("argument{n}"), text);
            self.stmts
                .push(assign_unknown(Place::var(text, var), self.loc));
            let end = element(Types::CHAR, var, CHARACTERS);
            self.assign(end, Expr::int(Types::CHAR, 0));
            let address = Expr {
                ty: pointer,
                kind: ExprKind::AddrOf(element(Types::CHAR, var, 0)),
            };
            self.assign(element(pointer, list, n), address);
        }
        self.assign(element(pointer, list, ARGUMENTS), Expr::int(pointer, 0));
        // The list ends at the count, or where there are no more; no branch needed.
        let last = Expr::int(Types::INT, ARGUMENTS.into());
        let few = Expr::binary(BinOp::Lt, argc.clone(), last.clone());
        let many = Expr::binary(BinOp::Ge, argc.clone(), last.clone());
        let end = Expr::binary(
            BinOp::Add,
            Expr::binary(BinOp::Mul, argc.clone(), few),
            Expr::binary(BinOp::Mul, last, many),
        );
        let at_count = Place {
            ty: pointer,
            base: cwolf_cwi::Base::Var(list),
            path: vec![Step::Index(Expr::cast(word, end))],
        };
        self.assign(at_count, Expr::int(pointer, 0));
        let list_pointer = self.program.types.pointer(pointer);
        Expr {
            ty: list_pointer,
            kind: ExprKind::AddrOf(element(pointer, list, 0)),
        }
    }

    fn empty_list(&mut self) -> Expr {
        let pointer = self.program.types.pointer(Types::CHAR);
        let list_pointer = self.program.types.pointer(pointer);
        let var = self.local("environment", pointer);
        self.assign(Place::var(pointer, var), Expr::int(pointer, 0));
        Expr {
            ty: list_pointer,
            kind: ExprKind::AddrOf(Place::var(pointer, var)),
        }
    }

    /// Any numbers; a pointer leads to one object of its own with any contents.
    fn arguments(
        &mut self,
        name: &str,
        params: &[TypeId],
        assumptions: &mut Vec<Assumption>,
    ) -> Vec<Expr> {
        let mut args = Vec::new();
        for (n, ty) in params.iter().enumerate() {
            let pointee = self.program.types.pointee(*ty);
            let object = pointee.filter(|to| {
                let types = &self.program.types;
                let complete = match types[*to] {
                    Type::Record(record) => types.records[record].complete,
                    Type::Void | Type::Func(_) => false,
                    _ => true,
                };
                complete && types.size_of(*to) > 0
            });
            let ty = object.unwrap_or(*ty);
            let var = self.local(&format!("argument{}", n + 1), ty);
            self.stmts
                .push(assign_unknown(Place::var(ty, var), self.loc));
            let place = Place::var(ty, var);
            args.push(match object {
                Some(_) => {
                    assumptions.push(Assumption {
                        text: format!(
                            "argument {} of {name} points to one object of its type that nothing else points to",
                            n + 1
                        ),
                        place: None,
                    });
                    Expr {
                        ty: params[n],
                        kind: ExprKind::AddrOf(place),
                    }
                }
                None => Expr::load(place),
            });
        }
        args
    }
}
