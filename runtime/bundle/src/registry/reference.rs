//! References to bundles in registries.

use std::fmt;
use std::str::FromStr;

use mcpmark_snapshot::Digest;
use url::Url;

/// Reference to a bundle in a registry: `oci://HOST[:PORT]/REPOSITORY[:TAG][@DIGEST]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Host, with the port if it is not the default.
    pub host: String,
    /// Repository.
    pub repository: String,
    /// Tag. Without tag and digest, the tag is `latest`.
    pub tag: Option<String>,
    /// Digest. It takes precedence over the tag.
    pub digest: Option<Digest>,
}

/// Error of parsing a reference.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid bundle reference {text:?}: {reason}")]
pub struct BadReference {
    /// The text.
    pub text: String,
    /// Reason why it is not a reference.
    pub reason: &'static str,
}

impl Reference {
    /// Prefix of every reference.
    pub const SCHEME: &str = "oci://";

    /// Returns the name of the repository with its normalised host.
    pub fn name(&self) -> String {
        let host = plain_host(&self.host).unwrap_or_else(|| self.host.clone());
        format!("{host}/{}", self.repository)
    }

    /// Returns the digest or tag with which the manifest is requested.
    pub(crate) fn version(&self) -> String {
        match (&self.digest, &self.tag) {
            (Some(digest), _) => digest.to_string(),
            (None, Some(tag)) => tag.clone(),
            (None, None) => "latest".to_owned(),
        }
    }
}

impl FromStr for Reference {
    type Err = BadReference;

    fn from_str(text: &str) -> Result<Self, BadReference> {
        let wrong = |reason| BadReference {
            text: text.to_owned(),
            reason,
        };
        let rest = text
            .strip_prefix(Self::SCHEME)
            .ok_or_else(|| wrong("expected oci:// at the start"))?;
        let (host, rest) = rest
            .split_once('/')
            .ok_or_else(|| wrong("the repository is missing"))?;
        if !is_host(host) {
            return Err(wrong("the host is not valid"));
        }
        let (rest, digest) = match rest.split_once('@') {
            Some((rest, digest)) => {
                let digest = digest
                    .parse()
                    .map_err(|_| wrong("the digest is not valid"))?;
                (rest, Some(digest))
            }
            None => (rest, None),
        };
        let (repository, tag) = match rest.split_once(':') {
            Some((repository, tag)) => (repository, Some(tag.to_owned())),
            None => (rest, None),
        };
        if !is_repository(repository) {
            return Err(wrong(
                "the repository may contain only a-z, 0-9, `.`, `_`, `-` and `/`",
            ));
        }
        if tag.as_deref().is_some_and(|tag| !is_tag(tag)) {
            return Err(wrong(
                "the tag may contain only letters, digits, `.`, `_` and `-`",
            ));
        }
        Ok(Self {
            host: host.to_owned(),
            repository: repository.to_owned(),
            tag,
            digest,
        })
    }
}

/// Normalises a host: lower case, canonical IP address, no final dot, and no port if it is 80 or 443. Returns `None` if
/// the text is not a host.
pub fn plain_host(text: &str) -> Option<String> {
    let url = Url::parse(&format!("https://{text}/")).ok();
    let url = url.filter(|_| is_host(text))?;
    let host = url.host_str()?.trim_end_matches('.');
    Some(match url.port() {
        None | Some(80) => host.to_owned(),
        Some(port) => format!("{host}:{port}"),
    })
}

fn is_host(text: &str) -> bool {
    let of_host = |c: char| c.is_ascii_alphanumeric() || ".-:[]".contains(c);
    !text.is_empty() && text.chars().all(of_host)
}

fn is_repository(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    text.len() <= 255
        && text.split('/').all(|part| {
            part.starts_with(plain)
                && part.ends_with(plain)
                && part.chars().all(|c| plain(c) || "._-".contains(c))
                && !part.contains("..")
        })
}

fn is_tag(text: &str) -> bool {
    text.len() <= 128
        && text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}/{}", Self::SCHEME, self.host, self.repository)?;
        if let Some(tag) = &self.tag {
            write!(f, ":{tag}")?;
        }
        if let Some(digest) = &self.digest {
            write!(f, "@{digest}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn references_are_read_and_written_the_same() {
        let digest = Digest::of(b"x");
        for text in [
            "oci://localhost:5000/suite",
            "oci://[::1]:5000/a/b-c/d.e:v1.0",
            &format!("oci://registry.example/a_b@{digest}"),
            &format!("oci://registry.example/a:Tag@{digest}"),
        ] {
            let reference: Reference = text.parse().unwrap();
            assert_eq!(reference.to_string(), text);
        }
        for text in [
            "registry.example/a",
            "oci://registry.example",
            "oci:///a",
            "oci://user@host/a",
            "oci://host/../a",
            "oci://host/A",
            "oci://host/a/",
            "oci://host/a:",
            "oci://host/a:../b",
            "oci://host/a@sha256:12",
            "oci://host/a?x",
        ] {
            assert!(text.parse::<Reference>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_host_has_one_name_however_it_is_written() {
        for (text, name) in [
            ("oci://localhost:5010/a", "localhost:5010/a"),
            ("oci://LOCALHOST:5010/a", "localhost:5010/a"),
            ("oci://localhost:05010/a:v1", "localhost:5010/a"),
            ("oci://localhost.:5010/a", "localhost:5010/a"),
            ("oci://Registry.Example:443/a/b", "registry.example/a/b"),
            ("oci://registry.example:80/a", "registry.example/a"),
            ("oci://registry.example:/a", "registry.example/a"),
            ("oci://127.1:5010/a", "127.0.0.1:5010/a"),
            ("oci://[0:0::1]:5010/a", "[::1]:5010/a"),
        ] {
            let reference: Reference = text.parse().unwrap();
            assert_eq!(reference.name(), name, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(oci://)?[ -~]{0,40}") {
            if let Ok(reference) = text.parse::<Reference>() {
                prop_assert_eq!(reference.to_string(), text);
            }
        }
    }
}
