//! Notes on the empty flat: true, and needed by nobody, so that the page may have them or not.

const HOUSE: &str = "gull row 3";
const FLAT: &str = "flat 4";
/// The flat and the day from which it is let, in their forms.
const NAMES: [&str; 5] = [HOUSE, FLAT, "1 april 2026", "1 april", "2026-04-01"];
const EMPTY: [&str; 5] = ["empty", "vacant", "unlet", "nobody lives", "no one lives"];

/// Whether a text behind the lines says no more than that the flat without a tenant is left out.
pub fn is_closing(text: &str) -> bool {
    let text = text.to_lowercase();
    text.contains(HOUSE) && is_of_empty_flat(&text)
}

/// Returns a line without a note in brackets that another flat of its house is empty.
pub fn without_addition(line: &str) -> String {
    let found = line.split_once('(').and_then(|(front, rest)| {
        rest.split_once(')')
            .map(|(note, behind)| (front, note, behind))
    });
    match found {
        Some((front, note, behind))
            if line.to_lowercase().contains(HOUSE) && is_of_empty_flat(&note.to_lowercase()) =>
        {
            format!("{}{behind}", front.trim_end())
        }
        _ => line.to_owned(),
    }
}

/// Whether a text says that the flat is empty, and has no other number.
fn is_of_empty_flat(text: &str) -> bool {
    let rest = NAMES
        .iter()
        .fold(text.to_owned(), |rest, name| rest.replace(name, ""));
    let is_denied = rest
        .split(|it: char| !it.is_alphanumeric() && !['\'', '\u{2019}'].contains(&it))
        .any(|word| {
            ["not", "never", "longer"].contains(&word)
                || word.ends_with("n't")
                || word.ends_with("n\u{2019}t")
        });
    text.contains(FLAT)
        && EMPTY.iter().any(|it| text.contains(it))
        && !is_denied
        && !rest.contains(|it: char| it.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_on_the_empty_flat_are_accepted() {
        for text in [
            "Gull Row 3, flat 4 is empty and left out.",
            "Left out: Gull Row 3, flat 4 (empty until 1 April).",
            "Nobody lives in flat 4 of Gull Row 3, so it is left out.",
        ] {
            assert!(is_closing(text), "{text}");
        }
        let line = "Gull Row 3, flat 5: 22 April 2026, Leo Brandvold";
        let noted = format!("{line} (flat 4 is empty)");
        assert_eq!(without_addition(&noted), line);
    }

    #[test]
    fn other_notes_stay() {
        for text in [
            "Gull Row 3, flat 4: 13 April 2026",
            "Gull Row 3, flat 4 is empty, ring 0632 550 104.",
            "Gull Row 3, flat 4 is not empty.",
            "Gull Row 3, flat 4 isn\u{2019}t empty.",
            "Gull Row 3, flat 2 is empty and left out.",
            "Lantern Court, flat 4 is empty and left out.",
        ] {
            assert!(!is_closing(text), "{text}");
        }
        for line in [
            "Gull Row 3, flat 5: 22 April 2026, Leo Brandvold (flat 2 is empty)",
            "Gull Row 3, flat 5: 22 April 2026, Leo Brandvold (flat 4 is not empty)",
            "Lantern Court, flat 4: 15 April 2026, Mei Castellan (flat 4 is empty)",
        ] {
            assert_eq!(without_addition(line), line);
        }
    }
}
