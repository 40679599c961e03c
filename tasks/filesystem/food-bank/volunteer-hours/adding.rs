//! Plays the task; the wrong solutions turn one of the rules off.

use std::collections::{BTreeMap, HashMap, HashSet};

use mcpmark_guest::Tools;

/// Which rules of the exports are followed.
pub struct Rules {
    /// Hours are rounded once, at the end.
    pub round_at_the_end: bool,
    /// A line that was exported twice counts once.
    pub drop_repeats: bool,
}

/// Shifts and tenths of an hour or minutes of one person.
#[derive(Clone, Copy, Default)]
struct Sum {
    shifts: u32,
    minutes: u32,
    tenths: u32,
}

pub fn play(tools: &mut Tools, rules: &Rules) -> String {
    tools.list("volunteers/hours");
    tools.read_text("volunteers/README.txt");
    let roster = tools.read_text("volunteers/roster.csv");
    let people: Vec<Vec<&str>> = roster
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

    let mut sums = vec![Sum::default(); people.len()];
    let mut guests = Vec::new();
    for month in 4..=6 {
        let export = tools.read_text(&format!("volunteers/hours/2025-0{month}.csv"));
        let mut seen = HashSet::new();
        for line in export.lines().skip(1) {
            if !seen.insert(line) && rules.drop_repeats {
                continue;
            }
            // From the right: break, out, in, role. What is left between them and the date is the name.
            let mut fields = line.rsplitn(5, ',');
            let mut next = || fields.next().unwrap_or_default();
            let (rest, out, start, role, head) = (next(), next(), next(), next(), next());
            if role == "training" || role == "cancelled" {
                continue;
            }
            let name = head[11..].trim_matches('"');
            let words: Vec<&str> = name.split(' ').filter(|word| !word.is_empty()).collect();
            let name = words.join(" ");
            let (surname, forename) = match name.split_once(", ") {
                Some(pair) => pair,
                None => name
                    .split_once(' ')
                    .map_or(("", ""), |(forename, surname)| (surname, forename)),
            };
            let (start, mut out) = (to_minutes(start), to_minutes(out));
            if out < start {
                out += 1440;
            }
            let worked = out - start - rest.parse::<u32>().unwrap_or(0);
            match by_name.get(&(surname.to_lowercase(), forename.to_lowercase())) {
                Some(index) => {
                    sums[*index].shifts += 1;
                    sums[*index].minutes += worked;
                    sums[*index].tenths += to_tenths(worked);
                }
                None => guests.push(name),
            }
        }
    }
    guests.sort();
    guests.dedup();
    if guests.is_empty() {
        guests.push("none".to_owned());
    }

    let tenths = |sum: &Sum| {
        if rules.round_at_the_end {
            to_tenths(sum.minutes)
        } else {
            sum.tenths
        }
    };
    let mut order: Vec<usize> = (0..people.len()).collect();
    order.sort_by_key(|index| (u32::MAX - sums[*index].minutes, people[*index][0]));
    let mut report = String::from("id,name,team,shifts,hours\n");
    let mut teams: BTreeMap<&str, (u32, Sum)> = BTreeMap::new();
    for index in order {
        let (person, sum) = (&people[index], &sums[index]);
        report.push_str(&format!(
            "{},{} {},{},{},{}\n",
            person[0],
            person[2],
            person[1],
            person[4],
            sum.shifts,
            decimal(tenths(sum))
        ));
        let team = teams.entry(person[4]).or_default();
        team.0 += u32::from(sum.shifts > 0);
        team.1.minutes += sum.minutes;
        team.1.tenths += sum.tenths;
    }
    tools.write("reports/hours-2025-Q2.csv", &report);

    let mut document =
        String::from("# Volunteer hours 2025-Q2\n\n| Team | Volunteers | Hours |\n|---|---|---|\n");
    for (team, (count, sum)) in &teams {
        document.push_str(&format!(
            "| {team} | {count} | {} |\n",
            decimal(tenths(sum))
        ));
    }
    document.push_str("\n## Not on the roster\n\n");
    for guest in &guests {
        document.push_str(&format!("- {guest}\n"));
    }
    tools.write("reports/hours-2025-Q2.md", &document);
    format!(
        "Added up the hours of {} volunteers for 2025-Q2.",
        people.len()
    )
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
