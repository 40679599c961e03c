//! Merges and renames of trees of every shape, compared with git.

use std::collections::BTreeMap;
use std::path::Path;

use gix::ObjectId;
use gix::objs::Tree;
use gix::objs::tree::{Entry, EntryKind};
use mcpmark_github::git::{Change, Git, Merged};
use mcpmark_github::world;
use mcpmark_snapshot::Snapshot;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::json;
use tempfile::TempDir;

use crate::support::{CLOCK, Repo, World, git, write};

pub(crate) type Files = BTreeMap<String, (EntryKind, String)>;

/// Checks that a merge of two branches equals that of git in both directions. Returns for each direction if it is
/// clean.
pub(crate) fn same_merge(
    repo: &Path,
    ours: &Git,
    one: &str,
    other: &str,
    place: &str,
) -> [bool; 2] {
    [(one, other), (other, one)].map(|(into, from)| {
        let asked = ["merge-tree", "--write-tree", into, from];
        let (merges, said) = git(repo, &asked).unwrap();
        let tips = [into, from].map(|name| ours.branch(name).unwrap());
        match ours.merge(tips[0], tips[1]).unwrap() {
            Merged::Clean(tree) => {
                assert!(merges, "{place}, {from} into {into}: clean\n{said}");
                assert_eq!(said.trim(), tree.to_string(), "{place}, {from} into {into}");
            }
            Merged::Conflicts(paths) => {
                assert!(!merges, "{place}, {from} into {into}: {paths:?}");
            }
        }
        merges
    })
}

/// Checks that the diff of two branches equals that of git.
fn same_difference(repo: &Path, ours: &Git, one: &str, other: &str, place: &str) {
    let asked = ["-c", "core.abbrev=7", "diff", "-M", one, other];
    let (_, theirs) = git(repo, &asked).unwrap();
    let [old, new] = [one, other].map(|name| ours.tree_of(ours.branch(name).unwrap()).unwrap());
    let changes = ours.changes(Some(old), new).unwrap();
    let told: String = changes.iter().map(Change::text).collect();
    assert_eq!(told, theirs, "{place}, {one} to {other}");
}

/// Repository that is read by our code and by git.
pub(crate) struct Pair {
    pub(crate) home: TempDir,
    repo: Repo,
    pub(crate) time: i64,
}

impl Pair {
    /// Returns `None` if git is not installed.
    pub(crate) fn new() -> Option<Self> {
        let home = tempfile::tempdir().unwrap();
        let world = home.path().join("world");
        std::fs::create_dir(&world).unwrap();
        let repo = Repo::new(&world);
        git(home.path(), &["--version"])?;
        let time = 1_700_000_000;
        Some(Self { home, repo, time })
    }

    pub(crate) fn commit(&mut self, branch: &str, parents: &[ObjectId], files: &Files) -> ObjectId {
        self.time += 60;
        let files = files
            .iter()
            .map(|(path, file)| (path.as_str(), file.clone()));
        let id = self
            .repo
            .commit_onto(parents, self.time, branch, &files.collect());
        self.repo.set(&format!("refs/heads/{branch}"), id);
        id
    }

    pub(crate) fn git(&self) -> std::path::PathBuf {
        self.home.path().join("world/repo/.git")
    }

    pub(crate) fn ours(&self) -> Git {
        let state = Snapshot::of_directory(self.home.path().join("world")).unwrap();
        let opened = world::open(&state.tree, &*state.blobs, self.home.path(), CLOCK);
        opened.unwrap().git
    }
}

pub(crate) fn file(text: &str) -> (EntryKind, String) {
    (EntryKind::Blob, text.to_owned())
}

pub(crate) fn lines(name: &str, count: usize) -> String {
    (0..count)
        .map(|line| format!("{name} line {line}\n"))
        .collect()
}

/// Edit of a tree: the old path, the new path, and the change of the text.
type Edit<'a> = (&'a str, &'a str, &'a dyn Fn(&str) -> String);

