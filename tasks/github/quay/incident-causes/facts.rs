//! Facts that the issue for the harbour office must state, may state and must not state.

use mcpmark_guest::jiff::civil::Date;
use mcpmark_guest::prose::{Fact, Facts, Language, Person};
use mcpmark_guest::{Condition, Found};

use crate::links::links_agree;
use crate::roles::{Role, Verbs, said};

/// An incident, and what became of it.
pub struct Told {
    pub number: u64,
    pub minutes: u64,
    /// Day on which it was reported.
    pub day: Date,
    /// The pull request that caused it; missing if it was no change of ours.
    pub cause: Option<u64>,
    /// The pull request that took the change back.
    pub undone_by: Option<u64>,
    /// Words of the title by which people tell it from the others.
    pub words: Vec<&'static str>,
}

/// Words of the titles.
pub const WORDS: [(&str, &[&str]); 9] = [
    ("Gates of the south lock did not answer", &["south lock"]),
    ("No tide for two hours", &["no tide"]),
    ("Night without a backup", &["backup"]),
    ("Cameras on the pier lost a day", &["camera"]),
    ("The page of arrivals was gone", &["arrivals"]),
    ("Alarms without a reason", &["alarm"]),
    ("Replica two hours behind", &["replica"]),
    ("Tide jumps by a metre", &["jump*"]),
    ("Gates slow after midnight", &["midnight"]),
];

/// Returns the number of an incident as a topic.
fn topics(told: &Told) -> Vec<String> {
    let words = told.words.iter().map(|&word| word.to_owned());
    words.chain([format!("#{}", told.number)]).collect()
}

/// The facts of the report.
pub fn report(incidents: &[Told], people: &[Person]) -> Facts {
    let count = |fits: fn(&&Told) -> bool| incidents.iter().filter(fits).count() as u64;
    let all = incidents.len() as u64;
    let minutes: u64 = incidents.iter().map(|it| it.minutes).sum();
    let undone = count(|it| it.undone_by.is_some());
    let foreign = count(|it| it.cause.is_none());
    let mut facts = Facts::new()
        .must(
            "how many incidents there were",
            Fact::number(all)
                .about([
                    "incident",
                    "outage",
                    "times",
                    "stood still",
                    "standstill",
                    "interruption",
                ])
                .besides(
                    Fact::number(undone)
                        .or(Fact::number(foreign))
                        .or(Fact::number(all - foreign))
                        .or(Fact::number(all - foreign - undone)),
                ),
        )
        .must(
            "how many minutes they lasted",
            Fact::quantity(minutes, "minutes").or(Fact::number(minutes)),
        );
    for told in incidents {
        if told.cause.is_none() {
            facts = facts.must(
                format!("that #{} was no change of ours", told.number),
                Fact::reference(told.number)
                    .or(Fact::term(&told.words))
                    .about([
                        "no change of our*",
                        "not a change of our*",
                        "not our*",
                        "not one of our*",
                        "no .. ours",
                        "not .. ours",
                        "not .. by us",
                        "disk",
                        "not .. change",
                        "no change",
                        "nothing of ours",
                        "not .. doing",
                    ]),
            );
        }
        if let Some(undone_by) = told.undone_by {
            let others = incidents.iter().map(|it| Fact::reference(it.number));
            let causes = incidents
                .iter()
                .filter_map(|it| it.cause)
                .map(Fact::reference);
            let besides = others.chain(causes).reduce(Fact::or);
            let mut fact = Fact::reference(undone_by).about(topics(told));
            if let Some(besides) = besides {
                fact = fact.besides(besides);
            }
            facts = facts.must(
                format!("what took back the change of #{}", told.number),
                fact,
            );
        }
        facts = facts
            .may(Fact::reference(told.number))
            .may(Fact::number(told.minutes))
            .may(Fact::date(told.day))
            .may(Fact::number(u64::from(told.day.year().unsigned_abs())));
        if let Some(cause) = told.cause {
            facts = facts.may(Fact::reference(cause));
        }
    }
    let references =
        |numbers: &mut dyn Iterator<Item = u64>| numbers.map(Fact::reference).reduce(Fact::or);
    let causes = references(&mut incidents.iter().filter_map(|it| it.cause));
    let undoing = references(&mut incidents.iter().filter_map(|it| it.undone_by));
    if let (Some(causes), Some(undoing)) = (causes, undoing) {
        facts = facts
            .must_not(
                "causes that took something back",
                causes.after([
                    "taken back by",
                    "taken back in",
                    "undone by",
                    "undone in",
                    "reverted by",
                    "reverted in",
                ]),
            )
            .must_not(
                "pull requests that took something back as causes",
                undoing.after(["caused by", "cause", "due to"]),
            );
    }
    for number in [all - foreign, undone, foreign, all - foreign - undone] {
        facts = facts.may(Fact::number(number));
    }
    // Titles that are quoted.
    facts = facts.literal("two hours");
    facts.people(people.iter().cloned())
}

