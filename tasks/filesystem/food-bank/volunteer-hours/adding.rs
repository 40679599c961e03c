//! Plays the task. The wrong solutions turn one of the rules off, and the variants act in another way.

use std::collections::{BTreeMap, HashMap, HashSet};

use mcpmark_guest::Tools;

/// Rules that a solution follows, and how it acts.
#[derive(Clone, Copy)]
pub struct Rules {
    /// Hours are rounded once, at the end.
    pub round_at_the_end: bool,
    /// A line that was exported twice counts once.
    pub drop_repeats: bool,
    /// First day of June on which training counts.
    pub training_from: u32,
    /// Shortest break in minutes that is taken off.
    pub shortest_break: u32,
    /// Lines of the sheet need initials.
    pub needs_initials: bool,
    /// A shift that the tablet has as well counts once.
    pub drop_signed_in: bool,
    /// The shift of a letter stays out.
    pub ignores_letters: bool,
    /// People without a shift are left out of the table.
    pub leaves_out_idle: bool,
    pub manner: Manner,
}

/// How a solution calls the tools and writes what is open.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    Plain,
    /// Writes the summary before the table, and reads the sheet before the export.
    SummaryFirst,
    /// Searches for the files and reads them at once.
    SearchAndReadMany,
    /// Lists guests in the order of their shifts.
    GuestsByDay,
    /// Reads the files at once, and writes the report in another form: quotes around each cell, CRLF, a table without
    /// outer pipes, underlined headings.
    QuotedCells,
}

pub const RIGHT: Rules = Rules {
    round_at_the_end: true,
    drop_repeats: true,
    training_from: 16,
    shortest_break: 0,
    needs_initials: true,
    drop_signed_in: true,
    ignores_letters: true,
    leaves_out_idle: true,
    manner: Manner::Plain,
};

/// Shifts, minutes and tenths of an hour of one person or team.
#[derive(Clone, Copy, Default)]
struct Sum {
    shifts: u32,
    minutes: u32,
    tenths: u32,
}

struct Material {
    roster: String,
    export: String,
    sheet: String,
}

/// One line of a list, read from the right: what is left in front is the date and the name.
struct Line<'a> {
    date: &'a str,
    surname: String,
    forename: String,
    role: &'a str,
    start: &'a str,
    end: &'a str,
    rest: u32,
}

const ROSTER: &str = "volunteers/roster.csv";
const EXPORT: &str = "volunteers/hours/2025-06.csv";
const SHEET: &str = "volunteers/forgotten shifts.csv";

fn material(tools: &mut Tools, manner: Manner) -> Material {
    if [Manner::SearchAndReadMany, Manner::QuotedCells].contains(&manner) {
        if manner == Manner::SearchAndReadMany {
            tools.text(
                "search_files",
                &mcpmark_guest::serde_json::json!({"path": ".", "pattern": "**/*hours*"}),
            );
        } else {
            tools.files("volunteers");
        }
        let paths = [
            "volunteers/README.txt",
            "archive/2025/hours-2025-05.csv",
            "archive/2025/hours-2025-05.md",
            "minutes/2025-06-10.md",
            ROSTER,
            EXPORT,
            SHEET,
        ];
        let mut texts = tools
            .read_many(&paths.map(str::to_owned))
            .split_off(4)
            .into_iter();
        let mut next = || texts.next().unwrap_or_default();
        return Material {
            roster: next(),
            export: next(),
            sheet: next(),
        };
    }
    tools.read_text("README.md");
    tools.list("volunteers");
    tools.read_text("volunteers/README.txt");
    for (name, _) in tools.list("archive/2025") {
        tools.read_text(&format!("archive/2025/{name}"));
    }
    for month in ["05-13", "06-10"] {
        tools.read_text(&format!("minutes/2025-{month}.md"));
    }
    let sheet = (manner == Manner::SummaryFirst).then(|| tools.read_text(SHEET));
    Material {
        roster: tools.read_text(ROSTER),
        export: tools.read_text(EXPORT),
        sheet: sheet.unwrap_or_else(|| tools.read_text(SHEET)),
    }
}

