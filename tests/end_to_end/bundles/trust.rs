//! Who vouches for bundles and receipts.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use super::registry::Registry;
use super::{pack, there};
use crate::environment::{Environment, text};
use crate::library::Library;
use crate::skip;

/// A pair of keys, made by another program; none where that is not there.
fn keys(environment: &Environment, name: &str) -> Option<[PathBuf; 2]> {
    let files = ["pem", "pub"].map(|end| environment.path(&format!("{name}.{end}")));
    let openssl = |args: &[&str]| Command::new("openssl").args(args).output();
    let [private, public] = files.each_ref().map(|file| file.to_str().unwrap());
    let made = openssl(&["genpkey", "-algorithm", "ed25519", "-out", private]);
    if let Err(error) = made {
        skip::tool("openssl", &error.to_string());
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
    for place in ["suite.tar", "suite"] {
        let bundle = environment.path(place);
        let packed = pack(&library, &bundle, &["--name", "office"]);
        let bundle = bundle.to_str().unwrap();
        let verify =
            |key: &str| environment.run(["bundle", "verify", bundle, "--key", key, "--json"]);
        verify(public).exits(4).says(&["is not signed"]);
        let args = ["bundle", "sign", bundle, "--key", private, "--json"];
        let signed = environment.run(args).exits(0).json();
        assert_eq!(signed["digest"], packed["digest"]);
        let told = verify(public).exits(0).json();
        assert_eq!(
            (&told["signed_by"], &told["digest"]),
            (&json!([public]), &packed["digest"])
        );
        verify(other).exits(4).says(&["none of the keys"]);
        let told = environment
            .run(["bundle", "inspect", bundle, "--json"])
            .exits(0)
            .json();
        assert_eq!(told["signatures"], json!([signed["key"]]));

        // Once is enough, and only private keys sign.
        environment.run(args).exits(0);
        let told = environment
            .run(["bundle", "inspect", bundle, "--json"])
            .exits(0)
            .json();
        assert_eq!(told["signatures"].as_array().unwrap().len(), 1);
        environment
            .run(["bundle", "sign", bundle, "--key", public])
            .exits(2)
            .says(&["private key"]);

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
        policy(&rule("office", other), 4).says(&["none of the keys", "trust.toml"]);
        policy(&rule("shop", public), 4).says(&["no name that is trusted"]);
        policy(&format!("unsigned = \"allow\"\n{}", rule("shop", other)), 0);
        policy("unsigned = \"maybe\"", 2).says(&["trust.toml", "maybe"]);
        fs::remove_file(environment.path("config/mcpmark/trust.toml")).unwrap();
    }
    by_openssl(&environment, public);

    let Some(registry) = Registry::start(&environment) else {
        return;
    };
    let reference = format!("oci://{}/suites/office", registry.host);
    let dir = environment.path("suite");
    for _ in 0..2 {
        let args = ["bundle", "push", dir.to_str().unwrap(), &reference];
        environment.run(args).exits(0);
    }
    let machine = Environment::bare();
    let out = machine.path("pulled.tar");
    there(&machine, &["bundle", "verify", &reference, "--key", public]).exits(0);
    there(&machine, &["bundle", "verify", &reference, "--key", other]).exits(4);
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
    library
        .run(["receipt", "verify", path])
        .exits(4)
        .says(&["it is signed", "--key"]);
    library
        .run(["receipt", "verify", path, "--key", public])
        .exits(0);
    library
        .run(["receipt", "verify", path, "--key", other])
        .exits(4)
        .says(&["the key did not sign it"]);
    fs::write(&file, plain).unwrap();
    library.run(["receipt", "verify", path]).exits(0);
    library
        .run(["receipt", "verify", path, "--key", public])
        .exits(4)
        .says(&["it is not signed"]);
}

/// Another program checks the signature of a layout by the rules of DSSE.
fn by_openssl(environment: &Environment, public: &str) {
    let index = fs::read_to_string(environment.path("suite/index.json")).unwrap();
    let index: Value = serde_json::from_str(&index).unwrap();
    let blob = |digest: &Value| {
        let hex = text(digest).strip_prefix("sha256:").unwrap().to_owned();
        let bytes = fs::read(environment.path("suite/blobs/sha256").join(hex)).unwrap();
        serde_json::from_slice::<Value>(&bytes).unwrap()
    };
    let manifest = blob(&index["manifests"][1]["digest"]);
    assert_eq!(
        manifest["subject"]["digest"],
        index["manifests"][0]["digest"]
    );
    let envelope = blob(&manifest["layers"][0]["digest"])["dsseEnvelope"].clone();
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
        .args([
            "pkeyutl", "-verify", "-pubin", "-inkey", public, "-rawin", "-in",
        ])
        .arg(&signed)
        .arg("-sigfile")
        .arg(&signature)
        .output()
        .unwrap();
    assert!(verified.status.success(), "{verified:?}");
}
