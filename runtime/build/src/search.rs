//! Search for a compiler: the active toolchain, rustup, Debian's packages.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::process::Call;
use super::toolchain::{Kind, Machine, Toolchain, ToolchainChoice};
use super::{BuildError, BuildEvent, Options, TARGET, environment};

const RUSTUP_LIMIT: Duration = Duration::from_secs(120);
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_PACKAGES: [&str; 2] = ["rustc-web", "rust-web-src"];
/// Minimum version of rustc: it can remap paths in object files only and keep them in diagnostics
/// (`--remap-path-scope`).
const OLDEST: (u32, u32) = (1, 95);

/// Description of a compiler according to its own output.
#[derive(Debug, Clone)]
struct Compiler {
    release: String,
    host: String,
    commit: String,
    sysroot: PathBuf,
    target_libdir: PathBuf,
}

impl Compiler {
    fn version(&self) -> Option<(u32, u32)> {
        let mut numbers = self.release.split(['.', '-']);
        Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
    }

    fn too_old(&self) -> Option<String> {
        let (major, minor) = OLDEST;
        let old = self.version().is_none_or(|version| version < OLDEST);
        old.then(|| format!("rustc {} is older than {major}.{minor}", self.release))
    }

    fn library_source(&self) -> PathBuf {
        self.sysroot.join("lib/rustlib/src/rust")
    }

    fn rust_lld(&self) -> PathBuf {
        self.sysroot
            .join("lib/rustlib")
            .join(&self.host)
            .join("bin/rust-lld")
    }
}

/// Finds a compiler for packages in `dir`: the active toolchain, the active toolchain after adding the target, or
/// Debian's.
pub(crate) fn find(
    machine: &mut dyn Machine,
    options: &Options,
    dir: &Path,
    report: &mut dyn FnMut(BuildEvent),
) -> Result<Toolchain, BuildError> {
    let mut search = Search {
        machine,
        options,
        dir,
        report,
        tried: Vec::new(),
        active: None,
    };
    let mut found = None;
    if options.toolchain != ToolchainChoice::Debian {
        found = search.active();
        if found.is_none() {
            found = search.add_target();
        }
    }
    if found.is_none() && options.toolchain != ToolchainChoice::Rustup {
        found = search.debian();
    }
    found.ok_or_else(|| BuildError::NoCompiler {
        tried: search.tried,
        commands: vec![
            format!("rustup target add {TARGET}"),
            format!("apt-get install {}", DEBIAN_PACKAGES.join(" ")),
        ],
    })
}

struct Search<'a> {
    machine: &'a mut dyn Machine,
    options: &'a Options,
    dir: &'a Path,
    report: &'a mut dyn FnMut(BuildEvent),
    tried: Vec<String>,
    /// The active compiler. Its linker is used for Debian's compiler, which has none.
    active: Option<Compiler>,
}

