use url::{Host, Url};

/// Where something is reached over HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    host: String,
    local: bool,
    encrypted: bool,
}

/// A text is no address that can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{shown:?} is no address: {reason}")]
pub struct BadAddress {
    /// The text, without what is nobody's business.
    pub shown: String,
    /// The problem.
    pub reason: String,
}

impl Address {
    /// Reads a URL.
    ///
    /// # Errors
    ///
    /// When it is none of HTTP, names no host, or holds a user name, a password or a query: keys
    /// come from the environment, and would be seen here.
    pub fn parse(text: &str) -> Result<Self, BadAddress> {
        let wrong = |reason: &str| BadAddress {
            shown: shown(text),
            reason: reason.to_owned(),
        };
        // `localhost:80` is a URL whose scheme is `localhost`.
        if !text.contains("://") {
            return Err(wrong("begin it with http:// or https://"));
        }
        let url = Url::parse(text).map_err(|error| wrong(&error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(wrong("it begins with neither http:// nor https://"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(wrong(
                "it holds a user name or password; keys come from the environment",
            ));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(wrong(
                "it has a part after `?` or `#`, which may hold a key and would be seen; keys come \
                 from the environment",
            ));
        }
        let local = match url.host() {
            Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => return Err(wrong("it names no host")),
        };
        let host = url.host_str().unwrap_or_default();
        Ok(Self {
            host: host.trim_end_matches('.').to_owned(),
            local,
            encrypted: url.scheme() == "https",
        })
    }

    /// Whether it is this machine.
    pub fn is_local(&self) -> bool {
        self.local
    }

    /// Its host, in lower case.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Whether its host is one of a name, or below that in the domain name system.
    pub fn is_at(&self, name: &str) -> bool {
        let above = self.host.strip_suffix(name);
        above.is_some_and(|above| above.is_empty() || above.ends_with('.'))
    }

    /// Whether what is sent there crosses a network in the clear.
    pub fn is_readable(&self) -> bool {
        !self.local && !self.encrypted
    }
}

/// An address for an error. What may hold a password is not shown, even where it is no URL.
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
                (address.is_local(), address.is_readable()),
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
    fn what_is_no_address_is_said_without_its_password() {
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
            assert!(error.contains("is no address"), "{error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
    }
}
