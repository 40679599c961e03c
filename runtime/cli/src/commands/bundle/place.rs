//! Where bundles lie, and the libraries that are made of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use mcpmark_bundle::trust::Attached;
use mcpmark_bundle::{
    BlobDirectory, Bundle, BundleError, INSTRUCTION, Layout, Lock, Login, Look, NewLayout,
    Reference, Registry, RegistryError, SCRIPT, SUITE, Source, TASK, Transferred, UnpackedCorpus,
    VERIFIER, fetch, is_as_unpacked,
};
use mcpmark_http::Secret;
use mcpmark_snapshot::{Digest, Store};
use mcpmark_task::Library;
use serde_json::json;

use super::{corpus, lock, trust};
use crate::args::EngineArgs;
use crate::commands::script::is_script;
use crate::context::{self, Context};
use crate::engine;
use crate::environment;
use crate::error::{CommandError, chain};
use crate::output::{self, sanitise};

/// Lets registries on other machines be reached without encryption.
const PLAIN: &str = "MCPMARK_REGISTRY_PLAIN_HTTP";
const USER: &str = "MCPMARK_REGISTRY_USER";
const PASSWORD: &str = "MCPMARK_REGISTRY_PASSWORD";
/// The one registry that name and password are for.
const HOST: &str = "MCPMARK_REGISTRY_HOST";

const DIGESTS: &str = "`mcpmark bundle inspect` tells the digests of verifiers";

/// What unpacking makes of a bundle: another where a later mcpmark makes more of it.
const FORM: u32 = 2;

/// A bundle, and where its layers are.
pub(super) struct Opened {
    pub(super) bundle: Bundle,
    pub(super) source: Box<dyn Source>,
    /// Beside it, whatever they are worth.
    pub(super) signatures: Vec<Attached>,
    /// What people may know it by: its own name, and that of its repository.
    pub(super) names: Vec<String>,
    /// What came from a registry, where it lies in one.
    pub(super) transferred: Option<Transferred>,
    /// The lock that it was opened by.
    pub(super) lock: Option<Lock>,
}

/// A bundle as a library.
#[derive(Clone)]
pub(crate) struct Unpacked {
    pub(crate) library: Library,
    /// Its tasks, where they are those of a published corpus: then the library has none.
    pub(crate) corpus: Option<UnpackedCorpus>,
    /// The digest of its manifest.
    pub(crate) digest: Digest,
    /// What receipts name its tasks by.
    pub(crate) bundles: BTreeMap<String, Digest>,
    /// The lock that it was opened by.
    pub(crate) lock: Option<Lock>,
}

impl Opened {
    /// All of it with its signatures, to be written elsewhere.
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

/// How much of a bundle in a registry is fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// Manifests and configs.
    Documents,
    /// All of it.
    Everything,
}

/// Whether a path names something in a registry.
pub(crate) fn is_reference(path: &Path) -> bool {
    path.to_str()
        .is_some_and(|text| text.starts_with(Reference::SCHEME))
}

/// Whether a path is meant as a bundle, and not as a directory of tasks.
pub(crate) fn is_meant(path: &Path) -> bool {
    is_reference(path) || Layout::is_meant(path)
}

/// Whether a path is one that `--root` takes, too: a bundle, or a library of tasks and worlds.
pub(crate) fn is_root(path: &Path) -> bool {
    is_meant(path) || Library::is_there(path)
}

/// Whether there is anything where tasks are said to lie. What is in a registry is seen when it is asked.
pub(crate) fn must_be_there(place: &Path) -> Result<(), CommandError> {
    if is_reference(place) {
        return Ok(());
    }
    fs::metadata(place).map(drop).map_err(|error| {
        let problem = match error.kind() {
            std::io::ErrorKind::NotFound => "there is no such file or directory".to_owned(),
            _ => error.to_string(),
        };
        let message = format!("{}: {problem}", place.display());
        CommandError::usage(sanitise::line(&message)).hint(
            "tasks lie in a directory, a bundle (a directory, as `suite.tar`, or \
             `oci://HOST/REPOSITORY:TAG`), or where a lock (`mcpmark.lock`) says",
        )
    })
}

/// Opens a bundle wherever it lies.
pub(super) fn open(
    context: &Context,
    place: &Path,
    extent: Extent,
) -> Result<Opened, CommandError> {
    if let Some(text) = place.to_str().filter(|_| is_reference(place)) {
        return open_remote(context, &reference(text)?, extent);
    }
    if lock::is_meant(place) {
        return lock::open(context, place, extent);
    }
    let layout = Layout::open(place).map_err(|error| bundle_error(&error))?;
    of_layout(layout)
}

