//! Care of the jobs of a firm that is closed, by the pages of the handbook.

#![allow(dead_code, reason = "each guest does the task in one manner")]

use mcpmark_guest::Tools;

use crate::browser::Browser;
use crate::clerk::{Listed, comment, free_slot, listed, sign_in, visits_to_come};

/// Manner of doing the task: right, or with one mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    Right,
    OldestLast,
    ByFirm,
    KeepsLaterVisits,
    PassesOnAll,
    OnlyWithVisits,
}

const FIRM: &str = "Keyes Locksmiths";

/// Does the task, and returns the answer.
pub fn play(tools: &mut Tools, manner: Manner) -> String {
    let mut browser = Browser::new(tools, "http://repairs.test");
    sign_in(&mut browser);
    browser.open("/handbook/visits");
    let firms = browser.open("/firms");
    let path = firms.link(FIRM).unwrap_or_default();
    let note = browser.open(&path).definition("Note").unwrap_or_default();
    let (closed, deputy) = note.split_once(". ").unwrap_or((&note, ""));
    let last_day = closed.split(" to ").nth(1).unwrap_or_default().to_owned();
    let deputy = deputy.trim_end_matches(" stands in.").to_owned();
    let calendar = browser.open(&firms.link(&deputy).unwrap_or_default());
    let trade = calendar.definition("Trade").unwrap_or_default();
    let option = format!("{deputy} ({trade})");

    let filter = match manner {
        Manner::ByFirm => path.replace("/firms/", "/jobs?status=passed-on&firm="),
        _ => "/jobs?status=passed-on&sort=oldest".to_owned(),
    };
    let mut jobs = listed(&browser.open(&filter));
    jobs.retain(|job| job.firm == FIRM);
    if manner == Manner::OldestLast {
        jobs.reverse();
    }
    for job in jobs {
        let is_urgent = job.priority == "Urgent";
        let is_moved = is_urgent || manner == Manner::PassesOnAll;
        let had_visits = cancel(&mut browser, &job, manner, is_moved, &last_day);
        if !is_moved {
            if had_visits || manner != Manner::OnlyWithVisits {
                let text = format!("{FIRM} is closed until {last_day}.");
                comment(&mut browser, &text, false);
            }
            continue;
        }
        browser.fill(&[("combobox", "Set firm", &option)]);
        browser.press("Save");
        comment(&mut browser, &format!("Passed on to {deputy}."), false);
        if is_urgent {
            let (day, time) = free_slot(&calendar);
            browser.fill(&[("combobox", "Day", &day), ("combobox", "Time", time)]);
            browser.press("Book visit");
        }
    }
    format!("The visits of {FIRM} are off.")
}

/// Cancels the visits that cannot take place, and reports whether the job had one to come.
fn cancel(
    browser: &mut Browser<'_>,
    job: &Listed,
    manner: Manner,
    is_moved: bool,
    last_day: &str,
) -> bool {
    let page = browser.open(&format!("/jobs/{}", job.id));
    let visits = visits_to_come(&page);
    for visit in &visits {
        let is_off = day(visit) <= day(last_day);
        if is_off || (is_moved && manner != Manner::KeepsLaterVisits) {
            browser.press_in(visit, "Cancel visit");
        }
    }
    !visits.is_empty()
}

/// Returns the day of the month in a text such as `Tuesday, 13 January 2026`. The calendars end in January.
fn day(text: &str) -> u8 {
    let mut words = text.split(' ');
    words.find_map(|word| word.parse().ok()).unwrap_or_default()
}
