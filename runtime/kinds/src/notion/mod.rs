//! The notion service, whose worlds are workspaces.

mod mutants;
mod page;
mod script;
mod summary;

use std::path::Path;
use std::sync::Arc;

use mcpmark_notion::NotionService;
use mcpmark_notion::overview::{self, Overview};
use mcpmark_service::{Service, ServiceError};
use mcpmark_snapshot::{Blobs, Snapshot, Tree, TreePath};
use mcpmark_task::TaskId;
use serde_json::{Map, Value};

use self::mutants::{MUTATIONS, WorkspaceMutator};
use self::script::WorkspaceServices;
use crate::invocation::{InvocationError, ScriptInvocation, ScriptVariables};
use crate::published::{self, NOTION};
use crate::{
    MutateError, Mutation, ScriptBackend, ServiceKind, Solved, StateMutator, Summary, WorldGuests,
    text_of_file,
};

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

    fn summarize(
        &self,
        tree: &Tree,
        blobs: &dyn Blobs,
        _scratch: &Path,
    ) -> Result<Option<Summary>, ServiceError> {
        let workspace = mutants::open(tree, blobs)
            .map_err(|source| ServiceError::invalid_world(self.name(), source))?;
        Ok(Some(summary::summary(&Overview::new(&workspace))))
    }

    /// Returns the text of a page, row or database, whose place consists of titles joined by `/`, or of the document at
    /// a path.
    fn text_at(
        &self,
        state: &Snapshot,
        _scratch: &Path,
        place: &str,
    ) -> Result<Option<String>, ServiceError> {
        let document = text_of_file(state, place)
            .map_err(|source| ServiceError::set_up(self.name(), source))?;
        if document.is_some() {
            return Ok(document);
        }
        let workspace = mutants::open(&state.tree, &*state.blobs)
            .map_err(|source| ServiceError::invalid_world(self.name(), source))?;
        Ok(overview::text_at(&workspace, place))
    }

    /// The argument is the id of the page that [`page::of_task`] finds in the starting state.
    fn script_invocation(
        &self,
        task: &TaskId,
        start: Option<&Snapshot>,
    ) -> Result<ScriptInvocation, InvocationError> {
        let argument = "the id of a page";
        let start = start.ok_or(InvocationError::NoStart { argument })?;
        Ok(published::notion(page::of_task(task, start)?))
    }

    fn script_variables(&self) -> ScriptVariables {
        NOTION
    }

    fn script_backend(
        &self,
        state: &Snapshot,
        clock: i64,
        _guests: &WorldGuests,
    ) -> Option<ScriptBackend> {
        self.resembles_world(&state.tree).then(|| ScriptBackend {
            services: Arc::new(WorkspaceServices::new(state, clock)),
            environment: Vec::new(),
        })
    }

    fn mutations(&self) -> &'static [Mutation] {
        MUTATIONS
    }

    fn mutator<'a>(
        &self,
        solved: Solved<'a>,
    ) -> Result<Option<Box<dyn StateMutator + 'a>>, MutateError> {
        Ok(Some(Box::new(WorkspaceMutator::new(solved)?)))
    }

    /// The tools of version 1.9.1 have no annotations. Version 2.5.2 describes the search and the query as destructive.
    fn only_reads(&self, tool: &str, _arguments: &Map<String, Value>) -> bool {
        let is_get = ["API-get-", "API-retrieve-"]
            .iter()
            .any(|prefix| tool.starts_with(prefix));
        let other = [
            "API-list-data-source-templates",
            "API-post-database-query",
            "API-post-search",
            "API-query-data-source",
        ];
        is_get || other.contains(&tool)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_that_change_nothing_only_read() {
        for (profile, counts) in [("1.9.1", (11, 19)), ("2.5.2", (14, 24))] {
            let tools = NotionService.tools(Some(profile));
            let reads = tools
                .iter()
                .filter(|tool| NotionKind.only_reads(tool, &Map::new()));
            assert_eq!((reads.count(), tools.len()), counts);
        }
        for tool in ["API-patch-page", "API-post-page", "API-delete-a-block"] {
            assert!(!NotionKind.only_reads(tool, &Map::new()), "{tool}");
        }
    }
}
