//! The wasi profile: guests in languages that expect a system around them.
//!
//! An [`Interpreter`] is such a guest. It runs scripts, which are data. What it is given
//! of WASI 0.2 is made here, over snapshots in memory: files that can be read and not be
//! changed, sorted and dated by the world; a clock that moves when somebody waits, and at
//! once; chance that follows from a seed; standard streams that are kept up to a limit. No
//! directory, clock or random source of the host is behind any of it. There are no sockets
//! and no processes.

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
