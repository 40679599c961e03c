//! Preparation of library tasks: builds guests, stores worlds, loads verifiers and resolves limits.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use mcpmark_agent::AttemptLimits;
use mcpmark_build::{BuildError, BuildEvent, Builder};
use mcpmark_grading::receipt::LocalTask;
use mcpmark_grading::regrade::RegradeTask;
use mcpmark_grading::{ComponentTerms, Judge, ScriptError, Terms, VerifierTerms};
use mcpmark_journal::TaskVersion;
use mcpmark_kinds::{InvocationError, Services, WorldGuestError};
use mcpmark_sandbox::{Limits, LoadError, Sandbox, Solution};
use mcpmark_service::{ServiceError, SessionLimits};
use mcpmark_snapshot::{CaptureError, Digest, Store, StoreError, Tree};
use mcpmark_task::{
    BundleParts, GuestSource, JudgedOn, Library, ScoreSettings, Task, TaskId, World, WorldId,
    bundle_digest,
};

use crate::world::start_world;
use crate::{Start, WorldError};

/// Task that is ready for attempts: guests loaded, world stored, limits resolved.
#[derive(Clone)]
pub struct Prepared {
    /// Id of the task.
    pub id: TaskId,
    /// Text that the agent gets.
    pub instruction: String,
    /// Starting state.
    pub start: Start,
    /// Verifier of the final state.
    pub judge: Judge,
    /// Solution that the oracle plays.
    pub solution: Option<Solution>,
    /// Task digest.
    pub task_digest: Digest,
    /// Inputs of the verifier: the state, the answer or both.
    pub judged_on: JudgedOn,
    /// Version of the published server whose tools the agent gets, if the task sets one.
    pub profile: Option<String>,
    /// Parameters of the task, as canonical JSON.
    pub parameters: String,
    /// Digest of the terms of its grades, a document in the store.
    pub terms: Digest,
    /// Weights and gates of the checks.
    pub score: ScoreSettings,
    /// Limits of the verifier.
    pub verifier_limits: Limits,
    /// Limits of the agent.
    pub attempt_limits: AttemptLimits,
    /// Limits of the world.
    pub session_limits: SessionLimits,
}

impl Prepared {
    /// Returns the id of the task with its digest.
    pub fn version(&self) -> TaskVersion {
        TaskVersion {
            id: self.id.clone(),
            digest: self.task_digest,
        }
    }

    /// Returns the parts of the task that a receipt is compared with. `is_bundled` is true if it is from a bundle.
    pub fn to_local_task(&self, is_bundled: bool) -> LocalTask {
        LocalTask {
            id: self.id.to_string(),
            digest: self.task_digest,
            terms: self.terms,
            start: self.start.digest,
            is_bundled,
        }
    }

    /// Returns the parts of the task that a regrade needs.
    pub fn into_regrade_task(self) -> RegradeTask {
        RegradeTask {
            start: self.start.digest,
            judge: self.judge,
            task_digest: self.task_digest,
            judged_on: self.judged_on,
            parameters: self.parameters,
            terms: self.terms,
            score: self.score,
            verifier_limits: self.verifier_limits,
        }
    }
}

