//! Locations of bundles: paths, locks and references to registries, and how they are opened.

use std::fs;
use std::path::{Path, PathBuf};

use mcpmark_bundle::trust::Attached;
use mcpmark_bundle::{
    BlobDirectory, Bundle, BundleError, INSTRUCTION, Layout, Lock, Login, NewLayout, Reference,
    Registry, RegistryError, SUITE, Source, TASK, Transferred, fetch,
};
use mcpmark_http::Secret;
use mcpmark_snapshot::Digest;
use mcpmark_task::Library;

use super::lock;
use crate::context::Context;
use crate::environment;
use crate::error::{CommandError, chain};
use crate::files;
use crate::output::{self, sanitise};

/// Environment variable that allows unencrypted HTTP to registries on other machines.
const PLAIN: &str = "MCPMARK_REGISTRY_PLAIN_HTTP";
const USER: &str = "MCPMARK_REGISTRY_USER";
const PASSWORD: &str = "MCPMARK_REGISTRY_PASSWORD";
/// Environment variable with the host of the only registry that gets the user name and the password.
const HOST: &str = "MCPMARK_REGISTRY_HOST";

/// Bundle with the source of its layers.
pub(super) struct Opened {
    pub(super) bundle: Bundle,
    pub(super) source: Box<dyn Source>,
    /// Attached signatures, not verified.
    pub(super) signatures: Vec<Attached>,
    /// Names of the bundle for the trust policy: its own, and that of its repository.
    pub(super) names: Vec<String>,
    /// Transfer counts; `None` for a local bundle.
    pub(super) transferred: Option<Transferred>,
    /// Lock that the bundle was opened with.
    pub(super) lock: Option<Lock>,
}

impl Opened {
    /// Returns a copy of the layout with the bundle and its signatures.
    pub(super) fn layout(&self) -> Result<NewLayout, BundleError> {
        let source = self.source.as_ref();
        let mut layout = NewLayout::default();
        layout.list(self.bundle.root.clone());
        for (what, descriptor) in self.bundle.blobs() {
            let bytes = fetch(source, &what, &descriptor, descriptor.size)?;
            layout.put(&descriptor.media_type, bytes);
        }
        for attached in &self.signatures {
            for descriptor in attached.all() {
                let bytes = fetch(source, "a signature", descriptor, descriptor.size)?;
                layout.put(&descriptor.media_type, bytes);
            }
            layout.list(attached.descriptor.clone());
        }
        Ok(layout)
    }
}

/// Depth of a download from a registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FetchDepth {
    /// Manifests and configs only.
    Documents,
    /// All blobs.
    Everything,
}

/// Returns true if a path is a reference to a registry.
pub(crate) fn is_reference(path: &Path) -> bool {
    path.to_str()
        .is_some_and(|text| text.starts_with(Reference::SCHEME))
}

/// Returns true if a path looks like a bundle, as opposed to a directory of tasks.
pub(crate) fn looks_like_bundle(path: &Path) -> bool {
    is_reference(path) || Layout::looks_like_layout(path)
}

/// Returns true if `--root` accepts a path: a bundle, or a library of tasks and worlds.
pub(crate) fn is_root(path: &Path) -> bool {
    looks_like_bundle(path) || Library::is_there(path)
}

/// Checks that a location of tasks exists. References to a registry are not checked here.
pub(crate) fn must_be_there(place: &Path) -> Result<(), CommandError> {
    if is_reference(place) {
        return Ok(());
    }
    fs::metadata(place).map(drop).map_err(|error| {
        let problem = match error.kind() {
            std::io::ErrorKind::NotFound => "file or directory does not exist".to_owned(),
            _ => error.to_string(),
        };
        let message = format!("{}: {problem}", place.display());
        CommandError::usage(sanitise::line(&message)).hint(
            "expected a directory of tasks, a bundle (a directory, `suite.tar` or \
             `oci://HOST/REPOSITORY:TAG`) or a lock file (`mcpmark.lock`)",
        )
    })
}

/// Opens a bundle from a path, a lock or a registry.
pub(super) fn open(
    context: &Context,
    place: &Path,
    extent: FetchDepth,
) -> Result<Opened, CommandError> {
    if let Some(text) = place.to_str().filter(|_| is_reference(place)) {
        return open_remote(context, &reference(text)?, extent);
    }
    if lock::looks_like_lock(place) {
        return lock::open(context, place, extent);
    }
    let layout = Layout::open(place).map_err(|error| bundle_error(&error))?;
    of_layout(layout)
}

