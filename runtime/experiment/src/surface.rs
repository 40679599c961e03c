//! Tool surfaces: the tools that a world offers to agents.

use std::collections::BTreeSet;
use std::sync::Arc;

use mcpmark_service::{Service, ServiceError, SessionLimits, Tool, ToolClient, WorldState};
use mcpmark_snapshot::{Digest, ScratchSpace, Store};
use serde_json::json;

use crate::{Prepared, Runner, Start};

/// Returns the digest of the tools of a world as they are offered to an agent: names, descriptions and schemas, in
/// their order. `profile` is the version of the published server; without it the default of the service is used.
///
/// # Errors
///
/// Returns an error if the service cannot serve the world.
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
    /// Returns the names of all tools in the worlds of the tasks. A world that cannot be served contributes none here;
    /// its attempts report the error.
    pub async fn tools(&self, tasks: &[Arc<Prepared>]) -> BTreeSet<String> {
        let mut seen = BTreeSet::new();
        let mut names = BTreeSet::new();
        for task in tasks {
            let profile = task.profile.as_deref();
            let service = task.id.service();
            // The guests of a world may add tools.
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

/// Opens a world, lists its tools and closes it.
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
        // No agent acts here, so the size of the world needs no limit.
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
