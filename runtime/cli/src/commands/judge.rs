//! Parts shared by `grade` and its batches: verifier, inputs and report.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mcpmark_experiment::report::check;
use mcpmark_experiment::{Outcome, PUBLISHED_CLOCK, Start, capture_published};
use mcpmark_grading::{Baselines, Graded, Script, ScriptJudge, grade_loaded};
use mcpmark_kinds::{ScriptInvocation, ServiceKind, Services, WorldGuests};
use mcpmark_metadata::{ExitCode, GradeReport, ScriptOutput};
use mcpmark_sandbox::{Interpreter, Limits, LimitsError, Sandbox, VerifyInput};
use mcpmark_service::{Service, SessionLimits};
use mcpmark_snapshot::{Digest, Snapshot, Store, Tree};
use mcpmark_task::{ScoreSettings, TaskId};

use crate::context::{self, Context};
use crate::diagnosis;
use crate::engine;
use crate::error::{self, CommandError, error_chain};
use crate::output::{self, sanitise};

/// Verifier with its task, if it belongs to one.
pub(crate) struct Judge {
    judge: mcpmark_grading::Judge,
    limits: Limits,
    task: Option<Task>,
    /// Service of the states, if there is no task.
    kind: Option<Arc<dyn ServiceKind>>,
    /// True if the script belongs to a published task.
    is_published: bool,
    baselines: Baselines,
}

struct Task {
    id: TaskId,
    start: Start,
    session: SessionLimits,
    parameters: String,
    score: ScoreSettings,
    judged_on_answer: bool,
    warned: AtomicBool,
}

/// Granted values of lowered limits, by name.
pub(crate) type Lowered = BTreeMap<&'static str, u64>;

/// Returns the limits that the ceiling of this host lowers.
pub(crate) fn lowered(sandbox: &Sandbox, limits: &Limits) -> Lowered {
    limits.above(&sandbox.ceiling()).into_iter().collect()
}

/// Returns the JSON document of a grade.
pub(crate) fn grade_report(
    graded: &Graded,
    state: Digest,
    judge: &Judge,
    lowered: Lowered,
) -> GradeReport {
    let outcome = &graded.outcome;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    GradeReport {
        outcome: outcome.as_str().to_owned(),
        passed: outcome.passed(),
        score: outcome.score(),
        score_rule: outcome.score_rule().map(Into::into),
        checks: outcome.checks().iter().cloned().map(check).collect(),
        fault: outcome.fault(),
        state: state.to_string(),
        verifier: judge.judge.digest().to_string(),
        interpreter: judge
            .script()
            .map(|judge| judge.interpreter.digest().to_string()),
        output: graded.printed.as_ref().map(|printed| ScriptOutput {
            stdout: text(&printed.stdout),
            stderr: text(&printed.stderr),
            exit_code: printed.exit_code,
        }),
        interfaces: graded.interfaces.clone().into(),
        lowered: lowered
            .into_iter()
            .map(|(name, granted)| (name.to_owned(), granted))
            .collect(),
    }
}

/// Returns the exit code of an outcome.
pub(crate) fn exit_code(outcome: &Outcome) -> ExitCode {
    match outcome {
        Outcome::Graded { verdict, .. } if verdict.passed() => ExitCode::Passed,
        Outcome::Graded { .. } | Outcome::StateFault(_) => ExitCode::Failed,
        Outcome::VerifierFault(_) | Outcome::HeldBack(_) => ExitCode::NotGraded,
        Outcome::InvalidTask(_) => ExitCode::Invalid,
        Outcome::InfraError(_) | Outcome::Cancelled => ExitCode::Infrastructure,
    }
}

