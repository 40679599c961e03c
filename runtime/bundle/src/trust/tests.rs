use super::*;
use proptest::prelude::*;

/// A key that was made for these tests and vouches for nothing else.
const KEY: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEINR/iG+E7NW+uPjuOBMnrEiup+oCMvQThs6H6L+uqxzE
-----END PRIVATE KEY-----
";

/// One of each kind.
fn keys() -> [PrivateKey; 2] {
    let (other, _) = PrivateKey::generate(Kind::EcdsaP256).unwrap();
    [KEY.parse().unwrap(), other]
}

#[test]
fn a_signature_vouches_for_one_bundle_by_one_key() {
    let (bundle, other) = (Digest::of(b"bundle"), Digest::of(b"other"));
    let keys = keys();
    for (key, another) in [(&keys[0], &keys[1]), (&keys[1], &keys[0])] {
        let signed = key.sign(&statement(&bundle)).unwrap();
        let signature = Signature::parse(signed.as_bytes()).unwrap();
        let public = key.public();
        assert_eq!(signature.hint, public.to_string());
        assert!(signature.vouches(&public, &bundle));
        assert!(!signature.vouches(&public, &other));
        assert!(!signature.vouches(&another.public(), &bundle));
        let (unknown, _) = PrivateKey::generate(Kind::Ed25519).unwrap();
        assert!(!signature.vouches(&unknown.public(), &bundle));
        // A statement of another kind about the same bundle vouches for nothing.
        let mut about = statement(&bundle);
        about["predicateType"] = "https://slsa.dev/provenance/v1".into();
        let signed = key.sign(&about).unwrap();
        let signature = Signature::parse(signed.as_bytes()).unwrap();
        assert!(!signature.vouches(&public, &bundle));
    }
    let sign = || keys[0].sign(&statement(&bundle)).unwrap();
    assert_eq!(sign(), sign());
}

#[test]
fn what_is_changed_in_a_signature_vouches_for_nothing_else() {
    let bundle = Digest::of(b"bundle");
    for key in keys() {
        let signed = key.sign(&statement(&bundle)).unwrap();
        let public = key.public();
        for at in 0..signed.len() {
            let mut bytes = signed.clone().into_bytes();
            bytes[at] ^= 1;
            if let Ok(signature) = Signature::parse(&bytes)
                && let Some(found) = signature.verified(&public)
            {
                assert_eq!(found, statement(&bundle), "{at}");
            }
        }
    }
}

#[test]
fn keys_are_read_as_they_are_written() {
    for kind in [Kind::Ed25519, Kind::EcdsaP256] {
        let (key, text) = PrivateKey::generate(kind).unwrap();
        let read: PrivateKey = text.parse().unwrap();
        assert_eq!(read.public(), key.public());
        let public = key.public().pem();
        assert_eq!(public.parse::<PublicKey>().unwrap(), key.public());
        assert!(public.lines().all(|line| line.len() <= 64), "{public}");
        let (another, _) = PrivateKey::generate(kind).unwrap();
        assert_ne!(another.public(), key.public());
    }
}

#[test]
fn what_is_no_key_is_told() {
    for text in [
        "",
        "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----",
        &KEY.replace("MC4", "MC5"),
    ] {
        assert!(text.parse::<PrivateKey>().is_err(), "{text}");
        assert!(text.parse::<PublicKey>().is_err(), "{text}");
    }
    for (label, word) in [
        ("EC PRIVATE KEY", "openssl pkcs8"),
        ("ENCRYPTED SIGSTORE PRIVATE KEY", "it is encrypted"),
        ("CERTIFICATE", "no block"),
    ] {
        let text = KEY.replace("PRIVATE KEY", label);
        let error = text.parse::<PrivateKey>().unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = Signature::parse(&bytes);
        let body = BASE64.encode(&bytes);
        for label in ["PRIVATE KEY", "PUBLIC KEY"] {
            let text = format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----\n");
            let _ = (text.parse::<PrivateKey>(), text.parse::<PublicKey>());
        }
    }
}
