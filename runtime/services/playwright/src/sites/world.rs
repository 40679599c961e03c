//! Files of worlds and final states.
//!
//! | path | content |
//! |---|---|
//! | `format` | [`FORMAT`] |
//! | `sites/HOST/tables.sql` | definitions of the tables |
//! | `sites/HOST/objects.sql` | definitions of indexes, views and triggers; absent if there are none |
//! | `sites/HOST/rows/TABLE.jsonl` | rows of a table |
//! | `sites/HOST/static/PATH` | static files, which never change |
//! | `requests.jsonl` | log of the requests; only in final states |
//! | `browser.json` | address of the current tab; only in final states |
//!
//! A final state that exceeds the limits consists of [`CAPTURE_ERROR`] alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use mcpmark_service::{SessionLimits, WorldState};
use mcpmark_snapshot::{BuildError, File, InvalidPath, Node, Snapshot, Store, StoreError};
use mcpmark_snapshot::{ReadError, Tree, TreeBuilder, TreePath};
use serde_json::json;

use super::live::{LiveSite, Sites, StaticFiles};
use super::rows::{DatabaseState, StateError};
use super::site::Site;
use super::sql::SharedDatabase;

/// Content of the file `format`.
pub const FORMAT: &str = "mcpmark playwright state 1\n";

/// Only file of a final state that exceeds the limits of its world, with the reason.
pub const CAPTURE_ERROR: &str = "capture-error.txt";

const FORMAT_FILE: &str = "format";
const REQUESTS_FILE: &str = "requests.jsonl";
const BROWSER_FILE: &str = "browser.json";
const SITES: &str = "sites/";
const STATIC: &str = "static/";
/// Maximum length of a host name, in bytes.
const MAX_HOST: usize = 253;

