//! `struct`, `union` and `enum`.

use super::spec::Place;
use super::{Parsed, Parser, ident_of};
use crate::ast::{EnumSpec, Enumerator, FieldDeclarator, Member, RecordSpec, TypeSpecKind};
use crate::lex::TokenKind::*;

impl Parser {
    /// `struct tag { members }`; the keyword is here.
    pub(super) fn record_spec(&mut self) -> Parsed<TypeSpecKind> {
        let union = self.bump().kind == KwUnion;
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let tag = (self.kind() == Ident).then(|| ident_of(self.bump()));
        let mut members = None;
        let mut pack = None;
        if self.kind() == LBrace {
            members = Some(self.nested(Parser::members)?);
            pack = self.tokens.pack_at(self.at - 1);
            self.gnu_attributes(&mut attributes)?;
        } else if tag.is_none() {
            return Err(self.expected("a tag or `{`"));
        }
        Ok(TypeSpecKind::Record(Box::new(RecordSpec {
            union,
            tag,
            members,
            attributes,
            pack,
        })))
    }

    fn members(&mut self) -> Parsed<Vec<Member>> {
        let open = self.expect(LBrace)?;
        let mut members = Vec::new();
        loop {
            match self.kind() {
                RBrace | Eof => break,
                Semi => drop(self.bump()),
                KwStaticAssert => {
                    let assert = self.static_assert()?;
                    members.push(Member::StaticAssert(assert));
                }
                KwExtension if self.ahead_kind(1) == KwStaticAssert => drop(self.bump()),
                _ => {
                    let member = self.member()?;
                    members.push(member);
                }
            }
        }
        self.expect_close(RBrace, open)?;
        Ok(members)
    }

    fn member(&mut self) -> Parsed<Member> {
        let start = self.at;
        let specs = self.specifiers(Place::TypeOnly)?;
        if self.at == start {
            return Err(self.expected("a member's type or `}`"));
        }
        if let Some((_, span)) = specs.storage {
            return Err(self.error(span, "a member has no storage class"));
        }
        let mut fields = Vec::new();
        if !matches!(self.kind(), Semi | RBrace) {
            loop {
                let field = self.field()?;
                fields.push(field);
                if !self.eat(Comma) {
                    break;
                }
            }
        }
        // gcc lets the last `;` go.
        if self.kind() != RBrace {
            self.expect_semi()?;
        }
        let span = self.span_from(start);
        Ok(Member::Fields {
            specs,
            fields,
            span,
        })
    }

    fn field(&mut self) -> Parsed<FieldDeclarator> {
        let start = self.at;
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let declarator = match self.kind() {
            Colon => None,
            _ => Some(self.declarator()?),
        };
        let width = match self.eat(Colon) {
            true => Some(self.conditional()?),
            false => None,
        };
        self.attributes(&mut attributes)?;
        Ok(FieldDeclarator {
            declarator,
            width,
            attributes,
            span: self.span_from(start),
        })
    }

    /// `enum tag : type { a, b }`; the keyword is here.
    pub(super) fn enum_spec(&mut self) -> Parsed<TypeSpecKind> {
        self.bump();
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let tag = (self.kind() == Ident).then(|| ident_of(self.bump()));
        // A colon may also begin a bit-field's width or a `_Generic` association's value.
        let underlying = if self.kind() == Colon && self.at_type(1) {
            self.bump();
            Some(self.type_name()?)
        } else {
            None
        };
        let mut enumerators = None;
        if self.kind() == LBrace {
            enumerators = Some(self.nested(Parser::enumerators)?);
            self.gnu_attributes(&mut attributes)?;
        } else if tag.is_none() {
            return Err(self.expected("a tag or `{`"));
        }
        Ok(TypeSpecKind::Enum(Box::new(EnumSpec {
            tag,
            underlying,
            enumerators,
            attributes,
        })))
    }

    fn enumerators(&mut self) -> Parsed<Vec<Enumerator>> {
        let open = self.expect(LBrace)?;
        let mut list = Vec::new();
        while self.kind() == Ident {
            let name = self.ident()?;
            self.attributes(&mut Vec::new())?;
            let value = match self.eat(Assign) {
                true => Some(self.conditional()?),
                false => None,
            };
            self.typedefs.declare(name.name, false);
            list.push(Enumerator { name, value });
            if !self.eat(Comma) {
                break;
            }
        }
        self.expect_close(RBrace, open)?;
        Ok(list)
    }

    /// Attributes after a closing brace belong to the type, except `[[…]]`.
    fn gnu_attributes(&mut self, into: &mut Vec<crate::ast::Attribute>) -> Parsed<()> {
        if self.kind() != LBracket {
            self.attributes(into)?;
        }
        Ok(())
    }
}
