//! Lists of days with one month, such as "9, 17 and 30 April", in the form in which each day is a date.

use std::collections::BTreeSet;

use mcpmark_guest::jiff::civil::{Date, date};

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

const YEAR: i16 = 2026;

/// Gives the days of such lists their month, if they are among these days. Other numbers stay as they are.
pub fn spelled_out(text: &str, days: &BTreeSet<Date>) -> String {
    let words = words(text);
    let mut months: Vec<(usize, i8)> = Vec::new();
    for (at, (start, end)) in words.iter().enumerate() {
        let Some(month) = month(&text[*start..*end]) else {
            continue;
        };
        let in_front = listed(text, &words, at, (0..at).rev());
        let behind = listed(text, &words, at, at + 1..words.len());
        // The day next to the month is a date already.
        let lists = [in_front, behind]
            .into_iter()
            .flat_map(|list| list.into_iter().skip(1));
        let known = lists.filter(|word| {
            let (start, end) = words[*word];
            // The minutes of a time and the digits of an amount are no days.
            let before = text[..start].chars().next_back();
            if !before.is_none_or(|it| it.is_whitespace() || "(,/".contains(it)) {
                return false;
            }
            day(&text[start..end])
                .and_then(|day| Date::new(YEAR, month, day).ok())
                .is_some_and(|it| days.contains(&it))
        });
        months.extend(known.map(|word| (words[word].1, month)));
    }
    months.sort_unstable();
    months.dedup_by_key(|(end, _)| *end);
    let mut found = String::new();
    let mut done = 0;
    for (end, month) in months {
        found.push_str(&text[done..end]);
        found.push(' ');
        found.push_str(&date(YEAR, month, 1).strftime("%B").to_string());
        done = end;
    }
    found.push_str(&text[done..]);
    found
}

/// Returns the words with the days of the list that begins next to a month, from the month on.
fn listed(
    text: &str,
    words: &[(usize, usize)],
    month: usize,
    order: impl Iterator<Item = usize>,
) -> Vec<usize> {
    let mut found = Vec::new();
    let mut last = month;
    for at in order {
        let (start, end) = words[at];
        let gap = &text[words[at.min(last)].1..words[at.max(last)].0];
        if !gap
            .chars()
            .all(|it| it.is_whitespace() || ",&/".contains(it))
        {
            break;
        }
        last = at;
        let word = &text[start..end];
        if day(word).is_some() {
            found.push(at);
        } else if !["of", "the", "and"].contains(&word.to_lowercase().as_str()) {
            break;
        }
    }
    found
}

/// Returns the ranges of the words and numbers. An amount such as 1.50 is one word.
fn words(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut start = None;
    let inside = |at: usize, it: char| {
        let is_point = it == '.' && text[at + 1..].starts_with(|next: char| next.is_ascii_digit());
        it.is_alphanumeric() || is_point
    };
    for (at, it) in text.char_indices() {
        match (start, inside(at, it)) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                found.push((from, at));
                start = None;
            }
            _ => {}
        }
    }
    found.extend(start.map(|from| (from, text.len())));
    found
}

/// Reads the name of a month, or its first three letters.
fn month(word: &str) -> Option<i8> {
    let word = word.to_lowercase();
    let at = MONTHS
        .iter()
        .position(|name| *name == word || name[..3] == word)?;
    i8::try_from(at + 1).ok()
}

/// Reads a day of a month: `9` or `9th`.
fn day(word: &str) -> Option<i8> {
    let digits = ["st", "nd", "rd", "th"]
        .iter()
        .find_map(|ending| word.strip_suffix(ending))
        .unwrap_or(word);
    if digits.len() > 2 || !digits.bytes().all(|it| it.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok().filter(|day| (1..=31).contains(day))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sold() -> BTreeSet<Date> {
        [9, 17, 30].map(|day| date(2026, 4, day)).into()
    }

    #[test]
    fn each_day_of_a_list_gets_its_month() {
        for (text, expected) in [
            (
                "sold on 9, 17 and 30 April, for",
                "sold on 9 April, 17 April and 30 April, for",
            ),
            (
                "the 9th, the 17th, and the 30th of April",
                "the 9th April, the 17th April, and the 30th of April",
            ),
            ("9/17/30 Apr.", "9 April/17 April/30 Apr."),
            ("April 9, 17 & 30", "April 9, 17 April & 30 April"),
            ("on 9 and 30 April", "on 9 April and 30 April"),
        ] {
            assert_eq!(spelled_out(text, &sold()), expected);
        }
    }

    #[test]
    fn other_numbers_stay() {
        for text in [
            "sold on 8, 16 and 30 April",
            "9 tools that you sold on 30 April",
            "17 tools, and 30 April",
            "a fee of 1.50, and 30 April",
            "9, 17 and 30 May",
            "at 15:17, 30 April",
            "at 15:17 on 30 April",
            "a fee of €17, and 30 April",
            "9. 17 tools. April is over.",
            "in April you had 9",
            "in April. 9, 17 of them",
            "",
        ] {
            assert_eq!(spelled_out(text, &sold()), text);
        }
    }
}
