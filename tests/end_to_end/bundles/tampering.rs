//! Changed bundles are detected, and other files are not taken for bundles.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{files, pack};
use crate::environment::{Environment, text};
use crate::library::Library;

#[test]
fn every_change_in_a_bundle_is_noticed() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let dir = environment.path("bundle");
    let packed = pack(&library, &dir, &[]);
    let verify = || environment.run(["bundle", "verify", dir.to_str().unwrap(), "--json"]);
    assert_eq!(verify().exits(0).json()["digest"], packed["digest"]);
    let mut transcript = String::new();
    for file in files(&dir) {
        let sound = fs::read(&file).unwrap();
        let step = (sound.len() / 12).max(1);
        for at in (0..sound.len()).step_by(step) {
            let mut bytes = sound.clone();
            bytes[at] ^= 0x01;
            fs::write(&file, &bytes).unwrap();
            let told = verify();
            // The index of a layout has no digest of its own, so a change is accepted if it names the same suite.
            let same = told.code == Some(0) && told.json()["digest"] == packed["digest"];
            let of_layout = file.parent() == Some(&*dir);
            assert!(
                told.code == Some(4) || (same && of_layout),
                "{}, byte {at}: {told:?}",
                file.display()
            );
        }
        for bytes in [&sound[..sound.len() / 2], b"", b"{}", b"\0"] {
            fs::write(&file, bytes).unwrap();
            verify().exits(4);
        }
        fs::remove_file(&file).unwrap();
        verify().exits(4);
        // A symbolic link is refused even if its target has the right bytes.
        let aside = environment.path("aside");
        fs::write(&aside, &sound).unwrap();
        std::os::unix::fs::symlink(&aside, &file).unwrap();
        let refused = verify().exits(4);
        transcript += &refused.transcript();
        fs::remove_file(&file).unwrap();
        fs::write(&file, &sound).unwrap();
    }
    insta::assert_snapshot!("every_change_in_a_bundle_is_noticed", transcript);
    verify().exits(0);
    let mut transcript = String::new();
    for name in ["blobs/sha256", "blobs"] {
        let (inside, aside) = (dir.join(name), environment.path("aside-of-all"));
        fs::rename(&inside, &aside).unwrap();
        std::os::unix::fs::symlink(&aside, &inside).unwrap();
        let refused = verify().exits(4);
        transcript += &refused.transcript();
        fs::remove_file(&inside).unwrap();
        fs::rename(&aside, &inside).unwrap();
    }
    insta::assert_snapshot!(transcript, @r"
    $ mcpmark bundle verify [dir]/bundle --json
    error: [dir]/bundle: not a bundle: blobs/sha256 is a symlink; expected a directory

    $ mcpmark bundle verify [dir]/bundle --json
    error: [dir]/bundle: not a bundle: blobs is a symlink; expected a directory
    ");
}

#[test]
fn other_blobs_of_a_layout_match_their_names() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let dir = environment.path("bundle");
    let packed = pack(&library, &dir, &[]);
    let verify = || environment.run(["bundle", "verify", dir.to_str().unwrap(), "--json"]);
    assert_eq!(verify().exits(0).json()["unnamed"], json!([]));
    let blobs = dir.join("blobs/sha256");
    let stray = mcpmark_snapshot::Digest::of(b"stray");
    let place = blobs.join(stray.hex());
    fs::write(&place, "stray").unwrap();
    let told = verify().exits(0).says(&[&stray.to_string()]);
    insta::assert_snapshot!(told.message(), @"warning: 1 blob not referenced by the bundle (first: sha256:[digest]); no signature covers them");
    let told = told.json();
    assert_eq!(told["unnamed"], json!([stray]));
    assert_eq!(told["digest"], packed["digest"]);
    fs::write(&place, "other").unwrap();
    let refused = verify().exits(4).says(&[&stray.to_string()]);
    insta::assert_snapshot!(refused.message(), @"error: blob sha256:[digest] does not match its digest: its content has the digest sha256:[digest]");
    fs::remove_file(&place).unwrap();
    fs::create_dir(&place).unwrap();
    let refused = verify().exits(4).says(&[&stray.hex()]);
    insta::assert_snapshot!(refused.message(), @"error: [dir]/bundle: not a bundle: blobs/sha256/[digest] is not a blob: it is not a regular file");
    fs::remove_dir(&place).unwrap();
    fs::write(blobs.join("README"), "stray").unwrap();
    let refused = verify().exits(4);
    insta::assert_snapshot!(refused.message(), @"error: [dir]/bundle: not a bundle: blobs/sha256/README is not a blob: its name is not a digest");
}

