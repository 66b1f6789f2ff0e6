//! Declaration specifiers: everything before a declarator.

use super::{Parsed, Parser};
use crate::ast::{AlignAs, Basic, Quals, Specifiers, Storage, TypeName, TypeSpec, TypeSpecKind};
use crate::lex::{Token, TokenKind};
use crate::session::Standard;
use TokenKind::*;
use cwolf_base::Span;

/// Where the specifiers stand: what may be among them depends on it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A declaration: everything is allowed.
    Declaration,
    /// A type name or a member: no storage class.
    TypeOnly,
}

/// The arithmetic keywords seen so far.
#[derive(Clone, Copy, Default)]
struct Keywords {
    /// The keyword that names the type itself: `char`, `double`, ….
    base: Option<TokenKind>,
    int: bool,
    short: bool,
    longs: u8,
    signed: bool,
    unsigned: bool,
    complex: bool,
    span: Option<Span>,
}

impl Parser {
    /// Past `__extension__` and attributes from `n` ahead on; `[[…]]` only if `brackets`.
    fn past_prefixes(&self, mut n: usize, brackets: bool) -> usize {
        loop {
            let next = match self.ahead_kind(n) {
                KwExtension => n + 1,
                KwAttribute | KwDeclspec => self.attributes_end(n),
                LBracket if brackets => self.attributes_end(n),
                _ => return n,
            };
            if next == n {
                return n;
            }
            n = next;
        }
    }

    /// Whether the token `n` ahead can begin a type name.
    pub(super) fn at_type(&self, n: usize) -> bool {
        self.starts_type(self.ahead(self.past_prefixes(n, false)))
    }

    fn starts_type(&self, token: Token) -> bool {
        match token.kind {
            Ident => self.typedefs.contains(token.name),
            KwVoid | KwChar | KwShort | KwInt | KwLong | KwFloat | KwDouble | KwSigned
            | KwUnsigned | KwBool | KwComplex | KwStruct | KwUnion | KwEnum | KwTypeof
            | KwTypeofUnqual | KwAtomic | KwBitInt | KwInt128 | KwInt128T | KwUint128T
            | KwFloat16 | KwFloat128 | KwFloat32 | KwFloat32x | KwFloat64 | KwFloat64x
            | KwFloat80 | KwHalf | KwDecimal | KwVaList | KwConst | KwVolatile | KwRestrict
            | KwAutoType | KwAlignas | KwStatic | KwConstexpr | KwThreadLocal | KwRegister => true,
            _ => false,
        }
    }

    /// Whether the token `n` ahead begins a declaration.
    pub(super) fn at_declaration(&self, n: usize) -> bool {
        let token = self.ahead(self.past_prefixes(n, true));
        match token.kind {
            KwTypedef | KwExtern | KwAuto | KwInline | KwNoreturn => true,
            _ => self.starts_type(token),
        }
    }

    /// The specifiers here, perhaps none.
    pub(super) fn specifiers(&mut self, place: Place) -> Parsed<Specifiers> {
        let start = self.at;
        let mut specs = Specifiers::default();
        let mut words = Keywords::default();
        // `[[…]]` at the front belongs to what is declared.
        self.bracket_attributes(&mut specs.attributes)?;
        loop {
            let token = self.token();
            match token.kind {
                KwTypedef => self.storage(&mut specs, Storage::Typedef, place)?,
                KwExtern => self.storage(&mut specs, Storage::Extern, place)?,
                KwStatic => self.storage(&mut specs, Storage::Static, place)?,
                KwAuto => self.storage(&mut specs, Storage::Auto, place)?,
                KwRegister => self.storage(&mut specs, Storage::Register, place)?,
                KwThreadLocal => {
                    self.bump();
                    specs.thread_local = true;
                }
                KwInline => {
                    self.bump();
                    specs.inline = true;
                }
                KwNoreturn => {
                    self.bump();
                    specs.noreturn = true;
                }
                KwConstexpr => {
                    self.bump();
                    specs.constexpr = true;
                }
                KwExtension => drop(self.bump()),
                KwAtomic if self.ahead_kind(1) == LParen => {
                    self.bump();
                    let ty = self.parenthesized_type()?;
                    self.set_type(
                        &mut specs,
                        &words,
                        token,
                        TypeSpecKind::Atomic(Box::new(ty)),
                    )?;
                }
                KwConst | KwVolatile | KwRestrict | KwAtomic => {
                    self.qualifier(&mut specs.quals);
                }
                KwAlignas => {
                    let align = self.alignas()?;
                    specs.aligns.push(align);
                }
                KwAttribute | KwDeclspec => self.attributes(&mut specs.attributes)?,
                LBracket if self.at_attribute() => {
                    self.bracket_attributes(&mut specs.attributes)?;
                }
                KwStruct | KwUnion => {
                    let kind = self.record_spec()?;
                    self.set_type(&mut specs, &words, token, kind)?;
                }
                KwEnum => {
                    let kind = self.enum_spec()?;
                    self.set_type(&mut specs, &words, token, kind)?;
                }
                KwTypeof | KwTypeofUnqual => {
                    let kind = self.typeof_spec()?;
                    self.set_type(&mut specs, &words, token, kind)?;
                }
                KwAutoType => {
                    self.bump();
                    self.set_type(&mut specs, &words, token, TypeSpecKind::Auto)?;
                }
                KwBitInt => {
                    self.bump();
                    let open = self.expect(LParen)?;
                    let width = self.conditional()?;
                    self.expect_close(RParen, open)?;
                    let kind = TypeSpecKind::BitInt(Box::new(width), false);
                    // `unsigned` may stand on either side; it is added below.
                    self.set_type(&mut specs, &Keywords::default(), token, kind)?;
                }
                Ident if specs.ty.is_none() && words.span.is_none() => {
                    if self.typedefs.contains(token.name) {
                        self.bump();
                        let kind = TypeSpecKind::Typedef(token.name);
                        self.set_type(&mut specs, &words, token, kind)?;
                    } else if self.at_unknown_type() {
                        let name = self.found();
                        return Err(self.error(token.span(), format!("unknown type name {name}")));
                    } else {
                        break;
                    }
                }
                _ => {
                    if !self.keyword(&mut words)? {
                        break;
                    }
                }
            }
        }
        self.finish_type(&mut specs, words)?;
        let c23 = self.session.options.standard >= Standard::C23;
        if let (Some((Storage::Auto, span)), None, true) = (specs.storage, &specs.ty, c23) {
            let kind = TypeSpecKind::Auto;
            specs.ty = Some(TypeSpec { kind, span });
        }
        specs.span = self.span_from(start);
        Ok(specs)
    }

