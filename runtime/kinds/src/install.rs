//! Installation of the programs that a service needs beside this one.

use std::fmt;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Map, Value, json};

/// Lock file of npm.
const LOCK_FILE: &str = "package-lock.json";

/// Program that is not installed, with the packages that contain it.
#[derive(Debug, Clone)]
pub struct Requirement {
    /// Name of the program, such as `Chromium`.
    pub name: &'static str,
    /// Whether the service works without the program, with a limitation.
    pub is_optional: bool,
    /// Debian packages with the program.
    pub debian: &'static [&'static str],
    /// Packages of npm with the program. They are used where Debian packages cannot be installed.
    pub npm: Option<NpmPackages>,
    /// Variable that names the place of the program, if it is set. Nothing is installed then.
    pub chosen_by: Option<&'static str>,
}

/// Packages of npm for one directory.
#[derive(Debug, Clone)]
pub struct NpmPackages {
    /// Directory of `node_modules`.
    pub dir: PathBuf,
    /// All packages, also those that the first one needs.
    pub packages: &'static [NpmPackage],
    /// JSON file in a package with the symbolic links that its installation script would create. No script runs.
    pub links: Option<&'static str>,
}

/// Package of npm that is pinned by its digest.
#[derive(Debug, Clone, Copy)]
pub struct NpmPackage {
    /// Name.
    pub name: &'static str,
    /// Exact version.
    pub version: &'static str,
    /// Digest in the form of npm: `sha512-` and base64.
    pub integrity: &'static str,
}

/// Facts about a machine that decide how programs are installed.
#[derive(Debug, Clone, Copy)]
pub struct Machine {
    /// Whether `apt-get` is on the path.
    pub has_apt: bool,
    /// Whether the user is root.
    pub is_root: bool,
    /// Whether `node` and `npm` are on the path.
    pub has_npm: bool,
}

impl Machine {
    /// Returns the facts about this machine. `is_root` tells whether the user is root.
    pub fn of_this(is_root: bool) -> Self {
        Self {
            has_apt: on_path("apt-get"),
            is_root,
            has_npm: on_path("node") && on_path("npm"),
        }
    }
}

/// Returns the name of a variable of the environment that is set.
pub(crate) fn is_set(variable: &'static str) -> Option<&'static str> {
    let value = std::env::var_os(variable);
    value
        .is_some_and(|value| !value.is_empty())
        .then_some(variable)
}

fn on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(program).is_file())
}

/// Step of an installation. Its display is the command, or describes it.
#[derive(Debug, Clone)]
pub enum InstallStep {
    /// Updates the package lists of apt.
    Update,
    /// Installs Debian packages.
    Debian(Vec<&'static str>),
    /// Installs packages of npm in a directory.
    Npm(NpmPackages),
}

impl fmt::Display for InstallStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Update => f.write_str("apt-get update"),
            Self::Debian(packages) => write!(
                f,
                "apt-get install -y --no-remove --no-install-recommends {}",
                packages.join(" ")
            ),
            Self::Npm(npm) => {
                let [package, ..] = npm.packages else {
                    return Ok(());
                };
                write!(
                    f,
                    "npm ci --ignore-scripts, for {}@{} in {}",
                    package.name,
                    package.version,
                    npm.dir.display()
                )
            }
        }
    }
}

/// Errors of installing programs.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InstallError {
    /// A program that the user has at another place.
    #[error(
        "{name} is not in the place that the variable {variable} names; correct the variable, or unset it to install \
         {name}"
    )]
    Chosen {
        /// Name of the program.
        name: &'static str,
        /// Name of the variable.
        variable: &'static str,
    },
    /// A program that this machine cannot get.
    #[error("{name} is missing, and mcpmark cannot install it: {way}")]
    NoWay {
        /// Name of the program.
        name: &'static str,
        /// Way for the user to get the program.
        way: String,
    },
    /// Command that cannot be started.
    #[error("`{command}` cannot be started")]
    Start {
        /// The command.
        command: String,
        /// Cause.
        source: io::Error,
    },
    /// Command that failed.
    #[error("`{command}` failed: {complaint}")]
    Failed {
        /// The command.
        command: String,
        /// Last line of its errors.
        complaint: String,
    },
    /// Directory that cannot be written to.
    #[error("cannot write to {}", .dir.display())]
    Directory {
        /// The directory.
        dir: PathBuf,
        /// Cause.
        source: io::Error,
    },
}

/// Plans how to install programs: Debian packages for root on a Debian system, packages of npm elsewhere. An optional
/// program that cannot be installed is left out.
///
/// # Errors
///
/// Returns an error if a program that is not optional cannot be installed on this machine.
pub fn plan(missing: &[Requirement], machine: Machine) -> Result<Vec<InstallStep>, InstallError> {
    let uses_apt = machine.has_apt && machine.is_root;
    let mut debian = Vec::new();
    let mut npm = Vec::new();
    for requirement in missing {
        if let Some(variable) = requirement.chosen_by {
            return Err(InstallError::Chosen {
                name: requirement.name,
                variable,
            });
        } else if uses_apt && !requirement.debian.is_empty() {
            debian.extend(requirement.debian);
        } else if let Some(packages) = &requirement.npm
            && (machine.has_npm || debian.contains(&"npm"))
        {
            npm.push(InstallStep::Npm(packages.clone()));
        } else if !requirement.is_optional {
            return Err(InstallError::NoWay {
                name: requirement.name,
                way: way(requirement, machine),
            });
        }
    }
    let mut steps = Vec::new();
    if !debian.is_empty() {
        steps.extend([InstallStep::Update, InstallStep::Debian(debian)]);
    }
    steps.extend(npm);
    Ok(steps)
}