/// Opens the layout of a local bundle. For a reference, the error says that a bundle can be `done` only locally.
pub(super) fn local(place: &Path, done: &str) -> Result<Layout, CommandError> {
    if is_reference(place) {
        let reference = place.display();
        let message = format!("{reference}: only a bundle on this machine can be {done}");
        return Err(CommandError::usage(message).hint(format!(
            "pull it first: `mcpmark bundle pull {reference} -o suite.tar`"
        )));
    }
    Layout::open(place).map_err(|error| bundle_error(&error))
}

/// Opens the only bundle of a layout with its signatures.
pub(super) fn of_layout(layout: Layout) -> Result<Opened, CommandError> {
    let bundle = read(&layout)?;
    let signatures = layout.signatures(&bundle.root.digest);
    Ok(Opened {
        signatures: signatures.map_err(|error| bundle_error(&error))?,
        names: bundle.name.iter().cloned().collect(),
        bundle,
        source: Box::new(layout),
        transferred: None,
        lock: None,
    })
}

/// Reads the only bundle of a layout.
pub(super) fn read(layout: &Layout) -> Result<Bundle, CommandError> {
    layout
        .one_of(&[SUITE, TASK])
        .and_then(|root| Bundle::read(layout, root))
        .map_err(|error| bundle_error(&error))
}

pub(super) fn open_remote(
    context: &Context,
    reference: &Reference,
    extent: FetchDepth,
) -> Result<Opened, CommandError> {
    let registry = registry(reference)?;
    let blobs = blobs(context);
    let runtime = crate::commands::runtime(1)?;
    let fetched = runtime.block_on(async {
        let found = match extent {
            FetchDepth::Documents => registry.review(reference, &blobs).await,
            FetchDepth::Everything => registry.pull(reference, &blobs).await,
        }?;
        let signatures = registry.signatures(&found.0.root.digest, &blobs).await?;
        Ok::<_, RegistryError>((found, signatures))
    });
    let ((bundle, transferred), signatures) = match fetched {
        Ok(fetched) => fetched,
        Err(error) => {
            // Only a reference with a digest can be served from the cache.
            let digest = reference.digest.filter(|_| error.is_away());
            let problem = match error {
                RegistryError::Stopped { .. } => "interrupted the transfer",
                _ => "cannot be reached",
            };
            let here = digest
                .and_then(|digest| fetched_before(context, reference, &digest, extent, problem));
            return here.ok_or_else(|| registry_error(reference, &error));
        }
    };
    if extent == FetchDepth::Everything {
        let kept = bundle.remember(&signatures, &blobs, &blobs);
        kept.map_err(|error| bundle_error(&error))?;
    }
    let names = bundle.name.iter().cloned().chain([reference.name()]);
    Ok(Opened {
        signatures,
        names: names.collect(),
        bundle,
        source: Box::new(blobs),
        transferred: Some(transferred),
        lock: None,
    })
}

/// Returns a bundle from the cache, if the registry is unavailable and everything needed was fetched before.
fn fetched_before(
    context: &Context,
    reference: &Reference,
    digest: &Digest,
    extent: FetchDepth,
    problem: &str,
) -> Option<Opened> {
    let mut opened = remembered(context, digest)?;
    if extent == FetchDepth::Everything && !opened.bundle.is_whole(&blobs(context)) {
        return None;
    }
    output::note(&format!(
        "{} {} {problem}; using the bundle with this digest that was fetched before",
        output::paint(output::WARN, "warning:"),
        sanitise::line(&reference.host)
    ));
    opened.names.push(reference.name());
    opened.transferred = Some(Transferred {
        present: opened.bundle.blobs().len() as u64,
        ..Transferred::default()
    });
    Some(opened)
}

/// Returns the cache of blobs, which also contains the documents of local bundles for comparison.
pub(super) fn blobs(context: &Context) -> BlobDirectory {
    BlobDirectory::of_layout(&kept(context))
}

/// Returns the cached documents of a bundle with its signatures, if all documents still exist. Other layers may be
/// missing.
pub(super) fn remembered(context: &Context, digest: &Digest) -> Option<Opened> {
    let blobs = blobs(context);
    let bundle = Bundle::kept(&blobs, digest).ok()?;
    // Comparisons need the instructions.
    let mut documents = bundle.tasks.iter().map(|it| it.read(&blobs, INSTRUCTION));
    documents.all(|it| it.is_ok()).then(|| Opened {
        signatures: Bundle::kept_signatures(&blobs, digest),
        names: bundle.name.iter().cloned().collect(),
        transferred: None,
        lock: None,
        source: Box::new(blobs.clone()),
        bundle: bundle.clone(),
    })
}

