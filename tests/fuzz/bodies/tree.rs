//! Fuzz target of encoded directories from a store or an archive. Each line is one. `@3` in a line stands for the
//! digest of line 3, so that references survive mutations of other lines. The last line is the root.

use std::path::{Component, Path};

use mcpmark_snapshot::{
    CaptureOptions, Digest, MaterialiseOptions, MemoryBlobs, Scratch, Store, Tree, TreePath,
    capture, materialise, scratch_parent,
};

const CLOCK: i64 = 1_700_000_000;

pub(crate) fn run(bytes: &[u8]) {
    let blobs = MemoryBlobs::new();
    let mut digests: Vec<Digest> = vec![blobs.put("hello"), blobs.put("")];
    for line in bytes.split(|byte| *byte == b'\n').take(64) {
        let mut line = line.to_vec();
        if let Ok(text) = std::str::from_utf8(&line) {
            path(text);
            let _ = text.parse::<Digest>();
            let mut text = text.to_owned();
            for (number, digest) in digests.iter().enumerate().rev() {
                text = text.replace(&format!("@{number}"), &digest.to_string());
            }
            line = text.into_bytes();
        }
        digests.push(blobs.put(line));
    }
    let Some(root) = digests.last() else {
        return;
    };
    if let Ok(tree) = Tree::load(root, &blobs) {
        assert_eq!(tree.digest(), *root);
        judge(&tree, &blobs);
    }
}

/// Checks that an accepted path has only normal components.
fn path(text: &str) {
    let Ok(path) = TreePath::parse(text) else {
        return;
    };
    assert_eq!(path.as_str(), text);
    let components = Path::new(text).components();
    assert!(
        components
            .clone()
            .all(|it| matches!(it, Component::Normal(_)))
    );
    assert_eq!(components.count(), path.segments().count());
}

fn judge(tree: &Tree, blobs: &MemoryBlobs) {
    let entries: Vec<_> = tree.walk(&TreePath::root()).collect();
    assert!(entries.is_sorted_by(|a, b| a.0.as_str() < b.0.as_str()));
    assert_eq!(entries.len() as u64, tree.len());
    if entries.len() > 200 || tree.total_size() > 1 << 20 {
        return;
    }
    let home = Scratch::new(&scratch_parent(None)).unwrap();
    let inside = home.path().join("inside");
    let options = MaterialiseOptions { clock: Some(CLOCK) };
    let written = materialise(tree, blobs, &inside, &options);
    let there = std::fs::read_dir(home.path()).unwrap();
    assert!(
        there
            .map(|it| it.unwrap().file_name())
            .all(|it| it == "inside"),
        "something was written beside the tree"
    );
    // The capture leaves out a modification time that equals the clock, so such trees do not survive the round trip.
    let timeless = tree.files().all(|(_, file)| file.modified != Some(CLOCK));
    if written.is_ok() && timeless {
        let store = Store::open(home.path().join("store")).unwrap();
        let options = CaptureOptions {
            clock: Some(CLOCK),
            ..CaptureOptions::default()
        };
        let captured = capture(&inside, &store, &options).unwrap();
        assert_eq!(captured.digest(), tree.digest());
    }
}
