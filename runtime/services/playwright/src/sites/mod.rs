//! Sites of a world: their databases, static files and the log of requests.

mod live;
mod log;
mod message;
mod rows;
mod server;
mod site;
mod sql;
mod world;

pub(crate) use self::live::Sites;
pub(crate) use self::server::{SitesListener, serve};

pub use self::log::Logged;
pub use self::rows::{DatabaseState, StateError};
pub use self::server::ServedSites;
pub use self::site::{Site, SiteContext, SiteFault, SiteRequest, SiteResponse};
pub use self::sql::{SqlError, SqlResult, SqlValue};
pub use self::world::{CAPTURE_ERROR, FORMAT, WorldError};
