/// A time of the journal in RFC 3339, to the second.
pub fn instant(milliseconds: i64) -> String {
    jiff::Timestamp::from_second(milliseconds.div_euclid(1000))
        .map_or_else(|_| milliseconds.to_string(), |time| time.to_string())
}
