//! The machine that a program is compiled for, as a description: what its compiler gives to the types
//! of C, and in which order memory holds a number. Whoever needs to know asks it; nobody asks which
//! machine it is.

use crate::types::{FloatTy, IntTy};

/// What `wchar_t` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WideChar {
    /// `int`
    Int,
    /// `unsigned int`
    Uint,
    /// `long`
    Long,
}

/// What `va_list` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VaList {
    /// A pointer.
    Pointer,
    /// An array of one record: two `int`s, then `overflow_arg_area` and another pointer.
    X86,
    /// A record, here the only element of an array: three pointers, then two `int`s.
    Aarch64,
}

/// How the bytes of a number lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// The lowest byte first.
    Little,
    /// The highest byte first.
    Big,
}

/// The description of a machine and its usual ABI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// Its name, the first part of a triple (`aarch64`); the text form of a program has it.
    pub name: &'static str,
    /// Its triple, as clang takes it.
    pub triple: &'static str,
    /// The command of Debian's compiler for it.
    pub compiler: &'static [&'static str],
    /// Bits in a pointer, `size_t` and `ptrdiff_t`.
    pub pointer_bits: u16,
    /// Bits in `int`.
    pub int_bits: u16,
    /// Bits in `long`.
    pub long_bits: u16,
    /// The most that a number is aligned to in a record, but for the wide floating types.
    pub most_align: u64,
    /// Where the bytes of a number lie.
    pub order: Order,
    /// Whether plain `char` may be negative.
    pub char_signed: bool,
    /// What `wchar_t` is.
    pub wide_char: WideChar,
    /// What `size_t` is: `unsigned long`, or `unsigned int`.
    pub long_size: bool,
    /// The format of `double`.
    pub double: FloatTy,
    /// The format of `long double`; none for a pair of doubles, which nobody computes with here.
    pub long_double: Option<FloatTy>,
    /// Bytes in the x87 format's numbers, and their alignment.
    pub extended: (u64, u64),
    /// What `va_list` is.
    pub va_list: VaList,
    /// Whether an unnamed bit-field aligns its record like a named one (ARM's ABIs).
    pub unnamed_aligns: bool,
    /// Whether code, headers and sizes of library types are those of gcc and glibc on x86.
    pub is_x86: bool,
}

impl Default for Target {
    fn default() -> Target {
        Target::X86_64
    }
}

