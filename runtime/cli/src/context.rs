//! State shared by all commands: directories, settings and services, opened on first use.

mod published;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use mcpmark_build::python::{Given, PythonError, PythonGuest, PythonSource};
use mcpmark_build::{BuildError, Builder, Options, ToolchainChoice};
use mcpmark_bundle::open::{LibraryRootError, TaskRoot, Unpacked, is_root};
use mcpmark_bundle::{Lock, UnpackedCorpus};
use mcpmark_experiment::{
    Home, Journal, JournalError, PrepareError, Prepared, Start, TaskPreparer, WorldError,
};
use mcpmark_kinds::{ServiceKind, ServiceSettings, Services};
use mcpmark_packing::Machine;
use mcpmark_sandbox::{Interpreter, Sandbox, SandboxConfig};
use mcpmark_snapshot::{CopyMethod, Digest, ScratchSpace, Store, Tree};
use mcpmark_task::{Library, SelectError, Selector, Task, TaskId, Tier, WorldId};

use crate::args::{EngineArgs, Global, Selection};
use crate::bundles::{self, Bundles};
use crate::diagnosis::{capture_error, capture_hint, digest_error, home_error, malformed_digest};
use crate::engine;
use crate::environment;
use crate::error::{CommandError, HELD_BACK_HINT, error_chain, journal_error};
use crate::interruption;
use crate::operands;
use crate::output::build::BuildDisplay;
use crate::output::{self, sanitise};
use crate::runtime::runtime;
use crate::settings;

/// Hint for the name of an unsupported service.
pub(crate) const SERVICES_HINT: &str = "`mcpmark doctor` lists the services";

#[derive(Clone)]
pub(crate) struct Context {
    root: Option<PathBuf>,
    /// Root as a library, once it was opened, if it is a bundle.
    unpacked: Arc<OnceLock<Unpacked>>,
    /// True if a lock in the current directory is ignored, because the tasks are at another location.
    ignores_lock: bool,
    held_back: Vec<PathBuf>,
    home: Home,
    cache: PathBuf,
    configuration: Option<PathBuf>,
    allow_install: bool,
    toolchain: ToolchainChoice,
    copies: CopyMethod,
    services: Services,
}

/// Environment variable with the method of private copies of worlds.
const COPIES: &str = "MCPMARK_WORLD_COPIES";

