//! Invalid input gets the error messages of the real server.

use serde_json::json;

use crate::support::{World, texts};

#[tokio::test]
async fn arguments_are_refused_in_the_words_of_the_server() {
    let world = World::new().await;
    for (tool, arguments, expected) in [
        (
            "get_file_contents",
            json!({}),
            "missing required parameter: path",
        ),
        (
            "get_issue",
            json!({"issue_number": "2"}),
            "parameter issue_number is not of type float64",
        ),
        (
            "get_issue",
            json!({"issue_number": 0}),
            "missing required parameter: issue_number",
        ),
        (
            "get_issue",
            json!({"owner": 1}),
            "parameter owner is not of type string",
        ),
        (
            "list_commits",
            json!({"page": "1"}),
            "parameter page is not of type float64, is string",
        ),
        (
            "create_issue",
            json!({"title": "x", "labels": "bug"}),
            "parameter labels could not be coerced to []string, is string",
        ),
        (
            "create_issue",
            json!({"title": "x", "labels": [1]}),
            "parameter labels is not of type string, is float64",
        ),
        (
            "push_files",
            json!({"branch": "main", "message": "m", "files": [{"path": ""}]}),
            "each file must have a path",
        ),
        (
            "push_files",
            json!({"branch": "main", "message": "m"}),
            "files parameter must be an array of objects with path and content",
        ),
    ] {
        assert_eq!(world.refusal(tool, arguments).await, expected, "{tool}");
    }
    let unknown = world.error("get_everything", json!({})).await;
    assert!(
        unknown.contains("tool 'get_everything' not found"),
        "{unknown}"
    );
}

#[tokio::test]
async fn missing_objects_are_not_found() {
    let world = World::new().await;
    let url = "https://api.github.com/repos/acme/demo";
    for (tool, arguments, expected) in [
        (
            "get_commit",
            json!({"sha": "nope"}),
            format!(
                "failed to get commit: nope: GET {url}/commits/nope?page=1&per_page=30: 422 No commit found for SHA: nope []"
            ),
        ),
        (
            "get_file_contents",
            json!({"path": "nope.txt"}),
            format!("failed to get file SHA: GET {url}/contents/nope.txt: 404 Not Found []"),
        ),
        (
            "get_file_contents",
            json!({"path": "README.md", "ref": "nope"}),
            "failed to resolve git reference: could not resolve ref \"nope\" as a branch or a tag"
                .to_owned(),
        ),
        (
            "create_branch",
            json!({"branch": "x", "from_branch": "nope"}),
            format!("failed to get reference: GET {url}/git/ref/heads/nope: 404 Not Found []"),
        ),
        (
            "create_branch",
            json!({"branch": "a..b"}),
            format!(
                "failed to create branch: POST {url}/git/refs: 422 refs/heads/a..b is not a valid ref name. []"
            ),
        ),
        (
            "create_or_update_file",
            json!({"branch": "nope", "path": "a", "content": "a", "message": "m"}),
            format!(
                "failed to create/update file: PUT {url}/contents/a: 404 Branch nope not found []"
            ),
        ),
        (
            "create_or_update_file",
            json!({"branch": "main", "path": "../a", "content": "a", "message": "m"}),
            format!("failed to create/update file: PUT {url}/a: 404 Not Found []"),
        ),
        (
            "create_or_update_file",
            json!({"branch": "main", "path": ".git/config", "content": "a", "message": "m"}),
            format!(
                "failed to create/update file: PUT {url}/contents/.git/config: 422 path contains a malformed path component [{{Resource:Commit Field:path Code:invalid Message:}}]"
            ),
        ),
        (
            "get_pull_request",
            json!({"pullNumber": 2}),
            format!("failed to get pull request: GET {url}/pulls/2: 404 Not Found []"),
        ),
        (
            "create_pull_request",
            json!({"title": "x", "head": "nope", "base": "main"}),
            format!(
                "failed to create pull request: POST {url}/pulls: 422 Validation Failed [{{Resource:PullRequest Field:head Code:invalid Message:}}]"
            ),
        ),
        (
            "create_pull_request",
            json!({"title": "x", "head": "clash", "base": "main"}),
            format!(
                "failed to create pull request: POST {url}/pulls: 422 Validation Failed [{{Resource:PullRequest Field: Code:custom Message:A pull request already exists for acme:clash.}}]"
            ),
        ),
    ] {
        assert_eq!(world.refusal(tool, arguments).await, expected, "{tool}");
    }
    let other = world
        .error("get_issue", json!({"repo": "other", "issue_number": 2}))
        .await;
    assert!(other.contains("failed to get issue: GET https://api.github.com/repos/acme/other/issues/2: 404 Not Found []"), "{other}");
    let invalid = world
        .error(
            "create_issue",
            json!({"title": "x", "assignees": ["nobody"]}),
        )
        .await;
    assert!(
        invalid.contains("[{Resource:Issue Field:assignees Code:invalid Message:}]"),
        "{invalid}"
    );
}

