//! Grading: from stored states to an outcome, with a component, a Python script, or a held-back verifier.

use std::borrow::Cow;
use std::sync::Arc;

use mcpmark_journal::{Outcome, Scoring};
use mcpmark_kinds::{ScriptInvocation, ServiceKind, Services, WorldGuests};
use mcpmark_sandbox::{
    InterfaceVersions, Interpreter, Limits, Log, RunError, Sandbox, ScriptInput, ScriptRun,
    Verdict, Verifier, VerifyInput,
};
use mcpmark_snapshot::{Digest, Snapshot, Store};

use crate::{Baselines, Script, ScriptContext, VerifierTerms};

/// Inputs of a grade apart from the verifier and its limits. The states are named by digest.
#[derive(Debug, Clone)]
pub struct GradeInput {
    /// Digest of the starting state in the store.
    pub start: Digest,
    /// Digest of the final state in the store.
    pub state: Digest,
    /// Last message of the agent, if the task is judged on it.
    pub answer: Option<String>,
    /// Parameters of the task, as a JSON object.
    pub parameters: String,
}

/// Verifier of a task's final states.
#[derive(Clone)]
pub enum Judge {
    /// Verifier that is a component.
    Component(Verifier),
    /// Verifier that is a Python script.
    Script(Box<ScriptJudge>),
    /// Held-back verifier, of which only the digests are known.
    HeldBack(Box<VerifierTerms>),
}

/// Verifier script with its interpreter and its inputs apart from the state.
#[derive(Clone)]
pub struct ScriptJudge {
    /// Script with the files of its directory.
    pub script: Script,
    /// Interpreter of the script.
    pub interpreter: Interpreter,
    /// Arguments and environment of the script.
    pub invocation: ScriptInvocation,
    /// Clock of the world, in seconds since 1970-01-01T00:00:00Z.
    pub clock: i64,
    /// Service that answers requests of the script; none if it is unknown. It is set by the task and never derived from
    /// the state, because an agent can write arbitrary files.
    pub kind: Option<Arc<dyn ServiceKind>>,
    /// Guests of the world.
    pub guests: WorldGuests,
}

/// Result of one grade.
#[derive(Debug)]
pub struct Graded {
    /// Verdict, or the reason why there is none.
    pub outcome: Outcome,
    /// Log of a component.
    pub log: Log,
    /// Output of a script, or of a component that imports WASI.
    pub printed: Option<Printed>,
    /// Servers that answered the verifier on the final state.
    pub interfaces: InterfaceVersions,
}

/// Output and exit code of a script, or of a component that imports WASI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Printed {
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
    /// Exit code; none if the script or command did not exit by itself, or if a component returned checks.
    pub exit_code: Option<u8>,
}

impl From<mcpmark_sandbox::Printed> for Printed {
    fn from(printed: mcpmark_sandbox::Printed) -> Self {
        Self {
            stdout: printed.written.stdout,
            stderr: printed.written.stderr,
            exit_code: printed.exit_code,
        }
    }
}

impl Judge {
    /// Returns the digest of the component or script.
    pub fn digest(&self) -> Digest {
        match self {
            Self::Component(verifier) => verifier.digest(),
            Self::Script(judge) => judge.script.digest(),
            Self::HeldBack(verifier) => verifier.digest(),
        }
    }

    /// Returns the engine profile, and for a script also the start of the interpreter's digest.
    pub fn engine(&self, sandbox: &Sandbox) -> String {
        match self {
            Self::Component(_) | Self::HeldBack(_) => sandbox.profile(),
            Self::Script(judge) => judge.engine(),
        }
    }

    /// Returns the verifier if it is a component.
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

    /// Returns the inputs of the script for one state.
    pub fn input(&self, state: Snapshot, answer: Option<String>) -> ScriptInput {
        let kind = self.kind.as_ref();
        let backend = kind.and_then(|it| it.script_backend(&state, self.clock, &self.guests));
        let mut invocation = self.invocation.clone();
        let mut services = None;
        if let Some(backend) = backend {
            // Variables of the task or the user override variables that follow from the state.
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

    /// Returns the variables that the script requires and that nothing sets for this state.
    pub fn missing_variables(&self, state: &Snapshot, services: &Services) -> Vec<String> {
        let mut lacking = self.script.variables(services);
        let given = &self.invocation.environment;
        lacking.retain(|name| given.iter().all(|(given, _)| given != name));
        if !lacking.is_empty() {
            // The service is opened on the state only if variables are missing.
            let input = self.input(state.clone(), None);
            lacking.retain(|name| input.environment.iter().all(|(given, _)| given != name));
        }
        lacking.into_iter().collect()
    }

    /// Runs the script on one state. A fault is always attributed to the verifier here.
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
            interfaces,
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
            interfaces,
        }
    }
}

impl Graded {
    fn failed(outcome: Outcome) -> Self {
        Self {
            outcome,
            log: Log::default(),
            printed: None,
            interfaces: InterfaceVersions::default(),
        }
    }

    /// Returns the lines that the verifier logged or printed, for the journal. The text has no final line break.
    pub fn log_text(&self) -> Cow<'_, str> {
        let Some(printed) = &self.printed else {
            return Cow::Borrowed(self.log.text());
        };
        let streams = [&printed.stdout, &printed.stderr];
        let streams = streams.map(|bytes| String::from_utf8_lossy(bytes));
        let printed = streams.iter().flat_map(|text| text.lines());
        let lines: Vec<&str> = self.log.lines().chain(printed).collect();
        Cow::Owned(lines.join("\n"))
    }
}

/// Loads and grades a stored state. Regrades call [`grade_loaded`] instead, because many of them share a starting
/// state.
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

/// Loads a state from the store, or returns an error message that contains `what`.
pub(crate) fn load(store: &Store, what: &str, digest: Digest) -> Result<Snapshot, String> {
    store
        .snapshot(&digest)
        .map_err(|error| format!("cannot read the {what} state {digest}: {error}"))
}

/// Grades a final state that is loaded already.
///
/// A fault, or a repository that cannot be read, is attributed to the final state if the verifier judges the starting
/// state without a fault ([`Outcome::StateFault`]). Checks that pass on the starting state earn nothing
/// ([`ScoreRule::Earned`](mcpmark_journal::ScoreRule)). Without `baselines`, for example if the starting state is
/// unknown, every fault is attributed to the verifier, and the score is the share of passed checks.
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
        // A verifier that gets an answer need not handle its absence.
        answer: input.answer.as_ref().map(|_| String::new()),
        parameters: input.parameters.clone(),
        data: input.data.clone(),
        arguments: input.arguments.clone(),
        environment: input.environment.clone(),
    };
    // If the agent changed nothing, the verdict is also the baseline.
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
            outcome => baselines.attribute_fault(outcome, sandbox, judge, baseline, limits, grade),
        };
    }
    graded
}

/// Runs the verifier on one state, without attributing a fault.
fn grade_once(sandbox: &Sandbox, judge: &Judge, input: VerifyInput, limits: &Limits) -> Graded {
    match judge {
        Judge::Component(verifier) => {
            let run = sandbox.verify(verifier, input, limits);
            Graded {
                outcome: outcome(run.result),
                log: run.log,
                printed: run.printed.map(Printed::from),
                interfaces: run.interfaces,
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