#[test]
fn every_two_changes_of_a_tree_merge_as_in_git() {
    let same = |text: &str| text.to_owned();
    let line = |at: usize| {
        move |text: &str| {
            let mut lines: Vec<&str> = text.lines().collect();
            let changed = format!("{} changed", lines[at]);
            lines[at] = &changed;
            lines.join("\n") + "\n"
        }
    };
    let (third, last) = (line(2), line(8));
    let turned = |text: &str| text.lines().rev().map(|line| format!("{line}\n")).collect();
    let tail = |text: &str| format!("{text}tail\n");
    let returns = |text: &str| text.replace('\n', "\r\n");
    let moved = |text: &str| text[text.len() / 2..].to_owned() + &text[..text.len() / 2];
    let gone = "";
    let sides: Vec<Vec<Edit<'_>>> = vec![
        vec![("a", "a", &third)],
        vec![("a", "a", &last), ("b", "b", &turned)],
        vec![("a", "a", &tail), ("lib/x", "lib/x", &third)],
        vec![("a", gone, &same)],
        vec![("a", "a2", &same)],
        vec![("a", "a2", &last)],
        vec![("a", "lib/a", &third)],
        vec![("a", "b", &same), ("b", gone, &same)],
        vec![("b", "a2", &third)],
        vec![("a", "a/b", &same)],
        vec![("a", gone, &same), ("", "a/new", &tail)],
        vec![
            ("lib/x", "src/x", &same),
            ("lib/y", "src/y", &same),
            ("lib/z", "src/z", &same),
        ],
        vec![
            ("lib/x", "src/x", &third),
            ("lib/y", "src/y", &same),
            ("lib/z", "more/z", &same),
        ],
        vec![
            ("lib/x", "src/x", &third),
            ("lib/y", "more/y", &same),
            ("lib/z", gone, &same),
        ],
        vec![
            ("lib/x", "x", &same),
            ("lib/y", "y", &same),
            ("lib/z", "z", &same),
        ],
        vec![("", "lib/new", &tail)],
        vec![("", "src/new", &tail), ("", "lib/w", &tail)],
        vec![("lib/x", "lib/x", &third), ("lib/y", gone, &same)],
        vec![
            ("lib/x", gone, &same),
            ("lib/y", gone, &same),
            ("lib/z", gone, &same),
            ("", "lib", &tail),
        ],
        vec![("lib/x", "lib/x", &returns), ("b", "b", &moved)],
        vec![("lib/x", "x", &returns), ("b", "b2", &moved)],
        vec![("empty", "empty", &tail)],
        vec![("empty", "moved", &same)],
        vec![("empty", gone, &same), ("nothing", "empty2", &same)],
        vec![("", "a2", &tail), ("", "src/x", &tail)],
        vec![
            ("deep/er/one", "flat/one", &same),
            ("deep/er/two", "flat/two", &same),
        ],
        vec![("", "deep/er/three", &tail), ("", "deep/four", &tail)],
    ];
    let base: Files = [
        ("a", lines("a", 20)),
        ("b", lines("b", 20)),
        ("deep/er/one", lines("one", 9)),
        ("deep/er/two", lines("two", 9)),
        ("empty", String::new()),
        ("lib/x", lines("x", 9)),
        ("lib/y", lines("y", 9)),
        ("lib/z", lines("z", 9)),
        ("nothing", String::new()),
    ]
    .into_iter()
    .map(|(path, text)| (path.to_owned(), file(&text)))
    .collect();
    let Some(mut pair) = Pair::new() else { return };
    let root = pair.commit("main", &[], &base);
    let mut names = Vec::new();
    for (at, edits) in sides.iter().enumerate() {
        let mut files = base.clone();
        for (old, ..) in edits {
            files.remove(*old);
        }
        for (old, new, change) in edits {
            let text = base.get(*old).map_or("new\n", |(_, text)| text);
            if !new.is_empty() {
                files.insert((*new).to_owned(), file(&change(text)));
            }
        }
        names.push(format!("side{at}"));
        pair.commit(&names[at], &[root], &files);
    }
    // Changes of the type of a file.
    for (name, kind, text) in [
        ("link", EntryKind::Link, "b".to_owned()),
        ("other", EntryKind::Link, "lib/x".to_owned()),
        ("runs", EntryKind::BlobExecutable, lines("a", 20)),
    ] {
        let mut files = base.clone();
        files.insert("a".to_owned(), (kind, text));
        pair.commit(name, &[root], &files);
        names.push(name.to_owned());
    }
    let (repo, ours) = (pair.git(), pair.ours());
    let mut clean = [0, 0];
    for (at, one) in names.iter().enumerate() {
        same_difference(&repo, &ours, "main", one, "a tree");
        for other in &names[at + 1..] {
            same_difference(&repo, &ours, one, other, "a tree");
            for merges in same_merge(&repo, &ours, one, other, "a tree") {
                clean[usize::from(merges)] += 1;
            }
        }
    }
    assert!(clean.iter().all(|count| *count > 200), "{clean:?}");
}

