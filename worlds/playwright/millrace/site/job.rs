//! Page of one job: its facts, comments and visit, and the forms of the desk.

use maud::{Markup, html};
use mcpmark_guest_site::{Answer, Context, Error, NONE, Request, Response, Row, Value};

use crate::accounts::{coordinator, required, required_coordinator};
use crate::jobs::text_field;
use crate::layout::{job_link, options, page, prose, status};
use crate::{visits, when, words};

/// Maximum length of a comment, in characters.
const MAX_COMMENT: usize = 2000;

/// Statuses that a coordinator can set. Duplicates have a form of their own.
const SETTABLE: usize = 4;

/// Shows a job.
pub fn show(request: &Request, context: &mut Context<'_>) -> Answer {
    let id: i64 = request.parameter("id")?;
    let sql = "SELECT j.*, h.name AS house_name, f.name AS firm_name, a.name AS reporter_name, d.title AS original \
               FROM jobs j JOIN houses h ON h.id = j.house JOIN accounts a ON a.login = j.reporter \
               LEFT JOIN firms f ON f.id = j.firm LEFT JOIN jobs d ON d.id = j.duplicate_of WHERE j.id = ?1";
    let job = context.one(sql, [id])?;
    let is_desk = coordinator(request, context)?.is_some();
    let sql = "SELECT c.text, c.internal, c.time, c.author, a.name FROM comments c \
               JOIN accounts a ON a.login = c.author WHERE c.job = ?1 ORDER BY c.id";
    let comments = context.query(sql, [id])?;
    let sql = "SELECT id, title FROM jobs WHERE duplicate_of = ?1 ORDER BY id";
    let duplicates = context.query(sql, [id])?;
    let content = html! {
        dl {
            dt { "Status" } dd { (status(&job.text("status"))) }
            dt { "Priority" } dd { (words::label(&words::PRIORITIES, &job.text("priority"))) }
            dt { "Category" } dd { (words::label(&words::CATEGORIES, &job.text("category"))) }
            dt { "House" } dd { a href={ "/houses/" (job.integer("house")) } { (job.text("house_name")) } }
            dt { "Place" } dd { (job.text("place")) }
            dt { "Reported by" }
            dd { a href={ "/people/" (job.text("reporter")) } { (job.text("reporter_name")) } ", " (when::time(job.integer("opened"))) }
            @if !job.is_null("firm") {
                dt { "Firm" } dd { a href={ "/firms/" (job.integer("firm")) } { (job.text("firm_name")) } }
            }
            @if !job.is_null("closed") { dt { "Closed" } dd { (when::time(job.integer("closed"))) } }
            @if !job.is_null("duplicate_of") {
                dt { "Duplicate of" } dd { (job_link(job.integer("duplicate_of"), &job.text("original"))) }
            }
            @if !duplicates.is_empty() {
                dt { "Duplicates" }
                @for other in &duplicates { dd { (job_link(other.integer("id"), &other.text("title"))) } }
            }
        }
        h2 { "Report" }
        (prose(&job.text("text")))
        (visits::section(&job, is_desk, request, context)?)
        h2 { "Comments" }
        (comment_list(&comments, is_desk))
        @if request.session.account().is_some() { (comment_form(id, is_desk, request)) }
        @if is_desk { (triage_form(&job, request, context)?) (duplicate_form(id, request)) }
    };
    Ok(page(
        &format!("#{id} {}", job.text("title")),
        request,
        &content,
    ))
}

fn comment_list(comments: &[Row], is_desk: bool) -> Markup {
    let shown = comments
        .iter()
        .filter(|comment| is_desk || !comment.flag("internal"));
    let shown: Vec<&Row> = shown.collect();
    html! {
        @if shown.is_empty() { p { "None." } }
        @for comment in shown {
            article class="comment" {
                h3 {
                    a href={ "/people/" (comment.text("author")) } { (comment.text("name")) }
                    ", " (when::time(comment.integer("time")))
                    @if comment.flag("internal") { " (internal)" }
                }
                (prose(&comment.text("text")))
            }
        }
    }
}

fn comment_form(id: i64, is_desk: bool, request: &Request) -> Markup {
    html! {
        form method="post" action={ "/jobs/" (id) "/comments" } {
            (request.session.csrf_field())
            p { label for="comment" { "New comment" } textarea id="comment" name="text" rows="4" required {} }
            @if is_desk {
                p { input id="internal" name="internal" type="checkbox" value="1"; label for="internal" { "Internal, for the desk only" } }
            }
            p { button { "Add comment" } }
        }
    }
}

