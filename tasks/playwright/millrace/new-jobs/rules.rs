//! Decisions that the handbook demands for the new jobs of Tanner's Row, from the starting state.

use std::collections::BTreeSet;

use mcpmark_guest::Tree;
use mcpmark_guest::jiff::civil::{Date, Weekday, date};
use mcpmark_guest_site::state::{Record, Table};

use crate::reports::{PLANTED, Report, Severity};
use crate::tables::table;

/// Day on which the world begins.
const TODAY: Date = date(2026, 1, 12);
/// Name of the house.
const HOUSE: &str = "Tanner's Row";

/// Decision about one job.
#[derive(Debug, PartialEq, Eq)]
pub struct Decision {
    /// Id of the job.
    pub job: i64,
    /// Category of the job.
    pub category: &'static str,
    /// Text of the comment.
    pub comment: String,
    /// Outcome for the job.
    pub outcome: Outcome,
}

/// Outcome for a job.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is closed as a duplicate.
    Duplicate {
        /// Id of the original.
        original: i64,
    },
    /// It is passed on to a firm.
    PassedOn {
        /// Priority.
        priority: &'static str,
        /// Id of the firm.
        firm: i64,
        /// Day and slot of the visit.
        visit: Option<(String, &'static str)>,
    },
}

/// Tables of the starting state.
struct Desk {
    jobs: Table,
    firms: Table,
    accounts: Table,
    heating: String,
    house: i64,
    taken: BTreeSet<(i64, String, String)>,
}

/// Returns the decisions in the order of the jobs.
pub fn decisions(start: Tree) -> Vec<Decision> {
    let houses = table(start, "houses");
    let house = houses
        .records()
        .find(|house| house.text("name") == Some(HOUSE));
    let Some(house) = house else {
        panic!("the world has no house {HOUSE}");
    };
    let mut desk = Desk {
        jobs: table(start, "jobs"),
        firms: table(start, "firms"),
        accounts: table(start, "accounts"),
        heating: house.text("heating").unwrap_or_default().to_owned(),
        house: house.integer("id").unwrap_or_default(),
        taken: BTreeSet::new(),
    };
    for visit in table(start, "visits").records() {
        let text = |column| visit.text(column).unwrap_or_default().to_owned();
        desk.taken.insert((
            visit.integer("firm").unwrap_or_default(),
            text("day"),
            text("slot"),
        ));
    }
    let new: Vec<i64> = desk
        .jobs
        .records()
        .filter(|job| job.integer("house") == Some(desk.house) && job.text("status") == Some("new"))
        .filter_map(|job| job.integer("id"))
        .collect();
    new.into_iter().map(|id| desk.decide(id)).collect()
}

/// Returns the facts of a report by its text.
fn facts(job: Record<'_>) -> Report {
    let text = job.text("text").unwrap_or_default();
    let planted = PLANTED.iter().find(|planted| planted.report.text == text);
    match planted {
        Some(planted) => planted.report,
        None => panic!("nothing is known about the report {text:?}"),
    }
}

impl Desk {
    fn decide(&mut self, id: i64) -> Decision {
        let Some(job) = self.jobs.find("id", id) else {
            panic!("the world has no job {id}");
        };
        let report = facts(job);
        let category = report.category;
        let original = self.jobs.records().find(|earlier| {
            let is_open = matches!(earlier.text("status"), Some("new" | "passed-on"));
            let its_category = PLANTED
                .iter()
                .find(|planted| earlier.text("text") == Some(planted.report.text))
                .map_or_else(|| earlier.text("category"), |it| Some(it.report.category));
            earlier.integer("id") < Some(id)
                && is_open
                && earlier.integer("house") == Some(self.house)
                && earlier.text("place") == job.text("place")
                && its_category == Some(category)
        });
        if let Some(original) = original.and_then(|job| job.integer("id")) {
            return Decision {
                job: id,
                category,
                comment: format!("Already reported as #{original}."),
                outcome: Outcome::Duplicate { original },
            };
        }
        let about = self
            .accounts
            .records()
            .find(|account| account.text("login") == job.text("reporter"))
            .and_then(|account| account.text("about"))
            .unwrap_or_default()
            .to_owned();
        let priority = match report.severity {
            Severity::Urgent => "urgent",
            Severity::Household if is_frail(&about) => "urgent",
            Severity::Household | Severity::High => "high",
            Severity::Normal => "normal",
        };
        let (firm, name) = self.firm(category);
        let visit = (priority == "urgent").then(|| self.free_slot(firm, &about));
        if let Some((day, slot)) = &visit {
            self.taken.insert((firm, day.clone(), (*slot).to_owned()));
        }
        Decision {
            job: id,
            category,
            comment: format!("Passed on to {name}."),
            outcome: Outcome::PassedOn {
                priority,
                firm,
                visit,
            },
        }
    }

    /// Returns the id and the name of the firm for a category.
    fn firm(&self, category: &str) -> (i64, String) {
        let has_boilers = self.heating.starts_with("Boilers");
        let name = match category {
            "leak" => "Halvorsen Plumbing",
            "heating" | "hot-water" if has_boilers => "Pilot Flame Boilers",
            "heating" | "hot-water" => "Calder Heat",
            "electrics" => "Fennimore Electric",
            // Keyes Locksmiths are closed this week.
            "door" => "Tolliver Locks",
            "window" => "Brandt Glazing",
            "lift" => "Upright Lifts",
            _ => "Handy Hands",
        };
        let firm = self
            .firms
            .records()
            .find(|firm| firm.text("name") == Some(name));
        let id = firm.and_then(|firm| firm.integer("id")).unwrap_or_default();
        (id, name.to_owned())
    }

    /// Returns the first free slot of a firm that suits a household.
    fn free_slot(&self, firm: i64, about: &str) -> (String, &'static str) {
        let slots: &[&'static str] = if about.contains("only in the afternoon") {
            &["pm"]
        } else if about.contains("only in the morning") {
            &["am"]
        } else {
            &["am", "pm"]
        };
        let mut day = TODAY;
        loop {
            day = day.tomorrow().unwrap_or(Date::MAX);
            if matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday) {
                continue;
            }
            for slot in slots {
                let entry = (firm, day.to_string(), (*slot).to_owned());
                if !self.taken.contains(&entry) {
                    return (day.to_string(), slot);
                }
            }
        }
    }
}

/// Reports whether a child under six or a person over 75 belongs to a household.
fn is_frail(about: &str) -> bool {
    let young = ["one", "two", "three", "four", "five"];
    let has_child = young.iter().any(|age| {
        about.contains(&format!("child of {age}")) || about.contains(&format!("twins of {age}"))
    });
    let ages = about.split(|c: char| !c.is_ascii_digit());
    let mut ages = ages.filter_map(|age| age.parse::<u32>().ok());
    has_child || ages.any(|age| age > 75)
}
