//! Frame of all pages.

use maud::{DOCTYPE, Markup, html};
use mcpmark_guest_site::{Context, Error, Request, Response};

use crate::words;

/// Returns a page with the navigation of the site.
pub fn page(title: &str, request: &Request, content: &Markup) -> Response {
    let session = &request.session;
    Response::html(html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) " · Millrace repairs" }
                link rel="stylesheet" href="/style.css";
            }
            body {
                a class="skip" href="#content" { "Skip to content" }
                header {
                    p class="brand" { a href="/" { "Millrace repairs" } }
                    nav aria-label="Main" {
                        ul {
                            li { a href="/jobs" { "Jobs" } }
                            li { a href="/jobs/new" { "Report a repair" } }
                            li { a href="/houses" { "Houses" } }
                            li { a href="/firms" { "Firms" } }
                            li { a href="/handbook" { "Handbook" } }
                        }
                    }
                    @match session.account() {
                        Some(login) => {
                            form class="account" method="post" action="/logout" {
                                (session.csrf_field())
                                span { "Signed in as " a href={ "/people/" (login) } { (login) } }
                                " " button { "Sign out" }
                            }
                        }
                        None => p class="account" { a href="/login" { "Sign in" } },
                    }
                }
                main id="content" {
                    @if let Some(message) = session.message() {
                        p role="status" { (message) }
                    }
                    h1 { (title) }
                    (content)
                }
                footer { p { "Millrace Housing Cooperative. The desk is open on weekdays from 8 to 16." } }
            }
        }
    })
}

/// Returns the page of an error.
pub fn error(error: &Error, request: &Request, _context: &mut Context<'_>) -> Response {
    let title = match error.status() {
        404 => "Not found",
        403 => "Not allowed",
        400 => "Something is missing",
        _ => "This did not work",
    };
    page(
        title,
        request,
        &html! { p { (error) } p { a href="/" { "To the start page" } } },
    )
}

/// Returns the options of a list with the chosen one.
pub fn options(pairs: &[(&'static str, &'static str)], chosen: &str) -> Markup {
    html! {
        @for (value, label) in pairs {
            option value=(value) selected[*value == chosen] { (label) }
        }
    }
}

/// Returns a link to a job.
pub fn job_link(id: i64, title: &str) -> Markup {
    html! { a href={ "/jobs/" (id) } { "#" (id) " " (title) } }
}

/// Returns the label of a status.
pub fn status(value: &str) -> Markup {
    html! { span class={ "status " (value) } { (words::label(&words::STATUSES, value)) } }
}

/// Returns the paragraphs of a text, which blank lines separate. Lines that begin with `- ` are a list.
pub fn prose(text: &str) -> Markup {
    html! {
        @for block in text.split("\n\n").filter(|block| !block.trim().is_empty()) {
            @if block.lines().all(|line| line.starts_with("- ")) {
                ul { @for line in block.lines() { li { (line.trim_start_matches("- ")) } } }
            } @else if let Some(heading) = block.strip_prefix("## ") {
                h2 { (heading) }
            } @else {
                p { @for (index, line) in block.lines().enumerate() {
                    @if index > 0 { br; }
                    (line)
                } }
            }
        }
    }
}
