//! Prints whole programs; see [`super`] for the form.

use super::expr::float_text;
use super::names::{Names, quote, quote_bytes};
use crate::code::{Block, BlockId, Expr, FuncId, LocId, Place, Stmt, VarId};
use crate::program::{
    Definition, FileId, Function, InitItem, InitValue, Linkage, Origin, Program, Var, VarKind,
};
use crate::types::{Record, RecordKind, Type, TypeId};
use std::borrow::Cow;

/// Prints parts of one program. Making one spells all names, so keep it.
pub struct Printer<'a> {
    pub(super) program: &'a Program,
    pub(super) names: Cow<'a, Names>,
}

/// A whole program.
pub fn print(program: &Program) -> String {
    let mut writer = Writer {
        printer: Printer::new(program),
        out: String::new(),
        file: None,
        last_var: None,
    };
    writer.program();
    writer.out
}

/// One block as a viewer shows it, without positions.
pub fn print_block(program: &Program, func: FuncId, block: BlockId) -> String {
    Printer::new(program).block(func, block)
}
/// One expression of `func`'s code.
pub fn print_expr(program: &Program, func: Option<FuncId>, expr: &Expr) -> String {
    Printer::new(program).expr(func, expr)
}
/// One place in `func`'s code.
pub fn print_place(program: &Program, func: Option<FuncId>, place: &Place) -> String {
    Printer::new(program).place(func, place)
}
/// One statement of `func`, without its position.
pub fn print_stmt(program: &Program, func: FuncId, stmt: &Stmt) -> String {
    Printer::new(program).stmt(func, stmt)
}

impl<'a> Printer<'a> {
    /// A printer for `program`.
    pub fn new(program: &'a Program) -> Printer<'a> {
        Printer {
            program,
            names: Cow::Owned(Names::new(program)),
        }
    }
    /// A printer that uses names made before.
    pub fn with_names(program: &'a Program, names: &'a Names) -> Printer<'a> {
        Printer {
            program,
            names: Cow::Borrowed(names),
        }
    }
    /// The names it uses.
    pub fn names(&self) -> &Names {
        &self.names
    }
    /// A type, with records spelled as declared.
    pub fn ty(&self, id: TypeId) -> String {
        match &self.program.types[id] {
            Type::Pointer(to) => format!("*{}", self.ty(*to)),
            Type::Array { elem, len } => format!("[{len} x {}]", self.ty(*elem)),
            Type::Record(id) => {
                let kind = kind(&self.program.types.records[*id]);
                format!("{kind} {}", self.names.record(*id))
            }
            Type::Func(ty) => {
                let mut params: Vec<_> = ty.params.iter().map(|p| self.ty(*p)).collect();
                if ty.variadic {
                    params.push("...".into());
                }
                format!("fn({}) {}", params.join(", "), self.ty(ty.ret))
            }
            _ => self.program.types.name(id),
        }
    }
    /// One block, without positions: its name, its statements, its branch.
    pub fn block(&self, func: FuncId, block: BlockId) -> String {
        let mut out = format!("block_{}:\n", block.0);
        let code = self.program.funcs[func].body.as_ref();
        let Some(code) = code.and_then(|b| b.blocks.get(block)) else {
            return out;
        };
        for stmt in &code.stmts {
            out += &format!("  {}\n", self.stmt(func, stmt));
        }
        for line in self.branch(func, &code.branch).lines() {
            out += &format!("  {line}\n");
        }
        out
    }
}

fn kind(record: &Record) -> &'static str {
    match record.kind {
        RecordKind::Struct => "struct",
        RecordKind::Union => "union",
    }
}

struct Writer<'a> {
    printer: Printer<'a>,
    out: String,
    /// The file of the last position.
    file: Option<FileId>,
    last_var: Option<VarId>,
}

