//! The interface behind which the rest of the program sees a service.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use mcpmark_sandbox::{GradeData, Interface, LoadError, Sandbox, ScriptServices};
use mcpmark_service::{Service, ServiceError};
use mcpmark_snapshot::{Blobs, Snapshot, Store, Tree, TreePath};
use mcpmark_task::scaffold::Scaffold;
use mcpmark_task::{GuestRole, TaskId};
use serde_json::Value;

use crate::{Mutation, ScriptInvocation, ScriptVariables, Summary, WorldGuest, WorldGuests};

/// The reason why a service cannot run that the program does not have.
pub const NO_SUCH_SERVICE: &str = "this mcpmark has no such service";

/// Everything that the program knows about one service.
pub trait ServiceKind: Send + Sync + 'static {
    /// The name of the service, as tasks and the command line write it.
    fn name(&self) -> &'static str;

    /// Whether the service can run on this machine.
    fn availability(&self) -> Availability {
        match self.service(&WorldGuests::default()) {
            Some(_) => Availability::InProcess,
            None => Availability::Missing(NO_SUCH_SERVICE.to_owned()),
        }
    }

    /// Stops what the service keeps between sessions, such as a database server. Called once, when no session is
    /// open; it may block.
    fn shutdown(&self) {}

    // Acting.

    /// The service for worlds with these guests; none where only published tasks of it are known.
    fn service(&self, guests: &WorldGuests) -> Option<Arc<dyn Service>>;

    /// Whether any directory is a world of the service.
    fn takes_any_directory(&self) -> bool {
        false
    }

    // Worlds.

    /// The roles of the guests that worlds of the service may have.
    fn guest_roles(&self) -> &'static [GuestRole] {
        &[]
    }

    /// Loads the guest of one of [`guest_roles`](Self::guest_roles).
    ///
    /// # Errors
    ///
    /// When the component is none of that role.
    fn load_guest(
        &self,
        _role: GuestRole,
        sandbox: &Sandbox,
        component: &[u8],
    ) -> Result<WorldGuest, LoadError> {
        let verifier = sandbox.verifier(component)?;
        Ok(WorldGuest::new(component, verifier))
    }

    /// The names of the documents that a world of the service consists of.
    fn documents(&self) -> &'static [&'static str] {
        &[]
    }

    /// The JSON schema of one of [`documents`](Self::documents).
    fn schema(&self, _document: &str) -> Option<Value> {
        None
    }

    /// Whether a tree looks like a world of the service. Only what shows a tree to a person may ask: an agent decides
    /// what is in its state, so that a grade never depends on this.
    fn resembles_world(&self, _tree: &Tree) -> bool {
        false
    }

    /// A summary of a state; none where its files say it all.
    ///
    /// # Errors
    ///
    /// When the tree is no world of the service.
    fn summarize(
        &self,
        _tree: &Tree,
        _blobs: &dyn Blobs,
        _scratch: &Path,
    ) -> Result<Option<Summary>, ServiceError> {
        Ok(None)
    }

    /// The importer of published templates.
    fn importer(&self) -> Option<&dyn TemplateImporter> {
        None
    }

    // Published tasks.

    /// The part that a directory lacks as the state of a published task, in words that follow "which"; none if it is
    /// complete.
    fn lacks(&self, _dir: &Path) -> Option<&'static str> {
        None
    }

    /// Whether published tasks that name neither a world nor a state start from an empty one.
    fn starts_from_nothing(&self) -> bool {
        false
    }

    /// The arguments and variables of the script of a published task.
    fn script_invocation(&self, _task: &TaskId) -> ScriptInvocation {
        ScriptInvocation::default()
    }

    /// The variables that the published harness sets for the scripts of the service.
    fn script_variables(&self) -> ScriptVariables {
        ScriptVariables::default()
    }

    // Grading.

    /// The interfaces that guests may import for the sake of this service.
    fn guest_interfaces(&self) -> Vec<Interface> {
        Vec::new()
    }

    /// The engines that answer [`guest_interfaces`](Self::guest_interfaces); temporary files lie below `scratch`.
    fn guest_engines(&self, data: GradeData, _scratch: &Path) -> GradeData {
        data
    }

    /// The interface for scripts that judge a state of this service, at the instant `clock` of its world; none if the
    /// state has nothing to ask.
    fn script_backend(
        &self,
        _state: &Snapshot,
        _clock: i64,
        _guests: &WorldGuests,
    ) -> Option<ScriptBackend> {
        None
    }

    // Certification.

    /// The mutations of the service's own, beside [`Mutation::GENERAL`].
    fn mutations(&self) -> &'static [Mutation] {
        &[]
    }

    /// Mutates solved worlds by the rules of the service; none where its worlds are mutated file by file.
    ///
    /// # Errors
    ///
    /// When one of the two states is no world of the service.
    fn mutator<'a>(
        &self,
        _solved: Solved<'a>,
    ) -> Result<Option<Box<dyn StateMutator + 'a>>, MutateError> {
        Ok(None)
    }

    /// Whether a file of a state means nothing by itself, so that a difference in it explains nothing.
    fn is_noise(&self, _path: &TreePath) -> bool {
        false
    }

    /// The first files of a new task.
    fn scaffold(&self) -> Option<&'static Scaffold> {
        None
    }
}

