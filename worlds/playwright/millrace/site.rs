//! The site repairs.test: residents report repairs, and coordinators pass them on to firms.

#[path = "site/accounts.rs"]
mod accounts;
#[path = "site/firms.rs"]
mod firms;
#[path = "site/handbook.rs"]
mod handbook;
#[path = "site/houses.rs"]
mod houses;
#[path = "site/job.rs"]
mod job;
#[path = "site/jobs.rs"]
mod jobs;
#[path = "site/layout.rs"]
mod layout;
#[path = "site/start.rs"]
mod start;
#[path = "site/visits.rs"]
mod visits;
#[path = "site/when.rs"]
mod when;
#[path = "site/words.rs"]
mod words;

use mcpmark_guest_site::{Context, Request, Response, Router, Session, site};

site!(answer);

fn answer(request: &mut Request, context: &mut Context<'_>) -> Response {
    let opened = Session::open(request, context).and_then(|()| {
        // The form of a browser without a session needs a token too.
        if request.path == "/login" && request.method == "GET" {
            Session::ensure(request, context)?;
        }
        Ok(())
    });
    let response = match opened {
        Ok(()) => routes().answer(request, context),
        Err(error) => layout::error(&error, request, context).with_status(error.status()),
    };
    request.session.complete(response)
}

fn routes() -> Router {
    Router::new()
        .get("/", start::show)
        .get("/login", accounts::form)
        .post("/login", accounts::sign_in)
        .post("/logout", accounts::sign_out)
        .get("/people/{login}", accounts::show)
        .get("/jobs", jobs::list)
        .get("/jobs.csv", jobs::export)
        .get("/jobs/new", jobs::form)
        .post("/jobs", jobs::create)
        .get("/jobs/{id}", job::show)
        .post("/jobs/{id}", job::triage)
        .post("/jobs/{id}/comments", job::comment)
        .post("/jobs/{id}/duplicate", job::mark_duplicate)
        .post("/jobs/{id}/visit", visits::book)
        .post("/visits/{id}/cancel", visits::cancel)
        .get("/houses", houses::list)
        .get("/houses/{id}", houses::show)
        .get("/firms", firms::list)
        .get("/firms/{id}", firms::show)
        .get("/handbook", handbook::list)
        .get("/handbook/{slug}", handbook::show)
        .errors(layout::error)
}
