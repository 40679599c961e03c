//! Enums that the journal stores as words.

/// Word in a column of the journal that none of the expected ones is.
#[derive(Debug, thiserror::Error)]
#[error("expected {}, found {found:?}", .expected.join(", "))]
pub(crate) struct UnknownWord {
    pub(crate) expected: &'static [&'static str],
    pub(crate) found: String,
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
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$of_variant])* $variant,)+
        }

        impl $name {
            /// All words.
            pub(crate) const WORDS: &'static [&'static str] = &[$($word),+];

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

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl rusqlite::types::FromSql for $name {
            fn column_result(
                value: rusqlite::types::ValueRef<'_>,
            ) -> rusqlite::types::FromSqlResult<Self> {
                match value.as_str()? {
                    $($word => Ok(Self::$variant),)+
                    other => Err(rusqlite::types::FromSqlError::other(
                        $crate::words::UnknownWord {
                            expected: Self::WORDS,
                            found: other.to_owned(),
                        },
                    )),
                }
            }
        }
    };
}
pub(crate) use words;