const NAMES: [&str; 10] = [
    "a.txt",
    "b.py",
    "dir/c.txt",
    "dir/d.rb",
    "dir/sub/e.md",
    "x y.txt",
    "z/q.txt",
    "z/a.txt",
    "top",
    "bin",
];

fn random_text(pick: &mut impl FnMut(usize) -> usize) -> String {
    const WORDS: [&str; 8] = [
        "",
        "}",
        "    return x",
        "end",
        "line a",
        "line b",
        "\tif y",
        "# note",
    ];
    let count = pick(30);
    let end = if pick(7) == 0 { "\r\n" } else { "\n" };
    let lines: Vec<String> = (0..count)
        .map(|_| match pick(2) {
            0 => WORDS[pick(WORDS.len())].to_owned(),
            _ => format!("unique {}", pick(1_000_000)),
        })
        .collect();
    let text = lines.join(end);
    if count > 0 && pick(5) > 0 {
        text + end
    } else {
        text
    }
}

fn random_edit(text: &str, pick: &mut impl FnMut(usize) -> usize) -> String {
    if pick(15) == 0 {
        return if text.contains("\r\n") {
            text.replace("\r\n", "\n")
        } else {
            text.replace('\n', "\r\n")
        };
    }
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    for _ in 0..[1, 1, 2, 4][pick(4)] {
        let at = pick(lines.len() + 1);
        let count = pick(3).min(lines.len() - at);
        match pick(4) {
            0 => lines.insert(at, format!("new {}", pick(100))),
            1 => drop(lines.drain(at..at + count)),
            2 => {
                let block: Vec<String> = lines.drain(at..at + count).collect();
                let to = pick(lines.len() + 1);
                lines.splice(to..to, block);
            }
            _ => {
                let put = (0..count).map(|_| format!("other {}", pick(3)));
                let put: Vec<String> = put.collect();
                lines.splice(at..at + count, put);
            }
        }
    }
    lines.join("\n")
}

