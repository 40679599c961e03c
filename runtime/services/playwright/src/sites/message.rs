//! HTTP messages: requests as sites see them, and responses of the host itself.

use hyper::header::{COOKIE, HeaderMap, HeaderName, HeaderValue};
use percent_encoding::percent_decode_str;
use url::form_urlencoded;

use super::site::{SiteRequest, SiteResponse};

/// Media type of a form that is sent without files.
const FORM: &str = "application/x-www-form-urlencoded";

/// Headers that the host sets itself.
const RESERVED: [&str; 4] = ["connection", "content-length", "date", "transfer-encoding"];

/// Media types by extension.
const MEDIA_TYPES: &[(&str, &str)] = &[
    ("css", "text/css; charset=utf-8"),
    ("csv", "text/csv; charset=utf-8"),
    ("gif", "image/gif"),
    ("html", "text/html; charset=utf-8"),
    ("ico", "image/x-icon"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("js", "text/javascript; charset=utf-8"),
    ("json", "application/json"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("svg", "image/svg+xml"),
    ("txt", "text/plain; charset=utf-8"),
    ("webp", "image/webp"),
    ("woff2", "font/woff2"),
];

/// Parts of a request as received.
#[derive(Debug)]
pub(super) struct Received<'a> {
    pub(super) method: &'a str,
    pub(super) path: &'a str,
    pub(super) query: &'a str,
    pub(super) headers: &'a HeaderMap,
    pub(super) body: Vec<u8>,
}

impl Received<'_> {
    /// Returns the request as a site sees it, or the reason why it has no such form.
    pub(super) fn request(self) -> Result<SiteRequest, &'static str> {
        let path = percent_decode_str(self.path)
            .decode_utf8()
            .map_err(|_| "The path is not valid UTF-8.")?
            .into_owned();
        let mut hosts = self.headers.get_all("host").iter();
        let host = match (hosts.next(), hosts.next()) {
            (Some(host), None) => host.to_str().unwrap_or_default(),
            _ => return Err("Expected one Host header."),
        };
        let host = host.strip_suffix(":80").unwrap_or(host);
        let form = if is_form(self.headers) {
            pairs(&self.body)
        } else {
            Vec::new()
        };
        let target = match self.query {
            "" => self.path.to_owned(),
            query => format!("{}?{query}", self.path),
        };
        Ok(SiteRequest {
            target,
            method: self.method.to_owned(),
            host: host.to_ascii_lowercase(),
            path,
            query: pairs(self.query.as_bytes()),
            headers: headers(self.headers),
            cookies: cookies(self.headers),
            form,
            body: self.body,
        })
    }
}

fn pairs(encoded: &[u8]) -> Vec<(String, String)> {
    form_urlencoded::parse(encoded).into_owned().collect()
}

fn is_form(headers: &HeaderMap) -> bool {
    let kind = headers
        .get("content-type")
        .and_then(|kind| kind.to_str().ok());
    let essence = kind.and_then(|kind| kind.split(';').next()).map(str::trim);
    essence.is_some_and(|essence| essence.eq_ignore_ascii_case(FORM))
}

fn headers(headers: &HeaderMap) -> Vec<(String, String)> {
    let texts = headers.iter().filter(|(name, _)| *name != COOKIE);
    let texts = texts.filter_map(|(name, value)| {
        let value = value.to_str().ok()?.to_owned();
        Some((name.as_str().to_owned(), value))
    });
    texts.collect()
}

fn cookies(headers: &HeaderMap) -> Vec<(String, String)> {
    let lines = headers.get_all(COOKIE).iter();
    let lines = lines.filter_map(|line| line.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| {
        let (name, value) = pair.trim().split_once('=')?;
        Some((name.to_owned(), value.to_owned()))
    });
    pairs.collect()
}

/// Returns the problem of the headers of a response, if there is one.
pub(super) fn header_problem(headers: &[(String, String)]) -> Option<String> {
    headers.iter().find_map(|(name, value)| {
        let lower = name.to_ascii_lowercase();
        if RESERVED.contains(&lower.as_str()) {
            return Some(format!("header {name:?}: the host sets it"));
        }
        let is_valid =
            HeaderName::from_bytes(name.as_bytes()).is_ok() && HeaderValue::from_str(value).is_ok();
        (!is_valid).then(|| format!("header {name:?}: invalid name or value"))
    })
}

/// Returns a page of the host.
pub(super) fn error(status: u16, text: &str) -> SiteResponse {
    let body = format!(
        "<!doctype html>\n<html lang=\"en\"><head><title>{status}</title></head>\
         <body><h1>{status}</h1><p>{text}</p></body></html>\n"
    );
    SiteResponse {
        status,
        headers: vec![header("content-type", "text/html; charset=utf-8")],
        body: body.into_bytes(),
        session: None,
    }
}

/// Returns a static file.
pub(super) fn file(path: &str, body: Vec<u8>) -> SiteResponse {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    let known = MEDIA_TYPES
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(extension));
    let kind = known.map_or("application/octet-stream", |(_, kind)| kind);
    SiteResponse {
        status: 200,
        headers: vec![
            header("content-type", kind),
            header("x-content-type-options", "nosniff"),
        ],
        body,
        session: None,
    }
}

fn header(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn received(headers: &HeaderMap) -> Received<'_> {
        Received {
            method: "POST",
            path: "/a%20b/%C3%A9",
            query: "q=x+y&q=%26",
            headers,
            body: b"name=ann&name=&x".to_vec(),
        }
    }

    fn headers_of(lines: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    #[test]
    fn requests_are_decoded() {
        let headers = headers_of(&[
            ("host", "Forum.test:80"),
            (
                "content-type",
                "application/x-www-form-urlencoded; charset=UTF-8",
            ),
            ("cookie", "a=1; b=x=y"),
        ]);
        let request = received(&headers).request().unwrap();
        assert_eq!((&*request.host, &*request.path), ("forum.test", "/a b/é"));
        assert_eq!(request.target, "/a%20b/%C3%A9?q=x+y&q=%26");
        assert_eq!(request.query("q"), Some("x y"));
        assert_eq!(request.field("name"), Some("ann"));
        assert_eq!(request.form.len(), 3);
        assert_eq!(
            (request.cookie("b"), request.cookie("c")),
            (Some("x=y"), None)
        );
        assert!(request.headers.iter().all(|(name, _)| name != "cookie"));
    }

    #[test]
    fn malformed_requests_are_refused() {
        let two = headers_of(&[("host", "a.test"), ("host", "b.test")]);
        assert!(received(&two).request().is_err());
        let one = headers_of(&[("host", "a.test")]);
        let request = Received {
            path: "/%FF",
            ..received(&one)
        };
        assert!(request.request().is_err());
        let plain = received(&one).request().unwrap();
        assert!(plain.form.is_empty(), "a body of another type is no form");
    }

    #[test]
    fn headers_of_sites_are_checked() {
        let problem = |name: &str, value: &str| header_problem(&[header(name, value)]);
        assert_eq!(problem("location", "/next"), None);
        for (name, value) in [("Date", "x"), ("a b", "x"), ("x", "a\r\nb: c")] {
            assert!(problem(name, value).is_some(), "{name}");
        }
    }
}
