//! Reads the format of `printf`: text, conversions, and which argument each of them takes.

use super::Call;
use crate::error::{ErrorKind, Stop};
use crate::libc::varargs::ArgType;
use cwolf_cwi::IntTy;

/// Longest text that a width or precision may ask for.
const MAX_WIDTH: usize = 1 << 24;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::libc) enum Length {
    #[default]
    None,
    Char,
    Short,
    Long,
    LongLong,
    Max,
    Size,
    Diff,
    LongDouble,
}

impl Length {
    /// Reads a length modifier.
    pub fn parse(format: &[u8], at: &mut usize) -> Length {
        let found = match (format.get(*at), format.get(*at + 1)) {
            (Some(b'h'), Some(b'h')) => (Length::Char, 2),
            (Some(b'h'), _) => (Length::Short, 1),
            (Some(b'l'), Some(b'l')) => (Length::LongLong, 2),
            (Some(b'l'), _) => (Length::Long, 1),
            (Some(b'q'), _) => (Length::LongLong, 1),
            (Some(b'j'), _) => (Length::Max, 1),
            (Some(b'z' | b'Z'), _) => (Length::Size, 1),
            (Some(b't'), _) => (Length::Diff, 1),
            (Some(b'L'), _) => (Length::LongDouble, 1),
            _ => (Length::None, 0),
        };
        *at += found.1;
        found.0
    }
    /// The width of an integer.
    pub fn bits(self, word: u64) -> u16 {
        match self {
            // Where pointers have 16 bits, so has `int`, and `long` has twice as many.
            Length::None => (word as u16 * 8).min(32),
            Length::Char => 8,
            Length::Short => 16,
            Length::Long => (word as u16 * 8).max(32),
            Length::Size | Length::Diff => word as u16 * 8,
            Length::LongLong | Length::Max | Length::LongDouble => 64,
        }
    }
}

/// A width or a precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Amount {
    Fixed(usize),
    /// The argument of this number.
    Arg(usize),
}

/// One conversion as it is written.
#[derive(Clone, Debug, Default)]
pub(super) struct Written {
    pub left: bool,
    pub plus: bool,
    pub space: bool,
    pub alternate: bool,
    pub zero: bool,
    pub width: Option<Amount>,
    pub precision: Option<Amount>,
    pub length: Length,
    pub letter: u8,
    /// The argument that is converted; none for `%%` and `%m`.
    pub value: Option<usize>,
}

#[derive(Clone, Debug)]
pub(super) enum Piece {
    Text(Vec<u8>),
    Conversion(Written),
}

/// A format: its pieces, and the type of each argument. An argument that nothing names (`%2$d`
/// without `%1$d`) has none.
#[derive(Debug, Default)]
pub(super) struct Format {
    pub pieces: Vec<Piece>,
    pub args: Vec<Option<ArgType>>,
}

struct Parser<'a, 'c, 'p> {
    call: &'a Call<'c, 'p>,
    text: &'a [u8],
    at: usize,
    format: Format,
    /// Whether arguments are numbered (`%1$d`) or taken in order; mixing both has no meaning.
    numbered: Option<bool>,
}

impl Format {
    pub fn parse(call: &Call<'_, '_>, text: &[u8]) -> Result<Format, Stop> {
        let mut parser = Parser {
            call,
            text,
            at: 0,
            format: Format::default(),
            numbered: None,
        };
        while parser.at < text.len() {
            let rest = &text[parser.at..];
            let plain = rest.iter().position(|b| *b == b'%').unwrap_or(rest.len());
            if plain > 0 {
                parser
                    .format
                    .pieces
                    .push(Piece::Text(rest[..plain].to_vec()));
                parser.at += plain;
                continue;
            }
            parser.at += 1;
            let written = parser.conversion()?;
            parser.format.pieces.push(Piece::Conversion(written));
        }
        Ok(parser.format)
    }
}

