//! Mutations: the mistakes that certification makes in a solved world.

use std::fmt;

/// Name of a mutation, as in `meta.json` and in reports.
///
/// Mutations of files, texts and answers are constants of this type. A service adds its own
/// ([`ServiceKind::mutations`](crate::ServiceKind::mutations)).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mutation(&'static str);

macro_rules! mutations {
    ($($(#[$doc:meta])* $constant:ident $name:literal,)*) => {
        impl Mutation {
            $($(#[$doc])* pub const $constant: Self = Self($name);)*

            /// Mutations of files, texts and answers, which apply to the states of all services.
            pub const GENERAL: &'static [Self] = &[$(Self::$constant,)*];
        }
    };
}

mutations! {
    /// An output file, or an output directory with all its content, is deleted.
    DELETE "delete",
    /// An output is emptied.
    EMPTY "empty",
    /// The end of an output is cut off.
    TRUNCATE "truncate",
    /// An output is moved to another directory.
    WRONG_DIRECTORY "wrong-directory",
    /// An output is renamed.
    WRONG_NAME "wrong-name",
    /// An output, or one of its lines, has its content of the starting state, or a removed entry is restored.
    STALE "stale",
    /// A line is removed.
    DROP_LINE "drop-line",
    /// A line is duplicated.
    DUPLICATE_LINE "duplicate-line",
    /// Two consecutive lines are swapped.
    SWAP_LINES "swap-lines",
    /// All lines after the first are in reverse order.
    REVERSE_LINES "reverse-lines",
    /// An unwanted line is added.
    STRAY_LINE "stray-line",
    /// An unwanted blank line is added.
    BLANK_LINE "blank-line",
    /// A number is off by one, or by one in its last place.
    NUMBER "number",
    /// A date is off by one day.
    DATE "date",
    /// The first letter of a word changes between upper and lower case.
    CASE "case",
    /// Two fields of a line are swapped.
    SWAP_FIELDS "swap-fields",
    /// An item of a JSON array or object is removed.
    DROP_ITEM "drop-item",
    /// An element of a JSON array is duplicated.
    DUPLICATE_ITEM "duplicate-item",
    /// Two elements of a JSON array, or the values of two keys, are swapped.
    SWAP_ITEMS "swap-items",
    /// An unwanted key is added to a JSON object.
    STRAY_ITEM "stray-item",
    /// The keys of JSON objects are in another order.
    KEY_ORDER "key-order",
    /// The white space of a JSON document is changed.
    JSON_LAYOUT "json-layout",
    /// The newline at the end is missing, or there is an additional one.
    FINAL_NEWLINE "final-newline",
    /// A space is added at the end of a line.
    TRAILING_SPACE "trailing-space",
    /// Line endings change from LF to CRLF, or from CRLF to LF.
    LINE_ENDS "line-ends",
    /// A byte order mark is added at the start.
    BYTE_ORDER_MARK "byte-order-mark",
    /// An input, a file that the solution leaves unchanged, is edited.
    EDIT_INPUT "edit-input",
    /// An input is deleted.
    DELETE_INPUT "delete-input",
    /// An input is moved.
    MOVE_INPUT "move-input",
    /// The executable bit of a file is cleared.
    EXECUTABLE "executable",
    /// An unwanted file is added.
    STRAY_FILE "stray-file",
    /// An unwanted empty directory is added.
    STRAY_DIRECTORY "stray-directory",
    /// The answer is missing or empty.
    NO_ANSWER "no-answer",
}

impl Mutation {
    /// Creates a mutation of a service.
    pub const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// Returns the name.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Mutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0)
    }
}
