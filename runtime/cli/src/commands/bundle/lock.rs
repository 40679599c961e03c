//! `bundle lock` and `bundle update`: pin a suite to digests until its changes are accepted.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

use mcpmark_bundle::{Lock, LockError, Reference, WorldArtifact};
use mcpmark_experiment::{Prepared, Start, tool_surface};
use mcpmark_kinds::Services;
use mcpmark_sandbox::Sandbox;
use mcpmark_snapshot::{Digest, ScratchSpace, Store};
use mcpmark_task::WorldId;
use serde::Serialize;

use super::compare::{self, Sides};
use super::place::{self, FetchDepth, Opened};
use super::trust;
use crate::args::{EngineArgs, LockArgs, UpdateArgs};
use crate::context::Context;
use crate::error::{CommandError, chain};
use crate::exit;
use crate::files;
use crate::output::{self, sanitise};

const UPDATE: &str = "`mcpmark bundle update` shows the changes, and asks whether to accept them";

/// Returns true if a path is a lock file, as opposed to a bundle.
pub(super) fn looks_like_lock(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == "lock") && path.is_file()
}

/// Opens the bundle that a lock names and checks that it has the locked digests.
pub(super) fn open(
    context: &Context,
    file: &Path,
    extent: FetchDepth,
) -> Result<Opened, CommandError> {
    let lock = read(file)?;
    let mut opened = if lock.source.starts_with(Reference::SCHEME) {
        let mut reference = reference(file, &lock)?;
        reference.digest = Some(lock.digest);
        place::open_remote(context, &reference, extent)?
    } else {
        place::open(context, &locked(file, &lock)?, extent)?
    };
    lock.check(&opened.bundle)
        .map_err(|error| refused(file, &error))?;
    opened.lock = Some(lock);
    Ok(opened)
}

fn read(file: &Path) -> Result<Lock, CommandError> {
    let bytes = files::read(file)
        .map_err(|error| CommandError::usage(format!("{}: {error}", file.display())))?;
    Lock::parse(&bytes).map_err(|error| refused(file, &error))
}

fn refused(file: &Path, error: &LockError) -> CommandError {
    let message = format!("{}: {error}", file.display());
    let result = CommandError::invalid(sanitise::block(&message));
    match error {
        LockError::Suite { .. } => result.hint(UPDATE),
        _ => result.hint("remove it, and create it again with `mcpmark bundle lock`"),
    }
}

fn reference(file: &Path, lock: &Lock) -> Result<Reference, CommandError> {
    lock.source
        .parse()
        .map_err(|error: mcpmark_bundle::BadReference| {
            let message = format!("{}: {}", file.display(), chain(&error));
            CommandError::invalid(sanitise::block(&message))
        })
}

/// Returns the path of the bundle that a lock names. Refuses another lock, because locks could form a cycle.
fn locked(file: &Path, lock: &Lock) -> Result<PathBuf, CommandError> {
    let source = beside(file, &lock.source);
    if looks_like_lock(&source) {
        let message = format!(
            "{}: source {}: expected a bundle, found a lock file",
            file.display(),
            source.display()
        );
        return Err(CommandError::invalid(sanitise::block(&message))
            .hint("lock the bundle itself with `mcpmark bundle lock`"));
    }
    Ok(source)
}

/// Resolves a path of a lock relative to the lock's directory.
fn beside(file: &Path, source: &str) -> PathBuf {
    file.parent().unwrap_or(Path::new("")).join(source)
}

/// Writes a lock for a suite.
pub(super) fn lock(context: &Context, args: &LockArgs) -> Result<u8, CommandError> {
    let file = &args.output;
    if file.exists() {
        let message = format!("{}: file already exists", file.display());
        return Err(CommandError::usage(message).hint(UPDATE));
    }
    if file.extension().is_none_or(|it| it != "lock") {
        let message = format!(
            "{}: expected a file name that ends with .lock",
            file.display()
        );
        return Err(CommandError::usage(message));
    }
    if looks_like_lock(&args.bundle) {
        let message = format!(
            "{}: expected a bundle, found a lock file",
            args.bundle.display()
        );
        return Err(CommandError::usage(message).hint("name the bundle"));
    }
    let source = source(&args.bundle, file)?;
    let opened = place::open(context, &args.bundle, FetchDepth::Everything)?;
    trust::check(context, &opened)?;
    let lock = of(context, &opened, source)?;
    place::remember(context, &opened)?;
    write(file, &lock)?;
    if args.json {
        output::print_json(&lock)?;
    } else {
        output::print(&format!(
            "{}\n{} locked in {}\n",
            lock.digest,
            output::count(lock.tasks.len(), "task"),
            file.display()
        ))?;
    }
    Ok(exit::PASSED)
}

