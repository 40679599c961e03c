//! Calls on each world.

use serde_json::{Value, json};

use super::Call::{Query, Rest, Tool};
use super::{BOTH, Growth, NEW, OLD, more_worlds, query, worlds};

fn get(path: fn(usize) -> String) -> super::Call {
    Rest("GET", path, |_| Value::Null)
}

pub(super) fn all() -> Vec<Growth> {
    vec![
        issues(),
        comments(),
        pulls(),
        commits(),
        files(),
        long_file(),
        hard_lines(),
        replaced_lines(),
        bodies(),
        refs(),
        arguments(),
    ]
}

fn issues() -> Growth {
    Growth {
        name: "issues",
        size: 1_500,
        make: worlds::issues,
        calls: vec![
            Tool(BOTH, "list_issues", |_| json!({"perPage": 100})),
            Tool(
                BOTH,
                "list_issues",
                |_| json!({"labels": ["label 1"], "orderBy": "COMMENTS", "direction": "ASC"}),
            ),
            Tool(
                BOTH,
                "search_issues",
                |_| json!({"query": "text words -absent label:\"label 1\" involves:ann"}),
            ),
            Tool(
                BOTH,
                "search_issues",
                |_| json!({"query": "\"of some words that\" OR a OR text OR (more NOT code)"}),
            ),
            Tool(OLD, "get_issue", |_| json!({"issue_number": 1})),
            Tool(
                OLD,
                "update_issue",
                |_| json!({"issue_number": 1, "labels": ["other"], "milestone": 2}),
            ),
            Tool(
                NEW,
                "issue_read",
                |_| json!({"issue_number": 1, "method": "get"}),
            ),
            Tool(
                NEW,
                "issue_write",
                |_| json!({"issue_number": 1, "method": "update", "labels": ["other"]}),
            ),
            Tool(
                NEW,
                "issue_write",
                |_| json!({"method": "create", "title": "New", "body": "Text"}),
            ),
            Tool(
                BOTH,
                "add_issue_comment",
                |_| json!({"issue_number": 1, "body": "Text"}),
            ),
            Tool(OLD, "create_issue", |_| json!({"title": "New"})),
            get(|_| "/issues?state=all&per_page=100&page=3".to_owned()),
            get(|_| "/issues?labels=label%201&mentioned=ann&milestone=2".to_owned()),
            get(|_| "/issues/comments?per_page=100".to_owned()),
            get(|_| "/issues/1/timeline?per_page=100".to_owned()),
            get(|_| "/issues/events".to_owned()),
            get(|_| "/milestones?per_page=100".to_owned()),
            get(|_| "/milestones/1/labels".to_owned()),
            get(|_| "/labels".to_owned()),
            get(|_| "^/search/issues?q=text+words&sort=comments&per_page=100".to_owned()),
            get(|_| "^/user/repos".to_owned()),
            Rest(
                "PATCH",
                |_| "/labels/label%201".to_owned(),
                |_| json!({"color": "ff0000"}),
            ),
            Query(|_| {
                query("issues(first: 100) {nodes {title body labels {nodes {name}}} totalCount}")
            }),
            Query(|_| {
                query(
                    "issue(number: 1) {timelineItems(first: 100) {nodes {__typename} totalCount}}",
                )
            }),
        ],
    }
}

fn comments() -> Growth {
    Growth {
        name: "comments",
        size: 5_000,
        make: worlds::comments,
        calls: vec![
            Tool(
                OLD,
                "get_issue_comments",
                |_| json!({"issue_number": 2, "perPage": 100, "page": 9}),
            ),
            Tool(
                NEW,
                "issue_read",
                |_| json!({"issue_number": 2, "method": "get_comments", "perPage": 100}),
            ),
            Tool(
                OLD,
                "update_issue",
                |_| json!({"issue_number": 2, "title": "Other"}),
            ),
            Tool(
                BOTH,
                "add_issue_comment",
                |_| json!({"issue_number": 2, "body": "Text"}),
            ),
            Tool(
                BOTH,
                "search_issues",
                |_| json!({"query": "comment words mentions:ann"}),
            ),
            get(|_| "/issues/2/comments?per_page=100".to_owned()),
            get(|_| "/issues/comments?per_page=100&page=20".to_owned()),
            get(|_| "/issues/1/timeline".to_owned()),
            get(|_| "/issues/2/timeline?per_page=100".to_owned()),
            Query(|_| {
                query(
                    "issue(number: 2) {timelineItems(last: 100) {nodes {... on IssueComment {body}}}}",
                )
            }),
        ],
    }
}

