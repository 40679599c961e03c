//! Releases: an archive and a Python wheel with the program and the shipped tasks.
//!
//! Both contain the same files: the program, the tasks as a bundle with compiled guests, the licences of everything in
//! them, and a bill of materials. Equal inputs give equal files, byte for byte.

mod archive;
mod content;
mod error;
mod glibc;
mod licences;
mod packages;
mod sbom;
mod sums;
mod wheel;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub use self::error::DistError;

use self::content::{Content, Timestamp};
use self::packages::Packages;

/// Inputs of a release.
#[derive(Debug, Clone)]
pub struct Options {
    /// Root of the repository.
    pub root: PathBuf,
    /// Directory that the release is written to.
    pub output: PathBuf,
    /// The program. Without it, the program is built without paths of this machine.
    pub binary: Option<PathBuf>,
    /// The shipped tasks as a bundle in a directory. Without it, the program packs the tasks of the repository.
    pub tasks: Option<PathBuf>,
    /// Target triple of the program.
    pub target: String,
    /// Level of the compression of both, from 0 to 9.
    pub compression: u32,
}

/// Level of the compression of published releases.
pub const BEST_COMPRESSION: u32 = 9;

/// Release that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    /// Archive with the program, the tasks and the documents.
    pub archive: PathBuf,
    /// Wheel with the same content.
    pub wheel: PathBuf,
    /// SHA-256 checksums of both, as `sha256sum --check` reads them.
    pub checksums: PathBuf,
}

/// Writes a release.
///
/// # Errors
///
/// Returns an error if a program fails, if a package has no licence, or if a file cannot be read or written.
pub fn dist(options: &Options) -> Result<Release, DistError> {
    let scratch = tempfile::tempdir().map_err(DistError::temporary)?;
    let binary = match &options.binary {
        Some(binary) => binary.clone(),
        None => build(options)?,
    };
    let tasks = match &options.tasks {
        Some(tasks) => tasks.clone(),
        None => pack(options, &binary, &scratch.path().join("tasks"))?,
    };
    let packages = Packages::of_release(&options.root, &options.target)?;
    let program = packages.program();
    let timestamp = Timestamp::of(&options.root)?;

    let mut content = Content::new(timestamp);
    content.add_program("bin/mcpmark", &binary)?;
    content.add_dir("share/mcpmark/tasks", &tasks)?;
    for document in ["README.md", "LICENSE", "SECURITY.md"] {
        let path = options.root.join(document);
        content.add_file(format!("share/doc/mcpmark/{document}"), &path)?;
    }
    content.add_text(
        "share/doc/mcpmark/THIRD-PARTY-LICENSES.txt",
        licences::text(&packages, &options.root)?,
    );
    content.add_text(
        "share/doc/mcpmark/sbom.cdx.json",
        sbom::text(&packages, timestamp),
    );

    fs::create_dir_all(&options.output).map_err(|e| DistError::write(&options.output, e))?;
    let name = format!("mcpmark-{}-{}", program.version, options.target);
    let archive = options.output.join(format!("{name}.tar.gz"));
    archive::write(&archive, &name, options.compression, &content)?;
    let required = glibc::required(&binary)?;
    let wheel = wheel::write(
        &options.output,
        program,
        &options.target,
        required,
        options.compression,
        &content,
    )?;
    let checksums = options.output.join("SHA256SUMS");
    sums::write(&checksums, &[&archive, &wheel])?;
    Ok(Release {
        archive,
        wheel,
        checksums,
    })
}

/// Returns the target triple of the compiler's host.
///
/// # Errors
///
/// Returns an error if `rustc` fails.
pub fn host_target() -> Result<String, DistError> {
    let output = output(Command::new("rustc").arg("-vV"))?;
    let host = output.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or(DistError::Host)
}

/// Builds the program. Its messages contain paths of sources, which must not name this machine.
fn build(options: &Options) -> Result<PathBuf, DistError> {
    let target_dir = options.root.join("target/dist-build");
    let cargo_home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let cargo_home = cargo_home.or_else(|| home.map(|home| home.join(".cargo")));
    let mut flags = vec![format!(
        "--remap-path-prefix={}=/mcpmark",
        options.root.display()
    )];
    if let Some(cargo_home) = cargo_home {
        flags.push(format!(
            "--remap-path-prefix={}=/cargo",
            cargo_home.display()
        ));
    }
    run(Command::new("cargo")
        .args(["build", "--release", "--locked", "--bin", "mcpmark"])
        .args(["--target", &options.target])
        .arg("--target-dir")
        .arg(&target_dir)
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"))
        .current_dir(&options.root))?;
    Ok(target_dir.join(&options.target).join("release/mcpmark"))
}

/// Packs the tasks of the repository into a bundle.
fn pack(options: &Options, binary: &Path, bundle: &Path) -> Result<PathBuf, DistError> {
    run(Command::new(binary)
        .args(["bundle", "pack", "-o"])
        .arg(bundle)
        .env_remove("MCPMARK_ROOT")
        .current_dir(&options.root))?;
    Ok(bundle.to_owned())
}

/// Runs a program that prints for the user.
fn run(command: &mut Command) -> Result<(), DistError> {
    let status = command.status().map_err(|e| DistError::start(command, e))?;
    if status.success() {
        Ok(())
    } else {
        Err(DistError::failed(command, status))
    }
}

/// Runs a program and returns what it prints.
fn output(command: &mut Command) -> Result<String, DistError> {
    let output = command.output().map_err(|e| DistError::start(command, e))?;
    if !output.status.success() {
        let messages = String::from_utf8_lossy(&output.stderr);
        return Err(DistError::failed(command, output.status).with(messages.trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
