//! The hours of the volunteers beside the exports: forgotten shifts, a letter about one, and the report on May.

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::jiff::civil::Date;
use mcpmark_guest::{Csv, NewFile, World};

use crate::people::Volunteer;
use crate::words::{day, morning};

/// A person by the place on the roster, or a visitor.
#[derive(Clone, Copy, PartialEq)]
pub enum Who {
    Person(usize),
    Visitor(&'static str),
}

/// A shift as it was, however it was typed. Times are in minutes, `start` since midnight.
#[derive(Clone, Copy)]
pub struct Shift {
    pub who: Who,
    pub date: Date,
    pub role: &'static str,
    pub start: i64,
    pub length: i64,
    pub rest: &'static str,
}

impl Shift {
    fn new(
        who: Who,
        date: Date,
        role: &'static str,
        times: (i64, i64),
        rest: &'static str,
    ) -> Self {
        let (start, end) = times;
        let length = (minutes(end) - minutes(start)).rem_euclid(24 * 60);
        Self {
            who,
            date,
            role,
            start: minutes(start),
            length,
            rest,
        }
    }

    fn worked(&self) -> i64 {
        self.length - self.rest.parse::<i64>().unwrap_or(0)
    }

    fn is_work(&self) -> bool {
        !["training", "cancelled"].contains(&self.role)
    }
}

/// Minutes since midnight of a time written as a number: 930 is half past nine.
fn minutes(time: i64) -> i64 {
    time / 100 * 60 + time % 100
}

/// Writes the sheet of forgotten shifts, a letter, and the report on the hours of May.
pub fn write(world: &mut World, people: &[Volunteer], shifts: &[Shift]) {
    let sheet = forgotten(shifts);
    let mut text = String::from("date,name,role,in,out,break,initials\n");
    for (shift, initials) in &sheet {
        let name = match shift.who {
            Who::Person(at) => format!("{} {}", people[at].forename, people[at].surname),
            Who::Visitor(name) => name.to_owned(),
        };
        let end = (shift.start + shift.length) % (24 * 60);
        text.push_str(&Csv::line([
            shift.date.to_string(),
            name,
            shift.role.to_owned(),
            format!("{:02}:{:02}", shift.start / 60, shift.start % 60),
            format!("{:02}:{:02}", end / 60, end % 60),
            shift.rest.to_owned(),
            (*initials).to_owned(),
        ]));
    }
    world.add(NewFile::new("volunteers/forgotten shifts.csv", text).modified(morning(day(7, 2))));
    letter(world, &people[10]);

    let signed = sheet.iter().filter(|(_, initials)| !initials.is_empty());
    let may: Vec<Shift> = shifts
        .iter()
        .chain(signed.map(|(shift, _)| shift))
        .filter(|shift| shift.date.month() == 5 && shift.is_work())
        .copied()
        .collect();
    let (table, summary) = report(people, &may);
    for (ending, text) in [("csv", table), ("md", summary)] {
        let path = format!("archive/2025/hours-2025-05.{ending}");
        world.add(NewFile::new(path, text).modified(morning(day(6, 3))));
    }
}

/// Returns the shifts of the sheet with the initials of a team leader, or none.
fn forgotten(shifts: &[Shift]) -> Vec<(Shift, &'static str)> {
    let person = Who::Person;
    let new = Shift::new;
    // Somebody who signed in as well.
    let twice = shifts
        .iter()
        .filter(|shift| shift.date.month() == 6 && shift.is_work())
        .filter(|shift| matches!(shift.who, Who::Person(_)))
        .nth(12)
        .map(|shift| (*shift, "LC"));
    let mut sheet = vec![
        (
            new(person(4), day(5, 10), "sorting", (1000, 1230), "0"),
            "ZB",
        ),
        (
            new(person(16), day(5, 24), "driving", (800, 1115), "15"),
            "",
        ),
        (
            new(person(15), day(6, 7), "front desk", (1300, 1705), "30"),
            "LC",
        ),
        (
            new(person(9), day(6, 11), "training", (1800, 1930), ""),
            "LC",
        ),
        (
            new(
                Who::Visitor("Rotary helper"),
                day(6, 14),
                "shelves",
                (930, 1130),
                "",
            ),
            "LC",
        ),
        (new(person(5), day(6, 20), "sorting", (900, 1150), "15"), ""),
        (
            new(
                Who::Visitor("Chapel youth"),
                day(6, 21),
                "sorting",
                (1000, 1200),
                "",
            ),
            "ZB",
        ),
        (
            new(person(0), day(6, 26), "training", (1700, 1845), ""),
            "LC",
        ),
        (
            new(person(20), day(6, 27), "driving", (2130, 45), "15"),
            "ZB",
        ),
    ];
    sheet.extend(twice);
    sheet.sort_by_key(|(shift, _)| shift.date);
    sheet
}

fn letter(world: &mut World, writer: &Volunteer) {
    let text = format!(
        "From: {} {}\nTo: office\nDate: 30 Jun 2025\nSubject: Saturday\n\nHello,\n\non Saturday the 28th I was at the \
         depot from 9 to half past twelve, sorting, and forgot to sign in. Could somebody put it with my hours, \
         please?\n\n{}\n",
        writer.forename, writer.surname, writer.forename
    );
    world.add(NewFile::new("inbox/11 Saturday.txt", text).modified(morning(day(6, 30))));
}

/// Returns the table of people and the summary of May, made as the office makes them.
fn report(people: &[Volunteer], shifts: &[Shift]) -> (String, String) {
    let mut sums: BTreeMap<usize, (u32, i64)> = BTreeMap::new();
    let mut guests = BTreeSet::new();
    for shift in shifts {
        match shift.who {
            Who::Person(at) => {
                let sum = sums.entry(at).or_default();
                sum.0 += 1;
                sum.1 += shift.worked();
            }
            Who::Visitor(name) => {
                guests.insert(name);
            }
        }
    }
    let mut teams: BTreeMap<&str, (u32, i64)> = BTreeMap::new();
    for (at, person) in people.iter().enumerate() {
        let team = teams.entry(person.team).or_default();
        if let Some((_, minutes)) = sums.get(&at) {
            team.0 += 1;
            team.1 += minutes;
        }
    }
    let mut order: Vec<(usize, (u32, i64))> = sums.into_iter().collect();
    // The roster is sorted by id.
    order.sort_by_key(|&(at, (_, minutes))| (-minutes, at));
    let mut table = String::from("id,name,team,shifts,hours\n");
    for (at, (count, minutes)) in order {
        let person = &people[at];
        table.push_str(&Csv::line([
            person.id.as_str(),
            &format!("{} {}", person.forename, person.surname),
            person.team,
            &count.to_string(),
            &hours(minutes),
        ]));
    }
    let mut summary = String::from(
        "# Volunteer hours, May 2025\n\n| Team | Volunteers | Hours |\n|---|---|---|\n",
    );
    for (team, (count, minutes)) in teams {
        summary.push_str(&format!("| {team} | {count} | {} |\n", hours(minutes)));
    }
    summary.push_str("\n## Not on the roster\n\n");
    for guest in guests {
        summary.push_str(&format!("- {guest}\n"));
    }
    (table, summary)
}

fn hours(minutes: i64) -> String {
    let tenths = (minutes + 3) / 6;
    format!("{}.{}", tenths / 10, tenths % 10)
}
