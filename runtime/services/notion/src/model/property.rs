//! Properties of databases and their values.

use std::collections::BTreeMap;

use super::{Color, DateValue, Id, NamedFile, RichText, Time};
use crate::formula::Formula;

macro_rules! property_types {
    ($($variant:ident $name:literal,)*) => {
        /// Type of a property.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum PropertyType {
            $(#[doc = concat!("`", $name, "`.")] $variant,)*
        }

        impl PropertyType {
            /// All types.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Returns the name in the API.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

// Names: documentation of the property schema object.
property_types! {
    Title "title",
    RichText "rich_text",
    Number "number",
    Select "select",
    MultiSelect "multi_select",
    Status "status",
    Date "date",
    People "people",
    Files "files",
    Checkbox "checkbox",
    Url "url",
    Email "email",
    PhoneNumber "phone_number",
    Relation "relation",
    Formula "formula",
    Rollup "rollup",
    UniqueId "unique_id",
    CreatedTime "created_time",
    CreatedBy "created_by",
    LastEditedTime "last_edited_time",
    LastEditedBy "last_edited_by",
    Button "button",
    Verification "verification",
}

/// Types of properties that the API documents and this service does not have.
pub const UNSUPPORTED_TYPES: &[&str] = &["place"];

impl PropertyType {
    /// Parses the name of a type.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// Reports whether requests cannot set values of the type, because they are derived from other data or set by people
    /// only.
    pub fn is_computed(self) -> bool {
        matches!(
            self,
            Self::Formula
                | Self::Rollup
                | Self::UniqueId
                | Self::CreatedTime
                | Self::CreatedBy
                | Self::LastEditedTime
                | Self::LastEditedBy
                | Self::Button
                | Self::Verification
        )
    }
}

/// Property of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    /// Id, which is unique in the database. That of the title is `title`.
    pub id: String,
    /// Name.
    pub name: String,
    /// Type with its settings.
    pub config: Config,
}

/// Id of the title of every page.
pub const TITLE: &str = "title";

/// Type of a property with its settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Config {
    /// Number with the name of its format.
    Number(&'static str),
    /// One option.
    Select(Vec<SelectOption>),
    /// Several options.
    MultiSelect(Vec<SelectOption>),
    /// One option, in a group.
    Status {
        /// Options.
        options: Vec<SelectOption>,
        /// Groups of the options.
        groups: Vec<StatusGroup>,
    },
    /// Pages of a database.
    Relation {
        /// Database.
        database: Id,
        /// Id of the property of that database that shows the other side. `None` for a one-way relation.
        synced: Option<String>,
    },
    /// Value computed from others.
    Formula(Formula),
    /// Summary of a property of related pages.
    Rollup(Rollup),
    /// Number of the row.
    UniqueId {
        /// Text before the number.
        prefix: Option<String>,
    },
    /// Type without settings.
    Plain(PropertyType),
}

impl Config {
    /// Returns the type.
    pub fn kind(&self) -> PropertyType {
        match self {
            Self::Number(_) => PropertyType::Number,
            Self::Select(_) => PropertyType::Select,
            Self::MultiSelect(_) => PropertyType::MultiSelect,
            Self::Status { .. } => PropertyType::Status,
            Self::Relation { .. } => PropertyType::Relation,
            Self::Formula(_) => PropertyType::Formula,
            Self::Rollup(_) => PropertyType::Rollup,
            Self::UniqueId { .. } => PropertyType::UniqueId,
            Self::Plain(kind) => *kind,
        }
    }

    /// Returns the options, if the type has options.
    pub fn options(&self) -> &[SelectOption] {
        match self {
            Self::Select(options) | Self::MultiSelect(options) | Self::Status { options, .. } => {
                options
            }
            _ => &[],
        }
    }

    /// Returns the options for a change, if the type has options.
    pub fn options_mut(&mut self) -> Option<&mut Vec<SelectOption>> {
        match self {
            Self::Select(options) | Self::MultiSelect(options) | Self::Status { options, .. } => {
                Some(options)
            }
            _ => None,
        }
    }

    /// Returns the option with this id.
    pub fn option(&self, id: &str) -> Option<&SelectOption> {
        self.options().iter().find(|option| option.id == id)
    }
}

/// Option of a select, multi-select or status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectOption {
    /// Id, which is unique in the property.
    pub id: String,
    /// Name.
    pub name: String,
    /// Colour.
    pub color: Color,
}

/// Group of the options of a status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusGroup {
    /// Id.
    pub id: String,
    /// Name.
    pub name: String,
    /// Colour.
    pub color: Color,
    /// Ids of the options.
    pub options: Vec<String>,
}

