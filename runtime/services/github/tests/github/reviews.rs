//! Reviews, at once and step by step.

use serde_json::json;

use crate::support::World;

#[tokio::test]
async fn a_review_is_kept_back_until_it_is_submitted() {
    let world = World::new().await;
    let on = json!({"pullNumber": 3});
    assert_eq!(
        world
            .refusal(
                "submit_pending_pull_request_review",
                json!({"pullNumber": 3, "event": "COMMENT"})
            )
            .await,
        "No pending review found for the viewer"
    );
    assert_eq!(
        world
            .text("create_pending_pull_request_review", on.clone())
            .await,
        "pending pull request created"
    );
    let comment = json!({"pullNumber": 3, "path": "src/lib.rs", "body": "Why?", "subjectType": "LINE", "line": 6, "side": "RIGHT"});
    assert_eq!(
        world
            .text("add_comment_to_pending_review", comment.clone())
            .await,
        "pull request review comment successfully added to pending review"
    );
    let mut far = comment;
    far["line"] = 99.into();
    assert_eq!(
        world.refusal("add_comment_to_pending_review", far).await,
        "pull_request_review_thread.line must be part of the diff"
    );
    assert_eq!(
        world
            .text("get_pull_request_review_comments", on.clone())
            .await,
        "[]"
    );
    let pending = world.json("get_pull_request_reviews", on.clone()).await;
    assert_eq!(pending[0]["state"], "PENDING");
    world
        .text(
            "submit_pending_pull_request_review",
            json!({"pullNumber": 3, "event": "REQUEST_CHANGES", "body": "Not yet"}),
        )
        .await;
    let reviews = world.json("get_pull_request_reviews", on.clone()).await;
    assert_eq!(
        (&reviews[0]["state"], &reviews[0]["body"]),
        (&json!("CHANGES_REQUESTED"), &json!("Not yet"))
    );
    let comments = world.json("get_pull_request_review_comments", on).await;
    assert_eq!(comments[0]["line"], 6);
    assert!(
        comments[0]["diff_hunk"]
            .as_str()
            .unwrap()
            .ends_with("+    22"),
        "{comments}"
    );
}

#[tokio::test]
async fn nobody_approves_what_is_his_own() {
    let world = World::new().await;
    world
        .text(
            "create_and_submit_pull_request_review",
            json!({"pullNumber": 3, "event": "APPROVE", "body": ""}),
        )
        .await;
    world
        .text(
            "create_pull_request",
            json!({"title": "Own", "head": "feature", "base": "main"}),
        )
        .await;
    assert_eq!(
        world
            .refusal(
                "create_and_submit_pull_request_review",
                json!({"pullNumber": 4, "event": "APPROVE", "body": "ok"})
            )
            .await,
        "Can not approve your own pull request"
    );
    assert_eq!(
        world
            .refusal(
                "create_and_submit_pull_request_review",
                json!({"pullNumber": 9, "event": "APPROVE", "body": "ok"})
            )
            .await,
        "failed to get pull request: Could not resolve to a PullRequest with the number of 9."
    );
}
