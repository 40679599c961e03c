//! Skipping of tests that need a program or a feature that the machine lacks.
//!
//! A test that cannot run calls [`skip`] and returns. `MCPMARK_REQUIRE` names the needs whose absence is a failure,
//! separated by commas, or `all`. `MCPMARK_SKIPS` names a file to which each skip adds a line.

use std::fmt::{self, Display};
use std::fs::OpenOptions;
use std::io::Write;

/// Requirement of a test apart from Rust.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// `unzip` and `tar`.
    Archivers,
    /// Permission to create groups of processes (cgroups) with a limit of memory.
    Cgroup,
    /// Chromium, or another browser that the playwright service can use.
    Chromium,
    /// `docker-registry`.
    DockerRegistry,
    /// libfaketime, which gives a server the clock of its world.
    Faketime,
    /// `git`.
    Git,
    /// Go 1.21 or newer, which compiles programs to WASI.
    Go,
    /// GitHub's own MCP server, installed with pip, and a network namespace to run it in.
    GoServer,
    /// Permission to mount a tmpfs.
    Mount,
    /// Node.js and npm, and the packages that a test installs with them.
    Npm,
    /// `openssl`.
    OpenSsl,
    /// Overlay mounts.
    Overlay,
    /// A PostgreSQL server of a supported version.
    Postgres,
    /// PostgreSQL servers of two major versions.
    PostgresMajors,
    /// The published MCP server for PostgreSQL, installed with pip, and a Python that it supports.
    PostgresMcp,
    /// `/proc`.
    Proc,
    /// Python and pip, and the packages that a test installs with them.
    Python,
    /// `skopeo`.
    Skopeo,
    /// `unshare` and user namespaces.
    Unshare,
    /// Zig, which compiles C and Zig to WASI.
    Zig,
}

impl Need {
    /// All needs.
    pub const ALL: [Self; 20] = [
        Self::Archivers,
        Self::Cgroup,
        Self::Chromium,
        Self::DockerRegistry,
        Self::Faketime,
        Self::Git,
        Self::Go,
        Self::GoServer,
        Self::Mount,
        Self::Npm,
        Self::OpenSsl,
        Self::Overlay,
        Self::Postgres,
        Self::PostgresMajors,
        Self::PostgresMcp,
        Self::Proc,
        Self::Python,
        Self::Skopeo,
        Self::Unshare,
        Self::Zig,
    ];

    /// Returns the name in `MCPMARK_REQUIRE`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Archivers => "archivers",
            Self::Cgroup => "cgroup",
            Self::Chromium => "chromium",
            Self::DockerRegistry => "docker-registry",
            Self::Faketime => "faketime",
            Self::Git => "git",
            Self::Go => "go",
            Self::GoServer => "go-server",
            Self::Mount => "mount",
            Self::Npm => "npm",
            Self::OpenSsl => "openssl",
            Self::Overlay => "overlay",
            Self::Postgres => "postgres",
            Self::PostgresMajors => "postgres-majors",
            Self::PostgresMcp => "postgres-mcp",
            Self::Proc => "proc",
            Self::Python => "python",
            Self::Skopeo => "skopeo",
            Self::Unshare => "unshare",
            Self::Zig => "zig",
        }
    }
}

impl Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Reports that a test is skipped because a need is not met.
///
/// # Panics
///
/// Panics if `MCPMARK_REQUIRE` contains the need or an unknown name, or if the file of `MCPMARK_SKIPS` cannot be
/// written.
pub fn skip(need: Need, reason: impl Display) {
    let required = std::env::var("MCPMARK_REQUIRE").unwrap_or_default();
    assert!(
        !requires(&required, need),
        "MCPMARK_REQUIRE has {need}, and it is not there: {reason}"
    );
    let line = format!("SKIPPED: {need}: {reason}");
    // Bypasses the output capture of the test harness, so that the line is visible.
    let _ = writeln!(std::io::stderr(), "{line}");
    if let Some(file) = std::env::var_os("MCPMARK_SKIPS") {
        let file = OpenOptions::new().append(true).create(true).open(file);
        let line = line.replace('\n', " ") + "\n";
        file.and_then(|mut file| file.write_all(line.as_bytes()))
            .expect("MCPMARK_SKIPS should name a file that can be written to");
    }
}

/// Returns true if a list contains the need or `all`. Panics on an unknown name.
fn requires(list: &str, need: Need) -> bool {
    let mut names = list
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty());
    names.any(|name| {
        let is_known = name == "all" || Need::ALL.iter().any(|need| need.name() == name);
        assert!(
            is_known,
            "MCPMARK_REQUIRE has {name:?}; it takes `all` or some of {}",
            Need::ALL.map(Need::name).join(", ")
        );
        name == "all" || name == need.name()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_requires_the_needs_that_it_names() {
        assert!(!requires("", Need::Git));
        assert!(!requires("npm, openssl", Need::Git));
        assert!(requires("npm, git", Need::Git));
        assert!(requires("all", Need::Overlay));
    }

    #[test]
    #[should_panic(expected = "MCPMARK_REQUIRE has \"gti\"")]
    fn a_name_that_is_none_is_refused() {
        requires("gti", Need::Git);
    }
}
