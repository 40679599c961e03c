//! The tools of v1.10: fewer of them, each with a `method`, and results that leave out what is rarely read.
//!
//! They stand on the same operations as those of v0.15.0. Texts are given as they are, where the published server
//! rewrites what looks like HTML.

mod actions;
mod issues;
mod minimal;
mod pulls;
mod repos;

use super::arguments::Arguments;
use super::{Failure, Outcome, context, copilot, files, gists, said, search, sub_issues};
use crate::api::{FieldError, Refusal};
use crate::profile::Profile;
use crate::view::Site;

/// A refusal in words: those of an invalid request are told alone, what is wrong with fields in lines of their own.
pub(super) fn worded(during: &str, refusal: &Refusal) -> String {
    if refusal.status != 422 {
        return format!("{during}: {refusal}");
    }
    let mut parts = vec![refusal.message.clone()];
    parts.extend(refusal.errors.iter().map(detail));
    parts.retain(|part| !part.is_empty());
    format!("{during}: {}", parts.join("\n"))
}

/// What is wrong with one field, in words.
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

/// The refusal of a method that a tool does not have.
fn unknown(method: &str) -> Failure {
    Failure::Said(format!("unknown method: {method}"))
}

/// Answers a call. None where there is no such tool.
pub(super) fn answer(site: &mut Site, tool: &str, with: &Arguments) -> Option<Outcome> {
    Some(match tool {
        "get_me" => context::get_me(site),
        "get_teams" => context::get_teams(site, with),
        "get_team_members" => context::get_team_members(site, with),

        "get_file_contents" => repos::get_file_contents(site, with),
        "create_or_update_file" => repos::create_or_update_file(site, with),
        "push_files" => files::push_files(site, with, Profile::V1_10_1),
        "delete_file" => files::delete_file(site, with),
        "create_branch" => files::create_branch(site, with),
        "get_commit" => repos::get_commit(site, with),
        "list_commits" => repos::list_commits(site, with),
        "search_commits" => repos::search_commits(site, with),
        "list_branches" => super::commits::list_branches(site, with),
        "list_tags" => repos::list_tags(site, with),
        "get_tag" => repos::get_tag(site, with),
        "list_releases" => repos::list_releases(site, with),
        "get_latest_release" => super::repositories::get_latest_release(site, with),
        "get_release_by_tag" => repos::get_release_by_tag(site, with),
        "create_repository" => super::repositories::create_repository(site, with),
        "delete_repository" => repos::delete_repository(site, with),
        "fork_repository" => super::repositories::fork_repository(site, with),
        "list_repository_collaborators" => repos::collaborators(site, with),
        "list_gists" => gists::list(site, with, Profile::V1_10_1),
        "get_gist" => gists::get(site, with),
        "search_repositories" => search::repositories(site, with),
        "search_code" => repos::search_code(site, with),
        "search_users" => search::users(site, with, "user"),

        "issue_read" => issues::read(site, with),
        "issue_write" => issues::write(site, with),
        "list_issues" => issues::list(site, with),
        "search_issues" => issues::search(site, with, "issue"),
        "add_issue_comment" => issues::add_comment(site, with),
        "sub_issue_write" => sub_issues_write(site, with),
        "list_issue_types" => issues::list_types(site, with),
        "list_issue_fields" => issues::list_fields(site, with),
        "get_label" => issues::get_label(site, with),

        "pull_request_read" => pulls::read(site, with),
        "list_pull_requests" => pulls::list(site, with),
        "search_pull_requests" => issues::search(site, with, "pr"),
        "create_pull_request" => pulls::create(site, with),
        "update_pull_request" => super::pulls::update_pull_request(site, with),
        "merge_pull_request" => super::pulls::merge_pull_request(site, with),
        "update_pull_request_branch" => super::pulls::update_pull_request_branch(site, with),
        "pull_request_review_write" => pulls::review_write(site, with),
        "add_comment_to_pending_review" => pulls::add_comment(site, with),
        "add_reply_to_pull_request_comment" => pulls::reply(site, with),

        "assign_copilot_to_issue" => copilot::assign(site, with, Profile::V1_10_1),
        "request_copilot_review" => copilot::request_review(site, with),

        "actions_list" => actions::list(site, with),
        "actions_get" => actions::get(site, with),
        "actions_run_trigger" => actions::run_trigger(site, with),
        "get_job_logs" => super::actions::get_job_logs(site, with),
        _ => return None,
    })
}

fn sub_issues_write(site: &mut Site, with: &Arguments) -> Outcome {
    let method = with.text("method")?;
    match method.to_lowercase().as_str() {
        "add" => sub_issues::add(site, with),
        "remove" => sub_issues::remove(site, with),
        "reprioritize" => sub_issues::reprioritize(site, with),
        _ => Err(unknown(&method)),
    }
}
