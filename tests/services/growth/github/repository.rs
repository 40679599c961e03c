//! REST routes of the repository: archives, patches, statuses and comments of commits, release notes, branch names, and
//! git objects.

use serde_json::{Value, json};

use super::Call::{Media, Rest, Tool};
use super::{Growth, NEW, OLD, more_worlds, worlds};

fn get(path: fn(usize) -> String) -> super::Call {
    Rest("GET", path, |_| Value::Null)
}

pub(super) fn all() -> Vec<Growth> {
    vec![
        archives_of_files(),
        archives_of_bytes(),
        patches(),
        remarks(),
        notes(),
        names(),
        objects(),
    ]
}

fn archives() -> Vec<super::Call> {
    vec![
        get(|_| "/tarball/main".to_owned()),
        get(|_| "/zipball/main".to_owned()),
        get(|_| "^/raw/acme/demo/legacy.tar.gz/main".to_owned()),
        get(|_| "^/raw/acme/demo/legacy.zip/main".to_owned()),
    ]
}

fn archives_of_files() -> Growth {
    Growth {
        name: "archives_of_files",
        size: 1_000,
        make: worlds::files,
        calls: archives(),
    }
}

fn archives_of_bytes() -> Growth {
    Growth {
        name: "archives_of_bytes",
        size: 100_000,
        make: more_worlds::lines_of_one_file,
        calls: archives(),
    }
}

fn patches() -> Growth {
    Growth {
        name: "patches",
        size: 500,
        make: worlds::commits,
        calls: vec![
            Media("patch", |_| "/compare/topic...main".to_owned()),
            Media("diff", |_| "/compare/topic...main".to_owned()),
            Media("patch", |_| "/pulls/2".to_owned()),
            Media("diff", |_| "/pulls/2".to_owned()),
            Media("patch", |_| "/commits/main".to_owned()),
            Media("sha", |_| "/commits/main".to_owned()),
        ],
    }
}

/// Route of the first comment on a commit.
const COMMENT: &str = "/comments/140000001";

/// Statuses and comments on the head of a pull request, and comments on other commits.
fn remarks() -> Growth {
    Growth {
        name: "remarks",
        size: 1_500,
        make: more_worlds::remarks,
        calls: vec![
            get(|_| "/commits/topic/comments?per_page=100&page=9".to_owned()),
            get(|_| "/comments?per_page=100&page=9".to_owned()),
            get(|_| COMMENT.to_owned()),
            get(|_| "/commits/topic/status".to_owned()),
            get(|_| "/commits/topic/statuses?per_page=100&page=9".to_owned()),
            get(|_| "/statuses/topic?per_page=100".to_owned()),
            get(|_| "/commits?sha=topic".to_owned()),
            get(|_| "/pulls/2".to_owned()),
            Tool(OLD, "get_pull_request_status", |_| json!({"pullNumber": 2})),
            Tool(
                NEW,
                "pull_request_read",
                |_| json!({"pullNumber": 2, "method": "get_status"}),
            ),
            Rest(
                "POST",
                |_| "/statuses/topic".to_owned(),
                |_| json!({"state": "success", "context": "new @N", "description": "Text"}),
            ),
            Rest(
                "POST",
                |_| "/statuses/main".to_owned(),
                |size| json!({"state": "success", "context": "c".repeat(100 * size)}),
            ),
            Rest(
                "POST",
                |_| "/commits/topic/comments".to_owned(),
                |_| json!({"body": "Text", "path": "topic.txt", "line": 1}),
            ),
            Rest(
                "PATCH",
                |_| COMMENT.to_owned(),
                |_| json!({"body": "Other @N"}),
            ),
            // Each repetition deletes another comment.
            Rest(
                "DELETE",
                |_| format!("/comments/{}@N", more_worlds::DELETED),
                |_| Value::Null,
            ),
        ],
    }
}

/// Release notes of merged pull requests, with releases among their commits.
fn notes() -> Growth {
    Growth {
        name: "notes",
        size: 700,
        make: more_worlds::merged_pulls,
        calls: vec![
            Rest(
                "POST",
                |_| "/releases/generate-notes".to_owned(),
                |_| json!({"tag_name": "next"}),
            ),
            Rest(
                "POST",
                |_| "/releases/generate-notes".to_owned(),
                |_| json!({"tag_name": "next", "previous_tag_name": "first"}),
            ),
            Rest(
                "POST",
                |_| "/releases".to_owned(),
                |_| json!({"tag_name": "made-@N", "draft": true, "generate_release_notes": true}),
            ),
            get(|_| "/releases?per_page=100&page=2".to_owned()),
            get(|_| "/releases/latest".to_owned()),
        ],
    }
}

/// Branches that are named in a growing number of pull requests and draft releases.
fn names() -> Growth {
    fn new_name(_: usize) -> Value {
        json!({"new_name": "renamed-@N"})
    }
    Growth {
        name: "names_of_branches",
        size: 6_000,
        make: more_worlds::named_branches,
        calls: vec![
            Rest("POST", |_| "/branches/base-@N/rename".to_owned(), new_name),
            get(|_| "/branches/into-1".to_owned()),
            get(|_| "/branches/main/protection".to_owned()),
            Rest(
                "PATCH",
                |_| String::new(),
                |size| json!({"description": "text ".repeat(10 * size)}),
            ),
        ],
    }
}

/// Git objects whose length grows.
fn objects() -> Growth {
    Growth {
        name: "objects",
        size: 3_000,
        make: worlds::small,
        calls: vec![
            Rest(
                "POST",
                |_| "/git/trees".to_owned(),
                |size| {
                    let file = |it: usize| json!({"path": format!("many/{}/{it}", it % 20), "mode": "100644", "content": "x"});
                    json!({"tree": (0..size).map(file).collect::<Value>()})
                },
            ),
            Rest(
                "PUT",
                |_| "/contents/put-@N.txt".to_owned(),
                |size| json!({"message": "Add", "content": "eHh4".repeat(20 * size)}),
            ),
        ],
    }
}
