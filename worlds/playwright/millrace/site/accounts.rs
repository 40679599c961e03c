//! Signing in, and pages of people.

use maud::html;
use mcpmark_guest_site::{Answer, Context, Error, Request, Response, Session};

use crate::layout::{job_link, page, status};
use crate::when;

/// Returns the account of a request if it is a coordinator's.
pub fn coordinator(request: &Request, context: &mut Context<'_>) -> Result<Option<String>, Error> {
    let Some(login) = request.session.account() else {
        return Ok(None);
    };
    let row = context.one("SELECT role FROM accounts WHERE login = ?1", [login])?;
    Ok((row.text("role") == "coordinator").then(|| login.to_owned()))
}

/// Returns the account of a request, which must be a coordinator's.
pub fn required_coordinator(request: &Request, context: &mut Context<'_>) -> Result<String, Error> {
    let found = coordinator(request, context)?;
    found.ok_or_else(|| Error::Forbidden("Only coordinators of the desk may do this.".to_owned()))
}

/// Returns the account of a request.
pub fn required(request: &Request) -> Result<String, Error> {
    let account = request.session.account().map(str::to_owned);
    account.ok_or_else(|| Error::Forbidden("Sign in first.".to_owned()))
}

fn sign_in_page(request: &Request, problem: Option<&str>) -> Response {
    page(
        "Sign in",
        request,
        &html! {
            @if let Some(problem) = problem { p role="alert" { (problem) } }
            form method="post" action="/login" {
                (request.session.csrf_field())
                p { label for="login" { "Login" } input id="login" name="login" autocomplete="username" required; }
                p {
                    label for="password" { "Password" }
                    input id="password" name="password" type="password" autocomplete="current-password" required;
                }
                p { button { "Sign in" } }
            }
        },
    )
}

/// Shows the form for signing in.
pub fn form(request: &Request, _context: &mut Context<'_>) -> Answer {
    Ok(sign_in_page(request, None))
}

/// Signs an account in.
pub fn sign_in(request: &Request, context: &mut Context<'_>) -> Answer {
    let (login, password) = (request.field("login"), request.field("password"));
    let sql = "SELECT name FROM accounts WHERE login = ?1 AND password = ?2 AND password <> ''";
    let Some(account) = context.find(sql, [login, password])? else {
        let page = sign_in_page(request, Some("The login or the password is wrong."));
        return Ok(page.with_status(403));
    };
    let session = request.session.sign_in(login, context)?;
    session.tell(&format!("Welcome, {}.", account.text("name")), context)?;
    Ok(session.complete(Response::redirect("/")))
}

/// Signs the account out.
pub fn sign_out(request: &Request, context: &mut Context<'_>) -> Answer {
    request.session.end(context)?;
    Ok(Session::forget(Response::redirect("/")))
}

/// Shows a person with the jobs that they reported.
pub fn show(request: &Request, context: &mut Context<'_>) -> Answer {
    let login: String = request.parameter("login")?;
    let sql = "SELECT a.login, a.name, a.role, a.flat, a.about, a.house, h.name AS house_name \
               FROM accounts a LEFT JOIN houses h ON h.id = a.house WHERE a.login = ?1";
    let person = context.one(sql, [&login])?;
    let sql =
        "SELECT id, title, status, opened FROM jobs WHERE reporter = ?1 ORDER BY id DESC LIMIT 50";
    let jobs = context.query(sql, [&login])?;
    // Notes about a household are for the desk only.
    let is_own = request.session.account() == Some(login.as_str());
    let may_read = is_own || coordinator(request, context)?.is_some();
    let content = html! {
        dl {
            dt { "Login" } dd { (person.text("login")) }
            dt { "Role" } dd { (person.text("role")) }
            @if !person.is_null("house") {
                dt { "Home" }
                dd { a href={ "/houses/" (person.integer("house")) } { (person.text("house_name")) } ", flat " (person.text("flat")) }
            }
            @if may_read && !person.text("about").is_empty() {
                dt { "Household" } dd { (person.text("about")) }
            }
        }
        h2 { "Reported repairs" }
        @if jobs.is_empty() { p { "None." } } @else {
            table {
                thead { tr { th scope="col" { "Job" } th scope="col" { "Status" } th scope="col" { "Reported" } } }
                tbody { @for job in &jobs {
                    tr {
                        td { (job_link(job.integer("id"), &job.text("title"))) }
                        td { (status(&job.text("status"))) }
                        td { (when::time(job.integer("opened"))) }
                    }
                } }
            }
        }
    };
    Ok(page(&person.text("name"), request, &content))
}
