//! Formats, rounding modes, and what an encoding is made of.

use rustc_apfloat::Round;

/// A floating-point format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// IEEE half: `_Float16`.
    F16,
    /// IEEE single: `float`.
    F32,
    /// IEEE double: `double`.
    F64,
    /// The x87 80-bit format, whose leading digit is written: `long double`.
    F80,
    /// IEEE quadruple: `_Float128`.
    F128,
}

impl Format {
    /// All of them.
    pub const ALL: [Format; 5] = [
        Format::F16,
        Format::F32,
        Format::F64,
        Format::F80,
        Format::F128,
    ];
    /// The bits of its encoding.
    pub const fn bits(self) -> u16 {
        match self {
            Format::F16 => 16,
            Format::F32 => 32,
            Format::F64 => 64,
            Format::F80 => 80,
            Format::F128 => 128,
        }
    }
    /// The bits of the exponent.
    pub const fn exponent_bits(self) -> u16 {
        match self {
            Format::F16 => 5,
            Format::F32 => 8,
            Format::F64 => 11,
            Format::F80 | Format::F128 => 15,
        }
    }
    /// The binary digits of a significand, with the leading one.
    pub const fn precision(self) -> u16 {
        match self {
            Format::F16 => 11,
            Format::F32 => 24,
            Format::F64 => 53,
            Format::F80 => 64,
            Format::F128 => 113,
        }
    }
    /// Whether the leading digit is written in the encoding.
    pub const fn has_integer_bit(self) -> bool {
        matches!(self, Format::F80)
    }
    /// What is added to an exponent to encode it.
    pub const fn bias(self) -> i32 {
        (1 << (self.exponent_bits() - 1)) - 1
    }
    /// The bit of the sign.
    pub const fn sign_bit(self) -> u128 {
        1 << (self.bits() - 1)
    }
    /// The bits of the encoding below the exponent.
    pub const fn fraction_bits(self) -> u16 {
        self.bits() - 1 - self.exponent_bits()
    }
    /// The largest exponent as encoded: that of infinities and NaNs.
    pub const fn exponent_mask(self) -> u128 {
        (1 << self.exponent_bits()) - 1
    }
    /// Positive infinity.
    pub const fn infinity(self) -> u128 {
        let integer = if self.has_integer_bit() { 1 << 63 } else { 0 };
        (self.exponent_mask() << self.fraction_bits()) | integer
    }
    /// The largest finite number.
    pub const fn largest(self) -> u128 {
        let fraction = (1 << self.fraction_bits()) - 1;
        ((self.exponent_mask() - 1) << self.fraction_bits()) | fraction
    }
    /// One.
    pub const fn one(self) -> u128 {
        let integer = if self.has_integer_bit() { 1 << 63 } else { 0 };
        ((self.bias() as u128) << self.fraction_bits()) | integer
    }
}

/// How results are rounded that are between two numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// To the nearest, of two to the even one.
    #[default]
    NearestEven = 0,
    /// Towards negative infinity.
    Down = 1,
    /// Towards positive infinity.
    Up = 2,
    /// Towards zero.
    Zero = 3,
    /// To the nearest, of two to the one further from zero.
    NearestAway = 4,
}

impl Mode {
    /// All of them.
    pub const ALL: [Mode; 5] = [
        Mode::NearestEven,
        Mode::Down,
        Mode::Up,
        Mode::Zero,
        Mode::NearestAway,
    ];
    /// How many bits a mode's number has.
    pub const BITS: u16 = 3;

    /// The mode of a number; those past the last mean the last.
    pub fn of_number(number: u128) -> Mode {
        let last = Mode::ALL.len() - 1;
        Mode::ALL[usize::try_from(number).unwrap_or(last).min(last)]
    }

    pub(crate) fn round(self) -> Round {
        match self {
            Mode::NearestEven => Round::NearestTiesToEven,
            Mode::Down => Round::TowardNegative,
            Mode::Up => Round::TowardPositive,
            Mode::Zero => Round::TowardZero,
            Mode::NearestAway => Round::NearestTiesToAway,
        }
    }
}

/// What kind of number it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Not a number.
    Nan,
    /// Plus or minus infinity.
    Infinite,
    /// Plus or minus zero.
    Zero,
    /// Less than the least number with all its digits.
    Subnormal,
    /// Any other.
    Normal,
}

/// A finite number that is not zero: `significand * 2^exponent`, without its sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// With the highest bit at `precision - 1`.
    pub significand: u128,
    /// Of the significand's lowest bit.
    pub exponent: i32,
}

/// The kind of number.
pub fn class(f: Format, bits: u128) -> Class {
    let exponent = (bits >> f.fraction_bits()) & f.exponent_mask();
    let fraction = bits & ((1 << f.fraction_bits()) - 1);
    let ends = exponent == f.exponent_mask();
    if f.has_integer_bit() {
        let integer = fraction >> 63 == 1;
        return match (exponent, ends) {
            (0, _) if fraction == 0 => Class::Zero,
            // With the leading digit it is a number that should have been encoded otherwise.
            (0, _) if integer => Class::Normal,
            (0, _) => Class::Subnormal,
            (_, true) if fraction == 1 << 63 => Class::Infinite,
            // Without its leading digit the x87 takes it for no number at all.
            _ if ends || !integer => Class::Nan,
            _ => Class::Normal,
        };
    }
    match (exponent, fraction) {
        (0, 0) => Class::Zero,
        (0, _) => Class::Subnormal,
        (_, 0) if ends => Class::Infinite,
        _ if ends => Class::Nan,
        _ => Class::Normal,
    }
}

/// Whether it is not a number.
pub fn is_nan(f: Format, bits: u128) -> bool {
    class(f, bits) == Class::Nan
}

/// Whether it is plus or minus zero.
pub fn is_zero(f: Format, bits: u128) -> bool {
    bits & !f.sign_bit() == 0
}

/// Whether its sign is minus; also of a zero or a NaN.
pub const fn is_negative(f: Format, bits: u128) -> bool {
    bits & f.sign_bit() != 0
}

/// With the other sign.
pub const fn neg(f: Format, bits: u128) -> u128 {
    bits ^ f.sign_bit()
}

/// Significand and exponent of a finite number that is not zero; none of others.
pub fn parts(f: Format, bits: u128) -> Option<Parts> {
    if !matches!(class(f, bits), Class::Normal | Class::Subnormal) {
        return None;
    }
    let exponent = ((bits >> f.fraction_bits()) & f.exponent_mask()) as i32;
    let fraction = bits & ((1 << f.fraction_bits()) - 1);
    let digits = i32::from(f.precision()) - 1;
    let hidden = match exponent > 0 && !f.has_integer_bit() {
        true => 1 << digits,
        false => 0,
    };
    let significand = fraction | hidden;
    let up = significand.leading_zeros() as i32 - (127 - digits);
    Some(Parts {
        significand: significand << up,
        exponent: exponent.max(1) - f.bias() - digits - up,
    })
}
