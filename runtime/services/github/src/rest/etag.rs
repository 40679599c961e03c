//! Conditional requests with `ETag` and `If-None-Match`.

use mcpmark_service::{HttpRequest, HttpResponse};
use sha2::{Digest, Sha256};

/// Adds an `ETag` to a response. Status 304 without a body if the client already has it.
pub(super) fn tagged(request: &HttpRequest, mut response: HttpResponse) -> HttpResponse {
    if !super::reads(request) || response.status != 200 {
        return response;
    }
    let digest = Sha256::digest(&response.body);
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let tag = format!("W/\"{digest}\"");
    if is_named(&request.if_none_match, &tag) {
        response.status = 304;
        response.body = Vec::new();
        response.headers.retain(|(name, _)| *name != "content-type");
    }
    response.headers.push(("etag", tag));
    response
}

/// Returns true if the header `If-None-Match` contains a tag, by weak comparison.
fn is_named(header: &str, tag: &str) -> bool {
    let strong = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let tag = strong(tag);
    header
        .split(',')
        .any(|it| it.trim() == "*" || strong(it) == tag)
}

#[cfg(test)]
mod tests {
    use super::is_named;

    #[test]
    fn tags_are_compared_weakly() {
        let tag = "W/\"ab\"";
        for header in ["W/\"ab\"", "\"ab\"", "\"cd\", W/\"ab\"", "*"] {
            assert!(is_named(header, tag), "{header}");
        }
        for header in ["", "ab", "\"abc\"", "W/\"AB\""] {
            assert!(!is_named(header, tag), "{header}");
        }
    }
}
