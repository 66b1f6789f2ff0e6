//! The term text of the daVinci viewer; written only. Its edges have no labels, so a visible
//! action is a small text node between two states.

use super::scan::quoted;
use crate::labels::TAU;
use crate::lts::{Lts, State};
use std::io::{Result as IoResult, Write};

pub(crate) fn write(lts: &Lts, out: &mut dyn Write) -> IoResult<()> {
    let names: Vec<String> = lts.labels().names().map(quoted).collect();
    writeln!(out, "[")?;
    let mut edge = 0u64;
    for s in 0..lts.states() as State {
        let text = match lts.notes().and_then(|notes| notes.get(s)) {
            Some(note) => quoted(&format!("{s}\n{note}")),
            None => quoted(&s.to_string()),
        };
        let shape = if s == lts.initial() {
            "circle"
        } else {
            "ellipse"
        };
        let comma = if s == 0 { "" } else { "," };
        write!(
            out,
            "{comma}l(\"s{s}\",n(\"state\",[a(\"OBJECT\",{text}),a(\"_GO\",\"{shape}\")],["
        )?;
        for (n, (a, t)) in lts.from(s).enumerate() {
            let comma = if n == 0 { "" } else { "," };
            edge += 1;
            write!(out, "{comma}l(\"e{edge}\",e(\"edge\",[],")?;
            if a == TAU {
                write!(out, "r(\"s{t}\")))")?;
            } else {
                let label = &names[a as usize];
                write!(
                    out,
                    "l(\"a{edge}\",n(\"action\",[a(\"OBJECT\",{label}),a(\"_GO\",\"text\")],"
                )?;
                write!(out, "[l(\"f{edge}\",e(\"edge\",[],r(\"s{t}\")))]))))")?;
            }
        }
        writeln!(out, "]))")?;
    }
    writeln!(out, "]")
}
