//! Terms of contracts as expressions in the scope of their function.

use crate::start::{ElementCount, Requirement, read_condition};
use cwolf_cwi::{
    BinOp, Expr, ExprKind, FuncId, MemoryTest, Place, Program, Type, TypeId, Types, VarId, VarKind,
};

/// What stands for words that C does not have.
#[derive(Debug, Default)]
pub(super) struct Scope {
    /// `\result`.
    pub(super) result: Option<VarId>,
    /// Variables that hold what expressions were when the function began.
    pub(super) old: Vec<(VarId, Expr)>,
    /// Numbers that are chosen when the function begins: what quantifiers over all numbers speak of.
    pub(super) any: Vec<VarId>,
    /// How many quantifiers ask for some number.
    pub(super) some: usize,
}

/// A new variable of a function.
pub(super) fn local(program: &mut Program, func: FuncId, name: &str, ty: TypeId) -> VarId {
    let loc = program.funcs[func].loc;
    let var = program.add_variable(name, ty, VarKind::Local(func), loc);
    program.funcs[func].locals.push(var);
    var
}

/// What a part says of memory, if it does: a test, or nothing that is asked at calls.
pub(super) fn memory_test(
    program: &mut Program,
    func: FuncId,
    part: &str,
) -> Result<Option<Option<Expr>>, String> {
    let memory = [
        "\\valid",
        "\\separated",
        "valid_string",
        "valid_read_string",
    ];
    if !memory.iter().any(|word| part.starts_with(word)) {
        return Ok(None);
    }
    match Requirement::parse(part).map_err(|e| e.why)?.as_slice() {
        // For the entry function it is assumed; at calls it is not asked.
        [Requirement::Apart(_)] => Ok(Some(None)),
        [Requirement::Condition(_)] | [] | [_, _, ..] => Ok(None),
        [one] => Ok(Some(Some(about_memory(program, func, one)?))),
    }
}

/// The parts of a conjunction outside of parentheses, unless a weaker operator joins them.
pub(super) fn conjuncts(text: &str) -> Vec<&str> {
    let text = text.trim();
    let (mut depth, mut from, mut parts) = (0, 0, Vec::new());
    let bytes = text.as_bytes();
    for at in 0..bytes.len() {
        match bytes[at] {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            b'|' | b'=' | b'?' | b'\\' if depth == 0 => {
                let rest = &text[at..];
                let weaker =
                    rest.starts_with("||") || rest.starts_with("==>") || rest.starts_with('?');
                if weaker || rest.starts_with("\\forall") || rest.starts_with("\\exists") {
                    return vec![text];
                }
            }
            b'&' if depth == 0 && bytes.get(at + 1) == Some(&b'&') => {
                parts.push(text[from..at].trim());
                from = at + 2;
            }
            _ => {}
        }
    }
    parts.push(text[from..].trim());
    parts.retain(|p| !p.is_empty());
    parts
}

/// `text` with another word for a name.
pub(super) fn replaced(text: &str, name: &str, by: &str) -> String {
    let mut out = String::new();
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        if c.is_ascii_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        out += if word == name { by } else { &word };
        word.clear();
        out.push(c);
    }
    out.trim_end().to_owned()
}

/// A condition in C, but for `\result`, `\old`, `\null` and `==>`.
pub(super) fn plain(
    program: &mut Program,
    func: FuncId,
    text: &str,
    scope: &mut Scope,
) -> Result<Expr, String> {
    let mut text = text.to_owned();
    if let Some((left, right)) = text.split_once("==>") {
        text = format!("!({left}) || ({right})");
    }
    text = text.replace("\\null", "((void *)0)");
    while let Some(at) = text.find("\\old(") {
        let inside = &text[at + 5..];
        let mut depth = 0;
        let end = inside.char_indices().find(|(_, c)| {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            depth < 0
        });
        let (end, _) = end.ok_or("a parenthesis is missing")?;
        let value = read(program, func, &inside[..end])?;
        let name = format!("__cwolf_old{}", scope.old.len());
        let var = local(program, func, &name, value.ty);
        scope.old.push((var, value));
        text = format!("{}{name}{}", &text[..at], &inside[end + 1..]);
    }
    if text.contains("\\result") {
        let Some(result) = scope.result else {
            return Err("there is no \\result here".into());
        };
        text = text.replace("\\result", &program.vars[result].name.clone());
    }
    if text.contains('\\') {
        return Err("this part of ACSL is not supported".into());
    }
    read(program, func, &text)
}

