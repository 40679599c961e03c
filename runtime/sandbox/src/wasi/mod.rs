//! The WASI profile: guests in languages that expect an operating system.
//!
//! An [`Interpreter`] is such a guest. It runs scripts, which are data. A verifier may use WASI, too: a command is a
//! verifier whose exit code is the verdict. This module implements the parts of WASI 0.2 that they get, over snapshots
//! in memory: read-only files, in sorted order and with the time stamps of the world; a virtual clock that advances
//! when the program reads it or waits; random numbers from a seed; standard streams with a size limit. None of it uses
//! a directory, clock or random source of the host. There are no sockets and no processes.
//!
//! # Relation to `wasmtime-wasi`
//!
//! The crate `wasmtime-wasi` implements the same interfaces over the resources of the host. Each of them was compared
//! with version 48.0.8, and none is linked. Three reasons apply to all:
//!
//! - Every call that does work is charged to `copy_bytes` or fuel, mostly before it. The crate charges nothing, so that
//!   each function would need a wrapper, which is as long as the function of this module.
//! - A guest must not reach the host by a forgotten setting. The contexts of the crate start with the clock and the
//!   entropy of the host, and its `WasiCtxBuilder` draws from that entropy even if seeds replace it.
//! - The crate depends on the runtime of tokio, with threads and sockets, and on the functions of wasmtime for
//!   asynchronous guests. A sandbox runs synchronously on the thread of its caller, and needs neither.
//!
//! The documentation of the module that implements an interface states the other reasons:
//!
//! | interfaces | module |
//! |---|---|
//! | `wasi:cli` | [`cli`] |
//! | `wasi:clocks`, `wasi:io/poll` | [`clock`] |
//! | `wasi:io/error`, `wasi:io/streams` | [`streams`] |
//! | `wasi:random` | [`random`] |
//! | `wasi:filesystem` | [`descriptor`], [`files`] |

mod artefacts;
mod bindings;
mod cli;
mod clock;
mod command;
mod descriptor;
mod engine;
mod files;
mod host;
mod interpreter;
mod random;
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
