//! Formatting of times.

/// Formats a time of the journal, in milliseconds since 1970, in RFC 3339 with seconds.
pub fn instant(milliseconds: i64) -> String {
    jiff::Timestamp::from_second(milliseconds.div_euclid(1000))
        .map_or_else(|_| milliseconds.to_string(), |time| time.to_string())
}

/// Formats a time of the journal in RFC 3339 with milliseconds.
pub(crate) fn moment(milliseconds: i64) -> String {
    jiff::Timestamp::from_millisecond(milliseconds)
        .map_or_else(|_| milliseconds.to_string(), |time| format!("{time:.3}"))
}