impl Judge {
    pub(crate) fn of_task(
        context: &Context,
        task: &str,
        sandbox: &Sandbox,
        store: &Store,
    ) -> Result<Self, CommandError> {
        let library = context.library()?;
        let task = context::one_task(&library, task)?;
        if let Some(held_back) = task.verifier.held_back() {
            return Err(error::held_back(&task.id, &held_back.verifier));
        }
        let prepared = context
            .prepare(&library, &[task], sandbox, store)?
            .remove(0);
        Ok(Self {
            judge: prepared.judge,
            limits: prepared.verifier_limits,
            task: Some(Task {
                id: prepared.id,
                start: prepared.start,
                session: prepared.session_limits,
                parameters: prepared.parameters,
                score: prepared.score,
                judged_on_answer: prepared.judged_on.answer,
                warned: AtomicBool::new(false),
            }),
            kind: None,
            is_published: false,
            baselines: Baselines::default(),
        })
    }

    pub(crate) fn of_component(file: &Path, sandbox: &Sandbox) -> Result<Self, CommandError> {
        let bytes = engine::read_component(file)?;
        let verifier = sandbox.verifier(&bytes).map_err(|error| {
            engine::load_error(
                sanitise::block(&format!("{}: {error}", file.display())),
                &error,
            )
        })?;
        Ok(Self {
            judge: mcpmark_grading::Judge::Component(verifier),
            limits: Limits::VERIFIER,
            task: None,
            kind: None,
            is_published: false,
            baselines: Baselines::default(),
        })
    }

    /// Loads a script that belongs to no task.
    pub(crate) fn of_script(file: &Path, interpreter: Interpreter) -> Result<Self, CommandError> {
        let script =
            Script::read(file).map_err(|error| CommandError::usage(error_chain(&error)))?;
        let judge = ScriptJudge {
            script,
            interpreter,
            invocation: ScriptInvocation::default(),
            clock: PUBLISHED_CLOCK,
            kind: None,
            guests: WorldGuests::default(),
        };
        Ok(Self {
            judge: mcpmark_grading::Judge::Script(Box::new(judge)),
            limits: Limits::SCRIPT,
            task: None,
            kind: None,
            is_published: false,
            baselines: Baselines::default(),
        })
    }

    /// Sets the invocation of a published task's script.
    pub(crate) fn of_published(
        mut self,
        kind: Option<Arc<dyn ServiceKind>>,
        invocation: ScriptInvocation,
        guests: WorldGuests,
    ) -> Self {
        if let mcpmark_grading::Judge::Script(script) = &mut self.judge {
            script.invocation = invocation;
            script.guests = guests;
        }
        Self {
            is_published: true,
            ..self.within(kind)
        }
    }

    /// Sets the service of the states, if there is no task.
    pub(crate) fn within(mut self, kind: Option<Arc<dyn ServiceKind>>) -> Self {
        if let mcpmark_grading::Judge::Script(script) = &mut self.judge {
            script.kind.clone_from(&kind);
        }
        Self { kind, ..self }
    }

    pub(crate) fn script(&self) -> Option<&ScriptJudge> {
        match &self.judge {
            mcpmark_grading::Judge::Script(judge) => Some(judge),
            mcpmark_grading::Judge::Component(_) | mcpmark_grading::Judge::HeldBack(_) => None,
        }
    }

    /// Reports whether the verifier reads arguments and environment variables: a script, or a component that imports
    /// WASI.
    pub(crate) fn takes_invocation(&self) -> bool {
        match &self.judge {
            mcpmark_grading::Judge::Script(_) => true,
            mcpmark_grading::Judge::Component(verifier) => verifier.clock().is_some(),
            mcpmark_grading::Judge::HeldBack(_) => false,
        }
    }

