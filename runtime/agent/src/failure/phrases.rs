//! English phrases that the rules search for in last replies. The lists are part of the rules: `docs/reports.md`
//! describes them, and `tests/failures` has examples.

use std::mem;

/// Phrases of inability. They count only if a phrase of [`WORK`] follows.
const INABILITY: [&str; 17] = [
    "i can't",
    "i cannot",
    "i can not",
    "i am unable",
    "i'm unable",
    "i was unable",
    "i am not able",
    "i'm not able",
    "i was not able",
    "i wasn't able",
    "i could not",
    "i couldn't",
    "it is not possible",
    "it isn't possible",
    "it is impossible",
    "unable to",
    "we cannot",
];

/// Phrases for the work as a whole, and not for a detail of it.
const WORK: [&str; 21] = [
    "complete",
    "completing",
    "finish",
    "finishing",
    "proceed",
    "proceeding",
    "continue",
    "continuing",
    "perform",
    "performing",
    "fulfill",
    "fulfil",
    "carry out",
    "accomplish",
    "do this",
    "do that",
    "help with",
    "assist",
    "make progress",
    "the task",
    "your request",
];

/// Phrases of giving up that need no phrase of [`WORK`].
const GIVES_UP: [&str; 12] = [
    "i give up",
    "i'm giving up",
    "i am giving up",
    "cannot be completed",
    "can't be completed",
    "could not be completed",
    "couldn't be completed",
    "cannot be done",
    "i don't have access to",
    "i do not have access to",
    "i'm sorry, but i can't",
    "i'm sorry, but i cannot",
];

/// Words after which a sentence has another subject.
const TURNS: [&str; 5] = ["but", "however", "so", "though", "yet"];

/// Phrases that ask the user for a decision or for input.
const ASKS: [&str; 22] = [
    "would you like me to",
    "do you want me to",
    "shall i",
    "should i",
    "may i",
    "please confirm",
    "please provide",
    "please specify",
    "please clarify",
    "please let me know which",
    "please let me know how",
    "let me know which",
    "let me know how you",
    "let me know if i should",
    "let me know when",
    "awaiting your",
    "waiting for your",
    "once you confirm",
    "once you provide",
    "how would you like",
    "before i proceed",
    "if you'd like me to proceed",
];

/// Phrases of courtesy questions, which ask for nothing.
const COURTESY: [&str; 8] = [
    "anything else",
    "any other",
    "any questions",
    "further assistance",
    "further help",
    "can i help",
    "else i can",
    "how can i assist",
];

/// Phrases that claim that the work is done.
const CLAIMS: [&str; 20] = [
    "task completed",
    "task complete",
    "task is complete",
    "task has been completed",
    "task is done",
    "have completed",
    "i've completed",
    "has been completed",
    "have been completed",
    "is now complete",
    "are now complete",
    "all done",
    "completed the rest",
    "the rest is done",
    "everything else is",
    "finished the rest",
    "have finished",
    "i've finished",
    "everything is in place",
    "all requirements",
];

/// Words that may precede the announcement of a step.
const CONNECTIVES: [&str; 16] = [
    "now",
    "next",
    "okay",
    "ok",
    "great",
    "good",
    "perfect",
    "so",
    "then",
    "first",
    "finally",
    "alright",
    "and",
    "but",
    "excellent",
    "therefore",
];

/// Phrases that begin the announcement of a step.
const ANNOUNCES: [&str; 15] = [
    "let me",
    "let's",
    "i'll",
    "i will",
    "i'm going to",
    "i am going to",
    "i'm now going to",
    "i am now going to",
    "i need to",
    "i now need to",
    "i should now",
    "i still need to",
    "the next step is",
    "my next step is",
    "next step",
];

/// Phrases that begin like an announcement but are not one.
const NO_STEP: [&str; 8] = [
    "let me know",
    "i'll be happy",
    "i will be happy",
    "i'll be glad",
    "i will be glad",
    "i'll be here",
    "i'll wait",
    "i will wait",
];

/// Beginnings of tool calls that models write as text.
const WRITTEN_CALLS: [&str; 8] = [
    "<tool_call>",
    "<function_call",
    "<function=",
    "<|tool_call",
    "[tool_calls]",
    "<invoke",
    "<|tool▁call",
    "functions.call(",
];

/// Sentence of a reply, as written and in normalised form for the search for phrases.
pub(super) struct Sentence<'a> {
    pub(super) quote: &'a str,
    plain: String,
}

