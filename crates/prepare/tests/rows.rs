//! Every row of the table of known functions, asked of the points-to analysis: what the row says of
//! pointers must be what the analysis finds, or less than that.

use cwolf_cfront::{Options, compile_text};
use cwolf_cwi::graph::{Object, PointsTo, Precision};
use cwolf_cwi::{Program, VarId};
use cwolf_known::{CType, Effect, IntKind, Outcome, Path, Requirement, Row};
use std::fmt::Write;

/// A program that calls the function: argument `n` is the object `o<n>`, which holds the address of
/// `t<n>`; the result goes to `r`.
fn text(row: &Row) -> String {
    let count = row.prototype.params.len();
    let mut text = format!("extern void *{}();\nvoid *r;\n", row.name);
    for n in 0..count {
        let _ = writeln!(text, "char t{n}; void *o{n}[4] = {{ &t{n} }};");
    }
    let args: Vec<String> = (0..count).map(|n| format!("o{n}")).collect();
    let call = format!("{}({})", row.name, args.join(", "));
    let _ = writeln!(text, "int main(void) {{ r = {call}; return 0; }}");
    text
}

/// What the analysis says of one call.
struct Found {
    program: Program,
    points_to: PointsTo,
}

impl Found {
    fn var(&self, name: &str) -> VarId {
        let mut all = self.program.vars.enumerate();
        all.find(|(_, v)| v.name == name).expect("it is there").0
    }

    /// Whether what `holder` holds may be the address of `object`.
    fn leads(&self, holder: &str, object: &str) -> bool {
        let held = self.points_to.contents(Object::Var(self.var(holder)));
        let object = Object::Var(self.var(object));
        let outside = held.contains(&Object::Outside);
        held.contains(&object) || (outside && self.points_to.escaped().contains(&object))
    }

    fn escapes(&self, object: &str) -> bool {
        let object = Object::Var(self.var(object));
        self.points_to.escaped().contains(&object)
    }

    /// Whether what `holder` holds may be a new object or one of the library.
    fn is_new(&self, holder: &str) -> bool {
        let held = self.points_to.contents(Object::Var(self.var(holder)));
        let new = |o: &Object| matches!(o, Object::Heap(..) | Object::Outside);
        held.iter().any(new)
    }
}

/// Whether a function writes characters where this argument points to, and the row does not say what they are.
fn makes_text(row: &Row, param: usize) -> bool {
    let to = row.prototype.params[param].ty.pointee();
    let set = |e: &Effect| matches!(e, Effect::Sets { at, .. } if at.param == param && at.path == Path::Behind);
    matches!(to, Some(CType::Int(IntKind::Char, _))) && !row.effects.iter().any(set)
}

/// The argument that a requirement says is read.
fn read(requirement: &Requirement) -> Option<usize> {
    match requirement {
        Requirement::Readable { at, .. } | Requirement::Text { at, .. } => Some(at.param),
        _ => None,
    }
}

/// Facts of the row that the analysis does not know of.
fn missing(row: &Row, found: &Found) -> Vec<String> {
    let mut list = Vec::new();
    let mut claim = |holds: bool, what: String| {
        if !holds {
            list.push(what);
        }
    };
    for outcome in &row.result {
        match outcome {
            Outcome::Into(at) if at.path == Path::Itself => {
                let n = at.param;
                claim(found.leads("r", &format!("o{n}")), format!("returns {n}"));
            }
            Outcome::Into(at) => {
                let n = at.param;
                let leads = found.leads("r", &format!("t{n}"));
                claim(leads, format!("returns what is behind {n}"));
            }
            Outcome::Fresh { .. } | Outcome::Stack(_) | Outcome::Static { .. } => {
                claim(found.is_new("r"), format!("{outcome:?}"));
            }
            _ => {}
        }
    }
    for n in row.returns_args() {
        claim(found.leads("r", &format!("o{n}")), format!("returns {n}"));
    }
    for effect in &row.effects {
        match effect {
            Effect::Copies { to, from, .. } => {
                let (to, from) = (to.param, from.param);
                let copied = found.leads(&format!("o{to}"), &format!("t{from}"));
                claim(copied, format!("copies {from} to {to}"));
            }
            Effect::Sets { at, value } => {
                for outcome in value {
                    if let Outcome::Into(from) = outcome
                        && from.path == Path::Itself
                    {
                        let (to, from) = (at.param, from.param);
                        let set = found.leads(&format!("o{to}"), &format!("o{from}"));
                        claim(set, format!("sets {to} to {from}"));
                    }
                    if let Outcome::Fresh { .. } = outcome {
                        let to = at.param;
                        claim(found.is_new(&format!("o{to}")), format!("sets {to} to new"));
                    }
                }
            }
            Effect::Writes { at, .. } if makes_text(row, at.param) => {
                let to = at.param;
                for from in row.requires.iter().filter_map(read).filter(|n| *n != to) {
                    let copied = found.leads(&format!("o{to}"), &format!("t{from}"));
                    let anywhere = found.escapes(&format!("o{to}"));
                    claim(copied || anywhere, format!("makes text of {from} in {to}"));
                }
            }
            Effect::Moves(at) => {
                let n = at.param;
                let kept = found.is_new("r") || found.escapes(&format!("t{n}"));
                claim(kept, format!("moves {n}"));
            }
            Effect::Keeps(at) => {
                let n = at.param;
                claim(found.escapes(&format!("o{n}")), format!("keeps {n}"));
            }
            Effect::Calls(n) | Effect::CallsLater(n, _) => {
                claim(found.escapes(&format!("o{n}")), format!("calls {n}"));
            }
            Effect::Writes { at, .. } if row.is_open() => {
                let n = at.param;
                claim(found.is_new(&format!("o{n}")), format!("writes {n}"));
            }
            _ => {}
        }
    }
    list
}

#[test]
fn points_to_knows_what_rows_say() {
    let (mut asked, mut flows) = (0, 0);
    let mut wrong = Vec::new();
    for row in cwolf_known::table()
        .rows()
        .filter(|r| !r.name.ends_with('*'))
    {
        let compiled = compile_text("row.c", text(row).as_bytes(), &Options::default());
        // The compiler's own functions are no calls.
        let Some(program) = compiled.program else {
            continue;
        };
        let declared = program.function(&row.name);
        if declared.is_none_or(|f| program.funcs[f].body.is_some()) {
            continue;
        }
        asked += 1;
        flows += usize::from(row.pointer_flow().is_some());
        for precision in [Precision::Inclusion, Precision::Fields, Precision::OneLevel] {
            let points_to = PointsTo::with(&program, precision);
            let found = Found {
                program: program.clone(),
                points_to,
            };
            for what in missing(row, &found) {
                wrong.push(format!("{} ({precision:?}): {what}", row.name));
            }
        }
    }
    assert!(asked > 1200 && flows > 300, "{asked} rows, {flows} flows");
    assert!(
        wrong.is_empty(),
        "{} facts:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
