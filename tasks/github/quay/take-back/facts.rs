//! Facts that the comment on the incident must state, may state and must not state.

use mcpmark_guest::jiff::civil::Date;
use mcpmark_guest::prose::{Fact, Facts, Language, Person, Prose};
use mcpmark_guest::rust_decimal::Decimal;
use mcpmark_guest::{Condition, Found};

use crate::links::links_agree;

/// The change that is taken back, its incident and its pull requests.
pub struct Story {
    pub incident: u64,
    /// The pull request that caused it, its title and its commit.
    pub cause: u64,
    pub title: String,
    pub commit: String,
    /// The pull request of the agent.
    pub own: u64,
    pub minutes: u64,
    /// The days of the incident and of the change.
    pub days: Vec<Date>,
    pub people: Vec<Person>,
}

/// Phrases for a change that is being taken back.
const TAKEN_BACK: [&str; 17] = [
    "take* .. back",
    "take* back",
    "taken back",
    "taking .. back",
    "taking back",
    "revert*",
    "undo*",
    "undone",
    "back to",
    "back out",
    "go* back",
    "put* .. back",
    "bring* .. back",
    "restor*",
    "withdraw*",
    "return*",
    "remov*",
];

/// Phrases for a change that has been taken back, which are false before the merge.
const DONE: [&str; 41] = [
    "has been taken back",
    "have been taken back",
    "was taken back",
    "is taken back already",
    "already taken back",
    "have taken back",
    "have taken it back",
    "have taken this back",
    "took it back",
    "took this back",
    "took back",
    "has been reverted",
    "was reverted",
    "have reverted",
    "is reverted already",
    "already reverted",
    "has been undone",
    "was undone",
    "has been merged",
    "is merged",
    "is on main",
    "is solved",
    "is fixed",
    "has been fixed",
    "has now been taken back",
    "has already been taken back",
    "have now taken",
    "took that back",
    "took that change back",
    "took the change back",
    "has now been reverted",
    "has already been reverted",
    "reverted it",
    "reverted that",
    "reverted this",
    "has now been undone",
    "has now been merged",
    "has already been merged",
    "is now merged",
    "is now on main",
    "is already on main",
];

/// Phrases for the cause that a guest on the incident suspects.
const WEATHER: [&str; 5] = [
    "storm",
    "weather",
    "no change of ours",
    "not a change of ours",
    "not our change",
];

/// Words that begin a part of a sentence which says what is not so yet, or what somebody took for true.
const CONDITIONS: [&str; 10] = [
    "once ",
    "when ",
    "as soon as ",
    "after ",
    "until ",
    "if ",
    "whether ",
    "thought ",
    "asked ",
    "wondered ",
];

/// The facts of the comment.
fn facts(story: &Story) -> Facts {
    let cause = Fact::reference(story.cause);
    let others = cause.clone().or(Fact::reference(story.incident));
    let mut facts = Facts::new()
        .must(
            "which change it was",
            cause
                .clone()
                .or(Fact::commit(&story.commit))
                .or(Fact::term([&story.title])),
        )
        .must(
            "where it is taken back",
            Fact::reference(story.own)
                .about(TAKEN_BACK)
                .besides(others.or(Fact::commit(&story.commit))),
        )
        .must_not(
            "its own pull request as the cause",
            Fact::reference(story.own).after([
                "caused by",
                "cause is",
                "cause was",
                "due to",
                "came from",
                "comes from",
                "came with",
                "because of",
            ]),
        )
        .must_not(
            "the cause as what takes it back",
            cause.after([
                "taken back by",
                "taken back in",
                "taken back with",
                "reverted by",
                "reverted in",
                "undone by",
                "undone in",
            ]),
        )
        .may(Fact::commit(&story.commit))
        .may(Fact::reference(story.incident))
        .may(Fact::number(story.minutes))
        .may(Fact::number(Decimal::ONE))
        .literal("merlin-1")
        .people(story.people.iter().cloned());
    for day in &story.days {
        facts = facts.may(Fact::date(*day));
    }
    for person in &story.people {
        facts = facts.may(Fact::person(person));
    }
    facts
}

/// Returns the text without the parts of sentences that say on which condition something will be so, or what
/// somebody thought.
fn without_conditions(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let mut result = String::new();
    let mut at = 0;
    while at < text.len() {
        let is_start = at == 0 || !lower.as_bytes()[at - 1].is_ascii_alphanumeric();
        let begins = |it: &&str| is_start && lower[at..].starts_with(*it);
        if CONDITIONS.iter().any(|it| begins(&it)) {
            let end = text[at..].find([',', ';', '.', '\n', ':']);
            at += end.unwrap_or(text.len() - at);
            continue;
        }
        let length = text[at..].chars().next().map_or(1, char::len_utf8);
        result.push_str(&text[at..at + length]);
        at += length;
    }
    result
}

/// All conditions on the comment, with their names.
pub fn conditions(story: &Story, text: &Found<String>) -> Vec<(String, Condition)> {
    let prose = text.prose();
    let mut all = facts(story).conditions(&prose);
    let plain: Found<Prose> = text.map(|text| without_conditions(text)).prose();
    let done = Fact::words(DONE).called("what is still to be merged");
    all.extend([
        (
            "that it is not done yet".to_owned(),
            plain.does_not_state(&done),
        ),
        (
            "that it was the weather".to_owned(),
            plain.does_not_state(&Fact::words(WEATHER).called("another cause")),
        ),
        ("its links".to_owned(), links_agree(text)),
        ("its length".to_owned(), prose.words_between(8, 100)),
        ("its language".to_owned(), prose.is_in(Language::English)),
    ]);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use mcpmark_guest::prose::samples;

    fn story() -> Story {
        let people = [
            ("Anja Solheim", "asolheim"),
            ("Ben Okafor", "bokafor"),
            ("Elise Fontaine", "efontaine"),
        ];
        Story {
            incident: 251,
            cause: 246,
            title: "web: reload without a test".to_owned(),
            commit: "5e81c04b7d3a92f6e0c1b2a39485766758493021".to_owned(),
            own: 307,
            minutes: 16,
            days: vec![Date::constant(2025, 7, 20), Date::constant(2025, 7, 14)],
            people: people
                .map(|(name, login)| Person::new(name).handle(login))
                .into(),
        }
    }

    #[test]
    fn comments_are_judged_by_their_facts() {
        let samples = samples(include_str!("samples.txt"));
        let wrong = samples.iter().filter(|it| it.fails.is_some()).count();
        assert!(
            samples.len() - wrong >= 20 && wrong >= 20,
            "{wrong} of {}",
            samples.len()
        );
        let mut mistakes = Vec::new();
        for sample in &samples {
            let text = Found::new("the comment", Ok(sample.text.clone()));
            let failed: Vec<(String, String)> = conditions(&story(), &text)
                .into_iter()
                .filter(|(_, condition)| !condition.passed())
                .map(|(name, condition)| (name, condition.detail().to_owned()))
                .collect();
            let is_right = match &sample.fails {
                None => failed.is_empty(),
                Some(check) => failed.iter().any(|(name, _)| name == check),
            };
            if !is_right {
                mistakes.push(format!(
                    "{} (must fail: {:?}): {failed:?}",
                    sample.name, sample.fails
                ));
            }
        }
        assert!(
            mistakes.is_empty(),
            "{}\n{}",
            mistakes.len(),
            mistakes.join("\n")
        );
    }
}
