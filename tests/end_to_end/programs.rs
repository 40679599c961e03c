//! `--agent command:PROGRAM`: third-party programs act through an MCP server of their own, and are graded and reported
//! like any agent.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::environment::{Environment, Output, text, write_files};
use crate::guests;
use crate::library::Library;

/// Beginning of the agents in these tests: `mcp LINE…` sends messages to the world's MCP server and prints its answers.
const PRELUDE: &str = r#"#!/bin/sh
set -eu
init='{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"sh","version":"1"}}}'
ready='{"jsonrpc":"2.0","method":"notifications/initialized"}'
mcp() { printf '%s\n' "$init" "$ready" "$@" | "$MCPMARK" mcp connect "$MCPMARK_MCP_URL"; }
call() { mcp '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"'"$1"'","arguments":'"$2"'}}'; }
write() { call write_file '{"path":"/workspace/'"$1"'","content":"'"$2"'"}'; }
"#;

/// A library with one task, and an agent that is a shell script.
struct Bench<'a> {
    environment: &'a Environment,
    library: Library<'a>,
}

const TASK: &str = "filesystem/office/any";

impl<'a> Bench<'a> {
    fn new(environment: &'a Environment) -> Self {
        let library = Library::new(environment);
        library.task("any", &guests::verdict(true, "fine"));
        Self {
            environment,
            library,
        }
    }

    fn agent(&self, script: &str) {
        let script = format!("{PRELUDE}{script}");
        write_files(&self.environment.path(""), &[("agent.sh", &script)]);
    }

    /// Returns a `run` command with the agent, which finds this binary as `MCPMARK`.
    fn command(&self, args: &[&str]) -> std::process::Command {
        let own = ["run", TASK, "--json", "--agent-env", "MCPMARK"];
        let agent = ["--agent", "command:sh ./agent.sh"];
        let mut command = self.library.command(own.iter().chain(&agent).chain(args));
        command.env("MCPMARK", env!("CARGO_BIN_EXE_mcpmark"));
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        Output::of(&mut self.command(args))
    }

    fn show(&self, attempt: &Value) -> Value {
        let id = text(&attempt["id"]);
        self.library.run(["show", &id, "--json"]).exits(0).json()
    }
}

/// Returns the notes of the host about an attempt.
fn notes(shown: &Value) -> String {
    let messages = shown["messages"].as_array().unwrap().iter();
    let notes = messages.filter(|message| message["role"] == "note");
    notes.map(|note| note["content"].to_string()).collect()
}

#[test]
fn a_program_acts_through_an_address_of_its_own_and_is_graded() {
    let environment = Environment::bare();
    let bench = Bench::new(&environment);
    bench.agent(
        r#"
cat > said
cmp said "$MCPMARK_INSTRUCTION_FILE" && cmp said instruction.md
grep -q "$MCPMARK_MCP_URL" "$MCPMARK_MCP_CONFIG"
test "$HOME" = "$(pwd -P)" -o "$HOME" = "$PWD"
test "$1" = "$MCPMARK_MCP_URL" && test "$2" = "{kept}"
write new.txt "by hand" > answers
grep -q secure-filesystem-server answers
if grep -q instructions answers; then exit 1; fi
call no_such_tool '{}' | grep -q 'no tool named' || exit 1
echo "the key is $KEY" >&2
env | cut -d= -f1 | sort | tr '\n' ' ' >&2
echo "done in $PWD"
"#,
    );
    let mut command = bench.library.command([
        "run",
        TASK,
        "--json",
        "-k",
        "2",
        "-j",
        "2",
        "--experiment",
        "by-hand",
        "--agent",
        "command:sh ./agent.sh {mcp_url} {kept}",
        "--agent-env",
        "MCPMARK",
        "--agent-env",
        "KEY",
    ]);
    command
        .env("MCPMARK", env!("CARGO_BIN_EXE_mcpmark"))
        .env("KEY", "canary-123456")
        .env("UNNAMED", "unseen");
    let output = Output::of(&mut command).exits(0);
    assert!(!output.stdout.contains("canary"), "{}", output.stdout);
    let report = output.json();
    assert_eq!(report["attempts"].as_array().unwrap().len(), 2);
    for attempt in report["attempts"].as_array().unwrap() {
        assert_eq!(attempt["agent"], "command");
        assert_eq!(attempt["ended"], "completed");
        assert_eq!(
            (&attempt["turns"], &attempt["tool_calls"]),
            (&json!(3), &json!(2))
        );
        let shown = bench.show(attempt);
        assert_eq!(shown["calls"][0]["name"], "write_file");
        assert_eq!(shown["calls"][0]["arguments"]["content"], "by hand");
        assert_eq!(
            shown["agent_settings"]["command"]["env"],
            json!(["MCPMARK", "KEY"])
        );
        let changes = shown["changes"].to_string();
        assert!(changes.contains("new.txt"), "{changes}");
        let notes = notes(&shown);
        assert!(
            notes.contains("the key is [redacted]") && !notes.contains("canary"),
            "{notes}"
        );
        assert!(
            notes.contains("MCPMARK_MCP_URL") && !notes.contains("UNNAMED"),
            "{notes}"
        );
        // The directory of the program is removed with it.
        let answer = text(&shown["answer"]);
        let dir = answer.strip_prefix("done in ").unwrap();
        assert!(!Path::new(dir).exists(), "{dir}");
    }
    let all = bench
        .library
        .run(["report", "by-hand", "--format", "json"])
        .exits(0);
    assert!(all.stdout.contains("command"), "{}", all.stdout);
}

