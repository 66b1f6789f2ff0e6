//! Formats of `printf` and `scanf`, as glibc reads them: which arguments they take, what they
//! store, and how much they print.

use crate::amount::Model;
use crate::types::{CType, IntKind};
use thiserror::Error;

/// A part of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// So many bytes that stand for themselves; for `scanf`, that must come.
    Literal(usize),
    /// White space, which `scanf` takes any amount of.
    Space,
    /// A conversion.
    Conversion(Conversion),
}

/// A conversion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversion {
    /// Its letter; `[` for a set of characters.
    pub letter: char,
    /// The least width of a number or text, the most of what `scanf` reads.
    pub width: Count,
    /// Digits after the point, digits at least, or characters at most.
    pub precision: Count,
    /// What it does with its argument, and the argument's number, counted from the first one
    /// after the format. None for `%m`, and for what `scanf` reads and forgets.
    pub argument: Option<(usize, Argument)>,
    /// Whether the flag `#`, `+` or a blank can make the text longer.
    pub longer: bool,
}

/// A number in a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// There is none.
    None,
    /// A number.
    Number(u64),
    /// The value of the argument with this number.
    Argument(usize),
}

/// What a conversion does with its argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// Takes a value of this type, after the usual promotions.
    Value(CType),
    /// Takes any pointer.
    Address,
    /// Reads a string, of at most as many elements as the precision says.
    Text {
        /// Whether its elements are `wchar_t`.
        wide: bool,
    },
    /// Stores a value of this type through a pointer.
    Store(CType),
    /// Stores characters through a pointer.
    Room {
        /// Whether they are `wchar_t`.
        wide: bool,
        /// How many at most, with the final zero if there is one. None: nothing bounds them.
        elements: Option<u64>,
    },
    /// Stores a pointer to a new heap object through a pointer.
    Allocate,
}

/// What is wrong with a format.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FormatError {
    /// A conversion has no end.
    #[error("the format ends within a conversion")]
    Cut,
    /// The letter has no meaning.
    #[error("`%{0}` is not a conversion")]
    Unknown(char),
    /// `%1$d %d`
    #[error("numbered and other conversions are mixed")]
    Mixed,
}

/// Reads a format of `printf`.
pub fn printf(format: &[u8]) -> Result<Vec<Piece>, FormatError> {
    Reader::new(format, false).pieces()
}

/// Reads a format of `scanf`.
pub fn scanf(format: &[u8]) -> Result<Vec<Piece>, FormatError> {
    Reader::new(format, true).pieces()
}

struct Reader<'f> {
    rest: &'f [u8],
    scan: bool,
    /// The argument that comes next, without numbers.
    next: usize,
    /// Whether conversions are numbered, once one was seen.
    numbered: Option<bool>,
}

impl<'f> Reader<'f> {
    fn new(rest: &'f [u8], scan: bool) -> Self {
        Reader {
            rest,
            scan,
            next: 0,
            numbered: None,
        }
    }

    fn pieces(mut self) -> Result<Vec<Piece>, FormatError> {
        let mut list = Vec::new();
        while let Some(c) = self.rest.first() {
            if *c == b'%' {
                self.rest = &self.rest[1..];
                list.push(self.conversion()?);
                continue;
            }
            let space = |c: &u8| c.is_ascii_whitespace() || *c == 0x0b;
            let is_space = self.scan && space(c);
            let run = |c: &&u8| **c != b'%' && (self.scan && space(c)) == is_space;
            let length = self.rest.iter().take_while(run).count();
            self.rest = &self.rest[length..];
            list.push(match is_space {
                true => Piece::Space,
                false => Piece::Literal(length),
            });
        }
        Ok(list)
    }

    fn eat(&mut self, bytes: &[u8]) -> Option<u8> {
        let c = self.rest.first().copied().filter(|c| bytes.contains(c))?;
        self.rest = &self.rest[1..];
        Some(c)
    }

    fn number(&mut self) -> Option<u64> {
        let digits = self.rest.iter().take_while(|c| c.is_ascii_digit()).count();
        let (number, rest) = self.rest.split_at(digits);
        self.rest = rest;
        let digit = |n: u64, c: &u8| n.saturating_mul(10).saturating_add(u64::from(c - b'0'));
        (digits > 0).then(|| number.iter().fold(0, digit))
    }

