use github_chronicle::Hub;
use github_chronicle::testing::{self, Memory};

use crate::project::FORTNIGHT;

fn made(seed: u64) -> (Memory, Hub) {
    testing::made(&FORTNIGHT, seed, crate::history)
}

#[test]
fn every_seed_gives_a_whole_history() {
    for seed in 0..6 {
        let (git, hub) = made(seed);
        let count = git.commits.len();
        assert!(
            (700..=1_100).contains(&count),
            "seed {seed}: {count} commits"
        );
        assert_eq!(git.tags.len(), 15);
        let open = hub.threads.iter().filter(|it| it.closed.is_none());
        assert_eq!(
            open.filter(|it| it.pull.is_some()).count(),
            22,
            "seed {seed}"
        );
        let last = hub.threads.iter().map(|it| it.updated).max();
        assert!(last < Some(1_745_827_200), "seed {seed}: after the clock");
    }
}

/// The sign of a difference is lost in some releases, whatever the file was called then.
#[test]
fn releases_differ_in_the_sign() {
    let (git, _) = made(276);
    let loses = |tag: &str| {
        let tree = &git.trees[&git.tags[tag]];
        let span = tree
            .get("lib/fortnight/span.rb")
            .or_else(|| tree.get("lib/fortnight/interval.rb"))
            .expect("there is one of them");
        span.contains("(seconds - other.seconds).abs")
    };
    let lost: Vec<&str> = git
        .tags
        .keys()
        .map(String::as_str)
        .filter(|tag| loses(tag))
        .collect();
    assert_eq!(
        lost,
        [
            "v2.1.0", "v2.2.0", "v2.2.1", "v2.2.2", "v3.0.0", "v3.1.0", "v3.3.0"
        ]
    );
}

/// What was opened with its first commits has its number from then.
#[test]
fn what_is_numbered_later_was_opened_later() {
    let (_, hub) = made(276);
    for pair in hub.threads.windows(2) {
        assert!(
            pair[0].created <= pair[1].created,
            "#{} was opened before #{}",
            pair[1].number,
            pair[0].number
        );
    }
}
