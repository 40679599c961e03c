//! Registries that have had too many requests: they are asked again, a few times and not for long.

use std::time::Duration;

use reqwest::header::HeaderMap;
use reqwest::{RequestBuilder, Response, StatusCode};

use super::{RegistryError, within};

/// Times that a request is sent again.
const TIMES: u32 = 4;

/// The longest wait that a registry may ask for. One that asks for more is taken at its word, and not
/// waited for.
const LONGEST: Duration = Duration::from_secs(30);

/// Sends a request, and again while the registry says that it has too many.
pub(super) async fn patiently(
    what: &str,
    request: RequestBuilder,
) -> Result<Response, RegistryError> {
    let (mut request, mut times) = (request, 0);
    loop {
        let again = request.try_clone();
        let response = within(what, request.send()).await?;
        match (again, wait(response.status(), response.headers(), times)) {
            (Some(again), Some(wait)) => {
                tokio::time::sleep(wait).await;
                request = again;
                times += 1;
            }
            _ => return Ok(response),
        }
    }
}

/// How long to wait after an answer, where the request is worth being sent again.
fn wait(status: StatusCode, headers: &HeaderMap, times: u32) -> Option<Duration> {
    let wished = mcpmark_http::retry_after(headers);
    let is_busy = match status {
        StatusCode::TOO_MANY_REQUESTS => true,
        // Without a word of when it will be back, it is away.
        StatusCode::SERVICE_UNAVAILABLE => wished.is_some(),
        _ => false,
    };
    let wait = wished.unwrap_or(Duration::from_secs(1 << times.min(TIMES)));
    (is_busy && times < TIMES && wait <= LONGEST).then_some(wait)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registry_is_waited_for_as_it_asks_and_not_for_long() {
        for (status, wish, times, seconds) in [
            (429, Some("0"), 0, Some(0)),
            (429, Some("7"), 3, Some(7)),
            (429, Some("30"), 0, Some(30)),
            (429, Some("31"), 0, None),
            (429, Some("1"), TIMES, None),
            (429, None, 0, Some(1)),
            (429, None, 3, Some(8)),
            (429, None, u32::MAX, None),
            (429, Some("soon"), 1, Some(2)),
            (503, Some("2"), 0, Some(2)),
            (503, None, 0, None),
            (500, Some("2"), 0, None),
            (200, Some("2"), 0, None),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(wish) = wish {
                headers.insert("retry-after", wish.parse().unwrap());
            }
            let found = wait(StatusCode::from_u16(status).unwrap(), &headers, times);
            let wanted = seconds.map(Duration::from_secs);
            assert_eq!(found, wanted, "{status} {wish:?} {times}");
        }
    }
}
