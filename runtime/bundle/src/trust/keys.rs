//! Keys in PEM files, compatible with `openssl`: Ed25519, and ECDSA over P-256, which cosign uses.
//!
//! The DER structures (SubjectPublicKeyInfo, PKCS #8) and the PEM output are those of the crate `pkcs8`. ring parses
//! private keys and encodes signatures. Only the reader of PEM files is our own: that of `pkcs8` is strict as in RFC
//! 7468, and refuses files that `openssl` reads, such as lines of another length than 64. A lenient one such as that of
//! rustls takes the first of several keys in a file, but a file with two keys must not be trusted for one of them.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use mcpmark_snapshot::Digest;
use pkcs8::der::asn1::{BitStringRef, OctetStringRef};
use pkcs8::der::{self, Decode as _, Encode as _, pem};
use pkcs8::spki::AlgorithmIdentifierWithOid;
use pkcs8::{LineEnding, ObjectIdentifier, PrivateKeyInfo, SubjectPublicKeyInfo};
use ring::rand::{SecureRandom, SystemRandom};
use ring::signature::{
    ECDSA_P256_SHA256_ASN1, ECDSA_P256_SHA256_ASN1_SIGNING, ED25519, EcdsaKeyPair, Ed25519KeyPair,
    KeyPair as _, UnparsedPublicKey,
};