    /// Whether the name here, which is no type, stands where only a type makes sense. Implicit
    /// `int` makes this a guess: a name after a name was surely meant as a type.
    fn at_unknown_type(&self) -> bool {
        let mut n = 1;
        while self.ahead_kind(n) == Star {
            n += 1;
        }
        self.ahead_kind(n) == Ident
    }

    fn storage(&mut self, specs: &mut Specifiers, storage: Storage, place: Place) -> Parsed<()> {
        let token = self.bump();
        if let Some((other, _)) = specs.storage {
            // C23's `auto` may only ask for the type to be inferred.
            let infers = (other == Storage::Auto) != (storage == Storage::Auto);
            if !infers || self.session.options.standard < Standard::C23 {
                return Err(self.error(token.span(), "more than one storage class"));
            }
            self.set_type(specs, &Keywords::default(), token, TypeSpecKind::Auto)?;
            if storage == Storage::Auto {
                return Ok(());
            }
        }
        // C23 has them in compound literals.
        let allowed = matches!(storage, Storage::Static | Storage::Register);
        if place == Place::TypeOnly && !allowed {
            return Err(self.error(token.span(), "a storage class is not allowed here"));
        }
        specs.storage = Some((storage, token.span()));
        Ok(())
    }

    /// Reads one qualifier, if one is here.
    pub(super) fn qualifier(&mut self, quals: &mut Quals) -> bool {
        match self.kind() {
            KwConst => quals.constant = true,
            KwVolatile => quals.volatile = true,
            KwRestrict => quals.restrict = true,
            KwAtomic => quals.atomic = true,
            _ => return false,
        }
        self.bump();
        true
    }

    fn set_type(
        &mut self,
        specs: &mut Specifiers,
        words: &Keywords,
        from: Token,
        kind: TypeSpecKind,
    ) -> Parsed<()> {
        let span = from.span().to(self.previous());
        if specs.ty.is_some() || words.span.is_some() {
            return Err(self.error(span, "more than one type in a declaration"));
        }
        specs.ty = Some(TypeSpec { kind, span });
        Ok(())
    }

    /// Reads one arithmetic keyword; false if none is here.
    fn keyword(&mut self, words: &mut Keywords) -> Parsed<bool> {
        let token = self.token();
        let span = token.span();
        let repeated = match token.kind {
            KwInt => std::mem::replace(&mut words.int, true),
            KwShort => std::mem::replace(&mut words.short, true),
            KwSigned => std::mem::replace(&mut words.signed, true),
            KwUnsigned => std::mem::replace(&mut words.unsigned, true),
            KwComplex => std::mem::replace(&mut words.complex, true),
            KwLong => {
                words.longs += 1;
                words.longs > 2
            }
            KwVoid | KwChar | KwFloat | KwDouble | KwBool | KwInt128 | KwInt128T | KwUint128T
            | KwFloat16 | KwFloat128 | KwFloat32 | KwFloat32x | KwFloat64 | KwFloat64x
            | KwFloat80 | KwHalf | KwDecimal | KwVaList => words.base.replace(token.kind).is_some(),
            _ => return Ok(false),
        };
        if repeated {
            let name = self.found();
            return Err(self.error(
                span,
                format!("{name} cannot be combined with the words before it"),
            ));
        }
        self.bump();
        words.span = Some(words.span.map_or(span, |s| s.to(span)));
        Ok(true)
    }

