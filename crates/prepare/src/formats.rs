//! Calls with a format that can be read: what its conversions demand of the arguments after it.

use crate::checks::TYPE_OF_ARGUMENT;
use crate::conditions::Collector;
use crate::lengths::Lengths;
use crate::requirements::{is_text, model};
use crate::texts::{Content, Text, Texts};
use cwolf_cwi::{BinOp, CheckKind, Expr, FloatTy, MemoryTest, Program, Type, TypeId, Types, WIDE};
use cwolf_known::format::{Argument, Count, Piece, arguments, printed, printf, scanf};
use cwolf_known::{Amount, CType, Format, FormatArgs, FormatKind, Requirement, Row};

/// What a format says.
pub(crate) struct Formatted {
    pieces: Vec<Piece>,
    /// The number of the first argument after the format.
    first: usize,
    /// A translation may stand in its place: of other length, but with the same conversions.
    translated: bool,
}

/// What a conversion stores through an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Store {
    /// Where the argument lies among the unnamed ones, in bytes.
    pub offset: u64,
    /// How many bytes at most, if something bounds them.
    pub bytes: Option<u64>,
    /// Whether a pointer to a new object is stored.
    pub allocates: bool,
    /// Whether it is a text of `char` that ends with a zero.
    pub text: bool,
    /// The type of the number that is stored, if it is one.
    pub number: Option<Number>,
    /// How many conversions that count come before this one.
    pub after: usize,
    /// Whether the result counts it; `%n` does not count.
    pub counts: bool,
    /// Whether nothing can fail between the conversion that counts before this one and it.
    pub follows: bool,
}

/// The type of a number that is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// An integer of so many bits.
    Integer(u16),
    Float(FloatTy),
}

impl Number {
    fn of(ty: &CType, bytes: Option<u64>) -> Option<Number> {
        match ty {
            CType::Float => Some(Number::Float(FloatTy::F32)),
            CType::Double => Some(Number::Float(FloatTy::F64)),
            CType::Int(..) => Some(Number::Integer(8 * bytes? as u16)),
            _ => None,
        }
    }
}

/// A format that a call may have, and the address that it has then if there are several.
pub(crate) type Possible = (Option<Expr>, Formatted);

/// The format that a known function wants.
pub(crate) fn wanted(row: &Row) -> Option<Format> {
    row.requires.iter().find_map(|r| match r {
        Requirement::Format(format) => Some(*format),
        _ => None,
    })
}

/// The formats that a call may have, if all can be read.
pub(crate) fn possible(
    program: &Program,
    format: Format,
    args: &[Expr],
    texts: &Texts,
) -> Option<Vec<Possible>> {
    let FormatArgs::From(first) = format.args else {
        return None;
    };
    let read = |text: Text| {
        // Conversions mean the same in wide formats: `%s` is a text of `char` there, too.
        let pieces = match (format.kind, &text.content) {
            (FormatKind::Printf, Content::Narrow(text)) => printf(text),
            (FormatKind::Scanf, Content::Narrow(text)) => scanf(text),
            (FormatKind::WidePrintf, Content::Wide(text)) => printf(text),
            (FormatKind::WideScanf, Content::Wide(text)) => scanf(text),
            _ => return None,
        };
        let formatted = Formatted {
            pieces: pieces.ok()?,
            first,
            translated: text.translated,
        };
        Some((text.at, formatted))
    };
    let found = texts.of(program, args.get(format.param)?)?;
    found.into_iter().map(read).collect()
}

/// Demands what each of several formats requires, where it is the format.
pub(crate) fn demand_each(
    collector: &mut Collector<'_>,
    possible: &[Possible],
    (format, args): (Format, &[Expr]),
    input: bool,
    to: Option<&Buffer<'_>>,
) {
    for (at, formatted) in possible {
        let Some(at) = at else {
            formatted.demands(collector, args, input, to);
            continue;
        };
        let given = args[format.param].clone();
        let at = Expr::cast(given.ty, at.clone());
        let same = Expr::binary(BinOp::Eq, given, at);
        collector.where_holds(same, |collector| {
            formatted.demands(collector, args, input, to)
        });
    }
}

/// Where a call puts in memory what its format makes, and for how much there is room if it says so.
pub(crate) struct Buffer<'a> {
    to: &'a Expr,
    room: Option<&'a Expr>,
}

