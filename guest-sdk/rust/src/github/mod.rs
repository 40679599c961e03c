//! Types for guests of github worlds.
//!
//! - Verifiers read the [`Repository`], [`Issue`]s and [`Pull`]s of a tree, compare them field by
//!   field ([`check_pull`](crate::Verifier::check_pull)), and check that nothing else changed
//!   ([`Allowed`], [`Proposal`]).
//! - Setup routines build a repository with a [`RepositoryBuilder`].
//! - Solutions call tools through [`RepoTools`].

mod builder;
mod checks;
mod fields;
mod git;
mod model;
mod tools;

pub use builder::{NewCommit, RepositoryBuilder};
pub use checks::{Allowed, Proposal};
pub use git::{
    Commit, CommitFile, GitChange, GitChangeKind, GitEntry, GitKind, Repository, Signature,
};
pub use model::{Comment, Issue, Label, Pull, Reaction, Release, Review, ReviewComment};
pub use tools::{RepoTools, labels, number, string};