pub fn play(tools: &mut Tools, rules: &Rules) -> String {
    let material = material(tools, rules.manner);
    let people: Vec<Vec<&str>> = material
        .roster
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect())
        .collect();
    let mut by_name = HashMap::new();
    for (index, person) in people.iter().enumerate() {
        for forename in [person[2], person[3]] {
            by_name.insert((person[1].to_lowercase(), forename.to_lowercase()), index);
        }
    }
    let lines = counted(&material, rules, &by_name);

    let mut sums = vec![Sum::default(); people.len()];
    let mut guests: Vec<String> = Vec::new();
    for line in lines {
        let worked = line.worked(rules);
        match by_name.get(&line.person()) {
            Some(index) => {
                sums[*index].shifts += 1;
                sums[*index].minutes += worked;
                sums[*index].tenths += to_tenths(worked);
            }
            None => guests.push(format!("{} {}", line.forename, line.surname)),
        }
    }
    if rules.manner != Manner::GuestsByDay {
        guests.sort();
    }
    guests.dedup();

    let files = [
        ("reports/hours-2025-06.csv", table(&people, &sums, rules)),
        (
            "reports/hours-2025-06.md",
            summary(&people, &sums, &guests, rules),
        ),
    ];
    let files = files.map(|(path, text)| match rules.manner {
        Manner::QuotedCells => (path, in_another_form(path, &text)),
        _ => (path, text),
    });
    let mut order = [0, 1];
    if rules.manner == Manner::SummaryFirst {
        order.reverse();
    }
    for at in order {
        tools.write(files[at].0, &files[at].1);
    }
    "The report on the hours of June is in reports/.".to_owned()
}

/// Returns the lines of the export and of the sheet that count.
fn counted<'a>(
    material: &'a Material,
    rules: &Rules,
    by_name: &HashMap<(String, String), usize>,
) -> Vec<Line<'a>> {
    let mut counted = Vec::new();
    let mut seen = HashSet::new();
    let mut signed_in = HashSet::new();
    for text in material.export.lines().skip(1) {
        if !seen.insert(text) && rules.drop_repeats {
            continue;
        }
        let line = Line::read(text);
        signed_in.insert((by_name.get(&line.person()), line.date, line.start, line.end));
        counted.push(line);
    }
    for text in material.sheet.lines().skip(1) {
        let (text, initials) = text.rsplit_once(',').unwrap_or((text, ""));
        let line = Line::read(text);
        let is_known =
            signed_in.contains(&(by_name.get(&line.person()), line.date, line.start, line.end));
        let is_open = initials.is_empty() && rules.needs_initials;
        if line.date.starts_with("2025-06") && !is_open && !(is_known && rules.drop_signed_in) {
            counted.push(line);
        }
    }
    if !rules.ignores_letters {
        counted.push(Line::read(
            "2025-06-28,Elizabeth van Dael,sorting,09:00,12:30,",
        ));
    }
    counted.retain(|line| match line.role {
        "cancelled" => false,
        "training" => line.date[8..].parse::<u32>().unwrap_or(0) >= rules.training_from,
        _ => true,
    });
    counted
}

impl<'a> Line<'a> {
    fn read(text: &'a str) -> Self {
        let mut fields = text.rsplitn(5, ',');
        let mut next = || fields.next().unwrap_or_default();
        let (rest, end, start, role, head) = (next(), next(), next(), next(), next());
        let words: Vec<&str> = head[11..]
            .trim_matches('"')
            .split(' ')
            .filter(|word| !word.is_empty())
            .collect();
        let name = words.join(" ");
        let (surname, forename) = match name.split_once(", ") {
            Some((surname, forename)) => (surname.to_owned(), forename.to_owned()),
            None => {
                let (forename, surname) = name.split_once(' ').unwrap_or_default();
                (surname.to_owned(), forename.to_owned())
            }
        };
        Self {
            date: &head[..10],
            surname,
            forename,
            role,
            start,
            end,
            rest: rest.parse().unwrap_or(0),
        }
    }

