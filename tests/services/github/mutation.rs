//! Mutants of a solved world.

use mcpmark_github::git::ObjectId;
use mcpmark_github::hub::State;
use mcpmark_github::mutation::{Mutant, MutationKind, Mutator, WorldIo};
use mcpmark_github::world::{self, Opened};
use mcpmark_snapshot::{MaterialiseOptions, Tree, materialise};
use serde_json::{Value, json};

use crate::rest::Site;
use crate::support::{CLOCK, World};

/// Returns a solved world and its mutants. A pull request was merged with the given method, followed by another commit,
/// and an issue got a milestone.
async fn solved(method: &str) -> (World, Opened, Vec<Mutant>) {
    let world = World::new().await;
    let start = world.state().await;
    world
        .text(
            "create_pull_request",
            json!({"title": "Add three", "head": "feature", "base": "main"}),
        )
        .await;
    world
        .text(
            "merge_pull_request",
            json!({"pullNumber": 4, "merge_method": method}),
        )
        .await;
    world
        .text(
            "create_or_update_file",
            json!({"path": "later.txt", "content": "x\n", "message": "Go on", "branch": "main"}),
        )
        .await;
    world
        .text("update_issue", json!({"issue_number": 2, "milestone": 1}))
        .await;
    let end = world.state().await;
    let made = mutants(&world, &start, &end);
    let end = open(&world, &end);
    (world, end, made)
}

fn mutants(world: &World, start: &Tree, end: &Tree) -> Vec<Mutant> {
    let io = WorldIo {
        blobs: &*world.store,
        store: &world.store,
        scratch: world.home.path(),
    };
    Mutator::new(start, end, io).unwrap().mutants().unwrap()
}

/// Returns a document of a mutant as verifiers read it. Opening the world would derive some of its values again.
fn document(world: &World, mutant: &Mutant, file: &str) -> Value {
    let dir = tempfile::tempdir_in(world.home.path()).unwrap();
    let place = dir.path().join("mutant");
    let options = MaterialiseOptions::default();
    materialise(&mutant.tree, &*world.store, &place, &options).unwrap();
    serde_json::from_slice(&std::fs::read(place.join(file)).unwrap()).unwrap()
}

/// Returns a pull request of a mutant.
fn pull_in(world: &World, mutant: &Mutant, number: u64) -> Value {
    let pulls = document(world, mutant, "pulls.json");
    let mut pulls = pulls.as_array().unwrap().iter();
    let pull = pulls.find(|pull| pull["number"] == number);
    pull.unwrap().clone()
}

fn open(world: &World, tree: &Tree) -> Opened {
    world::open(tree, &*world.store, world.home.path(), CLOCK).unwrap()
}

/// Returns the only mutant with this place and description.
fn one<'a>(made: &'a [Mutant], place: &str, what: &str) -> &'a Mutant {
    let mut fitting = made
        .iter()
        .filter(|it| it.target == place && it.description == what);
    let found = fitting.next().unwrap_or_else(|| {
        let all: Vec<_> = made
            .iter()
            .map(|it| (&it.target, &it.description))
            .collect();
        panic!("nothing is {what:?} at {place} among {all:?}")
    });
    assert!(fitting.next().is_none(), "{what:?} is there twice");
    found
}

fn merge_commit(world: &Opened) -> ObjectId {
    let (_, pull) = pull(world);
    let id = pull.merge_commit_sha.as_deref().unwrap();
    ObjectId::from_hex(id.as_bytes()).unwrap()
}

fn pull(world: &Opened) -> (&mcpmark_github::hub::Issue, &mcpmark_github::hub::Pull) {
    let issue = &world.hub.issues[&4];
    (issue, issue.pull.as_deref().unwrap())
}

#[tokio::test]
async fn a_squash_becomes_a_merge_and_a_merge_a_squash() {
    for (method, other, parents) in [("squash", "merge", 2), ("merge", "squash", 1)] {
        let (world, end, made) = solved(method).await;
        let mutant = one(&made, "#4", &format!("merged by {other}"));
        assert_eq!(mutant.kind, MutationKind::MergeMethod);
        let after = open(&world, &mutant.tree);
        assert_eq!(pull(&after).1.merge_method.as_deref(), Some(other));

        let (old, new) = (
            end.git.commit(merge_commit(&end)).unwrap(),
            after.git.commit(merge_commit(&after)).unwrap(),
        );
        assert_eq!(new.parents.len(), parents, "{other}");
        assert_eq!(new.parents[0], old.parents[0]);
        assert_eq!(new.tree, old.tree);
        assert_eq!(new.message, old.message);
        if other == "merge" {
            assert_eq!(Some(new.parents[1]), end.git.branch("feature"));
        }

        // The commit on top of the old merge is now on top of the new one.
        let tip = |world: &Opened| world.git.commit(world.git.branch("main").unwrap()).unwrap();
        let (before, tip) = (tip(&end), tip(&after));
        assert_eq!(before.parents, [old.id]);
        assert_eq!(tip.parents, [new.id]);
        assert_eq!(
            (tip.tree, tip.message, tip.author),
            (before.tree, before.message, before.author)
        );
        assert_eq!(after.git.branch("feature"), end.git.branch("feature"));
    }
}

