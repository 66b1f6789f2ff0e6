//! Amounts: how many bytes, which bounds, which places. They name parameters, so that a row says
//! `n * size` and not a number.

/// The data models that cwolf knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Model {
    /// x86-64: `long` and pointers have 64 bits.
    Lp64,
    /// i386: `long` and pointers have 32 bits.
    Ilp32,
    /// Another machine with 64 bits: of records of the library nothing is known.
    Other64,
    /// Another machine with 32 bits.
    Other32,
    /// A machine whose `int` and pointers have 16 bits.
    Other16,
}

impl Model {
    /// That of a machine with pointers of so many bits.
    pub fn of(pointer_bits: u16, x86: bool) -> Model {
        match (pointer_bits, x86) {
            (64, true) => Model::Lp64,
            (64, false) => Model::Other64,
            (16, _) => Model::Other16,
            (_, true) => Model::Ilp32,
            (_, false) => Model::Other32,
        }
    }
    /// Bytes in an `int`.
    pub(crate) fn int(self) -> u64 {
        match self {
            Model::Other16 => 2,
            _ => 4,
        }
    }
    /// Bytes in a `long`.
    pub(crate) fn long(self) -> u64 {
        self.word().max(4)
    }
    /// Bytes in a pointer.
    pub(crate) fn word(self) -> u64 {
        self.bits() / 8
    }
    fn bits(self) -> u64 {
        match self {
            Model::Lp64 | Model::Other64 => 64,
            Model::Ilp32 | Model::Other32 => 32,
            Model::Other16 => 16,
        }
    }
}

/// A parameter, or what it leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The number of the parameter, from 0; [`Subject::RESULT`] for what the call returns.
    pub param: usize,
    /// Where to go from there.
    pub path: Path,
}

/// A way from a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Path {
    /// The parameter itself.
    Itself,
    /// `*p`
    Behind,
    /// `p->member`
    Member(String),
}

impl Subject {
    /// Stands for the number of a parameter where the result is meant.
    pub const RESULT: usize = usize::MAX;

    /// Whether it starts from what the call returns.
    pub fn is_result(&self) -> bool {
        self.param == Subject::RESULT
    }
    /// The parameter itself.
    pub fn param(param: usize) -> Subject {
        Subject {
            param,
            path: Path::Itself,
        }
    }
    /// The number of the parameter, if this is the parameter itself.
    pub fn itself(&self) -> Option<usize> {
        (self.path == Path::Itself).then_some(self.param)
    }
}

/// A number that depends on the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Amount {
    /// A constant.
    Const(i128),
    /// A constant of `limits.h`, which may depend on the data model.
    Limit(Limit),
    /// The value of an argument, or of what it points to.
    Arg(Subject),
    /// `sizeof(*p)`: the size of what the parameter is declared to point to.
    Pointee(usize),
    /// The size of a type, by its name in C.
    SizeOf(String),
    /// The length of a string, in bytes.
    Strlen(Subject),
    /// The same, or the second amount if that is less.
    Strnlen(Subject, Box<Amount>),
    /// The length of a wide string, in elements.
    Wcslen(Subject),
    /// The same, or the second amount if that is less.
    Wcsnlen(Subject, Box<Amount>),
    /// How many characters the row's format makes, without a final zero.
    Printed,
    /// What the call returns.
    Result,
    /// How many bytes come from outside: any number, which nothing bounds.
    Input,
    /// A sum.
    Add(Box<Amount>, Box<Amount>),
    /// A difference.
    Sub(Box<Amount>, Box<Amount>),
    /// A product.
    Mul(Box<Amount>, Box<Amount>),
    /// The smaller one.
    Min(Box<Amount>, Box<Amount>),
    /// The larger one.
    Max(Box<Amount>, Box<Amount>),
}

impl Amount {
    /// Whether how much a format makes is part of it.
    pub fn mentions_print(&self) -> bool {
        self.mentions(&Amount::Printed)
    }

    /// Whether what the world sends is part of it, which may be any amount.
    pub fn mentions_input(&self) -> bool {
        self.mentions(&Amount::Input)
    }

    fn mentions(&self, part: &Amount) -> bool {
        match self {
            Amount::Add(a, b)
            | Amount::Sub(a, b)
            | Amount::Mul(a, b)
            | Amount::Min(a, b)
            | Amount::Max(a, b) => a.mentions(part) || b.mentions(part),
            other => other == part,
        }
    }
}

/// A constant whose value depends on the data model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// The smallest `long`.
    LongMin,
    /// The largest `long`.
    LongMax,
    /// The largest `unsigned long`.
    UlongMax,
    /// The largest `size_t`.
    SizeMax,
    /// The largest `ssize_t`.
    SsizeMax,
}

impl Limit {
    /// Its value.
    pub fn value(self, model: Model) -> i128 {
        let half = 1i128 << (model.bits() - 1);
        match self {
            Limit::LongMin => -half,
            Limit::LongMax | Limit::SsizeMax => half - 1,
            Limit::UlongMax | Limit::SizeMax => 2 * half - 1,
        }
    }

    pub(crate) fn named(name: &str) -> Option<Limit> {
        Some(match name {
            "LONG_MIN" => Limit::LongMin,
            "LONG_MAX" => Limit::LongMax,
            "ULONG_MAX" => Limit::UlongMax,
            "SIZE_MAX" => Limit::SizeMax,
            "SSIZE_MAX" => Limit::SsizeMax,
            _ => return None,
        })
    }
}

/// Constants that are the same in both data models.
pub(crate) fn constant(name: &str) -> Option<i128> {
    Some(match name {
        "INT_MIN" => i32::MIN.into(),
        "INT_MAX" | "RAND_MAX" => i32::MAX.into(),
        "UINT_MAX" => u32::MAX.into(),
        "LLONG_MIN" => i64::MIN.into(),
        "LLONG_MAX" => i64::MAX.into(),
        "EOF" => -1,
        "UCHAR_MAX" => 255,
        "PATH_MAX" => 4096,
        "BUFSIZ" => 8192,
        // The last second of the year 9999: no clock of a real machine shows more.
        "TIME_MAX" => 253_402_300_799,
        // Linux gives out no larger number to a process.
        "PID_MAX" => 4_194_304,
        _ => return None,
    })
}

/// Bounds, both inclusive; a missing one is that of the type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// The least value.
    pub low: Option<Amount>,
    /// The greatest value.
    pub high: Option<Amount>,
}

impl Range {
    /// The one value of the range, if it is one.
    pub fn single(&self) -> Option<&Amount> {
        self.low.as_ref().filter(|_| self.low == self.high)
    }
}

impl Amount {
    /// The value, if it depends on nothing but the data model.
    pub fn value(&self, model: Model) -> Option<i128> {
        let both = |a: &Amount, b: &Amount| Some((a.value(model)?, b.value(model)?));
        match self {
            Amount::Const(n) => Some(*n),
            Amount::Limit(limit) => Some(limit.value(model)),
            Amount::SizeOf(name) => crate::types::size_of(name, model).map(i128::from),
            Amount::Add(a, b) => both(a, b).map(|(a, b)| a + b),
            Amount::Sub(a, b) => both(a, b).map(|(a, b)| a - b),
            Amount::Mul(a, b) => both(a, b).map(|(a, b)| a * b),
            Amount::Min(a, b) => both(a, b).map(|(a, b)| a.min(b)),
            Amount::Max(a, b) => both(a, b).map(|(a, b)| a.max(b)),
            _ => None,
        }
    }
}
