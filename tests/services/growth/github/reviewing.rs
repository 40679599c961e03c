//! Reviews, comments on lines, and merges.

use serde_json::{Value, json};

use super::Call::{Rest, Steps, Tool};
use super::{BOTH, Growth, NEW, OLD, Step, more_worlds, worlds};

pub(super) fn all() -> Vec<Growth> {
    vec![
        reviews(),
        comments_and_lines(),
        kept_hunks(),
        merges(),
        merges_of_files(),
        opening(),
    ]
}

/// Pull request with a growing number of reviews and comments on its lines.
fn reviews() -> Growth {
    Growth {
        name: "reviews",
        size: 1_000,
        make: more_worlds::reviews,
        calls: on_lines(),
    }
}

/// The hunk and its comments grow together, but the displayed and stored part of the hunk is bounded.
fn comments_and_lines() -> Growth {
    Growth {
        name: "comments_and_lines",
        size: 1_000,
        make: more_worlds::comments_and_lines,
        calls: on_lines(),
    }
}

const REVIEWER: u64 = 2_100_000_001;

fn on_lines() -> Vec<super::Call> {
    fn comment() -> Step {
        let comment = json!({"pullNumber": 1, "path": "long.txt", "body": "Why?", "subjectType": "LINE", "line": 9, "side": "RIGHT"});
        ("add_comment_to_pending_review", comment)
    }
    fn write(method: &str, event: &str) -> Step {
        let with = json!({"pullNumber": 1, "method": method, "event": event, "body": "Text"});
        ("pull_request_review_write", with)
    }
    vec![
        Tool(
            OLD,
            "get_pull_request_reviews",
            |_| json!({"pullNumber": 1}),
        ),
        Tool(
            OLD,
            "get_pull_request_review_comments",
            |_| json!({"pullNumber": 1}),
        ),
        Tool(OLD, "get_pull_request_status", |_| json!({"pullNumber": 1})),
        Tool(
            NEW,
            "pull_request_read",
            |_| json!({"pullNumber": 1, "method": "get_reviews", "perPage": 100}),
        ),
        Tool(
            NEW,
            "pull_request_read",
            |_| json!({"pullNumber": 1, "method": "get_review_comments", "perPage": 100}),
        ),
        Steps(OLD, |_| {
            vec![
                (
                    "create_pending_pull_request_review",
                    json!({"pullNumber": 1}),
                ),
                comment(),
                (
                    "delete_pending_pull_request_review",
                    json!({"pullNumber": 1}),
                ),
            ]
        }),
        Steps(OLD, |_| {
            vec![
                (
                    "create_pending_pull_request_review",
                    json!({"pullNumber": 1}),
                ),
                comment(),
                (
                    "submit_pending_pull_request_review",
                    json!({"pullNumber": 1, "event": "COMMENT", "body": "Text"}),
                ),
            ]
        }),
        Tool(
            OLD,
            "create_and_submit_pull_request_review",
            |_| json!({"pullNumber": 1, "event": "COMMENT", "body": "Text"}),
        ),
        Steps(NEW, |_| {
            vec![write("create", ""), comment(), write("delete_pending", "")]
        }),
        Steps(NEW, |_| {
            vec![
                write("create", ""),
                comment(),
                write("submit_pending", "COMMENT"),
            ]
        }),
        Tool(
            NEW,
            "add_reply_to_pull_request_comment",
            |_| json!({"pullNumber": 1, "commentId": REVIEWER, "body": "So"}),
        ),
        // A change of the base stores the hunks of the comments, and they stay stored.
        Steps(BOTH, |_| {
            let base = |base: &str| json!({"pullNumber": 1, "base": base});
            vec![
                ("update_pull_request", base("other")),
                ("update_pull_request", base("main")),
            ]
        }),
        Tool(
            BOTH,
            "update_pull_request",
            |_| json!({"pullNumber": 1, "title": "Other", "body": "Text"}),
        ),
        Rest(
            "GET",
            |_| "/pulls/1/comments?per_page=100&page=5".to_owned(),
            |_| Value::Null,
        ),
        Rest(
            "GET",
            |_| "/pulls/1/reviews?per_page=100".to_owned(),
            |_| Value::Null,
        ),
        Rest(
            "GET",
            |_| "/issues/1/timeline?per_page=100".to_owned(),
            |_| Value::Null,
        ),
    ]
}

/// Changes the base of another pull request in each repetition, which stores the hunks of its comments.
fn kept_hunks() -> Growth {
    Growth {
        name: "kept_hunks",
        size: 100,
        make: more_worlds::commented_pulls,
        calls: vec![Tool(
            BOTH,
            "update_pull_request",
            |_| json!({"pullNumber": "@N+0", "base": "other"}),
        )],
    }
}

/// Merges in a world with a growing number of pull requests.
fn merges() -> Growth {
    Growth {
        name: "merges",
        size: 200,
        make: worlds::pulls,
        calls: vec![
            // The number of the repetition is the number of the pull request.
            Steps(BOTH, |_| {
                let at = json!({"pullNumber": "@N+0"});
                let mut merge = at.clone();
                merge["commit_message"] = "Text".into();
                vec![
                    ("update_pull_request_branch", at),
                    ("merge_pull_request", merge),
                ]
            }),
        ],
    }
}

/// Merges one branch into a new branch in each repetition.
fn merges_of_files() -> Growth {
    Growth {
        name: "merges_of_files",
        size: 600,
        make: worlds::files,
        calls: vec![
            // A new pull request gets the next number.
            Steps(BOTH, |_| {
                let pull = json!({"title": "Change", "head": "topic", "base": "merged-@N"});
                vec![
                    (
                        "create_branch",
                        json!({"branch": "merged-@N", "from_branch": "main"}),
                    ),
                    ("create_pull_request", pull),
                    (
                        "merge_pull_request",
                        json!({"pullNumber": "@N+1", "merge_method": "squash"}),
                    ),
                ]
            }),
            Steps(BOTH, |size| {
                let path = format!("src/0/{}.txt", 4 * (size / 8));
                vec![
                    (
                        "create_branch",
                        json!({"branch": "less-@N", "from_branch": "main"}),
                    ),
                    (
                        "delete_file",
                        json!({"branch": "less-@N", "path": path, "message": "Away"}),
                    ),
                ]
            }),
        ],
    }
}

/// Opens pull requests with long texts.
fn opening() -> Growth {
    Growth {
        name: "opening",
        size: 200,
        make: worlds::small,
        calls: vec![Steps(BOTH, |size| {
            let text = "text #1 `code` ".repeat(10 * size);
            vec![
                (
                    "create_branch",
                    json!({"branch": "base-@N", "from_branch": "main"}),
                ),
                (
                    "create_pull_request",
                    json!({"title": "Change", "head": "topic", "base": "base-@N", "body": text}),
                ),
            ]
        })],
    }
}