/// Returns a way for the user to get a program.
fn way(requirement: &Requirement, machine: Machine) -> String {
    if requirement.debian.is_empty() {
        return "install Node.js with npm first".to_owned();
    }
    let packages = requirement.debian.join(" ");
    let or_npm = match requirement.npm {
        Some(_) => ", or install Node.js with npm first",
        None => "",
    };
    if machine.has_apt {
        format!("run `apt-get install {packages}` as root{or_npm}")
    } else {
        format!(
            "install it with the package manager of this system (Debian's packages are {packages}){or_npm}"
        )
    }
}

impl InstallStep {
    /// Runs the command. Its output is read and not printed.
    ///
    /// # Errors
    ///
    /// Returns an error if the command fails.
    pub fn run(&self) -> Result<(), InstallError> {
        let mut apt = Command::new("apt-get");
        apt.env("DEBIAN_FRONTEND", "noninteractive");
        match self {
            Self::Update => finish(apt.arg("update"), self),
            Self::Debian(packages) => finish(
                apt.args(["install", "-y", "--no-remove", "--no-install-recommends"])
                    .args(packages),
                self,
            ),
            Self::Npm(npm) => install_npm(npm, self),
        }
    }
}

/// Installs packages in a new directory beside `dir`, and replaces `dir` with it.
fn install_npm(npm: &NpmPackages, step: &InstallStep) -> Result<(), InstallError> {
    let failed = |source| InstallError::Directory {
        dir: npm.dir.clone(),
        source,
    };
    let parent = npm.dir.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(parent).map_err(failed)?;
    let lock = File::create(npm.dir.with_added_extension("lock")).map_err(failed)?;
    lock.lock().map_err(failed)?;
    let (manifest, locked) = documents(npm.packages);
    let locked = locked.to_string();
    let installed = fs::read_to_string(npm.dir.join(LOCK_FILE));
    if installed.is_ok_and(|text| text == locked) {
        // Another process has installed the packages in the meantime.
        return Ok(());
    }
    let fresh = npm.dir.with_added_extension("new");
    remove(&fresh).map_err(failed)?;
    fs::create_dir(&fresh).map_err(failed)?;
    fs::write(fresh.join("package.json"), manifest.to_string()).map_err(failed)?;
    fs::write(fresh.join(LOCK_FILE), locked).map_err(failed)?;
    let mut command = Command::new("npm");
    // It compares every package with the digest in the lock before it unpacks it.
    command
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
        .current_dir(&fresh);
    finish(&mut command, step)?;
    if let (Some(file), [package, ..]) = (npm.links, npm.packages) {
        link(&fresh.join("node_modules").join(package.name), file).map_err(failed)?;
    }
    remove(&npm.dir).map_err(failed)?;
    fs::rename(&fresh, &npm.dir).map_err(failed)
}

/// Creates the symbolic links of a package. Its file lists them as objects with the keys `source` and `target`, paths
/// within the package.
fn link(package: &Path, file: &str) -> io::Result<()> {
    let text = fs::read(package.join(file))?;
    let links: Vec<Map<String, Value>> = serde_json::from_slice(&text)?;
    for link in links {
        let path = |key: &str| {
            let text = link.get(key).and_then(Value::as_str).unwrap_or_default();
            let path = Path::new(text);
            let is_inside = path
                .components()
                .all(|component| matches!(component, Component::Normal(_)));
            let is_valid = is_inside && !text.is_empty();
            is_valid.then_some(path).ok_or_else(|| {
                io::Error::other(format!(
                    "{file}: {key} {text:?} is not a path in the package"
                ))
            })
        };
        let (source, target) = (path("source")?, path("target")?);
        // Relative, because the directory is renamed.
        let mut up = PathBuf::new();
        up.extend(target.components().skip(1).map(|_| ".."));
        match symlink(up.join(source), package.join(target)) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            done => done?,
        }
    }
    Ok(())
}

fn remove(dir: &Path) -> io::Result<()> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

/// Returns the manifest and the lock of npm for pinned packages. The first package is the one that is needed.
fn documents(packages: &[NpmPackage]) -> (Value, Value) {
    let mut wanted = Map::new();
    for package in packages {
        wanted.insert(package.name.to_owned(), package.version.into());
    }
    let mut locked = Map::new();
    locked.insert(String::new(), json!({"dependencies": wanted}));
    for package in packages {
        let entry = json!({"version": package.version, "integrity": package.integrity});
        locked.insert(format!("node_modules/{}", package.name), entry);
    }
    (
        json!({"private": true, "dependencies": wanted}),
        json!({"lockfileVersion": 3, "requires": true, "packages": locked}),
    )
}

