//! Directories of the machine that a server sees in its own namespaces, and those that it does not.

use std::path::{Path, PathBuf};

use super::ClusterError;

/// Directories of users, which the server cannot see in its own namespaces.
const HIDDEN: [&str; 2] = ["/root", "/home"];
/// Directories with the programs of the system, which the server sees.
const SYSTEM: [&str; 9] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/gnu/store",
];

/// Returns the directories that the server does not see: those of users, and `others`.
pub(super) fn hidden(others: &[PathBuf]) -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let all = HIDDEN.iter().map(PathBuf::from).chain(home);
    let mut hidden: Vec<PathBuf> = Vec::new();
    for dir in all.chain(others.iter().cloned()) {
        let dir = real(&dir);
        if dir.is_absolute() && dir.parent().is_some() && !hidden.contains(&dir) {
            hidden.push(dir);
        }
    }
    hidden
}

/// Returns a path without symlinks, if it exists.
pub(super) fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Place of an installation in the file system that a server sees.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Within the programs of the system.
    System,
    /// Its own directory, which is shown in addition.
    Own(PathBuf),
    /// Another directory, because its own is hidden.
    Hidden(PathBuf),
}

/// Returns the place of an installation, with the directory above that of its programs: the programs use libraries and
/// files beside it.
pub(super) fn place(bin: &Path, hidden: &[PathBuf]) -> Result<Place, ClusterError> {
    let temporary = Path::new("/tmp");
    let is_hidden =
        bin.starts_with(temporary) || hidden.iter().any(|hidden| bin.starts_with(hidden));
    if !is_hidden && SYSTEM.iter().any(|system| bin.starts_with(system)) {
        return Ok(Place::System);
    }
    let prefix = bin.parent().unwrap_or(bin);
    let is_home = prefix.parent() == Some(Path::new("/home"));
    let contains = |dir: &Path| dir.starts_with(prefix);
    if is_home || contains(temporary) || hidden.iter().any(|hidden| contains(hidden)) {
        return Err(ClusterError::Prefix {
            bin: bin.to_owned(),
            prefix: prefix.to_owned(),
        });
    }
    Ok(if is_hidden {
        Place::Hidden(prefix.to_owned())
    } else {
        Place::Own(prefix.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_directory_of_its_own_becomes_visible() {
        let hidden = ["/root", "/home", "/srv/people/ann", "/usr/home/bob"].map(PathBuf::from);
        let place = |bin: &str| place(Path::new(bin), &hidden);
        for bin in ["/usr/lib/postgresql/15/bin", "/usr/local/bin", "/bin"] {
            assert_eq!(place(bin).unwrap(), Place::System);
        }
        for (bin, prefix) in [
            ("/opt/postgresql/17/bin", "/opt/postgresql/17"),
            ("/homes/bin", "/homes"),
        ] {
            assert_eq!(place(bin).unwrap(), Place::Own(prefix.into()));
        }
        for (bin, prefix) in [
            ("/home/ann/pg/bin", "/home/ann/pg"),
            ("/tmp/pg/bin", "/tmp/pg"),
            ("/srv/people/ann/pg/bin", "/srv/people/ann/pg"),
            ("/usr/home/bob/pg/bin", "/usr/home/bob/pg"),
        ] {
            assert_eq!(place(bin).unwrap(), Place::Hidden(prefix.into()));
        }
        for bin in [
            "/pg",
            "/tmp",
            "/tmp/bin",
            "/root",
            "/root/bin",
            "/home/bin",
            "/home/ann/bin",
            "/srv/bin",
            "/srv/people/ann",
            "/srv/people/ann/bin",
        ] {
            let error = place(bin).unwrap_err().to_string();
            assert!(
                error.contains(&format!("in {bin}")) && error.contains("MCPMARK_POSTGRES"),
                "{error}"
            );
        }
    }
}
