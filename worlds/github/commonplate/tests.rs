use github_chronicle::testing::{self, Memory};
use github_chronicle::{Hub, Texts, plan, run};

use crate::project::COMMONPLATE;
use crate::{small, story, talk};

fn made(seed: u64) -> (Memory, Hub) {
    testing::made(&COMMONPLATE, seed, |random, git| {
        let told = story::story();
        let works = plan::<Texts>(
            &COMMONPLATE,
            random,
            told,
            (12, 660),
            (1, 5),
            small::corrections,
        );
        let talks = talk::talks(random);
        run::<_, Texts>(&COMMONPLATE, git, random, &works, &talks)
    })
}

#[test]
fn every_seed_gives_a_whole_history() {
    for seed in 0..6 {
        let (git, hub) = made(seed);
        let count = git.commits.len();
        assert!((300..=650).contains(&count), "seed {seed}: {count} commits");
        assert_eq!(git.tags.len(), 7);
        let open = hub.threads.iter().filter(|it| it.closed.is_none());
        assert_eq!(
            open.filter(|it| it.pull.is_some()).count(),
            3,
            "seed {seed}"
        );
        let last = hub.threads.iter().map(|it| it.updated).max();
        assert!(last < Some(1_733_130_000), "seed {seed}: after the clock");
    }
}

/// The clean-up is still felt, but not where somebody set the oven since.
#[test]
fn ovens_are_too_cold_where_nobody_looked() {
    let (git, _) = made(2);
    let tree = &git.trees[&git.branches["main"]];
    assert!(tree["recipes/plum-tart.md"].contains("oven: 180\n"));
    assert!(tree["recipes/potato-gratin.md"].contains("oven: 175\n"));
    assert!(tree["recipes/bread/malt-loaf.md"].contains("oven: 160\n"));
    assert!(!tree.contains_key("recipes/oat-bread.md"));
}
