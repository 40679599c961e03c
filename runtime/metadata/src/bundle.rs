//! Bundles: packing, transfer, signing, verification, comparison and locks.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Output of `bundle pack`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PackedBundle {
    /// Digest of the bundle.
    pub digest: String,
    /// Number of tasks.
    pub tasks: usize,
    /// Number of worlds.
    pub worlds: usize,
    /// Size of all blobs in bytes.
    pub bytes: u64,
    /// Size of the worlds in bytes.
    pub world_bytes: u64,
}

/// Output of `bundle push` and `bundle pull`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BundleTransfer {
    /// Digest of the bundle.
    pub digest: String,
    /// Statistics of the transfer.
    pub transferred: TransferCounts,
}

/// Statistics of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TransferCounts {
    /// Number of transferred blobs.
    pub blobs: u64,
    /// Number of transferred bytes.
    pub bytes: u64,
    /// Number of blobs that existed at the destination.
    pub present: u64,
}

/// Output of `bundle sign`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SignedBundle {
    /// Digest of the bundle.
    pub digest: String,
    /// Fingerprint of the public key.
    pub key: String,
}

/// Output of `bundle keygen`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KeyPair {
    /// Fingerprint of the public key.
    pub key: String,
    /// File of the private key.
    pub private: String,
    /// File of the public key.
    pub public: String,
}

/// Output of `bundle verify`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VerifiedBundle {
    /// Digest of the bundle.
    pub digest: String,
    /// Number of tasks.
    pub tasks: usize,
    /// Number of worlds.
    pub worlds: usize,
    /// Number of blobs.
    pub blobs: usize,
    /// Size of all blobs in bytes.
    pub bytes: u64,
    /// Files of the public keys whose signatures were verified.
    pub signed_by: Vec<String>,
    /// Digests of blobs of the layout that nothing references. No signature covers them.
    pub unnamed: Vec<String>,
    /// Digests of further blobs that were not read, because together they are too large.
    pub unread: Vec<String>,
}

/// Output of `bundle inspect`: the content of a bundle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BundleContent {
    /// Digest of the bundle.
    pub digest: String,
    /// Name of the suite; null if it has none.
    pub name: Option<String>,
    /// Tasks, in the order of the suite.
    pub tasks: Vec<BundledTask>,
    /// Worlds, each of them once.
    pub worlds: Vec<BundledWorld>,
    /// Size of all blobs in bytes.
    pub bytes: u64,
    /// Fingerprints of the keys of the signatures, as the signatures state them. They are not verified.
    pub signatures: Vec<String>,
    /// Statistics of the transfer; null if nothing was fetched.
    pub transferred: Option<TransferCounts>,
}

/// Task of a bundle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BundledTask {
    /// Id of the task: `<service>/<world>/<task>`.
    pub id: String,
    /// Digest of the manifest of the task.
    pub manifest: String,
    /// Task digest, which receipts contain.
    #[serde(rename = "bundle")]
    pub task_digest: String,
    /// Content of `meta.json`.
    pub meta: Map<String, Value>,
    /// World of the task, as the task digest contains it.
    pub world: Map<String, Value>,
    /// Guests of the task.
    pub guests: Vec<BundledGuest>,
    /// Description of the certificate; null if the bundle has none.
    pub certificate: Option<BundledCertificate>,
    /// Files of the task.
    pub layers: Vec<BundleLayer>,
}

/// World of a bundle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BundledWorld {
    /// Id of the world: `<service>/<world>`.
    pub id: String,
    /// Digest of the manifest of the world.
    pub manifest: String,
    /// Title.
    pub title: String,
    /// Description; null if there is none.
    pub description: Option<String>,
    /// Licence, as an SPDX expression.
    pub license: String,
    /// Virtual time at the start, in RFC 3339.
    pub clock: String,
    /// Seed from which the world was built.
    pub seed: u64,
    /// Digest of the starting state.
    pub snapshot: String,
    /// Size of the compressed state in bytes.
    pub bytes: u64,
    /// Size of the state after decompression in bytes.
    pub unpacked_bytes: u64,
    /// Guests of the world: a key for each role, such as `ci`, with a guest or null.
    #[serde(flatten)]
    pub guests: BTreeMap<String, Option<BundledGuest>>,
}

/// Guest of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BundledGuest {
    /// Role, such as `verifier` or `solution`.
    pub role: String,
    /// Digest of the component, or of the tree with a script and the files next to it.
    pub digest: String,
    /// Size of the component, or of the uncompressed layer with a script, in bytes.
    pub bytes: u64,
    /// True if the bundle omits the guest.
    pub held_back: bool,
    /// Names of the imported interfaces.
    pub imports: Vec<String>,
    /// Description of the capabilities that the imports provide.
    pub can: String,
}

