//! Bundles: packing, transfer, signing and verification.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