    /// Makes a type of the arithmetic keywords, if there were any.
    fn finish_type(&mut self, specs: &mut Specifiers, words: Keywords) -> Parsed<()> {
        let Some(span) = words.span else {
            return Ok(());
        };
        if let Some(ty) = &mut specs.ty {
            let only_sign = words.base.is_none()
                && !(words.int || words.short || words.complex)
                && words.longs == 0
                && words.signed != words.unsigned;
            if let (TypeSpecKind::BitInt(_, unsigned), true) = (&mut ty.kind, only_sign) {
                *unsigned = words.unsigned;
                return Ok(());
            }
            return Err(self.error(span, "more than one type in a declaration"));
        }
        match basic(&words) {
            Some(basic) => {
                let kind = match words.complex {
                    true => TypeSpecKind::Complex(basic),
                    false => TypeSpecKind::Basic(basic),
                };
                specs.ty = Some(TypeSpec { kind, span });
                Ok(())
            }
            None => Err(self.error(span, "these keywords do not form a type")),
        }
    }

    /// `_Alignas(type or expression)`
    fn alignas(&mut self) -> Parsed<AlignAs> {
        self.bump();
        let open = self.expect(LParen)?;
        let align = if self.at_type(0) {
            AlignAs::Type(self.type_name()?)
        } else {
            AlignAs::Expr(self.conditional()?)
        };
        self.expect_close(RParen, open)?;
        Ok(align)
    }

    /// `typeof(type or expression)`
    fn typeof_spec(&mut self) -> Parsed<TypeSpecKind> {
        let unqual = self.bump().kind == KwTypeofUnqual;
        let open = self.expect(LParen)?;
        let kind = if self.at_type(0) {
            TypeSpecKind::TypeofType(Box::new(self.type_name()?), unqual)
        } else {
            TypeSpecKind::TypeofExpr(Box::new(self.expr()?), unqual)
        };
        self.expect_close(RParen, open)?;
        Ok(kind)
    }

    pub(super) fn parenthesized_type(&mut self) -> Parsed<TypeName> {
        let open = self.expect(LParen)?;
        let ty = self.type_name()?;
        self.expect_close(RParen, open)?;
        Ok(ty)
    }

    /// A type by itself.
    pub(super) fn type_name(&mut self) -> Parsed<TypeName> {
        self.nested(|p| {
            let start = p.at;
            let specs = p.specifiers(Place::TypeOnly)?;
            if p.at == start {
                return Err(p.expected("a type"));
            }
            let declarator = p.abstract_declarator()?;
            Ok(TypeName {
                specs,
                declarator,
                span: p.span_from(start),
            })
        })
    }
}

/// The type that the keywords together name.
fn basic(words: &Keywords) -> Option<Basic> {
    let Keywords {
        base,
        int,
        short,
        longs,
        signed,
        unsigned,
        complex,
        ..
    } = *words;
    if signed && unsigned || short && longs > 0 {
        return None;
    }
    let sized = short || longs > 0 || int;
    let signs = signed || unsigned;
    let plain = !sized && !signs;
    let ty = match base {
        // `_Complex` alone.
        None if complex && plain => Basic::Double,
        None if short && unsigned => Basic::UShort,
        None if short => Basic::Short,
        None => match (longs, unsigned) {
            (0, false) => Basic::Int,
            (0, true) => Basic::UInt,
            (1, false) => Basic::Long,
            (1, true) => Basic::ULong,
            (_, false) => Basic::LongLong,
            (_, true) => Basic::ULongLong,
        },
        Some(KwChar) if !sized => match (signed, unsigned) {
            (true, _) => Basic::SChar,
            (_, true) => Basic::UChar,
            _ => Basic::Char,
        },
        Some(KwInt128) if !sized && unsigned => Basic::UInt128,
        Some(KwInt128) if !sized => Basic::Int128,
        Some(KwDouble) if longs == 1 && !int && !signs => Basic::LongDouble,
        Some(_) if !plain => return None,
        Some(KwDouble) => Basic::Double,
        Some(KwFloat) => Basic::Float,
        Some(KwVoid) if !complex => Basic::Void,
        Some(KwBool) if !complex => Basic::Bool,
        Some(KwVaList) if !complex => Basic::VaList,
        Some(KwInt128T) => Basic::Int128,
        Some(KwUint128T) => Basic::UInt128,
        Some(KwFloat128) => Basic::Float128,
        Some(KwFloat32) => Basic::Float32,
        Some(KwFloat32x) => Basic::Float32x,
        Some(KwFloat64) => Basic::Float64,
        Some(KwFloat64x) => Basic::Float64x,
        Some(KwFloat80) => Basic::LongDouble,
        Some(KwFloat16) => Basic::Float16,
        Some(KwHalf) if !complex => Basic::Half,
        Some(KwDecimal) if !complex => Basic::Decimal,
        Some(_) => return None,
    };
    Some(ty)
}
