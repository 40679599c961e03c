use std::path::PathBuf;
use std::sync::Arc;

use mcpmark_agent::Oracle;
use mcpmark_experiment::{PrepareError, Prepared, TaskPreparer};
use mcpmark_kinds::Services;
use mcpmark_sandbox::{LoadError, Sandbox, Verifier};
use mcpmark_service::SessionLimits;
use mcpmark_snapshot::{CaptureError, MemoryBlobs, ScratchSpace, Store};
use mcpmark_task::build::{BuildEvent, Builder};
use mcpmark_task::{GuestSource, Library, Task};

use crate::code::{Code, code};
use crate::examination::Examination;
use crate::lint;
use crate::report::{Identity, Mutants, Report};
use crate::sources_digest;

/// Examines tasks.
pub struct Certifier<'a> {
    /// Where tasks and worlds lie.
    pub library: &'a Library,
    /// The services that tasks may be of.
    pub services: &'a Services,
    /// Builds guests.
    pub builder: &'a mut Builder,
    /// Runs guests.
    pub sandbox: &'a Sandbox,
    /// Runs verifiers on the other engine.
    pub other: &'a Sandbox,
    /// Keeps states.
    pub store: &'a Arc<Store>,
    /// Where private copies of worlds are made.
    pub scratch: &'a ScratchSpace,
    /// What this host grants worlds at most.
    pub ceiling: &'a SessionLimits,
    /// Hears what is being built.
    pub report: &'a mut dyn FnMut(BuildEvent),
}

/// Why a task cannot be examined at all.
#[derive(Debug, thiserror::Error)]
pub enum CertifyError {
    /// The task is not valid.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// A guest of the task does not fit the contract.
    #[error("task {task}: the {guest} {source}")]
    Guest {
        /// The task.
        task: String,
        /// Which guest.
        guest: String,
        /// The problem.
        source: Box<LoadError>,
    },
    /// The sources cannot be read.
    #[error("task {task}: {source}")]
    Sources {
        /// The task.
        task: String,
        /// What is wrong with them.
        source: Box<CaptureError>,
    },
    /// The host failed.
    #[error("the host failed: {0}")]
    Host(String),
}

impl CertifyError {
    /// Whether the host is to blame, and not the task.
    pub fn is_infrastructure(&self) -> bool {
        match self {
            Self::Prepare(error) => error.is_infrastructure(),
            Self::Guest { source, .. } => source.is_infrastructure(),
            Self::Host(_) => true,
            Self::Sources { .. } => false,
        }
    }
}

