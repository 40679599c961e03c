//! The postgres service, whose worlds are databases.

mod import;
mod mutants;
mod script;
mod sql;
mod summary;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use mcpmark_postgres::import::DumpImporter;
use mcpmark_postgres::inspection::Inspector;
use mcpmark_postgres::state::{Overview, TreeFiles};
use mcpmark_postgres::{
    CGROUP_VARIABLE, CgroupParent, INSTALLATION_VARIABLE, Installation, Isolation, NPM_PACKAGE,
    PostgresService, clock_library,
};
use mcpmark_sandbox::{GradeData, Interface};
use mcpmark_service::{Service, ServiceError, error_chain};
use mcpmark_snapshot::{Blobs, Snapshot, Tree, TreePath};
use mcpmark_task::TaskId;
use serde_json::{Map, Value};

use self::import::DatabaseImporter;
use self::mutants::{DatabaseMutator, MUTATIONS};
use self::script::DatabaseServices;
use self::sql::DatabaseEngine;
use crate::install::is_set;
use crate::invocation::{InvocationError, ScriptInvocation, ScriptVariables};
use crate::published::{self, POSTGRES};
use crate::{
    Availability, MutateError, Mutation, NpmPackage, NpmPackages, Requirement, ScriptBackend,
    ServiceKind, Solved, StateMutator, Summary, TemplateImporter, WorldGuests,
};

/// Directory of golden clusters within the cache.
const GOLDENS: &str = "postgres";

/// Server for machines on which Debian packages cannot be installed.
const SERVER_PACKAGES: &[NpmPackage] = &[NpmPackage {
    name: NPM_PACKAGE,
    version: "17.10.0-beta.17",
    integrity: "sha512-hU4Sgna19ixDP/l3P/zkHhQ9B0JDV39qA97RNz55QcngeRjFC5/1G36LZjODVJ84kVJHUTQMmly7nzWO8js8kg==",
}];

/// Files of which at least one is at the root of every world with content.
const PARTS: [&str; 3] = ["database.sql", "roles.sql", "schemas.sql"];

/// The postgres service, with what it has found out about this machine.
#[derive(Debug)]
pub(crate) struct PostgresKind {
    service: Arc<PostgresService>,
    inspector: Arc<Inspector>,
    importer: DatabaseImporter,
    goldens: PathBuf,
    availability: OnceLock<Availability>,
}

impl PostgresKind {
    /// Creates the service with a cache directory.
    pub(crate) fn new(cache: &Path) -> Self {
        Self {
            service: Arc::new(PostgresService::new(cache.join(GOLDENS))),
            inspector: Arc::new(Inspector::new(None, cache.join(GOLDENS))),
            importer: DatabaseImporter(DumpImporter::new(cache.join(GOLDENS))),
            goldens: cache.join(GOLDENS),
            availability: OnceLock::new(),
        }
    }
}

