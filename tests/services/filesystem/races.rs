//! Concurrent readers and writers of the private copy while tools work on it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use mcpmark_filesystem::Filesystem;
use mcpmark_service::{Service, SessionLimits, ToolClient};
use mcpmark_snapshot::{ScratchSpace, Store};
use serde_json::json;

use crate::support::{WORLD, World, state, tree};

/// Returns a world whose private copy is a plain directory, with that directory.
async fn world() -> (World, PathBuf) {
    let home = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::open(home.path().join("store")).unwrap());
    let start = tree(&store, WORLD);
    let mut state = state(&start, &store, home.path(), SessionLimits::default());
    state.scratch = ScratchSpace::plain(home.path());
    let session = Filesystem.open(state).await.unwrap();
    let client = ToolClient::connect(&*session).await.unwrap();
    let root = holder(home.path(), "nonl.txt").expect("the copy lies beneath the home");
    let world = World {
        session,
        client,
        start,
        store,
        home,
    };
    (world, root)
}

/// Returns the directory that contains an entry with this name.
fn holder(dir: &Path, name: &str) -> Option<PathBuf> {
    if dir.join(name).symlink_metadata().is_ok() {
        return Some(dir.to_owned());
    }
    let entries = fs::read_dir(dir).ok()?.flatten();
    let mut below = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    below.find_map(|entry| holder(&entry.path(), name))
}

#[tokio::test]
async fn a_file_is_seen_as_it_was_or_as_it_is_and_never_in_between() {
    let (world, root) = world().await;
    let text = |letter: &str| letter.repeat(300_000);
    let write = async |letter| {
        let arguments = json!({"path": "a.txt", "content": text(letter)});
        world.ok("write_file", arguments).await;
    };
    write("a").await;
    let (done, reads) = (AtomicBool::new(false), AtomicUsize::new(0));
    let (done, reads) = (Arc::new(done), Arc::new(reads));
    let reader = thread::spawn({
        let (done, reads) = (Arc::clone(&done), Arc::clone(&reads));
        let file = root.join("a.txt");
        let whole = [text("a"), text("b")];
        move || {
            while !done.load(Ordering::Relaxed) {
                let found = fs::read_to_string(&file).expect("it is there at every moment");
                assert!(whole.contains(&found), "{} bytes", found.len());
                reads.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    for _ in 0..40 {
        write("b").await;
        write("a").await;
    }
    // On a busy machine the reader may not have run yet.
    while reads.load(Ordering::Relaxed) == 0 && !reader.is_finished() {
        write("b").await;
    }
    done.store(true, Ordering::Relaxed);
    reader.join().unwrap();
}

#[tokio::test]
async fn a_directory_that_becomes_a_link_in_mid_call_leads_nowhere() {
    // Error messages contain the old text of an edit, so the edit uses only the first word.
    const SECRET: &str = "kept outside of every world";
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("b.md"), SECRET).unwrap();
    let (mut sessions, mut worked) = (0, 0);
    // The first path that leads outside ends the session, so the test needs many sessions.
    while sessions < 100 || (sessions < 1_000 && worked == 0) {
        sessions += 1;
        let (world, root) = world().await;
        let (done, swaps) = (AtomicBool::new(false), AtomicUsize::new(0));
        let (done, swaps) = (Arc::new(done), Arc::new(swaps));
        let swapper = thread::spawn({
            let (done, swaps) = (Arc::clone(&done), Arc::clone(&swaps));
            let (directory, aside) = (root.join("sub"), root.join("aside"));
            let outside = outside.path().to_owned();
            move || {
                while !done.load(Ordering::Relaxed) {
                    fs::rename(&directory, &aside).unwrap();
                    symlink(&outside, &directory).unwrap();
                    fs::remove_file(&directory).unwrap();
                    fs::rename(&aside, &directory).unwrap();
                    swaps.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
        // On a busy machine the thread may start late.
        while swaps.load(Ordering::Relaxed) == 0 && !swapper.is_finished() {
            thread::yield_now();
        }
        let edits = json!([{"oldText": "kept", "newText": "told"}]);
        let calls = [
            ("read_text_file", json!({"path": "sub/b.md"})),
            (
                "write_file",
                json!({"path": "sub/deep/c.txt", "content": "c"}),
            ),
            ("edit_file", json!({"path": "sub/b.md", "edits": edits})),
            ("get_file_info", json!({"path": "sub/b.md"})),
            ("list_directory_with_sizes", json!({"path": "sub"})),
        ];
        for (tool, arguments) in calls.iter().cycle().take(25) {
            let arguments = arguments.as_object().cloned().unwrap();
            let timeout = Duration::from_secs(60);
            let called = world.client.call(tool, arguments, timeout).await;
            let text = match &called {
                Ok(output) => output.text(),
                // The server refused the call and ended the session because of the swap.
                Err(error) => error.to_string(),
            };
            assert!(!text.contains(SECRET), "{tool}: {text}");
            match called {
                Ok(output) => worked += usize::from(!output.is_error),
                Err(_) => break,
            }
        }
        done.store(true, Ordering::Relaxed);
        swapper.join().unwrap();
    }
    assert!(worked > 0, "no call ever came through");
    let left: Vec<_> = fs::read_dir(outside.path()).unwrap().flatten().collect();
    assert_eq!(left.len(), 1, "{left:?}");
    let secret = fs::read_to_string(outside.path().join("b.md")).unwrap();
    assert_eq!(secret, SECRET);
}
