//! The service and its sessions.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use mcpmark_service::{
    BoxedStream, ServeHandle, Service, ServiceError, Session, ToolServer, WorldState,
};
use mcpmark_snapshot::{
    CaptureOptions, Kind, MaterialiseOptions, Materialised, Scratch, Store, Tree, TreePath,
    capture, materialise,
};

use crate::profile::{PROFILES, Profile};
use crate::tools::Tools;
use crate::world::{Usage, World, within};

const NAME: &str = "filesystem";

/// The filesystem service.
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

    async fn open(&self, world: WorldState) -> Result<Box<dyn Session>, ServiceError> {
        let session = tokio::task::spawn_blocking(move || FilesystemSession::open(world))
            .await
            .map_err(|error| ServiceError::Stopped(error.to_string()))??;
        Ok(Box::new(session))
    }
}

struct FilesystemSession {
    server: ToolServer<Tools>,
    base: Arc<Base>,
}

/// What the session started from, and where it is.
struct Base {
    tree: Tree,
    written: Materialised,
    store: Arc<Store>,
    clock: i64,
    root: PathBuf,
    scratch: Scratch,
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

        let scratch = Scratch::new(&world.scratch).map_err(set_up)?;
        let (root, staging) = (scratch.path().join("world"), scratch.path().join("staging"));
        let clock = Some(world.clock);
        let mut written = materialise(
            &world.tree,
            &*world.store,
            &root,
            &MaterialiseOptions { clock },
        )
        .map_err(set_up)?;
        written.settle().map_err(set_up)?;
        std::fs::create_dir(&staging).map_err(set_up)?;

        let open = |path: &PathBuf| Dir::open_ambient_dir(path, ambient_authority());
        let has_symlinks = world
            .tree
            .walk(&TreePath::root())
            .any(|(_, node)| node.kind() == Kind::Symlink);
        let copy = World {
            root: open(&root).map_err(set_up)?,
            staging: open(&staging).map_err(set_up)?,
            profile,
            clock: world.clock,
            seed: world.seed,
            limits: world.limits.clone(),
            usage,
            has_symlinks,
            staged_names: 0,
        };
        let surface = profile.surface().map_err(set_up)?;
        let handler = Tools::new(surface.clone(), copy);
        Ok(Self {
            server: ToolServer::new(surface, handler, &world.limits),
            base: Arc::new(Base {
                tree: world.tree,
                written,
                store: world.store,
                clock: world.clock,
                root,
                scratch,
            }),
        })
    }
}

fn set_up(error: impl std::error::Error + Send + Sync + 'static) -> ServiceError {
    ServiceError::set_up(NAME, error)
}

impl Base {
    fn capture(&self) -> Result<Tree, ServiceError> {
        let options = CaptureOptions {
            base: Some((&self.tree, &self.written)),
            clock: Some(self.clock),
            ..CaptureOptions::default()
        };
        capture(&self.root, &self.store, &options)
            .map_err(|error| ServiceError::capture(NAME, error))
    }
}

#[async_trait]
impl Session for FilesystemSession {
    fn serve(&self, io: BoxedStream) -> ServeHandle {
        self.server.serve(io)
    }

    async fn capture(&self) -> Result<Tree, ServiceError> {
        let base = Arc::clone(&self.base);
        self.server
            .with(move |tools| match tools.fault() {
                Some(fault) => Err(ServiceError::capture(NAME, fault.to_owned())),
                None => base.capture(),
            })
            .await?
    }

    async fn close(self: Box<Self>) -> Result<(), ServiceError> {
        drop(self.server.close().await?);
        let Some(base) = Arc::into_inner(self.base) else {
            return Ok(());
        };
        tokio::task::spawn_blocking(move || base.scratch.close())
            .await
            .map_err(|error| ServiceError::Stopped(error.to_string()))?
            .map_err(|error| ServiceError::remove(NAME, error))
    }
}
