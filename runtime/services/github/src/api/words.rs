//! Word index for searches.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

/// Memory for the index, in bytes for each byte of the texts.
pub(crate) const BYTES_PER_BYTE: u64 = 12;

/// Words of texts, in lower case and without English endings.
pub(crate) struct Words {
    texts: Vec<String>,
    /// Index by the hashes of words. It is built for the first search.
    index: OnceCell<Index>,
    hasher: RandomState,
}

/// Positions of words.
struct Index {
    /// Words of each text, in order.
    words: Vec<Vec<u64>>,
    /// Text and position in it for each occurrence of a word.
    places: HashMap<u64, Vec<(u32, u32)>>,
}

impl Words {
    pub(crate) fn new(texts: &[&str]) -> Self {
        Self {
            texts: texts.iter().map(|text| text.to_lowercase()).collect(),
            index: OnceCell::new(),
            hasher: RandomState::new(),
        }
    }

    /// Reports whether a text contains a word, or the words of a phrase in sequence. A phrase without letters and
    /// digits is searched literally.
    pub(crate) fn hold(&self, phrase: &str) -> bool {
        let wanted: Vec<u64> = self.numbers(phrase).collect();
        let Some(first) = wanted.first() else {
            return self.texts.iter().any(|text| text.contains(phrase));
        };
        let index = self.index.get_or_init(|| self.find());
        let places = index.places.get(first).into_iter().flatten();
        places
            .map(|(text, place)| &index.words[*text as usize][*place as usize..])
            .any(|words| words.starts_with(&wanted))
    }

    fn numbers(&self, text: &str) -> impl Iterator<Item = u64> {
        words(text).map(|word| self.hasher.hash_one(word))
    }

    fn find(&self) -> Index {
        let texts = self.texts.iter();
        let words: Vec<Vec<u64>> = texts.map(|text| self.numbers(text).collect()).collect();
        let mut places: HashMap<u64, Vec<(u32, u32)>> = HashMap::new();
        for (text, words) in words.iter().enumerate() {
            for (place, word) in words.iter().enumerate() {
                places
                    .entry(*word)
                    .or_default()
                    .push((text as u32, place as u32));
            }
        }
        Index { words, places }
    }
}

/// Splits a text into its words and removes their endings. The text is in lower case.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| !is_letter(c));
        let first = rest.chars().next()?;
        let length = if is_ideograph(first) {
            first.len_utf8()
        } else {
            rest.find(|c: char| !is_letter(c) || is_ideograph(c))
                .unwrap_or(rest.len())
        };
        let (word, after) = rest.split_at(length);
        rest = after;
        Some(stem(word))
    })
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Reports whether a character is a word by itself, because its script does not separate words.
fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}

/// Removes English endings of plurals and verbs. The result may not be a word and is only compared with other stems.
fn stem(word: &str) -> &str {
    if !word.is_ascii() {
        return word;
    }
    let without = |word: &str, ending: &str| -> Option<usize> {
        let left = word.strip_suffix(ending)?;
        let is_long = left.len() > 2 && left.contains(['a', 'e', 'i', 'o', 'u', 'y']);
        is_long.then_some(left.len())
    };
    let is_part = |ending: &str| match ending {
        "ed" => word.ends_with("eed"),
        "s" => word.ends_with("ss"),
        _ => false,
    };
    let length = ["ing", "ed", "es", "s"].iter().find_map(|ending| {
        let is_ending = !is_part(ending);
        without(word, ending).filter(|_| is_ending)
    });
    let word = &word[..length.unwrap_or(word.len())];
    let last = ["e", "i", "y"].iter().find_map(|last| without(word, last));
    &word[..last.unwrap_or(word.len())]
}

#[cfg(test)]
mod tests {
    use super::Words;

    #[test]
    fn words_are_found_whole_and_whatever_their_endings() {
        let text =
            "Concatenate fails: two entries of foo_bar.py, std::fs merged.\nC++ café 第三回 don't";
        let words = Words::new(&[text, "pages and classes were closed; the need for speed"]);
        for found in [
            "concatenate",
            "fail",
            "failing",
            "entry",
            "two entries of",
            "foo_bar",
            "foo_bar.py",
            "std::fs",
            "merge",
            "merges",
            "c++",
            "++",
            "café",
            "三",
            "don't",
            "page",
            "class",
            "closes",
            "needs",
            "speeds",
        ] {
            assert!(words.hold(found), "{found}");
        }
        for absent in [
            "cat",
            "con",
            "two of",
            "foo",
            "bar",
            "std::io",
            "cafe",
            "--",
            "merge page",
            "spe",
            "clos ing",
        ] {
            assert!(!words.hold(absent), "{absent}");
        }
    }
}
