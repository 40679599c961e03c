//! The versions of the published server that this service stands in for.

use mcpmark_service::{Tool, ToolSurface};

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

    /// The identity and the tools, which are described in other words than the published ones. Those for workflows
    /// are there where the world has any, as the published server lists them where it is asked to.
    pub(crate) fn surface(self, actions: bool) -> Result<ToolSurface, serde_json::Error> {
        let (tools, for_actions) = match self {
            Self::V0_15_0 => (
                include_str!("../surface/v0.15.0.json"),
                include_str!("../surface/v0.15.0-actions.json"),
            ),
        };
        let mut surface = ToolSurface::parse("github-mcp-server", "v0.15.0", tools)?;
        if actions {
            let more: Vec<Tool> = serde_json::from_str(for_actions)?;
            surface.tools.extend(more);
            surface
                .tools
                .sort_by(|one, other| one.name.cmp(&other.name));
        }
        Ok(surface.with_list_changed())
    }
}
