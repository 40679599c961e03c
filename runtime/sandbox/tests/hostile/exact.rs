//! Exact limits: each limit holds to the unit, is named in the fault, and stays below the ceiling of the host.

use libtest_mimic::Failed;
use mcpmark_sandbox::wasmtime::StoreContextMut;
use mcpmark_sandbox::wasmtime::component::{Resource, ResourceType};
use mcpmark_sandbox::{
    CALL_COST, Interface, Limits, LoadError, MAX_HANDLES, MAX_INSTANCES, MAX_MEMORIES,
    MAX_MEMORY_BYTES, MAX_TABLE_ELEMENTS, MAX_TABLES, RunError, Sandbox, SandboxConfig,
    VerifierHost,
};

use crate::arena::{Arena, Outcome, compiler, fail, refused};
use crate::corpus;
use crate::generated::guest as component;

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

/// Finds, three times, the smallest value of a limit at which a guest is graded and no log line is dropped.
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
                Ok(_) if run.log.dropped > 0 && limit == "log_bytes" => low = middle,
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
    // One page, and 1,000 pages that the guest requests.
    let expected = [
        ("memory-touched-whole", "memory_bytes", 1_001 << 16),
        ("leaves-traces", "table_elements", 1_000),
        ("bool-of-7", "output_bytes", 2),
        ("bool-of-7", "checks", 1),
        // Three calls, each with the length of its path, and 4 bytes of the file.
        (
            "state-offsets-at-the-edge",
            "copy_bytes",
            3 * (CALL_COST + 9) + 4,
        ),
        // 2,000 empty lines, each with its line break.
        ("log-of-empty-lines", "log_bytes", 2_000),
    ];
    // Time has a test of its own, and fuel follows below.
    let mut named: Vec<&str> = expected.iter().map(|(_, limit, _)| *limit).collect();
    named.extend(["fuel", "time_ms"]);
    let all = Limits::VERIFIER.to_string();
    for part in all.split(',') {
        let (name, _) = part.split_once('=').unwrap_or((part, ""));
        if !named.contains(&name) {
            return fail(format!("nobody reaches the limit {name}"));
        }
    }
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
    // Fuel is checked when a function or a loop begins, so that the last few units may exceed the limit.
    if fuel > used + 1 || used - fuel.min(used) > 64 {
        return fail(format!(
            "{used} units of fuel are used, and {fuel} are enough"
        ));
    }
    // WASI opens and loads a file 13 times, each of two bytes.
    let loads = 13 * (20_000 + 2);
    let used = grade(&Limits::VERIFIER, "command-opens-in-turn")?.fuel;
    let short = Limits::VERIFIER.with(&format!("fuel={}", used - 100))?;
    let stopped = grade(&short, "command-opens-in-turn")?.kind;
    if used < loads || used > 2 * loads || stopped != "fault fuel" {
        return fail(format!(
            "13 loads of {loads} units use {used} units of fuel; with 100 units less: {stopped}"
        ));
    }
    Ok(())
}

/// Checks that a guest at a fixed maximum is graded, and that one above it is refused or stopped.
pub(crate) fn fixed_caps() -> Result<(), Failed> {
    let arena = Arena::shared();
    let outcome = |bytes: &[u8]| match arena.sandbox.verifier(bytes) {
        Ok(verifier) => arena
            .sandbox
            .verify(&verifier, arena.input.clone(), &Limits::CEILING)
            .into(),
        Err(error) => refused(&error),
    };
    type Make = fn(u64) -> Vec<u8>;
    let caps: [(&str, u64, Make); 5] = [
        ("instances", MAX_INSTANCES.into(), instances),
        ("memories", MAX_MEMORIES.into(), |count| {
            component(&format!(
                "{VERIFY} {}",
                "(memory 1)".repeat(count as usize - 1)
            ))
        }),
        ("tables", MAX_TABLES.into(), |count| {
            component(&format!(
                "{VERIFY} {}",
                "(table 1 funcref)".repeat(count as usize)
            ))
        }),
        ("elements of a table", MAX_TABLE_ELEMENTS, |count| {
            component(&format!("{VERIFY} (table {count} funcref)"))
        }),
        // The guest already has one page.
        ("pages of memory", MAX_MEMORY_BYTES >> 16, |count| {
            component(&format!("{VERIFY} (memory {})", count - 1))
        }),
    ];
    for (what, most, make) in caps {
        let (at, past) = (outcome(&make(most)), outcome(&make(most + 1)));
        if at.kind != "graded passed" {
            return fail(format!("{most} {what}: {at:?}"));
        }
        if !(past.kind == "refused" || past.kind == "fault memory") {
            return fail(format!("{} {what}: {past:?}", most + 1));
        }
    }
    Ok(())
}

const VERIFY: &str = r#"(func (export "verify") (result i32) (i32.const 16))"#;

