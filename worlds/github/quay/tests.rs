use github_chronicle::Hub;
use github_chronicle::testing::{self, Memory};

use crate::project::QUAY;

fn made(seed: u64) -> (Memory, Hub) {
    testing::made(&QUAY, seed, crate::history)
}

#[test]
fn every_seed_gives_a_whole_history() {
    for seed in 0..6 {
        let (git, hub) = made(seed);
        let count = git.commits.len();
        assert!((280..=650).contains(&count), "seed {seed}: {count} commits");
        assert_eq!(git.tags.len(), 9);
        let open = hub.threads.iter().filter(|it| it.closed.is_none());
        assert_eq!(
            open.filter(|it| it.pull.is_some()).count(),
            12,
            "seed {seed}"
        );
        let last = hub.threads.iter().map(|it| it.updated).max();
        assert!(last < Some(1_762_155_000), "seed {seed}: after the clock");
        let kept = git.branches.len();
        assert!(kept > 12, "seed {seed}: {kept} branches");
    }
}

/// The fixes that wait for the release branch have their place there.
#[test]
fn the_release_branch_has_what_the_fixes_change() {
    let (git, _) = made(3);
    let tree = &git.trees[&git.branches["release/3.1"]];
    assert!(tree["roles/gate/tasks.yml"].contains("- install: plc-bridge\n"));
    assert!(tree["roles/database/tasks.yml"].contains("noatime"));
    assert!(tree["roles/backup/tasks.yml"].contains("timer: nightly\n"));
}
