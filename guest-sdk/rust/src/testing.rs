//! Test host for guests, so that authors can run them in ordinary unit tests on their machine. It
//! exists in native builds only and never decides a grade.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::bindings::verifier::Check;
use crate::host::{builder, git, git_builder, state, tools};
use crate::{Tools, Verifier, World};

/// A tree in memory. A directory is created with the files in it, or explicitly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryTree {
    nodes: BTreeMap<String, Node>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Node {
    Directory,
    File {
        content: Vec<u8>,
        executable: bool,
        modified: Option<i64>,
    },
    Symlink(String),
}

impl<P: AsRef<str>, C: Into<Vec<u8>>, const N: usize> From<[(P, C); N]> for MemoryTree {
    fn from(files: [(P, C); N]) -> Self {
        let mut tree = Self::default();
        for (path, content) in files {
            tree.write(path.as_ref(), content);
        }
        tree
    }
}

impl MemoryTree {
    /// Adds or replaces a file, and adds the directories above it.
    pub fn write(&mut self, path: &str, content: impl Into<Vec<u8>>) {
        let node = Node::File {
            content: content.into(),
            executable: false,
            modified: None,
        };
        self.insert(path, node);
    }

    /// Adds a directory and its ancestors.
    pub fn create_directory(&mut self, path: &str) {
        for (end, _) in path.match_indices('/').chain([(path.len(), "")]) {
            self.nodes
                .entry(path[..end].to_owned())
                .or_insert(Node::Directory);
        }
    }

    /// Removes an entry and everything below it.
    pub fn remove(&mut self, path: &str) {
        let below = format!("{path}/");
        self.nodes
            .retain(|other, _| other != path && !other.starts_with(&below));
    }

    /// Moves an entry and everything below it.
    pub fn rename(&mut self, source: &str, destination: &str) {
        let below = format!("{source}/");
        let moved: Vec<(String, Node)> = self
            .nodes
            .iter()
            .filter(|(path, _)| *path == source || path.starts_with(&below))
            .map(|(path, node)| {
                (
                    format!("{destination}{}", &path[source.len()..]),
                    node.clone(),
                )
            })
            .collect();
        self.remove(source);
        for (path, node) in moved {
            self.insert(&path, node);
        }
    }

    /// Returns the bytes of a file.
    pub fn read(&self, path: &str) -> Option<&[u8]> {
        match self.nodes.get(path) {
            Some(Node::File { content, .. }) => Some(content),
            _ => None,
        }
    }

    /// Returns true if there is a directory at the path.
    pub fn is_directory(&self, path: &str) -> bool {
        path.is_empty() || self.nodes.get(path) == Some(&Node::Directory)
    }

    /// Returns all paths, sorted by their bytes.
    pub fn paths(&self) -> Vec<&str> {
        self.nodes.keys().map(String::as_str).collect()
    }

    fn insert(&mut self, path: &str, node: Node) {
        if let Some((parent, _)) = path.rsplit_once('/') {
            self.create_directory(parent);
        }
        self.nodes.insert(path.to_owned(), node);
    }

    fn entry(&self, path: &str) -> Option<state::Entry> {
        let blank = state::Entry {
            path: path.to_owned(),
            kind: state::Kind::Directory,
            size: 0,
            executable: false,
            modified: None,
            target: None,
            digest: digest(b""),
        };
        if path.is_empty() {
            return Some(blank);
        }
        Some(match self.nodes.get(path)? {
            Node::Directory => blank,
            Node::File {
                content,
                executable,
                modified,
            } => state::Entry {
                kind: state::Kind::File,
                size: content.len() as u64,
                executable: *executable,
                modified: *modified,
                digest: digest(content),
                ..blank
            },
            Node::Symlink(target) => state::Entry {
                kind: state::Kind::Symlink,
                target: Some(target.clone()),
                digest: digest(target.as_bytes()),
                ..blank
            },
        })
    }

    /// Returns every entry below a directory.
    fn below(&self, path: &str) -> Result<Vec<state::Entry>, state::Error> {
        match self.entry(path) {
            None => return Err(state::Error::NotFound),
            Some(entry) if entry.kind != state::Kind::Directory => {
                return Err(state::Error::NotADirectory);
            }
            Some(_) => {}
        }
        let prefix = if path.is_empty() {
            String::new()
        } else {
            format!("{path}/")
        };
        let inside = self.nodes.keys().filter(|other| other.starts_with(&prefix));
        Ok(inside.filter_map(|other| self.entry(other)).collect())
    }
}

fn digest(content: &[u8]) -> String {
    let digest = Sha256::digest(content);
    let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{digits}")
}

