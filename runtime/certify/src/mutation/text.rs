//! Mutants of a text, with one mistake each.

use mcpmark_kinds::Mutation;

use super::dates;

/// Mutant of a text, with its mutation and a description.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MutatedText {
    pub(super) mutation: Mutation,
    pub(super) what: String,
    pub(super) text: String,
}

/// Returns mutants of a text, up to `most` for each mutation, spread over the whole text.
///
/// `before` is the content of the file in the starting state, if it existed. Unchanged lines are mutated as well,
/// because an edit must not change them, and new lines are also reverted.
pub(super) fn mutate_text(text: &str, before: Option<&str>, most: usize) -> Vec<MutatedText> {
    let lines = Lines::of(text);
    let mut all = whole(text);
    let mut add = |mutation, found: Vec<(String, String)>| {
        all.extend(found.into_iter().map(|(what, text)| MutatedText {
            mutation,
            what,
            text,
        }));
    };
    let places: Vec<usize> = (0..lines.lines.len()).collect();
    add(
        Mutation::DROP_LINE,
        spread(&places, most, |line| Some(lines.without(line))),
    );
    add(
        Mutation::DUPLICATE_LINE,
        spread(&places, most, |line| Some(lines.doubled(line))),
    );
    add(
        Mutation::SWAP_LINES,
        spread(&places, most, |line| lines.swapped(line)),
    );
    add(
        Mutation::STRAY_LINE,
        spread(&places, most.min(6), |line| {
            Some(lines.with(line, "stray 1"))
        }),
    );
    add(
        Mutation::BLANK_LINE,
        spread(&places, most.min(4), |line| Some(lines.with(line, ""))),
    );
    add(
        Mutation::TRAILING_SPACE,
        spread(&places, most.min(4), |line| {
            let content = lines.lines[line];
            Some(lines.replaced(line, &format!("{content} "), "a space at the end"))
        }),
    );
    add(
        Mutation::SWAP_FIELDS,
        spread(&places, most, |line| {
            let swapped = swap_fields(lines.lines[line])?;
            Some(lines.replaced(line, &swapped, "two fields swapped"))
        }),
    );
    if let Some(before) = before {
        add(Mutation::STALE, stale_lines(&lines, before, most));
    }
    add(Mutation::NUMBER, numbers(text, most));
    add(Mutation::DATE, shifted_dates(text, most));
    add(Mutation::CASE, words(text, most));
    all
}

/// Returns mutants that affect the text as a whole.
fn whole(text: &str) -> Vec<MutatedText> {
    let mut all = Vec::new();
    let mut add = |mutation, what: &str, text: String| {
        all.push(MutatedText {
            mutation,
            what: what.to_owned(),
            text,
        });
    };
    let lines = Lines::of(text);
    add(Mutation::EMPTY, "emptied", String::new());
    let half = (text.len() / 2..text.len()).find(|at| text.is_char_boundary(*at));
    if let Some(half) = half {
        add(
            Mutation::TRUNCATE,
            "only the first half",
            text[..half].to_owned(),
        );
    }
    if lines.lines.len() > 2 {
        let last = lines.lines.len() - 1;
        add(
            Mutation::TRUNCATE,
            "without its last line",
            lines.without(last).1,
        );
        let reversed: Vec<&str> = std::iter::once(lines.lines[0])
            .chain(lines.lines[1..].iter().rev().copied())
            .collect();
        add(
            Mutation::REVERSE_LINES,
            "all lines after the first reversed",
            lines.join(&reversed),
        );
    }
    match text.strip_suffix('\n') {
        Some(rest) => {
            add(
                Mutation::FINAL_NEWLINE,
                "no newline at the end",
                rest.trim_end_matches('\r').to_owned(),
            );
            add(
                Mutation::FINAL_NEWLINE,
                "one more newline at the end",
                format!("{text}\n"),
            );
        }
        None => add(
            Mutation::FINAL_NEWLINE,
            "a newline at the end",
            format!("{text}\n"),
        ),
    }
    match text.strip_prefix('\u{feff}') {
        Some(rest) => add(
            Mutation::BYTE_ORDER_MARK,
            "without its byte order mark",
            rest.to_owned(),
        ),
        None => add(
            Mutation::BYTE_ORDER_MARK,
            "a byte order mark at the start",
            format!("\u{feff}{text}"),
        ),
    }
    if text.contains("\r\n") {
        add(
            Mutation::LINE_ENDS,
            "LF for CRLF",
            text.replace("\r\n", "\n"),
        );
    } else if text.contains('\n') {
        add(
            Mutation::LINE_ENDS,
            "CRLF for LF",
            text.replace('\n', "\r\n"),
        );
    }
    all
}

