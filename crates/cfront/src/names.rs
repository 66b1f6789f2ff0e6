//! Names that a compiled program has lost: typedefs, enumerators, and macros that stand for
//! constants. They are read again from the text of a C file when a predicate asks for them.

use crate::compile::with_stack;
use crate::lex::{self, TokenKind};
use crate::parse::Parser;
use crate::preprocess;
use crate::sema::Sema;
use crate::session::{Options, Session};
use cwolf_cwi::{FuncTy, Type, TypeId, Types};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// How far one macro may lead to another.
const MAX_MACROS: usize = 64;

/// What names mean in a C file.
#[derive(Debug)]
pub struct Names {
    /// The types that the lists below speak of.
    pub(crate) types: Types,
    pub(crate) typedefs: Vec<(String, TypeId)>,
    /// Enumerators and macros, with value and type.
    pub(crate) constants: Vec<(String, i128, TypeId)>,
}

/// The meanings that `wanted` names have at the end of a preprocessed file. Macros are known if the
/// preprocessor left their definitions in the text (`-dD`). A file with errors has no names.
pub fn names(text: &[u8], options: &Options, wanted: &[String]) -> Names {
    with_stack(|| read(text, options, wanted)).unwrap_or_else(|_| Names::none(options))
}

fn read(text: &[u8], options: &Options, wanted: &[String]) -> Names {
    let mut session = Session {
        options: *options,
        ..Session::default()
    };
    let text = preprocess::decode(text);
    let text: Arc<str> = text.into();
    let macros = macros(&text);
    let tokens = lex::lex(&mut session, "", text.clone());
    let mut parser = Parser::new(tokens);
    let mut sema = Sema::new(&session);
    while let Some(external) = parser.next_external(&mut session) {
        sema.external(&mut session, &external);
    }
    if session.diagnostics.has_errors() {
        return Names::none(options);
    }
    let mut found = Names::none(options);
    for name in wanted {
        let symbol = session.names.intern(name);
        if let Some(ty) = sema.typedef(&mut session, symbol) {
            found.typedefs.push((name.clone(), ty));
            continue;
        }
        let body = match macros.contains_key(&**name) {
            true => expand(&mut session, &macros, name, &mut Vec::new()),
            false => name.clone(),
        };
        let tokens = lex::lex(&mut session, "", body.into());
        let value = parser.operand(&mut session, tokens);
        let value = value.and_then(|e| sema.constant_of(&mut session, &e));
        if let Some((value, ty)) = value {
            found.constants.push((name.clone(), value, ty));
        }
    }
    found.types = sema.program.types;
    found
}

/// Macros without parameters, as they are at the end of the text.
fn macros(text: &str) -> FxHashMap<&str, &str> {
    let mut found = FxHashMap::default();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("#define ") {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
            let (name, body) = rest.split_at(end.unwrap_or(rest.len()));
            match body.starts_with('(') {
                true => drop(found.remove(name)),
                false => drop(found.insert(name, body.trim())),
            }
        } else if let Some(name) = line.strip_prefix("#undef ") {
            found.remove(name.trim());
        }
    }
    found
}

/// The body of a macro with the macros in it replaced; `open` are those that are being replaced.
fn expand(
    session: &mut Session,
    macros: &FxHashMap<&str, &str>,
    name: &str,
    open: &mut Vec<String>,
) -> String {
    let Some(body) = macros.get(name) else {
        return name.to_owned();
    };
    if open.len() == MAX_MACROS || open.iter().any(|o| o == name) {
        return name.to_owned();
    }
    open.push(name.to_owned());
    let tokens = lex::lex(session, "", (*body).into());
    let mut words = Vec::new();
    for &token in &tokens.list {
        let text = tokens.text(token);
        words.push(match token.kind {
            TokenKind::Ident => expand(session, macros, text, open),
            _ => text.to_owned(),
        });
    }
    open.pop();
    words.join(" ")
}

impl Names {
    fn none(options: &Options) -> Names {
        Names {
            types: Types::new(options.target),
            typedefs: Vec::new(),
            constants: Vec::new(),
        }
    }
    /// The number that an enumerator or a macro stands for.
    pub fn constant(&self, name: &str) -> Option<i128> {
        let found = self.constants.iter().find(|(known, ..)| known == name);
        found.map(|(_, value, _)| *value)
    }
    /// The tag of the record that a type's name stands for.
    pub fn record(&self, name: &str) -> Option<&str> {
        let (_, ty) = self.typedefs.iter().find(|(known, _)| known == name)?;
        let record = self.types.as_record(*ty)?;
        Some(&self.types.records[record].name)
    }
    /// A type of the file in the types of a program that the file is a part of.
    pub(crate) fn import(&self, id: TypeId, into: &mut Types) -> Option<TypeId> {
        Some(match &self.types[id] {
            Type::Pointer(to) => {
                let to = self.import(*to, into)?;
                into.pointer(to)
            }
            Type::Array { elem, len } => {
                let elem = self.import(*elem, into)?;
                into.intern(Type::Array { elem, len: *len })
            }
            Type::Record(record) => {
                let own = &self.types.records[*record];
                let same = |r: &cwolf_cwi::Record| {
                    let names = |r: &cwolf_cwi::Record| -> Vec<String> {
                        r.fields.iter().map(|f| f.name.clone()).collect()
                    };
                    r.name == own.name && r.size == own.size && names(r) == names(own)
                };
                let found = into.records.enumerate().find(|(_, r)| same(r))?.0;
                into.intern(Type::Record(found))
            }
            Type::Func(FuncTy {
                ret,
                params,
                variadic,
            }) => {
                let ret = self.import(*ret, into)?;
                let params = params.iter().map(|p| self.import(*p, into));
                let params = params.collect::<Option<_>>()?;
                into.intern(Type::Func(FuncTy {
                    ret,
                    params,
                    variadic: *variadic,
                }))
            }
            scalar => into.intern(scalar.clone()),
        })
    }
}
