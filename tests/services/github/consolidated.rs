//! The published tool surfaces, and the tools of v1.10.1.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use mcpmark_service::Content;
use serde_json::{Value, json};

use crate::actions::{Checker, with_workflow};
use crate::gists::add_gists;
use crate::support::{Repo, World, standard, write};

const VERSION: &str = "v1.10.1";

/// Removes the descriptions from a schema.
fn without_words(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let kept = map
                .iter()
                .filter(|(key, value)| *key != "description" || !value.is_string());
            kept.map(|(key, value)| (key.clone(), without_words(value)))
                .collect()
        }
        Value::Array(list) => list.iter().map(without_words).collect(),
        other => other.clone(),
    }
}

async fn world() -> World {
    World::as_of(VERSION, standard, None).await
}

#[tokio::test]
async fn the_surfaces_are_the_published_ones() {
    let published = [
        ("v0.15.0", include_str!("published/v0.15.0.json"), 68),
        (VERSION, include_str!("published/v1.10.1.json"), 51),
    ];
    for (version, text, count) in published {
        let runner = Arc::new(Checker::default());
        let all = |dir: &Path| {
            with_workflow(dir);
            add_gists(dir);
        };
        let world = World::as_of(version, all, Some(runner)).await;
        let published: Vec<Value> = serde_json::from_str(text).unwrap();
        let own = world.client.tools();
        let names: Vec<&str> = own.iter().map(|tool| tool.name.as_ref()).collect();
        assert!(names.is_sorted());
        let expected: BTreeSet<&str> = published
            .iter()
            .map(|tool| tool["name"].as_str().unwrap())
            .collect();
        assert_eq!(BTreeSet::from_iter(names.iter().copied()), expected);
        assert_eq!(names.len(), count);
        for tool in own {
            let other = published
                .iter()
                .find(|it| it["name"] == *tool.name)
                .unwrap();
            let tool = serde_json::to_value(tool).unwrap();
            let mut schema = without_words(&tool["inputSchema"]);
            let mut wanted = without_words(&other["inputSchema"]);
            for schema in [&mut schema, &mut wanted] {
                // A schema may omit an empty `properties` object.
                schema
                    .as_object_mut()
                    .unwrap()
                    .entry("properties")
                    .or_insert(json!({}));
            }
            assert_eq!(schema, wanted, "{version} {}", tool["name"]);
            assert_eq!(
                tool["annotations"], other["annotations"],
                "{version} {}",
                tool["name"]
            );
            let words = tool["description"].as_str().unwrap();
            assert!(words.ends_with('.') && words.len() > 10, "{words}");
        }
    }
}

#[tokio::test]
async fn issues_are_read_by_method() {
    let world = world().await;
    let read = |method: &str| json!({"method": method, "issue_number": 2});
    let issue = world.json("issue_read", read("get")).await;
    let keys: Vec<&String> = issue.as_object().unwrap().keys().collect();
    assert_eq!(keys[..4], ["number", "title", "body", "state"]);
    assert_eq!(issue["labels"], json!(["bug"]));
    assert_eq!(issue["assignees"], json!([]), "nobody is an answer");
    assert_eq!(
        (&issue["has_parent"], &issue["has_children"]),
        (&json!(false), &json!(false))
    );
    assert_eq!(
        issue["closed_by_pull_requests"],
        json!({"total_count": 0, "references": []})
    );
    assert_eq!(issue["user"]["login"], "bo");
    let comments = world.json("issue_read", read("get_comments")).await;
    assert_eq!(comments[0]["body"], "Will do.");
    assert!(comments[0].get("issue_url").is_none());
    let labels = world.json("issue_read", read("get_labels")).await;
    assert_eq!(
        (&labels["totalCount"], &labels["labels"][0]["name"]),
        (&json!(1), &json!("bug"))
    );
    assert_eq!(
        world.json("issue_read", read("get_parent")).await,
        json!({"parent": null})
    );
    assert_eq!(
        world.json("issue_read", read("get_sub_issues")).await,
        json!([])
    );
    assert_eq!(
        world.refusal("issue_read", read("get_all")).await,
        "unknown method: get_all"
    );
    assert_eq!(
        world
            .refusal("issue_read", json!({"issue_number": 2}))
            .await,
        "missing required parameter: method"
    );
    let error = world
        .error("issue_read", json!({"method": "get", "issue_number": 99}))
        .await;
    assert!(
        error.contains("failed to get issue: GET") && error.contains("404 Not Found []"),
        "{error}"
    );
}

