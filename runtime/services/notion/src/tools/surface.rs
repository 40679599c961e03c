//! Versions of the published server, and their lists of tools.

use mcpmark_service::ToolSurface;

/// Names of the profiles. The first one is the default.
pub const PROFILES: &[&str] = &["1.9.1", "2.5.2"];

/// Version of the published server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Profile {
    /// 1.9.1.
    #[default]
    V1_9_1,
    /// 2.5.2.
    V2_5_2,
}

impl Profile {
    /// Parses the name of a profile.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "1.9.1" => Some(Self::V1_9_1),
            "2.5.2" => Some(Self::V2_5_2),
            _ => None,
        }
    }

    /// Reports whether the server decodes arguments that are JSON in strings.
    pub(super) fn decodes_strings(self) -> bool {
        self == Self::V2_5_2
    }

    /// Returns the identity and the tools of the server.
    ///
    /// # Errors
    ///
    /// Returns an error if the list of tools in this crate is malformed.
    pub fn surface(self) -> Result<ToolSurface, serde_json::Error> {
        let tools = match self {
            Self::V1_9_1 => include_str!("../../surface/1.9.1.json"),
            Self::V2_5_2 => include_str!("../../surface/2.5.2.json"),
        };
        // The server has this name and version in all its releases.
        ToolSurface::parse("Notion API", "1.0.0", tools)
    }
}