/// Caches the documents and signatures of a bundle for later comparison, because its location may contain another
/// bundle later.
pub(super) fn remember(context: &Context, opened: &Opened) -> Result<(), CommandError> {
    let kept = opened
        .bundle
        .remember(&opened.signatures, opened.source.as_ref(), &blobs(context));
    kept.map_err(|error| bundle_error(&error))
}

/// Returns the cache directory of blobs and unpacked bundles.
pub(super) fn kept(context: &Context) -> PathBuf {
    context.cache().join("bundles")
}

pub(super) fn reference(text: &str) -> Result<Reference, CommandError> {
    text.parse().map_err(|error| {
        CommandError::usage(sanitise::line(&chain(&error)))
            .hint("write it as oci://HOST/REPOSITORY:TAG")
    })
}

/// Returns the credentials for a registry, from the environment or from docker's configuration file. A lock or an
/// experiment from another source may name any registry, so the environment must also name the registry that the
/// password is for.
fn login(host: &str) -> Result<Option<Login>, CommandError> {
    let own = environment::text(HOST)?;
    let is_meant = own
        .as_deref()
        .is_some_and(|own| own.eq_ignore_ascii_case(host));
    match (environment::text(USER)?, environment::text(PASSWORD)?) {
        (Some(_), Some(_)) if own.is_none() => {
            let message = format!("{USER} and {PASSWORD} are set, but {HOST} is not");
            return Err(CommandError::usage(message).hint(
                "set it to the registry that they are for, such as `registry.example:5000`",
            ));
        }
        (Some(user), Some(password)) if is_meant => {
            let password = Secret::new(password);
            return Ok(Some(Login { user, password }));
        }
        (Some(_), None) | (None, Some(_)) => {
            return Err(CommandError::usage(format!(
                "only one of {USER} and {PASSWORD} is set, but both are required"
            )));
        }
        _ => {}
    }
    let dir = match environment::text("DOCKER_CONFIG")? {
        Some(dir) => PathBuf::from(dir),
        None => match std::env::var_os("HOME") {
            Some(home) => PathBuf::from(home).join(".docker"),
            None => return Ok(None),
        },
    };
    let file = dir.join("config.json");
    let wrong =
        |error: &dyn std::fmt::Display| CommandError::usage(format!("{}: {error}", file.display()));
    match files::read(&file) {
        Ok(text) => Login::of_docker(&text, host).map_err(|error| {
            wrong(&error).hint(format!(
                "{USER}, {PASSWORD} and {HOST} take precedence over this file"
            ))
        }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(wrong(&error)),
    }
}

pub(super) fn registry(reference: &Reference) -> Result<Registry, CommandError> {
    let plain = environment::is_set(PLAIN.as_ref());
    let login = login(&reference.host)?;
    Registry::new(reference, plain, login).map_err(|error| registry_error(reference, &error))
}

pub(super) fn bundle_error(error: &BundleError) -> CommandError {
    let message = chain(error);
    let message = sanitise::block(&message);
    match error {
        BundleError::Read { .. } => CommandError::usage(message),
        error if error.is_infrastructure() => CommandError::infrastructure(message),
        _ => CommandError::invalid(message),
    }
}

pub(super) fn registry_error(reference: &Reference, error: &RegistryError) -> CommandError {
    let message = format!("{reference}: {}", chain(error));
    let message = sanitise::block(&message);
    match error {
        RegistryError::Readable(_) => CommandError::usage(message).hint(format!(
            "{PLAIN}=1 allows it, but then anyone on the network path can read and change the data"
        )),
        RegistryError::Refused { .. } => CommandError::infrastructure(message).hint(format!(
            "log in with `docker login`, or set {USER}, {PASSWORD} and {HOST}"
        )),
        RegistryError::Status { status: 429, .. } => CommandError::infrastructure(message).hint(
            "the request was retried; received data is stored, so repeat the command later to continue",
        ),
        RegistryError::Stopped { .. } => CommandError::infrastructure(message)
            .hint("received data is stored; repeat the command to continue"),
        error if error.is_away() => CommandError::infrastructure(message).hint(
            "check its name, and whether it is running; without it, only a locked bundle \
             (`mcpmark bundle lock`) that was fetched before can be used",
        ),
        error if error.is_infrastructure() => CommandError::infrastructure(message),
        _ => CommandError::invalid(message),
    }
}