fn triage_form(job: &Row, request: &Request, context: &mut Context<'_>) -> Result<Markup, Error> {
    let firms = context.query("SELECT id, name, trade FROM firms ORDER BY name", NONE)?;
    Ok(html! {
        h2 { "Triage" }
        form method="post" action={ "/jobs/" (job.integer("id")) } {
            (request.session.csrf_field())
            p { label for="status" { "Set status" } select id="status" name="status" {
                @if job.text("status") == "duplicate" { option value="" selected { "Duplicate" } }
                (options(&words::STATUSES[..SETTABLE], &job.text("status")))
            } }
            p { label for="priority" { "Set priority" } select id="priority" name="priority" { (options(&words::PRIORITIES, &job.text("priority"))) } }
            p { label for="category" { "Set category" } select id="category" name="category" { (options(&words::CATEGORIES, &job.text("category"))) } }
            p { label for="firm" { "Set firm" } select id="firm" name="firm" {
                option value="" { "None" }
                @for firm in &firms {
                    option value=(firm.integer("id")) selected[firm.text("id") == job.text("firm")] {
                        (firm.text("name")) " (" (firm.text("trade")) ")"
                    }
                }
            } }
            p { button { "Save" } }
        }
    })
}

fn duplicate_form(id: i64, request: &Request) -> Markup {
    html! {
        h2 { "Duplicate" }
        form method="post" action={ "/jobs/" (id) "/duplicate" } {
            (request.session.csrf_field())
            p { label for="original" { "Number of the original job" } input id="original" name="original" inputmode="numeric" required; }
            p { button { "Mark as duplicate" } }
        }
    }
}

fn back(id: i64, message: &str, request: &Request, context: &mut Context<'_>) -> Answer {
    request.session.tell(message, context)?;
    Ok(Response::redirect(&format!("/jobs/{id}")))
}

/// Changes the status, priority, category and firm of a job.
pub fn triage(request: &Request, context: &mut Context<'_>) -> Answer {
    required_coordinator(request, context)?;
    let id: i64 = request.parameter("id")?;
    let job = context.one("SELECT status, closed FROM jobs WHERE id = ?1", [id])?;
    let status = match request.field("status") {
        "" => "duplicate",
        status => words::known(&words::STATUSES[..SETTABLE], status).unwrap_or_default(),
    };
    let is_kept = status == "duplicate" && job.text("status") != "duplicate";
    let priority = words::known(&words::PRIORITIES, request.field("priority"));
    let category = words::known(&words::CATEGORIES, request.field("category"));
    let (Some(priority), Some(category), false) =
        (priority, category, status.is_empty() || is_kept)
    else {
        return Err(Error::BadRequest(
            "Choose a status, a priority and a category.".to_owned(),
        ));
    };
    let firm: Option<i64> = request.field("firm").parse().ok();
    if let Some(firm) = firm {
        context.one("SELECT id FROM firms WHERE id = ?1", [firm])?;
    }
    if status == "passed-on" && firm.is_none() {
        let reason = "A job that is passed on needs a firm.".to_owned();
        return Err(Error::BadRequest(reason));
    }
    let is_open = matches!(status, "new" | "passed-on");
    let closed = match (is_open, job.is_null("closed")) {
        (true, _) => None,
        (false, true) => Some(context.now()),
        (false, false) => Some(job.integer("closed")),
    };
    context.execute(
        "UPDATE jobs SET status = ?2, priority = ?3, category = ?4, firm = ?5, closed = ?6, \
         duplicate_of = CASE WHEN ?2 = 'duplicate' THEN duplicate_of END WHERE id = ?1",
        [
            Value::from(id),
            status.into(),
            priority.into(),
            category.into(),
            firm.into(),
            closed.into(),
        ],
    )?;
    back(id, "The job is saved.", request, context)
}

/// Adds a comment.
pub fn comment(request: &Request, context: &mut Context<'_>) -> Answer {
    let login = required(request)?;
    let id: i64 = request.parameter("id")?;
    context.one("SELECT id FROM jobs WHERE id = ?1", [id])?;
    let text = text_field(request, "text", MAX_COMMENT)?;
    let is_internal = request.field("internal") == "1";
    if is_internal {
        required_coordinator(request, context)?;
    }
    let now = context.now();
    context.execute(
        "INSERT INTO comments (job, author, text, internal, time) VALUES (?1, ?2, ?3, ?4, ?5)",
        [
            Value::from(id),
            login.into(),
            text.into(),
            is_internal.into(),
            now.into(),
        ],
    )?;
    back(id, "The comment is added.", request, context)
}

/// Closes a job as the duplicate of another one.
pub fn mark_duplicate(request: &Request, context: &mut Context<'_>) -> Answer {
    required_coordinator(request, context)?;
    let id: i64 = request.parameter("id")?;
    context.one("SELECT id FROM jobs WHERE id = ?1", [id])?;
    let number = request.field("original").trim_start_matches('#');
    let original: i64 = number.parse().unwrap_or_default();
    let sql = "SELECT id FROM jobs WHERE id = ?1 AND id <> ?2 AND status <> 'duplicate'";
    if context.find(sql, [original, id])?.is_none() {
        let reason = "The original must be another job that is no duplicate itself.".to_owned();
        return Err(Error::BadRequest(reason));
    }
    let now = context.now();
    let sql = "UPDATE jobs SET status = 'duplicate', duplicate_of = ?2, closed = ?3 WHERE id = ?1";
    context.execute(sql, [id, original, now])?;
    back(
        id,
        &format!("The job is closed as a duplicate of #{original}."),
        request,
        context,
    )
}
