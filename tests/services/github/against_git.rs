//! Comparison with git: merges, rebases, diffs and histories of random repositories.

use std::collections::BTreeMap;
use std::path::Path;

use gix::ObjectId;
use gix::objs::tree::EntryKind;
use mcpmark_github::archive::Archive;
use mcpmark_github::git::Filter;
use mcpmark_github::world;
use mcpmark_snapshot::Snapshot;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::json;

use crate::merges::same_merge;
use crate::support::{CLOCK, Repo, World, git, texts, write};

const FILES: [&str; 5] = ["a.txt", "b.txt", "dir/c.txt", "dir/d.txt", "e.txt"];

/// Returns a text of numbered lines, some of which are changed, removed or added.
fn text(random: &mut ChaCha8Rng, file: usize) -> String {
    let mut lines = Vec::new();
    for line in 0..24 {
        match random.next_u64() % 16 {
            0 => lines.push(format!("{file} changed {}", random.next_u64() % 3)),
            1 => {}
            2 => lines.extend([
                format!("    {file} line {line}"),
                String::new(),
                "}".to_owned(),
            ]),
            _ => lines.push(format!("{file} line {line}")),
        }
    }
    let mut text = lines.join("\n");
    if !random.next_u64().is_multiple_of(5) {
        text.push('\n');
    }
    text
}

fn change(random: &mut ChaCha8Rng, repo: &mut Repo, branch: &str) {
    let file = (random.next_u64() % 5) as usize;
    let text = text(random, file);
    match random.next_u64() % 8 {
        0 => repo.commit(branch, "remove", &[(FILES[file], None)]),
        1 => repo.commit(
            branch,
            "rename",
            &[
                (FILES[file], None),
                (&format!("moved/{file}.txt"), Some(&text)),
            ],
        ),
        _ => repo.commit(branch, "change", &[(FILES[file], Some(&text))]),
    };
}

/// Creates a repository with two diverged branches and a pull request from one to the other.
fn diverged(world: &Path, seed: u64) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut repo = Repo::new(world);
    let texts: Vec<String> = (0..5).map(|file| text(&mut random, file)).collect();
    let files: Vec<(&str, Option<&str>)> = FILES
        .iter()
        .zip(&texts)
        .map(|(name, text)| (*name, Some(text.as_str())))
        .collect();
    repo.commit("main", "Begin", &files);
    repo.branch("topic", "main");
    for _ in 0..1 + random.next_u64() % 2 {
        change(&mut random, &mut repo, "main");
    }
    for _ in 0..1 + random.next_u64() % 3 {
        change(&mut random, &mut repo, "topic");
    }
    write(
        world,
        "repository.json",
        &json!({"owner": "acme", "name": "demo", "viewer": "ann"}),
    );
    write(
        world,
        "pulls.json",
        &json!([{"number": 1, "title": "T", "head": "topic", "base": "main"}]),
    );
}

#[tokio::test]
async fn merges_give_the_trees_of_git() {
    let (mut clean, mut dirty) = (0, 0);
    for seed in 0..60 {
        let world = World::of(|dir| diverged(dir, seed)).await;
        let repo = world.home.path().join("world/repo/.git");
        let Some((merges, said)) = git(
            &repo,
            &["merge-tree", "--write-tree", "--name-only", "main", "topic"],
        ) else {
            return;
        };
        let tree = said.lines().next().unwrap_or_default().to_owned();
        let method = ["merge", "squash"][seed as usize % 2];
        let output = world
            .call(
                "merge_pull_request",
                json!({"pullNumber": 1, "merge_method": method}),
            )
            .await;
        assert_eq!(
            !output.is_error,
            merges,
            "seed {seed}: {}\n{said}",
            output.text()
        );
        if !merges {
            dirty += 1;
            let pull = world
                .json("get_pull_request", json!({"pullNumber": 1}))
                .await;
            assert_eq!(pull["mergeable_state"], "dirty", "seed {seed}");
            continue;
        }
        clean += 1;
        let dir = world.export().await.join("repo");
        let (_, ours) = git(&dir, &["rev-parse", "main^{tree}"]).unwrap();
        assert_eq!(ours.trim(), tree, "seed {seed}");
    }
    assert!(clean > 10 && dirty > 10, "{clean} clean, {dirty} dirty");
}

