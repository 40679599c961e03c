//! Jobs, comments and visits.

use std::collections::BTreeSet;

use jiff::Timestamp;
use jiff::civil::{Date, Weekday};
use jiff::tz::Offset;
use mcpmark_guest::Random;
use mcpmark_guest_site::Value;
use mcpmark_guest_site::state::Table;

use crate::people::{COORDINATORS, FIRMS, HOUSES, Resident, TANNERS_ROW};
use crate::reports::{PAST, PLANTED, Report, Severity};

const DAY: i64 = 86_400;
/// Slots of a day.
const SLOTS: [&str; 2] = ["am", "pm"];
/// Number of jobs apart from those of the tasks.
const JOBS: usize = 750;
/// Days before the clock of the world in which they were reported.
const SPAN: i64 = 580;

const CALLS: [&str; 6] = [
    "Is there any news?",
    "The firm was here and has to come again with a spare part.",
    "It works again, thank you.",
    "Nobody came at the time that was agreed.",
    "It is worse today.",
    "I am at home all week.",
];
const NOTES: [&str; 4] = [
    "Called the firm, they call back.",
    "Third report from this household this year.",
    "Invoice is in.",
    "Ask the caretaker for the key of the cellar.",
];

struct Job {
    report: Report,
    chosen: &'static str,
    house: i64,
    place: String,
    reporter: String,
    status: &'static str,
    priority: &'static str,
    firm: Option<i64>,
    duplicate_of: Option<i64>,
    opened: i64,
    closed: Option<i64>,
}

/// Content of the desk.
pub struct Desk {
    jobs: Vec<Job>,
    comments: Table,
    visits: Table,
}

impl Desk {
    /// Creates the content.
    pub fn create(random: &mut Random, now: i64, residents: &[Resident]) -> Self {
        let mut jobs: Vec<Job> = (0..JOBS).map(|_| past(random, now, residents)).collect();
        for planted in PLANTED {
            let is_new = planted.status == "new";
            let opened = now - planted.minutes * 60;
            jobs.push(Job {
                report: planted.report,
                chosen: planted.chosen,
                house: TANNERS_ROW,
                place: planted.place.to_owned(),
                reporter: planted.reporter.to_owned(),
                status: planted.status,
                priority: if is_new {
                    "none"
                } else {
                    priority(planted.report, "")
                },
                firm: (!is_new).then(|| firm(planted.report.category, TANNERS_ROW, opened)),
                duplicate_of: None,
                opened,
                closed: (planted.status == "done").then_some(opened + 6 * DAY),
            });
        }
        jobs.sort_by_key(|job| job.opened);
        mark_duplicates(&mut jobs, random);
        let comments = comments(random, &jobs, now);
        let visits = visits(random, &jobs, now);
        Self {
            jobs,
            comments,
            visits,
        }
    }

    /// Returns the table of the jobs.
    pub fn jobs(&self) -> Table {
        let mut table = Table::new(&[
            "id",
            "title",
            "text",
            "house",
            "place",
            "category",
            "priority",
            "status",
            "reporter",
            "firm",
            "duplicate_of",
            "opened",
            "closed",
        ]);
        for (id, job) in (1_i64..).zip(&self.jobs) {
            table.push([
                id.into(),
                job.report.title.into(),
                job.report.text.into(),
                job.house.into(),
                Value::from(&job.place),
                job.chosen.into(),
                job.priority.into(),
                job.status.into(),
                Value::from(&job.reporter),
                job.firm.into(),
                job.duplicate_of.into(),
                job.opened.into(),
                job.closed.into(),
            ]);
        }
        table
    }

    /// Returns the table of the comments.
    pub fn comments(&self) -> Table {
        self.comments.clone()
    }

    /// Returns the table of the visits.
    pub fn visits(&self) -> Table {
        self.visits.clone()
    }
}

