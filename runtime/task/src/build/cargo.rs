use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use mcpmark_snapshot::Digest;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::component::write_atomically;
use super::process::{Call, Finished, Line};
use super::toolchain::{Kind, Toolchain};
use super::{BuildError, BuildEvent, Failure, Options, TARGET, environment};

/// Cargo starts this in place of rustc.
pub(crate) const WRAPPER: &str = include_str!("rustc.sh");

/// Flags for every crate of a guest. They decide the bytes of components.
///
/// The layout of memory decides what a grade costs: a stack of the usual megabyte would be
/// zeroed after each, and every page that a guest asks for beyond the first ones changes the
/// address space of the host, which its threads share. With these, a check over 100 KB stays
/// inside of what it begins with: twelve pages, four of them for the stack.
pub(crate) const FLAGS: &[&str] = &[
    "-Cdebuginfo=0",
    "-Cstrip=symbols",
    "-Clink-arg=-zstack-size=262144",
    "-Clink-arg=--initial-heap=458752",
];

/// The packages of one cargo workspace and the guests wanted from it.
#[derive(Debug)]
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    packages: Vec<Package>,
    /// Source as asked for, by its canonical path.
    wanted: BTreeMap<PathBuf, PathBuf>,
    /// Indices into `packages`, in groups that share a run of cargo.
    groups: BTreeMap<String, BTreeSet<usize>>,
}

/// A module that cargo made for a guest.
#[derive(Debug, Clone)]
pub(crate) struct Artifact {
    /// The source as it was asked for.
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
    /// The workspace that the package in `package_dir` belongs to.
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
            .map_err(|error| refused(format!("its metadata is unreadable: {error}")))?;
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
                "it is no member of the workspace {}",
                workspace.root.display()
            )))
        }
    }

    /// Whether the package in the directory is a member.
    pub(crate) fn has(&self, package_dir: &Path) -> bool {
        self.position(package_dir).is_some()
    }

    fn position(&self, package_dir: &Path) -> Option<usize> {
        let manifest = canonical(&package_dir.join("Cargo.toml"));
        self.packages
            .iter()
            .position(|package| canonical(&package.manifest_path) == manifest)
    }

    /// Adds a guest to what the next run makes.
    pub(crate) fn want(&mut self, source: &Path, package_dir: &Path) -> Result<(), BuildError> {
        let missing = || BuildError::NoTarget {
            source_file: source.to_owned(),
            manifest: package_dir.join("Cargo.toml"),
        };
        let index = self.position(package_dir).ok_or_else(missing)?;
        let package = &self.packages[index];
        // Cargo would fail for all guests of the package, as it does where a registry cannot be reached.
        let is_gone = |target: &&Target| target.is_guest() && !target.src_path.exists();
        if let Some(target) = package.targets.iter().find(is_gone) {
            return Err(BuildError::Package {
                package_dir: package_dir.to_owned(),
                reason: format!(
                    "Cargo.toml names {}, which is not there; add it or remove its target",
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

    /// Compiles the wanted guests; gives them, and all modules that cargo made.
    ///
    /// Cargo unites the features that the packages of one run ask of a shared dependency, so a guest could
    /// come out differently beside others than alone. Only packages that ask for the same share a run.
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
                    // What cargo names in no run of ours is a dependency: its name is in the id.
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
                // Anything else is no message of cargo's: a build script or macro that prints.
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

    /// How many wanted guests the packages have.
    fn wanted_of(&self, packages: &[&Package]) -> usize {
        let targets = packages.iter().flat_map(|package| &package.targets);
        let sources: BTreeSet<_> = targets.map(|target| canonical(&target.src_path)).collect();
        let wanted = |source: &&PathBuf| self.wanted.contains_key(*source);
        sources.iter().filter(wanted).count()
    }

    /// The source of the wanted guest that a message of cargo's is about, once it is compiled.
    fn compiled(&self, line: &str) -> Option<PathBuf> {
        match serde_json::from_str(line) {
            Ok(Message::Artifact { target, .. }) => {
                let source = canonical(&target.src_path);
                self.wanted.contains_key(&source).then_some(source)
            }
            _ => None,
        }
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
            .map_err(|error| BuildError::io("making executable", &wrapper, error))?;
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
            .args([OsString::from("--target-dir"), own_dir.into_os_string()])
            .env("RUSTC_WRAPPER", &wrapper)
            .env(
                "CARGO_ENCODED_RUSTFLAGS",
                flags.join(&OsString::from("\x1f")),
            )
            .env("CARGO_INCREMENTAL", "0")
            // What it says tells whether it compiles anything.
            .env("CARGO_TERM_QUIET", "false")
            .env("MCPMARK_LIBRARY_SOURCE", &toolchain.library_source)
            .env("MCPMARK_RUSTC_COMMIT", &toolchain.commit)
            .env(
                "MCPMARK_CARGO_HOME",
                environment::cargo_home().unwrap_or_default(),
            );
        if packages.iter().any(|package| {
            package
                .targets
                .iter()
                .any(|target| target.is_guest() && !target.is_example())
        }) {
            call = call.args(["--lib"]);
        }
        if packages
            .iter()
            .any(|package| package.targets.iter().any(Target::is_example))
        {
            call = call.args(["--examples"]);
        }
        for package in packages {
            call = call.args(["--package", &package.id]);
        }
        if toolchain.kind == Kind::Debian {
            // Cargo needs the variable for its own `-Z`; rustc to build its standard library.
            call = call
                .args(["-Zbuild-std=std,panic_abort"])
                .env("RUSTC", "/usr/bin/rustc")
                .env("RUSTC_BOOTSTRAP", "1");
        }
        Ok(call)
    }
}

/// Where cargo builds with this toolchain: it does not compile again for another wrapper, so each
/// has a directory of its own.
pub(crate) fn own_dir(toolchain: &Toolchain, options: &Options) -> Result<PathBuf, BuildError> {
    let wrapped = &Digest::of(WRAPPER.as_bytes()).hex()[..8];
    let dir = options
        .target_dir
        .join(format!("{}-{wrapped}", toolchain.kind.as_str()));
    std::path::absolute(&dir).map_err(|error| BuildError::io("resolving", &dir, error))
}

impl Package {
    /// All that the package says about features of others, so that equal signatures ask for the same.
    fn signature(&self) -> String {
        mcpmark_json::canonical(
            &json!({ "dependencies": self.dependencies, "features": self.features }),
        )
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

/// What cargo said, from its first error on, without progress.
fn reason(finished: &Finished) -> String {
    let start = finished.stderr.find("error").unwrap_or(0);
    finished.stderr[start..]
        .trim()
        .trim_start_matches("error: ")
        .to_owned()
}

/// The path without symlinks, or as it is where nothing is there.
fn canonical(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}