#[tokio::test]
async fn rebases_give_the_trees_of_git() {
    let mut compared = 0;
    for seed in 0..40 {
        let world = World::of(|dir| diverged(dir, seed)).await;
        let copy = world.home.path().join("copy");
        let bare = world.home.path().join("world/repo/.git");
        let Some((cloned, said)) = git(
            world.home.path(),
            &[
                "clone",
                "-q",
                &bare.to_string_lossy(),
                &copy.to_string_lossy(),
            ],
        ) else {
            return;
        };
        assert!(cloned, "{said}");
        git(&copy, &["checkout", "-q", "topic"]).unwrap();
        let (rebases, _) = git(
            &copy,
            &["rebase", "-q", "--reapply-cherry-picks", "origin/main"],
        )
        .unwrap();
        let output = world
            .call(
                "merge_pull_request",
                json!({"pullNumber": 1, "merge_method": "rebase"}),
            )
            .await;
        if output.is_error {
            // A pull request whose merge has conflicts is refused at once. This test only accepts it if git's
            // commit-by-commit rebase has conflicts as well.
            assert!(
                output.text().contains(": 405 "),
                "seed {seed}: {}",
                output.text()
            );
            assert!(!rebases, "seed {seed}: {}", output.text());
            continue;
        }
        assert!(rebases, "seed {seed}");
        compared += 1;
        let dir = world.export().await.join("repo");
        for back in ["", "~1"] {
            let (_, ours) = git(&dir, &["rev-parse", &format!("main{back}^{{tree}}")]).unwrap();
            let (_, theirs) = git(&copy, &["rev-parse", &format!("topic{back}^{{tree}}")]).unwrap();
            assert_eq!(ours, theirs, "seed {seed} {back}");
        }
    }
    assert!(compared > 5, "{compared}");
}

#[tokio::test]
async fn differences_are_those_of_git() {
    for seed in 0..60 {
        let world = World::of(|dir| diverged(dir, seed)).await;
        let repo = world.home.path().join("world/repo/.git");
        let arguments = ["-c", "core.abbrev=7", "diff", "-M", "main...topic"];
        let Some((_, theirs)) = git(&repo, &arguments) else {
            return;
        };
        let ours = world
            .text("get_pull_request_diff", json!({"pullNumber": 1}))
            .await;
        assert_eq!(ours, theirs, "seed {seed}");
    }
}

/// Names with spaces, and changes between files and symlinks.
#[tokio::test]
async fn differences_of_names_and_types_are_those_of_git() {
    let world = World::of(|dir| {
        let repo = Repo::new(dir);
        let file = |text: &str| (EntryKind::Blob, text.to_owned());
        let link = |text: &str| (EntryKind::Link, text.to_owned());
        let old = BTreeMap::from([
            ("a b.txt", file("one\ntwo\n")),
            ("gone away.txt", file("x\n")),
            ("link", link("a b.txt")),
            ("plain", file("1\n2\n3\n")),
            ("same", file("1\n")),
        ]);
        let new = BTreeMap::from([
            ("a b.txt", file("one\n2\n")),
            ("link", file("text\n")),
            ("new dir/\u{e4} b", file("y\n")),
            ("plain", link("same")),
            ("same", (EntryKind::BlobExecutable, "1\n".to_owned())),
        ]);
        let before = repo.commit_onto(&[], 1_700_000_000, "begin", &old);
        repo.set("refs/heads/main", before);
        let after = repo.commit_onto(&[before], 1_700_000_600, "change", &new);
        repo.set("refs/heads/topic", after);
        write(
            dir,
            "repository.json",
            &json!({"owner": "acme", "name": "demo", "viewer": "ann"}),
        );
        write(
            dir,
            "pulls.json",
            &json!([{"number": 1, "title": "T", "head": "topic", "base": "main"}]),
        );
    })
    .await;
    let repo = world.home.path().join("world/repo/.git");
    let asked = ["-c", "core.abbrev=7", "diff", "-M", "main...topic"];
    let Some((_, theirs)) = git(&repo, &asked) else {
        return;
    };
    let pull = json!({"pullNumber": 1});
    assert_eq!(
        world.text("get_pull_request_diff", pull.clone()).await,
        theirs
    );
    let files = world.json("get_pull_request_files", pull).await;
    let status = |name: &str| {
        let mut all = files.as_array().unwrap().iter();
        all.find(|it| it["filename"] == name).unwrap()["status"].clone()
    };
    assert_eq!(status("plain"), "changed");
    assert_eq!(status("link"), "changed");
    assert_eq!(status("same"), "modified");
}

#[tokio::test]
async fn histories_are_those_of_git() {
    let world = World::of(|dir| diverged(dir, 5)).await;
    let repo = world.home.path().join("world/repo/.git");
    let Some((_, theirs)) = git(&repo, &["log", "--format=%H", "topic"]) else {
        return;
    };
    let commits = world.json("list_commits", json!({"sha": "topic"})).await;
    let ours = texts(&commits, "/sha");
    assert_eq!(ours, theirs.lines().collect::<Vec<_>>());
}

