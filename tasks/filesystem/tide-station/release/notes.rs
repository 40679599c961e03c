//! Facts that the notes of the release state.

use std::collections::BTreeSet;

use mcpmark_guest::Table;
use mcpmark_guest::jiff::civil::date;
use mcpmark_guest::prose::{Fact, Facts, Person};

use crate::opposites;

/// Words that belong to an issue, as people who run a station would write.
fn words(issue: u32) -> &'static [&'static str] {
    match issue {
        36 => &["version", "installed", "running"],
        38 => &["frame", "bytes", "listen*", "goes on"],
        41 => &["CSV", "gap", "spreadsheet", "comma"],
        44 => &["February", "leap", "calendar"],
        47 => &[
            "key",
            "page",
            "show*",
            "visitor",
            "everybody",
            "everyone",
            "anybody",
            "anyone",
            "secret",
        ],
        53 => &["door", "alarm", "postman", "hut", "every day"],
        62 => &["dim*", "night", "bright*", "dark", "knob"],
        63 => &[
            "section",
            "ignor*",
            "configuration",
            "take .. out",
            "delete",
        ],
        other => panic!("the notes have no words for #{other}"),
    }
}

/// Facts of the notes of a release that mentions these issues.
pub fn facts(number: &str, mentioned: &BTreeSet<u32>, people: Vec<Person>) -> Facts {
    let mut facts = Facts::new().must("the number of the release", Fact::version(number));
    // A duplicate is told under the number of the first report.
    for &issue in mentioned.iter().filter(|issue| **issue != 45) {
        let mut fact = Fact::reference(issue.into()).about(words(issue));
        if issue == 44 {
            fact = fact.besides(Fact::reference(45));
        }
        if issue == 62 {
            fact = fact.besides(Fact::reference(29));
        }
        facts = facts.must(format!("#{issue}"), fact);
    }
    facts
        .must(
            "dimming is gone",
            Fact::words([
                "no longer",
                "no more",
                "not .. any more",
                "not .. anymore",
                "gone",
                "stop*",
                "stay* .. bright*",
                "remain* .. bright*",
                "full brightness",
                "reverted",
                "dropped",
                "abandoned",
                "remov*",
                "undone",
                "taken back",
                "taken out",
                "took out",
            ])
            .or(Fact::words(["dim*"]).denied())
            .about(words(62)),
        )
        .may(Fact::reference(45))
        .may(Fact::reference(29))
        .may(Fact::version("2.3.0"))
        .may(Fact::version("2.3"))
        .may(Fact::version("2.3.1"))
        .may(Fact::number(2))
        .may(Fact::number(3))
        .may(Fact::number(4))
        .may(Fact::number(8))
        .may(Fact::quantity(29, "days"))
        .may(Fact::number(255))
        .may(Fact::number(256))
        .may(Fact::date(date(2024, 5, 6)))
        .may(Fact::date(date(2024, 2, 29)))
        .may(Fact::date(date(2024, 1, 8)))
        .may(Fact::date(date(2024, 2, 19)))
        .must_not(
            "what was taken back",
            Fact::term([
                "UTC only",
                "only UTC",
                "show* UTC",
                "display .. UTC",
                "local time",
                "ask* .. radar",
                "radar .. ask*",
                "radar .. once",
                "radar .. twice",
            ]),
        )
        .must_not(
            "what waits",
            Fact::term([
                "French",
                "plural",
                "stuck_min",
                "stuck_s",
                "in seconds",
                "Python 3.12",
            ]),
        )
        // Both versions may stand elsewhere, but the dimming came in 2.3.0.
        .must_not(
            "another release for #29",
            Fact::term([
                "in 2.3.1 #29",
                "with 2.3.1 #29",
                "since 2.3.1 #29",
                "release 2.3.1 #29",
                "version 2.3.1 #29",
                "2.3.1 told",
                "2.4.0 told",
                "#29 in 2.3.1",
                "#29 of 2.3.1",
                "#29 from 2.3.1",
            ]),
        )
        .must_not("internal work", Fact::term(["parallel", "unit test"]))
        .must_not("the opposite of what is new", opposites::opposites())
        .must_not("a number that belongs elsewhere", elsewhere(mentioned))
        .people(people)
}

/// The two numbers that may stand beside one of the release, beside another one of it.
fn elsewhere(mentioned: &BTreeSet<u32>) -> Fact {
    let mut phrases = Vec::new();
    for (number, place) in [(45, 44), (29, 62)] {
        for other in mentioned.iter().filter(|it| ![number, place].contains(*it)) {
            phrases.push(format!("#{other} #{number}"));
            phrases.push(format!("#{other} and #{number}"));
            phrases.push(format!("#{number} #{other}"));
            phrases.push(format!("#{number} and #{other}"));
        }
    }
    Fact::term(phrases)
}

/// Everybody in the list of the tracker.
pub fn people(list: &Table) -> Vec<Person> {
    let rows = list.rows().iter();
    rows.filter(|row| !row.get("name").is_empty())
        .map(|row| Person::new(row.get("name")).handle(row.get("login")))
        .collect()
}
