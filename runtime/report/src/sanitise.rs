//! Sanitisation of untrusted text from agents, tasks and file names: it must not move the cursor, change colours, or
//! hide or reorder text on the screen.
//!
//! Characters are selected by their Unicode properties and replaced by visible escapes: control characters (`Cc`);
//! format characters (`Cf`), except visible ones such as Arabic number signs; line and paragraph separators (`Zl`,
//! `Zp`); and characters that are ignored if they cannot be displayed (`Default_Ignorable_Code_Point`: tags, fillers,
//! joiners, variation selectors). Exceptions are the parts of emoji: one selector U+FE0E or U+FE0F after a character
//! that may be an emoji, and U+200D between two pictographs. Joiners within words of other scripts are escaped, because
//! names that differ only in joiners look alike.

use std::borrow::Cow;
use std::fmt::Write;

use icu_properties::props::{
    DefaultIgnorableCodePoint, Emoji, EmojiModifier, ExtendedPictographic, GeneralCategory,
    PrependedConcatenationMark,
};
use icu_properties::{CodePointMapData, CodePointSetData};

/// Replaces hostile characters by visible escapes, including line breaks and tabs.
pub fn line(text: &str) -> Cow<'_, str> {
    escape(text, |_| false)
}

/// Replaces hostile characters by visible escapes, except line breaks and tabs.
pub fn block(text: &str) -> Cow<'_, str> {
    escape(text, |c| matches!(c, '\n' | '\t'))
}

/// Replaces hostile characters in a JSON document by JSON escapes, which does not change its value.
pub fn json(json: &str) -> Cow<'_, str> {
    // Line breaks in JSON occur only between tokens.
    let hostile = |c: char| c != '\n' && is_hostile(c);
    if !json.contains(hostile) {
        return Cow::Borrowed(json);
    }
    let mut safe = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if hostile(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(safe, "\\u{unit:04x}");
            }
        } else {
            safe.push(c);
        }
    }
    Cow::Owned(safe)
}

fn escape(text: &str, keep: impl Fn(char) -> bool) -> Cow<'_, str> {
    let hostile = |c: char| is_hostile(c) && !keep(c);
    if !text.contains(hostile) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 8);
    let mut emoji = EmojiState::default();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if emoji.takes(c, rest.clone().next()) {
            safe.push(c);
            continue;
        }
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

/// Reports whether a character hides or reorders text, or controls the terminal.
fn is_hostile(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    match CodePointMapData::<GeneralCategory>::new().get(c) {
        GeneralCategory::Control
        | GeneralCategory::LineSeparator
        | GeneralCategory::ParagraphSeparator => true,
        GeneralCategory::Format => {
            !CodePointSetData::new::<PrependedConcatenationMark>().contains(c)
        }
        _ => CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c),
    }
}

/// State of the emoji parser after the previous character.
#[derive(Default)]
struct EmojiState {
    /// The previous character may be an emoji.
    emoji: bool,
    /// The preceding characters are a pictograph with optional selector and modifier.
    pictograph: bool,
}

impl EmojiState {
    const JOINER: char = '\u{200d}';