/// Errors of preparing tasks.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    /// A task or world on disk is not valid.
    #[error(transparent)]
    Task(#[from] mcpmark_task::Error),
    /// A guest cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A built guest cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// Path of the component.
        path: PathBuf,
        /// Error of the file system.
        source: std::io::Error,
    },
    /// A guest does not satisfy its contract.
    #[error("task {task}: {guest}: {source}")]
    Guest {
        /// Id of the task.
        task: TaskId,
        /// `verifier` or `solution`.
        guest: &'static str,
        /// Error of loading the guest.
        source: Box<LoadError>,
    },
    /// A guest of a published task's state cannot be loaded.
    #[error("task {task}: {source}")]
    WorldGuest {
        /// Id of the task.
        task: TaskId,
        /// Error of loading the guest.
        source: Box<WorldGuestError>,
    },
    /// The verifier, the guests or the terms cannot be written to the store.
    #[error("task {task}: cannot store the verifier, its guests or its terms")]
    Keep {
        /// Id of the task.
        task: TaskId,
        /// Error of the store.
        source: Box<StoreError>,
    },
    /// The starting state of a world cannot be prepared.
    #[error("world {world}: {source}")]
    World {
        /// Id of the world.
        world: WorldId,
        /// Error of the world.
        source: WorldError,
    },
    /// The starting state of a published task cannot be captured.
    #[error("task {task}: {}: {source}", dir.display())]
    State {
        /// Id of the task.
        task: TaskId,
        /// Directory of the state.
        dir: PathBuf,
        /// Error of the capture.
        source: Box<CaptureError>,
    },
    /// The verifier script of a published task cannot be read.
    #[error("task {task}: {source}")]
    Script {
        /// Id of the task.
        task: TaskId,
        /// Error of reading the script.
        source: Box<ScriptError>,
    },
    /// The starting state does not determine the arguments of a published task's script.
    #[error("task {task}: {source}")]
    Invocation {
        /// Id of the task.
        task: TaskId,
        /// Error of determining the arguments.
        source: Box<InvocationError>,
    },
    /// The starting state exceeds the task's limit of bytes.
    #[error(
        "task {task}: key \"limits.world_bytes\" is {limit}, but the world has {bytes} bytes at the start"
    )]
    WorldTooLarge {
        /// Id of the task.
        task: TaskId,
        /// Maximum size of the world, in bytes.
        limit: u64,
        /// Size of the starting state, in bytes.
        bytes: u64,
    },
    /// The starting state exceeds the task's limit of files and directories.
    #[error(
        "task {task}: key \"limits.world_files\" is {limit}, but the world has {entries} files and directories at the start"
    )]
    WorldTooFull {
        /// Id of the task.
        task: TaskId,
        /// Maximum number of entries of the world.
        limit: u64,
        /// Number of entries of the starting state.
        entries: u64,
    },
    /// The starting state exceeds the ceiling of this host.
    #[error(
        "task {task}: the starting world exceeds limit `{limit}`: it has {found} {unit}, but this host grants {ceiling}",
        limit = limit.name(),
        unit = limit.unit()
    )]
    AboveCeiling {
        /// Id of the task.
        task: TaskId,
        /// Exceeded limit.
        limit: WorldLimit,
        /// Value of the starting state.
        found: u64,
        /// Ceiling of the host.
        ceiling: u64,
    },
    /// The service does not have the profile that the task sets.
    #[error("task {task}: meta.json: key \"profile\": {source}")]
    Profile {
        /// Id of the task.
        task: TaskId,
        /// Error of the service.
        source: Box<ServiceError>,
    },
    /// The oracle cannot attempt the task, because the task has no solution.
    #[error(
        "task {0} has no solution, but the oracle needs one; add solution.rs, or use another --agent"
    )]
    NoSolution(TaskId),
}

/// Limit of the size of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorldLimit {
    /// Total size of the files.
    Bytes,
    /// Number of files and directories.
    Files,
}

impl WorldLimit {
    /// Returns the name of the limit in `meta.json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bytes => "world_bytes",
            Self::Files => "world_files",
        }
    }

    /// Returns the unit of the limit, in the plural.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Files => "files and directories",
        }
    }

    /// Returns the limits that the starting state of a world exceeds, with its value and the ceiling.
    pub fn exceeded(
        tree: &Tree,
        ceiling: &SessionLimits,
    ) -> impl Iterator<Item = (Self, u64, u64)> {
        let limits = [
            (Self::Bytes, tree.total_size(), ceiling.max_bytes),
            (Self::Files, tree.len(), ceiling.max_files),
        ];
        limits
            .into_iter()
            .filter(|(_, found, ceiling)| found > ceiling)
    }
}

impl PrepareError {
    /// Reports whether the error was caused by the host and not by a task or world.
    pub fn is_infrastructure(&self) -> bool {
        match self {
            Self::World { source, .. } => source.is_infrastructure(),
            Self::Build(error) => !matches!(
                error,
                BuildError::HeldBack { .. }
                    | BuildError::Package { .. }
                    | BuildError::NoTarget { .. }
                    | BuildError::Compile { .. }
                    | BuildError::Componentize { .. }
            ),
            Self::Guest { source, .. } => source.is_infrastructure(),
            Self::WorldGuest { source, .. } => source.is_infrastructure(),
            Self::Read { .. } | Self::Keep { .. } => true,
            Self::State { source, .. } => {
                matches!(**source, CaptureError::Io { .. } | CaptureError::Store(_))
            }
            Self::Task(_)
            | Self::Script { .. }
            | Self::Invocation { .. }
            | Self::WorldTooLarge { .. }
            | Self::WorldTooFull { .. }
            | Self::AboveCeiling { .. }
            | Self::Profile { .. }
            | Self::NoSolution(_) => false,
        }
    }
}

/// Prepares tasks of a library: builds their guests, creates their worlds, and loads their verifiers.
pub struct TaskPreparer<'a> {
    /// Library of the tasks and worlds.
    pub library: &'a Library,
    /// Known services.
    pub services: &'a Services,
    /// Builder of guests.
    pub builder: &'a mut Builder,
    /// Sandbox that compiles and checks guests.
    pub sandbox: &'a Sandbox,
    /// Store for starting states, verifiers and terms.
    pub store: &'a Store,
    /// Ceiling of this host for the limits of worlds.
    pub ceiling: &'a SessionLimits,
    /// Callback for the progress of builds.
    pub report: &'a mut dyn FnMut(BuildEvent),
}

