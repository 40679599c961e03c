//! Signatures of bundles: over the digest of the manifest, in the format of sigstore.
//!
//! A signature is a DSSE envelope with an in-toto statement whose subject is the manifest. The envelope is in a
//! sigstore bundle (version 0.3) that names a key and has no certificate. It is stored next to the bundle as an OCI
//! artifact that refers to it.

mod files;
mod keys;
pub mod policy;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use mcpmark_snapshot::Digest;
use serde_json::{Value, json};

pub use self::files::{KeyFileError, PolicyError, PolicyFile, read_key};
pub use self::keys::{BadKey, Kind, NoRandomness, PrivateKey, PublicKey};
use crate::BundleError;
use crate::layout::{NewLayout, Source, fetch};
use crate::oci::{self, Descriptor};

/// Media type and artifact type of signatures.
pub const SIGNATURE: &str = "application/vnd.dev.sigstore.bundle.v0.3+json";

const PAYLOAD: &str = "application/vnd.in-toto+json";
const STATEMENT: &str = "https://in-toto.io/Statement/v1";
const PREDICATE: &str = "https://sigstore.dev/cosign/sign/v1";
const EMPTY: &str = "application/vnd.oci.empty.v1+json";

/// Maximum size of a signature, in bytes.
pub(crate) const MAX_SIGNATURE_BYTES: u64 = 64 << 10;

/// Maximum number of signatures of a bundle that are read.
pub(crate) const MAX_SIGNATURES: usize = 100;

/// Returns the pre-authentication encoding (PAE) of DSSE: the bytes that are signed.
fn encoding(kind: &str, payload: &[u8]) -> Vec<u8> {
    let head = format!("DSSEv1 {} {kind} {} ", kind.len(), payload.len());
    [head.as_bytes(), payload].concat()
}

impl PrivateKey {
    /// Signs a statement. Returns a sigstore bundle as canonical JSON.
    ///
    /// # Errors
    ///
    /// Returns an error if the system provides no random numbers, which ECDSA needs for each signature.
    pub fn sign(&self, statement: &Value) -> Result<String, NoRandomness> {
        let payload = mcpmark_json::canonical(statement);
        let signature = self.sign_bytes(&encoding(PAYLOAD, payload.as_bytes()))?;
        Ok(mcpmark_json::canonical(&json!({
            "mediaType": SIGNATURE,
            "verificationMaterial": {"publicKey": {"hint": self.public().to_string()}},
            "dsseEnvelope": {
                "payload": BASE64.encode(payload),
                "payloadType": PAYLOAD,
                "signatures": [{"sig": BASE64.encode(signature)}],
            },
        })))
    }
}

/// Returns the in-toto statement that a signature of a bundle contains.
pub fn statement(digest: &Digest) -> Value {
    json!({
        "_type": STATEMENT,
        "subject": [{"name": "", "digest": {"sha256": digest.hex()}}],
        "predicateType": PREDICATE,
        "predicate": {},
    })
}

/// Parsed signature. It is not verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// Hint that identifies the key.
    pub hint: String,
    payload: Vec<u8>,
    kind: String,
    signatures: Vec<Vec<u8>>,
}

impl Signature {
    /// Parses a sigstore bundle.
    ///
    /// # Errors
    ///
    /// Returns an error if it is not a sigstore bundle, or has no envelope.
    pub fn parse(bytes: &[u8]) -> Result<Self, BundleError> {
        let what = "a signature";
        let document: Value = oci::parse(what, bytes)?;
        oci::expect(
            what,
            document["mediaType"].as_str().unwrap_or(""),
            SIGNATURE,
        )?;
        let envelope = &document["dsseEnvelope"];
        let decoded = |value: &Value| value.as_str().and_then(|text| BASE64.decode(text).ok());
        let signatures = envelope["signatures"].as_array();
        let signatures = signatures.map(|all| all.iter().filter_map(|one| decoded(&one["sig"])));
        let (Some(payload), Some(kind), Some(signatures)) = (
            decoded(&envelope["payload"]),
            envelope["payloadType"].as_str(),
            signatures,
        ) else {
            return Err(BundleError::Shape {
                what: what.to_owned(),
                reason: "the envelope is incomplete".to_owned(),
            });
        };
        let hint = &document["verificationMaterial"]["publicKey"]["hint"];
        Ok(Self {
            hint: hint.as_str().unwrap_or("").to_owned(),
            payload,
            kind: kind.to_owned(),
            signatures: signatures.take(MAX_SIGNATURES).collect(),
        })
    }

