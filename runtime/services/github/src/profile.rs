//! The versions of the published server that this service stands in for.

use mcpmark_service::{Tool, ToolSurface};

/// The versions that a world can be served as; the first is the default.
pub const PROFILES: &[&str] = &["v0.15.0", "v1.10.1"];

/// Tools that are there where the world has something for them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Optional {
    pub(crate) actions: bool,
    pub(crate) gists: bool,
}

/// One version of the published server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Profile {
    #[default]
    V0_15_0,
    /// Fewer tools, each with a `method`, and shorter results.
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

    /// The identity and the tools, which are described in other words than the published ones. Those for workflows
    /// and for gists are there where the world has any, as the published server lists them where it is asked to.
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
