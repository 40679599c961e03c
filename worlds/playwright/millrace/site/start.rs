//! Start page.

use maud::html;
use mcpmark_guest_site::{Answer, Context, NONE, Request};

use crate::layout::{job_link, page, status};
use crate::{when, words};

/// Shows the numbers of jobs by status, and the newest jobs.
pub fn show(request: &Request, context: &mut Context<'_>) -> Answer {
    let counts = context.query(
        "SELECT status, count(*) AS n FROM jobs GROUP BY status",
        NONE,
    )?;
    let count = |status: &str| {
        let row = counts.iter().find(|row| row.text("status") == status);
        row.map_or(0, |row| row.integer("n"))
    };
    let sql = "SELECT j.id, j.title, j.status, j.place, j.opened, h.name AS house FROM jobs j \
               JOIN houses h ON h.id = j.house ORDER BY j.id DESC LIMIT 10";
    let newest = context.query(sql, NONE)?;
    let today = when::date(context.now()).to_string();
    let content = html! {
        p { "Today is " (when::day(&today)) "." }
        p { "Report what is broken in your flat or house. The desk passes it on to a firm and tells you when it comes." }
        h2 { "Jobs" }
        ul { @for (value, label) in words::STATUSES {
            li { a href={ "/jobs?status=" (value) } { (label) } ": " (count(value)) }
        } }
        h2 { "Newest" }
        table {
            thead { tr {
                th scope="col" { "Job" } th scope="col" { "House" } th scope="col" { "Place" }
                th scope="col" { "Status" } th scope="col" { "Reported" }
            } }
            tbody { @for job in &newest {
                tr {
                    td { (job_link(job.integer("id"), &job.text("title"))) }
                    td { (job.text("house")) }
                    td { (job.text("place")) }
                    td { (status(&job.text("status"))) }
                    td { (when::time(job.integer("opened"))) }
                }
            } }
        }
    };
    Ok(page("Repairs desk", request, &content))
}
