//! Keys in PEM files, compatible with `openssl`: Ed25519, and ECDSA over P-256, which cosign uses.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use mcpmark_snapshot::Digest;
use ring::rand::{SecureRandom, SystemRandom};
use ring::signature::{
    ECDSA_P256_SHA256_ASN1, ECDSA_P256_SHA256_ASN1_SIGNING, ED25519, EcdsaKeyPair, Ed25519KeyPair,
    KeyPair as _, UnparsedPublicKey,
};

/// DER prefix of an Ed25519 public key (SubjectPublicKeyInfo).
const PUBLIC_ED25519: [u8; 12] = [48, 42, 48, 5, 6, 3, 43, 101, 112, 3, 33, 0];
/// DER prefix of the seed of an Ed25519 private key (PKCS #8).
const PRIVATE_ED25519: [u8; 16] = [48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32];
/// DER prefix of a P-256 public key (SubjectPublicKeyInfo) before its uncompressed point.
const PUBLIC_P256: [u8; 26] = [
    48, 89, 48, 19, 6, 7, 42, 134, 72, 206, 61, 2, 1, 6, 8, 42, 134, 72, 206, 61, 3, 1, 7, 3, 66, 0,
];

const PRIVATE: &str = "PRIVATE KEY";
const PUBLIC: &str = "PUBLIC KEY";

/// Error of parsing a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a {what} key of Ed25519 or ECDSA P-256 in PEM format: {reason}")]
pub struct BadKey {
    what: &'static str,
    reason: &'static str,
}

/// Error: the system provides no random numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the system cannot provide random numbers")]
pub struct NoRandomness;

impl From<ring::error::Unspecified> for NoRandomness {
    fn from(_: ring::error::Unspecified) -> Self {
        Self
    }
}

/// Kind of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Ed25519; signatures are deterministic.
    Ed25519,
    /// ECDSA over P-256 with SHA-256; signatures are randomised.
    EcdsaP256,
}

/// Private key, which creates signatures.
pub struct PrivateKey(Pair);

enum Pair {
    Ed25519(Ed25519KeyPair),
    EcdsaP256(EcdsaKeyPair),
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PrivateKey({})", self.public())
    }
}

/// Public key, which verifies signatures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PublicKey(Point);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Point {
    Ed25519([u8; 32]),
    EcdsaP256([u8; 65]),
}

fn pem(text: &str, label: &str) -> Option<Vec<u8>> {
    let text = text.trim();
    let body = text.strip_prefix(&format!("-----BEGIN {label}-----"))?;
    let body = body.strip_suffix(&format!("-----END {label}-----"))?;
    BASE64
        .decode(body.split_whitespace().collect::<String>())
        .ok()
}

fn to_pem(der: &[u8], label: &str) -> String {
    let encoded = BASE64.encode(der);
    let mut text = format!("-----BEGIN {label}-----\n");
    let mut rest = encoded.as_str();
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.len().min(64));
        text.push_str(line);
        text.push('\n');
        rest = after;
    }
    text.push_str(&format!("-----END {label}-----\n"));
    text
}

impl FromStr for PrivateKey {
    type Err = BadKey;

    fn from_str(text: &str) -> Result<Self, BadKey> {
        let wrong = |reason| BadKey {
            what: "private",
            reason,
        };
        let Some(bytes) = pem(text, PRIVATE) else {
            return Err(wrong(match text.trim().split("-----").nth(1) {
                Some("BEGIN EC PRIVATE KEY") => "convert it with `openssl pkcs8 -topk8 -nocrypt`",
                Some(label) if label.contains("ENCRYPTED") => "the key is encrypted",
                _ => "the block PRIVATE KEY is missing",
            }));
        };
        if let Ok(pair) = Ed25519KeyPair::from_pkcs8_maybe_unchecked(&bytes) {
            return Ok(Self(Pair::Ed25519(pair)));
        }
        let random = SystemRandom::new();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &bytes, &random);
        pair.map(|pair| Self(Pair::EcdsaP256(pair)))
            .map_err(|_| wrong("the kind of the key is not supported"))
    }
}

impl FromStr for PublicKey {
    type Err = BadKey;

    fn from_str(text: &str) -> Result<Self, BadKey> {
        let wrong = |reason| BadKey {
            what: "public",
            reason,
        };
        let bytes = pem(text, PUBLIC).ok_or_else(|| wrong("the block PUBLIC KEY is missing"))?;
        let ed25519 = bytes.strip_prefix(&PUBLIC_ED25519[..]);
        if let Some(key) = ed25519.and_then(|key| <[u8; 32]>::try_from(key).ok()) {
            return Ok(Self(Point::Ed25519(key)));
        }
        let p256 = bytes.strip_prefix(&PUBLIC_P256[..]);
        match p256.and_then(|key| <[u8; 65]>::try_from(key).ok()) {
            Some(key) => Ok(Self(Point::EcdsaP256(key))),
            None => Err(wrong("the kind of the key is not supported")),
        }
    }
}

impl fmt::Display for PublicKey {
    /// Formats the SHA-256 of the DER encoding in base64, which identifies the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&BASE64.encode(Digest::of(&self.der()).as_bytes()))
    }
}

impl PublicKey {
    fn der(&self) -> Vec<u8> {
        match &self.0 {
            Point::Ed25519(key) => [&PUBLIC_ED25519[..], key].concat(),
            Point::EcdsaP256(key) => [&PUBLIC_P256[..], key].concat(),
        }
    }

    /// Returns the PEM encoding.
    pub fn pem(&self) -> String {
        to_pem(&self.der(), PUBLIC)
    }

    pub(super) fn verifies(&self, signed: &[u8], signature: &[u8]) -> bool {
        let verified = match &self.0 {
            Point::Ed25519(key) => UnparsedPublicKey::new(&ED25519, key).verify(signed, signature),
            Point::EcdsaP256(key) => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, key).verify(signed, signature)
            }
        };
        verified.is_ok()
    }
}

impl PrivateKey {
    /// Generates a key. Returns it with its PEM encoding.
    ///
    /// # Errors
    ///
    /// Returns an error if the system provides no random numbers.
    pub fn generate(kind: Kind) -> Result<(Self, String), NoRandomness> {
        let random = SystemRandom::new();
        let der = match kind {
            Kind::Ed25519 => {
                let mut seed = [0; 32];
                random.fill(&mut seed)?;
                [&PRIVATE_ED25519[..], &seed].concat()
            }
            Kind::EcdsaP256 => {
                let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random)?;
                made.as_ref().to_vec()
            }
        };
        let text = to_pem(&der, PRIVATE);
        let key = text.parse().map_err(|_| NoRandomness)?;
        Ok((key, text))
    }

    /// Returns the public key.
    pub fn public(&self) -> PublicKey {
        match &self.0 {
            Pair::Ed25519(pair) => {
                let mut key = [0; 32];
                key.copy_from_slice(pair.public_key().as_ref());
                PublicKey(Point::Ed25519(key))
            }
            Pair::EcdsaP256(pair) => {
                let mut key = [0; 65];
                key.copy_from_slice(pair.public_key().as_ref());
                PublicKey(Point::EcdsaP256(key))
            }
        }
    }

    pub(super) fn sign_bytes(&self, bytes: &[u8]) -> Result<Vec<u8>, NoRandomness> {
        Ok(match &self.0 {
            Pair::Ed25519(pair) => pair.sign(bytes).as_ref().to_vec(),
            Pair::EcdsaP256(pair) => pair.sign(&SystemRandom::new(), bytes)?.as_ref().to_vec(),
        })
    }
}
