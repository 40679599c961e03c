//! Serialisation of results as by the published server. It decodes GitHub's responses into structures of Go and encodes
//! those, so fields have another order, null and empty values are omitted, and some characters are escaped.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::{Map, Value};

/// Structures of `go-github` 74 by name, with their fields in order. `field:Shape` gives the structure of the value,
/// `field:*Shape` that of the values in a map, and `field!` keeps an empty field.
const SHAPES: &[(&str, &str)] = &[
    (
        "Issue",
        "id number state state_reason locked title body author_association user:User labels:Label \
        assignee:User comments closed_at created_at updated_at closed_by:User url html_url comments_url events_url \
        labels_url repository_url milestone:Milestone pull_request:PullRequestLinks repository:Repository \
        reactions:Reactions assignees:User node_id draft type:IssueType active_lock_reason",
    ),
    (
        "IssueComment",
        "id node_id body user:User reactions:Reactions created_at updated_at author_association url \
        html_url issue_url",
    ),
    (
        "IssueType",
        "id node_id name description color created_at updated_at",
    ),
    (
        "PullRequest",
        "id number state locked title body created_at updated_at closed_at merged_at labels:Label \
        user:User draft url html_url issue_url statuses_url diff_url patch_url commits_url comments_url \
        review_comments_url review_comment_url assignee:User assignees:User milestone:Milestone author_association \
        node_id requested_reviewers:User auto_merge merged mergeable mergeable_state rebaseable merged_by:User \
        merge_commit_sha comments commits additions deletions changed_files maintainer_can_modify review_comments \
        requested_teams _links:PRLinks head:PullRequestBranch base:PullRequestBranch active_lock_reason",
    ),
    (
        "PullRequestBranch",
        "label ref sha repo:Repository user:User",
    ),
    (
        "PullRequestLinks",
        "url html_url diff_url patch_url merged_at",
    ),
    (
        "PRLinks",
        "self html issue comments review_comments review_comment commits statuses",
    ),
    (
        "PullRequestReview",
        "id node_id user:User body submitted_at commit_id html_url pull_request_url state \
        author_association",
    ),
    (
        "PullRequestComment",
        "id node_id in_reply_to_id body path diff_hunk pull_request_review_id position \
        original_position start_line line original_line original_start_line side start_side commit_id \
        original_commit_id user:User reactions:Reactions created_at updated_at author_association url html_url \
        pull_request_url subject_type",
    ),
    (
        "Repository",
        "id node_id owner:User name full_name description homepage default_branch created_at pushed_at \
        updated_at html_url clone_url git_url mirror_url ssh_url svn_url language fork forks_count network_count \
        open_issues_count open_issues stargazers_count subscribers_count watchers_count watchers size permissions \
        allow_rebase_merge allow_update_branch allow_squash_merge allow_merge_commit allow_auto_merge allow_forking \
        web_commit_signoff_required delete_branch_on_merge topics archived disabled license private has_issues \
        has_wiki has_pages has_projects has_downloads has_discussions is_template url archive_url assignees_url \
        blobs_url branches_url collaborators_url comments_url commits_url compare_url contents_url contributors_url \
        deployments_url downloads_url events_url forks_url git_commits_url git_refs_url git_tags_url hooks_url \
        issue_comment_url issue_events_url issues_url keys_url labels_url languages_url merges_url milestones_url \
        notifications_url pulls_url releases_url stargazers_url statuses_url subscribers_url subscription_url \
        tags_url trees_url teams_url visibility",
    ),
    (
        "User",
        "login id node_id avatar_url html_url gravatar_id name company blog location email hireable bio \
        twitter_username public_repos public_gists followers following created_at updated_at type site_admin url \
        events_url following_url followers_url gists_url organizations_url received_events_url repos_url starred_url \
        subscriptions_url",
    ),
    (
        "RepositoryContent",
        "type target encoding size name path content sha url git_url html_url download_url \
        submodule_git_url",
    ),
    (
        "RepositoryContentResponse",
        "content:RepositoryContent commit!:Commit",
    ),
    (
        "Commit",
        "sha author:CommitAuthor committer:CommitAuthor message tree:Tree parents:Commit html_url url \
        verification:SignatureVerification node_id comment_count",
    ),
    ("CommitAuthor", "date name email username"),
    (
        "CommitFile",
        "sha filename additions deletions changes status patch blob_url raw_url contents_url \
        previous_filename",
    ),
    ("SignatureVerification", "verified reason signature payload"),
    ("Tree", "sha tree truncated"),
    ("Reference", "ref! url! object!:GitObject node_id"),
    ("GitObject", "type! sha! url!"),
    (
        "RepositoryTag",
        "name commit:Commit zipball_url tarball_url",
    ),
    (
        "Tag",
        "tag sha url message tagger:CommitAuthor object:GitObject verification:SignatureVerification node_id",
    ),
    ("Label", "id url name color description default node_id"),
    (
        "Milestone",
        "url html_url labels_url id number state title description creator:User open_issues closed_issues \
        created_at updated_at closed_at due_on node_id",
    ),
    (
        "RepositoryRelease",
        "tag_name target_commitish name body draft prerelease id created_at published_at url \
        html_url assets_url assets upload_url zipball_url tarball_url author:User node_id",
    ),
    (
        "CombinedStatus",
        "state name sha total_count statuses:RepoStatus commit_url repository_url",
    ),
    (
        "RepoStatus",
        "id node_id url state target_url description context avatar_url creator:User created_at updated_at",
    ),
    ("Workflows", "total_count workflows:Workflow"),
    (
        "Workflow",
        "id node_id name path state created_at updated_at url html_url badge_url",
    ),
    ("WorkflowRuns", "total_count workflow_runs:WorkflowRun"),
    (
        "WorkflowRun",
        "id name node_id head_branch head_sha path run_number run_attempt event display_title status \
        conclusion workflow_id check_suite_id check_suite_node_id url html_url pull_requests:PullRequest created_at \
        updated_at run_started_at jobs_url logs_url check_suite_url artifacts_url cancel_url rerun_url \
        previous_attempt_url head_commit:HeadCommit workflow_url repository:Repository head_repository:Repository \
        actor:User triggering_actor:User referenced_workflows",
    ),
    (
        "HeadCommit",
        "message author:CommitAuthor url distinct sha id tree_id timestamp committer:CommitAuthor",
    ),
    ("Jobs", "total_count jobs:WorkflowJob"),
    (
        "WorkflowJob",
        "id run_id run_url node_id head_branch head_sha url html_url status conclusion created_at started_at \
        completed_at name steps:TaskStep check_run_url labels runner_id runner_name runner_group_id runner_group_name \
        run_attempt workflow_name",
    ),
    (
        "TaskStep",
        "name status conclusion number started_at completed_at",
    ),
    ("ArtifactList", "total_count artifacts"),
    (
        "CodeSearchResult",
        "total_count incomplete_results items:CodeResult",
    ),
    ("CodeResult", "name path sha html_url repository:Repository"),
    (
        "IssuesSearchResult",
        "total_count incomplete_results items:Issue",
    ),
    (
        "RepositoriesSearchResult",
        "total_count incomplete_results items:Repository",
    ),
    (
        "Reactions",
        "total_count +1 -1 laugh confused heart hooray rocket eyes url",
    ),
    ("PullRequestMergeResult", "sha merged message"),
    (
        "Gist",
        "id description public owner:User files:*GistFile comments html_url git_pull_url git_push_url created_at \
        updated_at node_id",
    ),
    ("GistFile", "size filename language type raw_url content"),
];

