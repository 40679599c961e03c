//! Sessions of the playwright service: a real browser on the sites of a world.
//!
//! The tests are skipped on machines without Chromium, npm, or namespaces.

mod containment;
mod forum;
mod killed;
#[path = "../../differential/npm.rs"]
#[allow(dead_code, reason = "other tests use the rest of it")]
mod npm;
mod session;
mod support;
