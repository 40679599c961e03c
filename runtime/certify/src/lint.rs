use mcpmark_snapshot::{Change, Node, Snapshot, TreePath};
use mcpmark_task::Task;
use serde_json::Value;

use crate::report::Check;
use crate::tree_view;

/// How long an instruction is where it leaves nothing open and nothing out, in characters.
const LENGTH: std::ops::RangeInclusive<usize> = 1000..=3000;
/// Shorter texts stand in other files by chance.
const LEAK: usize = 24;

/// What can be told from the documents of a task: checks, and remarks that stop nothing.
pub(crate) fn documents(task: &Task, world: &Snapshot) -> (Vec<Check>, Vec<String>) {
    let mut remarks = Vec::new();
    let length = task.instruction.trim().chars().count();
    if !LENGTH.contains(&length) {
        remarks.push(format!(
            "the instruction has {length} characters; {} to {} are usual",
            LENGTH.start(),
            LENGTH.end()
        ));
    }
    let meta = &task.meta;
    let mut missing = Vec::new();
    for (key, is_there) in [
        (
            "task_name",
            meta.document.get("task_name").is_some_and(Value::is_string),
        ),
        ("description", meta.description.is_some()),
        ("author", meta.author.is_some()),
        ("created_at", meta.created_at.is_some()),
        ("tags", !meta.tags.is_empty()),
    ] {
        if !is_there {
            missing.push(key);
        }
    }
    if task.solution.is_none() {
        missing.push("a solution");
    }
    if task.cheats.is_empty() {
        missing.push("a cheat");
    }
    let mut detail = if missing.is_empty() {
        format!(
            "{length} characters, {}, {}",
            meta.difficulty,
            meta.tags.join(", ")
        )
    } else {
        format!("missing: {}", missing.join(", "))
    };
    let is_own = meta.task_id == task.id.name();
    if !is_own {
        detail = format!(
            "task_id is {:?}, and the directory {:?}",
            meta.task_id,
            task.id.name()
        );
    }
    let mut checks = vec![Check {
        name: "the documents are complete".to_owned(),
        passed: missing.is_empty() && is_own,
        detail,
    }];
    match meta.meta_data.get("stateContent").and_then(Value::as_str) {
        None => remarks.push("meta_data.stateContent has no tree view; --write adds it".to_owned()),
        Some(view) => {
            let is_current = view.trim() == tree_view(&world.tree);
            checks.push(Check {
                name: "the tree view is that of the world".to_owned(),
                passed: is_current,
                detail: if is_current {
                    format!("{} lines", view.lines().count())
                } else {
                    "meta_data.stateContent shows another tree; --write mends it".to_owned()
                },
            });
        }
    }
    (checks, remarks)
}

/// Whether what the solution wrote, or answered, can be found somewhere as a whole.
pub(crate) fn leaks(
    task: &Task,
    world: &Snapshot,
    end: &Snapshot,
    changes: &[Change],
    answer: Option<&str>,
) -> Check {
    let text = |snapshot: &Snapshot, path: &TreePath| {
        let bytes = snapshot.read(path).ok()?;
        String::from_utf8(bytes).ok()
    };
    let mut wanted: Vec<(String, String)> = Vec::new();
    for change in changes {
        let Some(Node::File(file)) = &change.after else {
            continue;
        };
        // What was moved or copied stood there all along.
        let is_copy = world
            .tree
            .files()
            .any(|(_, other)| other.content == file.content);
        if !is_copy && let Some(text) = text(end, &change.path) {
            wanted.push((change.path.to_string(), text));
        }
    }
    wanted.extend(answer.map(|answer| ("the answer".to_owned(), answer.to_owned())));
    wanted.retain(|(_, text)| text.trim().chars().count() >= LEAK);

    let mut places = vec![("the instruction".to_owned(), task.instruction.clone())];
    for (path, _) in world.tree.files() {
        places.extend(text(world, &path).map(|text| (path.to_string(), text)));
    }
    for (path, text) in &wanted {
        for (place, content) in &places {
            if content.contains(text.trim()) {
                return leak(false, format!("{path} stands as a whole in {place}"));
            }
        }
    }
    leak(
        true,
        format!("{} texts, {} places", wanted.len(), places.len()),
    )
}

fn leak(passed: bool, detail: String) -> Check {
    Check {
        name: "no answer lies in the world or the instruction".to_owned(),
        passed,
        detail,
    }
}
