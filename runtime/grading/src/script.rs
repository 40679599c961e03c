//! Python verifiers in the form of the published benchmark: an environment variable contains the directory of the final
//! state, and the exit code is the verdict.

use std::collections::BTreeSet;
use std::fs::{self, File as Opened};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcpmark_journal::Outcome;
use mcpmark_kinds::Services;
use mcpmark_sandbox::{
    Interpreter, Limits, Mount, RunError, Sandbox, ScriptInput, ScriptRun, ScriptServices,
};
use mcpmark_snapshot::{
    Digest, File, MemoryBlobs, Node, Snapshot, Store, StoreError, TreeBuilder, TreePath,
};

use crate::variables;

/// Mount of the script and its directory.
const TASK: &str = "task";
/// Mount of the final state.
const STATE: &str = "state";
/// Mount of the agent's last message.
const MESSAGES: &str = "messages";
const MESSAGES_FILE: &str = "messages.json";

/// Maximum number of files and directories in the script's directory, including the script.
const MAX_ENTRIES: usize = 1_000;
/// Maximum size of these files in total, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// Verifier script with the files of its directory, which it can read.
#[derive(Debug, Clone)]
pub struct Script {
    name: String,
    digest: Digest,
    beside: Snapshot,
}

/// Inputs of a script.
#[derive(Debug, Clone)]
pub struct ScriptContext {
    /// Final state.
    pub state: Snapshot,
    /// Last message of the agent.
    pub answer: Option<String>,
    /// Arguments after the script's path, such as the id of a page or the name of a database.
    pub arguments: Vec<String>,
    /// Environment variables that are added to those of every script, or override them.
    pub environment: Vec<(String, String)>,
    /// Clock of the world, in seconds since 1970-01-01T00:00:00Z.
    pub clock: i64,
    /// Interface of the world's service, if scripts can send requests to it.
    pub services: Option<Arc<dyn ScriptServices>>,
}

/// Errors of reading a script.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// The script or a file of its directory cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// Path of the file or directory.
        path: PathBuf,
        /// Error of the file system.
        source: io::Error,
    },
    /// The path has no valid UTF-8 file name, or a tree cannot contain the name.
    #[error("{}: not a valid file name of a script", path.display())]
    Name {
        /// Path of the file.
        path: PathBuf,
    },
    /// The files of the script's directory exceed the limits.
    #[error(
        "{}: the directory of the script, which the script can read, exceeds the limit of {MAX_ENTRIES} files and directories or {} MiB; move the script to a directory of its own", dir.display(), MAX_BYTES >> 20
    )]
    TooMuch {
        /// Path of the directory.
        dir: PathBuf,
    },
}

impl Script {
    /// Reads a script with the regular files of its directory and subdirectories. Leaves out symlinks, `__pycache__`,
    /// names that are not UTF-8, and hidden entries, because people store secrets in them.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be read, or if the files exceed the limits of number and size.
    pub fn read(file: &Path) -> Result<Self, ScriptError> {
        let unnamed = || ScriptError::Name {
            path: file.to_owned(),
        };
        let name = file.file_name().and_then(|name| name.to_str());
        let name = name.ok_or_else(unnamed)?.to_owned();
        let dir = match file.parent() {
            Some(dir) if !dir.as_os_str().is_empty() => dir,
            _ => Path::new("."),
        };
        let mut beside = ScriptFiles {
            dir,
            tree: TreeBuilder::new(),
            blobs: MemoryBlobs::new(),
            entries: 0,
            bytes: 0,
        };
        let at = TreePath::parse(&name).map_err(|_| unnamed())?;
        let digest = beside.add(&at)?;
        beside.add_below(&TreePath::root(), &at)?;
        Ok(Self {
            name,
            digest,
            beside: Snapshot::new(beside.tree.finish(), Arc::new(beside.blobs)),
        })
    }

    /// Returns a script from the stored tree of its directory; none if the tree does not contain the script.
    pub fn kept(name: &str, digest: Digest, beside: Snapshot) -> Option<Self> {
        let path = TreePath::parse(name).ok()?;
        let is_there = matches!(
            beside.tree.get(&path),
            Some(Node::File(file)) if file.content == digest
        );
        is_there.then(|| Self {
            name: name.to_owned(),
            digest,
            beside,
        })
    }

