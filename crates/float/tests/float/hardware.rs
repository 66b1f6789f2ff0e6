//! The arithmetic against the machine's own, in all rounding modes that it has: single, double and the
//! x87 format by the processor, half and quadruple precision by gcc's library, which asks for the mode too.
//! Corners of the formats with each other, and numbers from a fixed generator. `CWOLF_CASES` is how many.

use cwolf_float::{
    Format, Mode, add, convert, div, fma, fmod, from_signed, from_unsigned, is_nan, mul, next_down,
    next_up, remainder, round_to_integral, sqrt, sub, to_signed, to_unsigned,
};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// In the order of the numbers that C's `modes` has.
const MODES: [Mode; 4] = [Mode::NearestEven, Mode::Down, Mode::Up, Mode::Zero];

/// A question, and the answer that is expected: none where C leaves it open.
struct Case {
    op: char,
    format: usize,
    to: usize,
    mode: usize,
    operands: [u128; 3],
    expected: u128,
    result: Option<Format>,
}

/// Numbers at the ends of a format and around its corners.
fn corners(f: Format) -> Vec<u128> {
    let least_normal = 1u128 << f.fraction_bits() | if f.has_integer_bit() { 1 << 63 } else { 0 };
    let mut all = vec![0, 1, f.one(), f.largest(), f.infinity(), least_normal];
    for power in [8, 11, 16, 24, 31, 32, 53, 63, 64, 113, 127] {
        all.push(from_unsigned(f, Mode::Zero, 1 << power));
    }
    for x in [f.one(), least_normal, f.largest(), all[10]] {
        all.extend([next_up(f, x), next_down(f, x)]);
    }
    all.push(div(
        f,
        Mode::NearestEven,
        f.one(),
        from_unsigned(f, Mode::Zero, 3),
    ));
    all.push(from_unsigned(f, Mode::Zero, 5));
    let negative: Vec<u128> = all.iter().map(|x| x ^ f.sign_bit()).collect();
    all.extend(negative);
    all
}

/// xorshift, so that the same numbers come every time.
struct Random(u128);

impl Random {
    fn next(&mut self) -> u128 {
        self.0 ^= self.0 << 23;
        self.0 ^= self.0 >> 31;
        self.0 ^= self.0 << 77;
        self.0
    }
    /// An encoding whose exponent is near that of one, so that operands matter to each other.
    fn number(&mut self, f: Format) -> u128 {
        let (digits, spread, sign) = (self.next(), self.next() % 7, self.next());
        let field = (f.bias() as u128).wrapping_add(spread).wrapping_sub(3);
        let whole = if f.has_integer_bit() { 1 << 63 } else { 0 };
        let fraction = digits & ((1 << (f.precision() - 1)) - 1);
        let sign = if sign & 1 == 0 { 0 } else { f.sign_bit() };
        field << f.fraction_bits() | whole | fraction | sign
    }
}

