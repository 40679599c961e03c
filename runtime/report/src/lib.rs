//! Reports of experiments, read from the journal for people and for other programs.
//!
//! A [`Report`] is plain data, built from the rows of one or several experiments. It is rendered in a [`Format`]: text,
//! Markdown, CSV, JSON or one self-contained HTML file. [`compare`] compares two models of any experiments. [`export`]
//! writes attempts in formats of other projects.
//!
//! Text that originates from agents, tasks or file names is untrusted: [`sanitise`] makes control and reordering
//! characters visible, and the HTML report escapes all other special characters.
//!
//! ```no_run
//! use mcpmark_journal::Journal;
//! use mcpmark_report::{Format, Options, Report};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let journal = Journal::open("/home/me/.local/share/mcpmark/journal.db".as_ref())?;
//! let report = Report::read(&journal, "nightly", &Default::default())?;
//! let text = report.render(Format::Text, &Options::default())?;
//! assert!(text.contains("pass@1"));
//! # Ok(())
//! # }
//! ```

mod build;
mod certificates;
pub mod columns;
pub mod compare;
mod csv;
mod data;
pub mod diff;
mod differences;
pub mod export;
mod format;
mod html;
mod markdown;
mod numbers;
mod parallel;
mod published;
mod render;
pub mod sanitise;
mod table;
mod tables;
mod text;
mod trajectory;

pub use self::build::{Source, TaskFacts, TaskIndex};
pub use self::certificates::{CertificateFacts, PointFacts};
pub use self::data::{
    AttemptRef, Cell, Difference, ExperimentFacts, Group, ModelReport, Pair, Report, Slice, Spent,
    ToolUse, TurnBar,
};
pub use self::format::instant;
pub use self::published::{PublishedModel, PublishedService, published};
pub use self::render::{Format, Options, RenderError};
pub use self::trajectory::{AttemptDetail, Details, PageBudget};
