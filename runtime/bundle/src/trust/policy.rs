//! Trust policy of a machine: the keys whose signatures are required for bundles, by name.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use mcpmark_snapshot::Digest;
use serde::Deserialize;

use super::{Attached, PublicKey};
use crate::{Reference, plain_host};

/// Bundle to check, with its digest, names and signatures.
#[derive(Debug, Clone, Copy)]
pub struct SignedBundle<'a> {
    /// Digest of the root manifest or index.
    pub digest: &'a Digest,
    /// Names of the suite and of its repository.
    pub names: &'a [String],
    /// Signatures that were found with the bundle.
    pub signatures: &'a [Attached],
}

/// Reason why a bundle is not trusted. `E` is the error of the function that reads keys.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TrustError<E> {
    /// No rule applies to the names of the bundle, and the policy refuses such bundles.
    #[error("bundle {0} has no name that the trust policy allows")]
    NoRule(Digest),
    /// The bundle has no signatures.
    #[error("bundle {0} is not signed")]
    Unsigned(Digest),
    /// None of the signatures is by a key that is valid for the bundle.
    #[error("bundle {0} is not signed by any of the trusted keys")]
    OtherKeys(Digest),
    /// The key that signed the bundle has expired.
    #[error("bundle {digest} is signed by an expired key: {} was valid until {until}", key.display())]
    Expired {
        /// Digest of the bundle.
        digest: Digest,
        /// Path of the key.
        key: PathBuf,
        /// Last day, or time of expiry, as written in the policy.
        until: String,
    },
    /// A key cannot be read.
    #[error("cannot read a key")]
    Key(E),
}

impl SignedBundle<'_> {
    /// Returns the keys among these files that signed the bundle, at least one.
    ///
    /// # Errors
    ///
    /// Returns an error if no key signed it, or if a key cannot be read.
    pub fn signed_by<E>(
        &self,
        keys: &[PathBuf],
        read_key: impl Fn(&Path) -> Result<PublicKey, E>,
    ) -> Result<Vec<PathBuf>, TrustError<E>> {
        let vouching = self.vouching(keys, &read_key)?;
        match (vouching.is_empty(), self.signatures.is_empty()) {
            (false, _) => Ok(vouching),
            (true, true) => Err(TrustError::Unsigned(*self.digest)),
            (true, false) => Err(TrustError::OtherKeys(*self.digest)),
        }
    }

    fn vouching<E>(
        &self,
        keys: &[PathBuf],
        read_key: &impl Fn(&Path) -> Result<PublicKey, E>,
    ) -> Result<Vec<PathBuf>, TrustError<E>> {
        let mut vouching = Vec::new();
        for file in keys {
            let key = read_key(file).map_err(TrustError::Key)?;
            let mut signatures = self.signatures.iter();
            if signatures.any(|attached| attached.signature.verifies_bundle(&key, self.digest)) {
                vouching.push(file.clone());
            }
        }
        Ok(vouching)
    }
}

/// Trust policy: rules that require signatures for bundles, by name.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    #[serde(default)]
    unsigned: Unsigned,
    #[serde(default)]
    trust: Vec<Rule>,
}

impl Policy {
    /// Parses a policy.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a policy.
    pub fn parse(text: &str) -> Result<Self, toml::de::Error> {
        toml::from_str(text)
    }

