//! The playwright service and its sessions.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use mcpmark_service::{
    BoxedStream, Calls, Introduction, ServeHandle, Service, ServiceError, Session, SessionLimits,
    ToolServer, ToolSurface, WorldState,
};
use mcpmark_snapshot::{Store, Tree};
use tokio::runtime::Handle;

use crate::browser::{Browser, Installation, SERVER_VERSION, Settings};
use crate::sites::{Site, SiteFault, Sites};
use crate::tools::{self, BrowserTools, PROFILES};

const NAME: &str = "playwright";
/// Name of the published server in the handshake.
const SERVER_NAME: &str = "Playwright";

/// The playwright service, for worlds whose sites have one implementation.
#[derive(Clone)]
pub struct PlaywrightService {
    cache: PathBuf,
    guest: Option<Arc<dyn Site>>,
}

impl fmt::Debug for PlaywrightService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlaywrightService")
            .field("cache", &self.cache)
            .field("has_guest", &self.guest.is_some())
            .finish()
    }
}

impl PlaywrightService {
    /// Creates the service. `cache` is the directory in which the MCP server is installed, and `guest` answers the
    /// requests of all sites with tables. A site without tables consists of static files.
    pub fn new(cache: impl Into<PathBuf>, guest: Option<Arc<dyn Site>>) -> Self {
        Self {
            cache: cache.into(),
            guest,
        }
    }

    async fn open_session(&self, world: WorldState) -> Result<PlaywrightSession, ServiceError> {
        if let Some(profile) = &world.profile {
            self.check_profile(profile)?;
        }
        let (cache, guest) = (self.cache.clone(), self.guest.clone());
        let start = world.clone();
        let prepared = tokio::task::spawn_blocking(move || {
            let installation = Installation::find(&cache).map_err(set_up)?;
            let sites = Sites::load(&start, guest.as_ref()).map_err(|error| {
                if error.is_infrastructure() {
                    set_up(error)
                } else {
                    ServiceError::invalid_world(NAME, error)
                }
            })?;
            Ok::<_, ServiceError>((installation, sites))
        });
        let (installation, sites) = prepared
            .await
            .map_err(|error| ServiceError::Stopped(error.to_string()))??;
        let settings = Settings {
            installation,
            clock: world.clock,
            opened: SystemTime::now(),
            scratch: Some(world.scratch.parent().to_owned()),
        };
        let (browser, client) = Browser::start(&settings, &sites).await.map_err(set_up)?;
        let surface = ToolSurface {
            name: SERVER_NAME.to_owned(),
            version: SERVER_VERSION.to_owned(),
            tools: tools::check(client.tools()).map_err(set_up)?,
            list_changed: false,
        };
        let tools = BrowserTools::new(browser, client, settings, sites.clone(), Handle::current());
        Ok(PlaywrightSession {
            server: ToolServer::new(surface, tools, &world.limits),
            sites,
            start: world.tree,
            store: world.store,
            limits: world.limits,
        })
    }
}

#[async_trait]
impl Service for PlaywrightService {
    fn name(&self) -> &'static str {
        NAME
    }

    fn profiles(&self) -> &'static [&'static str] {
        PROFILES
    }

    fn tools(&self, _profile: Option<&str>) -> Vec<String> {
        tools::names()
    }

    async fn open(&self, world: WorldState) -> Result<Box<dyn Session>, ServiceError> {
        Ok(Box::new(self.open_session(world).await?))
    }
}

fn set_up(error: impl std::error::Error + Send + Sync + 'static) -> ServiceError {
    ServiceError::set_up(NAME, error)
}

struct PlaywrightSession {
    server: ToolServer<BrowserTools>,
    sites: Sites,
    /// Starting state.
    start: Tree,
    store: Arc<Store>,
    limits: SessionLimits,
}

#[async_trait]
impl Session for PlaywrightSession {
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
        let (sites, start) = (self.sites.clone(), self.start.clone());
        let (store, limits) = (Arc::clone(&self.store), self.limits.clone());
        let captured = self.server.with(move |tools| {
            let address = tools.address();
            sites.capture(&start, &store, &limits, address.as_deref())
        });
        let captured = captured.await?;
        captured.map_err(|error| ServiceError::capture(NAME, error))
    }

    /// Captures the final state. A site that failed may have misled the agent, so its session has no final state.
    async fn finish(&self, grace: Duration) -> Result<Tree, ServiceError> {
        self.server.calls().end(grace).await?;
        match self.sites.failure() {
            Some(failure) if matches!(failure.fault, SiteFault::World(_)) => {
                Err(ServiceError::invalid_world(NAME, failure))
            }
            Some(failure) => Err(ServiceError::capture(NAME, failure)),
            None => self.capture().await,
        }
    }

    async fn close(self: Box<Self>) -> Result<(), ServiceError> {
        let tools = self.server.close().await?;
        // Ends the processes, for which it waits.
        tokio::task::spawn_blocking(move || drop(tools))
            .await
            .map_err(|error| ServiceError::Stopped(error.to_string()))
    }
}
