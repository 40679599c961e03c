//! Fuzz target of foreign `meta.json` and `world.json` files. The first line is a selector or an id. The text up to a
//! line `---` is `meta.json`, and the rest is `world.json`.

use std::fs;

use mcpmark_snapshot::{Scratch, scratch_parent};
use mcpmark_task::{Library, Selector, TaskId, WorldId};

const META: &str = r#"{"task_id": "t", "task_name": "T", "description": "d", "difficulty": "L1",
    "category_id": "w", "world": "filesystem/w", "judged_on": ["state"]}"#;
const WORLD: &str = r#"{"title": "W", "license": "CC0-1.0", "clock": "2025-07-04T09:00:00Z"}"#;

pub(crate) fn run(bytes: &[u8]) {
    let (name, files) = split(bytes, b"\n");
    names(&String::from_utf8_lossy(name));
    let (meta, world) = split(files, b"\n---\n");
    let or = |bytes: &[u8], usual: &str| match bytes {
        [] => usual.as_bytes().to_vec(),
        bytes => bytes.to_vec(),
    };

    let home = Scratch::new(&scratch_parent(None)).unwrap();
    let task_dir = home.path().join("tasks/filesystem/w/t");
    let world_dir = home.path().join("worlds/filesystem/w");
    fs::create_dir_all(&task_dir).unwrap();
    fs::create_dir_all(world_dir.join("files")).unwrap();
    for (file, content) in [
        (task_dir.join("meta.json"), or(meta, META)),
        (task_dir.join("description.md"), b"Do it.".to_vec()),
        (task_dir.join("verifier.wasm"), b"\0asm".to_vec()),
        (task_dir.join("solution.wasm"), b"\0asm".to_vec()),
        (world_dir.join("world.json"), or(world, WORLD)),
        (world_dir.join("files/a.txt"), b"a".to_vec()),
    ] {
        fs::write(file, content).unwrap();
    }

    let library = Library::at(home.path());
    let tasks = library.tasks().unwrap();
    assert_eq!(tasks.tasks.len() + tasks.broken.len(), 1);
    let worlds = library.worlds().unwrap();
    assert_eq!(worlds.worlds.len() + worlds.broken.len(), 1);
    let tasks = tasks.broken.iter().map(|it| it.error.to_string());
    let worlds = worlds.broken.iter().map(|it| it.error.to_string());
    let home = home.path().display().to_string();
    for message in tasks.chain(worlds) {
        assert!(!message.is_empty() && !message.contains(&home), "{message}");
    }
}

fn split<'a>(bytes: &'a [u8], at: &[u8]) -> (&'a [u8], &'a [u8]) {
    match bytes.windows(at.len()).position(|window| window == at) {
        Some(found) => (&bytes[..found], &bytes[found + at.len()..]),
        None => (bytes, &[]),
    }
}

/// Checks that the parts of a task id and of a world id are plain directory names.
fn names(text: &str) {
    let selector = text.parse::<Selector>();
    let plain = |part: &str| {
        !part.is_empty() && !part.starts_with('.') && !part.contains(['/', '\\', '\0'])
    };
    if let Ok(id) = text.parse::<TaskId>() {
        assert_eq!(id.to_string(), text);
        assert!([id.service(), id.group(), id.name()].into_iter().all(plain));
        assert!(selector.is_ok_and(|selector| selector.matches(&id)));
    }
    if let Ok(id) = text.parse::<WorldId>() {
        assert_eq!(id.to_string(), text);
        assert!([id.service(), id.name()].into_iter().all(plain));
    }
}
