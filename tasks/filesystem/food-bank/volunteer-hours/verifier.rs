//! Hours of June by volunteer and by team, computed from the starting tree.

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::rust_decimal::Decimal;
use mcpmark_guest::{Csv, Tree, Verifier, content, numbers};

mcpmark_guest::verifier!(verify);

const HEADER: [&str; 5] = ["id", "name", "team", "shifts", "hours"];
const TABLE: &str = "reports/hours-2025-06.csv";
const SUMMARY: &str = "reports/hours-2025-06.md";
/// First day on which training counts, by the decision of the board.
const TRAINING_COUNTS: &str = "2025-06-16";

fn verify(task: &mut Verifier) {
    let (people, guests) = hours_of(&task.start(), "2025-06");
    let rows: Vec<[String; 5]> = people
        .iter()
        .filter(|person| person.shifts > 0)
        .map(Person::row)
        .collect();
    let table = content::csv(HEADER, &rows).amounts(["hours"]).trimmed();
    let file = task.file(TABLE);
    task.check(
        "shifts and hours of each volunteer",
        file.content_is(table.clone().by_key("id")),
    );
    task.check("most time first", file.content_is(table));

    // The order of the names is open: May has them by name, and nobody asked for it.
    let summary = content::markdown(summary(&people, &guests))
        .amounts(["Hours"])
        .items_in_any_order();
    task.check("teams and guests", task.file(SUMMARY).content_is(summary));

    task.unchanged_except([TABLE, SUMMARY]);
}

