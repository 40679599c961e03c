//! Filesystem service and its sessions.

use std::cell::RefCell;
use std::io;
use std::sync::Arc;

use async_trait::async_trait;
use cap_std::fs::Dir;
use mcpmark_service::{
    BoxedStream, Calls, Introduction, ServeHandle, Service, ServiceError, Session, ToolServer,
    WorldState,
};
use mcpmark_snapshot::{Kind, PrivateCopy, Tree, TreePath};

use crate::profile::{PROFILES, Profile};
use crate::tools::Tools;
use crate::world::{Usage, World, within};

const NAME: &str = "filesystem";

/// Filesystem service.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filesystem;

#[async_trait]
impl Service for Filesystem {
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

    async fn open(&self, world: WorldState) -> Result<Box<dyn Session>, ServiceError> {
        let session = tokio::task::spawn_blocking(move || FilesystemSession::open(world))
            .await
            .map_err(|error| ServiceError::Stopped(error.to_string()))??;
        Ok(Box::new(session))
    }
}

struct FilesystemSession {
    server: ToolServer<Tools>,
    copy: Arc<PrivateCopy>,
}

impl FilesystemSession {
    fn open(world: WorldState) -> Result<Self, ServiceError> {
        let profile = match &world.profile {
            None => Profile::default(),
            Some(name) => {
                Filesystem.check_profile(name)?;
                Profile::parse(name).unwrap_or_default()
            }
        };
        let usage = Usage {
            bytes: world.tree.total_size(),
            entries: world.tree.len(),
        };
        within(usage, &world.limits).map_err(|message| ServiceError::set_up(NAME, message))?;

        let WorldState {
            tree,
            store,
            seed,
            clock,
            limits,
            scratch,
            ..
        } = world;
        let copy = PrivateCopy::make(&tree, &store, &scratch, clock).map_err(set_up)?;
        let open = |dir: io::Result<std::fs::File>| dir.map(Dir::from_std_file).map_err(set_up);
        let has_symlinks = tree
            .walk(&TreePath::root())
            .any(|(_, node)| node.kind() == Kind::Symlink);
        let world = World {
            root: open(copy.world())?,
            staging: open(copy.staging())?,
            profile,
            clock,
            seed,
            limits: limits.clone(),
            usage,
            has_symlinks,
            staged_names: 0,
            names: RefCell::default(),
        };
        let surface = profile.surface().map_err(set_up)?;
        let handler = Tools::new(surface.clone(), world);
        Ok(Self {
            server: ToolServer::new(surface, handler, &limits),
            copy: Arc::new(copy),
        })
    }
}

fn set_up(error: impl std::error::Error + Send + Sync + 'static) -> ServiceError {
    ServiceError::set_up(NAME, error)
}

#[async_trait]
impl Session for FilesystemSession {
    fn serve(&self, io: BoxedStream) -> ServeHandle {
        self.server.serve(io)
    }

    fn introduce(&self, introduction: Introduction) {
        self.server.introduce(introduction);
    }

    fn calls(&self) -> Option<&Calls> {
        Some(self.server.calls())
    }

    async fn capture(&self) -> Result<Tree, ServiceError> {
        let copy = Arc::clone(&self.copy);
        self.server
            .with(move |tools| match tools.fault() {
                Some(fault) => Err(ServiceError::capture(NAME, fault.to_owned())),
                None => match copy.capture() {
                    Ok(captured) => Ok(captured.tree),
                    Err(error) => Err(ServiceError::capture(NAME, error)),
                },
            })
            .await?
    }

    async fn close(self: Box<Self>) -> Result<(), ServiceError> {
        drop(self.server.close().await?);
        let Some(copy) = Arc::into_inner(self.copy) else {
            return Ok(());
        };
        tokio::task::spawn_blocking(move || copy.close())
            .await
            .map_err(|error| ServiceError::Stopped(error.to_string()))?
            .map_err(|error| ServiceError::remove(NAME, error))
    }
}