impl ServiceKind for PostgresKind {
    fn name(&self) -> &'static str {
        self.service.name()
    }

    fn availability(&self) -> Availability {
        let found = self
            .availability
            .get_or_init(|| availability(&self.goldens));
        found.clone()
    }

    fn missing_programs(&self) -> Vec<Requirement> {
        let server = Requirement {
            name: "PostgreSQL",
            is_optional: false,
            debian: &["postgresql"],
            npm: cfg!(target_arch = "x86_64").then(|| NpmPackages {
                dir: Installation::own_directory(&self.goldens),
                packages: SERVER_PACKAGES,
                links: Some("native/pg-symlinks.json"),
            }),
            chosen_by: is_set(INSTALLATION_VARIABLE),
        };
        let clock = Requirement {
            name: "libfaketime",
            is_optional: true,
            debian: &["libfaketime"],
            npm: None,
            chosen_by: None,
        };
        let has_server = Installation::find_beside(&self.goldens).is_ok();
        let server = (!has_server).then_some(server);
        let clock = clock_library().is_none().then_some(clock);
        server.into_iter().chain(clock).collect()
    }

    fn service(&self, _guests: &WorldGuests) -> Option<Arc<dyn Service>> {
        Some(Arc::clone(&self.service) as _)
    }

    fn resembles_world(&self, tree: &Tree) -> bool {
        is_world(tree)
    }

    fn summarize(
        &self,
        tree: &Tree,
        blobs: &dyn Blobs,
        _scratch: &Path,
    ) -> Result<Option<Summary>, ServiceError> {
        let overview = Overview::read(&TreeFiles::new(tree, blobs))
            .map_err(|source| ServiceError::invalid_world(self.name(), source))?;
        Ok(Some(summary::summary(&overview)))
    }

    fn importer(&self) -> Option<&dyn TemplateImporter> {
        Some(&self.importer)
    }

    fn script_invocation(
        &self,
        task: &TaskId,
        _start: Option<&Snapshot>,
    ) -> Result<ScriptInvocation, InvocationError> {
        Ok(published::postgres(task))
    }

    fn script_variables(&self) -> ScriptVariables {
        ScriptVariables::named(POSTGRES)
    }

    fn guest_interfaces(&self) -> Vec<Interface> {
        vec![mcpmark_interfaces::sql::interface()]
    }

    fn guest_engines(&self, data: GradeData, scratch: &Path) -> GradeData {
        let engine = DatabaseEngine::new(Arc::clone(&self.inspector), scratch.to_owned());
        mcpmark_interfaces::sql::with_engine(data, Arc::new(engine))
    }

    fn script_backend(
        &self,
        state: &Snapshot,
        clock: i64,
        _guests: &WorldGuests,
    ) -> Option<ScriptBackend> {
        let services = DatabaseServices::new(Arc::clone(&self.inspector), state, clock);
        Some(ScriptBackend {
            services: Arc::new(services),
            environment: Vec::new(),
        })
    }

    /// The tools of version 0.3.0 have no annotations.
    fn only_reads(&self, tool: &str, arguments: &Map<String, Value>) -> bool {
        mcpmark_postgres::tools::only_reads(tool, arguments)
    }

    fn mutations(&self) -> &'static [Mutation] {
        MUTATIONS
    }

    fn mutator<'a>(
        &self,
        solved: Solved<'a>,
    ) -> Result<Option<Box<dyn StateMutator + 'a>>, MutateError> {
        Ok(Some(Box::new(DatabaseMutator::new(solved))))
    }

    /// Returns true for the version of the form, which is the same in all states. The file is missing only if the
    /// database could not be captured.
    fn is_noise(&self, path: &TreePath) -> bool {
        path.as_str() == "format"
    }
}

/// Reports whether a tree has the files of a database.
fn is_world(tree: &Tree) -> bool {
    let has = |path| TreePath::parse(path).is_ok_and(|path| tree.get(&path).is_some());
    has("format") && PARTS.into_iter().any(has)
}

fn availability(goldens: &Path) -> Availability {
    let installation = match Installation::find_beside(goldens) {
        Ok(installation) => installation,
        Err(error) => return Availability::Missing(error_chain(&error)),
    };
    let isolation = match Isolation::of_machine() {
        Isolation::Namespaces { overlay: true } => "in namespaces, on overlay mounts",
        Isolation::Namespaces { overlay: false } => "in namespaces, on copied data",
        Isolation::Process => {
            "as unprivileged processes without namespaces, which the kernel refuses, so programs that a server runs are \
             not isolated, and worlds whose agent may run programs are refused"
        }
    };
    let clock = match (Isolation::of_machine(), clock_library()) {
        (Isolation::Process, _) => "with the clock of this machine",
        (_, Some(_)) => "with the clock of the world",
        (_, None) => {
            "with the clock of this machine, because libfaketime is not installed (`apt-get install libfaketime`)"
        }
    };
    let memory = match CgroupParent::of_machine() {
        Some(_) => "with a limit of memory for each session".to_owned(),
        None => format!(
            "without a limit of the total memory of a session, because this process may not create cgroups (set \
             {CGROUP_VARIABLE})"
        ),
    };
    let text = format!(
        "PostgreSQL {} in {}; servers run {isolation}, {clock}, {memory}",
        installation.version(),
        installation.bin().display()
    );
    match Isolation::of_machine() {
        Isolation::Namespaces { .. } => Availability::Programs(text),
        Isolation::Process => Availability::Weakened(text),
    }
}
