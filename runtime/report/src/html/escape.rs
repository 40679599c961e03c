//! Escaping of untrusted text for HTML.

use std::borrow::Cow;

use crate::sanitise;

/// Escapes one line of text, for use between tags or in a quoted attribute.
pub(super) fn text(text: &str) -> String {
    escape(&sanitise::line(text))
}

/// Escapes a name with slashes, and allows line breaks after them.
pub(super) fn path(name: &str) -> String {
    text(name).replace('/', "/<wbr>")
}

/// Escapes text for `pre`, keeping its line breaks and tabs.
pub(super) fn block(text: &str) -> String {
    escape(&sanitise::block(text))
}

fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c => safe.push(c),
        }
    }
    safe
}

/// Escapes JSON for a script element. The value stays the same, but no character can end the element.
pub(super) fn json(json: &str) -> Cow<'_, str> {
    if json.contains(['<', '>', '&']) {
        let safe = json
            .replace('<', "\\u003c")
            .replace('>', "\\u003e")
            .replace('&', "\\u0026");
        Cow::Owned(safe)
    } else {
        Cow::Borrowed(json)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_gets_out_of_its_place() {
        assert_eq!(
            text("</pre><script>alert('x')</script>\" onload=\"\u{202e}\u{1b}[2J\n"),
            "&lt;/pre&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot; onload=&quot;\
             \\u{202e}\\u{1b}[2J\\n"
        );
        assert_eq!(block("a\n\t<b>"), "a\n\t&lt;b&gt;");
        let hostile = serde_json::json!({"name": "</script><!-- &"}).to_string();
        let safe = json(&hostile);
        assert!(!safe.contains(['<', '>', '&']), "{safe}");
        let back: serde_json::Value = serde_json::from_str(&safe).unwrap();
        assert_eq!(back["name"], "</script><!-- &");
    }
}
