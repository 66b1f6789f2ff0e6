//! Reads the facts of a row.

use crate::amount::{Amount, Path, Subject};
use crate::error::Parsed;
use crate::lexer::{Cursor, Token, tokens};
use crate::prototype::Prototype;
use crate::row::{
    Channel, Control, Effect, End, Failure, Format, FormatArgs, FormatKind, Outcome, Primitive,
    Requirement, When,
};
use crate::terms::Reader;
use crate::types::CType;

/// What the facts of a row say.
#[derive(Default)]
pub(crate) struct Facts {
    pub requires: Vec<Requirement>,
    pub effects: Vec<Effect>,
    pub result: Vec<Outcome>,
    pub control: Vec<Control>,
    pub nullable: Vec<usize>,
    /// Those that may be null if nothing is read or written through them.
    pub empty: Vec<usize>,
    pub open: bool,
    pub asks: Option<String>,
    pub may_fail: bool,
    pub primitive: Option<Primitive>,
}

/// Reads facts about a function with this prototype.
pub(crate) fn parse(text: &str, prototype: &Prototype) -> Parsed<Facts> {
    let list = tokens(text)?;
    let mut cursor = Cursor { rest: &list };
    let mut facts = Facts::default();
    while cursor.peek().is_some() {
        let word = cursor.word()?;
        facts.read(word, &mut cursor, prototype)?;
        if cursor.peek().is_some() {
            cursor.expect(",")?;
        }
    }
    facts.derive(prototype)?;
    Ok(facts)
}

impl Facts {
    fn read(&mut self, word: &str, cursor: &mut Cursor<'_, '_>, p: &Prototype) -> Parsed<()> {
        match word {
            "open" => self.open = true,
            "keeps_locals" => self.control.push(Control::KeepsLocals),
            "may_fail" => self.may_fail = true,
            "errno" => self.effects.push(Effect::Errno),
            "output" => self.effects.push(Effect::Output),
            "connects" => self.effects.push(Effect::Connects),
            "opens" => self.effects.push(Effect::Opens),
            "chooses" if cursor.peek() != Some(Token::Sign("(")) => {
                self.control.push(Control::Choose);
            }
            "anything" => self.effects.push(Effect::Anything),
            "event" => self.control.push(Control::Event),
            "joins" => self.control.push(Control::Joins),
            "forks" => self.control.push(Control::Forks),
            "switches" => self.control.push(Control::Switches),
            "atomic_begin" => self.control.push(Control::AtomicBegin),
            "atomic_end" => self.control.push(Control::AtomicEnd),
            _ => {
                cursor.expect("(")?;
                let mut reader = Reader {
                    cursor,
                    prototype: p,
                };
                self.about(word, &mut reader)?;
                cursor.expect(")")?;
            }
        }
        Ok(())
    }

