//! Who vouches for bundles: `bundle sign`, and the policy that says whose signatures count.

use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use mcpmark_bundle::trust::{Kind, PrivateKey, PublicKey, attach, statement};
use mcpmark_bundle::{Reference, plain_host};
use mcpmark_snapshot::Digest;
use serde::Deserialize;
use serde_json::json;

use super::place::{self, Opened, bundle_error};
use super::writing;
use crate::context::Context;
use crate::environment;
use crate::error::{CommandError, chain};
use crate::exit;
use crate::files;
use crate::output;

/// Names the policy; else it is `trust.toml` in the configuration directory.
const POLICY: &str = "MCPMARK_TRUST";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Policy {
    #[serde(default)]
    unsigned: Unsigned,
    #[serde(default)]
    trust: Vec<Rule>,
}

/// What becomes of bundles that no rule is for.
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

/// A name of bundles; `*` at its end stands for anything.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
struct Name {
    /// As it stands there, and as the name of a repository is written.
    writings: Vec<String>,
    is_open: bool,
}

impl TryFrom<String> for Name {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let wrong = |reason: &str| Err(format!("{text:?} is the name of no bundle: {reason}"));
        let (name, is_open) = match text.strip_suffix('*') {
            Some(beginning) => (beginning, true),
            None => (text.as_str(), false),
        };
        if name.contains('*') {
            return wrong("`*` stands at the end, or nowhere");
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
            // What may follow is a part of a name.
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
            wrong("it is empty")
        } else {
            Ok(Self { writings, is_open })
        }
    }
}

/// A key of a rule: a file, or a table of that with the day on which it counts for the last time.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "toml::Value")]
struct Key {
    file: PathBuf,
    until: Option<Until>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Until {
    /// As it was written.
    text: String,
    /// From here on the key counts no more.
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
            other => return Err(format!("a key is a file, and no {}", other.type_str())),
        };
        let Some(toml::Value::String(file)) = table.remove("file") else {
            return Err(
                "a key has no file; write { file = \"ours.pub\", until = 2030-12-31 }".into(),
            );
        };
        let until = table.remove("until").map(Until::read).transpose()?;
        match table.keys().next() {
            Some(key) => Err(format!("a key has file and until, and not {key:?}")),
            None => Ok(Self {
                file: file.into(),
                until,
            }),
        }
    }
}