impl Context {
    /// Creates the context from the global options and the environment.
    pub(crate) fn new(global: Global) -> Result<Self, CommandError> {
        let var = |name: &str| {
            std::env::var_os(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        let user = var("HOME");
        let below = |xdg: &str, fallback: &str| {
            var(xdg)
                .or_else(|| user.as_ref().map(|home| home.join(fallback)))
                .map(|dir| dir.join("mcpmark"))
        };
        let no_home = || {
            CommandError::usage("neither HOME nor the XDG directories are set")
                .hint("set MCPMARK_HOME and XDG_CACHE_HOME to absolute paths")
        };
        let home = match global.home {
            Some(dir) => std::path::absolute(dir).map_err(CommandError::usage)?,
            None => below("XDG_DATA_HOME", ".local/share").ok_or_else(no_home)?,
        };
        let toolchain = match environment::text("MCPMARK_GUEST_TOOLCHAIN")? {
            Some(choice) => choice.parse().map_err(|error| {
                CommandError::usage(format!("MCPMARK_GUEST_TOOLCHAIN: {error}"))
            })?,
            None => ToolchainChoice::Auto,
        };
        let copies = match environment::text(COPIES)? {
            Some(method) => method
                .parse()
                .map_err(|error| CommandError::usage(format!("{COPIES}: {error}")))?,
            None => CopyMethod::Auto,
        };
        let cache = below("XDG_CACHE_HOME", ".cache").ok_or_else(no_home)?;
        let settings = ServiceSettings {
            cache: cache.clone(),
        };
        Ok(Self {
            root: global.root,
            unpacked: Arc::default(),
            ignores_lock: false,
            held_back: global.held_back,
            home: Home::new(home),
            cache,
            configuration: below("XDG_CONFIG_HOME", ".config"),
            allow_install: !global.no_install,
            toolchain,
            copies,
            services: Services::builtin_with(&settings),
        })
    }

    /// Returns the service of `--service`.
    pub(crate) fn service_named(&self, name: &str) -> Result<&Arc<dyn ServiceKind>, CommandError> {
        self.services
            .served(name)
            .map_err(|error| CommandError::usage(format!("--service: {error}")).hint(SERVICES_HINT))
    }

    /// Returns the known services.
    pub(crate) fn services(&self) -> &Services {
        &self.services
    }

    pub(crate) fn home(&self) -> &Home {
        &self.home
    }

    /// Returns the global options with which another process of this program gets the same context.
    pub(crate) fn global_options(&self) -> Vec<OsString> {
        let mut options: Vec<OsString> = vec!["--home".into(), self.home.dir().into()];
        if let Some(root) = &self.root {
            options.push("--root".into());
            options.push(root.into());
        }
        for file in &self.held_back {
            options.push("--held-back".into());
            options.push(file.into());
        }
        if !self.allow_install {
            options.push("--no-install".into());
        }
        options
    }

    pub(crate) fn allow_install(&self) -> bool {
        self.allow_install
    }

    pub(crate) fn cache(&self) -> &Path {
        &self.cache
    }

    /// Returns the opener of bundles.
    pub(crate) fn bundles(&self) -> Bundles<'_> {
        Bundles {
            cache: &self.cache,
            configuration: self.configuration.as_deref(),
            held_back: &self.held_back,
            home: &self.home,
        }
    }

    /// Returns this context with a bundle as its root.
    pub(crate) fn at_bundle(&self, bundle: &Path) -> Self {
        Self {
            root: Some(bundle.to_owned()),
            unpacked: Arc::default(),
            ..self.clone()
        }
    }

    /// Returns this context with an unpacked bundle as its root, which may no longer exist at its location.
    pub(crate) fn at_unpacked(&self, unpacked: Unpacked) -> Self {
        Self {
            unpacked: Arc::new(OnceLock::from(unpacked)),
            ..self.clone()
        }
    }

    /// Returns this context without permission to install a compiler.
    pub(crate) fn without_install(&self) -> Self {
        Self {
            allow_install: false,
            ..self.clone()
        }
    }

    /// Returns the context for a location of tasks. If the location is a bundle or a library, it becomes the root, and
    /// `tasks` is cleared. If the root is a bundle of a published corpus, `tasks` is set to the unpacked corpus, which
    /// is also returned.
    pub(crate) fn at_tasks(
        &self,
        tasks: &mut Option<PathBuf>,
    ) -> Result<(Self, Option<UnpackedCorpus>), CommandError> {
        if let Some(place) = tasks.as_deref() {
            bundles::check_exists(place)?;
        }
        let context = match tasks.take_if(|tasks| is_root(tasks)) {
            Some(tasks) => self.at_bundle(&tasks),
            None if tasks.is_some() => {
                let there = Self {
                    ignores_lock: true,
                    ..self.clone()
                };
                return Ok((there, None));
            }
            None => self.clone(),
        };
        let corpus = context.corpus()?;
        *tasks = corpus.as_ref().map(|corpus| corpus.root.clone());
        Ok((context, corpus))
    }

    /// Returns the root of the tasks: a bundle, or a library on disk.
    fn task_root(&self) -> TaskRoot {
        let named = self.root.as_deref();
        TaskRoot::of(named, Path::new("."), !self.ignores_lock)
    }

    pub(crate) fn library(&self) -> Result<Library, CommandError> {
        if let Some(unpacked) = self.unpacked.get() {
            return Ok(unpacked.library.clone());
        }
        match self.task_root() {
            TaskRoot::Bundle(bundle) => Ok(self.unpack_bundle(&bundle)?.library.clone()),
            TaskRoot::Library(root) => root.library().map_err(library_error),
        }
    }

    /// Unpacks the bundle that is the root or that a lock in the current directory names. Returns `None` if the tasks
    /// are in a directory.
    fn unpack(&self) -> Result<Option<&Unpacked>, CommandError> {
        if let Some(unpacked) = self.unpacked.get() {
            return Ok(Some(unpacked));
        }
        match self.task_root() {
            TaskRoot::Bundle(bundle) => self.unpack_bundle(&bundle).map(Some),
            TaskRoot::Library(_) => Ok(None),
        }
    }

    fn unpack_bundle(&self, bundle: &Path) -> Result<&Unpacked, CommandError> {
        let unpacked = self.bundles().library(bundle)?;
        Ok(self.unpacked.get_or_init(|| unpacked))
    }

    /// Returns true if the tasks come from a bundle.
    pub(crate) fn is_bundle(&self) -> Result<bool, CommandError> {
        Ok(self.unpack()?.is_some())
    }

    /// Returns the digest of the bundle that the tasks come from.
    pub(crate) fn bundle(&self) -> Result<Option<Digest>, CommandError> {
        Ok(self.unpack()?.map(|unpacked| unpacked.digest))
    }

    /// Returns the published corpus of the root, if the root is a bundle of one.
    pub(crate) fn corpus(&self) -> Result<Option<UnpackedCorpus>, CommandError> {
        let unpacked = self.unpack()?;
        Ok(unpacked.and_then(|unpacked| unpacked.corpus.clone()))
    }

    /// Checks that prepared tasks have the digests that their bundle declares, and those of the lock.
    fn hold(
        &self,
        prepared: &[(WorldId, &Prepared)],
        sandbox: &Sandbox,
        store: &Store,
    ) -> Result<(), CommandError> {
        let Some(unpacked) = self.unpacked.get() else {
            return Ok(());
        };
        for (_, task) in prepared {
            unpacked
                .check_task(&task.id, &task.task_digest)
                .map_err(bundles::open_error)?;
        }
        match &unpacked.lock {
            Some(lock) => {
                bundles::warn_about_engine(lock, sandbox);
                self.check_surfaces(lock, prepared, sandbox, store)
                    .map_err(|error| self.of_lock(error))
            }
            None => Ok(()),
        }
    }

    /// Checks that the tools of prepared tasks are those of a lock.
    fn check_surfaces(
        &self,
        lock: &Lock,
        prepared: &[(WorldId, &Prepared)],
        sandbox: &Sandbox,
        store: &Store,
    ) -> Result<(), CommandError> {
        let machine = Machine {
            services: &self.services,
            sandbox,
            store,
            scratch: &self.scratch()?,
        };
        let checked = runtime(1)?.block_on(machine.check_prepared(lock, prepared));
        checked.map_err(bundles::machine_error)
    }

    /// Adds the path of the lock to an error.
    fn of_lock(&self, error: CommandError) -> CommandError {
        let file = self.root.as_deref().unwrap_or(Path::new(Lock::FILE));
        let file = file.display().to_string();
        CommandError {
            message: format!("{}: {}", sanitise::line(&file), error.message),
            ..error
        }
    }

    pub(crate) fn sandbox(&self, slots: u32, args: EngineArgs) -> Result<Sandbox, CommandError> {
        let config = self.sandbox_config(slots, args)?;
        Sandbox::new(&config).map_err(CommandError::infrastructure)
    }

    fn sandbox_config(&self, slots: u32, args: EngineArgs) -> Result<SandboxConfig, CommandError> {
        let config = engine::config(self.cache.join("compiled"), slots, args)?;
        let scratch = mcpmark_snapshot::scratch_parent(None);
        Ok(self.services.offer(config, &scratch))
    }

    /// Returns a sandbox for one grade, for a process that exits afterwards.
    pub(crate) fn sandbox_for_one(&self, args: EngineArgs) -> Result<Sandbox, CommandError> {
        let config = SandboxConfig {
            stays_warm: false,
            ..self.sandbox_config(1, args)?
        };
        Sandbox::new(&config).map_err(CommandError::infrastructure)
    }

    pub(crate) fn store(&self) -> Result<Store, CommandError> {
        self.home.store().map_err(|error| home_error(&error))
    }

    pub(crate) fn journal(&self) -> Result<Arc<Journal>, CommandError> {
        self.home.journal().map_err(|error| home_error(&error))
    }

    /// Opens the journal for writing.
    pub(crate) fn journal_to_write(&self) -> Result<Arc<Journal>, CommandError> {
        let journal = self.journal()?;
        if journal.is_read_only() {
            Err(journal_error(JournalError::ReadOnly))
        } else {
            Ok(journal)
        }
    }

    /// Returns the scratch space of private copies, after removing the remains of killed processes.
    pub(crate) fn scratch(&self) -> Result<ScratchSpace, CommandError> {
        let parent = mcpmark_snapshot::scratch_parent(None);
        mcpmark_snapshot::sweep_scratch(&parent);
        ScratchSpace::probe(parent, self.copies).map_err(|error| {
            CommandError::infrastructure(error).hint(format!(
                "set {COPIES}=copy to copy worlds without overlay mounts"
            ))
        })
    }

    pub(crate) fn builder(&self, library: &Library) -> Builder {
        interruption::watch();
        self.builder_in(library.guests_dir(&self.cache))
    }

    fn builder_in(&self, dir: PathBuf) -> Builder {
        let mut options = Options::new(dir);
        options.allow_install = self.allow_install;
        options.toolchain = self.toolchain;
        Builder::new(options)
    }

    /// Returns the compiler for guests below a directory, without installing one.
    pub(crate) fn find_compiler(&self, dir: &Path) -> Result<String, BuildError> {
        self.builder_in(self.cache.join("guests")).compiler(dir)
    }

    /// Returns the source of the interpreter of Python scripts.
    pub(crate) fn python(&self) -> Result<PythonSource, CommandError> {
        // The interpreter of a bundle takes precedence, so that its scripts are run by the same one everywhere.
        if let Some(corpus) = self.unpacked.get().and_then(|it| it.corpus.as_ref()) {
            return Ok(PythonSource {
                given: Some(Given {
                    file: corpus.interpreter.clone(),
                    digest: Some(corpus.digest),
                }),
                cache: self.cache.clone(),
                allow_install: false,
            });
        }
        let given = match environment::text(PYTHON_GUEST)? {
            Some(text) => Some(text.parse().map_err(|error| {
                CommandError::usage(format!("{PYTHON_GUEST}: {error}"))
                    .hint("expected a file, with or without its digest: FILE@sha256:…")
            })?),
            None => None,
        };
        Ok(PythonSource {
            given,
            cache: self.cache.clone(),
            allow_install: self.allow_install,
        })
    }

    /// Returns the file of the interpreter of Python scripts. Builds it on first use.
    pub(crate) fn python_guest(&self) -> Result<PythonGuest, CommandError> {
        interruption::watch();
        let mut display = BuildDisplay::default();
        let guest = self.python()?.guest(&mut |event| display.show(event));
        guest.map_err(|error| python_error(&error))
    }

    /// Loads the interpreter of Python scripts. Builds and compiles it on first use.
    pub(crate) fn interpreter(&self, sandbox: &Sandbox) -> Result<Interpreter, CommandError> {
        let guest = self.python_guest()?;
        if !sandbox.has_interpreter(&guest.digest) {
            let line = "compiling the guest for Python scripts, once per machine";
            output::note(&format!("{} {line}", output::paint(output::BOLD, "·")));
        }
        let bytes = || std::fs::read(&guest.file);
        sandbox
            .interpreter_of(guest.digest, bytes)
            .map_err(|error| {
                let message = format!("{}: {error}", guest.file.display());
                engine::load_error(sanitise::block(&message), &error)
            })
    }

    /// Prepares tasks for attempts. Shows builds on standard error.
    pub(crate) fn prepare(
        &self,
        library: &Library,
        tasks: &[Task],
        sandbox: &Sandbox,
        store: &Store,
    ) -> Result<Vec<Prepared>, CommandError> {
        let mut builder = self.builder(library);
        let mut display = BuildDisplay::default();
        let report = &mut |event| display.show(event);
        let ceiling = &settings::world_ceiling()?;
        let mut preparer = TaskPreparer {
            library,
            services: &self.services,
            builder: &mut builder,
            sandbox,
            store,
            ceiling,
            report,
        };
        let prepared = preparer
            .prepare(tasks)
            .map_err(|error| prepare_error(&error))?;
        let worlds = tasks.iter().map(|task| task.world.clone());
        let pairs: Vec<_> = worlds.zip(&prepared).collect();
        self.hold(&pairs, sandbox, store)?;
        Ok(prepared)
    }

    /// Builds the starting state of a world of the library.
    pub(crate) fn start_world(
        &self,
        library: &Library,
        id: &WorldId,
        store: &Store,
    ) -> Result<Start, CommandError> {
        let world = library.world(id).map_err(|error| invalid(&error))?;
        let sandbox = self.sandbox(1, EngineArgs::default())?;
        let mut builder = self.builder(library);
        let mut display = BuildDisplay::default();
        let report = &mut |event| display.show(event);
        let ceiling = &settings::world_ceiling()?;
        let mut preparer = TaskPreparer {
            library,
            services: &self.services,
            builder: &mut builder,
            sandbox: &sandbox,
            store,
            ceiling,
            report,
        };
        preparer
            .world(&world)
            .map_err(|error| prepare_error(&error))
    }

    /// Resolves the name of a tree: a world of the library, a directory, or the digest of a stored state.
    pub(crate) fn tree(&self, name: &str, store: &Store) -> Result<ResolvedState, CommandError> {
        if let Ok(digest) = name.parse::<Digest>() {
            let tree = store.load_tree(&digest).map_err(|error| {
                CommandError::usage(format!(
                    "cannot load state {digest} from the store: {}",
                    error_chain(&error)
                ))
                .hint("name the home directory whose store has it with --home (or MCPMARK_HOME)")
            })?;
            return Ok(ResolvedState::State(tree));
        }
        if let Some(id) = self.world_named(name) {
            let start = self.start_world(&self.library()?, &id, store)?;
            return Ok(ResolvedState::World(id, start));
        }
        let dir = Path::new(name);
        if dir.is_dir() {
            return Ok(ResolvedState::Directory(self.directory(dir, store)?));
        }
        if let Some(error) = malformed_digest(name) {
            return Err(digest_error(&error));
        }
        let hint = match self.like_world(name) {
            Some(id) => format!("did you mean {id}?"),
            None => "`mcpmark world list` lists the shipped worlds".to_owned(),
        };
        let message =
            format!("unknown world {name:?}: expected the id of a world, a directory or a digest");
        Err(CommandError::usage(message).hint(hint))
    }

    /// Returns the id of the world of the library that is named by its id, without building its guests.
    pub(crate) fn world_named(&self, name: &str) -> Option<WorldId> {
        let id = name.parse::<WorldId>().ok()?;
        let ids = self.library().ok()?.world_ids().ok()?;
        ids.contains(&id).then_some(id)
    }

    /// Finds a world whose id or name differs only in case or by a trailing slash.
    fn like_world(&self, name: &str) -> Option<WorldId> {
        let name = name.trim_end_matches('/');
        let ids = self.library().ok()?.world_ids().ok()?;
        ids.into_iter().find(|id| {
            let id = id.to_string();
            let short = id.rsplit('/').next().unwrap_or_default();
            id.eq_ignore_ascii_case(name) || short.eq_ignore_ascii_case(name)
        })
    }

    pub(crate) fn directory(&self, dir: &Path, store: &Store) -> Result<Tree, CommandError> {
        mcpmark_experiment::capture_directory(dir, store)
            .map_err(|error| capture_error(dir, &error))
    }
}

fn library_error(error: LibraryRootError) -> CommandError {
    use LibraryRootError as E;
    match error {
        E::Absent(error) => bundles::open_error(*error),
        E::Current(error) => CommandError::usage(error),
        E::NoDirectory(_) => CommandError::usage(error)
            .hint("--root (or MCPMARK_ROOT) expects a directory with tasks/ and worlds/"),
        E::NotFound(error) => CommandError::usage(error_chain(&error))
            .hint("change into a directory with tasks/ and worlds/, or name one with --root"),
    }
}

/// Environment variable with the path of a prebuilt interpreter of Python scripts.
pub(crate) const PYTHON_GUEST: &str = "MCPMARK_PYTHON_GUEST";

fn python_error(error: &PythonError) -> CommandError {
    let result = CommandError::infrastructure(sanitise::block(&error_chain(error)));
    match error {
        PythonError::Digest { .. } => result,
        PythonError::NotAllowed => result.hint(format!(
            "omit --no-install, or set {PYTHON_GUEST} to an existing guest"
        )),
        _ => result.hint(format!(
            "the build requires python3 with venv and access to PyPI; or set {PYTHON_GUEST} to an existing guest"
        )),
    }
}

/// Resolved tree, by the kind of its name.
pub(crate) enum ResolvedState {
    World(WorldId, Start),
    Directory(Tree),
    State(Tree),
}

impl ResolvedState {
    pub(crate) fn tree(&self) -> &Tree {
        match self {
            Self::World(_, start) => &start.tree,
            Self::Directory(tree) | Self::State(tree) => tree,
        }
    }
}

/// Returns the selected tasks. Prints their warnings.
pub(crate) fn select(library: &Library, selection: &Selection) -> Result<Vec<Task>, CommandError> {
    let tasks = library.tasks().map_err(|error| invalid(&error))?;
    let selected = select_with(selection, |selectors, tiers, tags| {
        tasks.select(selectors, tiers, tags)
    })?;
    warn_of(&selected);
    Ok(selected)
}

/// Prints the warnings of tasks.
pub(crate) fn warn_of(tasks: &[Task]) {
    for task in tasks {
        for warning in &task.warnings {
            output::note(&format!(
                "{} {}: {}",
                output::paint(output::WARN, "warning:"),
                task.id,
                sanitise::line(warning)
            ));
        }
    }
}

/// Parses a selection and applies it with `select`.
pub(crate) fn select_with<T>(
    selection: &Selection,
    select: impl FnOnce(&[Selector], &[Tier], &[String]) -> Result<T, SelectError>,
) -> Result<T, CommandError> {
    let selectors: Vec<Selector> = selection
        .selectors
        .iter()
        .map(|text| text.parse())
        .collect::<Result<_, _>>()
        .map_err(|error| CommandError::usage(error_chain(&error)))?;
    let tiers: Vec<Tier> = selection
        .tier
        .iter()
        .map(|tier| tier.as_str().parse())
        .collect::<Result<_, _>>()
        .map_err(|error| CommandError::usage(error_chain(&error)))?;
    select(&selectors, &tiers, &selection.tag).map_err(|error| {
        let message = error_chain(&error);
        match error {
            SelectError::Broken { .. } => CommandError::invalid(message),
            SelectError::NoMatch { selector, .. } => {
                let hint = operands::as_place(&selector);
                let hint = hint.unwrap_or_else(|| "`mcpmark task list` lists the tasks".to_owned());
                CommandError::usage(message).hint(hint)
            }
            _ => CommandError::usage(message),
        }
    })
}

/// Returns one task by its id.
pub(crate) fn one_task(library: &Library, text: &str) -> Result<Task, CommandError> {
    let id: TaskId = text.trim_end_matches('/').parse().map_err(|error| {
        CommandError::usage(error_chain(&error)).hint("`mcpmark task list` lists the tasks")
    })?;
    library.task(&id).map_err(|error| match error {
        mcpmark_task::Error::UnknownTask { id, known } => unknown_task(id, known),
        error => invalid(&error),
    })
}

/// Returns the error for an id that no task has.
pub(crate) fn unknown_task(id: String, known: Vec<String>) -> CommandError {
    let brief = (!known.is_empty()).then(|| format!("unknown task {id:?}"));
    CommandError {
        brief,
        ..CommandError::usage(mcpmark_task::Error::UnknownTask { id, known })
    }
}

pub(crate) fn invalid(error: &dyn std::error::Error) -> CommandError {
    CommandError::invalid(sanitise::block(&error_chain(error)))
}

pub(crate) fn prepare_error(error: &PrepareError) -> CommandError {
    let message = error_chain(error);
    let message = sanitise::block(&message);
    if matches!(error, PrepareError::NoSolution(_)) {
        CommandError::invalid(message).hint("choose another agent with --agent")
    } else if let Some(error) = engine::load_error_of(error) {
        engine::load_error(message, error)
    } else {
        let result = if error.is_infrastructure() {
            CommandError::infrastructure(message)
        } else {
            CommandError::invalid(message)
        };
        match error {
            PrepareError::World {
                source: WorldError::Capture(error),
                ..
            } => result.hint(capture_hint(error)),
            PrepareError::State { source, .. } => result.hint(capture_hint(source)),
            PrepareError::Build(BuildError::HeldBack { .. }) => result.hint(HELD_BACK_HINT),
            PrepareError::AboveCeiling { limit, found, .. } => {
                result.hint(settings::raise(limit.name(), *found))
            }
            _ => result,
        }
    }
}
