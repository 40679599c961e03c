//! What a comment of the triage must say, in whatever words.

use std::collections::BTreeSet;

use mcpmark_guest::jiff::civil::Date;
use mcpmark_guest::prose::{Fact, Facts, Language, Person, Prose};
use mcpmark_guest::rust_decimal::Decimal;
use mcpmark_guest::{Condition, Found};

use crate::advice::is_not_against;

/// The fault that the reporter has, and how it was mended.
pub struct Mended {
    /// The pull request that mended it, its commit on the default branch, and the first release with it.
    pub pull: u64,
    pub commit: String,
    pub release: String,
    /// The release of the reporter, and all others before the first one with the fix that somebody may name.
    pub theirs: String,
    pub older: Vec<String>,
    /// The code of the fault.
    pub code: String,
    /// The issue itself, and the closed ones with the same code.
    pub related: Vec<u64>,
    /// The days on which it was merged and released.
    pub days: Vec<Date>,
}

/// Those who may be named: the team, and everybody who opens issues.
pub fn people() -> Vec<Person> {
    let team = [
        ("Ines Calder", "icalder"),
        ("Tomasz Rell", "trell"),
        ("Marta Oyelaran", "moyelaran"),
        ("Jun Halvorsen", "jhalv"),
        ("Priya Denholm", "pdenholm"),
        ("Lowfield Desk", "lowfield-desk"),
    ];
    let growers = [
        ("Bramble Hill", "bramble-hill"),
        ("Allotment52", "allotment52"),
        ("Okonkwo Farm", "okonkwo-farm"),
        ("Greta W", "greta-w"),
        ("Northfield CSA", "northfield-csa"),
        ("Sandro Orti", "sandro-orti"),
    ];
    let all = team.into_iter().chain(growers);
    all.map(|(name, login)| Person::new(name).handle(login))
        .collect()
}

/// The conditions on the answer to a reporter whose fault is mended in a later release than theirs.
pub fn answer(text: &Found<String>, mended: &Mended) -> Vec<(String, Condition)> {
    let prose = text.prose();
    let mut all = facts(mended).conditions(&prose);
    let links = text.satisfies(|text| links(text));
    let advice = is_not_against(text, &mended.theirs, &mended.release);
    all.push(("no advice against the update".to_owned(), advice));
    all.push(("links lead where they say".to_owned(), links));
    all.push(("a short mail in English".to_owned(), readable(&prose)));
    all
}

/// What the answer must, may and must not state.
fn facts(mended: &Mended) -> Facts {
    let (theirs, line) = (mended.theirs.as_str(), short(&mended.theirs));
    let phrases = |all: &[&str]| -> Vec<String> {
        let fill = |it: &&str| it.replace("LINE", line).replace("THEIRS", theirs);
        all.iter().map(fill).collect()
    };
    let lines = mended.older.iter().map(|release| short(release));
    let older: BTreeSet<&str> = mended
        .older
        .iter()
        .map(String::as_str)
        .chain(lines)
        .collect();
    let lies = older
        .iter()
        .flat_map(|old| OLD_HAS.map(|it| it.replace("OLD", old)));
    // The issue in which it was reported first is not what mended it.
    let others = mended.related.iter().flat_map(|number| {
        ["mended", "fixed"].into_iter().flat_map(move |verb| {
            ["in", "by", "with"].map(|word| format!("{verb} {word} #{number}"))
        })
    });
    let lies = lies.chain(LIES.map(str::to_owned)).chain(others);
    let lies: Vec<String> = lies.collect();
    let is_there = Fact::words(phrases(&HAS)).denied();
    let mut facts = Facts::new()
        .must(
            "where it was mended",
            Fact::reference(mended.pull).or(Fact::commit(&mended.commit)),
        )
        .must(
            "the first release that has it",
            Fact::version(&mended.release),
        )
        .must(
            "their release does not have it",
            is_there.or(Fact::words(phrases(&LACKS))),
        )
        .must_not("nothing older is said to have it", Fact::words(lies))
        .may(Fact::id(&mended.code))
        .people(people());
    for release in mended.older.iter().chain([&mended.release]) {
        let short = short(release);
        facts = facts
            .may(Fact::version(release))
            .may(Fact::version(short).or(Fact::number(number(short))));
    }
    for day in &mended.days {
        facts = facts.may(Fact::date(*day));
    }
    with_names(facts, &mended.related)
}