/// Lines of a text, with their line ending.
struct Lines<'a> {
    lines: Vec<&'a str>,
    end: &'static str,
    is_ended: bool,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        Self {
            lines: text.lines().collect(),
            end: if text.contains("\r\n") { "\r\n" } else { "\n" },
            is_ended: text.ends_with('\n'),
        }
    }

    fn join(&self, lines: &[&str]) -> String {
        let mut text = lines.join(self.end);
        if self.is_ended && !lines.is_empty() {
            text.push_str(self.end);
        }
        text
    }

    fn edited(
        &self,
        what: &str,
        line: usize,
        edit: impl FnOnce(&mut Vec<&'a str>),
    ) -> (String, String) {
        let mut lines: Vec<&'a str> = self.lines.clone();
        edit(&mut lines);
        (format!("line {}: {what}", line + 1), self.join(&lines))
    }

    fn without(&self, line: usize) -> (String, String) {
        self.edited("missing", line, |lines| {
            lines.remove(line);
        })
    }

    fn doubled(&self, line: usize) -> (String, String) {
        self.edited("twice", line, |lines| lines.insert(line, self.lines[line]))
    }

    fn swapped(&self, line: usize) -> Option<(String, String)> {
        if self.lines.get(line + 1)? == &self.lines[line] {
            return None;
        }
        Some(self.edited("swapped with the next", line, |lines| {
            lines.swap(line, line + 1);
        }))
    }

    fn with(&self, line: usize, stray: &'static str) -> (String, String) {
        self.edited("a line after it", line, |lines| {
            lines.insert(line + 1, stray)
        })
    }

    fn replaced(&self, line: usize, with: &str, what: &str) -> (String, String) {
        let mut text = String::new();
        for (index, content) in self.lines.iter().enumerate() {
            text.push_str(if index == line { with } else { content });
            if index + 1 < self.lines.len() || self.is_ended {
                text.push_str(self.end);
            }
        }
        (format!("line {}: {what}", line + 1), text)
    }
}

/// Returns mutants in which a new line is replaced by the old line with the same number, if that line was removed.
fn stale_lines(lines: &Lines<'_>, before: &str, most: usize) -> Vec<(String, String)> {
    let old: Vec<&str> = before.lines().collect();
    let new: Vec<usize> = (0..lines.lines.len())
        .filter(|line| !old.contains(&lines.lines[*line]))
        .collect();
    spread(&new, most, |line| {
        let was = old.get(line)?;
        let is_gone = !lines.lines.contains(was);
        is_gone.then(|| lines.replaced(line, was, "as it was at the start"))
    })
}

/// Returns up to `most` edits, spread evenly over the positions.
fn spread<P: Copy, T>(places: &[P], most: usize, edit: impl Fn(P) -> Option<T>) -> Vec<T> {
    if places.len() <= most {
        return places.iter().filter_map(|place| edit(*place)).collect();
    }
    // In each section of the positions, the first one that can be edited is used.
    let mut edits = Vec::new();
    for number in 0..most {
        let (from, to) = (
            number * places.len() / most,
            (number + 1) * places.len() / most,
        );
        edits.extend(places[from..to].iter().find_map(|place| edit(*place)));
    }
    edits
}

fn replace(text: &str, at: usize, length: usize, with: &str) -> String {
    [&text[..at], with, &text[at + length..]].concat()
}

fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// Returns mutants of numbers. By its position in the text, a number is increased by one in its last place, decreased
/// by one in its last place, or increased by one.
fn numbers(text: &str, most: usize) -> Vec<(String, String)> {
    let places = number_places(text);
    let numbered: Vec<(usize, usize, usize)> = places
        .iter()
        .enumerate()
        .map(|(index, (at, length))| (index, *at, *length))
        .collect();
    spread(&numbered, most, |(index, at, length)| {
        let number = &text[at..at + length];
        let with = match index % 3 {
            0 => add(number, 1, false),
            1 => add(number, -1, false).or_else(|| add(number, 1, false)),
            _ => add(number, 1, true),
        }?;
        Some((
            format!("line {}: {with} for {number}", line_of(text, at)),
            replace(text, at, length, &with),
        ))
    })
}

/// Returns start and length of all unsigned decimal numbers.
fn number_places(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut places = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        let digits = |mut at: usize| {
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            at
        };
        at = digits(at);
        if bytes.get(at) == Some(&b'.') && bytes.get(at + 1).is_some_and(u8::is_ascii_digit) {
            at = digits(at + 1);
        }
        places.push((start, at - start));
    }
    places
}

