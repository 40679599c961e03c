//! Compilation of guests with cargo: workspaces, targets, flags, and cargo's messages.
//!
//! The output of cargo is parsed with the types of this module instead of the crate `cargo_metadata`. They contain only
//! the fields that a build needs. The crate also parses all other fields, such as requirements of versions and
//! platforms, so a package could fail because of a value that does not matter here. Its type of a dependency drops the
//! keys that it does not know, such as `artifact`, so packages with different dependencies could have equal signatures
//! ([`Package::signature`]) and share a run. It would also add `camino`, `cargo-platform` and the feature
//! `unbounded_depth` of `serde_json`.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use mcpmark_snapshot::Digest;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::component::write_atomically;
use super::freshness::Member;
use super::process::{Call, Finished, Line};
use super::toolchain::{Kind, Toolchain};
use super::{BuildError, BuildEvent, Failure, Options, TARGET, environment};

/// Script that cargo runs instead of rustc (`RUSTC_WRAPPER`).
pub(crate) const WRAPPER: &str = include_str!("rustc.sh");

/// Compiler flags for every crate of a guest. They affect the bytes of components.
///
/// The memory layout affects the cost of a grade. The default stack of 1 MiB would be zeroed after each grade, and
/// every page that a guest allocates beyond its initial memory changes the address space of the host process, which all
/// threads share. With these flags, a check over 100 KB needs no more than the initial memory of twelve pages, four of
/// which are the stack.
pub(crate) const FLAGS: &[&str] = &[
    "-Cdebuginfo=0",
    "-Cstrip=symbols",
    "-Clink-arg=-zstack-size=262144",
    "-Clink-arg=--initial-heap=458752",
];

/// Packages of one cargo workspace, and the guests to build from it.
#[derive(Debug)]
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    packages: Vec<Package>,
    /// Source files of the requested guests: canonical path to path as requested.
    wanted: BTreeMap<PathBuf, PathBuf>,
    /// Indices into `packages` by [`Package::signature`]. The packages of a group are compiled in one run of cargo.
    groups: BTreeMap<String, BTreeSet<usize>>,
}

/// WebAssembly module that cargo compiled for a guest.
#[derive(Debug, Clone)]
pub(crate) struct Artifact {
    /// Source file, as requested.
    pub(crate) source: PathBuf,
    pub(crate) package_dir: PathBuf,
    pub(crate) module: PathBuf,
}

#[derive(Debug, Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_root: PathBuf,
}

#[derive(Debug, Deserialize)]
struct Package {
    id: String,
    name: String,
    manifest_path: PathBuf,
    dependencies: Vec<Value>,
    features: Map<String, Value>,
    targets: Vec<Target>,
}

#[derive(Debug, Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
    crate_types: Vec<String>,
    src_path: PathBuf,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "reason")]
enum Message {
    #[serde(rename = "compiler-artifact")]
    Artifact {
        target: Target,
        filenames: Vec<PathBuf>,
    },
    #[serde(rename = "compiler-message")]
    Diagnostic {
        package_id: String,
        message: Diagnostic,
    },
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
struct Diagnostic {
    level: String,
    rendered: Option<String>,
}

impl Workspace {
    /// Finds the workspace of the package in `package_dir` with `cargo metadata`.
    pub(crate) fn of(package_dir: &Path, options: &Options) -> Result<Self, BuildError> {
        let manifest = package_dir.join("Cargo.toml");
        let finished = options
            .call("cargo", package_dir)
            .args([
                "metadata",
                "--no-deps",
                "--format-version=1",
                "--color=never",
                "--manifest-path",
            ])
            .args([&manifest])
            .run(&mut |_| {})?;
        let refused = |reason: String| BuildError::Package {
            package_dir: package_dir.to_owned(),
            reason,
        };
        if !finished.success {
            return Err(refused(
                finished
                    .stderr
                    .trim()
                    .trim_start_matches("error: ")
                    .to_owned(),
            ));
        }
        let metadata: Metadata = serde_json::from_str(&finished.stdout)
            .map_err(|error| refused(format!("cannot parse its metadata: {error}")))?;
        let workspace = Self {
            root: metadata.workspace_root,
            packages: metadata.packages,
            wanted: BTreeMap::new(),
            groups: BTreeMap::new(),
        };
        if workspace.has(package_dir) {
            Ok(workspace)
        } else {
            Err(refused(format!(
                "it is not a member of the workspace {}",
                workspace.root.display()
            )))
        }
    }

