//! Worlds of the github service as trees of files, and the canonical form of final states.
//!
//! # Layout of a world
//!
//! ```text
//! repo/.git/           a repository; only HEAD, packed-refs, refs/ and objects/ are used
//! repo/…               its work tree, which is not read
//! repository.json      owner, name, default branch, viewer, rules   (see hub::Repository)
//! issues.json          issues                                       (see hub::Issue)
//! pulls.json           pull requests: the keys of an issue and those of hub::Pull
//! users.json  labels.json  milestones.json  releases.json
//! gists.json           gists of users                               (see hub::Gist)
//! runs.json            workflow runs and their jobs                 (see hub::Runs)
//! commits.json         comments on commits, and commit statuses     (see hub::CommitRemarks)
//! meta.json            published templates only: owner, repo, default_branch
//! ```
//!
//! Only `repo/` is required. Everything can also be in one directory `env/`. Branches of the repository are
//! `refs/heads/*` and, in a clone, `refs/remotes/origin/*`; the former take precedence. Configuration, hooks and
//! alternates of the clone are never used, because they can name programs and paths of the host. Shallow clones are
//! rejected.
//!
//! Most documents are lists of objects; `repository.json` and `runs.json` are single objects. Documents of published
//! worlds can omit values and use other representations: users as objects with a `login` or under `author`, labels as
//! objects, `head` and `base` as objects with `ref` and `sha`, a milestone as an object or by its title, and redundant
//! keys of GitHub's responses. Omitted values are derived: ids from the order, times from the world's clock, users and
//! labels from their uses.
//!
//! # Final state
//!
//! A final state is a tree with the same layout, so it is also a valid world:
//!
//! ```text
//! repo/.git/HEAD            "ref: refs/heads/<default branch>\n"
//! repo/.git/config          always the same
//! repo/.git/packed-refs     all refs, sorted by name, tags with the objects that they peel to:
//!                           refs/heads/*, refs/tags/*, refs/pull/<n>/head
//! repo/.git/refs/           an empty directory, which git requires
//! repo/.git/objects/…       the files of the world unchanged, and one uncompressed loose file for each new
//!                           object that is reachable; one pack for all of them if there are more than 1,000
//! repo/…                    the files of the default branch, if the world has a work tree
//! repository.json users.json labels.json milestones.json issues.json pulls.json releases.json
//!                           (pulls.json also has `closes`: the issues that the text closes)
//! gists.json runs.json commits.json      (if they are not empty)
//!                           all as above, with all values, pretty-printed with two spaces and a final line
//!                           feed; lists sorted by number, login, name or id; times in UTC
//! ```
//!
//! Objects are kept only if they are reachable from a ref or from the base of a pull request. The state therefore
//! depends on the result and not on the way there, apart from times: the clock of a session starts one second after the
//! later of the world's clock and the latest time in its documents, and advances by one second with each call that
//! changes something. `git fsck --strict` reports nothing about the repository except dangling bases of pull requests,
//! and `git` can read it as it is.

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
pub use read::{Opened, is_world, open, repository_of};
pub use schema::{DOCUMENTS, schema};