fn pulls() -> Growth {
    Growth {
        name: "pulls",
        size: 300,
        make: worlds::pulls,
        calls: vec![
            Tool(BOTH, "list_pull_requests", |_| json!({"perPage": 100})),
            Tool(
                BOTH,
                "search_pull_requests",
                |_| json!({"query": "see -linked:issue"}),
            ),
            Tool(OLD, "get_pull_request", |_| json!({"pullNumber": 1})),
            Tool(
                NEW,
                "pull_request_read",
                |_| json!({"pullNumber": 1, "method": "get"}),
            ),
            // The branch is the base of every open pull request.
            Tool(
                BOTH,
                "push_files",
                |_| json!({"branch": "main", "message": "Fixes #7", "files": [{"path": "a.txt", "content": "a"}]}),
            ),
            get(|_| "/pulls?per_page=100".to_owned()),
            get(|_| "/commits/main/pulls".to_owned()),
            get(|_| "/pulls/comments".to_owned()),
            get(|_| "/issues/1/events".to_owned()),
            Rest(
                "POST",
                |_| "/merges".to_owned(),
                |_| json!({"base": "main", "head": "topic-@N"}),
            ),
        ],
    }
}

fn commits() -> Growth {
    Growth {
        name: "commits",
        size: 1_000,
        make: worlds::commits,
        calls: vec![
            Tool(BOTH, "list_commits", |_| json!({"perPage": 100, "page": 9})),
            Tool(BOTH, "list_commits", |_| json!({"author": "nobody"})),
            Tool(
                NEW,
                "list_commits",
                |_| json!({"path": "main.txt", "perPage": 100}),
            ),
            Tool(
                NEW,
                "search_commits",
                |_| json!({"query": "change words author:ann"}),
            ),
            Tool(BOTH, "get_commit", |_| json!({"sha": "main"})),
            Tool(OLD, "get_pull_request", |_| json!({"pullNumber": 2})),
            Tool(
                NEW,
                "pull_request_read",
                |_| json!({"pullNumber": 2, "method": "get"}),
            ),
            Tool(
                BOTH,
                "push_files",
                |_| json!({"branch": "main", "message": "Add", "files": [{"path": "a.txt", "content": "a"}]}),
            ),
            get(|_| "/commits?path=topic.txt&per_page=100".to_owned()),
            get(|_| "/commits?author=ann&per_page=100&page=9".to_owned()),
            get(|_| "/compare/main...topic".to_owned()),
            get(|_| "/compare/topic...main".to_owned()),
            get(|_| "/contributors".to_owned()),
            get(|_| "/pulls/2/commits".to_owned()),
            get(|_| "/issues/1/timeline?per_page=100".to_owned()),
            get(|_| "/issues/events?per_page=100".to_owned()),
            get(|_| "^/search/commits?q=words".to_owned()),
            Query(|_| {
                query(
                    "object(expression: \"main\") {... on Commit {blame(path: \"main.txt\") {ranges {age}}}}",
                )
            }),
        ],
    }
}

