//! Run of an agent on a task without a journal.

use std::sync::Arc;

use mcpmark_agent::{Agent, Attempt, End, Event, RecordError, Recorder};
use mcpmark_experiment::Prepared;
use mcpmark_kinds::ServiceUnavailable;
use mcpmark_service::{STOP_GRACE, ToolClient, WorldState};
use mcpmark_snapshot::{ScratchSpace, Store, Tree};
use tokio_util::sync::CancellationToken;

/// Result of one run of an agent.
#[derive(Debug, Clone)]
pub(crate) struct Played {
    pub(crate) end: End,
    pub(crate) tree: Tree,
    pub(crate) answer: Option<String>,
    pub(crate) tool_calls: u32,
}

/// Runs an agent on a private copy of a task's world, under the limits of an attempt.
pub(crate) async fn play(
    task: &Prepared,
    agent: &dyn Agent,
    store: &Arc<Store>,
    scratch: &ScratchSpace,
) -> Result<Played, String> {
    let service = task.start.service();
    let service = service
        .ok_or_else(|| ServiceUnavailable::Unknown(task.id.service().to_owned()).to_string())?;
    let world = WorldState {
        tree: task.start.tree.clone(),
        store: Arc::clone(store),
        seed: task.start.seed,
        clock: task.start.clock,
        profile: task.profile.clone(),
        limits: task.session_limits.clone(),
        scratch: scratch.clone(),
    };
    let session = service.open(world).await.map_err(|error| chain(&error))?;
    let client = ToolClient::connect(&*session)
        .await
        .map_err(|error| chain(&error))?;
    let mut forgetful = Forgetful;
    let played = async {
        let mut attempt = Attempt::start(
            &task.instruction,
            &client,
            task.attempt_limits,
            &mut forgetful,
            CancellationToken::new(),
        )
        .map_err(|error| chain(&error))?;
        let end = match agent.run(&mut attempt).await {
            Ok(end) | Err(mcpmark_agent::Halt::End(end)) => end,
            Err(halt) => return Err(chain(&halt)),
        };
        let tree = session.finish(STOP_GRACE).await;
        let tree = tree.map_err(|error| chain(&error))?;
        Ok(Played {
            end,
            tree,
            answer: attempt.answer().map(str::to_owned),
            tool_calls: attempt.tool_calls(),
        })
    }
    .await;
    let disconnected = client.close().await;
    let closed = session.close().await;
    // The first error is the most informative, because it may have caused the later ones.
    let played = played?;
    disconnected.and(closed).map_err(|error| chain(&error))?;
    Ok(played)
}

/// Recorder that discards all events, because certification does not store trajectories.
struct Forgetful;

impl Recorder for Forgetful {
    fn record(&mut self, _: Event<'_>) -> Result<(), RecordError> {
        Ok(())
    }
}

pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}
