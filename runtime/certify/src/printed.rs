//! Normalisation of the output of two Python installations for comparison: error numbers depend on the system, and the
//! order of a set is random in each process.

use std::collections::BTreeMap;

/// Removes error numbers and sorts sets.
pub(crate) fn comparable(text: &str) -> String {
    sets_sorted(&without_errnos(text))
}

fn without_errnos(text: &str) -> String {
    const ERRNO: &str = "[Errno ";
    let mut left = String::new();
    let mut parts = text.split(ERRNO);
    left.push_str(parts.next().unwrap_or_default());
    for part in parts {
        left.push_str(ERRNO);
        left.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    left
}

/// Sorts the elements of all sets that are printed in braces.
fn sets_sorted(text: &str) -> String {
    let mut sorted = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        sorted.push_str(&rest[..at]);
        match braces(&rest[at..]) {
            Some((shown, after)) => {
                sorted.push_str(&shown);
                rest = after;
            }
            None => {
                sorted.push('{');
                rest = &rest[at + 1..];
            }
        }
    }
    sorted + rest
}

/// Parses a set or mapping in braces at the start of `text`. Returns it, with sorted elements if it is a set, and the
/// rest of the text. Returns `None` if the text does not start with either.
fn braces(text: &str) -> Option<(String, &str)> {
    let mut rest = text.strip_prefix('{')?;
    let (mut elements, mut element) = (Vec::new(), String::new());
    let (mut depth, mut is_mapping) = (0_u32, false);
    loop {
        let next = rest.chars().next()?;
        let after = &rest[next.len_utf8()..];
        match next {
            '\n' => return None,
            '}' if depth == 0 => {
                elements.push(element);
                let set = !is_mapping && elements.iter().all(|it| !it.trim().is_empty());
                if set {
                    elements
                        .iter_mut()
                        .for_each(|it| *it = it.trim().to_owned());
                    elements.sort();
                }
                let between = if set { ", " } else { "," };
                return Some((format!("{{{}}}", elements.join(between)), after));
            }
            '{' => {
                let (inner, behind) = braces(rest)?;
                element.push_str(&inner);
                rest = behind;
                continue;
            }
            '\'' | '"' => {
                let length = quoted(after, next)?;
                element.push(next);
                element.push_str(&after[..length]);
                rest = &after[length..];
                continue;
            }
            ',' if depth == 0 => elements.push(std::mem::take(&mut element)),
            _ => {
                match next {
                    '(' | '[' => depth += 1,
                    ')' | ']' => depth = depth.checked_sub(1)?,
                    ':' if depth == 0 => is_mapping = true,
                    _ => {}
                }
                element.push(next);
            }
        }
        rest = after;
    }
}

/// Returns the number of bytes up to and including the closing quote.
fn quoted(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, next) in text.char_indices() {
        match next {
            '\n' => return None,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if next == quote => return Some(at + quote.len_utf8()),
            _ => {}
        }
    }
    None
}

/// Reports whether `here` is consistent with the outputs of several runs: it has as many lines as one of them, and
/// contains each line that all of them contain, regardless of the order of lines and of words. Lines that differ
/// between the runs are ignored.
pub(crate) fn is_one_of(here: &str, runs: &[&str]) -> bool {
    let own = counted(here);
    let mut common: Option<BTreeMap<Vec<&str>, usize>> = None;
    for run in runs {
        let lines = counted(run);
        common = Some(match common {
            None => lines,
            Some(before) => before
                .into_iter()
                .filter_map(|(line, times)| {
                    let times = times.min(*lines.get(&line)?);
                    Some((line, times))
                })
                .collect(),
        });
    }
    let has = |(line, times): (&Vec<&str>, &usize)| own.get(line).is_some_and(|it| it >= times);
    let length = here.lines().count();
    runs.iter().any(|run| run.lines().count() == length)
        && common.is_some_and(|common| common.iter().all(has))
}

/// Counts equal lines. The key of a line is the sorted list of its words.
fn counted(text: &str) -> BTreeMap<Vec<&str>, usize> {
    let mut lines = BTreeMap::new();
    for line in text.lines() {
        let words = line.split(|c: char| c.is_whitespace() || "(){}[],;".contains(c));
        let mut words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        words.sort_unstable();
        *lines.entry(words).or_default() += 1;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_errors_are_left_out() {
        assert_eq!(
            comparable("[Errno 44] No such file\n[Errno 2]: x [Errnoes]\n"),
            "[Errno ] No such file\n[Errno ]: x [Errnoes]\n"
        );
    }

    #[test]
    fn sets_are_sorted_wherever_they_stand() {
        for (printed, sorted) in [
            ("{'b', 'a'}", "{'a', 'b'}"),
            (
                "missing: {3, 20, 1}!\n{2, 1}\n",
                "missing: {1, 20, 3}!\n{1, 2}\n",
            ),
            ("frozenset({'b', 'a'})", "frozenset({'a', 'b'})"),
            ("{('b, c', 2), ('a', 1)}", "{('a', 1), ('b, c', 2)}"),
            ("{'it\\'s, }', \"a}\"}", "{\"a}\", 'it\\'s, }'}"),
            ("{'k': {'b', 'a'}, 'a': {}}", "{'k': {'a', 'b'}, 'a': {}}"),
            ("{frozenset({2, 1}), 0}", "{0, frozenset({1, 2})}"),
        ] {
            assert_eq!(comparable(printed), sorted);
        }
        for kept in [
            "{'b': 1, 'a': 2}",
            "{\"b\":1,\"a\":2}",
            "{}",
            "{b",
            "{b, a\n}",
            "{don't, a}",
            "{b), a}",
            "} {{",
            "{, }",
        ] {
            assert_eq!(comparable(kept), kept);
        }
    }

    #[test]
    fn only_output_that_varies_natively_is_tolerated() {
        let runs = ["b\na\nfound: y, x\nat 17\n", "a\nb\nfound: x, y\nat 18\n"];
        assert!(is_one_of("a\nb\nfound: x, y\nat 3\n", &runs));
        assert!(is_one_of("at 3\nb\nfound: y, x\na\n", &runs));
        assert!(!is_one_of("a\nb\nfound: x, z\nat 3\n", &runs));
        assert!(!is_one_of("a\na\nfound: x, y\nat 3\n", &runs));
        assert!(!is_one_of("a\nb\nfound: x, y\nat 3\nmore\n", &runs));
        assert!(!is_one_of("", &runs));
    }
}