#[tokio::test]
async fn arguments_of_wrong_types_are_reported_together() {
    let decoding =
        |problems: &str| format!("decoding failed due to the following error(s):\n\n{problems}");
    let url = "https://api.github.com/repos/acme";
    let world = World::new().await;
    for (tool, arguments, expected) in [
        (
            "submit_pending_pull_request_review",
            json!({"pullNumber": "3", "event": true, "body": 1}),
            decoding(
                "'PullNumber' expected type 'int32', got unconvertible type 'string'\n\
                 'Event' expected type 'string', got unconvertible type 'bool'\n\
                 'Body' expected type 'string', got unconvertible type 'float64'",
            ),
        ),
        (
            "get_pull_request_diff",
            json!({"repo": null, "pullNumber": 3}),
            format!("failed to get pull request diff: GET {url}//pulls/3: 404 Not Found []"),
        ),
        (
            "get_pull_request_diff",
            json!({"pullNumber": []}),
            decoding("'PullNumber' expected type 'int32', got unconvertible type '[]interface {}'"),
        ),
        (
            "create_pending_pull_request_review",
            json!({"pullNumber": -1}),
            "failed to get pull request: Could not resolve to a PullRequest with the number of -1."
                .to_owned(),
        ),
    ] {
        assert_eq!(world.refusal(tool, arguments).await, expected, "{tool}");
    }
    let world = World::as_of("v1.10.1", crate::support::standard, None).await;
    for (tool, arguments, expected) in [
        (
            "pull_request_review_write",
            json!({"method": "create", "pullNumber": "three", "body": {}}),
            decoding(
                "'PullNumber' cannot parse value as 'int32': strconv.ParseInt: invalid syntax\n\
                 'Body' expected type 'string', got unconvertible type 'map[string]interface {}'",
            ),
        ),
        (
            "assign_copilot_to_issue",
            json!({"issue_number": []}),
            decoding(
                "'issue_number' expected type 'int32', got unconvertible type '[]interface {}'",
            ),
        ),
        (
            "add_comment_to_pending_review",
            json!({"pullNumber": 3, "path": "src/lib.rs"}),
            "missing required parameter: body".to_owned(),
        ),
    ] {
        assert_eq!(world.refusal(tool, arguments).await, expected, "{tool}");
    }
    // A number may be a string.
    let review = json!({"method": "create", "pullNumber": "3"});
    world.text("pull_request_review_write", review).await;
}