fn files() -> Growth {
    Growth {
        name: "files",
        size: 1_000,
        make: worlds::files,
        calls: vec![
            Tool(BOTH, "get_file_contents", |_| json!({"path": "src/1/"})),
            Tool(
                BOTH,
                "search_code",
                |_| json!({"query": "line theirs OR path:src extension:txt"}),
            ),
            Tool(OLD, "get_pull_request", |_| json!({"pullNumber": 1})),
            Tool(
                OLD,
                "get_pull_request_files",
                |_| json!({"pullNumber": 1, "perPage": 100}),
            ),
            Tool(OLD, "get_pull_request_diff", |_| json!({"pullNumber": 1})),
            Tool(
                NEW,
                "pull_request_read",
                |_| json!({"pullNumber": 1, "method": "get_diff"}),
            ),
            Tool(
                NEW,
                "pull_request_read",
                |_| json!({"pullNumber": 1, "method": "get"}),
            ),
            Tool(
                BOTH,
                "get_commit",
                |_| json!({"sha": "topic", "perPage": 100}),
            ),
            Tool(BOTH, "create_branch", |_| json!({"branch": "new-@N"})),
            get(|_| "/git/trees/main?recursive=1".to_owned()),
            get(|_| "/languages".to_owned()),
            get(|_| "/compare/main...topic".to_owned()),
            get(|_| "/pulls/1/files?per_page=100".to_owned()),
            get(|_| "/contents/src/1".to_owned()),
            Rest(
                "PUT",
                |_| "/contents/src/1/new-@N.txt".to_owned(),
                |_| json!({"message": "Add", "content": "YQ=="}),
            ),
        ],
    }
}

fn long_file() -> Growth {
    Growth {
        name: "long_file",
        size: 10_000,
        make: worlds::long_file,
        calls: vec![
            Tool(BOTH, "get_file_contents", |_| json!({"path": "long.txt"})),
            Tool(BOTH, "get_commit", |_| json!({"sha": "topic"})),
            Tool(OLD, "get_pull_request", |_| json!({"pullNumber": 1})),
            Tool(OLD, "get_pull_request_diff", |_| json!({"pullNumber": 1})),
            Tool(
                OLD,
                "get_pull_request_review_comments",
                |_| json!({"pullNumber": 1}),
            ),
            Tool(
                NEW,
                "pull_request_read",
                |_| json!({"pullNumber": 1, "method": "get_review_comments"}),
            ),
            get(|_| "/pulls/1/comments?per_page=100".to_owned()),
            get(|_| "/contents/long.txt".to_owned()),
            Query(|_| {
                query(
                    "object(expression: \"main\") {... on Commit {blame(path: \"long.txt\") {ranges {age}}}}",
                )
            }),
        ],
    }
}

/// Compares fewer lines than the limit up to which the shortest diff is searched for.
fn hard_lines() -> Growth {
    Growth {
        name: "hard_lines",
        size: 40_000,
        make: worlds::hard_lines,
        calls: vec![get(|_| "/compare/main...topic".to_owned())],
    }
}

/// Grows the texts of issues and comments.
fn bodies() -> Growth {
    Growth {
        name: "bodies",
        size: 1_000,
        make: more_worlds::bodies,
        calls: vec![
            Tool(BOTH, "list_issues", |_| json!({"perPage": 100})),
            Tool(
                BOTH,
                "search_issues",
                |_| json!({"query": "words -absent mentions:ann"}),
            ),
            Tool(
                OLD,
                "get_issue_comments",
                |_| json!({"issue_number": 2, "perPage": 100}),
            ),
            Tool(
                NEW,
                "issue_read",
                |_| json!({"issue_number": 2, "method": "get_comments", "perPage": 100}),
            ),
            Tool(
                BOTH,
                "add_issue_comment",
                |size| json!({"issue_number": 1, "body": more_worlds::body(size)}),
            ),
            Tool(
                OLD,
                "create_issue",
                |size| json!({"title": "New", "body": more_worlds::body(size)}),
            ),
            get(|_| "/issues/1/timeline?per_page=100".to_owned()),
            get(|_| "/issues/comments?per_page=100".to_owned()),
        ],
    }
}

