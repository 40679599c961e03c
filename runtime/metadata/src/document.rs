//! List of the JSON documents that commands print, with their JSON Schemas.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};

use crate::{
    AbandonedAttempt, AttemptDetail, BuiltGuest, BundleContent, BundleDifferences, BundleTransfer,
    Certification, ComponentDetail, ExperimentReport, ExperimentSummary, Finding, GradeReport,
    GradedLine, ImportedWorld, KeyPair, LockUpdate, ModelComparisons, OpenAttempt, PackedBundle,
    PlanReport, PublishedCertification, PublishedTaskDetail, PublishedTaskSummary,
    ReceiptStatement, ReceiptVerification, RefusedLine, RegradeReport, Report, SignedBundle,
    StateChange, StateDetail, StoreCheck, StoreCollection, StoreRemoval, StoreStats, SuiteLock,
    TaskDetail, TaskSummary, Tool, ToolResult, VerifiedBundle, WorldSummary,
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
        document::<BundleContent>("bundle-content", &["bundle inspect BUNDLE --json"]),
        document::<BundleDifferences>("bundle-diff", &["bundle diff BEFORE AFTER --json"]),
        document::<KeyPair>("bundle-keygen", &["bundle keygen FILE --json"]),
        document::<SuiteLock>("bundle-lock", &["bundle lock BUNDLE --json"]),
        document::<PackedBundle>("bundle-pack", &["bundle pack --json"]),
        document::<SignedBundle>("bundle-sign", &["bundle sign BUNDLE --json"]),
        document::<BundleTransfer>(
            "bundle-transfer",
            &[
                "bundle push BUNDLE REFERENCE --json",
                "bundle pull REFERENCE --json",
            ],
        ),
        document::<LockUpdate>("bundle-update", &["bundle update --json"]),
        document::<VerifiedBundle>("bundle-verify", &["bundle verify BUNDLE --json"]),
        document::<Certification>("certification", &["task check --json"]),
        document::<ModelComparisons>("comparison", &["compare A B --json"]),
        document::<ComponentDetail>("component", &["inspect FILE --json"]),
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
        document::<PublishedCertification>(
            "published-certification",
            &["task check --tasks CORPUS --json"],
        ),
        document::<PublishedTaskDetail>(
            "published-task",
            &["task show TASK --tasks CORPUS --json"],
        ),
        document::<Vec<PublishedTaskSummary>>(
            "published-tasks",
            &["task list --tasks CORPUS --json"],
        ),
        document::<ReceiptStatement>("receipt", &["receipt show ATTEMPT"]),
        document::<ReceiptVerification>("receipt-verify", &["receipt verify FILE --json"]),
        document::<RegradeReport>("regrade", &["regrade EXPERIMENT --json"]),
        document::<Report>("report", &["report EXPERIMENT --format json"]),
        document::<StateDetail>("state", &["world show WORLD --json"]),
        document::<Vec<StateChange>>("state-changes", &["world diff BEFORE AFTER --json"]),
        document::<StoreCheck>("store-check", &["store check --json"]),
        document::<StoreCollection>("store-gc", &["store gc --json"]),
        document::<StoreRemoval>("store-remove", &["store remove EXPERIMENT --json"]),
        document::<StoreStats>("store-stats", &["store stats --json"]),
        document::<TaskDetail>("task", &["task show TASK --json"]),
        document::<Vec<TaskSummary>>("tasks", &["task list --json"]),
        document::<Tool>("tool", &["task try tools TOOL --json"]),
        document::<ToolResult>("tool-result", &["task try call TOOL --json"]),
        document::<Vec<Tool>>("tools", &["task try tools --json"]),
        document::<AbandonedAttempt>("try-abandoned", &["task try abandon --json"]),
        document::<OpenAttempt>("try-attempt", &["task try start TASK --json"]),
        document::<Vec<OpenAttempt>>("try-attempts", &["task try status --json"]),
        document::<ImportedWorld>("world-import", &["world import TEMPLATE --json"]),
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
