//! Round trips through the disk and the store.

use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use mcpmark_snapshot::{
    Blobs, CaptureOptions, MaterialiseOptions, Node, Scratch, Snapshot, Store, TreePath, capture,
    materialise, scratch_parent,
};
use proptest::prelude::*;

use crate::trees::world;

const CLOCK: i64 = 1_700_000_000;

fn scratch() -> Scratch {
    Scratch::new(&scratch_parent(None)).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn disk_and_store(world in world(true)) {
        let tree = world.tree();
        let home = scratch();
        let store = Store::open(home.path().join("store")).unwrap();
        let options = MaterialiseOptions { clock: Some(CLOCK) };
        let capturing = CaptureOptions { clock: Some(CLOCK), ..CaptureOptions::default() };

        // From memory to disk, and captured without a base.
        let first = home.path().join("first");
        let blobs = Arc::new(world.blobs);
        materialise(&tree, &*blobs, &first, &options).unwrap();
        let captured = capture(&first, &store, &capturing).unwrap();
        // A time that equals the world's clock is captured as none.
        prop_assume!(tree.files().all(|(_, file)| file.modified != Some(CLOCK)));
        prop_assert_eq!(&captured, &tree);
        prop_assert_eq!(captured.digest(), tree.digest());

        // The store contains everything: the tree, the bytes, and a second copy on disk can be made from it.
        let snapshot = store.snapshot(&tree.digest()).unwrap();
        prop_assert_eq!(&snapshot.tree, &tree);
        for (path, file) in tree.files() {
            prop_assert_eq!(snapshot.read(&path).unwrap(), blobs.read(&file.content).unwrap());
        }
        let second = home.path().join("second");
        let written = materialise(&tree, &store, &second, &options).unwrap();
        let base = Some((&tree, &written));
        let again = capture(&second, &store, &CaptureOptions { base, ..capturing }).unwrap();
        prop_assert_eq!(again.digest(), tree.digest());

        for (path, node) in tree.walk(&TreePath::root()) {
            let metadata = second.join(path.as_str()).symlink_metadata().unwrap();
            let mode = metadata.permissions().mode() & 0o7777;
            match node {
                Node::Directory(_) => prop_assert_eq!(mode, 0o755),
                Node::File(file) => {
                    prop_assert_eq!(mode, if file.executable { 0o755 } else { 0o644 });
                }
                Node::Symlink(_) => prop_assert!(metadata.is_symlink()),
            }
        }
    }

    #[test]
    fn from_memory_to_a_store(world in world(true)) {
        let home = scratch();
        let store = Store::open(home.path()).unwrap();
        let snapshot = Snapshot::new(world.tree(), Arc::new(world.blobs));
        let digest = store.put_snapshot(&snapshot).unwrap();
        prop_assert_eq!(digest, snapshot.digest());
        let loaded = store.snapshot(&digest).unwrap();
        prop_assert_eq!(&loaded.tree, &snapshot.tree);
        for (path, _) in loaded.tree.files() {
            prop_assert_eq!(loaded.read(&path).unwrap(), snapshot.read(&path).unwrap());
        }
    }
}
