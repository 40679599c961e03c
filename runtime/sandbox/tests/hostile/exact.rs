//! Each limit holds to the last unit, says its name, and stays below the host's ceiling.

use libtest_mimic::Failed;
use mcpmark_sandbox::{CALL_COST, Limits, RunError, Sandbox, SandboxConfig};

use crate::arena::{Arena, Outcome, compiler, fail};
use crate::corpus;

fn grade(limits: &Limits, guest: &str) -> Result<Outcome, Failed> {
    let arena = Arena::shared();
    let bytes = corpus::named(guest).bytes()?;
    let verifier = arena
        .sandbox
        .verifier(&bytes)
        .map_err(|error| error.to_string())?;
    Ok(arena
        .sandbox
        .verify(&verifier, arena.input.clone(), limits)
        .into())
}

/// The smallest value of a limit at which a guest is graded, found three times.
fn threshold(guest: &str, limit: &str) -> Result<u64, Failed> {
    let arena = Arena::shared();
    let bytes = corpus::named(guest).bytes()?;
    let verifier = arena
        .sandbox
        .verifier(&bytes)
        .map_err(|error| error.to_string())?;
    let mut found = Vec::new();
    for _ in 0..3 {
        let (mut low, mut high) = (0, 200_000_000_u64);
        while high - low > 1 {
            let middle = low.midpoint(high);
            let limits = Limits::VERIFIER.with(&format!("{limit}={middle}"))?;
            let run = arena
                .sandbox
                .verify(&verifier, arena.input.clone(), &limits);
            match run.result {
                Ok(_) => high = middle,
                Err(RunError::Fault(fault))
                    if fault.message.contains(&format!("(limit `{limit}`")) =>
                {
                    low = middle;
                }
                Err(error) => return fail(format!("{guest} at {limit}={middle}: {error}")),
            }
        }
        found.push(high);
    }
    if found.iter().any(|value| *value != found[0]) {
        return fail(format!(
            "{guest}: the limit {limit} is reached at {found:?}"
        ));
    }
    Ok(found[0])
}

pub(crate) fn each_limit() -> Result<(), Failed> {
    // One page, and 1,000 that the guest asks for.
    let expected = [
        ("memory-touched-whole", "memory_bytes", 1_001 << 16),
        ("leaves-traces", "table_elements", 1_000),
        ("bool-of-7", "output_bytes", 2),
        ("bool-of-7", "checks", 1),
        // Three calls; the length of the path with each, and 4 bytes of the file.
        (
            "state-offsets-at-the-edge",
            "copy_bytes",
            3 * (CALL_COST + 9) + 4,
        ),
    ];
    for (guest, limit, value) in expected {
        let found = threshold(guest, limit)?;
        if found != value {
            return fail(format!(
                "{guest}: the limit {limit} is reached at {found}, not {value}"
            ));
        }
    }
    let fuel = threshold("looks-for-traces", "fuel")?;
    let used = grade(&Limits::VERIFIER, "looks-for-traces")?.fuel;
    // Fuel is looked at when a function or a loop begins, so the last few units may go over.
    if fuel > used + 1 || used - fuel.min(used) > 64 {
        return fail(format!(
            "{used} units of fuel are used, and {fuel} are enough"
        ));
    }
    Ok(())
}

pub(crate) fn ceiling() -> Result<(), Failed> {
    let arena = Arena::shared();
    let sandbox = Sandbox::new(&SandboxConfig {
        compiler: Some(compiler(Default::default())),
        ceiling: Limits::CEILING.with("fuel=100, memory_bytes=1000000")?,
        slots: 1,
        ..SandboxConfig::default()
    })
    .map_err(|error| error.to_string())?;
    for (guest, message) in [
        (
            "endless-loop",
            "the guest used up its 100 units of fuel (limit `fuel`, at the ceiling of this host, which its operator may raise)",
        ),
        (
            "memory-at-birth",
            "more than 1000000 (limit `memory_bytes`, at the ceiling of this host, which its operator may raise)",
        ),
    ] {
        let bytes = corpus::named(guest).bytes()?;
        let verifier = sandbox
            .verifier(&bytes)
            .map_err(|error| error.to_string())?;
        // More than the ceiling is asked for, and not given.
        let run = sandbox.verify(&verifier, arena.input.clone(), &Limits::CEILING);
        let outcome = Outcome::from(run);
        if !outcome.message.ends_with(message) {
            return fail(format!("{guest}: {outcome:?}"));
        }
    }
    let task = grade(&Limits::VERIFIER.with("fuel=100")?, "endless-loop")?;
    if !task.message.ends_with("100 units of fuel (limit `fuel`, which `limits` of the task or of the grade may raise to 100000000000 on this host)") {
        return fail(task.message);
    }
    Ok(())
}

/// The clock stops what has fuel for hours.
pub(crate) fn time() -> Result<(), Failed> {
    let limits = Limits::CEILING.with("time_ms=50")?;
    let outcome = grade(&limits, "endless-loop")?;
    let expected = "the guest ran longer than 50 ms (limit `time_ms`";
    if outcome.kind != "fault time" || !outcome.message.starts_with(expected) {
        return fail(format!("{outcome:?}"));
    }
    Ok(())
}