impl Target {
    /// gcc's x86-64: `long` and pointers have 64 bits.
    pub const X86_64: Target = Target {
        name: "x86_64",
        triple: "x86_64-linux-gnu",
        compiler: &["gcc"],
        pointer_bits: 64,
        int_bits: 32,
        long_bits: 64,
        most_align: 16,
        order: Order::Little,
        char_signed: true,
        wide_char: WideChar::Int,
        long_size: true,
        double: FloatTy::F64,
        long_double: Some(FloatTy::F80),
        extended: (16, 16),
        va_list: VaList::X86,
        unnamed_aligns: false,
        is_x86: true,
    };
    /// gcc's i386: `long` and pointers have 32 bits.
    pub const I386: Target = Target {
        name: "i386",
        triple: "i386-linux-gnu",
        compiler: &["gcc", "-m32"],
        pointer_bits: 32,
        long_bits: 32,
        most_align: 4,
        wide_char: WideChar::Long,
        long_size: false,
        extended: (12, 4),
        va_list: VaList::Pointer,
        ..Target::X86_64
    };
    /// 64-bit ARM.
    pub const AARCH64: Target = Target {
        name: "aarch64",
        triple: "aarch64-linux-gnu",
        compiler: &["aarch64-linux-gnu-gcc"],
        char_signed: false,
        wide_char: WideChar::Uint,
        long_double: Some(FloatTy::F128),
        va_list: VaList::Aarch64,
        unnamed_aligns: true,
        is_x86: false,
        ..Target::X86_64
    };
    /// 32-bit ARM with the hard-float EABI.
    pub const ARM: Target = Target {
        name: "arm",
        triple: "arm-linux-gnueabihf",
        compiler: &["arm-linux-gnueabihf-gcc"],
        pointer_bits: 32,
        long_bits: 32,
        most_align: 8,
        char_signed: false,
        wide_char: WideChar::Uint,
        long_size: false,
        long_double: Some(FloatTy::F64),
        va_list: VaList::Pointer,
        unnamed_aligns: true,
        is_x86: false,
        ..Target::X86_64
    };
    /// 64-bit RISC-V.
    pub const RISCV64: Target = Target {
        name: "riscv64",
        triple: "riscv64-linux-gnu",
        compiler: &["riscv64-linux-gnu-gcc"],
        char_signed: false,
        long_double: Some(FloatTy::F128),
        va_list: VaList::Pointer,
        is_x86: false,
        ..Target::X86_64
    };
    /// 32-bit RISC-V.
    pub const RISCV32: Target = Target {
        name: "riscv32",
        triple: "riscv32-linux-gnu",
        compiler: &["riscv64-linux-gnu-gcc", "-march=rv32gc", "-mabi=ilp32d"],
        pointer_bits: 32,
        long_bits: 32,
        long_size: false,
        ..Target::RISCV64
    };
    /// 64-bit PowerPC, the highest byte first.
    pub const POWERPC64: Target = Target {
        name: "powerpc64",
        triple: "powerpc64-linux-gnu",
        compiler: &["powerpc64-linux-gnu-gcc"],
        order: Order::Big,
        char_signed: false,
        long_double: None,
        va_list: VaList::Pointer,
        is_x86: false,
        ..Target::X86_64
    };
    /// 32-bit MIPS (o32), the highest byte first.
    pub const MIPS: Target = Target {
        name: "mips",
        triple: "mips-linux-gnu",
        compiler: &["mips-linux-gnu-gcc"],
        pointer_bits: 32,
        long_bits: 32,
        most_align: 8,
        order: Order::Big,
        long_size: false,
        long_double: Some(FloatTy::F64),
        va_list: VaList::Pointer,
        is_x86: false,
        ..Target::X86_64
    };
    /// An 8-bit microcontroller of Atmel's: `int` and pointers have 16 bits, nothing is aligned, and
    /// `double` is `float`, as with avr-gcc before version 10 (`-mdouble=32 -mlong-double=32` since).
    pub const AVR: Target = Target {
        name: "avr",
        triple: "avr",
        compiler: &["avr-gcc"],
        pointer_bits: 16,
        int_bits: 16,
        long_bits: 32,
        most_align: 1,
        long_size: false,
        double: FloatTy::F32,
        long_double: Some(FloatTy::F32),
        va_list: VaList::Pointer,
        is_x86: false,
        ..Target::X86_64
    };
    /// All of them. Their order is that of the numbers in `.cwi` files.
    pub const ALL: [Target; 9] = [
        Target::X86_64,
        Target::I386,
        Target::AARCH64,
        Target::ARM,
        Target::RISCV64,
        Target::RISCV32,
        Target::POWERPC64,
        Target::MIPS,
        Target::AVR,
    ];

    /// The target that a triple (`powerpc64-linux-gnu`) or its first part means.
    pub fn of_triple(triple: &str) -> Option<Target> {
        let machine = triple.split('-').next().unwrap_or(triple);
        Some(match machine {
            "x86_64" | "amd64" => Target::X86_64,
            "i386" | "i486" | "i586" | "i686" => Target::I386,
            "aarch64" | "arm64" => Target::AARCH64,
            "arm" | "armv5" | "armv6" | "armv7" | "armv7a" | "armv7l" | "armhf" | "armel" => {
                Target::ARM
            }
            "riscv64" | "rv64" => Target::RISCV64,
            "riscv32" | "rv32" => Target::RISCV32,
            "powerpc64" | "ppc64" => Target::POWERPC64,
            "mips" => Target::MIPS,
            "avr" => Target::AVR,
            _ => return None,
        })
    }

