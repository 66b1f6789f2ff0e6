//! `getopt` and `getopt_long`, with GNU's moving of operands behind the options.

use super::{Call, Native, Ret};
use crate::error::Stop;
use cwolf_cwi::value::Value;

type Result<T> = std::result::Result<T, Stop>;
type C<'a, 'c, 'p> = &'a mut Call<'c, 'p>;

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "getopt" | "__posix_getopt" => |c| getopt(c, Long::None),
        "getopt_long" => |c| getopt(c, Long::Two),
        "getopt_long_only" => |c| getopt(c, Long::One),
        _ => return None,
    })
}

/// How long options are written.
#[derive(Clone, Copy, PartialEq)]
enum Long {
    None,
    /// `--name`.
    Two,
    /// `--name` or `-name`.
    One,
}

/// What is remembered between calls.
#[derive(Default)]
pub(crate) struct State {
    /// Where the next letter is in a group such as `-abc`; 0 if none is left.
    next: u64,
    /// Operands that were passed over are `argv[first..last]`.
    first: u64,
    last: u64,
    started: bool,
}

/// How operands between options are treated.
#[derive(Clone, Copy, PartialEq)]
enum Order {
    Permute,
    Stop,
    Return,
}

struct Run<'a, 'c, 'p> {
    call: &'a mut Call<'c, 'p>,
    argc: u64,
    argv: u64,
    letters: Vec<u8>,
    order: Order,
    /// A colon in front: missing arguments are told apart and nothing is printed.
    quiet: bool,
    long: Long,
}

fn getopt(call: C<'_, '_, '_>, long: Long) -> Result<Ret> {
    let (argc, argv) = (call.int32(0)?, call.ptr(1)?);
    if argc < 1 {
        return Ok(Ret::Int(-1));
    }
    let mut letters = call.string(call.ptr(2)?)?;
    let mut order = Order::Permute;
    match letters.first() {
        Some(b'-') => {
            order = Order::Return;
            letters.remove(0);
        }
        Some(b'+') => {
            order = Order::Stop;
            letters.remove(0);
        }
        _ if call.name == "__posix_getopt" => order = Order::Stop,
        _ => {
            if super::stdlib::lookup_environment(call, b"POSIXLY_CORRECT")? != 0 {
                order = Order::Stop;
            }
        }
    }
    let quiet = letters.first() == Some(&b':');
    let mut run = Run {
        call,
        argc: argc as u64,
        argv,
        letters,
        order,
        quiet,
        long,
    };
    Ok(Ret::Int(run.next()?))
}