#[tokio::test]
async fn issues_are_written_by_method() {
    let world = world().await;
    let new =
        json!({"method": "create", "title": "More", "labels": ["bug", "new"], "assignees": ["bo"]});
    let made = world.json("issue_write", new).await;
    assert!(made["url"].as_str().unwrap().ends_with("/issues/4"));
    world
        .text(
            "sub_issue_write",
            json!({"method": "add", "issue_number": 2, "sub_issue_id": 3_000_000_004_u64}),
        )
        .await;
    let parent = world
        .json(
            "issue_read",
            json!({"method": "get_parent", "issue_number": 4}),
        )
        .await;
    assert_eq!(parent["parent"]["number"], 2);
    let whole = world
        .json("issue_read", json!({"method": "get", "issue_number": 2}))
        .await;
    assert_eq!(
        whole["sub_issues_summary"],
        json!({"total": 1, "completed": 0, "percent_completed": 0})
    );
    // An empty list removes all labels, which v0.15.0 does not support.
    let change = json!({"method": "update", "issue_number": 4, "labels": [], "state": "closed", "state_reason": "not_planned"});
    world.text("issue_write", change).await;
    let issue = world
        .json("issue_read", json!({"method": "get", "issue_number": 4}))
        .await;
    assert_eq!(
        (issue.get("labels"), &issue["state"]),
        (None, &json!("closed"))
    );
    assert_eq!(
        (&issue["state_reason"], &issue["assignees"]),
        (&json!("not_planned"), &json!(["bo"]))
    );
    for (arguments, problem) in [
        (
            json!({"method": "create"}),
            "missing required parameter: title",
        ),
        (
            json!({"method": "drop"}),
            "invalid method, must be either 'create' or 'update'",
        ),
        (
            json!({"method": "update", "issue_number": 4, "duplicate_of": 2}),
            "duplicate_of can only be used when state_reason is 'duplicate'",
        ),
        (
            json!({"method": "create", "title": "x", "assignees": ["nobody"]}),
            "failed to create issue: Validation Failed\nIssue.assignees (invalid)",
        ),
    ] {
        assert_eq!(world.refusal("issue_write", arguments).await, problem);
    }
    let both = json!({"issue_number": 2, "body": "Yes.", "reaction": "heart"});
    let said = world.json("add_issue_comment", both).await;
    assert!(
        said["comment"]["url"]
            .as_str()
            .unwrap()
            .contains("/issues/2#issuecomment-")
    );
    assert!(said["reaction"]["id"].is_string());
    assert_eq!(
        world
            .refusal("add_issue_comment", json!({"issue_number": 2}))
            .await,
        "at least one of body or reaction is required"
    );
}