/// Algorithm of Ed25519 keys (RFC 8410).
const ED25519_KEY: AlgorithmIdentifierWithOid = AlgorithmIdentifierWithOid {
    oid: ObjectIdentifier::new_unwrap("1.3.101.112"),
    parameters: None,
};
/// Algorithm of P-256 keys (RFC 5480): id-ecPublicKey with the curve secp256r1.
const P256_KEY: AlgorithmIdentifierWithOid = AlgorithmIdentifierWithOid {
    oid: ObjectIdentifier::new_unwrap("1.2.840.10045.2.1"),
    parameters: Some(ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7")),
};

/// Public key in DER, with the curve as the only possible parameter of its algorithm.
type PublicKeyInfo<'a> = SubjectPublicKeyInfo<ObjectIdentifier, BitStringRef<'a>>;
/// Private key in DER, with the curve as the only possible parameter of its algorithm.
type PrivateInfo<'a> = PrivateKeyInfo<ObjectIdentifier, &'a OctetStringRef, BitStringRef<'a>>;

/// Reason why the encoding of a key cannot fail.
const SHORT: &str = "keys are far shorter than the limits of DER and PEM";

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

/// Decodes the base64 between the boundaries of a PEM file, which contains nothing else. Lines may have any length.
fn from_pem(text: &str, label: &str) -> Option<Vec<u8>> {
    let text = text.trim();
    let body = text.strip_prefix(&format!("-----BEGIN {label}-----"))?;
    let body = body.strip_suffix(&format!("-----END {label}-----"))?;
    BASE64
        .decode(body.split_whitespace().collect::<String>())
        .ok()
}

fn to_pem(der: &[u8], label: &str) -> String {
    pem::encode_string(label, LineEnding::LF, der).expect(SHORT)
}

/// Encodes the seed of an Ed25519 private key in version 1 of PKCS #8. ring generates version 2, which `openssl` cannot
/// read.
fn ed25519_pkcs8(seed: &[u8]) -> der::Result<Vec<u8>> {
    let seed = OctetStringRef::new(seed)?.to_der()?;
    PrivateInfo::new(ED25519_KEY, OctetStringRef::new(&seed)?).to_der()
}

impl FromStr for PrivateKey {
    type Err = BadKey;

    fn from_str(text: &str) -> Result<Self, BadKey> {
        let wrong = |reason| BadKey {
            what: "private",
            reason,
        };
        let Some(bytes) = from_pem(text, PRIVATE) else {
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
        let bytes =
            from_pem(text, PUBLIC).ok_or_else(|| wrong("the block PUBLIC KEY is missing"))?;
        let info = PublicKeyInfo::from_der(&bytes).ok();
        let point = info.and_then(|info| {
            let key = info.subject_public_key.as_bytes()?;
            if info.algorithm == ED25519_KEY {
                key.try_into().ok().map(Point::Ed25519)
            } else if info.algorithm == P256_KEY {
                key.try_into().ok().map(Point::EcdsaP256)
            } else {
                None
            }
        });
        point
            .map(Self)
            .ok_or_else(|| wrong("the kind of the key is not supported"))
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
        let (algorithm, key): (_, &[u8]) = match &self.0 {
            Point::Ed25519(key) => (ED25519_KEY, key),
            Point::EcdsaP256(key) => (P256_KEY, key),
        };
        let key = BitStringRef::from_bytes(key).expect(SHORT);
        let info = PublicKeyInfo {
            algorithm,
            subject_public_key: key,
        };
        info.to_der().expect(SHORT)
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
                ed25519_pkcs8(&seed).expect(SHORT)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Private keys and their public keys, as openssl writes them, and the ids of the public keys.
    const PAIRS: [(&str, &str, &str); 2] = [
        (
            "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEINR/iG+E7NW+uPjuOBMnrEiup+oCMvQThs6H6L+uqxzE
-----END PRIVATE KEY-----
",
            "-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEA3LjWfhBmg6Pq8Gy+QOf6q5XO8eUn5M1YEVjbU00VSA4=
-----END PUBLIC KEY-----
",
            "NOoBpwD+j00lHZ3pMUzHNGn8OJwZSj6SpwtLYlYYE9Y=",
        ),
        (
            "-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgmdAZjQnIbwE9RTIf
EXpyNOOUNHRMJgvtTaIniEhDRf+hRANCAAShzRXKkj9st0jSbTxKnobHYehP8LLz
+4vGKvf6p28gLNzm1YRskva7bqRklG4p7E/ZxUH2a2ps7U2ySR3H7Bwk
-----END PRIVATE KEY-----
",
            "-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEoc0VypI/bLdI0m08Sp6Gx2HoT/Cy
8/uLxir3+qdvICzc5tWEbJL2u26kZJRuKexP2cVB9mtqbO1Nskkdx+wcJA==
-----END PUBLIC KEY-----
",
            "faV2lt/bpP4OLisRyaSshBm3ujWAtnFUJFWmpFqAOEA=",
        ),
    ];

    #[test]
    fn keys_are_written_as_openssl_writes_them() {
        for (private, public, id) in PAIRS {
            let key = private.parse::<PrivateKey>().unwrap().public();
            assert_eq!(key.pem(), public);
            assert_eq!(public.parse::<PublicKey>().unwrap(), key);
            assert_eq!(key.to_string(), id);
            let der = from_pem(private, PRIVATE).unwrap();
            assert_eq!(to_pem(&der, PRIVATE), private);
        }
        let der = from_pem(PAIRS[0].0, PRIVATE).unwrap();
        let (_, seed) = der.split_last_chunk::<32>().unwrap();
        assert_eq!(ed25519_pkcs8(seed).unwrap(), der);
    }

    #[test]
    fn lines_of_a_key_may_have_any_length() {
        for (_, public, _) in PAIRS {
            let key: PublicKey = public.parse().unwrap();
            let body: String = public
                .lines()
                .filter(|line| !line.starts_with('-'))
                .collect();
            let lines = [
                body.clone(),
                format!("\r\n{}\r\n", body.replace('M', "M\r\n")),
            ];
            for body in lines {
                let text =
                    format!("\n-----BEGIN PUBLIC KEY-----\n{body}\n-----END PUBLIC KEY-----");
                assert_eq!(text.parse::<PublicKey>().unwrap(), key, "{text}");
            }
            assert!(format!("{public}{public}").parse::<PublicKey>().is_err());
        }
    }

    #[test]
    fn public_keys_of_other_kinds_are_refused() {
        // Keys of openssl: P-384, X25519, and P-256 with a compressed point.
        let foreign = [
            "MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAE1Fi0pEKB9wKWa9/O4XDjLovpjw1Oghzs
            cseW2dYUONYxCxrKHEfl9xZNvzq4PJsqzm8/uB3INqD+mTpAIJ9a5Wx6+pxz1gpK
            WLZtEnxVMgxxguD0AynTOrto3PTbKehA",
            "MCowBQYDK2VuAyEAwcpBiyv4SSWZd16dVC4HP2rg67i+hMqt9l6HLEwTOGM=",
            "MDkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDIgACoc0VypI/bLdI0m08Sp6Gx2HoT/Cy8/uLxir3+qdvICw=",
        ];
        for body in foreign {
            let text = format!("-----BEGIN PUBLIC KEY-----\n{body}\n-----END PUBLIC KEY-----\n");
            assert!(text.parse::<PublicKey>().is_err(), "{text}");
        }
        // Every changed byte before the key itself, and every other length.
        for (_, public, _) in PAIRS {
            let der = from_pem(public, PUBLIC).unwrap();
            let refused = |der: &[u8]| to_pem(der, PUBLIC).parse::<PublicKey>().is_err();
            let head = if der.len() == 44 { 12 } else { 26 };
            for at in 0..head {
                let mut changed = der.clone();
                changed[at] ^= 1;
                assert!(refused(&changed), "{at}");
            }
            assert!(refused(&der[..der.len() - 1]));
            assert!(refused(&[&der[..], &[0]].concat()));
        }
    }
}