/// Errors of reading a world and of writing a final state.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorldError {
    /// World of another format.
    #[error(
        "the file `format` does not contain {FORMAT:?}; expected the state of a playwright world"
    )]
    Format,
    /// File that is not a part of a world.
    #[error("unknown file {0} in the world")]
    UnknownFile(TreePath),
    /// Directory of a site whose name is not a host name.
    #[error(
        "sites/{0}: expected a host name in lower case that ends with `.test`, such as forum.test"
    )]
    Host(String),
    /// Site with a database and no implementation.
    #[error(
        "sites/{0} has tables, but the world has no guest that answers the requests of its sites"
    )]
    NoGuest(String),
    /// File that is not text.
    #[error("{0} is not valid UTF-8")]
    NotUtf8(TreePath),
    /// Content of a site that is invalid.
    #[error("sites/{host}: {source}")]
    Content {
        /// Host name.
        host: String,
        /// Cause.
        source: StateError,
    },
    /// State that exceeds a limit of the session.
    #[error("the state has {found} {unit}; the limit is {limit}")]
    TooLarge {
        /// Size.
        found: u64,
        /// Limit.
        limit: u64,
        /// Unit of both.
        unit: &'static str,
    },
    /// World without sites.
    #[error("the world has no sites; expected a directory such as sites/forum.test")]
    NoSites,
    /// Error of reading the world.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Error of storing the state.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Path that a tree cannot contain.
    #[error(transparent)]
    Path(#[from] InvalidPath),
    /// Conflicting paths.
    #[error(transparent)]
    Build(#[from] BuildError),
}

impl WorldError {
    /// Reports whether the store of this machine is the cause, and not the content of the world.
    pub(crate) fn is_infrastructure(&self) -> bool {
        matches!(self, Self::Read(_) | Self::Store(_))
    }
}

/// Content of one site before it is loaded.
#[derive(Default)]
struct Parts {
    database: DatabaseState,
    files: BTreeMap<String, File>,
}

impl Sites {
    /// Creates the sites of a world. `guest` answers the requests of all sites with tables; the others are static files.
    pub(crate) fn load(
        world: &WorldState,
        guest: Option<&Arc<dyn Site>>,
    ) -> Result<Self, WorldError> {
        check_size(&world.tree, &world.limits)?;
        let state = Snapshot::new(world.tree.clone(), Arc::clone(&world.store) as _);
        let parts = read(&state)?;
        if parts.is_empty() {
            return Err(WorldError::NoSites);
        }
        let max_bytes = world.limits.max_bytes;
        let mut hosts = BTreeMap::new();
        for (host, parts) in parts {
            let has_tables = !parts.database.tables.is_empty();
            if has_tables && guest.is_none() {
                return Err(WorldError::NoGuest(host));
            }
            let database = parts.database.load(max_bytes);
            let database = database.map_err(|source| WorldError::Content {
                host: host.clone(),
                source,
            })?;
            let site = LiveSite {
                site: guest.filter(|_| has_tables).cloned(),
                database: SharedDatabase::new(database),
                files: StaticFiles {
                    files: parts.files,
                    store: Arc::clone(&world.store),
                },
            };
            hosts.insert(host, site);
        }
        Ok(Self::new(hosts, world.seed, world.clock))
    }

    /// Writes the final state: the databases, the static files of the world `start`, the log and the last address.
    ///
    /// A state that exceeds the limits is a tree with the single file [`CAPTURE_ERROR`], so that an agent cannot avoid
    /// its grade in this way.
    pub(crate) fn capture(
        &self,
        start: &Tree,
        store: &Store,
        limits: &SessionLimits,
        address: Option<&str>,
    ) -> Result<Tree, WorldError> {
        match self.try_capture(start, store, limits, address) {
            Err(error @ WorldError::TooLarge { .. }) => with_error(store, &error.to_string()),
            captured => captured,
        }
    }

    fn try_capture(
        &self,
        start: &Tree,
        store: &Store,
        limits: &SessionLimits,
        address: Option<&str>,
    ) -> Result<Tree, WorldError> {
        let mut builder = TreeBuilder::new();
        let mut batch = store.batch();
        let mut put = |builder: &mut TreeBuilder, path: &str, text: &str| {
            let file = File {
                size: text.len() as u64,
                executable: false,
                modified: None,
                content: batch.put_bytes(text.as_bytes())?,
            };
            builder.insert_file(&TreePath::parse(path)?, file)?;
            Ok::<(), WorldError>(())
        };
        for (path, file) in start.files() {
            if is_static(path.as_str()) {
                builder.insert_file(&path, file.clone())?;
            }
        }
        put(&mut builder, FORMAT_FILE, FORMAT)?;
        let databases = self.databases().map_err(|source| WorldError::Content {
            host: "*".to_owned(),
            source,
        })?;
        for (host, state) in databases {
            builder.create_directory(&TreePath::parse(&format!("{SITES}{host}"))?)?;
            let parts = [
                ("tables.sql", &state.tables),
                ("objects.sql", &state.objects),
            ];
            for (name, text) in parts.into_iter().filter(|(_, text)| !text.is_empty()) {
                put(&mut builder, &format!("{SITES}{host}/{name}"), text)?;
            }
            for (table, rows) in &state.rows {
                put(
                    &mut builder,
                    &format!("{SITES}{host}/rows/{table}.jsonl"),
                    rows,
                )?;
            }
        }
        put(&mut builder, REQUESTS_FILE, &self.log())?;
        let browser = mcpmark_json::canonical(&json!({ "address": address }));
        put(&mut builder, BROWSER_FILE, &(browser + "\n"))?;
        let tree = builder.finish();
        check_size(&tree, limits)?;
        batch.put_tree(&tree)?;
        batch.commit()?;
        Ok(tree)
    }
}

fn with_error(store: &Store, reason: &str) -> Result<Tree, WorldError> {
    let text = format!("{reason}\n");
    let mut batch = store.batch();
    let file = File {
        size: text.len() as u64,
        executable: false,
        modified: None,
        content: batch.put_bytes(text.as_bytes())?,
    };
    let mut builder = TreeBuilder::new();
    builder.insert_file(&TreePath::parse(CAPTURE_ERROR)?, file)?;
    let tree = builder.finish();
    batch.put_tree(&tree)?;
    batch.commit()?;
    Ok(tree)
}

fn check_size(tree: &Tree, limits: &SessionLimits) -> Result<(), WorldError> {
    let sizes = [
        (tree.total_size(), limits.max_bytes, "bytes"),
        (tree.len(), limits.max_files, "files and directories"),
    ];
    match sizes.into_iter().find(|(found, limit, _)| found > limit) {
        Some((found, limit, unit)) => Err(WorldError::TooLarge { found, limit, unit }),
        None => Ok(()),
    }
}

fn is_static(path: &str) -> bool {
    let rest = path
        .strip_prefix(SITES)
        .and_then(|rest| rest.split_once('/'));
    rest.is_some_and(|(_, rest)| rest.starts_with(STATIC))
}

/// Reports whether a name can be the host of a site. The domain `test` never exists on the internet.
fn is_host(name: &str) -> bool {
    let is_label = |label: &str| {
        let is_plain =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        !label.is_empty()
            && label.len() <= 63
            && label.bytes().all(is_plain)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    name.len() <= MAX_HOST && name.ends_with(".test") && name.split('.').all(is_label)
}

fn read(state: &Snapshot) -> Result<BTreeMap<String, Parts>, WorldError> {
    let mut sites: BTreeMap<String, Parts> = BTreeMap::new();
    let mut has_format = false;
    let text = |path: &TreePath| {
        String::from_utf8(state.read(path)?).map_err(|_| WorldError::NotUtf8(path.clone()))
    };
    for (path, node) in state.tree.walk(&TreePath::root()) {
        let unknown = || WorldError::UnknownFile(path.clone());
        let site = path.as_str().strip_prefix(SITES);
        let (host, rest) = site.map_or(("", ""), |rest| rest.split_once('/').unwrap_or((rest, "")));
        if site.is_some() && !is_host(host) {
            return Err(WorldError::Host(host.to_owned()));
        }
        let file = match node {
            Node::File(file) => file,
            Node::Directory(_) => {
                if site.is_some() {
                    sites.entry(host.to_owned()).or_default();
                }
                continue;
            }
            Node::Symlink(_) => return Err(unknown()),
        };
        if site.is_none() {
            match path.as_str() {
                FORMAT_FILE if file.size < 100 => has_format = text(&path)? == FORMAT,
                // Of the final state that the world may be.
                REQUESTS_FILE | BROWSER_FILE => {}
                _ => return Err(unknown()),
            }
            continue;
        }
        let parts = sites.entry(host.to_owned()).or_default();
        let table = rest
            .strip_prefix("rows/")
            .and_then(|name| name.strip_suffix(".jsonl"));
        match (rest, table, rest.strip_prefix(STATIC)) {
            ("tables.sql", ..) => parts.database.tables = text(&path)?,
            ("objects.sql", ..) => parts.database.objects = text(&path)?,
            (_, Some(table), _) => {
                parts.database.rows.push((table.to_owned(), text(&path)?));
            }
            (_, _, Some(name)) => {
                parts.files.insert(name.to_owned(), file.clone());
            }
            _ => return Err(unknown()),
        }
    }
    if has_format {
        Ok(sites)
    } else {
        Err(WorldError::Format)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_names_of_the_domain_test() {
        for host in ["forum.test", "a-1.shop.test"] {
            assert!(is_host(host), "{host}");
        }
        for host in [
            "test",
            "forum.com",
            "Forum.test",
            "-a.test",
            "a..test",
            "a_b.test",
            ".test",
        ] {
            assert!(!is_host(host), "{host}");
        }
    }

    #[test]
    fn static_files_are_told_from_others() {
        assert!(is_static("sites/forum.test/static/a/b.css"));
        for path in ["sites/static/a", "sites/forum.test/rows/static", "static/a"] {
            assert!(!is_static(path), "{path}");
        }
    }
}
