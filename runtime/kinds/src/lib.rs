//! The registry of services, and the interface behind which the rest of the program sees each.
//!
//! A [`ServiceKind`] is everything that the program knows about one service: how its worlds are served, which guests
//! its worlds have, what scripts that judge them may ask, how solved worlds are mutated. [`Services`] holds one of each
//! and is passed to whoever prepares, runs, grades or shows something. Outside of this crate and of a service's own
//! one, no source names a service.
//!
//! To add a service, write its crate in `runtime/services`, a module here that implements [`ServiceKind`], and a line
//! in [`Services::builtin`].

mod filesystem;
mod github;
mod guests;
mod invocation;
mod kind;
mod mutation;
mod published;
mod services;
mod summary;

pub use crate::guests::{WorldGuest, WorldGuestError, WorldGuests};
pub use crate::invocation::{ScriptInvocation, ScriptVariables};
pub use crate::kind::{
    Availability, ImportError, ImportRequest, Imported, MutableText, MutateError, NO_SUCH_SERVICE,
    ScriptBackend, ServiceKind, SkippedEntry, Solved, StateMutant, StateMutator, TemplateImporter,
};
pub use crate::mutation::Mutation;
pub use crate::services::{ServiceUnavailable, Services};
pub use crate::summary::{Block, Cell, Emphasis, Summary};
