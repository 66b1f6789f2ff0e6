//! What both evaluators share: variables as cells of numbers, and a function that they call.

use cwolf_cwi::{Program, Type, TypeId, Types, VarId};
use rustc_hash::FxHashMap;

/// A pointer is the number of a cell: this many for each variable.
const CELLS: i128 = 16;

/// Memory and what was called.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    cells: FxHashMap<i128, i128>,
    pub calls: Vec<Vec<i128>>,
    /// Counts down, so that endless programs end.
    pub fuel: u32,
    /// Variables that the outside can change: globals, and locals whose address is taken.
    pub shared: Vec<VarId>,
}

impl State {
    pub fn new(fuel: u32, shared: &[VarId]) -> State {
        State {
            fuel,
            shared: shared.to_vec(),
            ..State::default()
        }
    }
    pub fn address(var: VarId, index: i128) -> i128 {
        (i128::from(var.0) + 1) * CELLS + index
    }
    pub fn load(&self, address: i128) -> i128 {
        self.cells.get(&address).copied().unwrap_or(0)
    }
    pub fn store(&mut self, address: i128, value: i128) {
        self.cells.insert(address, value);
    }
    /// The value of the whole of `var`, and of a short array all elements.
    pub fn all(&self, vars: &[VarId]) -> Vec<i128> {
        let all = vars
            .iter()
            .flat_map(|v| (0..4).map(|i| State::address(*v, i)));
        all.map(|address| self.load(address)).collect()
    }
    /// The function outside: remembers its arguments, changes everything it can reach.
    pub fn call(&mut self, args: Vec<i128>) -> i128 {
        let sum: i128 = args.iter().sum::<i128>() & 15;
        self.calls.push(args);
        let n = self.calls.len() as i128;
        for (k, var) in (1..).zip(self.shared.clone()) {
            let address = State::address(var, 0);
            let old = self.load(address);
            self.store(address, (old + k + n) & 63);
        }
        (sum + n) & 7
    }
    pub fn burn(&mut self) -> bool {
        self.fuel = self.fuel.saturating_sub(1);
        self.fuel > 0
    }
}

/// The size of an element, for pointer arithmetic in cells.
pub fn is_array(types: &Types, ty: TypeId) -> bool {
    matches!(types[ty], Type::Array { .. })
}

/// `value` converted between types of numbers.
pub fn convert(program: &Program, from: TypeId, to: TypeId, value: i128) -> i128 {
    use cwolf_cwi::value::{Value, cast};
    match cast(&program.types, from, to, Value::Int(value)) {
        Value::Int(v) => v,
        Value::Float(_) => panic!("no floats here"),
    }
}
