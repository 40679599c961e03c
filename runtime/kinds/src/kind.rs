//! Trait through which the rest of the program uses a service.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use mcpmark_sandbox::{GradeData, Interface, LoadError, Sandbox, ScriptServices, Verifier};
use mcpmark_service::{Service, ServiceError};
use mcpmark_snapshot::{Blobs, ReadError, Snapshot, Store, Tree, TreePath};
use mcpmark_task::scaffold::Scaffold;
use mcpmark_task::{GuestRole, TaskId};
use serde_json::{Map, Value};

use crate::{
    InvocationError, Mutation, Requirement, ScriptInvocation, ScriptVariables, Summary, WorldGuest,
    WorldGuests,
};

/// Reason of [`Availability::Missing`] for a service that this program does not implement.
pub const NO_SUCH_SERVICE: &str = "this version of mcpmark does not implement the service";

/// Everything that the program knows about one service.
pub trait ServiceKind: Send + Sync + 'static {
    /// Returns the name of the service, as it is written in task ids and on the command line.
    fn name(&self) -> &'static str;

    /// Reports whether the service can run on this machine.
    fn availability(&self) -> Availability {
        match self.service(&WorldGuests::default()) {
            Some(_) => Availability::InProcess,
            None => Availability::Missing(NO_SUCH_SERVICE.to_owned()),
        }
    }

    /// Stops what the service keeps between sessions, such as a database server. Called once, when no session is
    /// open; it may block.
    fn shutdown(&self) {}

    // Sessions.

    /// Returns the service for worlds with these guests, or `None` if only its published tasks are known.
    fn service(&self, guests: &WorldGuests) -> Option<Arc<dyn Service>>;

    /// Returns the programs that the service needs and that are not installed.
    fn missing_programs(&self) -> Vec<Requirement> {
        Vec::new()
    }

    /// Reports whether any directory is a world of this service.
    fn takes_any_directory(&self) -> bool {
        false
    }

    // Worlds.

    /// Returns the roles of guests that worlds of this service may have.
    fn guest_roles(&self) -> &'static [GuestRole] {
        &[]
    }

    /// Loads a guest with one of the [`guest_roles`](Self::guest_roles). By default, the guest is loaded as a verifier.
    ///
    /// # Errors
    ///
    /// Returns an error if the component is not a guest of that role.
    fn load_guest(
        &self,
        _role: GuestRole,
        sandbox: &Sandbox,
        component: &[u8],
    ) -> Result<WorldGuest, LoadError> {
        let verifier = verifier_without_wasi(sandbox, component)?;
        Ok(WorldGuest::new(component, verifier))
    }

    /// Returns the names of the documents of a world of this service.
    fn documents(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the JSON schema of one of the [`documents`](Self::documents).
    fn schema(&self, _document: &str) -> Option<Value> {
        None
    }

    /// Reports whether a tree looks like a world of this service. Use this only to display a tree to a person: an agent
    /// controls the content of its state, so a grade must not depend on it.
    fn resembles_world(&self, _tree: &Tree) -> bool {
        false
    }

    /// Returns a summary of a state, or `None` if a listing of its files is sufficient.
    ///
    /// # Errors
    ///
    /// Returns an error if the tree is not a world of this service.
    fn summarize(
        &self,
        _tree: &Tree,
        _blobs: &dyn Blobs,
        _scratch: &Path,
    ) -> Result<Option<Summary>, ServiceError> {
        Ok(None)
    }

    /// Returns the text at a place of a state, in terms of the service: by default, of the file at that path. Returns
    /// `None` if nothing is at the place, or no text.
    ///
    /// # Errors
    ///
    /// Returns an error if the state is not a world of this service, or cannot be read.
    fn text_at(
        &self,
        state: &Snapshot,
        _scratch: &Path,
        place: &str,
    ) -> Result<Option<String>, ServiceError> {
        text_of_file(state, place).map_err(|source| ServiceError::set_up(self.name(), source))
    }

    /// Returns the importer of published templates.
    fn importer(&self) -> Option<&dyn TemplateImporter> {
        None
    }

    // Published tasks.

    /// Returns the description of a part that a directory lacks as the state of a published task, as a phrase that
    /// follows "which". Returns `None` if the directory is complete.
    fn lacks(&self, _dir: &Path) -> Option<&'static str> {
        None
    }

    /// Reports whether published tasks that name neither a world nor a state start from an empty state.
    fn starts_from_nothing(&self) -> bool {
        false
    }

    /// Returns the arguments and variables of the script of a published task. They may depend on the starting state,
    /// which is `None` if it is unknown, but not on a final state, because an agent determines its content.
    ///
    /// # Errors
    ///
    /// Returns an error if an argument depends on the starting state, and that state is unknown or lacks the object
    /// that the argument names.
    fn script_invocation(
        &self,
        _task: &TaskId,
        _start: Option<&Snapshot>,
    ) -> Result<ScriptInvocation, InvocationError> {
        Ok(ScriptInvocation::default())
    }

    /// Returns the variables that the published harness sets for scripts of this service.
    fn script_variables(&self) -> ScriptVariables {
        ScriptVariables::default()
    }

    // Grading.

    /// Returns the interfaces that guests may import for this service.
    fn guest_interfaces(&self) -> Vec<Interface> {
        Vec::new()
    }

    /// Adds the engines that implement [`guest_interfaces`](Self::guest_interfaces). They create temporary files in
    /// `scratch`.
    fn guest_engines(&self, data: GradeData, _scratch: &Path) -> GradeData {
        data
    }

    /// Returns the backend for scripts that judge a state of this service, at the time `clock` of its world. Returns
    /// `None` if the state does not need one.
    fn script_backend(
        &self,
        _state: &Snapshot,
        _clock: i64,
        _guests: &WorldGuests,
    ) -> Option<ScriptBackend> {
        None
    }

    // Certification.

    /// Reports whether a call only reads, for tools whose annotations do not tell.
    fn only_reads(&self, _tool: &str, _arguments: &Map<String, Value>) -> bool {
        false
    }

    /// Returns the mutations that only this service has, in addition to [`Mutation::GENERAL`].
    fn mutations(&self) -> &'static [Mutation] {
        &[]
    }

    /// Returns a mutator that follows the rules of the service, or `None` if its worlds are mutated file by file.
    ///
    /// # Errors
    ///
    /// Returns an error if one of the two states is not a world of this service.
    fn mutator<'a>(
        &self,
        _solved: Solved<'a>,
    ) -> Result<Option<Box<dyn StateMutator + 'a>>, MutateError> {
        Ok(None)
    }

    /// Reports whether a file of a state has no meaning by itself, so that explanations ignore differences in it.
    fn is_noise(&self, _path: &TreePath) -> bool {
        false
    }

    /// Returns the initial files of a new task.
    fn scaffold(&self) -> Option<&'static Scaffold> {
        None
    }
}

