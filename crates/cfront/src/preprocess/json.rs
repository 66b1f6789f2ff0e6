//! A reader of JSON, just large enough for `compile_commands.json`.

/// Deeper than any compilation database.
const MAX_DEPTH: u32 = 64;

/// A value; numbers, booleans and null are read but not kept.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json {
    Other,
    String(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// The member `key` of an object; the last one, if it is repeated.
    pub fn get(&self, key: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => members.iter().rev().find(|(k, _)| k == key).map(|m| &m.1),
            _ => None,
        }
    }
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Json::String(text) => Some(text),
            _ => None,
        }
    }
}

/// A mistake: what was expected, and at which byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mistake {
    pub expected: &'static str,
    pub at: usize,
}

/// Reads a whole text.
pub(super) fn parse(text: &str) -> Result<Json, Mistake> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader { text, at: 0 };
    let value = reader.value(0)?;
    reader.blanks();
    match reader.peek() {
        None => Ok(value),
        Some(_) => Err(reader.mistake("the end of the text")),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn mistake(&self, expected: &'static str) -> Mistake {
        let at = self.at;
        Mistake { expected, at }
    }

    fn eat(&mut self, byte: u8) -> bool {
        self.blanks();
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn value(&mut self, depth: u32) -> Result<Json, Mistake> {
        if depth > MAX_DEPTH {
            return Err(self.mistake("a value that is less deep"));
        }
        self.blanks();
        match self.peek() {
            Some(b'"') => self.string().map(Json::String),
            Some(b'[') => {
                self.at += 1;
                let mut items = Vec::new();
                if self.eat(b']') {
                    return Ok(Json::Array(items));
                }
                loop {
                    items.push(self.value(depth + 1)?);
                    if self.eat(b']') {
                        return Ok(Json::Array(items));
                    }
                    if !self.eat(b',') {
                        return Err(self.mistake("`,` or `]`"));
                    }
                }
            }
            Some(b'{') => {
                self.at += 1;
                let mut members = Vec::new();
                if self.eat(b'}') {
                    return Ok(Json::Object(members));
                }
                loop {
                    self.blanks();
                    let key = self.string()?;
                    if !self.eat(b':') {
                        return Err(self.mistake("`:`"));
                    }
                    members.push((key, self.value(depth + 1)?));
                    if self.eat(b'}') {
                        return Ok(Json::Object(members));
                    }
                    if !self.eat(b',') {
                        return Err(self.mistake("`,` or `}`"));
                    }
                }
            }
            _ => self.word(),
        }
    }

    /// A number, `true`, `false` or `null`.
    fn word(&mut self) -> Result<Json, Mistake> {
        let rest = &self.text[self.at..];
        let end = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c)))
            .unwrap_or(rest.len());
        let word = &rest[..end];
        let number = word.starts_with(|c: char| c == '-' || c.is_ascii_digit())
            && word.parse::<f64>().is_ok();
        if !number && !matches!(word, "true" | "false" | "null") {
            return Err(self.mistake("a value"));
        }
        self.at += end;
        Ok(Json::Other)
    }

    fn string(&mut self) -> Result<String, Mistake> {
        if self.peek() != Some(b'"') {
            return Err(self.mistake("`\"`"));
        }
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = &self.text[self.at..];
            let Some(n) = rest.find(['"', '\\']) else {
                self.at = self.text.len();
                return Err(self.mistake("`\"`"));
            };
            out.push_str(&rest[..n]);
            self.at += n + 1;
            if rest.as_bytes()[n] == b'"' {
                return Ok(out);
            }
            let escape = self.peek();
            self.at += 1;
            out.push(match escape {
                Some(c @ (b'"' | b'\\' | b'/')) => c.into(),
                Some(b'n') => '\n',
                Some(b't') => '\t',
                Some(b'r') => '\r',
                Some(b'b') => '\u{8}',
                Some(b'f') => '\u{c}',
                Some(b'u') => self.unicode()?,
                _ => {
                    self.at -= 1;
                    return Err(self.mistake("an escape sequence"));
                }
            });
        }
    }

    /// The digits after `\u`, and the second half of a surrogate pair.
    fn unicode(&mut self) -> Result<char, Mistake> {
        let high = self.hex()?;
        if !(0xd800..0xdc00).contains(&high) {
            return Ok(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        if !self.text[self.at..].starts_with("\\u") {
            return Ok(char::REPLACEMENT_CHARACTER);
        }
        self.at += 2;
        let low = self.hex()?;
        let code = 0x10000 + ((high - 0xd800) << 10) + (low.wrapping_sub(0xdc00) & 0x3ff);
        Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn hex(&mut self) -> Result<u32, Mistake> {
        let digits = self.text.get(self.at..self.at + 4);
        let digits = digits.filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        let value = digits.and_then(|d| u32::from_str_radix(d, 16).ok());
        let value = value.ok_or_else(|| self.mistake("four hexadecimal digits"))?;
        self.at += 4;
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values() {
        let value = parse(r#" [ {"a": "x\n\u00e9\ud83d\ude00", "b": [1, -2.5e3, true]}, null ] "#);
        let expect = Json::Array(vec![
            Json::Object(vec![
                ("a".into(), Json::String("x\né😀".into())),
                (
                    "b".into(),
                    Json::Array(vec![Json::Other, Json::Other, Json::Other]),
                ),
            ]),
            Json::Other,
        ]);
        assert_eq!(value, Ok(expect));
    }

    #[test]
    fn mistakes_have_a_place() {
        for (text, expected, at) in [
            ("[1,]", "a value", 3),
            ("{\"a\" 1}", "`:`", 5),
            ("[1 2]", "`,` or `]`", 3),
            ("\"abc", "`\"`", 4),
            ("\"\\q\"", "an escape sequence", 2),
            ("1 2", "the end of the text", 2),
            ("", "a value", 0),
        ] {
            assert_eq!(parse(text), Err(Mistake { expected, at }), "{text}");
        }
        assert!(parse(&"[".repeat(100_000)).is_err());
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[\\[\\]{}\",:\\\\u0-9a-f é]{0,40}") {
            let _ = parse(&text);
        }
    }
}
