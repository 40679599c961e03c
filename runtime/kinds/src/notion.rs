//! The notion service, whose worlds are workspaces.

use std::sync::Arc;

use mcpmark_notion::NotionService;
use mcpmark_service::Service;
use mcpmark_snapshot::{Tree, TreePath};
use mcpmark_task::TaskId;

use crate::invocation::{ScriptInvocation, ScriptVariables};
use crate::published::{self, NOTION};
use crate::{ServiceKind, WorldGuests};

#[derive(Debug, Clone, Copy)]
pub(crate) struct NotionKind;

impl ServiceKind for NotionKind {
    fn name(&self) -> &'static str {
        NotionService.name()
    }

    fn service(&self, _guests: &WorldGuests) -> Option<Arc<dyn Service>> {
        Some(Arc::new(NotionService))
    }

    fn resembles_world(&self, tree: &Tree) -> bool {
        let has = |path| TreePath::parse(path).is_ok_and(|path| tree.get(&path).is_some());
        has("workspace.json") && (has("pages") || has("databases"))
    }

    fn script_invocation(&self, task: &TaskId) -> ScriptInvocation {
        published::notion(task)
    }

    fn script_variables(&self) -> ScriptVariables {
        NOTION
    }

    /// The tools of version 1.9.1 have no annotations. Version 2.5.2 describes the search and the query as destructive.
    fn only_reads(&self, tool: &str) -> bool {
        let is_get = ["API-get-", "API-retrieve-"]
            .iter()
            .any(|prefix| tool.starts_with(prefix));
        is_get || ["API-post-database-query", "API-post-search"].contains(&tool)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_that_change_nothing_only_read() {
        let tools = NotionService.tools(None);
        let reads = tools.iter().filter(|tool| NotionKind.only_reads(tool));
        assert_eq!((reads.count(), tools.len()), (11, 19));
        for tool in ["API-patch-page", "API-post-page", "API-delete-a-block"] {
            assert!(!NotionKind.only_reads(tool), "{tool}");
        }
    }
}
