//! Runs in final states and in the documents of a world.

use serde_json::{Value, json};

use super::{put, runs, world};
use crate::support::{World, standard, write};

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