    /// Reports whether the package in the directory is a member.
    pub(crate) fn has(&self, package_dir: &Path) -> bool {
        self.position(package_dir).is_some()
    }

    /// Returns all members.
    pub(crate) fn members(&self) -> impl Iterator<Item = Member<'_>> {
        self.packages.iter().map(|package| Member {
            package: &package.name,
            targets: package.targets.iter().map(|it| &*it.name).collect(),
        })
    }

    fn position(&self, package_dir: &Path) -> Option<usize> {
        let manifest = canonical(&package_dir.join("Cargo.toml"));
        self.packages
            .iter()
            .position(|package| canonical(&package.manifest_path) == manifest)
    }

    /// Requests a guest for the next [`build`](Self::build).
    pub(crate) fn want(&mut self, source: &Path, package_dir: &Path) -> Result<(), BuildError> {
        let missing = || BuildError::NoTarget {
            source_file: source.to_owned(),
            manifest: package_dir.join("Cargo.toml"),
        };
        let index = self.position(package_dir).ok_or_else(missing)?;
        let package = &self.packages[index];
        // Cargo would fail for all guests of the package, with an error that resembles an unreachable registry.
        let is_gone = |target: &&Target| target.is_guest() && !target.src_path.exists();
        if let Some(target) = package.targets.iter().find(is_gone) {
            return Err(BuildError::Package {
                package_dir: package_dir.to_owned(),
                reason: format!(
                    "Cargo.toml names {}, which does not exist; add it or remove its target",
                    target.src_path.display()
                ),
            });
        }
        let wanted = canonical(source);
        if !package
            .targets
            .iter()
            .any(|target| target.is_guest() && canonical(&target.src_path) == wanted)
        {
            return Err(missing());
        }
        self.groups
            .entry(package.signature())
            .or_default()
            .insert(index);
        self.wanted.insert(wanted, source.to_owned());
        Ok(())
    }

    /// Compiles the requested guests. Returns them, and the paths of all modules that cargo compiled.
    ///
    /// Cargo unifies the features that the packages of one run request of a shared dependency, so the bytes of a guest
    /// could depend on the other guests of the run. Therefore only packages that request the same features share a run.
    pub(crate) fn build(
        &self,
        toolchain: &Toolchain,
        options: &Options,
        report: &mut dyn FnMut(BuildEvent),
    ) -> Result<(Vec<Artifact>, Vec<PathBuf>), BuildError> {
        let (mut artifacts, mut modules) = (Vec::new(), Vec::new());
        for group in self.groups.values() {
            let packages: Vec<&Package> =
                group.iter().map(|index| &self.packages[*index]).collect();
            artifacts.extend(self.run(&packages, toolchain, options, &mut modules, report)?);
        }
        Ok((artifacts, modules))
    }

