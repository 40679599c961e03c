//! Changes of the properties of databases.

mod add;
mod alter;
mod check;

pub(crate) use self::add::add;
pub(crate) use self::alter::change;
pub(super) use self::check::{check_changes, check_new};
use crate::input::NewConfig;

/// Change of one property that was checked.
#[derive(Debug, Clone)]
pub(crate) enum Change {
    /// New property.
    Add(String, NewConfig),
    /// Removal of the property with this id.
    Remove(String),
    /// Change of the name or type of the property with this id.
    Alter {
        id: String,
        name: Option<String>,
        config: Option<NewConfig>,
    },
}
