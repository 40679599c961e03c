//! From a stored state to an outcome, whoever judges.

use std::borrow::Cow;
use std::sync::Arc;

use mcpmark_kinds::{ScriptInvocation, ServiceKind, Services, WorldGuests};
use mcpmark_sandbox::{
    Interpreter, Limits, Log, RunError, Sandbox, ScriptInput, ScriptRun, Verdict, Verifier,
    VerifyInput,
};
use mcpmark_snapshot::{Digest, Snapshot, Store};

use crate::{Baselines, Outcome, Scoring, Script, ScriptContext, VerifierTerms};

/// Everything that a grade follows from, by digest.
#[derive(Debug, Clone)]
pub struct GradeInput {
    /// The starting state, in the store.
    pub start: Digest,
    /// The final state, in the store.
    pub state: Digest,
    /// The agent's last message, if the task is judged on it.
    pub answer: Option<String>,
    /// The task's parameters as a JSON object.
    pub parameters: String,
}

/// Who judges the final states of a task.
#[derive(Clone)]
pub enum Judge {
    /// A component.
    Component(Verifier),
    /// A Python script.
    Script(Box<ScriptJudge>),
    /// Whoever is named here, whom somebody else has.
    HeldBack(Box<VerifierTerms>),
}

/// A script, and what it is told beside the state.
#[derive(Clone)]
pub struct ScriptJudge {
    /// The script.
    pub script: Script,
    /// Runs it.
    pub interpreter: Interpreter,
    /// Its arguments and its environment.
    pub invocation: ScriptInvocation,
    /// The world's instant, in seconds since 1970-01-01T00:00:00Z.
    pub clock: i64,
    /// The service of the states that it judges, which answers its requests; none where that is not known. A state
    /// never decides it: an agent may write whatever files it likes.
    pub kind: Option<Arc<dyn ServiceKind>>,
    /// The guests of the world.
    pub guests: WorldGuests,
}

/// What came of one grade.
#[derive(Debug)]
pub struct Graded {
    /// The verdict, or why there is none.
    pub outcome: Outcome,
    /// What a component logged.
    pub log: Log,
    /// What a script printed.
    pub printed: Option<Printed>,
}

/// All that a script printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Printed {
    /// On standard output.
    pub stdout: Vec<u8>,
    /// On standard error.
    pub stderr: Vec<u8>,
    /// The code with which it ended, where it came to its end.
    pub exit_code: Option<u8>,
}

impl Judge {
    /// The digest of the component, or of the script.
    pub fn digest(&self) -> Digest {
        match self {
            Self::Component(verifier) => verifier.digest(),
            Self::Script(judge) => judge.script.digest(),
            Self::HeldBack(verifier) => verifier.digest(),
        }
    }

    /// A short name for what runs it: the engine, and the interpreter where there is one.
    pub fn engine(&self, sandbox: &Sandbox) -> String {
        match self {
            Self::Component(_) | Self::HeldBack(_) => sandbox.profile(),
            Self::Script(judge) => judge.engine(),
        }
    }

    /// The component, where it is one.
    pub fn component(&self) -> Option<&Verifier> {
        match self {
            Self::Component(verifier) => Some(verifier),
            Self::Script(_) | Self::HeldBack(_) => None,
        }
    }
}

impl ScriptJudge {
    fn engine(&self) -> String {
        let digest = self.interpreter.digest().hex();
        format!(
            "{} python-{}",
            self.interpreter.profile(),
            digest.get(..12).unwrap_or_default()
        )
    }

    /// All that the script sees of one state.
    pub fn input(&self, state: Snapshot, answer: Option<String>) -> ScriptInput {
        let kind = self.kind.as_ref();
        let backend = kind.and_then(|it| it.script_backend(&state, self.clock, &self.guests));
        let mut invocation = self.invocation.clone();
        let mut services = None;
        if let Some(backend) = backend {
            // Variables of the task or of a person replace those that follow from the state.
            let own = ScriptInvocation {
                environment: backend.environment,
                ..ScriptInvocation::default()
            };
            invocation = own.and(&invocation.arguments, &invocation.environment);
            services = Some(backend.services);
        }
        self.script.input(ScriptContext {
            state,
            answer,
            arguments: invocation.arguments,
            environment: invocation.environment,
            clock: self.clock,
            services,
        })
    }

    /// The variables that the script reads and that nothing sets where it judges this state.
    pub fn lacks(&self, state: &Snapshot, services: &Services) -> Vec<String> {
        let mut lacking = self.script.variables(services);
        let given = &self.invocation.environment;
        lacking.retain(|name| given.iter().all(|(given, _)| given != name));
        if !lacking.is_empty() {
            // What follows from the state is looked at only where it may help.
            let input = self.input(state.clone(), None);
            lacking.retain(|name| input.environment.iter().all(|(given, _)| given != name));
        }
        lacking.into_iter().collect()
    }

