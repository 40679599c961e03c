//! Issues, comments and sub-issues.

use serde_json::{Value, json};

use crate::rest::Site;
use crate::support::{World, texts};

#[tokio::test]
async fn an_issue_has_the_fields_of_go() {
    let world = World::new().await;
    let text = world.text("get_issue", json!({"issue_number": 2})).await;
    assert!(text.starts_with(
        r#"{"id":3000000002,"number":2,"state":"open","locked":false,"title":"Three is missing","body":"Please add **three**.","author_association":"CONTRIBUTOR","user":{"login":"bo","id":"#
    ), "{text}");
    let issue: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(issue["labels"][0]["name"], "bug");
    assert_eq!(issue["comments"], 1);
    assert!(issue.get("assignees").is_none() && issue.get("closed_at").is_none());
    let missing = world.error("get_issue", json!({"issue_number": 9})).await;
    let expected = "failed to get issue: GET https://api.github.com/repos/acme/demo/issues/9: 404 Not Found []";
    assert!(missing.contains(expected), "{missing}");
    let comments = world
        .json("get_issue_comments", json!({"issue_number": 2}))
        .await;
    assert_eq!(comments[0]["body"], "Will do.");
}

#[tokio::test]
async fn issues_are_listed_with_cursors() {
    let world = World::new().await;
    for title in ["A", "B", "C"] {
        world
            .text(
                "create_issue",
                json!({"title": title, "labels": ["Bug", "new one"]}),
            )
            .await;
    }
    let first = world.json("list_issues", json!({"perPage": 2})).await;
    assert_eq!(first["totalCount"], 5);
    assert_eq!(first["issues"][0]["title"], "C");
    assert_eq!(first["issues"][0]["state"], "OPEN");
    assert_eq!(first["issues"][0]["labels"][0]["name"], "bug");
    assert_eq!(first["pageInfo"]["hasNextPage"], true);
    let rest = world
        .json(
            "list_issues",
            json!({"perPage": 9, "after": first["pageInfo"]["endCursor"]}),
        )
        .await;
    let titles = texts(&rest["issues"], "/title");
    assert_eq!(titles, ["A", "Three is missing", "Old"]);
    let open = world.json("list_issues", json!({"state": "CLOSED"})).await;
    assert_eq!(open["totalCount"], 1);
    let labelled = world
        .json(
            "list_issues",
            json!({"labels": ["new one"], "direction": "ASC"}),
        )
        .await;
    assert_eq!(labelled["issues"][0]["title"], "A");
    let none = world
        .text("list_issues", json!({"labels": ["nothing"]}))
        .await;
    assert!(
        none.starts_with(r#"{"issues":null,"pageInfo":{"endCursor":"","hasNextPage":false"#),
        "{none}"
    );
}

#[tokio::test]
async fn issues_are_opened_changed_and_closed() {
    let world = World::new().await;
    let made = world
        .text(
            "create_issue",
            json!({"title": "New", "body": "b", "assignees": ["BO"], "milestone": 1}),
        )
        .await;
    assert_eq!(
        made,
        r#"{"id":"3000000004","url":"https://github.com/acme/demo/issues/4"}"#
    );
    world.text("update_issue", json!({"issue_number": 4, "title": "Newer", "labels": ["bug"], "state": "closed", "state_reason": "not_planned"})).await;
    let issue = world.json("get_issue", json!({"issue_number": 4})).await;
    assert_eq!(
        (&issue["title"], &issue["state"], &issue["state_reason"]),
        (&json!("Newer"), &json!("closed"), &json!("not_planned"))
    );
    assert_eq!(issue["assignees"][0]["login"], "bo");
    assert_eq!(issue["milestone"]["title"], "Soon");
    assert_eq!(issue["closed_by"]["login"], "ann");
    world
        .text("update_issue", json!({"issue_number": 4, "state": "open"}))
        .await;
    let issue = world.json("get_issue", json!({"issue_number": 4})).await;
    assert_eq!(
        (&issue["state"], &issue["state_reason"]),
        (&json!("open"), &json!("reopened"))
    );
    let comment = world
        .json(
            "add_issue_comment",
            json!({"issue_number": 4, "body": "hi"}),
        )
        .await;
    assert_eq!(comment["user"]["login"], "ann");
    assert_eq!(comment["id"], 2_800_000_002_u64);
}

#[tokio::test]
async fn issues_have_parts_in_an_order() {
    let world = World::new().await;
    for title in ["A", "B"] {
        world.text("create_issue", json!({"title": title})).await;
    }
    for number in [4, 5] {
        world
            .text(
                "add_sub_issue",
                json!({"issue_number": 2, "sub_issue_id": 3_000_000_000_u64 + number}),
            )
            .await;
    }
    let numbers = |list: &Value| -> Vec<u64> {
        list.as_array()
            .unwrap()
            .iter()
            .map(|it| it["number"].as_u64().unwrap())
            .collect()
    };
    assert_eq!(
        numbers(
            &world
                .json("list_sub_issues", json!({"issue_number": 2}))
                .await
        ),
        [4, 5]
    );
    world.text("reprioritize_sub_issue", json!({"issue_number": 2, "sub_issue_id": 3_000_000_005_u64, "before_id": 3_000_000_004_u64})).await;
    assert_eq!(
        numbers(
            &world
                .json("list_sub_issues", json!({"issue_number": 2}))
                .await
        ),
        [5, 4]
    );
    let twice = world
        .refusal(
            "add_sub_issue",
            json!({"issue_number": 1, "sub_issue_id": 3_000_000_005_u64}),
        )
        .await;
    assert!(twice.contains("422"), "{twice}");
    let circle = world
        .refusal(
            "add_sub_issue",
            json!({"issue_number": 5, "sub_issue_id": 3_000_000_002_u64}),
        )
        .await;
    assert!(circle.contains("ancestor"), "{circle}");
    world
        .text(
            "add_sub_issue",
            json!({"issue_number": 1, "sub_issue_id": 3_000_000_005_u64, "replace_parent": true}),
        )
        .await;
    world
        .text(
            "remove_sub_issue",
            json!({"issue_number": 2, "sub_issue_id": 3_000_000_004_u64}),
        )
        .await;
    assert_eq!(
        world
            .text("list_sub_issues", json!({"issue_number": 2}))
            .await,
        "[]"
    );
}

#[tokio::test]
async fn issues_are_of_types_that_the_owner_has() {
    let world = World::new().await;
    let refused = world
        .error("create_issue", json!({"title": "x", "type": "Bug"}))
        .await;
    let expected = "422 Validation Failed [{Resource:Issue Field:type Code:invalid Message:}]";
    assert!(refused.contains(expected), "{refused}");
    let none = world.error("list_issue_types", json!({})).await;
    assert!(none.contains("/orgs/acme/issue-types: 404"), "{none}");

    let typed = |dir: &std::path::Path| {
        crate::support::standard(dir);
        let issue = json!({"number": 1, "title": "Old", "user": "ann", "type": "Bug"});
        crate::support::write(dir, "issues.json", &json!([issue]));
    };
    let world = World::of(typed).await;
    let types = world.json("list_issue_types", json!({})).await;
    assert_eq!(types[0]["name"], "Bug");
    let other = world
        .error("list_issue_types", json!({"owner": "other"}))
        .await;
    assert!(other.contains("404"), "{other}");
    world
        .text("create_issue", json!({"title": "x", "type": "Bug"}))
        .await;
    let change = |kind: &str| json!({"issue_number": 4, "title": "y", "type": kind});
    let refused = world.refusal("update_issue", change("Task")).await;
    assert!(refused.ends_with(expected), "{refused}");
    let issue = world.json("get_issue", json!({"issue_number": 4})).await;
    assert_eq!(
        (&issue["title"], &issue["type"]["name"]),
        (&json!("x"), &json!("Bug"))
    );

    let world = World::as_of("v1.10.1", typed, None).await;
    let types = world.json("list_issue_types", json!({})).await;
    assert_eq!(types[0]["name"], "Bug");
    let write = json!({"method": "create", "title": "x", "type": "Task"});
    let refused = world.refusal("issue_write", write).await;
    assert_eq!(
        refused,
        "failed to create issue: Validation Failed\nIssue.type (invalid)"
    );

    let read = json!({"method": "get", "issue_number": 1});
    let before = world.json("issue_read", read.clone()).await;
    assert_eq!(before["issue_type"], "Bug");
    let clear = json!({"method": "update", "issue_number": 1, "type": null});
    world.text("issue_write", clear.clone()).await;
    let cleared = world.json("issue_read", read.clone()).await;
    assert_eq!(cleared.get("issue_type"), None);
    assert_ne!(cleared["updated_at"], before["updated_at"]);
    // The issue has no type any more, so that nothing changes.
    let state = world.state().await.digest();
    world.text("issue_write", clear).await;
    assert_eq!(world.json("issue_read", read).await, cleared);
    assert_eq!(world.state().await.digest(), state);

    let site = Site::of(World::of(typed).await).await;
    let kept = site
        .ask("PATCH", "/issues/1", json!({"title": "New"}))
        .await;
    assert_eq!(kept.json()["type"]["name"], "Bug");
    let cleared = site.ask("PATCH", "/issues/1", json!({"type": null})).await;
    assert_eq!(
        (cleared.status, &cleared.json()["type"]),
        (200, &Value::Null)
    );
}
