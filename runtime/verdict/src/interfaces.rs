//! Servers that answered a verifier through its interfaces.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// Servers that answered a verifier, by interface, such as `postgres 15` for `sql`. The version is the part on which
/// answers may depend.
///
/// It is empty for a verifier that only reads the state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct InterfaceVersions(BTreeMap<String, String>);

impl InterfaceVersions {
    /// Returns true if no interface was used.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Records the server of an interface.
    pub fn record(&mut self, interface: impl Into<String>, server: impl Into<String>) {
        self.0.insert(interface.into(), server.into());
    }

    /// Returns the server of an interface, if the interface was used.
    pub fn get(&self, interface: &str) -> Option<&str> {
        self.0.get(interface).map(String::as_str)
    }

    /// Returns the interfaces in the order of their names, each with its server.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(interface, server)| (interface.as_str(), server.as_str()))
    }

    /// Returns the interfaces that both grades used with different servers: name, server of `self`, server of `other`.
    pub fn changes<'a>(&'a self, other: &'a Self) -> Vec<(&'a str, &'a str, &'a str)> {
        self.iter()
            .filter_map(|(interface, before)| {
                let now = other.get(interface)?;
                (now != before).then_some((interface, before, now))
            })
            .collect()
    }
}

impl fmt::Display for InterfaceVersions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (interface, server)) in self.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{interface} by {server}")?;
        }
        Ok(())
    }
}

impl From<InterfaceVersions> for BTreeMap<String, String> {
    fn from(versions: InterfaceVersions) -> Self {
        versions.0
    }
}

impl<I: Into<String>, S: Into<String>> FromIterator<(I, S)> for InterfaceVersions {
    fn from_iter<T: IntoIterator<Item = (I, S)>>(servers: T) -> Self {
        let servers = servers.into_iter();
        Self(servers.map(|(i, s)| (i.into(), s.into())).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_compared_by_interface() {
        let before = InterfaceVersions::from_iter([("sql", "postgres 15"), ("git", "git 1")]);
        let now = InterfaceVersions::from_iter([("sql", "postgres 18"), ("http", "x 2")]);
        assert_eq!(
            before.changes(&now),
            [("sql", "postgres 15", "postgres 18")]
        );
        assert!(before.changes(&before).is_empty());
        assert!(before.changes(&InterfaceVersions::default()).is_empty());
        assert_eq!(before.to_string(), "git by git 1, sql by postgres 15");
    }

    #[test]
    fn the_serialised_form_is_a_map() {
        let mut versions = InterfaceVersions::default();
        assert!(versions.is_empty());
        versions.record("sql", "postgres 15");
        let text = serde_json::to_string(&versions).unwrap();
        assert_eq!(text, r#"{"sql":"postgres 15"}"#);
        let read: InterfaceVersions = serde_json::from_str(&text).unwrap();
        assert_eq!(read, versions);
    }
}
