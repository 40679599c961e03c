//! Requests: path, query, headers, cookies and forms.

use std::str::FromStr;

use percent_encoding::percent_decode_str;

use crate::multipart::{self, Upload};
use crate::{Error, Session};

/// Request of a browser.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Request {
    /// Method in upper case.
    pub method: String,
    /// Host name in lower case.
    pub host: String,
    /// Decoded path, which begins with a slash.
    pub path: String,
    /// Decoded pairs of the query, in order.
    pub query: Vec<(String, String)>,
    /// Headers with names in lower case.
    pub headers: Vec<(String, String)>,
    /// Cookies, in order.
    pub cookies: Vec<(String, String)>,
    /// Decoded fields of the form, in order. Files are in [`uploads`](Self::uploads).
    pub form: Vec<(String, String)>,
    /// Files of the form.
    pub uploads: Vec<Upload>,
    /// Body as received.
    pub body: Vec<u8>,
    /// Session of the browser, once [`Session::open`] has read it.
    pub session: Session,
    /// Values of the placeholders in the route.
    pub(crate) parameters: Vec<(String, String)>,
}

impl Request {
    /// Parses a request.
    ///
    /// # Errors
    ///
    /// Returns [`Error::BadRequest`] if the path is not UTF-8 or the form is malformed.
    pub fn parse(
        method: String,
        host: String,
        target: &str,
        headers: Vec<(String, String)>,
        body: Vec<u8>,
    ) -> Result<Self, Error> {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let path = percent_decode_str(path).decode_utf8();
        let path =
            path.map_err(|_| Error::BadRequest("The path is not valid UTF-8.".to_owned()))?;
        let mut request = Self {
            method,
            host,
            path: path.into_owned(),
            query: pairs(query.as_bytes()),
            cookies: cookies(&headers),
            headers,
            body,
            ..Self::default()
        };
        let kind = request.header("content-type").unwrap_or_default();
        let (essence, parameters) = kind.split_once(';').unwrap_or((kind, ""));
        match essence.trim().to_ascii_lowercase().as_str() {
            "application/x-www-form-urlencoded" => request.form = pairs(&request.body),
            "multipart/form-data" => {
                let boundary = multipart::boundary(parameters);
                let parts = boundary.and_then(|it| multipart::parse(&request.body, it));
                let malformed = || Error::BadRequest("The form is malformed.".to_owned());
                (request.form, request.uploads) = parts.ok_or_else(malformed)?;
            }
            _ => {}
        }
        Ok(request)
    }

    /// Returns the first value of a header. `name` is in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        first(&self.headers, name)
    }

    /// Returns the first value of the query with this name.
    pub fn query(&self, name: &str) -> Option<&str> {
        first(&self.query, name)
    }

    /// Returns the value of the first cookie with this name.
    pub fn cookie(&self, name: &str) -> Option<&str> {
        first(&self.cookies, name)
    }

    /// Returns the first value of the form with this name, without white space around it; empty if there is none.
    pub fn field(&self, name: &str) -> &str {
        first(&self.form, name).unwrap_or_default().trim()
    }

    /// Returns all values of the form with this name, such as those of check boxes.
    pub fn fields<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let named = self.form.iter().filter(move |(key, _)| key == name);
        named.map(|(_, value)| value.as_str())
    }

    /// Returns the value of a placeholder in the route.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NotFound`] if the value has another type, or the route no such placeholder.
    pub fn parameter<T: FromStr>(&self, name: &str) -> Result<T, Error> {
        let value = first(&self.parameters, name).and_then(|value| value.parse().ok());
        value.ok_or(Error::NotFound)
    }

    /// Returns the query with one value replaced, for links that keep the others, such as `?q=bread&page=2`.
    pub fn with_query(&self, name: &str, value: &str) -> String {
        let others = self.query.iter().filter(|(key, _)| key != name);
        let mut query = form_urlencoded::Serializer::for_suffix(String::from("?"), 1);
        for (key, value) in others {
            query.append_pair(key, value);
        }
        query.append_pair(name, value).finish()
    }
}

fn first<'a>(pairs: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let found = pairs.iter().find(|(key, _)| key == name);
    found.map(|(_, value)| value.as_str())
}

fn pairs(encoded: &[u8]) -> Vec<(String, String)> {
    form_urlencoded::parse(encoded).into_owned().collect()
}

fn cookies(headers: &[(String, String)]) -> Vec<(String, String)> {
    let lines = headers.iter().filter(|(name, _)| name == "cookie");
    let pairs = lines
        .flat_map(|(_, line)| line.split(';'))
        .filter_map(|pair| {
            let (name, value) = pair.trim().split_once('=')?;
            Some((name.to_owned(), value.to_owned()))
        });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(target: &str, headers: &[(&str, &str)], body: &str) -> Result<Request, Error> {
        let own = |text: &str| text.to_owned();
        let headers = headers.iter().map(|(name, value)| (own(name), own(value)));
        Request::parse(
            own("POST"),
            own("desk.test"),
            target,
            headers.collect(),
            body.as_bytes().to_vec(),
        )
    }

    #[test]
    fn path_query_cookies_and_form_are_decoded() {
        let request = parse(
            "/a%20b/%C3%A9?q=x+y&page=2&q=%26",
            &[
                (
                    "content-type",
                    "application/x-www-form-urlencoded; charset=UTF-8",
                ),
                ("cookie", "session=1; theme=a=b"),
            ],
            "title=+Lost+keys+&tag=a&tag=b",
        )
        .unwrap();
        assert_eq!(request.path, "/a b/é");
        assert_eq!(
            (request.query("q"), request.query("x")),
            (Some("x y"), None)
        );
        assert_eq!(request.cookie("theme"), Some("a=b"));
        assert_eq!(request.field("title"), "Lost keys");
        assert_eq!(request.field("absent"), "");
        assert!(request.fields("tag").eq(["a", "b"]));
        assert_eq!(request.with_query("page", "3"), "?q=x+y&q=%26&page=3");
    }

    #[test]
    fn malformed_requests_are_refused() {
        assert!(parse("/%FF", &[], "").is_err());
        let kind = ("content-type", "multipart/form-data; boundary=b");
        assert!(parse("/", &[kind], "nonsense").is_err());
        assert!(parse("/", &[("content-type", "multipart/form-data")], "").is_err());
        assert!(
            parse("/", &[("content-type", "text/plain")], "a=b")
                .unwrap()
                .form
                .is_empty()
        );
    }

    #[test]
    fn placeholders_have_types() {
        let mut request = parse("/", &[], "").unwrap();
        request.parameters = vec![("id".to_owned(), "12".to_owned())];
        assert_eq!(request.parameter::<i64>("id"), Ok(12));
        request.parameters[0].1 = "twelve".to_owned();
        assert_eq!(request.parameter::<i64>("id"), Err(Error::NotFound));
    }
}
