//! Checks of a task's documents, and the search for leaked answers.

use mcpmark_snapshot::{Change, Node, Snapshot, TreePath};
use mcpmark_task::{Task, Tier};
use serde_json::Value;

use crate::report::Check;
use crate::tree_view;

/// Minimum length of a text that is searched for, in characters. Shorter texts occur in other files by coincidence.
pub(crate) const LEAK: usize = 24;

/// Maximum number of tool calls that the solution of a task of tier `L1` makes.
const L1_CALLS: u32 = 10;

/// Returns a warning if the solution makes more calls than the tier of the task allows. It is no failure, because the
/// number of sources, judgements and artefacts decides too, and a program cannot count them.
pub(crate) fn tier(tier: Tier, calls: u32) -> Option<String> {
    (tier == Tier::L1 && calls > L1_CALLS).then(|| {
        format!(
            "the difficulty is L1, but the solution makes {calls} calls: ask for less, so that {L1_CALLS} are enough, \
             or declare L2"
        )
    })
}

/// Checks the documents of a task against its world. Returns the checks, and remarks that are not failures.
pub(crate) fn documents(task: &Task, world: &Snapshot) -> (Vec<Check>, Vec<String>) {
    let mut remarks = Vec::new();
    let length = task.instruction.trim().chars().count();
    let meta = &task.meta;
    if !meta.judged_on.answer && asks_for_an_answer(&task.instruction) {
        remarks.push(
            "the instruction requests an answer, but the verifier does not see it: add \"answer\" to \
             judged_on, or change the instruction"
                .to_owned(),
        );
    }
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
            "task_id is {:?}, but the directory is {:?}",
            meta.task_id,
            task.id.name()
        );
    }
    // Unknown keys are most likely misspelt.
    if !task.warnings.is_empty() {
        detail = task.warnings.join("; ");
    }
    let mut checks = vec![Check {
        name: "the documents are complete".to_owned(),
        passed: missing.is_empty() && is_own && task.warnings.is_empty(),
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
                    "meta_data.stateContent is not the tree view of the world; --write updates it"
                        .to_owned()
                },
            });
        }
    }
    (checks, remarks)
}

/// Reports whether an instruction seems to ask for an answer, judged by common phrases.
fn asks_for_an_answer(instruction: &str) -> bool {
    let instruction = instruction.to_lowercase();
    [
        "answer with",
        "your answer",
        "answer in one",
        "reply with",
        "your reply",
        "respond with",
        "your response",
        "final message",
        "last message",
        "tell me ",
    ]
    .iter()
    .any(|words| instruction.contains(words))
}

/// Checks that no text that the solution wrote or answered occurs as a whole in the world or in the instruction.
/// Returns remarks on blocks of lines that were added to existing files, and on new files without their first line.
///
/// Single rows are not searched: a row of a list that was filtered, merged or split rightly occurs in its source. Many
/// rows in sequence are an answer, unless the task is to copy them, which only its author can decide.
pub(crate) fn leaks(
    task: &Task,
    world: &Snapshot,
    end: &Snapshot,
    changes: &[Change],
    answer: Option<&str>,
) -> (Check, Vec<String>) {
    let text = |snapshot: &Snapshot, path: &TreePath| {
        let bytes = snapshot.read(path).ok()?;
        String::from_utf8(bytes).ok()
    };
    let mut wanted: Vec<(String, String)> = Vec::new();
    for change in changes {
        let Some(Node::File(file)) = &change.after else {
            continue;
        };
        // The content of moved and copied files existed from the start.
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
    let found = |text: &str| {
        let place = places.iter().find(|(_, content)| content.contains(text));
        place.map(|(place, _)| place.clone())
    };
    for (path, text) in &wanted {
        if let Some(place) = found(text.trim()) {
            let detail = format!("the whole text of {path} occurs in {place}");
            return (leak(false, detail), Vec::new());
        }
    }
    let mut remarks = Vec::new();
    for (path, after) in &wanted {
        let before = TreePath::parse(path).ok();
        let before = before
            .and_then(|path| text(world, &path))
            .unwrap_or_default();
        for part in parts(&before, after) {
            if let Some(place) = found(&part) {
                remarks.push(format!(
                    "{} lines that the solution wrote into {path} occur as one block in {place}",
                    part.lines().count()
                ));
            }
        }
    }
    let detail = format!("{} texts, {} places", wanted.len(), places.len());
    (leak(true, detail), remarks)
}

/// Returns the new lines of a text as one block, if there are several: lines that did not exist before, or in a new
/// file all lines but the first, which may be a header.
fn parts(before: &str, after: &str) -> Vec<String> {
    let old: Vec<&str> = before.lines().collect();
    let new: Vec<&str> = after.lines().filter(|line| !old.contains(line)).collect();
    let mut parts = vec![new.join("\n")];
    if before.is_empty() {
        parts = vec![new.get(1..).unwrap_or_default().join("\n")];
    }
    parts.retain(|part| part.trim().lines().count() > 1 && part.trim().chars().count() >= LEAK);
    parts
}

fn leak(passed: bool, detail: String) -> Check {
    Check {
        name: "no answer lies in the world or the instruction".to_owned(),
        passed,
        detail,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_for_an_answer_are_seen() {
        for asks in [
            "Nothing else may change. Answer with the new number.",
            "In your answer name nobody.",
            "Reply with one sentence.",
        ] {
            assert!(asks_for_an_answer(asks), "{asks}");
        }
        assert!(!asks_for_an_answer(
            "`basis` is the London day of the answer. The letters wait to be answered."
        ));
    }

    #[test]
    fn many_calls_are_remarked_on_in_the_easiest_tier() {
        assert_eq!(tier(Tier::L1, 10), None);
        assert_eq!(
            tier(Tier::L1, 11).as_deref(),
            Some(
                "the difficulty is L1, but the solution makes 11 calls: ask for less, so that 10 are enough, or \
                 declare L2"
            )
        );
        assert_eq!(tier(Tier::L2, 40), None);
        assert_eq!(tier(Tier::L3, 11), None);
    }

    #[test]
    fn new_lines_are_looked_for_together() {
        let row = |number: usize| format!("line {number} of a list, long enough");
        let (one, two, three) = (row(1), row(2), row(3));
        let text = [one.as_str(), &two, &three].join("\n");
        // Only the new lines of an existing file are searched, and all but the header of a new file.
        assert_eq!(parts(&two, &text), [[one.as_str(), &three].join("\n")]);
        assert_eq!(parts("", &text), [[two.as_str(), &three].join("\n")]);
        // A single line may have been requested, or copied.
        assert!(parts(&[one.as_str(), &two].join("\n"), &text).is_empty());
        assert!(parts("", "a,b\n1,2\n3,4\n").is_empty());
    }
}
