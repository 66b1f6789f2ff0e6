//! The small part of addresses that is needed: `path?key=value&key=value`, percent-encoded.

/// A request's path and parameters.
pub struct Query {
    /// What is asked for.
    pub path: String,
    parameters: Vec<(String, String)>,
}

impl Query {
    /// Reads an address below the token.
    pub fn new(address: &str) -> Query {
        let (path, rest) = address.split_once('?').unwrap_or((address, ""));
        let pairs = rest.split('&').filter(|p| !p.is_empty());
        Query {
            path: decode(path),
            parameters: pairs
                .map(|p| p.split_once('=').unwrap_or((p, "")))
                .map(|(k, v)| (decode(k), decode(v)))
                .collect(),
        }
    }
    /// A parameter's text; empty if it is missing.
    pub fn text(&self, key: &str) -> &str {
        let found = self.parameters.iter().find(|(k, _)| k == key);
        found.map_or("", |(_, v)| v)
    }
    /// A parameter's number.
    pub fn number(&self, key: &str) -> Option<u32> {
        self.text(key).parse().ok()
    }
    /// The numbers of a list.
    pub fn numbers(&self, key: &str) -> Vec<u32> {
        let parts = self.text(key).split(',');
        parts.filter_map(|n| n.parse().ok()).collect()
    }
}

fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = bytes.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        let byte = hex
            .and_then(|h| std::str::from_utf8(h).ok())
            .and_then(|h| u8::from_str_radix(h, 16).ok());
        match (byte, bytes[at]) {
            (Some(byte), _) => {
                out.push(byte);
                at += 2;
            }
            (None, b'+') => out.push(b' '),
            (None, other) => out.push(other),
        }
        at += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}
