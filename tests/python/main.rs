//! Python scripts as verifiers: compared with the Python of this machine, and hostile scripts.
//!
//! The guest is built once with a tool from PyPI. If PyPI is not reachable and `MCPMARK_PYTHON_GUEST` is not set, the
//! tests are skipped.
#![allow(clippy::print_stdout, reason = "tests tell what they found")]

mod agreement;
mod guest;
mod hostile;
mod notion;
#[path = "../pypi.rs"]
#[allow(dead_code, reason = "only the installation of packages is used")]
mod pypi;
mod repository;
mod services;
mod states;
