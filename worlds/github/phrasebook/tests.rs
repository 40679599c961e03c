use github_chronicle::Hub;
use github_chronicle::testing::{self, Memory};

use crate::pages::{LOCALES, PAGES, column, path};
use crate::plans::CAUGHT_UP;
use crate::project::PHRASEBOOK;

fn made(seed: u64) -> (Memory, Hub) {
    testing::made(&PHRASEBOOK, seed, crate::history)
}

#[test]
fn every_seed_gives_a_whole_history() {
    for seed in 0..6 {
        let (git, hub) = made(seed);
        let count = git.commits.len();
        assert!(
            (400..=1500).contains(&count),
            "seed {seed}: {count} commits"
        );
        assert_eq!(git.tags.len(), 8);
        let last = hub.threads.iter().map(|it| it.updated).max();
        assert!(last < Some(1_760_945_400), "seed {seed}: after the clock");
    }
}

/// In every language there are pages that follow their source and pages that do not, and the Italian plan is done.
#[test]
fn some_pages_lag_behind() {
    let (git, hub) = made(10);
    let tree = &git.trees[&git.branches["main"]];
    let read = |locale: &str, name: &str| {
        let page = crate::pages::page(name);
        page.read(column(locale), &tree[&path(locale, name)])
    };
    for locale in &LOCALES[1..] {
        let lags = PAGES
            .iter()
            .filter(|page| read(locale, page.name).0 < read("en", page.name).0);
        assert!((2..10).contains(&lags.count()), "{locale}");
    }
    for page in CAUGHT_UP {
        assert_eq!(read("it", page), read("en", page), "{page}");
    }
    let read = hub.threads.iter().filter(|it| {
        it.closed.is_none()
            && it.pull.is_some()
            && it.labels.iter().any(|it| it == "second reading")
    });
    assert_eq!(read.count(), 7);
}

/// The branch of the printed release has pages that follow their source and say another number.
#[test]
fn the_print_has_mistakes() {
    let (git, _) = made(10);
    let tree = &git.trees[&git.branches["release/3.1"]];
    let mut wrong = Vec::new();
    for locale in &LOCALES[1..] {
        for page in PAGES {
            let source = page.read(0, &tree[&path("en", page.name)]);
            let own = page.read(column(locale), &tree[&path(locale, page.name)]);
            if source.0 == own.0 && source.1 != own.1 {
                wrong.push(*locale);
            }
        }
    }
    assert!(wrong.len() > 4, "{wrong:?}");
    wrong.dedup();
    assert!(wrong.len() > 1, "{wrong:?}");
}
