//! The service from outside: worlds in, calls over MCP, final states out.

mod actions;
mod against_git;
mod archives;
mod consolidated;
mod crossings;
mod exported;
mod fidelity;
mod files;
mod gists;
mod go_server;
mod history;
mod import;
mod issues;
mod judging;
mod limits;
mod merges;
#[path = "../../differential/npm.rs"]
mod npm;
mod octokit;
mod patches;
mod pulls;
#[path = "../../pypi.rs"]
mod pypi;
mod refusals;
mod remarks;
mod rest;
mod reviews;
mod routes;
mod schemas;
mod search;
mod settings;
mod spoil;
mod state;
mod strict;
mod support;
mod timeline;
mod worlds;