    /// Bits in a pointer.
    pub const fn pointer_bits(self) -> u16 {
        self.pointer_bits
    }
    /// Bytes in a pointer.
    pub const fn pointer_size(self) -> u64 {
        self.pointer_bits as u64 / 8
    }
    /// The integer type as wide as a pointer.
    pub const fn word(self, signed: bool) -> IntTy {
        IntTy {
            bits: self.pointer_bits,
            signed,
        }
    }
    /// The largest address.
    pub const fn most_address(self) -> u64 {
        u64::MAX >> (64 - self.pointer_bits)
    }
    /// The usual name of the sizes of its types: `LP64`, `ILP32`, or `IP16`.
    pub const fn data_model(self) -> &'static str {
        match self.pointer_bits {
            64 => "LP64",
            16 => "IP16",
            _ => "ILP32",
        }
    }
    /// Size and alignment of a floating type.
    pub fn float(self, ty: FloatTy) -> (u64, u64) {
        match ty {
            FloatTy::F16 => (2, self.most_align.min(2)),
            FloatTy::F32 => (4, self.most_align.min(4)),
            FloatTy::F64 => (8, self.most_align.min(8)),
            FloatTy::F80 => self.extended,
            FloatTy::F128 => (16, 16),
        }
    }

    /// Whether the highest byte of a number comes first.
    pub fn is_big(self) -> bool {
        self.order == Order::Big
    }
    /// Of a number of `whole` bits, `len` bits that lie `from` bits behind its start in memory: how far
    /// they are above its lowest bit.
    ///
    /// Places in memory are counted in bits in the order in which the machine gives them to bit-fields:
    /// from the lowest bit of a byte, or from the highest where the highest byte comes first. So what
    /// overlaps what is the same question everywhere, and only the value of a part differs.
    pub fn low_bit(self, whole: u64, from: u64, len: u64) -> u64 {
        match self.order {
            Order::Little => from,
            Order::Big => whole - from - len,
        }
    }
    /// The first `size` bytes of a number that has as many, as they lie in memory.
    pub fn bytes(self, number: u128, size: usize) -> Vec<u8> {
        let mut bytes = number.to_le_bytes()[..size.min(16)].to_vec();
        if self.is_big() {
            bytes.reverse();
        }
        bytes
    }
    /// The number that at most 16 bytes in memory are.
    pub fn number(self, bytes: &[u8]) -> u128 {
        let push = |number: u128, byte: &u8| number << 8 | u128::from(*byte);
        match self.order {
            Order::Little => bytes.iter().rev().fold(0, push),
            Order::Big => bytes.iter().fold(0, push),
        }
    }
    /// The `width` bits of a number put into memory, `start` bits after the start of `bytes`.
    pub fn put_bits(self, bytes: &mut [u8], start: u64, width: u64, number: u128) {
        for n in 0..width {
            let at = start + self.low_bit(width, n, 1);
            let bit = (number >> n & 1) as u8;
            let mask = 1 << self.low_bit(8, at % 8, 1);
            let byte = &mut bytes[(at / 8) as usize];
            *byte = if bit == 1 {
                *byte | mask
            } else {
                *byte & !mask
            };
        }
    }
    /// The `width` bits in memory that lie `start` bits after the start of `bytes`, as a number.
    pub fn bits(self, bytes: &[u8], start: u64, width: u64) -> u128 {
        let (first, start) = (start / 8, start % 8);
        let end = first + (start + width).div_ceil(8);
        let bytes = &bytes[first as usize..end as usize];
        if let [most @ .., last] = bytes
            && most.len() == 16
        {
            // One byte more than a number has: the bits in it come last.
            let rest = start + width - 128;
            let (a, b) = (
                self.bits(most, start, width - rest),
                self.bits(&[*last], 0, rest),
            );
            return match self.order {
                Order::Little => b << (width - rest) | a,
                Order::Big => a << rest | b,
            };
        }
        let low = self.low_bit(bytes.len() as u64 * 8, start, width);
        self.number(bytes) >> low & (u128::MAX >> (128 - width))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_and_triples_mean_the_target() {
        for target in Target::ALL {
            assert_eq!(Target::of_triple(target.name), Some(target));
            assert_eq!(Target::of_triple(target.triple), Some(target));
        }
        assert_eq!(
            Target::of_triple("mips-unknown-linux-gnu"),
            Some(Target::MIPS)
        );
        assert_eq!(Target::of_triple("vax-dec-ultrix"), None);
    }

    #[test]
    fn the_highest_byte_comes_first_where_it_does() {
        assert_eq!(Target::MIPS.bytes(0x0102, 4), [0, 0, 1, 2]);
        assert_eq!(Target::ARM.bytes(0x0102, 4), [2, 1, 0, 0]);
        assert_eq!(Target::POWERPC64.bits(&[0b1010_0000, 0], 0, 3), 0b101);
        assert_eq!(Target::X86_64.bits(&[0b1010_0101, 0], 0, 3), 0b101);
    }

    proptest! {
        #[test]
        fn bits_come_back(number: u128, start in 0u64..8, width in 1u64..120, big: bool) {
            let target = if big { Target::POWERPC64 } else { Target::X86_64 };
            let number = number & (u128::MAX >> (128 - width));
            let mut bytes = [0xa5; 17];
            target.put_bits(&mut bytes, start, width, number);
            prop_assert_eq!(target.bits(&bytes, start, width), number);
            // A whole number of bytes is that number in its order.
            if start == 0 && width % 8 == 0 {
                let size = width as usize / 8;
                prop_assert_eq!(&bytes[..size], &target.bytes(number, size)[..]);
                prop_assert_eq!(target.number(&bytes[..size]), number);
            }
        }
    }
}
