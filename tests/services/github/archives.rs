//! Archives of a commit's files, unpacked by `tar` and by Python's `zipfile`.

use std::path::Path;
use std::process::Command;

use mcpmark_test_support::{Need, skip};
use serde_json::json;

use crate::rest::Site;
use crate::support::{Repo, World, standard};

/// Returns a path that does not fit into a tar header.
fn long() -> String {
    format!("{}/{}.txt", "d".repeat(80), "f".repeat(120))
}

fn with_long_paths(world: &Path) {
    standard(world);
    let mut repo = Repo::again(world);
    repo.commit(
        "main",
        "Long",
        &[(&long(), Some("long\n")), ("\u{e9}.txt", Some("e\n"))],
    );
}

/// Follows the redirect to an archive. Returns its content type and its bytes.
async fn fetched(site: &Site, below: &str) -> (String, Vec<u8>) {
    let sent = site.get(below).await;
    assert_eq!(sent.status, 302, "{below}");
    let address = sent.header("location").unwrap().to_owned();
    let path = &address[address.find("/raw/").unwrap()..];
    let answer = site.send("GET", path, "", b"").await;
    assert_eq!(answer.status, 200, "{address}");
    (
        answer.header("content-type").unwrap().to_owned(),
        answer.body,
    )
}

/// Collects the files below a directory with their texts, sorted by path.
fn files(dir: &Path, at: &str, found: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{at}{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            files(&entry.path(), &format!("{path}/"), found);
        } else {
            found.push((path, std::fs::read_to_string(entry.path()).unwrap()));
        }
    }
    found.sort();
}

#[tokio::test]
async fn both_archives_hold_the_files_of_the_commit() {
    let site = Site::of(World::of(with_long_paths).await).await;
    let tip = site.get("/commits/main").await.json()["sha"]
        .as_str()
        .unwrap()
        .to_owned();
    let root = format!("acme-demo-{}", &tip[..7]);
    let expected = [
        (
            format!("{root}/README.md"),
            "# Demo\n\nA demo.\n".to_owned(),
        ),
        (
            format!("{root}/docs/moved.txt"),
            "first\nsecond\n".to_owned(),
        ),
        (format!("{root}/{}", long()), "long\n".to_owned()),
        (format!("{root}/\u{e9}.txt"), "e\n".to_owned()),
    ];
    let script = "import sys, zipfile\nz = zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\n\
                  assert z.comment.decode() == sys.argv[3]\nz.extractall(sys.argv[2])";
    for (below, kind) in [
        ("/tarball", "application/x-gzip"),
        ("/tarball/refs/heads/main", "application/x-gzip"),
        ("/zipball/main", "application/zip"),
    ] {
        let (told, bytes) = fetched(&site, below).await;
        assert_eq!(told, kind);
        assert_eq!(
            bytes,
            fetched(&site, below).await.1,
            "the same bytes each time"
        );
        let dir = tempfile::tempdir().unwrap();
        let (file, out) = (dir.path().join("archive"), dir.path().join("out"));
        std::fs::create_dir(&out).unwrap();
        std::fs::write(&file, bytes).unwrap();
        let done = match kind {
            "application/zip" => Command::new("python3")
                .args(["-c", script])
                .args([&file, &out])
                .arg(&tip)
                .status(),
            _ => Command::new("tar")
                .arg("-xzf")
                .arg(&file)
                .arg("-C")
                .arg(&out)
                .status(),
        };
        match done {
            Ok(status) => assert!(status.success(), "{below}"),
            Err(error) => {
                skip(Need::Archivers, format!("{below}: {error}"));
                continue;
            }
        }
        let mut found = Vec::new();
        files(&out, "", &mut found);
        for file in &expected {
            assert!(found.contains(file), "{below}: {}", file.0);
        }
        assert_eq!(found.len(), 5, "{below}");
    }
    assert_eq!(site.get("/tarball/none").await.status, 404);
    let tagged = fetched(&site, "/zipball/refs/tags/v1").await.1;
    assert!(tagged.starts_with(b"PK\x03\x04"));
}

#[tokio::test]
async fn an_archive_of_too_much_is_refused() {
    let site = Site::of(World::new().await).await;
    let (mut parts, text) = (Vec::new(), "x".repeat(9 << 20));
    let made = site
        .ask("POST", "/git/blobs", json!({"content": text}))
        .await;
    let sha = made.json()["sha"].clone();
    for at in 0..8 {
        parts.push(json!({"path": format!("{at}"), "mode": "100644", "sha": sha}));
    }
    let tree = site
        .ask("POST", "/git/trees", json!({"tree": parts}))
        .await
        .json()["sha"]
        .clone();
    let commit = json!({"message": "much", "tree": tree});
    let commit = site.ask("POST", "/git/commits", commit).await.json()["sha"].clone();
    let commit = commit.as_str().unwrap();
    let refused = site
        .send(
            "GET",
            &format!("/raw/acme/demo/legacy.tar.gz/{commit}"),
            "",
            b"",
        )
        .await;
    assert_eq!(refused.status, 422);
    let said = String::from_utf8(refused.body).unwrap();
    assert!(said.contains("more than 64 MiB"), "{said}");
}