/// Checks that what a sentence or a line says together belongs to one incident: each pull request to the incident in
/// front of it, or each to the one behind it.
pub fn belongs_together(incidents: &[Told], text: &str) -> Condition {
    let text = without_targets(text);
    // A reference ends in digits, so the point of "#12." ends a sentence.
    let units = text.split(['\n', ';']).flat_map(|line| line.split(". "));
    for unit in units {
        let found: Vec<(usize, bool)> = references(unit)
            .filter_map(|number| {
                let at = incidents.iter().position(|it| {
                    [Some(it.number), it.cause, it.undone_by].contains(&Some(number))
                })?;
                Some((at, incidents[at].number == number))
            })
            .collect();
        let mut named: Vec<usize> = found.iter().filter(|it| it.1).map(|it| it.0).collect();
        if named.is_empty() {
            continue;
        }
        let count = named.len();
        named.sort_unstable();
        named.dedup();
        let backwards: Vec<(usize, bool)> = found.iter().rev().copied().collect();
        if named.len() < count || !(follow(&found) || follow(&backwards)) {
            return Condition::fail(format!(
                "expected each pull request beside its incident, found {unit:?}"
            ));
        }
    }
    Condition::pass("each pull request stands beside its incident")
}

/// Phrases for an incident that was no change of ours.
const FOREIGN: [&str; 17] = [
    "no change of our*",
    "no change",
    "not a change of our*",
    "not a change",
    "not our*",
    "not one of our*",
    "not caused by our*",
    "not caused by us",
    "not caused by .. change",
    "not by us",
    "nothing of ours",
    "nothing to do with us",
    "not .. doing",
    "not to blame",
    "not .. blame",
    "foreign",
    "disk",
];

/// Phrases for a change of ours that caused an incident or was taken back.
const OURS: [&str; 17] = [
    "caused by",
    "cause",
    "came from",
    "came with",
    "our change*",
    "change behind",
    "change* of",
    "change* that",
    "one of ours",
    "ours",
    "take* back",
    "took back",
    "take* .. back",
    "took .. back",
    "undid",
    "undone",
    "revert*",
];

/// Checks that only what was no change of ours is called so, and nothing else is said of it.
pub fn foreign_are_told(incidents: &[Told], text: &str) -> Condition {
    let text = without_targets(text);
    let text = text.replace("/issues/", " #").replace("/pull/", " #");
    let forms = incidents.iter().map(topics);
    let forms: Vec<Vec<String>> = forms.collect();
    let verbs = Verbs {
        one: &OURS,
        other: &FOREIGN,
    };
    let is_wrong =
        |name: usize, role: Role| (role == Role::Other) != incidents[name].cause.is_none();
    let wrong = said(&text, &forms, &verbs);
    match wrong.iter().find(|it| is_wrong(it.name, it.role)) {
        None => Condition::pass("each incident is said to be ours or not as it was"),
        Some(it) => Condition::fail(format!(
            "expected whether #{} was a change of ours, found the opposite in {:?}",
            incidents[it.name].number, it.sentence
        )),
    }
}

/// Returns true if each pull request comes after its own incident.
fn follow(found: &[(usize, bool)]) -> bool {
    let mut last = None;
    found.iter().all(|(at, is_incident)| {
        if *is_incident {
            last = Some(*at);
        }
        last == Some(*at)
    })
}

