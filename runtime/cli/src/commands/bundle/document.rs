//! Documents of the `bundle` commands, made from the artifacts of a bundle.

use std::collections::BTreeMap;

use mcpmark_bundle::{
    CertificateConfig, Change, GuestConfig, Lock, TaskArtifact, Transferred, WorldArtifact,
};
use mcpmark_metadata::{
    self as metadata, BundleLayer, BundledCertificate, BundledGuest, BundledTask, BundledWorld,
    CertificateSummary, LockedTask, LockedWorld, SuiteLock, TransferCounts,
};
use mcpmark_snapshot::Digest;
use mcpmark_task::GuestRole;
use serde::Serialize;
use serde_json::{Map, Value};

/// Returns the document of a task.
pub(super) fn task(task: &TaskArtifact) -> BundledTask {
    let parts = &task.config.parts;
    let layers = task.layers().map(|(file, layer)| BundleLayer {
        file: file.to_owned(),
        digest: layer.digest.to_string(),
        bytes: layer.size,
    });
    let certificate = task.config.certificate.as_ref();
    BundledTask {
        id: task.id.to_string(),
        manifest: task.descriptor.digest.to_string(),
        task_digest: parts.digest().to_string(),
        meta: parts.meta.clone(),
        world: object(&parts.world),
        guests: task.config.guests.iter().map(guest).collect(),
        certificate: certificate.map(|certificate| BundledCertificate {
            certificate: summary(certificate),
            fits: certificate.misfit(parts).is_none(),
        }),
        layers: layers.collect(),
    }
}

/// Returns the document of a world.
pub(super) fn world(world: &WorldArtifact) -> BundledWorld {
    let config = &world.config;
    let guests = GuestRole::ALL.iter().map(|role| {
        let guest = config.guests.get(*role).map(guest);
        (role.as_str().to_owned(), guest)
    });
    BundledWorld {
        id: world.id.to_string(),
        manifest: world.descriptor.digest.to_string(),
        title: config.title.clone(),
        description: config.description.clone(),
        license: config.license.clone(),
        clock: config.clock.clone(),
        seed: config.seed,
        snapshot: config.snapshot.to_string(),
        bytes: world.states.size,
        unpacked_bytes: config.bytes,
        guests: guests.collect(),
    }
}

fn guest(config: &GuestConfig) -> BundledGuest {
    let GuestConfig {
        role,
        digest,
        bytes,
        held_back,
        imports,
        can,
    } = config;
    BundledGuest {
        role: role.clone(),
        digest: digest.to_string(),
        bytes: *bytes,
        held_back: *held_back,
        imports: imports.clone(),
        can: can.clone(),
    }
}

/// Returns the summary of a certificate.
pub(super) fn summary(config: &CertificateConfig) -> CertificateSummary {
    let CertificateConfig {
        task,
        world,
        verifier,
        checks,
        mutants,
        rejected,
    } = config;
    CertificateSummary {
        task: task.clone(),
        world: world.to_string(),
        verifier: verifier.to_string(),
        checks: *checks,
        mutants: *mutants,
        rejected: *rejected,
    }
}

/// Returns the statistics of a transfer.
pub(super) fn transferred(counts: Transferred) -> TransferCounts {
    TransferCounts {
        blobs: counts.blobs,
        bytes: counts.bytes,
        present: counts.present,
    }
}

/// Returns a lock.
pub(super) fn lock(lock: &Lock) -> SuiteLock {
    let tasks = lock.tasks.iter().map(|(id, task)| {
        let task = LockedTask {
            manifest: task.manifest.to_string(),
            task_digest: task.task_digest.to_string(),
        };
        (id.clone(), task)
    });
    let worlds = lock.worlds.iter().map(|(id, world)| {
        let world = LockedWorld {
            manifest: world.manifest.to_string(),
            snapshot: world.snapshot.to_string(),
        };
        (id.clone(), world)
    });
    let surfaces = lock.surfaces.iter();
    SuiteLock {
        schema: lock.schema(),
        source: lock.source.clone(),
        digest: lock.digest.to_string(),
        engine: lock.engine.clone(),
        tasks: tasks.collect(),
        worlds: worlds.collect(),
        surfaces: surfaces
            .map(|(name, digest)| (name.clone(), digest.to_string()))
            .collect(),
    }
}

/// Returns a change with its values converted.
pub(super) fn change<T, U>(change: &Change<T>, convert: impl Fn(&T) -> U) -> metadata::Change<U> {
    metadata::Change {
        before: convert(&change.before),
        after: convert(&change.after),
    }
}

/// Returns the changes of digests by name.
pub(super) fn changes(
    changes: &BTreeMap<String, Change<Option<Digest>>>,
) -> BTreeMap<String, metadata::Change<Option<String>>> {
    let text = |digest: &Option<Digest>| digest.map(|digest| digest.to_string());
    let changes = changes.iter();
    changes
        .map(|(name, sides)| (name.clone(), change(sides, text)))
        .collect()
}

/// Returns a part of a frozen document as it is serialised.
fn object(part: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(part) {
        Ok(Value::Object(object)) => object,
        // A struct with string keys serialises to an object.
        _ => Map::new(),
    }
}
