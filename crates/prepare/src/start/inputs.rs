//! What the arguments of the entry function are, and how to tell them from the values that the
//! start function chose.

use super::caller::Passed;
use super::requires::Requirement;
use super::usage::{Reach, Usage};
use crate::subject::Assumption;
use cwolf_cwi::value::Value;

/// No more arguments than these (one less than a power of two): Linux gives a program at most 6 MiB of them, and each
/// takes a pointer and a zero.
pub(super) const MOST_ARGUMENTS: u64 = (1 << 21) - 1;

/// What `main` is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arguments {
    /// Exactly these, the program's name first.
    pub given: Option<Vec<Vec<u8>>>,
    /// Else at most so many, with the program's name.
    pub most: u64,
    /// Of at most so many characters each.
    pub length: u64,
    /// Who calls another entry function.
    pub caller: Caller,
}

/// Who calls the entry function, unless it is `main`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Caller {
    /// Each pointer leads to one object of its own; variables have their first values.
    #[default]
    Friendly,
    /// Anybody who keeps these conditions.
    Any(Vec<Requirement>),
}

impl Default for Arguments {
    fn default() -> Self {
        Arguments {
            given: None,
            most: 3,
            length: 7,
            caller: Caller::default(),
        }
    }
}

impl Arguments {
    /// The same, but nothing is chosen.
    pub(super) fn fixed(&self) -> Arguments {
        let name = || vec![b"program".to_vec()];
        Arguments {
            given: Some(self.given.clone().unwrap_or_else(name)),
            ..self.clone()
        }
    }
}

/// How the values that the start function chooses make up the arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Inputs {
    /// The entry function has no parameters.
    #[default]
    None,
    /// They are arguments of `main`.
    Main(MainInputs),
    /// They are the parameters, or what these point to, part by part; how each parameter is passed, if there was
    /// a choice.
    Values(Vec<Passed>),
}

/// How many texts there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// Any number.
    Any,
    /// At most so many.
    UpTo(u64),
    /// A fixed number: nothing is chosen.
    Given,
}

/// Room for texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct List {
    /// How many.
    pub texts: u64,
    /// Their characters, without the zero.
    pub characters: u64,
}

/// The arguments of `main`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MainInputs {
    pub(super) given: Option<Vec<Vec<u8>>>,
    pub(super) count: Count,
    pub(super) list: Option<List>,
    pub(super) environment: Vec<(Count, Option<List>)>,
}

/// The arguments of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// `argc`
    pub count: u64,
    /// The texts of `argv`; may be fewer than `argc` where the program reads no more.
    pub list: Vec<Vec<u8>>,
    /// The texts of the environment, if `main` takes one.
    pub environment: Option<Vec<Vec<u8>>>,
}

/// The width of a number that is chosen to get one from 0 to `most`.
pub(super) fn bits(most: u64) -> u16 {
    match most {
        0..=0x7f => 8,
        0x80..=0x7fff => 16,
        _ => 32,
    }
}

/// Takes chosen numbers in order.
struct Chosen<'v>(std::slice::Iter<'v, Value>);

impl Chosen<'_> {
    fn number(&mut self) -> i128 {
        match self.0.next() {
            Some(Value::Int(v)) => *v,
            _ => 0,
        }
    }
    fn count(&mut self, count: Count) -> u64 {
        let number = self.number();
        match count {
            Count::Any => number as u64 & MOST_ARGUMENTS,
            Count::UpTo(most) => (number as u64) % (most + 1),
            Count::Given => 0,
        }
    }
    /// The last `count` of the texts that were chosen.
    fn list(&mut self, count: u64, room: Option<List>) -> Vec<Vec<u8>> {
        let room = room.unwrap_or_default();
        let mut texts = Vec::new();
        for _ in 0..room.texts {
            texts.push(self.text(room.characters));
        }
        let absent = room.texts.saturating_sub(count);
        texts.split_off(absent as usize)
    }
    fn text(&mut self, characters: u64) -> Vec<u8> {
        if characters == 0 {
            return Vec::new();
        }
        let length = (self.number() as u64) % (characters + 1);
        // The last one is the zero, whatever was chosen for it.
        let all: Vec<u8> = (0..=characters).map(|_| self.number() as u8).collect();
        all[(characters - length) as usize..characters as usize].to_vec()
    }
}

