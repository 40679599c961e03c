//! Verification of the content of a bundle: layers, descriptions of guests and certificates, states and tasks.

use std::collections::BTreeSet;
use std::{fmt, io};

use mcpmark_bundle::{
    Bundle, BundleError, CERTIFICATE, CertificateConfig, GuestConfig, INTERPRETER, SOLUTION,
    Source, TaskArtifact, VERIFIER, unpack,
};
use mcpmark_kinds::Services;
use mcpmark_sandbox::{Interface, LoadError};
use mcpmark_service::ServiceError;
use mcpmark_snapshot::{Scratch, Store, StoreError, scratch_parent};
use mcpmark_task::published::Corpus;
use mcpmark_task::{Library, TaskId, WorldId};
use serde_json::json;

use crate::describe::{describe_certificate, describe_guest};

/// Owner of a guest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GuestOwner {
    /// Task.
    Task(TaskId),
    /// World.
    World(WorldId),
}

impl fmt::Display for GuestOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Task(id) => write!(f, "task {id}"),
            Self::World(id) => write!(f, "world {id}"),
        }
    }
}

/// Errors of verifying the content of a bundle.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// A temporary directory cannot be created.
    #[error("{0}")]
    Scratch(io::Error),
    /// A temporary store cannot be created.
    #[error("{0}")]
    Store(Box<StoreError>),
    /// A blob cannot be read, or does not match its manifest.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// A guest is not a component.
    #[error("{owner}: {role}: {problem}")]
    Guest {
        /// Owner of the guest.
        owner: GuestOwner,
        /// Role of the guest.
        role: String,
        /// Problem of the component.
        problem: Box<LoadError>,
    },
    /// A guest does not match its description.
    #[error(
        "{owner}: {role}: expected {:?} by its config, found {:?}",
        described.can,
        found.can
    )]
    OtherGuest {
        /// Owner of the guest.
        owner: GuestOwner,
        /// Role of the guest.
        role: String,
        /// Description in the config.
        described: Box<GuestConfig>,
        /// Description of the component.
        found: Box<GuestConfig>,
    },
    /// A certificate is not valid.
    #[error("task {task}: certificate: {problem}")]
    Certificate {
        /// Id of the task.
        task: TaskId,
        /// Error of the parser.
        problem: serde_json::Error,
    },
    /// A certificate does not match its description.
    #[error("task {task}: certificate: it differs from its description")]
    OtherCertificate {
        /// Id of the task.
        task: TaskId,
        /// Description in the config.
        described: Box<CertificateConfig>,
        /// Description of the file.
        found: Box<CertificateConfig>,
    },
    /// The program does not implement the service of a task.
    #[error("task {task}: service {:?} is not supported", task.service())]
    UnsupportedService {
        /// Id of the task.
        task: TaskId,
    },
    /// The service of a task does not have its profile.
    #[error("task {task}: {source}")]
    Profile {
        /// Id of the task.
        task: TaskId,
        /// Error of the service.
        source: Box<ServiceError>,
    },
    /// The unpacked tasks cannot be listed.
    #[error(transparent)]
    Unpacked(mcpmark_task::Error),
    /// An unpacked task or its world is not valid.
    #[error("task {task}: {source}")]
    Task {
        /// Id of the task.
        task: String,
        /// Error of the task.
        source: Box<mcpmark_task::Error>,
    },
    /// The clock of a task differs from the clock of its world.
    #[error("task {0}: its clock differs from the clock of its world")]
    Clock(TaskId),
}

/// Reads and verifies the whole content of a bundle: all layers, guests and certificates against their descriptions,
/// the states of worlds, and the tasks after unpacking. Does not check signatures, locks and blobs of other bundles.
///
/// # Errors
///
/// Returns an error for the first part that is missing, damaged or not as described.
pub fn verify_content(
    bundle: &Bundle,
    source: &dyn Source,
    services: &Services,
) -> Result<(), VerifyError> {
    let interfaces = services.guest_interfaces();
    let (mut seen, mut described) = (BTreeSet::new(), BTreeSet::new());
    for task in &bundle.tasks {
        for (file, layer) in task.layers() {
            if seen.insert((file, layer.digest)) {
                task.read(source, file)?;
            }
        }
        verify_guests(task, source, &interfaces, &mut described)?;
        verify_certificate(task, source)?;
    }
    verify_tasks(bundle, source, services)?;
    verify_worlds(bundle, source, &interfaces)
}