#[tokio::test]
async fn refusals_name_the_address_that_was_asked_for() {
    let world = World::new().await;
    for (tool, arguments, expected) in [
        (
            "get_file_contents",
            json!({"path": "a b/\u{fc}(1).md", "ref": "refs/heads/main"}),
            "/contents/a%20b/%C3%BC%281%29.md?ref=refs%2Fheads%2Fmain: 404",
        ),
        (
            "list_commits",
            json!({"sha": "none", "author": "RIGHT", "page": -1, "perPage": 1000}),
            "/commits?author=RIGHT&page=-1&per_page=1000&sha=none: 404",
        ),
        (
            "list_pull_requests",
            json!({"repo": "other", "state": "all", "head": "a:b c", "direction": "desc"}),
            "/pulls?direction=desc&head=a%3Ab+c&page=1&per_page=30&state=all: 404",
        ),
        (
            "get_pull_request_files",
            json!({"pullNumber": 99, "perPage": 101}),
            "/pulls/99/files?page=1&per_page=101: 404",
        ),
        (
            "get_tag",
            json!({"tag": "a,b\u{fc}"}),
            "/git/ref/tags/a%2Cb%C3%BC: 404",
        ),
        (
            "get_tag",
            json!({"owner": "a/./b", "tag": "v1"}),
            "repos/a/b/demo/git/ref/tags/v1: 404",
        ),
        (
            "create_or_update_file",
            json!({"branch": "none", "path": "a b", "content": "x", "message": "m"}),
            "/contents/a%20b: 404",
        ),
        (
            "create_or_update_file",
            json!({"branch": "main", "path": "100%.md", "content": "x", "message": "m"}),
            "parse \"repos/acme/demo/contents/100%.md\": invalid URL escape \"%.m\"",
        ),
    ] {
        let refused = world.refusal(tool, arguments).await;
        assert!(refused.contains(expected), "{tool}: {refused}");
    }
    // A write goes to the normalised path.
    let file = json!({"branch": "main", "path": "a/./b%20c/../d", "content": "x", "message": "m"});
    let written = world.json("create_or_update_file", file).await;
    assert_eq!(written["content"]["path"], "a/d");
}

#[tokio::test]
async fn choices_must_be_known_words() {
    let world = World::new().await;
    for (argument, variable) in [
        ("direction", "$direction of type OrderDirection!"),
        ("orderBy", "$orderBy of type IssueOrderField!"),
    ] {
        assert_eq!(
            world.refusal("list_issues", json!({argument: "asc"})).await,
            format!("Variable {variable} was provided invalid value")
        );
    }
    let files = json!({"branch": "feature", "message": "m", "files": []});
    let empty = world.refusal("push_files", files).await;
    assert!(
        empty.ends_with("/git/trees: 422 Invalid tree info []"),
        "{empty}"
    );
    // Closing a pull request ignores an invalid base.
    let closed = json!({"pullNumber": 3, "state": "closed", "base": "bob"});
    world.text("update_pull_request", closed).await;
    let closed = world
        .json("get_pull_request", json!({"pullNumber": 3}))
        .await;
    assert_eq!(closed["state"], "closed");

    let pushed = |branch: &str| {
        let file = json!({"path": "new.txt", "content": "x"});
        json!({"branch": branch, "message": "m", "files": [file]})
    };
    let refused = world.refusal("push_files", pushed("fresh")).await;
    assert!(
        refused.starts_with("failed to get branch reference: "),
        "{refused}"
    );

    // The newer version accepts lower case and ignores unknown values.
    let world = World::as_of("v1.10.1", crate::support::standard, None).await;
    for (arguments, expected) in [
        (json!({"direction": "asc"}), vec![1, 2]),
        (json!({"direction": "down", "orderBy": "none"}), vec![2, 1]),
        (json!({"state": "closed"}), vec![1]),
    ] {
        let list = world.json("list_issues", arguments).await;
        let numbers = list["issues"].as_array().unwrap().iter();
        let numbers: Vec<u64> = numbers.map(|it| it["number"].as_u64().unwrap()).collect();
        assert_eq!(numbers, expected);
    }
    // It also creates the branch that it pushes to.
    world.text("push_files", pushed("fresh")).await;
    let made = world.json("list_branches", json!({})).await;
    assert!(texts(&made, "/name").contains(&"fresh"));
    assert_eq!(
        world.refusal("push_files", pushed("a..b")).await,
        "failed to create branch from default: failed to create new branch reference: POST \
         https://api.github.com/repos/acme/demo/git/refs: 422 refs/heads/a..b is not a valid ref name. []"
    );
}

