//! Routes: which handler answers a request.

use crate::{Answer, Context, Error, Request, Response};

/// Function that answers the requests of one route.
pub type Handler = fn(&Request, &mut Context<'_>) -> Answer;

/// Function that returns the page of an error.
type ErrorPage = fn(&Error, &Request, &mut Context<'_>) -> Response;

/// Routes of a site. The first one that fits answers.
#[derive(Debug, Clone, Default)]
pub struct Router {
    routes: Vec<(&'static str, &'static str, Handler)>,
    errors: Option<ErrorPage>,
}

impl Router {
    /// Creates a router without routes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a route for GET and HEAD. A segment such as `{id}` of the path stands for any segment that is not empty, and
    /// [`Request::parameter`] returns it.
    #[must_use]
    pub fn get(self, path: &'static str, handler: Handler) -> Self {
        self.route("GET", path, handler)
    }

    /// Adds a route for POST. See [`get`](Self::get).
    #[must_use]
    pub fn post(self, path: &'static str, handler: Handler) -> Self {
        self.route("POST", path, handler)
    }

    fn route(mut self, method: &'static str, path: &'static str, handler: Handler) -> Self {
        self.routes.push((method, path, handler));
        self
    }

    /// Sets the function that returns the pages of errors. The status is set afterwards.
    #[must_use]
    pub fn errors(mut self, page: ErrorPage) -> Self {
        self.errors = Some(page);
        self
    }

    /// Answers a request.
    pub fn answer(&self, request: &mut Request, context: &mut Context<'_>) -> Response {
        let answer = self.dispatch(request, context);
        answer.unwrap_or_else(|error| {
            let response = match self.errors {
                Some(page) => page(&error, request, context),
                None => error.response(),
            };
            response.with_status(error.status())
        })
    }

    fn dispatch(&self, request: &mut Request, context: &mut Context<'_>) -> Answer {
        let method = match request.method.as_str() {
            "HEAD" => "GET",
            method => method,
        };
        let mut is_known = false;
        for (allowed, path, handler) in &self.routes {
            let Some(parameters) = matched(path, &request.path) else {
                continue;
            };
            is_known = true;
            if *allowed == method {
                request.parameters = parameters;
                return handler(request, context);
            }
        }
        Err(if is_known {
            Error::MethodNotAllowed
        } else {
            Error::NotFound
        })
    }
}

/// Returns the values of the placeholders if a path fits a pattern.
fn matched(pattern: &str, path: &str) -> Option<Vec<(String, String)>> {
    let mut parameters = Vec::new();
    let (mut expected, mut found) = (pattern.split('/'), path.split('/'));
    loop {
        let (expected, found) = match (expected.next(), found.next()) {
            (None, None) => return Some(parameters),
            (Some(expected), Some(found)) => (expected, found),
            _ => return None,
        };
        let name = expected
            .strip_prefix('{')
            .and_then(|it| it.strip_suffix('}'));
        match name {
            Some(name) if !found.is_empty() => {
                parameters.push((name.to_owned(), found.to_owned()));
            }
            None if expected == found => {}
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use maud::html;

    use super::*;
    use crate::testing::Recorded;

    fn show(request: &Request, _context: &mut Context<'_>) -> Answer {
        let id: i64 = request.parameter("id")?;
        Ok(Response::html(html! { "note " (id) }))
    }

    fn list(_request: &Request, _context: &mut Context<'_>) -> Answer {
        Ok(Response::html(html! { "all" }))
    }

    fn answer(method: &str, path: &str) -> (u16, String) {
        let router = Router::new()
            .get("/notes/new", list)
            .get("/notes/{id}", show)
            .post("/notes", list)
            .errors(|error, _, _| Response::html(html! { "error: " (error) }));
        let mut backend = Recorded::default();
        let mut request = Request {
            method: method.to_owned(),
            path: path.to_owned(),
            ..Request::default()
        };
        let response = router.answer(&mut request, &mut Context::new(&mut backend));
        (response.status, String::from_utf8(response.body).unwrap())
    }

    #[test]
    fn the_first_route_that_fits_answers() {
        assert_eq!(answer("GET", "/notes/new"), (200, "all".to_owned()));
        assert_eq!(answer("HEAD", "/notes/7"), (200, "note 7".to_owned()));
        assert_eq!(answer("POST", "/notes"), (200, "all".to_owned()));
    }

    #[test]
    fn errors_have_the_page_of_the_site_and_their_own_status() {
        for (method, path, status) in [
            ("GET", "/", 404),
            ("GET", "/notes/", 404),
            ("GET", "/notes/x", 404),
            ("GET", "/notes/7/more", 404),
            ("DELETE", "/notes/7", 405),
            ("GET", "/notes", 405),
        ] {
            let (found, body) = answer(method, path);
            assert_eq!(found, status, "{method} {path}");
            assert!(body.starts_with("error: "), "{body}");
        }
    }
}
