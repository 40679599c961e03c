//! Tests of signatures, keys and attached artifacts.

use super::*;
use proptest::prelude::*;

/// Key for these tests only.
const KEY: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEINR/iG+E7NW+uPjuOBMnrEiup+oCMvQThs6H6L+uqxzE
-----END PRIVATE KEY-----
";

/// Returns one key of each kind.
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
        assert!(signature.verifies_bundle(&public, &bundle));
        assert!(!signature.verifies_bundle(&public, &other));
        assert!(!signature.verifies_bundle(&another.public(), &bundle));
        let (unknown, _) = PrivateKey::generate(Kind::Ed25519).unwrap();
        assert!(!signature.verifies_bundle(&unknown.public(), &bundle));
        // A statement with another predicate type about the same bundle is not accepted.
        let mut about = statement(&bundle);
        about["predicateType"] = "https://slsa.dev/provenance/v1".into();
        let signed = key.sign(&about).unwrap();
        let signature = Signature::parse(signed.as_bytes()).unwrap();
        assert!(!signature.verifies_bundle(&public, &bundle));
    }
    let sign = || keys[0].sign(&statement(&bundle)).unwrap();
    assert_eq!(sign(), sign());
}

#[test]
fn a_changed_signature_verifies_nothing_else() {
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
                let wanted = mcpmark_json::canonical(&statement(&bundle));
                assert_eq!(found, wanted.as_bytes(), "{at}");
            }
        }
    }
}

#[test]
fn a_statement_that_says_two_things_vouches_for_neither() {
    let (bundle, other) = (Digest::of(b"bundle"), Digest::of(b"other"));
    let key: PrivateKey = KEY.parse().unwrap();
    let plain = mcpmark_json::canonical(&statement(&bundle));
    let named = json!([{"name": "", "digest": {"sha256": other.hex()}}]);
    let twice = plain.replacen('{', &format!("{{\"subject\":{named},"), 1);
    for (payload, vouches) in [(plain.as_bytes(), true), (twice.as_bytes(), false)] {
        let signature = key.sign_bytes(&encoding(PAYLOAD, payload)).unwrap();
        let signed = json!({
            "mediaType": SIGNATURE,
            "dsseEnvelope": {
                "payload": BASE64.encode(payload),
                "payloadType": PAYLOAD,
                "signatures": [{"sig": BASE64.encode(signature)}],
            },
        });
        let signed = signed.to_string();
        let signature = Signature::parse(signed.as_bytes()).unwrap();
        assert_eq!(signature.verified(&key.public()), Some(payload));
        assert_eq!(signature.verifies_bundle(&key.public(), &bundle), vouches);
        assert!(!signature.verifies_bundle(&key.public(), &other));
        // A duplicate envelope is refused, too.
        let twice = signed.replacen('{', "{\"dsseEnvelope\":{},", 1);
        let told = Signature::parse(twice.as_bytes()).unwrap_err().to_string();
        assert!(told.contains("duplicate key \"dsseEnvelope\""), "{told}");
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
fn invalid_keys_are_reported() {
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
        ("ENCRYPTED SIGSTORE PRIVATE KEY", "the key is encrypted"),
        ("CERTIFICATE", "block PRIVATE KEY is missing"),
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

/// Creates a layout with content that is attached to a bundle like a signature.
fn with_attached(bundle: &Descriptor, attached: &str) -> NewLayout {
    let mut layout = NewLayout::default();
    attach(&mut layout, bundle, attached);
    layout
}

fn read_from(layout: &NewLayout, bundle: &Digest) -> Result<Vec<Attached>, BundleError> {
    let dir = tempfile::tempdir().unwrap();
    layout.write_directory(dir.path()).unwrap();
    crate::Layout::open(dir.path()).unwrap().signatures(bundle)
}

#[test]
fn attachments_of_others_are_passed_over() {
    let bundle = Descriptor::of(oci::INDEX, b"bundle");
    let key: PrivateKey = KEY.parse().unwrap();
    let signed = key.sign(&statement(&bundle.digest)).unwrap();
    let large = json!({
        "mediaType": SIGNATURE,
        "dsseEnvelope": {
            "payload": "A".repeat(100_000),
            "payloadType": PAYLOAD,
            "signatures": [{"sig": "AAAA"}],
        },
    });
    let of_bytes = json!({"mediaType": SIGNATURE, "messageSignature": {"signature": "AAAA"}});
    let older = json!({
        "mediaType": "application/vnd.dev.sigstore.bundle+json;version=0.3",
        "dsseEnvelope": {},
    });
    for foreign in [large, of_bytes, older, json!({"spdx": 1}), json!([])] {
        let foreign = foreign.to_string();
        let mut layout = with_attached(&bundle, &foreign);
        assert!(read_from(&layout, &bundle.digest).unwrap().is_empty());
        attach(&mut layout, &bundle, &signed);
        let found = read_from(&layout, &bundle.digest).unwrap();
        assert_eq!(found.len(), 1, "{foreign}");
        assert!(
            found[0]
                .signature
                .verifies_bundle(&key.public(), &bundle.digest)
        );
    }
    // A signature with a damaged config is refused, because it cannot be copied.
    let with_config = |size: u64, config: &[u8]| {
        let mut layout = with_attached(&bundle, &signed);
        let mut named = layout.put(EMPTY, config.to_vec());
        named.size = size;
        let manifest = json!({
            "schemaVersion": 2,
            "mediaType": oci::MANIFEST,
            "artifactType": SIGNATURE,
            "config": named,
            "layers": [Descriptor::of(SIGNATURE, signed.as_bytes())],
            "subject": bundle,
        });
        let manifest = layout.put(oci::MANIFEST, manifest.to_string().into_bytes());
        layout.list(Descriptor {
            artifact_type: Some(SIGNATURE.to_owned()),
            ..manifest
        });
        read_from(&layout, &bundle.digest)
    };
    assert_eq!(with_config(2, b"{}").unwrap().len(), 2);
    let told = with_config(3, b"{}").unwrap_err();
    assert!(matches!(told, BundleError::Length { .. }), "{told}");
    let large = vec![b' '; MAX_SIGNATURE_BYTES as usize + 1];
    assert_eq!(
        with_config(MAX_SIGNATURE_BYTES + 1, &large).unwrap().len(),
        1
    );
    // A damaged blob of a signature is an error.
    let layout = with_attached(&bundle, &signed);
    let dir = tempfile::tempdir().unwrap();
    layout.write_directory(dir.path()).unwrap();
    let blob = dir
        .path()
        .join("blobs/sha256")
        .join(Digest::of(signed.as_bytes()).hex());
    std::fs::write(blob, signed.replace("dsse", "ESSD")).unwrap();
    let layout = crate::Layout::open(dir.path()).unwrap();
    let error = layout.signatures(&bundle.digest).unwrap_err();
    assert!(matches!(error, BundleError::Damaged { .. }), "{error}");
}
