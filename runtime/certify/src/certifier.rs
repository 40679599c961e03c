//! Entry point of the certification: builds and prepares a task, then runs all checks.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use mcpmark_build::{BuildEvent, Builder, Built};
use mcpmark_experiment::{Oracle, PrepareError, Prepared, TaskPreparer};
use mcpmark_kinds::Services;
use mcpmark_sandbox::{LoadError, Sandbox, Verifier};
use mcpmark_service::SessionLimits;
use mcpmark_snapshot::{Digest, MemoryBlobs, ScratchSpace, Store};
use mcpmark_task::{GuestSource, Library, Task};

use crate::certification_run::CertificationRun;
use crate::code::{Code, code, uncovered};
use crate::lint;
use crate::report::{Identity, Mutants, Report};
use crate::skeleton::{Rules, Skeleton};
use crate::sources::{SourcesError, sources_digest};
use crate::style::style;

/// Certifier of tasks.
pub struct Certifier<'a> {
    /// Library of tasks and worlds.
    pub library: &'a Library,
    /// Registry of services.
    pub services: &'a Services,
    /// Builder of guests.
    pub builder: &'a mut Builder,
    /// Sandbox that runs guests.
    pub sandbox: &'a Sandbox,
    /// Sandbox with the other engine, which runs verifiers again.
    pub other: &'a Sandbox,
    /// Store of states.
    pub store: &'a Arc<Store>,
    /// Directories for private copies of worlds.
    pub scratch: &'a ScratchSpace,
    /// Highest limits of worlds that this host grants.
    pub ceiling: &'a SessionLimits,
    /// Callback for the progress of builds.
    pub report: &'a mut dyn FnMut(BuildEvent),
}

/// Errors that prevent the certification of a task.
#[derive(Debug, thiserror::Error)]
pub enum CertifyError {
    /// The task is invalid or cannot be prepared.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// A guest of the task cannot be loaded.
    #[error("task {task}: {guest}: {source}")]
    Guest {
        /// Id of the task.
        task: String,
        /// Name of the guest.
        guest: String,
        /// Cause of the error.
        source: Box<LoadError>,
    },
    /// The sources cannot be read.
    #[error("task {task}: {source}")]
    Sources {
        /// Id of the task.
        task: String,
        /// Cause of the error.
        source: Box<SourcesError>,
    },
    /// The host failed.
    #[error("the host failed: {0}")]
    Host(String),
}

impl CertifyError {
    /// Reports whether the host caused the error, and not the task.
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
    /// Certifies one task.
    ///
    /// # Errors
    ///
    /// Returns an error if the certification cannot run. Failed checks are part of the [`Report`] and not errors.
    pub async fn certify(&mut self, task: &Task) -> Result<Report, CertifyError> {
        let mut prepared = self.prepare(task)?;
        let prepared_task = prepared.pop().ok_or_else(no_task)?;
        let again = self.prepare(task)?.pop().ok_or_else(no_task)?;
        let verifier = prepared_task.judge.component().ok_or_else(no_task)?;
        let cheats = self.oracles(task, &task.cheats, "cheat")?;
        let variants = self.oracles(task, &task.variants, "variant")?;
        let uncovered = self.uncovered(task)?;
        let second = self.second_verifier(task)?;
        let second = second.starting_at(prepared_task.start.clock);
        let (identity, shared) = self.identity(task, &prepared_task)?;
        let rules = self.rules(task, identity.verifier)?;
        let mut run = CertificationRun {
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
            scores: BTreeMap::new(),
            variants: BTreeMap::new(),
            failed_readings: Vec::new(),
        };
        let freedoms = run.freedoms();
        run.check(
            "setting up twice gives the same world",
            prepared_task.start.digest == again.start.digest,
            prepared_task.start.digest.to_string(),
        );
        let start = run.snapshot(&prepared_task.start.tree);
        let (documents, remarks) = lint::documents(task, &start);
        run.checks.extend(documents);
        run.remarks.extend(remarks);
        // The names of conditions that hold are part of a certificate, so this one is only listed if it does not.
        if !uncovered.is_empty() {
            run.check(
                "the certificate covers the sources of cheats",
                false,
                format!(
                    "only cheats and variants use {}; move such sources into the task's directory",
                    uncovered.join(", ")
                ),
            );
        }
        let solved = run.agents(&cheats, &variants).await;
        let calls = solved.as_ref().map(|solved| solved.tool_calls);
        let tier = calls.and_then(|calls| lint::tier(task.meta.difficulty, calls));
        let skeleton = solved.as_ref().map(|solved| Skeleton {
            calls: solved.shape,
            rules: rules.digest,
        });
        let mutants = match solved {
            Some(solved) => {
                let strings = rules.strings.as_ref();
                run.solved(solved, &freedoms, strings).await?
            }
            None => Mutants::default(),
        };
        Ok(Report {
            identity,
            examined: true,
            checks: run.checks,
            remarks: run.remarks,
            shared,
            mutants,
            held_at_start: run.held_at_start,
            scores: run.scores,
            variants: run.variants,
            skeleton,
            style: style(&task.instruction).into_iter().chain(tier).collect(),
        })
    }

