//! Runs that are interrupted or killed, and runs at the same time.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use mcpmark_model_server::Reaction;
use rusqlite::Connection;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::environment::{Environment, Output, write_files};
use crate::library::Library;
use crate::models::serve;

const TASK: &str = "filesystem/village-festival/stall-balances";
/// Number of attempts. It is large enough that the run still goes on when this process is scheduled on a busy machine.
const ATTEMPTS: usize = 48;

/// Starts a long run and waits for its first finished attempt. Returns the process and its standard error so far.
fn in_mid_run(environment: &Environment, jobs: &str) -> (Child, String) {
    let attempts = ATTEMPTS.to_string();
    let args = [
        "run",
        TASK,
        "-k",
        &attempts,
        "-j",
        jobs,
        "--experiment",
        "long",
        "--json",
    ];
    let mut child = start(&mut environment.command(args));
    let said = read_until(&mut child, " pass ");
    (child, said)
}

fn start(command: &mut Command) -> Child {
    command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Reads standard error up to a word. The result may contain more than that.
fn read_until(child: &mut Child, word: &str) -> String {
    let mut stderr = BufReader::new(child.stderr.as_mut().unwrap());
    let mut said = String::new();
    while !said.contains(word) {
        assert!(stderr.read_line(&mut said).unwrap() > 0, "{said}");
    }
    let buffered = String::from_utf8(stderr.buffer().to_vec()).unwrap();
    said + &buffered
}

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

/// Waits for a process whose standard error was read in part.
fn end(child: Child, mut stderr: String) -> Output {
    // Both pipes are read at once: a process that fills one of them waits for its reader.
    let rest = child.wait_with_output().unwrap();
    stderr.push_str(&String::from_utf8(rest.stderr).unwrap());
    Output {
        code: rest.status.code(),
        stdout: String::from_utf8(rest.stdout).unwrap(),
        stderr,
        ..Output::default()
    }
}

/// Counts the attempts in the journal that meet an SQL condition.
fn rows(environment: &Environment, condition: &str) -> usize {
    let journal = Connection::open(environment.home().join("journal.db")).unwrap();
    let count = format!("SELECT count(*) FROM attempts WHERE {condition}");
    let count: i64 = journal.query_row(&count, [], |row| row.get(0)).unwrap();
    count as usize
}

/// Counts the tool calls in the journal.
fn calls(environment: &Environment) -> usize {
    let journal = Connection::open(environment.home().join("journal.db")).unwrap();
    let count = "SELECT count(*) FROM tool_calls";
    let count: i64 = journal.query_row(count, [], |row| row.get(0)).unwrap();
    count as usize
}

/// Resumes the experiment, and asserts that each attempt was graded once.
fn resume_and_count(environment: &Environment, finished_before: usize) {
    let report = environment
        .run(["resume", "long", "--json"])
        .exits(0)
        .json();
    assert_eq!(
        report["summary"],
        json!({"attempts": ATTEMPTS, "graded": ATTEMPTS, "passed": ATTEMPTS})
    );
    assert_eq!(report["attempts"].as_array().unwrap().len(), ATTEMPTS);
    assert_eq!(rows(environment, "outcome = 'graded'"), ATTEMPTS);
    assert_eq!(rows(environment, "status = 'running'"), 0);
    let repeated = "k IN (SELECT k FROM attempts WHERE outcome = 'graded'
        GROUP BY k HAVING count(*) > 1)";
    assert_eq!(rows(environment, repeated), 0);
    let journal = Connection::open(environment.home().join("journal.db")).unwrap();
    let grades: i64 = journal
        .query_row("SELECT count(*) FROM grades", [], |row| row.get(0))
        .unwrap();
    assert_eq!(grades as usize, ATTEMPTS);
    assert!(finished_before < ATTEMPTS);
}

#[test]
fn ctrl_c_stops_and_resume_goes_on() {
    stops_and_goes_on(Signal::INT);
}

#[test]
fn a_run_that_is_told_to_end_stops_in_good_order_too() {
    stops_and_goes_on(Signal::TERM);
    stops_and_goes_on(Signal::HUP);
}

