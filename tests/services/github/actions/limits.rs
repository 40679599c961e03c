//! Limits of the workflows of one call.

use std::time::Duration;

use mcpmark_github::ci::MAX_RUNS_OF_A_CALL;
use serde_json::{Value, json};

use super::{WORKFLOW, add_workflows, conclusions, put, world};
use crate::support::World;

/// Returns the log of the failed job of the latest run of a workflow.
async fn log_of_failure(world: &World, workflow: &str) -> String {
    let asked = json!({"workflow_id": workflow});
    let list = world.json("list_workflow_runs", asked).await;
    let id = list["workflow_runs"][0]["id"].clone();
    let asked = json!({"run_id": id, "failed_only": true, "return_content": true});
    let logs = world.json("get_job_logs", asked).await;
    logs["logs"][0]["logs_content"].as_str().unwrap().to_owned()
}

/// The texts are part of the final state, so they must not change.
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
    let exceeding = log_of_failure(&world, "more-002.yml").await;
    let text = "the workflow cannot be run on this commit: the workflows that one call sets off use more than \
                10000000000 units of fuel together (fixed)\n";
    assert!(exceeding.contains(text), "{exceeding}");
    let without = log_of_failure(&world, "more-003.yml").await;
    let text = "the workflow cannot be run on this commit: the workflows that one call sets off share 10000000000 \
                units of fuel, and those before this one used them\n";
    assert!(without.contains(text), "{without}");
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
    let most = usize::try_from(MAX_RUNS_OF_A_CALL).unwrap();
    add_workflows(&world, most + 20, "1\n", "Many").await;
    assert_eq!(checker.heard.lock().unwrap().len(), most);
    world.session.capture().await.unwrap();
}

#[tokio::test]
async fn a_cancelled_call_starts_no_further_workflow() {
    let (world, checker) = world().await;
    let most = usize::try_from(MAX_RUNS_OF_A_CALL).unwrap();
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
