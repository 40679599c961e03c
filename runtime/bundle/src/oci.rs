//! Documents of the OCI image specification: descriptors, manifests and indexes.
//!
//! The types are our own although the crate `oci-spec` has them. A [`Descriptor`] has a SHA-256 digest, so that every
//! blob that a parsed document names can be verified, while the crate accepts digests of any algorithm. Its descriptors
//! also keep `urls` and `data`, which offer content from elsewhere. For three structs, it would add 17 crates, most of
//! which only generate accessors and builders.

use std::collections::BTreeMap;

use mcpmark_snapshot::Digest;
use serde::{Deserialize, Serialize};

use crate::BundleError;

/// Media type of a manifest.
pub const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
/// Media type of an index.
pub const INDEX: &str = "application/vnd.oci.image.index.v1+json";

/// Maximum size of a manifest or index, in bytes.
pub const MAX_MANIFEST: u64 = 4 << 20;

/// Descriptor: a reference to a blob.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Descriptor {
    /// Media type of the blob.
    pub media_type: String,
    /// Digest of the blob.
    pub digest: Digest,
    /// Size of the blob, in bytes.
    pub size: u64,
    /// Artifact type of a referenced manifest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_type: Option<String>,
    /// Annotations.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
}

impl Descriptor {
    /// Creates the descriptor of a blob.
    pub fn of(media_type: &str, bytes: &[u8]) -> Self {
        Self {
            media_type: media_type.to_owned(),
            digest: Digest::of(bytes),
            size: bytes.len() as u64,
            artifact_type: None,
            annotations: BTreeMap::new(),
        }
    }

    /// Adds an annotation.
    pub fn annotated(mut self, key: &str, value: &str) -> Self {
        self.annotations.insert(key.to_owned(), value.to_owned());
        self
    }

    /// Returns the file name of a layer.
    pub fn title(&self) -> Option<&str> {
        self.annotations.get(TITLE).map(String::as_str)
    }
}

/// Annotation with the file name of a layer.
pub const TITLE: &str = "org.opencontainers.image.title";
/// Annotation with the name of a manifest within a layout.
pub const REF_NAME: &str = "org.opencontainers.image.ref.name";
/// Annotation with a licence.
pub const LICENCES: &str = "org.opencontainers.image.licenses";

/// Manifest of an artifact: a config and layers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// Version of the schema: 2.
    pub schema_version: u32,
    /// Media type: [`MANIFEST`].
    pub media_type: String,
    /// Artifact type.
    #[serde(default)]
    pub artifact_type: Option<String>,
    /// Descriptor of the config.
    pub config: Descriptor,
    /// Descriptors of the layers.
    pub layers: Vec<Descriptor>,
    /// Annotations.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
}

/// Index: a list of manifests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Index {
    /// Version of the schema: 2.
    pub schema_version: u32,
    /// Media type: [`INDEX`]; the index of a layout may omit it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// Artifact type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_type: Option<String>,
    /// Descriptors of the manifests.
    pub manifests: Vec<Descriptor>,
    /// Annotations.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
}

/// Parses a JSON document. Refuses duplicate keys, because readers could interpret them differently although the digest
/// is the same.
pub(crate) fn parse<T: for<'a> Deserialize<'a>>(
    what: &str,
    bytes: &[u8],
) -> Result<T, BundleError> {
    mcpmark_json::from_unique(bytes).map_err(|error| BundleError::Shape {
        what: what.to_owned(),
        reason: error.to_string(),
    })
}

impl Manifest {
    /// Parses a manifest of an artifact of the type `artifact`. If a program that copied it omitted the type, the
    /// specification defines it as the media type of the config, which the caller must check.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes are not such a manifest.
    pub fn parse(what: &str, bytes: &[u8], artifact: &'static str) -> Result<Self, BundleError> {
        let manifest: Self = parse(what, bytes)?;
        expect(what, &manifest.media_type, MANIFEST)?;
        version(what, manifest.schema_version)?;
        if let Some(found) = &manifest.artifact_type {
            expect(what, found, artifact)?;
        }
        Ok(manifest)
    }
}

impl Index {
    /// Parses an index of artifacts of the type `artifact`. A program that copied it may have omitted the type.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes are not such an index.
    pub fn parse(what: &str, bytes: &[u8], artifact: &'static str) -> Result<Self, BundleError> {
        let index: Self = parse(what, bytes)?;
        expect(what, index.media_type.as_deref().unwrap_or(""), INDEX)?;
        version(what, index.schema_version)?;
        if let Some(found) = &index.artifact_type {
            expect(what, found, artifact)?;
        }
        Ok(index)
    }
}

pub(crate) fn expect(what: &str, found: &str, wanted: &'static str) -> Result<(), BundleError> {
    if found == wanted {
        Ok(())
    } else {
        Err(BundleError::Foreign {
            what: what.to_owned(),
            found: found.to_owned(),
            wanted,
        })
    }
}

pub(crate) fn version(what: &str, found: u32) -> Result<(), BundleError> {
    match found {
        2 => Ok(()),
        _ => Err(BundleError::Shape {
            what: what.to_owned(),
            reason: format!("expected schemaVersion 2, found {found}"),
        }),
    }
}
