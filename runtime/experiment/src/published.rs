//! Preparation of tasks from published corpora.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use mcpmark_build::{BuildEvent, Builder};
use mcpmark_grading::{Judge, Script, ScriptJudge, ScriptTerms, Terms, VerifierTerms};
use mcpmark_kinds::{ScriptInvocation, Services, WorldGuests};
use mcpmark_sandbox::{Interpreter, Limits, Sandbox, Solution};
use mcpmark_service::SessionLimits;
use mcpmark_snapshot::{CaptureError, Digest, Snapshot, Store, Tree};
use mcpmark_task::published::{Corpus, PublishedTask, SCRIPT};
use mcpmark_task::{GuestSource, JudgedOn, PublishedParts, ScoreSettings};
use serde_json::json;

use crate::prepare::{Limited, components, limits, within_ceiling};
use crate::{PrepareError, Prepared, Start, capture_published};

/// Clock of worlds that set none, such as those of published corpora and plain directories: 2026-01-01T00:00:00Z, in
/// seconds since 1970.
pub const PUBLISHED_CLOCK: i64 = 1_767_225_600;

/// Prepares tasks of a published corpus.
pub struct CorpusPreparer<'a> {
    /// Corpus of the tasks.
    pub corpus: &'a Corpus,
    /// Known services.
    pub services: &'a Services,
    /// Directory of the starting states of the corpus.
    pub states: Option<&'a Path>,
    /// Builder of solutions.
    pub builder: &'a mut Builder,
    /// Sandbox that compiles and checks guests.
    pub sandbox: &'a Sandbox,
    /// Interpreter of the verifier scripts.
    pub interpreter: &'a Interpreter,
    /// Store for starting states and scripts.
    pub store: &'a Store,
    /// Ceiling of this host for the limits of worlds.
    pub ceiling: &'a SessionLimits,
    /// Callback for the progress of builds.
    pub report: &'a mut dyn FnMut(BuildEvent),
}

/// Loads the guests that belong to the state of a task, and builds those that are not built yet.
///
/// # Errors
///
/// Returns an error if a guest is not valid or cannot be built.
pub fn published_guests(
    corpus: &Corpus,
    services: &Services,
    task: &PublishedTask,
    state: &Path,
    builder: &mut Builder,
    sandbox: &Sandbox,
    report: &mut dyn FnMut(BuildEvent),
) -> Result<WorldGuests, PrepareError> {
    let sources = corpus.guests(state)?;
    if sources.is_empty() {
        return Ok(WorldGuests::default());
    }
    let wrong = |source| PrepareError::WorldGuest {
        task: task.id.clone(),
        source: Box::new(source),
    };
    services
        .check_roles(task.id.service(), &sources)
        .map_err(wrong)?;
    let all: Vec<GuestSource> = sources.values().cloned().collect();
    let components = components(builder, &all, report)?;
    let guests = sources
        .iter()
        .filter_map(|(role, source)| Some((*role, components.get(source)?.as_slice())));
    services
        .load_guests(task.id.service(), sandbox, guests)
        .map_err(wrong)
}

