//! Tests that compare with a program or a feature of the machine, where that is not there.
//!
//! A test that cannot run calls [`skip`] and returns. `MCPMARK_REQUIRE` names the needs whose absence is a failure,
//! separated by commas, or `all`. `MCPMARK_SKIPS` names a file to which each skip adds a line.

use std::fmt::{self, Display};
use std::fs::OpenOptions;
use std::io::Write;

/// Something beside Rust that a test needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// `unzip` and `tar`.
    Archivers,
    /// `docker-registry`.
    DockerRegistry,
    /// `git`.
    Git,
    /// The sources and the compiler of GitHub's own MCP server.
    GoServer,
    /// The right to mount a tmpfs.
    Mount,
    /// Node and npm, and the packages that a test installs with them.
    Npm,
    /// `openssl`.
    OpenSsl,
    /// Overlay mounts.
    Overlay,
    /// `/proc`.
    Proc,
    /// Python and pip, and the packages that a test installs with them.
    Python,
    /// `skopeo`.
    Skopeo,
    /// `unshare`, and user namespaces.
    Unshare,
}

impl Need {
    /// All needs.
    pub const ALL: [Self; 12] = [
        Self::Archivers,
        Self::DockerRegistry,
        Self::Git,
        Self::GoServer,
        Self::Mount,
        Self::Npm,
        Self::OpenSsl,
        Self::Overlay,
        Self::Proc,
        Self::Python,
        Self::Skopeo,
        Self::Unshare,
    ];

    /// The name in `MCPMARK_REQUIRE`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Archivers => "archivers",
            Self::DockerRegistry => "docker-registry",
            Self::Git => "git",
            Self::GoServer => "go-server",
            Self::Mount => "mount",
            Self::Npm => "npm",
            Self::OpenSsl => "openssl",
            Self::Overlay => "overlay",
            Self::Proc => "proc",
            Self::Python => "python",
            Self::Skopeo => "skopeo",
            Self::Unshare => "unshare",
        }
    }
}

impl Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Tells that something is not tested because a need is not met.
///
/// # Panics
///
/// When `MCPMARK_REQUIRE` has the need, or a name that is none.
pub fn skip(need: Need, reason: impl Display) {
    let required = std::env::var("MCPMARK_REQUIRE").unwrap_or_default();
    assert!(
        !requires(&required, need),
        "MCPMARK_REQUIRE has {need}, and it is not there: {reason}"
    );
    let line = format!("SKIPPED: {need}: {reason}");
    // Past the capture of the test harness, so that it is seen.
    let _ = writeln!(std::io::stderr(), "{line}");
    if let Some(file) = std::env::var_os("MCPMARK_SKIPS") {
        let file = OpenOptions::new().append(true).create(true).open(file);
        let line = line.replace('\n', " ") + "\n";
        file.and_then(|mut file| file.write_all(line.as_bytes()))
            .expect("MCPMARK_SKIPS should name a file that can be written to");
    }
}

/// Whether a list has a need.
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
