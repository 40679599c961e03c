//! Which of two things a text says of each name, such as "put right" or "left as it is".
//!
//! A name belongs to the nearest verb in front of it in its sentence, or else to the nearest one behind it. Without any
//! verb, an item of a list and a row of a table belong to the line that leads to them.

/// The two things that a text may say of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    One,
    Other,
}

impl Role {
    fn opposite(self) -> Self {
        match self {
            Self::One => Self::Other,
            Self::Other => Self::One,
        }
    }
}

/// Phrases for the two roles. `roll*` stands for each word that begins so, and `..` for up to four words.
pub struct Verbs<'a> {
    pub one: &'a [&'a str],
    pub other: &'a [&'a str],
}

/// What a text says of a name: the position of the name in the list, its role, and the sentence.
#[derive(Debug)]
pub struct Said {
    pub name: usize,
    pub role: Role,
    pub sentence: String,
}

/// Words that turn a role into the other one if they stand at most four words in front of it.
const NEGATORS: [&str; 9] = [
    "not", "no", "never", "nothing", "none", "neither", "nor", "without", "cannot",
];
/// Words after which a sentence says what is so in spite of what it said before.
const CONTRASTS: [&str; 6] = ["but", "though", "although", "however", "yet", "still"];
/// Maximum number of words in a gap and between a negator and its verb.
const GAP: usize = 4;

/// Finds what a text says of each of the names, each given by its forms.
pub fn said<S: AsRef<str>>(text: &str, names: &[Vec<S>], verbs: &Verbs<'_>) -> Vec<Said> {
    let mut found = Vec::new();
    let mut lead: Option<Role> = None;
    for line in text.lines() {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        let is_item = is_item(line);
        let mut last = None;
        for sentence in sentences(line) {
            let words = words(sentence);
            let places = verb_places(&words, verbs);
            last = places.last().map(|it| it.role);
            let inherited = lead.filter(|_| is_item && places.is_empty());
            for (name, forms) in names.iter().enumerate() {
                let at = forms.iter().flat_map(|it| positions(&words, it.as_ref()));
                for at in at {
                    if let Some(role) = role_at(&words, &places, at).or(inherited) {
                        let sentence = sentence.trim().to_owned();
                        found.push(Said {
                            name,
                            role,
                            sentence,
                        });
                    }
                }
            }
        }
        let leads = line.starts_with('#') || line.trim_end_matches('*').ends_with(':');
        if leads || !is_item {
            lead = last.filter(|_| leads);
        }
    }
    found
}

/// A verb: the words that it has, and its role.
struct Place {
    first: usize,
    last: usize,
    role: Role,
}

/// The role of a name that stands at a word; none if the sentence may say the opposite of it as well.
fn role_at(words: &[String], places: &[Place], at: usize) -> Option<Role> {
    let before = places.iter().rfind(|it| it.first <= at);
    let after = places.iter().find(|it| it.first > at);
    let role = before.or(after)?.role;
    if let (Some(before), Some(after)) = (before, after) {
        // "It restores the tart, and the gratin was left" says the latter of the gratin.
        let is_apart = words[before.last.min(at)..at]
            .iter()
            .any(|it| it == "," || it == "and");
        let is_of_next = is_apart && words[at..after.first].iter().all(|it| it != ",");
        if is_of_next && before.role != after.role {
            return None;
        }
    }
    // "Somebody wanted it to stay, but it is put right" says the latter.
    let contrast = (at..words.len()).find(|it| CONTRASTS.contains(&words[*it].as_str()));
    let is_corrected = contrast.is_some_and(|contrast| {
        let mut later = places.iter().filter(|it| it.first > contrast);
        later.any(|it| it.role != role)
    });
    (!is_corrected).then_some(role)
}

fn verb_places(words: &[String], verbs: &Verbs<'_>) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    let both = [(verbs.one, Role::One), (verbs.other, Role::Other)];
    for (phrases, role) in both {
        for phrase in phrases {
            let pieces: Vec<&str> = phrase.split(' ').collect();
            for first in 0..words.len() {
                let Some(last) = end_of(words, first, &pieces) else {
                    continue;
                };
                let role = if is_negated(words, first, last) {
                    role.opposite()
                } else {
                    role
                };
                places.push(Place { first, last, role });
            }
        }
    }
    // The longest phrase at a place says what is meant there.
    places.sort_by_key(|it| (it.first, usize::MAX - it.last));
    let mut kept: Vec<Place> = Vec::new();
    for place in places {
        if kept.last().is_none_or(|before| before.last <= place.first) {
            kept.push(place);
        }
    }
    kept
}