    /// A fact with something in brackets.
    fn about(&mut self, word: &str, r: &mut Reader<'_, '_, '_>) -> Parsed<()> {
        match word {
            "null" => {
                self.nullable.push(r.pointer()?);
                while r.cursor.eat(",") {
                    self.nullable.push(r.pointer()?);
                }
            }
            "empty" => self.empty.push(r.pointer()?),
            "if_null" => self.if_null(r)?,
            "reads" => {
                let (at, bytes) = extent(r)?;
                self.requires.push(Requirement::Readable { at, bytes });
            }
            "updates" => {
                let (at, bytes) = extent(r)?;
                self.requires.push(Requirement::Readable {
                    at: at.clone(),
                    bytes: bytes.clone(),
                });
                self.writes(at, bytes.clone(), Some(bytes));
            }
            "writes" => {
                let (at, bytes) = extent(r)?;
                self.writes(at, bytes.clone(), Some(bytes));
            }
            "fills" => {
                let (at, bytes) = extent(r)?;
                let surely = match r.cursor.eat(",") {
                    true => Some(r.amount()?),
                    false => None,
                };
                self.writes(at, bytes, surely);
            }
            "copies" => self.copies(r)?,
            "string" | "wide" => {
                let at = r.subject()?;
                let within = match r.cursor.eat(",") {
                    true => Some(r.amount()?),
                    false => None,
                };
                let wide = word == "wide";
                let end = None;
                self.requires.push(Requirement::Text {
                    at,
                    wide,
                    within,
                    end,
                });
            }
            "until" => {
                let at = r.subject()?;
                r.cursor.expect(",")?;
                let end = Some(r.param()?);
                let within = match r.cursor.eat(",") {
                    true => Some(r.amount()?),
                    false => None,
                };
                let wide = false;
                self.requires.push(Requirement::Text {
                    at,
                    wide,
                    within,
                    end,
                });
            }
            "strings" => self.requires.push(Requirement::Texts(r.subject()?)),
            "listed" => self.requires.push(Requirement::Listed(r.pointer()?)),
            "apart" => {
                let left = r.pointer()?;
                r.cursor.expect(",")?;
                self.requires.push(Requirement::Apart(left, r.pointer()?));
            }
            "handle" => self.requires.push(Requirement::Handle(r.subject()?)),
            "closes" => {
                let param = r.pointer()?;
                self.requires
                    .push(Requirement::Handle(Subject::param(param)));
                self.effects.push(Effect::Closes(param));
            }
            "heap" => self.requires.push(Requirement::Heap(r.subject()?)),
            "frees" => {
                let at = r.subject()?;
                self.requires.push(Requirement::Heap(at.clone()));
                self.effects.push(Effect::Frees(at));
            }
            "moves" => {
                let at = r.subject()?;
                self.requires.push(Requirement::Heap(at.clone()));
                self.effects.push(Effect::Moves(at));
            }
            "in" => {
                let at = r.subject()?;
                let mut ranges = Vec::new();
                while r.cursor.eat(",") {
                    ranges.push(r.range()?);
                }
                if ranges.is_empty() {
                    return Err("`in` needs a range: `in(c, 0..255)`".into());
                }
                self.requires.push(Requirement::Within { at, ranges });
            }
            "format" => self.format(r)?,
            "sets" => {
                let at = r.subject()?;
                if at.path == Path::Itself {
                    return Err("`sets` is about `*p` or `p->member`".into());
                }
                r.cursor.expect(",")?;
                let value = r.outcomes()?;
                self.effects.push(Effect::Sets { at, value });
            }
            "state" => {
                let name = r.cursor.word()?.to_owned();
                self.effects.push(Effect::State(name));
            }
            "gives" | "takes" | "rewinds" | "tells" | "ended" | "failed" | "clears" => {
                let what = match word {
                    "gives" => Channel::Gives,
                    "takes" => Channel::Takes,
                    "rewinds" => Channel::Rewinds,
                    "tells" => Channel::Tells,
                    "ended" => Channel::Ended,
                    "failed" => Channel::Failed,
                    _ => Channel::Clears,
                };
                let param = r.param()?;
                self.effects.push(Effect::Channel(what, param));
            }
            "shuts" => self.effects.push(Effect::Shuts(r.param()?)),
            "draws" => {
                let name = r.cursor.word()?.to_owned();
                self.effects.push(Effect::Draws(name));
            }
            "asks" => self.asks = Some(r.cursor.word()?.to_owned()),
            "keeps" => self.effects.push(Effect::Keeps(r.subject()?)),
            "calls" => self.effects.push(Effect::Calls(r.pointer()?)),
            "calls_later" => {
                let param = r.pointer()?;
                r.cursor.expect(",")?;
                let when = when(r.cursor.word()?)?;
                self.effects.push(Effect::CallsLater(param, when));
            }
            "unmaps" => self.effects.push(Effect::Unmaps(r.pointer()?)),
            "through" => self.effects.push(Effect::Through(r.pointer()?)),
            "locks" => self.effects.push(Effect::Locks(r.pointer()?)),
            "unlocks" => self.effects.push(Effect::Unlocks(r.pointer()?)),
            "counts" => {
                let lock = r.pointer()?;
                r.cursor.expect(",")?;
                self.effects.push(Effect::Counts(lock, r.param()?));
            }
            "chooses" => {
                let param = r.pointer()?;
                let bytes = match r.cursor.eat(",") {
                    true => Some(r.amount()?),
                    false => None,
                };
                if let Some(bytes) = bytes.clone() {
                    let at = Subject::param(param);
                    self.requires.push(Requirement::Writable { at, bytes });
                }
                self.effects.push(Effect::Havocs(param, bytes));
            }
            "returns" => {
                let outcomes = r.outcomes()?;
                if let Some(bad) = (outcomes.iter()).find(|o| !r.fits(o, &r.prototype.ret)) {
                    return Err(format!("a function of this type cannot return {bad:?}"));
                }
                // Facts after `as` replace what they were taken over with.
                self.result = outcomes;
            }
            "primitive" => {
                let word = r.cursor.word()?;
                let found = Primitive::of_word(word);
                self.primitive =
                    Some(found.ok_or_else(|| format!("there is no primitive `{word}`"))?);
            }
            _ => return self.control(word, r),
        }
        Ok(())
    }

