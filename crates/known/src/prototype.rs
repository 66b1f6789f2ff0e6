//! Prototypes: the part of C's declarations that functions of a library need.

use crate::error::Parsed;
use crate::lexer::{Token, tokens};
use crate::types::{CType, named};

/// Result and parameters of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prototype {
    /// The type of the result.
    pub ret: CType,
    /// The parameters, in their order.
    pub params: Vec<Param>,
    /// Whether more arguments may follow.
    pub variadic: bool,
    /// Whether it never returns.
    pub noreturn: bool,
    /// The declaration in C, without the final semicolon.
    pub text: String,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Its name, which facts use.
    pub name: String,
    /// Its type; arrays are pointers here.
    pub ty: CType,
}

impl Prototype {
    /// The number of the parameter of this name.
    pub fn param(&self, name: &str) -> Option<usize> {
        self.params.iter().position(|p| p.name == name)
    }

    /// Whether the parameter is a pointer to data or to a function.
    pub fn is_pointer(&self, param: usize) -> bool {
        matches!(
            self.params.get(param).map(|p| &p.ty),
            Some(CType::Pointer { .. } | CType::Function)
        )
    }

    /// Whether the parameter is a pointer to data that it may change.
    pub fn is_mutable_pointer(&self, param: usize) -> bool {
        matches!(
            self.params.get(param).map(|p| &p.ty),
            Some(CType::Pointer {
                constant: false,
                ..
            })
        )
    }
}

/// Reads a declaration: the function's name and its prototype.
pub(crate) fn parse(text: &str) -> Parsed<(String, Prototype)> {
    let list = tokens(text)?;
    let open = list.iter().position(|t| *t == Token::Sign("("));
    let open = open.ok_or("a row starts with a prototype: `int f(int n) ; …`")?;
    let [head @ .., Token::Word(name)] = &list[..open] else {
        return Err("there is no name before `(`".into());
    };
    let [params @ .., Token::Sign(")")] = &list[open + 1..] else {
        return Err("a prototype ends with `)`".into());
    };
    let noreturn = head.first() == Some(&Token::Word("_Noreturn"));
    let (mut list, mut variadic) = (Vec::new(), false);
    let parts = split(params);
    for (n, part) in parts.iter().enumerate() {
        let last = n + 1 == parts.len();
        match part {
            [Token::Sign("...")] if last => variadic = true,
            [Token::Word("void")] if parts.len() == 1 => {}
            _ => list.push(parameter(part)?),
        }
    }
    for (n, param) in list.iter().enumerate() {
        if list[..n].iter().any(|p: &Param| p.name == param.name) {
            return Err(format!("two parameters are called `{}`", param.name));
        }
    }
    let prototype = Prototype {
        ret: data_type(&head[usize::from(noreturn)..])?,
        params: list,
        variadic,
        noreturn,
        text: text.split_whitespace().collect::<Vec<_>>().join(" "),
    };
    Ok(((*name).to_owned(), prototype))
}

/// Splits at commas outside of brackets.
fn split<'c, 't>(list: &'c [Token<'t>]) -> Vec<&'c [Token<'t>]> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (n, token) in list.iter().enumerate() {
        match token {
            Token::Sign("(" | "[") => depth += 1,
            Token::Sign(")" | "]") => depth -= 1,
            Token::Sign(",") if depth == 0 => {
                parts.push(&list[start..n]);
                start = n + 1;
            }
            _ => {}
        }
    }
    if !list.is_empty() {
        parts.push(&list[start..]);
    }
    parts
}

fn parameter(list: &[Token<'_>]) -> Parsed<Param> {
    // `int (*compare)(const void *, const void *)`
    if let Some(open) = list.iter().position(|t| *t == Token::Sign("(")) {
        return match &list[open + 1..] {
            [Token::Sign("*"), Token::Word(name), Token::Sign(")"), ..] => Ok(Param {
                name: (*name).to_owned(),
                ty: CType::Function,
            }),
            _ => Err("a parameter in brackets is a pointer to a function: `(*name)`".into()),
        };
    }
    let end = list.iter().position(|t| *t == Token::Sign("["));
    let [ty @ .., Token::Word(name)] = &list[..end.unwrap_or(list.len())] else {
        return Err("every parameter needs a type and a name".into());
    };
    if ty.is_empty() {
        return Err(format!(
            "every parameter needs a type and a name: `{name}` is one word"
        ));
    }
    let (ty, constant) = qualified(ty)?;
    let ty = match end {
        Some(_) => CType::Pointer {
            to: Box::new(ty),
            constant,
        },
        None => ty,
    };
    Ok(Param {
        name: (*name).to_owned(),
        ty,
    })
}

pub(crate) fn data_type(list: &[Token<'_>]) -> Parsed<CType> {
    qualified(list).map(|(ty, _)| ty)
}

/// A type, and whether it is `const`.
fn qualified(list: &[Token<'_>]) -> Parsed<(CType, bool)> {
    let stars = list.iter().position(|t| *t == Token::Sign("*"));
    let (base, rest) = list.split_at(stars.unwrap_or(list.len()));
    let (mut words, mut constant) = (Vec::new(), false);
    for token in base {
        match token {
            Token::Word("const") => constant = true,
            Token::Word("volatile" | "restrict") => {}
            Token::Word(word) => words.push(*word),
            other => return Err(format!("{other} does not belong into a type")),
        }
    }
    let mut ty = named(&words.join(" "))?;
    for token in rest {
        match token {
            Token::Sign("*") => {
                let to = Box::new(ty);
                ty = CType::Pointer { to, constant };
                constant = false;
            }
            Token::Word("const") => constant = true,
            Token::Word("volatile" | "restrict") => {}
            other => return Err(format!("{other} does not belong into a type")),
        }
    }
    Ok((ty, constant))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_of_all_shapes() {
        let text = "void qsort(void *array, size_t n, size_t size, \
                    int (*compare)(const void *, const void *))";
        let (name, f) = parse(text).expect("a prototype");
        assert_eq!(name, "qsort");
        assert_eq!(f.ret, CType::Void);
        assert_eq!(f.params.len(), 4);
        assert_eq!(f.params[3].ty, CType::Function);
        assert!(f.is_mutable_pointer(0) && !f.is_pointer(1));

        let (_, f) = parse("_Noreturn void exit(int status)").expect("a prototype");
        assert!(f.noreturn && !f.variadic);

        let (_, f) = parse("int execv(const char *path, char *const list[])").expect("good");
        let CType::Pointer { to, constant: true } = &f.params[1].ty else {
            panic!("a constant array: {:?}", f.params[1]);
        };
        assert!(matches!(
            &**to,
            CType::Pointer {
                constant: false,
                ..
            }
        ));

        let (_, f) = parse("int printf(const char *format, ...)").expect("a prototype");
        assert!(f.variadic && !f.is_mutable_pointer(0));
        assert_eq!(f.param("format"), Some(0));
    }

    #[test]
    fn mistakes_are_named() {
        let message = |text: &str| parse(text).expect_err("a mistake");
        assert!(message("int f(int)").contains("a type and a name"));
        assert!(message("strange f(int n)").contains("the type `strange` is unknown"));
        assert!(message("int f(int n, int n)").contains("two parameters"));
        assert!(message("int f").contains("prototype"));
    }
}
