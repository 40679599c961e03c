//! Implementation of [`Service`] and [`Session`] for github worlds.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use mcpmark_service::{
    BoxedStream, Calls, HttpResponse, Introduction, ServeHandle, Service, ServiceError, Session,
    ToolServer, WorldState, serve_http,
};
use mcpmark_snapshot::{Directory, Snapshot, Store, Tree};
use tokio::net::TcpListener;

use crate::ci::{Ci, Runner};
use crate::git::GitError;
use crate::profile::{Optional, PROFILES, Profile};
use crate::repository::RepositoryState;
use crate::tools::{Fault, Quota, Tools};
use crate::world::{self, ExportError, Opened, WorldError};

/// Name of the service.
pub const NAME: &str = "github";

/// GitHub service.
#[derive(Clone, Default)]
pub struct GitHub {
    runner: Option<Arc<dyn Runner>>,
}

impl GitHub {
    /// Creates a service that runs the workflows of its worlds with `runner`.
    #[must_use]
    pub fn with_runner(runner: Arc<dyn Runner>) -> Self {
        Self {
            runner: Some(runner),
        }
    }
}

#[async_trait]
impl Service for GitHub {
    fn name(&self) -> &'static str {
        NAME
    }

    fn profiles(&self) -> &'static [&'static str] {
        PROFILES
    }

    fn tools(&self, profile: Option<&str>) -> Vec<String> {
        let profile = profile.and_then(Profile::parse).unwrap_or_default();
        let surface = profile.surface(Optional::default());
        surface.map_or(Vec::new(), |surface| surface.names())
    }

    fn check_state(&self, state: &Snapshot, scratch: &Path) -> Result<(), ServiceError> {
        let opened = world::open(&state.tree, &*state.blobs, scratch, 0);
        opened.map(drop).map_err(ServiceError::from)
    }

    fn exported(&self, state: &Snapshot, scratch: &Path) -> Result<Snapshot, ServiceError> {
        world::with_index(state, scratch).map_err(ServiceError::from)
    }

    fn as_captured(&self, tree: Tree) -> Tree {
        world::without_index(tree)
    }

    async fn open(&self, world: WorldState) -> Result<Box<dyn Session>, ServiceError> {
        let runner = self.runner.clone();
        self.check_profile(world.profile.as_deref().unwrap_or(PROFILES[0]))?;
        let session = tokio::task::spawn_blocking(move || GitHubSession::open(&world, runner))
            .await
            .map_err(|error| ServiceError::Stopped(error.to_string()))??;
        Ok(Box::new(session))
    }
}

struct GitHubSession {
    server: ToolServer<Tools>,
    store: Arc<Store>,
    /// Directory `repo/` of the world, including its work tree.
    work_tree: Directory,
}

impl GitHubSession {
    fn open(world: &WorldState, runner: Option<Arc<dyn Runner>>) -> Result<Self, ServiceError> {
        let named = world.profile.as_deref();
        let profile = named.and_then(Profile::parse).unwrap_or_default();
        let quota = Quota::of(&world.tree, &world.limits);
        let quota = quota.map_err(|problem| ServiceError::set_up(NAME, problem))?;
        let Opened {
            hub,
            git,
            work_tree,
        } = world::open(
            &world.tree,
            &*world.store,
            world.scratch.parent(),
            world.clock,
        )?;
        let mut repo = RepositoryState::new(hub, git);
        let ci = runner.map(|runner| Ci::new(runner, &mut repo));
        let surface = profile
            .surface(Optional {
                actions: repo.has_actions(),
                gists: repo.has_gists(),
            })
            .map_err(|error| ServiceError::set_up(NAME, error))?;
        let tools = Tools::new(profile, surface.clone(), repo, ci, quota);
        Ok(Self {
            server: ToolServer::new(surface, tools, &world.limits),
            store: Arc::clone(&world.store),
            work_tree,
        })
    }
}

/// Distinguishes invalid worlds from failures of the host.
impl From<WorldError> for ServiceError {
    fn from(error: WorldError) -> Self {
        match error {
            WorldError::Git(GitError::Copy(_)) | WorldError::Read { .. } => {
                Self::set_up(NAME, error)
            }
            error => Self::invalid_world(NAME, error),
        }
    }
}

/// Converts an error of an export, distinguishing damaged worlds from failures of the host.
fn lost(error: ExportError) -> ServiceError {
    match error {
        ExportError::Git(error) if !error.is_infrastructure() => {
            ServiceError::invalid_world(NAME, error)
        }
        error => ServiceError::capture(NAME, error),
    }
}

#[async_trait]
impl Session for GitHubSession {
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
                    .request(&name, move |tools| tools.rest(&request))
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
        let work_tree = self.work_tree.clone();
        self.server
            .with(move |tools| match tools.repo() {
                Err(Fault::World(problem)) => {
                    Err(ServiceError::invalid_world(NAME, problem.to_owned()))
                }
                Err(Fault::Host(problem)) => Err(ServiceError::capture(NAME, problem.to_owned())),
                Ok(repo) => world::export(&repo.hub, &repo.git, &work_tree, &store).map_err(lost),
            })
            .await?
    }

    async fn close(self: Box<Self>) -> Result<(), ServiceError> {
        drop(self.server.close().await?);
        Ok(())
    }
}
