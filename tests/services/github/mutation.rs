//! Mutants of a solved world.

use mcpmark_github::git::ObjectId;
use mcpmark_github::hub::State;
use mcpmark_github::mutation::{Mutant, MutationKind, Mutator, WorldIo};
use mcpmark_github::world::{self, Opened};
use serde_json::json;

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
    let io = WorldIo {
        blobs: &*world.store,
        store: &world.store,
        scratch: world.home.path(),
    };
    let made = Mutator::new(&start, &end, io).unwrap().mutants().unwrap();
    let end = open(&world, &end);
    (world, end, made)
}

fn open(world: &World, tree: &mcpmark_snapshot::Tree) -> Opened {
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
