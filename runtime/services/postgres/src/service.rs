//! The postgres service and its sessions.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use mcpmark_service::{
    BoxedStream, Calls, Introduction, ServeHandle, Service, ServiceError, Session, SessionLimits,
    ToolServer, WorldState,
};
use mcpmark_snapshot::{Snapshot, Store, Tree};

use crate::capture::Running;
use crate::golden::{DATABASE, Goldens};
use crate::tools::{self, AccessMode, PROFILES, ToolLimits, Tools};
use crate::{Installation, Settings};

const NAME: &str = "postgres";

/// Space for the write-ahead log and temporary files, in addition to the data of a world, in bytes.
const WORKING_SPACE: u64 = 256 << 20;
/// Copies of a world that fit into its file system: changed rows are written again before the old ones are removed.
const COPIES: u64 = 4;

/// The postgres service. Golden clusters of worlds are kept in a directory.
#[derive(Debug, Clone)]
pub struct PostgresService {
    installation: Option<Installation>,
    goldens: Goldens,
}

impl PostgresService {
    /// Creates the service for the newest server of this machine. `cache` is the directory of golden clusters.
    pub fn new(cache: impl Into<PathBuf>) -> Self {
        Self {
            installation: None,
            goldens: Goldens::new(cache),
        }
    }

    /// Creates the service for one server.
    pub fn with_installation(installation: Installation, cache: impl Into<PathBuf>) -> Self {
        Self {
            installation: Some(installation),
            goldens: Goldens::new(cache),
        }
    }

    fn installation(&self) -> Result<Installation, ServiceError> {
        match &self.installation {
            Some(installation) => Ok(installation.clone()),
            None => Installation::find_beside(self.goldens.dir()).map_err(set_up),
        }
    }

    fn open_blocking(&self, world: WorldState) -> Result<PostgresSession, ServiceError> {
        if let Some(profile) = &world.profile {
            self.check_profile(profile)?;
        }
        check_size(&world.tree, &world.limits)
            .map_err(|message| ServiceError::set_up(NAME, message))?;
        let installation = self.installation()?;
        let settings = settings(&world);
        let state = Snapshot::new(world.tree.clone(), Arc::clone(&world.store) as _);
        let golden = self.goldens.get(&state, &installation, &settings);
        let golden = golden.map_err(|error| {
            if error.is_invalid_world() {
                ServiceError::invalid_world(NAME, error)
            } else {
                set_up(error)
            }
        })?;
        let cluster = golden.copy(&installation, &settings).map_err(set_up)?;
        let facts = golden.facts();
        let access = AccessMode::of_profile(world.profile.as_deref());
        let surface = tools::surface(access).map_err(set_up)?;
        let config = cluster.config(&facts.role, DATABASE);
        let tools = Tools::new(config, access, ToolLimits::from(&world.limits)).map_err(set_up)?;
        Ok(PostgresSession {
            server: ToolServer::new(surface, tools, &world.limits),
            running: Arc::new(Mutex::new(Running {
                cluster,
                disk_bytes: settings.disk_bytes,
                golden,
                settings,
            })),
            store: world.store,
            limits: world.limits,
        })
    }
}

#[async_trait]
impl Service for PostgresService {
    fn name(&self) -> &'static str {
        NAME
    }

    fn profiles(&self) -> &'static [&'static str] {
        PROFILES
    }

    fn tools(&self, profile: Option<&str>) -> Vec<String> {
        tools::surface(AccessMode::of_profile(profile))
            .map_or(Vec::new(), |surface| surface.names())
    }

    async fn open(&self, world: WorldState) -> Result<Box<dyn Session>, ServiceError> {
        let service = self.clone();
        let session = tokio::task::spawn_blocking(move || service.open_blocking(world))
            .await
            .map_err(|error| ServiceError::Stopped(error.to_string()))??;
        Ok(Box::new(session))
    }
}

/// Returns the settings of the cluster of a world.
fn settings(world: &WorldState) -> Settings {
    let data = world.limits.max_bytes.saturating_mul(COPIES);
    Settings {
        clock: Some(world.clock),
        scratch: Some(world.scratch.parent().to_owned()),
        disk_bytes: data.saturating_add(WORKING_SPACE),
        ..Settings::default()
    }
}

/// Checks that a state is within the limits of a session.
fn check_size(tree: &Tree, limits: &SessionLimits) -> Result<(), String> {
    let (bytes, entries) = (tree.total_size(), tree.len());
    if bytes > limits.max_bytes {
        let limit = limits.max_bytes;
        return Err(format!(
            "the state of the database has {bytes} bytes; the limit is {limit}"
        ));
    }
    if entries > limits.max_files {
        let limit = limits.max_files;
        return Err(format!(
            "the state of the database has {entries} files and directories; the limit is {limit}"
        ));
    }
    Ok(())
}

fn set_up(error: impl std::error::Error + Send + Sync + 'static) -> ServiceError {
    ServiceError::set_up(NAME, error)
}

struct PostgresSession {
    server: ToolServer<Tools>,
    running: Arc<Mutex<Running>>,
    store: Arc<Store>,
    limits: SessionLimits,
}

#[async_trait]
impl Session for PostgresSession {
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
        let (running, store) = (Arc::clone(&self.running), Arc::clone(&self.store));
        let limits = self.limits.clone();
        let runtime = tokio::runtime::Handle::current();
        let captured = self
            .server
            .with(move |tools| {
                tools.disconnect();
                let mut running = running.lock().unwrap_or_else(PoisonError::into_inner);
                runtime.block_on(running.capture(&store, &limits))
            })
            .await?;
        captured.map_err(|error| ServiceError::capture(NAME, error))
    }

    async fn close(self: Box<Self>) -> Result<(), ServiceError> {
        drop(self.server.close().await?);
        tokio::task::spawn_blocking(move || {
            // A capture that was given up holds the other reference, and drops the cluster when it ends.
            if let Ok(running) = Arc::try_unwrap(self.running) {
                let running = running.into_inner();
                running.unwrap_or_else(PoisonError::into_inner).close();
            }
        })
        .await
        .map_err(|error| ServiceError::Stopped(error.to_string()))
    }
}
