//! Fuzz target of foreign bundles: an archive of world states, compressed or not, and a layout as a tar file.

use std::fs;
use std::path::Path;

use mcpmark_archive::states::{self, StatesError};
use mcpmark_archive::tar::Bounds;
use mcpmark_bundle::{Bundle, Layout, SUITE, Source, TASK, UnpackedCorpus, fetch, unpack};
use mcpmark_snapshot::{Digest, Scratch, Store, scratch_parent};
use mcpmark_task::Library;

const BOUNDS: Bounds = Bounds {
    entries: 100,
    bytes: 1 << 20,
};

pub(crate) fn run(bytes: &[u8]) {
    let home = Scratch::new(&scratch_parent(None)).unwrap();
    let store = Store::open(home.path().join("store")).unwrap();
    read(bytes, &store);
    // Compresses the input, so that a mutation does not only break the compression.
    read(&zstd::encode_all(bytes, 1).unwrap(), &store);
    for (digest, _) in store.blobs().unwrap() {
        let kept = fs::read(store.blob_path(&digest)).unwrap();
        assert_eq!(Digest::of(&kept), digest);
    }
    let file = home.path().join("bundle.tar");
    fs::write(&file, bytes).unwrap();
    layout(&file, home.path());
    let mut names: Vec<_> = fs::read_dir(home.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.retain(|name| {
        !["store", "bundle.tar", "unpacked"]
            .iter()
            .any(|known| name == known)
    });
    assert!(names.is_empty(), "{names:?}");
}

fn read(stream: &[u8], store: &Store) {
    let before = store.blobs().unwrap();
    match states::read(stream, BOUNDS, store) {
        Ok(contents) => {
            for tree in contents.trees {
                store.load_tree(&tree).unwrap();
            }
        }
        // The blobs are complete and valid, but a tree is not.
        Err(StatesError::Tree(_)) => {}
        Err(error) => {
            assert!(!error.is_infrastructure(), "{error}");
            assert_eq!(store.blobs().unwrap(), before, "{error}");
        }
    }
}

fn layout(file: &Path, home: &Path) {
    let Ok(layout) = Layout::open(file) else {
        return;
    };
    let root = layout.one_of(&[SUITE, TASK]);
    let Ok(bundle) = root.and_then(|root| Bundle::read(&layout, root)) else {
        return;
    };
    judge(&bundle, &layout, home);
}

/// Checks that the blobs of a bundle match their digests, and that an unpacked library has all tasks of the bundle.
pub(crate) fn judge(bundle: &Bundle, source: &dyn Source, home: &Path) {
    for (what, descriptor) in bundle.blobs() {
        if let Ok(bytes) = fetch(source, &what, &descriptor, 1 << 20) {
            assert_eq!(Digest::of(&bytes), descriptor.digest);
        }
    }
    let unpacked = home.join("unpacked");
    fs::create_dir(&unpacked).unwrap();
    if unpack(bundle, source, &Default::default(), &unpacked).is_ok()
        && UnpackedCorpus::of(bundle, &unpacked).is_none()
    {
        let tasks = Library::at(&unpacked).tasks().unwrap();
        assert_eq!(tasks.tasks.len() + tasks.broken.len(), bundle.tasks.len());
    }
}