impl TaskPreparer<'_> {
    /// Prepares all tasks. Each world is prepared once, before the tasks.
    ///
    /// # Errors
    ///
    /// Returns the error of the first task, world or guest that is not valid. No attempt has been made then.
    pub fn prepare(&mut self, tasks: &[Task]) -> Result<Vec<Prepared>, PrepareError> {
        let mut worlds = BTreeMap::new();
        for task in tasks {
            // Checked first, because compiling guests takes long.
            self.check_profile(task)?;
            if !worlds.contains_key(&task.world) {
                let world = self.library.world(&task.world)?;
                self.check_roles(&world)?;
                worlds.insert(task.world.clone(), world);
            }
        }
        let mut sources: Vec<GuestSource> =
            worlds.values().flat_map(World::sources).cloned().collect();
        for task in tasks {
            let verifier = Some(&task.verifier).filter(|it| it.held_back().is_none());
            sources.extend(verifier.into_iter().chain(&task.solution).cloned());
        }
        let components = components(self.builder, &sources, self.report)?;

        let mut starts = BTreeMap::new();
        for (index, (id, world)) in worlds.iter().enumerate() {
            (self.report)(BuildEvent::Preparing {
                what: format!("world {id}"),
                number: index + 1,
                total: worlds.len(),
            });
            starts.insert(id.clone(), self.start(world, &components)?);
        }
        tasks
            .iter()
            .enumerate()
            .map(|(index, task)| {
                (self.report)(BuildEvent::Preparing {
                    what: format!("task {}", task.id),
                    number: index + 1,
                    total: tasks.len(),
                });
                // The builder returns a component for every source, or an error.
                let component = |source: &GuestSource| {
                    components
                        .get(source)
                        .map(Vec::as_slice)
                        .unwrap_or_default()
                };
                let verifier = component(&task.verifier);
                let solution = task.solution.as_ref().map(component);
                let world = &worlds[&task.world];
                let start = starts[&task.world].clone();
                self.load(task, world, start, verifier, solution)
            })
            .collect()
    }

    /// Prepares the starting state of one world, and builds its guests.
    ///
    /// # Errors
    ///
    /// Returns an error if the world is not valid, or if a guest cannot be built.
    pub fn world(&mut self, world: &World) -> Result<Start, PrepareError> {
        self.check_roles(world)?;
        let sources: Vec<GuestSource> = world.sources().cloned().collect();
        let components = components(self.builder, &sources, self.report)?;
        self.start(world, &components)
    }

    fn check_roles(&self, world: &World) -> Result<(), PrepareError> {
        self.services
            .check_roles(world.id.service(), &world.guests)
            .map_err(|source| PrepareError::World {
                world: world.id.clone(),
                source: source.into(),
            })
    }

    fn check_profile(&self, task: &Task) -> Result<(), PrepareError> {
        let service = self.services.service(task.id.service());
        let (Some(profile), Some(service)) = (&task.meta.profile, service) else {
            return Ok(());
        };
        service
            .check_profile(profile)
            .map_err(|source| PrepareError::Profile {
                task: task.id.clone(),
                source: Box::new(source),
            })
    }

    fn start(
        &self,
        world: &World,
        components: &BTreeMap<GuestSource, Vec<u8>>,
    ) -> Result<Start, PrepareError> {
        let start = start_world(world, components, self.services, self.sandbox, self.store);
        start.map_err(|source| PrepareError::World {
            world: world.id.clone(),
            source,
        })
    }

    fn load(
        &self,
        task: &Task,
        world: &World,
        start: Start,
        verifier: &[u8],
        solution: Option<&[u8]>,
    ) -> Result<Prepared, PrepareError> {
        let wrong = |guest| {
            move |error| PrepareError::Guest {
                task: task.id.clone(),
                guest,
                source: Box::new(error),
            }
        };
        let judge = match task.verifier.held_back() {
            Some(held_back) => {
                Judge::HeldBack(Box::new(VerifierTerms::Component(ComponentTerms {
                    digest: held_back.verifier,
                })))
            }
            None => {
                let loaded = self.sandbox.verifier(verifier);
                let verifier = loaded.map_err(wrong("verifier"))?;
                Judge::Component(verifier.starting_at(start.clock))
            }
        };
        let solution = solution
            .map(|bytes| self.sandbox.solution(bytes))
            .transpose()
            .map_err(wrong("solution"))?;
        let task_digest = bundle_digest(&BundleParts {
            task,
            world: &world.manifest,
            seed: start.seed,
            snapshot: start.digest,
            verifier: judge.digest(),
            solution: solution.as_ref().map(Solution::digest),
            guests: start.guests.digests(),
        });
        let parameters = serde_json::Value::Object(task.meta.parameters.clone());
        let Limited {
            verifier: verifier_limits,
            attempt,
            session,
        } = limits(&task.meta.limits, Limits::VERIFIER, self.ceiling);
        within_ceiling(&task.id, &start, self.ceiling)?;
        let bytes = start.tree.total_size();
        if bytes > session.max_bytes {
            let (task, limit) = (task.id.clone(), session.max_bytes);
            return Err(PrepareError::WorldTooLarge { task, limit, bytes });
        }
        let entries = start.tree.len();
        if entries > session.max_files {
            let (task, limit) = (task.id.clone(), session.max_files);
            return Err(PrepareError::WorldTooFull {
                task,
                limit,
                entries,
            });
        }
        let terms = Terms::of(
            &judge,
            parameters.clone(),
            task.meta.judged_on.answer,
            verifier_limits,
            start.clock,
        );
        let kept = match judge.component() {
            Some(_) => self.store.put(verifier).map(drop),
            None => Ok(()),
        };
        let kept = kept.and_then(|()| terms.keep(self.store));
        let terms = kept.map_err(|source| PrepareError::Keep {
            task: task.id.clone(),
            source: Box::new(source),
        })?;
        Ok(Prepared {
            id: task.id.clone(),
            instruction: task.instruction.clone(),
            start,
            judge,
            solution,
            task_digest,
            judged_on: task.meta.judged_on,
            profile: task.meta.profile.clone(),
            parameters: mcpmark_json::canonical(&parameters),
            terms,
            score: task.meta.score.clone(),
            verifier_limits,
            attempt_limits: attempt,
            session_limits: session,
        })
    }
}

