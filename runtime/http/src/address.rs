//! Addresses of servers: host, encryption, and whether the host is this machine.

use url::{Host, Url};

/// Host and scheme of an HTTP URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    host: String,
    local: bool,
    encrypted: bool,
}

/// Error of parsing an address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid URL {shown:?}: {reason}")]
pub struct BadAddress {
    /// Text, without parts that may be secret.
    pub shown: String,
    /// Problem.
    pub reason: String,
}

impl Address {
    /// Parses a URL.
    ///
    /// # Errors
    ///
    /// Returns an error if the scheme is not HTTP or HTTPS, if the host is missing, or if the URL has a user name, a
    /// password, a query or a fragment. These may contain keys, which belong in the environment because addresses are
    /// displayed.
    pub fn parse(text: &str) -> Result<Self, BadAddress> {
        let wrong = |reason: &str| BadAddress {
            shown: shown(text),
            reason: reason.to_owned(),
        };
        // `localhost:80` is a URL with the scheme `localhost`.
        if !text.contains("://") {
            return Err(wrong("it must begin with http:// or https://"));
        }
        let url = Url::parse(text).map_err(|error| wrong(&error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(wrong("it must begin with http:// or https://"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(wrong(
                "it contains a user name or password; keys are read from the environment",
            ));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(wrong(
                "it has a query or fragment (a part after `?` or `#`), which may contain a key and \
                 would be displayed; keys are read from the environment",
            ));
        }
        let local = match url.host() {
            Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => return Err(wrong("it has no host")),
        };
        let host = url.host_str().unwrap_or_default();
        Ok(Self {
            host: host.trim_end_matches('.').to_owned(),
            local,
            encrypted: url.scheme() == "https",
        })
    }

    /// Reports whether the host is this machine.
    pub fn is_local(&self) -> bool {
        self.local
    }

    /// Returns the host, in lower case.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Reports whether the host is the domain `name` or one of its subdomains.
    pub fn is_at(&self, name: &str) -> bool {
        let above = self.host.strip_suffix(name);
        above.is_some_and(|above| above.is_empty() || above.ends_with('.'))
    }

    /// Reports whether traffic to the host crosses a network unencrypted.
    pub fn is_unencrypted(&self) -> bool {
        !self.local && !self.encrypted
    }
}

/// Redacts an address for an error message. Text that may contain a password is omitted, even if it is not a URL.
fn shown(text: &str) -> String {
    match text.split_once("://") {
        _ if !text.contains('@') => match text.find(['?', '#']) {
            Some(end) => format!("{}…", &text[..=end]),
            None => text.to_owned(),
        },
        Some((scheme, _)) => format!("{scheme}://…"),
        None => "…".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_say_who_may_read_what_is_sent_there() {
        for (text, local, readable) in [
            ("http://127.0.0.1:8080/v1", true, false),
            ("http://[::1]/v1", true, false),
            ("http://files.localhost/mcp", true, false),
            ("https://example.org/v1", false, false),
            ("http://example.org/v1", false, true),
            ("http://10.0.0.1/v1", false, true),
            ("http://localhost.example.org/", false, true),
        ] {
            let address = Address::parse(text).unwrap();
            assert_eq!(
                (address.is_local(), address.is_unencrypted()),
                (local, readable),
                "{text}"
            );
        }
    }

    #[test]
    fn an_address_is_at_its_host_and_those_above_it() {
        for (text, is_at) in [
            ("https://api.example.org/v1", true),
            ("https://API.example.org:8443", true),
            ("https://api.example.org./", true),
            ("https://eu.api.example.org/v1", true),
            ("https://example.org/api.example.org", false),
            ("https://my-api.example.org/v1", false),
            ("https://api.example.org.example.net/v1", false),
            ("http://127.0.0.1/v1", false),
        ] {
            let address = Address::parse(text).unwrap();
            assert_eq!(address.is_at("api.example.org"), is_at, "{text}");
        }
    }

    #[test]
    fn invalid_addresses_are_shown_without_their_password() {
        for text in [
            "ftp://x/",
            "127.0.0.1:80",
            "notes",
            "http://a:hunter2@127.0.0.1/",
            "http://a:hunter2@127.0.0.1:99999/",
            "ftp://a:hunter2@x/",
            "a:hunter2@x",
            "https://example.org/mcp?key=hunter2",
            "https://example.org/mcp#hunter2",
            "notes?hunter2",
        ] {
            let error = Address::parse(text).unwrap_err().to_string();
            assert!(error.contains("invalid URL"), "{error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
    }
}
