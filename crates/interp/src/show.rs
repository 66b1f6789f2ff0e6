//! Values as a person reads them: pointers by what they lead to, as C would write it.

use crate::View;
use crate::memory::{Kind, State};
use cwolf_cwi::value::{self, Value};
use cwolf_cwi::{Loc, LocId, Origin, Type, TypeId, Types, VarId, VarKind};

/// Characters of a string literal that are shown.
const TEXT: usize = 40;

impl View<'_, '_> {
    /// A value as a person reads it.
    pub fn show(&self, ty: TypeId, value: Value) -> String {
        match (&self.program().types[ty], value) {
            (Type::Float(f), Value::Float(bits)) => value::float::display(*f, bits),
            (Type::Pointer(to), Value::Int(v)) => self.show_pointer(*to, v as u64),
            (_, Value::Int(v)) => v.to_string(),
            (_, Value::Float(bits)) => format!("{bits:#x}"),
        }
    }

    /// `NULL`, `&x`, `&a[3]`, `s.name`, `"text"`, `f`; an address where C has no name for it.
    fn show_pointer(&self, to: TypeId, addr: u64) -> String {
        let number = format!("{addr:#x}");
        if addr == 0 {
            return "NULL".into();
        }
        let memory = &self.machine.memory;
        let Some(id) = memory.object_at(addr) else {
            return number;
        };
        let info = &memory.info[id as usize];
        let offset = addr - memory.address(id);
        let name = match info.kind {
            Kind::Func(func) if offset == 0 => Some(self.program().funcs[func].name.clone()),
            Kind::Var(var) | Kind::Extern(var) => self.variable(var, to, addr, offset),
            Kind::Heap => info.born.map(|loc| self.allocated(to, addr, loc)),
            _ => None,
        };
        let over = match info.state {
            State::Live => "",
            State::Freed => " (freed)",
            State::ScopeEnded => " (its life is over)",
        };
        format!("{}{over}", name.unwrap_or(number))
    }

    /// Memory from the heap: a text as that text, the rest by where the program got it.
    fn allocated(&self, to: TypeId, addr: u64, born: LocId) -> String {
        let types = &self.program().types;
        let letters = types.as_int(to).is_some_and(|int| int.bits == 8);
        if letters && let Some(text) = self.text(addr) {
            return text;
        }
        let program = self.program();
        let Loc { file, line, .. } = program.locations[born];
        // A stand-in for a function lies where that is declared.
        let own = program.funcs.iter().any(|f| {
            f.origin == Origin::Program && f.body.is_some() && program.locations[f.loc].file == file
        });
        match own {
            true => format!("{addr:#x} (allocated at line {line})"),
            false => "memory of the library".into(),
        }
    }

    fn variable(&self, var: VarId, to: TypeId, addr: u64, offset: u64) -> Option<String> {
        let declared = &self.program().vars[var];
        if declared.kind == VarKind::Literal {
            return self.literal(addr);
        }
        let types = &self.program().types;
        let made_up = matches!(declared.kind, VarKind::Temp(_)) || declared.name.contains('$');
        let size = types.size_of(declared.ty) + declared.extra;
        if made_up || offset > size {
            return None;
        }
        part_name(types, &declared.name, declared.ty, offset, to)
    }

    /// A string literal with what it says; other literals have no such text.
    fn literal(&self, addr: u64) -> Option<String> {
        let text = self.text(addr)?;
        (!text.contains("\\x")).then_some(text)
    }

    /// The text that starts at an address, as C writes it; none where it does not end or is not known.
    fn text(&self, addr: u64) -> Option<String> {
        let mut text = String::new();
        for n in 0..=TEXT as u64 {
            match *self.bytes(addr + n, 1)?.first()? {
                0 => return Some(format!("\"{text}\"")),
                byte => text.extend(std::ascii::escape_default(byte).map(char::from)),
            }
        }
        Some(format!("\"{text}…\""))
    }
}

/// What C calls the part of a variable that starts at an offset and has the type `to`.
fn part_name(types: &Types, var: &str, ty: TypeId, offset: u64, to: TypeId) -> Option<String> {
    let (mut name, mut ty, mut rest) = (var.to_owned(), ty, offset);
    // Bytes and untyped pointers lead to whatever starts there.
    let wanted = |ty: TypeId| ty == to;
    let any = matches!(types[to], Type::Void) || types.as_int(to).is_some_and(|i| i.bits == 8);
    loop {
        if rest == 0 && wanted(ty) {
            return Some(format!("&{name}"));
        }
        match &types[ty] {
            Type::Array { elem, .. } => {
                let size = types.size_of(*elem).max(1);
                let index = rest / size;
                if rest.is_multiple_of(size) && (wanted(*elem) || any) {
                    return Some(match index {
                        0 => name,
                        _ => format!("&{name}[{index}]"),
                    });
                }
                name += &format!("[{index}]");
                (ty, rest) = (*elem, rest % size);
            }
            Type::Record(record) => {
                if rest == 0 && any {
                    return Some(format!("&{name}"));
                }
                let fields = &types.records[*record].fields;
                let inside = fields.iter().find(|f| {
                    let start = f.bit_offset / 8;
                    !f.bit_field && start <= rest && rest < start + types.size_of(f.ty)
                })?;
                if !inside.name.is_empty() {
                    name += &format!(".{}", inside.name);
                }
                (ty, rest) = (inside.ty, rest - inside.bit_offset / 8);
            }
            _ if rest == 0 => return Some(format!("&{name}")),
            _ => return Some(format!("(char *)&{name} + {rest}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::part_name;
    use cwolf_cwi::{Target, Types};

    #[test]
    fn parts_are_named_as_c_writes_them() {
        let mut types = Types::new(Target::default());
        let int = types.int(32, true);
        let byte = types.int(8, true);
        let row = types.array(int, 4);
        let table = types.array(row, 3);
        let named = |offset, to| part_name(&types, "t", table, offset, to);
        assert_eq!(named(0, table).as_deref(), Some("&t"));
        assert_eq!(named(16, row).as_deref(), Some("&t[1]"));
        assert_eq!(named(16, int).as_deref(), Some("t[1]"));
        assert_eq!(named(24, int).as_deref(), Some("&t[1][2]"));
        assert_eq!(
            part_name(&types, "x", int, 2, byte).as_deref(),
            Some("(char *)&x + 2")
        );
    }
}
