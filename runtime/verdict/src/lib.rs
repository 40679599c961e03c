//! Verdicts of verifiers, faults of guests and the servers that answered them, as plain data.
//!
//! The sandbox produces them and the journal stores them. This crate contains their types, so that neither needs the
//! other: a program that reads stored results does not link an engine. Serialised forms are part of stored formats.
//!
//! ```
//! use mcpmark_verdict::{Check, Verdict, VerdictLimits};
//!
//! struct Small;
//!
//! impl VerdictLimits for Small {
//!     fn checks(&self) -> u64 {
//!         1
//!     }
//!
//!     fn output_bytes(&self) -> u64 {
//!         100
//!     }
//!
//!     fn hint(&self, name: &'static str) -> String {
//!         format!("(limit `{name}`)")
//!     }
//! }
//!
//! let check = Check {
//!     name: "the attic is tidy".into(),
//!     passed: true,
//!     detail: String::new(),
//! };
//! assert!(Verdict::new(vec![check.clone()], &Small).unwrap().passed());
//! let fault = Verdict::new(vec![check.clone(), check], &Small).unwrap_err();
//! assert_eq!(fault.to_string(), "output: the verdict has 2 checks, more than 1 (limit `checks`)");
//! ```

mod fault;
mod interfaces;
mod verdict;

pub use crate::fault::{Fault, FaultKind};
pub use crate::interfaces::InterfaceVersions;
pub use crate::verdict::{Check, MAX_CHECKS, MAX_OUTPUT_BYTES, Verdict, VerdictLimits, is_visible};
