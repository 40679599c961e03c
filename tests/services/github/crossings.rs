//! Branches that merged each other repeatedly and have several merge bases: merged as in git, with bounded cost.

use gix::ObjectId;
use mcpmark_github::GitError;
use mcpmark_github::git::Merged;
use serde_json::json;

use crate::merges::{Files, Pair, file, lines, same_merge};
use crate::support::{World, write};

/// Creates `width` branches that all merge each other on each of `levels` levels. `main` and `topic` merge their tips.
/// Each commit changes a file of its own branch, and on every level that `disputes` divides also a line of a file that
/// all branches change.
fn ladder(pair: &mut Pair, width: usize, levels: usize, disputes: usize) {
    let text = |level: usize| file(&format!("{level}\n"));
    let own = |line: usize| format!("line{line}");
    let mut files: Files = (0..width).map(|line| (own(line), text(0))).collect();
    files.insert("shared".to_owned(), file(&lines("shared", 9)));
    let root = pair.commit("root", &[], &files);
    let mut tips = vec![root; width];
    let mut shared = vec![files["shared"].clone(); width];
    for level in 1..=levels {
        let before = tips.clone();
        for line in 0..width {
            let mut files = files.clone();
            files.insert(own(line), text(level));
            if level % disputes == 0 {
                let at = format!("shared line {}", level % 9);
                let (kind, text) = &shared[line];
                let text = text.replace(&at, &format!("{at} by {line}"));
                shared[line] = (*kind, text);
            }
            files.insert("shared".to_owned(), shared[line].clone());
            let mut parents = before.clone();
            parents.rotate_left(line);
            parents.dedup();
            tips[line] = pair.commit(&own(line), &parents, &files);
        }
        for line in 0..width {
            files.insert(own(line), text(level));
        }
    }
    for (at, name) in ["main", "topic"].into_iter().enumerate() {
        let mut files = files.clone();
        files.insert("shared".to_owned(), shared[at].clone());
        files.insert(name.to_owned(), file(name));
        let mut parents = tips.clone();
        parents.rotate_left(at);
        pair.commit(name, &parents, &files);
    }
}

#[test]
fn branches_that_merged_each_other_often_merge_as_in_git() {
    let mut clean = [0, 0];
    for (width, levels) in [(2, 6), (3, 6), (4, 3)] {
        for levels in 1..=levels {
            for disputes in [1, 2, 3, 99] {
                let Some(mut pair) = Pair::new() else { return };
                ladder(&mut pair, width, levels, disputes);
                let place = format!("{width} by {levels}, {disputes}");
                for merges in same_merge(&pair.git(), &pair.ours(), "main", "topic", &place) {
                    clean[usize::from(merges)] += 1;
                }
            }
        }
    }
    assert!(clean.iter().all(|count| *count > 15), "{clean:?}");
}

/// With two branches, each level needs one more merge of ancestors. With three it needs two more, and without a cache
/// twice as many as the level above. The deepest recursion fits on a small stack.
#[test]
fn branches_that_merged_each_other_very_often_merge() {
    for (width, levels) in [(2, 250), (3, 100)] {
        let Some(mut pair) = Pair::new() else { return };
        ladder(&mut pair, width, levels, 999);
        let mut both: Files = (0..width)
            .map(|line| (format!("line{line}"), file(&format!("{levels}\n"))))
            .collect();
        both.insert("shared".to_owned(), file(&lines("shared", 9)));
        for name in ["main", "topic"] {
            both.insert(name.to_owned(), file(name));
        }
        pair.commit("both", &[], &both);
        let (repo, ours) = (pair.git(), pair.ours());
        let merge = move || {
            let tips = ["main", "topic"].map(|name| ours.branch(name).unwrap());
            let tree = ours.tree_of(ours.branch("both").unwrap()).unwrap();
            assert_eq!(ours.merge(tips[0], tips[1]).unwrap(), Merged::Clean(tree));
            if width == 2 {
                let merges = same_merge(&repo, &ours, "main", "topic", "very often");
                assert_eq!(merges, [true, true]);
            }
        };
        let thread = std::thread::Builder::new().stack_size(1 << 20);
        thread.spawn(merge).unwrap().join().unwrap();
    }
}

/// Three branches with many levels, and two with thousands, exceed the limit of merges.
#[tokio::test]
async fn branches_that_merged_each_other_without_end_are_not_merged() {
    for (width, levels) in [(3, 130), (2, 4_000)] {
        let mut made = None;
        let world = World::of(|dir| {
            let Some(mut pair) = Pair::new() else { return };
            ladder(&mut pair, width, levels, 9_999);
            std::fs::rename(pair.home.path().join("world/repo"), dir.join("repo")).unwrap();
            write(
                dir,
                "repository.json",
                &json!({"owner": "acme", "name": "demo", "viewer": "ann"}),
            );
            let pull = json!({"number": 1, "title": "T", "head": "topic", "base": "main"});
            write(dir, "pulls.json", &json!([pull]));
            made = Some(());
        });
        let world = world.await;
        if made.is_none() {
            return;
        }
        let pull = json!({"pullNumber": 1});
        let shown = world.json("get_pull_request", pull.clone()).await;
        let told = ["mergeable", "mergeable_state", "rebaseable"].map(|key| &shown[key]);
        assert_eq!(
            told,
            [&json!(null), &json!("unknown"), &json!(null)],
            "{shown}"
        );
        for (tool, during) in [
            ("merge_pull_request", "failed to merge pull request"),
            (
                "update_pull_request_branch",
                "failed to update pull request branch",
            ),
        ] {
            let refused = world.refusal(tool, pull.clone()).await;
            assert!(refused.starts_with(during), "{refused}");
            let why = "422 the branches merged each other too often to be merged again: their common ancestors take \
                       more than 256 merges; start a new branch at one of them";
            assert!(refused.contains(why), "{refused}");
        }
        // The other merge methods still work.
        let call = json!({"pullNumber": 1, "merge_method": "rebase"});
        world.json("merge_pull_request", call).await;
    }
}

/// Each further ancestor adds its lines to the conflict between the ancestors.
#[test]
fn conflicts_of_common_ancestors_do_not_grow_without_end() {
    let Some(mut pair) = Pair::new() else { return };
    let with = |name: &str| -> Files { Files::from([("f".to_owned(), file(&lines(name, 9_000)))]) };
    let root = pair.commit("main", &[], &with("main"));
    let tips: Vec<ObjectId> = (0..200)
        .map(|line| pair.commit("line", &[root], &with(&format!("{line}"))))
        .collect();
    for (name, many) in [("few", 3), ("many", 200)] {
        for side in ["one", "other"] {
            pair.commit(&format!("{name}-{side}"), &tips[..many], &with(side));
        }
    }
    let (repo, ours) = (pair.git(), pair.ours());
    let merges = same_merge(&repo, &ours, "few-one", "few-other", "three ancestors");
    assert_eq!(merges, [false, false]);
    let tips = ["many-one", "many-other"].map(|name| ours.branch(name).unwrap());
    let error = ours.merge(tips[0], tips[1]).unwrap_err();
    assert!(matches!(error, GitError::Crossed(_)), "{error}");
    assert!(
        error
            .to_string()
            .contains("more than 100 MiB of merged files and directories;"),
        "{error}"
    );
}
