//! Domains and values as a person reads them.

use super::pointer::{Address, Target};
use super::shape::Shape;
use super::value::{Classes, Kind, Value};
use super::{Universe, number};
use cwolf_cwi::IntTy;

impl Universe {
    /// A domain as an abstraction map writes it: `part(0,1,2)`.
    pub fn display_kind(&self, kind: Kind) -> String {
        match kind {
            Kind::Top => "top".into(),
            Kind::Bool => "bool".into(),
            Kind::Int => "int".into(),
            Kind::MinMax => "minmax".into(),
            Kind::Mod(k) => format!("mod({k})"),
            Kind::Part(id) => format!("part({})", list(self.break_points(id))),
            Kind::Div(k) => format!("div({k})"),
            Kind::Set(n) => format!("set({n})"),
            Kind::Free => "free".into(),
            Kind::Pointer => "pointer".into(),
            Kind::Float => "float".into(),
        }
    }
    /// A shape as an abstraction map writes it: `int array`.
    pub fn display_shape(&self, shape: &Shape) -> String {
        let kind = self.display_kind(shape.kind());
        kind + &" array".repeat(shape.depth())
    }
    /// A value of an integer type: `⊤`, `5`, `<1,9>`, `{[4,4],[6,∞]}`, `{1,-1} mod 4`.
    pub fn display(&self, ty: IntTy, v: Value) -> String {
        match v {
            Value::Bottom => "⊥".into(),
            Value::Top => "⊤".into(),
            Value::Int(w) => number(ty, w).to_string(),
            Value::Range { lo, hi } => format!("<{},{}>", number(ty, lo), number(ty, hi)),
            Value::Div { k, lo, hi } => {
                let quotient = |w| number(ty, w) / i128::from(k);
                format!("<{},{}> div {k}", quotient(lo), quotient(hi))
            }
            Value::Set { .. } | Value::FarSet { .. } => {
                let members: Vec<i128> = self.gamma(ty, v).iter().map(|p| p.lo).collect();
                format!("{{{}}}", list(&members))
            }
            Value::Mask { classes, .. } | Value::Bits { classes, .. } => {
                self.display_classes(ty, v, classes)
            }
            Value::Address(address) => display_address(address),
            Value::Addresses(_) => {
                let all = self.addresses(v).into_iter().flatten();
                let all: Vec<String> = all.map(display_address).collect();
                format!("{{{}}}", all.join(","))
            }
            Value::Float { lo, hi, nan } => {
                let (lo, hi) = (f64::from_bits(lo), f64::from_bits(hi));
                format!("<{lo:?},{hi:?}>{}", if nan { " or NaN" } else { "" })
            }
            Value::NaN => "NaN".into(),
        }
    }
    fn display_classes(&self, ty: IntTy, v: Value, classes: Classes) -> String {
        match classes {
            Classes::Bool => match self.truth(ty, v) {
                super::Trilog::TRUE => "true".into(),
                super::Trilog::FALSE => "false".into(),
                _ => "maybe".into(),
            },
            Classes::Mod(k) => {
                let mut classes = Vec::new();
                self.pieces(ty, v, false, |p| {
                    classes.push(if p.hi < 0 { p.hi } else { p.lo.max(0) } % i128::from(k));
                });
                classes.sort_unstable();
                format!("{{{}}} mod {k}", list(&classes))
            }
            Classes::Part(_) => {
                let mut blocks = Vec::new();
                self.pieces(ty, v, false, |p| {
                    blocks.push(format!("[{},{}]", p.lo, p.hi))
                });
                format!("{{{}}}", blocks.join(","))
            }
        }
    }
}

fn list(numbers: &[i128]) -> String {
    let numbers: Vec<String> = numbers.iter().map(i128::to_string).collect();
    numbers.join(",")
}

fn display_address(address: Address) -> String {
    let offset = match address.offset() {
        Some(0) => String::new(),
        Some(offset) => format!("{offset:+}"),
        None => "+?".into(),
    };
    match address.target() {
        Target::Absolute if address == Address::NULL => "null".into(),
        Target::Absolute => format!("absolute{offset}"),
        Target::Object(id) => format!("&{id}{offset}"),
        Target::Function(id) => format!("&fn{id}{offset}"),
        Target::Freed => "freed".into(),
    }
}
