//! Supported versions of the published server.

use mcpmark_service::ToolSurface;

use super::AccessMode;

/// Versions of the published server that a session can reproduce, with an access mode if it is not the default. The first
/// one is the default.
pub const PROFILES: &[&str] = &[VERSION, RESTRICTED];

/// Version of the published server.
const VERSION: &str = "0.3.0";

/// Profile of the published server that is started with `--access-mode=restricted`.
pub(super) const RESTRICTED: &str = "0.3.0-restricted";

/// Name of the server in the handshake.
const NAME: &str = "postgres-mcp";

/// Tool whose description depends on the access mode.
const EXECUTE: &str = "execute_sql";

/// Returns the identity and the tools. The descriptions are worded differently from the published ones. Like the server
/// at the time of its publication, the tools have neither annotations nor structured results.
pub(super) fn surface(access: AccessMode) -> Result<ToolSurface, serde_json::Error> {
    let tools = include_str!("../../surface/0.3.0.json");
    let mut surface = ToolSurface::parse(NAME, VERSION, tools)?;
    if access == AccessMode::Restricted {
        for tool in surface.tools.iter_mut().filter(|tool| tool.name == EXECUTE) {
            tool.description = Some("Runs an SQL statement that only reads".into());
        }
    }
    Ok(surface)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::arguments;

    #[test]
    fn every_tool_has_parameters() {
        let surface = surface(AccessMode::Unrestricted).unwrap();
        assert_eq!(surface.tools.len(), 9);
        for tool in &surface.tools {
            assert!(arguments::spec(&tool.name).is_some(), "{}", tool.name);
        }
    }

    #[test]
    fn profiles_determine_the_access_mode() {
        let modes = PROFILES
            .iter()
            .map(|name| AccessMode::of_profile(Some(name)));
        let modes: Vec<AccessMode> = modes.collect();
        assert_eq!(modes, [AccessMode::Unrestricted, AccessMode::Restricted]);
        assert_eq!(AccessMode::of_profile(None), AccessMode::default());
    }

    #[test]
    fn only_one_description_depends_on_the_access_mode() {
        let describe = |access| surface(access).unwrap().tools;
        let open = describe(AccessMode::Unrestricted);
        let restricted = describe(AccessMode::Restricted);
        let differ = open.iter().zip(&restricted).filter(|(a, b)| a != b);
        assert_eq!(
            differ.map(|(tool, _)| &*tool.name).collect::<Vec<_>>(),
            [EXECUTE]
        );
    }
}
