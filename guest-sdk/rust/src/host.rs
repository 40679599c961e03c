//! Calls to the host, all in this module.
//!
//! In a component they are the imports of the contract. In a native build, which exists for unit
//! tests, they call the test host of [`crate::testing`].

pub(crate) use crate::bindings::setup::mcpmark::guest::{builder, git_builder};
pub(crate) use crate::bindings::solution::mcpmark::guest::tools;
pub(crate) use crate::bindings::verifier::mcpmark::guest::{git, state};

#[cfg(not(target_arch = "wasm32"))]
pub(crate) use crate::testing::host::*;
#[cfg(target_arch = "wasm32")]
pub(crate) use component::*;

#[cfg(target_arch = "wasm32")]
mod component {
    use super::{builder, git, git_builder, state, tools};
    use crate::bindings::setup::mcpmark::guest::{clock, random};
    use crate::bindings::verifier::mcpmark::guest;

    pub(crate) fn stat(tree: state::Tree, path: &str) -> Result<state::Entry, state::Error> {
        state::stat(tree, path)
    }

    pub(crate) fn list(tree: state::Tree, path: &str) -> Result<Vec<state::Entry>, state::Error> {
        state::list(tree, path)
    }

    pub(crate) fn walk(tree: state::Tree, path: &str) -> Result<Vec<state::Entry>, state::Error> {
        state::walk(tree, path)
    }

    pub(crate) fn read(
        tree: state::Tree,
        path: &str,
        offset: u64,
        length: u64,
    ) -> Result<Vec<u8>, state::Error> {
        state::read(tree, path, offset, length)
    }

    pub(crate) fn changes() -> Vec<state::Change> {
        state::changes()
    }

    pub(crate) fn git_head(tree: state::Tree) -> String {
        git::head(tree)
    }

    pub(crate) fn git_references(tree: state::Tree) -> Vec<git::Reference> {
        git::references(tree)
    }

    pub(crate) fn git_resolve(tree: state::Tree, revision: &str) -> Result<String, git::Error> {
        git::resolve(tree, revision)
    }

    pub(crate) fn git_commit(tree: state::Tree, id: &str) -> Result<git::Commit, git::Error> {
        git::read_commit(tree, id)
    }

    pub(crate) fn git_tag(tree: state::Tree, id: &str) -> Result<git::Tag, git::Error> {
        git::read_tag(tree, id)
    }

    pub(crate) fn git_log(
        tree: state::Tree,
        start: &str,
        stop: Option<&str>,
        path: Option<&str>,
        limit: u32,
    ) -> Result<Vec<git::Commit>, git::Error> {
        git::log(tree, start, stop, path, limit)
    }

    pub(crate) fn git_merge_base(
        tree: state::Tree,
        one: &str,
        other: &str,
    ) -> Result<Option<String>, git::Error> {
        git::merge_base(tree, one, other)
    }

    pub(crate) fn git_stat(
        tree: state::Tree,
        commit: &str,
        path: &str,
    ) -> Result<git::Entry, git::Error> {
        git::stat(tree, commit, path)
    }

    pub(crate) fn git_walk(
        tree: state::Tree,
        commit: &str,
        path: &str,
    ) -> Result<Vec<git::Entry>, git::Error> {
        git::walk(tree, commit, path)
    }

    pub(crate) fn git_blob(tree: state::Tree, id: &str) -> Result<Vec<u8>, git::Error> {
        git::read_blob(tree, id)
    }

    pub(crate) fn git_changes(
        tree: state::Tree,
        before: Option<&str>,
        after: &str,
    ) -> Result<Vec<git::Change>, git::Error> {
        git::changes(tree, before, after)
    }

    pub(crate) fn answer() -> Option<String> {
        guest::answer::get()
    }

    pub(crate) fn parameters() -> String {
        guest::parameters::get()
    }

    pub(crate) fn log(message: &str) {
        guest::log::write(message);
    }

    pub(crate) fn panic(message: &str) {
        guest::log::panic(message);
    }

    pub(crate) fn write_file(
        path: &str,
        content: &[u8],
        executable: bool,
        modified: Option<i64>,
    ) -> Result<(), builder::Error> {
        builder::write_file(path, content, executable, modified)
    }

    pub(crate) fn create_directory(path: &str) -> Result<(), builder::Error> {
        builder::create_directory(path)
    }

    pub(crate) fn create_symlink(path: &str, target: &str) -> Result<(), builder::Error> {
        builder::create_symlink(path, target)
    }

    pub(crate) fn build_commit(
        parents: &[String],
        changes: &[git_builder::Change],
        author: &git::Signature,
        committer: &git::Signature,
        message: &str,
    ) -> Result<String, git_builder::Error> {
        git_builder::commit(
            parents,
            changes,
            &signature(author),
            &signature(committer),
            message,
        )
    }

    pub(crate) fn build_reference(name: &str, target: &str) -> Result<(), git_builder::Error> {
        git_builder::set_reference(name, target)
    }

    pub(crate) fn build_tag(
        name: &str,
        target: &str,
        tagger: &git::Signature,
        message: &str,
    ) -> Result<String, git_builder::Error> {
        git_builder::annotate(name, target, &signature(tagger), message)
    }

    pub(crate) fn build_head(branch: &str) -> Result<(), git_builder::Error> {
        git_builder::set_head(branch)
    }

    fn signature(signature: &git::Signature) -> git_builder::Signature {
        git_builder::Signature {
            name: signature.name.clone(),
            email: signature.email.clone(),
            time: signature.time,
            offset: signature.offset,
        }
    }

    pub(crate) fn random() -> u64 {
        random::next()
    }

    pub(crate) fn now() -> i64 {
        clock::now()
    }

    pub(crate) fn list_tools() -> Vec<tools::Tool> {
        tools::list()
    }

    pub(crate) fn call_tool(name: &str, arguments: &str) -> Result<tools::Output, String> {
        tools::call(name, arguments)
    }
}
