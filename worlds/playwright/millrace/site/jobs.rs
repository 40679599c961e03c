//! Lists of jobs, their export, and new jobs.

use maud::{Markup, html};
use mcpmark_guest_site::{Answer, Context, Error, NONE, Pagination, Request, Response, Row, Value};

use crate::accounts::required;
use crate::layout::{job_link, options, page, status};
use crate::{when, words};

/// Number of jobs on one page.
const SIZE: i64 = 25;
/// Maximum length of a title and of a text, in characters.
const MAX_TITLE: usize = 120;
const MAX_TEXT: usize = 5000;

/// Condition and parameters of the filters in the query.
fn filter(request: &Request) -> (String, Vec<Value>) {
    let mut conditions = vec!["1 = 1".to_owned()];
    let mut parameters = Vec::new();
    for (name, column) in [
        ("status", "j.status"),
        ("category", "j.category"),
        ("priority", "j.priority"),
        ("house", "j.house"),
        ("firm", "j.firm"),
        ("reporter", "j.reporter"),
    ] {
        let Some(value) = request.query(name).filter(|value| !value.is_empty()) else {
            continue;
        };
        parameters.push(match value.parse::<i64>() {
            Ok(number) => number.into(),
            Err(_) => value.into(),
        });
        conditions.push(format!("{column} = ?{}", parameters.len()));
    }
    for word in request
        .query("q")
        .unwrap_or_default()
        .split_whitespace()
        .take(8)
    {
        let escaped = word
            .replace('\\', "\\\\")
            .replace('%', "\\%")
            .replace('_', "\\_");
        parameters.push(format!("%{escaped}%").into());
        let number = parameters.len();
        conditions.push(format!(
            "(j.title LIKE ?{number} ESCAPE '\\' OR j.text LIKE ?{number} ESCAPE '\\' \
             OR j.place LIKE ?{number} ESCAPE '\\')"
        ));
    }
    (conditions.join(" AND "), parameters)
}

fn order(request: &Request) -> &'static str {
    match request.query("sort") {
        Some("oldest") => "j.id",
        Some("house") => "h.name, j.place, j.id",
        _ => "j.id DESC",
    }
}

fn select(request: &Request, rest: &str, context: &mut Context<'_>) -> Result<Vec<Row>, Error> {
    let (condition, parameters) = filter(request);
    let sql = format!(
        "SELECT j.id, j.title, j.place, j.category, j.priority, j.status, j.reporter, j.opened, j.closed, \
         h.name AS house, f.name AS firm FROM jobs j JOIN houses h ON h.id = j.house \
         LEFT JOIN firms f ON f.id = j.firm WHERE {condition} ORDER BY {} {rest}",
        order(request)
    );
    context.query(&sql, parameters)
}

/// Lists the jobs that the filters select.
pub fn list(request: &Request, context: &mut Context<'_>) -> Answer {
    let (condition, parameters) = filter(request);
    let sql = format!("SELECT count(*) AS n FROM jobs j WHERE {condition}");
    let total = context.number(&sql, parameters)?;
    let pages = Pagination::of(request, SIZE, total);
    let rest = format!("LIMIT {} OFFSET {}", pages.size, pages.offset());
    let jobs = select(request, &rest, context)?;
    let content = html! {
        (filters(request, context)?)
        p { (total) @if total == 1 { " job" } @else { " jobs" }
            ". " a href={ "/jobs.csv" (request.with_query("page", "1")) } { "Download as CSV" } }
        table {
            thead { tr {
                th scope="col" { "Job" } th scope="col" { "House" } th scope="col" { "Place" }
                th scope="col" { "Category" } th scope="col" { "Priority" } th scope="col" { "Status" }
                th scope="col" { "Firm" } th scope="col" { "Reported" }
            } }
            tbody { @for job in &jobs {
                tr {
                    td { (job_link(job.integer("id"), &job.text("title"))) }
                    td { (job.text("house")) }
                    td { (job.text("place")) }
                    td { (words::label(&words::CATEGORIES, &job.text("category"))) }
                    td { (words::label(&words::PRIORITIES, &job.text("priority"))) }
                    td { (status(&job.text("status"))) }
                    td { (job.text("firm")) }
                    td { (when::time(job.integer("opened"))) }
                }
            } }
        }
        (pages.links(request))
    };
    Ok(page("Jobs", request, &content))
}

