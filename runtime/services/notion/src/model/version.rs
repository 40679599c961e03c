//! Versions of the API.

/// Version of the API, which the header `Notion-Version` of a request names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Version {
    /// `2022-06-28`: a database has properties and rows.
    #[default]
    V2022_06_28,
    /// `2025-09-03`: a database has data sources, which have properties and rows.
    V2025_09_03,
    /// `2026-03-11`: objects have no field `archived`, and pages are read and written as Markdown.
    V2026_03_11,
}

impl Version {
    /// All versions, in the order of their dates.
    pub const ALL: &'static [Self] = &[Self::V2022_06_28, Self::V2025_09_03, Self::V2026_03_11];

    /// Returns the value of the header.
    pub fn name(self) -> &'static str {
        match self {
            Self::V2022_06_28 => "2022-06-28",
            Self::V2025_09_03 => "2025-09-03",
            Self::V2026_03_11 => "2026-03-11",
        }
    }

    /// Parses the value of the header.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.name() == name)
    }

    /// Reports whether databases have data sources.
    pub fn has_data_sources(self) -> bool {
        self >= Self::V2025_09_03
    }

    /// Reports whether objects have the field `archived` beside `in_trash`.
    pub fn has_archived(self) -> bool {
        self < Self::V2026_03_11
    }
}
