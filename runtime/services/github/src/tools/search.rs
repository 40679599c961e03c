//! Tools for searches.

use serde_json::{Value, json};

use super::arguments::Arguments;
use super::context::minimal_user;
use super::{Outcome, shaped, tool_error, written};
use crate::api::Sorted;
use crate::repository::RepositoryState;

/// Returns true if a query contains a qualifier at the beginning of a word.
fn has(query: &str, qualifier: &str) -> bool {
    query.match_indices(qualifier).any(|(at, _)| {
        let before = query[..at].chars().next_back();
        let after = query[at + qualifier.len()..].chars().next();
        let value_follows = qualifier.ends_with(':') && after.is_some_and(|c| !c.is_whitespace());
        let ends =
            !qualifier.ends_with(':') && after.is_none_or(|c| !c.is_alphanumeric() && c != '_');
        before.is_none_or(|c| !c.is_alphanumeric() && c != '_') && (value_follows || ends)
    })
}

fn sorted(with: &Arguments) -> Result<Sorted, super::Failure> {
    Ok(Sorted {
        by: with.optional_text("sort")?,
        ascending: with.optional_text("order")? == "asc",
    })
}

/// Builds the query of a search for issues or pull requests, with the qualifiers that the tool adds.
pub(super) fn query_for(with: &Arguments, kind: &str) -> Result<String, super::Failure> {
    let mut query = with.text("query")?;
    if !has(&query, &format!("is:{kind}")) {
        query = format!("is:{kind} {query}");
    }
    let owner = with.optional_text("owner")?;
    let repo = with.optional_text("repo")?;
    if !owner.is_empty() && !repo.is_empty() && !has(&query, "repo:") {
        query = format!("repo:{owner}/{repo} {query}");
    }
    Ok(query)
}

pub(super) fn issues(repo: &RepositoryState, with: &Arguments, kind: &str) -> Outcome {
    let query = query_for(with, kind)?;
    let sorted = sorted(with)?;
    let page = with.page()?;
    let during = match kind {
        "pr" => "failed to search pull requests",
        _ => "failed to search issues",
    };
    let found = repo
        .search_issues(&query, &sorted, page)
        .map_err(super::protocol_error(during))?;
    shaped("IssuesSearchResult", found)
}

pub(super) fn code(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let query = with.text("query")?;
    sorted(with)?;
    let page = with.page()?;
    let found = repo.search_code(&query, page).map_err(tool_error(format!(
        "failed to search code with query '{query}'"
    )))?;
    shaped("CodeSearchResult", found)
}

pub(super) fn users(repo: &RepositoryState, with: &Arguments, kind: &str) -> Outcome {
    let mut query = with.text("query")?;
    let sorted = sorted(with)?;
    let page = with.page()?;
    repo.check_length("users", &query, &sorted, page)
        .map_err(tool_error(format!("failed to search {kind}s")))?;
    if !has(&query, "type:") {
        query = format!("type:{kind} {query}");
    }
    let (total, users) = repo.search_users(&query, page);
    let items: Vec<Value> = users
        .iter()
        .map(|user| minimal_user(&repo.user(&user.login)))
        .collect();
    written(&json!({"total_count": total, "incomplete_results": false, "items": items}))
}

pub(super) fn repositories(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let query = with.text("query")?;
    let page = with.page()?;
    let minimal = with.given_bool("minimal_output")?.unwrap_or(true);
    repo.check_length("repositories", &query, &Sorted::default(), page)
        .map_err(tool_error("failed to search repositories"))?;
    let found = repo.is_found(&query);
    let total = usize::from(found);
    let mut items = Vec::new();
    if found && page.number == 1 {
        items.push(repo.repository());
    }
    if !minimal {
        let found = json!({"total_count": total, "incomplete_results": false, "items": items});
        return shaped("RepositoriesSearchResult", found);
    }
    let items: Vec<Value> = items.iter().map(minimal_repository).collect();
    written(&json!({"total_count": total, "incomplete_results": false, "items": items}))
}

/// Shortened repository of search results. Some fields are omitted if they are empty.
fn minimal_repository(repository: &Value) -> Value {
    let mut view = serde_json::Map::new();
    let keys = [
        ("id", true),
        ("name", true),
        ("full_name", true),
        ("description", false),
        ("html_url", true),
        ("language", false),
        ("stargazers_count", true),
        ("forks_count", true),
        ("open_issues_count", true),
        ("updated_at", false),
        ("created_at", false),
        ("topics", false),
        ("private", true),
        ("fork", true),
        ("archived", true),
        ("default_branch", false),
    ];
    for (key, always) in keys {
        let value = &repository[key];
        let empty = value.is_null()
            || value.as_str() == Some("")
            || value.as_array().is_some_and(Vec::is_empty);
        if always || !empty {
            view.insert(key.to_owned(), value.clone());
        }
    }
    view.into()
}