/// Settings of a rollup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rollup {
    /// Id of the relation in the same database.
    pub relation: String,
    /// Id of the summarised property in the related database.
    pub property: String,
    /// Function.
    pub function: RollupFunction,
}

macro_rules! rollup_functions {
    ($($variant:ident $name:literal,)*) => {
        /// Function of a rollup.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum RollupFunction {
            $(#[doc = concat!("`", $name, "`.")] $variant,)*
        }

        impl RollupFunction {
            /// All functions.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Returns the name in the API.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

// Names: documentation of the rollup configuration.
rollup_functions! {
    ShowOriginal "show_original",
    ShowUnique "show_unique",
    Count "count",
    CountValues "count_values",
    UniqueValues "unique",
    Empty "empty",
    NotEmpty "not_empty",
    PercentEmpty "percent_empty",
    PercentNotEmpty "percent_not_empty",
    Checked "checked",
    Unchecked "unchecked",
    PercentChecked "percent_checked",
    PercentUnchecked "percent_unchecked",
    Sum "sum",
    Average "average",
    Median "median",
    Min "min",
    Max "max",
    Range "range",
    EarliestDate "earliest_date",
    LatestDate "latest_date",
    DateRange "date_range",
}

impl RollupFunction {
    /// Parses the name of a function.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|function| function.name() == name)
    }
}

/// Formats of numbers (documentation of the property schema object).
pub const NUMBER_FORMATS: &[&str] = &[
    "number",
    "number_with_commas",
    "percent",
    "dollar",
    "canadian_dollar",
    "singapore_dollar",
    "euro",
    "pound",
    "yen",
    "ruble",
    "rupee",
    "won",
    "yuan",
    "real",
    "lira",
    "rupiah",
    "franc",
    "hong_kong_dollar",
    "new_zealand_dollar",
    "krona",
    "norwegian_krone",
    "mexican_peso",
    "rand",
    "new_taiwan_dollar",
    "danish_krone",
    "zloty",
    "baht",
    "forint",
    "koruna",
    "shekel",
    "chilean_peso",
    "philippine_peso",
    "dirham",
    "colombian_peso",
    "riyal",
    "ringgit",
    "leu",
    "argentine_peso",
    "uruguayan_peso",
    "peruvian_sol",
    "australian_dollar",
];

/// Returns the known format with this name.
pub fn number_format(name: &str) -> Option<&'static str> {
    NUMBER_FORMATS.iter().copied().find(|known| *known == name)
}

/// Stored value of a property. An empty value is not stored.
#[derive(Debug, Clone, PartialEq)]
pub enum PropertyValue {
    /// Title or text.
    Text(Vec<RichText>),
    /// Number.
    Number(f64),
    /// Id of the option of a select or status.
    Option(String),
    /// Ids of the options of a multi-select.
    Options(Vec<String>),
    /// Date.
    Date(DateValue),
    /// Users.
    People(Vec<Id>),
    /// Files.
    Files(Vec<NamedFile>),
    /// Checked box.
    Checked,
    /// URL, e-mail address or phone number.
    Line(String),
    /// Related pages.
    Relation(Vec<Id>),
    /// Number of a unique id.
    Serial(u64),
    /// Verification of a page.
    Verification(Verification),
}

/// Verification of a page by a user.
#[derive(Debug, Clone, PartialEq)]
pub struct Verification {
    /// User.
    pub by: Id,
    /// Period for which the page is verified. Without an end, the verification does not expire.
    pub date: DateValue,
}

impl Verification {
    /// Returns the state at a time.
    pub fn state(&self, now: Time) -> &'static str {
        match &self.date.end {
            Some(end) if end.time < now => "expired",
            _ => "verified",
        }
    }
}

/// Values of a page by the ids of its properties.
pub type Values = BTreeMap<String, PropertyValue>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_and_functions_parse_by_their_names() {
        for kind in PropertyType::ALL {
            assert_eq!(PropertyType::parse(kind.name()), Some(*kind));
            assert!(!UNSUPPORTED_TYPES.contains(&kind.name()));
        }
        for function in RollupFunction::ALL {
            assert_eq!(RollupFunction::parse(function.name()), Some(*function));
        }
        assert_eq!(number_format("euro"), Some("euro"));
        assert_eq!(number_format("doubloon"), None);
    }
}
