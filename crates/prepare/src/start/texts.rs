//! The arguments of `main` as code: a count, and a list of texts that ends exactly where C says
//! it ends, so that a step too far leaves its object. Everything stands at the end of an array:
//! a list of two texts of room for three starts at the second element, and likewise a text.

use super::Maker;
use super::inputs::{Arguments, Count, List, MOST_ARGUMENTS, MainInputs};
use super::usage::{Reach, Usage};
use crate::variable::assign_unknown;
use cwolf_cwi::{Base, BinOp, Expr, ExprKind, Place, Step, TypeId, Types, VarId};

impl Maker<'_> {
    /// The arguments that `main` is called with, and how they come about.
    pub(super) fn main_arguments(
        &mut self,
        params: &[TypeId],
        uses: &[Usage],
        how: &Arguments,
    ) -> (Vec<Expr>, MainInputs) {
        if let Some(words) = &how.given {
            let argc = Expr::int(Types::INT, words.len() as i128);
            let mut args = vec![argc];
            if params.len() > 1 {
                let list = self.given_list(words);
                args.push(Expr::cast(params[1], list));
            }
            let environment = self.environment(params, uses, how, &mut args);
            let inputs = MainInputs {
                given: Some(words.clone()),
                count: Count::Given,
                list: None,
                environment,
            };
            return (args, inputs);
        }
        let usage = uses.first().copied();
        let room = usage.and_then(|usage| room(usage, how));
        let count = match usage {
            Some(usage) if usage.list == Reach::Any => Count::UpTo(how.most),
            _ => Count::Any,
        };
        let argc = self.count("argc", count);
        let mut args = vec![argc.clone()];
        if params.len() > 1 {
            let list = self.list("argv", "argument", &argc, count, room);
            args.push(Expr::cast(params[1], list));
        }
        let environment = self.environment(params, uses, how, &mut args);
        let inputs = MainInputs {
            given: None,
            count,
            list: room,
            environment,
        };
        (args, inputs)
    }

    /// The third parameter, and any after it, are lists of texts too.
    fn environment(
        &mut self,
        params: &[TypeId],
        uses: &[Usage],
        how: &Arguments,
        args: &mut Vec<Expr>,
    ) -> Vec<(Count, Option<List>)> {
        let mut made = Vec::new();
        for (n, ty) in params.iter().enumerate().skip(2) {
            let usage = uses[n - 1];
            let room = room(usage, how);
            let count = match room {
                Some(room) => Count::UpTo(room.texts),
                None => Count::Given,
            };
            let length = match count {
                Count::Given => Expr::int(Types::INT, 0),
                _ => self.count("variables", count),
            };
            let list = self.list("environment", "variable", &length, count, room);
            args.push(Expr::cast(*ty, list));
            made.push((count, room));
        }
        made
    }

    /// A number of texts, any that is allowed.
    fn count(&mut self, name: &str, count: Count) -> Expr {
        let value = match count {
            Count::UpTo(most) => self.up_to("any", most, Types::INT),
            Count::Any | Count::Given => {
                let any = Place::var(Types::INT, self.local("any", Types::INT));
                self.stmts.push(assign_unknown(any.clone(), self.loc));
                let positive = Expr::int(Types::INT, MOST_ARGUMENTS.into());
                Expr::binary(BinOp::BitAnd, Expr::load(any), positive)
            }
        };
        let place = Place::var(Types::INT, self.local(name, Types::INT));
        self.assign(place.clone(), value);
        Expr::load(place)
    }

    /// Any number from zero to `most`, as a `ty`: what is left of a division, so that every
    /// choice is one and each number comes equally often.
    fn up_to(&mut self, name: &str, most: u64, ty: TypeId) -> Expr {
        let bits = super::inputs::bits(most);
        let any_ty = self.program.types.int(bits, false);
        let any = Place::var(any_ty, self.local(name, any_ty));
        self.stmts.push(assign_unknown(any.clone(), self.loc));
        let range = Expr::int(any_ty, i128::from(most) + 1);
        Expr::cast(ty, Expr::binary(BinOp::Rem, Expr::load(any), range))
    }

    fn word(&mut self) -> TypeId {
        let bits = self.program.target().word(true).bits;
        self.program.types.int(bits, true)
    }

    fn element(&mut self, ty: TypeId, var: VarId, index: Expr) -> Place {
        Place {
            ty,
            base: Base::Var(var),
            path: vec![Step::Index(index)],
        }
    }

    fn address(&mut self, ty: TypeId, var: VarId, index: Expr) -> Expr {
        let place = self.element(ty, var, index);
        Expr {
            ty: self.program.types.pointer(ty),
            kind: ExprKind::AddrOf(place),
        }
    }

    /// A list of `count` texts and a null pointer, in an object that ends there.
    fn list(
        &mut self,
        name: &str,
        text: &str,
        length: &Expr,
        count: Count,
        room: Option<List>,
    ) -> Expr {
        let room = room.unwrap_or_default();
        let word = self.word();
        let pointer = self.program.types.pointer(Types::CHAR);
        let list_ty = self.program.types.array(pointer, room.texts + 1);
        let list = self.local(name, list_ty);
        for n in 0..room.texts {
            let address = self.text(&format!("{text}{n}"), room.characters);
            let place = self.element(pointer, list, Expr::int(word, n.into()));
            self.assign(place, address);
        }
        let last = Expr::int(word, room.texts.into());
        let end = self.element(pointer, list, last.clone());
        self.assign(end, Expr::int(pointer, 0));
        if room.texts == 0 {
            return self.address(pointer, list, last);
        }
        let present = match count {
            Count::UpTo(_) | Count::Given => length.clone(),
            Count::Any => self.at_most(length, room.texts),
        };
        let first = Expr::binary(BinOp::Sub, last, Expr::cast(word, present));
        self.address(pointer, list, first)
    }

    /// The smaller of a number and a constant, without a branch.
    fn at_most(&mut self, number: &Expr, most: u64) -> Expr {
        let most = Expr::int(Types::INT, most.into());
        let few = Expr::binary(BinOp::Lt, number.clone(), most.clone());
        let many = Expr::binary(BinOp::Ge, number.clone(), most.clone());
        Expr::binary(
            BinOp::Add,
            Expr::binary(BinOp::Mul, number.clone(), few),
            Expr::binary(BinOp::Mul, most, many),
        )
    }

    /// A text of any contents and any length that fits; its address.
    fn text(&mut self, name: &str, characters: u64) -> Expr {
        let word = self.word();
        let ty = self.program.types.array(Types::CHAR, characters + 1);
        let var = self.local(name, ty);
        let last = Expr::int(word, characters.into());
        let mut first = last.clone();
        if characters > 0 {
            let length = self.up_to("length", characters, word);
            self.stmts
                .push(assign_unknown(Place::var(ty, var), self.loc));
            first = Expr::binary(BinOp::Sub, first, length);
        }
        let end = self.element(Types::CHAR, var, last);
        self.assign(end, Expr::int(Types::CHAR, 0));
        self.address(Types::CHAR, var, first)
    }

    fn given_list(&mut self, words: &[Vec<u8>]) -> Expr {
        let word = self.word();
        let pointer = self.program.types.pointer(Types::CHAR);
        let list_ty = self.program.types.array(pointer, words.len() as u64 + 1);
        let list = self.local("argv", list_ty);
        let index = |n: usize| Expr::int(word, n as i128);
        for (n, text) in words.iter().enumerate() {
            let ty = self.program.types.array(Types::CHAR, text.len() as u64 + 1);
            let var = self.local(&format!("argument{n}"), ty);
            for (at, byte) in text.iter().chain([&0]).enumerate() {
                let place = self.element(Types::CHAR, var, index(at));
                self.assign(place, Expr::int(Types::CHAR, i128::from(*byte as i8)));
            }
            let address = self.address(Types::CHAR, var, index(0));
            let place = self.element(pointer, list, index(n));
            self.assign(place, address);
        }
        let end = self.element(pointer, list, index(words.len()));
        self.assign(end, Expr::int(pointer, 0));
        self.address(pointer, list, index(0))
    }
}

/// How many texts of how many characters a list needs; none if nobody reads it.
fn room(usage: Usage, how: &Arguments) -> Option<List> {
    let texts = match usage.list {
        Reach::Nothing => return None,
        Reach::UpTo(n) => n + 1,
        Reach::Any => how.most,
    };
    let characters = match usage.text {
        Reach::Nothing => 0,
        Reach::UpTo(n) => n + 1,
        Reach::Any => how.length,
    };
    Some(List { texts, characters })
}
