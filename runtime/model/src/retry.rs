//! Wait that a provider asks for before a retry, in a header or in its error message.

use std::time::Duration;

use http::HeaderMap;
use serde_json::Value;

/// Phrases before a wait in the messages of Gemini and OpenAI.
const WISHES: [&str; 2] = ["retry in ", "try again in "];

/// Returns the wait that an error asks for, from the most precise source that is valid.
pub(crate) fn wish(headers: Option<&HeaderMap>, body: &str) -> Option<Duration> {
    headers
        .and_then(by_header)
        .or_else(|| by_details(body))
        .or_else(|| by_words(body))
}

/// Reads OpenAI's header in milliseconds, or else the standard header `Retry-After`.
fn by_header(headers: &HeaderMap) -> Option<Duration> {
    let milliseconds = || {
        let text = headers.get("retry-after-ms")?.to_str().ok()?.trim();
        let wish = Duration::try_from_secs_f64(text.parse().ok()?).ok()?;
        Some(wish / 1000)
    };
    milliseconds().or_else(|| mcpmark_http::retry_after(headers))
}

/// Reads Google's `RetryInfo` from the details of an error.
fn by_details(body: &str) -> Option<Duration> {
    let document: Value = serde_json::from_str(body).ok()?;
    let error = [&document["error"], &document[0]["error"]];
    let details = error.iter().find_map(|error| error["details"].as_array())?;
    let delay = details
        .iter()
        .find_map(|detail| detail["retryDelay"].as_str())?;
    length(delay)
}

/// Reads a wait from an error message, as in “Please retry in 20.5s.” and “Please try again in 6m0s.”.
fn by_words(body: &str) -> Option<Duration> {
    let body = body.to_ascii_lowercase();
    let after = |wish: &&str| body.find(wish).map(|at| &body[at + wish.len()..]);
    WISHES.iter().find_map(after).and_then(length)
}

/// Parses the duration at the beginning of a text: numbers with units, as in `1h2m3.5s` and `250ms`.
fn length(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut whole = None;
    while let Some(end) = rest.find(|c: char| !c.is_ascii_digit() && c != '.') {
        let Ok(number) = rest[..end].parse::<f64>() else {
            break;
        };
        let units = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
        let unit = units.iter().find(|(unit, _)| rest[end..].starts_with(unit));
        let Some((unit, seconds)) = unit else {
            break;
        };
        whole = Some(whole.unwrap_or(0.0) + number * seconds);
        rest = &rest[end + unit.len()..];
    }
    Duration::try_from_secs_f64(whole?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_says_how_long_to_wait() {
        let read = |pairs: &[(&'static str, &str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.insert(*name, value.parse().unwrap());
            }
            by_header(&headers)
        };
        let date = ("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT");
        for (headers, seconds) in [
            (&[][..], None),
            (&[("retry-after", "2")], Some(2.0)),
            (&[("retry-after", " 1.5 ")], Some(1.5)),
            // The date is relative to the clock of the provider, which is more than a minute behind.
            (
                &[date, ("date", "Sun, 06 Nov 1994 08:48:00 GMT")],
                Some(97.0),
            ),
            (
                &[("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT")],
                Some(0.0),
            ),
            (
                &[("retry-after", "2"), ("retry-after-ms", "150")],
                Some(0.15),
            ),
            // An invalid header does not hide a valid one.
            (&[("retry-after", "2"), ("retry-after-ms", "-1")], Some(2.0)),
            (
                &[("retry-after", "2"), ("retry-after-ms", "soon")],
                Some(2.0),
            ),
            (&[("retry-after", "-1")], None),
            (&[("retry-after", "1e30")], None),
            (&[("retry-after", "tomorrow")], None),
        ] {
            let expected = seconds.map(Duration::from_secs_f64);
            assert_eq!(read(headers), expected, "{headers:?}");
        }
    }

    #[test]
    fn an_error_says_how_long_to_wait() {
        let gemini = r#"{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "m",
            "details": [{"@type": "type.googleapis.com/google.rpc.QuotaFailure"},
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "20.5s"}]}}"#;
        let listed = format!("[{gemini}]");
        for (body, seconds) in [
            (gemini, Some(20.5)),
            (&listed, Some(20.5)),
            (
                "You exceeded your current quota. Please retry in 20s.",
                Some(20.0),
            ),
            ("Please try again in 250ms. Visit", Some(0.25)),
            ("Please try again in 1h2m3.5s.", Some(3723.5)),
            ("Please try again in 6m0s", Some(360.0)),
            ("Please try again in a while", None),
            ("Please try again in 5", None),
            ("slow down", None),
        ] {
            let expected = seconds.map(Duration::from_secs_f64);
            assert_eq!(wish(None, body), expected, "{body}");
        }
    }
}