/// The layout of a bundle on this machine, which is the only place where it can be `done` something.
pub(super) fn local(place: &Path, done: &str) -> Result<Layout, CommandError> {
    if is_reference(place) {
        let reference = place.display();
        let message = format!("{reference}: a bundle is {done} where it lies on this machine");
        return Err(CommandError::usage(message).hint(format!(
            "pull it first: `mcpmark bundle pull {reference} -o suite.tar`"
        )));
    }
    Layout::open(place).map_err(|error| bundle_error(&error))
}

/// The one bundle of a layout, with its signatures.
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

/// The one bundle of a layout.
pub(super) fn read(layout: &Layout) -> Result<Bundle, CommandError> {
    layout
        .one_of(&[SUITE, TASK])
        .and_then(|root| Bundle::read(layout, root))
        .map_err(|error| bundle_error(&error))
}

pub(super) fn open_remote(
    context: &Context,
    reference: &Reference,
    extent: Extent,
) -> Result<Opened, CommandError> {
    let registry = registry(reference)?;
    let blobs = blobs(context);
    let runtime = crate::commands::runtime(1)?;
    let fetched = runtime.block_on(async {
        let found = match extent {
            Extent::Documents => registry.review(reference, &blobs).await,
            Extent::Everything => registry.pull(reference, &blobs).await,
        }?;
        let signatures = registry.signatures(&found.0.root.digest, &blobs).await?;
        Ok::<_, RegistryError>((found, signatures))
    });
    let ((bundle, transferred), signatures) = match fetched {
        Ok(fetched) => fetched,
        Err(error) => {
            // What a digest names is the same wherever it comes from.
            let digest = reference.digest.filter(|_| error.is_away());
            let here = digest.and_then(|it| fetched_before(context, reference, &it, extent));
            return here.ok_or_else(|| registry_error(reference, &error));
        }
    };
    if extent == Extent::Everything {
        let kept = bundle.remember(&signatures, &blobs, &blobs);
        kept.map_err(|error| bundle_error(&error))?;
    }
    let names = bundle.name.iter().cloned().chain([repository(reference)]);
    Ok(Opened {
        signatures,
        names: names.collect(),
        bundle,
        source: Box::new(blobs),
        transferred: Some(transferred),
        lock: None,
    })
}

/// The name of a repository, as policies have it.
fn repository(reference: &Reference) -> String {
    format!("{}/{}", reference.host, reference.repository)
}

/// What a registry that cannot be reached would give, where all of it was fetched before.
fn fetched_before(
    context: &Context,
    reference: &Reference,
    digest: &Digest,
    extent: Extent,
) -> Option<Opened> {
    let mut opened = remembered(context, digest)?;
    if extent == Extent::Everything && !opened.bundle.is_whole(&blobs(context)) {
        return None;
    }
    output::note(&format!(
        "{} {} cannot be reached; what was fetched before is taken, by its digest",
        output::paint(output::WARN, "warning:"),
        sanitise::line(&reference.host)
    ));
    opened.names.push(repository(reference));
    opened.transferred = Some(Transferred {
        present: opened.bundle.blobs().len() as u64,
        ..Transferred::default()
    });
    Some(opened)
}

/// Blobs of registries, and what is kept to compare with.
pub(super) fn blobs(context: &Context) -> BlobDirectory {
    BlobDirectory::of_layout(&kept(context))
}

