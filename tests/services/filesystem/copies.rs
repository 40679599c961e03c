//! Comparison of private copies as overlay mounts and as plain copies: an agent reads and leaves the same in both.

use mcpmark_filesystem::{Filesystem, PROFILES};
use mcpmark_service::{Service, SessionLimits, ToolClient};
use mcpmark_snapshot::{CopyMethod, Digest, ScratchSpace};
use mcpmark_test_support::{Need, skip};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{self, WORLD, World};
use crate::unchanged::call;

/// Opens a world with both kinds of private copies. Skips the test and returns `None` if overlay mounts are not
/// available.
async fn pair(profile: &str) -> Option<[World; 2]> {
    let overlaid = World::as_of(Some(profile), WORLD, SessionLimits::default()).await;
    let probed = ScratchSpace::probe(overlaid.home.path(), CopyMethod::Overlay);
    if let Err(error) = probed {
        skip(Need::Overlay, &error);
        return None;
    }
    let mut written = World::as_of(Some(profile), WORLD, SessionLimits::default()).await;
    let limits = SessionLimits::default();
    let mut state = support::state(&written.start, &written.store, written.home.path(), limits);
    state.profile = Some(profile.to_owned());
    state.scratch = ScratchSpace::plain(written.home.path());
    written.session = Filesystem.open(state).await.unwrap();
    written.client = ToolClient::connect(&*written.session).await.unwrap();
    Some([overlaid, written])
}

/// Makes a call in both worlds. Returns the text and the digest of the state, which must be equal.
async fn both(pair: &[World; 2], tool: &str, arguments: &Value) -> (String, Digest) {
    let mut told = Vec::new();
    for world in pair {
        let output = world.call(tool, arguments.clone()).await;
        told.push((output.text(), world.capture().await.digest()));
    }
    assert_eq!(told[0], told[1], "{tool} {arguments}");
    told.swap_remove(0)
}

/// Compares the output of all listing tools.
async fn look(pair: &[World; 2]) {
    for tool in [
        "list_directory",
        "list_directory_with_sizes",
        "directory_tree",
    ] {
        both(pair, tool, &json!({"path": "."})).await;
    }
    both(pair, "search_files", &json!({"path": ".", "pattern": "**"})).await;
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_same_calls_say_and_leave_the_same(
        profile in prop::sample::select(PROFILES),
        calls in prop::collection::vec(call(), 1..30),
    ) {
        runtime().block_on(async {
            let Some(pair) = pair(profile).await else { return };
            for (tool, arguments) in &calls {
                both(&pair, tool, arguments).await;
            }
            look(&pair).await;
        });
    }
}

#[tokio::test]
async fn directories_move_with_all_that_is_in_them() {
    for profile in PROFILES {
        let Some(pair) = pair(profile).await else {
            return;
        };
        let start = pair[0].start.clone();
        let move_ = |from: &str, to: &str| json!({"source": from, "destination": to});
        // The kernel cannot rename directories of the lower layer. Modification times and the rest are kept.
        for (from, to) in [
            ("old.txt", "sub/old.txt"),
            ("run.sh", "sub/deep/run.sh"),
            ("sub", "moved"),
            ("moved/deep", "deep"),
            ("deep", "moved/deep"),
        ] {
            both(&pair, "move_file", &move_(from, to)).await;
            look(&pair).await;
        }
        let after = pair[0].capture().await;
        for (now, before) in [
            ("moved/old.txt", "old.txt"),
            ("moved/deep/run.sh", "run.sh"),
            ("moved/deep/c.txt", "sub/deep/c.txt"),
        ] {
            let entry = |tree: &mcpmark_snapshot::Tree, path: &str| {
                let path = mcpmark_snapshot::TreePath::parse(path).unwrap();
                tree.get(&path).cloned()
            };
            assert_eq!(entry(&after, now), entry(&start, before), "{now}");
        }
        both(&pair, "get_file_info", &json!({"path": "moved/old.txt"})).await;
        // Moves onto existing targets: an empty directory, a non-empty one, and a file.
        both(&pair, "create_directory", &json!({"path": "sub"})).await;
        both(&pair, "move_file", &move_("moved", "empty")).await;
        both(&pair, "create_directory", &json!({"path": "full/inner"})).await;
        both(&pair, "move_file", &move_("empty", "full")).await;
        both(&pair, "move_file", &move_("sub", "a.txt")).await;
        look(&pair).await;
    }
}

#[tokio::test]
async fn the_kind_of_an_entry_changes_and_changes_back() {
    for profile in PROFILES {
        let Some(pair) = pair(profile).await else {
            return;
        };
        let write = |path: &str| json!({"path": path, "content": "alpha\nbeta\n"});
        let move_ = |from: &str, to: &str| json!({"source": from, "destination": to});
        let steps = [
            ("move_file", move_("a.txt", "kept.txt")),
            ("create_directory", json!({"path": "a.txt"})),
            ("write_file", write("a.txt/inner")),
            ("move_file", move_("sub", "a.txt/sub")),
            ("write_file", write("sub")),
            ("move_file", move_("a.txt", "away")),
            ("move_file", move_("kept.txt", "a.txt")),
            ("move_file", move_("sub", "note")),
            ("move_file", move_("away/sub", "sub")),
        ];
        for (tool, arguments) in &steps {
            both(&pair, tool, arguments).await;
            look(&pair).await;
        }
        let after = pair[0].capture().await;
        for name in ["a.txt", "sub"] {
            let path = mcpmark_snapshot::TreePath::parse(name).unwrap();
            assert_eq!(after.get(&path), pair[0].start.get(&path), "{name}");
        }
    }
}
