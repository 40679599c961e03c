//! Property test: a failed call changes nothing, for any arguments and quotas.

use mcpmark_filesystem::PROFILES;
use mcpmark_service::SessionLimits;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{WORLD, World};

fn path() -> impl Strategy<Value = String> {
    let known = prop::sample::select(
        WORLD
            .iter()
            .map(|(path, _)| (*path).to_owned())
            .collect::<Vec<_>>(),
    );
    prop_oneof![
        6 => known,
        2 => "[a-c]{1,2}(/[a-c]{1,2}){0,3}",
        1 => Just(String::new()),
        1 => "(sub|empty|dir_in)/[a-c.]{1,3}",
        1 => prop::sample::select(vec![255_usize, 256, 219]).prop_map(|length| "n".repeat(length)),
        1 => prop::sample::select(vec!["..", "../x", "/", "a\0", "/workspace ", "C:\\x"])
            .prop_map(str::to_owned),
    ]
}

pub(crate) fn call() -> impl Strategy<Value = (&'static str, Value)> {
    let text = prop_oneof![".{0,20}", Just("y".repeat(300))];
    prop_oneof![
        (path(), text.clone())
            .prop_map(|(path, content)| ("write_file", json!({"path": path, "content": content}))),
        (path(), "[a-z]{0,2}", text).prop_map(|(path, old, new)| {
            let edits = json!([
                {"oldText": old, "newText": new},
                {"oldText": "a", "newText": "b"},
            ]);
            ("edit_file", json!({"path": path, "edits": edits}))
        }),
        path().prop_map(|path| ("create_directory", json!({"path": path}))),
        (path(), path()).prop_map(|(source, destination)| {
            let arguments = json!({"source": source, "destination": destination});
            ("move_file", arguments)
        }),
        path().prop_map(|path| ("read_text_file", json!({"path": path, "tail": 1}))),
        path().prop_map(|path| ("directory_tree", json!({"path": path}))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_failing_call_leaves_the_world_as_it_was(
        profile in prop::sample::select(PROFILES),
        calls in prop::collection::vec(call(), 1..30),
        bytes in 150_u64..800,
        entries in 20_u64..30,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let limits = SessionLimits {
            max_bytes: bytes,
            max_files: entries,
            ..SessionLimits::default()
        };
        runtime.block_on(async {
            let world = World::as_of(Some(profile), WORLD, limits).await;
            let mut before = world.capture().await;
            for (tool, arguments) in calls {
                let output = world.call(tool, arguments.clone()).await;
                let after = world.capture().await;
                if output.is_error {
                    prop_assert_eq!(after.digest(), before.digest(), "{} {}", tool, arguments);
                }
                prop_assert!(after.total_size() <= bytes, "{} {}", tool, arguments);
                prop_assert!(after.len() <= entries, "{} {}", tool, arguments);
                before = after;
            }
            Ok(())
        })?;
    }
}
