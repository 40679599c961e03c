//! Mentions of issues and pull requests in Markdown.

use std::collections::{BTreeMap, BTreeSet};

/// Mention of an issue or pull request in a text that [`without_code`] returned.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mention<'t> {
    /// Number of the issue or pull request.
    pub(crate) number: u64,
    /// Text before the mention.
    pub(crate) before: &'t str,
}

/// Maximum number of digits of an issue number. A longer sequence of digits is not a mention.
const MAX_DIGITS: usize = 20;

/// Maximum number of backticks that open a code span, as in GitHub's Markdown parser.
const MAX_TICKS: usize = 80;

/// Replacement of code and HTML comments. It contains neither a keyword nor a mention.
const UNSPOKEN: &str = " ` ";

/// Returns the numbers of the issues and pull requests of `owner/name` that a text mentions.
pub(crate) fn mentioned(text: &str, owner: &str, name: &str) -> BTreeSet<u64> {
    let text = without_code(text);
    let all = mentions(&text, owner, name);
    all.into_iter().map(|it| it.number).collect()
}

/// Returns the mentions in a text without code and comments, in order: `#5`, `GH-5`, `owner/name#5`, or the URL of an
/// issue, of a pull request, or of a comment there.
///
/// A mention within the text of a link counts only if the link leads to the same issue.
pub(crate) fn mentions<'t>(spoken: &'t str, owner: &str, name: &str) -> Vec<Mention<'t>> {
    let own = format!("{owner}/{name}");
    let begins = |c: char| c == '#' || "hg".contains(c.to_ascii_lowercase()) || own_begins(&own, c);
    let links = links(spoken);
    let mut found = Vec::new();
    let mut last = ' ';
    for (at, c) in spoken.char_indices() {
        if begins(c)
            && may_precede(last)
            && let Some(number) = reference(&spoken[at..], &own)
        {
            let around = links.partition_point(|link| link.words.start <= at);
            let around = around.checked_sub(1).map(|index| &links[index]);
            let leads = around
                .filter(|link| at < link.words.end)
                .map(|link| reference(&spoken[link.target..], &own));
            if leads.is_none_or(|leads| leads == Some(number)) {
                let before = &spoken[..at];
                found.push(Mention { number, before });
            }
        }
        last = c;
    }
    found
}

fn own_begins(own: &str, c: char) -> bool {
    own.chars()
        .next()
        .is_some_and(|it| it.eq_ignore_ascii_case(&c))
}

/// Reports whether a mention may follow a character. It may not be within a word, a path or a URL, and its number sign
/// may not be escaped or part of a character reference.
fn may_precede(c: char) -> bool {
    !c.is_alphanumeric() && !"_-./\\&#@".contains(c)
}

/// Parses the mention at the start of a text and returns its number.
fn reference(text: &str, own: &str) -> Option<u64> {
    let address = |text| {
        let below = strip_prefix_ignoring_case(text, "https://github.com/")?;
        let below = strip_prefix_ignoring_case(below, own)?;
        ["/issues/", "/pull/"]
            .iter()
            .find_map(|kind| below.strip_prefix(kind))
    };
    let rest = text
        .strip_prefix('#')
        .or_else(|| strip_prefix_ignoring_case(text, "GH-"))
        .or_else(|| strip_prefix_ignoring_case(text, own)?.strip_prefix('#'))
        .or_else(|| address(text))?;
    let digits = rest.bytes().take(MAX_DIGITS).take_while(u8::is_ascii_digit);
    let digits = digits.count();
    let (digits, after) = rest.split_at(digits);
    let goes_on = after.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let number = digits.parse().ok().filter(|number| *number > 0);
    number.filter(|_| !goes_on)
}

fn strip_prefix_ignoring_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let head = text.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix)
        .then(|| &text[prefix.len()..])
}

/// Link in Markdown.
struct Link {
    /// Byte range of the link text, from its opening bracket.
    words: std::ops::Range<usize>,
    /// Byte offset of the link target.
    target: usize,
}

/// Returns the links of a text in order. Links do not nest: of nested ones, only the inner one is a link.
fn links(text: &str) -> Vec<Link> {
    let Some(end) = text.rfind(')') else {
        return Vec::new();
    };
    let (mut found, mut open) = (Vec::<Link>::new(), Vec::new());
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' => open.push(at),
            b']' => {
                let begun = open.pop();
                let target = at + 2;
                if let Some(start) = begun
                    && target <= end
                    && text.as_bytes()[at + 1] == b'('
                    && found.last().is_none_or(|link| link.words.end < start)
                {
                    let words = start..at;
                    found.push(Link { words, target });
                }
            }
            _ => {}
        }
    }
    found
}