/// The documents of a bundle that were kept, if all are still there, with its signatures. Other layers
/// may be gone.
pub(super) fn remembered(context: &Context, digest: &Digest) -> Option<Opened> {
    let blobs = blobs(context);
    let bundle = Bundle::kept(&blobs, digest).ok()?;
    // Instructions are compared too.
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

/// Keeps what a bundle is known again by: the place where it lies may have another some day.
pub(super) fn remember(context: &Context, opened: &Opened) -> Result<(), CommandError> {
    let kept = opened
        .bundle
        .remember(&opened.signatures, opened.source.as_ref(), &blobs(context));
    kept.map_err(|error| bundle_error(&error))
}

/// Where blobs of registries are kept, and libraries that were made of bundles.
fn kept(context: &Context) -> PathBuf {
    context.cache().join("bundles")
}

pub(super) fn reference(text: &str) -> Result<Reference, CommandError> {
    text.parse().map_err(|error| {
        CommandError::usage(sanitise::line(&chain(&error)))
            .hint("write it as oci://HOST/REPOSITORY:TAG")
    })
}

/// Who asks a registry: as the environment says, or else as docker's own file does.
fn login(host: &str) -> Result<Option<Login>, CommandError> {
    let own = environment::text(HOST)?;
    let is_meant = own.is_none_or(|own| own == host);
    match (environment::text(USER)?, environment::text(PASSWORD)?) {
        (Some(user), Some(password)) if is_meant => {
            let password = Secret::new(password);
            return Ok(Some(Login { user, password }));
        }
        (Some(_), None) | (None, Some(_)) => {
            return Err(CommandError::usage(format!(
                "one of {USER} and {PASSWORD} is set, and the other is not"
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
    match fs::read(&file) {
        Ok(text) => Login::of_docker(&text, host).map_err(|error| {
            wrong(&error).hint(format!("{USER} and {PASSWORD} go before that file"))
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

/// The tasks of a bundle as a library, made where this is the first time.
pub(crate) fn library(context: &Context, place: &Path) -> Result<Unpacked, CommandError> {
    let opened = open(context, place, Extent::Everything)?;
    trust::check(context, &opened)?;
    // What came from a registry was kept when it came. Nothing rests on the rest being kept: where
    // that fails, it is only its own place that has it.
    if opened.transferred.is_none() {
        let _ = remember(context, &opened);
    }
    let verifiers = verifiers(context, &opened.bundle)?;
    as_library(context, &opened, &verifiers)
}

/// The bundle that lay at a place, as a library; none where something of it is gone from here, too.
pub(crate) fn library_of(
    context: &Context,
    place: &Path,
    digest: &Digest,
) -> Result<Option<Unpacked>, CommandError> {
    let Some(mut opened) = remembered(context, digest) else {
        return Ok(None);
    };
    if let Some(text) = place.to_str().filter(|_| is_reference(place)) {
        opened.names.push(repository(&reference(text)?));
    }
    trust::check(context, &opened)?;
    let verifiers = verifiers(context, &opened.bundle)?;
    let is_here = library_dir(context, &opened.bundle, &verifiers).is_dir()
        || opened.bundle.is_whole(&blobs(context));
    match is_here {
        true => as_library(context, &opened, &verifiers).map(Some),
        false => Ok(None),
    }
}

fn as_library(
    context: &Context,
    opened: &Opened,
    verifiers: &BTreeMap<Digest, Vec<u8>>,
) -> Result<Unpacked, CommandError> {
    let Opened { bundle, lock, .. } = opened;
    let library = unpacked(context, bundle, opened.source.as_ref(), verifiers)?;
    let bundles = bundle.tasks.iter();
    let bundles = bundles.map(|it| (it.id.to_string(), it.config.parts.digest()));
    Ok(Unpacked {
        corpus: UnpackedCorpus::of(bundle, &library.root),
        digest: bundle.root.digest,
        bundles: bundles.collect(),
        lock: lock.clone(),
        library,
    })
}

fn libraries(context: &Context) -> PathBuf {
    kept(context).join("libraries")
}

/// Where a bundle is unpacked to, with the verifiers that were handed over for it.
fn library_dir(
    context: &Context,
    bundle: &Bundle,
    verifiers: &BTreeMap<Digest, Vec<u8>>,
) -> PathBuf {
    let given: Vec<_> = verifiers.keys().collect();
    let name = json!({"form": FORM, "bundle": bundle.root.digest, "verifiers": given});
    let name = mcpmark_json::canonical(&name);
    libraries(context).join(Digest::of(name.as_bytes()).hex())
}

fn unpacked(
    context: &Context,
    bundle: &Bundle,
    source: &dyn Source,
    verifiers: &BTreeMap<Digest, Vec<u8>>,
) -> Result<Library, CommandError> {
    let libraries = libraries(context);
    let dir = library_dir(context, bundle, verifiers);
    if dir.is_dir() {
        is_whole(&dir, Look::Quick)?;
    } else {
        let failed = |error: std::io::Error| {
            CommandError::infrastructure(format!("{}: {error}", libraries.display()))
        };
        fs::create_dir_all(&libraries).map_err(failed)?;
        let fresh = tempfile::tempdir_in(&libraries).map_err(failed)?;
        mcpmark_bundle::unpack(bundle, source, verifiers, fresh.path())
            .map_err(|error| bundle_error(&error))?;
        match fs::rename(fresh.path(), &dir) {
            // Another process was faster with the same.
            Err(_) if dir.is_dir() => {}
            Err(error) => return Err(failed(error)),
            Ok(()) => drop(fresh.keep()),
        }
    }
    Ok(Library::at(dir))
}

/// Whether a library that was made of a bundle is what it was then.
pub(crate) fn is_whole(library: &Path, look: Look) -> Result<(), CommandError> {
    is_as_unpacked(library, look).map_err(|error| {
        let remove = format!("remove {}, and it is unpacked again", library.display());
        bundle_error(&error).hint(remove)
    })
}

/// Writes again what a store should have of a bundle: its worlds, its verifiers, and the documents of
/// what grades follow from.
pub(crate) fn mend(context: &Context, place: &Path, store: &Store) -> Result<(), CommandError> {
    let opened = open(context, place, Extent::Everything)?;
    trust::check(context, &opened)?;
    let scratch = mcpmark_snapshot::Scratch::new(&mcpmark_snapshot::scratch_parent(None))
        .map_err(CommandError::infrastructure)?;
    let file = scratch.path().join("states");
    for world in opened.bundle.worlds.values() {
        // All of it is read: that the tree is there does not say that its files are.
        world
            .copy_states(opened.source.as_ref(), &file)
            .and_then(|()| world.read_states(&file, store))
            .map_err(|error| bundle_error(&error))?;
    }
    let context = context.at_bundle(place);
    let library = context.library()?;
    if let Some(corpus) = context.corpus()? {
        let opened = mcpmark_task::published::Corpus::at(&corpus.root);
        let published = opened.map_err(|error| context::invalid(&error))?;
        let tasks = published
            .tasks()
            .map_err(|error| context::invalid(&error))?;
        let sandbox = context.sandbox(1, EngineArgs::default())?;
        let states = Some(corpus.states.as_path());
        context.prepare_published(&published, states, &tasks.tasks, &sandbox, store)?;
        return Ok(());
    }
    // Those whose verifiers are held back cannot be prepared, and have nothing to give.
    let tasks = library.tasks().map_err(|error| context::invalid(&error))?;
    let sandbox = context.sandbox(1, EngineArgs::default())?;
    context.prepare(&library, &tasks.tasks, &sandbox, store)?;
    Ok(())
}

/// The verifiers that a person hands over for a bundle. Those that are still missing are told.
fn verifiers(
    context: &Context,
    bundle: &Bundle,
) -> Result<BTreeMap<Digest, Vec<u8>>, CommandError> {
    let wanted: Vec<Digest> = bundle
        .tasks
        .iter()
        .filter_map(|it| it.held_back())
        .collect();
    let mut verifiers = BTreeMap::new();
    for file in context.held_back() {
        if file.is_dir() || file.extension().is_some_and(|it| it == "tar") {
            verifiers.append(&mut of_bundle(file, &wanted)?);
            continue;
        }
        let (digest, bytes) = if is_script(file) {
            corpus::handed_over(file, &context.store()?)?
        } else {
            let bytes = engine::read_component(file)?;
            (Digest::of(&bytes), bytes)
        };
        if !wanted.contains(&digest) {
            let message = format!(
                "{}: its digest is {digest}, which no task of the bundle holds back",
                file.display()
            );
            return Err(CommandError::usage(message).hint(DIGESTS));
        }
        verifiers.insert(digest, bytes);
    }
    let missing = wanted.iter().filter(|it| !verifiers.contains_key(it));
    match missing.count() {
        0 => {}
        missing => output::note(&format!(
            "{} verifiers of {} are held back; --held-back FILE hands one over",
            output::paint(output::WARN, "warning:"),
            output::count(missing, "task")
        )),
    }
    Ok(verifiers)
}

/// Those verifiers of a bundle that are wanted: whoever packed a suite twice has them in the other one.
fn of_bundle(place: &Path, wanted: &[Digest]) -> Result<BTreeMap<Digest, Vec<u8>>, CommandError> {
    let layout = Layout::open(place).map_err(|error| bundle_error(&error))?;
    let mut found = BTreeMap::new();
    for task in read(&layout)?.tasks {
        let digest = task.judged_by.digest();
        if !wanted.contains(&digest) || found.contains_key(&digest) {
            continue;
        }
        for file in [VERIFIER, SCRIPT] {
            let bytes = task.read(&layout, file);
            if let Some(bytes) = bytes.map_err(|error| bundle_error(&error))? {
                found.insert(digest, bytes);
            }
        }
    }
    match found.is_empty() {
        false => Ok(found),
        true => {
            let message = format!(
                "{}: it has no verifier that a task of the other bundle holds back",
                place.display()
            );
            Err(CommandError::usage(message).hint(DIGESTS))
        }
    }
}

/// Writes a layout as an archive, which appears when it is whole.
fn write_archive(layout: &NewLayout, to: &Path) -> Result<(), CommandError> {
    let failed = |error: &dyn std::fmt::Display| {
        CommandError::infrastructure(format!("{}: cannot be written: {error}", to.display()))
    };
    let parent = match to.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let file = tempfile::NamedTempFile::new_in(parent).map_err(|error| failed(&error))?;
    layout
        .write_archive(std::io::BufWriter::new(file.as_file()))
        .map_err(|error| failed(&error))?;
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    let ready = file.as_file().set_permissions(mode);
    ready.map_err(|error| failed(&error))?;
    file.persist(to).map_err(|error| failed(&error.error))?;
    Ok(())
}

/// Endings of archives that bundles are none of.
const FOREIGN: [&str; 12] = [
    "zip", "gz", "tgz", "bz2", "tbz", "xz", "txz", "zst", "tzst", "7z", "rar", "jar",
];

/// Whether a layout may be written there: to a directory that is new or empty, or to a new file that ends
/// with `.tar`; `force` takes a bundle's place.
pub(super) fn may_write(to: &Path, force: bool) -> Result<(), CommandError> {
    let refused = |problem: &str, hint: &str| {
        let message = format!("{}: {problem}", to.display());
        Err(CommandError::usage(message).hint(hint.to_owned()))
    };
    let allowed = "name a new directory, or a file that ends with .tar";
    let ending = to.extension().and_then(|it| it.to_str()).unwrap_or("");
    let small = ending.to_ascii_lowercase();
    if FOREIGN.contains(&small.as_str()) || (small == "tar" && ending != "tar") {
        return refused(&format!("a bundle is no .{ending} file"), allowed);
    }
    if fs::symlink_metadata(to).is_err() {
        // A directory is made with those above it; an archive goes where there is one.
        let parent = to.parent().filter(|parent| *parent != Path::new(""));
        return match parent.filter(|parent| ending == "tar" && !parent.is_dir()) {
            Some(parent) => {
                let missing = format!("there is no directory {}", parent.display());
                refused(&missing, "make it, or name another place")
            }
            None => Ok(()),
        };
    }
    let is_bundle = || Layout::open(to).is_ok_and(|layout| read(&layout).is_ok());
    match (ending, to.is_dir()) {
        ("tar", true) => refused("is a directory", allowed),
        ("tar", false) | (_, true) if is_bundle() => match force {
            true => Ok(()),
            false => refused("is there already", "--force takes its place"),
        },
        (_, true) if is_empty(to) => Ok(()),
        ("tar", false) | (_, true) => refused("holds something else than a bundle", allowed),
        (_, false) => refused("is no directory", allowed),
    }
}

fn is_empty(dir: &Path) -> bool {
    fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_none())
}

/// Writes a layout to where it [may be written](may_write).
pub(super) fn write(layout: &NewLayout, to: &Path, force: bool) -> Result<(), CommandError> {
    may_write(to, force)?;
    if to.extension().is_some_and(|it| it == "tar") {
        return write_archive(layout, to);
    }
    // Blobs of the one that is there would stay among the new ones.
    mcpmark_bundle::clear(to)
        .and_then(|()| layout.write_directory(to))
        .map_err(|error| bundle_error(&error))
}

/// Writes a layout over the one that it was made of: there is more in it, and nothing else.
pub(super) fn rewrite(layout: &NewLayout, to: &Path) -> Result<(), CommandError> {
    match to.is_dir() {
        true => layout
            .write_directory(to)
            .map_err(|error| bundle_error(&error)),
        false => write_archive(layout, to),
    }
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
            "{PLAIN}=1 allows it; then everybody on the way may read and change what is sent"
        )),
        RegistryError::Refused { .. } => CommandError::infrastructure(message).hint(format!(
            "`docker login`, or {USER} and {PASSWORD}, say who asks"
        )),
        RegistryError::Stopped { .. } => CommandError::infrastructure(message)
            .hint("what came is kept, and the same command goes on from there"),
        error if error.is_away() => CommandError::infrastructure(message).hint(
            "see that its name is right and that it runs; without it runs what was locked \
             (`mcpmark bundle lock`) and fetched before",
        ),
        error if error.is_infrastructure() => CommandError::infrastructure(message),
        _ => CommandError::invalid(message),
    }
}
