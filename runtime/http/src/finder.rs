//! Search for secrets in a text, in plain and encoded form.

use std::fmt;
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

use crate::escapes::{decode, encoded_ranges};

/// Minimum length of a secret in bytes. Shorter ones are ignored, because redacting them would damage ordinary words.
const SHORTEST: usize = 6;

/// Maximum number of changes in the kind of escaping: a URL in JSON in a URL has three. Repetitions of one kind count
/// once.
const LAYERS: usize = 8;

/// Search for secrets in time linear in the length of the text.
pub(crate) struct Finder {
    forms: AhoCorasick,
}

impl fmt::Debug for Finder {
    /// Formats the finder without the forms, which are secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Finder")
    }
}

impl Finder {
    /// Creates a finder for the given secrets. Returns `None` if all are too short or there are none.
    pub(crate) fn of<'a>(secrets: impl Iterator<Item = &'a str>) -> Option<Self> {
        let mut forms: Vec<_> = secrets
            .filter(|secret| secret.len() >= SHORTEST)
            .flat_map(forms)
            .collect();
        forms.sort_unstable();
        forms.dedup();
        if forms.is_empty() {
            return None;
        }
        // Building fails if the secrets exceed 2 GiB.
        let built = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .build(forms);
        built.ok().map(|forms| Self { forms })
    }

    /// Returns the ranges of secrets, sorted and merged if they touch.
    pub(crate) fn find(&self, text: &[u8]) -> Vec<Range<usize>> {
        let mut layers: Vec<Vec<u8>> = Vec::new();
        while layers.len() < LAYERS {
            match decode(layers.last().map_or(text, Vec::as_slice)) {
                Some(decoded) => layers.push(decoded),
                None => break,
            }
        }
        let mut found = Vec::new();
        while let Some(layer) = layers.pop() {
            let there = merged(found, self.found(&layer));
            let below = layers.last().map_or(text, Vec::as_slice);
            found = encoded_ranges(below, &there);
        }
        merged(found, self.found(text))
    }

    fn found(&self, text: &[u8]) -> Vec<Range<usize>> {
        let found = self.forms.find_overlapping_iter(text);
        found.map(|found| found.range()).collect()
    }
}

