//! Visits of firms to jobs.

use maud::{Markup, html};
use mcpmark_guest_site::{Answer, Context, Error, Request, Response, Row, Value};

use crate::accounts::required_coordinator;
use crate::firms::DAYS;
use crate::{when, words};

/// Returns the part of a job's page about its visits.
pub fn section(
    job: &Row,
    is_desk: bool,
    request: &Request,
    context: &mut Context<'_>,
) -> Result<Markup, Error> {
    let sql = "SELECT v.id, v.day, v.slot, f.name FROM visits v JOIN firms f ON f.id = v.firm \
               WHERE v.job = ?1 ORDER BY v.day, v.slot";
    let visits = context.query(sql, [job.integer("id")])?;
    let days = when::working_days(context.now(), DAYS);
    let today = when::date(context.now()).to_string();
    let can_book = is_desk && job.text("status") == "passed-on" && !job.is_null("firm");
    Ok(html! {
        h2 { "Visits" }
        @if visits.is_empty() { p { "None." } } @else {
            ul { @for visit in &visits {
                li {
                    (when::day(&visit.text("day"))) ", " (words::label(&words::SLOTS, &visit.text("slot")))
                    ", " (visit.text("name"))
                    @if is_desk && visit.text("day") > today {
                        form class="inline" method="post" action={ "/visits/" (visit.integer("id")) "/cancel" } {
                            (request.session.csrf_field())
                            " " button { "Cancel visit" }
                        }
                    }
                }
            } }
        }
        @if can_book {
            form method="post" action={ "/jobs/" (job.integer("id")) "/visit" } {
                (request.session.csrf_field())
                p { label for="day" { "Day" } select id="day" name="day" {
                    @for day in &days { option value=(day) { (when::day(&day.to_string())) } }
                } }
                p { label for="slot" { "Time" } select id="slot" name="slot" {
                    @for (value, label) in words::SLOTS { option value=(value) { (label) } }
                } }
                p { button { "Book visit" } }
            }
        }
    })
}

fn refuse(reason: &str) -> Error {
    Error::BadRequest(reason.to_owned())
}

/// Books a visit of the firm of a job.
pub fn book(request: &Request, context: &mut Context<'_>) -> Answer {
    required_coordinator(request, context)?;
    let id: i64 = request.parameter("id")?;
    let job = context.one("SELECT status, firm FROM jobs WHERE id = ?1", [id])?;
    if job.text("status") != "passed-on" || job.is_null("firm") {
        return Err(refuse("Pass the job on to a firm first."));
    }
    let slot = words::known(&words::SLOTS, request.field("slot"));
    let slot = slot.ok_or_else(|| refuse("Choose a time."))?;
    let day = request.field("day");
    let days = when::working_days(context.now(), DAYS);
    if !days.iter().any(|known| known.to_string() == day) {
        return Err(refuse("Choose one of the next working days."));
    }
    let sql = "INSERT INTO visits (job, firm, day, slot) VALUES (?1, ?2, ?3, ?4)";
    let values = [
        Value::from(id),
        job.integer("firm").into(),
        day.into(),
        slot.into(),
    ];
    match context.execute(sql, values) {
        Ok(_) => {}
        Err(Error::Constraint(_)) => {
            return Err(refuse(
                "The firm has another visit at this time. See its calendar.",
            ));
        }
        Err(error) => return Err(error),
    }
    request.session.tell("The visit is booked.", context)?;
    Ok(Response::redirect(&format!("/jobs/{id}")))
}

/// Cancels a visit that has not begun.
pub fn cancel(request: &Request, context: &mut Context<'_>) -> Answer {
    required_coordinator(request, context)?;
    let id: i64 = request.parameter("id")?;
    let visit = context.one("SELECT job, day FROM visits WHERE id = ?1", [id])?;
    if visit.text("day") <= when::date(context.now()).to_string() {
        return Err(refuse("The day of the visit has come already."));
    }
    context.execute("DELETE FROM visits WHERE id = ?1", [id])?;
    request.session.tell("The visit is cancelled.", context)?;
    Ok(Response::redirect(&format!(
        "/jobs/{}",
        visit.integer("job")
    )))
}