    fn run(
        &self,
        packages: &[&Package],
        toolchain: &Toolchain,
        options: &Options,
        modules: &mut Vec<PathBuf>,
        report: &mut dyn FnMut(BuildEvent),
    ) -> Result<Vec<Artifact>, BuildError> {
        let mut names: Vec<String> = packages
            .iter()
            .map(|package| package.name.clone())
            .collect();
        names.sort();
        report(BuildEvent::Asking { packages: names });
        let call = self.call(packages, toolchain, options)?;
        let total = self.wanted_of(packages);
        let mut compiled = BTreeSet::new();
        let mut compiling = false;
        let finished = call.run(&mut |line| {
            let line = match line {
                Line::Err(line) => line.trim_end(),
                Line::Out(line) => {
                    if let Some(source) = self.compiled(line)
                        && compiled.insert(source)
                    {
                        let guests = compiled.len();
                        report(BuildEvent::Compiled { guests, total });
                    }
                    return;
                }
            };
            if !compiling && line.trim_start().starts_with("Compiling ") {
                compiling = true;
                report(BuildEvent::Compiling {
                    packages: packages.len(),
                    compiler: toolchain.description.clone(),
                });
            }
            report(BuildEvent::Cargo {
                line: line.to_owned(),
            })
        })?;

        let mut artifacts = Vec::new();
        let mut failures: Vec<Failure> = Vec::new();
        for line in finished.stdout.lines() {
            match serde_json::from_str(line) {
                Ok(Message::Artifact { target, filenames }) => {
                    let source = self.wanted.get(&canonical(&target.src_path));
                    let module = filenames
                        .into_iter()
                        .find(|file| file.extension().is_some_and(|kind| kind == "wasm"));
                    modules.extend(module.clone());
                    let package_dir = packages
                        .iter()
                        .find_map(|package| package.dir_of(&target.src_path));
                    if let (Some(source), Some(module), Some(package_dir)) =
                        (source, module, package_dir)
                    {
                        artifacts.push(Artifact {
                            source: source.clone(),
                            package_dir,
                            module,
                        });
                    }
                }
                Ok(Message::Diagnostic {
                    package_id,
                    message,
                }) => {
                    let package = packages.iter().find(|package| package.id == package_id);
                    // A package that is not in this run is a dependency; its id contains its name.
                    let package =
                        package.map_or_else(|| package_id.clone(), |package| package.name.clone());
                    let rendered = message.rendered.unwrap_or_default();
                    match message.level.as_str() {
                        "error" | "error: internal compiler error" => {
                            add(&mut failures, package, &rendered)
                        }
                        "warning" => report(BuildEvent::Warning { package, rendered }),
                        _ => {}
                    }
                }
                // Other lines are not messages of cargo, but output of a build script or macro.
                Ok(Message::Other) | Err(_) => {}
            }
        }
        if !failures.is_empty() {
            return Err(BuildError::Compile { failures });
        }
        if !finished.success {
            return Err(BuildError::Cargo {
                reason: reason(&finished),
            });
        }
        Ok(artifacts)
    }

    /// Returns the number of requested guests in the packages.
    fn wanted_of(&self, packages: &[&Package]) -> usize {
        let targets = packages.iter().flat_map(|package| &package.targets);
        let sources: BTreeSet<_> = targets.map(|target| canonical(&target.src_path)).collect();
        let wanted = |source: &&PathBuf| self.wanted.contains_key(*source);
        sources.iter().filter(wanted).count()
    }

    /// Returns the source file of the requested guest if the line is cargo's message that it is compiled.
    fn compiled(&self, line: &str) -> Option<PathBuf> {
        match serde_json::from_str(line) {
            Ok(Message::Artifact { target, .. }) => {
                let source = canonical(&target.src_path);
                self.wanted.contains_key(&source).then_some(source)
            }
            _ => None,
        }
    }

    /// Returns the arguments of cargo that select the targets to compile: those of the requested guests.
    ///
    /// Cargo considers dev-dependencies only if it compiles examples, and they could change the features of other
    /// dependencies. If there are any, all targets are compiled, so that the bytes of a guest do not depend on which
    /// other guests are requested.
    fn selected(&self, packages: &[&Package]) -> Vec<String> {
        let needs_all = packages
            .iter()
            .any(|package| package.has_dev_dependencies());
        let targets = packages.iter().flat_map(|package| &package.targets);
        let (examples, libraries): (Vec<_>, Vec<_>) = targets
            .filter(|target| target.is_guest())
            .filter(|target| needs_all || self.wanted.contains_key(&canonical(&target.src_path)))
            .partition(|target| target.is_example());
        let mut selected = Vec::new();
        if !libraries.is_empty() {
            selected.push("--lib".to_owned());
        }
        if needs_all && !examples.is_empty() {
            selected.push("--examples".to_owned());
        } else {
            let named = examples
                .iter()
                .map(|target| format!("--example={}", target.name));
            selected.extend(named);
        }
        selected
    }

