//! The final state: canonical, readable by git, and usable as a world.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::{Value, json};

use crate::support::{World, git};

/// Generates a call, which may be refused.
fn draw(random: &mut ChaCha8Rng, step: usize) -> (&'static str, Value) {
    let mut pick = |count: u64| random.next_u64() % count;
    let branch = |n: u64| ["main", "feature", "clash", "work0", "work1", "work2"][n as usize];
    let path = |n: u64| {
        [
            "README.md",
            "src/lib.rs",
            "docs/moved.txt",
            "a/b/c.txt",
            "a/b",
            "x",
            "sp ace/ü.txt",
        ][n as usize]
    };
    let method = |n: u64| ["merge", "squash", "rebase"][n as usize];
    let state = |n: u64| ["open", "closed"][n as usize];
    let content = format!("{step}\n{}\n", "line\n".repeat(pick(5) as usize));
    match pick(14) {
        0 => (
            "create_branch",
            json!({"branch": branch(3 + pick(3)), "from_branch": branch(pick(6))}),
        ),
        1 | 2 => (
            "push_files",
            json!({"branch": branch(pick(6)), "message": format!("Push {step}\n\nCloses #{}", pick(6)),
            "files": [{"path": path(pick(7)), "content": content}, {"path": path(pick(7)), "content": "same\n"}]}),
        ),
        3 => (
            "create_or_update_file",
            json!({"branch": branch(pick(6)), "path": path(pick(7)), "message": "Put", "content": content}),
        ),
        4 => (
            "delete_file",
            json!({"branch": branch(pick(6)), "path": path(pick(7)), "message": "Delete"}),
        ),
        5 | 6 => (
            "create_pull_request",
            json!({"title": format!("P{step}"), "body": format!("fixes #{}", pick(9)), "head": branch(pick(6)), "base": branch(pick(6))}),
        ),
        7 | 8 => (
            "merge_pull_request",
            json!({"pullNumber": 1 + pick(30), "merge_method": method(pick(3))}),
        ),
        9 => (
            "update_pull_request_branch",
            json!({"pullNumber": 1 + pick(30)}),
        ),
        10 => (
            "create_issue",
            json!({"title": format!("I{step}"), "labels": ["bug"]}),
        ),
        11 => (
            "add_issue_comment",
            json!({"issue_number": 1 + pick(30), "body": "c"}),
        ),
        12 => (
            "update_issue",
            json!({"issue_number": 1 + pick(30), "state": state(pick(2)), "title": "t"}),
        ),
        _ => (
            "create_and_submit_pull_request_review",
            json!({"pullNumber": 1 + pick(30), "event": "COMMENT", "body": "r"}),
        ),
    }
}

async fn play(world: &World, seed: u64, calls: usize) -> usize {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut done = 0;
    for step in 0..calls {
        let (tool, mut arguments) = draw(&mut random, step);
        arguments["owner"] = "acme".into();
        arguments["repo"] = "demo".into();
        let arguments = arguments.as_object().cloned().unwrap();
        let result = world
            .client
            .call(tool, arguments, std::time::Duration::from_secs(60))
            .await;
        done += usize::from(result.is_ok_and(|output| !output.is_error));
    }
    done
}

#[tokio::test]
async fn equal_calls_give_equal_states() {
    let (one, two) = (World::new().await, World::new().await);
    let done = play(&one, 7, 300).await;
    assert!(done > 60, "{done}");
    play(&two, 7, 300).await;
    assert_eq!(one.state().await.digest(), two.state().await.digest());
    play(&two, 8, 5).await;
    assert_ne!(one.state().await.digest(), two.state().await.digest());
}

#[tokio::test]
async fn a_final_state_is_a_world() {
    let world = World::new().await;
    play(&world, 11, 120).await;
    let before = world.state().await;
    let again = world.again().await;
    assert_eq!(again.state().await.digest(), before.digest());
}

#[tokio::test]
async fn git_has_nothing_to_say_about_the_state() {
    let world = World::new().await;
    play(&world, 3, 1000).await;
    let dir = world.export().await.join("repo");
    let Some((clean, said)) = git(&dir, &["fsck", "--strict", "--full", "--no-dangling"]) else {
        return;
    };
    assert!(
        clean && !said.contains("warning") && !said.contains("error") && !said.contains("missing"),
        "{said}"
    );
    // No branch with a pull request was removed, so there are no unreachable objects.
    let (_, unreachable) = git(&dir, &["fsck", "--unreachable"]).unwrap();
    assert!(!unreachable.contains("unreachable"), "{unreachable}");
    let (_, head) = git(&dir, &["rev-parse", "main"]).unwrap();
    let commits = world.json("list_commits", json!({"perPage": 1})).await;
    assert_eq!(head.trim(), commits[0]["sha"]);
}

#[tokio::test]
async fn the_work_tree_follows_the_default_branch() {
    let world = World::of(|dir| {
        crate::support::standard(dir);
        std::fs::create_dir_all(dir.join("repo/src")).unwrap();
        std::fs::create_dir_all(dir.join("repo/docs")).unwrap();
        std::fs::write(dir.join("repo/docs/moved.txt"), "first\nsecond\n").unwrap();
    })
    .await;
    world.text("push_files", json!({"branch": "main", "message": "m", "files": [{"path": "src/new.rs", "content": "n"}]})).await;
    world
        .text(
            "delete_file",
            json!({"branch": "main", "message": "m", "path": "docs/moved.txt"}),
        )
        .await;
    let dir = world.export().await;
    assert_eq!(
        std::fs::read_to_string(dir.join("repo/src/new.rs")).unwrap(),
        "n"
    );
    assert!(!dir.join("repo/docs").exists());
    let issues: Value =
        serde_json::from_slice(&std::fs::read(dir.join("issues.json")).unwrap()).unwrap();
    assert_eq!(issues[1]["labels"], json!(["bug"]));
}
