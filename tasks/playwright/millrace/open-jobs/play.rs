//! Round through the open jobs, by the pages of the handbook.

#![allow(dead_code, reason = "each guest does the task in one manner")]

use mcpmark_guest::Tools;
use mcpmark_guest::jiff::civil::{Date, date};

use crate::browser::{Browser, Page};
use crate::clerk::{Listed, comment, listed, sign_in, visits_to_come};

/// Manner of doing the task: right, or with one mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    Right,
    NewestFirst,
    ByPriority,
    AnyThanks,
    NotesCount,
    ChasesClosed,
}

const TODAY: &str = "12 January 2026";
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Comment on the page of a job.
struct Comment {
    author: String,
    day: Date,
    is_internal: bool,
    text: String,
}

/// Does the task, and returns the answer.
pub fn play(tools: &mut Tools, manner: Manner) -> String {
    let mut browser = Browser::new(tools, "http://repairs.test");
    sign_in(&mut browser);
    browser.open("/handbook/open-jobs");
    browser.open("/handbook/visits");
    let firms = browser.open("/firms");
    let jobs = match manner {
        Manner::ByPriority => {
            let mut jobs = Vec::new();
            for priority in ["urgent", "high", "normal"] {
                let path = format!("/jobs?status=passed-on&priority={priority}");
                jobs.extend(listed(&browser.open(&path)));
            }
            jobs
        }
        Manner::NewestFirst => listed(&browser.open("/jobs?status=passed-on")),
        _ => listed(&browser.open("/jobs?status=passed-on&sort=oldest")),
    };
    let (mut closed, mut chased) = (0, 0);
    for job in jobs {
        let page = browser.open(&format!("/jobs/{}", job.id));
        if works_again(&page, manner) {
            close(&mut browser, &page);
            closed += 1;
        } else if is_late(&page, &job) && visits_to_come(&page).is_empty() {
            let firm = browser.open(&firms.link(&job.firm).unwrap_or_default());
            let note = firm.definition("Note").unwrap_or_default();
            let is_closed = note.starts_with("Closed from 12 ");
            if is_closed && manner != Manner::ChasesClosed {
                continue;
            }
            browser.open(&format!("/jobs/{}", job.id));
            let text = format!("Chased {} on {TODAY}.", job.firm);
            comment(&mut browser, &text, true);
            chased += 1;
        }
    }
    format!("{closed} jobs are closed, {chased} are chased.")
}

/// Closes the job of the page.
fn close(browser: &mut Browser<'_>, page: &Page) {
    browser.fill(&[("combobox", "Set status", "Done")]);
    browser.press("Save");
    comment(browser, "Closed, because it works again.", false);
    for visit in visits_to_come(page) {
        browser.press_in(&visit, "Cancel visit");
    }
}

fn comments(page: &Page) -> Vec<Comment> {
    let articles = page.with_role("article").filter_map(|(index, _)| {
        let below = page.below(index);
        let heading = below.iter().find(|it| it.role == "heading")?;
        let (author, time) = heading.name.split_once(", ")?;
        let paragraph = below.iter().position(|it| it.role == "paragraph")?;
        Some(Comment {
            author: author.to_owned(),
            day: day(time)?,
            is_internal: time.ends_with("(internal)"),
            text: page.text(index + 1 + paragraph),
        })
    });
    articles.collect()
}

/// Returns the day of a time such as `7 January 2026, 10:00`.
fn day(time: &str) -> Option<Date> {
    let mut words = time.split([' ', ',']);
    let day = words.next()?.parse().ok()?;
    let month = words.next()?;
    let month = MONTHS.iter().position(|name| *name == month)?;
    let year = words.next()?.parse().ok()?;
    Date::new(year, i8::try_from(month).ok()? + 1, day).ok()
}

/// Reports whether the last comment of the reporter is that it works again.
fn works_again(page: &Page, manner: Manner) -> bool {
    let reporter = page.definition("Reported by").unwrap_or_default();
    let reporter = reporter.split(',').next().unwrap_or_default().trim();
    let comments = comments(page);
    let own = comments.iter().filter(|it| match manner {
        Manner::NotesCount => true,
        _ => it.author == reporter && !it.is_internal,
    });
    let is_thanks = |it: &&Comment| it.text.starts_with("It works again");
    match manner {
        Manner::AnyThanks => own.filter(is_thanks).count() > 0,
        _ => own.last().is_some_and(|it| is_thanks(&it)),
    }
}

/// Reports whether a job has been with its firm for too long.
fn is_late(page: &Page, job: &Listed) -> bool {
    let limit = match job.priority.as_str() {
        "Urgent" => 1,
        "High" => 3,
        _ => 5,
    };
    let comments = comments(page);
    let passed_on = comments.iter().rev().find(|it| {
        let is_told = it.text.starts_with("Passed on to");
        is_told && !it.is_internal
    });
    passed_on.is_some_and(|it| {
        let waited = date(2026, 1, 12) - it.day;
        waited.get_days() > limit
    })
}