fn read(program: &mut Program, func: FuncId, text: &str) -> Result<Expr, String> {
    let unread = || format!("`{text}` is not a C expression here");
    let condition = read_condition(program, func, text).ok_or_else(unread)?;
    // Both operands of && and || are evaluated in CWI, so neither may fail.
    let mut traps = false;
    let var_type = |var: VarId| program.vars[var].ty;
    condition.walk(&mut |e| {
        if let ExprKind::Binary(op, a, b) = &e.kind
            && op.is_logical()
        {
            traps |= a.may_trap(&program.types, &var_type) || b.may_trap(&program.types, &var_type);
        }
    });
    match traps {
        true => Err(format!(
            "`{text}` reads memory under && or ||; write a clause for each part"
        )),
        false => Ok(condition),
    }
}

/// What a requirement says of memory, as a test.
fn about_memory(program: &mut Program, func: FuncId, what: &Requirement) -> Result<Expr, String> {
    let (Requirement::NotNull(name) | Requirement::Elements(name, _) | Requirement::Text(name)) =
        what
    else {
        return Err(format!("`{what}` is not supported here"));
    };
    let pointer = read(program, func, name)?;
    let Some(to) = program.types.pointee(pointer.ty) else {
        return Err(format!("`{name}` is not a pointer"));
    };
    let size = program.types.size_of(to).max(1);
    let void = program.types.pointer(Types::VOID);
    let word = program.target().word(false);
    let word = program.types.intern(Type::Int(word));
    let address = Expr::cast(void, pointer.clone());
    Ok(match what {
        Requirement::Text(_) => Expr::memory(MemoryTest::Text, vec![address]),
        Requirement::Elements(_, count) => {
            let (count, none) = match count {
                ElementCount::Number(n) => (Expr::int(word, i128::from(*n)), None),
                ElementCount::Parameter(name, more) => {
                    let value = read(program, func, name)?;
                    let more = Expr::int(value.ty, i128::from(*more));
                    let count = Expr::binary(BinOp::Add, value, more);
                    let zero = Expr::int(count.ty, 0);
                    let none = Expr::binary(BinOp::Le, count.clone(), zero);
                    (Expr::cast(word, count), Some(none))
                }
            };
            let bytes = Expr::binary(BinOp::Mul, count, Expr::int(word, size.into()));
            let live = Expr::memory(MemoryTest::Live, vec![address.clone()]);
            let inside = Expr::memory(MemoryTest::Inside, vec![address, bytes]);
            let valid = Expr::binary(BinOp::And, live, inside);
            match none {
                Some(none) => Expr::binary(BinOp::Or, none, valid),
                None => valid,
            }
        }
        _ => Expr::binary(BinOp::Ne, pointer.clone(), Expr::int(pointer.ty, 0)),
    })
}

/// What may change: a place, or a pointer and how many bytes from there on.
pub(super) enum Target {
    Place(Place),
    Bytes(Expr, Expr),
}

/// Reads a target of `assigns`: `x`, `*p`, `p->f`, `a[0 .. n - 1]`, `*(a + (0 .. n - 1))`.
pub(super) fn target(program: &mut Program, func: FuncId, text: &str) -> Result<Target, String> {
    let inner = text.strip_prefix('*').map(str::trim);
    let ranged = match inner {
        Some(inner) if text.contains("..") => Some(format!("\\valid{inner}")),
        None if text.contains("..") => Some(format!("\\valid({text})")),
        _ => None,
    };
    if let Some(ranged) = ranged {
        let read_range = Requirement::parse(&ranged).map_err(|e| e.why)?;
        let [Requirement::Elements(name, count)] = read_range.as_slice() else {
            return Err(format!("`{text}` is not a range"));
        };
        let pointer = read(program, func, name)?;
        let to = program
            .types
            .pointee(pointer.ty)
            .ok_or("a pointer is expected")?;
        let size = i128::from(program.types.size_of(to).max(1));
        let word = program.target().word(false);
        let word = program.types.intern(Type::Int(word));
        let count = match count {
            ElementCount::Number(n) => Expr::int(word, i128::from(*n)),
            ElementCount::Parameter(name, more) => {
                let value = read(program, func, name)?;
                let more = Expr::int(value.ty, i128::from(*more));
                Expr::cast(word, Expr::binary(BinOp::Add, value, more))
            }
        };
        let bytes = Expr::binary(BinOp::Mul, count, Expr::int(word, size));
        let void = program.types.pointer(Types::VOID);
        return Ok(Target::Bytes(Expr::cast(void, pointer), bytes));
    }
    match read(program, func, text)?.kind {
        ExprKind::Load { place, .. } => Ok(Target::Place(place)),
        _ => Err(format!("`{text}` cannot be assigned")),
    }
}