/// Allows these issues, and the names of everybody.
fn with_names(mut facts: Facts, numbers: &[u64]) -> Facts {
    for number in numbers {
        facts = facts.may(Fact::reference(*number));
    }
    for person in people() {
        facts = facts.may(Fact::person(&person));
    }
    facts
}

/// What somebody says of a release that has a fix; `THEIRS` is a release, `LINE` its line.
const HAS: [&str; 46] = [
    "landed",
    "applied",
    "released in",
    "picked",
    "fixed",
    "has it",
    "have it",
    "has the",
    "have the",
    "has this",
    "have this",
    "has that",
    "includ*",
    "contain*",
    "got",
    "gets",
    "get it",
    "carries",
    "carry",
    "part of",
    "backported",
    "cherry-picked",
    "reached",
    "arrived",
    "made it",
    "made its way",
    "merged into",
    "in THEIRS",
    "in LINE",
    "in the LINE",
    "in your",
    "in yours",
    "on the LINE",
    "on LINE",
    "for the LINE",
    "for LINE",
    "to LINE",
    "to the LINE",
    "come with",
    "came with",
    "shipped",
    "available",
    "covered",
    "mended in",
    "fixed in",
    "released for",
];

/// What somebody says of a release that does not have it.
const LACKS: [&str; 44] = [
    "THEIRS does not",
    "THEIRS doesn't",
    "THEIRS is not",
    "THEIRS isn't",
    "THEIRS: no",
    "LINE does not",
    "LINE doesn't",
    "not in THEIRS",
    "not of THEIRS",
    "not of the LINE",
    "but not THEIRS",
    "lack*",
    "missing",
    "misses",
    "predate*",
    "older than",
    "too old",
    "before the fix",
    "before that fix",
    "before this fix",
    "before it was",
    "from before",
    "still the old",
    "still has the fault",
    "still has the bug",
    "still has the old",
    "still has this",
    "still affected",
    "has yet to",
    "have yet to",
    "only in",
    "without the fix",
    "without it",
    "without that",
    "without this",
    "still forgets",
    "still the code",
    "so far only",
    "only since",
    "only from",
    "nothing before",
    "no release before",
    "still waiting",
    "still waits",
];

/// What a careless reader of labels and comments says of a release or a line without the fix.
const OLD_HAS: [&str; 32] = [
    "OLD has it",
    "OLD has the fix",
    "OLD already",
    "OLD includes",
    "OLD contains",
    "OLD got it",
    "already .. OLD",
    "is in OLD",
    "is on OLD",
    "was in OLD",
    "also in OLD",
    "went to OLD",
    "went into OLD",
    "went into the OLD",
    "came to OLD",
    "came with OLD",
    "backported to OLD",
    "backported to the OLD",
    "mended in OLD",
    "fixed in OLD",
    "since OLD",
    "since version OLD",
    "OLD is the first",
    "OLD was the first",
    "first .. is OLD",
    "first .. was OLD",
    "first in OLD",
    "first released in OLD",
    "first released with OLD",
    "shipped in OLD",
    "shipped with OLD",
    "from OLD on",
];

/// The same in other words.
const LIES: [&str; 16] = [
    "you already have",
    "you have it",
    "you have the fix",
    "was backported",
    "been backported",
    "is backported",
    "no need to update",
    "up to date",
    "in both",
    "both have",
    "need not update",
    "not have to update",
    "don't have to update",
    "not need to update",
    "don't need to update",
    "not need an update",
];

/// The condition on the comment that says which issue another one repeats. `beside` are issues that it may name too.
pub fn repeats(text: &Found<String>, repeated: u64, code: &str, beside: &[u64]) -> Condition {
    let facts = Facts::new()
        .must("the issue that it repeats", Fact::reference(repeated))
        .may(Fact::id(code))
        .people(people());
    let conditions = with_names(facts, beside).conditions(&text.prose());
    Condition::all(conditions.into_iter().map(|(_, condition)| condition))
        .and(text.satisfies(|text| links(text)))
}

