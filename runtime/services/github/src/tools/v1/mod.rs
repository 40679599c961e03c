//! Tools of v1.10.1: fewer than in v0.15.0, several of them with a `method`, and with shorter results.
//!
//! They use the same operations as the tools of v0.15.0. Texts are returned unchanged, while the published server
//! sanitises HTML in them.

mod actions;
mod issues;
mod minimal;
mod pulls;
mod repos;

use super::arguments::Arguments;
use super::{Failure, Outcome, context, copilot, files, gists, search, sub_issues, tool_error};
use crate::api::{FieldError, Refusal};
use crate::profile::Profile;
use crate::repository::RepositoryState;

/// Formats an error response of GitHub. For status 422, method, URL and status are omitted, and each field error has a
/// line of its own.
pub(super) fn worded(during: &str, refusal: &Refusal) -> String {
    if refusal.status != 422 {
        return format!("{during}: {refusal}");
    }
    let mut parts = vec![refusal.message.clone()];
    parts.extend(refusal.errors.iter().map(detail));
    parts.retain(|part| !part.is_empty());
    format!("{during}: {}", parts.join("\n"))
}

/// Formats one field error.
fn detail(error: &FieldError) -> String {
    let place = match (error.resource, error.field) {
        ("", field) => field.to_owned(),
        (resource, "") => resource.to_owned(),
        (resource, field) => format!("{resource}.{field}"),
    };
    let place = match (place.as_str(), error.code) {
        ("", code) => code.to_owned(),
        (place, "") => place.to_owned(),
        (place, code) => format!("{place} ({code})"),
    };
    match (place.is_empty(), error.message.is_empty()) {
        (false, false) => format!("{place}: {}", error.message),
        (true, _) => error.message.clone(),
        (false, true) => place,
    }
}

/// Error for an unknown `method` of a tool.
fn unknown(method: &str) -> Failure {
    Failure::ToolError(format!("unknown method: {method}"))
}

/// Answers a call. Returns `None` if the tool does not exist.
pub(super) fn answer(repo: &mut RepositoryState, tool: &str, with: &Arguments) -> Option<Outcome> {
    Some(match tool {
        "get_me" => context::get_me(repo),
        "get_teams" => context::get_teams(repo, with),
        "get_team_members" => context::get_team_members(repo, with),

        "get_file_contents" => repos::get_file_contents(repo, with),
        "create_or_update_file" => repos::create_or_update_file(repo, with),
        "push_files" => files::push_files(repo, with, Profile::V1_10_1),
        "delete_file" => files::delete_file(repo, with),
        "create_branch" => files::create_branch(repo, with),
        "get_commit" => repos::get_commit(repo, with),
        "list_commits" => repos::list_commits(repo, with),
        "search_commits" => repos::search_commits(repo, with),
        "list_branches" => super::commits::list_branches(repo, with),
        "list_tags" => repos::list_tags(repo, with),
        "get_tag" => repos::get_tag(repo, with),
        "list_releases" => repos::list_releases(repo, with),
        "get_latest_release" => super::repositories::get_latest_release(repo, with),
        "get_release_by_tag" => repos::get_release_by_tag(repo, with),
        "create_repository" => super::repositories::create_repository(repo, with),
        "delete_repository" => repos::delete_repository(repo, with),
        "fork_repository" => super::repositories::fork_repository(repo, with),
        "list_repository_collaborators" => repos::collaborators(repo, with),
        "list_gists" => gists::list(repo, with, Profile::V1_10_1),
        "get_gist" => gists::get(repo, with),
        "search_repositories" => search::repositories(repo, with),
        "search_code" => repos::search_code(repo, with),
        "search_users" => search::users(repo, with, "user"),

        "issue_read" => issues::read(repo, with),
        "issue_write" => issues::write(repo, with),
        "list_issues" => issues::list(repo, with),
        "search_issues" => issues::search(repo, with, "issue"),
        "add_issue_comment" => issues::add_comment(repo, with),
        "sub_issue_write" => sub_issues_write(repo, with),
        "list_issue_types" => issues::list_types(repo, with),
        "list_issue_fields" => issues::list_fields(repo, with),
        "get_label" => issues::get_label(repo, with),

        "pull_request_read" => pulls::read(repo, with),
        "list_pull_requests" => pulls::list(repo, with),
        "search_pull_requests" => issues::search(repo, with, "pr"),
        "create_pull_request" => pulls::create(repo, with),
        "update_pull_request" => super::pulls::update_pull_request(repo, with),
        "merge_pull_request" => super::pulls::merge_pull_request(repo, with),
        "update_pull_request_branch" => super::pulls::update_pull_request_branch(repo, with),
        "pull_request_review_write" => pulls::review_write(repo, with),
        "add_comment_to_pending_review" => pulls::add_comment(repo, with),
        "add_reply_to_pull_request_comment" => pulls::reply(repo, with),

        "assign_copilot_to_issue" => copilot::assign(repo, with, Profile::V1_10_1),
        "request_copilot_review" => copilot::request_review(repo, with),

        "actions_list" => actions::list(repo, with),
        "actions_get" => actions::get(repo, with),
        "actions_run_trigger" => actions::run_trigger(repo, with),
        "get_job_logs" => super::actions::get_job_logs(repo, with),
        _ => return None,
    })
}

fn sub_issues_write(repo: &mut RepositoryState, with: &Arguments) -> Outcome {
    let method = with.text("method")?;
    match method.to_lowercase().as_str() {
        "add" => sub_issues::add(repo, with),
        "remove" => sub_issues::remove(repo, with),
        "reprioritize" => sub_issues::reprioritize(repo, with),
        _ => Err(unknown(&method)),
    }
}
