use std::collections::BTreeMap;

use github_chronicle::testing::{self, Memory};
use github_chronicle::{Hub, Thread};

use crate::code_base::CodeBase;
use crate::project::SLUICE;
use crate::{plan, talk};

fn run(seed: u64) -> (Memory, Hub) {
    testing::made(&SLUICE, seed, |random, git| {
        let works = plan::plan(random);
        let talks = talk::talks(random);
        github_chronicle::run::<_, CodeBase>(&SLUICE, git, random, &works, &talks)
    })
}

fn minutes(tree: &BTreeMap<String, String>) -> Option<&str> {
    let line = tree
        .get("crops/tomato.toml")?
        .lines()
        .find(|it| it.starts_with("max_minutes"))?;
    Some(line.trim_start_matches("max_minutes = "))
}

#[test]
fn a_seed_always_gives_the_same_history() {
    assert!(run(1).0 == run(1).0);
    assert!(run(1).0 != run(2).0);
}

#[test]
fn every_seed_gives_a_whole_history() {
    for seed in 0..8 {
        let (git, hub) = run(seed);
        let count = git.commits.len();
        assert!((300..=600).contains(&count), "seed {seed}: {count} commits");
        let numbers: Vec<u64> = hub.threads.iter().map(|it| it.number).collect();
        assert!(
            (150..=320).contains(&numbers.len()),
            "seed {seed}: {}",
            numbers.len()
        );
        assert!(
            hub.threads
                .windows(2)
                .all(|pair| pair[0].created <= pair[1].created)
        );
        let open = |it: &&Thread| it.closed.is_none();
        assert_eq!(
            hub.threads
                .iter()
                .filter(open)
                .filter(|it| it.pull.is_some())
                .count(),
            4
        );
        let new = |it: &&Thread| it.pull.is_none() && it.labels.is_empty();
        assert_eq!(hub.threads.iter().filter(open).filter(new).count(), 7);
        assert_eq!(git.tags.len(), 15);
        assert!(git.branches.contains_key("release/1.2"));
        let last = hub.threads.iter().map(|it| it.updated).max();
        assert!(last < Some(1_740_988_800), "seed {seed}: after the clock");
    }
}

/// The longest run of the tomato has a history worth asking for.
#[test]
fn tomatoes_change_in_every_way() {
    for seed in 0..8 {
        let (git, _) = run(seed);
        let mut reached: Vec<&str> = vec![git.branches["main"].as_str()];
        let mut changes = 0;
        let parents: BTreeMap<&str, &Vec<String>> = git
            .commits
            .iter()
            .map(|it| (it.id.as_str(), &it.parents))
            .collect();
        let mut seen = std::collections::BTreeSet::new();
        while let Some(id) = reached.pop() {
            if !seen.insert(id) {
                continue;
            }
            reached.extend(parents[id].iter().map(String::as_str));
            if let [parent] = parents[id].as_slice() {
                let (before, after) = (minutes(&git.trees[parent]), minutes(&git.trees[id]));
                changes += usize::from(before.is_some() && before != after);
            }
        }
        assert_eq!(changes, 9, "seed {seed}");
    }
}

/// The fixes that wait for the release branch fit there, although main has gone on.
#[test]
fn the_release_branch_has_what_the_fixes_change() {
    let (git, _) = run(3);
    let tree = &git.trees[&git.branches["release/2.1"]];
    assert!(tree["sluice/meteo.py"].contains("rain = sum(hour[\"rain\"] for hour in hours)"));
    assert!(
        tree["sluice/valves.py"]
            .contains("self.open_since.pop(valve, None)\n        self._set(valve, False)")
    );
    assert!(!tree["sluice/moisture.py"].contains("min(1.0, max(0.0, share))"));
    assert!(tree["sluice/moisture.py"].contains("middle = sorted"));
    assert!(tree["sluice/alerts.py"].contains("QUIET_MINUTES * 60"));
    assert!(tree["CHANGELOG.md"].starts_with("# Changes\n\n## 2.1.2 - 20"));
}

/// No message or text is left with a mark that nobody filled in.
#[test]
fn texts_are_filled_in() {
    let (git, hub) = run(4);
    for commit in &git.commits {
        let message = &commit.message;
        assert!(
            !message.contains('{') && message.ends_with('\n'),
            "{message:?}"
        );
    }
    for thread in &hub.threads {
        assert!(!thread.body.contains('{'), "{thread:?}");
    }
}
