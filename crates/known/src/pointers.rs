//! What a call does to pointers: what its result may point to, and what comes to lie where. Rows say
//! it in pieces; this puts the pieces together, or says that they do not tell all.

use crate::amount::{Amount, Path, Subject};
use crate::row::{
    Contents, Control, Effect, FormatArgs, FormatKind, Outcome, Primitive, Requirement, Row,
};
use crate::types::CType;

/// All that a call does to pointers. Anything else stays where it was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PointerFlow {
    /// The result may point to a new object.
    pub fresh: bool,
    /// The result may point to what lies outside the program: an object of the library.
    pub outside: bool,
    /// Arguments that the result may be, or point into the object of.
    pub returns: Vec<usize>,
    /// Arguments whose objects' contents come to lie in the new object.
    pub fills_fresh: Vec<usize>,
    /// What comes to lie in the object that an argument points to.
    pub stores: Vec<(usize, Stored)>,
}

/// Something that is put into an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// What lies in the object that this argument points to.
    Contents(usize),
    /// What lies in the objects that the arguments from this one on point to.
    ContentsFrom(usize),
    /// A pointer into the object that this argument points into.
    Argument(usize),
    /// A pointer to a new object.
    Fresh,
}

impl Row {
    /// What a call does to pointers; none if the row does not say all of it: then pointers among the
    /// arguments go anywhere, and the result comes from anywhere.
    pub fn pointer_flow(&self) -> Option<PointerFlow> {
        let elsewhere = self.control.iter().any(leads_elsewhere);
        if self.open || elsewhere || self.changes_variables() {
            return None;
        }
        let mut flow = PointerFlow::default();
        for effect in &self.effects {
            self.follow(effect, &mut flow)?;
        }
        self.follow_result(&mut flow)?;
        Some(flow)
    }