fn random_change(files: &Files, pick: &mut impl FnMut(usize) -> usize) -> Files {
    let mut files = files.clone();
    let fits = |files: &Files, new: &str| {
        !files.keys().any(|it| {
            it == new || it.starts_with(&format!("{new}/")) || new.starts_with(&format!("{it}/"))
        })
    };
    for _ in 0..1 + pick(3) {
        let paths: Vec<String> = files.keys().cloned().collect();
        let new = match pick(3) {
            0 => format!("{}{}", NAMES[pick(NAMES.len())], pick(3)),
            _ => format!("{}/{}", ["moved", "dir", "new dir"][pick(3)], pick(4)),
        };
        if paths.is_empty() {
            files.insert(new, file(&random_text(pick)));
            continue;
        }
        let path = &paths[pick(paths.len())];
        match pick(12) {
            0 if fits(&files, &new) => drop(files.insert(new, file(&random_text(pick)))),
            1 => drop(files.remove(path)),
            2 | 3 if fits(&files, &new) => {
                let (kind, text) = files.remove(path).unwrap();
                let text = if pick(2) == 0 {
                    text
                } else {
                    random_edit(&text, pick)
                };
                files.insert(new, (kind, text));
            }
            4 => {
                let (from, to) =
                    ([("dir/", "moved/"), ("z/", "dir/"), ("moved/", "dir/")])[pick(3)];
                for path in paths.iter().filter(|path| path.starts_with(from)) {
                    let new = path.replacen(from, to, 1);
                    if fits(&files, &new) {
                        let moved = files.remove(path).unwrap();
                        files.insert(new, moved);
                    }
                }
            }
            5 => {
                let (kind, _) = files.get_mut(path).unwrap();
                *kind = match kind {
                    EntryKind::Blob => EntryKind::BlobExecutable,
                    _ => EntryKind::Blob,
                };
            }
            6 if pick(3) == 0 => {
                files.insert(
                    path.clone(),
                    (EntryKind::Link, format!("target {}", pick(3))),
                );
            }
            _ => {
                let (_, text) = files.get_mut(path).unwrap();
                *text = random_edit(text, pick);
            }
        }
    }
    files
}

/// Branches with random trees that sometimes merge each other, so that some pairs have several merge bases.
#[test]
fn random_histories_merge_as_in_git() {
    let mut clean = [0, 0];
    let mut crossed = 0;
    for seed in 0..120 {
        let Some(mut pair) = Pair::new() else { return };
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut pick = |most: usize| (random.next_u64() % most as u64) as usize;
        let mut base = Files::new();
        for name in NAMES {
            if pick(5) > 0 {
                base.insert(name.to_owned(), file(&random_text(&mut pick)));
            }
        }
        base.insert("binary".to_owned(), file("a\0b\nc\n"));
        let names = ["main", "one", "two"];
        let root = pair.commit("main", &[], &base);
        let mut tips = names.map(|name| {
            pair.repo.set(&format!("refs/heads/{name}"), root);
            (root, base.clone())
        });
        for _ in 0..6 + pick(10) {
            let (own, from) = (pick(3), pick(3));
            let (tip, files) = tips[own].clone();
            if pick(3) > 0 || tips[from].0 == tip {
                let files = random_change(&files, &mut pick);
                tips[own] = (pair.commit(names[own], &[tip], &files), files);
                continue;
            }
            // The other branch often merges the previous tip of this one as well.
            let mut merge = |(tip, files): &(ObjectId, Files),
                             other: &(ObjectId, Files),
                             own: usize| {
                let mut files = files.clone();
                for (path, theirs) in &other.1 {
                    let alone = files.keys().all(|it| {
                        !it.starts_with(&format!("{path}/")) && !path.starts_with(&format!("{it}/"))
                    });
                    if alone && pick(2) == 0 {
                        files.insert(path.clone(), theirs.clone());
                    }
                }
                (pair.commit(names[own], &[*tip, other.0], &files), files)
            };
            let (one, other) = (tips[own].clone(), tips[from].clone());
            tips[own] = merge(&one, &other, own);
            if other.0 != root {
                tips[from] = merge(&other, &one, from);
            }
        }
        let (repo, ours) = (pair.git(), pair.ours());
        let place = format!("seed {seed}");
        for (one, other) in [("main", "one"), ("main", "two"), ("one", "two")] {
            let bases = git(&repo, &["merge-base", "--all", one, other]).unwrap().1;
            crossed += usize::from(bases.lines().count() > 1);
            same_difference(&repo, &ours, one, other, &place);
            same_difference(&repo, &ours, other, one, &place);
            for merges in same_merge(&repo, &ours, one, other, &place) {
                clean[usize::from(merges)] += 1;
            }
        }
    }
    assert!(
        clean.iter().all(|count| *count > 40) && crossed > 20,
        "{clean:?}, {crossed} crossed"
    );
}