impl<'a> Buffer<'a> {
    /// The buffer of a call of a function.
    pub(crate) fn of(row: &Row, args: &'a [Expr]) -> Option<Buffer<'a>> {
        row.requires.iter().find_map(|r| match r {
            Requirement::Writable { at, bytes } if bytes.mentions_print() => {
                let room = match bytes {
                    Amount::Min(room, _) => match &**room {
                        Amount::Arg(at) => at.itself().and_then(|n| args.get(n)),
                        _ => None,
                    },
                    _ => None,
                };
                let to = args.get(at.itself()?)?;
                Some(Buffer { to, room })
            }
            _ => None,
        })
    }

    /// A text does not start where it is printed to.
    fn is_not(&self, text: &Expr, word: TypeId) -> Expr {
        let one = Expr::int(word, 1);
        let apart = Expr::memory(MemoryTest::Apart, vec![self.to.clone(), text.clone(), one]);
        match self.room {
            Some(room) => {
                let none = Expr::binary(BinOp::Eq, room.clone(), Expr::int(room.ty, 0));
                Expr::binary(BinOp::Or, none, apart)
            }
            None => apart,
        }
    }
}

impl Formatted {
    /// How many characters the format makes at most.
    pub(crate) fn most(&self, program: &Program) -> Option<u64> {
        let most = printed(&self.pieces, model(program)).1;
        most.filter(|_| !self.translated)
    }

    /// How many characters it makes of these arguments, if that can be said.
    pub(crate) fn length(
        &self,
        program: &mut Program,
        texts: &Texts,
        args: &[Expr],
    ) -> Option<Expr> {
        let args = args.get(self.first..).filter(|_| !self.translated)?;
        let mut lengths = Lengths {
            program,
            texts,
            args,
        };
        lengths.all(&self.pieces)
    }

    /// Whether what it demands is taken for granted of a translation.
    pub(crate) fn is_translated(&self) -> bool {
        self.translated
    }

    /// What a call with these arguments stores through them.
    pub(crate) fn stores(&self, program: &Program, args: &[Expr]) -> Vec<Store> {
        let model = model(program);
        let word = program.target().pointer_size();
        let mut done = 0;
        let mut follows = true;
        let mut found = Vec::new();
        for piece in &self.pieces {
            let Piece::Conversion(conversion) = piece else {
                follows &= matches!(piece, Piece::Space);
                continue;
            };
            let Some((n, argument)) = &conversion.argument else {
                follows = false;
                continue;
            };
            let Some(before) = args.get(self.first..self.first + n) else {
                continue;
            };
            let size = |e: &Expr| program.types.size_of(e.ty).next_multiple_of(word);
            let offset = before.iter().map(size).sum();
            let (mut text, mut number, mut allocates) = (false, None, false);
            let bytes = match argument {
                Argument::Value(_) | Argument::Address | Argument::Text { .. } => continue,
                Argument::Store(ty) => {
                    number = Number::of(ty, ty.size(model));
                    ty.size(model)
                }
                Argument::Room { wide, elements } => {
                    text = !wide && conversion.letter != 'c';
                    let unit = if *wide { WIDE } else { 1 };
                    elements.map(|n| n.saturating_mul(unit))
                }
                Argument::Allocate => {
                    allocates = true;
                    Some(word)
                }
            };
            let counts = conversion.letter != 'n';
            found.push(Store {
                offset,
                bytes,
                allocates,
                text,
                number,
                after: done,
                counts,
                follows,
            });
            follows |= counts;
            done += usize::from(counts);
        }
        found
    }

    /// Whether as much is stored as the text that is read has.
    pub(crate) fn is_unbounded(&self) -> bool {
        let open = |a: &Argument| matches!(a, Argument::Room { elements: None, .. });
        arguments(&self.pieces).iter().flatten().any(open)
    }

