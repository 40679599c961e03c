//! Building guests: from Rust sources to WebAssembly components without WASI imports.
//!
//! A [`Builder`] finds a compiler for `wasm32-unknown-unknown`, runs cargo once for all packages that can share a run,
//! converts the modules to components, and caches them. If no input of a guest has changed since its last build, cargo
//! is not run. [`python`] builds the interpreter for verifiers that are Python scripts.
//!
//! ```no_run
//! use mcpmark_build::{Builder, Options};
//! use mcpmark_task::Library;
//!
//! let library = Library::discover(std::path::Path::new("."))?;
//! let tasks = library.tasks()?.select(&["filesystem".parse()?], &[], &[])?;
//! let mut builder = Builder::new(Options::new(library.guests_dir("/var/cache/mcpmark".as_ref())));
//! for task in &tasks {
//!     let built = builder.build(&[task.verifier.clone()], &mut |event| log(&event.to_string()))?;
//!     log(&format!("{} is judged by {}", task.id, built[0].digest));
//! }
//! # fn log(_: &str) {}
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod adapter;
mod cargo;
mod children;
mod component;
mod environment;
mod error;
mod event;
mod freshness;
mod process;
pub mod python;
mod search;
mod stamp;
mod toolchain;
mod turns;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use mcpmark_snapshot::Digest;
use mcpmark_task::GuestSource;

use cargo::{Artifact, Workspace};
use freshness::Compiled;
use process::Call;
use stamp::{Inputs, Stamp};
use toolchain::Toolchain;
use turns::Turn;

pub use adapter::adapt;
pub use children::stop;
pub use component::{ComponentizeError, componentize};
pub use error::{BuildError, Failure};
pub use event::BuildEvent;
pub use toolchain::ToolchainChoice;

/// Compilation target of guests. It has no host interface of its own.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// Options of a build.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// Directory for all build products: cargo's target directories, components and stamps.
    pub target_dir: PathBuf,
    /// Permission to change this machine to obtain a compiler: to add a target or toolchain with rustup, or to install
    /// Debian packages.
    pub allow_install: bool,
    /// Compilers that may be used.
    pub toolchain: ToolchainChoice,
    /// Maximum number of packages compiled in one turn. After it, other processes that wait for the directory can
    /// build.
    pub packages_per_turn: usize,
}

impl Options {
    /// Creates options that permit any compiler and its installation.
    pub fn new(target_dir: impl Into<PathBuf>) -> Self {
        Self {
            target_dir: target_dir.into(),
            allow_install: true,
            toolchain: ToolchainChoice::Auto,
            packages_per_turn: turns::packages(),
        }
    }

    /// Creates a call of a program of the toolchain. Without permission to install, rustup must not install the
    /// toolchain that a project's `rust-toolchain.toml` requests.
    fn call(&self, program: impl AsRef<OsStr>, dir: &Path) -> Call {
        let call = Call::new(program, dir);
        if self.allow_install {
            call
        } else {
            call.env("RUSTUP_AUTO_INSTALL", "0")
        }
    }
}

/// Guest that is ready to run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Built {
    /// Source of the guest.
    pub source: GuestSource,
    /// Source files that it was compiled from, sorted: its own, and those of crates outside of registries. Empty for a
    /// prebuilt component.
    pub compiled_from: Vec<PathBuf>,
    /// Path of the component.
    pub path: PathBuf,
    /// Digest of the component.
    pub digest: Digest,
    /// Size of the component, in bytes.
    pub size: u64,
}

/// Builder of guests. It remembers the compilers that it found.
#[derive(Debug)]
pub struct Builder {
    options: Options,
    toolchains: HashMap<PathBuf, Toolchain>,
}

impl Builder {
    /// Creates a builder. Does not access the file system.
    pub fn new(options: Options) -> Self {
        Self {
            options,
            toolchains: HashMap::new(),
        }
    }

    /// Describes the compiler that would currently be used for packages in `dir`. Installs nothing.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no compiler.
    pub fn compiler(&self, dir: &Path) -> Result<String, BuildError> {
        let options = Options {
            allow_install: false,
            ..self.options.clone()
        };
        search::find(&mut toolchain::ThisMachine, &options, dir, &mut |_| {})
            .map(|found| found.description)
    }

