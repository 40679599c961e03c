//! Bundles for commands: [`mcpmark_bundle::open`] with the settings of the environment, and with messages, hints and
//! exit codes.

mod errors;

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use mcpmark_bundle::open::{
    BundleCache, FetchDepth, HeldBackVerifiers, OpenEvent, Opened, Outage, Place, Unpacked,
    VerifierFile,
};
use mcpmark_bundle::trust::PolicyFile;
use mcpmark_bundle::{Bundle, GivenLogin, Lock, Login, Reference, Registry};
use mcpmark_experiment::{Home, Start};
use mcpmark_grading::Script;
use mcpmark_http::Secret;
use mcpmark_packing::pack_tree;
use mcpmark_sandbox::Sandbox;
use mcpmark_snapshot::{Digest, Store};
use mcpmark_task::{TaskId, WorldId};

pub(crate) use self::errors::{
    UPDATE, lock_source_error, machine_error, not_trusted, open_error, pack_error, reference_error,
    registry_error,
};
use crate::diagnosis::home_error;
use crate::engine;
use crate::environment;
use crate::error::{CommandError, error_chain};
use crate::output::{self, sanitise};
use crate::runtime::runtime;

/// Environment variable that allows unencrypted HTTP to registries on other machines.
const PLAIN: &str = "MCPMARK_REGISTRY_PLAIN_HTTP";
const USER: &str = "MCPMARK_REGISTRY_USER";
const PASSWORD: &str = "MCPMARK_REGISTRY_PASSWORD";
/// Environment variable with the host of the only registry that gets the user name and the password.
const HOST: &str = "MCPMARK_REGISTRY_HOST";
/// Environment variable with the path of the trust policy. Its default is `trust.toml` in the configuration directory.
const POLICY: &str = "MCPMARK_TRUST";

/// Opener of bundles, with the directories and options that opening needs.
#[derive(Clone, Copy)]
pub(crate) struct Bundles<'a> {
    /// Cache directory of the user.
    pub(crate) cache: &'a Path,
    /// Configuration directory of the user, if it is known.
    pub(crate) configuration: Option<&'a Path>,
    /// Files of `--held-back`.
    pub(crate) held_back: &'a [PathBuf],
    pub(crate) home: &'a Home,
}

impl Bundles<'_> {
    /// Returns the cache of blobs and unpacked bundles.
    pub(crate) fn cache(&self) -> BundleCache {
        BundleCache::new(self.cache.join("bundles"))
    }

    /// Opens a bundle from a path, a lock or a registry.
    pub(crate) fn open(&self, path: &Path, depth: FetchDepth) -> Result<Opened, CommandError> {
        let place = Place::of(path).map_err(open_error)?;
        self.open_at(&place, depth)
    }

    /// Opens a bundle from its place.
    pub(crate) fn open_at(&self, place: &Place, depth: FetchDepth) -> Result<Opened, CommandError> {
        match place {
            Place::Local(place) => place.open().map_err(open_error),
            Place::Remote(place) => {
                let registry = registry(&place.reference)?;
                let cache = self.cache();
                let runtime = runtime(1)?;
                runtime
                    .block_on(place.fetch(&registry, &cache, depth, &mut show))
                    .map_err(open_error)
            }
        }
    }

    /// Checks a bundle against the trust policy, and returns the keys that signed it. Without a policy, all bundles are
    /// accepted.
    pub(crate) fn check(&self, opened: &Opened) -> Result<Vec<PathBuf>, CommandError> {
        let named = environment::text(POLICY)?.map(PathBuf::from);
        let default = self.configuration.map(|dir| dir.join("trust.toml"));
        match PolicyFile::choose(named, default) {
            Some(policy) => policy
                .check(&opened.signed(), Timestamp::now())
                .map_err(open_error),
            None => Ok(Vec::new()),
        }
    }

    /// Caches the documents and signatures of a bundle for later comparison.
    pub(crate) fn remember(&self, opened: &Opened) -> Result<(), CommandError> {
        self.cache().remember(opened).map_err(open_error)
    }

    /// Opens a bundle as a library. Unpacks it if it is not unpacked yet.
    pub(crate) fn library(&self, place: &Path) -> Result<Unpacked, CommandError> {
        let opened = self.open(place, FetchDepth::Everything)?;
        self.check(&opened)?;
        let cache = self.cache();
        cache.try_to_remember(&opened);
        let verifiers = self.verifiers(&opened.bundle)?;
        cache.unpack(&opened, verifiers.given()).map_err(open_error)
    }

    /// Opens a bundle from the cache as a library, by its digest. Returns `None` if a part of it is no longer in the
    /// cache. `place` is its former location.
    pub(crate) fn library_of(
        &self,
        place: &Path,
        digest: &Digest,
    ) -> Result<Option<Unpacked>, CommandError> {
        let cache = self.cache();
        let remembered = cache.remembered_from(place, digest).map_err(open_error)?;
        let Some(opened) = remembered else {
            return Ok(None);
        };
        self.check(&opened)?;
        let verifiers = self.verifiers(&opened.bundle)?;
        if !cache.can_unpack(&opened.bundle, verifiers.given()) {
            return Ok(None);
        }
        let unpacked = cache.unpack(&opened, verifiers.given());
        unpacked.map(Some).map_err(open_error)
    }

    /// Returns the held-back verifiers of a bundle that were given with `--held-back`, and warns about missing ones.
    fn verifiers(&self, bundle: &Bundle) -> Result<HeldBackVerifiers, CommandError> {
        let mut verifiers = HeldBackVerifiers::of(bundle);
        for file in self.held_back {
            let (digest, bytes) = match VerifierFile::of(file) {
                VerifierFile::Bundle => {
                    verifiers.add_bundle(file).map_err(open_error)?;
                    continue;
                }
                VerifierFile::Script => {
                    let store = self.home.store().map_err(|error| home_error(&error))?;
                    packed_script(file, &store)?
                }
                VerifierFile::Component => {
                    let bytes = engine::read_component(file)?;
                    (Digest::of(&bytes), bytes)
                }
            };
            verifiers.add(file, digest, bytes).map_err(open_error)?;
        }
        match verifiers.missing() {
            0 => {}
            missing => output::note(&format!(
                "{} verifiers of {} are held back; pass them with --held-back FILE",
                output::paint(output::WARN, "warning:"),
                output::count(missing, "task")
            )),
        }
        Ok(verifiers)
    }
}