fn past(random: &mut Random, now: i64, residents: &[Resident]) -> Job {
    let resident = random.pick(residents);
    let report = *random.pick(&PAST);
    // Of Tanner's Row, only other places than those of the tasks.
    let is_common = matches!(report.category, "lift") || report.text.contains("house door");
    let is_shared = random.chance(1, 8) && report.category != "hot-water";
    let place = if is_common && resident.house != TANNERS_ROW {
        if report.category == "lift" {
            "Lift"
        } else {
            "House door"
        }
        .to_owned()
    } else if is_shared {
        (*random.pick(&["Cellar", "Front stairs", "Yard", "Attic"])).to_owned()
    } else {
        let is_planted = PLANTED.iter().any(|it| it.reporter == resident.login);
        let flat = if is_planted { 28 } else { resident.flat };
        format!("Flat {flat}")
    };
    let report = if resident.house == TANNERS_ROW && is_common {
        PAST[26]
    } else {
        report
    };
    let opened = now - random.between(2 * 3600, SPAN * DAY);
    let age = (now - opened) / DAY;
    let status = if age > 21 {
        *random.weighted(&[("done", 93), ("declined", 7)])
    } else if age > 3 || resident.house == TANNERS_ROW {
        *random.weighted(&[("done", 45), ("passed-on", 55)])
    } else {
        *random.weighted(&[("new", 70), ("passed-on", 30)])
    };
    let is_new = status == "new";
    // Residents often leave the default.
    let is_left = random.chance(1, 12);
    let chosen = if is_left && is_new {
        "other"
    } else {
        report.category
    };
    let duration = random.between(DAY / 4, 20 * DAY);
    let closed = matches!(status, "done" | "declined").then(|| (opened + duration).min(now - 3600));
    Job {
        report,
        chosen,
        house: resident.house,
        place,
        reporter: resident.login.clone(),
        status,
        priority: if is_new {
            "none"
        } else {
            priority(report, &resident.about)
        },
        firm: matches!(status, "done" | "passed-on")
            .then(|| firm(report.category, resident.house, opened)),
        duplicate_of: None,
        opened,
        closed: closed
            .filter(|closed| *closed > opened)
            .or_else(|| matches!(status, "done" | "declined").then_some(opened + 600)),
    }
}

fn priority(report: Report, about: &str) -> &'static str {
    let is_frail = ["of two", "of four", "79"]
        .iter()
        .any(|it| about.contains(it));
    match report.severity {
        Severity::Urgent => "urgent",
        Severity::Household if is_frail => "urgent",
        Severity::Household | Severity::High => "high",
        Severity::Normal => "normal",
    }
}

fn named(name: &str) -> i64 {
    let position = FIRMS.iter().position(|(firm, ..)| *firm == name);
    position.map_or(0, |position| position as i64 + 1)
}

fn firm(category: &str, house: i64, opened: i64) -> i64 {
    let (_, _, _, _, heating, _) = HOUSES[house as usize - 1];
    // 2026-01-01, from which on another firm does the lifts.
    const CHANGE: i64 = 1_767_225_600;
    named(match category {
        "leak" => "Halvorsen Plumbing",
        "heating" | "hot-water" if heating.starts_with("District") => "Calder Heat",
        "heating" | "hot-water" => "Pilot Flame Boilers",
        "electrics" => "Fennimore Electric",
        "door" => "Keyes Locksmiths",
        "window" => "Brandt Glazing",
        "lift" if opened < CHANGE => "Elevate",
        "lift" => "Upright Lifts",
        _ => "Handy Hands",
    })
}

/// Turns some closed jobs into duplicates of earlier ones that were open at their time.
fn mark_duplicates(jobs: &mut [Job], random: &mut Random) {
    for index in 0..jobs.len() {
        if jobs[index].status != "done" || !random.chance(1, 6) {
            continue;
        }
        let (earlier, rest) = jobs.split_at_mut(index);
        let job = &mut rest[0];
        let original = earlier.iter().rposition(|other| {
            other.house == job.house
                && other.report.category == job.report.category
                && other.status == "done"
                && other.closed.is_some_and(|closed| closed > job.opened)
        });
        // It has the place of its original, as a duplicate must have.
        let is_planted = PLANTED.iter().any(|planted| planted.report == job.report);
        if let Some(original) = original.filter(|_| !is_planted) {
            job.place.clone_from(&earlier[original].place);
            job.status = "duplicate";
            job.priority = "none";
            job.firm = None;
            job.duplicate_of = Some(original as i64 + 1);
        }
    }
}

