//! Interpreter: the guest that runs Python verifiers.
//!
//! It is built once on each machine, by a tool from Python's package index, and cached; or the operator provides it as
//! a file. The tool includes CPython, so the machine's Python version does not matter. Builds on two machines differ in
//! timestamps, and therefore in their digests; without a C compiler they also differ in the seed of Python's hashes.
//! For equal digests on all machines, provide the same file.

mod digest_cache;
mod sources;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mcpmark_snapshot::Digest;

use self::sources::SOURCES;
use crate::process::{Call, Line};
use crate::{BuildError, BuildEvent};

/// Tool that builds the guest, with its exact version.
pub const TOOL: &str = "componentize-py==0.25.1";
/// Version of Python that the tool includes.
pub const VERSION: &str = "CPython 3.14.0";
/// Version of the build procedure. Increase it if the procedure changes.
const FORMAT: u32 = 1;
/// WIT world of the guest, from `wit/`.
const WORLD: &str = "interpreter";
/// Python module that implements the world.
const MODULE: &str = "mcpmark_script.guest";

const COMPONENT: &str = "guest.wasm";
const DIGEST: &str = "digest";

const INSTALL_LIMIT: Duration = Duration::from_secs(300);
const MAKE_LIMIT: Duration = Duration::from_secs(600);

/// Interpreter that is ready to load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PythonGuest {
    /// Path of the component.
    pub file: PathBuf,
    /// Digest of the component.
    pub digest: Digest,
}

/// Source of the interpreter.
#[derive(Debug, Clone)]
pub struct PythonSource {
    /// Component that the operator provides.
    pub given: Option<Given>,
    /// Cache directory for built interpreters.
    pub cache: PathBuf,
    /// Permission to download the tool.
    pub allow_install: bool,
}

/// Path of a provided component, with its expected digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    /// Path of the component.
    pub file: PathBuf,
    /// Expected digest; with `None`, any component is accepted.
    pub digest: Option<Digest>,
}

impl std::str::FromStr for Given {
    type Err = mcpmark_snapshot::InvalidDigest;

    /// Parses `FILE` or `FILE@sha256:…`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (file, digest) = match text.rsplit_once("@sha256:") {
            Some((file, hex)) => (file, Some(format!("sha256:{hex}").parse()?)),
            None => (text, None),
        };
        Ok(Self {
            file: file.into(),
            digest,
        })
    }
}

/// Errors of obtaining the interpreter.
#[derive(Debug, thiserror::Error)]
pub enum PythonError {
    /// The interpreter is not built yet, and installation is not permitted.
    #[error(
        "the guest that runs Python scripts is not built yet, and downloading {TOOL} to build it is not allowed"
    )]
    NotAllowed,
    /// The provided file has another digest.
    #[error("{}: expected digest {wanted}, found {found}", file.display())]
    Digest {
        /// Path of the file.
        file: PathBuf,
        /// Actual digest.
        found: Digest,
        /// Expected digest.
        wanted: Digest,
    },
    /// A program of the build failed.
    #[error("cannot build the guest for Python scripts: `{command}` failed: {complaint}")]
    Failed {
        /// The command.
        command: String,
        /// Its error message.
        complaint: String,
    },
    /// A program cannot be started.
    #[error("cannot build the guest for Python scripts")]
    Start(#[source] BuildError),
    /// A file operation failed.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// The operation, such as `read`.
        action: &'static str,
        /// Path of the file or directory.
        path: PathBuf,
        /// Error of the file system.
        source: io::Error,
    },
}

impl PythonSource {
    /// Returns the interpreter if it is provided or already built.
    ///
    /// # Errors
    ///
    /// Returns an error if the provided file cannot be read or has another digest.
    pub fn ready(&self) -> Result<Option<PythonGuest>, PythonError> {
        match &self.given {
            Some(given) => given.look(&self.cache.join("python/given")).map(Some),
            None => Ok(made(&self.directory())),
        }
    }

