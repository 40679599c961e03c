//! The versions of the published server that this service stands in for.

use mcpmark_service::ToolSurface;

/// The versions that a world can be served as; the first is the default.
pub const PROFILES: &[&str] = &["v0.15.0"];

/// One version of the published server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Profile {
    #[default]
    V0_15_0,
}

impl Profile {
    pub(crate) fn parse(name: &str) -> Option<Self> {
        (name == PROFILES[0]).then_some(Self::V0_15_0)
    }

    /// The identity and the tools, which are described in other words than the published ones.
    pub(crate) fn surface(self) -> Result<ToolSurface, serde_json::Error> {
        let tools = match self {
            Self::V0_15_0 => include_str!("../surface/v0.15.0.json"),
        };
        let surface = ToolSurface::parse("github-mcp-server", "v0.15.0", tools)?;
        Ok(surface.with_list_changed())
    }
}
