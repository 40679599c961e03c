//! Generated worlds that grow in one dimension.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use gix::ObjectId;
use gix::objs::tree::EntryKind;
use serde_json::{Value, json};

/// Clock of the worlds: 2025-01-01 00:00:00 UTC.
pub(super) const CLOCK: i64 = 1_735_689_600;
/// Date of the first commit: 2024-01-01 00:00:00 UTC.
const FIRST: i64 = 1_704_067_200;

/// Repository on disk.
pub(super) struct Repo {
    repo: gix::Repository,
    dir: std::path::PathBuf,
    refs: BTreeMap<String, ObjectId>,
    time: i64,
}

impl Repo {
    pub(super) fn new(world: &Path) -> Self {
        let dir = world.join("repo/.git");
        std::fs::create_dir_all(&dir).expect("a directory");
        let repo = gix::init_bare(&dir).expect("a repository");
        std::fs::write(dir.join("HEAD"), "ref: refs/heads/main\n").expect("a head");
        Self {
            repo,
            dir,
            refs: BTreeMap::new(),
            time: FIRST,
        }
    }

    /// Commits files on top of those of the first parent, and sets a branch to the commit. A file without a text is
    /// removed.
    pub(super) fn commit(
        &mut self,
        branch: &str,
        parents: &[ObjectId],
        message: &str,
        files: &[(String, Option<String>)],
    ) -> ObjectId {
        let tree = self.tree(parents.first(), files);
        self.time += 60;
        let who = gix::actor::Signature {
            name: "Ann".into(),
            email: "ann@example.org".into(),
            time: gix::date::Time::new(self.time, 0),
        };
        let commit = gix::objs::Commit {
            tree,
            parents: parents.iter().copied().collect(),
            author: who.clone(),
            committer: who,
            encoding: None,
            message: message.into(),
            extra_headers: Vec::new(),
        };
        let id = self.repo.write_object(&commit).expect("a commit").detach();
        self.set(&format!("refs/heads/{branch}"), id);
        id
    }

    /// Returns the tree of a commit with changed files.
    fn tree(&self, parent: Option<&ObjectId>, files: &[(String, Option<String>)]) -> ObjectId {
        let tree = match parent {
            Some(parent) => {
                let commit = self.repo.find_commit(*parent).expect("a commit");
                commit.tree_id().expect("a tree").detach()
            }
            None => ObjectId::empty_tree(gix::hash::Kind::Sha1),
        };
        let mut editor = self.repo.edit_tree(tree).expect("an editor");
        for (path, text) in files {
            match text {
                Some(text) => {
                    let id = self.repo.write_blob(text).expect("a blob");
                    editor.upsert(path, EntryKind::Blob, id).expect("a path");
                }
                None => {
                    editor.remove(path).expect("a path");
                }
            }
        }
        editor.write().expect("a tree").detach()
    }

    pub(super) fn set(&mut self, name: &str, id: ObjectId) {
        self.refs.insert(name.to_owned(), id);
    }

    /// Creates an annotated tag of a commit.
    pub(super) fn tag(&mut self, name: &str, target: ObjectId) {
        let tag = gix::objs::Tag {
            target,
            target_kind: gix::objs::Kind::Commit,
            name: name.into(),
            tagger: None,
            message: "Text".into(),
            signature: None,
        };
        let id = self.repo.write_object(&tag).expect("a tag").detach();
        self.set(&format!("refs/tags/{name}"), id);
    }

    /// Writes the references and the documents of the repository.
    pub(super) fn finish(self, world: &Path, issues: &[Value], pulls: &[Value]) {
        let mut packed = "# pack-refs with: peeled fully-peeled sorted \n".to_owned();
        for (name, id) in &self.refs {
            writeln!(packed, "{id} {name}").expect("a line");
        }
        std::fs::write(self.dir.join("packed-refs"), packed).expect("references");
        let write = |name: &str, document: Value| {
            std::fs::write(world.join(name), document.to_string()).expect("a document");
        };
        write(
            "repository.json",
            json!({"owner": "acme", "name": "demo", "default_branch": "main", "viewer": "ann"}),
        );
        write(
            "users.json",
            json!([
                {"login": "ann", "name": "Ann", "email": "ann@example.org"},
                {"login": "acme", "type": "Organization"},
            ]),
        );
        write("issues.json", issues.into());
        write("pulls.json", pulls.into());
    }
}