    /// Returns the interpreter, and builds it if necessary.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be built or read.
    pub fn guest(&self, report: &mut dyn FnMut(BuildEvent)) -> Result<PythonGuest, PythonError> {
        if let Some(guest) = self.ready()? {
            return Ok(guest);
        }
        if !self.allow_install {
            return Err(PythonError::NotAllowed);
        }
        let directory = self.directory();
        let parent = directory.parent().unwrap_or(&self.cache);
        fs::create_dir_all(parent).map_err(|source| io_error("create", parent, source))?;
        let work = tempfile::Builder::new()
            .prefix("new-")
            .tempdir_in(parent)
            .map_err(|source| io_error("write to", parent, source))?;
        make(work.path(), report)?;
        let new = work.path().join("made");
        // Another process may have finished first; its result is equivalent.
        match fs::rename(&new, &directory) {
            Ok(()) => {}
            Err(source) => {
                return made(&directory).ok_or_else(|| io_error("write", &directory, source));
            }
        }
        made(&directory)
            .ok_or_else(|| io_error("read", &directory, io::Error::from(io::ErrorKind::NotFound)))
    }

    /// Returns the cache directory, whose name is a digest of all inputs of the build.
    fn directory(&self) -> PathBuf {
        let mut text = format!("{FORMAT} {TOOL} {WORLD} {MODULE}\n");
        for (path, content) in SOURCES {
            text.push_str(&format!("{path} {}\n{content}", content.len()));
        }
        let name = Digest::of(text.as_bytes()).hex();
        self.cache.join("python").join(&name[..16])
    }
}

impl Given {
    /// Returns the provided interpreter if it has the expected digest. `seals` is the directory that caches digests of
    /// files.
    fn look(&self, seals: &Path) -> Result<PythonGuest, PythonError> {
        let found = digest_cache::digest(&self.file, seals);
        let found = found.map_err(|source| io_error("read", &self.file, source))?;
        match self.digest {
            Some(wanted) if wanted != found => Err(PythonError::Digest {
                file: self.file.clone(),
                found,
                wanted,
            }),
            _ => Ok(PythonGuest {
                file: self.file.clone(),
                digest: found,
            }),
        }
    }
}

/// Returns a cached interpreter. Its digest is read from a file, because the component is large.
fn made(directory: &Path) -> Option<PythonGuest> {
    let digest = fs::read_to_string(directory.join(DIGEST)).ok()?;
    let file = directory.join(COMPONENT);
    Some(PythonGuest {
        digest: digest.trim().parse().ok()?,
        file: file.is_file().then_some(file)?,
    })
}

fn make(work: &Path, report: &mut dyn FnMut(BuildEvent)) -> Result<(), PythonError> {
    let write = |path: &Path, content: &[u8]| {
        let parent = path.parent().unwrap_or(work);
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(path, content))
            .map_err(|source| io_error("write", path, source))
    };
    for (path, content) in SOURCES {
        write(&work.join("source").join(path), content.as_bytes())?;
    }
    let tool = install(work, report)?;
    report(BuildEvent::Making {
        what: format!("{VERSION} with its standard library"),
    });
    let made = work.join("made");
    fs::create_dir_all(&made).map_err(|source| io_error("create", &made, source))?;
    let component = made.join(COMPONENT);
    let source = work.join("source");
    let mut call = Call::new(&tool, &source)
        .args([
            "--quiet",
            "--wit-path",
            "wit",
            "--world",
            WORLD,
            "componentize",
        ])
        .args([
            "--python-path",
            ".",
            "--python-path",
            "shims",
            MODULE,
            "--output",
        ])
        .args([&component])
        // Otherwise the tool would include packages of the machine's Python.
        .env("VIRTUAL_ENV", "/nonexistent")
        .limit(MAKE_LIMIT);
    match fixed_hash_seed(work, report) {
        Ok(library) => call = call.env("LD_PRELOAD", library),
        Err(reason) => report(BuildEvent::NotFound {
            reason: format!(
                "{reason}; the order of Python's sets differs between this guest and others, but is the same in each grade"
            ),
        }),
    }
    run(&call)?;
    let bytes = fs::read(&component).map_err(|source| io_error("read", &component, source))?;
    report(BuildEvent::Componentized {
        source: PathBuf::from(VERSION),
        size: bytes.len() as u64,
    });
    write(
        &made.join(DIGEST),
        Digest::of(&bytes).to_string().as_bytes(),
    )
}

