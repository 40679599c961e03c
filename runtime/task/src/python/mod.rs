//! The guest in which verifiers that are Python scripts run.
//!
//! It is made once on a machine, by a tool that Python's package index has, and then lies in
//! the cache; or somebody hands it over as a file. Python itself comes with the tool, so that
//! the version of the machine's own decides nothing. Two machines make guests that differ in
//! times alone, and so in digest: who wants one digest everywhere names one file.

mod seal;
mod sources;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mcpmark_snapshot::Digest;

use self::sources::SOURCES;
use crate::build::process::{Call, Line};
use crate::build::{BuildError, BuildEvent};

/// The tool that makes the guest, pinned.
pub const TOOL: &str = "componentize-py==0.25.1";
/// The Python that the tool brings.
pub const VERSION: &str = "CPython 3.14.0";
/// Changed when the way of making the guest does.
const FORMAT: u32 = 1;
/// The world in `wit/` that the guest is made for.
const WORLD: &str = "interpreter";
/// The module that holds it.
const MODULE: &str = "mcpmark_script.guest";

const COMPONENT: &str = "guest.wasm";
const DIGEST: &str = "digest";

const INSTALL_LIMIT: Duration = Duration::from_secs(300);
const MAKE_LIMIT: Duration = Duration::from_secs(600);

/// The guest, ready to be loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PythonGuest {
    /// The component.
    pub file: PathBuf,
    /// The digest of its bytes.
    pub digest: Digest,
}

/// Where the guest comes from.
#[derive(Debug, Clone)]
pub struct PythonSource {
    /// A component that somebody handed over.
    pub given: Option<Given>,
    /// A directory for what is made here.
    pub cache: PathBuf,
    /// Whether the tool may be fetched.
    pub allow_install: bool,
}

/// A file, and what its digest has to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    /// The component.
    pub file: PathBuf,
    /// Nothing else is taken where this is set.
    pub digest: Option<Digest>,
}

impl std::str::FromStr for Given {
    type Err = mcpmark_snapshot::InvalidDigest;

    /// Reads `FILE` or `FILE@sha256:…`.
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

/// Why there is no guest for Python scripts.
#[derive(Debug, thiserror::Error)]
pub enum PythonError {
    /// It would have to be made, and nothing may be installed.
    #[error(
        "Python scripts are judged in a guest that is not made yet, and fetching {TOOL} to make it is not allowed"
    )]
    NotAllowed,
    /// What was handed over is something else.
    #[error("{}: its digest is {found}, and {wanted} was asked for", file.display())]
    Digest {
        /// The file.
        file: PathBuf,
        /// What it is.
        found: Digest,
        /// What it should be.
        wanted: Digest,
    },
    /// One of the programs that make it failed.
    #[error("the guest for Python scripts cannot be made: `{command}` failed: {complaint}")]
    Failed {
        /// The program and what it was called with.
        command: String,
        /// What it said.
        complaint: String,
    },
    /// A program cannot be started.
    #[error("the guest for Python scripts cannot be made")]
    Start(#[source] BuildError),
    /// The file system refused.
    #[error("{}: {action} failed", path.display())]
    Io {
        /// What was tried, as in `reading`.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// What the file system said.
        source: io::Error,
    },
}

impl PythonSource {
    /// The guest, if it is there already.
    ///
    /// # Errors
    ///
    /// When a file was handed over that cannot be read or has another digest.
    pub fn ready(&self) -> Result<Option<PythonGuest>, PythonError> {
        match &self.given {
            Some(given) => given.look(&self.cache.join("python/given")).map(Some),
            None => Ok(made(&self.directory())),
        }
    }

    /// The guest, which is made if it is not there.
    ///
    /// # Errors
    ///
    /// When it cannot be made or read.
    pub fn guest(&self, report: &mut dyn FnMut(BuildEvent)) -> Result<PythonGuest, PythonError> {
        if let Some(guest) = self.ready()? {
            return Ok(guest);
        }
        if !self.allow_install {
            return Err(PythonError::NotAllowed);
        }
        let directory = self.directory();
        let parent = directory.parent().unwrap_or(&self.cache);
        fs::create_dir_all(parent).map_err(|source| io_error("creating", parent, source))?;
        let work = tempfile::Builder::new()
            .prefix("new-")
            .tempdir_in(parent)
            .map_err(|source| io_error("writing into", parent, source))?;
        make(work.path(), report)?;
        let new = work.path().join("made");
        // Another process may have been faster; what it made is as good.
        match fs::rename(&new, &directory) {
            Ok(()) => {}
            Err(source) => {
                return made(&directory).ok_or_else(|| io_error("writing", &directory, source));
            }
        }
        made(&directory).ok_or_else(|| {
            io_error(
                "reading",
                &directory,
                io::Error::from(io::ErrorKind::NotFound),
            )
        })
    }

    /// Named by everything that the guest is made from.
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
    /// The guest, if it is the one that was asked for. Digests of files are remembered in `seals`.
    fn look(&self, seals: &Path) -> Result<PythonGuest, PythonError> {
        let found = seal::digest(&self.file, seals);
        let found = found.map_err(|source| io_error("reading", &self.file, source))?;
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

/// What an earlier process made. The digest was written down, for the component is large.
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
            .map_err(|source| io_error("writing", path, source))
    };
    for (path, content) in SOURCES {
        write(&work.join("source").join(path), content.as_bytes())?;
    }
    let tool = install(work, report)?;
    report(BuildEvent::Making {
        what: format!("{VERSION} with its standard library"),
    });
    let made = work.join("made");
    fs::create_dir_all(&made).map_err(|source| io_error("creating", &made, source))?;
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
        // The tool would take the packages of the machine's own Python into the guest.
        .env("VIRTUAL_ENV", "/nonexistent")
        .limit(MAKE_LIMIT);
    match steady(work, report) {
        Ok(library) => call = call.env("LD_PRELOAD", library),
        Err(reason) => report(BuildEvent::NotFound {
            reason: format!(
                "{reason}; the order of Python's sets in this guest will be its own, and is the same in each grade"
            ),
        }),
    }
    run(&call)?;
    let bytes = fs::read(&component).map_err(|source| io_error("reading", &component, source))?;
    report(BuildEvent::Componentized {
        source: PathBuf::from(VERSION),
        size: bytes.len() as u64,
    });
    write(
        &made.join(DIGEST),
        Digest::of(&bytes).to_string().as_bytes(),
    )
}

/// Fetches the tool into a directory of its own, and returns the program.
fn install(work: &Path, report: &mut dyn FnMut(BuildEvent)) -> Result<PathBuf, PythonError> {
    report(BuildEvent::Fetching {
        what: format!("{TOOL}, which makes the guest for Python scripts"),
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
    // How this machine reaches the index.
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

/// Makes the library that fixes the seed of Python's hashes, with the compiler of the machine.
fn steady(work: &Path, report: &mut dyn FnMut(BuildEvent)) -> Result<PathBuf, String> {
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
    fn what_was_made_is_found_again() {
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