impl CorpusPreparer<'_> {
    /// Prepares all tasks. Each state is captured only once.
    ///
    /// # Errors
    ///
    /// Returns the error of the first task that cannot be attempted. No attempt has been made then.
    pub fn prepare(&mut self, tasks: &[PublishedTask]) -> Result<Vec<Prepared>, PrepareError> {
        let places = self.corpus.states(tasks, self.states)?;
        let sources: Vec<GuestSource> = tasks.iter().filter_map(|it| it.solution.clone()).collect();
        let components = components(self.builder, &sources, self.report)?;
        let mut starts = BTreeMap::new();
        let mut prepared = Vec::new();
        for (task, place) in tasks.iter().zip(places) {
            let start = match starts.get(&place) {
                Some(start) => Start::clone(start),
                None => {
                    let start = self.start(task, place.as_deref())?;
                    starts.insert(place, start.clone());
                    start
                }
            };
            // The builder returns a component for every source, or an error.
            let solution = task.solution.as_ref().and_then(|it| components.get(it));
            prepared.push(self.load(task, start, solution.map(Vec::as_slice))?);
        }
        Ok(prepared)
    }

    fn start(&mut self, task: &PublishedTask, place: Option<&Path>) -> Result<Start, PrepareError> {
        let wrong = |source| PrepareError::State {
            task: task.id.clone(),
            dir: place.unwrap_or(&task.dir).to_owned(),
            source: Box::new(source),
        };
        let tree = match place {
            Some(place) => capture_published(place, PUBLISHED_CLOCK, self.store),
            None => {
                let nothing = Tree::empty();
                let kept = self.store.put_tree(&nothing);
                kept.map(|_| nothing).map_err(CaptureError::from)
            }
        };
        let tree = tree.map_err(wrong)?;
        let guests = match place {
            Some(place) => published_guests(
                self.corpus,
                self.services,
                task,
                place,
                self.builder,
                self.sandbox,
                self.report,
            )?,
            None => WorldGuests::default(),
        };
        Ok(Start {
            digest: tree.digest(),
            tree,
            seed: 0,
            clock: PUBLISHED_CLOCK,
            kind: self.services.kind(task.id.service()).cloned(),
            guests,
        })
    }

    /// Returns the verifier, and the digest of the tree of the script's directory.
    fn judge(&self, task: &PublishedTask, start: &Start) -> Result<(Judge, Digest), PrepareError> {
        let kind = start.kind.as_ref();
        let invocation = match kind {
            Some(kind) => {
                let state = Snapshot::new(start.tree.clone(), Arc::new(self.store.clone()));
                let invocation = kind.script_invocation(&task.id, Some(&state));
                invocation.map_err(|source| PrepareError::Invocation {
                    task: task.id.clone(),
                    source: Box::new(source),
                })?
            }
            None => ScriptInvocation::default(),
        };
        if let Some(held_back) = task.held_back {
            let beside = held_back.beside.unwrap_or(held_back.verifier);
            let verifier = VerifierTerms::Script(ScriptTerms {
                name: SCRIPT.to_owned(),
                digest: held_back.verifier,
                beside,
                interpreter: self.interpreter.digest(),
                arguments: invocation.arguments,
                environment: invocation.environment,
                guests: start.guests.digests().into_iter().collect(),
            });
            return Ok((Judge::HeldBack(Box::new(verifier)), beside));
        }
        let script = Script::read(&task.script).map_err(|source| PrepareError::Script {
            task: task.id.clone(),
            source: Box::new(source),
        })?;
        let beside = script.beside();
        let judge = ScriptJudge {
            script,
            interpreter: self.interpreter.clone(),
            invocation,
            clock: start.clock,
            kind: start.kind.clone(),
            guests: start.guests.clone(),
        };
        Ok((Judge::Script(Box::new(judge)), beside))
    }

    fn load(
        &self,
        task: &PublishedTask,
        start: Start,
        solution: Option<&[u8]>,
    ) -> Result<Prepared, PrepareError> {
        let (judge, beside) = self.judge(task, &start)?;
        let solution = solution
            .map(|bytes| self.sandbox.solution(bytes))
            .transpose()
            .map_err(|source| PrepareError::Guest {
                task: task.id.clone(),
                guest: "solution",
                source: Box::new(source),
            })?;
        let parts = PublishedParts {
            task,
            snapshot: start.digest,
            clock: start.clock,
            script: judge.digest(),
            beside,
            solution: solution.as_ref().map(Solution::digest),
            guests: start.guests.digests(),
        };
        let task_digest = parts.digest();
        let Limited {
            verifier,
            attempt,
            session,
        } = limits(&task.limits, Limits::SCRIPT, self.ceiling);
        within_ceiling(&task.id, &start, self.ceiling)?;
        let kept = match &judge {
            Judge::Script(judge) => judge.script.keep(self.store),
            Judge::Component(_) | Judge::HeldBack(_) => Ok(()),
        };
        // The owner of a held-back script needs the guests of the world for grading, too.
        let kept = kept.and_then(|()| start.guests.keep(self.store));
        let terms = Terms::of(&judge, json!({}), true, verifier, start.clock);
        let terms = kept
            .and_then(|()| terms.keep(self.store))
            .map_err(|source| {
                let task = task.id.clone();
                PrepareError::Keep {
                    task,
                    source: Box::new(source),
                }
            })?;
        Ok(Prepared {
            id: task.id.clone(),
            instruction: task.instruction.clone(),
            judge,
            start,
            solution,
            task_digest,
            judged_on: JudgedOn {
                state: true,
                answer: true,
            },
            profile: None,
            parameters: "{}".to_owned(),
            terms,
            score: ScoreSettings::default(),
            verifier_limits: verifier,
            attempt_limits: attempt,
            session_limits: session,
        })
    }
}
