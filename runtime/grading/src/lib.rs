//! Grading: from stored states to verdicts, and back from a verdict to its inputs.
//!
//! A [`Judge`] is the verifier of a task. [`grade()`] runs it on a final state in the store, and [`grade_loaded`] on a
//! state that is loaded already. [`Baselines`] holds the results on starting states, which decide who caused a fault
//! and which checks were earned. [`Terms`] name all inputs of a grade apart from the states and the answer, so that it
//! can be repeated: by a [`Regrader`](regrade::Regrader), or by others from a [`receipt`].
//!
//! Grading needs neither an agent nor a running service.

mod baseline;
mod grade;
pub mod receipt;
pub mod regrade;
mod script;
mod terms;
mod variables;

pub use crate::baseline::Baselines;
pub use crate::grade::{GradeInput, Graded, Judge, Printed, ScriptJudge, grade, grade_loaded};
pub use crate::script::{Script, ScriptContext, ScriptError, grade_script};
pub use crate::terms::{ComponentTerms, Reference, ScriptTerms, Terms, TermsError, VerifierTerms};
