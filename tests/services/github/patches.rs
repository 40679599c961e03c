//! Commits as patches, compared with `git format-patch`.

use std::path::Path;

use serde_json::json;

use crate::rest::Site;
use crate::support::{Repo, World, git, standard};

const PATCH: &str = "Accept: application/vnd.github.patch\r\n";

/// Creates a branch whose messages and files need all special cases of patch headers and summaries.
fn with_topic(world: &Path) {
    standard(world);
    let mut repo = Repo::again(world);
    repo.branch("topic", "main");
    let lines = |from: usize, to: usize| -> String {
        (from..to).map(|line| format!("line {line}\n")).collect()
    };
    let long = format!("deep/{}/{}.txt", "directory".repeat(6), "name".repeat(8));
    repo.commit(
        "topic",
        "A title that is so long that it has to be broken, for no line of a header may be as long as this",
        &[(&long, Some(&lines(0, 300))), ("short", Some("x\n"))],
    );
    repo.commit_by(
        "topic",
        "Déplacer ce qui est là, avec un titre assez long pour deux lignes d'en-tête ; peut-être trois\n\nDès lors.\n",
        &[
            ("docs/moved.txt", None),
            ("docs/again/moved.txt", Some("first\nsecond\n")),
            ("with space \u{e9}", Some("y\n")),
        ],
        "Zoë de l'Été",
        "zoe@example.org",
    );
    repo.commit_by(
        "topic",
        "Split\nover lines\n\n\nbody\n\n  indented\n",
        &[
            (&long, Some(&lines(7, 320))),
            ("short", None),
            ("empty", Some("")),
        ],
        "Lee, A. \"Al\"",
        "al@example.org",
    );
}

#[tokio::test]
async fn commits_are_written_as_git_writes_them() {
    let site = Site::of(World::of(with_topic).await).await;
    site.world
        .text(
            "create_pull_request",
            json!({"title": "Topic", "head": "topic", "base": "main"}),
        )
        .await;
    let dir = site.world.export().await.join("repo");
    let root = site.get("/commits?sha=main&per_page=100").await.json();
    let root = root.as_array().unwrap().last().unwrap()["sha"].clone();
    for (below, arguments) in [
        ("/pulls/4", vec!["main..topic"]),
        ("/compare/main...topic", vec!["main..topic"]),
        ("/commits/topic", vec!["-1", "topic"]),
        ("/commits/topic~1", vec!["-1", "topic~1"]),
        (
            &format!("/commits/{}", root.as_str().unwrap()),
            vec!["-1", root.as_str().unwrap()],
        ),
        ("/compare/main...feature", vec!["main..feature"]),
    ] {
        let mut format = vec![
            "format-patch",
            "--stdout",
            "--no-signature",
            "--root",
            "--abbrev=7",
        ];
        format.extend(arguments);
        let Some((done, expected)) = git(&dir, &format) else {
            return;
        };
        assert!(done, "{expected}");
        let below = match below {
            "/commits/topic~1" => {
                let (_, id) = git(&dir, &["rev-parse", "topic~1"]).unwrap();
                format!("/commits/{}", id.trim())
            }
            below => below.to_owned(),
        };
        let target = format!("/repos/acme/demo{below}");
        let answer = site.send("GET", &target, PATCH, b"").await;
        assert_eq!(
            answer.header("content-type"),
            Some("application/vnd.github.patch; charset=utf-8")
        );
        let own = String::from_utf8(answer.body).unwrap();
        assert_eq!(own, expected, "{below}");
    }
}

#[tokio::test]
async fn two_dots_compare_what_stands_at_both_ends() {
    let site = Site::of(World::new().await).await;
    let names = async |ends: &str| {
        let compared = site.get(&format!("/compare/{ends}")).await.json();
        let files = compared["files"].as_array().unwrap().iter();
        let names = files.map(|file| file["filename"].as_str().unwrap().to_owned());
        let commits = compared["total_commits"].as_u64().unwrap();
        (names.collect::<Vec<_>>(), commits)
    };
    let three = ["README.md", "src/three.rs"].map(str::to_owned).to_vec();
    assert_eq!(names("main...feature").await, (three, 2));
    let two = ["README.md", "docs/notes.txt", "src/lib.rs", "src/three.rs"];
    assert_eq!(
        names("main..feature").await,
        (two.map(str::to_owned).to_vec(), 2)
    );
    let dir = site.world.export().await.join("repo");
    let accept = "Accept: application/vnd.github.diff\r\n";
    let own = site
        .send("GET", "/repos/acme/demo/compare/main..feature", accept, b"")
        .await;
    if let Some((_, expected)) = git(&dir, &["diff", "--abbrev=7", "main", "feature"]) {
        assert_eq!(String::from_utf8(own.body).unwrap(), expected);
    }
    assert_eq!(site.get("/compare/main").await.status, 404);
}
