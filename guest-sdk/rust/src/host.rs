//! The one place where the crate calls its host.
//!
//! In a component these are the imports of the contract. In a native build, which
//! exists for unit tests, they reach the stand-in of [`crate::testing`].

pub(crate) use crate::bindings::setup::mcpmark::guest::builder;
pub(crate) use crate::bindings::solution::mcpmark::guest::tools;
pub(crate) use crate::bindings::verifier::mcpmark::guest::state;

#[cfg(not(target_arch = "wasm32"))]
pub(crate) use crate::testing::host::*;
#[cfg(target_arch = "wasm32")]
pub(crate) use component::*;

#[cfg(target_arch = "wasm32")]
mod component {
    use super::{builder, state, tools};
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
