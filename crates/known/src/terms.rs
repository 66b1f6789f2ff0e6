//! Reads amounts, ranges and results.

use crate::amount::{Amount, Limit, Path, Range, Subject, constant};
use crate::error::Parsed;
use crate::lexer::{Cursor, Token};
use crate::prototype::Prototype;
use crate::row::{Contents, Outcome};
use crate::types::{CType, size_of};

/// Reads parts of facts about a function with this prototype.
pub(crate) struct Reader<'r, 'c, 't> {
    pub cursor: &'r mut Cursor<'c, 't>,
    pub prototype: &'r Prototype,
}

impl Reader<'_, '_, '_> {
    /// The number of a parameter.
    pub fn param(&mut self) -> Parsed<usize> {
        let name = self.cursor.word()?;
        self.find(name)
    }

    fn find(&self, name: &str) -> Parsed<usize> {
        let found = self.prototype.param(name);
        found.ok_or_else(|| format!("there is no parameter `{name}`"))
    }

    /// The number of a parameter that is a pointer.
    pub fn pointer(&mut self) -> Parsed<usize> {
        let param = self.param()?;
        match self.prototype.is_pointer(param) {
            true => Ok(param),
            false => {
                let name = &self.prototype.params[param].name;
                Err(format!("the parameter `{name}` is not a pointer"))
            }
        }
    }

    /// `p`, `*p` or `p->member`.
    pub fn subject(&mut self) -> Parsed<Subject> {
        let behind = self.cursor.eat("*");
        let result = self.cursor.peek() == Some(Token::Word("result"))
            && self.prototype.param("result").is_none();
        let param = match behind {
            _ if result => {
                self.cursor.next();
                Subject::RESULT
            }
            true => self.pointer()?,
            false => self.param()?,
        };
        let path = match (behind, self.cursor.eat("->")) {
            (true, false) => Path::Behind,
            (false, true) => Path::Member(self.member()?),
            (false, false) => Path::Itself,
            (true, true) => return Err("write `p->member`, without `*`".into()),
        };
        Ok(Subject { param, path })
    }

    /// `member` or `member.member`.
    fn member(&mut self) -> Parsed<String> {
        let mut name = self.cursor.word()?.to_owned();
        while self.cursor.eat(".") {
            name.push('.');
            name.push_str(self.cursor.word()?);
        }
        Ok(name)
    }

    /// A sum.
    pub fn amount(&mut self) -> Parsed<Amount> {
        let mut sum = self.product()?;
        loop {
            let join = if self.cursor.eat("+") {
                Amount::Add
            } else if self.cursor.eat("-") {
                Amount::Sub
            } else {
                return Ok(sum);
            };
            sum = join(Box::new(sum), Box::new(self.product()?));
        }
    }

    fn product(&mut self) -> Parsed<Amount> {
        let mut product = self.atom()?;
        while self.cursor.eat("*") {
            product = Amount::Mul(Box::new(product), Box::new(self.atom()?));
        }
        Ok(product)
    }

    fn atom(&mut self) -> Parsed<Amount> {
        match self.cursor.peek() {
            Some(Token::Number(n)) => {
                self.cursor.next();
                Ok(Amount::Const(n))
            }
            Some(Token::Sign("-")) => {
                self.cursor.next();
                match self.atom()? {
                    Amount::Const(n) => Ok(Amount::Const(-n)),
                    other => Ok(Amount::Sub(Box::new(Amount::Const(0)), Box::new(other))),
                }
            }
            Some(Token::Sign("*")) => Ok(Amount::Arg(self.subject()?)),
            Some(Token::Word(word)) => {
                self.cursor.next();
                self.named(word)
            }
            _ => Err(format!("expected an amount, found {}", self.cursor.found())),
        }
    }

    fn named(&mut self, word: &str) -> Parsed<Amount> {
        if let Some(param) = self.prototype.param(word) {
            let mut subject = Subject::param(param);
            if self.cursor.eat("->") {
                subject.path = Path::Member(self.member()?);
            }
            return Ok(Amount::Arg(subject));
        }
        if let Some(limit) = Limit::named(word) {
            return Ok(Amount::Limit(limit));
        }
        if let Some(n) = constant(word) {
            return Ok(Amount::Const(n));
        }
        match word {
            "printed" => return Ok(Amount::Printed),
            "input" => return Ok(Amount::Input),
            "result" => return Ok(Amount::Result),
            _ => {}
        }
        if !self.cursor.eat("(") {
            return Err(format!(
                "`{word}` is neither a parameter nor a known amount"
            ));
        }
        let amount = match word {
            "strlen" => Amount::Strlen(self.subject()?),
            "wcslen" => Amount::Wcslen(self.subject()?),
            "strnlen" | "wcsnlen" => {
                let subject = self.subject()?;
                self.cursor.expect(",")?;
                let most = Box::new(self.amount()?);
                match word {
                    "strnlen" => Amount::Strnlen(subject, most),
                    _ => Amount::Wcsnlen(subject, most),
                }
            }
            "min" | "max" => {
                let left = Box::new(self.amount()?);
                self.cursor.expect(",")?;
                let right = Box::new(self.amount()?);
                match word {
                    "min" => Amount::Min(left, right),
                    _ => Amount::Max(left, right),
                }
            }
            "sizeof" if self.cursor.eat("*") => Amount::Pointee(self.sized()?),
            "sizeof" => {
                let mut words = vec![self.cursor.word()?];
                while let Some(Token::Word(word)) = self.cursor.peek() {
                    self.cursor.next();
                    words.push(word);
                }
                let name = words.join(" ");
                if size_of(&name, crate::Model::Lp64).is_none() {
                    return Err(format!("the size of `{name}` is unknown"));
                }
                Amount::SizeOf(name)
            }
            _ => return Err(format!("there is no amount `{word}(…)`")),
        };
        self.cursor.expect(")")?;
        Ok(amount)
    }

    /// A parameter that points to something of a size.
    fn sized(&mut self) -> Parsed<usize> {
        let param = self.pointer()?;
        self.has_size(param)?;
        Ok(param)
    }

    pub fn has_size(&self, param: usize) -> Parsed<()> {
        let Some(declared) = self.prototype.params.get(param) else {
            return Err("there is no such parameter".into());
        };
        let size = declared
            .ty
            .pointee()
            .and_then(|ty| ty.size(crate::Model::Lp64));
        match size {
            Some(_) => Ok(()),
            None => Err(format!(
                "the size of what `{}` points to is unknown: say how many bytes",
                declared.name
            )),
        }
    }

    /// `a..b`, `a..`, `..b`, or one amount.
    pub fn range(&mut self) -> Parsed<Range> {
        if self.cursor.eat("..") {
            let high = Some(self.amount()?);
            return Ok(Range { low: None, high });
        }
        let low = self.amount()?;
        if !self.cursor.eat("..") {
            return Ok(Range {
                low: Some(low.clone()),
                high: Some(low),
            });
        }
        let ends = matches!(
            self.cursor.peek(),
            None | Some(Token::Sign(")" | ",") | Token::Word("or"))
        );
        let high = match ends {
            true => None,
            false => Some(self.amount()?),
        };
        let low = Some(low);
        Ok(Range { low, high })
    }

    /// Results, with `or` between them.
    pub fn outcomes(&mut self) -> Parsed<Vec<Outcome>> {
        let mut list = vec![self.outcome()?];
        while self.cursor.eat_word("or") {
            list.push(self.outcome()?);
        }
        Ok(list)
    }

    fn outcome(&mut self) -> Parsed<Outcome> {
        let word = match self.cursor.peek() {
            Some(Token::Word(word)) if self.prototype.param(word).is_none() => word,
            _ => return self.range().map(Outcome::Range),
        };
        let fresh = |bytes, contents| Outcome::Fresh { bytes, contents };
        let outcome = match word {
            "any" => Outcome::Any,
            "null" => Outcome::Null,
            "text" => Outcome::Text,
            "nonempty" => Outcome::Nonempty,
            "handle" => Outcome::Handle,
            "kept" => Outcome::Kept,
            "errno" => Outcome::Errno,
            "function" => Outcome::Function,
            "held" => {
                self.cursor.next();
                self.cursor.expect("(")?;
                let param = self.pointer()?;
                self.cursor.expect(")")?;
                return Ok(Outcome::Held(param));
            }
            "into" | "stack" | "mapped" | "fresh" | "zeroed" | "made" | "fresh_text" | "static"
            | "static_text" => {
                self.cursor.next();
                return match word {
                    "into" => {
                        self.cursor.expect("(")?;
                        let subject = self.subject()?;
                        self.cursor.expect(")")?;
                        Ok(Outcome::Into(subject))
                    }
                    "mapped" => {
                        self.cursor.expect("(")?;
                        let bytes = self.amount()?;
                        let flags = match self.cursor.eat(",") {
                            true => Some(self.param()?),
                            false => None,
                        };
                        self.cursor.expect(")")?;
                        Ok(Outcome::Mapped { bytes, flags })
                    }
                    "stack" => match self.bytes()? {
                        Some(bytes) => Ok(Outcome::Stack(bytes)),
                        None => Err("`stack` needs a size: `stack(n)`".into()),
                    },
                    "fresh" => Ok(fresh(self.bytes()?, Contents::Unset)),
                    "zeroed" => Ok(fresh(self.bytes()?, Contents::Zero)),
                    "made" => Ok(fresh(self.bytes()?, Contents::Set)),
                    "fresh_text" => Ok(fresh(self.bytes()?, Contents::Text)),
                    _ => Ok(Outcome::Static {
                        bytes: self.bytes()?,
                        text: word == "static_text",
                    }),
                };
            }
            _ => return self.range().map(Outcome::Range),
        };
        self.cursor.next();
        Ok(outcome)
    }

    /// `(n)`, or nothing.
    fn bytes(&mut self) -> Parsed<Option<Amount>> {
        if !self.cursor.eat("(") {
            return Ok(None);
        }
        let bytes = self.amount()?;
        self.cursor.expect(")")?;
        Ok(Some(bytes))
    }

    /// Whether results of this kind fit the type.
    pub fn fits(&self, outcome: &Outcome, ty: &CType) -> bool {
        let pointer = matches!(
            ty,
            CType::Pointer { .. } | CType::Function | CType::Named(_)
        );
        match outcome {
            Outcome::Any => *ty != CType::Void,
            Outcome::Range(range) => {
                let address =
                    |amount: &Option<Amount>| amount.as_ref().is_some_and(|a| self.is_address(a));
                // Some pointers stand for numbers: `(void *)-1`.
                let number = range
                    .single()
                    .is_some_and(|a| matches!(a, Amount::Const(_)));
                *ty != CType::Void && (!pointer || number || address(&range.low))
            }
            Outcome::Null => pointer,
            _ => pointer,
        }
    }

    fn is_address(&self, amount: &Amount) -> bool {
        match amount {
            Amount::Arg(subject) => match &subject.path {
                Path::Itself => self.prototype.is_pointer(subject.param),
                _ => true,
            },
            Amount::Add(left, _) | Amount::Sub(left, _) => self.is_address(left),
            _ => false,
        }
    }
}
