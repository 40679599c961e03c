//! Tools for pull requests: one to read, and one to write reviews.

use serde_json::{Value, json};

use super::{issues, minimal, tool_error, unknown};
use crate::api::{Paged, Subject, cursor, position};
use crate::hub::{Kind, ReviewComment};
use crate::repository::RepositoryState;
use crate::tools::arguments::Arguments;
use crate::tools::decoded::{Decoded, Field, PULL};
use crate::tools::{Failure, Outcome, Output, pulls, reviews, written};

pub(super) fn read(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let method = with.text("method")?;
    let at = with.repository()?;
    let number = with.issue("pullNumber")?;
    let page = with.page()?;
    let head = || -> Result<_, Failure> {
        let call = repo.call(&at, "GET", &format!("/pulls/{number}"));
        let found = call.and_then(|call| Ok(repo.find_pull(&call, number)?.1));
        let pull = found.map_err(tool_error("failed to get pull request"))?;
        Ok((repo.ends(pull)?.1, pull))
    };
    match method.as_str() {
        "get" => {
            let view = repo.get_pull(&at, number);
            written(&minimal::pull(
                view.map_err(tool_error("failed to get pull request"))?,
            ))
        }
        "get_diff" => {
            let diff = repo.pull_diff(&at, number);
            Ok(Output::Text(
                diff.map_err(tool_error("failed to get pull request diff"))?,
            ))
        }
        "get_status" => {
            let mut view = repo.combined_status(head()?.0);
            let statuses = minimal::entries(view["statuses"].take())?;
            let keys = "state! context! description target_url created_at updated_at";
            let statuses: Vec<Value> = statuses
                .iter()
                .map(|it| minimal::picked(it, keys))
                .collect();
            view["statuses"] = statuses.into();
            written(&minimal::picked(
                &view,
                "state! sha! total_count! statuses!",
            ))
        }
        "get_files" => {
            let files = repo.list_pull_files(&at, number, page);
            let files = files.map_err(tool_error("failed to get pull request files"))?;
            let keys = "filename! status additions deletions changes patch previous_filename";
            let files = minimal::entries(files)?;
            written(
                &files
                    .iter()
                    .map(|file| minimal::picked(file, keys))
                    .collect(),
            )
        }
        "get_commits" => {
            let (_, pull) = head()?;
            let commits = repo.pull_commits(pull)?;
            let short = |commit| {
                let view = repo.commit(commit);
                let author = minimal::picked(&view["commit"]["author"], "name email date");
                json!({
                    "sha": view["sha"],
                    "html_url": view["html_url"],
                    "message": view["commit"]["message"],
                    "author": author,
                })
            };
            written(&commits.iter().page(page).map(short).collect())
        }
        "get_review_comments" => threads(repo, with, number),
        "get_reviews" => {
            let list = repo.list_reviews(&at, number, page);
            let list = list.map_err(tool_error("failed to get pull request reviews"))?;
            let list = minimal::entries(list)?;
            written(&list.into_iter().map(minimal::review).collect())
        }
        "get_comments" => issues::comments(repo, with),
        "get_check_runs" => {
            let mut found = repo.check_runs(head()?.0, "", page);
            let runs = minimal::entries(found["check_runs"].take())?;
            let keys = "id! name! status! conclusion html_url details_url started_at completed_at";
            let runs: Vec<Value> = runs.iter().map(|run| minimal::picked(run, keys)).collect();
            written(&json!({"total_count": found["total_count"], "check_runs": runs}))
        }
        _ => Err(unknown(&method)),
    }
}

