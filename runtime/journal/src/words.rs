//! Enums that the journal stores as words.

use std::fmt;

use serde::de::DeserializeOwned;
use serde::de::value::StrDeserializer;

/// Text that is not a word of an enum.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, found {found:?}")]
pub struct UnknownWord {
    /// Words of the enum, separated by commas.
    pub(crate) expected: String,
    found: String,
}

impl serde::de::Error for UnknownWord {
    /// Other errors than those of [`unknown_variant`](Self::unknown_variant) do not occur: the variants of such an enum
    /// have no fields.
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self {
            expected: "a word".to_owned(),
            found: message.to_string(),
        }
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self {
            expected: expected.join(", "),
            found: variant.to_owned(),
        }
    }
}

/// Parses a word by the enum's own names of its variants.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, UnknownWord> {
    T::deserialize(StrDeserializer::new(text))
}

/// Defines an enum whose variants are words in the journal and in reports.
macro_rules! words {
    (
        $(#[$attribute:meta])*
        pub enum $name:ident {
            $($(#[$of_variant:meta])* $variant:ident = $word:literal,)+
        }
    ) => {
        $(#[$attribute])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
        )]
        pub enum $name {
            $($(#[$of_variant])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// Returns the word.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}
pub(crate) use words;
