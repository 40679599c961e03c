//! Houses of the cooperative.

use maud::html;
use mcpmark_guest_site::{Answer, Context, NONE, Request};

use crate::layout::{job_link, page, status};
use crate::{when, words};

/// Lists the houses.
pub fn list(request: &Request, context: &mut Context<'_>) -> Answer {
    let sql = "SELECT h.id, h.name, h.street, h.built, h.flats, \
               (SELECT count(*) FROM jobs j WHERE j.house = h.id AND j.status IN ('new', 'passed-on')) AS open \
               FROM houses h ORDER BY h.name";
    let houses = context.query(sql, NONE)?;
    let content = html! {
        table {
            thead { tr {
                th scope="col" { "House" } th scope="col" { "Street" } th scope="col" { "Built" }
                th scope="col" { "Flats" } th scope="col" { "Open jobs" }
            } }
            tbody { @for house in &houses {
                tr {
                    td { a href={ "/houses/" (house.integer("id")) } { (house.text("name")) } }
                    td { (house.text("street")) }
                    td { (house.integer("built")) }
                    td { (house.integer("flats")) }
                    td { (house.integer("open")) }
                }
            } }
        }
    };
    Ok(page("Houses", request, &content))
}

/// Shows a house with its open jobs.
pub fn show(request: &Request, context: &mut Context<'_>) -> Answer {
    let id: i64 = request.parameter("id")?;
    let house = context.one("SELECT * FROM houses WHERE id = ?1", [id])?;
    let sql = "SELECT id, title, place, category, status, opened FROM jobs \
               WHERE house = ?1 AND status IN ('new', 'passed-on') ORDER BY id";
    let jobs = context.query(sql, [id])?;
    let content = html! {
        dl {
            dt { "Street" } dd { (house.text("street")) }
            dt { "Built" } dd { (house.integer("built")) }
            dt { "Flats" } dd { (house.integer("flats")) }
            dt { "Heating" } dd { (house.text("heating")) }
            @if !house.text("note").is_empty() { dt { "Note" } dd { (house.text("note")) } }
        }
        h2 { "Open jobs" }
        table {
            thead { tr {
                th scope="col" { "Job" } th scope="col" { "Place" } th scope="col" { "Category" }
                th scope="col" { "Status" } th scope="col" { "Reported" }
            } }
            tbody { @for job in &jobs {
                tr {
                    td { (job_link(job.integer("id"), &job.text("title"))) }
                    td { (job.text("place")) }
                    td { (words::label(&words::CATEGORIES, &job.text("category"))) }
                    td { (status(&job.text("status"))) }
                    td { (when::time(job.integer("opened"))) }
                }
            } }
        }
        p { a href={ "/jobs?house=" (id) } { "All jobs of the house" } }
    };
    Ok(page(&house.text("name"), request, &content))
}
