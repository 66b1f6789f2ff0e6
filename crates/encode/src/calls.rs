//! Functions that the encoder knows by name, and those that nobody defines.

use crate::cursor::{Content, Cursor};
use crate::evaluate::Evaluator;
use crate::objects::OFFSET_BITS;
use crate::region::Why;
use cwolf_cwi::{BlockId, CheckKind, Expr, FuncId, Type, TypeId};
use cwolf_logic::Term;

/// What came of a call that the encoder knows.
pub(crate) enum Native {
    /// It returns.
    Done(Option<Content>),
    /// It never returns.
    Ends,
    /// The encoder does not know it: it has a body.
    None,
}

/// Functions that the encoder handles itself, so that their models in C are not needed.
const NATIVE: [&str; 10] = [
    "malloc",
    "calloc",
    "free",
    "memset",
    "memcpy",
    "memmove",
    "alloca",
    "realloc",
    "stack_save",
    "stack_restore",
];

/// Functions without effect on memory that the program sees, whose result the interpreter
/// computes without asking.
const QUIET: [&str; 15] = [
    "printf", "puts", "putchar", "fprintf", "putc", "fputc", "fputs", "fflush", "perror",
    "vprintf", "printk", "clock", "srand", "sleep", "usleep",
];

/// Functions that end the program.
const ENDS: [&str; 6] = ["abort", "exit", "_exit", "_Exit", "trap", "quick_exit"];

/// Functions that report a failed assertion.
const ASSERTIONS: [&str; 4] = [
    "__assert_fail",
    "__assert",
    "__assert_rtn",
    "__assert_perror_fail",
];

/// Whether the encoding of a call of this function, without a body, covers all that it does. Any
/// other is taken to return anything and to change nothing.
pub fn is_known(name: &str) -> bool {
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    let lists: [&[&str]; 4] = [&NATIVE, &QUIET, &ENDS, &ASSERTIONS];
    plain == "expect" || lists.iter().any(|list| list.contains(&plain))
}

/// Whether calls of the function so named are encoded without a body.
pub fn is_native(name: &str) -> bool {
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    NATIVE.contains(&plain)
}