    /// `5$`, if that comes next.
    fn place(&mut self) -> Option<usize> {
        let before = self.rest;
        if let Some(n) = self.number().filter(|n| *n > 0)
            && self.eat(b"$").is_some()
        {
            return Some(n as usize - 1);
        }
        self.rest = before;
        None
    }

    /// The number of the argument at `place`, or of the next one.
    fn take(&mut self, place: Option<usize>) -> Result<usize, FormatError> {
        let numbered = place.is_some();
        if *self.numbered.get_or_insert(numbered) != numbered {
            return Err(FormatError::Mixed);
        }
        Ok(place.unwrap_or_else(|| {
            self.next += 1;
            self.next - 1
        }))
    }

    /// A number or a star.
    fn count(&mut self) -> Result<Count, FormatError> {
        if self.eat(b"*").is_some() {
            let place = self.place();
            return self.take(place).map(Count::Argument);
        }
        Ok(self.number().map_or(Count::None, Count::Number))
    }

    fn conversion(&mut self) -> Result<Piece, FormatError> {
        if self.eat(b"%").is_some() {
            return Ok(Piece::Literal(1));
        }
        let place = self.place();
        let (mut longer, mut forget, mut allocate) = (false, false, false);
        let flags: &[u8] = if self.scan { b"'I*" } else { b"-+ #0'I" };
        while let Some(flag) = self.eat(flags) {
            longer |= b"+ #'".contains(&flag);
            forget |= flag == b'*';
        }
        let width = match self.scan {
            true => self.number().map_or(Count::None, Count::Number),
            false => self.count()?,
        };
        if self.scan {
            allocate = self.eat(b"m").is_some();
        }
        let mut precision = Count::None;
        if !self.scan && self.eat(b".").is_some() {
            precision = match self.count()? {
                Count::None => Count::Number(0),
                count => count,
            };
        }
        let length = self.length();
        let letter = *self.rest.first().ok_or(FormatError::Cut)?;
        self.rest = &self.rest[1..];
        if letter == b'[' {
            self.set()?;
        }
        let argument = match self.scan {
            true => stored(letter, &length, width, allocate),
            false => taken(letter, &length),
        };
        let argument = argument.ok_or(FormatError::Unknown(char::from(letter)))?;
        let argument = match argument {
            Some(argument) if !forget => Some((self.take(place)?, argument)),
            _ => None,
        };
        Ok(Piece::Conversion(Conversion {
            letter: char::from(letter),
            width,
            precision,
            argument,
            longer,
        }))
    }

    fn length(&mut self) -> String {
        let mut length = String::new();
        while let Some(c) = self.eat(b"hlqjzZtL") {
            length.push(char::from(c));
        }
        length
    }

    /// The rest of `%[…]`; a bracket that comes first does not end it.
    fn set(&mut self) -> Result<(), FormatError> {
        self.eat(b"^");
        self.eat(b"]");
        let end = self.rest.iter().position(|c| *c == b']');
        self.rest = &self.rest[end.ok_or(FormatError::Cut)? + 1..];
        Ok(())
    }
}

fn integer(length: &str, signed: bool) -> Option<CType> {
    use IntKind::*;
    let pick = |s: IntKind, u: IntKind| if signed { s } else { u };
    let (lp64, ilp32) = match length {
        "" => (pick(Int, Uint), pick(Int, Uint)),
        "hh" => (pick(Schar, Uchar), pick(Schar, Uchar)),
        "h" => (pick(Short, Ushort), pick(Short, Ushort)),
        "l" => (pick(Long, Ulong), pick(Long, Ulong)),
        "ll" | "q" | "L" => (pick(LongLong, UlongLong), pick(LongLong, UlongLong)),
        "j" => (pick(Long, Ulong), pick(LongLong, UlongLong)),
        "z" | "Z" | "t" => (pick(Long, Ulong), pick(Int, Uint)),
        _ => return None,
    };
    Some(CType::Int(lp64, ilp32))
}

