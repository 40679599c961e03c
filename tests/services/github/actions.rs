//! Workflows: their runs, the tools that show them, and errors of the guest.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcpmark_github::ci::{
    Event, FUEL_OF_A_CALL, MOST_RUNS_OF_A_CALL, Ran, Reported, Runner, RunnerError,
};
use mcpmark_snapshot::TreePath;
use serde_json::{Value, json};

use crate::rest::Site;
use crate::support::{Repo, World, standard, write};

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
                Err(RunnerError::Spent("all fuel is used".to_owned()))
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
            return Err(RunnerError::Input(
                "fuel: it used 1000000000 units".to_owned(),
            ));
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

/// World whose guest exceeds its fuel on the starting tree.
fn with_much(dir: &Path) {
    with_numbers(dir, "too much\n");
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

#[tokio::test]
async fn each_way_to_a_commit_makes_runs() {
    let (world, checker) = world().await;
    assert!(
        runs(&world).await.is_empty(),
        "what was there has run already"
    );
    world
        .text("create_branch", json!({"branch": "topic"}))
        .await;
    put(&world, "topic", "1\nx\n", "Add a letter").await;
    let proposed = json!({"title": "More", "head": "topic", "base": "main", "body": "b"});
    world.text("create_pull_request", proposed).await;
    let all = runs(&world).await;
    assert_eq!(
        all.iter().map(told).collect::<Vec<_>>(),
        [
            ("pull_request", "topic", "failure"),
            ("push", "topic", "failure"),
            ("push", "topic", "success"),
        ]
    );
    let numbers: Vec<u64> = all
        .iter()
        .map(|run| run["run_number"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, [3, 2, 1]);
    assert_eq!(all[0]["display_title"], "More");
    assert_eq!(all[0]["pull_requests"][0]["number"], 1);
    let pull = world
        .json("get_pull_request", json!({"pullNumber": 1}))
        .await;
    assert_eq!(pull["mergeable_state"], "unstable");
    let status = world
        .json("get_pull_request_status", json!({"pullNumber": 1}))
        .await;
    assert_eq!(
        (&status["state"], &status["total_count"]),
        (&json!("failure"), &json!(4))
    );
    assert_eq!(
        status["statuses"][0]["context"],
        "check / readme (pull_request)"
    );
    let sha = pull["head"]["sha"].clone();

    let blob = world
        .text(
            "get_file_contents",
            json!({"path": "numbers.txt", "ref": "refs/heads/topic"}),
        )
        .await;
    let blob = blob
        .split("(SHA: ")
        .nth(1)
        .unwrap()
        .split(')')
        .next()
        .unwrap()
        .to_owned();
    world.text("create_or_update_file", json!({
        "path": "numbers.txt", "content": "1\n2\n3\n", "message": "Mend", "branch": "topic", "sha": blob,
    })).await;
    let all = runs(&world).await;
    assert_eq!(told(&all[0]), ("pull_request", "topic", "success"));
    assert_eq!(told(&all[1]), ("push", "topic", "success"));
    assert_ne!(all[0]["head_sha"], sha);
    world
        .text("merge_pull_request", json!({"pullNumber": 1}))
        .await;
    let all = runs(&world).await;
    assert_eq!((all.len(), told(&all[0])), (6, ("push", "main", "success")));

    let heard = checker.heard.lock().unwrap();
    assert_eq!(heard.len(), 6);
    assert_eq!(heard[2]["ref"], "refs/pull/1/merge");
    assert_eq!(heard[2]["pull_request"]["title"], "More");
    assert_eq!(heard[2]["commits"][0]["message"], "Add a letter");
    assert_eq!(heard[1]["before"], heard[0]["sha"]);
    assert_eq!(heard[5]["commits"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn jobs_steps_and_logs_are_told() {
    let (world, _) = world().await;
    put(&world, "main", "2\n1\n", "Turn").await;
    let run = runs(&world).await.remove(0);
    let id = run["id"].as_u64().unwrap();
    assert_eq!(
        world.json("get_workflow_run", json!({"run_id": id})).await,
        run
    );
    let jobs = world
        .json("list_workflow_jobs", json!({"run_id": id}))
        .await;
    assert_eq!(jobs["jobs"]["total_count"], 2);
    let job = &jobs["jobs"]["jobs"][0];
    assert_eq!(
        (&job["name"], &job["conclusion"]),
        (&json!("numbers"), &json!("failure"))
    );
    let steps: Vec<(&str, &str)> = job["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| {
            (
                step["name"].as_str().unwrap(),
                step["conclusion"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        steps,
        [
            ("Set up job", "success"),
            ("parse", "success"),
            ("order", "failure"),
            ("Complete job", "success")
        ]
    );
    let numbers = job["steps"].as_array().unwrap().iter();
    let numbers: Vec<u64> = numbers.map(|it| it["number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [1, 2, 3, 4]);
    assert_eq!(job["labels"], json!(["ubuntu-24.04"]));
    let other = &jobs["jobs"]["jobs"][1];
    assert_eq!(
        other["labels"],
        json!(["ubuntu-latest"]),
        "nothing is said of it"
    );
    let asked = json!({"run_id": id, "failed_only": true, "return_content": true, "tail_lines": 3});
    let logs = world.json("get_job_logs", asked).await;
    assert_eq!(
        (&logs["failed_jobs"], &logs["total_jobs"]),
        (&json!(1), &json!(2))
    );
    let log = logs["logs"][0]["logs_content"].as_str().unwrap();
    let texts: Vec<&str> = log
        .lines()
        .map(|line| line.split_once(' ').unwrap().1)
        .collect();
    assert_eq!(
        texts,
        [
            "compared",
            "them",
            "##[error]Process completed with exit code 1."
        ]
    );
    assert_eq!(logs["logs"][0]["original_length"], 8);
    let one = world
        .json("get_job_logs", json!({"job_id": job["id"]}))
        .await;
    assert!(one["logs_url"].as_str().unwrap().ends_with("/logs"));
    assert_eq!(
        world.refusal("get_job_logs", json!({"run_id": id})).await,
        "job_id is required when failed_only is false"
    );
    assert_eq!(
        world
            .refusal("get_job_logs", json!({"failed_only": true}))
            .await,
        "run_id is required when failed_only is true"
    );
    let error = world.error("get_workflow_run", json!({"run_id": 5})).await;
    assert!(error.contains("failed to get workflow run: GET"), "{error}");
    assert!(
        error.contains("/actions/runs/5: 404 Not Found []"),
        "{error}"
    );

    world
        .text("delete_workflow_run_logs", json!({"run_id": id}))
        .await;
    let refusal = world
        .refusal("get_job_logs", json!({"job_id": job["id"]}))
        .await;
    assert!(refusal.contains("410"), "{refusal}");
    let refusal = world
        .refusal("cancel_workflow_run", json!({"run_id": id}))
        .await;
    assert!(refusal.contains("409 Cannot cancel"), "{refusal}");
    let none = world
        .json("list_workflow_run_artifacts", json!({"run_id": id}))
        .await;
    assert_eq!(none, json!({"total_count": 0}));
    let workflows = world.json("list_workflows", json!({})).await;
    assert_eq!(
        workflows["workflows"][0]["path"],
        ".github/workflows/check.yml"
    );
}

#[tokio::test]
async fn runs_are_run_again_and_by_hand() {
    let (world, checker) = world().await;
    put(&world, "main", "2\n1\n", "Turn").await;
    let id = runs(&world).await[0]["id"].as_u64().unwrap();
    let answer = world
        .json("rerun_workflow_run", json!({"run_id": id}))
        .await;
    assert_eq!(
        (&answer["status_code"], &answer["run_id"]),
        (&json!(201), &json!(id))
    );
    world.json("rerun_failed_jobs", json!({"run_id": id})).await;
    let all = runs(&world).await;
    assert_eq!((all.len(), &all[0]["run_attempt"]), (1, &json!(3)));
    assert_eq!(told(&all[0]), ("push", "main", "failure"));
    let jobs = |filter: &'static str| json!({"run_id": id, "filter": filter});
    let count = |list: Value| list["jobs"]["total_count"].as_u64().unwrap();
    assert_eq!(
        count(world.json("list_workflow_jobs", jobs("latest")).await),
        2
    );
    assert_eq!(
        count(world.json("list_workflow_jobs", jobs("all")).await),
        6
    );
    {
        let heard = checker.heard.lock().unwrap();
        assert_eq!(
            (heard.len(), &heard[0]),
            (3, &heard[2]),
            "the same event, again"
        );
    }
    world
        .json(
            "run_workflow",
            json!({"workflow_id": "check.yml", "ref": "main"}),
        )
        .await;
    assert_eq!(
        told(&runs(&world).await[0]),
        ("workflow_dispatch", "main", "failure")
    );
    let refused = json!({"workflow_id": "check.yml", "ref": "nowhere"});
    let error = world.error("run_workflow", refused).await;
    assert!(error.contains("422 No ref found for: nowhere"), "{error}");
}

#[tokio::test]
async fn a_required_check_stands_before_a_merge() {
    let make = |dir: &Path| {
        with_workflow(dir);
        write(
            dir,
            "repository.json",
            &json!({
                "owner": "acme", "name": "demo", "default_branch": "main", "viewer": "ann",
                "protected_branches": {"main": {"required_checks": ["numbers"]}},
            }),
        );
    };
    let world = World::with_runner(make, Arc::new(Checker::default())).await;
    world
        .text("create_branch", json!({"branch": "topic"}))
        .await;
    put(&world, "topic", "2\n1\n", "Turn [skip ci]").await;
    let proposed = json!({"title": "More", "head": "topic", "base": "main"});
    world.text("create_pull_request", proposed).await;
    let refusal = world
        .refusal("merge_pull_request", json!({"pullNumber": 1}))
        .await;
    assert!(
        refusal.contains("405 Required status check \"numbers\" is expected."),
        "{refusal}"
    );
    put(&world, "topic", "3\n1\n", "Turn again").await;
    let refusal = world
        .refusal("merge_pull_request", json!({"pullNumber": 1}))
        .await;
    assert!(
        refusal.contains("405 Required status check \"numbers\" is failing."),
        "{refusal}"
    );
    let pull = world
        .json("get_pull_request", json!({"pullNumber": 1}))
        .await;
    assert_eq!(pull["mergeable_state"], "blocked");
    put(&world, "topic", "1\n3\n", "Turn back").await;
    world
        .text("merge_pull_request", json!({"pullNumber": 1}))
        .await;
}

#[tokio::test]
async fn a_file_that_is_no_workflow_fails_without_jobs() {
    let (world, _) = world().await;
    let path = ".github/workflows/check.yml";
    let files = json!([{"path": path, "content": "on: [push\n"}]);
    let arguments = json!({"branch": "main", "message": "Break", "files": files});
    world.text("push_files", arguments).await;
    let run = runs(&world).await.remove(0);
    assert_eq!(
        (told(&run), &run["name"]),
        (("push", "main", "failure"), &json!(path))
    );
    let jobs = world
        .json("list_workflow_jobs", json!({"run_id": run["id"]}))
        .await;
    assert_eq!(jobs["jobs"]["total_count"], 0);
}

#[tokio::test]
async fn a_guest_that_breaks_ends_the_session_and_nobodys_work_is_judged() {
    let (world, _) = world().await;
    let files = json!([{"path": "numbers.txt", "content": "trap"}]);
    let error = world
        .error(
            "push_files",
            json!({"branch": "main", "message": "m", "files": files}),
        )
        .await;
    assert!(error.contains("ci guest failed: it trapped"), "{error}");
    assert!(
        world
            .error("get_me", json!({}))
            .await
            .contains("it trapped")
    );
    let fault = world.session.capture().await.unwrap_err();
    let source = std::error::Error::source(&fault).unwrap().to_string();
    assert!(source.contains("it trapped"), "{source}");
}

#[tokio::test]
async fn a_commit_that_is_too_much_for_the_guest_fails_and_the_session_goes_on() {
    let (world, _) = world().await;
    put(&world, "main", "too much\n", "More than it can read").await;
    put(&world, "main", "too much\nagain\n", "Once more").await;
    put(&world, "main", "1\n2\n", "Back").await;
    let runs = runs(&world).await;
    let conclusions: Vec<&str> = runs
        .iter()
        .map(|run| run["conclusion"].as_str().unwrap())
        .collect();
    assert_eq!(conclusions, ["success", "failure", "failure"]);
    let id = runs[1]["id"].clone();
    let jobs = world
        .json("list_workflow_jobs", json!({"run_id": id}))
        .await
        .to_string();
    assert!(jobs.contains("workflow"), "{jobs}");
    world.session.capture().await.unwrap();
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

#[tokio::test]
async fn workflows_of_one_call_share_their_fuel() {
    let (world, _) = world().await;
    add_workflows(&world, 4, "0\n1\n", "Five workflows").await;
    let all = conclusions(&world).await;
    assert_eq!(
        all.iter().filter(|it| *it == "success").count(),
        3,
        "{all:?}"
    );
    assert_eq!(
        all.iter().filter(|it| *it == "failure").count(),
        2,
        "{all:?}"
    );
    // Each call has its own fuel.
    put(&world, "main", "1\n2\n", "Cheap").await;
    let all = conclusions(&world).await;
    assert_eq!(
        all.iter().filter(|it| *it == "success").count(),
        8,
        "{all:?}"
    );
    world.session.capture().await.unwrap();
}

#[tokio::test]
async fn one_call_makes_a_bounded_number_of_runs() {
    let (world, checker) = world().await;
    let most = usize::try_from(MOST_RUNS_OF_A_CALL).unwrap();
    add_workflows(&world, most + 20, "1\n", "Many").await;
    assert_eq!(checker.heard.lock().unwrap().len(), most);
    world.session.capture().await.unwrap();
}

#[tokio::test]
async fn a_cancelled_call_starts_no_further_workflow() {
    let (world, checker) = world().await;
    let most = usize::try_from(MOST_RUNS_OF_A_CALL).unwrap();
    let workflow = |number: usize| {
        let path = format!(".github/workflows/more-{number:03}.yml");
        json!({"path": path, "content": WORKFLOW})
    };
    let mut files: Vec<Value> = (0..most).map(workflow).collect();
    files.push(json!({"path": "numbers.txt", "content": "slow"}));
    let arguments = json!({"owner": "acme", "repo": "demo", "branch": "main", "message": "Slow", "files": files});
    let timeout = Duration::from_millis(500);
    let arguments = arguments.as_object().unwrap().clone();
    // All runs would take ten seconds, and the end of a session waits for five.
    let called = world.client.call("push_files", arguments, timeout).await;
    assert!(called.is_err(), "{called:?}");
    world
        .session
        .finish(mcpmark_service::STOP_GRACE)
        .await
        .unwrap();
    assert!(checker.heard.lock().unwrap().len() < most);
}

#[tokio::test]
async fn steps_without_names_fail_the_run_and_not_the_session() {
    let (world, _) = world().await;
    put(&world, "main", "nameless", "A step without a name").await;
    assert_eq!(told(&runs(&world).await[0]).2, "failure");
    world.session.capture().await.unwrap();
}

#[tokio::test]
async fn an_agent_that_writes_the_first_workflow_cannot_end_the_session() {
    let without = |dir: &Path| {
        let mut repo = Repo::new(dir);
        repo.commit("main", "Start", &[("README.md", Some("# Numbers\n"))]);
        write(
            dir,
            "repository.json",
            &json!({
                "owner": "acme", "name": "demo", "default_branch": "main", "viewer": "ann",
            }),
        );
    };
    let world = World::with_runner(without, Arc::new(Checker::default())).await;
    add_workflows(&world, 1, "too much", "Overload it").await;
    assert_eq!(conclusions(&world).await, ["failure"]);
    world.session.capture().await.unwrap();
}

#[tokio::test]
async fn a_guest_that_is_too_weak_for_the_starting_tree_is_a_broken_world() {
    let world = World::with_runner(with_much, Arc::new(Checker::default())).await;
    let files = json!([{"path": "README.md", "content": "# Numbers\n"}]);
    let error = world
        .error(
            "push_files",
            json!({"branch": "main", "message": "m", "files": files}),
        )
        .await;
    assert!(error.contains("ci guest failed: fuel"), "{error}");
    world.session.capture().await.unwrap_err();
}

#[tokio::test]
async fn without_a_guest_nothing_runs_and_no_tool_tells_of_it() {
    let world = World::of(with_workflow).await;
    put(&world, "main", "1\n", "Less").await;
    let names: Vec<&str> = world
        .client
        .tools()
        .iter()
        .map(|tool| tool.name.as_ref())
        .collect();
    assert!(
        names.contains(&"get_me") && !names.contains(&"list_workflows"),
        "{names:?}"
    );
    assert!(
        world
            .state()
            .await
            .get(&TreePath::parse("runs.json").unwrap())
            .is_none()
    );
    let plain = World::with_runner(standard, Arc::new(Checker::default())).await;
    assert!(
        plain
            .client
            .tools()
            .iter()
            .any(|tool| tool.name == "list_workflows")
    );
    put(&plain, "main", "1\n", "One").await;
    assert!(
        plain
            .state()
            .await
            .get(&TreePath::parse("runs.json").unwrap())
            .is_none()
    );
}

#[tokio::test]
async fn the_final_state_has_the_runs_and_equal_calls_give_equal_ones() {
    let mut digests = Vec::new();
    for _ in 0..2 {
        let (world, _) = world().await;
        put(&world, "main", "2\n1\n", "Turn").await;
        put(&world, "main", "1\n2\n", "Turn back").await;
        let before = runs(&world).await;
        digests.push(world.state().await.digest());
        let dir = world.export().await;
        let text = std::fs::read(dir.join("runs.json")).unwrap();
        let document: Value = serde_json::from_slice(&text).unwrap();
        assert_eq!(document["workflow_runs"][0]["actor"], "ann");
        assert!(
            document["jobs"][0]["log"]
                .as_str()
                .unwrap()
                .contains("Run parse")
        );
        let again = world.again().await;
        assert_eq!(runs(&again).await, before, "a final state is a world");
        let refusal = again
            .refusal("rerun_workflow_run", json!({"run_id": before[0]["id"]}))
            .await;
        assert!(refusal.contains("403 Actions is disabled"), "{refusal}");
    }
    assert_eq!(digests[0], digests[1]);
}

#[tokio::test]
async fn rest_tells_the_same() {
    let (world, _) = world().await;
    put(&world, "main", "2\n1\n", "Turn").await;
    let site = Site::of(world).await;
    let runs = site
        .get("/actions/runs?branch=main&status=failure")
        .await
        .json();
    let run = &runs["workflow_runs"][0];
    assert_eq!(
        (&runs["total_count"], &run["event"]),
        (&json!(1), &json!("push"))
    );
    let id = run["id"].as_u64().unwrap();
    let jobs = site.get(&format!("/actions/runs/{id}/jobs")).await.json();
    let job = jobs["jobs"][0]["id"].as_u64().unwrap();
    let sent = site.get(&format!("/actions/jobs/{job}/logs")).await;
    assert_eq!(sent.status, 302);
    let location = sent.header("location").unwrap();
    let path = location.splitn(4, '/').nth(3).unwrap();
    let log = site.send("GET", &format!("/{path}"), "", b"").await;
    assert!(String::from_utf8(log.body).unwrap().contains("##[error]"));
    let sha = run["head_sha"].as_str().unwrap();
    let checks = site.get(&format!("/commits/{sha}/check-runs")).await.json();
    assert_eq!(checks["total_count"], 2);
    assert_eq!(checks["check_runs"][0]["conclusion"], "failure");
    let suites = site
        .get(&format!("/commits/{sha}/check-suites"))
        .await
        .json();
    let suite = suites["check_suites"][0]["id"].as_u64().unwrap();
    let of_suite = site
        .get(&format!("/check-suites/{suite}/check-runs"))
        .await
        .json();
    assert_eq!(of_suite["check_runs"], checks["check_runs"]);
    let status = site.get("/commits/main/status").await.json();
    assert_eq!(
        (&status["state"], &status["total_count"]),
        (&json!("failure"), &json!(2))
    );
    assert_eq!(
        site.ask("POST", &format!("/actions/runs/{id}/rerun"), json!({}))
            .await
            .status,
        201
    );
    assert_eq!(
        site.get(&format!("/actions/runs/{id}")).await.json()["run_attempt"],
        2
    );
    let dispatched = json!({"ref": "main"});
    let answer = site
        .ask(
            "POST",
            "/actions/workflows/check.yml/dispatches",
            dispatched,
        )
        .await;
    assert_eq!(answer.status, 204);
    assert_eq!(site.get("/actions/runs").await.json()["total_count"], 2);
    assert_eq!(
        site.get("/actions/workflows/other.yml/runs").await.status,
        404
    );
    // A commit over REST starts runs as well.
    let body = json!({"message": "m", "content": "MQo=", "branch": "main", "sha":
        site.get("/contents/numbers.txt").await.json()["sha"]});
    assert_eq!(
        site.ask("PUT", "/contents/numbers.txt", body).await.status,
        200
    );
    assert_eq!(
        site.get("/actions/runs").await.json()["workflow_runs"][0]["conclusion"],
        "success"
    );
}

#[tokio::test]
async fn runs_that_are_wrong_are_named() {
    for (document, problem) in [
        (
            json!({"workflow_runs": [{"id": 1}, {"name": "x"}]}),
            "runs.json:6: workflow_runs[1]: missing field `id`",
        ),
        (
            json!({"jobs": [{"id": 1, "run_id": 2, "name": "x"}]}),
            "runs.json:3: jobs[0]: its run 2 does not exist",
        ),
        (
            json!({"workflow_runs": {}}),
            "runs.json: workflow_runs: is not a list",
        ),
    ] {
        let made = World::open(|dir| {
            standard(dir);
            write(dir, "runs.json", &document);
        });
        let error = made.await.err().unwrap();
        assert_eq!(
            std::error::Error::source(&error).unwrap().to_string(),
            problem
        );
    }
}

/// A head that was forced to an unrelated history cannot be merged. That is a user error and does not end the session.
#[tokio::test]
async fn a_head_without_a_common_ancestor_has_no_run_of_its_pull_request() {
    let (world, _) = world().await;
    world
        .text("create_branch", json!({"branch": "topic"}))
        .await;
    put(&world, "topic", "1\n2\n3\n", "Add a number").await;
    let proposed = json!({"title": "More", "head": "topic", "base": "main"});
    world.text("create_pull_request", proposed).await;
    let site = Site::of(world).await;
    let file = |path: &str, text: &str| json!({"path": path, "mode": "100644", "type": "blob", "content": text});
    let files = [
        file("numbers.txt", "1\n"),
        file(".github/workflows/check.yml", WORKFLOW),
    ];
    let tree = site.ask("POST", "/git/trees", json!({"tree": files})).await;
    let commit = json!({"message": "Begin", "tree": tree.json()["sha"], "parents": []});
    let commit = site.ask("POST", "/git/commits", commit).await.json();
    let moved = json!({"sha": commit["sha"], "force": true});
    let moved = site.ask("PATCH", "/git/refs/heads/topic", moved).await;
    assert_eq!(moved.status, 200);
    let world = &site.world;
    let all = runs(world).await;
    let of_the_commit: Vec<_> = all
        .iter()
        .filter(|run| run["head_sha"] == commit["sha"])
        .map(told)
        .collect();
    assert_eq!(of_the_commit, [("push", "topic", "failure")]);
    let pull = world
        .json("get_pull_request", json!({"pullNumber": 1}))
        .await;
    assert_eq!(pull["mergeable_state"], "unknown");
    let refused = world
        .refusal("merge_pull_request", json!({"pullNumber": 1}))
        .await;
    assert!(refused.contains("no common ancestor"), "{refused}");
}
