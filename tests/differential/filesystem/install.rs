//! The published server, installed from npm with everything that decides its answers pinned.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::npm;

/// A published version, and the library that makes its diffs.
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
    /// The script to start with Node.js, installed if it is not there yet; or why it cannot be
    /// had.
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