/// What `printf` does with an argument: `Some(None)` if there is none, None if the letter has no
/// meaning.
fn taken(letter: u8, length: &str) -> Option<Option<Argument>> {
    let wide = length == "l";
    let argument = match letter {
        b'd' | b'i' => Argument::Value(integer(length, true)?),
        b'o' | b'u' | b'x' | b'X' => Argument::Value(integer(length, false)?),
        b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' => Argument::Value(match length {
            "L" | "ll" | "q" => CType::LongDouble,
            _ => CType::Double,
        }),
        b'c' if !wide => Argument::Value(integer("", true)?),
        b'c' | b'C' => Argument::Value(integer("", false)?),
        b's' => Argument::Text { wide },
        b'S' => Argument::Text { wide: true },
        b'p' => Argument::Address,
        b'n' => Argument::Store(integer(length, true)?),
        b'm' => return Some(None),
        _ => return None,
    };
    Some(Some(argument))
}

/// What `scanf` does with an argument.
fn stored(letter: u8, length: &str, width: Count, allocate: bool) -> Option<Option<Argument>> {
    let wide = length == "l" || matches!(letter, b'C' | b'S');
    let width = match width {
        Count::Number(n) if n > 0 => Some(n),
        _ => None,
    };
    let text = matches!(letter, b's' | b'S' | b'[' | b'c' | b'C');
    Some(Some(match letter {
        _ if text && allocate => Argument::Allocate,
        b'd' | b'i' | b'n' => Argument::Store(integer(length, true)?),
        b'o' | b'u' | b'x' | b'X' => Argument::Store(integer(length, false)?),
        b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' => Argument::Store(match length {
            "" => CType::Float,
            "l" => CType::Double,
            "L" | "ll" | "q" => CType::LongDouble,
            _ => return None,
        }),
        b'c' | b'C' => Argument::Room {
            wide,
            elements: Some(width.unwrap_or(1)),
        },
        b's' | b'S' | b'[' => Argument::Room {
            wide,
            elements: width.map(|n| n.saturating_add(1)),
        },
        b'p' => Argument::Store(CType::Pointer {
            to: Box::new(CType::Void),
            constant: false,
        }),
        _ => return None,
    }))
}

impl Conversion {
    /// How many bytes `printf` makes of it: at least, and at most if something bounds them.
    pub fn printed(&self, model: Model) -> (u64, Option<u64>) {
        let (least, most) = self.unpadded(model);
        match self.width {
            Count::None => (least, most),
            Count::Number(n) => (least.max(n), most.map(|most| most.max(n))),
            Count::Argument(_) => (least, None),
        }
    }

    fn unpadded(&self, model: Model) -> (u64, Option<u64>) {
        let precision = match self.precision {
            Count::None => None,
            Count::Number(n) => Some(n),
            Count::Argument(_) => return (0, None),
        };
        match (&self.argument, self.letter) {
            (Some((_, Argument::Store(_))), _) => (0, Some(0)),
            (Some((_, Argument::Value(_))), 'c') => (1, Some(if self.wide() { 6 } else { 1 })),
            (Some((_, Argument::Text { .. })), _) => (0, precision),
            (Some((_, Argument::Value(ty @ CType::Int(..)))), letter) => {
                let bits = ty.size(model).unwrap_or(8) * 8;
                let digits = match letter {
                    'x' | 'X' => bits / 4,
                    'o' => bits.div_ceil(3),
                    // Each byte is worth a little more than two digits.
                    _ => bits * 301 / 1000 + 1,
                };
                let least = precision.unwrap_or(1);
                // A sign, a prefix, marks between groups of three digits.
                let more = if self.longer { 2 + digits } else { 1 };
                (least, Some(digits.max(least).saturating_add(more)))
            }
            // Zero is `(nil)`.
            (Some((_, Argument::Address)), _) => {
                let digits = precision.unwrap_or(0).max(16);
                (3, Some(digits.saturating_add(3)))
            }
            (Some((_, Argument::Value(ty))), letter) => {
                // All digits before the point of the largest number, with marks between them.
                let whole = match (ty, letter) {
                    (_, 'e' | 'E' | 'g' | 'G' | 'a' | 'A') => 40,
                    (CType::LongDouble, _) => 2 * 4933,
                    _ => 2 * 309,
                };
                let digits = precision.unwrap_or(6).max(6);
                (1, Some(digits.saturating_add(whole + 12)))
            }
            _ => (0, None),
        }
    }

    fn wide(&self) -> bool {
        let unsigned = |ty: &CType| matches!(ty, CType::Int(IntKind::Uint, _));
        matches!(&self.argument, Some((_, Argument::Value(ty))) if unsigned(ty))
    }
}

