//! Comments that say from which day to which one a scene has moved, in any words.

/// Dates of the days that comments may name instead of their numbers.
const DATES: [(u8, &str, &str); 7] = [
    (9, "14", "may"),
    (14, "21", "may"),
    (16, "26", "may"),
    (17, "27", "may"),
    (18, "28", "may"),
    (25, "8", "june"),
    (26, "9", "june"),
];

/// Words in front of the old day, and words in front of the new one.
const OLD: [&str; 6] = ["from", "was on", "instead of", "was", "off", "old day"];
const NEW: [&str; 7] = ["to", "now on", "onto", "is on", "new day", "into", "fills"];

/// Judges a comment on a scene.
pub fn says(text: &str, from: u8, to: u8) -> Result<(), String> {
    let words = words(text);
    let mentions: Vec<(usize, u8)> = words
        .iter()
        .enumerate()
        .filter_map(|(at, word)| Some((at, word.strip_prefix('#')?.parse().ok()?)))
        .collect();
    let other = mentions.iter().find(|(_, day)| ![from, to].contains(day));
    if let Some((_, day)) = other {
        return Err(format!(
            "expected day {from} and day {to} only, found day {day} in {text:?}"
        ));
    }
    for day in [from, to] {
        if !mentions.iter().any(|(_, it)| *it == day) {
            return Err(format!("expected day {day} in {text:?}"));
        }
    }
    let is_after = |at: usize, phrases: &[&str]| {
        let before: Vec<&str> = words[..at]
            .iter()
            .map(String::as_str)
            .filter(|it| *it != "the")
            .collect();
        let before = before.join(" ");
        let before = before.rsplit('#').next().unwrap_or_default();
        phrases
            .iter()
            .any(|phrase| before == *phrase || before.ends_with(&format!(" {phrase}")))
    };
    for (at, day) in mentions {
        let is_exchanged = if day == from {
            is_after(at, &NEW)
        } else {
            is_after(at, &OLD)
        };
        if is_exchanged {
            return Err(format!(
                "expected it moved from day {from} to day {to}, found {text:?}"
            ));
        }
    }
    Ok(())
}

/// Splits a text into words in lower case, in which `#9` stands for each mention of Day 09.
fn words(text: &str) -> Vec<String> {
    let text = text
        .to_lowercase()
        .replace("2026-05-", "may ")
        .replace("2026-06-", "june ");
    let parts = text
        .split(|it: char| !it.is_alphanumeric())
        .filter(|it| !it.is_empty());
    let words: Vec<String> = parts
        .map(|it| it.trim_start_matches('0').to_owned())
        .collect();
    let mut all = Vec::new();
    let mut at = 0;
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let number = |at: usize| word(at).trim_end_matches(|it: char| it.is_alphabetic());
    while at < words.len() {
        let dated = DATES.iter().find_map(|(day, date, month)| {
            let is_first = number(at) == *date;
            if is_first && word(at + 1) == *month {
                return Some((*day, 2));
            }
            if is_first && word(at + 1) == "of" && word(at + 2) == *month {
                return Some((*day, 3));
            }
            (word(at) == *month && number(at + 1) == *date).then_some((*day, 2))
        });
        let numbered = (word(at) == "day")
            .then(|| word(at + 1).parse().ok())
            .flatten();
        match dated.or(numbered.map(|day| (day, 2))) {
            Some((day, taken)) => {
                all.push(format!("#{day}"));
                at += taken;
            }
            None => {
                all.push(word(at).to_owned());
                at += 1;
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::says;

    #[test]
    fn comments_name_both_days_in_their_roles() {
        for text in [
            "Moved from Day 09 to Day 14.",
            "Moved from Day 9 to Day 14 because of the storm.",
            "Day 09 → Day 14",
            "Old day: Day 09, new day: Day 14",
            "Now on Day 14 instead of Day 09.",
            "This was on Day 09 (14 May) and is on Day 14 (Thu 21 May) now.",
            "Moved from Thursday, 14 May, to Thursday, 21 May",
            "Because of the storm on the 14th of May this moves to May 21st.",
            "Storm: 2026-05-14 -> 2026-05-21",
            "Was: Day 09. Now: Day 14.",
        ] {
            assert_eq!(says(text, 9, 14), Ok(()), "{text}");
        }
        for text in [
            "Moved from Day 14 to Day 09.",
            "Moved to Day 14.",
            "Now on Day 09 instead of Day 14.",
            "Moved from Day 09 to Day 26.",
            "Moved from Day 09 to Day 14, later perhaps Day 26.",
            "New day: Day 09, old day: Day 14",
            "Moved because of the storm.",
            "Moved from 14 May to 9 June",
        ] {
            assert!(says(text, 9, 14).is_err(), "{text}");
        }
        assert_eq!(says("Cover: moved from Day 17 to Day 09", 17, 9), Ok(()));
        assert_eq!(
            says("Now fills Day 09, was planned for Day 17", 17, 9),
            Ok(())
        );
        assert!(says("Moved from Day 09 to Day 17", 17, 9).is_err());
    }
}
