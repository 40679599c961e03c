//! Phrases: words in an order, with open ends and gaps, and the negation in front of them.

use super::blocks::{Block, BlockKind};
use super::lex::{Kind, Lexed, lex};

/// Maximum number of words in a gap.
const GAP: usize = 4;
/// Number of words in front of a phrase in which a negation applies to it.
const SCOPE: usize = 4;

/// Words in an order. `roll*` matches any word that begins so, and `..` up to four words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Phrase {
    words: Vec<Pattern>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Pattern {
    stem: String,
    is_open: bool,
    has_gap: bool,
}

/// Place of a phrase in a text: the first token and the one after the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Occurrence {
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) is_negated: bool,
}

impl Phrase {
    /// Parses a phrase.
    ///
    /// # Panics
    /// Panics if it has no word, which is a mistake of the verifier.
    #[track_caller]
    pub(super) fn new(text: &str) -> Self {
        let mut words: Vec<Pattern> = Vec::new();
        let mut has_gap = false;
        for piece in text.split_whitespace() {
            if piece == ".." || piece == "…" {
                has_gap = true;
                continue;
            }
            let stem = piece.trim_end_matches('*');
            let block = Block {
                kind: BlockKind::Text,
                text: stem.replace('\u{2019}', "'"),
            };
            let tokens = lex(&[block]).tokens.into_iter();
            for token in tokens.filter(|token| !matches!(token.kind, Kind::Mark(_))) {
                words.push(Pattern {
                    stem: token.fold,
                    is_open: false,
                    has_gap: std::mem::take(&mut has_gap),
                });
            }
            if let Some(last) = words.last_mut() {
                last.is_open = stem.len() < piece.len();
            }
        }
        assert!(!words.is_empty(), "the phrase {text:?} has no word");
        Self { words }
    }

    /// Finds the phrase in a text; `tokens` are the positions of the tokens that are words.
    pub(super) fn find(&self, lexed: &Lexed, tokens: &[usize]) -> Vec<Occurrence> {
        let starts =
            (0..tokens.len()).filter(|at| self.words[0].fits(&lexed.tokens[tokens[*at]].fold));
        starts.filter_map(|at| self.at(lexed, tokens, at)).collect()
    }

    fn at(&self, lexed: &Lexed, tokens: &[usize], start: usize) -> Option<Occurrence> {
        let sentence = lexed.tokens[tokens[start]].sentence;
        let mut is_negated = is_negated(lexed, tokens, start);
        let mut at = start + 1;
        for pattern in &self.words[1..] {
            let reach = if pattern.has_gap { GAP } else { 0 };
            let fits = |place: &usize| {
                let token = tokens.get(*place).map(|token| &lexed.tokens[*token]);
                token.is_some_and(|token| token.sentence == sentence && pattern.fits(&token.fold))
            };
            let place = (at..=at + reach).find(fits)?;
            is_negated |= (at..place).any(|between| is_negator(lexed, tokens, between));
            at = place + 1;
        }
        is_negated |= is_denied_after(lexed, tokens, at);
        Some(Occurrence {
            first: tokens[start],
            last: tokens[at - 1] + 1,
            is_negated,
        })
    }
}

impl Pattern {
    fn fits(&self, word: &str) -> bool {
        match word.strip_prefix(self.stem.as_str()) {
            Some(rest) => self.is_open || matches!(rest, "" | "s" | "es"),
            None => false,
        }
    }
}

/// Returns true if a negation stands closely in front of a word, in the same part of the sentence.
fn is_negated(lexed: &Lexed, tokens: &[usize], at: usize) -> bool {
    let sentence = lexed.tokens[tokens[at]].sentence;
    for back in 1..=SCOPE {
        let Some(place) = at.checked_sub(back) else {
            return false;
        };
        let token = &lexed.tokens[tokens[place]];
        // Punctuation between this word and the next one ends the part.
        let between = &lexed.tokens[tokens[place] + 1..tokens[place + 1]];
        let is_apart = between.iter().any(|mark| {
            matches!(
                mark.kind,
                Kind::Mark(',' | ';' | '(' | ')' | '—' | '–' | '|')
            )
        });
        if token.sentence != sentence
            || is_apart
            || matches!(token.fold.as_str(), "and" | "but" | "so" | "then")
        {
            return false;
        }
        if is_negator(lexed, tokens, place) {
            return true;
        }
    }
    false
}

/// Returns true if a phrase that ends before a word is the subject of a negated verb: "… is not",
/// "… wasn't", "… need not".
fn is_denied_after(lexed: &Lexed, tokens: &[usize], at: usize) -> bool {
    let word = |back: usize| {
        let place = tokens.get(at + back)?;
        let token = &lexed.tokens[*place];
        let before = &lexed.tokens[place.checked_sub(1)?];
        let is_apart = matches!(
            before.kind,
            Kind::Mark(',' | ';' | ':' | '(' | ')' | '—' | '–' | '|')
        );
        (token.sentence == before.sentence && !is_apart).then_some(token.fold.as_str())
    };
    let Some(verb) = word(0) else { return false };
    if verb == "not" || verb.ends_with("n't") {
        return is_negator(lexed, tokens, at);
    }
    let is_verb = matches!(
        verb,
        "is" | "are"
            | "was"
            | "were"
            | "be"
            | "been"
            | "will"
            | "would"
            | "has"
            | "have"
            | "had"
            | "does"
            | "do"
            | "did"
            | "can"
            | "could"
            | "should"
            | "must"
            | "may"
            | "might"
            | "need"
            | "needs"
    );
    is_verb && matches!(word(1), Some("not" | "never" | "no")) && is_negator(lexed, tokens, at + 1)
}

fn is_negator(lexed: &Lexed, tokens: &[usize], at: usize) -> bool {
    let word = |at: usize| {
        tokens
            .get(at)
            .map_or("", |token| lexed.tokens[*token].fold.as_str())
    };
    let next = word(at + 1);
    match word(at) {
        "not" => !matches!(next, "only" | "just" | "merely" | "simply"),
        "no" => !matches!(next, "doubt" | "surprise"),
        "never" | "without" | "neither" | "nor" | "none" | "nobody" | "nothing" | "cannot"
        | "unable" | "hardly" => true,
        "failed" | "fails" | "fail" | "failing" | "refused" | "yet" => next == "to",
        "rather" => next == "than",
        "instead" => next == "of",
        word => word.ends_with("n't"),
    }
}