    /// Demands what the conversions require. `input`: what is read may be of any length. `to`: where
    /// what is printed goes in memory.
    pub(crate) fn demands(
        &self,
        collector: &mut Collector<'_>,
        args: &[Expr],
        input: bool,
        to: Option<&Buffer<'_>>,
    ) {
        let bits = collector.program.target().word(false).bits;
        let word = collector.program.types.int(bits, false);
        let model = model(collector.program);
        for (n, argument) in arguments(&self.pieces).into_iter().enumerate() {
            let Some(argument) = argument else {
                continue;
            };
            let Some(arg) = args.get(self.first + n) else {
                let text = "every conversion of the format has its argument";
                let cond = Expr::int(Types::INT, 0);
                collector.demand(CheckKind::Pointer, text, cond);
                continue;
            };
            if let Argument::Value(asked) = &argument {
                if !takes(collector.program, arg.ty, asked) {
                    let text = TYPE_OF_ARGUMENT;
                    let cond = Expr::int(Types::INT, 0);
                    collector.demand(CheckKind::Pointer, text, cond);
                }
                continue;
            }
            let Some(arg) = as_pointer(collector.program, arg) else {
                let text = "the argument is a pointer, as the format says";
                let cond = Expr::int(Types::INT, 0);
                collector.demand(CheckKind::Pointer, text, cond);
                continue;
            };
            let live = Expr::memory(MemoryTest::Live, vec![arg.clone()]);
            let room = match &argument {
                Argument::Value(_) | Argument::Address => continue,
                Argument::Text { wide } => {
                    if is_text(collector.program, &arg) {
                        continue;
                    }
                    collector.demand(CheckKind::Pointer, "the pointer is valid", live);
                    if let Some(to) = to {
                        let cond = to.is_not(&arg, word);
                        let text = "the buffer is not printed into itself";
                        collector.demand(CheckKind::Pointer, text, cond);
                    }
                    let test = match wide {
                        true => MemoryTest::WideText,
                        false => MemoryTest::Text,
                    };
                    let mut cond = Expr::memory(test, vec![arg.clone()]);
                    if let Some(room) = self.precision(n, args, word) {
                        // Counts bytes that are printed: no wide character makes fewer than one.
                        let room = match wide {
                            true => Expr::binary(BinOp::Mul, room, Expr::int(word, WIDE.into())),
                            false => room,
                        };
                        let inside = Expr::memory(MemoryTest::Inside, vec![arg.clone(), room]);
                        cond = Expr::binary(BinOp::Or, cond, inside);
                    }
                    let text = "the string ends inside its object";
                    collector.demand(CheckKind::Bounds, text, cond);
                    continue;
                }
                Argument::Store(ty) => ty.size(model),
                Argument::Room { wide, elements } => {
                    let unit = if *wide { WIDE } else { 1 };
                    elements.map(|n| n.saturating_mul(unit))
                }
                Argument::Allocate => Some(bits as u64 / 8),
            };
            collector.demand(CheckKind::Pointer, "the pointer is valid", live);
            let mutable = Expr::memory(MemoryTest::Mutable, vec![arg.clone()]);
            let text = "the memory written is not read-only";
            collector.demand(CheckKind::Pointer, text, mutable);
            match room {
                Some(bytes) => {
                    let count = Expr::int(word, bytes.into());
                    let cond = Expr::memory(MemoryTest::Inside, vec![arg.clone(), count]);
                    let text = "the access stays inside its object";
                    collector.demand(CheckKind::Bounds, text, cond);
                }
                None if !input => {}
                None => {
                    let text = "the input fits in its buffer, however long it is";
                    let cond = Expr::int(Types::INT, 0);
                    collector.demand(CheckKind::Bounds, text, cond);
                }
            }
        }
    }

    /// How much of the text that is argument `n` a precision lets be read. A negative one, which
    /// means none, is more than any object has.
    fn precision(&self, n: usize, args: &[Expr], word: TypeId) -> Option<Expr> {
        let conversion = self.pieces.iter().find_map(|piece| match piece {
            Piece::Conversion(c) if c.argument.as_ref().is_some_and(|(at, _)| *at == n) => Some(c),
            _ => None,
        })?;
        match conversion.precision {
            Count::None => None,
            Count::Number(room) => Some(Expr::int(word, room.into())),
            Count::Argument(at) => {
                let room = args.get(self.first + at)?;
                Some(Expr::cast(word, room.clone()))
            }
        }
    }
}

/// Whether a conversion that asks for one type finds all of its value in an argument of another: that lies where the
/// value would, and none of its bytes is missing.
fn takes(program: &Program, given: TypeId, asked: &CType) -> bool {
    let types = &program.types;
    let word = program.target().pointer_size();
    let size = asked.size(model(program)).unwrap_or(word);
    match (asked, &types[given]) {
        (CType::Float | CType::Double, Type::Float(f)) => !matches!(f, FloatTy::F16 | FloatTy::F80),
        (CType::LongDouble, Type::Float(f)) => *f == FloatTy::F80,
        (CType::Float | CType::Double | CType::LongDouble, _) | (_, Type::Float(_)) => false,
        // Narrow integers arrive promoted.
        (_, Type::Int(_) | Type::Bool | Type::Pointer(_)) => {
            let int = u64::from(program.target().int_bits / 8);
            let (has, size) = (types.size_of(given).max(int), size.max(int));
            has >= size && has.div_ceil(word) == size.div_ceil(word)
        }
        _ => false,
    }
}

/// An argument that a format takes for a pointer: one, or a number as wide as one. The constant 0 is
/// how some programs write a null pointer.
pub(crate) fn as_pointer(program: &mut Program, arg: &Expr) -> Option<Expr> {
    let word = program.target().word(false).bits;
    let void = program.types.pointer(Types::VOID);
    match &program.types[arg.ty] {
        Type::Pointer(_) => Some(arg.clone()),
        Type::Int(_) if arg.as_int() == Some(0) => Some(Expr::int(void, 0)),
        Type::Int(int) if int.bits == word => Some(Expr::cast(void, arg.clone())),
        _ => None,
    }
}