struct Field {
    name: &'static str,
    shape: Option<&'static str>,
    kept: bool,
}

static FIELDS: LazyLock<HashMap<&'static str, Vec<Field>>> = LazyLock::new(|| {
    let field = |text: &'static str| {
        let (name, shape) = match text.split_once(':') {
            Some((name, shape)) => (name, Some(shape)),
            None => (text, None),
        };
        Field {
            name: name.trim_end_matches('!'),
            shape,
            kept: name.ends_with('!'),
        }
    };
    let fields = |(name, text): &(&'static str, &'static str)| {
        (*name, text.split_whitespace().map(field).collect())
    };
    SHAPES.iter().map(fields).collect()
});

/// Converts a response of GitHub to a structure of Go. In a list, each entry is converted.
pub(super) fn shaped(shape: &str, value: Value) -> Value {
    match value {
        Value::Array(values) => values
            .into_iter()
            .map(|value| shaped(shape, value))
            .collect(),
        Value::Object(given) if let Some(shape) = shape.strip_prefix('*') => given
            .into_iter()
            .map(|(key, value)| (key, shaped(shape, value)))
            .collect(),
        Value::Object(mut given) => {
            let mut kept = Map::new();
            for field in FIELDS.get(shape).into_iter().flatten() {
                let value = given.remove(field.name).unwrap_or(Value::Null);
                let empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
                if empty && !field.kept {
                    continue;
                }
                let value = match field.shape {
                    Some(shape) => shaped(shape, value),
                    None => value,
                };
                kept.insert(field.name.to_owned(), value);
            }
            Value::Object(kept)
        }
        other => other,
    }
}

/// Decodes bytes like Go's JSON encoder: each byte that is not part of a valid character becomes U+FFFD.
pub(super) fn text(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    text
}

/// Serialises JSON with the escapes of Go.
pub(super) fn json(value: &Value) -> String {
    let text = value.to_string();
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("\\u003c"),
            '>' => escaped.push_str("\\u003e"),
            '&' => escaped.push_str("\\u0026"),
            '\u{2028}' => escaped.push_str("\\u2028"),
            '\u{2029}' => escaped.push_str("\\u2029"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn shapes_name_each_other() {
        for fields in FIELDS.values() {
            for field in fields {
                assert!(
                    field
                        .shape
                        .is_none_or(|shape| FIELDS.contains_key(shape.trim_start_matches('*'))),
                    "{}",
                    field.name
                );
            }
        }
    }

    #[test]
    fn answers_take_the_order_of_go() {
        let given = json!({"sha": "1", "type": "commit", "url": "u", "more": 1});
        let reference =
            json!({"node_id": null, "url": "x&y", "ref": "refs/heads/<main>", "object": given});
        assert_eq!(
            super::json(&shaped("Reference", reference)),
            r#"{"ref":"refs/heads/\u003cmain\u003e","url":"x\u0026y","object":{"type":"commit","sha":"1","url":"u"}}"#
        );
        let labels = shaped("Issue", json!({"labels": [], "title": "", "body": null}));
        assert_eq!(labels, json!({"title": ""}));
    }
}