/// Runs a verifier function on two trees and returns its checks.
pub fn verify(
    verify: impl FnOnce(&mut Verifier),
    start: &MemoryTree,
    end: &MemoryTree,
    answer: Option<&str>,
) -> Vec<Check> {
    let host = Host {
        start: start.clone(),
        end: end.clone(),
        answer: answer.map(str::to_owned),
        ..Host::default()
    };
    with_host(host, || {
        let mut task = Verifier::default();
        verify(&mut task);
        task.into_checks()
    })
    .0
}

/// Runs a setup function with a seed and the clock at 2026-01-01T00:00:00Z, and returns the tree.
pub fn set_up(setup: impl FnOnce(&mut World), seed: u64) -> MemoryTree {
    let key = Sha256::digest(format!("mcpmark:random:{seed}"));
    let host = Host {
        random: Some(ChaCha20Rng::from_seed(key.into())),
        ..Host::default()
    };
    with_host(host, || setup(&mut World::new())).1.built
}

/// Runs a solution function with `tool` as the handler of its tool calls, and returns its answer.
pub fn solve(
    solve: impl FnOnce(&mut Tools) -> String,
    tool: impl FnMut(&str, &Value) -> Result<tools::Output, String> + 'static,
) -> String {
    let host = Host {
        tool: Some(Box::new(tool)),
        ..Host::default()
    };
    with_host(host, || solve(&mut Tools::default())).0
}

type Tool = Box<dyn FnMut(&str, &Value) -> Result<tools::Output, String>>;

/// State of the host during one test.
#[derive(Default)]
struct Host {
    start: MemoryTree,
    end: MemoryTree,
    built: MemoryTree,
    answer: Option<String>,
    random: Option<ChaCha20Rng>,
    tool: Option<Tool>,
}

thread_local! {
    static HOST: RefCell<Option<Host>> = const { RefCell::new(None) };
}

fn with_host<T>(host: Host, run: impl FnOnce() -> T) -> (T, Host) {
    let before = HOST.replace(Some(host));
    let result = run();
    let after = HOST.replace(before);
    (
        result,
        after.expect("nothing else takes the host of this thread"),
    )
}

fn on_host<T>(act: impl FnOnce(&mut Host) -> T) -> T {
    HOST.with_borrow_mut(|host| {
        act(host
            .as_mut()
            .expect("guests run natively only inside the functions of `mcpmark_guest::testing`"))
    })
}

pub(crate) mod host {
    //! Imports of the contract, served by the host of this thread.

    use super::*;

    fn on_tree<T>(tree: state::Tree, act: impl FnOnce(&MemoryTree) -> T) -> T {
        on_host(|host| match tree {
            state::Tree::Start => act(&host.start),
            state::Tree::Final => act(&host.end),
        })
    }

    pub(crate) fn stat(tree: state::Tree, path: &str) -> Result<state::Entry, state::Error> {
        on_tree(tree, |tree| tree.entry(path).ok_or(state::Error::NotFound))
    }

    pub(crate) fn list(tree: state::Tree, path: &str) -> Result<Vec<state::Entry>, state::Error> {
        let prefix = if path.is_empty() { 0 } else { path.len() + 1 };
        let mut entries = walk(tree, path)?;
        entries.retain(|entry| !entry.path[prefix..].contains('/'));
        Ok(entries)
    }

    pub(crate) fn walk(tree: state::Tree, path: &str) -> Result<Vec<state::Entry>, state::Error> {
        on_tree(tree, |tree| tree.below(path))
    }

    pub(crate) fn read(
        tree: state::Tree,
        path: &str,
        offset: u64,
        length: u64,
    ) -> Result<Vec<u8>, state::Error> {
        on_tree(tree, |tree| match (tree.read(path), tree.entry(path)) {
            (Some(content), _) => {
                let rest = content.get(offset as usize..).unwrap_or_default();
                Ok(rest[..rest.len().min(length as usize)].to_vec())
            }
            (None, Some(_)) => Err(state::Error::NotAFile),
            (None, None) => Err(state::Error::NotFound),
        })
    }

    pub(crate) fn changes() -> Vec<state::Change> {
        on_host(|host| {
            let paths: BTreeSet<&String> = host
                .start
                .nodes
                .keys()
                .chain(host.end.nodes.keys())
                .collect();
            let mut changes = Vec::new();
            for path in paths {
                let (before, after) = (host.start.entry(path), host.end.entry(path));
                let kind = match (&before, &after) {
                    (None, _) => state::ChangeKind::Added,
                    (_, None) => state::ChangeKind::Removed,
                    (Some(a), Some(b))
                        if (a.kind, a.executable, &a.digest)
                            == (b.kind, b.executable, &b.digest) =>
                    {
                        continue;
                    }
                    _ => state::ChangeKind::Modified,
                };
                changes.push(state::Change {
                    path: path.clone(),
                    kind,
                    before,
                    after,
                });
            }
            changes
        })
    }