fn cases() -> Vec<Case> {
    let count: usize = std::env::var("CWOLF_CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(300);
    let mut random = Random(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    let mut all = Vec::new();
    for (format, f) in Format::ALL.into_iter().enumerate() {
        let corners = corners(f);
        let mut triples: Vec<[u128; 3]> = Vec::new();
        for (n, a) in corners.iter().enumerate() {
            for (m, b) in corners.iter().enumerate() {
                triples.push([*a, *b, corners[(n * 7 + m * 3) % corners.len()]]);
            }
        }
        for _ in 0..count {
            let [a, b, c] = [random.number(f), random.number(f), random.number(f)];
            // Sums that cancel but for the last digits of the product.
            let near = mul(f, Mode::Zero, a, b) ^ f.sign_bit();
            triples.extend([[a, b, c], [a, b, near]]);
        }
        for (n, operands) in triples.into_iter().enumerate() {
            for (mode, m) in MODES.into_iter().enumerate() {
                question(&mut all, format, f, mode, m, operands, n);
            }
        }
    }
    all
}

fn question(
    all: &mut Vec<Case>,
    format: usize,
    f: Format,
    mode: usize,
    m: Mode,
    operands: [u128; 3],
    n: usize,
) {
    let [a, b, c] = operands;
    let mut push = |op, to, operands, expected, result| {
        all.push(Case {
            op,
            format,
            to,
            mode,
            operands,
            expected,
            result,
        });
    };
    push('+', 0, operands, add(f, m, a, b), Some(f));
    push('-', 0, operands, sub(f, m, a, b), Some(f));
    push('*', 0, operands, mul(f, m, a, b), Some(f));
    push('/', 0, operands, div(f, m, a, b), Some(f));
    // gcc has no fused operation of its own for halves.
    if f != Format::F16 {
        push('f', 0, operands, fma(f, m, a, b, c), Some(f));
    }
    if mode == 0 {
        push('%', 0, operands, fmod(f, a, b), Some(f));
        push('r', 0, operands, remainder(f, a, b), Some(f));
    }
    if n.is_multiple_of(7) {
        push('s', 0, operands, sqrt(f, m, a), Some(f));
        push('n', 0, operands, round_to_integral(f, m, a), Some(f));
        for (to, other) in Format::ALL.into_iter().enumerate() {
            push('c', to, operands, convert(f, other, m, a), Some(other));
        }
        if let Some(i) = to_signed(f, Mode::Zero, 128, a) {
            push('I', 0, operands, i as u128, None);
        }
        if let Some(u) = to_unsigned(f, Mode::Zero, 128, a) {
            push('U', 0, operands, u, None);
        }
        if let Some(i) = to_signed(f, Mode::Zero, 64, a) {
            push('L', 0, operands, i as u128, None);
        }
        // Numbers of many sizes, not the encodings.
        let wide = a.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835) >> (n % 128);
        let whole = [wide, 0, 0];
        push('i', 0, whole, from_signed(f, m, wide as i128), Some(f));
        push('u', 0, whole, from_unsigned(f, m, wide), Some(f));
        let long = i128::from(wide as i64);
        push('l', 0, whole, from_signed(f, m, long), Some(f));
        let long = u128::from(wide as u64);
        push('m', 0, whole, from_unsigned(f, m, long), Some(f));
    }
}

#[test]
#[cfg(all(target_arch = "x86_64", target_env = "gnu"))]
fn as_the_machine_computes() {
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/float/hardware.c");
    let binary = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("hardware");
    let built = Command::new("gcc")
        .args(["-O1", "-frounding-math", "-ffp-contract=off", "-o"])
        .args([&binary, &source])
        .arg("-lm")
        .output()
        .expect("gcc is there");
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{said}");
    let cases = cases();
    let mut text = String::new();
    for case in &cases {
        use std::fmt::Write;
        let (op, format, to, mode) = (case.op, case.format, case.to, case.mode);
        write!(text, "{op} {format} {to} {mode}").expect("a string");
        for x in case.operands {
            write!(text, " {:x} {:x}", x >> 64, x as u64).expect("a string");
        }
        text.push('\n');
    }
    let mut child = Command::new(&binary)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut input = child.stdin.take().expect("piped");
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("no panic").expect("all is read");
    let output = String::from_utf8(output.stdout).expect("a text");
    let mut wrong = Vec::new();
    let mut answers = output.lines();
    for case in &cases {
        let line = answers.next().expect("an answer for each");
        let (high, low) = line.split_once(' ').expect("two halves");
        let half = |text| u128::from_str_radix(text, 16).expect("hexadecimal");
        let got = half(high) << 64 | half(low);
        // Which NaN it is depends on the order in which a compiler takes operands.
        let same = match case.result {
            Some(f) if is_nan(f, case.expected) => is_nan(f, got),
            _ => got == case.expected,
        };
        if !same {
            let (op, f, mode) = (case.op, Format::ALL[case.format], MODES[case.mode]);
            let expected = case.expected;
            wrong.push(format!(
                "{op} {f:?} {mode:?} to {}: {:x?} is {got:x}, not {expected:x}",
                case.to, case.operands
            ));
        }
    }
    let count = wrong.len();
    wrong.truncate(20);
    assert!(
        wrong.is_empty(),
        "{count} of {}:\n{}",
        cases.len(),
        wrong.join("\n")
    );
}
