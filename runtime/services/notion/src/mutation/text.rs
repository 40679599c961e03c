//! Mistakes in texts, rich texts, numbers and dates.

use jiff::ToSpan;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::MutationKind;
use crate::model::{Annotations, DateValue, Mention, Moment, RichText, Span, Workspace};

/// Mistake in a rich text: its kind, a description, and the text with the mistake.
pub(super) type Mistake = (MutationKind, String, Vec<RichText>);

/// Returns the mistakes that a title can have.
pub(super) fn title_mistakes(text: &[RichText]) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    for (index, content) in contents(text) {
        if let Some(other) = without_letter(content) {
            mistakes.push((
                MutationKind::Title,
                format!("{content:?} is {other:?}"),
                with(text, index, other),
            ));
            break;
        }
    }
    mistakes.extend(number_or_date(text));
    mistakes
}

/// Returns the mistakes that a text of a block, property or comment can have.
pub(super) fn text_mistakes(workspace: &Workspace, text: &[RichText]) -> Vec<Mistake> {
    let mut mistakes: Vec<Mistake> = number_or_date(text).collect();
    for (index, content) in contents(text) {
        if let Some((word, other)) = without_word(content) {
            let what = format!("the word {word:?} is missing");
            mistakes.push((MutationKind::Text, what, with(text, index, other)));
            break;
        }
    }
    for (index, piece) in text.iter().enumerate() {
        let mut plain = piece.clone();
        plain.annotations = Annotations::default();
        let mut what = "without style";
        match &piece.span {
            Span::Text {
                content,
                link: Some(_),
            } => {
                what = "without link";
                plain.span = Span::Text {
                    content: content.clone(),
                    link: None,
                };
            }
            Span::Mention(_) => {
                what = "plain text instead of a mention";
                plain.span = RichText::plain(workspace.plain_piece(piece)).span;
            }
            Span::Text { link: None, .. } | Span::Equation(_) => {}
        }
        if plain != *piece {
            let mut all = text.to_vec();
            all[index] = plain;
            mistakes.push((MutationKind::Style, what.to_owned(), all));
            break;
        }
    }
    mistakes
}

/// Returns the mistakes that a text without style can have, such as an address.
pub(super) fn text_mistakes_of_line(line: &str) -> Vec<(MutationKind, String, String)> {
    let number = other_number(line).map(|(_, _, other)| (MutationKind::Number, other));
    let letter = without_letter(line).map(|other| (MutationKind::Text, other));
    let mistakes = number.into_iter().chain(letter);
    mistakes
        .map(|(kind, other)| (kind, format!("{line:?} is {other:?}"), other))
        .collect()
}

/// Returns the first number that is off by one, and the first date that is off by a day.
fn number_or_date(text: &[RichText]) -> impl Iterator<Item = Mistake> {
    let date = contents(text)
        .find_map(|(index, content)| {
            let (found, other, all) = other_date(content)?;
            let what = format!("{found} is {other}");
            Some((MutationKind::Date, what, with(text, index, all)))
        })
        .or_else(|| mentioned_date(text));
    let number = contents(text).find_map(|(index, content)| {
        let (found, other, all) = other_number(content)?;
        let what = format!("{found} is {other}");
        Some((MutationKind::Number, what, with(text, index, all)))
    });
    date.into_iter().chain(number)
}

fn mentioned_date(text: &[RichText]) -> Option<Mistake> {
    text.iter().enumerate().find_map(|(index, piece)| {
        let Span::Mention(Mention::Date(date)) = &piece.span else {
            return None;
        };
        let shifted = shifted(date, 1)?;
        let what = format!("{} is {}", date.plain(), shifted.plain());
        let mut all = text.to_vec();
        all[index].span = Span::Mention(Mention::Date(shifted));
        Some((MutationKind::Date, what, all))
    })
}

/// Returns the contents of the pieces that are text, with their indices.
fn contents(text: &[RichText]) -> impl Iterator<Item = (usize, &str)> {
    let pieces = text.iter().enumerate();
    pieces.filter_map(|(index, piece)| match &piece.span {
        Span::Text { content, .. } => Some((index, content.as_str())),
        _ => None,
    })
}

