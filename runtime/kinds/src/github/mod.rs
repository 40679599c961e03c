//! The github service.

mod git;
mod import;
mod mutants;
mod places;
mod script;
mod summary;
mod workflows;

use std::path::Path;
use std::sync::Arc;

use mcpmark_github::world::{self, WorldError};
use mcpmark_github::{GitHub, NAME};
use mcpmark_sandbox::{GradeData, Interface, LoadError, Sandbox};
use mcpmark_service::{Service, ServiceError};
use mcpmark_snapshot::{Blobs, Snapshot, Tree, TreePath};
use mcpmark_task::{GuestRole, TaskId};
use serde_json::Value;

use self::git::GitGuests;
use self::import::RepositoryImporter;
use self::mutants::{MUTATIONS, RepositoryMutator};
use self::script::RepositoryServices;
use self::workflows::WorkflowGuest;
use crate::invocation::{InvocationError, NO_SECRET, ScriptInvocation, variables};
use crate::{
    MutateError, Mutation, ScriptBackend, ScriptVariables, ServiceKind, Solved, StateMutator,
    Summary, TemplateImporter, WorldGuest, WorldGuests,
};

#[derive(Debug, Clone, Copy)]
pub(crate) struct GitHubKind;

impl ServiceKind for GitHubKind {
    fn name(&self) -> &'static str {
        NAME
    }

    fn service(&self, guests: &WorldGuests) -> Option<Arc<dyn Service>> {
        Some(match workflows(guests) {
            Some(guest) => Arc::new(GitHub::with_runner(Arc::new(guest.clone()))),
            None => Arc::new(GitHub::default()),
        })
    }

    fn guest_roles(&self) -> &'static [GuestRole] {
        &[GuestRole::CI]
    }

    fn load_guest(
        &self,
        _role: GuestRole,
        sandbox: &Sandbox,
        component: &[u8],
    ) -> Result<WorldGuest, LoadError> {
        let guest = WorkflowGuest::load(sandbox, component)?;
        Ok(WorldGuest::new(component, guest))
    }

    fn documents(&self) -> &'static [&'static str] {
        &world::DOCUMENTS
    }

    fn schema(&self, document: &str) -> Option<Value> {
        world::schema(document)
    }

    fn resembles_world(&self, tree: &Tree) -> bool {
        world::is_world(tree)
    }

    fn summarize(
        &self,
        tree: &Tree,
        blobs: &dyn Blobs,
        scratch: &Path,
    ) -> Result<Option<Summary>, ServiceError> {
        let opened = world::open(tree, blobs, scratch, 0)?;
        let summary = summary::summary(&opened).map_err(WorldError::from)?;
        Ok(Some(summary))
    }

    fn text_at(
        &self,
        state: &Snapshot,
        scratch: &Path,
        place: &str,
    ) -> Result<Option<String>, ServiceError> {
        let opened = world::open(&state.tree, &*state.blobs, scratch, 0)?;
        let text = places::text_at(&opened, place).map_err(WorldError::from)?;
        Ok(text)
    }

    fn importer(&self) -> Option<&dyn TemplateImporter> {
        Some(&RepositoryImporter)
    }

    fn lacks(&self, dir: &Path) -> Option<&'static str> {
        let is_there = |top: &Path| top.join("repo/.git").is_dir();
        let is_whole = is_there(dir) || is_there(&dir.join("env"));
        (!is_whole).then_some("has no repo/.git, which a github world needs")
    }

    fn script_invocation(
        &self,
        _task: &TaskId,
        _start: Option<&Snapshot>,
    ) -> Result<ScriptInvocation, InvocationError> {
        Ok(ScriptInvocation {
            arguments: Vec::new(),
            // `GITHUB_EVAL_ORG`, the owner of the repository, depends on the state; `script_backend` sets it.
            environment: variables(&[("MCP_GITHUB_TOKEN", NO_SECRET)]),
        })
    }

    fn script_variables(&self) -> ScriptVariables {
        ScriptVariables::named(&["GITHUB_EVAL_ORG", "MCP_GITHUB_TOKEN"])
    }

    fn guest_interfaces(&self) -> Vec<Interface> {
        mcpmark_interfaces::git::interfaces().into()
    }

    fn guest_engines(&self, data: GradeData, scratch: &Path) -> GradeData {
        let engine = GitGuests::new(scratch.to_owned());
        mcpmark_interfaces::git::with_engine(data, Arc::new(engine))
    }

    fn script_backend(
        &self,
        state: &Snapshot,
        clock: i64,
        guests: &WorldGuests,
    ) -> Option<ScriptBackend> {
        let services = RepositoryServices::of(state, clock, workflows(guests))?;
        Some(ScriptBackend {
            environment: services.environment(),
            services: Arc::new(services),
        })
    }

    fn mutations(&self) -> &'static [Mutation] {
        MUTATIONS
    }

    fn mutator<'a>(
        &self,
        solved: Solved<'a>,
    ) -> Result<Option<Box<dyn StateMutator + 'a>>, MutateError> {
        let mutator = RepositoryMutator::new(solved).map_err(MutateError::new)?;
        Ok(Some(Box::new(mutator)))
    }

    /// Returns true for git objects. An unreachable object has no effect, and the reference that makes an object
    /// reachable is the relevant difference.
    fn is_noise(&self, path: &TreePath) -> bool {
        path.as_str().contains(".git/objects/")
    }
}

/// Returns the guest that runs the workflows of a world.
fn workflows(guests: &WorldGuests) -> Option<&WorkflowGuest> {
    guests.get(GuestRole::CI)?.loaded()
}
