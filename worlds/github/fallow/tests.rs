use github_chronicle::Hub;
use github_chronicle::testing::{self, Memory};
use mcpmark_guest::serde_json::Value;

use crate::project::FALLOW;
use crate::runs::steps;

/// 2025-05-05 07:30 in UTC: the clock of the world.
const NOW: i64 = 1_746_430_200;

fn made(seed: u64) -> (Memory, Hub, Value) {
    let mut runs = Value::Null;
    let (git, hub) = testing::made(&FALLOW, seed, |random, git| {
        let (hub, ran) = crate::history(random, git, NOW);
        runs = ran;
        hub
    });
    (git, hub, runs)
}

#[test]
fn every_seed_gives_a_whole_history() {
    for seed in 0..6 {
        let (git, hub, runs) = made(seed);
        let count = git.commits.len();
        assert!((180..=520).contains(&count), "seed {seed}: {count} commits");
        let open = hub.threads.iter().filter(|it| it.closed.is_none());
        assert_eq!(
            open.filter(|it| it.pull.is_some()).count(),
            9,
            "seed {seed}"
        );
        let last = hub.threads.iter().map(|it| it.updated).max();
        assert!(last < Some(NOW), "seed {seed}: after the clock");
        let runs = runs["workflow_runs"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let main: Vec<bool> = runs
            .iter()
            .filter(|it| it["event"] == "push")
            .map(|it| it["conclusion"] == "success")
            .collect();
        let turns = main.windows(2).filter(|it| it[0] != it[1]).count();
        assert_eq!(
            turns, 13,
            "seed {seed}: six outages that ended, and one that did not"
        );
        assert!(main.iter().filter(|it| !**it).count() > 12);
    }
}

#[test]
fn the_steps_of_the_workflow_are_known() {
    let steps = steps();
    let told: Vec<String> = steps
        .iter()
        .map(|it| {
            format!(
                "{} {} {}",
                it.job,
                it.name,
                it.command.as_deref().unwrap_or("-")
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            "data Check out -",
            "data Format check format",
            "data Order check order",
            "names Check out -",
            "names Names check names",
            "names Places check places",
            "docs Check out -",
            "docs Links check links",
        ]
    );
}
