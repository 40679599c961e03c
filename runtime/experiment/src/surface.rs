//! What agents are offered in a world: the digest of its list of tools.

use std::sync::Arc;

use mcpmark_service::{Service, ServiceError, SessionLimits, ToolClient, WorldState};
use mcpmark_snapshot::{Digest, ScratchSpace, Store};
use mcpmark_task::canonical_json;
use serde_json::json;

use crate::Start;

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
            let listed = canonical_json(&json!(client.tools()));
            client.close().await.map(|()| listed)
        }
        Err(error) => Err(error),
    };
    session.close().await?;
    listed.map(|listed| Digest::of(listed.as_bytes()))
}