impl Writer<'_> {
    fn program(&mut self) {
        let program = self.printer.program;
        let target = program.target().name;
        self.out += &format!("cwi {}\ntarget {target}\n", super::VERSION);
        for (id, record) in program.types.records.enumerate() {
            let name = self.printer.names.record(id).to_owned();
            self.record(&name, record);
        }
        self.out.push('\n');
        for (id, var) in program.vars.enumerate() {
            if !var.kind.is_automatic() {
                self.var(id, var);
            }
        }
        for (id, func) in program.funcs.enumerate() {
            self.function(id, func);
        }
        for check in program.checks.iter() {
            let (kind, text) = (quote(check.kind.name()), quote(&check.text));
            self.out += &format!("check {kind} {text}");
            self.position(check.loc);
        }
        for startup in &program.startup {
            let name = self.printer.names.func(startup.func);
            let (phase, priority) = (startup.phase.name(), startup.priority);
            self.out += &format!("{phase} {name} priority {priority}\n");
        }
        for note in &program.notes {
            self.out += &format!("note {}", quote(&note.text));
            self.position(note.loc);
        }
    }

    /// Ends a line with a position.
    fn position(&mut self, loc: LocId) {
        let locations = &self.printer.program.locations;
        let loc = locations[loc];
        self.out += " @";
        if self.file != Some(loc.file) {
            self.file = Some(loc.file);
            self.out += &format!("{}:", quote(locations.file_name(loc.file)));
        }
        self.out += &format!("{}:{}\n", loc.line, loc.column);
    }

    fn record(&mut self, name: &str, record: &Record) {
        let (kind, align) = (kind(record), record.align);
        if !record.complete {
            self.out += &format!("\ntype {kind} {name} incomplete align {align}\n");
            return;
        }
        self.out += &format!(
            "\ntype {kind} {name} size {} align {align} {{\n",
            record.size
        );
        for field in &record.fields {
            let name = super::spell(&field.name);
            let ty = self.printer.ty(field.ty);
            let bit = if field.bit_field { " bit" } else { "" };
            self.out += &format!("  {name}: {ty}{bit} at {}\n", field.bit_offset);
        }
        self.out += "}\n";
    }

    fn var(&mut self, id: VarId, var: &Var) {
        let word = match var.kind {
            VarKind::Global => "global",
            VarKind::StaticLocal(_) => "static",
            VarKind::Literal => "literal",
            VarKind::Param(_) => "  param",
            VarKind::Local(_) => "  local",
            VarKind::Temp(_) => "  temp",
        };
        self.out += &format!("{word} {}", self.printer.names.var(id));
        if self.last_var.map_or(0, |v| v.0 + 1) != id.0 {
            self.out += &format!(" #{}", id.0);
        }
        self.last_var = Some(id);
        self.out += &format!(": {}", self.printer.ty(var.ty));
        if let VarKind::StaticLocal(f) = var.kind {
            self.out += &format!(" in {}", self.printer.names.func(f));
        }
        let usual = match var.kind {
            VarKind::Global => Linkage::External,
            _ => Linkage::Internal,
        };
        self.linkage(var.linkage, usual);
        self.definition(var.definition);
        self.out += if var.weak { " weakref" } else { "" };
        for (holds, word) in [
            (var.volatile, " volatile"),
            (var.constant, " const"),
            (var.thread_local, " thread"),
        ] {
            self.out += if holds { word } else { "" };
        }
        if var.align != self.printer.program.types.align_of(var.ty) {
            self.out += &format!(" align {}", var.align);
        }
        if var.extra != 0 {
            self.out += &format!(" extra {}", var.extra);
        }
        if let Some(name) = &var.alias {
            self.out += &format!(" alias {}", quote(name));
        }
        self.init(&var.init);
        self.position(var.loc);
    }

    fn linkage(&mut self, linkage: Linkage, usual: Linkage) {
        if linkage != usual {
            self.out += match linkage {
                Linkage::External => " external",
                Linkage::Internal => " internal",
            };
        }
    }

    fn definition(&mut self, definition: Definition) {
        self.out += match definition {
            Definition::Declared => " declared",
            Definition::Tentative => " tentative",
            Definition::Weak => " weak",
            Definition::Defined => "",
        };
    }

    fn init(&mut self, items: &[InitItem]) {
        let printer = &self.printer;
        let text = |item: &InitItem| {
            let value = match &item.value {
                InitValue::Int(v) => printer.int(item.ty, *v),
                InitValue::Float(bits) => match printer.program.types[item.ty] {
                    Type::Float(ty) => float_text(ty, *bits),
                    _ => format!("bits({bits:#x})"),
                },
                InitValue::Bytes(bytes) => quote_bytes(bytes),
                InitValue::Addr(var, 0) => format!("&{}", printer.names.var(*var)),
                InitValue::Addr(var, n) => {
                    let sign = if *n < 0 { '-' } else { '+' };
                    format!("&{} {sign} {}", printer.names.var(*var), n.unsigned_abs())
                }
                InitValue::Func(f) => format!("&{}", printer.names.func(*f)),
            };
            format!("{}: {} {value}", item.bit_offset, printer.ty(item.ty))
        };
        let texts: Vec<_> = items.iter().map(text).collect();
        self.out += &match texts.len() {
            0 => String::new(),
            1 => format!(" = {{ {} }}", texts[0]),
            _ => format!(" = {{\n  {}\n}}", texts.join("\n  ")),
        };
    }

    fn function(&mut self, id: FuncId, func: &Function) {
        let names = &self.printer.names;
        let (name, ty) = (names.func(id), self.printer.ty(func.ty));
        self.out += &format!("\nfunction {name}: {ty}");
        self.linkage(func.linkage, Linkage::External);
        self.definition(func.definition);
        self.out += if func.weak { " weakref" } else { "" };
        if func.noreturn {
            self.out += " noreturn";
        }
        if let Some(name) = &func.alias {
            self.out += &format!(" alias {}", quote(name));
        }
        if func.origin != Origin::Program {
            self.out += &format!(" origin {}", quote(func.origin.name()));
        }
        self.position(func.loc);
        if let Some(refusal) = &func.refused {
            self.out += &format!("  refused {}", quote(&refusal.reason));
            self.position(refusal.loc);
        }
        for var in func.params.iter().chain(&func.locals) {
            self.var(*var, &self.printer.program.vars[*var]);
        }
        let Some(body) = &func.body else {
            return;
        };
        for (id, ty) in body.regs.enumerate().skip(1) {
            self.out += &format!("  reg r#{}: {}\n", id.0, self.printer.ty(*ty));
        }
        self.out += "{\n";
        for (n, block) in body.blocks.enumerate() {
            self.block(id, n, block);
        }
        self.out += "}\n";
    }

    fn block(&mut self, func: FuncId, id: BlockId, block: &Block) {
        self.out += &format!("block_{}:\n", id.0);
        for stmt in &block.stmts {
            self.out += &format!("  {}", self.printer.stmt(func, stmt));
            self.position(stmt.loc);
        }
        let branch = self.printer.branch(func, &block.branch);
        self.out += &format!("  {}", branch.replace('\n', "\n  "));
        self.position(block.loc);
    }
}