    /// Builds every guest that is not up to date. The results are in the order of the sources; sources for which cargo
    /// produced no module are missing.
    ///
    /// Several processes may build into one target directory concurrently: they take turns, with a limited number of
    /// packages per turn.
    ///
    /// # Errors
    ///
    /// Returns an error if a verifier is held back, there is no compiler, or a guest cannot be built.
    pub fn build(
        &mut self,
        sources: &[GuestSource],
        report: &mut dyn FnMut(BuildEvent),
    ) -> Result<Vec<Built>, BuildError> {
        let mut done = BTreeMap::new();
        self.take_current(sources, &mut done)?;
        let mut progress = Overall::default();
        while done.len() < sources.len() {
            let target_dir = self.options.target_dir.clone();
            let mut turn = Turn::take(&target_dir, report)?;
            self.take_current(sources, &mut done)?;
            let missing = sources.iter().filter(|source| !done.contains_key(source));
            let missing: BTreeSet<&GuestSource> = missing.collect();
            let some = some_packages(&missing, self.options.packages_per_turn);
            progress.begin(&missing);
            let before = done.len();
            self.compile(&some, &mut done, &mut |event| {
                let Some(event) = progress.of_all(event) else {
                    return;
                };
                if let BuildEvent::Compiled { .. } = &event {
                    turn.tell(&target_dir, &event.to_string());
                }
                report(event);
            })?;
            drop(turn);
            // If a turn built nothing, the next one would not either.
            if some.len() == missing.len() || done.len() == before {
                break;
            }
            turns::pause();
        }
        Ok(sources
            .iter()
            .filter_map(|source| done.get(source).cloned())
            .collect())
    }

    /// Adds the guests that need no compilation: prebuilt components, and guests whose stamp is current.
    fn take_current<'a>(
        &self,
        sources: &'a [GuestSource],
        done: &mut BTreeMap<&'a GuestSource, Built>,
    ) -> Result<(), BuildError> {
        let mut inputs = Inputs::now();
        for source in sources {
            if done.contains_key(source) {
                continue;
            }
            let built = match source {
                GuestSource::HeldBack { place, verifier } => {
                    return Err(BuildError::HeldBack {
                        task_dir: place.parent().unwrap_or(place).to_owned(),
                        digest: verifier.verifier,
                    });
                }
                GuestSource::Wasm(path) => {
                    Some((component::ready(path, &self.components())?, Vec::new()))
                }
                GuestSource::Rust { source, .. } => Stamp::read(&self.stamps(), source, &inputs)
                    .and_then(|stamp| {
                        let component = stamp.current(self.options.toolchain, &mut inputs)?;
                        Some((component, stamp.sources()))
                    }),
            };
            if let Some((component, compiled_from)) = built {
                done.insert(source, component.of(source, compiled_from));
            }
        }
        Ok(())
    }

    fn compile<'a>(
        &mut self,
        sources: &[&'a GuestSource],
        done: &mut BTreeMap<&'a GuestSource, Built>,
        report: &mut dyn FnMut(BuildEvent),
    ) -> Result<(), BuildError> {
        let mut workspaces: Vec<Workspace> = Vec::new();
        for source in sources {
            let GuestSource::Rust {
                source,
                package_dir,
            } = source
            else {
                continue;
            };
            let known = workspaces
                .iter()
                .position(|workspace| workspace.has(package_dir));
            let index = match known {
                Some(index) => index,
                None => {
                    workspaces.push(Workspace::of(package_dir, &self.options)?);
                    workspaces.len() - 1
                }
            };
            workspaces[index].want(source, package_dir)?;
        }
        for workspace in workspaces {
            let toolchain = self.toolchain(&workspace.root, report)?;
            let cargo_dir = cargo::own_dir(&toolchain, &self.options)?;
            let mut compiled = Compiled::read(&cargo_dir);
            compiled.claim(&workspace.root, workspace.members(), &cargo_dir)?;
            compiled.show_changes(&mut Inputs::now())?;
            let began = SystemTime::now();
            let made = workspace.build(&toolchain, &self.options, report);
            let mut inputs = Inputs::now();
            match &made {
                Ok((_, modules)) => compiled.note(modules, began, &mut inputs),
                Err(_) => compiled.doubt(&mut inputs),
            }
            compiled.write(&cargo_dir)?;
            let (artifacts, _) = made?;
            for artifact in artifacts {
                let Some(guest) = sources.iter().find(|guest| guest.path() == artifact.source)
                else {
                    continue;
                };
                let built = self.keep(&artifact, report)?;
                let stamp = Stamp::new(
                    &artifact,
                    &workspace.root,
                    &toolchain,
                    &built,
                    began,
                    &mut inputs,
                );
                let compiled_from = stamp::compiled_from(&artifact.module);
                match stamp {
                    Some(stamp) => stamp.write(&self.stamps())?,
                    // An input changed during the run of cargo, so the next build must run cargo again.
                    None => Stamp::forget(&self.stamps(), &artifact.source, &inputs)?,
                }
                done.insert(guest, built.of(guest, compiled_from));
            }
        }
        Ok(())
    }

    /// Returns the component of an artifact. Converts the module only if it is new.
    fn keep(
        &self,
        artifact: &Artifact,
        report: &mut dyn FnMut(BuildEvent),
    ) -> Result<component::Stored, BuildError> {
        let core = fs::read(&artifact.module)
            .map_err(|error| BuildError::io("read", &artifact.module, error))?;
        let (stored, new) = component::store(&core, None, &artifact.source, &self.components())?;
        if new {
            report(BuildEvent::Componentized {
                source: artifact.source.clone(),
                size: stored.size,
            });
        }
        Ok(stored)
    }

    fn toolchain(
        &mut self,
        dir: &Path,
        report: &mut dyn FnMut(BuildEvent),
    ) -> Result<Toolchain, BuildError> {
        if let Some(found) = self.toolchains.get(dir) {
            return Ok(found.clone());
        }
        let mut machine = toolchain::ThisMachine;
        let found = search::find(&mut machine, &self.options, dir, report)?;
        self.toolchains.insert(dir.to_owned(), found.clone());
        Ok(found)
    }

    fn components(&self) -> PathBuf {
        self.options.target_dir.join("components")
    }

    fn stamps(&self) -> PathBuf {
        self.options.target_dir.join("stamps")
    }
}