/// Returns different lines, with `mark` at every line whose number is a multiple of `every`.
pub(super) fn lines(count: usize, every: usize, mark: &str) -> String {
    let mut text = String::new();
    for line in 0..count {
        let mark = if line % every == 0 { mark } else { "" };
        writeln!(text, "line {line}{mark}").expect("a line");
    }
    text
}

pub(super) fn one(path: &str, text: &str) -> Vec<(String, Option<String>)> {
    vec![(path.to_owned(), Some(text.to_owned()))]
}

/// Creates a repository with one commit.
pub(super) fn plain(world: &Path) -> (Repo, ObjectId) {
    let mut repo = Repo::new(world);
    let first = repo.commit("main", &[], "Begin", &one("README.md", "# Demo\n"));
    (repo, first)
}

pub(super) fn issue(number: usize, body: &str, comments: &[String]) -> Value {
    let comment =
        |body: &String| json!({"user": "ann", "body": body, "created_at": "2024-02-02T00:00:00Z"});
    json!({
        "number": number, "title": format!("Issue {number}"), "body": body, "user": "ann",
        "labels": [format!("label {}", number % 50)], "milestone": 1 + number % 50,
        "created_at": "2024-02-01T00:00:00Z", "comments": comments.iter().map(comment).collect::<Value>(),
    })
}

pub(super) fn pull(number: usize, head: &str) -> Value {
    json!({"number": number, "title": format!("Pull {number}"), "body": format!("Fixes #{number}, see #1"),
        "head": head, "base": "main", "user": "ann", "created_at": "2024-03-01T00:00:00Z"})
}

pub(super) fn milestones(world: &Path) {
    let milestone = |number| json!({"number": number, "title": format!("Milestone {number}")});
    let all: Value = (1..=50).map(milestone).collect();
    std::fs::write(world.join("milestones.json"), all.to_string()).expect("a document");
}

pub(super) fn issues(world: &Path, size: usize) {
    let (repo, _) = plain(world);
    milestones(world);
    let comments = ["A comment of some words, see #1.".to_owned()];
    let body = |number| {
        format!("A text of some words that mentions #1 and {number}, `code` and **more**.")
    };
    let all: Vec<Value> = (1..=size)
        .map(|number| issue(number, &body(number), &comments))
        .collect();
    repo.finish(world, &all, &[]);
}

pub(super) fn comments(world: &Path, size: usize) {
    let (repo, _) = plain(world);
    milestones(world);
    let comments: Vec<String> = (0..size)
        .map(|number| format!("Comment {number} about #1 by @ann with `code` and words."))
        .collect();
    repo.finish(world, &[issue(1, "", &[]), issue(2, "", &comments)], &[]);
}

pub(super) fn pulls(world: &Path, size: usize) {
    let (mut repo, first) = plain(world);
    let mut all = Vec::new();
    for number in 1..=size {
        let branch = format!("topic-{number}");
        repo.commit(
            &branch,
            &[first],
            "Change",
            &one(&format!("{number}.txt"), "new\n"),
        );
        all.push(pull(number, &branch));
    }
    // The merge base is 50 commits behind `main`.
    let mut tip = first;
    for number in 0..50 {
        tip = repo.commit(
            "main",
            &[tip],
            "Go on",
            &one("README.md", &number.to_string()),
        );
    }
    repo.finish(world, &[], &all);
}

/// Long history with a pull request. Its branch forks from the first commit and has a tenth as many commits.
pub(super) fn commits(world: &Path, size: usize) {
    milestones(world);
    let (mut repo, first) = plain(world);
    let (mut main, mut topic) = (first, first);
    for number in 0..size {
        let message = format!("Change {number}\n\nSee #1 for words.");
        main = repo.commit(
            "main",
            &[main],
            &message,
            &one("main.txt", &number.to_string()),
        );
        if number % 10 == 0 {
            topic = repo.commit(
                "topic",
                &[topic],
                &message,
                &one("topic.txt", &number.to_string()),
            );
        }
    }
    repo.finish(world, &[issue(1, "", &[])], &[pull(2, "topic")]);
}

