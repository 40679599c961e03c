//! `grade --verifier verify.py`: Python scripts as verifiers.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use mcpmark_build::python::PythonSource;
use mcpmark_test_support::{Need, skip};
use serde_json::json;

use crate::environment::{Environment, Output};

/// Creates an environment in which the interpreter is ready. Returns `None` if it cannot be prepared.
pub(crate) fn with_guest() -> Option<Environment> {
    static READY: OnceLock<bool> = OnceLock::new();
    let ready = READY.get_or_init(|| {
        let source = PythonSource {
            given: None,
            cache: Path::new(env!("CARGO_TARGET_TMPDIR")).join("mcpmark"),
            allow_install: true,
        };
        match source.guest(&mut |event| drop(writeln!(std::io::stderr(), "{event}"))) {
            Ok(_) => true,
            Err(error) => {
                skip(
                    Need::Python,
                    format!("nothing about Python scripts is checked: {error}"),
                );
                false
            }
        }
    });
    ready.then(Environment::bare)
}

struct Judge {
    environment: Environment,
    script: PathBuf,
    state: PathBuf,
}

impl Judge {
    fn new(script: &str) -> Option<Self> {
        let environment = with_guest()?;
        let task = environment.directory("task", &[("verify.py", script), ("label.txt", "7\n")]);
        let state = environment.directory("state", &[("note.txt", "as it is\n")]);
        Some(Self {
            script: task.join("verify.py"),
            state,
            environment,
        })
    }

    fn grade(&self, more: &[&str]) -> Output {
        let (script, state) = (self.script.to_str().unwrap(), self.state.to_str().unwrap());
        let args = ["grade", "--verifier", script, "--state", state];
        self.environment.run(args.iter().chain(more))
    }
}

const SCRIPT: &str = r#"
import os
import sys
from pathlib import Path

note = Path(os.environ["FILESYSTEM_TEST_DIR"], "note.txt").read_text().strip()
label = (Path(__file__).parent / "label.txt").read_text().strip()
print(f"note {note}, label {label}, X {os.environ.get('X')}, {sys.argv[1:]}")
wanted = sys.argv[1] if len(sys.argv) > 1 else "as it is"
print("✅ the label is there")
print("✅ the note" if note == wanted else f"❌ the note: {note}")
print("told on stderr", file=sys.stderr)
sys.exit(0 if note == wanted else 3)
"#;