impl MainInputs {
    /// The arguments that chosen values stand for. What follows a zero in a text is kept: the
    /// program may look there.
    pub fn words(&self, values: &[Value]) -> Words {
        let mut chosen = Chosen(values.iter());
        let (count, list) = match &self.given {
            Some(words) => (words.len() as u64, words.clone()),
            None => {
                let count = chosen.count(self.count);
                (count, chosen.list(count, self.list))
            }
        };
        let environment = self.environment.first().map(|(count, room)| {
            let count = match count {
                Count::Given => 0,
                count => chosen.count(*count),
            };
            chosen.list(count, *room)
        });
        Words {
            count,
            list,
            environment,
        }
    }

    /// Up to where arguments are covered, as the end of "no failure with …".
    pub(super) fn bound(&self, uses: &[Usage]) -> Option<String> {
        let mut parts = Vec::new();
        let mut raise = Vec::new();
        let lists = [("arguments", self.list)].into_iter().chain(
            self.environment
                .iter()
                .map(|(_, room)| ("environment variables", *room)),
        );
        for ((what, room), usage) in lists.zip(uses) {
            let Some(room) = room else { continue };
            let List { texts, characters } = room;
            let many = usage.list == Reach::Any;
            let long = usage.text == Reach::Any;
            parts.push(match (many, long) {
                (true, true) => format!("up to {texts} {what} of at most {characters} characters"),
                (true, false) => format!("up to {texts} {what}"),
                (false, true) => format!("{what} of at most {characters} characters"),
                (false, false) => continue,
            });
            for (needed, option) in [(many, "--max-args"), (long, "--max-arg-length")] {
                if needed && !raise.contains(&option) {
                    raise.push(option);
                }
            }
        }
        (!parts.is_empty()).then(|| {
            let (parts, raise) = (parts.join(" and "), raise.join(" or "));
            format!("{parts}; raise {raise} to cover more")
        })
    }

    /// What the verdict takes for granted of the arguments.
    pub(super) fn assumption(&self, uses: &[Usage]) -> Option<Assumption> {
        let text = match (&self.given, self.bound(uses)) {
            (Some(words), _) => {
                let words = words.iter().skip(1).map(|w| String::from_utf8_lossy(w));
                let words: Vec<_> = words.collect();
                format!(
                    "the arguments of main are fixed (--args): {}",
                    words.join(" ")
                )
            }
            (None, Some(bound)) => {
                let bound = bound.split("; ").next().unwrap_or_default();
                format!("main gets {bound}")
            }
            (None, None) => return None,
        };
        Some(Assumption { text, place: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(count: Count, texts: u64, characters: u64) -> MainInputs {
        MainInputs {
            given: None,
            count,
            list: Some(List { texts, characters }),
            environment: Vec::new(),
        }
    }

    fn numbers(list: &[i128]) -> Vec<Value> {
        list.iter().map(|n| Value::Int(*n)).collect()
    }

    #[test]
    fn lists_and_texts_stand_at_the_end() {
        let main = inputs(Count::UpTo(2), 2, 2);
        // A count of 1 (4 % 3), then two texts: lengths 0 and 1, each with three characters.
        let chosen = numbers(&[4, 0, 97, 98, 99, 1, 100, 101, 102]);
        let words = main.words(&chosen);
        assert_eq!((words.count, words.list), (1, vec![b"e".to_vec()]));
    }

    #[test]
    fn more_arguments_than_are_read_stay_a_number() {
        let main = inputs(Count::Any, 1, 0);
        let words = main.words(&numbers(&[1000]));
        assert_eq!((words.count, words.list), (1000, vec![Vec::new()]));
    }
}
