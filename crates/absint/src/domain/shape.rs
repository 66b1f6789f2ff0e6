//! The abstraction of a whole variable: a domain, or an array of abstractions.

use super::value::Kind;
use cwolf_cwi::{Type, TypeId, Types};

/// What stands after `var x :`, for scalars and arrays (`int`, `bool array`,
/// `part(0,1) array array`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// A domain for one scalar, or for a whole aggregate when it is `top`.
    Scalar(Kind),
    /// The same abstraction for each element.
    Array(Box<Shape>),
}

impl Shape {
    /// `shape array`.
    pub fn array(element: Shape) -> Shape {
        Shape::Array(Box::new(element))
    }
    /// The domain of the innermost elements.
    pub fn kind(&self) -> Kind {
        let mut shape = self;
        loop {
            match shape {
                Shape::Scalar(kind) => return *kind,
                Shape::Array(element) => shape = element,
            }
        }
    }
    /// How many times it says `array`.
    pub fn depth(&self) -> usize {
        let mut shape = self;
        let mut depth = 0;
        while let Shape::Array(element) = shape {
            depth += 1;
            shape = element;
        }
        depth
    }
    /// Whether it can be laid over a variable of type `ty`: each `array` meets an array of known
    /// length, and the domain meets a scalar it applies to. `top` fits everything, and one
    /// `array` may stand for all dimensions of an array.
    pub fn fits(&self, types: &Types, mut ty: TypeId) -> bool {
        let mut shape = self;
        while let Shape::Array(element) = shape {
            let Type::Array { elem, len: 1.. } = types[ty] else {
                return false;
            };
            ty = elem;
            shape = element;
        }
        let kind = self.kind();
        if self.depth() > 0 {
            while let Type::Array { elem, len: 1.. } = types[ty] {
                ty = elem;
            }
        }
        match types[ty] {
            _ if kind == Kind::Top => true,
            Type::Bool | Type::Int(_) => !matches!(kind, Kind::Pointer | Kind::Float),
            Type::Pointer(_) => matches!(kind, Kind::Pointer | Kind::Free),
            Type::Float(_) => matches!(kind, Kind::Float | Kind::Free | Kind::MinMax),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_follow_the_types() {
        let mut types = Types::new(cwolf_cwi::Target::X86_64);
        let row = types.array(Types::INT, 3);
        let matrix = types.array(row, 2);
        let unknown = types.array(Types::INT, 0);
        let pointer = types.pointer(Types::INT);
        let int = Shape::Scalar(Kind::Int);
        let ints = Shape::array(int.clone());
        assert!(int.fits(&types, Types::INT));
        assert!(!int.fits(&types, row));
        assert!(ints.fits(&types, row));
        assert!(ints.fits(&types, matrix), "one `array` for both dimensions");
        assert!(Shape::array(ints.clone()).fits(&types, matrix));
        assert!(!Shape::array(ints.clone()).fits(&types, row));
        assert!(!ints.fits(&types, unknown));
        assert!(!int.fits(&types, pointer));
        assert!(Shape::Scalar(Kind::Pointer).fits(&types, pointer));
        assert!(Shape::Scalar(Kind::Top).fits(&types, matrix));
        assert_eq!(Shape::array(ints).depth(), 2);
    }
}