impl fmt::Debug for dyn ServiceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ServiceKind").field(&self.name()).finish()
    }
}

/// Whether a service can run on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Availability {
    /// It runs in this process and needs nothing.
    InProcess,
    /// It cannot run, and why.
    Missing(String),
}

/// The interface of a state for scripts.
pub struct ScriptBackend {
    /// Answers the requests.
    pub services: Arc<dyn ScriptServices>,
    /// Variables that follow from the state.
    pub environment: Vec<(String, String)>,
}

/// The states before and after a solution, and where bytes are read and written.
#[derive(Clone, Copy)]
pub struct Solved<'a> {
    /// The starting state.
    pub start: &'a Tree,
    /// The state that the solution left.
    pub end: &'a Tree,
    /// The bytes of both.
    pub blobs: &'a dyn Blobs,
    /// Takes the bytes of mutants.
    pub store: &'a Store,
    /// The directory for temporary files.
    pub scratch: &'a Path,
}

/// Mutates one solved world.
pub trait StateMutator {
    /// Solved worlds with one thing wrong each. The same worlds give the same mutants in the same order.
    ///
    /// # Errors
    ///
    /// When a mutant cannot be written.
    fn mutants(&mut self) -> Result<Vec<StateMutant>, MutateError>;

    /// The texts that the solution wrote, for mutations of text.
    ///
    /// # Errors
    ///
    /// When the state cannot be read.
    fn texts(&self) -> Result<Vec<MutableText>, MutateError>;

    /// The solved world with another text in the place of the one at `index` of [`texts`](Self::texts).
    ///
    /// # Errors
    ///
    /// When the mutant cannot be written.
    fn with_text(&self, index: usize, text: &str) -> Result<Tree, MutateError>;
}

/// A solved world with one thing wrong.
#[derive(Debug, Clone)]
pub struct StateMutant {
    /// The mutation.
    pub mutation: Mutation,
    /// The place that was mutated, in the words of the service.
    pub place: String,
    /// The change, in words.
    pub what: String,
    /// The mutant; its bytes are in the store.
    pub tree: Tree,
}

/// A text that a solution wrote.
#[derive(Debug, Clone)]
pub struct MutableText {
    /// The place, in the words of the service.
    pub place: String,
    /// The path, by whose extension a text is known.
    pub path: String,
    /// The text of the starting state.
    pub before: Option<String>,
    /// The text of the solved state.
    pub text: String,
}

/// A solved world could not be mutated.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct MutateError(Box<dyn std::error::Error + Send + Sync>);

impl MutateError {
    /// Wraps the error of a service.
    pub fn new(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(source.into())
    }
}

/// Imports published templates of worlds.
pub trait TemplateImporter {
    /// The entries that a directory with a template has, for a message.
    fn layout(&self) -> &'static str;

    /// Checks a login.
    ///
    /// # Errors
    ///
    /// With the rule that it breaks.
    fn check_login(&self, login: &str) -> Result<(), &'static str>;

    /// Imports a template.
    ///
    /// # Errors
    ///
    /// When it is broken, or the world cannot be written.
    fn import(&self, request: ImportRequest<'_>) -> Result<Imported, ImportError>;
}

/// A template to be imported.
#[derive(Clone, Copy)]
pub struct ImportRequest<'a> {
    /// The template.
    pub template: &'a Tree,
    /// The account that the world will belong to.
    pub owner: &'a str,
    /// The account by which everything is written.
    pub viewer: &'a str,
    /// The instant of the world, in seconds since 1970-01-01T00:00:00Z.
    pub clock: i64,
    /// Reads the template and takes the world.
    pub store: &'a Store,
    /// The directory for temporary files.
    pub scratch: &'a Path,
}

/// An imported world.
#[derive(Debug)]
pub struct Imported {
    /// The world; its bytes are in the store.
    pub tree: Tree,
    /// The name of the world in its service, such as `owner/name`.
    pub name: String,
    /// The key of the name for programs.
    pub name_key: &'static str,
    /// Numbers of imported entries: the key for programs, the noun in the singular, the number.
    pub counts: Vec<(&'static str, &'static str, usize)>,
    /// Entries that were not imported.
    pub skipped: Vec<SkippedEntry>,
}

/// An entry that was not imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedEntry {
    /// The document and the entry in it.
    pub place: String,
    /// The title of the entry.
    pub title: String,
    /// The reason.
    pub why: String,
}

/// A template could not be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The template is broken.
    #[error(transparent)]
    Template(Box<dyn std::error::Error + Send + Sync>),
    /// The template cannot be read, or the world cannot be written.
    #[error(transparent)]
    Host(Box<dyn std::error::Error + Send + Sync>),
}
