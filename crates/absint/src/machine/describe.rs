//! States as a person reads them (thesis, Figures 4.7 and 4.8).

use super::layout::{Point, int_ty};
use super::{ANY_CALLER, Code, Machine, PENDING, State};
use crate::domain::{Target, Value};
use cwolf_base::Idx;
use cwolf_cwi::{BlockId, FuncId, LocId, Type, TypeId, VarId, text::Printer};

/// How many frames of a stack are shown.
const MAX_STACK: usize = 32;

impl Machine<'_> {
    /// The state in words: with `detail` 0 its source position, with 1 also its stack and
    /// environment, with 2 also the code that it is about to run.
    pub fn describe(&self, state: State, detail: u32) -> String {
        let code = &self.code;
        let mut lines = Vec::new();
        let point = self.point(state.location);
        if detail == 0 {
            return self.source_position(state);
        }
        match point {
            Point::Halted => {
                let status = self.tables.load(state.local, 1);
                lines.push("Halted".to_owned());
                if status[0] != Value::Top {
                    let shown = code.universe.display(cwolf_cwi::IntTy::INT, status[0]);
                    lines.push(format!("r#0 -> {shown}"));
                }
            }
            _ => {
                let mut stack = vec![code.point_name(point)];
                let mut caller = state.caller;
                while caller != 0 {
                    if stack.len() >= MAX_STACK {
                        stack.push("…".into());
                        break;
                    }
                    let (call, next, _) = self.tables.parts(caller);
                    stack.push(match call {
                        ANY_CALLER.. => "any caller".into(),
                        call => code.point_name(code.points.get(call)),
                    });
                    caller = next;
                }
                lines.push(format!("Stack: {}", stack.join(" ")));
                self.environment(state, point, &mut lines);
            }
        }
        if state.location >= PENDING {
            let (sequence, _) = self.tables.pended(state.location - PENDING);
            let labels = self.tables.texts(sequence);
            lines.push(format!("about to show {}", labels.join(", ")));
        }
        if point != Point::Halted {
            lines.push(self.source_position(state));
        }
        if detail >= 2 {
            code.code(point, &mut lines);
        }
        lines.join("\n")
    }
    /// Where in the source a state is: at a statement, or in a call that is under way.
    fn source_position(&self, state: State) -> String {
        let at = |point: Point| {
            let loc = self.code.loc(point)?;
            Some(format!("at {}", self.code.program.locations.describe(loc)))
        };
        let own = match self.point(state.location) {
            Point::Halted => return "Halted".to_owned(),
            Point::Outside(_) => match self.tables.pairs.get(state.caller).0 {
                ANY_CALLER.. => None,
                call => at(self.code.points.get(call)),
            },
            point => at(point),
        };
        own.unwrap_or_else(|| "at any caller".to_owned())
    }
    fn environment(&self, state: State, point: Point, lines: &mut Vec<String>) {
        let func = match point {
            Point::Code { func, .. } | Point::Outside(func) => func,
            Point::Halted => return,
        };
        let env = self.open(state, func);
        let code = &self.code;
        let regs = code.layout.regs[func] as usize;
        for (n, v) in env.local.values()[..regs].iter().enumerate() {
            if *v != Value::Top {
                let ty = code.program.funcs[func].body.as_ref();
                let ty = ty.and_then(|b| b.regs.get(cwolf_cwi::RegId::new(n)).copied());
                let ty = ty.unwrap_or(cwolf_cwi::Types::INT);
                lines.push(format!("r#{n} -> {}", code.show(ty, *v)));
            }
        }
        let locals = code.layout.locals[func].iter();
        let locals = locals.zip(&env.local.values()[regs..]);
        let globals = code.layout.globals.iter().zip(env.global.values());
        for (cell, v) in locals.chain(globals) {
            if *v != Value::Top {
                let name = code.cell_name(cell.var, cell.bit_offset, func);
                lines.push(format!("{name} -> {}", code.show(cell.ty, *v)));
            }
        }
    }
}

impl Code<'_> {
    fn point_name(&self, point: Point) -> String {
        match point {
            Point::Halted => "halted".into(),
            Point::Outside(func) => self.program.funcs[func].name.clone(),
            Point::Code { func, block, index } => {
                let name = self.block_name(func, block);
                match index {
                    0 => name,
                    index => format!("{name}:{index}"),
                }
            }
        }
    }
    fn show(&self, ty: TypeId, v: Value) -> String {
        let one = |a: crate::domain::Address| {
            let offset = match a.offset() {
                Some(0) => String::new(),
                Some(n) => format!("{n:+}"),
                None => "+?".into(),
            };
            match a.target() {
                Target::Object(n) => format!("&{}{offset}", self.program.vars[VarId(n)].name),
                Target::Function(n) => format!("&{}{offset}", self.program.funcs[FuncId(n)].name),
                Target::Absolute if a.offset() == Some(0) => "null".into(),
                Target::Absolute => format!("absolute{offset}"),
                Target::Freed => "freed".into(),
            }
        };
        match v {
            Value::Address(a) => one(a),
            Value::Addresses(_) => {
                let all: Vec<String> = self
                    .universe
                    .addresses(v)
                    .into_iter()
                    .flatten()
                    .map(one)
                    .collect();
                format!("{{{}}}", all.join(","))
            }
            v => self.universe.display(int_ty(self.program, ty), v),
        }
    }
    /// `x`, `p.state`, `row[2]`; with its function when that is not the current one.
    pub(crate) fn cell_name(&self, var: VarId, offset: u64, func: FuncId) -> String {
        let v = &self.program.vars[var];
        let mut name = match v.kind.function() {
            Some(f) if f != func => format!("{}:{}", self.program.funcs[f].name, v.name),
            _ => v.name.clone(),
        };
        let types = &self.program.types;
        let (mut ty, mut rest) = (v.ty, offset);
        loop {
            match &types[ty] {
                Type::Array { elem, .. } => {
                    let size = types.size_of(*elem).saturating_mul(8).max(1);
                    name += &format!("[{}]", rest / size);
                    rest %= size;
                    ty = *elem;
                }
                Type::Record(record) => {
                    let fields = &types.records[*record].fields;
                    let Some(field) = fields.iter().rfind(|f| f.bit_offset <= rest) else {
                        return name;
                    };
                    if !field.name.is_empty() {
                        name += &format!(".{}", field.name);
                    }
                    rest -= field.bit_offset;
                    ty = field.ty;
                }
                _ => return name,
            }
        }
    }
    /// The source position of a program point.
    fn loc(&self, point: Point) -> Option<LocId> {
        let Point::Code { func, block, index } = point else {
            return None;
        };
        let code = &self.program.funcs[func].body.as_ref()?.blocks[block];
        let stmt = code.stmts.get(index as usize);
        Some(stmt.map_or(code.loc, |s| s.loc))
    }
    fn code(&self, point: Point, lines: &mut Vec<String>) {
        let (func, block, index): (FuncId, BlockId, u32) = match point {
            Point::Code { func, block, index } => (func, block, index),
            Point::Outside(_) => {
                lines.push("return (*dummy*)".into());
                return;
            }
            Point::Halted => return,
        };
        let body = self.program.funcs[func]
            .body
            .as_ref()
            .expect("it has blocks");
        let code = &body.blocks[block];
        let rest = &code.stmts[index as usize..];
        let printer = Printer::new(self.program);
        lines.extend(rest.iter().map(|s| printer.stmt(func, s)));
        lines.push(printer.branch(func, &code.branch));
    }
}