/// Returns a guest with this many core instances.
fn instances(count: u64) -> Vec<u8> {
    let others = "(core instance (instantiate $small))".repeat(count as usize - 1);
    let text = format!(
        r#"(component
  (core module $small)
  (core module $guest
    (memory (export "memory") 1)
    (data (i32.const 16) "\20\00\00\00\01\00\00\00")
    (data (i32.const 32) "\64\00\00\00\02\00\00\00\01")
    (data (i32.const 100) "ab")
    {VERIFY})
  {others}
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory")))))"#
    );
    wat::parse_str(text).unwrap()
}

pub(crate) fn component_size() -> Result<(), Failed> {
    let bytes = corpus::named("well-behaved").bytes()?;
    let size = bytes.len() as u64;
    let load = |max_component_bytes: u64| {
        let sandbox = Sandbox::new(&SandboxConfig {
            max_component_bytes,
            slots: 1,
            ..SandboxConfig::default()
        });
        let sandbox = sandbox.map_err(|error| error.to_string())?;
        Ok::<_, Failed>(sandbox.trusting().verifier(&bytes).err())
    };
    if let Some(error) = load(size)? {
        return fail(format!("{size} of {size} bytes: {error}"));
    }
    let limit = size - 1;
    match load(limit)? {
        Some(LoadError::TooLarge {
            size: told,
            limit: most,
        }) if (told, most) == (size, limit) => Ok(()),
        other => fail(format!("{size} of {limit} bytes: {other:?}")),
    }
}

/// Uses a resource of an embedder's interface, because the guest contract has no resources.
pub(crate) fn handles() -> Result<(), Failed> {
    const THINGS: &str = "probe:data/things@0.1.0";
    enum Thing {}
    let things = Interface::new(THINGS, "hold things", |linker| {
        let mut things = linker.instance(THINGS)?;
        things.resource("thing", ResourceType::host::<Thing>(), |_, _| Ok(()))?;
        things.func_wrap("make", |_: StoreContextMut<'_, VerifierHost>, (): ()| {
            Ok((Resource::<Thing>::new_own(1),))
        })
    });
    let sandbox = Sandbox::new(&SandboxConfig {
        interfaces: vec![things],
        slots: 1,
        ..SandboxConfig::default()
    });
    let sandbox = sandbox.map_err(|error| error.to_string())?.trusting();
    let holding = |count: usize| {
        let text = format!(
            r#"(component
  (import "{THINGS}" (instance $things
    (export "thing" (type $thing (sub resource)))
    (export "make" (func (result (own $thing))))))
  (core func $make (canon lower (func $things "make")))
  (core module $guest
    (import "host" "make" (func $make (result i32)))
    (memory (export "memory") 1)
    (data (i32.const 16) "\20\00\00\00\01\00\00\00")
    (data (i32.const 32) "\64\00\00\00\02\00\00\00\01")
    (data (i32.const 100) "ab")
    (func (export "verify") (result i32) (local $left i32)
      (local.set $left (i32.const {count}))
      (loop $more
        (drop (call $make))
        (br_if $more (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
      (i32.const 16)))
  (core instance $host (export "make" (func $make)))
  (core instance $guest (instantiate $guest (with "host" (instance $host))))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory")))))"#
        );
        let bytes = wat::parse_str(text)?;
        let verifier = sandbox
            .verifier(&bytes)
            .map_err(|error| error.to_string())?;
        let input = Arena::shared().input.clone();
        let run = sandbox.verify(&verifier, input, &Limits::VERIFIER);
        Ok::<_, Failed>(Outcome::from(run))
    };
    let at = holding(MAX_HANDLES)?;
    if at.kind != "graded passed" {
        return fail(format!("{MAX_HANDLES} handles: {at:?}"));
    }
    let past = holding(MAX_HANDLES + 1)?;
    let expected = format!(
        "the guest has {MAX_HANDLES} handles to resources, and the limit is {MAX_HANDLES} (fixed)"
    );
    if past.kind != "fault memory" || past.message != expected {
        return fail(format!("one handle more: {past:?}"));
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
        // The limits exceed the ceiling, and are lowered to it.
        let run = sandbox.verify(&verifier, arena.input.clone(), &Limits::CEILING);
        let outcome = Outcome::from(run);
        if !outcome.message.ends_with(message) {
            return fail(format!("{guest}: {outcome:?}"));
        }
    }
    let task = grade(&Limits::VERIFIER.with("fuel=100")?, "endless-loop")?;
    if !task.message.ends_with("100 units of fuel (limit `fuel`, which `limits` of the task or of the grade may raise to 500000000000 on this host)") {
        return fail(task.message);
    }
    Ok(())
}

/// Checks that the time limit stops a guest that has fuel for hours.
pub(crate) fn time() -> Result<(), Failed> {
    let limits = Limits::CEILING.with("time_ms=50")?;
    let outcome = grade(&limits, "endless-loop")?;
    let expected = "the guest ran longer than 50 ms (limit `time_ms`";
    if outcome.kind != "fault time" || !outcome.message.starts_with(expected) {
        return fail(format!("{outcome:?}"));
    }
    Ok(())
}
