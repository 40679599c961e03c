//! Retries of requests that a registry refuses because of too many requests.

use std::time::Duration;

use reqwest::header::HeaderMap;
use reqwest::{RequestBuilder, Response, StatusCode};

use super::{RegistryError, within};

/// Maximum number of retries.
const MAX_RETRIES: u32 = 4;

/// Maximum delay that a registry may request. If it requests more, the request is not retried.
const MAX_DELAY: Duration = Duration::from_secs(30);

/// Sends a request, and retries it while the registry is overloaded.
pub(super) async fn send_with_retry(
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

/// Returns the delay before a retry, or `None` if the request should not be retried. Without `Retry-After`, the delay
/// doubles from one second.
fn wait(status: StatusCode, headers: &HeaderMap, times: u32) -> Option<Duration> {
    let wished = mcpmark_http::retry_after(headers);
    let is_busy = match status {
        StatusCode::TOO_MANY_REQUESTS => true,
        // Without `Retry-After`, the registry counts as unavailable.
        StatusCode::SERVICE_UNAVAILABLE => wished.is_some(),
        _ => false,
    };
    let wait = wished.unwrap_or(Duration::from_secs(1 << times.min(MAX_RETRIES)));
    (is_busy && times < MAX_RETRIES && wait <= MAX_DELAY).then_some(wait)
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
            (429, Some("1"), MAX_RETRIES, None),
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
