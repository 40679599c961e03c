//! Text that an agent, a task or a file name brought along is data: it must not
//! move the cursor, change colours or hide what stands on the screen.

use std::borrow::Cow;

/// Replaces control characters, line breaks and tabs too, by visible escapes.
pub fn line(text: &str) -> Cow<'_, str> {
    escape(text, |_| false)
}

/// Replaces control characters, and leaves line breaks and tabs as they are.
pub fn block(text: &str) -> Cow<'_, str> {
    escape(text, |c| matches!(c, '\n' | '\t'))
}

fn escape(text: &str, keep: impl Fn(char) -> bool) -> Cow<'_, str> {
    let hostile = |c: char| (c.is_control() || is_invisible_control(c)) && !keep(c);
    if !text.contains(hostile) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\n' if !keep(c) => safe.push_str("\\n"),
            '\r' => safe.push_str("\\r"),
            '\t' if !keep(c) => safe.push_str("\\t"),
            c if hostile(c) => safe.extend(c.escape_unicode()),
            c => safe.push(c),
        }
    }
    Cow::Owned(safe)
}

/// Marks that reorder or hide text without being control characters by category.
fn is_invisible_control(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_become_visible() {
        assert_eq!(line("plain – text"), "plain – text");
        assert_eq!(line("a\x1b[2Jb\nc\rd"), "a\\u{1b}[2Jb\\nc\\rd");
        assert_eq!(block("a\n\tb\r\nc\x07"), "a\n\tb\\r\nc\\u{7}");
        assert_eq!(line("abc\u{202e}gpj.exe"), "abc\\u{202e}gpj.exe");
        assert_eq!(line("\u{9b}31m"), "\\u{9b}31m");
    }
}
