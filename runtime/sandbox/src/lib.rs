//! A wasmtime sandbox for guests: component and snapshot in, verdict out.
//!
//! A [`Sandbox`] loads three kinds of component, one for each world of the package
//! `mcpmark:guest`: a [`Verifier`] judges a final state, a [`Setup`] makes a starting
//! state, a [`Solution`] acts through tools. A guest is given the interfaces of its
//! world and nothing else; what it may use is set by [`Limits`], and what stops it is a
//! [`Fault`] with a name. Runs are synchronous: call them from a thread that may block.
//!
//! ```no_run
//! use mcpmark_sandbox::{Limits, Sandbox, SandboxConfig, VerifyInput};
//! use mcpmark_snapshot::Snapshot;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (start, end): (Snapshot, Snapshot) = unimplemented!();
//! let sandbox = Sandbox::new(&SandboxConfig::default())?;
//! let verifier = sandbox.verifier(&std::fs::read("verifier.wasm")?)?;
//! let input = VerifyInput { start, end, answer: None, parameters: "{}".into() };
//! let run = sandbox.verify(&verifier, input, &Limits::VERIFIER);
//! assert!(run.result?.passed());
//! # Ok(())
//! # }
//! ```

mod bindings;
mod cache;
mod component;
mod engine;
mod fault;
mod host;
mod limits;
mod run;
mod verdict;

pub use crate::component::{LoadError, Setup, Solution, Verifier};
pub use crate::engine::{EngineError, MAX_MEMORY_BYTES, Sandbox, SandboxConfig};
pub use crate::fault::{Fault, FaultKind, RunError};
pub use crate::host::{Log, ToolContent, ToolError, ToolHost, ToolInfo, ToolOutput};
pub use crate::limits::{CALL_COST, Limits};
pub use crate::run::{Run, SetupInput, Solved, VerifyInput};
pub use crate::verdict::{Check, Verdict};
