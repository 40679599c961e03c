//! Background process of `task try`: holds an attempt and makes the calls that other commands request over a socket.

use std::io::{self, Write};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use mcpmark_experiment::{
    AgentKind, AgentSetup, AttemptLimits, Manual, ManualResult, ManualStep, Progress, RunFailure,
};
use mcpmark_metadata::{ExitCode, OpenAttempt};
use mcpmark_service::Tool;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::protocol::{MAX_REQUEST_BYTES, Request, Response};
use crate::args::StartArgs;
use crate::commands::experiment_result::exit_code;
use crate::commands::single_attempt::SingleAttempt;
use crate::commands::task_selection;
use crate::context::Context;
use crate::diagnosis::home_error;
use crate::error::{CommandError, error_chain, journal_error};
use crate::interruption;
use crate::output;
use crate::runtime::runtime;

/// Beginning of the line on standard output that announces the open attempt. Other lines are messages for the user,
/// which never contain its first character.
pub(super) const READY: &[u8] = b"\0ready ";

/// Name of a socket with the length of the longest name: that of an attempt, hidden until connections are accepted.
const LONGEST_NAME: &str = ".0123456789ab";

/// Timeout for writing the last responses at the end of the attempt.
const LAST_RESPONSES: Duration = Duration::from_secs(5);

/// Pause after a connection that could not be accepted.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Runs the attempt until it has ended and is graded. Announces it on standard output when the agent may act.
pub(super) fn hold(
    context: &Context,
    task: String,
    args: &StartArgs,
) -> Result<ExitCode, CommandError> {
    // Checked before an experiment is created, because the path of a socket may have about 100 bytes only.
    let longest = context.home().sockets_dir().join(LONGEST_NAME);
    SocketAddr::from_pathname(&longest).map_err(|error| no_socket(&longest, &error))?;
    let place = task_selection::place(&args.published)?;
    let no_time_limit = args.no_time_limit;
    let own = SingleAttempt::create(
        context,
        AgentKind::Manual,
        task,
        place,
        args.experiment.clone(),
        |limits| AttemptLimits {
            time: if no_time_limit {
                Duration::MAX
            } else {
                limits.time
            },
            ..limits
        },
    )?;
    let dir = context.home().make_sockets_dir();
    let dir = dir.map_err(|error| home_error(&error))?;
    // Until here, Ctrl-C ends this process together with `task try start`. An open attempt must not depend on the
    // terminal. The call fails only if this process already leads a group, and then it does not depend on it either.
    let _ = rustix::process::setsid();
    let idle = Duration::from_secs(args.idle_timeout);
    let announced = runtime(1)?.block_on(attend(&own, &dir, idle))?;
    let rows = own.prepared_run.runner.journal.attempts(&own.name);
    let rows = rows.map_err(journal_error)?;
    if !announced {
        let reason = rows.last().and_then(|row| row.error.as_deref());
        let reason = reason.unwrap_or("it was cancelled");
        let reason = output::sanitise::line(reason);
        output::note(&format!("the attempt could not be opened: {reason}"));
    }
    Ok(exit_code(&rows, own.spec.planned(), false, false))
}