/// Installs the tool in a new virtual environment, and returns the path of its program.
fn install(work: &Path, report: &mut dyn FnMut(BuildEvent)) -> Result<PathBuf, PythonError> {
    report(BuildEvent::Fetching {
        what: format!("{TOOL} to build the guest for Python scripts"),
    });
    let place = work.join("tool");
    run(&Call::new("python3", work)
        .args(["-I", "-m", "venv"])
        .args([&place])
        .limit(INSTALL_LIMIT))?;
    let programs = place.join("bin");
    let mut pip = Call::new(programs.join("python"), work)
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
        ])
        .args(["--only-binary=:all:", TOOL])
        .limit(INSTALL_LIMIT);
    // Configuration of the package index on this machine.
    for name in [
        "PIP_INDEX_URL",
        "PIP_EXTRA_INDEX_URL",
        "PIP_CERT",
        "PIP_CONFIG_FILE",
        "PIP_FIND_LINKS",
        "PIP_NO_INDEX",
    ] {
        if let Some(value) = std::env::var_os(name) {
            pip = pip.env(name, value);
        }
    }
    run(&pip)?;
    Ok(programs.join("componentize-py"))
}

/// Compiles the library that fixes the seed of Python's hashes, with the machine's C compiler.
fn fixed_hash_seed(work: &Path, report: &mut dyn FnMut(BuildEvent)) -> Result<PathBuf, String> {
    let library = work.join("steady.so");
    let call = Call::new("cc", &work.join("source"))
        .args(["-shared", "-fPIC", "-O1", "steady.c", "-o"])
        .args([&library])
        .limit(INSTALL_LIMIT);
    let finished = call.run(&mut |line| {
        if let Line::Err(line) = line {
            let line = line.trim_end().to_owned();
            report(BuildEvent::Cargo { line });
        }
    });
    match finished {
        Ok(finished) if finished.success => Ok(library),
        Ok(finished) => Err(format!("`cc` failed: {}", finished.complaint())),
        Err(error) => Err(error.to_string()),
    }
}

fn run(call: &Call) -> Result<(), PythonError> {
    let finished = call.run(&mut |_| {}).map_err(PythonError::Start)?;
    if finished.success {
        return Ok(());
    }
    Err(PythonError::Failed {
        command: call.typed(),
        complaint: finished.complaint(),
    })
}

fn io_error(action: &'static str, path: &Path, source: io::Error) -> PythonError {
    PythonError::Io {
        action,
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(cache: &Path) -> PythonSource {
        PythonSource {
            given: None,
            cache: cache.to_owned(),
            allow_install: false,
        }
    }

    #[test]
    fn nothing_is_fetched_where_that_is_not_allowed() {
        let cache = tempfile::tempdir().unwrap();
        let error = source(cache.path()).guest(&mut |_| {}).unwrap_err();
        assert!(matches!(error, PythonError::NotAllowed), "{error}");
        assert_eq!(fs::read_dir(cache.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_built_interpreter_is_found_again() {
        let cache = tempfile::tempdir().unwrap();
        let source = source(cache.path());
        assert_eq!(source.ready().unwrap(), None);
        let directory = source.directory();
        fs::create_dir_all(&directory).unwrap();
        let digest = Digest::of(b"guest");
        fs::write(directory.join(DIGEST), digest.to_string()).unwrap();
        assert_eq!(source.ready().unwrap(), None, "the component is not there");
        fs::write(directory.join(COMPONENT), b"guest").unwrap();
        let guest = source.ready().unwrap().unwrap();
        assert_eq!(
            (guest.digest, guest.file),
            (digest, directory.join(COMPONENT))
        );
    }

    #[test]
    fn a_file_is_taken_only_with_the_digest_that_was_asked_for() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a@b.wasm");
        fs::write(&file, b"guest").unwrap();
        let digest = Digest::of(b"guest");
        let taken = |text: String| PythonSource {
            given: Some(text.parse().unwrap()),
            ..source(dir.path())
        };
        let plain = file.display().to_string();
        for text in [plain.clone(), format!("{plain}@{digest}")] {
            assert_eq!(taken(text).ready().unwrap().unwrap().digest, digest);
        }
        let other = Digest::of(b"other");
        let error = taken(format!("{plain}@{other}")).ready().unwrap_err();
        assert!(matches!(error, PythonError::Digest { .. }), "{error}");
        assert!(format!("{plain}@sha256:12").parse::<Given>().is_err());
    }
}