    /// Returns the keys that signed a bundle, according to the policy. Paths of keys are relative to `beside`, the
    /// directory of the policy. The result is empty if no rule applies and the policy allows such bundles.
    ///
    /// # Errors
    ///
    /// Returns an error if the policy refuses the bundle, or if a key cannot be read.
    pub fn check<E>(
        &self,
        bundle: &SignedBundle<'_>,
        beside: &Path,
        now: Timestamp,
        read_key: impl Fn(&Path) -> Result<PublicKey, E>,
    ) -> Result<Vec<PathBuf>, TrustError<E>> {
        // The packer of a bundle chooses its name, so a key that is valid for the name is not necessarily valid for the
        // repository. Therefore each name to which a rule applies needs a signature of its own rules' keys.
        let mut each: Vec<&[String]> = bundle.names.chunks(1).collect();
        if each.is_empty() {
            each.push(&[]);
        }
        let rules: Vec<Vec<&Rule>> = each
            .into_iter()
            .map(|name| self.trust.iter().filter(|rule| rule.is_for(name)))
            .map(Iterator::collect)
            .filter(|rules: &Vec<&Rule>| !rules.is_empty())
            .collect();
        if rules.is_empty() {
            return match self.unsigned {
                Unsigned::Allow => Ok(Vec::new()),
                Unsigned::Refuse => Err(TrustError::NoRule(*bundle.digest)),
            };
        }
        let mut vouching = Vec::new();
        for rules in rules {
            let keys: Vec<&Key> = rules.iter().flat_map(|rule| &rule.keys).collect();
            for key in valid_signers(bundle, &keys, beside, now, &read_key)? {
                if !vouching.contains(&key) {
                    vouching.push(key);
                }
            }
        }
        Ok(vouching)
    }
}

/// Returns the unexpired keys that signed a bundle, at least one.
fn valid_signers<E>(
    bundle: &SignedBundle<'_>,
    keys: &[&Key],
    beside: &Path,
    now: Timestamp,
    read_key: &impl Fn(&Path) -> Result<PublicKey, E>,
) -> Result<Vec<PathBuf>, TrustError<E>> {
    let all = keys.iter().copied();
    let (expired, good): (Vec<&Key>, Vec<&Key>) = all.partition(|key| key.expired(now).is_some());
    let files: Vec<PathBuf> = good.iter().map(|key| beside.join(&key.file)).collect();
    let refused = match bundle.signed_by(&files, read_key) {
        Err(refused) => refused,
        vouching => return vouching,
    };
    for key in expired {
        let file = beside.join(&key.file);
        let vouches = bundle.vouching(std::slice::from_ref(&file), read_key)?;
        if let (Some(until), false) = (key.expired(now), vouches.is_empty()) {
            return Err(TrustError::Expired {
                digest: *bundle.digest,
                key: file,
                until: until.to_owned(),
            });
        }
    }
    Err(refused)
}

/// Treatment of bundles to which no rule applies.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Unsigned {
    Allow,
    #[default]
    Refuse,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    names: Vec<Name>,
    keys: Vec<Key>,
}

/// Pattern for names of bundles; a `*` at its end matches any suffix.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
struct Name {
    /// The pattern as written, and with a normalised host if it is the name of a repository.
    writings: Vec<String>,
    is_open: bool,
}

impl TryFrom<String> for Name {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let wrong = |reason: &str| Err(format!("invalid bundle name {text:?}: {reason}"));
        let (name, is_open) = match text.strip_suffix('*') {
            Some(beginning) => (beginning, true),
            None => (text.as_str(), false),
        };
        if name.contains('*') {
            return wrong("`*` is allowed only at the end");
        }
        if name.contains("://") {
            return wrong("write HOST/REPOSITORY, without `oci://`");
        }
        let mut writings = vec![name.to_owned()];
        if let Some((host, repository)) = name.split_once('/') {
            let plain = plain_host(host);
            let is_plain = |c: char| c.is_ascii_alphanumeric() || ".-:[]".contains(c);
            let is_host = host.chars().all(is_plain) && host.contains(['.', ':'])
                || plain.as_deref() == Some("localhost");
            // With a wildcard, a part of a name may follow, so the check appends one.
            let end = if is_open { "x" } else { "" };
            let named = plain.map(|plain| format!("{plain}/{repository}"));
            let named = named.filter(|name| {
                let reference = format!("{}{name}{end}", Reference::SCHEME).parse::<Reference>();
                reference.is_ok_and(|found| found.name() == format!("{name}{end}"))
            });
            match named {
                Some(name) => writings.push(name),
                None if is_host => {
                    return wrong(
                        "write HOST/REPOSITORY, in a-z, 0-9, `.`, `_`, `-` and `/`, without tag and digest",
                    );
                }
                None => {}
            }
        } else if let Some(host) = plain_host(name).filter(|_| is_open) {
            writings.push(host);
        }
        if name.is_empty() && !is_open {
            wrong("the name is empty")
        } else {
            Ok(Self { writings, is_open })
        }
    }
}