#[test]
fn an_answer_file_goes_before_standard_output() {
    let environment = Environment::bare();
    let bench = Bench::new(&environment);
    bench.agent("echo chatter\necho 42 > \"$MCPMARK_ANSWER_FILE\"\n");
    let report = bench.run(&[]).exits(0).json();
    assert_eq!(bench.show(&report["attempts"][0])["answer"], "42");
}

#[test]
fn a_program_that_fails_is_graded_and_one_that_asks_for_it_is_run_again() {
    let environment = Environment::bare();
    let bench = Bench::new(&environment);
    bench.agent("write new.txt half > answers\necho 'no more credit' >&2\nexit 3\n");
    let report = bench.run(&[]).exits(0).json();
    let attempt = &report["attempts"][0];
    assert_eq!(
        (&attempt["ended"], &attempt["outcome"]),
        (&json!("agent-error"), &json!("graded"))
    );
    let detail = text(&bench.show(attempt)["ended_detail"]);
    assert!(detail.contains("exit status 3: no more credit"), "{detail}");

    bench.agent("echo 'the model is away' >&2\nexit 75\n");
    let report = bench.run(&["--experiment", "later"]).exits(5).json();
    let attempt = &report["attempts"][0];
    assert_eq!(attempt["outcome"], "infra-error");
    assert!(
        text(&attempt["fault"]["message"]).contains("the model is away"),
        "{attempt}"
    );
    bench.agent("echo fine\n");
    let mut resume = bench.library.command(["resume", "later", "--json"]);
    resume.env("MCPMARK", env!("CARGO_BIN_EXE_mcpmark"));
    let report = Output::of(&mut resume).exits(0).json();
    assert_eq!(report["attempts"][0]["passed"], true);
}

#[test]
fn limits_end_a_program_with_all_that_it_has_started() {
    let environment = Environment::bare();
    let bench = Bench::new(&environment);
    bench.agent("sleep 1000 &\necho $! $$\nwait\n");
    let report = bench.run(&["--limit-time", "1"]).exits(0).json();
    let attempt = &report["attempts"][0];
    assert_eq!(attempt["ended"], "time-limit");
    assert_eq!(attempt["outcome"], "graded");
    let notes = notes(&bench.show(attempt));
    let numbers: Vec<i32> = notes
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|word| word.parse().ok())
        .filter(|number| *number > 100)
        .collect();
    assert!(numbers.len() >= 2, "{notes}");
    for number in numbers {
        has_gone(number);
    }

    bench.agent("for n in 1 2 3 4 5; do write $n.txt x; done\necho never\n");
    let report = bench.run(&["--limit-turns", "3"]).exits(0).json();
    let attempt = &report["attempts"][0];
    assert_eq!(
        (&attempt["ended"], &attempt["tool_calls"]),
        (&json!("turn-limit"), &json!(3))
    );
}

