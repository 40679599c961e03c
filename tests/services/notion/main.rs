//! Tests of the notion service: worlds, overviews, requests and sessions.

#[path = "../../differential/notion/calls.rs"]
mod calls;
#[path = "../../differential/postgres/draw.rs"]
mod draw;

mod data_sources;
mod formulas;
mod markdown;
mod overview;
mod requests;
mod rows;
mod sequences;
mod session;
mod support;
mod worlds;
