//! Handling of the new jobs of Tanner's Row in the browser, by the pages of the handbook.

#![allow(dead_code, reason = "each guest does the task in one manner")]

use mcpmark_guest::Tools;

use crate::browser::{Browser, Page};

/// Care that is taken. The cheats lack some of it.
#[derive(Debug, Clone, Copy)]
pub struct Care {
    /// Jobs that were reported before are duplicates.
    pub finds_duplicates: bool,
    /// The household decides about the priority and the slot.
    pub reads_households: bool,
    /// A firm that is closed has a deputy.
    pub reads_notes: bool,
}

impl Care {
    /// All care that the handbook asks for.
    pub const FULL: Self = Self {
        finds_duplicates: true,
        reads_households: true,
        reads_notes: true,
    };
}

/// Manner in which the solution works. All of them are right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// Lists of jobs by filters; a job is passed on before its comment is written.
    Filters,
    /// The list of all jobs of the house, which begins with the newest.
    AllJobs,
    /// The comment is written before the job is passed on.
    CommentsFirst,
}

/// Open job, as the lists show it.
struct Open {
    id: i64,
    place: String,
    category: String,
    status: String,
}

/// Handles the jobs, and returns the answer.
pub fn handle(tools: &mut Tools, care: Care, manner: Manner) -> String {
    let mut browser = Browser::new(tools, "http://repairs.test");
    browser.open("/login");
    browser.fill(&[
        ("textbox", "Login", "ines.okoro"),
        ("textbox", "Password", "heron-42-lattice"),
    ]);
    browser.press("Sign in");
    browser.look();
    for page in ["triage", "priorities", "visits"] {
        browser.open(&format!("/handbook/{page}"));
    }
    let firms = browser.open("/handbook/firms").paragraphs();
    let houses = browser.open("/houses");
    let house = houses.link("Tanner's Row").unwrap_or_default();
    let heating = browser
        .open(&house)
        .definition("Heating")
        .unwrap_or_default();
    let number = house.rsplit('/').next().unwrap_or_default().to_owned();
    let (mut open, new) = if manner == Manner::AllJobs {
        let all = open_jobs(&browser.open(&format!("/jobs?house={number}")));
        let all = all.into_iter().rev();
        let all = all.filter(|job| matches!(job.status.as_str(), "New" | "Passed on"));
        all.partition(|job| job.status == "Passed on")
    } else {
        let mut list = |status: &str| {
            let path = format!("/jobs?house={number}&status={status}&sort=oldest");
            open_jobs(&browser.open(&path))
        };
        (list("passed-on"), list("new"))
    };
    for job in new {
        let page = browser.open(&format!("/jobs/{}", job.id));
        let report = report(&page);
        let category = if job.category == "Other" {
            category(&report)
        } else {
            &job.category
        }
        .to_owned();
        let original = open
            .iter()
            .find(|earlier| {
                care.finds_duplicates && earlier.place == job.place && earlier.category == category
            })
            .map(|earlier| earlier.id);
        match original {
            Some(original) => {
                browser.fill(&[(
                    "textbox",
                    "Number of the original job",
                    &original.to_string(),
                )]);
                browser.press("Mark as duplicate");
                comment(&mut browser, &format!("Already reported as #{original}."));
            }
            None => pass_on(
                &mut browser,
                (care, manner),
                (&page, &report),
                (&job, &category),
                (&firms, &heating),
            ),
        }
        open.push(Open { category, ..job });
    }
    "The new jobs of Tanner's Row are handled.".to_owned()
}

/// Returns the jobs of a list.
fn open_jobs(list: &Page) -> Vec<Open> {
    let rows = list.rows().into_iter().filter_map(|cells| {
        let [job, _, place, category, _, status, ..] = cells.as_slice() else {
            return None;
        };
        let id = job.strip_prefix('#')?.split(' ').next()?.parse().ok()?;
        Some(Open {
            id,
            place: place.clone(),
            category: category.clone(),
            status: status.clone(),
        })
    });
    rows.collect()
}

/// Returns the text of the report on the page of a job.
fn report(page: &Page) -> String {
    let heading = page
        .with_role("heading")
        .find(|(_, it)| it.name == "Report");
    let after = heading.map_or(0, |(index, _)| index);
    let paragraph = page
        .with_role("paragraph")
        .find(|(index, _)| *index > after);
    paragraph.map_or_else(String::new, |(index, _)| page.text(index))
}

/// Returns the category of a report whose reporter chose none.
fn category(report: &str) -> &'static str {
    if report.contains("Only cold water") {
        "Hot water"
    } else if report.contains("is wet") {
        "Leak"
    } else {
        "Other"
    }
}