    /// Returns the digests that certificates of a task are bound to, without certifying the task.
    ///
    /// # Errors
    ///
    /// Returns an error if the task cannot be built or set up.
    pub fn identify(&mut self, task: &Task) -> Result<Identity, CertifyError> {
        let prepared = self.prepare(task)?.pop().ok_or_else(no_task)?;
        Ok(self.identity(task, &prepared)?.0)
    }

    /// Returns the identity of a task, and the sources that its verifier and solution share.
    fn identity(
        &mut self,
        task: &Task,
        prepared: &Prepared,
    ) -> Result<(Identity, Vec<String>), CertifyError> {
        let sources = sources_digest(task).map_err(|source| CertifyError::Sources {
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

    /// Loads cheats or variants, each as an oracle that plays it.
    fn oracles(
        &mut self,
        task: &Task,
        guests: &[(String, GuestSource)],
        noun: &str,
    ) -> Result<Vec<(String, Oracle)>, CertifyError> {
        let parameters = serde_json::Value::Object(task.meta.parameters.clone());
        let parameters = mcpmark_json::canonical(&parameters);
        let mut oracles = Vec::new();
        for (name, source) in guests {
            let bytes = self.component(source)?;
            let solution = self.sandbox.solution(&bytes);
            let solution = solution.map_err(|source| CertifyError::Guest {
                task: task.id.to_string(),
                guest: format!("{noun} {name}"),
                source: Box::new(source),
            })?;
            let oracle = Oracle::new(self.sandbox.clone(), solution, parameters.clone());
            oracles.push((name.clone(), oracle));
        }
        Ok(oracles)
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

    /// Returns the code that a certificate of the task is bound to.
    fn code(&mut self, task: &Task) -> Result<Code, CertifyError> {
        let built = self.covered(task)?;
        code(self.library, task, &built).map_err(|error| {
            CertifyError::Host(format!("cannot read the code of task {}: {error}", task.id))
        })
    }

    /// Reads the rules of a task's verifier, given the digest of its component.
    fn rules(&mut self, task: &Task, component: Digest) -> Result<Rules, CertifyError> {
        let built = self.build(std::slice::from_ref(&task.verifier))?;
        let built = built.first().ok_or_else(no_task)?;
        let sources = &built.compiled_from;
        Rules::read(&task.verifier, sources, component, &self.library.tasks_dir).map_err(|error| {
            CertifyError::Host(format!("cannot read the verifier of {}: {error}", task.id))
        })
    }

    /// Returns the sources of the task's cheats and variants that its certificate would not be bound to.
    fn uncovered(&mut self, task: &Task) -> Result<Vec<String>, CertifyError> {
        let cheats: Vec<_> = task.only_certified().cloned().collect();
        let cheats = self.build(&cheats)?;
        let others = self.covered(task)?;
        Ok(uncovered(
            &self.library.root,
            &task.dir,
            cheats.iter().flat_map(|guest| &guest.compiled_from),
            others.iter().flat_map(|guest| &guest.compiled_from),
        ))
    }

    /// Returns the guests whose code a certificate of the task is bound to: all except cheats and variants. They have
    /// already been built.
    fn covered(&mut self, task: &Task) -> Result<Vec<Built>, CertifyError> {
        let guests = std::iter::once(&task.verifier).chain(&task.solution);
        let mut guests: Vec<GuestSource> = guests.cloned().collect();
        // The guests of the world are added because they are not part of its tree, which is all that the digest of the
        // world covers.
        let world = self
            .library
            .world(&task.world)
            .map_err(PrepareError::from)?;
        guests.extend(world.guests.into_values());
        self.build(&guests)
    }

    fn build(&mut self, guests: &[GuestSource]) -> Result<Vec<Built>, CertifyError> {
        let built = self.builder.build(guests, self.report);
        Ok(built.map_err(PrepareError::from)?)
    }

    fn component(&mut self, source: &GuestSource) -> Result<Vec<u8>, CertifyError> {
        let built = self.build(std::slice::from_ref(source))?;
        let path: PathBuf = built.into_iter().next().ok_or_else(no_task)?.path;
        Ok(std::fs::read(&path).map_err(|source| PrepareError::Read { path, source })?)
    }
}

fn no_task() -> CertifyError {
    CertifyError::Host("the build produced no component".to_owned())
}
