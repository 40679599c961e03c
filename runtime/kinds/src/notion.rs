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
}