impl Parser<'_, '_, '_> {
    fn bad(&self, message: impl Into<String>) -> Stop {
        self.call.fail(ErrorKind::BadFormat, message)
    }

    fn next(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.next() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn number(&mut self) -> Result<Option<usize>, Stop> {
        let mut value = None;
        while let Some(digit) = self.next().filter(u8::is_ascii_digit) {
            let digit = usize::from(digit - b'0');
            value = Some((value.unwrap_or(0) * 10 + digit).min(MAX_WIDTH + 1));
            self.at += 1;
        }
        if value.is_some_and(|v| v > MAX_WIDTH) {
            let message = "a width of more than 16 MiB";
            return Err(self.call.fail(ErrorKind::Unsupported, message));
        }
        Ok(value)
    }

    /// `3$`, if it is there.
    fn position(&mut self) -> Result<Option<usize>, Stop> {
        let start = self.at;
        match self.number()? {
            Some(n) if self.eat(b'$') => match n {
                0 => Err(self.bad("arguments are numbered from 1")),
                n => Ok(Some(n - 1)),
            },
            _ => {
                self.at = start;
                Ok(None)
            }
        }
    }

    /// Takes an argument: the one of a number, or the next.
    fn argument(&mut self, position: Option<usize>, ty: ArgType) -> Result<usize, Stop> {
        if *self.numbered.get_or_insert(position.is_some()) != position.is_some() {
            return Err(self.bad("the format mixes numbered arguments with others"));
        }
        let n = position.unwrap_or(self.format.args.len());
        if n >= 4096 {
            return Err(self.bad(format!("there is no argument {}", n + 1)));
        }
        if self.format.args.len() <= n {
            self.format.args.resize(n + 1, None);
        }
        match self.format.args[n] {
            Some(old) if !old.same_place(ty, self.call.word()) => {
                Err(self.bad(format!("argument {} is taken as two types", n + 1)))
            }
            _ => {
                self.format.args[n] = Some(ty);
                Ok(n)
            }
        }
    }

    fn amount(&mut self) -> Result<Option<Amount>, Stop> {
        if self.eat(b'*') {
            let position = self.position()?;
            let int = ArgType::Int(IntTy::INT);
            return Ok(Some(Amount::Arg(self.argument(position, int)?)));
        }
        Ok(self.number()?.map(Amount::Fixed))
    }

    fn conversion(&mut self) -> Result<Written, Stop> {
        let mut written = Written::default();
        let position = self.position()?;
        loop {
            match self.next() {
                Some(b'-') => written.left = true,
                Some(b'+') => written.plus = true,
                Some(b' ') => written.space = true,
                Some(b'#') => written.alternate = true,
                Some(b'0') => written.zero = true,
                // Groups of digits and other digits: the C locale has neither.
                Some(b'\'' | b'I') => {}
                _ => break,
            }
            self.at += 1;
        }
        written.width = self.amount()?;
        if self.eat(b'.') {
            written.precision = Some(self.amount()?.unwrap_or(Amount::Fixed(0)));
        }
        written.length = Length::parse(self.text, &mut self.at);
        let Some(letter) = self.next() else {
            return Err(self.bad("the format ends in the middle of a conversion"));
        };
        self.at += 1;
        written.letter = letter;
        if let Some(ty) = self.type_of(letter, written.length)? {
            written.value = Some(self.argument(position, ty)?);
        }
        Ok(written)
    }

    /// The type of the argument that a conversion takes.
    fn type_of(&self, letter: u8, length: Length) -> Result<Option<ArgType>, Stop> {
        let bits = length.bits(self.call.word());
        Ok(Some(match letter {
            b'%' | b'm' => return Ok(None),
            b'd' | b'i' => ArgType::Int(IntTy::new(bits, true)),
            b'u' | b'o' | b'x' | b'X' | b'b' => ArgType::Int(IntTy::new(bits, false)),
            b'c' | b'C' => ArgType::Int(IntTy::new(Length::None.bits(self.call.word()), true)),
            b's' | b'S' | b'p' | b'n' => ArgType::Pointer,
            b'e' | b'f' | b'g' | b'a' | b'E' | b'F' | b'G' | b'A' => {
                ArgType::Float(matches!(length, Length::LongDouble | Length::LongLong))
            }
            other => {
                let letter = char::from(other);
                return Err(self.bad(format!("%{letter} is not a conversion of printf")));
            }
        }))
    }
}