/// Runs the attempt and answers the requests of other commands. Returns true if the agent could act.
async fn attend(own: &SingleAttempt, dir: &Path, idle: Duration) -> Result<bool, CommandError> {
    let mut signals = interruption::listen();
    let (manual, controls) = Manual::new(idle);
    let manual = Arc::new(manual);
    let mut agent_setup = AgentSetup::plain(AgentKind::Manual);
    for participant in &mut agent_setup.participants {
        participant.manual = Some(Arc::clone(&manual));
    }
    let agent_setup = Arc::new(agent_setup);
    let (cancel, over) = (CancellationToken::new(), CancellationToken::new());
    let events = Arc::new(Events::default());
    let listener = {
        let events = Arc::clone(&events);
        move |progress| events.hear(progress)
    };
    let prepared_run = &own.prepared_run;
    let run = prepared_run.runner.run(
        &own.id,
        &agent_setup,
        &prepared_run.tasks,
        own.spec.plan(),
        cancel.clone(),
        Arc::new(listener),
    );
    tokio::pin!(run);
    let mut listed = controls.tools;
    let tools = loop {
        tokio::select! {
            ended = &mut run => return failed_or(ended, false),
            // Without tools, the attempt has ended, and so has the run.
            tools = &mut listed => match tools {
                Ok(tools) => break tools,
                Err(_) => return failed_or(run.await, false),
            },
            () = signals.asked_to_stop() => cancel.cancel(),
        }
    };
    let attempt = events.attempt.get().cloned().unwrap_or_default();
    let socket = match Socket::bind(dir, &attempt) {
        Ok(socket) => socket,
        Err(error) => {
            cancel.cancel();
            failed_or(run.await, false)?;
            return Err(error);
        }
    };
    let task = &prepared_run.tasks[0];
    let session = Arc::new(Session {
        attempt,
        experiment: own.name.clone(),
        task: task.id.to_string(),
        instruction: task.instruction.clone(),
        limits: task.attempt_limits,
        opened: Instant::now(),
        tools: tools.iter().map(listing).collect(),
        events,
        steps: controls.steps,
        cancel: cancel.clone(),
        over: over.clone(),
    });
    if announce(&session.status()).is_err() {
        // `task try start` was ended meanwhile, so the attempt would have no user.
        cancel.cancel();
    }
    let mut clients = JoinSet::new();
    let ended = loop {
        tokio::select! {
            ended = &mut run => break ended,
            () = signals.asked_to_stop() => cancel.cancel(),
            accepted = socket.listener.accept() => match accepted {
                Ok((stream, _)) => {
                    clients.spawn(serve(stream, Arc::clone(&session)));
                }
                Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
            },
        }
        while clients.try_join_next().is_some() {}
    };
    drop(socket);
    over.cancel();
    let last = async { while clients.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(LAST_RESPONSES, last).await;
    failed_or(ended, true)
}

fn failed_or<T>(ended: Result<(), RunFailure>, value: T) -> Result<T, CommandError> {
    ended.map_err(|error| CommandError::infrastructure(error_chain(&error)))?;
    Ok(value)
}

/// Returns the entry of a tool in MCP's list of tools.
fn listing(tool: &Tool) -> Value {
    serde_json::to_value(tool).unwrap_or_default()
}

/// Writes the line that `task try start` waits for.
fn announce(status: &OpenAttempt) -> io::Result<()> {
    let mut line = READY.to_vec();
    serde_json::to_writer(&mut line, status)?;
    line.push(b'\n');
    let mut out = io::stdout().lock();
    out.write_all(&line)?;
    out.flush()
}

/// Events of the attempt.
#[derive(Default)]
struct Events {
    attempt: OnceLock<String>,
    calls: AtomicU32,
}

impl Events {
    fn hear(&self, progress: Progress) {
        match progress {
            Progress::Started { attempt, .. } => {
                // The experiment has one attempt.
                let _ = self.attempt.set(attempt);
            }
            Progress::ToolCall { number, .. } => self.calls.store(number, Ordering::Relaxed),
            _ => {}
        }
    }
}

/// Listening socket, whose file is removed when it is dropped.
struct Socket {
    listener: UnixListener,
    file: PathBuf,
}

impl Socket {
    /// Binds the socket of an attempt. The file gets its name when the socket accepts connections, so that a refused
    /// connection means that its process has ended.
    fn bind(dir: &Path, attempt: &str) -> Result<Self, CommandError> {
        let file = dir.join(attempt);
        let unnamed = dir.join(format!(".{attempt}"));
        let failed = |error: io::Error| no_socket(&file, &error);
        let listener = UnixListener::bind(&unnamed).map_err(failed)?;
        if let Err(error) = std::fs::rename(&unnamed, &file) {
            let _ = std::fs::remove_file(&unnamed);
            return Err(failed(error));
        }
        Ok(Self { listener, file })
    }
}

/// Returns the error for a socket that cannot be created.
fn no_socket(file: &Path, error: &io::Error) -> CommandError {
    let message = format!("cannot create the socket {}: {error}", file.display());
    CommandError::infrastructure(message).hint(
        "name a home with a short path, on a file system with sockets, with --home (or MCPMARK_HOME)",
    )
}

impl Drop for Socket {
    fn drop(&mut self) {
        remove(&self.file);
    }
}

/// Removes the file of a socket. Anything else at its place is kept.
pub(super) fn remove(file: &Path) {
    let metadata = std::fs::symlink_metadata(file);
    if metadata.is_ok_and(|found| found.file_type().is_socket()) {
        // An error is ignored, because a file without a process is recognised.
        let _ = std::fs::remove_file(file);
    }
}

/// Open attempt, as the connections see it.
struct Session {
    attempt: String,
    experiment: String,
    task: String,
    instruction: String,
    limits: AttemptLimits,
    opened: Instant,
    tools: Vec<Value>,
    events: Arc<Events>,
    steps: mpsc::Sender<ManualStep>,
    /// Cancels the attempt.
    cancel: CancellationToken,
    /// Cancelled when the outcome of the attempt is in the journal.
    over: CancellationToken,
}

impl Session {
    fn status(&self) -> OpenAttempt {
        let time = self.limits.time;
        let left = time.saturating_sub(self.opened.elapsed()).as_secs();
        OpenAttempt {
            attempt: self.attempt.clone(),
            experiment: self.experiment.clone(),
            task: self.task.clone(),
            instruction: self.instruction.clone(),
            calls: self.events.calls.load(Ordering::Relaxed),
            call_limit: self.limits.turns,
            seconds_left: (time != Duration::MAX).then_some(left),
            process: std::process::id(),
        }
    }

    async fn respond(&self, request: Request) -> Response {
        match request {
            Request::Status => Response::Status(self.status()),
            Request::Tools => Response::Tools(self.tools.clone()),
            Request::Call { tool, arguments } => {
                let (result, called) = oneshot::channel();
                let step = ManualStep::Call {
                    tool,
                    arguments,
                    result,
                };
                // If the attempt has ended, the step is not received, or dropped with its sender.
                let _ = self.steps.send(step).await;
                match called.await {
                    Ok(ManualResult::Output(output)) => Response::Output(output),
                    Ok(ManualResult::UnknownTool) => Response::UnknownTool,
                    Ok(ManualResult::NoResult(reason)) => Response::NoResult(reason),
                    Ok(ManualResult::Ended(reason)) => Response::Ended(reason),
                    Err(_) => Response::Ended("its outcome is being determined".to_owned()),
                }
            }
            Request::Finish { answer } => {
                // If the attempt has ended by a limit, the grade is the same without this step.
                let _ = self.steps.send(ManualStep::Finish { answer }).await;
                self.over.cancelled().await;
                Response::Over
            }
            Request::Abandon => {
                self.cancel.cancel();
                self.over.cancelled().await;
                Response::Over
            }
        }
    }
}

/// Answers the request of one connection. A call whose client disconnects is cancelled.
async fn serve(stream: UnixStream, session: Arc<Session>) {
    let (read, mut write) = stream.into_split();
    let mut read = BufReader::new(read.take(MAX_REQUEST_BYTES));
    let mut line = Vec::new();
    tokio::select! {
        _ = read.read_until(b'\n', &mut line) => {}
        () = session.over.cancelled() => return,
    }
    let response = match (line.last(), serde_json::from_slice::<Request>(&line)) {
        // The client is gone, or only tested whether this process responds.
        (None, _) => return,
        (Some(b'\n'), Ok(request)) => {
            let mut more = [0];
            tokio::select! {
                response = session.respond(request) => response,
                _ = read.read(&mut more) => return,
            }
        }
        (Some(b'\n'), Err(error)) => Response::Invalid(error.to_string()),
        _ => Response::Invalid(format!(
            "a request has at most {MAX_REQUEST_BYTES} bytes and ends with a line break"
        )),
    };
    let Ok(mut text) = serde_json::to_vec(&response) else {
        return;
    };
    text.push(b'\n');
    // The client may be gone.
    let _ = write.write_all(&text).await;
}
