//! The words with which a pull request or a commit closes an issue.

const KEYWORDS: [&str; 9] = [
    "close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved",
];

/// The numbers of the issues of `owner/name` that a text closes, in order and once each.
///
/// A keyword, an optional colon, blanks, and then `#5`, `owner/name#5` or the address of the issue.
pub fn closes(text: &str, owner: &str, name: &str) -> Vec<u64> {
    let mut found = Vec::new();
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
}