#[tokio::test]
async fn lists_give_the_fields_that_are_asked_for() {
    let world = world().await;
    let list = world.json("list_issues", json!({"state": "OPEN"})).await;
    assert_eq!(list["issues"][0]["user"], json!({"login": "bo"}));
    assert_eq!(list["issues"][0]["state"], "OPEN");
    let text = world
        .text(
            "list_issues",
            json!({"fields": ["title", "number"], "state": "OPEN"}),
        )
        .await;
    assert!(
        text.starts_with(r#"{"issues":[{"number":2,"title":"Three is missing"}],"pageInfo""#),
        "{text}"
    );
    let pulls = world
        .json(
            "list_pull_requests",
            json!({"fields": ["number", "merged"]}),
        )
        .await;
    assert_eq!(pulls, json!([{"merged": false, "number": 3}]));
    let commits = world
        .json(
            "list_commits",
            json!({"path": "src/lib.rs", "fields": ["sha"]}),
        )
        .await;
    let all = world.json("list_commits", json!({})).await;
    assert!(commits.as_array().unwrap().len() < all.as_array().unwrap().len());
    assert_eq!(commits[0].as_object().unwrap().len(), 1);
    let found = world
        .json(
            "search_code",
            json!({"query": "two repo:acme/demo", "fields": ["path"]}),
        )
        .await;
    assert!(found["total_count"].as_u64().unwrap() > 0);
    assert_eq!(found["items"][0].as_object().unwrap().len(), 1);
    let tags = world.json("list_tags", json!({})).await;
    assert_eq!(
        tags[0].as_object().unwrap().keys().collect::<Vec<_>>(),
        ["name", "sha"]
    );
    let people = world
        .json("list_repository_collaborators", json!({"perPage": 1}))
        .await;
    assert_eq!(
        people["pagination"],
        json!({"hasNextPage": true, "nextPage": 2})
    );
}

#[tokio::test]
async fn files_are_written_by_those_who_know_them() {
    let world = world().await;
    let put = |content: &str, sha: Option<&str>| {
        let mut arguments =
            json!({"path": "README.md", "content": content, "message": "m", "branch": "main"});
        if let Some(sha) = sha {
            arguments["sha"] = sha.into();
        }
        arguments
    };
    let refusal = world.refusal("create_or_update_file", put("x", None)).await;
    assert!(
        refusal.starts_with("File already exists at README.md."),
        "{refusal}"
    );
    let refusal = world
        .refusal("create_or_update_file", put("x", Some(&"0".repeat(40))))
        .await;
    assert!(
        refusal.starts_with("SHA mismatch: provided SHA 000"),
        "{refusal}"
    );
    let sha = refusal.split("Current file SHA is ").nth(1).unwrap()[..40].to_owned();
    let made = world
        .json("create_or_update_file", put("x", Some(&sha)))
        .await;
    assert_eq!(made["content"]["path"], "README.md");
    assert!(made["commit"].get("tree").is_none());
    let output = world
        .call("get_file_contents", json!({"path": "/README.md"}))
        .await;
    assert!(
        output
            .text()
            .contains("successfully downloaded text file (SHA: "),
        "{}",
        output.text()
    );
    let patch = json!({"sha": "main", "detail": "full_patch"});
    let commit = world.json("get_commit", patch).await;
    assert!(commit["files"][0]["patch"].as_str().unwrap().contains("+x"));
    let commit = world
        .json("get_commit", json!({"sha": "main", "detail": "none"}))
        .await;
    assert!(commit.get("files").is_none() && commit.get("stats").is_none());
}

#[tokio::test]
async fn files_are_read_by_the_id_of_a_commit() {
    let world = world().await;
    let branch = world
        .json("list_commits", json!({"sha": "feature", "perPage": 1}))
        .await;
    let sha = branch[0]["sha"].as_str().unwrap();
    let mut said = Vec::new();
    for key in ["sha", "ref"] {
        let mut arguments = json!({"path": "src/three.rs"});
        arguments[key] = sha.into();
        let output = world.call("get_file_contents", arguments).await;
        assert!(!output.is_error, "{}", output.text());
        let Content::Other(block) = &output.content[1] else {
            panic!("{:?}", output.content[1]);
        };
        let uri = format!("repo://acme/demo/sha/{sha}/contents/src/three.rs");
        assert_eq!(block["resource"]["uri"], uri);
        said.push(output.text());
    }
    assert_eq!(said[0], said[1]);
}

#[tokio::test]
async fn a_main_that_is_not_there_is_the_default_branch() {
    let make = |dir: &Path| {
        let mut repo = Repo::new(dir);
        repo.commit("trunk", "Begin", &[("README.md", Some("# Demo\n"))]);
        let document =
            json!({"owner": "acme", "name": "demo", "default_branch": "trunk", "viewer": "ann"});
        write(dir, "repository.json", &document);
        write(dir, "users.json", &json!([{"login": "ann"}]));
    };
    let world = World::as_of(VERSION, make, None).await;
    let note = " Note: the provided ref 'main' does not exist, default branch 'refs/heads/trunk' was used instead.";
    let main = json!({"path": "README.md", "ref": "main"});
    let text = world.text("get_file_contents", main).await;
    assert!(text.ends_with(note), "{text}");
    let none = json!({"path": "README.md", "ref": "none"});
    assert_eq!(
        world.refusal("get_file_contents", none).await,
        "failed to resolve git reference: could not resolve ref \"none\" as a branch or a tag"
    );
}

#[tokio::test]
async fn pull_requests_are_read_and_reviewed_by_method() {
    let world = world().await;
    let read = |method: &str| json!({"method": method, "pullNumber": 3});
    let pull = world.json("pull_request_read", read("get")).await;
    assert_eq!(
        (&pull["merged"], &pull["mergeable_state"]),
        (&json!(false), &json!("dirty"))
    );
    assert_eq!(pull["head"]["repo"]["full_name"], "acme/demo");
    assert!(
        world
            .text("pull_request_read", read("get_diff"))
            .await
            .starts_with("diff --git")
    );
    let files = world.json("pull_request_read", read("get_files")).await;
    let path = files[0]["filename"].as_str().unwrap().to_owned();
    assert!(files[0]["patch"].is_string() && files[0].get("blob_url").is_none());
    let commits = world.json("pull_request_read", read("get_commits")).await;
    assert!(commits[0]["message"].is_string());
    let status = world.json("pull_request_read", read("get_status")).await;
    assert_eq!(
        (&status["state"], &status["statuses"]),
        (&json!("pending"), &json!([]))
    );
    let checks = world
        .json("pull_request_read", read("get_check_runs"))
        .await;
    assert_eq!(checks, json!({"total_count": 0, "check_runs": []}));

    let write = |method: &str, more: Value| {
        let mut arguments = json!({"method": method, "pullNumber": 3});
        for (key, value) in more.as_object().unwrap() {
            arguments[key] = value.clone();
        }
        arguments
    };
    let tool = "pull_request_review_write";
    assert_eq!(
        world.text(tool, write("create", json!({}))).await,
        "pending pull request created"
    );
    let comment = json!({"pullNumber": 3, "path": path, "body": "Why?", "line": 5, "side": "RIGHT", "subjectType": "LINE"});
    world.text("add_comment_to_pending_review", comment).await;
    let submitted = write("submit_pending", json!({"event": "COMMENT", "body": "Hm."}));
    world.text(tool, submitted).await;
    let threads = world
        .json("pull_request_read", read("get_review_comments"))
        .await;
    assert_eq!(threads["totalCount"], 1);
    let thread = threads["review_threads"][0].clone();
    assert_eq!(
        (&thread["is_resolved"], &thread["total_count"]),
        (&json!(false), &json!(1))
    );
    let page = thread["comments"][0]["html_url"].as_str().unwrap();
    let id: u64 = page.rsplit("discussion_r").next().unwrap().parse().unwrap();
    let answer = json!({"commentId": id, "pullNumber": 3, "body": "Because."});
    world
        .json("add_reply_to_pull_request_comment", answer)
        .await;
    let resolve = |method: &str| write(method, json!({"threadId": thread["id"]}));
    assert_eq!(
        world.text(tool, resolve("resolve_thread")).await,
        "review thread resolved successfully"
    );
    let threads = world
        .json("pull_request_read", read("get_review_comments"))
        .await;
    assert_eq!(threads["totalCount"], 1);
    assert_eq!(threads["review_threads"][0]["is_resolved"], true);
    assert_eq!(
        threads["review_threads"][0]["comments"][1]["body"],
        "Because."
    );
    world.text(tool, resolve("unresolve_thread")).await;
    let reviews = world.json("pull_request_read", read("get_reviews")).await;
    assert_eq!(reviews[0]["state"], "COMMENTED");
    assert_eq!(
        world.refusal(tool, write("none", json!({}))).await,
        "unknown method: none"
    );
    let refusal = world
        .refusal("merge_pull_request", json!({"pullNumber": 3}))
        .await;
    assert!(
        refusal.contains("405 Pull Request is not mergeable"),
        "{refusal}"
    );
    // A thread that was resolved and reopened leaves no trace in the state.
    let dir = world.export().await;
    let text = std::fs::read_to_string(dir.join("pulls.json")).unwrap();
    assert!(!text.contains("resolved"));
}

#[tokio::test]
async fn workflows_are_told_of_by_method() {
    let runner = Arc::new(Checker::default());
    let world = World::as_of(VERSION, with_workflow, Some(runner)).await;
    let files = json!([{"path": "numbers.txt", "content": "2\n1\n"}]);
    world
        .text(
            "push_files",
            json!({"branch": "main", "message": "Turn", "files": files}),
        )
        .await;
    let filter =
        json!({"method": "list_workflow_runs", "workflow_runs_filter": {"branch": "main"}});
    let runs = world.json("actions_list", filter).await;
    let run = &runs["workflow_runs"][0];
    assert_eq!(
        (&run["conclusion"], &run["head_commit"]),
        (&json!("failure"), &json!({"message": "Turn"}))
    );
    assert!(run.get("repository").is_none());
    let id = run["id"].to_string();
    let jobs = world
        .json(
            "actions_list",
            json!({"method": "list_workflow_jobs", "resource_id": id}),
        )
        .await;
    assert_eq!(jobs["jobs"]["total_count"], 2);
    let got = world
        .json(
            "actions_get",
            json!({"method": "get_workflow_run", "resource_id": id}),
        )
        .await;
    assert_eq!(got, *run);
    let job = jobs["jobs"]["jobs"][0]["id"].to_string();
    let got = world
        .json(
            "actions_get",
            json!({"method": "get_workflow_job", "resource_id": job}),
        )
        .await;
    assert_eq!(got["steps"][0]["name"], "Set up job");
    assert_eq!(got["steps"][2]["conclusion"], "failure");
    let again = json!({"method": "rerun_failed_jobs", "run_id": run["id"]});
    assert_eq!(
        world.json("actions_run_trigger", again).await["status_code"],
        201
    );
    let workflow = json!({"method": "get_workflow", "resource_id": "check.yml"});
    assert_eq!(world.json("actions_get", workflow).await["name"], "check");
    for (arguments, problem) in [
        (
            json!({"method": "list_workflow_jobs"}),
            "missing required parameter for method list_workflow_jobs: resource_id",
        ),
        (
            json!({"method": "list_workflow_jobs", "resource_id": "x"}),
            "invalid resource_id, must be an integer for method list_workflow_jobs: strconv.ParseInt: parsing \"x\": invalid syntax",
        ),
        (
            json!({"method": "none", "resource_id": "1"}),
            "unknown method: none",
        ),
    ] {
        assert_eq!(world.refusal("actions_list", arguments).await, problem);
    }
}