/// How many bytes a format of `printf` makes: at least, and at most if something bounds them.
pub fn printed(pieces: &[Piece], model: Model) -> (u64, Option<u64>) {
    let mut total = (0u64, Some(0u64));
    for piece in pieces {
        let (least, most) = match piece {
            Piece::Literal(n) => (*n as u64, Some(*n as u64)),
            Piece::Space => (0, None),
            Piece::Conversion(conversion) => conversion.printed(model),
        };
        total.0 = total.0.saturating_add(least);
        total.1 = total.1.zip(most).map(|(a, b)| a.saturating_add(b));
    }
    total
}

/// The arguments that a format needs, by their numbers; of two uses, the last counts.
pub fn arguments(pieces: &[Piece]) -> Vec<Option<Argument>> {
    let mut list: Vec<Option<Argument>> = Vec::new();
    let mut put = |n: usize, argument: Argument| {
        // A number that no call can have arguments for says nothing about others.
        if n < 4096 {
            if list.len() <= n {
                list.resize(n + 1, None);
            }
            list[n] = Some(argument);
        }
    };
    for piece in pieces {
        let Piece::Conversion(conversion) = piece else {
            continue;
        };
        for count in [conversion.width, conversion.precision] {
            if let Count::Argument(n) = count {
                put(n, Argument::Value(CType::Int(IntKind::Int, IntKind::Int)));
            }
        }
        if let Some((n, argument)) = &conversion.argument {
            put(*n, argument.clone());
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    const INT: CType = CType::Int(IntKind::Int, IntKind::Int);

    fn of(format: &str) -> Vec<Option<Argument>> {
        arguments(&printf(format.as_bytes()).expect("a format"))
    }

    #[test]
    fn arguments_of_printf() {
        assert_eq!(of("100%% done\n"), []);
        assert_eq!(of("%d"), [Some(Argument::Value(INT))]);
        assert_eq!(of("%*.*f").len(), 3);
        let text = Argument::Text { wide: false };
        assert_eq!(of("%2$s%1$d"), [Some(Argument::Value(INT)), Some(text)]);
        let short = CType::Int(IntKind::Short, IntKind::Short);
        assert_eq!(of("%d%hn")[1], Some(Argument::Store(short)));
        assert_eq!(of("%m"), []);
        assert_eq!(of("%-+08.3Lf"), [Some(Argument::Value(CType::LongDouble))]);
        assert_eq!(printf(b"%"), Err(FormatError::Cut));
        assert_eq!(printf(b"%5"), Err(FormatError::Cut));
        assert_eq!(printf(b"%y"), Err(FormatError::Unknown('y')));
        assert_eq!(printf(b"%1$d %d"), Err(FormatError::Mixed));
    }

    #[test]
    fn stores_of_scanf() {
        let of = |format: &str| arguments(&scanf(format.as_bytes()).expect("a format"));
        let room = |elements| {
            let wide = false;
            Some(Argument::Room { wide, elements })
        };
        assert_eq!(of("%s"), [room(None)]);
        assert_eq!(
            of("%9s %c %3c"),
            [room(Some(10)), room(Some(1)), room(Some(3))]
        );
        assert_eq!(of("%[^]x]%*d%d"), [room(None), Some(Argument::Store(INT))]);
        assert_eq!(of("%ms"), [Some(Argument::Allocate)]);
        assert_eq!(of("%lf%f")[0], Some(Argument::Store(CType::Double)));
        assert_eq!(scanf(b"%[a"), Err(FormatError::Cut));
    }

    #[test]
    fn how_much_is_printed() {
        let of = |format: &str| printed(&printf(format.as_bytes()).expect("good"), Model::Lp64);
        assert_eq!(of("hello %%"), (7, Some(7)));
        assert_eq!(of("%d"), (1, Some(11)));
        assert_eq!(of("%ld"), (1, Some(21)));
        assert_eq!(of("%c%c"), (2, Some(2)));
        assert_eq!(of("%s"), (0, None));
        assert_eq!(of("%.3s"), (0, Some(3)));
        assert_eq!(of("%5s"), (5, None));
        assert_eq!(of("%20d"), (20, Some(20)));
        assert_eq!(of("%*d"), (1, None));
        assert_eq!(of("%n"), (0, Some(0)));
        // Numbers that no machine has stay the largest one.
        assert_eq!(of("x%.99999999999999999999d"), (u64::MAX, Some(u64::MAX)));
    }
}
