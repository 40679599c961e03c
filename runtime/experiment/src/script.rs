//! Verifiers that are Python scripts, in the manner of the published ones: the state lies in a
//! directory that a variable of the environment names, the exit code is the verdict.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcpmark_sandbox::{
    Interpreter, Limits, Mount, RunError, Sandbox, ScriptInput, ScriptRun, ScriptServices,
};
use mcpmark_snapshot::{
    Digest, File, MemoryBlobs, Node, Snapshot, Store, StoreError, TreeBuilder, TreePath,
};

use crate::Outcome;

/// Where the script and the files beside it lie, as it sees them.
const TASK: &str = "task";
/// Where the final state lies.
const STATE: &str = "state";
/// Where the agent's last message lies.
const MESSAGES: &str = "messages";
const MESSAGES_FILE: &str = "messages.json";

/// Files beside a script that it can see, the script among them.
const MAX_FILES: usize = 1_000;
/// Bytes of them all.
const MAX_BYTES: u64 = 64 << 20;

/// A script, and the files beside it, which it may read.
#[derive(Debug, Clone)]
pub struct Script {
    name: String,
    digest: Digest,
    beside: Snapshot,
}

/// What a script judges, and what it is told.
#[derive(Debug, Clone)]
pub struct GivenToScript {
    /// The world as the agent left it.
    pub state: Snapshot,
    /// The agent's last message.
    pub answer: Option<String>,
    /// What follows the script in its list of arguments: a page's id, a database's name.
    pub arguments: Vec<String>,
    /// Variables beside those that every script gets, or in their place.
    pub environment: Vec<(String, String)>,
    /// The world's instant, in seconds since 1970-01-01T00:00:00Z.
    pub clock: i64,
    /// What answers for the world's service, where one can be asked.
    pub services: Option<Arc<dyn ScriptServices>>,
}

/// Why a script cannot judge.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// It, or a file beside it, cannot be read.
    #[error("{}: cannot be read", path.display())]
    Read {
        /// The file or directory.
        path: PathBuf,
        /// What the file system said.
        source: io::Error,
    },
    /// Its name is not UTF-8, or no file's name.
    #[error("{}: not the name of a script", path.display())]
    Name {
        /// The file.
        path: PathBuf,
    },
    /// What lies beside it is more than a script gets to see.
    #[error(
        "{}: more than {MAX_FILES} files or {} MiB lie beside the script, which sees them all; give it a directory of its own", dir.display(), MAX_BYTES >> 20
    )]
    TooMuch {
        /// The directory.
        dir: PathBuf,
    },
}

impl Script {
    /// Reads a script and the plain files beside it. Hidden ones, in which people keep their
    /// keys, directories and links are left out.
    ///
    /// # Errors
    ///
    /// When one cannot be read, or there are too many of them.
    pub fn read(file: &Path) -> Result<Self, ScriptError> {
        let unreadable = |path: &Path| {
            let path = path.to_owned();
            move |source| ScriptError::Read { path, source }
        };
        let unnamed = || ScriptError::Name {
            path: file.to_owned(),
        };
        let name = file.file_name().and_then(|name| name.to_str());
        let name = name.ok_or_else(unnamed)?.to_owned();
        let dir = match file.parent() {
            Some(dir) if !dir.as_os_str().is_empty() => dir,
            _ => Path::new("."),
        };
        let mut names = vec![name.clone()];
        for entry in fs::read_dir(dir).map_err(unreadable(dir))? {
            let entry = entry.map_err(unreadable(dir))?;
            let plain = entry
                .file_type()
                .map_err(unreadable(&entry.path()))?
                .is_file();
            let Ok(other) = entry.file_name().into_string() else {
                continue;
            };
            if plain && other != name && !other.starts_with('.') {
                names.push(other);
            }
        }
        let too_much = || ScriptError::TooMuch {
            dir: dir.to_owned(),
        };
        if names.len() > MAX_FILES {
            return Err(too_much());
        }
        let blobs = MemoryBlobs::new();
        let mut tree = TreeBuilder::new();
        let mut left = MAX_BYTES;
        let mut digest = None;
        for name in names {
            let path = dir.join(&name);
            let size = path.metadata().map_err(unreadable(&path))?.len();
            left = left.checked_sub(size).ok_or_else(too_much)?;
            let bytes = fs::read(&path).map_err(unreadable(&path))?;
            let size = bytes.len() as u64;
            let content = blobs.put(bytes);
            digest.get_or_insert(content);
            let at = TreePath::parse(&name).map_err(|_| unnamed())?;
            let file = File {
                size,
                executable: false,
                modified: None,
                content,
            };
            tree.insert_file(&at, file).map_err(|_| unnamed())?;
        }
        Ok(Self {
            name,
            digest: digest.ok_or_else(unnamed)?,
            beside: Snapshot::new(tree.finish(), Arc::new(blobs)),
        })
    }

    /// A script that was kept with the files beside it; none where it is not among them.
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

    /// Its name among the files that it sees.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Keeps it and the files beside it.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    pub fn keep(&self, store: &Store) -> Result<(), StoreError> {
        store.put_snapshot(&self.beside).map(drop)
    }

    /// The digest of the script's bytes.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The digest of the script and all that lies beside it.
    pub fn beside(&self) -> Digest {
        self.beside.digest()
    }

    /// All that the script sees.
    pub fn input(&self, given: GivenToScript) -> ScriptInput {
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

/// The messages of an attempt as the published files have them, of which a verifier gets the
/// agent's last one alone.
fn messages(answer: Option<&str>) -> Snapshot {
    let messages: Vec<serde_json::Value> = answer
        .into_iter()
        .map(|text| {
            serde_json::json!({
                "id": "__fake_id__",
                "content": [{"annotations": [], "text": text, "type": "output_text"}],
                "role": "assistant",
                "status": "completed",
                "type": "message",
            })
        })
        .collect();
    let bytes = serde_json::Value::from(messages).to_string().into_bytes();
    let blobs = MemoryBlobs::new();
    let file = File {
        size: bytes.len() as u64,
        executable: false,
        modified: None,
        content: blobs.put(bytes),
    };
    let mut tree = TreeBuilder::new();
    if let Ok(path) = TreePath::parse(MESSAGES_FILE) {
        // An empty tree takes any file.
        let _ = tree.insert_file(&path, file);
    }
    Snapshot::new(tree.finish(), Arc::new(blobs))
}

/// Has a script judge, and says what came of it. Beside the outcome the run has what it printed.
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
        std::os::unix::fs::symlink("/etc/passwd", dir.path().join("link")).unwrap();

        let script = Script::read(&dir.path().join("verify.py")).unwrap();
        assert_eq!(script.digest(), Digest::of(b"verify.py"));
        let names: Vec<String> = script
            .beside
            .tree
            .files()
            .map(|it| it.0.to_string())
            .collect();
        assert_eq!(names, ["label.txt", "verify.py"]);
        assert!(matches!(
            Script::read(&dir.path().join("missing.py")),
            Err(ScriptError::Read { .. })
        ));
    }

    #[test]
    fn what_lies_beside_it_has_bounds() {
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
    fn it_is_told_where_things_lie_and_what_was_answered() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("verify.py"), "").unwrap();
        let script = Script::read(&dir.path().join("verify.py")).unwrap();
        let state = Snapshot::of_directory(dir.path()).unwrap();
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let input = script.input(GivenToScript {
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
