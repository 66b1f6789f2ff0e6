//! Declarators: the name and how its type is built around it.

use super::spec::Place;
use super::{Parsed, Parser, ident_of};
use crate::ast::{ArraySize, Attribute, Declarator, Derived, Ident as Name, Param, Params, Quals};
use crate::lex::TokenKind::*;
use crate::session::Standard;
use cwolf_base::Diagnostic;

/// Whether a declarator has a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    Must,
    May,
    Never,
}

/// A declarator while it is read.
#[derive(Default)]
struct Parts {
    name: Option<Name>,
    derived: Vec<Derived>,
    attributes: Vec<Attribute>,
}

impl Parser {
    /// A declarator with a name.
    pub(super) fn declarator(&mut self) -> Parsed<Declarator> {
        self.any_declarator(Named::Must)
    }

    /// A declarator without a name, perhaps empty.
    pub(super) fn abstract_declarator(&mut self) -> Parsed<Declarator> {
        self.any_declarator(Named::Never)
    }

    fn any_declarator(&mut self, named: Named) -> Parsed<Declarator> {
        let start = self.at;
        let mut parts = Parts::default();
        self.parts(named, &mut parts)?;
        Ok(Declarator {
            name: parts.name,
            derived: parts.derived,
            attributes: parts.attributes,
            span: self.span_from(start),
        })
    }

    fn parts(&mut self, named: Named, parts: &mut Parts) -> Parsed<()> {
        let mut pointers = Vec::new();
        while self.eat(Star) {
            let mut quals = Quals::default();
            let mut attributes = Vec::new();
            loop {
                if self.at_attribute() {
                    self.attributes(&mut attributes)?;
                } else if !self.qualifier(&mut quals) && !self.eat(KwExtension) {
                    break;
                }
            }
            pointers.push(Derived::Pointer { quals, attributes });
        }
        match self.kind() {
            Ident if named != Named::Never => parts.name = Some(ident_of(self.bump())),
            LParen if self.at_inner_declarator(named) => {
                let open = self.bump();
                self.attributes(&mut parts.attributes)?;
                self.nested(|p| p.parts(named, parts))?;
                self.expect_close(RParen, open)?;
            }
            _ if named == Named::Must => return Err(self.expected("a name")),
            _ => {}
        }
        self.bracket_attributes(&mut parts.attributes)?;
        loop {
            match self.kind() {
                LBracket if self.at_attribute() => {
                    self.bracket_attributes(&mut parts.attributes)?;
                }
                LBracket => {
                    let array = self.array_suffix()?;
                    parts.derived.push(array);
                }
                LParen => {
                    let function = self.nested(Parser::function_suffix)?;
                    parts.derived.push(function);
                }
                _ => break,
            }
        }
        // The star nearest to the name is the first derivation.
        parts.derived.extend(pointers.into_iter().rev());
        Ok(())
    }

    /// Whether the `(` here opens a nested declarator rather than parameters. A typedef's name
    /// after it makes it parameters, if the declarator needs no name (C17 6.7.6.3p11).
    fn at_inner_declarator(&self, named: Named) -> bool {
        if named == Named::Must {
            return true;
        }
        let n = self.attributes_end(1);
        match self.ahead_kind(n) {
            RParen | Ellipsis => false,
            _ => !self.at_declaration(n),
        }
    }

    fn array_suffix(&mut self) -> Parsed<Derived> {
        let start = self.at;
        let open = self.expect(LBracket)?;
        let mut quals = Quals::default();
        while self.qualifier(&mut quals) || self.eat(KwStatic) {}
        let size = match self.kind() {
            RBracket => ArraySize::None,
            Star if self.ahead_kind(1) == RBracket => {
                self.bump();
                ArraySize::Star
            }
            _ => ArraySize::Expr(Box::new(self.assignment()?)),
        };
        self.expect_close(RBracket, open)?;
        let span = self.span_from(start);
        Ok(Derived::Array { size, quals, span })
    }

    /// `(parameters)`. Their names live in a scope of their own, which a function's body opens
    /// again.
    fn function_suffix(&mut self) -> Parsed<Derived> {
        let start = self.at;
        let scope = self.typedefs.depth();
        self.typedefs.open();
        let open = self.expect(LParen)?;
        let params = self.params()?;
        self.expect_close(RParen, open)?;
        self.typedefs.close_to(scope);
        let span = self.span_from(start);
        Ok(Derived::Function { params, span })
    }

    fn params(&mut self) -> Parsed<Params> {
        let typed = |params| Params::Typed {
            params,
            variadic: false,
        };
        match self.kind() {
            RParen if self.session.options.standard >= Standard::C23 => {
                return Ok(typed(Vec::new()));
            }
            RParen => return Ok(Params::Unknown),
            KwVoid if self.ahead_kind(1) == RParen => {
                self.bump();
                return Ok(typed(Vec::new()));
            }
            Ident if !self.typedefs.contains(self.token().name) => return self.param_names(),
            _ => {}
        }
        let mut params = Vec::new();
        loop {
            if self.eat(Ellipsis) {
                let variadic = true;
                return Ok(Params::Typed { params, variadic });
            }
            let param = self.param()?;
            params.push(param);
            if self.eat(Semi) {
                // GNU C: what came before only announces parameters (`(int n; int a[n], int n)`).
                params.clear();
            } else if !self.eat(Comma) {
                return Ok(typed(params));
            }
        }
    }

    /// K&R's `(a, b)`.
    fn param_names(&mut self) -> Parsed<Params> {
        let mut names = Vec::new();
        loop {
            let name = self.ident()?;
            if !matches!(self.kind(), Comma | RParen) {
                let text = self.session.names.text(name.name);
                let message = format!("unknown type name `{text}`");
                let hint = "include the header that defines it";
                return Err(self.report(Diagnostic::error(name.span, message).hint(hint)));
            }
            self.typedefs.declare(name.name, false);
            names.push(name);
            if !self.eat(Comma) {
                return Ok(Params::Names(names));
            }
        }
    }

    fn param(&mut self) -> Parsed<Param> {
        let start = self.at;
        let specs = self.specifiers(Place::Declaration)?;
        if self.at == start {
            return Err(self.expected("a parameter"));
        }
        let declarator = self.any_declarator(Named::May)?;
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        if let Some(name) = declarator.name {
            self.typedefs.declare(name.name, false);
        }
        Ok(Param {
            specs,
            declarator,
            attributes,
        })
    }
}