/// Two branches merged each other and each kept its own version of a line. The merge must conflict and not lose one
/// silently.
#[test]
fn different_resolutions_of_a_criss_cross_conflict_as_in_git() {
    for early in [false, true] {
        let Some(mut pair) = Pair::new() else { return };
        let with = |line: &str| -> Files {
            let text = lines("f", 20).replace("f line 14\n", &format!("{line}\n"));
            Files::from([("f".to_owned(), file(&text))])
        };
        let root = pair.commit("root", &[], &with("f line 14"));
        let one = pair.commit("one", &[root], &with("one"));
        pair.time += if early { -600 } else { 600 };
        let two = pair.commit("two", &[root], &with("two"));
        pair.time += 6_000;
        pair.commit("main", &[one, two], &with("one"));
        pair.commit("topic", &[two, one], &with("two"));
        let merges = same_merge(&pair.git(), &pair.ours(), "main", "topic", "crossed");
        assert_eq!(merges, [false, false]);
    }
}

/// Among files with equal bytes, a file is paired with the one of the same name if that is among the first unpaired
/// ones, as in git.
#[test]
fn many_files_of_equal_bytes_move_as_in_git() {
    let Some(mut pair) = Pair::new() else { return };
    let files = |directory: &str, numbers: std::ops::Range<usize>| -> Files {
        let path = |number| format!("{directory}/{number:05}");
        numbers
            .map(|number| (path(number), file("same\n")))
            .collect()
    };
    let root = pair.commit("main", &[], &files("old", 0..20_000));
    pair.commit("moved", &[root], &files("new", 0..20_000));
    let mut changed = files("old", 0..20_000);
    changed.insert("old/00007".to_owned(), file("same\nmore\n"));
    pair.commit("changed", &[root], &changed);
    for number in 98..104 {
        let name = format!("left{number}");
        pair.commit(&name, &[root], &files("new", number..number + 1));
    }
    pair.commit("turned", &[root], &files("new", 19_000..19_990));
    let (repo, ours) = (pair.git(), pair.ours());
    let [old, new] =
        ["main", "moved"].map(|name| ours.tree_of(ours.branch(name).unwrap()).unwrap());
    let moved = ours.changed(Some(old), new).unwrap();
    assert_eq!(moved.len(), 20_000);
    for change in moved {
        let was = change.path.replace("new/", "old/");
        assert_eq!(change.previous, Some(was));
    }
    for name in (98..104).map(|number| format!("left{number}")) {
        same_difference(&repo, &ours, "main", &name, "files of equal bytes");
    }
    same_difference(&repo, &ours, "main", "turned", "files of equal bytes");
    let merges = same_merge(&repo, &ours, "moved", "changed", "files of equal bytes");
    assert_eq!(merges, [true, true]);
}

/// With so many files, comparing all pairs is impossible. Files that are already paired must not be visited again.
#[test]
fn hundreds_of_thousands_of_files_of_equal_bytes_move() {
    let Some(pair) = Pair::new() else { return };
    let repo = gix::open(pair.git()).unwrap();
    let [same, other] = ["same\n", "other\n"].map(|text| repo.write_blob(text).unwrap().detach());
    let put = |kind: EntryKind, name: String, oid: ObjectId| Entry {
        mode: kind.into(),
        filename: name.into(),
        oid,
    };
    let commit = |branch: &str, directory: &str, first: ObjectId, parents: Vec<ObjectId>| {
        let oid = |number| if number == 0 { first } else { same };
        let files =
            (0..300_000).map(|number| put(EntryKind::Blob, format!("{number:06}"), oid(number)));
        let entries = files.collect();
        let files = repo.write_object(&Tree { entries }).unwrap().detach();
        let entries = vec![put(EntryKind::Tree, directory.to_owned(), files)];
        let tree = repo.write_object(&Tree { entries }).unwrap().detach();
        let who = gix::actor::Signature::default();
        let commit = gix::objs::Commit {
            tree,
            parents: parents.into_iter().collect(),
            author: who.clone(),
            committer: who,
            encoding: None,
            message: branch.into(),
            extra_headers: Vec::new(),
        };
        let id = repo.write_object(&commit).unwrap().detach();
        pair.repo.set(&format!("refs/heads/{branch}"), id);
        id
    };
    let root = commit("main", "old", same, Vec::new());
    let moved = commit("moved", "new", same, vec![root]);
    let changed = commit("changed", "old", other, vec![root]);
    let both = commit("both", "new", other, Vec::new());
    let ours = pair.ours();
    let tree = ours.tree_of(both).unwrap();
    for (into, from) in [(moved, changed), (changed, moved)] {
        assert_eq!(ours.merge(into, from).unwrap(), Merged::Clean(tree));
    }
}