    fn control(&mut self, word: &str, r: &mut Reader<'_, '_, '_>) -> Parsed<()> {
        let control = match word {
            "ends" => Control::Ends(end(r.cursor.word()?)?),
            "may_end" => Control::MayEnd(end(r.cursor.word()?)?),
            "ends_if" => {
                let param = r.param()?;
                r.cursor.expect(",")?;
                Control::EndsIf(param, end(r.cursor.word()?)?)
            }
            "fails" => {
                let failure = failure(r.cursor.word()?)?;
                Control::Fails(failure, text(r)?)
            }
            "assumes" => Control::Assume(r.param()?),
            "asserts" => {
                let param = r.param()?;
                Control::Assert(param, text(r)?)
            }
            "asserts_not" => Control::AssertZero(r.param()?),
            "starts" => Control::Starts(when(r.cursor.word()?)?),
            "predicate" => Control::Predicate(r.cursor.word()?.to_owned()),
            "marks" => Control::Marks(r.pointer()?),
            "jumps" => Control::Jumps(r.pointer()?),
            "contract" => Control::Contract(r.cursor.word()?.to_owned()),
            _ => {
                return Err(format!(
                    "there is no fact `{word}`; see docs/known-functions.md"
                ));
            }
        };
        self.control.push(control);
        Ok(())
    }

    fn writes(&mut self, at: Subject, bytes: Amount, surely: Option<Amount>) {
        self.requires.push(Requirement::Writable {
            at: at.clone(),
            bytes: bytes.clone(),
        });
        self.effects.push(Effect::Writes { at, bytes, surely });
    }

    fn copies(&mut self, r: &mut Reader<'_, '_, '_>) -> Parsed<()> {
        let to = r.subject()?;
        r.cursor.expect(",")?;
        let from = r.subject()?;
        r.cursor.expect(",")?;
        let bytes = r.amount()?;
        self.requires.push(Requirement::Readable {
            at: from.clone(),
            bytes: bytes.clone(),
        });
        self.requires.push(Requirement::Writable {
            at: to.clone(),
            bytes: bytes.clone(),
        });
        self.effects.push(Effect::Copies { to, from, bytes });
        Ok(())
    }

    /// `if_null(p, fact)`
    fn if_null(&mut self, r: &mut Reader<'_, '_, '_>) -> Parsed<()> {
        let param = r.pointer()?;
        r.cursor.expect(",")?;
        let word = r.cursor.word()?;
        r.cursor.expect("(")?;
        let mut inner = Facts::default();
        inner.about(word, r)?;
        r.cursor.expect(")")?;
        if inner.requires.is_empty() {
            return Err(format!("`{word}` requires nothing"));
        }
        let wrapped = |other| Requirement::IfNull(param, Box::new(other));
        self.requires
            .extend(inner.requires.into_iter().map(wrapped));
        Ok(())
    }