#[tokio::test]
async fn a_pull_request_is_not_given_a_base_that_makes_none_of_it() {
    let world = World::new().await;
    for (title, head, base) in [("Three", "feature", "main"), ("Two", "feature", "clash")] {
        let new = json!({"title": title, "head": head, "base": base});
        world.text("create_pull_request", new).await;
    }
    let url = "https://api.github.com/repos/acme/demo/pulls";
    let field = |message: &str| {
        format!("{{Resource:PullRequest Field:base Code:invalid Message:{message}}}")
    };
    for (number, base, expected) in [
        (4, "nope", field("")),
        (
            4,
            "feature",
            field(
                "There are no new commits between base branch 'feature' and head branch 'feature'",
            ),
        ),
        (
            4,
            "clash",
            field(
                "A pull request already exists for base branch 'clash' and head branch 'feature'",
            ),
        ),
    ] {
        let change = json!({"pullNumber": number, "base": base});
        assert_eq!(
            world.refusal("update_pull_request", change).await,
            format!(
                "failed to update pull request: PATCH {url}/{number}: 422 Validation Failed [{expected}]"
            )
        );
    }
    // Setting the present base is not a change.
    world
        .text(
            "update_pull_request",
            json!({"pullNumber": 4, "base": "main"}),
        )
        .await;
    world
        .text("merge_pull_request", json!({"pullNumber": 4}))
        .await;
    let refused = world
        .refusal(
            "update_pull_request",
            json!({"pullNumber": 4, "base": "clash"}),
        )
        .await;
    assert!(
        refused.ends_with(&format!(
            "[{}]",
            field("Cannot change the base branch of a closed pull request.")
        )),
        "{refused}"
    );
}

#[tokio::test]
async fn titles_and_texts_say_something_and_not_too_much() {
    let world = World::new().await;
    let (long, longer) = ("ü".repeat(257), "x".repeat(65_537));
    let head = json!({"head": "feature", "base": "main"});
    let with = |key: &str, value: &str| {
        let mut arguments = head.clone();
        arguments["title"] = "T".into();
        arguments[key] = value.into();
        arguments
    };
    let on = |arguments: serde_json::Value, key: &str, number: u64| {
        let mut arguments = arguments;
        arguments[key] = number.into();
        arguments
    };
    let title =
        |resource: &str| format!("{{Resource:{resource} Field:title Code:missing_field Message:}}");
    let long_title = |resource: &str| {
        format!(
            "{{Resource:{resource} Field:title Code:custom Message:title is too long (maximum is 256 characters)}}"
        )
    };
    let long_body = |resource: &str| {
        format!(
            "{{Resource:{resource} Field:body Code:custom Message:body is too long (maximum is 65536 characters)}}"
        )
    };
    for (tool, arguments, expected) in [
        (
            "create_pull_request",
            with("title", " "),
            title("PullRequest"),
        ),
        (
            "create_pull_request",
            with("title", &long),
            long_title("PullRequest"),
        ),
        (
            "create_pull_request",
            with("body", &longer),
            long_body("PullRequest"),
        ),
        (
            "update_pull_request",
            json!({"pullNumber": 3, "title": ""}),
            title("PullRequest"),
        ),
        (
            "update_issue",
            on(with("title", "  "), "issue_number", 2),
            title("Issue"),
        ),
        (
            "update_issue",
            on(with("body", &longer), "issue_number", 2),
            long_body("Issue"),
        ),
    ] {
        let refused = world.refusal(tool, arguments).await;
        assert!(
            refused.ends_with(&format!(": 422 Validation Failed [{expected}]")),
            "{tool}: {refused}"
        );
    }
    let comment = |body: &str| json!({"issue_number": 2, "body": body});
    let data = |message: &str| {
        format!("{{Resource:IssueComment Field:data Code:unprocessable Message:{message}}}")
    };
    for (tool, arguments, expected) in [
        ("create_issue", with("title", "\t"), title("Issue")),
        ("create_issue", with("title", &long), long_title("Issue")),
        (
            "add_issue_comment",
            comment(" \n"),
            data("Body cannot be blank"),
        ),
        (
            "add_issue_comment",
            comment(&longer),
            data("Body is too long (maximum is 65536 characters)"),
        ),
    ] {
        let refused = world.error(tool, arguments).await;
        assert!(refused.contains(&expected), "{tool}: {refused}");
    }
    // The maximum lengths are accepted.
    world
        .text(
            "create_issue",
            json!({"title": "ü".repeat(256), "body": "ü".repeat(65_536)}),
        )
        .await;
}