#[test]
fn invalid_bundles_are_named() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let tar = environment.path("bundle.tar");
    pack(&library, &tar, &[]);
    let sound = fs::read(&tar).unwrap();
    let file = environment.path("bad.tar");
    let verify = |bytes: &[u8]| {
        fs::write(&file, bytes).unwrap();
        environment.run(["bundle", "verify", file.to_str().unwrap()])
    };
    verify(&sound).exits(0);
    let refused = verify(&sound[..sound.len() / 2]).exits(4);
    insta::assert_snapshot!(refused.message(), @"error: [dir]/bad.tar: the archive is truncated at byte 7168");
    let refused = verify(b"not").exits(4);
    insta::assert_snapshot!(refused.message(), @"error: [dir]/bad.tar: the archive is truncated at byte 0");
    let mut transcript = String::new();
    for first in [
        &b"PK\x03\x04"[..],
        b"\x1f\x8b\x08\0",
        b"\x28\xb5\x2f\xfd",
        b"\xfd7zXZ\0",
    ] {
        let bytes = [first, &[7; 2048]].concat();
        let refused = verify(&bytes).exits(4);
        transcript += &refused.transcript();
    }
    insta::assert_snapshot!(transcript, @r"
    $ mcpmark bundle verify [dir]/bad.tar
    error: [dir]/bad.tar: not a bundle: it is a zip archive; expected an uncompressed tar archive

    $ mcpmark bundle verify [dir]/bad.tar
    error: [dir]/bad.tar: not a bundle: it is compressed with gzip; expected an uncompressed tar archive

    $ mcpmark bundle verify [dir]/bad.tar
    error: [dir]/bad.tar: not a bundle: it is compressed with zstd; expected an uncompressed tar archive

    $ mcpmark bundle verify [dir]/bad.tar
    error: [dir]/bad.tar: not a bundle: it is compressed with xz; expected an uncompressed tar archive
    ");
    let refused = verify(&[b'x'; 2048]).exits(4);
    insta::assert_snapshot!(refused.message(), @"error: [dir]/bad.tar: the archive is damaged at byte 0: the checksum of a header is not an octal number");
    let refused = verify(&[0; 1024]).exits(4);
    insta::assert_snapshot!(refused.message(), @"error: [dir]/bad.tar: not a bundle: oci-layout is missing");
    let refused = environment
        .run(["bundle", "verify", "nowhere.tar"])
        .exits(2);
    insta::assert_snapshot!(refused.message(), @"error: cannot read nowhere.tar: No such file or directory (os error 2)");
    let mut transcript = String::new();
    for text in ["oci://", "oci://Host/UPPER", "oci://host/a@sha256:1"] {
        let refused = environment.run(["bundle", "inspect", text]).exits(2);
        transcript += &refused.transcript();
    }
    insta::assert_snapshot!(transcript, @r#"
    $ mcpmark bundle inspect oci://
    error: invalid bundle reference "oci://": the repository is missing
    hint: write it as oci://HOST/REPOSITORY:TAG

    $ mcpmark bundle inspect oci://Host/UPPER
    error: invalid bundle reference "oci://Host/UPPER": the repository may contain only a-z, 0-9, `.`, `_`, `-` and `/`
    hint: write it as oci://HOST/REPOSITORY:TAG

    $ mcpmark bundle inspect oci://host/a@sha256:1
    error: invalid bundle reference "oci://host/a@sha256:1": the digest is not valid
    hint: write it as oci://HOST/REPOSITORY:TAG
    "#);
}

/// Changes the configs of a suite in a layout, and updates all digests.
fn edit(dir: &Path, change: &dyn Fn(&mut Value)) {
    let blobs = dir.join("blobs/sha256");
    let read = |named: &Value| -> Value {
        let digest = text(&named["digest"]);
        let bytes = fs::read(blobs.join(digest.strip_prefix("sha256:").unwrap()));
        serde_json::from_slice(&bytes.unwrap()).unwrap()
    };
    let write = |named: &mut Value, document: &Value| {
        let bytes = document.to_string();
        let digest = mcpmark_snapshot::Digest::of(bytes.as_bytes());
        fs::write(blobs.join(digest.hex()), &bytes).unwrap();
        named["digest"] = json!(digest);
        named["size"] = json!(bytes.len());
    };
    let file = dir.join("index.json");
    let mut index: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let mut suite = read(&index["manifests"][0]);
    let mut moved = HashMap::new();
    // Worlds come first, because tasks refer to them by digest.
    for kind in ["world", "task"] {
        for one in suite["manifests"].as_array_mut().unwrap() {
            if !text(&one["artifactType"]).contains(kind) {
                continue;
            }
            let (before, mut manifest) = (text(&one["digest"]), read(one));
            let mut config = read(&manifest["config"]);
            if kind == "task" {
                let world: &Value = &moved[&text(&config["world"]["digest"])];
                for key in ["digest", "size"] {
                    config["world"][key] = world[key].clone();
                }
            }
            change(&mut config);
            write(&mut manifest["config"], &config);
            write(one, &manifest);
            moved.insert(before, one.clone());
        }
    }
    write(&mut index["manifests"][0], &suite);
    fs::write(file, index.to_string()).unwrap();
}

#[test]
fn a_bundle_that_cannot_be_used_is_refused_whatever_its_digests() {
    type Change = fn(&mut Value);
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    for (at, (of_task, change, word)) in [
        (true, (|_| {}) as Change, ""),
        (true, |it| it["parts"]["meta"] = json!({}), "meta.json"),
        (
            true,
            |it| it["parts"]["world"]["clock"] = json!(5),
            "its clock differs from the clock of its world",
        ),
        (
            true,
            |it| it["parts"]["task"] = json!("nowhere/office/easy"),
            "service \"nowhere\" is not supported",
        ),
        (false, |it| it["clock"] = json!("soon"), "clock"),
        (
            false,
            |it| it["bytes"] = json!(1_u64 << 40),
            "the limit is 4294967296",
        ),
        (
            false,
            |it| it["bytes"] = json!(it["bytes"].as_u64().unwrap() + 1),
            "bytes, but its config states ",
        ),
        (
            false,
            |it| it["entries"] = json!(it["entries"].as_u64().unwrap() + 1),
            "entries, but its config states ",
        ),
        (
            true,
            |it| it["parts"]["meta"]["profile"] = json!("9.9"),
            "unknown profile \"9.9\"",
        ),
        (
            true,
            |it| it["guests"][0]["can"] = json!("nothing at all"),
            "expected \"nothing at all\" (",
        ),
        (
            true,
            |it| {
                let mut more = it["guests"][0].clone();
                more["can"] = json!("nothing at all");
                it["guests"].as_array_mut().unwrap().push(more);
            },
            "describes its verifier twice",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let dir = environment.path(&format!("bundle-{at}"));
        pack(&library, &dir, &[]);
        edit(&dir, &|config| {
            if config["parts"].is_object() == of_task {
                change(config);
            }
        });
        let told = environment.run(["bundle", "verify", dir.to_str().unwrap()]);
        match word {
            "" => drop(told.exits(0)),
            word => drop(told.exits(4).says(&[word])),
        }
    }
}

#[test]
fn a_bundle_takes_the_place_of_another_only_where_that_is_meant() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let path = |name: &str| environment.path(name).display().to_string();
    let written = |name: &str, more: &[&str]| {
        let to = path(name);
        library.run(["bundle", "pack", "-o", &to].iter().chain(more))
    };
    let mut transcript = String::new();
    for name in ["a.zip", "a.tar.gz", "a.TAR"] {
        let refused = written(name, &[]).exits(2);
        transcript += &refused.transcript();
        assert!(!environment.path(name).exists());
    }
    insta::assert_snapshot!(transcript, @r"
    $ mcpmark bundle pack -o [dir]/a.zip
    error: [dir]/a.zip: unsupported file extension .zip
    hint: name a new directory, or a file that ends with .tar

    $ mcpmark bundle pack -o [dir]/a.tar.gz
    error: [dir]/a.tar.gz: unsupported file extension .gz
    hint: name a new directory, or a file that ends with .tar

    $ mcpmark bundle pack -o [dir]/a.TAR
    error: [dir]/a.TAR: unsupported file extension .TAR
    hint: name a new directory, or a file that ends with .tar
    ");
    fs::create_dir(environment.path("empty")).unwrap();
    environment.directory("full", &[("notes.txt", "mine\n")]);
    for name in ["file", "file.tar"] {
        fs::write(environment.path(name), "mine\n").unwrap();
    }
    let mut transcript = String::new();
    for name in ["empty", "suite-v1.2", "suite.tar"] {
        written(name, &[]).exits(0);
        let first = files_of(&environment.path(name));
        let refused = written(name, &[]).exits(2);
        transcript += &refused.transcript();
        // The new bundle contains no files of the old one.
        library.easy_task("another");
        written(name, &["--force"]).exits(0);
        assert_ne!(files_of(&environment.path(name)), first);
        fs::remove_dir_all(library.task_dir("another")).unwrap();
        written(name, &["--force"]).exits(0);
        assert_eq!(files_of(&environment.path(name)), first);
        environment.run(["bundle", "verify", &path(name)]).exits(0);
    }
    insta::assert_snapshot!(transcript, @r"
    $ mcpmark bundle pack -o [dir]/empty
    error: [dir]/empty: already exists
    hint: --force replaces it

    $ mcpmark bundle pack -o [dir]/suite-v1.2
    error: [dir]/suite-v1.2: already exists
    hint: --force replaces it

    $ mcpmark bundle pack -o [dir]/suite.tar
    error: [dir]/suite.tar: already exists
    hint: --force replaces it
    ");
    let refused = written("none/suite.tar", &[]).exits(2);
    insta::assert_snapshot!(refused.message(), @r"
    error: [dir]/none/suite.tar: directory [dir]/none does not exist
    hint: create it, or name another location
    ");
    let mut transcript = String::new();
    for more in [&[][..], &["--force"]] {
        let refused = written("full", more).exits(2);
        transcript += &refused.transcript();
        let refused = written("file", more).exits(2);
        transcript += &refused.transcript();
        let refused = written("file.tar", more).exits(2);
        transcript += &refused.transcript();
    }
    insta::assert_snapshot!(
        "a_bundle_takes_the_place_of_another_only_where_that_is_meant",
        transcript
    );
    assert!(environment.path("full/notes.txt").exists());
}

/// Returns the paths and contents of a bundle's files.
fn files_of(bundle: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let paths = if bundle.is_dir() {
        super::files(bundle)
    } else {
        vec![bundle.to_owned()]
    };
    let content = |path: PathBuf| {
        let bytes = fs::read(&path).unwrap();
        (path, bytes)
    };
    paths.into_iter().map(content).collect()
}
