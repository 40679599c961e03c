//! Values that are found in the text itself: paths, digits and quoted texts.

use super::blocks::{HARD_BREAK, SOFT_BREAK, normalise};
use super::judge::Judge;
use super::lex::Kind;
use super::runs::{is_blank, is_delimiter};
use super::words;

/// Maximum number of characters in front of a path that are searched for its start.
const MAX_DIRECTORIES: usize = 200;

impl Judge<'_> {
    /// Finds a path, whole or from the start of one of its names, as the positions of tokens.
    pub(super) fn paths(&self, path: &str) -> Vec<usize> {
        let lexed = &self.prose.lexed;
        if lexed.tokens.is_empty() {
            return Vec::new();
        }
        let folded = words::fold(path);
        let is_end = |found: &str| {
            let found = found.trim_start_matches("./");
            found == folded
                || (has_dot(found)
                    && folded
                        .strip_suffix(found)
                        .is_some_and(|rest| rest.ends_with('/')))
        };
        let by_token = (0..lexed.tokens.len()).filter(|at| {
            let token = &lexed.tokens[*at];
            match &token.kind {
                Kind::Path { .. } | Kind::Id | Kind::Version | Kind::Number(_) => {
                    is_end(&token.fold)
                }
                Kind::Url => token.fold.ends_with(&format!("/{folded}")),
                _ => false,
            }
        });
        by_token
            .chain(
                self.literals(path)
                    .into_iter()
                    .filter(|(start, end)| is_whole_path(&lexed.text, *start, *end))
                    .map(|(start, _)| self.token_at(start)),
            )
            .collect()
    }

    /// Finds a text with no letter or digit next to it, as ranges of bytes. Its lines may be wrapped.
    pub(super) fn literals(&self, literal: &str) -> Vec<(usize, usize)> {
        // Both characters have one byte, so that the positions stay.
        let text = self.prose.lexed.text.replace(SOFT_BREAK, " ");
        let literal = normalise(literal).replace([HARD_BREAK, SOFT_BREAK], " ");
        if literal.is_empty() {
            return Vec::new();
        }
        let is_apart = |start: usize, end: usize| {
            let before = text[..start].chars().next_back();
            let after = text[end..].chars().next();
            !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
        };
        text.match_indices(&literal)
            .map(|(start, _)| (start, start + literal.len()))
            .filter(|(start, end)| is_apart(*start, *end))
            .collect()
    }

    pub(super) fn token_at(&self, offset: usize) -> usize {
        let tokens = &self.prose.lexed.tokens;
        tokens
            .partition_point(|token| token.end <= offset)
            .min(tokens.len().saturating_sub(1))
    }

    /// Finds digits in their order, with up to three separators between two of them.
    pub(super) fn digits(&self, wanted: &str) -> Vec<usize> {
        let text = &self.prose.lexed.text;
        let (mut run, mut places, mut gap) = (String::new(), Vec::new(), 0);
        let mut found = Vec::new();
        let mut close = |run: &mut String, places: &mut Vec<usize>| {
            found.extend(
                run.match_indices(wanted)
                    .map(|(at, _)| self.token_at(places[at])),
            );
            run.clear();
            places.clear();
        };
        for (at, char) in text.char_indices() {
            if char.is_ascii_digit() {
                run.push(char);
                places.push(at);
                gap = 0;
            } else if gap < 3 && " -–_./()+'\u{a0}\u{b}".contains(char) {
                gap += 1;
            } else {
                close(&mut run, &mut places);
                gap = 0;
            }
        }
        close(&mut run, &mut places);
        found.retain(|_| !wanted.is_empty());
        found
    }
}

fn has_dot(text: &str) -> bool {
    text.rsplit('/')
        .next()
        .is_some_and(|name| name.contains('.'))
}

/// Returns true if a path that is found in a text is not the end of another one, such as `old/a.md` or `not-a.md`,
/// and not its beginning. An absolute path and a URL may have any directories in front.
fn is_whole_path(text: &str, start: usize, end: usize) -> bool {
    let before = text[..start].chars().rev().take(MAX_DIRECTORIES);
    let before: String = before
        .take_while(|char| !is_blank(*char) && !is_delimiter(*char) && *char != ':')
        .collect();
    let mut reversed = before.chars();
    let is_start = match reversed.next() {
        Some('/') => before.ends_with(['/', '~', '.']),
        Some('-' | '_' | '.') => !reversed.next().is_some_and(char::is_alphanumeric),
        _ => true,
    };
    let mut after = text[end..].chars();
    let is_end = match after.next() {
        Some('/' | '_' | '.') => !after.next().is_some_and(char::is_alphanumeric),
        _ => true,
    };
    is_start && is_end
}
