//! The deadlines of all cases at court.

use std::collections::BTreeMap;

use mcpmark_guest::jiff::civil::Date;
use mcpmark_guest::serde_json::{Value, json};
use mcpmark_guest::{Reader, dates};

use crate::calendar::Calendar;
use crate::cases::Case;
use crate::office::{self, Matter};

pub const TODAY: Date = Date::constant(2026, 3, 2);

/// Which rules of the notes are followed.
#[derive(Clone, Copy)]
pub struct Rules {
    /// Short periods count business days only.
    pub short_periods: bool,
    /// An agreement needs both sides.
    pub both_sides: bool,
}

impl Rules {
    pub const ALL: Self = Self {
        short_periods: true,
        both_sides: true,
    };
}

/// A step as the notes list it.
pub struct Step {
    pub name: String,
    in_orders: String,
    pub in_the_diary: Vec<String>,
}

pub struct Deadline {
    pub matter: String,
    pub step: String,
    pub day: Date,
    reminder: Date,
    pub handler: String,
    basis: String,
}

/// What the cases say.
pub struct Cases {
    pub steps: Vec<Step>,
    pub matters: BTreeMap<String, Matter>,
    /// The day of the hearing by matter; `None` for a case without one.
    pub hearings: BTreeMap<String, Option<Date>>,
    /// Sorted by day, matter and step.
    pub deadlines: Vec<Deadline>,
}

pub fn reckon(drive: &mut impl Reader, rules: Rules) -> Cases {
    drive.text("00 Office/conventions.md");
    let steps = steps(&drive.text("00 Office/reckoning time.md"));
    let calendar = Calendar::read(drive, if rules.short_periods { 5 } else { 0 });
    let matters = office::register(&drive.text("02 Matters/register.csv"));
    let (mut hearings, mut deadlines) = (BTreeMap::new(), Vec::new());
    for folder in drive.folders("02 Matters") {
        let Some(case) = Case::read(drive, &folder) else {
            continue;
        };
        hearings.insert(case.matter.clone(), case.hearing());
        let handler = &matters[&case.matter].handler;
        for step in &steps {
            deadlines.extend(deadline(&case, step, &calendar, handler, rules));
        }
    }
    deadlines.sort_by(|a, b| (a.day, &a.matter, &a.step).cmp(&(b.day, &b.matter, &b.step)));
    Cases {
        steps,
        matters,
        hearings,
        deadlines,
    }
}

impl Deadline {
    pub fn json(&self) -> Value {
        json!({
            "matter": self.matter,
            "step": self.step,
            "deadline": dates::iso(self.day),
            "reminder": dates::iso(self.reminder),
            "handler": self.handler,
            "basis": self.basis,
            "overdue": self.day < TODAY,
        })
    }
}

fn steps(notes: &str) -> Vec<Step> {
    let rows = office::markdown_rows(notes).into_iter();
    rows.filter(|cells| cells.len() == 3 && cells[0] != "step")
        .map(|cells| Step {
            name: cells[0].clone(),
            in_orders: cells[1].clone(),
            in_the_diary: cells[2]
                .to_lowercase()
                .split(", ")
                .map(str::to_owned)
                .collect(),
        })
        .collect()
}

/// Our deadline for a step, if a paragraph that holds gives one.
fn deadline(
    case: &Case,
    step: &Step,
    calendar: &Calendar,
    handler: &str,
    rules: Rules,
) -> Option<Deadline> {
    let revoked = case.revoked();
    let mut found = None;
    for order in &case.orders {
        for (number, paragraph) in (1..).zip(&order.paragraphs) {
            let speaks_of_it = paragraph.contains(&format!(" {} ", step.in_orders));
            if speaks_of_it && case.is_ours(paragraph) && !revoked.contains(&(order.made, number)) {
                found = Some((order.made, number, paragraph));
            }
        }
    }
    let (made, number, paragraph) = found?;
    let mut day = end(case, made, paragraph, calendar)?;
    let mut basis = format!("order of {}, paragraph {number}", dates::iso(made));
    if let Some((later, answered)) = case.agreement(&step.name, day, rules.both_sides) {
        day = later;
        basis = format!("agreement of {}", dates::iso(answered));
    }
    Some(Deadline {
        matter: case.matter.clone(),
        step: step.name.clone(),
        reminder: calendar.business_days_before(day, 3),
        day,
        handler: handler.to_owned(),
        basis,
    })
}

/// The day that a paragraph sets; `None` while it hangs on something that is not there yet.
fn end(case: &Case, made: Date, paragraph: &str, calendar: &Calendar) -> Option<Date> {
    let number = |text: &str| -> i32 { text.parse().expect("periods are numbers") };
    if let Some((_, rest)) = paragraph.split_once(" not less than ") {
        let days = number(rest.split(' ').next()?);
        let hearing = case.hearing()?;
        return Some(calendar.clear_days_before(hearing, days));
    }
    if let Some((_, rest)) = paragraph.split_once(" within ") {
        let (period, event) = rest.split_once(" after ")?;
        let (count, unit) = period.split_once(' ')?;
        let event = match event.strip_prefix("service of the ") {
            Some(document) => {
                let (how, sent) = case.services.get(document)?;
                calendar.served(how, sent)
            }
            None => made,
        };
        let count = number(count);
        return Some(match unit.trim_end_matches('s') {
            "month" => calendar.months_after(event, count),
            "week" => calendar.days_after(event, count * 7),
            _ => calendar.days_after(event, count),
        });
    }
    let (_, date) = paragraph.split_once(" by ")?;
    Some(office::day(date))
}