    fn person(&self) -> (String, String) {
        (self.surname.to_lowercase(), self.forename.to_lowercase())
    }

    fn worked(&self, rules: &Rules) -> u32 {
        let (start, mut end) = (to_minutes(self.start), to_minutes(self.end));
        if end < start {
            end += 1440;
        }
        let rest = if self.rest >= rules.shortest_break {
            self.rest
        } else {
            0
        };
        end - start - rest
    }
}

fn table(people: &[Vec<&str>], sums: &[Sum], rules: &Rules) -> String {
    let mut order: Vec<usize> = (0..people.len()).collect();
    order.sort_by_key(|index| (u32::MAX - sums[*index].minutes, people[*index][0]));
    let mut text = String::from("id,name,team,shifts,hours\n");
    for index in order {
        let (person, sum) = (&people[index], &sums[index]);
        if sum.shifts == 0 && rules.leaves_out_idle {
            continue;
        }
        text.push_str(&format!(
            "{},{} {},{},{},{}\n",
            person[0],
            person[2],
            person[1],
            person[4],
            sum.shifts,
            decimal(tenths(sum, rules))
        ));
    }
    text
}

fn summary(people: &[Vec<&str>], sums: &[Sum], guests: &[String], rules: &Rules) -> String {
    let mut teams: BTreeMap<&str, (u32, Sum)> = BTreeMap::new();
    for (person, sum) in people.iter().zip(sums) {
        let team = teams.entry(person[4]).or_default();
        team.0 += u32::from(sum.shifts > 0);
        team.1.minutes += sum.minutes;
        team.1.tenths += sum.tenths;
    }
    let mut text = String::from(
        "# Volunteer hours, June 2025\n\n| Team | Volunteers | Hours |\n|---|---|---|\n",
    );
    for (team, (count, sum)) in &teams {
        let hours = decimal(tenths(sum, rules));
        text.push_str(&format!("| {team} | {count} | {hours} |\n"));
    }
    text.push_str("\n## Not on the roster\n\n");
    for guest in guests {
        text.push_str(&format!("- {guest}\n"));
    }
    text
}

/// The same content in another form: cells of CSV with quotes, Markdown without outer pipes and with underlined headings,
/// and CRLF in both.
fn in_another_form(path: &str, text: &str) -> String {
    let lines = text.lines().map(|line| {
        if path.ends_with(".csv") {
            format!("\"{}\"", line.replace(',', "\",\""))
        } else if let Some(title) = line.strip_prefix("# ") {
            format!("{title}\r\n===")
        } else if let Some(title) = line.strip_prefix("## ") {
            format!("{title}\r\n---")
        } else if line.starts_with("|--") {
            ":--- | ---: | ---:".to_owned()
        } else if let Some(guest) = line.strip_prefix("- ") {
            format!("* {guest}")
        } else {
            line.trim_matches(['|', ' ']).to_owned()
        }
    });
    lines.map(|line| line + "\r\n").collect()
}

fn tenths(sum: &Sum, rules: &Rules) -> u32 {
    if rules.round_at_the_end {
        to_tenths(sum.minutes)
    } else {
        sum.tenths
    }
}

fn to_minutes(time: &str) -> u32 {
    time[..2].parse::<u32>().unwrap_or(0) * 60 + time[3..].parse::<u32>().unwrap_or(0)
}

/// Tenths of an hour, halves upwards: six minutes each.
fn to_tenths(minutes: u32) -> u32 {
    (minutes + 3) / 6
}

fn decimal(tenths: u32) -> String {
    format!("{}.{}", tenths / 10, tenths % 10)
}
