//! Sessions in the database: the account of a browser, its CSRF token and its next message.

use maud::{Markup, html};

use crate::{Context, Error, Request, Response, Value};

/// Statement that creates the table of the sessions. A world whose site uses sessions has it in `tables.sql`.
pub const SESSIONS: &str = "CREATE TABLE sessions (token TEXT PRIMARY KEY, account TEXT, csrf TEXT NOT NULL, \
                            message TEXT, opened INTEGER NOT NULL)";

/// Name of the hidden field with the CSRF token.
pub const CSRF_FIELD: &str = "csrf";

const COOKIE: &str = "session";

/// Session of a browser.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Session {
    token: Option<String>,
    account: Option<String>,
    csrf: String,
    message: Option<String>,
    is_new: bool,
}

impl Session {
    /// Reads the session of a browser into the request. A request that changes something, which is every one except GET
    /// and HEAD, must have the CSRF token of its session. A message of an earlier request is shown once.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Forbidden`] if the token is missing or wrong.
    pub fn open(request: &mut Request, context: &mut Context<'_>) -> Result<(), Error> {
        if let Some(token) = request.cookie(COOKIE).map(str::to_owned) {
            let sql = "SELECT account, csrf, message FROM sessions WHERE token = ?1";
            if let Some(row) = context.find(sql, [&token])? {
                let optional = |name| (!row.is_null(name)).then(|| row.text(name));
                request.session = Self {
                    account: optional("account"),
                    csrf: row.text("csrf"),
                    message: optional("message"),
                    token: Some(token),
                    is_new: false,
                };
            }
        }
        if matches!(request.method.as_str(), "GET" | "HEAD") {
            let session = &request.session;
            if let (Some(token), Some(_)) = (&session.token, &session.message) {
                context.execute(
                    "UPDATE sessions SET message = NULL WHERE token = ?1",
                    [token],
                )?;
            }
            return Ok(());
        }
        let csrf = &request.session.csrf;
        if csrf.is_empty() || request.field(CSRF_FIELD) != csrf {
            return Err(Error::Forbidden(
                "The form has expired. Go back, reload the page and send it again.".to_owned(),
            ));
        }
        Ok(())
    }

    /// Creates a session without an account if the browser has none, so that its pages may have forms. Call it for every
    /// page with a form, before [`csrf_field`](Self::csrf_field).
    ///
    /// # Errors
    ///
    /// Returns an error if the session cannot be stored.
    pub fn ensure(request: &mut Request, context: &mut Context<'_>) -> Result<(), Error> {
        if request.session.token.is_none() {
            request.session = Self::create(None, context)?;
        }
        Ok(())
    }

    fn create(account: Option<&str>, context: &mut Context<'_>) -> Result<Self, Error> {
        let (token, csrf, now) = (context.token(), context.token(), context.now());
        context.execute(
            "INSERT INTO sessions (token, account, csrf, opened) VALUES (?1, ?2, ?3, ?4)",
            [
                Value::from(&token),
                account.into(),
                (&csrf).into(),
                now.into(),
            ],
        )?;
        Ok(Self {
            token: Some(token),
            account: account.map(str::to_owned),
            csrf,
            message: None,
            is_new: true,
        })
    }

    /// Signs an account in: replaces the session by a new one, so that an earlier token is worth nothing.
    ///
    /// # Errors
    ///
    /// Returns an error if the session cannot be stored.
    pub fn sign_in(&self, account: &str, context: &mut Context<'_>) -> Result<Self, Error> {
        self.end(context)?;
        Self::create(Some(account), context)
    }

    /// Ends the session.
    ///
    /// # Errors
    ///
    /// Returns an error if the database cannot be changed.
    pub fn end(&self, context: &mut Context<'_>) -> Result<(), Error> {
        if let Some(token) = &self.token {
            context.execute("DELETE FROM sessions WHERE token = ?1", [token])?;
        }
        Ok(())
    }

