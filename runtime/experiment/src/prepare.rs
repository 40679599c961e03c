//! Preparation: tasks on disk to tasks that can be attempted.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use mcpmark_agent::AttemptLimits;
use mcpmark_kinds::{Services, WorldGuestError};
use mcpmark_sandbox::{Limits, LoadError, Sandbox, Solution};
use mcpmark_service::{ServiceError, SessionLimits};
use mcpmark_snapshot::{CaptureError, Digest, Store, StoreError};
use mcpmark_task::build::{BuildError, BuildEvent, Builder};
use mcpmark_task::{
    BundleParts, GuestSource, JudgedOn, Library, ScoreSettings, Task, TaskId, World, WorldId,
    bundle_digest,
};

use crate::{
    ComponentTerms, Judge, ScriptError, Start, Terms, VerifierTerms, WorldError, start_world,
};

/// A task with everything that an attempt needs, checked and loaded.
#[derive(Clone)]
pub struct Prepared {
    /// The task.
    pub id: TaskId,
    /// What the agent is told.
    pub instruction: String,
    /// The starting state.
    pub start: Start,
    /// Judges the final state.
    pub judge: Judge,
    /// Plays the task as it is meant.
    pub solution: Option<Solution>,
    /// Names all of the task.
    pub bundle: Digest,
    /// What the verifier sees.
    pub judged_on: JudgedOn,
    /// The version of the published server whose tools the agent gets, where the task names it.
    pub profile: Option<String>,
    /// The task's parameters as canonical JSON.
    pub parameters: String,
    /// The document of what its grades follow from, in the store.
    pub terms: Digest,
    /// How the verifier's checks count towards the score.
    pub score: ScoreSettings,
    /// What the verifier may use.
    pub verifier_limits: Limits,
    /// What the agent may use.
    pub attempt_limits: AttemptLimits,
    /// What the world may hold.
    pub session_limits: SessionLimits,
}

/// Why tasks cannot be attempted.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    /// A task or world on disk is not valid.
    #[error(transparent)]
    Task(#[from] mcpmark_task::Error),
    /// A guest cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A built guest cannot be read.
    #[error("{}: cannot be read", path.display())]
    Read {
        /// The component.
        path: PathBuf,
        /// What the file system said.
        source: std::io::Error,
    },
    /// A guest does not fit the contract.
    #[error("task {task}: the {guest} {source}")]
    Guest {
        /// The task.
        task: TaskId,
        /// `verifier` or `solution`.
        guest: &'static str,
        /// The problem.
        source: Box<LoadError>,
    },
    /// A guest that the state of a published task brings along cannot be used.
    #[error("task {task}: {source}")]
    WorldGuest {
        /// The task.
        task: TaskId,
        /// The problem.
        source: Box<WorldGuestError>,
    },
    /// What judges cannot be kept.
    #[error("task {task}: what judges it cannot be kept")]
    Keep {
        /// The task.
        task: TaskId,
        /// What the store says.
        source: Box<StoreError>,
    },
    /// A world cannot be made.
    #[error("world {world}: {source}")]
    World {
        /// The world.
        world: WorldId,
        /// The problem.
        source: WorldError,
    },
    /// The state that a published task starts from cannot be captured.
    #[error("task {task}: {}: {source}", dir.display())]
    State {
        /// The task.
        task: TaskId,
        /// The state.
        dir: PathBuf,
        /// The problem.
        source: Box<CaptureError>,
    },
    /// The script that judges a published task cannot be read.
    #[error("task {task}: {source}")]
    Script {
        /// The task.
        task: TaskId,
        /// The problem.
        source: Box<ScriptError>,
    },
    /// The world does not fit the task's own limit.
    #[error(
        "task {task}: key \"limits.world_bytes\" is {limit}, and the world alone has {bytes} bytes"
    )]
    WorldTooLarge {
        /// The task.
        task: TaskId,
        /// Bytes that the world may have.
        limit: u64,
        /// Bytes that it has at the start.
        bytes: u64,
    },
    /// The world does not fit the task's own limit.
    #[error(
        "task {task}: key \"limits.world_files\" is {limit}, and the world alone has {entries} files and directories"
    )]
    WorldTooFull {
        /// The task.
        task: TaskId,
        /// Entries that the world may have.
        limit: u64,
        /// Entries that it has at the start.
        entries: u64,
    },
    /// The world has more than this host grants any.
    #[error(
        "task {task}: the world is beyond `{name}` at the start: it has {found}, and this host grants {ceiling}"
    )]
    AboveCeiling {
        /// The task.
        task: TaskId,
        /// The name of the ceiling.
        name: &'static str,
        /// How much there is.
        found: u64,
        /// How much the host grants.
        ceiling: u64,
    },
    /// The service does not have the tools that the task is made for.
    #[error("task {task}: meta.json: key \"profile\": {source}")]
    Profile {
        /// The task.
        task: TaskId,
        /// What the service says.
        source: Box<ServiceError>,
    },
    /// The oracle has nothing to play.
    #[error(
        "task {0} has no solution, and the oracle plays nothing else; add solution.rs, or use another --agent"
    )]
    NoSolution(TaskId),
}

impl PrepareError {
    /// Whether the host is to blame, and not a task or world.
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
    /// Where tasks and worlds lie.
    pub library: &'a Library,
    /// The services that their worlds may be of.
    pub services: &'a Services,
    /// Builds guests.
    pub builder: &'a mut Builder,
    /// Compiles and checks guests.
    pub sandbox: &'a Sandbox,
    /// Keeps the starting states.
    pub store: &'a Store,
    /// What this host grants worlds at most.
    pub ceiling: &'a SessionLimits,
    /// Hears what is being built.
    pub report: &'a mut dyn FnMut(BuildEvent),
}

impl TaskPreparer<'_> {
    /// Builds and checks everything that the tasks need, worlds first and each once.
    ///
    /// # Errors
    ///
    /// With the first task, world or guest that is not valid, before anything has run.
    pub fn prepare(&mut self, tasks: &[Task]) -> Result<Vec<Prepared>, PrepareError> {
        let mut worlds = BTreeMap::new();
        for task in tasks {
            // Before anything is compiled.
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
                // Building gives every source a component or fails.
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

    /// Makes the starting state of one world, building its guest where it has one.
    ///
    /// # Errors
    ///
    /// When the world is not valid.
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
                Judge::Component(loaded.map_err(wrong("verifier"))?)
            }
        };
        let solution = solution
            .map(|bytes| self.sandbox.solution(bytes))
            .transpose()
            .map_err(wrong("solution"))?;
        let bundle = bundle_digest(&BundleParts {
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
            bundle,
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

/// The components of guests, built where they are not.
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

/// The task's own limits over the defaults, those of its world below the ceiling. The sandbox holds those of guests
/// below its own.
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

/// Refuses a world that has more at the start than this host grants.
pub(crate) fn within_ceiling(
    task: &TaskId,
    start: &Start,
    ceiling: &SessionLimits,
) -> Result<(), PrepareError> {
    for (name, found, ceiling) in [
        ("world_bytes", start.tree.total_size(), ceiling.max_bytes),
        ("world_files", start.tree.len(), ceiling.max_files),
    ] {
        if found > ceiling {
            return Err(PrepareError::AboveCeiling {
                task: task.clone(),
                name,
                found,
                ceiling,
            });
        }
    }
    Ok(())
}
