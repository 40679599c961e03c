//! Versions of the published server, and their lists of tools.

use mcpmark_service::ToolSurface;

/// Names of the profiles. The first one is the default.
pub const PROFILES: &[&str] = &["1.9.1"];

/// Version of the published server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Profile {
    /// 1.9.1.
    #[default]
    V1_9_1,
}

impl Profile {
    /// Parses the name of a profile.
    pub fn parse(name: &str) -> Option<Self> {
        (name == PROFILES[0]).then_some(Self::V1_9_1)
    }

    /// Returns the identity and the tools of the server.
    ///
    /// # Errors
    ///
    /// Returns an error if the list of tools in this crate is malformed.
    pub fn surface(self) -> Result<ToolSurface, serde_json::Error> {
        match self {
            // The server has this name and version in all its releases.
            Self::V1_9_1 => ToolSurface::parse(
                "Notion API",
                "1.0.0",
                include_str!("../../surface/1.9.1.json"),
            ),
        }
    }
}