/// Adds `step` to a number, in its last place or in its ones place, and keeps the width. Returns `None` if the result
/// is negative.
fn add(number: &str, step: i128, to_ones: bool) -> Option<String> {
    let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
    let scale = u32::try_from(decimals.len()).ok()?;
    let value: i128 = [whole, decimals].concat().parse().ok()?;
    let step = if to_ones {
        step.checked_mul(10_i128.checked_pow(scale)?)?
    } else {
        step
    };
    let sum = value.checked_add(step).filter(|sum| *sum >= 0)?;
    let digits = format!("{sum:0width$}", width = whole.len() + decimals.len());
    let (whole, decimals) = digits.split_at(digits.len() - decimals.len());
    Some(if decimals.is_empty() {
        whole.to_owned()
    } else {
        format!("{whole}.{decimals}")
    })
}

/// Returns mutants in which a date is one day earlier or later.
fn shifted_dates(text: &str, most: usize) -> Vec<(String, String)> {
    spread(&dates::places(text), most, |place| {
        let with = place.shifted()?;
        let date = &text[place.at..place.at + place.length];
        Some((
            format!("line {}: {with} for {date}", line_of(text, place.at)),
            replace(text, place.at, place.length, &with),
        ))
    })
}

/// Returns mutants in which the first letter of a word changes its case.
fn words(text: &str, most: usize) -> Vec<(String, String)> {
    let bytes = text.as_bytes();
    let places: Vec<usize> = (0..bytes.len())
        .filter(|at| {
            bytes[*at].is_ascii_alphabetic()
                && bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic)
                && (*at == 0 || !(bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] >= 0x80))
        })
        .collect();
    spread(&places, most, |at| {
        let flipped = char::from(bytes[at] ^ 0x20).to_string();
        let word: String = text[at..]
            .chars()
            .take_while(|c| c.is_alphanumeric())
            .take(20)
            .collect();
        let with = format!("{flipped}{}", &word[1..]);
        Some((
            format!("line {}: {with} for {word}", line_of(text, at)),
            replace(text, at, 1, &flipped),
        ))
    })
}

/// Swaps the first two adjacent fields of a line that differ.
fn swap_fields(line: &str) -> Option<String> {
    let separator = ['\t', '|', ';', ',']
        .into_iter()
        .find(|separator| line.contains(*separator))?;
    let mut fields: Vec<&str> = line.split(separator).collect();
    let at = (0..fields.len() - 1).find(|at| fields[*at].trim() != fields[at + 1].trim())?;
    fields.swap(at, at + 1);
    Some(fields.join(&separator.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str, before: Option<&str>, mutation: Mutation) -> Vec<String> {
        mutate_text(text, before, 8)
            .into_iter()
            .filter(|mutated| mutated.mutation == mutation)
            .map(|mutated| mutated.text)
            .collect()
    }

    #[test]
    fn numbers_are_off_by_one_or_by_one_in_the_last_place() {
        assert_eq!(add("09.90", 1, false).as_deref(), Some("09.91"));
        assert_eq!(add("9.99", 1, false).as_deref(), Some("10.00"));
        assert_eq!(add("9.99", 1, true).as_deref(), Some("10.99"));
        assert_eq!(add("007", -1, false).as_deref(), Some("006"));
        assert_eq!(add("0", -1, false), None);
        assert_eq!(
            texts("a 1, b 2.5\n", None, Mutation::NUMBER),
            ["a 2, b 2.5\n", "a 1, b 2.4\n"]
        );
    }

    #[test]
    fn lines_are_dropped_doubled_and_swapped() {
        assert_eq!(texts("a\nb\n", None, Mutation::DROP_LINE), ["b\n", "a\n"]);
        assert_eq!(
            texts("a\r\nb", None, Mutation::DUPLICATE_LINE),
            ["a\r\na\r\nb", "a\r\nb\r\nb"]
        );
        assert_eq!(
            texts("a\na\nb\n", None, Mutation::SWAP_LINES),
            ["a\nb\na\n"]
        );
        assert_eq!(
            texts("a,b\nc,c\n", None, Mutation::SWAP_FIELDS),
            ["b,a\nc,c\n"]
        );
    }

    #[test]
    fn an_edited_line_is_put_back() {
        assert_eq!(
            texts("a\nnew\n", Some("a\nold\n"), Mutation::STALE),
            ["a\nold\n"]
        );
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_mutated(text in "[aB1.\\-,\r\n é]{0,40}", before in proptest::option::of("[a\n]{0,5}")) {
            for mutated in mutate_text(&text, before.as_deref(), 5) {
                proptest::prop_assert!(!mutated.what.is_empty());
            }
        }
    }
}
