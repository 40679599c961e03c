//! The store of states, and the findings of `doctor`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Output of `store stats`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StoreStats {
    /// Use of the store by experiment, sorted by name.
    pub experiments: Vec<ExperimentUsage>,
    /// Blobs that several experiments need.
    pub shared: BlobAmount,
    /// Blobs that no attempt needs.
    pub unneeded: BlobAmount,
    /// All blobs.
    pub total: BlobAmount,
    /// Size of the worlds that are laid out for attempts, in bytes.
    pub bases_bytes: u64,
    /// Size of the journal, in bytes.
    pub journal_bytes: u64,
    /// Unpacked bundles.
    pub libraries: LibraryUsage,
}

/// Use of the store by one experiment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExperimentUsage {
    /// Name of the experiment.
    pub experiment: String,
    /// Number of attempts, including repeated tries.
    pub attempts: usize,
    /// All blobs that the experiment needs.
    pub needs: BlobAmount,
    /// Blobs that no other experiment needs.
    pub own: BlobAmount,
}

/// Number and total size of blobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BlobAmount {
    /// Number of blobs.
    pub blobs: u64,
    /// Total size in bytes.
    pub bytes: u64,
}

/// Unpacked bundles by need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LibraryUsage {
    /// Unpacked bundles of experiments.
    pub needed: LibraryAmount,
    /// Unpacked bundles that no experiment needs.
    pub unneeded: LibraryAmount,
}

/// Number and total size of unpacked bundles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LibraryAmount {
    /// Number of unpacked bundles.
    pub libraries: u64,
    /// Total size in bytes.
    pub bytes: u64,
}

/// Output of `store remove`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StoreRemoval {
    /// Removed experiments, or those that a dry run would remove.
    pub removed: Vec<RemovedExperiment>,
    /// True if nothing was removed because of `--dry-run`.
    pub dry_run: bool,
}

/// Experiment that was removed from the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RemovedExperiment {
    /// Name of the experiment.
    pub experiment: String,
    /// Number of its attempts.
    pub attempts: u32,
}

/// Output of `store gc`: what was removed, or what a dry run would remove.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StoreCollection {
    /// Number of blobs.
    pub blobs: u64,
    /// Total size of the blobs in bytes.
    pub bytes: u64,
    /// Number of worlds that were laid out for attempts.
    pub bases: u64,
    /// Number of bytes by which the journal became smaller; 0 in a dry run.
    pub journal_bytes: u64,
    /// Unpacked bundles.
    pub libraries: LibraryAmount,
    /// Unpacked bundles that are kept because they are in use.
    pub libraries_in_use: LibraryAmount,
    /// True if nothing was removed because of `--dry-run`.
    pub dry_run: bool,
}

/// Output of `store check`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StoreCheck {
    /// Number and size of the blobs that were read.
    pub read: BlobAmount,
    /// Faulty blobs that attempts need.
    pub faults: Vec<BlobFault>,
    /// Digests of damaged blobs that no attempt needs.
    pub unneeded_damaged: Vec<String>,
    /// Rows of the journal that are damaged or contradict others.
    pub rows: Vec<RowFault>,
    /// Blobs that were restored, by source; empty without `--repair`.
    pub repaired: Vec<RepairedBlobs>,
}

/// Faulty blob that an attempt needs. It is missing if neither flag is set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BlobFault {
    /// Digest of the blob.
    pub digest: String,
    /// True if the blob exists and its bytes do not match its digest.
    pub damaged: bool,
    /// True if the bytes match the digest, but are not the directory or document that is needed.
    pub unfit: bool,
    /// Ids of the attempts that need the blob, at most 10.
    pub attempts: Vec<String>,
}

/// Faulty row of the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RowFault {
    /// Table and key of the row.
    pub row: String,
    /// Problem of the row.
    pub problem: String,
}

/// Blobs that one source restored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RepairedBlobs {
    /// Bundle or exported experiment, as given to `--repair`.
    pub from: String,
    /// Digests of the blobs.
    pub blobs: Vec<String>,
}

/// Finding in the output of `doctor`, an array.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// Subject of the check: a program, a service, a location or a setting.
    pub what: String,
    /// Result of the check.
    pub state: FindingState,
    /// Version, location or value; or a description of the problem.
    pub detail: String,
}

/// Result of a check of `doctor`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FindingState {
    /// Available and working.
    Ok,
    /// Available with a restriction, which the detail describes.
    Limited,
    /// Not available, but not required.
    Absent,
    /// Broken, so that something cannot work.
    Broken,
}
