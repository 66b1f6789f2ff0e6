//! And-inverter graphs with latches: transition systems bit by bit, in the format AIGER (Biere, Heljanko and
//! Wieringa, 2011), which hardware model checkers read.

use rustc_hash::FxHashMap;
use std::fmt::Write;

/// The output of a node, perhaps negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Wire(u32);

impl Wire {
    /// Always false.
    pub const FALSE: Wire = Wire(0);
    /// Always true.
    pub const TRUE: Wire = Wire(1);

    fn node(self) -> usize {
        (self.0 >> 1) as usize
    }
    fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }
}

impl std::ops::Not for Wire {
    type Output = Wire;
    fn not(self) -> Wire {
        Wire(self.0 ^ 1)
    }
}

#[derive(Clone, Copy, Debug)]
enum Node {
    False,
    Input(u32),
    Latch(u32),
    And(Wire, Wire),
}

#[derive(Clone, Debug)]
struct Latch {
    name: String,
    next: Wire,
}

/// A circuit with a state. All latches start with zero.
#[derive(Clone, Debug)]
pub struct Aig {
    nodes: Vec<Node>,
    ands: FxHashMap<(Wire, Wire), Wire>,
    /// How often a name was asked for.
    names: FxHashMap<String, u32>,
    inputs: Vec<String>,
    latches: Vec<Latch>,
    outputs: Vec<(String, Wire)>,
}

impl Default for Aig {
    fn default() -> Aig {
        Aig {
            nodes: vec![Node::False],
            ands: FxHashMap::default(),
            names: FxHashMap::default(),
            inputs: Vec::new(),
            latches: Vec::new(),
            outputs: Vec::new(),
        }
    }
}

impl Aig {
    fn push(&mut self, node: Node) -> Wire {
        self.nodes.push(node);
        Wire((self.nodes.len() as u32 - 1) << 1)
    }
    /// A new input.
    pub fn input(&mut self, name: impl Into<String>) -> Wire {
        let name = self.unused(name.into());
        self.inputs.push(name);
        self.push(Node::Input(self.inputs.len() as u32 - 1))
    }
    /// A new latch. It stays zero until [`Aig::set_next`] says otherwise.
    pub fn latch(&mut self, name: impl Into<String>) -> Wire {
        let name = self.unused(name.into());
        let next = Wire::FALSE;
        self.latches.push(Latch { name, next });
        self.push(Node::Latch(self.latches.len() as u32 - 1))
    }
    /// The name, or one like it if another input or latch has it: readers refuse a name that two have.
    fn unused(&mut self, name: String) -> String {
        let times = self.names.entry(name.clone()).or_insert(0);
        *times += 1;
        match times {
            1 => name,
            n => {
                let other = format!("{name}'{n}");
                self.unused(other)
            }
        }
    }
    /// Says what a latch holds after a step.
    ///
    /// # Panics
    /// When `latch` is not what [`Aig::latch`] returned.
    pub fn set_next(&mut self, latch: Wire, next: Wire) {
        match self.nodes[latch.node()] {
            Node::Latch(n) if !latch.is_negated() => self.latches[n as usize].next = next,
            node => panic!("a latch was expected, not {node:?}"),
        }
    }
    /// A new output.
    pub fn output(&mut self, name: impl Into<String>, wire: Wire) {
        self.outputs.push((name.into(), wire));
    }
    /// Both.
    pub fn and(&mut self, a: Wire, b: Wire) -> Wire {
        let (a, b) = (a.min(b), a.max(b));
        if a == Wire::FALSE || a == !b {
            return Wire::FALSE;
        }
        if a == Wire::TRUE || a == b {
            return b;
        }
        if let Some(&known) = self.ands.get(&(a, b)) {
            return known;
        }
        let new = self.push(Node::And(a, b));
        self.ands.insert((a, b), new);
        new
    }
    /// One of both, or both.
    pub fn or(&mut self, a: Wire, b: Wire) -> Wire {
        !self.and(!a, !b)
    }
    /// Just one of both.
    pub fn xor(&mut self, a: Wire, b: Wire) -> Wire {
        let (left, right) = (self.and(a, !b), self.and(!a, b));
        self.or(left, right)
    }
    /// `c ? a : b`
    pub fn mux(&mut self, c: Wire, a: Wire, b: Wire) -> Wire {
        let (yes, no) = (self.and(c, a), self.and(!c, b));
        self.or(yes, no)
    }
    /// Whether the bits of a number, lowest first, are those of `value`.
    pub fn is_number(&mut self, bits: &[Wire], value: u128) -> Wire {
        let mut all = Wire::TRUE;
        for (n, bit) in bits.iter().enumerate() {
            let one = n < 128 && value >> n & 1 == 1;
            let same = if one { *bit } else { !*bit };
            all = self.and(all, same);
        }
        all
    }
    /// Inputs, latches, outputs, gates.
    pub fn size(&self) -> [usize; 4] {
        [
            self.inputs.len(),
            self.latches.len(),
            self.outputs.len(),
            self.ands.len(),
        ]
    }

