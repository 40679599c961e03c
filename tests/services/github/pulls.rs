//! Pull requests: how they are shown, merged and closed.

use serde_json::{Value, json};

use crate::rest::Site;
use crate::support::{Repo, World, standard, write};

async fn open(world: &World) -> u64 {
    let made = world
        .json(
            "create_pull_request",
            json!({
                "title": "Add three", "body": "Closes #2", "head": "feature", "base": "main",
            }),
        )
        .await;
    assert_eq!(
        made,
        json!({"id": "2500000004", "url": "https://github.com/acme/demo/pull/4"})
    );
    4
}

#[tokio::test]
async fn a_pull_request_says_whether_it_merges() {
    let world = World::new().await;
    let number = open(&world).await;
    let pull = world
        .json("get_pull_request", json!({"pullNumber": number}))
        .await;
    assert_eq!(
        (
            &pull["mergeable"],
            &pull["mergeable_state"],
            &pull["rebaseable"]
        ),
        (&json!(true), &json!("clean"), &json!(true))
    );
    assert_eq!(
        (
            &pull["commits"],
            &pull["changed_files"],
            &pull["additions"],
            &pull["deletions"]
        ),
        (&json!(2), &json!(2), &json!(4), &json!(1))
    );
    assert_eq!(pull["head"]["label"], "acme:feature");
    assert_eq!(pull["head"]["repo"]["full_name"], "acme/demo");
    let dirty = world
        .json("get_pull_request", json!({"pullNumber": 3}))
        .await;
    assert_eq!(
        (&dirty["mergeable"], &dirty["mergeable_state"]),
        (&json!(false), &json!("dirty"))
    );
    assert_eq!(
        world
            .refusal("merge_pull_request", json!({"pullNumber": 3}))
            .await,
        "failed to merge pull request: PUT https://api.github.com/repos/acme/demo/pulls/3/merge: 405 Pull Request is not mergeable []"
    );
    let list = world.json("list_pull_requests", json!({})).await;
    let numbers: Vec<u64> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["number"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, [4, 3]);
    assert!(list[0].get("mergeable").is_none());
}

#[tokio::test]
async fn a_pull_request_shows_its_changes() {
    let world = World::new().await;
    let number = open(&world).await;
    let files = world
        .json("get_pull_request_files", json!({"pullNumber": number}))
        .await;
    assert_eq!(files[0]["filename"], "README.md");
    assert_eq!(
        files[0]["patch"],
        "@@ -1,3 +1,3 @@\n # Demo\n \n-A demo.\n+A demo of three."
    );
    assert_eq!(files[1]["status"], "added");
    let diff = world
        .text("get_pull_request_diff", json!({"pullNumber": number}))
        .await;
    assert!(
        diff.starts_with("diff --git a/README.md b/README.md\nindex "),
        "{diff}"
    );
    assert!(diff.ends_with("--- /dev/null\n+++ b/src/three.rs\n@@ -0,0 +1,3 @@\n+pub fn three() -> u32 {\n+    3\n+}\n"), "{diff}");
    let status = world
        .json("get_pull_request_status", json!({"pullNumber": number}))
        .await;
    assert_eq!(
        (&status["state"], &status["total_count"]),
        (&json!("pending"), &json!(0))
    );
}

async fn tip(world: &World) -> Value {
    world.json("get_commit", json!({"sha": "main"})).await
}

