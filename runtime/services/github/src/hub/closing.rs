//! Closing keywords: issues that the text of a pull request or a commit closes.

use std::collections::HashSet;

use super::mentions::{mentions, without_code};

const KEYWORDS: [&str; 9] = [
    "close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved",
];

/// Returns the numbers of the issues of `owner/name` that a text closes, in order and without duplicates.
///
/// A mention of an issue closes it if a keyword, an optional colon, and white space without an empty line precede it.
/// Code and HTML comments are ignored.
pub fn closes(text: &str, owner: &str, name: &str) -> Vec<u64> {
    let (mut found, mut known) = (Vec::new(), HashSet::new());
    let text = without_code(text);
    for mention in mentions(&text, owner, name) {
        if ends_with_keyword(mention.before) && known.insert(mention.number) {
            found.push(mention.number);
        }
    }
    found
}

/// Reports whether a text ends with a closing keyword, followed by white space with at most one line break.
fn ends_with_keyword(text: &str) -> bool {
    let text = text.trim_end_matches(['(', '[', '*']);
    let words = text.trim_end();
    let blanks = &text[words.len()..];
    if blanks.is_empty() || blanks.matches('\n').count() > 1 {
        return false;
    }
    let word = words.rsplit(char::is_whitespace).next().unwrap_or_default();
    let word = word.trim_start_matches(|c: char| !c.is_alphanumeric());
    let keyword = word.strip_suffix(':').unwrap_or(word);
    KEYWORDS
        .iter()
        .any(|known| known.eq_ignore_ascii_case(keyword))
}

#[cfg(test)]
mod tests {
    use super::closes;

    #[test]
    fn a_keyword_must_stand_right_before_the_issue() {
        let numbers = |text| closes(text, "o", "r");
        assert_eq!(
            numbers("Fixes #12, closes #3.\nResolved: o/r#4"),
            [12, 3, 4]
        );
        assert_eq!(numbers("fixes #1 and #2"), [1]);
        assert_eq!(numbers("CLOSES #7, closes #7"), [7]);
        assert_eq!(numbers("resolves https://github.com/O/r/issues/9"), [9]);
        assert_eq!(numbers("(fix #5)"), [5]);
        assert_eq!(
            numbers("fix **#5**, fix [#6](https://github.com/o/r/issues/6)"),
            [5, 6]
        );
        assert_eq!(numbers("fixes\nGH-5"), [5]);
        assert_eq!(
            numbers(
                "closes other/r#4, see #3, fixing #2, fixes 8, fixes #2a, fixes:#2, fix [#5](there), \
                 fixes\n\n#3, fixes \r\n \r\n#3"
            ),
            [0; 0]
        );
    }

    #[test]
    fn code_and_comments_close_nothing() {
        let numbers = |text| closes(text, "o", "r");
        for text in [
            "write `fixes #1` there",
            "fixes `#1`",
            "`` fixes ` #1 ``",
            "```\nfixes #1\n```\n",
            "    fixes #1",
            "so:\n\n    fixes #1\n",
            "so:\n\n\tfixes #1",
            "<pre>\nfixes #1\n</pre>",
            "<!-- fixes #1 -->",
            "fixes <!-- --> #1",
            "fixes <code>a</code> #1",
        ] {
            assert_eq!(numbers(text), [0; 0], "{text}");
        }
        for text in [
            "`a` fixes #1, `b`",
            "a ` fixes #1",
            "`` a ` fixes #1",
            "```\na\n```\nfixes #1",
            "```a```\nfixes #1\n```b```",
            "\\`fixes #1\\`",
            "<!-- a --> fixes #1",
            "a < b, ~~not~~ fixes #1",
        ] {
            assert_eq!(numbers(text), [1], "{text}");
        }
    }
}
