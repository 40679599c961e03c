//! Runs of characters that belong together, and the ends of sentences.

use super::blocks::{HARD_BREAK, SOFT_BREAK};
use super::words;

const DELIMITERS: &str = "()[]{}<>\"`|;!?*…=→←—,&~≈≤≥•·^\\";
/// Abbreviations whose point does not end a sentence.
const ABBREVIATIONS: [&str; 14] = [
    "mr", "mrs", "ms", "dr", "st", "approx", "ca", "e.g", "i.e", "vs", "cf", "incl", "resp", "prof",
];
/// Words that are abbreviations in front of a number.
const COUNTED: [&str; 4] = ["no", "nr", "fig", "sec"];

pub(super) fn is_blank(char: char) -> bool {
    char.is_whitespace() || char == SOFT_BREAK
}

pub(super) fn is_delimiter(char: char) -> bool {
    DELIMITERS.contains(char)
}

pub(super) fn is_url(chunk: &str) -> bool {
    chunk.starts_with("http://") || chunk.starts_with("https://") || chunk.starts_with("www.")
}

/// Returns true if the line looks like `Key: value` or `Key — value`, so that it does not continue the line above.
pub(super) fn starts_entry(chars: &[(usize, char)], at: usize) -> bool {
    let mut words = 0;
    let mut last = ' ';
    let is_capital = chars.get(at).is_some_and(|(_, char)| char.is_uppercase());
    for (_, char) in chars.iter().skip(at).take(50) {
        let char = *char;
        match char {
            ':' => return last.is_alphanumeric() || last == ')' || last == '*',
            '—' | '–' | '-' if last == ' ' => return is_capital,
            ' ' if last != ' ' && last != '*' => words += 1,
            '.' | ',' | ';' | HARD_BREAK | SOFT_BREAK => return false,
            _ => {}
        }
        if words > 4 {
            return false;
        }
        last = char;
    }
    false
}

/// Returns the end of the run of characters that begins here.
pub(super) fn chunk_end(chars: &[(usize, char)], start: usize) -> usize {
    let char = |at: usize| chars.get(at).map_or('\n', |(_, char)| *char);
    let is_digit = |at: usize| char(at).is_ascii_digit();
    let head: String = (start..start + 8).map(char).collect();
    if is_url(&head) || head.starts_with("https:/") || head.starts_with("www.") {
        let mut end = start;
        while end < chars.len() && !is_blank(char(end)) && !"<>\"`|".contains(char(end)) {
            end += 1;
        }
        return end;
    }
    // Whether all so far is a number whose groups of digits blanks may separate.
    let (mut is_grouped, mut digits, mut groups) = (true, 0, 0);
    let mut end = start;
    while end < chars.len() {
        let this = char(end);
        let between = end > start && is_digit(end - 1) && is_digit(end + 1);
        if this.is_ascii_digit() {
            digits += 1;
        } else if matches!(this, ' ' | '\u{a0}') {
            let continues = is_grouped
                && (1..=3).contains(&digits)
                && (groups == 0 || digits == 3)
                && (1..=3).all(|next| is_digit(end + next))
                && !char(end + 4).is_alphanumeric()
                && !(matches!(char(end + 4), ':' | '-' | '/' | '–') && is_digit(end + 5));
            if !continues {
                break;
            }
            groups += 1;
            digits = 0;
        } else if is_blank(this) || this == HARD_BREAK {
            break;
        } else {
            is_grouped &=
                digits == 0 && (matches!(this, '-' | '+') || words::is_currency_char(this));
            match this {
                ',' | ':' if !between => break,
                '–' if end > start
                    && !is_digit(end + 1)
                    && !words::is_currency_char(char(end + 1)) =>
                {
                    break;
                }
                ',' | ':' | '–' => {}
                _ if is_delimiter(this) => break,
                _ => {}
            }
        }
        end += 1;
    }
    // A comma or a colon after the run belongs to it, as the caller cuts it off again.
    if matches!(char(end), ',') && end > start {
        end + 1
    } else {
        end.max(start + 1)
    }
}

/// Returns the number of bytes in front of a run that are not part of it.
pub(super) fn leading(body: &str) -> usize {
    let mut rest = body;
    loop {
        let next = rest.chars().nth(1);
        let is_number =
            next.is_some_and(|next| next.is_ascii_digit() || words::is_currency_char(next));
        let cut = match rest.chars().next() {
            Some('\'' | ':' | '_') => 1,
            Some('-' | '+') if next.is_some() && !is_number => 1,
            Some('.') if next == Some('.') => 1,
            Some('–') => 3,
            _ => return body.len() - rest.len(),
        };
        rest = &rest[cut..];
    }
}

/// Returns true if the point at the end of a run ends a sentence.
pub(super) fn ends_sentence(chunk: &str, chars: &[(usize, char)], end: usize) -> bool {
    let body = chunk.trim_end_matches('.');
    let lower = body.to_lowercase();
    let is_initial = body.chars().count() == 1 && body.chars().all(char::is_alphabetic);
    let rest = chars.iter().skip(end).map(|(_, char)| *char).take(40);
    let next: String = rest
        .skip_while(|char| is_blank(*char) || matches!(char, ')' | '"' | '\'' | '*' | ']'))
        .take_while(|char| char.is_alphanumeric())
        .collect();
    let is_day = body.len() <= 2 && body.bytes().all(|byte| byte.is_ascii_digit());
    if is_day && words::month(&next.to_lowercase()).is_some() {
        return false;
    }
    if COUNTED.contains(&lower.as_str()) {
        return !next.starts_with(|char: char| char.is_ascii_digit());
    }
    !is_initial && !ABBREVIATIONS.contains(&lower.as_str()) && !next.starts_with(char::is_lowercase)
}
