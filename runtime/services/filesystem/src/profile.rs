//! The versions of the published server that this service stands in for, and in what they
//! differ.

use mcpmark_service::ToolSurface;

/// The versions that a world can be served as; the first is the default.
pub const PROFILES: &[&str] = &["2025.12.18", "2026.8.31"];

/// One version of the published server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Profile {
    #[default]
    V2025_12_18,
    V2026_8_31,
}

impl Profile {
    pub(crate) fn parse(name: &str) -> Option<Self> {
        [Self::V2025_12_18, Self::V2026_8_31]
            .into_iter()
            .zip(PROFILES)
            .find(|(_, known)| **known == name)
            .map(|(profile, _)| profile)
    }

    /// The identity and the tools, which are described in other words than the published ones.
    pub(crate) fn surface(self) -> Result<ToolSurface, serde_json::Error> {
        let tools = match self {
            Self::V2025_12_18 => include_str!("../surface/2025.12.18.json"),
            Self::V2026_8_31 => include_str!("../surface/2026.8.31.json"),
        };
        let surface = ToolSurface::parse("secure-filesystem-server", "0.2.0", tools)?;
        Ok(surface.with_list_changed())
    }

    /// A path need not have a directory yet, and one in another Unicode form finds its entry.
    pub(crate) fn finds_what_is_meant(self) -> bool {
        self == Self::V2026_8_31
    }

    /// `C:\x` is no name of a file.
    pub(crate) fn refuses_drives(self) -> bool {
        self == Self::V2026_8_31
    }

    /// `move_file` replaces a file at the destination.
    pub(crate) fn moves_onto_files(self) -> bool {
        self == Self::V2025_12_18
    }

    /// A file that is written again stays executable.
    pub(crate) fn keeps_permissions(self) -> bool {
        self == Self::V2026_8_31
    }

    /// `$&` and the like have a meaning in the new text of an edit.
    pub(crate) fn expands_dollars(self) -> bool {
        self == Self::V2025_12_18
    }

    /// The first and last lines of a file are decoded piece by piece, and a character that lies
    /// across two pieces is lost.
    pub(crate) fn decodes_pieces(self) -> bool {
        self == Self::V2025_12_18
    }

    /// Files that are neither image nor sound are read as embedded resources.
    pub(crate) fn embeds_resources(self) -> bool {
        self == Self::V2026_8_31
    }

    /// Differences prefer removals, and mark each line that has no line feed.
    pub(crate) fn removes_first(self) -> bool {
        self == Self::V2026_8_31
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_profile_has_its_surface() {
        for name in PROFILES {
            let surface = Profile::parse(name).unwrap().surface().unwrap();
            assert_eq!(surface.tools.len(), 14, "{name}");
        }
        assert_eq!(Profile::parse(PROFILES[0]), Some(Profile::default()));
        assert_eq!(Profile::parse("2025.8.21"), None);
    }
}
