//! Why there is no answer: one plain sentence, what would go further, and what each engine said.

use cwolf_base::Exhausted;
use rustc_hash::FxHashSet;

/// Why there is no answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reason {
    /// One sentence, without a full stop.
    pub text: String,
    /// What the user can do next, a sentence each.
    pub advice: Vec<String>,
    /// What each of those who were asked said, with its name.
    pub said: Vec<String>,
}

impl<T: Into<String>> From<T> for Reason {
    fn from(text: T) -> Reason {
        let text = text.into();
        Reason {
            text,
            ..Reason::default()
        }
    }
}

/// What one of those who were asked said instead of an answer.
#[derive(Clone, Debug)]
pub(crate) enum Heard {
    /// It gives up.
    GaveUp {
        /// Its name.
        who: &'static str,
        /// Why.
        why: String,
    },
    /// It found a failure, and no run confirms it.
    Unconfirmed {
        /// Its name.
        who: &'static str,
        /// Where.
        place: String,
        /// What happens when the program is run.
        replay: String,
        /// The run fails, but on something that nobody knows: what.
        rests_on: Option<String>,
    },
    /// It proves the program against a failure that was found before.
    Contradicts {
        /// Its name.
        who: &'static str,
    },
}

impl Heard {
    fn line(&self) -> String {
        match self {
            Heard::GaveUp { who, why } => format!("{who}: {why}"),
            Heard::Unconfirmed {
                who, place, replay, ..
            } => format!("{who} found a failure at {place} that does not replay ({replay})"),
            Heard::Contradicts { who } => {
                format!("{who} calls it safe against the failure that was not confirmed")
            }
        }
    }
}

/// Sums up what everybody said. An engine that was asked alone speaks for itself.
pub(crate) fn sum_up(exhausted: Option<Exhausted>, heard: &[Heard]) -> Reason {
    let mut seen = FxHashSet::default();
    let lines = heard.iter().map(Heard::line);
    let said: Vec<String> = lines.filter(|line| seen.insert(line.clone())).collect();
    let (text, mut advice) = match (exhausted, &said[..]) {
        (None, []) => ("no engine was asked".to_owned(), Vec::new()),
        (None, [one]) => (one.clone(), Vec::new()),
        (Some(why), _) => (why.to_string(), limit(why)),
        (None, _) => weightiest(heard),
    };
    if exhausted.is_some()
        && let Some(place) = heard.iter().find_map(found_at)
    {
        advice.push(format!(
            "look at {place}: a failure was found there, but not confirmed"
        ));
    }
    Reason { text, advice, said }
}

fn limit(why: Exhausted) -> Vec<String> {
    match why {
        Exhausted::Time => vec!["give it more time with --timeout".into()],
        Exhausted::Memory => vec!["give it more memory with --max-memory".into()],
        Exhausted::Steps | Exhausted::Cancelled => Vec::new(),
    }
}

fn found_at(heard: &Heard) -> Option<&str> {
    match heard {
        Heard::Unconfirmed { place, .. } => Some(place),
        _ => None,
    }
}

/// The reason that tells a user most: a failure that rests on something unknown, then one that was not
/// confirmed.
fn weightiest(heard: &[Heard]) -> (String, Vec<String>) {
    for one in heard {
        if let Heard::Unconfirmed {
            place,
            rests_on: Some(what),
            ..
        } = one
        {
            let advice = "add the file that defines it to the command, or define it in C";
            return (
                format!("there may be a failure at {place}: {what}"),
                vec![advice.into()],
            );
        }
    }
    if let Some(place) = heard.iter().find_map(found_at) {
        let text = format!(
            "there may be a failure at {place}, but running the program with the same values does not show it"
        );
        return (text, Vec::new());
    }
    let text = "no engine could prove or refute what is left";
    let advice = [
        "check one kind of property at a time with --property",
        "restrict the inputs with __VERIFIER_assume or, for a function, --requires",
    ];
    (text.into(), advice.map(String::from).to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gave_up(who: &'static str) -> Heard {
        let why = "it is too hard".into();
        Heard::GaveUp { who, why }
    }

    fn unconfirmed(rests_on: Option<&str>) -> Heard {
        Heard::Unconfirmed {
            who: "bmc",
            place: "a.c:7".into(),
            replay: "the program ends normally".into(),
            rests_on: rests_on.map(String::from),
        }
    }

    #[test]
    fn an_engine_that_was_asked_alone_speaks_for_itself() {
        let reason = sum_up(None, &[gave_up("ic3"), gave_up("ic3")]);
        assert_eq!(reason.text, "ic3: it is too hard");
        assert!(reason.advice.is_empty());
    }

    #[test]
    fn a_failure_says_more_than_those_who_gave_up() {
        let plain = sum_up(None, &[gave_up("ic3"), unconfirmed(None)]);
        assert!(plain.text.starts_with("there may be a failure at a.c:7"));
        let known = unconfirmed(Some("f is not known"));
        let heard = [gave_up("ic3"), unconfirmed(None), known];
        let rests = sum_up(None, &heard);
        assert!(rests.text.ends_with("a.c:7: f is not known"));
        let none = sum_up(None, &[gave_up("ic3"), gave_up("imc")]);
        assert!(none.text.starts_with("no engine"));
        assert_eq!(none.said.len(), 2);
    }

    #[test]
    fn a_limit_comes_first_and_names_its_option() {
        let reason = sum_up(Some(Exhausted::Time), &[gave_up("ic3"), unconfirmed(None)]);
        assert_eq!(reason.text, Exhausted::Time.to_string());
        assert!(reason.advice[0].contains("--timeout"));
        assert!(reason.advice[1].contains("a.c:7"));
        let reason = sum_up(Some(Exhausted::Memory), &[]);
        assert!(reason.advice[0].contains("--max-memory"));
    }
}
