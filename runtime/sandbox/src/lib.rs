//! A wasmtime sandbox for guests: component and snapshot in, verdict out.
//!
//! A [`Sandbox`] loads three kinds of component, one for each world of the package
//! `mcpmark:guest`: a [`Verifier`] judges a final state, a [`Setup`] makes a starting
//! state, a [`Solution`] acts through tools. A guest is given the interfaces of its
//! world and nothing else; what it may use is set by [`Limits`], and what stops it is a
//! [`Fault`] with a name. Runs are synchronous: call them from a thread that may block.
//! How much stack it has does not matter: a guest gets all of its own.
//!
//! Verifiers may be scripts, too: an [`Interpreter`] is a component that runs them, over
//! files, a clock and standard streams that are made here.
//!
//! Components are compiled by a [`Compiler`], a child process with limits of its own,
//! because a crafted one can take all memory or never come to an end. Without one, only
//! what an embedder trusts is compiled, in this process, through [`Sandbox::trusting`].
//! [`inspect`] reads what a component asks for before any of that.
//!
//! All this works in any program: there is no runtime to start and nothing to install, and
//! what a program itself knows it can offer to verifiers as an [`Interface`]. The examples
//! `grade` and `interface` are whole programs.
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
mod verdict;
mod wasi;

pub use crate::cancel::Cancel;
pub use crate::compiler::{CompileError, CompileLimits, Compiler};
pub use crate::component::{LoadError, Setup, Solution, Verifier};
pub use crate::engine::{EngineError, MAX_MEMORY_BYTES, Sandbox, SandboxConfig};
pub use crate::fault::{Fault, FaultKind, RunError};
pub use crate::host::SetupHost;
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
pub use crate::run::{Run, SetupInput, Solved, VerifyInput};
pub use crate::serve::serve_compiler;
pub use crate::unmetered::UnmeteredFeature;
pub use crate::verdict::{Check, Verdict};
pub use crate::wasi::{
    Interpreter, MAX_INTERPRETER_BYTES, Mount, ScriptInput, ScriptRun, ScriptServices,
    ScriptSession, ServiceAnswer, Written,
};
/// Types of the contract of guests that interfaces beside this crate refer to.
pub mod contract {
    pub use crate::bindings::mcpmark::guest::state;
}
#[doc(no_inline)]
pub use mcpmark_snapshot::Snapshot;
/// The engine's own library, in the one version that fits an [`Interface`].
#[doc(no_inline)]
pub use wasmtime;