    /// Has the script judge one state; a fault is the script's, whatever it is due to.
    pub fn grade(
        &self,
        sandbox: &Sandbox,
        state: Snapshot,
        answer: Option<String>,
        limits: &Limits,
    ) -> Graded {
        let input = self.input(state, answer);
        let ScriptRun {
            result,
            written,
            exit_code,
            ..
        } = sandbox.verify_script(&self.interpreter, &input, limits);
        Graded {
            outcome: outcome(result),
            log: Log::default(),
            printed: Some(Printed {
                stdout: written.stdout,
                stderr: written.stderr,
                exit_code,
            }),
        }
    }
}

impl Graded {
    fn failed(outcome: Outcome) -> Self {
        Self {
            outcome,
            log: Log::default(),
            printed: None,
        }
    }

    /// What the verifier said beside its verdict, for the journal: the lines that it logged, or
    /// that it printed. There is no line break at the end.
    pub fn said(&self) -> Cow<'_, str> {
        let Some(printed) = &self.printed else {
            return Cow::Borrowed(self.log.text());
        };
        let streams = [&printed.stdout, &printed.stderr];
        let streams = streams.map(|bytes| String::from_utf8_lossy(bytes));
        let lines: Vec<&str> = streams.iter().flat_map(|text| text.lines()).collect();
        Cow::Owned(lines.join("\n"))
    }
}

/// Grades a stored state. The first grade and every later one come through here.
pub fn grade(
    sandbox: &Sandbox,
    store: &Store,
    judge: &Judge,
    input: GradeInput,
    limits: &Limits,
    baselines: &Baselines,
) -> Graded {
    let states = load(store, "starting", input.start)
        .and_then(|start| load(store, "final", input.state).map(|end| (start, end)));
    let (start, end) = match states {
        Ok(states) => states,
        Err(message) => return Graded::failed(Outcome::InfraError(message)),
    };
    let input = VerifyInput {
        answer: input.answer,
        parameters: input.parameters,
        ..VerifyInput::new(start, end)
    };
    grade_loaded(sandbox, judge, input, limits, Some(baselines))
}

/// A state of the store, or a message where it cannot be read.
pub(crate) fn load(store: &Store, what: &str, digest: Digest) -> Result<Snapshot, String> {
    store
        .snapshot(&digest)
        .map_err(|error| format!("the {what} state {digest} cannot be read: {error}"))
}

/// Grades a stored state that was read already, for those who grade it many times.
///
/// A fault on the final state is the state's where the verifier judges the starting state without
/// one ([`Outcome::StateFault`]), and so is a repository that cannot be read. Checks that hold for the starting state
/// earn nothing ([`ScoreRule::Earned`](crate::ScoreRule)). Without `baselines`, as where nobody knows the starting
/// state, every fault is the verifier's, and the score is the share of checks that passed.
pub fn grade_loaded(
    sandbox: &Sandbox,
    judge: &Judge,
    input: VerifyInput,
    limits: &Limits,
    baselines: Option<&Baselines>,
) -> Graded {
    let baseline = VerifyInput {
        start: input.start.clone(),
        end: input.start.clone(),
        // Verifiers that are given an answer need not cope with none.
        answer: input.answer.as_ref().map(|_| String::new()),
        parameters: input.parameters.clone(),
        data: input.data.clone(),
    };
    // Whoever did nothing has the verdict of the starting state already.
    let is_untouched = baselines.is_some()
        && input.start.digest() == input.end.digest()
        && input.answer.as_ref().is_none_or(String::is_empty);
    let mut graded = grade_once(sandbox, judge, input, limits);
    if let Some(baselines) = baselines {
        let grade = |baseline| grade_once(sandbox, judge, baseline, limits).outcome;
        graded.outcome = match graded.outcome {
            Outcome::Graded { verdict, .. } if is_untouched => {
                baselines.untouched(verdict, judge, &baseline, limits)
            }
            Outcome::Graded { verdict, .. } => {
                baselines.score(verdict, judge, baseline, limits, grade)
            }
            outcome => baselines.blame(outcome, sandbox, judge, baseline, limits, grade),
        };
    }
    graded
}

/// Has the verifier judge one state, whoever is to blame for a fault.
fn grade_once(sandbox: &Sandbox, judge: &Judge, input: VerifyInput, limits: &Limits) -> Graded {
    match judge {
        Judge::Component(verifier) => {
            let run = sandbox.verify(verifier, input, limits);
            Graded {
                outcome: outcome(run.result),
                log: run.log,
                printed: None,
            }
        }
        Judge::Script(judge) => judge.grade(sandbox, input.end, input.answer, limits),
        Judge::HeldBack(verifier) => Graded::failed(Outcome::HeldBack(verifier.digest())),
    }
}

pub(crate) fn outcome(result: Result<Verdict, RunError>) -> Outcome {
    match result {
        Ok(verdict) => Outcome::Graded {
            verdict,
            scoring: Scoring::default(),
        },
        Err(RunError::Fault(fault)) => Outcome::VerifierFault(fault),
        Err(RunError::World(message)) => Outcome::InvalidTask(message),
        Err(RunError::Host(message)) => Outcome::InfraError(message),
    }
}
