//! Reasons for which families were passed over, in any words.

use mcpmark_guest::jiff::civil::date;
use mcpmark_guest::prose::{Fact, Facts, Language, Person};
use mcpmark_guest::{Condition, Found};

/// Phrases of which a part that is about a child must have one in each list.
type Reason = &'static [&'static [&'static str]];

/// Child who was passed over.
struct Passed {
    first: &'static str,
    last: &'static str,
    /// Alternatives.
    reasons: &'static [Reason],
    /// Words that say something else.
    others: &'static [&'static str],
}

const DECLINED: &[&str] = &[
    "declin",
    "refus",
    "turned down",
    "turned us down",
    "turned it down",
    "said no",
    "rejected",
    "did not take",
    "not taken",
];
const TUESDAY: &[&str] = &["tuesday", "tue"];
const TWICE: &[&str] = &["two", "twice", " 2 ", "both", "second", "2x", "2 offers"];
const NOT: &[&str] = &[
    "not",
    "no ",
    "n't",
    "never",
    "cannot",
    "rules out",
    "unable",
    "impossible",
    "instead of",
];

const PASSED: [Passed; 5] = [
    Passed {
        first: "rufus",
        last: "adeyemi",
        others: &["accepted", "took the"],
        reasons: &[&[DECLINED, TWICE]],
    },
    Passed {
        first: "yara",
        last: "bloom",
        others: &["waits", "still waiting"],
        reasons: &[&[&[
            "found a teacher",
            "found another",
            "found one",
            "has a teacher",
            "other teacher",
            "another teacher",
            "new teacher",
            "a teacher in marsden",
            "elsewhere",
            "in marsden",
            "no longer",
            "any more",
            "anymore",
            "off the list",
            "no place is needed",
            "no need",
        ]]],
    },
    Passed {
        first: "sanna",
        last: "holt",
        others: &["tuesdays and fridays are not"],
        reasons: &[
            &[TUESDAY, &["friday", "fri"]],
            &[&["swim"]],
            &[&["thursday", "that day"], NOT],
        ],
    },
    Passed {
        first: "teun",
        last: "maas",
        others: &["already seven", "old enough"],
        reasons: &[&[&[
            "young",
            "under seven",
            "under 7",
            "below seven",
            "only six",
            "still six",
            "is six",
            "six years",
            "aged six",
            "only 6",
            "still 6",
            "is 6",
            "6 years",
            "not seven",
            "not yet seven",
            "not 7",
            "not yet 7",
            "n't seven",
            "turns seven",
            "turns 7",
            "seven until",
            "seven only",
            "seven in november",
            "7 in november",
            "seven on",
            "7 on",
            "must be seven",
            "must be 7",
            "from seven",
            "from 7",
            "at seven",
            "at 7",
            "at least seven",
            "at least 7",
            "(six",
            "(6",
            ": six",
            ": 6",
            "age",
        ]]],
    },
    Passed {
        first: "ulla",
        last: "grieve",
        others: &["stay", "leave", "gone by"],
        reasons: &[&[
            &[
                "17:00",
                "17.00",
                "17h",
                "five",
                "5 pm",
                "5pm",
                "5 p.m",
                "half past four",
                "16:30",
                "train",
                "early",
            ],
            &[
                "not", "n't", "cannot", "no ", "only", "earliest", "early", "later", "train",
                "from ", "until", "after",
            ],
        ]],
    },
];

/// Sister of a pupil, who is later on the list.
const SISTER: (&str, &str) = ("wanda", "reyes");
/// Phrases that would put the sister in front of others.
const IN_FRONT: [&str; 7] = [
    "comes first",
    "come first",
    "ahead of",
    "is first",
    "was before",
    "stood before",
    "waited longer",
];
/// Child who gets the place.
const CHOSEN: (&str, &str) = ("viggo", "pell");

/// Phrases that would take the place from the one who gets it.
const REFUSED: [&str; 8] = [
    "not go to viggo",
    "n't go to viggo",
    "not offered to viggo",
    "not to viggo",
    "not viggo",
    "instead of viggo",
    "viggo pell does not",
    "viggo does not",
];

