//! Decisions, notes and the team, tickets of shops, and invoices.

use mcpmark_guest::World;
use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::{Date, date};

use crate::rows::{Rows, Value, amount};
use crate::shops::{PLANS, SHOPS, plan_on};
use crate::stock::Stock;

const DECISIONS: &str = include_str!("texts/decisions.md");
const NOTES: &str = include_str!("texts/notes.md");

/// Definitions that changed.
pub const SCHEMA_CHANGES: [(&str, &str, &str); 7] = [
    (
        "2025-11-10",
        "customers",
        "Policy arun_import, for the import of old customers. Arun",
    ),
    (
        "2025-11-24",
        "branch_load",
        "View over all shops for the figures by branch. Bram",
    ),
    ("2025-12-08", "webhooks", "Row security. Arun"),
    ("2026-01-12", "tools", "Triggers of the audit log. Bram"),
    ("2026-01-12", "customers", "Triggers of the audit log. Bram"),
    (
        "2026-02-09",
        "charges",
        "Kind damage, so that it is no longer entered as late. Bram",
    ),
    (
        "2026-03-30",
        "open_rentals",
        "View for the counters, with the name of the customer. Arun",
    ),
];

/// Ticket, day, author and text.
pub const REPLIES: [(usize, &str, &str, &str); 3] = [
    (
        402,
        "2026-03-18",
        "vera",
        "Done, the second yard is called Pell North now.",
    ),
    (
        403,
        "2026-04-02",
        "tobin",
        "A tool that is in repair counts, because it is in your inventory. So the 12 of March are right.",
    ),
    (
        405,
        "2026-04-21",
        "noor",
        "The export has one line for each hire now, also for those that are still out.",
    ),
];

/// Shop, first day of the month, cents, reason and day.
pub const CREDITS: [(usize, &str, u32, &str, &str); 2] = [
    (
        2,
        "2025-10-01",
        2900,
        "Plan of the second half of the month was taken",
        "2025-11-12",
    ),
    (
        12,
        "2026-01-01",
        450,
        "Three tools had been sold in December",
        "2026-02-10",
    ),
];

/// Number, shop, day, subject, text and state.
const TICKETS: [(usize, usize, &str, &str, &str, &str); 9] = [
    (
        402,
        3,
        "2026-03-17",
        "Name of a branch",
        "Could you call our second yard Pell North?",
        "closed",
    ),
    (
        403,
        17,
        "2026-04-01",
        "March invoice",
        "Do machines in repair count as tools? We think they should not.",
        "answered",
    ),
    (
        404,
        10,
        "2026-04-07",
        "Late fees",
        "Can the app round late hires to half days?",
        "open",
    ),
    (
        405,
        15,
        "2026-04-20",
        "Export",
        "Hires that are still out are missing in the export.",
        "closed",
    ),
    (
        407,
        3,
        "2026-05-04",
        "April invoice",
        "Our April invoice looks wrong to me. We sold three machines that month and still pay more for extra tools than ever, and I thought our price was safe until the summer?",
        "open",
    ),
    (
        408,
        7,
        "2026-05-05",
        "April invoice",
        "Why did the price for tools beyond the plan go up with the April invoice? I hear that other shops still pay the old one. I would like the difference back.",
        "open",
    ),
    (
        409,
        11,
        "2026-05-05",
        "April invoice",
        "We changed to the Workshop plan on 3 April, and your invoice for April still has the Yard. Please correct it.",
        "open",
    ),
    (
        410,
        21,
        "2026-05-06",
        "New counter",
        "We open in Marl in June. How do we add the branch?",
        "open",
    ),
    (
        411,
        7,
        "2026-05-11",
        "Deposits of others",
        "Our accountant lists deposits with the data login and sees those of other shops. Surely not?",
        "open",
    ),
];

/// Login, name, job, first and last day.
const TEAM: [(&str, &str, &str, &str, Option<&str>); 7] = [
    (
        "arun",
        "Arun Mehta",
        "engineer",
        "2023-08-01",
        Some("2026-05-11"),
    ),
    ("bram", "Bram de Vries", "engineer", "2023-05-15", None),
    ("lena", "Lena Sturm", "analyst", "2025-06-02", None),
    ("noor", "Noor Haddad", "support", "2026-04-07", None),
    ("ottilie", "Ottilie Brandt", "founder", "2023-01-09", None),
    ("tobin", "Tobin Ash", "support", "2024-10-14", None),
    ("vera", "Vera Lindqvist", "support", "2023-11-06", None),
];

