//! What can be checked, by name, and SV-COMP's property files.

use thiserror::Error;

pub use cwolf_cwi::CheckKind as Kind;

/// The kind of a name, with the spellings that other tools use.
pub fn kind_of_name(name: &str) -> Option<Kind> {
    let other = match name {
        "assert" | "assertions" => Some(Kind::Assertion),
        "reach" | "error" | "label" => Some(Kind::UnreachCall),
        "pointers" | "memory" => Some(Kind::Pointer),
        "division" | "div-by-zero" => Some(Kind::DivisionByZero),
        "no-overflow" => Some(Kind::Overflow),
        "uninitialized" | "uninit" => Some(Kind::Uninitialised),
        "leaks" | "memtrack" => Some(Kind::Leak),
        "cleanup" => Some(Kind::Cleanup),
        _ => None,
    };
    let mut all = Kind::ALL.into_iter();
    other.or_else(|| all.find(|kind| kind.name() == name))
}

/// The kinds that are checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    kinds: Vec<Kind>,
    /// Functions whose call is an error.
    pub error_functions: Vec<String>,
    /// Whether control at a label called `ERROR` is an error.
    pub error_labels: bool,
    /// The specification as SV-COMP writes it.
    pub specification: String,
    /// Whether runs go on after undefined steps that are not checked. SV-COMP's runs end there.
    pub follow_undefined: bool,
    /// The function that the specification starts at, if it says.
    pub entry: Option<String>,
}

/// Functions that programs call to say that something went wrong.
pub const ERROR_FUNCTIONS: [&str; 2] = ["reach_error", "__VERIFIER_error"];

impl Default for Selection {
    /// The user's own assertions, and bounds, pointer and division checks.
    fn default() -> Selection {
        Selection::of(&[
            Kind::Assertion,
            Kind::UnreachCall,
            Kind::Bounds,
            Kind::Pointer,
            Kind::DivisionByZero,
            Kind::Rule,
        ])
    }
}

impl Selection {
    /// Exactly these kinds.
    pub fn of(kinds: &[Kind]) -> Selection {
        let mut kinds = kinds.to_vec();
        kinds.sort_unstable();
        kinds.dedup();
        let reach = kinds.contains(&Kind::UnreachCall);
        let formula = match kinds.contains(&Kind::Overflow) && !reach {
            true => "G ! overflow",
            false => "G ! call(reach_error())",
        };
        Selection {
            kinds,
            error_functions: ERROR_FUNCTIONS.map(str::to_owned).to_vec(),
            error_labels: reach,
            follow_undefined: true,
            specification: format!("CHECK( init(main()), LTL({formula}) )"),
            entry: None,
        }
    }
    /// Whether this kind is checked.
    pub fn has(&self, kind: Kind) -> bool {
        self.kinds.contains(&kind)
    }
    /// The kinds, in order.
    pub fn kinds(&self) -> &[Kind] {
        &self.kinds
    }
    /// Checks this kind too.
    pub fn add(&mut self, kind: Kind) {
        if !self.has(kind) {
            self.kinds.push(kind);
            self.kinds.sort_unstable();
        }
    }
}

/// What is wrong with a property file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PrpError {
    /// A line that is no `CHECK( … )`.
    #[error("line {line}: expected `CHECK( init(main()), LTL(…) )`, found `{text}`")]
    Syntax {
        /// The line, from 1.
        line: usize,
        /// What stands there.
        text: String,
    },
    /// A formula that is not supported.
    #[error(
        "line {line}: the property `{formula}` is not supported; supported are `G ! call(f())`, \
         `G assert`, `G ! overflow`, `G valid-deref`, `G valid-free`, `G valid-memtrack`, `G valid-memcleanup` and `G ! label(ERROR)`"
    )]
    Formula {
        /// The line, from 1.
        line: usize,
        /// The formula.
        formula: String,
    },
    /// A file without a property.
    #[error(
        "there is no property; write for example `CHECK( init(main()), LTL(G ! call(reach_error())) )`"
    )]
    Empty,
}

/// Reads a property file of SV-COMP.
pub fn parse_prp(text: &str) -> Result<Selection, PrpError> {
    let mut kinds = Vec::new();
    let mut functions = Vec::new();
    let mut labels = false;
    let mut entry = None;
    let mut written = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with("//") || line.starts_with('#') {
            continue;
        }
        let n = n + 1;
        let (start, formula) = split_check(line).ok_or_else(|| PrpError::Syntax {
            line: n,
            text: line.into(),
        })?;
        match formula_kind(&formula) {
            Some(Formula::Call(function)) => {
                kinds.push(Kind::UnreachCall);
                functions.push(function);
            }
            Some(Formula::Label) => {
                kinds.push(Kind::UnreachCall);
                // What the front end calls at such a label.
                functions.push("__VERIFIER_error".into());
                labels = true;
            }
            Some(Formula::Kinds(list)) => kinds.extend(list),
            None => return Err(PrpError::Formula { line: n, formula }),
        }
        entry = Some(start);
        written.push(line.to_owned());
    }
    if kinds.is_empty() {
        return Err(PrpError::Empty);
    }
    Ok(Selection {
        error_functions: functions,
        error_labels: labels,
        follow_undefined: false,
        specification: written.join("\n"),
        entry,
        ..Selection::of(&kinds)
    })
}

