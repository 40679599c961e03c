//! Installation of the published server from npm, with all dependencies that determine its answers pinned.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::npm;

/// Published version of the server, and the version of its `diff` library.
#[derive(Clone, Copy)]
pub(crate) struct Release {
    pub(crate) version: &'static str,
    diff: &'static str,
}

pub(crate) const RELEASES: [Release; 2] = [
    Release {
        version: "2025.12.18",
        diff: "5.2.2",
    },
    Release {
        version: "2026.8.31",
        diff: "8.0.4",
    },
];

impl Release {
    /// Installs the release if the cache does not contain it. Returns the script to run with Node.js.
    pub(crate) fn install(self, cache: &Path) -> Result<PathBuf, String> {
        let manifest = json!({
            "private": true,
            "dependencies": {"@modelcontextprotocol/server-filesystem": self.version},
            "overrides": {
                "@modelcontextprotocol/sdk": "1.32.2",
                "brace-expansion": "5.0.13",
                "diff": self.diff,
                "minimatch": "10.2.6",
                "zod": "4.6.7",
            },
        });
        let script = "@modelcontextprotocol/server-filesystem/dist/index.js";
        npm::install(&cache.join(self.version), &manifest, script)
    }
}
