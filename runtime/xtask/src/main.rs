//! Commands for maintainers of the repository.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the command prints its results"
)]

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use xtask::{DistError, Options, Release};

/// Commands for maintainers of the repository.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo xtask")]
enum Arguments {
    /// Write a release: an archive, a Python wheel and their checksums.
    Dist {
        /// Directory that the release is written to [default: target/dist of the repository]
        #[arg(short, long, value_name = "DIR")]
        output: Option<PathBuf>,
        /// Existing program to release, instead of building it.
        #[arg(long, value_name = "FILE")]
        binary: Option<PathBuf>,
        /// Existing bundle of the shipped tasks, instead of packing it.
        #[arg(long, value_name = "DIR")]
        tasks: Option<PathBuf>,
    },
}

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(release) => {
            for file in [release.archive, release.wheel, release.checksums] {
                println!("{}", file.display());
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            let mut source = std::error::Error::source(&error);
            while let Some(cause) = source {
                eprintln!("  caused by: {cause}");
                source = cause.source();
            }
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments) -> Result<Release, DistError> {
    let Arguments::Dist {
        output,
        binary,
        tasks,
    } = arguments;
    // The program is started in the root of the repository, where relative paths would mean other files.
    let absolute = |path: PathBuf| {
        std::path::absolute(&path).map_err(|source| DistError::Read { path, source })
    };
    let root = absolute(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../.."))?;
    let root = root.canonicalize().map_err(|source| DistError::Read {
        path: root.clone(),
        source,
    })?;
    let output = match output {
        Some(output) => absolute(output)?,
        None => root.join("target/dist"),
    };
    xtask::dist(&Options {
        root,
        output,
        binary: binary.map(absolute).transpose()?,
        tasks: tasks.map(absolute).transpose()?,
        target: xtask::host_target()?,
        compression: xtask::BEST_COMPRESSION,
    })
}
