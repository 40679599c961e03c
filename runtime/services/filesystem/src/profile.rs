//! Supported versions of the published server, and their differences.

use mcpmark_service::ToolSurface;

/// Versions of the published server that a session can reproduce. The first one is the default.
pub const PROFILES: &[&str] = &["2025.12.18", "2026.8.31"];

/// Version of the published server.
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

    /// Returns the identity and the tools. The descriptions are worded differently from the published ones.
    pub(crate) fn surface(self) -> Result<ToolSurface, serde_json::Error> {
        let tools = match self {
            Self::V2025_12_18 => include_str!("../surface/2025.12.18.json"),
            Self::V2026_8_31 => include_str!("../surface/2026.8.31.json"),
        };
        let surface = ToolSurface::parse("secure-filesystem-server", "0.2.0", tools)?;
        Ok(surface.with_list_changed())
    }

    /// Reports whether paths may lack a parent directory, and may match an entry in another Unicode normalisation form.
    pub(crate) fn matches_unicode_forms(self) -> bool {
        self == Self::V2026_8_31
    }

    /// Reports whether Windows paths such as `C:\x` are refused.
    pub(crate) fn refuses_drives(self) -> bool {
        self == Self::V2026_8_31
    }

    /// Reports whether `move_file` replaces a file at the destination.
    pub(crate) fn moves_onto_files(self) -> bool {
        self == Self::V2025_12_18
    }

    /// Reports whether a file stays executable when it is overwritten.
    pub(crate) fn keeps_permissions(self) -> bool {
        self == Self::V2026_8_31
    }

    /// Reports whether replacement patterns such as `$&` are expanded in the new text of an edit.
    pub(crate) fn expands_dollars(self) -> bool {
        self == Self::V2025_12_18
    }

    /// Reports whether `head` and `tail` decode a file in separate pieces, so that a character across two pieces is
    /// lost.
    pub(crate) fn decodes_pieces(self) -> bool {
        self == Self::V2025_12_18
    }

    /// Reports whether `read_media_file` returns other files than images and audio as embedded resources.
    pub(crate) fn embeds_resources(self) -> bool {
        self == Self::V2026_8_31
    }

    /// Reports whether diffs prefer removals, and mark each line without a line feed.
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