    /// Returns the bytes of the statement, which is not parsed yet, if the key signed it.
    pub fn verified(&self, key: &PublicKey) -> Option<&[u8]> {
        let signed = encoding(&self.kind, &self.payload);
        let mut signatures = self.signatures.iter();
        let good = signatures.any(|signature| key.verifies(&signed, signature));
        (good && self.kind == PAYLOAD).then_some(&self.payload)
    }

    /// Reports whether the key signed a statement with this bundle as subject.
    pub fn verifies_bundle(&self, key: &PublicKey, bundle: &Digest) -> bool {
        let statement = self.verified(key).map(mcpmark_json::from_unique::<Value>);
        // A statement with a duplicate key is ambiguous, so it is invalid.
        let Some(Ok(statement)) = statement else {
            return false;
        };
        let subjects = statement["subject"].as_array();
        statement["_type"] == STATEMENT
            && statement["predicateType"] == PREDICATE
            && subjects.is_some_and(|subjects| {
                let mut subjects = subjects.iter();
                subjects.any(|subject| subject["digest"]["sha256"] == bundle.hex())
            })
    }
}

/// Adds a signature of a bundle to a layout.
pub fn attach(layout: &mut NewLayout, bundle: &Descriptor, signature: &str) {
    let config = layout.put(EMPTY, b"{}".to_vec());
    let layer = layout.put(SIGNATURE, signature.as_bytes().to_vec());
    let manifest = mcpmark_json::canonical(&json!({
        "schemaVersion": 2,
        "mediaType": oci::MANIFEST,
        "artifactType": SIGNATURE,
        "config": config,
        "layers": [layer],
        "subject": {
            "mediaType": bundle.media_type,
            "digest": bundle.digest,
            "size": bundle.size,
        },
    }));
    let manifest = layout.put(oci::MANIFEST, manifest.into_bytes());
    layout.list(Descriptor {
        artifact_type: Some(SIGNATURE.to_owned()),
        ..manifest
    });
}

/// Signature with its manifest and blobs, as in a layout.
#[derive(Debug, Clone)]
pub struct Attached {
    /// Descriptor of the manifest.
    pub descriptor: Descriptor,
    /// The signature.
    pub signature: Signature,
    /// Descriptors of the blobs that the manifest references: config and signature.
    pub blobs: Vec<Descriptor>,
}

impl Attached {
    /// Reads the signature that a manifest references. Returns `None` if it belongs to another bundle or its kind is
    /// not supported: other attached artifacts have no effect on trust.
    ///
    /// # Errors
    ///
    /// Returns an error if a blob is missing or damaged.
    pub fn read(
        source: &dyn Source,
        descriptor: &Descriptor,
        bundle: &Digest,
    ) -> Result<Option<Self>, BundleError> {
        match Self::read_known(source, descriptor, bundle) {
            Err(error) if error.is_foreign() => Ok(None),
            read => read,
        }
    }

    fn read_known(
        source: &dyn Source,
        descriptor: &Descriptor,
        bundle: &Digest,
    ) -> Result<Option<Self>, BundleError> {
        let what = "the manifest of a signature";
        let bytes = fetch(source, what, descriptor, MAX_SIGNATURE_BYTES)?;
        let document: Value = oci::parse(what, &bytes)?;
        if document["subject"]["digest"] != bundle.to_string() {
            return Ok(None);
        }
        let manifest = oci::Manifest::parse(what, &bytes, SIGNATURE)?;
        oci::expect(
            what,
            manifest.artifact_type.as_deref().unwrap_or(""),
            SIGNATURE,
        )?;
        let [layer] = &manifest.layers[..] else {
            return Err(BundleError::Shape {
                what: what.to_owned(),
                reason: format!("expected 1 layer, found {}", manifest.layers.len()),
            });
        };
        // The config is not used, but it must be complete, because it is copied with the signature.
        fetch(
            source,
            "the config of a signature",
            &manifest.config,
            MAX_SIGNATURE_BYTES,
        )?;
        let signature =
            Signature::parse(&fetch(source, "a signature", layer, MAX_SIGNATURE_BYTES)?)?;
        Ok(Some(Self {
            descriptor: descriptor.clone(),
            signature,
            blobs: vec![manifest.config, layer.clone()],
        }))
    }
}

impl Attached {
    /// Iterates over the descriptors of all blobs of the signature, the manifest last.
    pub fn all(&self) -> impl Iterator<Item = &Descriptor> {
        self.blobs.iter().chain([&self.descriptor])
    }
}

#[cfg(test)]
mod tests;
