//! Responses: pages, redirects and cookies.

use maud::Markup;

/// Response to a browser.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Response {
    /// Status code.
    pub status: u16,
    /// Headers.
    pub headers: Vec<(String, String)>,
    /// Body.
    pub body: Vec<u8>,
    /// Account that made the request, for the log of requests.
    pub account: Option<String>,
}

impl Response {
    /// Creates a page.
    pub fn html(page: Markup) -> Self {
        Self::new("text/html; charset=utf-8", page.into_string())
    }

    /// Creates a response with this media type.
    pub fn new(media_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status: 200,
            headers: vec![("content-type".to_owned(), media_type.to_owned())],
            body: body.into(),
            account: None,
        }
    }

    /// Creates a file that the browser saves under a name. Characters that a header cannot contain are left out of it.
    pub fn download(media_type: &str, name: &str, body: impl Into<Vec<u8>>) -> Self {
        let is_plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        let name: String = name.chars().filter(is_plain).collect();
        Self::new(media_type, body).with_header(
            "content-disposition",
            format!("attachment; filename=\"{name}\""),
        )
    }

    /// Creates a redirect that the browser follows with GET (303). Only paths of the same site are allowed; any other
    /// address leads to `/`.
    pub fn redirect(path: &str) -> Self {
        let is_own = path.starts_with('/')
            && !path.starts_with("//")
            && !path.starts_with("/\\")
            && path.chars().all(|c| c.is_ascii_graphic());
        let path = if is_own { path } else { "/" };
        Self {
            status: 303,
            ..Self::default()
        }
        .with_header("location", path)
    }

    /// Sets the status code.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// Adds a header.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// Sets a cookie for the whole site that scripts of pages cannot read. It lasts until the browser is closed, or is
    /// removed if `value` is `None`.
    #[must_use]
    pub fn with_cookie(self, name: &str, value: Option<&str>) -> Self {
        let cookie = match value {
            Some(value) => format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax"),
            None => format!("{name}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0"),
        };
        self.with_header("set-cookie", cookie)
    }
}

#[cfg(test)]
mod tests {
    use maud::html;

    use super::*;

    #[test]
    fn pages_escape_by_default() {
        let name = "<script>\"&";
        let page = Response::html(html! { a title=(name) { (name) } });
        assert_eq!(
            String::from_utf8(page.body).unwrap(),
            "<a title=\"&lt;script&gt;&quot;&amp;\">&lt;script&gt;&quot;&amp;</a>"
        );
    }

    #[test]
    fn redirects_stay_on_the_site() {
        let location = |path| Response::redirect(path).headers[0].1.clone();
        assert_eq!(location("/tickets/7?page=2"), "/tickets/7?page=2");
        for path in [
            "http://other.test/",
            "//other.test/",
            "/\\other.test",
            "",
            "/a b",
            "/a\r\nx: y",
        ] {
            assert_eq!(location(path), "/", "{path:?}");
        }
    }

    #[test]
    fn names_of_downloads_are_plain() {
        let file = Response::download("text/csv", "a\"b\r\n.csv", "x");
        assert_eq!(file.headers[1].1, "attachment; filename=\"ab.csv\"");
    }
}
