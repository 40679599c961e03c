//! Lines that name a pupil and two sizes.

/// New line of the page.
#[derive(Clone, Debug)]
pub struct Line {
    pub text: String,
    pub is_item: bool,
}

/// Other spellings of sizes.
const SPELLINGS: [(&str, &str); 7] = [
    ("⅛", "1/8"),
    ("¼", "1/4"),
    ("½", "1/2"),
    ("¾", "3/4"),
    ("full size", "4/4"),
    ("full-size", "4/4"),
    ("⁄", "/"),
];

impl Line {
    /// Returns the only pupil that the line names, in the spelling of the table, or all of them.
    pub fn pupil(&self, pupils: &[String]) -> String {
        let words = words(&self.text);
        let is_named = |name: &&String| {
            let parts: Vec<String> = name.to_lowercase().split(' ').map(str::to_owned).collect();
            parts.iter().all(|part| words.contains(part))
        };
        let named: Vec<&str> = pupils.iter().filter(is_named).map(String::as_str).collect();
        match named.as_slice() {
            [] => format!("nobody in {:?}", self.text),
            named => named.join(" and "),
        }
    }

    /// Judges whether the line exchanges one size for another one.
    pub fn exchanges(&self, old: &str, new: &str) -> Result<(), String> {
        let sizes = sizes(&self.text);
        if sizes == [old, new] {
            return Ok(());
        }
        let text = &self.text;
        Err(format!(
            "expected {old} and then {new}, found {sizes:?} in {text:?}"
        ))
    }
}

fn words(text: &str) -> Vec<String> {
    let text = text.to_lowercase();
    let words = text.split(|it: char| !it.is_alphanumeric());
    words.map(str::to_owned).collect()
}

/// Returns the sizes of a text in their order.
fn sizes(text: &str) -> Vec<String> {
    let mut text = text.to_lowercase();
    for (spelling, size) in SPELLINGS {
        text = text.replace(spelling, size);
    }
    let parts = text.split(|it: char| !it.is_ascii_digit() && it != '/');
    parts
        .filter(|it| it.len() >= 3 && it.contains('/'))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Line {
        let text = text.to_owned();
        Line {
            text,
            is_item: true,
        }
    }

    #[test]
    fn sizes_are_read_in_their_order() {
        for text in [
            "Benno Krist: 1/4 → 1/2",
            "Benno Krist: 1/4 -> 1/2",
            "Krist, Benno: violin, from 1/4 to 1/2 (QL-2)",
            "Benno Krist – ¼ → ½",
            "Benno Krist has a 1/4 and needs a 1/2.",
        ] {
            assert_eq!(line(text).exchanges("1/4", "1/2"), Ok(()), "{text}");
        }
        for text in [
            "Benno Krist: 1/2 → 1/4",
            "Benno Krist: 1/4 → 3/4",
            "Benno Krist: 1/2",
            "Benno Krist: 1/4 → 1/2 → 3/4",
            "Benno Krist",
        ] {
            assert!(line(text).exchanges("1/4", "1/2").is_err(), "{text}");
        }
        let full = line("Gwen Tarrant: 3/4 → full size");
        assert_eq!(full.exchanges("3/4", "4/4"), Ok(()));
    }

    #[test]
    fn a_line_names_one_pupil() {
        let pupils = ["Benno Krist".to_owned(), "Clea Dunne".to_owned()];
        assert_eq!(line("KRIST, Benno: 1/4").pupil(&pupils), "Benno Krist");
        assert_eq!(
            line("Benno Krist and Clea Dunne").pupil(&pupils),
            "Benno Krist and Clea Dunne"
        );
        assert!(line("all done").pupil(&pupils).starts_with("nobody"));
    }
}
