//! Fuzz target of documents about bundles: signatures, keys, locks, references, authentication challenges of
//! registries, and Docker logins. The first line selects the kind.

use mcpmark_bundle::trust::{Kind, PrivateKey, PublicKey, Signature, statement};
use mcpmark_bundle::{Challenge, Lock, Login, Reference};
use mcpmark_snapshot::Digest;

pub(crate) fn run(bytes: &[u8]) {
    let end = bytes.iter().position(|byte| *byte == b'\n');
    let (kind, rest) = bytes.split_at(end.unwrap_or(0));
    let rest = rest.get(1..).unwrap_or_default();
    let text = String::from_utf8_lossy(rest);
    match kind {
        b"signature" => signature(rest),
        b"key" => key(&text),
        b"lock" => {
            if let Ok(lock) = Lock::parse(rest) {
                assert_eq!(Lock::parse(lock.text().as_bytes()).unwrap(), lock);
            }
        }
        b"reference" => {
            if let Ok(reference) = text.parse::<Reference>() {
                assert_eq!(reference.to_string(), text);
                let path = &reference.repository;
                assert!(!path.contains("..") && !path.starts_with('/'), "{path}");
            }
        }
        b"challenge" => {
            for challenge in Challenge::parse(&text) {
                assert!(!challenge.scheme.is_empty());
                assert_eq!(challenge.scheme, challenge.scheme.to_ascii_lowercase());
            }
        }
        _ => login(rest),
    }
}

/// Checks that a signature is valid only for the statement that its key signed.
fn signature(bytes: &[u8]) {
    let Ok(signature) = Signature::parse(bytes) else {
        return;
    };
    let (key, _) = PrivateKey::generate(Kind::Ed25519).unwrap();
    let bundle = Digest::of(b"bundle");
    assert!(!signature.verifies_bundle(&key.public(), &bundle));
    let own = key.sign(&statement(&bundle)).unwrap();
    let own = Signature::parse(own.as_bytes()).unwrap();
    assert!(own.verifies_bundle(&key.public(), &bundle));
}

fn key(text: &str) {
    if let Ok(key) = text.parse::<PublicKey>() {
        assert_eq!(key.pem().parse::<PublicKey>().unwrap(), key);
    }
    if let Ok(key) = text.parse::<PrivateKey>() {
        let bundle = Digest::of(b"bundle");
        let signed = key.sign(&statement(&bundle)).unwrap();
        let signature = Signature::parse(signed.as_bytes()).unwrap();
        assert!(signature.verifies_bundle(&key.public(), &bundle));
    }
}

/// Checks that debug output and error messages do not contain the password.
fn login(bytes: &[u8]) {
    match Login::of_docker(bytes, "registry.example") {
        Ok(Some(login)) => {
            let (shown, password) = (format!("{login:?}"), login.password.expose());
            assert!(
                password.len() < 6 || login.user.contains(password) || !shown.contains(password)
            );
        }
        Ok(None) => {}
        Err(error) => assert!(!error.to_string().contains("hunter2"), "{error}"),
    }
}
