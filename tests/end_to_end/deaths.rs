//! Attempts whose process is killed each time they run.

use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use mcpmark_model_server::Reaction;
use rusqlite::Connection;

use crate::environment::Environment;
use crate::models::serve;

const DEADLY: &str = "filesystem/village-festival/stall-balances";
const HARMLESS: &str = "filesystem/village-festival/inbox-filing";

/// Delay and timeout that a test never reaches on a working machine.
const LONG: Duration = Duration::from_secs(600);

fn start(command: &mut Command) -> Child {
    let command = command.stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

fn rows(environment: &Environment, condition: &str) -> usize {
    let journal = Connection::open(environment.home().join("journal.db")).unwrap();
    let count = format!("SELECT count(*) FROM attempts WHERE {condition}");
    let count: i64 = journal.query_row(&count, [], |row| row.get(0)).unwrap();
    count as usize
}

#[test]
fn an_attempt_in_which_the_process_dies_each_time_is_given_up() {
    let environment = Environment::new();
    let (asks, asked) = channel();
    let answers = Arc::new(AtomicBool::new(false));
    let server = serve({
        let answers = Arc::clone(&answers);
        move |request| {
            let is_deadly =
                request.tools != ["ping"] && request.instruction.contains("stall still owes");
            if is_deadly && !answers.load(Ordering::SeqCst) {
                let _ = asks.send(());
                return Reaction::After(LONG, Box::new(Reaction::say("late")));
            }
            Reaction::say("I am done.")
        }
    });
    let url = server.base_url();
    let first = [
        "run",
        "--base-url",
        &url,
        "--model",
        "openai/m",
        "-j",
        "2",
        "--experiment",
        "dying",
        DEADLY,
        HARMLESS,
    ];
    let again = ["resume", "dying"];
    let die = |mut child: Child| {
        asked.recv_timeout(LONG).unwrap();
        // Wait until the other attempt has finished.
        let begun = Instant::now();
        while rows(&environment, "status = 'finished'") == 0 {
            assert!(begun.elapsed() < LONG, "the other attempt does not finish");
            let ended = child.try_wait().unwrap();
            assert!(ended.is_none(), "the process ended by itself: {ended:?}");
            thread::sleep(Duration::from_millis(20));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    };
    die(start(&mut environment.command(first)));
    die(start(&mut environment.command(again)));
    die(start(&mut environment.command(again)));

    let output = environment.run(["resume", "dying", "--json"]).exits(5);
    insta::assert_snapshot!(output.message(), @r"
    warning: model openai/m: did not call the tool of the test request; if it cannot call tools, use --agent react
    1 attempt cut off too often: not repeated
    1 attempt not repeated, because the process died each time; `mcpmark resume dying --retry-died` repeats them
    ");
    let report = output.json();
    let attempts = report["attempts"].as_array().unwrap();
    let deadly = attempts.iter().find(|it| it["task"] == DEADLY).unwrap();
    assert_eq!(deadly["outcome"], "infra-error");
    assert_eq!(
        deadly["fault"]["message"],
        "its process died 3 times while it ran"
    );
    assert_eq!(report["summary"]["graded"], 1);
    assert_eq!(rows(&environment, "status = 'abandoned'"), 3);
    assert_eq!(rows(&environment, "outcome = 'graded'"), 1);
    assert!(asked.try_recv().is_err(), "it was begun again");
    let runs = environment.run(["runs", "--json"]).exits(0).json();
    assert_eq!(runs[0]["state"], "finished", "{runs}");

    answers.store(true, Ordering::SeqCst);
    let args = ["resume", "dying", "--retry-died", "--json"];
    let report = environment.run(args).exits(1).json();
    assert_eq!(report["summary"]["graded"], 2);
}
