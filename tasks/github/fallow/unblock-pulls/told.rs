//! Facts that a comment must state below a pull request whose row breaks a rule, in whatever words.

use mcpmark_guest::jiff::civil::Date;
use mcpmark_guest::prose::{Fact, Facts, Language, Person};
use mcpmark_guest::{Condition, Found};

/// A row of a pull request that breaks a rule.
pub struct Broken {
    pub path: String,
    /// Its line in the table, counted from 1.
    pub line: u64,
    pub id: String,
    pub wrong: Wrong,
    /// Numbers that a comment may add: those of issues and pull requests, and those of runs.
    pub related: Vec<u64>,
    pub runs: Vec<u64>,
}

/// The cell that breaks a rule.
pub enum Wrong {
    /// A name that is not in the list, and the one that stood there before.
    Name { cell: String, before: String },
    /// A day that is not in the calendar, and the one that stood there before.
    Day { cell: String, before: Date },
}

/// Phrases that are denied of a name that is not in the list of names.
const NAME_DENIED: [&str; 19] = [
    "names.txt",
    "a name",
    "known name",
    "such name",
    "listed name",
    "listed",
    "known",
    "a known",
    "in names",
    "in the list",
    "in our list",
    "in that list",
    "on the list",
    "on our list",
    "on that list",
    "list of names",
    "among the names",
    "among them",
    "one of the names",
];

/// Other phrases for a name that is not in the list.
const NO_NAME: [&str; 15] = [
    "no name",
    "do not know",
    "don't know",
    "does not know",
    "doesn't know",
    "names.txt .. does not",
    "names.txt .. doesn't",
    "unlisted",
    "unknown",
    "misspel*",
    "is spelled",
    "is spelt",
    "typo",
    "wrong name",
    "other than",
];

/// Phrases that are denied of a day that does not exist.
const DAY_DENIED: [&str; 14] = [
    "a date",
    "date",
    "a day",
    "day",
    "such day",
    "such date",
    "exist*",
    "valid",
    "a valid",
    "a real",
    "real",
    "calendar",
    "be right",
    "possible",
];

/// Other phrases for a day that does not exist.
const NO_DAY: [&str; 17] = [
    "swap*",
    "transpos*",
    "typo",
    "can't be",
    "cannot be",
    "more than 30",
    "invalid",
    "impossible",
    "nonexistent",
    "only 30",
    "only thirty",
    "has 30",
    "has thirty",
    "30 days",
    "thirty days",
    "ends on",
    "ends with",
];

/// Phrases that are false of a cell that breaks a rule, said of the cell or of "it".
const FINE: [&str; 30] = [
    "is in names.txt",
    "is in the list",
    "is in our list",
    "is on the list",
    "is on our list",
    "is among the names",
    "stands in names.txt",
    "stands in the list",
    "is listed",
    "is a name",
    "is a known",
    "is one of the names",
    "is known",
    "is spelled right",
    "is spelled correctly",
    "is spelt right",
    "is a day",
    "is a date",
    "is a valid",
    "is a real",
    "is valid",
    "is in the calendar",
    "is possible",
    "exists",
    "does exist",
    "is fine",
    "is right",
    "is correct",
    "is ok",
    "is in order",
];

/// Those who may be named.
fn people() -> Vec<Person> {
    let all = [
        ("Hanne Brandt", "hbrandt"),
        ("Ioana Vasile", "ivasile"),
        ("Joss Quill", "jquill"),
        ("Kola Adeyemi", "kadeyemi"),
        ("Fallow Desk", "fallow-desk"),
    ];
    all.map(|(name, login)| Person::new(name).handle(login))
        .into()
}

/// Returns the facts that the comment below this pull request must, may and must not state; `others` are the rows of
/// the others.
fn facts(broken: &Broken, others: &[&Broken]) -> Facts {
    let file = broken.path.rsplit('/').next().unwrap_or_default();
    let place = [
        format!("{}:{}", broken.path, broken.line),
        format!("{file}:{}", broken.line),
        format!("line {}", broken.line),
    ];
    let mut facts = Facts::new()
        .must(
            "which row is wrong",
            Fact::id(&broken.id).or(Fact::term(place)),
        )
        .may(Fact::number(broken.line))
        .literal(format!("{}:{}", broken.path, broken.line))
        .people(people());
    facts = match &broken.wrong {
        Wrong::Name { cell, before } => facts
            .must("which cell is wrong", Fact::term([cell]))
            .must(
                "what is wrong with it",
                Fact::words(NAME_DENIED)
                    .denied()
                    .or(Fact::words(NO_NAME))
                    // "The list has another one" says it as well.
                    .or(Fact::words(has_before(before))),
            )
            .may(Fact::term([before])),
        Wrong::Day { cell, before } => facts
            .literal(cell)
            .must(
                "what is wrong with it",
                Fact::words(DAY_DENIED)
                    .denied()
                    .or(Fact::words(NO_DAY))
                    .or(Fact::term(no_such_day(cell))),
            )
            .may(Fact::date(*before))
            // The digits that somebody may call swapped.
            .may(Fact::number(2))
            .may(Fact::number(days(*before)))
            .may(Fact::ordinal(days(*before) as u64))
            .may(Fact::number(day_of(cell)))
            .may(Fact::ordinal(day_of(cell))),
    };
    for other in others {
        let (Wrong::Name { cell, .. } | Wrong::Day { cell, .. }) = &other.wrong;
        let theirs = Fact::id(&other.id).or(Fact::term([cell]));
        facts = facts.must_not(format!("nothing of {}", other.id), theirs);
    }
    for number in &broken.related {
        facts = facts.may(Fact::reference(*number));
    }
    for number in &broken.runs {
        facts = facts.may(Fact::number(*number));
    }
    for person in people() {
        facts = facts.may(Fact::person(&person));
    }
    facts
}

