//! Firms, and the calendar of their visits.

use std::collections::BTreeMap;

use maud::html;
use mcpmark_guest_site::{Answer, Context, NONE, Request};

use crate::layout::page;
use crate::{when, words};

/// Number of working days that a calendar shows.
pub const DAYS: usize = 10;

/// Lists the firms.
pub fn list(request: &Request, context: &mut Context<'_>) -> Answer {
    let firms = context.query(
        "SELECT id, name, trade, phone FROM firms ORDER BY name",
        NONE,
    )?;
    let content = html! {
        table {
            thead { tr { th scope="col" { "Firm" } th scope="col" { "Trade" } th scope="col" { "Telephone" } } }
            tbody { @for firm in &firms {
                tr {
                    td { a href={ "/firms/" (firm.integer("id")) } { (firm.text("name")) } }
                    td { (firm.text("trade")) }
                    td { (firm.text("phone")) }
                }
            } }
        }
    };
    Ok(page("Firms", request, &content))
}

/// Shows a firm with the visits of the next working days.
pub fn show(request: &Request, context: &mut Context<'_>) -> Answer {
    let id: i64 = request.parameter("id")?;
    let firm = context.one("SELECT * FROM firms WHERE id = ?1", [id])?;
    let visits = context.query("SELECT day, slot, job FROM visits WHERE firm = ?1", [id])?;
    let booked: BTreeMap<(String, String), i64> = visits
        .iter()
        .map(|visit| {
            (
                (visit.text("day"), visit.text("slot")),
                visit.integer("job"),
            )
        })
        .collect();
    let days = when::working_days(context.now(), DAYS);
    let content = html! {
        dl {
            dt { "Trade" } dd { (firm.text("trade")) }
            dt { "Telephone" } dd { (firm.text("phone")) }
            @if !firm.text("note").is_empty() { dt { "Note" } dd { (firm.text("note")) } }
        }
        h2 { "Next working days" }
        table {
            thead { tr {
                th scope="col" { "Day" }
                @for (_, label) in words::SLOTS { th scope="col" { (label) } }
            } }
            tbody { @for day in &days {
                tr {
                    th scope="row" { (when::day(&day.to_string())) }
                    @for (slot, _) in words::SLOTS {
                        @match booked.get(&(day.to_string(), slot.to_owned())) {
                            Some(job) => td { "Job " a href={ "/jobs/" (job) } { "#" (job) } },
                            None => td { "free" },
                        }
                    }
                }
            } }
        }
    };
    Ok(page(&firm.text("name"), request, &content))
}
