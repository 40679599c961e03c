//! Hours by volunteer and by team, computed again from the starting tree.

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::rust_decimal::Decimal;
use mcpmark_guest::{Condition, Csv, Tree, Verifier, numbers};

mcpmark_guest::verifier!(verify);

const HEADER: [&str; 5] = ["id", "name", "team", "shifts", "hours"];
const PARTS: [&str; 7] = [
    "heading",
    "blank line",
    "table",
    "blank line",
    "heading",
    "blank line",
    "list",
];

fn verify(task: &mut Verifier) {
    let (people, strangers) = quarter(&task.start());
    let rows: Vec<[String; 5]> = people.iter().map(Person::row).collect();
    let text: String = std::iter::once(Csv::line(HEADER))
        .chain(rows.iter().map(Csv::line))
        .collect();

    let report = task.file("reports/hours-2025-Q2.csv");
    let table = report.csv().header(HEADER);
    task.check("the report has its columns", report.csv().header_is(HEADER));
    task.check(
        "one line per person on the roster",
        table.count_is(people.len()),
    );
    task.check(
        "shifts and hours are right",
        table.equal_in_any_order(&rows),
    );
    task.check("sorted by minutes and id", table.equal(&rows));
    task.check("the bytes are as asked for", report.equals(&text));

    let summary = task.file("reports/hours-2025-Q2.md");
    let document = summary.markdown();
    task.check(
        "the two headings",
        document.headings_are(&[(1, "Volunteer hours 2025-Q2"), (2, "Not on the roster")]),
    );
    task.check("the table of teams", document.table().equal(teams(&people)));
    task.check(
        "who is not on the roster",
        document
            .section("Not on the roster")
            .items()
            .equal(strangers),
    );
    task.check(
        "nothing else in the document",
        document
            .paragraphs()
            .count_is(0)
            .and(summary.text().is_plain())
            .and(summary.text().ends_with_one_newline()),
    );
    task.check(
        "one blank line between the parts",
        summary
            .text()
            .satisfies(|text| Condition::equal(&PARTS.to_vec(), &parts(text))),
    );
    task.unchanged_except(["reports/hours-2025-Q2.csv", "reports/hours-2025-Q2.md"]);
}

/// What each line of the document is, adjacent rows and bullets taken as one.
fn parts(text: &str) -> Vec<&'static str> {
    let mut parts: Vec<&str> = text
        .lines()
        .map(|line| match line.chars().next() {
            _ if line != line.trim_end() => "a line with blanks at its end",
            None => "blank line",
            Some('#') => "heading",
            Some('-' | '*' | '+') => "list",
            Some(_) if line.contains('|') => "table",
            Some(_) => "something else",
        })
        .collect();
    parts.dedup_by(|a, b| a == b && ["table", "list"].contains(a));
    parts
}

struct Person {
    id: String,
    name: String,
    team: String,
    /// The ways in which the person may sign in, in lower case: forename or known-as, then surname.
    spellings: Vec<String>,
    shifts: u32,
    minutes: i64,
}

impl Person {
    fn row(&self) -> [String; 5] {
        [
            self.id.clone(),
            self.name.clone(),
            self.team.clone(),
            self.shifts.to_string(),
            hours(self.minutes),
        ]
    }
}

fn hours(minutes: i64) -> String {
    numbers::fixed(Decimal::from(minutes) / Decimal::from(60), 1)
}

/// Everyone on the roster in the order of the report, and the names of the others.
fn quarter(start: &Tree) -> (Vec<Person>, Vec<String>) {
    let roster = start.file("volunteers/roster.csv").csv().required();
    let mut people: Vec<Person> = Vec::new();
    for row in roster.rows() {
        let (forename, surname, known) =
            (row.get("forename"), row.get("surname"), row.get("known as"));
        let spellings = [forename, known]
            .into_iter()
            .filter(|name| !name.is_empty());
        people.push(Person {
            id: row.get("id").to_owned(),
            name: format!("{forename} {surname}"),
            team: row.get("team").to_owned(),
            spellings: spellings
                .map(|name| format!("{name} {surname}").to_lowercase())
                .collect(),
            shifts: 0,
            minutes: 0,
        });
    }
    let mut strangers = BTreeSet::new();
    for month in ["2025-04", "2025-05", "2025-06"] {
        let text = start
            .file(format!("volunteers/hours/{month}.csv"))
            .plain_text()
            .required();
        let mut seen = BTreeSet::new();
        for line in text
            .lines()
            .skip(1)
            .filter(|line| seen.insert(line.to_owned()))
        {
            let Some(shift) = Shift::read(line) else {
                continue;
            };
            let spelling = shift.forename_first().to_lowercase();
            match people
                .iter_mut()
                .find(|person| person.spellings.contains(&spelling))
            {
                Some(person) => {
                    person.shifts += 1;
                    person.minutes += shift.minutes;
                }
                None => {
                    strangers.insert(shift.name);
                }
            }
        }
    }
    people.sort_by(|a, b| b.minutes.cmp(&a.minutes).then_with(|| a.id.cmp(&b.id)));
    let mut strangers: Vec<String> = strangers.into_iter().collect();
    if strangers.is_empty() {
        strangers.push("none".to_owned());
    }
    (people, strangers)
}

struct Shift {
    name: String,
    minutes: i64,
}

impl Shift {
    /// A line of an export; none for a role that is not hours worked.
    fn read(line: &str) -> Option<Self> {
        let format = Csv::strict().without_header().ragged();
        let table = format.read(line).expect("the exports are CSV");
        let cells = table.rows()[0].cells();
        // Seven fields: the comma of the name was not quoted.
        let [.., role, start, end, rest] = cells[..] else {
            panic!("too few fields: {line:?}")
        };
        let name = cells[1..cells.len() - 4].join(",");
        if ["training", "cancelled"].contains(&role) {
            return None;
        }
        let length = (clock(end) - clock(start)).rem_euclid(24 * 60);
        let rest: i64 = if rest.is_empty() {
            0
        } else {
            rest.parse().expect("a break in minutes")
        };
        Some(Self {
            name: name.split_whitespace().collect::<Vec<_>>().join(" "),
            minutes: length - rest,
        })
    }

    fn forename_first(&self) -> String {
        match self.name.split_once(", ") {
            Some((surname, forename)) => format!("{forename} {surname}"),
            None => self.name.clone(),
        }
    }
}

fn clock(time: &str) -> i64 {
    let (hours, minutes) = time.split_once(':').expect("a time with a colon");
    let number = |text: &str| text.parse::<i64>().expect("a time in digits");
    number(hours) * 60 + number(minutes)
}

fn teams(people: &[Person]) -> Vec<Vec<String>> {
    let mut teams: BTreeMap<&str, (usize, i64)> = BTreeMap::new();
    for person in people {
        let team = teams.entry(&person.team).or_default();
        team.0 += usize::from(person.shifts > 0);
        team.1 += person.minutes;
    }
    let header = ["Team", "Volunteers", "Hours"].map(str::to_owned).to_vec();
    let rows = teams
        .into_iter()
        .map(|(name, (count, minutes))| vec![name.to_owned(), count.to_string(), hours(minutes)]);
    std::iter::once(header).chain(rows).collect()
}