/// Returns phrases for a list that has another name than that of the row.
fn has_before(before: &str) -> Vec<String> {
    let begins = ["names.txt", "list of names", "list"];
    let says = ["has", "only has", "has only", "says", "where this plant is"];
    let all = begins
        .iter()
        .flat_map(|begin| says.map(|says| format!("{begin} {says} {before}")));
    all.collect()
}

/// Checks that the text says nothing false of the cell, and names no table without the row.
fn nothing_false(text: &str, broken: &Broken) -> Condition {
    let (cell, before) = match &broken.wrong {
        Wrong::Name { cell, before } => (cell.clone(), before.clone()),
        Wrong::Day { cell, before } => (cell.clone(), before.to_string()),
    };
    let mut subjects = vec![cell];
    // The same phrases are true of the earlier value.
    if !text.contains(&before) {
        let others = [
            "it", "that", "this", "which", "name", "plant", "date", "day",
        ];
        subjects.extend(others.map(str::to_owned));
    }
    let claims = subjects
        .iter()
        .flat_map(|subject| FINE.map(|fine| format!("{subject} {fine}")));
    let claims: Vec<String> = claims.collect();
    let file = broken.path.rsplit('/').next().unwrap_or_default();
    let tables = text
        .split(|it: char| !(it.is_alphanumeric() || matches!(it, '.' | '-' | '_')))
        .filter_map(|word| Some(&word[..word.find(".csv")? + 4]));
    let mut others = tables.filter(|it| *it != file);
    let elsewhere = Condition::when(
        others.next().is_none(),
        format!("expected no other table than {file}"),
    );
    let prose = Found::new("the comment", Ok(text.to_owned())).prose();
    let fine = Fact::words(claims).called("a cell that is as it should be");
    prose.does_not_state(&fine).and(elsewhere)
}

/// Returns phrases for a day that its month does not have.
fn no_such_day(cell: &str) -> [String; 3] {
    let (month, day) = (month_name(&cell[5..7]), day_of(cell));
    [
        format!("no {day}"),
        format!("no {month} {day}"),
        format!("{day} days"),
    ]
}

/// The number of days of a month.
fn days(day: Date) -> i64 {
    i64::from(day.days_in_month())
}

/// The day of a cell that is no day.
fn day_of(cell: &str) -> u64 {
    let day = cell.rsplit('-').next().and_then(|it| it.parse().ok());
    day.expect("the cell ends with a number")
}

/// The conditions on the comment.
pub fn told(text: &Found<String>, broken: &Broken, others: &[&Broken]) -> Vec<(String, Condition)> {
    let prose = text.prose();
    let mut all = facts(broken, others).conditions(&prose);
    if let Wrong::Day { cell, .. } = &broken.wrong {
        let (month, day) = (&cell[5..7], day_of(cell));
        let names = text.satisfies(|text| {
            let text = text.to_lowercase();
            let forms = [
                cell.clone(),
                format!("{day} {}", month_name(month)),
                format!("{} {day}", month_name(month)),
                format!("{day}nd"),
            ];
            Condition::when(
                forms.iter().any(|form| text.contains(form.as_str())),
                format!("expected the day {cell}"),
            )
        });
        all.push(("which cell is wrong".to_owned(), names));
    }
    all.push((
        "nothing false of its row".to_owned(),
        text.satisfies(|text| nothing_false(text, broken)),
    ));
    let readable = prose
        .words_between(6, 200)
        .and(prose.is_in(Language::English));
    all.push(("a short text in English".to_owned(), readable));
    all.push((
        "links lead where they say".to_owned(),
        text.satisfies(|text| links(text)),
    ));
    all
}

fn month_name(month: &str) -> &'static str {
    const NAMES: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let at: usize = month.parse().expect("a month is a number");
    NAMES[at - 1]
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
    use mcpmark_guest::prose::samples;

    use super::*;

    fn broken(path: &str, line: u64, id: &str, wrong: Wrong) -> Broken {
        Broken {
            path: path.to_owned(),
            line,
            id: id.to_owned(),
            wrong,
            related: vec![318, 350, 352],
            runs: vec![390],
        }
    }

    fn grasses() -> Broken {
        let wrong = Wrong::Name {
            cell: "Molinia coerulea".to_owned(),
            before: "Molinia caerulea".to_owned(),
        };
        broken("data/grasses.csv", 5, "POA-0004", wrong)
    }

    fn carrots() -> Broken {
        let wrong = Wrong::Day {
            cell: "2020-09-32".to_owned(),
            before: date(2020, 9, 23),
        };
        broken("data/carrots.csv", 6, "API-0005", wrong)
    }

    fn judge(file: &str, broken: &Broken, other: &Broken) -> (usize, usize) {
        let samples = samples(file);
        let mut mistakes = Vec::new();
        for sample in &samples {
            let text = Found::new("the comment", Ok(sample.text.clone()));
            let failed: Vec<(String, String)> = told(&text, broken, &[other])
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
        let wrong = samples.iter().filter(|it| it.fails.is_some()).count();
        (samples.len() - wrong, wrong)
    }

    #[test]
    fn comments_are_judged_by_their_facts() {
        let names = judge(include_str!("samples-name.txt"), &grasses(), &carrots());
        let days = judge(include_str!("samples-day.txt"), &carrots(), &grasses());
        let (right, wrong) = (names.0 + days.0, names.1 + days.1);
        assert!(
            right >= 20 && wrong >= 20,
            "{right} right texts, {wrong} wrong"
        );
    }
}