fn finish(command: &mut Command, step: &InstallStep) -> Result<(), InstallError> {
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|source| InstallError::Start {
        command: step.to_string(),
        source,
    })?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let mut lines = text.lines().rev().map(str::trim);
    // npm ends with the path of its log.
    let complaint = lines.find(|line| !line.is_empty() && !line.contains("complete log"));
    Err(InstallError::Failed {
        command: step.to_string(),
        complaint: complaint.map_or_else(|| output.status.to_string(), str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKAGES: &[NpmPackage] = &[NpmPackage {
        name: "@a/b",
        version: "1.2.3",
        integrity: "sha512-AAAA",
    }];

    fn missing() -> Vec<Requirement> {
        let npm = |dir: &str| {
            Some(NpmPackages {
                dir: dir.into(),
                packages: PACKAGES,
                links: None,
            })
        };
        vec![
            Requirement {
                name: "Node.js",
                is_optional: false,
                debian: &["nodejs", "npm"],
                npm: None,
                chosen_by: None,
            },
            Requirement {
                name: "server",
                is_optional: false,
                debian: &[],
                npm: npm("/cache/server"),
                chosen_by: None,
            },
            Requirement {
                name: "clock",
                is_optional: true,
                debian: &["faketime"],
                npm: None,
                chosen_by: None,
            },
        ]
    }

    fn planned(missing: &[Requirement], machine: Machine) -> Vec<String> {
        let steps = plan(missing, machine).unwrap();
        steps.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn root_on_debian_installs_packages_and_then_uses_npm() {
        let machine = Machine {
            has_apt: true,
            is_root: true,
            has_npm: false,
        };
        assert_eq!(
            planned(&missing(), machine),
            [
                "apt-get update",
                "apt-get install -y --no-remove --no-install-recommends nodejs npm faketime",
                "npm ci --ignore-scripts, for @a/b@1.2.3 in /cache/server",
            ]
        );
    }

    #[test]
    fn others_use_npm_and_leave_out_optional_programs() {
        let machine = Machine {
            has_apt: true,
            is_root: false,
            has_npm: true,
        };
        let steps = planned(&missing()[1..], machine);
        assert_eq!(
            steps,
            ["npm ci --ignore-scripts, for @a/b@1.2.3 in /cache/server"]
        );
    }

    #[test]
    fn a_program_without_a_way_names_the_command_of_the_user() {
        let mut machine = Machine {
            has_apt: true,
            is_root: false,
            has_npm: false,
        };
        let error = plan(&missing(), machine).unwrap_err().to_string();
        assert_eq!(
            error,
            "Node.js is missing, and mcpmark cannot install it: run `apt-get install nodejs npm` as root"
        );
        machine.has_apt = false;
        let error = plan(&missing(), machine).unwrap_err().to_string();
        assert!(
            error.contains("Debian's packages are nodejs npm"),
            "{error}"
        );
        let error = plan(&missing()[1..], machine).unwrap_err().to_string();
        assert!(error.ends_with("install Node.js with npm first"), "{error}");
    }

    #[test]
    fn a_program_that_a_variable_names_is_not_installed() {
        let mut missing = missing();
        missing[1].chosen_by = Some("MCPMARK_SERVER");
        let machine = Machine {
            has_apt: true,
            is_root: true,
            has_npm: true,
        };
        let error = plan(&missing, machine).unwrap_err().to_string();
        assert!(
            error.contains("the variable MCPMARK_SERVER names"),
            "{error}"
        );
    }

    #[test]
    fn links_of_a_package_are_relative_and_stay_inside() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("native/lib")).unwrap();
        fs::write(dir.path().join("native/lib/a.so.1"), "library").unwrap();
        let write = |source: &str, target: &str| {
            let links = json!([{"source": source, "target": target}]).to_string();
            fs::write(dir.path().join("links.json"), links).unwrap();
            link(dir.path(), "links.json")
        };
        write("native/lib/a.so.1", "native/lib/a.so").unwrap();
        write("native/lib/a.so.1", "native/lib/a.so").unwrap();
        let linked = dir.path().join("native/lib/a.so");
        assert!(fs::read_link(&linked).unwrap().is_relative());
        assert_eq!(fs::read_to_string(linked).unwrap(), "library");
        for (source, target) in [
            ("/etc/passwd", "a"),
            ("../a", "a"),
            ("a", "../a"),
            ("a", ""),
        ] {
            let error = write(source, target).unwrap_err().to_string();
            assert!(error.contains("not a path in the package"), "{error}");
        }
    }

    #[test]
    fn the_lock_pins_every_package_by_its_digest() {
        let (manifest, lock) = documents(PACKAGES);
        assert_eq!(manifest["dependencies"]["@a/b"], "1.2.3");
        let locked = &lock["packages"]["node_modules/@a/b"];
        assert_eq!(locked["integrity"], "sha512-AAAA");
        assert_eq!(locked["version"], "1.2.3");
    }
}