impl Evaluator<'_> {
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn native(
        &mut self,
        cur: &mut Cursor,
        func: FuncId,
        args: &[Expr],
        values: &[Content],
        ret: TypeId,
        next: Option<BlockId>,
        in_loop: bool,
    ) -> Native {
        let function = &self.program.funcs[func];
        let name = function.name.as_str();
        let plain = name.strip_prefix("__builtin_").unwrap_or(name);
        let scalar_at = |n: usize| match values.get(n) {
            Some(Content::Scalar(t)) => Some((*t, args[n].ty)),
            _ => None,
        };
        if is_native(name) && (function.body.is_none() || self.is_model(func)) {
            if plain == "stack_restore" {
                if let Some(saved) = args.first() {
                    self.restore_stack(cur, saved);
                }
                return Native::Done(None);
            }
            let done = self.memory_call(cur, plain, &scalar_at, next, in_loop);
            if let Some(result) = done {
                return result;
            }
            // Of a size that is not known, without a model: whatever is there holds anything.
            if let (None, Some((p, _)), "memset" | "memcpy" | "memmove") =
                (&function.body, scalar_at(0), plain)
            {
                if let Some((from, _)) = scalar_at(1).filter(|_| plain != "memset") {
                    self.mix_pointers(cur, p, from);
                }
                self.havoc_reached(cur, p);
                return Native::Done(Some(Content::Scalar(p)));
            }
        }
        if function.body.is_some() {
            return Native::None;
        }
        match plain {
            _ if ENDS.contains(&plain) => return Native::Ends,
            _ if ASSERTIONS.contains(&plain) => {
                if self.options.checks.assertions {
                    self.oblige(cur.loc, CheckKind::Assertion, None, None, cur.guard);
                }
                return Native::Ends;
            }
            "__VERIFIER_assert" => {
                if let Some((t, ty)) = scalar_at(0) {
                    let holds = self.is_true(ty, t);
                    if self.options.checks.assertions {
                        let not = self.terms.not(holds);
                        let fails = self.terms.and(cur.guard, not);
                        self.oblige(cur.loc, CheckKind::Assertion, None, None, fails);
                    }
                    self.only(cur, holds);
                }
                return Native::Done(None);
            }
            "__VERIFIER_assume" => {
                if let Some((t, ty)) = scalar_at(0) {
                    let holds = self.is_true(ty, t);
                    cur.guard = self.terms.and(cur.guard, holds);
                }
                return Native::Done(None);
            }
            "__VERIFIER_atomic_begin" | "__VERIFIER_atomic_end" => return Native::Done(None),
            "expect" => return Native::Done(values.first().cloned()),
            _ => {}
        }
        if let Some(refusal) = &function.refused {
            let why = format!("{name} is not supported: {}", refusal.reason);
            self.out.incomplete.push((cur.guard, Why::Unsupported(why)));
            return Native::Ends;
        }
        if function.noreturn {
            return Native::Ends;
        }
        let asks = !QUIET.contains(&plain);
        if asks && !name.starts_with("__VERIFIER_nondet") {
            let text = format!("{name} has no body: it returns any value and changes nothing");
            self.assume_text(text);
        }
        if self.program.types.is_scalar(ret) {
            let t = match asks {
                true => self.ask(cur, ret),
                false => self.any_value(ret),
            };
            return Native::Done(Some(Content::Scalar(t)));
        }
        Native::Done(match self.program.types[ret] {
            Type::Void => None,
            _ => Some(Content::Parts(Vec::new())),
        })
    }

    /// Whether a function's body is a model that ships with the tool.
    fn is_model(&self, func: FuncId) -> bool {
        self.program.funcs[func].origin == cwolf_cwi::Origin::Model
    }

    fn memory_call(
        &mut self,
        cur: &mut Cursor,
        name: &str,
        arg: &dyn Fn(usize) -> Option<(Term, TypeId)>,
        next: Option<BlockId>,
        in_loop: bool,
    ) -> Option<Native> {
        let word = |this: &mut Self, n: usize| {
            let (t, ty) = arg(n)?;
            let signed = this.program.types.as_int(ty).is_some_and(|i| i.signed);
            Some(this.terms.resize(OFFSET_BITS, signed, t))
        };
        Some(match name {
            "malloc" => {
                let size = word(self, 0)?;
                let (p, _) = self.allocate(cur, size, false, next, in_loop);
                Native::Done(Some(Content::Scalar(p)))
            }
            "alloca" => {
                let size = word(self, 0)?;
                let (p, object) = self.allocate(cur, size, false, next, in_loop);
                self.put_on_stack(cur.context, object);
                Native::Done(Some(Content::Scalar(p)))
            }
            "stack_save" => Native::Done(Some(Content::Scalar(self.null()))),
            "calloc" => {
                let (count, size) = (word(self, 0)?, word(self, 1)?);
                let size = self.terms.mul(count, size);
                let (p, _) = self.allocate(cur, size, true, next, in_loop);
                Native::Done(Some(Content::Scalar(p)))
            }
            "realloc" => {
                let (old, _) = arg(0)?;
                let size = word(self, 1)?;
                let p = self.reallocate(cur, old, size, next, in_loop);
                Native::Done(Some(Content::Scalar(p)))
            }
            "free" => {
                let (p, _) = arg(0)?;
                self.free(cur, p);
                Native::Done(None)
            }
            "memset" => {
                let ((p, _), (byte, _), size) = (arg(0)?, arg(1)?, word(self, 2)?);
                let byte = self.terms.as_bv(byte)? as u8;
                let size = self.terms.as_bv(size)? as u64;
                self.fill(cur, p, byte, size)?;
                Native::Done(Some(Content::Scalar(p)))
            }
            "memcpy" | "memmove" => {
                let ((to, _), (from, _), size) = (arg(0)?, arg(1)?, word(self, 2)?);
                let size = self.terms.as_bv(size)? as u64;
                self.copy(cur, to, from, size)?;
                Native::Done(Some(Content::Scalar(to)))
            }
            _ => return None,
        })
    }
}
