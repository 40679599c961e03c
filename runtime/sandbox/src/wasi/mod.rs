//! The WASI profile: guests in languages that expect an operating system.
//!
//! An [`Interpreter`] is such a guest. It runs scripts, which are data. A verifier may use WASI, too: a command is a
//! verifier whose exit code is the verdict. This module implements the parts of WASI 0.2 that they get, over snapshots in memory: read-only files, in sorted order and with the time stamps of the world; a
//! virtual clock that advances when the program reads it or waits; random numbers from a seed; standard streams with a
//! size limit. None of it uses a directory, clock or random source of the host. There are no sockets and no processes.

mod artefacts;
mod bindings;
mod clock;
mod command;
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

pub use self::command::messages;
pub(crate) use self::command::{CALL_BYTES, Command, RUN, command_verdict, state};
pub(crate) use self::engine::{Wasi, interpreter_config};
pub use self::files::Mount;
pub(crate) use self::host::{Program, WasiState, add_to_linker};
pub use self::interpreter::{Interpreter, MAX_INTERPRETER_BYTES};
pub use self::run::{ScriptInput, ScriptRun};
pub use self::services::{ScriptServices, ScriptSession, ServiceAnswer};
pub use self::streams::Written;
