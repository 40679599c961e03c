//! Reviews, submitted at once or step by step.

use serde_json::{Value, json};

use crate::rest::Site;
use crate::support::{Repo, World, write};

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
async fn authors_cannot_approve_their_own_pull_requests() {
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
                .map(|line| {
                    if changed.contains(&line) {
                        format!("changed {line}\n")
                    } else {
                        format!("line {line}\n")
                    }
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

/// Returns thirty lines, with some replaced.
fn lines(changed: &[(usize, &str)]) -> String {
    let text = |line: usize| changed.iter().find(|(at, _)| *at == line);
    (1..=30)
        .map(|line| text(line).map_or(format!("line {line}\n"), |(_, text)| format!("{text}\n")))
        .collect()
}

/// Creates the pull request #1, which changes lines 16 and 17, with review comments.
fn commented(dir: &std::path::Path, comments: &Value) {
    let mut repo = Repo::new(dir);
    repo.commit("main", "Begin", &[("text", Some(&lines(&[])))]);
    repo.branch("topic", "main");
    let changed = lines(&[(16, "sixteen"), (17, "seventeen")]);
    repo.commit("topic", "Change", &[("text", Some(&changed))]);
    write(
        dir,
        "repository.json",
        &json!({"owner": "acme", "name": "demo", "viewer": "ann"}),
    );
    let pull = json!({
        "number": 1, "title": "Change", "head": "topic", "base": "main", "user": "bo", "review_comments": comments,
    });
    write(dir, "pulls.json", &json!([pull]));
}

/// Replaces the text on the head branch: with a commit on its tip, or by a force push.
async fn push(site: &Site, text: &str, force: bool) {
    let parent = if force { "main" } else { "topic" };
    let parent = site.get(&format!("/commits/{parent}")).await.json();
    let tree =
        json!({"tree": [{"path": "text", "mode": "100644", "type": "blob", "content": text}]});
    let tree = site.ask("POST", "/git/trees", tree).await.json();
    let commit = json!({"message": "Again", "tree": tree["sha"], "parents": [parent["sha"]]});
    let commit = site.ask("POST", "/git/commits", commit).await.json();
    let moved = json!({"sha": commit["sha"], "force": force});
    let moved = site.ask("PATCH", "/git/refs/heads/topic", moved).await;
    assert_eq!(moved.status, 200);
}

/// Returns for each comment `line`, `start_line`, their original values, and whether its commit is the head.
async fn places(site: &Site) -> Vec<Value> {
    let head = site.get("/pulls/1").await.json()["head"]["sha"].clone();
    let comments = site.get("/pulls/1/comments").await.json();
    let place = |it: &Value| {
        json!([
            it["line"],
            it["start_line"],
            it["original_line"],
            it["original_start_line"],
            it["commit_id"] == head
        ])
    };
    comments.as_array().unwrap().iter().map(place).collect()
}

async fn hunks(site: &Site) -> Vec<Value> {
    let comments = site.get("/pulls/1/comments").await.json();
    let hunk = |it: &Value| json!([it["diff_hunk"], it["original_commit_id"]]);
    comments.as_array().unwrap().iter().map(hunk).collect()
}

#[tokio::test]
async fn a_comment_keeps_what_it_was_written_on_and_goes_with_its_line() {
    let world = World::of(|dir| commented(dir, &json!([]))).await;
    let site = Site::of(world).await;
    let head = site.get("/pulls/1").await.json()["head"]["sha"].clone();
    for more in [
        json!({"line": 16}),
        json!({"line": 18, "start_line": 16}),
        json!({"line": 16, "side": "LEFT"}),
        json!({"subject_type": "file"}),
        json!({"in_reply_to": 2_100_000_001}),
    ] {
        let mut comment = json!({"path": "text", "body": "b", "commit_id": head, "side": "RIGHT"});
        comment
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().cloned().unwrap());
        let made = site.ask("POST", "/pulls/1/comments", comment).await;
        assert_eq!(made.status, 201, "{}", made.json());
    }
    let written = hunks(&site).await;
    assert!(written[0][0].as_str().unwrap().ends_with("\n+sixteen"));
    assert!(written[2][0].as_str().unwrap().ends_with("\n-line 16"));
    assert_eq!(written[0], written[4]);

    // A new line at the top moves the comments on the head.
    let changed = [(16, "sixteen"), (17, "seventeen")];
    push(&site, &format!("top\n{}", lines(&changed)), false).await;
    assert_eq!(
        places(&site).await,
        [
            json!([17, null, 16, null, true]),
            json!([19, 17, 18, 16, true]),
            json!([16, null, 16, null, true]),
            json!([null, null, null, null, false]),
            json!([17, null, 16, null, true]),
        ]
    );
    // The line itself was changed, so comments on it are outdated, and so is a new reply.
    push(&site, &lines(&[(16, "SIXTEEN"), (17, "seventeen")]), false).await;
    let answer = json!({"body": "b", "in_reply_to": 2_100_000_001});
    let answer = site.ask("POST", "/pulls/1/comments", answer).await.json();
    assert_eq!(
        (
            &answer["line"],
            &answer["original_line"],
            &answer["subject_type"]
        ),
        (&Value::Null, &json!(16), &json!("line"))
    );
    let outdated = places(&site).await;
    assert_eq!(outdated[0], json!([null, null, 16, null, false]));
    assert_eq!(outdated[1], json!([18, null, 18, 16, true]));
    assert_eq!(outdated[2], json!([16, null, 16, null, true]));
    // The original text makes the comment current again.
    push(&site, &lines(&changed), false).await;
    assert_eq!(places(&site).await[0], json!([16, null, 16, null, true]));
    assert_eq!(hunks(&site).await[..5], written);
    let answered = site.get("/pulls/comments/2100000006").await.json();
    assert_eq!(answered["diff_hunk"], written[0][0]);

    // The state omits these fields, because they follow from the commits.
    let dir = site.world.export().await;
    let text = std::fs::read_to_string(dir.join("pulls.json")).unwrap();
    assert!(
        !text.contains("original_") && !text.contains("diff_hunk"),
        "{text}"
    );
}

#[tokio::test]
async fn a_branch_that_is_forced_elsewhere_takes_no_hunk_away() {
    let comments = json!([
        {"user": "bo", "body": "moves", "path": "text", "line": 17},
        {"user": "bo", "body": "goes", "path": "text", "line": 16, "side": "RIGHT"},
        {"user": "bo", "body": "file", "path": "text"},
    ]);
    let world = World::of(|dir| commented(dir, &comments)).await;
    let site = Site::of(world).await;
    let written = hunks(&site).await;
    push(
        &site,
        &format!("top\n{}", lines(&[(17, "seventeen")])),
        true,
    )
    .await;
    let forced = [
        json!([18, null, 17, null, true]),
        json!([null, null, 16, null, true]),
        json!([null, null, null, null, true]),
    ];
    assert_eq!(places(&site).await, forced);
    assert_eq!(hunks(&site).await, written);
    // The commit that the comments were written on is not in the state.
    let site = Site::of(site.world.again().await).await;
    assert_eq!(places(&site).await, forced);
    assert_eq!(hunks(&site).await, written);

    // If the head is forced to the base, the pull request has no commits left and is closed.
    let main = site.get("/commits/main").await.json();
    let moved = json!({"sha": main["sha"], "force": true});
    site.ask("PATCH", "/git/refs/heads/topic", moved).await;
    let pull = site.get("/pulls/1").await.json();
    assert_eq!(
        (&pull["state"], &pull["merged"], &pull["commits"]),
        (&json!("closed"), &json!(false), &json!(0))
    );
    assert_eq!(pull["head"]["sha"], main["sha"]);
    assert_eq!(hunks(&site).await, written);
    let open = site
        .ask("PATCH", "/pulls/1", json!({"state": "open"}))
        .await;
    assert_eq!(
        open.json()["errors"][0]["message"],
        "state cannot be changed. There are no new commits on the topic branch."
    );
}

#[tokio::test]
async fn documents_say_of_comments_what_github_says() {
    let hunk = "@@ -13,7 +13,7 @@ line 12\n line 13\n-line 16\n+other";
    let gone = |one: &str| one.repeat(40);
    let comments = json!([
        {"id": 1, "user": "bo", "body": "outdated", "path": "text", "line": null, "original_line": 16, "side": "RIGHT",
         "position": null, "original_position": 5, "diff_hunk": hunk, "commit_id": gone("1"),
         "original_commit_id": gone("2")},
        {"id": 2, "user": "bo", "body": "current", "path": "text", "line": 17, "original_line": 16, "side": "RIGHT",
         "original_start_line": 14, "start_line": 15, "diff_hunk": hunk},
        {"id": 3, "user": "bo", "body": "same", "path": "text", "line": 17, "original_line": 17, "diff_hunk": hunk,
         "commit_id": gone("1"), "original_commit_id": gone("1")},
    ]);
    let make = |dir: &std::path::Path| commented(dir, &comments);
    let site = Site::of(World::of(make).await).await;
    let expected = [
        json!([null, null, 16, null, false]),
        json!([17, 15, 16, 14, true]),
        json!([17, null, 17, null, false]),
    ];
    assert_eq!(places(&site).await, expected);
    let written = hunks(&site).await;
    assert_eq!(written[0], json!([hunk, gone("2")]));
    let before = site.world.state().await.digest();
    let site = Site::of(site.world.again().await).await;
    assert_eq!(places(&site).await, expected);
    assert_eq!(hunks(&site).await, written);
    assert_eq!(site.world.state().await.digest(), before);
    let dir = site.world.export().await;
    let text = std::fs::read_to_string(dir.join("pulls.json")).unwrap();
    assert_eq!(text.matches("original_commit_id").count(), 1, "{text}");
    let world = World::as_of("v1.10.1", make, None).await;
    let asked = json!({"pullNumber": 1, "method": "get_review_comments"});
    let threads = world.json("pull_request_read", asked).await;
    let told = |index: usize| {
        let thread = &threads["review_threads"][index];
        (&thread["is_outdated"], &thread["comments"][0]["line"])
    };
    assert_eq!(told(0), (&json!(true), &Value::Null));
    assert_eq!(told(1), (&json!(false), &json!(17)));
}

#[tokio::test]
async fn comments_on_lines_share_what_their_pull_request_changes() {
    const FILES: usize = 2_000;
    const COMMENTS: u64 = 3_000;
    let comment = |id: u64| json!({"id": id, "user": "ann", "body": "x", "path": "text", "line": 16, "created_at": "2024-03-01T00:00:00Z"});
    let comments: Vec<Value> = (1..=COMMENTS).map(comment).collect();
    let world = World::of(|dir| {
        commented(dir, &json!(comments));
        let names: Vec<String> = (0..FILES).map(|it| format!("files/{it}")).collect();
        let files: Vec<_> = names.iter().map(|it| (it.as_str(), Some("x\n"))).collect();
        Repo::again(dir).commit("topic", "Write much", &files);
    })
    .await;
    let site = Site::of(world).await;
    let mut seen = 0;
    for page in 1..=COMMENTS / 100 {
        let below = format!("/pulls/1/comments?per_page=100&page={page}");
        let shown = site.get(&below).await.json();
        for comment in shown.as_array().unwrap() {
            seen += 1;
            let hunk = comment["diff_hunk"].as_str().unwrap();
            assert!(hunk.ends_with("\n+sixteen"), "{hunk}");
        }
    }
    assert_eq!(seen, COMMENTS);
}

#[tokio::test]
async fn a_base_that_is_gone_stays_what_was_changed_from() {
    let world = World::of(|dir| commented(dir, &json!([]))).await;
    let site = Site::of(world).await;
    let main = site.get("/commits/main").await.json()["sha"].clone();
    let base = json!({"ref": "refs/heads/release", "sha": main});
    assert_eq!(site.ask("POST", "/git/refs", base).await.status, 201);
    let file = json!({"message": "Release", "content": "MQ==", "branch": "release"});
    let made = site.ask("PUT", "/contents/version", file).await;
    assert_eq!(made.status, 201);
    let pull = json!({"title": "Change", "head": "topic", "base": "release"});
    let pull = site.ask("POST", "/pulls", pull).await.json();
    let comment = json!({
        "body": "Here", "path": "text", "line": 16, "side": "RIGHT", "commit_id": pull["head"]["sha"],
    });
    let at = format!("/pulls/{}", pull["number"]);
    let made = site.ask("POST", &format!("{at}/comments"), comment).await;
    assert_eq!(made.status, 201);
    let gone = site
        .ask("DELETE", "/git/refs/heads/release", Value::Null)
        .await;
    assert_eq!(gone.status, 204);

    let reopened = site.ask("PATCH", &at, json!({"state": "open"})).await;
    assert_eq!(reopened.status, 422);
    assert_eq!(
        reopened.json()["errors"][0]["message"],
        "state cannot be changed. The release branch has been deleted."
    );
    // No branch contains the commit any more, but the next session shows the same as this one.
    let (state, pull) = (site.world.state().await, site.get(&at).await.json());
    let comments = site.get(&format!("{at}/comments")).await.json();
    assert_eq!(pull["state"], "closed");
    assert_ne!(pull["base"]["sha"], main);
    assert!(
        comments[0]["diff_hunk"]
            .as_str()
            .is_some_and(|hunk| hunk.starts_with("@@ "))
    );
    let site = Site::of(site.world.again().await).await;
    assert_eq!(
        site.get(&at).await.json()["base"]["sha"],
        pull["base"]["sha"]
    );
    assert_eq!(site.get(&format!("{at}/comments")).await.json(), comments);
    assert_eq!(site.world.state().await.digest(), state.digest());
}
