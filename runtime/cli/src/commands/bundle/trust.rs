//! Who vouches for bundles: `bundle sign`, and the policy that says whose signatures count.

use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use mcpmark_bundle::Layout;
use mcpmark_bundle::trust::{Kind, PrivateKey, PublicKey, attach, statement};
use mcpmark_snapshot::Digest;
use serde::Deserialize;
use serde_json::json;

use super::place::{self, Opened, bundle_error};
use crate::context::Context;
use crate::environment;
use crate::error::{CommandError, chain};
use crate::exit;
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
    names: Vec<String>,
    keys: Vec<PathBuf>,
}

impl Rule {
    /// Whether it is for a bundle of one of these names; `*` at the end stands for anything.
    fn is_for(&self, names: &[String]) -> bool {
        self.names
            .iter()
            .any(|pattern| match pattern.strip_suffix('*') {
                Some(beginning) => {
                    beginning.is_empty() || names.iter().any(|it| it.starts_with(beginning))
                }
                None => names.contains(pattern),
            })
    }
}

/// Signs a bundle where it lies.
pub(super) fn sign(bundle: &Path, key: &Path, as_json: bool) -> Result<u8, CommandError> {
    let key: PrivateKey = read_key(key)?;
    let layout = Layout::open(bundle).map_err(|error| bundle_error(&error))?;
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
        place::rewrite(&layout, bundle)?;
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
    let text = fs::read_to_string(file).map_err(|error| wrong(&error))?;
    text.parse().map_err(|error| wrong(&error))
}

/// The keys of these files that vouch for a bundle; one must.
pub(super) fn insist(opened: &Opened, keys: &[PathBuf]) -> Result<Vec<PathBuf>, CommandError> {
    let digest = &opened.bundle.root.digest;
    let mut vouching = Vec::new();
    for file in keys {
        let key: PublicKey = read_key(file)?;
        let mut signatures = opened.signatures.iter();
        if signatures.any(|attached| attached.signature.vouches(&key, digest)) {
            vouching.push(file.clone());
        }
    }
    match vouching.is_empty() {
        false => Ok(vouching),
        true => Err(refused(opened, digest)),
    }
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
    let file = match environment::text(POLICY)? {
        Some(file) => PathBuf::from(file),
        None => match context.configuration().map(|dir| dir.join("trust.toml")) {
            Some(file) if file.exists() => file,
            _ => return Ok(Vec::new()),
        },
    };
    let wrong = |error: String| CommandError::usage(format!("{}: {error}", file.display()));
    let text = fs::read_to_string(&file).map_err(|error| wrong(error.to_string()))?;
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
        let keys = rules.iter().flat_map(|rule| &rule.keys);
        let keys: Vec<PathBuf> = keys.map(|key| beside.join(key)).collect();
        for key in insist(opened, &keys).map_err(hint)? {
            if !vouching.contains(&key) {
                vouching.push(key);
            }
        }
    }
    Ok(vouching)
}