/// Sorts all ranges, and merges those that touch.
fn merged(mut ranges: Vec<Range<usize>>, more: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.extend(more);
    ranges.sort_unstable_by_key(|range| range.start);
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// Returns the forms of a secret to search for: plain, with its apparent escapes decoded, in hexadecimal, and in
/// base64.
fn forms(secret: &str) -> Vec<Vec<u8>> {
    let mut forms = vec![secret.as_bytes().to_vec()];
    let mut decoded = secret.as_bytes().to_vec();
    for _ in 0..LAYERS {
        match decode(&decoded) {
            Some(next) => decoded = next,
            None => break,
        }
    }
    // The quotation mark that ends a JSON string looks escaped after a secret with trailing backslashes.
    let end = decoded.iter().rposition(|byte| *byte != b'\\');
    forms.push(decoded[..end.map_or(0, |end| end + 1)].to_vec());
    forms.push(decoded);
    forms.push(hex::encode(secret).into_bytes());
    forms.push(hex::encode_upper(secret).into_bytes());
    for before in 0..3 {
        forms.extend(in_base64(secret.as_bytes(), before));
    }
    forms.retain(|form| form.len() >= SHORTEST);
    forms
}

/// Returns the base64 digits that depend only on the secret if `before` bytes precede it, modulo three, in both
/// alphabets.
fn in_base64(secret: &[u8], before: usize) -> [Vec<u8>; 2] {
    let mut bytes = vec![0; before];
    bytes.extend_from_slice(secret);
    // A digit has six bits. Digits with bits of adjacent bytes are omitted.
    let first = (before * 8).div_ceil(6);
    let end = bytes.len() * 8 / 6;
    [STANDARD_NO_PAD, URL_SAFE_NO_PAD]
        .map(|alphabet| alphabet.encode(&bytes).as_bytes()[first..end].to_vec())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Encodings of a text.
    const WAYS: [fn(&str) -> String; 9] = [
        |text| serde_json::Value::from(text).to_string(),
        |text| {
            text.chars()
                .map(|c| format!("\\u{:04x}", u32::from(c)))
                .collect()
        },
        |text| {
            text.replacen(
                |_| true,
                &format!("\\u{:04X}", u32::from(text.chars().next().unwrap())),
                1,
            )
        },
        |text| text.replace('/', "\\/"),
        |text| text.bytes().map(|byte| format!("%{byte:02X}")).collect(),
        |text| url::form_urlencoded::byte_serialize(text.as_bytes()).collect(),
        |text| text.bytes().map(|byte| format!("\\x{byte:02x}")).collect(),
        |text| {
            text.chars()
                .map(|c| format!("&#{};", u32::from(c)))
                .collect()
        },
        |text| text.replace('&', "&amp;").replace('<', "&lt;"),
    ];

    proptest! {
        #[test]
        fn a_secret_is_found_however_it_is_escaped(
            secret in "[!-$'-\\[\\]-~]{6,40}",
            ways in prop::collection::vec(0..WAYS.len(), 0..5),
            (before, after) in ("[a-z ]{0,9}", "[a-z ]{0,9}"),
        ) {
            let finder = Finder::of([secret.as_str()].into_iter()).unwrap();
            let written = ways.iter().fold(secret.clone(), |text, way| WAYS[*way](&text));
            let text = format!("{before} {written} {after}");
            let found = finder.find(text.as_bytes());
            prop_assert_eq!(found.len(), 1, "{}", &text);
            let mut found = text.as_bytes()[found[0].clone()].to_vec();
            while let Some(decoded) = decode(&found) {
                found = decoded;
            }
            prop_assert_eq!(String::from_utf8(found).unwrap(), secret);
        }

        #[test]
        fn a_secret_that_looks_like_escapes_is_found(
            secret in "secret[\\\\%&#;ux0-9a-f\"/]{1,20}",
            way in prop::option::of(0..WAYS.len()),
        ) {
            let finder = Finder::of([secret.as_str()].into_iter()).unwrap();
            let written = way.map_or(secret.clone(), |way| WAYS[way](&secret));
            prop_assert!(!finder.find(format!("a {written} b").as_bytes()).is_empty(), "{}", written);
        }

        #[test]
        fn a_secret_is_found_in_base64_wherever_it_stands(
            secret in "[!-~]{6,40}",
            (before, after) in (prop::collection::vec(any::<u8>(), 0..9), prop::collection::vec(any::<u8>(), 0..9)),
        ) {
            let finder = Finder::of([secret.as_str()].into_iter()).unwrap();
            let bytes = [&before, secret.as_bytes(), &after].concat();
            for text in [STANDARD_NO_PAD.encode(&bytes), URL_SAFE_NO_PAD.encode(&bytes), hex::encode(&bytes)] {
                prop_assert!(!finder.find(text.as_bytes()).is_empty(), "{}", text);
            }
        }

        #[test]
        fn ranges_are_within_the_text(text in "[\\\\%&#;ux0-9a-f\"/é😀]{0,60}") {
            let finder = Finder::of(["aaaaaa", "\\u00e9", "%c3%a9é"].into_iter()).unwrap();
            for range in finder.find(text.as_bytes()) {
                prop_assert!(!text[range].is_empty());
            }
        }
    }

    #[test]
    fn overlapping_secrets_leave_nothing() {
        let finder = Finder::of(["abcdefg", "efghijk", "cdefgh"].into_iter()).unwrap();
        let found = finder.find(b"-abcdefghijk-");
        assert_eq!((found.len(), found[0].clone()), (1, 1..12));
        assert!(Finder::of(["short"].into_iter()).is_none());
    }
}