fn facts() -> Facts {
    let people = [
        "Rufus Adeyemi",
        "Yara Bloom",
        "Sanna Holt",
        "Teun Maas",
        "Ulla Grieve",
        "Viggo Pell",
        "Wanda Reyes",
        "Xavi Reyes",
        "Ziva Lorne",
        "Tomasz Wilk",
        "Hanne Dorfer",
        "Bram Tollner",
        "Cleo Vantongeren",
        "Doro Skye",
        "Evander Moss",
        "Fritzi Aldous",
        "Gaspard Lund",
    ]
    .map(Person::new);
    let day = |year, month, day| Fact::date(date(year, month, day)).or_weekday();
    let mut facts = Facts::new();
    for person in &people[..11] {
        facts = facts.may(Fact::person(person));
    }
    for (year, month, number) in [
        (2025, 1, 20),
        (2025, 2, 14),
        (2025, 3, 11),
        (2025, 5, 2),
        (2025, 6, 30),
        (2025, 9, 8),
        (2025, 10, 1),
        (2025, 10, 2),
        (2026, 2, 11),
        (2026, 8, 19),
        (2026, 5, 18),
        (2026, 9, 14),
        (2026, 9, 17),
        (2026, 9, 18),
        (2026, 9, 21),
        (2026, 9, 24),
        (2026, 11, 21),
        (2019, 11, 21),
        (2026, 9, 15),
    ] {
        facts = facts.may(day(year, month, number));
    }
    for number in [1, 2, 3, 4, 5, 6, 7, 17, 30, 45] {
        facts = facts.may(Fact::number(number));
    }
    for year in [2019, 2025, 2026] {
        facts = facts.may(Fact::number(year));
    }
    facts
        .may(Fact::time(16, 30))
        .may(Fact::time(17, 0))
        .may(Fact::time(16, 0))
        .may(Fact::time(14, 0))
        .may(Fact::time(17, 15))
        .may(Fact::quantity(6, "years"))
        .may(Fact::quantity(7, "years"))
        .may(Fact::quantity(45, "minutes"))
        .may(Fact::quantity(7, "days"))
        .may(Fact::quantity(1, "weeks"))
        .people(people)
}

/// Judges the comment.
pub fn conditions(text: &Found<String>) -> Vec<(String, Condition)> {
    let prose = text.prose();
    let mut all = Vec::new();
    for it in &PASSED {
        let condition = text.satisfies(|text| judge(text, it));
        all.push((it.first.to_owned(), condition));
    }
    all.push((
        "no wrong turns".to_owned(),
        text.satisfies(|text| {
            let text = text.to_lowercase();
            let parts = parts(&text);
            let in_front = parts.iter().find(|(name, part)| {
                *name == SISTER.0 && IN_FRONT.iter().any(|it| affirms(part, it))
            });
            let others = PASSED.iter().map(|it| it.first).chain([SISTER.0]);
            let goes_on = others
                .map(|it| format!("goes to {it}"))
                .find(|it| affirms(&text, it));
            let refused = REFUSED.iter().find(|it| text.contains(*it));
            let wrong = in_front.map(|it| it.1.clone()).or(goes_on);
            let wrong = wrong.or(refused.map(|it| (*it).to_owned()));
            Condition::when(wrong.is_none(), format!("found {wrong:?}"))
        }),
    ));
    all.extend(facts().conditions(&prose));
    all.push(("its length".to_owned(), prose.words_between(20, 260)));
    all.push(("its language".to_owned(), prose.is_in(Language::English)));
    all
}

/// Whether a part has a phrase without a negation in the four words in front of it. "Only" and "except" end a negation.
fn affirms(part: &str, phrase: &str) -> bool {
    part.find(phrase).is_some_and(|at| {
        for word in part[..at].split_whitespace().rev().take(4) {
            let word = word.trim_matches(|it: char| !it.is_alphanumeric());
            if ["only", "except", "but", "besides"].contains(&word) {
                return true;
            }
            let denies = ["not", "no", "never", "longer", "nor", "cannot"];
            if denies.contains(&word) || word.ends_with("n't") {
                return false;
            }
        }
        true
    })
}