#[test]
fn a_script_that_ends_with_0_is_a_pass() {
    let Some(judge) = Judge::new(SCRIPT) else {
        return;
    };
    let report = judge.grade(&["--json", "--env", "X=1=2"]).exits(0).json();
    assert_eq!(report["outcome"], "graded");
    assert_eq!(report["passed"], true);
    let names = report["checks"].as_array().unwrap().iter();
    let names: Vec<_> = names.map(|check| check["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["the label is there", "the note", "exit code"]);
    assert_eq!(
        report["output"],
        json!({
            "stdout": "note as it is, label 7, X 1=2, []\n✅ the label is there\n✅ the note\n",
            "stderr": "told on stderr\n",
            "exit_code": 0,
        })
    );
    let plain = judge.grade(&[]).exits(0).stdout;
    assert_eq!(
        plain,
        "| note as it is, label 7, X None, []\n\
         | ✅ the label is there\n\
         | ✅ the note\n\
         | told on stderr\n\
         ✓ the label is there\n\
         ✓ the note\n\
         ✓ exit code\n\
         passed: 3 of 3 checks passed, score 1.000\n"
    );
}

/// Script that compares all pairs of texts, as slow published scripts do. Native Python takes 3 s.
const SLOW: &str = r#"
from itertools import combinations

texts = [f"{n:05d} " * 40 for n in range(2600)]
longest = 0
for one, other in combinations(texts, 2):
    shared = 0
    for a, b in zip(one, other):
        if a != b:
            break
        shared += 1
    longest = max(longest, shared)
print(f"longest {longest}")
"#;

#[test]
fn a_slow_script_fits_the_default_limits() {
    let Some(judge) = Judge::new(SLOW) else {
        return;
    };
    let grade = judge.grade(&["--json"]).exits(0).json();
    assert_eq!(grade["passed"], true, "{grade}");
    // It takes more than a quarter of the default fuel.
    let grade = judge.grade(&["--json", "--limits", "fuel=50000000000"]);
    assert_eq!(grade.exits(3).json()["fault"]["kind"], "fuel");
}

#[test]
fn the_service_of_a_state_is_named_and_not_guessed() {
    let Some(judge) = Judge::new(SCRIPT) else {
        return;
    };
    let refused = judge.grade(&["--service", "nope"]).exits(2);
    insta::assert_snapshot!(refused.message(), @r#"
    error: --service: service "nope" is not supported
    hint: `mcpmark doctor` lists the services
    "#);
    let refused = judge.grade(&["--service", "github"]).exits(4);
    insta::assert_snapshot!(refused.message(), @"error: [dir]/state: the github world is not valid: repo/ does not exist; a github world requires a repository in repo/.git");
    judge.grade(&["--service", "filesystem"]).exits(0);
}

#[test]
fn any_other_code_is_a_fail() {
    let Some(judge) = Judge::new(SCRIPT) else {
        return;
    };
    let report = judge
        .grade(&["--json", "--", "--other", "thing"])
        .exits(1)
        .json();
    assert_eq!(report["passed"], false);
    assert_eq!(report["output"]["exit_code"], 3);
    assert_eq!(
        report["checks"][1],
        json!({"name": "the note: as it is", "passed": false, "detail": ""})
    );
}

#[test]
fn a_script_that_breaks_gives_no_grade() {
    for (script, words) in [
        ("import numpy", "link: the script imports 'numpy'"),
        ("def f(:", "link: the script does not compile"),
        (
            "import os\nos._exit(0)",
            "trap: the script ended the interpreter",
        ),
        (
            "import requests\nrequests.get('http://x')",
            "the service \"http\"",
        ),
    ] {
        let Some(judge) = Judge::new(script) else {
            return;
        };
        let report = judge.grade(&["--json"]).exits(3).json();
        assert_eq!(report["outcome"], "verifier-fault");
        let fault = &report["fault"];
        let text = |key: &str| fault[key].as_str().unwrap().to_owned();
        let told = format!("{}: {}", text("kind"), text("message"));
        assert!(told.contains(words), "{told}");
    }
}

#[test]
fn an_answer_is_told_as_the_last_message() {
    let script = r#"
import json, os, sys
messages = json.load(open(os.environ["MCP_MESSAGES"]))
sys.exit(0 if messages[-1]["content"][0]["text"] == "1995\n" and len(messages) == 1 else 1)
"#;
    let Some(judge) = Judge::new(script) else {
        return;
    };
    let answer = judge
        .environment
        .directory("answers", &[("answer.txt", "1995\n")]);
    let answer = answer.join("answer.txt");
    judge
        .grade(&["--answer", answer.to_str().unwrap()])
        .exits(0);
    judge.grade(&[]).exits(1);
}

#[test]
fn output_of_a_script_cannot_control_the_terminal() {
    let Some(judge) = Judge::new("print('\\x1b[2J✅ \\x1b[31mred')") else {
        return;
    };
    let plain = judge.grade(&[]).exits(0).stdout;
    assert!(!plain.contains('\u{1b}'), "{plain:?}");
}

#[test]
fn without_a_guest_the_way_out_is_named() {
    let environment = Environment::bare();
    let task = environment.directory("task", &[("verify.py", "")]);
    let state = environment.directory("state", &[]);
    let args = [
        "grade",
        "--verifier",
        "verify.py",
        "--state",
        state.to_str().unwrap(),
    ];
    let mut command = environment.command(args);
    command
        .current_dir(&task)
        .env("XDG_CACHE_HOME", environment.path("cache"));
    let stderr = Output::of(&mut command).exits(5).stderr;
    assert!(stderr.contains("componentize-py==0.25.1"), "{stderr}");
    assert!(stderr.contains("MCPMARK_PYTHON_GUEST"), "{stderr}");
}

/// Scripts that begin like published scripts for notion and postgres.
const NOTION: &str = r#"
import sys
from tasks.utils import notion_utils

notion = notion_utils.get_notion_client()
page = sys.argv[1] if len(sys.argv) > 1 else notion_utils.find_page(notion, "Plan")
sys.exit(0 if page else 1)
"#;
const POSTGRES: &str = r#"
import os
import sys
import psycopg2

database = os.getenv("POSTGRES_DATABASE")
if not database:
    print("Error: POSTGRES_DATABASE is not set")
    sys.exit(1)
psycopg2.connect(host=os.getenv("POSTGRES_HOST", "localhost"), database=database,
                 password=os.environ["POSTGRES_PASSWORD"])
"#;

#[test]
fn a_script_without_what_it_reads_of_its_environment_is_called_wrongly() {
    let mut transcript = String::new();
    for (script, names) in [
        (NOTION, &["EVAL_NOTION_API_KEY"][..]),
        (POSTGRES, &["POSTGRES_DATABASE", "POSTGRES_PASSWORD"]),
    ] {
        let Some(judge) = Judge::new(script) else {
            return;
        };
        let told = judge.grade(&[]).exits(2);
        for name in names {
            told.stderr
                .find(&format!("--env {name}="))
                .unwrap_or_else(|| panic!("{name}: {}", told.stderr));
        }
        transcript += &told.transcript();
        assert!(!told.stderr.contains("POSTGRES_HOST"), "{}", told.stderr);
        // With the variables, the script needs a service that is not available here. That is a fault, not a grade.
        let set: Vec<String> = names.iter().map(|name| format!("{name}=x")).collect();
        let set: Vec<&str> = set.iter().flat_map(|it| ["--env", it]).collect();
        let report = judge.grade(&[&set[..], &["--json"]].concat()).exits(3);
        assert_eq!(report.json()["fault"]["kind"], "link");
        // An empty value confirms that a variable stays unset.
        let without: Vec<String> = names.iter().map(|name| format!("{name}=")).collect();
        let without: Vec<&str> = without.iter().flat_map(|it| ["--env", it]).collect();
        judge.grade(&without).exits(1);

        let request = json!({"verifier": judge.script, "state": judge.state});
        let file = judge.environment.path("batch.jsonl");
        std::fs::write(&file, format!("{request}\n")).unwrap();
        let args = ["grade", "--batch", file.to_str().unwrap()];
        let refused = judge.environment.run(args).exits(4).json();
        assert_eq!(refused["error"]["key"], "env", "{refused}");
    }
    insta::assert_snapshot!(transcript, @r"
    $ mcpmark grade --verifier [dir]/task/verify.py --state [dir]/state
    error: verify.py reads environment variables that are not set: EVAL_NOTION_API_KEY
    hint: name the service of the state with --service, which sets its own variables; set them with --env EVAL_NOTION_API_KEY=…, to an empty value if the script does not need one; or name the task with --tasks CORPUS, which sets the variables of its service

    $ mcpmark grade --verifier [dir]/task/verify.py --state [dir]/state
    error: verify.py reads environment variables that are not set: POSTGRES_DATABASE, POSTGRES_PASSWORD
    hint: name the service of the state with --service, which sets its own variables; set them with --env POSTGRES_DATABASE=… --env POSTGRES_PASSWORD=…, to an empty value if the script does not need one; or name the task with --tasks CORPUS, which sets the variables of its service
    ");
}

#[test]
fn a_script_that_a_large_state_stops_fails_where_the_start_is_known() {
    let Some(judge) = Judge::new(SWALLOWS) else {
        return;
    };
    let start = judge
        .environment
        .directory("start", &[("note.txt", "short\n")]);
    let large = std::fs::File::create(judge.state.join("note.txt")).unwrap();
    large.set_len(70 << 20).unwrap();
    let named = ["--json", "--start", start.to_str().unwrap()];
    let report = judge.grade(&named).exits(1).json();
    assert_eq!(report["outcome"], "state-fault", "{report}");
    assert_eq!(report["fault"]["kind"], "memory", "{report}");
    let report = judge.grade(&["--json"]).exits(3).json();
    assert_eq!(report["outcome"], "verifier-fault", "{report}");
}

/// Otherwise an agent could void its grade with a state that a script waits for.
#[test]
fn a_script_that_waits_for_a_state_without_end_fails_where_the_start_is_known() {
    let Some(judge) = Judge::new(WAITS) else {
        return;
    };
    let start = judge
        .environment
        .directory("start", &[("note.txt", "short\n")]);
    std::fs::write(judge.state.join("note.txt"), "busy\n").unwrap();
    let named = ["--json", "--start", start.to_str().unwrap()];
    let report = judge.grade(&named).exits(1).json();
    assert_eq!(report["outcome"], "state-fault", "{report}");
    assert_eq!(report["fault"]["kind"], "wait", "{report}");
    let report = judge.grade(&["--json"]).exits(3).json();
    assert_eq!(report["outcome"], "verifier-fault", "{report}");
}

/// Script that waits while a file has a certain content.
const WAITS: &str = r#"
import os
import sys
import time

note = os.path.join(os.environ["FILESYSTEM_TEST_DIR"], "note.txt")
while open(note).read() == "busy\n":
    time.sleep(5)
sys.exit(1)
"#;

/// Script that splits a file into characters. For a file of 70 MiB, 256 MiB of memory are not enough.
const SWALLOWS: &str = r#"
import os
import sys

with open(os.path.join(os.environ["FILESYSTEM_TEST_DIR"], "note.txt")) as file:
    letters = list(file.read())
sys.exit(0 if letters == list("done\n") else 1)
"#;