/// Splits a text into sentences: at line breaks, and after `.`, `!` and `?` before white space.
pub(super) fn sentences(text: &str) -> Vec<Sentence<'_>> {
    let mut parts = Vec::new();
    for line in text.lines() {
        let mut start = 0;
        let mut end_mark = false;
        for (at, c) in line.char_indices() {
            if end_mark && c.is_whitespace() {
                parts.push(&line[start..at]);
                start = at;
            }
            end_mark = matches!(c, '.' | '!' | '?');
        }
        parts.push(&line[start..]);
    }
    parts
        .into_iter()
        .map(|part| Sentence {
            quote: part.trim(),
            plain: plain(part),
        })
        .filter(|sentence| !sentence.plain.is_empty())
        .collect()
}

/// Normalises a text: lower case, straight apostrophes, single spaces, no Markdown markup, no bullet at the beginning.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{2019}' | '\u{2018}' => plain.push('\''),
            '*' | '_' | '#' | '>' | '`' | ' ' => space(&mut plain),
            c if c.is_ascii() && !c.is_ascii_whitespace() => plain.push(c.to_ascii_lowercase()),
            c if c.is_whitespace() => space(&mut plain),
            c => plain.extend(c.to_lowercase()),
        }
    }
    plain.truncate(plain.trim_end().len());
    let bullets = plain.len() - plain.trim_start_matches("- ").len();
    plain.drain(..bullets);
    plain
}

/// Appends a space unless the text is empty or already ends with one.
fn space(text: &mut String) {
    if !text.is_empty() && !text.ends_with(' ') {
        text.push(' ');
    }
}

impl Sentence<'_> {
    fn has(&self, phrases: &[&str]) -> bool {
        find(&self.plain, phrases).is_some()
    }

    /// Reports whether the sentence says that the work cannot be done, and does not claim success after that.
    pub(super) fn gives_up(&self) -> bool {
        let after = find(&self.plain, &GIVES_UP).or_else(|| {
            let unable = find(&self.plain, &INABILITY)?;
            let rest = &self.plain[unable..];
            // After a word such as `but`, the sentence has another subject.
            let clause = find_start(rest, &TURNS).map_or(rest, |turn| &rest[..turn]);
            Some(unable + find(clause, &WORK)?)
        });
        after.is_some_and(|after| find(&self.plain[after..], &CLAIMS).is_none())
    }

    /// Reports whether the sentence asks the user for a decision or for input.
    pub(super) fn asks(&self) -> bool {
        !self.has(&COURTESY) && (self.plain.ends_with('?') || self.has(&ASKS))
    }

    /// Reports whether the sentence claims that the work is done.
    pub(super) fn claims_success(&self) -> bool {
        self.has(&CLAIMS)
    }

    /// Reports whether the sentence announces a step or ends with a colon.
    pub(super) fn announces(&self) -> bool {
        let mut rest = self.plain.as_str();
        while let Some(word) = CONNECTIVES.iter().find(|word| begins(rest, word)) {
            rest = rest[word.len()..].trim_start_matches([',', '!', '.', ':', ' ']);
        }
        let begins_with = |phrases: &[&str]| phrases.iter().any(|phrase| begins(rest, phrase));
        self.plain.ends_with(':') || (begins_with(&ANNOUNCES) && !begins_with(&NO_STEP))
    }
}

/// Returns the rest of a text from a tool call that is written as text.
pub(super) fn written_call(text: &str) -> Option<&str> {
    let lower = text.to_ascii_lowercase();
    let tag = WRITTEN_CALLS.iter().filter_map(|tag| lower.find(tag)).min();
    let object = lower
        .find("\"arguments\"")
        .filter(|_| lower.contains("\"name\""))
        .and_then(|at| lower[..at].rfind('{'));
    tag.or(object).map(|at| text[at..].trim_end())
}

fn begins(text: &str, phrase: &str) -> bool {
    text.strip_prefix(phrase)
        .is_some_and(|rest| !rest.starts_with(in_word))
}

/// Returns the end of the first match of any phrase, as whole words.
fn find(text: &str, phrases: &[&str]) -> Option<usize> {
    place(text, phrases).map(|(start, length)| start + length)
}

/// Returns the start of the first match of any phrase, as whole words.
fn find_start(text: &str, phrases: &[&str]) -> Option<usize> {
    place(text, phrases).map(|(start, _)| start)
}

/// Returns the start and the length of the first match of any phrase, as whole words. All phrases are compared in a
/// single pass over the text, because many replies are searched.
fn place(text: &str, phrases: &[&str]) -> Option<(usize, usize)> {
    let mut within_word = false;
    text.char_indices().find_map(|(at, c)| {
        let begins_word = !mem::replace(&mut within_word, in_word(c));
        let rest = &text[at..];
        let first = rest.as_bytes()[0];
        let mut phrases = phrases.iter().filter(|_| begins_word);
        let found = phrases.find(|phrase| phrase.as_bytes()[0] == first && begins(rest, phrase));
        found.map(|phrase| (at, phrase.len()))
    })
}

/// Reports whether a character is part of a word. An apostrophe is, so that `can` does not match in `can't`.
fn in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '\''
}
