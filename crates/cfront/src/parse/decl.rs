//! Declarations, at file level and in blocks, and function definitions.

use super::spec::Place;
use super::{Parsed, Parser};
use crate::ast::{
    Attribute, BlockItem, Declaration, Declarator, Derived, External, FunctionDef, InitDeclarator,
    Params, Specifiers, StaticAssert, Storage,
};
use crate::lex::TokenKind::*;

/// What a declaration turned out to be.
enum Declared {
    Declaration(Declaration),
    /// The first declarator of something that goes on with a function's body.
    Function(Specifiers, Declarator),
}

impl Parser {
    /// Something at file level.
    pub(super) fn external(&mut self) -> Parsed<External> {
        let start = self.at;
        while self.kind() == KwExtension
            && matches!(self.ahead_kind(1), KwExtension | KwAsm | KwStaticAssert)
        {
            self.bump();
        }
        match self.kind() {
            KwAsm => {
                self.asm_statement()?;
                Ok(External::Asm(self.span_from(start)))
            }
            KwStaticAssert => Ok(External::StaticAssert(self.static_assert()?)),
            _ => match self.declaration_or_function()? {
                Declared::Declaration(declaration) => Ok(External::Declaration(declaration)),
                Declared::Function(specs, declarator) => self
                    .function(start, specs, declarator)
                    .map(External::Function),
            },
        }
    }

    /// A declaration in a block, or GNU C's nested function.
    pub(super) fn block_declaration(&mut self) -> Parsed<BlockItem> {
        let start = self.at;
        match self.declaration_or_function()? {
            Declared::Declaration(declaration) => Ok(BlockItem::Declaration(declaration)),
            Declared::Function(specs, declarator) => {
                let depth = self.typedefs.depth();
                let def = self.nested(|p| p.function(start, specs, declarator));
                self.typedefs.close_to(depth);
                def.map(BlockItem::NestedFunction)
            }
        }
    }

    /// A declaration where no function can be defined.
    pub(super) fn declaration(&mut self) -> Parsed<Declaration> {
        match self.declaration_or_function()? {
            Declared::Declaration(declaration) => Ok(declaration),
            Declared::Function(..) => Err(self.expected("`;`")),
        }
    }

    fn declaration_or_function(&mut self) -> Parsed<Declared> {
        let start = self.at;
        let specs = self.specifiers(Place::Declaration)?;
        let bare = self.at == start;
        let mut declarators = Vec::new();
        if self.kind() != Semi {
            if bare && !matches!(self.kind(), Ident | LParen | Star) {
                return Err(self.expected("a declaration"));
            }
            loop {
                let first = declarators.is_empty();
                let item = self.init_declarator(&specs, first)?;
                match item {
                    Ok(item) => declarators.push(item),
                    Err(declarator) => return Ok(Declared::Function(specs, *declarator)),
                }
                if !self.eat(Comma) {
                    break;
                }
            }
        }
        self.expect_semi()?;
        let span = self.span_from(start);
        Ok(Declared::Declaration(Declaration {
            specs,
            declarators,
            span,
        }))
    }

    /// One declarator with what follows it; the declarator alone (`Err`) if it is the `first` and
    /// a function's body or K&R parameters follow.
    fn init_declarator(
        &mut self,
        specs: &Specifiers,
        first: bool,
    ) -> Parsed<Result<InitDeclarator, Box<Declarator>>> {
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let mut declarator = self.declarator()?;
        let is_type = matches!(specs.storage, Some((Storage::Typedef, _)));
        // From here on, in its own initialiser too, the name is what it is now declared as.
        if let Some(name) = declarator.name {
            self.typedefs.declare(name.name, is_type);
        }
        let asm_label = self.asm_label(&mut attributes)?;
        if first && self.at_body(&declarator) {
            declarator.attributes.append(&mut attributes);
            return Ok(Err(Box::new(declarator)));
        }
        let init = match self.eat(Assign) {
            true => Some(self.initializer()?),
            false => None,
        };
        Ok(Ok(InitDeclarator {
            declarator,
            asm_label,
            attributes,
            init,
        }))
    }

    /// `__asm__("name")` among the attributes after a declarator.
    fn asm_label(&mut self, attributes: &mut Vec<Attribute>) -> Parsed<Option<String>> {
        self.attributes(attributes)?;
        if self.kind() != KwAsm {
            return Ok(None);
        }
        self.bump();
        let open = self.expect(LParen)?;
        let label = self.plain_string()?;
        self.expect_close(RParen, open)?;
        self.attributes(attributes)?;
        Ok(Some(label))
    }

    fn at_body(&self, declarator: &Declarator) -> bool {
        let Some(Derived::Function { params, .. }) = declarator.derived.first() else {
            return false;
        };
        match self.kind() {
            LBrace => true,
            _ => matches!(params, Params::Names(_)) && self.at_declaration(0),
        }
    }

    /// The rest of a function definition: K&R declarations and the body.
    fn function(
        &mut self,
        start: usize,
        specs: Specifiers,
        declarator: Declarator,
    ) -> Parsed<Box<FunctionDef>> {
        self.typedefs.open();
        if let Some(Derived::Function { params, .. }) = declarator.derived.first() {
            match params {
                Params::Unknown => {}
                Params::Names(names) => {
                    for name in names {
                        self.typedefs.declare(name.name, false);
                    }
                }
                Params::Typed { params, .. } => {
                    for name in params.iter().filter_map(|p| p.declarator.name) {
                        self.typedefs.declare(name.name, false);
                    }
                }
            }
        }
        let mut old_params = Vec::new();
        while self.kind() != LBrace {
            if !self.at_declaration(0) {
                return Err(self.expected("a function's body"));
            }
            let declaration = self.declaration()?;
            old_params.push(declaration);
        }
        let body = self.block()?;
        Ok(Box::new(FunctionDef {
            specs,
            declarator,
            old_params,
            body,
            span: self.span_from(start),
        }))
    }

    /// `_Static_assert(condition, "message");`
    pub(super) fn static_assert(&mut self) -> Parsed<StaticAssert> {
        let start = self.at;
        self.bump();
        let open = self.expect(LParen)?;
        let condition = self.conditional()?;
        let message = match self.eat(Comma) {
            true => Some(self.plain_string()?),
            false => None,
        };
        self.expect_close(RParen, open)?;
        self.expect_semi()?;
        Ok(StaticAssert {
            condition,
            message,
            span: self.span_from(start),
        })
    }
}