    fn follow(&self, effect: &Effect, flow: &mut PointerFlow) -> Option<()> {
        match effect {
            Effect::Errno
            | Effect::State(_)
            | Effect::Channel(..)
            | Effect::Draws(_)
            | Effect::Connects
            | Effect::Opens
            | Effect::Shuts(_)
            | Effect::Output
            | Effect::Frees(_)
            | Effect::Closes(_)
            | Effect::Locks(_)
            | Effect::Unlocks(_)
            | Effect::Counts(..) => {}
            // `%n` stores numbers.
            Effect::Formatted(format) if format.kind == FormatKind::Printf => {}
            Effect::Copies { to, from, .. } => {
                let from = Stored::Contents(from.itself()?);
                flow.stores.push((to.itself()?, from));
            }
            Effect::Moves(at) => {
                let old = at.itself()?;
                flow.returns.push(old);
                flow.fills_fresh.push(old);
            }
            Effect::Sets { at, value } => {
                for outcome in value {
                    self.follow_set(at, outcome, flow)?;
                }
            }
            Effect::Writes { at, bytes, .. } => {
                // One byte over and over makes no pointer, nor do numbers that the call computes.
                let fill = self.primitive == Some(Primitive::Fill);
                let set = self.effects.iter().any(|e| {
                    matches!(e, Effect::Sets { at: set, .. }
                        if set.param == at.param && set.path == Path::Behind)
                });
                let param = at.itself()?;
                let to = self.prototype.params[param].ty.pointee()?;
                let printed = bytes.mentions_print();
                let copied = printed || (is_character(to) && self.reads_beside(param));
                if !fill && !set {
                    is_number(to).then_some(())?;
                    if copied {
                        self.follow_text(param, printed, flow)?;
                    }
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// Text that is made of others has what lies in those, for all that is known; a pointer is bytes, too.
    fn follow_text(&self, to: usize, printed: bool, flow: &mut PointerFlow) -> Option<()> {
        for requirement in &self.requires {
            match requirement {
                Requirement::Readable { at, .. } | Requirement::Text { at, .. } => {
                    let from = Stored::Contents(at.itself()?);
                    flow.stores.push((to, from));
                }
                Requirement::Texts(_) => return None,
                _ => {}
            }
        }
        match self.formatted().map(|f| f.args) {
            Some(FormatArgs::From(first)) if printed => {
                flow.stores.push((to, Stored::ContentsFrom(first)));
            }
            None if !printed => {}
            _ => return None,
        }
        Some(())
    }

    /// Whether memory is read through another argument: text that may be written on.
    fn reads_beside(&self, param: usize) -> bool {
        self.requires.iter().any(|r| match r {
            Requirement::Readable { at, .. } | Requirement::Text { at, .. } => at.param != param,
            Requirement::Texts(_) => true,
            _ => false,
        })
    }

    fn follow_set(&self, at: &Subject, outcome: &Outcome, flow: &mut PointerFlow) -> Option<()> {
        if at.path != Path::Behind {
            return None;
        }
        let to = self.prototype.params[at.param].ty.pointee();
        if to.is_some_and(is_number) {
            return Some(());
        }
        let stored = match outcome {
            Outcome::Null => return Some(()),
            Outcome::Into(subject) => Stored::Argument(subject.itself()?),
            Outcome::Range(range) => Stored::Argument(argument(range.low.as_ref()?)??),
            Outcome::Fresh {
                contents: Contents::Unset | Contents::Zero,
                ..
            } => Stored::Fresh,
            _ => return None,
        };
        flow.stores.push((at.param, stored));
        Some(())
    }

    fn follow_result(&self, flow: &mut PointerFlow) -> Option<()> {
        let params = self.prototype.params.iter().enumerate();
        if self.result.is_empty() {
            // A number that is computed of numbers, which may be meant as pointers.
            if matches!(
                self.prototype.ret,
                CType::Pointer { .. } | CType::Function | CType::Named(_)
            ) {
                return None;
            }
            let numbers = params.filter(|(n, _)| !self.prototype.is_pointer(*n));
            flow.returns.extend(numbers.map(|(n, _)| n));
            return Some(());
        }
        for outcome in &self.result {
            match outcome {
                Outcome::Null => {}
                Outcome::Fresh { contents, .. } => {
                    flow.fresh = true;
                    if *contents == Contents::Text || *contents == Contents::Set {
                        let from = params
                            .clone()
                            .filter(|(n, _)| self.prototype.is_pointer(*n));
                        flow.fills_fresh.extend(from.map(|(n, _)| n));
                    }
                }
                Outcome::Stack(_) | Outcome::Mapped { .. } => flow.fresh = true,
                Outcome::Into(subject) => flow.returns.push(subject.itself()?),
                Outcome::Held(param) => flow.returns.push(*param),
                Outcome::Range(range) => {
                    let low = range.low.as_ref().map_or(Some(None), argument)?;
                    flow.returns.extend(low);
                }
                Outcome::Static { .. }
                | Outcome::Text
                | Outcome::Nonempty
                | Outcome::Handle
                | Outcome::Errno => {
                    flow.outside = true;
                }
                Outcome::Any | Outcome::Kept | Outcome::Function => return None,
            }
        }
        Some(())
    }
}

/// Whether control goes on elsewhere, or the value is anybody's choice.
fn leads_elsewhere(control: &Control) -> bool {
    matches!(
        control,
        Control::Starts(_)
            | Control::Forks
            | Control::Switches
            | Control::Marks(_)
            | Control::Jumps(_)
            | Control::Choose
            | Control::Predicate(_)
            | Control::Contract(_)
    )
}

fn is_number(ty: &CType) -> bool {
    matches!(
        ty,
        CType::Bool | CType::Int(..) | CType::Float | CType::Double | CType::LongDouble
    )
}

fn is_character(ty: &CType) -> bool {
    use crate::types::IntKind::{Char, Schar, Uchar};
    matches!(ty, CType::Int(Char | Schar | Uchar, _))
}

/// The argument that a number is, moved or not; none if it is no argument's own value. Fails if it is
/// read from memory.
fn argument(amount: &Amount) -> Option<Option<usize>> {
    match amount {
        Amount::Arg(subject) => subject.itself().map(Some),
        Amount::Add(left, _) | Amount::Sub(left, _) => argument(left),
        _ => Some(None),
    }
}
