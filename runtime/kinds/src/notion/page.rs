//! Page of a workspace that a published task works on.
//!
//! The published harness duplicates the template of the task's category into the workspace, under the words of the
//! category as title, and passes the id of the copy to the verifier.

use mcpmark_notion::NAME;
use mcpmark_notion::model::{Id, Workspace};
use mcpmark_service::ServiceError;
use mcpmark_snapshot::Snapshot;
use mcpmark_task::TaskId;

use super::mutants;
use crate::invocation::InvocationError;

/// Returns the id of the page of a task: the first page at the top level of the starting state whose title has the
/// words of the category. Case, and the characters between words, do not count.
///
/// # Errors
///
/// Returns an error if the state is not a workspace, or has no such page.
pub(super) fn of_task(task: &TaskId, start: &Snapshot) -> Result<String, InvocationError> {
    let workspace = mutants::open(&start.tree, &*start.blobs)
        .map_err(|source| ServiceError::invalid_world(NAME, source))?;
    let wanted = words(task.category().unwrap_or_default());
    let pages: Vec<Id> = pages(&workspace).collect();
    let page = pages
        .iter()
        .find(|id| words(&workspace.title(**id)) == wanted);
    match page {
        Some(id) => Ok(id.to_string()),
        None => Err(InvocationError::NoPage {
            wanted,
            found: pages.into_iter().map(|id| workspace.title(id)).collect(),
        }),
    }
}

/// Returns the pages at the top level that are not in the trash.
fn pages(workspace: &Workspace) -> impl Iterator<Item = Id> {
    let pages = workspace.roots.iter().filter_map(|id| workspace.page(*id));
    pages
        .filter(|(node, _)| !node.trashed)
        .map(|(node, _)| node.id)
}

/// Returns the words of a title or of the name of a category, in lower case and with one space between them.
fn words(text: &str) -> String {
    let words = text.split(|it: char| !it.is_alphanumeric());
    let words: Vec<String> = words
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use mcpmark_snapshot::{File, MemoryBlobs, TreeBuilder, TreePath};
    use serde_json::{Value, json};

    use super::*;
    use crate::ServiceKind as _;
    use crate::notion::NotionKind;

    /// Page with one of the ids 1 to 9.
    fn id(number: u32) -> String {
        format!("00000000-0000-4000-8000-00000000000{number}")
    }

    /// Returns a workspace with these pages at the top level, each with a child page "Japan Travel Planner".
    fn workspace(pages: &[(u32, &str, bool)]) -> Snapshot {
        let (blobs, mut tree) = (MemoryBlobs::new(), TreeBuilder::new());
        let mut insert = |path: &str, document: Value| {
            let text = document.to_string();
            let file = File {
                size: text.len() as u64,
                executable: false,
                modified: None,
                content: blobs.put(text.as_bytes()),
            };
            tree.insert_file(&TreePath::parse(path).unwrap(), file)
                .unwrap();
        };
        let bot = id(9);
        let created = json!({"at": "2025-01-01T00:00:00Z", "by": bot});
        let top: Vec<Value> = pages
            .iter()
            .map(|(it, ..)| json!({"page": id(*it)}))
            .collect();
        let users = json!([{"id": bot, "name": "Bot", "bot": true}]);
        insert(
            "workspace.json",
            json!({"format": 1, "name": "W", "bot": bot, "users": users, "top": top}),
        );
        for (number, title, trashed) in pages {
            let (page, child) = (id(*number), id(*number + 4));
            let document = json!({
                "id": page, "title": title, "created": created, "trashed": trashed, "blocks": [{"page": child}],
            });
            insert(&format!("pages/{page}.json"), document);
            let child_title = "Japan Travel Planner";
            let document = json!({"id": child, "title": child_title, "created": created});
            insert(&format!("pages/{child}.json"), document);
        }
        Snapshot::new(tree.finish(), Arc::new(blobs))
    }

    fn page_of(task: &str, start: &Snapshot) -> Result<String, String> {
        let task: TaskId = task.parse().unwrap();
        let invocation = NotionKind.script_invocation(&task, Some(start));
        let invocation = invocation.map_err(|error| error.to_string())?;
        let [(name, _)] = &invocation.environment[..] else {
            panic!("{invocation:?}");
        };
        assert_eq!(name, "EVAL_NOTION_API_KEY");
        let [page] = &invocation.arguments[..] else {
            panic!("{invocation:?}");
        };
        Ok(page.clone())
    }

    #[test]
    fn the_title_of_the_page_has_the_words_of_the_category() {
        let start = workspace(&[
            (1, "Hub", false),
            (2, "It Trouble-Shooting Hub", true),
            (3, "IT Trouble Shooting Hub 🔧", false),
            (4, "it trouble shooting hub", false),
        ]);
        for task in [
            "notion/it_trouble_shooting_hub/audit",
            "notion/it-trouble-shooting-hub/audit",
        ] {
            assert_eq!(page_of(task, &start), Ok(id(3)));
        }
        let error = page_of("notion/japan_travel_planner/spend", &start).unwrap_err();
        assert_eq!(
            error,
            "the script gets the id of the page \"japan travel planner\" as an argument, but the top level of the \
             workspace has only \"Hub\", \"IT Trouble Shooting Hub 🔧\", \"it trouble shooting hub\"; rename a page, \
             or move it there"
        );
        let error = page_of("notion/hub/a", &workspace(&[])).unwrap_err();
        assert!(error.contains("has no page; rename"), "{error}");
    }

    #[test]
    fn a_state_is_required_and_has_to_be_a_workspace() {
        let task: TaskId = "notion/hub/a".parse().unwrap();
        let error = NotionKind.script_invocation(&task, None).unwrap_err();
        assert!(matches!(error, InvocationError::NoStart { .. }), "{error}");
        let empty = Snapshot::new(TreeBuilder::new().finish(), Arc::new(MemoryBlobs::new()));
        let error = NotionKind
            .script_invocation(&task, Some(&empty))
            .unwrap_err();
        assert!(matches!(error, InvocationError::State(_)), "{error}");
    }
}
