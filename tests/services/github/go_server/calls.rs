//! Calls of both servers.

use serde_json::{Value, json};

/// Tool with its arguments, to which `owner` and `repo` are added.
pub(super) type Call = (&'static str, Value);

/// Returns calls of the tools that every world has.
pub(super) fn of_the_default() -> Vec<Call> {
    vec![
        ("get_me", json!({})),
        ("get_teams", json!({})),
        ("get_teams", json!({"user": "bo"})),
        ("get_teams", json!({"user": "nobody"})),
        ("get_teams", json!({"user": "acme"})),
        (
            "get_team_members",
            json!({"org": "acme", "team_slug": "core"}),
        ),
        (
            "get_team_members",
            json!({"org": "bo", "team_slug": "core"}),
        ),
        ("get_file_contents", json!({"path": "README.md"})),
        ("get_file_contents", json!({"path": "README.md/"})),
        (
            "get_file_contents",
            json!({"path": "docs/", "ref": "refs/tags/v1"}),
        ),
        (
            "get_file_contents",
            json!({"path": "lib.rs", "ref": "refs/heads/main"}),
        ),
        (
            "get_file_contents",
            json!({"path": "README.md", "ref": "refs/heads/none"}),
        ),
        ("get_file_contents", json!({"path": "none/at/all.txt"})),
        ("get_file_contents", json!({"path": "rc/"})),
        (
            "get_file_contents",
            json!({"path": "README.md", "sha": "feature"}),
        ),
        (
            "get_file_contents",
            json!({"path": "README.md", "ref": "main", "sha": "feature"}),
        ),
        (
            "get_file_contents",
            json!({"path": "src/three.rs", "sha": "feature"}),
        ),
        (
            "get_file_contents",
            json!({"path": "docs/moved.txt", "sha": "feature"}),
        ),
        (
            "get_file_contents",
            json!({"path": "src/", "sha": "feature"}),
        ),
        (
            "get_file_contents",
            json!({"path": "rc/", "sha": "feature"}),
        ),
        (
            "get_file_contents",
            json!({"path": "README.md", "sha": "0".repeat(40)}),
        ),
        ("list_branches", json!({})),
        ("list_branches", json!({"page": 2, "perPage": 2})),
        ("list_tags", json!({})),
        ("get_tag", json!({"tag": "v1"})),
        ("get_tag", json!({"tag": "none"})),
        ("list_commits", json!({})),
        (
            "list_commits",
            json!({"sha": "feature", "perPage": 2, "page": 2}),
        ),
        ("list_commits", json!({"author": "bo"})),
        ("list_commits", json!({"sha": "none"})),
        ("get_commit", json!({"sha": "v1"})),
        ("get_commit", json!({"sha": "none"})),
        ("list_releases", json!({})),
        ("get_latest_release", json!({})),
        ("search_repositories", json!({"query": "demo"})),
        ("search_code", json!({"query": "two repo:acme/demo"})),
        ("search_users", json!({"query": "bo"})),
        ("search_orgs", json!({"query": "acme"})),
        ("search_issues", json!({"query": "three"})),
        (
            "search_pull_requests",
            json!({"query": "two", "owner": "acme", "repo": "demo"}),
        ),
        ("get_issue", json!({"issue_number": 2})),
        ("get_issue", json!({"issue_number": 99})),
        ("get_issue", json!({"issue_number": "2"})),
        ("get_issue", json!({})),
        ("get_issue", json!({"issue_number": 2, "repo": "other"})),
        ("get_issue_comments", json!({"issue_number": 2})),
        ("list_issues", json!({})),
        (
            "list_issues",
            json!({"state": "OPEN", "labels": ["bug"], "orderBy": "UPDATED_AT", "direction": "ASC"}),
        ),
        ("list_issues", json!({"perPage": 1})),
        ("list_issues", json!({"since": "2024-01-20"})),
        ("list_issues", json!({"repo": "other"})),
        ("list_issues", json!({"after": "nonsense"})),
        (
            "create_issue",
            json!({"title": "More", "body": "a <b> & c", "labels": ["bug", "new"], "assignees": ["bo"], "milestone": 1}),
        ),
        (
            "create_issue",
            json!({"title": "x", "assignees": ["nobody"]}),
        ),
        ("get_issue", json!({"issue_number": 4})),
        (
            "add_issue_comment",
            json!({"issue_number": 4, "body": "Hm."}),
        ),
        (
            "update_issue",
            json!({"issue_number": 4, "title": "More of it", "labels": ["new"]}),
        ),
        (
            "add_sub_issue",
            json!({"issue_number": 2, "sub_issue_id": 3_000_000_004_u64}),
        ),
        (
            "add_sub_issue",
            json!({"issue_number": 2, "sub_issue_id": 3_000_000_004_u64}),
        ),
        (
            "add_sub_issue",
            json!({"issue_number": 2, "sub_issue_id": 3_000_000_001_u64}),
        ),
        ("list_sub_issues", json!({"issue_number": 2})),
        (
            "reprioritize_sub_issue",
            json!({"issue_number": 2, "sub_issue_id": 3_000_000_001_u64, "before_id": 3_000_000_004_u64}),
        ),
        (
            "remove_sub_issue",
            json!({"issue_number": 2, "sub_issue_id": 3_000_000_001_u64}),
        ),
        ("create_branch", json!({"branch": "work/five"})),
        ("create_branch", json!({"branch": "work/five"})),
        (
            "create_branch",
            json!({"branch": "from-none", "from_branch": "none"}),
        ),
        (
            "create_or_update_file",
            json!({"path": "five.txt", "content": "5\n", "message": "Five", "branch": "work/five"}),
        ),
        (
            "create_or_update_file",
            json!({"path": "five.txt", "content": "6\n", "message": "Six", "branch": "work/five"}),
        ),
        (
            "create_or_update_file",
            json!({"path": "five.txt", "content": "6\n", "message": "Six", "branch": "work/five", "sha": "0".repeat(40)}),
        ),
        (
            "push_files",
            json!({"branch": "work/five", "message": "Push", "files": [{"path": "a.txt", "content": "a"}, {"path": "b/c.txt", "content": "c"}, {"path": "b/d (é).txt", "content": "d"}]}),
        ),
        (
            "get_file_contents",
            json!({"path": "b/d (é).txt", "ref": "work/five"}),
        ),
        (
            "push_files",
            json!({"branch": "none", "message": "Push", "files": []}),
        ),
        (
            "delete_file",
            json!({"path": "a.txt", "branch": "work/five", "message": "Drop"}),
        ),
        (
            "create_pull_request",
            json!({"title": "Five", "head": "work/five", "base": "main", "body": "Closes #4", "draft": true}),
        ),
        (
            "create_pull_request",
            json!({"title": "Five", "head": "work/five", "base": "main"}),
        ),
        (
            "create_pull_request",
            json!({"title": "Five", "head": "none", "base": "main"}),
        ),
        ("get_pull_request", json!({"pullNumber": 5})),
        (
            "update_pull_request",
            json!({"pullNumber": 5, "draft": false, "title": "Five and more"}),
        ),
        ("update_pull_request", json!({"pullNumber": 5})),
        (
            "list_pull_requests",
            json!({"state": "all", "sort": "updated", "direction": "desc"}),
        ),
        ("list_pull_requests", json!({"head": "acme:work/five"})),
        ("get_pull_request_files", json!({"pullNumber": 5})),
        ("get_pull_request_diff", json!({"pullNumber": 5})),
        ("get_pull_request_status", json!({"pullNumber": 5})),
        (
            "get_pull_request",
            json!({"pullNumber": 3, "repo": "other"}),
        ),
        (
            "create_pending_pull_request_review",
            json!({"pullNumber": 3}),
        ),
        (
            "create_pending_pull_request_review",
            json!({"pullNumber": 3}),
        ),
        (
            "add_comment_to_pending_review",
            json!({"pullNumber": 3, "path": "src/lib.rs", "body": "Why?", "line": 5, "side": "RIGHT", "subjectType": "LINE"}),
        ),
        (
            "add_comment_to_pending_review",
            json!({"pullNumber": 3, "path": "none.rs", "body": "Why?", "line": 5, "subjectType": "LINE"}),
        ),
        (
            "submit_pending_pull_request_review",
            json!({"pullNumber": 3, "event": "REQUEST_CHANGES", "body": "Please"}),
        ),
        (
            "delete_pending_pull_request_review",
            json!({"pullNumber": 3}),
        ),
        (
            "create_and_submit_pull_request_review",
            json!({"pullNumber": 5, "event": "APPROVE", "body": "x"}),
        ),
        (
            "create_and_submit_pull_request_review",
            json!({"pullNumber": 3, "event": "APPROVE", "body": "Good"}),
        ),
        ("get_pull_request_reviews", json!({"pullNumber": 3})),
        ("get_pull_request_review_comments", json!({"pullNumber": 3})),
        ("update_pull_request_branch", json!({"pullNumber": 5})),
        ("merge_pull_request", json!({"pullNumber": 3})),
        (
            "merge_pull_request",
            json!({"pullNumber": 5, "merge_method": "squash", "commit_title": "Five (#5)"}),
        ),
        ("merge_pull_request", json!({"pullNumber": 5})),
        ("get_pull_request", json!({"pullNumber": 5})),
        ("get_issue", json!({"issue_number": 4})),
        ("create_issue", json!({"title": "Without a text"})),
        ("get_issue", json!({"issue_number": 6})),
        (
            "get_pull_request_diff",
            json!({"repo": null, "pullNumber": 3}),
        ),
        ("get_pull_request_diff", json!({"pullNumber": [3]})),
        (
            "create_and_submit_pull_request_review",
            json!({"pullNumber": true, "event": 1, "body": []}),
        ),
        (
            "submit_pending_pull_request_review",
            json!({"pullNumber": -1, "event": "COMMENT"}),
        ),
        (
            "add_comment_to_pending_review",
            json!({"pullNumber": 3, "path": {}, "line": "x", "startLine": [1]}),
        ),
        (
            "list_commits",
            json!({"sha": "nöne", "author": "RIGHT", "page": -1, "perPage": 1000}),
        ),
        (
            "list_pull_requests",
            json!({"repo": "other", "state": "all", "head": "a:b c", "base": "ü"}),
        ),
        (
            "get_file_contents",
            json!({"path": "ü/a b(1).txt", "ref": "refs/heads/main"}),
        ),
        ("get_file_contents", json!({"path": "a(1).txt"})),
        ("get_commit", json!({"sha": "a b", "page": -1})),
        ("get_tag", json!({"tag": "a,b ü"})),
        ("get_tag", json!({"owner": "a/./b", "tag": "v1"})),
        (
            "create_or_update_file",
            json!({"path": "a/./b c", "content": "x", "message": "m", "branch": "feature"}),
        ),
        (
            "create_or_update_file",
            json!({"path": "../x", "content": "x", "message": "m", "branch": "feature"}),
        ),
        (
            "create_or_update_file",
            json!({"path": "50% (ü).txt", "content": "x", "message": "m", "branch": "feature"}),
        ),
        (
            "create_or_update_file",
            json!({"path": "50%25 (ü).txt", "content": "x", "message": "m", "branch": "none"}),
        ),
        (
            "push_files",
            json!({"branch": "feature", "message": "m", "files": []}),
        ),
        ("list_issues", json!({"direction": "get"})),
        ("list_issues", json!({"orderBy": "get"})),
        ("search_issues", json!({"query": "repo:acme/other"})),
        (
            "update_pull_request",
            json!({"pullNumber": 3, "state": "closed", "base": "bob"}),
        ),
        ("create_repository", json!({"name": "new"})),
        ("fork_repository", json!({})),
    ]
}

/// Returns calls of the workflow tools.
pub(super) fn of_workflows() -> Vec<Call> {
    // Ids of the first run and the first job of a world.
    let (run, job) = (18_000_000_001_u64, 52_000_000_001_u64);
    let push = |text: &str| {
        let files = json!([{"path": "numbers.txt", "content": text}]);
        json!({"branch": "topic", "message": "Change", "files": files})
    };
    vec![
        ("list_workflows", json!({})),
        ("list_workflow_runs", json!({"workflow_id": "check.yml"})),
        ("create_branch", json!({"branch": "topic"})),
        ("push_files", push("1\nx\n")),
        (
            "list_workflow_runs",
            json!({"workflow_id": "check.yml", "branch": "topic", "event": "push", "perPage": 1, "page": 2}),
        ),
        ("list_workflow_runs", json!({"workflow_id": "none.yml"})),
        ("list_workflow_runs", json!({})),
        ("get_workflow_run", json!({"run_id": run + 1})),
        ("get_workflow_run", json!({"run_id": 7})),
        ("list_workflow_jobs", json!({"run_id": run + 1})),
        ("list_workflow_jobs", json!({"run_id": 7})),
        (
            "get_job_logs",
            json!({"job_id": job + 2, "return_content": true}),
        ),
        (
            "get_job_logs",
            json!({"job_id": job + 2, "return_content": true, "tail_lines": 2}),
        ),
        (
            "get_job_logs",
            json!({"run_id": run + 1, "failed_only": true, "return_content": true}),
        ),
        ("get_job_logs", json!({"run_id": run, "failed_only": true})),
        ("get_job_logs", json!({"job_id": 7})),
        ("get_job_logs", json!({"run_id": run})),
        ("get_workflow_run_usage", json!({"run_id": run})),
        ("list_workflow_run_artifacts", json!({"run_id": run})),
        ("download_workflow_run_artifact", json!({"artifact_id": 3})),
        ("rerun_workflow_run", json!({"run_id": run + 1})),
        ("rerun_failed_jobs", json!({"run_id": run + 1})),
        ("rerun_failed_jobs", json!({"run_id": run})),
        ("rerun_workflow_run", json!({"run_id": 7})),
        (
            "list_workflow_jobs",
            json!({"run_id": run + 1, "filter": "all"}),
        ),
        ("cancel_workflow_run", json!({"run_id": run})),
        (
            "run_workflow",
            json!({"workflow_id": "check.yml", "ref": "topic"}),
        ),
        (
            "run_workflow",
            json!({"workflow_id": "check.yml", "ref": "none"}),
        ),
        ("delete_workflow_run_logs", json!({"run_id": run})),
        (
            "get_job_logs",
            json!({"job_id": job, "return_content": true}),
        ),
        (
            "create_pull_request",
            json!({"title": "Change", "head": "topic", "base": "main", "body": "b"}),
        ),
        ("get_pull_request_status", json!({"pullNumber": 1})),
        ("merge_pull_request", json!({"pullNumber": 1})),
        ("list_workflow_runs", json!({"workflow_id": "check.yml"})),
    ]
}

/// Returns calls of the gist tools.
pub(super) fn of_gists() -> Vec<Call> {
    vec![
        ("list_gists", json!({})),
        ("list_gists", json!({"username": "bo"})),
        ("list_gists", json!({"username": "acme"})),
        ("list_gists", json!({"username": "nobody"})),
        ("list_gists", json!({"since": "2024-02-20T00:00:00Z"})),
        ("list_gists", json!({"since": "2024-02-20"})),
        ("list_gists", json!({"since": "soon"})),
        ("list_gists", json!({"perPage": 1, "page": 2})),
        ("list_gists", json!({"perPage": 1, "page": 9})),
        ("list_gists", json!({"perPage": "1"})),
        ("get_me", json!({})),
    ]
}
