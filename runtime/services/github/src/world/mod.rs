//! How a world lies on disk, and what becomes of it: the canonical form of the final state.
//!
//! # A world
//!
//! ```text
//! repo/.git/           a repository; only HEAD, packed-refs, refs/ and objects/ are read
//! repo/…               its work tree, which is not read
//! repository.json      owner, name, default branch, who acts, rules (see hub::Repository)
//! issues.json          the issues                                    (see hub::Issue)
//! pulls.json           the pull requests: the keys of an issue and those of hub::Pull
//! users.json  labels.json  milestones.json  releases.json
//! gists.json           files that people keep beside repositories   (see hub::Gist)
//! runs.json            what workflows have run                      (see hub::Runs)
//! commits.json         comments on commits, and their statuses      (see hub::CommitRemarks)
//! meta.json            published templates only: owner, repo, default_branch
//! ```
//!
//! Only `repo/` is needed. Everything may also lie below one directory `env/`. A branch of the
//! repository is a `refs/heads/*` or, in a clone, a `refs/remotes/origin/*`; the former wins.
//! Configuration, hooks and alternates of the clone are never used: they could name programs and
//! places of the host.
//!
//! Documents are lists of objects. Published ones may say less and in other ways: users as objects with a
//! `login` or as `author`, labels as objects, `head` and `base` as objects with `ref` and `sha`, a
//! milestone as an object or by its title, keys of GitHub's answers that say nothing more. What they do not say is
//! derived: ids by order, times from the world's clock, users from whoever is named, labels from
//! being used.
//!
//! # The final state
//!
//! A tree of the same shape, so that a final state is a world:
//!
//! ```text
//! repo/.git/HEAD            "ref: refs/heads/<default branch>\n"
//! repo/.git/config          always the same
//! repo/.git/packed-refs     every ref, sorted by name, tags with what they peel to:
//!                           refs/heads/*, refs/tags/*, refs/pull/<n>/head
//! repo/.git/refs/           an empty directory, without which git sees no repository
//! repo/.git/objects/…       the files of the world as they were, and one loose file for each
//!                           object that is new and reachable from a ref, stored uncompressed
//! repo/…                    the files of the default branch
//! repository.json users.json labels.json milestones.json issues.json pulls.json releases.json
//!                           (pulls.json has `closes`, too: the issues that the text closes)
//! gists.json runs.json commits.json      (where there are any)
//!                           all as above, in full, pretty-printed with two spaces, a line feed at
//!                           the end; lists sorted by number, login, name or id; times in UTC
//! ```
//!
//! Objects that neither a ref nor the base of a pull request reaches leave no trace, so the state depends on
//! what the agent left and not on the way there, apart from times: the clock of a world starts with the
//! world's own and advances by one second with each call that changes something.
//! `git fsck --strict` has nothing to say about the repository but that such a base dangles, and `git` reads it
//! as it is.

mod checks;
mod documents;
mod export;
mod import;
mod index;
mod people;
mod published;
mod read;
mod remarks;
mod schema;

pub use documents::WorldError;
pub use export::ExportError;
pub(crate) use export::{CONFIG, Exported, export, export_like};
pub use import::{ImportError, Imported, Importer, Skipped};
pub(crate) use index::{with_index, without_index};
pub use people::is_login;
pub(crate) use people::is_repository_name;
pub use read::{Opened, is_world, open, repository_of};
pub use schema::{DOCUMENTS, schema};