/// Replaces the code and the HTML comments of a Markdown text by [`UNSPOKEN`].
pub(crate) fn without_code(text: &str) -> String {
    if !text.contains(['`', '~', '<', '\t']) && !text.contains("    ") {
        return text.to_owned();
    }
    let mut spoken = String::new();
    let mut block = Block::default();
    // End of the range that contains no closing run of backticks, by the length of the run.
    let mut open: BTreeMap<usize, usize> = BTreeMap::new();
    // End of the last paragraph that was searched for its end.
    let mut end = 0;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let begins_line = at == 0 || text.as_bytes()[at - 1] == b'\n';
        if begins_line && let Some(fenced) = fenced(rest) {
            spoken.push_str(UNSPOKEN);
            spoken.push('\n');
            block.begins = true;
            at += fenced;
        } else if begins_line && let Some(indented) = block.indented(rest) {
            spoken.push_str(UNSPOKEN);
            at += indented;
        } else if let Some(length) = unspoken_html(rest) {
            spoken.push_str(UNSPOKEN);
            at += length;
        } else if rest.starts_with("\\`") {
            spoken.push_str("\\`");
            at += 2;
        } else if c == '`' {
            let ticks = run(rest, '`');
            let is_open = ticks > MAX_TICKS || open.get(&ticks).is_some_and(|until| at < *until);
            if end <= at {
                end = at + paragraph(rest);
            }
            let inside = if is_open {
                None
            } else {
                span(&text[at + ticks..end.max(at + ticks)], ticks)
            };
            match inside {
                Some(inside) => {
                    spoken.push_str(UNSPOKEN);
                    at += ticks + inside;
                }
                None => {
                    open.insert(ticks, end);
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

/// Context of a line that decides whether indentation makes it code.
struct Block {
    /// True if a block may begin. Indented code cannot follow a line of a paragraph.
    begins: bool,
    in_list: bool,
}

impl Default for Block {
    fn default() -> Self {
        Self {
            begins: true,
            in_list: false,
        }
    }
}

impl Block {
    /// Returns the length of the line at the start of a text if its indentation makes it code. In a list, an indented
    /// line may be text of an item, so it is not code.
    fn indented(&mut self, text: &str) -> Option<usize> {
        let line = text.lines().next().unwrap_or_default();
        let inner = line.trim_start_matches([' ', '\t']);
        if inner.is_empty() {
            self.begins = true;
            return None;
        }
        let blanks = &line[..line.len() - inner.len()];
        let is_deep = blanks.contains('\t') || blanks.len() > 3;
        if self.begins && is_deep && !self.in_list {
            return Some(line.len());
        }
        if is_entry(inner) {
            self.in_list = true;
        } else if self.begins && blanks.is_empty() {
            self.in_list = false;
        }
        self.begins = false;
        None
    }
}

/// Reports whether a line begins a list item.
fn is_entry(line: &str) -> bool {
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let after = match line.len() - number.len() {
        0 => line.strip_prefix(['-', '*', '+']),
        _ => number.strip_prefix(['.', ')']),
    };
    after.is_some_and(|after| after.starts_with([' ', '\t']) || after.is_empty())
}

/// Returns the length of the HTML comment or the `<pre>` or `<code>` element at the start of a text. Without an end it
/// extends to the end of the text.
fn unspoken_html(text: &str) -> Option<usize> {
    if text.starts_with("<!--") {
        return Some(text.find("-->").map_or(text.len(), |end| end + 3));
    }
    let tag = text.strip_prefix('<')?;
    let name = ["pre", "code"].into_iter().find(|name| {
        let after = strip_prefix_ignoring_case(tag, name);
        after.is_some_and(|after| after.starts_with(['>', ' ', '\n']))
    })?;
    let mut ends = text.match_indices("</").map(|(at, _)| at + 2);
    let end = ends.find(|at| strip_prefix_ignoring_case(&text[*at..], name).is_some());
    Some(end.map_or(text.len(), |end| end + name.len()))
}

/// Returns the number of repetitions of a character at the start of a text.
fn run(text: &str, of: char) -> usize {
    text.chars().take_while(|&c| c == of).count()
}

/// Returns the length of the first paragraph, which ends at an empty line.
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

/// Returns the length of the fenced code block at the start of a text, including its fences. Without a closing fence it
/// extends to the end of the text.
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

/// Returns the length of the rest of a code span after its opening backticks, including the closing ones.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str) -> Vec<u64> {
        let text = without_code(text);
        let all = mentions(&text, "acme", "demo");
        all.into_iter().map(|it| it.number).collect()
    }

    #[test]
    fn a_mention_has_one_of_four_forms() {
        for text in [
            "#5",
            "see #5.",
            "(#5)",
            "[#5]",
            "**#5**",
            "\"#5\", they say",
            "#5-ish",
            "#5: more",
            "\u{2014}#5",
            "a/b, #5",
            "GH-5",
            "gh-5",
            "acme/demo#5",
            "Acme/DEMO#5",
            "https://github.com/acme/demo/issues/5",
            "https://github.com/acme/demo/pull/5",
            "HTTPS://GitHub.com/Acme/demo/issues/5.",
            "<https://github.com/acme/demo/issues/5#issuecomment-17>",
            "https://github.com/acme/demo/pull/5#discussion_r17",
            "https://github.com/acme/demo/pull/5/files",
            "[there](https://github.com/acme/demo/issues/5)",
            "![#6](x.png) #5",
            "[#6 as told](https://example.org/6) and #5",
            "[a [b](x) #5](y)",
            "[x] (#5)",
            "[](((( #5",
        ] {
            assert_eq!(numbers(text), [5], "{text}");
        }
        assert_eq!(numbers("#1, #2,#3 and GH-1"), [1, 2, 3, 1]);
        assert_eq!(
            numbers("[#5](https://github.com/acme/demo/issues/5)"),
            [5, 5]
        );
        let twice = mentioned("#3 #1 #3", "acme", "demo");
        assert_eq!(twice.into_iter().collect::<Vec<u64>>(), [1, 3]);
    }

    #[test]
    fn texts_that_resemble_a_reference_are_none() {
        for text in [
            "",
            "#",
            "# 5",
            "5",
            "#0",
            "#a",
            "#5a",
            "#5_",
            "a#5",
            "_#5",
            "##5",
            "/#5",
            "page.html#5",
            "\\#5",
            "&#35;5",
            "#99999999999999999999",
            "GH5",
            "GH-",
            "GH-5b",
            "NIGH-5",
            "foo/bar#5",
            "other/demo#5",
            "acme/demo-two#5",
            "big-acme/demo#5",
            "x/acme/demo#5",
            "acme/demo/issues/5",
            "https://github.com/acme/demo/issues/new",
            "https://github.com/acme/demo/discussions/5",
            "https://github.com/foo/bar/issues/5",
            "https://github.example/acme/demo/issues/5",
            "https://example.org/?to=https://github.com/acme/demo2/issues/5",
            "[#5](https://example.org)",
            "[#5](https://github.com/foo/bar/issues/5)",
        ] {
            assert_eq!(numbers(text), [0; 0], "{text}");
        }
    }

    #[test]
    fn long_runs_of_backticks_and_digits_are_read_once() {
        let ticks = |count: usize| "`".repeat(count);
        let (code, text) = (ticks(MAX_TICKS), ticks(MAX_TICKS + 1));
        assert_eq!(numbers(&format!("{code} #1 {code}")), [0; 0]);
        assert_eq!(numbers(&format!("{text} #1 {text}")), [1]);
        assert_eq!(numbers(&format!("#1{}", "1".repeat(100))), [0; 0]);
        assert_eq!(numbers("#00000000000000000005"), [5]);
        // One paragraph with several code spans, which ends with the text.
        let many = "`a` #2 ".repeat(3);
        assert_eq!(numbers(&many), [2; 3]);
        assert_eq!(numbers("`a` ` #2\n\n` #3"), [2, 3]);
    }

    #[test]
    fn nothing_is_mentioned_in_code_and_comments() {
        for text in [
            "`#1`",
            "write `see #1` there",
            "`` ` #1 ``",
            "```\n#1\n```\n",
            "~~~ text\n#1\n```\n#1",
            "  ```sh\n#1\n  ```",
            "<!-- #1 -->",
            "<!--\n#1",
            "    #1",
            "so:\n\n    #1\n\n    #1",
            "\t#1",
            "- a\n\nb\n\n    #1",
            "```\n```\n    #1",
            "<code>#1</code>",
            "<PRE class=x>\n#1\n</pre>",
            "<code>#1",
        ] {
            assert_eq!(numbers(text), [0; 0], "{text}");
        }
        for text in [
            "`a` #1, `b`",
            "a ` #1",
            "a `\n\n#1 `",
            "```\na\n```\n#1",
            "\\`#1\\`",
            "<!-- a --> #1",
            "a < b, ~~not~~ #1",
            "a\n    #1",
            "- a\n\n    #1",
            "10. a\n\n    #1\n",
            "    a\n#1",
            "<code>a</code> #1",
            "<codec> #1",
            "   #1",
        ] {
            assert_eq!(numbers(text), [1], "{text}");
        }
    }
}