    /// Returns the name of the states' service, if it is known.
    pub(crate) fn service(&self) -> Option<&'static str> {
        self.kind_of_states().map(|kind| kind.name())
    }

    fn kind_of_states(&self) -> Option<&Arc<dyn ServiceKind>> {
        match &self.task {
            Some(task) => task.start.kind.as_ref(),
            None => self.kind.as_ref(),
        }
    }

    /// Returns the starting state and the clock, on which the digest of a final state depends in addition to its
    /// directory.
    pub(crate) fn world(&self) -> Option<(Option<Digest>, i64)> {
        match &self.task {
            Some(Task { start, .. }) => Some((Some(start.digest), start.clock)),
            None => self.script().map(|script| (None, script.clock)),
        }
    }

    /// Returns the starting state: the given one, by default that of the task, or an empty tree.
    pub(crate) fn start(
        &self,
        place: Option<&Path>,
        store: &Store,
    ) -> Result<Snapshot, CommandError> {
        match (place, &self.task) {
            (Some(place), task) => stored(place, store, |dir| match task {
                Some(task) => mcpmark_experiment::capture_within(dir, &task.session, store),
                None => mcpmark_experiment::capture_directory(dir, store),
            }),
            (None, Some(task)) => load(&task.start.digest, store),
            (None, None) => {
                let empty = store.put_tree(&Tree::empty());
                load(&empty.map_err(CommandError::infrastructure)?, store)
            }
        }
    }

    /// Captures a final state, or loads it from the store.
    pub(crate) fn state(&self, place: &Path, store: &Store) -> Result<Snapshot, CommandError> {
        let state = stored(place, store, |dir| match (&self.task, self.script()) {
            (Some(task), _) => {
                mcpmark_experiment::capture_state(dir, &task.start, &task.session, store)
            }
            // With the clock of the starting state, so that files that the agent did not change have the same times.
            (None, Some(script)) => capture_published(dir, script.clock, store),
            (None, None) => mcpmark_experiment::capture_directory(dir, store),
        })?;
        let service = self
            .kind_of_states()
            .and_then(|kind| kind.service(&WorldGuests::default()));
        let state = match &service {
            Some(service) if digest(place).is_none() => as_captured(&**service, state, store)?,
            _ => state,
        };
        if let Some(service) = service {
            let scratch = mcpmark_snapshot::scratch_parent(None);
            let checked = service.check_state(&state, &scratch);
            checked.map_err(|error| super::service_error(&error, Some(place)))?;
        }
        Ok(state)
    }

    /// Returns the input of the verifier. A task determines the parameters, and whether the answer is included.
    pub(crate) fn input(
        &self,
        start: Snapshot,
        end: Snapshot,
        answer: Option<String>,
        parameters: Option<String>,
    ) -> VerifyInput {
        if let Some(task) = &self.task
            && !task.judged_on_answer
            && answer.is_some()
            && !task.warned.swap(true, Ordering::Relaxed)
        {
            output::note(&format!(
                "{} {} is not judged on the answer; the given answer is ignored",
                output::paint(output::WARN, "warning:"),
                task.id
            ));
        }
        VerifyInput {
            answer: answer.filter(|_| self.task.as_ref().is_none_or(|task| task.judged_on_answer)),
            parameters: match &self.task {
                Some(task) => task.parameters.clone(),
                None => parameters.unwrap_or_else(|| "{}".to_owned()),
            },
            ..VerifyInput::new(start, end)
        }
    }

    /// Returns the limits of the verifier: those of the task, or by default the usual ones, with `own` overrides by
    /// name. The ceiling of this host is not applied here.
    pub(crate) fn limits<'a>(
        &self,
        own: impl IntoIterator<Item = (&'a str, String)>,
    ) -> Result<Limits, LimitsError> {
        let mut own = own.into_iter();
        own.try_fold(self.limits, |limits, (name, value)| {
            limits.with_one(name, &value)
        })
    }

    /// Returns the limits with overrides in a text such as `fuel=2000000000,checks=10`.
    pub(crate) fn limits_of(&self, own: &str) -> Result<Limits, LimitsError> {
        self.limits.with(own)
    }

    /// Checks that the environment variables that a script reads are set, unless a published task sets them. Otherwise
    /// the script would fail as if the state were wrong.
    pub(crate) fn check_environment(
        &self,
        state: &Snapshot,
        more: &ScriptInvocation,
        services: &Services,
    ) -> Result<(), CommandError> {
        let Some(script) = self.script().filter(|_| !self.is_published) else {
            return Ok(());
        };
        let invocation = script.invocation.clone();
        let script = ScriptJudge {
            invocation: invocation.and(&more.arguments, &more.environment),
            ..script.clone()
        };
        let lacking = script.missing_variables(state, services);
        if lacking.is_empty() {
            return Ok(());
        }
        let options: Vec<String> = lacking.iter().map(|it| format!("--env {it}=…")).collect();
        let message = format!(
            "{} reads environment variables that are not set: {}",
            script.script.name(),
            lacking.join(", ")
        );
        let service = match &self.kind {
            Some(_) => "",
            None => "name the service of the state with --service, which sets its own variables; ",
        };
        Err(CommandError::usage(sanitise::line(&message)).hint(format!(
            "{service}set them with {}, to an empty value if the script does not need one; or name the task \
             with --tasks CORPUS, which sets the variables of its service",
            sanitise::line(&options.join(" "))
        )))
    }

    /// Grades a state. A script or a component that imports WASI gets the additional arguments and variables of `more`. A fault is attributed to the
    /// state, and the score counts only earned checks, if the starting state is known: from the task, or because
    /// `is_named`.
    pub(crate) fn grade(
        &self,
        sandbox: &Sandbox,
        input: VerifyInput,
        more: &ScriptInvocation,
        limits: &Limits,
        is_named: bool,
    ) -> Graded {
        let input = VerifyInput {
            arguments: more.arguments.clone(),
            environment: more.environment.clone(),
            ..input
        };
        let judge = match self.script() {
            Some(script) => {
                let invocation = script.invocation.clone();
                let script = ScriptJudge {
                    invocation: invocation.and(&more.arguments, &more.environment),
                    ..script.clone()
                };
                mcpmark_grading::Judge::Script(Box::new(script))
            }
            None => self.judge.clone(),
        };
        let baselines = (is_named || self.task.is_some()).then_some(&self.baselines);
        let mut graded = grade_loaded(sandbox, &judge, input, limits, baselines);
        if let Some(task) = &self.task {
            graded.outcome = graded.outcome.weighed(&task.score);
        }
        graded
    }
}