#[tokio::test]
async fn mutants_leave_merged_pulls_open_and_drop_milestones() {
    let (world, end, made) = solved("squash").await;
    let mutant = one(&made, "#4", "not merged, still open");
    assert_eq!(mutant.kind, MutationKind::State);
    let after = open(&world, &mutant.tree);
    let (issue, left) = pull(&after);
    assert_eq!(issue.state, State::Open);
    assert_eq!((left.merged_at, &left.merge_commit_sha), (None, &None));
    // The merge commit is still on `main`.
    assert_eq!(after.git.branch("main"), end.git.branch("main"));

    let mutant = one(&made, "#2", "without its milestone");
    assert_eq!(mutant.kind, MutationKind::Milestone);
    assert_eq!(end.hub.issues[&2].milestone, Some(1));
    let after = open(&world, &mutant.tree);
    assert_eq!(after.hub.issues[&2].milestone, None);
    assert_eq!(after.hub.issues[&2].labels, end.hub.issues[&2].labels);
}

#[tokio::test]
async fn a_moved_branch_takes_only_its_own_pull_requests_along() {
    let world = World::new().await;
    let start = world.state().await;
    let twin = json!({"branch": "twin", "from_branch": "feature"});
    world.text("create_branch", twin).await;
    let opened = json!({"title": "Add three", "head": "feature", "base": "main"});
    world.text("create_pull_request", opened).await;
    let end = world.state().await;
    let made = mutants(&world, &start, &end);
    let tip = open(&world, &end).git.branch("feature").unwrap();
    let head = |branch: &str| {
        let mutant = one(&made, branch, "a commit more");
        let pull = pull_in(&world, mutant, 4);
        pull["head_sha"].as_str().unwrap().to_owned()
    };
    assert_eq!(head("twin"), tip.to_string());
    assert_ne!(head("feature"), tip.to_string());
}

#[tokio::test]
async fn references_to_a_replaced_commit_move_to_the_new_one() {
    let world = World::new().await;
    let start = world.state().await;
    let call = async |tool: &str, arguments: Value| world.text(tool, arguments).await;
    let opened = json!({"title": "Add three", "head": "feature", "base": "main"});
    call("create_pull_request", opened).await;
    call("merge_pull_request", json!({"pullNumber": 4})).await;
    call("create_branch", json!({"branch": "later"})).await;
    let file =
        json!({"path": "later.txt", "content": "x\n", "message": "Go on", "branch": "later"});
    call("create_or_update_file", file).await;
    let opened = json!({"title": "Go on", "head": "later", "base": "main"});
    call("create_pull_request", opened).await;
    let site = Site::of(world).await;
    let pull = site.get("/pulls/5").await.json();
    let (base, head) = (&pull["base"]["sha"], &pull["head"]["sha"]);
    let comment =
        json!({"body": "Why?", "commit_id": head, "path": "later.txt", "line": 1, "side": "RIGHT"});
    let below = format!("/statuses/{}", base.as_str().unwrap());
    for (below, body) in [
        (&*below, json!({"state": "success", "context": "build"})),
        (
            "/pulls/5/reviews",
            json!({"event": "COMMENT", "body": "Hm."}),
        ),
        ("/pulls/5/comments", comment),
    ] {
        let made = site.ask("POST", below, body).await;
        assert!([200, 201].contains(&made.status), "{}", made.json());
    }
    let world = &site.world;
    let made = mutants(world, &start, &world.state().await);
    let mutant = one(&made, "#4", "merged by squash");
    let merged = pull_in(world, mutant, 4)["merge_commit_sha"].clone();
    assert_ne!(merged, *base);
    let remarks = document(world, mutant, "commits.json");
    assert_eq!(remarks.as_array().unwrap().len(), 1);
    assert_eq!(remarks[0]["sha"], merged);
    let pull = pull_in(world, mutant, 5);
    assert_ne!(pull["head_sha"], *head);
    for list in ["reviews", "review_comments"] {
        let entries = pull[list].as_array().unwrap();
        assert!(!entries.is_empty(), "{list}");
        for entry in entries {
            assert_eq!(entry["commit_id"], pull["head_sha"], "{list}");
        }
    }
}