#[test]
fn ctrl_c_ends_a_program_with_all_that_it_has_started() {
    let environment = Environment::bare();
    let bench = Bench::new(&environment);
    let file = environment.path("numbers");
    let script = format!(
        "sleep 1000 &\necho $! > '{0}.new'\nmv '{0}.new' '{0}'\nwait\n",
        file.display()
    );
    bench.agent(&script);
    let mut command = bench.command(&["--experiment", "stopped"]);
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !file.exists() {
        thread::sleep(Duration::from_millis(10));
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    has_gone(fs::read_to_string(&file).unwrap().trim().parse().unwrap());
    bench.agent("echo fine\n");
    let mut resume = bench.library.command(["resume", "stopped", "--json"]);
    resume.env("MCPMARK", env!("CARGO_BIN_EXE_mcpmark"));
    assert_eq!(
        Output::of(&mut resume).exits(0).json()["attempts"][0]["passed"],
        true
    );
}

/// Waits until a process has ended. A zombie counts as ended.
pub(crate) fn has_gone(number: i32) {
    for _ in 0..1000 {
        let stat = fs::read_to_string(format!("/proc/{number}/stat"));
        let is_there = stat.is_ok_and(|stat| !stat.contains(") Z "));
        if !is_there {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("process {number} still runs");
}

#[test]
fn a_program_that_cannot_be_run_is_found_before_anything_is_run() {
    let environment = Environment::bare();
    let bench = Bench::new(&environment);
    write_files(&environment.path(""), &[("plain.txt", "no program")]);
    let mut transcript = String::new();
    for args in [
        &["--agent", "command:no-such-program x"][..],
        &["--agent", "command:./missing"],
        &["--agent", "command:./plain.txt"],
        &["--agent", "command:bin/agent"],
        &["--agent", "command:"],
        &["--agent", "command:sh 'x"],
        &["--agent", "commnd:sh"],
        &["--agent", "command:sh", "--agent-env", "UNSET_VARIABLE"],
        &["--agent", "nop", "--agent-env", "PATH"],
        &["--agent", "command:sh", "--temperature", "1"],
    ] {
        let own = ["run", TASK];
        let refused = bench.library.run(own.iter().chain(args)).exits(2);
        transcript += &refused.transcript();
    }
    insta::assert_snapshot!(
        "a_program_that_cannot_be_run_is_found_before_anything_is_run",
        transcript
    );
    assert!(!environment.home().exists());
}

#[test]
fn a_file_names_a_program_and_its_arguments() {
    let environment = Environment::bare();
    let bench = Bench::new(&environment);
    write_files(
        &environment.path("plans"),
        &[
            ("agent.sh", "echo \"$1|$2|$(cat)\"\n"),
            (
                "plan.toml",
                "tasks = [\"filesystem/office/any\"]\ncommand = [\"sh\", \"./agent.sh\", \"{instruction}\", \"a b\"]\n",
            ),
            (
                "none.toml",
                "tasks = [\"filesystem/office/any\"]\nagent = \"command\"\n",
            ),
            (
                "other.toml",
                "tasks = [\"filesystem/office/any\"]\nagent = \"nop\"\ncommand = [\"sh\"]\n",
            ),
            (
                "text.toml",
                "tasks = [\"filesystem/office/any\"]\ncommand = \"sh\"\n",
            ),
            (
                "client.toml",
                "tasks = [\"filesystem/office/any\"]\nagent = \"client\"\n",
            ),
            (
                "both.toml",
                "tasks = [\"filesystem/office/any\"]\nagent = [\"nop\", \"command\"]\ncommand = [\"sh\"]\n",
            ),
        ],
    );
    let report = bench
        .library
        .run(["run", "--config", "plans/plan.toml", "--json"]);
    let report = report.exits(0).json();
    let answer = text(&bench.show(&report["attempts"][0])["answer"]);
    let instruction = "Leave everything as it is.";
    assert_eq!(
        answer.replace('\n', ""),
        format!("{instruction}|a b|{instruction}")
    );
    let mut transcript = String::new();
    for file in ["none", "other", "text", "client"] {
        let file = format!("plans/{file}.toml");
        let refused = bench.library.run(["run", "--config", &file]);
        let refused = refused.exits(2);
        transcript += &refused.transcript();
    }
    insta::assert_snapshot!(transcript, @r#"
    $ mcpmark run --config plans/none.toml
    error: agent "command" has no program; name it with command = ["PROGRAM", "ARGUMENT"]

    $ mcpmark run --config plans/other.toml
    error: `command` names a program, but `agent` does not list "command"
    hint: add "command" to `agent`, or remove one of the two keys

    $ mcpmark run --config plans/text.toml
    error: plans/text.toml: line 2: invalid type: string "sh", expected a list, as in ["./agent.sh", "{mcp_url}"]

    $ mcpmark run --config plans/client.toml
    error: agent "client" is reserved for the clients of `mcpmark mcp serve --attempt`; `run` cannot start one
    "#);
    // Together with another agent of the file.
    let both = bench
        .library
        .run(["run", "--config", "plans/both.toml", "--dry-run"]);
    let told = both.exits(0).stdout;
    assert!(told.contains("nop") && told.contains("\"sh\""), "{told}");
}

#[test]
fn several_programs_stand_beside_other_agents_in_one_experiment() {
    let environment = Environment::bare();
    let bench = Bench::new(&environment);
    bench.agent("echo \"$1\"\n");
    let one = ["--agent", "command:sh ./agent.sh one"];
    let two = ["--agent", "command:sh ./agent.sh two"];
    let twice = bench
        .library
        .run(["run", TASK].iter().chain(&one).chain(&one));
    let refused = twice.exits(2);
    insta::assert_snapshot!(refused.message(), @"error: agent command is named twice");
    let args = ["run", TASK, "--experiment", "both", "--agent", "nop"];
    bench.library.run(args.iter().chain(&one)).exits(0);
    // The experiment gets another participant, and the first program is not run again.
    let args = ["run", "--experiment", "both", "-k", "2"];
    let grown = bench.library.run(args.iter().chain(&two)).exits(0);
    insta::assert_snapshot!(grown.message(), @r"
    2 attempts added to the 2 of experiment both with 1 new participant
    3/4 pass filesystem/office/any  command sh agent.sh two  [id]  0 calls
    4/4 pass filesystem/office/any #2  command sh agent.sh two  [id]  0 calls
    ");
    let report = bench
        .library
        .run(["report", "both", "--format", "json"])
        .exits(0);
    let report = report.json();
    let mut names: Vec<String> = report["models"]
        .as_array()
        .unwrap()
        .iter()
        .map(|model| text(&model["name"]))
        .collect();
    names.sort();
    let programs = ["one", "two"].map(|word| format!("command sh agent.sh {word}"));
    assert_eq!(names[..2], programs);
    assert_eq!(names[2..], ["nop"]);
    let shown = bench.library.run(["show", "latest", "--json"]).exits(0);
    assert_eq!(text(&shown.json()["answer"]).trim(), "two");
}

/// Starts `mcp serve` over HTTP, and returns the process and its URL.
fn serve(command: &mut std::process::Command) -> (std::process::Child, String) {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut notes = BufReader::new(child.stderr.as_mut().unwrap());
    let mut said = String::new();
    while !said.contains("http://") {
        assert!(notes.read_line(&mut said).unwrap() > 0, "{said}");
    }
    let url = said
        .split("http://")
        .nth(1)
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap();
    let url = format!("http://{url}");
    (child, url)
}

#[test]
fn a_served_world_ends_with_a_signal_or_when_it_is_idle() {
    let environment = Environment::bare();
    let bench = Bench::new(&environment);
    let args = [
        "mcp",
        "serve",
        "--task",
        TASK,
        "--http",
        "127.0.0.1:0",
        "--attempt",
    ];
    let (child, url) = serve(&mut bench.library.command(args));
    assert!(url.ends_with("/mcp"), "{url}");
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let args = args.iter().chain(&["--grade", "--idle-timeout", "1"]);
    let (child, _) = serve(&mut bench.library.command(args));
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("verdict: pass"), "{said}");

    let mut transcript = String::new();
    for args in [
        &["--task", TASK, "--http", "0.0.0.0:0"][..],
        &["--task", TASK, "--idle-timeout", "5"],
        &["--world", "filesystem/office", "--grade"],
        &["--task", TASK, "--experiment", "x"],
    ] {
        let own = ["mcp", "serve"];
        let refused = bench.library.run(own.iter().chain(args)).exits(2);
        transcript += &refused.transcript();
    }
    insta::assert_snapshot!(
        "a_served_world_ends_with_a_signal_or_when_it_is_idle",
        transcript
    );
    let refused = bench
        .library
        .run(["mcp", "connect", "127.0.0.1:1"])
        .exits(5);
    insta::assert_snapshot!(refused.message(), @r#"error: 127.0.0.1:[port]: the session stopped: invalid URL "127.0.0.1:[port]": it must begin with http:// or https://"#);
    // Without a message on standard input, no connection is made.
    bench
        .library
        .run(["mcp", "connect", "http://127.0.0.1:9/mcp"])
        .exits(0);
}