#[test]
fn a_directory_of_a_thousand_files_moves_as_in_git() {
    let Some(mut pair) = Pair::new() else { return };
    let files = |directory: &str, last: &str| -> Files {
        let file = |number: usize| {
            let text = lines(&format!("{number}"), 8) + last;
            (format!("{directory}/{number}.txt"), file(&text))
        };
        (0..1001).map(file).collect()
    };
    let root = pair.commit("main", &[], &files("old", ""));
    pair.commit("moved", &[root], &files("new", "more\n"));
    let mut changed = files("old", "");
    let text = changed["old/7.txt"].1.replacen("7 line 0", "first", 1);
    changed.insert("old/7.txt".to_owned(), file(&text));
    pair.commit("changed", &[root], &changed);
    let (repo, ours) = (pair.git(), pair.ours());
    same_difference(&repo, &ours, "main", "moved", "a thousand files");
    let merges = same_merge(&repo, &ours, "moved", "changed", "a thousand files");
    assert_eq!(merges, [true, true]);
}

/// The parallel lines of a branch are rebased one after the other, regardless of the dates of their commits.
#[tokio::test]
async fn branches_of_a_branch_are_rebased_in_the_order_of_git() {
    let world = World::of(|dir| {
        let repo = Repo::new(dir);
        let files = |names: &[&'static str]| -> BTreeMap<&str, (EntryKind, String)> {
            names.iter().map(|name| (*name, file(name))).collect()
        };
        let mut time = 1_700_000_000;
        let mut commit = |parents: &[ObjectId], title: &str, names: &[&'static str]| {
            time += 60;
            repo.commit_onto(parents, time, title, &files(names))
        };
        let root = commit(&[], "root", &["r"]);
        let a = commit(&[root], "a", &["r", "a"]);
        let b = commit(&[root], "b", &["r", "b"]);
        let c = commit(&[a], "c", &["r", "a", "c"]);
        let d = commit(&[b], "d", &["r", "b", "d"]);
        let both = commit(&[c, d], "both", &["r", "a", "b", "c", "d"]);
        let e = commit(&[both], "e", &["r", "a", "b", "c", "d", "e"]);
        let main = commit(&[root], "main", &["r", "m"]);
        repo.set("refs/heads/topic", e);
        repo.set("refs/heads/main", main);
        write(
            dir,
            "repository.json",
            &json!({"owner": "acme", "name": "demo", "viewer": "ann"}),
        );
        let pull = json!({"number": 1, "title": "T", "head": "topic", "base": "main"});
        write(dir, "pulls.json", &json!([pull]));
    })
    .await;
    let repo = world.home.path().join("world/repo/.git");
    let range = [
        "--topo-order",
        "--no-merges",
        "--reverse",
        "--format=%s",
        "main..topic",
    ];
    let Some((_, theirs)) = git(&repo, &[["log"].as_slice(), &range].concat()) else {
        return;
    };
    let call = json!({"pullNumber": 1, "merge_method": "rebase"});
    world.json("merge_pull_request", call).await;
    let left = world.export().await.join("repo");
    let asked = ["log", "--reverse", "--format=%s", "-5", "main"];
    let (_, ours) = git(&left, &asked).unwrap();
    assert_eq!(ours, theirs);
}
