//! `grade --batch`: one JSON request per line in, one JSON outcome per line out.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, Command, Stdio};

use serde_json::{Value, json};

use crate::environment::{Environment, Output};
use crate::guests;
use crate::library::Library;

/// Writes a component to a file and returns its path.
fn judge(environment: &Environment, name: &str, component: &[u8]) -> String {
    let file = environment.path(name);
    fs::write(&file, component).unwrap();
    file.to_str().unwrap().to_owned()
}

fn text(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn outcomes(output: &Output) -> Vec<Value> {
    let lines = output.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Grades requests that are written to a file.
fn batch(environment: &Environment, lines: &str, more: &[&str]) -> Output {
    let file = environment.path("batch.jsonl");
    fs::write(&file, lines).unwrap();
    let args = ["grade", "--batch", "batch.jsonl"];
    environment.run(args.iter().chain(more))
}

#[test]
fn the_service_of_a_state_is_a_part_of_a_request() {
    let environment = Environment::new();
    let judge = judge(&environment, "fine.wasm", &guests::verdict(true, "fine"));
    let state = environment.directory("state", &[("note.txt", "as it is\n")]);
    let state = state.to_str().unwrap();
    // The cache of states distinguishes services: a digest that was read as a state of one service is not reused for
    // another.
    let digest = outcomes(&batch(
        &environment,
        &text(&[json!({"verifier": judge, "state": state})]),
        &[],
    ));
    let digest = &digest[0]["state"];
    let lines = [
        json!({"verifier": judge, "state": digest}),
        json!({"verifier": judge, "state": digest, "service": "github"}),
        json!({"verifier": judge, "state": digest, "service": "filesystem"}),
        json!({"verifier": judge, "state": digest, "service": "supabase"}),
        json!({"task": "filesystem/a/b", "state": digest, "service": "filesystem"}),
    ];
    let output = batch(&environment, &text(&lines), &[]);
    let lines = outcomes(&output.exits(4));
    let error = |number: usize| {
        (
            &lines[number]["error"]["key"],
            &lines[number]["error"]["message"],
        )
    };
    assert_eq!(lines[0]["passed"], true, "{}", lines[0]);
    assert_eq!(error(1).0, "state");
    assert!(
        error(1).1.as_str().unwrap().contains("github world"),
        "{}",
        lines[1]
    );
    assert_eq!(lines[2]["passed"], true, "{}", lines[2]);
    assert_eq!(error(3).0, "service");
    let message = error(3).1.as_str().unwrap();
    assert!(
        message.ends_with("service \"supabase\" is not supported"),
        "{message}"
    );
    assert_eq!(error(4).0, "service");
}

#[test]
fn each_line_gets_what_a_grade_alone_gets() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    library.task("failing", &guests::verdict(false, "expected 3"));
    let panics = judge(&environment, "panics.wasm", &guests::own("panics.wat"));
    let state = environment.directory("state", &[("note.txt", "as it is\n")]);
    let state = state.to_str().unwrap();
    let judges = [
        ("task", "filesystem/office/easy"),
        ("task", "filesystem/office/failing"),
        ("verifier", &panics),
    ];
    let alone: Vec<Value> = judges
        .iter()
        .map(|(key, judge)| {
            let judge = match *key {
                "task" => vec![*judge],
                _ => vec!["--verifier", judge],
            };
            let args = ["grade", "--json", "--state", state];
            library.run(args.into_iter().chain(judge)).json()
        })
        .collect();
    let lines: Vec<Value> = (0..60)
        .map(|number| {
            let (key, judge) = judges[number % 3];
            json!({"id": format!("grade {number}"), key: judge, "state": state})
        })
        .collect();
    fs::write(environment.path("batch.jsonl"), text(&lines)).unwrap();
    for jobs in ["1", "3"] {
        let args = ["grade", "--batch", "batch.jsonl", "--jobs", jobs];
        // The exit code of a batch is the highest of 0, 1 and 3.
        let output = library.run(args).exits(3);
        let outcomes = outcomes(&output);
        assert_eq!(outcomes.len(), lines.len());
        for (number, mut outcome) in outcomes.into_iter().enumerate() {
            let keys = outcome.as_object_mut().unwrap();
            assert_eq!(keys.remove("line"), Some(json!(number + 1)));
            assert_eq!(keys.remove("id"), Some(json!(format!("grade {number}"))));
            assert_eq!(outcome, alone[number % 3]);
        }
    }
}

#[test]
fn the_keys_of_a_line_reach_the_verifier() {
    let environment = Environment::new();
    let reads = |name: &str| {
        let component = guests::own(&format!("reads-{name}.wat"));
        judge(&environment, &format!("{name}.wasm"), &component)
    };
    environment.directory("state", &[("note.txt", "as it is\n")]);
    environment.directory("before", &[("note.txt", "as it was\n")]);
    let lines = [
        json!({"verifier": reads("answer"), "state": "state", "answer": "it is 42\n"}),
        json!({"verifier": reads("parameters"), "state": "state", "parameters": {"b": 1, "a": ["x"]}}),
        json!({"verifier": reads("parameters"), "state": "state", "parameters": null}),
        json!({"verifier": reads("start"), "state": "state", "start": "before"}),
    ];
    // The last line needs no line break.
    let lines = text(&lines);
    let output = batch(&environment, lines.trim_end(), &[]).exits(0);
    let outcomes = outcomes(&output);
    let details: Vec<_> = outcomes.iter().map(|o| &o["checks"][0]["detail"]).collect();
    assert_eq!(
        details,
        ["it is 42\n", r#"{"a":["x"],"b":1}"#, "{}", "as it was\n"]
    );
    assert!(outcomes.iter().all(|outcome| outcome.get("id").is_none()));
}

#[test]
fn a_stored_state_is_graded_by_its_digest() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let state = environment.directory("state", &[("note.txt", "as it is\n")]);
    let task = "filesystem/office/easy";
    let grade = |state: &str| library.run(["grade", task, "--json", "--state", state]);
    let first = grade(state.to_str().unwrap()).exits(0).json();
    fs::remove_dir_all(&state).unwrap();
    let digest = first["state"].as_str().unwrap();
    assert_eq!(grade(digest).exits(0).json(), first);
    let lines = text(&[json!({"task": task, "state": digest, "start": digest})]);
    fs::write(environment.path("batch.jsonl"), lines).unwrap();
    let output = library.run(["grade", "--batch", "batch.jsonl"]).exits(0);
    assert_eq!(outcomes(&output)[0]["state"], first["state"]);
    let unknown = format!("sha256:{}", "0".repeat(64));
    let refused = grade(&unknown).exits(2);
    insta::assert_snapshot!(refused.message(), @r#"
    error: cannot load state sha256:[digest] from the store: cannot read directory "" of the tree (sha256:[digest]): blob sha256:[digest] is missing
    hint: name a directory, or the home directory whose store has the state with --home
    "#);
}

#[test]
fn a_bad_line_is_told_and_the_others_are_graded() {
    let environment = Environment::new();
    let good = judge(&environment, "good.wasm", &guests::verdict(true, "fine"));
    let module = judge(
        &environment,
        "module.wasm",
        &guests::hostile("core-module.wat"),
    );
    environment.directory("state", &[("note.txt", "as it is\n")]);
    let unknown = format!("sha256:{}", "0".repeat(64));
    let bad = [
        ("{\"task\": ", None, "not a JSON object"),
        ("[1]", None, "not a JSON object"),
        (
            r#"{"verifier": GOOD, "state": "state", "state": "nowhere"}"#,
            None,
            "duplicate key \"state\"",
        ),
        (
            r#"{"verifier": GOOD, "state": "state", "limits": {"fuel": 1, "fuel": 2}}"#,
            None,
            "duplicate key \"fuel\"",
        ),
        ("\u{1b}[2J", None, "not a JSON object"),
        (
            r#"{"verifier": GOOD, "state": "state", "mood": 1}"#,
            None,
            "unknown key \"mood\"",
        ),
        (r#"{"state": "state"}"#, Some("task"), "is missing"),
        (r#"{"verifier": GOOD}"#, Some("state"), "is missing"),
        (
            r#"{"verifier": GOOD, "state": 3}"#,
            Some("state"),
            "expected a string, found a number",
        ),
        (r#"{"verifier": GOOD, "state": ""}"#, Some("state"), ""),
        (
            r#"{"verifier": GOOD, "state": "nowhere"}"#,
            Some("state"),
            "nowhere: ",
        ),
        (
            r#"{"verifier": GOOD, "state": "good.wasm"}"#,
            Some("state"),
            "not a directory",
        ),
        (
            r#"{"verifier": GOOD, "state": "UNKNOWN"}"#,
            Some("state"),
            "cannot load state sha256:0000",
        ),
        (
            r#"{"verifier": GOOD, "state": "state", "start": "nowhere"}"#,
            Some("start"),
            "nowhere: ",
        ),
        (
            r#"{"verifier": GOOD, "state": "state", "answer": ["a"]}"#,
            Some("answer"),
            "expected a string, found an array",
        ),
        (
            r#"{"verifier": GOOD, "state": "state", "parameters": "a"}"#,
            Some("parameters"),
            "expected an object, found a string",
        ),
        (
            r#"{"verifier": GOOD, "task": "a/b/c", "state": "state"}"#,
            Some("verifier"),
            "cannot be combined with \"task\"",
        ),
        (
            r#"{"task": "a/b/c", "state": "state", "parameters": {}}"#,
            Some("parameters"),
            "cannot be combined with \"task\"",
        ),
        (
            r#"{"task": "filesystem/no/such", "state": "state"}"#,
            Some("task"),
            "filesystem/no/such",
        ),
        (
            r#"{"verifier": "nowhere.wasm", "state": "state"}"#,
            Some("verifier"),
            "nowhere.wasm: ",
        ),
        (
            r#"{"verifier": MODULE, "state": "state"}"#,
            Some("verifier"),
            "not a component",
        ),
    ];
    let line = format!(
        r#"{{"id": [7], "verifier": {}, "state": "state"}}"#,
        json!(good)
    );
    let mut lines = String::new();
    for (text, _, _) in bad {
        let text = text
            .replace("GOOD", &json!(good).to_string())
            .replace("MODULE", &json!(module).to_string())
            .replace("UNKNOWN", &unknown);
        // Blank lines count as lines, but are not requests.
        lines.push_str(&format!("{text}\n \n{line}\n"));
    }
    let output = batch(&environment, &lines, &["--jobs", "2"]).exits(4);
    assert!(!output.stdout.contains('\u{1b}'));
    let outcomes = outcomes(&output);
    assert_eq!(outcomes.len(), 2 * bad.len());
    for ((number, pair), (text, key, words)) in outcomes.chunks(2).enumerate().zip(bad) {
        let (refused, graded) = (&pair[0], &pair[1]);
        let line = 3 * number + 1;
        assert_eq!(refused["line"], line, "{refused}");
        assert_eq!(refused["error"]["key"], json!(key), "{refused}");
        let message = refused["error"]["message"].as_str().unwrap();
        assert!(message.starts_with(&format!("line {line}")), "{message}");
        assert!(message.contains(words), "{text}: {message}");
        assert!(refused.get("outcome").is_none(), "{refused}");
        let hint = refused["error"]["hint"].as_str().unwrap_or_default();
        if text.contains("MODULE") {
            assert!(hint.starts_with("`mcpmark inspect"), "{refused}");
        }
        if text.contains("nowhere.wasm") {
            assert!(
                hint.starts_with("name the file of a component"),
                "{refused}"
            );
        }
        assert_eq!(graded["line"], line + 2, "{graded}");
        assert_eq!(graded["id"], json!([7]), "{graded}");
        assert_eq!(graded["passed"], true, "{graded}");
    }
}

/// A `grade --batch -` process with pipes for requests and outcomes.
struct Piped {
    child: std::process::Child,
    requests: ChildStdin,
    outcomes: BufReader<std::process::ChildStdout>,
}

impl Piped {
    fn start(environment: &Environment) -> Self {
        let mut child = environment
            .command(["grade", "--batch", "-", "--jobs", "2"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            requests: child.stdin.take().unwrap(),
            outcomes: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    fn ask(&mut self, line: &Value) {
        writeln!(self.requests, "{line}").unwrap();
    }

    fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.outcomes.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }
}

#[test]
fn an_outcome_comes_before_the_next_line_does() {
    let environment = Environment::new();
    let good = judge(&environment, "good.wasm", &guests::verdict(true, "fine"));
    let slow = judge(
        &environment,
        "slow.wasm",
        &guests::hostile("endless-loop.wat"),
    );
    environment.directory("state", &[]);
    let mut piped = Piped::start(&environment);
    let request = |judge: &str| json!({"verifier": judge, "state": "state"});
    for number in 1..=20 {
        piped.ask(&request(&good));
        assert_eq!(piped.hear()["line"], number);
    }
    // Outcomes keep the order of requests: a quick request waits for a slow one before it, and no longer.
    piped.ask(&request(&slow));
    piped.ask(&request(&good));
    assert_eq!(piped.hear()["fault"]["kind"], "fuel");
    assert_eq!(piped.hear()["line"], 22);
    drop(piped.requests);
    assert_eq!(piped.child.wait().unwrap().code(), Some(3));
}

#[test]
fn a_reader_that_goes_away_ends_the_batch() {
    let environment = Environment::new();
    let good = judge(&environment, "good.wasm", &guests::verdict(true, "fine"));
    environment.directory("state", &[]);
    let mut piped = Piped::start(&environment);
    let request = json!({"verifier": good, "state": "state"});
    piped.ask(&request);
    piped.hear();
    drop(piped.outcomes);
    // The pipe of requests stays open.
    piped
        .requests
        .write_all(format!("{request}\n{request}\n").as_bytes())
        .unwrap();
    assert_eq!(piped.child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_directory_that_changes_is_read_anew() {
    let environment = Environment::new();
    let reads = judge(&environment, "reads.wasm", &guests::own("reads-start.wat"));
    let before = environment.directory("before", &[("note.txt", "as it was\n")]);
    let mut piped = Piped::start(&environment);
    let request = json!({"verifier": reads, "state": "before", "start": "before"});
    let mut states = Vec::new();
    for text in ["as it was\n", "as it is\n", "as it was\n"] {
        fs::write(before.join("note.txt"), text).unwrap();
        piped.ask(&request);
        let heard = piped.hear();
        assert_eq!(heard["checks"][0]["detail"], text);
        states.push(heard["state"].clone());
    }
    assert_eq!(states[0], states[2]);
    assert_ne!(states[0], states[1]);
    drop(piped.requests);
    assert_eq!(piped.child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_batch_stands_alone_on_the_command_line() {
    let environment = Environment::new();
    let mut transcript = String::new();
    for more in [
        ["filesystem/office/easy"].as_slice(),
        &["--state", "."],
        &["--verifier", "judge.wasm"],
        &["--start", "."],
        &["--answer", "answer.txt"],
    ] {
        let refused = batch(&environment, "", more).exits(2);
        transcript += &refused.transcript();
    }
    insta::assert_snapshot!("a_batch_stands_alone_on_the_command_line", transcript);
    let refused = environment
        .run(["grade", "--batch", "nowhere.jsonl"])
        .exits(2);
    insta::assert_snapshot!(refused.message(), @r"
    error: nowhere.jsonl: No such file or directory (os error 2)
    hint: --batch expects a file or a pipe with one request per line, or `-` for standard input
    ");
    let refused = environment.run(["grade", "--batch", "."]).exits(2);
    insta::assert_snapshot!(refused.message(), @r"
    error: .: expected a file or a pipe, found a directory
    hint: --batch expects a file or a pipe with one request per line, or `-` for standard input
    ");
    environment
        .run(["grade", "a/b/c", "--state", ".", "--jobs", "2"])
        .exits(2);
    assert_eq!(batch(&environment, "\n \n", &[]).exits(0).stdout, "");
}

#[test]
fn devices_and_directories_are_no_batch() {
    let environment = Environment::bare();
    let directory = environment.directory("directory", &[]);
    let mut transcript = String::new();
    for file in ["/dev/zero", directory.to_str().unwrap(), "nowhere"] {
        let refused = environment.run(["grade", "--batch", file]).exits(2);
        transcript += &refused.transcript();
    }
    insta::assert_snapshot!(transcript, @r"
    $ mcpmark grade --batch /dev/zero
    error: /dev/zero: expected a file or a pipe, found a device
    hint: --batch expects a file or a pipe with one request per line, or `-` for standard input

    $ mcpmark grade --batch [dir]/directory
    error: [dir]/directory: expected a file or a pipe, found a directory
    hint: --batch expects a file or a pipe with one request per line, or `-` for standard input

    $ mcpmark grade --batch nowhere
    error: nowhere: No such file or directory (os error 2)
    hint: --batch expects a file or a pipe with one request per line, or `-` for standard input
    ");

    // The device as standard input is a line that never ends.
    let mut command = environment.command(["grade", "--batch", "-"]);
    command.stdin(fs::File::open("/dev/zero").unwrap());
    let output = Output::of(&mut command).exits(4);
    let told = outcomes(&output);
    assert_eq!(told.len(), 1, "{}", output.stdout);
    let message = told[0]["error"]["message"].as_str().unwrap();
    assert!(
        message.starts_with("line 1: exceeds the limit of 67108864 bytes and does not end"),
        "{message}"
    );
}

#[test]
fn a_pipe_is_read_line_by_line() {
    let environment = Environment::bare();
    let good = judge(&environment, "good.wasm", &guests::verdict(true, "fine"));
    environment.directory("state", &[]);
    let pipe = environment.path("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let mut command = environment.command(["grade", "--batch", pipe.to_str().unwrap()]);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut requests = fs::OpenOptions::new().write(true).open(&pipe).unwrap();
    let mut outcomes = BufReader::new(child.stdout.take().unwrap()).lines();
    for number in 1..=3 {
        // Each request is written only after the outcome of the previous one was read.
        writeln!(requests, "{}", json!({"verifier": good, "state": "state"})).unwrap();
        let outcome: Value = serde_json::from_str(&outcomes.next().unwrap().unwrap()).unwrap();
        assert_eq!(
            (&outcome["line"], &outcome["passed"]),
            (&json!(number), &json!(true))
        );
    }
    drop(requests);
    assert!(outcomes.next().is_none());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn control_characters_in_a_line_are_escaped() {
    let environment = Environment::new();
    let hostile = "\u{202e}txt\u{9b}2J\u{7f}";
    let judge = judge(&environment, "fine.wasm", &guests::verdict(true, hostile));
    let state = environment.directory("state", &[("note.txt", "as it is\n")]);
    let state = state.to_str().unwrap();
    let line = json!({"id": hostile, "verifier": judge, "state": state});
    let output = batch(&environment, &text(&[line]), &[]).exits(0);
    let is_plain = |c: char| c == '\n' || (c.is_ascii() && !c.is_control());
    assert!(output.stdout.chars().all(is_plain), "{:?}", output.stdout);
    let graded = &outcomes(&output)[0];
    assert_eq!(graded["id"], hostile);
    assert_eq!(graded["checks"][0]["detail"], hostile);
}