impl Run<'_, '_, '_> {
    /// The address of a variable of the library that the program uses.
    fn variable(&self, name: &str) -> Option<u64> {
        let program = self.call.m.program;
        let mut vars = program.vars.enumerate();
        let (id, _) = vars.find(|(_, v)| v.name == name && !v.kind.is_automatic())?;
        Some(self.call.m.memory.address(self.call.m.global(id)))
    }

    fn get(&mut self, name: &str, default: i128) -> Result<i128> {
        match self.variable(name) {
            Some(addr) => Ok(self.call.load(addr, 4, true)?),
            None => Ok(match name {
                "optind" => self.call.m.library.optind.into(),
                _ => default,
            }),
        }
    }

    fn set_index(&mut self, index: u64) -> Result<()> {
        self.call.m.library.optind = index as i32;
        self.set("optind", index.into())
    }

    fn set(&mut self, name: &str, value: i128) -> Result<()> {
        if let Some(addr) = self.variable(name) {
            self.call.store(addr, 4, value)?;
        }
        Ok(())
    }

    fn set_argument(&mut self, value: u64) -> Result<()> {
        if let Some(addr) = self.variable("optarg") {
            self.call.store_ptr(addr, value)?;
        }
        Ok(())
    }

    fn arg(&self, n: u64) -> Result<u64> {
        Ok(self.call.load_ptr(self.argv + n * self.call.word())?)
    }

    fn text(&self, n: u64) -> Result<Vec<u8>> {
        Ok(self.call.string(self.arg(n)?)?)
    }

    fn is_option(&self, n: u64) -> Result<bool> {
        let text = self.text(n)?;
        Ok(text.len() > 1 && text[0] == b'-')
    }

    /// Moves the operands that were passed over behind the options that came after them.
    fn exchange(&mut self, index: u64) -> Result<()> {
        let state = &self.call.m.library.getopt;
        let (first, last) = (state.first, state.last);
        let mut list = (first..index)
            .map(|n| self.arg(n))
            .collect::<Result<Vec<_>>>()?;
        list.rotate_left((last - first) as usize);
        let word = self.call.word();
        for (n, addr) in list.into_iter().enumerate() {
            let to = self.argv + (first + n as u64) * word;
            self.call.store_ptr(to, addr)?;
        }
        let state = &mut self.call.m.library.getopt;
        state.first += index - last;
        state.last = index;
        Ok(())
    }

    fn print(&mut self, message: String) -> Result<()> {
        if self.quiet || self.get("opterr", 1)? == 0 {
            return Ok(());
        }
        let mut text = self.text(0)?;
        text.extend_from_slice(format!(": {message}\n").as_bytes());
        self.call.m.write_stream(2, &text);
        Ok(())
    }

    fn next(&mut self) -> Result<i128> {
        self.set_argument(0)?;
        let mut index = self.get("optind", 1)? as u64;
        if index == 0 || !self.call.m.library.getopt.started {
            index = index.max(1);
            self.call.m.library.getopt = State {
                next: 0,
                first: index,
                last: index,
                started: true,
            };
            self.set_index(index)?;
        }
        let mut next = self.call.m.library.getopt.next;
        let group_ended = match next {
            0 => true,
            addr => self.call.m.memory.c_string(addr)?.is_empty(),
        };
        if group_ended {
            match self.next_word(index)? {
                Ok(at) => index = at,
                Err(result) => return Ok(result),
            }
            let text = self.text(index)?;
            let two = text.starts_with(b"--");
            if self.long != Long::None
                && (two || (self.long == Long::One && self.long_form(&text)?))
            {
                let skip = if two { 2 } else { 1 };
                self.call.m.library.getopt.next = 0;
                if let Some(result) = self.long_option(index, &text[skip..], &text[..skip])? {
                    return Ok(result);
                }
            }
            next = self.arg(index)? + 1;
        }
        self.letter(index, next)
    }

    /// Whether `-name` is to be read as a long option: not if it is a known letter alone.
    fn long_form(&self, text: &[u8]) -> Result<bool> {
        Ok(text.len() > 2 || !self.letters.contains(&text[1]))
    }

    /// Goes to the next word that is an option, or says how the call ends.
    fn next_word(&mut self, mut index: u64) -> Result<std::result::Result<u64, i128>> {
        let state = &mut self.call.m.library.getopt;
        state.last = state.last.min(index);
        state.first = state.first.min(index);
        if self.order == Order::Permute {
            let (first, last) = (state.first, state.last);
            if first != last && last != index {
                self.exchange(index)?;
            } else if last != index {
                self.call.m.library.getopt.first = index;
            }
            while index < self.argc && !self.is_option(index)? {
                index += 1;
            }
            self.call.m.library.getopt.last = index;
        }
        if index < self.argc && self.text(index)? == b"--" {
            index += 1;
            let state = &self.call.m.library.getopt;
            if state.first != state.last && state.last != index {
                self.exchange(index)?;
            } else if state.first == state.last {
                self.call.m.library.getopt.first = index;
            }
            self.call.m.library.getopt.last = self.argc;
            index = self.argc;
        }
        if index >= self.argc {
            let state = &self.call.m.library.getopt;
            if state.first != state.last {
                index = state.first;
            }
            self.set_index(index)?;
            return Ok(Err(-1));
        }
        self.set_index(index)?;
        if !self.is_option(index)? {
            if self.order == Order::Stop {
                return Ok(Err(-1));
            }
            let operand = self.arg(index)?;
            self.set_argument(operand)?;
            self.set_index(index + 1)?;
            return Ok(Err(1));
        }
        Ok(Ok(index))
    }

    /// A letter of a group at `next`, in the word `index`.
    fn letter(&mut self, index: u64, next: u64) -> Result<i128> {
        let group = self.call.string(next)?;
        let letter = group[0];
        let after = next + 1;
        let last = group.len() == 1;
        self.call.m.library.getopt.next = if last { 0 } else { after };
        let past = index + u64::from(last);
        let place = self.letters.iter().position(|b| *b == letter);
        let known = place.filter(|_| letter != b':' && letter != b';');
        let Some(at) = known else {
            self.set_index(past)?;
            self.print(format!("invalid option -- '{}'", char::from(letter)))?;
            self.set("optopt", letter.into())?;
            return Ok(b'?'.into());
        };
        let colons = self.letters[at + 1..].iter();
        let colons = colons.take_while(|b| **b == b':').take(2).count();
        match colons {
            0 => self.set_index(past)?,
            2 => {
                let value = if last { 0 } else { after };
                self.set_argument(value)?;
                self.call.m.library.getopt.next = 0;
                self.set_index(index + 1)?;
            }
            _ => {
                self.call.m.library.getopt.next = 0;
                if !last {
                    self.set_argument(after)?;
                    self.set_index(index + 1)?;
                } else if index + 1 < self.argc {
                    let value = self.arg(index + 1)?;
                    self.set_argument(value)?;
                    self.set_index(index + 2)?;
                } else {
                    self.set_index(index + 1)?;
                    let letter_name = char::from(letter);
                    self.print(format!("option requires an argument -- '{letter_name}'"))?;
                    self.set("optopt", letter.into())?;
                    return Ok(if self.quiet { b':' } else { b'?' }.into());
                }
            }
        }
        Ok(letter.into())
    }

    /// A long option; none if it is none after all and letters are to be tried.
    fn long_option(&mut self, index: u64, text: &[u8], dashes: &[u8]) -> Result<Option<i128>> {
        let (table, found_at) = (self.call.ptr(3)?, self.call.ptr(4)?);
        let word = self.call.word();
        let entry = 4 * word;
        let name = text.split(|b| *b == b'=').next().unwrap_or_default();
        let mut exact = None;
        let mut partial: Vec<u64> = Vec::new();
        for n in 0.. {
            let at = table.wrapping_add(n * entry);
            let addr = self.call.load_ptr(at)?;
            if addr == 0 {
                break;
            }
            let known = self.call.string(addr)?;
            if known == name {
                exact = Some(n);
                break;
            }
            if known.starts_with(name) {
                partial.push(n);
            }
        }
        let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let dashes = shown(dashes);
        let chosen = match exact {
            Some(n) => n,
            None if partial.is_empty() => {
                let letter = self.letters.contains(text.first().unwrap_or(&0));
                if self.long == Long::One && dashes == "-" && letter {
                    return Ok(None);
                }
                self.set_index(index + 1)?;
                self.print(format!("unrecognized option '{dashes}{}'", shown(name)))?;
                self.set("optopt", 0)?;
                return Ok(Some(b'?'.into()));
            }
            None => {
                let field = |run: &Self, n: u64| -> Result<(i128, u64, i128)> {
                    let at = table + n * entry;
                    Ok((
                        run.call.load(at + word, 4, true)?,
                        run.call.load_ptr(at + 2 * word)?,
                        run.call.load(at + 3 * word, 4, true)?,
                    ))
                };
                let first = field(self, partial[0])?;
                let mut same = true;
                for n in &partial[1..] {
                    same &= field(self, *n)? == first;
                }
                if !same {
                    let mut names = String::new();
                    for n in &partial {
                        let addr = self.call.load_ptr(table + n * entry)?;
                        let known = shown(&self.call.string(addr)?);
                        names.push_str(&format!(" '{dashes}{known}'"));
                    }
                    self.set_index(index + 1)?;
                    let name = shown(name);
                    self.print(format!(
                        "option '{dashes}{name}' is ambiguous; possibilities:{names}"
                    ))?;
                    self.set("optopt", 0)?;
                    return Ok(Some(b'?'.into()));
                }
                partial[0]
            }
        };
        let at = table + chosen * entry;
        let known = shown(&self.call.string(self.call.load_ptr(at)?)?);
        let takes = self.call.load(at + word, 4, true)?;
        let flag = self.call.load_ptr(at + 2 * word)?;
        let value = self.call.load(at + 3 * word, 4, true)?;
        let given = (text.len() > name.len()).then_some(name.len() as u64 + 1);
        self.set_index(index + 1)?;
        match (given, takes) {
            (Some(_), 0) => {
                self.print(format!(
                    "option '{dashes}{known}' doesn't allow an argument"
                ))?;
                self.set("optopt", value)?;
                return Ok(Some(b'?'.into()));
            }
            (Some(skip), _) => {
                let start = self.arg(index)? + dashes.len() as u64 + skip;
                self.set_argument(start)?;
            }
            (None, 1) if index + 1 < self.argc => {
                let value = self.arg(index + 1)?;
                self.set_argument(value)?;
                self.set_index(index + 2)?;
            }
            (None, 1) => {
                self.print(format!("option '{dashes}{known}' requires an argument"))?;
                self.set("optopt", value)?;
                return Ok(Some(if self.quiet { b':' } else { b'?' }.into()));
            }
            (None, _) => {}
        }
        if found_at != 0 {
            self.call.store(found_at, 4, chosen.into())?;
        }
        if flag != 0 {
            let int = cwolf_cwi::Types::INT;
            self.call
                .m
                .store_value(flag, int, None, Value::Int(value))?;
            return Ok(Some(0));
        }
        Ok(Some(value))
    }
}