/// Returns the source of a bundle as written to a lock. A path below the lock's directory is relative, so that the
/// directory can be moved.
fn source(bundle: &Path, file: &Path) -> Result<String, CommandError> {
    let unnamed = || {
        let message = format!("{}: the path is not valid UTF-8", bundle.display());
        CommandError::usage(message)
    };
    if place::is_reference(bundle) {
        let text = bundle.to_str().ok_or_else(unnamed)?;
        // The lock pins the digest; an update follows the tag.
        let named = place::reference(text)?;
        return match (named.digest, &named.tag) {
            (Some(_), None) => Err(CommandError::usage(format!(
                "{text}: expected a tag, found a digest"
            ))
            .hint("name the bundle by a tag, so that an update can follow it")),
            _ => Ok(Reference {
                digest: None,
                ..named
            }
            .to_string()),
        };
    }
    let canonical = |path: &Path| {
        let found = if path == Path::new("") {
            fs::canonicalize(".")
        } else {
            fs::canonicalize(path)
        };
        found.map_err(|error| CommandError::usage(format!("{}: {error}", path.display())))
    };
    let place = canonical(bundle)?;
    let dir = canonical(file.parent().unwrap_or(Path::new("")))?;
    let path = place.strip_prefix(&dir).unwrap_or(&place);
    path.to_str().map(str::to_owned).ok_or_else(unnamed)
}

fn of(context: &Context, opened: &Opened, source: String) -> Result<Lock, CommandError> {
    let sandbox = context.sandbox(1, EngineArgs::default())?;
    let surfaces = surfaces(context, opened, &sandbox)?;
    Ok(Lock::of(
        &opened.bundle,
        source,
        sandbox.profile(),
        surfaces,
    ))
}

/// Returns the digests of the tool surfaces of a bundle's worlds.
fn surfaces(
    context: &Context,
    opened: &Opened,
    sandbox: &Sandbox,
) -> Result<BTreeMap<String, Digest>, CommandError> {
    let mut wanted: BTreeMap<Digest, BTreeSet<Option<&str>>> = BTreeMap::new();
    for task in &opened.bundle.tasks {
        let profile = task.config.parts.profile();
        let of_world = wanted.entry(task.config.world.digest).or_default();
        of_world.insert(profile);
    }
    let (store, scratch) = (context.store()?, context.scratch()?);
    let mut found = BTreeMap::new();
    for (digest, profiles) in &wanted {
        let Some(world) = opened.bundle.worlds.get(digest) else {
            continue;
        };
        let services = context.services();
        let start = start(opened, world, services, sandbox, &store)?;
        for profile in profiles {
            found.extend(surface(&world.id, &start, *profile, &store, &scratch)?);
        }
    }
    Ok(found)
}

/// Loads the starting state of a world of a bundle.
fn start(
    opened: &Opened,
    world: &WorldArtifact,
    services: &Services,
    sandbox: &Sandbox,
    store: &Store,
) -> Result<Start, CommandError> {
    let scratch = mcpmark_snapshot::Scratch::new(&mcpmark_snapshot::scratch_parent(None))
        .map_err(CommandError::infrastructure)?;
    let file = scratch.path().join("states");
    let source = opened.source.as_ref();
    let components = world
        .copy_states(source, &file)
        .and_then(|()| world.read_states(&file, store))
        .and_then(|_| world.read_guests(source))
        .map_err(|error| place::bundle_error(&error))?;
    let invalid = |problem: String| {
        let message = format!("world {}: {problem}", world.id);
        CommandError::invalid(sanitise::block(&message))
    };
    let service = world.id.service();
    let guests = components
        .iter()
        .map(|(role, component)| (*role, component.as_slice()));
    let guests = services.load_guests(service, sandbox, guests);
    let clock = world.config.clock.parse::<jiff::Timestamp>();
    let tree = store.load_tree(&world.config.snapshot);
    Ok(Start {
        tree: tree.map_err(|error| invalid(chain(&error)))?,
        digest: world.config.snapshot,
        seed: world.config.seed,
        clock: clock
            .map_err(|error| invalid(error.to_string()))?
            .as_second(),
        kind: services.kind(service).cloned(),
        guests: guests.map_err(|error| invalid(error.to_string()))?,
    })
}

