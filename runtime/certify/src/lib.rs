//! Certification of tasks: tests of a verifier before it is used.
//!
//! A grade is only as reliable as its verifier. [`Certifier::certify`] tests the verifier of a task: the oracle must
//! pass, also with further harmless calls; doing nothing, random tool calls, agents that only seem to work and every
//! shipped cheat must fail; verdicts must be equal across repetitions, engines and directories; and the verifier must
//! reject hundreds of mutants, which are solved worlds with one mistake. Mutations that the task declares as freedoms
//! must be accepted. The result is a [`Report`]. A [`Certificate`], a file in the directory of the task, binds it to
//! the digests of everything that was certified. Both summarise the conditions as eleven [points](Point).
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
mod certification_run;
mod certifier;
mod code;
mod declared;
mod distinct;
mod explain;
mod ladder;
mod layered;
mod lint;
mod mutation;
mod names;
mod native;
mod near_misses;
mod play;
mod points;
mod printed;
mod published;
mod report;
mod skeleton;
mod sources;
mod style;
mod tokens;
mod values;
mod variants;
mod view;

pub use crate::certificate::{Certificate, CertificateError, FILE_NAME};
pub use crate::certification_run::PLAYED_AT_ONCE;
pub use crate::certifier::{Certifier, CertifyError};
pub use crate::distinct::{CompareError, Comparison};
pub use crate::explain::{Difference, DifferenceKind, Ending, Explained, Explainer, solved};
pub use crate::points::{Point, PointResult, PointStatus};
pub use crate::published::{PublishedExaminer, PublishedReport};
pub use crate::report::{Check, Identity, Mutants, Report, Survivor};
pub use crate::skeleton::Skeleton;
pub use crate::sources::SourcesError;
pub use crate::view::tree_view;
