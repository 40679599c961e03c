//! People and the forms of their names.

use std::collections::BTreeMap;

use super::lex::{Kind, Lexed};
use super::words;

/// First names that begin sentences as ordinary words too.
const ORDINARY: [&str; 30] = [
    "will", "mark", "may", "rose", "grace", "hope", "bill", "rob", "art", "june", "april",
    "august", "frank", "jack", "pat", "sue", "joy", "dawn", "faith", "drew", "ray", "miles",
    "young", "long", "brown", "white", "green", "black", "king", "page",
];

/// A person of a world, and the forms in which texts name them.
///
/// The whole name, the first name, the last name, and the handle with or without `@` are understood.
/// Letters with and without accents are alike. A first or last name alone needs a capital letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    name: String,
    handles: Vec<String>,
    others: Vec<String>,
}

impl Person {
    /// Creates a person from the whole name.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            handles: Vec::new(),
            others: Vec::new(),
        }
    }

    /// Adds the handle or login, without `@`.
    #[must_use]
    pub fn handle(mut self, handle: impl Into<String>) -> Self {
        self.handles.push(handle.into());
        self
    }

    /// Adds another name, such as a nickname or an e-mail address.
    #[must_use]
    pub fn also(mut self, name: impl Into<String>) -> Self {
        self.others.push(name.into());
        self
    }

    /// Returns the whole name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the folded forms of the name with whether a form is a single part of it.
    fn forms(&self) -> Vec<(Vec<String>, bool)> {
        let whole = parts(&self.name);
        let mut forms = Vec::new();
        if whole.len() > 1 {
            forms.extend(
                [&whole[0], &whole[whole.len() - 1]].map(|part| (vec![part.clone()], true)),
            );
            let ends = vec![whole[0].clone(), whole[whole.len() - 1].clone()];
            forms.push((ends, false));
        }
        let others = self.handles.iter().chain(&self.others);
        forms.push((whole, false));
        forms.extend(others.map(|name| (parts(name), false)));
        // A handle after "@" is one token, however it is written.
        forms.extend(
            self.handles
                .iter()
                .map(|handle| (vec![words::fold(handle)], false)),
        );
        forms.extend(
            self.others
                .iter()
                .map(|name| (vec![words::fold(name)], false)),
        );
        forms.retain(|(words, _)| !words.is_empty());
        forms
    }
}

/// Splits a name as the tokens of a text are split.
fn parts(name: &str) -> Vec<String> {
    let block = super::blocks::Block {
        kind: super::blocks::BlockKind::Text,
        text: name.to_owned(),
    };
    let tokens = super::lex::lex(&[block]).tokens.into_iter();
    tokens
        .filter(|token| !matches!(token.kind, Kind::Mark(_)))
        .map(|token| token.fold)
        .collect()
}

/// Place in a text that names a person.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) first: usize,
    pub(super) last: usize,
    /// Indexes into the roster; more than one if the name is that of several people.
    pub(super) people: Vec<usize>,
}

/// Finds the names of the people of a roster. The longest form wins.
pub(super) fn named(lexed: &Lexed, roster: &[Person]) -> Vec<Named> {
    let mut forms: BTreeMap<String, Vec<(Vec<String>, bool, usize)>> = BTreeMap::new();
    for (index, person) in roster.iter().enumerate() {
        for (words, is_part) in person.forms() {
            let list = forms.entry(words[0].clone()).or_default();
            list.push((words, is_part, index));
        }
    }
    let tokens: Vec<usize> = plain_tokens(lexed);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let list = forms.get(&lexed.tokens[tokens[at]].fold);
        let mut best: (usize, Vec<usize>) = (0, Vec::new());
        for (words, is_part, person) in list.into_iter().flatten() {
            if !matches(lexed, &tokens, at, words) || (*is_part && !is_name(lexed, &tokens, at)) {
                continue;
            }
            if words.len() > best.0 {
                best = (words.len(), Vec::new());
            }
            if words.len() == best.0 && !best.1.contains(person) {
                best.1.push(*person);
            }
        }
        let (length, people) = best;
        if length > 0 {
            found.push(Named {
                first: tokens[at],
                last: tokens[at + length - 1] + 1,
                people,
            });
        }
        at += length.max(1);
    }
    found
}

/// Returns the positions of the tokens that are words of a sentence: not punctuation, and not the
/// target of a link, which stands in angle brackets.
pub(super) fn plain_tokens(lexed: &Lexed) -> Vec<usize> {
    let is_mark = |at: Option<usize>, mark: char| {
        let token = at.and_then(|at| lexed.tokens.get(at));
        token.is_some_and(|token| token.kind == Kind::Mark(mark))
    };
    let is_target = |at: usize| {
        matches!(
            lexed.tokens[at].kind,
            Kind::Url | Kind::Path { .. } | Kind::Email
        ) && is_mark(at.checked_sub(1), '<')
            && is_mark(Some(at + 1), '>')
    };
    let is_plain = |at: &usize| !matches!(lexed.tokens[*at].kind, Kind::Mark(_)) && !is_target(*at);
    (0..lexed.tokens.len()).filter(is_plain).collect()
}

fn matches(lexed: &Lexed, tokens: &[usize], at: usize, words: &[String]) -> bool {
    let Some(places) = tokens.get(at..at + words.len()) else {
        return false;
    };
    let sentence = lexed.tokens[places[0]].sentence;
    places.iter().zip(words).all(|(place, word)| {
        let token = &lexed.tokens[*place];
        token.sentence == sentence && token.fold == *word
    })
}

/// Returns true if the single word at a position is written as a name.
fn is_name(lexed: &Lexed, tokens: &[usize], at: usize) -> bool {
    let token = &lexed.tokens[tokens[at]];
    if token.kind == Kind::Handle {
        return false;
    }
    let is_capital = lexed.text[token.start..].starts_with(char::is_uppercase);
    let before = at
        .checked_sub(1)
        .map(|before| &lexed.tokens[tokens[before]]);
    let is_first = before.is_none_or(|before| before.sentence != token.sentence);
    is_capital && !(is_first && ORDINARY.contains(&token.fold.as_str()))
}
