//! gcc's built-in functions: folded or expanded where that is easy, calls of the library function
//! of the same meaning where there is one, else refused.

mod atomic;
mod extent;
mod float;
mod overflow;
mod sse;
mod sse_scalar;
mod table;

use super::Cx;
use super::ctype::{CKind, CTy, CTypes, QType, Quals};
use super::fold::{Const, Operand, is_number, is_pure, mk};
use crate::ast::{self, CharKind};
use crate::hir::{Expr, ExprKind};
use cwolf_base::Span;
use cwolf_cwi::{BinOp, Types, VarKind};

impl Cx<'_> {
    /// A call of a function that no declaration names but the compiler knows.
    pub(super) fn builtin_call(
        &mut self,
        name: &str,
        args: &[ast::Expr],
        span: Span,
    ) -> Option<Operand> {
        if name.starts_with("__sync_") || name.starts_with("__atomic_") {
            return Some(self.atomic(name, args, span));
        }
        if name == "__cwolf_halt" {
            let arg = args.first()?;
            let operand = self.expr(arg);
            let status = self.convert_arg(operand, QType::plain(CTypes::INT));
            let kind = ExprKind::Halt(Box::new(status));
            return Some(Operand::value(
                mk(Types::VOID, kind, span),
                QType::plain(CTypes::VOID),
            ));
        }
        let short = name.strip_prefix("__builtin_")?;
        let known = self
            .builtin_special(short, args, span)
            .or_else(|| self.float_builtin(short, args, span))
            .or_else(|| self.overflow_builtin(short, args, span))
            .or_else(|| self.bit_builtin(name, args, span))
            .or_else(|| self.library_builtin(short, args, span))
            .or_else(|| self.sse_builtin(short, args, span));
        Some(known.unwrap_or_else(|| {
            self.unsupported(span, format!("the built-in function '{name}'"));
            Operand::error(span)
        }))
    }
    fn convert_arg(&mut self, operand: Operand, ty: QType) -> Expr {
        self.assign_convert(operand, ty, super::conv::Why::Argument(1))
    }
    fn too_few(&mut self, name: &str, span: Span) -> Operand {
        self.error(span, format!("too few arguments to '__builtin_{name}'"));
        Operand::error(span)
    }
    fn builtin_special(&mut self, name: &str, args: &[ast::Expr], span: Span) -> Option<Operand> {
        let needed = match name {
            "constant_p" | "va_start" | "va_end" | "classify_type" | "prefetch"
            | "c23_va_start" => 1,
            "expect" | "expect_with_probability" | "assume_aligned" | "va_copy" => 2,
            "object_size" | "dynamic_object_size" => 2,
            "alloca" | "alloca_with_align" | "alloca_with_align_and_max" => 1,
            "speculation_safe_value" | "extract_return_addr" | "frob_return_addr" => 1,
            "frame_address" | "return_address" => 1,
            "complex" | "shuffle" | "shufflevector" | "longjmp" => 2,
            "setjmp" => 1,
            "unreachable" | "trap" | "LINE" | "FILE" | "FUNCTION" => 0,
            _ => return None,
        };
        if args.len() < needed {
            return Some(self.too_few(name, span));
        }
        Some(match name {
            "constant_p" => {
                self.unevaluated += 1;
                let operand = self.expr(&args[0]);
                let operand = self.rvalue(operand);
                self.unevaluated -= 1;
                let known = is_number(&operand.e) || self.is_literal_address(&operand.e);
                self.int_operand(known.into(), span)
            }
            "expect" | "expect_with_probability" => {
                let value = self.expr(&args[0]);
                let long = QType::plain(CTypes::LONG);
                let e = self.convert_arg(value, long);
                let hint = self.expr(&args[1]);
                let hint = self.rvalue(hint).e;
                let value = Operand::value(e, long);
                if is_pure(&hint) {
                    return Some(value);
                }
                let mut body = Vec::new();
                let value = self.once(value, &mut body, span);
                self.effect(hint, &mut body);
                self.sequence(body, value, span)
            }
            "complex" => {
                let parts = [&args[0], &args[1]].map(|e| {
                    let operand = self.expr(e);
                    self.rvalue(operand)
                });
                if parts.iter().any(Operand::is_error) {
                    return Some(Operand::error(span));
                }
                let [real, imag] = parts;
                if real.ty != imag.ty || !self.types.is_float(real.ty.ty) {
                    self.error(span, "'__builtin_complex' needs two floats of one type");
                    return Some(Operand::error(span));
                }
                self.complex(real.ty.ty, real.e, imag.e, span)
            }
            "setjmp" | "longjmp" => {
                let proto = if name == "setjmp" { "ip" } else { "!vpi" };
                let args = args.iter().map(|a| self.expr(a)).collect();
                self.call_proto(&format!("__builtin_{name}"), proto, args, span)
            }
            "shuffle" => self.shuffle(args, span),
            "shufflevector" => self.shuffle_vector(args, span),
            "assume_aligned" => {
                let value = self.expr(&args[0]);
                let ty = self.pointer_to(QType::plain(CTypes::VOID));
                let value = self.rvalue(value);
                self.convert(value, ty)
            }
            "speculation_safe_value" | "extract_return_addr" | "frob_return_addr" => {
                let value = self.expr(&args[0]);
                self.rvalue(value)
            }
            "va_start" | "c23_va_start" => self.va_start(&args[0], span),
            "va_copy" => self.va_copy(&args[0], &args[1], span),
            "va_end" => {
                let e = self.expr_for_effect(&args[0]);
                let mut body = Vec::new();
                if !is_pure(&e) {
                    self.effect(e, &mut body);
                }
                self.sequence_void(body, span)
            }
            "prefetch" => {
                let mut body = Vec::new();
                for arg in args {
                    let e = self.expr_for_effect(arg);
                    if !is_pure(&e) {
                        self.effect(e, &mut body);
                    }
                }
                self.sequence_void(body, span)
            }
            "classify_type" => {
                self.unevaluated += 1;
                let operand = self.expr(&args[0]);
                let operand = self.rvalue(operand);
                self.unevaluated -= 1;
                let class = self.type_class(operand.ty.ty);
                self.int_operand(class, span)
            }
            "object_size" | "dynamic_object_size" => {
                let kind = self.int_constant(&args[1], "the kind of object size");
                let kind = kind.map_or(0, |(k, _)| k);
                self.unevaluated += 1;
                let pointer = self.expr(&args[0]);
                let pointer = self.rvalue(pointer);
                self.unevaluated -= 1;
                // gcc's answer when it does not know the object.
                let unknown = if kind & 2 != 0 { 0 } else { u64::MAX };
                let known = self.extent(&pointer.e, kind & 1 != 0);
                self.size_operand(known.unwrap_or(unknown), span)
            }
            "unreachable" => Operand::value(
                mk(Types::VOID, ExprKind::Unreachable, span),
                QType::plain(CTypes::VOID),
            ),
            "trap" => Operand::value(
                mk(Types::VOID, ExprKind::Trap, span),
                QType::plain(CTypes::VOID),
            ),
            "LINE" => {
                let line = self.session.sources.position(span.lo).line;
                self.int_operand(line.into(), span)
            }
            "FILE" => {
                let file = self.session.sources.position(span.lo).file;
                let units: Vec<u32> = file.bytes().map(u32::from).collect();
                let operand = self.string(&units, CharKind::Plain, span);
                self.rvalue(operand)
            }
            "FUNCTION" => {
                let operand = self.func_name(span);
                self.rvalue(operand)
            }
            "alloca" | "alloca_with_align" | "alloca_with_align_and_max" => {
                let size = self.expr(&args[0]);
                self.call_proto("__builtin_alloca", "pz", vec![size], span)
            }
            _ => {
                let level = self.expr(&args[0]);
                let name = format!("__builtin_{name}");
                self.call_proto(&name, "pu", vec![level], span)
            }
        })
    }
    fn is_literal_address(&self, e: &Expr) -> bool {
        match self.constant(e) {
            Some(Const::Addr(var, 0)) => self.program.vars[var].kind == VarKind::Literal,
            _ => false,
        }
    }
    /// gcc's numbers for the classes of types.
    fn type_class(&self, ty: CTy) -> i128 {
        match self.types.kind(ty) {
            CKind::Void => 0,
            CKind::Bool | CKind::Int(_) | CKind::Wide { .. } | CKind::Enum(_) => 1,
            CKind::Pointer(_) | CKind::Nullptr => 5,
            CKind::Float(_) => 8,
            CKind::Complex(_) => 9,
            CKind::Vector { .. } => 19,
            CKind::Record(id) if self.types.records[*id].union => 13,
            CKind::Record(_) => 12,
            _ => -1,
        }
    }
    /// A call with a prototype in the code of [`table`].
    pub(super) fn call_proto(
        &mut self,
        name: &str,
        proto: &str,
        args: Vec<Operand>,
        span: Span,
    ) -> Operand {
        let (ty, noreturn) = self.proto(proto);
        self.call_known(name, ty, noreturn, args, span)
    }
    /// `memset(start, 0, size)`
    pub(super) fn zero_bytes(&mut self, start: Expr, size: Expr, span: Span) -> Expr {
        let void = self.proto_type('p');
        let start = Operand::value(start, void);
        let start = self.convert(start, void);
        let zero = self.int_operand(0, span);
        let size = Operand::value(size, QType::plain(self.types.size_t()));
        self.call_proto("memset", "ppiz", vec![start, zero, size], span)
            .e
    }
    /// A call of the function that says that something went wrong.
    pub(super) fn error_call(&mut self, span: Span) -> Operand {
        self.call_proto("__VERIFIER_error", "v", Vec::new(), span)
    }
    /// Reads a prototype: one letter a type, the result first.
    fn proto(&mut self, code: &str) -> (CTy, bool) {
        let noreturn = code.starts_with('!');
        let code = code.trim_start_matches('!');
        let variadic = code.ends_with('.');
        let mut types: Vec<QType> = Vec::new();
        for letter in code.trim_end_matches('.').chars() {
            let ty = self.proto_type(letter);
            types.push(ty);
        }
        let ret = types.remove(0);
        (self.func_type(ret, types, variadic), noreturn)
    }
    fn proto_type(&mut self, letter: char) -> QType {
        use super::ctype::{FloatKind, IntKind};
        let int = |kind| QType::plain(CTypes::int_id(kind));
        let float = |kind| QType::plain(CTypes::float_id(kind));
        match letter {
            'v' => QType::plain(CTypes::VOID),
            'p' => self.pointer_to(QType::plain(CTypes::VOID)),
            'q' => self.const_pointer(CTypes::VOID),
            's' => self.pointer_to(QType::plain(CTypes::CHAR)),
            'c' => self.const_pointer(CTypes::CHAR),
            'I' => self.pointer_to(QType::plain(CTypes::INT)),
            'E' => self.pointer_to(QType::plain(CTypes::DOUBLE)),
            'u' => int(IntKind::UInt),
            'h' => int(IntKind::UShort),
            'l' => int(IntKind::Long),
            'm' => int(IntKind::ULong),
            'L' => int(IntKind::LongLong),
            'M' => int(IntKind::ULongLong),
            'z' => QType::plain(self.types.size_t()),
            'Z' => QType::plain(self.types.ptrdiff_t()),
            'k' => QType::plain(self.types.int_of_bits(64, false)),
            'd' => float(FloatKind::Double),
            'x' | 'y' | 'X' => {
                let part = match letter {
                    'x' => FloatKind::Double,
                    'y' => FloatKind::Float,
                    _ => FloatKind::LongDouble,
                };
                QType::plain(self.complex_of(CTypes::float_id(part)))
            }
            'f' => float(FloatKind::Float),
            'D' => float(FloatKind::LongDouble),
            'a' => {
                let list = self.va_list_type();
                self.adjust_param(list, &[])
            }
            _ => int(IntKind::Int),
        }
    }
    fn const_pointer(&mut self, ty: CTy) -> QType {
        let to = self.types.qualify(QType::plain(ty), Quals::CONST);
        self.pointer_to(to)
    }
    /// The library function called `name`, if its prototype is known.
    pub(super) fn library_function(&mut self, name: &str) -> Option<(CTy, bool)> {
        let code = table::prototype(name)?;
        Some(self.proto(&code))
    }
    pub(super) fn is_builtin_name(&self, name: cwolf_base::Symbol) -> bool {
        table::prototype(self.text(name)).is_some()
    }
    /// `__builtin_f` where `f` is a library function, also in its checking form.
    fn library_builtin(&mut self, name: &str, args: &[ast::Expr], span: Span) -> Option<Operand> {
        let (name, drop): (&str, &[usize]) = match table::checked(name) {
            Some(found) => found,
            None => (name, &[]),
        };
        let code = table::prototype(name)?;
        let mut operands = Vec::new();
        for (n, arg) in args.iter().enumerate() {
            let operand = self.expr(arg);
            if !drop.contains(&n) {
                operands.push(operand);
            }
        }
        Some(self.call_proto(name, &code, operands, span))
    }
    /// Bit counting and byte swapping: folded, or calls of a function of that name.
    fn bit_builtin(&mut self, name: &str, args: &[ast::Expr], span: Span) -> Option<Operand> {
        let short = name.strip_prefix("__builtin_")?;
        if let Some(bits) = short.strip_prefix("bswap") {
            let code = match bits {
                "16" => "hh",
                "32" => "uu",
                "64" => "kk",
                "128" => return self.swap_128(args, span),
                _ => return None,
            };
            return Some(self.bit_call(name, code, args, span));
        }
        let base = short.trim_end_matches('l');
        let signed = matches!(base, "ffs" | "clrsb");
        if !signed && !matches!(base, "popcount" | "clz" | "ctz" | "parity") {
            return None;
        }
        let code = match (short.len() - base.len(), signed) {
            (0, true) => "ii",
            (1, true) => "il",
            (2, true) => "iL",
            (0, false) => "iu",
            (1, false) => "im",
            (2, false) => "iM",
            _ => return None,
        };
        Some(self.bit_call(name, code, args, span))
    }
    /// The bytes of 128 bits in the other order, by its halves.
    fn swap_128(&mut self, args: &[ast::Expr], span: Span) -> Option<Operand> {
        let [arg] = args else { return None };
        let operand = self.expr(arg);
        let wide = QType::plain(self.types.int_of_bits(128, false));
        let half = self.proto_type('k');
        let (wide_id, half_id) = (self.cwi(wide.ty), self.cwi(half.ty));
        let e = self.convert_arg(operand, wide);
        let mut body = Vec::new();
        let value = self.once(Operand::value(e, wide), &mut body, span).e;
        let by = self.int_expr(Types::INT, 64, span);
        let high = self.binary(BinOp::Shr, value.clone(), by.clone());
        let halves = [value, high].map(|e| {
            let arg = Operand::value(self.cast(e, half_id), half);
            let swapped = self.call_proto("__builtin_bswap64", "kk", vec![arg], span);
            self.cast(swapped.e, wide_id)
        });
        let [low, high] = halves;
        let low = self.binary(BinOp::Shl, low, by);
        let all = self.binary(BinOp::BitOr, low, high);
        Some(self.sequence(body, Operand::value(all, wide), span))
    }
    fn bit_call(&mut self, name: &str, code: &str, args: &[ast::Expr], span: Span) -> Operand {
        let [arg] = args else {
            self.error(span, format!("'{name}' takes one argument"));
            return Operand::error(span);
        };
        let operand = self.expr(arg);
        let ty = self.proto_type(code.chars().nth(1).expect("two letters"));
        let ret = self.proto_type(code.chars().next().expect("two letters"));
        let e = self.convert_arg(operand, ty);
        let bits = self.types.int_ty(ty.ty).map_or(32, |t| u32::from(t.bits));
        if let ExprKind::Int(v) = e.kind
            && let Some(v) = table::fold_bits(name, v as u64 & (u64::MAX >> (64 - bits)), bits)
        {
            let id = self.cwi(ret.ty);
            return Operand::value(self.int_expr(id, v, span), ret);
        }
        self.call_proto(name, code, vec![Operand::value(e, ty)], span)
    }
}