enum Formula {
    Call(String),
    Label,
    Kinds(&'static [Kind]),
}

/// The start function and the formula of `CHECK( init(f()), LTL(…) )`.
fn split_check(line: &str) -> Option<(String, String)> {
    let plain: String = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let inner = plain.strip_prefix("CHECK(")?.trim_end();
    let inner = inner.strip_suffix(')')?.trim();
    let inner = inner.strip_prefix("init(")?;
    let (start, rest) = inner.split_once("()")?;
    let rest = rest.trim_start().strip_prefix(')')?.trim_start();
    let rest = rest.strip_prefix(',')?.trim();
    let formula = rest.strip_prefix("LTL(")?.strip_suffix(')')?;
    Some((start.trim().into(), formula.trim().into()))
}

fn formula_kind(formula: &str) -> Option<Formula> {
    let rest = formula.strip_prefix('G')?.trim();
    let negated = rest.strip_prefix('!').map(str::trim);
    if let Some(call) = negated.and_then(|r| r.strip_prefix("call(")) {
        let name = call.strip_suffix(')')?.trim();
        let name = name.split('(').next()?.trim();
        return Some(Formula::Call(name.into()));
    }
    if let Some(label) = negated.and_then(|r| r.strip_prefix("label(")) {
        return (label.trim_end_matches(')').trim() == "ERROR").then_some(Formula::Label);
    }
    match (negated, rest) {
        (Some("overflow"), _) => Some(Formula::Kinds(&[Kind::Overflow])),
        (None, "valid-deref") => Some(Formula::Kinds(&[Kind::Bounds, Kind::Pointer])),
        (None, "valid-free") => Some(Formula::Kinds(&[Kind::Pointer])),
        (None, "valid-memtrack") => Some(Formula::Kinds(&[Kind::Leak])),
        (None, "valid-memcleanup") => Some(Formula::Kinds(&[Kind::Cleanup])),
        (None, "assert") => Some(Formula::Kinds(&[Kind::Assertion])),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for kind in Kind::ALL {
            assert_eq!(kind_of_name(kind.name()), Some(kind));
        }
        assert_eq!(kind_of_name("happiness"), None);
    }

    #[test]
    fn property_files_of_sv_comp() {
        let reach = parse_prp("CHECK( init(main()), LTL(G ! call(reach_error())) )\n\n");
        let reach = reach.expect("a property");
        assert_eq!(reach.kinds(), [Kind::UnreachCall]);
        assert_eq!(reach.error_functions, ["reach_error"]);
        assert!(!reach.error_labels);
        assert_eq!(reach.entry.as_deref(), Some("main"));
        let overflow = parse_prp("CHECK( init(main()), LTL(G ! overflow) )").expect("one");
        assert_eq!(overflow.kinds(), [Kind::Overflow]);
        let memory = "CHECK( init(main()), LTL(G valid-free) )\n\
                      CHECK( init(main()), LTL(G valid-deref) )\n";
        let memory = parse_prp(memory).expect("two");
        assert_eq!(memory.kinds(), [Kind::Bounds, Kind::Pointer]);
        let leak = parse_prp("CHECK( init(main()), LTL(G valid-memtrack) )");
        assert_eq!(leak.expect("one").kinds(), [Kind::Leak]);
        let clean = parse_prp("CHECK( init(main()), LTL(G valid-memcleanup) )");
        assert_eq!(clean.expect("one").kinds(), [Kind::Cleanup]);
        let old = parse_prp("CHECK( init(main()), LTL(G ! call(__VERIFIER_error())) )");
        assert_eq!(old.expect("one").error_functions, ["__VERIFIER_error"]);
    }

    #[test]
    fn what_cannot_be_checked_is_said() {
        let later = parse_prp("CHECK( init(main()), LTL(F end) )");
        assert!(matches!(later, Err(PrpError::Formula { line: 1, .. })));
        let other = parse_prp("\nCHECK( init(main()), LTL(G happy) )");
        assert!(matches!(other, Err(PrpError::Formula { line: 2, .. })));
        assert_eq!(parse_prp("\n"), Err(PrpError::Empty));
        let words = parse_prp("please").expect_err("no property").to_string();
        assert!(words.contains("found `please`"));
    }
}