/// Loads a state by its digest, or captures a directory.
fn stored(
    place: &Path,
    store: &Store,
    capture: impl FnOnce(&Path) -> Result<Tree, mcpmark_snapshot::CaptureError>,
) -> Result<Snapshot, CommandError> {
    if let Some(digest) = digest(place) {
        return store.snapshot(&digest).map_err(|error| {
            CommandError::usage(format!(
                "cannot load state {digest} from the store: {}",
                error_chain(&error)
            ))
            .hint("name a directory, or the home directory whose store has the state with --home")
        });
    }
    check_place(place)?;
    let tree = capture(place).map_err(|error| diagnosis::capture_error(place, &error))?;
    load(&tree.digest(), store)
}

/// Converts a state that was read from a directory into the form that its service captures, without the entries that an
/// export adds.
fn as_captured(
    service: &dyn Service,
    state: Snapshot,
    store: &Store,
) -> Result<Snapshot, CommandError> {
    let tree = service.as_captured(state.tree.clone());
    if tree.digest() == state.tree.digest() {
        return Ok(state);
    }
    store
        .put_tree(&tree)
        .map_err(CommandError::infrastructure)?;
    load(&tree.digest(), store)
}

fn load(digest: &Digest, store: &Store) -> Result<Snapshot, CommandError> {
    store.snapshot(digest).map_err(|error| {
        CommandError::infrastructure(format!(
            "cannot read state {digest}: {}",
            error_chain(&error)
        ))
    })
}

fn digest(place: &Path) -> Option<Digest> {
    place.to_str()?.parse().ok()
}

/// Checks that a path is a directory or has the form of a digest.
pub(crate) fn check_place(place: &Path) -> Result<(), CommandError> {
    let problem = match place.metadata() {
        _ if digest(place).is_some() => return Ok(()),
        Ok(metadata) if metadata.is_dir() => return Ok(()),
        Ok(_) => "not a directory".to_owned(),
        Err(error) => match diagnosis::malformed_digest(&place.to_string_lossy()) {
            Some(error) => return Err(diagnosis::digest_error(&error)),
            None => error.to_string(),
        },
    };
    let place = place.display().to_string();
    let message = format!("{}: {problem}", sanitise::line(&place));
    Err(CommandError::usage(message).hint(diagnosis::STATE_HINT))
}