fn judge(text: &str, passed: &Passed) -> Result<(), String> {
    let text = text.to_lowercase().replace('’', "'");
    let parts = parts(&text);
    let mut own = parts.iter().filter(|(name, _)| *name == passed.first);
    let (first, last) = (passed.first, passed.last);
    if own.clone().next().is_none() {
        return Err(format!("expected {first} {last}, found nothing"));
    }
    let has = |part: &str, reason: &Reason| {
        let part = format!(" {part} ");
        let is_other = passed.others.iter().any(|it| part.contains(it));
        let has_all = reason
            .iter()
            .all(|phrases| phrases.iter().any(|it| part.contains(it)));
        // "has not declined" is no reason, and neither is "cannot come on Tuesdays or Fridays".
        let is_denied = reason.iter().any(|phrases| {
            let key = [DECLINED, TUESDAY].contains(phrases);
            key && !phrases.iter().any(|it| affirms(&part, it))
        });
        has_all && !is_other && !is_denied
    };
    let found = own.any(|(_, part)| passed.reasons.iter().any(|reason| has(part, reason)));
    match found {
        true => Ok(()),
        false => Err(format!(
            "expected the reason for {first} {last} in {text:?}"
        )),
    }
}

/// Splits a text at the names of children. A part begins with the words in front of the name in the same clause, if
/// they belong to no other name.
fn parts(text: &str) -> Vec<(&'static str, String)> {
    let names =
        PASSED
            .iter()
            .map(|it| (it.first, it.last))
            .chain([SISTER, CHOSEN, ("ziva", "lorne")]);
    let mut found: Vec<(usize, &'static str)> = Vec::new();
    for (first, last) in names {
        let mut at_first = text.match_indices(first).peekable();
        let known: Vec<(usize, &str)> = match at_first.peek() {
            Some(_) => at_first.collect(),
            None => text.match_indices(last).collect(),
        };
        found.extend(known.into_iter().map(|(at, _)| (at, first)));
    }
    found.sort_unstable();
    let clause = |until: usize| {
        let before = text[..until].rfind(['.', ';', '\n', '•', '|']);
        before.map_or(0, |at| at + 1).min(until)
    };
    let mut all = Vec::new();
    for (index, (at, name)) in found.iter().enumerate() {
        let previous = index.checked_sub(1).map_or(0, |it| found[it].0);
        let from = clause(*at);
        let from = if from > previous || index == 0 {
            from
        } else {
            *at
        };
        let next = found.get(index + 1).map_or(text.len(), |it| {
            let clause = clause(it.0);
            if clause > *at { clause } else { it.0 }
        });
        all.push((*name, text[from.min(next)..next].to_owned()));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use mcpmark_guest::prose::samples;

    #[test]
    fn comments_are_judged_by_their_reasons() {
        let samples = samples(include_str!("samples.txt"));
        let wrong = samples.iter().filter(|it| it.fails.is_some()).count();
        assert!(
            samples.len() - wrong >= 15 && wrong >= 15,
            "{wrong} of {}",
            samples.len()
        );
        let mut mistakes = Vec::new();
        for sample in &samples {
            let text = Found::new("the comment", Ok(sample.text.clone()));
            let failed: Vec<(String, String)> = conditions(&text)
                .into_iter()
                .filter(|(_, condition)| !condition.passed())
                .map(|(name, condition)| (name, condition.detail().to_owned()))
                .collect();
            let is_right = match &sample.fails {
                None => failed.is_empty(),
                Some(check) => failed.iter().any(|(name, _)| name == check),
            };
            if !is_right {
                mistakes.push(format!("{}: {failed:?}", sample.name));
            }
        }
        assert!(mistakes.is_empty(), "{mistakes:#?}");
    }
}
