//! `task try`: a task that is solved by hand, with one process for each call.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::environment::{Environment, Output, text, write_files};
use crate::guests;
use crate::library::Library;

const EASY: &str = "filesystem/office/easy";

/// Timeout of an end that takes a few seconds at most.
const PATIENCE: Duration = Duration::from_secs(60);

/// Builder of a command line.
type CommandLine<'a> = Box<dyn Fn(&[&str]) -> Command + 'a>;

/// A home with attempts of `task try`. Its processes are killed at the end of the test.
struct Bench<'a> {
    environment: &'a Environment,
    command: CommandLine<'a>,
}

impl<'a> Bench<'a> {
    /// Uses the tasks of a library.
    fn of(environment: &'a Environment, library: &'a Library<'a>) -> Self {
        Self {
            environment,
            command: Box::new(move |args| library.command(args)),
        }
    }

    /// Uses the tasks of the repository.
    fn of_repository(environment: &'a Environment) -> Self {
        Self {
            environment,
            command: Box::new(move |args| environment.command(args)),
        }
    }

    fn run(&self, args: &[&str]) -> Output {
        Output::of(&mut (self.command)(args))
    }

    /// Runs `mcpmark task try` with these arguments.
    fn hand(&self, args: &[&str]) -> Output {
        self.run(&[&["task", "try"][..], args].concat())
    }

    /// Runs `mcpmark task try` with these arguments and this standard input.
    fn hand_with(&self, args: &[&str], input: &str) -> Output {
        let mut command = (self.command)(&[&["task", "try"][..], args].concat());
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(input.as_bytes()).unwrap();
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        Output {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            ..Output::default()
        }
    }

    /// Opens an attempt and returns its status.
    #[track_caller]
    fn open(&self, task: &str, options: &[&str]) -> Value {
        let args = [&["start", task, "--json"][..], options].concat();
        self.hand(&args).exits(0).json()
    }

    /// Returns the open attempts.
    fn status(&self) -> Vec<Value> {
        let status = self.hand(&["status", "--json"]).exits(0).json();
        status.as_array().unwrap().clone()
    }

    /// Waits until no attempt is open.
    #[track_caller]
    fn until_closed(&self) {
        let began = Instant::now();
        while !self.status().is_empty() {
            assert!(began.elapsed() < PATIENCE, "{:?}", self.status());
            thread::sleep(Duration::from_millis(50));
        }
    }

    fn show(&self, attempt: &str) -> Value {
        self.run(&["show", attempt, "--json"]).exits(0).json()
    }
}

impl Drop for Bench<'_> {
    fn drop(&mut self) {
        let status = self.hand(&["status", "--json"]).stdout;
        let open: Vec<Value> = serde_json::from_str(&status).unwrap_or_default();
        for attempt in &open {
            signal(attempt, Signal::KILL);
        }
    }
}

/// Sends a signal to the process of an open attempt.
fn signal(status: &Value, signal: Signal) {
    let process = i32::try_from(status["process"].as_i64().unwrap()).unwrap();
    // It may have ended.
    let _ = kill_process(Pid::from_raw(process).unwrap(), signal);
}

