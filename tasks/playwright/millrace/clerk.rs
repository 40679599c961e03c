//! Work of a coordinator on the pages of the repairs desk.

#![allow(dead_code, reason = "each solution uses a part of it")]

use crate::browser::{Browser, Page};

/// Job in a list.
#[derive(Debug, Clone)]
pub struct Listed {
    /// Number.
    pub id: i64,
    /// Priority.
    pub priority: String,
    /// Name of the firm, which may be empty.
    pub firm: String,
}

/// Signs Ines in.
pub fn sign_in(browser: &mut Browser<'_>) {
    browser.open("/login");
    browser.fill(&[
        ("textbox", "Login", "ines.okoro"),
        ("textbox", "Password", "heron-42-lattice"),
    ]);
    browser.press("Sign in");
    browser.look();
}

/// Returns the jobs of a list with all columns.
pub fn listed(list: &Page) -> Vec<Listed> {
    let rows = list.rows().into_iter().filter_map(|cells| {
        let [job, _, _, _, priority, _, firm, _] = cells.as_slice() else {
            return None;
        };
        let id = job.strip_prefix('#')?.split(' ').next()?.parse().ok()?;
        Some(Listed {
            id,
            priority: priority.clone(),
            firm: firm.clone(),
        })
    });
    rows.collect()
}

/// Returns the visits on the page of a job that can still be cancelled: day, time and firm.
pub fn visits_to_come(page: &Page) -> Vec<String> {
    let items = page.paragraphs().into_iter();
    items
        .filter_map(|item| {
            let visit = item.strip_suffix("Cancel visit")?;
            Some(visit.trim().to_owned())
        })
        .collect()
}

/// Adds a comment to the job of the page.
pub fn comment(browser: &mut Browser<'_>, text: &str, is_internal: bool) -> Page {
    let mut fields = vec![("textbox", "New comment", text)];
    if is_internal {
        fields.push(("checkbox", "Internal, for the desk only", "true"));
    }
    browser.fill(&fields);
    browser.press("Add comment")
}

/// Returns the first free slot of a calendar: its day and its time.
pub fn free_slot(calendar: &Page) -> (String, &'static str) {
    for row in calendar.rows() {
        match row.as_slice() {
            [day, morning, _] if morning == "free" => return (day.clone(), "Morning"),
            [day, _, afternoon] if afternoon == "free" => return (day.clone(), "Afternoon"),
            _ => {}
        }
    }
    panic!("the calendar has no free slot");
}