fn with(text: &[RichText], index: usize, other: String) -> Vec<RichText> {
    let mut all = text.to_vec();
    if let Span::Text { content, .. } = &mut all[index].span {
        *content = other;
    }
    // An empty piece is not stored.
    all.retain(|piece| !matches!(&piece.span, Span::Text { content, .. } if content.is_empty()));
    all
}

/// Returns a text without its last letter that is not the only character.
pub(super) fn without_letter(text: &str) -> Option<String> {
    let (at, letter) = text
        .char_indices()
        .rfind(|(_, character)| character.is_alphabetic())?;
    let other = format!("{}{}", &text[..at], &text[at + letter.len_utf8()..]);
    (!other.trim().is_empty()).then_some(other)
}

/// Returns a text without its longest word, and the word.
fn without_word(text: &str) -> Option<(String, String)> {
    let is_word = |character: char| character.is_alphanumeric();
    let longest = text
        .split(|character| !is_word(character))
        .rev()
        .max_by_key(|word| word.chars().count())
        .filter(|word| !word.is_empty())?;
    let other = text.replacen(longest, "", 1).replace("  ", " ");
    let other = other.trim_start().to_owned();
    (other != text).then(|| (longest.to_owned(), other))
}

/// Returns the first date in ISO 8601 of a text, the day after it, and the text with that day instead.
fn other_date(text: &str) -> Option<(String, String, String)> {
    let bytes = text.as_bytes();
    let at = (0..bytes.len().saturating_sub(9)).find(|at| {
        let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
        text.get(*at..*at + 10).is_some_and(is_date)
            && !is_digit(*at + 10)
            && (*at == 0 || !is_digit(*at - 1))
    })?;
    let found = &text[at..at + 10];
    let next: Date = found.parse().ok()?;
    let next = next.checked_add(1.day()).ok()?.to_string();
    let all = format!("{}{next}{}", &text[..at], &text[at + 10..]);
    Some((found.to_owned(), next, all))
}

fn is_date(text: &str) -> bool {
    text.as_bytes().get(4) == Some(&b'-') && text.parse::<Date>().is_ok()
}

/// Returns the last number of a text that is not part of a date, a number that differs by one in the last place, and
/// the text with that number instead.
pub(super) fn other_number(text: &str) -> Option<(String, String, String)> {
    let is_number =
        |character: char| character.is_ascii_digit() || matches!(character, '.' | ',' | '-' | ':');
    let mut found = None;
    let mut from = 0;
    while let Some(start) = text[from..].find(|c: char| c.is_ascii_digit()) {
        let start = from + start;
        let length = text[start..]
            .find(|c: char| !is_number(c))
            .unwrap_or(text.len() - start);
        let number = text[start..start + length].trim_end_matches(['.', ',', '-', ':']);
        if !number.get(..10).is_some_and(is_date) {
            found = Some((start, number));
        }
        from = start + length;
    }
    let (start, number) = found?;
    let digits = number
        .rfind(|c: char| !c.is_ascii_digit())
        .map_or(0, |at| at + 1);
    let other = format!("{}{}", &number[..digits], off_by_one(&number[digits..])?);
    let end = start + number.len();
    let all = format!("{}{other}{}", &text[..start], &text[end..]);
    Some((number.to_owned(), other, all))
}

/// Returns digits that stand for a number that is one higher, or one lower if the higher one has more digits.
fn off_by_one(digits: &str) -> Option<String> {
    let number: u64 = digits.parse().ok()?;
    let width = digits.len();
    let higher = format!("{:0width$}", number.checked_add(1)?);
    if higher.len() == width {
        return Some(higher);
    }
    Some(format!("{:0width$}", number.checked_sub(1)?))
}