/// Returns the text of the file at a path of a state. Returns `None` if there is no such file, or its content is not
/// UTF-8.
///
/// # Errors
///
/// Returns an error if the bytes of the file cannot be read.
pub fn text_of_file(state: &Snapshot, path: &str) -> Result<Option<String>, ReadError> {
    let Ok(path) = TreePath::parse(path) else {
        return Ok(None);
    };
    match state.read(&path) {
        Ok(bytes) => Ok(String::from_utf8(bytes).ok()),
        Err(ReadError::NotFound { .. } | ReadError::NotAFile { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

impl fmt::Debug for dyn ServiceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ServiceKind").field(&self.name()).finish()
    }
}

/// Availability of a service on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Availability {
    /// Runs in this process, without other programs.
    InProcess,
    /// Runs with programs of this machine, which the text describes.
    Programs(String),
    /// Runs with programs of this machine, but with a weakness that the text describes.
    Weakened(String),
    /// Cannot run, with the reason.
    Missing(String),
}

/// Backend that a verifier script can query.
pub struct ScriptBackend {
    /// Handler of the script's requests.
    pub services: Arc<dyn ScriptServices>,
    /// Environment variables whose values depend on the state.
    pub environment: Vec<(String, String)>,
}

/// States before and after a solution, with access to the store.
#[derive(Clone, Copy)]
pub struct Solved<'a> {
    /// Starting state.
    pub start: &'a Tree,
    /// Final state of the solution.
    pub end: &'a Tree,
    /// Source of the bytes of both states.
    pub blobs: &'a dyn Blobs,
    /// Store for the bytes of mutants.
    pub store: &'a Store,
    /// Directory for temporary files.
    pub scratch: &'a Path,
}

/// Generator of mutants of one solved world.
pub trait StateMutator {
    /// Returns mutants with one mutation each. The same worlds result in the same mutants in the same order.
    ///
    /// # Errors
    ///
    /// Returns an error if a mutant cannot be written.
    fn mutants(&mut self) -> Result<Vec<StateMutant>, MutateError>;

    /// Returns the texts that the solution wrote, for mutations of text. By default there are none: then
    /// [`mutants`](Self::mutants) changes texts too.
    ///
    /// # Errors
    ///
    /// Returns an error if the state cannot be read.
    fn texts(&self) -> Result<Vec<MutableText>, MutateError> {
        Ok(Vec::new())
    }

    /// Returns the solved world with the text at `index` of [`texts`](Self::texts) replaced by another one.
    ///
    /// # Errors
    ///
    /// Returns an error if the mutant cannot be written.
    fn with_text(&self, index: usize, _text: &str) -> Result<Tree, MutateError> {
        Err(MutateError::new(format!("text {index} does not exist")))
    }
}

