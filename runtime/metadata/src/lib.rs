//! Types of the JSON output and the exit codes of the `mcpmark` command.
//!
//! A command with `--json` prints one document whose form is a type of this crate. [`documents`] lists the documents
//! with their commands and JSON Schemas; the schemas are also in `docs/schemas`. Programs that call `mcpmark` can
//! depend on this crate alone: it contains plain data and depends on no other crate of the workspace.
//!
//! A type changes only by new keys and new values of enumerations, so that a program must use the crate of the same
//! version as the command. A key whose value is unknown is null; the few keys that are absent instead say so.
//!
//! ```
//! use mcpmark_metadata::{ExitCode, GradeReport};
//!
//! # fn main() -> Result<(), serde_json::Error> {
//! let printed = r#"{
//!     "outcome": "graded", "passed": true, "score": 1.0, "score_rule": "earned",
//!     "checks": [{"name": "total", "passed": true, "detail": "expected 12, found 12"}],
//!     "fault": null, "state": "sha256:01", "verifier": "sha256:02"
//! }"#;
//! let report: GradeReport = serde_json::from_str(printed)?;
//! assert_eq!(report.passed, Some(true));
//! assert_eq!(ExitCode::from_number(0), Some(ExitCode::Passed));
//! # Ok(())
//! # }
//! ```

mod attempt;
mod bundle;
mod certification;
mod component;
mod document;
mod exit;
mod experiment;
mod grade;
mod receipt;
mod regrade;
mod report;
mod state;
mod store;
mod task;
mod trial;

pub use crate::attempt::{
    AttemptDetail, CheckExplanation, DifferenceKind, Failure, FailureClass, FailureEvidence,
    Message, ModelRequest, StateDifference, ToolCall, TurnUsage,
};
pub use crate::bundle::{
    BundleContent, BundleDifferences, BundleLayer, BundleTransfer, BundledCertificate,
    BundledGuest, BundledTask, BundledWorld, CertificateSummary, Change, ChangedGuest, ChangedTask,
    KeyPair, LockUpdate, LockedTask, LockedWorld, PackedBundle, SignedBundle, SuiteLock,
    TransferCounts, VerifiedBundle,
};
pub use crate::certification::{
    Certification, CertifiedTask, Condition, ExaminedPublishedTask, MutantResults,
    PublishedCertification, Skeleton, Survivor,
};
pub use crate::component::{ComponentDetail, ComponentExport, ComponentImport, GuestLimits};
pub use crate::document::{Document, documents};
pub use crate::exit::ExitCode;
pub use crate::experiment::{
    AttemptCounts, AttemptEstimate, AttemptReport, CostEstimate, ExperimentReport, ExperimentState,
    ExperimentSummary, ModelEstimate, PlanReport, Usage,
};
pub use crate::grade::{
    Check, FaultReport, GradeReport, GradedLine, RefusedLine, RequestError, ScoreRule, ScriptOutput,
};
pub use crate::receipt::{
    NamedDigest, ReceiptDetail, ReceiptEngine, ReceiptPredicate, ReceiptServer, ReceiptStart,
    ReceiptStatement, ReceiptTaskDigest, ReceiptVerification,
};
pub use crate::regrade::{
    ChangedCheck, ChangedServer, NotRegraded, RegradeCounts, RegradeNumbers, RegradeReport,
    RegradeSide, RegradedAttempt, RegradedModel,
};
pub use crate::report::{
    CertificateStatus, ClusteredMean, ComparedModel, ComparedPair, Flip, GradedCounts,
    GroupResults, Interval, IntervalMethod, KnownMean, ModelComparisons, ModelPair,
    PairedComparison, PassEstimate, PointSummary, PublishedModel, PublishedResults,
    PublishedService, RateBounds, Rates, Report, ReportedAttempt, ReportedExperiment,
    ReportedModel, ReportedTask, ResourceUse, Results, RunRates, SettingDifference,
    SignificanceTest, Spending, TaskAttempts, ToolUse, TurnBar,
};
pub use crate::state::{
    ChangeKind, ImportedWorld, SkippedEntry, StateChange, StateDetail, StateEntry, StateNode,
    WorldStart, WorldSummary,
};
pub use crate::store::{
    BlobAmount, BlobFault, ExperimentUsage, Finding, FindingState, LibraryAmount, LibraryUsage,
    RemovedExperiment, RepairedBlobs, RowFault, StoreCheck, StoreCollection, StoreRemoval,
    StoreStats,
};
pub use crate::task::{
    BuiltGuest, CertificatePoint, MutantCounts, PointStatus, PublishedTaskDetail,
    PublishedTaskSummary, TaskCertificate, TaskDetail, TaskSummary,
};
pub use crate::trial::{AbandonedAttempt, OpenAttempt, Tool, ToolResult};