fn replaced_lines() -> Growth {
    Growth {
        name: "replaced_lines",
        // Exceeds the number of lines up to which the shortest diff is searched for.
        size: 500_000,
        make: worlds::hard_lines,
        calls: vec![get(|_| "/compare/main...topic".to_owned())],
    }
}

fn refs() -> Growth {
    Growth {
        name: "refs",
        size: 3_000,
        make: worlds::refs,
        calls: vec![
            Tool(
                BOTH,
                "list_branches",
                |_| json!({"perPage": 100, "page": 5}),
            ),
            Tool(BOTH, "list_tags", |_| json!({"perPage": 100})),
            Tool(
                BOTH,
                "push_files",
                |_| json!({"branch": "main", "message": "Add", "files": [{"path": "a.txt", "content": "a"}]}),
            ),
            get(|_| "/branches?per_page=100".to_owned()),
            get(|_| "/tags?per_page=100".to_owned()),
            get(|_| "/git/matching-refs/heads".to_owned()),
            get(|_| "/commits/main/branches-where-head".to_owned()),
            get(|_| "/issues/events".to_owned()),
        ],
    }
}

/// Grows the arguments of the calls.
fn arguments() -> Growth {
    fn files(size: usize) -> Value {
        // Files in reverse order, all in one directory.
        let file =
            |number: usize| json!({"path": format!("dir/{:06}", size - number), "content": "x"});
        (0..size).map(file).collect()
    }
    Growth {
        name: "arguments",
        size: 3_000,
        make: worlds::small,
        calls: vec![
            Tool(
                BOTH,
                "push_files",
                |size| json!({"branch": "topic", "message": "Add", "files": files(size)}),
            ),
            Tool(BOTH, "push_files", |size| {
                let path = |number: usize| {
                    format!(
                        "{}/f",
                        (0..20)
                            .map(|at| format!("{}/", number >> at & 1))
                            .collect::<String>()
                    )
                };
                let file =
                    |number| json!({"path": path(number).replace("//", "/"), "content": "x"});
                let files: Value = (0..size / 4).map(file).collect();
                json!({"branch": "topic", "message": "Add", "files": files})
            }),
            // A message with many code spans in one paragraph and many mentions.
            Tool(BOTH, "push_files", |size| {
                let message = "`a` #1 ``b`` (#2 ".repeat(10 * size);
                json!({"branch": "main", "message": message, "files": [{"path": "a.txt", "content": size.to_string()}]})
            }),
            Tool(OLD, "update_issue", |size| {
                let labels: Value = (0..2 * size)
                    .map(|number| format!("new {number}"))
                    .collect();
                json!({"issue_number": 1, "labels": labels})
            }),
            Tool(NEW, "issue_write", |size| {
                let labels: Value = (0..2 * size)
                    .map(|number| format!("new {number}"))
                    .collect();
                json!({"issue_number": 1, "method": "update", "labels": labels})
            }),
            Tool(
                OLD,
                "update_issue",
                |size| json!({"issue_number": 1, "assignees": vec!["ann"; 100 * size]}),
            ),
            Tool(BOTH, "list_issues", |size| {
                let labels: Value = (0..30 * size)
                    .map(|number| format!("new {number}"))
                    .collect();
                json!({"labels": labels})
            }),
            Tool(
                BOTH,
                "search_issues",
                |size| json!({"query": format!("word {}", "is:open OR no:label ".repeat(size / 20))}),
            ),
            Tool(
                BOTH,
                "create_or_update_file",
                |size| json!({"path": "b-@N.txt", "content": "line\n".repeat(200 * size), "message": "Add", "branch": "topic"}),
            ),
            Rest(
                "POST",
                |_| "/git/blobs".to_owned(),
                |size| json!({"content": "eHh4".repeat(100 * size), "encoding": "base64"}),
            ),
            Query(|size| {
                let issue = |at: usize| format!("a{at}: issue(number: 1) {{title body}} ");
                query(&(0..size / 12).map(issue).collect::<String>())
            }),
        ],
    }
}
