//! A wasmtime sandbox for guests: component and snapshot in, verdict out.
//!
//! A [`Sandbox`] loads four kinds of components. Three have a world in the WIT package `mcpmark:guest`: a [`Verifier`]
//! grades a final state, a [`Setup`] builds a starting state, a [`Solution`] acts through tools. A [`Site`] of the
//! package `mcpmark:site` answers HTTP requests over a database. A guest gets the interfaces of its world and nothing
//! else. [`Limits`] bound its resources, and a guest that returns no result yields
//! a [`Fault`] with a [`FaultKind`]. Runs are synchronous: call them from a thread that may block. The thread may have
//! a small stack, because a run gets its own if the thread has too little left.
//!
//! A verifier may import WASI 0.2, and any command of WASI is a verifier: it reads the two states as files, and its exit
//! code is the verdict. Verifiers can also be scripts: an [`Interpreter`] is a component that runs them, with WASI files, clock and standard
//! streams that this crate implements.
//!
//! A [`Compiler`] compiles components in a child process with limits of its own, because compiling a crafted component
//! can use all memory or take forever. Without a compiler, a sandbox loads components only from the cache, or compiles
//! trusted ones in this process through [`Sandbox::trusting`]. [`inspect`] reads the imports of a component without
//! compiling it.
//!
//! The crate can be embedded in any program: it needs no async runtime and no installation, and the program can offer
//! its own data to verifiers as an [`Interface`]. The examples `grade` and `interface` are complete programs.
//!
//! ```no_run
//! use mcpmark_sandbox::{Limits, Sandbox, SandboxConfig, Snapshot, VerifyInput};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let sandbox = Sandbox::new(&SandboxConfig::default())?;
//! let verifier = sandbox.trusting().verifier(&std::fs::read("verifier.wasm")?)?;
//! let (start, end) = (Snapshot::of_directory("before")?, Snapshot::of_directory("after")?);
//! let run = sandbox.verify(&verifier, VerifyInput::new(start, end), &Limits::VERIFIER);
//! assert!(run.result?.passed());
//! # Ok(())
//! # }
//! ```

mod bindings;
mod cache;
mod cancel;
mod compiler;
mod component;
mod cross;
mod engine;
mod fault;
mod host;
mod inspect;
mod interface;
mod limits;
mod many;
mod meter;
mod order;
mod precompile;
mod profile;
mod run;
mod serve;
mod unmetered;
mod wasi;

pub use crate::cancel::Cancel;
pub use crate::compiler::{CompileError, CompileLimits, Compiler};
pub use crate::component::{LoadError, Setup, Site, Solution, Verifier};
pub use crate::engine::{EngineError, MAX_MEMORY_BYTES, Sandbox, SandboxConfig};
pub use crate::fault::RunError;
pub use crate::host::SetupHost;
pub use crate::host::site;
pub use crate::host::{Log, ToolContent, ToolError, ToolHost, ToolInfo, ToolOutput, VerifierHost};
pub use crate::inspect::{Capability, Export, GuestKind, Inspection, Profile, inspect};
pub use crate::interface::{GradeData, Interface};
pub use crate::limits::{
    CALL_COST, Limits, LimitsError, MAX_HANDLES, MAX_INSTANCES, MAX_MEMORIES, MAX_STACK_BYTES,
    MAX_TABLE_ELEMENTS, MAX_TABLES,
};
pub use crate::many::{GradeRequest, Grades};
pub use crate::meter::{Exhausted, Meter};
pub use crate::order::{InOrder, Panicked, in_order};
pub use crate::profile::EngineKind;
pub use crate::run::{Printed, Run, SetupInput, Solved, VerifyInput};
pub use crate::serve::serve_compiler;
pub use crate::unmetered::UnmeteredFeature;
pub use crate::wasi::{
    Interpreter, MAX_INTERPRETER_BYTES, Mount, ScriptInput, ScriptRun, ScriptServices,
    ScriptSession, ServiceAnswer, Written, messages,
};
/// Types generated from the WIT contract of guests, for interfaces that other crates implement.
pub mod contract {
    pub use crate::bindings::mcpmark::guest::state;
}
#[doc(no_inline)]
pub use mcpmark_snapshot::Snapshot;
#[doc(no_inline)]
pub use mcpmark_verdict::{Check, Fault, FaultKind, InterfaceVersions, Verdict};
/// The `wasmtime` crate in the version that an [`Interface`] must use.
#[doc(no_inline)]
pub use wasmtime;
