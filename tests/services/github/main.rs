//! Tests of the github service from outside: worlds, calls over MCP, final states.

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
mod mutation;
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
mod state;
mod strict;
mod support;
mod timeline;
mod worlds;