#[test]
fn an_attempt_is_made_call_by_call_and_graded() {
    let environment = Environment::bare();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let bench = Bench::of(&environment, &library);
    let started = bench
        .hand(&["start", EASY, "--experiment", "mine"])
        .exits(0)
        .stdout;
    for words in [
        "limits      100 calls, ",
        "experiment  mine",
        "Leave everything as it is.",
        "mcpmark task try finish [ANSWER]",
    ] {
        assert!(started.contains(words), "{started}");
    }
    let open = bench.status();
    let [status] = &open[..] else {
        panic!("{open:?}")
    };
    assert_eq!(
        (&status["task"], &status["experiment"], &status["calls"]),
        (&json!(EASY), &json!("mine"), &json!(0))
    );
    let left = status["seconds_left"].as_u64().unwrap();
    assert!((3000..=3600).contains(&left), "{left}");
    let id = text(&status["attempt"]);
    let sockets = environment.home().join("sockets");
    let mode = fs::metadata(&sockets).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);

    let tools = bench.hand(&["tools"]).exits(0).stdout;
    assert!(tools.contains("path, tail?, head?"), "{tools}");
    let all = bench.hand(&["tools", "--json"]).exits(0).json();
    assert_eq!(all.as_array().unwrap().len(), 14);
    let one = bench.hand(&["tools", "write_file", "--json"]).exits(0);
    assert_eq!(one.json()["inputSchema"]["type"], "object");
    let one = bench.hand(&["tools", "write_file"]).exits(0).stdout;
    assert!(one.contains("\"properties\""), "{one}");
    let refused = bench.hand(&["tools", "wrte_file"]).exits(2);
    insta::assert_snapshot!(refused.message(), @r#"
    error: there is no tool named "wrte_file"
    hint: `mcpmark task try tools` lists the tools
    "#);

    let read = |path: &str| json!({ "path": path }).to_string();
    let note = bench.hand(&["call", "read_text_file", &read("note.txt")]);
    assert_eq!(note.exits(0).stdout, "as it was\n");
    let note = bench.hand(&["call", "read_text_file", &read("note.txt"), "--json"]);
    assert_eq!(
        note.exits(0).json()["content"],
        json!([{"type": "text", "text": "as it was\n"}])
    );
    let write = json!({"path": "new.txt", "content": "one\ntwo\n"}).to_string();
    bench
        .hand_with(&["call", "write_file", "-"], &write)
        .exits(0);
    let new = bench.hand(&["call", "read_text_file", &read("new.txt")]);
    assert_eq!(new.exits(0).stdout, "one\ntwo\n");
    // Some calls need no arguments.
    bench.hand(&["call", "list_allowed_directories"]).exits(0);
    // An error of a tool is a result. Without a tool of the name there is none.
    let error = bench.hand(&["call", "read_text_file", &read("gone.txt")]);
    assert!(error.exits(1).stdout.contains("ENOENT"));
    let refused = bench
        .hand(&["call", "read_file_text", &read("note.txt")])
        .exits(2);
    insta::assert_snapshot!(refused.message(), @r#"
    error: there is no tool named "read_file_text"
    hint: `mcpmark task try tools` lists the tools
    "#);
    assert_eq!(bench.status()[0]["calls"], 7);
    // A malformed call is not made.
    let mut transcript = String::new();
    for arguments in ["{\"path\"", "[]", "path"] {
        let refused = bench.hand(&["call", "read_text_file", arguments]).exits(2);
        transcript += &refused.transcript();
    }
    insta::assert_snapshot!(transcript, @r#"
    $ mcpmark task try call read_text_file {"path"
    error: the arguments are not a JSON object: EOF while parsing an object at line 1 column 7
    hint: write them as '{"path": "a.txt"}', or `-` to read them from standard input

    $ mcpmark task try call read_text_file []
    error: the arguments are not a JSON object: invalid type: sequence, expected a map at line 1 column 0
    hint: write them as '{"path": "a.txt"}', or `-` to read them from standard input

    $ mcpmark task try call read_text_file path
    error: the arguments are not a JSON object: expected value at line 1 column 1
    hint: write them as '{"path": "a.txt"}', or `-` to read them from standard input
    "#);
    assert_eq!(bench.status()[0]["calls"], 7);

    let finished = bench.hand(&["finish"]).exits(0).stdout;
    assert_eq!(
        finished,
        format!("✓ check\npass  {EASY}  {id}\n`mcpmark show {id}` shows the attempt\n")
    );
    assert_eq!(fs::read_dir(&sockets).unwrap().count(), 0);
    let shown = bench.show(&id);
    assert_eq!(
        (&shown["agent"], &shown["ended"], &shown["passed"]),
        (&json!("manual"), &json!("completed"), &json!(true))
    );
    let calls = shown["calls"].as_array().unwrap();
    let names: Vec<String> = calls.iter().map(|call| text(&call["name"])).collect();
    assert_eq!(
        names,
        [
            "read_text_file",
            "read_text_file",
            "write_file",
            "read_text_file",
            "list_allowed_directories",
            "read_text_file",
            "read_file_text"
        ]
    );
    let listed = bench.run(&["runs", "mine"]).exits(0).stdout;
    assert!(
        listed.contains("manual") && listed.contains("pass"),
        "{listed}"
    );
    let report = bench.run(&["report", "mine"]).exits(0).stdout;
    assert!(report.contains("manual"), "{report}");
    bench.run(&["regrade", "mine"]).exits(0);

    // After the end.
    let mut transcript = String::new();
    for args in [
        &["call", "list_allowed_directories"][..],
        &["tools"],
        &["finish"],
        &["abandon"],
    ] {
        let refused = bench.hand(args).exits(2);
        transcript += &refused.transcript();
        let refused = bench
            .hand(&[args, &["--attempt", &id[..6]]].concat())
            .exits(2)
            .says(&[&format!("mcpmark show {id}")]);
        transcript += &refused.transcript().replace(&id[..6], "[prefix]");
        let refused = bench.hand(&[args, &["--attempt", "zz"]].concat()).exits(2);
        transcript += &refused.transcript();
    }
    insta::assert_snapshot!(transcript, @r#"
    $ mcpmark task try call list_allowed_directories
    error: no attempt is open in the home [dir]/home
    hint: `mcpmark task try start TASK` opens one

    $ mcpmark task try call list_allowed_directories --attempt [prefix]
    error: attempt [id] has ended: completed
    hint: `mcpmark show [id]` shows it

    $ mcpmark task try call list_allowed_directories --attempt zz
    error: no open attempt has an id like "zz"
    hint: `mcpmark task try status` lists the open attempts

    $ mcpmark task try tools
    error: no attempt is open in the home [dir]/home
    hint: `mcpmark task try start TASK` opens one

    $ mcpmark task try tools --attempt [prefix]
    error: attempt [id] has ended: completed
    hint: `mcpmark show [id]` shows it

    $ mcpmark task try tools --attempt zz
    error: no open attempt has an id like "zz"
    hint: `mcpmark task try status` lists the open attempts

    $ mcpmark task try finish
    error: no attempt is open in the home [dir]/home
    hint: `mcpmark task try start TASK` opens one

    $ mcpmark task try finish --attempt [prefix]
    error: attempt [id] has ended: completed
    hint: `mcpmark show [id]` shows it

    $ mcpmark task try finish --attempt zz
    error: no open attempt has an id like "zz"
    hint: `mcpmark task try status` lists the open attempts

    $ mcpmark task try abandon
    error: no attempt is open in the home [dir]/home
    hint: `mcpmark task try start TASK` opens one

    $ mcpmark task try abandon --attempt [prefix]
    error: attempt [id] has ended: completed
    hint: `mcpmark show [id]` shows it

    $ mcpmark task try abandon --attempt zz
    error: no open attempt has an id like "zz"
    hint: `mcpmark task try status` lists the open attempts
    "#);
    let output = bench.hand(&["status"]).exits(0);
    insta::assert_snapshot!(output.message(), @"no attempt is open");
    // No agent can continue the attempt.
    let mut transcript = String::new();
    for args in [
        &["resume", "mine"][..],
        &["run", "--experiment", "mine", "--agent", "nop"],
    ] {
        let refused = bench.run(args).exits(2);
        transcript += &refused.transcript();
    }
    insta::assert_snapshot!(transcript, @r#"
    $ mcpmark resume mine
    error: experiment "mine" is an attempt of `mcpmark task try`, which no agent can continue
    hint: `mcpmark task try start` starts another attempt; `mcpmark report A B` compares experiments

    $ mcpmark run --experiment mine --agent nop
    error: experiment "mine" is an attempt of `mcpmark task try`, which no agent can continue
    hint: `mcpmark task try start` starts another attempt; `mcpmark report A B` compares experiments
    "#);
}

#[test]
fn a_task_is_solved_by_hand_as_the_oracle_solves_it() {
    let environment = Environment::new();
    let task = "filesystem/village-festival/stall-balances";
    let bench = Bench::of_repository(&environment);
    let report = bench.run(&["run", task, "--json"]).exits(0).json();
    let solved = bench.show(&text(&report["attempts"][0]["id"]));
    let open = bench.open(task, &[]);
    let messages = solved["messages"].as_array().unwrap();
    let instruction = messages.iter().find(|message| message["role"] == "user");
    assert_eq!(open["instruction"], instruction.unwrap()["content"]["text"]);
    for call in solved["calls"].as_array().unwrap() {
        let name = text(&call["name"]);
        let args = ["call", &name, "-", "--json"];
        let output = bench.hand_with(&args, &call["arguments"].to_string());
        let is_error = call["result"]["isError"] == true;
        let output = output.exits(i32::from(is_error));
        assert_eq!(output.json()["content"], call["result"]["content"]);
    }
    let report_by_hand = bench.hand(&["finish", "--json"]).exits(0).json();
    let attempt = &report_by_hand["attempts"][0];
    assert_eq!(attempt["agent"], "manual");
    for key in ["passed", "score", "checks", "state", "tool_calls"] {
        assert_eq!(attempt[key], report["attempts"][0][key], "{key}");
    }
    // Without any call the task fails.
    bench.open(task, &[]);
    let failed = bench.hand(&["finish"]).exits(1).stdout;
    assert!(
        failed.contains("✗ ") && failed.contains("\nfail  "),
        "{failed}"
    );
}

#[test]
fn the_answer_is_judged_if_the_task_says_so() {
    let environment = Environment::bare();
    let library = Library::new(&environment);
    let meta = json!({"difficulty": "L1", "judged_on": ["answer"]});
    library.task_with("easy", &guests::own("reads-answer.wat"), &meta);
    let bench = Bench::of(&environment, &library);
    bench.open(EASY, &[]);
    let report = bench
        .hand(&["finish", "it is 42", "--json"])
        .exits(0)
        .json();
    assert_eq!(report["attempts"][0]["checks"][0]["detail"], "it is 42");
    bench.open(EASY, &[]);
    let report = bench.hand_with(&["finish", "-", "--json"], "it is\n43\n");
    let report = report.exits(0).json();
    assert_eq!(report["attempts"][0]["checks"][0]["detail"], "it is\n43");
}

#[test]
fn the_limits_of_the_task_end_an_attempt_and_its_state_is_graded() {
    let environment = Environment::bare();
    let library = Library::new(&environment);
    let task = |name: &str, limits: Value| {
        let meta = json!({"difficulty": "L1", "limits": limits});
        library.task_with(name, &guests::verdict(true, "fine"), &meta);
        format!("filesystem/office/{name}")
    };
    let few = task("few", json!({"turns": 2}));
    let short = task("short", json!({"time_seconds": 1}));
    let bench = Bench::of(&environment, &library);
    let call = ["call", "list_allowed_directories"];

    let open = bench.open(&few, &[]);
    assert_eq!(open["call_limit"], 2);
    bench.hand(&call).exits(0);
    bench.hand(&call).exits(0);
    let id = text(&open["attempt"]);
    let refused = bench.hand(&call).exits(2).says(&[&id]);
    insta::assert_snapshot!(refused.message(), @r"
    error: attempt [id] has ended: turn-limit: 2 turns were used
    hint: `mcpmark task try finish --attempt [id]` or `mcpmark show [id]` shows its grade
    ");
    bench.until_closed();
    let shown = bench.show(&id);
    assert_eq!(
        (&shown["ended"], &shown["passed"], &shown["tool_calls"]),
        (&json!("turn-limit"), &json!(true), &json!(2))
    );
    // The grade is printed whether the process is still grading or has ended.
    let finish = ["finish", "--attempt", &id];
    let finished = bench.hand(&finish).exits(0);
    insta::assert_snapshot!(finished.message(), @"the attempt had already ended: turn-limit: 2 turns were used");
    let passed = format!("pass  {few}  {id}\n");
    assert!(finished.stdout.contains(&passed), "{}", finished.stdout);
    let tools = ["tools", "--attempt", &id];
    let refused = bench.hand(&tools).exits(2);
    insta::assert_snapshot!(refused.message(), @r"
    error: attempt [id] has ended: turn-limit: 2 turns were used
    hint: `mcpmark show [id]` shows it
    ");

    let open = bench.open(&short, &[]);
    bench.until_closed();
    let shown = bench.show(&text(&open["attempt"]));
    assert_eq!(
        (&shown["ended"], &shown["outcome"]),
        (&json!("time-limit"), &json!("graded"))
    );
    let open = bench.open(&short, &["--no-time-limit"]);
    assert_eq!(open["seconds_left"], Value::Null);
    thread::sleep(Duration::from_millis(1500));
    bench.hand(&call).exits(0);
    bench.hand(&["finish"]).exits(0);
}

#[test]
fn several_attempts_are_told_apart_by_their_ids() {
    let environment = Environment::bare();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let bench = Bench::of(&environment, &library);
    let one = text(&bench.open(EASY, &["--experiment", "one"])["attempt"]);
    let started = bench.hand(&["start", EASY, "--experiment", "two"]).exits(0);
    let open = bench.status();
    let two = open.iter().find(|it| it["experiment"] == "two").unwrap();
    let two = text(&two["attempt"]);
    let continued = format!("mcpmark task try finish --attempt {two} [ANSWER]");
    assert!(started.stdout.contains(&continued), "{}", started.stdout);

    let call = ["call", "list_allowed_directories"];
    let refused = bench.hand(&call).exits(2);
    insta::assert_snapshot!(refused.message(), @r"
    error: 2 attempts are open: [id], [id]
    hint: choose one with --attempt; `mcpmark task try status` shows their tasks
    ");
    let upper = one[..8].to_uppercase();
    bench
        .hand(&[&["tools"][..], &["--attempt", &upper]].concat())
        .exits(0);
    let first = ["--attempt", &one[..8]];
    bench.hand(&[&call[..], &first].concat()).exits(0);
    let listed = bench.hand(&["status"]).exits(0).stdout;
    let line = |id: &str| listed.lines().find(|line| line.contains(id)).unwrap();
    assert!(line(&one).contains("1/100"), "{listed}");
    assert!(line(&two).contains("0/100"), "{listed}");

    let abandoned = bench.hand(&[&["abandon", "--json"][..], &first].concat());
    assert_eq!(
        abandoned.exits(0).json(),
        json!({"attempt": one, "outcome": "cancelled"})
    );
    let shown = bench.show(&one);
    assert_eq!(
        (&shown["outcome"], &shown["passed"], &shown["state"]),
        (&json!("cancelled"), &Value::Null, &Value::Null)
    );
    // Only one is left.
    bench.hand(&call).exits(0);
    bench.hand(&["finish"]).exits(0);
    assert_eq!(bench.show(&two)["outcome"], "graded");
}

#[test]
fn no_process_outlives_its_attempt() {
    let environment = Environment::bare();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let bench = Bench::of(&environment, &library);

    for (name, sent) in [("terminated", Signal::TERM), ("interrupted", Signal::INT)] {
        let open = bench.open(EASY, &["--experiment", name]);
        signal(&open, sent);
        bench.until_closed();
        assert_eq!(bench.show(&text(&open["attempt"]))["outcome"], "cancelled");
    }
    let open = bench.open(EASY, &["--idle-timeout", "1"]);
    bench.until_closed();
    let id = text(&open["attempt"]);
    assert_eq!(bench.show(&id)["outcome"], "cancelled");
    let tools = ["tools", "--attempt", &id];
    let refused = bench.hand(&tools).exits(2);
    insta::assert_snapshot!(refused.message(), @r"
    error: attempt [id] has ended: cancelled: no call for 1 s
    hint: `mcpmark show [id]` shows it
    ");

    // A killed process leaves an attempt that was cut off, and its socket.
    let open = bench.open(EASY, &["--experiment", "killed"]);
    bench.hand(&["call", "list_allowed_directories"]).exits(0);
    signal(&open, Signal::KILL);
    bench.until_closed();
    // A listing that reached the process before it died left the socket in place; the next one removes it.
    assert!(bench.status().is_empty());
    let sockets = environment.home().join("sockets");
    assert_eq!(fs::read_dir(sockets).unwrap().count(), 0);
    let id = text(&open["attempt"]);
    let finish = ["finish", "--attempt", &id];
    let refused = bench.hand(&finish).exits(5);
    insta::assert_snapshot!(refused.message(), @r"
    error: the process of attempt [id] ended before its final state was graded
    hint: `mcpmark task try start filesystem/office/easy` opens another attempt
    ");
    let listed = bench.run(&["runs", "killed"]).exits(0);
    assert!(listed.stdout.contains("cut off"), "{}", listed.stdout);
    let refused = bench.run(&["resume", "killed"]).exits(2);
    insta::assert_snapshot!(refused.message(), @r#"
    error: experiment "killed" is an attempt of `mcpmark task try`, which no agent can continue
    hint: `mcpmark task try start` starts another attempt; `mcpmark report A B` compares experiments
    "#);
}

#[test]
fn a_call_is_cancelled_when_its_caller_is_gone() {
    let environment = Environment::bare();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let search = library.long_search().to_string();
    let bench = Bench::of(&environment, &library);
    let id = text(&bench.open(EASY, &[])["attempt"]);
    let mut call = (bench.command)(&["task", "try", "call", "search_files", &search]);
    let call = call.stdout(Stdio::null()).stderr(Stdio::null());
    let mut call = call.spawn().unwrap();
    let began = Instant::now();
    while bench.status()[0]["calls"] != 1 {
        assert!(began.elapsed() < PATIENCE);
        thread::sleep(Duration::from_millis(10));
    }
    call.kill().unwrap();
    call.wait().unwrap();
    // The attempt continues.
    bench.hand(&["call", "list_allowed_directories"]).exits(0);
    bench.hand(&["finish"]).exits(0);
    let shown = bench.show(&id);
    assert_eq!(shown["calls"][0]["error"], "the agent cancelled the call");
    assert_eq!(shown["calls"].as_array().unwrap().len(), 2);
}

#[test]
fn an_attempt_that_cannot_be_opened_leaves_nothing() {
    let environment = Environment::bare();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let broken = library.easy_task("broken");
    write_files(&broken, &[("meta.json", "[]")]);
    let bench = Bench::of(&environment, &library);
    let mut transcript = String::new();
    for (args, code) in [
        (&["filesystem/office/gone"][..], 2),
        (&["filesystem/office/broken"], 4),
        (&[EASY, EASY], 2),
        (&[EASY, "--experiment", "a b"], 2),
        (&[EASY, "--idle-timeout", "0"], 2),
        (&[EASY, "--states", "states"], 2),
        (&["./nowhere", EASY], 2),
    ] {
        let start = [&["start"][..], args].concat();
        let output = bench.hand(&start).exits(code);
        transcript += &output.transcript();
        assert_eq!(output.stdout, "");
    }
    insta::assert_snapshot!(transcript, @r#"
    $ mcpmark task try start filesystem/office/gone
    error: unknown task "filesystem/office/gone"; available: filesystem/office/broken, filesystem/office/easy

    $ mcpmark task try start filesystem/office/broken
    error: tasks/filesystem/office/broken/meta.json: line 1, column 1: expected an object, found an array

    $ mcpmark task try start filesystem/office/easy filesystem/office/easy
    error: name one task
    hint: `mcpmark task list` lists the tasks of the same location

    $ mcpmark task try start filesystem/office/easy --experiment "a b"
    error: invalid experiment name "a b"
    hint: expected up to 100 letters, digits, `-`, `_` and `.`, not beginning with `-` or `.`

    $ mcpmark task try start filesystem/office/easy --idle-timeout 0
    error: invalid value '0' for '--idle-timeout <SECONDS>': 0 is not in 1..18446744073709551615

    For more information, try '--help'.

    $ mcpmark task try start filesystem/office/easy --states states
    error: --states requires --tasks, the directory of tasks in a published layout

    $ mcpmark task try start ./nowhere filesystem/office/easy
    error: [dir]/nowhere: file or directory does not exist
    hint: expected a directory of tasks, a bundle (a directory, `suite.tar` or `oci://HOST/REPOSITORY:TAG`) or a lock file (`mcpmark.lock`)
    "#);
    fs::remove_dir_all(broken).unwrap();
    // The path of a socket in this home would be too long.
    let home = environment.path(&"h".repeat(100));
    let home_arg = home.to_str().unwrap();
    let refused = bench.hand(&["start", EASY, "--home", home_arg]).exits(5);
    insta::assert_snapshot!(refused.message(), @r"
    error: cannot create the socket [dir]/hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh/sockets/.[id]: path must be shorter than SUN_LEN
    hint: name a home with a short path, on a file system with sockets, with --home (or MCPMARK_HOME)
    ");
    assert!(!home.exists());
    bench
        .run(&["run", EASY, "--agent", "nop", "--experiment", "mine"])
        .exits(0);
    let refused = bench
        .hand(&["start", EASY, "--experiment", "mine"])
        .exits(2);
    insta::assert_snapshot!(refused.message(), @r#"error: experiment "mine" already exists; continue it with `mcpmark resume mine`"#);
    let attempt = bench.run(&["runs", "mine", "--json"]).exits(0).json();
    let attempt = text(&attempt["attempts"][0]["id"]);
    let refused = bench.hand(&["tools", "--attempt", &attempt]).exits(2);
    insta::assert_snapshot!(refused.message(), @r"
    error: attempt [id] is one of agent nop, not of `mcpmark task try`
    hint: `mcpmark task try status` lists the open attempts
    ");
    assert!(bench.status().is_empty());
    let runs = bench.run(&["runs", "--json"]).exits(0).json();
    assert_eq!(runs.as_array().unwrap().len(), 1, "{runs}");

    let plan = format!("tasks = [\"{EASY}\"]\nagent = \"manual\"\n");
    bench
        .environment
        .directory("plans", &[("manual.toml", &plan)]);
    let refused = bench
        .run(&["run", "--config", "plans/manual.toml"])
        .exits(2);
    insta::assert_snapshot!(refused.message(), @r#"error: agent "manual" is reserved for the attempts of `mcpmark task try`; `run` cannot start one"#);
}

#[test]
fn hostile_results_are_shown_without_control_characters() {
    let environment = Environment::bare();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let hostile = "\u{1b}[2J\u{7}\r\u{202e}txt\n";
    let file = library.world("office").join("files/note.txt");
    fs::write(file, hostile).unwrap();
    let bench = Bench::of(&environment, &library);
    bench.open(EASY, &[]);
    let read = ["call", "read_text_file", r#"{"path":"note.txt"}"#];
    let shown = bench.hand(&read).exits(0).stdout;
    let is_plain = |c: char| c == '\n' || !(c.is_control() || c == '\u{202e}');
    assert!(shown.chars().all(is_plain), "{shown:?}");
    let json = bench.hand(&[&read[..], &["--json"]].concat()).exits(0);
    assert!(json.stdout.chars().all(is_plain), "{:?}", json.stdout);
    assert_eq!(json.json()["content"][0]["text"], hostile);
    bench.hand(&["abandon"]).exits(0);
}
