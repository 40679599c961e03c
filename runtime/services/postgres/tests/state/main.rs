//! The canonical form of databases, on a real server.

mod support;

mod cases;
mod dumps;
mod properties;
