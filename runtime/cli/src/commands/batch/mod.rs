//! `grade --batch`: reads one request per line and writes one outcome per line.

mod request;

use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::num::NonZeroUsize;
use std::os::unix::fs::FileTypeExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use mcpmark_grading::Graded;
use mcpmark_metadata::{ExitCode, GradedLine, RefusedLine, RequestError};
use mcpmark_sandbox::{Cancel, Panicked, Sandbox, in_order};
use mcpmark_snapshot::{Digest, Snapshot, Store};
use serde::Serialize;
use serde_json::Value;

use self::request::{JudgeName, Line, Lines, Refusal, Request};

use crate::args::EngineArgs;
use crate::commands::judge::{self, Judge, Lowered, exit_code, grade_report};
use crate::commands::script::Scripts;
use crate::context::{Context, SERVICES_HINT};
use crate::error::CommandError;
use crate::output::{self, sanitise};
use crate::single_flight::SingleFlightCache;

/// Maximum number of loaded verifiers in the cache.
const MAX_JUDGES: u64 = 256;
/// Maximum number of files and directories in all cached states together.
const MAX_ENTRIES: u64 = 250_000;

/// Grades the requests in the lines of a file.
pub(crate) fn grade(
    context: &Context,
    file: &Path,
    scripts: Scripts,
    jobs: Option<u32>,
    engine: EngineArgs,
) -> Result<ExitCode, CommandError> {
    let source: Box<dyn Read + Send> = if file == Path::new("-") {
        Box::new(io::stdin())
    } else {
        Box::new(open(file)?)
    };
    let jobs = jobs.and_then(|jobs| NonZeroUsize::new(jobs as usize));
    let jobs = jobs.or_else(|| std::thread::available_parallelism().ok());
    let slots = jobs.map_or(1, |jobs| u32::try_from(jobs.get()).unwrap_or(u32::MAX));
    let cancel = Cancel::new();
    let batch = Batch {
        context: context.clone(),
        store: context.store()?,
        sandbox: context.sandbox(slots, engine)?.cancelled_by(cancel.clone()),
        scripts,
        preparing: Mutex::new(()),
        judges: SingleFlightCache::new(MAX_JUDGES, |judge| judge.is_ok().then_some(1)),
        states: SingleFlightCache::new(MAX_ENTRIES, |state| {
            state.as_ref().ok().map(|state| state.tree.len() + 1)
        }),
    };
    let outcomes = in_order(Lines::new(source), jobs, cancel, move |line| {
        batch.answer(line)
    });
    print(
        outcomes.map_err(|error| {
            CommandError::infrastructure(format!("cannot start a thread: {error}"))
        })?,
    )
}

/// Opens a file of requests, or a named pipe.
fn open(file: &Path) -> Result<File, CommandError> {
    let refused = |problem: &dyn std::fmt::Display| {
        let message = format!("{}: {problem}", file.display());
        CommandError::usage(sanitise::line(&message)).hint(
            "--batch expects a file or a pipe with one request per line, or `-` for standard input",
        )
    };
    let kind = file
        .metadata()
        .map_err(|error| refused(&error))?
        .file_type();
    if kind.is_dir() {
        return Err(refused(&"expected a file or a pipe, found a directory"));
    }
    if kind.is_fifo() {
        // Opening a named pipe blocks until it has a writer.
        output::note(&format!(
            "reading requests from the pipe {}",
            sanitise::line(&file.display().to_string())
        ));
    }
    let is_device = kind.is_char_device() || kind.is_block_device();
    let opened = if is_device {
        // Only a terminal is accepted; other devices, such as /dev/zero, may never end.
        File::open(file).ok().filter(File::is_terminal)
    } else {
        Some(File::open(file).map_err(|error| refused(&error))?)
    };
    opened.ok_or_else(|| refused(&"expected a file or a pipe, found a device"))
}

/// Output line of one request, and the exit code that it would have alone.
struct Answer {
    text: String,
    code: ExitCode,
}

fn print(mut outcomes: mcpmark_sandbox::InOrder<Answer>) -> Result<ExitCode, CommandError> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut worst = ExitCode::Passed;
    while let Some(first) = outcomes.next() {
        let mut next = Some(first);
        // Answers that are ready are written together, with one flush.
        while let Some(answer) = next {
            let answer = answer.unwrap_or_else(|panicked| broken(None, &panicked));
            worst = worst.max(answer.code);
            if let Some(result) = give_up(writeln!(out, "{}", answer.text)) {
                return result.map(|()| worst);
            }
            next = outcomes.try_next();
        }
        if let Some(result) = give_up(out.flush()) {
            return result.map(|()| worst);
        }
    }
    Ok(worst)
}

/// Returns the result of the command if writing must stop. A closed pipe is not an error.
fn give_up(written: io::Result<()>) -> Option<Result<(), CommandError>> {
    match written {
        Ok(()) => None,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Some(Ok(())),
        Err(error) => Some(Err(CommandError::infrastructure(format!(
            "cannot write to standard output: {error}"
        )))),
    }
}

fn refused(line: Option<u64>, id: Option<Value>, refusal: Refusal) -> Answer {
    let place = match (line, refusal.key) {
        (Some(line), Some(key)) => format!("line {line}, key {key:?}: "),
        (Some(line), None) => format!("line {line}: "),
        (None, _) => String::new(),
    };
    json(
        &RefusedLine {
            line,
            id,
            error: RequestError {
                key: refusal.key.map(str::to_owned),
                message: format!("{place}{}", refusal.message),
                hint: refusal.hint,
            },
        },
        refusal.code,
    )
}

