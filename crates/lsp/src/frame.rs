//! Messages on a stream: a header with the length, an empty line, JSON.

use serde_json::Value;
use std::io::{self, BufRead, Write};

/// No message is longer.
const MOST: usize = 64 << 20;

/// The next message; none at the end of the stream.
pub fn read_message(input: &mut impl BufRead) -> io::Result<Option<Value>> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse::<usize>().ok();
        }
    }
    let wrong = |why: &str| io::Error::new(io::ErrorKind::InvalidData, why.to_owned());
    let length = length.filter(|n| *n <= MOST);
    let length = length.ok_or_else(|| wrong("a message without a Content-Length"))?;
    let mut body = vec![0; length];
    input.read_exact(&mut body)?;
    serde_json::from_slice(&body)
        .map(Some)
        .map_err(|_| wrong("a message that is not JSON"))
}

/// Writes a message.
pub fn write_message(output: &mut impl Write, message: &Value) -> io::Result<()> {
    let body = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn messages_read_back() {
        let mut bytes = Vec::new();
        write_message(&mut bytes, &json!({ "a": "ü" })).expect("written");
        write_message(&mut bytes, &json!([1])).expect("written");
        let mut input = bytes.as_slice();
        assert_eq!(
            read_message(&mut input).expect("one"),
            Some(json!({ "a": "ü" }))
        );
        assert_eq!(read_message(&mut input).expect("two"), Some(json!([1])));
        assert_eq!(read_message(&mut input).expect("the end"), None);
        assert!(read_message(&mut &b"X: 1\r\n\r\n{}"[..]).is_err());
        assert!(read_message(&mut &b"Content-Length: 9999999999\r\n\r\n"[..]).is_err());
    }
}
