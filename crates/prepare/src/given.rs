//! The pointers that an argument gives away: itself, or those in a record passed by value, however
//! deep they lie in members, arrays and unions.

use cwolf_cwi::{Expr, ExprKind, Place, Program, Step, Type, TypeId, Types};

/// Whether a value of this type holds a pointer, to data or to a function.
pub(crate) fn holds_pointer(program: &Program, ty: TypeId) -> bool {
    match &program.types[ty] {
        Type::Pointer(_) => true,
        Type::Array { elem, .. } => holds_pointer(program, *elem),
        Type::Record(record) => {
            let fields = &program.types.records[*record].fields;
            fields.iter().any(|f| holds_pointer(program, f.ty))
        }
        _ => false,
    }
}

/// Whether a value of this type holds a number that an address fits in.
pub(crate) fn holds_number(program: &Program, ty: TypeId) -> bool {
    let bits = program.target().word(false).bits;
    match &program.types[ty] {
        Type::Int(int) => int.bits >= bits,
        Type::Array { elem, .. } => holds_number(program, *elem),
        Type::Record(record) => {
            let fields = &program.types.records[*record].fields;
            fields.iter().any(|f| holds_number(program, f.ty))
        }
        _ => false,
    }
}

/// The pointers in `value`, each as a `void *`. Only what is read from a place has parts.
pub(crate) fn pointers(program: &mut Program, value: &Expr) -> Vec<Expr> {
    parts(program, value, holds_pointer)
}

/// The numbers in `value` that an address fits in, each as a `void *`.
pub(crate) fn numbers(program: &mut Program, value: &Expr) -> Vec<Expr> {
    parts(program, value, holds_number)
}

/// The pointers in a place, as places.
pub(crate) fn places(program: &mut Program, place: &Place) -> Vec<Place> {
    let word = program.target().word(true);
    let word = program.types.intern(Type::Int(word));
    let mut found = Vec::new();
    collect(program, word, place, holds_pointer, &mut found);
    let place = |e: Expr| match e.kind {
        ExprKind::Load { place, .. } => Some(place),
        _ => None,
    };
    found.into_iter().filter_map(place).collect()
}

type Holds = fn(&Program, TypeId) -> bool;

fn parts(program: &mut Program, value: &Expr, holds: Holds) -> Vec<Expr> {
    let void = program.types.pointer(Types::VOID);
    let mut found = Vec::new();
    match &value.kind {
        ExprKind::Load { place, .. } => {
            let word = program.target().word(true);
            let word = program.types.intern(Type::Int(word));
            collect(program, word, place, holds, &mut found);
        }
        _ if holds(program, value.ty) && program.types.is_scalar(value.ty) => {
            found.push(value.clone());
        }
        _ => {}
    }
    found.into_iter().map(|e| Expr::cast(void, e)).collect()
}

fn collect(program: &Program, word: TypeId, place: &Place, holds: Holds, found: &mut Vec<Expr>) {
    if !holds(program, place.ty) {
        return;
    }
    let part = |ty: TypeId, step: Step| {
        let mut path = place.path.clone();
        path.push(step);
        Place {
            ty,
            base: place.base.clone(),
            path,
        }
    };
    match &program.types[place.ty] {
        Type::Array { elem, len } => {
            for n in 0..*len {
                let index = Step::Index(Expr::int(word, n.into()));
                collect(program, word, &part(*elem, index), holds, found);
            }
        }
        Type::Record(record) => {
            let fields = program.types.records[*record].fields.iter();
            for (n, field) in (0..).zip(fields) {
                collect(program, word, &part(field.ty, Step::Field(n)), holds, found);
            }
        }
        _ => found.push(Expr::load(place.clone())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cwolf_cfront::{Options, compile_text};

    #[test]
    fn pointers_lie_in_members_arrays_and_unions() {
        let text = "struct in { int n; union { char *s; long l; } u; };
            struct s { int *p; struct in list[2]; void (*f)(void); const char *const *pp; } s;
            struct none { int n; unsigned b : 3; } none;";
        let compiled = compile_text("t.c", text.as_bytes(), &Options::default());
        let mut program = compiled.program.expect("it compiles");
        let mut given = |name: &str| -> Vec<String> {
            let found = program.vars.enumerate().find(|(_, v)| v.name == name);
            let (id, var) = found.expect("a variable");
            let value = Expr::load(Place::var(var.ty, id));
            let list = pointers(&mut program, &value);
            let text = |e: &Expr| cwolf_cwi::text::print_expr(&program, None, e);
            list.iter().map(text).collect()
        };
        assert_eq!(given("s").len(), 5);
        assert!(given("s")[1].contains("s.list[0"), "{:?}", given("s"));
        assert!(given("none").is_empty());
    }
}
