//! Maps proposed by the tool (thesis, 7.1.3): what decides which labelled event comes next is kept,
//! in a domain that fits how it is used; and a label for each function without a body that is
//! called.

use super::{LabelMap, Text, parse_labels};
use crate::slice::{Choice, Fields, Leaf, Scopes, Slice, Uses, is_kept};
use cwolf_base::SourceMap;
use cwolf_cwi::graph::Analysed;
use cwolf_cwi::{FuncId, Type, VarId, VarKind};
use std::fmt::Write;

/// Arrays with more elements are not kept.
const LONGEST: u64 = 64;

/// Proposes an abstraction map for what can be reached from `entry`. Without rules, calls of
/// functions without a body are the events.
pub fn suggest_abstraction(program: &Analysed, entry: FuncId, labels: &LabelMap) -> String {
    let own;
    let labels = match labels.rules.is_empty() {
        true => {
            own = extern_calls(program, entry);
            &own
        }
        false => labels,
    };
    let mut slice = Slice::new(program, entry, labels, Fields::ByType);
    let relevant: Vec<u32> = slice.relevant.iter().collect();
    let cells: Vec<(u32, VarId, Vec<u32>)> = relevant
        .into_iter()
        .filter_map(|leaf| match slice.leaves.get(leaf) {
            Leaf::Cell(var, path) => Some((leaf, *var, path.clone())),
            _ => None,
        })
        .collect();
    let mut scopes = Scopes::new();
    let mut typed = Vec::new();
    for (leaf, var, path) in cells {
        if !is_kept(program, var) || !is_alone(program, var) {
            continue;
        }
        if let Some(ty) = slice.leaves.cell_type(var, &path) {
            typed.push((leaf, var, path, ty));
        }
    }
    let mut uses = Uses::new(program, &mut slice);
    for (leaf, var, path, ty) in typed {
        let Some((name, array)) = spelled(program, var, &path) else {
            continue;
        };
        let Some(choice) = uses.choose(leaf, ty) else {
            continue;
        };
        let v = &program.vars[var];
        let file = program.locations.file_name(program.locations[v.loc].file);
        if file.starts_with("<library>") || file.contains(['"', '\n']) {
            continue;
        }
        let function = match v.kind.function() {
            Some(f) => program.funcs[f].name.clone(),
            None => String::new(),
        };
        let choice = Choice {
            domain: match array {
                true => format!("{} array", choice.domain),
                false => choice.domain,
            },
            ..choice
        };
        let param = matches!(v.kind, VarKind::Param(_));
        let lines = scopes.entry(file.to_owned()).or_default();
        let lines = lines.entry(function).or_default();
        if !lines.iter().any(|(_, n, _)| *n == name) {
            lines.push((param, name, choice));
        }
    }
    print(&scopes)
}

/// The rules of [`suggest_labels`].
fn extern_calls(program: &Analysed, entry: FuncId) -> LabelMap {
    let text = suggest_labels(program, entry);
    let text = Text {
        name: "<proposed>",
        text: &text,
    };
    parse_labels(program, &mut SourceMap::default(), text).unwrap_or_default()
}

/// What a map calls a scalar of a variable, and whether it is an array; none if it cannot name it.
fn spelled(program: &Analysed, var: VarId, path: &[u32]) -> Option<(String, bool)> {
    let types = &program.types;
    let mut name = program.vars[var].name.clone();
    let mut ty = program.vars[var].ty;
    let mut count = 1u64;
    let mut path = path.iter();
    let mut array = false;
    loop {
        match &types[ty] {
            Type::Array { elem, len } => {
                count = count.saturating_mul(*len);
                ty = *elem;
                array = true;
            }
            Type::Record(record) => {
                let field = &types.records[*record].fields[*path.next()? as usize];
                if !field.name.is_empty() {
                    name = format!("{name}.{}", field.name);
                }
                ty = field.ty;
                array = false;
            }
            _ => break,
        }
    }
    (count > 0 && count <= LONGEST).then_some((name, array))
}

/// Whether no variable of another type has the same name in the same scope.
fn is_alone(program: &Analysed, id: VarId) -> bool {
    let var = &program.vars[id];
    let scope = |k: VarKind| (k.function(), k == VarKind::Global);
    let same = |v: &&cwolf_cwi::Var| v.name == var.name && scope(v.kind) == scope(var.kind);
    let mut all = program.vars.iter().filter(same);
    all.all(|v| v.ty == var.ty)
}

fn print(scopes: &Scopes) -> String {
    let mut text = String::from(
        "// Proposed by cwolf: what decides which labelled event comes next.\n\
         // What is not mentioned is top. Edit it as you like.\n",
    );
    let line = |(_, name, choice): &(bool, String, Choice)| {
        let why = match choice.why.as_str() {
            "" => String::new(),
            why => format!("    // {why}"),
        };
        format!("var {name} : {};{why}", choice.domain)
    };
    for (file, functions) in scopes {
        let _ = writeln!(text, "file \"{file}\" {{");
        for (function, lines) in functions {
            if function.is_empty() {
                lines
                    .iter()
                    .for_each(|l| text += &format!("    {}\n", line(l)));
                continue;
            }
            let params: Vec<String> = lines
                .iter()
                .filter(|l| l.0)
                .map(|(_, name, choice)| format!("var {name} : {}", choice.domain))
                .collect();
            let _ = write!(text, "    fun {function} ({}) {{", params.join(", "));
            let own: Vec<String> = lines.iter().filter(|l| !l.0).map(line).collect();
            match own.is_empty() {
                true => text += " }\n",
                false => {
                    text += "\n";
                    own.iter().for_each(|l| text += &format!("        {l}\n"));
                    text += "    }\n";
                }
            }
        }
        text += "}\n";
    }
    text
}

/// Proposes a label map: each function without a body that can be called from `entry`.
pub fn suggest_labels(program: &Analysed, entry: FuncId) -> String {
    let mut text = String::from(
        "// Proposed by cwolf: calls of functions without a body. Edit it as you like.\n",
    );
    for func in program.calls().reachable(&[entry]) {
        let function = &program.funcs[func];
        if function.body.is_none() && function.name != cwolf_lts::TAU_NAME {
            text += &format!("call({0}) => {0};\n", function.name);
        }
    }
    text
}