fn filters(request: &Request, context: &mut Context<'_>) -> Result<Markup, Error> {
    let houses = context.query("SELECT id, name FROM houses ORDER BY name", NONE)?;
    let chosen = |name: &str| request.query(name).unwrap_or_default().to_owned();
    let lists = [
        ("status", "Status", &words::STATUSES[..]),
        ("category", "Category", &words::CATEGORIES[..]),
        ("priority", "Priority", &words::PRIORITIES[..]),
        (
            "sort",
            "Order",
            &[
                ("newest", "Newest first"),
                ("oldest", "Oldest first"),
                ("house", "By house"),
            ][..],
        ),
    ];
    Ok(html! {
        form class="filters" method="get" action="/jobs" role="search" {
            p { label for="q" { "Words" } input id="q" name="q" type="search" value=(chosen("q")); }
            p {
                label for="house" { "House" }
                select id="house" name="house" {
                    option value="" { "All" }
                    @for house in &houses {
                        option value=(house.integer("id")) selected[house.text("id") == chosen("house")] { (house.text("name")) }
                    }
                }
            }
            @for (name, label, pairs) in lists {
                p {
                    label for=(name) { (label) }
                    select id=(name) name=(name) {
                        @if name != "sort" { option value="" { "All" } }
                        (options(pairs, &chosen(name)))
                    }
                }
            }
            p { button { "Show" } }
        }
    })
}

/// Returns the jobs that the filters select as CSV.
pub fn export(request: &Request, context: &mut Context<'_>) -> Answer {
    let columns = [
        "id", "title", "house", "place", "category", "priority", "status", "firm", "reporter",
    ];
    let mut text = columns.join(",") + "\r\n";
    for job in select(request, "", context)? {
        let cells = columns.map(|column| quoted(&job.text(column)));
        text.push_str(&cells.join(","));
        text.push_str("\r\n");
    }
    Ok(Response::download(
        "text/csv; charset=utf-8",
        "jobs.csv",
        text,
    ))
}

/// Returns a field of CSV (RFC 4180).
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// Shows the form for a new job.
pub fn form(request: &Request, context: &mut Context<'_>) -> Answer {
    let login = required(request)?;
    let sql = "SELECT house, flat FROM accounts WHERE login = ?1";
    let home = context.one(sql, [&login])?;
    let houses = context.query("SELECT id, name FROM houses ORDER BY name", NONE)?;
    let content = html! {
        form method="post" action="/jobs" {
            (request.session.csrf_field())
            p { label for="title" { "What is broken?" } input id="title" name="title" maxlength=(MAX_TITLE) required; }
            p {
                label for="house" { "House" }
                select id="house" name="house" {
                    @for house in &houses {
                        option value=(house.integer("id")) selected[house.integer("id") == home.integer("house")] { (house.text("name")) }
                    }
                }
            }
            p { label for="place" { "Place" } input id="place" name="place" value={ "Flat " (home.text("flat")) } required; }
            p { label for="category" { "Category" } select id="category" name="category" { (options(&words::CATEGORIES, "other")) } }
            p { label for="text" { "Details" } textarea id="text" name="text" rows="6" required {} }
            p { button { "Report" } }
        }
    };
    Ok(page("Report a repair", request, &content))
}

/// Creates a job.
pub fn create(request: &Request, context: &mut Context<'_>) -> Answer {
    let login = required(request)?;
    let title = text_field(request, "title", MAX_TITLE)?;
    let place = text_field(request, "place", MAX_TITLE)?;
    let text = text_field(request, "text", MAX_TEXT)?;
    let category = words::known(&words::CATEGORIES, request.field("category"));
    let category = category.ok_or_else(|| Error::BadRequest("Choose a category.".to_owned()))?;
    let house: i64 = request.field("house").parse().unwrap_or_default();
    context.one("SELECT id FROM houses WHERE id = ?1", [house])?;
    let now = context.now();
    let created = context.execute(
        "INSERT INTO jobs (title, text, house, place, category, priority, status, reporter, opened) \
         VALUES (?1, ?2, ?3, ?4, ?5, 'none', 'new', ?6, ?7)",
        [
            Value::from(title),
            text.into(),
            house.into(),
            place.into(),
            category.into(),
            login.into(),
            now.into(),
        ],
    )?;
    request
        .session
        .tell("Thank you. The desk will look at your report.", context)?;
    Ok(Response::redirect(&format!(
        "/jobs/{}",
        created.last_insert_rowid
    )))
}

/// Returns a text of the form, with line ends as LF.
pub fn text_field(request: &Request, name: &str, limit: usize) -> Result<String, Error> {
    let text = request.field(name).replace("\r\n", "\n");
    let problem = if text.is_empty() {
        format!("The field “{name}” is empty.")
    } else if text.chars().count() > limit {
        format!("The field “{name}” has more than {limit} characters.")
    } else {
        return Ok(text);
    };
    Err(Error::BadRequest(problem))
}