    /// Processes a character. Returns true if it is a hostile character that is allowed here as a part of an emoji.
    fn takes(&mut self, c: char, next: Option<char>) -> bool {
        let pictograph =
            |c: char| !c.is_ascii() && CodePointSetData::new::<ExtendedPictographic>().contains(c);
        match c {
            '\u{fe0e}' | '\u{fe0f}' if self.emoji => {
                self.emoji = false;
                true
            }
            Self::JOINER if self.pictograph && next.is_some_and(pictograph) => {
                *self = Self::default();
                true
            }
            _ => {
                let modifies = self.pictograph
                    && !c.is_ascii()
                    && CodePointSetData::new::<EmojiModifier>().contains(c);
                *self = Self {
                    emoji: CodePointSetData::new::<Emoji>().contains(c),
                    pictograph: modifies || pictograph(c),
                };
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn escapes_become_visible() {
        assert_eq!(line("plain – text"), "plain – text");
        assert_eq!(line("a\x1b[2Jb\nc\rd"), "a\\u{1b}[2Jb\\nc\\rd");
        assert_eq!(block("a\n\tb\r\nc\x07"), "a\n\tb\\r\nc\\u{7}");
        assert_eq!(line("abc\u{202e}gpj.exe"), "abc\\u{202e}gpj.exe");
        assert_eq!(line("\u{9b}31m"), "\\u{9b}31m");
    }

    #[test]
    fn characters_that_hide_or_reorder_are_told_by_their_properties() {
        for hostile in [
            '\u{ad}',
            '\u{34f}',
            '\u{61c}',
            '\u{115f}',
            '\u{180b}',
            '\u{180e}',
            '\u{200b}',
            '\u{200d}',
            '\u{2028}',
            '\u{2029}',
            '\u{202e}',
            '\u{2060}',
            '\u{2064}',
            '\u{2066}',
            '\u{206f}',
            '\u{3164}',
            '\u{fe00}',
            '\u{fe0f}',
            '\u{feff}',
            '\u{ffa0}',
            '\u{fff9}',
            '\u{fffb}',
            '\u{1d173}',
            '\u{e0001}',
            '\u{e0041}',
            '\u{e0100}',
            '\u{e0fff}',
        ] {
            assert_eq!(
                line(&format!("a{hostile}b")),
                format!("a{}b", hostile.escape_unicode())
            );
        }
        for honest in [
            "naïve e\u{301}",
            "日本語",
            "שלום",
            "١٢٣ \u{6dd}",
            "\u{600}١٢",
            "हिन्दी",
            "\u{fffc}\u{fffd}",
            "a\u{a0}b\u{3000}c",
        ] {
            assert_eq!(line(honest), honest);
        }
    }

    #[test]
    fn emoji_are_left_whole_and_carry_nothing_else() {
        for emoji in [
            "❤\u{fe0f} 1\u{fe0f}\u{20e3} ☎\u{fe0e}",
            "👩\u{200d}💻 👩🏽\u{200d}🚀 ❤\u{fe0f}\u{200d}🔥",
            "👨\u{200d}👩\u{200d}👧\u{200d}👦 🏳\u{fe0f}\u{200d}🌈 🇫🇷",
        ] {
            assert_eq!(line(emoji), emoji);
        }
        for (hidden, shown) in [
            ("❤\u{fe0f}\u{fe0f}", "❤\u{fe0f}\\u{fe0f}"),
            ("❤\u{fe00}", "❤\\u{fe00}"),
            ("a\u{fe0f}", "a\\u{fe0f}"),
            ("👩\u{200d}a", "👩\\u{200d}a"),
            ("👩\u{200d}\u{200d}💻", "👩\\u{200d}\\u{200d}💻"),
            ("a\u{200d}💻", "a\\u{200d}💻"),
            ("🏴\u{e0067}\u{e007f}", "🏴\\u{e0067}\\u{e007f}"),
        ] {
            assert_eq!(line(hidden), shown);
        }
    }

    proptest! {
        #[test]
        fn nothing_hostile_is_left(text in "(?s)(.|[\\p{Cf}\\p{Cc}\\x{fe00}-\\x{fe0f}\\x{e0000}-\\x{e01ff}👩❤💻]){0,40}") {
            let safe = line(&text).into_owned();
            let mut before = None;
            let mut rest = safe.chars();
            while let Some(c) = rest.next() {
                let after = rest.clone().next();
                let joins = c == '\u{200d}' && before.is_some() && after.is_some_and(|c| c > '\u{a0}');
                let selects = matches!(c, '\u{fe0e}' | '\u{fe0f}') && before.is_some_and(|c| !is_hostile(c));
                prop_assert!(!is_hostile(c) || joins || selects, "{:?} in {:?}", c, &safe);
                before = Some(c);
            }
            // Sanitised text does not change when it is sanitised again.
            prop_assert_eq!(line(&safe), safe.as_str());
            let document = serde_json::Value::from(text.as_str());
            let written = json(&document.to_string()).into_owned();
            prop_assert!(!written.contains(is_hostile), "{:?}", &written);
            prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&written).unwrap(), document);
        }
    }
}
