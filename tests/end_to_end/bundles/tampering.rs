//! Whatever is changed in a bundle is noticed, and what is none is named.

use std::fs;

use super::{files, pack};
use crate::environment::Environment;
use crate::library::Library;

#[test]
fn whatever_is_changed_in_a_bundle_is_noticed() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let dir = environment.path("bundle");
    let packed = pack(&library, &dir, &[]);
    let verify = || environment.run(["bundle", "verify", dir.to_str().unwrap(), "--json"]);
    assert_eq!(verify().exits(0).json()["digest"], packed["digest"]);
    for file in files(&dir) {
        let sound = fs::read(&file).unwrap();
        let step = (sound.len() / 12).max(1);
        for at in (0..sound.len()).step_by(step) {
            let mut bytes = sound.clone();
            bytes[at] ^= 0x01;
            fs::write(&file, &bytes).unwrap();
            let told = verify();
            // The index of a layout has no digest: what it names must be the same all the same.
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
        // A link to the right bytes is one all the same.
        let aside = environment.path("aside");
        fs::write(&aside, &sound).unwrap();
        std::os::unix::fs::symlink(&aside, &file).unwrap();
        verify().exits(4).says(&["regular file"]);
        fs::remove_file(&file).unwrap();
        fs::write(&file, &sound).unwrap();
    }
    verify().exits(0);
}

#[test]
fn what_is_no_bundle_is_named() {
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
    verify(&sound[..sound.len() / 2])
        .exits(4)
        .says(&["ends in the middle"]);
    verify(b"PK\x03\x04")
        .exits(4)
        .says(&["bad.tar", "ends in the middle"]);
    verify(&[b'x'; 2048]).exits(4).says(&["damaged at byte 0"]);
    verify(&[0; 1024]).exits(4).says(&["it has no oci-layout"]);
    environment
        .run(["bundle", "verify", "nowhere.tar"])
        .exits(2)
        .says(&["nowhere.tar"]);
    for (text, word) in [
        ("oci://", "names no repository"),
        ("oci://Host/UPPER", "repository has other than"),
        ("oci://host/a@sha256:1", "digest is none"),
    ] {
        environment
            .run(["bundle", "inspect", text])
            .exits(2)
            .says(&[word]);
    }
    let again = pack(&library, &environment.path("d"), &[]);
    assert!(again["digest"].is_string());
    let args = [
        "bundle",
        "pack",
        "-o",
        environment.path("d").to_str().unwrap(),
    ]
    .map(str::to_owned);
    library.run(args).exits(2).says(&["is not empty"]);
}
