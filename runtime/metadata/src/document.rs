//! List of the JSON documents that commands print, with their JSON Schemas.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};

use crate::{
    AttemptDetail, BuiltGuest, BundleTransfer, ExperimentReport, ExperimentSummary, Finding,
    GradeReport, GradedLine, KeyPair, PackedBundle, PlanReport, PublishedTaskDetail,
    PublishedTaskSummary, ReceiptVerification, RefusedLine, RegradeReport, SignedBundle,
    StateChange, StateDetail, StoreCheck, StoreCollection, StoreRemoval, StoreStats, TaskDetail,
    TaskSummary, VerifiedBundle, WorldSummary,
};

/// JSON document that commands print.
#[derive(Debug, Clone)]
pub struct Document {
    /// Name of the document, which is also the file name of its schema without `.json`.
    pub name: &'static str,
    /// Commands that print the document.
    pub commands: &'static [&'static str],
    /// JSON Schema (draft 2020-12).
    pub schema: Schema,
}

/// Returns all documents, sorted by name.
pub fn documents() -> Vec<Document> {
    vec![
        document::<AttemptDetail>("attempt", &["show ATTEMPT --json"]),
        document::<KeyPair>("bundle-keygen", &["bundle keygen FILE --json"]),
        document::<PackedBundle>("bundle-pack", &["bundle pack --json"]),
        document::<SignedBundle>("bundle-sign", &["bundle sign BUNDLE --json"]),
        document::<BundleTransfer>(
            "bundle-transfer",
            &[
                "bundle push BUNDLE REFERENCE --json",
                "bundle pull REFERENCE --json",
            ],
        ),
        document::<VerifiedBundle>("bundle-verify", &["bundle verify BUNDLE --json"]),
        document::<Vec<Finding>>("doctor", &["doctor --json"]),
        document::<ExperimentReport>(
            "experiment",
            &[
                "run --json",
                "resume --json",
                "runs EXPERIMENT --json",
                "task try finish --json",
            ],
        ),
        document::<Vec<ExperimentSummary>>("experiments", &["runs --json"]),
        document::<GradeReport>("grade", &["grade --json"]),
        document::<GradedLine>("grade-line", &["grade --batch FILE"]),
        document::<RefusedLine>("grade-line-error", &["grade --batch FILE"]),
        document::<Vec<BuiltGuest>>("guests", &["task build --json"]),
        document::<PlanReport>("plan", &["run --dry-run --json"]),
        document::<PublishedTaskDetail>(
            "published-task",
            &["task show TASK --tasks CORPUS --json"],
        ),
        document::<Vec<PublishedTaskSummary>>(
            "published-tasks",
            &["task list --tasks CORPUS --json"],
        ),
        document::<ReceiptVerification>("receipt-verify", &["receipt verify FILE --json"]),
        document::<RegradeReport>("regrade", &["regrade EXPERIMENT --json"]),
        document::<StateDetail>("state", &["world show WORLD --json"]),
        document::<Vec<StateChange>>("state-changes", &["world diff BEFORE AFTER --json"]),
        document::<StoreCheck>("store-check", &["store check --json"]),
        document::<StoreCollection>("store-gc", &["store gc --json"]),
        document::<StoreRemoval>("store-remove", &["store remove EXPERIMENT --json"]),
        document::<StoreStats>("store-stats", &["store stats --json"]),
        document::<TaskDetail>("task", &["task show TASK --json"]),
        document::<Vec<TaskSummary>>("tasks", &["task list --json"]),
        document::<Vec<WorldSummary>>("worlds", &["world list --json"]),
    ]
}

fn document<T: JsonSchema>(name: &'static str, commands: &'static [&'static str]) -> Document {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    Document {
        name,
        commands,
        schema: settings.into_generator().into_root_schema_for::<T>(),
    }
}
