//! Implementation of [`Service`] and [`Session`] for notion worlds.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use mcpmark_service::{
    BoxedStream, Calls, HttpResponse, Introduction, ServeHandle, Service, ServiceError, Session,
    SessionLimits, ToolServer, WorldState, serve_http,
};
use mcpmark_snapshot::{Blobs, File, Snapshot, Store, Tree, TreeBuilder, TreePath};
use tokio::net::TcpListener;

use crate::api::Engine;
use crate::model::Workspace;
use crate::tools::{PROFILES, Profile, Tools};
use crate::world::{self, Opening, WorldError};

/// Name of the service.
pub const NAME: &str = "notion";

/// Notion service.
#[derive(Debug, Clone, Copy, Default)]
pub struct NotionService;

#[async_trait]
impl Service for NotionService {
    fn name(&self) -> &'static str {
        NAME
    }

    fn profiles(&self) -> &'static [&'static str] {
        PROFILES
    }

    fn tools(&self, profile: Option<&str>) -> Vec<String> {
        let profile = profile.and_then(Profile::parse).unwrap_or_default();
        profile
            .surface()
            .map_or(Vec::new(), |surface| surface.names())
    }

    fn check_state(&self, state: &Snapshot, _scratch: &Path) -> Result<(), ServiceError> {
        let opening = Opening { seed: 0, clock: 0 };
        let read = world::read(&state.tree, &state.blobs, opening);
        read.map(drop).map_err(ServiceError::from)
    }

    async fn open(&self, world: WorldState) -> Result<Box<dyn Session>, ServiceError> {
        self.check_profile(world.profile.as_deref().unwrap_or(PROFILES[0]))?;
        let session = tokio::task::spawn_blocking(move || NotionSession::open(world))
            .await
            .map_err(|error| ServiceError::Stopped(error.to_string()))??;
        Ok(Box::new(session))
    }
}

/// Distinguishes invalid worlds from failures of the host.
impl From<WorldError> for ServiceError {
    fn from(error: WorldError) -> Self {
        match error {
            WorldError::Read { .. } => Self::set_up(NAME, error),
            error => Self::invalid_world(NAME, error),
        }
    }
}

struct NotionSession {
    server: ToolServer<Tools>,
    store: Arc<Store>,
}

impl NotionSession {
    fn open(world: WorldState) -> Result<Self, ServiceError> {
        check_size(&world.tree, &world.limits)
            .map_err(|problem| ServiceError::set_up(NAME, problem))?;
        let profile = world
            .profile
            .as_deref()
            .and_then(Profile::parse)
            .unwrap_or_default();
        let surface = profile
            .surface()
            .map_err(|error| ServiceError::set_up(NAME, error))?;
        let blobs: Arc<dyn Blobs> = Arc::clone(&world.store) as _;
        let opening = Opening {
            seed: world.seed,
            clock: world.clock,
        };
        let workspace = world::read(&world.tree, &blobs, opening)?;
        let bytes = world.tree.total_size();
        let tools =
            Tools::new(Engine::new(workspace), bytes, world.limits.max_bytes).with_profile(profile);
        Ok(Self {
            server: ToolServer::new(surface, tools, &world.limits),
            store: world.store,
        })
    }
}

/// Checks that a world is within the limits of a session.
fn check_size(tree: &Tree, limits: &SessionLimits) -> Result<(), String> {
    let (bytes, entries) = (tree.total_size(), tree.len());
    if bytes > limits.max_bytes {
        let limit = limits.max_bytes;
        return Err(format!(
            "the workspace has {bytes} bytes; the limit is {limit}"
        ));
    }
    if entries > limits.max_files {
        let limit = limits.max_files;
        return Err(format!(
            "the workspace has {entries} documents and directories; the limit is {limit}"
        ));
    }
    Ok(())
}

fn capture(workspace: &Workspace, store: &Store) -> Result<Tree, ServiceError> {
    let mut batch = store.batch();
    let mut builder = TreeBuilder::new();
    for (path, bytes) in world::write(workspace) {
        let lost =
            |error: Box<dyn std::error::Error + Send + Sync>| ServiceError::capture(NAME, error);
        let content = batch
            .put_bytes(&bytes)
            .map_err(|error| lost(error.into()))?;
        let file = File {
            size: bytes.len() as u64,
            executable: false,
            modified: None,
            content,
        };
        let path = TreePath::parse(&path).map_err(|error| lost(error.into()))?;
        builder
            .insert_file(&path, file)
            .map_err(|error| lost(error.into()))?;
    }
    let tree = builder.finish();
    batch
        .put_tree(&tree)
        .and_then(|_| batch.commit())
        .map_err(|error| ServiceError::capture(NAME, error))?;
    Ok(tree)
}

#[async_trait]
impl Session for NotionSession {
    fn serve(&self, io: BoxedStream) -> ServeHandle {
        self.server.serve(io)
    }

    fn introduce(&self, introduction: Introduction) {
        self.server.introduce(introduction);
    }

    fn calls(&self) -> Option<&Calls> {
        Some(self.server.calls())
    }

    fn serve_http(&self, listener: TcpListener) -> Option<ServeHandle> {
        let server = self.server.clone();
        let calls = server.calls().clone();
        let until = async move { calls.until_ended().await };
        Some(serve_http(listener, until, move |request| {
            let server = server.clone();
            async move {
                let path = request.target.split('?').next().unwrap_or_default();
                let name = format!("{} {path}", request.method);
                let answer = server
                    .request(&name, move |tools| tools.http(&request))
                    .await;
                answer.unwrap_or_else(|error| HttpResponse {
                    status: 503,
                    headers: Vec::new(),
                    body: error.to_string().into_bytes(),
                })
            }
        }))
    }

    async fn capture(&self) -> Result<Tree, ServiceError> {
        let store = Arc::clone(&self.store);
        self.server
            .with(move |tools| capture(&tools.engine().workspace, &store))
            .await?
    }

    async fn close(self: Box<Self>) -> Result<(), ServiceError> {
        drop(self.server.close().await?);
        Ok(())
    }
}
