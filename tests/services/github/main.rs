//! The service from outside: worlds in, calls over MCP, final states out.

#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

mod actions;
mod against_git;
mod consolidated;
mod crossings;
mod files;
mod gists;
mod go_server;
mod history;
mod import;
mod issues;
mod judging;
mod merges;
#[path = "../../differential/npm.rs"]
mod npm;
mod octokit;
mod pulls;
mod refusals;
mod rest;
mod reviews;
mod schemas;
mod search;
mod spoil;
mod state;
mod strict;
mod support;
mod timeline;
mod worlds;
