//! Credentials for registries: those that the user gives for one registry, and those of docker's configuration file.

use std::io;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use mcpmark_http::Secret;
use serde_json::Value;

use crate::files;

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

/// Errors of choosing the credentials for a registry.
#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    /// User name and password are given, but not the registry that they are for.
    #[error("a user name and a password are given, but not the registry that they are for")]
    NoHost,
    /// Only one of user name and password is given.
    #[error("only one of user name and password is given, but both are required")]
    Incomplete,
    /// Docker's configuration file cannot be read.
    #[error("{}: {source}", file.display())]
    Read {
        /// Path of the file.
        file: PathBuf,
        /// Error of the file system.
        source: io::Error,
    },
    /// Docker's configuration file is invalid, or does not contain the password itself.
    #[error("{}: {source}", file.display())]
    Docker {
        /// Path of the file.
        file: PathBuf,
        /// Error of the entry or of the file.
        source: BadLogin,
    },
}

/// Credentials that the user gives for one registry. They take precedence over docker's configuration file.
///
/// A lock or an experiment from another source may name any registry, so the user must also name the registry that the
/// password is for.
#[derive(Debug, Clone, Default)]
pub struct GivenLogin {
    /// Host of the registry.
    pub host: Option<String>,
    /// User name.
    pub user: Option<String>,
    /// Password.
    pub password: Option<Secret>,
}

impl GivenLogin {
    /// Returns the credentials for a host, or `None` if none are given or if they are for another host.
    ///
    /// # Errors
    ///
    /// Returns an error if only one of user name and password is given, or if the host is missing.
    pub fn for_host(&self, host: &str) -> Result<Option<Login>, LoginError> {
        match (&self.user, &self.password, &self.host) {
            (Some(_), Some(_), None) => Err(LoginError::NoHost),
            (Some(user), Some(password), Some(own)) if own.eq_ignore_ascii_case(host) => {
                Ok(Some(Login {
                    user: user.clone(),
                    password: password.clone(),
                }))
            }
            (Some(_), None, _) | (None, Some(_), _) => Err(LoginError::Incomplete),
            _ => Ok(None),
        }
    }
}

impl Login {
    /// Reads the credentials for a host from the file `config.json` in docker's configuration directory. Returns `None`
    /// if the file does not exist or has none for the host.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, and those of [`of_docker`](Self::of_docker).
    pub fn in_docker_directory(dir: &Path, host: &str) -> Result<Option<Self>, LoginError> {
        let file = dir.join("config.json");
        match files::read(&file) {
            Ok(text) => {
                let found = Self::of_docker(&text, host);
                found.map_err(|source| LoginError::Docker { file, source })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(LoginError::Read { file, source }),
        }
    }

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
    fn a_given_login_is_for_one_registry() {
        let given = |host: Option<&str>, user: Option<&str>, password: Option<&str>| {
            let given = GivenLogin {
                host: host.map(str::to_owned),
                user: user.map(str::to_owned),
                password: password.map(Secret::new),
            };
            given.for_host("a.example:5000")
        };
        let (me, word) = (Some("me"), Some("word"));
        let found = given(Some("A.Example:5000"), me, word).unwrap().unwrap();
        assert_eq!(
            (found.user.as_str(), found.password.expose()),
            ("me", "word")
        );
        for (host, user, password) in [
            (Some("b.example"), me, word),
            (Some("a.example"), me, word),
            (Some("a.example:5000"), None, None),
            (None, None, None),
        ] {
            assert!(given(host, user, password).unwrap().is_none(), "{host:?}");
        }
        assert!(matches!(given(None, me, word), Err(LoginError::NoHost)));
        for (host, user, password) in [
            (None, me, None),
            (None, None, word),
            (Some("a.example:5000"), me, None),
            (Some("b.example"), None, word),
        ] {
            let refused = given(host, user, password);
            assert!(matches!(refused, Err(LoginError::Incomplete)), "{host:?}");
        }
    }

    #[test]
    fn docker_keeps_logins_in_its_directory() {
        let dir = tempfile::tempdir().unwrap();
        let found = |host: &str| Login::in_docker_directory(dir.path(), host);
        assert!(found("a").unwrap().is_none());
        let file = dir.path().join("config.json");
        std::fs::write(&file, r#"{"auths": {"a": {"auth": "bWU6d29yZA=="}}}"#).unwrap();
        assert_eq!(found("a").unwrap().unwrap().user, "me");
        assert!(found("b").unwrap().is_none());
        std::fs::write(&file, "{").unwrap();
        assert!(matches!(found("a"), Err(LoginError::Docker { .. })));
        std::fs::remove_file(&file).unwrap();
        std::fs::create_dir(&file).unwrap();
        assert!(matches!(found("a"), Err(LoginError::Read { .. })));
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
