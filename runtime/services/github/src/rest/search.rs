//! Endpoints for searches.

use serde_json::{Value, json};

use super::nothing;
use super::parsed_request::Request;
use super::reply::{Outcome, Reply};
use crate::api::{Call, FieldError, Page, Paged, Sorted};
use crate::repository::RepositoryState;

pub(super) fn route(
    repo: &RepositoryState,
    request: &Request<'_>,
    call: &Call,
    what: &str,
) -> Outcome {
    if request.method != "GET" {
        return nothing(call);
    }
    let query = request.parameter("q");
    if query.trim().is_empty() {
        return Err(call.invalid(vec![FieldError {
            resource: "Search",
            field: "q",
            code: "missing",
            message: String::new(),
        }]));
    }
    let sorted = Sorted {
        by: request.parameter("sort").to_owned(),
        ascending: request.parameter("order") == "asc",
    };
    let page = request.page();
    repo.check_length(what, query, &sorted, page)?;
    let found = match what {
        "issues" => repo.search_issues(query, &sorted, page)?,
        "code" => repo.search_code(query, page)?,
        "commits" => repo.search_commits(query, &sorted, page)?,
        "repositories" => {
            let all = repo.is_found(query).then(|| with_score(repo.repository()));
            several(all.into_iter().collect(), page)
        }
        "users" => {
            let (_, users) = repo.search_users(query, Page::ALL);
            let view = |user: &&crate::hub::User| with_score(repo.user(&user.login));
            several(users.iter().map(view).collect(), page)
        }
        "labels" => {
            let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
            let has = |label: &&crate::hub::Label| {
                let description = label.description.as_deref().unwrap_or_default();
                let text = format!("{} {description}", label.name).to_lowercase();
                words.iter().all(|word| text.contains(word))
            };
            let view = |label| with_score(repo.whole_label(label));
            several(
                repo.hub.labels.values().filter(has).map(view).collect(),
                page,
            )
        }
        _ => return nothing(call),
    };
    let total = found["total_count"].as_u64().unwrap_or(0);
    let total = usize::try_from(total).unwrap_or(usize::MAX);
    let mut found = found;
    if what == "issues" {
        let items = found["items"].as_array_mut();
        for item in items.into_iter().flatten() {
            item["score"] = 1.0.into();
        }
    }
    Ok(Reply::json(200, found).paged(page, total))
}

fn with_score(mut view: Value) -> Value {
    view["score"] = 1.0.into();
    view
}

fn several(all: Vec<Value>, page: Page) -> Value {
    let total = all.len();
    let items: Vec<Value> = all.into_iter().page(page).collect();
    json!({"total_count": total, "incomplete_results": false, "items": items})
}
