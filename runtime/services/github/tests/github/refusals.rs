//! Bad input gets the answers of the real server.

use serde_json::json;

use crate::support::World;

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
async fn what_is_not_there_is_not_found() {
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
            format!(
                "failed to create/update file: PUT {url}/contents/../a: 422 path contains a malformed path component []"
            ),
        ),
        (
            "create_or_update_file",
            json!({"branch": "main", "path": ".git/config", "content": "a", "message": "m"}),
            format!(
                "failed to create/update file: PUT {url}/contents/.git/config: 422 path contains a malformed path component []"
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
