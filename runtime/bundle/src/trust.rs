//! Who vouches for a bundle: signatures over the digest of its manifest, in the form of sigstore.
//!
//! A signature is a DSSE envelope around an in-toto statement whose subject is the manifest, within a
//! sigstore bundle (version 0.3) that names a key and no certificate. It lies beside the bundle as an
//! OCI artifact that refers to it.

mod keys;
pub mod policy;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use mcpmark_snapshot::Digest;
use serde_json::{Value, json};

pub use self::keys::{BadKey, Kind, NoRandomness, PrivateKey, PublicKey};
use crate::BundleError;
use crate::layout::{NewLayout, Source, fetch};
use crate::oci::{self, Descriptor};

/// The type of signatures.
pub const SIGNATURE: &str = "application/vnd.dev.sigstore.bundle.v0.3+json";

const PAYLOAD: &str = "application/vnd.in-toto+json";
const STATEMENT: &str = "https://in-toto.io/Statement/v1";
const PREDICATE: &str = "https://sigstore.dev/cosign/sign/v1";
const EMPTY: &str = "application/vnd.oci.empty.v1+json";

/// The most bytes of a signature.
pub(crate) const LARGEST: u64 = 64 << 10;

/// The most signatures of a bundle that are read.
pub(crate) const MOST: usize = 100;

/// What is signed of a DSSE envelope.
fn encoding(kind: &str, payload: &[u8]) -> Vec<u8> {
    let head = format!("DSSEv1 {} {kind} {} ", kind.len(), payload.len());
    [head.as_bytes(), payload].concat()
}

impl PrivateKey {
    /// Signs a statement: a sigstore bundle in canonical JSON.
    ///
    /// # Errors
    ///
    /// When the system gives no random numbers, of which some kinds need one for each signature.
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

/// What is said of a bundle by whoever signs it.
pub fn statement(digest: &Digest) -> Value {
    json!({
        "_type": STATEMENT,
        "subject": [{"name": "", "digest": {"sha256": digest.hex()}}],
        "predicateType": PREDICATE,
        "predicate": {},
    })
}

/// A signature that was read, and is worth nothing before a key vouches for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// By which it names its key.
    pub hint: String,
    payload: Vec<u8>,
    kind: String,
    signatures: Vec<Vec<u8>>,
}

impl Signature {
    /// Reads a sigstore bundle.
    ///
    /// # Errors
    ///
    /// When it is none, or one without an envelope.
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
                reason: "it has no whole envelope".to_owned(),
            });
        };
        let hint = &document["verificationMaterial"]["publicKey"]["hint"];
        Ok(Self {
            hint: hint.as_str().unwrap_or("").to_owned(),
            payload,
            kind: kind.to_owned(),
            signatures: signatures.take(MOST).collect(),
        })
    }

    /// The statement, as bytes that nobody has read yet, if the key signed it.
    pub fn verified(&self, key: &PublicKey) -> Option<&[u8]> {
        let signed = encoding(&self.kind, &self.payload);
        let mut signatures = self.signatures.iter();
        let good = signatures.any(|signature| key.verifies(&signed, signature));
        (good && self.kind == PAYLOAD).then_some(&self.payload)
    }

    /// Whether the key signed that this is the bundle.
    pub fn vouches(&self, key: &PublicKey, bundle: &Digest) -> bool {
        let statement = self.verified(key).map(mcpmark_json::from_unique::<Value>);
        // One that says two things under one key says neither.
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

/// Adds a signature to the layout of the bundle that it is of.
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

/// A signature's manifest with the blobs that it names, as they are in a layout.
#[derive(Debug, Clone)]
pub struct Attached {
    /// Its manifest.
    pub descriptor: Descriptor,
    /// The signature.
    pub signature: Signature,
    /// The blobs that the manifest names, by what they are.
    pub blobs: Vec<Descriptor>,
}

impl Attached {
    /// Reads the signature that a manifest names, if it is one of the bundle, and of a kind that is known
    /// here: whatever else people attach to a bundle, it neither speaks for it nor against it.
    ///
    /// # Errors
    ///
    /// When something is missing or damaged.
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
        let bytes = fetch(source, what, descriptor, LARGEST)?;
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
                reason: "it does not have one layer".to_owned(),
            });
        };
        // It says nothing, but goes wherever the signature does.
        fetch(
            source,
            "the config of a signature",
            &manifest.config,
            LARGEST,
        )?;
        let signature = Signature::parse(&fetch(source, "a signature", layer, LARGEST)?)?;
        Ok(Some(Self {
            descriptor: descriptor.clone(),
            signature,
            blobs: vec![manifest.config, layer.clone()],
        }))
    }
}

impl Attached {
    /// All that it takes to have it elsewhere, the manifest last.
    pub fn all(&self) -> impl Iterator<Item = &Descriptor> {
        self.blobs.iter().chain([&self.descriptor])
    }
}

#[cfg(test)]
mod tests;
