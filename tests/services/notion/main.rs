//! Tests of the notion service: worlds, requests and sessions.

#[path = "../../differential/notion/calls.rs"]
mod calls;
#[path = "../../differential/postgres/draw.rs"]
mod draw;

mod requests;
mod rows;
mod sequences;
mod session;
mod support;
mod worlds;
