//! Inline assembly. What gcc is told of it is what counts: it changes its outputs and, if it says `memory`,
//! what it can reach. What its text names it can reach, too, whether it says so or not. An empty template does
//! nothing; programs use it to hide a value from the optimiser.

use super::Cx;
use super::fold::{Operand, is_fixed, mk};
use super::scope::{EntityId, EntityKind};
use crate::ast::{self, AsmOperand};
use crate::hir::{self, Expr, ExprKind, LabelId, StmtKind};
use cwolf_base::{Idx, Span};
use cwolf_cwi::{Function, Linkage, Origin, Types};
use rustc_hash::FxHashSet;

/// Instructions that change neither memory nor control: fences, hints, ports, caches, interrupts. Programs
/// say `memory` with them so that the compiler keeps the order of accesses.
const HARMLESS: &[&str] = &[
    "nop",
    "pause",
    "mfence",
    "lfence",
    "sfence",
    "hlt",
    "cli",
    "sti",
    "cpuid",
    "rdtsc",
    "rdtscp",
    "wbinvd",
    "invlpg",
    "clflush",
    "clflushopt",
    "prefetcht0",
    "prefetchw",
    "inb",
    "inw",
    "inl",
    "outb",
    "outw",
    "outl",
    "serialize",
    "ud2",
    "dmb",
    "dsb",
    "isb",
    "wfi",
    "wfe",
    "sev",
    "yield",
    "cpsid",
    "cpsie",
    "sync",
    "isync",
    "lwsync",
    "eieio",
    "fence",
    "fence.i",
    "ebreak",
    "bkpt",
];

