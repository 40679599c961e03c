//! Building guests: Rust sources to WebAssembly components without any WASI import.
//!
//! A [`Builder`] finds a compiler for `wasm32-unknown-unknown`, runs cargo once for all packages that can
//! share a run, makes components of the modules and keeps them. Where no input of a guest has changed
//! since it was last built, cargo is not run at all.

mod cargo;
mod children;
mod component;
mod environment;
mod error;
mod event;
mod freshness;
pub(crate) mod process;
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

use crate::GuestSource;
use cargo::{Artifact, Workspace};
use freshness::Compiled;
use process::Call;
use stamp::{Inputs, Stamp};
use toolchain::Toolchain;
use turns::Turn;

pub use children::stop;
pub use component::{ComponentizeError, componentize};
pub use error::{BuildError, Failure};
pub use event::BuildEvent;
pub use toolchain::ToolchainChoice;

/// The target that guests are compiled for: it has no host interface of its own.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// How guests are built.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// Where everything that building makes is kept: cargo's products, components, stamps.
    pub target_dir: PathBuf,
    /// Whether this machine may be changed to get a compiler: a target or a toolchain added with
    /// rustup, Debian packages installed.
    pub allow_install: bool,
    /// Which compilers may be used.
    pub toolchain: ToolchainChoice,
    /// The most packages that are compiled in one turn; then a process that waits for the directory is let in.
    pub packages_per_turn: usize,
}

impl Options {
    /// Any compiler, to be installed where need be.
    pub fn new(target_dir: impl Into<PathBuf>) -> Self {
        Self {
            target_dir: target_dir.into(),
            allow_install: true,
            toolchain: ToolchainChoice::Auto,
            packages_per_turn: turns::packages(),
        }
    }

    /// A program of a toolchain. Rustup's would install the toolchain that a project asks for.
    fn call(&self, program: impl AsRef<OsStr>, dir: &Path) -> Call {
        let call = Call::new(program, dir);
        if self.allow_install {
            call
        } else {
            call.env("RUSTUP_AUTO_INSTALL", "0")
        }
    }
}

/// A guest that is ready to run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Built {
    /// What it was built from.
    pub source: GuestSource,
    /// The files that it was compiled from, sorted: its own, and those of crates that no registry
    /// gave. None for a ready component.
    pub compiled_from: Vec<PathBuf>,
    /// The component.
    pub path: PathBuf,
    /// Digest of the component.
    pub digest: Digest,
    /// Size of the component in bytes.
    pub size: u64,
}

/// Builds guests; remembers the compiler that it found.
#[derive(Debug)]
pub struct Builder {
    options: Options,
    toolchains: HashMap<PathBuf, Toolchain>,
}

impl Builder {
    /// A builder that has looked at nothing yet.
    pub fn new(options: Options) -> Self {
        Self {
            options,
            toolchains: HashMap::new(),
        }
    }

    /// Says which compiler the packages in `dir` would be built with as this machine is now.
    ///
    /// # Errors
    ///
    /// When there is none; nothing is installed.
    pub fn compiler(&self, dir: &Path) -> Result<String, BuildError> {
        let options = Options {
            allow_install: false,
            ..self.options.clone()
        };
        search::find(&mut toolchain::ThisMachine, &options, dir, &mut |_| {})
            .map(|found| found.description)
    }

    /// Builds every guest that is not up to date; the answers stand in the order of the sources.
    ///
    /// Several processes may build into one target directory at once: they take turns, some packages each.
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
            // What cargo does not make, it would not make the next time.
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

    /// Adds the guests that need no compiler: ready components, and those whose stamp still holds.
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
                    // Something changed while cargo ran: the next build asks cargo again.
                    None => Stamp::forget(&self.stamps(), &artifact.source, &inputs)?,
                }
                done.insert(guest, built.of(guest, compiled_from));
            }
        }
        Ok(())
    }

    /// The component of an artifact, made anew only where its module is new.
    fn keep(
        &self,
        artifact: &Artifact,
        report: &mut dyn FnMut(BuildEvent),
    ) -> Result<component::Stored, BuildError> {
        let core = fs::read(&artifact.module)
            .map_err(|error| BuildError::io("reading", &artifact.module, error))?;
        let (stored, new) = component::store(&core, &artifact.source, &self.components())?;
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

/// The guests of the first packages, and ready ones.
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

/// The events of all turns as those of one.
#[derive(Debug, Default)]
struct Overall {
    /// Guests, and packages, that were to be built at the beginning.
    guests: usize,
    packages: usize,
    /// Guests that earlier turns made.
    before: usize,
    is_compiling: bool,
}

impl Overall {
    /// Begins a turn in which these are not built yet.
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

    /// An event of a turn as one of all; none where it was told before.
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
