//! Objects of a workspace.

mod block;
mod id;
mod property;
mod sources;
mod text;
mod time;
mod version;
mod workspace;

pub use block::{BlockBody, BlockField, BlockType, LANGUAGES, Nesting, Target};
pub use id::{Id, IdSource};
pub use property::{
    Config, NUMBER_FORMATS, Property, PropertyType, PropertyValue, Rollup, RollupFunction,
    SelectOption, StatusGroup, TITLE, UNSUPPORTED_TYPES, Values, Verification, number_format,
};
pub use text::{Annotations, Color, FileSource, Icon, Mention, NamedFile, RichText, Span};
pub use time::{DateValue, Moment, Time};
pub use version::Version;
pub use workspace::{
    Comment, Database, Kind, Node, Page, Parent, Stamp, User, UserKind, Workspace,
};
