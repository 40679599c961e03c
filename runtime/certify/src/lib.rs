//! Certification of tasks: is the verifier right, and would it notice?
//!
//! A grade is worth as much as its verifier. [`Certifier::certify`] attacks the verifier of a task
//! before anybody relies on it: the oracle must pass, doing nothing, calling tools by chance and
//! every shipped cheat must fail, verdicts must be equal over repeats, engines and directories, and
//! hundreds of worlds that are almost solved must be rejected. What the task declares as free must
//! be accepted. The [`Report`] says all that; a [`Certificate`] binds it to the digests of what was
//! examined and lies beside the task.
//!
//! ```no_run
//! use mcpmark_certify::{Certifier, Report};
//! use mcpmark_task::Task;
//!
//! # async fn example(certifier: &mut Certifier<'_>, task: &Task) {
//! let report: Report = certifier.certify(task).await.unwrap();
//! assert!(report.passed(), "{:?}", report.failed().collect::<Vec<_>>());
//! println!("{} of {} mutants rejected", report.mutants.rejected, report.mutants.made);
//! # }
//! ```

mod certificate;
mod certifier;
mod code;
mod examination;
mod explain;
mod layered;
mod lint;
mod mutation;
mod native;
mod near_misses;
mod play;
mod printed;
mod published;
mod report;
mod view;

pub use crate::certificate::{Certificate, CertificateError, FILE_NAME, sources_digest};
pub use crate::certifier::{Certifier, CertifyError};
pub use crate::explain::{Difference, DifferenceKind, Ending, Explained, Explainer, solved};
pub use crate::published::{PublishedExaminer, PublishedReport};
pub use crate::report::{Check, Identity, Mutants, Report, Survivor};
pub use crate::view::tree_view;