/// Returns the name of a tool surface and its digest, or `None` if the service is unknown.
fn surface(
    world: &WorldId,
    start: &Start,
    profile: Option<&str>,
    store: &Store,
    scratch: &ScratchSpace,
) -> Result<Option<(String, Digest)>, CommandError> {
    let Some(service) = start.service() else {
        return Ok(None);
    };
    let offered = tool_surface(&*service, start, profile, store, scratch);
    let digest = crate::commands::runtime(1)?
        .block_on(offered)
        .map_err(|error| {
            let message = format!("world {world}: {}", chain(&error));
            CommandError::invalid(sanitise::block(&message))
        })?;
    let profile = profile.unwrap_or_else(|| service.profiles()[0]);
    Ok(Some((format!("{world} {profile}"), digest)))
}

/// Checks that the tools are those of the lock. Another engine causes only a warning, because it depends on the
/// processor, and receipts name it.
pub(crate) fn check(
    context: &Context,
    lock: &Lock,
    prepared: &[(WorldId, &Prepared)],
    sandbox: &Sandbox,
    store: &Store,
) -> Result<(), CommandError> {
    let engine = sandbox.profile();
    if engine != lock.engine {
        output::note(&format!(
            "{} the engine is {engine}, but the lock has {}; receipts will name the former",
            output::paint(output::WARN, "warning:"),
            sanitise::line(&lock.engine)
        ));
    }
    let scratch = context.scratch()?;
    let mut seen = BTreeSet::new();
    for (world, prepared) in prepared {
        let profile = prepared.profile.as_deref();
        if seen.insert((world, profile))
            && let Some((name, found)) = surface(world, &prepared.start, profile, store, &scratch)?
            && lock.surfaces.get(&name) != Some(&found)
        {
            let locked = lock.surfaces.get(&name);
            let locked = locked.map_or("has no tools of that name".to_owned(), |it| {
                format!("has {it}")
            });
            let message =
                format!("the tools of {name} have the digest {found}, but the lock {locked}");
            return Err(CommandError::invalid(message).hint(UPDATE));
        }
    }
    Ok(())
}

/// Checks that the tools and the engine are those of the lock.
pub(super) fn verify(context: &Context, opened: &Opened) -> Result<(), CommandError> {
    let Some(lock) = &opened.lock else {
        return Ok(());
    };
    let now = of(context, opened, lock.source.clone())?;
    let problem = if now.engine != lock.engine {
        let locked = sanitise::line(&lock.engine);
        format!("the engine is {}, but the lock has {locked}", now.engine)
    } else {
        let names: BTreeSet<&String> = lock.surfaces.keys().chain(now.surfaces.keys()).collect();
        let mut names = names.into_iter();
        match names.find(|name| lock.surfaces.get(*name) != now.surfaces.get(*name)) {
            Some(name) => format!("the tools of {} differ from the lock", sanitise::line(name)),
            None => return Ok(()),
        }
    };
    Err(CommandError::invalid(problem).hint(UPDATE))
}

/// Changes of an update.
#[derive(Serialize)]
struct News {
    lock: PathBuf,
    before: Digest,
    after: Digest,
    /// Differences of the bundles; `None` if the locked bundle is no longer in the cache, so that only digests can be
    /// compared.
    changes: Option<compare::Report>,
    tasks: BTreeMap<String, Sides<Option<Digest>>>,
    engine: Option<Sides<String>>,
    surfaces: BTreeMap<String, Sides<Option<Digest>>>,
    accepted: bool,
}