impl Until {
    /// A day, all of which counts by the clock of Greenwich, or an instant.
    fn read(value: toml::Value) -> Result<Self, String> {
        let none = |shown: &str| {
            format!("until is {shown}, and no day as 2030-12-31 or instant as 2030-12-31T12:00:00Z")
        };
        let text = match value {
            toml::Value::Datetime(date) => date.to_string(),
            toml::Value::String(text) => text,
            other => return Err(none(other.type_str())),
        };
        // An instant has a day, too.
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
    /// When it ended, where it counts no more.
    fn expired(&self, now: Timestamp) -> Option<&str> {
        let until = self.until.as_ref()?;
        (now >= until.end).then_some(until.text.as_str())
    }
}

impl Rule {
    /// Whether it is for a bundle of one of these names.
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

/// Signs a bundle where it lies.
pub(super) fn sign(bundle: &Path, key: &Path, as_json: bool) -> Result<u8, CommandError> {
    let layout = place::local(bundle, "signed")?;
    let key: PrivateKey = read_key(key)?;
    let opened = place::of_layout(layout)?;
    let root = opened.bundle.root.clone();
    // Once is enough, also where each signature is another.
    let mut signatures = opened.signatures.iter();
    if !signatures.any(|it| it.signature.vouches(&key.public(), &root.digest)) {
        let mut layout = opened.layout().map_err(|error| bundle_error(&error))?;
        let signed = key
            .sign(&statement(&root.digest))
            .map_err(CommandError::infrastructure)?;
        attach(&mut layout, &root, &signed);
        writing::rewrite(&layout, bundle)?;
    }
    let public = key.public().to_string();
    if as_json {
        output::print_json(&json!({"digest": root.digest, "key": public}))?;
    } else {
        output::print(&format!("{}\nsigned by key {public}\n", root.digest))?;
    }
    Ok(exit::PASSED)
}

/// Makes a pair of keys: the private one, which nobody else can read, and the public one beside it.
pub(super) fn keygen(file: &Path, kind: Kind, as_json: bool) -> Result<u8, CommandError> {
    let public_file = file.with_extension("pub");
    if public_file == file {
        let message = format!("{}: that is the public key's name", file.display());
        return Err(CommandError::usage(message));
    }
    for path in [file, &public_file] {
        if path.exists() {
            let message = format!("{}: exists already", path.display());
            return Err(CommandError::usage(message));
        }
    }
    let (key, text) = PrivateKey::generate(kind).map_err(CommandError::infrastructure)?;
    for (path, text, mode) in [
        (file, text, 0o600),
        (&public_file, key.public().pem(), 0o644),
    ] {
        let mut options = fs::OpenOptions::new();
        let written = options
            .write(true)
            .create_new(true)
            .mode(mode)
            .open(path)
            .and_then(|mut new| new.write_all(text.as_bytes()));
        written.map_err(|error| {
            let message = format!("{}: {error}", path.display());
            match error.kind() {
                ErrorKind::AlreadyExists => CommandError::usage(message),
                _ => CommandError::infrastructure(message),
            }
        })?;
    }
    let public = key.public().to_string();
    if as_json {
        output::print_json(&json!({"key": public, "private": file, "public": public_file}))?;
    } else {
        let (file, public_file) = (file.display(), public_file.display());
        output::print(&format!(
            "{file} signs, {public_file} vouches: key {public}\n"
        ))?;
    }
    Ok(exit::PASSED)
}

/// Reads a key from a file.
pub(crate) fn read_key<T: std::str::FromStr>(file: &Path) -> Result<T, CommandError>
where
    T::Err: std::fmt::Display,
{
    let wrong =
        |error: &dyn std::fmt::Display| CommandError::usage(format!("{}: {error}", file.display()));
    let text = files::read_text(file).map_err(|error| wrong(&error))?;
    text.parse().map_err(|error| wrong(&error))
}

/// The keys of these files that vouch for a bundle; one must.
pub(super) fn insist(opened: &Opened, keys: &[PathBuf]) -> Result<Vec<PathBuf>, CommandError> {
    let vouching = vouching(opened, keys)?;
    if vouching.is_empty() {
        Err(refused(opened, &opened.bundle.root.digest))
    } else {
        Ok(vouching)
    }
}

/// The keys of these files that vouch for a bundle.
fn vouching(opened: &Opened, keys: &[PathBuf]) -> Result<Vec<PathBuf>, CommandError> {
    let digest = &opened.bundle.root.digest;
    let mut vouching = Vec::new();
    for file in keys {
        let key: PublicKey = read_key(file)?;
        let mut signatures = opened.signatures.iter();
        if signatures.any(|attached| attached.signature.vouches(&key, digest)) {
            vouching.push(file.clone());
        }
    }
    Ok(vouching)
}

/// The keys of rules that vouch for a bundle; one that counts now must.
fn insist_now(
    opened: &Opened,
    keys: &[&Key],
    beside: &Path,
    now: Timestamp,
) -> Result<Vec<PathBuf>, CommandError> {
    let all = keys.iter().copied();
    let (expired, good): (Vec<&Key>, Vec<&Key>) = all.partition(|key| key.expired(now).is_some());
    let files: Vec<PathBuf> = good.iter().map(|key| beside.join(&key.file)).collect();
    let refused = match insist(opened, &files) {
        Err(refused) => refused,
        vouching => return vouching,
    };
    for key in expired {
        let file = beside.join(&key.file);
        let vouches = vouching(opened, std::slice::from_ref(&file))?;
        if let (Some(date), false) = (key.expired(now), vouches.is_empty()) {
            let digest = &opened.bundle.root.digest;
            return Err(CommandError::invalid(format!(
                "bundle {digest} is signed by {}, a key that expired: it counted until {date}",
                file.display()
            )));
        }
    }
    Err(refused)
}

fn refused(opened: &Opened, digest: &Digest) -> CommandError {
    let message = match opened.signatures.len() {
        0 => format!("bundle {digest} is not signed"),
        _ => format!("bundle {digest} is signed by none of the keys that count for it"),
    };
    CommandError::invalid(message)
}

/// Whether the policy of this machine lets a bundle be used, and the keys that vouch for it. Where
/// there is no policy, any bundle may be.
pub(super) fn check(context: &Context, opened: &Opened) -> Result<Vec<PathBuf>, CommandError> {
    check_at(context, opened, Timestamp::now())
}

fn check_at(
    context: &Context,
    opened: &Opened,
    now: Timestamp,
) -> Result<Vec<PathBuf>, CommandError> {
    let file = match environment::text(POLICY)? {
        Some(file) => PathBuf::from(file),
        None => match context.configuration().map(|dir| dir.join("trust.toml")) {
            Some(file) if file.exists() => file,
            _ => return Ok(Vec::new()),
        },
    };
    let wrong = |error: String| CommandError::usage(format!("{}: {error}", file.display()));
    let text = files::read_text(&file).map_err(|error| wrong(error.to_string()))?;
    let policy: Policy = toml::from_str(&text).map_err(|error| wrong(chain(&error)))?;
    let beside = file.parent().unwrap_or(Path::new("."));
    // Whoever packs a bundle chooses its name: a key that counts for that one is none for the
    // repository that it lies in, so each name has to be vouched for by itself.
    let mut each: Vec<&[String]> = opened.names.chunks(1).collect();
    if each.is_empty() {
        each.push(&[]);
    }
    let rules: Vec<Vec<&Rule>> = each
        .into_iter()
        .map(|name| policy.trust.iter().filter(|rule| rule.is_for(name)))
        .map(Iterator::collect)
        .filter(|rules: &Vec<&Rule>| !rules.is_empty())
        .collect();
    let hint = |error: CommandError| {
        error.hint(format!(
            "{} says which keys count for which names",
            file.display()
        ))
    };
    if rules.is_empty() {
        return match policy.unsigned {
            Unsigned::Allow => Ok(Vec::new()),
            Unsigned::Refuse => {
                let digest = opened.bundle.root.digest;
                let message = format!("bundle {digest} has no name that is trusted");
                Err(hint(CommandError::invalid(message)))
            }
        };
    }
    let mut vouching = Vec::new();
    for rules in rules {
        let keys: Vec<&Key> = rules.iter().flat_map(|rule| &rule.keys).collect();
        for key in insist_now(opened, &keys, beside, now).map_err(hint)? {
            if !vouching.contains(&key) {
                vouching.push(key);
            }
        }
    }
    Ok(vouching)
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
            ("", "it is empty"),
            ("localhost:5010/*suite", "`*` stands at the end"),
            ("**", "`*` stands at the end"),
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

    /// What is there twice is refused, and what is cut out of a policy does not let in what it keeps out.
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
            (r#"{file = "a.pub", until = 2027}"#, "until is integer"),
            (r#"{file = "a.pub", until = "soon"}"#, "until is \"soon\""),
            (
                r#"{file = "a.pub", until = 12:00:00}"#,
                "until is \"12:00:00\"",
            ),
            (r#"{file = "a.pub", til = 2026-02-28}"#, "not \"til\""),
            ("{until = 2026-02-28}", "has no file"),
            ("1", "is a file, and no integer"),
        ] {
            let told = keys(written).unwrap_err();
            assert!(told.contains(word), "{word}: {told}");
        }
    }
}
