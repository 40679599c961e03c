//! Registry of services, and the trait through which the rest of the program uses them.
//!
//! A [`ServiceKind`] is everything that the program knows about one service: the implementation that serves its worlds,
//! the roles of their guests, the requests that verifier scripts may make, and the mutations of solved worlds.
//! [`Services`] contains one of each and is passed to all code that prepares, runs, grades or displays tasks. Source
//! files outside this crate and the crates of the services do not name a service.
//!
//! To add a service, write its crate in `runtime/services`, a module in this crate that implements [`ServiceKind`], and
//! a line in [`Services::builtin`].

mod filesystem;
mod github;
mod guests;
mod install;
mod invocation;
mod kind;
mod mutation;
mod notion;
mod playwright;
mod postgres;
mod published;
mod services;
mod summary;

pub use crate::guests::{WorldGuest, WorldGuestError, WorldGuests};
pub use crate::install::{
    InstallError, InstallStep, Machine, NpmPackage, NpmPackages, Requirement, plan,
};
pub use crate::invocation::{InvocationError, ScriptInvocation, ScriptVariables};
pub use crate::kind::{
    Availability, ImportError, ImportRequest, Imported, MutableText, MutateError, NO_SUCH_SERVICE,
    ScriptBackend, ServiceKind, SkippedEntry, Solved, StateMutant, StateMutator, TemplateImporter,
    text_of_file,
};
pub use crate::mutation::Mutation;
pub use crate::services::{ServiceSettings, ServiceUnavailable, Services};
pub use crate::summary::{Block, Cell, Emphasis, Summary};
