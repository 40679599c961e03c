//! Credentials from the configuration file of docker.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use mcpmark_http::Secret;
use serde_json::Value;

/// User name and password.
#[derive(Debug, Clone)]
pub struct Login {
    /// User name.
    pub user: String,
    /// Password.
    pub password: Secret,
}

/// Errors of reading credentials. They do not contain the content of the file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadLogin {
    /// The file is not JSON.
    #[error("not valid JSON (line {line}, column {column})")]
    Json {
        /// Line of the error.
        line: usize,
        /// Column of the error.
        column: usize,
    },
    /// The entry is not a user name and password in base64.
    #[error("the entry for {0:?} is not a user name and password")]
    Auth(String),
    /// The password is kept by a credential helper, which is not run.
    #[error(
        "a credential helper stores the password for {0:?}, and mcpmark does not run credential helpers"
    )]
    Helper(String),
}

impl Login {
    /// Reads the credentials for a host from docker's `config.json`: the key `auths`, by host. Returns `None` if there
    /// are none for the host.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is not JSON, if the entry for the host is invalid, or if a credential helper has
    /// the password.
    pub fn of_docker(config: &[u8], host: &str) -> Result<Option<Self>, BadLogin> {
        let config: Value = serde_json::from_slice(config).map_err(|error| BadLogin::Json {
            line: error.line(),
            column: error.column(),
        })?;
        let entries = config["auths"].as_object();
        let mut entries = entries.into_iter().flatten();
        let entry = entries.find(|(key, _)| is_of(key, host));
        let helper = || {
            let own = config["credHelpers"].get(host).is_some();
            let store = entry.is_some() && config["credsStore"].is_string();
            (own || store).then(|| BadLogin::Helper(host.to_owned()))
        };
        let Some(encoded) = entry.and_then(|(_, entry)| entry["auth"].as_str()) else {
            return helper().map_or(Ok(None), Err);
        };
        let decoded = BASE64.decode(encoded).ok();
        let decoded = decoded.and_then(|bytes| String::from_utf8(bytes).ok());
        let pair = decoded.as_deref().and_then(|text| text.split_once(':'));
        match pair {
            Some((user, password)) if !user.is_empty() => Ok(Some(Self {
                user: user.to_owned(),
                // Some programs append a NUL byte.
                password: Secret::new(password.trim_end_matches('\0')),
            })),
            _ => Err(BadLogin::Auth(host.to_owned())),
        }
    }
}

/// Reports whether a key of `auths` is for a host: the host itself, or a URL with it.
fn is_of(key: &str, host: &str) -> bool {
    let key = key.strip_prefix("https://").unwrap_or(key);
    let key = key.strip_prefix("http://").unwrap_or(key);
    let named = key.split_once('/').map_or(key, |(named, _)| named);
    named.eq_ignore_ascii_case(host)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(text: &str, host: &str) -> Result<Option<(String, String)>, BadLogin> {
        let found = Login::of_docker(text.as_bytes(), host)?;
        Ok(found.map(|it| (it.user, it.password.expose().to_owned())))
    }

    #[test]
    fn a_login_is_that_of_the_host() {
        let text = r#"{"auths": {
            "https://a.example/v2/": {"auth": "bWU6cGE6c3M="},
            "b.example:5000": {"auth": "eW91OndvcmQ="},
            "kept.example": {},
            "bad.example": {"auth": "bWU="},
            "worse.example": {"auth": "?"}
        }, "credHelpers": {"helped.example": "secretservice"}}"#;
        let pair = |user: &str, password: &str| Some((user.to_owned(), password.to_owned()));
        assert_eq!(of(text, "a.example"), Ok(pair("me", "pa:ss")));
        assert_eq!(of(text, "b.example:5000"), Ok(pair("you", "word")));
        for other in ["b.example", "example", "a.example:5000", "kept.example"] {
            assert_eq!(of(text, other), Ok(None), "{other}");
        }
        for bad in ["bad.example", "worse.example"] {
            assert_eq!(of(text, bad), Err(BadLogin::Auth(bad.to_owned())));
        }
        let helped = BadLogin::Helper("helped.example".to_owned());
        assert_eq!(of(text, "helped.example"), Err(helped));
        assert_eq!(of("[]", "a"), Ok(None));
        let kept = r#"{"auths": {"a": {}}, "credsStore": "desktop"}"#;
        assert_eq!(of(kept, "a"), Err(BadLogin::Helper("a".to_owned())));
        assert_eq!(of(kept, "b"), Ok(None));
    }

    #[test]
    fn no_error_tells_what_the_file_holds() {
        let error = of("{\"auths\": {\"a\": {\"auth\": \"hunter2", "a").unwrap_err();
        assert!(!error.to_string().contains("hunter2"), "{error}");
        assert!(matches!(error, BadLogin::Json { line: 1, .. }));
    }

    proptest! {
        #[test]
        fn any_file_is_read_or_refused(text in "[ -~]{0,80}", auth in "[ -~]{0,20}") {
            let _ = of(&text, "a");
            let one = serde_json::json!({"auths": {"a": {"auth": auth}}}).to_string();
            let _ = of(&one, "a");
        }
    }
}
