//! Log of the requests to the sites of a world.

use serde_json::{Value, json};

/// Request that a site has answered. Requests for static files are not recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logged {
    /// Number of the request in its world, from 1.
    pub number: u64,
    /// Method.
    pub method: String,
    /// Host name of the site.
    pub host: String,
    /// Decoded path.
    pub path: String,
    /// Query, percent-encoded as received; empty if there is none.
    pub query: String,
    /// Decoded pairs of the form.
    pub form: Vec<(String, String)>,
    /// Status code of the response.
    pub status: u16,
    /// Account or session that the site named.
    pub session: Option<String>,
    /// Failure of the site.
    pub fault: Option<String>,
}

impl Logged {
    /// Returns the line of the log, a canonical JSON object.
    pub fn line(&self) -> String {
        let mut line = json!({
            "number": self.number,
            "method": self.method,
            "host": self.host,
            "path": self.path,
            "status": self.status,
        });
        let mut add = |key: &str, value: Value| line[key] = value;
        if !self.query.is_empty() {
            add("query", json!(self.query));
        }
        if !self.form.is_empty() {
            add("form", json!(self.form));
        }
        if let Some(session) = &self.session {
            add("session", json!(session));
        }
        if let Some(fault) = &self.fault {
            add("fault", json!(fault));
        }
        mcpmark_json::canonical(&line)
    }

    /// Returns the approximate size of the entry, in bytes.
    pub(super) fn size(&self) -> u64 {
        let form = self.form.iter().map(|(key, value)| key.len() + value.len());
        let texts = [&self.method, &self.host, &self.path, &self.query];
        let texts = texts.iter().map(|text| text.len());
        let optional = [&self.session, &self.fault];
        let optional = optional
            .iter()
            .map(|text| text.as_ref().map_or(0, String::len));
        let bytes: usize = form.chain(texts).chain(optional).sum();
        (bytes + size_of::<Self>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_canonical_and_omit_what_is_absent() {
        let mut logged = Logged {
            number: 3,
            method: "POST".to_owned(),
            host: "forum.test".to_owned(),
            path: "/login".to_owned(),
            query: String::new(),
            form: vec![("name".to_owned(), "ann".to_owned())],
            status: 303,
            session: Some("ann".to_owned()),
            fault: None,
        };
        assert_eq!(
            logged.line(),
            r#"{"form":[["name","ann"]],"host":"forum.test","method":"POST","number":3,"path":"/login","session":"ann","status":303}"#
        );
        logged.form.clear();
        logged.session = None;
        assert_eq!(
            logged.line(),
            r#"{"host":"forum.test","method":"POST","number":3,"path":"/login","status":303}"#
        );
    }
}