/// Creates two branches that sometimes merge each other, with wrong commit dates.
fn skewed(world: &Path, seed: u64) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut pick = |most: u64| random.next_u64() % most;
    let repo = Repo::new(world);
    let begin = (0..5).map(|file| {
        let lines: Vec<String> = (0..20).map(|line| format!("{file} line {line}")).collect();
        let text = lines.join("\n") + "\n";
        (FILES[file], (EntryKind::Blob, text))
    });
    let begin: BTreeMap<&str, (EntryKind, String)> = begin.collect();
    let root = repo.commit_onto(&[], 1_700_000_000, "begin", &begin);
    let mut tips = [(root, begin.clone()), (root, begin)];
    for step in 1..8 + pick(14) as i64 {
        let late = [0, 0, 0, -100_000, -3_000_000, 500_000][pick(6) as usize];
        let time = 1_700_000_000 + 600 * step + late;
        let own = pick(2) as usize;
        let (tip, mut files) = tips[own].clone();
        let (other, theirs) = &tips[1 - own];
        let mut parents = vec![tip];
        if pick(10) < 4 && *other != tip {
            parents.push(*other);
            for (path, file) in theirs {
                if pick(2) == 0 {
                    files.insert(path, file.clone());
                }
            }
        } else {
            let (kind, text) = files.get_mut(FILES[pick(5) as usize]).unwrap();
            match pick(4) {
                0 => {
                    *kind = match kind {
                        EntryKind::Blob => EntryKind::BlobExecutable,
                        _ => EntryKind::Blob,
                    }
                }
                _ => {
                    *text = text.replace(&format!("line {}", pick(20)), &format!("changed {step}"))
                }
            }
        }
        let commit = repo.commit_onto(&parents, time, &format!("step {step}"), &files);
        tips[own] = (commit, files);
    }
    repo.set("refs/heads/main", tips[0].0);
    repo.set("refs/heads/topic", tips[1].0);
    write(
        world,
        "repository.json",
        &json!({"owner": "acme", "name": "demo", "viewer": "ann"}),
    );
}

/// Commits that are older than their parents do not affect ranges, merge bases, merges and histories.
#[test]
fn clocks_that_were_wrong_change_nothing() {
    for seed in 0..400 {
        let home = tempfile::tempdir().unwrap();
        let dir = home.path().join("world");
        std::fs::create_dir(&dir).unwrap();
        skewed(&dir, seed);
        let repo = dir.join("repo/.git");
        let ask = |arguments: &[&str]| -> Option<Vec<String>> {
            let (_, said) = git(&repo, arguments)?;
            Some(said.lines().map(str::to_owned).collect())
        };
        let Some(own) = ask(&["rev-list", "--date-order", "--reverse", "main..topic"]) else {
            return;
        };
        let state = Snapshot::of_directory(&dir).unwrap();
        let opened = world::open(&state.tree, &*state.blobs, home.path(), CLOCK).unwrap();
        let ours = opened.git;
        let [main, topic] = ["main", "topic"].map(|name| ours.branch(name).unwrap());
        let told = |ids: Vec<ObjectId>| -> Vec<String> {
            ids.into_iter().map(|id| id.to_string()).collect()
        };
        assert_eq!(told(ours.ahead(main, topic).unwrap()), own, "seed {seed}");

        let bases = ask(&["merge-base", "--all", "main", "topic"]).unwrap();
        let base = ours.merge_base(main, topic).unwrap().unwrap().to_string();
        assert!(bases.contains(&base), "seed {seed}: {base} of {bases:?}");
        let first = ask(&["merge-base", "main", "topic"]).unwrap();
        assert_eq!(first, std::slice::from_ref(&base), "seed {seed}");
        assert_eq!(
            ours.is_ancestor(main, topic).unwrap(),
            bases == [main.to_string()]
        );
        same_merge(&repo, &ours, "main", "topic", &format!("seed {seed}"));

        for path in [None, Some("a.txt"), Some("dir"), Some("dir/d.txt")] {
            let mut asked = vec!["log", "--format=%H", "topic", "--"];
            asked.extend(path);
            let filter = Filter {
                path: path.map(str::to_owned),
                ..Filter::default()
            };
            let log = ours.log(topic, &filter, 0, 999).unwrap();
            let log = log.into_iter().map(|commit| commit.id).collect();
            assert_eq!(told(log), ask(&asked).unwrap(), "seed {seed} {path:?}");
        }

        let archive = Archive::find(&state.tree).unwrap();
        let archive = Archive::open(archive, &*state.blobs, home.path()).unwrap();
        let free = &mut |_| true;
        let [main, topic] = [main, topic].map(|id| id.to_string());
        let found = archive.merge_base(&main, &topic, free).unwrap();
        assert_eq!(found.map(|id| id.to_string()), Some(base), "seed {seed}");
        let since = archive.log(&topic, Some(&main), None, 999, free).unwrap();
        let mut since = told(since.into_iter().map(|commit| commit.id).collect());
        since.sort();
        let mut own = own;
        own.sort();
        assert_eq!(since, own, "seed {seed}");
    }
}