    /// Returns the file name of the script.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Stores the script and the files of its directory.
    ///
    /// # Errors
    ///
    /// Returns an error if the store cannot be written.
    pub fn keep(&self, store: &Store) -> Result<(), StoreError> {
        store.put_snapshot(&self.beside).map(drop)
    }

    /// Returns the names of environment variables that the source reads and has no default for.
    pub fn variables(&self, services: &Services) -> BTreeSet<String> {
        let published: Vec<_> = services.script_variables().collect();
        let source = self.beside.blobs.read(&self.digest);
        source.map_or_else(
            |_| BTreeSet::new(),
            |source| variables::required(&source, &published),
        )
    }

    /// Returns the digest of the script's bytes.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Returns the digest of the tree of the script's directory.
    pub fn beside(&self) -> Digest {
        self.beside.digest()
    }

    /// Returns the complete input of one run.
    pub fn input(&self, given: ScriptContext) -> ScriptInput {
        let mount = |name: &str, snapshot| Mount {
            name: name.to_owned(),
            snapshot,
        };
        let own = [
            ("FILESYSTEM_TEST_DIR", format!("/{STATE}")),
            ("MCP_MESSAGES", format!("/{MESSAGES}/{MESSAGES_FILE}")),
            ("PLAYWRIGHT_WORK_DIR", format!("/{MESSAGES}")),
        ];
        let own = own.map(|(name, value)| (name.to_owned(), value));
        let given_names: Vec<String> = given
            .environment
            .iter()
            .map(|(name, _)| name.clone())
            .collect();
        let own = own
            .into_iter()
            .filter(|(name, _)| !given_names.contains(name));
        ScriptInput {
            script: format!("/{TASK}/{}", self.name),
            arguments: given.arguments,
            environment: own.chain(given.environment).collect(),
            mounts: vec![
                mount(TASK, self.beside.clone()),
                mount(STATE, given.state),
                mount(MESSAGES, messages(given.answer.as_deref())),
            ],
            clock: given.clock,
            seed: 0,
            services: given.services,
        }
    }
}

/// Files of a script's directory while they are read.
struct ScriptFiles<'a> {
    dir: &'a Path,
    tree: TreeBuilder,
    blobs: MemoryBlobs,
    entries: usize,
    bytes: u64,
}

impl ScriptFiles<'_> {
    fn path(&self, at: &TreePath) -> PathBuf {
        if at.is_root() {
            self.dir.to_owned()
        } else {
            self.dir.join(at.as_str())
        }
    }

    /// Reads one file.
    fn add(&mut self, at: &TreePath) -> Result<Digest, ScriptError> {
        let path = self.path(at);
        let found = path.metadata().map_err(unreadable(&path))?;
        if !found.is_file() {
            let source = io::Error::other("it is not a regular file");
            return Err(ScriptError::Read { path, source });
        }
        // The file may grow while it is read, so the read is limited.
        let room = MAX_BYTES.saturating_sub(self.bytes);
        let opened = Opened::open(&path).map_err(unreadable(&path))?;
        let mut bytes = Vec::new();
        let mut opened = opened.take(room.saturating_add(1));
        opened.read_to_end(&mut bytes).map_err(unreadable(&path))?;
        let size = bytes.len() as u64;
        self.count(size)?;
        let content = self.blobs.put(bytes);
        let file = File {
            size,
            executable: false,
            modified: None,
            content,
        };
        let inserted = self.tree.insert_file(at, file);
        inserted.map_err(|_| ScriptError::Name { path })?;
        Ok(content)
    }

    fn count(&mut self, bytes: u64) -> Result<(), ScriptError> {
        self.entries += 1;
        self.bytes = self.bytes.saturating_add(bytes);
        if self.entries > MAX_ENTRIES || self.bytes > MAX_BYTES {
            Err(ScriptError::TooMuch {
                dir: self.dir.to_owned(),
            })
        } else {
            Ok(())
        }
    }

    /// Reads the entries of a directory except the script, which has been read already.
    fn add_below(&mut self, at: &TreePath, script: &TreePath) -> Result<(), ScriptError> {
        let dir = self.path(at);
        let mut names = Vec::new();
        for entry in fs::read_dir(&dir).map_err(unreadable(&dir))? {
            let entry = entry.map_err(unreadable(&dir))?;
            let kind = entry.file_type().map_err(unreadable(&entry.path()))?;
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            if !name.starts_with('.') && name != "__pycache__" {
                names.push((name, kind));
            }
        }
        names.sort_by(|one, other| one.0.cmp(&other.0));
        for (name, kind) in names {
            // A path that is too deep for a tree is left out.
            let Ok(below) = at.join(&name) else { continue };
            if kind.is_dir() {
                self.count(0)?;
                self.add_below(&below, script)?;
            } else if kind.is_file() && below != *script {
                self.add(&below)?;
            }
        }
        Ok(())
    }
}

fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> ScriptError {
    let path = path.to_owned();
    move |source| ScriptError::Read { path, source }
}

/// Returns the directory of the messages file.
fn messages(answer: Option<&str>) -> Snapshot {
    let bytes = mcpmark_sandbox::messages(answer);
    let blobs = MemoryBlobs::new();
    let file = File {
        size: bytes.len() as u64,
        executable: false,
        modified: None,
        content: blobs.put(bytes),
    };
    let mut tree = TreeBuilder::new();
    if let Ok(path) = TreePath::parse(MESSAGES_FILE) {
        // Inserting into an empty tree cannot fail.
        let _ = tree.insert_file(&path, file);
    }
    Snapshot::new(tree.finish(), Arc::new(blobs))
}

/// Runs a script as the verifier. Returns the outcome, and the run with the output of the script.
pub fn grade_script(
    sandbox: &Sandbox,
    interpreter: &Interpreter,
    input: &ScriptInput,
    limits: &Limits,
) -> (Outcome, ScriptRun) {
    let mut run = sandbox.verify_script(interpreter, input, limits);
    let taken = std::mem::replace(&mut run.result, Err(RunError::Host(String::new())));
    (crate::grade::outcome(taken), run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_sees_the_plain_files_beside_it_and_no_secret() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str| fs::write(dir.path().join(name), name).unwrap();
        for name in ["verify.py", "label.txt", ".env", ".mcp_env"] {
            write(name);
        }
        fs::create_dir(dir.path().join("below")).unwrap();
        write("below/deep.txt");
        for name in ["__pycache__", ".git"] {
            fs::create_dir(dir.path().join(name)).unwrap();
            write(&format!("{name}/x"));
        }
        std::os::unix::fs::symlink("..", dir.path().join("below/up")).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", dir.path().join("link")).unwrap();

        let script = Script::read(&dir.path().join("verify.py")).unwrap();
        assert_eq!(script.digest(), Digest::of(b"verify.py"));
        let names: Vec<String> = script
            .beside
            .tree
            .files()
            .map(|it| it.0.to_string())
            .collect();
        assert_eq!(names, ["below/deep.txt", "label.txt", "verify.py"]);
        assert!(matches!(
            Script::read(&dir.path().join("missing.py")),
            Err(ScriptError::Read { .. })
        ));
    }

    #[test]
    fn files_next_to_a_script_have_bounds() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("verify.py"), "").unwrap();
        let large = fs::File::create(dir.path().join("large")).unwrap();
        large.set_len(MAX_BYTES + 1).unwrap();
        assert!(matches!(
            Script::read(&dir.path().join("verify.py")),
            Err(ScriptError::TooMuch { .. })
        ));
    }

    #[test]
    fn a_script_is_a_regular_file() {
        assert!(matches!(
            Script::read(Path::new("/dev/zero")),
            Err(ScriptError::Read { .. })
        ));
    }

    #[test]
    fn a_script_gets_its_paths_and_the_answer() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("verify.py"), "").unwrap();
        let script = Script::read(&dir.path().join("verify.py")).unwrap();
        let state = Snapshot::of_directory(dir.path()).unwrap();
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let input = script.input(ScriptContext {
            state,
            answer: Some("1995 \"é\"".to_owned()),
            arguments: vec!["page".to_owned()],
            environment: vec![pair("FILESYSTEM_TEST_DIR", "/state/sub"), pair("X", "1")],
            clock: 7,
            services: None,
        });
        assert_eq!(input.script, "/task/verify.py");
        assert_eq!(
            input.environment,
            [
                pair("MCP_MESSAGES", "/messages/messages.json"),
                pair("PLAYWRIGHT_WORK_DIR", "/messages"),
                pair("FILESYSTEM_TEST_DIR", "/state/sub"),
                pair("X", "1"),
            ]
        );
        let path = TreePath::parse(MESSAGES_FILE).unwrap();
        let bytes = input.mounts[2].snapshot.read(&path).unwrap();
        let messages: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(messages[0]["content"][0]["text"], "1995 \"é\"");
        assert_eq!(messages[0]["role"], "assistant");
    }
}
