use super::*;
use proptest::prelude::*;

/// A key that was made for these tests and vouches for nothing else.
const KEY: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEINR/iG+E7NW+uPjuOBMnrEiup+oCMvQThs6H6L+uqxzE
-----END PRIVATE KEY-----
";

fn key() -> PrivateKey {
    KEY.parse().unwrap()
}

#[test]
fn a_signature_vouches_for_one_bundle_by_one_key() {
    let (bundle, other) = (Digest::of(b"bundle"), Digest::of(b"other"));
    let signed = key().sign(&statement(&bundle));
    assert_eq!(key().sign(&statement(&bundle)), signed);
    let signature = Signature::parse(signed.as_bytes()).unwrap();
    let public = key().public();
    assert_eq!(signature.hint, public.to_string());
    assert!(signature.vouches(&public, &bundle));
    assert!(!signature.vouches(&public, &other));
    assert!(!signature.vouches(&PublicKey([7; 32]), &bundle));
    // A statement of another kind about the same bundle vouches for nothing.
    let mut about = statement(&bundle);
    about["predicateType"] = "https://slsa.dev/provenance/v1".into();
    let signed = key().sign(&about);
    assert!(
        !Signature::parse(signed.as_bytes())
            .unwrap()
            .vouches(&public, &bundle)
    );
}

#[test]
fn what_is_changed_in_a_signature_vouches_for_nothing_else() {
    let bundle = Digest::of(b"bundle");
    let signed = key().sign(&statement(&bundle));
    let public = key().public();
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
    let der = [&PUBLIC[..], &key().public().0].concat();
    let encoded = BASE64.encode(der);
    let text = format!("-----BEGIN PUBLIC KEY-----\n{encoded}\n-----END PUBLIC KEY-----\n");
    assert_eq!(text.parse::<PublicKey>().unwrap(), key().public());
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = Signature::parse(&bytes);
    }
}
