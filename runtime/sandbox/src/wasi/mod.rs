//! The WASI profile: guests in languages that expect an operating system.
//!
//! An [`Interpreter`] is such a guest. It runs scripts, which are data. This module implements the parts of WASI 0.2
//! that it gets, over snapshots in memory: read-only files, in sorted order and with the time stamps of the world; a
//! virtual clock that advances when the script reads it or waits; random numbers from a seed; standard streams with a
//! size limit. None of it uses a directory, clock or random source of the host. There are no sockets and no processes.

mod artefacts;
mod bindings;
mod clock;
mod descriptor;
mod engine;
mod files;
mod host;
mod interpreter;
mod run;
mod services;
mod streams;
mod threads;
mod verdict;

pub(crate) use self::engine::{Wasi, interpreter_config};
pub use self::files::Mount;
pub use self::interpreter::{Interpreter, MAX_INTERPRETER_BYTES};
pub use self::run::{ScriptInput, ScriptRun};
pub use self::services::{ScriptServices, ScriptSession, ServiceAnswer};
pub use self::streams::Written;