/// Solved world with one mutation.
#[derive(Debug, Clone)]
pub struct StateMutant {
    /// Name of the mutation.
    pub mutation: Mutation,
    /// Mutated place, in terms of the service.
    pub place: String,
    /// Description of the change.
    pub what: String,
    /// Tree of the mutant. Its bytes are in the store.
    pub tree: Tree,
}

/// Text that a solution wrote.
#[derive(Debug, Clone)]
pub struct MutableText {
    /// Place of the text, in terms of the service.
    pub place: String,
    /// Path, whose extension determines the format of the text.
    pub path: String,
    /// Text in the starting state, if it existed.
    pub before: Option<String>,
    /// Text in the solved state.
    pub text: String,
}

/// Error of mutating a solved world.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct MutateError(Box<dyn std::error::Error + Send + Sync>);

impl MutateError {
    /// Wraps the error of a service.
    pub fn new(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(source.into())
    }
}

/// Importer of published templates of worlds.
pub trait TemplateImporter {
    /// Returns the names of the entries of a template directory, or a description of the file, for messages.
    fn layout(&self) -> &'static str;

    /// Returns true if a template is a single file, which is then the only entry of its tree. Otherwise it is a
    /// directory.
    fn takes_file(&self) -> bool {
        false
    }

    /// Checks the syntax of a login.
    ///
    /// # Errors
    ///
    /// Returns the rule that the login violates.
    fn check_login(&self, login: &str) -> Result<(), &'static str>;

    /// Imports a template.
    ///
    /// # Errors
    ///
    /// Returns an error if the template is invalid, or if the world cannot be written.
    fn import(&self, request: ImportRequest<'_>) -> Result<Imported, ImportError>;
}

/// Request to import a template.
#[derive(Clone, Copy)]
pub struct ImportRequest<'a> {
    /// Template to import.
    pub template: &'a Tree,
    /// Account that owns the imported world.
    pub owner: &'a str,
    /// Login of the author of all imported content.
    pub viewer: &'a str,
    /// Clock of the world, in seconds since 1970-01-01T00:00:00Z.
    pub clock: i64,
    /// Store that contains the template and receives the world.
    pub store: &'a Store,
    /// Directory for temporary files.
    pub scratch: &'a Path,
}

/// Imported world with statistics of the import.
#[derive(Debug)]
pub struct Imported {
    /// Tree of the world. Its bytes are in the store.
    pub tree: Tree,
    /// Name of the world in its service, such as `owner/name`.
    pub name: String,
    /// Key of the name in JSON output.
    pub name_key: &'static str,
    /// Counts of imported entries, each with its key in JSON output and its noun in the singular.
    pub counts: Vec<(&'static str, &'static str, usize)>,
    /// Entries that were not imported.
    pub skipped: Vec<SkippedEntry>,
}

/// Entry that was not imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedEntry {
    /// Document and position of the entry.
    pub place: String,
    /// Title of the entry.
    pub title: String,
    /// Reason why the entry was skipped.
    pub why: String,
}

/// Error of importing a template.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The template is invalid.
    #[error(transparent)]
    Template(Box<dyn std::error::Error + Send + Sync>),
    /// The template cannot be read, or the world cannot be written.
    #[error(transparent)]
    Host(Box<dyn std::error::Error + Send + Sync>),
}

/// Loads a guest of a world that has the contract of verifiers.
///
/// # Errors
///
/// Returns an error if the component is not a verifier, or if it imports WASI.
pub(crate) fn verifier_without_wasi(
    sandbox: &Sandbox,
    component: &[u8],
) -> Result<Verifier, LoadError> {
    let verifier = sandbox.verifier(component)?;
    if verifier.clock().is_some() {
        return Err(LoadError::Contract {
            kind: "guest of a world",
            message: "it imports WASI, which only the verifier of a task may import".to_owned(),
        });
    }
    Ok(verifier)
}

#[cfg(test)]
mod tests {
    use mcpmark_snapshot::{File, MemoryBlobs, TreeBuilder};

    use super::*;

    #[test]
    fn only_files_of_text_have_a_text() {
        let (blobs, mut tree) = (MemoryBlobs::new(), TreeBuilder::new());
        for (path, content) in [
            ("notes/one.txt", &b"one\n"[..]),
            ("logo.png", &b"\x89PNG"[..]),
        ] {
            let file = File {
                size: content.len() as u64,
                executable: false,
                modified: None,
                content: blobs.put(content),
            };
            tree.insert_file(&TreePath::parse(path).unwrap(), file)
                .unwrap();
        }
        let state = Snapshot::new(tree.finish(), Arc::new(blobs));
        let text = |path| text_of_file(&state, path).unwrap();
        assert_eq!(text("notes/one.txt").as_deref(), Some("one\n"));
        for path in ["logo.png", "notes", "notes/two.txt", "../notes/one.txt", ""] {
            assert_eq!(text(path), None, "{path:?}");
        }
    }
}