/// Lists review comments by thread. A thread is identified by its first comment.
fn threads(repo: &RepositoryState, with: &Arguments, number: u64) -> Outcome {
    let at = with.repository()?;
    let during = "failed to get pull request review threads";
    reviews::find(repo, &at, with.number("pullNumber")?)
        .map_err(|problem| Failure::ToolError(format!("{during}: {problem}")))?;
    let size = usize::try_from(with.optional_number("perPage")?).unwrap_or(0);
    let size = if size == 0 { 30 } else { size.min(100) };
    let skipped = match with.optional_text("after")?.as_str() {
        "" => 0,
        after => position(after).ok_or_else(|| {
            Failure::ToolError(format!(
                "{during}: `{after}` does not appear to be a valid cursor."
            ))
        })?,
    };
    let Some((issue, pull)) = repo.hub.pull(number) else {
        return Err(Failure::tool_error(during));
    };
    let seen: Vec<&ReviewComment> = pull.seen_comments().collect();
    let first: Vec<&&ReviewComment> = seen.iter().filter(|it| it.in_reply_to.is_none()).collect();
    let mut shown = Vec::new();
    for root in first.iter().skip(skipped).take(size) {
        let of_thread = |it: &&&ReviewComment| it.id == root.id || it.in_reply_to == Some(root.id);
        let mut comments = Vec::new();
        let mut outdated = false;
        for comment in seen.iter().filter(of_thread) {
            let line = repo.comment_position(pull, comment)?.line;
            if comment.id == root.id {
                outdated = line.is_none() && comment.first_line().is_some();
            }
            let short = json!({
                "body": comment.body, "path": comment.path, "line": line, "author": comment.user,
                "created_at": comment.created_at, "updated_at": comment.updated_at,
                "html_url": repo.review_comment_page(issue, comment),
            });
            let keys = "body path! line author created_at updated_at html_url!";
            comments.push(minimal::picked(&short, keys));
        }
        shown.push(json!({
            "id": Kind::ReviewThread.node_id(Kind::ReviewThread.id(root.id)),
            "is_resolved": root.resolved,
            "is_outdated": outdated,
            "is_collapsed": root.resolved,
            "total_count": comments.len(),
            "comments": comments,
        }));
        if let Some(thread) = shown.last_mut() {
            let keys = "id! is_resolved! is_outdated! is_collapsed! comments! total_count!";
            *thread = minimal::picked(thread, keys);
        }
    }
    let some = !shown.is_empty();
    let info = json!({
        "hasNextPage": skipped + shown.len() < first.len(),
        "hasPreviousPage": skipped > 0 && !first.is_empty(),
        "startCursor": some.then(|| cursor(skipped + 1)),
        "endCursor": some.then(|| cursor(skipped + shown.len())),
    });
    let info = minimal::picked(&info, "hasNextPage! hasPreviousPage! startCursor endCursor");
    written(&json!({"review_threads": shown, "totalCount": first.len(), "pageInfo": info}))
}

pub(super) fn list(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let list = pulls::list(with)?;
    let found = repo.list_pulls(&at, &list, with.page()?);
    let found = minimal::entries(found.map_err(tool_error("failed to list pull requests"))?)?;
    minimal::listed(with, found.into_iter().map(minimal::pull).collect())
}

pub(super) fn create(repo: &mut RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let new = pulls::new_pull(with)?;
    let reviewers = with.texts("reviewers")?;
    let made = repo.create_pull(&at, new);
    let number = made.map_err(tool_error("failed to create pull request"))?;
    if !reviewers.is_empty() {
        let asked = repo.request_reviewers(&at, number, &reviewers);
        asked.map_err(tool_error("failed to request reviewers"))?;
    }
    pulls::answer(repo, number)
}

const METHOD: &[Field] = &[Field::Text("Method")];
const THREAD: &[Field] = &[Field::Text("ThreadID")];

pub(super) fn review_write(repo: &mut RepositoryState, with: &Arguments) -> Outcome {
    let fields = [METHOD, PULL, reviews::REVIEW, reviews::COMMIT, THREAD];
    let with = &Decoded::weak(with, &fields)?;
    let method = with.text("Method");
    match method.as_str() {
        "create" if with.text("Event").is_empty() => reviews::create_pending(repo, with),
        "create" => reviews::create_and_submit(repo, with),
        "submit_pending" => reviews::submit_pending(repo, with),
        "delete_pending" => reviews::delete_pending(repo, with),
        "resolve_thread" => resolve(repo, with, true),
        "unresolve_thread" => resolve(repo, with, false),
        _ => Err(unknown(&method)),
    }
}