/// Writes the tables, and returns the number of notes.
pub fn write(world: &mut World) -> usize {
    let mut table = Rows::new(
        "decisions",
        "number,decided_on,author,title,body,superseded_by",
    );
    for section in DECISIONS.split("\n\n").filter(|it| !it.trim().is_empty()) {
        let (head, body) = section
            .trim()
            .split_once('\n')
            .expect("a heading and a body");
        let head: Vec<&str> = head
            .trim_start_matches("# ")
            .split('|')
            .map(str::trim)
            .collect();
        let [number, on, author, title, by] = head[..] else {
            panic!("five parts: {head:?}");
        };
        let by = Some(by).filter(|by| !by.is_empty());
        table.add([
            number.into(),
            on.into(),
            author.into(),
            title.into(),
            body.into(),
            by.into(),
        ]);
    }
    table.write(world);

    let mut table = Rows::new("team_notes", "id,written_on,author,topic,body");
    let mut notes = 0;
    for line in NOTES.lines().filter(|line| !line.is_empty()) {
        let cells: Vec<&str> = line.splitn(4, " | ").collect();
        let [on, author, topic, body] = cells[..] else {
            panic!("four parts: {line}");
        };
        notes += 1;
        table.add([
            notes.into(),
            on.into(),
            author.into(),
            topic.into(),
            body.into(),
        ]);
    }
    table.write(world);

    let mut table = Rows::new("team", "login,full_name,job,started_on,left_on");
    for (login, name, job, from, to) in TEAM {
        table.add([
            login.into(),
            name.into(),
            job.into(),
            from.into(),
            to.into(),
        ]);
    }
    table.write(world);

    let mut table = Rows::new("schema_changes", "id,changed_on,object,change");
    for (at, (on, object, change)) in SCHEMA_CHANGES.into_iter().enumerate() {
        table.add([(at + 1).into(), on.into(), object.into(), change.into()]);
    }
    table.write(world);

    let mut table = Rows::new("tickets", "id,tenant_id,opened_on,subject,body,state");
    for (id, shop, on, subject, body, state) in TICKETS {
        table.add([
            id.into(),
            shop.into(),
            on.into(),
            subject.into(),
            body.into(),
            state.into(),
        ]);
    }
    table.write(world);

    let mut table = Rows::new("ticket_replies", "id,ticket_id,written_on,author,body");
    for (at, (ticket, on, author, body)) in REPLIES.into_iter().enumerate() {
        table.add([
            (at + 1).into(),
            ticket.into(),
            on.into(),
            author.into(),
            body.into(),
        ]);
    }
    table.write(world);

    let mut table = Rows::new("credits", "id,tenant_id,month,amount,reason,entered_on");
    for (at, (shop, month, cents, reason, on)) in CREDITS.into_iter().enumerate() {
        table.add([
            (at + 1).into(),
            shop.into(),
            month.into(),
            amount(cents),
            reason.into(),
            on.into(),
        ]);
    }
    table.write(world);
    notes
}

/// Writes the invoices as the job made them, and returns their number. For April it took the new fee for all shops, and
/// still counted the tools that were sold on the last day.
pub fn write_invoices(world: &mut World, stock: &Stock) -> usize {
    let mut table = Rows::new(
        "invoices",
        "id,tenant_id,month,base,extra_tools,extra,total,issued_on,paid_on",
    );
    let mut id = 0;
    let mut first: Date = date(2025, 5, 1);
    while first < date(2026, 5, 1) {
        let last = first.last_of_month();
        let issued = last + 1.days();
        let is_april = first == date(2026, 4, 1);
        for (at, shop) in SHOPS.iter().enumerate() {
            let is_open = shop.closed.is_none_or(|closed| closed >= first);
            let Some(code) = plan_on(shop, first).filter(|_| is_open) else {
                continue;
            };
            let plan = PLANS.iter().find(|plan| plan.0 == code);
            let (_, _, base, included) = *plan.expect("a plan exists");
            let day = if is_april { last - 1.days() } else { last };
            let extra_tools = stock.tools_on(at + 1, day).saturating_sub(included);
            let fee = if is_april { 180 } else { 150 };
            let extra = u32::try_from(extra_tools).unwrap_or(0) * fee;
            id += 1;
            let paid =
                (!is_april).then(|| issued + i64::try_from(3 + (id * 5) % 17).unwrap_or(3).days());
            table.add([
                id.into(),
                (at + 1).into(),
                first.into(),
                amount(base),
                extra_tools.into(),
                amount(extra),
                amount(base + extra),
                issued.into(),
                Value::from(paid),
            ]);
        }
        first = issued;
    }
    table.write(world);
    id
}