fn comments(random: &mut Random, jobs: &[Job], now: i64) -> Table {
    let mut written: Vec<(i64, i64, String, String, bool)> = Vec::new();
    for (id, job) in (1_i64..).zip(jobs) {
        let (clerk, _, _) = *random.pick(&COORDINATORS);
        let hours = random.between(1, 30) * 3600;
        let time = (job.opened + hours).min(now - 1800);
        if let Some(original) = job.duplicate_of {
            let text = format!("Already reported as #{original}.");
            written.push((time, id, clerk.to_owned(), text, false));
        }
        let Some(firm) = job.firm else {
            continue;
        };
        let name = FIRMS[firm as usize - 1].0;
        let text = format!("Passed on to {name}.");
        written.push((time, id, clerk.to_owned(), text, false));
        for _ in 0..random.below(4) {
            let time = (time + random.between(3600, 6 * DAY)).min(now - 900);
            if random.chance(1, 4) {
                let text = (*random.pick(&NOTES)).to_owned();
                written.push((time, id, clerk.to_owned(), text, true));
            } else {
                let text = (*random.pick(&CALLS)).to_owned();
                written.push((time, id, job.reporter.clone(), text, false));
            }
        }
    }
    written.sort();
    let mut table = Table::new(&["id", "job", "author", "text", "internal", "time"]);
    for (id, (time, job, author, text, internal)) in (1_i64..).zip(written) {
        table.push([
            id.into(),
            job.into(),
            author.into(),
            text.into(),
            internal.into(),
            time.into(),
        ]);
    }
    table
}

fn date(seconds: i64) -> Date {
    let time = Timestamp::from_second(seconds).unwrap_or(Timestamp::UNIX_EPOCH);
    Offset::UTC.to_datetime(time).date()
}

fn is_working(day: Date) -> bool {
    !matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday)
}

/// Books visits for urgent jobs of the past, and for some open ones in the coming days.
fn visits(random: &mut Random, jobs: &[Job], now: i64) -> Table {
    let mut taken: BTreeSet<(i64, String, &str)> = BTreeSet::new();
    let mut table = Table::new(&["id", "job", "firm", "day", "slot"]);
    let mut book = |job: i64, firm: i64, day: Date, slot: &'static str| {
        if is_working(day) && taken.insert((firm, day.to_string(), slot)) {
            let id = taken.len() as i64;
            table.push([
                id.into(),
                job.into(),
                firm.into(),
                day.to_string().into(),
                slot.into(),
            ]);
        }
    };
    for (id, job) in (1_i64..).zip(jobs) {
        let (Some(firm), Some(closed)) = (job.firm, job.closed) else {
            continue;
        };
        if matches!(job.priority, "urgent" | "high") {
            let slot = *random.pick(&SLOTS);
            book(id, firm, date(closed), slot);
        }
    }
    // Every firm is busy in the first days, in part for households that are not in this house.
    let firms: Vec<i64> = (1..=FIRMS.len() as i64).collect();
    for firm in firms {
        let of_firm = |job: &&(i64, &Job)| job.1.firm == Some(firm) && job.1.house != TANNERS_ROW;
        let all: Vec<(i64, &Job)> = (1_i64..).zip(jobs).collect();
        let open: Vec<i64> = all
            .iter()
            .filter(of_firm)
            .filter(|(_, job)| job.status == "passed-on")
            .map(|(id, _)| *id)
            .collect();
        // A firm without open jobs comes again for the last ones.
        let again: Vec<i64> = all
            .iter()
            .filter(of_firm)
            .rev()
            .take(3)
            .map(|(id, _)| *id)
            .collect();
        let jobs = if open.is_empty() { again } else { open };
        let busy = random.between(2, 5);
        for offset in 1..=9 {
            let day = date(now + offset * DAY);
            for slot in SLOTS {
                let is_busy = offset <= busy || random.chance(1, 3);
                if is_busy && !jobs.is_empty() && !(offset == busy && slot == "pm") {
                    book(*random.pick(&jobs), firm, day, slot);
                }
            }
        }
    }
    table
}