    /// Sets the message that the next page of the browser shows. Without a session, there is none.
    ///
    /// # Errors
    ///
    /// Returns an error if the message cannot be stored.
    pub fn tell(&self, message: &str, context: &mut Context<'_>) -> Result<(), Error> {
        if let Some(token) = &self.token {
            let sql = "UPDATE sessions SET message = ?2 WHERE token = ?1";
            context.execute(sql, [token.as_str(), message])?;
        }
        Ok(())
    }

    /// Returns the account that is signed in.
    pub fn account(&self) -> Option<&str> {
        self.account.as_deref()
    }

    /// Returns the message that the page must show.
    pub fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    /// Returns the hidden field with the CSRF token, which every form with the method POST needs.
    pub fn csrf_field(&self) -> Markup {
        html! { input type="hidden" name=(CSRF_FIELD) value=(self.csrf); }
    }

    /// Completes a response: sets the cookie of a new session, and names the account for the log of requests.
    #[must_use]
    pub fn complete(&self, response: Response) -> Response {
        let mut response = match &self.token {
            Some(token) if self.is_new => response.with_cookie(COOKIE, Some(token)),
            _ => response,
        };
        response.account = response.account.or_else(|| self.account.clone());
        response
    }

    /// Returns a response that makes the browser forget the session.
    #[must_use]
    pub fn forget(response: Response) -> Response {
        response.with_cookie(COOKIE, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Row;
    use crate::testing::Recorded;

    fn stored(message: Value) -> Recorded {
        let row = Row::new(vec![
            ("account".to_owned(), "ann".into()),
            ("csrf".to_owned(), "secret".into()),
            ("message".to_owned(), message),
        ]);
        Recorded::answering("SELECT account, csrf", vec![row])
    }

    fn request(method: &str, csrf: &str) -> Request {
        Request {
            method: method.to_owned(),
            cookies: vec![("session".to_owned(), "t1".to_owned())],
            form: vec![(CSRF_FIELD.to_owned(), csrf.to_owned())],
            ..Request::default()
        }
    }

    #[test]
    fn changes_need_the_token_of_their_session() {
        for (method, csrf, is_allowed) in [
            ("GET", "", true),
            ("POST", "secret", true),
            ("POST", "", false),
            ("POST", "other", false),
            ("DELETE", "", false),
        ] {
            let mut backend = stored(Value::Null);
            let mut request = request(method, csrf);
            let opened = Session::open(&mut request, &mut Context::new(&mut backend));
            assert_eq!(opened.is_ok(), is_allowed, "{method} {csrf:?}");
            assert_eq!(request.session.account(), Some("ann"));
        }
        // Without a session there is no token to guess.
        let mut backend = Recorded::default();
        let mut unknown = request("POST", "");
        assert!(Session::open(&mut unknown, &mut Context::new(&mut backend)).is_err());
    }

    #[test]
    fn a_message_is_shown_once() {
        let mut backend = stored("Saved.".into());
        let mut request = request("GET", "");
        Session::open(&mut request, &mut Context::new(&mut backend)).unwrap();
        assert_eq!(request.session.message(), Some("Saved."));
        assert!(backend.ran("UPDATE sessions SET message = NULL"));
    }

    #[test]
    fn signing_in_replaces_the_token() {
        let mut backend = stored(Value::Null);
        let mut request = request("POST", "secret");
        let mut context = Context::new(&mut backend);
        Session::open(&mut request, &mut context).unwrap();
        let session = request.session.sign_in("ben", &mut context).unwrap();
        assert_eq!(session.account(), Some("ben"));
        let response = session.complete(Response::redirect("/"));
        assert_eq!(response.account.as_deref(), Some("ben"));
        let (_, cookie) = &response.headers[1];
        assert!(
            cookie.starts_with("session=") && cookie.contains("HttpOnly"),
            "{cookie}"
        );
        assert!(!cookie.starts_with("session=t1"), "{cookie}");
        assert!(backend.ran("DELETE FROM sessions"));
    }
}