/// Removes the addresses of Markdown links, whose words say the same.
fn without_targets(text: &str) -> String {
    let mut parts = text.split("](");
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        result.push(']');
        result.push_str(part.split_once(')').map_or("", |(_, rest)| rest));
    }
    result
}

/// Returns the numbers behind `#`, and those at the end of addresses.
fn references(text: &str) -> impl Iterator<Item = u64> {
    let text = text.replace("/issues/", "#").replace("/pull/", "#");
    let numbers: Vec<u64> = text
        .split('#')
        .skip(1)
        .filter_map(|rest| {
            let end = rest.find(|it: char| !it.is_ascii_digit());
            rest[..end.unwrap_or(rest.len())].parse().ok()
        })
        .collect();
    numbers.into_iter()
}

/// Returns all conditions on the text of the report, with their names.
pub fn conditions(
    incidents: &[Told],
    people: &[Person],
    body: &Found<String>,
) -> Vec<(String, Condition)> {
    let prose = body.prose();
    let mut conditions = report(incidents, people).conditions(&prose);
    conditions.extend([
        (
            "what belongs together".to_owned(),
            body.satisfies(|text| belongs_together(incidents, text)),
        ),
        (
            "only what was no change of ours is called so".to_owned(),
            body.satisfies(|text| foreign_are_told(incidents, text)),
        ),
        ("its links".to_owned(), links_agree(body)),
        ("its length".to_owned(), prose.words_between(30, 220)),
        ("its language".to_owned(), prose.is_in(Language::English)),
    ]);
    conditions
}

#[cfg(test)]
mod tests {
    use super::*;
    use mcpmark_guest::prose::samples;

    fn incidents() -> Vec<Told> {
        let told = |number, minutes, cause, undone_by| Told {
            number,
            minutes,
            day: Date::constant(2025, 4, 1),
            cause,
            undone_by,
            words: WORDS[(number - 301) as usize].1.to_vec(),
        };
        vec![
            told(301, 45, Some(201), Some(251)),
            told(302, 120, Some(202), None),
            told(303, 31, Some(203), None),
            told(304, 144, Some(204), Some(254)),
            told(305, 16, Some(205), None),
            told(306, 88, Some(206), Some(256)),
            told(307, 127, None, None),
            told(308, 62, Some(208), None),
            told(309, 150, Some(209), None),
        ]
    }

    #[test]
    fn reports_are_judged_by_their_facts() {
        let samples = samples(include_str!("samples.txt"));
        let wrong = samples.iter().filter(|it| it.fails.is_some()).count();
        assert!(
            samples.len() - wrong >= 20 && wrong >= 20,
            "{wrong} of {}",
            samples.len()
        );
        let people = [
            Person::new("Carys Wren").handle("cwren"),
            Person::new("Dilip Marsh").handle("dmarsh"),
        ];
        let failed = |text: &str| -> Vec<String> {
            let body = Found::new("the text", Ok(text.to_owned()));
            let all = conditions(&incidents(), &people, &body).into_iter();
            let failed = all.filter(|(_, it)| !it.passed());
            failed
                .map(|(name, it)| format!("{name}: {}", it.detail()))
                .collect()
        };
        let mut mistakes = Vec::new();
        for sample in &samples {
            let found = failed(&sample.text);
            if let Some(check) = &sample.fails {
                if !found.iter().any(|it| it.starts_with(check.as_str())) {
                    mistakes.push(format!("{} must fail {check}: {found:?}", sample.name));
                }
                continue;
            }
            if !found.is_empty() {
                mistakes.push(format!("{}: {found:?}", sample.name));
            }
            for (at, digit) in sample
                .text
                .char_indices()
                .filter(|(_, it)| it.is_ascii_digit())
            {
                let before = &sample.text[..at];
                // The number of an item of a list is no text.
                if before.ends_with('\n') && sample.text[at + 1..].starts_with(". ") {
                    continue;
                }
                let other = (digit as u8 - b'0' + 1) % 10;
                let text = format!("{before}{other}{}", &sample.text[at + 1..]);
                if failed(&text).is_empty() {
                    let line = before.rsplit('\n').next().unwrap_or_default();
                    mistakes.push(format!("{} passes with {line}{other}", sample.name));
                }
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