/// Adds a comment to the pending review. The required arguments are checked, and a line of zero counts as absent.
pub(super) fn add_comment(repo: &mut RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let mut decoded = Decoded::default()
        .with_text("Owner", at.owner)
        .with_text("Repo", at.repo)
        .with_number("PullNumber", with.number("pullNumber")?)
        .with_text("Path", with.text("path")?)
        .with_text("Body", with.text("body")?)
        .with_text("SubjectType", with.text("subjectType")?);
    for (field, name) in [("Line", "line"), ("StartLine", "startLine")] {
        let line = with.optional_number(name)?;
        if line != 0 {
            decoded = decoded.with_number(field, line);
        }
    }
    for (field, name) in [("Side", "side"), ("StartSide", "startSide")] {
        // A value of another type counts as absent.
        let side = with.optional_text(name).unwrap_or_default();
        if !side.is_empty() {
            decoded = decoded.with_text(field, side);
        }
    }
    reviews::add_comment(repo, &decoded)
}

/// Resolves or unresolves a review thread. No error if it already has that state.
fn resolve(repo: &mut RepositoryState, with: &Decoded, resolved: bool) -> Outcome {
    let node = with.text("ThreadID");
    if node.is_empty() {
        return Err(Failure::tool_error(
            "threadId is required for resolve_thread and unresolve_thread methods",
        ));
    }
    let (during, success) = if resolved {
        (
            "failed to resolve review thread",
            "review thread resolved successfully",
        )
    } else {
        (
            "failed to unresolve review thread",
            "review thread unresolved successfully",
        )
    };
    let ordinal = Kind::ReviewThread.of_node(&node);
    let comments = repo
        .hub
        .issues
        .values_mut()
        .filter_map(|issue| issue.pull.as_mut())
        .flat_map(|pull| &mut pull.review_comments);
    let mut roots = comments.filter(|it| it.in_reply_to.is_none());
    let Some(root) = roots.find(|it| Some(it.id) == ordinal) else {
        return Err(Failure::ToolError(format!(
            "{during}: Could not resolve to a node with the global id of '{node}'"
        )));
    };
    if root.resolved != resolved {
        root.resolved = resolved;
        repo.hub.tick();
    }
    Ok(Output::Text(success.to_owned()))
}

pub(super) fn reply(repo: &mut RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let id = with.number("commentId")?;
    let Some(id) = u64::try_from(id).ok().filter(|id| *id > 0) else {
        return Err(Failure::tool_error("commentId must be greater than 0"));
    };
    let body = with.given_text("body")?;
    let content = with.given_text("reaction")?;
    let problem = match (body.as_deref(), content.as_deref()) {
        (None, None) => "at least one of body or reaction is required",
        (Some(""), _) => "body cannot be empty when provided",
        (_, Some("")) => "reaction cannot be empty when provided",
        _ => "",
    };
    if !problem.is_empty() {
        return Err(Failure::tool_error(problem));
    }
    let number = match body {
        Some(_) => with.issue("pullNumber")?,
        None => 0,
    };
    let mut reacted = None;
    if let Some(content) = content {
        let during = "failed to add reaction to pull request review comment";
        let below = format!("/pulls/comments/{id}");
        let call = repo.call(&at, "POST", &format!("{below}/reactions"));
        let call = call.map_err(tool_error(during))?;
        repo.react(&call, Subject::ReviewComment(id), &content)
            .map_err(tool_error(during))?;
        reacted = Some(issues::reaction(repo, id, &content, &below));
    }
    let mut commented = None;
    if let Some(body) = body {
        let during = "failed to add reply to pull request comment";
        let call = repo.call(&at, "POST", &format!("/pulls/{number}/comments"));
        let call = call.map_err(tool_error(during))?;
        let new = repo.reply_to(&call, number, id, body);
        let new = new.map_err(tool_error(during))?;
        // A single comment is a review of its own.
        let review = repo.add_review(number, "", Some(crate::api::ReviewEvent::Comment), None);
        let added = repo.add_review_comment(number, review, new);
        let id = Kind::ReviewComment.id(added);
        let page = repo.html(&format!("/pull/{number}#discussion_r{id}"));
        commented = Some(json!({"id": id.to_string(), "url": page}));
    }
    issues::both(commented, reacted)
}
