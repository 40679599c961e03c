//! Search.

use serde_json::{Value, json};

use super::asked::Asked;
use super::nothing;
use super::reply::{Outcome, Reply};
use crate::api::{Call, FieldError, Page, Paged, Sorted};
use crate::view::Site;

pub(super) fn route(site: &Site, asked: &Asked<'_>, call: &Call, what: &str) -> Outcome {
    if asked.method != "GET" {
        return nothing(call);
    }
    let query = asked.parameter("q");
    if query.trim().is_empty() {
        return Err(call.invalid(vec![FieldError {
            resource: "Search",
            field: "q",
            code: "missing",
            message: String::new(),
        }]));
    }
    let sorted = Sorted {
        by: asked.parameter("sort").to_owned(),
        ascending: asked.parameter("order") == "asc",
    };
    let page = asked.page();
    site.check_length(what, query, &sorted, page)?;
    let found = match what {
        "issues" => site.search_issues(query, &sorted, page)?,
        "code" => site.search_code(query, page)?,
        "commits" => site.search_commits(query, &sorted, page)?,
        "repositories" => {
            let all = site.is_found(query).then(|| with_score(site.repository()));
            several(all.into_iter().collect(), page)
        }
        "users" => {
            let (_, users) = site.search_users(query, Page::ALL);
            let view = |user: &&crate::hub::User| with_score(site.user(&user.login));
            several(users.iter().map(view).collect(), page)
        }
        "labels" => {
            let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
            let has = |label: &&crate::hub::Label| {
                let description = label.description.as_deref().unwrap_or_default();
                let text = format!("{} {description}", label.name).to_lowercase();
                words.iter().all(|word| text.contains(word))
            };
            let view = |label| with_score(site.whole_label(label));
            several(
                site.hub.labels.values().filter(has).map(view).collect(),
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
