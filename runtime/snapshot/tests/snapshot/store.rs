//! Store on disk.

use std::error::Error;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use mcpmark_snapshot::{Blobs, Digest, Scratch, Store, StoreError, scratch_parent};

fn scratch() -> Scratch {
    Scratch::new(&scratch_parent(None)).unwrap()
}

fn count(dir: &Path) -> usize {
    fs::read_dir(dir).map_or(0, Iterator::count)
}

#[test]
fn layout() {
    let home = scratch();
    let store = Store::open(home.path().join("a/b")).unwrap();
    let digest = store.put(b"abc").unwrap();
    assert_eq!(digest, Digest::of(b"abc"));
    let hex = digest.hex();
    let blob = store.path().join("blobs").join(&hex[..2]).join(&hex[2..]);
    assert_eq!(blob, store.blob_path(&digest));
    assert_eq!(fs::read(&blob).unwrap(), b"abc");
    assert_eq!(fs::metadata(&blob).unwrap().permissions().mode() & 0o222, 0);
    assert_eq!(
        fs::read_to_string(store.path().join("format")).unwrap(),
        "1\n"
    );
    assert_eq!(count(&store.path().join("tmp")), 0);

    let again = Store::open(store.path()).unwrap();
    assert!(again.contains(&digest));
    assert_eq!(again.read(&digest).unwrap(), b"abc");
    assert_eq!(again.read_range(&digest, 1, 1).unwrap(), b"b");
    let missing = again.read(&Digest::of(b"x")).unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::NotFound);
    assert_eq!(
        missing.to_string(),
        format!("blob {} is missing", Digest::of(b"x"))
    );
}

#[test]
fn a_batch_appears_at_its_commit_or_never() {
    let home = scratch();
    let store = Store::open(home.path()).unwrap();
    let fill = || {
        let mut batch = store.batch();
        let digests: Vec<_> = (0..50_u32)
            .map(|i| batch.put_bytes(&i.to_le_bytes()).unwrap())
            .collect();
        let large = vec![7; 2_500_000];
        let (digest, length) = batch.put_reader(&large[..]).unwrap();
        assert_eq!((digest, length), (Digest::of(&large), 2_500_000));
        assert_eq!(batch.put_reader(&large[..]).unwrap().0, digest);
        (batch, digests, digest)
    };
    let (batch, digests, large) = fill();
    assert!(!store.contains(&digests[0]) && !store.contains(&large));
    drop(batch);
    assert_eq!(
        (
            count(&home.path().join("blobs")),
            count(&home.path().join("tmp"))
        ),
        (0, 0)
    );

    let (batch, digests, large) = fill();
    batch.commit().unwrap();
    assert!(digests.iter().all(|digest| store.contains(digest)));
    assert_eq!(store.read(&large).unwrap().len(), 2_500_000);
    assert_eq!(count(&home.path().join("tmp")), 0);
}

#[test]
fn damaged_blobs_are_told_and_cut_off_ones_are_mended() {
    let home = scratch();
    let store = Store::open(home.path()).unwrap();
    let digest = store.put(b"content").unwrap();
    let blob = store.blob_path(&digest);
    let overwrite = |bytes: &[u8]| {
        fs::remove_file(&blob).unwrap();
        fs::write(&blob, bytes).unwrap();
    };
    for bytes in [&b"CONTENT"[..], b"cont", b""] {
        overwrite(bytes);
        let error = store.read(&digest).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        assert_eq!(error.to_string(), format!("blob {digest} is damaged"));
    }
    store.put(b"content").unwrap();
    assert_eq!(store.read(&digest).unwrap(), b"content");
}

#[test]
fn many_writers_of_the_same_blobs() {
    let home = scratch();
    std::thread::scope(|scope| {
        for worker in 0..8_u32 {
            let dir = home.path();
            scope.spawn(move || {
                let store = Store::open(dir).unwrap();
                for i in 0..20_u32 {
                    let shared = format!("shared {i}");
                    let digest = store.put(shared.as_bytes()).unwrap();
                    assert_eq!(store.read(&digest).unwrap(), shared.as_bytes());
                    let mut batch = store.batch();
                    for j in 0..10 {
                        batch
                            .put_bytes(format!("{} {i} {j}", worker % 2).as_bytes())
                            .unwrap();
                    }
                    batch.commit().unwrap();
                }
            });
        }
    });
    let store = Store::open(home.path()).unwrap();
    for i in 0..20 {
        assert!(store.contains(&Digest::of(format!("shared {i}").as_bytes())));
        for j in 0..10 {
            let text = format!("1 {i} {j}");
            assert_eq!(
                store.read(&Digest::of(text.as_bytes())).unwrap(),
                text.as_bytes()
            );
        }
    }
    assert_eq!(count(&home.path().join("tmp")), 0);
}

#[test]
fn format_is_checked() {
    let home = scratch();
    Store::open(home.path()).unwrap();
    fs::write(home.path().join("format"), "2\n").unwrap();
    let error = Store::open(home.path()).unwrap_err();
    assert!(matches!(error, StoreError::NewerFormat { found: 2, .. }));
    assert!(
        error
            .to_string()
            .contains("has format 2, but this version reads formats up to 1")
    );
    for bad in ["", "0\n", "one", "-1"] {
        fs::write(home.path().join("format"), bad).unwrap();
        let error = Store::open(home.path()).unwrap_err();
        assert!(matches!(error, StoreError::BadFormat { .. }), "{bad:?}");
    }
}

#[test]
fn remains_of_a_crash_are_swept_after_a_day() {
    let home = scratch();
    Store::open(home.path()).unwrap();
    let tmp = home.path().join("tmp");
    for (name, hours) in [("old", 25), ("recent", 23)] {
        fs::create_dir(tmp.join(name)).unwrap();
        fs::write(tmp.join(name).join("blob"), "half").unwrap();
        let time = SystemTime::now() - Duration::from_secs(hours * 60 * 60);
        let dir = fs::File::open(tmp.join(name)).unwrap();
        dir.set_modified(time).unwrap();
    }
    Store::open(home.path()).unwrap();
    assert!(!tmp.join("old").exists());
    assert!(tmp.join("recent/blob").exists());
}

#[test]
fn a_failed_write_names_the_path() {
    let home = scratch();
    let store = Store::open(home.path()).unwrap();
    let tmp = home.path().join("tmp");
    fs::remove_dir(&tmp).unwrap();
    fs::write(&tmp, "in the way").unwrap();
    let error = store.put(b"abc").unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("cannot write {tmp:?} in the blob store")
    );
    assert!(error.source().is_some());
    assert!(!store.contains(&Digest::of(b"abc")));
}
