//! `mcpmark mcp serve --attempt`: the session of the client becomes a graded attempt of an experiment.

use std::net::TcpListener;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mcpmark_experiment::{
    AgentKind, AgentSetup, AttemptLimits, Client, ClientTransport, Outcome, Progress,
};
use mcpmark_metadata::ExitCode;
use mcpmark_snapshot::{Snapshot, Tree, TreeDigest};
use tokio_util::sync::CancellationToken;

use super::experiment_result::exit_code;
use super::mcp::{self, HTTP_PATH, introduction};
use super::single_attempt::SingleAttempt;
use crate::args::ServeArgs;
use crate::context::{self, Context};
use crate::error::{CommandError, error_chain, journal_error};
use crate::interruption;
use crate::output::{self, progress, sanitise};

/// Serves the world of a task to one client, journals its calls, and grades the final state.
pub(crate) fn serve(
    context: &Context,
    args: &ServeArgs,
    task: &str,
    http: Option<TcpListener>,
) -> Result<ExitCode, CommandError> {
    let task = context::one_task(&context.library()?, task)?;
    let introduction = introduction(&task);
    // Turns and time are not limited, because the client may be a person or a coding agent with many calls.
    let own = SingleAttempt::create(
        context,
        AgentKind::Client,
        task.id.to_string(),
        None,
        args.experiment.clone(),
        |limits| AttemptLimits {
            turns: u32::MAX,
            time: Duration::MAX,
            ..limits
        },
    )?;
    let SingleAttempt {
        prepared_run,
        spec,
        id,
        name,
        ..
    } = &own;
    let journal = &prepared_run.runner.journal;

    let (left, cancel) = (CancellationToken::new(), CancellationToken::new());
    let outcome = Arc::new(Mutex::new(None));
    let ended = super::runtime(1)?.block_on(async {
        let mut listening = interruption::listen();
        let door = match http {
            Some(listener) => ClientTransport::Http {
                listener: mcp::to_tokio("--http", listener)?,
                path: HTTP_PATH.to_owned(),
                idle: args.idle_timeout.map(Duration::from_secs),
            },
            None => ClientTransport::Stream(mcp::stdio()),
        };
        let client = Arc::new(Client::new(door, introduction, left.clone()));
        let mut agent_setup = AgentSetup::plain(AgentKind::Client);
        for participant in &mut agent_setup.participants {
            participant.client = Some(Arc::clone(&client));
        }
        let agent_setup = Arc::new(agent_setup);
        let signal = {
            let (left, cancel) = (left.clone(), cancel.clone());
            tokio::spawn(async move {
                // The first interrupt ends the session and grades its state.
                listening.asked_to_stop().await;
                left.cancel();
                listening.asked_to_stop().await;
                cancel.cancel();
            })
        };
        let kept = Arc::clone(&outcome);
        let listener = move |progress| hear(progress, &kept);
        let run = prepared_run.runner.run(
            id,
            &agent_setup,
            &prepared_run.tasks,
            spec.plan(),
            cancel.clone(),
            Arc::new(listener),
        );
        let ended = run.await;
        signal.abort();
        Ok::<_, CommandError>(ended)
    })?;
    ended.map_err(|error| CommandError::infrastructure(error_chain(&error)))?;
    let rows = journal.attempts(name).map_err(journal_error)?;
    let outcome = outcome
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    for row in &rows {
        let state = row.state.map(|digest| digest.to_string());
        let state = state.as_deref().unwrap_or("is lost");
        output::note(&format!("final state {state}"));
        output::note(&format!(
            "attempt {} of experiment {}; see `mcpmark show {}`",
            row.id,
            sanitise::line(name),
            row.id
        ));
        let digest = row.state.map(TreeDigest::untyped);
        if let (Some(dir), Some(digest)) = (&args.export, digest) {
            let store = Arc::clone(&prepared_run.runner.store);
            let tree: Tree = store
                .load_tree(&digest)
                .map_err(CommandError::infrastructure)?;
            let task = &prepared_run.tasks[0];
            let service = task.start.service();
            let service = service
                .ok_or_else(|| CommandError::invalid("the service of the task is not available"))?;
            mcp::export(&*service, Snapshot::new(tree, store), dir, task.start.clock)?;
        }
    }
    if args.grade {
        if let Some(outcome) = &outcome {
            output::note(&format!("verdict: {}", progress::mark(outcome)));
            for reason in progress::reasons(outcome) {
                output::note(&format!("  {reason}"));
            }
        }
        let was_cancelled = left.is_cancelled() && cancel.is_cancelled();
        return Ok(exit_code(&rows, spec.planned(), was_cancelled, false));
    }
    Ok(ExitCode::Passed)
}

fn hear(progress: Progress, kept: &Mutex<Option<Outcome>>) {
    match progress {
        Progress::Finished { outcome, .. } => {
            *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
        }
        Progress::Warning(text) => output::warn(&sanitise::line(&text)),
        _ => {}
    }
}
