//! Profiles: the versions of the published MCP server that this service reproduces.

use mcpmark_service::{Tool, ToolSurface};

/// Supported versions of the published server. The first is the default.
pub const PROFILES: &[&str] = &["v0.15.0", "v1.10.1"];

/// Groups of tools that are listed only if the world has content for them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Optional {
    pub(crate) actions: bool,
    pub(crate) gists: bool,
}

/// Version of the published server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Profile {
    #[default]
    V0_15_0,
    /// Fewer tools, some of which combine several operations in a `method`, and shorter results.
    V1_10_1,
}

impl Profile {
    pub(crate) fn parse(name: &str) -> Option<Self> {
        match name {
            "v0.15.0" => Some(Self::V0_15_0),
            "v1.10.1" => Some(Self::V1_10_1),
            _ => None,
        }
    }

    /// Returns the identity of the server and its tools. Their descriptions are not copied from the published server.
    /// Tools for workflows and for gists are included only if the world has any; the published server lists them only
    /// if they are enabled.
    pub(crate) fn surface(self, with: Optional) -> Result<ToolSurface, serde_json::Error> {
        let (version, tools, for_actions, for_gists) = match self {
            Self::V0_15_0 => (
                "v0.15.0",
                include_str!("../surface/v0.15.0.json"),
                include_str!("../surface/v0.15.0-actions.json"),
                include_str!("../surface/v0.15.0-gists.json"),
            ),
            Self::V1_10_1 => (
                "v1.10.1",
                include_str!("../surface/v1.10.1.json"),
                include_str!("../surface/v1.10.1-actions.json"),
                include_str!("../surface/v1.10.1-gists.json"),
            ),
        };
        let mut surface = ToolSurface::parse("github-mcp-server", version, tools)?;
        for (has_any, tools) in [(with.actions, for_actions), (with.gists, for_gists)] {
            if has_any {
                let more: Vec<Tool> = serde_json::from_str(tools)?;
                surface.tools.extend(more);
            }
        }
        surface
            .tools
            .sort_by(|one, other| one.name.cmp(&other.name));
        Ok(match self {
            Self::V0_15_0 => surface.with_list_changed(),
            Self::V1_10_1 => surface,
        })
    }
}
