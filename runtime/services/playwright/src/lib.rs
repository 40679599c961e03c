//! The playwright service: a real browser in namespaces, on sites that this process serves.
//!
//! A [`PlaywrightService`] starts the published MCP server of an [`Installation`] with its browser, in namespaces of its
//! own whose network has only a loopback interface. On it are the sites of the world, under host names such as
//! `forum.test`. A [`Site`] answers requests over a SQL database, a virtual clock and a seeded random source. The final
//! state is a tree: the databases in a canonical form, the log of requests and the last address of the browser.

mod browser;
mod service;
pub mod sites;
mod tools;

pub use crate::browser::{
    BROWSER_VARIABLE, BrowserError, Installation, InstallationError, MissingPrograms,
    PACKAGE_VARIABLE, SERVER_VERSION, check_isolation,
};
pub use crate::service::PlaywrightService;
pub use crate::sites::Site;