/// Builds guests and returns their components.
pub(crate) fn components(
    builder: &mut Builder,
    sources: &[GuestSource],
    report: &mut dyn FnMut(BuildEvent),
) -> Result<BTreeMap<GuestSource, Vec<u8>>, PrepareError> {
    let mut components = BTreeMap::new();
    for built in builder.build(sources, report)? {
        let bytes = fs::read(&built.path).map_err(|source| PrepareError::Read {
            path: built.path.clone(),
            source,
        })?;
        components.insert(built.source, bytes);
    }
    Ok(components)
}

pub(crate) struct Limited {
    pub(crate) verifier: Limits,
    pub(crate) attempt: AttemptLimits,
    pub(crate) session: SessionLimits,
}

/// Returns the default limits, replaced by the task's own limits. Those of the world are lowered to the ceiling; the
/// sandbox lowers those of guests to its own ceiling.
pub(crate) fn limits(
    own: &mcpmark_task::Limits,
    verifier: Limits,
    ceiling: &SessionLimits,
) -> Limited {
    let mut limited = Limited {
        verifier,
        attempt: AttemptLimits::default(),
        session: SessionLimits::default(),
    };
    let verifier = &mut limited.verifier;
    for (limit, own) in [
        (&mut verifier.fuel, own.fuel),
        (&mut verifier.memory_bytes, own.memory_bytes),
        (&mut verifier.table_elements, own.table_elements),
        (&mut verifier.time_ms, own.time_ms),
        (&mut verifier.copy_bytes, own.copy_bytes),
        (&mut verifier.log_bytes, own.log_bytes),
        (&mut verifier.output_bytes, own.output_bytes),
        (&mut verifier.checks, own.checks),
    ] {
        *limit = own.unwrap_or(*limit);
    }
    if let Some(turns) = own.turns {
        limited.attempt.turns = u32::try_from(turns).unwrap_or(u32::MAX);
    }
    if let Some(seconds) = own.time_seconds {
        limited.attempt.time = Duration::from_secs(seconds);
    }
    if let Some(seconds) = own.tool_call_seconds {
        limited.attempt.tool_call = Duration::from_secs(seconds);
    }
    if let Some(bytes) = own.world_bytes {
        limited.session.max_bytes = bytes;
    }
    if let Some(entries) = own.world_files {
        limited.session.max_files = entries;
    }
    limited.session = limited.session.below(ceiling);
    limited
}

/// Returns an error if the starting state exceeds the ceiling of this host.
pub(crate) fn within_ceiling(
    task: &TaskId,
    start: &Start,
    ceiling: &SessionLimits,
) -> Result<(), PrepareError> {
    if let Some((limit, found, ceiling)) = WorldLimit::exceeded(&start.tree, ceiling).next() {
        return Err(PrepareError::AboveCeiling {
            task: task.clone(),
            limit,
            found,
            ceiling,
        });
    }
    Ok(())
}