/// Checks that the guests of a task match their descriptions. Skips descriptions in `seen`, which were checked for an
/// earlier task.
fn verify_guests(
    task: &TaskArtifact,
    source: &dyn Source,
    interfaces: &[Interface],
    seen: &mut BTreeSet<String>,
) -> Result<(), VerifyError> {
    for (role, file) in [
        ("verifier", VERIFIER),
        ("solution", SOLUTION),
        ("interpreter", INTERPRETER),
    ] {
        let Some(described) = task.guest(role) else {
            continue;
        };
        if task.layer(file).is_none() || !seen.insert(json!(described).to_string()) {
            continue;
        }
        let component = task.read(source, file)?.unwrap_or_default();
        let owner = || GuestOwner::Task(task.id.clone());
        verify_guest(&owner, role, &component, described, interfaces)?;
    }
    Ok(())
}

fn verify_guest(
    owner: &dyn Fn() -> GuestOwner,
    role: &str,
    component: &[u8],
    described: &GuestConfig,
    interfaces: &[Interface],
) -> Result<(), VerifyError> {
    match describe_guest(role, component, interfaces) {
        Ok(found) if found == *described => Ok(()),
        Ok(found) => Err(VerifyError::OtherGuest {
            owner: owner(),
            role: role.to_owned(),
            described: Box::new(described.clone()),
            found: Box::new(found),
        }),
        Err(problem) => Err(VerifyError::Guest {
            owner: owner(),
            role: role.to_owned(),
            problem: Box::new(problem),
        }),
    }
}

/// Checks that the certificate of a task matches its description.
fn verify_certificate(task: &TaskArtifact, source: &dyn Source) -> Result<(), VerifyError> {
    let Some(described) = &task.config.certificate else {
        return Ok(());
    };
    let bytes = task.read(source, CERTIFICATE)?.unwrap_or_default();
    match describe_certificate(&bytes) {
        Ok(found) if found == *described => Ok(()),
        Ok(found) => Err(VerifyError::OtherCertificate {
            task: task.id.clone(),
            described: Box::new(described.clone()),
            found: Box::new(found),
        }),
        Err(problem) => Err(VerifyError::Certificate {
            task: task.id.clone(),
            problem,
        }),
    }
}

/// Checks that the tasks are valid after unpacking. Unpacking also checks that scripts match their configs.
fn verify_tasks(
    bundle: &Bundle,
    source: &dyn Source,
    services: &Services,
) -> Result<(), VerifyError> {
    for task in &bundle.tasks {
        let Some(service) = services.service(task.id.service()) else {
            return Err(VerifyError::UnsupportedService {
                task: task.id.clone(),
            });
        };
        if let Some(profile) = task.config.parts.profile() {
            let known = service.check_profile(profile);
            known.map_err(|error| VerifyError::Profile {
                task: task.id.clone(),
                source: Box::new(error),
            })?;
        }
    }
    let scratch = new_scratch()?;
    unpack(bundle, source, &Default::default(), scratch.path())?;
    let invalid = |task: String, error| VerifyError::Task {
        task,
        source: Box::new(error),
    };
    if bundle.is_published() {
        let corpus = Corpus::at(scratch.path()).map_err(VerifyError::Unpacked)?;
        let tasks = corpus.tasks().map_err(VerifyError::Unpacked)?;
        return match tasks.broken.into_iter().next() {
            Some((id, error)) => Err(invalid(id, error)),
            None => Ok(()),
        };
    }
    let library = Library::at(scratch.path());
    let tasks = library.tasks().map_err(VerifyError::Unpacked)?;
    if let Some(broken) = tasks.broken.into_iter().next() {
        return Err(invalid(broken.id, broken.error));
    }
    for task in &bundle.tasks {
        let Some(world) = bundle.worlds.get(&task.config.world.digest) else {
            continue;
        };
        let world = library.world(&world.id);
        let world = world.map_err(|error| invalid(task.id.to_string(), error))?;
        if world.manifest.clock.as_second() != task.config.parts.world.clock {
            return Err(VerifyError::Clock(task.id.clone()));
        }
    }
    Ok(())
}

/// Checks the states of worlds, and that their guests match their descriptions.
fn verify_worlds(
    bundle: &Bundle,
    source: &dyn Source,
    interfaces: &[Interface],
) -> Result<(), VerifyError> {
    let scratch = new_scratch()?;
    let store = Store::open(scratch.path().join("store"));
    let store = store.map_err(|error| VerifyError::Store(Box::new(error)))?;
    let file = scratch.path().join("states");
    for world in bundle.worlds.values() {
        world.copy_states(source, &file)?;
        world.read_states(&file, &store)?;
        let owner = || GuestOwner::World(world.id.clone());
        for (role, component) in world.read_guests(source)? {
            if let Some(described) = world.config.guests.get(role) {
                verify_guest(&owner, role.as_str(), &component, described, interfaces)?;
            }
        }
    }
    Ok(())
}

fn new_scratch() -> Result<Scratch, VerifyError> {
    Scratch::new(&scratch_parent(None)).map_err(VerifyError::Scratch)
}
