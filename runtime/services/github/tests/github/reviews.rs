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

#[tokio::test]
async fn a_review_is_of_a_commit_of_the_pull_request() {
    let world = World::new().await;
    let pull = world
        .json("get_pull_request", json!({"pullNumber": 3}))
        .await;
    let own = pull["head"]["sha"].as_str().unwrap();
    let foreign = world.json("get_commit", json!({"sha": "feature"})).await;
    let of = |commit: &str| json!({"pullNumber": 3, "commitID": commit, "event": "COMMENT", "body": "Hm."});
    assert_eq!(
        world
            .refusal("create_and_submit_pull_request_review", of("main"))
            .await,
        "Variable $input of type AddPullRequestReviewInput! was provided invalid value for commitOID (Could not \
         coerce value \"main\" to GitObjectID)"
    );
    assert_eq!(
        world
            .refusal(
                "create_pending_pull_request_review",
                of(foreign["sha"].as_str().unwrap())
            )
            .await,
        "The commit ID is not part of the pull request"
    );
    world
        .text("create_and_submit_pull_request_review", of(own))
        .await;
    let reviews = world
        .json("get_pull_request_reviews", json!({"pullNumber": 3}))
        .await;
    assert_eq!(reviews[0]["commit_id"], own);
}

#[tokio::test]
async fn a_comment_is_on_a_range_of_one_hunk() {
    let world = World::of(|dir| {
        let mut repo = crate::support::Repo::new(dir);
        let lines = |changed: &[usize]| -> String {
            (1..=60)
                .map(|line| match changed.contains(&line) {
                    true => format!("changed {line}\n"),
                    false => format!("line {line}\n"),
                })
                .collect()
        };
        repo.commit("main", "Begin", &[("text", Some(&lines(&[])))]);
        repo.branch("topic", "main");
        repo.commit("topic", "Change", &[("text", Some(&lines(&[10, 50])))]);
        crate::support::write(
            dir,
            "repository.json",
            &json!({"owner": "acme", "name": "demo", "viewer": "ann"}),
        );
        let pull =
            json!({"number": 1, "title": "Change", "head": "topic", "base": "main", "user": "bo"});
        crate::support::write(dir, "pulls.json", &json!([pull]));
    })
    .await;
    world
        .text(
            "create_pending_pull_request_review",
            json!({"pullNumber": 1}),
        )
        .await;
    let comment = |more: serde_json::Value| {
        let mut comment = json!({
            "pullNumber": 1, "path": "text", "body": "b", "subjectType": "LINE", "line": 50, "side": "RIGHT",
        });
        comment
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().cloned().unwrap());
        comment
    };
    let expected = |field: &str, given: &str, allowed: &str| {
        format!(
            "Variable $input of type AddPullRequestReviewThreadInput! was provided invalid value for {field} \
             (Expected \"{given}\" to be one of: {allowed})"
        )
    };
    let thread = "pull_request_review_thread";
    for (more, problem) in [
        (json!({"side": "UP"}), expected("side", "UP", "LEFT, RIGHT")),
        (
            json!({"startSide": "left"}),
            expected("startSide", "left", "LEFT, RIGHT"),
        ),
        (
            json!({"subjectType": "BOGUS"}),
            expected("subjectType", "BOGUS", "LINE, FILE"),
        ),
        (
            json!({"startLine": 51}),
            format!("{thread}.start_line must precede the end line."),
        ),
        (
            json!({"startLine": 50}),
            format!("{thread}.start_line must precede the end line."),
        ),
        (
            json!({"startLine": 10}),
            format!("{thread}.start_line must be part of the same hunk as the line."),
        ),
        (
            json!({"line": 30}),
            format!("{thread}.line must be part of the diff"),
        ),
        (json!({"body": " "}), "Body can't be blank".to_owned()),
    ] {
        assert_eq!(
            world
                .refusal("add_comment_to_pending_review", comment(more.clone()))
                .await,
            problem,
            "{more}"
        );
    }
    for more in [
        json!({"startLine": 48}),
        json!({"startLine": 50, "startSide": "LEFT"}),
        json!({"subjectType": "FILE"}),
    ] {
        world
            .text("add_comment_to_pending_review", comment(more))
            .await;
    }
}
