//! Pages of HTML that need nothing else: a text with holes, and what goes into them.

/// `page` with its holes `{{name}}` filled. One pass: a text that looks like a hole stays as it is.
pub fn fill(page: &str, texts: &[(&str, String)]) -> String {
    let mut pieces = page.split("{{");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (hole, rest) = piece.split_once("}}").expect("a hole is closed");
        let text = texts.iter().find(|(name, _)| *name == hole);
        out += &text.expect("every hole has a text").1;
        out += rest;
    }
    out
}

/// `text` between two tags.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// JSON inside a script element, which no text in it must end.
pub fn script_data(json: &str) -> String {
    json.replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_not_looked_into() {
        let texts = [("a", "{{b}}".to_owned()), ("b", "1 < 2".to_owned())];
        let page = fill("<p>{{a}}, {{b}}</p>", &texts);
        assert_eq!(page, "<p>{{b}}, 1 < 2</p>");
        assert_eq!(escaped("a<b&c"), "a&lt;b&amp;c");
        assert_eq!(
            script_data("{\"a\":\"</script>\"}"),
            "{\"a\":\"\\u003c/script>\"}"
        );
    }
}