/// The word behind a phrase that begins at a word.
fn end_of(words: &[String], first: usize, pieces: &[&str]) -> Option<usize> {
    let mut at = first;
    let mut has_gap = false;
    for piece in pieces {
        if *piece == ".." {
            has_gap = true;
            continue;
        }
        let reach = if has_gap { GAP } else { 0 };
        let found = (at..=at + reach).find(|it| words.get(*it).is_some_and(|it| fits(it, piece)));
        at = found? + 1;
        has_gap = false;
    }
    Some(at)
}

fn fits(word: &str, piece: &str) -> bool {
    match piece.strip_suffix('*') {
        Some(stem) => word.starts_with(stem),
        None => word == piece || word.strip_suffix('s') == Some(piece),
    }
}

/// Returns true if a negation stands closely in front of a phrase, or inside of it.
fn is_negated(words: &[String], first: usize, last: usize) -> bool {
    let is_negator = |word: &String| NEGATORS.contains(&word.as_str()) || word.ends_with("n't");
    let before = words[first.saturating_sub(GAP)..first].iter().rev();
    let mut before = before.take_while(|it| !matches!(it.as_str(), "," | ":" | "(" | ")" | "|"));
    before.any(is_negator) || words[first + 1..last.max(first + 1)].iter().any(is_negator)
}

/// The places of a name: its words one after the other.
fn positions(words: &[String], form: &str) -> Vec<usize> {
    let pieces: Vec<&str> = form.split(' ').collect();
    let is_there = |at: &usize| {
        let rest = &words[*at..];
        rest.len() >= pieces.len() && rest.iter().zip(&pieces).all(|(word, it)| fits(word, it))
    };
    (0..words.len()).filter(is_there).collect()
}

/// The sentences of a line. The point of "#12." ends a sentence, that of "a.md" does not.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    let parts = line.split(';').flat_map(|it| it.split(". "));
    parts.filter(|it| !it.trim().is_empty())
}

/// The words of a sentence in small letters, and its punctuation marks.
fn words(sentence: &str) -> Vec<String> {
    let text = sentence.replace('\u{2019}', "'").to_lowercase();
    let is_mark = |it: char| matches!(it, ',' | ':' | '(' | ')' | '|');
    let is_part =
        |it: char| it.is_alphanumeric() || matches!(it, '#' | '\'' | '-' | '_' | '/' | '.');
    let mut words = Vec::new();
    for piece in text.split_inclusive(|it: char| !is_part(it)) {
        let word = piece.trim_matches(|it: char| !is_part(it) || matches!(it, '.' | '\'' | '-'));
        if !word.is_empty() {
            words.push(word.to_owned());
        }
        words.extend(piece.chars().filter(|it| is_mark(*it)).map(String::from));
    }
    words
}

/// Returns true for an item of a list and a row of a table.
fn is_item(line: &str) -> bool {
    let number = line.split_once(['.', ')']).map_or("", |(number, _)| number);
    let is_numbered = !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit());
    line.starts_with("- ") || line.starts_with("* ") || line.starts_with('|') || is_numbered
}

#[cfg(test)]
mod tests {
    use super::{Role, Verbs, said};

    const VERBS: Verbs<'_> = Verbs {
        one: &["restor*", "put* .. right"],
        other: &["left", "stay*", "untouched"],
    };

    /// What is said of the tart and of the gratin, in the order of the text.
    fn roles(text: &str) -> Vec<(usize, Role)> {
        let names = [vec!["tart"], vec!["potato gratin", "gratin"]];
        let mut found: Vec<(usize, Role)> = said(text, &names, &VERBS)
            .into_iter()
            .map(|it| (it.name, it.role))
            .collect();
        found.dedup();
        found
    }

    #[test]
    fn a_name_belongs_to_the_nearest_verb_in_front_or_else_behind() {
        let (one, other) = (Role::One, Role::Other);
        for (text, expected) in [
            ("#7 restores the tart.", vec![(0, one)]),
            ("I put the tart right.", vec![(0, one)]),
            (
                "The gratin stays; #7 restores the tart.",
                vec![(0, one), (1, other)],
            ),
            (
                "#7 restores the tart, and the gratin was left.",
                vec![(0, one)],
            ),
            ("The gratin stays as it is.", vec![(1, other)]),
            ("I did not restore the gratin.", vec![(1, other)]),
            (
                "Left as they are: gratin, tart",
                vec![(0, other), (1, other)],
            ),
            ("Alan wants the tart to stay, but #7 restores it.", vec![]),
            ("The tart is good.", vec![]),
        ] {
            let mut found = roles(text);
            found.sort_by_key(|it| it.0);
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn items_belong_to_the_line_that_leads_to_them() {
        let other = Role::Other;
        assert_eq!(
            roles("Untouched:\n\n- gratin\n- tart"),
            [(1, other), (0, other)]
        );
        assert_eq!(roles("## What stays\n| Tart | Mieke |"), [(0, other)]);
        assert_eq!(roles("Nothing stays untouched here.\n- tart"), []);
        assert_eq!(roles("They restore it.\nThe rest:\n1. tart"), []);
    }
}
