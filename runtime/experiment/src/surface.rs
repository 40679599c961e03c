//! What agents are offered in a world.

use std::collections::BTreeSet;
use std::sync::Arc;

use mcpmark_service::{Service, ServiceError, SessionLimits, Tool, ToolClient, WorldState};
use mcpmark_snapshot::{Digest, ScratchSpace, Store};
use serde_json::json;

use crate::{Prepared, Runner, Start};

/// The digest of the tools of a world as an agent is offered them: names, descriptions and schemas, in
/// their order. `profile` is the version of the published server; the default one where none is named.
///
/// # Errors
///
/// When the service cannot serve the world.
pub async fn tool_surface(
    service: &dyn Service,
    start: &Start,
    profile: Option<&str>,
    store: &Store,
    scratch: &ScratchSpace,
) -> Result<Digest, ServiceError> {
    let tools = offered(service, start, profile, store, scratch).await?;
    Ok(Digest::of(
        mcpmark_json::canonical(&json!(tools)).as_bytes(),
    ))
}

impl Runner {
    /// The names of the tools that the worlds of tasks have. A world that cannot be served has none here: its
    /// attempts say why.
    pub async fn tools(&self, tasks: &[Arc<Prepared>]) -> BTreeSet<String> {
        let mut seen = BTreeSet::new();
        let mut names = BTreeSet::new();
        for task in tasks {
            let profile = task.profile.as_deref();
            let service = task.id.service();
            // The guests of a world may bring tools along.
            let guests = task.start.guests.digests();
            if !seen.insert((service, profile, task.start.digest, guests)) {
                continue;
            }
            let Some(service) = task.start.service() else {
                continue;
            };
            let offered = offered(&*service, &task.start, profile, &self.store, &self.scratch);
            let tools = offered.await.unwrap_or_default();
            names.extend(tools.into_iter().map(|tool| tool.name.into_owned()));
        }
        names
    }
}

/// The tools of a world.
async fn offered(
    service: &dyn Service,
    start: &Start,
    profile: Option<&str>,
    store: &Store,
    scratch: &ScratchSpace,
) -> Result<Vec<Tool>, ServiceError> {
    let world = WorldState {
        tree: start.tree.clone(),
        store: Arc::new(store.clone()),
        seed: start.seed,
        clock: start.clock,
        profile: profile.map(str::to_owned),
        // Nobody acts here: what a world may hold is no matter.
        limits: SessionLimits {
            max_bytes: u64::MAX,
            max_files: u64::MAX,
            ..SessionLimits::default()
        },
        scratch: scratch.clone(),
    };
    let session = service.open(world).await?;
    let listed = match ToolClient::connect(&*session).await {
        Ok(client) => {
            let listed = client.tools().to_vec();
            client.close().await.map(|()| listed)
        }
        Err(error) => Err(error),
    };
    session.close().await?;
    listed
}