/// Prints an event of opening a bundle.
fn show(event: OpenEvent<'_>) {
    let OpenEvent::FetchedBefore { reference, outage } = event;
    let problem = match outage {
        Outage::Interrupted => "interrupted the transfer",
        Outage::Unreachable => "cannot be reached",
    };
    output::note(&format!(
        "{} {} {problem}; using the bundle with this digest that was fetched before",
        output::paint(output::WARN, "warning:"),
        sanitise::line(&reference.host)
    ));
}

/// Warns if the engine is not that of the lock. This is not an error, because the engine depends on the processor, and
/// receipts name it.
pub(crate) fn warn_about_engine(lock: &Lock, sandbox: &Sandbox) {
    if let Err(mismatch) = lock.check_engine(&sandbox.profile()) {
        output::note(&format!(
            "{} {}; receipts will name the former",
            output::paint(output::WARN, "warning:"),
            sanitise::line(&mismatch.to_string())
        ));
    }
}

/// Checks that a location of tasks exists. References to a registry are not checked here.
pub(crate) fn check_exists(place: &Path) -> Result<(), CommandError> {
    mcpmark_bundle::open::check_exists(place).map_err(open_error)
}

/// Creates the client of a registry, with the credentials of the user.
pub(crate) fn registry(reference: &Reference) -> Result<Registry, CommandError> {
    let plain = environment::is_set(PLAIN.as_ref());
    let login = login(&reference.host)?;
    Registry::new(reference, plain, login).map_err(|error| registry_error(reference, &error))
}

/// Returns the credentials for a registry, from the environment or from docker's configuration file.
fn login(host: &str) -> Result<Option<Login>, CommandError> {
    let given = GivenLogin {
        host: environment::text(HOST)?,
        user: environment::text(USER)?,
        password: environment::text(PASSWORD)?.map(Secret::new),
    };
    if let Some(login) = given.for_host(host).map_err(open_error)? {
        return Ok(Some(login));
    }
    let dir = match environment::text("DOCKER_CONFIG")? {
        Some(dir) => PathBuf::from(dir),
        None => match std::env::var_os("HOME") {
            Some(home) => PathBuf::from(home).join(".docker"),
            None => return Ok(None),
        },
    };
    Login::in_docker_directory(&dir, host).map_err(open_error)
}

/// Returns the name of the starting state of a published task in a bundle.
pub(crate) fn state_name(task: &TaskId, start: &Start) -> Result<WorldId, CommandError> {
    let guests = start.guests.digests();
    mcpmark_bundle::state_name(task, &start.digest, &guests)
        .map_err(|error| CommandError::invalid(sanitise::block(&error_chain(&error))))
}

/// Reads a script with the files in its directory. Returns the digest of their tree and the packed tree.
fn packed_script(file: &Path, store: &Store) -> Result<(Digest, Vec<u8>), CommandError> {
    let script = Script::read(file).map_err(|error| CommandError::usage(error_chain(&error)))?;
    script
        .keep(store)
        .map_err(|error| CommandError::infrastructure(error_chain(&error)))?;
    let (stream, _) = pack_tree(store, &script.beside())
        .map_err(|error| CommandError::infrastructure(error_chain(&error)))?;
    Ok((script.beside(), stream))
}