#[tokio::test]
async fn branches_are_not_named_like_something_else() {
    let world = World::new().await;
    let tip = world.json("get_commit", json!({"sha": "main"})).await;
    let other = world.json("get_commit", json!({"sha": "feature"})).await;
    let (tip, other) = (tip["sha"].as_str().unwrap(), other["sha"].as_str().unwrap());
    for name in ["-foo", "HEAD", tip] {
        let refused = world
            .refusal("create_branch", json!({"branch": name}))
            .await;
        assert!(
            refused.ends_with(&format!(
                ": 422 refs/heads/{name} is not a valid ref name. []"
            )),
            "{refused}"
        );
    }
    let begins = json!({"branch": format!("x-{tip}")});
    world.text("create_branch", begins).await;
    // If a world has such a branch nevertheless, the name means the commit id, as in git.
    let named = tip.to_owned();
    let world = World::of(move |dir| {
        crate::support::standard(dir);
        let heads = dir.join("repo/.git/refs/heads");
        std::fs::copy(heads.join("feature"), heads.join(&named)).unwrap();
    })
    .await;
    let found = world.json("get_commit", json!({"sha": tip})).await;
    assert_eq!(found["sha"], tip);
    assert_ne!(tip, other);
}

#[tokio::test]
async fn an_issue_is_the_duplicate_of_another_issue() {
    let world = World::new().await;
    let close = |number: u64, other: u64| {
        json!({
            "issue_number": number, "state": "closed", "state_reason": "duplicate", "duplicate_of": other,
        })
    };
    assert_eq!(
        world.refusal("update_issue", close(2, 2)).await,
        "Failed to close issue: An issue cannot be marked as a duplicate of itself"
    );
    // A pull request is not a valid duplicate.
    assert_eq!(
        world.refusal("update_issue", close(2, 3)).await,
        "Failed to find issues: failed to get issue ID"
    );
    let issue = world.json("get_issue", json!({"issue_number": 2})).await;
    assert_eq!(issue["state"], "open");
    world.text("update_issue", close(2, 1)).await;
}

#[tokio::test]
async fn no_repository_of_a_world_has_copilot() {
    let advice = |more: &str| {
        format!(
            "copilot isn't available as an assignee for this issue. Please inform the user to visit \
             https://docs.github.com/en/copilot/{more} for more information."
        )
    };
    let unknown = json!({"repo": "other", "issueNumber": 2, "issue_number": 2});
    let unresolved = "Could not resolve to a Repository with the name 'acme/other'.";
    let collaborators = "Reviews may only be requested from collaborators. One or more of the users or teams you \
                         specified is not a collaborator of the acme/demo repository.";
    let world = World::new().await;
    assert_eq!(
        world
            .refusal("assign_copilot_to_issue", json!({"issueNumber": 2}))
            .await,
        advice(
            "using-github-copilot/using-copilot-coding-agent-to-work-on-tasks/about-assigning-tasks-to-copilot"
        )
    );
    let error = world
        .error("assign_copilot_to_issue", unknown.clone())
        .await;
    assert!(error.contains(unresolved), "{error}");
    assert_eq!(
        world
            .refusal("assign_copilot_to_issue", json!({"issueNumber": "2"}))
            .await,
        "decoding failed due to the following error(s):\n\n'IssueNumber' expected type 'int32', got unconvertible type 'string'"
    );
    let review = json!({"pullNumber": 3});
    let post = "POST https://api.github.com/repos/acme/demo/pulls/3/requested_reviewers";
    assert_eq!(
        world
            .refusal("request_copilot_review", review.clone())
            .await,
        format!("failed to request copilot review: {post}: 422 {collaborators} []")
    );
    // The request is refused for a closed pull request as well.
    world
        .text(
            "update_pull_request",
            json!({"pullNumber": 3, "state": "closed"}),
        )
        .await;
    world
        .refusal("request_copilot_review", review.clone())
        .await;

    let world = World::as_of("v1.10.1", crate::support::standard, None).await;
    assert_eq!(
        world
            .refusal("assign_copilot_to_issue", json!({"issue_number": 2}))
            .await,
        advice("concepts/agents/cloud-agent/about-cloud-agent")
    );
    assert_eq!(
        world.refusal("assign_copilot_to_issue", unknown).await,
        format!("failed to get suggested actors: {unresolved}")
    );
    assert_eq!(
        world.refusal("request_copilot_review", review).await,
        format!("failed to request copilot review: {collaborators}")
    );
}