#[tokio::test]
async fn merging_closes_what_the_text_closes() {
    let world = World::new().await;
    let number = open(&world).await;
    let merged = world
        .text("merge_pull_request", json!({"pullNumber": number}))
        .await;
    let commit = tip(&world).await;
    let sha = commit["sha"].as_str().unwrap();
    assert_eq!(
        merged,
        format!(r#"{{"sha":"{sha}","merged":true,"message":"Pull Request successfully merged"}}"#)
    );
    assert_eq!(
        commit["commit"]["message"],
        "Merge pull request #4 from acme/feature\n\nAdd three"
    );
    assert_eq!(commit["author"]["login"], "ann");
    assert_eq!(commit["committer"]["login"], "web-flow");
    let pull = world
        .json("get_pull_request", json!({"pullNumber": number}))
        .await;
    assert_eq!(
        (&pull["state"], &pull["merged"], &pull["merge_commit_sha"]),
        (&json!("closed"), &json!(true), &json!(sha))
    );
    // The changes of a merged pull request are still shown.
    assert_eq!(
        (&pull["commits"], &pull["changed_files"]),
        (&json!(2), &json!(2))
    );
    let issue = world.json("get_issue", json!({"issue_number": 2})).await;
    assert_eq!(
        (&issue["state"], &issue["state_reason"]),
        (&json!("closed"), &json!("completed"))
    );
    assert!(
        world
            .refusal("merge_pull_request", json!({"pullNumber": number}))
            .await
            .contains("405")
    );
    let again = world
        .refusal(
            "create_pull_request",
            json!({"title": "x", "head": "feature", "base": "main"}),
        )
        .await;
    assert!(again.ends_with("422 Validation Failed [{Resource:PullRequest Field: Code:custom Message:No commits between main and feature}]"), "{again}");
}

#[tokio::test]
async fn squashing_makes_one_commit() {
    let world = World::new().await;
    let number = open(&world).await;
    let before = tip(&world).await;
    world
        .text(
            "merge_pull_request",
            json!({"pullNumber": number, "merge_method": "squash"}),
        )
        .await;
    let commit = tip(&world).await;
    assert_eq!(
        commit["commit"]["message"],
        "Add three (#4)\n\n* Add three\n\n* Say so <here> & there\n\n---------\n\nCo-authored-by: Bo <bo@example.org>"
    );
    let log = world.json("list_commits", json!({})).await;
    assert_eq!(log[1]["sha"], before["sha"]);
}

#[tokio::test]
async fn rebasing_keeps_the_commits_and_their_authors() {
    let world = World::new().await;
    let number = open(&world).await;
    world
        .text(
            "merge_pull_request",
            json!({"pullNumber": number, "merge_method": "rebase"}),
        )
        .await;
    let log = world.json("list_commits", json!({"perPage": 3})).await;
    assert_eq!(log[0]["commit"]["message"], "Say so <here> & there");
    assert_eq!(log[0]["commit"]["author"]["name"], "Bo");
    assert_eq!(log[0]["commit"]["author"]["date"], "2024-01-01T05:00:00Z");
    assert_eq!(log[0]["commit"]["committer"]["name"], "Ann Lee");
    assert_eq!(log[1]["commit"]["message"], "Add three");
    assert_eq!(log[2]["commit"]["message"], "Move the notes");
}

#[tokio::test]
async fn a_head_follows_its_branch_and_takes_in_its_base() {
    let world = World::new().await;
    let number = open(&world).await;
    world.text("push_files", json!({"branch": "feature", "message": "More", "files": [{"path": "more", "content": "m"}]})).await;
    let pull = world
        .json("get_pull_request", json!({"pullNumber": number}))
        .await;
    assert_eq!(pull["commits"], 3);
    assert_eq!(
        world
            .text("update_pull_request_branch", json!({"pullNumber": number}))
            .await,
        "Pull request branch update is in progress"
    );
    let pull = world
        .json("get_pull_request", json!({"pullNumber": number}))
        .await;
    assert_eq!(
        (&pull["commits"], &pull["changed_files"]),
        (&json!(4), &json!(3))
    );
    let again = world
        .refusal("update_pull_request_branch", json!({"pullNumber": number}))
        .await;
    assert!(
        again.contains("There are no new commits on the base branch."),
        "{again}"
    );
    assert_eq!(
        world
            .refusal("update_pull_request", json!({"pullNumber": number}))
            .await,
        "No update parameters provided."
    );
    world
        .text(
            "update_pull_request",
            json!({"pullNumber": number, "title": "T", "draft": true, "reviewers": ["bo"]}),
        )
        .await;
    let pull = world
        .json("get_pull_request", json!({"pullNumber": number}))
        .await;
    assert_eq!(
        (&pull["title"], &pull["draft"], &pull["mergeable_state"]),
        (&json!("T"), &json!(true), &json!("draft"))
    );
    assert_eq!(pull["requested_reviewers"][0]["login"], "bo");
    world
        .text(
            "update_pull_request",
            json!({"pullNumber": number, "state": "closed"}),
        )
        .await;
    let open = world
        .json("list_pull_requests", json!({"state": "open"}))
        .await;
    assert_eq!(open.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_head_that_comes_into_its_base_another_way_is_merged() {
    let world = World::new().await;
    world
        .text("create_branch", json!({"branch": "middle"}))
        .await;
    let up = json!({"title": "Up", "head": "feature", "base": "middle"});
    world.text("create_pull_request", up).await;
    let number = open_as(&world, 5).await;
    world
        .text("merge_pull_request", json!({"pullNumber": 4}))
        .await;
    // The pull request of the same branch into `main` is not affected.
    let pull = world
        .json("get_pull_request", json!({"pullNumber": number}))
        .await;
    assert_eq!(pull["state"], "open");
    let middle = json!({"title": "Middle", "head": "middle", "base": "main"});
    world.text("create_pull_request", middle).await;
    world
        .text("merge_pull_request", json!({"pullNumber": 6}))
        .await;
    let pull = world
        .json("get_pull_request", json!({"pullNumber": number}))
        .await;
    assert_eq!(
        (&pull["state"], &pull["merged"]),
        (&json!("closed"), &json!(true))
    );
}

async fn open_as(world: &World, number: u64) -> u64 {
    let made = json!({"title": "Add three", "head": "feature", "base": "main"});
    let made = world.json("create_pull_request", made).await;
    assert_eq!(
        made["url"],
        format!("https://github.com/acme/demo/pull/{number}")
    );
    number
}

#[tokio::test]
async fn a_protected_branch_asks_for_a_review() {
    let world = World::of(|dir| {
        crate::support::standard(dir);
        crate::support::write(
            dir,
            "repository.json",
            &json!({
                "owner": "acme", "name": "demo", "viewer": "bo", "allow_squash_merge": false,
                "protected_branches": {"main": {"required_approvals": 1, "up_to_date": true}},
            }),
        );
        crate::support::write(
            dir,
            "pulls.json",
            &json!([
                {"number": 3, "title": "Three", "head": "feature", "base": "main", "user": "ann"},
            ]),
        );
    })
    .await;
    let state = |pull: Value| pull["mergeable_state"].clone();
    assert_eq!(
        state(
            world
                .json("get_pull_request", json!({"pullNumber": 3}))
                .await
        ),
        "blocked"
    );
    let file = json!({"branch": "main", "path": "x", "content": "x", "message": "x"});
    let direct = world.refusal("create_or_update_file", file).await;
    assert!(
        direct.contains("Changes must be made through a pull request."),
        "{direct}"
    );
    let squash = json!({"pullNumber": 3, "merge_method": "squash"});
    let refused = world.refusal("merge_pull_request", squash).await;
    assert!(
        refused.ends_with(": 405 Squash merges are not allowed on this repository. []"),
        "{refused}"
    );
    let refused = world
        .refusal("merge_pull_request", json!({"pullNumber": 3}))
        .await;
    assert!(
        refused.contains("At least 1 approving review is required"),
        "{refused}"
    );
    let approve = json!({"pullNumber": 3, "event": "APPROVE", "body": ""});
    world
        .text("create_and_submit_pull_request_review", approve)
        .await;
    assert_eq!(
        state(
            world
                .json("get_pull_request", json!({"pullNumber": 3}))
                .await
        ),
        "behind"
    );
    world
        .text("update_pull_request_branch", json!({"pullNumber": 3}))
        .await;
    assert_eq!(
        state(
            world
                .json("get_pull_request", json!({"pullNumber": 3}))
                .await
        ),
        "clean"
    );
    world
        .text("merge_pull_request", json!({"pullNumber": 3}))
        .await;
    let branches = world.json("list_branches", json!({})).await;
    assert_eq!(branches[2]["protected"], true);
}

#[tokio::test]
async fn approvals_count_of_people_who_may_push() {
    let world = World::of(|dir| {
        crate::support::standard(dir);
        crate::support::write(
            dir,
            "repository.json",
            &json!({
                "owner": "acme", "name": "demo", "viewer": "ann", "collaborators": ["ann", "cy"],
                "protected_branches": {
                    "main": {"required_approvals": 1}, "feature": {"pull_requests_only": true},
                },
            }),
        );
        crate::support::write(
            dir,
            "users.json",
            &json!([{"login": "ann"}, {"login": "bo"}, {"login": "cy"}, {"login": "acme"}]),
        );
        let review = |user: &str, state: &str| {
            json!({"user": user, "state": state, "body": "b", "submitted_at": "2024-04-01T00:00:00Z"})
        };
        crate::support::write(
            dir,
            "pulls.json",
            &json!([
                {"number": 3, "title": "Three", "head": "feature", "base": "main", "user": "ann",
                 "reviews": [review("bo", "APPROVED")]},
                {"number": 4, "title": "Four", "head": "feature", "base": "main", "user": "ann",
                 "reviews": [review("bo", "CHANGES_REQUESTED"), review("cy", "APPROVED")]},
            ]),
        );
    })
    .await;
    let refused = world
        .refusal("merge_pull_request", json!({"pullNumber": 3}))
        .await;
    assert!(
        refused.contains("At least 1 approving review is required by reviewers with write access."),
        "{refused}"
    );
    // The branch accepts only changes through pull requests, also from this tool.
    let update = json!({"pullNumber": 3});
    let refused = world.refusal("update_pull_request_branch", update).await;
    assert!(
        refused.ends_with(": 422 Changes must be made through a pull request. []"),
        "{refused}"
    );
    world
        .text("merge_pull_request", json!({"pullNumber": 4}))
        .await;
}

#[tokio::test]
async fn only_an_open_pull_request_with_a_branch_takes_in_its_base() {
    let world = World::of(|dir| {
        standard(dir);
        let repo = Repo::again(dir);
        let pull = |number: u64, more: Value| {
            let mut pull = json!({"number": number, "title": "T", "head": "feature", "base": "main", "user": "bo"});
            pull.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
            pull
        };
        let main = repo.tip("main").unwrap().to_string();
        let merged = json!({"state": "closed", "merged_at": "2024-02-01T00:00:00Z", "merge_commit_sha": main});
        let tip = repo.tip("clash").unwrap().to_string();
        write(
            dir,
            "pulls.json",
            &json!([
                pull(3, json!({"state": "closed"})),
                pull(4, merged),
                pull(5, json!({"head": "gone", "head_sha": tip})),
            ]),
        );
    })
    .await;
    let site = Site::of(world).await;
    let branches = site.get("/branches").await.json();
    for (number, problem) in [
        (3, "Cannot update a closed pull request's branch."),
        (4, "Cannot update a closed pull request's branch."),
        (5, "The gone branch has been deleted."),
    ] {
        let refused = site
            .world
            .refusal("update_pull_request_branch", json!({"pullNumber": number}))
            .await;
        assert!(refused.ends_with(&format!("422 {problem} []")), "{refused}");
    }
    assert_eq!(site.get("/branches").await.json(), branches);
}

#[tokio::test]
async fn merges_into_the_default_branch_close_pull_requests_too() {
    let world = World::of(|dir| {
        standard(dir);
        let pull = |number: u64, head: &str, body: &str| json!({"number": number, "title": "T", "head": head, "base": "main", "user": "bo", "body": body});
        write(
            dir,
            "pulls.json",
            &json!([pull(3, "clash", ""), pull(4, "feature", "Fixes #2")]),
        );
    })
    .await;
    let site = Site::of(world).await;
    let state = async |number: u64| {
        let pull = site.get(&format!("/pulls/{number}")).await.json();
        (pull["state"].clone(), pull["merged"].clone())
    };
    // A pull request that is merged by a push counts as merged, although its commit message says that it closes the
    // pull request.
    let update = json!({"pullNumber": 4});
    site.world.text("update_pull_request_branch", update).await;
    let file = json!({"branch": "feature", "path": "new", "content": "n", "message": "Closes #3, closes #4"});
    site.world.text("create_or_update_file", file).await;
    assert_eq!(state(3).await, (json!("open"), json!(false)));
    let head = site.get("/pulls/4").await.json()["head"]["sha"].clone();
    site.ask("PATCH", "/git/refs/heads/main", json!({"sha": head}))
        .await;
    assert_eq!(state(4).await, (json!("closed"), json!(true)));
    assert_eq!(state(3).await, (json!("closed"), json!(false)));
    let issue = site.get("/issues/2").await.json();
    assert_eq!(
        (&issue["state"], &issue["state_reason"]),
        (&json!("closed"), &json!("completed"))
    );
    assert_eq!(
        site.get("/issues/3").await.json()["state_reason"],
        Value::Null
    );
    let events = site.get("/issues/3/events").await.json();
    let closed = events.as_array().unwrap().iter();
    let closed: Vec<&Value> = closed.filter(|it| it["event"] == "closed").collect();
    assert_eq!(closed[0]["commit_id"], head);
}

#[tokio::test]
async fn the_refs_of_pull_requests_are_not_written_to() {
    let site = Site::of(World::new().await).await;
    let main = site.get("/commits/main").await.json()["sha"].clone();
    let before = site.world.state().await.digest();
    let new = json!({"ref": "refs/pull/99/head", "sha": main});
    let there = "/git/refs/pull/3/head";
    for answer in [
        site.ask("POST", "/git/refs", new).await,
        site.ask("PATCH", there, json!({"sha": main, "force": true}))
            .await,
        site.ask("DELETE", there, json!({})).await,
    ] {
        assert_eq!(answer.status, 422);
        assert_eq!(answer.json()["message"], "Reference update failed");
    }
    assert_eq!(site.world.state().await.digest(), before);
}

/// Standard world with two open pull requests from forks. The branch of the first has the name of the base.
fn from_forks(dir: &std::path::Path) {
    standard(dir);
    let repo = Repo::again(dir);
    let pull = |number: u64, head: &str, tip: &str| {
        json!({"number": number, "title": "T", "user": "carol", "fork_owner": "carol", "head": head, "base": "main",
               "head_sha": repo.tip(tip).unwrap().to_string()})
    };
    let pulls = json!([pull(3, "main", "feature"), pull(4, "topic", "clash")]);
    write(dir, "pulls.json", &pulls);
}

#[tokio::test]
async fn a_pull_request_from_a_fork_does_not_follow_a_branch_with_the_same_name() {
    let site = Site::of(World::of(from_forks).await).await;
    let pull = async |site: &Site, number: u64| {
        let pull = site.get(&format!("/pulls/{number}")).await.json();
        let head = &pull["head"];
        json!([pull["state"], head["label"], head["sha"]])
    };
    let tip = async |branch: &str| {
        let there = format!("/git/ref/heads/{branch}");
        site.get(&there).await.json()["object"]["sha"].clone()
    };
    let expected = [
        json!(["open", "carol:main", tip("feature").await]),
        json!(["open", "carol:topic", tip("clash").await]),
    ];
    let pulls = async |site: &Site| [pull(site, 3).await, pull(site, 4).await];
    assert_eq!(pulls(&site).await, expected);

    site.world
        .text("create_branch", json!({"branch": "topic"}))
        .await;
    assert_eq!(pulls(&site).await, expected, "a branch was created");
    let refused = site
        .world
        .refusal("update_pull_request_branch", json!({"pullNumber": 4}))
        .await;
    let problem = "403 user doesn't have permission to update head repository []";
    assert!(refused.ends_with(problem), "{refused}");
    let gone = site.ask("DELETE", "/git/refs/heads/topic", json!({})).await;
    assert_eq!(gone.status, 204);
    assert_eq!(pulls(&site).await, expected, "the branch was deleted");
    let tag = json!({"ref": "refs/tags/topic", "sha": tip("main").await});
    assert_eq!(site.ask("POST", "/git/refs", tag).await.status, 201);
    let gone = site.ask("DELETE", "/git/refs/tags/topic", json!({})).await;
    assert_eq!(gone.status, 204);
    assert_eq!(pulls(&site).await, expected, "a tag was deleted");
    site.world
        .text("create_branch", json!({"branch": "topic"}))
        .await;
    let renamed = site
        .ask(
            "POST",
            "/branches/topic/rename",
            json!({"new_name": "renamed"}),
        )
        .await;
    assert_eq!(renamed.status, 201);
    assert_eq!(pulls(&site).await, expected, "the branch was renamed");
    for state in ["closed", "open"] {
        let change = json!({"state": state});
        let changed = site.ask("PATCH", "/pulls/4", change).await;
        assert_eq!(changed.json()["state"], state);
    }
    assert_eq!(pulls(&site).await, expected, "it was reopened");
    site.world
        .text("create_branch", json!({"branch": "topic"}))
        .await;
    let again = Site::of(site.world.again().await).await;
    assert_eq!(pulls(&again).await, expected, "the state was opened again");
}