impl Cx<'_> {
    pub(super) fn asm(&mut self, asm: &ast::Asm, span: Span, out: &mut Vec<hir::Stmt>) {
        let written = asm.outputs.iter().map(|o| self.output(o, out)).collect();
        let given: Vec<Operand> = asm.inputs.iter().map(|i| self.expr(&i.value)).collect();
        let labels: Vec<LabelId> = asm.labels.iter().map(|l| self.use_label(*l)).collect();
        let nothing = instructions(&asm.template).next().is_none();
        let stmts = match nothing.then_some(()) {
            Some(()) => self.nothing(asm, written, given, span),
            None => self.something(asm, written, given, span),
        };
        out.extend(stmts.into_iter().map(|kind| hir::Stmt { kind, span }));
        // An empty template goes on.
        if !labels.is_empty() && !nothing {
            let kind = StmtKind::Asm {
                inputs: Vec::new(),
                outputs: Vec::new(),
                labels,
            };
            out.push(hir::Stmt { kind, span });
        }
    }

    /// The place of an output. It is looked at several times; what its expression does is done once.
    fn output(&mut self, output: &AsmOperand, out: &mut Vec<hir::Stmt>) -> Operand {
        let operand = self.expr(&output.value);
        let span = output.value.span;
        if operand.is_error() || operand.is_lvalue() {
            if operand.is_error() || operand.is_bit_field() || is_fixed(&operand.e) {
                return operand;
            }
            let address = self.address_op(operand, span);
            let pointer = self.stored(address, out, span);
            return self.deref_op(pointer, span);
        }
        self.error(
            span,
            "an output of assembly must be something stored in memory",
        );
        Operand::error(span)
    }

    /// An empty template: an output that is an input too gets its value, and one that is not has any.
    fn nothing(
        &mut self,
        asm: &ast::Asm,
        written: Vec<Operand>,
        given: Vec<Operand>,
        span: Span,
    ) -> Vec<StmtKind> {
        let mut values: Vec<Option<Operand>> = given.into_iter().map(Some).collect();
        let mut stmts = Vec::new();
        let mut outputs = Vec::new();
        for (n, (output, place)) in asm.outputs.iter().zip(written).enumerate() {
            if place.is_error() {
                continue;
            }
            let is_it = |input: &AsmOperand| self.names(&input.constraint, n, output);
            let same = asm.inputs.iter().position(is_it);
            match same.and_then(|at| values[at].take()) {
                Some(value) => {
                    let assign = self.plain_assign(place, value, span);
                    stmts.push(StmtKind::Expr(assign.e));
                }
                None if output.constraint.contains('+') => {
                    stmts.push(StmtKind::Expr(self.for_effect(place)));
                }
                None => outputs.push(place.e),
            }
        }
        let rest: Vec<Operand> = values.into_iter().flatten().collect();
        let inputs = rest.into_iter().map(|o| self.for_effect(o)).collect();
        if !outputs.is_empty() {
            let text = "inline assembly: its outputs are unknown, nothing else changes";
            self.note(span, text.into());
        }
        stmts.push(StmtKind::Asm {
            inputs,
            outputs,
            labels: Vec::new(),
        });
        stmts
    }

    /// Whether the constraint of an input says that it is in the same place as the so-many-th output.
    fn names(&self, constraint: &str, n: usize, output: &AsmOperand) -> bool {
        let word = constraint.trim_start_matches(['%', '&']);
        let name = word.strip_prefix('[').and_then(|w| w.strip_suffix(']'));
        match (name, output.name) {
            (Some(name), Some(own)) => self.text(own.name) == name,
            (Some(_), None) => false,
            (None, _) => word.parse() == Ok(n),
        }
    }

    fn something(
        &mut self,
        asm: &ast::Asm,
        written: Vec<Operand>,
        given: Vec<Operand>,
        span: Span,
    ) -> Vec<StmtKind> {
        let harmless = is_harmless(&asm.template);
        let memory = asm.clobbers.iter().any(|c| c == "memory") && !harmless;
        let named = match harmless {
            true => Vec::new(),
            false => self.named_in(&asm.template, span),
        };
        let text = match (memory, named.is_empty()) {
            (true, _) => {
                "inline assembly: its outputs and the memory that it can reach are unknown"
            }
            (_, false) => "inline assembly: its outputs and what it names are unknown",
            _ => "inline assembly: its outputs are unknown, nothing else changes",
        };
        if !harmless || !written.is_empty() {
            self.note(span, text.into());
        }
        let mut stmts = Vec::new();
        let mut inputs = Vec::new();
        if memory {
            let mut args = named;
            for (operand, place) in asm.outputs.iter().zip(&written) {
                let read = operand.constraint.contains('+') && !place.is_error();
                args.extend(read.then(|| self.rvalue(place.clone()).e));
                if operand.is_memory() {
                    args.extend(self.asm_address(operand, place.clone()));
                }
            }
            for (operand, value) in asm.inputs.iter().zip(given) {
                match operand.is_memory() && value.is_lvalue() {
                    true => args.extend(self.asm_address(operand, value)),
                    false => args.push(self.rvalue(value).e),
                }
            }
            stmts.push(StmtKind::Expr(self.unknown_code(args, span)));
        } else {
            inputs = given.into_iter().map(|o| self.for_effect(o)).collect();
            if !named.is_empty() {
                stmts.push(StmtKind::Expr(self.unknown_code(named, span)));
            }
        }
        let outputs = written.into_iter().filter(|o| !o.is_error());
        stmts.push(StmtKind::Asm {
            inputs,
            outputs: outputs.map(|o| o.e).collect(),
            labels: Vec::new(),
        });
        stmts
    }

    /// The addresses of variables and functions of this file that a template names. Those of other files
    /// are what any code outside can name.
    fn named_in(&mut self, template: &str, span: Span) -> Vec<Expr> {
        let words: FxHashSet<&str> = symbols(template).collect();
        if words.is_empty() {
            return Vec::new();
        }
        let is_named = |id: &EntityId| {
            let entity = &self.entities[*id];
            let label = match &entity.kind {
                EntityKind::Object(object) => &object.label,
                EntityKind::Function(function) => &function.label,
                _ => return false,
            };
            words.contains(label.as_deref().unwrap_or(self.text(entity.name)))
        };
        let all = (0..self.entities.len()).map(EntityId::new);
        let found: Vec<EntityId> = all.filter(is_named).collect();
        let operands = found.into_iter().map(|id| self.entity(id, span));
        let operands: Vec<Operand> = operands.collect();
        let addresses = operands.into_iter().map(|o| self.address_op(o, span));
        addresses.filter(|a| !a.is_error()).map(|a| a.e).collect()
    }

    fn asm_address(&mut self, operand: &AsmOperand, place: Operand) -> Option<Expr> {
        if place.is_error() || place.is_bit_field() {
            return None;
        }
        let address = self.address_op(place, operand.value.span);
        (!address.is_error()).then_some(address.e)
    }

    /// A call of a function that nobody knows and that stands for the statement.
    fn unknown_code(&mut self, args: Vec<Expr>, span: Span) -> Expr {
        let loc = self.loc(span);
        let params = args.iter().map(|e| e.ty).collect();
        let ty = self.program.types.function(Types::VOID, params);
        let name = format!("asm#{}", self.program.funcs.len());
        let func = self.program.funcs.push(Function {
            linkage: Linkage::Internal,
            origin: Origin::Assembly,
            ..Function::declared(name, ty, loc)
        });
        let pointer = self.program.types.pointer(ty);
        let kind = ExprKind::Call {
            callee: Box::new(mk(pointer, ExprKind::FuncAddr(func), span)),
            args,
            noreturn: false,
        };
        mk(Types::VOID, kind, span)
    }
}

impl AsmOperand {
    /// Whether the instruction may get the place itself, not a copy of what is in it.
    fn is_memory(&self) -> bool {
        self.constraint.contains(['m', 'o', 'V', 'g', 'X', 'Q'])
    }
}

/// The instructions of a template.
fn instructions(template: &str) -> impl Iterator<Item = &str> {
    let lines = template.split([';', '\n']).map(str::trim);
    lines.filter(|line| !line.is_empty())
}

/// What the operands of a template name, other than registers and its own operands.
fn symbols(template: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | '%' | '[');
    let operands = instructions(template).filter_map(|line| line.split_once(char::is_whitespace));
    let words = operands.flat_map(move |(_, rest)| rest.split(move |c| !is_part(c)));
    words
        .map(|word| word.trim_start_matches('$'))
        .filter(|word| {
            let first = word.chars().next();
            first.is_some_and(|c| c.is_alphabetic() || c == '_')
        })
}

fn is_harmless(template: &str) -> bool {
    instructions(template).all(|line| {
        let mut words = line.split_whitespace();
        let first = words.next().unwrap_or_default();
        match first {
            // The next word is the instruction that is repeated or locked.
            "rep" | "lock" => words.next().is_none_or(|word| HARMLESS.contains(&word)),
            // Adding nothing to the top of the stack is the old fence.
            "addl" | "addq" => words.next().is_some_and(|word| word.starts_with("$0,")),
            word => HARMLESS.contains(&word),
        }
    })
}
