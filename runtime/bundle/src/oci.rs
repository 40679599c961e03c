//! The documents of the OCI image specification that bundles are made of.

use std::collections::BTreeMap;

use mcpmark_snapshot::Digest;
use serde::{Deserialize, Serialize};

use crate::BundleError;

/// The media type of a manifest.
pub const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
/// The media type of an index.
pub const INDEX: &str = "application/vnd.oci.image.index.v1+json";

/// The most bytes of a manifest or an index.
pub const LARGEST_MANIFEST: u64 = 4 << 20;

/// Names a blob.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Descriptor {
    /// What it is.
    pub media_type: String,
    /// Its digest.
    pub digest: Digest,
    /// Its bytes.
    pub size: u64,
    /// What the manifest that it names is of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_type: Option<String>,
    /// Remarks.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
}

impl Descriptor {
    /// Names bytes.
    pub fn of(media_type: &str, bytes: &[u8]) -> Self {
        Self {
            media_type: media_type.to_owned(),
            digest: Digest::of(bytes),
            size: bytes.len() as u64,
            artifact_type: None,
            annotations: BTreeMap::new(),
        }
    }

    /// The same with a remark.
    pub fn annotated(mut self, key: &str, value: &str) -> Self {
        self.annotations.insert(key.to_owned(), value.to_owned());
        self
    }

    /// The file that it is meant as.
    pub fn title(&self) -> Option<&str> {
        self.annotations.get(TITLE).map(String::as_str)
    }
}

/// The remark that names a layer's file.
pub const TITLE: &str = "org.opencontainers.image.title";
/// The remark that names a manifest within a layout.
pub const REF_NAME: &str = "org.opencontainers.image.ref.name";
/// The remark with a licence.
pub const LICENCES: &str = "org.opencontainers.image.licenses";

/// An artifact: a config and layers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// 2.
    pub schema_version: u32,
    /// [`MANIFEST`].
    pub media_type: String,
    /// What it is an artifact of.
    #[serde(default)]
    pub artifact_type: Option<String>,
    /// Describes it.
    pub config: Descriptor,
    /// Its files.
    pub layers: Vec<Descriptor>,
    /// Remarks.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
}

/// A list of manifests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Index {
    /// 2.
    pub schema_version: u32,
    /// [`INDEX`]; the index of a layout may leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// What it is an artifact of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_type: Option<String>,
    /// Those that it lists.
    pub manifests: Vec<Descriptor>,
    /// Remarks.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
}

/// Reads a document. One digest vouches for all of it, so it must not say two things under one key.
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
    /// Reads a manifest of an artifact of one type. Where a program that copied it left the type out, it is
    /// that of the config, as the specification has it; whoever reads that holds it to its own type.
    ///
    /// # Errors
    ///
    /// When the bytes are something else.
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
    /// Reads an index of artifacts of one type, which a program that copied it may have left out.
    ///
    /// # Errors
    ///
    /// When the bytes are something else.
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
            reason: format!("schemaVersion is {found}, and 2 is read here"),
        }),
    }
}