    /// One step: what the latches hold after it, and the outputs during it.
    pub fn step(&self, latches: &[bool], inputs: &[bool]) -> (Vec<bool>, Vec<bool>) {
        let mut values: Vec<bool> = Vec::with_capacity(self.nodes.len());
        let get = |values: &[bool], w: Wire| values[w.node()] != w.is_negated();
        for node in &self.nodes {
            let value = match *node {
                Node::False => false,
                Node::Input(n) => inputs[n as usize],
                Node::Latch(n) => latches[n as usize],
                Node::And(a, b) => get(&values, a) && get(&values, b),
            };
            values.push(value);
        }
        let next = self.latches.iter().map(|l| get(&values, l.next)).collect();
        let outputs = self.outputs.iter().map(|o| get(&values, o.1)).collect();
        (next, outputs)
    }

    /// The numbers that the format demands: inputs come first, then latches, then gates after what they read.
    fn numbers(&self) -> Vec<u32> {
        let first_latch = self.inputs.len() as u32 + 1;
        let mut gate = first_latch + self.latches.len() as u32;
        let number = |node: &Node| match *node {
            Node::False => 0,
            Node::Input(n) => n + 1,
            Node::Latch(n) => first_latch + n,
            Node::And(..) => {
                gate += 1;
                gate - 1
            }
        };
        self.nodes.iter().map(number).collect()
    }

    fn header(&self, format: &str) -> String {
        let [inputs, latches, outputs, gates] = self.size();
        let most = inputs + latches + gates;
        format!("{format} {most} {inputs} {latches} {outputs} {gates}\n")
    }

    fn symbols(&self, comment: &str) -> String {
        let mut out = String::new();
        let mut list = |letter: char, names: &mut dyn Iterator<Item = &String>| {
            for (n, name) in names.enumerate() {
                let _ = writeln!(out, "{letter}{n} {}", name.replace('\n', " "));
            }
        };
        list('i', &mut self.inputs.iter());
        list('l', &mut self.latches.iter().map(|l| &l.name));
        list('o', &mut self.outputs.iter().map(|o| &o.0));
        let _ = write!(out, "c\n{}\n", comment.trim_end());
        out
    }

