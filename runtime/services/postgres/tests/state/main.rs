//! The canonical form of databases, on a real server.

#![allow(clippy::print_stderr, reason = "tests tell what they skip")]

mod support;

mod cases;
mod properties;
