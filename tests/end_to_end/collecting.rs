//! Garbage collection under random sequences of commands and kills: the store keeps what attempts need.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::environment::{Environment, Output, text};
use crate::guests;
use crate::library::Library;

/// Deterministic pseudorandom number generator.
struct Dice(u64);

impl Dice {
    /// Returns a number below `sides`.
    fn roll(&mut self, sides: u64) -> u64 {
        // Linear congruential generator of Knuth's MMIX. Its upper bits have the higher quality.
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// Starts a command and kills it after a delay, if it still runs.
fn killed(command: &mut Command, after: Duration) {
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(after);
    // The process may have ended already.
    let _ = child.kill();
    child.wait().unwrap();
}

fn play(experiment: &str) -> [&str; 7] {
    [
        "run",
        "--agent",
        "random",
        "-k",
        "2",
        "--experiment",
        experiment,
    ]
}

/// Runs a random command, or two at once, or kills one.
fn step(dice: &mut Dice, environment: &Environment, library: &Library<'_>, number: usize) {
    let fresh = format!("e{number}");
    let graded = |told: Output| assert!([Some(0), Some(1)].contains(&told.code), "{told:?}");
    match dice.roll(9) {
        0 => graded(library.run(play(&fresh))),
        1 => {
            let stray = format!("stray-{number}");
            let dir = environment.directory(&stray, &[("a/b.txt", &stray)]);
            let state = dir.to_str().unwrap();
            library
                .run(["grade", "filesystem/office/easy", "--state", state])
                .exits(0);
        }
        2 => {
            let verifier = guests::verdict(dice.roll(2) == 0, &fresh);
            fs::write(library.task_dir("easy").join("verifier.wasm"), verifier).unwrap();
            graded(library.run(["regrade", "first"]));
            fs::write(
                library.task_dir("easy").join("verifier.wasm"),
                guests::verdict(true, "fine"),
            )
            .unwrap();
        }
        3 => {
            library.run(["store", "gc"]).exits(0);
        }
        4 => killed(
            &mut library.command(["store", "gc"]),
            Duration::from_millis(dice.roll(12)),
        ),
        5 => killed(
            &mut library.command(play(&fresh)),
            Duration::from_millis(dice.roll(150)),
        ),
        6 => {
            // A run and a collection at the same time: either may be refused, and neither breaks.
            let mut running = library
                .command(play(&fresh))
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(Duration::from_millis(dice.roll(40)));
            let told = library.run(["store", "gc"]);
            assert!([Some(0), Some(5)].contains(&told.code), "{told:?}");
            let code = running.wait().unwrap().code();
            assert!([Some(0), Some(1), Some(5)].contains(&code), "{code:?}");
        }
        7 => {
            graded(library.run(play(&fresh)));
            killed(
                &mut library.command(["store", "remove", &fresh]),
                Duration::from_millis(dice.roll(12)),
            );
        }
        _ => killed(
            &mut library.command(["regrade", "first"]),
            Duration::from_millis(dice.roll(60)),
        ),
    }
}

#[test]
fn nothing_that_an_attempt_needs_is_lost() {
    for seed in [1, 2, 3] {
        let environment = Environment::new();
        let library = Library::new(&environment);
        library.easy_task("easy");
        library.run(play("first")).exits(0);
        let mut dice = Dice(seed);
        for number in 0..16 {
            step(&mut dice, &environment, &library, number);
            library.run(["store", "check"]).exits(0);
        }
        library.run(["store", "gc"]).exits(0);
        library.run(["store", "check"]).exits(0);

        // The store alone is enough to repeat each grade.
        fs::remove_dir_all(&library.root).unwrap();
        let runs = environment.run(["runs", "--json"]).exits(0).json();
        let mut verified = 0;
        for experiment in runs.as_array().unwrap() {
            let name = text(&experiment["experiment"]);
            let attempts = environment.run(["runs", &name, "--json"]).exits(0).json();
            for attempt in attempts["attempts"].as_array().unwrap() {
                if attempt["outcome"] != "graded" {
                    continue;
                }
                let file = environment.path("receipt.json");
                let (id, path) = (text(&attempt["id"]), file.to_str().unwrap());
                environment
                    .run(["receipt", "show", &id, "-o", path, "--force"])
                    .exits(0);
                environment.run(["receipt", "verify", path]).exits(0);
                verified += 1;
            }
        }
        assert!(verified >= 2, "{runs}");
    }
}

fn names(environment: &Environment) -> Vec<String> {
    let runs = environment.run(["runs", "--json"]).exits(0).json();
    let mut names: Vec<String> = runs
        .as_array()
        .unwrap()
        .iter()
        .map(|run| text(&run["experiment"]))
        .collect();
    names.sort();
    names
}

#[test]
fn an_experiment_that_is_removed_takes_nothing_of_others_with_it() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    library.run(play("kept")).exits(0);
    library.run(play("gone")).exits(0);
    library.run(["regrade", "kept", "gone"]).exits(0);
    let exported = |name: &str| {
        let file = environment.path(name);
        let path = file.to_str().unwrap();
        environment
            .run(["store", "export", "kept", "-o", path])
            .exits(0);
        fs::read(file).unwrap()
    };
    let before = exported("before");

    // If one name is unknown, no experiment is removed.
    let refused = environment
        .run(["store", "remove", "gone", "nowhere"])
        .exits(2);
    insta::assert_snapshot!(refused.message(), @r#"
    error: experiment "nowhere" does not exist
    hint: `mcpmark runs` lists the experiments
    "#);
    // A removal cannot be undone, so it requires the name.
    let refused = environment.run(["store", "remove", "latest"]).exits(2);
    insta::assert_snapshot!(refused.message(), @r#"
    error: experiment "latest" does not exist
    hint: `mcpmark runs` lists the experiments
    "#);
    let dry = ["store", "remove", "--dry-run", "gone"];
    let told = environment.run(dry).exits(0);
    assert_eq!(told.stdout, "would remove gone with 2 attempts\n");
    assert_eq!(names(&environment), ["gone", "kept"]);
    // An experiment whose lock is held is being run or regraded.
    let lock = fs::read_dir(environment.home().join("locks")).unwrap();
    let locks: Vec<_> = lock
        .map(|lock| fs::File::open(lock.unwrap().path()).unwrap())
        .collect();
    for lock in &locks {
        lock.lock().unwrap();
    }
    let refused = environment.run(["store", "remove", "gone"]).exits(5);
    insta::assert_snapshot!(refused.message(), @r#"
    error: experiment "gone" is running in another process
    hint: wait for it, or stop it; `mcpmark runs gone` shows its progress
    "#);
    drop(locks);
    assert_eq!(names(&environment), ["gone", "kept"]);

    let args = ["store", "remove", "gone", "gone", "--json"];
    let removed = environment.run(args).exits(0).json();
    assert_eq!(removed["removed"][0]["attempts"], 2);
    assert_eq!(removed["removed"].as_array().unwrap().len(), 1);
    assert_eq!(names(&environment), ["kept"]);
    environment.run(["runs", "gone"]).exits(2);
    environment.run(["store", "gc"]).exits(0);
    environment.run(["store", "check"]).exits(0);
    assert_eq!(exported("after"), before);

    // The name can be used again, and a journal whose experiments were removed does not count as lost.
    library.run(play("gone")).exits(0);
    environment
        .run(["store", "remove", "gone", "kept"])
        .exits(0);
    assert!(names(&environment).is_empty());
    environment.run(["store", "gc"]).exits(0);
    let stats = environment.run(["store", "stats", "--json"]).exits(0);
    assert_eq!(stats.json()["total"]["blobs"], 0);
}