    /// The text form (`aag`).
    pub fn ascii(&self, comment: &str) -> Vec<u8> {
        let numbers = self.numbers();
        let lit = |w: Wire| numbers[w.node()] * 2 + u32::from(w.is_negated());
        let mut out = self.header("aag");
        for n in 1..=self.inputs.len() {
            let _ = writeln!(out, "{}", n * 2);
        }
        for (n, latch) in self.latches.iter().enumerate() {
            let own = (self.inputs.len() + n + 1) * 2;
            let _ = writeln!(out, "{own} {}", lit(latch.next));
        }
        for (_, wire) in &self.outputs {
            let _ = writeln!(out, "{}", lit(*wire));
        }
        for (n, node) in self.nodes.iter().enumerate() {
            if let Node::And(a, b) = *node {
                let (high, low) = (lit(a).max(lit(b)), lit(a).min(lit(b)));
                let _ = writeln!(out, "{} {high} {low}", numbers[n] * 2);
            }
        }
        out += &self.symbols(comment);
        out.into_bytes()
    }

    /// The binary form (`aig`).
    pub fn binary(&self, comment: &str) -> Vec<u8> {
        let numbers = self.numbers();
        let lit = |w: Wire| numbers[w.node()] * 2 + u32::from(w.is_negated());
        let mut text = self.header("aig");
        for latch in &self.latches {
            let _ = writeln!(text, "{}", lit(latch.next));
        }
        for (_, wire) in &self.outputs {
            let _ = writeln!(text, "{}", lit(*wire));
        }
        let mut out = text.into_bytes();
        for (n, node) in self.nodes.iter().enumerate() {
            if let Node::And(a, b) = *node {
                let (high, low) = (lit(a).max(lit(b)), lit(a).min(lit(b)));
                difference(&mut out, numbers[n] * 2 - high);
                difference(&mut out, high - low);
            }
        }
        out.extend(self.symbols(comment).into_bytes());
        out
    }
}

/// Seven bits a byte, lowest first; the highest bit says that more follow.
fn difference(out: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts to three, and says so.
    fn counter() -> Aig {
        let mut aig = Aig::default();
        let go = aig.input("go");
        let (low, high) = (aig.latch("low"), aig.latch("high"));
        let next_low = aig.xor(low, go);
        let carry = aig.and(low, go);
        let next_high = aig.xor(high, carry);
        aig.set_next(low, next_low);
        aig.set_next(high, next_high);
        let three = aig.is_number(&[low, high], 3);
        aig.output("three", three);
        aig
    }

    #[test]
    fn steps() {
        let aig = counter();
        let mut state = vec![false, false];
        let mut seen = Vec::new();
        for go in [true, false, true, true, true] {
            let (next, out) = aig.step(&state, &[go]);
            seen.push(out[0]);
            state = next;
        }
        assert_eq!(seen, [false, false, false, false, true]);
        assert_eq!(state, [false, false]);
    }

    #[test]
    fn the_text_form_is_that_of_the_format() {
        let mut aig = Aig::default();
        let x = aig.input("x");
        let y = aig.latch("y");
        let both = aig.and(x, !y);
        aig.set_next(y, both);
        aig.output("bad", !both);
        let text = String::from_utf8(aig.ascii("why\n")).expect("text");
        assert_eq!(
            text,
            "aag 3 1 1 1 1\n2\n4 6\n7\n6 5 2\ni0 x\nl0 y\no0 bad\nc\nwhy\n"
        );
        let binary = aig.binary("why");
        assert!(binary.starts_with(b"aig 3 1 1 1 1\n6\n7\n\x01\x03i0 x\n"));
    }

    #[test]
    fn names_are_told_apart() {
        let mut aig = Aig::default();
        for _ in 0..2 {
            aig.input("x");
            aig.latch("x");
            aig.input("x'2");
        }
        let text = String::from_utf8(aig.ascii("")).expect("text");
        let symbols = text.lines().filter(|l| l.starts_with(['i', 'l']));
        let mut names: Vec<&str> = symbols.filter_map(|l| l.split(' ').nth(1)).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 6, "{text}");
    }

    #[test]
    fn differences_are_packed() {
        let mut out = Vec::new();
        for n in [0, 127, 128, 16_384] {
            difference(&mut out, n);
        }
        assert_eq!(out, [0, 127, 0x80, 1, 0x80, 0x80, 1]);
    }
}