fn readable(prose: &Found<Prose>) -> Condition {
    prose
        .words_between(12, 220)
        .and(prose.is_in(Language::English))
}

/// The major and the minor number of a release.
fn short(release: &str) -> &str {
    release.rsplit_once('.').map_or(release, |(short, _)| short)
}

fn number(line: &str) -> Decimal {
    line.parse()
        .expect("a release line is a major and a minor number")
}

/// Whether each link whose words are the number of an issue leads to that issue.
fn links(text: &str) -> Condition {
    for (before, after) in text.match_indices("](").map(|(at, _)| text.split_at(at)) {
        let words = before.rsplit('[').next().unwrap_or_default();
        let Some(number) = words.trim().trim_matches('`').strip_prefix('#') else {
            continue;
        };
        let target = after[2..]
            .split([')', ' ', '#', '?'])
            .next()
            .unwrap_or_default();
        if target.trim_end_matches('/').rsplit('/').next() != Some(number) {
            return Condition::fail(format!(
                "expected the link {words:?} to lead to it, it leads to {target:?}"
            ));
        }
    }
    Condition::pass("links lead where they say")
}

#[cfg(test)]
mod tests {
    use mcpmark_guest::jiff::civil::date;
    use mcpmark_guest::prose::{misjudged, samples};

    use super::*;

    fn mended() -> Mended {
        Mended {
            pull: 264,
            commit: "7d9c0e51a2b34c6d8e9f00112233445566778899".to_owned(),
            release: "2.3.0".to_owned(),
            theirs: "2.1.2".to_owned(),
            older: ["2.1.0", "2.1.1", "2.1.2", "2.2.0"]
                .map(str::to_owned)
                .into(),
            code: "E-311".to_owned(),
            related: vec![262, 291],
            days: vec![date(2024, 12, 30), date(2025, 1, 8)],
        }
    }

    fn found(text: &str) -> Found<String> {
        Found::new("the comment", Ok(text.to_owned()))
    }

    #[test]
    fn answers_are_judged_by_their_facts() {
        let samples = samples(include_str!("samples.txt"));
        let wrong = samples.iter().filter(|it| it.fails.is_some()).count();
        assert!(
            wrong >= 20 && samples.len() - wrong >= 20,
            "{} texts, {wrong} wrong",
            samples.len()
        );
        let mut mistakes = Vec::new();
        for sample in &samples {
            let failed: Vec<(String, String)> = answer(&found(&sample.text), &mended())
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
                    "{} (must fail: {:?}): {failed:#?}\n{}",
                    sample.name, sample.fails, sample.text
                ));
            }
        }
        assert!(
            mistakes.is_empty(),
            "{} mistakes\n{}",
            mistakes.len(),
            mistakes.join("\n")
        );
    }

    #[test]
    fn no_digit_of_a_right_answer_is_free() {
        let mut right = samples(include_str!("samples.txt"));
        // What is true of 2.1 is true of 2.2 as well.
        right.retain(|sample| sample.fails.is_none() && sample.name != "both-lines");
        let mut mended = mended();
        mended.older.retain(|release| release.starts_with("2.1."));
        let mistakes = misjudged(&right, |text| facts(&mended).conditions(text));
        assert_eq!(mistakes, Vec::<String>::new());
    }

    #[test]
    fn a_comment_on_a_duplicate_names_the_issue_that_it_repeats() {
        for text in [
            "Duplicate of #244.",
            "This is the driver fault of #244, so I close it here.",
            "Same as https://github.com/lowfield/sluice/issues/244, please follow there.",
            "[#244](https://github.com/lowfield/sluice/issues/244) has the same code (E-529). No pump, so not #220.",
            "Thank you @okonkwo-farm! We follow this up in issue 244.\n",
        ] {
            let condition = repeats(&found(text), 244, "E-529", &[220]);
            assert!(condition.passed(), "{text}: {}", condition.detail());
        }
        for text in [
            "Duplicate.",
            "Duplicate of #220.",
            "Duplicate of #245.",
            "Duplicate of #244 and #19.",
            "[#244](https://github.com/lowfield/sluice/pull/264)",
            "Duplicate of #244, E-530.",
        ] {
            assert!(
                !repeats(&found(text), 244, "E-529", &[220]).passed(),
                "{text}"
            );
        }
    }
}