/// Description of the certificate of a bundled task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BundledCertificate {
    /// Certificate.
    #[serde(flatten)]
    pub certificate: CertificateSummary,
    /// True if the certificate was made for this task, world and verifier.
    pub fits: bool,
}

/// Summary of a certificate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CertificateSummary {
    /// Id of the certified task.
    pub task: String,
    /// Digest of the certified starting state.
    pub world: String,
    /// Digest of the certified verifier.
    pub verifier: String,
    /// Number of conditions that hold.
    pub checks: u64,
    /// Number of mutants.
    pub mutants: u64,
    /// Number of mutants that the verifier rejected.
    pub rejected: u64,
}

/// File of a bundled task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BundleLayer {
    /// Name of the file.
    pub file: String,
    /// Digest of the blob.
    pub digest: String,
    /// Size of the blob in bytes.
    pub bytes: u64,
}

/// Output of `bundle diff`: the differences between two bundles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BundleDifferences {
    /// Digest of the first bundle.
    pub before: String,
    /// Digest of the second bundle.
    pub after: String,
    /// True if the digests are equal.
    pub same: bool,
    /// Ids of the tasks that only the second bundle has.
    pub added: Vec<String>,
    /// Ids of the tasks that only the first bundle has.
    pub removed: Vec<String>,
    /// Imports of guests that no guest of the first bundle has.
    pub gained: Vec<String>,
    /// Imports of guests that no guest of the second bundle has.
    pub lost: Vec<String>,
    /// Tasks that both bundles have and whose manifests differ.
    pub changed: Vec<ChangedTask>,
}

/// Task that differs between two bundles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChangedTask {
    /// Id of the task.
    pub task: String,
    /// Unified diff of the instruction; null if it is the same.
    pub instruction: Option<String>,
    /// Guests that differ.
    pub guests: Vec<ChangedGuest>,
    /// Keys of `meta.json` whose values differ. A value is null on the side that lacks the key.
    pub meta: BTreeMap<String, Change<Value>>,
    /// Digests of the starting states; null if they are equal.
    pub world: Option<Change<String>>,
    /// Certificates; null if they are equal.
    pub certificate: Option<Change<Option<CertificateSummary>>>,
}

/// Guest that differs between two bundles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangedGuest {
    /// Role of the guest.
    pub role: String,
    /// Digest in the first bundle; null if it lacks the guest.
    pub before: Option<String>,
    /// Digest in the second bundle; null if it lacks the guest.
    pub after: Option<String>,
    /// New value of `held_back`; null if it did not change.
    pub held_back: Option<bool>,
    /// Imports that only the second guest has.
    pub gained: Vec<String>,
    /// Imports that only the first guest has.
    pub lost: Vec<String>,
}

/// Old and new value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Change<T> {
    /// Old value.
    pub before: T,
    /// New value.
    pub after: T,
}

/// Output of `bundle lock`: the lock of a suite, which is also the content of the lock file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SuiteLock {
    /// Version of the document.
    pub schema: u32,
    /// Source of the suite: a reference, or a path relative to the directory of the lock file.
    pub source: String,
    /// Digest of the suite.
    pub digest: String,
    /// Engine profile at the time of locking.
    pub engine: String,
    /// Tasks by id.
    pub tasks: BTreeMap<String, LockedTask>,
    /// Worlds by id.
    pub worlds: BTreeMap<String, LockedWorld>,
    /// Digests of the tool surfaces, by world and profile.
    pub surfaces: BTreeMap<String, String>,
}

/// Task of a lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LockedTask {
    /// Digest of the manifest.
    pub manifest: String,
    /// Task digest, which receipts contain.
    #[serde(rename = "bundle")]
    pub task_digest: String,
}

/// World of a lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LockedWorld {
    /// Digest of the manifest.
    pub manifest: String,
    /// Digest of the starting state.
    pub snapshot: String,
}

/// Output of `bundle update`: the changes of a locked suite.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LockUpdate {
    /// Path of the lock file.
    pub lock: String,
    /// Digest of the locked suite.
    pub before: String,
    /// Digest of the current suite.
    pub after: String,
    /// Differences between the bundles; null if the locked bundle is no longer in the cache, so that only digests can
    /// be compared.
    pub changes: Option<BundleDifferences>,
    /// Digests of the manifests of tasks that differ, by id. A digest is null on the side that lacks the task.
    pub tasks: BTreeMap<String, Change<Option<String>>>,
    /// Engine profiles; null if they are equal.
    pub engine: Option<Change<String>>,
    /// Digests of tool surfaces that differ, by world and profile. A digest is null on the side that lacks the surface.
    pub surfaces: BTreeMap<String, Change<Option<String>>>,
    /// True if the lock file now locks the current suite.
    pub accepted: bool,
}