/// Reports whether a household has a child under six or a person over 75.
fn is_frail(household: &str) -> bool {
    let young = ["one", "two", "three", "four", "five"];
    let child = household.split("child of ").nth(1).unwrap_or_default();
    let age = household
        .split("Retired, ")
        .nth(1)
        .and_then(|rest| rest.get(..2));
    young.iter().any(|age| child.starts_with(age)) || age.is_some_and(|age| age > "75")
}

fn priority(category: &str, report: &str, household: &str) -> &'static str {
    let is_out = ["have been cold", "Only cold water", "stone cold"];
    let is_out = is_out.iter().any(|words| report.contains(words));
    match category {
        "Leak" if report.contains("in flat") => "Urgent",
        "Leak" => "High",
        "Doors and locks" if report.contains("cannot lock") => "Urgent",
        "Heating" | "Hot water" if is_out && is_frail(household) => "Urgent",
        "Heating" | "Hot water" if is_out => "High",
        "Lift" if report.contains("does not") || report.contains("has stood") => "High",
        _ => "Normal",
    }
}

/// Returns the firm for a category by the list in the handbook.
fn firm(category: &str, list: &[String], heating: &str) -> String {
    let house = if heating.starts_with("Boilers") {
        "boilers"
    } else {
        "district"
    };
    let beginning = match category {
        "Leak" => "Leaks",
        "Heating" | "Hot water" => "Heating and hot water",
        "Lift" => "Lifts",
        other => other,
    };
    let line = list.iter().find(|line| {
        line.starts_with(beginning)
            && (beginning != "Heating and hot water" || line.contains(house))
    });
    let name = line.and_then(|line| line.split_once(": "));
    let name = name.map(|(_, name)| name.split('.').next().unwrap_or(name));
    name.unwrap_or("Handy Hands").to_owned()
}

fn comment(browser: &mut Browser<'_>, text: &str) {
    browser.fill(&[("textbox", "New comment", text)]);
    browser.press("Add comment");
}

fn pass_on(
    browser: &mut Browser<'_>,
    (care, manner): (Care, Manner),
    (page, report): (&Page, &str),
    (job, category): (&Open, &str),
    (list, heating): (&[String], &str),
) {
    let reporter = page
        .with_role("link")
        .find(|(_, link)| link.url.starts_with("/people/") && !link.url.ends_with("/ines.okoro"))
        .map(|(_, link)| link.url.clone());
    let household = if care.reads_households {
        let person = browser.open(&reporter.unwrap_or_default());
        person.definition("Household").unwrap_or_default()
    } else {
        String::new()
    };
    let priority = priority(category, report, &household);
    let firms = browser.open("/firms");
    let mut name = firm(category, list, heating);
    let mut calendar = browser.open(&firms.link(&name).unwrap_or_default());
    let note = calendar.definition("Note").unwrap_or_default();
    let is_closed = note.split_once("Closed from 12 to 16 January 2026. ");
    if let Some((_, deputy)) = is_closed.filter(|_| care.reads_notes) {
        name = deputy.trim_end_matches(" stands in.").to_owned();
        calendar = browser.open(&firms.link(&name).unwrap_or_default());
    }
    let trade = calendar.definition("Trade").unwrap_or_default();
    browser.open(&format!("/jobs/{}", job.id));
    if manner == Manner::CommentsFirst {
        comment(browser, &format!("Passed on to {name}."));
    }
    browser.fill(&[
        ("combobox", "Set status", "Passed on"),
        ("combobox", "Set priority", priority),
        ("combobox", "Set category", category),
        ("combobox", "Set firm", &format!("{name} ({trade})")),
    ]);
    browser.press("Save");
    if manner != Manner::CommentsFirst {
        comment(browser, &format!("Passed on to {name}."));
    }
    if priority == "Urgent" {
        let (day, slot) = free_slot(&calendar, &household);
        browser.fill(&[("combobox", "Day", &day), ("combobox", "Time", slot)]);
        browser.press("Book visit");
    }
}

/// Returns the first free slot of a calendar that suits a household.
fn free_slot(calendar: &Page, household: &str) -> (String, &'static str) {
    let can_morning = !household.contains("only in the afternoon");
    let can_afternoon = !household.contains("only in the morning");
    for row in calendar.rows() {
        let [day, morning, afternoon] = row.as_slice() else {
            continue;
        };
        if can_morning && morning == "free" {
            return (day.clone(), "Morning");
        }
        if can_afternoon && afternoon == "free" {
            return (day.clone(), "Afternoon");
        }
    }
    panic!("the calendar has no free slot");
}
