//! The words with which a pull request or a commit closes an issue.

use std::collections::BTreeMap;

const KEYWORDS: [&str; 9] = [
    "close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved",
];

/// The numbers of the issues of `owner/name` that a text closes, in order and once each.
///
/// A keyword, an optional colon, blanks, and then `#5`, `owner/name#5` or the address of the issue.
/// Code and HTML comments close nothing.
pub fn closes(text: &str, owner: &str, name: &str) -> Vec<u64> {
    let mut found = Vec::new();
    let text = spoken(text);
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let word = word.trim_start_matches(|c: char| !c.is_alphanumeric());
        let keyword = word.strip_suffix(':').unwrap_or(word);
        if !KEYWORDS
            .iter()
            .any(|known| known.eq_ignore_ascii_case(keyword))
        {
            continue;
        }
        if let Some(number) = words.peek().and_then(|next| reference(next, owner, name))
            && !found.contains(&number)
        {
            found.push(number);
        }
    }
    found
}

/// What stands for code and comments in a text: no keyword, and no issue.
const UNSPOKEN: &str = " ` ";

/// A text of Markdown without its code and its HTML comments.
fn spoken(text: &str) -> String {
    if !text.contains(['`', '~', '<']) {
        return text.to_owned();
    }
    let mut spoken = String::new();
    // Up to where there is no end to a span of code that begins with so many backticks.
    let mut open: BTreeMap<usize, usize> = BTreeMap::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let begins_line = at == 0 || text.as_bytes()[at - 1] == b'\n';
        if begins_line && let Some(fenced) = fenced(rest) {
            spoken.push_str(UNSPOKEN);
            spoken.push('\n');
            at += fenced;
        } else if rest.starts_with("<!--") {
            spoken.push_str(UNSPOKEN);
            at += rest.find("-->").map_or(rest.len(), |end| end + 3);
        } else if rest.starts_with("\\`") {
            spoken.push_str("\\`");
            at += 2;
        } else if c == '`' {
            let ticks = run(rest, '`');
            let is_open = open.get(&ticks).is_some_and(|until| at < *until);
            let paragraph = paragraph(rest);
            match span(&rest[ticks..paragraph], ticks).filter(|_| !is_open) {
                Some(inside) => {
                    spoken.push_str(UNSPOKEN);
                    at += ticks + inside;
                }
                None => {
                    open.insert(ticks, at + paragraph);
                    spoken.push_str(&rest[..ticks]);
                    at += ticks;
                }
            }
        } else {
            spoken.push(c);
            at += c.len_utf8();
        }
    }
    spoken
}

/// How often a character stands at the beginning of a text.
fn run(text: &str, of: char) -> usize {
    text.chars().take_while(|&c| c == of).count()
}

/// Where a paragraph ends: at an empty line.
fn paragraph(text: &str) -> usize {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if at > 0 && line.trim().is_empty() {
            break;
        }
        at += line.len();
    }
    at
}

/// The length of a fenced block of code, with its fences, where a text begins with one. Without a
/// second fence it goes on to the end.
fn fenced(text: &str) -> Option<usize> {
    let fence = |line: &str| {
        let inner = line.trim_start_matches(' ');
        let mark = inner.chars().next().filter(|c| ['`', '~'].contains(c))?;
        let length = run(inner, mark);
        let after = &inner[length..];
        (line.len() - inner.len() < 4 && length > 2)
            .then(|| (mark, length, after.trim().to_owned()))
    };
    let mut lines = text.split_inclusive('\n');
    let first = lines.next()?;
    let (mark, length, info) = fence(first)?;
    if mark == '`' && info.contains('`') {
        return None;
    }
    let mut at = first.len();
    for line in lines {
        at += line.len();
        let closing = fence(line);
        if closing.is_some_and(|(by, many, after)| by == mark && many >= length && after.is_empty())
        {
            break;
        }
    }
    Some(at)
}

/// The length of what follows an opening run of backticks, up to and with the closing one.
fn span(text: &str, ticks: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text[at..].find('`') {
        at += found;
        let length = run(&text[at..], '`');
        at += length;
        if length == ticks {
            return Some(at);
        }
    }
    None
}

/// The number that a word refers to, where it begins with a reference to an issue.
fn reference(word: &str, owner: &str, name: &str) -> Option<u64> {
    let word = word.trim_start_matches(['(', '[', '*', '_']);
    let own = format!("{owner}/{name}");
    let rest = match word.strip_prefix('#') {
        Some(rest) => rest,
        None => strip_prefix_ignoring_case(word, &format!("{own}#"))
            .or_else(|| {
                strip_prefix_ignoring_case(word, &format!("https://github.com/{own}/issues/"))
            })
            .or_else(|| strip_prefix_ignoring_case(word, "GH-"))?,
    };
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    let after = rest[digits.len()..].chars().next();
    if after.is_some_and(|c| c.is_alphanumeric() || c == '_') {
        return None;
    }
    digits.parse().ok()
}

fn strip_prefix_ignoring_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let head = text.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix)
        .then(|| &text[prefix.len()..])
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
            numbers("closes other/r#4, see #3, fixing #2, fixes 8, fixes #2a"),
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
            "~~~ text\nfixes #1\n```\nfixes #1",
            "  ```sh\nfixes #1\n  ```",
            "<!-- fixes #1 -->",
            "<!--\nfixes #1",
            "fixes <!-- --> #1",
        ] {
            assert_eq!(numbers(text), [0; 0], "{text}");
        }
        for text in [
            "`a` fixes #1, `b`",
            "a ` fixes #1",
            "a `\n\nfixes #1 `",
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