/// Key of a rule: a path, or a table with a path and the last day of validity.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "toml::Value")]
struct Key {
    file: PathBuf,
    until: Option<Until>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Until {
    /// The value as written.
    text: String,
    /// Time from which the key is expired.
    end: Timestamp,
}

impl TryFrom<toml::Value> for Key {
    type Error = String;

    fn try_from(value: toml::Value) -> Result<Self, String> {
        let mut table = match value {
            toml::Value::String(file) => {
                return Ok(Self {
                    file: file.into(),
                    until: None,
                });
            }
            toml::Value::Table(table) => table,
            other => {
                return Err(format!(
                    "expected the path of a key file, found {}",
                    other.type_str()
                ));
            }
        };
        let Some(toml::Value::String(file)) = table.remove("file") else {
            return Err(
                "the file of a key is required; write { file = \"ours.pub\", until = 2030-12-31 }"
                    .into(),
            );
        };
        let until = table.remove("until").map(Until::read).transpose()?;
        match table.keys().next() {
            Some(key) => Err(format!(
                "unknown key {key:?} in a table; expected file or until"
            )),
            None => Ok(Self {
                file: file.into(),
                until,
            }),
        }
    }
}

impl Until {
    /// Parses a day, which is included as a whole in UTC, or an instant.
    fn read(value: toml::Value) -> Result<Self, String> {
        let none = |shown: &str| {
            format!(
                "until: expected a day like 2030-12-31 or an instant like 2030-12-31T12:00:00Z, found {shown}"
            )
        };
        let text = match value {
            toml::Value::Datetime(date) => date.to_string(),
            toml::Value::String(text) => text,
            other => return Err(none(other.type_str())),
        };
        // The date parser also accepts an instant and ignores its time, so instants are excluded.
        let is_day = !text.contains(['T', 't', ' ']);
        let day = text.parse::<Date>().ok().filter(|_| is_day);
        let day_after = day.and_then(|day| day.tomorrow().ok());
        let end = match day_after.and_then(|day| day.to_zoned(TimeZone::UTC).ok()) {
            Some(midnight) => Some(midnight.timestamp()),
            None => text.parse().ok(),
        };
        match end {
            Some(end) => Ok(Self { text, end }),
            None => Err(none(&format!("{text:?}"))),
        }
    }
}

impl Key {
    /// Returns the expiry as written if the key has expired.
    fn expired(&self, now: Timestamp) -> Option<&str> {
        let until = self.until.as_ref()?;
        (now >= until.end).then_some(until.text.as_str())
    }
}

impl Rule {
    /// Reports whether the rule applies to one of the names.
    fn is_for(&self, names: &[String]) -> bool {
        let mut writings = self
            .names
            .iter()
            .flat_map(|it| it.writings.iter().map(move |writing| (writing, it.is_open)));
        writings.any(|(writing, is_open)| {
            if is_open {
                writing.is_empty() || names.iter().any(|it| it.starts_with(writing.as_str()))
            } else {
                names.contains(writing)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(written: &str) -> Result<Vec<Key>, String> {
        let text = format!("[[trust]]\nnames = [\"office\"]\nkeys = [{written}]");
        let policy: Result<Policy, _> = toml::from_str(&text);
        policy
            .map(|mut policy| policy.trust.remove(0).keys)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_name_fits_however_a_host_is_written_and_one_that_fits_nothing_is_refused() {
        let rule = |name: &str| {
            let text = format!("[[trust]]\nnames = [{name:?}]\nkeys = []");
            let policy: Result<Policy, _> = toml::from_str(&text);
            policy
                .map(|mut policy| policy.trust.remove(0))
                .map_err(|error| error.to_string())
        };
        let suite = "localhost:5010/suites/office";
        for (name, bundle, is_for) in [
            ("localhost:5010/suites/*", suite, true),
            ("LOCALHOST:05010/suites/office", suite, true),
            ("LOCALHOST:5010*", suite, true),
            ("localhost:50*", suite, true),
            ("localhost:5010/*", suite, true),
            ("localhost/*", suite, false),
            ("Registry.Example:443/*", "registry.example/a", true),
            ("MyHost/a", "myhost/a", true),
            ("*", suite, true),
            ("office", "office", true),
            ("Office", "office", false),
            ("off*", "office", true),
            ("our lab: Suite/One", "our lab: Suite/One", true),
        ] {
            let found = rule(name).map(|rule| rule.is_for(&[bundle.to_owned()]));
            assert_eq!(found, Ok(is_for), "{name}");
        }
        assert!(rule("*").unwrap().is_for(&[]));
        for (name, word) in [
            ("", "the name is empty"),
            ("localhost:5010/*suite", "`*` is allowed only at the end"),
            ("**", "`*` is allowed only at the end"),
            ("oci://localhost:5010/suite", "without `oci://`"),
            ("localhost:5010/suite:v1", "without tag and digest"),
            ("localhost:5010/suite@sha256:1", "without tag and digest"),
            ("registry.example/Suites/*", "in a-z"),
            ("registry.example/", "write HOST/REPOSITORY"),
            ("registry.example:99999/a", "write HOST/REPOSITORY"),
        ] {
            let told = rule(name).map(drop).unwrap_err();
            assert!(told.contains(word), "{name}: {told}");
        }
    }

    #[test]
    fn a_key_counts_until_the_end_of_its_last_day() {
        let found = keys(
            r#""plain.pub", {file = "a.pub", until = 2026-02-28},
               {file = "b.pub", until = "2026-02-28"}, {file = "c.pub", until = 2026-02-28T12:00:00Z}"#,
        );
        let found = found.unwrap();
        let at = |instant: &str| -> Vec<Option<&str>> {
            let now = instant.parse().unwrap();
            found.iter().map(|key| key.expired(now)).collect()
        };
        let (day, noon) = (Some("2026-02-28"), Some("2026-02-28T12:00:00Z"));
        assert_eq!(at("2026-02-28T11:59:59Z"), [None; 4]);
        assert_eq!(at("2026-02-28T12:00:00Z"), [None, None, None, noon]);
        assert_eq!(at("2026-02-28T23:59:59Z"), [None, None, None, noon]);
        assert_eq!(at("2026-03-01T00:00:00Z"), [None, day, day, noon]);
    }

    /// Duplicate keys are refused, and removing a part of a strict policy never makes it permissive.
    #[test]
    fn a_policy_that_was_changed_is_refused_or_as_strict() {
        let sound = "unsigned = \"refuse\"\n[[trust]]\nnames = [\"office\", \"a/*\"]\n\
                     keys = [\"a.pub\", { file = \"b.pub\", until = 2027-06-30 }]\n";
        let read = |text: &str| toml::from_str::<Policy>(text);
        assert_eq!(read(sound).unwrap().trust[0].keys.len(), 2);
        for line in sound.lines().filter(|line| line.contains('=')) {
            let twice = sound.replacen(line, &format!("{line}\n{line}"), 1);
            let told = read(&twice).unwrap_err().to_string();
            assert!(told.contains("duplicate key"), "{told}");
        }
        for at in 0..sound.len() {
            for end in at..sound.len() {
                let cut = format!("{}{}", &sound[..at], &sound[end..]);
                let strict = |policy: Policy| policy.unsigned == Unsigned::Refuse;
                assert!(read(&cut).map_or(true, strict), "{cut}");
            }
        }
    }

    #[test]
    fn a_key_that_is_written_otherwise_is_named() {
        for (written, word) in [
            (r#"{file = "a.pub", until = 2026-02-30}"#, "2026-02-30"),
            (r#"{file = "a.pub", until = 2027}"#, "found integer"),
            (r#"{file = "a.pub", until = "soon"}"#, "found \"soon\""),
            (
                r#"{file = "a.pub", until = 12:00:00}"#,
                "found \"12:00:00\"",
            ),
            (
                r#"{file = "a.pub", til = 2026-02-28}"#,
                "unknown key \"til\"",
            ),
            ("{until = 2026-02-28}", "the file of a key is required"),
            ("1", "a key file, found integer"),
        ] {
            let told = keys(written).unwrap_err();
            assert!(told.contains(word), "{word}: {told}");
        }
    }
}