impl Certifier<'_> {
    /// Examines one task.
    ///
    /// # Errors
    ///
    /// When it cannot be examined; a task that is found wanting is a [`Report`].
    pub async fn certify(&mut self, task: &Task) -> Result<Report, CertifyError> {
        let mut prepared = self.prepare(task)?;
        let prepared_task = prepared.pop().ok_or_else(no_task)?;
        let again = self.prepare(task)?.pop().ok_or_else(no_task)?;
        let verifier = prepared_task.judge.component().ok_or_else(no_task)?;
        let cheats = self.cheats(task)?;
        let second = self.second_verifier(task)?;
        let (identity, shared) = self.identity(task, &prepared_task)?;
        let mut examination = Examination {
            task,
            prepared: &prepared_task,
            verifier,
            sandbox: self.sandbox,
            other: self.other,
            second,
            store: self.store,
            scratch: self.scratch,
            memory: Arc::new(MemoryBlobs::new()),
            checks: Vec::new(),
            remarks: Vec::new(),
            played: Vec::new(),
            held_at_start: None,
        };
        let freedoms = examination.freedoms();
        examination.check(
            "setting up twice gives the same world",
            prepared_task.start.digest == again.start.digest,
            prepared_task.start.digest.to_string(),
        );
        let start = examination.snapshot(&prepared_task.start.tree);
        let (documents, remarks) = lint::documents(task, &start);
        examination.checks.extend(documents);
        examination.remarks.extend(remarks);
        let solved = examination.agents(&cheats).await;
        let mutants = match solved {
            Some(solved) => examination.solved(solved, &freedoms).await?,
            None => Mutants::default(),
        };
        Ok(Report {
            identity,
            examined: true,
            checks: examination.checks,
            remarks: examination.remarks,
            shared,
            mutants,
            held_at_start: examination.held_at_start,
        })
    }

    /// What a task is at present, which certificates are bound to, without an examination.
    ///
    /// # Errors
    ///
    /// When it cannot be built or set up.
    pub fn identify(&mut self, task: &Task) -> Result<Identity, CertifyError> {
        let prepared = self.prepare(task)?.pop().ok_or_else(no_task)?;
        Ok(self.identity(task, &prepared)?.0)
    }

    /// The identity, and the sources that the verifier and the solution share.
    fn identity(
        &mut self,
        task: &Task,
        prepared: &Prepared,
    ) -> Result<(Identity, Vec<String>), CertifyError> {
        let sources = sources_digest(task, self.store).map_err(|source| CertifyError::Sources {
            task: task.id.to_string(),
            source: Box::new(source),
        })?;
        let Code { digest, shared } = self.code(task)?;
        let verifier = prepared.judge.component().ok_or_else(no_task)?;
        let identity = Identity {
            task: task.id.to_string(),
            sources,
            code: digest,
            world: prepared.start.digest,
            verifier: verifier.digest(),
        };
        Ok((identity, shared))
    }

    fn prepare(&mut self, task: &Task) -> Result<Vec<Prepared>, CertifyError> {
        let mut preparer = TaskPreparer {
            library: self.library,
            services: self.services,
            builder: self.builder,
            sandbox: self.sandbox,
            store: self.store,
            ceiling: self.ceiling,
            report: self.report,
        };
        Ok(preparer.prepare(std::slice::from_ref(task))?)
    }

    /// The wrong solutions, each ready to be played.
    fn cheats(&mut self, task: &Task) -> Result<Vec<(String, Oracle)>, CertifyError> {
        let parameters = serde_json::Value::Object(task.meta.parameters.clone());
        let parameters = mcpmark_json::canonical(&parameters);
        let mut cheats = Vec::new();
        for (name, source) in &task.cheats {
            let bytes = self.component(source)?;
            let solution = self.sandbox.solution(&bytes);
            let solution = solution.map_err(|source| CertifyError::Guest {
                task: task.id.to_string(),
                guest: format!("cheat {name}"),
                source: Box::new(source),
            })?;
            let oracle = Oracle::new(self.sandbox.clone(), solution, parameters.clone());
            cheats.push((name.clone(), oracle));
        }
        Ok(cheats)
    }

    fn second_verifier(&mut self, task: &Task) -> Result<Verifier, CertifyError> {
        let bytes = self.component(&task.verifier)?;
        let verifier = self.other.verifier(&bytes);
        verifier.map_err(|source| CertifyError::Guest {
            task: task.id.to_string(),
            guest: "verifier".to_owned(),
            source: Box::new(source),
        })
    }

    /// What all guests of the task are compiled of; they are built by now.
    fn code(&mut self, task: &Task) -> Result<Code, CertifyError> {
        let mut guests: Vec<GuestSource> = task.guests().cloned().collect();
        // The digest of the world does not tell of it: it is no part of the tree.
        let world = self
            .library
            .world(&task.world)
            .map_err(PrepareError::from)?;
        guests.extend(world.guests.into_values());
        let built = self.builder.build(&guests, self.report);
        let built = built.map_err(PrepareError::from)?;
        code(self.library, task, &built).map_err(|error| {
            CertifyError::Host(format!("reading the code of task {}: {error}", task.id))
        })
    }

    fn component(&mut self, source: &GuestSource) -> Result<Vec<u8>, CertifyError> {
        let built = self
            .builder
            .build(std::slice::from_ref(source), self.report);
        let built = built.map_err(PrepareError::from)?;
        let path: PathBuf = built.into_iter().next().ok_or_else(no_task)?.path;
        Ok(std::fs::read(&path).map_err(|source| PrepareError::Read { path, source })?)
    }
}

fn no_task() -> CertifyError {
    CertifyError::Host("nothing was built".to_owned())
}