/// Shows the changes of a locked suite, and updates the lock if they are accepted.
pub(super) fn update(context: &Context, args: &UpdateArgs) -> Result<u8, CommandError> {
    let file = &args.lock;
    let old = read(file)?;
    let (place, source) = match &args.to {
        Some(bundle) if looks_like_lock(bundle) => {
            let message = format!("{}: expected a bundle, found a lock file", bundle.display());
            return Err(CommandError::usage(message).hint("name the bundle"));
        }
        Some(bundle) => (bundle.clone(), source(bundle, file)?),
        None if old.source.starts_with(Reference::SCHEME) => {
            reference(file, &old)?;
            (PathBuf::from(&old.source), old.source.clone())
        }
        None => (locked(file, &old)?, old.source.clone()),
    };
    let opened = place::open(context, &place, FetchDepth::Everything)?;
    trust::check(context, &opened)?;
    let new = of(context, &opened, source)?;
    // The documents of the locked bundle, if they are still in the cache.
    let before = place::remembered(context, &old.digest);
    let changes = before.map(|before| compare::report(&before, &opened));
    let sides = |old: &BTreeMap<String, Digest>, new: &BTreeMap<String, Digest>| {
        let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        let differing = names.into_iter().filter_map(|name| {
            let (before, after) = (old.get(name).copied(), new.get(name).copied());
            (before != after).then(|| (name.clone(), Sides { before, after }))
        });
        differing.collect::<BTreeMap<_, _>>()
    };
    let manifests = |lock: &Lock| {
        let tasks = lock.tasks.iter();
        tasks
            .map(|(id, task)| (id.clone(), task.manifest))
            .collect()
    };
    let mut news = News {
        lock: file.clone(),
        before: old.digest,
        after: new.digest,
        changes: changes.transpose()?,
        tasks: sides(&manifests(&old), &manifests(&new)),
        engine: (old.engine != new.engine).then(|| Sides {
            before: old.engine.clone(),
            after: new.engine.clone(),
        }),
        surfaces: sides(&old.surfaces, &new.surfaces),
        accepted: false,
    };
    let nothing = old == new;
    if !args.json {
        output::print(&news.text(args.full, nothing))?;
    }
    news.accepted = nothing || args.yes || (!args.json && asked()?);
    if news.accepted && !nothing {
        place::remember(context, &opened)?;
        write(file, &new)?;
    }
    if args.json {
        output::print_json(&news)?;
    } else if !nothing {
        let told = if news.accepted {
            format!("{}: locked\n", file.display())
        } else {
            format!(
                "{}: not changed; --yes accepts the changes\n",
                file.display()
            )
        };
        output::print(&told)?;
    }
    Ok(if news.accepted {
        exit::PASSED
    } else {
        exit::FAILED
    })
}

impl News {
    fn text(&self, full: bool, nothing: bool) -> String {
        if nothing {
            return format!("no changes: {}\n", self.before);
        }
        let mut text = String::new();
        match &self.changes {
            Some(changes) => text.push_str(&changes.text(full)),
            None => {
                text.push_str(
                    "the locked bundle is no longer available, so only digests are compared\n",
                );
                for (task, sides) in &self.tasks {
                    let mark = match (sides.before, sides.after) {
                        (None, _) => output::paint(output::GOOD, "+"),
                        (_, None) => output::paint(output::BAD, "-"),
                        _ => output::paint(output::BOLD, "~"),
                    };
                    text.push_str(&format!("{mark} task {}\n", sanitise::line(task)));
                }
            }
        }
        if let Some(Sides { before, after }) = &self.engine {
            let before = sanitise::line(before);
            text.push_str(&format!("engine: {before} → {after}\n"));
        }
        for (name, sides) in &self.surfaces {
            let shown = |digest: &Option<Digest>| match digest {
                Some(digest) => output::short(&digest.to_string()).to_owned(),
                None => "none".to_owned(),
            };
            let (before, after) = (shown(&sides.before), shown(&sides.after));
            let line = format!("tools of {}: {before} → {after}\n", sanitise::line(name));
            text.push_str(&line);
        }
        text
    }
}

/// Asks for confirmation on a terminal. Returns false without a terminal.
fn asked() -> Result<bool, CommandError> {
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        return Ok(false);
    }
    let answer = || {
        let mut out = io::stderr();
        write!(out, "accept these changes? [y/N] ")?;
        out.flush()?;
        let mut line = String::new();
        io::stdin().lock().read_line(&mut line)?;
        Ok(["y", "yes"].contains(&line.trim().to_ascii_lowercase().as_str()))
    };
    answer().map_err(|error: io::Error| CommandError::infrastructure(error))
}

/// Writes a lock atomically.
fn write(file: &Path, lock: &Lock) -> Result<(), CommandError> {
    let write = || {
        let new = files::NewFile::new(file, 0o644)?;
        new.file().write_all(lock.text().as_bytes())?;
        new.file().sync_data()?;
        new.keep()
    };
    write().map_err(|error: io::Error| {
        CommandError::infrastructure(format!("cannot write {}: {error}", file.display()))
    })
}
