//! Signatures of bundles and receipts, and the trust policy.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use mcpmark_test_support::{Need, skip};
use serde_json::{Value, json};

use super::registry::Registry;
use super::{pack, there};
use crate::environment::{Environment, Output, repository, text};
use crate::library::Library;
use crate::npm;

/// Generates a pair of keys with openssl. Returns `None` if openssl is not installed.
fn keys(environment: &Environment, name: &str) -> Option<[PathBuf; 2]> {
    let files = ["pem", "pub"].map(|end| environment.path(&format!("{name}.{end}")));
    let openssl = |args: &[&str]| Command::new("openssl").args(args).output();
    let [private, public] = files.each_ref().map(|file| file.to_str().unwrap());
    let made = openssl(&["genpkey", "-algorithm", "ed25519", "-out", private]);
    if let Err(error) = made {
        skip(Need::OpenSsl, &error);
        return None;
    }
    let told = openssl(&["pkey", "-in", private, "-pubout", "-out", public]).unwrap();
    assert!(told.status.success(), "{told:?}");
    Some(files)
}

#[test]
fn signatures_say_who_vouches_and_the_policy_whose_count() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let (Some([private, public]), Some([_, other])) =
        (keys(&environment, "ours"), keys(&environment, "other"))
    else {
        return;
    };
    let [private, public, other] = [&private, &public, &other].map(|file| file.to_str().unwrap());
    let mut transcript = String::new();
    for place in ["suite.tar", "suite"] {
        let bundle = environment.path(place);
        let packed = pack(&library, &bundle, &["--name", "office"]);
        let bundle = bundle.to_str().unwrap();
        let verify =
            |key: &str| environment.run(["bundle", "verify", bundle, "--key", key, "--json"]);
        let refused = verify(public).exits(4);
        transcript += &refused.transcript();
        let args = ["bundle", "sign", bundle, "--key", private, "--json"];
        let signed = environment.run(args).exits(0).json();
        assert_eq!(signed["digest"], packed["digest"]);
        let told = verify(public).exits(0).json();
        assert_eq!(
            (&told["signed_by"], &told["digest"]),
            (&json!([public]), &packed["digest"])
        );
        let refused = verify(other).exits(4);
        transcript += &refused.transcript();
        let told = environment
            .run(["bundle", "inspect", bundle, "--json"])
            .exits(0)
            .json();
        assert_eq!(told["signatures"], json!([signed["key"]]));

        // Signing twice adds one signature, and a public key cannot sign.
        environment.run(args).exits(0);
        let told = environment
            .run(["bundle", "inspect", bundle, "--json"])
            .exits(0)
            .json();
        assert_eq!(told["signatures"].as_array().unwrap().len(), 1);
        let refused = environment
            .run(["bundle", "sign", bundle, "--key", public])
            .exits(2);
        transcript += &refused.transcript();
        let remote = "oci://registry.example/suites/office:v1";
        for args in [
            ["bundle", "sign", remote, "--key", private],
            [
                "bundle",
                "push",
                remote,
                "oci://registry.example/b",
                "--json",
            ],
        ] {
            let refused = environment.run(args).exits(2);
            transcript += &refused.transcript();
        }

        let policy = |text: &str, code: i32| {
            let file = environment.path("config/mcpmark/trust.toml");
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
            environment
                .run(["task", "list", "--root", bundle])
                .exits(code)
        };
        let rule =
            |name: &str, key: &str| format!("[[trust]]\nnames = [{name:?}]\nkeys = [{key:?}]\n");
        policy(&rule("office", public), 0);
        policy(&rule("off*", public), 0);
        let output = policy(&rule("office", other), 4);
        transcript += &output.transcript();
        let output = policy(&rule("shop", public), 4);
        transcript += &output.transcript();
        policy(&format!("unsigned = \"allow\"\n{}", rule("shop", other)), 0);
        // A rule without keys accepts no signature.
        let output = policy(
            "unsigned = \"allow\"\n[[trust]]\nnames = [\"office\"]\nkeys = []\n",
            4,
        );
        transcript += &output.transcript();
        let output = policy("unsigned = \"maybe\"", 2);
        transcript += &output.transcript();
        let output = policy(&rule("oci://localhost/suite", public), 2);
        transcript += &output.transcript();
        let until = |keys: &str, code: i32| {
            policy(
                &format!("[[trust]]\nnames = [\"office\"]\nkeys = [{keys}]\n"),
                code,
            )
        };
        let key = |key: &str, until: &str| format!("{{ file = {key:?}, until = {until} }}");
        until(&key(public, "2999-12-31"), 0);
        let output = until(&key(public, "2020-02-29"), 4);
        transcript += &output.transcript();
        let output = until(&key(other, "2020-02-29"), 4);
        transcript += &output.transcript();
        until(&format!("{}, {public:?}", key(public, "2020-02-29")), 0);
        let output = until(&key(public, "\"soon\""), 2);
        transcript += &output.transcript();
        fs::remove_file(environment.path("config/mcpmark/trust.toml")).unwrap();
    }
    insta::assert_snapshot!(
        "signatures_say_who_vouches_and_the_policy_whose_count",
        transcript
    );
    let signature = signature_of(&environment.path("suite"));
    by_openssl(&environment, &signature, public);

    let Some(registry) = Registry::start(&environment) else {
        return;
    };
    let reference = format!("oci://{}/suites/office", registry.host);
    let dir = environment.path("suite");
    let push = |dir: &Path| {
        let args = [
            "bundle",
            "push",
            dir.to_str().unwrap(),
            &reference,
            "--json",
        ];
        environment.run(args).exits(0).json()["transferred"]["blobs"].clone()
    };
    // The push of a signed bundle also sends the signature and the list of signatures, which is made during the push.
    let bare = environment.path("bare");
    pack(&library, &bare, &["--name", "office"]);
    push(&bare);
    assert!(push(&dir).as_u64().unwrap() > 1);
    assert_eq!(push(&dir), 0);
    let machine = Environment::bare();
    let out = machine.path("pulled.tar");
    there(&machine, &["bundle", "verify", &reference, "--key", public]).exits(0);
    there(&machine, &["bundle", "verify", &reference, "--key", other]).exits(4);
    // The suite is named "office" by its packer: the rule for that name does not override the rule for the repository.
    let policy = machine.path("config/mcpmark/trust.toml");
    fs::create_dir_all(policy.parent().unwrap()).unwrap();
    let repository = format!("{}/suites/*", registry.host);
    for (key, code) in [(other, 4), (public, 0)] {
        let rules = format!(
            "[[trust]]\nnames = [\"office\"]\nkeys = [{public:?}]\n\
             [[trust]]\nnames = [{repository:?}]\nkeys = [{key:?}]\n"
        );
        fs::write(&policy, rules).unwrap();
        there(&machine, &["bundle", "verify", &reference]).exits(code);
    }
    // The rule applies to each spelling of the host.
    let rules =
        format!("unsigned = \"allow\"\n[[trust]]\nnames = [{repository:?}]\nkeys = [{other:?}]\n");
    fs::write(&policy, rules).unwrap();
    let port = registry.host.rsplit(':').next().unwrap();
    let mut transcript = String::new();
    for host in ["127.0.0.1:", "127.0.0.1:0", "127.1:", "127.0.0.01:"] {
        let written = format!("oci://{host}{port}/suites/office");
        let refused = there(&machine, &["bundle", "verify", &written]).exits(4);
        transcript += &refused.transcript();
    }
    insta::assert_snapshot!(
        "signatures_say_who_vouches_and_the_policy_whose_count_2",
        transcript
    );
    fs::remove_file(&policy).unwrap();
    there(
        &machine,
        &["bundle", "pull", &reference, "-o", out.to_str().unwrap()],
    )
    .exits(0);
    there(
        &machine,
        &["bundle", "verify", out.to_str().unwrap(), "--key", public],
    )
    .exits(0);
}