struct Person {
    id: String,
    name: String,
    team: String,
    /// Names that the person may sign in with, in lower case: forename or known-as, then surname.
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

/// Returns the people on the roster in the order of the report, and the names of guests, for a month since May 2025.
fn hours_of(start: &Tree, month: &str) -> (Vec<Person>, BTreeSet<String>) {
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
    let mut guests = BTreeSet::new();
    for shift in shifts(start, month) {
        let name = shift.name.to_lowercase();
        match people
            .iter_mut()
            .find(|person| person.spellings.contains(&name))
        {
            Some(person) => {
                person.shifts += 1;
                person.minutes += shift.minutes;
            }
            None => {
                guests.insert(shift.name);
            }
        }
    }
    people.sort_by(|a, b| b.minutes.cmp(&a.minutes).then_with(|| a.id.cmp(&b.id)));
    (people, guests)
}

struct Shift {
    /// Forename, one space and surname, or the name of a guest.
    name: String,
    minutes: i64,
}

/// Returns the shifts of a month that count: those of the tablet, and those of the sheet that are not among them.
fn shifts(start: &Tree, month: &str) -> Vec<Shift> {
    let mut shifts = Vec::new();
    let mut seen = BTreeSet::new();
    let mut lines = BTreeSet::new();
    for (path, is_sheet) in [
        (format!("volunteers/hours/{month}.csv"), false),
        ("volunteers/forgotten shifts.csv".to_owned(), true),
    ] {
        let text = start.file(path).plain_text();
        for row in text.csv(&Csv::strict()).required().rows() {
            let cell = |column| row.get(column);
            let is_repeated = !is_sheet && !lines.insert(row.cells().join("\n"));
            let is_open = is_sheet && cell("initials").trim().is_empty();
            let is_work = match cell("role") {
                "cancelled" => false,
                // ISO dates compare as text.
                "training" => cell("date") >= TRAINING_COUNTS,
                _ => true,
            };
            if !cell("date").starts_with(month) || is_repeated || is_open || !is_work {
                continue;
            }
            let name = forename_first(cell("name"));
            let times = [cell("date"), cell("in"), cell("out")].map(str::to_owned);
            if !seen.insert((name.to_lowercase(), times)) && is_sheet {
                continue;
            }
            let length = (clock(cell("out")) - clock(cell("in"))).rem_euclid(24 * 60);
            let rest = match cell("break") {
                "" => 0,
                minutes => minutes.parse().expect("a break in minutes"),
            };
            shifts.push(Shift {
                name,
                minutes: length - rest,
            });
        }
    }
    shifts
}

fn forename_first(name: &str) -> String {
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    match name.split_once(", ") {
        Some((surname, forename)) => format!("{forename} {surname}"),
        None => name,
    }
}

fn clock(time: &str) -> i64 {
    let (hours, minutes) = time.split_once(':').expect("a time with a colon");
    let number = |text: &str| text.parse::<i64>().expect("a time in digits");
    number(hours) * 60 + number(minutes)
}

fn summary(people: &[Person], guests: &BTreeSet<String>) -> String {
    let mut teams: BTreeMap<&str, (usize, i64)> = BTreeMap::new();
    for person in people {
        let team = teams.entry(&person.team).or_default();
        team.0 += usize::from(person.shifts > 0);
        team.1 += person.minutes;
    }
    let mut text = String::from(
        "# Volunteer hours, June 2025\n\n| Team | Volunteers | Hours |\n|---|---|---|\n",
    );
    for (team, (count, minutes)) in teams {
        text.push_str(&format!("| {team} | {count} | {} |\n", hours(minutes)));
    }
    text.push_str("\n## Not on the roster\n\n");
    for guest in guests {
        text.push_str(&format!("- {guest}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use mcpmark_guest::testing::{self, MemoryTree};

    use super::*;

    /// A small drive whose report was worked out by hand.
    fn drive() -> MemoryTree {
        MemoryTree::from([
            (
                "volunteers/roster.csv",
                "id,surname,forename,known as,team,joined\n\
                 V-01,Fenn,Dorothy,Dot,Sorting,2020-01-01\n\
                 V-02,Quist,Amara,,Drivers,2020-01-01\n\
                 V-03,Dube,Emre,,Front desk,2020-01-01\n",
            ),
            (
                "volunteers/hours/2025-06.csv",
                "date,name,role,in,out,break\n\
                 2025-06-03,\"FENN,  dot\",sorting,10:00,12:10,10\n\
                 2025-06-15,\"Quist, Amara\",training,09:00,10:00,\n\
                 2025-06-16,Amara Quist,training,22:30,00:45,15\n\
                 2025-06-16,Amara Quist,training,22:30,00:45,15\n\
                 2025-06-17,Emre Dube,cancelled,09:00,10:00,\n",
            ),
            (
                "volunteers/forgotten shifts.csv",
                "date,name,role,in,out,break,initials\n\
                 2025-05-31,Emre Dube,sorting,09:00,10:00,,ZB\n\
                 2025-06-03,Dorothy Fenn,sorting,09:00,09:33,,ZB\n\
                 2025-06-16,Amara Quist,training,22:30,00:45,15,ZB\n\
                 2025-06-18,Emre Dube,sorting,09:00,10:00,,\n\
                 2025-06-19,Chapel youth,sorting,09:00,10:00,,ZB\n\
                 2025-06-20,Rotary helper,sorting,09:00,10:00,,ZB\n",
            ),
        ])
    }

    const HOURS: &str = "id,name,team,shifts,hours\n\
                         V-01,Dorothy Fenn,Sorting,2,2.6\n\
                         V-02,Amara Quist,Drivers,1,2.0\n";
    const TEAMS: &str = "# Volunteer hours, June 2025\n\n\
                         | Team | Volunteers | Hours |\n|---|---|---|\n\
                         | Drivers | 1 | 2.0 |\n| Front desk | 0 | 0.0 |\n| Sorting | 1 | 2.6 |\n\n\
                         ## Not on the roster\n\n- Chapel youth\n- Rotary helper\n";

    fn failed(table: &str, summary: &str) -> Vec<String> {
        let mut end = drive();
        end.write(TABLE, table);
        end.write(SUMMARY, summary);
        let checks = testing::verify(verify, &drive(), &end, None);
        let failed = checks.into_iter().filter(|check| !check.passed);
        failed.map(|check| check.name).collect()
    }

    #[test]
    fn right_reports_pass_in_any_form() {
        let quoted = HOURS.replace(",Dorothy Fenn,", ",\"Dorothy Fenn\",");
        for table in [
            HOURS.to_owned(),
            HOURS.replace('\n', "\r\n"),
            HOURS.trim_end().to_owned(),
            HOURS.replace("2.0", "2"),
            quoted,
        ] {
            assert_eq!(failed(&table, TEAMS), Vec::<String>::new(), "{table}");
        }
        for summary in [
            // Without outer pipes, as GitHub Flavored Markdown allows.
            TEAMS
                .replace("\n| ", "\n")
                .replace(" |\n", "\n")
                .replace("|---|---|---|", "---|---|---"),
            TEAMS.replace("- ", "* ").replace("\n## ", "\n\n\n## "),
            TEAMS.replace(
                "- Chapel youth\n- Rotary helper",
                "- Rotary helper\n- Chapel youth",
            ),
            TEAMS.replace("| Sorting | 1 ", "| Sorting  |   1 "),
        ] {
            assert_eq!(failed(HOURS, &summary), Vec::<String>::new(), "{summary}");
        }
    }

    #[test]
    fn wrong_reports_fail() {
        let volunteers = ["shifts and hours of each volunteer", "most time first"];
        for (old, new) in [
            ("2,2.6", "2,2.5"),
            ("1,2.0", "2,3.0"),
            ("Dorothy", "Dot"),
            ("V-02,Amara Quist,Drivers,1,2.0\n", ""),
            ("1,2.0\n", "1,2.0\nV-03,Emre Dube,Front desk,0,0.0\n"),
        ] {
            assert_eq!(failed(&HOURS.replace(old, new), TEAMS), volunteers, "{new}");
        }
        let (header, rows) = HOURS.split_once('\n').expect("a header");
        let mut rows: Vec<&str> = rows.lines().collect();
        rows.reverse();
        let reversed = format!("{header}\n{}\n", rows.join("\n"));
        assert_eq!(failed(&reversed, TEAMS), ["most time first"]);
        for (old, new) in [
            ("June", "May"),
            ("| Front desk | 0 | 0.0 |\n", ""),
            ("| 2.6 |", "| 2.7 |"),
            ("- Rotary helper\n", ""),
            ("- Rotary helper\n", "- Rotary helper\n- Emre Dube\n"),
            ("- Rotary helper\n", "- Rotary helper\n\n<pre>draft</pre>\n"),
            ("- Rotary helper\n", "- Rotary helper\n\n<!-- draft -->\n"),
            (
                "- Rotary helper\n",
                "- Rotary helper\n\n![a picture](x.png)\n",
            ),
            (
                "- Chapel youth\n",
                "- [Chapel youth](https://chapel.example)\n",
            ),
        ] {
            assert_eq!(
                failed(HOURS, &TEAMS.replace(old, new)),
                ["teams and guests"],
                "{new}"
            );
        }
    }
}
