//! Descriptions of tasks, guests and certificates in the configs of a bundle.

use mcpmark_bundle::{CertificateConfig, GuestConfig, Parts};
use mcpmark_certify::Certificate;
use mcpmark_experiment::Prepared;
use mcpmark_sandbox::{Interface, LoadError, inspect};
use mcpmark_task::TaskId;
use serde_json::Value;

use crate::PackError;

/// Returns the description of a guest in the config of its task or world.
pub(crate) fn describe_guest(
    role: &str,
    component: &[u8],
    interfaces: &[Interface],
) -> Result<GuestConfig, LoadError> {
    let inspection = inspect(component, interfaces)?;
    let can = match role {
        // Its further imports are emulated in memory, and only scripts use them.
        "interpreter" => "can run a Python script on what that is given; nothing else".to_owned(),
        _ => inspection.summary(),
    };
    Ok(GuestConfig {
        role: role.to_owned(),
        digest: inspection.digest,
        bytes: inspection.bytes,
        held_back: false,
        can,
        imports: inspection.imports.into_iter().map(|it| it.import).collect(),
    })
}

/// Returns the description of a task's guest.
pub(crate) fn describe_task_guest(
    role: &str,
    component: &[u8],
    task: &TaskId,
    interfaces: &[Interface],
) -> Result<GuestConfig, PackError> {
    describe_guest(role, component, interfaces).map_err(|problem| PackError::TaskGuest {
        task: task.clone(),
        role: role.to_owned(),
        problem: Box::new(problem),
    })
}

/// Returns the description of a task's solution, if it has one.
pub(crate) fn describe_solution(
    component: Option<&[u8]>,
    task: &TaskId,
    interfaces: &[Interface],
) -> Result<Option<GuestConfig>, PackError> {
    let describe = |component| describe_task_guest("solution", component, task, interfaces);
    component.map(describe).transpose()
}

/// Returns the parts of a task's digest from their document. Fails if the digest is not that of the prepared task.
pub(crate) fn unchanged_parts(
    document: Value,
    task: &TaskId,
    prepared: &Prepared,
) -> Result<Parts, PackError> {
    let parts: Parts = serde_json::from_value(document).map_err(PackError::Parts)?;
    if parts.digest() == prepared.task_digest {
        Ok(parts)
    } else {
        Err(PackError::Changed(task.clone()))
    }
}

/// Returns the description of a certificate in the config of its task.
pub(crate) fn describe_certificate(bytes: &[u8]) -> Result<CertificateConfig, serde_json::Error> {
    let certificate: Certificate = serde_json::from_slice(bytes)?;
    let (mutants, rejected) = certificate.mutants;
    Ok(CertificateConfig {
        task: certificate.task,
        world: certificate.world,
        verifier: certificate.verifier,
        checks: certificate.checks.len() as u64,
        mutants: mutants as u64,
        rejected: rejected as u64,
    })
}
