/// A time of the journal in RFC 3339, to the second.
pub fn instant(milliseconds: i64) -> String {
    jiff::Timestamp::from_second(milliseconds.div_euclid(1000))
        .map_or_else(|_| milliseconds.to_string(), |time| time.to_string())
}

/// A time of the journal in RFC 3339, to the millisecond.
pub(crate) fn moment(milliseconds: i64) -> String {
    jiff::Timestamp::from_millisecond(milliseconds)
        .map_or_else(|_| milliseconds.to_string(), |time| format!("{time:.3}"))
}
