//! Workflows: their runs, the tools that show them, and errors of the guest.

mod faults;
mod limits;
mod runs;
mod state;
mod views;

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcpmark_github::ci::{Event, FUEL_OF_A_CALL, InputFault, Ran, Reported, Runner, RunnerError};
use mcpmark_snapshot::TreePath;
use serde_json::{Value, json};

use crate::support::{Repo, World, write};

const WORKFLOW: &str = "name: check\non:\n  push:\n  pull_request:\n  workflow_dispatch:\njobs:\n  numbers:\n    \
                        runs-on: ubuntu-24.04\n    steps:\n      - run: check numbers\n  readme:\n    steps:\n      - run: check readme\n";

/// Runner that checks whether `numbers.txt` contains only numbers in ascending order and whether there is a readme.
#[derive(Default)]
pub(crate) struct Checker {
    heard: Mutex<Vec<Value>>,
}

/// Default fuel of a run.
const CHEAP: u64 = 1_000;
/// Fuel of a run whose numbers begin with 0: a third of the fuel of a call.
const DEAR: u64 = FUEL_OF_A_CALL / 3;

impl Runner for Checker {
    fn run(&self, event: Event, fuel: u64) -> Ran {
        let dear = event
            .after
            .read(&TreePath::parse("numbers.txt").unwrap())
            .is_ok_and(|text| text.starts_with(b"0\n"));
        let needed = if dear { DEAR } else { CHEAP };
        Ran {
            result: if needed > fuel {
                Err(RunnerError::fuel_of_call())
            } else {
                self.check(event)
            },
            fuel: needed.min(fuel),
        }
    }
}

impl Checker {
    fn check(&self, event: Event) -> Result<Vec<Reported>, RunnerError> {
        let told: Value = serde_json::from_str(&event.parameters).unwrap();
        assert!(told["workflow"]["file"]["jobs"].is_object());
        self.heard.lock().unwrap().push(told);
        let read = |path: &str| event.after.read(&TreePath::parse(path).unwrap());
        let text = String::from_utf8(read("numbers.txt").unwrap_or_default()).unwrap();
        if text.contains("trap") {
            return Err(RunnerError::Guest("it trapped".to_owned()));
        }
        if text.contains("too much") {
            return Err(RunnerError::Input {
                fault: InputFault::Fuel,
                message: "fuel: it used 1000000000 units".to_owned(),
            });
        }
        if text.contains("slow") {
            std::thread::sleep(Duration::from_millis(100));
        }
        if text.contains("nameless") {
            let output = String::new();
            return Ok(vec![Reported {
                name: String::new(),
                passed: true,
                output,
            }]);
        }
        let numbers: Result<Vec<u64>, _> = text.lines().map(str::parse).collect();
        let step = |name: &str, passed: bool, output: &str| Reported {
            name: name.to_owned(),
            passed,
            output: output.to_owned(),
        };
        Ok(vec![
            step("numbers / parse", numbers.is_ok(), "read numbers.txt"),
            step(
                "numbers / order",
                numbers.is_ok_and(|it| it.is_sorted()),
                "compared\nthem",
            ),
            step("readme / there", read("README.md").is_ok(), ""),
        ])
    }
}

pub(crate) fn with_workflow(dir: &Path) {
    with_numbers(dir, "1\n2\n");
}

fn with_numbers(dir: &Path, numbers: &str) {
    let mut repo = Repo::new(dir);
    repo.commit(
        "main",
        "Start",
        &[
            ("README.md", Some("# Numbers\n")),
            ("numbers.txt", Some(numbers)),
            (".github/workflows/check.yml", Some(WORKFLOW)),
        ],
    );
    write(
        dir,
        "repository.json",
        &json!({
            "owner": "acme", "name": "demo", "default_branch": "main", "viewer": "ann",
        }),
    );
}

pub(crate) async fn world() -> (World, Arc<Checker>) {
    let checker = Arc::new(Checker::default());
    (
        World::with_runner(with_workflow, checker.clone()).await,
        checker,
    )
}

async fn put(world: &World, branch: &str, text: &str, message: &str) {
    let files = json!([{"path": "numbers.txt", "content": text}]);
    let arguments = json!({"branch": branch, "message": message, "files": files});
    world.text("push_files", arguments).await;
}

async fn runs(world: &World) -> Vec<Value> {
    let list = world
        .json("list_workflow_runs", json!({"workflow_id": "check.yml"}))
        .await;
    list["workflow_runs"]
        .as_array()
        .cloned()
        .unwrap_or_default()
}

fn told(run: &Value) -> (&str, &str, &str) {
    let text = |key: &str| run[key].as_str().unwrap();
    (text("event"), text("head_branch"), text("conclusion"))
}

/// Adds `count` workflows in one commit, with the numbers that they check.
async fn add_workflows(world: &World, count: usize, numbers: &str, message: &str) {
    let workflow = |number: usize| {
        let path = format!(".github/workflows/more-{number:03}.yml");
        json!({"path": path, "content": WORKFLOW})
    };
    let mut files: Vec<Value> = (0..count).map(workflow).collect();
    files.push(json!({"path": "numbers.txt", "content": numbers}));
    let arguments = json!({"branch": "main", "message": message, "files": files});
    world.text("push_files", arguments).await;
}

/// Returns the conclusions of all runs, by workflow and from newest to oldest.
async fn conclusions(world: &World) -> Vec<String> {
    let mut found = Vec::new();
    let list = world.json("list_workflows", json!({})).await;
    for workflow in list["workflows"].as_array().unwrap() {
        let asked = json!({"workflow_id": workflow["id"].to_string(), "perPage": 100});
        let list = world.json("list_workflow_runs", asked).await;
        let runs = list["workflow_runs"].as_array().cloned();
        for run in runs.unwrap_or_default() {
            found.push(run["conclusion"].as_str().unwrap().to_owned());
        }
    }
    found
}