    fn call(
        &self,
        packages: &[&Package],
        toolchain: &Toolchain,
        options: &Options,
    ) -> Result<Call, BuildError> {
        let own_dir = own_dir(toolchain, options)?;
        let wrapper = own_dir.join("rustc.sh");
        if fs::read_to_string(&wrapper).ok().as_deref() != Some(WRAPPER) {
            write_atomically(&wrapper, WRAPPER.as_bytes())?;
        }
        fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755))
            .map_err(|error| BuildError::io("set the permissions of", &wrapper, error))?;
        let mut flags: Vec<OsString> = FLAGS.iter().map(OsString::from).collect();
        if let Some(linker) = &toolchain.linker {
            let mut flag = OsString::from("-Clinker=");
            flag.push(linker);
            flags.push(flag);
        }
        let mut call = options
            .call("cargo", &self.root)
            .args([
                "build",
                "--release",
                "--keep-going",
                "--color=never",
                "--message-format=json",
                "--target",
                TARGET,
            ])
            // A configuration of cargo may move fingerprints to another directory.
            .env("CARGO_BUILD_BUILD_DIR", &own_dir)
            .args([OsString::from("--target-dir"), own_dir.into_os_string()])
            .env("RUSTC_WRAPPER", &wrapper)
            .env(
                "CARGO_ENCODED_RUSTFLAGS",
                flags.join(&OsString::from("\x1f")),
            )
            .env("CARGO_INCREMENTAL", "0")
            // Cargo's progress output shows whether it compiles anything.
            .env("CARGO_TERM_QUIET", "false")
            .env("MCPMARK_LIBRARY_SOURCE", &toolchain.library_source)
            .env("MCPMARK_RUSTC_COMMIT", &toolchain.commit)
            .env(
                "MCPMARK_CARGO_HOME",
                environment::cargo_home().unwrap_or_default(),
            );
        call = call.args(self.selected(packages));
        for package in packages {
            call = call.args(["--package", &package.id]);
        }
        if toolchain.kind == Kind::Debian {
            // `RUSTC_BOOTSTRAP` permits cargo's own `-Z` flag, and unstable features when rustc builds the standard
            // library.
            call = call
                .args(["-Zbuild-std=std,panic_abort"])
                .env("RUSTC", "/usr/bin/rustc")
                .env("RUSTC_BOOTSTRAP", "1");
        }
        Ok(call)
    }
}

/// Returns the target directory of cargo for a toolchain and the current wrapper. Cargo does not recompile when the
/// wrapper changes, so each version of the wrapper has a separate directory.
pub(crate) fn own_dir(toolchain: &Toolchain, options: &Options) -> Result<PathBuf, BuildError> {
    let wrapped = &Digest::of(WRAPPER.as_bytes()).hex()[..8];
    let dir = options
        .target_dir
        .join(format!("{}-{wrapped}", toolchain.kind.as_str()));
    std::path::absolute(&dir).map_err(|error| BuildError::io("resolve", &dir, error))
}

impl Package {
    /// Returns the dependencies and features of the package as canonical JSON. Packages with equal signatures request
    /// the same features of others.
    fn signature(&self) -> String {
        mcpmark_json::canonical(
            &json!({ "dependencies": self.dependencies, "features": self.features }),
        )
    }

    fn has_dev_dependencies(&self) -> bool {
        self.dependencies.iter().any(|it| it["kind"] == "dev")
    }

    fn dir_of(&self, source: &Path) -> Option<PathBuf> {
        let own = self.targets.iter().any(|target| target.src_path == source);
        own.then(|| self.manifest_path.parent().map(Path::to_owned))
            .flatten()
    }
}

impl Target {
    fn is_guest(&self) -> bool {
        self.crate_types.iter().any(|kind| kind == "cdylib")
    }

    fn is_example(&self) -> bool {
        self.kind.iter().any(|kind| kind == "example")
    }
}

fn add(failures: &mut Vec<Failure>, package: String, rendered: &str) {
    match failures
        .iter_mut()
        .find(|failure| failure.package == package)
    {
        Some(failure) => failure.diagnostics.push_str(rendered),
        None => failures.push(Failure {
            package,
            diagnostics: rendered.to_owned(),
        }),
    }
}

/// Returns cargo's error output from the first error on, without the progress before it.
fn reason(finished: &Finished) -> String {
    let start = finished.stderr.find("error").unwrap_or(0);
    finished.stderr[start..]
        .trim()
        .trim_start_matches("error: ")
        .to_owned()
}

/// Returns the canonical path, or the path unchanged if it does not exist.
fn canonical(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}
