//! Lets the history of a repository happen: what the setup routines of github worlds share.
//!
//! A world tells a [`Project`] (its people, labels, releases) and pieces of [`Work`]: the commits of a branch,
//! the issue before it and what was said about it. A [`Planner`] gives each a time, so that no two change
//! the same file at once; [`run`] plays them in the order of time against a [`Git`] and leaves branches and
//! tags there, and the issues and pull requests in a [`Hub`].
//!
//! What a work edits is a [`Code`]: the world's own, or [`Texts`], whose edits are parts of texts.

mod code;
mod git;
mod history;
mod hub;
mod plan;
mod project;
mod releases;
mod talk;
#[cfg(not(target_arch = "wasm32"))]
pub mod testing;
mod texts;
pub mod time;
mod work;

pub use code::{Code, difference};
pub use git::{Commit, Git, Line, Stamp};
pub use history::run;
pub use hub::{Closed, Hub, Merged, Pull, Thread};
pub use plan::{Planner, Timed, plan};
pub use project::{Milestone, Person, Project, Release, Replies};
pub use talk::{Closing, Talk};
pub use texts::{Texts, Write};
pub use work::{Report, Said, Section, Step, Way, Work};
