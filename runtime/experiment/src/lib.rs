//! Experiments: preparation, scheduling, resume.
//!
//! A [`TaskPreparer`] turns tasks of a library into [`Prepared`] tasks; a [`CorpusPreparer`] does the same for a
//! corpus. A [`Spec`] describes an experiment and yields its plan. A [`AgentSetup`] contains its participants with
//! their opened resources. A [`Runner`] makes the attempts of the plan and writes each to the [`Journal`] as it
//! happens. Final states are in the store, from which [`mcpmark_grading::grade()`] loads them. [`Home`] is the
//! directory of the journal and the store.
//!
//! ```no_run
//! use mcpmark_experiment::{Home, report::experiment_report};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let home = Home::new("/home/me/.local/share/mcpmark");
//! let journal = home.journal()?;
//! for experiment in journal.experiments(10)? {
//!     let rows = journal.attempts(&experiment.name)?;
//!     let spending = journal.spending(&experiment.id)?;
//!     let spec = serde_json::from_str(&experiment.spec)?;
//!     let report = experiment_report(&experiment.name, spec, rows.len(), rows, &spending);
//!     assert!(report.summary.passed <= report.summary.graded);
//! }
//! # Ok(())
//! # }
//! ```

mod agent_setup;
mod home;
pub mod maintenance;
mod oracle;
mod participants;
pub mod preflight;
mod prepare;
mod published;
mod run;
mod selection;
mod surface;
mod tool_filter;
pub mod transport;
mod world;

pub use mcpmark_agent::{
    Allowance, AttemptLimits, Client, ClientTransport, CommandSpec, End, EndKind, Manual,
    ManualResult, ManualStep, Reached, ResultView, failure,
};
pub use mcpmark_external::{ServerSpec, ServerTransport, proxy, stop_programs};
pub use mcpmark_journal as journal;
pub use mcpmark_journal::{
    Added, AgentKind, AgentSettings, Concurrency, Journal, JournalError, Outcome, Participant,
    PlanError, Planned, STATE_FAULT, Spec, SpecLimits, TaskSource, TaskVersion, report,
};
pub use mcpmark_model::{Cost, Usage, decimals};

pub use crate::agent_setup::{AgentSetup, OpenedParticipant};
pub use crate::home::{ExperimentLock, Home, HomeError};
pub use crate::oracle::{ExtraCalls, Oracle};
pub use crate::participants::ParticipantError;
pub use crate::prepare::{PrepareError, Prepared, TaskPreparer, WorldLimit};
pub use crate::published::{CorpusPreparer, PUBLISHED_CLOCK, published_guests};
pub use crate::run::{Listener, Progress, RunFailure, Runner, random_seed};
pub use crate::selection::{LeftOut, SelectedTasks, unavailable};
pub use crate::surface::tool_surface;
pub use crate::tool_filter::{ToolFilter, ToolFilterError};
pub use crate::world::{
    Start, WorldError, capture_directory, capture_published, capture_state, capture_within,
};