fn broken(line: Option<u64>, panicked: &Panicked) -> Answer {
    let refusal = Refusal {
        code: ExitCode::Infrastructure,
        ..Refusal::of_line(panicked.to_string(), "")
    };
    refused(line, None, refusal)
}

fn json(value: &impl Serialize, code: ExitCode) -> Answer {
    match serde_json::to_string(value) {
        Ok(text) => Answer {
            text: sanitise::json(&text).into_owned(),
            code,
        },
        Err(error) => Answer {
            text: Value::from(format!("cannot write JSON: {error}")).to_string(),
            code: ExitCode::Infrastructure,
        },
    }
}

/// Cache key of a state: the inputs that determine its tree. The world of a task determines which modification times
/// are kept, and the service determines the form.
#[derive(Clone, PartialEq, Eq, Hash)]
enum StateName {
    /// Starting state of the verifier's task.
    Start(Option<(Option<Digest>, i64)>),
    /// Starting state given by a request.
    Named(PathBuf),
    Final(Option<&'static str>, Option<(Option<Digest>, i64)>, PathBuf),
}

/// Returns true if a path is the digest of a stored state. Only such states are cached for later lines, because a
/// directory may change between two lines.
fn is_digest(place: &Path) -> bool {
    place
        .to_str()
        .is_some_and(|place| place.parse::<Digest>().is_ok())
}

struct Batch {
    context: Context,
    store: Store,
    sandbox: Sandbox,
    scripts: Scripts,
    /// Lock that makes guests build one at a time.
    preparing: Mutex<()>,
    judges: SingleFlightCache<JudgeName, Result<Arc<Judge>, Refusal>>,
    states: SingleFlightCache<StateName, Result<Snapshot, Refusal>>,
}

impl Batch {
    fn answer(&self, line: Line) -> Answer {
        let number = line.number;
        catch_unwind(AssertUnwindSafe(|| self.answer_line(line)))
            .unwrap_or_else(|panic| broken(Some(number), &Panicked::from(panic)))
    }

    fn answer_line(&self, line: Line) -> Answer {
        let (id, request) = request::read(line.text);
        let graded = request.and_then(|request| self.grade(request));
        match graded {
            Err(refusal) => refused(Some(line.number), id, refusal),
            Ok((judge, state, graded, lowered)) => json(
                &GradedLine {
                    line: line.number,
                    id,
                    report: grade_report(&graded, state, &judge, lowered),
                },
                exit_code(&graded.outcome),
            ),
        }
    }

    fn grade(&self, request: Request) -> Result<(Arc<Judge>, Digest, Graded, Lowered), Refusal> {
        let key = request.judge.key();
        if let JudgeName::File(_, Some(service)) = &request.judge
            && let Err(error) = self.context.services().served(service)
        {
            let message = error.to_string();
            return Err(Refusal::of_key("service", message, SERVICES_HINT));
        }
        let judge = self.judges.get(request.judge.clone(), || {
            self.judge(&request.judge)
                .map(Arc::new)
                .map_err(|error| Refusal::of_command(key, error))
        })?;
        if let (Some(key), false) = (request.invocation_key(), judge.takes_invocation()) {
            return Err(Refusal::of_key(
                key,
                "applies only to a Python script, or to a component that imports WASI",
                "remove it",
            ));
        }
        let own = request.limits.iter();
        let own = own.map(|(name, value)| (name.as_str(), value.to_string()));
        let limits = judge.limits(own).map_err(|error| {
            let hint = r#"write it as {"fuel": 2000000000, "memory_bytes": 134217728}"#;
            Refusal::of_key("limits", error.to_string(), hint)
        })?;
        let (name, start_key) = match &request.start {
            Some(place) => (StateName::Named(place.clone()), "start"),
            None => (StateName::Start(judge.world()), key),
        };
        let start = || {
            let start = judge.start(request.start.as_deref(), &self.store);
            start.map_err(|error| Refusal::of_command(start_key, error))
        };
        let start = match &request.start {
            Some(place) if !is_digest(place) => start()?,
            _ => self.states.get(name, start)?,
        };
        let end = || {
            let end = judge.state(&request.state, &self.store);
            end.map_err(|error| Refusal::of_command("state", error))
        };
        let end = if is_digest(&request.state) {
            let name = StateName::Final(judge.service(), judge.world(), request.state.clone());
            self.states.get(name, end)?
        } else {
            end()?
        };
        let checked = judge.check_environment(&end, &request.invocation, self.context.services());
        checked.map_err(|error| {
            let hint = "set each one in \"env\": {\"NAME\": \"VALUE\"}, or name the \"service\" of the state, which sets its own variables";
            Refusal::of_key("env", error.message, hint)
        })?;
        let state = end.digest();
        let input = judge.input(start, end, request.answer, request.parameters);
        let graded = judge.grade(
            &self.sandbox,
            input,
            &request.invocation,
            &limits,
            request.start.is_some(),
        );
        let lowered = judge::lowered(&self.sandbox, &limits);
        Ok((judge, state, graded, lowered))
    }

    fn judge(&self, name: &JudgeName) -> Result<Judge, CommandError> {
        let _alone = self
            .preparing
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match name {
            JudgeName::Task(task) => {
                let scripts = &self.scripts;
                match scripts.of_task(&self.context, task, &self.sandbox, &self.store)? {
                    Some(judge) => Ok(judge),
                    None => Judge::of_task(&self.context, task, &self.sandbox, &self.store),
                }
            }
            JudgeName::File(file, service) => {
                let service = service.as_deref();
                self.scripts
                    .of_file(&self.context, file, service, &self.sandbox)
            }
        }
    }
}