    fn no_repository() -> ! {
        panic!("unit tests have no git repository; `mcpmark grade` and `mcpmark task check` have")
    }

    pub(crate) fn git_head(_: state::Tree) -> String {
        no_repository()
    }

    pub(crate) fn git_references(_: state::Tree) -> Vec<git::Reference> {
        no_repository()
    }

    pub(crate) fn git_resolve(_: state::Tree, _: &str) -> Result<String, git::Error> {
        no_repository()
    }

    pub(crate) fn git_commit(_: state::Tree, _: &str) -> Result<git::Commit, git::Error> {
        no_repository()
    }

    pub(crate) fn git_tag(_: state::Tree, _: &str) -> Result<git::Tag, git::Error> {
        no_repository()
    }

    pub(crate) fn git_log(
        _: state::Tree,
        _: &str,
        _: Option<&str>,
        _: Option<&str>,
        _: u32,
    ) -> Result<Vec<git::Commit>, git::Error> {
        no_repository()
    }

    pub(crate) fn git_merge_base(
        _: state::Tree,
        _: &str,
        _: &str,
    ) -> Result<Option<String>, git::Error> {
        no_repository()
    }

    pub(crate) fn git_stat(_: state::Tree, _: &str, _: &str) -> Result<git::Entry, git::Error> {
        no_repository()
    }

    pub(crate) fn git_walk(
        _: state::Tree,
        _: &str,
        _: &str,
    ) -> Result<Vec<git::Entry>, git::Error> {
        no_repository()
    }

    pub(crate) fn git_blob(_: state::Tree, _: &str) -> Result<Vec<u8>, git::Error> {
        no_repository()
    }

    pub(crate) fn git_changes(
        _: state::Tree,
        _: Option<&str>,
        _: &str,
    ) -> Result<Vec<git::Change>, git::Error> {
        no_repository()
    }

    pub(crate) fn answer() -> Option<String> {
        on_host(|host| host.answer.clone())
    }

    pub(crate) fn parameters() -> String {
        "{}".to_owned()
    }

    pub(crate) fn log(_message: &str) {}

    pub(crate) fn panic(_message: &str) {}

    pub(crate) fn write_file(
        path: &str,
        content: &[u8],
        executable: bool,
        modified: Option<i64>,
    ) -> Result<(), builder::Error> {
        add(
            path,
            Node::File {
                content: content.to_vec(),
                executable,
                modified,
            },
        )
    }

    pub(crate) fn create_directory(path: &str) -> Result<(), builder::Error> {
        on_host(|host| {
            host.built.create_directory(path);
            Ok(())
        })
    }

    pub(crate) fn create_symlink(path: &str, target: &str) -> Result<(), builder::Error> {
        add(path, Node::Symlink(target.to_owned()))
    }

    fn add(path: &str, node: Node) -> Result<(), builder::Error> {
        on_host(|host| {
            if host.built.nodes.contains_key(path) {
                return Err(builder::Error::Exists(path.to_owned()));
            }
            host.built.insert(path, node);
            Ok(())
        })
    }

    pub(crate) fn build_commit(
        _: &[String],
        _: &[git_builder::Change],
        _: &git::Signature,
        _: &git::Signature,
        _: &str,
    ) -> Result<String, git_builder::Error> {
        no_repository()
    }

    pub(crate) fn build_reference(_: &str, _: &str) -> Result<(), git_builder::Error> {
        no_repository()
    }

    pub(crate) fn build_tag(
        _: &str,
        _: &str,
        _: &git::Signature,
        _: &str,
    ) -> Result<String, git_builder::Error> {
        no_repository()
    }

    pub(crate) fn build_head(_: &str) -> Result<(), git_builder::Error> {
        no_repository()
    }

    pub(crate) fn random() -> u64 {
        on_host(|host| {
            host.random
                .as_mut()
                .expect("only a setup has a random source")
                .next_u64()
        })
    }

    pub(crate) fn now() -> i64 {
        1_767_225_600
    }

    pub(crate) fn list_tools() -> Vec<tools::Tool> {
        Vec::new()
    }

    pub(crate) fn call_tool(name: &str, arguments: &str) -> Result<tools::Output, String> {
        let arguments = serde_json::from_str(arguments).map_err(|error| error.to_string())?;
        on_host(|host| {
            let tool = host.tool.as_mut().expect("only a solution has tools");
            tool(name, &arguments)
        })
    }
}
