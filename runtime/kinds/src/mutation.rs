//! Mutations: the mistakes that certification puts into a solved world.

use std::fmt;

/// The name of a mutation, as in `meta.json` and in reports.
///
/// Those of files, texts and answers are constants of this type; a service adds its own
/// ([`ServiceKind::mutations`](crate::ServiceKind::mutations)).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mutation(&'static str);

macro_rules! mutations {
    ($($(#[$doc:meta])* $constant:ident $name:literal,)*) => {
        impl Mutation {
            $($(#[$doc])* pub const $constant: Self = Self($name);)*

            /// The mutations of files, texts and answers, which the states of all services have.
            pub const GENERAL: &'static [Self] = &[$(Self::$constant,)*];
        }
    };
}

mutations! {
    /// An output is deleted, or a directory with all its outputs.
    DELETE "delete",
    /// An output is empty.
    EMPTY "empty",
    /// The end of an output is missing.
    TRUNCATE "truncate",
    /// An output stands in another directory.
    WRONG_DIRECTORY "wrong-directory",
    /// An output has another name.
    WRONG_NAME "wrong-name",
    /// An output, or a line of it, is what it was at the start; or what was removed is back.
    STALE "stale",
    /// A line is missing.
    DROP_LINE "drop-line",
    /// A line stands there twice.
    DUPLICATE_LINE "duplicate-line",
    /// Two lines that follow each other are swapped.
    SWAP_LINES "swap-lines",
    /// All lines after the first are in reverse order.
    REVERSE_LINES "reverse-lines",
    /// A line is there that nobody asked for.
    STRAY_LINE "stray-line",
    /// A blank line is there that nobody asked for.
    BLANK_LINE "blank-line",
    /// A number is off by one, or by one in its last place.
    NUMBER "number",
    /// A date is off by a day.
    DATE "date",
    /// A word begins with a capital and should not, or should and does not.
    CASE "case",
    /// Two fields of a line are swapped.
    SWAP_FIELDS "swap-fields",
    /// An item of a JSON array or object is missing.
    DROP_ITEM "drop-item",
    /// An element of a JSON array stands there twice.
    DUPLICATE_ITEM "duplicate-item",
    /// Two elements of a JSON array, or the values of two keys, are swapped.
    SWAP_ITEMS "swap-items",
    /// A JSON object has a key that nobody asked for.
    STRAY_ITEM "stray-item",
    /// The keys of JSON objects stand in another order.
    KEY_ORDER "key-order",
    /// The same JSON with other white space.
    JSON_LAYOUT "json-layout",
    /// The newline at the end is missing, or there is one too many.
    FINAL_NEWLINE "final-newline",
    /// A blank is added at the end of a line.
    TRAILING_SPACE "trailing-space",
    /// Lines end with CRLF instead of LF, or the other way round.
    LINE_ENDS "line-ends",
    /// A byte order mark stands at the start.
    BYTE_ORDER_MARK "byte-order-mark",
    /// What was to stay as it is was edited.
    EDIT_INPUT "edit-input",
    /// What was to stay as it is was deleted.
    DELETE_INPUT "delete-input",
    /// What was to stay as it is was moved.
    MOVE_INPUT "move-input",
    /// A file that may be executed may not be any more.
    EXECUTABLE "executable",
    /// A file is there that nobody asked for.
    STRAY_FILE "stray-file",
    /// An empty directory is there that nobody asked for.
    STRAY_DIRECTORY "stray-directory",
    /// There is no answer, or an empty one.
    NO_ANSWER "no-answer",
}

impl Mutation {
    /// A mutation of a service.
    pub const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// The name.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Mutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0)
    }
}
