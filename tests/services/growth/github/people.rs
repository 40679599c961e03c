//! Accounts, releases, gists, labels, sub-issues, and calls that are always refused.

use serde_json::{Value, json};

use super::Call::{Refused, Rest, Steps, Tool};
use super::{BOTH, Growth, NEW, OLD, more_worlds};

pub(super) fn all() -> Vec<Growth> {
    vec![users(), releases(), gists(), parts(), refusals()]
}

fn users() -> Growth {
    Growth {
        name: "users",
        size: 1_000,
        make: more_worlds::users,
        calls: vec![
            Tool(BOTH, "get_me", |_| json!({})),
            Tool(BOTH, "get_teams", |_| json!({"user": "user-1"})),
            Tool(
                BOTH,
                "get_team_members",
                |_| json!({"org": "acme", "team_slug": "all"}),
            ),
            Tool(
                BOTH,
                "search_users",
                |_| json!({"query": "user in:login", "perPage": 100}),
            ),
            Tool(
                OLD,
                "search_orgs",
                |_| json!({"query": "acme", "perPage": 100}),
            ),
            Tool(
                NEW,
                "list_repository_collaborators",
                |_| json!({"perPage": 100, "page": 2}),
            ),
            Tool(
                OLD,
                "update_issue",
                |_| json!({"issue_number": 1, "assignees": ["user-2"]}),
            ),
            Tool(
                NEW,
                "issue_write",
                |_| json!({"issue_number": 1, "method": "update", "assignees": ["user-2"]}),
            ),
            Rest(
                "GET",
                |_| "/collaborators?per_page=100".to_owned(),
                |_| Value::Null,
            ),
            Rest(
                "GET",
                |_| "/assignees?per_page=100".to_owned(),
                |_| Value::Null,
            ),
            Rest(
                "GET",
                |_| "^/search/users?q=user".to_owned(),
                |_| Value::Null,
            ),
        ],
    }
}

fn releases() -> Growth {
    Growth {
        name: "releases",
        size: 1_500,
        make: more_worlds::releases,
        calls: vec![
            Tool(
                BOTH,
                "list_releases",
                |_| json!({"perPage": 100, "page": 2}),
            ),
            Tool(BOTH, "get_latest_release", |_| json!({})),
            Tool(BOTH, "get_release_by_tag", |_| json!({"tag": "v7"})),
            Tool(BOTH, "get_tag", |_| json!({"tag": "noted"})),
            Tool(BOTH, "list_tags", |_| json!({"perPage": 100, "page": 2})),
        ],
    }
}

fn gists() -> Growth {
    Growth {
        name: "gists",
        size: 1_500,
        make: more_worlds::gists,
        calls: vec![
            Tool(BOTH, "list_gists", |_| json!({"perPage": 100, "page": 2})),
            Tool(
                NEW,
                "get_gist",
                |_| json!({"gist_id": format!("{:032x}", 7)}),
            ),
        ],
    }
}

/// Returns the id of an issue.
fn id(number: usize) -> u64 {
    3_000_000_000 + number as u64
}

fn parts() -> Growth {
    fn place(after: usize) -> Value {
        json!({"method": "reprioritize", "issue_number": 1, "sub_issue_id": id(3), "after_id": id(after)})
    }
    Growth {
        name: "parts",
        size: 1_500,
        make: more_worlds::parts,
        calls: vec![
            Tool(
                OLD,
                "list_sub_issues",
                |_| json!({"issue_number": 1, "per_page": 100}),
            ),
            // The last issue is at the end of a long chain of sub-issues.
            Steps(OLD, |size| {
                let with = |child| json!({"issue_number": size, "sub_issue_id": id(child)});
                vec![("add_sub_issue", with(2)), ("remove_sub_issue", with(2))]
            }),
            Steps(NEW, |size| {
                let with =
                    |method| json!({"method": method, "issue_number": size, "sub_issue_id": id(2)});
                vec![
                    ("sub_issue_write", with("add")),
                    ("sub_issue_write", with("remove")),
                ]
            }),
            Steps(OLD, |_| {
                vec![
                    ("reprioritize_sub_issue", place(4)),
                    ("reprioritize_sub_issue", place(5)),
                ]
            }),
            Steps(NEW, |_| {
                vec![("sub_issue_write", place(4)), ("sub_issue_write", place(5))]
            }),
            Tool(
                NEW,
                "issue_read",
                |_| json!({"issue_number": 1, "method": "get_sub_issues"}),
            ),
            Tool(
                NEW,
                "issue_read",
                |size| json!({"issue_number": size, "method": "get_parent"}),
            ),
            Tool(NEW, "get_label", |_| json!({"name": "label 1"})),
            Tool(BOTH, "list_issue_types", |_| json!({})),
            Tool(NEW, "list_issue_fields", |_| json!({})),
        ],
    }
}

/// Calls that no world allows, with long arguments.
fn refusals() -> Growth {
    fn text(size: usize) -> String {
        "text ".repeat(200 * size)
    }
    Growth {
        name: "refusals",
        size: 3_000,
        make: super::worlds::small,
        calls: vec![
            Refused(
                BOTH,
                "create_repository",
                |size| json!({"name": text(size)}),
            ),
            Refused(
                BOTH,
                "fork_repository",
                |size| json!({"organization": text(size)}),
            ),
            Refused(NEW, "delete_repository", |size| json!({"more": text(size)})),
            Refused(
                OLD,
                "assign_copilot_to_issue",
                |size| json!({"issueNumber": 1, "more": text(size)}),
            ),
            Refused(
                NEW,
                "assign_copilot_to_issue",
                |size| json!({"issue_number": 1, "custom_instructions": text(size)}),
            ),
            Refused(
                BOTH,
                "request_copilot_review",
                |size| json!({"pullNumber": 2, "more": text(size)}),
            ),
            Refused(
                BOTH,
                "search_repositories",
                |size| json!({"query": text(size)}),
            ),
            Tool(
                BOTH,
                "search_repositories",
                |size| json!({"query": "demo", "more": text(size)}),
            ),
            Refused(OLD, "create_issue", |size| json!({"title": text(size)})),
            Refused(
                BOTH,
                "add_issue_comment",
                |size| json!({"issue_number": 1, "body": text(size)}),
            ),
        ],
    }
}
