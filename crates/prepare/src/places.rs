//! Where facts about a call lead: `p`, `*p` and `p->member`, as places of the program.

use cwolf_cwi::{Base, Expr, ExprKind, Place, Program, RecordKind, Step, Type, TypeId};
use cwolf_known::{Path, Subject};

/// A call as its row sees it: its arguments, and its result where there is one already.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    pub(crate) args: Vec<Expr>,
    pub(crate) result: Option<Expr>,
}

impl Given {
    pub(crate) fn new(program: &Program, args: &[Expr]) -> Given {
        let args = args.iter().map(|arg| plain(program, arg)).collect();
        Given { args, result: None }
    }

    /// The value that a way starts from.
    fn start(&self, at: &Subject) -> Option<&Expr> {
        match at.is_result() {
            true => self.result.as_ref(),
            false => self.args.get(at.param),
        }
    }

    /// The place that a fact names, if the program's types have it.
    pub(crate) fn place(&self, program: &Program, at: &Subject) -> Option<Place> {
        let start = self.start(at)?;
        let to = program.types.pointee(start.ty)?;
        let mut place = Place {
            ty: to,
            base: Base::Deref(Box::new(start.clone())),
            path: Vec::new(),
        };
        match &at.path {
            Path::Itself => return None,
            Path::Behind => {}
            Path::Member(names) => {
                for name in names.split('.') {
                    let (steps, ty) = member(program, place.ty, name)?;
                    place.path.extend(steps);
                    place.ty = ty;
                }
            }
        }
        let sized = !matches!(program.types[place.ty], Type::Void | Type::Func(_))
            && program.types.size_of(place.ty) > 0;
        sized.then_some(place)
    }

    /// The value that a fact names.
    pub(crate) fn value(&self, program: &Program, at: &Subject) -> Option<Expr> {
        if at.path == Path::Itself {
            return self.start(at).cloned();
        }
        let place = self.place(program, at)?;
        program.types.is_scalar(place.ty).then(|| Expr::load(place))
    }

    /// The pointer that a fact names.
    pub(crate) fn pointer(&self, program: &Program, at: &Subject) -> Option<Expr> {
        let value = self.value(program, at)?;
        matches!(program.types[value.ty], Type::Pointer(_)).then_some(value)
    }
}

/// An argument as the table sees it. glibc declares some pointers as transparent unions (`__SOCKADDR_ARG`):
/// they are passed as their first member.
fn plain(program: &Program, arg: &Expr) -> Expr {
    let (ExprKind::Load { place, .. }, Type::Record(record)) = (&arg.kind, &program.types[arg.ty])
    else {
        return arg.clone();
    };
    let record = &program.types.records[*record];
    let pointer = |ty: TypeId| matches!(program.types[ty], Type::Pointer(_));
    match record.fields.first() {
        Some(first)
            if record.kind == RecordKind::Union && record.fields.iter().all(|f| pointer(f.ty)) =>
        {
            let mut place = place.clone();
            place.path.push(Step::Field(0));
            place.ty = first.ty;
            Expr::load(place)
        }
        _ => arg.clone(),
    }
}

/// The way to a member of a record, also through members without a name.
fn member(program: &Program, ty: TypeId, name: &str) -> Option<(Vec<Step>, TypeId)> {
    let Type::Record(record) = program.types[ty] else {
        return None;
    };
    let fields = &program.types.records[record].fields;
    for (n, field) in fields.iter().enumerate() {
        let step = Step::Field(n as u32);
        if field.name == name {
            return Some((vec![step], field.ty));
        }
        if field.name.is_empty()
            && let Some((mut steps, ty)) = member(program, field.ty, name)
        {
            steps.insert(0, step);
            return Some((steps, ty));
        }
    }
    None
}