    fn format(&mut self, r: &mut Reader<'_, '_, '_>) -> Parsed<()> {
        let param = r.pointer()?;
        r.cursor.expect(",")?;
        let kind = match r.cursor.word()? {
            "printf" => FormatKind::Printf,
            "scanf" => FormatKind::Scanf,
            "wprintf" => FormatKind::WidePrintf,
            "wscanf" => FormatKind::WideScanf,
            "time" => FormatKind::Time,
            other => return Err(format!("there is no format `{other}`")),
        };
        let params = &r.prototype.params;
        let args = match params.iter().position(|p| p.ty == CType::List) {
            _ if kind == FormatKind::Time => FormatArgs::None,
            Some(list) => FormatArgs::List(list),
            None if r.prototype.variadic => FormatArgs::From(params.len()),
            None => return Err("a format needs more arguments or a `va_list`".into()),
        };
        let format = Format { param, kind, args };
        let wide = matches!(kind, FormatKind::WidePrintf | FormatKind::WideScanf);
        self.requires.push(Requirement::Text {
            at: Subject::param(param),
            wide,
            within: None,
            end: None,
        });
        self.requires.push(Requirement::Format(format));
        if kind != FormatKind::Time {
            self.effects.push(Effect::Formatted(format));
        }
        Ok(())
    }

    /// What follows from prototype and facts together.
    fn derive(&mut self, prototype: &Prototype) -> Parsed<()> {
        let params = prototype.params.iter().enumerate();
        for (n, _) in params.clone().filter(|(_, p)| p.ty == CType::Function) {
            self.requires.push(Requirement::Function(n));
        }
        let mut not_null = Vec::new();
        for (n, _) in params.filter(|(n, _)| prototype.is_pointer(*n)) {
            if self.empty.contains(&n) {
                let bytes = self.requires.iter().find_map(|r| match r {
                    Requirement::Readable { at, bytes } | Requirement::Writable { at, bytes }
                        if at.itself() == Some(n) =>
                    {
                        Some(bytes.clone())
                    }
                    _ => None,
                });
                let bytes = bytes.ok_or("`empty` needs an extent: `fills(p, n)`")?;
                not_null.push(Requirement::NotNullUnlessEmpty(n, bytes));
            } else if !self.nullable.contains(&n) {
                not_null.push(Requirement::NotNull(n));
            }
        }
        self.requires.splice(0..0, not_null);
        Ok(())
    }
}

/// A place, and how many bytes: by default those of the declared type.
fn extent(r: &mut Reader<'_, '_, '_>) -> Parsed<(Subject, Amount)> {
    let at = r.subject()?;
    if at.path == Path::Itself && !r.prototype.is_pointer(at.param) {
        let name = &r.prototype.params[at.param].name;
        return Err(format!("the parameter `{name}` is not a pointer"));
    }
    if r.cursor.eat(",") {
        let bytes = r.amount()?;
        return Ok((at, bytes));
    }
    if at.path != Path::Itself {
        return Err("say how many bytes there are behind `*p` or `p->member`".into());
    }
    r.has_size(at.param)?;
    let bytes = Amount::Pointee(at.param);
    Ok((at, bytes))
}

/// `, text`, or nothing.
fn text(r: &mut Reader<'_, '_, '_>) -> Parsed<Option<usize>> {
    match r.cursor.eat(",") {
        true => r.pointer().map(Some),
        false => Ok(None),
    }
}

fn when(word: &str) -> Parsed<When> {
    Ok(match word {
        "exit" => When::Exit,
        "signal" => When::Signal,
        "thread" => When::Thread,
        "fork" => When::Fork,
        "call" => When::Call,
        _ => {
            return Err(format!(
                "`{word}` is none of exit, signal, thread, fork, call"
            ));
        }
    })
}

fn end(word: &str) -> Parsed<End> {
    Ok(match word {
        "exit" => End::Exit,
        "exit_now" => End::ExitNow,
        "abort" => End::Abort,
        "exec" => End::Exec,
        "thread" => End::Thread,
        "jump" => End::Jump,
        "undefined" => End::Undefined,
        _ => {
            return Err(format!(
                "`{word}` is none of exit, exit_now, abort, exec, thread, jump, undefined"
            ));
        }
    })
}

fn failure(word: &str) -> Parsed<Failure> {
    Ok(match word {
        "assertion" => Failure::Assertion,
        "error" => Failure::Error,
        "check" => Failure::Check,
        _ => return Err(format!("`{word}` is none of assertion, error, check")),
    })
}
