//! Values on the command line, for what a program leaves open, and bounds of its loops.

use std::str::FromStr;

/// One value of `--values`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Chosen {
    /// A whole number.
    Int(i128),
    /// A number with a fraction.
    Float(f64),
    /// The encoding of a number that has no exact decimal form.
    Bits(u128),
}

impl FromStr for Chosen {
    type Err = String;
    fn from_str(text: &str) -> Result<Chosen, String> {
        let wrong = || format!("`{text}` is not a number; write 12, -3, 0xff, 1.5 or bits:7ff8");
        if let Some(bits) = text.strip_prefix("bits:") {
            return u128::from_str_radix(bits, 16)
                .map(Chosen::Bits)
                .map_err(|_| wrong());
        }
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        if let Some(hex) = digits.strip_prefix("0x") {
            let value = i128::from_str_radix(hex, 16).map_err(|_| wrong())?;
            return Ok(Chosen::Int(if negative { -value } else { value }));
        }
        text.parse()
            .map(Chosen::Int)
            .or_else(|_| text.parse().map(Chosen::Float))
            .map_err(|_| wrong())
    }
}

/// An entry of `--values`: a value, or so many times the same (`1000*0`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Repeated {
    /// How often.
    pub times: u64,
    /// The value.
    pub value: Chosen,
}

impl FromStr for Repeated {
    type Err = String;
    fn from_str(text: &str) -> Result<Repeated, String> {
        let (times, value) = match text.split_once('*') {
            Some((times, value)) => {
                let wrong =
                    |_| format!("`{times}` is not a count; write 1000*0 for a thousand zeros");
                (times.parse().map_err(wrong)?, value)
            }
            None => (1, text),
        };
        let value = value.parse()?;
        Ok(Repeated { times, value })
    }
}

/// One `--unwind`: how many rounds of a loop are followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopRounds {
    /// The function that the loop is in.
    pub function: String,
    /// The line of its condition.
    pub line: u32,
    /// How many.
    pub rounds: u32,
}

impl FromStr for LoopRounds {
    type Err = String;
    fn from_str(text: &str) -> Result<LoopRounds, String> {
        let parse = || {
            let (place, rounds) = text.split_once('=')?;
            let (function, line) = place.split_once(':')?;
            let many = !rounds.is_empty() && rounds.bytes().all(|b| b.is_ascii_digit());
            Some(LoopRounds {
                function: function.to_owned(),
                line: line.parse().ok()?,
                // More rounds than fit are as good as no bound that a run could come to.
                rounds: rounds.parse().ok().or(many.then_some(u32::MAX))?,
            })
        };
        parse().ok_or_else(|| {
            format!(
                "`{text}` is not a bound of a loop; write main:12=10 for ten rounds of the loop at line 12 of main, or --bmc 10 for all loops"
            )
        })
    }
}

/// One `--memory`: bytes at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// The address.
    pub address: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl FromStr for Memory {
    type Err = String;
    fn from_str(text: &str) -> Result<Memory, String> {
        let wrong = || format!("`{text}` is not ADDRESS=BYTES; write 0x1000=0a00");
        let (address, bytes) = text.split_once('=').ok_or_else(wrong)?;
        let address = address.trim_start_matches("0x");
        let address = u64::from_str_radix(address, 16).map_err(|_| wrong())?;
        let pair = |n: usize| {
            bytes
                .get(n..n + 2)
                .and_then(|b| u8::from_str_radix(b, 16).ok())
        };
        let all: Option<Vec<u8>> = (0..bytes.len()).step_by(2).map(pair).collect();
        Ok(Memory {
            address,
            bytes: all.ok_or_else(wrong)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_are_written() {
        assert_eq!("-3".parse(), Ok(Chosen::Int(-3)));
        assert_eq!("0xfff00000".parse(), Ok(Chosen::Int(0xfff0_0000)));
        assert_eq!("1.5".parse(), Ok(Chosen::Float(1.5)));
        assert_eq!("bits:7ff8".parse(), Ok(Chosen::Bits(0x7ff8)));
        assert!("x".parse::<Chosen>().is_err());
    }

    #[test]
    fn values_repeat() {
        let found: Repeated = "1000*-2".parse().expect("correct");
        assert_eq!((found.times, found.value), (1000, Chosen::Int(-2)));
        assert_eq!("7".parse::<Repeated>().map(|r| r.times), Ok(1));
        assert!("-1*2".parse::<Repeated>().is_err());
        assert!("2*".parse::<Repeated>().is_err());
    }

    #[test]
    fn memory_is_an_address_and_bytes() {
        let found: Memory = "0x10=0aff".parse().expect("correct");
        assert_eq!((found.address, found.bytes), (16, vec![10, 255]));
        assert!("0x10=0af".parse::<Memory>().is_err());
    }
}