/// Many files, of which the head of a pull request changes half and moves some, and the base changes a quarter.
pub(super) fn files(world: &Path, size: usize) {
    let mut repo = Repo::new(world);
    let path = |number: usize| format!("src/{}/{number}.txt", number % 4);
    let text =
        |number: usize, mark: &str| Some(format!("{number}\n{}{number}\n", lines(20, 7, mark)));
    let start: Vec<_> = (0..size)
        .map(|number| (path(number), text(number, "")))
        .collect();
    let first = repo.commit("main", &[], "Begin", &start);
    let half = |odd: usize, mark: &str| -> Vec<_> {
        let its = (0..size).filter(|number| number % 2 == odd);
        its.map(|number| (path(number), text(number, mark)))
            .collect()
    };
    let mut theirs = half(1, "theirs");
    for number in (0..size).filter(|number| number % 20 == 0) {
        theirs.push((path(number), None));
        theirs.push((format!("moved/{number}.txt"), text(number, "")));
    }
    repo.commit("topic", &[first], "Change", &theirs);
    let ours: Vec<_> = half(0, "ours")
        .into_iter()
        .filter(|(path, _)| !path.contains("/0/"))
        .collect();
    repo.commit("main", &[first], "Change", &ours);
    repo.finish(world, &[], &[pull(1, "topic")]);
}

/// One long file, in which both sides of a pull request change some lines.
pub(super) fn long_file(world: &Path, size: usize) {
    let mut repo = Repo::new(world);
    let first = repo.commit(
        "main",
        &[],
        "Begin",
        &one("long.txt", &lines(size, size, "")),
    );
    let theirs = lines(size, 12, " theirs");
    let theirs = repo.commit("topic", &[first], "Change", &one("long.txt", &theirs));
    // Every twelfth line, in the middle between those of the other side.
    let ours: String = lines(size, size, "")
        .lines()
        .enumerate()
        .map(|(at, line)| {
            if at % 12 == 6 {
                format!("{line} ours\n")
            } else {
                format!("{line}\n")
            }
        })
        .collect();
    repo.commit("main", &[first], "Change", &one("long.txt", &ours));
    let head = theirs.to_string();
    let comment = |id: usize| {
        json!({"id": id, "user": "ann", "body": "Why?", "path": "long.txt", "line": 1 + 12 * id, "side": "RIGHT",
            "commit_id": head, "created_at": "2024-03-02T00:00:00Z"})
    };
    let mut pull = pull(1, "topic");
    pull["review_comments"] = (1..50).map(comment).collect();
    repo.finish(world, &[], &[pull]);
}

/// Long file with two different lines in random order, which is expensive to compare with another such file of the pull
/// request.
pub(super) fn hard_lines(world: &Path, size: usize) {
    let mut repo = Repo::new(world);
    let mixed = |seed: u64| -> String {
        let mut state = seed;
        let mut text = String::new();
        for _ in 0..size {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            text += if state >> 40 & 1 == 0 { "a\n" } else { "b\n" };
        }
        text
    };
    let first = repo.commit("main", &[], "Begin", &one("long.txt", &mixed(1)));
    repo.commit("topic", &[first], "Change", &one("long.txt", &mixed(2)));
    repo.finish(world, &[], &[pull(1, "topic")]);
}

pub(super) fn refs(world: &Path, size: usize) {
    let (mut repo, first) = plain(world);
    for number in 0..size {
        repo.set(&format!("refs/heads/branch-{number}"), first);
        repo.set(&format!("refs/tags/v{number}"), first);
    }
    repo.finish(world, &[], &[]);
}

/// Small world for calls whose arguments grow.
pub(super) fn small(world: &Path, _: usize) {
    let (mut repo, first) = plain(world);
    repo.commit("topic", &[first], "Change", &one("new.txt", "new\n"));
    milestones(world);
    repo.finish(world, &[issue(1, "word", &[])], &[pull(2, "topic")]);
}