/// Selects the guests of at most `most` packages, and all prebuilt ones.
fn some_packages<'a>(guests: &BTreeSet<&'a GuestSource>, most: usize) -> Vec<&'a GuestSource> {
    let mut packages = BTreeSet::new();
    let chosen = guests.iter().filter(|guest| match guest {
        GuestSource::Rust { package_dir, .. } => {
            packages.contains(package_dir)
                || packages.len() < most && packages.insert(package_dir.clone())
        }
        GuestSource::Wasm(_) | GuestSource::HeldBack { .. } => true,
    });
    chosen.copied().collect()
}

/// Progress over all turns of a build.
#[derive(Debug, Default)]
struct Overall {
    /// Number of guests, and of packages, to build when the first turn began.
    guests: usize,
    packages: usize,
    /// Number of guests built in earlier turns.
    before: usize,
    is_compiling: bool,
}

impl Overall {
    /// Begins a turn; `missing` are the guests that are not built yet.
    fn begin(&mut self, missing: &BTreeSet<&GuestSource>) {
        if self.guests == 0 {
            let packages: BTreeSet<_> = missing
                .iter()
                .filter_map(|guest| match guest {
                    GuestSource::Rust { package_dir, .. } => Some(package_dir),
                    GuestSource::Wasm(_) | GuestSource::HeldBack { .. } => None,
                })
                .collect();
            (self.guests, self.packages) = (missing.len(), packages.len());
        }
        self.before = self.guests.saturating_sub(missing.len());
    }

    /// Converts an event of a turn to one of the whole build. Returns `None` if it was already reported.
    fn of_all(&mut self, event: BuildEvent) -> Option<BuildEvent> {
        match event {
            BuildEvent::Compiling { compiler, .. } => {
                let is_first = !std::mem::replace(&mut self.is_compiling, true);
                is_first.then_some(BuildEvent::Compiling {
                    packages: self.packages,
                    compiler,
                })
            }
            BuildEvent::Compiled { guests, .. } => Some(BuildEvent::Compiled {
                guests: self.before + guests,
                total: self.guests,
            }),
            event => Some(event),
        }
    }
}