/// Returns a number that differs by one, or by one in its last place.
pub(super) fn other_value(number: f64) -> f64 {
    let text = number.to_string();
    let decimals = text
        .split_once('.')
        .map_or(0, |(_, decimals)| decimals.len());
    let digits = i32::try_from(decimals.min(15)).unwrap_or(0);
    let scale = 10f64.powi(digits);
    ((number * scale).round() + 1.0) / scale
}

/// Returns a date that is off by some days. A range becomes longer: the start moves back for negative days, the end
/// forward for others.
pub(super) fn shifted(date: &DateValue, days: i64) -> Option<DateValue> {
    let zone = date
        .time_zone
        .as_ref()
        .and_then(|name| TimeZone::get(name).ok());
    let shift = |moment: &Moment| {
        let day: Date = moment.text.get(..10)?.parse().ok()?;
        let day = day.checked_add(days.days()).ok()?;
        let text = format!("{day}{}", &moment.text[10..]);
        Moment::parse(&text, zone.as_ref())
    };
    let mut other = date.clone();
    match &mut other.end {
        Some(end) if days > 0 => *end = shift(end)?,
        _ => other.start = shift(&date.start)?,
    }
    Some(other)
}

/// Returns the date without its end or, if it has none, without its time.
pub(super) fn simpler(date: &DateValue) -> Option<(String, DateValue)> {
    let mut other = date.clone();
    if other.end.take().is_some() {
        return Some(("without end".to_owned(), other));
    }
    if other.start.is_date {
        return None;
    }
    other.start = Moment::parse(date.start.text.get(..10)?, None)?;
    other.time_zone = None;
    Some(("without time".to_owned(), other))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Option<String> {
        other_number(text).map(|(_, _, all)| all)
    }

    #[test]
    fn numbers_are_off_by_one_in_their_last_place() {
        for (text, other) in [
            ("Order 12 of them", "Order 13 of them"),
            ("£4.50.", "£4.51."),
            ("room 9", "room 8"),
            ("from 2025-01-31, 3 times", "from 2025-01-31, 4 times"),
            ("call 1,299", "call 1,300"),
            ("at 10:30", "at 10:31"),
        ] {
            assert_eq!(number(text).as_deref(), Some(other), "{text}");
        }
        for text in ["", "none", "until 2025-01-31"] {
            assert_eq!(number(text), None, "{text}");
        }
        assert_eq!(other_value(4120.0), 4121.0);
        assert_eq!(other_value(-0.5), -0.4);
        assert_eq!(other_value(12.99), 13.0);
    }

    #[test]
    fn dates_are_off_by_a_day() {
        let (found, other, all) = other_date("due 2024-02-28 at noon").unwrap();
        assert_eq!(
            (found.as_str(), other.as_str()),
            ("2024-02-28", "2024-02-29")
        );
        assert_eq!(all, "due 2024-02-29 at noon");
        assert!(other_date("id 12024-02-28").is_none());
        let date = |start: &str, end: Option<&str>| DateValue {
            start: Moment::parse(start, None).unwrap(),
            end: end.map(|end| Moment::parse(end, None).unwrap()),
            time_zone: None,
        };
        let range = date("2025-03-30T10:00:00+02:00", Some("2025-03-31"));
        let longer = shifted(&range, 1).unwrap();
        assert_eq!(longer.plain(), "2025-03-30T10:00:00.000+02:00 → 2025-04-01");
        assert_eq!(
            shifted(&range, -1).unwrap().start.text,
            "2025-03-29T10:00:00.000+02:00"
        );
        let (_, start) = simpler(&range).unwrap();
        assert_eq!(start.end, None);
        assert_eq!(simpler(&start).unwrap().1.start.text, "2025-03-30");
        assert!(simpler(&date("2025-03-30", None)).is_none());
    }

    #[test]
    fn words_letters_and_styles_are_lost() {
        assert_eq!(without_letter("Vets 2").as_deref(), Some("Vet 2"));
        assert_eq!(without_letter("V"), None);
        let (word, other) = without_word("The autoclave is out").unwrap();
        assert_eq!((word.as_str(), other.as_str()), ("autoclave", "The is out"));
        assert!(without_word("—").is_none());
    }
}
