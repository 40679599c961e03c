//! Delays that servers request in the header `Retry-After`.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use reqwest::header::{DATE, HeaderMap, HeaderName, RETRY_AFTER};

/// Returns the delay in the header `Retry-After`, which is a number of seconds or a date. A date is relative to the
/// header `Date` if present, otherwise to the local clock.
pub fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: HeaderName| Some(headers.get(name)?.to_str().ok()?.trim());
    let date = |text: &str| DateTimeParser::new().parse_timestamp(text).ok();
    let wish = text(RETRY_AFTER)?;
    if let Ok(seconds) = wish.parse() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let now = text(DATE).and_then(date).unwrap_or_else(Timestamp::now);
    // A date in the past means no delay.
    Some(Duration::try_from(date(wish)?.duration_since(now)).unwrap_or(Duration::ZERO))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_says_how_long_to_wait() {
        let there = ("date", "Sun, 06 Nov 1994 08:49:07 GMT");
        for (wish, seconds) in [
            ("2", Some(2.0)),
            (" 1.5 ", Some(1.5)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(30.0)),
            ("Sun, 06 Nov 1994 08:00:00 GMT", Some(0.0)),
            ("-1", None),
            ("1e30", None),
            ("NaN", None),
            ("tomorrow", None),
        ] {
            let mut headers = HeaderMap::new();
            for (name, value) in [there, ("retry-after", wish)] {
                headers.insert(name, value.parse().unwrap());
            }
            let found = retry_after(&headers).map(|wait| wait.as_secs_f64());
            assert_eq!(found, seconds, "{wish}");
        }
        // A date in the past by the local clock.
        let mut headers = HeaderMap::new();
        assert_eq!(retry_after(&headers), None);
        headers.insert(
            RETRY_AFTER,
            "Sun, 06 Nov 1994 08:49:37 GMT".parse().unwrap(),
        );
        assert_eq!(retry_after(&headers), Some(Duration::ZERO));
    }
}