impl Search<'_> {
    fn no(&mut self, reason: String) {
        (self.report)(BuildEvent::NotFound {
            reason: reason.clone(),
        });
        self.tried.push(reason);
    }

    /// (a) Uses the active toolchain if it has the target.
    fn active(&mut self) -> Option<Toolchain> {
        let compiler = match self.ask(OsString::from("rustc")) {
            Ok(compiler) => compiler,
            Err(reason) => {
                self.no(format!("no active Rust toolchain ({reason})"));
                return None;
            }
        };
        self.active = Some(compiler.clone());
        if let Some(reason) = compiler.too_old() {
            self.no(format!("the active toolchain is not usable: {reason}"));
            return None;
        }
        if self.machine.has_std(&compiler.target_libdir) {
            return Some(self.toolchain(Kind::Active, &compiler, None));
        }
        self.no(format!(
            "the active toolchain, rustc {}, has no target {TARGET}",
            compiler.release
        ));
        None
    }

    /// (b) Adds the target to the active toolchain with rustup.
    fn add_target(&mut self) -> Option<Toolchain> {
        if self
            .active
            .as_ref()
            .is_some_and(|compiler| compiler.too_old().is_some())
        {
            return None;
        }
        if self.machine.on_path("rustup").is_none() {
            self.no("rustup is not installed, so it cannot add the target".to_owned());
            return None;
        }
        if !self.options.allow_install {
            self.no("adding the target with rustup is not allowed".to_owned());
            return None;
        }
        let call = Call::new("rustup", self.dir)
            .args(["target", "add", TARGET])
            .limit(RUSTUP_LIMIT);
        (self.report)(BuildEvent::Installing {
            command: call.typed(),
        });
        match self.machine.run(&call) {
            Ok(finished) if finished.success => self.active(),
            Ok(finished) => {
                self.no(format!(
                    "`{}` failed ({})",
                    call.typed(),
                    finished.complaint()
                ));
                None
            }
            Err(error) => {
                self.no(format!("`{}` failed ({error})", call.typed()));
                None
            }
        }
    }

    /// (c) Uses Debian's compiler, and builds the standard library from its source.
    fn debian(&mut self) -> Option<Toolchain> {
        let missing = match self.installed_debian() {
            Ok(found) => return Some(found),
            Err(reason) => reason,
        };
        match self.install() {
            Ok(()) => match self.installed_debian() {
                Ok(found) => return Some(found),
                Err(reason) => self.no(format!(
                    "Debian's compiler was installed but is not usable: {reason}"
                )),
            },
            Err(reason) => self.no(format!(
                "Debian's compiler is not usable: {missing}, and {reason}"
            )),
        }
        None
    }

    fn installed_debian(&mut self) -> Result<Toolchain, String> {
        if !self.machine.is_file(Path::new(DEBIAN_RUSTC)) {
            return Err(format!("{DEBIAN_RUSTC} does not exist"));
        }
        let compiler = self.ask(OsString::from(DEBIAN_RUSTC))?;
        if let Some(reason) = compiler.too_old() {
            return Err(reason);
        }
        let std = compiler.library_source().join("library/std/src/lib.rs");
        if !self.machine.is_file(&std) {
            return Err(format!(
                "the source of its standard library is not in {}",
                compiler.library_source().display()
            ));
        }
        if self.active.is_none() {
            self.active = self.ask(OsString::from("rustc")).ok();
        }
        let own = [self.active.as_ref(), Some(&compiler)]
            .into_iter()
            .flatten()
            .map(Compiler::rust_lld);
        let linker = own
            .into_iter()
            .find(|linker| self.machine.is_file(linker))
            .or_else(|| self.machine.on_path("wasm-ld"))
            .ok_or("no linker found: neither rust-lld of a rustup toolchain nor wasm-ld")?;
        if self.machine.on_path("cargo").is_none() {
            return Err("cargo is not installed".to_owned());
        }
        Ok(self.toolchain(Kind::Debian, &compiler, Some(linker)))
    }

    fn install(&mut self) -> Result<(), String> {
        let packages = DEBIAN_PACKAGES.join(" ");
        if !self.options.allow_install {
            return Err(format!("installing {packages} is not allowed"));
        }
        if self.machine.on_path("apt-get").is_none() {
            return Err("this is not a Debian system: apt-get is not installed".to_owned());
        }
        if !self.machine.is_root() {
            return Err(format!("only root can install {packages}"));
        }
        if !self.offered() {
            let update = Call::new("apt-get", self.dir)
                .args(["update"])
                .env("DEBIAN_FRONTEND", "noninteractive");
            (self.report)(BuildEvent::Installing {
                command: update.typed(),
            });
            let finished = self
                .machine
                .run(&update)
                .map_err(|error| error.to_string())?;
            if !self.offered() {
                let why = if finished.success {
                    String::new()
                } else {
                    format!(" ({})", finished.complaint())
                };
                let (major, minor) = OLDEST;
                return Err(format!(
                    "apt does not offer {packages} {major}.{minor} or later{why}"
                ));
            }
        }
        // Without `--no-remove`, apt could remove a compiler that another package needs.
        let install = Call::new("apt-get", self.dir)
            .args(["install", "-y", "--no-remove", "--no-install-recommends"])
            .args(DEBIAN_PACKAGES)
            .env("DEBIAN_FRONTEND", "noninteractive");
        (self.report)(BuildEvent::Installing {
            command: install.typed(),
        });
        let finished = self
            .machine
            .run(&install)
            .map_err(|error| error.to_string())?;
        if finished.success {
            Ok(())
        } else {
            Err(format!(
                "`{}` failed ({})",
                install.typed(),
                finished.complaint()
            ))
        }
    }

    /// Reports whether apt's package lists offer a compiler that is new enough.
    fn offered(&mut self) -> bool {
        let call = Call::new("apt-cache", self.dir)
            .args(["policy", DEBIAN_PACKAGES[0]])
            .env("LC_ALL", "C");
        let Ok(finished) = self.machine.run(&call) else {
            return false;
        };
        let candidate = finished
            .stdout
            .lines()
            .find_map(|line| line.trim().strip_prefix("Candidate:"));
        let version = candidate.and_then(|version| {
            let mut numbers = version.trim().split(['.', '+', '~', '-']);
            Some((
                numbers.next()?.parse::<u32>().ok()?,
                numbers.next()?.parse::<u32>().ok()?,
            ))
        });
        version.is_some_and(|version| version >= OLDEST)
    }

    fn ask(&mut self, program: OsString) -> Result<Compiler, String> {
        let mut answer = |args: &[&str]| {
            let finished = self
                .machine
                .run(&self.options.call(&program, self.dir).args(args))
                .map_err(|error| {
                    let source =
                        std::error::Error::source(&error).map(|source| format!(": {source}"));
                    format!("{error}{}", source.unwrap_or_default())
                })?;
            if finished.success {
                Ok(finished.stdout)
            } else {
                Err(finished.complaint())
            }
        };
        let version = answer(&["-vV"])?;
        let paths = answer(&[
            "--print",
            "sysroot",
            "--print",
            "target-libdir",
            "--target",
            TARGET,
        ])?;
        let field = |name: &str| {
            let value = version
                .lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
            value
                .map(str::to_owned)
                .ok_or_else(|| format!("`rustc -vV` did not print {name}"))
        };
        let mut paths = paths.lines().map(PathBuf::from);
        let mut path = || paths.next().ok_or("`rustc --print` did not print a path");
        Ok(Compiler {
            release: field("release")?,
            host: field("host")?,
            commit: field("commit-hash")?,
            sysroot: path()?,
            target_libdir: path()?,
        })
    }

    fn toolchain(&self, kind: Kind, compiler: &Compiler, linker: Option<PathBuf>) -> Toolchain {
        let Compiler {
            release, sysroot, ..
        } = compiler;
        let description = match kind {
            Kind::Active => format!("rustc {release} in {}", sysroot.display()),
            Kind::Debian => {
                format!("Debian's rustc {release} and its standard library from source")
            }
        };
        let mut marks: Vec<PathBuf> = ["rustc", "cargo"]
            .into_iter()
            .filter_map(|program| self.machine.on_path(program))
            .collect();
        marks.push(sysroot.join("bin/rustc"));
        marks.extend(environment::rustup_home().map(|home| home.join("settings.toml")));
        // If the active toolchain gets the target, the search prefers it.
        marks.extend(
            self.active
                .iter()
                .chain([compiler])
                .map(|compiler| compiler.target_libdir.clone()),
        );
        marks.extend(linker.clone());
        Toolchain {
            kind,
            description,
            library_source: compiler.library_source(),
            commit: compiler.commit.clone(),
            linker,
            marks,
        }
    }
}

#[cfg(test)]
mod tests;