#[test]
fn receipts_are_signed_by_who_vouches_for_them() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let (Some([private, public]), Some([_, other])) =
        (keys(&environment, "ours"), keys(&environment, "other"))
    else {
        return;
    };
    let report = library
        .run(["run", "--agent", "nop", "--json"])
        .exits(0)
        .json();
    let id = text(&report["attempts"][0]["id"]);
    let plain = library.run(["receipt", "show", &id]).exits(0).stdout;
    let file = environment.path("receipt.json");
    let path = file.to_str().unwrap();
    let [private, public, other] = [&private, &public, &other].map(|file| file.to_str().unwrap());
    let args = ["receipt", "show", &id, "--sign", private, "-o", path];
    library.run(args).exits(0);
    let refused = library.run(["receipt", "verify", path]).exits(4);
    insta::assert_snapshot!(refused.message(), @r"
    error: [dir]/receipt.json: the receipt is signed
    hint: name the public key of its signer with --key FILE
    ");
    library
        .run(["receipt", "verify", path, "--key", public])
        .exits(0);
    let refused = library
        .run(["receipt", "verify", path, "--key", other])
        .exits(4);
    insta::assert_snapshot!(refused.message(), @"error: [dir]/receipt.json: not signed by the given key");
    fs::write(&file, plain).unwrap();
    library.run(["receipt", "verify", path]).exits(0);
    let refused = library
        .run(["receipt", "verify", path, "--key", public])
        .exits(4);
    insta::assert_snapshot!(refused.message(), @r#"error: [dir]/receipt.json: not signed: a signature: expected type "application/vnd.dev.sigstore.bundle.v0.3+json", found """#);
}

/// Returns the only signature of a layout, as a sigstore bundle.
fn signature_of(layout: &Path) -> Value {
    let index = fs::read_to_string(layout.join("index.json")).unwrap();
    let index: Value = serde_json::from_str(&index).unwrap();
    let blob = |digest: &Value| {
        let hex = text(digest).strip_prefix("sha256:").unwrap().to_owned();
        let bytes = fs::read(layout.join("blobs/sha256").join(hex)).unwrap();
        serde_json::from_slice::<Value>(&bytes).unwrap()
    };
    let [suite, signature] = &index["manifests"].as_array().unwrap()[..] else {
        panic!("{index}");
    };
    let manifest = blob(&signature["digest"]);
    assert_eq!(manifest["subject"]["digest"], suite["digest"]);
    blob(&manifest["layers"][0]["digest"])
}

/// Verifies a signature with openssl, by the rules of DSSE.
fn by_openssl(environment: &Environment, bundle: &Value, public: &str) {
    let envelope = &bundle["dsseEnvelope"];
    let decode = |value: &Value| {
        let file = environment.path("base64");
        fs::write(&file, text(value)).unwrap();
        let decoded = Command::new("base64")
            .arg("-d")
            .arg(&file)
            .output()
            .unwrap();
        assert!(decoded.status.success());
        decoded.stdout
    };
    let payload = decode(&envelope["payload"]);
    let kind = text(&envelope["payloadType"]);
    let head = format!("DSSEv1 {} {kind} {} ", kind.len(), payload.len());
    let (signed, signature) = (environment.path("signed"), environment.path("signature"));
    fs::write(&signed, [head.as_bytes(), &payload].concat()).unwrap();
    fs::write(&signature, decode(&envelope["signatures"][0]["sig"])).unwrap();
    let verified = Command::new("openssl")
        .args(["pkeyutl", "-verify", "-pubin", "-inkey", public, "-rawin"])
        .arg("-in")
        .arg(&signed)
        .arg("-sigfile")
        .arg(&signature)
        .output()
        .unwrap();
    assert!(verified.status.success(), "{verified:?}");
}

const SIGSTORE: &str = "4.1.3";

/// Verifies a signature with sigstore's npm packages, which print the digest of the subject. Returns `None` if they
/// cannot be installed.
fn by_sigstore(environment: &Environment, bundle: &Value, public: &str) -> Option<Output> {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("differential")
        .join(format!("sigstore-{SIGSTORE}"));
    let manifest = json!({
        "private": true,
        "dependencies": {"@sigstore/verify": SIGSTORE, "@sigstore/bundle": "5.0.1"},
    });
    if let Err(reason) = npm::install(&home, &manifest, "@sigstore/verify/package.json") {
        skip(Need::Npm, &reason);
        return None;
    }
    let file = environment.path("sigstore.json");
    fs::write(&file, bundle.to_string()).unwrap();
    let mut node = Command::new("node");
    node.arg(repository().join("tests/end_to_end/bundles/sigstore.mjs"));
    Some(Output::of(node.arg(home).arg(file).arg(public)))
}

#[test]
fn keys_of_both_kinds_sign_and_others_read_what_they_signed() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let path = |name: &str| environment.path(name).display().to_string();
    let mut signed = Vec::new();
    let mut transcript = String::new();
    for algorithm in ["ed25519", "ecdsa-p256"] {
        let (private, public) = (
            path(&format!("{algorithm}.pem")),
            path(&format!("{algorithm}.pub")),
        );
        let args = [
            "bundle",
            "keygen",
            "-o",
            &private,
            "--algorithm",
            algorithm,
            "--json",
        ];
        let made = environment.run(args).exits(0).json();
        let mode = fs::metadata(&private).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let refused = environment.run(args).exits(2);
        transcript += &refused.transcript();

        let suite = environment.path(&format!("suite-{algorithm}"));
        let digest = text(&pack(&library, &suite, &[])["digest"]);
        let place = suite.to_str().unwrap();
        // Signing twice adds one signature, even with an algorithm whose signatures differ each time.
        for _ in 0..2 {
            let args = ["bundle", "sign", place, "--key", &private, "--json"];
            assert_eq!(environment.run(args).exits(0).json()["key"], made["key"]);
        }
        environment
            .run(["bundle", "verify", place, "--key", &public])
            .exits(0);
        signed.push((signature_of(&suite), public, digest));
    }
    insta::assert_snapshot!(transcript, @r"
    $ mcpmark bundle keygen -o [dir]/ed25519.pem --algorithm ed25519 --json
    error: [dir]/ed25519.pem: file already exists

    $ mcpmark bundle keygen -o [dir]/ecdsa-p256.pem --algorithm ecdsa-p256 --json
    error: [dir]/ecdsa-p256.pem: file already exists
    ");
    let has_openssl = Command::new("openssl").arg("version").output().is_ok();
    for (at, (bundle, public, digest)) in signed.iter().enumerate() {
        if has_openssl {
            by_openssl(&environment, bundle, public);
        }
        let Some(told) = by_sigstore(&environment, bundle, public) else {
            continue;
        };
        assert_eq!(format!("sha256:{}", told.exits(0).stdout.trim()), *digest);
        // Sigstore refuses a wrong key and a changed payload type, as we do.
        let (_, other, _) = &signed[1 - at];
        assert_ne!(
            by_sigstore(&environment, bundle, other).unwrap().code,
            Some(0)
        );
        let mut changed = bundle.clone();
        changed["dsseEnvelope"]["payloadType"] = json!("application/json");
        assert_ne!(
            by_sigstore(&environment, &changed, public).unwrap().code,
            Some(0)
        );
    }
    if !has_openssl {
        return skip(Need::OpenSsl, "it makes keys for this test");
    }
    // Keys generated by openssl.
    let (private, public, sec1) = (path("theirs.pem"), path("theirs.pub"), path("sec1.pem"));
    for args in [
        &[
            "genpkey",
            "-algorithm",
            "EC",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-out",
            &private,
        ][..],
        &["pkey", "-in", &private, "-pubout", "-out", &public],
        &["pkey", "-in", &private, "-traditional", "-out", &sec1],
    ] {
        assert!(
            Command::new("openssl")
                .args(args)
                .output()
                .unwrap()
                .status
                .success()
        );
    }
    let suite = path("suite-ed25519");
    let refused = environment
        .run(["bundle", "sign", &suite, "--key", &sec1])
        .exits(2);
    insta::assert_snapshot!(refused.message(), @"error: [dir]/sec1.pem: not a private key of Ed25519 or ECDSA P-256 in PEM format: convert it with `openssl pkcs8 -topk8 -nocrypt`");
    environment
        .run(["bundle", "verify", &suite, "--key", &public])
        .exits(4);
    environment
        .run(["bundle", "sign", &suite, "--key", &private])
        .exits(0);
    environment
        .run(["bundle", "verify", &suite, "--key", &public])
        .exits(0);
    // openssl reads keys generated by `mcpmark`.
    let ours = path("ed25519.pem");
    let read = Command::new("openssl")
        .args(["pkey", "-in", &ours, "-pubout"])
        .output()
        .unwrap();
    let public = fs::read(path("ed25519.pub")).unwrap();
    assert_eq!(
        String::from_utf8_lossy(&read.stdout),
        String::from_utf8_lossy(&public)
    );
}
