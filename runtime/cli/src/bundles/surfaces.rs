//! Comparison of the tools and the engine of this machine with a lock.

use std::collections::BTreeSet;

use mcpmark_bundle::Lock;
use mcpmark_experiment::{Prepared, Start, tool_surface};
use mcpmark_sandbox::Sandbox;
use mcpmark_snapshot::{Digest, ScratchSpace, Store};
use mcpmark_task::WorldId;

use crate::error::{CommandError, chain};
use crate::output::{self, sanitise};
use crate::runtime::runtime;

/// Hint for a suite that differs from its lock.
pub(crate) const UPDATE: &str =
    "`mcpmark bundle update` shows the changes, and asks whether to accept them";

/// Returns the name of a tool surface and its digest, or `None` if the service is unknown.
pub(crate) fn surface(
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
    let digest = runtime(1)?.block_on(offered).map_err(|error| {
        let message = format!("world {world}: {}", chain(&error));
        CommandError::invalid(sanitise::block(&message))
    })?;
    let profile = profile.unwrap_or_else(|| service.profiles()[0]);
    Ok(Some((Lock::surface_name(world, profile), digest)))
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

/// Checks that the tools of prepared tasks are those of the lock.
pub(crate) fn check_surfaces(
    lock: &Lock,
    prepared: &[(WorldId, &Prepared)],
    store: &Store,
    scratch: &ScratchSpace,
) -> Result<(), CommandError> {
    let mut seen = BTreeSet::new();
    for (world, prepared) in prepared {
        let profile = prepared.profile.as_deref();
        if seen.insert((world, profile))
            && let Some((name, found)) = surface(world, &prepared.start, profile, store, scratch)?
        {
            lock.check_surface(&name, found)
                .map_err(|mismatch| CommandError::invalid(mismatch).hint(UPDATE))?;
        }
    }
    Ok(())
}