fn stops_and_goes_on(by: Signal) {
    let environment = Environment::new();
    let (child, said) = in_mid_run(&environment, "2");
    signal(&child, by);
    let output = end(child, said).exits(130);
    let output = output.says(&["mcpmark resume long"]);
    let report = output.json();
    let graded = report["summary"]["graded"].as_u64().unwrap() as usize;
    assert!((1..ATTEMPTS).contains(&graded));
    assert_eq!(report["summary"]["attempts"], ATTEMPTS);
    // The run ended cleanly: no attempt is left in the status `running`.
    assert_eq!(rows(&environment, "status = 'running'"), 0);
    assert_eq!(rows(&environment, "outcome = 'graded'"), graded);
    resume_and_count(&environment, graded);
}

#[test]
fn ctrl_c_stops_a_tool_call_of_a_world_and_resume_goes_on() {
    let environment = Environment::bare();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let search = library.long_search();
    let (searches, searching) = mpsc::channel();
    let server = serve(move |request| {
        if request.tools == ["ping"] {
            return Reaction::say("ok");
        }
        // Only the first attempt searches.
        match searches.send(()) {
            Ok(()) => Reaction::call("search_files", &search),
            Err(_) => Reaction::say("Done."),
        }
    });
    let url = server.base_url();
    let args = [
        "run",
        "filesystem/office/easy",
        "--model",
        "openai/m",
        "--base-url",
        &url,
        "--experiment",
        "long",
        "--json",
    ];
    let child = start(&mut library.command(args));
    searching.recv_timeout(Duration::from_secs(60)).unwrap();
    drop(searching);
    // The row of a call is written when the call begins.
    let begins = Instant::now();
    while calls(&environment) == 0 {
        assert!(begins.elapsed() < Duration::from_secs(60), "no call begins");
        thread::sleep(Duration::from_millis(20));
    }
    signal(&child, Signal::INT);
    let output = end(child, String::new()).exits(130);
    insta::assert_snapshot!(output.message(), @r"
    warning: model openai/m: did not call the tool of the test request; if it cannot call tools, use --agent react
    warning: model openai/m: its price is unknown, so its cost is not computed; set prices with --prices FILE
    stopping; press Ctrl-C again to stop immediately
    1/1 cancelled filesystem/office/easy  openai/m  [id]  1 call
    interrupted; continue with `mcpmark resume long`
    ");
    let report = output.json();
    let id = report["attempts"][0]["id"].as_str().unwrap();
    assert_eq!(report["attempts"][0]["outcome"], "cancelled", "{report}");
    assert_eq!(rows(&environment, "status = 'running'"), 0);
    let shown = library.run(["show", id, "--json"]).exits(0).json();
    let call = &shown["calls"][0];
    assert_eq!(call["name"], "search_files", "{shown}");
    assert_eq!(
        (&call["result"], &call["error"]),
        (&Value::Null, &json!("the attempt was cancelled"))
    );
    let again = library.run(["resume", "long", "--json"]).exits(0).json();
    assert_eq!(again["summary"]["graded"], 1, "{again}");
    assert_eq!(rows(&environment, "status = 'running'"), 0);
}

/// Build script that writes its process id to a file and never ends.
const ENDLESS: &str = r#"
fn main() {
    std::fs::write("number.new", std::process::id().to_string()).unwrap();
    std::fs::rename("number.new", "number").unwrap();
    std::thread::sleep(std::time::Duration::from_secs(3600));
}
"#;

const ALONE: &str = r#"
[package]
name = "slow"
version = "0.1.0"
edition = "2024"
[lib]
path = "verifier.rs"
crate-type = ["cdylib"]
[workspace]
"#;

/// Reports whether a process exists and is not a zombie.
fn is_alive(number: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{number}/stat"));
    stat.is_ok_and(|stat| !stat.contains(") Z "))
}

#[test]
fn ctrl_c_before_the_first_attempt_leaves_nothing_behind() {
    let environment = Environment::bare();
    let library = Library::new(&environment);
    let task = library.task_dir("slow");
    write_files(
        &task,
        &[
            ("meta.json", r#"{"difficulty": "L1"}"#),
            ("description.md", "Leave everything as it is.\n"),
            ("verifier.rs", ""),
            ("build.rs", ENDLESS),
            ("Cargo.toml", ALONE),
        ],
    );
    let run = || {
        let mut command = library.command(["run", "--agent", "nop"]);
        command.env_remove("MCPMARK_NO_INSTALL");
        start(command.env("XDG_CACHE_HOME", environment.path("cache")))
    };
    let mut building = run();
    let number = loop {
        if let Ok(number) = fs::read_to_string(task.join("number")) {
            break number;
        }
        assert!(
            building.try_wait().unwrap().is_none(),
            "{:?}",
            end(building, String::new())
        );
        thread::sleep(Duration::from_millis(20));
    };
    let mut waiting = run();
    let said = read_until(
        &mut waiting,
        &format!("waiting for process {}", building.id()),
    );
    for (child, said) in [(waiting, said), (building, String::new())] {
        assert!(is_alive(&number));
        // Only to this process, whereas a terminal signals the process group.
        signal(&child, Signal::INT);
        let output = end(child, said).exits(130);
        assert!(
            output
                .stderr
                .ends_with("interrupted; nothing was started\n"),
            "{output:?}"
        );
        assert!(!output.stderr.contains("error"), "{output:?}");
    }
    // The build script was terminated, which takes a moment.
    for _ in 0..500 {
        if !is_alive(&number) {
            break;
        }
        thread::sleep(Duration::from_millis(20));
    }
    assert!(!is_alive(&number), "what cargo had started goes on");
    let runs = environment.run(["runs", "--json"]).exits(0).json();
    assert_eq!(runs, json!([]));
}

#[test]
fn a_killed_run_is_resumed() {
    // The first kill almost always hits a running attempt. If it hits the gap between two, try again.
    for _ in 0..10 {
        let environment = Environment::new();
        let (child, said) = in_mid_run(&environment, "2");
        signal(&child, Signal::KILL);
        assert_eq!(end(child, said).code, None);
        let running = rows(&environment, "status = 'running'");
        if running == 0 {
            continue;
        }
        // Attempts with a stored final state are graded; only the others are made again.
        let ended = rows(&environment, "status = 'running' AND state IS NOT NULL");
        let cut_off = running - ended;
        let graded = rows(&environment, "outcome = 'graded'");
        let listed = environment.run(["runs", "long"]).exits(0);
        assert!(listed.stdout.contains("cut off"), "{}", listed.stdout);
        assert!(!listed.stdout.contains("running"), "{}", listed.stdout);
        // One or two attempts were running.
        listed.says(&["cut off; continue with `mcpmark resume long`"]);
        let found = environment.run(["show", "--class", "cut off"]);
        // Attempts that only lack a grade are cut off too.
        found.exits(0);
        resume_and_count(&environment, graded);
        assert_eq!(rows(&environment, "status = 'abandoned'"), cut_off);
        assert_eq!(
            rows(&environment, "TRUE"),
            ATTEMPTS + cut_off,
            "an attempt that was cut off has a new row, and no other"
        );
        return;
    }
    panic!("no attempt was running whenever the process was killed");
}

#[test]
fn an_experiment_runs_in_one_process_at_a_time() {
    let environment = Environment::new();
    let (child, said) = in_mid_run(&environment, "1");
    let listed = environment.run(["runs", "long"]).exits(0);
    assert!(!listed.stdout.contains("cut off"), "{}", listed.stdout);
    let refused = environment.run(["resume", "long"]).exits(5);
    insta::assert_snapshot!(refused.message(), @r#"
    error: experiment "long" is running in another process
    hint: wait for it, or stop it; `mcpmark runs long` shows its progress
    "#);
    signal(&child, Signal::KILL);
    end(child, said);
}

#[test]
fn two_runs_share_a_home() {
    let environment = Environment::new();
    let start = |name: &str| {
        let args = [
            "run",
            TASK,
            "-k",
            "3",
            "-j",
            "2",
            "--experiment",
            name,
            "--json",
        ];
        self::start(&mut environment.command(args))
    };
    let children = [start("one"), start("two")];
    let reports = children.map(|child| end(child, String::new()).exits(0).json());
    for report in &reports {
        assert_eq!(
            report["summary"],
            json!({"attempts": 3, "graded": 3, "passed": 3})
        );
        let state = &reports[0]["attempts"][0]["state"];
        for attempt in report["attempts"].as_array().unwrap() {
            assert_eq!(&attempt["state"], state);
        }
    }
    let runs = environment.run(["runs", "--json"]).exits(0).json();
    assert_eq!(runs.as_array().unwrap().len(), 2);
}
